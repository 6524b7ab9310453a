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

// chances maps the chances that a search finds to how often they come true, by the number of seats.
var chances = learned.ParseCurves(twoChances, manyChances, mostSeats)

//go:embed weights.txt
var weights string

//go:embed weights-many.txt
var manyWeights string

// ofTwo and ofMany are the weights for positions of two seats and of more, by the cards in the stack. `marque-lab
// train pirat` made them.
var (
	ofTwo  = weighed(learned.Parse(weights, featureNames))
	ofMany = weighed(learned.Parse(manyWeights, featureNames))
)

var _ learned.Evaluator = (*sim)(nil)

// term is a number about a seat, in gold or in cards.
type term int

const (
	termGold       term = iota // on the ships that it has scored
	termCards                  // cards in its hand
	termSkulls                 // on the pirate ships in its hand
	termPirates                // in its hand
	termAdmirals               // in its hand
	termCargo                  // gold on the trading ships in its hand
	termCalm                   // gold on its ships without an attack that nobody could attack at once
	termPrey                   // gold on its ships without an attack that somebody could attack at once
	termHeld                   // gold on ships where its attack is the strongest, if nobody could beat it at once
	termShaken                 // the same, if somebody could
	termRisk                   // the most that somebody could attack or beat at once
	termTarget                 // the most that it could take the lead for with one card
	termSecond                 // the next most of that
	termTraders                // trading ships in its hand
	termToMove                 // 1 if it is to move
	termTurnTarget             // target if it is to move
	termColors                 // colours of the pirate ships in its hand
	termStrongest              // the most skulls of a colour in its hand
	termByPirate               // gold on ships that it holds by a pirate
	termRescues                // the most gold on a ship that its admiral could rescue
	terms
)

var termNames = [terms]string{
	"gold", "cards", "skulls", "pirates", "admiral", "cargo", "calm", "prey", "held", "shaken", "risk", "target",
	"second-target", "traders",
	"to-move", "target-to-move", "colors", "strongest-color", "held-by-pirate", "rescue",
}

// fading are the terms that have a weight of their own late in the game.
var fading = [...]term{termCards, termSkulls, termPirates, termAdmirals, termCargo, termCalm, termHeld, termShaken,
	termRisk, termTarget, termToMove}

// featureNames has each term, and each fading term a second time.
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
	drawn float64 // a card from the stack
}

// weighed returns a model's weights by the number of cards in the stack. A lead counts more if fewer cards are left.
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

// card is the value of a card in a hand.
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

// Names are the features' names.
func (s *sim) Names() []string { return featureNames }

// Features are the model's inputs for a seat: the terms, in parts of the lead that decides, and the terms in fading
// again, weighted by how late it is.
func (s *sim) Features(seat games.Seat) (f learned.Features, in bool) {
	if !s.isIn(int8(seat)) {
		return f, false
	}
	for i := range featureNames {
		var unit learned.Model
		unit.Weights[i] = 1
		// Worths are sums of the terms by their weights, so one weight alone gives its term.
		w := weigh(&unit, int(s.stack))
		f[i] = s.worths(&w)[seat]
	}
	return f, true
}

// Evaluate is the model's chance of the seat.
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

// worths computes the seats' worth: what they have, are about to get and may win with their cards.
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
	if p.phase == drawing { // which ends the turn
		worths[mover] += w.drawn
		mover = p.next()
	}
	worths[mover] += w.of[termToMove] + w.of[termTurnTarget]*float64(look[mover].target)
	return worths
}

// outlook is the most gold on ships that a seat could lose or win with the next card.
type outlook struct{ risk, target, second, rescue uint8 }

// weigh adds the worth of a ship to the seats'.
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

// best is the power of the strongest attack.
func (s *ship) best() (most uint8) {
	if s.leader != nobody {
		return s.power[s.leader]
	}
	for _, pw := range s.power {
		most = max(most, pw)
	}
	return most
}

// skullsOf is the number of skulls on the pirate ships of a colour, by the byte of their counters.
var skullsOf = func() (list [256]uint8) {
	for b := range list {
		for k := range maxSkulls {
			list[b] += uint8((k + 1) * (b >> (k * shipBits) & (1<<shipBits - 1)))
		}
	}
	return list
}()

// stronger has the counters' lowest bits of the cards that beat an attack, by how much more power the attack has.
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
