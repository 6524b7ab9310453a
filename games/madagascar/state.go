package madagascar

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"marque/games"
	"marque/games/text"
)

// state implements games.State with a position. Nothing is hidden.
type state struct {
	position
	past *past // the positions that could recur, this state's first
}

// past is a list of positions since the last placement or capture, newest first. Earlier positions had other tokens or
// towers and cannot recur. Lists share their tails and are immutable.
type past struct {
	line  string // encoding of everything that can differ between positions of the list
	hash  uint64 // hash of the position, as in Sim
	count int    // number of occurrences up to and including this one (MD-8)
	twice bool   // whether a position of the list has occurred twice, so that a third occurrence is possible
	prev  *past
}

// with returns the list with b as the newest position.
func (h *past) with(b *board) *past {
	count := h.times(b) + 1
	return &past{line: b.line(), hash: turnHash(b.towersHash(), b.turn), count: count, twice: count+1 >= manyTimes ||
		h != nil && h.twice, prev: h}
}

// times returns the number of occurrences of b in the list.
func (h *past) times(b *board) int {
	hash := turnHash(b.towersHash(), b.turn)
	for e := h; e != nil; e = e.prev {
		if e.hash == hash && e.line == b.line() {
			return e.count
		}
	}
	return 0
}

// manyTimes is the number of occurrences of a position that ends the game (MD-8) or that MD-9 forbids.
const manyTimes = 3

var (
	_ games.State      = state{}
	_ games.Withdrawer = state{}
	_ games.Eliminator = state{}
	_ games.Stopper    = state{}
)

func newState(seats int) state {
	p := newPosition(seats)
	return state{position: p, past: (*past)(nil).with(&p.board)}
}

func (s state) ToMove() games.Seat { return s.toMove() }

func (s state) Moves() []games.Move {
	moves := s.appendMoves(nil)
	if !s.forbids || !s.past.twice {
		return moves
	}
	moves = slices.DeleteFunc(moves, s.repeats)
	if len(moves) == 0 && s.ended == going {
		moves = append(moves, passMove) // MD-9: a player without another move passes, as in MD-2
	}
	return moves
}

// repeats reports whether a move would bring about a position for the third time (MD-9). A pass never does.
func (s state) repeats(m games.Move) bool {
	if m == passMove {
		return false
	}
	after := s.position
	return !after.play(m) && s.past.times(&after.board)+1 >= manyTimes
}

// Outcomes returns nil, because the game has no chance.
func (s state) Outcomes() []games.Outcome { return nil }

func (s state) Apply(m games.Move) games.State {
	if s.play(m) {
		s.past = nil
	}
	s.past = s.past.with(&s.board)
	if s.ended == going && !s.forbids && s.past.count >= manyTimes {
		s.ended = repeated
	}
	return s
}

// Forced returns the pass of a player who has no other legal move (MD-2, MD-9).
func (s state) Forced() (games.Move, bool) {
	if moves := s.Moves(); len(moves) == 1 && moves[0] == passMove {
		return passMove, true
	}
	return 0, false
}

// Withdraw removes a seat from a game of three. Its reserve leaves the game. Its towers stay, and nobody can move them
// until a player captures them.
func (s state) Withdraw(seat games.Seat) games.State {
	if s.out(uint8(seat)) {
		return s
	}
	s.withdraw(uint8(seat))
	s.past = (*past)(nil).with(&s.board)
	return s
}

// Stopped returns the position without earlier occurrences (MD-8), which only matter for moves to come.
func (s state) Stopped() games.State {
	s.past = (*past)(nil).with(&s.board)
	return s
}

// Out reports whether a seat has no tower and no reserve, or has left (MD-6).
func (s state) Out(seat games.Seat) bool { return s.out(uint8(seat)) }

// Result returns the winner, or the seats that share a draw, and the reason.
func (s state) Result() games.Result {
	switch s.ended {
	case won:
		winner := s.winners().Seats()[0]
		towers, _ := s.commands(uint8(winner))
		return games.Won(winner, text.M("madagascar.why.won", "Winner", text.Player(winner), "Count", towers,
			"Reserve", int(s.reserve[winner])))
	case allPassed:
		return games.Draw(s.winners(), text.M("madagascar.why.passed"))
	case repeated:
		return games.Draw(s.winners(), text.M("madagascar.why.repeated"))
	}
	return games.Result{}
}

// towerJSON is the JSON form of a tower: its space, the direction of its back, and its tokens' seats, bottom first.
type towerJSON struct {
	Space int    `json:"space"`
	Back  string `json:"back"` // number of a space, or "sea"
	Stack []int  `json:"stack"`
}

// seenJSON is the JSON form of a position since the last placement or capture, up to the current one: the player to
// move, each tower as space/back:stack, and the number of occurrences.
type seenJSON struct {
	Position string `json:"position"`
	Times    int    `json:"times"`
}

// MarshalJSON writes the whole position. The positions that count for MD-8 are sorted by their text, because their
// order does not matter.
func (s state) MarshalJSON() ([]byte, error) {
	out := struct {
		Turn    int         `json:"turn"`
		Reserve []int       `json:"reserve"`
		Towers  []towerJSON `json:"towers"`
		Gone    []int       `json:"gone,omitempty"`
		Repeats string      `json:"repetition,omitempty"` // "forbidden" if MD-9 applies
		Passes  int         `json:"passes"`
		Seen    []seenJSON  `json:"seen"`
		Ended   string      `json:"ended,omitempty"`
	}{Turn: int(s.turn), Passes: int(s.passes), Ended: endings[s.ended], Towers: []towerJSON{}, Seen: []seenJSON{}}
	if s.forbids {
		out.Repeats = repetitionValues[1]
	}
	for seat := range s.seats {
		out.Reserve = append(out.Reserve, int(s.reserve[seat]))
		if s.gone>>seat&1 != 0 {
			out.Gone = append(out.Gone, int(seat))
		}
	}
	for rest := s.all(); rest != 0; {
		st := rest.Take()
		t := towerJSON{Space: st.Space().Number(), Back: st.Back().String()}
		for i := range s.stacks[st.Space()].height() {
			t.Stack = append(t.Stack, int(s.stacks[st.Space()].layer(i)))
		}
		out.Towers = append(out.Towers, t)
	}
	for e := s.past; e != nil; e = e.prev {
		out.Seen = append(out.Seen, seenJSON{Position: e.line, Times: e.count})
	}
	slices.SortFunc(out.Seen, func(a, b seenJSON) int {
		return cmp.Or(strings.Compare(a.Position, b.Position), b.Times-a.Times)
	})
	out.Seen = slices.CompactFunc(out.Seen, func(a, b seenJSON) bool { return a.Position == b.Position })
	return json.Marshal(out)
}

var endings = [...]string{going: "", won: "won", allPassed: "passed", repeated: "repeated"}

// line encodes the player to move and the towers with their backs and stacks. This is everything in MD-8 except the
// reserves and the players who are out, which do not change between placements and captures.
func (b *board) line() string {
	out := make([]byte, 0, 128)
	out = append(out, '0'+b.turn)
	for rest := b.towers[0] | b.towers[1] | b.towers[2]; rest != 0; {
		st := rest.Take()
		out = append(out, ' ')
		out = append(out, st.Space().String()...)
		out = append(out, '/')
		out = append(out, st.Back().String()...)
		out = append(out, ':')
		for tower, i := b.stacks[st.Space()], 0; i < tower.height(); i++ {
			out = append(out, '0'+tower.layer(i))
		}
	}
	return string(out)
}
