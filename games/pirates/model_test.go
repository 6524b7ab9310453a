package pirates

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
	"marque/games/learned"
)

func TestEvaluateIsTheModel(t *testing.T) {
	gametest.EvaluateIsTheModel(t, Game, func(seats int) *learned.Model {
		if seats > 2 {
			return learned.Parse(manyWeights, featureNames)
		}
		return learned.Parse(weights, featureNames)
	})
}

// What is kept from position to position changes nothing: features are those that a new sim finds,
// whichever siblings and successors were looked at before.
func TestFeaturesOfAnyPositionBefore(t *testing.T) {
	looked := 0
	for seats := 2; seats <= maxSeats; seats++ {
		rng := games.NewRand(uint64(seats))
		kept := &sim{}
		for range 4 {
			s := &sim{position: newPosition(seats, false)}
			for s.ToMove() != games.Nobody {
				s.PlayRandom(rng)
				if s.ToMove() < 0 {
					continue
				}
				for _, m := range s.AppendMoves(nil) {
					kept.CopyFrom(s)
					kept.Play(m)
					if kept.ToMove() == games.Nobody {
						continue
					}
					fresh := &sim{position: kept.position}
					for seat := range games.Seat(seats) {
						got, in := kept.Features(seat)
						want, also := fresh.Features(seat)
						if got != want || in != also {
							t.Fatalf("%d seats, after %d positions, seat %d: %v, want %v", seats, looked, seat, got,
								want)
						}
					}
					looked++
				}
			}
		}
	}
	t.Logf("%d positions", looked)
}
