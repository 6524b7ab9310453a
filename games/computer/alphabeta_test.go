package computer

import (
	"fmt"
	"testing"

	"marque/games"
	"marque/games/gametest"
	"marque/games/loyalcaptain"
	"marque/games/madagascar"
)

// adversarial lists the games that alpha-beta searches if they have two players.
var adversarial = []games.Game{loyalcaptain.Game, madagascar.Game}

// late returns the last positions of random games, where the search can prove a result.
func late(tb testing.TB, g games.Game, seeds uint64, last int) (list []games.State) {
	tb.Helper()
	for seed := range seeds {
		setup, err := games.NewSetup(g, 2)
		if err != nil {
			tb.Fatal(err)
		}
		rng := games.NewRand(seed)
		var passed []games.State
		for s := g.New(setup); s.ToMove() != games.Nobody; {
			passed = append(passed, s)
			moves := s.Moves()
			s = s.Apply(moves[rng.IntN(len(moves))])
		}
		list = append(list, passed[max(0, len(passed)-last):]...)
	}
	return list
}

// outcome returns 1 if the seat can force a win within the given number of plies, -1 if its loss is forced within them,
// and 0 otherwise. It simply tries all moves.
func outcome(s games.State, seat games.Seat, plies int) int {
	if s.ToMove() == games.Nobody {
		switch w := s.Result().Winners; {
		case len(w) != 1:
			return 0
		case w[0] == seat:
			return 1
		default:
			return -1
		}
	}
	if plies == 0 {
		return 0
	}
	sign := 1
	if s.ToMove() != seat {
		sign = -1
	}
	best := -1
	for _, m := range s.Moves() {
		best = max(best, sign*outcome(s.Apply(m), seat, plies-1))
	}
	return sign * best
}

// In late positions of random games, each result that alpha-beta proves within five plies is true, and each result that
// is forced within three plies is proved.
func TestAlphaBetaProves(t *testing.T) {
	for _, g := range adversarial {
		wins, losses := 0, 0
		for _, s := range late(t, g, 30, 6) {
			seat := s.ToMove()
			if len(s.Moves()) < 2 {
				continue
			}
			a := newAlphaBeta(games.Look(s, seat), Limit{Iterations: 20_000}, games.NewRand(1))
			found := a.run(t.Context())
			got := a.thought(found)
			want := outcome(s, seat, 3)
			if n := winning - max(found[0].value, -found[0].value); got.Proved && n <= 5 && outcome(s, seat,
				n) != 2*int(got.Chance)-1 {
				t.Errorf("%s: proved %v within %d plies, which trying everything does not find: %s", g.Key(),
					got.Chance, n, gametest.JSON(t, s))
			}
			switch {
			case want == 1 && !(got.Proved && got.Chance == 1), want == -1 && !(got.Proved && got.Chance == 0):
				t.Errorf("%s: forced within three plies to %d, thought %+v: %s", g.Key(), want, got.Candidates[0],
					gametest.JSON(t, s))
			case want == 1:
				wins++
				if outcome(s.Apply(got.Candidates[0].Move), seat, 2) != 1 {
					t.Errorf("%s: %s wins only later, though a win is forced: %s", g.Key(),
						games.Spell(s, got.Candidates[0].Move), gametest.JSON(t, s))
				}
			case want == -1:
				losses++
			}
		}
		t.Logf("%s: %d wins and %d losses forced", g.Key(), wins, losses)
		if wins == 0 {
			t.Errorf("%s: nothing was forced: the test does not test", g.Key())
		}
	}
}

// In late positions of random games, workers that share a transposition table prove each result that is forced within
// three plies.
func TestWorkersProveTogether(t *testing.T) {
	for _, g := range adversarial {
		forced := 0
		for _, s := range late(t, g, 8, 3) {
			if len(s.Moves()) < 2 {
				continue
			}
			want := outcome(s, s.ToMove(), 3)
			p := New(Expert, Limit{Iterations: 30_000, Workers: 3}, 1)
			_, got, err := p.Choose(t.Context(), games.Look(s, s.ToMove()))
			switch {
			case err != nil:
				t.Fatal(err)
			case want != 0 && (!got.Proved || got.Chance != float64(max(0, want))):
				t.Errorf("%s: forced to %d, thought %+v: %s", g.Key(), want, got.Candidates[0], gametest.JSON(t, s))
			case want != 0:
				forced++
			case got.Proved && outcome(s, s.ToMove(), 5) == 1-2*int(got.Chance):
				t.Errorf("%s: thought to be certain: %+v: %s", g.Key(), got.Candidates[0], gametest.JSON(t, s))
			}
		}
		t.Logf("%s: %d positions with something forced", g.Key(), forced)
		if forced == 0 {
			t.Errorf("%s: nothing was forced: the test does not test", g.Key())
		}
	}
}

// At depth 2, alpha-beta finds the same value for a position as plain minimax, with its table, windows and move
// ordering.
func TestAlphaBetaIsMinimax(t *testing.T) {
	for _, g := range adversarial {
		compared := 0
		for _, s := range late(t, g, 12, 12) {
			if s.ToMove() == games.Nobody || len(s.Moves()) < 2 {
				continue
			}
			a := newAlphaBeta(games.Look(s, s.ToMove()), Limit{}, games.NewRand(1))
			seat := s.ToMove()
			list := a.sims[0].AppendMoves(nil)
			var moves []rootMove
			for _, m := range list {
				moves = append(moves, rootMove{move: m, value: a.static(m, seat)})
			}
			a.sort(moves)
			a.keys[0] = a.sims[0].(adversary).Hash()
			const depth = 2 // at this depth late moves are not yet reduced
			got := a.deepen(moves, depth)
			b := newAlphaBeta(games.Look(s, s.ToMove()), Limit{}, games.NewRand(1))
			b.keys[0] = a.keys[0]
			if want := b.minimax(0, depth); got[0].value != want {
				t.Errorf("%s: %d, minimax says %d: %s", g.Key(), got[0].value, want, gametest.JSON(t, s))
			}
			compared++
		}
		if compared < 50 {
			t.Errorf("%s: %d positions compared: the test does not test", g.Key(), compared)
		}
	}
}

// minimax tries every move to the given depth and evaluates the final positions like alpha-beta.
func (a *alphaBeta) minimax(ply, depth int) int {
	sim := a.sims[ply]
	seat := sim.ToMove()
	if ply > 0 {
		a.keys[ply] = sim.(adversary).Hash()
		for i := range ply {
			if a.keys[i] == a.keys[ply] {
				return a.draw(seat)
			}
		}
	}
	if depth == 0 {
		return a.quiesce(ply, beyond, -winning, winning)
	}
	best := -winning
	for _, m := range sim.AppendMoves(nil) {
		next := a.sims[ply+1]
		next.CopyFrom(sim)
		next.Play(m)
		var value int
		switch next.ToMove() {
		case games.Nobody:
			value = a.final(next, seat, ply+1)
		case seat:
			value = a.minimax(ply+1, depth-1)
		default:
			value = -a.minimax(ply+1, depth-1)
		}
		best = max(best, value)
	}
	return best
}

// Searching a node allocates nothing.
func TestAlphaBetaAllocatesNothing(t *testing.T) {
	for _, g := range adversarial {
		v := firstDecision(t, g)
		a := newAlphaBeta(v, Limit{Iterations: 1 << 30}, games.NewRand(1))
		a.keys[0] = a.sims[0].(adversary).Hash()
		a.search(0, 5, -winning, winning)
		if n := testing.AllocsPerRun(20, func() {
			clear(a.table)
			a.search(0, 5, -winning, winning)
		}); n > 0 {
			t.Errorf("%s: %v allocations a search", g.Key(), n)
		}
	}
}

// In random games, positions with different legal moves have different hashes. In Madagascar, a position that is
// reached by two orders of moves has one hash.
func TestHashTellsPositionsApart(t *testing.T) {
	for _, g := range adversarial {
		seen := map[uint64]string{}
		for _, s := range late(t, g, 40, 40) {
			var moves []string
			for _, m := range s.Moves() {
				moves = append(moves, fmt.Sprint(s.ToMove(), games.Spell(s, m)))
			}
			now, h := fmt.Sprint(moves), s.Sim().(adversary).Hash()
			if was, ok := seen[h]; ok && was != now {
				t.Errorf("%s: one hash for positions with the moves\n%s\n%s", g.Key(), was, now)
			}
			seen[h] = now
		}
	}
	for _, path := range [][2][]string{{{"+1", "+4", "+2", "+5"}, {"+2", "+5", "+1", "+4"}}} {
		var hashes [2]uint64
		for i, moves := range path {
			m, err := games.NewMatch(madagascar.Game, games.Header{Setup: games.Setup{Seats: 2}})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range moves {
				if err := m.PlayExact(text); err != nil {
					t.Fatal(err)
				}
			}
			hashes[i] = m.State().Sim().(adversary).Hash()
		}
		if hashes[0] != hashes[1] {
			t.Errorf("%v and %v lead to one position with two hashes", path[0], path[1])
		}
	}
}
