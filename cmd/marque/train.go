package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
)

type trainCommand struct {
	Game string `arg:"" help:"The game's key, such as loyal-captain."`

	Games      int               `default:"3000" help:"How many games are played; every tenth tells how well the model does."`
	Iterations int               `default:"150" help:"How much a player thinks about each move."`
	Seats      int               `help:"How many seats; the fewest of the game if left out."`
	Seed       uint64            `default:"1" help:"Decides everything that is drawn by lot."`
	Option     map[string]string `help:"A table option, key=value."`
	MaxPlies   int               `default:"2000" help:"A game that is not over after so many plays teaches nothing."`
}

// Run trains a game's evaluation and prints its weights as the game keeps them.
func (c trainCommand) Run(ctx context.Context, std streams) error {
	game, ok := catalog.Find(c.Game)
	if !ok {
		return noGame(c.Game)
	}
	if c.Games < 10 || c.Iterations < 1 || c.MaxPlies < 1 {
		return errors.New("--games must be at least 10, --iterations and --max-plies at least 1")
	}
	chosen := settings(c.Option)
	setup, err := games.NewSetup(game, c.Seats, chosen...)
	if err != nil {
		return err
	}
	t, err := computer.Train(ctx, game, setup, computer.Training{
		Games: c.Games, Iterations: c.Iterations, Seed: c.Seed, Workers: runtime.GOMAXPROCS(0), MaxPlies: c.MaxPlies,
	})
	if err != nil {
		return err
	}
	command := fmt.Sprintf("marque train %s --games %d --iterations %d --seats %d --seed %d", c.Game, c.Games, c.Iterations, setup.Seats, c.Seed)
	for _, s := range chosen {
		command += fmt.Sprintf(" --option %s=%s", s.Key, s.Value)
	}
	fmt.Fprint(std.out, t.Model.Encode(t.Names, command,
		fmt.Sprintf("%d positions; loss over %d others %.4f, of the evaluation made by hand %.4f, of none %.4f",
			t.Examples, t.Held, t.Loss, t.FormerLoss, t.Blind)))
	return nil
}
