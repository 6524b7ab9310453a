package gametest

import (
	"math"
	"slices"
	"testing"

	"marque/games"
)

// checkSim: the mutable form agrees with the state move by move, and plays without allocating.
func checkSim(t *testing.T, g games.Game, setup games.Setup, c Config) {
	scratch := g.New(setup).Sim()
	for seed := range uint64(c.Games) {
		rng := newRand(seed + 1<<32)
		fast := games.NewRand(seed)
		s := g.New(setup)
		sim := s.Sim()
		for ply := 0; ply <= c.MaxPlies && s.ToMove() != games.Nobody; ply++ {
			agree(t, s, sim)
			if t.Failed() {
				t.Fatalf("%s, random game %d, ply %d: %s", Name(setup), seed, ply, JSON(t, s))
			}
			if ply%c.Every == 0 {
				for seat := games.Seat(0); int(seat) < setup.Seats; seat++ {
					if lead := sim.Lead(seat); !(lead >= 0 && lead <= 1) {
						t.Fatalf("ply %d: Lead(%d) = %v, want 0 to 1: %s", ply, seat, lead, JSON(t, s))
					}
				}
				scratch.CopyFrom(sim)
				agree(t, s, scratch)
				m := scratch.PlayRandom(fast)
				if !legal(s, m) {
					t.Fatalf("ply %d: PlayRandom played %v, which is not listed: %s", ply, m, JSON(t, s))
				}
				agree(t, s.Apply(m), scratch)
				agree(t, s, sim)
			}
			m, next := Random(s, rng)
			sim.Play(m)
			s = next
		}
		agree(t, s, sim)
		checkPayoff(t, s, sim, setup)
	}

	// Random play ends, and costs no memory.
	sim, start := g.New(setup).Sim(), g.New(setup).Sim()
	rng := games.NewRand(7)
	game := func() {
		sim.CopyFrom(start)
		for ply := 0; sim.ToMove() != games.Nobody; ply++ {
			if ply > c.MaxPlies {
				t.Fatalf("random play has not ended after %d plies", c.MaxPlies)
			}
			sim.PlayRandom(rng)
		}
	}
	for range 5 {
		game()
	}
	if n := testing.AllocsPerRun(50, game); n > 0 {
		t.Errorf("a random game allocates %v times, want none", n)
	}
}

func legal(s games.State, m games.Move) bool {
	if s.ToMove() == games.Chance {
		return slices.ContainsFunc(s.Outcomes(), func(o games.Outcome) bool { return o.Move == m })
	}
	return slices.Contains(s.Moves(), m)
}

func agree(t *testing.T, s games.State, sim games.Sim) {
	t.Helper()
	if sim.ToMove() != s.ToMove() {
		t.Errorf("the sim says %d is to move, the state %d: %s", sim.ToMove(), s.ToMove(), JSON(t, s))
		return
	}
	switch s.ToMove() {
	case games.Nobody:
	case games.Chance:
		if got, want := sim.AppendOutcomes(nil), s.Outcomes(); !slices.Equal(got, want) {
			t.Errorf("the sim's outcomes are %v, the state's %v: %s", got, want, JSON(t, s))
		}
	default:
		if got, want := sim.AppendMoves(nil), s.Moves(); !slices.Equal(got, want) {
			t.Errorf("the sim's moves are %v, the state's %v: %s", got, want, JSON(t, s))
		}
	}
}

func checkPayoff(t *testing.T, s games.State, sim games.Sim, setup games.Setup) {
	r := s.Result()
	for seat := games.Seat(0); int(seat) < setup.Seats; seat++ {
		want := 0.0
		if slices.Contains(r.Winners, seat) {
			want = 1 / float64(len(r.Winners))
		}
		if got := sim.Payoff(seat); math.Abs(got-want) > 1e-9 {
			t.Errorf("the sim pays seat %d %v, the result %+v says %v", seat, got, r, want)
		}
	}
}
