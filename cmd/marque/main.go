// Command marque is a Discord bot on which people play pirate games.
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
	Run      runCommand      `cmd:"" default:"1" help:"Run the bot: on Discord with DISCORD_TOKEN, else on a local Discord with a page in the browser. This is what happens without a command."`
	Engine   engineCommand   `cmd:"" help:"Speak the rules' line protocol on standard input and output."`
	Database databaseCommand `cmd:"" help:"Check, copy, restore, compact or repair the database while the bot is stopped."`
	Table    tableCommand    `cmd:"" help:"Look at a table in the database."`
	Replay   replayCommand   `cmd:"" help:"Show a record move by move, or write it as an animated picture."`
	Verify   verifyCommand   `cmd:"" help:"Say whether a record is legal, complete and fair, and where it is not."`
	Doctor   doctorCommand   `cmd:"" help:"Look at the configuration, the database, its backups, the machine and Discord, say of each whether it is well and what to do; the exit code is 1 when something is wrong."`
	Health   healthCommand   `cmd:"" name:"healthcheck" help:"Ask the running bot on MARQUE_METRICS whether it is ready; the exit code is 0 when it is."`
	Texts    textsCommand    `cmd:"" help:"Look at translations."`
	Version  versionCommand  `cmd:"" help:"Print the version, the commit it was built from, and the schema of the database files it writes."`
	Ratings  ratingsCommand  `cmd:"" help:"Count the ratings again."`
}

// streams are the input and the outputs of a command.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// environ is the environment of a command, in the form of os.Environ.
type environ []string

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), streams{os.Stdin, os.Stdout, os.Stderr}))
}

// run runs one command line and returns the exit code: 0 for success, 1 for a failed command, 2 for an invalid command
// line. If the command fails, it writes one sentence to std.err.
func run(ctx context.Context, args []string, env environ, std streams) int {
	var p program
	exit := -1
	parser, err := kong.New(&p,
		kong.Name("marque"),
		kong.Description(
			"A Discord bot on which people play pirate games. Without a command and without DISCORD_TOKEN it runs a local Discord to try everything in a browser."),
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
		fmt.Fprintf(std.err, "marque: %v (marque --help lists what there is)\n", err)
		return 2
	}
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(env, std); err != nil {
		fmt.Fprintf(std.err, "marque: %v\n", err)
		return 1
	}
	return 0
}
