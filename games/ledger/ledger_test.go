package ledger_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"marque/games"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/ledger"
)

// At draws of every game, a seat's changes over all outcomes, weighted by their probabilities, sum to zero. The changes
// of all seats for one outcome also sum to zero. Valuing a draw does not change the state.
func TestLuckSumsUpToNothing(t *testing.T) {
	for _, g := range example.Games {
		if !g.Traits().Chance {
			continue
		}
		draws := 0
		for n, setup := range gametest.Setups(g) {
			meter := ledger.NewMeter(g, setup)
			rng := rand.New(rand.NewPCG(uint64(n), 7))
			s := g.New(setup)
			for ply := 0; s.ToMove() != games.Nobody && ply < 300; ply++ {
				if s.ToMove() == games.Chance && ply%5 < 2 {
					draws++
					was := gametest.JSON(t, s)
					sums := make([]float64, setup.Seats)
					for _, o := range s.Outcomes() {
						together := 0.0
						for seat, c := range meter.Of(s, o.Move) {
							sums[seat] += float64(o.Weight) * c
							together += c
							if math.IsNaN(c) || math.Abs(c) > 1 {
								t.Fatalf("%s: %s changes %v for seat %d", g.Key(), games.Spell(s, o.Move), c, seat)
							}
						}
						if math.Abs(together) > 1e-9 {
							t.Fatalf("%s: %s changes %v in all", g.Key(), games.Spell(s, o.Move), together)
						}
					}
					for seat, sum := range sums {
						if math.Abs(sum) > 1e-6 {
							t.Fatalf("%s: the outcomes change %v for seat %d\n%s", g.Key(), sum, seat, was)
						}
					}
					if now := gametest.JSON(t, s); now != was {
						t.Fatalf("%s: valuing a draw changed\n%s to\n%s", g.Key(), was, now)
					}
				}
				_, s = gametest.Random(s, rng)
			}
		}
		if draws == 0 {
			t.Errorf("%s: no draw was looked at", g.Key())
		}
		t.Logf("%s: %d draws", g.Key(), draws)
	}
}

// By a seat's knowledge at the time, the weighted changes of all outcomes sum to zero. The value of an outcome depends
// on the seat's view alone, not on hidden cards. Some draws change nothing for a seat.
func TestLuckAsItWasKnownThen(t *testing.T) {
	for _, g := range example.Games {
		if !g.Traits().Hidden {
			continue
		}
		own, others := 0, 0
		for n, setup := range gametest.Setups(g) {
			meter := ledger.NewMeter(g, setup)
			rng := rand.New(rand.NewPCG(uint64(n), 9))
			s := g.New(setup)
			for ply := 0; s.ToMove() != games.Nobody && ply < 300; ply++ {
				if s.ToMove() == games.Chance && ply%11 == 0 {
					for seat := range games.Seat(setup.Seats) {
						sum, most, other := 0.0, 0.0, elsewhere(s, seat, rng)
						for _, o := range s.Outcomes() {
							c := meter.Then(s, o.Move, seat)
							sum += float64(o.Weight) * c
							most = max(most, math.Abs(c))
							again := meter.Then(other, o.Move, seat)
							if math.Abs(again-c) > 1e-9 {
								t.Fatalf("%s: with other cards that seat %d does not know, %s changes %v, not %v",
									g.Key(), seat, games.Spell(s, o.Move), again, c)
							}
						}
						if math.Abs(sum) > 1e-6 || most > 1 {
							t.Fatalf("%s: the outcomes change %v for seat %d, one of them %v", g.Key(), sum, seat, most)
						}
						if most > 0 {
							own++
						} else {
							others++
						}
					}
				}
				_, s = gametest.Random(s, rng)
			}
		}
		if own == 0 || others == 0 {
			t.Errorf("%s: %d draws changed something for a seat, %d did not", g.Key(), own, others)
		}
		t.Logf("%s: %d draws changed something for a seat, %d did not", g.Key(), own, others)
	}
}

// elsewhere returns the position with another deal of the cards that seat does not know, but with the same outcomes, or
// s itself if twenty deals give none. With two players no other deal exists.
func elsewhere(s games.State, seat games.Seat, rng *rand.Rand) games.State {
	for range 20 {
		if other := games.Sample(games.Mask(s, seat), seat, rng); slices.Equal(other.Outcomes(), s.Outcomes()) {
			return other
		}
	}
	return s
}

// A ledger sums the draws of a match, and names the draw with the largest change. A cancelled context gives an error.
func TestALedgerSumsUpAMatch(t *testing.T) {
	for _, g := range example.Games {
		if !g.Traits().Chance {
			continue
		}
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		m, err := games.NewMatch(g, games.Header{Game: g.Key(), Version: g.Version(), Setup: setup})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for !m.Over() && m.Len() < 120 {
			move, _ := gametest.Random(m.State(), rng)
			if err := m.Play(move); err != nil {
				t.Fatal(err)
			}
		}
		l, err := ledger.Of(t.Context(), m)
		if err != nil || l.Draws == 0 || l.Change == 0 {
			t.Fatalf("%s: %+v, %v", g.Key(), l, err)
		}
		if (l.Then != nil) != g.Traits().Hidden {
			t.Errorf("%s: as it was known then: %v", g.Key(), l.Then)
		}
		sum, most, seats, best := 0.0, 0.0, make([]float64, setup.Seats), make([]ledger.Draw, setup.Seats)
		meter := ledger.NewMeter(g, setup)
		for i, e := range m.Log() {
			if e.Seat != games.Chance {
				continue
			}
			outcome, _ := games.FindOutcome(m.At(i), e.Text)
			for seat, c := range meter.Of(m.At(i), outcome) {
				seats[seat] += c
				most = max(most, math.Abs(c))
				if c > best[seat].Change {
					best[seat] = ledger.Draw{Play: i, Change: c}
				}
			}
		}
		if !slices.Equal(l.Best, best) {
			t.Errorf("%s: the draws that helped most are %v, want %v", g.Key(), l.Best, best)
		}
		for seat, then := range l.Then {
			for i, e := range m.Log() {
				if e.Seat == games.Chance {
					outcome, _ := games.FindOutcome(m.At(i), e.Text)
					then -= meter.Then(m.At(i), outcome, games.Seat(seat))
				}
			}
			if math.Abs(then) > 1e-9 {
				t.Errorf("%s: seat %d has %v, as known then, and its draws do not sum up to it", g.Key(), seat,
					l.Then[seat])
			}
		}
		for seat := range seats {
			sum += l.Seats[seat]
			if math.Abs(seats[seat]-l.Seats[seat]) > 1e-9 {
				t.Errorf("%s: seat %d has %v, its draws sum up to %v", g.Key(), seat, l.Seats[seat], seats[seat])
			}
		}
		if math.Abs(sum) > 1e-9 || math.Abs(math.Abs(l.Change)-most) > 1e-9 ||
			m.Log()[l.Greatest].Seat != games.Chance {
			t.Errorf("%s: %+v, in all %v, the greatest change is %v", g.Key(), l, sum, most)
		}
		stopped, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := ledger.Of(stopped, m); err == nil {
			t.Errorf("%s: a ledger was made after its end", g.Key())
		}
	}
}
