package fair

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The versions of fairness say which texts are mixed into the draws of a table. A table keeps the
// one that it was opened under.
const (
	// First mixes the ids of the joins of those who are seated at the start, in the order of
	// joining.
	First = 1
	// Second mixes an Input for everything that happened to the seats before the start, those who
	// left again included, and for the start.
	Second = 2
)

// InputKind is what an Input stands for.
type InputKind string

// The kinds.
const (
	Opens    InputKind = "open"     // the host opened the table and sat down
	Joins    InputKind = "join"     // a person sat down
	Computer InputKind = "computer" // a computer player was seated
	Leaves   InputKind = "leave"    // a person got up
	Removes  InputKind = "remove"   // somebody else took a player from the table, a person or a computer
	Starts   InputKind = "start"    // the seats were final and the game began; always the last
)

// Seats reports whether somebody takes a seat by an input of this kind.
func (k InputKind) Seats() bool { return k == Opens || k == Joins || k == Computer }

// Vacates reports whether somebody gives a seat up by an input of this kind.
func (k InputKind) Vacates() bool { return k == Leaves || k == Removes }

// NoID stands for the id of an interaction where there was none.
const NoID = "-"

// Input is one text that is mixed into every draw of a table under Second.
type Input struct {
	Kind InputKind
	ID   string // of the interaction that brought it, as Discord gave it; NoID when none did
	Of   int    // of inputs that vacate a seat: by which input, counted from 1, its holder had come; 0 for others
}

// String is the text that is mixed in: "join 1297650035004182446", "leave 1297650036236938383 2".
func (in Input) String() string {
	id := in.ID
	if id == "" {
		id = NoID
	}
	if in.Kind.Vacates() {
		return fmt.Sprintf("%s %s %d", in.Kind, id, in.Of)
	}
	return string(in.Kind) + " " + id
}

// ParseInput reads what String wrote. Its error says what is wrong with anything else.
func ParseInput(text string) (Input, error) {
	words := strings.Split(text, " ")
	in := Input{Kind: InputKind(words[0])}
	want := 2
	switch {
	case in.Kind.Vacates():
		want = 3
	case !in.Kind.Seats() && in.Kind != Starts:
		return Input{}, fmt.Errorf("%q is none of %s, %s, %s, %s, %s and %s", words[0], Opens, Joins, Computer, Leaves, Removes, Starts)
	}
	if len(words) != want || words[1] == "" {
		return Input{}, fmt.Errorf("%q has not the %d words of a %q", text, want, in.Kind)
	}
	in.ID = words[1]
	if want == 3 {
		var err error
		if in.Of, err = strconv.Atoi(words[2]); err != nil || in.Of < 1 || words[2] != strconv.Itoa(in.Of) {
			return Input{}, fmt.Errorf("%q does not say by a number who had come", text)
		}
	}
	return in, nil
}

// ParseInputs reads the inputs of a table: the first opens it, and nothing follows a start. Its
// error says which of them does not fit, counted from 1.
func ParseInputs(texts []string) ([]Input, error) {
	list := make([]Input, len(texts))
	for i, t := range texts {
		in, err := ParseInput(t)
		switch {
		case err != nil:
		case i == 0 && in.Kind != Opens:
			err = errors.New("the first opens the table")
		case i > 0 && in.Kind == Opens:
			err = errors.New("only the first opens the table")
		case i > 0 && list[i-1].Kind == Starts:
			err = errors.New("nothing follows the start")
		case in.Kind.Vacates() && !slices.Contains(Seated(list[:i]), in.Of):
			err = fmt.Errorf("nobody sits there who came by number %d", in.Of)
		}
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i+1, err)
		}
		list[i] = in
	}
	return list, nil
}

// Seated are those who have a seat after these inputs, in the order of coming: the number of the
// input, counted from 1, by which each came.
func Seated(inputs []Input) []int {
	var seated []int
	for i, in := range inputs {
		switch {
		case in.Kind.Seats():
			seated = append(seated, i+1)
		case in.Kind.Vacates():
			seated = slices.DeleteFunc(seated, func(n int) bool { return n == in.Of })
		}
	}
	return seated
}
