package postgres

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"marque/games/rating"
	"marque/storage"
)

const (
	// countRows bounds how many results are read at once to be counted.
	countRows = 500
	// stepRows bounds how many rows one step of a job writes.
	stepRows = 1000
	// stepResults bounds how many results one step counts, renames or deletes with all that belongs to them.
	stepResults = 25
)

// tally is what a server's results make, counted one after the other.
type tally struct {
	guild   string
	lines   map[lineKey]*storage.Standing
	results int
	last    uint64 // the Order of the last one
}

func newTally(guild string) *tally {
	return &tally{guild: guild, lines: map[lineKey]*storage.Standing{}}
}

func (c *tally) find(b storage.Board, player string) (*storage.Standing, error) {
	k := keyOf(b, player)
	if c.lines[k] == nil {
		c.lines[k] = &storage.Standing{Player: player, Rating: rating.New()}
	}
	return c.lines[k], nil
}

// add counts some further results, and calls each with them and with the ratings that are noted after them. It reports whether there may
// be more.
func (c *tally) add(ctx context.Context, q querier, each func(r storage.Result, noted []rating.Rating) error) (more bool, err error) {
	list, err := resultsAfter(ctx, q, c.guild, c.last, countRows)
	for _, r := range list {
		noted := r.Ratings
		if err := r.Rate(c.find); err != nil {
			return false, err
		}
		c.last = r.Order
		c.results++
		if err := each(r, noted); err != nil {
			return false, err
		}
	}
	return len(list) == countRows, err
}

// resultsAfter are a server's results behind an Order, with the ratings after them.
func resultsAfter(ctx context.Context, q querier, guild string, order uint64, limit int) ([]storage.Result, error) {
	rows, err := q.Query(ctx, "SELECT r.table_id, r.value, a.value FROM results r"+withRatings+" WHERE r.guild = $1 AND r.ord > $2 ORDER BY r.ord LIMIT $3",
		guild, order, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (storage.Result, error) {
		var id storage.ID
		var value, ratings []byte
		if err := row.Scan(&id, &value, &ratings); err != nil {
			return storage.Result{}, err
		}
		return rated(id, value, ratings)
	})
}

// The phases of counting anew.
const (
	counting = iota
	clearing // the old generation goes
)

// countAnew makes a server's leaderboards anew from its results, in the generation that is not live, which becomes the live one in the
// transaction that finds nothing more to count. What was counted before it was cut off is counted again, as it is kept in memory.
func (s *Store) countAnew(ctx context.Context, j job) error {
	guild := j.of
	now, err := live(ctx, j.conn, guild)
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
	return s.steps(ctx, j, func(ctx context.Context, tx pgx.Tx, j *job) error {
		more, err := clearGenerations(ctx, tx, guild, now.other())
		j.done = !more
		return err
	})
}

// prepareGeneration fills a generation that is not live with what the results make.
func (s *Store) prepareGeneration(ctx context.Context, j *job, g generation) error {
	for more := true; more; {
		err := s.step(ctx, j, func(ctx context.Context, tx pgx.Tx, _ *job) (err error) {
			more, err = clearGenerations(ctx, tx, j.of, g)
			return err
		})
		if err != nil {
			return err
		}
	}
	c := newTally(j.of)
	for more := true; more; {
		var orders []int64
		var values [][]byte
		var err error
		more, err = c.add(ctx, j.conn, func(r storage.Result, _ []rating.Rating) error {
			b, err := sealJSON(ratingKind, ratingKey(j.of, r.Order), r.Ratings)
			orders, values = append(orders, int64(r.Order)), append(values, b)
			return err
		})
		if err != nil {
			return err
		}
		if len(orders) == 0 {
			break
		}
		err = s.step(ctx, j, func(ctx context.Context, tx pgx.Tx, _ *job) error {
			_, err := tx.Exec(ctx, `INSERT INTO ratings (guild, generation, ord, value) SELECT $1::text, $2::smallint, * FROM unnest($3::bigint[], $4::bytea[])
				ON CONFLICT (guild, generation, ord) DO UPDATE SET value = excluded.value`, j.of, g, orders, values)
			return err
		})
		if err != nil {
			return err
		}
	}
	for keys := range slices.Chunk(slices.Collect(maps.Keys(c.lines)), stepRows) {
		b := &lineBatch{guild: j.of, generation: g}
		for _, k := range keys {
			if err := b.add(k, *c.lines[k]); err != nil {
				return err
			}
		}
		if err := s.step(ctx, j, func(ctx context.Context, tx pgx.Tx, _ *job) error { return b.put(ctx, tx) }); err != nil {
			return err
		}
	}
	j.After = c.last
	return nil
}

// switchTo counts what ended meanwhile, and makes the generation the live one when there is nothing more to count.
func (s *Store) switchTo(ctx context.Context, j *job, g generation) error {
	for j.Phase == counting {
		err := s.step(ctx, j, func(ctx context.Context, tx pgx.Tx, j *job) error {
			if err := lock(ctx, tx, lockLeague, j.of); err != nil {
				return err
			}
			list, err := resultsAfter(ctx, tx, j.of, j.After, stepResults)
			if err != nil {
				return err
			}
			for _, r := range list {
				j.After = r.Order
				if err := count(ctx, tx, g, &r); err != nil {
					return err
				}
			}
			if len(list) == stepResults {
				return nil
			}
			j.Phase, j.After = clearing, 0
			return setLive(ctx, tx, j.of, g)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// clearGenerations deletes as much of a server's leaderboards of some generations as one step may, and reports whether there is more.
func clearGenerations(ctx context.Context, tx pgx.Tx, guild string, list ...generation) (more bool, err error) {
	for _, sql := range []string{
		`DELETE FROM standings WHERE ctid = ANY (ARRAY (SELECT ctid FROM standings WHERE guild = $1 AND generation = ANY ($2) LIMIT $3))`,
		`DELETE FROM ratings WHERE ctid = ANY (ARRAY (SELECT ctid FROM ratings WHERE guild = $1 AND generation = ANY ($2) LIMIT $3))`,
	} {
		tag, err := tx.Exec(ctx, sql, guild, list, stepRows)
		if err != nil {
			return false, err
		}
		more = more || tag.RowsAffected() == stepRows
	}
	return more, nil
}

// difference counts what of a server's leaderboards is not as its results make it, and calls fault for each.
func difference(ctx context.Context, q querier, guild string, fault func(format string, args ...any)) (*tally, int, error) {
	c, wrong := newTally(guild), 0
	differs := func(format string, args ...any) {
		wrong++
		fault(format, args...)
	}
	for more := true; more; {
		var err error
		more, err = c.add(ctx, q, func(r storage.Result, noted []rating.Rating) error {
			if !slices.Equal(noted, r.Ratings) {
				differs("the ratings after table %d are not as the results make them", r.Table)
			}
			return nil
		})
		if err != nil {
			return c, wrong, err
		}
	}
	g, err := live(ctx, q, guild)
	if err != nil {
		return c, wrong, err
	}
	rows, err := q.Query(ctx, "SELECT game, computers, season, player, sure, games, value FROM standings WHERE guild = $1 AND generation = $2", guild, g)
	if err != nil {
		return c, wrong, err
	}
	lines := 0
	var k lineKey
	var rank, games int64
	var value []byte
	_, err = pgx.ForEachRow(rows, []any{&k.game, &k.computers, &k.season, &k.player, &rank, &games, &value}, func() error {
		lines++
		l, err := parseLine(guild, k, value)
		switch want := c.lines[k]; {
		case err != nil:
			differs("%w", err)
		case want == nil:
			differs("%v of server %s is of nobody who has played", k, guild)
		case !l.Equal(*want):
			differs("%v of server %s is %+v, the results make %+v", k, guild, l, *want)
		case rank != sure(l) || games != int64(l.RankedGames(k.computers)):
			differs("%v of server %s has a rank of its own", k, guild)
		}
		return nil
	})
	if err == nil && lines < len(c.lines) {
		differs("server %s has %d standings, the results make %d", guild, lines, len(c.lines))
	}
	return c, wrong, err
}

// Rebuild counts all results and makes those leaderboards anew that are not as the results make them, as storage.Engine says.
func (s *Store) Rebuild(ctx context.Context) (storage.Rebuilt, error) {
	var all storage.Rebuilt
	var guilds, wrong []string
	err := s.read(ctx, func(ctx context.Context, q querier) (err error) {
		guilds, err = ranked(ctx, q)
		return err
	})
	if err != nil {
		return all, err
	}
	for _, guild := range guilds {
		if err := s.Finished(ctx, storage.Work{Kind: recounting, Of: guild}); err != nil {
			return all, err
		}
		var c *tally
		var n int
		err := s.snapshot(ctx, func(ctx context.Context, q querier) (err error) {
			c, n, err = difference(ctx, q, guild, func(string, ...any) {})
			return err
		})
		if err != nil {
			return all, err
		}
		all.Guilds++
		all.Results += c.results
		if all.Changed += n; n > 0 {
			wrong = append(wrong, guild)
		}
	}
	for _, guild := range wrong {
		if err := s.ask(ctx, job{kind: recounting, of: guild}, func(context.Context, pgx.Tx, *job, *job) error { return nil }); err != nil {
			return all, err
		}
		if err := s.Finished(ctx, storage.Work{Kind: recounting, Of: guild}); err != nil {
			return all, err
		}
	}
	return all, nil
}

// ranked lists the servers that have results.
func ranked(ctx context.Context, q querier) ([]string, error) {
	rows, err := q.Query(ctx, "SELECT DISTINCT guild FROM results ORDER BY guild")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Void takes a table's result off the leaderboards, or, with nil, puts it back, as storage.Engine says.
func (s *Store) Void(ctx context.Context, id storage.ID, v *storage.Voiding) (storage.Result, error) {
	var r storage.Result
	err := s.write(ctx, func(ctx context.Context, tx pgx.Tx, _ bool) (err error) {
		if r, err = storedResult(ctx, tx, id, " FOR UPDATE"); err != nil {
			return err
		}
		r.Voided = v
		return errors.Join(putResult(ctx, tx, r), request(ctx, tx, job{kind: recounting, of: r.Guild}))
	})
	if err != nil {
		return r, err
	}
	s.labour.tell(job{kind: recounting, of: r.Guild}, nil)
	return s.Result(ctx, id)
}
