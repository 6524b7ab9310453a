// Package puzzle implements puzzles: positions from games between computer players in which one move is clearly the
// best. In games without luck a solver proves the best move (Solver). In all other games, its lead in the chance of
// winning exceeds the uncertainty of the estimates. Package lab finds the puzzles.
package puzzle

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"marque/games"
)

// Puzzle is a position with one best move. Its text is one line of a file:
//
//	GRADE | CLAIM | SOLUTION | PLAYS
//
// SOLUTION and PLAYS are lists in the notation of the rules, separated by commas: the solving moves with the best
// replies between them, and all plays up to the position, including dice and cards.
type Puzzle struct {
	Grade    int // from 1, the easiest, to Grades
	Claim    Claim
	Solution []string
	Plays    []string
}

// Claim is the statement about a puzzle's best move: it alone forces a goal, or it has a better chance of winning than
// every other move. The three forms in a file are:
//
//	win in 3
//	gain 2 in 3
//	chance 71 68-74 over 55 52-58
type Claim struct {
	Goal Goal // with Moves 0 if the claim compares chances
	Best Chance
	Next Chance // chance of the second best move
}

// Chance is an estimated chance of winning in percent, with the ends of its 95% interval.
type Chance struct{ Mean, Low, High int }

// Proved reports whether the claim is a forced goal, which the solver proves.
func (c Claim) Proved() bool { return c.Goal.Moves > 0 }

// String returns the claim in the format of a file.
func (c Claim) String() string {
	switch {
	case !c.Proved():
		return fmt.Sprintf("chance %d %d-%d over %d %d-%d", c.Best.Mean, c.Best.Low, c.Best.High, c.Next.Mean,
			c.Next.Low, c.Next.High)
	case c.Goal.Gain == 0:
		return fmt.Sprintf("win in %d", c.Goal.Moves)
	default:
		return fmt.Sprintf("gain %d in %d", c.Goal.Gain, c.Goal.Moves)
	}
}

func parseClaim(text string) (c Claim, err error) {
	b, n := &c.Best, &c.Next
	for _, form := range []struct {
		format string
		into   []any
	}{
		{"win in %d", []any{&c.Goal.Moves}},
		{"gain %d in %d", []any{&c.Goal.Gain, &c.Goal.Moves}},
		{"chance %d %d-%d over %d %d-%d", []any{&b.Mean, &b.Low, &b.High, &n.Mean, &n.Low, &n.High}},
	} {
		if _, err := fmt.Sscanf(text, form.format, form.into...); err == nil && c.String() == text {
			return c, nil
		}
		c = Claim{}
	}
	return Claim{}, fmt.Errorf("%q is no claim", text)
}

// String returns the puzzle's line in a file.
func (p Puzzle) String() string {
	return strings.Join([]string{strconv.Itoa(p.Grade), p.Claim.String(), strings.Join(p.Solution, comma),
		strings.Join(p.Plays, comma)}, bar)
}

// Grades is the number of grades, and the grade of the hardest puzzles.
const Grades = 5

const (
	comma = ", "
	bar   = " | "
)

// File holds the puzzles of one game.
type File struct {
	Game    string // key of the game
	Version int    // version of the rules
	Setup   games.Setup
	Command string // command that created the file
	Puzzles []Puzzle
}

// fileTitle is the first line of a file. The number is the version of the format.
const fileTitle = "marque puzzles 1"

// Encode returns the file's text: header lines like those of a record, an empty line, and a line for each puzzle.
func (f File) Encode() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\ngame: %s\nrules: %d\nseats: %d\n", fileTitle, f.Game, f.Version, f.Setup.Seats)
	for _, o := range f.Setup.Options {
		fmt.Fprintf(&b, "option: %s=%s\n", o.Key, o.Value)
	}
	fmt.Fprintf(&b, "made: %s\n\n", f.Command)
	for _, p := range f.Puzzles {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// FileError reports the faulty line of a file, counted from 1.
type FileError struct {
	Line int
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e *FileError) Unwrap() error { return e.Err }

// Decode reads a file. It returns a *FileError for the first line that is not in the format. It does not check whether
// the plays are legal, which File.Match does.
func Decode(in io.Reader) (f File, err error) {
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, 1<<20)
	n, body := 0, false
	for sc.Scan() {
		n++
		line := sc.Text()
		switch {
		case n == 1:
			if line != fileTitle {
				err = fmt.Errorf("a file of puzzles starts with %q", fileTitle)
			}
		case line == "":
			body = true
		case body:
			var p Puzzle
			if p, err = parsePuzzle(line); err == nil {
				f.Puzzles = append(f.Puzzles, p)
			}
		default:
			err = f.header(line)
		}
		if err != nil {
			return File{}, &FileError{Line: n, Err: err}
		}
	}
	if err := sc.Err(); err != nil {
		return File{}, &FileError{Line: n + 1, Err: err}
	}
	return f, nil
}

func (f *File) header(line string) (err error) {
	key, value, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("want \"key: value\", or an empty line before the first puzzle")
	}
	switch key {
	case "game":
		f.Game = value
	case "rules":
		f.Version, err = strconv.Atoi(value)
	case "seats":
		f.Setup.Seats, err = strconv.Atoi(value)
	case "option":
		k, v, _ := strings.Cut(value, "=")
		f.Setup.Options = append(f.Setup.Options, games.Setting{Key: k, Value: v})
	case "made":
		f.Command = value
	default:
		err = fmt.Errorf("unknown line %q", key)
	}
	return err
}

func parsePuzzle(line string) (p Puzzle, err error) {
	fields := strings.Split(line, bar)
	if len(fields) != 4 {
		return Puzzle{}, fmt.Errorf("want \"GRADE%sCLAIM%sSOLUTION%sPLAYS\"", bar, bar, bar)
	}
	if p.Grade, err = strconv.Atoi(fields[0]); err != nil || p.Grade < 1 || p.Grade > Grades {
		return Puzzle{}, fmt.Errorf("%q is no grade", fields[0])
	}
	if p.Claim, err = parseClaim(fields[1]); err != nil {
		return Puzzle{}, err
	}
	p.Solution, p.Plays = strings.Split(fields[2], comma), strings.Split(fields[3], comma)
	return p, nil
}

// Match returns a match of g at the puzzle's position. It returns an error if the puzzle was made with another
// version of the rules or g does not have its setup, and a *games.ReplayError if the plays are not legal.
func (f File) Match(p Puzzle, g games.Game) (*games.Match, error) {
	if f.Version != g.Version() {
		return nil, fmt.Errorf("made by version %d of the rules of %s, here is version %d", f.Version, f.Game,
			g.Version())
	}
	m, err := games.NewMatch(g, games.Header{Setup: f.Setup})
	if err != nil {
		return nil, err
	}
	for i, t := range p.Plays {
		if err := m.PlayExact(t); err != nil {
			return nil, &games.ReplayError{Index: i, Entry: games.Entry{Seat: m.ToMove(), Text: t}, Err: err}
		}
	}
	return m, nil
}
