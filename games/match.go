package games

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"marque/games/fair"
	"marque/games/text"
)

// Header holds the properties of a match that are fixed before its first move.
type Header struct {
	Game    string      // key of the game
	Version int         // version of the game's rules (Game.Version)
	Setup   Setup       // seats and options
	Players []text.Name // names by seat, for records; may be empty
	// SHA-256 of the secret seed, in hex; "" if package fair does not draw dice and cards
	Commitment string
	Fairness   int      // version of package fair that draws dice and cards; 0 if it does not draw them
	Inputs     []string // the inputs mixed into every draw, in order
	// for each seat, its player's index in the order of joining; nil for a match that is not played at a table
	Seating []int
}

// Entry is one entry of a match's log.
type Entry struct {
	Seat Seat   // the seat that played; Chance for dice and cards
	Text string // the notation, or Resigns
	// Interaction is the id of the Discord interaction that caused the entry, or the random bytes of a web page
	// (fair.IsBytes). It is "" for an entry that followed from an earlier one, and for an entry by a computer player or
	// the clock.
	Interaction string
}

// Resigns is the text of a log entry for a seat that resigns. No game uses it as a notation.
const Resigns = "resigns"

// Ending is a way to end a match other than by the rules.
type Ending string

// The ways to end a match other than by the rules.
const (
	NotEnded  Ending = ""
	Resigned  Ending = "resigned"  // a player's resignation ended the match
	Agreed    Ending = "agreed"    // a draw agreed by all remaining players
	Abandoned Ending = "abandoned" // stopped without a result
)

// ErrOver is returned for a play, a resignation or an agreement after the end of a match.
var ErrOver = errors.New("the game is over")

// ErrChance is returned by Play and Resign while dice or cards are due, unless Play is called with a possible
// outcome.
var ErrChance = errors.New("dice or cards are due")

// ReplayError reports an entry of a log that the rules do not allow. Index counts from 0.
type ReplayError struct {
	Index int
	Entry Entry
	Err   error
}

func (e *ReplayError) Error() string {
	return fmt.Sprintf("entry %d (%q): %v", e.Index+1, e.Entry.Text, e.Err)
}

func (e *ReplayError) Unwrap() error { return e.Err }

// Match is one played game: its header and its log, from which the positions follow. A Match is not safe for concurrent
// use, but a Fork of it is independent.
type Match struct {
	game   Game
	header Header
	states []State // states[i] is the position after i entries
	log    []Entry
	moves  []Move // moves[i] is the code of log[i] in states[i]; 0 for Resigns
	out    uint64 // bit n is set if seat n resigned
	ending Ending
	result Result
}

// NewMatch starts a match of g with the header h. It sets h.Game and h.Version from g, and gives a default to each
// missing part of h.Setup. It returns a *SetupError if the game does not have that setup.
func NewMatch(g Game, h Header) (*Match, error) {
	setup, err := NewSetup(g, h.Setup.Seats, h.Setup.Options...)
	if err != nil {
		return nil, err
	}
	h.Game, h.Version, h.Setup = g.Key(), g.Version(), setup
	return &Match{game: g, header: h, states: []State{g.New(setup)}}, nil
}

// Replay plays a log from the start. It returns a *SetupError if the game does not have the setup of h, and a
// *ReplayError at the first entry that the rules do not allow.
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

// CameWith sets the interaction id of the last entry. The log must not be empty.
func (m *Match) CameWith(interaction string) { m.log[len(m.log)-1].Interaction = interaction }

// LastInteraction returns the last of the first n entries that has an interaction: its number, counted from 1, and the
// interaction's id. The number is 0 if no entry has one.
func (m *Match) LastInteraction(n int) (number int, id string) {
	for n > 0 && m.log[n-1].Interaction == "" {
		n--
	}
	if n == 0 {
		return 0, ""
	}
	return n, m.log[n-1].Interaction
}

// Mixed returns the texts that package fair mixes into a draw after n entries: the inputs, and the last interaction
// among those entries.
func (m *Match) Mixed(n int) []string {
	number, id := m.LastInteraction(n)
	if id == "" {
		return m.header.Inputs
	}
	return append(slices.Clip(m.header.Inputs), fair.Played(number, id))
}

// Fork returns a copy that can be continued without changing m. The copies share positions, which never change.
func (m *Match) Fork() *Match {
	c := *m
	c.states = m.states[:len(m.states):len(m.states)]
	c.log = m.log[:len(m.log):len(m.log)]
	c.moves = m.moves[:len(m.moves):len(m.moves)]
	return &c
}

// Game returns the game of the match.
func (m *Match) Game() Game { return m.game }

// Header returns the properties that were fixed before the first move.
func (m *Match) Header() Header { return m.header }

// State returns the current full position. It contains hidden information, so use View for people and computer players.
func (m *Match) State() State { return m.states[len(m.states)-1] }

// View returns the current position as viewer may see it.
func (m *Match) View(viewer Seat) View { return Look(m.State(), viewer) }

// Len returns the number of entries in the log.
func (m *Match) Len() int { return len(m.log) }

// Turn returns the number of turns that had begun after n entries. Texts for people count turns, and records count
// entries. A turn begins when the seat that moves did not make the previous move. Dice and cards begin no turn.
func (m *Match) Turn(n int) int {
	turns, last := 0, Chance
	for _, e := range m.log[:n] {
		if e.Seat != Chance && e.Seat != last {
			turns, last = turns+1, e.Seat
		}
	}
	return turns
}

// AfterTurn returns the number of entries before the turn that follows the given one, or Len if there is no such turn.
// AfterTurn(0) is the start of play, after the deal.
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

// At returns the full position after n entries, 0 <= n <= Len.
func (m *Match) At(n int) State { return m.states[n] }

// Log returns the log. The caller must not change it.
func (m *Match) Log() []Entry { return m.log }

// ToMove returns the seat that must decide now, Chance if dice or cards are due, or Nobody if the match is over.
func (m *Match) ToMove() Seat {
	if m.ending != NotEnded {
		return Nobody
	}
	return m.State().ToMove()
}

// Over reports whether the match is over.
func (m *Match) Over() bool { return m.ToMove() == Nobody }

// Ending returns how the match ended, or NotEnded if the rules ended it or it has not ended.
func (m *Match) Ending() Ending { return m.ending }

// Result returns the result of the match, by the rules or otherwise. It is zero before the end.
func (m *Match) Result() Result {
	if m.ending != NotEnded {
		return m.result
	}
	return m.State().Result()
}

// In reports whether seat is a seat of the match that is still in: it has not resigned, and the rules have not put it
// out (Eliminator).
func (m *Match) In(seat Seat) bool {
	if seat < 0 || int(seat) >= m.header.Setup.Seats || m.left(seat) {
		return false
	}
	e, ok := m.State().(Eliminator)
	return !ok || !e.Out(seat)
}

// left reports whether a seat has resigned.
func (m *Match) left(seat Seat) bool { return m.out>>uint(seat)&1 != 0 }

// StillIn returns the seats that are still in, in ascending order.
func (m *Match) StillIn() []Seat {
	var in []Seat
	for s := Seat(0); int(s) < m.header.Setup.Seats; s++ {
		if m.In(s) {
			in = append(in, s)
		}
	}
	return in
}

// Play plays a legal move of the seat to move, or an outcome while chance is due. It returns ErrOver if the match is
// over, ErrChance for an impossible outcome, and a *ParseError for an illegal move.
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
// *ParseError. Use Menu.Parse for text that a player typed: it ignores case and needless spaces.
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

// Resign takes seat out of the match (GE-3). If only one seat has not resigned, it wins. Otherwise, a Withdrawer
// continues by its own rule; in other games the remaining seats share the win. Resign returns ErrOver if the match
// is over, ErrChance while dice or cards are due, and ErrOut if seat is not in the match.
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
	w, goesOn := next.(Withdrawer)
	if goesOn && bits.OnesCount64(m.out) < m.header.Setup.Seats-1 {
		next = w.Withdraw(seat)
	} else {
		m.ending, m.result = Resigned, Result{Winners: m.StillIn()}
	}
	m.log = append(m.log, Entry{Seat: seat, Text: Resigns})
	m.moves = append(m.moves, 0)
	m.states = append(m.states, next)
	return nil
}

// ErrOut is returned for a seat that is not in the match, or no longer.
var ErrOut = errors.New("that seat is not in the game")

// End ends the match (GE-2). Agreed is a draw between all seats that are still in, and Abandoned has no result. End
// returns ErrOver if the match is over.
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

// Cut returns a match of the first n entries, 0 <= n <= Len. It leaves out an Ending that is Agreed or Abandoned.
func (m *Match) Cut(n int) *Match {
	c := m.Fork()
	if c.ending == Agreed || c.ending == Abandoned {
		c.ending, c.result = NotEnded, Result{}
	}
	for c.Len() > n && c.Undo() == nil {
	}
	return c
}

// Digest returns the first 16 bytes, in hex, of the SHA-256 of the game's key, the position, the length of the log and
// the seats that resigned. If a replay has another digest than the stored one, the rules or the log have changed.
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

// Trail returns the plays in the half-open interval [from, to) as viewer may see them, oldest first. Resignations are
// left out.
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

// ErrStart is returned by Undo for an empty log.
var ErrStart = errors.New("nothing has been played yet")

// Undo removes the last entry, which can be a resignation, and the Ending of the match. It returns ErrStart if the
// log is empty.
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
