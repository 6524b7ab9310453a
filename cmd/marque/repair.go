package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"marque/storage"
	"marque/storage/kv"
	"marque/storage/kv/bolt"
)

// repair is the repair of a damaged database file.
type repair struct {
	path    string
	backups []string // copies from which lost data is taken, newest first
	without bool     // whether to go on without data that no copy has
	now     time.Time
}

// repairedFile is the report of a repair.
type repairedFile struct {
	kept  string   // path of the damaged file; "" if the file was sound and nothing was done
	lines []string // sentences about losses and about what was taken from copies
	used  []string // copies that could be opened, from which data may have been taken
}

// lostError lists data that is in no copy. When it is returned, nothing was changed.
type lostError struct{ lost []string }

func (e *lostError) Error() string {
	return fmt.Sprintf("no sound copy has %s (%s)", plural(len(e.lost), "thing"), e.lost[0])
}

// run writes a new file with all data that can be read, and with the copies' data for the rest, and checks it. Only
// then does the new file replace the damaged file, which is kept next to it. If data is in no copy, run returns a
// *lostError, unless without is set.
func (r repair) run(ctx context.Context) (done repairedFile, err error) {
	var file *bolt.FileError
	switch err := checkFile(ctx, r.path, false); {
	case err == nil:
		return done, nil
	case errors.As(err, &file) && file.Other:
		return done, file
	case !errors.Is(err, storage.ErrDamaged):
		return done, err
	}
	m := storage.Mending{Now: r.now}
	// No bot can start while the damaged file is open. If its beginning cannot be read, no bot can open it anyway.
	damaged, err := bolt.OpenDamaged(r.path)
	switch {
	case err == nil:
		defer damaged.Close()
		m.Damaged, m.Behind = damaged, damaged.Behind()
	case !errors.Is(err, storage.ErrDamaged):
		return done, err
	}
	for _, path := range r.backups {
		copied, err := bolt.OpenDamaged(path)
		if err != nil {
			done.lines = append(done.lines, fmt.Sprintf("the copy %s is of no use: %v", path, err))
			continue
		}
		defer copied.Close()
		m.Copies = append(m.Copies, storage.Copy{Name: path, Source: copied})
		done.used = append(done.used, path)
	}
	mended := r.path + ".repair"
	if err := os.Remove(mended); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	defer os.Remove(mended)
	found, err := mendInto(ctx, m, mended)
	if err == nil {
		err = checkFile(ctx, mended, false)
	}
	if err != nil {
		return done, fmt.Errorf("nothing was changed, for what was repaired is not sound: %w", err)
	}
	if len(found.Lost) > 0 && !r.without {
		return done, &lostError{found.Lost}
	}
	done.lines = append(done.lines, found.Done...)
	for _, l := range found.Lost {
		done.lines = append(done.lines, l+": it is gone")
	}
	if done.kept, err = keepDamaged(r.path, r.now); err != nil {
		return done, err
	}
	if err := os.Rename(mended, r.path); err != nil {
		return done, err
	}
	return done, syncDir(filepath.Dir(r.path))
}

// mendInto writes the repaired store to a new file.
func mendInto(ctx context.Context, m storage.Mending, path string) (storage.Mended, error) {
	engine, err := bolt.Open(path)
	if err != nil {
		return storage.Mended{}, err
	}
	m.To = kv.Engine(engine)
	found, err := m.Run(ctx)
	return found, errors.Join(err, engine.Close())
}

// keepDamaged adds a second name for the damaged file in its folder, and returns the name.
func keepDamaged(path string, now time.Time) (string, error) {
	name := path + now.UTC().Format(".damaged-20060102-150405")
	kept, err := name, keepAside(path, name)
	for n := 2; errors.Is(err, fs.ErrExist) && n < 100; n++ {
		kept = fmt.Sprint(name, "-", n)
		err = keepAside(path, kept)
	}
	return kept, err
}

// keepAside adds a second name for a file, or copies the file if the file system has no hard links. It returns
// fs.ErrExist if the name is taken.
func keepAside(path, to string) error {
	if err := os.Link(path, to); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return copyWhole(path, to)
}

// copyWhole copies a file and syncs the copy. It fails if there is already a file with the copy's name.
func copyWhole(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		err = dst.Sync()
	}
	return errors.Join(err, dst.Close())
}

// restore creates a database from a copy, completely or not at all. Before the database gets its name, restore calls
// the function then with the store and the latest moment recorded in the copy. The copy is not changed. restore returns
// fs.ErrExist if a database already exists, and a *storage.UnsoundError if the copy is damaged.
func restore(
	ctx context.Context, backup, path string, now time.Time, then func(ctx context.Context, store keeper,
		until storage.Stamp) error,
) (done storage.Recovery, err error) {
	if !missing(path) {
		return done, fmt.Errorf("%s: %w: move it away first; what it holds and the copy does not is in no other file",
			path, fs.ErrExist)
	}
	if err := checkFile(ctx, backup, false); err != nil {
		return done, err
	}
	restoring := path + ".restoring"
	if err := os.Remove(restoring); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return done, err
	}
	defer os.Remove(restoring)
	if err := copyWhole(backup, restoring); err != nil {
		return done, err
	}
	store, err := openFile(ctx, restoring)
	if err != nil {
		return done, err
	}
	done, err = store.Restore(ctx, now)
	if err == nil {
		err = then(ctx, store, done.Until)
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return done, err
	}
	if err := checkFile(ctx, restoring, false); err != nil {
		return done, fmt.Errorf("the restored file is not sound: %w", err)
	}
	// If a database has been created in the meantime, keepAside fails; a rename would replace it.
	if err := keepAside(restoring, path); err != nil {
		return done, err
	}
	return done, syncDir(filepath.Dir(path))
}
