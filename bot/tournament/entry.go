package tournament

import (
	"context"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/competition"
	"marque/games/text"
)

// enter replies to the action "enter" and to the Enter button.
func (rm *Room) enter(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if i, known := n.Rules.Entrant(r.User.ID); known && n.Rules.Entrants[i].Out == 0 {
		return interact.Reply{}, show.Refuse(text.M("bot.competition.error.entered", "Name", n.Name))
	}
	if n, err = rm.Competitions.Enter(ctx, r.Actor(), n.ID()); err != nil {
		return interact.Reply{}, err
	}
	begins := text.Moment(table.Stamp(n.Rules.Setup.Start).Time(), text.Relative)
	said := text.M("bot.competition.entered", "Name", n.Name, "When", begins)
	switch ladder := ladders.has(n); {
	case ladder && n.Rules.Phase != competition.Entry:
		said = text.M("bot.competition.entered-ladder", "Name", n.Name, "Place", len(n.Rules.Order))
	case ladder:
		said = text.M("bot.competition.entered-ladder-early", "Name", n.Name, "When", begins)
	case n.Rules.Phase != competition.Entry:
		said = text.M("bot.competition.entered-late", "Name", n.Name)
	}
	m := show.Text(r.Say.Say(said))
	m.Components = append(m.Components, show.Rows(rm.button(r.Say, discordgo.SecondaryButton, "leave", actionLeave,
		n))...)
	return interact.Reply{New: m}, nil
}

// leave replies to the action "leave" and to the Leave button. Before the competition begins, it deletes the entry
// immediately. Later it asks for confirmation before it withdraws the user.
func (rm *Room) leave(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if i, known := n.Rules.Entrant(r.User.ID); n.Rules.Phase == competition.Running && known &&
		n.Rules.Entrants[i].Out == 0 {
		sure := "bot.competition.withdraw-sure"
		if ladders.has(n) {
			sure = "bot.competition.withdraw-sure-ladder"
		}
		m := show.Text(r.Say.Say(text.M(sure, "Name", n.Name)))
		m.Components = append(m.Components, show.Rows(rm.button(r.Say, discordgo.DangerButton, "withdraw",
			actionWithdraw, n))...)
		return interact.Reply{New: m}, nil
	}
	if n, err = rm.Competitions.Leave(ctx, r.Actor(), n.ID()); err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M("bot.competition.left", "Name", n.Name)))}, nil
}

// withdraw replies to the confirmation of leave.
func (rm *Room) withdraw(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err == nil {
		n, err = rm.Competitions.Leave(ctx, r.Actor(), n.ID())
	}
	if err != nil {
		return interact.Reply{}, err
	}
	return interact.Reply{Update: show.Text(r.Say.Say(text.M("bot.competition.withdrawn", "Name", n.Name)))}, nil
}

// start replies to the action "start" and to the Start button.
func (rm *Room) start(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.done(ctx, r, "bot.competition.started", rm.Competitions.Begin)
}

// here replies to the action "here" by moving the competition to this channel.
func (rm *Room) here(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	place, err := rm.Find.Place(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if place.IsThread() {
		return interact.Reply{},
			show.Refuse(text.M("bot.competition.error.thread", "Channel", text.Channel(place.ParentID)))
	}
	return rm.done(ctx, r, "bot.competition.here", func(ctx context.Context, by table.Actor, id compete.ID) (
		compete.Competition, error) {
		return rm.Competitions.Rehouse(ctx, by, id, r.ChannelID)
	})
}

// remove replies to the action "remove".
func (rm *Room) remove(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.done(ctx, r, "bot.competition.removed", func(ctx context.Context, by table.Actor, id compete.ID) (
		compete.Competition, error) {
		who, _, _ := r.Person("who")
		return rm.Competitions.Remove(ctx, by, id, who)
	})
}

// substitute replies to the action "substitute" by offering an entrant's place to a user, or by withdrawing the offer.
func (rm *Room) substitute(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	who, _, _ := r.Person("who")
	if _, named := r.Options["by"]; !named {
		m, err := rm.unaskFor(ctx, r, n, who)
		return interact.Reply{New: m}, err
	}
	by, name, _ := r.Person("by")
	if err := r.Invitable(by); err != nil {
		return interact.Reply{}, err
	}
	if err := rm.Find.AllSee(ctx, r, n.Channel, by); err != nil {
		return interact.Reply{}, err
	}
	n, err = rm.Competitions.Ask(ctx, r.Actor(), n.ID(), who, table.Occupant{User: by, Name: name})
	if err != nil {
		return interact.Reply{}, err
	}
	m := show.Text(r.Say.Say(text.M("bot.competition.asked", "Name", n.Name, "Who", text.User(who), "By", text.User(by),
		"Time", spanText(competition.OfferTime))))
	e, _ := n.Rules.Entrant(who)
	m.Components = append(m.Components, show.Rows(show.Button(discordgo.SecondaryButton,
		r.Say.Say(text.M("bot.competition.button.unask")),
		show.CustomID{Action: actionUnask, Arg: number(n), Play: e}))...)
	return interact.Reply{New: m}, nil
}

// unask replies to a button that withdraws the offer of an entrant's place.
func (rm *Room) unask(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if r.Control.Play >= len(n.Rules.Entrants) {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	m, err := rm.unaskFor(ctx, r, n, n.Rules.Entrants[r.Control.Play].User)
	return interact.Reply{Update: m}, err
}

func (rm *Room) unaskFor(
	ctx context.Context, r *interact.Request, n compete.Competition, who string,
) (*show.Message, error) {
	if _, err := rm.Competitions.Unask(ctx, r.Actor(), n.ID(), who); err != nil {
		return nil, err
	}
	return show.Text(r.Say.Say(text.M("bot.competition.unasked", "Name", n.Name, "Who", text.User(who)))), nil
}

// askCancel replies to the action "cancel" by asking for confirmation.
func (rm *Room) askCancel(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	switch {
	case !rm.Competitions.MayRun(r.Actor(), n):
		return interact.Reply{}, show.Refuse(text.M("table.error.organiser"))
	case n.Over():
		return interact.Reply{}, show.Refuse(text.M("table.error.competition-over"))
	}
	sure := "bot.competition.cancel-sure"
	if n.Rules.Phase == competition.Entry {
		sure = "bot.competition.cancel-sure-early"
	}
	m := show.Text(r.Say.Say(text.M(sure, "Name", n.Name)))
	m.Components = append(m.Components, show.Rows(rm.button(r.Say, discordgo.DangerButton, "cancel", actionCancel,
		n))...)
	return interact.Reply{New: m}, nil
}

// cancel replies to the confirmation of askCancel.
func (rm *Room) cancel(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	reply, err := rm.done(ctx, r, "bot.competition.cancelled", rm.Competitions.CallOff)
	return interact.Reply{Update: reply.New}, err
}

// done changes a competition with do, and replies that it was changed.
func (rm *Room) done(
	ctx context.Context, r *interact.Request, said string, do func(context.Context, table.Actor,
		compete.ID) (compete.Competition, error),
) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err == nil {
		n, err = do(ctx, r.Actor(), n.ID())
	}
	if err != nil {
		return interact.Reply{}, err
	}
	who, _, _ := r.Person("who")
	return interact.Reply{New: show.Text(r.Say.Say(text.M(said, "Name", n.Name, "Who", text.User(who))))}, nil
}

// button returns a button for an action on a competition. label is the last part of the id of the button's text.
func (rm *Room) button(s show.Speaker, style discordgo.ButtonStyle, label string, action show.Action,
	n compete.Competition) discordgo.Button {
	return show.Button(style, s.Say(text.M("bot.competition.button."+label)),
		show.CustomID{Action: action, Arg: number(n)})
}
