package bot

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
)

// play answers /play: it opens a table in this channel, or in a thread of its own when the channel has one already.
func (b *Bot) play(ctx context.Context, r *request) (reply, error) {
	g, err := b.game(r.option("game"))
	if err != nil {
		return reply{}, err
	}
	o := table.Opening{Game: g.Key(), Guild: r.GuildID, Channel: r.ChannelID, WhenFull: true, Fixed: r.flag("order"), Unrated: !r.flagOr("rated", !r.settings.Unrated), Resign: r.flagOr("resign", r.settings.Resign)}
	for _, option := range g.Options() {
		if v := r.option(option.Key); v != "" {
			o.Options = append(o.Options, games.Setting{Key: option.Key, Value: v})
		}
	}
	if err := b.foreignOptions(r, g); err != nil {
		return reply{}, err
	}
	if n, ok := r.number("players"); ok {
		o.Seats = n
	}
	for _, name := range opponentOptions {
		opt, ok := r.options[name]
		if !ok {
			continue
		}
		id := opt.Value.(string)
		if resolved := r.ApplicationCommandData().Resolved; resolved != nil && resolved.Users[id] != nil && resolved.Users[id].Bot {
			return reply{}, playerError{text.M("bot.error.invited-bot", "Who", "<@"+id+">")}
		}
		o.Invited = append(o.Invited, id)
	}
	o.Computers = b.sailors(ctx, r)
	if o.Clock, err = b.clockOption(r); err != nil {
		return reply{}, err
	}
	return b.openTable(ctx, r, g, o)
}

// openTable opens a table where the server's settings want it, and says so.
func (b *Bot) openTable(ctx context.Context, r *request, g games.Game, o table.Opening) (reply, error) {
	if err := b.tables.Check(r.actor(), o); err != nil {
		return reply{}, err // before there is a thread for it, which only a moderator could remove
	}
	place, err := b.place(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if err := b.mayOpen(ctx, r, place); err != nil {
		return reply{}, err
	}
	thread, err := b.threadIfBusy(ctx, r, place, g)
	if err != nil {
		return reply{}, err
	}
	if thread != "" {
		o.Channel = thread
	}
	snap, err := b.tables.Open(ctx, r.actor(), o)
	if thread != "" && (err != nil || snap.Channel != thread) {
		b.dropThread(ctx, thread)
	}
	if err != nil {
		return reply{}, err
	}
	if joins := snap.Joins(); o.Rematch != 0 && (len(joins) == 0 || joins[0] != r.actor().Key) {
		return b.toRematch(ctx, r, snap) // somebody else was quicker
	}
	id := "bot.play.opened"
	if thread != "" {
		id = "bot.play.opened-thread"
	}
	return reply{new: say(r.say.Say(text.M(id, "Game", g.Info().Name, "Table", snap.ID.String(), "Channel", "<#"+snap.Channel+">")))}, nil
}

// foreignOptions refuses options that another game has, instead of forgetting them silently.
func (b *Bot) foreignOptions(r *request, g games.Game) error {
	own := map[string]bool{}
	var want []text.Message
	for _, o := range g.Options() {
		own[o.Key] = true
		want = append(want, text.Raw(o.Key))
	}
	for _, other := range b.games {
		for _, o := range other.Options() {
			if r.option(o.Key) != "" && !own[o.Key] {
				if len(want) == 0 {
					return playerError{text.M("bot.error.no-options", "Game", g.Info().Name, "Option", o.Key)}
				}
				return playerError{text.M("setup.error.option", "Game", g.Info().Name, "Option", o.Key, "Want", text.Or(want), "Count", len(want))}
			}
		}
	}
	return nil
}

// permission is what the bot needs in a channel, with the name that Discord's settings give it.
type permission struct {
	bit int64
	id  string // of the name's sentence
}

var (
	toPost = []permission{
		{discordgo.PermissionViewChannel, "bot.permission.view"},
		{discordgo.PermissionSendMessages, "bot.permission.send"},
		{discordgo.PermissionAttachFiles, "bot.permission.files"},
	}
	toPostInThread = []permission{
		{discordgo.PermissionViewChannel, "bot.permission.view"},
		{discordgo.PermissionSendMessagesInThreads, "bot.permission.send-threads"},
		{discordgo.PermissionAttachFiles, "bot.permission.files"},
	}
	toOpenThread = []permission{
		{discordgo.PermissionCreatePublicThreads, "bot.permission.create-threads"},
		{discordgo.PermissionSendMessagesInThreads, "bot.permission.send-threads"},
	}
)

// missing names the permissions that the interaction says the bot does not have in its channel.
func missing(r *request, need []permission) []text.Message {
	if r.AppPermissions&discordgo.PermissionAdministrator != 0 {
		return nil
	}
	var list []text.Message
	for _, p := range need {
		if r.AppPermissions&p.bit == 0 {
			list = append(list, text.M(p.id))
		}
	}
	return list
}

// place looks at the interaction's channel, and refuses one where the bot could not show a table.
func (b *Bot) place(ctx context.Context, r *request) (*discordgo.Channel, error) {
	ch, err := b.session.Channel(r.ChannelID, discordgo.WithContext(ctx))
	switch discordCode(err) {
	case codeMissingAccess, codeMissingPermissions:
		return nil, playerError{text.M("bot.error.permissions", "Permissions", []text.Message{text.M("bot.permission.view")}, "Count", 1)}
	}
	if err != nil {
		return nil, fmt.Errorf("looking at a channel: %w", err)
	}
	need := toPost
	if ch.IsThread() {
		need = toPostInThread
	}
	if list := missing(r, need); len(list) > 0 {
		return nil, playerError{text.M("bot.error.permissions", "Permissions", list, "Count", len(list))}
	}
	return ch, nil
}

// threadIfBusy opens a thread for a table when the channel has a table that goes on, or as the server has settled it; "" when it opens none.
func (b *Bot) threadIfBusy(ctx context.Context, r *request, place *discordgo.Channel, g games.Game) (string, error) {
	if r.settings.Threads == table.ThreadsNever {
		return "", nil
	}
	heads, err := b.tables.InChannel(ctx, r.ChannelID)
	if err != nil {
		return "", err
	}
	if len(heads) == 0 && (r.settings.Threads != table.ThreadsAlways || place.IsThread()) {
		return "", nil
	}
	if list := missing(r, toOpenThread); len(list) > 0 {
		return "", playerError{text.M("bot.error.busy-permissions", "Permissions", list, "Count", len(list))}
	}
	parent := place.ID
	if place.IsThread() {
		parent = place.ParentID
	}
	s := b.public(ctx, r.GuildID)
	name := s.Say(text.M("bot.thread.name", "Game", g.Info().Name, "Who", r.user.name))
	thread, err := b.session.ThreadStartComplex(parent, &discordgo.ThreadStart{
		Name: clip(name, maxThreadName), AutoArchiveDuration: archiveAfter, Type: discordgo.ChannelTypeGuildPublicThread,
	}, discordgo.WithContext(ctx))
	if err != nil {
		if code := discordCode(err); code == codeMissingPermissions || code == codeMissingAccess {
			return "", playerError{text.M("bot.error.busy-permissions", "Permissions", []text.Message{text.M("bot.permission.create-threads")}, "Count", 1)}
		}
		return "", fmt.Errorf("opening a thread: %w", err)
	}
	return thread.ID, nil
}

const (
	maxThreadName = 100
	archiveAfter  = 7 * 24 * 60 // minutes
)

// Discord's error codes that mean something to us.
const (
	codeUnknownChannel     = 10003
	codeUnknownGuild       = 10004
	codeMissingAccess      = 50001
	codeMissingPermissions = 50013
	codeThreadArchived     = 50083
	codeThreadLocked       = 160005
)

// dropThread removes a thread that was opened for a table that was then refused, or archives it: that takes no permission to manage threads.
func (b *Bot) dropThread(ctx context.Context, thread string) {
	_, err := b.session.ChannelDelete(thread, discordgo.WithContext(ctx))
	if err != nil {
		archived := true
		_, err = b.session.ChannelEditComplex(thread, &discordgo.ChannelEdit{Archived: &archived}, discordgo.WithContext(ctx))
	}
	if err != nil {
		b.log.Info("an unused thread could not be removed", "channel", thread, "error", scrub(err))
	}
}

// join answers /join and the Join button.
func (b *Bot) join(ctx context.Context, r *request) (reply, error) {
	return b.seated(ctx, r, b.tables.Join, "bot.joined")
}

// leave answers /leave and the Leave button.
func (b *Bot) leave(ctx context.Context, r *request) (reply, error) {
	return b.seated(ctx, r, b.tables.Leave, "bot.left")
}

// start answers /start and the Start button.
func (b *Bot) start(ctx context.Context, r *request) (reply, error) {
	return b.seated(ctx, r, b.tables.Begin, "bot.started")
}

type lobbyCommand func(context.Context, table.Actor, table.ID) (*table.Snapshot, error)

// seated carries out a command of the lobby and says that it is done.
func (b *Bot) seated(ctx context.Context, r *request, do lobbyCommand, done string) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	after, err := do(ctx, r.actor(), snap.ID)
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{new: say(r.say.Say(text.M(done, "Game", after.Game().Info().Name, "Table", after.ID.String())))}, nil
}

// naming lets an error's sentence name the people at the table.
func naming(err error, r *request, snap *table.Snapshot) error {
	r.say = mentioning(r.say, snap)
	return err
}

// draw answers /draw: it offers a draw, or agrees to the one that is offered.
func (b *Bot) draw(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	after, err := b.tables.Propose(ctx, r.actor(), snap.ID, table.Draw)
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	if after.Status == table.Over {
		return reply{new: say(r.say.Say(text.M("bot.draw.agreed")))}, nil
	}
	return reply{new: say(r.say.Say(text.M("bot.draw.offered")))}, nil
}

// agree answers the Agree button under an offer.
func (b *Bot) agree(ctx context.Context, r *request) (reply, error) {
	return b.answerProposal(ctx, r, b.tables.Accept, "bot.proposal.agreed")
}

// decline answers the Decline button under an offer; who made the offer takes it back.
func (b *Bot) decline(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if p := snap.Proposal; p.Kind != "" && p.By == snap.Seat(r.user.id) {
		return b.answerProposal(ctx, r, b.tables.Withdraw, "bot.proposal.withdrawn")
	}
	return b.answerProposal(ctx, r, b.tables.Decline, "bot.proposal.declined")
}

type proposalCommand func(context.Context, table.Actor, table.ID, table.ProposalKind) (*table.Snapshot, error)

func (b *Bot) answerProposal(ctx context.Context, r *request, do proposalCommand, done string) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if _, err := do(ctx, r.actor(), snap.ID, table.ProposalKind(r.id.arg)); err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{new: say(r.say.Say(text.M(done)))}, nil
}

// The commands that ask whether one means it.
const (
	confirmResign  = "resign"
	confirmAbandon = "abandon"
)

// resign answers /resign with a question.
func (b *Bot) resign(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	if _, err := b.tables.PlayerSeat(ctx, r.actor(), snap); err != nil {
		return reply{}, naming(err, r, snap)
	}
	return b.confirm(r, snap, confirmResign, "bot.resign.sure", "bot.resign.button"), nil
}

// abandon answers /abandon with a question.
func (b *Bot) abandon(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	return b.confirm(r, snap, confirmAbandon, "bot.abandon.sure", "bot.abandon.button"), nil
}

// confirm asks whether that is meant.
func (b *Bot) confirm(r *request, snap *table.Snapshot, what, question, label string) reply {
	m := say(r.say.Say(text.M(question, "Game", snap.Game().Info().Name, "Table", snap.ID.String())))
	id := customID{action: actionConfirm, table: snap.ID.String(), arg: what}
	m.components = append(m.components, rows(button(discordgo.DangerButton, r.say.Say(text.M(label)), id.String()))...)
	return reply{new: m}
}

// confirmed answers the button under such a question.
func (b *Bot) confirmed(ctx context.Context, r *request) (reply, error) {
	snap, err := b.table(ctx, r)
	if err != nil {
		return reply{}, err
	}
	var done string
	switch r.id.arg {
	case confirmResign:
		done = "bot.resign.done"
		_, err = b.tables.Resign(ctx, r.actor(), snap.ID)
	case confirmAbandon:
		done = "bot.abandon.done"
		after := snap
		if snap.Status == table.Playing && !r.user.manage {
			after, err = b.tables.Propose(ctx, r.actor(), snap.ID, table.Abandon)
		} else {
			after, err = b.tables.Abandon(ctx, r.actor(), snap.ID)
		}
		if err == nil && after.Status != table.Over {
			done = "bot.abandon.proposed"
		}
	default:
		return reply{}, playerError{text.M("bot.error.unknown-control")}
	}
	if err != nil {
		return reply{}, naming(err, r, snap)
	}
	return reply{update: say(r.say.Say(text.M(done)))}, nil
}
