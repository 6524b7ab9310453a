package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"marque/games"
	"marque/games/computer"
	"marque/games/example"
	"marque/games/gametest"
	"marque/games/learned"
)

// Every game with features learns from play. The same games give the same model with one worker and with three. If the
// game's Sim is Trainable, a trained model can train the next one. Train returns an error for a game without features,
// and if its context is cancelled.
func TestTraining(t *testing.T) {
	learners := 0
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		training := Training{Games: 40, Iterations: 20, Seed: 3, Workers: 1, MaxPlies: 2000}
		if _, ok := g.New(setup).Sim().(learned.Evaluator); !ok {
			if _, err := Train(t.Context(), g, setup, training); err == nil {
				t.Errorf("%s learned without features", g.Key())
			}
			continue
		}
		learners++
		one, err := Train(t.Context(), g, setup, training)
		if err != nil {
			t.Fatal(err)
		}
		training.Workers = 3
		three, err := Train(t.Context(), g, setup, training)
		if err != nil {
			t.Fatal(err)
		}
		if one.Model.Encode(one.Names) != three.Model.Encode(one.Names) {
			t.Errorf("%s: one worker and three make two models: %v and %v", g.Key(), one.Model, three.Model)
		}
		if one.Examples == 0 || one.Held == 0 || Loss(one.Model, nil) == 0 {
			t.Errorf("%s: %+v", g.Key(), one)
		}
		if _, ok := g.New(setup).Sim().(learned.Trainable); ok { // a trained model can train the next one
			training.From = one.Model
			two, err := Train(t.Context(), g, setup, training)
			if err != nil {
				t.Fatal(err)
			}
			if two.Model.Encode(one.Names) == one.Model.Encode(one.Names) || two.Examples == 0 {
				t.Errorf("%s: players with the model that they are to have taught the same: %v", g.Key(), two.Model)
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Train(ended, g, setup, training); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cut short: %v", g.Key(), err)
		}
	}
	if learners == 0 {
		t.Error("no game learns")
	}
}

// The models in the program predict the winner of games that were not used for training: their loss is below that of
// equal chances, with every option and with two and three seats. The test thus detects an option that makes a model
// useless.
func TestModelsTellWhoWins(t *testing.T) {
	training := Training{Seed: 977, MaxPlies: 2000}
	players := func(_ games.Sim, seed uint64) *computer.Player {
		return computer.New(computer.Hard, computer.Limit{Iterations: 60}, seed)
	}
	for _, g := range example.Games {
		for _, setup := range gametest.Setups(g) {
			usual, err := games.NewSetup(g, setup.Seats)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := g.New(setup).Sim().(learned.Evaluator); !ok || setup.Seats > 3 ||
				testing.Short() && gametest.Name(setup) != gametest.Name(usual) {
				continue
			}
			own, blind, n := 0.0, 0.0, 0
			for i := uint64(0); n < 1200 && i < 300; i++ {
				for _, p := range training.positions(t.Context(), g, setup, i, players) {
					own += LossOf(shares(p.sim, p.whose), p.won)
					blind += math.Log(float64(len(p.whose)))
					n++
				}
			}
			found := fmt.Sprintf("%s, %s: loss %.4f, without a model %.4f, over %d positions", g.Key(),
				gametest.Name(setup), own/float64(n), blind/float64(n), n)
			t.Log(found)
			if n == 0 || own >= blind {
				t.Error(found)
			}
		}
	}
}
