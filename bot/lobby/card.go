package lobby

import (
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// Card returns the message about a table in the channel of the table's thread. It shows the game and the thread, the
// players, the player to move, and how the game ended.
func (rm *Room) Card(snap *table.Snapshot, s *locale.Speaker) *show.Message {
	lines := []string{
		s.Say(text.M("bot.card.title", "Game", snap.Rules().Info().Name, "Table", snap.ID.String(),
			"Channel", text.Channel(snap.Channel))),
		s.Say(cardState(snap)),
	}
	if snap.Status == table.Lobby && free(snap) > 0 {
		if asks, any := show.ConditionsText(snap.Asks()); any {
			lines = append(lines, s.Say(asks))
		}
	}
	m := show.Text(strings.Join(lines, "\n"))
	var buttons []discordgo.Button
	if snap.Status == table.Lobby && len(snap.Seats) < snap.Most {
		buttons = append(buttons, show.Button(discordgo.SuccessButton, s.Say(text.M("bot.button.join")),
			show.CustomID{Action: actionJoin, Table: snap.ID.String()}))
	}
	thread := discordgo.Button{Style: discordgo.LinkButton, Label: s.Say(text.M("bot.card.thread")),
		URL: text.Link(snap.Guild, snap.Channel, "").String()}
	m.Components = append(m.Components, show.Rows(append(buttons, thread, show.RulesButton(snap.Rules(), s))...)...)
	m.Components = append(m.Components, rm.SeatButtons(snap, s)...)
	return m
}

// free returns the number of seats of a lobby that are neither taken nor reserved by an invitation.
func free(snap *table.Snapshot) int {
	return max(0, snap.Most-len(snap.Seats)-len(snap.Invited()))
}

func cardState(snap *table.Snapshot) text.Message {
	who := make([]text.Message, len(snap.Seats))
	for i, o := range snap.Seats {
		who[i] = show.Mention(o)
	}
	switch {
	case snap.Status == table.Over:
		return snap.Describe(table.Event{Kind: storage.Ended, Seat: games.Nobody, Text: string(snap.Ending)})
	case snap.Paused != "":
		return text.M("bot.card.paused", "Who", who)
	case snap.Status == table.Lobby:
		opened, invited := text.Moment(snap.Opened.Time(), text.Relative), []text.Message{}
		for _, u := range snap.Invited() {
			invited = append(invited, text.User(u).Raw())
		}
		switch n := free(snap); {
		case len(invited) == 0:
			return text.M("bot.card.lobby", "Who", who, "Count", n, "Since", opened)
		case n == 0:
			return text.M("bot.card.kept", "Who", who, "Invited", invited, "Since", opened)
		default:
			return text.M("bot.card.lobby-kept", "Who", who, "Invited", invited, "Count", n, "Since", opened)
		}
	case show.Departed(snap.Holder(snap.ToMove)):
		return text.M("bot.card.nobody", "Who", who)
	}
	return text.M("bot.card.turn", "Who", who, "Mover", text.Player(snap.ToMove))
}
