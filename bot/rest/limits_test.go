package rest_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"marque/bot/gateway"
	"marque/bot/localdiscord"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/timesource/manual"
)

// The local Discord refuses none of 400 concurrent requests with a 429, even though one channel gets more requests than
// its bucket allows.
func TestBudgetAgainstDiscordsLimits(t *testing.T) {
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	srv := localdiscord.New(localdiscord.Options{Log: slog.New(slog.DiscardHandler), Clock: clock})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	budget := rest.NewBudget(srv.Transport(), rest.PerSecond, nil, clock, slog.New(slog.DiscardHandler))
	session, err := gateway.NewSession(srv.Token(), &http.Client{Transport: budget})
	if err != nil {
		t.Fatal(err)
	}
	client := rest.Client{Session: session}
	const asked = 400
	var all sync.WaitGroup
	for n := range asked {
		all.Go(func() {
			channel := localdiscord.TortugaTables // gets more requests than its bucket allows
			if n >= 20 {
				channel = fmt.Sprint(2e9 + float64(n%100))
			}
			if _, err := client.Post(t.Context(), channel, show.Text("ahoy")); err != nil &&
				rest.Status(err) != http.StatusNotFound {
				t.Errorf("request %d: %v", n, err)
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	began := clock.Now()
	for answered := 0; answered < asked; {
		s := budget.Spending()
		answered = len(srv.Requests())
		if waits := s.Waiting[rest.Answers]; waits > 0 && int(s.Sent[rest.Answers]) == answered {
			clock.Advance(10 * time.Millisecond)
		}
		runtime.Gosched()
	}
	<-done
	for _, q := range srv.Requests() {
		if q.Status == http.StatusTooManyRequests {
			t.Fatalf("refused after %v: %s %s", q.Time.Sub(began), q.Path, q.Response)
		}
	}
	t.Logf("%d requests took %v", asked, clock.Now().Sub(began))
}
