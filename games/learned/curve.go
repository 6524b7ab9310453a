package learned

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Calibrated is a Sim of a game in which it has been measured how often the chances that searches find come true.
type Calibrated interface {
	// Calibration says how far the game has come by what is on the table, from 0 at the beginning to 1 at most, and
	// gives the curve by which chances are set right: nil for a setup that has not been measured.
	Calibration() (phase float64, curve *Curve)
}

// Phases is how many parts of a game a curve tells apart: the first is its beginning, the last its end.
const Phases = 5

// knots are logarithms of odds that a search finds. At each of them a curve says how often they come true.
var knots = [...]float64{-6, -4, -3, -2, -1.5, -1, -0.5, -0.25, -0.1, 0, 0.1, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6}

// Knots is their number.
const Knots = len(knots)

// Curve says how often what searches find of a chance comes true: in each phase of a game at each knot,
// rising from knot to knot. Lines lead from one to the next, and from phase to phase.
type Curve [Phases][Knots]float64

// surest is how near to 0 or 1 a chance may be told that is not certain.
const surest = 1e-6

// At is how often a chance that was found comes true. What is certain stays certain, and nothing else becomes certain.
// Of two chances the larger stays the larger.
func (c *Curve) At(phase, found float64) float64 {
	if found <= 0 || found >= 1 {
		return found
	}
	told := 0.0
	for _, at := range phasesAt(phase) {
		for _, k := range knotsAt(found) {
			told += at.part * k.part * c[at.i][k.i]
		}
		first, last := sigmoid(knots[0]), sigmoid(knots[Knots-1])
		if found < first { // on to 0 and 1
			told -= at.part * c[at.i][0] * (1 - found/first)
		} else if found > last {
			told += at.part * (1 - c[at.i][Knots-1]) * (found - last) / (1 - last)
		}
	}
	return min(max(told, surest), 1-surest)
}

// share is how much one of two neighbours counts.
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

// logOdds is the logarithm of a chance's odds, as far as there are knots.
func logOdds(p float64) float64 { return min(max(math.Log(p/(1-p)), knots[0]), knots[Knots-1]) }

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Outcome is a chance that was found in a phase of a game, and what was won.
type Outcome struct{ Phase, Found, Won float64 }

const (
	leastRise   = 0.001 // of a curve from knot to knot
	priorWeight = 10    // how many outcomes each knot's prior counts as
	slopeWeight = 100   // the same where the prior is a slope
	fitSweeps   = 5000
)

// FitCurve finds the curve with the least squares over outcomes. First it fits one curve for all phases, starting
// from what searches find, then one for each phase, starting from the first: a phase of which little is known looks
// like the others.
func FitCurve(outcomes []Outcome) *Curve {
	var found [Knots]float64
	for i, x := range knots {
		found[i] = sigmoid(x)
	}
	whole := fitCurve(outcomes, 1, &Curve{found}, priorWeight)
	for i := range whole {
		whole[i] = whole[0]
	}
	return fitCurve(outcomes, Phases, whole, priorWeight)
}

// FitBySlopes finds such a curve where phases differ much, or games are too few to show each knot of each phase. First
// it fits one slope of the logarithms of odds for each phase, and then the knots, which stay near their slope where
// little is known of them.
func FitBySlopes(outcomes []Outcome) *Curve {
	prior := new(Curve)
	for phase, slope := range fitSlopes(outcomes) {
		for i, x := range knots {
			prior[phase][i] = sigmoid(slope * x)
		}
	}
	return fitCurve(outcomes, Phases, prior, slopeWeight)
}

// fitSlopes finds by how much the logarithms of the odds that searches find are to be multiplied in each phase, by the
// likelihood of what was won. It takes steps of Newton's method, for one phase after the other. The slope of a phase
// stays near 1 if hardly any outcome shows it.
func fitSlopes(outcomes []Outcome) (slopes [Phases]float64) {
	const prior, sweeps, mostStep, leastStep, least = 4.0, 100, 0.5, 1e-6, 0.05
	for i := range slopes {
		slopes[i] = 1
	}
	for range sweeps {
		moved := 0.0
		for i := range slopes {
			up, bend := prior*(1-slopes[i]), prior
			for _, o := range outcomes {
				x, slope, part := logOdds(o.Found), 0.0, 0.0
				for _, at := range phasesAt(o.Phase) {
					slope += at.part * slopes[at.i]
					if at.i == i {
						part = at.part
					}
				}
				told := sigmoid(slope * x)
				up += part * x * (o.Won - told)
				bend += part * part * x * x * told * (1 - told)
			}
			before := slopes[i]
			slopes[i] = max(before+min(max(up/bend, -mostStep), mostStep), least)
			moved = max(moved, math.Abs(slopes[i]-before))
		}
		if moved < leastStep {
			break
		}
	}
	return slopes
}

// fitCurve finds how much a curve of so many phases rises at each knot, at least leastRise, if each knot's prior counts
// as much as so many outcomes. It minimises the squares by coordinate descent, which needs no inverse and cannot
// diverge.
func fitCurve(outcomes []Outcome, phases int, prior *Curve, weighs float64) *Curve {
	n := phases * Knots
	a, b := make([]float64, n*n), make([]float64, n)
	rise := make([]float64, n)
	add := func(phase, found, won, weight float64) {
		var at [2 * Knots]share // each rise up to a knot counts as much as all knots from it on
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
	for _, o := range outcomes {
		add(o.Phase, o.Found, o.Won, 1)
	}
	for phase := range phases {
		for i, x := range knots {
			add(float64(phase)/(Phases-1), sigmoid(x), prior[phase][i], weighs)
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
			c[phase][i] = min(told, 1-leastRise*float64(Knots-i))
		}
	}
	return c
}

// Encode writes the curve as text, a line for each phase, under comments that say where it comes from.
func (c *Curve) Encode(comments ...string) string {
	var b strings.Builder
	for _, s := range comments {
		fmt.Fprintf(&b, "# %s\n", s)
	}
	for _, line := range c {
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

// ParseCurve reads what Encode wrote, which is part of the program: it panics when it is anything else.
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
			if err != nil || k > 0 && p <= c[i][k-1] || p <= 0 || p >= 1 {
				panic(fmt.Sprintf("learned: chances between 0 and 1 must rise, not %q", line))
			}
			c[i][k] = p
		}
		i++
	}
	if i != Phases {
		panic(fmt.Sprintf("learned: a curve has %d lines, not %d", Phases, i))
	}
	return c
}
