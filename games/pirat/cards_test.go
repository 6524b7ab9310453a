package pirat

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
)

// Every run of the property tests uses the same seed. -rapid.seed sets another one.
var _ = flag.Set("rapid.seed", "26")

// TestCardsCount: the packed multiset behaves like a plain list.
func TestCardsCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w cards
		var want []card
		gold := 0
		for k := card(0); int(k) < kinds; k++ {
			n := rapid.IntRange(0, k.copies()).Draw(t, k.String())
			w += cards(n) * units[k]
			if w.count(k) != n {
				t.Fatalf("%v: %d of %v, want %d", w.list(), w.count(k), k, n)
			}
			for range n {
				want = append(want, k)
				if k.isTrading() {
					gold += k.value()
				}
			}
		}
		if w.size() != len(want) || w.gold() != gold {
			t.Fatalf("%v: size %d, gold %d; want %d, %d", want, w.size(), w.gold(), len(want), gold)
		}
		for n, k := range want {
			if got := w.at(n); got != k {
				t.Fatalf("card %d of %v is %v, want %v", n, want, got, k)
			}
			if w.list()[n] != k {
				t.Fatalf("list %v, want %v", w.list(), want)
			}
		}
	})
}
