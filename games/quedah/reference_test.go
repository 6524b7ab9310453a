package quedah

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"marque/games"
	"marque/games/deck"
	"marque/games/gametest"
)

// This second, slow implementation was written only from the text of the rules. It uses maps, recursion and notation,
// and no stances.

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

type refToken struct {
	seat, back int // back is a space, 0 for the sea
	holds      bool
}

type refGame struct {
	on      map[int]refToken
	reserve [2]int
	turn    int
}

func (g refGame) clone() refGame {
	g.on = maps.Clone(g.on)
	return g
}

// moves returns the position after each legal move with a roll, keyed by the move's notation.
func (g refGame) moves(roll int) map[string]refGame {
	all := map[string]refGame{}
	for from, token := range g.on {
		if token.seat == g.turn {
			lifted := g.clone()
			delete(lifted.on, from)
			lifted.walk(token, from, from, token.back, roll, roll, all)
		}
	}
	return all
}

func (g refGame) walk(token refToken, from, at, back, left, roll int, all map[string]refGame) {
	for _, to := range refNext(at) {
		if to == back {
			continue // DK-4
		}
		there, occupied := g.on[to]
		if left > 1 {
			if !occupied {
				g.walk(token, from, to, at, left-1, roll, all)
			}
			continue
		}
		by := ""
		if roll > 1 {
			by = fmt.Sprintf("<%d", at)
		}
		after := g.clone()
		after.on[to] = refToken{g.turn, at, token.holds}
		switch {
		case !occupied:
			after.place(from, fmt.Sprintf("%d-%d%s", from, to, by), all)
		case there.seat != g.turn && there.back == at && !token.holds: // QM-4, QM-5
			after.on[to] = refToken{g.turn, at, true}
			text := fmt.Sprintf("%dx%d%s", from, to, by)
			if there.holds {
				after.freed(from, to, at, text, all) // QM-6
			} else {
				after.place(from, text, all)
			}
		}
	}
}

// freed adds the moves in which the freed token steps once. at is the token's space, and back is the space that its
// back is towards.
func (g refGame) freed(from, at, back int, text string, all map[string]refGame) {
	for _, to := range refNext(at) {
		if to == back {
			continue
		}
		there, occupied := g.on[to]
		after := g.clone()
		switch {
		case !occupied:
			after.on[to] = refToken{g.turn, at, false}
			after.place(from, fmt.Sprintf("%s=%d", text, to), all)
		case there.seat != g.turn && there.back == at:
			after.on[to] = refToken{g.turn, at, true}
			if text := fmt.Sprintf("%s=x%d", text, to); there.holds {
				after.freed(from, to, at, text, all)
			} else {
				after.place(from, text, all)
			}
		}
	}
}

// place adds the positions after a move, with the new token of QM-3 if the move leaves a hatch.
func (g refGame) place(from int, text string, all map[string]refGame) {
	placed := false
	for h := 1; h <= 6 && from <= 6 && g.reserve[g.turn] > 0; h++ {
		if _, occupied := g.on[h]; !occupied {
			after := g.clone()
			after.on[h] = refToken{g.turn, 0, false}
			after.reserve[g.turn]--
			after.turn = 1 - g.turn
			all[fmt.Sprintf("%s+%d", text, h)] = after
			placed = true
		}
	}
	if !placed {
		g.turn = 1 - g.turn
		all[text] = g
	}
}

// winner returns the winner before a roll (QM-7), or -1 if the game continues.
func (g refGame) winner() int {
	held := [2]int{}
	for _, t := range g.on {
		if t.holds {
			held[t.seat]++
		}
	}
	if held[0]+held[1] >= 7 {
		if held[0] > held[1] {
			return 0
		}
		return 1
	}
	for roll := 1; roll <= 3; roll++ {
		if len(g.moves(roll)) > 0 {
			return -1
		}
	}
	return 1 - g.turn
}

// pieces describes the pieces that QM-8 considers. It changes exactly when a token is placed, captured or freed.
func (g refGame) pieces() string {
	tokens := [2]int{}
	for _, t := range g.on {
		tokens[t.seat]++
	}
	return fmt.Sprint(tokens, g.reserve)
}

// reference converts a position to the slow implementation.
func reference(p position) refGame {
	g := refGame{on: map[int]refToken{}, turn: int(p.turn), reserve: [2]int{int(p.reserve[0]), int(p.reserve[1])}}
	for rest := p.tokens[0] | p.tokens[1]; rest != 0; {
		st := rest.Take()
		back := 0
		if st.Back() != deck.Sea {
			back = st.Back().Number()
		}
		g.on[st.Space().Number()] = refToken{p.seatAt(st), back, p.holding.Has(st)}
	}
	return g
}

func TestReference_MovesAndResultsAgree(t *testing.T) {
	captures, freeings, chains, draws := 0, 0, 0, 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 1))
		limited := seed%4 > 1
		s := Game.New(games.Setup{Seats: 2, Options: []games.Setting{
			{Key: "blocked", Value: blockedValues[seed%2]}, {Key: "quiet", Value: quietValues[seed%4/2]},
		}})
		quiet := 0 // number of quiet turns (QM-8)
		for ply := 0; s.ToMove() != games.Nobody && ply < 2000; ply++ {
			p := s.(state).position
			m, next := gametest.Random(s, rng)
			if p.roll > 0 {
				g := reference(p)
				want := g.moves(int(p.roll))
				if len(want) == 0 {
					want["pass"] = refGame{on: g.on, reserve: g.reserve, turn: 1 - g.turn}
				}
				var got []string
				for _, m := range s.Moves() {
					got = append(got, games.Spell(s, m))
				}
				slices.Sort(got)
				if keys := slices.Sorted(maps.Keys(want)); !slices.Equal(got, keys) {
					t.Fatalf("game %d, ply %d: %s\nmoves     %v\nreference %v", seed, ply, gametest.JSON(t, s), got,
						keys)
				}
				for _, m := range s.Moves() {
					notation := games.Spell(s, m)
					after := s.Apply(m).(state)
					ref := want[notation]
					if got := reference(after.position); fmt.Sprint(got) != fmt.Sprint(ref) {
						t.Fatalf("game %d, ply %d: %s\nafter %s %v\nreference %v", seed, ply, gametest.JSON(t, s),
							notation, got, ref)
					}
					want := []games.Seat(nil)
					if w := ref.winner(); w >= 0 {
						want = []games.Seat{games.Seat(w)}
					} else if limited && ref.pieces() == g.pieces() && quiet+1 >= 60 {
						want = []games.Seat{0, 1}
					}
					if got := after.Result().Winners; !slices.Equal(got, want) {
						t.Fatalf("game %d, ply %d: %s\nafter %s the winners are %v, reference %v", seed, ply,
							gametest.JSON(t, s), notation, got, want)
					}
				}
				if quiet++; want[games.Spell(s, m)].pieces() != g.pieces() {
					quiet = 0
				}
				if len(next.Result().Winners) > 1 {
					draws++
				}
				if move(m).kind() == stepKind {
					switch e := p.entered(move(m)); {
					case len(e) > 2:
						chains++
					case len(e) > 1:
						freeings++
					case e[0].captures:
						captures++
					}
				}
			}
			s = next
		}
	}
	t.Logf("compared over %d captures, %d freeings, %d chains of freeings and %d quiet draws", captures, freeings,
		chains, draws)
	if draws == 0 || captures == 0 || freeings == 0 || chains == 0 {
		t.Errorf("%d captures, %d freeings, %d chains, %d draws: the random games do not reach everything", captures,
			freeings, chains, draws)
	}
}
