package computer

import (
	"context"
	"testing"

	"marque/games"
	"marque/games/loyalcaptain"
)

// ticking is a position that counts the steps of a search and cancels the search after a given number.
type ticking struct {
	adversary
	c *ticks
}

type ticks struct {
	plays, copies, at int
	cancel            context.CancelFunc
	after             int // number of steps after the cancellation
	counted           *int
}

func (c *ticks) tick(n *int) {
	*n++
	switch {
	case n != c.counted || *n < c.at:
	case *n == c.at:
		c.cancel()
	default:
		c.after++
	}
}

func (s *ticking) CopyFrom(o games.Sim) {
	s.c.tick(&s.c.copies)
	s.adversary.CopyFrom(o.(*ticking).adversary)
}

func (s *ticking) Play(m games.Move) {
	s.c.tick(&s.c.plays)
	s.adversary.Play(m)
}

// Once its context ends, alpha-beta searches at most clockNodes further nodes, and a tree at most clockInterval further
// iterations. The test counts steps, so the load of the machine does not matter.
func TestNoSearchGoesOnBeyondItsLimit(t *testing.T) {
	g := loyalcaptain.Game
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	v := games.Look(g.New(setup), g.New(setup).ToMove())
	most := [2]int{}
	for at := 60; at < 6000; at += 97 {
		c := &ticks{at: at}
		c.counted = &c.plays
		a := newAlphaBeta(v, Limit{}, games.NewRand(uint64(at)))
		for i, sim := range a.sims {
			a.sims[i] = &ticking{sim.(adversary), c}
		}
		ctx, cancel := context.WithCancel(t.Context())
		c.cancel = cancel
		a.run(ctx)
		most[0] = max(most[0], c.after)

		c = &ticks{at: at}
		c.counted = &c.copies
		tree, before := &tree{}, 0
		ctx, cancel = context.WithCancel(t.Context())
		c.cancel = func() { before = tree.iterations; cancel() }
		tree.start(v, uint64(at), 1000)
		for _, sim := range []*games.Sim{&tree.origin, &tree.sim, &tree.probe} {
			*sim = &ticking{(*sim).(adversary), c}
		}
		tree.run(ctx, -1)
		most[1] = max(most[1], tree.iterations-before)
	}
	t.Logf("beyond the limit: %d nodes of alpha-beta, %d iterations of a tree", most[0], most[1])
	if most[0] == 0 || most[0] > clockNodes || most[1] == 0 || most[1] > clockInterval {
		t.Errorf("beyond the limit there were %d nodes, want %d at most, and %d iterations, want %d", most[0], clockNodes,
			most[1], clockInterval)
	}
}
