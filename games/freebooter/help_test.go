package freebooter

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 4)) }

// midgame returns the position after some random plays, or the final position if the game ends earlier.
func midgame(seats int, seed uint64, plies int) games.State {
	rng := newRand(seed)
	s := Game.New(games.Setup{Seats: seats})
	for i := 0; i < plies && s.ToMove() != games.Nobody; i++ {
		_, s = gametest.Random(s, rng)
	}
	return s
}

// table builds positions for the tests from the names that the rules use.
type table struct {
	t *testing.T
	p position
}

// newTable returns a table with an empty sea, empty hands and full stacks. Seat 0 is to move.
func newTable(t *testing.T, seats int) *table {
	p := newPosition(seats)
	p.phase = turning
	return &table{t, p}
}

func (tb *table) square(name string) square {
	i := slices.Index(squareNames[:], name)
	if i < 0 {
		tb.t.Fatalf("no square %q", name)
	}
	return square(i)
}

// lay puts counters of a kind ("15", "warehouse", "double5") on points. at holds the points' top left squares ("C4").
func (tb *table) lay(kind string, at ...string) *table {
	c := slices.Index(counterKeys[:], kind)
	if c < 0 {
		tb.t.Fatalf("no counter %q", kind)
	}
	for _, name := range at {
		tb.p.counters[c] |= tb.square(name).bit()
		tb.p.lying |= tb.square(name).bit()
	}
	return tb
}

// boarded puts a seat's boats on ships. at holds the top left squares of the ships' points.
func (tb *table) boarded(seat int, at ...string) *table {
	for _, name := range at {
		tb.p.boarded[seat] |= tb.square(name).bit()
		tb.p.pool[seat]--
	}
	return tb
}

// boats puts a seat's boats in squares and takes a card of each square out of the sea stack.
func (tb *table) boats(seat int, at ...string) *table {
	for _, name := range at {
		tb.p.boats[seat].add(tb.square(name))
		tb.p.taken |= tb.square(name).bit()
		tb.p.pool[seat]--
		tb.p.seaStack.remove(tb.square(name))
		tb.p.seaLeft--
	}
	return tb
}

// hand gives cards from the stacks to a seat.
func (tb *table) hand(seat int, cards ...string) *table {
	for _, name := range cards {
		if c := slices.Index(dutchmanKeys[:], name); c >= 0 {
			tb.p.lineStack &^= dutchmanCard(c).bit()
			tb.p.lines[seat] |= dutchmanCard(c).bit()
			tb.p.lineLeft--
			tb.p.lineHeld[seat]++
			continue
		}
		tb.p.seaStack.remove(tb.square(name))
		tb.p.hands[seat].add(tb.square(name))
		tb.p.seaLeft--
		tb.p.seaHeld[seat]++
	}
	return tb
}

func (tb *table) money(seat, money int) *table {
	tb.p.money[seat] = int16(money)
	return tb
}

// noStack discards the rest of a stack.
func (tb *table) noStack(k stack) *table {
	if k == seaStack {
		tb.p.seaStack, tb.p.seaLeft = pairs{}, 0
	} else {
		tb.p.lineStack, tb.p.lineLeft = 0, 0
	}
	return tb
}

func (tb *table) state() games.State { return state{tb.p} }

// play plays moves or outcomes given in the notation of the rules.
func play(t *testing.T, s games.State, notations ...string) games.State {
	t.Helper()
	for _, n := range notations {
		find := games.FindMove
		if s.ToMove() == games.Chance {
			find = games.FindOutcome
		}
		m, err := find(s, n)
		if err != nil {
			t.Fatalf("%s: %v; the moves are %s", n, err, strings.Join(moves(s), ", "))
		}
		s = s.Apply(m)
	}
	return s
}

// moves returns the legal moves in notation.
func moves(s games.State) []string {
	var list []string
	for _, m := range s.Moves() {
		list = append(list, games.Spell(s, m))
	}
	return list
}

// matching returns the legal moves whose notation begins with a prefix.
func matching(s games.State, prefix string) []string {
	var list []string
	for _, n := range moves(s) {
		if strings.HasPrefix(n, prefix) {
			list = append(list, n)
		}
	}
	return list
}

func pos(s games.State) position { return s.(state).p }
