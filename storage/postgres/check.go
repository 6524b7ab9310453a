package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"marque/games"
	"marque/storage"
)

// checkPage is how many tables or results are looked at in one query.
const checkPage = 500

// checker looks through a snapshot of the database.
type checker struct {
	querier
	found *storage.UnsoundError
}

func (c *checker) fault(format string, args ...any) { c.found.Add(fmt.Errorf(format, args...)) }

// Check reads everything and returns what of it is damaged or contradicts the rest: a *storage.UnsoundError. It takes time in proportion to the
// store, beside what goes on.
func (s *Store) Check(ctx context.Context) error {
	var found *storage.UnsoundError
	err := s.snapshot(ctx, func(ctx context.Context, q querier) error {
		found = &storage.UnsoundError{}
		c := &checker{q, found}
		for _, part := range []func(context.Context) error{c.tables, c.strays, c.results, c.shelves, c.scores, c.jobs, c.standings} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(found.Faults) > 0 {
		return found
	}
	return nil
}

// tableRow is all that is stored of a table.
type tableRow struct {
	headRow
	listing              int64
	turnUser             *string
	turnSince, dueNext   *int64
	published            uint64
	note, detail, review []byte
	pending, result      bool
	events               [][]byte
	guild, channel, game *string
	status               *int16
	over, paused         *bool
	rematch              *int64
	users                []string
	seatsOver            []bool
	eventVersions        []uint64
}

func (c *checker) tables(ctx context.Context) error {
	last := storage.ID(0)
	for {
		rows, err := c.Query(ctx, `SELECT t.id, t.version, t.events, t.head, t.listing, t.turn_user, t.turn_since, t.due_next, t.published, t.note, t.pending,
			(SELECT value FROM details d WHERE d.table_id = t.id), (SELECT value FROM reviews v WHERE v.table_id = t.id),
			EXISTS (SELECT FROM results r WHERE r.table_id = t.id),
			(SELECT array_agg(e.value ORDER BY e.number) FROM events e WHERE e.table_id = t.id),
			(SELECT array_agg(e.version ORDER BY e.number) FROM events e WHERE e.table_id = t.id),
			l.guild, l.channel, l.game, l.status, l.over, l.paused, l.rematch,
			(SELECT array_agg(s.user_id ORDER BY s.user_id) FROM seats s WHERE s.table_id = t.id),
			(SELECT array_agg(s.over ORDER BY s.user_id) FROM seats s WHERE s.table_id = t.id)
			FROM tables t LEFT JOIN listings l ON l.id = t.id WHERE t.id > $1 ORDER BY t.id LIMIT $2`, last, checkPage)
		if err != nil {
			return err
		}
		n := 0
		var r tableRow
		if _, err := pgx.ForEachRow(rows, []any{&r.id, &r.version, &r.headRow.events, &r.head, &r.listing, &r.turnUser, &r.turnSince, &r.dueNext, &r.published,
			&r.note, &r.pending, &r.detail, &r.review, &r.result, &r.events, &r.eventVersions,
			&r.guild, &r.channel, &r.game, &r.status, &r.over, &r.paused, &r.rematch, &r.users, &r.seatsOver}, func() error {
			n++
			last = r.id
			c.table(&r)
			return nil
		}); err != nil {
			return err
		}
		if n < checkPage {
			break
		}
	}
	var given storage.ID
	if err := c.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM table_ids").Scan(&given); err != nil {
		return err
	}
	if last > given {
		c.fault("table %d is stored, but only %d were given numbers", last, given)
	}
	return nil
}

func (c *checker) table(r *tableRow) {
	h, err := parseHead(r.id, r.version, r.headRow.events, r.head)
	if err != nil {
		c.fault("%w", err)
		return
	}
	if events, err := parseEvents(h, 0, r.events); err != nil {
		c.fault("%w", err)
	} else {
		for i, e := range events {
			if e.Version != r.eventVersions[i] || i > 0 && e.Version < events[i-1].Version {
				c.fault("event %d of table %d is not of version %d", i, h.ID, r.eventVersions[i])
			}
		}
	}
	if _, err := parseDetail(h.ID, r.detail); err != nil {
		c.fault("%w", err)
	}
	if _, err := parseNote(h.ID, r.published, r.note); err != nil {
		c.fault("%w", err)
	}
	if r.review != nil {
		if err := parseReview(h.ID, r.review, new(storage.Review)); err != nil {
			c.fault("%w", err)
		}
	}
	if r.published > h.Version || r.pending != (r.published < h.Version) {
		c.fault("table %d has version %d, published %d, marked %v", h.ID, h.Version, r.published, r.pending)
	}
	if r.result && h.Status != storage.Over {
		c.fault("table %d has a result but is not over", h.ID)
	}
	user, since := turnOf(h)
	if !same(user, r.turnUser) || !same(since, r.turnSince) || !same(nextDue(h), r.dueNext) {
		c.fault("table %d is not as it should be in the indexes of turns and of what falls due", h.ID)
	}
	l := listingOf(h)
	slices.Sort(l.users)
	listed := r.guild != nil && *r.guild == l.guild && *r.channel == l.channel && *r.game == l.game && *r.status == l.status && *r.over == l.over &&
		*r.paused == l.paused && *r.rematch == l.rematch && slices.Equal(r.users, l.users) && !slices.Contains(r.seatsOver, !l.over)
	if !listed || r.listing != listingOf(h).digest() {
		c.fault("table %d is not as it should be in the lists of tables", h.ID)
	}
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// strays are rows of tables that are not there.
func (c *checker) strays(ctx context.Context) error {
	for _, of := range []struct{ table, column string }{
		{"listings", "id"}, {"seats", "table_id"}, {"details", "table_id"}, {"events", "table_id"}, {"reviews", "table_id"}, {"results", "table_id"},
		{"result_users", "table_id"},
	} {
		var n int
		if err := c.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM %s x WHERE NOT EXISTS (SELECT FROM tables t WHERE t.id = x.%s)", of.table, of.column)).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			c.fault("%d rows of %s are of tables that are not there", n, of.table)
		}
	}
	return nil
}

func (c *checker) results(ctx context.Context) error {
	last, order := storage.ID(0), uint64(0)
	for {
		rows, err := c.Query(ctx, `SELECT r.table_id, r.guild, r.game, r.ended, r.abandoned, r.plays, r.ord, r.value,
			(SELECT array_agg(u.user_id ORDER BY u.user_id) FROM result_users u WHERE u.table_id = r.table_id AND u.ended = r.ended)
			FROM results r WHERE r.table_id > $1 ORDER BY r.table_id LIMIT $2`, last, checkPage)
		if err != nil {
			return err
		}
		n := 0
		var f storage.Result
		var abandoned bool
		var value []byte
		var users []string
		if _, err := pgx.ForEachRow(rows, []any{&f.Table, &f.Guild, &f.Game, &f.Ended, &abandoned, &f.Plays, &f.Order, &value, &users}, func() error {
			n++
			last, order = f.Table, max(order, f.Order)
			r, err := parseResult(f.Table, value)
			if err != nil {
				c.fault("%w", err)
				return nil
			}
			want := usersOf(r)
			slices.Sort(want)
			if r.Guild != f.Guild || r.Game != f.Game || r.Ended != f.Ended || (r.Ending == games.Abandoned) != abandoned || r.Plays != f.Plays ||
				r.Order != f.Order || !slices.Equal(slices.Compact(want), users) {
				c.fault("the result of table %d is not as it should be in the lists of results", f.Table)
			}
			return nil
		}); err != nil {
			return err
		}
		if n < checkPage {
			break
		}
	}
	var given uint64
	if err := c.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM result_orders").Scan(&given); err != nil {
		return err
	}
	if order > given {
		c.fault("result %d is stored, but only %d were given numbers", order, given)
	}
	return nil
}

func (c *checker) shelves(ctx context.Context) error {
	for _, f := range []shelf{guildShelf, userShelf, leagueShelf, noteShelf} {
		rows, err := c.Query(ctx, "SELECT "+f.key+", value FROM "+f.table+" ORDER BY 1")
		if err != nil {
			return err
		}
		var of string
		var value []byte
		if _, err := pgx.ForEachRow(rows, []any{&of, &value}, func() error {
			var into any
			if f.table == leagueShelf.table {
				into = new(storage.League)
			} else {
				into = new(any)
			}
			if err := parseJSON(f.kind, words(of), value, into, f.what+" "+of); err != nil {
				c.fault("%w", err)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// scores compares the table of scores with the settings of users.
func (c *checker) scores(ctx context.Context) error {
	rows, err := c.Query(ctx, `SELECT u.user_id, u.value, (SELECT coalesce(json_agg(json_build_object('server', guild, 'month', month, 'solved', solved, 'first', first)
		ORDER BY guild, month), '[]') FROM scores s WHERE s.user_id = u.user_id) FROM user_settings u`)
	if err != nil {
		return err
	}
	var of string
	var value []byte
	var has []storage.Score
	if _, err := pgx.ForEachRow(rows, []any{&of, &value, &has}, func() error {
		var settings json.RawMessage
		if err := parseJSON(userKind, words(of), value, &settings, userShelf.what+" "+of); err != nil {
			return nil //nolint:nilerr // shelves has named it
		}
		should := storage.ScoresIn(settings)
		slices.SortFunc(should, func(a, b storage.Score) int {
			return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Month, b.Month))
		})
		if !slices.Equal(has, should) {
			c.fault("the scores of user %s are not as the settings say", of)
		}
		has = nil
		return nil
	}); err != nil {
		return err
	}
	var n int
	if err := c.QueryRow(ctx, "SELECT count(*) FROM scores s WHERE NOT EXISTS (SELECT FROM user_settings u WHERE u.user_id = s.user_id)").Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		c.fault("%d scores are of users who have no settings", n)
	}
	return nil
}

func (c *checker) jobs(ctx context.Context) error {
	rows, err := c.Query(ctx, "SELECT kind, of, value FROM jobs")
	if err != nil {
		return err
	}
	var kind, of string
	var value []byte
	_, err = pgx.ForEachRow(rows, []any{&kind, &of, &value}, func() error {
		if err := parseJSON(jobKind, words(kind, of), value, new(job), jobWhat); err != nil {
			c.fault("%w", err)
		}
		return nil
	})
	return err
}

// standings counts all results anew and compares, but for servers whose leaderboards are being changed.
func (c *checker) standings(ctx context.Context) error {
	if len(c.found.Faults) > 0 {
		return nil
	}
	var renaming bool
	if err := c.QueryRow(ctx, "SELECT EXISTS (SELECT FROM jobs WHERE kind = $1)", forgetting).Scan(&renaming); err != nil || renaming {
		return err
	}
	rows, err := c.Query(ctx, "SELECT guild FROM (SELECT guild FROM results UNION SELECT guild FROM standings) AS g WHERE NOT EXISTS (SELECT FROM jobs WHERE of = guild) ORDER BY 1")
	if err != nil {
		return err
	}
	guilds, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, guild := range guilds {
		if _, _, err := difference(ctx, c, guild, c.fault); err != nil {
			return err
		}
		var left int
		g, err := live(ctx, c, guild)
		if err != nil {
			return err
		}
		if err := c.QueryRow(ctx, "SELECT count(*) FROM standings WHERE guild = $1 AND generation <> $2", guild, g).Scan(&left); err != nil {
			return err
		}
		if left > 0 {
			c.fault("server %s has %d standings that do not count", guild, left)
		}
	}
	return nil
}
