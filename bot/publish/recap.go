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

// sinceTheirTurn returns the index of the first play that the picture highlights. This is the first play of the news,
// or the first one since the last turn of the player to move, if that is earlier. A deal before the first move is left
// out.
func sinceTheirTurn(n table.News) int {
	from := n.From
	if n.ToMove >= 0 {
		from = min(from, show.SinceLastTurn(n.Snapshot, n.ToMove))
	}
	return max(from, show.LaidOut(n.Snapshot))
}

// newsLines returns the texts about events, in order. It leaves out reminders, which have their own lines while they
// apply.
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
	for i, e := range n.Events {
		switch {
		case e.Kind == storage.Reminded, saidByNext(n.Events[i:]):
		case n.OfCompetition() && (e.Kind == storage.Opened || e.Kind == storage.Joined): // its pairing shows these
		case e.Kind == resigned:
			if i == 0 || n.Events[i-1].Kind != storage.TimedOut { // TimedOut already tells this
				add(s.Say(n.Describe(e)), false)
			}
			play++
		case e.Kind.Play() && play < laid:
			if play++; play == laid {
				add(s.Say(text.M("bot.recap.laid-out")), false)
			}
		case e.Kind.Play():
			add(show.DescribePlay(n.Snapshot, games.Spectator, play, s), true)
			play++
		case e.Kind == storage.Ended:
			add("### "+s.Say(describeEvent(n, e)), false) // computer players' names are bold already
		default:
			add(s.Say(describeEvent(n, e)), false)
		}
	}
	return lines
}

// saidByNext reports whether the text of the second event repeats the text of the first: a proposal was accepted, and
// then carried out.
func saidByNext(events []table.Event) bool {
	if len(events) < 2 || events[0].Kind != storage.Agreed {
		return false
	}
	return events[1].Kind == storage.Ended || events[1].Kind == storage.TookBack
}

// reminderLines returns the lines that remind the players to move.
func reminderLines(n table.News, s *locale.Speaker) []string {
	var lines []string
	for _, e := range n.Events {
		if e.Kind == storage.Reminded {
			lines = append(lines, s.Say(n.Describe(e)))
		}
	}
	return lines
}

// describeEvent returns the text about an event other than a play. It mentions people who have no seat.
func describeEvent(n table.News, e table.Event) text.Message {
	told := n.Describe(e)
	if e.Seat < 0 && e.User != "" && told.Args["Who"] != nil {
		told = text.Message{ID: told.ID, Args: text.Args{"Who": show.Mention(table.Occupant{User: e.User}),
			"Game": told.Args["Game"]}}
	}
	return told
}

// maxRecap is the maximum number of moves that a message names. In a game against computers several moves come
// together, so a message names at most maxRecapComputer while its board is visible.
const (
	maxRecap         = 14
	maxRecapComputer = 4
)

// recap selects the lines that remain when their message is folded later: the last texts about moves, and all other
// texts, for example about a player who leaves, up to a maximum in total. left is the number of omitted lines,
// including the earlier ones. kept is never nil.
func recap(lines []show.Line, earlier int) (kept []show.Line, left int) {
	kept = []show.Line{}
	moves := 0
	for _, l := range slices.Backward(lines) {
		switch {
		case len(kept) >= 2*maxRecap, l.Play && moves >= maxRecap:
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

// said returns the texts of a message. Of the texts about moves it keeps the last ones, up to the number most. One text
// in place of the rest says how many moves are missing, with the earlier ones, which are not in lines.
func said(lines []show.Line, earlier, most int, s *locale.Speaker) []string {
	var out []string
	gap := -1
	for _, l := range slices.Backward(lines) {
		switch {
		case !l.Play:
			out = append(out, l.Said)
		case most > 0:
			out = append(out, l.Said)
			most--
		default:
			if gap < 0 {
				gap = len(out)
			}
			earlier++
		}
	}
	if gap < 0 {
		gap = len(out)
	}
	if earlier > 0 {
		out = slices.Insert(out, gap, s.Say(text.M("bot.recap.more", "Count", earlier)))
	}
	slices.Reverse(out)
	return out
}

// mostMoves returns the maximum number of moves that a message names while its board is visible.
func mostMoves(n table.News) int {
	if slices.ContainsFunc(n.Seats, func(o table.Occupant) bool { return o.Computer != "" }) {
		return maxRecapComputer
	}
	return maxRecap
}
