package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/bwmarrin/discordgo"
)

// rest sends what the bot says. Answers to interactions go round two faults of the library: its
// edits take one lock for the whole session, and its rate limiter keeps a bucket for every
// interaction for ever. Discord does not count them against the limits anyway.
type rest struct {
	session *discordgo.Session
}

// requestTimeout bounds one request, retries by the library included.
const requestTimeout = 15 * time.Second

// interaction sends one request that belongs to an interaction's token, with a rate limit bucket of its own.
func (r rest) interaction(ctx context.Context, method, endpoint string, payload any, files []*discordgo.File) ([]byte, error) {
	contentType, data, err := encode(payload, files)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	bucket := discordgo.NewRatelimiter().LockBucket("interaction")
	return r.session.RequestWithLockedBucket(method, endpoint, contentType, data, bucket, 0, discordgo.WithContext(ctx))
}

func encode(payload any, files []*discordgo.File) (contentType string, data []byte, err error) {
	if payload == nil {
		return "", nil, nil
	}
	if len(files) > 0 {
		for _, f := range files {
			if seeker, ok := f.Reader.(*bytes.Reader); ok {
				seeker.Seek(0, 0) // a message may be sent again
			}
		}
		return discordgo.MultipartBodyWithJSON(payload, files)
	}
	data, err = json.Marshal(payload)
	return "application/json", data, err
}

// callback is the first answer to an interaction.
type callback struct {
	Type discordgo.InteractionResponseType `json:"type"`
	Data any                               `json:"data,omitempty"`
}

// Respond sends the first answer to an interaction: a message, an update of the message that
// the interaction came from, a modal, choices, or a promise to answer later.
func (r rest) respond(ctx context.Context, i *discordgo.Interaction, cb callback, files []*discordgo.File) error {
	_, err := r.interaction(ctx, http.MethodPost, discordgo.EndpointInteractionResponse(i.ID, i.Token), cb, files)
	return err
}

// editOriginal replaces what the first answer to the interaction showed, or what it was put off with.
func (r rest) editOriginal(ctx context.Context, i *discordgo.Interaction, m *message) error {
	_, err := r.interaction(ctx, http.MethodPatch, discordgo.EndpointWebhookMessage(i.AppID, i.Token, "@original"), m.body(), m.files)
	return err
}

// deleteOriginal takes back the first answer to the interaction.
func (r rest) deleteOriginal(ctx context.Context, i *discordgo.Interaction) error {
	_, err := r.interaction(ctx, http.MethodDelete, discordgo.EndpointWebhookMessage(i.AppID, i.Token, "@original"), nil, nil)
	return err
}

// followUp adds a message to the answer of an interaction.
func (r rest) followUp(ctx context.Context, i *discordgo.Interaction, m *message) error {
	_, err := r.interaction(ctx, http.MethodPost, discordgo.EndpointWebhookToken(i.AppID, i.Token), m.body(), m.files)
	return err
}

// post sends a message to a channel and returns its id. The library's rate limiter is shared by all of them.
func (r rest) post(ctx context.Context, channel string, m *message) (id string, err error) {
	contentType, data, err := encode(m.body(), m.files)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	endpoint := discordgo.EndpointChannelMessages(channel)
	answer, err := r.session.RequestRaw(http.MethodPost, endpoint, contentType, data, endpoint, 0, discordgo.WithContext(ctx))
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

// edit replaces a message of ours in a channel. It pings nobody.
func (r rest) edit(ctx context.Context, channel, id string, m *message) error {
	contentType, data, err := encode(m.body(), m.files)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	_, err = r.session.RequestRaw(http.MethodPatch, discordgo.EndpointChannelMessage(channel, id), contentType, data, discordgo.EndpointChannelMessage(channel, ""), 0, discordgo.WithContext(ctx))
	return err
}

var errNoID = errors.New("no message id")

// discordCode is the error code in Discord's answer (10003 unknown channel, 50013 missing permissions); 0 when err has none.
func discordCode(err error) int {
	var re *discordgo.RESTError
	if errors.As(err, &re) && re.Message != nil {
		return re.Message.Code
	}
	return 0
}

// httpStatus is the status of Discord's answer; 0 when err has none.
func httpStatus(err error) int {
	var re *discordgo.RESTError
	if errors.As(err, &re) && re.Response != nil {
		return re.Response.StatusCode
	}
	return 0
}

// scrub keeps the URL of a failed request, which holds the interaction's token, out of errors.
func scrub(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return fmt.Errorf("%s: %w", ue.Op, ue.Err)
	}
	var re *discordgo.RESTError
	if errors.As(err, &re) {
		return fmt.Errorf("discord answered %d (code %d): %s", httpStatus(err), discordCode(err), clip(string(re.ResponseBody), 500))
	}
	return err
}
