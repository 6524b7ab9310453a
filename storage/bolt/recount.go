package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"

	"marque/games/rating"
	"marque/storage"
)

// A server's leaderboards, and the ratings after each of its results, are there in up to two
// generations: the live one, which is read and in which games that end are counted, and the one that
// is being counted anew. When that has caught up with the results, it becomes the live one in one
// commit, and the other is cleared.

// generation is 0 or 1.
type generation byte

var (
	standingBuckets = [2][]byte{standingBucket, standingBucketB}
	ranksBuckets    = [2][]byte{ranksBucket, ranksBucketB}
	ratingBuckets   = [2][]byte{ratingBucket, ratingBucketB}
)

func (g generation) standings() []byte { return standingBuckets[g] }
func (g generation) ranks() []byte     { return ranksBuckets[g] }
func (g generation) ratings() []byte   { return ratingBuckets[g] }
func (g generation) other() generation { return 1 - g }

// live is the generation of a server's leaderboards that counts.
func live(tx *bbolt.Tx, guild string) generation {
	if b := tx.Bucket(generationBucket); b != nil && b.Get(name(nil, guild)) != nil {
		return 1
	}
	return 0 // as in every file of schema 1
}

func setLive(t *txn, guild string, g generation) error {
	if g == 0 {
		return t.del(generationBucket, name(nil, guild))
	}
	return t.put(generationBucket, name(nil, guild), []byte{})
}

// putRatings keeps the ratings after a result.
func putRatings(t *txn, g generation, r storage.Result) error {
	b, err := encodeJSON(r.Ratings)
	if err != nil {
		return err
	}
	return t.put(g.ratings(), orderKey(r.Guild, r.Order), b)
}

// loadRatings replaces the ratings that a result was written with, in files of schema 1, by those of
// its server's live generation.
func loadRatings(tx *bbolt.Tx, r *storage.Result) error {
	if !r.Counts() {
		r.Ratings = nil
		return nil
	}
	g, key := live(tx, r.Guild), orderKey(r.Guild, r.Order)
	bucket := tx.Bucket(g.ratings())
	if bucket == nil {
		return nil
	}
	b := bucket.Get(key)
	if b == nil {
		return nil
	}
	r.Ratings = nil
	return decodeJSON(g.ratings(), key, b, &r.Ratings)
}

const (
	// countRows bounds how many results are counted in one read of the file.
	countRows = 250
	// stepRows bounds how many rows one step of a job writes.
	stepRows = 400
	// stepResults bounds how many results one step counts, renames or deletes with all that belongs to
	// them, each a few dozen rows.
	stepResults = 10
)

// tally is what a server's results make, counted one after the other.
type tally struct {
	guild   string
	lines   map[string]*line // by the keys of standings
	results int
	last    uint64 // the Order of the last one
}

func newTally(guild string) *tally { return &tally{guild: guild, lines: map[string]*line{}} }

func (c *tally) find(board []byte, player string) (*line, error) {
	key := string(board) + player
	if c.lines[key] == nil {
		c.lines[key] = &line{board: board, Standing: storage.Standing{Player: player, Rating: rating.New()}}
	}
	return c.lines[key], nil
}

// add counts at most limit further results, all for 0, and calls each with them and with the ratings
// that are noted after them. It reports whether there may be more.
func (c *tally) add(tx *bbolt.Tx, limit int, each func(r storage.Result, noted []rating.Rating) error) (more bool, err error) {
	n := 0
	return eachAfter(tx, c.guild, c.last, func(r storage.Result) (bool, error) {
		if err := loadRatings(tx, &r); err != nil {
			return false, err
		}
		noted := r.Ratings
		if err := rate(&r, c.find); err != nil {
			return false, err
		}
		c.last = r.Order
		c.results++
		n++
		return n != limit, each(r, noted)
	})
}

// eachAfter calls f with a server's results behind an Order, as they are stored, until it says false,
// and reports whether it did.
func eachAfter(tx *bbolt.Tx, guild string, order uint64, f func(storage.Result) (bool, error)) (more bool, err error) {
	prefix := name(nil, guild)
	c := tx.Bucket(orderResults).Cursor()
	for k, v := c.Seek(orderKey(guild, order+1)); bytes.HasPrefix(k, prefix) && len(v) == 8; k, v = c.Next() {
		r, err := storedResult(tx, tableOf(v))
		if err != nil {
			return false, fmt.Errorf("%w (result %d: %w)", storage.ErrDamaged, tableOf(v), err)
		}
		if on, err := f(r); err != nil || !on {
			return true, err
		}
	}
	return false, nil
}

// row is something to write.
type row struct{ bucket, key, value []byte }

// write writes rows in steps of a job.
func (s *Store) write(ctx context.Context, j *job, rows []row) error {
	for chunk := range slices.Chunk(rows, stepRows) {
		err := s.step(ctx, j, func(t *txn, _ *job) error {
			for _, r := range chunk {
				if err := t.put(r.bucket, r.key, r.value); err != nil {
					return err
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

// The phases of counting anew.
const (
	counting = iota
	clearing // the old generation goes
)

// countAnew makes a server's leaderboards anew from its results. What was counted before it was cut
// off is counted again, as it is kept in memory.
func (s *Store) countAnew(ctx context.Context, j job) error {
	guild := j.of
	var now generation
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		now = live(tx, guild)
		return nil
	})
	if err != nil {
		return err
	}
	if j.Phase == counting {
		if err := s.prepareGeneration(ctx, &j, now.other()); err != nil {
			return err
		}
		if err := s.switchTo(ctx, &j, now.other()); err != nil {
			return err
		}
		now = now.other()
	}
	return s.steps(ctx, j, func(t *txn, j *job) error {
		more, err := clearGeneration(t, now.other(), guild)
		j.done = !more
		return err
	})
}

// prepareGeneration fills a generation that is not live with what the results make.
func (s *Store) prepareGeneration(ctx context.Context, j *job, g generation) error {
	if err := s.clearAll(ctx, j, g); err != nil {
		return err
	}
	c := newTally(j.of)
	var rows []row
	for more := true; more; {
		err := s.view(ctx, func(tx *bbolt.Tx) (err error) {
			more, err = c.add(tx, countRows, func(r storage.Result, _ []rating.Rating) error {
				b, err := encodeJSON(r.Ratings)
				rows = append(rows, row{g.ratings(), orderKey(r.Guild, r.Order), b})
				return err
			})
			return err
		})
		if err != nil {
			return err
		}
		if len(rows) >= stepRows {
			if err := s.write(ctx, j, rows); err != nil {
				return err
			}
			rows = nil
		}
	}
	// In the order of their keys, so that a step changes few pages.
	var ranks [][]byte
	for _, key := range slices.Sorted(maps.Keys(c.lines)) {
		l := c.lines[key]
		b, err := encodeJSON(l.Standing)
		if err != nil {
			return err
		}
		rows = append(rows, row{g.standings(), []byte(key), b})
		ranks = append(ranks, rankKey(l.board, l.Standing))
	}
	slices.SortFunc(ranks, bytes.Compare)
	for _, k := range ranks {
		rows = append(rows, row{g.ranks(), k, []byte{}})
	}
	if err := s.write(ctx, j, rows); err != nil {
		return err
	}
	j.After = binary.BigEndian.AppendUint64(nil, c.last)
	return nil
}

// switchTo counts what ended meanwhile, and makes the generation the live one in the commit that finds
// nothing more to count.
func (s *Store) switchTo(ctx context.Context, j *job, g generation) error {
	for j.Phase == counting {
		err := s.step(ctx, j, func(t *txn, j *job) error {
			last := binary.BigEndian.Uint64(j.After)
			n := 0
			more, err := eachAfter(t.tx, j.of, last, func(r storage.Result) (bool, error) {
				last = r.Order
				n++
				return n < stepResults, count(t, g, &r)
			})
			j.After = binary.BigEndian.AppendUint64(nil, last)
			if err != nil || more {
				return err
			}
			j.Phase, j.After = clearing, nil
			return setLive(t, j.of, g)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// clearAll clears a server's leaderboards of a generation.
func (s *Store) clearAll(ctx context.Context, j *job, g generation) error {
	empty := false
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		empty = true
		prefix := name(nil, j.of)
		for _, b := range [][]byte{g.standings(), g.ranks(), g.ratings()} {
			k, _ := tx.Bucket(b).Cursor().Seek(prefix)
			empty = empty && !bytes.HasPrefix(k, prefix)
		}
		return nil
	})
	for more := !empty; more && err == nil; {
		err = s.step(ctx, j, func(t *txn, _ *job) (err error) {
			more, err = clearGeneration(t, g, j.of)
			return err
		})
	}
	return err
}

// clearGeneration deletes as much of a server's leaderboards of a generation as one step may, and
// reports whether there is more.
func clearGeneration(t *txn, g generation, guild string) (more bool, err error) {
	return deleteSome(t, name(nil, guild), g.standings(), g.ranks(), g.ratings())
}

// deleteSome deletes as many keys with a prefix from buckets as one step may, and reports whether there
// are more.
func deleteSome(t *txn, prefix []byte, buckets ...[]byte) (more bool, err error) {
	left := stepRows
	for _, bucket := range buckets {
		var found [][]byte
		c := t.tx.Bucket(bucket).Cursor()
		k, _ := c.Seek(prefix)
		for ; bytes.HasPrefix(k, prefix) && left > 0; k, _ = c.Next() {
			found = append(found, bytes.Clone(k))
			left--
		}
		more = more || bytes.HasPrefix(k, prefix)
		for _, k := range found {
			if err := t.del(bucket, k); err != nil {
				return false, err
			}
		}
	}
	return more, nil
}

// compareStep bounds how many results are compared in one read of the file.
const compareStep = 2000

// difference counts what of a server's leaderboards is not as its results make it, and calls fault for
// each.
func difference(view viewer, guild string, fault func(format string, args ...any)) (*tally, int, error) {
	c, wrong := newTally(guild), 0
	differs := func(format string, args ...any) {
		wrong++
		fault(format, args...)
	}
	for more := true; more; {
		err := view(func(tx *bbolt.Tx) (err error) {
			more, err = c.add(tx, compareStep, func(r storage.Result, noted []rating.Rating) error {
				if !slices.Equal(noted, r.Ratings) {
					differs("the ratings after table %d are not as the results make them", r.Table)
				}
				return nil
			})
			return err
		})
		if err != nil {
			return c, wrong, err
		}
	}
	return c, wrong, view(func(tx *bbolt.Tx) error {
		compareLines(tx, c, differs)
		return nil
	})
}

// compareLines compares a server's leaderboards with what its results make.
func compareLines(tx *bbolt.Tx, c *tally, differs func(format string, args ...any)) {
	guild := c.guild
	g := live(tx, guild)
	for key, l := range c.lines {
		s := storage.Standing{Player: l.Player}
		b := tx.Bucket(g.standings()).Get([]byte(key))
		switch err := decodeJSON(g.standings(), []byte(key), b, &s); {
		case err != nil:
			differs("%w", err)
		case !s.Equal(l.Standing):
			differs("standing %q is %+v, the results make %+v", key, s, l.Standing)
		case tx.Bucket(g.ranks()).Get(rankKey(l.board, l.Standing)) == nil:
			differs("standing %q has no rank", key)
		}
	}
	prefix, lines, ranks := name(nil, guild), 0, 0
	cursor := tx.Bucket(g.standings()).Cursor()
	for k, _ := cursor.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = cursor.Next() {
		if lines++; c.lines[string(k)] == nil {
			differs("standing %q is of nobody who has played", k)
		}
	}
	cursor = tx.Bucket(g.ranks()).Cursor()
	for k, _ := cursor.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = cursor.Next() {
		ranks++
	}
	if ranks != lines {
		differs("server %q has %d standings and %d ranks", guild, lines, ranks)
	}
}

// ranked lists the servers that have results.
func ranked(tx *bbolt.Tx) []string {
	var guilds []string
	c := tx.Bucket(orderResults).Cursor()
	for k, _ := c.First(); k != nil; {
		guild := string(k[:bytes.IndexByte(k, 0)])
		guilds = append(guilds, guild)
		k, _ = c.Seek(append([]byte(guild), 1)) // behind all keys that begin with the name and a zero
	}
	return guilds
}

// Rebuild counts all results and makes those leaderboards anew that are not as the results make them.
// It returns when that is done; with leaderboards that are as they should be it changes nothing.
func (s *Store) Rebuild(ctx context.Context) (storage.Rebuilt, error) {
	var all storage.Rebuilt
	var guilds, wrong []string
	if err := s.view(ctx, func(tx *bbolt.Tx) error { guilds = ranked(tx); return nil }); err != nil {
		return all, err
	}
	for _, guild := range guilds {
		if err := s.Finished(ctx, storage.Work{Kind: storage.Recounting, Of: guild}); err != nil {
			return all, err
		}
		err := s.view(ctx, func(tx *bbolt.Tx) error {
			c, n, err := difference(viewIn(tx), guild, func(string, ...any) {})
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
		if err := s.ask(ctx, job{kind: recounting, of: guild}, func(*txn, *job, *job) error { return nil }); err != nil {
			return all, err
		}
		if err := s.Finished(ctx, storage.Work{Kind: storage.Recounting, Of: guild}); err != nil {
			return all, err
		}
	}
	return all, nil
}

// Void takes a table's result off the leaderboards, or, with nil, puts it back, and returns the result
// as it is then, or storage.ErrNoResult. The leaderboards of its server are counted anew in the
// background: that is the Work Recounting, until which they are as before.
func (s *Store) Void(ctx context.Context, id storage.ID, v *storage.Voiding) (storage.Result, error) {
	var r storage.Result
	err := s.do(ctx, func(t *txn) (err error) {
		if r, err = storedResult(t.tx, id); err != nil {
			return err
		}
		r.Voided = v
		if err := putResult(t, r); err != nil {
			return err
		}
		return request(t, job{kind: recounting, of: r.Guild})
	})
	if err != nil {
		return r, err
	}
	s.labour.tell(jobKey(recounting, r.Guild), nil)
	return s.Result(ctx, id)
}

// checkStandings counts all results anew and compares, but for servers whose leaderboards are being
// changed. stored is how many standings there are of each generation. It returns errors of view, and
// ctx's.
func checkStandings(ctx context.Context, view viewer, stored [2]int, fault func(string, ...any)) error {
	busy := map[string]bool{}
	var guilds []string
	settled := false
	err := view(func(tx *bbolt.Tx) error {
		if tx.Bucket(jobBucket) == nil {
			return nil // of schema 1; its leaderboards are compared once it is brought up to date
		}
		everywhere := false
		_ = tx.Bucket(jobBucket).ForEach(func(k, v []byte) error {
			if err := decodeJSON(jobBucket, k, v, new(job)); err != nil {
				fault("%w", err)
			}
			if k[0] != byte(recounting) && k[0] != byte(deleting) && k[0] != byte(forgetting) {
				return nil // it changes no leaderboard
			}
			busy[string(k[1:])] = true
			everywhere = everywhere || k[0] == byte(forgetting)
			return nil
		})
		if settled = !everywhere; settled { // else a name is being changed
			guilds = ranked(tx)
		}
		return nil
	})
	if err != nil || !settled {
		return err
	}
	total := [2]int{}
	for _, guild := range guilds {
		if busy[guild] {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c, _, err := difference(view, guild, fault)
		if err != nil {
			fault("%w", err)
		}
		if err := view(func(tx *bbolt.Tx) error { total[live(tx, guild)] += len(c.lines); return nil }); err != nil {
			return err
		}
	}
	if len(busy) > 0 {
		return nil
	}
	for g, n := range stored {
		if n != total[g] {
			fault("there are %d standings of generation %d, the results make %d", n, g, total[g])
		}
	}
	return nil
}
