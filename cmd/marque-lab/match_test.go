package main

import (
	"math"
	"strings"
	"testing"

	"marque/games"
	"marque/games/lab"
)

// A match prints its result, which is the same for the same seed. A match that cannot be played fails with the reason.
func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"won and lost", []string{"hard", "random", "--game", "loyal-captain", "--n", "4", "--seed", "2"}, 0, "loyal-captain, 2 seats, 4 games: 4 won, 0 lost, 0 drawn or shared; 100.0% (95%: 51.0 to 100.0; alike would be 50.0)"},
		{"all lost", []string{"random", "hard", "--game", "loyal-captain", "--n", "4", "--seed", "2"}, 0, "4 games: 0 won, 4 lost, 0 drawn or shared; 0.0% (95%: 0.0 to 49.0; alike would be 50.0)"},
		{"who begins", []string{"random", "random", "--game", "loyal-captain", "--n", "6"}, 0, "\nwho decides as number 2 wins "},
		{"two workers", []string{"hard:200i*2", "random", "--game", "madagascar", "--n", "2"}, 0, "2 games: 2 won"},
		{"agreed", []string{"random", "random", "--game", "madagascar", "--n", "12", "--seed", "4", "--draws"}, 0, "8 drawn or shared (2 of them agreed);"},
		{"flat Monte Carlo", []string{"flat:200i", "random", "--game", "quedah-merchant", "--n", "4", "--no-luck"}, 0, "4 games: 4 won"},
		{"flat without a limit", []string{"flat", "random", "--game", "pirat"}, 1, `there is no player "flat"`},
		{"no workers", []string{"hard:200i*0", "random", "--game", "madagascar"}, 1, `"0" is no number of workers`},
		{"stopped among three", []string{"random", "random", "--game", "madagascar", "--seats", "3", "--n", "6", "--max-plies", "3"}, 0, "6 drawn or shared (6 of them stopped after 3 plays); 33.3% (95%: "},
		{"no game", []string{"random", "random", "--game", "chess"}, 1, `there is no game "chess"`},
		{"no player", []string{"grandmaster", "random", "--game", "pirat"}, 1, `there is no player "grandmaster"`},
		{"no limit", []string{"hard:soon", "random", "--game", "pirat"}, 1, `"soon" is no limit`},
		{"no games", []string{"random", "random", "--game", "pirat", "--n", "0"}, 1, "--n and --max-plies must be at least 1"},
		{"no seats", []string{"random", "random", "--game", "pirat", "--seats", "9"}, 1, "2 to 5 players, not 9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := said(t, "", append([]string{"match"}, tt.args...)...)
			if code != tt.code || !strings.Contains(out+errs, tt.want) {
				t.Errorf("marque-lab match %s: %d, %q, %q, want %d and %q", strings.Join(tt.args, " "), code, out, errs,
					tt.code, tt.want)
			}
		})
	}
}

// Correcting results for luck does not change their mean, and makes it as certain as the results of more games would.
// In this test the two measures of luck explain 35% of the variance of results, and one of them alone at most 33%.
func TestResultsLessLuck(t *testing.T) {
	rng := games.NewRand(5)
	var total tally
	const n, mean = 4000, 0.6
	for range n {
		near, far := float64(2*rng.IntN(2)-1), float64(2*rng.IntN(2)-1)
		p := lab.Played{Result: games.Result{Winners: []games.Seat{1}}, Plies: 1, Luck: []float64{near, -near},
			Further: []float64{near + far, -near - far}}
		if float64(rng.IntN(1000)) < 1000*(mean+0.25*near+0.15*far) {
			p.Result.Winners[0] = 0
		}
		total.add(p, 2, 0)
	}
	fair, ok := total.lessLuck()
	t.Logf("%.3f ±%.4f, as certain as %d of %d games", fair.mean, fair.deviation, fair.worth, n)
	if !ok || math.Abs(fair.mean-mean) > 4*fair.deviation || fair.worth < 145*n/100 || fair.worth > 165*n/100 {
		t.Errorf("the share less luck is %+v of %d games, want %.1f, as certain as 1.55 times so many", fair, n, mean)
	}
}
