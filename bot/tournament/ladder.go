package tournament

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/games/competition"
	"marque/games/text"
	"marque/games/text/locale"
)

// challenge challenges the opponent in the option, or asks for an opponent if there is no option.
func (rm *Room) challenge(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if _, named := r.Options["who"]; named {
		who, _, _ := r.Person("who")
		m, err := rm.challengeOne(ctx, r, n, who)
		return interact.Reply{New: m}, err
	}
	rivals, err := rm.Competitions.Rivals(ctx, n, r.User.ID)
	if err != nil {
		return interact.Reply{}, err
	}
	if len(rivals) == 0 {
		return interact.Reply{}, show.Refuse(text.M("bot.competition.error.at-the-top"))
	}
	menu := discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, Placeholder: r.Say.Say(text.M("bot.competition.choose-rival")),
		CustomID: show.CustomID{Action: actionChallenged, Arg: number(n)}.String(),
	}
	for _, e := range rivals {
		label := r.Say.Plain().Say(text.M("bot.competition.rival", "Place", placeOn(n, e), "Name", rm.named(n, e)))
		menu.Options = append(menu.Options, discordgo.SelectMenuOption{
			Label: show.Clip(label, show.MaxOptionLabel), Value: strconv.Itoa(e),
		})
	}
	m := show.Text(r.Say.Say(text.M("bot.competition.whom", "Name", n.Name)))
	m.Components = append(m.Components, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
	return interact.Reply{New: m}, nil
}

// challenged replies to the choice of an opponent.
func (rm *Room) challenged(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if len(r.Values) != 1 {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	e, err := strconv.Atoi(r.Values[0])
	if err != nil || e < 0 || e >= len(n.Rules.Entrants) {
		return interact.Reply{}, show.Refuse(text.M("bot.error.unknown-control"))
	}
	m, err := rm.challengeOne(ctx, r, n, n.Rules.Entrants[e].User)
	return interact.Reply{Update: m}, err
}

func (rm *Room) challengeOne(
	ctx context.Context, r *interact.Request, n compete.Competition, who string,
) (*show.Message, error) {
	n, err := rm.Competitions.Challenge(ctx, r.Actor(), n.ID(), who)
	if err != nil {
		return nil, err
	}
	said := text.M("bot.competition.challenged", "Who", text.User(who), "Time", spanText(n.Rules.Setup.Answer))
	return show.Text(r.Say.Say(said)), nil
}

// accept replies to the action "accept" and to the Accept button.
func (rm *Room) accept(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.answer(ctx, r, true, "bot.competition.accepted", "bot.competition.took.accepted")
}

// decline replies to the action "decline" and to the Decline button.
func (rm *Room) decline(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.answer(ctx, r, false, "bot.competition.declined", "bot.competition.took.declined")
}

// answer accepts or declines a challenge or an offer to take over for an entrant. A button says which. A command
// answers the user's offer or, on a ladder without one, the user's open challenge. said is the id of the reply for a
// challenge, and took for an offer.
func (rm *Room) answer(ctx context.Context, r *interact.Request, accept bool,
	said, took string) (interact.Reply, error) {
	n, err := rm.which(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	offer, offered := n.Rules.OfferTo(r.User.ID)
	offered = offered || !ladders.has(n)
	if r.Control.Action != "" {
		offered = r.Control.Play == 0
	}
	var now compete.Competition
	if offered {
		said = took
		now, err = rm.Competitions.TakeOver(ctx, r.Actor(), n.ID(), accept)
	} else {
		now, err = rm.Competitions.Answer(ctx, r.Actor(), n.ID(), r.Control.Play, accept)
	}
	if err != nil {
		rm.dropSpent(ctx, r, n)
		return interact.Reply{}, err
	}
	rm.dropSpent(ctx, r, now)
	m := show.Text(r.Say.Say(text.M(said, "Name", n.Name, "Who", text.User(offer.For))))
	return interact.Reply{New: m}, nil
}

// lookedBack is the number of latest messages of a channel that are searched for obsolete buttons after a command.
const lookedBack = 50

// dropSpent removes obsolete buttons: after a press, from the button's message if it is public; after a command,
// from the latest messages in the competition's channel.
func (rm *Room) dropSpent(ctx context.Context, r *interact.Request, n compete.Competition) {
	if r.Control.Action != "" {
		if r.Message != nil && !r.Private() {
			rm.dropSpentOn(ctx, r.Message, n)
		}
		return
	}
	latest, err := rm.Rest.Session.ChannelMessages(n.Channel, lookedBack, "", "", "", discordgo.WithContext(ctx))
	if err != nil {
		rm.Log.InfoContext(ctx, "buttons that answer nothing any more cannot be looked for", "channel", n.Channel,
			"error", rest.Scrub(err))
		return
	}
	for _, m := range latest {
		if m.Author != nil && m.Author.Bot {
			rm.dropSpentOn(ctx, m, n)
		}
	}
}

// dropSpentOn removes obsolete buttons from a message.
func (rm *Room) dropSpentOn(ctx context.Context, on *discordgo.Message, n compete.Competition) {
	spent := func(c discordgo.MessageComponent) bool {
		b, ok := c.(*discordgo.Button)
		if !ok {
			return false
		}
		id, ok := show.ParseCustomID(b.CustomID)
		p, _ := n.Rules.Pairing(id.Play)
		return ok && id.Arg == number(n) && (id.Action == actionAccept || id.Action == actionDecline) &&
			(id.Play == 0 && len(n.Rules.Offers) == 0 || id.Play != 0 && p.Answer == 0)
	}
	m, dropped := &show.Message{}, false
	for _, c := range on.Components {
		if row, ok := c.(*discordgo.ActionsRow); ok {
			all := len(row.Components)
			row.Components = slices.DeleteFunc(row.Components, spent)
			if dropped = dropped || len(row.Components) < all; len(row.Components) == 0 {
				continue
			}
		}
		m.Components = append(m.Components, c)
	}
	if !dropped {
		return
	}
	if err := rm.Rest.Edit(ctx, on.ChannelID, on.ID, m); err != nil {
		rm.Log.InfoContext(ctx, "buttons that answer nothing any more stay on a message", "message", on.ID,
			"error", rest.Scrub(err))
	}
}

// placeOn returns the place of an entrant on a ladder, from 1, or 0 if the entrant is not on the ladder.
func placeOn(n compete.Competition, entrant int) int { return slices.Index(n.Rules.Order, entrant) + 1 }

// rivals returns the two entrants of a challenge.
func rivals(p competition.Pairing) (challenger, challenged int) {
	if p.Seats[0] == p.Challenger {
		return p.Seats[0], p.Seats[1]
	}
	return p.Seats[1], p.Seats[0]
}

// challengeLine returns a line with the state of a challenge, or its result.
func (rm *Room) challengeLine(n compete.Competition, p competition.Pairing) text.Message {
	by, who := rivals(p)
	say := func(id string, until competition.Stamp) text.Message {
		return text.M(id, "By", rm.person(n, by), "Who", rm.person(n, who), "Until", moment(until, text.Relative))
	}
	var line text.Message
	switch {
	case p.End == "" && p.Answer != 0 && !n.Over():
		return say("bot.competition.challenge", p.Answer)
	case p.End == "" || len(p.Points) > 0:
		line = rm.gameLine(n, p)
	default:
		line = say("bot.competition.challenge."+string(p.End), p.Ended)
	}
	if a, b := placeOn(n, by), placeOn(n, who); p.End != "" && a != 0 && b != 0 && a < b {
		return text.M("bot.competition.takes-place", "Line", line, "Who", rm.person(n, by), "Place", a)
	}
	return line
}

// ladderLines returns lines with the top of a ladder, and its open challenges and games unless it is over.
func (rm *Room) ladderLines(n compete.Competition, s *locale.Speaker) (lines []string) {
	for i, e := range n.Rules.Order[:min(len(n.Rules.Order), show.PageSize)] {
		lines = append(lines, s.Say(text.M("bot.competition.rung", "Place", text.Code(strconv.Itoa(i+1)),
			"Who", rm.person(n, e))))
	}
	open := 0
	for _, p := range n.Rules.Pairings {
		if p.End != "" || n.Over() {
			continue
		}
		if open++; open <= show.PageSize {
			lines = append(lines, "- "+s.Say(rm.challengeLine(n, p)))
		}
	}
	if open > show.PageSize {
		lines = append(lines, s.Say(text.M("bot.competition.news.more", "Count", open-show.PageSize,
			"Where", text.M("bot.competition.button.challenges"))))
	}
	return lines
}

// ladderRules returns the sentences about a ladder's settings.
func ladderRules(n compete.Competition, s show.Speaker) []string {
	c := n.Rules.Setup
	answer := text.M("bot.competition.ladder-answer", "Time", spanText(c.Answer), "Count", c.Declines)
	if c.Declines == 0 {
		answer.ID = "bot.competition.ladder-answer-all"
	}
	lines := []string{s.Say(answer)}
	if c.Rest > 0 {
		lines = append(lines, s.Say(text.M("bot.competition.ladder-rest", "Time", spanText(c.Rest))))
	}
	if c.Away > 0 {
		lines = append(lines, s.Say(text.M("bot.competition.ladder-away", "Time", spanText(c.Away))))
	}
	if c.End > 0 {
		lines = append(lines, s.Say(text.M("bot.competition.ladder-end", "When", moment(c.End, text.Full))))
	}
	return lines
}

func spanText(span competition.Stamp) text.Message {
	return show.DurationText(time.Duration(span) * time.Millisecond)
}
