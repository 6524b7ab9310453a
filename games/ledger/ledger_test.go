package ledger_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"marque/games"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/ledger"
)

// At every draw of every game, what all outcomes change sums up to nothing for each seat, each
// outcome counted as often as it falls; and so does what one outcome changes for all seats. The
// true state is left as it was.
func TestLuckSumsUpToNothing(t *testing.T) {
	for _, g := range example.Games {
		if !g.Traits().Chance {
			continue
		}
		draws := 0
		for n, setup := range gametest.Setups(g) {
			meter := ledger.NewMeter(setup.Seats)
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

// A ledger sums up the draws of a match, names the one that changed most, and ends with ctx.
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
		sum, most, seats := 0.0, 0.0, make([]float64, setup.Seats)
		meter := ledger.NewMeter(setup.Seats)
		for i, e := range m.Log() {
			if e.Seat != games.Chance {
				continue
			}
			outcome, _ := games.FindOutcome(m.At(i), e.Text)
			for seat, c := range meter.Of(m.At(i), outcome) {
				seats[seat] += c
				most = max(most, math.Abs(c))
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
