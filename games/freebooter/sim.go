package freebooter

import (
	"marque/games"
	"marque/games/learned"
)

// sim implements games.Sim by changing a position in place.
type sim struct{ p position }

var _ games.Sim = (*sim)(nil)

func (s state) Sim() games.Sim { return &sim{s.p} }

func (s *sim) CopyFrom(other games.Sim) { s.p = other.(*sim).p }

func (s *sim) ToMove() games.Seat { return s.p.toMove() }

func (s *sim) AppendMoves(buf []games.Move) []games.Move { return s.p.appendMoves(buf) }

func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome { return s.p.appendOutcomes(buf) }

func (s *sim) Play(m games.Move) { s.p.play(m, nil) }

func (s *sim) PlayRandom(r *games.Rand) games.Move {
	m := s.p.random(r)
	s.p.play(m, nil)
	return m
}

// random returns one of the moves of appendMoves or the outcomes of appendOutcomes at random, without listing them.
func (p *position) random(r *games.Rand) games.Move {
	switch p.phase {
	case turning:
		return p.randomTurn(r)
	case resolving:
		return resolveAt(p.waiting.nth(r.IntN(p.waiting.count())))
	case drawing:
		if p.mayDrawLine() {
			return drawFrom(stack(r.IntN(2)))
		}
		return drawFrom(seaStack)
	case laying:
		n := r.IntN((points &^ p.lying).count())
		for c := range counterKinds {
			left := supply[c] - p.counters[c].count()
			if n < left {
				return lay(c)
			}
			n -= left
		}
	}
	if p.givesSea() {
		return dealSea(p.seaStack.nth(r.IntN(p.seaStack.size())))
	}
	return dealLine(p.lineStack.nth(r.IntN(p.lineStack.count())))
}

func (p *position) randomTurn(r *games.Rand) games.Move {
	free, hand := p.free(), p.hands[p.turn].one
	paid := hand & p.taken
	boardings, sails, money := free.count(), hand.count(), paid.count()
	total := boardings + sails + money

	cards := p.lines[p.turn]
	gaps := set(0)
	if cards != 0 {
		gaps = lastGaps(p.lying, p.taken)
		for rest := cards; gaps != 0 && rest != 0; {
			total += (gaps & lines[rest.take()]).count()
		}
	}
	n := r.IntN(total)
	if n < boardings {
		return boardAt(free.nth(n))
	}
	if n -= boardings; n < sails {
		return sailTo(hand.nth(n))
	}
	if n -= sails; n < money {
		return sailMoney(paid.nth(n))
	}
	n -= money
	for {
		c := cards.take()
		fits := gaps & lines[c]
		if k := fits.count(); n < k {
			return dutchmanTo(c, fits.nth(n))
		} else {
			n -= k
		}
	}
}

func (s *sim) Payoff(seat games.Seat) float64 {
	return s.p.winners().Payoff(seat)
}

// missing returns the points with none, one or two of their four squares empty. The sets can include numbers that are
// not points.
func missing(taken set) (full, one, two set) {
	a, b, c, d := taken, taken>>1, taken>>side, taken>>(side+1)
	// The four bits of all points are added at the same time.
	ab, cd := a^b, c^d
	odd, carry := ab^cd, a&b^c&d^ab&cd
	return a & b & c & d, odd & carry, carry &^ odd
}

var _ games.Redealer = (*sim)(nil)

// Redeal puts the others' cards back among the unseen cards and deals them again (FB-1).
func (s *sim) Redeal(viewer games.Seat, r *games.Rand) {
	p := &s.p
	for seat := range int(p.seats) {
		if games.Seat(seat) != viewer {
			p.seaStack.addAll(p.hands[seat])
			p.lineStack |= p.lines[seat]
			p.hands[seat], p.lines[seat] = pairs{}, 0
		}
	}
	for seat := range int(p.seats) {
		if games.Seat(seat) != viewer {
			p.deal(seat, r.IntN)
		}
	}
}

var _ games.Folder = (*sim)(nil)

// Fold replaces a dealt card by its kind, because there are too many cards to search each possible draw.
func (s *sim) Fold(m games.Move) games.Move {
	switch op(m) {
	case opDealSea:
		return dealHidden(seaStack)
	case opDealLine:
		return dealHidden(dutchmanStack)
	}
	return m
}

var _ games.Tuner = (*sim)(nil)

// Calibration returns the phase, which is twice the fraction of sea cards that have been drawn, but at most 1, and the
// curve for the number of seats.
func (s *sim) Calibration() (phase float64, curve *learned.Curve) {
	all := pairs{sea, inner}
	phase = min(1, 2*(1-float64(s.p.seaLeft)/float64(all.size())))
	return phase, chances[s.p.seats]
}

// Tuning returns settings that were found by comparing short searches with long ones, and by matches. The playouts are
// short, because a few random moves reveal most threats.
func (s *sim) Tuning() games.Tuning {
	return games.Tuning{Playout: 10, Exploration: 2, PriorWeight: 4, Expansion: 1, Relative: true}
}
