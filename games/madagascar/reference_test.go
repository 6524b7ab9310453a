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

// This second, slow implementation was written only from the text of the rules. It uses maps, walks step by step, and
// stores every position of the game.

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
	back  int    // space at the tower's back, 0 for the sea
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
	forbids bool // whether repetition is forbidden (MD-9)
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
	for notation := range found {
		if g.forbids && g.clone().playAndCount(notation) >= 3 {
			delete(found, notation)
		}
	}
	if len(found) == 0 {
		found["pass"] = true
	}
	return slices.Sorted(maps.Keys(found))
}

func (g *refGame) clone() *refGame {
	c := *g
	c.on, c.reserve = maps.Clone(g.on), slices.Clone(g.reserve)
	c.past = slices.Clone(g.past)
	return &c
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

// playAndCount plays a move and counts how often the new position has occurred.
func (g *refGame) playAndCount(notation string) (times int) {
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
	now := fmt.Sprint(g.on, g.reserve, g.turn)
	g.past = append(g.past, now)
	for _, p := range g.past {
		if p == now {
			times++
		}
	}
	return times
}

// play plays a move. If the move ends the game, it returns the winner, or the players who share the draw.
func (g *refGame) play(notation string) (winners []games.Seat) {
	times := g.playAndCount(notation)
	for seat := range g.reserve {
		if !g.out(seat) {
			winners = append(winners, games.Seat(seat))
		}
	}
	if len(winners) == 1 || g.passes >= len(winners) || times >= 3 && !g.forbids {
		return winners
	}
	return nil
}

func TestReference_GamesAgree(t *testing.T) {
	tallest, ends, forbidden, passes := 0, map[ending]int{}, 0, 0
	for seed := range uint64(120) {
		seats := 2 + int(seed%2)
		rng := rand.New(rand.NewPCG(seed, 2))
		forbids := seed%3 == 2
		s := Game.New(games.Setup{Seats: seats, Options: []games.Setting{{Key: "repetition",
			Value: repetitionValues[seed%3/2]}}})
		each := int(tokensEach[seats])
		g := &refGame{on: map[int]refTower{}, reserve: slices.Repeat([]int{each}, seats), forbids: forbids}
		for ply := 0; s.ToMove() != games.Nobody; ply++ {
			var got []string
			for _, m := range s.Moves() {
				got = append(got, games.Spell(s, m))
			}
			slices.Sort(got)
			at := s.(state)
			if all := at.appendMoves(nil); len(got) < len(all) || got[0] == "pass" && all[0] != passMove {
				forbidden++
				if got[0] == "pass" {
					passes++
				}
			}
			if want := g.moves(); !slices.Equal(got, want) || int(s.ToMove()) != g.turn {
				t.Fatalf("game %d, ply %d: %s\nmoves     %v\nreference %v of %d", seed, ply, gametest.JSON(t, s), got,
					want, g.turn)
			}
			m, next := gametest.Random(s, rng)
			notation := games.Spell(s, m)
			winners := g.play(notation)
			if got := next.Result().Winners; !slices.Equal(got, winners) {
				t.Fatalf("game %d, ply %d: %s\nafter %s winners %v, reference %v", seed, ply, gametest.JSON(t, s),
					notation, got, winners)
			}
			s = next
			for space := range deck.Space(deck.Spaces) {
				tallest = max(tallest, s.(state).stacks[space].height())
			}
		}
		ends[s.(state).ended]++
	}
	t.Logf("towers up to %d high; %d won, %d all passed, %d repeated; %d positions with moves that MD-9 forbids, in %d all are", tallest, ends[won], ends[allPassed], ends[repeated], forbidden, passes)
	if tallest < 7 || forbidden == 0 || passes == 0 || ends[won] == 0 || ends[allPassed] == 0 || ends[repeated] == 0 {
		t.Errorf("the random games do not reach everything: tallest %d, ends %v", tallest, ends)
	}
}
