package gateway

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// Events of one server are handled in order, however long each takes. Other servers do not wait for them, and a panic
// does not affect other events. Close waits for the queued events.
func TestEventsKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		e := NewEvents(slog.New(slog.NewTextHandler(&log, nil)))
		var mu sync.Mutex
		done := map[string][]int{}
		for i := range 200 {
			for _, guild := range []string{"a", "b", "c"} {
				e.Add(t.Context(), guild, func(context.Context) {
					if guild == "a" {
						time.Sleep(time.Duration(200-i) * time.Millisecond) // the first event takes longest
					}
					mu.Lock()
					done[guild] = append(done[guild], i)
					mu.Unlock()
					if guild == "b" && i%50 == 7 {
						panic("b")
					}
				})
			}
		}
		synctest.Wait()
		mu.Lock()
		if len(done["b"]) != 200 || len(done["c"]) != 200 || len(done["a"]) == 200 {
			t.Errorf("while a's events take long, %d of b's and %d of c's are done", len(done["b"]), len(done["c"]))
		}
		mu.Unlock()
		e.Close(context.Background())
		e.Add(t.Context(), "a", func(context.Context) { t.Error("an event is taken after closing") })
		synctest.Wait()
		for guild, order := range done {
			if len(order) != 200 || !slices.IsSorted(order) {
				t.Errorf("server %s: %d events in the order %v", guild, len(order), order)
			}
		}
		if n := strings.Count(log.String(), "an event failed"); n != 4 {
			t.Errorf("%d panics are in the log, want 4", n)
		}
		if len(e.guilds)+len(e.room)+len(e.slots) != 0 {
			t.Errorf("left over: %d servers, %d events", len(e.guilds), len(e.room))
		}
	})
}

// Close returns when its context ends: it cancels the running events and drops the waiting ones.
func TestEventsAreBrokenOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lockedBuffer
		e := NewEvents(slog.New(slog.NewTextHandler(&log, nil)))
		var mu sync.Mutex
		begun, brokenOff := 0, 0
		for guild := range 2 * eventWorkers {
			for range 3 {
				e.Add(t.Context(), strconv.Itoa(guild), func(ctx context.Context) {
					mu.Lock()
					begun++
					mu.Unlock()
					<-ctx.Done()
					mu.Lock()
					brokenOff++
					mu.Unlock()
				})
			}
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		e.Close(ctx)
		synctest.Wait()
		if begun != eventWorkers || brokenOff != begun {
			t.Errorf("%d events were begun and %d broken off, want %d", begun, brokenOff, eventWorkers)
		}
		if len(e.guilds)+len(e.room)+len(e.slots) != 0 || log.String() != "" {
			t.Errorf("left over: %d servers, %d events; the log has %q", len(e.guilds), len(e.room), &log)
		}
	})
}

// A server is assigned to a shard by Discord's formula. If there is only one shard, it has every server. Events without
// a server belong to the first shard.
func TestShardsHaveServers(t *testing.T) {
	const guild = "197038439483310086"
	for _, tc := range []struct {
		shard Shard
		guild string
		has   bool
	}{
		{Shard{0, 1}, guild, true}, {Shard{0, 2}, guild, (197038439483310086>>22)%2 == 0},
		{Shard{1, 2}, guild, (197038439483310086>>22)%2 == 1},
		{Shard{0, 2}, "", true}, {Shard{1, 2}, "", false}, {Shard{0, 2}, "no id", false},
	} {
		if got := tc.shard.Has(tc.guild); got != tc.has {
			t.Errorf("shard %v has %q: %v, want %v", tc.shard, tc.guild, got, tc.has)
		}
	}
}
