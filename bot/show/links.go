package show

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Posted holds the known facts about a table's messages when its next news come.
type Posted struct {
	Board    string // the latest board, or the lobby
	Reminder string // latest reminder or question, on a server that keeps boards; "" for none
	Channel  string // channel of Board
	Begins   bool   // Board is the first of a game and has the fingerprint of its draws, so it stays
	Earlier  int    // how many sentences about moves Board has left out
	Lines    []Line // the sentences in Board about events; nil if they are no longer known
}

// Line is a sentence about an event.
type Line struct {
	Said string `json:"s"`
	Play bool   `json:"p,omitempty"` // a move, a draw or a pass
}

// The marks of the fields that follow the ids in a note's first line.
const (
	noteChannel = "c="
	noteEarlier = "e="
	noteBegins  = "begins"
)

// maxNoted bounds the bytes of a note's lines; table.Publisher says how long a note may be.
const maxNoted = 3500

// ParsePosted reads the note of a publication: a line of ids, and Lines as JSON. The lines are missing if they may name
// a user whose data were deleted.
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

// String returns the note that ParsePosted reads. It leaves out the oldest lines if there is no room for all.
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
