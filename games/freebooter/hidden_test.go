package freebooter

import (
	"math"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/gametest"
)

// TestMaskCommutes: playing a masked move in a masked position gives the mask of the position after the move. So a
// viewer's position follows from the moves that the viewer sees.
func TestMaskCommutes(t *testing.T) {
	for seed := range uint64(12) {
		seats := 2 + int(seed)%3
		rng := newRand(seed)
		s := Game.New(games.Setup{Seats: seats})
		for s.ToMove() != games.Nobody {
			m, next := gametest.Random(s, rng)
			for v := games.Seat(-1); int(v) < seats; v++ {
				viewer := v
				if v < 0 {
					viewer = games.Spectator
				}
				got, want := games.Mask(s, viewer).Apply(games.MaskMove(s, m, viewer)), games.Mask(next, viewer)
				if got != want {
					t.Fatalf("%s seen by %d gives\n%s\nwant\n%s", games.Spell(s, m), viewer, gametest.JSON(t, got),
						gametest.JSON(t, want))
				}
			}
			s = next
		}
	}
}

// TestMaskHidesHands: a viewer knows no other hands, but the sizes of all hands and stacks (FB-1).
func TestMaskHidesHands(t *testing.T) {
	tb := newTable(t, 3).lay("warehouse", "F6").hand(0, "A1", "B2", "row7").hand(1, "G7", "columnC").hand(2, "D4", "D4")
	for _, tc := range []struct {
		viewer games.Seat
		hands  []int // sizes of the known hands, -1 for a hidden hand
	}{{0, []int{3, -1, -1}}, {1, []int{-1, 2, -1}}, {2, []int{-1, -1, 2}}, {games.Spectator, []int{-1, -1, -1}}} {
		mask := games.Mask(tb.state(), tc.viewer)
		line := gametest.JSON(t, mask)
		for seat, n := range tc.hands {
			known := slices.Contains([]bool{strings.Contains(line, []string{`"row7"`, `"columnC"`, `"D4"`}[seat])},
				true)
			if known != (n >= 0) {
				t.Errorf("FB-1: viewer %d, the hand of seat %d is known: %v: %s", tc.viewer, seat, known, line)
			}
		}
		p := pos(mask)
		expect(t, "FB-1 sizes are public", []any{p.seaHeld, p.lineHeld}, []any{[4]uint8{2, 1, 2}, [4]uint8{1, 1, 0}})
		expect(t, "FB-1 stacks are public in size", []any{p.seaLeft, p.lineLeft}, []any{69, 12})
	}
}

// TestMaskedDeal: the other players see only the kind of a dealt card.
func TestMaskedDeal(t *testing.T) {
	tb := newTable(t, 2).lay("warehouse", "F6").hand(0, "A1", "B2")
	for stack, card := range map[string]string{"sea": "C4", "dutchman": "row3"} {
		s := play(t, tb.state(), "sail A1", "draw "+stack)
		m, err := games.FindOutcome(s, "deal "+card)
		if err != nil {
			t.Fatal(err)
		}
		for viewer, want := range map[games.Seat]string{0: "deal " + card, 1: "deal " + stack,
			games.Spectator: "deal " + stack} {
			expect(t, "MaskMove", games.Spell(games.Mask(s, viewer), games.MaskMove(s, m, viewer)), want)
		}
	}
}

// TestSampleIsUniform samples a small set of hidden cards and compares the frequency of every deal with a fair deal.
func TestSampleIsUniform(t *testing.T) {
	tb := newTable(t, 3).lay("warehouse", "F6").hand(0, "A1", "row7").hand(1, "B2", "C3", "row1").hand(2, "B2", "G7",
		"G6", "row2", "columnA")
	// Seat 0 has not seen two B2, one each of C3, G7, G6 and D4, and row1, row2, columnA and columnB.
	tb.noStack(seaStack).noStack(dutchmanStack)
	tb.p.seaStack.add(tb.square("D4"))
	tb.p.seaLeft = 1
	tb.p.lineStack, tb.p.lineLeft = dutchmanCard(1).bit(), 1
	view := games.Mask(tb.state(), 0)
	rng := newRand(9)

	const n = 60000
	type hands [3]string
	seen := map[hands]int{}
	for range n {
		p := pos(games.Sample(view, 0, rng))
		seen[hands{strings.Join(cardKeys(p.hands[1], p.lines[1]), " "), strings.Join(cardKeys(p.hands[2], p.lines[2]),
			" "), strings.Join(cardKeys(p.seaStack, p.lineStack), " ")}]++
	}
	// The expected frequencies weight every deal by the number of ways to make it. The six sea cards (the two B2 are
	// distinct) are dealt as hands of 2 and 3 cards and a stack of 1. The four Dutchman cards are dealt as 1, 2 and 1.
	sea := []string{"B2", "B2", "C3", "D4", "G6", "G7"}
	lines := []string{"columnA", "columnB", "row1", "row2"}
	want := map[hands]int{}
	ways := 0
	for _, a := range splits(sea, []int{2, 3, 1}) {
		for _, b := range splits(lines, []int{1, 2, 1}) {
			want[hands{a[0] + " " + b[0], a[1] + " " + b[1], a[2] + " " + b[2]}]++
			ways++
		}
	}
	chi := 0.0
	for h, k := range want {
		e := float64(n) * float64(k) / float64(ways)
		d := float64(seen[h]) - e
		chi += d * d / e
		delete(seen, h)
	}
	if len(seen) > 0 {
		t.Errorf("impossible deals: %v", seen)
	}
	// A fair sample exceeds this limit for about one seed in 10,000. The seed is fixed.
	df := float64(len(want) - 1)
	if limit := df + 4*math.Sqrt(2*df); chi > limit {
		t.Errorf("chi-square %.0f with %.0f degrees of freedom, want at most %.0f", chi, df, limit)
	}
}

// splits lists every way to put cards into places of the given sizes. The cards of a place are joined in order.
func splits(cards []string, sizes []int) [][]string {
	var all [][]string
	place := make([]int, len(cards))
	left := slices.Clone(sizes)
	var put func(i int)
	put = func(i int) {
		if i == len(cards) {
			parts := make([][]string, len(sizes))
			for j, c := range cards {
				parts[place[j]] = append(parts[place[j]], c)
			}
			joined := make([]string, len(sizes))
			for k := range parts {
				joined[k] = strings.Join(parts[k], " ")
			}
			all = append(all, joined)
			return
		}
		for k := range sizes {
			if left[k] > 0 {
				left[k]--
				place[i] = k
				put(i + 1)
				left[k]++
			}
		}
	}
	put(0)
	return all
}
