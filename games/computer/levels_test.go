package computer

import (
	"slices"
	"testing"

	"marque/games"
	"marque/games/example"
)

// Each level up to Hard searches at least as much as the level below, and has no more noise. These levels are limited
// by iterations alone, so they play alike on every machine. Expert is limited by time, which is shorter while other
// tables wait.
func TestLadder(t *testing.T) {
	for _, g := range example.Games {
		below := Limit{Noise: 2}
		for _, l := range Levels {
			limit := l.Limit(g.Key())
			if l == Expert {
				if limit.Time == 0 || limit.Noise != 0 || limit.Amid(3).Time >= limit.Time {
					t.Errorf("%s, %s: %+v", g.Key(), l, limit)
				}
				continue
			}
			busy := limit.Amid(100)
			busy.Workers = limit.Workers
			if limit.Time != 0 || limit.Workers > 1 || limit.Iterations < below.Iterations ||
				limit.Noise > below.Noise ||
				limit == below || busy != limit {
				t.Errorf("%s, %s: %+v, among many %+v, the level below has %+v", g.Key(), l, limit, busy, below)
			}
			below = limit
		}
	}
}

// The names easy, normal and hard do not change, because stored games contain them.
func TestNamesOfLevelsStay(t *testing.T) {
	for _, name := range []string{"easy", "normal", "hard"} {
		if l, err := parseLevel(name); err != nil || string(l) != name || !slices.Contains((*Pool)(nil).Levels(),
			name) {
			t.Errorf("%s: %q, %v", name, l, err)
		}
	}
}

// With noise the choice varies among the good moves: better moves are chosen more often, and the chosen move is worse
// than the best by no more than blunder times the noise.
func TestNoise(t *testing.T) {
	chances := []float64{0.5, 0.46, 0.4, 0.37, 0.1}
	chosen := map[games.Move]int{}
	rng := games.NewRand(1)
	for range 1000 {
		thought := Thought{Chance: 0.5}
		for i, c := range chances {
			thought.Candidates = append(thought.Candidates, Candidate{Move: games.Move(i), Chance: c})
		}
		thought.err(rng, 0.1)
		if len(thought.Candidates) != len(chances) || thought.Candidates[0].Chance != thought.Chance {
			t.Fatalf("%+v", thought)
		}
		chosen[thought.Candidates[0].Move]++
	}
	if chosen[0] <= chosen[1] || chosen[1] <= chosen[2] || chosen[2] == 0 || chosen[3]+chosen[4] > 0 {
		t.Errorf("chosen %v times of moves with the chances %v, slipping by 0.1", chosen, chances)
	}
}

// Alpha-beta has exact values for the moves that noise chooses from: a search to the same depth with the full window
// gives the same values.
func TestNoisesAreAmongWhatIsKnown(t *testing.T) {
	for _, g := range adversarial {
		within, beyond := 0, 0
		for _, s := range late(t, g, 8, 12) {
			if len(s.Moves()) < 2 {
				continue
			}
			limit := Limit{Noise: 0.1}
			const depth = 2 // at this depth late moves are not yet reduced
			a := newAlphaBeta(games.Look(s, s.ToMove()), limit, games.NewRand(1))
			a.keys[0] = a.sims[0].(adversary).Hash()
			var moves []rootMove
			for _, m := range a.sims[0].AppendMoves(nil) {
				moves = append(moves, rootMove{move: m, value: a.static(m, s.ToMove())})
			}
			a.sort(moves)
			moves = a.deepen(moves, depth)
			least := chanceOf(moves[0].value) - blunder*limit.Noise
			b := newAlphaBeta(games.Look(s, s.ToMove()), limit, games.NewRand(1))
			b.keys[0] = a.keys[0]
			for _, m := range moves {
				b.sims[1].CopyFrom(b.sims[0])
				b.sims[1].Play(m.move)
				want := b.value(0, depth, -winning, winning)
				switch {
				case chanceOf(m.value) < least && chanceOf(want) >= least:
					t.Errorf("%s: %s has %d and is left alone, but is worth %d", g.Key(), games.Spell(s, m.move),
						m.value, want)
				case chanceOf(m.value) < least:
					beyond++
				case m.value != want:
					t.Errorf("%s: %s may be chosen for %d, but is worth %d: the best has %d", g.Key(),
						games.Spell(s, m.move), m.value, want, moves[0].value)
				default:
					within++
				}
			}
		}
		if within < 20 || beyond < 20 {
			t.Errorf("%s: %d moves within reach of a noise and %d beyond: the test does not test", g.Key(), within,
				beyond)
		}
	}
}
