package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/lab"
	"marque/games/review"
)

type accuracyCommand struct {
	Game     string   `required:"" help:"The game's key, such as loyal-captain."`
	Players  []string `default:"random,casual,hard" help:"Who plays, each against itself: levels, random, or as in match."`
	N        int      `default:"20" help:"How many games of each player, against itself."`
	Seed     uint64   `default:"1" help:"Decides dice, cards and what the players think."`
	Parallel int      `help:"Games at the same time; as many as there are cores if left out."`
	Plays    int      `default:"300" help:"How many plays of a game are judged; of a longer one, those spread evenly over it."`
}

// Run measures the average loss per decision of players, as reviews judge it, and prints the accuracy that corresponds
// to it. Random, casual and hard players set the scale. Other players show how well the scale fits.
func (c accuracyCommand) Run(ctx context.Context, std streams) error {
	game, ok := catalog.Find(c.Game)
	if !ok {
		return noGame(c.Game)
	}
	if c.N < 1 || c.Plays < 1 {
		return errors.New("--n and --plays must be at least 1")
	}
	if c.Parallel <= 0 {
		c.Parallel = runtime.GOMAXPROCS(0)
	}
	for _, name := range c.Players {
		begun := time.Now()
		maker, err := lab.ParsePlayer(name, game.Key())
		if err != nil {
			return err
		}
		means, err := c.measure(ctx, game, maker)
		if err != nil {
			return err
		}
		mean, deviation := 0.0, 0.0
		for _, m := range means {
			mean += m / float64(len(means))
		}
		for _, m := range means {
			deviation += (m - mean) * (m - mean)
		}
		deviation = math.Sqrt(deviation) / float64(len(means))
		accuracy, ok := review.Accuracy(game.Key(), mean)
		worst, _ := review.Accuracy(game.Key(), mean+1.96*deviation)
		best, _ := review.Accuracy(game.Key(), max(0, mean-1.96*deviation))
		fmt.Fprintf(std.out,
			"%s, %s: %.4f of the chance of winning is given away with a decision (95%%: %.4f to %.4f)",
			game.Key(), name, mean, mean-1.96*deviation, mean+1.96*deviation)
		if ok {
			fmt.Fprintf(std.out, ", accuracy %.0f%% (%.0f to %.0f)", accuracy, worst, best)
		}
		fmt.Fprintf(std.out, ", %d games, %s\n", len(means), time.Since(begun).Round(time.Second))
	}
	return nil
}

// measure returns the mean loss of each game that a player plays against itself.
func (c accuracyCommand) measure(ctx context.Context, game games.Game, maker lab.Maker) ([]float64, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next  = newCounter(c.N)
		wait  sync.WaitGroup
		lock  sync.Mutex
		means []float64
	)
	for range c.Parallel {
		wait.Go(func() {
			for i, ok := next(); ok && ctx.Err() == nil; i, ok = next() {
				mean, err := c.one(ctx, game, maker, c.Seed<<32+uint64(i))
				if err != nil {
					cancel(err)
					return
				}
				lock.Lock()
				means = append(means, mean)
				lock.Unlock()
			}
		})
	}
	wait.Wait()
	return means, context.Cause(ctx)
}

// newCounter returns a function that counts from 0 to n-1 for several goroutines, and then returns false.
func newCounter(n int) func() (int, bool) {
	var lock sync.Mutex
	at := -1
	return func() (int, bool) {
		lock.Lock()
		defer lock.Unlock()
		at++
		return at, at < n
	}
}

// one plays a game and returns its mean loss per decision.
func (c accuracyCommand) one(ctx context.Context, game games.Game, maker lab.Maker, seed uint64) (float64, error) {
	setup, err := games.NewSetup(game, 0)
	if err != nil {
		return 0, err
	}
	m, err := games.NewMatch(game, games.Header{Game: game.Key(), Version: game.Version(), Setup: setup})
	if err != nil {
		return 0, err
	}
	rng := games.NewRand(seed)
	players := []lab.Chooser{maker(seed*31 + 1), maker(seed*31 + 2)}
	const most = 2000
	for !m.Over() && m.Len() < most {
		var play games.Move
		if seat := m.ToMove(); seat == games.Chance {
			play = rng.Outcome(m.State().Outcomes())
		} else if play, _, err = players[seat].Choose(ctx, m.View(seat)); err != nil {
			return 0, err
		}
		if err := m.Play(play); err != nil {
			return 0, err
		}
	}
	lost, decisions := 0.0, 0
	for i := range min(m.Len(), c.Plays) {
		d, err := review.Assess(ctx, new(computer.Pool), m, i*m.Len()/min(m.Len(), c.Plays), seed)
		if err != nil {
			return 0, err
		}
		if d != nil {
			lost += max(0, d.Lost())
			decisions++
		}
	}
	return lost / float64(max(decisions, 1)), nil
}
