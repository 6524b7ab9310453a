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
	// holdTime is how long an interaction is held: its token lives for 15 minutes.
	// Source: Discord's documentation, topic "Receiving and Responding", section "Followup Messages".
	holdTime = 14 * time.Minute
	// maxTokens bounds how many are held; the latest are.
	maxTokens = 8192
)

// ClickTokens are clicks under messages whose tokens live: with one, its message is edited and another is
// posted in its channel, and neither counts against the limits of the bot's token. A nil ClickTokens keeps
// none.
type ClickTokens struct {
	clock timesource.Clock
	mu    sync.Mutex
	byMsg *simplelru.LRU[string, hold]
}

type hold struct {
	by    *discordgo.Interaction // what a request with its token needs
	until time.Time
}

// NewClickTokens makes ClickTokens that keep nothing.
func NewClickTokens(clock timesource.Clock) *ClickTokens {
	byMsg, _ := simplelru.NewLRU[string, hold](maxTokens, nil) // fails for sizes below 1 alone
	return &ClickTokens{clock: clock, byMsg: byMsg}
}

// Keep keeps a click that was answered by a deferred update, so that its message is the original answer.
func (h *ClickTokens) Keep(i *discordgo.Interaction) {
	if h == nil || i.Message == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	by := &discordgo.Interaction{ID: i.ID, AppID: i.AppID, Token: i.Token, ChannelID: i.ChannelID}
	h.byMsg.Add(i.Message.ID, hold{by, h.clock.Now().Add(holdTime)})
}

// Of is the click that is held under a message of a channel; nil when none is.
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

// Drop holds the click under a message no more: Discord did not take its token.
func (h *ClickTokens) Drop(message string) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.byMsg.Remove(message)
}

// PostBy posts a message that everybody sees with the token of an interaction, and returns its id.
// It is tried once: Discord knows no nonce there, so after an error for which Refused is false the
// message may stand.
func (r Client) PostBy(ctx context.Context, i *discordgo.Interaction, m *show.Message) (id string, err error) {
	body := m.Body()
	body.Nonce, body.EnforceNonce = "", false // its mark stays
	return posted(r.send(ctx, http.MethodPost, discordgo.EndpointWebhookToken(i.AppID, i.Token), body, m.Files,
		discordgo.WithRestRetries(0)))
}

// posted reads the id of a message from the answer to its posting.
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

// Refused reports whether an error is Discord's refusal: nothing was done.
func Refused(err error) bool {
	status := Status(err)
	return status >= 400 && status < 500
}
