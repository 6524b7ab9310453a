package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"

	"marque/storage/kv"
)

// MostFaults is the maximum number of faults in an UnsoundError.
const MostFaults = 100

// UnsoundError lists the faults that Check or CheckValues found in a store. It wraps ErrDamaged and the listed
// faults.
type UnsoundError struct {
	Faults []error // at most MostFaults; a damaged value is a *DamagedError
	More   int     // number of faults that are not listed
}

func (e *UnsoundError) Error() string {
	s := fmt.Sprintf("%v (%v", ErrDamaged, e.Faults[0])
	if n := len(e.Faults) + e.More - 1; n > 0 {
		s += fmt.Sprintf("; and %d more", n)
	}
	return s + ")"
}

// Unwrap returns ErrDamaged and the faults.
func (e *UnsoundError) Unwrap() []error { return append([]error{ErrDamaged}, e.Faults...) }

// Add adds a fault to the list, or counts it in More if the list is full.
func (e *UnsoundError) Add(err error) {
	if len(e.Faults) < MostFaults {
		e.Faults = append(e.Faults, err)
	} else {
		e.More++
	}
}

// pageChecker is an engine that can check its own pages. CheckPages finds faults that reading all pairs does not find.
type pageChecker interface {
	CheckPages(ctx context.Context, fault func(error)) error
}

// Check checks the pages of a file and then, if they are sound, reads all values of the store in one snapshot. It
// returns an *UnsoundError if there are damaged pages, altered values, unknown spaces or keys, indexes that do not
// match the values, incomplete tables, or leaderboards that do not match the results although no job is changing them.
// Its running time grows with the store. Other errors come from ctx or the engine.
func (s *Store) Check(ctx context.Context) error { return s.check(ctx, true) }

// CheckValues is a shorter Check: it checks pages and values, but does not compare indexes and leaderboards with
// them.
func (s *Store) CheckValues(ctx context.Context) error { return s.check(ctx, false) }

func (s *Store) check(ctx context.Context, contents bool) error {
	c := &checker{found: &UnsoundError{}, made: map[*index]*sum{}, read: map[*index]*sum{}}
	spaces, err := s.db.Spaces(ctx)
	if err != nil {
		return err
	}
	if p, ok := s.engine.(pageChecker); ok {
		if err := p.CheckPages(ctx, c.found.Add); err != nil {
			return err
		}
	}
	if len(c.found.Faults) > 0 {
		return c.found
	}
	err = s.view(ctx, func(r kv.Reader) error {
		c.r = r
		return c.run(ctx, spaces, contents)
	})
	switch {
	case errors.Is(err, ErrDamaged):
		c.found.Add(err)
	case err != nil:
		return err
	}
	if len(c.found.Faults) > 0 {
		return c.found
	}
	return nil
}

// checker checks one snapshot of a store.
type checker struct {
	r     kv.Reader
	found *UnsoundError
	// Checksums of the indexes, as derived from the values and as stored.
	made, read map[*index]*sum

	tables, details int
	table           tableRow // the table whose rows are being read
	events          uint64   // number of events of table that have been read
	last            ID
	competitions    rowsOf
}

func (c *checker) fault(format string, args ...any) { c.found.Add(fmt.Errorf(format, args...)) }

func (c *checker) run(ctx context.Context, spaces []kv.Space, contents bool) error {
	_, there, err := sequences.get(c.r, key{name: schemaName})
	if err != nil || !there {
		c.fault("it does not say of which schema it is")
	}
	known := Spaces()
	for _, space := range spaces {
		if !slices.Contains(known, space) {
			c.fault("there is a space %q, which nothing is kept in", space)
		}
	}
	for _, space := range known {
		i := slices.IndexFunc(derived, func(i *index) bool { return i.space == space })
		err := c.each(ctx, space, func(p kv.Pair) error {
			if i >= 0 {
				c.entry(derived[i], p)
				return nil
			}
			return c.value(space, p)
		})
		if err != nil {
			return err
		}
	}
	if len(c.found.Faults) > 0 || !contents {
		return nil
	}
	c.wholeTable()
	if err := c.competitions.end(); err != nil {
		c.found.Add(err)
	}
	if c.details != c.tables {
		c.fault("there are %d details for %d tables", c.details, c.tables)
	}
	if given, _, err := sequences.get(c.r, key{name: tableSequence}); err != nil || ID(given) < c.last {
		c.fault("table %d is stored, but only %d were given numbers", c.last, given)
	}
	if err := c.results(ctx); err != nil {
		return err
	}
	if err := c.indexes(ctx); err != nil {
		return err
	}
	return c.leaderboards(ctx)
}

// each calls f with every pair in a space.
func (c *checker) each(ctx context.Context, space kv.Space, f func(p kv.Pair) error) error {
	return each(c.r, kv.Range{Space: space}, func(p kv.Pair) error {
		if err := f(p); err != nil {
			return err
		}
		return ctx.Err()
	})
}

// entry adds a stored index entry to the index's sum.
func (c *checker) entry(in *index, p kv.Pair) {
	if _, ok := in.parse(p.Key); !ok {
		c.fault("the index %s has a key that is none: %x", in.space, p.Key)
	}
	at(c.read, in).add(p.Key, p.Value)
}

// value checks a stored value. The index entries that the value should have are added to the sums.
func (c *checker) value(space kv.Space, p kv.Pair) error {
	x, k := find(space, p.Key)
	if x == nil {
		c.fault("%s is the key of nothing", unreadable(space, p.Key))
		return nil
	}
	entries, err := x.read(k, p.Value)
	if err != nil {
		c.found.Add(err)
		return nil
	}
	for _, e := range entries {
		at(c.made, e.in).add(e.in.key(e.key).Key, e.value)
	}
	switch {
	case x == anyKind(heads):
		c.wholeTable()
		c.tables++
		if c.table, err = heads.open(k, p.Value); err != nil {
			return err
		}
		c.events, c.last = 0, max(c.last, k.table)
	case x == anyKind(details):
		c.details++
	case space == rowsOfTables && k.table != c.table.ID:
		c.fault("%s is of no table", x.name(k))
	case x == anyKind(events):
		if k.number != c.events {
			c.fault("%s is there, and event %d is not", x.name(k), c.events)
		}
		c.events++
	case space == rowsOfCompetitions:
		if err := c.competitions.next(x, k, p); err != nil {
			c.found.Add(err)
		}
	}
	return nil
}

// wholeTable checks a table after all its rows have been read.
func (c *checker) wholeTable() {
	if t := c.table; t.ID != 0 && t.Events != c.events {
		c.fault("table %d has %d events, and its head says %d", t.ID, c.events, t.Events)
	}
	if t := c.table; t.Published > t.Version {
		c.fault("table %d has version %d, and version %d was published", t.ID, t.Version, t.Published)
	}
	c.table = tableRow{}
}

// results checks that each result belongs to a finished table. It reads many tables at a time, because each read from a
// database server takes a round trip.
func (c *checker) results(ctx context.Context) error {
	var list []key
	look := func() error {
		rows, err := heads.all(c.r, list)
		if err != nil {
			return err
		}
		for i, row := range rows {
			k := list[i]
			switch {
			case row.err != nil:
				return row.err
			case !row.there || row.value.Guild != k.server || row.value.Status != Over:
				c.fault("table %d has a result and is not over, not in server %s, or not there", k.table,
					shown(k.server))
			}
		}
		list = list[:0]
		return nil
	}
	err := c.each(ctx, results.space, func(p kv.Pair) error {
		k, _ := results.parse(p.Key)
		if list = append(list, k); len(list) < scanPage {
			return nil
		}
		return look()
	})
	if err != nil {
		return err
	}
	return look()
}

// indexes reports each index whose stored sum differs from the sum derived from the values, and each entry that is
// missing or differs.
func (c *checker) indexes(ctx context.Context) error {
	wrong := map[*index]bool{}
	for _, in := range derived {
		if made, read := at(c.made, in), at(c.read, in); *made != *read {
			wrong[in] = true
			c.fault("the index %s has %d entries, and what it is made of %d, or others", in.space, read.n, made.n)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	for _, space := range keptSpaces() {
		err := c.each(ctx, space, func(p kv.Pair) error {
			x, k := find(space, p.Key)
			entries, err := x.read(k, p.Value)
			if err != nil {
				return err
			}
			for _, e := range entries {
				if !wrong[e.in] {
					continue
				}
				raw, err := c.r.Get(e.in.key(e.key))
				if err != nil {
					return err
				}
				if raw[0] == nil || !bytes.Equal(raw[0], e.value) {
					c.fault("%s is not as it should be in the index %s", x.name(k), e.in.space)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// leaderboards compares the leaderboards with the results, except for servers whose leaderboards a job is changing.
// While a user is being forgotten, it compares none.
func (c *checker) leaderboards(ctx context.Context) error {
	busy := map[string]bool{}
	renaming := false
	err := c.each(ctx, jobs.space, func(p kv.Pair) error {
		k, _ := jobs.parse(p.Key)
		busy[k.of] = true
		renaming = renaming || k.name == string(Forgetting)
		return nil
	})
	if err != nil || renaming {
		return err
	}
	var guilds []string
	for _, l := range []*layout{&resultsInOrder.layout, &standings.layout, &ratings.layout, &halves.layout} {
		list, err := serversIn(c.r, l)
		if err != nil {
			return err
		}
		guilds = append(guilds, list...)
	}
	slices.Sort(guilds)
	for _, guild := range slices.Compact(guilds) {
		if busy[guild] {
			continue
		}
		view := func(read func(kv.Reader) error) error { return read(c.r) }
		if _, _, err := difference(view, guild, c.fault); err != nil {
			return err
		}
	}
	return nil
}

// sum is the number of an index's entries, and a checksum of them that does not depend on their order.
type sum struct {
	n    int
	a, b uint64
}

var sumSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func (s *sum) add(key, value []byte) {
	var h maphash.Hash
	for i, to := range []*uint64{&s.a, &s.b} {
		h.SetSeed(sumSeeds[i])
		_, _ = h.Write(key)
		_ = h.WriteByte(0)
		_, _ = h.Write(value)
		*to += h.Sum64()
	}
	s.n++
}

// at returns the sum of an index. It adds the sum to the map if it is not there.
func at(sums map[*index]*sum, in *index) *sum {
	s := sums[in]
	if s == nil {
		s = &sum{}
		sums[in] = s
	}
	return s
}
