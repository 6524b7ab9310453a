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

// Record is a match as text: header lines, an empty line, then numbered plays in the rules'
// notation, chance included. It can be exported, imported, replayed and verified.
//
//	marque record 1
//	game: loyal-captain
//	rules: 1
//	seats: 2
//	option: opening=standard
//	player 0: Ann
//	commitment: 9f86..
//	fairness: 3
//	input: open 1234
//	input: join 5678
//	input: start 6789 lot
//	seating: 1 0
//	played: 1 7890
//	seed: 6f70..
//	ending: resigned
//	digest: 03ac..
//
//	1. 0 +3
//	2. chance roll 2
//
// There is one way to write a record, to the letter. docs/fairness.md says what the lines from the commitment on are.
type Record struct {
	Header Header
	Seed   string // in hex; "" while the match goes on
	Ending Ending // Agreed or Abandoned; NotEnded otherwise (resignations are in the log)
	Digest string // of the last position; "" if unknown
	// Seen says whose eyes the log is through when it leaves out what they may not know:
	// SeenBySpectator or a seat's number; "" for a log that is complete.
	Seen string
	Log  []Entry
}

// SeenBySpectator is the Seen of who looks on.
const SeenBySpectator = "spectator"

// recordTitle is the first line of every record; the number is the format's version.
const recordTitle = "marque record 1"

// RecordError says which line of a record is damaged, counted from 1, and how.
type RecordError struct {
	Line   int
	Reason string
	Err    error // the rules' objection, when there is one
}

func (e *RecordError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("line %d: %s: %v", e.Line, e.Reason, e.Err)
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

func (e *RecordError) Unwrap() error { return e.Err }

// Record is the match as far as it has gone. The secret seed is the caller's to add.
func (m *Match) Record() Record {
	ending := m.ending
	if ending == Resigned {
		ending = NotEnded
	}
	return Record{Header: m.header, Ending: ending, Digest: m.Digest(), Log: m.log}
}

// Encode is the record's text.
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
			name = "?" // a name of blanks
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

// oneLine keeps a value from breaking the lines of a record.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// maxRecordLine bounds a line of a record, in bytes.
const maxRecordLine = 4096

// reader takes a record's lines.
type reader struct {
	Record
	seen   map[string]bool
	played []string // the values of these lines, and where they stand
	lines  []int
}

// DecodeRecord reads a record. It returns a *RecordError for the first line that is not in the
// format, as Encode writes it to the letter. Whether the plays are legal is for Match to say.
func DecodeRecord(in io.Reader) (Record, error) {
	b, err := io.ReadAll(in)
	if err != nil {
		return Record{}, err
	}
	if len(b) == 0 {
		return Record{}, &RecordError{Line: 1, Reason: "the record is empty"}
	}
	r := reader{seen: map[string]bool{}}
	n, body := 0, false
	for text := range strings.Lines(string(b)) {
		n++
		if err := r.decodeLine(n, text, &body); err != nil {
			return Record{}, &RecordError{Line: n, Reason: err.Error()}
		}
	}
	for _, key := range []string{"game", "rules", "seats"} {
		if !r.seen[key] {
			return Record{}, &RecordError{Line: n, Reason: fmt.Sprintf("the line \"%s: ...\" is missing", key)}
		}
	}
	for i, text := range r.played {
		number, id, err := fair.ParsePlayed(text)
		if err == nil && (number > len(r.Log) || r.Log[number-1].Seat == Chance) {
			err = fmt.Errorf("nobody played entry %d of the log", number)
		}
		if err != nil {
			return Record{}, &RecordError{Line: r.lines[i], Reason: err.Error()}
		}
		r.Log[number-1].Interaction = id
	}
	return r.Record, r.toTheLetter(string(b))
}

// toTheLetter returns a *RecordError for the first line of a text that is not as Encode writes the record.
func (r Record) toTheLetter(text string) error {
	got, want := strings.SplitAfter(text, "\n"), strings.SplitAfter(r.Encode(), "\n")
	for i := range got {
		if i >= len(want) || got[i] != want[i] {
			should := ""
			if i < len(want) {
				should = want[i]
			}
			return &RecordError{Line: i + 1, Reason: fmt.Sprintf(
				"there is one way to write a record, and here it is %q, not %q", should, got[i])}
		}
	}
	return nil
}

// decodeLine reads line number n. What it lets pass that Encode writes otherwise is found afterwards.
func (r *reader) decodeLine(n int, text string, body *bool) error {
	line := strings.TrimRight(text, "\r\n")
	switch {
	case len(line) > maxRecordLine:
		return fmt.Errorf("a line has at most %d bytes", maxRecordLine)
	case line != strings.TrimRight(line, " \t") || strings.HasSuffix(text, "\r\n"):
		return errors.New("nothing stands between the end of a line and its line feed, no blank and no carriage return")
	case n == 1 && line != recordTitle:
		return fmt.Errorf("a record starts with %q", recordTitle)
	case n == 1:
		return nil
	case line == "" && *body:
		return errors.New("an empty line among the plays")
	case line == "":
		*body = true
		return nil
	case *body:
		return r.decodePlay(line)
	}
	return r.decodeHeader(n, line)
}

func (r *reader) decodeHeader(n int, line string) error {
	key, value, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("want \"key: value\", or an empty line before the first play")
	}
	if r.seen[key] && key != "option" && key != "input" && key != "played" {
		return fmt.Errorf("a second line %q", key)
	}
	r.seen[key] = true
	number := func(into *int) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 1000 {
			return fmt.Errorf("%s is a number, not %q", key, value)
		}
		*into = n
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
			return fmt.Errorf("an option is written key=value")
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
			n, err := strconv.Atoi(word)
			if err != nil || n < 0 || n > 63 {
				return fmt.Errorf("the seating is by seat the number of who sits there, not %q", value)
			}
			r.Header.Seating = append(r.Header.Seating, n)
		}
	case "played":
		r.played, r.lines = append(r.played, value), append(r.lines, n)
	case "seed":
		r.Seed = value
	case "ending":
		if e := Ending(value); e != Agreed && e != Abandoned {
			return fmt.Errorf("an ending is %q or %q", Agreed, Abandoned)
		}
		r.Ending = Ending(value)
	case "digest":
		r.Digest = value
	case "seen":
		if n, err := strconv.Atoi(value); value != SeenBySpectator && (err != nil || n < 0 || n > 63) {
			return fmt.Errorf("seen is %q or a seat's number", SeenBySpectator)
		}
		r.Seen = value
	default:
		if key != fmt.Sprintf("player %d", len(r.Header.Players)) {
			return fmt.Errorf("unknown line %q", key)
		}
		r.Header.Players = append(r.Header.Players, text.NewName(value))
	}
	return nil
}

func (r *reader) decodePlay(line string) error {
	parts := strings.SplitN(line, " ", 3)
	if len(parts) < 3 || parts[0] != strconv.Itoa(len(r.Log)+1)+"." {
		return fmt.Errorf("want \"%d. SEAT MOVE\"", len(r.Log)+1)
	}
	seat := Chance
	if parts[1] != "chance" {
		n, err := strconv.Atoi(parts[1])
		if err != nil || n < 0 || n > 63 {
			return fmt.Errorf("a seat is a number or \"chance\", not %q", parts[1])
		}
		seat = Seat(n)
	}
	r.Log = append(r.Log, Entry{Seat: seat, Text: parts[2]})
	return nil
}

// Replay plays the record by the rules of g, which must be its game, in the version that the record
// names. It returns a *RecordError when
// the log leaves something out, the rules' version is another, a play is not legal, or the last
// position is not the record's.
func (r Record) Replay(g Game) (*Match, error) {
	if r.Seen != "" {
		return nil, &RecordError{Line: r.HeaderLine("seen"),
			Reason: "the record leaves out what its reader was not allowed to know, so it cannot be replayed"}
	}
	played, ok := ByVersion(g, r.Header.Version)
	if !ok {
		return nil, &RecordError{Line: r.HeaderLine("rules"),
			Reason: fmt.Sprintf("played by version %d of the rules, here is version %d", r.Header.Version, g.Version())}
	}
	m, err := Replay(played, r.Header, r.Log)
	if err != nil {
		if re := (*ReplayError)(nil); errors.As(err, &re) {
			return nil, &RecordError{Line: r.Line(re.Index), Reason: "not a legal play", Err: re.Err}
		}
		return nil, &RecordError{Line: r.HeaderLine("seats"), Reason: "no such table", Err: err}
	}
	if r.Ending != NotEnded {
		if err := m.End(r.Ending); err != nil {
			return nil, &RecordError{Line: r.HeaderLine("ending"), Reason: "the game had ended before", Err: err}
		}
	}
	if r.Digest != "" && r.Digest != m.Digest() {
		return nil, &RecordError{Line: r.HeaderLine("digest"), Reason: "the plays do not lead to this position"}
	}
	return m, nil
}

// Line is the line of the record's text on which play number i, counted from 0, stands.
func (r Record) Line(i int) int {
	before, _, _ := strings.Cut(r.Encode(), "\n\n")
	return strings.Count(before, "\n") + 3 + i
}

// HeaderLine is the first line of the record's text that begins with the key; 1 when none does.
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
