package show

import (
	"marque/bot/table"
	"marque/games/review"
	"marque/games/text"
)

// MarkLine returns a sentence about the last of the first n plays if that play was a turning point, and otherwise "".
func MarkLine(points []review.TurningPoint, n int, s Speaker) string {
	for _, p := range points {
		if p.Play == n-1 {
			return s.Say(p.Describe())
		}
	}
	return ""
}

// MarksLine lists the turning points among the plays in the half-open interval [from, to). It returns "" if there are
// none.
func MarksLine(snap *table.Snapshot, points []review.TurningPoint, from, to int, s Speaker) string {
	var moves []text.Message
	for _, p := range points {
		if from <= p.Play && p.Play < to {
			moves = append(moves, text.M("bot.review.at", "Sign", p.Sign(), "Turn", snap.Turn(p.Play+1)))
		}
	}
	if len(moves) == 0 {
		return ""
	}
	return s.Say(text.M("bot.review.marks", "Moves", moves, "Count", len(moves)))
}
