// Package servers handles outages of servers, and removals of the bot from servers.
package servers

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"marque/bot/table"
	"marque/storage"
)

// Grace is how long the data of a server are kept after the bot was removed.
const Grace = 30 * 24 * time.Hour

// Store lists the servers, and stores the removals of the bot. Its methods return the errors of package storage.
type Store interface {
	Guilds(ctx context.Context) ([]string, error)
	DeleteGuild(ctx context.Context, guild string) error
	Removals(ctx context.Context) ([]storage.Removal, error)
	AddRemoval(ctx context.Context, r storage.Removal) error
	DropRemoval(ctx context.Context, guild string) error
	UnderWay(ctx context.Context, w storage.Work) (bool, error)
	Finished(ctx context.Context, w storage.Work) error
}

// Service handles outages and removals. During an outage users cannot reach the bot on the server, so its clocks stop
// and no deadline of its tables is enforced. After a removal of the bot, the server's games are paused, and its data
// are deleted after Grace. Both are stored, so that they survive a restart.
type Service struct {
	store   Store
	tables  *table.Service
	log     *slog.Logger
	deleted func(guild string, at storage.Stamp)
	changed func(ctx context.Context, guild string)
	active  func(ctx context.Context, guild string) (bool, error)

	mu       sync.Mutex
	removals []storage.Removal
	read     bool // whether removals were read from the store
}

// New returns a Service and attaches it to its tables. deleted is called before the data of a server are deleted. It
// can be nil.
func New(tables *table.Service, store Store, log *slog.Logger, deleted func(guild string, at storage.Stamp)) *Service {
	v := &Service{store: store, tables: tables, log: log, deleted: deleted}
	v.Watch(func(context.Context, string) {}, func(context.Context, string) (bool, error) { return false, nil })
	tables.Attach(table.Hooks{Sweep: v.deleteExpired})
	return v
}

// Watch sets two functions. It must not be called after the bot has started. changed is called when a server becomes
// reachable or unreachable. active reports whether an outage of a server would affect anything besides its tables.
func (v *Service) Watch(changed func(ctx context.Context, guild string),
	active func(ctx context.Context, guild string) (bool, error)) {
	v.changed, v.active = changed, active
}

func (v *Service) now() storage.Stamp { return storage.At(v.tables.Lookup.Now()) }

// load reads the removals from the store, if necessary. The caller must hold the lock.
func (v *Service) load(ctx context.Context) error {
	if v.read && v.tables.Alone() {
		return nil
	}
	list, err := v.store.Removals(ctx)
	if err != nil {
		return err
	}
	v.removals, v.read = list, true
	return nil
}

// removed reports whether the bot was removed from a server. The caller must hold the lock and have called load.
func (v *Service) removed(guild string) bool {
	return slices.ContainsFunc(v.removals, func(r storage.Removal) bool { return r.Guild == guild })
}

// IsRemoved reports whether the bot was removed from a server. It returns false if the store fails.
func (v *Service) IsRemoved(ctx context.Context, guild string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.load(ctx) == nil && v.removed(guild)
}

// note records that the bot was removed from a server, or is on it. The caller must hold the lock. If a removal cannot
// be stored, Compare finds it again.
func (v *Service) note(ctx context.Context, guild string, removed bool) {
	var err error
	v.removals = slices.DeleteFunc(slices.Clone(v.removals), func(r storage.Removal) bool { return r.Guild == guild })
	if removed {
		r := storage.Removal{Guild: guild, At: v.now()}
		v.removals = append(v.removals, r)
		err = v.store.AddRemoval(ctx, r)
	} else {
		err = v.store.DropRemoval(ctx, guild)
	}
	if err != nil && ctx.Err() == nil {
		v.log.WarnContext(ctx, "it could not be noted which servers the bot was removed from", "error", err)
	}
}

// LeftServer records that the bot was removed from a server. The server's games are paused, and its data are deleted
// after Grace. LeftServer reports whether the removal is new.
func (v *Service) LeftServer(ctx context.Context, guild string) (noted bool, err error) {
	if guild == "" {
		return false, nil
	}
	v.mu.Lock()
	err = v.load(ctx)
	if err == nil && !v.removed(guild) {
		v.note(ctx, guild, true)
		noted = true
	}
	v.mu.Unlock()
	if err != nil {
		return false, err
	}
	v.changed(ctx, guild)
	return noted, v.tables.PauseServer(ctx, guild)
}

// JoinedServer records that the bot is on a server, and undoes the effects of LeftServer. was reports whether there
// were any.
func (v *Service) JoinedServer(ctx context.Context, guild string) (was bool, err error) {
	v.mu.Lock()
	err = v.load(ctx)
	was = err == nil && v.removed(guild)
	if was {
		v.note(ctx, guild, false)
	}
	v.mu.Unlock()
	if !was {
		return false, err
	}
	v.changed(ctx, guild)
	return true, v.tables.ResumeServer(ctx, guild)
}

// Compare returns the servers for which LeftServer (gone) and JoinedServer (back) must be called, if the bot is on
// exactly the servers in here. It is needed because the bot may have been removed or added while it was down, or may
// have stopped before it had paused all games of a server that it left. Compare ignores servers outside mine, such as
// those of other shards.
func (v *Service) Compare(ctx context.Context, here, mine func(guild string) bool) (gone, back []string, err error) {
	known, err := v.store.Guilds(ctx)
	if err != nil {
		return nil, nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.load(ctx); err != nil {
		return nil, nil, err
	}
	for _, r := range v.removals {
		if mine(r.Guild) && here(r.Guild) {
			back = append(back, r.Guild)
		}
	}
	for _, g := range known {
		if mine(g) && !here(g) {
			gone = append(gone, g)
		}
	}
	return gone, back, nil
}

// deleteExpired deletes the data of servers of this process from which the bot was removed more than Grace ago.
func (v *Service) deleteExpired(ctx context.Context) {
	now := v.now()
	v.mu.Lock()
	err := v.load(ctx)
	list := v.removals
	v.mu.Unlock()
	if err != nil {
		return // the next sweep tries again
	}
	for _, r := range list {
		if !v.tables.Serves(r.Guild) {
			continue
		}
		if now-r.At < storage.Stamp(Grace.Milliseconds()) {
			continue
		}
		done, err := v.delete(ctx, r.Guild)
		if err == nil && !done {
			continue // the deletion continues in the background; a later sweep notes its end
		}
		if err != nil {
			if ctx.Err() == nil {
				v.log.ErrorContext(ctx, "the data of a server that the bot left could not be deleted; trying again",
					"guild", r.Guild, "error", err)
			}
			return
		}
		v.tables.Clear()
		v.mu.Lock()
		v.note(ctx, r.Guild, false)
		v.mu.Unlock()
		v.log.InfoContext(ctx, "the data of a server that the bot was removed from are deleted", "guild", r.Guild)
	}
}

// delete deletes a server's data. done reports whether the deletion is complete.
func (v *Service) delete(ctx context.Context, guild string) (done bool, err error) {
	work := storage.Work{Kind: storage.Deleting, Of: guild}
	asked, err := v.store.UnderWay(ctx, work)
	if err == nil && !asked {
		if v.deleted != nil {
			v.deleted(guild, v.now()) // first, so that no deletion goes unrecorded
		}
		if err = v.tables.Choices.ForgetServer(ctx, guild); err == nil {
			err = v.store.DeleteGuild(ctx, guild)
		}
	}
	if err != nil {
		return false, err
	}
	return v.tables.Await(ctx, work)
}

// Delete deletes a server's data, and waits for the end of the deletion.
func (v *Service) Delete(ctx context.Context, guild string) error {
	if _, err := v.delete(ctx, guild); err != nil {
		return err
	}
	return v.store.Finished(ctx, storage.Work{Kind: storage.Deleting, Of: guild})
}

// OutageBegins records that a server has an outage, if that affects anything on the server.
func (v *Service) OutageBegins(ctx context.Context, guild string) error {
	tables, err := v.tables.Lookup.ByGuild(ctx, guild, storage.Active, 0, 1)
	if err != nil {
		return err
	}
	active, err := v.active(ctx, guild)
	if err != nil || len(tables) == 0 && !active {
		return err
	}
	defer v.changed(ctx, guild)
	return v.tables.Choices.BeginOutage(ctx, guild)
}

// OutageEnds records that a server's outage is over, and starts its clocks again. had reports whether there was an
// outage.
func (v *Service) OutageEnds(ctx context.Context, guild string) (had bool, err error) {
	had, err = v.tables.Choices.EndOutage(ctx, guild)
	if err != nil || !had {
		return had, err
	}
	v.changed(ctx, guild)
	return true, v.tables.Retime(ctx, guild)
}
