package incident_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/incident"
	"marque/bot/table"
	"marque/storage"
)

// Ten thousand tables whose channels are gone, or moves that a full disk does not take, are two lines: the first, and after a
// minute the others with their number and an example. Everything else is logged as ever.
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
					log.With("a", 1).Warn("told later", "table", fmt.Sprint("table-", i), "error", fmt.Errorf("for once: %w", failure))
				}
				log.Warn("another", "error", errors.New("timeout"))
				log.Warn("another", "error", errors.New("timeout"))
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				log.Warn("told later", "table", "table-x", "error", failure)
				lines := strings.Split(strings.TrimSpace(out.String()), "\n")
				t.Logf("%d lines:\n%s", len(lines), out.String())
				if len(lines) != 5 || !strings.Contains(lines[0], "table-0 ") || !strings.Contains(lines[1], "timeout") || !strings.Contains(lines[2], "timeout") ||
					!strings.Contains(lines[3], "table-9999 ") || !strings.Contains(lines[3], "times=9999") || !strings.Contains(lines[4], "table-x ") {
					t.Error("want the first, two others, the last with times=9999, and a new one")
				}
			})
		})
	}
}
