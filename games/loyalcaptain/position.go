package loyalcaptain

import (
	"marque/games"
	"marque/games/deck"
)

// side is a colour. It differs from a seat, because under LC-9 seat 0 can play Blue.
type side uint8

const (
	red side = iota
	blue
)

func (c side) other() side { return c ^ 1 }

// phase is the kind of decision that is due, or the way the game ended.
type phase uint8

const (
	phaseOffer   phase = iota // LC-9: seat 0 places the first token of each colour
	phaseChoose               // LC-9: seat 1 chooses a colour
	phaseTurn                 // the mover's turn
	phaseAnswer               // LC-8: the mover proposed a stalemate, and the other player answers
	phaseStuck                // over by LC-7: the mover can neither place nor move and has lost
	phaseAgreed               // over by LC-8: the stalemate was accepted
	phaseSpent                // over by LC-8: the refuser's turns ran out
	phaseStopped              // only in pictures: ended other than by the rules
)

const (
	tokens     = 7  // number of a player's tokens
	quietTurns = 20 // LC-8: turns without a placement or capture before a stalemate may be proposed
	countTurns = 20 // LC-8: turns in which the refuser must win
)

// position is a position of the game. It is a small value, which State copies and Sim changes in place.
type position struct {
	back    [2]ways     // ways to which the tokens on deck have their backs, indexed by side
	on      [2]deck.Set // spaces with tokens, indexed by side
	reserve [2]uint8    // numbers of tokens not yet placed, indexed by side
	phase   phase
	mover   side       // side whose turn it is; the proposer while an answer is due
	red     games.Seat // seat that plays Red; 0 until the choice
	quiet   uint8      // turns since the last placement or capture, up to quietTurns; 0 during a count
	left    uint8      // LC-8: the refuser's remaining turns, 0 if no count runs
	refuser side       // side whose remaining turns are counted; red before a refusal
	open    ways       // the mover's possible turns, computed at the end of the previous turn for LC-7
}

// newPosition returns the position before the first move. Red moves first (LC-1).
func newPosition(offered bool) position {
	p := position{reserve: [2]uint8{tokens, tokens}, phase: phaseTurn}
	if offered {
		p.phase = phaseOffer
	}
	p.open = p.turns(p.mover)
	return p
}

func (p *position) seat(c side) games.Seat {
	if c == red {
		return p.red
	}
	return 1 - p.red
}

func (p *position) side(seat games.Seat) side {
	if seat == p.red {
		return red
	}
	return blue
}

// toMove returns the seat that must decide, or games.Nobody after the end.
func (p *position) toMove() games.Seat {
	switch p.phase {
	case phaseOffer:
		return 0
	case phaseChoose:
		return 1
	case phaseTurn:
		return p.seat(p.mover)
	case phaseAnswer:
		return p.seat(p.mover.other())
	default:
		return games.Nobody
	}
}

// loser returns the side that has lost. ok is false during the game and in a draw.
func (p *position) loser() (c side, ok bool) {
	switch p.phase {
	case phaseStuck:
		return p.mover, true
	case phaseSpent:
		return p.refuser, true
	default:
		return 0, false
	}
}

func (p *position) empty() deck.Set { return deck.All &^ (p.on[red] | p.on[blue]) }

// turns returns the ways along which c can take a turn (LC-2). A placement is the way from an empty hatch to the sea,
// while the reserve lasts (DK-6). A step leads to an empty space that is not behind the token (DK-4).
func (p *position) turns(c side) ways {
	empty := p.empty()
	ws := p.back[c].others() & into(empty)
	if p.reserve[c] > 0 {
		ws |= toSea(empty)
	}
	return ws
}

// mayPropose reports whether the mover may propose a stalemate (LC-8).
func (p *position) mayPropose() bool { return p.quiet == quietTurns && p.left == 0 }

// appendMoves appends the legal moves. In a turn these are placements by hatch, steps by start and end, and the
// proposal.
func (p *position) appendMoves(buf []games.Move) []games.Move {
	switch p.phase {
	case phaseOffer:
		for a := deck.Hatches; a != 0; {
			first := a.Take()
			for b := deck.Hatches.Without(first); b != 0; {
				buf = append(buf, offerMove(first, b.Take()))
			}
		}
	case phaseChoose:
		buf = append(buf, moveRed, moveBlue)
	case phaseAnswer:
		buf = append(buf, moveAccept, moveRefuse)
	case phaseTurn:
		for _, ws := range [2]ways{p.open & table.sea, p.open &^ table.sea} {
			for ws != 0 {
				buf = append(buf, games.Move(ws.take()))
			}
		}
		if p.mayPropose() {
			buf = append(buf, movePropose)
		}
	}
	return buf
}

// play plays a legal move and returns the captured tokens of each side.
func (p *position) play(m games.Move) (taken [2]deck.Set) {
	if m < wayCount {
		return p.turn(way(m))
	}
	switch m {
	case movePropose:
		p.phase = phaseAnswer
	case moveAccept:
		p.phase = phaseAgreed
	case moveRefuse:
		// LC-8: the count starts, and the proposer is to move.
		p.phase, p.refuser, p.left, p.quiet = phaseTurn, p.mover.other(), countTurns, 0
	case moveRed:
		p.phase, p.red = phaseTurn, 1
	case moveBlue:
		p.phase = phaseTurn
	default:
		p.phase = phaseChoose
		for c, h := range offered(m) {
			p.put(side(c), h)
		}
		p.open = p.turns(red)
	}
	return taken
}

// put places a token from the reserve on a hatch, with its back to the sea (DK-6).
func (p *position) put(c side, hatch deck.Space) {
	p.reserve[c]--
	p.on[c] = p.on[c].With(hatch)
	p.back[c] |= 1 << seaWay(hatch)
}

// turn plays the mover's turn along w: a placement if w leads to the sea, and otherwise a step. It removes and returns
// the captured tokens of each side, and ends the turn.
func (p *position) turn(w way) (taken [2]deck.Set) {
	us, them := p.mover, p.mover.other()
	from, at := w.from(), w.end()
	placed := w.places()
	p.on[us] = p.on[us].Without(from).With(at)
	p.back[us] = p.back[us].without(from) | 1<<table.back[w]
	if placed {
		p.reserve[us]--
	}
	// LC-5: first the other side's groups, then the mover's groups on the resulting board.
	taken[them] = p.capture(them, deck.Neighbours(at))
	taken[us] = p.capture(us, 1<<at)
	p.endTurn(placed, taken[us]|taken[them] != 0)
	return taken
}

// capture removes the captured groups of c that have a token in near (LC-4, LC-6), and returns their spaces. A turn can
// capture only the group of the token that it placed or moved, and groups next to that token. The space that a step
// leaves is empty and protects the groups next to it.
func (p *position) capture(c side, near deck.Set) (taken deck.Set) {
	// A token next to an empty space is safe, and so is its group.
	for near &= p.on[c] &^ around(p.empty()); near != 0; {
		group, beset := p.beset(c, near.Take())
		near &^= group
		if beset {
			taken |= group
		}
	}
	if taken == 0 {
		return 0
	}
	// The groups are tested together (LC-5): groups of the same side are not neighbours, so removing one does not save
	// another.
	p.on[c] &^= taken
	for rest := taken; rest != 0; {
		p.back[c] = p.back[c].without(rest.Take())
	}
	return taken
}

// beset reports whether the group of c's token on s is captured (LC-4). If it is not, the returned group may be
// incomplete.
func (p *position) beset(c side, s deck.Space) (group deck.Set, captured bool) {
	empty, own := p.empty(), p.on[c]
	group = 1 << s
	for {
		near := around(group)
		if near&empty != 0 {
			return group, false
		}
		grown := group | near&own
		if grown == group {
			break
		}
		group = grown
	}
	// LC-3: an opposing token does not threaten the space behind its back. If that space is in the group, the group is
	// not captured.
	return group, into(group)&p.back[c.other()] == 0
}

// endTurn passes the turn to the other side, and ends the game if the rules require it.
func (p *position) endTurn(placed, captured bool) {
	us := p.mover
	p.mover = us.other()
	counting := p.left > 0
	switch {
	case counting && captured:
		p.left = countTurns
	case counting && us == p.refuser:
		p.left--
	case counting:
	case placed || captured:
		p.quiet = 0
	case p.quiet < quietTurns:
		p.quiet++
	}
	p.open = p.turns(p.mover)
	switch {
	// LC-7 is tested before the count of LC-8.
	case p.open == 0:
		p.phase = phaseStuck
	case counting && p.left == 0:
		p.phase = phaseSpent
	}
}
