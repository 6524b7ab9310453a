package show

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Posted has the known facts about a table's messages, for the next publication.
type Posted struct {
	Board    string // the latest board, or the lobby
	Reminder string // latest reminder or question, on a server that keeps boards; "" for none
	Channel  string // channel of Board
	Begins   bool   // Board is the first of a game and contains the fingerprint of its draws, so it stays
	Earlier  int    // number of sentences about moves that Board has omitted
	Lines    []Line // the sentences in Board about events; nil if they are no longer known
}

// Line is a sentence about an event.
type Line struct {
	Said string `json:"s"`
	Play bool   `json:"p,omitempty"` // a move, a draw or a pass
}

// The marks of the fields after the ids in a note's first line.
const (
	noteChannel = "c="
	noteEarlier = "e="
	noteBegins  = "begins"
)

// maxNoted limits the bytes of a note's lines. table.Publisher documents the limit of a note.
const maxNoted = 3500

// ParsePosted parses the note of a publication: a line of ids, and Lines as JSON. The lines are missing if they could
// name a user whose data were deleted.
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
