package learned

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Calibrated is a Sim of a game with a measured curve, which maps the chances that a search finds to the frequency of
// wins.
type Calibrated interface {
	// Calibration returns an estimate of the game's phase, from 0 at the beginning to at most 1, and the curve that
	// corrects chances. The curve is nil for a setup that has not been measured.
	Calibration() (phase float64, curve *Curve)
}

// Phases is the number of phases of a game that a curve distinguishes.
const Phases = 5

// knots are the points at which a curve has values: log odds, as a search finds them.
var knots = [...]float64{-6, -4, -3, -2, -1.5, -1, -0.5, -0.25, -0.1, 0, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6}

// Knots is the number of chances for which a curve has a value in each phase.
const Knots = len(knots)

// Curve maps a search's chance to the frequency of wins. It has a value for each phase of a game and each knot,
// increasing from knot to knot. Between knots, and between phases, the values are interpolated linearly. With more than
// two seats, all chances of the curve are scaled so that an equal share becomes a half: with three seats, odds of 1 to
// 2 are even. The curve corrects each seat separately, so the sum of all seats' corrected chances is only approximately
// 1.
type Curve struct {
	told  [Phases][Knots]float64
	seats int // number of seats; 0 means 2
}

// surest is the minimum distance of an uncertain chance from 0 and 1.
const surest = 1e-6

// At returns the frequency of wins for a search's chance. A certain result stays certain, and no other chance becomes
// certain. At never reverses the order of two chances.
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

// toEven scales a chance among the given number of seats so that an equal share becomes a half.
func toEven(p float64, seats int) float64 {
	others := float64(seats - 1)
	return p * others / (p*others + 1 - p)
}

// fromEven inverts toEven. It also returns the derivative of the inverse.
func fromEven(even float64, seats int) (p, rise float64) {
	others := float64(seats - 1)
	whole := even + others*(1-even)
	return even / whole, others / (whole * whole)
}

// at returns the corrected chance. Both chances are on the curve's scale (toEven).
func (c *Curve) at(phase, found float64) float64 {
	told := 0.0
	for _, at := range phasesAt(phase) {
		for _, k := range knotsAt(found) {
			told += at.part * k.part * c.told[at.i][k.i]
		}
		first, last := sigmoid(knots[0]), sigmoid(knots[Knots-1])
		if found < first { // beyond the outer knots, the values are interpolated to 0 and 1
			told -= at.part * c.told[at.i][0] * (1 - found/first)
		} else if found > last {
			told += at.part * (1 - c.told[at.i][Knots-1]) * (found - last) / (1 - last)
		}
	}
	return min(max(told, surest), 1-surest)
}

// share is the weight of a neighbour in an interpolation.
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

// Outcome is a search's chance with the result of the game. Phase is the game's phase at the search, from 0 to 1.
type Outcome struct{ Phase, Found, Won float64 }

const (
	leastRise   = 0.001 // minimum increase between neighbouring knots
	priorWeight = 10    // weight of each knot's prior, in outcomes
	slopeWeight = 100   // weight of each knot's prior, in outcomes, if the prior is a slope
	fitSweeps   = 5000
)

// FitCurve returns the curve with the least squared error over the outcomes. It first fits one curve for all phases,
// with the searches' chances as the prior. This curve is the prior of each phase, so that a phase with few outcomes
// stays near the other phases.
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

// FitBySlopes is an alternative to FitCurve for games whose phases differ greatly, for too few games to fit each knot
// of each phase, and for more than two seats. It first fits one slope of the log odds for each phase. Then it fits the
// knots, which stay near the slope where outcomes are few.
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
	// Results are not on the curve's scale. Each step converts them with the derivative of fromEven at the current
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

// fitSlopes returns, for each phase, a factor for the log odds of the searches' chances and, with more than two seats,
// a summand. It maximizes the likelihood of the results by Newton's method, one number at a time. The searches' chances
// are on the curve's scale. With few outcomes, the factor stays near 1 and the summand near 0.
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

// fitCurve fits a curve with the given number of phases. The curve increases by at least leastRise at each knot.
// weights holds the weight of each outcome; nil means a weight of 1. weighs is the weight of each knot's prior.
// fitCurve minimizes the squared error by coordinate descent, which needs no matrix inverse and cannot diverge.
func fitCurve(outcomes []Outcome, weights []float64, phases int, prior *Curve, weighs float64) *Curve {
	n := phases * Knots
	a, b := make([]float64, n*n), make([]float64, n)
	rise := make([]float64, n)
	add := func(phase, found, won, weight float64) {
		var at [2 * Knots]share // the curve's value is the sum of the increases, each times its share
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

// Encode returns the curve as text: the comments, which describe the measurement, and a line for each phase.
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

// ParseCurves parses a game's curves with ParseCurve: two is the curve for two seats, and many for more. It returns the
// curves indexed by the number of seats, up to most.
func ParseCurves(two, many string, most int) []*Curve {
	list := make([]*Curve, most+1)
	list[2] = ParseCurve(two)
	for seats := 3; seats <= most; seats++ {
		list[seats] = ParseCurve(many)
		list[seats].seats = seats
	}
	return list
}
