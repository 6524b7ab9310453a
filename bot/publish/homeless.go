package publish

import (
	"context"
	"errors"
	"slices"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
	"marque/storage"
)

// noteHomeless pauses a table that cannot be told its news, and tells its players once. A competition's game follows
// its competition instead.
func (rm *Room) noteHomeless(ctx context.Context, n table.News, err error) {
	var permanent *table.PermanentError
	if !errors.As(err, &permanent) {
		return
	}
	if n.Status == table.Lobby && n.Note == "" {
		rm.unseen(ctx, n)
	}
	if n.Status != table.Playing {
		return
	}
	switch n.Paused {
	case "":
		rm.homeless(ctx, n.ID)
	case storage.PausedChannelGone:
		rm.fetch(ctx, n.Snapshot) // who paused it may have been killed before this
	}
}

// fetch has a paused game go on in its competition's channel, and reports whether it is to come at once.
func (rm *Room) fetch(ctx context.Context, snap *table.Snapshot) (coming bool) {
	coming, err := rm.competitions.Fetch(ctx, snap)
	if err != nil {
		rm.log.WarnContext(ctx, "a game that lost its channel could not be brought to its competition's", "table",
			snap.ID, "error", err)
	}
	return coming
}

// homeless pauses a table that has no channel and tells its players.
func (rm *Room) homeless(ctx context.Context, id table.ID) {
	snap, err := rm.tables.PauseFor(ctx, id, storage.PausedChannelGone)
	if err != nil {
		rm.log.WarnContext(ctx, "a table without a channel could not be paused", "table", id, "error", err)
		return
	}
	if snap.Paused != storage.PausedChannelGone {
		return
	}
	if rm.fetch(ctx, snap) {
		return // they see it go on
	}
	var players []string
	for _, o := range snap.Seats {
		if o.User != "" && !show.Departed(o) {
			players = append(players, o.User)
		}
	}
	// The notices are kept before anybody is written to: whatever comes in between, everybody is
	// told.
	for _, user := range players {
		rm.notice(ctx, id, user, func(p *table.Preferences) { p.Note(id, rm.tables.Lookup.Now()) })
	}
	if snap.Guild == "" {
		return // it is their messages that cannot be written to
	}
	for _, user := range players {
		rm.message(ctx, snap, user)
	}
}

// unseen closes a table whose lobby the channel did not take: nobody would see it, and it would count for who opened
// it. They are told by direct message, or with their next answer.
func (rm *Room) unseen(ctx context.Context, n table.News) {
	rm.notice(ctx, n.ID, n.Host, func(p *table.Preferences) { p.Note(n.ID, rm.tables.Lookup.Now()) })
	snap, err := rm.tables.Abandon(ctx, table.Actor{User: n.Host}, n.ID)
	if err != nil {
		rm.log.WarnContext(ctx, "a table that nobody sees could not be closed", "table", n.ID, "error", err)
		return
	}
	rm.message(ctx, snap, n.Host)
}

// notice changes what a user is told with their next answer.
func (rm *Room) notice(ctx context.Context, id table.ID, user string, change func(*table.Preferences)) {
	if _, err := rm.tables.Choices.ChangePreferences(ctx, user,
		func(p *table.Preferences) error { change(p); return nil }); err != nil {
		rm.log.WarnContext(ctx, "a notice could not be kept", "table", id, "error", err)
	}
}

// reason is the sentence that says what has become of a table that cannot be told its news; "" for one that can.
func reason(snap *table.Snapshot) string {
	switch {
	case snap.Status == table.Over && !snap.HasStarted():
		return "bot.unseen"
	case snap.Paused == "":
		return ""
	case snap.Guild == "":
		return "bot.homeless-direct"
	}
	return "bot.homeless"
}

// message tells a player by direct message what has become of their table, and drops the notice; where it cannot, they
// are told with their next answer.
func (rm *Room) message(ctx context.Context, snap *table.Snapshot, user string) {
	ctx = rest.For(ctx, rest.Reminders)
	err := func() error {
		dm, err := rm.session.UserChannelCreate(user, discordgo.WithContext(ctx))
		if err != nil {
			return err
		}
		prefs, err := rm.tables.Choices.Preferences(ctx, user)
		if err != nil {
			return err
		}
		settings, err := rm.tables.Choices.TableSettings(ctx, snap.Head)
		if err != nil {
			return err
		}
		s := rm.languages.Personal(user, snap.Guild, prefs, settings)
		m := show.Text(s.Say(text.M(reason(snap), "Game", snap.Rules().Info().Name, "Table", snap.ID.String(),
			"Channel", show.Place(snap.Head))))
		m.Nonce = "home-" + snap.ID.String() + "-" + user[max(0, len(user)-8):]
		_, err = rm.rest.Post(ctx, dm.ID, m)
		return err
	}()
	if err != nil {
		rm.log.InfoContext(ctx, "a player could not be written to; told with the next answer", "table", snap.ID,
			"error", rest.Scrub(err))
		return
	}
	rm.notice(ctx, snap.ID, user, func(p *table.Preferences) { p.Unnote(snap.ID) })
}

// noteHome lets a table go on that could be told its news again.
func (rm *Room) noteHome(ctx context.Context, n table.News) {
	if n.Paused != storage.PausedChannelGone {
		return
	}
	if _, err := rm.tables.Resume(ctx, table.Actor{}, n.ID, storage.PausedChannelGone); err != nil && !errors.Is(err,
		table.ErrNotPaused) {
		rm.log.WarnContext(ctx, "a paused table could not go on", "table", n.ID, "error", err)
	}
}

// Tell tells the user what could not be told in its place before.
func (rm *Room) Tell(ctx context.Context, r *interact.Request) {
	if r.Where == interact.InDM {
		rm.retellPaused(ctx, r.ChannelID) // who writes to the bot may take messages again
	}
	if len(r.Prefs.Notices) == 0 {
		return
	}
	// Taken first, so that no answer at the same time tells them twice; put back when they cannot
	// be told.
	var notices []table.Notice
	if _, err := rm.tables.Choices.ChangePreferences(ctx, r.User.ID, func(p *table.Preferences) error {
		notices, p.Notices = p.Notices, nil
		return nil
	}); err != nil {
		rm.log.WarnContext(ctx, "a user's notices cannot be read", "error", err)
		return
	}
	for i, n := range notices {
		snap, err := rm.tables.Lookup.Snapshot(ctx, n.Table)
		if err != nil || reason(snap) == "" {
			continue
		}
		m := show.Text(r.Say.Say(text.M(reason(snap), "Game", snap.Rules().Info().Name, "Table", n.Table.String(),
			"Channel", show.Place(snap.Head))))
		m.Ephemeral = true
		if _, err := rm.rest.FollowUp(ctx, r.Interaction, m); err != nil {
			rm.log.WarnContext(ctx, "a notice could not be given; told with the next answer", "error", rest.Scrub(err))
			if _, err := rm.tables.Choices.ChangePreferences(context.WithoutCancel(ctx), r.User.ID,
				func(p *table.Preferences) error {
					p.Notices = append(slices.Clone(notices[i:]), p.Notices...)
					return nil
				}); err != nil {
				rm.log.WarnContext(ctx, "a notice could not be kept", "error", err)
			}
			return
		}
	}
}
