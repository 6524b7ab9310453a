package freebooter

import (
	"encoding/json"

	"marque/games"
	"marque/games/text"
)

// state implements games.State with a position.
type state struct{ p position }

var (
	_ games.State             = state{}
	_ games.Withdrawer        = state{}
	_ games.CombinedDescriber = state{}
	_ games.Stopper           = state{}
)

func (s state) ToMove() games.Seat { return s.p.toMove() }

func (s state) Moves() []games.Move { return s.p.appendMoves(nil) }

func (s state) Outcomes() []games.Outcome { return s.p.appendOutcomes(nil) }

// Apply returns the position after a move or outcome. A masked state also accepts moves that were masked for the same
// viewer.
func (s state) Apply(m games.Move) games.State {
	s.p.play(m, nil)
	return s
}

// Forced returns the draw of a sea card if the Dutchman stack is empty (FB-8). If the stack has cards but the player
// holds no sea card, this draw is the only legal move, too, but the table leaves it to the player.
func (s state) Forced() (games.Move, bool) {
	if s.p.phase == drawing && s.p.lineLeft == 0 {
		return drawFrom(seaStack), true
	}
	return 0, false
}

func (s state) Withdraw(seat games.Seat) games.State {
	s.p.withdraw(int(seat))
	return s
}

// Stopped returns the position with no counter waiting for a choice (FB-6), because nobody chooses any more.
func (s state) Stopped() games.State {
	s.p.waiting = 0
	return s
}

func (s state) Result() games.Result {
	if s.p.phase != over {
		return games.Result{}
	}
	r := games.Result{Winners: s.p.winners().Seats(), Why: s.why()}
	for seat := range int(s.p.seats) {
		r.Scores = append(r.Scores, s.p.score(seat))
	}
	return r
}

// why returns the reason for the end (FB-9).
func (s state) why() text.Message {
	switch s.p.ending {
	case seaStackEmpty:
		return text.M("freebooter.why.sea")
	case warehousesGone:
		return text.M("freebooter.why.warehouses")
	}
	for seat := range int(s.p.seats) {
		if s.p.pool[seat] == 0 {
			return text.M("freebooter.why.boats", "Who", text.Player(seat))
		}
	}
	return text.Message{}
}

// stateJSON is a position as JSON. Squares, cards and counters have their names in the notation. Points have the name
// of their top left square.
type stateJSON struct {
	Seats    int           `json:"seats"`
	Phase    string        `json:"phase"`
	Turn     int           `json:"turn"`
	Counters []counterJSON `json:"counters"`
	Boats    []boatsJSON   `json:"boats"`
	Dutchman string        `json:"dutchman,omitempty"` // square of the Dutchman
	Waiting  []string      `json:"waiting,omitempty"`  // points of counters to resolve
	Doubled  []int         `json:"doubled"`            // values of the ships that count double
	Sea      int           `json:"seaStack"`           // number of cards in the stack
	Lines    int           `json:"dutchmanStack"`      // number of cards in the stack
	Discards []string      `json:"discards"`
	Players  []playerJSON  `json:"players"`
	Ending   string        `json:"ending,omitempty"`
}

type counterJSON struct {
	Point   string `json:"point"`
	Kind    string `json:"kind"`
	Boarded *int   `json:"boarded,omitempty"` // seat that boarded the ship
}

type boatsJSON struct {
	Square string `json:"square"`
	Seats  []int  `json:"seats"` // one entry for each boat
}

type playerJSON struct {
	Money    int         `json:"money"`
	Debt     int         `json:"debt"`
	Boats    int         `json:"boats"`
	Captured [values]int `json:"captured"` // numbers of captured ships of value 5, 10, 15 and 20
	Sea      int         `json:"seaCards"`
	Lines    int         `json:"dutchmanCards"`
	Hand     []string    `json:"hand"` // null if the hand is unknown
	Gone     bool        `json:"gone,omitempty"`
}

var phaseKeys = [over + 1]string{"lay", "deal", "turn", "resolve", "draw", "deal sea", "deal dutchman", "over"}

var endingKeys = [playerBoatsGone + 1]string{"", "sea stack", "warehouses", "boats"}

func (s state) MarshalJSON() ([]byte, error) {
	p := &s.p
	j := stateJSON{
		Seats: int(p.seats), Phase: phaseKeys[p.phase], Turn: int(p.turn), Ending: endingKeys[p.ending],
		Counters: []counterJSON{}, Boats: []boatsJSON{}, Doubled: []int{},
		Sea: int(p.seaLeft), Lines: int(p.lineLeft), Discards: p.discards(),
	}
	for rest := p.lying; rest != 0; {
		pt := rest.take()
		c := counterJSON{Point: pt.String(), Kind: counterKeys[p.at(pt)]}
		if b := int(p.boarder(pt)); b >= 0 {
			c.Boarded = &b
		}
		j.Counters = append(j.Counters, c)
	}
	for rest := p.taken; rest != 0; {
		sq := rest.take()
		j.Boats = append(j.Boats, boatsJSON{sq.String(), p.boatsAt(sq)})
	}
	if p.dutchman != nowhere {
		j.Dutchman = p.dutchman.String()
	}
	for rest := p.waiting; rest != 0; {
		j.Waiting = append(j.Waiting, rest.take().String())
	}
	for v := range values {
		if p.doubled>>uint(v)&1 != 0 {
			j.Doubled = append(j.Doubled, counter(v).value())
		}
	}
	for seat := range int(p.seats) {
		player := playerJSON{
			Money: int(p.money[seat]), Debt: int(p.debt[seat]), Boats: int(p.pool[seat]),
			Sea: int(p.seaHeld[seat]), Lines: int(p.lineHeld[seat]), Gone: p.isGone(seat),
		}
		for v, n := range p.captured[seat] {
			player.Captured[v] = int(n)
		}
		if !p.isHidden(seat) {
			player.Hand = cardKeys(p.hands[seat], p.lines[seat])
		}
		j.Players = append(j.Players, player)
	}
	return json.Marshal(j)
}

// boatsAt lists the seats with boats on a square, with one entry for each boat.
func (p *position) boatsAt(sq square) []int {
	var seats []int
	for s := range int(p.seats) {
		for range p.boats[s].of(sq) {
			seats = append(seats, s)
		}
	}
	return seats
}

// discards returns the cards that have been played: those that are neither in a hand nor in a stack.
func (p *position) discards() []string {
	seaCards, lines := p.seaStack, p.lineStack
	for s := range int(p.seats) {
		seaCards.addAll(p.hands[s])
		lines |= p.lines[s]
	}
	left := pairs{one: sea&^seaCards.one | inner&^seaCards.two, two: inner &^ seaCards.one}
	return cardKeys(left, allLines&^lines)
}

// cardKeys returns the names of sea cards by square, then those of Dutchman cards. The list is never nil.
func cardKeys(seaCards pairs, lines lineSet) []string {
	keys := make([]string, 0, seaCards.size()+lines.count())
	for rest := seaCards.one; rest != 0; {
		sq := rest.take()
		for range seaCards.of(sq) {
			keys = append(keys, sq.String())
		}
	}
	for lines != 0 {
		keys = append(keys, dutchmanKeys[lines.take()])
	}
	return keys
}
