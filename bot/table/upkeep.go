package table

import (
	"context"

	"marque/bot/choices"
	"marque/bot/table/changes"
	"marque/games"
)

// upkeep does work that no command asks for: what follows a commit, and what falls due.
type upkeep struct {
	tables  *tables
	choices *choices.Service
	queue   *queue
	outbox  *outbox
	pool    *computerPool // nil without computer players

	rooms *rooms
	looks *changes.Looks

	// substitute chooses a move for a seat whose player is late; nil if nothing can.
	substitute func(ctx context.Context, snap *Snapshot, seat games.Seat) (notation string, ok bool)
}
