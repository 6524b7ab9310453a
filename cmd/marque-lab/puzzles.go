package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"marque/games"
	"marque/games/catalog"
	"marque/games/lab"
	"marque/games/puzzle"
)

type puzzlesCommand struct {
	Make puzzlesMakeCommand `cmd:"" help:"Mine puzzles from games between computer players and print them as games/puzzle keeps them."`
}

type puzzlesMakeCommand struct {
	Game    string `required:"" help:"The game's key, such as loyal-captain."`
	N       int    `default:"60" help:"How many puzzles."`
	Games   int    `default:"20000" help:"How many games are played at most to find them."`
	From    int    `help:"The number of the first game: what games 0 to 99 and 100 to 199 hold is what games 0 to 199 hold, but for positions found twice."`
	Seed    uint64 `default:"1" help:"Decides everything that is drawn by lot."`
	Workers int    `help:"Games at the same time; as many as there are cores if left out. It changes nothing but the time."`
}

// Run mines puzzles, and prints its progress on std.err.
func (c puzzlesMakeCommand) Run(ctx context.Context, std streams) error {
	game, ok := catalog.Find(c.Game)
	if !ok {
		return noGame(c.Game)
	}
	if c.N < 1 || c.Games < 1 || c.From < 0 {
		return errors.New("--n and --games must be at least 1, --from at least 0")
	}
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	setup, err := games.NewSetup(game, 0)
	if err != nil {
		return err
	}
	work := lab.Mining{Game: game, Setup: setup, N: c.N, From: c.From, Games: c.Games, Seed: c.Seed,
		Workers: c.Workers}
	n := 0
	work.Found = func(p puzzle.Puzzle, played int) {
		n++
		fmt.Fprintf(std.err, "%d after %d games: grade %d, %s: %v\n", n, played, p.Grade, p.Claim, p.Solution)
	}
	found, played, err := work.Mine(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(std.out, puzzle.File{Game: game.Key(), Version: game.Version(), Setup: setup, Puzzles: found,
		Command: fmt.Sprintf("marque-lab puzzles make --game %s --n %d --seed %d", c.Game, c.N, c.Seed)}.Encode())
	if len(found) < c.N {
		fmt.Fprintf(std.err, "only %d puzzles in %d games\n", len(found), played)
	}
	return nil
}
