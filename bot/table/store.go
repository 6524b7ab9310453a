package table

import (
	"context"

	"marque/bot/choices"
	"marque/bot/table/conduct"
	"marque/bot/table/uptime"
	"marque/storage"
)

// Store is the part of the store that a Service uses. Its methods return the errors of package storage.
type Store interface {
	// Tables.
	Create(ctx context.Context, change storage.Change) (storage.ID, error)
	Commit(ctx context.Context, change storage.Change) error
	CheckLimits(ctx context.Context, change storage.Change) error
	Done(ctx context.Context, table storage.ID, key string, now storage.Stamp) (*storage.DoneError, error)
	Load(ctx context.Context, id storage.ID) (storage.Table, error)
	Restorations(ctx context.Context) ([]storage.Restoration, error)

	// Heads and lists of tables.
	ByChannel(ctx context.Context, channel string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head,
		error)
	ByGuild(ctx context.Context, guild string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error)
	ByUser(ctx context.Context, user string, phase storage.Phase, after storage.ID, limit int) ([]storage.Head, error)
	Head(ctx context.Context, id storage.ID) (storage.Head, error)
	Turns(ctx context.Context, user string, limit int) ([]storage.Turn, error)
	RematchOf(ctx context.Context, id storage.ID) (storage.ID, error)
	Naming(ctx context.Context, user string) ([]storage.ID, error)
	DueUntil(ctx context.Context, until storage.Stamp, limit int) ([]storage.DueTable, error)

	// Unpublished events.
	News(ctx context.Context, id storage.ID) (storage.Table, error)
	Pending(ctx context.Context, after storage.ID, limit int) ([]storage.ID, error)
	MarkPublished(ctx context.Context, id storage.ID, p storage.Publication, fence storage.Fence) error

	// Standings and results.
	Standing(ctx context.Context, b storage.Board, player string) (storage.Standing, error)
	Void(ctx context.Context, id storage.ID, v *storage.Voiding) (storage.Result, error)

	// Background jobs.
	Works(ctx context.Context) ([]storage.Work, error)
	UnderWay(ctx context.Context, w storage.Work) (bool, error)
	Finished(ctx context.Context, w storage.Work) error

	choices.Store
	conduct.Store
	uptime.Store
}
