package pirat

import (
	"math/bits"

	"marque/games"
)

const (
	leastSeats = 2
	mostSeats  = 5
	handSize   = 6  // cards in a first hand (PI-1)
	maxShips   = 21 // number of trading ships
)

// phase is the kind of decision that is due.
type phase uint8

const (
	dealing phase = iota // chance deals the first hands; turn is the receiving seat
	playing              // a seat decides
	drawing              // chance deals the card that a seat draws
	over
)

// nobody has the value of games.Nobody and fits an int8.
const nobody = -1

// ship is a trading ship in play with the attacks on it.
type ship struct {
	value  uint8
	owner  int8             // seat that launched it
	leader int8             // seat of the strongest attack; nobody if there is none, or several are the strongest
	used   uint8            // colours of the attacks on the ship, bit c for colour c
	color  [mostSeats]uint8 // colour of each seat's attack, as one bit; 0 if it has none
	power  [mostSeats]uint8 // strength of each seat's attack: skulls, plus its pirate's rank in the higher bits
}

// rank is the lowest bit of a pirate's rank in a power. All skulls of a colour add up to 25, so a pirate is stronger
// than any number of skulls. The pirate with the highest rank is the strongest (PI-6).
const rank = 32

// skulls returns the sum of the skulls of seat's attack.
func (s *ship) skulls(seat int) int { return int(s.power[seat] % rank) }

// pirate returns the rank of seat's pirate: 1 for the first pirate played on this ship, 2 for the second, and so on. It
// is 0 without a pirate.
func (s *ship) pirate(seat int) int { return int(s.power[seat] / rank) }

// colorOf returns the colour of seat's attack, which must exist.
func (s *ship) colorOf(seat int) color { return color(bits.TrailingZeros8(s.color[seat])) }

// colorsFor returns the set of colours with which seat can attack (PI-5): the colour of its attack on this ship, or
// else any unused colour.
func (s *ship) colorsFor(seat int) uint8 {
	if own := s.color[seat]; own != 0 {
		return own
	}
	return (1<<colors - 1) &^ s.used
}

// winner returns the seat that would get the ship now: the strongest attacker, the owner if there is no attack, or
// nobody if attacks are tied.
func (s *ship) winner() int8 {
	if s.used == 0 {
		return s.owner
	}
	return s.leader
}

// lead sets the leader. It sets nobody if several attacks are the strongest (PI-8), or if there is none.
func (s *ship) lead() {
	best := uint8(0)
	s.leader = nobody
	for seat, p := range s.power {
		if p > best {
			best, s.leader = p, int8(seat)
		} else if p == best {
			s.leader = nobody
		}
	}
}

// playable returns the lowest bits of the counters of the kinds that seat may play on the ship.
func (s *ship) playable(seat int) cards {
	set := colorFields[s.colorsFor(seat)] | // PI-5
		cards(s.color[seat])<<pirateShift // PI-6
	if int(s.owner) == seat && s.used != 0 { // PI-7
		set |= admiralField
	}
	return set
}

// position is a position of the game, complete or masked for a viewer. In a masked position the unknown hands are
// empty, but their sizes are right.
type position struct {
	seats    uint8
	phase    phase
	turn     int8 // seat to move, or the seat that receives a card
	stack    uint8
	launched uint8            // number of trading ships launched so far
	out      uint8            // bit i is set if seat i has left the game
	sizes    [mostSeats]uint8 // cards in each hand
	gold     [mostSeats]uint8 // gold on the ships that each seat has scored
	live     uint32           // trading ships in play, bit i for ship i, whose name is S<i+1>
	hands    [mostSeats]cards // hands that the viewer knows
	seen     cards            // all cards that were ever face up: played, discarded or shown by a player who left
	ships    [maxShips]ship   // ships by number; zero if not in play
}

// start returns the position before the first card is dealt.
func start(seats int) position {
	return position{seats: uint8(seats), stack: deckSize}
}

// unseen returns all cards that are neither in a known hand nor have ever been face up. In a complete position they are
// the stack.
func (p *position) unseen() cards {
	w := all - p.seen
	for _, h := range p.hands {
		w -= h
	}
	return w
}

func (p *position) toMove() games.Seat {
	switch p.phase {
	case playing:
		return games.Seat(p.turn)
	case over:
		return games.Nobody
	default:
		return games.Chance
	}
}

// appendMoves appends the legal moves in a fixed order: the draw, launches by value, plays on each ship by the card's
// kind, and discards by kind.
func (p *position) appendMoves(buf []games.Move) []games.Move {
	if p.phase != playing {
		return buf
	}
	seat := int(p.turn)
	have := p.hands[seat].present()
	if p.stack > 0 {
		buf = append(buf, move(draw, 0, 0)) // PI-3
	}
	for x := have & tradingFields; x != 0; x &= x - 1 {
		buf = append(buf, move(launch, 0, x.lowest())) // PI-4
	}
	for live := p.live; live != 0; live &= live - 1 {
		i := bits.TrailingZeros32(live)
		for x := have & p.ships[i].playable(seat); x != 0; x &= x - 1 {
			buf = append(buf, playOn(i, x.lowest()))
		}
	}
	if p.stack == 0 {
		for x := have &^ tradingFields; x != 0; x &= x - 1 { // PI-3: trading ships cannot be discarded
			buf = append(buf, move(discard, 0, x.lowest()))
		}
	}
	return buf
}

// appendOutcomes appends the cards that chance may deal, weighted by their numbers.
func (p *position) appendOutcomes(buf []games.Outcome) []games.Outcome {
	if p.phase != dealing && p.phase != drawing {
		return buf
	}
	left := p.unseen()
	for x := left.present(); x != 0; x &= x - 1 {
		k := x.lowest()
		buf = append(buf, games.Outcome{Move: move(deal, 0, k), Weight: left.count(k)})
	}
	return buf
}

// apply plays a move or an outcome and applies all automatic effects.
func (p *position) apply(m games.Move) {
	p.play(m)
	p.endTurn()
}

// play applies only the move itself. If the phase is playing afterwards, the turn or the deal is over.
func (p *position) play(m games.Move) {
	seat := int(p.turn)
	o, i, k := parts(m)
	switch o {
	case draw:
		p.phase = drawing
		return
	case deal:
		p.hands[seat] += units[k]
		p.sizes[seat]++
		p.stack--
		switch {
		case p.phase == drawing, p.sizes[seat] == handSize && seat == int(p.seats)-1:
			p.phase = playing
		case p.sizes[seat] == handSize: // PI-1: six cards for each seat, in seat order
			p.turn++
		}
		return
	}
	p.hands[seat] -= units[k]
	p.sizes[seat]--
	p.seen += units[k]
	switch o {
	case launch: // PI-4
		p.ships[p.launched] = ship{value: uint8(k.value()), owner: p.turn, leader: nobody}
		p.live |= 1 << p.launched
		p.launched++
	case attack: // PI-5
		s := &p.ships[i]
		s.color[seat] = 1 << k.color()
		s.used |= s.color[seat]
		s.power[seat] += uint8(k.skulls())
		s.lead()
	case raid: // PI-6: the latest pirate is the strongest
		s := &p.ships[i]
		highest := uint8(0)
		for _, pw := range s.power {
			highest = max(highest, pw/rank)
		}
		s.power[seat] += (highest + 1) * rank
		s.leader = p.turn
	case rescue: // PI-7
		p.score(i, seat)
	}
}

// endTurn ends a turn. Either the game ends, or the next seat takes its prizes and begins its turn.
func (p *position) endTurn() {
	if p.phase != playing {
		return
	}
	prizes, ended := p.due()
	if ended {
		p.phase = over
	} else {
		p.turn = p.next()
	}
	for ; prizes != 0; prizes &= prizes - 1 {
		i := bits.TrailingZeros32(prizes)
		p.score(i, int(p.ships[i].winner()))
	}
}

// isIn reports whether seat has not left the game.
func (p *position) isIn(seat int8) bool { return p.out>>seat&1 == 0 }

// next returns the seat of the next turn.
func (p *position) next() int8 {
	n := p.turn
	for {
		if n++; n == int8(p.seats) {
			n = 0
		}
		if p.isIn(n) {
			return n
		}
	}
}

// withdraw removes seat from a game that continues for the others (PI-11). Its hand leaves the game face up, and it has
// no more turns. Its ships and attacks stay. A ship that would go to the seat stays in play until another seat wins it.
func (p *position) withdraw(seat int8) {
	p.out |= 1 << seat
	p.seen += p.hands[seat]
	p.hands[seat], p.sizes[seat] = 0, 0
	if p.turn == seat {
		p.endTurn()
	}
}

// due returns the ships that are scored at the end of a turn. ended reports whether the game ends.
func (p *position) due() (prizes uint32, ended bool) {
	ended = p.ended()
	next := p.next()
	for live := p.live; live != 0; live &= live - 1 {
		i := bits.TrailingZeros32(live)
		// PI-2: the next seat scores the ships that it wins. PI-9: at the end, every seat does.
		if w := p.ships[i].winner(); w == next || ended && w != nobody && p.isIn(w) {
			prizes |= 1 << i
		}
	}
	return prizes, ended
}

// ended reports whether the stack and the hand of some remaining player are empty (PI-9).
func (p *position) ended() bool {
	if p.stack > 0 {
		return false
	}
	for seat, n := range p.sizes[:p.seats] {
		if n == 0 && p.isIn(int8(seat)) {
			return true
		}
	}
	return false
}

// score removes a trading ship from play and credits it to seat.
func (p *position) score(i, seat int) {
	p.gold[seat] += p.ships[i].value
	p.live &^= 1 << i
	p.ships[i] = ship{}
}

// total returns the seat's score: the gold of the ships that it has scored, minus that of the known trading ships in
// its hand (PI-10).
func (p *position) total(seat int) int {
	return int(p.gold[seat]) - p.hands[seat].gold()
}

// winners returns the remaining seats with the highest score (PI-10).
func (p *position) winners() games.SeatSet {
	in := games.AllSeats(int(p.seats)) &^ games.SeatSet(p.out)
	return in.Highest(func(seat games.Seat) int { return p.total(int(seat)) })
}
