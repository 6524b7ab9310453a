package freebooter

import (
	"math"

	"marque/games"
	"marque/games/learned"
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
	return s.p.winners().Payoff(seat)
}

// handmade is a sim with the evaluation made by hand.
type handmade struct{ *sim }

// Handmade is as in learned.Learner.
func (s *sim) Handmade() games.Sim {
	c := *s
	return handmade{&c}
}

func (s handmade) CopyFrom(other games.Sim) { s.p = other.(handmade).p }

// Evaluate is as in games.Sim: the seat's prospects against those of each other seat that is still
// in.
func (s handmade) Evaluate(seat games.Seat) float64 {
	p := &s.p
	if p.isGone(int(seat)) {
		return 0
	}
	h := p.hope()
	worth := p.prospects(h)
	sum := 1.0
	for other := range int(p.seats) {
		if games.Seat(other) != seat && !p.isGone(other) {
			sum += math.Exp((worth[other] - worth[seat]) / h.spread)
		}
	}
	return 1 / sum
}

// hope is the part of each promise that counts.
type hope struct {
	gain    [5][5]float64 // of a boarded ship's value, by the squares missing and the seat's cards for these
	share   [5]float64    // of the shares in a boarded ship, by the squares missing
	double  [3]float64    // of a double-value counter's, by the squares missing
	plunder float64       // of a warehouse's that misses one square
	boat    float64       // what a boat in the pool is worth in $: who has more has more to do
	spread  float64       // the lead in $ that makes e times as likely to win
}

// hope is the hope for the position. It depends on what is left to play: among two players on the
// turns, for the game ends with the last boat of a pool (FB-9c), nearly always; among more on the
// sea cards, for it ends with these (FB-9a) or, as often, with the last warehouse (FB-9b).
func (p *position) hope() *hope {
	if p.seats > 2 {
		return &crowded[p.seaLeft]
	}
	return &hopes[min(p.pool[0], p.pool[1])]
}

// hopes are those of two players by the turns left. What is promised comes true the likelier the
// fewer squares are missing and the more of these the seat has cards for. The parts were fitted to
// the ends of games of computer players.
var hopes = func() (list [startBoats + 1]hope) {
	for left := range list {
		t := float64(left)
		e := math.Exp(-t / 3)
		list[left] = hope{
			gain: [5][5]float64{
				{1},
				{0.95 - 0.85*e, 0.95 - 0.7*e},
				{0.05 + 0.012*t, 0.58 - 0.55*e, 0.95 - 1.05*e},
				{0.004 * t, 0.05 + 0.02*t, 0.7 - 0.8*e, 0.7 - 0.8*e},
			},
			share:   [5]float64{1, 1 - 0.85*e, 0.15 + 0.01*t},
			double:  [3]float64{1, 0.3 + 0.03*t, 0.02 * t},
			plunder: 0.65,
			boat:    0.5,
			spread:  5 + 0.7*t,
		}
	}
	return list
}()

// crowded are those of three and four players by the sea cards left. More players take more squares
// until the end: most ships come home. The spread was fitted to games of computer players, like
// those of two.
var crowded = func() (list [seaCards + 1]hope) {
	for left := range list {
		list[left] = hope{
			gain: [5][5]float64{{0.85}, {0.85, 0.85}, {0.6, 0.6, 0.6}, {0.4, 0.4, 0.4, 0.4},
				{0.25, 0.25, 0.25, 0.25, 0.25}},
			share:  [5]float64{0.85, 0.85, 0.6, 0.4, 0.25},
			spread: 4 + 0.25*float64(left),
		}
	}
	return list
}()

// prospects are the seats' scores so far with the parts that count of what the ships boarded, the
// others' boarded ships, the warehouses and the double-value counters promise. It is asked for with
// every move that a search looks at, hence the sets.
func (p *position) prospects(h *hope) (worth [maxSeats]float64) {
	taken := p.taken
	if p.dutchman != nowhere {
		taken |= p.dutchman.bit()
	}
	full, one, two := missing(taken)
	var values [values]float64
	for v := range values {
		values[v] = float64(counter(v).value())
		if p.doubled>>uint(v)&1 != 0 {
			values[v] *= doubleWorth
		}
	}
	kept := values // of ships captured already
	for v := range kept {
		switch double := p.counters[int(double5)+v]; {
		case double&full != 0:
			kept[v] *= 1 + h.double[0]
		case double&one != 0:
			kept[v] *= 1 + h.double[1]
		case double&two != 0:
			kept[v] *= 1 + h.double[2]
		}
	}
	// the bits of a ship's kind
	odd, high := p.counters[ship10]|p.counters[ship20], p.counters[ship15]|p.counters[ship20]
	for seat := range int(p.seats) {
		sum := float64(int(p.money[seat])-debtCost*int(p.debt[seat])) + h.boat*float64(p.pool[seat])
		for v, n := range p.captured[seat] {
			sum += kept[v] * float64(n)
		}
		hand, reach := p.hands[seat].one, set(0)
		for cards := p.lines[seat]; cards != 0; {
			reach |= lines[cards.take()]
		}
		for rest := p.boarded[seat]; rest != 0; {
			pt := rest.take()
			around := pt.around()
			gaps := around &^ taken
			n, held := gaps.count(), (hand & gaps).count()
			if n == 1 && reach&gaps != 0 {
				held = 1
			}
			c := counter(odd>>uint(pt)&1 | high>>uint(pt)&1<<1)
			sum += h.gain[n][held] * values[c]
			part := h.share[n] * float64(c.share())
			if part == 0 {
				continue
			}
			for helper := range int(p.seats) {
				if helper != seat {
					pay := part * float64(p.boats[helper].within(around))
					worth[helper] += pay
					sum -= pay
				}
			}
		}
		worth[seat] += sum
	}
	for rest := p.counters[warehouse] & (full | one); rest != 0; {
		around := rest.take().around()
		for seat := range int(p.seats) {
			worth[seat] += h.plunder * float64(plunder*p.boats[seat].within(around))
		}
	}
	return worth
}

// missing are the points that miss none, one or two of their four squares; they hold numbers that
// are no points, too.
func missing(taken set) (full, one, two set) {
	a, b, c, d := taken, taken>>1, taken>>side, taken>>(side+1)
	// The four bits added up for all points at once.
	ab, cd := a^b, c^d
	odd, carry := ab^cd, a&b^c&d^ab&cd
	return a & b & c & d, odd & carry, carry &^ odd
}

var _ games.Redealer = (*sim)(nil)

// Redeal is as in games.Redealer: the others' cards go back among the unseen ones and are dealt
// again (FB-1).
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

// Tuning is as in games.Tuner. Random play completes most of more players' ships, but few of two
// players'.
func (s handmade) Tuning() games.Tuning {
	if s.p.seats > 2 {
		return games.Tuning{Playout: 40, Exploration: 0.5, PriorWeight: 4}
	}
	return games.Tuning{Playout: 10, Exploration: 0.35, PriorWeight: 4}
}

// Calibration is as in learned.Calibrated; the phase is how many of the sea cards are drawn, of half
// of them, for few games go on for longer.
func (s *sim) Calibration() (phase float64, curve *learned.Curve) {
	all := pairs{sea, inner}
	phase = min(1, 2*(1-float64(s.p.seaLeft)/float64(all.size())))
	return phase, chances[s.p.seats]
}

// Tuning is as in games.Tuner, found by comparing short searches with long ones, and by matches: a
// short while of random play shows what threatens.
func (s *sim) Tuning() games.Tuning {
	return games.Tuning{Playout: 10, Exploration: 2, PriorWeight: 4, Expansion: 1, Relative: true}
}
