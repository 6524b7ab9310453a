// Package practice shows private boards, on which a user plays alone, without a table. A Kind, such as lessons, defines
// the exercises and answers the user's plays in them.
//
// No board is stored. The controls of a board encode the exercise, the plays so far and the number of wrong answers, so
// that a board still works after a restart.
package practice

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/stepper"
	"marque/games"
	"marque/games/text"
)

// Kind is a kind of exercise.
type Kind interface {
	// Exercise returns the exercise with a key. misses is the user's number of wrong answers in the exercise so
	// far. Exercise returns a games.PlayerError for an unknown key, because keys come from controls, which can be
	// old or forged.
	Exercise(ctx context.Context, r *interact.Request, key string, misses int) (*Exercise, error)
	// Answer returns the text about a play of the user, and the plays that follow.
	Answer(ctx context.Context, r *interact.Request, x *Exercise, p Play) (Answer, error)
}

// Exercise is a position with a question for the user.
type Exercise struct {
	Key     string       // key of the exercise, which is short and has no slashes
	Match   *games.Match // the match up to the position, including hidden cards; Seat is to move
	Seat    games.Seat   // the user's seat, whose view the board shows
	Head    string       // the question, in Discord's markdown
	Title   text.Message // title of the pictures
	Buttons []discordgo.Button
}

// Play is a play of the user in an exercise.
type Play struct {
	Match  *games.Match // the match up to the play, with the play as its last entry
	Misses int          // the number of wrong answers before the play
}

// Before returns the position before the play, including hidden cards.
func (p Play) Before() games.State { return p.Match.At(p.Match.Len() - 1) }

// Notation returns the play in the notation of the rules.
func (p Play) Notation() string { return p.Match.Log()[p.Match.Len()-1].Text }

// Move returns the play as a games.Move.
func (p Play) Move() games.Move {
	return p.Match.Trail(p.Match.Log()[p.Match.Len()-1].Seat, p.Match.Len()-1, p.Match.Len())[0].Move
}

// Answer is the text after a play, with the automatic plays that follow.
type Answer struct {
	Said    string   // the consequences of the play, in Discord's markdown
	Then    []string // automatic plays that follow, in notation: dice, cards, and the other seats' moves
	Asks    bool     // whether the user makes another move after these plays
	Missed  bool     // whether the play is a wrong answer, so that the user can try again
	Buttons []discordgo.Button
}

// Boards shows the private boards of one kind, for example lessons or puzzles.
type Boards struct {
	action  show.Action
	kind    Kind
	paint   *show.Painter
	stepper *stepper.Stepper
}

// New returns a Boards. action is the action of all its controls.
func New(action show.Action, kind Kind, paint *show.Painter) *Boards {
	return &Boards{action, kind, paint, stepper.New(paint)}
}

// Action returns the action that answers the controls of the boards.
func (b *Boards) Action() interact.Action {
	return interact.Action{Name: b.action, Route: interact.Route{Handle: b.use, Updates: true, Work: interact.Painting}}
}

// Open returns the custom_id for a button that shows an exercise from its beginning.
func (b *Boards) Open(key string) show.CustomID { return b.id(place{key: key}, VerbShow, "") }

// Show returns a board with an exercise at its beginning.
func (b *Boards) Show(ctx context.Context, r *interact.Request, key string) (*show.Message, error) {
	at, err := b.find(ctx, r, place{key: key})
	if err != nil {
		return nil, err
	}
	return at.ask(ctx, "", "")
}

// place is a user's place in an exercise, as encoded in controls.
type place struct {
	key    string
	misses int
	// plays so far, joined by dots; each is an index into the legal moves or outcomes, in base 36
	line string
}

func (b *Boards) id(p place, verb, arg string) show.CustomID {
	return show.CustomID{Action: b.action, Arg: p.key + "/" + strconv.Itoa(p.misses) + "/" + p.line + "/" + verb + arg}
}

// maxMisses is the maximum number of wrong answers that a control counts.
const maxMisses = 99

// use answers the boards' controls.
func (b *Boards) use(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	parts := strings.SplitN(r.Control.Arg, "/", 4)
	if len(parts) != 4 || parts[3] == "" {
		return interact.Reply{}, ErrUnknown
	}
	p := place{key: parts[0], line: parts[2]}
	var err error
	if p.misses, err = strconv.Atoi(parts[1]); err != nil || p.misses < 0 || p.misses > maxMisses {
		return interact.Reply{}, ErrUnknown
	}
	at, err := b.find(ctx, r, p)
	if err != nil {
		return interact.Reply{}, err
	}
	verb, arg := parts[3][:1], parts[3][1:]
	if len(r.Values) == 1 {
		arg = r.Values[0]
	}
	var m *show.Message
	switch verb {
	case VerbShow:
		m, err = at.ask(ctx, "", "")
	case VerbStep:
		m, err = at.ask(ctx, arg, "")
	case VerbPlay:
		m, err = at.play(ctx, arg)
	case VerbText:
		return interact.Reply{New: at.Text()}, nil
	default:
		err = ErrUnknown
	}
	if err != nil {
		return interact.Reply{}, err
	}
	return Reply(r, m), nil
}

// errLong is the refusal if the custom_ids have no room for another move.
var errLong = show.Refuse(text.M("bot.practice.long"))

// board is a user's board at some place in an exercise.
type board struct {
	*Boards
	r        *interact.Request
	x        *Exercise
	Position // position at that place
	place
}

// find returns the board at a place in an exercise.
func (b *Boards) find(ctx context.Context, r *interact.Request, p place) (*board, error) {
	x, err := b.kind.Exercise(ctx, r, p.key, p.misses)
	if err != nil {
		return nil, err
	}
	match := x.Match.Fork()
	for part := range strings.SplitSeq(p.line, ".") {
		if part == "" {
			continue
		}
		n, err := strconv.ParseUint(part, 36, 16)
		plays := plays(match.State())
		if err != nil || int(n) >= len(plays) {
			return nil, ErrUnknown
		}
		if err := match.Play(plays[n]); err != nil {
			return nil, ErrUnknown
		}
	}
	names := make([]text.Name, match.Header().Setup.Seats)
	others := slices.DeleteFunc(show.SampleNames(r.Say), r.User.Name.Equal)
	for seat := range names {
		names[seat] = others[seat%len(others)]
	}
	names[x.Seat] = r.User.Name
	at := &board{Boards: b, r: r, x: x, place: p}
	at.Position = Position{Match: match, Seat: x.Seat, Names: names, Title: x.Title, Say: r.Say.Named(at.mention)}
	return at, nil
}

// plays returns the legal plays in a position: moves, or outcomes of chance.
func plays(s games.State) []games.Move {
	outcomes := s.Outcomes()
	if outcomes == nil {
		return s.Moves()
	}
	list := make([]games.Move, len(outcomes))
	for i, o := range outcomes {
		list[i] = o.Move
	}
	return list
}

// after returns p with the match's plays appended, starting at index from.
func (p place) after(match *games.Match, from int) place {
	for i := from; i < match.Len(); i++ {
		state := match.At(i)
		n := slices.IndexFunc(plays(state), func(m games.Move) bool {
			return games.Spell(state, m) == match.Log()[i].Text
		})
		if p.line != "" {
			p.line += "."
		}
		p.line += strconv.FormatUint(uint64(n), 36)
	}
	return p
}

// ask returns a message with the board and the stepper's question after path. said is the text above the board. If it
// is "", the exercise's question is shown.
func (at *board) ask(ctx context.Context, path, said string) (*show.Message, error) {
	if at.Match.ToMove() != at.x.Seat {
		return nil, ErrUnknown
	}
	fits := true
	m, err := at.Ask(ctx, at.stepper, path, func(verb, arg string) show.CustomID {
		id := at.id(at.place, verb, arg)
		fits = fits && show.Fits(id.String())
		return id
	})
	switch {
	case err != nil:
		return nil, err
	case !fits:
		return nil, errLong
	}
	if said == "" {
		said = at.x.Head
	}
	m.Components = append([]discordgo.MessageComponent{Paragraph(said)}, m.Components...)
	m.Components = append(m.Components, show.Rows(append(slices.Clone(at.x.Buttons), at.textButton(),
		show.LegendButton(at.Match.Game(), at.r.Say))...)...)
	return m, nil
}

// play plays the user's move at path and returns a message with the consequences.
func (at *board) play(ctx context.Context, path string) (*show.Message, error) {
	if at.Match.ToMove() != at.x.Seat {
		return nil, ErrUnknown
	}
	move, err := at.Choose(path)
	if err != nil {
		return nil, err
	}
	before, from := at.place, at.Match.Len()
	if err := at.Match.Play(move); err != nil {
		return nil, fmt.Errorf("playing %q in %s: %w", path, at.key, err)
	}
	a, err := at.kind.Answer(ctx, at.r, at.x, Play{at.Match.Fork(), at.misses})
	if err != nil {
		return nil, err
	}
	for _, then := range a.Then {
		if err := at.Match.PlayExact(then); err != nil {
			return nil, fmt.Errorf("what follows in %s: %w", at.key, err)
		}
	}
	at.place = before.after(at.Match, from)
	said := strings.TrimPrefix(at.Sentences(from)+"\n"+a.Said, "\n")
	if a.Asks {
		return at.ask(ctx, "", said)
	}

	seat := at.x.Seat
	sc := at.Scene(from)
	file, alt, err := at.paint.Paint(ctx, sc, at.Title, at.Names, at.Plain(), "after.png")
	if err != nil {
		return nil, err
	}
	m := &show.Message{Ephemeral: true, Files: []*discordgo.File{file}}
	m.Components = []discordgo.MessageComponent{show.Container(show.AccentIn(sc, seat),
		append([]discordgo.MessageComponent{Paragraph(said)}, show.Board(file.Name, alt, sc, at.named())...)...)}
	buttons := slices.Clone(a.Buttons)
	if a.Missed {
		before.misses = min(before.misses+1, maxMisses)
		buttons = append(buttons, show.Button(discordgo.PrimaryButton, at.r.Say.Say(text.M("bot.practice.again")),
			at.id(before, VerbShow, "")))
	}
	asText := at.textButton()
	if !show.Fits(asText.CustomID) {
		return nil, errLong
	}
	m.Components = append(m.Components, show.Rows(append(append(buttons, at.x.Buttons...), asText)...)...)
	return m, nil
}

// textButton returns a button that shows the board as text.
func (at *board) textButton() discordgo.Button {
	return show.Button(discordgo.SecondaryButton, at.r.Say.Say(text.M("bot.button.text")),
		at.id(at.place, VerbText, ""))
}

// mention returns a mention for the user's seat, and the name in bold type for any other seat.
func (at *board) mention(seat int) text.Message {
	if games.Seat(seat) == at.x.Seat {
		return text.User(at.r.User.ID).Raw()
	}
	return show.Bold(at.Names[seat].Raw())
}
