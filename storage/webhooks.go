package storage

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

const (
	// MaxWebhook is the maximum length of a webhook's URL, in bytes.
	MaxWebhook = 400
	// MaxWebhookCalls is the maximum number of unsent calls of a user's webhook.
	MaxWebhookCalls = 20
)

// Secret is text that logs and errors do not show. The store keeps it in plain text.
type Secret string

// Reveal returns the secret text itself.
func (s Secret) Reveal() string { return string(s) }

// String returns "[secret]", or "" if no secret is set, so that the secret does not appear in logs and errors.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[secret]"
}

// Format hides the secret in the output of package fmt.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.String()) }

// LogValue hides the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Webhook is a program of a user that is called about the user's tables and competitions. The zero Webhook stands for
// none.
type Webhook struct {
	Address Secret        `json:"a"`
	Key     Secret        `json:"k"`           // key that signs the calls
	Failed  int           `json:"f,omitempty"` // number of failed calls in a row
	Retry   Stamp         `json:"r,omitempty"` // earliest time of the next call, after a failure or a delay; 0 for none
	Calls   []WebhookCall `json:"c,omitempty"` // unsent calls, oldest first; at most MaxWebhookCalls
}

// LogValue keeps the address and the key out of logs.
func (w Webhook) LogValue() slog.Value { return slog.StringValue(w.Address.String()) }

// WebhookCall is an unsent call of a webhook.
type WebhookCall struct {
	ID    string `json:"i"` // lets the receiver recognise a repeated call
	At    Stamp  `json:"t"`
	Event string `json:"e"`
	Table ID     `json:"n,omitempty"`
	// Server, channel and number of the competition, for a call about a competition.
	Server      string `json:"s,omitempty"`
	Channel     string `json:"h,omitempty"`
	Competition uint64 `json:"c,omitempty"`
}

// check returns ErrInvalid for a webhook that cannot be stored.
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

// webhookEntries lists a user by the moment at which the next call is due.
func webhookEntries(k key, w Webhook) []entry {
	if len(w.Calls) == 0 {
		return nil
	}
	return []entry{{webhooksDue, key{moment: max(1, w.Retry, w.Calls[0].At), user: k.user}, nil}}
}

// Webhook returns a user's webhook.
func (s *Store) Webhook(ctx context.Context, user string) (Webhook, error) {
	w, _, err := webhooks.get1(ctx, s, key{user: user})
	return w, err
}

// ChangeWebhook replaces a user's webhook with the result of change, which may be called more than once. A webhook
// without an address is deleted. ChangeWebhook returns ErrInvalid for a webhook that cannot be stored.
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

// WebhooksDue lists the users whose webhooks have a call due no later than until, ordered by that moment.
func (s *Store) WebhooksDue(ctx context.Context, until Stamp, limit int) (users []string, err error) {
	return s.usersUntil(ctx, webhooksDue, until, limit)
}
