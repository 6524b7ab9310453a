package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"marque/bot/timesource"
)

// PerSecond is how many requests a second Discord takes with a token, over all processes that have
// it. Those that belong to interactions do not count. Source: Discord's documentation, topic "Rate
// Limits", section "Global Rate Limit".
const PerSecond = 50

const (
	// window is the time in which the budget of a second is spent. It is longer than a second,
	// because requests do not arrive as evenly as they are sent, and processes that share a budget
	// do not know of each other's seconds.
	window = 1250 * time.Millisecond
	// pieces are in how many pieces a window is divided, each with its part of the budget: so much
	// less comes too soon when what was sent first is held up on the way.
	pieces = 5
	// patience is how long a request lets those of lower kinds go first.
	patience = time.Minute
	// Answers 401, 403 and 429 are invalid; Discord bars an address for 10,000 of them in ten
	// minutes. At mostInvalid the budget is divided by slowness: what that leaves adds at most
	// 3,000 in ten minutes. Source: Discord's documentation, topic "Rate Limits", section "Invalid
	// Request Limit".
	mostInvalid = 1000
	slowness    = 10
	// unsaid is how long nothing is sent after a 429 that does not say how long.
	unsaid = time.Second
	// starting is the part of the budget of a process that shares it and does not know its part yet.
	starting = 0.1
	// manyBuckets is how many buckets there are before those that are idle are dropped.
	manyBuckets = 1024
)

// Budget is a transport that sends no more with the bot's token than Discord takes, and what
// matters most first (see Kind). It keeps to the requests a second, to Discord's buckets as their
// headers have them, to the pause that a global 429 asks for, and stays away from the number of
// invalid requests for which Discord bars an address. Of several edits of one message that wait it
// sends the last, and answers all of them by its answer. What belongs to interactions is sent at
// once.
type Budget struct {
	through http.RoundTripper
	log     *slog.Logger
	clock   timesource.Clock
	most    int                       // requests a second, of all processes
	share   func() (all, held, _ int) // the bot's shards, and how many are this process's; nil when it is alone

	mu      sync.Mutex
	waiting []*turn            // in the order in which they came
	sent    []time.Time        // when the requests of the last window were sent, oldest first
	paused  time.Time          // until when nothing is sent
	names   map[string]string  // of buckets, as Discord has them, by method and route
	buckets map[string]*bucket // by name, and channel or server
	part    float64            // of the budget that this process may spend
	gained  time.Time          // since when it could be more
	invalid invalid
	slow    bool
	spent   [kinds]uint64
	wake    func() // stops the timer that looks again
}

// NewBudget makes a budget of so many requests a second, for a client that sends through another.
// share says into how many shards the bot is divided and how many of them this process has, which
// is its part of the budget; nil when it has all.
func NewBudget(through http.RoundTripper, most int,
	share func() (all, held, lapsed int), clock timesource.Clock, log *slog.Logger) *Budget {
	if through == nil {
		through = http.DefaultTransport
	}
	b := &Budget{through: through, log: log, clock: clock, most: most, share: share, names: map[string]string{},
		buckets: map[string]*bucket{},
		part:    starting, wake: func() {}}
	if share == nil {
		b.part = 1
	}
	return b
}

// turn is a request that waits, or is under way.
type turn struct {
	kind  Kind
	since time.Time
	route string // method and route
	major string // id of the channel or server, which has buckets of its own
	edits string // path of the message that it edits; "" for none
	held  *bucket

	ready chan struct{} // closed when it may be sent, or never will be
	by    *turn         // the later edit that is sent instead
	done  chan struct{} // closed when an edit is answered
	all   *answer       // for those that it replaces
	err   error
}

// answer is one that several requests get.
type answer struct {
	response http.Response
	body     []byte
}

// bucket is one of Discord's, of one channel or server. Its requests are sent one after the other,
// so that edits arrive in their order.
type bucket struct {
	busy  bool
	known bool // Discord has said how many requests are left until reset
	left  int
	reset time.Time
}

func (b *bucket) open(now time.Time) bool {
	if b.known && !now.Before(b.reset) {
		b.known = false
	}
	return !b.busy && (!b.known || b.left > 0)
}

// errReplaced says that the edit that was to be sent instead of this one was given up.
var errReplaced = errors.New("a later edit of the message was to be sent instead, and was given up")

// RoundTrip is part of http.RoundTripper.
func (b *Budget) RoundTrip(q *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(q.URL.Path, "/api/") {
		return b.through.RoundTrip(q) // an attachment
	}
	if route := RouteOf(q.URL.Path); strings.HasPrefix(route, "/interactions/") || strings.HasPrefix(route,
		"/webhooks/") {
		got, err := b.send(q)
		b.heed(nil, got)
		return got, err
	}
	own := b.enter(q)
	t := own
	if err := until(q.Context(), t.ready); err != nil {
		b.leave(own)
		return nil, err
	}
	for t.by != nil {
		t = t.by
		if err := until(q.Context(), t.ready); err != nil {
			return nil, err
		}
	}
	if t != own {
		if err := until(q.Context(), t.done); err != nil {
			return nil, err
		}
		return t.copied(q)
	}
	got, err := b.send(q)
	if own.edits == "" {
		b.heed(own, got)
		return got, err
	}
	if err == nil {
		own.all, err = read(got)
	}
	own.err = err
	b.heed(own, got)
	close(own.done)
	return own.copied(q)
}

func until(ctx context.Context, event <-chan struct{}) error {
	select {
	case <-event:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send sends a request, and bounds the time that it takes from now until its answer is read.
func (b *Budget) send(q *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(q.Context(), Timeout)
	got, err := b.through.RoundTrip(q.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	got.Body = bounded{got.Body, cancel}
	return got, nil
}

// bounded is a body whose time ends when it is closed.
type bounded struct {
	io.ReadCloser
	cancel func()
}

func (b bounded) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// read reads an answer that several requests get.
func read(got *http.Response) (*answer, error) {
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return nil, err
	}
	got.Body = io.NopCloser(bytes.NewReader(body))
	return &answer{*got, body}, nil
}

// copied is the answer to an edit, for one of the requests that get it.
func (t *turn) copied(q *http.Request) (*http.Response, error) {
	if t.err != nil {
		return nil, t.err
	}
	got := t.all.response
	got.Request, got.Body = q, io.NopCloser(bytes.NewReader(t.all.body))
	return &got, nil
}

// enter lets a request wait. An edit takes the place of one of the same message that waits already.
func (b *Budget) enter(q *http.Request) *turn {
	route := RouteOf(q.URL.Path)
	t := &turn{kind: kindOf(q.Context()), since: b.clock.Now(), route: q.Method + " " + route,
		ready: make(chan struct{}), done: make(chan struct{})}
	// /api/v10/channels/1
	if parts := strings.Split(q.URL.Path, "/"); len(parts) > 4 && (parts[3] == "channels" || parts[3] == "guilds") {
		t.major = parts[4]
	}
	if q.Method == http.MethodPatch && route == editing {
		t.edits = q.URL.Path
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	earlier := slices.IndexFunc(b.waiting, func(o *turn) bool { return o.edits != "" && o.edits == t.edits })
	if earlier < 0 {
		b.waiting = append(b.waiting, t)
	} else {
		o := b.waiting[earlier]
		t.kind, t.since = min(t.kind, o.kind), o.since
		b.waiting[earlier] = t
		o.by = t
		close(o.ready)
	}
	b.grant()
	return t
}

// editing is the route of edits of messages.
const editing = "/channels/{id}/messages/{id}"

// leave gives up a request that was not sent.
func (b *Budget) leave(t *turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch i := slices.Index(b.waiting, t); {
	case i >= 0:
		b.waiting = slices.Delete(b.waiting, i, i+1)
		close(t.ready)
	case t.held != nil: // it was just let go
		t.held.busy = false
		b.grant()
	default:
		return // a later one is sent instead
	}
	t.err = errReplaced
	close(t.done)
}

// grant lets as many requests go as may, and looks again when more may. The caller holds the lock.
func (b *Budget) grant() {
	b.wake()
	b.wake = func() {}
	for len(b.waiting) > 0 {
		now := b.clock.Now()
		i, when := b.next(now)
		if i < 0 {
			if !when.IsZero() {
				b.wake = b.clock.AfterFunc(when.Sub(now), func() {
					b.mu.Lock()
					defer b.mu.Unlock()
					b.grant()
				})
			}
			return
		}
		t := b.waiting[i]
		b.waiting = slices.Delete(b.waiting, i, i+1)
		t.held = b.bucket(t)
		t.held.busy = true
		t.held.left--
		b.sent = append(b.sent, now)
		b.spent[t.kind]++
		close(t.ready)
	}
}

// next is the request that may go now; -1 when none may, with the moment from which that may be
// otherwise, zero when only an answer can change it.
func (b *Budget) next(now time.Time) (first int, when time.Time) {
	if now.Before(b.paused) {
		return -1, b.paused
	}
	b.sent = slices.DeleteFunc(b.sent, func(at time.Time) bool { return now.Sub(at) >= window })
	n := b.limit(now)
	if len(b.sent) >= n {
		return -1, b.sent[len(b.sent)-n].Add(window)
	}
	if n = (n + pieces - 1) / pieces; len(b.sent) >= n {
		if at := b.sent[len(b.sent)-n].Add(window / pieces); now.Before(at) {
			return -1, at
		}
	}
	first = -1
	rank := func(t *turn) Kind {
		if now.Sub(t.since) >= patience {
			return -1
		}
		return t.kind
	}
	for i, t := range b.waiting {
		if first >= 0 && rank(t) >= rank(b.waiting[first]) {
			continue
		}
		if of := b.bucket(t); of.open(now) {
			first = i
		} else if !of.busy && (when.IsZero() || of.reset.Before(when)) {
			when = of.reset
		}
	}
	return first, when
}

// limit is how many requests this process may send in a window.
func (b *Budget) limit(now time.Time) int {
	part := b.part
	if b.share != nil {
		if all, held, _ := b.share(); all > 0 {
			part = float64(held) / float64(all)
		}
	}
	switch {
	case part <= b.part:
		b.part, b.gained = part, time.Time{}
	case b.gained.IsZero():
		b.gained = now // who had it may have spent it just now
	case now.Sub(b.gained) >= window:
		b.part, b.gained = part, time.Time{}
	}
	n := int(float64(b.most) * b.part)
	if b.slow && b.invalid.sum(now) < b.tolerated()/2 {
		b.slow = false
		b.log.Info("Discord refuses few requests again: they are sent at full speed")
	}
	if b.slow {
		n /= slowness
	}
	return max(n, 1) // who has no shard asks something now and then, too
}

// bucket is the one of a request.
func (b *Budget) bucket(t *turn) *bucket {
	name, ok := b.names[t.route]
	if !ok {
		name = t.route
	}
	key := name + " " + t.major
	if of := b.buckets[key]; of != nil {
		return of
	}
	if len(b.buckets) >= manyBuckets {
		now := b.clock.Now()
		maps.DeleteFunc(b.buckets, func(_ string, o *bucket) bool { return o.open(now) && !o.known })
	}
	of := &bucket{}
	b.buckets[key] = of
	return of
}

// heed draws conclusions from an answer, nil when there was none. t is nil for what belongs to an interaction.
func (b *Budget) heed(t *turn, got *http.Response) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.grant()
	if t != nil {
		t.held.busy = false
	}
	if got == nil {
		return
	}
	now, h := b.clock.Now(), got.Header
	name := h.Get("X-RateLimit-Bucket")
	if t != nil && name != "" {
		b.names[t.route] = name
	}
	switch got.StatusCode {
	case http.StatusTooManyRequests:
		if h.Get("X-RateLimit-Scope") != "shared" {
			b.refused(now)
		}
		switch until := now.Add(retryAfter(got)); {
		case name == "": // the limit of the token, or the address is barred
			if !now.Before(b.paused) {
				b.log.Warn("Discord takes no requests for a while", "pause", until.Sub(now))
			}
			b.paused = until
		case t != nil:
			of := b.bucket(t)
			of.known, of.left, of.reset = true, 0, until
		}
		return
	case http.StatusUnauthorized, http.StatusForbidden:
		b.refused(now)
	}
	left, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	after, ok := seconds(h.Get("X-RateLimit-Reset-After"))
	if t != nil && err == nil && ok {
		of := b.bucket(t)
		of.known, of.left, of.reset = true, left, now.Add(after)
	}
}

// retryAfter is how long Discord wants to be left alone, by a 429. Its body can still be read.
func retryAfter(got *http.Response) time.Duration {
	if pause, ok := seconds(got.Header.Get("Retry-After")); ok {
		return pause
	}
	all, err := read(got)
	var said struct {
		After float64 `json:"retry_after"`
	}
	if err != nil || json.Unmarshal(all.body, &said) != nil || said.After <= 0 {
		return unsaid
	}
	return time.Duration(said.After * float64(time.Second))
}

func seconds(header string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(header, 64)
	return time.Duration(n * float64(time.Second)), err == nil
}

// refused counts an invalid request, and says when there are too many. The caller holds the lock.
func (b *Budget) refused(now time.Time) {
	b.invalid.add(now)
	if n := b.invalid.sum(now); !b.slow && n >= b.tolerated() {
		b.slow = true
		b.log.Error(
			"Discord has refused so many requests that it may soon bar this machine: only one request in ten is sent, what matters most "+
				"first, until there are fewer; see above why they are refused", "refused", n, "minutes", invalidMinutes)
	}
}

// tolerated is how many invalid requests slow this process down. Others on the same address count theirs.
func (b *Budget) tolerated() int { return max(int(mostInvalid*b.part), mostInvalid/slowness) }

// invalidMinutes is for how long invalid requests count.
const invalidMinutes = 10

// invalid counts invalid requests by minute.
type invalid struct {
	last   int64 // the minute of the latest
	counts [invalidMinutes + 1]int
}

func (v *invalid) add(now time.Time) {
	v.sum(now)
	v.counts[v.last%int64(len(v.counts))]++
}

// sum is how many there were in the last ten minutes, up to one minute more.
func (v *invalid) sum(now time.Time) (n int) {
	minute := now.Unix() / 60
	v.last = max(v.last, minute-int64(len(v.counts)))
	for v.last < minute {
		v.last++
		v.counts[v.last%int64(len(v.counts))] = 0
	}
	for _, c := range v.counts {
		n += c
	}
	return n
}

// Spending is how a budget is spent.
type Spending struct {
	Limit   int           // requests a second that this process may make now
	Sent    [kinds]uint64 // by kind, since the start
	Waiting [kinds]int    // by kind
	Invalid int           // refused requests of the last ten minutes
}

// Spending says how the budget is spent.
func (b *Budget) Spending() Spending {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	s := Spending{Limit: b.limit(now), Sent: b.spent, Invalid: b.invalid.sum(now)}
	for _, t := range b.waiting {
		s.Waiting[t.kind]++
	}
	return s
}
