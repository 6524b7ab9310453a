// Package rest sends messages to Discord, and interprets Discord's errors.
package rest

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/show"
)

// Client sends the bot's messages. It bypasses discordgo's rate limiter, in which edits of answers would share one lock
// for the whole session, and waiting edits of one message could not be merged. The HTTP client of the session has a
// Budget, which respects Discord's limits.
type Client struct {
	Session *discordgo.Session
	Clicks  *ClickTokens // clicks whose tokens can be used; may be nil
}

// Timeout limits the duration of one request from when it is sent.
const Timeout = 15 * time.Second

// send sends one request. It uses a bucket of a new discordgo rate limiter, which delays nothing.
func (r Client) send(ctx context.Context, method, endpoint string, payload any, files []*discordgo.File,
	options ...discordgo.RequestOption) ([]byte, error) {
	contentType, data, err := encode(payload, files)
	if err != nil {
		return nil, err
	}
	if kindOf(ctx) >= Cards { // the callers retry these kinds of requests later
		options = append(options, discordgo.WithRetryOnRatelimit(false))
	}
	bucket := discordgo.NewRatelimiter().LockBucket("")
	return r.Session.RequestWithLockedBucket(method, endpoint, contentType, data, bucket, 0,
		append(options, discordgo.WithContext(ctx))...)
}

func encode(payload any, files []*discordgo.File) (contentType string, data []byte, err error) {
	if payload == nil {
		return "", nil, nil
	}
	if len(files) > 0 {
		for _, f := range files {
			if seeker, ok := f.Reader.(*bytes.Reader); ok {
				seeker.Seek(0, 0) // a file may be sent for the second time
			}
		}
		return discordgo.MultipartBodyWithJSON(payload, files)
	}
	data, err = json.Marshal(payload)
	return "application/json", data, err
}

// sendTwice sends a request that may be repeated. If the outcome of the first attempt is unknown, it sends the request
// again.
func (r Client) sendTwice(ctx context.Context, method, endpoint string, payload any, files []*discordgo.File) error {
	_, err := r.send(ctx, method, endpoint, payload, files)
	if Unsure(err) && ctx.Err() == nil {
		_, err = r.send(ctx, method, endpoint, payload, files)
	}
	return err
}

// Callback is the first answer to an interaction.
type Callback struct {
	Type discordgo.InteractionResponseType `json:"type"`
	Data any                               `json:"data,omitempty"`
}

// Respond sends the first answer to an interaction: a message, an update of the message that was clicked, a modal,
// choices, or a promise to answer later. Its error has CodeAcknowledged if the interaction already has an answer. This
// may be the same answer, because Respond sends it again if the connection breaks before Discord replies.
func (r Client) Respond(ctx context.Context, i *discordgo.Interaction, cb Callback, files []*discordgo.File) error {
	return r.sendTwice(ctx, http.MethodPost, discordgo.EndpointInteractionResponse(i.ID, i.Token), cb, files)
}

// Launch answers an interaction by opening the application's Activity for its user. It returns the id of the Activity's
// instance that the user joins. Its error has CodeAcknowledged if the interaction already has an answer. Source:
// Discord's documentation, "Receiving and Responding", section "Interaction Callback".
func (r Client) Launch(ctx context.Context, i *discordgo.Interaction) (instance string, err error) {
	b, err := r.send(ctx, http.MethodPost, discordgo.EndpointInteractionResponse(i.ID, i.Token)+"?with_response=true",
		Callback{Type: launchActivity}, nil)
	if err != nil {
		return "", err
	}
	var said struct {
		Interaction struct {
			Instance string `json:"activity_instance_id"`
		} `json:"interaction"`
		Resource struct {
			Instance struct {
				ID string `json:"id"`
			} `json:"activity_instance"`
		} `json:"resource"`
	}
	if err := json.Unmarshal(b, &said); err != nil {
		return "", err
	}
	return cmp.Or(said.Resource.Instance.ID, said.Interaction.Instance), nil
}

// launchActivity is a response type that discordgo does not know.
const launchActivity discordgo.InteractionResponseType = 12

// EditOriginal replaces the first answer to an interaction, which may be a promise to answer later.
func (r Client) EditOriginal(ctx context.Context, i *discordgo.Interaction, m *show.Message) error {
	return r.sendTwice(ctx, http.MethodPatch, discordgo.EndpointWebhookMessage(i.AppID, i.Token, original), m.Body(),
		m.Files)
}

// DeleteOriginal deletes the first answer to an interaction.
func (r Client) DeleteOriginal(ctx context.Context, i *discordgo.Interaction) error {
	return r.deleteAnswer(ctx, i, original)
}

// original stands for the id of the first answer to an interaction, or of the message that this answer updated.
const original = "@original"

// deleteAnswer deletes a message that was sent as an answer to an interaction.
func (r Client) deleteAnswer(ctx context.Context, i *discordgo.Interaction, message string) error {
	_, err := r.send(ctx, http.MethodDelete, discordgo.EndpointWebhookMessage(i.AppID, i.Token, message), nil, nil)
	return err
}

// FollowUp sends another message in answer to an interaction, and returns its id.
func (r Client) FollowUp(ctx context.Context, i *discordgo.Interaction, m *show.Message) (id string, err error) {
	return posted(r.send(ctx, http.MethodPost, discordgo.EndpointWebhookToken(i.AppID, i.Token), m.Body(), m.Files))
}

// Post sends a message to a channel and returns its id. It combines the nonce of the message with the channel, because
// Discord may treat messages with the same nonce in two channels as one message.
func (r Client) Post(ctx context.Context, channel string, m *show.Message) (id string, err error) {
	body := m.Body()
	if m.Nonce != "" {
		sum := sha256.Sum256([]byte(channel + " " + m.Nonce))
		body.Nonce = hex.EncodeToString(sum[:12])
	}
	return posted(r.send(ctx, http.MethodPost, discordgo.EndpointChannelMessages(channel), body, m.Files))
}

// Edit replaces a message of the bot in a channel. It pings nobody. If a later edit of the message is requested before
// this one is sent, only the later one is sent.
func (r Client) Edit(ctx context.Context, channel, id string, m *show.Message) error {
	_, err := r.send(ctx, http.MethodPatch, discordgo.EndpointChannelMessage(channel, id), m.Body(), m.Files)
	return err
}

// Delete deletes a message in a channel. It returns no error if the message or the channel does not exist, or if the
// bot may not delete the message.
func (r Client) Delete(ctx context.Context, channel, id string) error {
	_, err := r.send(ctx, http.MethodDelete, discordgo.EndpointChannelMessage(channel, id), nil, nil)
	if status := Status(err); status == http.StatusNotFound || status == http.StatusForbidden {
		return nil
	}
	return err
}

var errNoID = errors.New("no message id")
