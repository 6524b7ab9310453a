package lab

import (
	"errors"
	"math"

	"marque/games/learned"
)

// Example is a position of a game with the game's result.
type Example struct {
	Seats  []learned.Features // of the seats that were not out
	On     [][]int            // for each of them, the inputs of the layer that are on, if there is a layer
	Shares []float64          // each seat's result in the end: 1, or its part of a draw
}

// ErrNoExamples is returned when there is nothing to learn from.
var ErrNoExamples = errors.New("lab: no examples")

// Fit finds the weights of the first n features under which the examples are most likely, by Newton's method, from
// zero. A penalty (decay) keeps the weights small. The error is ErrNoExamples.
func Fit(examples []Example, n int) (*learned.Model, error) {
	if len(examples) == 0 {
		return nil, ErrNoExamples
	}
	m := &learned.Model{}
	for range newtonSteps {
		var gradient [learned.Most]float64
		var curvature [learned.Most][learned.Most]float64
		for i := range n {
			gradient[i] = -decay * float64(len(examples)) * m.Weights[i]
			curvature[i][i] = decay * float64(len(examples))
		}
		for _, e := range examples {
			add(m, &e, n, &gradient, &curvature)
		}
		step := solve(curvature, gradient, n)
		largest := 0.0
		for i := range n {
			m.Weights[i] += step[i]
			largest = max(largest, math.Abs(step[i]))
		}
		if largest < 1e-6 {
			break
		}
	}
	return m, nil
}

const (
	newtonSteps = 30
	decay       = 1e-4 // weight of the squares of the weights, per example
)

// chances are those of the example's seats.
func chances(m *learned.Model, e *Example, out []float64) []float64 {
	out = out[:0]
	sum := 0.0
	for i := range e.Seats {
		out = append(out, math.Exp(m.Score(&e.Seats[i])))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// add adds an example's part of the log-likelihood's gradient and of its negative curvature.
func add(m *learned.Model, e *Example, n int, gradient *[learned.Most]float64,
	curvature *[learned.Most][learned.Most]float64) {
	var room [8]float64
	p := chances(m, e, room[:0])
	total := 0.0
	for _, share := range e.Shares {
		total += share
	}
	var mean learned.Features
	for s := range e.Seats {
		for i := range n {
			mean[i] += p[s] * e.Seats[s][i]
		}
	}
	for s := range e.Seats {
		f := &e.Seats[s]
		miss := e.Shares[s] - total*p[s]
		for i := range n {
			gradient[i] += miss * f[i]
			for j := range i + 1 {
				curvature[i][j] += total * p[s] * (f[i] - mean[i]) * (f[j] - mean[j])
			}
		}
	}
}

// solve solves a symmetric system of n equations, given by its lower half, by Cholesky's decomposition.
func solve(a [learned.Most][learned.Most]float64, b [learned.Most]float64, n int) [learned.Most]float64 {
	for i := range n {
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i == j {
				a[i][i] = math.Sqrt(sum)
			} else {
				a[i][j] = sum / a[j][j]
			}
		}
	}
	for i := range n {
		for k := range i {
			b[i] -= a[i][k] * b[k]
		}
		b[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= a[k][i] * b[k]
		}
		b[i] /= a[i][i]
	}
	return b
}

// Loss is the mean of the negative logarithms of the chances given to the outcomes, in nats: the smaller the better,
// and ln 2 for a blind guess between two seats.
func Loss(m *learned.Model, examples []Example) float64 {
	sum := 0.0
	for i := range examples {
		sum += loss(m, &examples[i])
	}
	return sum / float64(len(examples))
}

// loss is the loss of one example.
func loss(m *learned.Model, e *Example) float64 {
	var room [8]float64
	return LossOf(chances(m, e, room[:0]), e.Shares)
}

// LossOf returns the loss of chances that were estimated for seats, by the share of the win of each.
func LossOf(chances, shares []float64) float64 {
	sum := 0.0
	for s, share := range shares {
		if share > 0 {
			sum -= share * math.Log(max(chances[s], 1e-6))
		}
	}
	return sum
}
