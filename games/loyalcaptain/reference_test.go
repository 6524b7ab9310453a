package loyalcaptain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"marque/games"
)

// reference is a second, slow implementation, written only from the rules. It uses maps, space numbers and notation,
// and tests every group after every turn.
type reference struct {
	tokens  map[int]refToken // tokens by space
	reserve map[string]int   // reserve of each colour
	mover   string
	seats   map[string]games.Seat // seat that plays each colour
	quiet   int                   // turns since the last placement or capture
	refuser string
	left    int
	asking  bool // whether a proposal needs an answer
	opening int  // LC-9: 2 before the offer, 1 before the choice, 0 afterwards
	over    bool
	loser   string // colour that has lost; "" in a draw
}

type refToken struct {
	color string
	back  int // space at the token's back, 0 for the sea
}

const refPaths = "1-7 1-8 2-8 2-14 3-14 3-18 4-18 4-17 5-17 5-13 6-13 6-7 7-9 8-9 9-10 10-11 10-12 11-13 12-14 11-15 12-15 15-16 16-17 16-18"

var refNeighbours = func() map[int][]int {
	n := map[int][]int{}
	for _, p := range strings.Fields(refPaths) {
		x, y, _ := strings.Cut(p, "-")
		a, _ := strconv.Atoi(x)
		b, _ := strconv.Atoi(y)
		n[a] = append(n[a], b)
		n[b] = append(n[b], a)
	}
	return n
}()

func newReference(offeredOpening bool) *reference {
	r := &reference{tokens: map[int]refToken{}, reserve: map[string]int{"red": 7, "blue": 7}, mover: "red",
		seats: map[string]games.Seat{"red": 0, "blue": 1}}
	if offeredOpening {
		r.opening = 2
	}
	return r
}

func rival(color string) string {
	if color == "red" {
		return "blue"
	}
	return "red"
}

func (r *reference) toMove() games.Seat {
	switch {
	case r.over:
		return games.Nobody
	case r.opening > 0:
		return games.Seat(2 - r.opening)
	case r.asking:
		return r.seats[rival(r.mover)]
	default:
		return r.seats[r.mover]
	}
}

// turns returns the placements and steps of a colour in notation.
func (r *reference) turns(color string) []string {
	var out []string
	for hatch := 1; hatch <= 6; hatch++ {
		if _, taken := r.tokens[hatch]; !taken && r.reserve[color] > 0 {
			out = append(out, fmt.Sprintf("+%d", hatch))
		}
	}
	for from, t := range r.tokens {
		for _, to := range refNeighbours[from] {
			if _, taken := r.tokens[to]; !taken && t.color == color && t.back != to {
				out = append(out, fmt.Sprintf("%d-%d", from, to))
			}
		}
	}
	return out
}

func (r *reference) moves() []string {
	var out []string
	switch {
	case r.over:
		return nil
	case r.opening == 2:
		for a := 1; a <= 6; a++ {
			for b := 1; b <= 6; b++ {
				if a != b {
					out = append(out, fmt.Sprintf("+%d/+%d", a, b))
				}
			}
		}
	case r.opening == 1:
		out = []string{"red", "blue"}
	case r.asking:
		out = []string{"accept", "refuse"}
	default:
		out = r.turns(r.mover)
		if r.refuser == "" && r.quiet >= 20 {
			out = append(out, "propose")
		}
	}
	sort.Strings(out)
	return out
}

// captured returns the spaces of all captured groups of a colour (LC-4).
func (r *reference) captured(color string) []int {
	var out []int
	for s, t := range r.tokens {
		if t.color != color {
			continue
		}
		group := map[int]bool{}
		r.join(s, color, group)
		safe := false
		for member := range group {
			for _, n := range refNeighbours[member] {
				if group[n] {
					continue
				}
				other, taken := r.tokens[n]
				if !taken || group[other.back] {
					safe = true
				}
			}
		}
		if !safe {
			out = append(out, s)
		}
	}
	return out
}

func (r *reference) join(s int, color string, group map[int]bool) {
	if t, ok := r.tokens[s]; !ok || t.color != color || group[s] {
		return
	}
	group[s] = true
	for _, n := range refNeighbours[s] {
		r.join(n, color, group)
	}
}

func (r *reference) play(move string) {
	switch move {
	case "red":
		r.opening, r.seats = 0, map[string]games.Seat{"red": 1, "blue": 0}
		return
	case "blue":
		r.opening = 0
		return
	case "propose":
		r.asking = true
		return
	case "accept":
		r.over = true
		return
	case "refuse":
		r.asking, r.refuser, r.left = false, rival(r.mover), 20
		return
	}
	if a, b, ok := strings.Cut(move, "/"); ok {
		for color, hatch := range map[string]string{"red": a, "blue": b} {
			n, _ := strconv.Atoi(hatch)
			r.tokens[n] = refToken{color, 0}
			r.reserve[color]--
		}
		r.opening = 1
		return
	}
	placed := move[0] == '+'
	if placed {
		n, _ := strconv.Atoi(move[1:])
		r.tokens[n] = refToken{r.mover, 0}
		r.reserve[r.mover]--
	} else {
		x, y, _ := strings.Cut(move, "-")
		from, _ := strconv.Atoi(x)
		to, _ := strconv.Atoi(y)
		delete(r.tokens, from)
		r.tokens[to] = refToken{r.mover, from}
	}
	captures := 0
	for _, color := range []string{rival(r.mover), r.mover} {
		for _, s := range r.captured(color) {
			delete(r.tokens, s)
			captures++
		}
	}
	r.quiet++
	if placed || captures > 0 {
		r.quiet = 0
	}
	if captures > 0 {
		r.left = 20
	} else if r.mover == r.refuser {
		r.left--
	}
	r.mover = rival(r.mover)
	switch {
	case len(r.turns(r.mover)) == 0:
		r.over, r.loser = true, r.mover
	case r.refuser != "" && r.left == 0:
		r.over, r.loser = true, r.refuser
	}
}

func (r *reference) winners() []games.Seat {
	if r.loser == "" {
		return []games.Seat{0, 1}
	}
	return []games.Seat{r.seats[rival(r.loser)]}
}

// LC-1 to LC-9: both implementations list the same moves and end random games in the same way. The random player
// refuses most proposals, and prefers steps to placements in every second game, so that some counts of LC-8 run out.
func TestReference(t *testing.T) {
	ends := map[phase]int{}
	lost, suicides := 0, 0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 3))
		offeredOpening := seed%3 == 0
		s := state{p: newPosition(offeredOpening)}
		r := newReference(offeredOpening)
		var log []string
		for {
			if s.ToMove() != r.toMove() {
				t.Fatalf("after %v: to move %d, the reference says %d", log, s.ToMove(), r.toMove())
			}
			var got []string
			for _, m := range s.Moves() {
				got = append(got, games.Spell(s, m))
			}
			sort.Strings(got)
			if want := r.moves(); !slices.Equal(got, want) {
				t.Fatalf("after %v: moves\n%v, the reference says\n%v", log, got, want)
			}
			if s.ToMove() == games.Nobody {
				break
			}
			move := got[rng.IntN(len(got))]
			if move == "accept" && rng.IntN(8) > 0 {
				move = "refuse"
			}
			if seed%2 == 0 && move[0] == '+' && rng.IntN(4) > 0 {
				move = got[rng.IntN(len(got))]
			}
			m, err := games.FindMove(s, move)
			if err != nil {
				t.Fatalf("after %v: %v", log, err)
			}
			us := s.p.mover
			was := s.p.tokens(us)
			s = s.Apply(m).(state)
			if s.p.tokens(us) < was {
				suicides++
			}
			r.play(move)
			log = append(log, move)
		}
		ends[s.p.phase]++
		lost += s.p.lost(red) + s.p.lost(blue)
		if got, want := s.Result().Winners, r.winners(); !slices.Equal(got, want) {
			t.Fatalf("after %v: winners %v, the reference says %v", log, got, want)
		}
	}
	t.Logf("ends %v, %d tokens captured, %d times on their own turn", ends, lost, suicides)
	for _, p := range []phase{phaseStuck, phaseAgreed, phaseSpent} {
		if ends[p] == 0 {
			t.Errorf("no random game ended as %q: the comparison shows too little", phaseNames[p])
		}
	}
	if lost == 0 || suicides == 0 {
		t.Errorf("%d tokens captured, %d on their own turn: the comparison shows too little", lost, suicides)
	}
}
