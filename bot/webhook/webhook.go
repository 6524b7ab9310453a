// Package webhook calls users' programs when a table or a competition waits for the users. It sends a signed request to
// an address that the user chose, as specified by Standard Webhooks (standardwebhooks.com). Unless Config.Through is
// set, it connects only to public addresses. It follows no redirect.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"time"

	"marque/bot/table"
	"marque/bot/timesource"
	"marque/games/text"
	"marque/storage"
)

const (
	// lookPause is how long after a check for due calls Keep makes the next one, unless it is woken or still busy.
	lookPause = 15 * time.Second
	// atOnce is the maximum number of concurrent calls.
	atOnce = 16
)

// errGone is returned if the receiver wants no more calls.
var errGone = errors.New("the webhook is gone")

// Outcome is the result of trying a call.
type Outcome string

// The possible outcomes of a call.
const (
	Taken   Outcome = "taken"   // the receiver has accepted the call
	Failed  Outcome = "failed"  // the call will be retried later
	Refused Outcome = "refused" // the address is not public or belongs to Discord; the call will be retried later
	Limited Outcome = "limited" // a limit of calls was reached; the call will be sent later
	Gone    Outcome = "gone"    // the receiver wants no more calls; the webhook was removed
)

// Config holds the dependencies and settings of a Caller.
type Config struct {
	Calls *Service
	Clock timesource.Clock
	Log   *slog.Logger
	// Through sends the requests. If it is nil, a transport is used that connects only to public addresses.
	Through http.RoundTripper
	// Outcome, if set, is called with the outcome of each attempt to make a call.
	Outcome func(Outcome)
}

// Caller sends the due calls of users' webhooks.
type Caller struct {
	Config
	client http.Client
	limits limits

	mu   sync.Mutex
	busy map[string]bool // users with a call in progress
}

// New returns a Caller. It makes no calls before Keep.
func New(c Config) *Caller {
	made := &Caller{Config: c, busy: map[string]bool{}}
	if c.Through == nil {
		c.Through = overPublic(func(to netip.Addr) bool { return made.limits.dial(c.Clock.Now(), to) })
	}
	made.client = http.Client{Transport: c.Through, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return made
}

// Keep makes users' calls when they are due, until ctx ends.
func (c *Caller) Keep(ctx context.Context) {
	var calling sync.WaitGroup
	defer calling.Wait()
	slots := make(chan struct{}, atOnce)
	for ctx.Err() == nil {
		users, looked, err := c.Calls.Due(ctx)
		if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			c.Log.ErrorContext(ctx, "whose webhook is to be called cannot be read; trying again", "error", err)
		}
		for _, user := range users {
			if !c.take(user) {
				continue
			}
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
				return
			}
			calling.Go(func() {
				defer func() { <-slots }()
				done := c.call(ctx, user)
				c.leave(user)
				if done {
					c.Calls.Wake() // for calls that were scheduled during this one
				}
			})
		}
		c.Calls.Wait(ctx, looked, lookPause)
	}
}

// take marks a user as busy, and reports whether the user was free.
func (c *Caller) take(user string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy[user] {
		return false
	}
	c.busy[user] = true
	return true
}

func (c *Caller) leave(user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.busy, user)
}

// call sends a user's due calls, in order, until one fails or none is left. done reports whether none is left.
func (c *Caller) call(ctx context.Context, user string) (done bool) {
	for {
		next, err := c.Calls.Next(ctx, user)
		var failed error
		if err == nil && next != nil {
			var until time.Time
			if until, failed = c.try(ctx, user, next); ctx.Err() != nil {
				return false
			}
			c.report(failed)
			if errors.Is(failed, errLimit) {
				err = c.Calls.Defer(ctx, user, storage.At(until))
			} else {
				err = c.Calls.Sent(ctx, user, next.ID, failed)
			}
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, table.ErrClosing) {
			c.Log.ErrorContext(ctx, "a webhook could not be called; trying again", "error", err)
		}
		if failed != nil {
			c.Log.InfoContext(ctx, "somebody's webhook did not take a call", "reason", failed)
		}
		if err != nil || failed != nil || next == nil {
			return err == nil && failed == nil
		}
	}
}

// try sends a call within the limits. If failed is errLimit, until is the time of the next attempt.
func (c *Caller) try(ctx context.Context, user string, call *Call) (until time.Time, failed error) {
	to, err := url.Parse(call.Address.Reveal())
	if err != nil {
		return time.Time{}, errors.New("no address")
	}
	host := hostOf(to.Hostname())
	if allowed(host) != nil { // an earlier version can have stored the address
		return time.Time{}, errNotPublic
	}
	until, ok := c.limits.take(c.Clock.Now(), user, host)
	if !ok {
		return until, errLimit
	}
	if failed = c.send(ctx, call); failed != nil {
		c.limits.failed(c.Clock.Now(), user, host)
	}
	return c.Clock.Now().Add(window), failed
}

func (c *Caller) report(failed error) {
	o := Taken
	switch {
	case errors.Is(failed, errLimit):
		o = Limited
	case errors.Is(failed, errGone):
		o = Gone
	case errors.Is(failed, errNotPublic):
		o = Refused
	case failed != nil:
		o = Failed
	}
	if c.Outcome != nil {
		c.Outcome(o)
	}
}

// body is the JSON body of a call.
type body struct {
	ID    string `json:"id"`
	Event string `json:"event"`
	At    string `json:"at"`              // time in RFC 3339 format
	Game  string `json:"game,omitempty"`  // key of the game
	Table uint64 `json:"table,omitempty"` // number of the table
	Cup   uint64 `json:"competition,omitempty"`
	URL   string `json:"url,omitempty"` // address of the channel
}

func (c *Caller) send(ctx context.Context, call *Call) error {
	b := body{ID: call.ID, Event: call.Event, At: call.At.Time().UTC().Format(time.RFC3339)}
	if call.Channel != "" {
		b.Game, b.Table, b.Cup = call.Game, uint64(call.Table), call.Competition
		b.URL = text.Link(call.Server, call.Channel, "").String()
	}
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, call.Address.Reveal(), bytes.NewReader(data))
	if err != nil {
		return errors.New("no address")
	}
	now := strconv.FormatInt(time.Now().Unix(), 10)
	signature, err := sign(call.Key, call.ID, now, data)
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("User-Agent", "marque")
	q.Header.Set("Webhook-Id", call.ID)
	q.Header.Set("Webhook-Timestamp", now)
	q.Header.Set("Webhook-Signature", signature)
	a, err := c.client.Do(q)
	if err == nil {
		a.Body.Close()
	}
	return answered(a, err)
}

// sign returns a request's signature, as specified by Standard Webhooks 1.0.
func sign(key storage.Secret, id, at string, data []byte) (string, error) {
	secret, err := base64.StdEncoding.DecodeString(key.Reveal())
	if err != nil {
		return "", errors.New("a key that is none")
	}
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, data)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}
