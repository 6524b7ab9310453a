package learned

import (
	"math/rand/v2"
	"testing"
)

// The four sums in a word equal four separate sums, while inputs are activated and deactivated at random.
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
