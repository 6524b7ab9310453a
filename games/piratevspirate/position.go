package piratevspirate

import (
	"math"

	"marque/games"
)

// phase is the kind of decision that is due.
type phase uint8

const (
	opening phase = iota // PP-4: rolls decide the first turn
	turning              // PP-12: a seat sets the backs of its crew
	rolling              // PP-5: a seat rolls
	moving               // PP-5: a seat moves by the dice
	over
)

// reason is the way in which the game was won (PP-11).
type reason uint8

const (
	undecided reason = iota
	byGold
	bySilver
	byLast
)

// silverToWin is the number of silver coins at home that wins (PP-11).
const silverToWin = 2

// position is a complete position of the game. A pirate on a triangle with a coin always carries the coin, because a
// pirate takes every coin that it reaches (PP-7) and leaves a coin only by moving away (PP-8).
type position struct {
	crew   [maxSeats]set // the pirates of each seat
	backs  [edges]set    // the pirates with each side as their back; empty before backs are chosen (PP-12)
	silver set           // silver coins on the board, including carried coins
	gold   triangle      // triangle of the gold coin; nowhere after it is home

	seats     uint8
	facing    bool // whether backs are used (PP-12), because backstabbing is off
	phase     phase
	turn      uint8
	winner    uint8
	why       reason
	contest   uint8              // opening: the seats that roll in this round, as bits
	rolls     [maxSeats][2]uint8 // opening: dice of each seat in this round, zero before its roll
	dice      [2]uint8           // the roll, in the phase moving
	delivered [maxSeats]uint8    // silver coins brought home

	// quiet is the number of turns since the last attack, taken coin or delivery, including the turn of that event. It
	// stops at math.MaxUint8. Only the evaluation uses it.
	quiet uint8
}

// newPosition returns the starting position (PP-2, PP-3).
func newPosition(seats int, facing bool) position {
	l := layouts[seats]
	p := position{seats: uint8(seats), facing: facing, contest: 1<<seats - 1, gold: named(l.gold)}
	for _, name := range l.silver {
		p.silver = p.silver.with(named(name))
	}
	for seat, c := range l.corners {
		p.crew[seat] = homes[c].crew
	}
	return p
}

// corner returns the corner of a seat's rowboat.
func (p *position) corner(seat uint8) corner { return layouts[p.seats].corners[seat] }

// home returns the seat's rowboat.
func (p *position) home(seat uint8) *home { return &homes[p.corner(seat)] }

// pirates returns the triangles with a pirate.
func (p *position) pirates() set { return p.crew[0].or(p.crew[1]).or(p.crew[2]) }

// coins returns the triangles with a coin, whether carried or not.
func (p *position) coins() set {
	if p.gold == nowhere {
		return p.silver
	}
	return p.silver.with(p.gold)
}

// lying returns the triangles with a coin that nobody carries.
func (p *position) lying() set { return p.coins().less(p.pirates()) }

// back returns the side to which the pirate on t has its back, or noEdge.
func (p *position) back(t triangle) edge {
	for e := flat; e < noEdge; e++ {
		if p.backs[e].has(t) {
			return e
		}
	}
	return noEdge
}

// setBack sets the back of the pirate on t. noEdge removes it.
func (p *position) setBack(t triangle, back edge) {
	for e := range p.backs {
		p.backs[e] = p.backs[e].without(t)
	}
	if back != noEdge {
		p.backs[back] = p.backs[back].with(t)
	}
}

// unset returns the pirates of the seat whose backs are not chosen yet.
func (p *position) unset(seat uint8) set {
	return p.crew[seat].less(p.backs[flat]).less(p.backs[east]).less(p.backs[west])
}

// steps returns the number of steps that the pirate must go.
func (p *position) steps() int { return int(p.dice[0]) + int(p.dice[1]) }

func (p *position) toMove() games.Seat {
	switch p.phase {
	case over:
		return games.Nobody
	case opening, rolling:
		return games.Chance
	default:
		return games.Seat(p.turn)
	}
}

// appendMoves appends the legal moves, ordered by pirate, by whether its coin is carried or left, by destination, by
// taken coin, and by back.
func (p *position) appendMoves(buf []games.Move) []games.Move {
	switch p.phase {
	case turning:
		unset := p.unset(p.turn)
		t := unset.take()
		for e := flat; e < noEdge; e++ {
			buf = append(buf, setMove(t, e))
		}
		return append(buf, readyMove)
	case moving:
		first := len(buf)
		buf = p.appendSteps(buf)
		if len(buf) == first {
			return append(buf, passMove) // PP-5
		}
		if p.facing {
			buf = withBacks(buf, first)
		}
	}
	return buf
}

// withBacks replaces each move from index first by three moves, one for each new back (PP-12).
func withBacks(buf []games.Move, first int) []games.Move {
	n := len(buf) - first
	for range n * (edges - 1) {
		buf = append(buf, 0)
	}
	for i := n - 1; i >= 0; i-- {
		m := buf[first+i]
		for e := flat; e < noEdge; e++ {
			buf[first+i*edges+int(e)] = turnedTo(m, e)
		}
	}
	return buf
}

// appendSteps appends the possible moves of the pirates of the seat to move, without new backs.
func (p *position) appendSteps(buf []games.Move) []games.Move {
	table, steps := routes(), p.steps()
	mine, pirates := p.crew[p.turn], p.pirates()
	rivals, coins, carriers := pirates.less(mine), p.lying(), p.coins().and(mine)
	blocked := pirates.or(coins)
	for rest := mine; !rest.empty(); {
		from := rest.take()
		of := table.of[from][steps]
		ends := table.ends[of.first:of.end]
		if carriers.has(from) {
			first := len(buf)
			for i := range ends {
				// PP-7: a carrier may neither attack nor end on a coin.
				if e := &ends[i]; !blocked.has(e.to) && table.open(e, blocked) {
					buf = append(buf, stepMove(from, e.to))
				}
			}
			// PP-8: a pirate that has left its coin may neither attack nor end on a coin in this turn.
			for _, m := range buf[first:] {
				buf = append(buf, m|leftBit)
			}
			continue
		}
		for i := range ends {
			e := &ends[i]
			switch {
			case mine.has(e.to): // PP-6
			case rivals.has(e.to):
				// PP-7: a coin on the way would make the pirate a carrier, and carriers may not attack.
				if p.attackable(table, e, blocked) {
					buf = append(buf, stepMove(from, e.to)|attackBit)
				}
			case coins.has(e.to):
				// PP-7: the pirate takes this coin and must not pass another coin on its way.
				if table.open(e, blocked) {
					buf = append(buf, taking(stepMove(from, e.to), e.to))
				}
			default:
				buf = appendPast(buf, table, stepMove(from, e.to), e, pirates, coins)
			}
		}
	}
	return buf
}

// attackable reports whether a path reaches the pirate on e.to without crossing its back (PP-9, PP-12).
func (p *position) attackable(table *routeTable, e *end, blocked set) bool {
	if p.facing {
		return table.openPast(e, blocked, p.back(e.to))
	}
	return table.open(e, blocked)
}

// appendPast appends the moves to an empty triangle. m itself is appended if some path passes no coin. For each coin
// that is the only coin on some path, the move that takes it is appended (PP-7).
func appendPast(buf []games.Move, table *routeTable, m games.Move, e *end, pirates, coins set) []games.Move {
	if !e.some.meets(coins) {
		if table.open(e, pirates) {
			buf = append(buf, m)
		}
		return buf
	}
	free, taken := false, set{}
	for _, in := range table.inside[e.paths.first:e.paths.end] {
		if in.meets(pirates) {
			continue
		}
		passed := in.and(coins)
		if passed.empty() {
			free = true
		} else if passed.len() == 1 {
			taken = taken.or(passed)
		}
	}
	if free {
		buf = append(buf, m)
	}
	for !taken.empty() {
		buf = append(buf, taking(m, taken.take()))
	}
	return buf
}

// play plays a legal move or a possible outcome.
func (p *position) play(m games.Move) {
	switch kindOf(m) {
	case rollKind:
		p.roll(diceOf(m))
	case setKind:
		p.setBack(fromOf(m), backOf(m))
		p.afterBacks()
	case readyKind:
		backs := defaultBacks[p.corner(p.turn)]
		for rest := p.unset(p.turn); !rest.empty(); {
			t := rest.take()
			if t.up() {
				p.setBack(t, backs[0])
			} else {
				p.setBack(t, backs[1])
			}
		}
		p.afterBacks()
	case passKind:
		p.endTurn()
	case stepKind:
		p.step(m)
	}
}

// roll takes the dice of the opening (PP-4) or of a turn (PP-5).
func (p *position) roll(dice [2]uint8) {
	if p.phase == rolling {
		p.dice, p.phase = dice, moving
		return
	}
	p.rolls[p.turn] = dice
	for seat := p.turn + 1; seat < p.seats; seat++ {
		if p.contest>>seat&1 != 0 {
			p.turn = seat
			return
		}
	}
	var best, highest uint8
	for seat, r := range p.rolls {
		switch total := r[0] + r[1]; {
		case total > highest:
			best, highest = 1<<seat, total
		case total == highest:
			best |= 1 << seat
		}
	}
	p.rolls = [maxSeats][2]uint8{}
	p.turn = 0
	for best>>p.turn&1 == 0 {
		p.turn++
	}
	if best != 1<<p.turn {
		p.contest = best // PP-4: only the seats with the highest number roll again
		return
	}
	p.contest, p.phase = 0, rolling
	if p.facing {
		p.phase = turning
	}
}

// afterBacks moves on to the next pirate, the next seat, or the first turn (PP-12).
func (p *position) afterBacks() {
	if !p.unset(p.turn).empty() {
		return
	}
	p.nextSeat()
	if p.unset(p.turn).empty() { // all backs of the next player are set, so the round is over
		p.phase = rolling
	}
}

// step moves a pirate (PP-6 to PP-10).
func (p *position) step(m games.Move) {
	me, from, to := p.turn, fromOf(m), toOf(m)
	if m&attackBit != 0 {
		for seat := range p.crew { // PP-9: the victim's coin stays, now with the attacker
			p.crew[seat] = p.crew[seat].without(to)
		}
	}
	p.crew[me] = p.crew[me].without(from).with(to)
	if p.facing {
		p.setBack(from, noEdge)
		p.setBack(to, backOf(m))
	}
	if m&leftBit == 0 { // PP-8
		p.carry(from, to)
	}
	if coin := coinOf(m); coin != nowhere { // PP-7
		p.carry(coin, to)
	}
	if m&attackBit != 0 || coinOf(m) != nowhere {
		p.quiet = 0
	}
	h := p.home(me)
	if p.silver.has(to) && h.silver.has(to) { // PP-10
		p.silver = p.silver.without(to)
		p.delivered[me]++
		p.quiet = 0
		if p.delivered[me] == silverToWin {
			p.win(bySilver)
		}
	}
	if p.gold == to && h.gold == to {
		p.gold = nowhere
		p.win(byGold)
	}
	if p.phase != over && p.pirates() == p.crew[me] {
		p.win(byLast)
	}
	if p.phase != over {
		p.endTurn()
	}
}

// carry moves the coin on a triangle, if there is one, to another triangle.
func (p *position) carry(from, to triangle) {
	if p.silver.has(from) {
		p.silver = p.silver.without(from).with(to)
	}
	if p.gold == from {
		p.gold = to
	}
}

// win ends the game for the seat whose turn it is (PP-11).
func (p *position) win(why reason) {
	p.phase, p.winner, p.why, p.dice = over, p.turn, why, [2]uint8{}
}

// endTurn gives the turn to the next seat that still has pirates (PP-4, PP-11).
func (p *position) endTurn() {
	p.phase, p.dice = rolling, [2]uint8{}
	if p.quiet < math.MaxUint8 {
		p.quiet++
	}
	p.nextSeat()
}

// nextSeat moves on to the next seat that still has pirates (PP-11).
func (p *position) nextSeat() {
	p.turn = (p.turn + 1) % p.seats
	for p.crew[p.turn].empty() {
		p.turn = (p.turn + 1) % p.seats
	}
}

// withdraw takes a seat out of the game. Its pirates leave the board, their coins stay, and its turns are skipped
// (PP-11). If only one seat has pirates left, that seat wins.
func (p *position) withdraw(seat uint8) {
	if p.phase == over || p.crew[seat].empty() {
		return
	}
	for e := range p.backs {
		p.backs[e] = p.backs[e].less(p.crew[seat])
	}
	p.crew[seat] = set{}
	for s := range p.seats {
		if p.crew[s] == p.pirates() {
			p.turn = s
			p.win(byLast)
			return
		}
	}
	switch {
	case p.turn != seat:
	case p.phase == turning:
		p.afterBacks()
	default:
		p.endTurn()
	}
}
