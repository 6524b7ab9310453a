package gametest

import (
	"testing"

	"marque/games"
)

// checkTraits checks the declared traits of a game. In random games of all setups, chance must be due exactly if
// Traits.Chance is set, and something must be hidden exactly if Traits.Hidden is set. Traits.Usual must be from 1 to
// Traits.Longest; other checks compare Traits.Longest with the games that they play.
func checkTraits(t *testing.T, g games.Game, c Config) {
	declared := g.Traits()
	if declared.Longest < 1 {
		t.Fatalf("Traits.Longest is %d: it bounds how many plays a game takes", declared.Longest)
	}
	if declared.Usual < 1 || declared.Usual > declared.Longest {
		t.Errorf("Traits.Usual is %d, and the longest game %d", declared.Usual, declared.Longest)
	}
	var chance, hidden bool
	for _, setup := range Setups(g) {
		_, masks := g.New(setup).(games.Hider)
		_, redeals := g.New(setup).Sim().(games.Redealer)
		if masks != declared.Hidden || redeals != declared.Hidden {
			t.Errorf("%s: Traits.Hidden is %v, but the State is a Hider: %v, and the Sim a Redealer: %v", Name(setup),
				declared.Hidden, masks, redeals)
		}
		for seed := range uint64(min(c.Games, 5)) {
			rng := newRand(seed)
			s := g.New(setup)
			for ply := 0; s.ToMove() != games.Nobody && ply <= declared.Longest; ply++ {
				chance = chance || s.ToMove() == games.Chance
				before := s
				var m games.Move
				m, s = Random(s, rng)
				if ply%c.Every == 0 || before.ToMove() == games.Chance {
					hidden = hidden || hides(t, before, m, setup)
				}
				if chance && !declared.Chance || hidden && !declared.Hidden {
					t.Fatalf("%s, random game %d, ply %d: Traits are %+v, but chance is due (%v) or something is hidden (%v): %s",
						Name(setup), seed, ply, declared, chance, hidden, JSON(t, before))
				}
			}
		}
	}
	if chance != declared.Chance || hidden != declared.Hidden {
		t.Errorf("Traits are %+v, but in random games chance was due: %v, and something was hidden: %v", declared,
			chance, hidden)
	}
}

// hides reports whether a part of a position, or of the play m in it, is hidden from at least one viewer.
func hides(t *testing.T, s games.State, m games.Move, setup games.Setup) bool {
	whole := JSON(t, s)
	for v := games.Spectator; int(v) < setup.Seats; v++ {
		if v != games.Nobody && v != games.Chance &&
			(JSON(t, games.Mask(s, v)) != whole || games.MaskMove(s, m, v) != m) {
			return true
		}
	}
	return false
}
