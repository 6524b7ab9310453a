package computer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/example"
	"marque/games/loyalcaptain"
	"marque/games/madagascar"
)

// listing returns a line for a tree's node and for each of its descendants.
func listing(t *tree, at int32) []string {
	var lines []string
	var walk func(at int32, depth int)
	walk = func(at int32, depth int) {
		n := t.nodes[at]
		lines = append(lines, fmt.Sprintf("%s%v %v %d %v %d", strings.Repeat(" ", depth), n.move, n.sum, n.visits,
			n.prior, n.proof))
		for i := n.first; i != none; i = t.nodes[i].next {
			walk(i, depth+1)
		}
	}
	walk(at, 0)
	return lines
}

// grown returns a tree after a search of a game's first decision.
func grown(tb testing.TB, g games.Game, iterations int) (*tree, games.View) {
	t, v := &tree{}, firstDecision(tb, g)
	t.start(v, 1, 64)
	for range iterations {
		t.iterate()
	}
	return t, v
}

// favourite returns the most visited child of a node.
func favourite(t *tree, at int32) int32 {
	best := t.nodes[at].first
	for i := best; i != none; i = t.nodes[i].next {
		if t.nodes[i].visits > t.nodes[best].visits {
			best = i
		}
	}
	return best
}

// A replanted tree contains exactly the nodes that were below the new root in the old tree.
func TestReplantKeepsWhatIsBelow(t *testing.T) {
	for _, g := range example.Games {
		tree, _ := grown(t, g, 3000)
		at := favourite(tree, root)
		want := listing(tree, at)
		tree.replant(at, maxNodes)
		if got := listing(tree, root); !slices.Equal(got, want) || len(got) != len(tree.nodes) {
			t.Errorf("%s: %d nodes listed, %d held, want the %d that were below the move", g.Key(), len(got),
				len(tree.nodes), len(want))
		}
		for range 200 { // the tree can grow again
			tree.iterate()
		}
	}
}

// A replanted tree keeps to its size limit. Nodes that were visited only once lose their children.
func TestReplantDropsTheSeldomTried(t *testing.T) {
	tree, _ := grown(t, loyalcaptain.Game, 3000)
	at := favourite(tree, root)
	full := listing(tree, at)
	most := len(full) / 4
	tree.replant(at, most)
	got := listing(tree, root)
	if len(tree.nodes) > most || len(got) != len(tree.nodes) {
		t.Fatalf("%d nodes held and %d listed, want the same and at most %d", len(tree.nodes), len(got), most)
	}
	var least int32 = 1 << 30
	for i := range tree.nodes {
		if n := &tree.nodes[i]; n.first != none {
			least = min(least, n.visits)
		}
	}
	for i := range tree.nodes {
		if n := &tree.nodes[i]; n.first == none && n.width != 0 {
			t.Errorf("a node without children says that it has %d", n.width)
		}
	}
	next := 0
	for _, line := range got {
		for next < len(full) && full[next] != line {
			next++
		}
		if next == len(full) {
			t.Fatalf("%q was not below the move, or not in this order", line)
		}
	}
	if least < 2 {
		t.Errorf("a node that was tried %d times kept its children, though not all could be kept", least)
	}
}

// answered returns a player's view after its move and the most visited replies, and the visits of the last reply's
// node.
func answered(tb testing.TB, p *Player, v games.View, m games.Move) (games.View, int) {
	t := p.trees[0]
	at, ok := t.follow([]games.Move{m})
	if !ok {
		tb.Fatal("the move chosen was not looked into")
	}
	s := v.State.Apply(m)
	for s.ToMove() != v.Viewer {
		at = favourite(t, at)
		s = s.Apply(t.nodes[at].move)
	}
	return games.Look(s, v.Viewer), int(t.nodes[at].visits)
}

// A second search begins with the results of the previous one.
func TestTreeIsUsedAgain(t *testing.T) {
	for _, workers := range []int{1, 2} {
		p := New(Hard, Limit{Iterations: 8000, Workers: workers}, 1)
		v := firstOf(t, madagascar.Game, 3)
		m, _, err := p.Choose(context.Background(), v)
		if err != nil {
			t.Fatal(err)
		}
		next, known := answered(t, p, v, m)
		_, thought, err := p.Choose(context.Background(), next)
		if err != nil {
			t.Fatal(err)
		}
		visits := 0
		for _, c := range thought.Candidates {
			visits += c.Visits
		}
		// The first visit of a node is not a visit of a child.
		if visits < thought.Iterations+known-1 || known < 20 {
			t.Errorf("%d workers: %d visits after %d iterations with %d known before, want them added", workers, visits,
				thought.Iterations, known)
		}
	}
}

// A position that the tree does not contain is searched from scratch, and a beginner does not reuse its tree.
func TestTreeIsNotUsedAgain(t *testing.T) {
	first := firstOf(t, madagascar.Game, 3)
	for _, c := range []struct {
		why   string
		level Level
		next  games.View
	}{
		{"another game", Hard, firstDecision(t, catalog.Games[1])},
		{"a beginner", Easy, first},
	} {
		p := New(c.level, Limit{Iterations: 500}, 1)
		for _, v := range []games.View{first, c.next} {
			_, thought, err := p.Choose(context.Background(), v)
			if err != nil {
				t.Fatal(err)
			}
			if got := int(p.trees[0].nodes[root].visits); got != thought.Iterations {
				t.Errorf("%s: the root has %d visits after %d iterations", c.why, got, thought.Iterations)
			}
		}
	}
}

// A pool recalls a search for the position after the expected reply. It remembers a limited number of searches, each as
// small trees.
func TestPoolRemembers(t *testing.T) {
	var pool Pool
	v := firstOf(t, madagascar.Game, 3)
	for seed := range uint64(memories + 3) {
		p := New(Hard, Limit{Iterations: 3000, Workers: 2}, seed)
		m, _, err := p.Choose(context.Background(), v)
		if err != nil {
			t.Fatal(err)
		}
		next, _ := answered(t, p, v, m)
		pool.remember(p, m)
		if seed == 0 {
			if got := pool.recall(next); len(got.trees) != 2 {
				t.Fatalf("%d trees recalled for the answer that was looked into most, want 2", len(got.trees))
			}
			if len(pool.memory) != 0 {
				t.Errorf("%d memories left after the only one was taken out", len(pool.memory))
			}
		}
	}
	if len(pool.memory) != memories {
		t.Errorf("%d searches remembered, want %d", len(pool.memory), memories)
	}
	for _, m := range pool.memory {
		for _, tree := range m.trees {
			if cap(tree.nodes) > rememberedNodes {
				t.Errorf("room for %d nodes remembered, want at most %d", cap(tree.nodes), rememberedNodes)
			}
		}
	}
}

// At every level, a pool chooses moves in a game that continues with the expected replies, or with the first legal move
// if no reply is expected.
func TestPoolThinksOnAtEveryLevel(t *testing.T) {
	for _, level := range Levels {
		var pool Pool
		v := firstDecision(t, loyalcaptain.Game)
		for range 3 {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			m, thought, err := pool.Choose(ctx, loyalcaptain.Game.Key(), string(level), v, 1, 0)
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			next := v.State.Apply(m)
			if thought.HasAnswer {
				next = next.Apply(thought.Answer)
			} else {
				next = next.Apply(next.Moves()[0])
			}
			v = games.Look(next, next.ToMove())
		}
	}
}
