package gametest

import (
	"math"
	"slices"
	"testing"

	"marque/games"
)

// checkSim checks that a Sim behaves like the State move by move, and plays without allocating.
func checkSim(t *testing.T, g games.Game, setup games.Setup, c Config) {
	scratch := g.New(setup).Sim()
	for seed := range uint64(c.Games) {
		rng := newRand(seed + 1<<32)
		fast := games.NewRand(seed)
		s := g.New(setup)
		sim := s.Sim()
		for ply := 0; ply <= g.Traits().Longest && s.ToMove() != games.Nobody; ply++ {
			agree(t, s, sim)
			if t.Failed() {
				t.Fatalf("%s, random game %d, ply %d: %s", Name(setup), seed, ply, JSON(t, s))
			}
			if ply%c.Every == 0 {
				checkChances(t, sim, setup, 0)
				checkOut(t, s, sim, setup)
				checkWithdrawn(t, s, setup)
				if t.Failed() {
					t.Fatalf("%s, random game %d, ply %d: %s", Name(setup), seed, ply, JSON(t, s))
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
		checkChances(t, sim, setup, 0)
	}

	// Random play ends, and allocates nothing.
	sim, start := g.New(setup).Sim(), g.New(setup).Sim()
	rng := games.NewRand(7)
	game := func() {
		sim.CopyFrom(start)
		for ply := 0; sim.ToMove() != games.Nobody; ply++ {
			if ply > g.Traits().Longest {
				t.Fatalf("random play has not ended after %d plies", g.Traits().Longest)
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

// checkChances checks that each seat's value is between 0 and 1, and that the values of all seats add up to 1, during
// the game (Evaluate) and after its end (Payoff). The seats in the bit set gone have left the game, and their values
// must be 0.
func checkChances(t *testing.T, sim games.Sim, setup games.Setup, gone uint) {
	t.Helper()
	name, chance := "Evaluate", sim.Evaluate
	if sim.ToMove() == games.Nobody {
		name, chance = "Payoff", sim.Payoff
	}
	sum := 0.0
	all := make([]float64, setup.Seats)
	for seat := range all {
		c := chance(games.Seat(seat))
		if !(c >= 0 && c <= 1) || gone>>uint(seat)&1 != 0 && c != 0 {
			t.Errorf("%s(%d) = %v, want 0 to 1, and 0 for who has left (%b)", name, seat, c, gone)
		}
		sum += c
		all[seat] = c
	}
	if !(math.Abs(sum-1) < 1e-9) {
		t.Errorf("%s of all seats is %v, which adds up to %v, want 1 (left: %b)", name, all, sum, gone)
	}
}

// checkOut checks that a seat that is out is not to move and has no chance.
func checkOut(t *testing.T, s games.State, sim games.Sim, setup games.Setup) {
	t.Helper()
	e, ok := s.(games.Eliminator)
	for seat := games.Seat(0); ok && int(seat) < setup.Seats; seat++ {
		if e.Out(seat) && (s.ToMove() == seat || sim.Evaluate(seat) != 0) {
			t.Errorf("seat %d is out: %d is to move, Evaluate(%[1]d) = %v", seat, s.ToMove(), sim.Evaluate(seat))
		}
	}
}

// checkWithdrawn checks that the chances of the remaining seats add up to 1 after each departure, in a game that
// continues when a seat leaves.
func checkWithdrawn(t *testing.T, s games.State, setup games.Setup) {
	t.Helper()
	gone := uint(0)
	for left := setup.Seats; left > 2 && s.ToMove() >= 0; left-- {
		w, ok := s.(games.Withdrawer)
		if !ok {
			return
		}
		seat := s.ToMove()
		gone |= 1 << uint(seat)
		s = w.Withdraw(seat)
		checkChances(t, s.Sim(), setup, gone)
	}
}

func checkPayoff(t *testing.T, s games.State, sim games.Sim, setup games.Setup) {
	r := s.Result()
	for seat := games.Seat(0); int(seat) < setup.Seats; seat++ {
		if got, want := sim.Payoff(seat), r.Payoff(seat); math.Abs(got-want) > 1e-9 {
			t.Errorf("the sim pays seat %d %v, the result %+v says %v", seat, got, r, want)
		}
	}
}

// RedealKeepsTheView checks, for a game with hidden information, that Redeal changes only what the viewer does not
// know. It plays one random game for each number of seats. The function state returns the position of a Sim, for which
// Sim has no method.
func RedealKeepsTheView(t *testing.T, g games.Game, state func(games.Sim) games.State) {
	rng, fast := newRand(1), games.NewRand(2)
	changed := 0
	least, most := g.Seats()
	for seats := least; seats <= most; seats++ {
		for s := g.New(games.Setup{Seats: seats}); s.ToMove() != games.Nobody; _, s = Random(s, rng) {
			for viewer := range games.Seat(seats) {
				sim := s.Sim()
				sim.(games.Redealer).Redeal(viewer, fast)
				again := state(sim)
				if got, want := JSON(t, games.Mask(again, viewer)), JSON(t, games.Mask(s, viewer)); got != want {
					t.Fatalf("seat %d sees\n%s\nwant as before\n%s", viewer, got, want)
				}
				if JSON(t, again) != JSON(t, s) {
					changed++
				}
			}
		}
	}
	if changed == 0 {
		t.Error("Redeal never changed anything")
	}
}
