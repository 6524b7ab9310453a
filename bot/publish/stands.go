package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/storage"
)

const (
	// page is the number of messages in each request: the maximum that Discord allows.
	page = 100
	// pages is the maximum number of requests in one search.
	pages = 20
	// drift is how far Discord's clock may be behind this machine's. A message can seem older than its events by this
	// much.
	drift = time.Hour
)

// found is a message in a channel. It replaces the library's type, because some of the library's components have no
// field for an id.
type found struct {
	ID     string `json:"id"`
	Author struct {
		ID string `json:"id"`
	} `json:"author"`
	Components []component `json:"components"`
}

type component struct {
	ID         int         `json:"id"`
	CustomID   string      `json:"custom_id"`
	Components []component `json:"components"`
}

// mark returns the number that show.Mark derived from the message's nonce; 0 if the message has none.
func (f found) mark() int {
	if len(f.Components) == 0 || f.Components[0].ID < 1<<30 {
		return 0
	}
	return f.Components[0].ID
}

// version returns the highest version of a table in the custom_ids of controls; 0 if there is none.
func version(list []component, table string) (highest int) {
	for _, c := range list {
		if id, ok := show.ParseCustomID(c.CustomID); ok && id.Table == table {
			highest = max(highest, id.Version)
		}
		highest = max(highest, version(c.Components, table))
	}
	return highest
}

// read reads one page of a channel's messages after an id. It returns the bot's own messages that have a mark, the id
// of the last message, and whether there may be more. It returns no messages without the permission Read Message
// History, or if Discord refuses for another reason that does not prevent posting. It returns an error if the search
// must be repeated, or if an obstacle must be removed first.
func (rm *Room) read(ctx context.Context, channel string,
	after uint64) (ours []found, last uint64, more bool, err error) {
	endpoint := discordgo.EndpointChannelMessages(channel)
	query := fmt.Sprintf("?limit=%d&after=%d", page, after)
	raw, err := rm.session.RequestWithBucketID(http.MethodGet, endpoint+query, nil, endpoint,
		discordgo.WithContext(ctx))
	if err != nil {
		return nil, after, false, unlessRefused(err)
	}
	if err := json.Unmarshal(raw, &ours); err != nil {
		return nil, after, false, err
	}
	last, more = after, len(ours) == page
	for _, m := range ours {
		id, _ := strconv.ParseUint(m.ID, 10, 64)
		last = max(last, id)
	}
	ours = slices.DeleteFunc(ours, func(m found) bool { return m.mark() == 0 })
	if len(ours) == 0 {
		return nil, last, more, nil
	}
	self, err := rm.whoWeAre(ctx)
	return slices.DeleteFunc(ours, func(m found) bool { return m.Author.ID != self }), last, more, err
}

// stands searches a channel for the message with a table's events, and returns its id. It returns "" if there is no
// such message, or if it cannot search, for example without the permission Read Message History. The search is needed
// because a process may have been killed after Discord accepted a message and before that was recorded. The nonce
// prevents a duplicate only for a few minutes.
//
// The search begins after the last known board, but no earlier than drift before the last event.
//
// It returns an error if the search must be repeated, or if an obstacle must be removed first.
func (rm *Room) stands(ctx context.Context, n table.News, channel string, m *show.Message) (id string, err error) {
	after := snowflake(n.Events[len(n.Events)-1].At.Time().Add(-drift))
	if last := show.ParsePosted(n.Note); last.Channel == channel {
		board, _ := strconv.ParseUint(last.Board, 10, 64)
		after = max(after, board)
	}
	return rm.find(ctx, channel, after, m.Nonce)
}

// Stands searches a channel for a message of the bot with a nonce, beginning drift before since. It returns the
// message's id; "" if there is none or the channel cannot be searched. It returns an error if the search must be
// repeated, or if an obstacle must be removed first.
func (rm *Room) Stands(ctx context.Context, channel, nonce string, since time.Time) (id string, err error) {
	return rm.find(ctx, channel, snowflake(since.Add(-drift)), nonce)
}

// find searches the messages after an id for a message of the bot with a nonce.
func (rm *Room) find(ctx context.Context, channel string, after uint64, nonce string) (id string, err error) {
	for range pages {
		messages, last, more, err := rm.read(ctx, channel, after)
		if err != nil {
			return "", err
		}
		for _, f := range messages {
			if f.mark() == show.Mark(nonce) {
				return f.ID, nil
			}
		}
		if after = last; !more {
			break
		}
	}
	return "", nil
}

// snowflake returns the lowest id that Discord can create at a time. Source: Discord's documentation, topic
// "Reference", section "Snowflakes".
func snowflake(at time.Time) uint64 {
	const epoch = 1420070400000
	return uint64(max(at.UnixMilli()-epoch, 0)) << 22
}

// maxLooked is the maximum number of remembered tables whose channels were searched.
const maxLooked = 10_000

// look checks whether the channel shows a later version of the table than the last published one. If so, the store was
// restored to an earlier state, and look records this at the table. For each table it searches one page from the last
// known board on, once after the program's start, and when the game begins. It does not count messages for the same
// events from a process that was killed before it could record them, nor a restoration that the table reports itself
// (storage.Recovered).
func (rm *Room) look(ctx context.Context, n table.News) error {
	if !rm.looks(n) {
		return nil
	}
	board, _ := strconv.ParseUint(show.ParsePosted(n.Note).Board, 10, 64)
	messages, _, _, err := rm.read(ctx, n.Channel, max(board, 1)-1)
	if err != nil {
		return err
	}
	rm.hasLooked(n.ID)
	for _, f := range messages {
		later := version(f.Components, n.ID.String())
		ours := slices.ContainsFunc(n.Keys(), func(key string) bool { return show.Mark(key) == f.mark() })
		if uint64(later) <= n.Since || ours {
			continue
		}
		noted, err := rm.tables.PutBack(ctx, n.ID, n.Since, uint64(later))
		if noted {
			rm.log.ErrorContext(ctx,
				"a channel knows a later version of a table than the database, which was put back to an earlier state; the game counts nowhere now",
				"table", n.ID, "known", n.Since, "channel's", later, "message", f.ID)
		}
		return err
	}
	return nil
}

// looks reports whether look must search a table's channel. Tables of which nothing was published have no messages
// there.
func (rm *Room) looks(n table.News) bool {
	if n.Since == 0 || slices.ContainsFunc(n.Events, func(e table.Event) bool {
		return e.Kind == storage.Recovered || e.Kind == storage.PutBack
	}) {
		return false
	}
	rm.lookedMu.Lock()
	defer rm.lookedMu.Unlock()
	_, before := rm.looked[n.ID]
	return !before || startedNow(n)
}

// hasLooked records that look has searched a table's channel.
func (rm *Room) hasLooked(id table.ID) {
	rm.lookedMu.Lock()
	defer rm.lookedMu.Unlock()
	if len(rm.looked) >= maxLooked {
		clear(rm.looked)
	}
	rm.looked[id] = struct{}{}
}

// unlessRefused returns nil if err means that Discord does not show a channel's messages to the bot, although the bot
// can post there. It returns other errors unchanged.
func unlessRefused(err error) error {
	if status := rest.Status(err); rest.Code(err) == rest.CodeMissingPermissions || status == http.StatusBadRequest {
		return nil
	}
	return err
}

// whoWeAre returns the id of the bot's user. For some bots it differs from the application's id.
func (rm *Room) whoWeAre(ctx context.Context) (string, error) {
	if id := rm.self.Load(); id != nil {
		return *id, nil
	}
	user, err := rm.session.User("@me", discordgo.WithContext(ctx))
	if err != nil {
		return "", err
	}
	rm.self.Store(&user.ID)
	return user.ID, nil
}
