package quedah

import (
	"marque/games"
	"marque/games/deck"
	"marque/games/learned"
)

// sim is a mutable position for playouts.
type sim struct {
	position

	// Buffers of count.
	ends  [maxTokens]deck.StanceSet
	moves [maxTokens]int
	buf   []games.Move
}

var _ games.Sim = (*sim)(nil)

func (s *sim) CopyFrom(other games.Sim) { s.position = other.(*sim).position }

func (s *sim) ToMove() games.Seat { return s.toMove() }

// AppendMoves appends the legal moves in the order of State.Moves.
func (s *sim) AppendMoves(buf []games.Move) []games.Move { return s.appendMoves(buf) }

func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome { return s.appendOutcomes(buf) }

func (s *sim) Play(m games.Move) { s.play(m) }

func (s *sim) PlayRandom(rng *games.Rand) games.Move {
	if s.roll == 0 && !s.setup() {
		face := 1 + rng.IntN(faces)
		s.rolled(uint8(face))
		return rollMove(face)
	}
	m := s.random(rng)
	s.play(m)
	return m
}

// random returns a legal move at random. Moves that free a token are listed. The others are only counted, by their
// final stances, multiplied by the available hatches if the token brings a new one.
func (s *sim) random(rng *games.Rand) games.Move {
	if s.setup() {
		s.buf = s.appendMoves(s.buf[:0])
		return s.buf[rng.IntN(len(s.buf))]
	}
	total := s.count()
	n := total + len(s.buf)
	if n == 0 {
		return passMove
	}
	r := rng.IntN(n)
	if r >= total {
		return s.buf[r-total]
	}
	i := 0
	own := s.tokens[s.turn]
	for r >= s.moves[i%maxTokens] {
		r -= s.moves[i%maxTokens]
		own = own.Rest()
		i++
	}
	return s.nth(own.First(), s.ends[i%maxTokens], r)
}

// maxTokens is tokensEach rounded up to a power of two, so that an index modulo maxTokens needs no bounds check.
const maxTokens = 8

// count finds the moves of each token of the player to move, lowest stance first. For moves that free no token, it
// stores the final stances in s.ends and their number in s.moves, counting each hatch of a new token separately (QM-3).
// It lists the moves that free a token (QM-6) in s.buf, and returns the sum of s.moves.
//
// The code is written so that it compiles to few branches. Which tokens hold or capture is nearly random, and a
// mispredicted branch costs more than counting the moves of a token.
func (s *sim) count() (total int) {
	own, enemy, holding := s.tokens[s.turn], s.tokens[1-s.turn], s.holding
	empty := deck.AllStances &^ s.occupied() // Three steps never lead back to the starting space (DK-2).
	own.Walks(int(s.roll), empty, s.ends[:]) // QM-2
	// Hatches have the lowest stances, so the tokens that bring a new one come first.
	bringers := 0
	if s.reserve[s.turn] > 0 {
		bringers = (own & deck.HatchStances).Len()
	}
	var freers deck.StanceSet // tokens that can free a token
	for i := 0; i < maxTokens && own != 0; i++ {
		from := own.Lowest()
		own = own.Rest()
		prey := enemy // QM-4
		if from&holding != 0 {
			prey = 0 // QM-5
		}
		ends := s.ends[i] & (empty | prey)
		if ends&holding == 0 {
			from = 0
		}
		freers |= from
		ends &^= holding
		moves := ends.Len()
		if i < bringers {
			// QM-3: the new token goes to the hatch that the token leaves or to another empty hatch, but not to the one
			// on which the token ends.
			taken := empty & deck.HatchStances
			moves += moves*taken.HatchCount() - (ends & taken).Len()
		}
		s.ends[i], s.moves[i] = ends, moves
		total += moves
	}
	s.buf = s.buf[:0]
	for freers != 0 {
		t := s.pickUp(freers.Take())
		for freeing := t.captures & s.holding; freeing != 0; {
			s.buf = t.appendCapture(s.buf, freeing.Take())
		}
	}
	return total
}

// nth returns the n-th move of the token at from that frees no token, in a fixed order.
func (s *sim) nth(from deck.Stance, ends deck.StanceSet, n int) games.Move {
	if !s.brings(from) {
		return games.Move(stepMove(from.Space(), ends.Nth(n)))
	}
	empty := deck.AllStances&^s.occupied() | from.Set().Spread()
	hatches := empty.Hatches()
	onHatch, each := ends&empty&deck.HatchStances, uint(hatches.Len()-1)
	k := uint(n)
	if here := uint(onHatch.Len()) * each; k >= here {
		k -= here
		ends, each = ends&^onHatch, each+1
	} else {
		ends = onHatch
	}
	to := ends.Nth(int(k / each))
	return stepMove(from.Space(), to).withHatch(hatches.Without(to.Space()).Nth(int(k % each)))
}

// Payoff returns 1 for the winner of an ended game, and 0.5 for each player in a draw (QM-8).
func (s *sim) Payoff(seat games.Seat) float64 {
	if s.ended == tooQuiet {
		return 0.5
	}
	if s.winner() == int(seat) {
		return 1
	}
	return 0
}

var _ games.Tuner = (*sim)(nil)

// Tuning returns settings that were found by matches.
func (s *sim) Tuning() games.Tuning {
	return games.Tuning{Playout: 0, Exploration: 0.15, PriorWeight: 4}
}

// Calibration returns a phase that grows with the number of placed tokens, and with the captives of the seat that has
// more of them.
func (s *sim) Calibration() (phase float64, curve *learned.Curve) {
	placed := 2*tokensEach - int(s.reserve[0]) - int(s.reserve[1])
	captives := max(s.captivesOf(0), s.captivesOf(1))
	phase = (float64(placed)/(2*tokensEach) + float64(captives)/tokensEach) / 2
	return phase, chances
}
