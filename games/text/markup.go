package text

import (
	"fmt"
	"strings"
	"time"
)

// Markup is Discord markup that the bot writes: a mention, a link, a moment. Only this package makes it, so it
// never holds text as users typed it.
type Markup struct{ written string }

// String is the markup as Discord reads it.
func (m Markup) String() string { return m.written }

// Raw is the markup as a sentence.
func (m Markup) Raw() Message { return Message{ID: rawID, Args: Args{"Text": m}} }

// User mentions a user by id. It pings nobody unless the message that it is in allows that.
func User(id string) Markup { return reference("@", id) }

// Role mentions a role by id. It pings nobody unless the message that it is in allows that.
func Role(id string) Markup { return reference("@&", id) }

// Channel leads to a channel or thread by id.
func Channel(id string) Markup { return reference("#", id) }

func reference(sign, id string) Markup {
	if !isID(id) {
		return Markup{NewName(id).Markdown()}
	}
	return Markup{"<" + sign + id + ">"}
}

// isID reports whether id is a number, as all of Discord's ids are.
func isID(id string) bool { return id != "" && strings.Trim(id, "0123456789") == "" }

// Link is the address of a message, or of a channel with message "".
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

// The forms of moments that are shown.
const (
	Full     = 'f' // date and time
	Date     = 'd'
	Relative = 'R' // how far from now
)

// Moment shows a time in the reader's own zone.
func Moment(t time.Time, form rune) Markup { return Markup{fmt.Sprintf("<t:%d:%c>", t.Unix(), form)} }

// Then is the markup, a space, and more.
func (m Markup) Then(more Markup) Markup {
	return Markup{strings.TrimSpace(m.written + " " + more.written)}
}

// Code is a text in a monospaced font, where there is one: a move in the notation of the rules.
type Code string

// Markdown is the text as a code span, which it cannot end.
func (c Code) Markdown() string { return "`" + NewName(string(c)).Code() + "`" }

// Raw is the text as a sentence.
func (c Code) Raw() Message { return Message{ID: rawID, Args: Args{"Text": c}} }
