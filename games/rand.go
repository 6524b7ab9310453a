package games

import "math/bits"

// Rand is a small fast generator for playouts (SplitMix64, Steele, Lea and Flood 2014). Package fair draws the dice and
// cards of real games.
type Rand struct{ state uint64 }

// NewRand returns a generator that gives the same numbers for the same seed.
func NewRand(seed uint64) *Rand { return &Rand{state: seed} }

// Uint64 returns 64 random bits. It makes Rand a rand.Source of math/rand/v2.
func (r *Rand) Uint64() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// IntN returns a number from 0 to n-1. n must be positive and less than 2^32. The bias is less than n/2^64.
func (r *Rand) IntN(n int) int {
	hi, _ := bits.Mul64(r.Uint64(), uint64(n))
	return int(hi)
}

// Outcome returns a random outcome, with a probability in proportion to its weight. outcomes must not be empty.
func (r *Rand) Outcome(outcomes []Outcome) Move {
	total := 0
	for _, o := range outcomes {
		total += o.Weight
	}
	x := r.IntN(total)
	for _, o := range outcomes {
		if x < o.Weight {
			return o.Move
		}
		x -= o.Weight
	}
	panic("games: a random number beyond the weights")
}

// Mix is the finalizer of SplitMix64, a bijection in which every input bit affects all output bits.
func Mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
