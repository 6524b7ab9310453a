package interact

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/access"
	"marque/bot/incident"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// Finder finds the subject of an interaction: a table or a channel.
type Finder struct {
	tables  *table.Service
	games   show.Games
	session *discordgo.Session
	guard   *access.Guard
	log     *slog.Logger
}

// NewFinder returns a Finder for tables. It requests channels from Discord with session. A user finds a table of
// another channel only if Sees, which asks guard, reports that they can see it.
func NewFinder(tables *table.Service, games show.Games, session *discordgo.Session, guard *access.Guard,
	log *slog.Logger) *Finder {
	return &Finder{tables, games, session, guard, log}
}

// StartedTable returns the table that latestTable returns, or a refusal if its game has not started.
func (f *Finder) StartedTable(ctx context.Context, r *Request) (*table.Snapshot, error) {
	snap, err := f.latestTable(ctx, r)
	if err != nil {
		return nil, err
	}
	if !snap.HasStarted() {
		return nil, show.Refuse(text.M("table.error.not-started"))
	}
	return snap, nil
}

// Board finds the table of the board in a message, for a command in the message's context menu. play is the number of
// plays on that board.
func (f *Finder) Board(ctx context.Context, r *Request) (snap *table.Snapshot, play int, err error) {
	named, play, ok := r.Board()
	id, err := storage.ParseID(named)
	if !ok || err != nil {
		return nil, 0, show.Refuse(text.M("bot.error.no-board"))
	}
	if snap, err = f.numbered(ctx, r, id); err != nil {
		return nil, 0, err
	}
	if !snap.HasStarted() {
		return nil, 0, show.Refuse(text.M("table.error.not-started"))
	}
	return snap, min(play, snap.Plays), nil
}

// Table finds the table of an interaction: the one in its custom_id, the one that its option names, or the unfinished
// one in its channel or, outside servers, in the user's direct messages.
func (f *Finder) Table(ctx context.Context, r *Request) (*table.Snapshot, error) {
	named := r.Control.Table
	if named == "" {
		named = strings.TrimPrefix(r.Option("table"), "#")
	}
	if named != "" {
		id, err := storage.ParseID(named)
		if err != nil {
			return nil, show.Refuse(text.M("bot.error.table-number", "Table", named))
		}
		return f.numbered(ctx, r, id)
	}
	heads, err := f.played(ctx, r)
	if err != nil {
		return nil, err
	}
	if len(heads) > 1 {
		// If exactly one of the tables waits for this user, it is chosen.
		var mine []table.Head
		for _, h := range heads {
			if h.Status == table.Playing && h.ToMove == h.Seat(r.User.ID) {
				mine = append(mine, h)
			}
		}
		if len(mine) == 1 {
			heads = mine
		}
	}
	switch len(heads) {
	case 0:
		return nil, noTable(r)
	case 1:
		incident.About(ctx, heads[0].ID.String())
		return f.tables.Lookup.Snapshot(ctx, heads[0].ID)
	}
	if r.Where != OnServer {
		return nil, show.Refuse(text.M("bot.error.which-game", "Count", len(heads)))
	}
	return nil, show.Refuse(text.M("bot.error.which-table", "Count", len(heads)))
}

// played lists the unfinished tables in the channel or, outside servers, in the user's direct messages.
func (f *Finder) played(ctx context.Context, r *Request) ([]table.Head, error) {
	if r.Where == OnServer {
		return f.tables.Lookup.InChannel(ctx, r.ChannelID)
	}
	heads, err := f.tables.Lookup.ByUser(ctx, r.User.ID, storage.Active, 0, MaxListed)
	return slices.DeleteFunc(heads, func(h table.Head) bool { return h.Guild != "" }), err
}

// last returns the finished table of the channel, or of the user's direct messages, that was opened last, or 0.
func (f *Finder) last(ctx context.Context, r *Request) (table.ID, error) {
	if r.Where == OnServer {
		return f.tables.Lookup.LastInChannel(ctx, r.ChannelID)
	}
	heads, err := f.tables.Lookup.ByUser(ctx, r.User.ID, storage.Finished, 0, completedTables)
	if i := slices.IndexFunc(heads, func(h table.Head) bool { return h.Guild == "" }); i >= 0 {
		return heads[i].ID, nil
	}
	return 0, err
}

// listed returns tables in a phase: those of the server or, outside servers, the user's own.
func (f *Finder) listed(ctx context.Context, r *Request, phase storage.Phase) ([]table.Head, error) {
	if r.Where == OnServer {
		return f.tables.Lookup.ByGuild(ctx, r.GuildID, phase, 0, completedTables)
	}
	return f.tables.Lookup.ByUser(ctx, r.User.ID, phase, 0, completedTables)
}

// numbered returns the table with this id if the user can see it.
func (f *Finder) numbered(ctx context.Context, r *Request, id table.ID) (*table.Snapshot, error) {
	incident.About(ctx, id.String())
	snap, err := f.tables.Lookup.Snapshot(ctx, id)
	var head table.Head
	switch frozen := (*table.FrozenError)(nil); {
	case err == nil:
		head = snap.Head
	case errors.As(err, &frozen):
		var herr error
		if head, herr = f.tables.Lookup.Head(ctx, id); herr != nil {
			return nil, err // the table cannot be read or shown
		}
	default:
		return nil, err
	}
	if sees, serr := f.Sees(ctx, r, head); serr != nil {
		return nil, serr
	} else if !sees && (r.Where != OnServer || head.Guild == "") && head.Status != table.Over &&
		head.Seat(r.User.ID) != games.Spectator {
		return nil, show.Refuse(text.M("bot.error.elsewhere", "Table", id.String(), "Link", f.BoardLink(ctx, head)))
	} else if !sees {
		return nil, show.Refuse(text.M("table.error.no-table", "Table", id.String()))
	}
	return snap, err
}

// errNoTableHere is the refusal if no unfinished table is in a server's channel. errNoTableOfYours is the refusal if
// none is in the user's direct messages.
var (
	errNoTableHere    = show.Refuse(text.M("bot.error.no-table-here"))
	errNoTableOfYours = show.Refuse(text.M("bot.error.no-table-of-yours"))
)

func noTable(r *Request) error {
	if r.Where == OnServer {
		return errNoTableHere
	}
	return errNoTableOfYours
}

// latestTable finds the table of an interaction as Table does. If there is no unfinished table, it returns the
// finished table of the channel, or of the user's direct messages, that was opened last.
func (f *Finder) latestTable(ctx context.Context, r *Request) (*table.Snapshot, error) {
	snap, err := f.Table(ctx, r)
	if !errors.Is(err, noTable(r)) {
		return snap, err
	}
	ended, lerr := f.last(ctx, r)
	if lerr != nil {
		return nil, lerr
	}
	if ended == 0 {
		return nil, err
	}
	incident.About(ctx, ended.String())
	return f.tables.Lookup.Snapshot(ctx, ended)
}

// CompleteTable suggests unfinished tables of the server or, outside servers, of the user: first those in the channel
// and the user's own.
func (f *Finder) CompleteTable(ctx context.Context, r *Request) []*discordgo.ApplicationCommandOptionChoice {
	heads, err := f.listed(ctx, r, storage.Active)
	if err != nil {
		return nil
	}
	typed := strings.ToLower(strings.TrimPrefix(r.Option("table"), "#"))
	var near, far []*discordgo.ApplicationCommandOptionChoice
	for _, h := range heads {
		name, fits := f.tableName(r, h, typed)
		if !fits || !f.Offered(r, h) {
			continue
		}
		choice := &discordgo.ApplicationCommandOptionChoice{Name: show.Clip(name, show.MaxChoiceName),
			Value: h.ID.String()}
		if h.Channel == r.ChannelID || h.Seat(r.User.ID) != games.Spectator {
			near = append(near, choice)
		} else {
			far = append(far, choice)
		}
	}
	return append(near, far...)
}

// CompleteEnded suggests finished tables of the server or, outside servers, of the user, the latest first.
func (f *Finder) CompleteEnded(ctx context.Context, r *Request) []*discordgo.ApplicationCommandOptionChoice {
	return f.completeTables(ctx, r, nil, storage.Finished)
}

// CompleteAnyTable suggests tables in play of the server or, outside servers, of the user, and then finished ones, the
// latest first.
func (f *Finder) CompleteAnyTable(ctx context.Context, r *Request) []*discordgo.ApplicationCommandOptionChoice {
	return f.completeTables(ctx, r, f.completeTables(ctx, r, nil, storage.Active), storage.Finished)
}

// completeTables adds tables in a phase to a list of choices until it is full. It skips tables without plays.
func (f *Finder) completeTables(ctx context.Context, r *Request, list []*discordgo.ApplicationCommandOptionChoice,
	phase storage.Phase) []*discordgo.ApplicationCommandOptionChoice {
	heads, err := f.listed(ctx, r, phase)
	if err != nil {
		return list
	}
	typed := strings.ToLower(strings.TrimPrefix(r.Option(r.Focused), "#"))
	for _, h := range heads {
		if len(list) == show.MaxChoices {
			break
		}
		if name, ok := f.tableName(r, h, typed); ok && h.Plays > 0 && f.Offered(r, h) {
			list = append(list, &discordgo.ApplicationCommandOptionChoice{Name: show.Clip(name, show.MaxChoiceName),
				Value: h.ID.String()})
		}
	}
	return list
}

// tableName returns the name of a table for a list of choices. ok is false if the name does not contain the typed text,
// or if the table's game is unknown.
func (f *Finder) tableName(r *Request, h table.Head, typed string) (string, bool) {
	g, err := f.games.Find(h.Game)
	if err != nil {
		return "", false
	}
	who := make([]string, len(h.Seats))
	for i, o := range h.Seats {
		who[i] = show.NameOf(o, r.Say).Plain()
	}
	name := fmt.Sprintf("#%s %s: %s", h.ID, r.Say.Say(g.Info().Name), strings.Join(who, ", "))
	return name, strings.Contains(strings.ToLower(name), typed)
}

// completedTables limits the tables that autocomplete and Finder.last search.
const completedTables = 200

// MaxListed limits the tables that are read together, for example for a list.
const MaxListed = 500

// GameLine returns a table's line in a list of tables. It addresses the user only if nobody else sees it.
func (f *Finder) GameLine(ctx context.Context, r *Request, h table.Head) string {
	who := make([]text.Message, len(h.Seats))
	for i, o := range h.Seats {
		who[i] = show.Mention(o)
	}
	where := f.BoardLink(ctx, h) // Discord shows the channel's name with the link
	free := 0
	for i := range h.Seats {
		if table.IsOpen(h, games.Seat(i)) {
			free++
		}
	}
	var state text.Message
	switch {
	case h.Paused != "":
		state = text.M("bot.games.paused")
	case free > 0:
		state = text.M("bot.games.seats", "Count", free)
	}
	args := []any{"Table", h.ID.String(), "Game", f.games.Name(h.Game), "Who", who,
		"Where", text.M("bot.games.where", "Link", where, "State", state),
		"Since", text.Moment(since(h).Time(), text.Relative)}
	switch {
	case h.Status == table.Lobby:
		return r.Say.Say(text.M("bot.games.lobby", append(args, "Count", h.Most-len(h.Seats))...))
	case h.ToMove == h.Seat(r.User.ID) && !r.Everyone():
		return r.Say.Say(text.M("bot.games.yours", args...))
	case h.ToMove >= 0 && int(h.ToMove) < len(h.Seats):
		return r.Say.Say(text.M("bot.games.theirs", append(args, "Mover", show.Mention(h.Seats[h.ToMove]))...))
	}
	return r.Say.Say(text.M("bot.games.theirs", append(args, "Mover", "?")...))
}

// since returns the time from which the table has been waiting for a decision or for players; if that is not known,
// the time of its last change.
func since(h table.Head) table.Stamp {
	switch {
	case h.Status == table.Playing && h.Timing.Turn != 0:
		return h.Timing.Turn
	case h.Status == table.Lobby && h.Opened != 0:
		return h.Opened
	}
	return h.Changed
}

// BoardLink returns a link to a table's latest board, or to its channel if the board's message is not known yet.
func (f *Finder) BoardLink(ctx context.Context, h table.Head) text.Markup {
	if note, err := f.tables.Lookup.Note(ctx, h.ID); err == nil && note != "" {
		return text.Link(h.Guild, h.Channel, show.ParsePosted(note).Board)
	}
	return text.Link(h.Guild, h.Channel, "")
}

// MovedOn returns the refusal of an outdated control, with a link to the current board.
func (f *Finder) MovedOn(ctx context.Context, snap *table.Snapshot) error {
	return show.Refuse(f.MovedOnText(ctx, snap))
}

// MovedOnText returns the sentence that a board is outdated, with a link to the current one.
func (f *Finder) MovedOnText(ctx context.Context, snap *table.Snapshot) text.Message {
	link := show.Place(snap.Head)
	if note, err := f.tables.Lookup.Note(ctx, snap.ID); err == nil && note != "" {
		link = text.Link(snap.Guild, snap.Channel, show.ParsePosted(note).Board)
	}
	return text.M("bot.error.moved-on", "Link", link)
}
