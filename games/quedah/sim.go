package quedah

import (
	"marque/games"
	"marque/games/deck"
)

// sim is a position that changes in place, for playouts.
type sim struct {
	position
	buf   []games.Move
	plain [tokensEach]plainMoves // of the player to move, while a random move is drawn
}

var _ games.Sim = (*sim)(nil)

// CopyFrom makes s the position of other.
func (s *sim) CopyFrom(other games.Sim) { s.position = other.(*sim).position }

// ToMove is as in State.
func (s *sim) ToMove() games.Seat { return s.toMove() }

// AppendMoves appends the legal moves in State's order.
func (s *sim) AppendMoves(buf []games.Move) []games.Move { return s.appendMoves(buf) }

// AppendOutcomes appends the faces of the die.
func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome { return s.appendOutcomes(buf) }

// Play plays a move or an outcome.
func (s *sim) Play(m games.Move) { s.play(m) }

// PlayRandom plays one of the legal moves, or rolls the die.
func (s *sim) PlayRandom(rng *games.Rand) games.Move {
	m := s.random(rng)
	s.play(m)
	return m
}

// random draws a legal move without listing the steps to empty spaces: for those it is enough to
// count stances and, for a token that brings a new one, the hatches left to it.
func (s *sim) random(rng *games.Rand) games.Move {
	if s.setup() {
		s.buf = s.appendMoves(s.buf[:0])
		return s.buf[rng.IntN(len(s.buf))]
	}
	if s.roll == 0 {
		return rollMove(1 + rng.IntN(faces))
	}
	total, n, plain := 0, 0, &s.plain
	s.buf = s.buf[:0]
	unoccupied := deck.AllStances &^ s.occupied()
	for own := s.tokens[s.turn]; own != 0; n++ {
		from := own.Take()
		empty := unoccupied | from.Set().Spread()
		to, captures := s.reach(from, empty)
		plain[n] = plainMoves{from: from, to: to, count: to.Len()}
		if s.brings(from) {
			plain[n].bring(empty)
		}
		total += plain[n].count
		if captures != 0 {
			for t := s.pickUp(from); captures != 0; {
				s.buf = t.appendCapture(s.buf, captures.Take())
			}
		}
	}
	if total+len(s.buf) == 0 {
		return passMove
	}
	r := rng.IntN(total + len(s.buf))
	if r >= total {
		return s.buf[r-total]
	}
	i := 0
	for r >= plain[i].count {
		r -= plain[i].count
		i++
	}
	return plain[i].nth(r)
}

// plainMoves are the moves of a token that end on an empty space.
type plainMoves struct {
	from    deck.Stance
	to      deck.StanceSet
	hatches deck.StanceSet // empty once the token has left; none when it brings no new token
	count   int
}

// bring counts each move once for every hatch that is empty after it (QM-3).
func (p *plainMoves) bring(empty deck.StanceSet) {
	p.hatches = empty & deck.HatchStances
	onHatch := (p.to & deck.HatchStances).Len()
	p.count = (p.count-onHatch)*p.hatches.HatchCount() + onHatch*max(1, p.hatches.HatchCount()-1)
}

// nth is the n-th of the moves, in an order of its own.
func (p *plainMoves) nth(n int) games.Move {
	if p.hatches == 0 {
		return games.Move(stepMove(p.from.Space(), p.to.Nth(n)))
	}
	set, each := p.to&deck.HatchStances, max(1, p.hatches.HatchCount()-1)
	if onHatch := set.Len() * each; n >= onHatch {
		n -= onHatch
		set, each = p.to&^deck.HatchStances, p.hatches.HatchCount()
	}
	to := set.Nth(n / each)
	m := stepMove(p.from.Space(), to)
	hatches := p.hatches.Hatches().Without(to.Space())
	if hatches == 0 {
		return games.Move(m)
	}
	return m.withHatch(hatches.Nth(n % each))
}

// Payoff is 1 for the winner of an ended game.
func (s *sim) Payoff(seat games.Seat) float64 {
	if s.winner() == int(seat) {
		return 1
	}
	return 0
}

// Lead counts captives, and a little the tokens that are free to move and not yet used up.
func (s *sim) Lead(seat games.Seat) float64 {
	me, other := int(seat), 1-int(seat)
	d := 1.0 * float64(s.captivesOf(me)-s.captivesOf(other))
	d += 0.2 * float64((s.tokens[me]&^s.holding).Len()-(s.tokens[other]&^s.holding).Len())
	d += 0.1 * float64(int(s.reserve[me])-int(s.reserve[other]))
	return min(0.99, max(0.01, 0.5+d/(2*manyCaptives)))
}

var _ games.Tuner = (*sim)(nil)

// Tuning is as in games.Tuner, found by matches: a few plies show what can be captured next.
func (s *sim) Tuning() games.Tuning { return games.Tuning{Playout: 20, Explore: 0.25, Trust: 4} }
