package competition

import (
	"fmt"
	"testing"
)

// CO-20: everybody plays everybody once, and the numbers of games in each seat differ by at most one.
func TestCO20_EverybodyMeetsEverybody(t *testing.T) {
	for n := 2; n <= 16; n++ {
		c, err := New(Setup{Kind: RoundRobin, Start: 1000, Time: 7 * Day})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			c, _ = c.Enter(fmt.Sprint("u", i), 1500+i, 1)
		}
		c, err = c.Begin(10)
		if err != nil {
			t.Fatal(err)
		}
		met := map[[2]int]int{}
		first := make([]int, n)
		for _, p := range c.Pairings {
			met[[2]int{min(p.Seats[0], p.Seats[1]), max(p.Seats[0], p.Seats[1])}]++
			first[p.Seats[0]]++
			first[p.Seats[1]]--
		}
		if len(met) != n*(n-1)/2 || len(c.Pairings) != len(met) {
			t.Errorf("CO-20 %d entrants: %d pairs in %d pairings", n, len(met), len(c.Pairings))
		}
		for e, f := range first {
			if f < -1 || f > 1 {
				t.Errorf("CO-20 %d entrants: %d sits first %+d times more than second", n, e, f)
			}
		}
		rounds := 0
		for now := Stamp(10); c.Phase == Running; {
			open := c.ToOpen()
			seen := map[int]bool{}
			for _, p := range open {
				for _, e := range p.Seats {
					if seen[e] {
						t.Fatalf("CO-20 %d entrants: %d sits twice in round %d", n, e, c.Round)
					}
					seen[e] = true
				}
			}
			for _, p := range open {
				if c, err = c.Opened(p.No, fmt.Sprint("t", p.No)); err != nil {
					t.Fatal(err)
				}
				if c, err = c.Report(p.No, Outcome{End: Played, Places: []int{1, 2}}, now); err != nil {
					t.Fatal(err)
				}
			}
			rounds++
		}
		if want := n - 1 + n%2; rounds != want || c.Why != EndPlayed {
			t.Errorf("CO-20 %d entrants: %d rounds, want %d; ended %s", n, rounds, want, c.Why)
		}
	}
}
