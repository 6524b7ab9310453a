package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/lab"
	"marque/games/learned"
)

type calibrateCommand struct {
	Game   string   `arg:"" help:"The game's key, such as loyal-captain."`
	Player []string `arg:"" optional:"" help:"Who plays, as in match: each seat of each game gets one by lot; casual, normal and hard if left out."`

	N          int               `default:"3000" help:"How many games."`
	Fit        bool              `help:"Print the curve that fits these games best, as the game keeps it."`
	Slopes     bool              `help:"Fit one slope of the odds for each phase of the game first, and keep near it: for games whose phases differ much, or few games. With more than two seats it is always so."`
	Iterations int               `default:"800" help:"How much is thought about each chance that is asked for."`
	Every      int               `default:"20" help:"One position of so many is looked at."`
	Seats      int               `help:"How many seats; the fewest of the game if left out."`
	Seed       uint64            `default:"1" help:"Decides everything that is drawn by lot."`
	Option     map[string]string `help:"A table option, key=value."`
	Parallel   int               `help:"Games at the same time; as many as there are cores if left out."`
	MaxPlies   int               `default:"3000" help:"A game that is not over after so many plays is shared by all seats."`
	Keep       string            `placeholder:"FILE" help:"A file into which each game is written when it ends, and in which those are that need not be played again."`
}

// Run compares the chances that players are shown with the results of games, or fits the curve that corrects these
// chances.
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
	var players []lab.Maker
	for _, text := range c.Player {
		player, err := lab.ParsePlayer(text, game.Key())
		if err != nil {
			return err
		}
		players = append(players, player)
	}
	if c.Parallel <= 0 {
		c.Parallel = runtime.GOMAXPROCS(0)
	}
	begun := time.Now()
	calibration := lab.Calibration{Games: c.N, Players: players, Iterations: c.Iterations, Every: c.Every,
		Seed: c.Seed, Workers: c.Parallel, MaxPlies: c.MaxPlies, Slopes: c.Slopes}
	if c.Keep != "" {
		openGames, err := c.openGames(setup, &calibration)
		if err != nil {
			return err
		}
		defer openGames.Close()
	}
	m, err := lab.Calibrate(ctx, game, setup, calibration)
	if err != nil {
		return err
	}
	loss := fmt.Sprintf("loss %.4f as told, %.4f as searches find it, %.4f by the curve that fits", m.Shown, m.Found,
		m.Fitted)
	if c.Fit {
		fit := "--fit"
		if c.Slopes {
			fit += " --slopes"
		}
		if setup.Seats > 2 {
			fit += fmt.Sprintf(" --seats %d", setup.Seats)
		}
		command := fmt.Sprintf("marque-lab calibrate %s %s %s --n %d --every %d --iterations %d --seed %d --max-plies %d",
			c.Game, strings.Join(c.Player, " "), fit, c.N, c.Every, c.Iterations, c.Seed, c.MaxPlies)
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

// keptGame is a line in the file of finished games.
type keptGame struct {
	Game     int               `json:"game"`
	Outcomes []learned.Outcome `json:"outcomes"`
}

// openGames opens the file of finished games. It passes these games to the calibration, and makes the calibration
// append each further game to the file. The first line of the file says what all its games have in common, so that
// games of another calibration are refused. If the last line is incomplete, its game is played again.
func (c calibrateCommand) openGames(setup games.Setup, calibration *lab.Calibration) (*os.File, error) {
	file, err := os.OpenFile(c.Keep, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("# %s %s, %d seats, %v, every %d, iterations %d, seed %d, max-plies %d, version %d\n", c.Game,
		strings.Join(c.Player, " "), setup.Seats, c.Option, c.Every, c.Iterations, c.Seed, c.MaxPlies, computer.Version)
	calibration.Known = make(map[int][]learned.Outcome)
	read, end := bufio.NewReader(file), int64(0)
	for {
		line, err := read.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if end == 0 && line != head {
			return nil, errors.Join(fmt.Errorf("%s holds other games (%s): name a new file", c.Keep,
				strings.TrimSpace(line)), file.Close())
		}
		if end > 0 {
			var g keptGame
			if err := json.Unmarshal([]byte(line), &g); err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", c.Keep, err), file.Close())
			}
			calibration.Known[g.Game] = g.Outcomes
		}
		end += int64(len(line))
	}
	if err := file.Truncate(end); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if _, err := file.Seek(end, io.SeekStart); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if end == 0 {
		if _, err := file.WriteString(head); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	calibration.Played = func(game int, found []learned.Outcome) error {
		line, err := json.Marshal(keptGame{game, found})
		if err != nil {
			return err
		}
		_, err = file.Write(append(line, '\n'))
		return err
	}
	return file, nil
}
