package show

import (
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// DescribePlay returns the sentence about the play with this index, in the view of viewer. It returns "" if the play
// has no sentence, or if the next play's sentence includes it.
func DescribePlay(snap *table.Snapshot, viewer games.Seat, play int, s Speaker) string {
	steps := snap.Trail(viewer, play, play+1)
	if seat, leaves := snap.Leaves(play); leaves {
		return s.Say(text.M("match.out", "Who", text.Player(seat)))
	}
	if len(steps) == 0 {
		return ""
	}
	step := steps[0]
	if b, ok := step.Before.(games.CombinedDescriber); ok && play+1 < snap.Plays && b.DescribedByNext(step.Move) {
		return ""
	}
	return s.Say(step.Before.Describe(step.Move))
}

// SeatOf returns the seat that made the play with this index, or games.Nobody for a resignation.
func SeatOf(snap *table.Snapshot, play int) games.Seat {
	if steps := snap.Trail(games.Spectator, play, play+1); len(steps) == 1 {
		return steps[0].Seat
	}
	return games.Nobody
}

// fewDraws is the maximum number of draws before the first move that are named one by one. A few opening rolls are
// interesting, but a whole deal is not.
const fewDraws = 8

// LaidOut returns the number of draws before the first move if it exceeds fewDraws, and otherwise 0. Such draws only
// set up the game.
func LaidOut(snap *table.Snapshot) int {
	draws := 0
	for draws < snap.Plays && SeatOf(snap, draws) == games.Chance {
		draws++
	}
	if draws <= fewDraws {
		return 0
	}
	return draws
}

// SinceLastTurn returns the index of the first play after a seat's last finished turn, or LaidOut if the seat has
// finished none. A turn in progress is not finished. A spectator gets the index for the seat to move.
func SinceLastTurn(snap *table.Snapshot, seat games.Seat) int {
	if seat < 0 {
		seat = snap.ToMove
	}
	laid, n := LaidOut(snap), snap.Plays
	own := func(play int) bool { return SeatOf(snap, play) == seat }
	if snap.ToMove == seat { // skip the steps and draws of this turn
		step := n
		for i := n - 1; i >= laid && (own(i) || SeatOf(snap, i) == games.Chance); i-- {
			if own(i) {
				step = i
			}
		}
		n = step
	}
	for n > laid && !own(n-1) {
		n--
	}
	return n
}
