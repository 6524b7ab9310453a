package computer

import (
	"context"
	"fmt"
	"math"
	"sync"

	"marque/games"
	"marque/games/learned"
)

// A search is more careful than the games that follow: what it finds of a chance lies nearer to a half
// than how often it comes true. How much nearer is measured for each game (games.Calibrated), and what
// is told of a chance, to people and to those who resign or offer a draw, has been set right by that.
// Who plays which move is decided before.

// logOdds are the natural ones of a chance, against those of one among so many that are alike.
func logOdds(p float64, seats int) float64 {
	return math.Log(p/(1-p)) + math.Log(float64(seats-1))
}

// knots are how much each of a calibration's slopes counts: lines lead from one to the next.
func knots(phase float64) (part [games.Slopes]float64) {
	at := min(max(phase, 0), 1) * (games.Slopes - 1)
	i := min(int(at), games.Slopes-2)
	part[i], part[i+1] = float64(i+1)-at, at-float64(i)
	return part
}

// truth sets chances right that a search has found from a position.
type truth struct {
	slope, bias float64
	seats       int
}

// truthOf is how chances from a position are set right; they are left as they are where the game has
// not been measured, and for levels that keep the evaluations made by hand.
func (p *Player) truthOf(s games.State) truth {
	if p.level == Easy || p.level == Hard1 {
		return truth{}
	}
	if c, ok := s.Sim().(games.Calibrated); ok {
		at := c.Calibration()
		return truthBy(at)
	}
	return truth{}
}

func truthBy(at games.Calibration) truth {
	t := truth{seats: at.Seats, bias: at.Bias}
	for i, part := range knots(at.Phase) {
		t.slope += part * at.Slopes[i]
	}
	return t
}

// surest is how near to certain a chance may be told that is not.
const surest = 1e-6

// of is a chance set right. What is certain stays so, and nothing else becomes it.
func (t truth) of(p float64) float64 {
	if t.slope == 0 || p <= 0 || p >= 1 {
		return p
	}
	told := 1 / (1 + float64(t.seats-1)*math.Exp(-t.slope*logOdds(p, t.seats)-t.bias))
	return min(max(told, surest), 1-surest)
}

// correct sets right what a search has found from a position.
func (t *Thought) correct(by truth) {
	t.Chance, t.Before = by.of(t.Chance), by.of(t.Before)
	for i := range t.Candidates {
		t.Candidates[i].Chance = by.of(t.Candidates[i].Chance)
	}
}

// Calibration says how the chances that searches find are compared with how often they come true.
type Calibration struct {
	Games      int
	Player     Maker  // who plays in all seats
	Iterations int    // of the searches, by Player.Estimate of an expert
	Every      int    // one position of so many is looked at
	Seed       uint64 // of all that is drawn by lot
	Workers    int    // games at the same time; they change nothing
	MaxPlies   int    // a game that is not over by then is shared by all
}

// Bins is how many parts of the scale are looked at apart.
const Bins = 10

// Bin is a part of the scale: how many chances that are not certain fell into it, their mean, and the
// mean of what came of them.
type Bin struct {
	Positions int
	Said, Won float64
}

// Measured is what a calibration found.
type Measured struct {
	Bins   [Bins]Bin // of chances as players are told them
	Slopes [games.Slopes]float64
	Bias   float64
	// The means of the negative logarithms of the chances of what happened: as searches find them, as
	// players are told them, and by the slopes and bias that fit these games best.
	Found, Told, Fitted float64
	Positions, Games    int
}

// sample is a position of a game that was looked at.
type sample struct {
	found, told, won float64
	phase            float64
}

// Calibrate lets players play the setup, asks for the chances of seats on the way, and compares them
// with how the games ended. The same calibration finds the same, but for players that go by the clock.
// The error is that of ctx, learned.ErrNoExamples when nothing was uncertain, or says that the game
// cannot tell how far it has come.
func Calibrate(ctx context.Context, g games.Game, setup games.Setup, c Calibration) (*Measured, error) {
	if _, ok := g.New(setup).Sim().(games.Calibrated); !ok {
		return nil, fmt.Errorf("%s does not tell how far it has come", g.Key())
	}
	found := make([][]sample, c.Games)
	errs := make([]error, c.Games)
	next := make(chan int)
	var wait sync.WaitGroup
	for range max(1, c.Workers) {
		wait.Go(func() {
			for i := range next {
				found[i], errs[i] = c.samples(ctx, g, setup, c.Seed<<32+uint64(i))
			}
		})
	}
	for i := range c.Games {
		next <- i
	}
	close(next)
	wait.Wait()
	m := &Measured{Games: c.Games}
	var examples []learned.Example
	for i, list := range found {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for _, s := range list {
			examples = append(examples, s.example(setup.Seats))
			b := &m.Bins[int(s.told*Bins)]
			b.Positions++
			b.Said += s.told
			b.Won += s.won
			m.Found += s.loss(s.found)
			m.Told += s.loss(s.told)
			m.Positions++
		}
	}
	fit, err := learned.Fit(examples, games.Slopes+1)
	if err != nil {
		return nil, err
	}
	copy(m.Slopes[:], fit.Weights[:])
	m.Bias = fit.Weights[games.Slopes]
	m.Found /= float64(m.Positions)
	m.Told /= float64(m.Positions)
	for _, list := range found {
		for _, s := range list {
			by := truthBy(games.Calibration{Seats: setup.Seats, Phase: s.phase, Slopes: m.Slopes, Bias: m.Bias})
			m.Fitted += s.loss(by.of(s.found)) / float64(m.Positions)
		}
	}
	for i := range m.Bins {
		if b := &m.Bins[i]; b.Positions > 0 {
			b.Said /= float64(b.Positions)
			b.Won /= float64(b.Positions)
		}
	}
	return m, nil
}

func (s sample) loss(p float64) float64 {
	return learned.LossOf([]float64{p, 1 - p}, []float64{s.won, 1 - s.won})
}

// example is a sample as a model learns from it: the others of so many seats are alike.
func (s sample) example(seats int) learned.Example {
	e := learned.Example{Seats: make([]learned.Features, seats), Shares: make([]float64, seats)}
	x := logOdds(s.found, seats)
	for i, part := range knots(s.phase) {
		e.Seats[0][i] = part * x
	}
	e.Seats[0][games.Slopes] = 1
	for i := range e.Shares {
		e.Shares[i] = (1 - s.won) / float64(seats-1)
	}
	e.Shares[0] = s.won
	return e
}

// samples plays a game and looks at positions on the way.
func (c Calibration) samples(ctx context.Context, g games.Game, setup games.Setup, seed uint64) ([]sample, error) {
	rng, lot := games.NewRand(seed), games.NewRand(games.Mix(seed))
	s := g.New(setup)
	players := make([]Chooser, setup.Seats)
	for i := range players {
		players[i] = c.Player(seed*31 + uint64(i) + 1)
	}
	var list []sample
	var whose []games.Seat
	for plies := 0; s.ToMove() != games.Nobody && plies < c.MaxPlies; plies++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if lot.IntN(c.Every) == 0 {
			seat := games.Seat(lot.IntN(setup.Seats))
			v := games.Look(s, seat)
			p := New(Expert, Limit{Iterations: c.Iterations}, lot.Uint64())
			if found := p.estimate(ctx, v); found > 0 && found < 1 {
				phase := v.State.Sim().(games.Calibrated).Calibration().Phase
				list = append(list, sample{found: found, told: p.truthOf(v.State).of(found), phase: phase})
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
		list[i].won = 1 / float64(setup.Seats)
		if s.ToMove() == games.Nobody {
			list[i].won = s.Result().Payoff(whose[i])
		}
	}
	return list, nil
}
