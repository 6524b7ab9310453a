package quedah

import (
	"marque/games"
	"marque/games/deck"
)

const (
	tokensEach   = 7  // number of a player's tokens (section Components of the rules)
	manyCaptives = 7  // QM-7: captives of both players together that end the game
	faces        = 3  // values of the die
	quietTurns   = 60 // QM-8: turns without a placement or a capture that end the game
)

// ending is the reason why a game is over.
type ending uint8

const (
	going    ending = iota
	captives        // QM-7a: seven tokens are captive
	stuck           // QM-7b: the player to move cannot use any roll
	unusable        // QM-7b with blocked=loses: the player to move cannot use this roll
	tooQuiet        // QM-8: quietTurns turns without a placement or a capture; a draw
)

// position is a complete position of the game, as a small value.
//
// A captor always holds exactly one token of the other colour (QM-4, QM-5), so the set of captors also locates the
// captives. The last step of a capture leads from the space behind a token to the token's space, so it ends in the
// stance of the captured token. A step therefore captures if its stance is in the opponent's set.
type position struct {
	tokens  [2]deck.StanceSet // free tokens of each seat
	holding deck.StanceSet    // tokens that hold a captive
	reserve [2]uint8
	turn    uint8 // the seat whose turn it is
	roll    uint8 // 0 before the die is rolled
	ended   ending
	strict  bool  // whether blocked=loses
	limited bool  // whether quiet=60
	quiet   uint8 // turns since the last placement or capture; counted only if limited
}

func newPosition(strict bool) position {
	return position{reserve: [2]uint8{tokensEach, tokensEach}, strict: strict}
}

// setup reports whether the player whose turn it is has not placed the first token yet (QM-1).
func (p *position) setup() bool { return p.reserve[p.turn] == tokensEach }

func (p *position) toMove() games.Seat {
	switch {
	case p.ended != going:
		return games.Nobody
	case p.roll == 0 && !p.setup():
		return games.Chance
	}
	return games.Seat(p.turn)
}

func (p *position) occupied() deck.StanceSet { return (p.tokens[0] | p.tokens[1]).Spread() }

// captivesOf returns the number of captives that seat holds.
func (p *position) captivesOf(seat int) int { return (p.holding & p.tokens[seat]).Len() }

// appendMoves appends the legal moves, ordered by the token's space, the end of its walk, the steps of freed tokens,
// and the new token's hatch.
func (p *position) appendMoves(buf []games.Move) []games.Move {
	switch {
	case p.ended != going || p.roll == 0 && !p.setup():
		return buf
	case p.setup():
		empty := deck.Hatches &^ p.occupied().Hatches()
		for empty != 0 {
			buf = append(buf, placeMove(empty.Take()))
		}
		return buf
	}
	before := len(buf)
	for own := p.tokens[p.turn]; own != 0; {
		from := own.Take()
		t := p.pickUp(from)
		for rest := t.plain | t.captures; rest != 0; {
			to := rest.Take()
			if t.plain.Has(to) {
				buf = t.appendPlacings(buf, stepMove(from.Space(), to), t.empty&^to.Set().Spread())
			} else {
				buf = t.appendCapture(buf, to)
			}
		}
	}
	if len(buf) == before {
		buf = append(buf, passMove) // QM-7: an unusable roll is passed
	}
	return buf
}

// lifted is a token that is picked up for its move, with its possible moves.
type lifted struct {
	from     deck.Stance
	empty    deck.StanceSet // stances on empty spaces, including the token's own space
	enemy    deck.StanceSet // stances of the opponent's tokens
	holding  deck.StanceSet
	brings   bool           // whether the move brings a new token on board (QM-3)
	plain    deck.StanceSet // empty spaces on which it can end
	captures deck.StanceSet // opposing tokens that its last step can enter from behind
}

// pickUp computes the possible moves of the token at from with the roll.
func (p *position) pickUp(from deck.Stance) lifted {
	t := lifted{from: from, enemy: p.tokens[1-p.turn], holding: p.holding, brings: p.brings(from)}
	t.empty = deck.AllStances&^p.occupied() | from.Set().Spread()
	t.plain, t.captures = p.reach(from, t.empty)
	return t
}

// brings reports whether a move of the token at from brings a new token on board (QM-3). This needs a token on a hatch
// at the start of its move, and a reserve.
func (p *position) brings(from deck.Stance) bool {
	return deck.HatchStances.Has(from) && p.reserve[p.turn] > 0
}

// reach returns the stances in which the token at from can end with the roll. plain are the stances on empty spaces.
// captures are the stances of tokens that the last step enters from behind.
func (p *position) reach(from deck.Stance, empty deck.StanceSet) (plain, captures deck.StanceSet) {
	at := from.Walk(int(p.roll), empty) // QM-2: all steps but the last into empty spaces
	if !p.holding.Has(from) {           // QM-5: a captor captures nobody
		captures = at & p.tokens[1-p.turn] // QM-4: no step comes from the sea, so a back to it is safe
	}
	return at & empty, captures
}

// appendPlacings appends the move once for every hatch on which the new token can be placed (QM-3). It appends the move
// unchanged if there is no new token or no empty hatch.
func (t *lifted) appendPlacings(buf []games.Move, m move, empty deck.StanceSet) []games.Move {
	if !t.brings || empty&deck.HatchStances == 0 {
		return append(buf, games.Move(m))
	}
	for hatches := empty.Hatches(); hatches != 0; {
		buf = append(buf, m.withHatch(hatches.Take()))
	}
	return buf
}

func (t *lifted) appendCapture(buf []games.Move, to deck.Stance) []games.Move {
	m := stepMove(t.from.Space(), to)
	if !t.holding.Has(to) {
		return t.appendPlacings(buf, m, t.empty)
	}
	return t.appendFreed(buf, m, 0, to, t.enemy&^to.Set())
}

// appendFreed appends m with every possible step of the token freed at stance at. n is the number of tokens that were
// freed before. Without a possible step it appends nothing, because m is not legal then (QM-6). The freed token has the
// space and the back of its holder.
func (t *lifted) appendFreed(buf []games.Move, m move, n int, at deck.Stance, enemy deck.StanceSet) []games.Move {
	for ways := at.Set().Step() & (t.empty | enemy); ways != 0; {
		to := ways.Take()
		step := m.withFreed(n, to.Space())
		switch {
		case t.empty.Has(to):
			buf = t.appendPlacings(buf, step, t.empty&^to.Set().Spread())
		case !t.holding.Has(to):
			buf = t.appendPlacings(buf, step, t.empty) // the freed token captures in turn (QM-4)
		default:
			buf = t.appendFreed(buf, step, n+1, to, enemy&^to.Set())
		}
	}
	return buf
}

// hasWay reports whether a token freed at stance at can step anywhere (QM-6).
func (t *lifted) hasWay(at deck.Stance, enemy deck.StanceSet) bool {
	ways := at.Set().Step() & (t.empty | enemy)
	if ways&^t.holding != 0 {
		return true
	}
	for ways != 0 {
		to := ways.Take()
		if t.hasWay(to, enemy&^to.Set()) {
			return true
		}
	}
	return false
}

// canUse reports whether the player whose turn it is can use this roll.
func (p *position) canUse(roll uint8) bool {
	// All tokens are tested together. Three steps never lead back to the starting space (DK-2), so the same spaces are
	// empty for all of them.
	own, empty := p.tokens[p.turn], deck.AllStances&^p.occupied()
	if own.Walk(int(roll), empty)&empty != 0 {
		return true
	}
	captures := (own&^p.holding).Walk(int(roll), empty) & p.tokens[1-p.turn] // QM-4, QM-5
	if captures&^p.holding != 0 || captures == 0 {
		return captures != 0
	}
	// Otherwise the roll can only be used to free a token that can step away (QM-6).
	after := *p
	after.roll = roll
	for own &^= p.holding; own != 0; {
		t := after.pickUp(own.Take())
		for t.captures != 0 {
			to := t.captures.Take()
			if t.hasWay(to, t.enemy&^to.Set()) {
				return true
			}
		}
	}
	return false
}

// appendOutcomes appends the faces of the die if a roll is due.
func (p *position) appendOutcomes(buf []games.Outcome) []games.Outcome {
	if p.toMove() != games.Chance {
		return buf
	}
	for face := 1; face <= faces; face++ {
		buf = append(buf, games.Outcome{Move: rollMove(face), Weight: 1})
	}
	return buf
}

// play plays a legal move, or an outcome while chance is due.
func (p *position) play(m games.Move) {
	before := p.reserve[p.turn]
	captive := false
	switch m := move(m); m.kind() {
	case rollKind:
		p.rolled(m.face())
		return
	case placeKind:
		p.place(m.target())
	case stepKind:
		captive = p.step(m)
	}
	if p.limited {
		p.quiet++
		if captive || p.reserve[p.turn] != before {
			p.quiet = 0
		}
	}
	p.endTurn()
}

func (p *position) rolled(face uint8) {
	p.roll = face
	if p.strict && !p.canUse(face) {
		p.ended = unusable
	}
}

func (p *position) place(hatch deck.Space) {
	p.tokens[p.turn] |= deck.StanceOf(hatch, deck.Sea).Set() // DK-6
	p.reserve[p.turn]--
}

// step moves a token. It reports whether the move captures. Freeing a friend captures the holder (QM-6).
func (p *position) step(m move) (captured bool) {
	from := p.tokens[p.turn].On(m.from())
	p.tokens[p.turn] &^= from
	to := m.to()
	captured = p.tokens[1-p.turn]&to.Set() != 0
	freed := p.enter(to)
	held := to.Set() // QM-4: the captive moves with its captor
	if p.holding&from == 0 {
		held = 0
	}
	p.holding = p.holding&^from | held
	for n := 0; freed; n++ { // QM-6
		to = deck.StanceOf(m.freed(n), to.Space())
		freed = p.enter(to)
	}
	if hatch, ok := m.hatch(); ok {
		p.place(hatch)
	}
	return captured
}

// enter puts a token of the player whose turn it is in the given stance, on top of a captured token if there is one
// (QM-4). frees reports whether that frees a friend, who then has the same stance (QM-6).
func (p *position) enter(to deck.Stance) (frees bool) {
	captive := p.tokens[1-p.turn] & to.Set()
	frees = captive&p.holding != 0
	p.holding |= captive
	p.tokens[1-p.turn] &^= captive
	p.tokens[p.turn] |= to.Set()
	return frees
}

// endTurn passes the turn and tests QM-7, then QM-8.
func (p *position) endTurn() {
	p.turn ^= 1
	p.roll = 0
	switch {
	case p.holding.Len() >= manyCaptives:
		p.ended = captives // QM-7a
	case !p.setup() && !p.canUse(1):
		// QM-7b: every walk begins with a legal walk of one step, so a player who cannot use a roll of 1 cannot use any
		// roll.
		p.ended = stuck
	case p.quiet >= quietTurns:
		p.ended = tooQuiet // QM-8
	}
}

// winner returns the seat that won an ended game. It must not be called for a draw.
func (p *position) winner() int {
	if p.ended == captives {
		if p.captivesOf(0) > p.captivesOf(1) {
			return 0
		}
		return 1
	}
	return 1 - int(p.turn)
}
