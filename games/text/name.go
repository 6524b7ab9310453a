package text

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Name is text that a user typed: the name of a person or of a season, or a reason. It can contain anything, so it is
// not a string: people see it only through its methods Markdown, Code and Plain, and package fmt and logs do not print
// it. Names with the same visible text are equal. The zero Name is no name.
type Name struct {
	clean string // the result of the function clean
}

// MaxName is the maximum number of characters in a name.
const MaxName = 200

// NewName returns the visible part of a user's input as a name. It replaces spaces of all kinds by single spaces and
// removes control, direction and zero-width characters, except joiners that emoji and some scripts need. It shortens a
// name to MaxName characters.
func NewName(typed string) Name { return Name{clean(typed)} }

// Plain returns the name for use without markup: in alt texts, labels, pictures, records and on the terminal. It is one
// line without control characters.
func (n Name) Plain() string { return n.clean }

// Markdown returns the name escaped for Discord, so that nothing in it is markup, a mention or a link.
func (n Name) Markdown() string { return escape(n.clean) }

// Code returns the name for Discord's code spans and blocks. Its backticks are replaced, because they would end the
// code.
func (n Name) Code() string { return unticked.Replace(n.clean) }

// Raw returns a message that consists of the name.
func (n Name) Raw() Message { return Message{ID: rawID, Args: Args{"Text": n}} }

// IsZero reports whether the name is empty.
func (n Name) IsZero() bool { return n.clean == "" }

// Equal reports whether two names have the same visible text. It is the operator ==, for packages that call a method
// Equal.
func (n Name) Equal(other Name) bool { return n == other }

// MarshalText returns the name as text for storage.
func (n Name) MarshalText() ([]byte, error) { return []byte(n.clean), nil }

// UnmarshalText reads a stored name and cleans it, because old files contain uncleaned names.
func (n *Name) UnmarshalText(b []byte) error {
	*n = NewName(string(b))
	return nil
}

// elided replaces a name in formatted output and logs.
const elided = "(name)"

// Format hides the name in the output of package fmt.
func (Name) Format(f fmt.State, _ rune) { io.WriteString(f, elided) }

// LogValue hides the name in logs.
func (Name) LogValue() slog.Value { return slog.StringValue(elided) }

// Untick returns a line whose backticks are replaced, so that it cannot end its code block.
func Untick(line string) string { return unticked.Replace(line) }

// unticked replaces backticks by a similar character, because a backtick cannot be escaped inside code.
var unticked = strings.NewReplacer("`", "\u02cb")

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
	emojiStyle         = '\ufe0f' // a variation selector that makes the previous character a coloured emoji
	brailleBlank       = '\u2800'
	unknown            = '□' // replaces invalid, unassigned and private characters
)

// mostMarks is the maximum number of marks above and below a letter. More marks would overlap other lines.
const mostMarks = 3

// clean returns the visible part of s, as one line of at most MaxName characters.
func clean(s string) string {
	if plain(s) {
		return s
	}
	runes := []rune(s)
	out := make([]rune, 0, len(runes))
	space, marks := false, 0
	for i, r := range runes {
		last := rune(0)
		if len(out) > 0 && !space {
			last = out[len(out)-1]
		}
		switch {
		case unicode.IsSpace(r) || unicode.In(r, unicode.Z) || r == brailleBlank:
			space, marks = true, 0
			continue
		case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
			// Emoji and some scripts need zero-width joiners.
			if i+1 == len(runes) || !joins(last) || !joins(runes[i+1]) {
				continue
			}
		case r == emojiStyle:
			if !unicode.Is(unicode.S, last) {
				continue
			}
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point):
			continue
		case r == utf8.RuneError || !unicode.IsGraphic(r):
			r = unknown
		}
		if !unicode.Is(unicode.M, r) {
			marks = 0
		} else if marks++; marks > mostMarks || last == 0 {
			continue
		}
		if space && len(out) > 0 {
			out = append(out, ' ')
		}
		space = false
		out = append(out, r)
	}
	if len(out) > MaxName {
		out = append(out[:MaxName-1], '…')
	}
	return strings.TrimSpace(string(out))
}

// plain reports whether clean would not change s, because it is visible ASCII with single spaces.
func plain(s string) bool {
	if len(s) > MaxName {
		return false
	}
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return before != ' ' || s == ""
}

// joins reports whether r can be a letter, a mark or an emoji whose appearance a zero-width joiner or non-joiner
// changes.
func joins(r rune) bool { return r >= 0x590 && unicode.In(r, unicode.L, unicode.M, unicode.S) }

// Escape escapes a plain line so that Discord shows it unchanged.
func Escape(said string) string { return escape(said) }

// escape escapes a line of clean text so that Discord shows it unchanged. A backslash makes the next character literal.
// A backslash before the @ of a mention does not always help, so a zero-width character follows the @.
func escape(s string) string {
	if !strings.ContainsAny(s, "\\*_~`|<>#@[]():.-+") {
		return s
	}
	var b strings.Builder
	digits := true // so far only digits, after which a dot starts a list
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
		switch r {
		case '\\', '*', '_', '~', '`', '|', '<', '>', '#', '[', ']':
			b.WriteByte('\\')
		case '-', '+':
			if i == 0 && (next == ' ' || len(s) == 1) { // starts a list
				b.WriteByte('\\')
			}
		case ')':
			if i > 0 && digits {
				b.WriteByte('\\')
			}
		case '.':
			// A dot can belong to a list, or to an address without a scheme, in which Discord finds invitations.
			if i > 0 && digits || unicode.IsLetter(next) {
				b.WriteByte('\\')
			}
		case ':':
			if next == '/' { // part of an address
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
		if r == '@' {
			b.WriteRune('\u200b')
		}
		digits = digits && '0' <= r && r <= '9'
	}
	return b.String()
}
