package table

import (
	"context"

	"marque/bot/choices"
	"marque/bot/table/changes"
	"marque/games"
)

// upkeep does the work that no command requests: after commits, and when something falls due.
type upkeep struct {
	tables  *tables
	choices *choices.Service
	queue   *queue
	outbox  *outbox
	pool    *computerPool // nil if there are no computer players

	rooms *rooms
	looks *changes.Looks

	// substitute chooses a move for a seat whose player is late; nil if there is no way to choose one.
	substitute func(ctx context.Context, snap *Snapshot, seat games.Seat) (notation string, ok bool)
}
