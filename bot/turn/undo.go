package turn

import (
	"context"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// undo answers /undo and the button that takes a move back.
func (rm *Room) undo(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if r.Control.Action == actionUndo && r.Control.Version < int(snap.Board) {
		return interact.Reply{}, rm.find.MovedOn(ctx, snap)
	}
	after, err := rm.tables.Propose(ctx, r.Actor(), snap.ID, table.Undo)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	if after.Proposal.Kind == table.Undo {
		return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.undo.asked")))}, nil
	}
	m := show.Text(r.Say.Say(text.M("bot.undo.done")))
	if after.Mover() == r.User.ID {
		m.Components = append(m.Components, show.Rows(MoveButton(r.Say.Say, after))...)
	}
	return interact.Reply{New: m}, nil
}

// takesBackAlone reports whether a user may take their move back without asking anybody, as far as
// the position says.
func takesBackAlone(snap *table.Snapshot, user string) bool {
	return snap.Status == table.Playing && snap.TakesBackAlone(snap.Seat(user))
}
