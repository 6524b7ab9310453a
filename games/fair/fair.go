// Package fair draws dice and cards so that everybody can check them afterwards.
//
// A table creates a secret Seed when it opens, and shows the seed's Commitment. Every draw follows from the seed, the
// events at the seats before the start (Input), the last play of a person before the draw (Played) and the draw's
// position in the log, with HMAC-SHA256 and rejection sampling. At the end the table shows the seed, and anybody can
// recompute every draw. docs/fairness.md describes the method in full and contains a checker.
package fair

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
)

// Seed is the secret of a match. Logs and errors do not show it. Reveal returns it for the end of the match.
type Seed [32]byte

// NewSeed returns a random seed from the system's secure generator.
func NewSeed() Seed {
	var s Seed
	rand.Read(s[:])
	return s
}

// Commitment returns the SHA-256 of the seed in hex. The table shows it when it opens.
func (s Seed) Commitment() string {
	sum := sha256.Sum256(s[:])
	return hex.EncodeToString(sum[:])
}

// Short returns the first 12 digits of a commitment, for messages. They are not a proof, because two seeds whose
// commitments begin alike can be found by trying. Only a complete commitment is a proof.
func Short(commitment string) string { return commitment[:min(12, len(commitment))] }

// Reveal returns the seed in hex, for the end of the match.
func (s Seed) Reveal() string { return hex.EncodeToString(s[:]) }

// ErrSeed is returned for a text that is not 64 hexadecimal digits.
var ErrSeed = errors.New("a seed is 64 hexadecimal digits")

// ParseSeed parses 64 hexadecimal digits, such as the output of Reveal. It returns ErrSeed for any other text.
func ParseSeed(text string) (Seed, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(Seed{}) {
		return Seed{}, ErrSeed
	}
	return Seed(b), nil
}

// Fits reports whether the seed has the given commitment.
func (s Seed) Fits(commitment string) bool {
	return subtle.ConstantTimeCompare([]byte(s.Commitment()), []byte(commitment)) == 1
}

// String returns a fixed text, to keep the seed out of logs and errors.
func (s Seed) String() string { return "[secret seed]" }

// GoString returns the same text as String, to keep the seed out of logs.
func (s Seed) GoString() string { return s.String() }

// Format writes the text of String, to keep the seed out of logs.
func (s Seed) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue returns the text of String, to keep the seed out of logs.
func (s Seed) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Draw returns a number from 0 to total-1. It is always the same for the same seed, texts, position in the log, and
// total, which must be positive and less than 2^32.
//
// The i-th block is HMAC-SHA256(seed, len(texts) | each text after its length | position | i), all numbers as 8 bytes
// big-endian, negative ones in two's complement. The first 8 bytes of a block are a number x. Draw returns the first x
// that is less than m - m mod total, modulo total, where m is 2^64-1.
func Draw(seed Seed, texts []string, position, total int) int {
	if total <= 0 || total > math.MaxUint32 {
		panic(fmt.Sprintf("fair: a draw among %d", total))
	}
	n := uint64(total)
	limit := math.MaxUint64 - math.MaxUint64%n
	for i := uint64(0); ; i++ {
		if x := block(seed, texts, uint64(position), i); x < limit {
			return int(x % n)
		}
	}
}

func block(seed Seed, texts []string, position, i uint64) uint64 {
	mac := hmac.New(sha256.New, seed[:])
	number := func(n uint64) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], n)
		mac.Write(b[:])
	}
	number(uint64(len(texts)))
	for _, t := range texts {
		number(uint64(len(t)))
		mac.Write([]byte(t))
	}
	number(position)
	number(i)
	return binary.BigEndian.Uint64(mac.Sum(nil))
}

// Pick returns a drawn index, whose probability is in proportion to its weight. The sum of the weights must be
// positive.
func Pick(seed Seed, texts []string, position int, weights []int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	x := Draw(seed, texts, position, total)
	for i, w := range weights {
		if x < w {
			return i
		}
		x -= w
	}
	panic("fair: unreachable")
}

// SeatsPosition is the position for drawing seats, which comes before the log. Swap k of Shuffle, counted from 0, has
// the position SeatsPosition-k.
const SeatsPosition = -1

// Shuffle returns a drawn seating of n players, by the Fisher-Yates method. From the last entry down to the second,
// each entry is swapped with one drawn from the entries up to itself. Entry i of the result is the index, in the order
// of joining, of the player at seat i.
func Shuffle(seed Seed, inputs []string, n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := Draw(seed, inputs, SeatsPosition-(n-1-i), i+1)
		p[i], p[j] = p[j], p[i]
	}
	return p
}
