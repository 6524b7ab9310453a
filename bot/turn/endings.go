package turn

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
	"marque/games/text/locale"
)

// draw answers /draw: it offers a draw, or agrees to the one that is offered.
func (rm *Room) draw(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	after, err := rm.tables.Propose(ctx, r.Actor(), snap.ID, table.Draw)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	if after.Status == table.Over {
		return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.draw.agreed")))}, nil
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.draw.offered")))}, nil
}

// agree answers the agree button under an offer.
func (rm *Room) agree(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.answerProposal(ctx, r, rm.tables.Accept, "bot.proposal.agreed")
}

// decline answers the decline button under an offer; who made the offer takes it back.
func (rm *Room) decline(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if p := snap.Proposal; p.Kind != "" && p.By == snap.Seat(r.User.ID) {
		return rm.answerProposal(ctx, r, rm.tables.Withdraw, "bot.proposal.withdrawn")
	}
	return rm.answerProposal(ctx, r, rm.tables.Decline, "bot.proposal.declined")
}

type proposalCommand func(context.Context, table.Actor, table.ID, table.ProposalKind) (*table.Snapshot, error)

func (rm *Room) answerProposal(ctx context.Context, r *interact.Request, do proposalCommand, done string) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if _, err := do(ctx, r.Actor(), snap.ID, table.ProposalKind(r.Control.Arg)); err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M(done)))}, nil
}

// The commands that ask whether one means it.
const (
	confirmResign  = "resign"
	confirmAbandon = "abandon"
)

// resign answers /resign with a question.
func (rm *Room) resign(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if _, err := rm.tables.PlayerSeat(ctx, r.Actor(), snap); err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return confirm(r, snap, confirmResign, "bot.resign.sure", "bot.resign.button"), nil
}

// abandon answers /table abandon with a question.
func (rm *Room) abandon(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	return confirm(r, snap, confirmAbandon, "bot.abandon.sure", "bot.abandon.button"), nil
}

// confirm asks whether that is meant.
func confirm(r *interact.Request, snap *table.Snapshot, what, question, label string) interact.Reply {
	m := show.Text(r.Say.Say(text.M(question, "Game", snap.Rules().Info().Name, "Table", snap.ID.String())))
	id := show.CustomID{Action: actionConfirm, Table: snap.ID.String(), Arg: what}
	m.Components = append(m.Components, show.Rows(show.Button(discordgo.DangerButton, r.Say.Say(text.M(label)), id))...)
	return interact.Reply{New: m}
}

// confirmed answers the button under such a question.
func (rm *Room) confirmed(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	var done string
	switch r.Control.Arg {
	case confirmResign:
		done = "bot.resign.done"
		_, err = rm.tables.Resign(ctx, r.Actor(), snap.ID)
	case confirmAbandon:
		done = "bot.abandon.done"
		after := snap
		if snap.Status == table.Playing && (!r.Actor().May(table.EndGame) || snap.Seat(r.User.ID) >= 0) {
			after, err = rm.tables.Propose(ctx, r.Actor(), snap.ID, table.Abandon)
		} else {
			after, err = rm.tables.Abandon(ctx, r.Actor(), snap.ID)
		}
		if err == nil && after.Status != table.Over {
			done = "bot.abandon.proposed"
		}
	default:
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{Update: show.Text(r.Say.Say(text.M(done)))}, nil
}

// ProposalButtons let those who are asked agree to what is proposed, or decline it.
func ProposalButtons(n table.News, s *locale.Speaker) []discordgo.MessageComponent {
	if n.Proposal.Kind == "" || n.Status != table.Playing {
		return nil
	}
	id := func(action show.Action) show.CustomID {
		return show.CustomID{Action: action, Table: n.ID.String(), Version: show.Version(n.Snapshot), Arg: string(n.Proposal.Kind)}
	}
	return show.Rows(
		show.Button(discordgo.SuccessButton, s.Say(text.M("bot.button.agree")), id(actionAgree)),
		show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.decline")), id(actionDecline)),
	)
}
