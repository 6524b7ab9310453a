package bot

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// The stepper finds a move word by word: an ephemeral message asks each question that the menu of
// the legal moves holds, with buttons or select menus, and shows the board as it would be before
// the move is played. It keeps nothing: where one is in the menu stands in the custom_ids.

// version is the table's version as it stands in a custom_id.
func version(snap *table.Snapshot) int { return int(snap.Version) }

// seat is the seat of the user who acts, or why they have none here.
func (b *Bot) mySeat(r *request, snap *table.Snapshot) (games.Seat, error) {
	switch seat := snap.Seat(r.user.id); {
	case snap.Status == table.Lobby:
		return 0, playerError{text.M("table.error.not-started")}
	case seat == games.Spectator:
		return 0, playerError{text.M("table.error.not-seated")}
	default:
		return seat, nil
	}
}

// myMenu is the menu of the user who acts, or why they have none now.
func (b *Bot) myMenu(r *request, snap *table.Snapshot) (games.Seat, *games.Menu, error) {
	seat, err := b.mySeat(r, snap)
	if err != nil {
		return 0, nil, err
	}
	if snap.Status == table.Over {
		return 0, nil, playerError{text.M("table.error.over")}
	}
	menu, ok := snap.Menu(seat)
	if !ok {
		return 0, nil, naming(playerError{text.M("table.error.not-your-turn", "Who", text.Player(snap.ToMove))}, r, snap)
	}
	return seat, menu, nil
}

// movedOn says that the board has changed since a control was made, with a link to the current one.
func (b *Bot) movedOn(ctx context.Context, snap *table.Snapshot) error {
	link := "<#" + snap.Channel + ">"
	if note, err := b.tables.Note(ctx, snap.ID); err == nil && note != "" {
		link = messageLink(snap.Guild, snap.Channel, parsePosted(note).board)
	}
	return playerError{text.M("bot.error.moved-on", "Link", link)}
}

// openStepper answers the Move button of a turn message.
func (b *Bot) openStepper(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if r.id.version < int(snap.Board) && snap.Status != table.Over {
		return reply{}, b.movedOn(ctx, snap)
	}
	seat, menu, err := b.myMenu(r, snap)
	if err != nil {
		return reply{}, err
	}
	m, err := b.stepMessage(ctx, r, snap, seat, menu, "")
	return reply{new: m}, err
}

// step answers the stepper's own controls.
func (b *Bot) step(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if r.id.version < int(snap.Board) {
		return reply{}, b.movedOn(ctx, snap)
	}
	seat, menu, err := b.myMenu(r, snap)
	if err != nil {
		return reply{}, err
	}
	path := r.id.arg
	if len(r.values) == 1 {
		path = r.values[0]
	}
	var m *message
	if whole, done := strings.CutSuffix(path, doneMark); done {
		m, err = b.previewMessage(ctx, r, snap, seat, menu, whole)
	} else {
		m, err = b.stepMessage(ctx, r, snap, seat, menu, strings.TrimSuffix(path, restartMark))
	}
	return reply{update: m}, err
}

// playStepped answers the stepper's last button.
func (b *Bot) playStepped(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	after, err := b.tables.Move(ctx, r.actor(), snap.ID, r.id.arg, uint64(r.id.version))
	if err != nil {
		if isStale(err) {
			return reply{}, b.movedOn(ctx, snap)
		}
		return reply{}, naming(err, r, snap)
	}
	return reply{update: b.played(ctx, r, after, r.id.arg)}, nil
}

// played says that a move is made, and what comes next for its player.
func (b *Bot) played(ctx context.Context, r *request, after *table.Snapshot, notation string) *message {
	id := "bot.move.played"
	switch {
	case after.Status == table.Over:
		id = "bot.move.played-over"
	case after.Mover() == r.user.id:
		id = "bot.move.played-again"
	}
	lines := []string{mentioning(r.say, after).Say(text.M(id, "Move", notation, "Who", text.Player(after.ToMove)))}
	if next := b.nextTable(ctx, r, after.ID); next != "" {
		lines = append(lines, next)
	}
	m := say(strings.Join(lines, "\n"))
	var buttons []discordgo.Button
	if after.Status != table.Over && after.Mover() == r.user.id {
		buttons = append(buttons, b.moveButton(r.say.Say, after))
	}
	if takesBackAlone(after, r.user.id) {
		buttons = append(buttons, button(discordgo.SecondaryButton, r.say.Say(text.M("bot.button.undo")),
			customID{action: actionUndo, table: after.ID.String(), version: version(after)}.String()))
	}
	m.components = append(m.components, rows(buttons...)...)
	return m
}

// moveButton opens the stepper.
func (b *Bot) moveButton(say func(text.Message) string, snap *table.Snapshot) discordgo.Button {
	return button(discordgo.PrimaryButton, say(text.M("bot.button.move")), customID{action: actionMove, table: snap.ID.String(), version: version(snap)}.String())
}

// stepMessage asks the question that follows after path, or, when a move is complete there, shows what it would do.
// Questions with one answer are answered by themselves.
func (b *Bot) stepMessage(ctx context.Context, r *request, snap *table.Snapshot, seat games.Seat, menu *games.Menu, path string) (*message, error) {
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
		return b.previewMessage(ctx, r, snap, seat, menu, path)
	}

	speaker := mentioning(r.say, snap)
	m := &message{ephemeral: true}
	var lines []string
	if path != "" {
		lines = append(lines, "`"+path+"`")
	}
	lines = append(lines, "### "+speaker.Say(choices[0].Word.Ask))
	parts := []discordgo.MessageComponent{paragraph(strings.Join(lines, "\n"))}
	if path == "" || len(menu.Ancestors(path)) <= 1 {
		hand, err := b.handPicture(ctx, sceneAt(snap, seat, snap.Plays, snap.Plays), plain(r.say, snap))
		if err != nil {
			return nil, err
		}
		if hand != nil {
			m.files = append(m.files, hand)
			parts = append(parts, picture(hand.Name, b.handText(snap, seat, plain(r.say, snap))))
		}
	}
	m.components = append(m.components, container(accentOf(snap, seat), parts...))

	nav := b.stepNav(r, snap, menu, path)
	if complete {
		nav = append([]discordgo.Button{button(discordgo.SuccessButton, r.say.Say(text.M("bot.step.enough", "Move", path)),
			b.stepID(actionStep, snap, path+doneMark))}, nav...)
	}
	m.components = append(m.components, b.choiceRows(r, snap, choices)...)
	m.components = append(m.components, rows(nav...)...)
	return m, nil
}

// notOffered says why a path that the stepper never offers leads nowhere.
func notOffered(menu *games.Menu, path string) error {
	if _, err := menu.Parse(path); err != nil {
		return err
	}
	return playerError{text.M("bot.error.unknown-control")} // a move, but not spelt as the menu spells it
}

// doneMark after a path in a custom_id says that the move is to end there, though more words could follow.
const doneMark = "\n."

// restartMark stands for the start of the menu, so that Start over and Back differ where both lead there.
const restartMark = "\n"

// stepID is the custom_id of one of the stepper's controls.
func (b *Bot) stepID(action string, snap *table.Snapshot, arg string) string {
	return customID{action: action, table: snap.ID.String(), version: version(snap), arg: arg}.String()
}

// choiceRows offers the choices: up to two rows of buttons, else select menus of 25 each.
func (b *Bot) choiceRows(r *request, snap *table.Snapshot, choices []games.Choice) []discordgo.MessageComponent {
	speaker := plain(r.say, snap)
	label := func(c games.Choice) string {
		if l := speaker.Say(c.Word.Label); l != "" {
			return l
		}
		return c.Word.Key
	}
	if len(choices) <= rowButtons {
		var buttons []discordgo.Button
		for _, c := range choices {
			buttons = append(buttons, button(discordgo.SecondaryButton, label(c), b.stepID(actionStep, snap, c.Path)))
		}
		return rows(buttons...)
	}
	var out []discordgo.MessageComponent
	ask := speaker.Say(choices[0].Word.Ask)
	for chunk := range slices.Chunk(choices, maxOptions) {
		menu := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: b.stepID(actionStep, snap, string(rune('a'+len(out)))), Placeholder: clip(ask, 150)}
		if len(choices) > maxOptions {
			menu.Placeholder = clip(chunk[0].Word.Key+" – "+chunk[len(chunk)-1].Word.Key, 150)
		}
		for _, c := range chunk {
			menu.Options = append(menu.Options, discordgo.SelectMenuOption{Label: clip(label(c), maxOptionLabel), Value: c.Path})
		}
		out = append(out, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
		if len(out) == maxRows-1 {
			break
		}
	}
	return out
}

// stepNav are the buttons Back and Start over, where there is something to go back to.
func (b *Bot) stepNav(r *request, snap *table.Snapshot, menu *games.Menu, path string) []discordgo.Button {
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
	nav := []discordgo.Button{button(discordgo.SecondaryButton, r.say.Say(text.M("bot.step.back")), b.stepID(actionStep, snap, decisions[len(decisions)-1]))}
	if len(decisions) > 1 {
		nav = append(nav, button(discordgo.SecondaryButton, r.say.Say(text.M("bot.step.restart")), b.stepID(actionStep, snap, restartMark)))
	}
	return nav
}

// previewMessage shows the board as it would be after the move at path, with a button that plays it.
func (b *Bot) previewMessage(ctx context.Context, r *request, snap *table.Snapshot, seat games.Seat, menu *games.Menu, path string) (*message, error) {
	move, ok := menu.Move(path)
	if !ok {
		return nil, notOffered(menu, path)
	}
	before := snap.View(seat).State
	after := before.Apply(move).Mask(seat)
	names, speaker := names(snap), plain(r.say, snap)
	sc := after.Scene(seat, []games.Step{{Before: before, Seat: seat, Move: move}})
	file, alt, err := b.paint(ctx, sc, names, speaker, "preview.png")
	if err != nil {
		return nil, err
	}
	told := mentioning(r.say, snap).Say(before.Tell(move))
	m := &message{ephemeral: true, files: []*discordgo.File{file}}
	m.components = []discordgo.MessageComponent{container(accentOf(snap, seat),
		paragraph("### `"+path+"`\n"+told+"\n-# "+r.say.Say(text.M("bot.step.preview"))), picture(file.Name, alt))}
	nav := append([]discordgo.Button{button(discordgo.SuccessButton, r.say.Say(text.M("bot.step.play")), b.stepID(actionPlay, snap, path))}, b.stepNav(r, snap, menu, path)...)
	m.components = append(m.components, rows(nav...)...)
	return m, nil
}
