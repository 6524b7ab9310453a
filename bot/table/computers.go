package table

import (
	"context"
	"fmt"
	"strconv"

	"marque/games"
	"marque/games/computer"
	"marque/games/review"
	"marque/games/text"
)

// Computers chooses moves for the computer players; computer.Pool implements it. Several goroutines call its methods at
// the same time.
type Computers interface {
	// Levels returns the names of the levels, the weakest first.
	Levels() []string
	// Choose returns a move for the viewer, who is to move, in the game with the given key. waiting is the number of
	// other tables that wait for computers. When ctx ends, Choose returns the best move so far.
	Choose(ctx context.Context, game, level string, v games.View, seed uint64, waiting int) (games.Move,
		computer.Thought, error)
	// Advise returns a move at the highest level, fast enough for a user who waits for the answer.
	Advise(ctx context.Context, v games.View, seed uint64, waiting int) (games.Move, computer.Thought, error)
	review.Assessor
	// Threaten returns what a move by the viewer, who is to move, threatens; false if it threatens nothing.
	Threaten(ctx context.Context, v games.View, m games.Move, seed uint64) (computer.Threat, bool)
	// Estimate returns the chance that the viewer wins. Any seat may be to move. The more other tables wait, the less
	// time Estimate takes.
	Estimate(ctx context.Context, v games.View, seed uint64, waiting int) float64
}

// ComputerPlayer is a computer player that is about to take a seat.
type ComputerPlayer struct {
	Level  string    // one of Computers.Levels
	Called int       // number of its name, from 1: the text computer.name.N
	Name   text.Name // its name in the language of the server or channel, for records
}

// Occupant returns the computer player as the holder of a seat.
func (c ComputerPlayer) Occupant() Occupant {
	return Occupant{Name: c.Name, Computer: c.Level, Called: c.Called}
}

// Called returns the name of a seat's holder. A person's name is the one at the time of joining. A computer's name is
// in the reader's language.
func Called(o Occupant) text.Message {
	if o.Called == 0 {
		return o.Name.Raw()
	}
	return text.M("computer.name."+strconv.Itoa(o.Called), "Level", text.M("computer.level."+o.Computer))
}

// computerText returns the text that an event without a seat stores about a computer player. calledIn parses it.
func computerText(o Occupant) string { return strconv.Itoa(o.Called) + " " + o.Computer }

// calledIn returns the name of the computer player in an event that has no seat.
func calledIn(e Event) text.Message {
	var o Occupant
	if n, _ := fmt.Sscan(e.Text, &o.Called, &o.Computer); n == 2 {
		return Called(o)
	}
	return e.Name().Raw()
}

// waitsForComputer reports whether a computer player has a decision to make: it is to move, or has not answered a
// proposed draw.
func waitsForComputer(h Head, m *games.Match) bool {
	if h.Status != Playing || h.Paused != "" {
		return false
	}
	return holder(h, h.ToMove).Computer != "" || len(undecided(h, m)) > 0
}

// undecided returns the seats of the computers that have not answered the proposed draw.
func undecided(h Head, m *games.Match) []games.Seat {
	var seats []games.Seat
	if h.Proposal.Kind == Draw {
		for _, seat := range m.StillIn() {
			if h.Seats[seat].Computer != "" && !h.Proposal.Has(seat) {
				seats = append(seats, seat)
			}
		}
	}
	return seats
}

// isAsked reports whether the holder of a seat is asked about a proposal. People are asked about every proposal,
// computers only about draws.
func isAsked(o Occupant, kind ProposalKind) bool {
	return o.User != "" || o.Computer != "" && kind == Draw
}
