package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"marque/games/competition"
	"marque/storage/kv"
)

// A competition is stored in rows: a head, and one row for each participant, entrant and pairing. A change writes only
// the head and the rows that changed, because a league of 400 has about 1,800 pairings.

// rowsOfCompetitions is the space of the rows of competitions. A key begins with the server and the number of the
// competition, followed by a byte for the kind of row.
const rowsOfCompetitions = "competitions"

const (
	competitionRow = 0
	participantRow = 1
	entrantRow     = 2
	pairingRow     = 3
)

// competitionHead is a competition without its participants, entrants and pairings, which are in separate rows.
type competitionHead struct {
	Competition
	Rows rowCounts `json:"ro"`
}

// rowCounts counts the rows of a competition, without its head.
type rowCounts struct {
	People, Entrants, Pairings int
}

func headOf(c Competition) competitionHead {
	h := competitionHead{c, rowCounts{len(c.People), len(c.Rules.Entrants), len(c.Rules.Pairings)}}
	h.People, h.Rules.Entrants, h.Rules.Pairings = nil, nil, nil
	return h
}

// whole returns the competition, or a *DamagedError if rows are missing. Its rows must have been added.
func (h competitionHead) whole() (Competition, error) {
	if h.Version != 0 && headOf(h.Competition).Rows == h.Rows {
		return h.Competition, nil
	}
	return Competition{}, damaged(competitions, key{server: h.Server, number: h.Number}, errMissing.Error())
}

// add adds the next row of the competition.
func (h *competitionHead) add(p kv.Pair) error {
	x, k := find(rowsOfCompetitions, p.Key)
	var err error
	switch x {
	case anyKind(competitions):
		*h, err = competitions.open(k, p.Value)
		return err
	case anyKind(participants):
		return addRow(&h.People, participants, k, p.Value)
	case anyKind(entrants):
		return addRow(&h.Rules.Entrants, entrants, k, p.Value)
	case anyKind(pairings):
		return addRow(&h.Rules.Pairings, pairings, k, p.Value)
	}
	return &DamagedError{What: unreadable(rowsOfCompetitions, p.Key), Why: errFormat.Error()}
}

func addRow[V any](list *[]V, x *kind[V], k key, raw []byte) error {
	v, err := x.open(k, raw)
	if err == nil {
		*list = append(*list, v)
	}
	return err
}

// readCompetition reads a competition. It returns ErrNoCompetition if there is none, and a *DamagedError if a row is
// missing or unreadable.
func readCompetition(r kv.Reader, at key) (Competition, error) {
	var h competitionHead
	read := false
	err := each(r, competitions.under(at, 2), func(p kv.Pair) error {
		read = true
		return h.add(p)
	})
	switch {
	case err != nil:
		return Competition{}, err
	case !read:
		return Competition{}, ErrNoCompetition
	}
	h.Server, h.Number = at.server, at.number
	return h.whole()
}

// putCompetition replaces a stored competition: old is the stored one, and now the new one. If old has version 0,
// nothing is stored yet.
func putCompetition(t *txn, at key, old, now Competition) error {
	before, after := headOf(old), headOf(now)
	was := &before
	if old.Version == 0 {
		was = nil
	}
	byIndex := func(i int) uint64 { return uint64(i) }
	numberIn := func(list []competition.Pairing) func(int) uint64 {
		return func(i int) uint64 { return uint64(list[i].No) }
	}
	return errors.Join(
		competitions.replace(t, at, was, &after),
		putRows(t, participants, at, old.People, now.People, byIndex, byIndex),
		putRows(t, entrants, at, old.Rules.Entrants, now.Rules.Entrants, byIndex, byIndex),
		putRows(t, pairings, at, old.Rules.Pairings, now.Rules.Pairings,
			numberIn(old.Rules.Pairings), numberIn(now.Rules.Pairings)),
	)
}

// putRows writes the rows in which the lists old and now differ. wasAt and isAt return the place in the key of the
// value at an index of old or now; places increase with the index. Rows are deleted first, so that a value that moves
// to another key keeps its index entries.
func putRows[V any](t *txn, x *kind[V], at key, old, now []V, wasAt, isAt func(i int) uint64) error {
	if len(old) == len(now) && (len(old) == 0 || &old[0] == &now[0]) {
		return nil
	}
	var gone, come []int
	for i, j := 0, 0; i < len(old) || j < len(now); {
		switch {
		case j == len(now) || i < len(old) && wasAt(i) < isAt(j):
			gone = append(gone, i)
			i++
		case i == len(old) || isAt(j) < wasAt(i):
			come = append(come, j)
			j++
		default:
			if !reflect.DeepEqual(old[i], now[j]) {
				gone, come = append(gone, i), append(come, j)
			}
			i++
			j++
		}
	}
	for _, i := range gone {
		at.place = wasAt(i)
		if err := x.replace(t, at, &old[i], nil); err != nil {
			return err
		}
	}
	for _, j := range come {
		at.place = isAt(j)
		if err := x.replace(t, at, nil, &now[j]); err != nil {
			return err
		}
	}
	return nil
}

// Reread returns the stored state of a competition, or ErrNoCompetition. known is the competition as the caller last
// read or wrote it, or a Competition with only its server and number. Reread reads one row if the competition has not
// changed since.
func (s *Store) Reread(ctx context.Context, known Competition) (c Competition, err error) {
	at := key{server: known.Server, number: known.Number}
	head, raw, err := competitions.seal(at, headOf(known))
	if err != nil {
		return c, err
	}
	err = s.view(ctx, func(r kv.Reader) error {
		if known.Version != 0 {
			stored, err := r.Get(head)
			if err == nil && bytes.Equal(stored[0], raw) {
				c = known
				return nil
			}
			if err != nil {
				return err
			}
		}
		c, err = readCompetition(r, at)
		return err
	})
	return c, err
}

// competitions copies the competitions into the new store. A damaged one is taken from the latest copy that has it.
func (r *repairer) competitions(ctx context.Context) error {
	for _, k := range slices.SortedFunc(maps.Keys(r.withRows), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.server, b.server), cmp.Compare(a.number, b.number))
	}) {
		var h competitionHead
		var rows []kv.Pair
		wholeIn := func(from Source) bool {
			if h, rows = (competitionHead{}), nil; from == nil {
				return false
			}
			var fault error
			err := eachDamaged(ctx, from, competitions.under(k, 2), func(p kv.Pair) {
				rows = append(rows, p)
				fault = errors.Join(fault, h.add(p))
			})
			if err == nil && fault == nil {
				_, err = h.whole()
			}
			return errors.Join(err, fault) == nil
		}
		there := wholeIn(r.Damaged)
		for i := 0; i < len(r.Copies) && !there; i++ {
			if there = wholeIn(r.Copies[i]); there {
				r.done("%s is as it was in %s, of version %d: what happened since then is lost", competitions.name(k),
					r.Copies[i].Name, h.Version)
			}
		}
		if !there {
			r.Lost = append(r.Lost, competitions.name(k))
			continue
		}
		for _, p := range rows {
			x, k := find(rowsOfCompetitions, p.Key)
			entries, err := x.read(k, p.Value)
			if err == nil {
				err = r.write(ctx, kv.Key{Space: rowsOfCompetitions, Key: p.Key}, p.Value, entries)
			}
			if err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// takeOutOfCompetition takes a forgotten user out of a competition and its pairings.
func (f *forgotten) takeOutOfCompetition(t *txn, k key) error {
	c, err := readCompetition(t, k)
	if err != nil {
		return err
	}
	after, changed := forgetCompetition(f, c)
	if !changed {
		return nil
	}
	return putCompetition(t, key{server: k.server, number: k.number}, c, after)
}

// rowsOf checks the rows of competitions. They must be passed to next in the order of their keys.
type rowsOf struct {
	at     key
	head   competitionHead
	counts rowCounts
}

// next checks the next row. If the row is the head of a competition, next also returns the faults of the previous
// competition.
func (w *rowsOf) next(x anyKind, k key, p kv.Pair) error {
	if x == anyKind(competitions) {
		before := w.end()
		var err error
		w.at, w.counts = k, rowCounts{}
		w.head, err = competitions.open(k, p.Value)
		return errors.Join(before, err)
	}
	if k.server != w.at.server || k.number != w.at.number {
		return fmt.Errorf("%s is there, and the competition's head is not", x.name(k))
	}
	switch x {
	case anyKind(participants):
		w.counts.People++
	case anyKind(entrants):
		w.counts.Entrants++
	case anyKind(pairings):
		w.counts.Pairings++
	}
	return nil
}

// end returns the fault of the competition whose rows were read last. It is called after the last row of each
// competition.
func (w *rowsOf) end() error {
	if w.at == (key{}) || w.counts == w.head.Rows {
		return nil
	}
	return fmt.Errorf("%s says that it has %+v rows, and has %+v", competitions.name(w.at), w.head.Rows, w.counts)
}
