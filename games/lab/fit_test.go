package lab

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"marque/games/learned"
)

// Fit recovers the weights that generated the examples, for two seats and for four. Its loss is below that of equal
// chances.
func TestFitFindsTheWeights(t *testing.T) {
	want := learned.Model{Weights: learned.Features{0.8, -1.5, 0, 0.4}}
	const n, drawn = 4, 40_000
	for _, seats := range []int{2, 4} {
		rng := rand.New(rand.NewPCG(1, uint64(seats)))
		var examples []Example
		for range drawn {
			e := Example{Seats: make([]learned.Features, seats), Shares: make([]float64, seats)}
			for s := range e.Seats {
				for i := range n {
					e.Seats[s][i] = rng.NormFloat64()
				}
			}
			chances, x := chances(&want, &e, nil), rng.Float64()
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
		blind := Loss(&learned.Model{}, examples)
		if math.Abs(blind-math.Log(float64(seats))) > 1e-9 || Loss(got, examples) >= blind {
			t.Errorf("%d seats: loss %.4f, of who knows nothing %.4f, want that to be ln %d and more", seats,
				Loss(got, examples), blind, seats)
		}
	}
}

// If all games are drawn, Fit gives a feature almost no weight. Without examples, it returns ErrNoExamples.
func TestFitOfDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var examples []Example
	for range 1000 {
		examples = append(examples, Example{Seats: []learned.Features{{rng.NormFloat64()}, {rng.NormFloat64()}},
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

// fitted returns a model with a fitted layer, and examples with the layer's features. In the examples the winner
// depends on the exclusive or of two inputs, which no weighted sum of inputs can express.
func fitted(t *testing.T) (m *learned.Model, examples []Example) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	for range 6000 {
		e := Example{Seats: make([]learned.Features, 2), On: make([][]int, 2), Shares: make([]float64, 2)}
		var odd [2]bool
		for s := range e.Seats {
			a, b := rng.IntN(2) == 0, rng.IntN(2) == 0
			odd[s] = a != b
			if a {
				e.On[s] = append(e.On[s], 0)
			}
			if b {
				e.On[s] = append(e.On[s], 1)
			}
			e.Seats[s][0] = float64(len(e.On[s]))
		}
		switch {
		case odd[0] == odd[1]:
			e.Shares = []float64{0.5, 0.5}
		case odd[0]:
			e.Shares[0] = 1
		default:
			e.Shares[1] = 1
		}
		examples = append(examples, e)
	}
	plain, err := Fit(examples, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err = FitHidden(examples, plain, 1, [][]int{{0, 1}, {1, 0}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	through := make([]Example, len(examples))
	for i := range examples {
		through[i] = examples[i].Through(m.Layer, 1)
	}
	before, after := Loss(plain, examples), Loss(m, through)
	t.Logf("loss %.4f without the layer, %.4f with it", before, after)
	if before < 0.69 || after > 0.4 {
		t.Errorf("loss %.4f without the layer and %.4f with it: want about 0.69, and less than 0.4", before, after)
	}
	return m, through
}

// A layer learns the combined effect of two inputs. Encoding and parsing it does not change its evaluations. Invalid
// texts are not parsed.
func TestLayerIsReadAsWritten(t *testing.T) {
	m, examples := fitted(t)
	names := []string{"count"}
	text := m.Encode(names, "marque-lab train")
	got, err := learned.Read(text, names)
	if err != nil || got.Encode(names, "marque-lab train") != text {
		t.Fatalf("%v: %q was read as %q", err, text, got.Encode(names, "marque-lab train"))
	}
	for _, e := range examples[:100] {
		if again := e.Through(got.Layer, 1); again.Seats[0] != e.Seats[0] || again.Seats[1] != e.Seats[1] {
			t.Fatalf("inputs %v: the layer says %v, as read %v", e.On, e.Seats, again.Seats)
		}
	}
	for what, wrong := range map[string]string{
		"no such input":     strings.Replace(text, "hidden 0", "hidden 128", 1),
		"a weight too much": strings.Replace(text, "hidden bias", "hidden bias 1", 1),
		"a great weight":    strings.Replace(text, "hidden 0", "hidden 0 9999 hidden", 1),
		"a unit missing":    text[:strings.Index(text, "unit-16")],
	} {
		if _, err := learned.Read(wrong, names); err == nil {
			t.Errorf("%s: read", what)
		} else {
			t.Logf("%s: %v", what, err)
		}
	}
}
