package bot

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// Publish tells a table's channel what happened. A lobby is one message that is edited as people
// come and go; every change of the board is a new message, because only a new message can ping. The note is
// the id of the table's latest board, or of its lobby, and of the reminder that stands.
func (b *Bot) Publish(ctx context.Context, n table.News) (note string, err error) {
	settings, err := b.tables.Settings(ctx, n.Guild)
	if err != nil {
		return "", err
	}
	ctx = withTheme(ctx, settings.Theme)
	s := mentioning(b.public(ctx, n.Guild), n.Snapshot)
	said := parsePosted(n.Note)
	switch {
	case !n.Started():
		said.board, err = b.publishLobby(ctx, n, s, settings.Silent)
	case !boardIsNews(n) && said.board != "":
		var id string
		id, err = b.post(ctx, n.Channel, b.newsMessage(ctx, n, s, said), settings.Silent)
		if err == nil && reminds(n) {
			b.unsay(ctx, n, said.reminder)
			said.reminder = id
		}
	default:
		var m *message
		lobby := said.board
		n = withoutReminders(n)
		if m, err = b.turnMessage(ctx, n, s); err == nil {
			said.board, err = b.post(ctx, n.Channel, m, settings.Silent)
		}
		if err == nil {
			b.unsay(ctx, n, said.reminder)
			said.reminder = ""
			if startedNow(n) && lobby != "" {
				b.closeLobby(ctx, n, lobby, s)
			}
		}
	}
	if err != nil {
		err = publishError(err)
		b.noteHomeless(ctx, n, err)
		return "", err
	}
	if n.Started() && slices.ContainsFunc(n.Events, func(e table.Event) bool { return e.Kind == storage.Ended }) {
		b.filmEnded(n.Snapshot)
	}
	b.noteHome(ctx, n)
	return said.String(), nil
}

// posted are the messages that a table's next news may have to do with.
type posted struct {
	board    string // the latest board, or the lobby
	reminder string // "" when none stands
}

func parsePosted(note string) posted {
	board, reminder, _ := strings.Cut(note, " ")
	return posted{board, reminder}
}

func (p posted) String() string { return strings.TrimSpace(p.board + " " + p.reminder) }

// boardIsNews reports whether the board must be shown anew: the position changed, or the channel has not seen it.
func boardIsNews(n table.News) bool {
	if n.From != n.Plays || n.Status != table.Playing {
		return true
	}
	return slices.ContainsFunc(n.Events, func(e table.Event) bool {
		return e.Kind == started || e.Kind == storage.TookBack || e.Kind == storage.Rehoused
	})
}

func reminds(n table.News) bool {
	return slices.ContainsFunc(n.Events, func(e table.Event) bool { return e.Kind == storage.Reminded })
}

// withoutReminders leaves out reminders of what has been done meanwhile.
func withoutReminders(n table.News) table.News {
	n.Events = slices.DeleteFunc(slices.Clone(n.Events), func(e table.Event) bool { return e.Kind == storage.Reminded })
	return n
}

// unsay deletes a reminder that is out of date. Nothing depends on it.
func (b *Bot) unsay(ctx context.Context, n table.News, id string) {
	if id == "" {
		return
	}
	if err := b.session.ChannelMessageDelete(n.Channel, id, discordgo.WithContext(ctx)); err != nil {
		b.log.Info("an old reminder could not be removed", "table", n.ID, "error", scrub(err))
	}
}

// post posts a message; a thread that was archived is opened again for it.
func (b *Bot) post(ctx context.Context, channel string, m *message, silent bool) (string, error) {
	if silent {
		m.pings = nil
	}
	id, err := b.rest.post(ctx, channel, m)
	if discordCode(err) != codeThreadArchived {
		return id, err
	}
	if !b.reopen(ctx, channel) {
		return "", err
	}
	return b.rest.post(ctx, channel, m)
}

// edit changes a message; a thread that was archived is opened again for it.
func (b *Bot) edit(ctx context.Context, channel, id string, m *message) error {
	err := b.rest.edit(ctx, channel, id, m)
	if discordCode(err) == codeThreadArchived && b.reopen(ctx, channel) {
		err = b.rest.edit(ctx, channel, id, m)
	}
	return err
}

// reopen opens a thread that was archived, and reports whether it could.
func (b *Bot) reopen(ctx context.Context, thread string) bool {
	archived := false
	_, err := b.session.ChannelEditComplex(thread, &discordgo.ChannelEdit{Archived: &archived}, discordgo.WithContext(ctx))
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

// publishError tells the outbox whether trying again can help, without the URLs that errors carry.
func publishError(err error) error {
	switch discordCode(err) {
	case codeUnknownChannel, codeUnknownGuild, codeMissingAccess, codeMissingPermissions, codeThreadArchived, codeThreadLocked:
		return &table.PermanentError{Err: scrub(err)}
	}
	return scrub(err)
}

// nonce makes Discord drop a message that was posted already when the answer to it was lost.
func nonce(n table.News) string { return fmt.Sprintf("%s-%d", n.ID, n.Version) }

func (b *Bot) publishLobby(ctx context.Context, n table.News, s *locale.Speaker, silent bool) (string, error) {
	m := b.lobbyMessage(n, s)
	if lobby := parsePosted(n.Note).board; lobby != "" && !moved(n) {
		err := b.edit(ctx, n.Channel, lobby, m)
		if err == nil {
			return lobby, nil
		}
		if httpStatus(err) != http.StatusNotFound || discordCode(err) == codeUnknownChannel {
			return "", err
		}
	}
	m.nonce = nonce(n)
	m.pings = n.Invited()
	return b.post(ctx, n.Channel, m, silent)
}

// moved reports whether the table came to another channel just now.
func moved(n table.News) bool {
	return slices.ContainsFunc(n.Events, func(e table.Event) bool { return e.Kind == storage.Rehoused })
}

// closeLobby takes the buttons off the lobby of a game that has begun. Nothing depends on it.
func (b *Bot) closeLobby(ctx context.Context, n table.News, lobby string, s *locale.Speaker) {
	if err := b.edit(ctx, n.Channel, lobby, b.lobbyMessage(n, s)); err != nil {
		b.log.Info("a lobby message could not be edited", "table", n.ID, "error", scrub(err))
	}
}

// title names the game and the table.
func title(snap *table.Snapshot, s *locale.Speaker) string {
	return fmt.Sprintf("### %s · #%s", s.Say(snap.Game().Info().Name), snap.ID)
}

// lobbyMessage shows who has come and who is awaited.
func (b *Bot) lobbyMessage(n table.News, s *locale.Speaker) *message {
	info := n.Game().Info()
	lines := []string{title(n.Snapshot, s), "*" + s.Say(info.Tagline) + "*"}
	for _, o := range n.Setup().Options {
		id := n.Snapshot.Head.Game + ".option." + o.Key
		lines = append(lines, s.Say(text.M("bot.lobby.option", "Option", text.M(id), "Value", text.M(id+"."+o.Value))))
	}
	if rule := n.Timing.Rule; rule.Mode != storage.NoClock {
		lines = append(lines, s.Say(clockText(rule)))
	}
	for i, o := range n.Seats {
		id := "bot.lobby.player"
		if o.User == n.Host {
			id = "bot.lobby.host"
		}
		lines = append(lines, s.Say(text.M(id, "Number", i+1, "Who", mentionOr(s, o))))
	}
	for _, u := range n.Invited() {
		lines = append(lines, s.Say(text.M("bot.lobby.invited", "Who", "<@"+u+">")))
	}
	open := n.Status == table.Lobby
	if free := n.Most - len(n.Seats) - len(n.Invited()); open && free > 0 {
		lines = append(lines, s.Say(text.M("bot.lobby.free", "Count", free)))
	}
	switch {
	case !open && n.Started():
		lines = append(lines, s.Say(text.M("bot.lobby.begun")))
	case !open:
		lines = append(lines, s.Say(text.M("table.news.closed")))
	case n.Least < n.Most:
		lines = append(lines, s.Say(text.M("bot.lobby.from", "Count", n.Least)))
	}
	if n.Unrated() {
		lines = append(lines, s.Say(text.M("bot.lobby.unrated")))
	}
	if n.ComputersResign() {
		lines = append(lines, s.Say(text.M("bot.lobby.resign")))
	}
	lines = append(lines, "-# "+s.Say(text.M("bot.lobby.commitment", "Commitment", n.Commitment())))
	m := &message{components: []discordgo.MessageComponent{container(accent, paragraph(strings.Join(lines, "\n")))}}
	if open {
		id := func(action string) string { return customID{action: action, table: n.ID.String()}.String() }
		m.components = append(m.components, rows(append([]discordgo.Button{
			button(discordgo.SuccessButton, s.Say(text.M("bot.button.join")), id(actionJoin)),
			button(discordgo.SecondaryButton, s.Say(text.M("bot.button.leave")), id(actionLeave)),
			button(discordgo.PrimaryButton, s.Say(text.M("bot.button.start")), id(actionStart)),
			button(discordgo.SecondaryButton, s.Say(text.M("bot.button.rules")), customID{action: "rules", arg: n.Snapshot.Head.Game}.String()),
		}, b.computerButtons(n, s)...)...)...)
	}
	return m
}

// newsMessage tells what happened when the board did not change: offers and answers to them, reminders, who comes and goes.
func (b *Bot) newsMessage(ctx context.Context, n table.News, s *locale.Speaker, said posted) *message {
	lines := append(newsLines(n, s), askedLines(n, s)...)
	m := &message{nonce: nonce(n), pings: asked(n)}
	called := slices.ContainsFunc(n.Events, func(e table.Event) bool {
		return e.Kind == storage.Reminded || e.Kind == storage.Resumed || e.Kind == storage.IdleSoon || e.Kind == storage.Taken && e.Seat == n.ToMove
	})
	if called && n.Paused == "" {
		if n.Mover() != "" {
			m.pings = append(m.pings, n.Mover())
		}
		if !reminds(n) {
			lines = append(lines, s.Say(text.M("bot.turn", "Who", text.Player(n.ToMove))))
		}
		lines = append(lines, b.clockLines(ctx, n.Snapshot, s)...)
		lines = append(lines, "-# "+s.Say(text.M("bot.reminder.board", "Link", messageLink(n.Guild, n.Channel, said.board))))
	}
	m.components = say(strings.Join(lines, "\n")).components
	if called && n.Paused == "" {
		m.components = append(m.components, rows(b.moveButton(s.Say, n.Snapshot))...)
	}
	m.components = append(m.components, b.proposalButtons(n, s)...)
	m.components = append(m.components, b.seatButtons(n.Snapshot, s)...)
	return m
}

// messageLink is the address of a message.
func messageLink(guild, channel, id string) string {
	return channelLink(guild, channel) + "/" + id
}

// channelLink is the address of a channel.
func channelLink(guild, channel string) string {
	return "https://discord.com/channels/" + guild + "/" + channel
}

// asked are the users whose answer an offer made just now waits for.
func asked(n table.News) []string {
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
	return list
}

// askedLines call those who are asked: only who is named in a message is pinged by it.
func askedLines(n table.News, s *locale.Speaker) []string {
	var who []text.Message
	for _, u := range asked(n) {
		who = append(who, text.Raw("<@"+u+">"))
	}
	if len(who) == 0 {
		return nil
	}
	return []string{s.Say(text.M("bot.asked", "Who", who))}
}

func (b *Bot) proposalButtons(n table.News, s *locale.Speaker) []discordgo.MessageComponent {
	if n.Proposal.Kind == "" || n.Status != table.Playing {
		return nil
	}
	id := func(action string) string {
		return customID{action: action, table: n.ID.String(), version: version(n.Snapshot), arg: string(n.Proposal.Kind)}.String()
	}
	return rows(
		button(discordgo.SuccessButton, s.Say(text.M("bot.button.agree")), id(actionAgree)),
		button(discordgo.SecondaryButton, s.Say(text.M("bot.button.decline")), id(actionDecline)),
	)
}

// turnMessage shows the board, what happened since the player to move last moved, and whose turn it is.
func (b *Bot) turnMessage(ctx context.Context, n table.News, s *locale.Speaker) (*message, error) {
	from := sinceTheirTurn(n)
	sc := sceneAt(n.Snapshot, games.Spectator, from, n.Plays)
	file, alt, err := b.paint(ctx, sc, names(n.Snapshot), plain(b.public(ctx, n.Guild), n.Snapshot), boardName(n.Snapshot, n.Plays))
	if err != nil {
		return nil, err
	}
	m := &message{nonce: nonce(n), files: []*discordgo.File{file}, pings: asked(n)}
	lines := append([]string{title(n.Snapshot, s)}, append(newsLines(n, s), askedLines(n, s)...)...)
	parts := []discordgo.MessageComponent{paragraph(strings.Join(lines, "\n")), picture(file.Name, alt)}
	if n.Status == table.Over {
		if seed := n.Seed(); seed != "" {
			parts = append(parts, paragraph("-# "+s.Say(text.M("bot.over.seed", "Seed", seed))))
		}
		parts = append(parts, paragraph(s.Say(text.M("bot.over.next"))))
		m.components = append([]discordgo.MessageComponent{container(accent, parts...)}, rows(b.overButtons(n.Snapshot, s)...)...)
		return m, nil
	}
	if n.Paused == "" {
		parts = append(parts, paragraph(strings.Join(append([]string{b.turnLine(n.Snapshot, s)}, b.clockLines(ctx, n.Snapshot, s)...), "\n")))
		if u := n.Mover(); u != "" {
			m.pings = append(m.pings, u)
		}
	}
	m.components = append(m.components, container(accentIn(sc, n.ToMove), parts...))
	m.components = append(m.components, rows(b.turnButtons(n, s)...)...)
	m.components = append(m.components, b.proposalButtons(n, s)...)
	m.components = append(m.components, b.seatButtons(n.Snapshot, s)...)
	return m, nil
}

func (b *Bot) turnButtons(n table.News, s *locale.Speaker) []discordgo.Button {
	id := func(action string) string {
		return customID{action: action, table: n.ID.String(), version: version(n.Snapshot)}.String()
	}
	buttons := []discordgo.Button{b.moveButton(s.Say, n.Snapshot)}
	if hasHands(n.Snapshot) {
		buttons = append(buttons, button(discordgo.SecondaryButton, s.Say(text.M("bot.button.hand")), id(actionHand)))
	}
	return append(buttons, button(discordgo.SecondaryButton, s.Say(text.M("bot.button.text")), id(actionText)))
}

// sinceTheirTurn is the number of the first play that the player to move has not seen: the one after their own
// last move, and at the latest the first of the news.
func sinceTheirTurn(n table.News) int {
	from := n.From
	for i := n.From - 1; i >= 0 && n.ToMove >= 0; i-- {
		if step := n.Trail(games.Spectator, i, i+1); len(step) == 1 && step[0].Seat == n.ToMove {
			break
		}
		from = i
	}
	return max(from, laidOut(n))
}

// fewDraws is how many draws before the first move are told one by one: opening rolls are news, a whole deal is not.
const fewDraws = 8

// laidOut is how many plays at the start only laid out the table: the draws before the first
// move, when they are many.
func laidOut(n table.News) int {
	draws := 0
	for draws < n.Plays {
		if step := n.Trail(games.Spectator, draws, draws+1); len(step) == 1 && step[0].Seat != games.Chance {
			break
		}
		draws++
	}
	if draws <= fewDraws {
		return 0
	}
	return draws
}

// newsLines tells in order what happened: the plays since the player to move last moved, and everything else that is news.
func newsLines(n table.News, s *locale.Speaker) []string {
	var lines []newsLine
	add := func(m text.Message) {
		if t := s.Say(m); t != "" {
			lines = append(lines, newsLine{said: t})
		}
	}
	tell := func(step games.Step) {
		if t := s.Say(step.Before.Tell(step.Move)); t != "" {
			lines = append(lines, newsLine{said: t, play: true})
		}
	}
	if n.Started() {
		for _, step := range n.Trail(games.Spectator, sinceTheirTurn(n), n.From) {
			tell(step)
		}
	}
	play, laid := n.From, 0
	if n.Started() {
		laid = laidOut(n)
	}
	for _, e := range n.Events {
		switch {
		case e.Kind == resigned:
			add(n.Tell(e))
			play++
		case e.Kind.Play() && play < laid:
			if play++; play == laid {
				add(text.M("bot.recap.laid-out", "Count", laid))
			}
		case e.Kind.Play():
			for _, step := range n.Trail(games.Spectator, play, play+1) {
				tell(step)
			}
			play++
		default:
			told := n.Tell(e)
			if e.Seat < 0 && e.User != "" && told.Args["Who"] != nil {
				told = text.Message{ID: told.ID, Args: text.Args{"Who": mentionOr(s, table.Occupant{User: e.User}), "Game": told.Args["Game"]}}
			}
			add(told)
		}
	}
	return recap(lines, s)
}

// newsLine is a sentence of the news.
type newsLine struct {
	said string
	play bool // of a move, a draw or a pass
}

// maxRecap is how many sentences a message tells of what happened.
const maxRecap = 14

// recap keeps the last maxRecap sentences, and of those before them what is no play: who has left the game, for example.
func recap(lines []newsLine, s *locale.Speaker) []string {
	var kept []string
	earlier, place := 0, 0
	for i, l := range lines {
		switch {
		case i >= len(lines)-maxRecap || !l.play:
			kept = append(kept, l.said)
		default:
			if earlier == 0 {
				place = len(kept)
			}
			earlier++
		}
	}
	if earlier > 0 {
		kept = slices.Insert(kept, place, s.Say(text.M("bot.recap.more", "Count", earlier)))
	}
	return kept[max(0, len(kept)-2*maxRecap):]
}
