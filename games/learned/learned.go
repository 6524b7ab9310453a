// Package learned implements evaluations that were fitted to games of computer players. They estimate the chances of
// winning in a position from a few numbers about each seat.
//
// The model is a conditional logit (McFadden 1974): every seat has a score, the weighted sum of its features, and its
// chance of winning is proportional to the exponential of the score. For two seats this is a logistic regression of the
// differences. For any number of seats the chances add up to 1. A model can also have a hidden layer, whose units are
// additional features (Deep).
package learned

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"marque/games"
)

// Most is the maximum number of features of a model.
const Most = 32

// Features are a model's inputs for a seat, in the game's order. Unused features are zero.
type Features [Most]float64

// Evaluator is a Sim whose Evaluate uses a model.
type Evaluator interface {
	games.Sim
	// Features returns the model's inputs for a seat in an unfinished game, or false if the seat is out and cannot win.
	Features(seat games.Seat) (Features, bool)
	// Names returns the names of the features, in order.
	Names() []string
}

// Trainable is an Evaluator whose model can be replaced during training.
type Trainable interface {
	Evaluator
	// SetModel replaces the model that Evaluate uses, in this Sim only.
	SetModel(m *Model)
}

// Model holds the weights of features. If it has a layer, the weights of the layer's features follow those of the
// game's features.
type Model struct {
	Weights Features
	Layer   *Layer // hidden layer; nil if there is none
}

// Parse parses weights that are part of the program. It panics if Read returns an error.
func Parse(text string, names []string) *Model {
	m, err := Read(text, names)
	if err != nil {
		panic(err)
	}
	return m
}

// Read parses the output of Encode, for features with the given names. It returns an error if the text has other names,
// another order, or invalid numbers.
func Read(text string, names []string) (*Model, error) {
	m, i := &Model{}, 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, number, _ := strings.Cut(line, " ")
		if name == hiddenLine {
			if m.Layer == nil {
				m.Layer, names = &Layer{}, slices.Concat(names, unitNames)
			}
			if err := m.Layer.read(number); err != nil {
				return nil, err
			}
			continue
		}
		if i >= len(names) || name != names[i] {
			return nil, fmt.Errorf("learned: weight %d is of %q, want the names %v", i, name, names)
		}
		w, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil {
			return nil, fmt.Errorf("learned: the weight of %s: %w", name, err)
		}
		m.Weights[i] = w
		i++
	}
	if i != len(names) {
		return nil, fmt.Errorf("learned: %d weights, want %d: %v", i, len(names), names)
	}
	if m.Layer != nil {
		m.Layer.pack()
	}
	return m, nil
}

// Encode returns the weights as text: the comments, which describe the training, the lines of the layer, if there is
// one, and a line for each weight.
func (m *Model) Encode(names []string, comments ...string) string {
	var b strings.Builder
	for _, c := range comments {
		fmt.Fprintf(&b, "# %s\n", c)
	}
	if m.Layer != nil {
		m.Layer.encode(&b)
		names = slices.Concat(names, unitNames)
	}
	for i, name := range names {
		fmt.Fprintf(&b, "%s %.4f\n", name, m.Weights[i])
	}
	return b.String()
}

// Score returns the score of a seat with these features.
func (m *Model) Score(f *Features) float64 {
	var a, b, c, d float64
	w := &m.Weights
	for i := 0; i < Most; i += 4 {
		a += w[i] * f[i]
		b += w[i+1] * f[i+1]
		c += w[i+2] * f[i+2]
		d += w[i+3] * f[i+3]
	}
	return a + b + c + d
}

// Chance returns the chance of winning of a seat with the score own against seats with the scores others.
func Chance(own float64, others ...float64) float64 {
	sum := 1.0
	for _, o := range others {
		sum += math.Exp(o - own)
	}
	return 1 / sum
}

// ChanceOfTwo returns the value of Chance for two seats from a table, with an error of at most a hundred-thousandth. It
// is four times as fast, which matters for features that are quick to compute.
func ChanceOfTwo(own, other float64) float64 {
	at := (own - other + tableReach) * tableSteps
	if !(at > 0) {
		return chances[0]
	}
	i := int(min(at, float64(len(chances)-2)))
	return chances[i] + (chances[i+1]-chances[i])*(min(at, float64(len(chances)-1))-float64(i))
}

const (
	tableReach = 12 // at larger differences, chances are within a hundred-thousandth of 0 or 1
	tableSteps = 64 // entries of the table per unit
)

var chances = func() (list [2*tableReach*tableSteps + 1]float64) {
	for i := range list {
		list[i] = Chance(float64(i)/tableSteps-tableReach, 0)
	}
	return list
}()
