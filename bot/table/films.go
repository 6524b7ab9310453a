package table

import (
	"context"

	"marque/storage"
)

// Films knows which games that are over wait for their replays, over a restart, too. Its errors are
// those of the store.
type Films struct {
	store  filmStore
	tables *tables
}

// Ours reports whether this process makes the replay of a game.
func (f *Films) Ours(ctx context.Context, id ID) (bool, error) { return f.tables.ours(ctx, id) }

// Want notes that a game waits for its replay.
func (f *Films) Want(ctx context.Context, id ID) error { return f.store.WantFilm(ctx, id) }

// Waiting lists at most limit games that wait, by their numbers, of those behind after.
func (f *Films) Waiting(ctx context.Context, after ID, limit int) ([]storage.Film, error) {
	return f.store.Films(ctx, after, limit)
}

// PutOff notes that a game waits on.
func (f *Films) PutOff(ctx context.Context, film storage.Film) error {
	film.Tries++
	return f.store.PutOffFilm(ctx, film)
}

// Done notes that a game has its replay, or will have none.
func (f *Films) Done(ctx context.Context, id ID) error { return f.store.DropFilm(ctx, id) }
