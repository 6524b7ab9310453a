package loyalcaptain

import (
	"marque/games"
	"marque/games/learned"
)

// sim is a mutable position for computer players.
type sim struct {
	p      position
	model  *learned.Model
	summed layerSums
}

var _ games.Sim = (*sim)(nil)

func (s *sim) CopyFrom(other games.Sim) {
	o := other.(*sim)
	s.p = o.p
	if s.model == o.model {
		s.summed = o.summed
	}
}

func (s *sim) ToMove() games.Seat { return s.p.toMove() }

func (s *sim) AppendMoves(buf []games.Move) []games.Move { return s.p.appendMoves(buf) }

func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome { return buf }

func (s *sim) Play(m games.Move) {
	s.p.play(m)
	s.sum()
}

// maxMoves is the maximum number of legal moves, which is the number of offers under LC-9.
const maxMoves = 30

func (s *sim) PlayRandom(rng *games.Rand) games.Move {
	p := &s.p
	if p.phase != phaseTurn {
		var buf [maxMoves]games.Move
		moves := p.appendMoves(buf[:0])
		m := moves[rng.IntN(len(moves))]
		p.play(m)
		return m
	}
	// One of the moves of appendMoves is drawn without listing them.
	n := p.open.len()
	if p.mayPropose() && rng.IntN(n+1) == n {
		p.play(movePropose)
		return movePropose
	}
	w := p.open.nth(rng.IntN(n))
	p.turn(w)
	return games.Move(w)
}

func (s *sim) Payoff(seat games.Seat) float64 {
	loser, ok := s.p.loser()
	switch {
	case !ok:
		return 0.5
	case s.p.side(seat) == loser:
		return 0
	default:
		return 1
	}
}

// choice returns the number of turns that c could take if it were c's turn.
func (p *position) choice(c side) int {
	if c == p.mover {
		return p.open.len()
	}
	return p.turns(c).len()
}

// tokens returns the number of tokens that c has left, on deck and in reserve.
func (p *position) tokens(c side) int { return p.on[c].Len() + int(p.reserve[c]) }

var _ games.Tuner = (*sim)(nil)

// Tuning returns settings that were found by matches.
func (s *sim) Tuning() games.Tuning {
	return games.Tuning{Playout: 10, Exploration: 0.25, PriorWeight: 4, AlphaBeta: true}
}

// Calibration returns a phase that grows with the number of placed tokens, and twice as fast with that of captured
// tokens.
func (s *sim) Calibration() (phase float64, curve *learned.Curve) {
	placed := 2*tokens - int(s.p.reserve[red]) - int(s.p.reserve[blue])
	captured := 2*tokens - s.p.tokens(red) - s.p.tokens(blue)
	return float64(placed+2*captured) / (4 * tokens), chances
}

func (s *sim) Hash() uint64 {
	p := &s.p
	rest := uint64(p.reserve[red]) | uint64(p.reserve[blue])<<3 | uint64(p.phase)<<6 | uint64(p.mover)<<9 |
		uint64(p.red)<<10 | uint64(p.quiet)<<11 | uint64(p.left)<<16 | uint64(p.refuser)<<21
	return games.Mix(games.Mix(games.Mix(uint64(p.back[red]))^uint64(p.back[blue])) ^ rest)
}

// Urgency returns 0, because the captures of a turn are known only after it is played.
func (s *sim) Urgency(games.Move) int { return 0 }

// Material returns the side's number of tokens minus that of the other side.
func (s *sim) Material(seat games.Seat) int {
	us := s.p.side(seat)
	return s.p.tokens(us) - s.p.tokens(us.other())
}
