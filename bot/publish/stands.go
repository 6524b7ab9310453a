package publish

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
)

const (
	// page is how many messages are looked through at once: the most that Discord gives.
	page = 100
	// pages is how many of them are looked through at most.
	pages = 20
	// drift is how much earlier than the news, by this machine's clock, their message may be by Discord's.
	drift = time.Hour
)

// posted is what is read of a message. The library reads no ids of components.
type posted struct {
	ID     string `json:"id"`
	Author struct {
		ID string `json:"id"`
	} `json:"author"`
	Components []struct {
		ID int `json:"id"`
	} `json:"components"`
}

// stands looks for a message of a table's news in a channel, and returns its id; "" when it
// is not there or cannot be looked for. Whoever was killed after Discord had taken a message, and
// before they could note that, has told it; its nonce keeps it from being posted twice for a few
// minutes only. Without the permission Read Message History Discord shows no messages.
//
// However long that is ago and whatever was said since, it is behind the last board that is known, and about as old as the news.
//
// It returns an error when looking again, or what keeps us from it, has to come first.
func (rm *Room) stands(ctx context.Context, n table.News, channel string, m *show.Message) (id string, err error) {
	endpoint := discordgo.EndpointChannelMessages(channel)
	after := snowflake(n.Events[len(n.Events)-1].At.Time().Add(-drift))
	if last := show.ParsePosted(n.Note); last.Channel == channel {
		board, _ := strconv.ParseUint(last.Board, 10, 64)
		after = max(after, board)
	}
	for range pages {
		query := fmt.Sprintf("?limit=%d&after=%d", page, after)
		raw, err := rm.session.RequestWithBucketID(http.MethodGet, endpoint+query, nil, endpoint, discordgo.WithContext(ctx))
		if err != nil {
			return "", unlessRefused(err)
		}
		var messages []posted
		if err := json.Unmarshal(raw, &messages); err != nil {
			return "", err
		}
		if id, err := rm.ours(ctx, messages, m); id != "" || err != nil || len(messages) < page {
			return id, err
		}
		for _, found := range messages {
			at, _ := strconv.ParseUint(found.ID, 10, 64)
			after = max(after, at)
		}
	}
	return "", nil
}

// snowflake is the least id of what is made at a time.
// Source: Discord's documentation, topic "Reference", section "Snowflakes".
func snowflake(at time.Time) uint64 {
	const epoch = 1420070400000
	return uint64(max(at.UnixMilli()-epoch, 0)) << 22
}

// ours is the id of a message among those of a channel; "" when it is none of them.
func (rm *Room) ours(ctx context.Context, messages []posted, m *show.Message) (id string, err error) {
	mark := show.Mark(m.Nonce)
	for _, found := range messages {
		if len(found.Components) == 0 || found.Components[0].ID != mark {
			continue
		}
		self, err := rm.whoWeAre(ctx)
		if err != nil {
			return "", err
		}
		if found.Author.ID == self {
			return found.ID, nil
		}
	}
	return "", nil
}

// unlessRefused is nil for errors by which Discord refuses to show messages of a channel that may
// take one all the same.
func unlessRefused(err error) error {
	if status := rest.Status(err); rest.Code(err) == rest.CodeMissingPermissions || status == http.StatusBadRequest {
		return nil
	}
	return err
}

// whoWeAre is the id of our own user, which is not the application's with every bot.
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
