package turn

import (
	"context"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// undo handles /table undo and the button that takes a move back.
func (rm *Room) undo(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if r.Control.Action == show.ActionUndo && r.Control.Version < int(snap.Board) {
		return interact.Reply{}, rm.find.MovedOn(ctx, snap)
	}
	after, err := rm.tables.Propose(ctx, r.Actor(), snap.ID, table.Undo)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	var m *show.Message
	switch p := after.Proposal; {
	case p.Kind == table.Undo && p.By != after.Seat(r.User.ID):
		m = show.Text(r.Say.Say(text.M("bot.proposal.agreed")))
	case p.Kind == table.Undo:
		m = show.Text(r.Say.Say(text.M("bot.undo.asked")))
	case after.Mover() != r.User.ID:
		m = show.Text(show.Mentioning(r.Say, after).Say(text.M("bot.undo.done-other",
			"Who", text.Player(after.ToMove))))
	default:
		m = show.Text(r.Say.Say(text.M("bot.undo.done")))
		m.Components = append(m.Components, show.Rows(show.MoveButton(after, r.Say))...)
	}
	if r.Private() {
		return interact.Reply{Update: m, Ephemeral: interact.TransientOf(after)}, nil
	}
	return interact.Reply{New: m, Ephemeral: interact.TransientOf(after)}, nil
}
