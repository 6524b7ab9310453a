package gametest

import (
	"math"
	"testing"

	"marque/games"
	"marque/games/learned"
)

// EvaluateIsTheModel checks that Evaluate uses the model of the training. In random games with every number of seats,
// Evaluate gives each remaining seat the chance that the model for this number of seats computes from the seats'
// features, even after evaluations of other positions.
func EvaluateIsTheModel(t *testing.T, g games.Game, modelFor func(seats int) *learned.Model) {
	least, most := g.Seats()
	for seats := least; seats <= most; seats++ {
		setup, err := games.NewSetup(g, seats)
		if err != nil {
			t.Fatal(err)
		}
		model, looked := modelFor(seats), 0
		rng := games.NewRand(uint64(seats))
		for s := g.New(setup).Sim(); s.ToMove() != games.Nobody; s.PlayRandom(rng) {
			if looked++; looked%7 > 0 {
				continue
			}
			fresh := g.New(setup).Sim()
			fresh.CopyFrom(s)
			var scores []float64
			var whose []games.Seat
			for seat := range games.Seat(seats) {
				if f, in := fresh.(learned.Evaluator).Features(seat); in {
					scores, whose = append(scores, model.Score(&f)), append(whose, seat)
				}
			}
			for i, own := range scores {
				sum := 0.0
				for _, other := range scores {
					sum += math.Exp(other - own)
				}
				if got, want := s.Evaluate(whose[i]), 1/sum; math.Abs(got-want) > 1e-5 {
					t.Fatalf("%d seats, ply %d: seat %d has %v, by its features %v", seats, looked, whose[i], got, want)
				}
			}
		}
	}
}
