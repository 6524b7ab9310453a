package computer

import (
	"context"
	"fmt"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/learned"
)

// BenchmarkSearch counts the iterations (playouts) a second of a search of the first decision of
// each game, by one worker and by two, whose trees have the room that an earlier search needed, as
// in the middle of a game; and where there is a learned evaluation, of the search before it.
func BenchmarkSearch(b *testing.B) {
	for _, g := range catalog.Games {
		v := firstDecision(b, g)
		_, learns := v.State.Sim().(learned.Learner)
		for workers := range 3 {
			name, level := fmt.Sprintf("%s/workers=%d", g.Key(), workers), Hard
			if workers == 0 {
				name, level, workers = g.Key()+"/handmade", Hard1, 1
				if !learns {
					continue
				}
			}
			b.Run(name, func(b *testing.B) {
				p := New(level, Limit{Iterations: 100000 * workers, Workers: workers}, 1)
				if _, _, err := p.Choose(context.Background(), v); err != nil {
					b.Fatal(err)
				}
				n := 0
				for b.Loop() {
					p.at = nil // the same decision again
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

// BenchmarkAlphaBeta counts the positions a second that alpha-beta looks at from the first decision of
// a game on.
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

// BenchmarkEvaluate is what a learned evaluation of a position takes, and what the one made by hand
// does, over the positions of a game played at random, one after the other as in a search.
func BenchmarkEvaluate(b *testing.B) {
	for _, g := range catalog.Games {
		setup, err := games.NewSetup(g, 2)
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := g.New(setup).Sim().(learned.Learner); !ok {
			continue
		}
		var own, handmade []games.Sim
		rng := games.NewRand(1)
		for s := g.New(setup).Sim(); s.ToMove() != games.Nobody && len(own) < 500; s.PlayRandom(rng) {
			if s.ToMove() < 0 {
				continue
			}
			copied := g.New(setup).Sim()
			copied.CopyFrom(s)
			own, handmade = append(own, copied), append(handmade, copied.(learned.Learner).Handmade())
		}
		for _, by := range []struct {
			name string
			sims []games.Sim
		}{{"learned", own}, {"handmade", handmade}} {
			b.Run(g.Key()+"/"+by.name, func(b *testing.B) {
				b.ReportAllocs()
				sim := by.sims[0]
				for i := 1; b.Loop(); i++ {
					sim.CopyFrom(by.sims[1+i%(len(by.sims)-1)])
					sim.Evaluate(games.Seat(i & 1))
				}
			})
		}
	}
}

// The inner loop allocates nothing once the buffers have grown.
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

// A tree that is full goes on counting and chooses legal moves.
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

func firstDecision(tb testing.TB, g games.Game) games.View {
	setup, err := games.NewSetup(g, 2)
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
