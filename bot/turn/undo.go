package turn

import (
	"context"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
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
	switch p := after.Proposal; {
	case p.Kind == table.Undo && p.By != after.Seat(r.User.ID):
		return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.proposal.agreed")))}, nil
	case p.Kind == table.Undo:
		return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.undo.asked")))}, nil
	case after.Mover() != r.User.ID:
		s := show.Mentioning(r.Say, after)
		return interact.Reply{New: show.Text(s.Say(text.M("bot.undo.done-other", "Who", text.Player(after.ToMove))))}, nil
	}
	m := show.Text(r.Say.Say(text.M("bot.undo.done")))
	m.Components = append(m.Components, show.Rows(MoveButton(r.Say.Say, after))...)
	return interact.Reply{New: m}, nil
}

// maxTakenBack is how many moves the question whether they may be taken back names.
const maxTakenBack = 8

// undoQuestion names all moves that are taken back when those who are asked agree.
func undoQuestion(n table.News, asked []text.Message, by games.Seat) text.Message {
	steps := n.TakingBack(by)
	var moves []text.Message
	for _, step := range steps[:min(len(steps), maxTakenBack)] {
		moves = append(moves, text.M("bot.question.undo-move", "Move", text.Code(games.Spell(step.Before, step.Move)), "Who", text.Player(step.Seat)))
	}
	return text.M("bot.question.undo", "Asked", asked, "Who", text.Player(by), "Moves", moves, "Count", len(steps))
}

// takesBackAlone reports whether a user may take their move back without asking anybody, as far as
// the position says.
func takesBackAlone(snap *table.Snapshot, user string) bool {
	return snap.Status == table.Playing && snap.TakesBackAlone(snap.Seat(user))
}
