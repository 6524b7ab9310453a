package storage

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

const (
	// MaxWebhook bounds the address of a webhook, in bytes.
	MaxWebhook = 400
	// MaxWebhookCalls bounds the calls of a user that wait to be sent.
	MaxWebhookCalls = 20
)

// Secret is text that is shown nowhere: printed and logged it says only that it is there. The store has it in plain
// text.
type Secret string

// Reveal is the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String keeps the secret out of logs and errors.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[secret]"
}

// Format is String for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue is String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Webhook is where a user's own programs hear that a table waits for the user. A user without one
// has the zero Webhook.
type Webhook struct {
	Address Secret        `json:"a"`
	Key     Secret        `json:"k"`           // signs the calls
	Failed  int           `json:"f,omitempty"` // failed calls in a row
	Retry   Stamp         `json:"r,omitempty"` // nothing is sent before, because it failed
	Calls   []WebhookCall `json:"c,omitempty"` // to be sent, the oldest first; at most MaxWebhookCalls
}

// LogValue keeps the secrets out of logs.
func (w Webhook) LogValue() slog.Value { return slog.StringValue(w.Address.String()) }

// WebhookCall is one call of a webhook that waits to be sent.
type WebhookCall struct {
	ID    string `json:"i"` // by which the other side knows a call that it got before
	At    Stamp  `json:"t"`
	Event string `json:"e"`
	Table ID     `json:"n,omitempty"`
	// its subject where that is no table: the competition's number, or 0
	Server      string `json:"s,omitempty"`
	Channel     string `json:"h,omitempty"`
	Competition uint64 `json:"c,omitempty"`
}

// check returns ErrInvalid for what cannot be kept.
func (w Webhook) check() error {
	if len(w.Address) > MaxWebhook || w.Key == "" || len(w.Calls) > MaxWebhookCalls {
		return fmt.Errorf("%w: a webhook", ErrInvalid)
	}
	for _, c := range w.Calls {
		if c.ID == "" || len(c.ID) > MaxKey {
			return fmt.Errorf("%w: the call %q of a webhook", ErrInvalid, c.ID)
		}
	}
	return nil
}

// webhookEntries find a user by when the oldest call is sent.
func webhookEntries(k key, w Webhook) []entry {
	if len(w.Calls) == 0 {
		return nil
	}
	return []entry{{webhooksDue, key{moment: max(1, w.Retry, w.Calls[0].At), user: k.user}, nil}}
}

// Webhook is a user's.
func (s *Store) Webhook(ctx context.Context, user string) (Webhook, error) {
	w, _, err := webhooks.get1(ctx, s, key{user: user})
	return w, err
}

// ChangeWebhook stores a user's webhook as change returns it; without an address there is none. change may be called
// more than once. ChangeWebhook returns ErrInvalid for a value that cannot be kept.
func (s *Store) ChangeWebhook(ctx context.Context, user string, change func(Webhook) Webhook) error {
	if err := CheckName(user); err != nil {
		return err
	}
	return webhooks.revise(ctx, s, key{user: user}, func(before Webhook) (Webhook, bool, error) {
		before.Calls = slices.Clone(before.Calls)
		after := change(before)
		if after.Address == "" {
			return after, false, nil
		}
		return after, true, after.check()
	})
}

// WebhooksDue lists the users with a call due until a moment, the longest due first.
func (s *Store) WebhooksDue(ctx context.Context, until Stamp, limit int) (users []string, err error) {
	return s.usersUntil(ctx, webhooksDue, until, limit)
}
