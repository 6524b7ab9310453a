package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"

	"marque/games/rating"
	"marque/games/text"
	"marque/storage"
)

// generation is 0 or 1, see live.
type generation int16

func (g generation) other() generation { return 1 - g }

// live is the generation of a server's leaderboards that counts.
func live(ctx context.Context, q querier, guild string) (g generation, err error) {
	err = q.QueryRow(ctx, "SELECT live FROM generations WHERE guild = $1", guild).Scan(&g)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return g, err
}

func setLive(ctx context.Context, q querier, guild string, g generation) error {
	_, err := q.Exec(ctx, "INSERT INTO generations (guild, live) VALUES ($1, $2) ON CONFLICT (guild) DO UPDATE SET live = excluded.live", guild, g)
	return err
}

// lineKey names a line of a server's leaderboards.
type lineKey struct {
	game      string
	computers bool
	season    int
	player    string
}

func keyOf(b storage.Board, player string) lineKey {
	return lineKey{b.Game, b.Computers, b.Season, player}
}

func (k lineKey) seal(guild string) []byte {
	return words(guild, k.game, strconv.FormatBool(k.computers), strconv.Itoa(k.season), k.player)
}

func (k lineKey) String() string {
	return fmt.Sprintf("the standing of %s at %q (season %d)", k.player, k.game, k.season)
}

// sure is what lines are ranked by.
func sure(s storage.Standing) int64 { return int64(math.Round(s.Rating.Sure() * 1e6)) }

// parseLine reads a line; its Player is the key's.
func parseLine(guild string, k lineKey, b []byte) (storage.Standing, error) {
	l := storage.Standing{Player: k.player}
	return l, parseJSON(standingKind, k.seal(guild), b, &l, fmt.Sprintf("%v of server %s", k, guild))
}

// lineBatch gathers lines to be written in one statement.
type lineBatch struct {
	guild       string
	generation  generation
	games       []string
	computers   []bool
	seasons     []int
	players     []string
	sure, count []int64
	values      [][]byte
}

func (b *lineBatch) add(k lineKey, s storage.Standing) error {
	v, err := sealJSON(standingKind, k.seal(b.guild), s)
	if err != nil {
		return err
	}
	b.games, b.computers, b.seasons, b.players = append(b.games, k.game), append(b.computers, k.computers), append(b.seasons, k.season), append(b.players, k.player)
	b.sure, b.count, b.values = append(b.sure, sure(s)), append(b.count, int64(s.RankedGames(k.computers))), append(b.values, v)
	return nil
}

func (b *lineBatch) put(ctx context.Context, q querier) error {
	_, err := q.Exec(ctx, `INSERT INTO standings (guild, generation, game, computers, season, player, sure, games, value)
		SELECT $1::text, $2::smallint, * FROM unnest($3::text[], $4::boolean[], $5::integer[], $6::text[], $7::bigint[], $8::bigint[], $9::bytea[])
		ON CONFLICT (guild, generation, game, computers, season, player) DO UPDATE SET sure = excluded.sure, games = excluded.games, value = excluded.value`,
		b.guild, b.generation, b.games, b.computers, b.seasons, b.players, b.sure, b.count, b.values)
	return err
}

// count counts a result on its leaderboards, in a generation of them, and keeps the ratings after it. The caller holds the lock of the
// server's leaderboards.
func count(ctx context.Context, tx pgx.Tx, g generation, r *storage.Result) error {
	lines := map[lineKey]*storage.Standing{}
	if r.Counts() {
		var players []string
		for _, o := range r.Seats {
			if p := o.Player(); p != "" {
				players = append(players, p)
			}
		}
		rows, err := tx.Query(ctx, `SELECT game, season, player, value FROM standings WHERE guild = $1 AND generation = $2 AND game = ANY ($3)
			AND computers = $4 AND season = ANY ($5) AND player = ANY ($6)`,
			r.Guild, g, []string{r.Game, storage.AllGames}, r.Computers(), []int{0, r.Season}, players)
		if err != nil {
			return err
		}
		k := lineKey{computers: r.Computers()}
		var value []byte
		if _, err := pgx.ForEachRow(rows, []any{&k.game, &k.season, &k.player, &value}, func() error {
			l, err := parseLine(r.Guild, k, value)
			lines[k] = &l
			return err
		}); err != nil {
			return err
		}
	}
	used := &lineBatch{guild: r.Guild, generation: g}
	asked := map[lineKey]bool{}
	err := r.Rate(func(b storage.Board, player string) (*storage.Standing, error) {
		k := keyOf(b, player)
		if lines[k] == nil {
			lines[k] = &storage.Standing{Player: player, Rating: rating.New()}
		}
		asked[k] = true
		return lines[k], nil
	})
	if err != nil {
		return err
	}
	for k := range asked {
		if err := used.add(k, *lines[k]); err != nil {
			return err
		}
	}
	if len(asked) > 0 {
		if err := used.put(ctx, tx); err != nil {
			return err
		}
	}
	b, err := sealJSON(ratingKind, ratingKey(r.Guild, r.Order), r.Ratings)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO ratings (guild, generation, ord, value) VALUES ($1, $2, $3, $4)
		ON CONFLICT (guild, generation, ord) DO UPDATE SET value = excluded.value`, r.Guild, g, r.Order, b)
	return err
}

// departed tells players who have departed from others.
const departed = "player LIKE '" + storage.Departed + "_%'"

// Leaderboard is a page of a leaderboard, as storage.Engine says. Its cost grows with the number of ranked players.
func (s *leagues) Leaderboard(ctx context.Context, q storage.BoardQuery) (storage.BoardPage, error) {
	var page storage.BoardPage
	err := s.snapshot(ctx, func(ctx context.Context, db querier) error {
		page = storage.BoardPage{}
		g, err := live(ctx, db, q.Guild)
		if err != nil {
			return err
		}
		if page.Recounting, err = isAsked(ctx, db, recounting, q.Guild); err != nil {
			return err
		}
		const ranked = `SELECT player, value, rank() OVER (ORDER BY sure DESC) AS rank, row_number() OVER (ORDER BY sure DESC, games, player) AS number
			FROM standings WHERE guild = $1 AND generation = $2 AND game = $3 AND computers = $4 AND season = $5 AND games >= $6 AND NOT ` + departed
		board := []any{q.Guild, g, q.Game, q.Computers, q.Season, q.Least}
		rows, err := db.Query(ctx, "SELECT player, value, rank, number FROM ("+ranked+") AS r WHERE number > $7 AND number <= $8 OR player = $9 ORDER BY number",
			append(board, q.Offset, q.Offset+max(0, q.Limit), q.Own)...)
		if err != nil {
			return err
		}
		var player string
		var value []byte
		var rank, number int
		if _, err := pgx.ForEachRow(rows, []any{&player, &value, &rank, &number}, func() error {
			if q.Own != "" && player == q.Own {
				page.Own.Rank = rank
			}
			if number <= q.Offset || number > q.Offset+q.Limit {
				return nil
			}
			l, err := parseLine(q.Guild, keyOf(q.Board, player), value)
			page.Lines = append(page.Lines, storage.Ranked{Rank: rank, Standing: l})
			return err
		}); err != nil {
			return err
		}
		if err := db.QueryRow(ctx, `SELECT count(*) FROM standings WHERE guild = $1 AND generation = $2 AND game = $3 AND computers = $4 AND season = $5
			AND games >= $6 AND NOT `+departed, board...).Scan(&page.Total); err != nil {
			return err
		}
		page.Own.Player = q.Own
		if q.Own == "" {
			return nil
		}
		page.Own.Standing, err = readLine(ctx, db, g, q.Guild, keyOf(q.Board, q.Own))
		return err
	})
	return page, err
}

// readLine reads a line; it is zero but for the player where there is none.
func readLine(ctx context.Context, q querier, g generation, guild string, k lineKey) (storage.Standing, error) {
	var value []byte
	err := q.QueryRow(ctx, "SELECT value FROM standings WHERE guild = $1 AND generation = $2 AND game = $3 AND computers = $4 AND season = $5 AND player = $6",
		guild, g, k.game, k.computers, k.season, k.player).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return storage.Standing{Player: k.player}, nil
	}
	if err != nil {
		return storage.Standing{Player: k.player}, err
	}
	return parseLine(guild, k, value)
}

// Standing is a player's own line of a leaderboard. It is zero but for the player when they have not played.
func (s *leagues) Standing(ctx context.Context, b storage.Board, player string) (storage.Standing, error) {
	l := storage.Standing{Player: player}
	err := s.snapshot(ctx, func(ctx context.Context, q querier) error {
		g, err := live(ctx, q, b.Guild)
		if err == nil {
			l, err = readLine(ctx, q, g, b.Guild, keyOf(b, player))
		}
		return err
	})
	return l, err
}

// League is what a server has set for its leaderboards.
func (s *leagues) League(ctx context.Context, guild string) (storage.League, error) {
	var l storage.League
	err := s.get(ctx, leagueShelf, guild, &l)
	return l, err
}

// editLeague changes what a server has set. edit may be run more than once; again is as of write.
func (s *leagues) editLeague(ctx context.Context, guild string, edit func(l *storage.League, again bool) error) (storage.League, error) {
	var l storage.League
	if err := checkWords(guild); err != nil {
		return l, err
	}
	err := s.write(ctx, func(ctx context.Context, tx pgx.Tx, again bool) error {
		// Games that end meanwhile are in the season before or in this one.
		if err := lock(ctx, tx, lockLeague, guild); err != nil {
			return err
		}
		l = storage.League{}
		if _, err := leagueShelf.get(ctx, tx, guild, &l, ""); err != nil {
			return err
		}
		if err := edit(&l, again); err != nil {
			return err
		}
		return leagueShelf.put(ctx, tx, guild, l)
	})
	return l, err
}

// SetLeast sets how many games a player of the server needs to be ranked.
func (s *leagues) SetLeast(ctx context.Context, guild string, least int) error {
	_, err := s.editLeague(ctx, guild, func(l *storage.League, _ bool) error {
		l.Least = least
		return nil
	})
	return err
}

// StartSeason begins the server's next season. It returns storage.ErrSeasonRuns.
func (s *leagues) StartSeason(ctx context.Context, guild string, title text.Name, now storage.Stamp) (storage.Season, error) {
	l, err := s.editLeague(ctx, guild, func(l *storage.League, again bool) error {
		if season, ok := l.Running(); again && ok && season.Started == now && season.Name == title {
			return nil // by an earlier run
		}
		return l.StartSeason(title, now)
	})
	if err != nil {
		return storage.Season{}, err
	}
	return l.Seasons[len(l.Seasons)-1], nil
}

// EndSeason ends the season that runs. It returns storage.ErrNoSeason.
func (s *leagues) EndSeason(ctx context.Context, guild string, now storage.Stamp) (storage.Season, error) {
	l, err := s.editLeague(ctx, guild, func(l *storage.League, again bool) error {
		if n := len(l.Seasons); again && n > 0 && l.Seasons[n-1].Ended == now {
			return nil // by an earlier run
		}
		return l.EndSeason(now)
	})
	if err != nil {
		return storage.Season{}, err
	}
	return l.Seasons[len(l.Seasons)-1], nil
}
