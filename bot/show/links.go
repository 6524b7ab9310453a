package show

import (
	"strings"
)

// Posted are the messages that a table's next news may have to do with.
type Posted struct {
	Board    string // the latest board, or the lobby
	Reminder string // "" when none stands
}

// ParsePosted reads the note of a publication.
func ParsePosted(note string) Posted {
	board, reminder, _ := strings.Cut(note, " ")
	return Posted{board, reminder}
}

// String is the note that ParsePosted reads.
func (p Posted) String() string { return strings.TrimSpace(p.Board + " " + p.Reminder) }
