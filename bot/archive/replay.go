package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/review"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
	"marque/storage"
)

const (
	// replayBytes bounds a replay; Discord takes 10 MiB, but people have phones.
	replayBytes = 4 << 20
	// replayPictures is how many pictures a replay has at most.
	replayPictures = 300
	// replayTime is how long a replay lasts about, without the last picture, whose hold the renderer
	// knows; a picture stands between replayFast and replaySlow.
	replayTime = 75 * time.Second
	replayFast = 300 * time.Millisecond
	replaySlow = 1200 * time.Millisecond
	// replayPage is how many of the games that wait for their replays are read at once.
	replayPage = 16
	// replayTries is how often a game is put off because Discord cannot be reached.
	replayTries = 3
	// replayPatience bounds the making and posting of one of them, after its review.
	replayPatience = 90 * time.Second
)

// KeepReplays posts the replays of games that have ended, round after round of those that wait, until
// ctx is done. After a round that came to nothing it waits for another game to end, or for room for a
// review where there was none.
func (rm *Room) KeepReplays(ctx context.Context) {
	last, settled := table.ID(0), 0
	var room <-chan struct{} // of this round
	for ctx.Err() == nil {
		list, err := rm.Tables.Replays.Waiting(ctx, last, replayPage)
		if err != nil && ctx.Err() == nil {
			rm.Log.ErrorContext(ctx, "the games that wait for their replays cannot be read", "error", err)
		}
		for _, waiting := range list {
			last = waiting.Table
			if ours, err := rm.Tables.Replays.Ours(ctx, waiting.Table); err == nil && !ours {
				continue
			}
			if ctx.Err() != nil {
				break
			}
			switch rm.replayNext(ctx, waiting) {
			case replaySettled:
				settled++
			case replayCrowded:
				room = rm.Tables.Reviews.Room()
			}
		}
		if len(list) > 0 {
			continue
		}
		if settled == 0 {
			select {
			case <-ctx.Done():
			case <-rm.Tables.Replays.More():
			case <-room:
			}
		}
		last, settled, room = 0, 0, nil
	}
}

// outcome is what became of the replay of a game.
type outcome int

const (
	replayWaits   outcome = iota // for another game to end, or for the next start
	replayCrowded                // for room for its review
	replaySettled                // no longer
)

// replayNext posts the replay of a game, or puts it off. Where there is no room for its review it is put off as often
// as need be, for there will be room.
func (rm *Room) replayNext(ctx context.Context, waiting storage.Replay) outcome {
	err := rm.postReplay(ctx, waiting)
	if err != nil && ctx.Err() != nil {
		return replayWaits // it waits for the next start
	}
	if errors.Is(err, table.ErrBusy) {
		return replayCrowded
	}
	if errors.Is(err, table.ErrNotOwner) {
		return replayWaits
	}
	kept := context.WithoutCancel(ctx)
	became := replayWaits
	if err == nil || waiting.Tries >= replayTries || neverReplayed(err) {
		if err != nil {
			rm.Log.WarnContext(ctx, "a replay could not be posted", "table", waiting.Table, "error", rest.Scrub(err))
		}
		became, err = replaySettled, rm.Tables.Replays.Done(kept, waiting.Table)
	} else {
		err = rm.Tables.Replays.PutOff(kept, waiting)
	}
	if err != nil {
		rm.Log.ErrorContext(ctx, "what became of a replay cannot be noted", "table", waiting.Table, "error", err)
		return replayWaits
	}
	return became
}

// neverReplayed reports whether a replay that failed would fail again: Discord refuses it, or the game
// is gone.
func neverReplayed(err error) bool {
	status := rest.Status(err)
	return errors.Is(err, storage.ErrNoTable) || status >= 400 && status < 500 && status != http.StatusTooManyRequests
}

// postReplay posts the replay of a game. It returns table.ErrBusy, and posts nothing, when the game had
// better wait until there is room for its review.
func (rm *Room) postReplay(ctx context.Context, waiting storage.Replay) error {
	snap, err := rm.Tables.Lookup.Snapshot(ctx, waiting.Table)
	if err != nil {
		return err
	}
	if snap.Channel == "" { // of direct messages whose user's data are deleted
		return nil
	}
	settings, err := rm.Tables.Choices.TableSettings(ctx, snap.Head)
	if err != nil {
		return err
	}
	ctx = show.WithTheme(ctx, settings.Theme)
	s := rm.Languages.Table(snap.Head, settings)
	if err := rm.awaitReview(ctx, snap); errors.Is(err, table.ErrBusy) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, replayPatience)
	defer cancel()
	if err := rm.Tables.Background.GiveWay(ctx, nil); err != nil {
		return err
	}
	m, err := rm.replayMessage(ctx, snap, games.Spectator, 0, snap.Plays, s)
	if err != nil {
		return err
	}
	m.Nonce = "replay-" + snap.ID.String()
	if ours, err := rm.Tables.Replays.Ours(ctx, waiting.Table); err != nil || !ours { // painting took a while
		return cmp.Or(err, table.ErrNotOwner)
	}
	_, err = rm.Rest.Post(rest.For(ctx, rest.Reminders), snap.Channel, m)
	return err
}

// awaitReview waits until the turning points of a game that has just ended are found, so that its replay shows them.
// That gives way to what people do, and may take long. It returns table.ErrBusy when too many games wait to be
// reviewed.
func (rm *Room) awaitReview(ctx context.Context, snap *table.Snapshot) error {
	_, err := rm.Tables.Reviews.InBackground(ctx, snap.ID)
	if err != nil {
		rm.Log.DebugContext(ctx, "a replay has no turning points", "table", snap.ID, "error", rest.Scrub(err))
	}
	return err
}

// replay answers /record replay and the button under a game that is over: the game, or a stretch of it, as
// an animated picture.
func (rm *Room) replay(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	from, to := 0, snap.Plays
	if n, ok := r.Number("from"); ok {
		from = n
	}
	if n, ok := r.Number("to"); ok {
		to = n
	}
	switch {
	case from > snap.Plays || to > snap.Plays:
		return interact.Reply{}, show.Refuse(text.M("bot.error.no-position", "At", max(from, to), "Count", snap.Plays))
	case from > to:
		return interact.Reply{}, show.Refuse(text.M("bot.error.backwards", "From", from, "To", to))
	}
	viewer := snap.Viewer(r.User.ID)
	if r.Flag("share") {
		viewer = games.Spectator
	}
	m, err := rm.replayMessage(ctx, snap, viewer, from, to, r.Say)
	return interact.Reply{New: m}, err
}

// walk answers the button under a replay: its positions one by one, for who presses it.
func (rm *Room) walk(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.Turn.BoardMessage(ctx, r, snap, snap.Viewer(r.User.ID), min(r.Control.Play, snap.Plays))
	return interact.Reply{New: m}, err
}

// replayMessage shows the positions from one play to another as an animated picture, with a button to
// step through them.
func (rm *Room) replayMessage(ctx context.Context, snap *table.Snapshot, viewer games.Seat, from, to int,
	s *locale.Speaker) (*show.Message, error) {
	points, _ := rm.Tables.Reviews.TurningPoints(ctx, snap)
	data, pictures, err := rm.animate(ctx, snap, viewer, from, to, points, s)
	if err != nil {
		return nil, err
	}
	file := &discordgo.File{Name: fmt.Sprintf("replay-%s.gif", snap.ID), ContentType: "image/gif",
		Reader: bytes.NewReader(data)}
	alt := s.Plain().Say(text.M("bot.replay.alt", "Game", snap.Rules().Info().Name, "From", from, "To", to,
		"Count", pictures)) + " " + show.Told(show.SceneAt(snap, viewer, to-1, to), show.Plain(s, snap))
	said := show.Title(snap, s) + "\n" + s.Say(text.M("bot.replay.said", "From", from, "To", to))
	if marks := show.MarksLine(points, from, to, s); marks != "" {
		said += "\n" + marks
	}
	m := &show.Message{Files: []*discordgo.File{file},
		Components: []discordgo.MessageComponent{show.Container(show.Accent, show.Paragraph(said),
			show.Picture(file.Name, alt))}}
	m.Components = append(m.Components, show.Rows(append([]discordgo.Button{show.WalkButton(snap, from, s)},
		replayStudy(snap, to, s)...)...)...)
	return m, nil
}

// replayStudy lets everybody who sees a replay try out moves from its end on. The replay of a game that goes on may
// have been shared, so there only the board offers that.
func replayStudy(snap *table.Snapshot, to int, s show.Speaker) []discordgo.Button {
	if snap.Status != table.Over {
		return nil
	}
	return show.TryButtons(snap, to, s)
}

// animate makes the animated picture and says how many pictures it was made of. Whoever asks for the same
// at once shares it.
func (rm *Room) animate(ctx context.Context, snap *table.Snapshot, viewer games.Seat, from, to int,
	points []review.TurningPoint, s *locale.Speaker) ([]byte, int, error) {
	scenes := snap.Scenes(viewer, from, to, replayPictures)
	// All that can be seen: the language by its own name, and the marks, which come later than the game.
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
		delays, captions := review.Captions(snap.Frames(from, to, replayPictures), snap.Plays, points, delay)
		o := render.Options{Plate: show.Name(snap, s), Names: show.Names(snap, s), Captions: captions,
			Say: show.Plain(s, snap).Say, Theme: show.ThemeOf(ctx)}
		var out bytes.Buffer
		if err := rm.Pictures.GIF(ctx, &out, scenes, delays, replayBytes, o); err != nil {
			return nil, fmt.Errorf("animating %s: %w", snap.Head.Game, err)
		}
		return out.Bytes(), nil
	})
	return data, len(scenes), err
}
