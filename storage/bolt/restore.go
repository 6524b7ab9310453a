package bolt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"marque/games"
	"marque/storage"
)

const (
	// restoreSuffix is added to a file's name while it is restored.
	restoreSuffix = ".restoring"
	// versionsLost is more commits than a table has had since any copy. Its versions go on behind them, so that no control of a
	// board that is lost fits the position that is restored, and no message about one is taken for a message about the other.
	versionsLost = 1_000_000
	// tablesLost is at least how many numbers of tables are not given again; of many tables it is a tenth.
	tablesLost = 1000
	// maxRestorations bounds those that are remembered; the oldest are forgotten first.
	maxRestorations = 20
	// stepTables is how many tables are changed in one commit.
	stepTables = 500
)

// Restore is the making of a store from a copy.
type Restore struct {
	Backup string // the copy
	Path   string // where the store is to be, where no file is
	Now    time.Time
	// Then is run on the store before it gets its name; nil is nothing.
	Then func(ctx context.Context, s *Store, r storage.Restoration) error
}

// Restored says what a Restore did.
type Restored struct {
	storage.Restoration
	Tables int // that go on
}

// Run checks the copy, brings a copy of it up to date, and puts that in its place: whole and on the disk, or not at all. The
// tables that go on each get the event storage.Recovered, untold. It returns a *FileError, with fs.ErrExist for a file that is in
// the way, or the *UnsoundError of a copy that is damaged. The copy itself is not changed.
func (r Restore) Run(ctx context.Context) (Restored, error) {
	if _, err := os.Lstat(r.Path); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = &FileError{Path: r.Path, Err: fs.ErrExist, Advice: "move it away first; what it holds and the copy does not is in no other file"}
		}
		return Restored{}, explain(r.Path, err)
	}
	if err := Check(ctx, r.Backup); err != nil {
		return Restored{}, err
	}
	tmp := r.Path + restoreSuffix
	defer os.Remove(tmp)
	if err := copyTo(ctx, r.Backup, tmp); err != nil {
		return Restored{}, explain(tmp, err)
	}
	done, err := r.prepare(ctx, tmp)
	if err != nil {
		return Restored{}, err
	}
	if err := Check(ctx, tmp); err != nil {
		return Restored{}, fmt.Errorf("the restored file is not sound: %w", err)
	}
	// A link refuses a file that has come meanwhile, where a new name would replace it.
	if err := keepAside(tmp, r.Path); err != nil {
		return Restored{}, explain(r.Path, err)
	}
	return done, syncFolder(r.Path)
}

// prepare makes a store of the copy that is to go on.
func (r Restore) prepare(ctx context.Context, tmp string) (done Restored, err error) {
	s, err := Open(tmp)
	if err != nil {
		return done, err
	}
	defer func() {
		err = errors.Join(err, s.Close())
		for v := range schema { // what bringing it up to date has copied aside is the copy itself
			_ = os.Remove(fmt.Sprintf("%s.v%d", tmp, v))
		}
	}()
	var going []storage.ID
	var last storage.ID
	done.At = storage.At(r.Now)
	if done.Until, err = s.LastKnown(ctx); err != nil {
		return done, err
	}
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		last = storage.ID(tx.Bucket(tableBucket).Sequence())
		return eachActive(tx, nil, func(k []byte) error {
			going = append(going, tableOf(k))
			return nil
		})
	})
	if err != nil {
		return done, err
	}
	slices.Sort(going)
	done.Tables = len(going)
	done.From, done.Upto = last+1, last+1+max(tablesLost, last/10)
	for ids := range slices.Chunk(going, stepTables) {
		if err := s.recovered(ctx, ids, done.Restoration); err != nil {
			return done, err
		}
	}
	before, err := s.Restorations(ctx)
	if err != nil {
		return done, err
	}
	list := append(before, done.Restoration)
	if err := s.setNote(ctx, restorationsKey, list[max(0, len(list)-maxRestorations):]); err != nil {
		return done, err
	}
	err = s.do(ctx, func(t *txn) error {
		t.writes++
		return t.tx.Bucket(tableBucket).SetSequence(uint64(done.Upto - 1))
	})
	if err == nil && r.Then != nil {
		err = r.Then(ctx, s, done.Restoration)
	}
	return done, err
}

// recovered notes at tables that they are as a copy had them.
func (s *Store) recovered(ctx context.Context, ids []storage.ID, r storage.Restoration) error {
	return s.do(ctx, func(t *txn) error {
		for _, id := range ids {
			h, err := loadHead(t.tx, id)
			if err != nil {
				return err
			}
			h.Version += versionsLost
			if h.Digest != "" {
				h.Board = h.Version
			}
			h.Events++
			p, err := prepare(storage.Change{Head: h, Events: []storage.Event{{
				Kind: storage.Recovered, Version: h.Version, At: r.At, Seat: games.Nobody, Text: strconv.FormatInt(int64(r.Until), 10),
			}}})
			if err != nil {
				return err
			}
			if err := p.store(t, id, t.get(tableBucket, headKey(id))); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyTo copies a file to a new one, which is on the disk when it returns.
func copyTo(ctx context.Context, from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(untilDone{ctx, dst}, src); err == nil {
		err = dst.Sync()
	}
	return errors.Join(err, dst.Close())
}

// Restorations are the times at which the file was restored from a copy, the latest last.
func (s *choices) Restorations(ctx context.Context) ([]storage.Restoration, error) {
	var list []storage.Restoration
	err := s.note(ctx, restorationsKey, &list)
	return list, err
}

// LastKnown is the latest moment that a store knows of: when the bot was last noted to be up, or when a table that goes on
// changed. It takes time in proportion to these tables.
func (s *Store) LastKnown(ctx context.Context) (storage.Stamp, error) {
	up, err := s.Uptime(ctx)
	if err != nil {
		return 0, err
	}
	latest := up.Alive
	for _, down := range up.Down {
		latest = max(latest, down.To)
	}
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		return eachActive(tx, nil, func(k []byte) error {
			h, err := loadHead(tx, tableOf(k))
			latest = max(latest, h.Changed)
			return err
		})
	})
	return latest, err
}
