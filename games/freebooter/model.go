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

// chances maps the chances that a search finds to how often they come true, by the number of seats.
var chances = learned.ParseCurves(twoChances, manyChances, maxSeats)

//go:embed weights.txt
var weights string

//go:embed weights-many.txt
var manyWeights string

// ofTwo weighs the terms for two seats, by the number of turns left. ofMany weighs them for more seats, by the sea
// cards left. `marque-lab train freebooter` made both.
var (
	ofTwo  = weighed(learned.Parse(weights, featureNames), turnsLeft)
	ofMany = weighed(learned.Parse(manyWeights, featureNames), cardsLeft)
)

var _ learned.Evaluator = (*sim)(nil)

// term is a number about a seat, in $ or in pieces.
type term int

const (
	termScore      term = iota // so far (FB-10)
	termBoats                  // in the pool
	termNear                   // the most that double-value counters missing a square would add
	termFar                    // the same of those that miss two
	termLastHeld               // value of the ships boarded that miss one square, with a card for it
	termLast                   // without
	termTwo                    // value of those that miss two, without a card for either
	termTwoHeld                // the same, with a card for one of the squares
	termTwoReady               // for both
	termThree                  // value of those that miss three, without a card
	termThreeHeld              // with one
	termThreeReady             // with more
	termFour                   // value of those that miss four
	termShareLast              // shares to be got from the others' ships that miss one, less those to be paid
	termShareTwo               // that miss two
	termShareThree             // that miss three
	termPlunder                // plunder to be had from the warehouses that miss one
	termPlunderTwo             // that miss two
	termSea                    // sea cards in its hand
	termLines                  // Dutchman cards in its hand
	termToMove                 // 1 if it is to move
	termFree                   // the highest value of a ship that it could board and then bring home alone
	termDoubling               // value of the ships boarded whose double-value counter is near
	termBest                   // the highest value of a ship that it can bring home at once
	terms
)

var termNames = [terms]string{
	"score", "boats", "double-near", "double-far", "last-held", "last", "two", "two-held", "two-ready",
	"three", "three-held", "three-ready", "four", "share-last", "share-two", "share-three", "plunder-last",
	"plunder-two",
	"sea-cards", "dutchman-cards", "to-move", "free-ready", "doubling", "best-held",
}

// fading are the terms that have a weight of their own late in the game.
var fading = [...]term{termScore, termBoats, termLastHeld, termLast, termTwo, termTwoHeld, termTwoReady, termToMove}

// featureNames are the names of the features: each term, and each of the terms in fading a second time.
var featureNames = func() (names []string) {
	names = append(names, termNames[:]...)
	for _, t := range fading {
		names = append(names, "late-"+termNames[t])
	}
	return names
}()

// weighing holds the weights of all terms.
type weighing [terms]float64

// pace describes how a game approaches its end.
type pace struct {
	most         int
	least, slope float64 // the lead in $ that decides at the end, and what each remaining step adds to it
	late         float64 // the steps after which a later gain counts e times less
}

// A game of two players nearly always ends when a pool has no more boats (FB-9c). A game of more ends without sea cards
// (FB-9a) or, as often, without warehouses (FB-9b).
var (
	turnsLeft = pace{startBoats, 5, 0.7, 3}
	cardsLeft = pace{seaCards, 4, 0.25, 8}
)

// weighed returns a model's weights for each number of steps left: a lead weighs more when less is left.
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

// left is the rest of the game, as the pace counts it.
func (p *position) left() int {
	if p.seats > 2 {
		return int(p.seaLeft)
	}
	return int(min(p.pool[0], p.pool[1]))
}

// Names are the features' names.
func (s *sim) Names() []string { return featureNames }

// Features are the model's inputs for a seat: the terms, in parts of the lead that decides, and the terms in fading
// again, weighted by how late it is.
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
		// Prospects are sums of the terms, multiplied by their weights. With a single weight of one, the sum is that
		// term.
		var unit learned.Model
		unit.Weights[i] = 1
		w := weigh(&unit, pace, p.left())
		f[i] = p.outlook(&w)[seat]
	}
	return f, true
}

// Evaluate: the model's chance of the seat.
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

// outlook computes the present and expected worth of the seats. A search calls it for every move, hence the bit sets.
func (p *position) outlook(w *weighing) (worths [maxSeats]float64) {
	taken := p.taken
	if p.dutchman != nowhere {
		taken |= p.dutchman.bit()
	}
	full, one, two := missing(taken)
	// worth by kind: of a ship; of a captured ship; of the double-value counter of a boarded ship
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
	// the two bits of a ship's kind
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
