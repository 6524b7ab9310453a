package freebooter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func expect(t *testing.T, rule string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", rule, got, want)
	}
}

func outcomes(s games.State) []string {
	var list []string
	for _, o := range s.Outcomes() {
		list = append(list, fmt.Sprintf("%d %s", o.Weight, games.Spell(s, o.Move)))
	}
	return list
}

func TestFB1Setup(t *testing.T) {
	s := Game.New(games.Setup{Seats: 3})
	expect(t, "FB-1 counters", outcomes(s), []string{"7 lay 5", "7 lay 10", "7 lay 15", "7 lay 20", "4 lay warehouse",
		"1 lay double5", "1 lay double10", "1 lay double15", "1 lay double20"})
	s = play(t, s, "lay warehouse", "lay double5")
	expect(t, "FB-1 counters left", outcomes(s), []string{"7 lay 5", "7 lay 10", "7 lay 15", "7 lay 20",
		"3 lay warehouse",
		"1 lay double10", "1 lay double15", "1 lay double20"})
	s = play(t, s, "lay 5", "lay 5", "lay 5", "lay 5", "lay 10")
	p := pos(s)
	expect(t, "FB-1 the order of the points", []counter{p.at(0), p.at(1), p.at(5), p.at(6), p.at(7)},
		[]counter{warehouse, double5, ship5, noCounter, ship10})

	for pos(s).phase == laying {
		s = s.Apply(s.Outcomes()[0].Move)
	}
	expect(t, "FB-1 all counters", []int{pos(s).lying.count(), pos(s).counters[ship20].count()}, []int{36, 7})
	total, pairsOf := 0, 0
	for _, o := range s.Outcomes() {
		total += o.Weight
		if o.Weight == 2 {
			pairsOf++
		}
	}
	expect(t, "FB-1 sea cards", []int{len(s.Outcomes()), pairsOf, total}, []int{49, 25, 74})

	s = play(t, s, "deal B2", "deal B2", "deal A1", "deal D4")
	expect(t, "FB-1 the fifth card of seat 0 is a Dutchman card", []int{len(outcomes(s)), s.Outcomes()[0].Weight},
		[]int{14, 1})
	s = play(t, s, "deal row3")
	expect(t, "FB-1 then seat 1", []bool{slices.Contains(outcomes(s), "1 deal D4"),
		slices.Contains(outcomes(s), "2 deal B2"), slices.Contains(outcomes(s), "1 deal B2"),
		slices.Contains(outcomes(s), "1 deal A1")}, []bool{true, false, false, false})
	s = play(t, s, "deal C3", "deal C4", "deal D4", "deal G7", "deal columnC", "deal E5", "deal F6", "deal F7",
		"deal G6", "deal row1")
	expect(t, "FB-1 seat 0 begins", s.ToMove(), 0)
	p = pos(s)
	expect(t, "FB-1 money", p.money, [4]int16{20, 20, 20})
	expect(t, "FB-1 boats", p.pool, [4]uint8{25, 25, 25})
	expect(t, "FB-1 stacks", []uint8{p.seaLeft, p.lineLeft}, []uint8{62, 11})
	expect(t, "FB-1 equal cards give one move", matching(s, "sail"), []string{"sail A1", "sail B2", "sail D4"})
}

// FB-2: a turn is one play with a boat, a sea card or a Dutchman card. It includes resolving and drawing. Then another
// seat begins a turn, or the game is over.
func TestFB2ATurnIsOnePlay(t *testing.T) {
	turns := map[int]int{}
	for seed := range uint64(30) {
		rng := newRand(seed)
		s := midgame(2+int(seed)%3, seed, 120)
		if p := pos(s); p.phase != turning {
			continue
		}
		seat := s.ToMove()
		for _, m := range s.Moves() {
			if op(m) != opBoard && op(m) != opSail && op(m) != opSailMoney && op(m) != opDutchman {
				t.Fatalf("FB-2: seat %d may begin a turn with %s", seat, games.Spell(s, m))
			}
			turns[int(op(m))]++
			next := s.Apply(m)
			for next.ToMove() == games.Chance || next.ToMove() == seat {
				if next.ToMove() == seat {
					for _, n := range next.Moves() {
						if op(n) != opResolve && op(n) != opDraw {
							t.Fatalf("FB-2: seat %d plays %s and may go on with %s", seat, games.Spell(s, m),
								games.Spell(next, n))
						}
					}
				}
				_, next = gametest.Random(next, rng)
			}
			if p := pos(next); p.phase != over && p.phase != turning {
				t.Fatalf("FB-2: after %s of seat %d seat %d is to move in phase %s", games.Spell(s, m), seat,
					next.ToMove(), phaseKeys[p.phase])
			}
		}
	}
	if turns[int(opBoard)] == 0 || turns[int(opSail)] == 0 || turns[int(opDutchman)] == 0 {
		t.Errorf("FB-2: turns tried, by kind: %v", turns)
	}
}

func TestFB3Board(t *testing.T) {
	tb := newTable(t, 2).lay("15", "A1", "B1").lay("20", "F6").lay("warehouse", "C4").lay("double5", "D4").boarded(1,
		"B1").hand(0, "A1")
	s := tb.state()
	expect(t, "FB-3 free ships only", matching(s, "board"), []string{"board AB12", "board FG67"})
	next := play(t, s, "board FG67")
	p := pos(next)
	expect(t, "FB-3 the boat", []any{p.boarder(tb.square("F6")), p.pool[0]}, []any{0, 24})
	expect(t, "FB-3 no card is played and none drawn", []any{p.seaHeld[0], next.ToMove(), p.phase},
		[]any{1, 1, turning})
}

func TestFB4Sail(t *testing.T) {
	tb := newTable(t, 2).boats(1, "C4").boats(0, "D4").hand(0, "A1", "C4", "D4").lay("warehouse", "F6")
	s := tb.state()
	expect(t, "FB-4 moves", moves(s), []string{"sail A1", "sail C4", "sail C4 $", "sail D4", "sail D4 $"})
	beside := play(t, s, "sail C4")
	p := pos(beside)
	expect(t, "FB-4 a boat beside another", p.boatsAt(tb.square("C4")), []int{0, 1})
	expect(t, "FB-4 no money for it, a card is discarded, then FB-8", []any{p.money[0], p.seaHeld[0], p.phase,
		p.discards()}, []any{20, 2, drawing, []string{"C4", "C4", "D4"}})
	paid := pos(play(t, s, "sail D4 $"))
	expect(t, "FB-4 $2 instead of a boat, also beside an own one",
		[]any{paid.money[0], paid.pool[0], paid.boatsAt(tb.square("D4")), paid.phase}, []any{22, 24, []int{0}, drawing})
}

func TestFB5Dutchman(t *testing.T) {
	tb := newTable(t, 2).lay("15", "C4", "A1").lay("warehouse", "F6").boats(1, "C4", "D4", "C5").boats(0, "A1",
		"B1").hand(0, "G7", "columnD", "row5", "row2", "columnA")
	s := tb.state()
	expect(t, "FB-5 only squares that complete a ring", matching(s, "dutchman"),
		[]string{"dutchman columnD D5", "dutchman row5 D5"})
	next := play(t, s, "dutchman row5 D5")
	p := pos(next)
	expect(t, "FB-5 the ship escapes, the Dutchman leaves, the card is discarded, then FB-8",
		[]any{p.at(tb.square("C4")), p.dutchman, p.lineHeld[0], p.phase, p.taken.has(tb.square("D5"))},
		[]any{noCounter, nowhere, 3, drawing, false})
	expect(t, "FB-5 the discard is public", p.discards(), []string{"A1", "B1", "C4", "D4", "C5", "row5"})
}

// TestFB5SquaresAreEmpty: in positions of random games, the squares of all legal Dutchman moves are empty, as FB-5
// remarks.
func TestFB5SquaresAreEmpty(t *testing.T) {
	found := 0
	for seed := range uint64(60) {
		s := midgame(2+int(seed)%3, seed, 90+int(seed)*2)
		if s.ToMove() < 0 {
			continue
		}
		p := pos(s)
		for _, m := range s.Moves() {
			if op(m) == opDutchman {
				found++
				if p.taken.has(where(m)) {
					t.Fatalf("FB-5: %s goes to a square with boats", games.Spell(s, m))
				}
			}
		}
	}
	if found == 0 {
		t.Fatal("FB-5: no Dutchman move in any of the positions")
	}
}

func TestFB6Encircled(t *testing.T) {
	// One boat at D5 encircles four counters: C4, D4, C5 and D5.
	tb := newTable(t, 3).lay("10", "C4").lay("double20", "D4").lay("warehouse", "C5", "A1").lay("20", "D5").
		boarded(2, "D5").hand(0, "D5", "A1").
		boats(0, "C4").boats(1, "D4", "E4", "C5", "C6").boats(2, "E5", "D6", "E6")
	s := tb.state()
	s = play(t, s, "sail D5")
	expect(t, "FB-6 the player of the turn chooses", []any{s.ToMove(), moves(s)},
		[]any{0, []string{"resolve CD45", "resolve DE45", "resolve CD56", "resolve DE56"}})

	s = play(t, s, "resolve DE45")
	p := pos(s)
	expect(t, "FB-6 a double-value counter is put beside the board", []any{p.doubled, p.money},
		[]any{8, [4]int16{20, 20, 20}})
	expect(t, "FB-6 the rest waits", moves(s), []string{"resolve CD45", "resolve CD56", "resolve DE56"})

	s = play(t, s, "resolve CD56")
	p = pos(s)
	expect(t, "FB-6 a warehouse pays $2 a boat: C5 1, D5 0, C6 1, D6 2", p.money, [4]int16{22, 24, 22})

	s = play(t, s, "resolve DE56")
	p = pos(s)
	// The boats around D5 (20/4, boarded by seat 2) are D5 0, E5 2, D6 2 and E6 2, so seat 2 pays $4 to seat 0. Then C4
	// is the last counter and escapes without a choice.
	expect(t, "FB-6 shares", p.money, [4]int16{26, 24, 18})
	expect(t, "FB-6 the boarding boat returns", p.pool[2], 25-3)
	expect(t, "FB-6 captured", p.captured, [4][4]uint8{2: {3: 1}})
	expect(t, "FB-6 a ship that nobody boarded escapes; the last resolves itself",
		[]any{p.at(tb.square("C4")), p.waiting, p.phase}, []any{noCounter, set(0), drawing})
	expect(t, "FB-6 the boats stay", p.taken.count(), 9)
}

func TestFB6DutchmanEarnsNothing(t *testing.T) {
	tb := newTable(t, 2).lay("warehouse", "C4", "A1").boats(0, "C4", "C4", "D4").boats(1, "C5").hand(0, "A1", "columnD")
	p := pos(play(t, tb.state(), "dutchman columnD D5"))
	expect(t, "FB-6 each boat earns $2, the Dutchman nothing", p.money, [4]int16{26, 22})
}

// volker returns the position of FB-E1: Volker (seat 0) has boarded the 15/3 ship at CD45. One boat of Birgit (seat 1)
// would complete the ring around it.
func volker(t *testing.T, money int) *table {
	return newTable(t, 3).lay("15", "C4").lay("warehouse", "F6").boarded(0, "C4").money(0, money).
		boats(1, "C4").boats(2, "D4").boats(0, "C5").hand(1, "D5", "A1", "A2")
}

func birgit(t *testing.T, money int) games.State {
	tb := volker(t, money)
	tb.p.turn = 1
	return play(t, tb.state(), "sail D5")
}

func TestFBE1(t *testing.T) {
	p := pos(birgit(t, 20))
	expect(t, "FB-E1 money", p.money, [4]int16{20 - 9, 26, 23})
	expect(t, "FB-E1 counter", p.captured[0], [4]uint8{2: 1})
	expect(t, "FB-E1 no debt", p.debt, [4]int16{})
	expect(t, "FB-E1 Volker's boats: one in the sea, the boarding boat is back", p.pool[0], 24)
}

func TestFBE2(t *testing.T) {
	s := birgit(t, 2)
	p := pos(s)
	expect(t, "FB-E2 money", p.money, [4]int16{0, 26, 23})
	expect(t, "FB-E2 debt", p.debt[0], 7)
	expect(t, "FB-E2 one boat is put aside", p.pool[0], 23)
	expect(t, "FB-E2 it costs $14 at the end", p.score(0), 15-14)
}

func TestFBE3(t *testing.T) {
	tb := newTable(t, 2).money(0, 36)
	tb.p.captured[0] = [4]uint8{2, 0, 2, 1}
	tb.p.doubled = 1<<1 | 1<<2
	expect(t, "FB-E3", tb.p.score(0), 126)
}

func TestFBE4(t *testing.T) {
	tb := newTable(t, 2).lay("10", "C4").lay("warehouse", "F6").boarded(0, "C4").boats(1, "C4", "C4", "D4").boats(0,
		"C5").hand(0, "D5", "A1")
	p := pos(play(t, tb.state(), "sail D5"))
	expect(t, "FB-E4 two boats in one square and one in another: three shares of $2", p.money, [4]int16{14, 26})
}

func TestFB7Credit(t *testing.T) {
	// Seat 0 captures two ships one after the other with $1 in hand: two loans, one marker.
	tb := newTable(t, 3).lay("20", "C4", "D4").lay("warehouse", "F6").boarded(0, "C4", "D4").money(0, 1).
		boats(1, "C4", "D4").boats(2, "E4", "C5", "E5").hand(1, "D5", "A1")
	tb.p.turn = 1
	s := play(t, tb.state(), "sail D5")
	expect(t, "FB-7 before", pos(s).pool[0], 23)
	s = play(t, s, "resolve CD45")
	p := pos(s)
	// C4: boats 1, 1, 2, 1 = 12 + 4. D4, resolved without a choice: boats 1, 2, 1, 2 = 8 + 8.
	expect(t, "FB-7 all creditors get their full due", p.money, [4]int16{0, 20 + 12 + 8, 20 + 4 + 8})
	expect(t, "FB-7 debt", p.debt[0], 15+16)
	expect(t, "FB-7 later loans go under the same boat", p.pool[0], 24)

	tb = volker(t, 9)
	tb.p.turn = 1
	p = pos(play(t, tb.state(), "sail D5"))
	expect(t, "FB-7 paying all one has is no loan", []any{p.money[0], p.debt[0], p.pool[0]}, []any{0, 0, 24})
}

func TestFB7LastBoatIsTheMarker(t *testing.T) {
	// Seat 0 sails the last boat. The boarding boat returns before the loan and becomes the marker, so the pool is
	// empty (FB-9c).
	tb := newTable(t, 2).lay("20", "C4").lay("warehouse", "F6").boarded(0, "C4").money(0, 0).boats(1, "C4", "D4",
		"C5").hand(0, "D5", "A1")
	tb.p.pool[0] = 1
	s := play(t, tb.state(), "sail D5")
	p := pos(s)
	expect(t, "FB-7 marker", []any{p.pool[0], p.debt[0], p.phase, p.ending}, []any{0, 12, over, playerBoatsGone})
}

func TestFB8Draw(t *testing.T) {
	s := play(t, newTable(t, 2).hand(0, "A1", "B1", "row1").lay("warehouse", "F6").state(), "sail A1")
	expect(t, "FB-8 a choice", moves(s), []string{"draw sea", "draw dutchman"})
	_, forced := games.Forced(s)
	expect(t, "FB-8 a choice is not forced", forced, false)
	line := play(t, s, "draw dutchman")
	expect(t, "FB-8 a Dutchman card", []any{line.ToMove(), len(line.Outcomes()), outcomes(line)[0]},
		[]any{games.Chance, 13, "1 deal columnA"})
	line = play(t, line, "deal columnB")
	expect(t, "FB-8 then the next turn", []any{line.ToMove(), pos(line).lineHeld[0], pos(line).lineLeft},
		[]any{1, 2, 12})
	card := play(t, s, "draw sea")
	expect(t, "FB-8 a sea card, by what is left", []any{outcomes(card)[0], outcomes(card)[1],
		slices.Contains(outcomes(card), "2 deal B2")}, []any{"1 deal C1", "1 deal D1", true})

	s = play(t, newTable(t, 2).hand(0, "A1", "row1").lay("warehouse", "F6").state(), "sail A1")
	expect(t, "FB-8 the hand must hold a sea card afterwards", moves(s), []string{"draw sea"})
	_, forced = games.Forced(s)
	expect(t, "GE-1 that is for its player to play", forced, false)

	s = play(t, newTable(t, 2).hand(0, "A1", "B1", "row1").noStack(dutchmanStack).lay("warehouse", "F6").state(),
		"sail A1")
	expect(t, "FB-8 the Dutchman stack is empty", moves(s), []string{"draw sea"})
	m, forced := games.Forced(s)
	expect(t, "GE-1 everybody sees it, so the table plays it", []any{forced, games.Spell(s, m)},
		[]any{true, "draw sea"})
}

func TestFB9Ends(t *testing.T) {
	a := newTable(t, 2).hand(0, "A1", "B1", "row1").noStack(seaStack).lay("warehouse", "F6")
	for _, tc := range []struct {
		rule string
		s    games.State
		move string
		want ending
	}{
		{"FB-9a the sea stack is empty, though the Dutchman stack is not", a.state(), "sail A1", seaStackEmpty},
		{"FB-9a boarding draws no card", newTable(t, 2).hand(0, "A1").noStack(seaStack).lay("15", "A1").lay("warehouse", "F6").state(), "board AB12", notEnded},
		{"FB-9b the last warehouse", newTable(t, 2).hand(0, "D5", "A1").boats(1, "C4", "D4", "C5").lay("warehouse", "C4").state(), "sail D5", warehousesGone},
		{"FB-9b not the last", newTable(t, 2).hand(0, "D5", "A1").boats(1, "C4", "D4", "C5").lay("warehouse", "C4", "F6").state(), "sail D5", notEnded},
		{"FB-9c the last boat sails", lastBoat(newTable(t, 2).hand(0, "D5", "A1").lay("warehouse", "F6")), "sail D5", playerBoatsGone},
		{"FB-9c the last boat boards", lastBoat(newTable(t, 2).hand(0, "D5", "A1").lay("5", "A1").lay("warehouse", "F6")), "board AB12", playerBoatsGone},
		{"FB-9c not when it comes back with a ship", lastBoat(newTable(t, 2).hand(0, "D5", "A1").boats(0, "C4", "D4", "C5").lay("5", "C4").boarded(0, "C4").lay("warehouse", "F6")), "sail D5", notEnded},
		{"FB-9 (b) comes before (a)", newTable(t, 2).hand(0, "D5", "A1").boats(1, "C4", "D4", "C5").noStack(seaStack).lay("warehouse", "C4").state(), "sail D5", warehousesGone},
		{"FB-9 (c) comes before (a)", lastBoat(newTable(t, 2).hand(0, "D5", "A1").noStack(seaStack).lay("warehouse", "F6")), "sail D5", playerBoatsGone},
	} {
		next := play(t, tc.s, tc.move)
		if p := pos(next); p.ending != tc.want || (p.phase == over) != (tc.want != notEnded) {
			t.Errorf("%s: ended %q in phase %s, want %q", tc.rule, endingKeys[p.ending], phaseKeys[p.phase],
				endingKeys[tc.want])
		}
	}
}

// lastBoat returns the table's position with one boat left in seat 0's pool.
func lastBoat(tb *table) games.State {
	tb.p.pool[0] = 1
	return tb.state()
}

func TestFB9bAtOnce(t *testing.T) {
	tb := newTable(t, 2).lay("20", "D4").lay("warehouse", "C4").boarded(1, "D4").boats(1, "C4", "D4", "E4", "C5",
		"E5").hand(0, "D5", "A1")
	s := play(t, tb.state(), "sail D5")
	early := play(t, s, "resolve CD45")
	p := pos(early)
	expect(t, "FB-9b counters still waiting are not resolved", []any{p.phase, p.ending, p.captured[1],
		p.at(tb.square("D4"))}, []any{over, warehousesGone, [4]uint8{}, ship20})
	late := pos(play(t, s, "resolve DE45"))
	expect(t, "FB-9b the other order: the ship first, then the last warehouse",
		[]any{late.phase, late.ending, late.captured[1]}, []any{over, warehousesGone, [4]uint8{3: 1}})
}

func TestFB10Result(t *testing.T) {
	tb := newTable(t, 3).hand(0, "A1", "B1").noStack(seaStack).lay("warehouse", "F6").money(0, 10).money(1, 30).money(2,
		5)
	tb.p.captured[2][3] = 2
	tb.p.debt[2] = 8
	tb.p.captured[0][0] = 1
	s := play(t, tb.state(), "sail A1")
	r := s.Result()
	expect(t, "FB-10 scores", r.Scores, []int{15, 30, 29})
	expect(t, "FB-10 winner", r.Winners, []games.Seat{1})
	tb.p.money[2] = 6
	r = play(t, tb.state(), "sail A1").Result()
	expect(t, "FB-10 equal scores share the win", []any{r.Winners, r.Drawn}, []any{[]games.Seat{1, 2}, false})
	expect(t, "FB-10 negative scores", func() []games.Seat {
		tb := newTable(t, 2).hand(0, "A1", "B1").noStack(seaStack).money(0, -9).money(1, -3)
		return play(t, tb.state(), "sail A1").Result().Winners
	}(), []games.Seat{1})
}

// TestAlwaysAMove: at the start of each turn, the player has a sea card in hand, a boat in the pool and a legal sail
// (FB-8, FB-9c).
func TestAlwaysAMove(t *testing.T) {
	for seed := range uint64(90) {
		rng := newRand(seed)
		s := Game.New(games.Setup{Seats: 2 + int(seed)%3})
		for s.ToMove() != games.Nobody {
			if p := pos(s); p.phase == turning && (p.hands[p.turn].one == 0 || p.pool[p.turn] == 0 ||
				len(matching(s, "sail")) == 0) {
				t.Fatalf("FB-8, FB-9c: seat %d cannot sail: %+v", p.turn, p)
			}
			_, s = gametest.Random(s, rng)
		}
	}
}

func TestNotation(t *testing.T) {
	tb := newTable(t, 2).lay("15", "C4", "D4").lay("warehouse", "F6").boats(1, "C4", "C5", "E4", "D5").hand(0, "D4",
		"C4", "columnD", "row4")
	s := tb.state()
	tb.p.boats[1].remove(tb.square("E4"))
	want := "board CD45, board DE45, sail C4, sail C4 $, sail D4, dutchman columnD D4, dutchman row4 D4"
	expect(t, "notation", strings.Join(moves(s), ", "), want)
	menu := games.NewMenu(s)
	first, _ := menu.At("")
	var keys []string
	for _, c := range first {
		keys = append(keys, c.Word.Key)
	}
	expect(t, "the menu's first step", keys, []string{"board", "sail", "dutchman"})
	sails, _ := menu.At("sail")
	expect(t, "sail C4 is a move and goes on", []bool{sails[0].Ends, sails[0].More, sails[1].Ends, sails[1].More},
		[]bool{true, true, true, false})
}

// FB-11: the game continues without a player who leaves.
func TestWithdraw(t *testing.T) {
	tb := newTable(t, 3).lay("10", "C4").lay("5", "D4").lay("warehouse", "F6").boarded(2, "C4").boats(1, "C4", "D4",
		"E4", "C5", "E5").hand(0, "D5", "A1")
	s := play(t, tb.state(), "sail D5")
	s = s.(games.Withdrawer).Withdraw(0)
	p := pos(s)
	expect(t, "waiting counters are resolved, no card is drawn, the next seat is to move",
		[]any{p.waiting, p.captured[2], p.phase, s.ToMove()}, []any{set(0), [4]uint8{0, 1}, turning, 1})
	p.money[0] = 99
	expect(t, "FB-11 a seat that left cannot win", p.winners().Seats(), []games.Seat{1})
	tb = newTable(t, 3).lay("10", "C4", "D4", "E4").lay("warehouse", "F6").hand(0, "A1")
	s = tb.state().(games.Withdrawer).Withdraw(1)
	s = play(t, s, "board CD45")
	expect(t, "the turn passes over the seat", s.ToMove(), 2)
	s = play(t, s, "board DE45")
	expect(t, "and round", s.ToMove(), 0)
}

// TestRefusalsNameThePlace: a refusal distinguishes squares from crossings, in both notations of crossings.
func TestRefusalsNameThePlace(t *testing.T) {
	s := newTable(t, 2).lay("15", "C4").lay("warehouse", "F6").boarded(1, "C4").hand(0, "D4").hand(1,
		"A1").state().(state)
	sp := speaker(t)
	for _, tc := range []struct{ typed, want string }{
		{"board cd45", "Ben has already boarded the ship at CD45"},
		{"board c4", "Ben has already boarded the ship at CD45"},
		{"board fg67", "there's a warehouse at FG67, not a ship"},
		{"board gh45", "there's no crossing GH45: crossings go from AB12 to FG67"},
		{"board g7", "there's no crossing G7: crossings go from AB12 to FG67"},
		{"sail cd45", "there's no square CD45: squares go from A1 to G7"},
		{"sail c4", "you don't have the sea card C4"},
	} {
		why, ok := s.Refuse(tc.typed)
		if got := sp.Say(why.Why); !ok || got != tc.want {
			t.Errorf("%q is refused with %q (%v), want %q", tc.typed, got, ok, tc.want)
		}
	}
}

// A player who names a square in place of a crossing is told so, and which crossing could be meant.
func TestASquareInPlaceOfACrossing(t *testing.T) {
	tb := newTable(t, 2).lay("10", "C4", "D4").lay("warehouse", "F6").boats(1, "C4", "D4", "E4", "C5", "E5").hand(0,
		"D5", "A1").hand(1, "A1")
	const want = "C4 is a square, and you have to name a crossing, such as CD45"
	for typed, s := range map[string]games.State{"board c4": tb.state(), "resolve c4": play(t, tb.state(), "sail D5")} {
		why, ok := s.(games.Refuser).Refuse(typed)
		if got := speaker(t).Say(why.Why); !ok || got != want {
			t.Errorf("%q is refused with %q (%v), want %q", typed, got, ok, want)
		}
	}
}
