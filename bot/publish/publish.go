package publish

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/table/clock"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// Publish posts a table's events in its channel. A lobby is one message, which is edited when people join or leave. A
// game has a message with the board. Further steps of a turn are added to this message by edits. Other events need a
// new message with the board, because only a new message can ping, and the previous message is folded or deleted unless
// the server keeps boards. On a server that keeps boards, and after the end of a game, events that do not change the
// board are posted below it. The returned note has the ids of these messages and the lines of the board's message.
func (rm *Room) Publish(ctx context.Context, n table.News) (note string, err error) {
	if n.Channel == "" { // direct messages of a user whose data is deleted
		return "", nil
	}
	settings, err := rm.tables.Choices.TableSettings(ctx, n.Head)
	if err != nil {
		return "", err
	}
	ctx = rest.For(show.WithTheme(ctx, settings.Theme), kindOf(n))
	s := show.Mentioning(rm.languages.Table(n.Head, settings), n.Snapshot)
	rm.logModerators(ctx, n, s, settings.LogChannel)
	var posted show.Posted
	if err = rm.look(ctx, n); err == nil {
		posted, err = rm.publish(ctx, n, settings, s)
	}
	if errors.Is(err, table.ErrNotOwner) {
		return "", err
	}
	if err != nil {
		if rest.Code(err) != rest.CodeInvalidForm { // otherwise it is a bug that nobody at the table can fix
			rm.noteHomeless(ctx, n, Failed(err))
		}
		return "", Failed(err)
	}
	if n.HasStarted() && slices.ContainsFunc(n.Events, func(e table.Event) bool { return e.Kind == storage.Ended }) {
		rm.reviews.Begin(ctx, n.Snapshot)
	}
	rm.noteHome(ctx, n)
	return posted.String(), nil
}

// kindOf returns the kind of the requests with which the events are published.
func kindOf(n table.News) rest.Kind {
	if slices.ContainsFunc(n.Events, func(e table.Event) bool { return e.Kind != storage.Reminded }) {
		return rest.Boards
	}
	return rest.Reminders
}

// publish posts or edits the messages for a table's events. It returns the resulting state of the table's messages.
func (rm *Room) publish(ctx context.Context, n table.News, settings choices.Settings,
	s *locale.Speaker) (show.Posted, error) {
	old := show.ParsePosted(n.Note)
	if !n.HasStarted() {
		id, err := rm.publishLobby(ctx, n, settings, s)
		return show.Posted{Board: id, Channel: n.Channel}, err
	}
	if old.Board != "" && !boardIsNews(n) && (n.Status == table.Over || settings.Boards == choices.BoardsKeep) {
		return rm.publishBeside(ctx, n, settings, s, old)
	}
	if boardIsNews(n) {
		n = withoutReminders(n)
	}
	now := show.Posted{Channel: n.Channel, Begins: startedNow(n) && n.Draws()}
	if staysToMove(n, old) {
		now = old
		now.Lines, now.Earlier = recap(slices.Concat(old.Lines, newsLines(n, s)), old.Earlier)
		m, err := rm.turnMessage(ctx, n, settings, s, now)
		if err != nil {
			return now, err
		}
		m.Pings, m.Marked = nil, nonce(n)
		if !n.Ours() {
			return now, table.ErrNotOwner
		}
		if err = rm.edit(ctx, n.Channel, old.Board, m); !replaces(err) {
			return now, err
		}
		if now.Begins = false; isGone(err) {
			old.Board = ""
		} else {
			now.Lines, now.Earlier = recap(newsLines(n, s), 0)
		}
	} else {
		now.Lines, now.Earlier = recap(newsLines(n, s), 0)
	}
	m, err := rm.turnMessage(ctx, n, settings, s, now)
	if err != nil {
		return now, err
	}
	m.Nonce = nonce(n)
	if now.Board, err = rm.post(ctx, n, n.Channel, m, settings, old.Board, old.Reminder); err != nil {
		return now, err
	}
	if u := n.Mover(); u != "" {
		rm.private.Asked(u, n.ID.String(), uint64(n.Board))
	}
	if startedNow(n) && old.Board != "" {
		rm.closeLobby(ctx, n, old.Board, s)
	} else {
		rm.retire(ctx, n, settings, old, s)
	}
	rm.delete(ctx, n, n.Channel, old.Reminder)
	now.Reminder = ""
	return now, ctx.Err() // after a stop at this point, the next publication finds the message and continues
}

// staysToMove reports whether the events are only further steps of one turn: the turn's message is known, and the
// same player is still to move. Such events need no new message, and ping nobody.
func staysToMove(n table.News, old show.Posted) bool {
	if old.Board == "" || old.Lines == nil || n.Status != table.Playing || n.Paused != "" || n.From == n.Plays {
		return false
	}
	return !slices.ContainsFunc(n.Events, func(e table.Event) bool {
		return !e.Kind.Play() || e.Kind == resigned || e.Seat != n.ToMove && e.Seat != games.Chance
	})
}

// publishBeside posts the events in a message below the present board.
func (rm *Room) publishBeside(ctx context.Context, n table.News, settings choices.Settings, s *locale.Speaker,
	old show.Posted) (show.Posted, error) {
	id, err := rm.post(ctx, n, n.Channel, rm.newsMessage(ctx, n, settings, s, old), settings)
	asks := n.Status == table.Playing && n.Proposal.Kind != storage.NoProposal
	if err == nil && (asks || reminds(n) || answered(n)) {
		rm.delete(ctx, n, n.Channel, old.Reminder)
		old.Reminder = ""
	}
	if err == nil && (asks || reminds(n)) {
		old.Reminder = id
	}
	return old, err
}

// answered reports whether an offer was declined or withdrawn.
func answered(n table.News) bool {
	return slices.ContainsFunc(n.Events, func(e table.Event) bool {
		return e.Kind == storage.Declined || e.Kind == storage.Withdrew
	})
}

// boardIsNews reports whether the board must be posted again, because the position has changed, the game has begun,
// ended or been restored, or the table has moved to another channel.
func boardIsNews(n table.News) bool {
	if n.From != n.Plays {
		return true
	}
	return slices.ContainsFunc(n.Events, func(e table.Event) bool {
		return e.Kind == started || e.Kind == storage.TookBack || e.Kind == storage.Rehoused ||
			e.Kind == storage.Ended ||
			e.Kind == storage.Recovered
	})
}

func reminds(n table.News) bool {
	return slices.ContainsFunc(n.Events, func(e table.Event) bool { return e.Kind == storage.Reminded })
}

// withoutReminders returns the news without reminders, which are outdated.
func withoutReminders(n table.News) table.News {
	n.Events = slices.DeleteFunc(slices.Clone(n.Events), func(e table.Event) bool { return e.Kind == storage.Reminded })
	return n
}

// post posts a message about a table's events, unless the channel already has it, and pings its users. If the thread is
// archived, it reopens the thread. If the bot still holds the token of a click on one of the messages in clicked, it
// uses that token.
func (rm *Room) post(ctx context.Context, n table.News, channel string, m *show.Message, settings choices.Settings,
	clicked ...string) (string, error) {
	return rm.Call(ctx, Calling{
		Guild: n.Guild, Settings: settings, Why: func(user string) Call { return why(n, user) },
		Stands: func() (id string, err error) {
			if n.Begun || rm.unsure.has(m.Nonce) {
				id, err = rm.stands(ctx, n, channel, m)
			}
			if id == "" && err == nil && !n.Ours() {
				err = table.ErrNotOwner
			}
			return id, err
		},
		Post: func() (string, error) { return rm.postNow(ctx, channel, m, clicked) },
	}, m)
}

func (rm *Room) postNow(ctx context.Context, channel string, m *show.Message, clicked []string) (string, error) {
	for _, message := range clicked {
		held := rm.rest.Clicks.Of(channel, message)
		if held == nil {
			continue
		}
		id, err := rm.rest.PostBy(ctx, held, m)
		if err == nil {
			return id, nil
		}
		rm.rest.Clicks.Drop(message)
		if !rest.Refused(err) {
			rm.unsure.add(m.Nonce)
			return "", err
		}
	}
	id, err := rm.rest.Post(ctx, channel, m)
	if rest.Code(err) != rest.CodeThreadArchived {
		return id, err
	}
	if !rm.reopen(ctx, channel) {
		return "", err
	}
	return rm.rest.Post(ctx, channel, m)
}

// edit edits a message. If the bot holds the token of a click on the message, edit uses that token first. If the
// message's thread is archived, edit reopens the thread.
func (rm *Room) edit(ctx context.Context, channel, id string, m *show.Message) error {
	if held := rm.rest.Clicks.Of(channel, id); held != nil {
		if rm.rest.EditOriginal(ctx, held, m) == nil {
			return nil
		}
		rm.rest.Clicks.Drop(id)
	}
	err := rm.rest.Edit(ctx, channel, id, m)
	if rest.Code(err) == rest.CodeThreadArchived && rm.reopen(ctx, channel) {
		err = rm.rest.Edit(ctx, channel, id, m)
	}
	return err
}

// isGone reports whether an edit failed because the message was deleted.
func isGone(err error) bool {
	return rest.Status(err) == http.StatusNotFound && rest.Code(err) != rest.CodeUnknownChannel
}

// replaces reports whether a new message must replace one whose edit failed: the message was deleted, or is so old that
// Discord refuses edits for a while.
func replaces(err error) bool {
	old := (*rest.OldEditsError)(nil)
	return isGone(err) || errors.As(err, &old)
}

// reopen reopens an archived thread, and reports whether it succeeded.
func (rm *Room) reopen(ctx context.Context, thread string) bool {
	archived := false
	_, err := rm.session.ChannelEditComplex(thread, &discordgo.ChannelEdit{Archived: &archived},
		discordgo.WithContext(ctx))
	return err == nil
}

func startedNow(n table.News) bool {
	for _, e := range n.Events {
		if e.Kind == started {
			return true
		}
	}
	return false
}

// Failed wraps an error for the outbox. It returns a *table.PermanentError if a retry cannot help, and removes the URLs
// from errors.
func Failed(err error) error {
	if rest.Final(err) {
		return &table.PermanentError{Err: rest.Scrub(err)}
	}
	return rest.Scrub(err)
}

// nonce returns the nonce of a message with these events. If Discord's answer to the first post was lost, the nonce
// prevents a duplicate.
func nonce(n table.News) string { return n.Key() }

func (rm *Room) publishLobby(ctx context.Context, n table.News, settings choices.Settings,
	s *locale.Speaker) (string, error) {
	id, err := rm.showLobby(ctx, n, settings, s)
	if err == nil {
		err = rm.callInvited(ctx, n, settings, s)
	}
	// The lobby itself shows who has joined. Moderators' acts and the table's restoration need a separate message.
	// Users whom moderators invited have just been pinged.
	beside := append(moderated(n, func(e table.Event) bool { return awaits(n, e) }), recovered(n)...)
	if err != nil || len(beside) == 0 {
		return id, err
	}
	m := show.Text(strings.Join(sayEvents(n, beside, s), "\n"))
	m.Nonce = nonce(n) + "-m"
	_, err = rm.post(ctx, n, n.Channel, m, settings)
	return id, err
}

// showLobby posts or edits the message with the present state of a lobby. It returns the message's id.
func (rm *Room) showLobby(ctx context.Context, n table.News, settings choices.Settings,
	s *locale.Speaker) (string, error) {
	m := rm.lobby.Message(ctx, n, s)
	if lobby := show.ParsePosted(n.Note).Board; lobby != "" && !moved(n) {
		err := rm.edit(ctx, n.Channel, lobby, m)
		if !replaces(err) {
			return lobby, err
		}
		if !isGone(err) {
			defer rm.delete(ctx, n, n.Channel, lobby)
		}
	}
	m.Nonce = nonce(n)
	var undo func()
	m.Pings, undo = rm.pings.take(n.Guild, n.Invited(), rm.tables.Lookup.Now())
	id, err := rm.post(ctx, n, n.Channel, m, settings)
	if err != nil {
		undo()
	}
	return id, err
}

// recovered returns the events which record that the table came from a backup, or that the store was restored to an
// earlier state.
func recovered(n table.News) []table.Event {
	return slices.DeleteFunc(slices.Clone(n.Events), func(e table.Event) bool {
		return e.Kind != storage.Recovered && e.Kind != storage.PutBack
	})
}

// moved reports whether these events include a move of the table to another channel.
func moved(n table.News) bool {
	return slices.ContainsFunc(n.Events, func(e table.Event) bool { return e.Kind == storage.Rehoused })
}

// closeLobby edits the lobby of a game that has begun, so that nobody can join there. A failure does no harm.
func (rm *Room) closeLobby(ctx context.Context, n table.News, message string, s *locale.Speaker) {
	m := rm.lobby.Message(ctx, n, s)
	rm.tidy(ctx, n.ID, "a lobby message could not be edited", func(ctx context.Context) error {
		return rm.edit(ctx, n.Channel, message, m)
	})
}

// newsMessage returns the message for events that do not change the board, such as offers, reminders and pauses.
func (rm *Room) newsMessage(ctx context.Context, n table.News, settings choices.Settings, s *locale.Speaker,
	posted show.Posted) *show.Message {
	lines := slices.Concat(said(newsLines(n, s), 0, maxRecap, s), reminderLines(n, s))
	m := &show.Message{Nonce: nonce(n), Pings: rm.asked(n)}
	called := calls(n)
	if called {
		m.Pings = append(m.Pings, rm.called(n)...)
		if !reminds(n) {
			lines = append(lines, turnLine(n.Snapshot, s))
		}
		lines = append(lines, rm.clockLines(ctx, n.Snapshot, settings, s)...)
		lines = append(lines, "-# "+s.Say(text.M("bot.reminder.board",
			"Link", text.Link(n.Guild, n.Channel, posted.Board))))
	}
	m.Components = show.Text(strings.Join(lines, "\n")).Components
	if called {
		m.Components = append(m.Components, show.Rows(show.MoveButton(n.Snapshot, s))...)
	}
	m.Components = append(m.Components, show.ProposalButtons(n, s)...)
	m.Components = append(m.Components, rm.lobby.SeatButtons(n.Snapshot, s)...)
	return m
}

// calls reports whether events that do not change the board ping the player to move.
func calls(n table.News) bool {
	return n.Paused == "" && slices.ContainsFunc(n.Events, func(e table.Event) bool {
		return e.Kind == storage.Reminded || e.Kind == storage.Resumed || e.Kind == storage.IdleSoon ||
			e.Kind == storage.Taken && e.Seat == n.ToMove
	})
}

// asked returns the users who must answer a new offer and may be pinged for it.
func (rm *Room) asked(n table.News) []string {
	fresh := false
	for _, e := range n.Events {
		fresh = fresh || e.Kind == proposed
	}
	if !fresh || n.Proposal.Kind == "" {
		return nil
	}
	var list []string
	for i, o := range n.Seats {
		if seat := games.Seat(i); o.User != "" && n.In(seat) && !n.Proposal.Has(seat) {
			list = append(list, o.User)
		}
	}
	return rm.Again(n.ID.String()+" "+string(n.Proposal.Kind), strconv.FormatUint(n.Proposal.Asked, 10), list)
}

// Again returns those of the users who may be pinged now, and records their pings. After a ping at a place, a user is
// not pinged there for pingPause, because the reason for a ping can be withdrawn and repeated. why identifies the
// message. The pause does not apply to the same message, which may be posted more than once.
func (rm *Room) Again(place, why string, users []string) []string {
	may, _ := rm.offers.takeFor(place, why, users, rm.tables.Lookup.Now())
	return may
}

// called returns the users who are pinged for events that do not change the board: the player to move. When a game is
// resumed, the player is pinged only if pingPause has passed since the last ping for this reason.
func (rm *Room) called(n table.News) []string {
	who := slices.DeleteFunc([]string{n.Mover()}, func(u string) bool { return u == "" })
	if slices.ContainsFunc(n.Events, func(e table.Event) bool { return e.Kind == storage.Resumed }) {
		who = rm.Again(n.ID.String()+" goes on", strconv.FormatUint(n.Version, 10), who)
	}
	return who
}

// turnMessage returns the message with the board and the texts in posted.
func (rm *Room) turnMessage(ctx context.Context, n table.News, settings choices.Settings, s *locale.Speaker,
	posted show.Posted) (*show.Message, error) {
	from := sinceTheirTurn(n)
	sc := show.SceneAt(n.Snapshot, games.Spectator, from, n.Plays)
	file, alt, err := rm.paint.Paint(ctx, sc, show.TablePlate(n.Snapshot, n.Plays), show.Names(n.Snapshot, s),
		show.Plain(s, n.Snapshot), show.BoardName(n.Snapshot, n.Plays))
	if err != nil {
		return nil, err
	}
	m := &show.Message{Files: []*discordgo.File{file}, Pings: rm.asked(n)}
	lines := slices.Concat([]string{show.Title(n.Snapshot, s)}, said(posted.Lines, posted.Earlier, mostMoves(n), s),
		reminderLines(n, s))
	parts := append([]discordgo.MessageComponent{show.Paragraph(strings.Join(lines, "\n"))},
		show.Board(file.Name, alt, sc, show.Named(s, n.Snapshot))...)
	if n.Status == table.Over {
		over := rm.overButtons(n.Snapshot, s)
		if n.Draws() {
			over = append(over, show.BegunFairButton(n.Snapshot, s))
		}
		predicted, err := rm.predicted(ctx, n.Snapshot, s)
		if err != nil {
			return nil, err
		}
		parts = append(parts, predicted...)
		m.Components = append([]discordgo.MessageComponent{show.Container(show.Accent, parts...)},
			show.Rows(over...)...)
		return m, nil
	}
	if n.Paused == "" {
		parts = append(parts, show.Paragraph(strings.Join(append([]string{turnLine(n.Snapshot, s)},
			rm.clockLines(ctx, n.Snapshot, settings, s)...), "\n")))
		// A player who plays only against computers is pinged by reminders, but not by a new board.
		if u := n.Mover(); u != "" && boardIsNews(n) && !n.IsSolo() {
			m.Pings = append(m.Pings, u)
		} else if calls(n) {
			m.Pings = append(m.Pings, rm.called(n)...)
		}
	}
	m.Components = append(m.Components, show.Container(show.AccentIn(sc, n.ToMove), parts...))
	buttons := rm.turnButtons(n.Snapshot, from, settings, s)
	if posted.Begins {
		buttons[len(buttons)-1] = show.BegunMoreButton(n.Snapshot, from, s)
	}
	m.Components = append(m.Components, show.Rows(buttons...)...)
	m.Components = append(m.Components, show.ProposalButtons(n, s)...)
	m.Components = append(m.Components, rm.lobby.SeatButtons(n.Snapshot, s)...)
	return m, nil
}

// predicted returns the text about how many spectators predicted the result of a game; none if nobody made a
// prediction.
func (rm *Room) predicted(ctx context.Context, snap *table.Snapshot,
	s *locale.Speaker) ([]discordgo.MessageComponent, error) {
	right, all, err := rm.predictions.Rightly(ctx, snap)
	if err != nil || all == 0 {
		return nil, err
	}
	id := "bot.predict.foretold"
	if right == 0 {
		id = "bot.predict.missed"
	}
	return []discordgo.MessageComponent{show.Paragraph("-# " + s.Say(text.M(id, "Right", right, "Count", all)))}, nil
}

// turnButtons returns the buttons for the player to move, under the board. from is the index of the first play that the
// board highlights.
func (rm *Room) turnButtons(snap *table.Snapshot, from int, settings choices.Settings,
	s *locale.Speaker) []discordgo.Button {
	buttons := []discordgo.Button{show.MoveButton(snap, s)}
	if rm.page {
		buttons = append(buttons, show.PageButton(snap, s))
	}
	if len(rm.tables.Levels()) > 0 && snap.TakesHints(settings) {
		buttons = append(buttons, show.HintButton(snap, s))
	}
	return append(buttons, show.RulesButton(snap.Rules(), s), show.MoreButton(snap, from, s))
}

// Short names for kinds of events.
const (
	started  = storage.Started
	resigned = storage.Resigned
	proposed = storage.Proposed
)

// overButtons returns the buttons under a game that is over.
func (rm *Room) overButtons(snap *table.Snapshot, s show.Speaker) []discordgo.Button {
	buttons := []discordgo.Button{show.RematchButton(snap, s)}
	if snap.Plays == 0 {
		return buttons
	}
	if len(rm.tables.Levels()) > 0 {
		buttons = append(buttons, show.ReportButton(snap, s), show.ShareButton(snap, s))
	}
	buttons = append(buttons, show.ReplayButton(snap, s))
	if rm.page {
		buttons = append(buttons, show.SharePageButton(snap, s))
	}
	return buttons
}

// turnLine returns the line that says whose turn it is.
func turnLine(snap *table.Snapshot, s *locale.Speaker) string {
	if show.Departed(snap.Holder(snap.ToMove)) {
		return s.Say(text.M("bot.turn-nobody"))
	}
	return s.Say(text.M("bot.turn", "Who", text.Player(snap.ToMove)))
}

// clockLines returns the lines about the deadline of the player to move; none if no clock runs.
func (rm *Room) clockLines(ctx context.Context, snap *table.Snapshot, settings choices.Settings,
	s *locale.Speaker) []string {
	at, running, err := rm.tables.Lookup.Deadline(ctx, snap.Head, settings)
	if err != nil || !running {
		return nil
	}
	stood := ""
	if since := snap.Timing.HeldSince; since != 0 {
		time := show.DurationText(rm.tables.Lookup.Now().Sub(since.Time()))
		stood = s.Say(text.M("bot.clock.stood", "Time", time)) + " "
	}
	line := stood + s.Say(text.M("bot.clock.until",
		"When", text.Moment(at, text.Full), "In", text.Moment(at, text.Relative)))
	if snap.Timing.Rule.Mode == storage.Bank {
		var banks []text.Message
		for i := range snap.Seats {
			seat := games.Seat(i)
			if left, err := rm.tables.Lookup.Left(ctx, snap.Head, settings, seat); err == nil && snap.In(seat) {
				id := "bot.clock.left"
				if clock.InOvertime(snap.Timing, seat) {
					id, left = "bot.clock.left-overtime", clock.Overtime
				}
				banks = append(banks, text.M(id, "Who", text.Player(seat), "Time", show.DurationText(left)))
			}
		}
		line += " " + s.Say(text.M("bot.clock.banks", "Banks", banks))
	}
	return []string{"-# " + line}
}
