package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
)

type calibrateCommand struct {
	Game   string `arg:"" help:"The game's key, such as loyal-captain."`
	Player string `arg:"" default:"hard" help:"Who plays in all seats, as in match."`

	N          int               `default:"300" help:"How many games."`
	Iterations int               `default:"800" help:"How much is thought about each chance that is asked for."`
	Every      int               `default:"5" help:"One position of so many is looked at."`
	Seats      int               `help:"How many seats; the fewest of the game if left out."`
	Seed       uint64            `default:"1" help:"Decides everything that is drawn by lot."`
	Option     map[string]string `help:"A table option, key=value."`
	Parallel   int               `help:"Games at the same time; as many as there are cores if left out."`
	MaxPlies   int               `default:"3000" help:"A game that is not over after so many plays is shared by all seats."`
}

// Run compares the chances that players are told with what came of them, and prints the slopes that would
// fit best.
func (c calibrateCommand) Run(ctx context.Context, std streams) error {
	game, ok := catalog.Find(c.Game)
	if !ok {
		return noGame(c.Game)
	}
	if c.N < 1 || c.Iterations < 1 || c.Every < 1 || c.MaxPlies < 1 {
		return errors.New("--n, --iterations, --every and --max-plies must be at least 1")
	}
	setup, err := games.NewSetup(game, c.Seats, settings(c.Option)...)
	if err != nil {
		return err
	}
	player, err := computer.ParsePlayer(c.Player, game.Key())
	if err != nil {
		return err
	}
	if c.Parallel <= 0 {
		c.Parallel = runtime.GOMAXPROCS(0)
	}
	begun := time.Now()
	m, err := computer.Calibrate(ctx, game, setup, computer.Calibration{Games: c.N, Player: player,
		Iterations: c.Iterations, Every: c.Every, Seed: c.Seed, Workers: c.Parallel, MaxPlies: c.MaxPlies})
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s, %d seats, %d games of %s, %d positions, %s\n", c.Game, setup.Seats, m.Games, c.Player,
		m.Positions, time.Since(begun).Round(time.Second))
	for _, b := range m.Bins {
		if b.Positions > 0 {
			low, high := computer.Wilson(b.Won*float64(b.Positions), b.Positions)
			fmt.Fprintf(std.out,
				"said %4.1f %%, came true %4.1f %% of %d (95 %%, were they of as many games: %.1f to %.1f)\n",
				100*b.Said, 100*b.Won, b.Positions, percent(low), percent(high))
		}
	}
	fmt.Fprintf(std.out, "slopes that fit: %.2f, %.2f, %.2f, bias %.2f; "+
		"loss %.4f as told, %.4f as searches find it, %.4f by these\n",
		m.Slopes[0], m.Slopes[1], m.Slopes[2], m.Bias, m.Told, m.Found, m.Fitted)
	return nil
}
