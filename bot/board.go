package bot

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// board answers /board: the position now or after an earlier play, as a picture or as text.
func (b *Bot) board(ctx context.Context, r *request) (reply, error) {
	snap, err := b.latestTable(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if !snap.Started() {
		return reply{}, playerError{text.M("table.error.not-started")}
	}
	n := snap.Plays
	if at, ok := r.number("at"); ok {
		if at < 0 || at > snap.Plays {
			return reply{}, playerError{text.M("bot.error.no-position", "At", at, "Count", snap.Plays)}
		}
		n = at
	}
	viewer := snap.Viewer(r.user.id)
	if r.flag("share") {
		viewer = games.Spectator
	}
	if r.flag("text") {
		return reply{new: b.textMessage(r, snap, viewer, n)}, nil
	}
	m, err := b.boardMessage(ctx, r, snap, viewer, n)
	return reply{new: m}, err
}

// stepBoard answers the arrows under a board; the version in the custom_id is the play to show, its
// argument says whether the board is one that everybody sees.
func (b *Bot) stepBoard(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if !snap.Started() {
		return reply{}, playerError{text.M("table.error.not-started")}
	}
	viewer := snap.Viewer(r.user.id)
	if r.Message == nil || r.Message.Flags&discordgo.MessageFlagsEphemeral == 0 {
		viewer = games.Spectator
	}
	m, err := b.boardMessage(ctx, r, snap, viewer, min(r.id.version, snap.Plays))
	return reply{update: m}, err
}

// boardMessage shows the position after n plays, with arrows to the ones before and after it.
func (b *Bot) boardMessage(ctx context.Context, r *request, snap *table.Snapshot, viewer games.Seat, n int) (*message, error) {
	file, alt, err := b.boardPicture(ctx, snap, viewer, n-1, n, r.say)
	if err != nil {
		return nil, err
	}
	m := &message{files: []*discordgo.File{file}}
	title := b.positionTitle(r, snap, viewer, n)
	points, _ := b.tables.TurningPoints(ctx, snap)
	if mark := markLine(points, n, r.say); mark != "" {
		title += "\n" + mark
	}
	m.components = []discordgo.MessageComponent{container(accent, paragraph(title), picture(file.Name, alt))}
	m.components = append(m.components, rows(b.arrows(snap, n)...)...)
	m.components = append(m.components, rows(b.markButtons(snap, points, n)...)...)
	return m, nil
}

// arrows lead to the first position, ten and one back, one and ten on, and the last one.
func (b *Bot) arrows(snap *table.Snapshot, n int) []discordgo.Button {
	to := func(label string, n int, off bool) discordgo.Button {
		bt := button(discordgo.SecondaryButton, label, customID{action: actionAt, table: snap.ID.String(), version: max(0, min(n, snap.Plays)), arg: label}.String())
		bt.Disabled = off
		return bt
	}
	return []discordgo.Button{
		to("⏮", 0, n == 0), to("◀", n-1, n == 0), to("▶", n+1, n == snap.Plays), to("⏭", snap.Plays, n == snap.Plays),
	}
}

// positionTitle says which position it is and how it came about.
func (b *Bot) positionTitle(r *request, snap *table.Snapshot, viewer games.Seat, n int) string {
	s := mentioning(r.say, snap)
	title := fmt.Sprintf("### %s · #%s\n", s.Say(snap.Game().Info().Name), snap.ID)
	title += s.Say(text.M("bot.board.position", "At", n, "Of", snap.Plays))
	if n > 0 {
		for _, step := range snap.Trail(viewer, n-1, n) {
			title += "\n" + s.Say(step.Before.Tell(step.Move))
		}
	}
	return title
}

// textBoard answers the Text button: the same board for a monospaced font and for screen readers.
func (b *Bot) textBoard(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if !snap.Started() {
		return reply{}, playerError{text.M("table.error.not-started")}
	}
	return reply{new: b.textMessage(r, snap, snap.Viewer(r.user.id), snap.Plays)}, nil
}

func (b *Bot) textMessage(r *request, snap *table.Snapshot, viewer games.Seat, n int) *message {
	s := plain(r.say, snap)
	sc := sceneAt(snap, viewer, n-1, n)
	return &message{components: []discordgo.MessageComponent{
		paragraph(clip(altText(sc, s), 1600)),
		paragraph(textPicture(sc, s)),
	}}
}

// handText says a seat's cards in words.
func (b *Bot) handText(snap *table.Snapshot, seat games.Seat, s speaker) string {
	return s.Say(sceneAt(snap, seat, snap.Plays, snap.Plays).HandAlt)
}

// speaker says messages.
type speaker interface{ Say(text.Message) string }

// playerAccents colour the edge of messages by the player whose move it is; they are the middle
// between what the boards' themes show.
var playerAccents = [...]int{0xC8383B, 0x2F6DB5, 0x3E9B56, 0xD9A520, 0x7D4FA8}

// accentOf is the colour of a seat as its board shows it.
func accentOf(snap *table.Snapshot, seat games.Seat) int {
	if seat < 0 || !snap.Started() {
		return accent
	}
	return accentIn(sceneAt(snap, games.Spectator, snap.Plays, snap.Plays), seat)
}

// accentIn is the colour of a seat in a board.
func accentIn(sc scene.Scene, seat games.Seat) int {
	if seat >= 0 && int(seat) < len(sc.Panels) {
		if c := int(sc.Panels[seat].Color); c >= 0 && c < len(playerAccents) {
			return playerAccents[c]
		}
	}
	return accent
}
