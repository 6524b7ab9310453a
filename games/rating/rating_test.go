package rating

import (
	"flag"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Every run tries the same cases; -rapid.seed chooses others.
var _ = flag.Set("rapid.seed", "26")

// Ratings equal the values that the OpenSkill project publishes in the tests of openskill.js (models/bradley-terry-full
// and rate, 2026).
func TestPublishedValues(t *testing.T) {
	same := func(n int) []Rating {
		list := make([]Rating, n)
		for i := range list {
			list[i] = New()
		}
		return list
	}
	tests := []struct {
		name   string
		rate   func([]Rating, []int, Weight) []Rating
		before []Rating
		places []int
		want   []Rating
	}{
		{"two, without ageing", bradleyTerry, same(2), []int{1, 2}, []Rating{{27.63523138347365, 8.065506316323548}, {22.36476861652635, 8.065506316323548}}},
		{"three, without ageing", bradleyTerry, same(3), []int{1, 2, 3}, []Rating{{30.2704627669473, 7.788474807872566}, {25, 7.788474807872566}, {19.7295372330527, 7.788474807872566}}},
		{"four, without ageing", bradleyTerry, same(4), []int{1, 2, 3, 4}, []Rating{
			{32.90569415042095, 7.5012190693964005}, {27.63523138347365, 7.5012190693964005},
			{22.36476861652635, 7.5012190693964005}, {17.09430584957905, 7.5012190693964005},
		}},
		{"five, without ageing", bradleyTerry, same(5), []int{1, 2, 3, 4, 5}, []Rating{
			{35.5409255338946, 7.202515895247076}, {30.2704627669473, 7.202515895247076}, {25, 7.202515895247076},
			{19.729537233052703, 7.202515895247076}, {14.4590744661054, 7.202515895247076},
		}},
		{"two, the second first", Rate, same(2), []int{2, 1}, []Rating{{22.364610506859503, 8.06590141354368}, {27.635389493140497, 8.06590141354368}}},
		{"a draw of two", Rate, same(2), []int{0, 0}, []Rating{{25, 8.06590141354368}, {25, 8.06590141354368}}},
	}
	for _, tt := range tests {
		got := tt.rate(tt.before, tt.places, full)
		for i, w := range tt.want {
			if math.Abs(got[i].Mu-w.Mu) > 1e-9 || math.Abs(got[i].Sigma-w.Sigma) > 1e-9 {
				t.Errorf("%s: player %d is %+v after the game, published is %+v", tt.name, i, got[i], w)
			}
		}
	}
}

func TestAloneNothingChanges(t *testing.T) {
	if got := Rate([]Rating{New()}, []int{1}, full); got[0] != New() {
		t.Errorf("a game of one player leads to %+v, want %+v", got[0], New())
	}
}

// A better place among equals gives a better rating, and the order of seats does not matter. All numbers stay finite
// over as many as 60 games.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "players")
		ratings := make([]Rating, n)
		for i := range ratings {
			ratings[i] = New()
		}
		for range rapid.IntRange(1, 60).Draw(t, "games") {
			places := make([]int, n)
			for i := range places {
				places[i] = rapid.IntRange(1, n).Draw(t, "place")
			}
			shuffled := rapid.Permutation(seats(n)).Draw(t, "seats")
			before, at := make([]Rating, n), make([]int, n)
			for i, s := range shuffled {
				before[i], at[i] = ratings[s], places[s]
			}
			after, other := Rate(ratings, places, full), Rate(before, at, full)
			for i, s := range shuffled {
				if math.Abs(after[s].Mu-other[i].Mu) > 1e-9 || math.Abs(after[s].Sigma-other[i].Sigma) > 1e-9 {
					t.Fatalf("seated otherwise, a player gets %+v instead of %+v", other[i], after[s])
				}
			}
			for i, r := range after {
				if !(r.Sigma > 0 && r.Sigma <= startSigma+1) || math.IsNaN(r.Mu) || math.Abs(r.Mu) > 1000 {
					t.Fatalf("player %d has %+v after %+v with places %v", i, r, ratings, places)
				}
				for j := range after {
					if ratings[i] == ratings[j] && places[i] < places[j] && r.Mu <= after[j].Mu {
						t.Fatalf("equal before, place %d gives %+v and place %d gives %+v", places[i], r, places[j],
							after[j])
					}
				}
			}
			for i := range ratings {
				ratings[i] = after[i].Round()
			}
		}
	})
}

func seats(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func TestScale(t *testing.T) {
	r := New()
	if r.Points() != 1500 || r.Band() != 1000 || math.Abs(r.Sure()*scale-500) > 1e-9 {
		t.Errorf("a newcomer is shown as %d ± %d, ranked at %v; want 1500 ± 1000, ranked at 500", r.Points(), r.Band(),
			r.Sure()*scale)
	}
}

// full gives every game full weight.
func full(i, j int) float64 { return 1 }
