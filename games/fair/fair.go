// Package fair draws dice and cards so that everybody can check them afterwards.
//
// A table makes a secret Seed when it opens, and shows the seed's Commitment. Every draw follows from the seed, from
// what happened to the seats before the start (Input), from the last play of a person before it (Played) and from the
// draw's place in the log, through HMAC-SHA256 and rejection sampling. At the end the seed is shown, and anybody can
// recompute every draw: docs/fairness.md describes the method in full, with a checker.
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

// Seed is the secret of a match. It prints as nothing: show it with Reveal, and only after the end.
type Seed [32]byte

// NewSeed makes a secret from the system's generator, which does not fail.
func NewSeed() Seed {
	var s Seed
	rand.Read(s[:])
	return s
}

// Commitment is the SHA-256 of the seed in hex: shown when the table opens.
func (s Seed) Commitment() string {
	sum := sha256.Sum256(s[:])
	return hex.EncodeToString(sum[:])
}

// Short is the first 12 digits of a commitment, for messages. It proves nothing, because two seeds whose commitments
// begin alike can be found by trying. Only a whole commitment is proof.
func Short(commitment string) string { return commitment[:min(12, len(commitment))] }

// Reveal is the seed in hex, for the end of the match.
func (s Seed) Reveal() string { return hex.EncodeToString(s[:]) }

// ErrSeed says that a text is not 64 hexadecimal digits.
var ErrSeed = errors.New("a seed is 64 hexadecimal digits")

// ParseSeed reads what Reveal wrote. It returns ErrSeed for anything else.
func ParseSeed(text string) (Seed, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(Seed{}) {
		return Seed{}, ErrSeed
	}
	return Seed(b), nil
}

// Fits reports whether the seed is the one that was committed to.
func (s Seed) Fits(commitment string) bool {
	return subtle.ConstantTimeCompare([]byte(s.Commitment()), []byte(commitment)) == 1
}

// String, GoString, Format and LogValue keep the seed out of logs and errors.
func (s Seed) String() string { return "[secret seed]" }

// GoString is String.
func (s Seed) GoString() string { return s.String() }

// Format is String for every verb.
func (s Seed) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue is String.
func (s Seed) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Draw returns a number from 0 to total-1, the same for the same seed, texts and position in the
// log. total must be positive and below 2^32.
//
// The i-th block is HMAC-SHA256(seed, len(texts) | each text after its length | position | i),
// all numbers as 8 bytes big-endian, negative ones in two's complement. Its first 8 bytes are a
// number x; the first x below m - m mod total is taken, modulo total, where m is 2^64-1.
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

// Pick is Draw by weights: it returns the index of the weight that the draw falls on. The weights
// must sum to a positive number.
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

// SeatsPosition is the position of the draw of seats, which comes before the log. Exchange k of Shuffle, from 0, is
// drawn at SeatsPosition-k.
const SeatsPosition = -1

// Shuffle draws a seating of n players by the method of Fisher and Yates. From the last place down to the second, each
// entry changes places with one drawn from the entries up to itself. Entry i of the result is the number, in the order
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
