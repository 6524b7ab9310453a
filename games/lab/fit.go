package lab

import (
	"errors"
	"math"

	"marque/games/learned"
)

// Example is a position with the final result of its game.
type Example struct {
	Seats  []learned.Features // features of each seat that is not out
	On     [][]int            // active inputs of the layer for each seat in Seats, if there is a layer
	Shares []float64          // final share of the win of each seat in Seats: 1, 0, or a fraction after a draw
}

// ErrNoExamples is returned if there is nothing to learn from.
var ErrNoExamples = errors.New("lab: no examples")

// Fit returns the weights of the first n features that make the examples most likely, by Newton's method from zero. A
// penalty (decay) keeps the weights small. Fit returns ErrNoExamples if examples is empty.
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
	decay       = 1e-4 // factor of half the squared weights in the penalty, per example
)

// chances returns the chances of the example's seats by a model.
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

// add adds an example's contribution to the gradient of the log-likelihood and to its negative second derivative.
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

// solve solves a symmetric system of n equations by Cholesky decomposition. a holds the lower half of the matrix.
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

// Loss returns the mean LossOf of the examples by a model, in nats. A smaller loss is better. Equal chances for two
// seats have a loss of ln 2.
func Loss(m *learned.Model, examples []Example) float64 {
	sum := 0.0
	for i := range examples {
		sum += loss(m, &examples[i])
	}
	return sum / float64(len(examples))
}

func loss(m *learned.Model, e *Example) float64 {
	var room [8]float64
	return LossOf(chances(m, e, room[:0]), e.Shares)
}

// LossOf returns the cross-entropy, in nats, of seats' estimated chances and their final shares of the win. A chance
// below 1e-6 counts as 1e-6.
func LossOf(chances, shares []float64) float64 {
	sum := 0.0
	for s, share := range shares {
		if share > 0 {
			sum -= share * math.Log(max(chances[s], 1e-6))
		}
	}
	return sum
}
