package lobby

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/table/conduct"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// AnswerButtons returns the buttons with which an invited user joins, declines or reads the rules.
func (rm *Room) AnswerButtons(snap *table.Snapshot, s show.Speaker) []discordgo.Button {
	return []discordgo.Button{
		joinButton(snap, s),
		show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.no-thanks")),
			show.CustomID{Action: actionLeave, Table: snap.ID.String()}),
		show.RulesButton(snap.Rules(), s),
	}
}

// joinButton returns the join button for users who have seen the table's current options.
func joinButton(snap *table.Snapshot, s show.Speaker) discordgo.Button {
	return show.Button(discordgo.SuccessButton, s.Say(text.M("bot.button.join")),
		show.CustomID{Action: actionJoin, Table: snap.ID.String(), Version: int(snap.Board)})
}

// Message returns the message of a lobby, with the players who have joined and those who are invited.
func (rm *Room) Message(ctx context.Context, n table.News, s *locale.Speaker) *show.Message {
	info := n.Rules().Info()
	lines := []string{show.Title(n.Snapshot, s), "*" + s.Say(info.Tagline) + "*"}
	lines = append(lines, show.OptionLines(n.Head.Game, n.Setup().Options, s)...)
	if rule := n.Timing.Rule; rule.Mode != storage.NoClock {
		lines = append(lines, s.Say(show.ClockText(rule)))
	}
	for i, o := range n.Seats {
		id := "bot.lobby.player"
		if o.User == n.Host {
			id = "bot.lobby.host"
		}
		lines = append(lines, s.Say(text.M(id, "Number", i+1, "Who", show.Mention(o))))
		if c := rm.conduct(ctx, n, o); c.Known() {
			lines = append(lines, "-# "+s.Say(show.ConductText(c)))
		}
	}
	for _, u := range n.Invited() {
		lines = append(lines, s.Say(text.M("bot.lobby.invited", "Who", text.User(u))))
	}
	open := n.Status == table.Lobby
	if free := n.Most - len(n.Seats) - len(n.Invited()); open && free > 0 {
		lines = append(lines, s.Say(text.M("bot.lobby.free", "Count", free)))
		if asks, any := show.ConditionsText(n.Asks()); any {
			lines = append(lines, s.Say(asks))
		}
	}
	switch {
	case !open && n.HasStarted():
		lines = append(lines, s.Say(text.M("bot.lobby.begun")))
	case !open:
		lines = append(lines, s.Say(text.M("table.news.closed")))
	case n.Least < n.Most:
		lines = append(lines, s.Say(text.M("bot.lobby.from", "Count", n.Least)))
	}
	if n.Unrated() {
		lines = append(lines, s.Say(text.M("bot.lobby.unrated")))
	}
	if n.ComputersResign() {
		lines = append(lines, s.Say(text.M("bot.lobby.resign")))
	}
	var fairness []discordgo.Button
	if n.Draws() {
		fairness = append(fairness, show.FairButton(n.Snapshot, s, n.Commitment()))
	}
	m := &show.Message{Components: []discordgo.MessageComponent{show.Container(show.Accent,
		show.Paragraph(strings.Join(lines, "\n")))}}
	if open {
		id := func(action show.Action) show.CustomID { return show.CustomID{Action: action, Table: n.ID.String()} }
		var buttons []discordgo.Button
		if n.Guild != "" { // nobody else can join in direct messages
			buttons = append(buttons, joinButton(n.Snapshot, s))
		}
		buttons = append(buttons,
			show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.button.leave")), id(actionLeave)),
			show.Button(discordgo.PrimaryButton, s.Say(text.M("bot.button.start")), id(actionStart)),
			show.RulesButton(n.Rules(), s))
		buttons = slices.Concat(buttons, show.LessonsButtons(n.Rules(), s), rm.computerButtons(n, s),
			rm.optionsButton(n.Snapshot, s), fairness)
		m.Components = append(m.Components, show.Rows(buttons...)...)
		return m
	}
	m.Components = append(m.Components, show.Rows(fairness...)...)
	return m
}

// showTable replies to the button of a table with a free seat in a list of tables. It shows the lobby, or the players
// and the free seats, because the message in the channel can have been deleted.
func (rm *Room) showTable(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m := rm.Message(ctx, table.News{Snapshot: snap}, r.Say)
	m.Components = append(m.Components, rm.SeatButtons(snap, show.Mentioning(r.Say, snap))...)
	if snap.HasStarted() {
		m.Components = append(m.Components, show.Rows(show.OpenButton(snap.Head, r.User.ID, r.Say))...)
	}
	return interact.Reply{New: m}, nil
}

// conduct returns the conduct of a lobby's player in earlier games; the zero value if it is not shown or cannot be
// read.
func (rm *Room) conduct(ctx context.Context, n table.News, o table.Occupant) conduct.Conduct {
	if n.Status != table.Lobby || n.Guild == "" || o.User == "" {
		return conduct.Conduct{}
	}
	c, err := rm.Tables.Conduct(ctx, n.Guild, o.User)
	if err != nil && ctx.Err() == nil {
		rm.Log.WarnContext(ctx, "how somebody plays could not be read", "table", n.ID, "error", err)
	}
	return c
}
