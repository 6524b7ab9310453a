package table

import (
	"context"
	"errors"
	"slices"
	"time"

	"marque/storage"
)

// Grace is how long the data of a server are kept after the bot was removed from it.
const Grace = 30 * 24 * time.Hour

// LeftServer notes that the bot was removed from a server: its games are paused, and after Grace its data are deleted.
func (s *Service) LeftServer(ctx context.Context, guild string) error {
	if guild == "" {
		return nil
	}
	w := s.sweeper
	w.mu.Lock()
	err := w.load()
	if err == nil && !w.life.left(guild) {
		w.life.Left = append(slices.Clone(w.life.Left), left{guild, s.now()})
		w.save()
	}
	w.mu.Unlock()
	if err != nil {
		return err
	}
	return s.eachOfGuild(ctx, guild, func(h Head) error {
		_, err := s.PauseFor(ctx, h.ID, storage.PausedAshore)
		return err
	})
}

// left reports whether the bot was removed from a server.
func (l life) left(guild string) bool {
	return slices.ContainsFunc(l.Left, func(o left) bool { return o.Guild == guild })
}

// Compare says for which servers LeftServer and JoinedServer are due when the bot is on those listed and no others: it may have been removed, or have come
// back, while it was down. Servers that are not mine, another shard's for example, are left alone.
func (s *Service) Compare(ctx context.Context, listed []string, mine func(guild string) bool) (gone, back []string, err error) {
	known, err := s.store.Guilds(ctx)
	if err != nil {
		return nil, nil, err
	}
	w := s.sweeper
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.load(); err != nil {
		return nil, nil, err
	}
	here := make(map[string]bool, len(listed))
	for _, g := range listed {
		here[g] = true
		if w.life.left(g) {
			back = append(back, g)
		}
	}
	for _, g := range known {
		if mine(g) && !here[g] && !w.life.left(g) {
			gone = append(gone, g)
		}
	}
	return gone, back, nil
}

// eachOfGuild calls f for all tables of a server that go on. Tables that are frozen, and those that have ended meanwhile, do not end it.
func (s *Service) eachOfGuild(ctx context.Context, guild string, f func(Head) error) error {
	after := ID(0)
	for {
		heads, err := s.store.ByGuild(ctx, guild, false, after, listLimit)
		if err != nil {
			return err
		}
		for _, h := range heads {
			if err := f(h); err != nil && !frozen(err) && !errors.Is(err, ErrNoTable) && !errors.Is(err, ErrOver) {
				return err
			}
		}
		if len(heads) < listLimit {
			return nil
		}
		after = heads[len(heads)-1].ID
	}
}

// bury deletes the data of servers that the bot was removed from more than Grace ago.
func (w *sweeper) bury() {
	now := w.svc.now()
	w.mu.Lock()
	list := w.life.Left
	w.mu.Unlock()
	for _, l := range list {
		if now-l.At < Stamp(Grace.Milliseconds()) {
			continue
		}
		err := w.svc.forgetAbsences(w.ctx, l.Guild)
		if err == nil {
			err = w.svc.store.DeleteGuild(w.ctx, l.Guild)
		}
		if err != nil {
			if w.ctx.Err() == nil {
				w.svc.log.Error("the data of a server that the bot left could not be deleted; trying again", "guild", l.Guild, "error", err)
			}
			return
		}
		w.svc.cache.clear()
		w.svc.crew.clear()
		w.mu.Lock()
		w.life.Left = slices.DeleteFunc(slices.Clone(w.life.Left), func(o left) bool { return o.Guild == l.Guild })
		w.save()
		w.mu.Unlock()
		w.svc.log.Info("the data of a server that the bot was removed from are deleted", "guild", l.Guild)
	}
}

// forgetAbsences takes a server out of its users' absences.
func (s *Service) forgetAbsences(ctx context.Context, guild string) error {
	users, err := s.store.UsersNaming(ctx, guild)
	if err != nil {
		return err
	}
	for _, u := range users {
		_, err := s.changePreferences(ctx, u, func(p *Preferences) error {
			p.Away = slices.DeleteFunc(slices.Clone(p.Away), func(a Away) bool { return a.Guild == guild })
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// JoinedServer notes that the bot is on a server: what LeftServer began is taken back. It reports whether there was something to take back.
func (s *Service) JoinedServer(ctx context.Context, guild string) (was bool, err error) {
	w := s.sweeper
	w.mu.Lock()
	err = w.load()
	was = err == nil && w.life.left(guild)
	if was {
		w.life.Left = slices.DeleteFunc(slices.Clone(w.life.Left), func(l left) bool { return l.Guild == guild })
		w.save()
	}
	w.mu.Unlock()
	if !was {
		return false, err
	}
	return true, s.eachOfGuild(ctx, guild, func(h Head) error {
		if h.Paused != storage.PausedAshore {
			return nil
		}
		_, err := s.Resume(ctx, Actor{}, h.ID, storage.PausedAshore)
		if errors.Is(err, ErrNotPaused) {
			return nil
		}
		return err
	})
}
