package practice

import (
	"context"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/stepper"
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
)

// Position is the position of a private board, and the user who sees it.
type Position struct {
	Match *games.Match    // the match up to the position
	Seat  games.Seat      // seat of the viewer, who chooses the moves of this seat
	Names []text.Name     // names of the seats in pictures
	Title text.Message    // title of the pictures
	Say   *locale.Speaker // writes seats for Discord's markdown
}

// Verbs of the controls of a private board. A verb is the first letter of the last part of a custom_id.
const (
	VerbShow = "o" // shows the board
	VerbStep = "s" // continues in the stepper
	VerbPlay = "p" // plays a move
	VerbText = "t" // shows the board as text
)

// ErrUnknown means that a control belongs to no board, because it is old or forged.
var ErrUnknown = show.Refuse(text.M("bot.error.unknown-control"))

// maxSaid limits the characters of the text above a board. A message has room for 4,000.
const maxSaid = 2500

// Paragraph returns a text above a board. It cuts a text that is too long for a message.
func Paragraph(said string) discordgo.MessageComponent {
	return show.Paragraph(show.ClipWords(said, maxSaid))
}

// Reply returns a reply that replaces the board of the used control. If others can see that board, the reply is a new
// message instead.
func Reply(r *interact.Request, m *show.Message) interact.Reply {
	if r.Private() {
		return interact.Reply{Update: m}
	}
	return interact.Reply{New: m}
}

// Scene returns the position in the view of Seat. It marks the plays from index from on as the latest.
func (p Position) Scene(from int) scene.Scene {
	return p.Match.View(p.Seat).State.Scene(p.Seat, p.Match.Trail(p.Seat, from, p.Match.Len()))
}

// Sentences returns the sentences about the plays from index from on, one on each line.
func (p Position) Sentences(from int) string {
	var lines []string
	for _, step := range p.Match.Trail(p.Seat, from, p.Match.Len()) {
		if said := p.Say.Say(step.Before.Describe(step.Move)); said != "" {
			lines = append(lines, said)
		}
	}
	return strings.Join(lines, "\n")
}

// Text returns the board for a monospaced font and for screen readers.
func (p Position) Text() *show.Message { return show.TextBoard(p.Scene(p.Match.Len()-1), p.named()) }

// named returns a speaker for Discord's markdown that writes seats as names.
func (p Position) named() *locale.Speaker {
	return p.Say.Named(func(seat int) text.Message { return p.Names[seat].Raw() })
}

// Plain returns a speaker for pictures, alt texts and labels that writes seats as names.
func (p Position) Plain() *locale.Speaker { return p.named().Plain() }

// Choose returns the move at the end of a path of Seat's menu. It returns a games.PlayerError if there is no move at
// that path.
func (p Position) Choose(path string) (games.Move, error) {
	menu := games.NewMenu(p.Match.View(p.Seat).State)
	move, ok := menu.Move(path)
	if ok {
		return move, nil
	}
	if _, err := menu.Parse(path); err != nil {
		return 0, err
	}
	return 0, ErrUnknown
}

// Ask returns a message with the position and the stepper's question after path. id returns the custom_ids of its
// controls.
func (p Position) Ask(ctx context.Context, st *stepper.Stepper, path string,
	id func(verb, arg string) show.CustomID) (*show.Message, error) {
	state := p.Match.View(p.Seat).State
	return st.Step(ctx, stepper.Board{
		State: state, Seat: p.Seat, Menu: games.NewMenu(state),
		Trail: p.Match.Trail(p.Seat, p.Match.Len()-1, p.Match.Len()),
		Names: p.Names, Title: p.Title, Say: p.Say, Plain: p.Plain(),
		StepID: func(arg string) show.CustomID { return id(VerbStep, arg) },
		PlayID: func(arg string) show.CustomID { return id(VerbPlay, arg) },
	}, path)
}
