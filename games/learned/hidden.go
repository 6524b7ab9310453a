package learned

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"marque/games"
)

// Deep is a Trainable whose model can have a hidden layer.
type Deep interface {
	Trainable
	// Inputs returns the indexes of the layer's active inputs for a seat in an unfinished game.
	Inputs(seat games.Seat) []int
	// Alike returns the symmetries of the game, each as a mapping of input indexes.
	Alike() [][]int
}

const (
	// Hidden is the number of units of a hidden layer.
	Hidden = 16
	// mostInputs is the maximum number of inputs of a layer, and mostOn the maximum number of active ones.
	mostInputs = 128
	mostOn     = 16
)

// The weights of a layer are integers, in units of 1/parts. They are limited to largestPart, so that every sum fits in
// 16 bits.
const (
	parts       = 512
	largestPart = math.MaxInt16 / (mostOn + 1)
)

// Layer is a hidden layer: each unit adds its weights of the active inputs, and the positive part of the sum is an
// additional feature. The sums are updated from move to move (an efficiently updatable neural network, Nasu 2018).
type Layer struct {
	in     [mostInputs][Hidden]int16
	bias   [Hidden]int16
	packed [mostInputs]Sums
	base   Sums
}

// Sums holds the sums of a layer's units, four sums of 16 bits in each word. The weights of an input are packed in the
// same format, so that one addition adds four weights. A negative weight borrows from the next sum. This does no harm,
// because no complete sum is negative (aboveZero).
type Sums [Hidden / 4]uint64

// aboveZero is added to each sum, so that no sum is negative.
const aboveZero = 1 << 15

// NewLayer returns a layer with the given weights for each input of the game, rounded, and limited to what a layer can
// store.
func NewLayer(in [][Hidden]float64, bias [Hidden]float64) *Layer {
	part := func(w float64) int16 {
		return int16(max(-largestPart, min(largestPart, math.Round(parts*w))))
	}
	l := &Layer{}
	for j := range Hidden {
		l.bias[j] = part(bias[j])
		for i := range in {
			l.in[i][j] = part(in[i][j])
		}
	}
	l.pack()
	return l
}

// pack computes l.packed and l.base from the weights.
func (l *Layer) pack() {
	for j := range Hidden {
		word, shift := j/4, 16*(j%4)
		l.base[word] += uint64(int64(l.bias[j])+aboveZero) << shift
		for i := range l.in {
			l.packed[i][word] += uint64(int64(l.in[i][j])) << shift
		}
	}
}

// Empty returns the sums of a layer with no active input.
func (l *Layer) Empty() Sums { return l.base }

// On adds the weights of an inactive input to s.
func (l *Layer) On(s *Sums, input int) {
	w := &l.packed[input]
	for i := range s {
		s[i] += w[i]
	}
}

// Off subtracts the weights of an active input from s.
func (l *Layer) Off(s *Sums, input int) {
	w := &l.packed[input]
	for i := range s {
		s[i] -= w[i]
	}
}

// Features writes the values of the units' features to out.
func (s *Sums) Features(out *[Hidden]float64) {
	for i, word := range s {
		for j := range 4 {
			out[4*i+j] = float64(max(0, int32(uint16(word>>(16*j)))-aboveZero)) / parts
		}
	}
}

// hiddenLine is the first word of a layer's lines in a file of weights.
const hiddenLine = "hidden"

// unitNames holds the names of the units' features, which follow the game's features.
var unitNames = func() (names []string) {
	for j := range Hidden {
		names = append(names, fmt.Sprintf("unit-%d", j+1))
	}
	return names
}()

// encode writes the layer's lines for a file of weights.
func (l *Layer) encode(b *strings.Builder) {
	line := func(name string, weights [Hidden]int16) {
		fmt.Fprintf(b, "%s %s", hiddenLine, name)
		for _, w := range weights {
			fmt.Fprintf(b, " %d", w)
		}
		fmt.Fprintln(b)
	}
	line("bias", l.bias)
	for i, weights := range l.in {
		if weights != [Hidden]int16{} {
			line(strconv.Itoa(i), weights)
		}
	}
}

// read parses a line written by encode, without its first word.
func (l *Layer) read(line string) error {
	words := strings.Fields(line)
	if len(words) != 1+Hidden {
		return fmt.Errorf("learned: %q: want the number of an input, or bias, and %d weights", line, Hidden)
	}
	to := &l.bias
	if words[0] != "bias" {
		i, err := strconv.Atoi(words[0])
		if err != nil || i < 0 || i >= mostInputs {
			return fmt.Errorf("learned: %q is no input: want a number below %d", words[0], mostInputs)
		}
		to = &l.in[i]
	}
	for j, word := range words[1:] {
		w, err := strconv.Atoi(word)
		if err != nil || w < -largestPart || w > largestPart {
			return fmt.Errorf("learned: %q is no weight: want a whole number from %d to %d", word, -largestPart,
				largestPart)
		}
		to[j] = int16(w)
	}
	return nil
}
