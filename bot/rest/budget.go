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

// PerSecond is the number of requests with one token that Discord accepts in a second, from all processes together.
// Requests that belong to interactions do not count. Source: Discord's documentation, topic "Rate Limits", section
// "Global Rate Limit".
const PerSecond = 50

const (
	// window is the time in which the bot sends at most as many requests as Discord accepts in a second. It is longer
	// than a second, because requests arrive less evenly than they are sent, and because the windows of several
	// processes begin at different times.
	window = 1250 * time.Millisecond
	// pieces is the number of equal parts of a window. Each part has its share of the requests, so that fewer requests
	// arrive at the same time if some are delayed.
	pieces = 5
	// patience is how long a request waits for more important ones. After that it comes before all later requests.
	patience = time.Minute
	// mostInvalid is the number of invalid requests in ten minutes after which a process with the whole budget
	// divides its limit by slowness. Discord calls requests invalid that it answers with 401, 403 or 429, and blocks
	// an address after 10,000 of them in ten minutes. With a limit of PerSecond, about 2,400 more can follow in ten
	// minutes at the reduced rate. Source: Discord's documentation, topic "Rate Limits", section "Invalid Request
	// Limit".
	mostInvalid = 1000
	slowness    = 10
	// unsaid is the pause after a 429 that does not give a time to wait.
	unsaid = time.Second
	// starting is the part of a shared budget that a process may use while it does not know its own part.
	starting = 0.1
	// manyBuckets is the size of Budget.buckets and of Budget.old from which on entries that are no longer needed are
	// dropped.
	manyBuckets = 1024
)

// Budget is an HTTP transport that respects Discord's limits and sends the most important requests first (see Kind). It
// respects the limit of requests per second, the limits of buckets in the headers of answers, and the pause of a global
// 429. It also slows down long before Discord would block the address for invalid requests. If several edits of one
// message wait, it sends only the last, whose answer is returned for all of them. Requests that belong to interactions
// are sent immediately.
type Budget struct {
	through http.RoundTripper
	log     *slog.Logger
	clock   timesource.Clock
	most    int                       // maximum number of requests a second, of all processes
	share   func() (all, held, _ int) // returns the numbers of all and of own shards; nil for a single process

	mu      sync.Mutex
	waiting []*turn              // waiting requests in order of arrival
	sent    []time.Time          // times of the requests in the last window, oldest first
	paused  time.Time            // no request is sent before this time
	names   map[string]string    // Discord's names of buckets, by method and route
	buckets map[string]*bucket   // buckets by name, and channel or server
	old     map[string]time.Time // until when a channel accepts no edits of old messages
	part    float64              // fraction of the budget that this process may use
	gained  time.Time            // when this process gained shards; zero if part is up to date
	invalid invalid
	slow    bool
	spent   [kinds]uint64
	wake    func() // stops the timer that will call grant
}

// NewBudget returns a budget that sends requests with the transport through; most is the maximum number of requests a
// second. share returns the numbers of all shards and of this process's shards; the process may use the same fraction
// of the budget. If share is nil, the process may use all of it.
func NewBudget(through http.RoundTripper, most int,
	share func() (all, held, lapsed int), clock timesource.Clock, log *slog.Logger) *Budget {
	if through == nil {
		through = http.DefaultTransport
	}
	b := &Budget{through: through, log: log, clock: clock, most: most, share: share, names: map[string]string{},
		buckets: map[string]*bucket{}, old: map[string]time.Time{},
		part: starting, wake: func() {}}
	if share == nil {
		b.part = 1
	}
	return b
}

// turn is a request that waits or was sent.
type turn struct {
	kind  Kind
	since time.Time
	route string // method and route
	major string // id of the channel or server, each of which has its own buckets
	edits string // path of the message that the request edits; "" for other requests
	held  *bucket

	ready chan struct{} // closed when the request may be sent, is replaced, or is cancelled
	by    *turn         // later edit that is sent instead of this one, or nil
	done  chan struct{} // closed when the edit is answered or cancelled
	all   *answer       // answer to the edit, which is also returned for edits that it replaced
	err   error
}

// answer is an answer of Discord that can be returned for several requests.
type answer struct {
	response http.Response
	body     []byte
}

// bucket is one of Discord's buckets for a channel or server. Its requests are sent one after another, so that edits
// arrive in order.
type bucket struct {
	busy  bool
	known bool // whether Discord has said how many requests are left until reset
	left  int
	reset time.Time
}

func (b *bucket) open(now time.Time) bool {
	if b.known && !now.Before(b.reset) {
		b.known = false
	}
	return !b.busy && (!b.known || b.left > 0)
}

// errReplaced says that a later edit, which replaced this one, was cancelled.
var errReplaced = errors.New("a later edit of the message was to be sent instead, and was given up")

// RoundTrip implements http.RoundTripper.
func (b *Budget) RoundTrip(q *http.Request) (*http.Response, error) {
	if !strings.HasPrefix(q.URL.Path, "/api/") {
		return b.through.RoundTrip(q) // not a request to the API, but for an attachment
	}
	if route := routeOf(q.URL.Path); strings.HasPrefix(route, "/interactions/") || strings.HasPrefix(route,
		"/webhooks/") {
		got, err := b.send(q)
		b.learn(nil, got)
		return got, err
	}
	if err := b.tooOld(q); err != nil {
		return nil, err
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
	if own.edits == "" {
		got, err := b.send(q)
		b.learn(own, got)
		return got, err
	}
	var got *http.Response
	err := b.tooOld(q) // Discord may have refused another edit in this channel while this one waited
	if err == nil {
		got, err = b.send(q)
	}
	if err == nil {
		own.all, err = read(got)
	}
	own.err = err
	b.learn(own, got)
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

// send sends a request. Its time limit runs until the body of the answer is closed.
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

// bounded is the body of an answer. Closing it releases the time limit of the request.
type bounded struct {
	io.ReadCloser
	cancel func()
}

func (b bounded) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// read reads a whole answer, so that it can be returned for several requests. The body of got can still be read
// afterwards.
func read(got *http.Response) (*answer, error) {
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return nil, err
	}
	got.Body = io.NopCloser(bytes.NewReader(body))
	return &answer{*got, body}, nil
}

// copied returns a copy of the answer to an edit, for the request q.
func (t *turn) copied(q *http.Request) (*http.Response, error) {
	if t.err != nil {
		return nil, t.err
	}
	got := t.all.response
	got.Request, got.Body = q, io.NopCloser(bytes.NewReader(t.all.body))
	return &got, nil
}

// enter adds a request to those that wait. An edit replaces an earlier edit of the same message that still waits.
func (b *Budget) enter(q *http.Request) *turn {
	route := routeOf(q.URL.Path)
	t := &turn{kind: kindOf(q.Context()), since: b.clock.Now(), route: q.Method + " " + route,
		ready: make(chan struct{}), done: make(chan struct{})}
	// The path begins as /api/v10/channels/1.
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

// leave cancels a request that has not been sent. If the request is an edit, and no later edit has replaced it, the
// edits that it replaced fail with errReplaced.
func (b *Budget) leave(t *turn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch i := slices.Index(b.waiting, t); {
	case i >= 0:
		b.waiting = slices.Delete(b.waiting, i, i+1)
		close(t.ready)
	case t.held != nil: // it has just been allowed to be sent
		t.held.busy = false
		b.grant()
	default:
		return // a later edit will be sent instead
	}
	t.err = errReplaced
	close(t.done)
}

// grant lets all waiting requests be sent that may be sent now, and sets a timer for the next ones. The caller holds
// the lock.
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

// next returns the index of the waiting request to send now. If none may be sent now, first is -1, and when is the time
// at which next must be called again. when is zero if this depends on an answer that has not arrived.
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

// limit returns the number of requests that this process may send in a window.
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
		b.gained = now // the previous owner of the shards may have just used its part of the budget
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
	return max(n, 1) // even a process without shards can send a request from time to time
}

// bucket returns the bucket to which a request belongs.
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

// learn updates the limits from an answer. got is nil if there was no answer, and t is nil for a request that belongs
// to an interaction.
func (b *Budget) learn(t *turn, got *http.Response) {
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
		pause, own := retryAfter(got)
		switch until := now.Add(pause); {
		case t != nil && t.all != nil && codeIn(t.all.body) == CodeOldEdits:
			if len(b.old) >= manyBuckets {
				maps.DeleteFunc(b.old, func(_ string, until time.Time) bool { return !now.Before(until) })
			}
			b.old[t.major], t.err = until, &OldEditsError{pause}
		case !own: // the limit of the token is reached, or the address is blocked
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

// retryAfter returns the time to wait that a 429 gives. own says that only requests of the same bucket must wait. The
// body of got can still be read afterwards.
func retryAfter(got *http.Response) (pause time.Duration, own bool) {
	pause, told := seconds(got.Header.Get("Retry-After"))
	if own = got.Header.Get("X-RateLimit-Bucket") != ""; own && told {
		return pause, own
	}
	var said struct {
		After  float64 `json:"retry_after"`
		Global *bool   `json:"global"`
	}
	if all, err := read(got); err != nil || json.Unmarshal(all.body, &said) != nil {
		said.After, said.Global = 0, nil // not JSON of Discord, but a page of another server
	}
	switch {
	case told:
	case said.After > 0:
		pause = time.Duration(said.After * float64(time.Second))
	default:
		pause = unsaid
	}
	return pause, own || said.Global != nil && !*said.Global
}

func seconds(header string) (time.Duration, bool) {
	n, err := strconv.ParseFloat(header, 64)
	return time.Duration(n * float64(time.Second)), err == nil
}

// refused counts an invalid request. If there are too many, it slows the budget down and logs an error. The caller
// holds the lock.
func (b *Budget) refused(now time.Time) {
	b.invalid.add(now)
	if n := b.invalid.sum(now); !b.slow && n >= b.tolerated() {
		b.slow = true
		b.log.Error(
			"Discord has refused so many requests that it may soon bar this machine: only one request in ten is sent, what matters most "+
				"first, until there are fewer; see above why they are refused", "refused", n, "minutes", invalidMinutes)
	}
}

// tolerated returns the number of invalid requests after which this process slows down. Other processes on the same
// address count their own requests.
func (b *Budget) tolerated() int { return max(int(mostInvalid*b.part), mostInvalid/slowness) }

// invalidMinutes is the minimum number of minutes for which an invalid request counts.
const invalidMinutes = 10

// invalid has the numbers of invalid requests in each of the last minutes.
type invalid struct {
	last   int64 // latest minute that has been counted, since 1970
	counts [invalidMinutes + 1]int
}

func (v *invalid) add(now time.Time) {
	v.sum(now)
	v.counts[v.last%int64(len(v.counts))]++
}

// sum returns the number of invalid requests in the last ten to eleven minutes.
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

// Spending is the state of a budget, for metrics.
type Spending struct {
	Limit   int           // number of requests in 1.25 seconds (window) that this process may send now
	Sent    [kinds]uint64 // number of requests with the bot's token sent since the start, by kind
	Waiting [kinds]int    // number of waiting requests, by kind
	Invalid int           // number of invalid requests in the last ten to eleven minutes
}

// Spending returns the current state of the budget.
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
