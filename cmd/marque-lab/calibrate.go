package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
)

type calibrateCommand struct {
	Game   string   `arg:"" help:"The game's key, such as loyal-captain."`
	Player []string `arg:"" optional:"" help:"Who plays, as in match: each seat of each game gets one by lot; casual, normal and hard if left out."`

	N          int               `default:"3000" help:"How many games."`
	Fit        bool              `help:"Print the curve that fits these games best, as the game keeps it."`
	Iterations int               `default:"800" help:"How much is thought about each chance that is asked for."`
	Every      int               `default:"20" help:"One position of so many is looked at."`
	Seats      int               `help:"How many seats; the fewest of the game if left out."`
	Seed       uint64            `default:"1" help:"Decides everything that is drawn by lot."`
	Option     map[string]string `help:"A table option, key=value."`
	Parallel   int               `help:"Games at the same time; as many as there are cores if left out."`
	MaxPlies   int               `default:"3000" help:"A game that is not over after so many plays is shared by all seats."`
}

// Run compares the chances that players are told with what came of them, or fits the curve by which they are told.
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
	if len(c.Player) == 0 {
		c.Player = []string{"casual", "normal", "hard"}
	}
	var players []computer.Maker
	for _, text := range c.Player {
		player, err := computer.ParsePlayer(text, game.Key())
		if err != nil {
			return err
		}
		players = append(players, player)
	}
	if c.Parallel <= 0 {
		c.Parallel = runtime.GOMAXPROCS(0)
	}
	begun := time.Now()
	m, err := computer.Calibrate(ctx, game, setup, computer.Calibration{Games: c.N, Players: players,
		Iterations: c.Iterations, Every: c.Every, Seed: c.Seed, Workers: c.Parallel, MaxPlies: c.MaxPlies})
	if err != nil {
		return err
	}
	loss := fmt.Sprintf("loss %.4f as told, %.4f as searches find it, %.4f by the curve that fits", m.Told, m.Found,
		m.Fitted)
	if c.Fit {
		command := fmt.Sprintf("marque-lab calibrate %s %s --fit --n %d --every %d --iterations %d --seed %d --max-plies %d",
			c.Game, strings.Join(c.Player, " "), c.N, c.Every, c.Iterations, c.Seed, c.MaxPlies)
		fmt.Fprint(std.out, m.Curve.Encode(command, fmt.Sprintf("%d positions; %s", m.Positions, loss)))
		return nil
	}
	fmt.Fprintf(std.out, "%s, %d seats, %d games of %s, %d positions, %s; %s\n", c.Game, setup.Seats, m.Games,
		strings.Join(c.Player, ", "), m.Positions, time.Since(begun).Round(time.Second), loss)
	for _, b := range m.Bins {
		if b.Positions > 0 {
			fmt.Fprintf(std.out, "| %.1f | %.1f | %+.1f ±%.1f | %d |\n", 100*b.Said, 100*b.Won, 100*(b.Won-b.Said),
				196*b.Error, b.Positions)
		}
	}
	return nil
}
