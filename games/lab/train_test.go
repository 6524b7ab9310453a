package lab

import (
	"context"
	"errors"
	"math"
	"testing"

	"marque/games"
	"marque/games/computer"
	"marque/games/example"
	"marque/games/learned"
)

// Every game with a model learns from play, the same from the same play however many games are played
// side by side, and tells who wins better than who knows nothing.
func TestTraining(t *testing.T) {
	learners := 0
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		training := Training{Games: 40, Iterations: 20, Seed: 3, Workers: 1, MaxPlies: 2000}
		if _, ok := g.New(setup).Sim().(learned.Learner); !ok {
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
		if _, ok := g.New(setup).Sim().(learned.Pupil); ok { // what was learned teaches on
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

// The models in the program tell who wins between players who play by them: over games that they were not fitted to,
// with two seats and with three, their loss is well below that of giving every seat the same chance.
func TestModelsTellWhoWins(t *testing.T) {
	training := Training{Seed: 977, MaxPlies: 2000}
	players := func(_ games.Sim, seed uint64) *computer.Player {
		return computer.New(computer.Hard, computer.Limit{Iterations: 60}, seed)
	}
	for _, g := range example.Games {
		least, most := g.Seats()
		for seats := least; seats <= min(most, 3); seats++ {
			setup, err := games.NewSetup(g, seats)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := g.New(setup).Sim().(learned.Learner); !ok {
				continue
			}
			own, blind, n := 0.0, 0.0, 0
			for i := range uint64(120 / seats) {
				for _, p := range training.positions(t.Context(), g, setup, i, players) {
					own += LossOf(shares(p.sim, p.whose), p.won)
					blind += math.Log(float64(len(p.whose)))
					n++
				}
			}
			t.Logf("%s, %d seats: loss %.4f, without a model %.4f, over %d positions", g.Key(), seats,
				own/float64(n), blind/float64(n), n)
			if n == 0 || own >= 0.97*blind {
				t.Errorf("%s, %d seats: the model's loss is %.4f, without a model %.4f, over %d positions", g.Key(),
					seats, own/float64(n), blind/float64(n), n)
			}
		}
	}
}
