package games

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/width"

	"marque/games/text"
)

// Teacher is a Game that has lessons.
type Teacher interface {
	// Lessons lists the game's lessons in the order of teaching.
	Lessons() []Lesson
}

// Lesson is a position with a task that a single play solves. The ids of its sentences are "<game>.lesson.<key>.title",
// ".task", ".hint", ".done" and ".miss".
type Lesson struct {
	Key string
	// the plays before the position, in the notation, separated by semicolons; the pupil is to move after them
	Line string
	Done func(Try) bool // reports whether a play solves the task
	Then string         // plays that follow automatically, to show the consequences, in the format of Line
	// Misses explain certain wrong plays, in place of the sentence ".miss". The first match is used.
	Misses []Miss
}

// Miss explains why certain plays do not solve a lesson. Its sentence has the id "<game>.lesson.<lesson
// key>.miss-<key>".
type Miss struct {
	Key string
	Is  func(Try) bool
}

// Try is a pupil's play in a lesson.
type Try struct {
	Before, After State // full positions
	Seat          Seat  // the pupil's seat
	Move          Move
}

// Lessons returns the lessons of g, or none if g is not a Teacher.
func Lessons(g Game) []Lesson {
	if t, ok := g.(Teacher); ok {
		return t.Lessons()
	}
	return nil
}

// Start returns the match at the beginning of a lesson of g. An error means that the lesson is faulty.
func (l Lesson) Start(g Game) (*Match, error) {
	m, err := NewMatch(g, Header{})
	if err != nil {
		return nil, err
	}
	for i, play := range Plays(l.Line) {
		if err := m.PlayExact(play); err != nil {
			return nil, fmt.Errorf("play %d of lesson %s of %s: %w", i+1, l.Key, g.Key(), err)
		}
	}
	return m, nil
}

// Plays splits a line of plays at semicolons (also full-width ones) and line breaks.
func Plays(line string) []string {
	return strings.FieldsFunc(width.Fold.String(line), func(r rune) bool { return r == ';' || r == '\n' })
}

// Miss returns a sentence that explains why a play does not solve the lesson.
func (l Lesson) Miss(g Game, t Try) text.Message {
	id := l.id(g, "miss")
	for _, m := range l.Misses {
		if m.Is(t) {
			id += "-" + m.Key
			break
		}
	}
	return text.M(id)
}

// Title returns the lesson's short name. Task returns the task, Hint a hint at the solution, and Praise a sentence
// about what the right play achieved.
func (l Lesson) Title(g Game) text.Message  { return text.M(l.id(g, "title")) }
func (l Lesson) Task(g Game) text.Message   { return text.M(l.id(g, "task")) }
func (l Lesson) Hint(g Game) text.Message   { return text.M(l.id(g, "hint")) }
func (l Lesson) Praise(g Game) text.Message { return text.M(l.id(g, "done")) }

func (l Lesson) id(g Game, what string) string { return g.Key() + ".lesson." + l.Key + "." + what }

// Writes reports whether the play has one of the given notations.
func (t Try) Writes(notations ...string) bool {
	return slices.Contains(notations, Spell(t.Before, t.Move))
}

// Takes reports whether the play takes something, by the game's Striker.
func (t Try) Takes() bool { return strikes(t.Before, t.Move, t.Seat) }

// Wins reports whether the play wins the game.
func (t Try) Wins() bool {
	r := t.After.Result()
	return t.After.ToMove() == Nobody && slices.Contains(r.Winners, t.Seat) && !r.Drawn
}

// Exposed reports whether another seat moves next and could take something, with some outcome of dice or cards.
func (t Try) Exposed() bool {
	_, exposed := Threat(t.After, t.Seat)
	return exposed
}

// Threat returns a line of plays, from a full state, with which the next seat to move takes something. The line
// includes dice and cards. The result is false if there is no such line, or if the next seat to move is but.
func Threat(s State, but Seat) ([]Move, bool) {
	for _, o := range s.Outcomes() {
		after := s.Apply(o.Move)
		if next := after.ToMove(); next >= 0 && next != but && strikes(s, o.Move, next) {
			return []Move{o.Move}, true // an outcome takes the prizes at the start of a turn (PI-2)
		}
		if line, ok := Threat(after, but); ok {
			return append([]Move{o.Move}, line...), true
		}
	}
	seat := s.ToMove()
	if seat < 0 || seat == but {
		return nil, false
	}
	for _, m := range s.Moves() {
		if strikes(s, m, seat) {
			return []Move{m}, true
		}
	}
	return nil, false
}

func strikes(s State, m Move, seat Seat) bool {
	st, ok := Mask(s, seat).(Striker)
	if !ok {
		return false
	}
	_, takes := st.Strike(MaskMove(s, m, seat), seat)
	return takes
}
