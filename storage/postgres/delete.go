package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"marque/storage"
)

// DeleteGuild deletes everything that is stored of a server, as storage.Engine says.
func (s *Store) DeleteGuild(ctx context.Context, guild string) error {
	if err := checkWords(guild); err != nil {
		return err
	}
	return s.ask(ctx, job{kind: deleting, of: guild}, func(ctx context.Context, tx pgx.Tx, j, _ *job) error {
		if err := lock(ctx, tx, lockLeague, guild); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM table_ids").Scan(&j.Upto); err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue("DELETE FROM leagues WHERE guild = $1", guild)
		b.Queue("DELETE FROM guild_settings WHERE guild = $1", guild)
		// What is being counted is not to become live any more.
		b.Queue("DELETE FROM jobs WHERE kind = $1 AND of = $2", recounting, guild)
		return tx.SendBatch(ctx, b).Close()
	})
}

// deleteGuild does the job of DeleteGuild.
func (s *Store) deleteGuild(ctx context.Context, j job) error {
	return s.steps(ctx, j, func(ctx context.Context, tx pgx.Tx, j *job) error {
		if err := lock(ctx, tx, lockLeague, j.of); err != nil {
			return err
		}
		if more, err := deleteTables(ctx, tx, j.of, j.Upto); more || err != nil {
			return err
		}
		more, err := clearGenerations(ctx, tx, j.of, 0, 1)
		if more || err != nil {
			return err
		}
		j.done = true
		var ended bool
		if err := tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM results WHERE guild = $1)", j.of).Scan(&ended); err != nil {
			return err
		}
		if ended { // games have ended there meanwhile
			return request(ctx, tx, job{kind: recounting, of: j.of})
		}
		_, err = tx.Exec(ctx, "DELETE FROM generations WHERE guild = $1", j.of)
		return err
	})
}

// deleteTables deletes as many tables of a server, up to one, as a step may, and reports whether there are more.
func deleteTables(ctx context.Context, tx pgx.Tx, guild string, upto storage.ID) (more bool, err error) {
	// The rows of the tables are locked first, as moves do.
	rows, err := tx.Query(ctx, `SELECT t.id FROM tables t WHERE t.id IN (SELECT id FROM listings WHERE guild = $1 AND id <= $2 ORDER BY over, id LIMIT $3)
		ORDER BY t.id FOR UPDATE`, guild, upto, stepResults)
	if err != nil {
		return false, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[storage.ID])
	if err != nil || len(ids) == 0 {
		return false, err
	}
	b := &pgx.Batch{}
	b.Queue("DELETE FROM ratings a USING results r WHERE r.table_id = ANY ($1) AND a.guild = r.guild AND a.ord = r.ord", ids)
	for _, t := range []string{"results", "result_users", "reviews", "commands", "events", "details", "seats"} {
		b.Queue("DELETE FROM "+t+" WHERE table_id = ANY ($1)", ids)
	}
	b.Queue("DELETE FROM listings WHERE id = ANY ($1)", ids)
	b.Queue("DELETE FROM tables WHERE id = ANY ($1)", ids)
	return true, tx.SendBatch(ctx, b).Close()
}
