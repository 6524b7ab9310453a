package computer

import (
	"math"

	"marque/games"
)

// luck is the value of the cards dealt for an iteration, for each seat before its first choice. Most of the
// difference between iterations is luck, so moves can be compared with fewer iterations if luck is subtracted.
// Subtracting it does not favour any move, because luck does not depend on the seat's choices: it is a control
// variate (Veness, Lanctot and Bowling 2011).
type luck struct {
	worth [maxSeats]float64 // value of the cards for each known seat; 0 if luck is not subtracted
	known uint              // bit s is set if worth[s] is known
	total float64           // sum of the viewer's worth over all iterations
	// sums of the iterations' values for the viewer without luck, and of their squares
	gains, square float64
}

const (
	// firstDeviation is an approximate standard deviation of the iterations' values without luck. It is used until
	// there are enough values.
	firstDeviation = 0.1
	leastDeviation = 0.01
	// deviationInterval is the number of iterations after which the deviation is recalculated.
	deviationInterval = 32
)

// assess computes the worth of the cards for a seat that decides in this iteration.
func (t *tree) assess(seat games.Seat) {
	d := &t.dealt
	if d.known>>uint(seat)&1 != 0 {
		return
	}
	d.known |= 1 << uint(seat)
	d.worth[seat] = t.sim.Evaluate(seat)
}

// note adds an iteration's value for the viewer to the sums.
func (t *tree) note(worth float64) {
	d := &t.dealt
	own := d.worth[t.viewer]
	gain := worth - own
	d.total += own
	d.gains += gain
	d.square += gain * gain
	if n := float64(t.iterations + 1); (t.iterations+1)%deviationInterval == 0 {
		mean := d.gains / n
		t.explore = t.tuning.Exploration * max(leastDeviation, math.Sqrt(max(0, d.square/n-mean*mean)))
	}
}

// worth returns the value of a node for the viewer, who made the node's move: its mean without luck, plus the mean luck
// of all iterations.
func (t *tree) worth(n *node) float64 {
	return min(max(n.value(t.tuning.PriorWeight)+t.dealt.total/float64(t.iterations), 0), 1)
}
