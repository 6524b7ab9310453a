package pirat

import (
	"math"
	"testing"

	"marque/games"
)

// PlayRandom plays all legal moves with equal probability, and draws cards by their weights. The test applies
// chi-square to a position with many moves, one with an empty stack, and one after the choice to draw.
func TestPlayRandomIsUniform(t *testing.T) {
	busy := plays(t, table(t, someStack, "5 2 admiral red2 red2 green1 blue1 red yellow1", "green2 green3 green",
		"blue2 blue red1"),
		"launch 5", "attack S1 green2", "attack S1 blue2", "attack S1 red2", "pirate S1 green", "pirate S1 blue")
	for name, s := range map[string]games.State{
		"busy":        busy,
		"empty stack": table(t, "", "5 3 red1 red1 green2 blue admiral", "red2"),
		"draw":        plays(t, table(t, someStack+" red1 red1 5 5 5 6 green admiral", "3", "4"), "draw"),
	} {
		weights := map[games.Move]int{}
		total := 0
		for _, m := range s.Moves() {
			weights[m] = 1
			total++
		}
		for _, o := range s.Outcomes() {
			weights[o.Move] = o.Weight
			total += o.Weight
		}
		const n = 20000
		counts := map[games.Move]int{}
		sim, rng := s.Sim(), games.NewRand(3)
		start := s.Sim()
		for range n {
			sim.CopyFrom(start)
			counts[sim.PlayRandom(rng)]++
		}
		chi := 0.0
		for m, w := range weights {
			want := n * float64(w) / float64(total)
			chi += (float64(counts[m]) - want) * (float64(counts[m]) - want) / want
		}
		free := float64(len(weights) - 1)
		if limit := free + 5*math.Sqrt(2*free); chi > limit || len(counts) > len(weights) {
			t.Errorf("%s: chi-square %.1f over %d plays, want at most %.1f: %v", name, chi, len(weights), limit, counts)
		}
	}
}

// The winning chances of all seats add up to 1. Scored gold raises a seat's chance, and gold in hand at the end lowers
// it.
func TestLead(t *testing.T) {
	for seats := leastSeats; seats <= mostSeats; seats++ {
		for seed := range uint64(20) {
			s := random(seats, seed, 60+int(seed)*4)
			if s.ToMove() == games.Nobody {
				continue
			}
			sum := 0.0
			for seat := range games.Seat(seats) {
				sum += s.Sim().Evaluate(seat)
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("leads of %d seats sum to %v", seats, sum)
			}
		}
	}
	s := drawn(t, plays(t, table(t, someStack, "5 red1", "red2", "red3"), "launch 5"), 2)
	if a, b := s.Sim().Evaluate(0), s.Sim().Evaluate(1); a <= b {
		t.Errorf("with 5 gold %v, without %v", a, b)
	}
	burdened := table(t, "", "6 5 red1", "blue1 blue2").Sim()
	if a, b := burdened.Evaluate(0), burdened.Evaluate(1); a >= b {
		t.Errorf("PI-10: with 11 gold in hand at the end %v, without %v", a, b)
	}
}
