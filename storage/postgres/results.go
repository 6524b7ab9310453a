package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"marque/games"
	"marque/games/rating"
	"marque/storage"
)

// storeResult writes the result of a table, if there is one, in the season that runs, and counts it on its leaderboards. The caller holds
// the lock of the server's leaderboards.
func storeResult(ctx context.Context, tx pgx.Tx, id storage.ID, result *storage.Result) error {
	if result == nil {
		return nil
	}
	r := *result
	r.Table = id
	var there bool
	if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM results WHERE table_id = $1)", id).Scan(&there); err != nil {
		return err
	}
	if there {
		return fmt.Errorf("%w: table %d has a result", storage.ErrInvalid, id)
	}
	var league storage.League
	if _, err := leagueShelf.get(ctx, tx, r.Guild, &league, ""); err != nil {
		return err
	}
	if season, ok := league.Running(); ok {
		r.Season = season.Number
	}
	if err := tx.QueryRow(ctx, "SELECT nextval('result_orders')").Scan(&r.Order); err != nil {
		return err
	}
	if err := insertResult(ctx, tx, r); err != nil {
		return err
	}
	g, err := live(ctx, tx, r.Guild)
	if err != nil {
		return err
	}
	return count(ctx, tx, g, &r)
}

// insertResult enters a result into the lists of results.
func insertResult(ctx context.Context, q querier, r storage.Result) error {
	b, err := sealResult(r)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	batch.Queue("INSERT INTO results (table_id, guild, game, ended, abandoned, plays, ord, value) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
		r.Table, r.Guild, r.Game, r.Ended, r.Ending == games.Abandoned, r.Plays, r.Order, b)
	batch.Queue("INSERT INTO result_users (user_id, ended, table_id) SELECT DISTINCT u, $2::bigint, $3::bigint FROM unnest($1::text[]) AS u",
		usersOf(r), r.Ended, r.Table)
	return q.SendBatch(ctx, batch).Close()
}

func usersOf(r storage.Result) []string {
	users := []string{}
	for _, o := range r.Seats {
		if o.User != "" {
			users = append(users, o.User)
		}
	}
	return users
}

// putResult writes a result anew whose place in the lists is the same.
func putResult(ctx context.Context, q querier, r storage.Result) error {
	b, err := sealResult(r)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, "UPDATE results SET value = $2 WHERE table_id = $1", r.Table, b)
	return err
}

// storedResult reads a result without the ratings after it; lock is "" or " FOR UPDATE".
func storedResult(ctx context.Context, q querier, id storage.ID, lock string) (storage.Result, error) {
	var b []byte
	err := q.QueryRow(ctx, "SELECT value FROM results WHERE table_id = $1"+lock, id).Scan(&b)
	if errors.Is(err, pgx.ErrNoRows) {
		return storage.Result{Table: id}, storage.ErrNoResult
	}
	if err != nil {
		return storage.Result{Table: id}, err
	}
	return parseResult(id, b)
}

// withRatings is what reads the ratings after results beside them.
const withRatings = " LEFT JOIN generations g ON g.guild = r.guild LEFT JOIN ratings a ON a.guild = r.guild AND a.generation = coalesce(g.live, 0) AND a.ord = r.ord"

// rated reads a result with the ratings after it.
func rated(id storage.ID, value, ratings []byte) (storage.Result, error) {
	r, err := parseResult(id, value)
	if err != nil || !r.Counts() || ratings == nil {
		return r, err
	}
	return r, parseRatings(r.Guild, r.Order, ratings, &r.Ratings)
}

func parseRatings(guild string, order uint64, b []byte, list *[]rating.Rating) error {
	return parseJSON(ratingKind, ratingKey(guild, order), b, list, fmt.Sprintf("the ratings after result %d", order))
}

func ratingKey(guild string, order uint64) []byte { return append(words(guild, ""), numbers(order)...) }

// Result returns how a table ended, with the ratings after it, or storage.ErrNoResult.
func (s *leagues) Result(ctx context.Context, id storage.ID) (storage.Result, error) {
	r := storage.Result{Table: id}
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		var value, ratings []byte
		err := q.QueryRow(ctx, "SELECT r.value, a.value FROM results r"+withRatings+" WHERE r.table_id = $1", id).Scan(&value, &ratings)
		if errors.Is(err, pgx.ErrNoRows) {
			return storage.ErrNoResult
		}
		if err == nil {
			r, err = rated(id, value, ratings)
		}
		return err
	})
	return r, err
}

// resultPage is how many results are read at once where it is not known how many will be kept.
const resultPage = 200

// Results lists results, the latest first.
func (s *leagues) Results(ctx context.Context, q storage.ResultQuery) ([]storage.Result, error) {
	from, where, args := "results r", "r.guild = $1", []any{q.Guild}
	switch {
	case q.User != "":
		from, where, args = "result_users u JOIN results r ON r.table_id = u.table_id", "u.user_id = $1", []any{q.User}
	case q.Game != "":
		where, args = where+" AND r.game = $5", append(args, nil, nil, nil, q.Game)
	}
	of := "r"
	if q.User != "" {
		of = "u"
	}
	sql := fmt.Sprintf(`SELECT r.table_id, r.ended, r.value, a.value FROM %s%s WHERE %s AND %s.ended <= $2 AND (%s.ended < $2 OR %s.table_id > $3)
		ORDER BY %s.ended DESC, %s.table_id LIMIT $4`, from, withRatings, where, of, of, of, of, of)
	args = append(args, make([]any, max(0, 4-len(args)))...)
	ended, table := int64(math.MaxInt64), int64(0)
	if q.Before.Table != 0 {
		ended, table = int64(q.Before.Ended), int64(q.Before.Table)
	}
	var list []storage.Result
	for looked, more := 0, true; more && len(list) < q.Limit && (q.Scan == 0 || looked < q.Scan); {
		page := resultPage
		if q.Keep == nil && q.User == "" {
			page = q.Limit - len(list)
		}
		if q.Scan > 0 {
			page = min(page, q.Scan-looked)
		}
		args[1], args[2], args[3] = ended, table, page
		type row struct {
			id             storage.ID
			ended          int64
			value, ratings []byte
		}
		var rows []row
		err := s.read(ctx, func(ctx context.Context, db querier) error {
			found, err := db.Query(ctx, sql, args...)
			if err != nil {
				return err
			}
			rows, err = pgx.CollectRows(found, func(c pgx.CollectableRow) (r row, err error) {
				err = c.Scan(&r.id, &r.ended, &r.value, &r.ratings)
				return r, err
			})
			return err
		})
		if err != nil {
			return list, err
		}
		more = len(rows) == page
		for _, f := range rows {
			if len(list) >= q.Limit {
				break
			}
			looked++
			ended, table = f.ended, int64(f.id)
			r, err := rated(f.id, f.value, f.ratings)
			if err != nil {
				return list, err
			}
			if q.User != "" && (q.Guild != "" && r.Guild != q.Guild || q.Game != "" && r.Game != q.Game) || q.Keep != nil && !q.Keep(r) {
				continue
			}
			list = append(list, r)
		}
	}
	return list, nil
}

// Stats counts what a server has played to an end among these games. Its cost grows with the server's results.
func (s *leagues) Stats(ctx context.Context, guild string, keys []string, now storage.Stamp) (storage.Stats, error) {
	const week = int64(7 * 24 * time.Hour / time.Millisecond)
	var stats storage.Stats
	err := s.snapshot(ctx, func(ctx context.Context, q querier) error {
		stats = storage.Stats{Weeks: make([]int, storage.StatWeeks)}
		rows, err := q.Query(ctx, `SELECT game, ($3 - ended) / $4, count(*), max(ended) FROM results
			WHERE guild = $1 AND game = ANY ($2) AND NOT abandoned GROUP BY 1, 2`, guild, keys, int64(now), week)
		if err != nil {
			return err
		}
		found := map[string]storage.GameStats{}
		var game string
		var back int64
		var n int
		var last storage.Stamp
		if _, err := pgx.ForEachRow(rows, []any{&game, &back, &n, &last}, func() error {
			g := found[game]
			found[game] = storage.GameStats{Game: game, Count: g.Count + n, Last: max(g.Last, last)}
			if back >= 0 && back < storage.StatWeeks {
				stats.Weeks[storage.StatWeeks-1-back] += n
			}
			return nil
		}); err != nil {
			return err
		}
		for _, game := range keys {
			if g, ok := found[game]; ok {
				stats.Games = append(stats.Games, g)
			}
		}
		rows, err = q.Query(ctx, "SELECT r.table_id, r.value, a.value FROM results r"+withRatings+
			" WHERE r.guild = $1 AND NOT r.abandoned ORDER BY r.plays DESC, r.table_id LIMIT $2", guild, storage.StatLongest)
		if err != nil {
			return err
		}
		var id storage.ID
		var value, ratings []byte
		_, err = pgx.ForEachRow(rows, []any{&id, &value, &ratings}, func() error {
			r, err := rated(id, value, ratings)
			stats.Longest = append(stats.Longest, r)
			return err
		})
		return err
	})
	return stats, err
}
