package storage

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"marque/games"
	"marque/storage/kv"
)

const (
	// versionsLost should be more than the number of commits of any table after any backup. After a restoration,
	// the versions of unfinished tables continue this much higher, so that no button of a lost version matches a
	// new one.
	versionsLost = 1_000_000
	// tablesLost is the minimum number of table ids that a restoration skips. It skips a tenth of the highest id if
	// that is more.
	tablesLost = 1000
	// maxRestorations is the number of restorations that the store remembers.
	maxRestorations = 20
)

// Restoration records that a backup replaced the store. Changes made after the backup are lost.
type Restoration struct {
	At    Stamp `json:"at"`    // when the backup was restored
	Until Stamp `json:"until"` // what Store.LastKnown returned for the backup
	// Tables with ids in the half-open interval [From, Upto) may be lost. These ids are not used again.
	From ID `json:"from"`
	Upto ID `json:"upto"`
}

// LostBy returns the restoration in which a table may have been lost. It returns false if there is none.
func LostBy(list []Restoration, id ID) (Restoration, bool) {
	i := slices.IndexFunc(list, func(r Restoration) bool { return r.From <= id && id < r.Upto })
	if i < 0 {
		return Restoration{}, false
	}
	return list[i], true
}

// Recovery is the report of Restore.
type Recovery struct {
	Restoration
	Tables int // number of unfinished tables in the backup
}

// Restore makes a store that was copied from a backup usable. It skips numbers that the lost store may have used after
// the backup, and appends an unpublished Recovered event to every unfinished table. now is the moment of the
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
	if err := s.recovered(ctx, going, done.At, done.Until); err != nil {
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

// skipTables makes the ids of new tables continue after last.
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

// recovered appends a Recovered event to unfinished tables that were taken from a backup. Changes after until are
// lost; 0 stands for the last change of each table.
func (s *Store) recovered(ctx context.Context, ids []ID, now, until Stamp) error {
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
				Kind: Recovered, Version: h.Version, At: now, Seat: games.Nobody,
				Text: strconv.FormatInt(int64(cmp.Or(until, h.Changed)), 10),
			}
			return Change{Head: h, Events: []Event{event}}.store(t, &old)
		}})
		if err != nil {
			return err
		}
	}
	return nil
}
