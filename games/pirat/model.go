package pirat

import (
	_ "embed"
	"math"
	"math/bits"

	"marque/games"
	"marque/games/learned"
)

//go:embed chances.txt
var twoChances string

//go:embed chances-many.txt
var manyChances string

// chances maps the chances that a search finds to actual frequencies, by the number of seats.
var chances = learned.ParseCurves(twoChances, manyChances, mostSeats)

//go:embed weights.txt
var weights string

//go:embed weights-many.txt
var manyWeights string

// ofTwo and ofMany have the weights for two seats and for more, indexed by the number of cards in the stack. Both were
// trained by `marque-lab train pirat`.
var (
	ofTwo  = weighed(learned.Parse(weights, featureNames))
	ofMany = weighed(learned.Parse(manyWeights, featureNames))
)

var _ learned.Evaluator = (*sim)(nil)

// term is a feature of a seat: an amount of gold, a number of cards, skulls or colours, or 1 or 0. While the seat draws
// a card, the average card counts in its hand, except in termColors and termStrongest.
type term int

const (
	termGold       term = iota // gold on the ships that the seat has scored
	termCards                  // cards in its hand
	termSkulls                 // skulls on the pirate ships in its hand
	termPirates                // pirates in its hand
	termAdmirals               // admirals in its hand
	termCargo                  // gold on the trading ships in its hand
	termCalm                   // gold on its unattacked ships that no opponent could attack now
	termPrey                   // gold on its unattacked ships that an opponent could attack now
	termHeld                   // gold on ships where its attack is the strongest, if no opponent could beat it now
	termShaken                 // gold on ships where its attack is the strongest, if an opponent could beat it now
	termRisk                   // highest value of a ship that it would score now, but could lose with the next card
	termTarget                 // highest value of a ship that it could win or rescue with one card
	termSecond                 // second highest value of such a ship
	termTraders                // trading ships in its hand
	termToMove                 // 1 if the seat is to move, or will be after a draw
	termTurnTarget             // termTarget if termToMove is 1, otherwise 0
	termColors                 // colours of the pirate ships in its hand
	termStrongest              // maximum number of skulls of one colour in its hand
	termByPirate               // gold on ships that it leads with a pirate
	termRescues                // highest value of a ship that it does not lead and its admiral could rescue
	terms
)

var termNames = [terms]string{
	"gold", "cards", "skulls", "pirates", "admiral", "cargo", "calm", "prey", "held", "shaken", "risk", "target",
	"second-target", "traders",
	"to-move", "target-to-move", "colors", "strongest-color", "held-by-pirate", "rescue",
}

// fading lists the terms with an additional weight, which grows towards the end of the game.
var fading = [...]term{termCards, termSkulls, termPirates, termAdmirals, termCargo, termCalm, termHeld, termShaken,
	termRisk, termTarget, termToMove}

// featureNames has the name of each term, and a second name for each fading term.
var featureNames = func() (names []string) {
	names = append(names, termNames[:]...)
	for _, t := range fading {
		names = append(names, "late-"+termNames[t])
	}
	return names
}()

// weighing holds the weights of all terms.
type weighing struct {
	of    [terms]float64
	drawn float64 // average value of an unknown card
}

// weighed returns a model's weights, indexed by the number of cards in the stack. A lead counts more if fewer cards are
// left.
func weighed(m *learned.Model) (list [deckSize + 1]weighing) {
	for left := range list {
		list[left] = weigh(m, left)
	}
	return list
}

func weigh(m *learned.Model, left int) (w weighing) {
	n := float64(left)
	late, whole := math.Exp(-n/6), 1/(3+0.13*n)
	copy(w.of[:], m.Weights[:terms])
	for i, t := range fading {
		w.of[t] += late * m.Weights[int(terms)+i]
	}
	for t := range w.of {
		w.of[t] *= whole
	}
	for k := range card(kinds) {
		w.drawn += w.card(k) * float64(k.copies()) / deckSize
	}
	return w
}

// card returns the value of a card in a hand.
func (w *weighing) card(k card) float64 {
	worth := w.of[termCards]
	switch {
	case k.isPirateShip():
		worth += w.of[termSkulls] * float64(k.skulls())
	case k.isTrading():
		worth += w.of[termTraders] + w.of[termCargo]*float64(k.value())
	case k.isPirate():
		worth += w.of[termPirates]
	default:
		worth += w.of[termAdmirals]
	}
	return worth
}

func (s *sim) Names() []string { return featureNames }

// Features returns the model's inputs for a seat: the terms, and the fading terms again with a weight that grows as the
// stack empties. All are divided by a number that shrinks with the stack (see weigh).
func (s *sim) Features(seat games.Seat) (f learned.Features, in bool) {
	if !s.isIn(int8(seat)) {
		return f, false
	}
	for i := range featureNames {
		var unit learned.Model
		unit.Weights[i] = 1
		// Worths are weighted sums of the terms. If one weight is 1 and the others are 0, the sum is that term.
		w := weigh(&unit, int(s.stack))
		f[i] = s.worths(&w)[seat]
	}
	return f, true
}

func (s *sim) Evaluate(seat games.Seat) float64 {
	if !s.isIn(int8(seat)) {
		return 0
	}
	w := &ofTwo
	if s.seats > 2 {
		w = &ofMany
	}
	worths := s.worths(&w[s.stack])
	sum := 0.0
	for i := range int(s.seats) {
		if s.isIn(int8(i)) {
			sum += math.Exp(worths[i] - worths[seat])
		}
	}
	return 1 / sum
}

// worths returns the worth of each seat: its score, its expected prizes and the value of its hand.
func (p *position) worths(w *weighing) (worths [mostSeats]float64) {
	var look [mostSeats]outlook
	for live := p.live; live != 0; live &= live - 1 {
		p.ships[bits.TrailingZeros32(live)].weigh(p, w, &worths, &look)
	}
	for seat := range int(p.seats) {
		hand, l := p.hands[seat], &look[seat]
		all, most, kinds := 0, 0, 0
		for c := range colors {
			n := int(skullsOf[uint8(hand>>(c*shipBits*maxSkulls))])
			all += n
			most = max(most, n)
			kinds += min(n, 1)
		}
		value, trading := 0, 0
		for x := hand.present() & tradingFields; x != 0; x &= x - 1 {
			k := x.lowest()
			n := hand.count(k)
			value += n * k.value()
			trading += n
		}
		worths[seat] += w.of[termGold]*float64(p.gold[seat]) +
			w.of[termCards]*float64(p.sizes[seat]) +
			w.of[termSkulls]*float64(all) +
			w.of[termPirates]*float64(bits.OnesCount64(uint64(hand&(singleFields&^admiralField)))) +
			w.of[termAdmirals]*float64(hand>>admiralShift&1) +
			w.of[termCargo]*float64(value) +
			w.of[termTraders]*float64(trading) +
			w.of[termColors]*float64(kinds) +
			w.of[termStrongest]*float64(most) +
			w.of[termRisk]*float64(l.risk) +
			w.of[termTarget]*float64(l.target) +
			w.of[termSecond]*float64(l.second) +
			w.of[termRescues]*float64(l.rescue)
	}
	mover := p.turn
	if p.phase == drawing { // the draw ends the turn
		worths[mover] += w.drawn
		mover = p.next()
	}
	worths[mover] += w.of[termToMove] + w.of[termTurnTarget]*float64(look[mover].target)
	return worths
}

// outlook has the highest value of the ships that a seat could lose with the next card, and the highest values of those
// that it could win.
type outlook struct{ risk, target, second, rescue uint8 }

// weigh adds the value of a ship to the worth of the seat that would win it now. It also enters the ship in look.
func (s *ship) weigh(p *position, w *weighing, worths *[mostSeats]float64, look *[mostSeats]outlook) {
	winner, best, safe := s.winner(), s.best(), true
	for seat := range int(p.seats) {
		if int8(seat) == winner || !p.isIn(int8(seat)) {
			continue
		}
		able := p.hands[seat].present() & s.playable(seat) & stronger[best-s.power[seat]]
		if able == 0 {
			continue
		}
		safe = false
		l := &look[seat]
		if s.value > l.target {
			l.target, l.second = s.value, l.target
		} else {
			l.second = max(l.second, s.value)
		}
		if able&admiralField != 0 {
			l.rescue = max(l.rescue, s.value)
		}
	}
	if winner == nobody {
		return
	}
	t := termShaken
	switch {
	case s.used == 0 && safe:
		t = termCalm
	case s.used == 0:
		t = termPrey
	case safe:
		t = termHeld
	}
	value := float64(s.value)
	worth := w.of[t] * value
	if best >= rank {
		worth += w.of[termByPirate] * value
	}
	worths[winner] += worth
	if !safe {
		look[winner].risk = max(look[winner].risk, s.value)
	}
}

// best returns the power of the strongest attack.
func (s *ship) best() (most uint8) {
	if s.leader != nobody {
		return s.power[s.leader]
	}
	for _, pw := range s.power {
		most = max(most, pw)
	}
	return most
}

// skullsOf has the number of skulls on the pirate ships of a colour, indexed by the byte of their counters.
var skullsOf = func() (list [256]uint8) {
	for b := range list {
		for k := range maxSkulls {
			list[b] += uint8((k + 1) * (b >> (k * shipBits) & (1<<shipBits - 1)))
		}
	}
	return list
}()

// stronger has the lowest bits of the counters of the cards that beat an attack. The index is that attack's lead in
// power over the player's own attack.
var stronger = func() (list [256]cards) {
	for n := range list {
		list[n] = singleFields
		for k := card(0); k < firstTrading; k++ {
			if k.skulls() > n {
				list[n] |= units[k]
			}
		}
	}
	return list
}()
