package turn

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// draw handles /table draw: it offers a draw, or asks the player to confirm that they agree to an open offer. If all
// others are computers, the player must confirm the offer, too.
func (rm *Room) draw(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	switch seat := snap.Seat(r.User.ID); {
	case snap.Status != table.Playing || !snap.In(seat):
	case snap.Proposal.Kind == table.Draw && !snap.Proposal.Has(seat):
		return confirmAgreeing(r, snap, table.Draw, int(snap.Version)), nil
	case snap.Proposal.Kind == "" && onlyComputersAgainst(snap, seat):
		return confirm(r, snap, confirmDraw, "bot.draw.sure", "bot.draw.button"), nil
	}
	return rm.offerDraw(ctx, r, snap, false)
}

// onlyComputersAgainst reports whether all other players in the game are computers. Computers answer an offer
// immediately.
func onlyComputersAgainst(snap *table.Snapshot, seat games.Seat) bool {
	for i, o := range snap.Seats {
		if s := games.Seat(i); s != seat && snap.In(s) && o.Computer == "" {
			return false
		}
	}
	return true
}

// offerDraw offers a draw, or agrees to an open offer. updates is true if the answer replaces a question.
func (rm *Room) offerDraw(ctx context.Context, r *interact.Request, snap *table.Snapshot,
	updates bool) (interact.Reply, error) {
	after, err := rm.tables.Propose(ctx, r.Actor(), snap.ID, table.Draw)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	m := show.Text(r.Say.Say(text.M("bot.draw.offered")))
	if after.Status == table.Over {
		m = show.Text(r.Say.Say(text.M("bot.draw.agreed")))
	}
	if updates {
		return interact.Reply{Update: m}, nil
	}
	return interact.Reply{New: m}, nil
}

// agree handles the button that agrees to an offer. If the agreement can end the game, agree first asks the player to
// confirm.
func (rm *Room) agree(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	kind := table.ProposalKind(r.Control.Arg)
	if kind == table.Draw || kind == table.Abandon {
		snap, err := rm.find.Table(ctx, r)
		if err != nil {
			return interact.Reply{}, err
		}
		if seat := snap.Seat(r.User.ID); snap.In(seat) && snap.Proposal.Kind == kind && !snap.Proposal.Has(seat) &&
			snap.Proposal.Asked <= uint64(r.Control.Version) {
			return confirmAgreeing(r, snap, kind, r.Control.Version), nil
		}
	}
	return rm.answerProposal(ctx, r, rm.tables.Accept, "bot.proposal.agreed")
}

// decline handles the button under an offer that declines it. For the user's own offer, the button withdraws it.
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

type proposalCommand func(context.Context, table.Actor, table.ID, table.ProposalKind, uint64) (*table.Snapshot, error)

func (rm *Room) answerProposal(ctx context.Context, r *interact.Request, do proposalCommand,
	done string) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if _, err := do(ctx, r.Actor(), snap.ID, table.ProposalKind(r.Control.Arg), uint64(r.Control.Version)); err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M(done)))}, nil
}

// The commands that a player can be asked to confirm.
const (
	confirmResign  = "resign"
	confirmAbandon = "abandon"
	confirmDraw    = "draw"
	confirmAgree   = "agree/" // the kind of the proposal follows
)

// resign handles /table resign: it asks for confirmation.
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

// abandon handles /table abandon: it asks for confirmation. In a game that a player can give up only by resigning, it
// asks whether they resign.
func (rm *Room) abandon(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if snap.Staked() && snap.In(snap.Seat(r.User.ID)) {
		question := "bot.abandon.resigns"
		if snap.OfCompetition() {
			question = "bot.abandon.resigns-competition"
		}
		return confirm(r, snap, confirmResign, question, "bot.resign.button"), nil
	}
	return confirm(r, snap, confirmAbandon, "bot.abandon.sure", "bot.abandon.button"), nil
}

// confirmAgreeing asks a player to confirm an agreement that can end the game. version is the version of the table at
// which the player saw the proposal.
func confirmAgreeing(r *interact.Request, snap *table.Snapshot, kind table.ProposalKind, version int) interact.Reply {
	question, label := "bot.agree.draw-sure", "bot.agree.draw-button"
	if kind == table.Abandon {
		question, label = "bot.agree.abandon-sure", "bot.agree.abandon-button"
	}
	return confirmAt(r, snap, confirmAgree+string(kind), question, label, version)
}

// confirm returns a question in which the player confirms a command. what is one of the confirm constants.
func confirm(r *interact.Request, snap *table.Snapshot, what, question, label string) interact.Reply {
	return confirmAt(r, snap, what, question, label, 0)
}

func confirmAt(r *interact.Request, snap *table.Snapshot, what, question, label string, version int) interact.Reply {
	m := show.Text(r.Say.Say(text.M(question, "Game", snap.Rules().Info().Name, "Table", snap.ID.String())))
	id := show.CustomID{Action: actionConfirm, Table: snap.ID.String(), Version: version, Arg: what}
	m.Components = append(m.Components, show.Rows(show.Button(discordgo.DangerButton, r.Say.Say(text.M(label)), id))...)
	return interact.Reply{New: m}
}

// confirmed handles the button with which a player confirms a command that can end the game.
func (rm *Room) confirmed(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	var done string
	switch r.Control.Arg {
	case confirmDraw:
		return rm.offerDraw(ctx, r, snap, true)
	case confirmAgree + string(table.Draw), confirmAgree + string(table.Abandon):
		done = "bot.proposal.agreed"
		_, err = rm.tables.Accept(ctx, r.Actor(), snap.ID,
			table.ProposalKind(strings.TrimPrefix(r.Control.Arg, confirmAgree)), uint64(r.Control.Version))
	case confirmResign:
		done = "bot.resign.done"
		_, err = rm.tables.Resign(ctx, r.Actor(), snap.ID)
	case confirmAbandon:
		done = "bot.abandon.done"
		var after *table.Snapshot
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
