package show

import (
	"strconv"
	"strings"

	"marque/bot/table"
)

// Action names the action of a control. Each is declared once: next to its command, or in buttons.go if several rooms
// show its button.
type Action string

// CustomID is the text that Discord sends back when a control is used, written as a path: the action, the table,
// numbers, and an argument. The text can be old or forged, so everything in it is checked.
//
//	step/3/v17/9-10  continue after "9-10" in the stepper of table 3 at version 17
//	at/3/n12/        show table 3 after its first 12 plays
//	games//g2/mine   the third page of the user's own tables
type CustomID struct {
	Action  Action
	Table   string // the table's number as users see it; "" for a control without a table
	Version int    // a version of the table, or of the study
	Play    int    // a number of plays, the index of a play, or another number, such as a challenge's
	Page    int    // page of a list, from 0, or the index of an option; in a form, a hash of its content
	Arg     string // further argument, which can contain slashes
}

// Letters before the numbers of a path.
const (
	markVersion = 'v'
	markPlay    = 'n'
	markPage    = 'g'
)

// String returns the path. Discord accepts at most MaxCustomID characters. Fits checks this for paths with long
// arguments.
func (c CustomID) String() string {
	numbers := ""
	for _, n := range []struct {
		mark  rune
		value int
	}{{markVersion, c.Version}, {markPlay, c.Play}, {markPage, c.Page}} {
		if n.value != 0 {
			numbers += string(n.mark) + strconv.Itoa(n.value)
		}
	}
	return string(c.Action) + "/" + c.Table + "/" + numbers + "/" + c.Arg
}

// Fits reports whether Discord accepts s as a custom_id.
func Fits(s string) bool { return Length(s) <= MaxCustomID }

// MaxNumber limits the numbers in a path, so that their sums cannot overflow.
const MaxNumber = 1 << 30

// ParseCustomID parses a path. ok is false for a text that is not in this form.
func ParseCustomID(s string) (c CustomID, ok bool) {
	parts := strings.SplitN(s, "/", 4)
	if len(parts) != 4 || !Fits(s) {
		return CustomID{}, false
	}
	c = CustomID{Action: Action(parts[0]), Table: parts[1], Arg: parts[3]}
	for rest := parts[2]; rest != ""; {
		mark, digits := rune(rest[0]), rest[1:]
		end := strings.IndexAny(digits, "vng")
		if end < 0 {
			end = len(digits)
		}
		n, err := strconv.Atoi(digits[:end])
		if err != nil || n < 0 || n > MaxNumber {
			return CustomID{}, false
		}
		switch mark {
		case markVersion:
			c.Version = n
		case markPlay:
			c.Play = n
		case markPage:
			c.Page = n
		default:
			return CustomID{}, false
		}
		rest = digits[end:]
	}
	return c, true
}

// Version returns a table's version for a custom_id.
func Version(snap *table.Snapshot) int { return int(snap.Version) }
