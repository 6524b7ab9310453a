// Package ledger computes how much dice and cards changed the players' chances of winning.
//
// At a draw of chance, the value of an outcome for a player is the game's evaluation of the position after the outcome
// and the best move that the player to move can see one play ahead. Luck is the value of the actual outcome minus the
// mean value of all possible outcomes, weighted by their probabilities. So the mean luck of a draw is 0, whatever the
// quality of the evaluation, and over many games nobody has luck. A result minus its luck has the same mean as the
// result, and varies less. Luck is a control variate, as in programs for backgammon and poker (Zinkevich, Bowling,
// Bard, Kan and Billings 2006: "Optimal Unbiased Estimators for Evaluating Agent Performance").
//
// In a game with hidden hands, a Ledger has two lists. Seats values outcomes with the knowledge of all cards. Then
// values them by each seat's knowledge at the time, its View, so that another player's unseen card changes nothing.
package ledger

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"marque/games"
)

// Meter measures the luck of draws in games of one setup. It reuses its buffers, so it is not safe for concurrent use.
type Meter struct {
	seats    int
	sim      [2]games.Sim // scratch positions, the first after an outcome, the second after a move
	outcomes []games.Outcome
	moves    []games.Move
	worth    []float64
	alike    bool // all outcomes that Of compared last had the same value for the first seat
}

// NewMeter returns a Meter for games of the setup.
func NewMeter(g games.Game, setup games.Setup) *Meter {
	start := g.New(setup)
	return &Meter{
		seats: setup.Seats, sim: [2]games.Sim{start.Sim(), start.Sim()}, worth: make([]float64, setup.Seats),
	}
}

// Of returns by how much an outcome raises or lowers each seat's chance of winning, compared with the mean of all
// outcomes, from -1 to 1. Chance must be due in the position. The changes of all seats sum to 0. The state must be a
// full one, and the outcome one of its outcomes.
func (m *Meter) Of(before games.State, outcome games.Move) []float64 {
	start := before.Sim()
	m.outcomes = start.AppendOutcomes(m.outcomes[:0])
	fell, mean, total := make([]float64, m.seats), make([]float64, m.seats), 0.0
	m.alike = true
	if len(m.outcomes) < 2 {
		return fell
	}
	var first float64
	for _, o := range m.outcomes {
		m.board(start).Play(o.Move)
		m.value()
		if total == 0 {
			first = m.worth[0]
		}
		m.alike = m.alike && m.worth[0] == first
		total += float64(o.Weight)
		for s, w := range m.worth {
			mean[s] += float64(o.Weight) * w
			if o.Move == outcome {
				fell[s] = w
			}
		}
	}
	for s := range fell {
		fell[s] -= mean[s] / total
	}
	return fell
}

// The numbers of decisions that Further looks ahead, of playouts per outcome, and of outcomes with which the actual one
// is compared.
const (
	furtherDecisions = 4
	furtherPlayouts  = 8
	furtherOutcomes  = 8
)

// Further returns the result of Of as now, and as further the same changes by a longer look ahead. In that look,
// the value of an outcome is the mean over playouts in which all players play the best move one play ahead. The
// outcome is compared with outcomes drawn from seed, so that the mean over draws is 0, though single draws can
// deviate. Subtracting further from a game's result makes the result less noisy. further is 0 if Of gives all
// outcomes the same value for the first seat. Players are not shown further.
func (m *Meter) Further(before games.State, outcome games.Move, seed uint64) (now, further []float64) {
	now, further = m.Of(before, outcome), make([]float64, m.seats)
	if m.alike { // if all outcomes have the same value for the first seat, a longer look is skipped
		return now, further
	}
	start, lot := before.Sim(), games.NewRand(seed)
	look := func(o games.Move, part float64) {
		for n := range uint64(furtherPlayouts) {
			rng := games.NewRand(games.Mix(seed + n)) // the same random numbers for each outcome
			s := m.board(start)
			s.Play(o)
			for decided := 0; decided < furtherDecisions && s.ToMove() != games.Nobody; {
				if s.ToMove() == games.Chance {
					s.PlayRandom(rng)
					continue
				}
				m.moves = s.AppendMoves(m.moves[:0])
				s.Play(games.BestAhead(s, m.sim[1], m.moves))
				decided++
			}
			m.stands(s)
			for seat, w := range m.worth {
				further[seat] += part / furtherPlayouts * w
			}
		}
	}
	look(outcome, 1)
	for range furtherOutcomes {
		look(lot.Outcome(m.outcomes), -1.0/furtherOutcomes)
	}
	return now, further
}

// samples is the number of random deals of the cards that a seat does not know.
const samples = 16

// Then returns how much an outcome changed a seat's chance of winning, as far as the seat knew at the time. The value
// of an outcome is the value of the seat's view after the outcome. The probabilities of outcomes are the true ones.
// An outcome that the seat did not see changes nothing.
func (m *Meter) Then(before games.State, outcome games.Move, seat games.Seat) float64 {
	outcomes := before.Outcomes()
	seen := games.MaskMove(before, outcome, seat)
	others := func(o games.Outcome) bool { return games.MaskMove(before, o.Move, seat) != seen }
	if !slices.ContainsFunc(outcomes, others) {
		return 0
	}
	fell, mean, total := 0.0, 0.0, 0.0
	for _, o := range outcomes {
		worth := m.known(games.Look(before.Apply(o.Move), seat))
		if o.Move == outcome {
			fell = worth
		}
		mean += float64(o.Weight) * worth
		total += float64(o.Weight)
	}
	return fell - mean/total
}

// known returns the value of a view for its viewer: the mean over random deals of the cards that the viewer does not
// know. The seed is always the same, so that similar views get similar deals and their values can be compared.
func (m *Meter) known(v games.View) (worth float64) {
	rng := rand.New(games.NewRand(1))
	for range samples {
		m.board(games.Sample(v.State, v.Viewer, rng).Sim())
		m.value()
		worth += m.worth[v.Viewer] / samples
	}
	return worth
}

// board copies a position into sim[0], which value evaluates.
func (m *Meter) board(s games.Sim) games.Sim {
	m.sim[0].CopyFrom(s)
	return m.sim[0]
}

// value sets m.worth to the value for each seat of the position in sim[0] after the best move one play ahead.
func (m *Meter) value() {
	s := m.sim[0]
	if s.ToMove() >= 0 {
		m.moves = s.AppendMoves(m.moves[:0])
		s.Play(games.BestAhead(s, m.sim[1], m.moves))
	}
	m.stands(s)
}

// stands sets m.worth to the value of a position for each seat, scaled to the sum 1.
func (m *Meter) stands(s games.Sim) {
	total := 0.0
	for seat := range m.worth {
		m.worth[seat] = games.Worth(s, games.Seat(seat))
		total += m.worth[seat]
	}
	for seat := range m.worth {
		if total > 0 {
			m.worth[seat] /= total
		} else {
			m.worth[seat] = 1 / float64(m.seats)
		}
	}
}

// Ledger holds the luck of a whole game. Its JSON is stored.
type Ledger struct {
	Seats []float64 `json:"s"` // total change of each seat's chance of winning by all draws
	// Then is like Seats, but judges each draw by what the seat knew at that time. It is nil in games that hide
	// nothing.
	Then  []float64 `json:"t,omitempty"`
	Draws int       `json:"n"` // number of draws that changed a chance
	// The draw with the largest change for a single seat: the index of the play, from 0, the seat, and the change.
	Greatest int        `json:"g"`
	For      games.Seat `json:"f"`
	Change   float64    `json:"c"`
	// Best holds for each seat the draw with the most helpful change, or a zero Draw if none helped.
	Best []Draw `json:"b,omitempty"`
}

// Draw is the change of a seat's chance of winning by a draw.
type Draw struct {
	Play   int     `json:"i"` // index of the play, from 0
	Change float64 `json:"c"`
}

// Of returns the ledger of a match, or ctx's error if ctx ends early.
func Of(ctx context.Context, m *games.Match) (*Ledger, error) {
	setup := m.Header().Setup
	seats, meter := setup.Seats, NewMeter(m.Game(), setup)
	l := &Ledger{Seats: make([]float64, seats), Best: make([]Draw, seats)}
	if m.Game().Traits().Hidden {
		l.Then = make([]float64, seats)
	}
	for i, e := range m.Log() {
		if e.Seat != games.Chance {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before := m.At(i)
		outcome, err := games.FindOutcome(before, e.Text)
		if err != nil {
			return nil, err
		}
		draws := 0
		for s, c := range meter.Of(before, outcome) {
			l.Seats[s] += c
			if c != 0 {
				draws = 1
			}
			if math.Abs(c) > math.Abs(l.Change) {
				l.Greatest, l.For, l.Change = i, games.Seat(s), c
			}
			if c > l.Best[s].Change {
				l.Best[s] = Draw{i, c}
			}
		}
		l.Draws += draws
		for s := range l.Then {
			l.Then[s] += meter.Then(before, outcome, games.Seat(s))
		}
	}
	return l, nil
}
