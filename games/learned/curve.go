package learned

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Calibrated is a Sim of a game with a measured curve, which says how often the chances that searches find come true.
type Calibrated interface {
	// Calibration returns the phase of the game, estimated from the board, from 0 at the beginning to at most 1, and
	// the curve that corrects chances, or nil for a setup that has not been measured.
	Calibration() (phase float64, curve *Curve)
}

// Phases is the number of phases of a game in a curve, from the beginning to the end.
const Phases = 5

// knots are log odds as searches find them. At each knot a curve says how often such odds come true.
var knots = [...]float64{-6, -4, -3, -2, -1.5, -1, -0.5, -0.25, -0.1, 0, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6}

// Knots is the number of knots.
const Knots = len(knots)

// Curve says how often a chance found by a search comes true: a value for each phase of a game and each knot, rising
// from knot to knot. Between knots, and between phases, the values are interpolated linearly. With more than two seats,
// all chances of the curve are scaled so that an equal share becomes a half: with three seats, odds of 1 to 2 are even.
// The curve corrects each seat alone, so the corrected chances of all seats add up to only about 1.
type Curve struct {
	told  [Phases][Knots]float64
	seats int // 0 means 2
}

// surest is the minimum distance of an uncertain chance from 0 and 1.
const surest = 1e-6

// At returns how often a chance that a search found comes true. A certain result stays certain, and no other chance
// becomes certain. A larger chance stays larger.
func (c *Curve) At(phase, found float64) float64 {
	if found <= 0 || found >= 1 {
		return found
	}
	if c.seats <= 2 {
		return c.at(phase, found)
	}
	told, _ := fromEven(c.at(phase, toEven(found, c.seats)), c.seats)
	return min(max(told, surest), 1-surest)
}

// toEven scales a chance among several seats so that an equal share becomes a half.
func toEven(p float64, seats int) float64 {
	others := float64(seats - 1)
	return p * others / (p*others + 1 - p)
}

// fromEven is the inverse of toEven, and also returns its derivative.
func fromEven(even float64, seats int) (p, rise float64) {
	others := float64(seats - 1)
	whole := even + others*(1-even)
	return even / whole, others / (whole * whole)
}

// at returns the corrected chance. Both chances are on the curve's scale.
func (c *Curve) at(phase, found float64) float64 {
	told := 0.0
	for _, at := range phasesAt(phase) {
		for _, k := range knotsAt(found) {
			told += at.part * k.part * c.told[at.i][k.i]
		}
		first, last := sigmoid(knots[0]), sigmoid(knots[Knots-1])
		if found < first { // beyond the outer knots, interpolate to 0 and 1
			told -= at.part * c.told[at.i][0] * (1 - found/first)
		} else if found > last {
			told += at.part * (1 - c.told[at.i][Knots-1]) * (found - last) / (1 - last)
		}
	}
	return min(max(told, surest), 1-surest)
}

// share is the weight of one of two neighbours in an interpolation.
type share struct {
	i    int
	part float64
}

func phasesAt(phase float64) [2]share {
	at := min(max(phase, 0), 1) * (Phases - 1)
	i := min(int(at), Phases-2)
	return [2]share{{i, float64(i+1) - at}, {i + 1, at - float64(i)}}
}

func knotsAt(p float64) [2]share {
	x := logOdds(p)
	i := 0
	for i < Knots-2 && x >= knots[i+1] {
		i++
	}
	part := (x - knots[i]) / (knots[i+1] - knots[i])
	return [2]share{{i, 1 - part}, {i + 1, part}}
}

// logOdds returns the logarithm of a chance's odds, limited to the range of the knots.
func logOdds(p float64) float64 { return min(max(math.Log(p/(1-p)), knots[0]), knots[Knots-1]) }

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Outcome pairs a chance that a search estimated with the result of that game. Phase is the game's phase, from 0 to 1.
type Outcome struct{ Phase, Found, Won float64 }

const (
	leastRise   = 0.001 // minimum rise between neighbouring knots of a curve
	priorWeight = 10    // weight of each knot's prior, in outcomes
	slopeWeight = 100   // the same if the prior is a slope
	fitSweeps   = 5000
)

// FitCurve returns the curve with the least squared error over the outcomes. It first fits one curve for all phases,
// with the searches' own chances as the prior. That curve is then the prior of each phase, so that a phase with few
// outcomes stays near the others.
func FitCurve(outcomes []Outcome) *Curve {
	var found [Knots]float64
	for i, x := range knots {
		found[i] = sigmoid(x)
	}
	whole := fitCurve(outcomes, nil, 1, &Curve{told: [Phases][Knots]float64{found}}, priorWeight)
	for i := range whole.told {
		whole.told[i] = whole.told[0]
	}
	return fitCurve(outcomes, nil, Phases, whole, priorWeight)
}

// FitBySlopes is an alternative to FitCurve for three cases: the phases differ greatly, there are too few games for
// each knot of each phase, or more than two players play. It first fits one slope of the log odds for each phase. It
// then fits the knots, which stay near the slope where there are few outcomes.
func FitBySlopes(outcomes []Outcome, seats int) *Curve {
	even := slices.Clone(outcomes)
	if seats > 2 {
		for i := range even {
			even[i].Found = toEven(even[i].Found, seats)
		}
	}
	prior := new(Curve)
	slopes, leans := fitSlopes(even, seats)
	for phase, slope := range slopes {
		for i, x := range knots {
			prior.told[phase][i] = sigmoid(slope*x + leans[phase])
		}
	}
	if seats == 2 {
		return fitCurve(even, nil, Phases, prior, slopeWeight)
	}
	// Results are not on the curve's scale. Each step converts them with the derivative of fromEven at the present
	// curve (Gauss-Newton).
	const steps = 4
	c, weights := prior, make([]float64, len(even))
	for range steps {
		for i, o := range outcomes {
			at := c.at(o.Phase, even[i].Found)
			told, rise := fromEven(at, seats)
			even[i].Won, weights[i] = at+(o.Won-told)/rise, rise*rise
		}
		c = fitCurve(even, weights, Phases, prior, slopeWeight)
	}
	c.seats = seats
	return c
}

// fitSlopes returns for each phase a factor for the log odds of the searches' chances and, with more than two seats, a
// summand. It maximizes the likelihood of the results by Newton's method, one number at a time. The searches' chances
// are on the curve's scale. With few outcomes the factor stays near 1 and the summand near 0.
func fitSlopes(outcomes []Outcome, seats int) (slopes, leans [Phases]float64) {
	const prior, sweeps, mostStep, leastStep, least = 4.0, 100, 0.5, 1e-6, 0.05
	for i := range slopes {
		slopes[i] = 1
	}
	fair := -math.Log(float64(seats - 1))
	step := func(of *[Phases]float64, i int, start, least float64, by func(x float64) float64) float64 {
		up, bend := prior*(start-of[i]), prior
		for _, o := range outcomes {
			x, slope, lean, part := logOdds(o.Found), 0.0, 0.0, 0.0
			for _, at := range phasesAt(o.Phase) {
				slope += at.part * slopes[at.i]
				lean += at.part * leans[at.i]
				if at.i == i {
					part = at.part
				}
			}
			told := sigmoid(slope*x + lean + fair)
			up += part * by(x) * (o.Won - told)
			bend += part * part * by(x) * by(x) * told * (1 - told)
		}
		before := of[i]
		of[i] = max(before+min(max(up/bend, -mostStep), mostStep), least)
		return math.Abs(of[i] - before)
	}
	for range sweeps {
		moved := 0.0
		for i := range Phases {
			moved = max(moved, step(&slopes, i, 1, least, func(x float64) float64 { return x }))
			if seats > 2 {
				moved = max(moved, step(&leans, i, 0, math.Inf(-1), func(float64) float64 { return 1 }))
			}
		}
		if moved < leastStep {
			break
		}
	}
	return slopes, leans
}

// fitCurve fits a curve with the given number of phases. The curve rises by at least leastRise at each knot. Each
// outcome has its weight; nil weights mean weights of 1. The prior of each knot has the weight weighs. fitCurve
// minimizes the squared error by coordinate descent, which needs no matrix inverse and cannot diverge.
func fitCurve(outcomes []Outcome, weights []float64, phases int, prior *Curve, weighs float64) *Curve {
	n := phases * Knots
	a, b := make([]float64, n*n), make([]float64, n)
	rise := make([]float64, n)
	add := func(phase, found, won, weight float64) {
		var at [2 * Knots]share // the curve's value is the sum of these parts of the rises
		list := at[:0]
		ways := phasesAt(phase)
		if phases == 1 {
			ways = [2]share{{0, 1}}
		}
		for _, p := range ways {
			if p.part == 0 {
				continue
			}
			k := knotsAt(found)
			for i := range k[1].i + 1 {
				part := p.part
				if i == k[1].i {
					part *= k[1].part
				}
				list = append(list, share{p.i*Knots + i, part})
			}
		}
		for _, x := range list {
			b[x.i] += weight * x.part * won
			for _, y := range list {
				a[x.i*n+y.i] += weight * x.part * y.part
			}
		}
	}
	for i, o := range outcomes {
		weight := 1.0
		if weights != nil {
			weight = weights[i]
		}
		add(o.Phase, o.Found, o.Won, weight)
	}
	for phase := range phases {
		for i, x := range knots {
			add(float64(phase)/(Phases-1), sigmoid(x), prior.told[phase][i], weighs)
		}
	}
	for range fitSweeps {
		for i := range n {
			miss := b[i]
			for j, r := range rise {
				miss -= a[i*n+j] * r
			}
			rise[i] = max(leastRise, rise[i]+miss/a[i*n+i])
		}
	}
	c := new(Curve)
	for phase := range phases {
		told := 0.0
		for i := range Knots {
			told += rise[phase*Knots+i]
			c.told[phase][i] = min(told, 1-leastRise*float64(Knots-i))
		}
	}
	return c
}

// Encode returns the curve as text: the comments, which say how it was measured, then a line for each phase.
func (c *Curve) Encode(comments ...string) string {
	var b strings.Builder
	for _, s := range comments {
		fmt.Fprintf(&b, "# %s\n", s)
	}
	for _, line := range c.told {
		for i, p := range line {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%.4f", p)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ParseCurve parses the output of Encode. It panics on invalid text, because the text is part of the program.
func ParseCurve(text string) *Curve {
	c, i := new(Curve), 0
	for line := range strings.Lines(text) {
		if line[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		if i == Phases || len(fields) != Knots {
			panic(fmt.Sprintf("learned: a curve has %d lines of %d chances, not %q", Phases, Knots, line))
		}
		for k, field := range fields {
			p, err := strconv.ParseFloat(field, 64)
			if err != nil || k > 0 && p <= c.told[i][k-1] || p <= 0 || p >= 1 {
				panic(fmt.Sprintf("learned: chances between 0 and 1 must rise, not %q", line))
			}
			c.told[i][k] = p
		}
		i++
	}
	if i != Phases {
		panic(fmt.Sprintf("learned: a curve has %d lines, not %d", Phases, i))
	}
	return c
}

// ParseCurves parses a game's curves as ParseCurve does: one for two seats, and one for more. It returns the curves
// indexed by the number of seats, up to most.
func ParseCurves(two, many string, most int) []*Curve {
	list := make([]*Curve, most+1)
	list[2] = ParseCurve(two)
	for seats := 3; seats <= most; seats++ {
		list[seats] = ParseCurve(many)
		list[seats].seats = seats
	}
	return list
}
