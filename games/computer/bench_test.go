package computer

import (
	"context"
	"fmt"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/learned"
)

// BenchmarkSearch measures the iterations (playouts, or positions under alpha-beta) per second of a search of each
// game's first decision, with one worker and with two. Trees reuse the memory of an earlier search, as in the middle of
// a game.
func BenchmarkSearch(b *testing.B) {
	for _, g := range catalog.Games {
		v := firstDecision(b, g)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", g.Key(), workers), func(b *testing.B) {
				p := New(Hard, Limit{Iterations: 100000 * workers, Workers: workers}, 1)
				if _, _, err := p.Choose(context.Background(), v); err != nil {
					b.Fatal(err)
				}
				n := 0
				for b.Loop() {
					p.at = nil // forces a new search of the same decision
					_, thought, err := p.Choose(context.Background(), v)
					if err != nil {
						b.Fatal(err)
					}
					n += thought.Iterations
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "playouts/s")
			})
		}
	}
}

// BenchmarkAlphaBeta measures the positions per second that alpha-beta searches from the first decision of a game.
func BenchmarkAlphaBeta(b *testing.B) {
	for _, g := range adversarial {
		b.Run(g.Key(), func(b *testing.B) {
			v := firstDecision(b, g)
			n := 0
			for b.Loop() {
				a := newAlphaBeta(v, Limit{Iterations: 100_000}, games.NewRand(1))
				a.run(b.Context())
				n += a.nodes
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}

// BenchmarkEvaluate measures the time of a learned evaluation. It evaluates the positions of a random game in order, as
// a search does.
func BenchmarkEvaluate(b *testing.B) {
	for _, g := range catalog.Games {
		setup, err := games.NewSetup(g, 2)
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := g.New(setup).Sim().(learned.Evaluator); !ok {
			continue
		}
		var sims []games.Sim
		rng := games.NewRand(1)
		for s := g.New(setup).Sim(); s.ToMove() != games.Nobody && len(sims) < 500; s.PlayRandom(rng) {
			if s.ToMove() < 0 {
				continue
			}
			copied := g.New(setup).Sim()
			copied.CopyFrom(s)
			sims = append(sims, copied)
		}
		b.Run(g.Key(), func(b *testing.B) {
			b.ReportAllocs()
			sim := sims[0]
			for i := 1; b.Loop(); i++ {
				sim.CopyFrom(sims[1+i%(len(sims)-1)])
				sim.Evaluate(games.Seat(i & 1))
			}
		})
	}
}

// An iteration allocates nothing once its buffers are large enough.
func TestSearchAllocatesNothing(t *testing.T) {
	for _, g := range catalog.Games {
		tree := &tree{}
		v := firstDecision(t, g)
		tree.start(v, 1, 64)
		for range 3000 {
			tree.iterate()
		}
		tree.nodes = append(make([]node, 0, maxNodes), tree.nodes...)
		if n := testing.AllocsPerRun(2000, tree.iterate); n > 0 {
			t.Errorf("%s: an iteration allocates %v times, want none", g.Key(), n)
		}
	}
}

// A full tree adds no nodes and continues to count visits.
func TestFullTree(t *testing.T) {
	for _, g := range catalog.Games {
		tree := &tree{}
		tree.start(firstDecision(t, g), 1, 64)
		for range 50 {
			tree.iterate()
		}
		kept := len(tree.nodes)
		tree.full = kept
		for range 500 {
			tree.iterate()
		}
		if len(tree.nodes) != kept || int(tree.nodes[root].visits) != 550 {
			t.Errorf("%s: %d nodes and %d visits, want %d and 550", g.Key(), len(tree.nodes), tree.nodes[root].visits,
				kept)
		}
	}
}

func firstDecision(tb testing.TB, g games.Game) games.View { return firstOf(tb, g, 2) }

// firstOf returns the view of the first decision in a game with the given number of seats.
func firstOf(tb testing.TB, g games.Game, seats int) games.View {
	tb.Helper()
	setup, err := games.NewSetup(g, seats)
	if err != nil {
		tb.Fatal(err)
	}
	rng := games.NewRand(1)
	s := g.New(setup)
	for s.ToMove() == games.Chance || len(s.Moves()) < 2 {
		if s.ToMove() == games.Chance {
			s = s.Apply(rng.Outcome(s.Outcomes()))
		} else {
			s = s.Apply(s.Moves()[0])
		}
	}
	return games.Look(s, s.ToMove())
}
