package loyalcaptain

import (
	"testing"

	"marque/games"
	"marque/games/learned"
)

// The hidden layer has the same value after incremental updates as when computed from the position.
func TestLayerFollowsTheMoves(t *testing.T) {
	positions := 0
	for seed := range uint64(20) {
		rng := games.NewRand(seed)
		s := &sim{p: newPosition(false), model: model}
		copied := &sim{model: model}
		for s.ToMove() != games.Nobody && positions < 4000 {
			moves := s.AppendMoves(nil)
			s.Play(moves[rng.IntN(len(moves))])
			copied.CopyFrom(s)
			fresh := &sim{p: s.p, model: model}
			for seat := range games.Seat(2) {
				want := fresh.Evaluate(seat)
				if got := s.Evaluate(seat); got != want {
					t.Fatalf("game %d: seat %d has %v after the moves, %v by itself", seed, seat, got, want)
				}
				if got := copied.Evaluate(seat); got != want {
					t.Fatalf("game %d: seat %d has %v in a copy, %v by itself", seed, seat, got, want)
				}
				f, _ := fresh.Features(seat)
				sums, units := model.Layer.Empty(), [learned.Hidden]float64{}
				for _, input := range fresh.Inputs(seat) {
					model.Layer.On(&sums, input)
				}
				if sums.Features(&units); units != [learned.Hidden]float64(f[ownFeatures:]) {
					t.Fatalf("game %d: seat %d has the features %v, by its inputs %v", seed, seat, f, units)
				}
			}
			positions++
		}
	}
	t.Logf("%d positions", positions)
}

// Each symmetry of the deck swaps inputs in pairs or leaves them in place.
func TestLayerSeesMirrors(t *testing.T) {
	for i, to := range alike {
		seen := map[int]bool{}
		for from, input := range to {
			if seen[input] || to[input] != from || i == 0 && input != from {
				t.Errorf("mirror %d takes input %d to %d, and that to %d", i, from, input, to[input])
			}
			seen[input] = true
		}
	}
	if len(alike) != 4 {
		t.Errorf("%d symmetries, want the deck, its two mirrors, and both at once", len(alike))
	}
}
