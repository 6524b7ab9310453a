package madagascar

import (
	"marque/games"
	"marque/games/deck"
)

const (
	maxSeats = 3
	hatches  = 6
)

// tokensEach has the number of a player's tokens, indexed by the number of seats (section Components of the rules).
var tokensEach = [maxSeats + 1]uint8{2: 7, 3: 6}

// ending is the reason why a game is over.
type ending uint8

const (
	going     ending = iota
	won              // MD-7: every other player is out
	allPassed        // MD-8: all remaining players have passed in succession
	repeated         // MD-8: the position has occurred for the third time
)

// board holds everything that must be equal in equal positions (MD-8): towers with their backs, stacks in order,
// reserves, the players who are out, and the player to move.
type board struct {
	towers  [maxSeats]deck.StanceSet // towers that each seat owns, because its token is on top
	stacks  [deck.Spaces]stack       // stack on each space; 0 if it is empty
	reserve [maxSeats]uint8
	gone    uint8 // seats that left the game, as bits
	seats   uint8
	turn    uint8
	first   uint8 // empty hatches to fill before the first move (MD-1)
}

// position is a board with everything else that the rules need, except the earlier positions.
type position struct {
	board
	passes  uint8 // number of passes in succession
	ended   ending
	forbids bool // whether repetition=forbidden (MD-9)
}

func newPosition(seats int) position {
	p := position{board: board{seats: uint8(seats), first: hatches}}
	for s := range seats {
		p.reserve[s] = tokensEach[seats]
	}
	return p
}

func (p *position) toMove() games.Seat {
	if p.ended != going {
		return games.Nobody
	}
	return games.Seat(p.turn)
}

// setup reports whether the players are still placing their first tokens (MD-1).
func (p *position) setup() bool { return p.first > 0 }

func (p *position) all() deck.StanceSet { return p.towers[0] | p.towers[1] | p.towers[2] }

// out reports whether seat is no longer in the game (MD-6).
func (b *board) out(seat uint8) bool {
	return b.gone>>seat&1 != 0 || b.towers[seat] == 0 && b.reserve[seat] == 0
}

// playing returns the number of seats that are not out.
func (b *board) playing() int {
	n := 0
	for s := range b.seats {
		if !b.out(s) {
			n++
		}
	}
	return n
}

// reach returns the stances in which the tower at from can end (MD-3, MD-4). all has the stances of all towers, and
// occupied has every stance on their spaces. A walk depends only on the tower's space and back, so sets of stances
// represent all walks of a length. Walks that end in the same stance are the same move.
func (p *position) reach(from deck.Stance, all, occupied deck.StanceSet) deck.StanceSet {
	empty := deck.AllStances&^occupied | from.Set().Spread() // the tower's own space counts as empty
	// MD-4: a tower can be captured only from behind. The capturing token then has the stance of the captured tower. No
	// step comes from the sea.
	enemy := all &^ p.towers[p.turn]
	return from.Walk(p.stacks[from.Space()].height(), empty) & (empty | enemy)
}

// appendMoves appends the legal moves: placements by hatch, and walks by the tower's space and their end.
func (p *position) appendMoves(buf []games.Move) []games.Move {
	if p.ended != going {
		return buf
	}
	before := len(buf)
	for empty := p.placings(); empty != 0; {
		buf = append(buf, placeMove(empty.Take()))
	}
	if !p.setup() {
		all := p.all()
		occupied := all.Spread()
		for own := p.towers[p.turn]; own != 0; own = own.Rest() {
			from := own.First()
			for to := p.reach(from, all, occupied); to != 0; to = to.Rest() {
				buf = append(buf, walkMove(from.Space(), to.First()))
			}
		}
	}
	if len(buf) == before {
		buf = append(buf, passMove) // MD-2
	}
	return buf
}

// placings returns the hatches on which the player to move can place a token.
func (p *position) placings() deck.Set {
	if p.reserve[p.turn] == 0 {
		return 0
	}
	return deck.Hatches &^ p.all().Hatches()
}

// play plays a legal move. final reports whether no earlier position can recur, as after a placement or a capture.
func (p *position) play(gm games.Move) (final bool) {
	captured := false
	switch m := move(gm); m.kind() {
	case passKind:
		p.passes++
	case placeKind:
		p.passes = 0
		p.place(m.hatch())
		final = true
	case walkKind:
		p.passes = 0
		captured = p.walk(m.from(), m.to())
		final = captured
	}
	p.nextTurn()
	if captured || p.passes > 0 { // only a capture puts a player out, and only a pass completes a round of passes
		p.testEnd()
	}
	return final
}

func (p *position) place(hatch deck.Space) {
	p.towers[p.turn] |= deck.StanceOf(hatch, deck.Sea).Set() // DK-6
	p.stacks[hatch] = single(p.turn)
	p.reserve[p.turn]--
	p.first -= min(p.first, 1)
}

func (p *position) walk(from deck.Space, to deck.Stance) (captured bool) {
	mover, at := p.stacks[from], to.Set()
	p.stacks[from] = 0
	p.towers[p.turn] = p.towers[p.turn]&^p.towers[p.turn].On(from) | at
	under := p.stacks[to.Space()]
	if captured = under != 0; captured { // MD-4: the mover's stack goes on top
		p.towers[under.top()] &^= at
	}
	p.stacks[to.Space()] = mover.on(under)
	return captured
}

// nextTurn begins the turn of the next seat that is not out (MD-6).
func (b *board) nextTurn() {
	for {
		if b.turn++; b.turn == b.seats {
			b.turn = 0
		}
		if !b.out(b.turn) {
			return
		}
	}
}

// testEnd ends the game if the rules require it, except for repeated positions.
func (p *position) testEnd() {
	switch n := p.playing(); {
	case n == 1:
		p.ended = won // MD-7
	case int(p.passes) >= n:
		p.ended = allPassed // MD-8
	}
}

// withdraw takes a seat out of the game. Its reserve leaves the game. Its towers stay until they are captured.
func (p *position) withdraw(seat uint8) {
	p.gone |= 1 << seat
	p.reserve[seat] = 0
	if p.turn == seat {
		p.nextTurn()
	}
	p.testEnd()
}

// winners returns the seats that are not out: the winner, or all players who share the draw.
func (p *position) winners() (in games.SeatSet) {
	for s := range p.seats {
		if !p.out(s) {
			in.Add(games.Seat(s))
		}
	}
	return in
}
