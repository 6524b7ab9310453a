package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"marque/storage/kv"
)

// Copy is a backup from which a store is repaired.
type Copy struct {
	Name string // name for messages
	Source
}

// Source is stored data that can be read: an engine, a kv.DB, or a file that is only readable in part.
type Source interface {
	View(ctx context.Context, read func(r kv.Reader) error) error
	Spaces(ctx context.Context) ([]kv.Space, error)
}

// Mending builds a sound store from a damaged one and its backups.
//
// Indexes and leaderboards are made again. A value that cannot be read is taken from a backup, or left out. If a
// table's head, detail or event, or any part of a competition, cannot be read, all of the table or competition is
// taken from a backup, and later changes to it are lost.
type Mending struct {
	Damaged Source    // damaged store; nil if nothing in it can be read
	Behind  bool      // whether Damaged may lack the last commit
	Copies  []Copy    // backups, newest first
	To      kv.Engine // new store, which must be empty
	Now     time.Time
}

// Mended is the report of a repair, in sentences.
type Mended struct {
	Done []string // what was taken from a backup or left out, and what may be missing
	Lost []string // parts that are in no backup
}

// Run repairs the store. When it returns without error, the new store is finished, but not checked.
func (m Mending) Run(ctx context.Context) (Mended, error) {
	r := &repairer{Mending: m, mover: mover{to: m.To}, restored: map[ID]bool{},
		withRows: map[key]bool{}}
	if m.Behind {
		r.done("a page is damaged that notes one of the last two commits: if it was the last, what it changed is lost")
	}
	if err := r.misnamed(ctx); err != nil {
		return r.Mended, err
	}
	for _, step := range []func(context.Context) error{r.tables, r.others, r.competitions, r.finish} {
		if err := step(ctx); err != nil {
			return r.Mended, err
		}
	}
	return r.Mended, nil
}

// repairer is a running repair.
type repairer struct {
	Mending
	Mended
	mover

	missing  []kv.Space   // spaces that may be stored under damaged names
	last     ID           // highest id of a table that was found
	over     map[ID]bool  // tables that were found, and whether they are finished
	restored map[ID]bool  // tables taken from a backup, and whether changes of theirs may be lost
	withRows map[key]bool // server and number of each competition that has rows
}

// misnamed looks for spaces of values that the damaged store lacks. If the store has unknown spaces, these may be the
// lacking ones under damaged names, and misnamed sets missing to the lacking ones. If it has no unknown spaces, a space
// that it lacks never had a value.
func (r *repairer) misnamed(ctx context.Context) error {
	if r.Damaged == nil {
		return nil
	}
	there, err := r.Damaged.Spaces(ctx)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	known := Spaces()
	if slices.ContainsFunc(there, func(s kv.Space) bool { return !slices.Contains(known, s) }) {
		r.missing = slices.DeleteFunc(keptSpaces(), func(s kv.Space) bool { return slices.Contains(there, s) })
	}
	return nil
}

func (r *repairer) done(format string, args ...any) {
	r.Done = append(r.Done, fmt.Sprintf(format, args...))
}

// write puts a value with its index entries into the new store.
func (r *repairer) write(ctx context.Context, at kv.Key, raw []byte, entries []entry) error {
	if err := r.put(ctx, at, raw); err != nil {
		return err
	}
	for _, e := range entries {
		if err := r.put(ctx, e.in.key(e.key), e.value); err != nil {
			return err
		}
	}
	return nil
}

// unread is a range of a space that cannot be read.
type unread = kv.Range

// strays finds the ranges of a space that contain unknown keys. An unknown key may be a damaged one, whose original
// position is anywhere between its known neighbours.
type strays struct {
	found  []unread
	before []byte // end of the last known key, where a range of unknown keys begins
	open   bool   // whether the last range has no end yet
}

// next is called with the key of each pair of the space, in order.
func (s *strays) next(at kv.Key, known bool) {
	if !known && !s.open {
		s.found = append(s.found, unread{Space: at.Space, From: s.before})
	}
	if known && s.open {
		s.found[len(s.found)-1].To = at.Key
	}
	if s.open = !known; known {
		s.before = append(slices.Clone(at.Key), 0)
	}
}

// salvage calls f with the readable pairs of a space, in order. Where reading fails, it continues at the next key that
// is in a backup, or at the point down to which the rest can be read backwards. It returns the ranges that it skipped.
func (r *repairer) salvage(ctx context.Context, space kv.Space, f func(kv.Pair) error) (gaps []unread, err error) {
	if r.Damaged == nil || slices.Contains(r.missing, space) {
		return []unread{{Space: space}}, nil
	}
	within, limit := kv.Range{Space: space}, scanPage
	for {
		page, err := scanDamaged(ctx, r.Damaged, within, kv.Ascending, limit)
		switch {
		case err == nil:
			for _, p := range page {
				within.From = append(slices.Clone(p.Key), 0)
				if err := f(p); err != nil {
					return gaps, err
				}
			}
			if len(page) < limit {
				return gaps, nil
			}
			limit = scanPage
		case !errors.Is(err, ErrDamaged):
			return gaps, err
		case limit > 1:
			limit = 1 // read pair by pair up to the unreadable one
		default:
			next, err := r.nextReadable(ctx, within)
			if next == nil && err == nil {
				next, err = r.firstBehind(ctx, within)
			}
			if next != nil && bytes.Compare(next, within.From) <= 0 {
				// If pages are out of order, this key may be readable only backwards. The search therefore continues
				// after it.
				next = append(slices.Clone(within.From), 0)
			}
			if gaps = append(gaps, unread{Space: space, From: within.From, To: next}); err != nil || next == nil {
				return gaps, err
			}
			within.From = next
		}
	}
}

// nextReadable looks for a point in a range from which the damaged store can be read again. It tries the keys that the
// backups have in the range. It returns the first key that is read, or nil if there is none.
func (r *repairer) nextReadable(ctx context.Context, in kv.Range) ([]byte, error) {
	for _, c := range r.Copies {
		for probe := in; ; {
			known, err := scanDamaged(ctx, c.Source, probe, kv.Ascending, scanPage)
			if errors.Is(err, ErrDamaged) || err == nil && len(known) == 0 {
				break
			}
			if err != nil {
				return nil, err
			}
			for _, p := range known {
				probe.From = append(slices.Clone(p.Key), 0)
				found, err := scanDamaged(ctx, r.Damaged, kv.Range{Space: in.Space, From: p.Key}, kv.Ascending, 1)
				switch {
				case err == nil && len(found) == 1:
					return found[0].Key, nil
				case err != nil && !errors.Is(err, ErrDamaged):
					return nil, err
				}
			}
		}
	}
	return nil, nil
}

// firstBehind returns the first key from which a damaged range can be read to its end. It returns nil if there is none.
func (r *repairer) firstBehind(ctx context.Context, within kv.Range) ([]byte, error) {
	for limit := scanPage; ; {
		page, err := scanDamaged(ctx, r.Damaged, within, kv.Descending, limit)
		switch {
		case errors.Is(err, ErrDamaged) && limit > 1:
			limit = 1
			continue
		case errors.Is(err, ErrDamaged) || err == nil && len(page) == 0:
			return within.To, nil
		case err != nil:
			return nil, err
		}
		within.To = page[len(page)-1].Key
	}
}

// scanDamaged scans a range, and returns ErrDamaged if pairs are outside the range or, in ascending order, out of
// order. The returned pairs stay valid.
func scanDamaged(ctx context.Context, e Source, in kv.Range, order kv.Order, limit int) (list []kv.Pair, err error) {
	err = e.View(ctx, func(r kv.Reader) error {
		page, err := r.Scan(in, order, limit)
		if err != nil {
			return err
		}
		last := in.From
		for i, p := range page {
			if bytes.Compare(p.Key, last) < 0 && order == kv.Ascending || !in.Has(kv.Key{Space: in.Space, Key: p.Key}) {
				return fmt.Errorf("%w (%s is not where it belongs)", ErrDamaged, unreadable(in.Space, p.Key))
			}
			if order == kv.Ascending {
				last = append(page[i].Key[:len(page[i].Key):len(page[i].Key)], 0)
			}
			list = append(list, kv.Pair{Key: slices.Clone(p.Key), Value: slices.Clone(p.Value)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// rows collects the rows of one table in the space "tables".
type rows struct {
	id      ID
	head    *tableRow // nil if the head cannot be read
	fault   error     // why parts cannot be read
	n       uint64    // number of events
	pairs   []kv.Pair
	dropped []string // unreadable rows that the table does not need, such as notes and reviews
	listed  bool     // whether the indexes of its server and its channel list the table
}

// add adds a row, and reports whether the row can be read.
func (t *rows) add(p kv.Pair) bool {
	x, k := find(rowsOfTables, p.Key)
	if x == nil {
		t.fault = errors.Join(t.fault, &DamagedError{What: unreadable(rowsOfTables, p.Key), Why: errFormat.Error()})
		return false
	}
	_, err := x.read(k, p.Value)
	switch {
	case err == nil:
	case x == anyKind(heads) || x == anyKind(events):
		t.fault = errors.Join(t.fault, err)
		return false
	default:
		t.dropped = append(t.dropped, x.name(k))
		return false
	}
	switch x {
	case anyKind(heads):
		if head, err := heads.open(k, p.Value); err == nil {
			t.head = &head
		}
	case anyKind(events):
		if k.number != t.n {
			t.fault = errors.Join(t.fault, damaged(events, key{table: k.table, number: t.n}, errMissing.Error()))
		}
		t.n++
	}
	t.pairs = append(t.pairs, p)
	return true
}

// whole reports whether the head, all events and the detail of a table can be read. It returns the detail.
func (t *rows) whole(ctx context.Context, e Source) (detail kv.Pair, ok bool) {
	if t.head == nil || t.fault != nil || t.head.Events != t.n {
		return detail, false
	}
	at := details.key(key{table: t.id})
	page, err := scanDamaged(ctx, e, kv.Range{Space: at.Space, From: at.Key, To: append(slices.Clone(at.Key), 0)},
		kv.Ascending, 1)
	if err != nil || len(page) == 0 {
		return detail, false
	}
	_, err = details.open(key{table: t.id}, page[0].Value)
	return page[0], err == nil
}

// tables copies the tables into the new store. A damaged table is taken from a backup.
func (r *repairer) tables(ctx context.Context) error {
	r.over = map[ID]bool{}
	broken := map[ID]*rows{}
	var now *rows
	var odd strays
	finish := func() error {
		if now == nil {
			return nil
		}
		detail, ok := now.whole(ctx, r.Damaged)
		if !ok {
			broken[now.id] = now
			return nil
		}
		for _, what := range now.dropped {
			r.done("%s could not be read, and is gone", what)
		}
		return r.take(ctx, now, detail)
	}
	gaps, err := r.salvage(ctx, rowsOfTables, func(p kv.Pair) error {
		var k key
		_, known := byTable.cut(p.Key, &k)
		if known && (now == nil || now.id != k.table) {
			if err := finish(); err != nil {
				return err
			}
			now = &rows{id: k.table}
		}
		known = known && (now.add(p) || r.hasDetail(ctx, k.table))
		odd.next(kv.Key{Space: rowsOfTables, Key: p.Key}, known)
		return nil
	})
	if err == nil {
		err = finish()
	}
	if err != nil {
		return err
	}
	for _, gap := range append(gaps, odd.found...) {
		for _, c := range r.Copies {
			if err := r.tablesIn(ctx, c, gap, broken); err != nil {
				return err
			}
		}
	}
	if err := r.rowless(ctx, broken); err != nil {
		return err
	}
	return r.mendTables(ctx, broken)
}

// rowless adds to broken the tables that have no readable row, but have a detail or are listed in indexes.
func (r *repairer) rowless(ctx context.Context, broken map[ID]*rows) error {
	_, err := r.salvage(ctx, details.space, func(p kv.Pair) error {
		k, ok := details.parse(p.Key)
		if !ok || broken[k.table] != nil || r.has(k.table) {
			return nil
		}
		if _, err := details.read(k, p.Value); err == nil {
			broken[k.table] = &rows{id: k.table}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Index entries have no checksums. One damaged entry may name a wrong table, but two entries are unlikely to name
	// the same wrong table.
	in := [2]map[ID]bool{{}, {}}
	for i, lists := range [2][]*index{{activeInServer, overInServer}, {activeInChannel, overInChannel}} {
		for _, x := range lists {
			if _, err := r.salvage(ctx, x.space, func(p kv.Pair) error {
				if k, ok := x.parse(p.Key); ok && !r.has(k.table) {
					in[i][k.table] = true
				}
				return nil
			}); err != nil {
				return err
			}
		}
	}
	for id := range in[0] {
		if in[1][id] && broken[id] == nil {
			broken[id] = &rows{id: id}
		}
		if in[1][id] {
			broken[id].listed = true
		}
	}
	return nil
}

// tablesIn adds to broken the tables that a backup has in an unreadable range.
func (r *repairer) tablesIn(ctx context.Context, c Copy, in unread, broken map[ID]*rows) error {
	for {
		page, err := scanDamaged(ctx, c.Source, in, kv.Ascending, scanPage)
		if errors.Is(err, ErrDamaged) || err == nil && len(page) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		for _, p := range page {
			var k key
			if _, ok := byTable.cut(p.Key, &k); ok && broken[k.table] == nil && !r.has(k.table) {
				broken[k.table] = &rows{id: k.table}
			}
			in.From = append(slices.Clone(p.Key), 0)
		}
	}
}

func (r *repairer) has(id ID) bool { _, there := r.over[id]; return there }

// take copies a complete table into the new store.
func (r *repairer) take(ctx context.Context, t *rows, detail kv.Pair) error {
	r.over[t.id], r.last = t.head.Status == Over, max(r.last, t.id)
	if err := r.put(ctx, kv.Key{Space: details.space, Key: detail.Key}, detail.Value); err != nil {
		return err
	}
	for _, p := range t.pairs {
		x, k := find(rowsOfTables, p.Key)
		entries, err := x.read(k, p.Value)
		if err != nil {
			return err
		}
		if err := r.write(ctx, kv.Key{Space: rowsOfTables, Key: p.Key}, p.Value, entries); err != nil {
			return err
		}
	}
	return nil
}

// mendTables copies each of the broken tables from the latest backup that has it.
func (r *repairer) mendTables(ctx context.Context, broken map[ID]*rows) error {
	var ids []ID
	for id := range broken {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		r.last = max(r.last, id)
		was, found := broken[id], false
		for _, c := range r.Copies {
			t := &rows{id: id}
			_ = eachDamaged(ctx, c.Source, heads.under(key{table: id}, 1), func(p kv.Pair) { t.add(p) })
			detail, ok := t.whole(ctx, c.Source)
			if !ok {
				continue
			}
			if err := r.take(ctx, t, detail); err != nil {
				return err
			}
			switch {
			case was.head == nil:
				r.done("table %d is as it was in %s, of version %d: what happened since then is lost", id, c.Name,
					t.head.Version)
			case was.head.Version > t.head.Version:
				r.done("table %d is as it was in %s, of version %d: versions %d to %d, with %d plays, are lost",
					id, c.Name, t.head.Version, t.head.Version+1, was.head.Version, max(0, was.head.Plays-t.head.Plays))
			default:
				r.done("table %d is taken from %s, and lacks nothing", id, c.Name)
			}
			r.restored[id] = was.head == nil || was.head.Version > t.head.Version
			found = true
			break
		}
		switch {
		case found:
		case len(was.pairs) == 0 && !was.listed && !r.hasDetail(ctx, id):
			r.done("a row that would be table %d's is not as it was written, and is gone", id)
		default:
			r.Lost = append(r.Lost, fmt.Sprintf("table %d", id))
		}
	}
	return ctx.Err()
}

// hasDetail reports whether a table has a detail. If it has none, the table may not exist, and the key of its row may
// be damaged.
func (r *repairer) hasDetail(ctx context.Context, id ID) bool {
	if r.Damaged == nil {
		return false
	}
	page, err := scanDamaged(ctx, r.Damaged, details.under(key{table: id}, 1), kv.Ascending, 1)
	return err == nil && len(page) == 1
}

// eachDamaged calls f with the pairs of a range, a page at a time, until a page cannot be read.
func eachDamaged(ctx context.Context, e Source, in kv.Range, f func(kv.Pair)) error {
	for {
		page, err := scanDamaged(ctx, e, in, kv.Ascending, scanPage)
		if err != nil {
			return err
		}
		for _, p := range page {
			f(p)
			in.From = append(slices.Clone(p.Key), 0)
		}
		if len(page) < scanPage {
			return nil
		}
	}
}

// others copies all values except those of tables and leaderboards. It also collects the competitions, which are copied
// later.
func (r *repairer) others(ctx context.Context) error {
	for _, space := range keptSpaces() {
		if space == rowsOfTables || space == details.space {
			continue
		}
		var odd strays
		gaps, err := r.salvage(ctx, space, func(p kv.Pair) error {
			x, k := find(space, p.Key)
			known := x != nil
			if known {
				var err error
				if known, err = r.other(ctx, x, k, p, ""); err != nil {
					return err
				}
			}
			odd.next(kv.Key{Space: space, Key: p.Key}, known)
			return nil
		})
		if err != nil {
			return err
		}
		if x := anyIn(space); x == nil || x.isCounted() {
			continue
		}
		for i, gap := range append(gaps, odd.found...) {
			found, err := r.fill(ctx, gap)
			switch what := fmt.Sprintf("what stood in %s between %q and %q", gap.Space, gap.From, gap.To); {
			case err != nil:
				return err
			case found > 0:
			case i < len(gaps) && len(r.Copies) > 0: // a value in the gap is lost only if it was added after the backup
				r.done("%s cannot be read, and in %s nothing stands there", what, r.Copies[0].Name)
			default:
				r.Lost = append(r.Lost, what)
			}
		}
	}
	return nil
}

// anyIn returns one of the kinds of values that are stored in a space, or nil if there is none.
func anyIn(space kv.Space) anyKind {
	i := slices.IndexFunc(kinds, func(x anyKind) bool { return x.at().space == space })
	if i < 0 {
		return nil
	}
	return kinds[i]
}

// other copies a value into the new store. An unreadable value is taken from the latest backup that has it. from is
// the name of the backup that p was read from, or "" for the store. known is false if no readable form of the value
// was found.
func (r *repairer) other(ctx context.Context, x anyKind, k key, p kv.Pair, from string) (known bool, err error) {
	switch {
	case x.isCounted():
		return true, nil
	case x.at().space == rowsOfCompetitions:
		r.withRows[key{server: k.server, number: k.number}] = true // copied later as a whole
		return true, nil
	}
	entries, err := x.read(k, p.Value)
	if err != nil && from == "" {
		for _, c := range r.Copies {
			at := kv.Range{Space: x.at().space, From: p.Key, To: append(slices.Clone(p.Key), 0)}
			page, failed := scanDamaged(ctx, c.Source, at, kv.Ascending, 1)
			if failed != nil || len(page) == 0 {
				continue
			}
			if entries, err = x.read(k, page[0].Value); err == nil {
				p, from = page[0], c.Name
				break
			}
		}
	}
	if err != nil {
		return false, nil //nolint:nilerr // the caller reports the loss
	}
	if x == anyKind(results) && !r.over[k.table] {
		r.done("%s is gone: the table is not where it ended", x.name(k))
		return true, nil
	}
	if from != "" {
		r.done("%s is taken from %s", x.name(k), from)
	}
	if x == anyKind(sequences) && k.name == schemaName {
		return true, nil // copied last
	}
	return true, r.write(ctx, kv.Key{Space: x.at().space, Key: p.Key}, p.Value, entries)
}

// fill copies the values that the latest backup has in an unreadable range, and counts them.
func (r *repairer) fill(ctx context.Context, gap unread) (found int, err error) {
	if len(r.Copies) > 0 {
		var failed error
		err := eachDamaged(ctx, r.Copies[0].Source, gap, func(p kv.Pair) {
			if x, k := find(gap.Space, p.Key); x != nil && failed == nil {
				var known bool
				if known, failed = r.other(ctx, x, k, p, r.Copies[0].Name); known {
					found++
				}
			}
		})
		if failed != nil || err != nil && !errors.Is(err, ErrDamaged) {
			return found, errors.Join(failed, err)
		}
	}
	return found, nil
}

// finish writes the schema version, and recounts the leaderboards. For each unfinished table that was taken from a
// backup and may have lost changes, it stores an event that says so.
func (r *repairer) finish(ctx context.Context) error {
	at, raw, err := sequences.seal(key{name: schemaName}, Schema)
	if err != nil {
		return err
	}
	if err := errors.Join(r.put(ctx, at, raw), r.flush(ctx)); err != nil {
		return err
	}
	s, err := Open(ctx, keptOpen{r.To})
	if err != nil {
		return err
	}
	last := r.last
	var going []ID
	for id, restored := range r.restored {
		if restored && !r.over[id] {
			going = append(going, id)
		}
	}
	if slices.Sort(going); len(r.restored)+len(r.Lost) > 0 {
		last += tablesLost
	}
	err = s.skipTables(ctx, last)
	if err == nil {
		err = s.recovered(ctx, going, At(r.Now), 0)
	}
	if err == nil {
		_, err = s.Rebuild(ctx)
	}
	return errors.Join(err, s.Close())
}

// keptOpen is an engine that stays open when its store is closed.
type keptOpen struct{ kv.Engine }

// Close does nothing.
func (keptOpen) Close() error { return nil }
