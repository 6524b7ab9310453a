package text

import (
	"fmt"
	"strings"
	"time"
)

// Markup is Discord markup that the bot creates, such as a mention, a link or a time. Only this package creates values
// of this type, so they never contain unescaped text that users typed.
type Markup struct{ written string }

// String returns the markup in Discord's syntax.
func (m Markup) String() string { return m.written }

// Raw returns a message that consists of the markup.
func (m Markup) Raw() Message { return Message{ID: rawID, Args: Args{"Text": m}} }

// User returns a mention of a user by id. It pings the user only if its message allows that.
func User(id string) Markup { return reference("@", id) }

// Role returns a mention of a role by id. It pings the role only if its message allows that.
func Role(id string) Markup { return reference("@&", id) }

// Channel returns a link to a channel or thread by id.
func Channel(id string) Markup { return reference("#", id) }

func reference(sign, id string) Markup {
	if !isID(id) {
		return Markup{NewName(id).Markdown()}
	}
	return Markup{"<" + sign + id + ">"}
}

// isID reports whether id is a number, as all of Discord's ids are.
func isID(id string) bool { return id != "" && strings.Trim(id, "0123456789") == "" }

// Link returns the address of a message, or of the channel if message is "".
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
			id = "@me" // direct messages have this in place of the server's id
		}
		at += id
	}
	return Markup{at}
}

// The formats in which Discord shows times.
const (
	Full     = 'f' // date and time
	Date     = 'd'
	Relative = 'R' // relative to the current time
)

// Moment returns markup that shows a time in the reader's time zone. form is one of the formats of times.
func Moment(t time.Time, form rune) Markup { return Markup{fmt.Sprintf("<t:%d:%c>", t.Unix(), form)} }

// Then returns m and more, separated by a space.
func (m Markup) Then(more Markup) Markup {
	return Markup{strings.TrimSpace(m.written + " " + more.written)}
}

// Code is a text that is shown in a monospaced font, if available, such as a move in the notation of the rules.
type Code string

// Markdown returns the text as a code span. Backticks in the text cannot end the span.
func (c Code) Markdown() string { return "`" + NewName(string(c)).Code() + "`" }

// Raw returns a message that consists of the text.
func (c Code) Raw() Message { return Message{ID: rawID, Args: Args{"Text": c}} }
