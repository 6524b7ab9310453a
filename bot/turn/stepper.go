package turn

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// myMenu is the menu of the user who acts, or why they have none now.
func myMenu(r *interact.Request, snap *table.Snapshot) (games.Seat, *games.Menu, error) {
	seat, err := interact.MySeat(r, snap)
	if err != nil {
		return 0, nil, err
	}
	if snap.Status == table.Over {
		return 0, nil, show.Refuse(text.M("table.error.over"))
	}
	menu, ok := snap.Menu(seat)
	if !ok {
		return 0, nil, interact.Naming(show.Refuse(text.M("table.error.not-your-turn", "Who", text.Player(snap.ToMove))), r, snap)
	}
	return seat, menu, nil
}

// openStepper answers the move button of a turn message.
func (rm *Room) openStepper(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if r.Control.Version < int(snap.Board) && snap.Status != table.Over {
		return interact.Reply{}, rm.find.MovedOn(ctx, snap)
	}
	seat, menu, err := myMenu(r, snap)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.stepMessage(ctx, r, snap, seat, menu, "")
	return interact.Reply{New: m}, err
}

// step answers the stepper's own controls.
func (rm *Room) step(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if r.Control.Version < int(snap.Board) {
		return interact.Reply{}, rm.find.MovedOn(ctx, snap)
	}
	seat, menu, err := myMenu(r, snap)
	if err != nil {
		return interact.Reply{}, err
	}
	path := r.Control.Arg
	if len(r.Values) == 1 {
		path = r.Values[0]
	}
	var m *show.Message
	if whole, done := strings.CutSuffix(path, doneMark); done {
		m, err = rm.previewMessage(ctx, r, snap, seat, menu, whole)
	} else {
		m, err = rm.stepMessage(ctx, r, snap, seat, menu, strings.TrimSuffix(path, restartMark))
	}
	return interact.Reply{Update: m}, err
}

// playStepped answers the stepper's last button.
func (rm *Room) playStepped(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	after, err := rm.tables.Move(ctx, r.Actor(), snap.ID, r.Control.Arg, uint64(r.Control.Version))
	if err != nil {
		if isStale(err) {
			return interact.Reply{}, rm.find.MovedOn(ctx, snap)
		}
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	if m := rm.stepOn(ctx, r, after); m != nil {
		return interact.Reply{Update: m}, nil
	}
	return interact.Reply{Update: rm.played(ctx, r, after, r.Control.Arg)}, nil
}

// stepOn asks for the next step of a turn that goes on after one; nil when it does not, or when the
// question cannot be shown: the step is made all the same.
func (rm *Room) stepOn(ctx context.Context, r *interact.Request, after *table.Snapshot) *show.Message {
	seat, menu, err := myMenu(r, after)
	if err != nil {
		return nil
	}
	m, err := rm.stepMessage(ctx, r, after, seat, menu, "")
	if err != nil {
		return nil
	}
	done := show.Paragraph(r.Say.Say(text.M("bot.move.played-on", "Move", text.Code(r.Control.Arg))))
	m.Components = append([]discordgo.MessageComponent{done}, m.Components...)
	m.Components = append(m.Components, show.Rows(undoButton(r, after)...)...)
	return m
}

// played says that a move is made, and what comes next for its player.
func (rm *Room) played(ctx context.Context, r *interact.Request, after *table.Snapshot, notation string) *show.Message {
	id := "bot.move.played"
	switch {
	case after.Status == table.Over:
		id = "bot.move.played-over"
	case after.Mover() == r.User.ID:
		id = "bot.move.played-again"
	}
	lines := []string{show.Mentioning(r.Say, after).Say(text.M(id, "Move", text.Code(notation), "Who", text.Player(after.ToMove)))}
	if next := rm.nextTable(ctx, r, after.ID); next != "" {
		lines = append(lines, next)
	}
	m := show.Text(strings.Join(lines, "\n"))
	var buttons []discordgo.Button
	if after.Status != table.Over && after.Mover() == r.User.ID {
		buttons = append(buttons, MoveButton(r.Say.Say, after))
	}
	m.Components = append(m.Components, show.Rows(append(buttons, undoButton(r, after)...)...)...)
	return m
}

// undoButton takes back the move that was just made, where its player may do that alone.
func undoButton(r *interact.Request, after *table.Snapshot) []discordgo.Button {
	if !takesBackAlone(after, r.User.ID) {
		return nil
	}
	return []discordgo.Button{show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("bot.button.undo")),
		show.CustomID{Action: actionUndo, Table: after.ID.String(), Version: show.Version(after)})}
}

// stepMessage asks the question that follows after path, or, when a move is complete there, shows
// what it would do. Questions with one answer are answered by themselves.
func (rm *Room) stepMessage(ctx context.Context, r *interact.Request, snap *table.Snapshot, seat games.Seat, menu *games.Menu, path string) (*show.Message, error) {
	choices, ok := menu.At(path)
	if !ok {
		return nil, notOffered(menu, path)
	}
	_, complete := menu.Move(path)
	for !complete && len(choices) == 1 {
		path = choices[0].Path
		choices, _ = menu.At(path)
		_, complete = menu.Move(path)
	}
	if complete && len(choices) == 0 {
		return rm.previewMessage(ctx, r, snap, seat, menu, path)
	}

	speaker := show.Mentioning(r.Say, snap)
	m := &show.Message{Ephemeral: true}
	var lines []string
	if path != "" {
		lines = append(lines, text.Code(path).Markdown())
	}
	lines = append(lines, "### "+speaker.Say(choices[0].Word.Ask))
	parts := []discordgo.MessageComponent{show.Paragraph(strings.Join(lines, "\n"))}
	pictures, err := rm.stepPictures(ctx, r, snap, seat, menu, path, m)
	if err != nil {
		return nil, err
	}
	parts = append(parts, pictures...)
	m.Components = append(m.Components, show.Container(show.AccentOf(snap, seat), parts...))

	nav := stepNav(r, snap, menu, path)
	if complete {
		nav = append([]discordgo.Button{show.Button(discordgo.SuccessButton, r.Say.Plain().Say(text.M("bot.step.enough", "Move", path)),
			stepID(actionStep, snap, path+doneMark))}, nav...)
	}
	m.Components = append(m.Components, choiceRows(r, snap, choices)...)
	m.Components = append(m.Components, show.Rows(nav...)...)
	return m, nil
}

// stepPictures shows the board as it is, with marks on what can be chosen after path, and the hand
// where something is chosen from it or nothing is chosen yet. Their files are added to m.
func (rm *Room) stepPictures(ctx context.Context, r *interact.Request, snap *table.Snapshot, seat games.Seat, menu *games.Menu, path string, m *show.Message) ([]discordgo.MessageComponent, error) {
	speaker := show.Plain(r.Say, snap)
	sc := show.SceneAt(snap, seat, snap.Plays-1, snap.Plays)
	said := len(sc.Marks)
	menu.Mark(&sc, path)
	var onBoard, inHand []text.Message
	for _, mark := range sc.Marks[said:] {
		if mark.Card > 0 {
			inHand = append(inHand, text.Raw(mark.Text))
		} else {
			onBoard = append(onBoard, text.Raw(mark.Text))
		}
	}
	marked := func(list []text.Message, alt string) string {
		if len(list) == 0 {
			return alt
		}
		return speaker.Say(text.M("bot.step.marked", "Choices", text.Or(list))) + " " + alt
	}
	file, alt, err := rm.paint.Paint(ctx, sc, show.Names(snap), speaker, "step.png")
	if err != nil {
		return nil, err
	}
	m.Files = append(m.Files, file)
	parts := []discordgo.MessageComponent{show.Picture(file.Name, marked(onBoard, alt))}
	if len(inHand) == 0 && len(menu.Ancestors(path)) > 1 {
		return parts, nil
	}
	hand, err := rm.paint.Hand(ctx, sc, speaker)
	if err != nil || hand == nil {
		return parts, err
	}
	m.Files = append(m.Files, hand)
	return append(parts, show.Picture(hand.Name, marked(inHand, speaker.Say(sc.HandAlt)))), nil
}

// notOffered says why a path that the stepper never offers leads nowhere.
func notOffered(menu *games.Menu, path string) error {
	if _, err := menu.Parse(path); err != nil {
		return err
	}
	return show.Refuse(text.M("bot.error.unknown-control")) // a move, but not spelt as the menu spells it
}

// doneMark after a path in a custom_id says that the move is to end there, though more words could
// follow.
const doneMark = "\n."

// restartMark stands for the start of the menu, so that Start over and Back differ where both lead
// there.
const restartMark = "\n"

// stepID is the custom_id of one of the stepper's controls.
func stepID(action show.Action, snap *table.Snapshot, arg string) show.CustomID {
	return show.CustomID{Action: action, Table: snap.ID.String(), Version: show.Version(snap), Arg: arg}
}

// choiceRows offers the choices: up to two rows of buttons, else select menus of 25 each.
func choiceRows(r *interact.Request, snap *table.Snapshot, choices []games.Choice) []discordgo.MessageComponent {
	speaker := show.Plain(r.Say, snap)
	label := func(c games.Choice) string { return choiceLabel(speaker, c.Word) }
	if len(choices) <= show.RowButtons {
		var buttons []discordgo.Button
		for _, c := range choices {
			buttons = append(buttons, show.Button(discordgo.SecondaryButton, label(c), stepID(actionStep, snap, c.Path)))
		}
		return show.Rows(buttons...)
	}
	var out []discordgo.MessageComponent
	ask := speaker.Say(choices[0].Word.Ask)
	for chunk := range slices.Chunk(choices, show.MaxOptions) {
		menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: stepID(actionStep, snap, string(rune('a'+len(out)))).String(), Placeholder: show.Clip(ask, 150)}
		if len(choices) > show.MaxOptions {
			menu.Placeholder = show.Clip(chunk[0].Word.Key+" – "+chunk[len(chunk)-1].Word.Key, 150)
		}
		for _, c := range chunk {
			menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: show.Clip(label(c), show.MaxOptionLabel), Value: c.Path})
		}
		out = append(out, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
		if len(out) == show.MaxRows-1 {
			break
		}
	}
	return out
}

// choiceLabel says what a word chooses. What is marked in the picture is there by the word's key, so
// its label has it, too.
func choiceLabel(s show.Speaker, w games.Word) string {
	label := s.Say(w.Label)
	if label == "" {
		return w.Key
	}
	isKey := func(part string) bool { return strings.Trim(part, "(),.:;") == w.Key }
	if w.Spot != "" && !slices.ContainsFunc(strings.Fields(label), isKey) {
		return w.Key + " · " + label
	}
	return label
}

// stepNav are the buttons Back and Start over, where there is something to go back to.
func stepNav(r *interact.Request, snap *table.Snapshot, menu *games.Menu, path string) []discordgo.Button {
	var decisions []string // paths on the way at which there was a choice
	for _, p := range menu.Ancestors(path) {
		if p == path {
			break
		}
		if c, _ := menu.At(p); len(c) > 1 {
			decisions = append(decisions, p)
		}
	}
	if len(decisions) == 0 {
		return nil
	}
	nav := []discordgo.Button{show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("bot.step.back")), stepID(actionStep, snap, decisions[len(decisions)-1]))}
	if len(decisions) > 1 {
		nav = append(nav, show.Button(discordgo.SecondaryButton, r.Say.Say(text.M("bot.step.restart")), stepID(actionStep, snap, restartMark)))
	}
	return nav
}

// previewMessage shows the board as it would be after the move at path, with a button that plays
// it.
func (rm *Room) previewMessage(ctx context.Context, r *interact.Request, snap *table.Snapshot, seat games.Seat, menu *games.Menu, path string) (*show.Message, error) {
	move, ok := menu.Move(path)
	if !ok {
		return nil, notOffered(menu, path)
	}
	before := snap.View(seat).State
	after := before.Apply(move).Mask(seat)
	names, speaker := show.Names(snap), show.Plain(r.Say, snap)
	sc := after.Scene(seat, []games.Step{{Before: before, Seat: seat, Move: move}})
	file, alt, err := rm.paint.Paint(ctx, sc, names, speaker, "preview.png")
	if err != nil {
		return nil, err
	}
	told := show.Mentioning(r.Say, snap).Say(before.Tell(move))
	m := &show.Message{Ephemeral: true, Files: []*discordgo.File{file}}
	m.Components = []discordgo.MessageComponent{show.Container(show.AccentOf(snap, seat),
		show.Paragraph("### "+text.Code(path).Markdown()+"\n"+told+"\n-# "+r.Say.Say(text.M("bot.step.preview"))), show.Picture(file.Name, alt))}
	nav := append([]discordgo.Button{show.Button(discordgo.SuccessButton, r.Say.Say(text.M("bot.step.play")), stepID(actionPlay, snap, path))}, stepNav(r, snap, menu, path)...)
	m.Components = append(m.Components, show.Rows(nav...)...)
	return m, nil
}
