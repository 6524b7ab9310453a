package computer

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"marque/games"
	"marque/games/example"
)

// middle returns every stride-th decision with more than one move in a random game.
func middle(tb testing.TB, g games.Game, seed uint64, stride int) (list []games.View) {
	tb.Helper()
	setup, err := games.NewSetup(g, 2)
	if err != nil {
		tb.Fatal(err)
	}
	rng, n := games.NewRand(seed), 0
	for s := g.New(setup); s.ToMove() != games.Nobody; {
		if s.ToMove() == games.Chance {
			s = s.Apply(rng.Outcome(s.Outcomes()))
			continue
		}
		moves := s.Moves()
		if len(moves) > 1 {
			if n%stride == 0 {
				list = append(list, games.Look(s, s.ToMove()))
			}
			n++
		}
		s = s.Apply(moves[rng.IntN(len(moves))])
	}
	return list
}

// A search that ends early because no move can overtake its leader chooses the move that it would choose at its limit,
// unless the remaining iterations would prove something.
func TestEarlyEndChoosesTheSame(t *testing.T) {
	endings := 0
	for _, g := range example.Games {
		const most = 1500
		ended, saved := 0, 0
		for _, v := range middle(t, g, 4, 9) {
			var thoughts [2]Thought
			for i, whole := range []bool{true, false} {
				p := New(Hard, Limit{Iterations: most}, 1)
				p.search(t.Context(), v, games.NewRand(7), whole)
				thoughts[i] = p.merge()
			}
			whole, early := thoughts[0], thoughts[1]
			if early.Iterations < whole.Iterations {
				ended++
				saved += whole.Iterations - early.Iterations
			}
			proved := false
			for _, c := range whole.Candidates {
				proved = proved || c.Proved
			}
			if a, b := whole.Candidates[0].Move, early.Candidates[0].Move; a != b && !proved {
				t.Errorf("%s: after %d iterations %s, at the limit %s", g.Key(), early.Iterations,
					games.Spell(v.State, b), games.Spell(v.State, a))
			}
		}
		t.Logf("%s: %d searches ended early, %d iterations saved", g.Key(), ended, saved)
		endings += ended
	}
	if endings < 10 {
		t.Errorf("only %d searches ended early: the test does not test", endings)
	}
}

// When alpha-beta ends because all moves but one are proved to lose, it chooses the same move as a search to the limit.
func TestAlphaBetaEndsAtTheOnlyMove(t *testing.T) {
	for _, g := range adversarial {
		ended := 0
		for _, s := range late(t, g, 30, 8) {
			if len(s.Moves()) < 2 {
				continue
			}
			var moves [2]games.Move
			var nodes [2]int
			for i, whole := range []bool{true, false} {
				a := newAlphaBeta(games.Look(s, s.ToMove()), Limit{Iterations: 4000}, games.NewRand(1))
				a.whole = whole
				thought := a.thought(a.run(t.Context()))
				moves[i], nodes[i] = thought.Candidates[0].Move, thought.Iterations
			}
			if nodes[1] < nodes[0] {
				ended++
			}
			if moves[0] != moves[1] {
				t.Errorf("%s: after %d positions %s, at the limit %s", g.Key(), nodes[1], games.Spell(s, moves[1]),
					games.Spell(s, moves[0]))
			}
		}
		t.Logf("%s: %d searches ended early", g.Key(), ended)
		if ended == 0 {
			t.Errorf("%s: no search ended early: the test does not test", g.Key())
		}
	}
}

// raced returns a tree whose root has one move for each element of visits.
func raced(lane int, visits ...int32) *tree {
	t := &tree{lane: lane, nodes: []node{{proof: unproved}}, full: maxNodes}
	for i, n := range visits {
		t.nodes[t.add(root, games.Move(i))].visits = n
		t.iterations += int(n)
	}
	return t
}

// Parallel trees end once they have the same leader and no move can overtake it in any of them.
func TestTreesEndTogether(t *testing.T) {
	for _, c := range []struct {
		why         string
		left        int // remaining iterations
		one, two    []int32
		first, last bool
	}{
		{"the same leader", 50, []int32{100, 20}, []int32{90, 30}, false, true},
		{"two leaders", 50, []int32{100, 20}, []int32{30, 90}, false, false},
		{"one may be overtaken", 70, []int32{100, 20}, []int32{90, 30}, false, false},
		{"both would be level", 80, []int32{100, 20}, []int32{100, 20}, false, false},
	} {
		r := &race{leaders: make([]atomic.Uint64, 2)}
		one, two := raced(0, c.one...), raced(1, c.two...)
		if first := r.won(one, one.iterations+c.left); first != c.first {
			t.Errorf("%s: the first tree ends alone: %v", c.why, first)
		}
		if last := r.won(two, two.iterations+c.left); last != c.last {
			t.Errorf("%s: the second tree ends: %v, want %v", c.why, last, c.last)
		}
		if again := r.won(one, one.iterations+c.left); again != c.last {
			t.Errorf("%s: the first tree ends: %v, want %v", c.why, again, c.last)
		}
	}
	one := raced(0, 10, 500, 3)
	one.nodes[2].proof = 1 // the most visited move loses
	if move, ahead := one.leader(); move != 0 || ahead != 7 {
		t.Errorf("the leader is %d by %d, want 0 by 7", move, ahead)
	}
}

// With a time limit, the remaining iterations are estimated from the speed so far. 120 iterations in 6 seconds are 20
// per second, and at most half as many more if the machine becomes faster.
func TestTheClockTellsWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := raced(0, 100, 20)
		for _, c := range []struct {
			left time.Duration
			won  bool
		}{{time.Second, true}, {2600 * time.Millisecond, true}, {2700 * time.Millisecond, false},
			{time.Minute, false}} {
			r := &race{begun: time.Now().Add(-6 * time.Second), ends: time.Now().Add(c.left),
				leaders: make([]atomic.Uint64, 1)}
			if got := r.won(tree, -1); got != c.won {
				t.Errorf("%v before the end: %v, want %v", c.left, got, c.won)
			}
		}
	})
}
