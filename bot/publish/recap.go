package publish

import (
	"slices"

	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
)

// sinceTheirTurn is the number of the first play that the player to move has not seen: the one
// after their own last move, and at the latest the first of the news.
func sinceTheirTurn(n table.News) int {
	from := n.From
	for i := n.From - 1; i >= 0 && n.ToMove >= 0; i-- {
		if step := n.Trail(games.Spectator, i, i+1); len(step) == 1 && step[0].Seat == n.ToMove {
			break
		}
		from = i
	}
	return max(from, laidOut(n))
}

// fewDraws is how many draws before the first move are told one by one: opening rolls are news, a
// whole deal is not.
const fewDraws = 8

// laidOut is how many plays at the start only laid out the table: the draws before the first
// move, when they are many.
func laidOut(n table.News) int {
	draws := 0
	for draws < n.Plays {
		if step := n.Trail(games.Spectator, draws, draws+1); len(step) == 1 && step[0].Seat != games.Chance {
			break
		}
		draws++
	}
	if draws <= fewDraws {
		return 0
	}
	return draws
}

// newsLines tells in order what happened: the plays since the player to move last moved, and
// everything else that is news.
func newsLines(n table.News, s *locale.Speaker) []string {
	var lines []newsLine
	add := func(m text.Message) {
		if t := s.Say(m); t != "" {
			lines = append(lines, newsLine{said: t})
		}
	}
	tell := func(step games.Step) {
		if t := s.Say(step.Before.Tell(step.Move)); t != "" {
			lines = append(lines, newsLine{said: t, play: true})
		}
	}
	if n.HasStarted() {
		for _, step := range n.Trail(games.Spectator, sinceTheirTurn(n), n.From) {
			tell(step)
		}
	}
	play, laid := n.From, 0
	if n.HasStarted() {
		laid = laidOut(n)
	}
	for _, e := range n.Events {
		switch {
		case e.Kind == resigned:
			add(n.Tell(e))
			play++
		case e.Kind.Play() && play < laid:
			if play++; play == laid {
				add(text.M("bot.recap.laid-out", "Count", laid))
			}
		case e.Kind.Play():
			for _, step := range n.Trail(games.Spectator, play, play+1) {
				tell(step)
			}
			play++
		default:
			add(tellEvent(n, e))
		}
	}
	return recap(lines, s)
}

// tellEvent tells what is no play, of people who hold no seat by mention.
func tellEvent(n table.News, e table.Event) text.Message {
	told := n.Tell(e)
	if e.Seat < 0 && e.User != "" && told.Args["Who"] != nil {
		told = text.Message{ID: told.ID, Args: text.Args{"Who": show.Mention(table.Occupant{User: e.User}), "Game": told.Args["Game"]}}
	}
	return told
}

// newsLine is a sentence of the news.
type newsLine struct {
	said string
	play bool // of a move, a draw or a pass
}

// maxRecap is how many sentences a message tells of what happened.
const maxRecap = 14

// recap keeps the last maxRecap sentences, and of those before them what is no play: who has left
// the game, for example.
func recap(lines []newsLine, s *locale.Speaker) []string {
	var kept []string
	earlier, place := 0, 0
	for i, l := range lines {
		switch {
		case i >= len(lines)-maxRecap || !l.play:
			kept = append(kept, l.said)
		default:
			if earlier == 0 {
				place = len(kept)
			}
			earlier++
		}
	}
	if earlier > 0 {
		kept = slices.Insert(kept, place, s.Say(text.M("bot.recap.more", "Count", earlier)))
	}
	return kept[max(0, len(kept)-2*maxRecap):]
}
