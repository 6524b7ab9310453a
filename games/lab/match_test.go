package lab

import (
	"fmt"
	"math"
	"testing"

	"marque/games"
	"marque/games/catalog"
)

// ParsePlayer parses valid names of players, and returns an error for invalid ones.
func TestParsePlayer(t *testing.T) {
	for _, good := range []string{"random", "easy", "casual", "normal", "hard", "expert", "hard:0.2s",
		"hard:200i", "easy:5ms", "hard:200i:0.05"} {
		if _, err := ParsePlayer(good, "pirat"); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "master", "hard:", "hard:i", "hard:-1s", "hard:0i", "random:2s", "hard:200i:",
		"hard:200i:3", "hard:200i:NaN"} {
		if _, err := ParsePlayer(bad, "pirat"); err == nil {
			t.Errorf("%q is taken for a player", bad)
		}
	}
}

// Games between two casual players take about Traits.Usual plays. That number decides whether a player has left early.
func TestUsualLengths(t *testing.T) {
	t.Parallel()
	const played = 12
	for _, g := range catalog.Games {
		setup, err := games.NewSetup(g, 2)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for seed := range uint64(played) {
			var players []Chooser
			for range 2 {
				make, err := ParsePlayer("casual", g.Key())
				if err != nil {
					t.Fatal(err)
				}
				players = append(players, make(2*seed+uint64(len(players))))
			}
			p, err := PlayGame(t.Context(), g, setup, players, seed, Terms{Plies: 2000, Draws: true})
			if err != nil {
				t.Fatal(err)
			}
			sum += p.Plies
		}
		mean, usual := sum/played, g.Traits().Usual
		t.Logf("%s: %d plays, said to be %d", g.Key(), mean, usual)
		if mean < usual*2/3 || mean > usual*3/2 {
			t.Errorf("%s: games take %d plays, said to be usual are %d", g.Key(), mean, usual)
		}
	}
}

// Wilson's interval equals values of Newcombe (1998), table I, such as 0.2553 to 0.3662 for 81 of 263, and 0 to
// 0.1611 for 0 of 20. To a tenth of a percent, the interval of no wins begins at 0, and that of only wins ends at 1,
// for 1 to 1,000 games.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		won       float64
		n         int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {0, 20, 0, 0.1611}, {15, 148, 0.0624, 0.1605}} {
		low, high := Wilson(c.won, c.n)
		if d := 0.00006; low < c.low-d || low > c.low+d || high < c.high-d || high > c.high+d {
			t.Errorf("%v of %d: %.4f to %.4f, want %.4f to %.4f", c.won, c.n, low, high, c.low, c.high)
		}
	}
	for n := 1; n <= 1000; n++ {
		low, _ := Wilson(0, n)
		_, high := Wilson(float64(n), n)
		if math.Signbit(low) || high > 1 || fmt.Sprintf("%.1f to %.1f", 100*low, 100*high) != "0.0 to 100.0" {
			t.Fatalf("none of %d begins at %v, and all end at %v", n, low, high)
		}
	}
}
