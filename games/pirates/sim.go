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

func (s *sim) Lead(seat games.Seat) float64 {
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

// strength weighs what a seat has: pirates, silver at home, coins on their way there.
func (p *position) strength(seat uint8) float64 {
	crew := p.crew[seat]
	if crew.empty() {
		return 0
	}
	h := p.home(seat)
	v := 1 + float64(crew.len()) + 4*float64(p.delivered[seat])
	for rest := p.silver.and(crew); !rest.empty(); {
		// The second silver coin wins, the first is half the way.
		v += float64(1+p.delivered[seat]) * near(h.toSilver[rest.take()])
	}
	if p.gold != nowhere && crew.has(p.gold) {
		v += 3 * near(h.toGold[p.gold])
	}
	return v
}

// near weighs a coin that is carried steps away from where it belongs: 3 when it is as good as there.
func near(steps uint8) float64 { return 12 / (4 + float64(steps)) }

var _ games.Folder = (*sim)(nil)

// Fold is as in games.Folder: only the total of a roll counts (PP-4, PP-5).
func (s *sim) Fold(m games.Move) games.Move {
	dice := diceOf(m)
	return rollMove(0, int(dice[0]+dice[1]))
}

var _ games.Tuner = (*sim)(nil)

// Tuning is as in games.Tuner, found by matches: random play is long and aimless, Lead knows the way home.
func (s *sim) Tuning() games.Tuning { return games.Tuning{Playout: 6, Explore: 0.4, Trust: 4} }
