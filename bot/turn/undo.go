package turn

import (
	"context"

	"github.com/bwmarrin/discordgo"

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
		m.Components = append(m.Components, show.Rows(MoveButton(r.Say.Say, after))...)
	}
	if r.Private() {
		return interact.Reply{Update: m, Sole: interact.Brief(after)}, nil
	}
	return interact.Reply{New: m, Sole: interact.Brief(after)}, nil
}

// undoButton takes back the move that was made last.
func undoButton(snap *table.Snapshot, s show.Speaker) discordgo.Button {
	return show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.undo")),
		show.CustomID{Action: actionUndo, Table: snap.ID.String(), Version: show.Version(snap)})
}

// maxTakenBack is how many moves the question whether they may be taken back names.
const maxTakenBack = 8

// undoQuestion names all moves that are taken back when those who are asked agree.
func undoQuestion(n table.News, asked []text.Message, by games.Seat) text.Message {
	steps := n.TakingBack(by)
	var moves []text.Message
	for _, step := range steps[:min(len(steps), maxTakenBack)] {
		moves = append(moves, text.M("bot.question.undo-move", "Move", text.Code(games.Spell(step.Before, step.Move)),
			"Who", text.Player(step.Seat)))
	}
	return text.M("bot.question.undo", "Asked", asked, "Who", text.Player(by), "Moves", moves, "Count", len(steps))
}
