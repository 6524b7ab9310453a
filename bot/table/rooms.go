package table

import (
	"context"
	"errors"
	"strconv"

	"marque/bot/table/clock"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// What the rooms beside this package build on.

// Attach has the hooks of a room called. It is called before Start.
func (s *Service) Attach(h Hooks) { s.rooms.list = append(s.rooms.list, h) }

// Fence is the lease under which this process serves a server; held is false where another process does.
func (s *Service) Fence(server string) (fence storage.Fence, held bool) {
	return s.tables.fence(server)
}

// ActsAt reports whether the bot acts by itself at a server: players can reach the bot, and this process serves the
// server.
func (s *Service) ActsAt(server string) bool { return s.uptime.Up() && s.tables.mine(server) }

// Serves reports whether this process serves a server.
func (s *Service) Serves(server string) bool { return s.tables.mine(server) }

// Game finds a game on offer by its key.
func (s *Service) Game(key string) (games.Game, bool) { return s.tables.games(key) }

// Lacking says which of some conditions a user of a server, with these roles, does not meet for a game.
func (s *Service) Lacking(ctx context.Context, user string, roles []string, guild string, g games.Game,
	c Conditions) ([]text.Message, error) {
	return s.doors.lacking(ctx, user, roles, guild, g, c)
}

// Downtimes are the times at which players could not reach the bot, in order.
func (s *Service) Downtimes() []clock.Span { return s.uptime.Downtimes() }

// Subscribe begins to collect the changes of tables, until Close. A subscriber that shows tables subscribes first and
// reads them then, so that it misses nothing in between.
func (s *Service) Subscribe(of Interest) *Subscription { return s.changes.subscribe(of) }

// PutBack notes at a table that its channel knows a later version than the store: the store was put
// back to an earlier state. From then on its result counts nowhere. since is the latest published version that the
// caller knows. Where the store has a later one, the caller stood still: PutBack changes nothing and reports false.
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
	_, err = s.League.store.Void(ctx, id, &storage.Voiding{At: s.tables.now(),
		Why: text.NewName("the database was put back")})
	if errors.Is(err, storage.ErrNoResult) {
		err = nil
	}
	return true, err
}
