package piratevspirate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/gametest"
	"marque/games/text/locale"
)

// scenario is a position for a test: each seat's pirates and the coins on the board. "e4" is a triangle; the suffix "o"
// adds silver, "$" gold, and "/w" a back. Seat 0 is to move unless toMove is set.
type scenario struct {
	crews  []string
	coins  string
	dice   [2]uint8
	backs  bool
	silver [maxSeats]uint8
	toMove uint8
}

func (s scenario) state(t *testing.T) state {
	t.Helper()
	p := position{seats: uint8(len(s.crews)), phase: moving, turn: s.toMove, dice: s.dice, facing: s.backs,
		delivered: s.silver, gold: nowhere}
	put := func(word string) triangle {
		name, back, _ := strings.Cut(word, "/")
		at := named(strings.TrimRight(name, "o$"))
		if at == nowhere {
			t.Fatalf("no triangle %q", name)
		}
		if strings.HasSuffix(name, "o") {
			p.silver = p.silver.with(at)
		}
		if strings.HasSuffix(name, "$") {
			p.gold = at
		}
		for e := flat; e < noEdge; e++ {
			if back == e.letter(at) {
				p.setBack(at, e)
			}
		}
		return at
	}
	for seat, crew := range s.crews {
		for _, word := range strings.Fields(crew) {
			p.crew[seat] = p.crew[seat].with(put(word))
		}
	}
	for _, word := range strings.Fields(s.coins) {
		put(word)
	}
	return state{p}
}

func notations(s games.State) []string {
	var list []string
	for _, m := range s.Moves() {
		list = append(list, games.Spell(s, m))
	}
	return list
}

// play plays a sequence of legal moves and rolls.
func play(t *testing.T, s games.State, line ...string) games.State {
	t.Helper()
	for _, n := range line {
		var m games.Move
		var err error
		if s.ToMove() == games.Chance {
			m, err = games.FindOutcome(s, n)
		} else {
			m, err = games.FindMove(s, n)
		}
		if err != nil {
			t.Fatalf("%q is not possible in %s: %v", n, gametest.JSON(t, s), err)
		}
		s = s.Apply(m)
	}
	return s
}

func TestLegal(t *testing.T) {
	for _, tc := range []struct {
		rule, name string
		scenario
		legal, illegal []string
		only           []string // all legal moves, checked if set
	}{
		{rule: "PP-E1", name: "passes a coin two steps away, takes it, ends one further",
			scenario: scenario{crews: []string{"e1", "f2 j19"}, coins: "e3o", dice: [2]uint8{2, 1}},
			legal:    []string{"e1-e4@e3", "e1-f4@e3"}, illegal: []string{"e1-e4", "e1-f4"}},
		{rule: "PP-E1", name: "not on an opponent after taking the coin",
			scenario: scenario{crews: []string{"e1", "e4 j19"}, coins: "e3o", dice: [2]uint8{1, 2}},
			illegal:  []string{"e1xe4", "e1xe4@e3", "e1-e4@e3"}},
		{rule: "PP-E1", name: "not on another coin",
			scenario: scenario{crews: []string{"e1", "f2 j19"}, coins: "e3o f4o", dice: [2]uint8{1, 2}},
			legal:    []string{"e1-e4@e3"}, illegal: []string{"e1-f4@e3", "e1-f4@f4", "e1-f4"}},
		{rule: "PP-E2", name: "a silver carrier may pass its silver space but must end beyond",
			scenario: scenario{crews: []string{"d2o", "i9", "j1"}, dice: [2]uint8{2, 2}},
			legal:    []string{"d2-b2"}, illegal: []string{"d2-b1"}},
		{rule: "PP-5", name: "exactly the rolled number of steps",
			scenario: scenario{crews: []string{"a1", "j19"}, dice: [2]uint8{1, 2}},
			only:     []string{"a1-c2", "a1-c4"}},
		{rule: "PP-5", name: "no way to go: the turn is missed",
			scenario: scenario{crews: []string{"a1 b2", "b1 b3 c3"}, dice: [2]uint8{1, 1}},
			only:     []string{"pass"}},
		{rule: "PP-5", name: "no pass while a move exists",
			scenario: scenario{crews: []string{"a1", "c3"}, dice: [2]uint8{1, 1}},
			only:     []string{"a1-b1", "a1-b3"}},
		{rule: "PP-6", name: "six steps round the six triangles of a point do not lead back",
			scenario: scenario{crews: []string{"e5", "a1"}, dice: [2]uint8{3, 3}},
			illegal:  []string{"e5-e5"}},
		{rule: "PP-6", name: "no way over any pirate",
			scenario: scenario{crews: []string{"a1 b2", "j19"}, dice: [2]uint8{2, 1}},
			illegal:  []string{"a1-c2", "a1-c4"}},
		{rule: "PP-6", name: "the last triangle may not hold an own pirate",
			scenario: scenario{crews: []string{"e3 e5", "j19"}, dice: [2]uint8{1, 1}},
			illegal:  []string{"e3-e5", "e3xe5"}},
		{rule: "PP-6", name: "the last triangle may hold an opponent's",
			scenario: scenario{crews: []string{"e3", "e5"}, dice: [2]uint8{1, 1}},
			legal:    []string{"e3xe5"}, illegal: []string{"e3-e5"}},
		{rule: "PP-6", name: "opponents' rowboats may be entered",
			scenario: scenario{crews: []string{"j15", "h1"}, dice: [2]uint8{2, 2}},
			legal:    []string{"j15-j19"}},
		{rule: "PP-7", name: "a coin on the last triangle is taken",
			scenario: scenario{crews: []string{"e3", "j19"}, coins: "e5$", dice: [2]uint8{1, 1}},
			legal:    []string{"e3-e5@e5"}, illegal: []string{"e3-e5"}},
		{rule: "PP-7", name: "round a coin and over it are two moves",
			scenario: scenario{crews: []string{"e3", "j19"}, coins: "e4o", dice: [2]uint8{1, 3}},
			legal:    []string{"e3-c1@e4", "e3-c1"}},
		{rule: "PP-7", name: "a carrier neither attacks nor comes to a coin",
			scenario: scenario{crews: []string{"e3o", "e5"}, coins: "e1o f5$", dice: [2]uint8{1, 1}},
			illegal:  []string{"e3xe5", "e3-e1@e1", "e3-f5@f5", "e3-f5", "e3-e1"}},
		{rule: "PP-8", name: "a coin may be left, the move is bound as a carrier's",
			scenario: scenario{crews: []string{"e3o", "e5"}, coins: "e1o", dice: [2]uint8{1, 1}},
			only:     []string{"e3-d1", "e3-d3", "e3-f3", "e3-f5", "e3*-d1", "e3*-d3", "e3*-f3", "e3*-f5"}},
		{rule: "PP-9", name: "attacks of a pirate without a coin, on a carrier too",
			scenario: scenario{crews: []string{"e3", "e5o"}, dice: [2]uint8{1, 1}},
			legal:    []string{"e3xe5"}, illegal: []string{"e3xe5@e5"}},
		{rule: "PP-12", name: "not across the back",
			scenario: scenario{crews: []string{"e3/w", "e5/w j19/e"}, dice: [2]uint8{1, 1}, backs: true},
			illegal:  []string{"e3xe5/e", "e3xe5/s", "e3xe5/w"}},
		{rule: "PP-12", name: "across the other sides, with any new back",
			scenario: scenario{crews: []string{"e3/w", "e5/s j19/e"}, dice: [2]uint8{1, 1}, backs: true},
			legal:    []string{"e3xe5/e", "e3xe5/s", "e3xe5/w"}, illegal: []string{"e3xe5", "e3xe5/n"}},
		{rule: "PP-12", name: "round to another side if some path of the length does",
			scenario: scenario{crews: []string{"e3/w", "e4/w j19/e"}, dice: [2]uint8{4, 1}, backs: true},
			legal:    []string{"e3xe4/n"}},
		{rule: "PP-12", name: "the flat side of a downward triangle is n",
			scenario: scenario{crews: []string{"d2/n", "e4/n j19/e"}, dice: [2]uint8{1, 1}, backs: true},
			illegal:  []string{"d2xe4/n"}},
		{rule: "PP-12", name: "with backstabbing backs do not matter",
			scenario: scenario{crews: []string{"e3", "e5"}, dice: [2]uint8{1, 1}},
			legal:    []string{"e3xe5"}},
	} {
		t.Run(tc.rule+" "+tc.name, func(t *testing.T) {
			s := tc.state(t)
			got := notations(s)
			for _, n := range tc.legal {
				if !slices.Contains(got, n) {
					t.Errorf("%s: %s is not legal; moves %v", tc.rule, n, got)
				}
			}
			for _, n := range tc.illegal {
				if slices.Contains(got, n) {
					t.Errorf("%s: %s is legal; moves %v", tc.rule, n, got)
				}
			}
			if tc.only != nil && !slices.Equal(got, tc.only) {
				t.Errorf("%s: moves %v, want %v", tc.rule, got, tc.only)
			}
			_, forced := games.Forced(s)
			if want := slices.Equal(got, []string{"pass"}); forced != want {
				t.Errorf("%s: forced %v, want %v with the moves %v", tc.rule, forced, want, got)
			}
		})
	}
}

func TestAfter(t *testing.T) {
	for _, tc := range []struct {
		rule, name string
		scenario
		move   string
		crews  []string // expected crews, with their coins and backs
		coins  string
		silver [maxSeats]uint8
		winner int // seat of the winner, -1 if nobody wins
		why    string
		next   uint8 // seat of the next turn
	}{
		{rule: "PP-7", name: "a coin taken on the way is carried on",
			scenario: scenario{crews: []string{"e1", "j19"}, coins: "e3o g7$", dice: [2]uint8{2, 1}}, move: "e1-e4@e3",
			crews: []string{"e4o", "j19"}, coins: "g7$", winner: -1, next: 1},
		{rule: "PP-8", name: "a coin that is left lies where it stood",
			scenario: scenario{crews: []string{"e3$", "j19"}, dice: [2]uint8{1, 1}}, move: "e3*-e5",
			crews: []string{"e5", "j19"}, coins: "e3$", winner: -1, next: 1},
		{rule: "PP-9", name: "the attacker carries its victim's coin",
			scenario: scenario{crews: []string{"e3", "e5$ j19"}, dice: [2]uint8{1, 1}}, move: "e3xe5",
			crews: []string{"e5$", "j19"}, winner: -1, next: 1},
		{rule: "PP-E2", name: "passing over the silver space delivers nothing",
			scenario: scenario{crews: []string{"d2o", "i9", "j1"}, dice: [2]uint8{2, 2}}, move: "d2-b2",
			crews: []string{"b2o", "i9", "j1"}, winner: -1, next: 1},
		{rule: "PP-10", name: "silver brought home in the left corner, the pirate stays",
			scenario: scenario{crews: []string{"a1", "j19", "h1o"}, toMove: 2, dice: [2]uint8{1, 1}}, move: "h1-i1",
			crews: []string{"a1", "j19", "i1"}, silver: [maxSeats]uint8{2: 1}, winner: -1},
		{rule: "PP-10", name: "silver brought home",
			scenario: scenario{crews: []string{"c1o", "j19", "j1"}, dice: [2]uint8{1, 1}}, move: "c1-b1",
			crews: []string{"b1", "j19", "j1"}, silver: [maxSeats]uint8{1}, winner: -1, next: 1},
		{rule: "PP-10", name: "silver is not brought home to the gold space",
			scenario: scenario{crews: []string{"b1o", "j19", "j1"}, dice: [2]uint8{1, 1}}, move: "b1-a1",
			crews: []string{"a1o", "j19", "j1"}, winner: -1, next: 1},
		{rule: "PP-10", name: "nor to a rival's rowboat",
			scenario: scenario{crews: []string{"h1o", "j19", "a1"}, dice: [2]uint8{1, 1}}, move: "h1-i1",
			crews: []string{"i1o", "j19", "a1"}, winner: -1, next: 1},
		{rule: "PP-10", name: "gold is not brought home to a silver space",
			scenario: scenario{crews: []string{"c1$", "j19", "j1"}, dice: [2]uint8{1, 1}}, move: "c1-b1",
			crews: []string{"b1$", "j19", "j1"}, winner: -1, next: 1},
		{rule: "PP-10", name: "at once when taken in that move",
			scenario: scenario{crews: []string{"c1", "j19", "j1"}, coins: "b2o g7$", dice: [2]uint8{3, 1}},
			move:     "c1-b3@b2",
			winner:   -1, next: 1, crews: []string{"b3", "j19", "j1"}, coins: "g7$", silver: [maxSeats]uint8{1}},
		{rule: "PP-10", name: "at once when lying on the space",
			scenario: scenario{crews: []string{"c1", "j19", "j1"}, coins: "b1o", dice: [2]uint8{1, 1}},
			move:     "c1-b1@b1",
			crews:    []string{"b1", "j19", "j1"}, silver: [maxSeats]uint8{1}, winner: -1, next: 1},
		{rule: "PP-10", name: "at once when taken over in an attack",
			scenario: scenario{crews: []string{"c1", "b1o j19", "j1"}, dice: [2]uint8{1, 1}}, move: "c1xb1",
			crews: []string{"b1", "j19", "j1"}, silver: [maxSeats]uint8{1}, winner: -1, next: 1},
		{rule: "PP-11", name: "two silver coins win",
			scenario: scenario{crews: []string{"c1o", "j19", "j1"}, silver: [maxSeats]uint8{1, 1},
				dice: [2]uint8{1, 1}}, move: "c1-b1",
			crews: []string{"b1", "j19", "j1"}, silver: [maxSeats]uint8{2, 1}, winner: 0,
			why: "pirate-versus-pirate.why.silver"},
		{rule: "PP-11", name: "one silver coin each does not end the game",
			scenario: scenario{crews: []string{"c1o", "j19", "j1"}, coins: "g7$", silver: [maxSeats]uint8{0, 1, 1},
				dice: [2]uint8{1, 1}}, move: "c1-b1",
			crews: []string{"b1", "j19", "j1"}, coins: "g7$", silver: [maxSeats]uint8{1, 1, 1}, winner: -1, next: 1},
		{rule: "PP-11", name: "the gold wins",
			scenario: scenario{crews: []string{"b1$", "j19", "j1"}, dice: [2]uint8{1, 1}}, move: "b1-a1",
			crews: []string{"a1", "j19", "j1"}, winner: 0, why: "pirate-versus-pirate.why.gold"},
		{rule: "PP-11", name: "every rival gone",
			scenario: scenario{crews: []string{"e3", "e5"}, coins: "g7$", dice: [2]uint8{1, 1}}, move: "e3xe5",
			crews: []string{"e5", ""}, coins: "g7$", winner: 0, why: "pirate-versus-pirate.why.last"},
		{rule: "PP-11", name: "who has no pirates is skipped",
			scenario: scenario{crews: []string{"e3", "e5", "j1"}, dice: [2]uint8{1, 1}}, move: "e3xe5",
			crews: []string{"e5", "", "j1"}, winner: -1, next: 2},
		{rule: "PP-12", name: "the new back, and the victim's is gone",
			scenario: scenario{crews: []string{"e3/w", "e5/s j19/e"}, dice: [2]uint8{1, 1}, backs: true},
			move:     "e3xe5/e",
			crews:    []string{"e5/e", "j19/e"}, winner: -1, next: 1},
	} {
		t.Run(tc.rule+" "+tc.name, func(t *testing.T) {
			after := play(t, tc.state(t), tc.move).(state)
			want := fmt.Sprintf("%v [%s] %v", tc.crews, tc.coins, tc.silver[:len(tc.crews)])
			if got := describe(after); got != want {
				t.Errorf("%s: after %s: %s, want %s", tc.rule, tc.move, got, want)
			}
			r := after.Result()
			if tc.winner < 0 {
				if len(r.Winners) > 0 || after.ToMove() != games.Chance || after.turn != tc.next {
					t.Errorf("%s: after %s: result %+v, to move %d for seat %d, want a roll for seat %d", tc.rule,
						tc.move, r, after.ToMove(), after.turn, tc.next)
				}
				return
			}
			if !slices.Equal(r.Winners, []games.Seat{games.Seat(tc.winner)}) || r.Why.ID != tc.why ||
				after.ToMove() != games.Nobody {
				t.Errorf("%s: after %s: result %+v, want seat %d by %s", tc.rule, tc.move, r, tc.winner, tc.why)
			}
		})
	}
}

// The refusal of a coin tells the player to leave out the coin, and not the back after it.
func TestRefusedCoinKeepsTheBack(t *testing.T) {
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := scenario{crews: []string{"e3o/w", "j19/e"}, dice: [2]uint8{1, 1}, backs: true}.state(t)
	why, ok := s.Refuse("e3-d1@d1/w")
	for language, want := range map[string]string{"en": "from the island: leave out @d1", "de": "liegt: Lass @d1 weg"} {
		if said := sentences.Speaker(nil, language).Plain().Say(why.Why); !ok || !strings.HasSuffix(said, want) {
			t.Errorf("%t, %q, want %q", ok, said, want)
		}
	}
}

// describe returns a position in the notation of scenario.
func describe(s state) string {
	var crews []string
	word := func(t triangle) string {
		w := t.String() + [...]string{"", "o", "$"}[s.coin(t)]
		if back := s.back(t); back != noEdge {
			w += "/" + back.letter(t)
		}
		return w
	}
	words := func(set set) string {
		var list []string
		for !set.empty() {
			list = append(list, word(set.take()))
		}
		return strings.Join(list, " ")
	}
	for seat := range s.seats {
		crews = append(crews, words(s.crew[seat]))
	}
	return fmt.Sprintf("%v [%s] %v", crews, words(s.lying()), s.delivered[:s.seats])
}

// TestNeighbours: neighbours follow PP-1 and PP-E3.
func TestNeighbours(t *testing.T) {
	for name, want := range map[string]string{
		"a1": "b2", "b2": "a1 b1 b3", "b1": "b2 c2", "g7": "g6 g8 h8", "j1": "j2", "j2": "i1 j1 j3",
		"e4": "d3 e3 e5", "j19": "j18",
	} {
		var got []string
		for _, n := range neighbours[named(name)] {
			if n != nowhere {
				got = append(got, n.String())
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("PP-1 %s: neighbours %v, want %s", name, got, want)
		}
	}
	count := [4]int{}
	for x := range nowhere {
		n := 0
		for e, to := range neighbours[x] {
			if to == nowhere {
				continue
			}
			n++
			if neighbours[to][edge(e).facing()] != x {
				t.Errorf("PP-1 from %v by side %d to %v, but not back by the facing side", x, e, to)
			}
		}
		count[n]++
	}
	if count != [4]int{0, 3, 24, 73} {
		t.Errorf("PP-1 triangles by number of neighbours: %v, want 3 corners, 24 on the edges and 73 inside", count)
	}
}

// TestCorners: the corners follow PP-2, and the default backs of PP-12 turn with the board.
func TestCorners(t *testing.T) {
	for x := range nowhere {
		if y := x.turned().turned().turned(); y != x {
			t.Errorf("PP-2 %v turned three times is %v", x, y)
		}
		for _, n := range neighbours[x] {
			if n != nowhere && !slices.Contains(neighbours[x.turned()][:], n.turned()) {
				t.Errorf("PP-2 %v and %v are neighbours, turned %v and %v are not", x, n, x.turned(), n.turned())
			}
		}
	}
	for c, want := range []string{
		top:   "a1 b1 b2 b3, gold a1, silver b1 b3, crew b1 b3 c1 c2 c4 c5",
		right: "i17 j17 j18 j19, gold j19, silver i17 j17, crew h15 i16 i17 j15 j16 j17",
		left:  "i1 j1 j2 j3, gold j1, silver i1 j3, crew h1 i1 i2 j3 j4 j5",
	} {
		h := homes[c]
		words := func(s set) string {
			var list []string
			for !s.empty() {
				list = append(list, s.take().String())
			}
			return strings.Join(list, " ")
		}
		if got := fmt.Sprintf("%s, gold %v, silver %s, crew %s", words(h.boat), h.gold, words(h.silver),
			words(h.crew)); got != want {
			t.Errorf("PP-2 corner %d: %s, want %s", c, got, want)
		}
	}
	// Turning the triangle beyond a default back gives the triangle beyond the next corner's default back.
	for c := range defaultBacks {
		for i, x := range []string{"g7", "g6"} {
			x := named(x)
			beyond := neighbours[x][defaultBacks[c][i]]
			if got, want := neighbours[x.turned()][defaultBacks[(c+1)%3][i]], beyond.turned(); got != want {
				t.Errorf("PP-12 corner %d, %v: the next corner's back looks to %v, want %v", c, x, got, want)
			}
		}
	}
}

// TestStart: the starting position follows PP-3.
func TestStart(t *testing.T) {
	for seats, want := range map[int]string{
		2: "[h1 i1 i2 j3 j4 j5 h15 i16 i17 j15 j16 j17] [a1$ b1o b2o b3o] [0 0]",
		3: "[b1 b3 c1 c2 c4 c5 h15 i16 i17 j15 j16 j17 h1 i1 i2 j3 j4 j5] [g6o g7$ g8o h8o] [0 0 0]",
	} {
		if got := describe(state{newPosition(seats, false)}); got != want {
			t.Errorf("PP-3 %d players start %s, want %s", seats, got, want)
		}
	}
	if n := neighbours[named("g7")]; !slices.Equal(n[:], []triangle{named("h8"), named("g8"), named("g6")}) {
		t.Errorf("PP-3 round the gold on g7 are %v", n)
	}
}

// TestOpening: the opening rolls and their ties follow PP-4, and the first turn begins with a roll.
func TestOpening(t *testing.T) {
	for _, tc := range []struct {
		name  string
		seats int
		rolls string
		first uint8
	}{
		{"highest starts", 3, "roll 1 1,roll 4 1,roll 2 2", 1},
		{"the first seat may be highest", 2, "roll 4 4,roll 1 1", 0},
		{"two tie and roll again", 3, "roll 2 2,roll 1 1,roll 3 1,roll 1 1,roll 1 2", 2},
		{"who lost a round stays out of the next", 3, "roll 1 1,roll 4 4,roll 4 4,roll 1 1,roll 1 1,roll 2 1,roll 1 1", 1},
		{"all tie", 3, "roll 1 2,roll 2 1,roll 1 2,roll 1 1,roll 4 4,roll 1 1", 1},
	} {
		setup, err := games.NewSetup(Game, tc.seats)
		if err != nil {
			t.Fatal(err)
		}
		s := Game.New(setup)
		for i, r := range strings.Split(tc.rolls, ",") {
			if p := s.(state).phase; p != opening {
				t.Errorf("PP-4 %s: settled before roll %d", tc.name, i+1)
			}
			s = play(t, s, r)
		}
		if p := s.(state); p.phase != rolling || p.turn != tc.first || s.ToMove() != games.Chance {
			t.Errorf("PP-4 %s: after %s phase %d, seat %d, want a roll for seat %d", tc.name, tc.rolls, p.phase, p.turn,
				tc.first)
		}
		if s = play(t, s, "roll 1 1"); s.ToMove() != games.Seat(tc.first) {
			t.Errorf("PP-4 %s: seat %d moves first, want %d", tc.name, s.ToMove(), tc.first)
		}
	}
	s := state{newPosition(2, false)}
	var got []string
	for _, o := range s.Outcomes() {
		got = append(got, fmt.Sprintf("%d*%s", o.Weight, games.Spell(s, o.Move)))
	}
	if len(got) != 16 || got[0] != "1*roll 1 1" || got[1] != "1*roll 1 2" || got[15] != "1*roll 4 4" {
		t.Errorf("PP-4 outcomes %v, want sixteen of weight 1", got)
	}
}

// TestMissedTurn: a player without a move misses the turn (PP-5).
func TestMissedTurn(t *testing.T) {
	s := scenario{crews: []string{"a1", "b2 c3"}, dice: [2]uint8{1, 1}}.state(t)
	if m, ok := games.Forced(s); !ok || games.Spell(s, m) != "pass" {
		t.Fatalf("PP-5 forced %v, %v, want the pass; moves %v", m, ok, notations(s))
	}
	if after := play(t, s, "pass").(state); after.turn != 1 || after.phase != rolling {
		t.Errorf("PP-5 after the pass: seat %d, phase %d, want a roll for seat 1", after.turn, after.phase)
	}
}

// TestBacks: players set their backs before the first turn (PP-12).
func TestBacks(t *testing.T) {
	setup, err := games.NewSetup(Game, 3, games.Setting{Key: backstabbing, Value: "off"})
	if err != nil {
		t.Fatal(err)
	}
	s := play(t, Game.New(setup), "roll 1 1", "roll 4 4", "roll 1 1")
	if got, want := notations(s), []string{"h15/s", "h15/e", "h15/w", "ready"}; s.ToMove() != 1 || !slices.Equal(got,
		want) {
		t.Errorf("PP-12 seat %d chooses among %v, want seat 1 among %v", s.ToMove(), got, want)
	}
	s = play(t, s, "h15/w", "i16/n")
	if got := notations(s)[0]; got != "i17/s" {
		t.Errorf("PP-12 the third pirate is asked as %s, want i17/s", got)
	}
	s = play(t, s, "ready")
	if s.ToMove() != 2 {
		t.Errorf("PP-12 seat %d sets next, want 2", s.ToMove())
	}
	s = play(t, s, "h1/e", "i1/e", "i2/e", "j3/e", "j4/n", "j5/w")
	if s.ToMove() != 0 {
		t.Errorf("PP-12 seat %d sets last, want 0", s.ToMove())
	}
	s = play(t, s, "ready")
	want := "[b1/w b3/w c1/w c2/n c4/n c5/w h15/w i16/n i17/e j15/e j16/e j17/e h1/e i1/e i2/e j3/e j4/n j5/w] [g6o g7$ g8o h8o] [0 0 0]"
	if got := describe(s.(state)); got != want {
		t.Errorf("PP-12 set up as %s, want %s", got, want)
	}
	if p := s.(state); p.turn != 1 || p.phase != rolling {
		t.Errorf("PP-12 the first turn is seat %d's in phase %d, want a roll for seat 1", p.turn, p.phase)
	}
	left := state{newPosition(2, true)}
	left.turn, left.phase = 0, turning
	if got := describe(play(t, left, "ready").(state)); !strings.HasPrefix(got, "[h1/s i1/s i2/w j3/s j4/w j5/s ") {
		t.Errorf("PP-12 the left corner's default backs: %s", got)
	}
}

// TestOption: backstabbing is allowed by default (PP-12).
func TestOption(t *testing.T) {
	setup, err := games.NewSetup(Game, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := play(t, Game.New(setup), "roll 1 1", "roll 4 4", "roll 1 1")
	if got := notations(s); !slices.Contains(got, "h15-h13") {
		t.Errorf("PP-12 by default moves have no backs: %v", got)
	}
}

// TestTurnOrder: turns go clockwise (PP-4).
func TestTurnOrder(t *testing.T) {
	for seats, want := range map[int][]corner{2: {left, right}, 3: {top, right, left}} {
		if got := layouts[seats].corners; !slices.Equal(got, want) {
			t.Errorf("PP-4 %d seats sit at %v, want %v", seats, got, want)
		}
	}
	s := scenario{crews: []string{"a1", "g7", "j1"}, dice: [2]uint8{1, 1}}.state(t)
	var turns []uint8
	for range 4 {
		turns = append(turns, s.turn)
		s = s.Apply(s.Moves()[0]).(state)
		s = play(t, s, "roll 1 1").(state)
	}
	if !slices.Equal(turns, []uint8{0, 1, 2, 0}) {
		t.Errorf("PP-4 turns go %v", turns)
	}
}

// TestPath: the path that the picture shows for a move is legal (PP-6, PP-7, PP-12). Its length equals the roll. It
// passes the taken coin, but no other coin, no pirate, and not the victim's back.
func TestPath(t *testing.T) {
	for _, setup := range gametest.Setups(Game) {
		s := Game.New(setup).Sim().(*sim)
		rng := games.NewRand(3)
		for s.ToMove() != games.Nobody {
			before := s.position
			m := s.PlayRandom(rng)
			if kindOf(m) != stepKind {
				continue
			}
			way := before.path(m)
			bad := len(way) != before.steps() || way[len(way)-1] != toOf(m)
			at, coins := fromOf(m), 0
			for i, next := range way {
				if bad {
					break
				}
				side := slices.Index(neighbours[at][:], next)
				bad = side < 0 || slices.Contains(way[:i], next) || next == fromOf(m) ||
					i < len(way)-1 && before.pirates().has(next) ||
					m&attackBit != 0 && next == toOf(m) && before.facing && before.back(next) == edge(side).facing()
				if before.lying().has(next) {
					coins++
					bad = bad || next != coinOf(m)
				}
				at = next
			}
			if bad || (coins == 1) != (coinOf(m) != nowhere) {
				t.Fatalf("%s: %s goes %v in %s", gametest.Name(setup), games.Spell(state{before}, m), way,
					gametest.JSON(t, state{before}))
			}
		}
	}
}

// PP-12: the picture of a game that was stopped marks no pirate that needs a back.
func TestPP12_StoppedGameAsksForNoBack(t *testing.T) {
	setup := games.Setup{Seats: 2, Options: []games.Setting{{Key: backstabbing, Value: "off"}}}
	s := play(t, Game.New(setup), "roll 4 4", "roll 1 1").(state)
	marks := func(s games.State) int { return len(s.Scene(games.Spectator, nil).Marks) }
	if n, m := marks(s), marks(s.Stopped()); n != 1 || m != 0 {
		t.Errorf("PP-12: %d marks, and %d when stopped; want 1 and 0", n, m)
	}
}
