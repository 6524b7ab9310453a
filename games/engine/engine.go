// Package engine offers the rules of the games in a line protocol, so that other programs (analysis tools, computer
// players, test rigs) can use them without Discord. It resembles GTP, the protocol for the game of Go. A reply ends
// with a line "ok". An error is the single line "error TEXT", and changes nothing.
//
//	games                     one line each: key, fewest and most seats, then "chance" if there are
//	                          dice or cards, "hidden" if players know different things, and
//	                          option=value|value (the first is the default)
//	new KEY [seats=N] [option=value ...]
//	tomove                    "seat 0", "chance" or "over"
//	moves                     the legal moves, one per line, in the game's fixed order
//	outcomes                  while chance is due: "WEIGHT OUTCOME", one per line
//	play TEXT                 a move as moves prints it, or an outcome as outcomes prints it, without its weight
//	result                    when over: "winners 0 2", "scores 12 9 4" if the game has scores, "why TEXT"
//	view [SEAT]               the position as one line of JSON: in full, or as that seat may know it
//	log                       all plays, one per line
//	undo                      takes the last play back
package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"marque/games"
	"marque/games/text"
)

// Engine plays one game at a time.
type Engine struct {
	games []games.Game
	say   func(text.Message) string
	match *games.Match
}

// New returns an engine for the games in list. say returns the text of a message, such as the reason of a result.
func New(list []games.Game, say func(text.Message) string) *Engine {
	return &Engine{games: list, say: say}
}

// maxLine is the maximum length of a command with its line end, in bytes.
const maxLine = 1 << 16

// Run reads commands from in and writes replies to out until in ends or ctx is done. It returns the first error of
// reading or writing, or ctx's error.
func (e *Engine) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, maxLine)
	w := bufio.NewWriter(out)
	for ctx.Err() == nil {
		line, tooLong, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return w.Flush()
		}
		if err != nil {
			return err
		}
		var lines []string
		if tooLong {
			err = fmt.Errorf("a command has at most %d bytes", maxLine)
		} else {
			lines, err = e.Do(line)
		}
		if err != nil {
			fmt.Fprintf(w, "error %s\n", strings.Join(strings.Fields(err.Error()), " "))
		} else {
			for _, l := range lines {
				fmt.Fprintln(w, l)
			}
			fmt.Fprintln(w, "ok")
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// readLine reads a line and returns it without its end. It skips the rest of a line that is too long. It returns io.EOF
// only if no byte is left.
func readLine(r *bufio.Reader) (line string, tooLong bool, err error) {
	b, err := r.ReadSlice('\n')
	line = strings.TrimRight(string(b), "\r\n")
	for errors.Is(err, bufio.ErrBufferFull) {
		tooLong = true
		_, err = r.ReadSlice('\n')
	}
	if errors.Is(err, io.EOF) && (len(b) > 0 || tooLong) {
		err = nil
	}
	return line, tooLong, err
}

// The errors of commands that the current state does not allow.
var (
	errNoGame   = errors.New("no game yet: new KEY starts one")
	errOver     = errors.New("the game is over")
	errNotOver  = errors.New("the game is not over")
	errChance   = errors.New("chance is due: outcomes lists what can be played")
	errNoChance = errors.New("no chance is due: moves lists what can be played")
)

// Do executes one command and returns the lines of the reply, without the final "ok". A command that fails changes
// nothing.
func (e *Engine) Do(line string) ([]string, error) {
	command, rest, _ := strings.Cut(line, " ")
	args := strings.Fields(rest)
	needs := func(n int) error {
		if len(args) > n {
			return fmt.Errorf("%s: unexpected %q", command, args[n])
		}
		return nil
	}
	switch command {
	case "":
		return nil, errors.New("empty line: want a command")
	case "games":
		return e.list(), needs(0)
	case "new":
		return nil, e.start(args)
	}
	do, known := e.commands()[command]
	if !known {
		return nil, fmt.Errorf(
			"unknown command %q: want games, new, tomove, moves, outcomes, play, result, view, log or undo", command)
	}
	if e.match == nil {
		return nil, errNoGame
	}
	switch command {
	case "play":
		return nil, e.play(rest)
	case "view":
		if err := needs(1); err != nil {
			return nil, err
		}
		return e.view(args)
	}
	if err := needs(0); err != nil {
		return nil, err
	}
	return do()
}

// commands returns the functions of the commands that need a game, by name, or nil for commands that have an argument.
func (e *Engine) commands() map[string]func() ([]string, error) {
	return map[string]func() ([]string, error){
		"tomove":   e.toMove,
		"moves":    e.moves,
		"outcomes": e.outcomes,
		"play":     nil,
		"result":   e.result,
		"view":     nil,
		"log":      e.log,
		"undo":     func() ([]string, error) { return nil, e.match.Undo() },
	}
}

func (e *Engine) list() []string {
	var lines []string
	for _, g := range e.games {
		least, most := g.Seats()
		line := fmt.Sprintf("%s %d %d", g.Key(), least, most)
		if g.Traits().Chance {
			line += " chance"
		}
		if g.Traits().Hidden {
			line += " hidden"
		}
		for _, o := range g.Options() {
			line += " " + o.Key + "=" + strings.Join(o.Values, "|")
		}
		lines = append(lines, line)
	}
	return lines
}

func (e *Engine) start(args []string) error {
	if len(args) == 0 {
		return errors.New("new: want the key of a game")
	}
	var game games.Game
	var keys []string
	for _, g := range e.games {
		keys = append(keys, g.Key())
		if g.Key() == args[0] {
			game = g
		}
	}
	if game == nil {
		return fmt.Errorf("no game %q: want one of %s", args[0], strings.Join(keys, ", "))
	}
	setup := games.Setup{}
	set := map[string]bool{}
	for _, a := range args[1:] {
		key, value, ok := strings.Cut(a, "=")
		if !ok || value == "" {
			return fmt.Errorf("want option=value, not %q", a)
		}
		if set[key] {
			return fmt.Errorf("%s is given twice", key)
		}
		set[key] = true
		if key != "seats" {
			setup.Options = append(setup.Options, games.Setting{Key: key, Value: value})
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("seats is a number of players, not %q", value)
		}
		setup.Seats = n
	}
	m, err := games.NewMatch(game, games.Header{Setup: setup})
	if err != nil {
		return err
	}
	e.match = m
	return nil
}

func (e *Engine) toMove() ([]string, error) {
	switch seat := e.match.ToMove(); seat {
	case games.Nobody:
		return []string{"over"}, nil
	case games.Chance:
		return []string{"chance"}, nil
	default:
		return []string{fmt.Sprintf("seat %d", seat)}, nil
	}
}

func (e *Engine) moves() ([]string, error) {
	switch e.match.ToMove() {
	case games.Nobody:
		return nil, errOver
	case games.Chance:
		return nil, errChance
	}
	s := e.match.State()
	var lines []string
	for _, m := range s.Moves() {
		lines = append(lines, games.Spell(s, m))
	}
	return lines, nil
}

func (e *Engine) outcomes() ([]string, error) {
	switch e.match.ToMove() {
	case games.Nobody:
		return nil, errOver
	case games.Chance:
	default:
		return nil, errNoChance
	}
	s := e.match.State()
	var lines []string
	for _, o := range s.Outcomes() {
		lines = append(lines, fmt.Sprintf("%d %s", o.Weight, games.Spell(s, o.Move)))
	}
	return lines, nil
}

// play plays a move or an outcome whose notation is exactly as printed.
func (e *Engine) play(notation string) error {
	err := e.match.PlayExact(notation)
	if errors.Is(err, games.ErrOver) {
		return errOver
	}
	return err
}

func (e *Engine) result() ([]string, error) {
	if !e.match.Over() {
		return nil, errNotOver
	}
	r := e.match.Result()
	lines := []string{"winners" + numbers(r.Winners)}
	if r.Scores != nil {
		lines = append(lines, "scores"+numbers(r.Scores))
	}
	return append(lines, "why "+e.say(r.Why)), nil
}

func numbers[T games.Seat | int](list []T) string {
	var b strings.Builder
	for _, n := range list {
		fmt.Fprintf(&b, " %d", n)
	}
	return b.String()
}

func (e *Engine) view(args []string) ([]string, error) {
	s := e.match.State()
	if len(args) == 1 {
		seats := e.match.Header().Setup.Seats
		n, err := strconv.Atoi(args[0])
		if err != nil || n < 0 || n >= seats {
			return nil, fmt.Errorf("view: a seat is a number from 0 to %d, not %q", seats-1, args[0])
		}
		s = games.Mask(s, games.Seat(n))
	}
	b, err := s.MarshalJSON()
	return []string{string(b)}, err
}

func (e *Engine) log() ([]string, error) {
	var lines []string
	for _, l := range e.match.Log() {
		lines = append(lines, l.Text)
	}
	return lines, nil
}
