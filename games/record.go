package games

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"marque/games/fair"
	"marque/games/text"
)

// Record is a match as text: header lines, an empty line, then numbered plays in the rules' notation, including chance.
// A record can be exported, imported, replayed and verified.
//
//	marque record 1
//	game: quedah-merchant
//	rules: 1
//	seats: 2
//	option: blocked=pass
//	option: quiet=off
//	player 0: Ann
//	player 1: Bob
//	commitment: 9f86..
//	fairness: 4
//	input: open 1234
//	input: join 5678
//	input: start 6789 lot
//	seating: 1 0
//	played: 1 7890
//	seed: 6f70..
//	ending: agreed
//	digest: 03ac..
//
//	1. 0 +3
//	2. 1 +4
//	3. chance roll 2
//
// Each Record has exactly one valid text. docs/fairness.md explains the lines from the commitment on.
type Record struct {
	Header Header
	Seed   string // in hex; "" while the match goes on
	Ending Ending // Agreed, Abandoned, or NotEnded in all other cases, because resignations are in the log
	Digest string // of the last position; "" if unknown
	// Seen is the viewer for whom the log leaves out hidden information: SeenBySpectator or a seat's number. It is ""
	// for a complete log.
	Seen string
	Log  []Entry
}

// SeenBySpectator is the value of Record.Seen for a spectator.
const SeenBySpectator = "spectator"

// recordTitle is the first line of every record; the number is the format's version.
const recordTitle = "marque record 1"

// RecordError reports a faulty line of a record, counted from 1, and the fault.
type RecordError struct {
	Line   int
	Reason text.Message // the fault, in a sentence for the user
	Err    error        // the error of the rules, or nil if there is none
}

// damaged returns a RecordError whose reason is the message "record." followed by what.
func damaged(line int, what string, args ...any) *RecordError {
	return &RecordError{Line: line, Reason: text.M("record."+what, args...)}
}

func (e *RecordError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("line %d: %s: %v", e.Line, e.Reason.ID, e.Err)
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason.ID)
}

func (e *RecordError) Unwrap() error { return e.Err }

// Record returns the match so far as a Record, without the secret seed.
func (m *Match) Record() Record {
	ending := m.ending
	if ending == Resigned {
		ending = NotEnded
	}
	return Record{Header: m.header, Ending: ending, Digest: m.Digest(), Log: m.log}
}

// Encode returns the text of the record.
func (r Record) Encode() string {
	var b strings.Builder
	h := r.Header
	fmt.Fprintf(&b, "%s\ngame: %s\nrules: %d\nseats: %d\n", recordTitle, h.Game, h.Version, h.Setup.Seats)
	for _, o := range h.Setup.Options {
		fmt.Fprintf(&b, "option: %s=%s\n", o.Key, o.Value)
	}
	for i, p := range h.Players {
		name := p.Plain()
		if p.IsZero() {
			name = "?" // the name has no visible characters
		}
		fmt.Fprintf(&b, "player %d: %s\n", i, name)
	}
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, oneLine(value))
		}
	}
	line("commitment", h.Commitment)
	if h.Fairness != 0 {
		line("fairness", strconv.Itoa(h.Fairness))
	}
	for _, in := range h.Inputs {
		line("input", in)
	}
	line("seating", fair.Numbers(h.Seating))
	for i, e := range r.Log {
		if e.Interaction != "" {
			line("played", fair.Played(i+1, e.Interaction))
		}
	}
	line("seed", r.Seed)
	line("ending", string(r.Ending))
	line("digest", r.Digest)
	line("seen", r.Seen)
	b.WriteString("\n")
	for i, e := range r.Log {
		seat := "chance"
		if e.Seat != Chance {
			seat = strconv.Itoa(int(e.Seat))
		}
		fmt.Fprintf(&b, "%d. %s %s\n", i+1, seat, e.Text)
	}
	return b.String()
}

// oneLine replaces line breaks and other white space by single spaces, so that a value cannot add lines to a
// record.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// maxRecordLine is the maximum length of a line of a record, in bytes.
const maxRecordLine = 4096

// reader collects the lines of a record.
type reader struct {
	Record
	seen   map[string]bool
	played []string // the values of the lines "played"; lines has their line numbers
	lines  []int
}

// DecodeRecord reads a record. It returns in's error, or a *RecordError for a line that is missing, cannot be read,
// or differs from the output of Encode. It does not check whether the plays are legal; Replay does.
func DecodeRecord(in io.Reader) (Record, error) {
	b, err := io.ReadAll(in)
	if err != nil {
		return Record{}, err
	}
	if len(b) == 0 {
		return Record{}, damaged(1, "empty")
	}
	r := reader{seen: map[string]bool{}}
	n, body := 0, false
	for line := range strings.Lines(string(b)) {
		n++
		if err := r.decodeLine(n, line, &body); err != nil {
			return Record{}, err
		}
	}
	for _, key := range []string{"game", "rules", "seats"} {
		if !r.seen[key] {
			return Record{}, damaged(n, "missing", "Want", text.Code(key+": ..."))
		}
	}
	for i, played := range r.played {
		number, id, err := fair.ParsePlayed(played)
		if err != nil {
			return Record{}, damaged(r.lines[i], "played", "Got", text.Code(played))
		}
		if number > len(r.Log) || r.Log[number-1].Seat == Chance {
			return Record{}, damaged(r.lines[i], "unplayed", "Number", number)
		}
		r.Log[number-1].Interaction = id
	}
	return r.Record, r.toTheLetter(string(b))
}

// toTheLetter returns a *RecordError for the first line that differs from the output of Encode.
func (r Record) toTheLetter(written string) error {
	got, want := strings.SplitAfter(written, "\n"), strings.SplitAfter(r.Encode(), "\n")
	for i := range got {
		if i >= len(want) || got[i] != want[i] {
			should := ""
			if i < len(want) {
				should = want[i]
			}
			return damaged(i+1, "letter", "Want", text.Code(strconv.Quote(should)),
				"Got", text.Code(strconv.Quote(got[i])))
		}
	}
	return nil
}

// decodeLine reads line number n. It is lenient, because toTheLetter finds lines that Encode would write differently.
func (r *reader) decodeLine(n int, written string, body *bool) error {
	line := strings.TrimRight(written, "\r\n")
	switch {
	case len(line) > maxRecordLine:
		return damaged(n, "long", "Count", maxRecordLine)
	case line != strings.TrimRight(line, " \t") || strings.HasSuffix(written, "\r\n"):
		return damaged(n, "blank")
	case n == 1 && line != recordTitle:
		return damaged(n, "title", "Want", text.Code(recordTitle))
	case n == 1:
		return nil
	case line == "" && *body:
		return damaged(n, "gap")
	case line == "":
		*body = true
		return nil
	case *body:
		return r.decodePlay(n, line)
	}
	return r.decodeHeader(n, line)
}

func (r *reader) decodeHeader(n int, line string) error {
	key, value, ok := strings.Cut(line, ": ")
	if !ok {
		return damaged(n, "header")
	}
	if r.seen[key] && key != "option" && key != "input" && key != "played" {
		return damaged(n, "twice", "Key", text.Code(key))
	}
	r.seen[key] = true
	number := func(into *int) error {
		number, err := strconv.Atoi(value)
		if err != nil || number < 0 || number > 1000 {
			return damaged(n, "number", "Key", text.Code(key), "Got", text.Code(value))
		}
		*into = number
		return nil
	}
	switch key {
	case "game":
		r.Header.Game = value
	case "rules":
		return number(&r.Header.Version)
	case "seats":
		return number(&r.Header.Setup.Seats)
	case "option":
		k, v, ok := strings.Cut(value, "=")
		if !ok {
			return damaged(n, "option")
		}
		r.Header.Setup.Options = append(r.Header.Setup.Options, Setting{k, v})
	case "commitment":
		r.Header.Commitment = value
	case "fairness":
		return number(&r.Header.Fairness)
	case "input":
		r.Header.Inputs = append(r.Header.Inputs, value)
	case "seating":
		for _, word := range strings.Fields(value) {
			who, err := strconv.Atoi(word)
			if err != nil || who < 0 || who > 63 {
				return damaged(n, "seating", "Got", text.Code(value))
			}
			r.Header.Seating = append(r.Header.Seating, who)
		}
	case "played":
		r.played, r.lines = append(r.played, value), append(r.lines, n)
	case "seed":
		r.Seed = value
	case "ending":
		if e := Ending(value); e != Agreed && e != Abandoned {
			return damaged(n, "ending", "Agreed", text.Code(Agreed), "Abandoned", text.Code(Abandoned))
		}
		r.Ending = Ending(value)
	case "digest":
		r.Digest = value
	case "seen":
		if seat, err := strconv.Atoi(value); value != SeenBySpectator && (err != nil || seat < 0 || seat > 63) {
			return damaged(n, "seen", "Spectator", text.Code(SeenBySpectator))
		}
		r.Seen = value
	default:
		if key != fmt.Sprintf("player %d", len(r.Header.Players)) {
			return damaged(n, "unknown", "Key", text.Code(key))
		}
		r.Header.Players = append(r.Header.Players, text.NewName(value))
	}
	return nil
}

func (r *reader) decodePlay(n int, line string) error {
	parts := strings.SplitN(line, " ", 3)
	if len(parts) < 3 || parts[0] != strconv.Itoa(len(r.Log)+1)+"." {
		return damaged(n, "play", "Number", len(r.Log)+1)
	}
	seat := Chance
	if parts[1] != "chance" {
		number, err := strconv.Atoi(parts[1])
		if err != nil || number < 0 || number > 63 {
			return damaged(n, "seat", "Got", text.Code(parts[1]))
		}
		seat = Seat(number)
	}
	r.Log = append(r.Log, Entry{Seat: seat, Text: parts[2]})
	return nil
}

// Replay plays the record by the rules of g, which must be its game. It returns a *RecordError if the log is not
// complete, the rules' version or the digest differs, or the setup, a play or the ending is impossible.
func (r Record) Replay(g Game) (*Match, error) {
	if r.Seen != "" {
		return nil, damaged(r.HeaderLine("seen"), "hidden")
	}
	if r.Header.Version != g.Version() {
		return nil, damaged(r.HeaderLine("rules"), "rules", "Played", r.Header.Version, "Here", g.Version())
	}
	m, err := Replay(g, r.Header, r.Log)
	if err != nil {
		if re := (*ReplayError)(nil); errors.As(err, &re) {
			return nil, &RecordError{r.Line(re.Index), text.M("record.illegal"), re.Err}
		}
		return nil, &RecordError{r.HeaderLine("seats"), text.M("record.setup"), err}
	}
	if r.Ending != NotEnded {
		if err := m.End(r.Ending); err != nil {
			return nil, &RecordError{r.HeaderLine("ending"), text.M("record.ended"), err}
		}
	}
	if r.Digest != "" && r.Digest != m.Digest() {
		return nil, damaged(r.HeaderLine("digest"), "digest")
	}
	return m, nil
}

// Line returns the line number, in the record's text, of play number i, counted from 0.
func (r Record) Line(i int) int {
	before, _, _ := strings.Cut(r.Encode(), "\n\n")
	return strings.Count(before, "\n") + 3 + i
}

// HeaderLine returns the number of the first line of the record's text that begins with the key, or 1 if there is none.
func (r Record) HeaderLine(key string) int {
	n := 0
	for line := range strings.Lines(r.Encode()) {
		n++
		if strings.HasPrefix(line, key+": ") {
			return n
		}
	}
	return 1
}
