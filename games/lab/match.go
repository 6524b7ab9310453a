// Package lab implements the tools of marque-lab: matches between computer players, training and calibrating their
// evaluations, and mining puzzles. The bot does not use it.
package lab

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"marque/games"
	"marque/games/computer"
	"marque/games/ledger"
)

// Chooser chooses a move for a view.
type Chooser interface {
	Choose(context.Context, games.View) (games.Move, computer.Thought, error)
}

var _, _, _, _ Chooser = (*computer.Player)(nil), (*random)(nil), (*beginner)(nil), (*flat)(nil)

// random is a player of random legal moves.
type random struct{ rng *games.Rand }

func (r *random) Choose(_ context.Context, v games.View) (games.Move, computer.Thought, error) {
	if !v.Mine() {
		return 0, computer.Thought{}, computer.ErrNotToMove
	}
	moves := v.State.Moves()
	return moves[r.rng.IntN(len(moves))], computer.Thought{}, nil
}

// beginner is a player who looks one play ahead in a random half of its decisions: it wins if possible, or else
// captures if possible. In all other cases it plays a random legal move.
type beginner struct{ rng *games.Rand }

func (b *beginner) Choose(_ context.Context, v games.View) (games.Move, computer.Thought, error) {
	if !v.Mine() {
		return 0, computer.Thought{}, computer.ErrNotToMove
	}
	moves := v.State.Moves()
	if b.rng.IntN(2) == 0 {
		var taking []games.Move
		striker, _ := v.State.(games.Striker)
		for _, m := range moves {
			if slices.Equal(v.State.Apply(m).Result().Winners, []games.Seat{v.Viewer}) {
				return m, computer.Thought{}, nil
			}
			if striker != nil {
				if _, takes := striker.Strike(m, v.Viewer); takes {
					taking = append(taking, m)
				}
			}
		}
		if len(taking) > 0 {
			moves = taking
		}
	}
	return moves[b.rng.IntN(len(moves))], computer.Thought{}, nil
}

// flat is a flat Monte Carlo player: it plays random games after each of its moves in turn, with hidden cards dealt
// again each time, and chooses the move with the largest share of wins. It uses only the rules, so matches against it
// show the value of the search and the evaluations.
type flat struct {
	limit computer.Limit
	rng   *games.Rand
}

const (
	flatName = "flat"
	// flatPlies is the maximum length of flat's random games, in plies. A longer game counts as lost.
	flatPlies = 2000
)

func (f *flat) Choose(ctx context.Context, v games.View) (games.Move, computer.Thought, error) {
	if !v.Mine() {
		return 0, computer.Thought{}, computer.ErrNotToMove
	}
	moves := v.State.Moves()
	if len(moves) == 1 {
		return moves[0], computer.Thought{}, nil
	}
	if f.limit.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.limit.Time)
		defer cancel()
	}
	source := rand.New(f.rng)
	origin, sim := games.Sample(v.State, v.Viewer, source).Sim(), games.Sample(v.State, v.Viewer, source).Sim()
	redealer, hides := sim.(games.Redealer)
	won, tried := make([]float64, len(moves)), make([]int, len(moves))
	for n := 0; (f.limit.Iterations == 0 || n < f.limit.Iterations) && (n < len(moves) || ctx.Err() == nil); n++ {
		i := n % len(moves)
		sim.CopyFrom(origin)
		if hides {
			redealer.Redeal(v.Viewer, f.rng)
		}
		sim.Play(moves[i])
		for plies := 0; plies < flatPlies && sim.ToMove() != games.Nobody; plies++ {
			sim.PlayRandom(f.rng)
		}
		tried[i]++
		if sim.ToMove() == games.Nobody {
			won[i] += sim.Payoff(v.Viewer)
		}
	}
	best := 0
	for i := range moves {
		if won[i]*float64(tried[best]) > won[best]*float64(tried[i]) {
			best = i
		}
	}
	return moves[best], computer.Thought{Chance: won[best] / float64(max(1, tried[best]))}, nil
}

// Maker creates a chooser. The same seed gives the same play, unless the chooser has a time limit, or several workers
// that share a transposition table.
type Maker func(seed uint64) Chooser

// ParsePlayer parses the name of a player in a match, for the game with this key: random, beginner, a level, or flat
// with a limit. A limit per move can follow after a colon, in place of the level's limit: a time (hard:0.2s), or
// iterations (hard:2000i). *2 after the limit means two workers. The default is one, so that matches can run in
// parallel. A noise can follow after another colon (hard:2000i:0.05), in place of the level's noise.
func ParsePlayer(text, game string) (Maker, error) {
	switch text {
	case "random":
		return func(seed uint64) Chooser { return &random{games.NewRand(seed)} }, nil
	case "beginner":
		return func(seed uint64) Chooser { return &beginner{games.NewRand(seed)} }, nil
	}
	name, limit, limited := strings.Cut(text, ":")
	level := computer.Level(name)
	if !slices.Contains(computer.Levels, level) && !(name == flatName && limited) {
		return nil, fmt.Errorf(
			"there is no player %q: random, beginner, flat with a limit, one of %v, or a level with a limit like hard:0.2s or hard:2000i",
			text, computer.Levels)
	}
	l := level.Limit(game)
	l.Workers = 1
	if limited {
		l.Time, l.Iterations = 0, 0
		limit, noise, noises := strings.Cut(limit, ":")
		limit, workers, many := strings.Cut(limit, "*")
		if many {
			var err error
			if l.Workers, err = strconv.Atoi(workers); err != nil || l.Workers < 1 {
				return nil, fmt.Errorf("%q is no number of workers, like 2", workers)
			}
		}
		var err error
		if n, ok := strings.CutSuffix(limit, "i"); ok {
			l.Iterations, err = strconv.Atoi(n)
		} else {
			l.Time, err = time.ParseDuration(limit)
		}
		if err != nil || l.Iterations <= 0 && l.Time <= 0 {
			return nil, fmt.Errorf("%q is no limit: a time like 0.2s or a number of iterations like 2000i", limit)
		}
		if noises {
			if l.Noise, err = strconv.ParseFloat(noise, 64); err != nil || !(l.Noise >= 0 && l.Noise <= 2) {
				return nil, fmt.Errorf("%q is no noise: a number from 0 to 2, like 0.05", noise)
			}
		}
	}
	if name == flatName {
		return func(seed uint64) Chooser { return &flat{l, games.NewRand(seed)} }, nil
	}
	return func(seed uint64) Chooser { return computer.New(level, l, seed) }, nil
}

// Played is a game between computer players.
type Played struct {
	Result games.Result // zero for a game that was stopped or drawn by agreement
	Agreed bool         // a draw was agreed
	Plies  int
	First  games.Seat // the seat that decided first, or games.Nobody if no seat did
	// total change of each seat's chance of winning by dice and cards, measured with Meter.Of and Meter.Further
	Luck, Further []float64
}

// Terms are the conditions of a game between computer players.
type Terms struct {
	Plies int  // maximum number of plays in a game
	Draws bool // agree on a draw if the game makes no progress (computer.Circling), as at a table
	Luck  bool // compute Played.Luck and Played.Further, which are 0 otherwise
}

// PlayGame plays a game of the setup to its end, or as far as the terms let it. The seed determines its dice and
// cards. It returns ctx's error if ctx ends early, or the error of a player.
func PlayGame(ctx context.Context, g games.Game, setup games.Setup, players []Chooser, seed uint64,
	terms Terms) (Played, error) {
	rng := games.NewRand(seed)
	s := g.New(setup)
	p := Played{First: games.Nobody, Luck: make([]float64, setup.Seats), Further: make([]float64, setup.Seats)}
	meter := ledger.NewMeter(g, setup)
	decisions, quiet := 0, 0
	shares := make([]float64, setup.Seats) // each seat's estimated chance at its latest decision, times setup.Seats
	for ; s.ToMove() != games.Nobody && p.Plies < terms.Plies; p.Plies++ {
		if err := ctx.Err(); err != nil {
			return p, err
		}
		seat := s.ToMove()
		if seat == games.Chance {
			outcome := rng.Outcome(s.Outcomes())
			if terms.Luck {
				now, further := meter.Further(s, outcome, games.Mix(seed)+uint64(p.Plies))
				for i := range now {
					p.Luck[i] += now[i]
					p.Further[i] += further[i]
				}
			}
			if computer.Takes(s, outcome, setup.Seats) {
				quiet = 0
			}
			s = s.Apply(outcome)
			continue
		}
		if p.First == games.Nobody {
			p.First = seat
		}
		m, t, err := players[seat].Choose(ctx, games.Look(s, seat))
		if err != nil {
			return p, err
		}
		shares[seat] = t.Chance * float64(setup.Seats)
		if terms.Draws && computer.Circling(decisions, func(int) int { return quiet },
			func() float64 { return slices.Max(shares) }) {
			p.Agreed = true
			return p, nil
		}
		decisions++
		quiet++
		if computer.Takes(s, m, setup.Seats) {
			quiet = 0
		}
		s = s.Apply(m)
	}
	p.Result = s.Result()
	return p, nil
}

// Wilson returns the 95% interval of the probability of winning, given won wins in n trials (Wilson 1927). A draw
// counts as half a win. Without trials, the interval is 0 to 1.
func Wilson(won float64, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	p, m := won/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(mid-half, 0), min(mid+half, 1) // rounding could exceed 0 or 1
}
