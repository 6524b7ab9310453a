package pirates

import "marque/games"

// sim is the mutable form for computer players.
type sim struct {
	position
	buf []games.Move
}

var _ games.Sim = (*sim)(nil)

func (s *sim) CopyFrom(other games.Sim) { s.position = other.(*sim).position }

func (s *sim) ToMove() games.Seat { return s.toMove() }

func (s *sim) AppendMoves(buf []games.Move) []games.Move { return s.appendMoves(buf) }

func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome {
	if s.toMove() != games.Chance {
		return buf
	}
	return append(buf, rollOutcomes[:]...)
}

func (s *sim) Play(m games.Move) { s.play(m) }

func (s *sim) PlayRandom(r *games.Rand) games.Move {
	m := s.random(r)
	s.play(m)
	return m
}

func (s *sim) random(r *games.Rand) games.Move {
	if s.toMove() == games.Chance {
		return rollOutcomes[r.IntN(len(rollOutcomes))].Move
	}
	if s.phase != moving {
		s.buf = s.appendMoves(s.buf[:0])
		return s.buf[r.IntN(len(s.buf))]
	}
	s.buf = s.appendSteps(s.buf[:0])
	switch n := len(s.buf); {
	case n == 0:
		return passMove
	case s.facing:
		i := r.IntN(n * edges)
		return turnedTo(s.buf[i/edges], edge(i%edges))
	default:
		return s.buf[r.IntN(n)]
	}
}

func (s *sim) Payoff(seat games.Seat) float64 {
	if games.Seat(s.winner) == seat {
		return 1
	}
	return 0
}

func (s *sim) Evaluate(seat games.Seat) float64 {
	var sum, mine float64
	for i := range s.seats {
		v := s.strength(i)
		v *= v
		sum += v
		if games.Seat(i) == seat {
			mine = v
		}
	}
	return mine / sum
}

// strength weighs what a seat has: pirates, silver at home, coins on their way there, and coins
// that its pirates are near to.
func (p *position) strength(seat uint8) float64 {
	crew := p.crew[seat]
	if crew.empty() {
		return 0
	}
	h, lying, carriers := p.home(seat), p.lying(), p.coins().and(crew)
	// The second silver coin wins, the first is half the way.
	silver, gold := float64(1+p.delivered[seat]), 3.0
	v := 1 + float64(crew.len()) + 4*float64(p.delivered[seat])
	for rest := carriers; !rest.empty(); {
		t := rest.take()
		if t == p.gold {
			v += gold * near(h.toGold[t]) * p.safety(seat, t)
		} else {
			v += silver * near(h.toSilver[t]) * p.safety(seat, t)
		}
	}
	// Only the nearest way home of a coin counts, and less than carrying any, so that who could
	// take one does.
	free, fetched := crew.less(carriers), 0.0
	for rest := lying; !rest.empty(); {
		t := rest.take()
		steps := nearest(free, t)
		if t == p.gold {
			steps += h.toGold[t]
		} else {
			steps += h.toSilver[t]
		}
		fetched = max(fetched, near(steps))
	}
	v += fetch * silver * fetched
	return v
}

// fetch is the part of a silver coin's weight that counts for who could fetch a coin.
const fetch = 0.4

// reached is the chance that a pirate so many steps away can attack with one roll: every second
// total from there on (PP-6).
var reached = [longest + 1]float64{0, 8. / 16, 8. / 16, 8. / 16, 7. / 16, 6. / 16, 4. / 16, 2. / 16, 1. / 16}

// safety is what remains of a carried coin's weight in view of the rivals that may attack its
// carrier.
func (p *position) safety(seat uint8, t triangle) float64 {
	steps := nearest(p.pirates().less(p.crew[seat]).less(p.coins()), t)
	if int(steps) > longest {
		return 1
	}
	return 1 - 0.6*reached[steps]
}

// nearest is how far the nearest pirate of a set is from t on an empty board; farther than any when
// there is none.
func nearest(set set, t triangle) uint8 {
	best := uint8(2 * side)
	for !set.empty() {
		best = min(best, apart[t][set.take()])
	}
	return best
}

// apart are the steps between any two triangles on an empty board.
var apart = func() (a [triangles][triangles]uint8) {
	for t := range nowhere {
		a[t] = distances(set{}.with(t))
	}
	return a
}()

// near weighs a coin that is carried steps away from where it belongs: 3 when it is as good as
// there.
func near(steps uint8) float64 { return 12 / (4 + float64(steps)) }

var _ games.Folder = (*sim)(nil)

// Fold is as in games.Folder: only the total of a roll counts (PP-4, PP-5).
func (s *sim) Fold(m games.Move) games.Move {
	dice := diceOf(m)
	return rollMove(0, int(dice[0]+dice[1]))
}

var _ games.Tuner = (*sim)(nil)

// Tuning is as in games.Tuner, found by matches: random play is long and aimless, Evaluate knows
// the way home.
func (s *sim) Tuning() games.Tuning {
	return games.Tuning{Playout: 0, Exploration: 0.1, PriorWeight: 4}
}
