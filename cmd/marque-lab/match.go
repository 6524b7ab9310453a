package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/lab"
	"marque/games/learned"
)

type matchCommand struct {
	A string `arg:"" help:"The first player: random, beginner (who takes what one play takes, in half of its decisions), flat:2000i (flat Monte Carlo), easy, casual, normal, hard, expert, or a level with a limit for each move, how many workers share it, and how far it noises: hard:0.2s, hard:2000i, hard:2000i*2, hard:2000i:0.05."`
	B string `arg:"" help:"The player it meets, in all other seats."`

	Game     string            `required:"" help:"The game's key, such as loyal-captain."`
	N        int               `default:"100" help:"How many games."`
	Seats    int               `help:"How many seats; the fewest of the game if left out."`
	Seed     uint64            `default:"1" help:"Decides dice, cards and what players without a clock think."`
	Option   map[string]string `help:"A table option, key=value."`
	Parallel int               `help:"Games at the same time; as many as there are cores if left out."`
	Weights  string            `type:"existingfile" help:"A file of weights by which A plays, in place of the game's own."`
	MaxPlies int               `default:"5000" help:"A game that is not over after so many plays counts as a draw, shared by all seats."`
	Luck     bool              `negatable:"" default:"true" help:"Also reckon the share less the luck of dice and cards, which takes longer than weak players think."`
	Draws    bool              `help:"Let players agree on a draw where a game goes round in circles, as they do at a table."`
}

// Run lets two computer players, A and B, play against each other, A in each seat in turn, and prints the results of A.
func (c matchCommand) Run(ctx context.Context, std streams) error {
	game, ok := catalog.Find(c.Game)
	if !ok {
		return noGame(c.Game)
	}
	if c.N < 1 || c.MaxPlies < 1 {
		return errors.New("--n and --max-plies must be at least 1")
	}
	setup, err := games.NewSetup(game, c.Seats, settings(c.Option)...)
	if err != nil {
		return err
	}
	c.Seats = setup.Seats
	a, err := lab.ParsePlayer(c.A, game.Key())
	if err != nil {
		return err
	}
	if c.Weights != "" {
		if a, err = taught(a, c.Weights, game, setup); err != nil {
			return err
		}
	}
	b, err := lab.ParsePlayer(c.B, game.Key())
	if err != nil {
		return err
	}
	if c.Parallel <= 0 {
		c.Parallel = runtime.GOMAXPROCS(0)
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next  = make(chan int)
		wait  sync.WaitGroup
		lock  sync.Mutex
		total tally
		begun = time.Now()
	)
	for range c.Parallel {
		wait.Go(func() {
			for i := range next {
				// A plays in each seat with the same dice and cards.
				seat := games.Seat(i % c.Seats)
				seed := c.Seed<<32 + uint64(i/c.Seats)
				players := make([]lab.Chooser, c.Seats)
				for s := range players {
					players[s] = b(seed*31 + uint64(s) + 1)
				}
				players[seat] = a(seed*31 + uint64(seat) + 1)
				played, err := lab.PlayGame(ctx, game, setup, players, seed,
					lab.Terms{Plies: c.MaxPlies, Draws: c.Draws, Luck: c.Luck})
				if err != nil {
					cancel(err)
					continue
				}
				lock.Lock()
				total.add(played, c.Seats, seat)
				lock.Unlock()
			}
		})
	}
	for i := 0; i < c.N && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	low, high := lab.Wilson(total.points, total.games)
	fmt.Fprintf(std.out, "%s against %s, %s, %d seats, %d games: %d won, %d lost, %d drawn or shared", c.A, c.B, c.Game,
		c.Seats, total.games, total.won, total.lost, total.drawn)
	if total.agreed > 0 {
		fmt.Fprintf(std.out, " (%d of them agreed)", total.agreed)
	}
	if total.unfinished > 0 {
		fmt.Fprintf(std.out, " (%d of them stopped after %d plays)", total.unfinished, c.MaxPlies)
	}
	fmt.Fprintf(std.out, "; %.1f%% (95%%: %.1f to %.1f; alike would be %.1f); %d plays a game, %s in all\n",
		100*total.points/float64(total.games), 100*low, 100*high, 100/float64(c.Seats),
		total.plies/total.games, time.Since(begun).Round(time.Second))
	for turn, points := range total.byTurn {
		low, high := lab.Wilson(points, total.begun)
		fmt.Fprintf(std.out, "who decides as number %d wins %.1f%% (95%%: %.1f to %.1f)\n", turn+1,
			100*points/float64(max(1, total.begun)), 100*low, 100*high)
	}
	if fair, ok := total.lessLuck(); ok {
		fmt.Fprintf(std.out,
			"less the luck of dice and cards: %.1f%% (95%%: %.1f to %.1f), as certain as %d games without that\n",
			100*fair.mean, percent(fair.mean-1.96*fair.deviation), percent(fair.mean+1.96*fair.deviation), fair.worth)
	}
	return nil
}

// taught returns a maker whose players use the weights in a file.
func taught(maker lab.Maker, file string, game games.Game, setup games.Setup) (lab.Maker, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	weights, err := readWeights(string(text), game, setup)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if _, ok := game.New(setup).Sim().(learned.Trainable); !ok {
		return nil, fmt.Errorf("%s cannot be played by other weights", game.Key())
	}
	return func(seed uint64) lab.Chooser {
		c := maker(seed)
		if p, ok := c.(*computer.Player); ok {
			p.SetModel(weights)
		}
		return c
	}, nil
}

// percent converts a bound of an interval to per cent, and clamps it to 0 to 100.
func percent(bound float64) float64 { return 100 * min(max(bound, 0), 1) }

// settings converts table options to a list of settings, sorted by key.
func settings(options map[string]string) (chosen []games.Setting) {
	for _, key := range slices.Sorted(maps.Keys(options)) {
		chosen = append(chosen, games.Setting{Key: key, Value: options[key]})
	}
	return chosen
}

// noGame returns the error for an unknown game, which lists the known ones.
func noGame(key string) error {
	var keys []string
	for _, g := range catalog.Games {
		keys = append(keys, g.Key())
	}
	return fmt.Errorf("there is no game %q: %s", key, strings.Join(keys, ", "))
}

// tally sums the results of player A in a match.
type tally struct {
	games, won, lost, plies   int
	drawn, agreed, unfinished int     // drawn includes agreed and unfinished games
	points                    float64 // 1 for a win; a share of it for a shared win or a draw
	begun                     int     // number of games with at least one decision

	// Points of the seat that decided first, second and so on, whether A or B held it.
	byTurn []float64

	// sums has the sums over all games of A's luck by the ledger, A's luck seen further ahead, and A's points. products
	// has the sums of the products of each two of these numbers.
	sums     [3]float64
	products [3][3]float64
}

// add counts a game in which A had the given seat. seats is the number of seats.
func (t *tally) add(p lab.Played, seats int, seat games.Seat) {
	t.games++
	t.plies += p.Plies
	points := p.Result.Payoff(seat)
	switch {
	case len(p.Result.Winners) == 0:
		if p.Agreed {
			t.agreed++
		} else {
			t.unfinished++
		}
		t.drawn++
		points = 1 / float64(seats)
	case !slices.Contains(p.Result.Winners, seat):
		t.lost++
	case len(p.Result.Winners) == 1:
		t.won++
	default:
		t.drawn++
	}
	if p.First >= 0 {
		t.begun++
		t.byTurn = slices.Grow(t.byTurn, seats)[:seats]
		for turn := range t.byTurn {
			if len(p.Result.Winners) == 0 {
				t.byTurn[turn] += 1 / float64(seats)
			} else {
				t.byTurn[turn] += p.Result.Payoff(games.Seat((int(p.First) + turn) % seats))
			}
		}
	}
	t.points += points
	x := [3]float64{p.Luck[seat], p.Further[seat], points}
	for i := range x {
		t.sums[i] += x[i]
		for j := range x {
			t.products[i][j] += x[i] * x[j]
		}
	}
}

// lessLuck is A's share of the points, corrected for A's luck. The correction makes the share as certain as possible.
type lessLuck struct {
	mean, deviation float64 // mean share, and the standard deviation of the mean
	worth           int     // number of games that would give the same certainty without the correction
}

// lessLuck returns the corrected share of the points. It returns false for a game without luck, for too few games, and
// if all games have the same points.
func (t *tally) lessLuck() (lessLuck, bool) {
	n := float64(t.games)
	vary := func(i, j int) float64 { return t.products[i][j]/n - t.sums[i]/n*(t.sums[j]/n) }
	points, a, b, ab := vary(2, 2), vary(0, 0), vary(1, 1), vary(0, 1)
	if t.games < 20 || a < 1e-9 || b < 1e-9 || points < 1e-9 {
		return lessLuck{}, false
	}
	// The correction is a least-squares fit to both measures of luck. If they are nearly proportional, only the first
	// is used.
	var parts [2]float64
	if det := a*b - ab*ab; det > 1e-6*a*b {
		parts = [2]float64{(vary(0, 2)*b - vary(1, 2)*ab) / det, (vary(1, 2)*a - vary(0, 2)*ab) / det}
	} else {
		parts[0] = vary(0, 2) / a
	}
	left := points - parts[0]*vary(0, 2) - parts[1]*vary(1, 2)
	return lessLuck{mean: (t.sums[2] - parts[0]*t.sums[0] - parts[1]*t.sums[1]) / n, deviation: math.Sqrt(left / n),
		worth: int(n * points / left)}, true
}
