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
		if err := w.svc.store.DeleteGuild(w.ctx, l.Guild); err != nil {
			if w.ctx.Err() == nil {
				w.svc.log.Error("the data of a server that the bot left could not be deleted; trying again", "guild", l.Guild, "error", err)
			}
			return
		}
		w.svc.cache.clear()
		w.mu.Lock()
		w.life.Left = slices.DeleteFunc(slices.Clone(w.life.Left), func(o left) bool { return o.Guild == l.Guild })
		w.save()
		w.mu.Unlock()
		w.svc.log.Info("the data of a server that the bot was removed from are deleted", "guild", l.Guild)
	}
}

// JoinedServer notes that the bot is on a server: what LeftServer began is taken back.
func (s *Service) JoinedServer(ctx context.Context, guild string) error {
	w := s.sweeper
	w.mu.Lock()
	was := len(w.life.Left)
	w.life.Left = slices.DeleteFunc(slices.Clone(w.life.Left), func(l left) bool { return l.Guild == guild })
	known := len(w.life.Left) != was
	if known {
		w.save()
	}
	w.mu.Unlock()
	if !known {
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
