package table

import (
	"context"

	"marque/storage"
)

// Replays knows which games that are over wait for their replays, over a restart, too. Its errors are
// those of the store.
type Replays struct {
	store  replayStore
	tables *tables
	wake   chan struct{}
}

// Ours reports whether this process makes the replay of a game.
func (r *Replays) Ours(ctx context.Context, id ID) (bool, error) { return r.tables.ours(ctx, id) }

// Want notes that a game waits for its replay.
func (r *Replays) Want(ctx context.Context, id ID) error {
	err := r.store.WantReplay(ctx, id)
	if err == nil {
		r.Poke()
	}
	return err
}

// Poke says that another game may wait.
func (r *Replays) Poke() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// More gives a value when another game may wait.
func (r *Replays) More() <-chan struct{} { return r.wake }

// Waiting lists at most limit games that wait, those with numbers above after, in the order of their numbers.
func (r *Replays) Waiting(ctx context.Context, after ID, limit int) ([]storage.Replay, error) {
	return r.store.Replays(ctx, after, limit)
}

// PutOff notes that a game waits on.
func (r *Replays) PutOff(ctx context.Context, replay storage.Replay) error {
	replay.Tries++
	return r.store.PutOffReplay(ctx, replay)
}

// Done notes that a game has its replay, or will have none.
func (r *Replays) Done(ctx context.Context, id ID) error { return r.store.DropReplay(ctx, id) }
