package table

import (
	"context"
	"errors"
	"strconv"
	"time"

	"marque/bot/table/changes"
	"marque/bot/table/clock"
	"marque/bot/table/conduct"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// These functions are for other packages that extend this one.

// Attach adds the hooks of another package. It is called before Start.
func (s *Service) Attach(h Hooks) { s.rooms.list = append(s.rooms.list, h) }

// Fence returns the lease under which this process serves a server; held is false if it does not serve it.
func (s *Service) Fence(server string) (fence storage.Fence, held bool) {
	return s.tables.fence(server)
}

// ActsAt reports whether the bot acts without a command on a server: players can reach the bot, and this process serves
// the server.
func (s *Service) ActsAt(server string) bool { return s.uptime.Up() && s.tables.mine(server) }

// Serves reports whether this process serves a server.
func (s *Service) Serves(server string) bool { return s.tables.mine(server) }

// Game finds an available game by its key.
func (s *Service) Game(key string) (games.Game, bool) { return s.tables.games(key) }

// Lacking returns those of the conditions c that a user of a server, with the given roles, does not meet.
func (s *Service) Lacking(ctx context.Context, user string, roles []string, guild string, g games.Game,
	c Conditions) ([]text.Message, error) {
	return s.admission.lacking(ctx, user, roles, guild, g, c)
}

// Rating returns a user's rating in a game against people on a server, in points; the initial rating if they have
// none.
func (s *Service) Rating(ctx context.Context, guild, game, user string) (int, error) {
	return ratingOf(ctx, s.admission.store, guild, game, user)
}

// Conduct returns how a user has played on a server in the last months.
func (s *Service) Conduct(ctx context.Context, guild, user string) (conduct.Conduct, error) {
	return conduct.Of(ctx, s.admission.store, guild, user, s.tables.now())
}

// Downtimes returns the times at which players could not reach the bot, in order.
func (s *Service) Downtimes() []clock.Span { return s.uptime.Downtimes() }

// Subscribe collects the changes of tables until the subscription is closed. A subscriber that shows tables must
// subscribe before reading them, so as not to miss a change.
func (s *Service) Subscribe(of changes.Interest) *changes.Subscription {
	return s.changes.Subscribe(of)
}

// PutBack records at a table that its channel shows a later version than the store has, because the store was
// restored to an earlier state. The parameter later is the version that the channel shows. From then on the table's
// result counts on no leaderboard. since is the latest published version that the caller has read. If the store has a
// newer one, the caller's is out of date, and PutBack changes nothing and returns false.
func (s *Service) PutBack(ctx context.Context, id ID, since, later uint64) (noted bool, err error) {
	over := false
	_, err = s.tables.edit(ctx, SystemActor, id, func(d *draft) error {
		t, err := s.outbox.store.News(ctx, id)
		if err != nil || t.Published > since {
			return err
		}
		noted, over = true, d.Status == Over
		d.details().Unrated = true
		d.add(storage.PutBack, games.Nobody, "", strconv.FormatUint(later, 10))
		return nil
	})
	if err != nil || !over {
		return noted && err == nil, err
	}
	_, err = s.admission.store.Void(ctx, id, &storage.Voiding{At: s.tables.now(),
		Why: text.NewName("the database was put back")})
	if errors.Is(err, storage.ErrNoResult) {
		err = nil
	}
	return true, err
}

// NoteVoid records at a table that its result no longer counts (storage.Voided) or counts again (Restored). If that
// fails, the stored result still has the decision and who made it.
func (s *Service) NoteVoid(ctx context.Context, by Actor, id ID, kind storage.Kind) {
	_, err := s.tables.edit(ctx, Actor{User: by.User, Name: by.Name}, id, func(d *draft) error {
		d.moderates(DecideResults)
		d.add(kind, games.Nobody, by.User, "")
		d.Competition.Reported = false // report the change to its competition
		return nil
	})
	if err != nil && !IsFrozen(err) && !errors.Is(err, storage.ErrNoTable) {
		s.tables.logged(ctx, "it could not be noted at a table that its result was voided or restored", id, err)
	}
}

// Judges refuses a user's decision about the result of a game in which they have, or had, a seat, or by which they gain
// or lose in another way. why is the id of the refusal's text. It refuses nothing for a table that does not exist or is
// damaged.
func (s *Service) Judges(ctx context.Context, user string, id ID, why string) error {
	t, err := s.tables.store.Load(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNoTable) || errors.Is(err, storage.ErrDamaged):
		return nil
	case err != nil:
		return err
	}
	return s.rooms.judges(ctx, t, user, why)
}

// Large jobs of the store run in the background, in small steps. A user who starts such a job gets an answer after at
// most workPatience, which tells whether the job is still running.

// workPatience is the maximum time that an answer waits for a background job.
const workPatience = time.Second

// Await waits up to workPatience for a background job, and reports whether it is done.
func (s *Service) Await(ctx context.Context, w storage.Work) (bool, error) {
	waiting, cancel := context.WithTimeout(ctx, workPatience)
	defer cancel()
	err := s.cleaner.store.Finished(waiting, w)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return false, nil
	}
	return err == nil, err
}

// PauseServer pauses the games of a server that the bot was removed from.
func (s *Service) PauseServer(ctx context.Context, guild string) error {
	return s.tables.eachOfGuild(ctx, guild, func(h Head) error {
		_, err := s.tables.edit(ctx, Actor{}, h.ID, pauseFor(storage.PausedRemoved))
		return err
	})
}

// ResumeServer resumes the games that PauseServer has paused.
func (s *Service) ResumeServer(ctx context.Context, guild string) error {
	return s.tables.eachOfGuild(ctx, guild, func(h Head) error {
		if h.Paused != storage.PausedRemoved {
			return nil
		}
		_, err := s.tables.edit(ctx, Actor{}, h.ID, resumeFrom(Actor{}, storage.PausedRemoved))
		if errors.Is(err, ErrNotPaused) {
			return nil
		}
		return err
	})
}

// Retime recomputes the due times of a server's unfinished tables.
func (s *Service) Retime(ctx context.Context, guild string) error {
	return s.tables.retimeServer(ctx, guild)
}

// Alone reports whether no other process shares the store.
func (s *Service) Alone() bool { return s.tables.alone() }

// Clear removes all tables from memory. It is called after data was deleted.
func (s *Service) Clear() { s.cleaner.clear() }

// ExportRooms returns a user's data in other packages (Hooks.Export), by the names of the data.
func (s *Service) ExportRooms(ctx context.Context, user string) (map[string]any, error) {
	return s.rooms.export(ctx, user)
}

// WithdrawRooms removes a user from everything in other packages that could still seat them at a table.
func (s *Service) WithdrawRooms(ctx context.Context, user string) error {
	return s.rooms.withdraw(ctx, user)
}

// ForgetRooms makes other packages delete a user's data, or replace the user with a departed player, whose id is as.
func (s *Service) ForgetRooms(ctx context.Context, user, as string) error {
	return s.rooms.forget(ctx, user, as)
}

// Depart removes a user whose data is deleted from an unfinished table. In the events about this, the id as replaces
// the user's.
func (s *Service) Depart(ctx context.Context, id ID, user, as string) error {
	_, err := s.tables.edit(ctx, Actor{}, id, func(d *draft) error { return depart(d, user, as) })
	return err
}

// Unname makes the threads of finished games in which a user played name no players.
func (s *Service) Unname(ctx context.Context, user string) error {
	return s.tables.eachOfUser(ctx, user, storage.Finished, func(h Head) error {
		if h.Card.Thread == "" || h.Card.Nameless {
			return nil
		}
		_, err := s.tables.edit(ctx, Actor{}, h.ID, func(d *draft) error {
			d.keep, d.Card.Nameless = keepUnpublished, true // the card falls due as usual
			return nil
		})
		if IsFrozen(err) || errors.Is(err, storage.ErrNoTable) {
			return nil
		}
		return err
	})
}

// Forgotten clears memory because a user's data has been or is being deleted.
func (s *Service) Forgotten() {
	s.cleaner.clear()
	s.cleaner.poke()
}

// Forgetting reports whether a user's data is being deleted.
func (s *Service) Forgetting(ctx context.Context, user string) (bool, error) {
	return s.cleaner.store.UnderWay(ctx, storage.Work{Kind: storage.Forgetting, Of: user})
}
