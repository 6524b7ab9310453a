package games

import (
	"fmt"
	"strings"

	"marque/games/text"
)

// PlayerError is an error that a player caused and can correct.
type PlayerError interface {
	error
	// Text explains the error to the player.
	Text() text.Message
}

// ParseError reports that a text is not a legal move, or not a possible outcome. It holds the reason, if a rule gives
// one, the part of the text that was understood, and the possible continuations.
type ParseError struct {
	Input string   // the text that was typed
	After string   // the notation understood so far; "" at the start
	Want  []string // possible keys of the next word, or possible outcomes, in the game's order; empty for none
	Got   string   // the rest of the text, which does not fit; "" when the text ended too early
	Why   Reason   // the Refuser's reason; zero if no rule gives a reason

	from string       // the space that a piece would leave, if Want lists destinations
	ask  text.Message // the question that the next word answers
	seps []string     // the separator before each key of Want
}

// maxWant is the maximum number of continuations that an error lists.
const maxWant = 12

// Error returns the explanation in English, for the engine protocol and logs.
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
	if e.Why.Rule != "" {
		b.WriteString(" (" + e.Why.Rule + ")")
	}
	return b.String()
}

// Text explains why the move is impossible, or which part of the text cannot be read and how it could continue.
func (e *ParseError) Text() text.Message {
	switch next := e.next(); {
	case e.Why.Rule != "" && e.helps():
		return text.M("move.error.because-next", "Input", e.Input, "Why", e.Why.Why, "Next", next)
	case e.Why.Rule != "":
		return text.M("move.error.because", "Input", e.Input, "Why", e.Why.Why)
	case e.After == "" && e.Got == "": // nothing, or only quotes and invisible characters
		return text.M("move.error.empty", "Next", next)
	case len(e.Want) == 0:
		return text.M("move.error.end", "Input", e.Input, "After", e.After)
	case e.Got == "":
		return text.M("move.error.unfinished", "Input", e.Input, "Next", next)
	case e.After == "":
		return text.M("move.error.start", "Input", e.Input, "Next", next)
	default:
		return text.M("move.error.after", "Input", e.Input, "Got", e.Got, "After", e.After, "Next", next)
	}
}

// helps reports whether the continuations are useful besides the reason why the move is impossible: the piece has other
// destinations, or another word fits.
func (e *ParseError) helps() bool {
	if e.After == "" || len(e.Want) == 0 || e.Got == "" {
		return false
	}
	for i, key := range e.Want {
		if e.from == "" && e.seps[i] != " " {
			return false
		}
		typed := strings.TrimLeft(e.Got, "-x")
		if strings.HasPrefix(typed, normal(key)) && !splits(typed, len(key)) {
			return false
		}
	}
	return true
}

// next returns the possible continuations as a list for the player.
func (e *ParseError) next() text.Message {
	want := make([]text.Message, 0, len(e.Want))
	for i, key := range e.Want {
		if e.from == "" && e.After != "" && strings.TrimSpace(e.seps[i]) != "" {
			key = e.seps[i] + key
		}
		want = append(want, text.Raw(key))
	}
	more := max(0, len(want)-maxWant)
	list := text.Or(want[:len(want)-more])
	switch {
	case e.After == "" && more > 0:
		return text.M("move.next.start-many", "Want", list)
	case e.After == "":
		return text.M("move.next.start", "Want", list)
	case e.from != "" && more > 0:
		return text.M("move.next.go-many", "From", e.from, "Want", list)
	case e.from != "":
		return text.M("move.next.go", "From", e.from, "Want", list)
	case more > 0:
		return text.M("move.next.ask-many", "After", e.After, "Ask", e.ask, "Want", list)
	default:
		return text.M("move.next.ask", "After", e.After, "Ask", e.ask, "Want", list)
	}
}

// SetupError reports that a game does not have the number of seats, option or value that was asked for.
type SetupError struct {
	Game   string
	Seats  int    // the invalid number of seats; 0 if the number is valid
	Least  int    // the least number of seats
	Most   int    // the greatest number of seats
	Option string // key of the unknown option, or of the option with an invalid value
	Known  bool   // whether the game has Option
	Value  string
	Want   []string // the existing options, or the possible values of Option
}

// Error returns the explanation in English, for the engine protocol and logs.
func (e *SetupError) Error() string {
	switch {
	case e.Seats != 0 && e.Least == e.Most:
		return fmt.Sprintf("%s is for %d players, not %d", e.Game, e.Least, e.Seats)
	case e.Seats != 0:
		return fmt.Sprintf("%s is for %d to %d players, not %d", e.Game, e.Least, e.Most, e.Seats)
	case !e.Known:
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
	case e.Seats != 0 && e.Least == e.Most:
		return text.M("setup.error.seats-exactly", "Game", text.M(e.Game+".name"), "Count", e.Least, "Seats", e.Seats)
	case e.Seats != 0:
		return text.M("setup.error.seats", "Game", text.M(e.Game+".name"), "Least", e.Least, "Count", e.Most,
			"Seats", e.Seats)
	case !e.Known && len(want) == 0:
		return text.M("setup.error.no-options", "Game", text.M(e.Game+".name"))
	case !e.Known:
		return text.M("setup.error.option", "Game", text.M(e.Game+".name"), "Option", e.Option, "Count", len(want),
			"Want", want)
	default:
		return text.M("setup.error.value", "Option", e.Option, "Value", e.Value, "Want", text.Or(want))
	}
}
