package piratevspirate

import (
	"marque/games"
	"marque/games/learned"
)

// sim is the mutable position for computer players.
type sim struct {
	position
	buf   []games.Move
	model *learned.Model // nil for the game's own model

	// Cached results of Evaluate, each with the pieces for which it is valid.
	looks  [maxSeats]looks
	around [maxSeats]around
	races  [maxSeats]race
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
	m := s.randomStep(r)
	if m != passMove && s.facing {
		m = turnedTo(m, edge(r.IntN(edges)))
	}
	return m
}

// tries is the maximum number of random steps that randomStep tries before it lists the legal steps. The limit is
// reached only in rare positions with few legal steps.
const tries = 24

// randomStep returns a step of a pirate at random, without its new back, or the pass. It draws from the steps on an
// empty board until one is legal, which is much less work than listing the legal steps. Each legal step is equally
// likely: an end of a path is counted once without a coin and once for each coin on the way, and a carrier's step is
// counted once with its coin and once with the coin left behind.
func (s *sim) randomStep(r *games.Rand) games.Move {
	table, steps := routes(), s.steps()
	mine, pirates := s.crew[s.turn], s.pirates()
	rivals, coins, carriers := pirates.less(mine), s.lying(), s.coins().and(mine)
	blocked := pirates.or(coins)

	var from [crewSize]triangle
	var upTo, draws [crewSize]int
	n, total := 0, 0
	for rest := mine; !rest.empty(); n++ {
		t := rest.take()
		of := table.of[t][steps]
		each := 2
		if !carriers.has(t) {
			each = 1 + table.passed[t][steps].and(coins).len()
		}
		total += int(of.end-of.first) * each
		from[n], upTo[n], draws[n] = t, total, each
	}
	if total == 0 {
		return passMove
	}
	for range tries {
		k, i := r.IntN(total), 0
		for k >= upTo[i] {
			i++
		}
		k = upTo[i] - 1 - k
		t := from[i]
		e, draw := &table.ends[int(table.of[t][steps].first)+k/draws[i]], k%draws[i]
		m := stepMove(t, e.to)
		switch {
		case mine.has(e.to): // PP-6
		case carriers.has(t):
			if !blocked.has(e.to) && table.open(e, blocked) { // PP-7, PP-8
				if draw == 1 {
					m |= leftBit
				}
				return m
			}
		case draw > 0:
			passed := table.passed[t][steps].and(coins)
			for range draw - 1 {
				passed.take()
			}
			coin := passed.take()
			if !blocked.has(e.to) && table.past(e, pirates, coins, bit(coin)) {
				return taking(m, coin)
			}
		case rivals.has(e.to):
			if s.attackable(table, e, blocked) {
				return m | attackBit
			}
		case table.open(e, blocked):
			if coins.has(e.to) {
				m = taking(m, e.to)
			}
			return m
		}
	}
	s.buf = s.appendSteps(s.buf[:0])
	if len(s.buf) == 0 {
		return passMove
	}
	return s.buf[r.IntN(len(s.buf))]
}

func (s *sim) Payoff(seat games.Seat) float64 {
	if games.Seat(s.winner) == seat {
		return 1
	}
	return 0
}

// apart has the number of steps between any two triangles on an empty board.
var apart = func() (a [triangles][triangles]uint8) {
	for t := range nowhere {
		a[t] = distances(set{}.with(t))
	}
	return a
}()

var _ games.Folder = (*sim)(nil)

// Fold returns the same code for all rolls with the same total, because only the total counts (PP-4, PP-5).
func (s *sim) Fold(m games.Move) games.Move {
	dice := diceOf(m)
	return rollMove(0, int(dice[0]+dice[1]))
}

var _ games.Urgency = (*sim)(nil)

// Urgency returns 1 for a step that attacks, takes a coin or carries one, and 0 for any other step. For moves that are
// not steps it returns 1.
func (s *sim) Urgency(m games.Move) int {
	if kindOf(m) != stepKind || m&attackBit != 0 || coinOf(m) != nowhere || m&leftBit == 0 && s.coins().has(fromOf(m)) {
		return 1
	}
	return 0
}

var _ games.Tuner = (*sim)(nil)

// Calibration returns as the phase the fraction of coins at home plus the fraction of lost pirates, at most 1.
func (s *sim) Calibration() (phase float64, curve *learned.Curve) {
	done, lost := 0, int(s.seats)*crewSize-s.pirates().len()
	for seat := range s.seats {
		done += int(s.delivered[seat])
	}
	if s.gold == nowhere {
		done++
	}
	coins := 1 + len(layouts[s.seats].silver)
	phase = min(1, float64(done)/float64(coins)+float64(lost)/float64(int(s.seats)*crewSize))
	return phase, chances[s.seats]
}

// Tuning returns settings that were found by matches. There are no playouts, because random play is long and aimless,
// and the model evaluates the way home.
func (s *sim) Tuning() games.Tuning {
	return games.Tuning{Playout: 0, Exploration: 0.1, PriorWeight: 4, FirstTry: 20}
}
