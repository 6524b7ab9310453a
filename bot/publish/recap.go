package publish

import (
	"slices"

	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// sinceTheirTurn is the number of the first play that the player to move has not seen: the one
// after their own last move, and at the latest the first of the news. The picture marks what was
// played since.
func sinceTheirTurn(n table.News) int {
	from := n.From
	for i := n.From - 1; i >= 0 && n.ToMove >= 0 && show.SeatOf(n.Snapshot, i) != n.ToMove; i-- {
		from = i
	}
	return max(from, show.LaidOut(n.Snapshot))
}

// newsLines tells in order what happened, but for reminders: those are said while they hold.
func newsLines(n table.News, s *locale.Speaker) []show.Line {
	var lines []show.Line
	add := func(said string, play bool) {
		if said != "" {
			lines = append(lines, show.Line{Said: said, Play: play})
		}
	}
	play, laid := n.From, 0
	if n.HasStarted() {
		laid = show.LaidOut(n.Snapshot)
	}
	for _, e := range n.Events {
		switch {
		case e.Kind == storage.Reminded:
		case e.Kind == resigned:
			add(s.Say(n.Tell(e)), false)
			play++
		case e.Kind.Play() && play < laid:
			if play++; play == laid {
				add(s.Say(text.M("bot.recap.laid-out", "Count", laid)), false)
			}
		case e.Kind.Play():
			add(show.TellPlay(n.Snapshot, games.Spectator, play, s), true)
			play++
		default:
			add(s.Say(tellEvent(n, e)), false)
		}
	}
	return lines
}

// reminderLines remind who is to move.
func reminderLines(n table.News, s *locale.Speaker) []string {
	var lines []string
	for _, e := range n.Events {
		if e.Kind == storage.Reminded {
			lines = append(lines, s.Say(n.Tell(e)))
		}
	}
	return lines
}

// tellEvent tells what is no play, of people who hold no seat by mention.
func tellEvent(n table.News, e table.Event) text.Message {
	told := n.Tell(e)
	if e.Seat < 0 && e.User != "" && told.Args["Who"] != nil {
		told = text.Message{ID: told.ID, Args: text.Args{"Who": show.Mention(table.Occupant{User: e.User}), "Game": told.Args["Game"]}}
	}
	return told
}

// A message tells of the moves this many; of a game against computers, in which many come at once,
// fewer.
const (
	maxRecap         = 14
	maxRecapComputer = 4
)

// recap keeps the last sentences about moves, and all that is no move: who has left the game, for
// example. It adds to earlier how many it leaves out.
func recap(n table.News, lines []show.Line, earlier int) (kept []show.Line, left int) {
	most := maxRecap
	if slices.ContainsFunc(n.Seats, func(o table.Occupant) bool { return o.Computer != "" }) {
		most = maxRecapComputer
	}
	moves := 0
	for _, l := range slices.Backward(lines) {
		switch {
		case len(kept) >= 2*maxRecap, l.Play && moves >= most:
			earlier++
		default:
			kept = append(kept, l)
			if l.Play {
				moves++
			}
		}
	}
	slices.Reverse(kept)
	return kept, earlier
}

// said are the sentences of a recap.
func said(lines []show.Line, earlier int, s *locale.Speaker) []string {
	var out []string
	if earlier > 0 {
		out = append(out, s.Say(text.M("bot.recap.more", "Count", earlier)))
	}
	for _, l := range lines {
		out = append(out, l.Said)
	}
	return out
}
