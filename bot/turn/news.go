package turn

import (
	"context"
	"slices"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/games/text"
)

// maxNews is the maximum number of characters of the texts in whatHappened's message. A message can have 4,000.
const maxNews = 3500

// whatHappened handles the button What happened under a board. It shows the moves since the user's last turn or, to a
// spectator, since the last turn of the player to move. Only the user sees the message.
func (rm *Room) whatHappened(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	viewer := snap.Viewer(r.User.ID)
	s := show.Mentioning(r.Say, snap)
	var lines []string
	room, earlier := maxNews, 0
	since := show.SinceLastTurn(snap, viewer)
	for i := snap.Plays - 1; i >= since; i-- {
		said := show.DescribePlay(snap, viewer, i, s)
		switch room -= show.Length(said) + 1; {
		case said == "":
		case room < 0:
			earlier++
		default:
			lines = append(lines, said)
		}
	}
	if earlier > 0 {
		lines = append(lines, s.Say(text.M("bot.recap.more", "Count", earlier)))
	}
	slices.Reverse(lines)
	title := "bot.news.title"
	if viewer < 0 || since == show.LaidOut(snap) { // true also before a player's first turn
		title = "bot.news.title-watching"
	}
	if len(lines) == 0 {
		lines = []string{s.Say(text.M("bot.news.none"))}
	}
	return interact.Reply{New: show.Text(strings.Join(append([]string{"### " + s.Say(text.M(title))}, lines...),
		"\n"))}, nil
}
