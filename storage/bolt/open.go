// Package bolt keeps the store in one file, with go.etcd.io/bbolt.
//
// A Store has one writer at a time. It takes whatever has queued up, runs it in one transaction
// and commits at once, without waiting for company; an operation that fails leaves nothing behind and
// does not fail its companions. When a call returns without an error its effect is on the disk.
// Reads run beside it on a consistent snapshot each.
//
// The file carries the version of its schema. Open brings an older file up to date, after
// copying it aside, and refuses a newer one.
package bolt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"marque/storage"
)

// lockPatience is how long Open waits for another process to let go of the file, as after a restart.
const lockPatience = 2 * time.Second

// mapSize is the address space reserved for the file. While the file is smaller, long reads (a backup) do not hold up writes.
const mapSize = 1 << 30

// FileError says what is wrong with the database file and what to do about it.
type FileError struct {
	Path   string
	Advice string // what the operator can do, as part of a sentence
	Err    error  // storage.ErrLocked, ErrNewer, ErrDamaged, or the system's error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("database file %s: %v: %s", e.Path, e.Err, e.Advice)
}

func (e *FileError) Unwrap() error { return e.Err }

// Store is the store in a file. Its methods may be called by many goroutines at once.
type Store struct {
	db    *bbolt.DB
	queue chan *op
	turn  chan struct{} // holds a token while nobody writes
	stop  chan struct{} // closed when Close begins
	done  chan struct{} // closed when nothing will be written any more
	once  sync.Once

	voiding sync.Mutex // held while results are counted anew, or changed otherwise than by a game that ends
}

// Open opens the file, making it when there is none, and brings its schema up to date. Every error about the file
// is a *FileError that wraps storage.ErrLocked, storage.ErrNewer, storage.ErrDamaged or the system's error.
func Open(path string) (*Store, error) { return open(path, schema) }

func open(path string, versions [][]step) (*Store, error) {
	db, err := openFile(path)
	if err != nil {
		return nil, err
	}
	if err := migrate(db, versions); err != nil {
		_ = db.Close()
		return nil, explain(path, err)
	}
	s := &Store{
		db:    db,
		queue: make(chan *op, queueLength),
		turn:  make(chan struct{}, 1),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	s.turn <- struct{}{}
	return s, nil
}

func openFile(path string) (*bbolt.DB, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, explain(path, syscall.EISDIR)
	}
	_, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	var db *bbolt.DB
	err = guard(func() error {
		var err error
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:         lockPatience,
			InitialMmapSize: mapSize,
			NoStatistics:    true,
		})
		return err
	})
	if err != nil {
		return nil, explain(path, err)
	}
	err = guard(func() error { return probe(db) })
	if err == nil && fresh {
		err = syncFolder(path)
	}
	if err != nil {
		_ = db.Close()
		return nil, explain(path, err)
	}
	return db, nil
}

// guard runs f and turns a panic of bbolt, or a fault in the mapped file, into storage.ErrDamaged.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w (%v)", storage.ErrDamaged, r)
		}
	}()
	return f()
}

// probe looks at both ends of every bucket, and whether the file is as long as it says.
func probe(db *bbolt.DB) error {
	return db.View(func(tx *bbolt.Tx) error {
		info, err := os.Stat(db.Path())
		if err != nil {
			return err
		}
		if info.Size() < tx.Size() {
			return fmt.Errorf("%w (%d bytes are missing at its end)", storage.ErrDamaged, tx.Size()-info.Size())
		}
		return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
			b.Cursor().First()
			b.Cursor().Last()
			return nil
		})
	})
}

// explain makes a *FileError of whatever kept the file from opening.
func explain(path string, err error) error {
	var known *FileError
	if errors.As(err, &known) {
		return err
	}
	e := &FileError{Path: path, Err: err}
	dir := filepath.Dir(path)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		e.Err = storage.ErrLocked
		e.Advice = "stop the other marque that runs on this file, or give this one a file of its own"
	case errors.Is(err, storage.ErrNewer):
		e.Advice = "run the newer version of marque, or restore the copy of the file that was made before it was updated"
	case errors.Is(err, storage.ErrDamaged), errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrInvalidMapping):
		if !errors.Is(err, storage.ErrDamaged) {
			e.Err = fmt.Errorf("%w (%v)", storage.ErrDamaged, err)
		}
		e.Advice = "move it away and restore the latest backup; the bot starts empty without a file"
	case errors.Is(err, fs.ErrNotExist):
		e.Advice = fmt.Sprintf("make the folder %s first", dir)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Advice = fmt.Sprintf("let this user read and write the file and the folder %s", dir)
	case errors.Is(err, syscall.ENOSPC):
		e.Advice = "make room on the disk"
	case errors.Is(err, syscall.EISDIR):
		e.Advice = "this is a folder: name a file in it"
	default:
		e.Advice = "it cannot be opened"
	}
	return e
}
