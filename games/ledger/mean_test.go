package ledger_test

import (
	"context"
	"flag"
	"math"
	"runtime"
	"sync"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/lab"
	"marque/games/ledger"
)

var manyGames = flag.Int("ledger.games", 0,
	"play so many games of each kind, and say what luck the players had on the mean")

// sums holds the sums that give the mean of numbers, and the standard deviation of the mean.
type sums struct{ n, total, squares float64 }

func (s *sums) add(x float64) {
	s.n++
	s.total += x
	s.squares += x * x
}

func (s *sums) mean() (mean, deviation float64) {
	mean = s.total / s.n
	return mean, math.Sqrt((s.squares/s.n - mean*mean) / s.n)
}

// The mean luck of the first seat among equal players is zero, within the statistical error. Beginners play both seats,
// and each game has its own dice and cards. With -ledger.games 10000 the mean is accurate to tenths of a percentage
// point.
func TestNobodyIsLuckyForLong(t *testing.T) {
	for _, g := range catalog.Games {
		if g.Traits().Chance {
			t.Run(g.Key(), func(t *testing.T) { nobodyIsLucky(t, g, max(*manyGames, 24)) })
		}
	}
}

func nobodyIsLucky(t *testing.T, g games.Game, played int) {
	setup, err := games.NewSetup(g, 2)
	if err != nil {
		t.Fatal(err)
	}
	maker, err := lab.ParsePlayer("beginner", g.Key())
	if err != nil {
		t.Fatal(err)
	}
	now, then, further := make([]float64, played), make([]float64, played), make([]float64, played)
	next := make(chan int)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := range next {
				now[i], then[i], further[i] = luckOfFirst(t, g, setup, maker, uint64(i)+1)
			}
		})
	}
	for i := range played {
		next <- i
	}
	close(next)
	wait.Wait()
	check := func(what string, luck []float64) {
		var s sums
		for _, l := range luck {
			s.add(100 * l)
		}
		mean, deviation := s.mean()
		t.Logf("%s: %+.3f points on the mean, ±%.3f (95 %%), %.0f in a game (one standard deviation), %d games",
			what, mean, 1.96*deviation, deviation*math.Sqrt(s.n), played)
		if deviation == 0 || math.Abs(mean) > 3.5*deviation {
			t.Errorf("%s: the first seat has %.3f ±%.3f points of luck on the mean", what, mean, deviation)
		}
	}
	check("knowing all", now)
	check("as seen further ahead", further)
	if g.Traits().Hidden {
		check("as known then", then)
	}
}

// luckOfFirst plays a game and returns the first seat's luck by three measures: now uses the full position, then uses
// the seat's knowledge at the time, and further uses the full position with playouts.
func luckOfFirst(t *testing.T, g games.Game, setup games.Setup, maker lab.Maker,
	seed uint64) (now, then, further float64) {
	rng, s := games.NewRand(seed), g.New(setup)
	meter := ledger.NewMeter(g, setup)
	players := []lab.Chooser{maker(games.Mix(2 * seed)), maker(games.Mix(2*seed + 1))}
	const most = 3000
	for ply := 0; s.ToMove() != games.Nobody && ply < most; ply++ {
		if seat := s.ToMove(); seat != games.Chance {
			m, _, err := players[seat].Choose(context.Background(), games.Look(s, seat))
			if err != nil {
				t.Error(err)
				return 0, 0, 0
			}
			s = s.Apply(m)
			continue
		}
		outcome := rng.Outcome(s.Outcomes())
		near, far := meter.Further(s, outcome, games.Mix(seed)+uint64(ply))
		now += near[0]
		further += far[0]
		if g.Traits().Hidden {
			then += meter.Then(s, outcome, 0)
		}
		s = s.Apply(outcome)
	}
	return now, then, further
}
