package puzzles

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/practice"
	"marque/bot/show"
	"marque/games"
	"marque/games/puzzle"
	"marque/games/scene"
	"marque/games/text"
)

// kind implements practice.Kind for puzzles. A key is for example "day.20414" for the puzzle of a day, or
// "madagascar.7".
type kind struct{ *Room }

const dayPrefix = "day"

func dayKey(day int) string { return fmt.Sprintf("%s.%d", dayPrefix, day) }

func refKey(r puzzle.Ref) string { return fmt.Sprintf("%s.%d", r.Game, r.Number) }

// riddle is a puzzle of a private board.
type riddle struct {
	puzzle.Puzzle
	file   puzzle.File
	ref    puzzle.Ref
	day    int  // day of which it is opened as the puzzle of the day; 0 for none
	secret bool // whether it is today's puzzle, whose solution is secret
}

var (
	errUnknown = show.Refuse(text.M("bot.error.unknown-control"))
	errKept    = show.Refuse(text.M("bot.puzzle.kept"))
)

// keptDays is how many days in advance a puzzle of the day is refused, so that nobody sees it early.
const keptDays = 30

// riddle returns the puzzle with a key, and a match in its position.
func (rm *Room) riddle(key string) (riddle, *games.Match, error) {
	name, number, ok := strings.Cut(key, ".")
	n, err := strconv.Atoi(number)
	today := rm.Days.Today()
	if !ok || err != nil || name == dayPrefix && (n < 1 || n > today) {
		return riddle{}, nil, errUnknown
	}
	x := riddle{ref: puzzle.Ref{Game: name, Number: n}}
	if name == dayPrefix {
		x.day, x.ref = n, puzzle.Daily(n)
	}
	if x.Puzzle, x.file, ok = x.ref.Find(); !ok {
		return riddle{}, nil, errUnknown
	}
	g, err := rm.Games.Find(x.ref.Game)
	if err != nil {
		return riddle{}, nil, err
	}
	if slices.Contains(puzzle.Coming(today, keptDays), x.ref) {
		return riddle{}, nil, errKept
	}
	if x.secret = x.ref == puzzle.Daily(today); x.secret {
		x.day = today // even if the key has the puzzle's number, so that a wrong answer counts for today
	}
	m, err := x.file.Match(x.Puzzle, g)
	if err != nil {
		return riddle{}, nil, damaged(key, err)
	}
	return x, m, nil
}

// hintAfter is the number of wrong answers after which the first word of the solution is shown.
const hintAfter = 2

// Exercise implements practice.Kind. It returns the puzzle with this key.
func (k kind) Exercise(_ context.Context, r *interact.Request, key string, misses int) (*practice.Exercise, error) {
	x, m, err := k.riddle(key)
	if err != nil {
		return nil, err
	}
	s := r.Say
	head := title(s, "bot.puzzle.title", x.file, x.Puzzle)
	if x.day > 0 {
		head = title(s, "bot.puzzle.day", x.file, x.Puzzle, "Date", date(x.day))
	}
	seat := m.ToMove()
	asked := s.Say(task(x.Claim))
	if panels := m.View(seat).State.Scene(seat, nil).Panels; int(seat) < len(panels) &&
		panels[seat].Color != scene.NoColor {
		asked = s.Say(text.M("bot.puzzle.side", "Color", text.Color(panels[seat].Color))) + " " + asked
	}
	lines := []string{"### " + head, asked}
	if misses >= hintAfter {
		move, err := games.FindMove(m.View(seat).State, x.Solution[0])
		if err != nil {
			return nil, damaged(key, err)
		}
		lines = append(lines, s.Say(text.M("bot.puzzle.hint", "Word", m.View(seat).State.Spell(move)[0].Label)))
	}
	if x.day > 0 && !x.secret {
		lines = append(lines, s.Say(text.M("bot.puzzle.past", "Solution", solution(x.Puzzle))), s.Say(claimed(x.Claim)))
	}
	e := &practice.Exercise{Key: key, Match: m, Seat: seat, Head: strings.Join(lines, "\n"), Title: pictureTitle(m)}
	for _, grade := range []int{x.Grade, 0} { // any level (0) if no other puzzle has this level
		if another, ok := pick(x.ref.Game, grade, r.ID, append(k.reserved(), x.ref)...); ok {
			e.Buttons = append(e.Buttons, show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.puzzle.another")),
				k.boards.Open(refKey(another))))
			break
		}
	}
	if x.secret {
		e.Buttons = append(e.Buttons, show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.puzzle.yesterday")),
			k.boards.Open(dayKey(k.Days.Today()-1))))
	} else {
		e.Buttons = append(e.Buttons, show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.puzzle.today")),
			k.boards.Open(dayKey(k.Days.Today()))))
	}
	if r.GuildID != "" {
		e.Buttons = append(e.Buttons, k.monthButton(s))
	}
	return e, nil
}

// pick chooses a puzzle of a game ("" for any) and a grade (0 for any), except those in without. The same seed always
// leads to the same puzzle. pick returns false if there is none.
func pick(game string, grade int, seed string, without ...puzzle.Ref) (puzzle.Ref, bool) {
	var list []puzzle.Ref
	for _, f := range puzzle.Library() {
		if game != "" && f.Game != game {
			continue
		}
		for i, p := range f.Puzzles {
			if ref := (puzzle.Ref{Game: f.Game, Number: i + 1}); (grade == 0 || p.Grade == grade) &&
				!slices.Contains(without, ref) {
				list = append(list, ref)
			}
		}
	}
	if len(list) == 0 {
		return puzzle.Ref{}, false
	}
	h := fnv.New32a()
	h.Write([]byte(seed))
	return list[h.Sum32()%uint32(len(list))], true
}

// errNotOurs means that the solver does not support the game of a puzzle with a goal.
var errNotOurs = errors.New("its game is none of the solver's")

// Answer implements practice.Kind. It compares the play with the moves of the solver, or with the solution if the
// puzzle has no goal to prove.
func (k kind) Answer(ctx context.Context, r *interact.Request, e *practice.Exercise,
	p practice.Play) (practice.Answer, error) {
	x, _, err := k.riddle(e.Key)
	if err != nil {
		return practice.Answer{}, err
	}
	if !x.Claim.Proved() {
		if p.Match.Len() != e.Match.Len()+1 {
			return practice.Answer{}, errUnknown
		}
		if p.Notation() != x.Solution[0] {
			return k.missed(ctx, r, x, text.M("bot.puzzle.missed.chance"), nil)
		}
		return k.solved(ctx, r, x, nil)
	}
	play, ok := puzzle.NewPlay(e.Match.State(), x.Claim.Goal)
	if !ok {
		return practice.Answer{}, damaged(e.Key, errNotOurs)
	}
	// The earlier moves come from the control, which can be forged. Only moves that still force the goal are
	// accepted, each with the solver's replies.
	for n := e.Match.Len(); n < p.Match.Len()-1; {
		move, err := games.FindMove(play.State, p.Match.Log()[n].Text)
		if err != nil || play.Done || !slices.Contains(play.Solving(), move) {
			return practice.Answer{}, errUnknown
		}
		next, replies := play.After(move)
		at := play.State.Apply(move)
		n++
		for _, reply := range replies {
			if n >= p.Match.Len()-1 || p.Match.Log()[n].Text != games.Spell(at, reply) {
				return practice.Answer{}, errUnknown
			}
			at = at.Apply(reply)
			n++
		}
		play = next
	}
	if play.Done {
		return practice.Answer{}, errUnknown
	}
	move := p.Move()
	if !slices.Contains(play.Solving(), move) {
		var then []string
		if reply, ok := play.Refutation(move); ok {
			then = []string{games.Spell(p.Match.State(), reply)}
		}
		return k.missed(ctx, r, x, text.M("bot.puzzle.missed.proved"), then)
	}
	next, replies := play.After(move)
	var then []string
	at := p.Match.State()
	for _, reply := range replies {
		then = append(then, games.Spell(at, reply))
		at = at.Apply(reply)
	}
	if next.Done {
		return k.solved(ctx, r, x, then)
	}
	return practice.Answer{Said: r.Say.Say(text.M("bot.puzzle.on", "Count", next.Left)), Then: then, Asks: true}, nil
}

// missed returns the answer to a move that does not solve the puzzle. why is the reason.
func (k kind) missed(ctx context.Context, r *interact.Request, x riddle, why text.Message,
	then []string) (practice.Answer, error) {
	if x.day == k.Days.Today() {
		if err := k.Days.miss(ctx, r.User.ID); err != nil {
			return practice.Answer{}, err
		}
	}
	said := r.Say.Say(why)
	if !x.secret && x.day == 0 {
		said += "\n" + r.Say.Say(text.M("bot.puzzle.solution", "Solution", solution(x.Puzzle)))
	}
	return practice.Answer{Said: said, Then: then, Missed: true}, nil
}

// solved returns the answer to the move that solves the puzzle.
func (k kind) solved(ctx context.Context, r *interact.Request, x riddle, then []string) (practice.Answer, error) {
	lines := []string{r.Say.Say(text.M("bot.puzzle.solved")), r.Say.Say(claimed(x.Claim))}
	if x.day > 0 {
		is, counted, err := k.Days.Solve(ctx, r.User.ID, r.GuildID, x.day)
		if err != nil {
			return practice.Answer{}, err
		}
		if counted {
			lines = append(lines, r.Say.Say(text.M("bot.puzzle.streak", "Count", is.Streak, "Best", is.Best)))
		}
	}
	return practice.Answer{Said: strings.Join(lines, "\n"), Then: then}, nil
}
