package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/rest"
	"marque/bot/table"
	"marque/storage"
)

// well is a source of metrics without faults: its store can be read, and its connection is up.
type well struct{ tried chan struct{} }

func (well) Alive(context.Context) error                          { return nil }
func (well) Size(context.Context) (storage.Size, error)           { return storage.Size{}, nil }
func (well) Tally(context.Context) (map[storage.Group]int, error) { return nil, nil }
func (well) Numbers(context.Context) (table.Numbers, error)       { return table.Numbers{}, nil }
func (w well) TryStore()                                          { w.tried <- struct{}{} }
func (well) Held() time.Time                                      { return time.Time{} }
func (well) Health() (up bool, lag time.Duration)                 { return true, 0 }
func (well) Failures() uint64                                     { return 0 }

// answer returns the metrics server's answer to a request for a path.
func answer(m *Metrics, path string) (status int, body string) {
	q := httptest.NewRequest(http.MethodGet, path, nil)
	w := httptest.NewRecorder()
	m.Handler(true).ServeHTTP(w, q)
	return w.Code, w.Body.String()
}

// After a failed commit the bot is not ready until a commit succeeds, even if its store can be read. It tries commits
// on its own until one succeeds.
func TestNotReadyWhileTheStoreDoesNotWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Build{})
		w := well{make(chan struct{}, 100)}
		m.WatchStore(w)
		m.WatchGateway(w)
		m.WatchTables(w)
		full := errors.New("no space left on device")
		for i, commit := range []error{nil, full, full, nil, nil} {
			m.Committed(time.Millisecond, commit)
			status, up := http.StatusOK, "1"
			if commit != nil {
				status, up = http.StatusServiceUnavailable, "0"
			}
			if got, body := answer(m, "/readyz"); got != status || strings.Contains(body,
				"store: ok") != (commit == nil) {
				t.Errorf("commit %d has the error %v: %d %q, want %d", i, commit, got, body, status)
			}
			if _, all := answer(m, "/metrics"); !strings.Contains(all, "\nmarque_store_up "+up+"\n") {
				t.Errorf("commit %d has the error %v: marque_store_up is not %s", i, commit, up)
			}
			time.Sleep(time.Minute)
			if tried := len(w.tried) > 0; tried != (commit != nil) {
				t.Errorf("commit %d has the error %v: another is tried: %t", i, commit, tried)
			}
			for len(w.tried) > 0 {
				<-w.tried
			}
		}
	})
}

// lost is a source whose connection is down, because no session may begin.
type lost struct{ well }

func (lost) Held() time.Time                      { return time.Date(2026, 3, 1, 14, 5, 0, 0, time.UTC) }
func (lost) Health() (up bool, lag time.Duration) { return false, 0 }

// While no session may begin because of the daily limit, the answer about readiness says when the next session begins.
func TestNotReadySaysThatSessionsAreKept(t *testing.T) {
	m := New(Build{})
	m.WatchStore(well{})
	m.WatchGateway(lost{})
	if got, body := answer(m, "/readyz"); got != http.StatusServiceUnavailable ||
		!strings.Contains(body, "the next begins at 2026-03-01T14:05:00Z") {
		t.Errorf("%d %q, want when the next session begins", got, body)
	}
}

// The process is not ready while the lease of one of its shards has expired.
func TestNotReadyWithoutItsLeases(t *testing.T) {
	m := New(Build{})
	m.WatchStore(well{})
	m.WatchGateway(well{})
	for lapsed, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		m.WatchShards(func() (int, int, int) { return 3, 2, lapsed })
		got, body := answer(m, "/readyz")
		if got != want || strings.Contains(body, "leases have run out") != (lapsed > 0) {
			t.Errorf("with %d leases that ran out: %d %q, want %d", lapsed, got, body, want)
		}
	}
}

// A metrics server on a loopback address refuses requests for another host name, because a web page in a local browser
// could send them.
func TestMetricsAreForThisMachine(t *testing.T) {
	at, stop, err := New(Build{}).Serve("127.0.0.1:0", true, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost": http.StatusOK, "LocalHost:9464": http.StatusOK, "127.0.0.1": http.StatusOK,
		"[::1]:9464":      http.StatusOK,
		"pirates.example": http.StatusForbidden, "pirates.example:9464": http.StatusForbidden,
		"127.0.0.1.pirates.example": http.StatusForbidden, "10.0.0.7": http.StatusForbidden,
	} {
		for _, path := range []string{"/metrics", "/livez", "/debug/pprof/goroutine?debug=1"} {
			q, err := http.NewRequest(http.MethodGet, "http://"+at.String()+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			q.Host = host
			got, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			got.Body.Close()
			if got.StatusCode != want {
				t.Errorf("%s as %q is answered %d, want %d", path, host, got.StatusCode, want)
			}
		}
	}
}

// A client that announces a body and does not finish it gets an answer, and its connection is closed.
func TestABodyKeepsNoConnection(t *testing.T) {
	at, stop, err := New(Build{}).Serve("127.0.0.1:0", false, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for _, body := range []string{"Content-Length: 1000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\n"} {
		c, err := net.Dial("tcp", at.String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, "GET /livez HTTP/1.1\r\nHost: localhost\r\n", body)
		c.SetReadDeadline(time.Now().Add(5 * time.Minute))
		got, err := io.ReadAll(c) // returns when the connection is closed
		if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 200 OK") {
			t.Errorf("after %q: %v, %q", body, err, got)
		}
		c.Close()
	}
}

// The metrics show the limit of the budget of requests, and the sent and waiting requests by kind.
func TestTheBudgetIsSeenByKind(t *testing.T) {
	m := New(Build{})
	m.WatchBudget(func() rest.Spending {
		s := rest.Spending{Limit: 40}
		s.Sent[rest.Boards], s.Waiting[rest.Cards] = 7, 3
		return s
	})
	_, body := answer(m, "/metrics")
	for _, want := range []string{
		"marque_discord_budget_limit 40", `marque_discord_budget_spent_total{kind="boards"} 7`,
		`marque_discord_budget_waiting{kind="cards"} 3`, `marque_discord_budget_waiting{kind="answers"} 0`,
	} {
		if !strings.Contains(body, "\n"+want+"\n") {
			t.Errorf("no line %q in\n%s", want, body)
		}
	}
}
