package computer

import (
	"math"
	"testing"

	"marque/games"
	"marque/games/example"
)

// relative plays a random game of each game whose Tuning has Relative, and calls see with a new search tree for some of
// its decisions.
func relative(t *testing.T, see func(name string, tree *tree, v games.View)) {
	t.Helper()
	seen := 0
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 2)
		if err != nil {
			t.Fatal(err)
		}
		rng := games.NewRand(4)
		s := g.New(setup)
		for decisions := 0; s.ToMove() != games.Nobody; {
			if s.ToMove() == games.Chance {
				s = s.Apply(rng.Outcome(s.Outcomes()))
				continue
			}
			moves := s.Moves()
			if decisions++; decisions%20 == 0 && len(moves) > 1 {
				tree, v := &tree{}, games.Look(s, s.ToMove())
				tree.start(v, 1, 64)
				if !tree.tuning.Relative {
					break
				}
				seen++
				see(g.Key(), tree, v)
			}
			s = s.Apply(moves[rng.IntN(len(moves))])
		}
	}
	if seen == 0 {
		t.Error("no game has such playouts")
	}
}

// Subtracting the luck of the cards reduces the variance of the iterations' values.
func TestLuckIsLeftOut(t *testing.T) {
	with, without := map[string]float64{}, map[string]float64{}
	relative(t, func(name string, tree *tree, v games.View) {
		var square float64
		const n = 1000
		total := 0.0
		for range n {
			before := tree.total
			tree.iterate()
			tree.iterations++
			worth := tree.total - before
			total += worth
			square += worth * worth
		}
		d := tree.dealt
		with[name] += math.Sqrt(square/n - total/n*total/n)
		without[name] += math.Sqrt(d.square/n - d.gains/n*d.gains/n)
		if math.Abs(d.total+d.gains-total) > 1e-6 {
			t.Errorf("%s: luck of %.3f and gains of %.3f are not the %.3f in all", name, d.total, d.gains, total)
		}
	})
	for name := range with {
		t.Logf("%s: %.3f with luck, %.3f without", name, with[name], without[name])
		if without[name] >= with[name] {
			t.Errorf("%s: values deviate by %.3f without luck, by %.3f with it", name, without[name], with[name])
		}
	}
}

// The chances of moves include luck. Their mean, weighted by each move's tries, is about the mean of all tries.
func TestChancesAreWithLuck(t *testing.T) {
	relative(t, func(name string, tree *tree, v games.View) {
		const n = 4000
		for range n {
			tree.iterate()
			tree.iterations++
		}
		sum, visits := 0.0, 0.0
		for i := tree.nodes[root].first; i != none; i = tree.nodes[i].next {
			m := &tree.nodes[i]
			sum += tree.worth(m) * float64(m.visits)
			visits += float64(m.visits)
			if w := tree.worth(m); w < 0 || w > 1 {
				t.Errorf("%s: a chance of %v", name, w)
			}
		}
		if mean, all := sum/visits, tree.total/n; math.Abs(mean-all) > 0.02 {
			t.Errorf("%s: the moves' chances have the mean %.3f, all that was tried has %.3f", name, mean, all)
		}
	})
}

// A leaf's moves are not listed before the leaf has the number of visits that Tuning sets.
func TestLeavesWaitToBeExpanded(t *testing.T) {
	relative(t, func(name string, tree *tree, _ games.View) {
		if tree.tuning.Expansion == 0 {
			return
		}
		for range 500 {
			tree.iterate()
			tree.iterations++
		}
		for i, n := range tree.nodes[1:] {
			if n.width > 0 && int(n.visits) <= tree.tuning.Expansion {
				t.Fatalf("%s: node %d was tried %d times and has its moves", name, i+1, n.visits)
			}
		}
	})
}
