package computer

import (
	"testing"

	"marque/games"
	"marque/games/example"
)

// The first try of a leaf overlooks no urgent move that is better than its choice, and does not list the leaf's moves.
// The second try lists them.
func TestFirstTry(t *testing.T) {
	glancing := 0
	for _, g := range example.Games {
		v := firstDecision(t, g)
		tuner, ok := v.State.Sim().(games.Tuner)
		if !ok || tuner.Tuning().FirstTry == 0 {
			continue
		}
		glancing++
		rng := games.NewRand(3)
		better := 0
		for s := v.State; s.ToMove() != games.Nobody; {
			seat := s.ToMove()
			if seat == games.Chance {
				s = s.Apply(rng.Outcome(s.Outcomes()))
				continue
			}
			moves := s.Moves()
			tree := &tree{}
			tree.start(games.Look(s, seat), 1, 64)
			tree.sim.CopyFrom(tree.origin)
			glimpsed := tree.foresee(tree.firstTry(seat), seat)
			for _, m := range moves {
				worth := tree.foresee(m, seat)
				if worth <= glimpsed {
					continue
				}
				better++
				if tree.sim.(games.Urgency).Urgency(m) > 0 {
					t.Fatalf("%s: %s is urgent and worth %v, but the first try chose what is worth %v", g.Key(),
						games.Spell(s, m), worth, glimpsed)
				}
			}
			s = s.Apply(moves[rng.IntN(len(moves))])
		}
		if better == 0 {
			t.Errorf("%s: the first try looked at all moves in a whole game", g.Key())
		}

		tree := &tree{}
		tree.start(v, 1, 64)
		for range 2000 {
			tree.iterate()
		}
		once, twice := 0, 0
		for i := tree.nodes[root].first; i != none; i = tree.nodes[i].next {
			// the nodes after a roll, at which another seat decides
			for j := tree.nodes[i].first; j != none; j = tree.nodes[j].next {
				switch n := &tree.nodes[j]; {
				case n.visits == 1 && n.width > 0:
					t.Fatalf("%s: %d moves were listed at the first try", g.Key(), n.width)
				case n.visits == 1:
					once++
				case n.visits > 1 && n.width == 0 && n.proof == unproved:
					t.Fatalf("%s: no moves were listed after %d tries", g.Key(), n.visits)
				case n.visits > 1:
					twice++
				}
			}
		}
		t.Logf("%s: %d better moves not looked at in a game; %d nodes tried once, %d with moves", g.Key(), better, once,
			twice)
		if once == 0 || twice == 0 {
			t.Errorf("%s: %d nodes were tried once, %d have moves", g.Key(), once, twice)
		}
	}
	if glancing == 0 {
		t.Error("no game has first tries")
	}
}
