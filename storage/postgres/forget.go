package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"marque/games/text"
	"marque/storage"
)

// scanTables bounds how many numbers of tables a job looks through at once.
const scanTables = 5000

// Forget replaces a user by another name, as storage.Engine says.
func (s *Store) Forget(ctx context.Context, user, as string) error {
	if err := checkWords(user, as); err != nil {
		return err
	}
	if user == "" {
		return fmt.Errorf("%w: nobody is to be forgotten", storage.ErrInvalid)
	}
	return s.ask(ctx, job{kind: forgetting, of: user, As: as}, func(ctx context.Context, tx pgx.Tx, j, before *job) error {
		if before != nil {
			j.As = before.As // what was renamed already has it
		}
		_, err := tx.Exec(ctx, "DELETE FROM user_settings WHERE user_id = $1", user)
		return err
	})
}

// The phases of forgetting.
const (
	inResults = iota
	inVoidings
	inTables
	inDetails
	inSeasons
)

// forget does the job of Forget.
func (s *Store) forget(ctx context.Context, j job) error {
	if j.Phase == inResults {
		for j.Phase == inResults {
			err := s.step(ctx, &j, func(ctx context.Context, tx pgx.Tx, j *job) error {
				more, err := forgetResults(ctx, tx, j.of, j.As)
				if err == nil && !more {
					j.Phase = inVoidings
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		// Leaderboards that are being counted may have the old name until they are cleared.
		s.labour.tell(job{kind: recounting}, nil)
	}
	phases := map[int]struct {
		find   string // which tables between two numbers name the user
		forget func(ctx context.Context, tx pgx.Tx, id storage.ID, user, as string) error
	}{
		inVoidings: {"SELECT table_id FROM results WHERE table_id > $1 AND table_id <= $2 AND position($3::bytea IN value) > 0", forgetVoiding},
		inTables: {`SELECT id FROM tables t WHERE id > $1 AND id <= $2 AND (position($3::bytea IN head) > 0 OR position($3::bytea IN note) > 0
			OR EXISTS (SELECT FROM events e WHERE e.table_id = t.id AND position($3::bytea IN e.value) > 0))`, forgetTable},
		inDetails: {"SELECT table_id FROM details WHERE table_id > $1 AND table_id <= $2 AND position($3::bytea IN value) > 0", forgetDetail},
	}
	for j.Phase < inSeasons {
		if err := s.forgetIn(ctx, &j, phases[j.Phase].find, phases[j.Phase].forget); err != nil {
			return err
		}
	}
	return s.steps(ctx, j, func(ctx context.Context, tx pgx.Tx, j *job) error {
		j.done = true
		return forgetSeasons(ctx, tx, j.of)
	})
}

// forgetIn goes through a phase: it looks for tables in which the user stands, and has those changed in steps.
func (s *Store) forgetIn(
	ctx context.Context, j *job, find string, forget func(ctx context.Context, tx pgx.Tx, id storage.ID, user, as string) error,
) error {
	var last uint64
	if err := j.conn.QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM tables").Scan(&last); err != nil {
		return err
	}
	for from := j.After; ; {
		upto := from + scanTables
		rows, err := j.conn.Query(ctx, find+" ORDER BY 1", from, upto, []byte(j.of))
		if err != nil {
			return err
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[storage.ID])
		if err != nil {
			return err
		}
		for chunk := range slices.Chunk(found, stepResults) {
			err := s.step(ctx, j, func(ctx context.Context, tx pgx.Tx, j *job) error {
				for _, id := range chunk {
					if err := forget(ctx, tx, id, j.of, j.As); err != nil {
						return err
					}
				}
				j.After = uint64(chunk[len(chunk)-1])
				return nil
			})
			if err != nil {
				return err
			}
		}
		if from = upto; upto >= last {
			return s.step(ctx, j, func(_ context.Context, _ pgx.Tx, j *job) error {
				j.Phase, j.After = j.Phase+1, 0
				return nil
			})
		}
	}
}

// forgetResults renames the user in some of their results and on the leaderboards on which those count, and reports whether there are more.
func forgetResults(ctx context.Context, tx pgx.Tx, user, as string) (more bool, err error) {
	rows, err := tx.Query(ctx, `SELECT r.table_id, r.guild FROM result_users u JOIN results r ON r.table_id = u.table_id WHERE u.user_id = $1
		ORDER BY r.guild, r.table_id LIMIT $2`, user, stepResults)
	if err != nil {
		return false, err
	}
	type found struct {
		id    storage.ID
		guild string
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f found, err error) {
		err = row.Scan(&f.id, &f.guild)
		return f, err
	})
	if err != nil {
		return false, err
	}
	for i, f := range list {
		if i == 0 || list[i-1].guild != f.guild {
			if err := lock(ctx, tx, lockLeague, f.guild); err != nil {
				return false, err
			}
		}
		r, err := storedResult(ctx, tx, f.id, " FOR UPDATE")
		if errors.Is(err, storage.ErrNoResult) {
			continue // its server was deleted just now
		}
		if err != nil {
			return false, err
		}
		r.Seats = rename(r.Seats, user, as)
		if err := putResult(ctx, tx, r); err != nil {
			return false, err
		}
		b := &pgx.Batch{}
		b.Queue("DELETE FROM result_users WHERE user_id = $1 AND table_id = $2", user, r.Table)
		b.Queue("INSERT INTO result_users (user_id, ended, table_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", as, r.Ended, r.Table)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return false, err
		}
		if err := renameLines(ctx, tx, r, user, as); err != nil {
			return false, err
		}
	}
	return len(list) == stepResults, nil
}

// renameLines gives the user's lines of the leaderboards on which a result counts to the other name. Numbers stay as they are. Where both
// have a line, as when a game of theirs ended after the first was renamed, the leaderboards are counted anew; so they are where they are
// being counted.
func renameLines(ctx context.Context, tx pgx.Tx, r storage.Result, user, as string) error {
	g, err := live(ctx, tx, r.Guild)
	if err != nil {
		return err
	}
	anew, err := isAsked(ctx, tx, recounting, r.Guild)
	if err != nil {
		return err
	}
	batch := &lineBatch{guild: r.Guild, generation: g}
	for _, b := range r.Boards() {
		from, to := keyOf(b, user), keyOf(b, as)
		var there bool
		var value []byte
		err := tx.QueryRow(ctx, `DELETE FROM standings WHERE guild = $1 AND generation = $2 AND game = $3 AND computers = $4 AND season = $5 AND player = $6
			RETURNING value, EXISTS (SELECT FROM standings s WHERE s.guild = $1 AND s.generation = $2 AND s.game = $3 AND s.computers = $4 AND s.season = $5 AND s.player = $7)`,
			r.Guild, g, b.Game, b.Computers, b.Season, user, as).Scan(&value, &there)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		l, err := parseLine(r.Guild, from, value)
		if err != nil {
			return err
		}
		if there {
			anew = true
			continue
		}
		l.Player, l.Name = as, text.Name{}
		if err := batch.add(to, l); err != nil {
			return err
		}
	}
	if len(batch.values) > 0 {
		if err := batch.put(ctx, tx); err != nil {
			return err
		}
	}
	if !anew {
		return nil
	}
	return request(ctx, tx, job{kind: recounting, of: r.Guild})
}

// forgetVoiding renames the user where they voided a result, or where the reason for that mentions them.
func forgetVoiding(ctx context.Context, tx pgx.Tx, id storage.ID, user, as string) error {
	r, err := storedResult(ctx, tx, id, " FOR UPDATE")
	if errors.Is(err, storage.ErrNoResult) || err == nil && r.Voided == nil {
		return nil
	}
	if err != nil {
		return err
	}
	voided := *r.Voided
	if voided.By == user {
		voided.By = as
	}
	voided.Why = unmention(voided.Why, user)
	r.Voided = &voided
	return putResult(ctx, tx, r)
}

// forgetSeasons takes mentions of the user out of the names of all servers' seasons.
func forgetSeasons(ctx context.Context, tx pgx.Tx, user string) error {
	rows, err := tx.Query(ctx, "SELECT guild FROM leagues WHERE position($1::bytea IN value) > 0 ORDER BY guild", []byte(user))
	if err != nil {
		return err
	}
	guilds, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, guild := range guilds {
		if err := lock(ctx, tx, lockLeague, guild); err != nil {
			return err
		}
		var l storage.League
		if found, err := leagueShelf.get(ctx, tx, guild, &l, ""); err != nil {
			return err
		} else if !found {
			continue
		}
		for i := range l.Seasons {
			l.Seasons[i].Name = unmention(l.Seasons[i].Name, user)
		}
		if err := leagueShelf.put(ctx, tx, guild, l); err != nil {
			return err
		}
	}
	return nil
}

// unmention takes a user's id, and with it mentions made of it, out of what somebody wrote.
func unmention(n text.Name, user string) text.Name {
	return text.NewName(strings.ReplaceAll(n.Plain(), user, "…"))
}

func rename(seats []storage.Occupant, user, as string) []storage.Occupant {
	seats = slices.Clone(seats)
	for i, o := range seats {
		if o.User == user {
			seats[i] = storage.Occupant{User: as}
		}
	}
	return seats
}

// forgetTable renames the user in a table's head and events, and drops what of the publisher's note may name people.
func forgetTable(ctx context.Context, tx pgx.Tx, id storage.ID, user, as string) error {
	h, err := loadHead(ctx, tx, id, " FOR NO KEY UPDATE")
	if errors.Is(err, storage.ErrNoTable) {
		return nil // it was deleted just now
	}
	if err != nil {
		return err
	}
	direct := h.Guild == "" && (h.Host == user || h.Seat(user) >= 0) // in their direct messages, whose channel is as good as a name
	if direct {
		h.Channel = ""
	}
	if h.Host == user || h.Seat(user) >= 0 {
		h.Seats = rename(h.Seats, user, as)
		if h.Host == user {
			h.Host = as
		}
		if err := putHead(ctx, tx, h); err != nil {
			return err
		}
	}
	var published uint64
	var b []byte
	if err := tx.QueryRow(ctx, "SELECT published, note FROM tables WHERE id = $1", id).Scan(&published, &b); err != nil {
		return err
	}
	note, err := parseNote(id, published, b)
	if err != nil {
		return err
	}
	first, _, more := strings.Cut(note, "\n")
	if direct {
		first, more = "", note != ""
	}
	if more {
		if _, err := tx.Exec(ctx, "UPDATE tables SET note = $2 WHERE id = $1", id, sealNote(id, published, first)); err != nil {
			return err
		}
	}
	return forgetEvents(ctx, tx, h, user, as)
}

// putHead writes a head anew in the same version, with what lists say of it.
func putHead(ctx context.Context, tx pgx.Tx, h storage.Head) error {
	head, err := sealHead(h)
	if err != nil {
		return err
	}
	l := listingOf(h)
	who, since := turnOf(h)
	b := &pgx.Batch{}
	b.Queue("UPDATE tables SET head = $2, listing = $3, turn_user = $4, turn_since = $5 WHERE id = $1", h.ID, head, l.digest(), who, since)
	b.Queue("SELECT list_table($1, $2, $3, $4, $5, $6, $7, $8, $9)", h.ID, l.guild, l.channel, l.game, l.status, l.over, l.paused, l.rematch, l.users)
	return tx.SendBatch(ctx, b).Close()
}

func forgetDetail(ctx context.Context, tx pgx.Tx, id storage.ID, user, as string) error {
	var b []byte
	err := tx.QueryRow(ctx, "SELECT value FROM details WHERE table_id = $1 FOR UPDATE", id).Scan(&b)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	d, err := parseDetail(id, b)
	if err != nil || !slices.Contains(d.Invited, user) && !slices.Contains(d.Order, user) {
		return err
	}
	d.Invited, d.Order = replaced(d.Invited, user, as), replaced(d.Order, user, as)
	if b, err = sealDetail(id, d); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "UPDATE details SET value = $2 WHERE table_id = $1", id, b)
	return err
}

func replaced(users []string, user, as string) []string {
	users = slices.Clone(users)
	for i, u := range users {
		if u == user {
			users[i] = as
		}
	}
	return users
}

func forgetEvents(ctx context.Context, tx pgx.Tx, h storage.Head, user, as string) error {
	var values [][]byte
	if err := tx.QueryRow(ctx, "SELECT array_agg(value ORDER BY version, number) FROM events WHERE table_id = $1", h.ID).Scan(&values); err != nil {
		return err
	}
	events, err := parseEvents(h, 0, values)
	if err != nil {
		return err
	}
	var known []text.Name // the names that the user had at the table
	b := &pgx.Batch{}
	for i, e := range events {
		mine := e.User == user
		if mine {
			e.User = as
			if e.Kind.Named() {
				known = append(known, e.Name())
				e.Text = ""
			}
		}
		// Who was removed by a moderator stands there by name alone.
		removed := e.Kind == storage.Removed && e.Text != "" && slices.Contains(known, e.Name())
		if removed {
			e.Text = ""
		}
		if mine || removed {
			b.Queue("UPDATE events SET value = $4 WHERE table_id = $1 AND version = $2 AND number = $3", h.ID, e.Version, i, sealEvent(h.ID, uint64(i), e))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, b).Close()
}
