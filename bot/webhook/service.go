package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"marque/bot/table"
	"marque/bot/timesource"
	"marque/games/text"
	"marque/storage"
)

// The events for which a webhook is called.
const (
	CalledToMove   = "turn"       // it is the user's turn, or they are reminded of that
	CalledToAnswer = "offer"      // an offer awaits the user's reply
	CalledToJoin   = "invitation" // a seat is reserved for the user
	CalledToMeet   = "challenge"  // the user is challenged on a ladder
	CalledToGoOn   = "substitute" // the user is asked to take over for somebody in a competition
	CalledToRound  = "round"      // a round begins with a game for the user
	CalledToGame   = "game"       // somebody was found to play with the user
	CalledToTry    = "test"       // the webhook was set
)

// maxWebhooksDue limits the users whose calls are read together.
const maxWebhooksDue = 200

// webhookPauses are the waits before a failed call is retried; the last one repeats. After webhookLife the service
// drops the call.
var webhookPauses = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
}

const webhookLife = 24 * time.Hour

const (
	// webhookPause is the minimum time between two settings of a user's webhook.
	webhookPause = time.Minute
	// webhookAnew is the longest pause before a new setting is tried if calls of the previous setting failed.
	webhookAnew = 10 * time.Minute
	// maxWebhooksSet limits the latest settings that are remembered for webhookPause.
	maxWebhooksSet = 8192
)

// Call is a call of a webhook that is due now.
type Call struct {
	storage.WebhookCall
	Address storage.Secret
	Key     storage.Secret // signs the call
	Game    string         // key of the game; "" if it is not known
}

// Service stores the addresses of users' own programs, and the calls to them. A call says that something waits for the
// user. It is sent at least once, in order, for up to a day. It is dropped if nothing waits any more, or if it is the
// oldest of too many.
type Service struct {
	store  *storage.Store
	tables *table.Service
	clock  timesource.Clock
	wake   chan struct{}

	mu  sync.Mutex
	set *simplelru.LRU[string, time.Time] // when each user last set a webhook, even if it was removed since
}

// NewService returns a Service. A nil clock means the system clock.
func NewService(tables *table.Service, store *storage.Store, clock timesource.Clock) *Service {
	if clock == nil {
		clock = timesource.System{}
	}
	set, _ := simplelru.NewLRU[string, time.Time](maxWebhooksSet, nil) // fails only for sizes below 1
	return &Service{store: store, tables: tables, clock: clock, set: set, wake: make(chan struct{}, 1)}
}

// Of reports whether a user has a webhook, and how many of its latest calls failed in a row.
func (w *Service) Of(ctx context.Context, user string) (is bool, failed int, err error) {
	hook, err := w.store.Webhook(ctx, user)
	return hook.Address != "", hook.Failed, err
}

// Set sets a user's webhook and soon calls it. It returns the key that signs the calls. Earlier failures still count,
// or else a user could send unlimited calls by setting the webhook again and again. Set refuses a user who has set one
// within the last minute.
func (w *Service) Set(ctx context.Context, user string, address storage.Secret) (storage.Secret, error) {
	now := w.clock.Now()
	if err := w.pause(user, now); err != nil {
		return "", err
	}
	var random [24]byte
	rand.Read(random[:])
	key := storage.Secret(base64.StdEncoding.EncodeToString(random[:]))
	return key, w.change(ctx, user, func(hook storage.Webhook) storage.Webhook {
		return storage.Webhook{Address: address, Key: key, Failed: hook.Failed,
			Retry: min(hook.Retry, storage.At(now.Add(webhookAnew))),
			Calls: []storage.WebhookCall{{ID: rand.Text(), At: storage.At(now), Event: CalledToTry}}}
	})
}

// pause refuses a user who has set a webhook within webhookPause. Otherwise it records that the user sets one now.
func (w *Service) pause(user string, now time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last, ok := w.set.Peek(user); ok && now.Sub(last) < webhookPause {
		return table.Refuse(table.ErrTooSoon, text.M("table.error.webhook-soon",
			"When", text.Moment(last.Add(webhookPause), text.Relative)))
	}
	w.set.Add(user, now)
	return nil
}

// Remove removes a user's webhook.
func (w *Service) Remove(ctx context.Context, user string) error {
	return w.change(ctx, user, func(storage.Webhook) storage.Webhook { return storage.Webhook{} })
}

// CallOf returns the webhook call about a table that waits for a user.
func CallOf(s *table.Snapshot, user string) storage.WebhookCall {
	c := storage.WebhookCall{Event: CalledToAnswer, Table: s.ID}
	switch {
	case s.Status == table.Lobby:
		c.Event = CalledToJoin
	case s.Mover() == user:
		c.Event = CalledToMove
	}
	return c
}

// Call schedules a call of a user's webhook, if there is one, because something waits for the user. A second Call with
// the same id adds nothing while the first has not been sent.
func (w *Service) Call(ctx context.Context, user, id string, c storage.WebhookCall) error {
	if hook, err := w.store.Webhook(ctx, user); err != nil || hook.Address == "" {
		return err
	}
	c.ID, c.At = id, storage.At(w.clock.Now())
	return w.change(ctx, user, func(hook storage.Webhook) storage.Webhook {
		if slices.ContainsFunc(hook.Calls, func(o storage.WebhookCall) bool { return o.ID == id }) {
			return hook
		}
		hook.Calls = append(hook.Calls, c)
		hook.Calls = hook.Calls[max(0, len(hook.Calls)-storage.MaxWebhookCalls):]
		return hook
	})
}

func (w *Service) change(ctx context.Context, user string, f func(storage.Webhook) storage.Webhook) error {
	done, err := w.tables.Work()
	if err != nil {
		return err
	}
	defer done()
	err = w.store.ChangeWebhook(ctx, user, f)
	w.Wake()
	return err
}

// Due lists users of this process with a due call, and the time of this check.
func (w *Service) Due(ctx context.Context) (users []string, now storage.Stamp, err error) {
	now = storage.At(w.clock.Now())
	if !w.tables.Serves("") { // the first shard sends them, like direct messages
		return nil, now, nil
	}
	users, err = w.store.WebhooksDue(ctx, now, maxWebhooksDue)
	return users, now, err
}

// Next returns the next due call for a user, or nil if there is none. It drops calls that are no longer needed, and
// calls that are a day old.
func (w *Service) Next(ctx context.Context, user string) (*Call, error) {
	for {
		hook, err := w.store.Webhook(ctx, user)
		now := storage.At(w.clock.Now())
		if err != nil || len(hook.Calls) == 0 || hook.Retry > now {
			return nil, err
		}
		c := &Call{WebhookCall: hook.Calls[0], Address: hook.Address, Key: hook.Key}
		waits, err := w.waits(ctx, user, c)
		if err != nil {
			return nil, err
		}
		if waits && now-c.At < storage.Stamp(webhookLife.Milliseconds()) {
			return c, nil
		}
		err = w.change(ctx, user, func(hook storage.Webhook) storage.Webhook {
			hook.Calls = slices.DeleteFunc(hook.Calls, func(o storage.WebhookCall) bool { return o.ID == c.ID })
			return hook
		})
		if err != nil {
			return nil, err
		}
	}
}

// waits reports whether the subject of a call still waits for the user, and adds its place to the call.
func (w *Service) waits(ctx context.Context, user string, c *Call) (bool, error) {
	if c.Competition != 0 {
		return w.competitionWaits(ctx, user, c)
	}
	if c.Table == 0 {
		return true, nil
	}
	snap, err := w.tables.Lookup.Snapshot(ctx, c.Table)
	if table.IsFrozen(err) || errors.Is(err, storage.ErrNoTable) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.Game, c.Server, c.Channel = snap.Game, snap.Guild, snap.Channel
	switch seat := snap.Seat(user); c.Event {
	case CalledToMove:
		return snap.Status == table.Playing && snap.Paused == "" && snap.Mover() == user, nil
	case CalledToJoin:
		return snap.Status == table.Lobby && slices.Contains(snap.Invited(), user), nil
	default:
		return snap.Status == table.Playing && seat >= 0 && snap.Proposal.Kind != "" && !snap.Proposal.Has(seat), nil
	}
}

func (w *Service) competitionWaits(ctx context.Context, user string, c *Call) (waits bool, err error) {
	n, err := w.store.Competition(ctx, c.Server, c.Competition)
	if errors.Is(err, storage.ErrNoCompetition) {
		return false, nil
	}
	c.Game, c.Channel = n.Rules.Setup.Game, n.Channel
	switch c.Event {
	case CalledToMeet:
		_, waits = n.Asked(user)
	case CalledToGoOn:
		_, waits = n.Rules.OfferTo(user)
	default:
		_, waits = n.Person(user)
		waits = waits && !n.Over()
	}
	return waits, err
}

// Sent records the result of a call: nil for success, errGone to remove the webhook, and any other error to send the
// call again later.
func (w *Service) Sent(ctx context.Context, user, id string, failed error) error {
	now := storage.At(w.clock.Now())
	return w.change(ctx, user, func(hook storage.Webhook) storage.Webhook {
		switch {
		case len(hook.Calls) == 0 || hook.Calls[0].ID != id: // another webhook was set meanwhile
		case errors.Is(failed, errGone):
			return storage.Webhook{}
		case failed != nil:
			pause := webhookPauses[min(hook.Failed, len(webhookPauses)-1)]
			hook.Failed, hook.Retry = hook.Failed+1, now+storage.Stamp(pause.Milliseconds())
		default:
			hook.Calls = slices.Delete(hook.Calls, 0, 1)
			hook.Failed, hook.Retry = 0, 0
		}
		return hook
	})
}

// Defer delays all calls for a user until a given time.
func (w *Service) Defer(ctx context.Context, user string, until storage.Stamp) error {
	return w.change(ctx, user, func(hook storage.Webhook) storage.Webhook {
		hook.Retry = max(hook.Retry, until)
		return hook
	})
}

// Wake ends the present Wait, so that due calls are checked immediately.
func (w *Service) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Wait waits until d has passed since a given time, Wake is called, or ctx ends.
func (w *Service) Wait(ctx context.Context, since storage.Stamp, d time.Duration) {
	timesource.Wait(ctx, w.clock, since.Time().Add(d), w.wake)
}
