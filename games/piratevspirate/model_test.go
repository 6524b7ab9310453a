package piratevspirate

import (
	"math"
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

// The features of a reused sim, which held other positions before, equal those of a new sim.
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

// After patient quiet turns, each of the next seven moves Evaluate nearer to one half. A capture, a taken coin or a
// delivery restarts the count of quiet turns.
func TestPatience(t *testing.T) {
	rng := games.NewRand(3)
	s := &sim{position: newPosition(2, false)}
	shuffled, taken := 0, 0
	for s.ToMove() != games.Nobody {
		before, coins := *s, s.silver
		m := s.PlayRandom(rng)
		if kindOf(m) != stepKind || s.ToMove() == games.Nobody {
			continue
		}
		if m&attackBit != 0 || coinOf(m) != nowhere || s.silver.len() < coins.len() {
			taken++
			if s.quiet != 1 {
				t.Errorf("after a turn that takes something %d turns are quiet", s.quiet)
			}
		} else if s.quiet != before.quiet+1 && s.quiet != math.MaxUint8 {
			t.Errorf("%d turns are quiet after %d", s.quiet, before.quiet)
		}
		if s.quiet != patient {
			continue
		}
		shuffled++
		last := s.Evaluate(0)
		for s.quiet++; s.quiet < patient+8; s.quiet++ {
			chance := s.Evaluate(0)
			if (chance-0.5)*(last-0.5) < 0 || math.Abs(chance-0.5) >= math.Abs(last-0.5) {
				t.Errorf("after %d quiet turns the chance goes from %v to %v", s.quiet, last, chance)
			}
			last = chance
		}
		s.quiet = patient
	}
	if shuffled == 0 || taken == 0 {
		t.Errorf("%d times nothing was taken for long, %d times something was taken", shuffled, taken)
	}
}
