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
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
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

// outlineSize is how large a file may be of which every page is looked at before it is opened, in bytes; of larger ones it is those that lead to others.
const outlineSize = 256 << 20

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
	*database
	choices // of servers and users
	lists   // tables, and lists of them
	leagues // results, leaderboards, reviews

	labour *labour // what does the jobs
}

// database is the open file with its one writer.
type database struct {
	db    *bbolt.DB
	file  *os.File // db's own
	queue chan *op
	turn  chan struct{} // holds a token while nobody writes
	stop  chan struct{} // closed when Close begins
	done  chan struct{} // closed when nothing will be written any more
	once  sync.Once
	leave func() // ends what works with the store, when Close begins

	broken error // set, by who holds the turn, when nothing can be written any more

	observer atomic.Pointer[func(time.Duration, error)] // see ObserveCommits; nil for none
}

// The parts of a Store share its database.
type (
	choices struct{ *database }
	lists   struct{ *database }
	leagues struct{ *database }
)

var _ storage.Engine = (*Store)(nil)

// newStore is a Store on an open file. It does no jobs before its labour starts.
func newStore(db *bbolt.DB, file *os.File) *Store {
	d := &database{
		db:    db,
		file:  file,
		queue: make(chan *op, queueLength),
		turn:  make(chan struct{}, 1),
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
	}
	d.turn <- struct{}{}
	s := &Store{database: d, choices: choices{d}, lists: lists{d}, leagues: leagues{d}}
	s.labour = newLabour(s)
	d.leave = s.labour.close
	return s
}

// Open opens the file, making it when there is none, and brings its schema up to date. Every error about the file
// is a *FileError that wraps storage.ErrLocked, storage.ErrNewer, storage.ErrDamaged or the system's error.
func Open(path string) (*Store, error) { return open(path, schema) }

func open(path string, versions [][]step) (*Store, error) {
	s, err := load(path, versions)
	if err != nil {
		return nil, err
	}
	s.labour.pause = breathe
	s.labour.start(s)
	return s, nil
}

// load is open without letting the jobs run.
func load(path string, versions [][]step) (*Store, error) {
	db, file, err := openFile(path)
	if err != nil {
		return nil, err
	}
	// What a copy or a rewriting that was cut short has left: who has the file open for writing is the only one that makes them.
	for _, suffix := range []string{compactSuffix, asideSuffix, repairSuffix} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			_ = db.Close()
			return nil, explain(path+suffix, err)
		}
	}
	if err := migrate(db, versions); err != nil {
		_ = db.Close()
		return nil, explain(path, err)
	}
	s := newStore(db, file)
	if err := s.fillIndexes(context.Background()); err != nil {
		return nil, errors.Join(explain(path, fmt.Errorf("filling in indexes: %w", err)), s.Close())
	}
	return s, nil
}

func openFile(path string) (db *bbolt.DB, file *os.File, err error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, nil, explain(path, syscall.EISDIR)
	}
	_, err = os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	err = guard(func() error {
		var err error
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				f, err := os.OpenFile(name, flag, mode)
				file = f
				return f, err
			},
			Timeout:         lockPatience,
			InitialMmapSize: mapSize,
			NoStatistics:    true,
		})
		return err
	})
	if err != nil {
		return nil, nil, explain(path, err)
	}
	err = guard(func() error { return probe(db, file) })
	if err == nil && fresh {
		err = syncFolder(path)
	}
	if err != nil {
		_ = db.Close()
		return nil, nil, explain(path, err)
	}
	return db, file, nil
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

// probe looks at both ends of every bucket, whether the file is as long as it says, and for what the library would not survive.
func probe(db *bbolt.DB, file *os.File) error {
	return db.View(func(tx *bbolt.Tx) error {
		info, err := file.Stat()
		if err != nil {
			return err
		}
		if info.Size() < tx.Size() {
			return fmt.Errorf("%w (%d bytes are missing at its end)", storage.ErrDamaged, tx.Size()-info.Size())
		}
		pages, err := readPages(file)
		if err == nil {
			err = pages.outline(tx.Size() <= outlineSize)
		}
		if err != nil {
			return err
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
		e.Advice = repairAdvice
	case errors.Is(err, fs.ErrNotExist):
		e.Advice = fmt.Sprintf("make the folder %s first", dir)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Advice = fmt.Sprintf("let this user read and write the file and the folder %s", dir)
	case errors.Is(err, syscall.ENOSPC):
		e.Advice = "make room on the disk"
	case errors.Is(err, syscall.EISDIR):
		e.Advice = "this is a folder: name a file in it"
	case unreadableFile(path):
		e.Err, e.Advice = fmt.Errorf("%w (%v)", storage.ErrDamaged, err), repairAdvice
	default:
		e.Advice = "it cannot be opened"
	}
	return e
}

const repairAdvice = "marque database repair restores what is damaged from a backup; the bot starts empty without a file"

// unreadableFile reports whether a file has a beginning that cannot be read.
func unreadableFile(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	pages, err := readPages(file)
	if err != nil {
		return true
	}
	info, err := file.Stat()
	return err == nil && info.Size() < int64(2*pages.size)
}
