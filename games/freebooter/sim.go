package freebooter

import (
	"math"
	"math/bits"

	"marque/games"
)

// sim is the contract's Sim: the same position, changed in place.
type sim struct{ p position }

var _ games.Sim = (*sim)(nil)

// Sim is as in games.State.
func (s state) Sim() games.Sim { return &sim{s.p} }

// CopyFrom is as in games.Sim.
func (s *sim) CopyFrom(other games.Sim) { s.p = other.(*sim).p }

// ToMove is as in games.Sim.
func (s *sim) ToMove() games.Seat { return s.p.toMove() }

// AppendMoves is as in games.Sim.
func (s *sim) AppendMoves(buf []games.Move) []games.Move { return s.p.appendMoves(buf) }

// AppendOutcomes is as in games.Sim.
func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome { return s.p.appendOutcomes(buf) }

// Play is as in games.Sim.
func (s *sim) Play(m games.Move) { s.p.play(m, nil) }

// PlayRandom is as in games.Sim.
func (s *sim) PlayRandom(r *games.Rand) games.Move {
	m := s.p.random(r)
	s.p.play(m, nil)
	return m
}

// random picks one of what appendMoves or appendOutcomes list without listing them.
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

// Payoff is as in games.Sim.
func (s *sim) Payoff(seat games.Seat) float64 {
	winners := s.p.winners()
	if winners>>uint(seat)&1 == 0 {
		return 0
	}
	return 1 / float64(bits.OnesCount8(winners))
}

// leadScale is the lead in $ at which a seat is taken to win about three games in four.
const leadScale = 22.0

// Lead is as in games.Sim: the seat's prospects against the best of the others', where prospects are the score so far
// and what the boarded ships promise by how far they are encircled.
func (s *sim) Lead(seat games.Seat) float64 {
	p := &s.p
	best := math.Inf(-1)
	for other := range int(p.seats) {
		if games.Seat(other) != seat && !p.isGone(other) {
			best = max(best, p.prospects(other))
		}
	}
	if math.IsInf(best, -1) {
		return 1
	}
	return 1 / (1 + math.Exp((best-p.prospects(int(seat)))/leadScale))
}

// hope is the part of a boarded ship's gain that is counted when 0 to 3 of its squares are taken.
var hope = [4]float64{0.25, 0.4, 0.6, 0.85}

// prospects is the score so far with a part of what the ships boarded, and the others' boarded ships, promise.
func (p *position) prospects(seat int) float64 {
	sum := float64(p.score(seat))
	for owner := range int(p.seats) {
		for rest := p.boarded[owner]; rest != 0; {
			pt := rest.take()
			c := p.at(pt)
			part := hope[min(3, (p.taken&pt.around()).count())]
			if owner != seat {
				sum += part * float64(c.share()*p.boats[seat].within(pt.around()))
				continue
			}
			gain := c.value()
			if p.doubled>>uint(c)&1 != 0 {
				gain *= doubleWorth
			}
			for helper := range int(p.seats) {
				if helper != seat {
					gain -= c.share() * p.boats[helper].within(pt.around())
				}
			}
			sum += part * float64(gain)
		}
	}
	return sum
}

var _ games.Redealer = (*sim)(nil)

// Redeal is as in games.Redealer: the others' cards go back among the unseen ones and are dealt anew (FB-1).
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
		if games.Seat(seat) == viewer {
			continue
		}
		for range p.seaHeld[seat] {
			q := p.seaStack.nth(r.IntN(p.seaStack.size()))
			p.seaStack.remove(q)
			p.hands[seat].add(q)
		}
		for range p.lineHeld[seat] {
			c := p.lineStack.nth(r.IntN(p.lineStack.count()))
			p.lineStack &^= c.bit()
			p.lines[seat] |= c.bit()
		}
	}
}

var _ games.Folder = (*sim)(nil)

// Fold is as in games.Folder: there are too many cards to look at each that may be dealt.
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

// Tuning is as in games.Tuner, found by matches: what ships bring is decided long after they are boarded.
func (s *sim) Tuning() games.Tuning { return games.Tuning{Playout: 40, Explore: 0.5, Trust: 4} }
