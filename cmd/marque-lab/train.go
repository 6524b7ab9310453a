package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"marque/games"
	"marque/games/catalog"
	"marque/games/lab"
	"marque/games/learned"
)

type trainCommand struct {
	Game string `arg:"" help:"The game's key, such as loyal-captain."`

	Games      int               `default:"3000" help:"How many games are played; every tenth tells how well the model does."`
	Iterations int               `default:"150" help:"How much a player thinks about each move."`
	From       string            `type:"existingfile" help:"A file of weights by which it plays, that were trained before; the game's own evaluation if left out."`
	Seats      int               `help:"How many seats; the fewest of the game if left out."`
	Seed       uint64            `default:"1" help:"Decides everything that is drawn by lot."`
	Option     map[string]string `help:"A table option, key=value."`
	MaxPlies   int               `default:"2000" help:"A game that is not over after so many plays teaches nothing."`
}

// Run trains the evaluation of a game and prints its weights in the format of the game's file.
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
	var from *learned.Model
	comments := []string{}
	if c.From != "" {
		text, err := os.ReadFile(c.From)
		if err != nil {
			return err
		}
		if from, err = readWeights(string(text), game, setup); err != nil {
			return fmt.Errorf("%s: %w", c.From, err)
		}
		for line := range strings.Lines(string(text)) {
			if made, ok := strings.CutPrefix(strings.TrimSpace(line), "# marque-lab train "); ok {
				comments = append(comments, "marque-lab train "+made)
			}
		}
		if n := len(comments); n > 0 {
			comments[n-1] += " > " + filepath.Base(c.From)
		}
	}
	t, err := lab.Train(ctx, game, setup, lab.Training{
		Games: c.Games, Iterations: c.Iterations, From: from, Seed: c.Seed, Workers: runtime.GOMAXPROCS(0),
		MaxPlies: c.MaxPlies,
	})
	if err != nil {
		return err
	}
	command := fmt.Sprintf("marque-lab train %s --games %d --iterations %d --seats %d --seed %d", c.Game, c.Games,
		c.Iterations, setup.Seats, c.Seed)
	if c.From != "" {
		command += " --from " + filepath.Base(c.From)
	}
	for _, s := range chosen {
		command += fmt.Sprintf(" --option %s=%s", s.Key, s.Value)
	}
	loss := fmt.Sprintf("%d positions; loss over %d others %.4f, of the present evaluation %.4f, of none %.4f",
		t.Examples, t.Held, t.Loss, t.PresentLoss, t.Blind)
	if t.Model.Layer != nil {
		loss += fmt.Sprintf(", without the hidden layer %.4f", t.Plain)
	}
	comments = append(comments, command, loss)
	fmt.Fprint(std.out, t.Model.Encode(t.Names, comments...))
	return nil
}

// readWeights reads weights, and returns an error if they were trained for another game.
func readWeights(text string, game games.Game, setup games.Setup) (m *learned.Model, err error) {
	learner, ok := game.New(setup).Sim().(learned.Evaluator)
	if !ok {
		return nil, fmt.Errorf("%s has no weights", game.Key())
	}
	return learned.Read(text, learner.Names())
}
