package lobby

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// play replies to /play by opening a table in this channel or, as the server's settings require, in a separate thread.
// Without options it shows the games.
func (rm *Room) play(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	switch {
	case len(r.Options) == 0:
		m, err := rm.entrance(ctx, r.Where, r.Say)
		return interact.Reply{New: m}, err
	case r.Option("game") == "":
		return interact.Reply{}, show.Refuse(text.M("bot.error.say-game"))
	}
	g, err := rm.Games.Find(r.Option("game"))
	if err != nil {
		return interact.Reply{}, err
	}
	o, err := rm.opening(ctx, r, g)
	if err != nil {
		return interact.Reply{}, err
	}
	o.Computers = rm.computerPlayers(r)
	o.Unrated = !r.FlagOr("rated", !r.Settings.Unrated && !forPractice(o.Computers))
	if n, ok := r.Number("players"); ok {
		o.Seats = n
	}
	if _, ok := r.Options["opponent"]; ok {
		id, _, _ := r.Person("opponent")
		if err := r.Invitable(id); err != nil {
			return interact.Reply{}, err
		}
		o.Invited = []string{id}
	}
	if o.Clock, err = clockAs(r.Settings.Clock, r.Option("clock"), r.Option("late")); err != nil {
		return interact.Reply{}, err
	}
	return rm.openTable(ctx, r, g, o)
}

// opening returns the data of a new table for a game in this channel, with the server's defaults for missing options.
func (rm *Room) opening(ctx context.Context, r *interact.Request, g games.Game) (o table.Opening, err error) {
	o = table.Opening{
		Game: g.Key(), Guild: r.GuildID, Channel: r.ChannelID, WhenFull: true, Unrated: r.Settings.Unrated,
		Resign: r.Settings.Resign,
	}
	if r.Settings.Clock.Mode != storage.NoClock {
		o.Clock = r.Settings.Clock
	}
	o.Asks, err = rm.asks(ctx, r, g)
	return o, err
}

// openTable opens a table, on a server in the place that its settings require, and otherwise in direct messages. It
// replies with a confirmation, or leads to the rematch that another player has already opened.
func (rm *Room) openTable(ctx context.Context, r *interact.Request, g games.Game,
	o table.Opening) (interact.Reply, error) {
	if r.Where != interact.OnServer {
		return rm.openDirect(ctx, r, g, o)
	}
	if err := rm.Tables.Check(ctx, r.Actor(), o); err != nil {
		return interact.Reply{}, err // opens no thread, which only a moderator could remove
	}
	place, err := rm.Find.Place(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if err := rm.MayOpen(ctx, r, place); err != nil {
		return interact.Reply{}, err
	}
	snap, why, err := rm.openAt(ctx, r, place, g, o)
	if err != nil {
		return interact.Reply{}, err
	}
	if o.Rematch != 0 && !snap.OpenedBy(r.Actor().Key) {
		return rm.toRematch(ctx, r, snap) // another player has opened the rematch
	}
	said := rm.opened(r, snap)
	if why != "" {
		said += " " + r.Say.Say(text.M(why))
	}
	m := show.Text(said)
	if o.Unrated && snap.Status == table.Playing {
		m.Components = append(m.Components, show.Paragraph("-# "+r.Say.Say(text.M("bot.lobby.unrated"))))
	}
	if !o.WhenFull {
		m.Components = append(m.Components, rm.optionsMessage(snap, r.Say).Components...)
	}
	return interact.Reply{New: m}, nil
}

// opened returns the sentence that confirms a new table. The game of a table that is already full has begun.
func (rm *Room) opened(r *interact.Request, snap *table.Snapshot) string {
	id := "bot.play.opened"
	switch begun, thread := snap.Status == table.Playing, snap.Channel != r.ChannelID; {
	case begun && thread:
		id = "bot.play.begun-thread"
	case begun:
		id = "bot.play.begun"
	case thread:
		id = "bot.play.opened-thread"
	}
	return r.Say.Say(text.M(id, "Game", snap.Rules().Info().Name, "Table", snap.ID.String(),
		"Channel", text.Channel(snap.Channel)))
}

// openAt opens a table in a separate thread, or in the channel. If another table opens in the channel at the same time,
// the store refuses the table, and openAt opens a thread. If Discord allows no thread, the channel can have any number
// of tables, and why is the id of the sentence about that.
func (rm *Room) openAt(
	ctx context.Context, r *interact.Request, place *discordgo.Channel, g games.Game, o table.Opening,
) (snap *table.Snapshot, why string, err error) {
	for {
		card, err := rm.openThread(ctx, r, place, g)
		threadless := rest.Threadless(err) || errors.Is(err, errNoThreads)
		if err != nil && !threadless {
			return nil, "", err
		}
		thread := card.Message
		o.Alone, o.Card = thread == "" && !threadless && r.Settings.Threads != choices.ThreadsNever, card
		switch why = ""; {
		case thread != "":
			o.Channel = thread
		case rest.Code(err) == rest.CodeMaxThreads:
			why = "bot.play.threads-full"
		case threadless:
			why = "bot.play.threadless"
		}
		if thread == "" && place.IsThread() {
			o.Card = rm.cardFor(ctx, r, place, g)
		}
		snap, err = rm.Tables.Open(ctx, r.Actor(), o)
		if errors.Is(err, table.ErrChannelBusy) && ctx.Err() == nil {
			continue
		}
		switch unused := err != nil || snap.Card.Message != o.Card.Message; {
		case unused && thread != "":
			rm.dropThread(ctx, card)
		case unused && o.Card.Message != "":
			rm.dropCard(ctx, o.Card.Channel, o.Card.Message)
		}
		return snap, why, err
	}
}

// openThread opens a thread for a table, if the server's settings require one, below a new card in the channel. Discord
// gives the card and the thread the same id. If the bot lacks the permission to open threads, a table in a free channel
// gets no thread, and any other table is refused. The card is zero if there is none.
func (rm *Room) openThread(ctx context.Context, r *interact.Request, place *discordgo.Channel,
	g games.Game) (storage.Card, error) {
	if r.Settings.Threads == choices.ThreadsNever {
		return storage.Card{}, nil
	}
	heads, err := rm.Tables.Lookup.InChannel(ctx, r.ChannelID)
	if err != nil {
		return storage.Card{}, err
	}
	busy := len(heads) > 0
	if !busy && (r.Settings.Threads == choices.ThreadsWhenBusy || place.IsThread()) {
		return storage.Card{}, nil
	}
	lacking := func(list []text.Message) (storage.Card, error) {
		if !busy {
			return storage.Card{}, nil
		}
		return storage.Card{}, show.Refuse(text.M("bot.error.busy-permissions", "Permissions", list,
			"Count", len(list)))
	}
	if list := interact.Missing(r.AppPermissions, interact.ToOpenThread); len(list) > 0 {
		return lacking(list)
	}
	parent := place.ID
	switch {
	case place.IsThread():
		parent = place.ParentID
	case place.Type == discordgo.ChannelTypeGuildVoice, place.Type == discordgo.ChannelTypeGuildStageVoice:
		return storage.Card{}, errNoThreads
	}
	id, err := rm.postCard(ctx, r, parent, g)
	if rest.Moderated(err) {
		return storage.Card{}, refuseModerated()
	}
	if err == nil {
		err = rm.StartThread(ctx, parent, id, rm.Languages.Public(r.GuildID, r.Settings), g.Key(), r.User.Name)
		if err == nil {
			return storage.Card{Channel: parent, Message: id, Thread: id}, nil
		}
		rm.dropCard(ctx, parent, id)
	}
	if code := rest.Code(err); code == rest.CodeMissingPermissions || code == rest.CodeMissingAccess {
		return lacking([]text.Message{text.M("bot.permission.create-threads")})
	}
	return storage.Card{}, fmt.Errorf("opening a thread: %w", err)
}

// errNoThreads is returned for a kind of channel without threads.
var errNoThreads = errors.New("there are no threads in this kind of channel")

// refuseModerated returns an error for text that Discord's or the server's moderation does not let the bot post.
func refuseModerated() error { return show.Refuse(text.M("bot.error.moderated")) }

// StartThread opens a thread on a message, named after a game and a person. If the server refuses the person's name,
// the thread has only the name of the game.
func (rm *Room) StartThread(ctx context.Context, channel, message string, s *locale.Speaker, game string,
	who text.Name) error {
	g, err := rm.Games.Find(game)
	if err != nil {
		return err
	}
	name := s.Plain().Say(text.M("bot.thread.opening", "Game", g.Info().Name, "Who", who))
	return rest.Client{Session: rm.Session}.StartThread(ctx, channel, message,
		[]string{show.Clip(name, show.MaxThreadName), s.Plain().Say(g.Info().Name)})
}

// Drop deletes the message about a table that could not be opened, and the table's thread if there is one.
func (rm *Room) Drop(ctx context.Context, thread, card storage.Card) {
	if thread.Thread != "" {
		rm.dropThread(ctx, thread)
		return
	}
	rm.dropCard(ctx, card.Channel, card.Message)
}

// postCard posts the card of a new table before the table is opened, and returns the card's id.
func (rm *Room) postCard(ctx context.Context, r *interact.Request, channel string, g games.Game) (string, error) {
	s := rm.Languages.Public(r.GuildID, r.Settings)
	m := show.Text(s.Say(text.M("bot.card.opening", "Game", g.Info().Name, "Who", text.User(r.User.ID).Raw())))
	m.Nonce = "card-" + r.ID
	return rest.Client{Session: rm.Session}.Post(ctx, channel, m)
}

// cardFor posts a new card for a table in the thread of an earlier table, if that one has a card. The earlier card
// does not change. If posting fails, the table is opened without a card.
func (rm *Room) cardFor(ctx context.Context, r *interact.Request, thread *discordgo.Channel,
	g games.Game) storage.Card {
	id, err := rm.Tables.Lookup.LastInChannel(ctx, thread.ID)
	if err != nil || id == 0 {
		return storage.Card{}
	}
	h, err := rm.Tables.Lookup.Head(ctx, id)
	if err != nil || h.Card.Channel == "" {
		return storage.Card{}
	}
	card := storage.Card{Channel: h.Card.Channel, Thread: h.Card.Thread}
	if card.Message, err = rm.postCard(ctx, r, card.Channel, g); err != nil {
		rm.Log.InfoContext(ctx, "a table in an old thread has no card", "channel", card.Channel,
			"error", rest.Scrub(err))
	}
	return card
}

// dropThread deletes the thread of a table that could not be opened, and the thread's card. If the thread cannot be
// deleted, for example without the permission to manage threads, it is archived instead.
func (rm *Room) dropThread(ctx context.Context, card storage.Card) {
	_, err := rm.Session.ChannelDelete(card.Message, discordgo.WithContext(ctx))
	if err != nil {
		archived := true
		_, err = rm.Session.ChannelEditComplex(card.Message, &discordgo.ChannelEdit{Archived: &archived},
			discordgo.WithContext(ctx))
	}
	if err != nil {
		rm.Log.InfoContext(ctx, "an unused thread could not be removed", "channel", card.Message,
			"error", rest.Scrub(err))
	}
	rm.dropCard(ctx, card.Channel, card.Message)
}

func (rm *Room) dropCard(ctx context.Context, channel, message string) {
	if err := rm.Session.ChannelMessageDelete(channel, message, discordgo.WithContext(ctx)); err != nil {
		rm.Log.InfoContext(ctx, "an unused card could not be removed", "channel", channel, "error", rest.Scrub(err))
	}
}

// join replies to the join button. If the options have changed since the button was created, it shows the current
// options instead.
func (rm *Room) join(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	reply, err := rm.seated(ctx, r, func(ctx context.Context, by table.Actor, id table.ID) (*table.Snapshot, error) {
		return rm.Tables.JoinAs(ctx, by, id, uint64(r.Control.Version))
	}, "bot.joined")
	if !errors.Is(err, storage.ErrStale) {
		return reply, err
	}
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	lines := append([]string{r.Say.Say(text.M("table.error.options-changed"))},
		show.OptionLines(snap.Head.Game, snap.Setup().Options, r.Say)...)
	if snap.ComputersResign() {
		lines = append(lines, r.Say.Say(text.M("bot.lobby.resign")))
	}
	m := show.Text(strings.Join(lines, "\n"))
	m.Components = append(m.Components, show.Rows(rm.AnswerButtons(snap, r.Say)...)...)
	return interact.Reply{New: m}, nil
}

// joinAny replies to /table join. Before the start it works like the join button, and later it takes an offered seat. A
// user whose own seat is offered gets it back.
func (rm *Room) joinAny(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if snap.Status != table.Playing {
		return rm.join(ctx, r)
	}
	if seat := snap.Seat(r.User.ID); seat >= 0 && table.IsOpen(snap.Head, seat) {
		return rm.keep(ctx, r, snap, seat)
	}
	return rm.taken(ctx, r, snap, games.Nobody)
}

// leave replies to the leave button. If the game has started since the button was created, it does not offer the seat.
func (rm *Room) leave(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.seated(ctx, r, rm.Tables.Leave, "bot.left")
}

// leaveAny replies to /table leave. Before the start it works like the leave button, and later it offers the player's
// seat. A second call withdraws the offer.
func (rm *Room) leaveAny(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if snap.Status != table.Playing {
		return rm.leave(ctx, r)
	}
	if seat := snap.Seat(r.User.ID); seat >= 0 && table.IsOpen(snap.Head, seat) {
		return rm.keep(ctx, r, snap, seat)
	}
	return rm.seated(ctx, r, rm.Tables.Offer, "bot.sub.offered")
}

// start replies to /table start and to the start button.
func (rm *Room) start(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.seated(ctx, r, rm.Tables.Begin, "bot.started")
}

type lobbyCommand func(context.Context, table.Actor, table.ID) (*table.Snapshot, error)

// seated executes a command at a table and replies with a confirmation.
func (rm *Room) seated(ctx context.Context, r *interact.Request, do lobbyCommand, done string) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	after, err := do(ctx, r.Actor(), snap.ID)
	if err != nil {
		return interact.Reply{}, interact.Naming(err, r, snap)
	}
	return interact.Reply{New: show.Text(r.Say.Say(text.M(done, "Game", after.Rules().Info().Name,
		"Table", after.ID.String())))}, nil
}

// MayOpen returns an error if the server's settings do not allow a table here, or not for this user. Before it refuses,
// it removes deleted channels and roles from the settings.
func (rm *Room) MayOpen(ctx context.Context, r *interact.Request, place *discordgo.Channel) error {
	if r.Actor().May(table.OpenAnywhere) {
		return nil
	}
	here := place.ID
	if place.IsThread() {
		here = place.ParentID
	}
	c := r.Settings
	closed := len(c.Channels) > 0 && !slices.Contains(c.Channels, here)
	stranger := c.OpenerRole != "" && (r.Member == nil || !slices.Contains(r.Member.Roles, c.OpenerRole))
	if !closed && !stranger {
		return nil
	}
	c, err := rm.Prune(ctx, r.GuildID)
	if err != nil {
		return err
	}
	if closed && len(c.Channels) > 0 {
		var where []text.Message
		for _, ch := range c.Channels {
			where = append(where, text.Channel(ch).Raw())
		}
		return show.Refuse(text.M("bot.error.not-here", "Where", text.Or(where)))
	}
	if stranger && c.OpenerRole != "" {
		return show.Refuse(text.M("bot.error.not-you", "Role", text.Role(c.OpenerRole)))
	}
	return nil
}

// clockAs returns the clock in the options of a command. Empty options keep the parts of the server's clock.
func clockAs(rule storage.ClockRule, typed, late string) (storage.ClockRule, error) {
	if typed != "" {
		parsed, ok := show.ParseClock(typed)
		if !ok {
			return rule, show.Refuse(text.M("bot.error.clock", "Clock", typed))
		}
		parsed.Late = rule.Late
		rule = parsed
	}
	if late != "" {
		rule.Late = show.LateOf(late)
	}
	if rule.Mode == storage.NoClock {
		rule = storage.ClockRule{}
	}
	return rule, nil
}

// completePlay suggests clocks and ratings.
func completePlay(ctx context.Context, r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	switch r.Focused {
	case "rating":
		return CompleteRatings(ctx, r)
	case "clock":
		return CompleteClock(r)
	}
	return nil
}

// CompleteClock suggests values for a clock option.
func CompleteClock(r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	typed := strings.ToLower(r.Option("clock"))
	offers := show.OfferedClocks
	if _, ok := show.ParseClock(typed); ok {
		offers = append([]string{typed}, offers...)
	}
	var out []*discordgo.ApplicationCommandOptionChoice
	seen := map[string]bool{}
	for _, o := range offers {
		rule, _ := show.ParseClock(o)
		name := o + " · " + r.Say.Say(show.ClockName(rule))
		if seen[o] || !strings.Contains(strings.ToLower(name), typed) {
			continue
		}
		seen[o] = true
		out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: show.Clip(name, show.MaxChoiceName),
			Value: o})
	}
	return out
}
