package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"marque/bot/show"
	"marque/bot/timesource"
)

const (
	// holdTime is how long the token of a kept click or private message is used; Discord accepts it for 15 minutes.
	// Source: Discord's documentation, topic "Receiving and Responding", section "Followup Messages".
	holdTime = 14 * time.Minute
	// maxTokens is the maximum number of clicks in a ClickTokens, and of entries in an Ephemerals. A new one beyond
	// that number replaces an old one.
	maxTokens = 8192
)

// ClickTokens keeps clicks whose tokens are still valid. With the token of a click, the bot can edit the message that
// was clicked and post another message in its channel. Neither counts against the limits of the bot's token. A nil
// ClickTokens keeps no clicks.
type ClickTokens struct {
	clock timesource.Clock
	mu    sync.Mutex
	byMsg *simplelru.LRU[string, hold]
}

type hold struct {
	by    *discordgo.Interaction // the parts of the interaction that a request with its token needs
	until time.Time
}

// NewClickTokens returns ClickTokens without clicks.
func NewClickTokens(clock timesource.Clock) *ClickTokens {
	byMsg, _ := simplelru.NewLRU[string, hold](maxTokens, nil) // fails only if the size is below 1
	return &ClickTokens{clock: clock, byMsg: byMsg}
}

// Keep keeps a click that was answered by a deferred update, which makes its message the original answer.
func (h *ClickTokens) Keep(i *discordgo.Interaction) {
	if h == nil || i.Message == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	by := &discordgo.Interaction{ID: i.ID, AppID: i.AppID, Token: i.Token, ChannelID: i.ChannelID}
	h.byMsg.Add(i.Message.ID, hold{by, h.clock.Now().Add(holdTime)})
}

// Of returns the click that is kept for a message in a channel, or nil.
func (h *ClickTokens) Of(channel, message string) *discordgo.Interaction {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	held, ok := h.byMsg.Peek(message)
	if !ok || held.by.ChannelID != channel || !h.clock.Now().Before(held.until) {
		return nil
	}
	return held.by
}

// Drop drops the click that is kept for a message.
func (h *ClickTokens) Drop(message string) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.byMsg.Remove(message)
}

// PostBy posts a public message with the token of an interaction, and returns the id of the message. It does not retry
// after a server error, because Discord accepts no nonce here. After an error for which Refused is false, the message
// may have been posted.
func (r Client) PostBy(ctx context.Context, i *discordgo.Interaction, m *show.Message) (id string, err error) {
	body := m.Body()
	body.Nonce, body.EnforceNonce = "", false // only the request has no nonce; the nonce's mark in the message stays
	return posted(r.send(ctx, http.MethodPost, discordgo.EndpointWebhookToken(i.AppID, i.Token), body, m.Files,
		discordgo.WithRestRetries(0)))
}

// posted returns the id of a new message from Discord's answer.
func posted(answer []byte, err error) (id string, _ error) {
	if err != nil {
		return "", err
	}
	var sent struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(answer, &sent); err != nil || sent.ID == "" {
		return "", fmt.Errorf("a message was posted but its answer cannot be read: %w", errors.Join(err, errNoID))
	}
	return sent.ID, nil
}

// Refused reports whether Discord has refused a request, so that nothing was done.
func Refused(err error) bool {
	status := Status(err)
	return status >= 400 && status < 500
}
