package lab

import (
	"context"
	"fmt"
	"sync"

	"marque/games"
	"marque/games/computer"
	"marque/games/learned"
)

// Training describes how to train a model.
type Training struct {
	Games      int            // number of games to play; one in heldOut is only for testing
	Iterations int            // iterations per decision; with From, alpha-beta has positionsAPlayout times as many
	From       *learned.Model // the players' evaluation; nil for the game's evaluation
	Seed       uint64         // seed of all random choices
	Workers    int            // number of parallel games; it does not change the result
	MaxPlies   int            // longer games are ignored
}

// Trained is a model with its losses (Loss) over positions of games that were not used for training. Examples is the
// number of positions used for training, and Held that of the others.
type Trained struct {
	Model                    *learned.Model
	Names                    []string
	Examples, Held           int
	Loss, PresentLoss, Blind float64 // losses of the model, of the game's current evaluation, and of equal chances
	Plain                    float64 // loss without the hidden layer, if the model has one
}

// heldOut is the interval of games kept for testing: one game in ten.
const heldOut = 10

// Parameters that make positions differ: each game begins with fewer than lotPlays random plays, and later about one
// play in lotEvery is random.
const (
	lotPlays  = 16
	lotEvery  = 12
	lookEvery = 3 // one position in three is used, because neighbours are similar
)

// positionsAPlayout is the number of positions that alpha-beta searches in about the time of a playout.
const positionsAPlayout = 5

// Train plays games of the setup, with the game's evaluation or another model, and fits a model to the results. The
// same training gives the same model. Train returns ErrNoExamples if the finished games have no positions to learn from
// or none to test with, and ctx's error. It also returns an error if the game's Sim is not a learned.Evaluator, or if
// t.From is set and the Sim is not a learned.Trainable.
func Train(ctx context.Context, g games.Game, setup games.Setup, t Training) (*Trained, error) {
	learner, ok := g.New(setup).Sim().(learned.Evaluator)
	if !ok {
		return nil, fmt.Errorf("%s has no features to learn from", g.Key())
	}
	if _, ok := learner.(learned.Trainable); !ok && t.From != nil {
		return nil, fmt.Errorf("%s cannot be played by an earlier model", g.Key())
	}
	played := make([][]position, t.Games)
	next := make(chan int)
	var wait sync.WaitGroup
	for range max(1, t.Workers) {
		wait.Go(func() {
			for i := range next {
				played[i] = t.positions(ctx, g, setup, uint64(i), t.player)
			}
		})
	}
	for i := range t.Games {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &Trained{Names: learner.Names()}
	var seen []Example
	var held []position
	for i, list := range played {
		if i%heldOut == 0 {
			held = append(held, list...)
			continue
		}
		for _, p := range list {
			seen = append(seen, p.example())
		}
	}
	if len(held) == 0 {
		return nil, ErrNoExamples
	}
	var err error
	deep, layered := learner.(learned.Deep)
	if out.Model, err = Fit(seen, len(out.Names)); err != nil {
		return nil, err
	}
	plain := out.Model
	if layered {
		if out.Model, err = FitHidden(seen, plain, len(out.Names), deep.Alike(), t.Seed); err != nil {
			return nil, err
		}
	}
	var unseen []Example
	for _, p := range held {
		e := p.example()
		if layered {
			out.Plain += loss(plain, &e) / float64(len(held))
			e = e.Through(out.Model.Layer, len(out.Names))
		}
		unseen = append(unseen, e)
		out.PresentLoss += LossOf(shares(p.sim, p.whose), p.won) / float64(len(held))
	}
	out.Examples, out.Held = len(seen), len(unseen)
	out.Loss, out.Blind = Loss(out.Model, unseen), Loss(&learned.Model{}, unseen)
	return out, nil
}

// position is a position to learn from.
type position struct {
	sim   learned.Evaluator
	whose []games.Seat // seats that are not out
	won   []float64    // share of the win of each seat in whose
}

func (p position) example() Example {
	e := Example{Shares: p.won}
	for _, seat := range p.whose {
		f, _ := p.sim.Features(seat)
		e.Seats = append(e.Seats, f)
		if deep, ok := p.sim.(learned.Deep); ok {
			e.On = append(e.On, deep.Inputs(seat))
		}
	}
	return e
}

// shares returns the seats' chances by the sim's evaluation, scaled to sum to 1.
func shares(sim games.Sim, whose []games.Seat) (list []float64) {
	sum := 0.0
	for _, seat := range whose {
		list = append(list, sim.Evaluate(seat))
		sum += list[len(list)-1]
	}
	for i := range list {
		list[i] /= sum
	}
	return list
}

// player returns a computer player for a training game.
func (t Training) player(sim games.Sim, seed uint64) *computer.Player {
	limit := computer.Limit{Iterations: t.Iterations}
	if t.From == nil {
		return computer.New(computer.Hard, limit, seed)
	}
	if tuner, ok := sim.(games.Tuner); ok && tuner.Tuning().AlphaBeta {
		limit.Iterations *= positionsAPlayout
	}
	p := computer.New(computer.Expert, limit, seed)
	p.SetModel(t.From)
	return p
}

// positions plays a game and returns some of its positions, or none if the game does not end within MaxPlies, ctx
// ends, or a player returns an error.
func (t Training) positions(ctx context.Context, g games.Game, setup games.Setup, n uint64,
	player func(games.Sim, uint64) *computer.Player) (list []position) {
	rng := games.NewRand(t.Seed<<32 + n)
	s := g.New(setup)
	players := make([]*computer.Player, setup.Seats)
	for i := range players {
		players[i] = player(s.Sim(), rng.Uint64())
	}
	begin := rng.IntN(lotPlays)
	traits := g.Traits()
	dice := traits.Chance && !traits.Hidden
	for ply := 0; s.ToMove() != games.Nobody; ply++ {
		if ply >= t.MaxPlies || ctx.Err() != nil {
			return nil
		}
		seat := s.ToMove()
		// A model evaluates positions after moves. In a game with dice, a roll is due in these positions.
		if (seat == games.Chance) == dice && ply >= begin && rng.IntN(lookEvery) == 0 {
			p := position{sim: s.Sim().(learned.Evaluator)}
			for seat := range games.Seat(setup.Seats) {
				if _, in := p.sim.Features(seat); in {
					p.whose = append(p.whose, seat)
				}
			}
			list = append(list, p)
		}
		if seat == games.Chance {
			s = s.Apply(rng.Outcome(s.Outcomes()))
			continue
		}
		if ply < begin || rng.IntN(lotEvery) == 0 {
			moves := s.Moves()
			s = s.Apply(moves[rng.IntN(len(moves))])
			continue
		}
		m, _, err := players[seat].Choose(ctx, games.Look(s, seat))
		if err != nil {
			return nil
		}
		s = s.Apply(m)
	}
	end := s.Sim()
	for i := range list {
		for _, seat := range list[i].whose {
			list[i].won = append(list[i].won, end.Payoff(seat))
		}
	}
	return list
}
