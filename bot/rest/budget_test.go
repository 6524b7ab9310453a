package rest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/bot/timesource/manual"
)

// discord is a transport that passes requests to the test, which answers them.
type discord struct {
	came chan *arrival
}

type arrival struct {
	*http.Request
	body   string
	answer chan *http.Response
}

func (d discord) RoundTrip(q *http.Request) (*http.Response, error) {
	a := &arrival{Request: q, answer: make(chan *http.Response, 1)}
	if q.Body != nil {
		body, _ := io.ReadAll(q.Body)
		a.body = string(body)
	}
	d.came <- a
	select {
	case r := <-a.answer:
		r.Request = q
		return r, nil
	case <-q.Context().Done():
		return nil, q.Context().Err()
	}
}

func answered(status int, body string, header ...string) *http.Response {
	return answers(status, body, header...)(nil)
}

// bench is a budget with a manual clock.
type bench struct {
	*Budget
	t     *testing.T
	clock *manual.Clock
	to    discord
	log   strings.Builder
}

func newBench(t *testing.T, most int, share func() (all, held, lapsed int)) *bench {
	b := &bench{t: t, clock: manual.NewClock(time.Unix(1e9, 0)), to: discord{make(chan *arrival, 1000)}}
	b.Budget = NewBudget(b.to, most, share, b.clock, slog.New(slog.NewTextHandler(&b.log, nil)))
	return b
}

// sent is the outcome of a request.
type sent struct {
	status int
	body   string
	err    error
}

// ask makes a request in a goroutine, and returns when the budget has received the request.
func (b *bench) ask(ctx context.Context, method, path, body string) <-chan sent {
	b.t.Helper()
	q, err := http.NewRequestWithContext(ctx, method, "https://discord.com/api/v10"+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	entered := &entering{Context: ctx, asked: make(chan struct{})}
	out := make(chan sent, 1)
	go func() {
		got, err := b.RoundTrip(q.WithContext(entered))
		if err != nil {
			out <- sent{err: err}
			return
		}
		defer got.Body.Close()
		text, err := io.ReadAll(got.Body)
		out <- sent{got.StatusCode, string(text), err}
	}()
	<-entered.asked
	return out
}

// entering is a context that reports when a goroutine begins to wait for it to end. The goroutine's request has then
// entered the budget.
type entering struct {
	context.Context
	once  sync.Once
	asked chan struct{}
}

func (e *entering) Done() <-chan struct{} {
	e.once.Do(func() { close(e.asked) })
	return e.Context.Done()
}

// next returns the next request that is sent to Discord.
func (b *bench) next() *arrival {
	b.t.Helper()
	select {
	case a := <-b.to.came:
		return a
	case <-b.t.Context().Done():
		b.t.Fatal("nothing arrives")
		return nil
	}
}

// waits returns the total number of requests that wait in the budget.
func (b *bench) waits() (n int) {
	for _, w := range b.Spending().Waiting {
		n += w
	}
	return n
}

// No more requests are sent in a window than Discord accepts in a second, and they are spread over the window. Answers
// to interactions are not limited.
func TestBudgetKeepsToTheRequestsOfASecond(t *testing.T) {
	const most, all = 20, 50
	b := newBench(t, most, nil)
	var asked []<-chan sent
	for n := range all {
		asked = append(asked, b.ask(t.Context(), "POST", fmt.Sprintf("/channels/%d/messages", n), ""))
	}
	var went []int // number of requests sent in each part of the window
	for n := 0; n < all; b.clock.Advance(window / pieces) {
		now := all - n - b.waits()
		went = append(went, now)
		for range now {
			b.next().answer <- answered(200, "{}")
		}
		for _, done := range asked[n : n+now] { // after these answers, the timer for the next part is set
			<-done
		}
		n += now
		b.ask(t.Context(), "POST", "/interactions/1/token/callback", "")
		if got := b.next(); !strings.HasSuffix(got.URL.Path, "/callback") {
			t.Errorf("%s came instead of an answer to an interaction", got.URL.Path)
		}
	}
	if want := most / pieces; slices.Max(went) != want || len(went) != (all+want-1)/want {
		t.Errorf("%d requests were sent as %v in fifths of a window, want %d each", all, went, want)
	}
	if s := b.Spending(); s.Sent[Answers] != all || s.Limit != most {
		t.Errorf("the budget says %+v after %d requests, %d a second", s, all, most)
	}
}

// Requests of more important kinds are sent first. A request that has waited for a minute is sent before later requests
// of a more important kind.
func TestBudgetOrder(t *testing.T) {
	b := newBench(t, 1, nil)
	asked := map[string]<-chan sent{} // results by path
	ask := func(k Kind, n int) {
		path := fmt.Sprintf("/channels/%d%d/messages", k, n)
		asked["/api/v10"+path] = b.ask(For(t.Context(), k), "POST", path, k.String())
	}
	me := b.ask(t.Context(), "GET", "/users/@me", "")
	b.next().answer <- answered(200, "{}")
	<-me
	for k := kinds - 1; k >= 0; k-- {
		ask(k, 1)
		ask(k, 2)
	}
	var order []string
	take := func() {
		b.clock.Advance(window)
		a := b.next()
		order = append(order, a.body)
		a.answer <- answered(200, "{}")
		<-asked[a.URL.Path] // after this answer, the timer for the next request is set
	}
	for range 2 * kinds {
		take()
	}
	if !slices.Equal(order, []string{"answers", "answers", "boards", "boards", "reminders", "reminders", "cards",
		"cards", "tidying", "tidying"}) {
		t.Errorf("they went in the order %v", order)
	}
	// One request of the least important kind waits while boards keep coming.
	ask(Tidying, 3)
	order = nil
	began := b.clock.Now()
	for n := 10; !slices.Contains(order, "tidying"); n++ {
		ask(Boards, n)
		take()
	}
	if waited := b.clock.Now().Sub(began); waited < patience || waited > patience+2*window {
		t.Errorf("a message was folded after %v, want %v", waited, patience)
	}
}

// When several edits of a message wait, only the last is sent, and its answer is returned for all of them. An edit that
// was already sent gets its own answer. A cancelled edit of another message does not affect them.
func TestBudgetMergesEdits(t *testing.T) {
	b := newBench(t, 1, nil)
	const path = "/channels/7/messages/8"
	first := b.ask(t.Context(), "PATCH", path, "first")
	under := b.next()
	ctx, giveUp := context.WithCancel(t.Context())
	var waiting []<-chan sent
	for n := range 3 {
		waiting = append(waiting, b.ask(For(t.Context(), Tidying), "PATCH", path, fmt.Sprint("later ", n)))
	}
	gone := b.ask(ctx, "PATCH", "/channels/7/messages/9", "another")
	giveUp()
	if got := <-gone; got.err == nil {
		t.Errorf("an edit that was given up: %+v", got)
	}
	if got := b.waits(); got != 1 {
		t.Errorf("%d requests wait, want 1", got)
	}
	b.clock.Advance(window)
	if len(b.to.came) > 0 {
		t.Error("an edit was sent while another of the same message was under way")
	}
	under.answer <- answered(200, "one")
	if got := <-first; got.body != "one" {
		t.Errorf("the first edit: %+v", got)
	}
	a := b.next()
	if a.body != "later 2" {
		t.Errorf("the edit %q was sent, want the last", a.body)
	}
	a.answer <- answered(404, "gone")
	for n, w := range waiting {
		if got := <-w; got.status != 404 || got.body != "gone" {
			t.Errorf("edit %d: %+v", n, got)
		}
	}
	if s := b.Spending(); s.Sent[Answers]+s.Sent[Tidying] != 2 {
		t.Errorf("%v requests were made for 4 edits, of which 3 waited together", s.Sent)
	}
}

// When an edit that replaced earlier edits is cancelled, the earlier edits stop waiting, too.
func TestBudgetGivesUpMergedEdits(t *testing.T) {
	b := newBench(t, 1, nil)
	b.ask(t.Context(), "GET", "/users/@me", "")
	b.next()
	early := b.ask(t.Context(), "PATCH", "/channels/7/messages/8", "early")
	ctx, giveUp := context.WithCancel(t.Context())
	late := b.ask(ctx, "PATCH", "/channels/7/messages/8", "late")
	giveUp()
	if got := <-late; got.err != context.Canceled {
		t.Errorf("the edit that was given up: %+v", got)
	}
	if got := <-early; got.err != errReplaced {
		t.Errorf("the edit that it replaced: %+v", got)
	}
	if b.waits() != 0 {
		t.Error("something waits")
	}
}

// A global 429 stops the requests to all channels for the time that it names, or for a default time. A bucket that is
// empty or answers 429 stops only its own requests.
func TestBudgetPauses(t *testing.T) {
	for _, tc := range []struct {
		what   string
		answer *http.Response
		pause  time.Duration
		global bool
	}{
		{"global", answered(429, `{"retry_after": 4.57, "global": true}`, "Retry-After", "5", "X-RateLimit-Global", "true", "X-RateLimit-Scope", "global"), 5 * time.Second, true},
		{"without headers", answered(429, `{"retry_after": 4.5, "global": true}`), 4500 * time.Millisecond, true},
		{"a page", answered(429, `<html>`), unsaid, true},
		{"a bucket's", answered(429, `{"retry_after": 4.57}`, "Retry-After", "5", "X-RateLimit-Scope", "user", "X-RateLimit-Bucket", "abc"), 5 * time.Second, false},
		{"a route's, without a bucket", answered(429, `{"retry_after": 4.57, "global": false}`, "Retry-After", "5"), 5 * time.Second, false},
		{"nothing left", answered(200, `{}`, "X-RateLimit-Bucket", "abc", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset-After", "2.5"), 2500 * time.Millisecond, false},
	} {
		b := newBench(t, PerSecond, nil)
		refused := b.ask(t.Context(), "POST", "/channels/7/messages", "")
		b.next().answer <- tc.answer
		if got := <-refused; got.status != tc.answer.StatusCode || got.body == "" {
			t.Errorf("%s: the answer is %+v", tc.what, got)
		}
		b.ask(t.Context(), "POST", "/channels/7/messages", "same")
		other := b.ask(t.Context(), "POST", "/channels/8/messages", "other")
		if !tc.global {
			b.next().answer <- answered(200, "{}")
			<-other // after this answer, the timer for the next request is set
		}
		b.clock.Advance(tc.pause - time.Millisecond)
		if len(b.to.came) > 0 {
			t.Errorf("%s: %q was sent too soon", tc.what, b.next().body)
		}
		b.clock.Advance(time.Millisecond)
		got := []string{b.next().body}
		if tc.global {
			got = append(got, b.next().body)
		}
		if !slices.Contains(got, "same") || len(got) == 2 && !slices.Contains(got, "other") {
			t.Errorf("%s: %q were sent after the pause", tc.what, got)
		}
	}
}

// A thousand refused requests in ten minutes slow the bot down to a tenth, and are logged. Twelve minutes later the bot
// is back to its normal speed.
func TestBudgetStaysFarFromTheBan(t *testing.T) {
	b := newBench(t, PerSecond, nil)
	n := 0
	refuse := func(status int, header ...string) {
		t.Helper()
		n++
		ask := b.ask(t.Context(), "POST", fmt.Sprintf("/channels/%d/messages", n), "")
		for b.waits() > 0 {
			b.clock.Advance(window / pieces)
		}
		b.next().answer <- answered(status, "{}", header...)
		<-ask
	}
	for range 200 {
		refuse(404)
		refuse(429, "X-RateLimit-Scope", "shared", "X-RateLimit-Bucket", "abc")
	}
	for n := range mostInvalid {
		if s := b.Spending(); s.Invalid != n || s.Limit != PerSecond {
			t.Fatalf("after %d refusals: %+v", n, s)
		}
		refuse([]int{401, 403}[n%2])
	}
	if s := b.Spending(); s.Invalid != mostInvalid || s.Limit != PerSecond/slowness || !strings.Contains(b.log.String(),
		"may soon bar") {
		t.Errorf("after %d refusals: %+v, and the log says %q", mostInvalid, s, b.log.String())
	}
	b.clock.Advance((invalidMinutes + 2) * time.Minute)
	if s := b.Spending(); s.Invalid != 0 || s.Limit != PerSecond || !strings.Contains(b.log.String(), "full speed") {
		t.Errorf("after ten minutes: %+v, and the log says %q", s, b.log.String())
	}
}

// A process's part of the budget is proportional to its shards. If the process gains shards, its part grows only after
// a window, because the process that lost them may still be spending it. If it loses shards, its part shrinks
// immediately.
func TestBudgetIsShared(t *testing.T) {
	all, held := 0, 0
	b := newBench(t, PerSecond, func() (int, int, int) { return all, held, 0 })
	for _, step := range []struct {
		all, held int
		pass      time.Duration
		want      int
	}{
		{0, 0, 0, 5}, {12, 4, 0, 5}, {12, 4, window, 16}, {12, 12, window - 1, 16}, {12, 12, 1, 50}, {12, 6, 0, 25},
		{12, 0, 0, 1},
	} {
		all, held = step.all, step.held
		b.Spending()
		b.clock.Advance(step.pass)
		if got := b.Spending().Limit; got != step.want {
			t.Errorf("with %d of %d shards after %v: %d requests a second, want %d", step.held, step.all, step.pass,
				got, step.want)
		}
	}
}
