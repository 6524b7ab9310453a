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
	if !slices.ContainsFunc(w.life.Left, func(l left) bool { return l.Guild == guild }) {
		w.life.Left = append(slices.Clone(w.life.Left), left{guild, s.now()})
		w.save()
	}
	w.mu.Unlock()
	heads, err := s.store.ByGuild(ctx, guild, false, 0, listLimit)
	if err != nil {
		return err
	}
	for _, h := range heads {
		if _, err := s.PauseFor(ctx, h.ID, storage.PausedAshore); err != nil && !frozen(err) {
			return err
		}
	}
	return nil
}

// JoinedServer notes that the bot is on a server: what LeftServer began is taken back.
func (s *Service) JoinedServer(ctx context.Context, guild string) error {
	w := s.sweeper
	w.mu.Lock()
	was := len(w.life.Left)
	w.life.Left = slices.DeleteFunc(slices.Clone(w.life.Left), func(l left) bool { return l.Guild == guild })
	if len(w.life.Left) != was {
		w.save()
	}
	w.mu.Unlock()
	if len(w.life.Left) == was {
		return nil
	}
	heads, err := s.store.ByGuild(ctx, guild, false, 0, listLimit)
	if err != nil {
		return err
	}
	for _, h := range heads {
		if h.Paused != storage.PausedAshore {
			continue
		}
		if _, err := s.Resume(ctx, Actor{}, h.ID, storage.PausedAshore); err != nil && !frozen(err) && !errors.Is(err, ErrNotPaused) {
			return err
		}
	}
	return nil
}
