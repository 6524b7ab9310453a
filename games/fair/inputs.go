package fair

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is the version of the method that derives draws from the seed, the inputs, the interactions and the log
// positions. This program can neither check a record nor continue a table with another version.
const Version = 4

// InputKind is the kind of an Input.
type InputKind string

// The kinds of inputs.
const (
	Opens    InputKind = "open"     // the host opened the table and took a seat
	Joins    InputKind = "join"     // a user took a seat
	Computer InputKind = "computer" // a computer player was seated
	Leaves   InputKind = "leave"    // a user left the table
	Removes  InputKind = "remove"   // a user removed a player, who can be a computer, from the table
	Pairs    InputKind = "pairing"  // the table belongs to a competition; always directly before the start
	Starts   InputKind = "start"    // the game began with its final seats; always last
)

// Seats reports whether an input of this kind gives a player a seat.
func (k InputKind) Seats() bool { return k == Opens || k == Joins || k == Computer }

// Vacates reports whether an input of this kind frees a seat.
func (k InputKind) Vacates() bool { return k == Leaves || k == Removes }

// Numbered reports whether an input of this kind has a number in Of.
func (k InputKind) Numbered() bool { return k.Vacates() || k == Pairs }

// NoID is the ID of an input that no action of a user caused.
const NoID = "-"

// ByLot is the text for the seating in a start input if the seats are drawn by lot.
const ByLot = "lot"

// Input is an event whose text is mixed into every draw of a table: the start of the game, an earlier event at the
// seats, or the table's pairing in a competition.
type Input struct {
	Kind InputKind
	// ID is Discord's id of the interaction that caused the input, the random bytes of a web page (IsBytes), or NoID if
	// no action caused it. For a pairing, ID is the number of its competition on the server.
	ID string
	// Of is a number for inputs of some kinds, and otherwise 0. If the input frees a seat, Of is the number, from 1, of
	// the input that gave the player the seat. For a pairing, Of is the pairing's number in the competition.
	Of int
	// Seating is the player at each seat, for a start: the player's index in the order of joining. It is nil if the
	// seats are drawn by lot.
	Seating []int
}

// String returns the text that is mixed into draws, such as "join 1297650035004182446", "leave 1297650036236938383 2",
// "pairing 3 12" or "start 1297650070001299457 lot".
func (in Input) String() string {
	words := []string{string(in.Kind), in.ID}
	if in.ID == "" {
		words[1] = NoID
	}
	switch {
	case in.Kind.Numbered():
		words = append(words, strconv.Itoa(in.Of))
	case in.Kind == Starts && in.Seating == nil:
		words = append(words, ByLot)
	case in.Kind == Starts:
		words = append(words, Numbers(in.Seating))
	}
	return strings.Join(words, " ")
}

// Numbers returns the numbers of a list, separated by spaces.
func Numbers(list []int) string { return strings.Trim(fmt.Sprint(list), "[]") }

// ParseInput parses the output of String. It returns an error with the reason for any other text.
func ParseInput(text string) (Input, error) {
	words := strings.Split(text, " ")
	in := Input{Kind: InputKind(words[0])}
	least := 2
	switch {
	case in.Kind.Numbered(), in.Kind == Starts:
		least = 3
	case !in.Kind.Seats():
		return Input{}, fmt.Errorf("%q is none of %s, %s, %s, %s, %s, %s and %s", words[0], Opens, Joins, Computer,
			Leaves, Removes, Pairs, Starts)
	}
	if len(words) < least || words[1] == "" || len(words) > least && in.Kind != Starts {
		return Input{}, fmt.Errorf("%q has not the %d words of a %q", text, least, in.Kind)
	}
	in.ID = words[1]
	for _, w := range words[2:] {
		n, err := strconv.Atoi(w)
		switch {
		case in.Kind == Starts && w == ByLot && len(words) == least:
		case err != nil || n < 0 || w != strconv.Itoa(n) || in.Kind.Numbered() && n < 1:
			return Input{}, fmt.Errorf("%q is no number that %q can be followed by", w, in.Kind)
		case in.Kind.Numbered():
			in.Of = n
		default:
			in.Seating = append(in.Seating, n)
		}
	}
	return in, nil
}

// ParseInputs parses the inputs of a table. The first input must open the table, and a start must be the last. The
// error gives the number of the faulty input, counted from 1.
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
		case i > 0 && list[i-1].Kind == Pairs && in.Kind != Starts:
			err = errors.New("the start follows the pairing")
		case in.Kind.Vacates() && !slices.Contains(Seated(list[:i]), in.Of):
			err = fmt.Errorf("nobody sits there who came by number %d", in.Of)
		case in.Seating != nil && !permutes(in.Seating, len(Seated(list[:i]))):
			err = fmt.Errorf("%v do not seat %d players", in.Seating, len(Seated(list[:i])))
		}
		if err != nil {
			return nil, fmt.Errorf("input %d: %w", i+1, err)
		}
		list[i] = in
	}
	return list, nil
}

// permutes reports whether the list contains each number from 0 to n-1 exactly once.
func permutes(list []int, n int) bool {
	sorted := slices.Sorted(slices.Values(list))
	for i, x := range sorted {
		if x != i {
			return false
		}
	}
	return len(sorted) == n
}

// Seated returns the players who have a seat after these inputs, in the order of joining, each as the number of the
// player's joining input, counted from 1.
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

// IsID reports whether a text has the form of a Discord id: a positive 64-bit number in decimal, without leading zeros.
func IsID(text string) bool {
	n, err := strconv.ParseUint(text, 10, 64)
	return err == nil && n > 0 && text == strconv.FormatUint(n, 10)
}

// discordEpoch is the earliest time in a Discord id, in milliseconds since 1970.
const discordEpoch = 1420070400000

// Moment returns the time at which Discord created an id, in milliseconds since 1970. The result is false for a text
// that contains no such time. Source: Discord's documentation, topic "Reference", section "Snowflakes".
func Moment(id string) (int64, bool) {
	n, err := strconv.ParseUint(id, 10, 64)
	return int64(n>>22) + discordEpoch, err == nil && n>>22 > 0
}

// IsBytes reports whether a text is 16 bytes in hex. A web page generates random bytes of this form for each action,
// because Discord gives these actions no id.
func IsBytes(text string) bool {
	return len(text) == 32 && strings.Trim(text, "0123456789abcdef") == ""
}

// Played returns the text that is mixed into the draws after entry n of the log, counted from 1, such as "4
// 1297650149110220801" or "4 5f0d0c6f3f1b0a29c2f4d1e6a7b80913". id is the entry's interaction, or the random bytes of a
// web page.
func Played(n int, id string) string { return strconv.Itoa(n) + " " + id }

// ParsePlayed parses the output of Played. It returns an error with the reason for any other text.
func ParsePlayed(text string) (n int, id string, err error) {
	number, id, _ := strings.Cut(text, " ")
	if n, err = strconv.Atoi(number); err != nil || n < 1 || text != Played(n, id) || !IsID(id) && !IsBytes(id) {
		return 0, "", fmt.Errorf("%q is not the number of an entry and an id, or 16 bytes in hex", text)
	}
	return n, id, nil
}

// Fingerprint returns a hash of the beginning of a game, in hex: the SHA-256 of the record's lines with the commitment
// and the inputs. The button Fair play shows it once the game has begun.
func Fingerprint(commitment string, inputs []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "commitment: %s\n", commitment)
	for _, in := range inputs {
		fmt.Fprintf(h, "input: %s\n", in)
	}
	return hex.EncodeToString(h.Sum(nil))
}
