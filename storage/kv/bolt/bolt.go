// Package bolt is an engine that keeps keys and values in one file, with go.etcd.io/bbolt: a bucket for each space.
//
// The file has one writer at a time, and every commit is synced. Reads run concurrently with the writer, each on one
// consistent state. The file records its schema. Open refuses files with other schemas, and leaves them unchanged.
package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"marque/storage/kv"
)

// Schema is the version of the files that this program reads and writes.
const Schema = 1

const (
	// lockPatience is how long Open waits while another process has the file open, for example during a restart.
	lockPatience = 2 * time.Second
	// room is the number of bytes that a full disk must accept before the file counts as writable again. They are
	// enough for dozens of commits.
	room = 1 << 20
	// mapSize is the address space reserved for the file. While the file is smaller, long reads such as backups do not
	// block writes.
	mapSize = 1 << 30
)

var (
	metaBucket = []byte("meta")
	schemaKey  = []byte("format") // holds the schema version, 4 bytes
	olderKey   = []byte("schema") // key of the schema in files from before the first release
	aliveKey   = []byte("alive")  // holds an empty value, which Engine.Alive writes
)

// FileError says what is wrong with the database file and how to fix it.
type FileError struct {
	Path   string
	Advice string // advice for the operator, as part of a sentence
	Other  bool   // whether another program wrote the file
	Err    error  // kv.ErrLocked, ErrNewer, ErrOlder, ErrDamaged, or the operating system's error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("database file %s: %v: %s", e.Path, e.Err, e.Advice)
}

func (e *FileError) Unwrap() error { return e.Err }

// Engine is a kv.Engine on a file.
type Engine struct {
	db     *bbolt.DB
	file   *os.File              // file opened by bbolt, which also closes it
	broken atomic.Pointer[error] // why the file can no longer be written; nil while it can
}

var _ kv.Engine = (*Engine)(nil)

// Open opens the file, or creates it. Every error wraps a *FileError, and with it kv.ErrLocked, kv.ErrNewer,
// kv.ErrOlder, kv.ErrDamaged (also for an empty file and another program's file) or the operating system's error.
func Open(path string) (*Engine, error) {
	e, err := openFile(path)
	if err != nil {
		return nil, explain(path, err)
	}
	// An interrupted Compact may have left a copy. No Compact is running now, because this process has the file open
	// for writing.
	if err := os.Remove(path + compactSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(explain(path+compactSuffix, err), e.db.Close())
	}
	return e, nil
}

func openFile(path string) (*Engine, error) {
	info, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	switch {
	case err == nil && info.IsDir():
		return nil, syscall.EISDIR
	case err == nil && info.Size() == 0:
		return nil, fmt.Errorf("%w (it is empty)", kv.ErrDamaged)
	case err != nil && !fresh:
		return nil, err
	}
	if !fresh { // checked first, so that a refused file stays unchanged
		if err := look(path); err != nil {
			return nil, err
		}
	}
	e, err := openWith(path, bbolt.Options{InitialMmapSize: mapSize})
	if err != nil {
		return nil, err
	}
	if err = guard(e.begin); err == nil && fresh {
		err = syncFolder(path)
	}
	if err != nil {
		_ = e.db.Close()
		return nil, err
	}
	return e, nil
}

// openWith opens a file with the given options. The engine also keeps the operating system's file that bbolt opens.
func openWith(path string, options bbolt.Options) (*Engine, error) {
	e := &Engine{}
	options.Timeout = lockPatience
	options.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, mode)
		e.file = f
		return f, err
	}
	err := guard(func() (err error) {
		e.db, err = bbolt.Open(path, 0o600, &options)
		return err
	})
	return e, err
}

// look returns an error if a file has another schema, or damage that would harm a write. It does not read all pairs.
func look(path string) error {
	db, err := openToRead(path)
	if err != nil {
		return err
	}
	err = guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			if info.Size() < tx.Size() {
				return fmt.Errorf("%w (%d bytes are missing at its end)", kv.ErrDamaged, tx.Size()-info.Size())
			}
			file, err := os.Open(path)
			if err != nil {
				return err
			}
			defer file.Close()
			if err := pagesOf(tx, file).checkToWrite((&Engine{db: db, file: file}).freeList()); err != nil {
				return err
			}
			if err := suits(tx); err != nil {
				return err
			}
			return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
				b.Cursor().First()
				b.Cursor().Last()
				return nil
			})
		})
	})
	return errors.Join(err, db.Close())
}

// begin writes the schema version into an empty file, and checks the version of any other file.
func (e *Engine) begin() error {
	return e.db.Update(func(tx *bbolt.Tx) error {
		if tx.Bucket(metaBucket) != nil {
			return suits(tx)
		}
		b, err := tx.CreateBucket(metaBucket)
		if err != nil {
			return err
		}
		return b.Put(schemaKey, binary.BigEndian.AppendUint32(nil, Schema))
	})
}

// suits returns an error unless a file is empty or has the schema of this program.
func suits(tx *bbolt.Tx) error {
	version, err := versionOf(tx)
	switch {
	case err != nil:
		return err
	case version > Schema:
		return fmt.Errorf("%w (schema %d, this program knows %d)", kv.ErrNewer, version, Schema)
	}
	return nil
}

// versionOf returns the schema version of a file, or 0 for an empty file. It returns kv.ErrOlder, kv.ErrDamaged, or a
// *FileError for another program's file.
func versionOf(tx *bbolt.Tx) (int, error) {
	b := tx.Bucket(metaBucket)
	if b == nil {
		if name, _ := tx.Cursor().First(); name != nil {
			return 0, &FileError{
				Path: tx.DB().Path(), Err: kv.ErrDamaged, Other: true,
				Advice: "it is some other program's database: name another file",
			}
		}
		return 0, nil
	}
	v := b.Get(schemaKey)
	if v == nil && b.Get(olderKey) != nil {
		return 0, kv.ErrOlder
	}
	if len(v) != 4 {
		return 0, fmt.Errorf("%w (its schema cannot be read)", kv.ErrDamaged)
	}
	return int(binary.BigEndian.Uint32(v)), nil
}

// openToRead opens a file for reading. It fails if a process has the file open for writing.
func openToRead(path string) (*bbolt.DB, error) {
	e, err := openWith(path, bbolt.Options{ReadOnly: true, NoStatistics: true})
	return e.db, err
}

// guard runs f and turns any panic, such as one of bbolt or a fault in the mapped file, into kv.ErrDamaged.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			why := strings.TrimPrefix(fmt.Sprint(r), "assertion failed: ") // text of bbolt's panic
			err = fmt.Errorf("%w (its pages contradict each other: %s)", kv.ErrDamaged, why)
		}
	}()
	return f()
}

// explain turns an error in opening the file into a *FileError.
func explain(path string, err error) error {
	if err == nil {
		return nil
	}
	var known *FileError
	if errors.As(err, &known) {
		return known
	}
	e := &FileError{Path: path, Err: err}
	dir := filepath.Dir(path)
	switch {
	case errors.Is(err, syscall.EISDIR):
		e.Advice = "this is a folder: name a file in it"
	case errors.Is(err, berrors.ErrTimeout):
		e.Err = kv.ErrLocked
		e.Advice = "stop the other marque that runs on this file, or give this one a file of its own"
	case errors.Is(err, kv.ErrNewer):
		e.Advice = "run the newer version of marque, or restore the copy of the file that was made before it was updated"
	case errors.Is(err, kv.ErrOlder):
		e.Advice = "name a new file, for an empty store: no release reads this one"
	case errors.Is(err, kv.ErrDamaged), errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrInvalidMapping), tooShort(path):
		if !errors.Is(err, kv.ErrDamaged) {
			e.Err = fmt.Errorf("%w (%w)", kv.ErrDamaged, err)
		}
		e.Advice = "marque database repair restores what is damaged from a backup; the bot starts empty without a file"
	case errors.Is(err, fs.ErrNotExist):
		e.Advice = fmt.Sprintf("make the folder %s first", dir)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Advice = fmt.Sprintf("let this user read and write the file and the folder %s", dir)
	case errors.Is(err, syscall.ENOSPC):
		e.Advice = "make room on the disk"
	default:
		e.Advice = "it cannot be opened"
	}
	return e
}

// tooShort reports whether a file is shorter than the four pages of a new file.
func tooShort(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() < int64(4*os.Getpagesize())
}

// syncFolder makes a new file's name durable.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// View runs read on one consistent state of the file.
func (e *Engine) View(ctx context.Context, read func(r kv.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return guard(func() error {
		return e.db.View(func(tx *bbolt.Tx) error { return read(&reader{tx: tx}) })
	})
}

// Parallel is 1: the file has one writer.
func (e *Engine) Parallel() int { return 1 }

// Spaces lists the spaces that have keys.
func (e *Engine) Spaces(ctx context.Context) ([]kv.Space, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var list []kv.Space
	err := guard(func() error {
		return e.db.View(func(tx *bbolt.Tx) error {
			return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
				if bytes.Equal(name, metaBucket) {
					return nil
				}
				if k, _ := b.Cursor().First(); k != nil {
					list = append(list, kv.Space(name))
				}
				return nil
			})
		})
	})
	return list, err
}

// Size returns the size of the file.
func (e *Engine) Size(context.Context) (size kv.Size, err error) {
	err = guard(func() error {
		return e.db.View(func(tx *bbolt.Tx) error {
			size.Bytes = tx.Size()
			stats := e.db.Stats()
			size.FreePages = int64(stats.FreePageN + stats.PendingPageN)
			size.FreeBytes = size.FreePages * int64(e.db.Info().PageSize)
			return nil
		})
	})
	return size, err
}

// Alive commits a write transaction, and tests whether the file can grow. A small commit alone may fit into free pages
// although the disk is full. Alive returns nil if the disk accepted both.
func (e *Engine) Alive(context.Context) error {
	tx, err := e.beginTx()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	err = guard(func() error { return tx.tx.Bucket(metaBucket).Put(aliveKey, []byte{}) })
	if err != nil {
		return err
	}
	// These bytes are written where the next pages of the file will be. Nothing reads past the last page. The commit
	// syncs them.
	if _, err := e.file.WriteAt(make([]byte, room), tx.tx.Size()); err != nil {
		return e.diskError(tx.tx.ID(), fmt.Errorf("writing to the disk: %w", err))
	}
	return tx.commit()
}

// Backup writes a consistent copy of the file to w while other transactions write. It returns the number of bytes.
func (e *Engine) Backup(ctx context.Context, w io.Writer) (n int64, err error) {
	err = guard(func() error {
		return e.db.View(func(tx *bbolt.Tx) (err error) {
			n, err = tx.WriteTo(untilDone{ctx, w})
			return err
		})
	})
	return n, cmp.Or(ctx.Err(), err) // bbolt does not always wrap the writer's error
}

// untilDone is a writer that fails once its context is done.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}

// Close closes the file.
func (e *Engine) Close() error {
	if err := e.broken.Load(); err != nil {
		// Closing the database would block forever. The file is as the last commit left it.
		return errors.Join(*err, e.file.Close())
	}
	return e.db.Close()
}
