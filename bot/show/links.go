package show

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Posted describes a table's messages, as far as the next publication needs it.
type Posted struct {
	Board    string // message id of the latest board, or of the lobby
	Reminder string // message id of the latest reminder or question, on a server that keeps boards; "" for none
	Channel  string // channel of Board
	Begins   bool   // whether Board is the first of a game and contains the fingerprint of its draws, so that it stays
	Earlier  int    // number of older sentences that are not in Lines
	Lines    []Line // sentences about the events of Board; nil if they are not known
}

// Line is a sentence about an event.
type Line struct {
	Said string `json:"s"`
	Play bool   `json:"p,omitempty"` // whether the event is a move, a draw or a pass
}

// Marks of the fields after the ids in a note's first line.
const (
	noteChannel = "c="
	noteEarlier = "e="
	noteBegins  = "begins"
)

// maxNoted limits the bytes of the lines in a note. See table.Publisher for the limit of a note.
const maxNoted = 3500

// ParsePosted parses the note of a publication. The first line of a note has ids and other fields. The second line
// has Posted.Lines as JSON. It is missing if the lines are not known, or if they could name a user whose data were
// deleted.
func ParsePosted(note string) (p Posted) {
	first, lines, _ := strings.Cut(note, "\n")
	for i, f := range strings.Fields(first) {
		switch channel, is := strings.CutPrefix(f, noteChannel); {
		case is:
			p.Channel = channel
		case f == noteBegins:
			p.Begins = true
		case strings.HasPrefix(f, noteEarlier):
			p.Earlier, _ = strconv.Atoi(f[len(noteEarlier):])
		case i == 0:
			p.Board = f
		default:
			p.Reminder = f
		}
	}
	if json.Unmarshal([]byte(lines), &p.Lines) != nil {
		p.Lines = nil
	}
	return p
}

// String returns the note that ParsePosted parses. It omits the oldest lines if there is no room for all.
func (p Posted) String() string {
	if p.Board == "" {
		return ""
	}
	first := []string{p.Board}
	if p.Reminder != "" {
		first = append(first, p.Reminder)
	}
	if p.Channel != "" {
		first = append(first, noteChannel+p.Channel)
	}
	if p.Begins {
		first = append(first, noteBegins)
	}
	room := maxNoted
	kept := len(p.Lines)
	for kept > 0 {
		data, _ := json.Marshal(p.Lines[kept-1]) // Marshal cannot fail for strings and flags
		if room -= len(data) + 1; room < 0 {
			break
		}
		kept--
	}
	if p.Earlier += kept; p.Earlier > 0 {
		first = append(first, noteEarlier+strconv.Itoa(p.Earlier))
	}
	note := strings.Join(first, " ")
	if p.Lines == nil {
		return note
	}
	data, _ := json.Marshal(slices.Clip(p.Lines[kept:]))
	return note + "\n" + string(data)
}
