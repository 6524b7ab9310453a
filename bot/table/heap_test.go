package table_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// heap is a game for these tests, with all that the table has to do with: chance, forced moves, an
// option, two to four players, a rule for players who leave. Whoever takes the last of the heap
// wins. After every move a die is rolled: on a 3 one is added to the heap, at most five times in a
// game. The last one is taken without asking.
type heap struct{}

func (heap) Key() string       { return "heap" }
func (heap) Info() games.Info  { return games.Info{Name: text.Raw("Heap")} }
func (heap) Seats() (int, int) { return 2, 4 }
func (heap) Version() int      { return 1 }
func (heap) Traits() games.Traits {
	return games.Traits{Chance: true, Longest: 40}
}
func (heap) Options() []games.Option {
	return []games.Option{{Key: "size", Values: []string{"12", "5"}}}
}
func (heap) New(s games.Setup) games.State {
	n := 12
	if s.Option("size") == "5" {
		n = 5
	}
	return pile{N: n, Seats: s.Seats, Last: -1, Gone: make([]bool, s.Seats)}
}

type pile struct {
	N, Seats, Turn int
	Last           int // who took the last; -1 while there is some left
	Dice           bool
	Added          int
	Gone           []bool
}

const firstRoll = 100

func (p pile) MarshalJSON() ([]byte, error) { type plain pile; return json.Marshal(plain(p)) }

func (p pile) ToMove() games.Seat {
	switch {
	case p.Last >= 0:
		return games.Nobody
	case p.Dice:
		return games.Chance
	}
	return games.Seat(p.Turn)
}

func (p pile) Moves() []games.Move {
	if p.ToMove() < 0 {
		return nil
	}
	var moves []games.Move
	for n := 1; n <= min(3, p.N); n++ {
		moves = append(moves, games.Move(n))
	}
	return moves
}

func (p pile) Outcomes() []games.Outcome {
	if p.ToMove() != games.Chance {
		return nil
	}
	return []games.Outcome{{Move: firstRoll + 1, Weight: 2}, {Move: firstRoll + 3, Weight: 1}}
}

func (p pile) Apply(m games.Move) games.State {
	if p.Dice {
		p.Dice = false
		if m == firstRoll+3 && p.Added < 5 {
			p.N++
			p.Added++
		}
		return p
	}
	p.N -= int(m)
	if p.N == 0 {
		p.Last = p.Turn
		return p
	}
	p.Dice = true
	return p.next()
}

func (p pile) next() pile {
	for {
		p.Turn = (p.Turn + 1) % p.Seats
		if !p.Gone[p.Turn] {
			return p
		}
	}
}

func (p pile) Withdraw(seat games.Seat) games.State {
	p.Gone = append([]bool(nil), p.Gone...)
	p.Gone[seat] = true
	if p.Turn == int(seat) {
		return p.next()
	}
	return p
}

func (p pile) Forced() (games.Move, bool) { return 1, p.ToMove() >= 0 && p.N == 1 }

func (p pile) Result() games.Result {
	if p.Last < 0 {
		return games.Result{}
	}
	return games.Result{Winners: []games.Seat{games.Seat(p.Last)}}
}

func (p pile) Mask(games.Seat) games.State                    { return p }
func (p pile) MaskMove(m games.Move, _ games.Seat) games.Move { return m }
func (p pile) Sample(games.Seat, *rand.Rand) games.State      { return p }
func (p pile) Tell(m games.Move) text.Message                 { return text.Raw(games.Spell(p, m)) }
func (p pile) Scene(games.Seat, []games.Step) scene.Scene     { return scene.Scene{} }
func (p pile) Sim() games.Sim                                 { panic("the table has no use for a Sim") }
func (p pile) Spell(m games.Move) []games.Word {
	if m > firstRoll {
		return []games.Word{{Key: "roll"}, {Sep: " ", Key: fmt.Sprint(int(m - firstRoll))}}
	}
	return []games.Word{{Key: "take"}, {Sep: " ", Key: fmt.Sprint(int(m))}}
}

var (
	_ games.Game       = heap{}
	_ games.State      = pile{}
	_ games.Withdrawer = pile{}
)
