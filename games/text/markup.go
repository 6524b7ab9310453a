package text

import (
	"fmt"
	"strings"
	"time"
)

// Markup is Discord markup that the bot writes: a mention, a link, a time. Only this package creates it, so it never
// contains text as users typed it.
type Markup struct{ written string }

// String returns the markup as Discord reads it.
func (m Markup) String() string { return m.written }

// Raw returns the markup as a message.
func (m Markup) Raw() Message { return Message{ID: rawID, Args: Args{"Text": m}} }

// User mentions a user by id. It pings nobody unless its message allows that.
func User(id string) Markup { return reference("@", id) }

// Role mentions a role by id. It pings nobody unless its message allows that.
func Role(id string) Markup { return reference("@&", id) }

// Channel links to a channel or thread by id.
func Channel(id string) Markup { return reference("#", id) }

func reference(sign, id string) Markup {
	if !isID(id) {
		return Markup{NewName(id).Markdown()}
	}
	return Markup{"<" + sign + id + ">"}
}

// isID reports whether id is a number, as all of Discord's ids are.
func isID(id string) bool { return id != "" && strings.Trim(id, "0123456789") == "" }

// Link returns the address of a message, or of a channel if message is "".
func Link(guild, channel, message string) Markup {
	at := "https://discord.com/channels/"
	for i, id := range []string{guild, channel, message} {
		switch {
		case id == "" && i == 2:
			return Markup{at}
		case i > 0:
			at += "/"
		}
		if !isID(id) {
			id = "@me" // in place of the server, for direct messages
		}
		at += id
	}
	return Markup{at}
}

// The formats of times.
const (
	Full     = 'f' // date and time
	Date     = 'd'
	Relative = 'R' // relative to now
)

// Moment shows a time in the reader's time zone.
func Moment(t time.Time, form rune) Markup { return Markup{fmt.Sprintf("<t:%d:%c>", t.Unix(), form)} }

// Then returns the markup, a space, and more.
func (m Markup) Then(more Markup) Markup {
	return Markup{strings.TrimSpace(m.written + " " + more.written)}
}

// Code is a text in a monospaced font, if available: a move in the notation of the rules.
type Code string

// Markdown returns the text as a code span. Backticks in the text cannot end the span.
func (c Code) Markdown() string { return "`" + NewName(string(c)).Code() + "`" }

// Raw returns the text as a message.
func (c Code) Raw() Message { return Message{ID: rawID, Args: Args{"Text": c}} }
