package rest_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"marque/bot/rest"
	"marque/bot/timesource/manual"
)

// When Discord accepts no more edits of messages older than an hour in a channel (30046), no more are sent for the time
// that Discord names. Edits of younger messages, and edits in other channels, are still sent.
func TestEditsOfOldMessages(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	asked := 0
	refuses := true
	discord := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked++
		w.Header().Set("X-RateLimit-Bucket", "edits")
		if !refuses || strings.Contains(q.URL.Path, "/channels/2/") {
			_, _ = io.WriteString(w, `{"id": "1"}`)
			return
		}
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"code": 30046, "retry_after": 120, "message": "Maximum number of edits"}`)
	}))
	defer discord.Close()
	budget := rest.NewBudget(http.DefaultTransport, rest.PerSecond, nil, clock, slog.New(slog.DiscardHandler))
	id := func(age time.Duration) string {
		return strconv.FormatInt((clock.Now().Add(-age).UnixMilli()-1420070400000)<<22, 10)
	}
	edit := func(channel string, age time.Duration) error {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPatch,
			discord.URL+"/api/v10/channels/"+channel+"/messages/"+id(age), strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := budget.RoundTrip(q)
		if err == nil {
			_ = got.Body.Close()
		}
		return err
	}
	const old, young = 2 * time.Hour, 10 * time.Minute
	want := func(what string, err error, pause time.Duration, requests int) {
		t.Helper()
		e := (*rest.OldEditsError)(nil)
		if is := errors.As(err, &e); is != (pause != 0) || is && e.Pause != pause || asked != requests {
			t.Errorf("%s: %v after %d requests, want a pause of %v after %d", what, err, asked, pause, requests)
		}
	}
	want("the first", edit("1", old), 2*time.Minute, 1)
	clock.Advance(30 * time.Second)
	want("another", edit("1", old+time.Hour), 90*time.Second, 1)
	want("in another channel", edit("2", old), 0, 2)
	refuses = false
	want("a young one", edit("1", young), 0, 3)
	clock.Advance(91 * time.Second)
	want("when the time is over", edit("1", old), 0, 4)
}
