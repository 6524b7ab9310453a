package piratevspirate

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"marque/games"
	"marque/games/gametest"
)

// slow is a second, simple implementation, written only from the rules. It uses maps by name and walks every path step
// by step, without sets or tables.
type slow struct {
	seats     int
	variant   bool
	pirates   map[string]*slowPirate
	coins     map[string]string // kind of the coin on each triangle, "silver" or "gold", if nobody carries it
	delivered []int
	turn      int
	winner    int
	why       string
}

type slowPirate struct {
	seat  int
	coin  string
	back  string
	where string
}

// slowPlaces lists the places of all three corners by hand.
var slowPlaces = map[string]struct {
	gold         string
	silver, crew []string
	up, down     string
}{
	"top":   {"a1", []string{"b1", "b3"}, []string{"b1", "b3", "c1", "c2", "c4", "c5"}, "w", "n"},
	"right": {"j19", []string{"i17", "j17"}, []string{"i17", "j17", "h15", "i16", "j16", "j15"}, "e", "e"},
	"left":  {"j1", []string{"i1", "j3"}, []string{"i1", "j3", "h1", "i2", "j4", "j5"}, "s", "w"},
}

func (s *slow) place(seat int) string {
	if s.seats == 2 {
		return []string{"left", "right"}[seat]
	}
	return []string{"top", "right", "left"}[seat]
}

func newSlow(seats int, variant bool) *slow {
	s := &slow{seats: seats, variant: variant, pirates: map[string]*slowPirate{}, delivered: make([]int, seats),
		winner: -1}
	for seat := range seats {
		for _, t := range slowPlaces[s.place(seat)].crew {
			s.pirates[t] = &slowPirate{seat: seat, where: t}
		}
	}
	s.coins = map[string]string{"g7": "gold", "g6": "silver", "g8": "silver", "h8": "silver"}
	if seats == 2 {
		s.coins = map[string]string{"a1": "gold", "b1": "silver", "b2": "silver", "b3": "silver"}
	}
	return s
}

// slowNeighbours returns the neighbours of a triangle (PP-1, PP-12), keyed by the letter of the side between them.
func slowNeighbours(t string) map[string]string {
	row, k := slowParse(t)
	out := map[string]string{}
	put := func(side string, row, k int) {
		if row >= 1 && row <= 10 && k >= 1 && k <= 2*row-1 {
			out[side] = slowName(row, k)
		}
	}
	put("w", row, k-1)
	put("e", row, k+1)
	if k%2 == 1 {
		put("s", row+1, k+1)
	} else {
		put("n", row-1, k-1)
	}
	return out
}

func slowName(row, k int) string { return fmt.Sprintf("%c%d", 'a'+row-1, k) }

func slowParse(t string) (row, k int) {
	fmt.Sscanf(t[1:], "%d", &k)
	return int(t[0]-'a') + 1, k
}

// opposite maps the side through which a path leaves a triangle to the side through which it enters the next one.
var opposite = map[string]string{"e": "w", "w": "e", "s": "n", "n": "s"}

func slowSides(t string) []string {
	if _, k := slowParse(t); k%2 == 1 {
		return []string{"s", "e", "w"}
	}
	return []string{"n", "e", "w"}
}

// moves returns the legal moves after a roll, in notation.
func (s *slow) moves(steps int) []string {
	found := map[string]bool{}
	for from, p := range s.pirates {
		if p.seat != s.turn {
			continue
		}
		s.walk(found, from, "-", p.coin != "", "", []string{from}, steps)
		if p.coin != "" {
			s.walk(found, from+"*", "-", true, "", []string{from}, steps)
		}
	}
	if len(found) == 0 {
		return []string{"pass"}
	}
	return slices.Sorted(maps.Keys(found))
}

// walk follows every path. If bound is set, the pirate may neither attack nor enter a triangle with a coin.
func (s *slow) walk(found map[string]bool, from, sign string, bound bool, took string, path []string, left int) {
	here := path[len(path)-1]
	if left == 0 {
		note := from + sign + here
		if took != "" {
			note += "@" + took
		}
		if !s.variant {
			found[note] = true
			return
		}
		for _, back := range slowSides(here) {
			found[note+"/"+back] = true
		}
		return
	}
	for side, next := range slowNeighbours(here) {
		if slices.Contains(path, next) {
			continue
		}
		longer := append(slices.Clone(path), next)
		if victim, ok := s.pirates[next]; ok {
			if left == 1 && victim.seat != s.turn && !bound && !(s.variant && victim.back == opposite[side]) {
				s.walk(found, from, "x", true, took, longer, 0)
			}
			continue
		}
		if _, ok := s.coins[next]; ok {
			if !bound {
				s.walk(found, from, sign, true, next, longer, left-1)
			}
			continue
		}
		s.walk(found, from, sign, bound, took, longer, left-1)
	}
}

// play plays a move in the notation of the fast implementation.
func (s *slow) play(words []games.Word) {
	if words[0].Key == "pass" {
		s.next()
		return
	}
	if words[0].Key == "ready" {
		for t, p := range s.pirates {
			if p.seat == s.turn && p.back == "" {
				p.back = slowPlaces[s.place(s.turn)].up
				if _, k := slowParse(t); k%2 == 0 {
					p.back = slowPlaces[s.place(s.turn)].down
				}
			}
		}
		s.nextToSet()
		return
	}
	p := s.pirates[words[0].Key]
	if len(words) == 2 && words[1].Sep == "/" {
		p.back = words[1].Key
		for _, other := range s.pirates {
			if other.seat == s.turn && other.back == "" {
				return
			}
		}
		s.nextToSet()
		return
	}
	delete(s.pirates, p.where)
	for _, w := range words[1:] {
		switch {
		case w.Key == "*":
			s.coins[p.where], p.coin = p.coin, ""
		case w.Sep == "-":
			p.where = w.Key
		case w.Sep == "x":
			p.where, p.coin = w.Key, s.pirates[w.Key].coin
		case w.Sep == "@":
			p.coin = s.coins[w.Key]
			delete(s.coins, w.Key)
		case w.Sep == "/":
			p.back = w.Key
		}
	}
	s.pirates[p.where] = p
	at := slowPlaces[s.place(s.turn)]
	switch {
	case p.coin == "silver" && slices.Contains(at.silver, p.where):
		p.coin = ""
		s.delivered[s.turn]++
		if s.delivered[s.turn] == 2 {
			s.winner, s.why = s.turn, "silver"
		}
	case p.coin == "gold" && p.where == at.gold:
		p.coin = ""
		s.winner, s.why = s.turn, "gold"
	}
	rivals := 0
	for _, o := range s.pirates {
		if o.seat != s.turn {
			rivals++
		}
	}
	if rivals == 0 && s.winner < 0 {
		s.winner, s.why = s.turn, "last"
	}
	s.next()
}

func (s *slow) next() {
	for range s.seats {
		s.turn = (s.turn + 1) % s.seats
		for _, p := range s.pirates {
			if p.seat == s.turn {
				return
			}
		}
	}
}

func (s *slow) nextToSet() { s.turn = (s.turn + 1) % s.seats }

// text returns the pirates, the coins and the result as text for comparisons.
func (s *slow) text() string {
	out := fmt.Sprintf("delivered %v winner %d %s", s.delivered, s.winner, s.why)
	for _, t := range slices.Sorted(maps.Keys(s.pirates)) {
		p := s.pirates[t]
		out += fmt.Sprintf(" %d:%s:%s:%s", p.seat, t, p.coin, p.back)
	}
	for _, t := range slices.Sorted(maps.Keys(s.coins)) {
		out += " " + s.coins[t] + ":" + t
	}
	return out
}

// slowText returns the text of the corresponding slow position.
func slowText(p *position) string {
	s := &slow{delivered: make([]int, p.seats), pirates: map[string]*slowPirate{}, coins: map[string]string{},
		winner: -1}
	for seat := range p.seats {
		s.delivered[seat] = int(p.delivered[seat])
		for rest := p.crew[seat]; !rest.empty(); {
			t := rest.take()
			one := &slowPirate{seat: int(seat), coin: coinNames[p.coin(t)]}
			if back := p.back(t); back != noEdge {
				one.back = back.letter(t)
			}
			s.pirates[t.String()] = one
		}
	}
	for rest := p.lying(); !rest.empty(); {
		t := rest.take()
		s.coins[t.String()] = coinNames[p.coin(t)]
	}
	if p.phase == over {
		s.winner, s.why = int(p.winner), [...]string{"", "gold", "silver", "last"}[p.why]
	}
	return s.text()
}

// TestSlowAgrees: in random games both implementations list the same moves after each roll, and reach the same
// positions and results (PP-1 to PP-3, PP-5 to PP-12).
func TestSlowAgrees(t *testing.T) {
	for _, setup := range gametest.Setups(Game) {
		t.Run(gametest.Name(setup), func(t *testing.T) {
			for seed := range uint64(6) {
				rng := games.NewRand(seed)
				fast := Game.New(setup).Sim().(*sim)
				ref := newSlow(setup.Seats, setup.Option(backstabbing) == "off")
				for ply := 0; fast.ToMove() != games.Nobody; ply++ {
					before := state{fast.position}
					if fast.phase == moving {
						var got []string
						for _, m := range before.Moves() {
							got = append(got, games.Spell(before, m))
						}
						slices.Sort(got)
						if want := ref.moves(fast.steps()); !slices.Equal(got, want) {
							t.Fatalf("game %d ply %d, %d steps from %s:\ngot  %v\nwant %v", seed, ply, fast.steps(),
								ref.text(), got, want)
						}
					}
					m := fast.PlayRandom(rng)
					if kindOf(m) == rollKind {
						if before.phase == opening {
							ref.turn = int(fast.turn) // PP-4 is tested elsewhere
						}
						continue
					}
					ref.play(before.Spell(m))
					if got, want := slowText(&fast.position), ref.text(); got != want {
						t.Fatalf("game %d ply %d after %s:\ngot  %s\nwant %s", seed, ply, games.Spell(before, m), got,
							want)
					}
					if fast.phase != over && int(fast.turn) != ref.turn {
						t.Fatalf("game %d ply %d after %s: seat %d is next, want %d", seed, ply, games.Spell(before, m),
							fast.turn, ref.turn)
					}
				}
				if ref.winner != int(fast.winner) {
					t.Fatalf("game %d: seat %d wins, want %d", seed, fast.winner, ref.winner)
				}
			}
		})
	}
}
