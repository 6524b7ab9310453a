package freebooter

import (
	_ "embed"
	"math"

	"marque/games"
	"marque/games/learned"
)

//go:embed chances.txt
var twoChances string

//go:embed chances-many.txt
var manyChances string

// chances maps the chances that a search finds to actual frequencies, by the number of seats.
var chances = learned.ParseCurves(twoChances, manyChances, maxSeats)

//go:embed weights.txt
var weights string

//go:embed weights-many.txt
var manyWeights string

// ofTwo has the weights for two seats, indexed by the number of turns left. ofMany has the weights for more seats,
// indexed by the number of sea cards left. Both were trained by `marque-lab train freebooter`.
var (
	ofTwo  = weighed(learned.Parse(weights, featureNames), turnsLeft)
	ofMany = weighed(learned.Parse(manyWeights, featureNames), cardsLeft)
)

var _ learned.Evaluator = (*sim)(nil)

// term is a feature of a seat: an amount of $, a number of pieces, or 1 or 0. In the terms, a counter misses a square
// next to it that has neither a boat nor the Dutchman.
type term int

const (
	termScore      term = iota // score (FB-10), including encircled ships
	termBoats                  // boats in the pool
	termNear                   // gain from double-value counters that miss at most one square
	termFar                    // gain from double-value counters that miss two squares
	termLastHeld               // value of boarded ships that miss one square, with a card for it
	termLast                   // value of boarded ships that miss one square, without a card for it
	termTwo                    // value of boarded ships that miss two squares, without a sea card for either
	termTwoHeld                // value of boarded ships that miss two squares, with a sea card for one of them
	termTwoReady               // value of boarded ships that miss two squares, with sea cards for both
	termThree                  // value of boarded ships that miss three squares, without a sea card for any
	termThreeHeld              // value of boarded ships that miss three squares, with a sea card for one of them
	termThreeReady             // value of boarded ships that miss three squares, with sea cards for two or more
	termFour                   // value of boarded ships that miss four squares
	termShareLast              // shares due from others' ships that miss one square, less the shares owed
	termShareTwo               // shares due from others' ships that miss two squares, less the shares owed
	termShareThree             // shares due from others' ships that miss three squares, less the shares owed
	termPlunder                // plunder from warehouses that miss at most one square
	termPlunderTwo             // plunder from warehouses that miss two squares
	termSea                    // sea cards in hand, and one that is being drawn
	termLines                  // Dutchman cards in hand, and one that is being drawn
	termToMove                 // 1 if the seat is to move, or will be after a draw
	termFree                   // highest value of a ship that the seat could board and then capture alone
	termDoubling               // value of boarded ships whose double-value counter misses at most one square
	termBest                   // highest value of a ship that the seat can capture with one card
	terms
)

var termNames = [terms]string{
	"score", "boats", "double-near", "double-far", "last-held", "last", "two", "two-held", "two-ready",
	"three", "three-held", "three-ready", "four", "share-last", "share-two", "share-three", "plunder-last",
	"plunder-two",
	"sea-cards", "dutchman-cards", "to-move", "free-ready", "doubling", "best-held",
}

// fading lists the terms with an additional weight, which grows towards the end of the game.
var fading = [...]term{termScore, termBoats, termLastHeld, termLast, termTwo, termTwoHeld, termTwoReady, termToMove}

// featureNames has the name of each term, and a second name for each fading term.
var featureNames = func() (names []string) {
	names = append(names, termNames[:]...)
	for _, t := range fading {
		names = append(names, "late-"+termNames[t])
	}
	return names
}()

// weighing holds the weights of all terms.
type weighing [terms]float64

// pace describes how a game approaches its end. Its steps are turns or sea cards.
type pace struct {
	most         int
	least, slope float64 // decisive lead in $ at the end, and its increase for each remaining step
	late         float64 // number of steps over which a fading term's additional weight falls by a factor of e
}

// A game of two players nearly always ends when a pool has no more boats (FB-9c). A game of three or four ends about
// equally often without sea cards (FB-9a) and without warehouses (FB-9b).
var (
	turnsLeft = pace{startBoats, 5, 0.7, 3}
	cardsLeft = pace{seaCards, 4, 0.25, 8}
)

// weighed returns a model's weights, indexed by the number of remaining steps. A lead counts more when fewer steps
// remain.
func weighed(m *learned.Model, p pace) []weighing {
	list := make([]weighing, p.most+1)
	for left := range list {
		list[left] = weigh(m, p, left)
	}
	return list
}

func weigh(m *learned.Model, p pace, left int) (w weighing) {
	late, whole := math.Exp(-float64(left)/p.late), 1/(p.least+p.slope*float64(left))
	copy(w[:], m.Weights[:terms])
	for i, t := range fading {
		w[t] += late * m.Weights[int(terms)+i]
	}
	for t := range w {
		w[t] *= whole
	}
	return w
}

// left returns the estimated number of remaining steps: with two seats the boats in the smaller pool, as turns, and
// with more seats the cards in the sea stack.
func (p *position) left() int {
	if p.seats > 2 {
		return int(p.seaLeft)
	}
	return int(min(p.pool[0], p.pool[1]))
}

func (s *sim) Names() []string { return featureNames }

// Features returns the model's inputs for a seat. These are the terms relative to the decisive lead, and the fading
// terms a second time, weighted by the progress of the game.
func (s *sim) Features(seat games.Seat) (f learned.Features, in bool) {
	p := &s.p
	if p.isGone(int(seat)) {
		return f, false
	}
	pace := turnsLeft
	if p.seats > 2 {
		pace = cardsLeft
	}
	for i := range featureNames {
		// The outlook is the sum of the terms, multiplied by their weights. If one weight is 1 and the others are 0,
		// the sum is that term.
		var unit learned.Model
		unit.Weights[i] = 1
		w := weigh(&unit, pace, p.left())
		f[i] = p.outlook(&w)[seat]
	}
	return f, true
}

func (s *sim) Evaluate(seat games.Seat) float64 {
	p := &s.p
	if p.isGone(int(seat)) {
		return 0
	}
	w := &ofTwo
	if p.seats > 2 {
		w = &ofMany
	}
	worths := p.outlook(&(*w)[p.left()])
	sum := 0.0
	for other := range int(p.seats) {
		if !p.isGone(other) {
			sum += math.Exp(worths[other] - worths[seat])
		}
	}
	return 1 / sum
}

// outlook computes the present and expected worth of the seats. A search calls it for every move, so it uses bit sets.
func (p *position) outlook(w *weighing) (worths [maxSeats]float64) {
	taken := p.taken
	if p.dutchman != nowhere {
		taken |= p.dutchman.bit()
	}
	full, one, two := missing(taken)
	// worth, kept and promised are values by kind: of a ship, of a captured ship, and of the double-value counter of a
	// boarded ship.
	var worth, kept, promised [values]float64
	for v := range worth {
		each := float64(counter(v).value())
		if p.doubled>>uint(v)&1 != 0 {
			each *= doubleWorth
		}
		worth[v], kept[v] = each, each*w[termScore]
		switch double := p.counters[int(double5)+v]; {
		case double&(full|one) != 0:
			kept[v] += each * w[termNear]
			promised[v] = each * w[termDoubling]
		case double&two != 0:
			kept[v] += each * w[termFar]
		}
	}
	// odd and high are the two bits of a ship's kind.
	odd, high := p.counters[ship10]|p.counters[ship20], p.counters[ship15]|p.counters[ship20]
	free := p.free() & (one | two)
	for seat := range int(p.seats) {
		sum := w[termScore]*float64(int(p.money[seat])-debtCost*int(p.debt[seat])) +
			w[termBoats]*float64(p.pool[seat]) + w[termSea]*float64(p.seaHeld[seat]) +
			w[termLines]*float64(p.lineHeld[seat])
		for v, n := range p.captured[seat] {
			sum += kept[v] * float64(n)
		}
		hand, reach := p.hands[seat].one, set(0)
		for cards := p.lines[seat]; cards != 0; {
			reach |= lines[cards.take()]
		}
		best := 0.0
		for rest := p.boarded[seat]; rest != 0; {
			pt := rest.take()
			around := pt.around()
			gaps := around &^ taken
			c := counter(odd>>uint(pt)&1 | high>>uint(pt)&1<<1)
			value := worth[c]
			sum += promised[c]
			var paid float64
			switch held := (hand & gaps).count(); gaps.count() {
			case 0:
				sum += w[termScore] * value
				paid = w[termScore]
			case 1:
				if held > 0 || reach&gaps != 0 {
					sum += w[termLastHeld] * value
					best = max(best, value)
				} else {
					sum += w[termLast] * value
				}
				paid = w[termShareLast]
			case 2:
				sum += w[int(termTwo)+held] * value
				paid = w[termShareTwo]
			case 3:
				sum += w[int(termThree)+min(held, 2)] * value
				paid = w[termShareThree]
			default:
				sum += w[termFour] * value
				continue
			}
			paid *= float64(c.share())
			for helper := range int(p.seats) {
				if helper != seat {
					pay := paid * float64(p.boats[helper].within(around))
					worths[helper] += pay
					sum -= pay
				}
			}
		}
		sum += w[termBest] * best
		if held, _, _ := missing(taken | hand); free&held != 0 {
			switch ready := free & held; {
			case ready&odd&high != 0:
				sum += w[termFree] * worth[ship20]
			case ready&high != 0:
				sum += w[termFree] * worth[ship15]
			case ready&odd != 0:
				sum += w[termFree] * worth[ship10]
			default:
				sum += w[termFree] * worth[ship5]
			}
		}
		worths[seat] += sum
	}
	mover := int(p.turn)
	switch p.phase { // a card is drawn at the end of a turn
	case drawing, givingSea:
		worths[mover] += w[termSea]
		mover = p.next()
	case givingLine:
		worths[mover] += w[termLines]
		mover = p.next()
	}
	worths[mover] += w[termToMove]
	for rest := p.counters[warehouse] & (full | one | two); rest != 0; {
		pt := rest.take()
		each := w[termPlunder] * plunder
		if two.has(pt) {
			each = w[termPlunderTwo] * plunder
		}
		around := pt.around()
		for seat := range int(p.seats) {
			worths[seat] += each * float64(p.boats[seat].within(around))
		}
	}
	return worths
}
