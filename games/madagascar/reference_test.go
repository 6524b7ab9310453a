package madagascar

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/deck"
	"marque/games/gametest"
)

// A second, slow implementation, written from the rules' text alone: maps, walks step by step,
// every position of the game remembered.

// refPaths are the paths of DK-2.
var refPaths = [][2]int{
	{1, 7}, {1, 8}, {2, 8}, {2, 14}, {3, 14}, {3, 18}, {4, 18}, {4, 17}, {5, 17}, {5, 13}, {6, 13}, {6, 7},
	{7, 9}, {8, 9}, {9, 10}, {10, 11}, {10, 12}, {11, 13}, {12, 14}, {11, 15}, {12, 15}, {15, 16}, {16, 17}, {16, 18},
}

func refNext(space int) (next []int) {
	for _, p := range refPaths {
		if p[0] == space {
			next = append(next, p[1])
		} else if p[1] == space {
			next = append(next, p[0])
		}
	}
	return next
}

type refTower struct {
	back  int    // 0 is the sea
	stack string // seats as digits, bottom first
}

func (t refTower) owner() int { return int(t.stack[len(t.stack)-1] - '0') }

type refGame struct {
	on      map[int]refTower
	reserve []int
	turn    int
	placed  int
	passes  int
	past    []string
}

func (g *refGame) moves() []string {
	found := map[string]bool{}
	for h := 1; h <= 6 && g.reserve[g.turn] > 0; h++ {
		if _, occupied := g.on[h]; !occupied {
			found[fmt.Sprintf("+%d", h)] = true
		}
	}
	if g.placed >= 6 {
		for from, tower := range g.on {
			if tower.owner() == g.turn {
				g.walk(from, from, tower.back, len(tower.stack), len(tower.stack), found)
			}
		}
	}
	if len(found) == 0 {
		found["pass"] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func (g *refGame) walk(from, at, back, left, height int, found map[string]bool) {
	for _, to := range refNext(at) {
		if to == back {
			continue
		}
		there, occupied := g.on[to]
		occupied = occupied && to != from
		sign := "-"
		switch {
		case left > 1 && !occupied:
			g.walk(from, to, at, left-1, height, found)
			continue
		case left > 1:
			continue
		case occupied && (there.owner() == g.turn || there.back != at):
			continue
		case occupied:
			sign = "x"
		}
		if height > 1 {
			found[fmt.Sprintf("%d%s%d<%d", from, sign, to, at)] = true
		} else {
			found[fmt.Sprintf("%d%s%d", from, sign, to)] = true
		}
	}
}

func (g *refGame) out(seat int) bool {
	for _, t := range g.on {
		if t.owner() == seat {
			return false
		}
	}
	return g.reserve[seat] == 0
}

// play plays a move and says who won or between whom it is a draw, if it ended the game.
func (g *refGame) play(notation string) (winners []games.Seat) {
	g.passes++
	if notation != "pass" {
		g.passes = 0
		var from, to, by int
		if n, _ := fmt.Sscanf(notation, "+%d", &to); n == 1 {
			g.on[to] = refTower{0, fmt.Sprint(g.turn)}
			g.reserve[g.turn]--
			g.placed++
		} else {
			plain := strings.NewReplacer("x", " ", "-", " ", "<", " ").Replace(notation)
			if n, _ := fmt.Sscanf(plain, "%d %d %d", &from, &to, &by); n == 2 {
				by = from
			}
			tower := g.on[from]
			delete(g.on, from)
			g.on[to] = refTower{by, g.on[to].stack + tower.stack}
		}
	}
	for next := true; next; next = g.out(g.turn) {
		g.turn = (g.turn + 1) % len(g.reserve)
	}
	for seat := range g.reserve {
		if !g.out(seat) {
			winners = append(winners, games.Seat(seat))
		}
	}
	now := fmt.Sprint(g.on, g.reserve, g.turn)
	g.past = append(g.past, now)
	times := 0
	for _, p := range g.past {
		if p == now {
			times++
		}
	}
	if len(winners) == 1 || g.passes >= len(winners) || times >= 3 {
		return winners
	}
	return nil
}

func TestReference_GamesAgree(t *testing.T) {
	tallest, ends := 0, map[ending]int{}
	for seed := range uint64(80) {
		seats := 2 + int(seed%2)
		rng := rand.New(rand.NewPCG(seed, 2))
		var s games.State = newState(seats)
		each := int(tokensEach[seats])
		g := &refGame{on: map[int]refTower{}, reserve: slices.Repeat([]int{each}, seats)}
		for ply := 0; s.ToMove() != games.Nobody; ply++ {
			var got []string
			for _, m := range s.Moves() {
				got = append(got, games.Spell(s, m))
			}
			slices.Sort(got)
			if want := g.moves(); !slices.Equal(got, want) || int(s.ToMove()) != g.turn {
				t.Fatalf("game %d, ply %d: %s\nmoves     %v\nreference %v of %d", seed, ply, gametest.JSON(t, s), got, want, g.turn)
			}
			m, next := gametest.Random(s, rng)
			notation := games.Spell(s, m)
			winners := g.play(notation)
			if got := next.Result().Winners; !slices.Equal(got, winners) {
				t.Fatalf("game %d, ply %d: %s\nafter %s winners %v, reference %v", seed, ply, gametest.JSON(t, s), notation, got, winners)
			}
			s = next
			for space := range deck.Space(deck.Spaces) {
				tallest = max(tallest, s.(state).stacks[space].height())
			}
		}
		ends[s.(state).ended]++
	}
	t.Logf("towers up to %d high; %d won, %d all passed, %d repeated", tallest, ends[won], ends[allPassed], ends[repeated])
	if tallest < 7 || ends[won] == 0 || ends[allPassed] == 0 || ends[repeated] == 0 {
		t.Errorf("the random games do not reach everything: tallest %d, ends %v", tallest, ends)
	}
}
