package pirat

import (
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/gametest"
)

// parseCards reads cards in the rules' notation.
func parseCards(t *testing.T, list string) (w cards) {
	t.Helper()
	for _, name := range strings.Fields(list) {
		found := false
		for k := card(0); int(k) < kinds; k++ {
			if k.String() == name {
				w += units[k]
				found = true
			}
		}
		if !found {
			t.Fatalf("no card %q", name)
		}
	}
	return w
}

// table returns a position with these hands and this stack. Seat 0 is to move, no ship is in play, and all other cards
// have been played.
func table(t *testing.T, stack string, hands ...string) games.State {
	t.Helper()
	p := position{seats: uint8(len(hands)), phase: playing, seen: all - parseCards(t, stack)}
	for seat, h := range hands {
		w := parseCards(t, h)
		p.hands[seat], p.sizes[seat] = w, uint8(w.size())
		p.seen -= w
	}
	p.stack = uint8(parseCards(t, stack).size())
	for k := card(0); int(k) < kinds; k++ {
		n := strings.Count(" "+strings.Join(append(hands, stack, ""), " ")+" ", " "+k.String()+" ")
		if n > k.copies() {
			t.Fatalf("a table with %d of %v", n, k)
		}
	}
	return state{p}
}

// plays applies moves and outcomes given in notation.
func plays(t *testing.T, s games.State, notations ...string) games.State {
	t.Helper()
	for _, n := range notations {
		find := games.FindMove
		if s.ToMove() == games.Chance {
			find = games.FindOutcome
		}
		m, err := find(s, n)
		if err != nil {
			t.Fatalf("%q is not possible: %v\n%s", n, err, gametest.JSON(t, s))
		}
		s = s.Apply(m)
	}
	return s
}

// drawn lets n seats draw in turn. Each draw yields the first of the possible outcomes.
func drawn(t *testing.T, s games.State, n int) games.State {
	t.Helper()
	for range n {
		s = plays(t, s, "draw")
		s = s.Apply(s.Outcomes()[0].Move)
	}
	return s
}

// listed returns the legal moves in notation.
func listed(s games.State) (list []string) {
	for _, m := range s.Moves() {
		list = append(list, games.Spell(s, m))
	}
	return list
}

func wantMoves(t *testing.T, rule string, s games.State, want ...string) {
	t.Helper()
	if got := listed(s); !slices.Equal(got, want) {
		t.Errorf("%s: moves are %q, want %q\n%s", rule, got, want, gametest.JSON(t, s))
	}
}

// wantTable compares the ships in play and the gold of each seat.
func wantTable(t *testing.T, rule string, s games.State, ships string, gold ...uint8) {
	t.Helper()
	p := s.(state).pos
	var names []string
	for _, i := range p.inPlay() {
		names = append(names, shipName(i))
	}
	if got := strings.Join(names, " "); got != ships {
		t.Errorf("%s: ships in play %q, want %q", rule, got, ships)
	}
	if got := p.gold[:p.seats]; !slices.Equal(got, gold) {
		t.Errorf("%s: gold %v, want %v", rule, got, gold)
	}
}

const someStack = "blue4 blue4 yellow2 yellow2 yellow3 yellow3 yellow3"

func TestPI1Deal(t *testing.T) {
	for seats := leastSeats; seats <= mostSeats; seats++ {
		s := Game.New(games.Setup{Seats: seats})
		for n := range seats * handSize {
			total := 0
			for _, o := range s.Outcomes() {
				total += o.Weight
			}
			if s.ToMove() != games.Chance || total != deckSize-n {
				t.Fatalf("PI-1, %d seats: after %d cards %d is to move, %d cards are left", seats, n, s.ToMove(), total)
			}
			if got, want := s.(state).pos.turn, int8(n/handSize); got != want {
				t.Errorf("PI-1, %d seats: card %d goes to seat %d, want %d", seats, n, got, want)
			}
			s = s.Apply(s.Outcomes()[0].Move)
		}
		if s.ToMove() != 0 {
			t.Errorf("PI-1, %d seats: after the deal %d is to move, want seat 0", seats, s.ToMove())
		}
		if got := int(s.(state).pos.stack); got != deckSize-seats*handSize {
			t.Errorf("PI-1, %d seats: %d cards in the stack", seats, got)
		}
	}
}

func TestComponents(t *testing.T) {
	s := Game.New(games.Setup{Seats: 2})
	weights := map[string]int{}
	for _, o := range s.Outcomes() {
		weights[games.Spell(s, o.Move)] = o.Weight
	}
	for _, c := range colorNames {
		for n, want := range map[string]int{"1": 2, "2": 3, "3": 3, "4": 2, "": 1} {
			if got := weights["deal "+c+n]; got != want {
				t.Errorf("%d cards %s%s, want %d", got, c, n, want)
			}
		}
	}
	for n, want := range map[string]int{"2": 5, "3": 5, "4": 5, "5": 5, "6": 1, "admiral": 1} {
		if got := weights["deal "+n]; got != want {
			t.Errorf("%d cards %s, want %d", got, n, want)
		}
	}
	if len(weights) != kinds || all.size() != deckSize || all.gold() != 76 {
		t.Errorf("%d kinds, %d cards, %d gold; want 26, 66, 76", len(weights), all.size(), all.gold())
	}
}

func TestPI2Harbour(t *testing.T) {
	s := plays(t, table(t, someStack, "5 red1", "red2", "red3"), "launch 5")
	wantTable(t, "PI-2 launched", s, "S1", 0, 0, 0)
	s = drawn(t, s, 1)
	wantTable(t, "PI-2 not yet home", s, "S1", 0, 0, 0)
	s = drawn(t, s, 1)
	wantTable(t, "PI-2 harbour at the start of the owner's turn", s, "", 5, 0, 0)
	if s.ToMove() != 0 {
		t.Errorf("PI-2: the prize took the turn: %d is to move", s.ToMove())
	}
}

func TestPI2SeveralPrizesAtOnce(t *testing.T) {
	s := table(t, someStack, "5 2", "4 red3 green3", "")
	s = drawn(t, plays(t, s, "launch 5", "attack S1 red3"), 1)
	s = plays(t, s, "launch 2") // the next turn begins, and seat 1 takes S1
	wantTable(t, "PI-2 attacker", s, "S2", 0, 5, 0)
	s = drawn(t, plays(t, s, "launch 4"), 1)
	wantTable(t, "PI-2 harbour", s, "S3", 2, 5, 0)
}

func TestPI3(t *testing.T) {
	wantMoves(t, "PI-3 draw or play", table(t, someStack, "5 5 red3 blue admiral", "red2"), "draw", "launch 5")
	wantMoves(t, "PI-3 empty hand", table(t, someStack, "", "red2"), "draw")
	wantMoves(t, "PI-3 empty stack", table(t, "", "5 red3 red3 blue admiral", "red2"),
		"launch 5", "discard red3", "discard blue", "discard admiral")
	wantMoves(t, "PI-3 [D] only trading ships", table(t, "", "5 3", "red2"), "launch 3", "launch 5")
	s := plays(t, table(t, "", "5 red3", "red2 red1"), "discard red3")
	wantTable(t, "PI-3 discard", s, "", 0, 0)
	if s.ToMove() != 1 || s.(state).pos.sizes[0] != 1 {
		t.Errorf("PI-3: after a discard %d is to move, sizes %v", s.ToMove(), s.(state).pos.sizes)
	}
}

func TestForcedDraw(t *testing.T) {
	for _, tc := range []struct {
		stack, hand string
		forced      bool
	}{{someStack, "", true}, {someStack, "red3", false}, {"", "5", false}} {
		s := table(t, tc.stack, tc.hand, "red2 red3")
		for _, v := range []games.Seat{games.Spectator, 0, 1} {
			m, ok := games.Forced(games.Mask(s, v))
			if ok != tc.forced || ok && games.Spell(s, m) != "draw" {
				t.Errorf("hand %q: forced for %d: %v %v, want %v", tc.hand, v, m, ok, tc.forced)
			}
		}
	}
}

func TestPI4NumbersAreNeverReused(t *testing.T) {
	s := table(t, someStack, "5 2 3", "red1")
	s = drawn(t, plays(t, s, "launch 5"), 1)
	wantTable(t, "PI-4", s, "", 5, 0)
	s = plays(t, s, "launch 2")
	wantTable(t, "PI-4", s, "S2", 5, 0)
}

func TestPI5(t *testing.T) {
	// Seat 0 launches a ship, and the next three seats attack it. Seat 0 joins them in its next turn.
	s := table(t, someStack, "5 blue3", "red3 red2 red1 green1", "red4 green4 yellow2", "red2 yellow1",
		"red1 red1 yellow4 blue2 green")
	s = plays(t, s, "launch 5")
	wantMoves(t, "PI-5 any colour", s, "draw", "attack S1 red1", "attack S1 red2", "attack S1 red3", "attack S1 green1")
	s = plays(t, s, "attack S1 red3")
	wantMoves(t, "PI-5 not another's colour", s, "draw", "attack S1 green4", "attack S1 yellow2")
	s = plays(t, s, "attack S1 green4", "attack S1 yellow1")
	wantMoves(t, "PI-5 a free colour", s, "draw", "attack S1 blue2")
	s = drawn(t, s, 1)
	wantMoves(t, "PI-5 one's own ship", s, "draw", "attack S1 blue3")
	s = plays(t, s, "attack S1 blue3")
	wantMoves(t, "PI-5 one colour each", s, "draw", "attack S1 red1", "attack S1 red2")
	s = plays(t, s, "attack S1 red1")
	if sh := s.(state).pos.ships[0]; sh.skulls(1) != 4 || sh.leader != nobody {
		t.Errorf("PI-5: red3 and red1 make %d skulls, leader %d", sh.skulls(1), sh.leader)
	}
	s = drawn(t, s, 2)
	wantMoves(t, "PI-5 at most four attack", s, "draw")
}

func TestPI5ColoursAreByShip(t *testing.T) {
	s := table(t, someStack, "5 5 green1", "red1 green1 red2", "red2 green2")
	s = plays(t, s, "launch 5", "attack S1 red1", "attack S1 green2", "launch 5")
	wantMoves(t, "PI-5 another ship, another colour", s, "draw", "attack S1 red2", "attack S2 red2", "attack S2 green1")
}

func TestPI6(t *testing.T) {
	s := table(t, someStack, "5 red4 red4", "green1 green", "blue2 blue red")
	s = plays(t, s, "launch 5")
	wantMoves(t, "PI-6 not without a ship of the colour", s, "draw", "attack S1 green1")
	s = plays(t, s, "attack S1 green1", "attack S1 blue2", "attack S1 red4")
	wantMoves(t, "PI-6 the pirate's colour", s, "draw", "pirate S1 green")
	s = plays(t, s, "pirate S1 green")
	wantMoves(t, "PI-6 not the red pirate on another's red", s, "draw", "pirate S1 blue")
	s = drawn(t, s, 1)
	s = plays(t, s, "attack S1 red4")
	wantTable(t, "PI-6 stronger than any number of skulls", s, "", 0, 5, 0)

	s = table(t, someStack, "5 red4", "green1 green", "blue2 blue")
	s = plays(t, s, "launch 5", "attack S1 green1", "attack S1 blue2", "attack S1 red4", "pirate S1 green",
		"pirate S1 blue")
	if sh := s.(state).pos.ships[0]; sh.leader != 2 || sh.pirate(1) != 1 || sh.pirate(2) != 2 {
		t.Errorf("PI-6: the last pirate is not the strongest: %+v", sh)
	}
	s = drawn(t, s, 2)
	wantTable(t, "PI-6 last one wins", s, "", 0, 0, 5)
}

func TestPI7(t *testing.T) {
	s := table(t, someStack, "5 2 admiral red1", "green1", "3 blue1")
	wantMoves(t, "PI-7 no ship", s, "draw", "launch 2", "launch 5")
	s = plays(t, s, "launch 5", "attack S1 green1", "launch 3")
	// S1 is attacked and belongs to seat 0. S2 belongs to another seat.
	wantMoves(t, "PI-7 an own ship under attack", s, "draw", "launch 2", "attack S1 red1", "admiral S1",
		"attack S2 red1")
	s = plays(t, s, "admiral S1")
	wantTable(t, "PI-7 scores at once", s, "S2", 5, 0, 0)
	if got := s.(state).pos.seen.count(admiral); got != 1 {
		t.Errorf("PI-7: %d admirals seen", got)
	}
}

func TestPI8(t *testing.T) {
	s := table(t, someStack, "5", "green2 green1", "blue2")
	s = plays(t, s, "launch 5", "attack S1 green2", "attack S1 blue2")
	s = drawn(t, s, 4)
	wantTable(t, "PI-8 a tie keeps the ship in play", s, "S1", 0, 0, 0)
	s = plays(t, s, "attack S1 green1")
	wantTable(t, "PI-8 not before its turn", s, "S1", 0, 0, 0)
	s = drawn(t, s, 2)
	wantTable(t, "PI-8 broken", s, "", 0, 5, 0)
}

func TestPI9(t *testing.T) {
	// PI-9: a player plays the last card of a hand while the stack is empty.
	s := plays(t, table(t, "", "5", "red1 red2"), "launch 5")
	wantTable(t, "PI-9 unattacked to the one who launched", s, "", 5, 0)
	// PI-9: the last card of the stack is drawn while another hand is empty.
	s = table(t, "blue1", "red1", "", "4")
	if s.ToMove() == games.Nobody {
		t.Error("PI-9: an empty hand alone ends the game")
	}
	s = drawn(t, s, 1)
	if s.ToMove() != games.Nobody {
		t.Errorf("PI-9: after the last draw with an empty hand %d is to move", s.ToMove())
	}
	if r := s.Result(); !slices.Equal(r.Scores, []int{0, 0, -4}) || !slices.Equal(r.Winners, []games.Seat{0, 1}) ||
		r.Drawn {
		t.Errorf("PI-9, PI-10: %+v", r)
	}
	// PI-9: the game continues if the last card of the stack is drawn into an empty hand.
	if s = drawn(t, table(t, "blue1", "", "red1"), 1); s.ToMove() != 1 {
		t.Errorf("PI-9: the drawn card is in hand, so no hand is empty, but %d is to move", s.ToMove())
	}
	// At the end an attacked ship goes to its strongest attacker, and a tied ship to nobody. This does not depend on
	// the seat that would be next.
	s = table(t, "", "5 4 3 red1 yellow1", "green2 green1 green3 red2", "blue2 blue1 blue3")
	s = plays(t, s, "launch 5", "attack S1 green2", "attack S1 blue2", // S1 is tied
		"launch 4", "attack S2 green1", "attack S2 blue3", // seat 2 wins S2
		"launch 3", "attack S3 green3", "discard blue1")
	wantTable(t, "PI-9 award", s, "S1", 0, 3, 4)
	if r := s.Result(); !slices.Equal(r.Winners, []games.Seat{2}) || !slices.Equal(r.Scores, []int{0, 3, 4}) {
		t.Errorf("PI-9: %+v", r)
	}
}

func TestPI10(t *testing.T) {
	s := table(t, "", "6 5 red1", "2 4")
	s = plays(t, s, "launch 5", "launch 2", "discard red1", "launch 4")
	// Seat 0 has S1 (5) in harbour and 6 in hand. Seat 1 has S2 (2) and S3 (4).
	if r := s.Result(); !slices.Equal(r.Scores, []int{-1, 6}) || !slices.Equal(r.Winners, []games.Seat{1}) {
		t.Errorf("PI-10: %+v\n%s", r, gametest.JSON(t, s))
	}
	s = plays(t, table(t, "", "3", "red1 red2"), "launch 3")
	if r := s.Result(); !slices.Equal(r.Winners, []games.Seat{0}) || !slices.Equal(r.Scores, []int{3, 0}) {
		t.Errorf("PI-10: %+v", r)
	}
}

func TestExamples(t *testing.T) {
	const a, b, c = "5", "red3 red2 red", "red1 green4 green"
	e1 := plays(t, table(t, someStack, a, b, c), "launch 5", "attack S1 red3")
	if got := listed(e1); slices.Contains(got, "attack S1 red1") {
		t.Errorf("PI-E1: C may attack in red: %q", got)
	}
	e1 = drawn(t, plays(t, e1, "attack S1 green4"), 1)
	wantTable(t, "PI-E1 at B's next turn nothing", e1, "S1", 0, 0, 0)
	after := drawn(t, e1, 1)
	wantTable(t, "PI-E1 C takes S1", after, "", 0, 0, 5)

	e2 := plays(t, e1, "attack S1 red2")
	wantTable(t, "PI-E2 C takes nothing", e2, "S1", 0, 0, 0)
	wantTable(t, "PI-E2 B takes S1", drawn(t, e2, 2), "", 0, 5, 0)

	e3 := plays(t, e2, "pirate S1 green")
	e3 = plays(t, drawn(t, e3, 1), "pirate S1 red")
	if sh := e3.(state).pos.ships[0]; sh.leader != 1 {
		t.Errorf("PI-E3: the strongest is %d, want B", sh.leader)
	}
	wantTable(t, "PI-E3 B takes S1", drawn(t, e3, 2), "", 0, 5, 0)
}

// PI-E2: the other case of the example, in which another player has drawn level.
func TestExample2Level(t *testing.T) {
	s := plays(t, table(t, someStack, "5", "red3 red2", "green4 green1"),
		"launch 5", "attack S1 red3", "attack S1 green4", "draw", "deal blue4", "attack S1 red2", "attack S1 green1",
		"draw", "deal blue4")
	wantTable(t, "PI-E2 level", s, "S1", 0, 0, 0)
}

// PI-11: the game continues without a player who leaves.
func TestWithdraw(t *testing.T) {
	s := table(t, someStack, "5 4", "red3 red1", "6 green1")
	s = plays(t, s, "launch 5", "attack S1 red3")
	s = s.(state).Withdraw(1)
	p := s.(state).pos
	if p.sizes[1] != 0 || p.seen.count(0) != 2 || s.ToMove() != 2 {
		t.Errorf("withdrawn: sizes %v, red1 seen %d, %d to move", p.sizes, p.seen.count(0), s.ToMove())
	}
	s = plays(t, s, "draw", "deal blue4", "launch 4")
	if s.ToMove() != 2 {
		t.Errorf("seat 1 has left, but after seat 0 %d is to move", s.ToMove())
	}
	wantTable(t, "what the leaver leads stays", s, "S1 S2", 0, 0, 0)
	s = s.(state).Withdraw(2) // seat 2 leaves in its turn, and the next seat's turn begins
	if s.ToMove() != 0 {
		t.Errorf("seat 2 left on its turn; %d is to move, want 0", s.ToMove())
	}
	wantTable(t, "PI-2 after a leaver's turn", s, "S1", 4, 0, 0)

	// PI-11: the empty hand of a player who left does not end the game. Ships led by that player are scored by nobody.
	s = table(t, "", "5 red1", "green3 green1", "blue1 blue1")
	s = plays(t, s, "launch 5", "attack S1 green3").(state).Withdraw(1)
	if s.ToMove() != 2 {
		t.Fatalf("the leaver's empty hand ended the game: %d to move", s.ToMove())
	}
	s = plays(t, s, "attack S1 blue1", "discard red1")
	if r := s.Result(); s.ToMove() != games.Nobody || !slices.Equal(r.Winners, []games.Seat{0, 2}) ||
		!slices.Equal(r.Scores, []int{0, 0, 0}) {
		t.Errorf("%d to move, %+v", s.ToMove(), r)
	}
	wantTable(t, "a leaver scores nothing", s, "S1", 0, 0, 0)
}
