package heap

import (
	"slices"
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func TestConformance(t *testing.T) {
	four := games.Setup{Seats: 4, Options: []games.Setting{{Key: optionSize, Value: sizeSmall}}}
	gametest.Run(t, Game, gametest.Config{
		Perft: []gametest.Perft{{Depth: 1}, {Depth: 7}, {Setup: four, Depth: 5}, {Setup: four, Plies: 2, Depth: 9}},
	})
}

func match(t *testing.T, seats int, size string, log ...string) *games.Match {
	t.Helper()
	m, err := games.NewMatch(Game, games.Header{Setup: games.Setup{Seats: seats,
		Options: []games.Setting{{Key: optionSize, Value: size}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, play := range log {
		if err := m.PlayExact(play); err != nil {
			t.Fatalf("%s: %v", play, err)
		}
	}
	return m
}

func TestWhoTakesTheLastCoinWins(t *testing.T) {
	m := match(t, 2, sizeSmall, "take 3", "roll 1", "take 2")
	if r := m.Result(); !m.Over() || !slices.Equal(r.Winners, []games.Seat{1}) || r.Why.ID != "heap.why.last" {
		t.Errorf("after five of five coins: over %v, %+v", m.Over(), r)
	}
}

func TestARollOfThreeAddsACoinFiveTimes(t *testing.T) {
	m := match(t, 2, sizeUsual)
	for n := range 7 {
		if err := m.PlayExact("take 1"); err != nil {
			t.Fatal(err)
		}
		before := m.State().(state)
		if err := m.PlayExact("roll 3"); err != nil {
			t.Fatal(err)
		}
		if after := m.State().(state); after.coins-before.coins != map[bool]int8{true: 1}[n < mostAdded] {
			t.Errorf("roll %d of 3: %d coins become %d", n+1, before.coins, after.coins)
		}
	}
}

func TestTheOnlyCoinLeftIsTakenWithoutAsking(t *testing.T) {
	m := match(t, 2, sizeSmall, "take 3", "roll 1", "take 1", "roll 1")
	if move, ok := games.Forced(m.State()); !ok || games.Spell(m.State(), move) != "take 1" {
		t.Errorf("with one coin left the forced move is %v, %v", move, ok)
	}
}

func TestTheGameGoesOnWithoutWhoLeaves(t *testing.T) {
	m := match(t, 3, sizeUsual, "take 1", "roll 1")
	if err := m.Resign(1); err != nil {
		t.Fatal(err)
	}
	if m.Over() || m.ToMove() != 2 {
		t.Errorf("after seat 1 left on its turn: over %v, seat %d to move, want 2", m.Over(), m.ToMove())
	}
	if err := m.PlayExact("take 2"); err != nil {
		t.Fatal(err)
	}
	if err := m.PlayExact("roll 1"); err != nil {
		t.Fatal(err)
	}
	if m.ToMove() != 0 {
		t.Errorf("seat %d is to move after seat 2, want 0", m.ToMove())
	}
}
