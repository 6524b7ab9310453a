package turn

import (
	"context"
	"fmt"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
	"marque/games/review"
	"marque/games/text"
	"marque/storage"
)

// board handles /board: the present position or an earlier one, as a picture or as text.
func (rm *Room) board(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	n := snap.Plays
	if at, ok := r.Number("at"); ok {
		if last := snap.Turn(snap.Plays); at < 0 || at > last {
			return interact.Reply{}, show.Refuse(text.M("bot.error.no-position", "At", at, "Count", last))
		}
		n = snap.AfterTurn(at)
	}
	viewer := snap.Viewer(r.User.ID)
	if r.Flag("share") {
		viewer = games.Spectator
	}
	if r.Flag("text") {
		m, err := rm.withPredictions(ctx, r, snap, textMessage(r, snap, viewer, n-1, n))
		return interact.Reply{New: m}, err
	}
	m, err := rm.BoardMessage(ctx, r, snap, viewer, n)
	return interact.Reply{New: m}, err
}

// showPosition handles the command in the context menu of a message with a board. It shows the position of that board.
func (rm *Room) showPosition(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, n, err := rm.find.Board(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.BoardMessage(ctx, r, snap, snap.Viewer(r.User.ID), n)
	return interact.Reply{New: m}, err
}

// stepBoard handles the arrows under a board. The custom_id has the number of plays after which to show the position.
// If the message is not ephemeral, everybody sees the board, so it is painted for a spectator.
func (rm *Room) stepBoard(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	viewer := snap.Viewer(r.User.ID)
	if r.Message == nil || r.Message.Flags&discordgo.MessageFlagsEphemeral == 0 {
		viewer = games.Spectator
	}
	m, err := rm.BoardMessage(ctx, r, snap, viewer, min(r.Control.Play, snap.Plays))
	return interact.Reply{Update: m}, err
}

// BoardMessage returns a message with the position after n plays, and arrows to other positions. If the viewer is the
// player to move and sees the present position of a game that is not paused, the message also has the Move button:
// the board in the channel may have been deleted.
func (rm *Room) BoardMessage(ctx context.Context, r *interact.Request, snap *table.Snapshot, viewer games.Seat,
	n int) (*show.Message, error) {
	file, alt, err := rm.paint.Board(ctx, snap, viewer, n-1, n, r.Say)
	if err != nil {
		return nil, err
	}
	m := &show.Message{Files: []*discordgo.File{file}}
	title := positionTitle(r, snap, viewer, n)
	points, _ := rm.reviews.TurningPoints(ctx, snap)
	if mark := show.MarkLine(points, n, r.Say); mark != "" {
		title += "\n" + mark
	} else if d := rm.reviews.Choice(ctx, snap, n-1); d != nil {
		title += "\n" + ChoiceLine(&d.TurningPoint, r.Say)
	}
	parts := append([]discordgo.MessageComponent{show.Paragraph(title)},
		show.Board(file.Name, alt, show.SceneAt(snap, viewer, n-1, n), show.Named(r.Say, snap))...)
	m.Components = []discordgo.MessageComponent{show.Container(show.Accent, parts...)}
	m.Components = append(m.Components, show.Rows(append(arrows(snap, n), show.KeyButton(snap, n-1, n, r.Say))...)...)
	others := markButtons(snap, points, n)
	if snap.Status == table.Over || snap.Seat(r.User.ID) >= 0 {
		others = append(others, show.TryButtons(snap, n, r.Say)...)
	}
	m.Components = append(m.Components, show.Rows(others...)...)
	if n == snap.Plays && viewer != games.Spectator && snap.Mover() == r.User.ID && snap.Paused == "" {
		m.Components = append(m.Components, show.Rows(show.MoveButton(snap, r.Say),
			show.MoreButton(snap, n-1, r.Say))...)
	}
	return m, nil
}

// ChoiceLine returns the text that names the play that a computer player would have chosen, with the chances of winning
// after that play and after the actual one. If both are the same play, the text says so, with one chance.
func ChoiceLine(d *review.TurningPoint, s show.Speaker) string {
	had, left := computer.Percent(d.Had), computer.Percent(d.Left)
	if d.Better == d.Played {
		return s.Say(text.M("bot.board.choice-too", "Had", had))
	}
	return s.Say(text.M("bot.board.choice", "Better", text.Code(d.Better), "Had", had, "Left", left))
}

// arrows returns the buttons to the first, the previous, the next and the last position.
func arrows(snap *table.Snapshot, n int) []discordgo.Button {
	to := func(label string, n int, off bool) discordgo.Button {
		return show.Arrow(label, show.CustomID{Action: actionAt, Table: snap.ID.String(),
			Play: max(0, min(n, snap.Plays)), Arg: label}, off)
	}
	return []discordgo.Button{
		to("⏮", 0, n == 0), to("◀", n-1, n == 0), to("▶", n+1, n == snap.Plays), to("⏭", snap.Plays, n == snap.Plays),
	}
}

// positionTitle returns the title above a position: the game, the table's number, the position's turn, the latest play,
// and the result after the last play.
func positionTitle(r *interact.Request, snap *table.Snapshot, viewer games.Seat, n int) string {
	s := show.Mentioning(r.Say, snap)
	title := fmt.Sprintf("### %s · #%s\n", s.Say(snap.Rules().Info().Name), snap.ID)
	title += s.Say(show.TurnOf(snap.Turn(n), snap.Turn(snap.Plays)))
	if n > 0 {
		for _, step := range snap.Trail(viewer, n-1, n) {
			title += "\n" + s.Say(step.Before.Describe(step.Move))
		}
		if seat, leaves := snap.Leaves(n - 1); leaves {
			title += "\n" + s.Say(text.M("match.out", "Who", text.Player(seat)))
		}
	}
	if n == snap.Plays && snap.Status == table.Over {
		title += "\n" + s.Say(snap.Describe(table.Event{Kind: storage.Ended, Seat: games.Nobody,
			Text: string(snap.Ending)}))
	}
	return title
}

// textBoard handles the Text button: it shows the same board as text, for a monospaced font and for screen readers.
func (rm *Room) textBoard(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	viewer, n := snap.Viewer(r.User.ID), snap.Plays
	from := n - 1
	if first, err := strconv.Atoi(r.Control.Arg); err == nil {
		from, n = min(max(first, -1), r.Control.Play), min(r.Control.Play, snap.Plays)
	} else if r.Control.Version < int(snap.Board) && snap.Status != table.Over {
		return interact.Reply{}, rm.find.MovedOn(ctx, snap) // the custom_id of the button does not identify its board
	}
	m := textMessage(r, snap, viewer, min(from, n), n)
	if n < snap.Plays && snap.Status != table.Over {
		m.Components = append([]discordgo.MessageComponent{show.Paragraph(r.Say.Say(rm.find.MovedOnText(ctx, snap)))},
			m.Components...)
	}
	m, err = rm.withPredictions(ctx, r, snap, m)
	return interact.Reply{New: m}, err
}

// withPredictions adds a line to a text board if the user is a spectator who can predict the winner.
func (rm *Room) withPredictions(ctx context.Context, r *interact.Request, snap *table.Snapshot,
	m *show.Message) (*show.Message, error) {
	if snap.Seat(r.User.ID) >= 0 {
		return m, nil
	}
	offered, err := rm.predictions.Offered(ctx, snap)
	if offered {
		m.Components = append(m.Components, show.Paragraph("-# "+r.Say.Say(text.M("bot.predict.by-command"))))
	}
	return m, err
}

// textMessage returns a message with the position after n plays as text. It highlights the plays from index from on.
func textMessage(r *interact.Request, snap *table.Snapshot, viewer games.Seat, from, n int) *show.Message {
	return show.TextBoard(show.SceneAt(snap, viewer, from, n), show.Named(r.Say, snap))
}

// markButtons returns the buttons to the turning points before and after a position; none for a game without turning
// points.
func markButtons(snap *table.Snapshot, points []review.TurningPoint, n int) []discordgo.Button {
	if len(points) == 0 {
		return nil
	}
	before, after := -1, -1
	for _, p := range points {
		switch at := p.Play + 1; {
		case at < n:
			before = at
		case at > n && after < 0:
			after = at
		}
	}
	to := func(label string, at int) discordgo.Button {
		return show.Arrow(label, show.CustomID{Action: actionAt, Table: snap.ID.String(), Play: max(0, at), Arg: label},
			at < 0)
	}
	return []discordgo.Button{to("◀ ??", before), to("?? ▶", after)}
}
