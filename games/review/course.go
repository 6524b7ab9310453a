package review

import (
	"math"
	"slices"

	"marque/games"
)

// Course holds the quick assessments of a game's decisions. Each list has one value per play. The JSON form is stored.
type Course struct {
	// the player's chance of winning with the computer player's choice, in percent; noDecision for a play that was no
	// decision
	Had  []byte `json:"h,omitempty"`
	Lost []byte `json:"l,omitempty"` // how much of that chance the play lost, in steps of half a percentage point
	// how much better the play is than the move that looks best one play ahead, in steps of half a percentage point
	Ahead []byte `json:"a,omitempty"`
}

// noDecision marks a play by chance, a resignation, and a play without a choice.
const noDecision = 255

// IsZero reports whether no play has been assessed.
func (c Course) IsZero() bool { return len(c.Had) == 0 }

// Len returns the number of assessed plays.
func (c Course) Len() int { return len(c.Had) }

// Add returns the course with the assessment of the next play. d is nil for a play that was no decision.
func (c Course) Add(d *Decision) Course {
	had, lost, ahead := byte(noDecision), byte(0), byte(0)
	if d != nil {
		half := func(part float64) byte { return byte(math.Round(200 * min(max(part, 0), 1))) }
		had, lost, ahead = byte(math.Round(100*d.Had)), half(d.Lost()), half(d.Ahead)
	}
	return Course{append(c.Had, had), append(c.Lost, lost), append(c.Ahead, ahead)}
}

// Clone returns a copy with its own lists.
func (c Course) Clone() Course {
	return Course{slices.Clone(c.Had), slices.Clone(c.Lost), slices.Clone(c.Ahead)}
}

// Sound reports whether all lists have one entry for each of the plays, or all are empty.
func (c Course) Sound(plays int) bool {
	return c.IsZero() && len(c.Lost)+len(c.Ahead) == 0 || len(c.Had) == plays && len(c.Lost) == plays &&
		len(c.Ahead) == plays
}

// At returns a play's values, each from 0 to 1: the player's chance before the play, the loss of that chance, and how
// much better the play is than the move that looks best one play ahead. ok is false for a play that was no decision or
// was not assessed.
func (c Course) At(play int) (had, lost, ahead float64, ok bool) {
	if play >= len(c.Had) || c.Had[play] == noDecision {
		return 0, 0, 0, false
	}
	return float64(c.Had[play]) / 100, float64(c.Lost[play]) / 200, float64(c.Ahead[play]) / 200, true
}

// Class is the quality of a decision.
type Class int

// The classes, by the loss of the chance of winning: less than 5 percentage points, less than 10, less than 20, and 20
// or more.
const (
	Good Class = iota
	Inaccurate
	Bad
	Lost
)

const inaccurate = 0.05

func classOf(lost float64) Class {
	switch {
	case lost >= blunder:
		return Lost
	case lost >= mistake:
		return Bad
	case lost >= inaccurate:
		return Inaccurate
	}
	return Good
}

// Player holds the quality of a seat's play in a game.
type Player struct {
	Decisions int
	Classes   [4]int // number of decisions, by Class
	// Accuracy is the result of the function Accuracy, from 0 to 100. HasAccuracy is false if the seat had too few
	// decisions, and in games that were not measured.
	Accuracy    float64
	HasAccuracy bool
	// Best is the index of the play with the greatest advantage over the move that looks best one play ahead. Worst
	// is the index of the play with the greatest loss. Each is -1 if no play reached 5 percentage points.
	Best, Worst int
	Chances     []Chance // before each decision, and at the end of a game with a result, in the order of the game
}

// Chance is a chance of winning, from 0 to 1, after a number of plays.
type Chance struct {
	Plays int
	Of    float64
}

// leastDecisions is the minimum number of decisions that an accuracy requires.
const leastDecisions = 5

// Players returns the quality of each seat's play in a match, in seat order.
func (c Course) Players(m *games.Match) []Player {
	list := make([]Player, m.Header().Setup.Seats)
	given := make([]float64, len(list))
	best, worst := make([]float64, len(list)), make([]float64, len(list))
	for i := range list {
		list[i].Best, list[i].Worst = -1, -1
		best[i], worst[i] = inaccurate, inaccurate
	}
	for i, e := range m.Log()[:min(m.Len(), c.Len())] {
		had, lost, ahead, ok := c.At(i)
		if !ok || e.Seat < 0 {
			continue
		}
		p := &list[e.Seat]
		p.Decisions++
		p.Classes[classOf(lost)]++
		p.Chances = append(p.Chances, Chance{i, had})
		given[e.Seat] += lost
		if ahead >= best[e.Seat] {
			best[e.Seat], p.Best = ahead, i
		}
		if lost >= worst[e.Seat] {
			worst[e.Seat], p.Worst = lost, i
		}
	}
	for seat := range list {
		p := &list[seat]
		if p.Decisions >= leastDecisions {
			p.Accuracy, p.HasAccuracy = Accuracy(m.Header().Game, given[seat]/float64(p.Decisions))
		}
		if c.Len() >= m.Len() && m.Over() && m.Ending() != games.Abandoned {
			p.Chances = append(p.Chances, Chance{m.Len(), m.Result().Payoff(games.Seat(seat))})
		}
	}
	return list
}
