package archive

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/review"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
)

const (
	// replayBytes is the maximum size of a replay. Discord accepts 10 MiB, but that is large for a phone.
	replayBytes = 4 << 20
	// replayPictures is the maximum number of pictures in a replay.
	replayPictures = 300
	// replayTime is the intended length of a replay, without the last picture, whose time the renderer sets. Each
	// picture is shown for a time from replayFast to replaySlow, and turning points are shown longer.
	replayTime = 75 * time.Second
	replayFast = 300 * time.Millisecond
	replaySlow = 1200 * time.Millisecond
)

// replay replies to /record replay and to the Replay button with an animated picture of the game, or of a part of the
// game.
func (rm *Room) replay(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	last := snap.Turn(snap.Plays)
	from, to := 0, last
	if n, ok := r.Number("from"); ok {
		from = n
	}
	if n, ok := r.Number("to"); ok {
		to = n
	}
	switch {
	case from > last || to > last:
		return interact.Reply{}, show.Refuse(text.M("bot.error.no-position", "At", max(from, to), "Count", last))
	case from > to:
		return interact.Reply{}, show.Refuse(text.M("bot.error.backwards", "From", from, "To", to))
	}
	viewer := snap.Viewer(r.User.ID)
	if r.Flag("share") {
		viewer = games.Spectator
	}
	m, err := rm.replayMessage(ctx, snap, viewer, snap.AfterTurn(from), snap.AfterTurn(to), r.Say)
	return interact.Reply{New: m}, err
}

// walk replies to the button “Step through” with the positions of a game, one at a time, in a private message.
func (rm *Room) walk(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.Turn.BoardMessage(ctx, r, snap, snap.Viewer(r.User.ID), min(r.Control.Play, snap.Plays))
	return interact.Reply{New: m}, err
}

// replayMessage returns a message with an animated picture of the positions from one play to another, and a button to
// step through them.
func (rm *Room) replayMessage(ctx context.Context, snap *table.Snapshot, viewer games.Seat, from, to int,
	s *locale.Speaker) (*show.Message, error) {
	points, _ := rm.Reviews.TurningPoints(ctx, snap)
	data, pictures, err := rm.animate(ctx, snap, viewer, from, to, points, s)
	if err != nil {
		return nil, err
	}
	file := &discordgo.File{Name: fmt.Sprintf("replay-%s.gif", snap.ID), ContentType: "image/gif",
		Reader: bytes.NewReader(data)}
	alt := s.Plain().Say(text.M("bot.replay.alt", "Game", snap.Rules().Info().Name, "From",
		show.AtTurn(snap.Turn(from)), "To", show.AtTurn(snap.Turn(to)), "Count", pictures)) + " " +
		show.Describe(show.SceneAt(snap, viewer, to-1, to), show.Plain(s, snap))
	said := show.Title(snap, s) + "\n" + s.Say(text.M("bot.replay.said", "From", show.AtTurn(snap.Turn(from)), "To",
		show.AtTurn(snap.Turn(to))))
	if marks := show.MarksLine(snap, points, from, to, s); marks != "" {
		said += "\n" + marks
	}
	m := &show.Message{Files: []*discordgo.File{file},
		Components: []discordgo.MessageComponent{show.Container(show.Accent, show.Paragraph(said),
			show.Picture(file.Name, alt))}}
	m.Components = append(m.Components, show.Rows(append([]discordgo.Button{show.WalkButton(snap, from, s)},
		replayStudy(snap, to, s)...)...)...)
	return m, nil
}

// replayStudy returns the button to try out moves from the last position of a replay, or nil for an unfinished game. A
// replay of an unfinished game can have been shared, so only the game's board has that button.
func replayStudy(snap *table.Snapshot, to int, s show.Speaker) []discordgo.Button {
	if snap.Status != table.Over {
		return nil
	}
	return show.TryButtons(snap, to, s)
}

// animate returns the animated picture and the number of its scenes. Of many scenes, the picture leaves some out.
// Simultaneous requests for the same picture share the result.
func (rm *Room) animate(ctx context.Context, snap *table.Snapshot, viewer games.Seat, from, to int,
	points []review.TurningPoint, s *locale.Speaker) ([]byte, int, error) {
	scenes := snap.Scenes(viewer, from, to, replayPictures)
	// The key contains everything that changes the picture, including the language and the number of turning points,
	// which are found after the game.
	asked := fmt.Sprint(snap.ID, " ", snap.Version, " ", viewer, " ", from, " ", to, " ", show.ThemeOf(ctx),
		" ", len(points), " ", s.Say(text.M("bot.language")))
	data, err := interact.Share(ctx, &rm.runs, asked, func(ctx context.Context) ([]byte, error) {
		select {
		case rm.painters <- struct{}{}:
			defer func() { <-rm.painters }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		delay := min(max(replayTime/time.Duration(len(scenes)), replayFast), replaySlow)
		delays, captions := review.Captions(snap.Frames(from, to, replayPictures), snap.Plays, snap.Turn, points,
			delay)
		o := render.Options{Title: show.Name(snap, s), Names: show.Names(snap, s), Captions: captions,
			Say: show.Plain(s, snap).Say, Theme: show.ThemeOf(ctx)}
		var out bytes.Buffer
		if err := rm.Pictures.GIF(ctx, &out, scenes, delays, replayBytes, o); err != nil {
			return nil, fmt.Errorf("animating %s: %w", snap.Head.Game, err)
		}
		return out.Bytes(), nil
	})
	return data, len(scenes), err
}
