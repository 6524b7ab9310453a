package incident_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/incident"
	"marque/bot/table"
	"marque/storage"
)

// Ten thousand failures with the same cause give two lines: the first failure, and later an example with the number of
// the others. Other lines are logged as usual.
func TestFailuresByTheThousandAreALineAMinute(t *testing.T) {
	for name, failure := range map[string]error{
		"channels": &table.PermanentError{Err: errors.New("unknown channel")},
		"disk":     &storage.DiskError{Problem: storage.DiskFull, Err: errors.New("no space left on device")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				log := slog.New(incident.Gather(slog.NewTextHandler(&out, nil)))
				for i := range 10_000 {
					log.With("a", 1).Warn("told later", "table", fmt.Sprint("table-", i), "error",
						fmt.Errorf("for once: %w", failure))
				}
				log.Warn("another", "error", errors.New("timeout"))
				log.Warn("another", "error", errors.New("timeout"))
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				log.Warn("told later", "table", "table-x", "error", failure)
				lines := strings.Split(strings.TrimSpace(out.String()), "\n")
				t.Logf("%d lines:\n%s", len(lines), out.String())
				if len(lines) != 5 || !strings.Contains(lines[0], "table-0 ") || !strings.Contains(lines[1],
					"timeout") || !strings.Contains(lines[2], "timeout") ||
					!strings.Contains(lines[3], "table-9999 ") || !strings.Contains(lines[3], "times=9999") ||
					!strings.Contains(lines[4], "table-x ") {
					t.Error("want the first, two others, the last with times=9999, and a new one")
				}
			})
		})
	}
}

// lockedLog is a log that a test reads while other goroutines write.
type lockedLog struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func (l *lockedLog) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Reset()
}

// Of 60 equal errors in a minute, twenty are logged. A further line has the number of the others and the ids of their
// incidents. Other errors and lines of lower levels are not affected, but ten thousand kinds of warnings give at most
// 600 lines.
func TestRepeatsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedLog
		log := slog.New(incident.Attach(incident.Gather(slog.NewTextHandler(&out, nil))))
		fail := func(what string) string {
			ctx := incident.Begin(t.Context())
			log.ErrorContext(ctx, "an interaction failed", "what", what)
			return incident.ID(ctx)
		}
		var ids []string
		for range 60 {
			ids = append(ids, fail("/move"))
		}
		other := fail("/board")
		for range 100 {
			log.Info("commands are registered")
		}
		if got := strings.Count(out.String(), "what=/move"); got != 20 {
			t.Errorf("%d lines of one kind, want 20", got)
		}
		if !strings.Contains(out.String(), other) || strings.Count(out.String(), "registered") != 100 {
			t.Error("lines of other kinds are missing")
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		for _, id := range ids {
			if !strings.Contains(out.String(), id) {
				t.Errorf("the incident %s is not in the log", id)
			}
		}
		if got := strings.Count(out.String(), "what=/move"); got != 21 || !strings.Contains(out.String(), "times=40") {
			t.Errorf("%d lines of one kind after the minute, want 21, the last with times=40:\n%s", got, out.String())
		}
		out.Reset()
		if again := fail("/move"); !strings.Contains(out.String(), again) {
			t.Error("after the minute the kind is not logged")
		}
		for i := range 10_000 {
			log.Warn(fmt.Sprint("the library says ", i))
		}
		if got := strings.Count(out.String(), "the library says"); got > 600 {
			t.Errorf("%d lines of 10,000 kinds", got)
		}
		time.Sleep(2 * time.Minute)
	})
}
