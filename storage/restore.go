package storage

import (
	"context"
	"slices"
	"strconv"
	"time"

	"marque/games"
	"marque/storage/kv"
)

const (
	// versionsLost is more than the commits of a table since any copy. Its versions continue after them, so that no
	// control of a lost board fits the restored position, and no message about one is taken for a message about the
	// other.
	versionsLost = 1_000_000
	// tablesLost is at least how many numbers of tables are not given again; of many tables it is a tenth.
	tablesLost = 1000
	// maxRestorations bounds those that are remembered; the oldest are forgotten first.
	maxRestorations = 20
)

// Restoration is a time at which the file was a copy again. What was stored between the copy and
// the restoration is lost.
type Restoration struct {
	At    Stamp `json:"at"`    // when it was restored
	Until Stamp `json:"until"` // of the latest that the copy knows of
	// Tables with these numbers, without Upto, may have been opened meanwhile; none of these numbers is given again.
	From ID `json:"from"`
	Upto ID `json:"upto"`
}

// LostBy is the restoration by which a table may be lost.
func LostBy(list []Restoration, id ID) (Restoration, bool) {
	i := slices.IndexFunc(list, func(r Restoration) bool { return r.From <= id && id < r.Upto })
	if i < 0 {
		return Restoration{}, false
	}
	return list[i], true
}

// Recovery says what Restore did.
type Recovery struct {
	Restoration
	Tables int // the number of unfinished tables
}

// Restore turns the copy of a lost store into a store that goes on. Each table that goes on gets the event Recovered,
// untold. Numbers that the lost store may have given since the copy are not given again. now is the moment of the
// restoration.
func (s *Store) Restore(ctx context.Context, now time.Time) (Recovery, error) {
	done := Recovery{Restoration: Restoration{At: At(now)}}
	var err error
	if done.Until, err = s.LastKnown(ctx); err != nil {
		return done, err
	}
	given, _, err := sequences.get1(ctx, s, key{name: tableSequence})
	if err != nil {
		return done, err
	}
	last := ID(given)
	done.From, done.Upto = last+1, last+1+max(tablesLost, last/10)
	var going []ID
	err = s.eachPage(ctx, activeInServer, func(_ kv.Reader, keys []key) error {
		for _, k := range keys {
			going = append(going, k.table)
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	slices.Sort(going)
	done.Tables = len(going)
	if err := s.recovered(ctx, going, done.Restoration); err != nil {
		return done, err
	}
	if err := s.skipTables(ctx, done.Upto-1); err != nil {
		return done, err
	}
	return done, s.change(ctx, botNotes, restorationsKey, revising(func(list []Restoration) ([]Restoration, bool) {
		list = append(list, done.Restoration)
		return list[max(0, len(list)-maxRestorations):], true
	}))
}

// skipTables has numbers of tables begin behind last.
func (s *Store) skipTables(ctx context.Context, last ID) error {
	at := key{name: tableSequence}
	return s.update(ctx, work{locks: []kv.Lock{sequenceLock.of(at)}, run: func(t *txn) error {
		given, _, err := sequences.get(t, at)
		if err != nil || ID(given) >= last {
			return err
		}
		return sequences.put(t, at, uint64(last))
	}})
}

// recovered notes at tables that they are as a copy had them.
func (s *Store) recovered(ctx context.Context, ids []ID, r Restoration) error {
	for _, id := range ids {
		at := key{table: id}
		err := s.update(ctx, work{locks: []kv.Lock{tableLock.of(at)}, run: func(t *txn) error {
			old, there, err := heads.get(t, at)
			if err != nil || !there {
				return err
			}
			h := old.Head
			h.Version += versionsLost
			if h.Digest != "" {
				h.Board = h.Version
			}
			h.Events++
			event := Event{
				Kind: Recovered, Version: h.Version, At: r.At, Seat: games.Nobody,
				Text: strconv.FormatInt(int64(r.Until), 10),
			}
			return Change{Head: h, Events: []Event{event}}.store(t, &old)
		}})
		if err != nil {
			return err
		}
	}
	return nil
}
