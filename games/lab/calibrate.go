package lab

import (
	"context"
	"fmt"
	"math"
	"sync"

	"marque/games"
	"marque/games/computer"
	"marque/games/learned"
)

// Calibration describes a comparison of searches' chances with the results of games.
type Calibration struct {
	Games      int
	Players    []Maker // a player is drawn from these for each seat of each game
	Iterations int     // iterations of each measured search, by an expert (Player.Uncorrected)
	Every      int     // one position in this many is measured, at random
	Seed       uint64  // seed of all random choices
	Workers    int     // number of parallel games; it does not change the result
	MaxPlies   int     // a longer game counts as shared equally by all seats
	Slopes     bool    // fit with learned.FitBySlopes, which is always used for more than two seats
	// Known holds the results of earlier games, by game number. These games are not played again.
	Known map[int][]learned.Outcome
	// Played, if set, is called after each newly played game. Calls are not concurrent.
	Played func(game int, found []learned.Outcome) error
}

// bins is the number of intervals into which chances are divided.
const bins = 10

// Bin holds the statistics of an interval of chances: the number of uncertain chances in it, their mean, the mean of
// the outcomes, and the standard error of the difference. The error treats the positions of a game as dependent.
type Bin struct {
	Positions        int
	Said, Won, Error float64
}

// Measured is the result of a calibration.
type Measured struct {
	Bins  [bins]Bin // of the chances as players see them
	Curve *learned.Curve
	// The mean losses (LossOf) of chances as searches find them, as players see them, and as corrected by Curve,
	// which is fitted to these games.
	Found, Shown, Fitted float64
	Positions, Games     int
}

// Calibrate plays games of the setup, estimates the chances of seats during the games, and compares them with the
// games' outcomes. Repeating it gives the same result if each player's play depends only on its seed (Maker). It
// returns an error of ctx, of a player or of c.Played, ErrNoExamples if no chance was uncertain, or an error for a
// game that reports no phases.
func Calibrate(ctx context.Context, g games.Game, setup games.Setup, c Calibration) (*Measured, error) {
	sim := g.New(setup).Sim()
	calibrated, ok := sim.(learned.Calibrated)
	if !ok {
		return nil, fmt.Errorf("%s does not tell how far it has come", g.Key())
	}
	_, hides := sim.(games.Redealer)
	found := make([][]learned.Outcome, c.Games)
	errs := make([]error, c.Games)
	next := make(chan int)
	var wait sync.WaitGroup
	var played sync.Mutex
	for range max(1, c.Workers) {
		wait.Go(func() {
			for i := range next {
				var known bool
				if found[i], known = c.Known[i]; known {
					continue
				}
				found[i], errs[i] = c.outcomes(ctx, g, setup, c.Seed<<32+uint64(i))
				if errs[i] == nil && c.Played != nil {
					played.Lock()
					errs[i] = c.Played(i, found[i])
					played.Unlock()
				}
			}
		})
	}
	for i := range c.Games {
		next <- i
	}
	close(next)
	wait.Wait()
	m := &Measured{Games: c.Games}
	var outcomes []learned.Outcome
	for i, list := range found {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for _, o := range list {
			outcomes = append(outcomes, o)
			if setup.Seats == 2 && !hides { // the other seat's chance follows
				outcomes = append(outcomes, learned.Outcome{Phase: o.Phase, Found: 1 - o.Found, Won: 1 - o.Won})
			}
		}
	}
	if len(outcomes) == 0 {
		return nil, ErrNoExamples
	}
	if c.Slopes || setup.Seats > 2 {
		m.Curve = learned.FitBySlopes(outcomes, setup.Seats)
	} else {
		m.Curve = learned.FitCurve(outcomes)
	}
	_, told := calibrated.Calibration()
	m.count(found, told)
	return m, nil
}

// count computes the statistics of games, with chances corrected by the curve, or uncorrected if curve is nil.
func (m *Measured) count(found [][]learned.Outcome, curve *learned.Curve) {
	for _, list := range found {
		var miss [bins]float64
		for _, o := range list {
			told := o.Found
			if curve != nil {
				told = curve.At(o.Phase, o.Found)
			}
			i := int(told * bins)
			b := &m.Bins[i]
			b.Positions++
			b.Said += told
			b.Won += o.Won
			miss[i] += o.Won - told
			m.Found += lossOf(o.Won, o.Found)
			m.Shown += lossOf(o.Won, told)
			m.Fitted += lossOf(o.Won, m.Curve.At(o.Phase, o.Found))
			m.Positions++
		}
		for i, by := range miss {
			m.Bins[i].Error += by * by
		}
	}
	m.Found /= float64(m.Positions)
	m.Shown /= float64(m.Positions)
	m.Fitted /= float64(m.Positions)
	for i := range m.Bins {
		if b := &m.Bins[i]; b.Positions > 0 {
			b.Said /= float64(b.Positions)
			b.Won /= float64(b.Positions)
			b.Error = math.Sqrt(b.Error) / float64(b.Positions)
		}
	}
}

// lossOf returns the loss of a chance p for a seat whose final share of the win is won.
func lossOf(won, p float64) float64 {
	return LossOf([]float64{p, 1 - p}, []float64{won, 1 - won})
}

// outcomes plays a game and returns the chances and outcomes of its measured positions.
func (c Calibration) outcomes(
	ctx context.Context, g games.Game, setup games.Setup, seed uint64,
) ([]learned.Outcome, error) {
	rng, lot := games.NewRand(seed), games.NewRand(games.Mix(seed))
	s := g.New(setup)
	players := make([]Chooser, setup.Seats)
	for i := range players {
		players[i] = c.Players[lot.IntN(len(c.Players))](seed*31 + uint64(i) + 1)
	}
	var list []learned.Outcome
	var whose []games.Seat
	for plies := 0; s.ToMove() != games.Nobody && plies < c.MaxPlies; plies++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if lot.IntN(c.Every) == 0 {
			seat := games.Seat(lot.IntN(setup.Seats))
			v := games.Look(s, seat)
			p := computer.New(computer.Expert, computer.Limit{Iterations: c.Iterations}, lot.Uint64())
			if found := p.Uncorrected(ctx, v); found > 0 && found < 1 {
				phase, _ := v.State.Sim().(learned.Calibrated).Calibration()
				list = append(list, learned.Outcome{Phase: phase, Found: found})
				whose = append(whose, seat)
			}
		}
		seat := s.ToMove()
		if seat == games.Chance {
			s = s.Apply(rng.Outcome(s.Outcomes()))
			continue
		}
		m, _, err := players[seat].Choose(ctx, games.Look(s, seat))
		if err != nil {
			return nil, err
		}
		s = s.Apply(m)
	}
	for i := range list {
		list[i].Won = 1 / float64(setup.Seats)
		if s.ToMove() == games.Nobody {
			list[i].Won = s.Result().Payoff(whose[i])
		}
	}
	return list, nil
}
