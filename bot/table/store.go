package table

import (
	"context"

	"marque/bot/choices"
	"marque/bot/table/conduct"
	"marque/bot/table/uptime"
	"marque/storage"
)

// Store is what a Service needs of its store. The errors are those of package storage.
type Store interface {
	tableStore
	listStore
	outboxStore
	choices.Store
	standingStore
	uptime.Store
	namingStore
	workStore
	DueUntil(ctx context.Context, until storage.Stamp, limit int) ([]storage.DueTable, error)
}

// tableStore keeps tables.
type tableStore interface {
	Create(ctx context.Context, change storage.Change) (storage.ID, error)
	Commit(ctx context.Context, change storage.Change) error
	CheckLimits(ctx context.Context, change storage.Change) error
	Done(ctx context.Context, table storage.ID, key string, now storage.Stamp) (*storage.DoneError, error)
	Load(ctx context.Context, id storage.ID) (storage.Table, error)
	Restorations(ctx context.Context) ([]storage.Restoration, error)
}

// listStore lists tables.
type listStore interface {
	ByChannel(ctx context.Context, channel string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head,
		error)
	ByGuild(ctx context.Context, guild string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error)
	ByUser(ctx context.Context, user string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error)
	Head(ctx context.Context, id storage.ID) (storage.Head, error)
	Turns(ctx context.Context, user string, limit int) ([]storage.Turn, error)
	RematchOf(ctx context.Context, id storage.ID) (storage.ID, error)
}

// outboxStore knows which tables have news that were not published yet.
type outboxStore interface {
	News(ctx context.Context, id storage.ID) (storage.Table, error)
	Pending(ctx context.Context, after storage.ID, limit int) ([]storage.ID, error)
	MarkPublished(ctx context.Context, id storage.ID, p storage.Publication, fence storage.Fence) error
}

// standingStore keeps what games count for.
type standingStore interface {
	conduct.Store
	Standing(ctx context.Context, b storage.Board, player string) (storage.Standing, error)
	Void(ctx context.Context, id storage.ID, v *storage.Voiding) (storage.Result, error)
}

// namingStore finds the tables that name a user.
type namingStore interface {
	Naming(ctx context.Context, user string) ([]storage.ID, error)
}

// workStore says which of the requested works are done.
type workStore interface {
	Works(ctx context.Context) ([]storage.Work, error)
	UnderWay(ctx context.Context, w storage.Work) (bool, error)
	Finished(ctx context.Context, w storage.Work) error
}
