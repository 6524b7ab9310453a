package publish

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/rest"
	"marque/bot/show"
)

// latest is how many of a channel's latest messages are looked through: the most that Discord gives
// at once.
const latest = 100

// stands looks for a message of ours among the latest of a channel, and returns its id; "" when it
// is not there or cannot be looked for. Whoever was killed after Discord had taken a message, and
// before they could note that, has told it; its nonce keeps it from being posted twice for a few
// minutes only. Without the permission Read Message History Discord shows no messages.
//
// It returns an error when looking again, or what keeps us from it, has to come first.
func (rm *Room) stands(ctx context.Context, channel string, m *show.Message) (id string, err error) {
	endpoint := discordgo.EndpointChannelMessages(channel)
	raw, err := rm.session.RequestWithBucketID(http.MethodGet, endpoint+"?limit="+strconv.Itoa(latest), nil, endpoint, discordgo.WithContext(ctx))
	if err != nil {
		return "", unlessRefused(err)
	}
	// Ours, because the library reads no ids of components.
	var messages []struct {
		ID     string `json:"id"`
		Author struct {
			ID string `json:"id"`
		} `json:"author"`
		Components []struct {
			ID int `json:"id"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &messages); err != nil {
		return "", err
	}
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
