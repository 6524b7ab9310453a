package bot

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/review"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
)

const (
	// filmBytes bounds a replay; Discord takes 10 MiB, but people have phones.
	filmBytes = 4 << 20
	// filmPictures is how many pictures a replay has at most.
	filmPictures = 300
	// filmTime is how long a replay lasts about, without the last picture, whose hold the renderer knows; a picture stands between filmFast and filmSlow.
	filmTime = 75 * time.Second
	filmFast = 300 * time.Millisecond
	filmSlow = 1200 * time.Millisecond
	// filmLeast is how many plays a game needs for a replay when it ends.
	filmLeast = 3
	// filmQueue is how many games that have just ended wait for their replays. One more has none in the channel; its button makes it.
	filmQueue = 64
	// filmReview is how long the replay of a game that has just ended waits for its turning points.
	filmReview = 30 * time.Second
	// filmPatience bounds the making and posting of one of them.
	filmPatience = 90 * time.Second
)

// films makes replays: few at a time, so that boards and moves of other tables have processors to themselves.
type films struct {
	slots chan struct{}
	ended chan *table.Snapshot // games whose replay is to be posted
}

func newFilms() films {
	return films{slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), ended: make(chan *table.Snapshot, filmQueue)}
}

// filmEnded has the replay of a game that has ended posted by and by. Nothing depends on it.
func (b *Bot) filmEnded(snap *table.Snapshot) {
	if snap.Plays < filmLeast || snap.Ending == games.Abandoned {
		return
	}
	select {
	case b.films.ended <- snap:
	default:
		b.log.Info("too many games end at once: a replay is made only when somebody asks for it", "table", snap.ID)
	}
}

// keepFilming posts the replays of games that end, until ctx is done.
func (b *Bot) keepFilming(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case snap := <-b.films.ended:
			if err := b.postFilm(ctx, snap); err != nil && ctx.Err() == nil {
				b.log.Warn("a replay could not be posted", "table", snap.ID, "error", scrub(err))
			}
		}
	}
}

func (b *Bot) postFilm(ctx context.Context, snap *table.Snapshot) error {
	ctx, cancel := context.WithTimeout(ctx, filmPatience)
	defer cancel()
	settings, err := b.tables.Settings(ctx, snap.Guild)
	if err != nil {
		return err
	}
	ctx = withTheme(ctx, settings.Theme)
	s := b.public(ctx, snap.Guild)
	b.awaitReview(ctx, snap)
	m, err := b.filmMessage(ctx, snap, games.Spectator, 0, snap.Plays, s)
	if err != nil {
		return err
	}
	m.nonce = "replay-" + snap.ID.String()
	_, err = b.rest.post(ctx, snap.Channel, m)
	return err
}

// awaitReview has the turning points of a game that has just ended looked for, so that its replay shows them if they are found soon.
func (b *Bot) awaitReview(ctx context.Context, snap *table.Snapshot) {
	ctx, cancel := context.WithTimeout(ctx, filmReview)
	defer cancel()
	if _, err := b.tables.Review(ctx, snap.ID); err != nil {
		b.log.Debug("a replay has no turning points", "table", snap.ID, "error", scrub(err))
	}
}

// replay answers /replay and the button under a game that is over: the game, or a stretch of it, as an animated picture.
func (b *Bot) replay(ctx context.Context, r *request) (reply, error) {
	snap, err := b.startedTable(ctx, r)
	if err != nil {
		return reply{}, err
	}
	from, to := 0, snap.Plays
	if n, ok := r.number("from"); ok {
		from = n
	}
	if n, ok := r.number("to"); ok {
		to = n
	}
	switch {
	case from > snap.Plays || to > snap.Plays:
		return reply{}, playerError{text.M("bot.error.no-position", "At", max(from, to), "Count", snap.Plays)}
	case from > to:
		return reply{}, playerError{text.M("bot.error.backwards", "From", from, "To", to)}
	}
	viewer := snap.Viewer(r.user.id)
	if r.flag("share") {
		viewer = games.Spectator
	}
	m, err := b.filmMessage(ctx, snap, viewer, from, to, r.say)
	return reply{new: m}, err
}

// walk answers the button under a replay: its positions one by one, for who presses it.
func (b *Bot) walk(ctx context.Context, r *request) (reply, error) {
	snap, err := b.startedTable(ctx, r)
	if err != nil {
		return reply{}, err
	}
	m, err := b.boardMessage(ctx, r, snap, snap.Viewer(r.user.id), min(r.id.version, snap.Plays))
	return reply{new: m}, err
}

// filmMessage shows the positions from one play to another as an animated picture, with a button to step through them.
func (b *Bot) filmMessage(ctx context.Context, snap *table.Snapshot, viewer games.Seat, from, to int, s *locale.Speaker) (*message, error) {
	points, _ := b.tables.TurningPoints(ctx, snap)
	data, pictures, err := b.film(ctx, snap, viewer, from, to, points, s)
	if err != nil {
		return nil, err
	}
	file := &discordgo.File{Name: fmt.Sprintf("replay-%s.gif", snap.ID), ContentType: "image/gif", Reader: bytes.NewReader(data)}
	alt := s.Say(text.M("bot.replay.alt", "Game", snap.Game().Info().Name, "From", from, "To", to, "Count", pictures)) + " " + altText(sceneAt(snap, viewer, to-1, to), plain(s, snap))
	said := title(snap, s) + "\n" + s.Say(text.M("bot.replay.said", "From", from, "To", to))
	if marks := marksLine(points, from, to, s); marks != "" {
		said += "\n" + marks
	}
	m := &message{files: []*discordgo.File{file}, components: []discordgo.MessageComponent{container(accent, paragraph(said), picture(file.Name, alt))}}
	m.components = append(m.components, rows(b.walkButton(snap, from, s))...)
	return m, nil
}

// walkButton opens the position after from plays.
func (b *Bot) walkButton(snap *table.Snapshot, from int, s *locale.Speaker) discordgo.Button {
	return button(discordgo.SecondaryButton, s.Say(text.M("bot.replay.walk")), customID{action: actionWalk, table: snap.ID.String(), version: from}.String())
}

// overButtons are under a game that is over.
func (b *Bot) overButtons(snap *table.Snapshot, s *locale.Speaker) []discordgo.Button {
	if !snap.Started() || snap.Plays == 0 {
		return nil
	}
	return []discordgo.Button{
		button(discordgo.PrimaryButton, s.Say(text.M("bot.button.rematch")), customID{action: actionRematch, table: snap.ID.String()}.String()),
		button(discordgo.SecondaryButton, s.Say(text.M("bot.replay.button")), customID{action: actionReplay, table: snap.ID.String()}.String()),
		b.walkButton(snap, 0, s),
	}
}

// film makes the animated picture and says how many pictures it was made of.
func (b *Bot) film(ctx context.Context, snap *table.Snapshot, viewer games.Seat, from, to int, points []review.TurningPoint, s *locale.Speaker) ([]byte, int, error) {
	select {
	case b.films.slots <- struct{}{}:
		defer func() { <-b.films.slots }()
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	scenes := snap.Film(viewer, from, to, filmPictures)
	delay := min(max(filmTime/time.Duration(len(scenes)), filmFast), filmSlow)
	delays, captions := review.Captions(snap.Frames(from, to, filmPictures), snap.Plays, points, delay)
	var out bytes.Buffer
	if err := b.pictures.GIF(ctx, &out, scenes, delays, filmBytes, render.Options{Names: names(snap), Captions: captions, Say: plain(s, snap).Say, Theme: themeOf(ctx)}); err != nil {
		return nil, 0, fmt.Errorf("filming %s: %w", snap.Head.Game, err)
	}
	return out.Bytes(), len(scenes), nil
}
