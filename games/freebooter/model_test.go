package freebooter

import (
	"math"
	"testing"

	"marque/games"
	"marque/games/learned"
)

// Evaluate is the model of the features: what training fits is what is played with. It says of each
// seat that is in what the scores of the features say, with two seats and with more.
func TestEvaluateIsTheModel(t *testing.T) {
	least, most := Game.Seats()
	for seats := least; seats <= most; seats++ {
		setup, err := games.NewSetup(Game, seats)
		if err != nil {
			t.Fatal(err)
		}
		text := weights
		if seats > 2 {
			text = manyWeights
		}
		model, looked := learned.Parse(text, featureNames), 0
		rng := games.NewRand(uint64(seats))
		for s := Game.New(setup).Sim(); s.ToMove() != games.Nobody; s.PlayRandom(rng) {
			if looked++; looked%7 > 0 {
				continue
			}
			var scores []float64
			for seat := range games.Seat(seats) {
				f, _ := s.(learned.Learner).Features(seat)
				scores = append(scores, model.Score(&f))
			}
			for seat, own := range scores {
				sum := 0.0
				for _, other := range scores {
					sum += math.Exp(other - own)
				}
				if got, want := s.Evaluate(games.Seat(seat)), 1/sum; math.Abs(got-want) > 1e-9 {
					t.Fatalf("%d seats, ply %d: seat %d has %v, by its features %v", seats, looked, seat, got, want)
				}
			}
		}
	}
}
