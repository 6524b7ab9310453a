// Package verify checks a record: that every play in it is legal, that the game is complete, and
// that dice and cards fell as the seed that was committed to says.
package verify

import (
	"fmt"
	"slices"

	"marque/games"
	"marque/games/fair"
)

// Fairness is what can be said about the dice and cards of a record.
type Fairness int

// What can be said.
const (
	// Proved: the seed is the one that was committed to, and every draw follows from it.
	Proved Fairness = iota
	// Undrawn: neither dice nor cards nor seats were drawn.
	Undrawn
	// Sealed: there is a commitment, but the seed is not shown yet: the game goes on.
	Sealed
	// Uncommitted: the record has no commitment, so nothing can be checked.
	Uncommitted
)

// Report is what a check found. A record that it is made of is legal.
type Report struct {
	Match    *games.Match
	Plays    int  // entries of the log
	Draws    int  // those of them that are dice and cards
	Lot      bool // whether the seats were drawn by lot
	Version  int  // of the fairness, as package fair numbers them; of what was Undrawn, too
	Complete bool
	Fairness Fairness
}

// Record checks a record of one of the games that find knows. It returns a *games.RecordError with
// the line and the reason where the record is damaged, a play is not legal, the seed is not the one
// that was committed to, or a draw is not what the seed says.
func Record(r games.Record, find func(key string) (games.Game, bool)) (Report, error) {
	g, ok := find(r.Header.Game)
	if !ok {
		return Report{}, &games.RecordError{Line: r.HeaderLine("game"), Reason: fmt.Sprintf("there is no game %q here", r.Header.Game)}
	}
	m, err := r.Replay(g)
	if err != nil {
		return Report{}, err
	}
	report := Report{Match: m, Plays: m.Len(), Lot: len(r.Header.Lot) > 0, Complete: m.Over(), Version: max(fair.First, r.Header.Fairness)}
	for _, e := range m.Log() {
		if e.Seat == games.Chance {
			report.Draws++
		}
	}
	if report.Version == fair.Second {
		if err := inputs(r); err != nil {
			return report, err
		}
	}
	switch {
	case r.Seed != "":
		err = draws(r, m)
		if report.Draws == 0 && !report.Lot {
			report.Fairness = Undrawn
		}
	case report.Draws == 0 && !report.Lot:
		report.Fairness = Undrawn
	case r.Header.Commitment != "":
		report.Fairness = Sealed
	default:
		report.Fairness = Uncommitted
	}
	return report, err
}

// inputs checks that what is mixed in tells the life of a table up to the start, with as many
// seated then as play.
func inputs(r games.Record) error {
	list, err := fair.ParseInputs(r.Header.Inputs)
	if err != nil {
		return &games.RecordError{Line: r.HeaderLine("input"), Reason: "what is mixed into the draws is no life of a table", Err: err}
	}
	if n := len(list); n == 0 || list[n-1].Kind != fair.Starts {
		return &games.RecordError{Line: r.HeaderLine("input"), Reason: "what is mixed into the draws does not end with the start"}
	}
	if seated := fair.Seated(list); len(seated) != r.Header.Setup.Seats {
		return &games.RecordError{Line: r.HeaderLine("input"), Reason: fmt.Sprintf("%d were seated at the start, but %d play", len(seated), r.Header.Setup.Seats)}
	}
	return nil
}

// draws recomputes every draw.
func draws(r games.Record, m *games.Match) error {
	seed, err := fair.ParseSeed(r.Seed)
	if err != nil {
		return &games.RecordError{Line: r.HeaderLine("seed"), Reason: "not a seed", Err: err}
	}
	if !seed.Fits(r.Header.Commitment) {
		return &games.RecordError{Line: r.HeaderLine("seed"), Reason: "not the seed that was committed to: its SHA-256 is not the commitment"}
	}
	if lot := r.Header.Lot; len(lot) > 0 {
		if want := fair.Shuffle(seed, r.Header.Inputs, r.Header.Setup.Seats); !slices.Equal(lot, want) {
			return &games.RecordError{Line: r.HeaderLine("lot"), Reason: fmt.Sprintf("the seats were drawn as %v, but the seed gives %v", lot, want)}
		}
	}
	for i, e := range m.Log() {
		if e.Seat != games.Chance {
			continue
		}
		outcomes := m.At(i).Outcomes()
		weights := make([]int, len(outcomes))
		for k, o := range outcomes {
			weights[k] = o.Weight
		}
		want := games.Spell(m.At(i), outcomes[fair.Pick(seed, r.Header.Inputs, i, weights)].Move)
		if e.Text != want {
			return &games.RecordError{Line: r.Line(i), Reason: fmt.Sprintf("the draw is %q, but the seed gives %q", e.Text, want)}
		}
	}
	return nil
}
