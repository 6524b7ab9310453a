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
	CalledToMove   = "turn"       // the user is to move, or is reminded
	CalledToAnswer = "offer"      // an offer needs the user's reply
	CalledToJoin   = "invitation" // a seat is reserved for the user
	CalledToMeet   = "challenge"  // a challenge on a ladder needs the user's reply
	CalledToGoOn   = "substitute" // an offer to take over for an entrant of a competition needs the user's reply
	CalledToRound  = "round"      // a competition's round with a game for the user begins
	CalledToGame   = "game"       // players for the user were found
	CalledToTry    = "test"       // the webhook was set
)

// maxWebhooksDue is the maximum number of users whose calls are read together.
const maxWebhooksDue = 200

// webhookPauses are the delays before a failed call is retried. The last one repeats. A call is dropped after
// webhookLife.
var webhookPauses = []time.Duration{
	5 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
}

const webhookLife = 24 * time.Hour

const (
	// webhookPause is the minimum time between two settings of a user's webhook.
	webhookPause = time.Minute
	// webhookAnew is the maximum delay before a new setting is tried if calls of the previous setting failed.
	webhookAnew = 10 * time.Minute
	// maxWebhooksSet is the maximum number of users in Service.set.
	maxWebhooksSet = 8192
)

// Call is a webhook call that is due.
type Call struct {
	storage.WebhookCall
	Address storage.Secret
	Key     storage.Secret // key that signs the call
	Game    string         // key of the game; "" if it is not known
}

// Service stores users' webhooks and the calls that are to be sent to them. Most calls report that a table or a
// competition waits for the user. Calls are sent in order, and a failed call is retried for up to a day, so a receiver
// can get a call more than once. A call is dropped if it is no longer needed, or if it is the oldest of too many.
type Service struct {
	store  *storage.Store
	tables *table.Service
	clock  timesource.Clock
	wake   chan struct{}

	mu  sync.Mutex
	set *simplelru.LRU[string, time.Time] // time at which each user last set a webhook, even if it was removed since
}

// NewService returns a Service. A nil clock means the system clock.
func NewService(tables *table.Service, store *storage.Store, clock timesource.Clock) *Service {
	if clock == nil {
		clock = timesource.System{}
	}
	set, _ := simplelru.NewLRU[string, time.Time](maxWebhooksSet, nil) // an error is only possible for sizes below 1
	return &Service{store: store, tables: tables, clock: clock, set: set, wake: make(chan struct{}, 1)}
}

// Of reports whether a user has a webhook, and returns how many attempts to call it have failed in a row.
func (w *Service) Of(ctx context.Context, user string) (is bool, failed int, err error) {
	hook, err := w.store.Webhook(ctx, user)
	return hook.Address != "", hook.Failed, err
}

// Set sets a user's webhook and schedules a call to it. It returns the key that signs the calls. Failures of a webhook
// that it replaces still count, because a user could otherwise get more calls by setting it again and again. Set
// returns table.ErrTooSoon if the user has set a webhook within the last minute.
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

// pause returns an error if the user has set a webhook within webhookPause. Otherwise it records that the user sets one
// now.
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

// Remove removes a user's webhook and its pending calls.
func (w *Service) Remove(ctx context.Context, user string) error {
	return w.change(ctx, user, func(storage.Webhook) storage.Webhook { return storage.Webhook{} })
}

// CallOf returns the call for a table that waits for a user. turn reports whether the player to move is called for the
// turn, and not for an offer alone.
func CallOf(s *table.Snapshot, user string, turn bool) storage.WebhookCall {
	c := storage.WebhookCall{Event: CalledToAnswer, Table: s.ID}
	switch {
	case s.Status == table.Lobby:
		c.Event = CalledToJoin
	case turn && s.Mover() == user:
		c.Event = CalledToMove
	}
	return c
}

// Call schedules a call of a user's webhook, if there is one. A second Call with the same id adds nothing while the
// first has not been sent.
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

// Due returns at most maxWebhooksDue users with a due call, and the time of this check. It returns no users if this
// process does not serve the first shard.
func (w *Service) Due(ctx context.Context) (users []string, now storage.Stamp, err error) {
	now = storage.At(w.clock.Now())
	if !w.tables.Serves("") { // the first shard sends all calls
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

// waits reports whether a call is still needed, and adds the game and channel of its table or competition. It returns
// true for a call with neither.
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
		asked := snap.In(seat) && snap.Proposal.Kind != "" && !snap.Proposal.Has(seat)
		return snap.Status == table.Playing && asked, nil
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

// Sent records the result of a call: nil for success, errGone if the webhook must be removed, and any other error if
// the call must be sent again later.
func (w *Service) Sent(ctx context.Context, user, id string, failed error) error {
	now := storage.At(w.clock.Now())
	return w.change(ctx, user, func(hook storage.Webhook) storage.Webhook {
		switch {
		case len(hook.Calls) == 0 || hook.Calls[0].ID != id: // the user's calls changed in the meantime
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

// Defer postpones all calls for a user to the given time.
func (w *Service) Defer(ctx context.Context, user string, until storage.Stamp) error {
	return w.change(ctx, user, func(hook storage.Webhook) storage.Webhook {
		hook.Retry = max(hook.Retry, until)
		return hook
	})
}

// Wake ends the current Wait, or the next one if there is none, so that due calls are checked immediately.
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
