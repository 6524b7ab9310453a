package games

import (
	"fmt"
	"strings"

	"marque/games/text"
)

// PlayerError is an error that a player caused and can mend: Text tells them what was wrong and
// what would be right.
type PlayerError interface {
	error
	// Text is the sentence for the player.
	Text() text.Message
}

// ParseError says that a text is no legal move: what stood before the part that was not understood,
// and what could stand there.
type ParseError struct {
	Input string   // what was typed
	After string   // the notation understood so far; "" at the start
	Want  []string // keys that could follow, in the menu's order; empty when the move was complete there
	Got   string   // what stood there instead; "" when the text ended too early
}

// maxWant is how many of the possible continuations an error lists.
const maxWant = 12

// Error is the same in English, for the engine protocol and logs.
func (e *ParseError) Error() string {
	var b strings.Builder
	if e.After != "" {
		fmt.Fprintf(&b, "after %q: ", e.After)
	} else if e.Input != "" {
		fmt.Fprintf(&b, "not %q: ", e.Input)
	}
	want := e.Want
	if len(want) > maxWant {
		want = want[:maxWant]
	}
	switch len(want) {
	case 0:
		b.WriteString("nothing more")
	case 1:
		b.WriteString(want[0])
	default:
		b.WriteString(strings.Join(want[:len(want)-1], ", "))
		if len(e.Want) > maxWant {
			b.WriteString(", " + want[len(want)-1] + " ..")
		} else {
			b.WriteString(" or " + want[len(want)-1])
		}
	}
	return b.String()
}

// Text tells the player what could have been typed.
func (e *ParseError) Text() text.Message {
	want := e.Want
	more := 0
	if len(want) > maxWant {
		more = len(want) - maxWant
		want = want[:maxWant]
	}
	list := make([]text.Message, len(want))
	for i, w := range want {
		list[i] = text.Raw(w)
	}
	id := "move.error.start"
	switch {
	case len(e.Want) == 0:
		id = "move.error.end"
	case e.After != "" && more > 0:
		id = "move.error.after-many"
	case e.After != "":
		id = "move.error.after"
	case more > 0:
		id = "move.error.start-many"
	}
	return text.M(id, "Input", e.Input, "After", e.After, "Got", e.Got, "Want", text.Or(list), "More", more)
}

// SetupError says that a game cannot be set up so.
type SetupError struct {
	Game   string
	Seats  int    // the number asked for, when that was wrong
	Least  int    // the least number of seats
	Most   int    // the most
	Option string // the option that is unknown or has a wrong value
	Value  string
	Want   []string // the options there are, or the values it may have
}

// Error is the same in English, for the engine protocol and logs.
func (e *SetupError) Error() string {
	switch {
	case e.Option == "" && e.Least == e.Most:
		return fmt.Sprintf("%s is for %d players, not %d", e.Game, e.Least, e.Seats)
	case e.Option == "":
		return fmt.Sprintf("%s is for %d to %d players, not %d", e.Game, e.Least, e.Most, e.Seats)
	case e.Value == "":
		return fmt.Sprintf("%s has no option %q (options: %s)", e.Game, e.Option, strings.Join(e.Want, ", "))
	default:
		return fmt.Sprintf("%s cannot be %q (values: %s)", e.Option, e.Value, strings.Join(e.Want, ", "))
	}
}

// Text tells the player what the game allows.
func (e *SetupError) Text() text.Message {
	want := make([]text.Message, len(e.Want))
	for i, w := range e.Want {
		want[i] = text.Raw(w)
	}
	switch {
	case e.Option == "" && e.Least == e.Most:
		return text.M("setup.error.seats-exactly", "Game", text.M(e.Game+".name"), "Count", e.Least, "Seats", e.Seats)
	case e.Option == "":
		return text.M("setup.error.seats", "Game", text.M(e.Game+".name"), "Least", e.Least, "Count", e.Most, "Seats", e.Seats)
	case e.Value == "":
		return text.M("setup.error.option", "Game", text.M(e.Game+".name"), "Option", e.Option, "Want", text.Or(want), "Count", len(want))
	default:
		return text.M("setup.error.value", "Option", e.Option, "Value", e.Value, "Want", text.Or(want))
	}
}
