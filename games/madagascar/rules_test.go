package madagascar

import (
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/deck"
	"marque/games/gametest"
	"marque/games/scene"
	"marque/games/text"
)

// tower is a tower of a test position, numbered as in the rules. Back 0 is the sea. The stack is a string of letters,
// bottom first.
type tower struct {
	space, back int
	stack       string
}

const (
	red = iota
	blue
	green
)

// set returns a position after the setup, with this number of seats and these reserves and towers.
func set(seats, turn int, reserve [maxSeats]uint8, towers ...tower) state {
	p := newPosition(seats)
	p.first, p.turn, p.reserve = 0, uint8(turn), reserve
	for _, tw := range towers {
		back := deck.Sea
		if tw.back > 0 {
			back = deck.Space(tw.back - 1)
		}
		var st stack
		for _, c := range tw.stack {
			st = single(uint8(strings.IndexRune("RBG", c))).on(st)
		}
		space := deck.Space(tw.space - 1)
		p.stacks[space] = st
		p.towers[st.top()] |= deck.StanceOf(space, back).Set()
	}
	return state{position: p, past: (*past)(nil).with(&p.board)}
}

var none [maxSeats]uint8

func moves(s state) []string {
	var out []string
	for _, m := range s.Moves() {
		out = append(out, games.Spell(s, m))
	}
	slices.Sort(out)
	return out
}

func wantMoves(t *testing.T, rule string, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: moves %v, want %v", rule, got, want)
	}
}

func play(t *testing.T, s state, notations ...string) state {
	t.Helper()
	for _, n := range notations {
		m, err := games.FindMove(s, n)
		if err != nil {
			t.Fatalf("%s is not possible: %v\n%s", n, err, gametest.JSON(t, s))
		}
		s = s.Apply(m).(state)
	}
	return s
}

func wantResult(t *testing.T, rule string, s state, why string, winners ...games.Seat) {
	t.Helper()
	r := s.Result()
	if s.ToMove() != games.Nobody || !slices.Equal(r.Winners, winners) || r.Why.ID != "madagascar.why."+why ||
		r.Drawn != (why != "won") {
		t.Errorf("%s: %d to move, result %+v, want %s of %v\n%s", rule, s.ToMove(), r, why, winners,
			gametest.JSON(t, s))
	}
}

func TestMD1_SixHatchesFirst(t *testing.T) {
	for seats := 2; seats <= 3; seats++ {
		s := play(t, newState(seats), "+1", "+2", "+3")
		wantMoves(t, "MD-1", moves(s), "+4", "+5", "+6")
		s = play(t, s, "+4", "+5", "+6")
		if s.ToMove() != red || s.reserve[red] != 4 || s.reserve[seats-1] != 4 {
			t.Errorf("MD-1 with %d: %s, want Red to move and four in each reserve", seats, gametest.JSON(t, s))
		}
		if m := moves(s); slices.ContainsFunc(m, func(m string) bool { return m[0] == '+' }) {
			t.Errorf("MD-2: no hatch is empty, moves %v", m)
		}
	}
}

func TestMD2_PlaceOrMove(t *testing.T) {
	s := set(2, red, [maxSeats]uint8{1, 0}, tower{10, 9, "R"}, tower{1, 0, "B"}, tower{2, 0, "B"}, tower{3, 0, "B"})
	wantMoves(t, "MD-2", moves(s), "+4", "+5", "+6", "10-11", "10-12")
	s.reserve[red] = 0
	wantMoves(t, "MD-2 no reserve", moves(s), "10-11", "10-12")
	// MD-2: a pass is legal only if there is no other move.
	s = set(2, red, none, tower{1, 7, "R"}, tower{8, 2, "B"})
	wantMoves(t, "MD-2 pass", moves(s), "pass")
	if m, ok := games.Forced(s); !ok || m != passMove {
		t.Error("MD-2: the pass is not forced")
	}
}

func TestMD3_ExactSteps(t *testing.T) {
	s := set(2, red, none, tower{9, 8, "BR"}, tower{12, 15, "B"})
	wantMoves(t, "MD-3", moves(s), "9-1<7", "9-6<7", "9-11<10")
	// A tower of two on 9 captures with its last step only.
	s = set(2, red, none, tower{9, 8, "BR"}, tower{12, 10, "B"}, tower{7, 9, "B"})
	wantMoves(t, "MD-3 last step", moves(s), "9-11<10", "9x12<10")
}

func TestMD4_Capture(t *testing.T) {
	s := play(t, set(2, red, none, tower{9, 8, "BR"}, tower{12, 10, "RRB"}, tower{4, 0, "B"}), "9x12<10")
	if got := s.stacks[11]; got.letters() != "RRBBR" || !s.towers[red].Has(deck.StanceOf(11, 9)) || s.stacks[8] != 0 {
		t.Errorf("MD-4: %s, want RRBBR on 12 with its back to 10", gametest.JSON(t, s))
	}
	for name, tw := range map[string]tower{"not from behind": {10, 11, "B"}, "own colour on top": {10, 9, "BR"}} {
		s := set(2, red, none, tower{9, 8, "R"}, tw, tower{4, 0, "B"})
		if got := moves(s); slices.Contains(got, "9x10") {
			t.Errorf("MD-4 %s: 9x10 is among %v", name, got)
		}
	}
	// Own tokens deeper in the tower do not matter. A tower with its back to the sea is safe.
	s = set(2, red, none, tower{7, 9, "R"}, tower{1, 0, "B"}, tower{6, 7, "RB"})
	wantMoves(t, "MD-4 sea", moves(s), "7x6")
}

func TestMD5_FlagFromSix(t *testing.T) {
	s := set(2, red, none, tower{9, 8, "BBBBR"}, tower{12, 10, "RBRBRB"})
	for _, p := range s.Scene(games.Spectator, nil).Pieces {
		if want := map[int]int{5: 0, 6: 6}[len(p.Layers)]; p.Count != want {
			t.Errorf("MD-5: a tower of %d has a flag with %d, want %d", len(p.Layers), p.Count, want)
		}
	}
	for _, tokens := range []string{"BBBBR", "BBBBBR"} { // a tower of six leaves a ghost with a flag, too
		before := set(2, red, none, tower{9, 8, tokens}, tower{4, 0, "B"})
		m := before.Moves()[0]
		ghosts := before.Apply(m).Scene(games.Spectator, []games.Step{{Before: before, Move: m}}).Pieces
		ghosts = slices.DeleteFunc(ghosts, func(p scene.Piece) bool { return !p.Ghost })
		layers, count := len(tokens), 0
		if layers >= 6 {
			layers, count = 0, layers
		}
		if len(ghosts) != 1 || len(ghosts[0].Layers) != layers || ghosts[0].Count != count {
			t.Errorf("MD-5: a tower of %d that moved leaves %+v, want one ghost of %d layers and a flag with %d",
				len(tokens), ghosts, layers, count)
		}
	}
	board := strings.Join(s.Scene(games.Spectator, nil).Text, "\n")
	for _, want := range []string{"12:B6<10", "12:RBRBRB", "9:BBBBR"} {
		if !strings.Contains(board, want) {
			t.Errorf("MD-5: no %q in the text board\n%s", want, board)
		}
	}
}

// MD-2: the tower that moved last stays highlighted while other players pass.
func TestScene_APassLeavesTheLastMoveLit(t *testing.T) {
	before := set(2, 1, none, tower{1, 7, "R"}, tower{2, 14, "B"})
	passing := play(t, before, "2-8")
	after := play(t, passing, "pass")
	trail := []games.Step{{Before: before, Move: before.Moves()[slices.Index(moves(before), "2-8")]},
		{Before: passing, Move: passMove}}
	for _, p := range after.Scene(games.Spectator, trail).Pieces {
		if !p.Ghost && p.Marked != (p.At == deck.Place(7)) {
			t.Errorf("the token at %v is lit: %v; want that on 8 alone", p.At, p.Marked)
		}
	}
}

func TestMD6_OutIsSkipped(t *testing.T) {
	s := set(3, red, none, tower{9, 8, "R"}, tower{10, 9, "B"}, tower{4, 0, "G"})
	s = play(t, s, "9x10")
	if s.ToMove() != green || !s.out(blue) {
		t.Errorf("MD-6: %s, want Blue out and Green to move", gametest.JSON(t, s))
	}
	if s = play(t, s, "4-17"); s.ToMove() != red {
		t.Errorf("MD-6: %s, want Red to move", gametest.JSON(t, s))
	}
	// MD-6: a player with tokens in reserve is not out.
	s = play(t, set(3, red, [maxSeats]uint8{0, 1, 0}, tower{9, 8, "R"}, tower{10, 9, "B"}, tower{4, 0, "G"}), "9x10")
	wantMoves(t, "MD-6 with a reserve", moves(s), "+1", "+2", "+3", "+5", "+6")
}

func TestMD7_LastOneWins(t *testing.T) {
	s := play(t, set(2, red, none, tower{9, 8, "R"}, tower{10, 9, "B"}), "9x10")
	wantResult(t, "MD-7", s, "won", red)
}

func TestMD8_AllPass(t *testing.T) {
	// Blue on 8 blocks Red on 1, which has its back to 7, and Red on 2, which has its back to 14. Both block Blue, who
	// has its back to 9.
	s := set(2, red, none, tower{1, 7, "R"}, tower{2, 14, "R"}, tower{8, 9, "B"})
	s = play(t, s, "pass")
	if s.ToMove() != blue {
		t.Fatalf("MD-8: after one pass %s", gametest.JSON(t, s))
	}
	wantResult(t, "MD-8 all pass", play(t, s, "pass"), "passed", red, blue)
}

// MD-8: when one of three players is out, passes of the other two end the game.
func TestMD8_AllPassButThoseOut(t *testing.T) {
	s := set(3, red, none, tower{1, 7, "R"}, tower{2, 14, "R"}, tower{8, 9, "G"})
	wantResult(t, "MD-8", play(t, s, "pass", "pass"), "passed", red, green)
}

func TestMD8_ThirdOccurrence(t *testing.T) {
	// Each tower of four walks in a circle and ends in its starting stance, so a turn changes only the player to move.
	s := set(2, red, none, tower{1, 8, "RBRR"}, tower{4, 18, "BRBB"})
	circle := []string{"1-1<8", "4-4<18"}
	s = play(t, s, circle...)
	if s.ToMove() != red || s.past.count != 2 {
		t.Fatalf("MD-8: after one circle each the position was there %d times: %s", s.past.count, gametest.JSON(t, s))
	}
	wantResult(t, "MD-8 third time", play(t, s, circle...), "repeated", red, blue)
	// The same tokens in another order in a tower are a different position.
	a := set(2, red, none, tower{1, 8, "RBRR"}, tower{4, 18, "B"})
	b := set(2, red, none, tower{1, 8, "BRRR"}, tower{4, 18, "B"})
	if a.past.line == b.past.line || a.past.hash == b.past.hash {
		t.Errorf("MD-8: RBRR and BRRR count as the same stack: %s", a.past.line)
	}
}

// MD-8: the capture of the last tower is a win, even if the previous player has passed.
func TestMD8_WinComesFirst(t *testing.T) {
	s := set(2, red, none, tower{9, 8, "R"}, tower{10, 9, "B"})
	s.passes = 1
	wantResult(t, "MD-8 order", play(t, s, "9x10"), "won", red)
}

func TestMDE1(t *testing.T) {
	s := set(2, red, none, tower{1, 0, "BRR"}, tower{4, 0, "B"})
	wantMoves(t, "MD-E1", moves(s), "1-7<9", "1-8<9", "1-10<9", "1-13<6", "1-14<2")
}

func TestMDE2(t *testing.T) {
	s := set(2, red, none, tower{1, 0, "RBBR"}, tower{4, 0, "B"})
	if got := moves(s); !slices.Contains(got, "1-1<8") {
		t.Fatalf("MD-E2: 1-1<8 is not among %v", got)
	}
	s = play(t, s, "1-1<8")
	if !s.towers[red].Has(deck.StanceOf(0, 7)) || s.stacks[0].letters() != "RBBR" {
		t.Errorf("MD-E2: %s, want the tower on 1 with its back to 8", gametest.JSON(t, s))
	}
}

// MD-6: the towers of a player who leaves a game of three stay on deck. Nobody can move them, and others can capture
// them.
func TestMD6_Withdraw(t *testing.T) {
	s := set(3, blue, [maxSeats]uint8{1, 1, 1}, tower{9, 8, "R"}, tower{10, 9, "B"}, tower{4, 0, "G"})
	s = s.Withdraw(blue).(state)
	if s.ToMove() != green || !s.out(blue) || s.reserve[blue] != 0 {
		t.Fatalf("MD-6: %s, want Blue out and Green to move", gametest.JSON(t, s))
	}
	if s = play(t, s, "4-17", "9x10"); s.ToMove() != green || s.stacks[9].letters() != "BR" {
		t.Errorf("MD-6: %s, want BR on 10 and Green to move", gametest.JSON(t, s))
	}
	s = set(3, blue, none, tower{9, 8, "R"}, tower{10, 9, "B"})
	s = s.Withdraw(blue).(state)
	wantResult(t, "MD-7 after leaving", s, "won", red)
	if score := s.won().Args["Score"]; score != "1 : 1 : 0" {
		t.Errorf("MD-6: the towers are counted as %v, and Blue's still stands", score)
	}
	// If a player leaves during the setup, the others continue until six hatches are taken.
	s = play(t, newState(3), "+1").Withdraw(blue).(state)
	s = play(t, s, "+2", "+3", "+4", "+5")
	wantMoves(t, "MD-1 after leaving", moves(s), "+6")
	if s = play(t, s, "+6"); s.setup() {
		t.Errorf("MD-1: the setup goes on: %s", gametest.JSON(t, s))
	}
}

// MD-8: the Sim and the State end a game by repetition at the same move.
func TestMD8_SimAgrees(t *testing.T) {
	s := set(2, red, none, tower{1, 8, "RBRR"}, tower{4, 18, "BRBB"})
	s = play(t, s, "1-1<8")
	sim := s.Sim()
	for _, n := range []string{"4-4<18", "1-1<8", "4-4<18"} {
		m, err := games.FindMove(s, n)
		if err != nil {
			t.Fatal(err)
		}
		s = s.Apply(m).(state)
		sim.Play(m)
		if sim.ToMove() != s.ToMove() {
			t.Fatalf("MD-8: after %s the sim says %d is to move, the state %d", n, sim.ToMove(), s.ToMove())
		}
	}
	wantResult(t, "MD-8", s, "repeated", red, blue)
}

// MD-9: if repetition is forbidden, a move that would bring about a position for the third time is not legal, and the
// game continues.
func TestMD9_ForbiddenRepetition(t *testing.T) {
	s := set(2, red, none, tower{1, 8, "RBRR"}, tower{4, 18, "BRBB"})
	s.forbids = true
	circle := []string{"1-1<8", "4-4<18"}
	s = play(t, s, circle...)
	s = play(t, s, "1-1<8")
	for _, m := range s.Moves() {
		if games.Spell(s, m) == "4-4<18" {
			t.Fatalf("MD-9: 4-4<18 would bring the position about for the third time, and is listed: %s",
				gametest.JSON(t, s))
		}
	}
	if s.ToMove() != blue || s.ended != going {
		t.Errorf("MD-9: the game is over: %s", gametest.JSON(t, s))
	}
	if why, ok := s.Refuse("4-4<18"); !ok || why.Rule != "MD-9" {
		t.Errorf("MD-9: 4-4<18 is refused by %q", why.Rule)
	}
}

// The description of a player without a tower has no numbers that can only be zero.
func TestDescriptionWithoutTowers(t *testing.T) {
	s := newState(2)
	facts := s.altSide(red).Args["Facts"].([]text.Message)
	if len(facts) != 1 || facts[0].ID != "madagascar.stat.reserve" {
		t.Errorf("on the empty deck, the description of Red has %v", facts)
	}
}

// MD-8: the picture of a game that was stopped, or that ended otherwise, does not speak of repetitions, because no
// position will come.
func TestMD8_EndedGameCountsNoRepetitions(t *testing.T) {
	s := set(2, red, none, tower{1, 8, "RBRR"}, tower{4, 18, "BRBB"})
	s = play(t, s, "1-1<8", "4-4<18")
	if playing, stopped := s.status(), s.Stopped().(state).status(); len(playing) != 1 || len(stopped) != 0 {
		t.Errorf("MD-8: the status line is %v, and %v when stopped", playing, stopped)
	}
	s.ended = allPassed
	if sc := s.Scene(games.Spectator, nil); len(sc.Status) != 0 {
		t.Errorf("MD-8: the status line is %v when everybody had to pass", sc.Status)
	}
}
