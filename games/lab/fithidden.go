package lab

import (
	"math"
	"math/rand/v2"

	"marque/games/learned"
)

// Parameters for fitting a layer with Adam (Kingma and Ba 2015), with decreasing step sizes.
const (
	epochs     = 16
	batch      = 64
	firstStep  = 0.004
	firstScale = 0.25 // standard deviation of the initial weights
	layerDecay = 1e-5
)

// FitHidden fits a hidden layer to the residual of plain, a model of the first n features made by Fit. Then it fits all
// features again, with the layer's features after the first n. alike are the symmetries of the inputs (Deep). Each use
// of an example applies one of them. FitHidden returns ErrNoExamples if examples is empty.
func FitHidden(examples []Example, plain *learned.Model, n int, alike [][]int, seed uint64) (*learned.Model, error) {
	net := newNet(rand.New(rand.NewPCG(seed, 1)), len(alike[0]))
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	steps := epochs * (len(order) / batch)
	for done := 0; done < steps; {
		net.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at+batch <= len(order); at += batch {
			net.gradient = newParameters(len(net.in))
			for _, i := range order[at : at+batch] {
				net.learn(plain, &examples[i], alike[net.rng.IntN(len(alike))])
			}
			net.step(firstStep * (1 - float64(done)/float64(steps)))
			done++
		}
	}
	layer := learned.NewLayer(net.in, net.bias)
	whole := make([]Example, len(examples))
	for i := range whole {
		whole[i] = examples[i].Through(layer, n)
	}
	m, err := Fit(whole, n+learned.Hidden)
	if err != nil {
		return nil, err
	}
	m.Layer = layer
	return m, nil
}

// Through returns the example with the layer's features after the first n features.
func (e *Example) Through(l *learned.Layer, n int) Example {
	out := Example{Seats: make([]learned.Features, len(e.Seats)), On: e.On, Shares: e.Shares}
	for s := range out.Seats {
		copy(out.Seats[s][:n], e.Seats[s][:n])
		sums := l.Empty()
		for _, i := range e.On[s] {
			l.On(&sums, i)
		}
		sums.Features((*[learned.Hidden]float64)(out.Seats[s][n:]))
	}
	return out
}

// parameters holds the weights of a layer's inputs, the biases of its units, and the weights of the units.
type parameters struct {
	in        [][learned.Hidden]float64
	bias, out [learned.Hidden]float64
}

func newParameters(inputs int) parameters {
	return parameters{in: make([][learned.Hidden]float64, inputs)}
}

// each calls do for every parameter p, with its gradient g and the running means of the gradient (m) and of its
// square (v).
func each(do func(p, g, m, v *float64), p, g, m, v *parameters) {
	for i := range p.in {
		for j := range p.in[i] {
			do(&p.in[i][j], &g.in[i][j], &m.in[i][j], &v.in[i][j])
		}
	}
	for j := range p.bias {
		do(&p.bias[j], &g.bias[j], &m.bias[j], &v.bias[j])
		do(&p.out[j], &g.out[j], &m.out[j], &v.out[j])
	}
}

// net is a layer during training.
type net struct {
	parameters
	gradient     parameters // sum over a batch
	mean, square parameters // running means of the gradients and of their squares (Adam)
	rng          *rand.Rand
	taken        int // number of steps taken so far
}

func newNet(rng *rand.Rand, inputs int) *net {
	n := &net{rng: rng, parameters: newParameters(inputs), mean: newParameters(inputs), square: newParameters(inputs)}
	for i := range inputs {
		for j := range n.in[i] {
			n.in[i][j] = firstScale * rng.NormFloat64()
		}
	}
	for j := range n.out {
		n.bias[j] = firstScale * rng.Float64()
		n.out[j] = firstScale * rng.NormFloat64()
	}
	return n
}

// learn adds an example's contribution to the gradient of the log-likelihood, for the sum of the layer's score and
// plain's score.
func (n *net) learn(plain *learned.Model, e *Example, alike []int) {
	var roomScores [8]float64
	var roomSums [8][learned.Hidden]float64
	scores, sums := roomScores[:len(e.Seats)], roomSums[:len(e.Seats)]
	whole, total := 0.0, 0.0
	for s := range e.Seats {
		sums[s] = n.bias
		for _, i := range e.On[s] {
			w := &n.in[alike[i]]
			for j := range w {
				sums[s][j] += w[j]
			}
		}
		score := plain.Score(&e.Seats[s])
		for j, sum := range sums[s] {
			score += n.out[j] * max(0, sum)
		}
		scores[s] = math.Exp(score)
		whole += scores[s]
		total += e.Shares[s]
	}
	for s := range e.Seats {
		miss := e.Shares[s] - total*scores[s]/whole
		var down [learned.Hidden]float64
		for j, sum := range sums[s] {
			if sum > 0 {
				n.gradient.out[j] += miss * sum
				down[j] = miss * n.out[j]
				n.gradient.bias[j] += down[j]
			}
		}
		for _, i := range e.On[s] {
			g := &n.gradient.in[alike[i]]
			for j := range g {
				g[j] += down[j]
			}
		}
	}
}

// step moves the parameters along the gradient.
func (n *net) step(length float64) {
	const keepMean, keepSquare = 0.9, 0.999
	n.taken++
	ofMean, ofSquare := 1-math.Pow(keepMean, float64(n.taken)), 1-math.Pow(keepSquare, float64(n.taken))
	each(func(p, g, m, v *float64) {
		slope := *g/batch - layerDecay**p
		*m = keepMean**m + (1-keepMean)*slope
		*v = keepSquare**v + (1-keepSquare)*slope*slope
		*p += length * (*m / ofMean) / (math.Sqrt(*v/ofSquare) + 1e-8)
	}, &n.parameters, &n.gradient, &n.mean, &n.square)
}
