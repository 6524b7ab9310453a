package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/compete"
	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
)

// noteHomeless pauses a game whose channel permanently refuses its messages, and informs its players once. A game
// of a competition moves to the competition's channel instead, if possible. A lobby that could not be posted is
// closed.
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
		rm.fetch(ctx, n.Snapshot) // the process may have been killed just after it paused the table
	}
}

// fetch moves a paused game of a competition to the competition's channel, if possible, and reports whether it is
// moving there now.
func (rm *Room) fetch(ctx context.Context, snap *table.Snapshot) (coming bool) {
	coming, err := rm.competitions.Fetch(ctx, snap)
	if err != nil {
		rm.log.WarnContext(ctx, "a game that lost its channel could not be brought to its competition's", "table",
			snap.ID, "error", err)
	}
	return coming
}

// homeless pauses a table whose channel is gone. It informs the players, unless the game moves to its competition's
// channel.
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
		return // the game continues in the competition's channel
	}
	var players []string
	for _, o := range snap.Seats {
		if o.User != "" && !show.Departed(o) {
			players = append(players, o.User)
		}
	}
	// The notices are stored before any message is sent, so that an interruption leaves nobody out.
	for _, user := range players {
		rm.notice(ctx, user, func(p *choices.Preferences) { p.Note(choices.Notice{Table: id}, rm.tables.Lookup.Now()) })
	}
	if snap.Guild == "" {
		return // the table is in direct messages, which cannot be sent
	}
	for _, user := range players {
		rm.message(ctx, snap, user)
	}
}

// unseen closes a table whose lobby could not be posted, because nobody would see the table, but it would count against
// the limit of its host. The host gets a direct message, or a notice with the next answer to them.
func (rm *Room) unseen(ctx context.Context, n table.News) {
	rm.notice(ctx, n.Host, func(p *choices.Preferences) { p.Note(choices.Notice{Table: n.ID}, rm.tables.Lookup.Now()) })
	snap, err := rm.tables.Abandon(ctx, table.Actor{User: n.Host}, n.ID)
	if err != nil {
		rm.log.WarnContext(ctx, "a table that nobody sees could not be closed", "table", n.ID, "error", err)
		return
	}
	rm.message(ctx, snap, n.Host)
}

// notice changes the stored notices that a user gets with the bot's next answer to them.
func (rm *Room) notice(ctx context.Context, user string, change func(*choices.Preferences)) {
	if err := rm.changePreferences(ctx, user, change); err != nil {
		rm.log.WarnContext(ctx, "a notice could not be kept", "error", err)
	}
}

// reason returns the text which explains that a table is paused, or was closed in the lobby, because of its channel. It
// does not check that the channel was the cause. It is empty for tables that are neither.
func reason(snap *table.Snapshot) text.Message {
	id := "bot.homeless"
	switch {
	case snap.Status == table.Over && !snap.HasStarted() && snap.Guild == "":
		id = "bot.unseen-direct"
	case snap.Status == table.Over && !snap.HasStarted():
		id = "bot.unseen"
	case snap.Paused == "":
		return text.Message{}
	case snap.Guild == "":
		id = "bot.homeless-direct"
	}
	return text.M(id, "Game", snap.Rules().Info().Name, "Table", snap.ID.String(), "Channel", show.Place(snap.Head))
}

// trouble returns the text that explains why people cannot see a competition's current state. It is empty if they can.
func trouble(n compete.Competition) text.Message {
	if n.Trouble() == storage.NoTrouble {
		return text.Message{}
	}
	command := "/tournament"
	if kind := n.Rules.Setup.Kind; kind == competition.League || kind == competition.Ladder {
		command = "/" + string(kind)
	}
	why := string(n.Trouble())
	if n.Over() && n.Trouble() == storage.ChannelRefuses {
		why = "over"
	}
	return text.M("bot.competition.trouble."+why, "Name", n.Name, "Command", command,
		"Number", strconv.FormatUint(n.Number, 10), "Channel", text.Channel(n.Channel))
}

// message sends a player a direct message about their paused or closed table.
func (rm *Room) message(ctx context.Context, snap *table.Snapshot, user string) {
	settings, err := rm.tables.Choices.TableSettings(ctx, snap.Head)
	if err != nil {
		rm.log.WarnContext(ctx, "a player could not be written to; told with the next answer", "table", snap.ID,
			"error", err)
		return
	}
	rm.write(ctx, user, snap.Guild, settings, choices.Notice{Table: snap.ID}, reason(snap),
		"home-"+snap.ID.String()+"-"+user[max(0, len(user)-8):])
}

// WarnHost tells the host of a competition why others cannot see its current state. The host is told by direct message
// or with the bot's next answer to them.
func (rm *Room) WarnHost(ctx context.Context, n compete.Competition) error {
	if n.Host == "" || storage.HasDeparted(n.Host) {
		return nil
	}
	settings, err := rm.tables.Choices.Settings(ctx, n.Server)
	if err != nil {
		return err
	}
	about := choices.Notice{Competition: n.ID()}
	if _, err := rm.tables.Choices.ChangePreferences(ctx, n.Host, func(p *choices.Preferences) error {
		p.Note(about, rm.tables.Lookup.Now())
		return nil
	}); err != nil {
		return err
	}
	rm.write(ctx, n.Host, n.Server, settings, about, trouble(n),
		fmt.Sprintf("cup-%s-%d-t%d", n.Server[max(0, len(n.Server)-6):], n.Number, n.Messages))
	return nil
}

// write sends a notice to the user by direct message, and then deletes the stored notice. If the message cannot be
// sent, the user gets the notice with the bot's next answer to them.
func (rm *Room) write(ctx context.Context, user, guild string, settings choices.Settings, about choices.Notice,
	what text.Message, nonce string) {
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
		m := show.Text(rm.languages.Personal(user, guild, prefs, settings).Say(what))
		m.Nonce = nonce
		_, err = rm.rest.Post(ctx, dm.ID, m)
		return err
	}()
	if err != nil {
		rm.log.InfoContext(ctx, "a user could not be written to; told with the next answer", "error", rest.Scrub(err))
		return
	}
	rm.notice(ctx, user, func(p *choices.Preferences) { p.Unnote(about) })
}

// now returns the text of a notice for the present state of its table or competition. It is empty if the notice no
// longer applies, or if the table or competition cannot be read.
func (rm *Room) now(ctx context.Context, n choices.Notice) text.Message {
	if n.Table == 0 {
		c, err := rm.competitions.Get(ctx, n.Competition)
		if err != nil {
			return text.Message{}
		}
		return trouble(c)
	}
	snap, err := rm.tables.Lookup.Snapshot(ctx, n.Table)
	if err != nil {
		return text.Message{}
	}
	return reason(snap)
}

// noteHome resumes a table that was paused because of its channel, once the channel accepts its messages again.
func (rm *Room) noteHome(ctx context.Context, n table.News) {
	if n.Paused != storage.PausedChannelGone {
		return
	}
	if _, err := rm.tables.Resume(ctx, table.Actor{}, n.ID, storage.PausedChannelGone); err != nil && !errors.Is(err,
		table.ErrNotPaused) {
		rm.log.WarnContext(ctx, "a paused table could not go on", "table", n.ID, "error", err)
	}
}

// DeliverNotices sends the user the notices that could not be delivered before. In a direct message, it also tries to
// publish the channel's paused tables.
func (rm *Room) DeliverNotices(ctx context.Context, r *interact.Request) {
	if r.Where == interact.InDM {
		rm.republishPaused(ctx, r.ChannelID) // a user who writes to the bot may accept its messages again
	}
	if len(r.Prefs.Notices) == 0 {
		return
	}
	// The notices are removed first, so that no concurrent answer delivers them too. They are put back if they cannot
	// be delivered.
	var notices []choices.Notice
	if _, err := rm.tables.Choices.ChangePreferences(ctx, r.User.ID, func(p *choices.Preferences) error {
		notices, p.Notices = p.Notices, nil
		return nil
	}); err != nil {
		rm.log.WarnContext(ctx, "a user's notices cannot be read", "error", err)
		return
	}
	for i, n := range notices {
		what := rm.now(ctx, n)
		if what.IsZero() {
			continue
		}
		m := show.Text(r.Say.Say(what))
		m.Ephemeral = true
		if _, err := rm.rest.FollowUp(ctx, r.Interaction, m); err != nil {
			rm.log.WarnContext(ctx, "a notice could not be given; told with the next answer", "error", rest.Scrub(err))
			if _, err := rm.tables.Choices.ChangePreferences(context.WithoutCancel(ctx), r.User.ID,
				func(p *choices.Preferences) error {
					p.Notices = append(slices.Clone(notices[i:]), p.Notices...)
					return nil
				}); err != nil {
				rm.log.WarnContext(ctx, "a notice could not be kept", "error", err)
			}
			return
		}
	}
}
