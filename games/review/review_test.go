package review_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"marque/games"
	"marque/games/computer"
	"marque/games/loyalcaptain"
	"marque/games/review"
)

// assessor rates decision n with a loss of costs[n] in a quick assessment. A thorough assessment confirms the loss,
// except for the decisions in forgives, whose loss then is 0.
type assessor struct {
	costs    []float64
	forgives []int
	plays    map[uint64]int
	asked    []int // indexes of the thoroughly assessed decisions, in order
}

func (j *assessor) Assess(_ context.Context, _ games.View, _ games.Move, effort computer.Effort,
	seed uint64) (computer.Assessment, error) {
	n, again := j.plays[seed]
	if !again {
		n = len(j.plays)
		j.plays[seed] = n
	}
	cost := j.costs[n%len(j.costs)]
	if effort == computer.Thorough {
		j.asked = append(j.asked, n)
		if slices.Contains(j.forgives, n) {
			cost = 0
		}
	}
	return computer.Assessment{Had: 0.9, Left: 0.9 - cost}, nil
}

// match returns a game of Loyal Captain after the given number of plays.
func match(t *testing.T, plays int) *games.Match {
	t.Helper()
	m, err := games.NewMatch(loyalcaptain.Game, games.Header{Setup: games.Setup{Seats: 2}})
	if err != nil {
		t.Fatal(err)
	}
	for range plays {
		if err := m.Play(m.State().Moves()[0]); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// Turning points are the costliest decisions that a thorough search confirms, in the order of the game. No more
// decisions than needed are searched thoroughly.
func TestTheCostliestThatHoldGoodAreTurningPoints(t *testing.T) {
	m := match(t, 9)
	j := &assessor{costs: []float64{0.15, 0.5, 0.05, 0.3, 0.11, 0.2, 0.4, 0.25, 0.12}, forgives: []int{6},
		plays: map[uint64]int{}}
	points, err := review.Find(t.Context(), j, m, m.Len(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range points {
		got = append(got, fmt.Sprintf("%d%s %d", p.Play, p.Sign(), p.LostPercent()))
		if p.Played != m.Log()[p.Play].Text || p.Seat != m.Log()[p.Play].Seat {
			t.Errorf("point %+v is not play %+v", p, m.Log()[p.Play])
		}
	}
	if want := []string{"0? 15", "1?? 50", "3?? 30", "5?? 20", "7?? 25"}; !slices.Equal(got, want) {
		t.Errorf("turning points %v, want %v", got, want)
	}
	if want := []int{1, 6, 3, 7, 5, 0}; !slices.Equal(j.asked, want) {
		t.Errorf("looked thoroughly at %v, want %v", j.asked, want)
	}
}

// A cancelled review returns an error.
func TestAStoppedSearchIsNoReview(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if points, err := review.Find(ctx, new(computer.Pool), match(t, 4), 4, 0); err == nil {
		t.Errorf("a search that was stopped found %v", points)
	}
}

// The caption of a picture with a turning point is marked, and the picture is shown longer, even if other pictures were
// left out.
func TestCaptionsMarkTurningPoints(t *testing.T) {
	points := []review.TurningPoint{{Play: 1, Had: 0.9, Left: 0.75}, {Play: 5, Had: 0.9, Left: 0.1}}
	turn := func(plays int) int { return 10 * plays }
	delays, captions := review.Captions([]int{0, 1, 2, 4, 6, 7}, 9, turn, points, time.Second)
	want := []string{"0 / 90", "10 / 90", "20 / 90 ?", "40 / 90", "60 / 90 ??", "70 / 90"}
	if !slices.Equal(captions, want) {
		t.Errorf("captions %q, want %q", captions, want)
	}
	for i, long := range []bool{false, false, true, false, true, false} {
		if long != (delays[i] > time.Second) {
			t.Errorf("the picture %q stays %v", captions[i], delays[i])
		}
	}
}
