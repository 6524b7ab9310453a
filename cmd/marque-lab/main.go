// Command marque-lab has tools for the development of marque: it lets computer players play against each other and
// learn, mines puzzles, paints boards, and measures the load of play on a machine.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
)

// program is the command line.
type program struct {
	Match     matchCommand     `cmd:"" help:"Let two computer players meet many times and print who wins how often."`
	Calibrate calibrateCommand `cmd:"" help:"Compare the chances that players are told with how often they come true."`
	Accuracy  accuracyCommand  `cmd:"" help:"Measure what the players that set the scale of accuracy give away with each decision."`
	Train     trainCommand     `cmd:"" help:"Fit the evaluation of a game to games of computer players and print its weights."`
	Puzzles   puzzlesCommand   `cmd:"" help:"Mine puzzles."`
	Load      loadCommand      `cmd:"" help:"Let many play on a local Discord in this process, and print how fast that is and what it takes."`
	Boards    boardsCommand    `cmd:"" help:"Paint positions of every game in every theme, and a sheet of all, into a folder."`
}

// streams are the input and the outputs of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run runs one command line and returns the exit code: 0 for success, 1 for a failed command, 2 for an invalid command
// line.
func run(ctx context.Context, args []string, std streams) int {
	var p program
	exit := -1
	parser, err := kong.New(&p,
		kong.Name("marque-lab"),
		kong.Description("Tools for those who work on marque."),
		kong.Writers(std.out, std.err),
		kong.Exit(func(code int) { exit = code }),
		kong.UsageOnError(),
	)
	if err != nil {
		panic(err) // the command line is declared wrongly, which any start would show
	}
	command, err := parser.Parse(args)
	if exit >= 0 { // --help was handled
		return exit
	}
	if err != nil {
		fmt.Fprintf(std.err, "marque-lab: %v (marque-lab --help lists what there is)\n", err)
		return 2
	}
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(std); err != nil {
		fmt.Fprintf(std.err, "marque-lab: %v\n", err)
		return 1
	}
	return 0
}
