package table

import (
	"context"
	"errors"

	"marque/games/text"
	"marque/storage"
)

// Snapshot is the table as it is now. It comes from memory unless the table was not used for long. It returns ErrNoTable or a *FrozenError.
func (s *Service) Snapshot(ctx context.Context, id ID) (*Snapshot, error) {
	if snap := s.cache.get(id); snap != nil {
		return snap, nil
	}
	unlock, err := s.locks.lock(ctx, id)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return s.load(ctx, id)
}

// load is Snapshot for who holds the table's lock.
func (s *Service) load(ctx context.Context, id ID) (*Snapshot, error) {
	if snap := s.cache.get(id); snap != nil {
		return snap, nil
	}
	t, err := s.store.Load(ctx, id)
	if errors.Is(err, storage.ErrNoTable) {
		return nil, refuse(ErrNoTable, text.M("table.error.no-table", "Table", id.String()))
	}
	if err != nil {
		return nil, s.undamaged(id, err)
	}
	snap, err := s.snapshot(t)
	if err != nil {
		return nil, err
	}
	s.cache.put(snap)
	return snap, nil
}

// undamaged makes of damage in the store a *FrozenError of the table that could not be read or written for it: others go on.
func (s *Service) undamaged(id ID, err error) error {
	if !errors.Is(err, storage.ErrDamaged) {
		return err
	}
	s.logged("a table is frozen: what is stored of it is damaged; nothing was changed. Stop the bot and see \"marque database repair\"", id, err)
	return &FrozenError{Table: id, Err: err}
}

// InChannel lists the tables of a channel that go on, the oldest first.
func (s *Service) InChannel(ctx context.Context, channel string) ([]Head, error) {
	return s.store.ByChannel(ctx, channel, false, 0, listLimit)
}

// ByGuild lists at most limit tables of a server: those that go on, the oldest first, or those that are over, the latest first. after is the
// last table of the page before; 0 for the first page.
func (s *Service) ByGuild(ctx context.Context, guild string, over bool, after ID, limit int) ([]Head, error) {
	return s.store.ByGuild(ctx, guild, over, after, min(limit, listLimit))
}

// ByUser lists tables at which a user has a seat, over all servers, as ByGuild does.
func (s *Service) ByUser(ctx context.Context, user string, over bool, after ID, limit int) ([]Head, error) {
	return s.store.ByUser(ctx, user, over, after, min(limit, listLimit))
}

// MyTurn lists the tables, of all servers, that wait for a user, the oldest first.
func (s *Service) MyTurn(ctx context.Context, user string) ([]Head, error) {
	heads, err := s.store.ByUser(ctx, user, false, 0, listLimit)
	mine := heads[:0]
	for _, h := range heads {
		if h.Status == Playing && h.ToMove == h.Seat(user) {
			mine = append(mine, h)
		}
	}
	return mine, err
}

// RematchOf is the table that goes on as the rematch of another; nil when none does.
func (s *Service) RematchOf(ctx context.Context, old *Snapshot) (*Snapshot, error) {
	for after := old.ID; ; { // tables that were opened later have higher ids
		heads, err := s.store.ByGuild(ctx, old.Guild, false, after, listLimit)
		if err != nil || len(heads) == 0 {
			return nil, err
		}
		for _, h := range heads {
			if h.Rematch == old.ID {
				return s.Snapshot(ctx, h.ID)
			}
		}
		after = heads[len(heads)-1].ID
	}
}

// listLimit bounds every list of tables.
const listLimit = 1000

// LastInChannel is the table of a channel that ended last; 0 when none has.
func (s *Service) LastInChannel(ctx context.Context, channel string) (ID, error) {
	heads, err := s.store.ByChannel(ctx, channel, true, 0, 1)
	if err != nil || len(heads) == 0 {
		return 0, err
	}
	return heads[0].ID, nil
}

// Note is what the Publisher noted when it last published the table: the id of its latest message, for links.
func (s *Service) Note(ctx context.Context, id ID) (string, error) {
	t, err := s.store.News(ctx, id)
	return t.Note, err
}
