package learned

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Fit finds the weights by which examples were drawn, for two seats as for four, and says with its
// loss that it knows more than who knows nothing.
func TestFitFindsTheWeights(t *testing.T) {
	want := Model{Weights: Features{0.8, -1.5, 0, 0.4}}
	const n, drawn = 4, 40_000
	for _, seats := range []int{2, 4} {
		rng := rand.New(rand.NewPCG(1, uint64(seats)))
		var examples []Example
		for range drawn {
			e := Example{Seats: make([]Features, seats), Shares: make([]float64, seats)}
			for s := range e.Seats {
				for i := range n {
					e.Seats[s][i] = rng.NormFloat64()
				}
			}
			chances, x := want.chances(&e, nil), rng.Float64()
			winner := 0
			for x > chances[winner] && winner < seats-1 {
				x -= chances[winner]
				winner++
			}
			e.Shares[winner] = 1
			examples = append(examples, e)
		}
		got, err := Fit(examples, n)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if math.Abs(got.Weights[i]-want.Weights[i]) > 0.06 {
				t.Errorf("%d seats: weight %d is %.3f, drawn by %.3f", seats, i, got.Weights[i],
					want.Weights[i])
			}
		}
		blind := (&Model{}).Loss(examples)
		if math.Abs(blind-math.Log(float64(seats))) > 1e-9 || got.Loss(examples) >= blind {
			t.Errorf("%d seats: loss %.4f, of who knows nothing %.4f, want that to be ln %d and more", seats,
				got.Loss(examples), blind, seats)
		}
	}
}

// A draw is shared: who always draws is as good as the other.
func TestFitOfDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var examples []Example
	for range 1000 {
		examples = append(examples, Example{Seats: []Features{{rng.NormFloat64()}, {rng.NormFloat64()}},
			Shares: []float64{0.5, 0.5}})
	}
	m, err := Fit(examples, 1)
	if err != nil || math.Abs(m.Weights[0]) > 0.01 {
		t.Errorf("weight %v, %v, want none", m.Weights[0], err)
	}
	if _, err := Fit(nil, 1); !errors.Is(err, ErrNoExamples) {
		t.Errorf("no examples: %v, want ErrNoExamples", err)
	}
}

// Weights are read as they were written, and others than the game's are refused.
func TestWeightsAreReadAsWritten(t *testing.T) {
	names := []string{"tokens", "reserve"}
	m := &Model{Weights: Features{1.25, -0.5}}
	text := m.Encode(names, "marque-lab train", "loss 0.5")
	if got := Parse(text, names); *got != *m {
		t.Errorf("%q was read as %v, want %v", text, got, m)
	}
	for what, wrong := range map[string]string{
		"another name": strings.Replace(text, "reserve", "ghosts", 1),
		"one missing":  strings.Replace(text, "reserve -0.5000\n", "", 1),
		"one more":     text + "ghosts 1\n",
		"no number":    strings.Replace(text, "1.2500", "many", 1),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: read", what)
				}
			}()
			Parse(wrong, names)
		}()
	}
}

// Chances are between 0 and 1 and add up to 1, whatever the scores.
func TestChancesAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 1000 {
		a, b, c := 20*rng.NormFloat64(), 20*rng.NormFloat64(), 20*rng.NormFloat64()
		sum := Chance(a, b, c) + Chance(b, a, c) + Chance(c, a, b)
		if p := Chance(a, b, c); p < 0 || p > 1 || math.Abs(sum-1) > 1e-9 {
			t.Errorf("scores %v %v %v: %v, in sum %v", a, b, c, p, sum)
		}
	}
}

// The table says of two seats what Chance says, however far apart they are.
func TestChanceOfTwo(t *testing.T) {
	for own := -30.0; own <= 30; own += 0.013 {
		if got, want := ChanceOfTwo(own, 1.5), Chance(own, 1.5); math.Abs(got-want) > 1e-5 {
			t.Errorf("scores %v and 1.5: %v, want %v", own, got, want)
		}
	}
}
