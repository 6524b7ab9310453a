package quedah

import (
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/deck"
	"marque/games/gametest"
)

// token is a token of a test position, numbered as in the rules. Back 0 is the sea.
type token struct {
	seat, space, back int
	holds             bool
}

const (
	red  = 0
	blue = 1
)

// set returns a position in the middle of a game, without reserves.
func set(turn, roll int, tokens ...token) position {
	p := newPosition(false)
	p.turn, p.roll, p.reserve = uint8(turn), uint8(roll), [2]uint8{}
	for _, tk := range tokens {
		back := deck.Sea
		if tk.back > 0 {
			back = deck.Space(tk.back - 1)
		}
		st := deck.StanceOf(deck.Space(tk.space-1), back).Set()
		p.tokens[tk.seat] |= st
		if tk.holds {
			p.holding |= st
		}
	}
	return p
}

func (p position) with(reserve0, reserve1 uint8) position {
	p.reserve = [2]uint8{reserve0, reserve1}
	return p
}

func moves(p position) []string {
	var out []string
	for _, m := range (state{p}).Moves() {
		out = append(out, games.Spell(state{p}, m))
	}
	slices.Sort(out)
	return out
}

func from(p position, space string) []string {
	return slices.DeleteFunc(moves(p), func(m string) bool {
		return !strings.HasPrefix(m, space+"-") && !strings.HasPrefix(m, space+"x")
	})
}

func wantMoves(t *testing.T, rule string, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: moves %v, want %v", rule, got, want)
	}
}

// play plays moves and outcomes given in notation.
func play(t *testing.T, p position, notations ...string) state {
	t.Helper()
	s := games.State(state{p})
	for _, n := range notations {
		find := games.FindMove
		if s.ToMove() == games.Chance {
			find = games.FindOutcome
		}
		m, err := find(s, n)
		if err != nil {
			t.Fatalf("%s is not possible: %v\n%s", n, err, gametest.JSON(t, s))
		}
		s = s.Apply(m)
	}
	return s.(state)
}

func TestQM1_EachPlacesOneToken(t *testing.T) {
	p := newPosition(false)
	wantMoves(t, "QM-1", moves(p), "+1", "+2", "+3", "+4", "+5", "+6")
	s := play(t, p, "+3")
	wantMoves(t, "QM-1", moves(s.position), "+1", "+2", "+4", "+5", "+6")
	if s = play(t, p, "+3", "+1"); s.ToMove() != games.Chance || s.turn != red {
		t.Errorf("QM-1: after both first tokens %d is to move in the turn of %d, want the die of seat 0", s.ToMove(),
			s.turn)
	}
	if got := s.Outcomes(); len(got) != 3 || got[0].Weight != 1 || got[1].Weight != 1 || got[2].Weight != 1 {
		t.Errorf("QM-2: outcomes %v, want three with weight 1", got)
	}
}

func TestQM2_AllPipsThroughEmptySpaces(t *testing.T) {
	// Red is on 9 with its back to 8. Red blocks 7, and 10 is open.
	p := set(red, 2, token{red, 9, 8, false}, token{red, 7, 1, false}, token{blue, 4, 0, false})
	wantMoves(t, "QM-2", from(p, "9"), "9-11<10", "9-12<10")
}

func TestQM3_NewTokenOnlyFromAHatch(t *testing.T) {
	p := set(red, 1, token{red, 1, 0, false}, token{red, 10, 9, false}, token{blue, 4, 0, false}).with(1, 0)
	wantMoves(t, "QM-3 off the hatch", from(p, "1"), "1-7+1", "1-7+2", "1-7+3", "1-7+5", "1-7+6", "1-8+1", "1-8+2",
		"1-8+3", "1-8+5", "1-8+6")
	wantMoves(t, "QM-3 not from the deck", from(p, "10"), "10-11", "10-12")
	wantMoves(t, "QM-3 without a reserve", from(p.with(0, 0), "1"), "1-7", "1-8")
	// Passing over hatch 6 brings no token.
	p = set(red, 2, token{red, 7, 1, false}, token{blue, 4, 0, false}).with(1, 0)
	wantMoves(t, "QM-3 over a hatch", from(p, "7"), "7-13<6", "7-8<9", "7-10<9")
}

// QM-3: a hatch must be empty after the whole move, including the step of the freed token.
func TestQM3_HatchesAfterTheFreedStep(t *testing.T) {
	// Red takes the holder on 13 from hatch 6. The freed token steps to 11 or onto hatch 5.
	p := set(red, 1, token{red, 6, 0, false}, token{blue, 13, 6, true}, token{blue, 4, 0, false}).with(1, 0)
	wantMoves(t, "QM-3 with QM-6", from(p, "6"),
		"6-7+1", "6-7+2", "6-7+3", "6-7+5", "6-7+6",
		"6x13=5+1", "6x13=5+2", "6x13=5+3", "6x13=5+6",
		"6x13=11+1", "6x13=11+2", "6x13=11+3", "6x13=11+5", "6x13=11+6")
	// All hatches except 5 are taken. Red leaves 6.
	p = set(red, 1, token{red, 6, 0, false}, token{blue, 13, 6, true}, token{blue, 4, 0, false},
		token{blue, 1, 0, false}, token{blue, 2, 0, false}, token{blue, 3, 0, false}).with(1, 0)
	wantMoves(t, "QM-3 with one hatch", from(p, "6"), "6-7+5", "6-7+6", "6x13=5+6", "6x13=11+5", "6x13=11+6")
}

// QM-3: no token is placed if no hatch is empty after the move. Here the freed token of a chain takes the hatch that
// the mover left.
func TestQM3_NoHatchLeft(t *testing.T) {
	// Red's token on 1 goes over 8 to 9 and captures a holder with its back to 8. The freed token captures the holder
	// on 7, which has its back to 9. The captive of that holder can only step to 1.
	p := set(red, 2, token{red, 1, 0, false}, token{blue, 9, 8, true}, token{blue, 7, 9, true},
		token{blue, 2, 0, false}, token{blue, 3, 0, false}, token{blue, 4, 0, false}, token{blue, 5, 0, false},
		token{blue, 6, 0, false}).with(1, 0)
	got := from(p, "1")
	if !slices.Contains(got, "1x9<8=x7=1") || slices.ContainsFunc(got, func(m string) bool {
		return strings.HasPrefix(m, "1x9<8=x7=1+")
	}) {
		t.Errorf("QM-3: moves %v, want 1x9<8=x7=1 without a new token", got)
	}
}

func TestQM4_CaptureFromBehindOnly(t *testing.T) {
	p := set(red, 1, token{red, 9, 8, false}, token{blue, 10, 9, false}, token{blue, 7, 1, false})
	wantMoves(t, "QM-4", from(p, "9"), "9x10")
	s := play(t, p, "9x10")
	if s.captivesOf(red) != 1 || s.tokens[blue].On(9) != 0 {
		t.Errorf("QM-4: after 9x10 %s", gametest.JSON(t, s))
	}
	// A captive moves with its captor and cannot be moved separately.
	s = play(t, s.position, "roll 1")
	if got := from(s.position, "10"); len(got) > 0 {
		t.Errorf("QM-4: Blue moves the captive: %v", got)
	}
	s.turn, s.roll = red, 1
	if s = play(t, s.position, "10-12"); !s.holding.Has(deck.StanceOf(11, 9)) || s.holding.Len() != 1 {
		t.Errorf("QM-4: the captive did not move with its captor: %s", gametest.JSON(t, s))
	}
	// A token with its back to the sea cannot be captured.
	p = set(red, 1, token{red, 7, 9, false}, token{blue, 1, 0, false})
	wantMoves(t, "QM-4 sea", from(p, "7"), "7-6")
}

func TestQM5_ACaptorCapturesNobody(t *testing.T) {
	p := set(red, 1, token{red, 9, 8, true}, token{blue, 10, 9, false})
	wantMoves(t, "QM-5", from(p, "9"), "9-7")
	p = set(red, 1, token{red, 9, 8, false}, token{red, 10, 9, false})
	wantMoves(t, "QM-5 own colour", from(p, "9"), "9-7")
}

func TestQM6_FreeingChains(t *testing.T) {
	// Blue's token on 9 takes the holder on 10. The freed token on 10, with its back to 9, can capture the holder on
	// 11, which has its back to 10. The captive of that holder then steps on.
	p := set(blue, 1, token{blue, 9, 7, false}, token{red, 10, 9, true}, token{red, 11, 10, true},
		token{red, 12, 15, false})
	wantMoves(t, "QM-6", from(p, "9"), "9-8", "9x10=x11=13", "9x10=x11=15")
	s := play(t, p, "9x10=x11=13")
	if got, want := s.tokens[blue], deck.StanceOf(9, 8).Set()|deck.StanceOf(10, 9).Set()|deck.StanceOf(12,
		10).Set(); got != want || s.captivesOf(blue) != 2 || s.captivesOf(red) != 0 {
		t.Errorf("QM-6: after the chain %s", gametest.JSON(t, s))
	}
	// The second freed token has no free space to step to, so the move is not legal.
	p = set(blue, 1, token{blue, 9, 7, false}, token{red, 10, 9, true}, token{red, 11, 10, true},
		token{red, 12, 15, false},
		token{blue, 13, 6, false}, token{red, 15, 16, false})
	wantMoves(t, "QM-6 no way out", from(p, "9"), "9-8")
	// The second freed token can step away by a capture.
	p = set(blue, 1, token{blue, 9, 7, false}, token{red, 10, 9, true}, token{red, 11, 10, true},
		token{red, 12, 15, false},
		token{blue, 13, 6, false}, token{red, 15, 11, false})
	wantMoves(t, "QM-6 captures in turn", from(p, "9"), "9-8", "9x10=x11=x15")
	// The freed token can step to the space that the mover left only if its back is not turned to that space.
	p = set(blue, 1, token{blue, 9, 7, false}, token{red, 10, 9, true}, token{red, 11, 15, false},
		token{red, 12, 15, false})
	wantMoves(t, "QM-6 its back is turned to 9", from(p, "9"), "9-8")
}

func TestQM7_SevenCaptivesAtOnce(t *testing.T) {
	p := set(red, 1, token{red, 9, 8, false}, token{blue, 10, 9, false},
		token{red, 1, 7, true}, token{red, 2, 8, true}, token{red, 3, 14, true},
		token{blue, 4, 17, true}, token{blue, 5, 17, true}, token{blue, 6, 13, true}, token{blue, 16, 15, false})
	s := play(t, p, "9x10")
	r := s.Result()
	if s.ToMove() != games.Nobody || !slices.Equal(r.Winners, []games.Seat{red}) ||
		r.Why.ID != "quedah-merchant.why.captives" {
		t.Errorf("QM-7a: result %+v, want Red with four of seven", r)
	}
	// Freeing does not change the number of captives: six remain six.
	p = set(red, 1, token{red, 9, 8, false}, token{blue, 10, 9, true}, token{red, 1, 7, true}, token{red, 2, 8, true},
		token{red, 3, 14, true}, token{blue, 4, 17, true}, token{blue, 5, 17, true})
	if s = play(t, p, "9x10=11"); s.ToMove() != games.Chance || s.holding.Len() != 6 {
		t.Errorf("QM-7a: after a freeing %s, want six captives and the game going on", gametest.JSON(t, s))
	}
}

func TestQM7_NobodyToMove(t *testing.T) {
	// Blue's only token is on hatch 1 with its back to 7. It can only go to 8, where it cannot capture Red's token.
	p := set(red, 1, token{blue, 1, 7, false}, token{red, 8, 2, false}, token{red, 10, 9, false})
	s := play(t, p, "10-11")
	if r := s.Result(); s.ToMove() != games.Nobody || !slices.Equal(r.Winners, []games.Seat{red}) ||
		r.Why.ID != "quedah-merchant.why.stuck" {
		t.Errorf("QM-7b: %s, result %+v, want Blue to lose before rolling", gametest.JSON(t, s), r)
	}
	// With 8 empty and the spaces 2 and 9 beyond it taken, a roll of 1 can be used and a roll of 2 cannot. With a 2 the
	// player passes or loses.
	p = set(red, 1, token{blue, 1, 7, false}, token{red, 2, 0, false}, token{red, 9, 7, false},
		token{red, 10, 12, false})
	s = play(t, p, "10-11", "roll 2")
	wantMoves(t, "QM-7 pass", moves(s.position), "pass")
	if m, ok := games.Forced(s); !ok || m != passMove {
		t.Errorf("QM-7: the pass is not forced")
	}
	if s = play(t, s.position, "pass"); s.ToMove() != games.Chance || s.turn != red {
		t.Errorf("QM-7: after the pass %s", gametest.JSON(t, s))
	}
	p.strict = true
	s = play(t, p, "10-11", "roll 2")
	if r := s.Result(); s.ToMove() != games.Nobody || !slices.Equal(r.Winners, []games.Seat{red}) ||
		r.Why.ID != "quedah-merchant.why.unusable" {
		t.Errorf("QM-7 blocked=loses: %s, result %+v, want Blue to lose with the 2", gametest.JSON(t, s), r)
	}
	if s = play(t, p, "10-11", "roll 1"); s.ToMove() != blue {
		t.Errorf("QM-7 blocked=loses: the 1 can be used, yet %s", gametest.JSON(t, s))
	}
}

func TestQME1(t *testing.T) {
	p := set(red, 2, token{blue, 10, 9, false}, token{red, 7, 1, false})
	if got := moves(p); !slices.Contains(got, "7x10<9") {
		t.Errorf("QM-E1: 7x10<9 is not among %v", got)
	}
	p = set(red, 1, token{blue, 10, 9, false}, token{red, 12, 14, false})
	if got := moves(p); slices.Contains(got, "12x10") {
		t.Errorf("QM-E1: 12x10 is among %v", got)
	}
}

func TestQME2(t *testing.T) {
	for _, back := range []int{7, 8} {
		p := set(blue, 1, token{red, 10, 9, true}, token{blue, 9, back, false})
		got := slices.DeleteFunc(moves(p), func(m string) bool { return !strings.Contains(m, "x") })
		wantMoves(t, "QM-E2", got, "9x10=11", "9x10=12")
		p = set(blue, 1, token{red, 10, 9, true}, token{blue, 9, back, false}, token{blue, 11, 13, false},
			token{blue, 12, 14, false})
		got = slices.DeleteFunc(moves(p), func(m string) bool { return !strings.Contains(m, "x") })
		wantMoves(t, "QM-E2 blocked", got)
	}
}

func TestQME3(t *testing.T) {
	p := set(red, 2, token{red, 1, 0, false}).with(1, 0)
	var want []string
	for _, m := range []string{"1-6<7", "1-9<7", "1-9<8", "1-2<8"} {
		for _, h := range []string{"1", "2", "3", "4", "5", "6"} {
			if !strings.HasPrefix(m, "1-"+h+"<") {
				want = append(want, m+"+"+h)
			}
		}
	}
	wantMoves(t, "QM-E3", moves(p), want...)
	if len(want) != 22 {
		t.Errorf("QM-E3: %d moves, want 22", len(want))
	}
}

// QM-7 has no stalemate: from this position, no sequence of rolls and moves ends the game or changes the number of
// captives. With quiet=off, the game continues until the players agree on a draw.
func TestQM7_EndlessPositionHasNoEnd(t *testing.T) {
	start := set(blue, 0,
		token{red, 2, 8, false}, token{red, 3, 18, true}, token{red, 6, 7, false}, token{red, 7, 9, false},
		token{red, 10, 9, false}, token{red, 14, 2, false},
		token{blue, 5, 17, false}, token{blue, 11, 15, false}, token{blue, 12, 15, true}, token{blue, 13, 5, false},
		token{blue, 15, 16, false}, token{blue, 16, 17, false})
	seen := map[position]bool{start: true}
	for todo := []position{start}; len(todo) > 0; todo = todo[1:] {
		for face := 1; face <= faces; face++ {
			rolled := todo[0]
			rolled.play(rollMove(face))
			for _, m := range rolled.appendMoves(nil) {
				after := rolled
				after.play(m)
				if after.ended != going || after.holding.Len() != start.holding.Len() {
					t.Fatalf("QM-7: %s leads on to %s", games.Spell(state{rolled}, m), gametest.JSON(t, state{after}))
				}
				if !seen[after] {
					seen[after] = true
					todo = append(todo, after)
				}
			}
		}
	}
	t.Logf("%d positions, none of them ends", len(seen))
	if len(seen) < 2 {
		t.Errorf("QM-7: only %d positions", len(seen))
	}
}

// QM-8: with quiet=60 the sixtieth consecutive turn without a placement, a capture or a freeing ends the game in a
// draw. Passes count as quiet turns. A placement, a capture or a freeing restarts the count.
func TestQM8_SixtyQuietTurnsAreADraw(t *testing.T) {
	p := set(blue, 0,
		token{red, 2, 8, false}, token{red, 3, 18, true}, token{red, 6, 7, false}, token{red, 7, 9, false},
		token{red, 10, 9, false}, token{red, 14, 2, false},
		token{blue, 5, 17, false}, token{blue, 11, 15, false}, token{blue, 12, 15, true}, token{blue, 13, 5, false},
		token{blue, 15, 16, false}, token{blue, 16, 17, false})
	p.limited = true
	for turn := 1; turn <= 60; turn++ {
		if p.ended != going {
			t.Fatalf("QM-8: over before turn %d: %s", turn, gametest.JSON(t, state{p}))
		}
		p.play(rollMove(1 + turn%faces))
		p.play(p.appendMoves(nil)[0])
	}
	r := state{p}.Result()
	if p.ended != tooQuiet || !slices.Equal(r.Winners, []games.Seat{red, blue}) {
		t.Errorf("QM-8: after 60 quiet turns %+v: %s", r, gametest.JSON(t, state{p}))
	}

	for _, c := range []struct {
		what  string
		p     position
		move  string
		quiet bool
	}{
		{"a placement", set(red, 2, token{red, 1, 0, false}, token{blue, 16, 17, false}).with(1, 0), "1-9<7+1", false},
		{"a capture", set(red, 2, token{red, 10, 11, false}, token{red, 18, 3, false}, token{blue, 7, 9, false}, token{blue, 16, 17, false}), "10x7<9", false},
		{"a freeing", set(red, 1, token{red, 9, 8, false}, token{blue, 10, 9, true}, token{blue, 16, 17, false}), "9x10=11", false},
		{"a move", set(red, 1, token{red, 9, 8, false}, token{blue, 16, 17, false}), "9-10", true},
		{"a pass", set(red, 2, token{red, 1, 7, false}, token{blue, 2, 14, false}, token{blue, 9, 10, false}), "pass", true},
	} {
		c.p.limited, c.p.quiet = true, 59
		after := play(t, c.p, c.move)
		if over := after.ended == tooQuiet; over != c.quiet {
			t.Errorf("QM-8: %s (%s) as the sixtieth turn: over %v, want %v", c.what, c.move, over, c.quiet)
		}
	}
}

// QM-8: the picture of a game that was stopped, or that somebody has won, counts no turns, because no more will come.
func TestQM8_EndedGameCountsNoTurns(t *testing.T) {
	p := set(blue, 0, token{red, 2, 8, false}, token{blue, 5, 17, false})
	p.limited, p.quiet = true, 5
	s := state{p}
	playing, stopped := s.Scene(games.Spectator, nil), s.Stopped().Scene(games.Spectator, nil)
	if n, m := len(playing.Status), len(stopped.Status); n != 2 || m != 1 {
		t.Errorf("QM-8: %d facts in the status line, and %d when stopped; want 2 and 1", n, m)
	}
	if n, m := len(playing.Legend), len(stopped.Legend); m != n-1 {
		t.Errorf("QM-8: %d lines in the legend, and %d when stopped", n, m)
	}
	p.ended = stuck
	if s := (state{p}).Scene(games.Spectator, nil).Status; len(s) != 1 {
		t.Errorf("QM-8: %d facts in the status line when somebody has won; want 1", len(s))
	}
}
