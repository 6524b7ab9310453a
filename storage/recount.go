package storage

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"marque/games/rating"
	"marque/storage/kv"
)

const (
	// stepRows is the maximum number of rows that one step of a job writes when it goes through the rows of a kind,
	// apart from their index entries. Other transactions hardly wait for a step of this size, and recounting a large
	// server's leaderboards still takes only seconds.
	stepRows = 25
	// stepResults is the maximum number of results that one step counts on stored leaderboards, renames or deletes. A
	// result has a few dozen rows.
	stepResults = 3
)

// Void removes a table's result from the leaderboards, or puts it back if v is nil. It returns the changed result,
// or ErrNoResult. A background job then recounts the server's leaderboards. Until it has counted all results, they
// are as if the result had not changed; games that end in the meantime are counted.
func (s *Store) Void(ctx context.Context, id ID, v *Voiding) (Result, error) {
	r, err := s.Result(ctx, id)
	if err != nil {
		return r, err
	}
	at := r.key()
	err = s.update(ctx, work{
		locks: []kv.Lock{leagueLock.of(at), workLockOf(Recounting)}, want: kv.Want{Keys: []kv.Key{results.key(at)}},
		run: func(t *txn) error {
			r, there, err := results.get(t, at)
			if err != nil {
				return err
			}
			if !there {
				return ErrNoResult
			}
			after := r
			after.Voided = v
			if err := results.replace(t, at, &r, &after); err != nil {
				return err
			}
			return t.request(job{kind: Recounting, of: r.Guild})
		},
	})
	if err != nil {
		return r, err
	}
	s.runner.report(jobKey(Recounting, r.Guild), nil)
	return s.Result(ctx, id)
}

// tally counts a server's results one after another, in memory.
type tally struct {
	guild   string
	lines   map[key]*Standing // lines of the leaderboards by key, as if in half 0
	results int
	last    uint64 // Order of the last counted result
}

func newTally(guild string) *tally { return &tally{guild: guild, lines: map[key]*Standing{}} }

func (c *tally) find(b Board, player string) (*Standing, error) {
	k := b.key(0, player)
	if c.lines[k] == nil {
		c.lines[k] = &Standing{Player: player, Rating: rating.New()}
	}
	return c.lines[k], nil
}

// add counts up to limit further results. It calls each with every result, whose Ratings are the counted ones, and
// with the stored ratings. It reports whether there may be more results.
func (c *tally) add(r kv.Reader, limit int, each func(r Result, noted []rating.Rating)) (more bool, err error) {
	list, err := resultsAfter(r, c.guild, c.last, limit)
	if err != nil {
		return false, err
	}
	for _, r := range list {
		noted := r.Ratings
		if err := r.Rate(c.find); err != nil {
			return false, err
		}
		c.last = r.Order
		c.results++
		each(r, noted)
	}
	return len(list) == limit, nil
}

// resultsAfter returns up to limit results of a server whose Order is higher than order, sorted by Order.
func resultsAfter(r kv.Reader, guild string, order uint64, limit int) ([]Result, error) {
	at := key{server: guild, number: order}
	keys, err := resultsInOrder.entries(r, resultsInOrder.after(resultsInOrder.under(at, 1), at, 2), kv.Ascending,
		limit)
	if err != nil {
		return nil, err
	}
	return loadResults(r, keys)
}

// Phases of a recount.
const (
	counting = iota
	clearing // deletes the leaderboards in the old half
)

// recount rebuilds a server's leaderboards from its results. If it is interrupted while it counts, it starts again,
// because its counts are in memory.
func (s *Store) recount(ctx context.Context, j job) error {
	at := key{server: j.of}
	league := leagueLock.of(at)
	live, _, err := halves.get1(ctx, s, at)
	if err != nil {
		return err
	}
	at.half = 1 - live
	if j.Phase == counting {
		if err := s.clear(ctx, &j, at); err != nil {
			return err
		}
		if err := s.fill(ctx, &j, at.half); err != nil {
			return err
		}
		for j.Phase == counting {
			err := s.step(ctx, &j, func(t *txn, j *job) error { return t.catchUp(j, at) }, league)
			if err != nil {
				return err
			}
		}
		at.half = live
	}
	if err := s.clear(ctx, &j, at); err != nil {
		return err
	}
	return s.step(ctx, &j, func(_ *txn, j *job) error { j.done = true; return nil })
}

// fill counts the results, and writes the leaderboards into a half.
func (s *Store) fill(ctx context.Context, j *job, half byte) error {
	c := newTally(j.of)
	league := leagueLock.of(key{server: j.of})
	var noted []Result
	for more := true; more; {
		err := s.view(ctx, func(r kv.Reader) (err error) {
			more, err = c.add(r, stepRows, func(r Result, _ []rating.Rating) { noted = append(noted, r) })
			return err
		})
		if err != nil {
			return err
		}
		// A step that is not full is also committed, because each commit shows other processes that the job is alive.
		err = s.step(ctx, j, func(t *txn, _ *job) error {
			for _, r := range noted {
				if err := ratings.put(t, key{server: r.Guild, half: half, table: r.Table}, r.Ratings); err != nil {
					return err
				}
			}
			return nil
		}, league)
		if err != nil {
			return err
		}
		noted = noted[:0]
	}
	for chunk := range slices.Chunk(c.sorted(), stepRows/2) {
		err := s.step(ctx, j, func(t *txn, _ *job) error {
			for _, k := range chunk {
				line := c.lines[k]
				k.half = half
				if err := standings.replace(t, k, nil, line); err != nil {
					return err
				}
			}
			return nil
		}, league)
		if err != nil {
			return err
		}
	}
	j.After = binary.BigEndian.AppendUint64(nil, c.last)
	return nil
}

// sorted returns the keys of all lines in order, so that a step changes few pages of a file.
func (c *tally) sorted() []key {
	type place struct {
		key key
		at  string
	}
	list := make([]place, 0, len(c.lines))
	for k := range c.lines {
		list = append(list, place{k, string(standings.key(k).Key)})
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	keys := make([]key, len(list))
	for i, p := range list {
		keys[i] = p.key
	}
	return keys
}

// catchUp counts further results in the half that a recount has filled. The step that finds fewer than stepResults
// makes this half live.
func (t *txn) catchUp(j *job, at key) error {
	list, err := resultsAfter(t, j.of, binary.BigEndian.Uint64(j.After), stepResults)
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := t.rate(at.half, &r); err != nil {
			return err
		}
		j.After = binary.BigEndian.AppendUint64(nil, r.Order)
	}
	if len(list) == stepResults {
		return nil
	}
	j.Phase, j.After = clearing, nil
	return halves.put(t, at, at.half)
}

// clear deletes the leaderboards in one half, in steps. Lines are deleted together with their index entries in ranks,
// so that both agree after each step. Entries that remain belong to damaged lines, and are deleted at the end.
func (s *Store) clear(ctx context.Context, j *job, at key) error {
	lock := leagueLock.of(at)
	lines := func(t *txn, in kv.Range) error { return t.discardAll(standings, in) }
	if err := s.eachStep(ctx, j, standings.under(at, 2), lines, lock); err != nil {
		return err
	}
	for _, in := range []kv.Range{ranks.under(at, 2), ratings.under(at, 2)} {
		if err := s.deleteIn(ctx, j, in, lock); err != nil {
			return err
		}
	}
	return nil
}

// deleteIn deletes the pairs of a range in several steps.
func (s *Store) deleteIn(ctx context.Context, j *job, in kv.Range, locks ...kv.Lock) error {
	return s.eachStep(ctx, j, in, (*txn).DeleteRange, locks...)
}

// eachStep deletes the pairs of a range in several steps, in each of which del deletes a part of the range.
func (s *Store) eachStep(ctx context.Context, j *job, in kv.Range, del func(*txn, kv.Range) error,
	locks ...kv.Lock) error {
	for {
		var page []kv.Pair
		err := s.view(ctx, func(r kv.Reader) (err error) {
			page, err = r.Scan(in, kv.Ascending, stepRows)
			if len(page) > 0 {
				page[len(page)-1].Key = slices.Clone(page[len(page)-1].Key)
			}
			return err
		})
		if err != nil || len(page) == 0 {
			return err
		}
		some := in
		if len(page) == stepRows {
			some.To = page[len(page)-1].Key // the first key of the next step
		}
		if err := s.step(ctx, j, func(t *txn, _ *job) error { return del(t, some) }, locks...); err != nil {
			return err
		}
		if len(page) < stepRows {
			return nil
		}
	}
}

// compareRows is the maximum number of results that are read and compared at a time.
const compareRows = 2000

// difference counts the differences between a server's leaderboards and its results, and calls fault for each. It
// calls view for each chunk of results, and then once more for the leaderboards.
func difference(view func(func(kv.Reader) error) error, guild string,
	fault func(format string, args ...any)) (c *tally, wrong int, err error) {
	c = newTally(guild)
	differs := func(format string, args ...any) {
		wrong++
		fault(format, args...)
	}
	for more := true; more && err == nil; {
		err = view(func(r kv.Reader) (err error) {
			more, err = c.add(r, compareRows, func(r Result, noted []rating.Rating) {
				if !slices.Equal(noted, r.Ratings) {
					differs("the ratings after table %d are not as the results make them", r.Table)
				}
			})
			return err
		})
	}
	if err != nil {
		return c, wrong, err
	}
	return c, wrong, view(func(r kv.Reader) error { return c.compare(r, differs) })
}

// compare compares the stored leaderboards of a server with the counted ones.
func (c *tally) compare(r kv.Reader, differs func(format string, args ...any)) error {
	at := key{server: c.guild}
	var err error
	if at.half, _, err = halves.get(r, at); err != nil {
		return err
	}
	seen := 0
	err = each(r, standings.under(at, 2), func(p kv.Pair) error {
		k, err := standings.mustParse(p.Key)
		if err != nil {
			return err
		}
		is, err := standings.open(k, p.Value)
		if err != nil {
			return err
		}
		name := standings.name(k)
		k.half = 0
		switch line := c.lines[k]; {
		case line == nil:
			differs("%s is of nobody who has played", name)
		case !is.Equal(*line):
			seen++
			differs("%s is %+v, the results make %+v", name, is, *line)
		default:
			seen++
		}
		return nil
	})
	if err != nil {
		return err
	}
	noted, err := r.Count(ratings.under(at, 2))
	if err != nil {
		return err
	}
	if noted != c.results {
		differs("server %s has ratings after %d results, and %d results", shown(c.guild), noted, c.results)
	}
	at.half = 1 - at.half
	for _, in := range []kv.Range{standings.under(at, 2), ratings.under(at, 2)} {
		page, err := r.Scan(in, kv.Ascending, 1)
		if err != nil {
			return err
		}
		if len(page) > 0 {
			differs("server %s has %s of leaderboards that nobody counts", shown(c.guild), in.Space)
		}
	}
	if seen < len(c.lines) {
		differs("server %s lacks %d standings that the results make", shown(c.guild), len(c.lines)-seen)
	}
	return nil
}

// withResults lists the ids of the servers that have results.
func withResults(r kv.Reader) ([]string, error) {
	return serversIn(r, &resultsInOrder.layout)
}

// serversIn lists the servers that occur in the keys of a space.
func serversIn(r kv.Reader, l *layout) (guilds []string, err error) {
	for within := (kv.Range{Space: l.space}); ; {
		page, err := r.Scan(within, kv.Ascending, scanPage)
		if err != nil {
			return guilds, err
		}
		var k key
		for _, p := range page {
			var ok bool
			if _, ok = byServer.cut(p.Key, &k); !ok {
				return guilds, &DamagedError{What: unreadable(l.space, p.Key), Why: errFormat.Error()}
			}
			if len(guilds) == 0 || guilds[len(guilds)-1] != k.server {
				guilds = append(guilds, k.server)
			}
		}
		if len(page) < scanPage {
			return guilds, nil
		}
		within = l.after(within, k, 1) // skips the server's other keys
	}
}

// Rebuild counts all results and replaces leaderboards that do not match them. It returns when it has finished. If all
// leaderboards match, it changes nothing.
func (s *Store) Rebuild(ctx context.Context) (Rebuilt, error) {
	var all Rebuilt
	var guilds, wrong []string
	err := s.view(ctx, func(r kv.Reader) (err error) {
		guilds, err = withResults(r)
		return err
	})
	if err != nil {
		return all, err
	}
	for _, guild := range guilds {
		if err := s.Finished(ctx, Work{Kind: Recounting, Of: guild}); err != nil {
			return all, err
		}
		err := s.view(ctx, func(r kv.Reader) error {
			view := func(read func(kv.Reader) error) error { return read(r) }
			c, n, err := difference(view, guild, func(string, ...any) {})
			all.Guilds++
			all.Results += c.results
			if all.Changed += n; n > 0 {
				wrong = append(wrong, guild)
			}
			return err
		})
		if err != nil {
			return all, err
		}
	}
	for _, guild := range wrong {
		if err := s.ask(ctx, job{kind: Recounting, of: guild}, func(*txn, *job, *job) error {
			return nil
		}); err != nil {
			return all, err
		}
		if err := s.Finished(ctx, Work{Kind: Recounting, Of: guild}); err != nil {
			return all, err
		}
	}
	return all, nil
}
