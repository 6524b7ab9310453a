package gateway_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/metrics"
	"marque/bot/shards/shardstest"
	"marque/bot/timesource"
	"marque/games/catalog"
	"marque/storage"
)

// A second process takes over its share of the servers from the first, and the rest when the first stops. During the
// handover the moves are answered, and no board is published twice.
func TestReplacingAProcess(t *testing.T) {
	t.Parallel()
	const count = 4
	leases := shardstest.New(timesource.System{})
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Leases, r.Grace = leases, time.Minute },
		func(o *localdiscord.Options) {
			o.Servers, o.Shards, o.MaxConcurrency = count, count, 2
		})
	g, _ := catalog.Find(bottest.LoyalCaptain)
	turns := openEverywhere(r, count, g, bottest.Two)
	rng, played := bottest.NewRand(), 0
	round := func() {
		t.Helper()
		for i := range count {
			p := localdiscord.PlaceAt(i)
			if !bottest.IsTurn(turns[i]) {
				turns[i] = r.Open(p.Tables, g, bottest.Two)
			}
			if said := r.TypeMove(r.Mover(turns[i]), p.Tables, rng); !strings.Contains(said, "Played") {
				t.Fatalf("a move in shard %d is answered %q\n%s", i, said, r.Log)
			}
			played++
			turns[i] = r.TurnAfter(p.Tables, turns[i])
		}
	}
	round()
	before := leases.Owners()
	second := sync.OnceFunc(r.Join())
	defer second()
	owners := func() (n int) {
		for i, o := range leases.Owners() {
			if o != "" && o != before[i] {
				n++
			}
		}
		return n
	}
	for owners() < count/2 {
		round()
	}
	ended := make(chan struct{})
	go func() { defer close(ended); r.Leave() }()
	for ending := true; ending; {
		select {
		case <-ended:
			ending = false
		default:
		}
		round()
	}
	if n := owners(); n != count {
		t.Errorf("the second process has %d of %d shards: %v", n, count, leases.Owners())
	}
	for i := range count {
		p := localdiscord.PlaceAt(i)
		heads, err := r.Tables.Lookup.ByGuild(r.Ctx, p.Guild, storage.Active, 0, 10)
		if err != nil || len(heads) > 1 {
			t.Fatal(heads, err)
		}
		var boards []string
		for _, m := range r.Server.Messages(p.Tables, p.Owner) {
			if b, ok := m.Button("Move"); ok && m.EphemeralTo == "" {
				boards = append(boards, b.CustomID)
			}
		}
		if len(boards) == 0 {
			t.Errorf("in shard %d there is no board", i)
		}
		slices.Sort(boards)
		if twice := len(boards) - len(slices.Compact(slices.Clone(boards))); twice > 0 {
			t.Errorf("in shard %d %d boards were said twice", i, twice)
		}
	}
}

// A process whose requests to Discord get no answer gives its servers to another process. This happens even if its
// sessions continue and only a single player gives a command. It takes its share back when requests are answered again.
func TestWithoutAnAnswerServersGoToAnotherProcess(t *testing.T) {
	t.Parallel()
	const count = 2
	leases := shardstest.New(timesource.System{})
	var cut atomic.Bool
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Leases, r.Grace = leases, time.Minute
		r.Transport = func(to http.RoundTripper) http.RoundTripper {
			return bottest.RoundTripFunc(func(q *http.Request) (*http.Response, error) {
				if cut.Load() {
					return nil, io.ErrUnexpectedEOF
				}
				return to.RoundTrip(q)
			})
		}
	}, func(o *localdiscord.Options) { o.Servers, o.Shards, o.MaxConcurrency = count, count, count })
	first := leases.Owners()[0]
	r.Transport = nil
	stop := r.Join()
	defer stop()
	owned := func() (n int) {
		for _, owner := range leases.Owners() {
			if owner == first {
				n++
			}
		}
		return n
	}
	r.Eventually("the second process has its share", func() bool { return owned() == count/2 })
	place := localdiscord.PlaceAt(slices.Index(leases.Owners(), first))
	cut.Store(true)
	asking, cancel := context.WithCancel(r.Ctx)
	var asked sync.WaitGroup
	// This request gets no answer.
	asked.Go(func() { _, _ = r.Server.Command(asking, place.Owner, place.Tables, "help") })
	r.Eventually("the second process has all servers", func() bool { return owned() == 0 })
	cancel()
	asked.Wait()
	r.Eventually("the other process answers", func() bool {
		_, err := r.Server.Command(r.Ctx, place.Owner, place.Tables, "help")
		return err == nil
	})
	cut.Store(false)
	r.Eventually("the first process has its share again", func() bool { return owned() == count/2 })
}

// A process that takes over a server posts the puzzle of the day there immediately if it is missing.
func TestThePuzzleOfTheDayIsPostedAfterATakeover(t *testing.T) {
	t.Parallel()
	const count, day = 2, 20_700
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Leases, r.Grace, r.Clock = shardstest.New(timesource.System{}), time.Minute, bottest.MorningOf(day)
	}, func(o *localdiscord.Options) { o.Servers, o.Shards, o.MaxConcurrency = count, count, count })
	stop := r.Join()
	defer stop()
	// No process notices the missing puzzles before the takeover, because no command set the channel and the clock
	// stands still.
	for i := range count {
		p := localdiscord.PlaceAt(i)
		if _, err := r.Tables.Choices.ChangeSettings(r.Ctx, p.Guild,
			func(s *choices.Settings) { s.PuzzleChannel = p.Tables }); err != nil {
			t.Fatal(err)
		}
	}
	r.Leave()
	r.Eventually("a server of the process that has left has its puzzle", func() bool {
		for i := range count {
			p := localdiscord.PlaceAt(i)
			if len(r.DailyPosts(p.Tables, p.Owner)) > 0 {
				return true
			}
		}
		return false
	})
}

// The metrics of a process that shares a store include the number of its shard leases.
func TestMetricsTellOfShards(t *testing.T) {
	t.Parallel()
	const count = 3
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Leases, r.Metrics = shardstest.New(timesource.System{}), metrics.New(metrics.Build{})
	}, func(o *localdiscord.Options) { o.Servers, o.Shards, o.MaxConcurrency = count, count, count })
	want := []string{"\nmarque_shards 3\n", "\nmarque_shards_held 3\n", "\nmarque_shards_lapsed 0\n"}
	r.Eventually("the metrics tell of three shards", func() bool {
		w := httptest.NewRecorder()
		r.Metrics.Handler(false).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		said := w.Body.String()
		return !slices.ContainsFunc(want, func(line string) bool { return !strings.Contains(said, line) })
	})
}
