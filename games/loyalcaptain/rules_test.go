package loyalcaptain

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"marque/games"
	"marque/games/deck"
	"marque/games/gametest"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
)

// setUp returns a position in which mover must take a turn. "9<10" is a token on 9 with its back to 10, and "1<~" is a
// token on 1 with its back to the sea.
func setUp(t *testing.T, mover side, reserves [2]uint8, redTokens, blueTokens string) position {
	t.Helper()
	p := position{phase: phaseTurn, mover: mover, reserve: reserves}
	for c, list := range [2]string{redTokens, blueTokens} {
		for _, f := range strings.Fields(list) {
			on, back, _ := strings.Cut(f, "<")
			s := space(t, on)
			to := deck.Sea
			if back != "~" {
				to = space(t, back)
			}
			found := false
			for w := wayFrom(s); w < wayFrom(s)+3; w++ {
				if w.to() == to {
					p.on[c], p.back[c], found = p.on[c].With(s), p.back[c]|1<<w, true
				}
			}
			if !found {
				t.Fatalf("%s: %s is no neighbour of %s", f, back, on)
			}
		}
	}
	if p.on[red]&p.on[blue] != 0 {
		t.Fatalf("two tokens on %s", spaces(p.on[red]&p.on[blue]))
	}
	p.open = p.turns(mover)
	return p
}

func space(t *testing.T, number string) deck.Space {
	t.Helper()
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > deck.Spaces {
		t.Fatalf("no space %q", number)
	}
	return deck.Space(n - 1)
}

// playAll plays moves given in notation.
func playAll(t *testing.T, s state, moves ...string) state {
	t.Helper()
	for _, n := range moves {
		m, err := games.FindMove(s, n)
		if err != nil {
			t.Fatalf("%s: %v", n, err)
		}
		s = s.Apply(m).(state)
	}
	return s
}

func notations(s state) []string {
	var out []string
	for _, m := range s.Moves() {
		out = append(out, games.Spell(s, m))
	}
	return out
}

// board returns the tokens of a side in the notation of setUp.
func board(p *position, c side) string {
	var out []string
	for rest := p.on[c]; rest != 0; {
		s := rest.Take()
		back := p.backOf(c, s).String()
		if back == "sea" {
			back = "~"
		}
		out = append(out, s.String()+"<"+back)
	}
	return strings.Join(out, " ")
}

func TestLC1_RedFirstThenInTurn(t *testing.T) {
	s := Game.New(games.Setup{Seats: 2}).(state)
	for i, n := range []string{"+1", "+4", "1-7", "4-18", "+1"} {
		if want := games.Seat(i % 2); s.ToMove() != want {
			t.Errorf("LC-1: to move %d at ply %d, want %d", s.ToMove(), i, want)
		}
		s = playAll(t, s, n)
	}
	if got, want := board(&s.p, red), "1<~ 7<1"; got != want {
		t.Errorf("LC-1: Red stands on %s, want %s", got, want)
	}
	if got, want := board(&s.p, blue), "18<4"; got != want {
		t.Errorf("LC-1: Blue stands on %s, want %s", got, want)
	}
}

func TestLC2_Turns(t *testing.T) {
	for _, tc := range []struct {
		name      string
		reserves  [2]uint8
		red, blue string
		want      string
	}{
		{"an empty deck", [2]uint8{7, 7}, "", "", "+1 +2 +3 +4 +5 +6"},
		{"both ways from a hatch just entered (DK-6)", [2]uint8{0, 7}, "1<~", "", "1-7 1-8"},
		{"not to the back (DK-4)", [2]uint8{0, 7}, "10<9", "", "10-11 10-12"},
		{"one way from a hatch come back to", [2]uint8{0, 7}, "1<7", "", "1-8"},
		{"not where another stands", [2]uint8{1, 7}, "1<~ 8<9", "7<9 5<~", "+2 +3 +4 +6 8-2"},
		{"no placing without a reserve", [2]uint8{0, 0}, "13<11", "6<~", "13-5"},
	} {
		p := setUp(t, red, tc.reserves, tc.red, tc.blue)
		if got := strings.Join(notations(state{p}), " "); got != tc.want {
			t.Errorf("LC-2 %s: moves %s, want %s", tc.name, got, tc.want)
		}
	}
}

// LC-E1 is the published worked example. Red has tokens 1-7, Blue has A-G. The test tries every choice of the backs
// that the example leaves open.
func TestLCE1_WorkedExample(t *testing.T) {
	tried := 0
	var try func(chosen []string, open [][]string)
	try = func(chosen []string, open [][]string) {
		if len(open) > 0 {
			for _, c := range open[0] {
				try(append(chosen[:len(chosen):len(chosen)], c), open[1:])
			}
			return
		}
		tried++
		checkLCE1(t, chosen)
	}
	try(nil, [][]string{
		{"4<17", "4<18", "4<~"}, {"2<14", "2<~"}, {"9<7", "9<10"}, {"1<7", "1<~"}, {"12<10", "12<14", "12<15"}, {"3<14", "3<18", "3<~"}, {"15<16"},
		{"17<5", "17<16"}, {"8<2"}, {"18<3"}, {"14<3"}, {"11<10", "11<13"}, {"10<9", "10<11"}, {"16<17", "16<18"},
	})
	if want := 3 * 2 * 2 * 2 * 3 * 3 * 2 * 2 * 2 * 2; tried != want {
		t.Errorf("LC-E1: tried %d positions, want %d", tried, want)
	}
}

func checkLCE1(t *testing.T, tokens []string) {
	t.Helper()
	p := setUp(t, red, [2]uint8{}, strings.Join(tokens[:7], " "), strings.Join(tokens[7:], " "))
	for _, tc := range []struct {
		who      string
		c        side
		on       string
		group    string
		captured bool
	}{
		{"1", red, "4", "4", true},
		{"B", blue, "8", "8", true},
		{"5", red, "12", "12 15", true},
		{"7", red, "15", "12 15", true},
		{"E", blue, "11", "10 11", false},
		{"F", blue, "10", "10 11", false},
		{"2", red, "2", "2", false},
		{"6", red, "3", "3", false},
	} {
		at := space(t, tc.on)
		if got := spaces(p.group(tc.c, at)); got != tc.group {
			t.Errorf("LC-E1 %v: the group of %s is %s, want %s", tokens, tc.who, got, tc.group)
		}
		if _, got := p.beset(tc.c, at); got != tc.captured {
			t.Errorf("LC-E1 %v: %s captured %v, want %v", tokens, tc.who, got, tc.captured)
		}
	}
	// 7 does not threaten G, and neither C nor D threatens 6 (LC-3).
	for _, pair := range [][2]string{{"15", "16"}, {"18", "3"}, {"14", "3"}} {
		by, at := space(t, pair[0]), space(t, pair[1])
		if (into(1<<at)&(p.back[red]|p.back[blue]))&(7<<wayFrom(by)) == 0 {
			t.Errorf("LC-E1 %v: the token on %v threatens %v", tokens, by, at)
		}
	}
	if tokens[5] == "3<14" {
		if _, got := p.beset(blue, space(t, "14")); got {
			t.Errorf("LC-E1 %v: D is captured, though 6 has its back to it", tokens)
		}
	}
}

// LC-5: the other side's groups are captured first, then the mover's groups on the resulting board.
func TestLCE2_PlacedIntoATrap(t *testing.T) {
	for _, tc := range []struct {
		name              string
		red, blue         string
		wantRed, wantBlue string
		lost              int // number of captured red tokens
	}{
		{"captured at once", "", "7<9 8<9", "", "7<9 8<9", 1},
		{"one has its back to it", "", "7<9 8<1", "1<~", "7<9 8<1", 0},
		{"captures one of its captors first", "6<13 9<10", "7<6 8<2", "1<~ 6<13 9<10", "8<2", 0},
		{"falls with its whole group", "7<1", "6<13 9<10 8<9", "", "6<13 8<9 9<10", 2},
	} {
		p := setUp(t, red, [2]uint8{3, 3}, tc.red, tc.blue)
		before := p.lost(red)
		s := playAll(t, state{p}, "+1")
		if got := board(&s.p, red); got != tc.wantRed {
			t.Errorf("LC-E2 %s: Red stands on %q, want %q", tc.name, got, tc.wantRed)
		}
		if got := board(&s.p, blue); got != tc.wantBlue {
			t.Errorf("LC-E2 %s: Blue stands on %q, want %q", tc.name, got, tc.wantBlue)
		}
		// LC-6: captured tokens do not return to the reserve.
		if got := s.p.lost(red) - before; got != tc.lost || s.p.reserve[red] != 2 {
			t.Errorf("LC-6 %s: Red lost %d and has %d in reserve, want %d and 2", tc.name, got, s.p.reserve[red],
				tc.lost)
		}
	}
}

// LC-3, LC-4: backs decide whether a lone token or a group is captured.
func TestLC4_Capture(t *testing.T) {
	for _, tc := range []struct {
		name      string
		red, blue string
		move      string // red's move
		want      string // blue's tokens after the move
	}{
		{"beset on all three sides", "9<7 11<15 14<2", "10<12", "14-12", ""},
		{"an empty space saves", "9<7 14<2", "10<12", "14-12", "10<12"},
		{"a back saves (LC-3)", "9<7 11<10 14<2", "10<12", "14-12", "10<12"},
		{"a group falls together", "9<7 16<17 14<3 13<5", "10<9 12<10 15<12", "13-11", ""},
		{"one back saves the whole group", "9<10 16<17 14<3 13<5", "10<9 12<10 15<12", "13-11", "10<9 12<10 15<12"},
		{"two groups at once", "1<~ 6<13 2<14 10<11", "7<9 8<9", "10-9", ""},
		{"a placed token captures", "8<9 6<13 9<10", "7<6", "+1", ""},
	} {
		p := setUp(t, red, [2]uint8{1, 1}, tc.red, tc.blue)
		s := playAll(t, state{p}, tc.move)
		if got := board(&s.p, blue); got != tc.want {
			t.Errorf("LC-4 %s: Blue stands on %q, want %q", tc.name, got, tc.want)
		}
		if got, want := s.p.reserve[blue], uint8(1); got != want {
			t.Errorf("LC-6 %s: Blue has %d in reserve, want %d", tc.name, got, want)
		}
	}
}

func TestLC7_NoTurnLoses(t *testing.T) {
	for _, tc := range []struct {
		name      string
		reserves  [2]uint8
		red, blue string
		move      string // blue's move
		why       string // "" while the game continues
	}{
		{"hemmed in but not captured", [2]uint8{0, 3}, "1<~", "8<1 6<13", "6-7", "loyal-captain.why.stuck"},
		{"hemmed in with a reserve", [2]uint8{1, 3}, "1<~", "8<1 6<13", "6-7", ""},
		{"no tokens left", [2]uint8{0, 3}, "1<~", "8<9 6<13", "6-7", "loyal-captain.why.no-tokens"},
	} {
		p := setUp(t, blue, tc.reserves, tc.red, tc.blue)
		s := playAll(t, state{p}, tc.move)
		r := s.Result()
		if r.Why.ID != tc.why {
			t.Errorf("LC-7 %s: result %+v, want the reason %q", tc.name, r, tc.why)
		}
		if tc.why != "" && (s.ToMove() != games.Nobody || !slices.Equal(r.Winners, []games.Seat{1}) || r.Drawn) {
			t.Errorf("LC-7 %s: to move %d, result %+v, want a win of seat 1", tc.name, s.ToMove(), r)
		}
	}
}

// quietTurn plays a step that captures nothing. It chooses the step that leaves the most possible steps to the side
// that then has fewer of them.
func quietTurn(t *testing.T, s state) state {
	t.Helper()
	best, most := s, 0
	for ws := s.p.open &^ table.sea; ws != 0; {
		next := s
		taken := next.p.turn(ws.take())
		open := min((next.p.turns(red) &^ table.sea).len(), (next.p.turns(blue) &^ table.sea).len())
		if taken == [2]deck.Set{} && next.ToMove() != games.Nobody && open > most {
			best, most = next, open
		}
	}
	if most == 0 {
		t.Fatalf("no quiet turn in %s", gametest.JSON(t, s))
	}
	return best
}

// proposed returns a position in which Red has just proposed a stalemate, twenty quiet turns after a placement.
func proposed(t *testing.T) state {
	t.Helper()
	s := state{setUp(t, blue, [2]uint8{5, 5}, "1<~ 2<~", "4<~")}
	s = playAll(t, s, "+5")
	for i := range quietTurns {
		if slices.Contains(notations(s), "propose") {
			t.Errorf("LC-8: a stalemate may be proposed after %d quiet turns", i)
		}
		s = quietTurn(t, s)
	}
	if moves := notations(s); moves[len(moves)-1] != "propose" {
		t.Fatalf("LC-8: after 20 quiet turns the moves are %v, want propose as the last", moves)
	}
	return playAll(t, s, "propose")
}

func TestLC8_Propose(t *testing.T) {
	s := proposed(t)
	if got, want := notations(s), []string{"accept", "refuse"}; s.ToMove() != 1 || !slices.Equal(got, want) {
		t.Errorf("LC-8: seat %d may answer %v, want seat 1 and %v", s.ToMove(), got, want)
	}
	if accepted := playAll(t, s, "accept"); accepted.ToMove() != games.Nobody || !accepted.Result().Drawn {
		t.Errorf("LC-8: accepted, and to move is %d, result %+v, want a draw", accepted.ToMove(), accepted.Result())
	}
	refused := playAll(t, s, "refuse")
	if refused.ToMove() != 0 {
		t.Errorf("LC-8: after the refusal seat %d is to move, want the proposer", refused.ToMove())
	}
	if slices.Contains(notations(refused), "propose") {
		t.Error("LC-8: a stalemate may be proposed while a count runs")
	}
	// The proposer's turns do not count. The refuser's twentieth turn ends the game.
	for i := range 2 * countTurns {
		if got, want := int(refused.p.left), countTurns-i/2; got != want {
			t.Fatalf("LC-8: %d turns left after %d turns, want %d", got, i, want)
		}
		if shown := refused.Scene(games.Spectator, nil).Status; len(shown) != 1 ||
			shown[0].Value != strconv.Itoa(countTurns-i/2) {
			t.Errorf("LC-8: the board shows the count as %+v", shown)
		}
		if i == 2*countTurns-1 {
			break
		}
		refused = quietTurn(t, refused)
	}
	ws := refused.p.open
	refused.p.turn(ws.take())
	r := refused.Result()
	if refused.ToMove() != games.Nobody || !slices.Equal(r.Winners, []games.Seat{0}) || r.Drawn ||
		r.Why.ID != "loyal-captain.why.count" {
		t.Errorf("LC-8: after the refuser's twentieth turn to move is %d, result %+v, want a win of seat 0",
			refused.ToMove(), r)
	}
}

func TestLC8_Count(t *testing.T) {
	for _, tc := range []struct {
		name      string
		mover     side
		reserves  [2]uint8
		red, blue string
		left      uint8 // remaining turns of the refuser, Blue
		move      string
		wantLeft  uint8
		winner    games.Seat // seat of the winner, -1 while the game continues
	}{
		{"the refuser's turn counts", blue, [2]uint8{1, 1}, "1<~", "5<~", 9, "5-13", 8, -1},
		{"a placement counts", blue, [2]uint8{1, 1}, "1<~", "5<~", 9, "+6", 8, -1},
		{"the proposer's does not", red, [2]uint8{1, 1}, "1<~", "5<~", 9, "1-7", 9, -1},
		{"the proposer's capture sets it back", red, [2]uint8{1, 1}, "9<7 11<15 14<2", "10<12 5<~", 9, "14-12", 20, -1},
		{"the refuser's capture sets it back and does not count", blue, [2]uint8{1, 1}, "10<12 5<~", "9<7 11<15 14<2", 9, "14-12", 20, -1},
		{"the refuser's own loss sets it back", blue, [2]uint8{1, 2}, "7<9 8<9", "16<17", 9, "+1", 20, -1},
		{"a capture on the last turn sets it back", blue, [2]uint8{1, 1}, "10<12 5<~", "9<7 11<15 14<2", 1, "14-12", 20, -1},
		{"the last turn loses", blue, [2]uint8{1, 1}, "1<~", "5<~", 1, "5-13", 0, 0},
		{"a last turn that leaves the other without one wins (LC-7 first)", blue, [2]uint8{0, 1}, "1<~", "8<1 6<13", 1, "6-7", 0, 1},
		{"the refuser without a turn loses (LC-7)", red, [2]uint8{1, 0}, "8<1 6<13", "1<~", 9, "6-7", 9, 0},
	} {
		p := setUp(t, tc.mover, tc.reserves, tc.red, tc.blue)
		p.left, p.refuser = tc.left, blue
		s := playAll(t, state{p}, tc.move)
		if s.p.left != tc.wantLeft {
			t.Errorf("LC-8 %s: %d turns left, want %d", tc.name, s.p.left, tc.wantLeft)
		}
		winners := s.Result().Winners
		if tc.winner < 0 && winners != nil || tc.winner >= 0 && !slices.Equal(winners, []games.Seat{tc.winner}) {
			t.Errorf("LC-8 %s: winners %v, want %d", tc.name, winners, tc.winner)
		}
	}
}

// LC-9: seat 0 offers, seat 1 chooses, and Red moves first, whichever seat plays it.
func TestLC9_OfferedOpening(t *testing.T) {
	setup, err := games.NewSetup(Game, 2, games.Setting{Key: "opening", Value: "offered"})
	if err != nil {
		t.Fatal(err)
	}
	s := Game.New(setup).(state)
	if s.ToMove() != 0 || len(s.Moves()) != 30 {
		t.Errorf("LC-9: seat %d has %d offers, want seat 0 and 30", s.ToMove(), len(s.Moves()))
	}
	s = playAll(t, s, "+2/+5")
	if got, want := notations(s), []string{"red", "blue"}; s.ToMove() != 1 || !slices.Equal(got, want) {
		t.Errorf("LC-9: seat %d chooses among %v, want seat 1 and %v", s.ToMove(), got, want)
	}
	if got, want := board(&s.p, red)+"/"+board(&s.p, blue), "2<~/5<~"; got != want {
		t.Errorf("LC-9: the tokens stand on %s, want %s", got, want)
	}
	for _, tc := range []struct {
		choice string
		red    games.Seat
	}{{"red", 1}, {"blue", 0}} {
		next := playAll(t, s, tc.choice)
		if next.ToMove() != tc.red || next.p.mover != red {
			t.Errorf("LC-9 %s: seat %d is to move as %s, want seat %d as red", tc.choice, next.ToMove(),
				sideNames[next.p.mover], tc.red)
		}
		sc := next.Scene(games.Spectator, nil)
		if got := games.Seat(slices.IndexFunc(sc.Panels, func(p scene.Panel) bool {
			return p.Color == scene.Red
		})); got != tc.red {
			t.Errorf("LC-9 %s: the panel of seat %d is red, want %d", tc.choice, got, tc.red)
		}
		moved := playAll(t, next, "2-14")
		if moved.ToMove() != 1-tc.red {
			t.Errorf("LC-9 %s: after Red's turn seat %d is to move", tc.choice, moved.ToMove())
		}
		// If Blue is stuck, the player of Blue loses.
		p := setUp(t, red, [2]uint8{1, 0}, "8<1 6<13", "1<~")
		p.red = tc.red
		if got := playAll(t, state{p}, "6-7").Result().Winners; !slices.Equal(got, []games.Seat{tc.red}) {
			t.Errorf("LC-9 %s: Blue is stuck and %v won, want %d", tc.choice, got, tc.red)
		}
	}
}

// threats returns the group that is one space from capture, but none if two spaces are open or a back is turned (LC-3).
func TestScene_Threats(t *testing.T) {
	for _, tc := range []struct {
		name      string
		red, blue string
		want      string
	}{
		{"one space open", "9<7 11<13", "10<12", "B 10 (12)"},
		{"two spaces open", "9<7", "10<12", ""},
		{"a back turned saves (LC-3)", "9<10 11<13", "10<12", ""},
		{"a group", "9<7 16<17 14<3", "10<9 12<10 15<12", "B 10 12 15 (11)"},
		{"a hatch", "1<~", "7<9", "R 1 (8)"},
	} {
		p := setUp(t, red, [2]uint8{1, 1}, tc.red, tc.blue)
		var got []string
		for _, th := range p.threats() {
			got = append(got, fmt.Sprintf("%s %s (%v)", th.side.color().Letter(), spaces(th.group), th.gap))
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s: threats %v, want %s", tc.name, got, tc.want)
		}
	}
}

// Once a game was ended other than by the rules, its picture shows no danger, no count and no proposal.
func TestScene_Stopped(t *testing.T) {
	for _, ph := range []phase{phaseTurn, phaseAnswer} {
		p := setUp(t, red, [2]uint8{1, 1}, "9<7 11<13", "10<12")
		p.phase = ph
		if ph == phaseTurn {
			p.left, p.refuser = 5, blue
		}
		speaks := func(s state) bool {
			sc := s.Scene(games.Spectator, nil)
			ids := ""
			for _, m := range append(sc.Alt, sc.Legend...) {
				ids += m.ID + " "
			}
			return regexp.MustCompile(`threat|count|proposed|answer`).MatchString(ids) || len(sc.Status) > 0 ||
				regexp.MustCompile(`(?m)^[!#=] `).MatchString(strings.Join(sc.Text, "\n")) ||
				slices.ContainsFunc(sc.Marks, func(m scene.Mark) bool { return m.Kind == scene.Threat })
		}
		if s := (state{p}); !speaks(s) || speaks(s.Stopped().(state)) {
			t.Errorf("phase %d: speaks of what may come: %t, stopped %t, want true and false", ph, speaks(s),
				speaks(s.Stopped().(state)))
		}
	}
	m, err := games.NewMatch(Game, games.Header{})
	if err != nil {
		t.Fatal(err)
	}
	for _, play := range strings.Fields("+5 +2 +1 +6 5-13 6-7") { // Red on 1 is in danger
		if err := m.PlayExact(play); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Resign(0); err != nil {
		t.Fatal(err)
	}
	for _, a := range m.Scene(games.Spectator, m.Len()-1, m.Len()).Alt {
		if a.ID == "loyal-captain.alt.threat" || a.IsZero() {
			t.Errorf("after a resignation, the alt text still has %q", a.ID)
		}
	}
}

// The scene of a capture has an arrow, a cross, a ghost and a highlighted token.
func TestScene_Trail(t *testing.T) {
	before := state{setUp(t, red, [2]uint8{1, 1}, "9<7 11<15 14<2", "10<12 5<~")}
	m, err := games.FindMove(before, "14-12")
	if err != nil {
		t.Fatal(err)
	}
	sc := before.Apply(m).Scene(games.Spectator, []games.Step{{Before: before, Seat: 0, Move: m}})
	kinds := map[scene.MarkKind]int{}
	for _, mark := range sc.Marks {
		kinds[mark.Kind]++
	}
	ghosts, marked := 0, 0
	for _, p := range sc.Pieces {
		if p.Ghost {
			ghosts++
		}
		if p.Marked {
			marked++
		}
	}
	if kinds[scene.Arrow] != 1 || kinds[scene.Captured] != 1 || ghosts != 1 || marked != 1 {
		t.Errorf("arrows, crosses, ghosts, marked tokens: %d %d %d %d, want one of each", kinds[scene.Arrow],
			kinds[scene.Captured], ghosts, marked)
	}
}

func TestSentences(t *testing.T) {
	c, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	sp := c.Speaker(nil, "en")
	missing := regexp.MustCompile(`\[[a-z-]+\.`) // Say returns the id in brackets for a missing sentence
	check := func(m text.Message) {
		if said := sp.Say(m); said == "" || missing.MatchString(said) || strings.Contains(said, "<no value>") {
			t.Errorf("%v is said as %q", m, said)
		}
	}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 9))
		s := Game.New(games.Setup{Seats: 2, Options: []games.Setting{{Key: optionOpening,
			Value: []string{openingStandard, openingOffered}[seed%2]}}})
		var trail []games.Step
		for {
			sc := s.Scene(games.Spectator, trail)
			alt := 0
			for _, m := range append(sc.Alt, sc.Legend...) {
				check(m)
			}
			for _, m := range sc.Alt {
				alt += len(sp.Say(m)) + 1
			}
			if alt > 1024 {
				t.Fatalf("the alt text has %d bytes, Discord takes 1024 characters", alt)
			}
			size := len(strings.Join(sc.Text, "\n"))
			for _, m := range sc.Legend {
				size += len(sp.Say(m)) + 1
			}
			if size > 1900 {
				t.Fatalf("text board and legend have %d bytes, a message takes 2,000 characters", size)
			}
			for _, st := range sc.Status {
				check(st.Label)
			}
			for _, p := range sc.Panels {
				for _, st := range p.Stats {
					check(st.Label)
				}
			}
			if s.ToMove() == games.Nobody {
				check(s.Result().Why)
				break
			}
			moves := s.Moves()
			for _, w := range s.Spell(moves[rng.IntN(len(moves))]) {
				check(w.Label)
				check(w.Ask)
			}
			m := moves[rng.IntN(len(moves))]
			trail = append(trail, games.Step{Before: s, Seat: s.ToMove(), Move: m})
			trail = trail[max(0, len(trail)-3):]
			s = s.Apply(m)
		}
	}
	info := Game.Info()
	for _, m := range append([]text.Message{info.Name, info.Tagline, info.Credits}, info.Quick...) {
		check(m)
	}
	for _, r := range info.Rules {
		check(r.Title)
		check(r.Body)
		if n := len(sp.Say(r.Body)); n > 1500 {
			t.Errorf("the section %s has %d bytes, want at most 1,500", r.Key, n)
		}
	}
}

// LC-4: the Count of DescribeEffect is the number of captured pirates or, if there are none, of the mover's own
// pirates that are lost.
func TestLC4_Foretold(t *testing.T) {
	t.Parallel()
	told := 0
	for seed := range uint64(40) {
		rng := games.NewRand(seed)
		var s games.State = state{newPosition(false)}
		for s.ToMove() != games.Nobody {
			moves := s.Moves()
			m := moves[rng.IntN(len(moves))]
			before, foretold := s.(state).p, s.(state).DescribeEffect(m)
			s = s.Apply(m)
			after := s.(state).p
			onDeck := func(p *position, c side) int { return p.on[c].Len() + int(p.reserve[c]) }
			them := before.mover.other()
			theirs, ours := onDeck(&before, them)-onDeck(&after, them),
				onDeck(&before, before.mover)-onDeck(&after, before.mover)
			if foretold.IsZero() != (theirs == 0 && ours == 0) ||
				theirs > 0 && foretold.Args["Count"] != theirs || theirs == 0 && ours > 0 && foretold.Args["Count"] != ours {
				t.Fatalf("LC-4: a move that captures %d and loses %d is foretold as %v", theirs, ours, foretold)
			}
			if !foretold.IsZero() {
				told++
			}
		}
	}
	if told == 0 {
		t.Error("no game had a capture")
	}
}
