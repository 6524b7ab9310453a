package freebooter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/gametest"
)

// reference is a second, simple implementation of Freebooter, written only from the rules file. It uses maps with the
// names of the rules, and no bit sets.
type reference struct {
	seats    int
	counters map[string]string // counter on each point, such as "5", "warehouse" or "double5"
	boarded  map[string]int    // seat that boarded each point
	boats    map[string][]int  // seats of the boats in each square
	hands    []map[string]int  // number of each card in each hand, by seat
	stacks   [2]map[string]int // number of each card: the sea stack, then the Dutchman stack
	left     map[string]int    // counters not laid yet
	money    []int
	debt     []int
	pool     []int
	ships    []map[string]int
	doubled  map[string]bool
	dutchman string
	waiting  map[string]bool
	turn     int
	phase    string // lay, deal, turn, resolve, draw, sea, dutchman, over
}

func pointNames() (names []string) {
	for r := '1'; r <= '6'; r++ {
		for c := 'A'; c <= 'F'; c++ {
			names = append(names, string([]rune{c, c + 1, r, r + 1}))
		}
	}
	return names
}

// fourSquares returns the squares that a point touches.
func fourSquares(point string) []string {
	c, r := point[0], point[2]
	return []string{
		string([]byte{c, r}), string([]byte{c + 1, r}), string([]byte{c, r + 1}), string([]byte{c + 1, r + 1}),
	}
}

func newReference(seats int) *reference {
	r := &reference{
		seats: seats, counters: map[string]string{}, boarded: map[string]int{}, boats: map[string][]int{},
		left: map[string]int{"5": 7, "10": 7, "15": 7, "20": 7, "warehouse": 4, "double5": 1, "double10": 1,
			"double15": 1, "double20": 1},
		stacks: [2]map[string]int{{}, {}}, doubled: map[string]bool{}, waiting: map[string]bool{}, phase: "lay",
	}
	for c := 'A'; c <= 'G'; c++ {
		for n := '1'; n <= '7'; n++ {
			r.stacks[0][string(c)+string(n)] = 2
			if c == 'A' || c == 'G' || n == '1' || n == '7' {
				r.stacks[0][string(c)+string(n)] = 1
			}
		}
		r.stacks[1]["column"+string(c)] = 1
		r.stacks[1]["row"+string('1'+c-'A')] = 1
	}
	for range seats {
		r.hands = append(r.hands, map[string]int{})
		r.ships = append(r.ships, map[string]int{})
		r.money, r.debt, r.pool = append(r.money, 20), append(r.debt, 0), append(r.pool, 25)
	}
	return r
}

func isLine(card string) bool {
	return strings.HasPrefix(card, "row") || strings.HasPrefix(card, "column")
}

func size(cards map[string]int) int {
	n := 0
	for _, k := range cards {
		n += k
	}
	return n
}

// count returns the number of Dutchman cards (if lines is set) or of sea cards in a hand.
func count(cards map[string]int, lines bool) int {
	n := 0
	for c, k := range cards {
		if isLine(c) == lines {
			n += k
		}
	}
	return n
}

func (r *reference) encircled(point string) bool {
	for _, s := range fourSquares(point) {
		if len(r.boats[s]) == 0 && r.dutchman != s {
			return false
		}
	}
	return true
}

func isShip(kind string) bool { return kind == "5" || kind == "10" || kind == "15" || kind == "20" }

// chance returns the outcomes with their weights.
func (r *reference) chance() map[string]int {
	list := map[string]int{}
	add := func(verb string, from map[string]int) {
		for k, n := range from {
			if n > 0 {
				list[verb+" "+k] = n
			}
		}
	}
	switch r.phase {
	case "lay":
		add("lay", r.left)
	case "deal":
		if count(r.hands[r.turn], false) < 4 {
			add("deal", r.stacks[0])
		} else {
			add("deal", r.stacks[1])
		}
	case "sea":
		add("deal", r.stacks[0])
	case "dutchman":
		add("deal", r.stacks[1])
	}
	return list
}

func (r *reference) moves() []string {
	var list []string
	switch r.phase {
	case "turn":
		for point, kind := range r.counters {
			if _, taken := r.boarded[point]; isShip(kind) && !taken && r.pool[r.turn] > 0 {
				list = append(list, "board "+point)
			}
		}
		for card, n := range r.hands[r.turn] {
			switch {
			case n == 0:
			case isLine(card):
				line := card[len(card)-1]
				for c := byte('A'); c <= 'G'; c++ {
					for row := byte('1'); row <= '7'; row++ {
						if c != line && row != line {
							continue
						}
						s := string([]byte{c, row})
						before := map[string]bool{}
						for p := range r.counters {
							before[p] = r.encircled(p)
						}
						r.dutchman = s
						for p := range r.counters {
							if !before[p] && r.encircled(p) {
								list = append(list, "dutchman "+card+" "+s)
								break
							}
						}
						r.dutchman = ""
					}
				}
			default:
				list = append(list, "sail "+card)
				if len(r.boats[card]) > 0 {
					list = append(list, "sail "+card+" $")
				}
			}
		}
	case "resolve":
		for p := range r.waiting {
			list = append(list, "resolve "+p)
		}
	case "draw":
		list = append(list, "draw sea")
		if size(r.stacks[1]) > 0 && count(r.hands[r.turn], false) > 0 {
			list = append(list, "draw dutchman")
		}
	}
	return list
}

func (r *reference) play(text string) {
	w := strings.Fields(text)
	switch w[0] {
	case "lay":
		for _, p := range pointNames() {
			if r.counters[p] == "" {
				r.counters[p] = w[1]
				break
			}
		}
		r.left[w[1]]--
		if len(r.counters) == 36 {
			r.phase = "deal"
		}
	case "deal":
		k := 0
		if isLine(w[1]) {
			k = 1
		}
		r.stacks[k][w[1]]--
		r.hands[r.turn][w[1]]++
		if r.phase != "deal" {
			r.next()
		} else if k == 1 {
			r.turn++
			if r.turn == r.seats {
				r.turn, r.phase = 0, "turn"
			}
		}
	case "board":
		r.boarded[w[1]] = r.turn
		r.pool[r.turn]--
		if !r.noBoats() {
			r.next()
		}
	case "sail":
		r.hands[r.turn][w[1]]--
		if len(w) == 3 {
			r.money[r.turn] += 2
			r.after()
			return
		}
		r.pool[r.turn]--
		r.boats[w[1]] = append(r.boats[w[1]], r.turn)
		r.placed()
	case "dutchman":
		r.hands[r.turn][w[1]]--
		r.dutchman = w[2]
		r.placed()
	case "resolve":
		r.settle(w[1])
		r.settleLast()
	case "draw":
		r.phase = w[1]
	}
}

func (r *reference) next() { r.turn, r.phase = (r.turn+1)%r.seats, "turn" }

func (r *reference) placed() {
	for p := range r.counters {
		if r.encircled(p) {
			r.waiting[p] = true
		}
	}
	r.phase = "resolve"
	r.settleLast()
}

func (r *reference) settleLast() {
	if r.phase == "over" {
		return
	}
	if len(r.waiting) == 1 {
		for p := range r.waiting {
			r.settle(p)
		}
	}
	if r.phase != "over" && len(r.waiting) == 0 {
		r.after()
	}
}

func (r *reference) settle(p string) {
	kind := r.counters[p]
	delete(r.counters, p)
	delete(r.waiting, p)
	owner, taken := r.boarded[p]
	delete(r.boarded, p)
	switch {
	case kind == "warehouse":
		houses := 0
		for _, s := range fourSquares(p) {
			for _, b := range r.boats[s] {
				r.money[b] += 2
			}
		}
		for _, k := range r.counters {
			if k == "warehouse" {
				houses++
			}
		}
		if houses == 0 {
			r.phase = "over"
		}
	case !isShip(kind):
		r.doubled[strings.TrimPrefix(kind, "double")] = true
	case taken:
		r.ships[owner][kind]++
		r.pool[owner]++
		share := map[string]int{"5": 1, "10": 2, "15": 3, "20": 4}[kind]
		for _, s := range fourSquares(p) {
			for _, b := range r.boats[s] {
				if b == owner {
					continue
				}
				r.money[b] += share
				r.money[owner] -= share
			}
		}
		if short := -r.money[owner]; short > 0 {
			if r.debt[owner] == 0 {
				r.pool[owner]--
			}
			r.debt[owner] += short
			r.money[owner] = 0
		}
	}
}

func (r *reference) noBoats() bool {
	if slices.Contains(r.pool, 0) {
		r.phase = "over"
		return true
	}
	return false
}

func (r *reference) after() {
	r.dutchman = ""
	switch {
	case r.noBoats():
	case size(r.stacks[0]) == 0:
		r.phase = "over"
	default:
		r.phase = "draw"
	}
}

func (r *reference) scores() []int {
	var list []int
	for s := range r.seats {
		sum := r.money[s] - 2*r.debt[s]
		for kind, n := range r.ships[s] {
			value := map[string]int{"5": 5, "10": 10, "15": 15, "20": 20}[kind]
			if r.doubled[kind] {
				value *= 2
			}
			sum += n * value
		}
		list = append(list, sum)
	}
	return list
}

func (r *reference) toMove() games.Seat {
	switch r.phase {
	case "turn", "resolve", "draw":
		return games.Seat(r.turn)
	case "over":
		return games.Nobody
	}
	return games.Chance
}

// TestReference plays random games with both implementations and compares moves, outcomes with weights, players, boats
// and scores.
func TestReference(t *testing.T) {
	for seed := range uint64(60) {
		seats := 2 + int(seed)%3
		rng := newRand(seed)
		s := Game.New(games.Setup{Seats: seats})
		r := newReference(seats)
		var log []string
		for s.ToMove() != games.Nobody {
			if r.toMove() != s.ToMove() {
				t.Fatalf("seats %d: %d to move, want %d, after %v", seats, s.ToMove(), r.toMove(), log)
			}
			got, want := moves(s), r.moves()
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("seats %d: moves %v, want %v, after %v", seats, got, want, log)
			}
			weights := map[string]int{}
			for _, o := range s.Outcomes() {
				weights[games.Spell(s, o.Move)] = o.Weight
			}
			if chance := r.chance(); !maps.Equal(weights, chance) {
				t.Fatalf("seats %d: outcomes %v, want %v, after %v", seats, weights, chance, log)
			}
			m, next := gametest.Random(s, rng)
			text := games.Spell(s, m)
			log = append(log, text)
			r.play(text)
			s = next
			compare(t, s, r, log)
		}
		if r.phase != "over" {
			t.Fatalf("over, but the rules go on with %v, after %v", r.moves(), log)
		}
		expect(t, fmt.Sprintf("scores after %v", log), s.Result().Scores, r.scores())
	}
}

func compare(t *testing.T, s games.State, r *reference, log []string) {
	t.Helper()
	var j stateJSON
	if err := json.Unmarshal([]byte(gametest.JSON(t, s)), &j); err != nil {
		t.Fatal(err)
	}
	for seat, p := range j.Players {
		var cards []string
		for c, n := range r.hands[seat] {
			cards = append(cards, slices.Repeat([]string{c}, n)...)
		}
		slices.Sort(cards)
		slices.Sort(p.Hand)
		if p.Money != r.money[seat] || p.Debt != r.debt[seat] || p.Boats != r.pool[seat] || !slices.Equal(p.Hand,
			cards) ||
			p.Sea != count(r.hands[seat], false) || p.Lines != count(r.hands[seat], true) {
			t.Fatalf("seat %d is %+v, want money %d, debt %d, boats %d, hand %v, after %v", seat, p, r.money[seat],
				r.debt[seat], r.pool[seat], cards, log)
		}
	}
	squares := 0
	for _, b := range j.Boats {
		want := slices.Clone(r.boats[b.Square])
		slices.Sort(want)
		if !slices.Equal(b.Seats, want) {
			t.Fatalf("boats in %s: %v, want %v, after %v", b.Square, b.Seats, want, log)
		}
		squares++
	}
	if squares != len(r.boats) || j.Sea != size(r.stacks[0]) || j.Lines != size(r.stacks[1]) ||
		len(j.Counters) != len(r.counters) {
		t.Fatalf("squares with boats %d, stacks %d and %d, counters %d; want %d, %d, %d, %d, after %v", squares, j.Sea,
			j.Lines, len(j.Counters),
			len(r.boats), size(r.stacks[0]), size(r.stacks[1]), len(r.counters), log)
	}
	played := 74 + 14 - size(r.stacks[0]) - size(r.stacks[1])
	for _, h := range r.hands {
		played -= size(h)
	}
	if len(j.Discards) != played {
		t.Fatalf("FB-1: %d discards, want %d, after %v", len(j.Discards), played, log)
	}
}
