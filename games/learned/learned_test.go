package learned

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Decoding encoded weights gives the same weights. Weights of another game are refused.
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

// Chances are between 0 and 1 and sum to 1, for random scores of three seats.
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

// ChanceOfTwo approximates Chance for two seats, even for scores beyond the ends of its table.
func TestChanceOfTwo(t *testing.T) {
	for own := -30.0; own <= 30; own += 0.013 {
		if got, want := ChanceOfTwo(own, 1.5), Chance(own, 1.5); math.Abs(got-want) > 1e-5 {
			t.Errorf("scores %v and 1.5: %v, want %v", own, got, want)
		}
	}
}
