package learned

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// fitted is a layer fitted to who wins by whether exactly one of two inputs is on, which no sum of weights of
// inputs tells, and the examples.
func fitted(t *testing.T) (m *Model, examples []Example) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 4))
	for range 6000 {
		e := Example{Seats: make([]Features, 2), On: make([][]int, 2), Shares: make([]float64, 2)}
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
	before, after := plain.Loss(examples), m.Loss(through)
	t.Logf("loss %.4f without the layer, %.4f with it", before, after)
	if before < 0.69 || after > 0.4 {
		t.Errorf("loss %.4f without the layer and %.4f with it: want about 0.69, and less than 0.4", before, after)
	}
	return m, through
}

// A layer tells what its inputs mean together, and is read as it was written: it says the same of everything.
func TestLayerIsReadAsWritten(t *testing.T) {
	m, examples := fitted(t)
	names := []string{"count"}
	text := m.Encode(names, "marque-lab train")
	got, err := Read(text, names)
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
		if _, err := Read(wrong, names); err == nil {
			t.Errorf("%s: read", what)
		} else {
			t.Logf("%s: %v", what, err)
		}
	}
}

// Four sums in a word are each what they would be by themselves, in whatever order inputs go on and off.
func TestSumsStayApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	l := &Layer{}
	for j := range Hidden {
		l.bias[j] = int16(rng.IntN(2*largestPart+1) - largestPart)
		for i := range l.in {
			l.in[i][j] = int16([]int{-largestPart, largestPart, rng.IntN(200) - 100}[rng.IntN(3)])
		}
	}
	l.pack()
	on, sums := map[int]bool{}, l.Empty()
	for range 20_000 {
		i := rng.IntN(mostInputs)
		switch {
		case on[i]:
			l.Off(&sums, i)
			delete(on, i)
		case len(on) < mostOn:
			l.On(&sums, i)
			on[i] = true
		}
		var got [Hidden]float64
		sums.Features(&got)
		for j, f := range got {
			want := int(l.bias[j])
			for i := range on {
				want += int(l.in[i][j])
			}
			if f != float64(max(0, want))/parts {
				t.Fatalf("inputs %v: unit %d says %v, want %v", on, j, f*parts, max(0, want))
			}
		}
	}
}
