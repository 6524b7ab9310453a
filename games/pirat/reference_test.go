package pirat

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"marque/games"
	"marque/games/gametest"
)

// reference is a second implementation, written only from the rules file. Cards are words in lists, and each ship lists
// all cards on it in the order of play. Attacks and legal moves are recomputed each time.
type reference struct {
	hands   [][]string
	stack   []string
	table   []*refShip // ships in play
	numbers int
	turn    int
	dealt   int
	drawing bool
	over    bool
	gold    []int
}

type refShip struct {
	name  string
	value int
	owner int
	cards []refCard
}

type refCard struct {
	seat int
	card string
}

func newReference(seats int) *reference {
	r := &reference{hands: make([][]string, seats), gold: make([]int, seats)}
	for _, c := range []string{"red", "green", "blue", "yellow"} {
		for _, n := range []string{"1", "1", "2", "2", "2", "3", "3", "3", "4", "4", ""} {
			r.stack = append(r.stack, c+n)
		}
	}
	for v := 2; v <= 5; v++ {
		for range 5 {
			r.stack = append(r.stack, strconv.Itoa(v))
		}
	}
	r.stack = append(r.stack, "6", "admiral")
	return r
}

func refColor(card string) string   { return strings.TrimRight(card, "1234") }
func refIsTrading(card string) bool { return card >= "2" && card <= "6" }
func refSkulls(card string) int {
	n, err := strconv.Atoi(card[len(card)-1:])
	if err != nil {
		return 0
	}
	return n
}

func (r *reference) chance() bool {
	return !r.over && (r.drawing || r.dealt < 6*len(r.hands))
}

// strongest returns the only seat with the greatest strength on the ship, or -1 if there is none.
func (s *refShip) strongest() int {
	sums := map[int]int{}
	for _, c := range s.cards {
		sums[c.seat] += refSkulls(c.card)
	}
	for i := len(s.cards) - 1; i >= 0; i-- {
		if refSkulls(s.cards[i].card) == 0 { // the last pirate on the ship
			return s.cards[i].seat
		}
	}
	for seat, n := range sums {
		strictly := true
		for other, m := range sums {
			strictly = strictly && (other == seat || m < n)
		}
		if strictly {
			return seat
		}
	}
	return -1
}

func (r *reference) moves() []string {
	set := map[string]bool{}
	if len(r.stack) > 0 {
		set["draw"] = true
	}
	for _, card := range r.hands[r.turn] {
		switch {
		case refIsTrading(card):
			set["launch "+card] = true
			continue
		case len(r.stack) == 0:
			set["discard "+card] = true
		}
		for _, s := range r.table {
			switch {
			case card == "admiral":
				if s.owner == r.turn && len(s.cards) > 0 {
					set["admiral "+s.name] = true
				}
			case refSkulls(card) == 0:
				for _, c := range s.cards {
					if c.seat == r.turn && refColor(c.card) == card {
						set["pirate "+s.name+" "+card] = true
					}
				}
			default:
				allowed := true
				for _, c := range s.cards {
					sameSeat, sameColor := c.seat == r.turn, refColor(c.card) == refColor(card)
					allowed = allowed && sameSeat == sameColor
				}
				if allowed {
					set["attack "+s.name+" "+card] = true
				}
			}
		}
	}
	list := []string{}
	for m := range set {
		list = append(list, m)
	}
	sort.Strings(list)
	return list
}

func (r *reference) outcomes() []string {
	counts := map[string]int{}
	for _, c := range r.stack {
		counts[c]++
	}
	list := []string{}
	for c, n := range counts {
		list = append(list, fmt.Sprintf("%d deal %s", n, c))
	}
	sort.Strings(list)
	return list
}

func without(list []string, card string) []string {
	i := slices.Index(list, card)
	return slices.Delete(slices.Clone(list), i, i+1)
}

func (r *reference) play(notation string) {
	words := strings.Fields(notation)
	switch words[0] {
	case "draw":
		r.drawing = true
		return
	case "deal":
		r.stack = without(r.stack, words[1])
		if !r.drawing {
			seat := r.dealt / 6
			r.hands[seat] = append(r.hands[seat], words[1])
			r.dealt++
			return
		}
		r.hands[r.turn] = append(r.hands[r.turn], words[1])
		r.drawing = false
	case "launch":
		r.hands[r.turn] = without(r.hands[r.turn], words[1])
		r.numbers++
		v, _ := strconv.Atoi(words[1])
		r.table = append(r.table, &refShip{name: fmt.Sprintf("S%d", r.numbers), value: v, owner: r.turn})
	case "discard":
		r.hands[r.turn] = without(r.hands[r.turn], words[1])
	case "admiral":
		r.hands[r.turn] = without(r.hands[r.turn], "admiral")
		r.score(func(s *refShip) int {
			if s.name == words[1] {
				return r.turn
			}
			return -1
		})
	default:
		r.hands[r.turn] = without(r.hands[r.turn], words[2])
		for _, s := range r.table {
			if s.name == words[1] {
				s.cards = append(s.cards, refCard{r.turn, words[2]})
			}
		}
	}
	if len(r.stack) == 0 && slices.ContainsFunc(r.hands, func(h []string) bool { return len(h) == 0 }) {
		r.over = true
		r.score(func(s *refShip) int {
			if len(s.cards) == 0 {
				return s.owner
			}
			return s.strongest()
		})
		return
	}
	r.turn = (r.turn + 1) % len(r.hands)
	r.score(func(s *refShip) int {
		if s.strongest() == r.turn || len(s.cards) == 0 && s.owner == r.turn {
			return r.turn
		}
		return -1
	})
}

// score gives each ship to the seat that whom returns for it. If whom returns -1, the ship stays in play.
func (r *reference) score(whom func(*refShip) int) {
	kept := []*refShip{}
	for _, s := range r.table {
		if seat := whom(s); seat >= 0 {
			r.gold[seat] += s.value
		} else {
			kept = append(kept, s)
		}
	}
	r.table = kept
}

func (r *reference) scores() []int {
	scores := slices.Clone(r.gold)
	for seat, h := range r.hands {
		for _, c := range h {
			if refIsTrading(c) {
				v, _ := strconv.Atoi(c)
				scores[seat] -= v
			}
		}
	}
	return scores
}

func TestAgreesWithReference(t *testing.T) {
	for seats := leastSeats; seats <= mostSeats; seats++ {
		for seed := range uint64(60) {
			rng := rand.New(rand.NewPCG(seed, uint64(seats)))
			s, r := Game.New(games.Setup{Seats: seats}), newReference(seats)
			var log []string
			for s.ToMove() != games.Nobody {
				got := listed(s)
				want := r.moves()
				if s.ToMove() == games.Chance {
					got = nil
					for _, o := range s.Outcomes() {
						got = append(got, fmt.Sprintf("%d %s", o.Weight, games.Spell(s, o.Move)))
					}
					want = r.outcomes()
				}
				sort.Strings(got)
				if r.over || r.chance() != (s.ToMove() == games.Chance) || !slices.Equal(got, want) ||
					s.ToMove() >= 0 && int(s.ToMove()) != r.turn {
					t.Fatalf("%d seats, game %d after %q:\n%d to move: %q\nreference: %d to move: %q", seats, seed, log,
						s.ToMove(), got, r.turn, want)
				}
				if len(got) == 0 {
					t.Fatalf("%d seats, game %d after %q: no move", seats, seed, log)
				}
				m, next := gametest.Random(s, rng)
				n := games.Spell(s, m)
				log = append(log, n)
				r.play(n)
				s = next
			}
			if res := s.Result(); !r.over || !slices.Equal(res.Scores, r.scores()) {
				t.Fatalf("%d seats, game %d: %q\nscores %v, reference %v (over: %v)", seats, seed, log, res.Scores,
					r.scores(), r.over)
			}
		}
	}
}
