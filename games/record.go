package games

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

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
//	fairness: 2
//	input: open 1234
//	input: join 5678
//	input: start 6789
//	lot: 1 0
//	seed: 6f70..
//	ending: resigned
//	digest: 03ac..
//
//	1. 0 +3
//	2. chance roll 2
//
// Under the first version of fairness there is no line for its number, and each input is a line
// "join: ID".
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
	if h.Fairness > 1 {
		line("fairness", strconv.Itoa(h.Fairness))
	}
	for _, in := range h.Inputs {
		line(r.inputKey(), in)
	}
	if len(h.Lot) > 0 {
		line("lot", strings.Trim(fmt.Sprint(h.Lot), "[]"))
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

// DecodeRecord reads a record. It returns a *RecordError for the first line that is not in the
// format. Whether the plays are legal is for Match to say.
func DecodeRecord(in io.Reader) (Record, error) {
	var r Record
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxRecordLine)
	n, last := 0, 0 // the line, and the last one that was not empty
	body := false
	seen := map[string]bool{}
	for sc.Scan() {
		n++
		line := strings.TrimRight(sc.Text(), " \r\t")
		var err error
		switch {
		case n == 1:
			if line != recordTitle {
				return Record{}, &RecordError{Line: 1, Reason: fmt.Sprintf("a record starts with %q", recordTitle)}
			}
		case line == "":
			body = true
			continue
		case body && last > 0 && n > last+1 && len(r.Log) > 0:
			err = errors.New("an empty line among the plays")
		case body:
			err = r.decodePlay(line)
		default:
			err = r.decodeHeader(line, seen)
		}
		last = n
		if err != nil {
			return Record{}, &RecordError{Line: n, Reason: err.Error()}
		}
	}
	if err := sc.Err(); err != nil {
		return Record{}, &RecordError{Line: n + 1, Reason: fmt.Sprintf("cannot be read (a line has at most %d bytes)", maxRecordLine), Err: err}
	}
	switch {
	case n == 0:
		return Record{}, &RecordError{Line: 1, Reason: "the record is empty"}
	}
	for _, key := range []string{"game", "rules", "seats"} {
		if !seen[key] {
			return Record{}, &RecordError{Line: n, Reason: fmt.Sprintf("the line \"%s: ...\" is missing", key)}
		}
	}
	return r, nil
}

func (r *Record) decodeHeader(line string, seen map[string]bool) error {
	key, value, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("want \"key: value\", or an empty line before the first play")
	}
	if seen[key] && key != "option" && key != "join" && key != "input" {
		return fmt.Errorf("a second line %q", key)
	}
	seen[key] = true
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
		if value != "2" {
			return fmt.Errorf("version %q of the fairness is not known here", value)
		}
		r.Header.Fairness = 2
	case "join", "input":
		if want := r.inputKey(); key != want {
			return fmt.Errorf("in this version of the fairness it is a line %q that is mixed in, not %q", want, key)
		}
		r.Header.Inputs = append(r.Header.Inputs, value)
	case "lot":
		for _, word := range strings.Fields(value) {
			n, err := strconv.Atoi(word)
			if err != nil || n < 0 || n > 63 {
				return fmt.Errorf("a lot is by seat the number of who drew it, not %q", value)
			}
			r.Header.Lot = append(r.Header.Lot, n)
		}
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

func (r *Record) decodePlay(line string) error {
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
		return nil, &RecordError{Line: r.HeaderLine("seen"), Reason: "the record leaves out what its reader was not allowed to know, so it cannot be replayed"}
	}
	played, ok := ByVersion(g, r.Header.Version)
	if !ok {
		return nil, &RecordError{Line: r.HeaderLine("rules"), Reason: fmt.Sprintf("played by version %d of the rules, here is version %d", r.Header.Version, g.Version())}
	}
	m, err := Replay(played, r.Header, r.Log)
	if err != nil {
		if re, ok := err.(*ReplayError); ok {
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

// inputKey begins the lines of what is mixed into the draws.
func (r Record) inputKey() string {
	if r.Header.Fairness > 1 {
		return "input"
	}
	return "join"
}

// Line is the line of the record's text on which play number i, counted from 0, stands.
func (r Record) Line(i int) int {
	r.Log = nil
	return strings.Count(r.Encode(), "\n") + 1 + i
}

// HeaderLine is the first line of the record's text that begins with the key; 1 when none does.
func (r Record) HeaderLine(key string) int {
	r.Log = nil
	n := 0
	for line := range strings.Lines(r.Encode()) {
		n++
		if strings.HasPrefix(line, key+": ") {
			return n
		}
	}
	return 1
}
