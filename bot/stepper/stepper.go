// Package stepper asks for a move word by word. For each word it shows buttons or menus and marks on the picture, and
// finally a preview of the board. It is used by tables and private boards.
package stepper

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/show"
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
)

// Stepper asks for moves in messages that only the user sees.
type Stepper struct{ paint *show.Painter }

// New returns a Stepper that paints with paint.
func New(paint *show.Painter) *Stepper { return &Stepper{paint} }

// Board is a position in which a user chooses a move.
type Board struct {
	State games.State     // position in the view of Seat, which is to move
	Seat  games.Seat      // seat of the user
	Menu  *games.Menu     // menu of the legal moves
	Trail []games.Step    // last move, for the picture
	Names []text.Name     // names of the seats in pictures
	Title text.Message    // title of the pictures
	Say   *locale.Speaker // writes seats as mentions, for Discord's markdown
	Plain *locale.Speaker // writes seats as names, for pictures, alt texts and labels
	// StepID returns the custom_id of a control that continues at a place in the menu. PlayID returns the custom_id of
	// the button that plays a whole move.
	StepID, PlayID func(arg string) show.CustomID
}

// doneMark after a path in a custom_id means that the move ends there, although it could be continued.
const doneMark = "\n."

// Step answers a control whose custom_id StepID returned. arg is the argument of that call, or the chosen value of a
// menu. Step returns a games.PlayerError for an arg that the stepper never sends.
func (st *Stepper) Step(ctx context.Context, b Board, arg string) (*show.Message, error) {
	if whole, done := strings.CutSuffix(arg, doneMark); done {
		return st.Preview(ctx, b, whole)
	}
	return st.Ask(ctx, b, arg)
}

// Whole returns the move that a control chooses. arg has the meaning that it has for Step. ok is false if a question
// follows.
func (b Board) Whole(arg string) (notation string, ok bool) {
	if whole, done := strings.CutSuffix(arg, doneMark); done {
		return whole, true
	}
	q, err := Next(b.Menu, arg)
	return q.Path, err == nil && q.Complete && len(q.Choices) == 0
}

// Ask returns a message with the question that follows path. If no choice follows a whole move, it returns a preview.
func (st *Stepper) Ask(ctx context.Context, b Board, path string) (*show.Message, error) {
	q, err := Next(b.Menu, path)
	if err != nil {
		return nil, err
	}
	if q.Complete && len(q.Choices) == 0 {
		return st.Preview(ctx, b, q.Path)
	}

	m := &show.Message{Ephemeral: true}
	var lines []string
	if so := q.So(b.Say); so != "" {
		lines = append(lines, so)
	}
	lines = append(lines, "### "+b.Say.Say(q.Ask))
	parts := []discordgo.MessageComponent{show.Paragraph(strings.Join(lines, "\n"))}
	sc := b.State.Scene(b.Seat, b.Trail)
	accent := show.AccentIn(sc, b.Seat)
	said := len(sc.Marks)
	b.Menu.Mark(&sc, q.Path)
	var onBoard, inHand []string
	for _, mark := range sc.Marks[said:] {
		if !slices.ContainsFunc(q.Choices, func(c Choice) bool { return c.Word.Written() == mark.Text }) {
			continue // the mark names a chosen column
		}
		to := &onBoard
		if mark.Card > 0 {
			to = &inHand
		}
		if !slices.Contains(*to, mark.Text) { // a column has a mark at both ends
			*to = append(*to, mark.Text)
		}
	}
	options := func(list []string) (told []text.Message) {
		if len(q.Chosen) > 0 {
			told = append(told, text.M("bot.step.chosen", "Words", show.InOrder(q.Chosen)))
		}
		if len(list) > 0 {
			or := make(text.Or, len(list))
			for i, one := range list {
				or[i] = text.Raw(one)
			}
			told = append(told, text.M("bot.step.marked", "Choices", or))
		}
		return told
	}
	// A screen reader should first say whose turn it is, and then the choices.
	sc.Alt = slices.Insert(slices.Clone(sc.Alt), min(1, len(sc.Alt)), options(onBoard)...)
	file, alt, err := st.paint.Paint(ctx, sc, b.Title, b.Names, b.Plain, "step.png")
	if err != nil {
		return nil, err
	}
	m.Files = append(m.Files, file)
	hand, err := st.hand(ctx, b, m, sc, options(inHand)...)
	if err != nil {
		return nil, err
	}
	parts = append(append(parts, hand...), show.Board(file.Name, alt, sc, b.Say)...)
	m.Components = append(m.Components, show.Container(accent, parts...))

	nav := b.nav(q)
	if q.Complete {
		enough := q.Choices[0].Word.Else
		if enough.IsZero() {
			enough = text.M("bot.step.enough", "Move", q.Path)
		}
		nav = append([]discordgo.Button{show.Button(discordgo.SuccessButton, b.Plain.Say(enough),
			b.StepID(q.Path+doneMark))}, nav...)
	}
	m.Components = append(m.Components, b.rows(q)...)
	m.Components = append(m.Components, show.Rows(nav...)...)
	return m, nil
}

// hand adds the picture of the user's hand to a message, and returns its components: none without a hand. The hand is
// next to the question, above the board, at every step: a user who chooses a ship or a square needs the cards, too.
// told are further sentences for the picture's description.
func (st *Stepper) hand(ctx context.Context, b Board, m *show.Message, sc scene.Scene,
	told ...text.Message) ([]discordgo.MessageComponent, error) {
	file, err := st.paint.Hand(ctx, sc, b.Title, b.Plain)
	if err != nil || file == nil {
		return nil, err
	}
	m.Files = append(m.Files, file)
	said := []string{b.Plain.Say(sc.HandAlt)}
	for _, t := range told {
		said = append(said, b.Plain.Say(t))
	}
	return []discordgo.MessageComponent{show.Picture(file.Name,
		show.Alt(b.Title, strings.Join(said, " "), b.Plain))}, nil
}

// After returns the board after a move, in the view of Seat.
func (b Board) After(move games.Move) scene.Scene { return b.shows(move, b.State.Apply(move)) }

// shows returns the board after a move that leads to the state after. Unless the game is over, the user is still marked
// as the player to move, because nothing is played yet.
func (b Board) shows(move games.Move, after games.State) scene.Scene {
	sc := games.Mask(after, b.Seat).Scene(b.Seat, []games.Step{{Before: b.State, Seat: b.Seat, Move: move}})
	if after.ToMove() != games.Nobody {
		sc.Panels = slices.Clone(sc.Panels)
		for i := range sc.Panels {
			sc.Panels[i].ToMove = sc.Panels[i].Seat == int(b.Seat)
		}
	}
	return sc
}

// Draws reports whether the move that led to a state draws a card, which its player cannot foresee.
func Draws(after games.State) bool {
	_, hides := after.(games.Hider)
	return hides && after.ToMove() == games.Chance
}

// Expect returns the sentence above the preview of a move from before to after. It says that nothing is played yet, and
// whether this is the only move, because then nothing was asked.
func Expect(before, after games.State) text.Message {
	expect := text.M("bot.step.preview")
	if Draws(after) {
		expect = text.M("bot.step.preview-draw")
	}
	if len(before.Moves()) == 1 {
		return text.M("bot.step.preview-only", "Expect", expect)
	}
	return expect
}

// Preview returns a message with the board after the move at path, and a button that plays the move.
func (st *Stepper) Preview(ctx context.Context, b Board, path string) (*show.Message, error) {
	move, ok := b.Menu.Move(path)
	if !ok {
		return nil, notOffered(b.Menu, path)
	}
	q, err := Next(b.Menu, path)
	if err != nil {
		return nil, err
	}
	after := b.State.Apply(move)
	sc := b.shows(move, after)
	file, alt, err := st.paint.Paint(ctx, sc, text.M("bot.plate.preview", "Plate", b.Title, "Move", path), b.Names,
		b.Plain, "preview.png")
	if err != nil {
		return nil, err
	}
	m := &show.Message{Ephemeral: true, Files: []*discordgo.File{file}}
	hand, err := st.hand(ctx, b, m, sc)
	if err != nil {
		return nil, err
	}
	parts := append([]discordgo.MessageComponent{show.Paragraph("### " + b.Say.Say(b.State.Describe(move)) +
		"\n-# " + text.Code(path).Markdown() + " · " + b.Say.Say(Expect(b.State, after)))}, hand...)
	parts = append(parts, show.Board(file.Name, alt, sc, b.Say)...)
	m.Components = []discordgo.MessageComponent{show.Container(show.AccentIn(sc, b.Seat), parts...)}
	nav := append([]discordgo.Button{show.Button(discordgo.SuccessButton, b.Say.Say(text.M("bot.step.play")),
		b.PlayID(path))}, b.nav(q)...)
	m.Components = append(m.Components, show.Rows(nav...)...)
	return m, nil
}

// mostButtons is the maximum number of choices that are buttons. The buttons that go back also need a row.
const mostButtons = 3 * show.RowButtons

// maxMenus limits the select menus of a message. A message has at most 40 components. Each menu needs two, one of them
// for its row. The remaining components are for the board and the buttons.
const maxMenus = 12

// rows returns the controls for the choices. They are buttons, or select menus of about equal length if there are too
// many choices. If there are several menus, each names its range. If some choices have no room, rows adds their number.
func (b Board) rows(q Question) []discordgo.MessageComponent {
	choices := q.Choices
	if len(choices) <= mostButtons {
		var buttons []discordgo.Button
		for _, c := range choices {
			buttons = append(buttons, show.Button(discordgo.SecondaryButton, c.Said(b.Plain), b.StepID(c.Path)))
		}
		return show.Rows(buttons...)
	}
	var out []discordgo.MessageComponent
	ask := b.Plain.Say(q.Ask)
	menus := (len(choices) + show.MaxOptions - 1) / show.MaxOptions
	each := (len(choices) + menus - 1) / menus
	for chunk := range slices.Chunk(choices, each) {
		menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu,
			CustomID: b.StepID(string(rune('a' + len(out)))).String(), Placeholder: show.Clip(ask, 150)}
		if menus > 1 {
			first, last := chunk[0].named(b.Plain), chunk[len(chunk)-1].named(b.Plain)
			menu.Placeholder = show.Clip(first+" – "+last, 150)
		}
		for _, c := range chunk {
			menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: show.Clip(c.Said(b.Plain),
				show.MaxOptionLabel), Value: c.Path})
		}
		out = append(out, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
		if rest := len(choices) - len(out)*each; len(out) == maxMenus && rest > 0 {
			return append(out, show.Paragraph(b.Say.Say(text.M("bot.step.rest", "Count", rest))))
		}
	}
	return out
}

// nav returns the button Back if the user can go back, and Start over if that leads further back.
func (b Board) nav(q Question) []discordgo.Button {
	if len(q.Back) == 0 {
		return nil
	}
	nav := []discordgo.Button{show.Button(discordgo.SecondaryButton, b.Say.Say(text.M("bot.step.back")),
		b.StepID(q.Back[len(q.Back)-1]))}
	if len(q.Back) > 1 {
		nav = append(nav, show.Button(discordgo.SecondaryButton, b.Say.Say(text.M("bot.step.restart")),
			b.StepID("")))
	}
	return nav
}
