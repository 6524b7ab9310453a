package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"marque/storage"
)

// shelf is a table of values by name.
type shelf struct {
	table, key string // its name, that of the column
	kind       []byte
	what       string // of its values, for errors
}

var (
	guildShelf  = shelf{"guild_settings", "guild", guildKind, "the settings of server"}
	userShelf   = shelf{"user_settings", "user_id", userKind, "the settings of user"}
	leagueShelf = shelf{"leagues", "guild", leagueKind, "the seasons of server"}
	noteShelf   = shelf{"notes", "name", botKind, "the bot's"}
)

// get reads a value into v, which stays as it is where there is none; lock is "" or " FOR UPDATE".
func (f shelf) get(ctx context.Context, q querier, of string, v any, lock string) (found bool, err error) {
	var b []byte
	err = q.QueryRow(ctx, "SELECT value FROM "+f.table+" WHERE "+f.key+" = $1"+lock, of).Scan(&b)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, parseJSON(f.kind, words(of), b, v, f.what+" "+of)
}

func (f shelf) put(ctx context.Context, q querier, of string, v any) error {
	b, err := sealJSON(f.kind, words(of), v)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, "INSERT INTO "+f.table+" ("+f.key+", value) VALUES ($1, $2) ON CONFLICT ("+f.key+") DO UPDATE SET value = excluded.value", of, b)
	return err
}

func (d *database) get(ctx context.Context, f shelf, of string, v any) error {
	if err := checkWords(of); err != nil {
		return nil //nolint:nilerr // nothing can be stored under it
	}
	return d.read(ctx, func(ctx context.Context, q querier) error {
		_, err := f.get(ctx, q, of, v, "")
		return err
	})
}

// revise stores what edit makes of a value.
func (d *database) revise(ctx context.Context, f shelf, of string, edit storage.Edit) error {
	if err := checkWords(of); err != nil {
		return err
	}
	for stored := false; !stored; {
		var before []byte
		err := d.read(ctx, func(ctx context.Context, q querier) error {
			before = nil
			err := q.QueryRow(ctx, "SELECT value FROM "+f.table+" WHERE "+f.key+" = $1", of).Scan(&before)
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
		v, err := edit(func(v any) error {
			if before == nil {
				return nil
			}
			return parseJSON(f.kind, words(of), before, v, f.what+" "+of)
		})
		if err != nil || v == nil {
			return err
		}
		b, err := sealJSON(f.kind, words(of), v)
		if err != nil {
			return err
		}
		if stored, err = d.swap(ctx, f, of, before, b); err != nil {
			return err
		}
	}
	return nil
}

// swap stores a value where before is stored, nil for none, and reports whether it did.
func (d *database) swap(ctx context.Context, f shelf, of string, before, value []byte) (did bool, err error) {
	err = d.write(ctx, func(ctx context.Context, tx pgx.Tx, again bool) error {
		sql := "UPDATE " + f.table + " SET value = $2 WHERE " + f.key + " = $1 AND value = $3"
		args := []any{of, value, before}
		if before == nil {
			sql, args = "INSERT INTO "+f.table+" ("+f.key+", value) VALUES ($1, $2) ON CONFLICT DO NOTHING", args[:2]
		}
		tag, err := tx.Exec(ctx, sql, args...)
		if did = err == nil && tag.RowsAffected() > 0; did || err != nil || !again {
			return err
		}
		// Perhaps it was stored by an earlier run.
		return tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+f.table+" WHERE "+f.key+" = $1 AND value = $2)", of, value).Scan(&did)
	})
	return did, err
}

// GuildSettings reads a server's settings into v, a pointer to a struct with JSON tags. What was never set stays as it is in v.
func (s *choices) GuildSettings(ctx context.Context, guild string, v any) error {
	return s.get(ctx, guildShelf, guild, v)
}

// ChangeGuildSettings stores what edit makes of a server's settings, as storage.Engine says.
func (s *choices) ChangeGuildSettings(ctx context.Context, guild string, edit storage.Edit) error {
	return s.revise(ctx, guildShelf, guild, edit)
}

// UserSettings reads a user's settings into v, as GuildSettings does.
func (s *choices) UserSettings(ctx context.Context, user string, v any) error {
	return s.get(ctx, userShelf, user, v)
}

// ChangeUserSettings stores what edit makes of a user's settings, as storage.Engine says.
func (s *choices) ChangeUserSettings(ctx context.Context, user string, edit storage.Edit) error {
	return s.revise(ctx, userShelf, user, edit)
}

// UsersNaming lists the users whose settings contain an id, in the order of their own. It takes time in proportion to the users.
func (s *choices) UsersNaming(ctx context.Context, id string) ([]string, error) {
	var users []string
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, "SELECT user_id FROM user_settings WHERE position($1::bytea IN value) > 0 ORDER BY user_id", []byte(id))
		if err != nil {
			return err
		}
		users, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return users, err
}

// Scores is a server's table of a month, as storage.Engine says.
func (s *choices) Scores(ctx context.Context, server, month string, limit int) (storage.ScorePage, error) {
	var page storage.ScorePage
	if err := checkWords(server, month); err != nil {
		return page, nil //nolint:nilerr // nothing can be stored under it
	}
	err := s.snapshot(ctx, func(ctx context.Context, q querier) error {
		page = storage.ScorePage{}
		if err := q.QueryRow(ctx, "SELECT count(*) FROM scores WHERE guild = $1 AND month = $2", server, month).Scan(&page.Total); err != nil {
			return err
		}
		rows, err := q.Query(ctx, "SELECT user_id, guild, month, solved, first FROM scores WHERE guild = $1 AND month = $2 ORDER BY solved DESC, first DESC, user_id LIMIT $3",
			server, month, max(0, limit))
		if err != nil {
			return err
		}
		page.Lines, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l storage.Scored, err error) {
			err = row.Scan(&l.User, &l.Server, &l.Month, &l.Solved, &l.First)
			return l, err
		})
		return err
	})
	return page, err
}

// Names of what the bot notes about itself.
const (
	uptimeNote       = "uptime"
	removalsNote     = "removals"
	restorationsNote = "restorations"
)

// Uptime is when the bot could be reached, as ChangeUptime stored it last.
func (s *choices) Uptime(ctx context.Context) (storage.Uptime, error) {
	var u storage.Uptime
	err := s.get(ctx, noteShelf, uptimeNote, &u)
	return u, err
}

// ChangeUptime stores what change makes of when the bot could be reached, as storage.Engine says.
func (s *choices) ChangeUptime(ctx context.Context, change func(storage.Uptime) storage.Uptime) error {
	return s.revise(ctx, noteShelf, uptimeNote, storage.ChangingUptime(change))
}

// Removals are the servers that the bot was removed from, in the order in which that was noted.
func (s *choices) Removals(ctx context.Context) ([]storage.Removal, error) {
	var list []storage.Removal
	err := s.get(ctx, noteShelf, removalsNote, &list)
	return list, err
}

// AddRemoval notes that the bot was removed from a server, unless that is noted already.
func (s *choices) AddRemoval(ctx context.Context, r storage.Removal) error {
	return s.revise(ctx, noteShelf, removalsNote, storage.AddingRemoval(r))
}

// DropRemoval notes that the bot is not removed from a server.
func (s *choices) DropRemoval(ctx context.Context, guild string) error {
	return s.revise(ctx, noteShelf, removalsNote, storage.DroppingRemoval(guild))
}

// Restorations are the times at which the store was restored from a copy, the latest last: those of a file that was moved here.
func (s *choices) Restorations(ctx context.Context) ([]storage.Restoration, error) {
	var list []storage.Restoration
	err := s.get(ctx, noteShelf, restorationsNote, &list)
	return list, err
}

// WantFilm notes that a game waits for its replay, unless it does already.
func (s *leagues) WantFilm(ctx context.Context, id storage.ID) error {
	return s.exec(ctx, "INSERT INTO films (table_id, tries) VALUES ($1, 0) ON CONFLICT DO NOTHING", id)
}

// PutOffFilm notes how often the replay of a game was put off, unless it does not wait.
func (s *leagues) PutOffFilm(ctx context.Context, f storage.Film) error {
	return s.exec(ctx, "UPDATE films SET tries = $2 WHERE table_id = $1", f.Table, f.Tries)
}

// DropFilm notes that a game waits no longer.
func (s *leagues) DropFilm(ctx context.Context, id storage.ID) error {
	return s.exec(ctx, "DELETE FROM films WHERE table_id = $1", id)
}

// exec carries out a statement that may be carried out twice.
func (d *database) exec(ctx context.Context, sql string, args ...any) error {
	return d.write(ctx, func(ctx context.Context, tx pgx.Tx, _ bool) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
}

// Films lists games that wait for their replays, by id, of those behind after.
func (s *leagues) Films(ctx context.Context, after storage.ID, limit int) ([]storage.Film, error) {
	var list []storage.Film
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.Query(ctx, "SELECT table_id, tries FROM films WHERE table_id > $1 ORDER BY table_id LIMIT $2", after, max(0, limit))
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (f storage.Film, err error) {
			err = row.Scan(&f.Table, &f.Tries)
			return f, err
		})
		return err
	})
	return list, err
}

// Review returns what was found in a table's game, the zero Review when nothing was looked for; or storage.ErrNoTable.
func (s *leagues) Review(ctx context.Context, id storage.ID) (storage.Review, error) {
	var r storage.Review
	err := s.read(ctx, func(ctx context.Context, q querier) error {
		var b []byte
		err := q.QueryRow(ctx, "SELECT r.value FROM tables t LEFT JOIN reviews r ON r.table_id = t.id WHERE t.id = $1", id).Scan(&b)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return storage.ErrNoTable
		case err != nil || b == nil:
			return err
		}
		return parseReview(id, b, &r)
	})
	return r, err
}

func parseReview(id storage.ID, b []byte, r *storage.Review) error {
	return parseJSON(reviewKind, numbers(uint64(id)), b, r, fmt.Sprintf("the review of table %d", id))
}

// SetReview stores what was found in the game of a table that is over, as storage.Engine says.
func (s *leagues) SetReview(ctx context.Context, id storage.ID, r storage.Review) error {
	if err := r.Check(); err != nil {
		return err
	}
	b, err := sealJSON(reviewKind, numbers(uint64(id)), r)
	if err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx pgx.Tx, _ bool) error {
		head, err := loadHead(ctx, tx, id, " FOR NO KEY UPDATE") // one after the other
		if err != nil {
			return err
		}
		if head.Status != storage.Over {
			return fmt.Errorf("%w: table %d goes on and cannot be reviewed", storage.ErrInvalid, id)
		}
		var there storage.Review
		var old []byte
		switch err := tx.QueryRow(ctx, "SELECT value FROM reviews WHERE table_id = $1", id).Scan(&old); {
		case errors.Is(err, pgx.ErrNoRows):
		case err != nil:
			return err
		case parseReview(id, old, &there) == nil && there.Looked > r.Looked:
			return nil // a damaged one is made good
		}
		_, err = tx.Exec(ctx, "INSERT INTO reviews (table_id, value) VALUES ($1, $2) ON CONFLICT (table_id) DO UPDATE SET value = excluded.value", id, b)
		return err
	})
}
