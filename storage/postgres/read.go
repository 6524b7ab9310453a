package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"marque/storage"
)

// Load returns all that is stored of a table, or storage.ErrNoTable.
func (s *lists) Load(ctx context.Context, id storage.ID) (storage.Table, error) {
	return s.load(ctx, id, `SELECT t.version, t.events, t.head, t.published, t.note, d.value,
		(SELECT array_agg(e.value ORDER BY e.version, e.number) FROM events e WHERE e.table_id = t.id)
		FROM tables t LEFT JOIN details d ON d.table_id = t.id WHERE t.id = $1`, true)
}

// News returns a table's head, the events after the last version that was published, that version, and the publisher's note of then;
// or storage.ErrNoTable. Detail is left empty.
func (s *lists) News(ctx context.Context, id storage.ID) (storage.Table, error) {
	return s.load(ctx, id, `SELECT t.version, t.events, t.head, t.published, t.note, NULL::bytea,
		(SELECT array_agg(e.value ORDER BY e.version, e.number) FROM events e WHERE e.table_id = t.id AND e.version > t.published)
		FROM tables t WHERE t.id = $1`, false)
}

func (s *lists) load(ctx context.Context, id storage.ID, sql string, whole bool) (storage.Table, error) {
	var table storage.Table
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		var version, number, published uint64
		var head, note, detail []byte
		var events [][]byte
		err := q.QueryRow(ctx, sql, id).Scan(&version, &number, &head, &published, &note, &detail, &events)
		if errors.Is(err, pgx.ErrNoRows) {
			return storage.ErrNoTable
		}
		if err != nil {
			return err
		}
		table = storage.Table{Published: published}
		if table.Head, err = parseHead(id, version, number, head); err != nil {
			return err
		}
		if whole {
			if table.Detail, err = parseDetail(id, detail); err != nil {
				return err
			}
		}
		first := uint64(0)
		if !whole {
			first = number - min(number, uint64(len(events)))
		}
		if table.Events, err = parseEvents(table.Head, first, events); err != nil {
			return err
		}
		table.Note, err = parseNote(id, published, note)
		return err
	})
	return table, err
}

// Head returns a table's head, or storage.ErrNoTable.
func (s *lists) Head(ctx context.Context, id storage.ID) (storage.Head, error) {
	var h storage.Head
	err := s.read(ctx, func(ctx context.Context, q querier) (err error) {
		h, err = loadHead(ctx, q, id, "")
		return err
	})
	return h, err
}

// loadHead reads a table's head; lock is "" or " FOR NO KEY UPDATE".
func loadHead(ctx context.Context, q querier, id storage.ID, lock string) (storage.Head, error) {
	var version, events uint64
	var head []byte
	err := q.QueryRow(ctx, "SELECT version, events, head FROM tables WHERE id = $1"+lock, id).Scan(&version, &events, &head)
	if errors.Is(err, pgx.ErrNoRows) {
		return storage.Head{}, storage.ErrNoTable
	}
	if err != nil {
		return storage.Head{}, err
	}
	return parseHead(id, version, events, head)
}

// ByGuild lists tables of a server, as storage.Engine says.
func (s *lists) ByGuild(ctx context.Context, guild string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	return s.list(ctx, "SELECT id FROM listings WHERE guild = $1 AND over = $2", guild, phase, after, limit)
}

// ByChannel lists the tables of a channel as ByGuild does.
func (s *lists) ByChannel(ctx context.Context, channel string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	return s.list(ctx, "SELECT id FROM listings WHERE channel = $1 AND over = $2", channel, phase, after, limit)
}

// ByUser lists the tables at which a user holds a seat as ByGuild does.
func (s *lists) ByUser(ctx context.Context, user string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	return s.list(ctx, "SELECT table_id AS id FROM seats WHERE user_id = $1 AND over = $2", user, phase, after, limit)
}

// list lists tables by a query of what and phase. A damaged table takes no room in the list.
func (s *lists) list(ctx context.Context, ids, what string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error) {
	if limit <= 0 {
		return nil, ctx.Err()
	}
	order, behind := "", ">"
	if phase == storage.Finished {
		order, behind = " DESC", "<"
	}
	sql := "SELECT t.id, t.version, t.events, t.head FROM (SELECT id FROM (" + ids + ") AS every WHERE $3 = 0 OR id " + behind + " $3 ORDER BY id" + order +
		" LIMIT $4) AS l JOIN tables t ON t.id = l.id ORDER BY t.id" + order
	var list []storage.Head
	for {
		n := 0
		last := after
		err := s.read(ctx, func(ctx context.Context, q querier) error {
			rows, err := q.Query(ctx, sql, what, bool(phase), after, limit-len(list))
			if err != nil {
				return err
			}
			found, err := pgx.CollectRows(rows, rowOfHead)
			if err != nil {
				return err
			}
			n = len(found)
			for _, r := range found {
				last = r.id
				if h, err := parseHead(r.id, r.version, r.events, r.head); err == nil {
					list = append(list, h)
				}
			}
			return nil
		})
		if err != nil || n == 0 || len(list) >= limit {
			return list, err
		}
		if after = last; n < limit && len(list) == n {
			return list, nil
		}
	}
}

// headRow is a head as it is stored.
type headRow struct {
	id              storage.ID
	version, events uint64
	head            []byte
}

func rowOfHead(row pgx.CollectableRow) (r headRow, err error) {
	err = row.Scan(&r.id, &r.version, &r.events, &r.head)
	return r, err
}

// Pending lists the tables with versions that are not published, by rising id, of those behind after.
func (s *lists) Pending(ctx context.Context, after storage.ID, limit int) ([]storage.ID, error) {
	return s.ids(ctx, "SELECT id FROM tables WHERE pending AND id > $1 ORDER BY id LIMIT $2", after, max(0, limit))
}

// ids lists what a query finds.
func (s *lists) ids(ctx context.Context, sql string, args ...any) ([]storage.ID, error) {
	var list []storage.ID
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, pgx.RowTo[storage.ID])
		return err
	})
	return list, err
}

// dueStep is the length of the steps that the column due_step counts.
const dueStep = 300_000

// DueUntil lists the moments that fall due at until or before: by moment, then by id, then by kind.
func (s *lists) DueUntil(ctx context.Context, until storage.Stamp, limit int) ([]storage.DueTable, error) {
	var list []storage.DueTable
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		// As many tables as moments are asked for have them all.
		rows, err := q.Query(ctx, `SELECT id, version, events, head FROM tables
			WHERE due_step <= $1 AND due_next <= $2 ORDER BY due_step, due_next, id LIMIT $3`, int64(until)/dueStep, until, max(0, limit))
		if err != nil {
			return err
		}
		list = nil
		return eachHead(rows, func(h storage.Head, _ []byte) error {
			for _, d := range h.Due {
				if d.At <= until {
					list = append(list, storage.DueTable{Table: h.ID, Due: d})
				}
			}
			return nil
		})
	})
	slices.SortFunc(list, compareDue)
	return list[:min(len(list), max(0, limit))], err
}

// Turns lists tables that wait for a user's move: by Since, then by id.
func (s *lists) Turns(ctx context.Context, user string, limit int) ([]storage.Turn, error) {
	var list []storage.Turn
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, `SELECT t.id, l.guild, t.turn_since FROM seats s JOIN tables t ON t.id = s.table_id JOIN listings l ON l.id = t.id
			WHERE s.user_id = $1 AND NOT s.over AND t.turn_user = $1 ORDER BY t.turn_since, t.id LIMIT $2`, user, max(0, limit))
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t storage.Turn, err error) {
			err = row.Scan(&t.Table, &t.Guild, &t.Since)
			return t, err
		})
		return err
	})
	return list, err
}

// RematchOf returns the table that goes on as the rematch of another, the oldest when there are several; 0 when there is none.
func (s *lists) RematchOf(ctx context.Context, id storage.ID) (storage.ID, error) {
	list, err := s.ids(ctx, "SELECT id FROM listings WHERE rematch = $1 AND rematch <> 0 AND NOT over ORDER BY id LIMIT 1", id)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0], nil
}

// Naming lists the tables that go on in which a user sits, is invited, has a place in the order, or is the host, by id. It takes time
// in proportion to the tables that go on.
func (s *lists) Naming(ctx context.Context, user string) ([]storage.ID, error) {
	var ids []storage.ID
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		ids = nil
		rows, err := q.Query(ctx, `SELECT t.id, t.version, t.events, t.head, d.value FROM listings l JOIN tables t ON t.id = l.id LEFT JOIN details d ON d.table_id = l.id
			WHERE NOT l.over AND (position($1::bytea IN t.head) > 0 OR position($1::bytea IN d.value) > 0) ORDER BY l.id`, []byte(user))
		if err != nil {
			return err
		}
		return eachHead(rows, func(h storage.Head, detail []byte) error {
			named := h.Host == user || h.Seat(user) >= 0
			if !named {
				d, err := parseDetail(h.ID, detail)
				if err != nil {
					return err
				}
				named = slices.Contains(d.Invited, user) || slices.Contains(d.Order, user)
			}
			if named {
				ids = append(ids, h.ID)
			}
			return nil
		})
	})
	return ids, err
}

// LastKnown is the latest moment that a store knows of: when the bot was last noted to be up, or when a table that goes on changed. It
// takes time in proportion to these tables.
func (s *Store) LastKnown(ctx context.Context) (storage.Stamp, error) {
	up, err := s.Uptime(ctx)
	if err != nil {
		return 0, err
	}
	latest := up.Alive
	for _, down := range up.Down {
		latest = max(latest, down.To)
	}
	err = s.read(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, "SELECT t.id, t.version, t.events, t.head FROM listings l JOIN tables t ON t.id = l.id WHERE NOT l.over")
		if err != nil {
			return err
		}
		return eachHead(rows, func(h storage.Head, _ []byte) error {
			latest = max(latest, h.Changed)
			return nil
		})
	})
	return latest, err
}

// Tally counts all tables by game and state.
func (s *Store) Tally(ctx context.Context) (map[storage.Group]int, error) {
	counts := map[storage.Group]int{}
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, "SELECT game, status, paused, count(*) FROM listings GROUP BY game, status, paused")
		if err != nil {
			return err
		}
		clear(counts)
		var g storage.Group
		var n int
		_, err = pgx.ForEachRow(rows, []any{&g.Game, &g.Status, &g.Paused, &n}, func() error {
			counts[g] = n
			return nil
		})
		return err
	})
	return counts, err
}

// Size says how large the database is. What is free in it is the server's affair.
func (s *Store) Size(ctx context.Context) (size storage.Size, err error) {
	err = s.read(ctx, func(ctx context.Context, q querier) error {
		return q.QueryRow(ctx, "SELECT pg_database_size(current_database())").Scan(&size.Bytes)
	})
	return size, err
}

// Guilds lists the servers of which something is stored, in the order of their ids.
func (s *Store) Guilds(ctx context.Context) ([]string, error) {
	var guilds []string
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, `SELECT guild FROM listings WHERE guild <> '' UNION SELECT guild FROM guild_settings WHERE guild <> ''
			UNION SELECT guild FROM leagues WHERE guild <> '' ORDER BY guild`)
		if err != nil {
			return err
		}
		guilds, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return guilds, err
}

func compareDue(a, b storage.DueTable) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Table, b.Table), cmp.Compare(a.Kind, b.Kind))
}
