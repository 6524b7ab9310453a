package freebooter

import (
	"marque/games"
)

const (
	maxSeats    = 4
	startBoats  = 25 // boats in a player's pool
	startMoney  = 20 // chests of a player at the start, worth $1 each
	startSea    = 4  // sea cards in a first hand (FB-1)
	startLines  = 1  // Dutchman cards in a first hand (FB-1)
	salvage     = 2  // FB-4: $ from the bank instead of a boat
	plunder     = 2  // FB-6: $ from the bank for each boat around a warehouse
	debtCost    = 2  // FB-7: $ to repay for each borrowed $ at the end
	doubleWorth = 2  // FB-10: the factor of a doubled ship
)

// phase is the kind of decision that is due.
type phase int8

const (
	laying     phase = iota // chance lays the counters
	dealing                 // chance deals the hands; turn is the receiving seat
	turning                 // a seat chooses between FB-3, FB-4 and FB-5
	resolving               // a seat chooses the next encircled counter
	drawing                 // a seat chooses a stack
	givingSea               // chance gives a seat a sea card
	givingLine              // chance gives a seat a Dutchman card
	over
)

// ending is the reason why a game is over (FB-9).
type ending int8

const (
	notEnded        ending = iota
	seaStackEmpty          // FB-9a
	warehousesGone         // FB-9b
	playerBoatsGone        // FB-9c
)

// position is a position of the game as plain data, full or masked.
//
// In a masked position the hidden hands are empty, and their cards are part of the stacks (seaStack, lineStack). The
// sizes of the stacks and hands are stored separately, so that a viewer knows which cards are unseen, and how many are
// in each hand and stack.
type position struct {
	counters [counterKinds]set // points with a counter of each kind
	boarded  [maxSeats]set     // points of the ships with a boat of the seat's on them
	boats    [maxSeats]pairs   // squares with the seat's boats
	hands    [maxSeats]pairs   // sea cards in the known hands
	seaStack pairs             // sea cards that are in no known hand and were not played
	lying    set               // points with a counter: the union of counters
	taken    set               // squares with a boat: the union of boats
	waiting  set               // points of the encircled counters that are not resolved yet

	lines     [maxSeats]lineSet // Dutchman cards in the known hands
	lineStack lineSet           // Dutchman cards that are in no known hand and were not played
	money     [maxSeats]int16
	debt      [maxSeats]int16

	captured [maxSeats][values]uint8 // ships taken, by value
	pool     [maxSeats]uint8         // boats left
	seaHeld  [maxSeats]uint8         // number of sea cards in hand
	lineHeld [maxSeats]uint8         // number of Dutchman cards in hand
	seaLeft  uint8                   // number of cards in the sea stack
	lineLeft uint8                   // number of cards in the Dutchman stack

	doubled  uint8 // bit v: the double-value counter for ships with index v is next to the board
	hidden   uint8 // bit s: the hand of seat s is not known
	gone     uint8 // bit s: the player of seat s left the game
	dutchman square
	seats    int8
	turn     int8
	phase    phase
	ending   ending
}

// newPosition returns the position before the first counter is laid.
func newPosition(seats int) position {
	p := position{
		seaStack:  pairs{sea, inner},
		lineStack: allLines,
		lineLeft:  dutchmanCards,
		dutchman:  nowhere,
		seats:     int8(seats),
	}
	p.seaLeft = uint8(p.seaStack.size())
	for s := range seats {
		p.pool[s], p.money[s] = startBoats, startMoney
	}
	return p
}

func (p *position) toMove() games.Seat {
	switch p.phase {
	case turning, resolving, drawing:
		return games.Seat(p.turn)
	case over:
		return games.Nobody
	}
	return games.Chance
}

// nextPoint returns the first point without a counter during the setup (FB-1).
func (p *position) nextPoint() square { return (points &^ p.lying).lowest() }

// free returns the points of the ships that can be boarded (FB-3), which nobody has boarded yet.
func (p *position) free() set {
	ships := p.counters[ship5] | p.counters[ship10] | p.counters[ship15] | p.counters[ship20]
	return ships &^ (p.boarded[0] | p.boarded[1] | p.boarded[2] | p.boarded[3])
}

// at returns the counter on a point, or noCounter.
func (p *position) at(pt square) counter {
	for c := range p.counters {
		if p.counters[c].has(pt) {
			return counter(c)
		}
	}
	return noCounter
}

// boarder returns the seat whose boat is on the counter on a point, or games.Nobody.
func (p *position) boarder(pt square) games.Seat {
	for s := range int(p.seats) {
		if p.boarded[s].has(pt) {
			return games.Seat(s)
		}
	}
	return games.Nobody
}

func (p *position) isHidden(seat int) bool { return p.hidden>>uint(seat)&1 != 0 }
func (p *position) isGone(seat int) bool   { return p.gone>>uint(seat)&1 != 0 }

// mayDrawLine reports whether the player may draw from the Dutchman stack (FB-8). The stack must have cards, and the
// hand must have a sea card already.
func (p *position) mayDrawLine() bool { return p.lineLeft > 0 && p.seaHeld[p.turn] > 0 }

// appendMoves appends the legal moves of the seat to move, in a fixed order.
func (p *position) appendMoves(buf []games.Move) []games.Move {
	switch p.phase {
	case turning: // FB-2
		// FB-3. The pool is never empty here (FB-9c).
		for column := range side - 1 {
			for rest := p.free() & lines[column]; rest != 0; {
				buf = append(buf, boardAt(rest.take()))
			}
		}
		// FB-4. The hand has at least one sea card (FB-8), so there is always a legal move.
		for rest := p.hands[p.turn].one; rest != 0; {
			s := rest.take()
			buf = append(buf, sailTo(s))
			if p.taken.has(s) {
				buf = append(buf, sailMoney(s))
			}
		}
		// FB-5
		if cards := p.lines[p.turn]; cards != 0 {
			gaps := lastGaps(p.lying, p.taken)
			for cards != 0 {
				c := cards.take()
				for rest := gaps & lines[c]; rest != 0; {
					buf = append(buf, dutchmanTo(c, rest.take()))
				}
			}
		}
	case resolving: // FB-6
		for rest := p.waiting; rest != 0; {
			buf = append(buf, resolveAt(rest.take()))
		}
	case drawing: // FB-8
		buf = append(buf, drawFrom(seaStack))
		if p.mayDrawLine() {
			buf = append(buf, drawFrom(dutchmanStack))
		}
	}
	return buf
}

// givesSea reports whether the card that chance deals next is a sea card.
func (p *position) givesSea() bool {
	return p.phase == givingSea || p.phase == dealing && p.seaHeld[p.turn] < startSea
}

// appendOutcomes appends the possible outcomes of chance in a fixed order. Their weights are the numbers of counters or
// cards left (FB-1).
func (p *position) appendOutcomes(buf []games.Outcome) []games.Outcome {
	switch {
	case p.phase == laying:
		for c := range counterKinds {
			if left := supply[c] - p.counters[c].count(); left > 0 {
				buf = append(buf, games.Outcome{Move: lay(c), Weight: left})
			}
		}
	case p.toMove() != games.Chance:
	case p.givesSea():
		for rest := p.seaStack.one; rest != 0; {
			s := rest.take()
			buf = append(buf, games.Outcome{Move: dealSea(s), Weight: p.seaStack.of(s)})
		}
	default:
		for rest := p.lineStack; rest != 0; {
			buf = append(buf, games.Outcome{Move: dealLine(rest.take()), Weight: 1})
		}
	}
	return buf
}

// play plays a legal move or a possible outcome. In a masked position it also accepts a move that was masked for the
// same viewer. It appends the events of resolved counters to log unless log is nil.
func (p *position) play(m games.Move, log *[]event) {
	seat := int(p.turn)
	switch op(m) {
	case opLay:
		pt := p.nextPoint()
		p.counters[where(m)] |= pt.bit()
		p.lying |= pt.bit()
		if p.lying == points {
			p.phase = dealing
		}
	case opDealSea:
		p.seaStack.remove(where(m))
		p.hands[seat].add(where(m))
		p.dealt(seaStack)
	case opDealLine:
		p.lineStack &^= which(m).bit()
		p.lines[seat] |= which(m).bit()
		p.dealt(dutchmanStack)
	case opDealHidden:
		p.dealt(stack(where(m)))
	case opBoard: // FB-3
		p.pool[seat]--
		p.boarded[seat] |= where(m).bit()
		if !p.endedByBoats() {
			p.nextTurn()
		}
	case opSail: // FB-4
		p.discardSea(where(m))
		p.pool[seat]--
		p.boats[seat].add(where(m))
		p.taken |= where(m).bit()
		p.encircle(log)
	case opSailMoney: // FB-4
		p.discardSea(where(m))
		p.money[seat] += salvage
		p.endPlacement()
	case opDutchman: // FB-5
		p.discardLine(which(m))
		p.dutchman = where(m)
		p.encircle(log)
	case opResolve: // FB-6
		p.resolve(where(m), log)
		p.resolveLast(log)
	case opDraw: // FB-8
		p.phase = givingSea + phase(where(m))
	}
}

// dealt counts a card that the seat of the turn received. Then the next turn begins, or chance deals on.
func (p *position) dealt(from stack) {
	if from == seaStack {
		p.seaLeft--
		p.seaHeld[p.turn]++
	} else {
		p.lineLeft--
		p.lineHeld[p.turn]++
	}
	switch {
	case p.phase != dealing:
		p.nextTurn()
	case p.lineHeld[p.turn] == startLines: // FB-1: the seat's hand is complete
		p.turn++
		if p.turn == p.seats {
			p.turn, p.phase = 0, turning
		}
	}
}

// nextTurn begins the turn of the next seat that is still in the game.
func (p *position) nextTurn() { p.turn, p.phase = int8(p.next()), turning }

// next returns the next seat that is still in the game.
func (p *position) next() int {
	for seat := int(p.turn); ; {
		if seat++; seat == int(p.seats) {
			seat = 0
		}
		if !p.isGone(seat) {
			return seat
		}
	}
}

func (p *position) discardSea(s square) {
	seat := int(p.turn)
	if p.isHidden(seat) {
		p.seaStack.remove(s)
	} else {
		p.hands[seat].remove(s)
	}
	p.seaHeld[seat]--
}

func (p *position) discardLine(c dutchmanCard) {
	seat := int(p.turn)
	if p.isHidden(seat) {
		p.lineStack &^= c.bit()
	} else {
		p.lines[seat] &^= c.bit()
	}
	p.lineHeld[seat]--
}

// encircle finds the counters that a placement has encircled. A single one is resolved. Among several the player must
// choose (FB-6).
func (p *position) encircle(log *[]event) {
	taken := p.taken
	if p.dutchman != nowhere {
		taken |= p.dutchman.bit()
	}
	p.waiting = p.lying & ringed(taken)
	p.phase = resolving
	p.resolveLast(log)
}

// resolveLast resolves the counter if only one is waiting. If none is waiting, it ends the placement.
func (p *position) resolveLast(log *[]event) {
	if p.phase == over {
		return
	}
	if p.waiting != 0 && p.waiting&(p.waiting-1) == 0 {
		if p.resolve(p.waiting.lowest(), log); p.phase == over {
			return
		}
	}
	if p.waiting == 0 {
		p.endPlacement()
	}
}

// endPlacement takes the Dutchman off the board when all counters are resolved (FB-6). Then the game ends, or the
// player must draw a card.
func (p *position) endPlacement() {
	p.dutchman = nowhere // FB-5
	switch {
	case p.endedByBoats():
	case p.seaLeft == 0:
		p.finish(seaStackEmpty) // FB-9a
	default:
		p.phase = drawing // FB-8
	}
}

// endedByBoats ends the game if a pool is empty (FB-9c).
func (p *position) endedByBoats() bool {
	for s := range int(p.seats) {
		if p.pool[s] == 0 {
			p.finish(playerBoatsGone)
			return true
		}
	}
	return false
}

func (p *position) finish(why ending) {
	p.phase, p.ending = over, why
	p.dutchman, p.waiting = nowhere, 0
}

// resolve takes an encircled counter off the board (FB-6, FB-7).
func (p *position) resolve(pt square, log *[]event) {
	c := p.at(pt)
	e := event{counter: c, point: pt, owner: p.boarder(pt)}
	p.counters[c] &^= pt.bit()
	p.lying &^= pt.bit()
	p.waiting &^= pt.bit()
	switch {
	case c.isDouble():
		p.doubled |= 1 << uint(c.ship())
	case c == warehouse:
		for s := range int(p.seats) {
			e.paid[s] = int16(plunder * p.boats[s].within(pt.around()))
			p.money[s] += e.paid[s]
		}
		if p.counters[warehouse] == 0 {
			p.finish(warehousesGone) // FB-9b: the game ends immediately, and waiting counters stay
		}
	case e.owner != games.Nobody:
		p.capture(&e)
	}
	if log != nil {
		*log = append(*log, e)
	}
}

// capture gives an encircled ship to the seat that boarded it, which pays the helpers (FB-6, FB-7).
func (p *position) capture(e *event) {
	owner := int(e.owner)
	p.boarded[owner] &^= e.point.bit()
	p.pool[owner]++ // the boat returns before the loan, which needs a boat as its marker (FB-7)
	p.captured[owner][e.counter]++
	due := int16(0)
	for s := range int(p.seats) {
		if s == owner {
			continue
		}
		e.paid[s] = int16(e.counter.share() * p.boats[s].within(e.point.around()))
		p.money[s] += e.paid[s]
		due += e.paid[s]
	}
	if due > p.money[owner] {
		e.lent = due - p.money[owner]
		if p.debt[owner] == 0 {
			p.pool[owner]-- // the marker boat
		}
		p.debt[owner] += e.lent
		due = p.money[owner]
	}
	p.money[owner] -= due
}

// withdraw takes a player out of a game that continues for the others (FB-11). The player's boats, boarded ships and
// cards stay, but the player has no more turns. If the player would have to choose a counter, all waiting counters are
// resolved in the order in which they were laid.
func (p *position) withdraw(seat int) {
	p.gone |= 1 << uint(seat)
	if int(p.turn) != seat || p.phase == over {
		return
	}
	for p.waiting != 0 && p.phase != over {
		p.resolve(p.waiting.lowest(), nil)
	}
	p.dutchman = nowhere
	if p.phase != over && !p.endedByBoats() {
		p.nextTurn()
	}
}

// worth returns the value of a seat's captured ships at the end, with doubling (FB-10).
func (p *position) worth(seat int) int {
	sum := 0
	for v, n := range p.captured[seat] {
		each := counter(v).value()
		if p.doubled>>uint(v)&1 != 0 {
			each *= doubleWorth
		}
		sum += int(n) * each
	}
	return sum
}

// score returns a seat's score if the game ended now (FB-10).
func (p *position) score(seat int) int {
	return int(p.money[seat]) - debtCost*int(p.debt[seat]) + p.worth(seat)
}

// winners returns the remaining seats with the highest score. Equal scores share the win (FB-10).
func (p *position) winners() games.SeatSet {
	in := games.AllSeats(int(p.seats)) &^ games.SeatSet(p.gone)
	return in.Highest(func(seat games.Seat) int { return p.score(int(seat)) })
}

// event describes a resolved counter.
type event struct {
	counter counter
	point   square
	owner   games.Seat      // seat that had boarded the ship, or games.Nobody
	paid    [maxSeats]int16 // payments to each seat: shares of a ship, or plunder of a warehouse
	lent    int16           // loan to the owner for the shares
}
