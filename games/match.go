package games

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"marque/games/fair"
	"marque/games/text"
)

// Header holds the facts about a match that are fixed before its first move.
type Header struct {
	Game    string      // key of the game
	Version int         // of the rules, as Game.Version
	Setup   Setup       // seats and options
	Players []text.Name // names by seat, for records; may be empty
	// SHA-256 of the secret seed, in hex; "" for a match whose chance is not drawn by package fair
	Commitment string
	Fairness   int      // version of package fair that draws chance; 0 for such a match
	Inputs     []string // the inputs mixed into every draw, in order
	// by seat, the number of its player, from 0, among the players seated at the start in the order of joining; nil for
	// such a match
	Seating []int
}

// Entry is one line of a match's log.
type Entry struct {
	Seat Seat   // who played; Chance for dice and cards
	Text string // the notation, or Resigns
	// Interaction is the id of the interaction that caused the entry, or the random bytes of a page (fair.IsBytes). It
	// is "" for an entry that followed from an earlier one, and for entries of a computer or the clock.
	Interaction string
}

// Resigns is the log entry's text for a seat that gives up. It is no notation of any game.
const Resigns = "resigns"

// Ending says how a match ended that the rules did not end.
type Ending string

// The endings besides the game's own.
const (
	NotEnded  Ending = ""
	Resigned  Ending = "resigned"  // everybody else resigned
	Agreed    Ending = "agreed"    // a draw agreed by all who were still in
	Abandoned Ending = "abandoned" // stopped without a result
)

// ErrOver says that a match is over, so nothing can be played in it.
var ErrOver = errors.New("the game is over")

// ErrChance says that dice or cards are due where a move was asked for.
var ErrChance = errors.New("dice or cards are due")

// ReplayError says at which entry of a log, counted from 0, the rules disagree with it.
type ReplayError struct {
	Index int
	Entry Entry
	Err   error
}

func (e *ReplayError) Error() string {
	return fmt.Sprintf("entry %d (%q): %v", e.Index+1, e.Entry.Text, e.Err)
}

func (e *ReplayError) Unwrap() error { return e.Err }

// Match is a game being played: a header, and the log of everything that was played. The log is the
// truth, the positions follow from it. A Match is not safe for concurrent use; a Fork of it is
// independent.
type Match struct {
	game   Game
	header Header
	states []State // states[i] is the position after i entries
	log    []Entry
	moves  []Move // moves[i] is log[i] as a code of states[i]; unused for Resigns
	out    uint64 // bit n: seat n resigned
	ending Ending
	result Result
}

// NewMatch starts a match of g as h says; h.Game and h.Version are set from g. It
// returns a *SetupError when the game cannot be set up so.
func NewMatch(g Game, h Header) (*Match, error) {
	setup, err := NewSetup(g, h.Setup.Seats, h.Setup.Options...)
	if err != nil {
		return nil, err
	}
	h.Game, h.Version, h.Setup = g.Key(), g.Version(), setup
	return &Match{game: g, header: h, states: []State{g.New(setup)}}, nil
}

// Replay plays a log from the start. It returns a *ReplayError at the first entry that the rules
// do not allow.
func Replay(g Game, h Header, log []Entry) (*Match, error) {
	m, err := NewMatch(g, h)
	if err != nil {
		return nil, err
	}
	for i, e := range log {
		if err := m.replay(e); err != nil {
			return nil, &ReplayError{Index: i, Entry: e, Err: err}
		}
	}
	return m, nil
}

func (m *Match) replay(e Entry) error {
	var err error
	switch {
	case e.Text == Resigns:
		err = m.Resign(e.Seat)
	case e.Seat != m.ToMove():
		err = fmt.Errorf("played by %d, but %d was to move", e.Seat, m.ToMove())
	default:
		err = m.PlayExact(e.Text)
	}
	if err == nil && e.Interaction != "" {
		m.CameWith(e.Interaction)
	}
	return err
}

// CameWith notes the id of the interaction with which the last entry came, just after it was played.
func (m *Match) CameWith(interaction string) { m.log[len(m.log)-1].Interaction = interaction }

// LastInteraction is the last of the first n entries that came with an interaction: its number, counted from 1, and the
// interaction's id; 0 when none did.
func (m *Match) LastInteraction(n int) (number int, id string) {
	for n > 0 && m.log[n-1].Interaction == "" {
		n--
	}
	if n == 0 {
		return 0, ""
	}
	return n, m.log[n-1].Interaction
}

// Mixed are the texts that are mixed into a draw after n entries, as package fair has them: the
// inputs, and the last interaction that played before it.
func (m *Match) Mixed(n int) []string {
	number, id := m.LastInteraction(n)
	if id == "" {
		return m.header.Inputs
	}
	return append(slices.Clip(m.header.Inputs), fair.Played(number, id))
}

// Fork is a copy that can be played on without changing m. Positions are shared; they never change.
func (m *Match) Fork() *Match {
	c := *m
	c.states = m.states[:len(m.states):len(m.states)]
	c.log = m.log[:len(m.log):len(m.log)]
	c.moves = m.moves[:len(m.moves):len(m.moves)]
	return &c
}

// Game is the match's game.
func (m *Match) Game() Game { return m.game }

// Header holds the facts fixed before the first move.
func (m *Match) Header() Header { return m.header }

// State is the full position now. It knows everything: give views away, not this.
func (m *Match) State() State { return m.states[len(m.states)-1] }

// View is the position now as viewer may know it.
func (m *Match) View(viewer Seat) View { return Look(m.State(), viewer) }

// Len is the number of entries in the log.
func (m *Match) Len() int { return len(m.log) }

// Turn is how many turns had begun after n entries. What people read is numbered by turns, the record by its entries. A
// turn begins with a move of another seat than that of the move before; dice and cards that nobody plays begin none.
func (m *Match) Turn(n int) int {
	turns, last := 0, Chance
	for _, e := range m.log[:n] {
		if e.Seat != Chance && e.Seat != last {
			turns, last = turns+1, e.Seat
		}
	}
	return turns
}

// AfterTurn is the number of entries after which the next turn begins, or Len after the last; AfterTurn(0) is where the
// game was laid out.
func (m *Match) AfterTurn(turn int) int {
	last := Chance
	for n, e := range m.log {
		if e.Seat == Chance || e.Seat == last {
			continue
		}
		if turn--; turn < 0 {
			return n
		}
		last = e.Seat
	}
	return m.Len()
}

// At is the full position after n entries, 0 <= n <= Len.
func (m *Match) At(n int) State { return m.states[n] }

// Log is the log; it must not be changed.
func (m *Match) Log() []Entry { return m.log }

// ToMove is whose decision is due: Nobody when the match is over by the rules or by agreement.
func (m *Match) ToMove() Seat {
	if m.ending != NotEnded {
		return Nobody
	}
	return m.State().ToMove()
}

// Over reports whether the match is over.
func (m *Match) Over() bool { return m.ToMove() == Nobody }

// Ending says how the match ended if the rules did not end it.
func (m *Match) Ending() Ending { return m.ending }

// Result is how the match ended, by the rules or otherwise; zero before the end.
func (m *Match) Result() Result {
	if m.ending != NotEnded {
		return m.result
	}
	return m.State().Result()
}

// In reports whether seat plays on: it has not resigned.
func (m *Match) In(seat Seat) bool {
	return seat >= 0 && int(seat) < m.header.Setup.Seats && m.out>>uint(seat)&1 == 0
}

// StillIn are the seats that have not resigned, in rising order.
func (m *Match) StillIn() []Seat {
	var in []Seat
	for s := Seat(0); int(s) < m.header.Setup.Seats; s++ {
		if m.In(s) {
			in = append(in, s)
		}
	}
	return in
}

// Play plays a legal move of the seat to move, or an outcome while chance is due. It returns
// ErrOver when the match is over and a *ParseError when the move is not legal.
func (m *Match) Play(mv Move) error {
	s := m.State()
	switch m.ToMove() {
	case Nobody:
		return ErrOver
	case Chance:
		for _, o := range s.Outcomes() {
			if o.Move == mv {
				m.push(Chance, mv, Spell(s, mv))
				return nil
			}
		}
		return ErrChance
	}
	for _, legal := range s.Moves() {
		if legal == mv {
			m.push(s.ToMove(), mv, Spell(s, mv))
			return nil
		}
	}
	_, err := NewMenu(s).Parse("")
	return err
}

// PlayExact plays the move with exactly this notation, or the outcome while chance is due. It returns ErrOver or a
// *ParseError. Players' texts go through Menu.Parse, which forgives blanks and capitals.
func (m *Match) PlayExact(notation string) error {
	s := m.State()
	find := FindMove
	switch m.ToMove() {
	case Nobody:
		return ErrOver
	case Chance:
		find = FindOutcome
	}
	mv, err := find(s, notation)
	if err != nil {
		return err
	}
	m.push(s.ToMove(), mv, Spell(s, mv))
	return nil
}

func (m *Match) push(seat Seat, mv Move, spelled string) {
	next := m.State().Apply(mv)
	m.log = append(m.log, Entry{Seat: seat, Text: spelled})
	m.moves = append(m.moves, mv)
	m.states = append(m.states, next)
}

// Resign takes seat out of the match (GE-3). When one seat is left it wins. With more, a Withdrawer continues by its
// own rule; otherwise the remaining seats share the win. Resign returns ErrOver when the match is over, ErrChance while
// dice or cards are due, and ErrOut when seat is not in it.
func (m *Match) Resign(seat Seat) error {
	switch {
	case m.Over():
		return ErrOver
	case m.ToMove() == Chance:
		return ErrChance
	case !m.In(seat):
		return ErrOut
	}
	next := m.State()
	m.out |= 1 << uint(seat)
	in := m.StillIn()
	w, goesOn := next.(Withdrawer)
	if goesOn && len(in) > 1 {
		next = w.Withdraw(seat)
	} else {
		m.ending, m.result = Resigned, Result{Winners: in}
	}
	m.log = append(m.log, Entry{Seat: seat, Text: Resigns})
	m.moves = append(m.moves, 0)
	m.states = append(m.states, next)
	return nil
}

// ErrOut says that a seat is no longer in the match, or never was.
var ErrOut = errors.New("that seat is not in the game")

// End stops the match by agreement (GE-2): Agreed is a draw between all who are still in, Abandoned
// has no result. It returns ErrOver when the match is over.
func (m *Match) End(how Ending) error {
	if m.Over() {
		return ErrOver
	}
	m.ending = how
	m.result = Result{}
	if how == Agreed {
		m.result = Result{Winners: m.StillIn(), Drawn: true}
	}
	return nil
}

// Cut is a copy of the match after n entries, 0 <= n <= Len, which can be continued: it leaves out an agreement that
// ended the match then or later.
func (m *Match) Cut(n int) *Match {
	c := m.Fork()
	if c.ending == Agreed || c.ending == Abandoned {
		c.ending, c.result = NotEnded, Result{}
	}
	for c.Len() > n && c.Undo() == nil {
	}
	return c
}

// Digest identifies the position and how long the log is: the first 16 bytes of the SHA-256 of
// both, in hex. A replay that ends with another digest than the stored one was played by other
// rules.
func (m *Match) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %d\n", m.header.Game, len(m.log), m.out)
	b, err := m.State().MarshalJSON()
	if err != nil {
		panic(fmt.Sprintf("games: %s: a position without JSON: %v", m.header.Game, err))
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Trail are the plays of the entries in the half-open interval [from, to) as viewer may know them, oldest first.
// Resignations are left out.
func (m *Match) Trail(viewer Seat, from, to int) []Step {
	var steps []Step
	for i := max(from, 0); i < to; i++ {
		if m.log[i].Text == Resigns {
			continue
		}
		before := m.states[i]
		steps = append(steps, Step{Before: Mask(before, viewer), Seat: m.log[i].Seat,
			Move: MaskMove(before, m.moves[i], viewer)})
	}
	return steps
}

// ErrStart says that nothing has been played yet.
var ErrStart = errors.New("nothing has been played yet")

// Undo takes the last entry back, whatever it was. It returns ErrStart when there is none.
func (m *Match) Undo() error {
	last := len(m.log) - 1
	if last < 0 {
		return ErrStart
	}
	if e := m.log[last]; e.Text == Resigns {
		m.out &^= 1 << uint(e.Seat)
	}
	m.ending, m.result = NotEnded, Result{}
	m.log, m.moves, m.states = m.log[:last:last], m.moves[:last:last], m.states[:last+1:last+1]
	return nil
}
