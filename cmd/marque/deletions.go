package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"marque/bot/privacy"
	"marque/bot/servers"
	"marque/bot/table"
	"marque/games/catalog"
	"marque/storage"
)

// deletions is the list of users and servers whose data was deleted since the oldest copy of a database was made.
// It is in the folder of the copies, which may still have this data. After a copy is restored, the deletions are
// repeated.
type deletions struct {
	file    string
	changed chan struct{} // gets a value when an entry is added; holds at most one

	mu sync.Mutex
}

// deletion is an entry of the list: a user or a server, and when its data was deleted.
type deletion struct {
	User  string        `json:"user,omitempty"`
	Guild string        `json:"guild,omitempty"`
	At    storage.Stamp `json:"at"`
}

// partialList matches the names of unfinished lists.
const partialList = ".marque-list-*"

// deletionsOf returns the list of a database's deletions in the folder of its copies.
func deletionsOf(database, folder string) *deletions {
	return &deletions{file: filepath.Join(folder, copyPrefix(database)+"deletions.json"),
		changed: make(chan struct{}, 1)}
}

// list reads the list. It is empty if there is no file.
func (d *deletions) list() ([]deletion, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.read()
}

func (d *deletions) read() ([]deletion, error) {
	b, err := os.ReadFile(d.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []deletion
	if err == nil {
		err = json.Unmarshal(b, &list)
	}
	if err != nil {
		return nil, fmt.Errorf(
			"the list of deletions %s cannot be read: %w; take it from another copy, or, to go on without it, move it away: "+
				"who is only in it is then in a restored database again", d.file, err)
	}
	return list, nil
}

// add records the deletion of a user's or server's data.
func (d *deletions) add(added deletion) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	list, err := d.read()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(e deletion) bool { return e.User == added.User && e.Guild == added.Guild })
	if err := d.write(append(list, added)); err != nil {
		return err
	}
	select {
	case d.changed <- struct{}{}:
	default:
	}
	return nil
}

// forget removes the deletions from the list that are older than the oldest copy. It also removes unfinished lists.
func (d *deletions) forget(oldest time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	list, err := d.read()
	if err != nil {
		return err
	}
	cut, err := filepath.Glob(filepath.Join(filepath.Dir(d.file), partialList))
	for _, file := range cut { // unfinished lists of killed processes
		err = errors.Join(err, os.Remove(file))
	}
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(list), func(e deletion) bool { return e.At < storage.At(oldest) })
	if len(left) == len(list) {
		return nil
	}
	return d.write(left)
}

// write replaces the file of the list completely or not at all.
func (d *deletions) write(list []deletion) error {
	folder := filepath.Dir(d.file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	b, err := json.Marshal(list)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(folder, partialList)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(b)
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), d.file); err != nil {
		return err
	}
	return syncDir(folder)
}

// note returns a function that records a deletion for a running bot. If the list cannot be written, it tells the
// operator in the log, and the deletion continues.
func (d *deletions) note(log *slog.Logger) func(deletion) {
	return func(added deletion) {
		if err := d.add(added); err != nil {
			log.Error("somebody's data are deleted, but that could not be noted beside the copies of the database: a copy made before has them still "+
				"(MARQUE_BACKUPS); make the folder writable, and remove those copies or have the person delete their data again", "guild", added.Guild, "error", err)
		}
	}
}

// repeated has the numbers of users and servers whose data were deleted again.
type repeated struct{ users, guilds int }

func (r repeated) String() string {
	switch {
	case r.guilds == 0:
		return plural(r.users, "user")
	case r.users == 0:
		return plural(r.guilds, "server")
	}
	return plural(r.users, "user") + " and " + plural(r.guilds, "server")
}

// repeat repeats the deletions that were recorded after the given moment, except those of servers on which tables
// were opened after the deletion.
func (d *deletions) repeat(ctx context.Context, store keeper, after storage.Stamp) (done repeated, err error) {
	list, err := d.list()
	if err != nil {
		return done, err
	}
	tables := table.New(table.Config{Store: store, Games: catalog.Find, Log: slog.New(slog.DiscardHandler)})
	people, places := privacy.New(tables, store, nil), servers.New(tables, store, slog.New(slog.DiscardHandler), nil)
	for _, e := range list {
		if e.At <= after {
			continue
		}
		again := &done.guilds
		var err error
		if e.Guild == "" {
			again = &done.users
			if err = people.Forget(ctx, e.User); err == nil {
				err = store.Finished(ctx, storage.Work{Kind: storage.Forgetting, Of: e.User})
			}
		} else {
			var back bool
			if back, err = playsAgain(ctx, store, e); err == nil && back {
				continue
			}
			if err == nil {
				err = places.Delete(ctx, e.Guild)
			}
		}
		if err != nil {
			return done, fmt.Errorf("data that were deleted after the copy was made cannot be deleted again: %w", err)
		}
		*again++
	}
	return done, nil
}

// playsAgain reports whether tables were opened on a server after its data was deleted. If so, the bot is on the server
// again, and the store is not an older copy.
func playsAgain(ctx context.Context, store keeper, e deletion) (bool, error) {
	for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
		for after := storage.ID(0); ; {
			heads, err := store.ByGuild(ctx, e.Guild, phase, after, tablesRead)
			if err != nil {
				return false, err
			}
			for _, h := range heads {
				if after = h.ID; h.Opened > e.At {
					return true, nil
				}
			}
			if len(heads) < tablesRead {
				break
			}
		}
	}
	return false, nil
}

// repeatMissed repeats the deletions after the latest moment recorded in a store. The store may be a copy that was put
// in place by hand.
func (d *deletions) repeatMissed(ctx context.Context, store keeper) (done repeated, err error) {
	if list, err := d.list(); err != nil || len(list) == 0 {
		return done, err
	}
	known, err := store.LastKnown(ctx)
	if err != nil {
		return done, err
	}
	return d.repeat(ctx, store, known)
}

func syncDir(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
