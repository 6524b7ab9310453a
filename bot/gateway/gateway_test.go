package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
)

// harbour is a local Discord, and a gateway on whose clock no pause takes any time.
func harbour(t *testing.T, options ...func(*localdiscord.Options)) (*localdiscord.Server, *Gateway, *manual.Hasty) {
	t.Helper()
	o := localdiscord.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Requests: localdiscord.Unlimited}
	for _, f := range options {
		f(&o)
	}
	srv := localdiscord.New(o)
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	s, err := NewSession(srv.Token(), srv.HTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	clock := &manual.Hasty{}
	g := New(s, clock, slog.New(slog.DiscardHandler))
	g.pace.grant(Sharding{Shards: 1, Concurrency: 1})
	g.limit = 10 * time.Minute // the machine may be busy
	return srv, g, clock
}

// Whatever goes wrong before the gateway lets the bot in, the attempt ends in time, and the next one works.
func TestHandshakesThatGoWrong(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]localdiscord.Handshake{
		"no Hello": localdiscord.NoHello, "no READY": localdiscord.NoReady,
		"invalid session":     localdiscord.AnswerInvalid,
		"interrupted session": localdiscord.AnswerInterrupted, "asked to reconnect": localdiscord.AnswerReconnect,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, g, _ := harbour(t)
			srv.Gateway.FailHandshakes(fault)
			// On a busy machine, a short time may not be enough to get as far as the fault.
			l := g.Link(Shard{0, 1})
			for g.limit = 100 * time.Millisecond; srv.Gateway.HandshakesLeft() > 0; g.limit *= 2 {
				if err := l.connect(t.Context()); !errors.Is(err, errNoAnswer) && !errors.Is(err, errNotBegun) {
					t.Fatalf("connecting: %v, want %v or %v", err, errNoAnswer, errNotBegun)
				}
			}
			g.limit = 10 * time.Minute
			if err := l.connect(t.Context()); err != nil {
				t.Fatalf("the next attempt: %v", err)
			}
			l.leave()
		})
	}
}

// A stop does not wait for a gateway that says nothing.
func TestConnectingIsBrokenOff(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]localdiscord.Handshake{"no Hello": localdiscord.NoHello,
		"no READY": localdiscord.NoReady} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, g, _ := harbour(t)
			srv.Gateway.FailHandshakes(fault)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error)
			go func() { ended <- g.Open(ctx) }()
			if err := srv.Wait(ctx, func() bool { return srv.Gateway.HandshakesLeft() == 0 }); err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("connecting, broken off: %v, want %v", err, context.Canceled)
			}
		})
	}
}

// A bot that is thrown out again and again identifies no faster than Discord allows, and fewer than a thousand times a
// day, which would cost its token.
func TestIdentifyingIsPaced(t *testing.T) {
	t.Parallel()
	_, g, clock := harbour(t)
	l := g.Link(Shard{0, 1})
	for range burst + 3 {
		if err := l.reconnect(t.Context()); err != nil {
			t.Fatal(err)
		}
		l.conn.cut()
	}
	long := 0
	for _, d := range clock.Pauses() {
		if d > maxPause-identifyPause {
			long++
		} else if d > identifyPause {
			t.Errorf("a pause of %v, want up to %v or about %v", d, identifyPause, maxPause)
		}
	}
	if long != 3 {
		t.Errorf("%d connections one after the other, with the pauses %v; want %v before each of the last 3", burst+3,
			clock.Pauses(), maxPause)
	}
}

// A process that cannot reach the gateway takes no turns to identify from others, but for its first attempt, and takes
// one again as soon as it can.
func TestWithoutAGatewayNoTurnsAreTaken(t *testing.T) {
	t.Parallel()
	_, g, _ := harbour(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	gone, turns := true, 0
	to := g.requests.Client.Transport
	g.requests.Client.Transport = tripper(func(q *http.Request) (*http.Response, error) {
		if !gone || !strings.HasSuffix(q.URL.Path, "/gateway") {
			return to.RoundTrip(q)
		}
		w := httptest.NewRecorder()
		fmt.Fprintf(w, `{"url":%q}`, "ws"+strings.TrimPrefix(closed.URL, "http"))
		return w.Result(), nil
	})
	g.Share(func(context.Context, int, time.Duration) (time.Duration, error) { turns++; return 0, nil })
	l := g.Link(Shard{0, 1})
	for range 5 {
		if err := l.begin(t.Context()); err == nil {
			t.Fatal("it is connected to a gateway that is gone")
		}
	}
	if turns != 1 {
		t.Errorf("five attempts took %d turns, want 1", turns)
	}
	gone = false
	if err := l.begin(t.Context()); err != nil || turns != 2 {
		t.Fatalf("with a gateway again: %v, %d turns, want 2", err, turns)
	}
	l.leave()
}

// tripper is an http.RoundTripper.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }

// One process serves as many shards as Discord recommends, each server by its own shard. No session begins sooner than
// Discord allows, and the first one that Discord refuses for good ends them all.
func TestAllShardsAreServed(t *testing.T) {
	t.Parallel()
	const shards, concurrency = 12, 3
	_, clocked, _ := harbour(t)
	clocked.pace.grant(Sharding{Shards: shards, Concurrency: concurrency})
	ahead := map[int]time.Duration{}
	for shard := range shards {
		if ahead[shard%concurrency] += identifyPause; clocked.pace.take(shard) > ahead[shard%concurrency] {
			t.Errorf("shard %d waits for other remainders", shard)
		}
	}
	if d := clocked.pace.take(0); d < time.Duration(shards/concurrency)*identifyPause-time.Second {
		t.Errorf("after %d shards, %d at once, the next turn is in %v", shards, concurrency, d)
	}

	srv, g, _ := harbour(t, func(o *localdiscord.Options) {
		o.Servers, o.Shards, o.MaxConcurrency = 60, shards,
			concurrency
	})
	var mu sync.Mutex
	told := map[string]int{}
	heard := make(chan struct{}, 1000)
	g.On(func(e *discordgo.GuildCreate) {
		mu.Lock()
		defer mu.Unlock()
		told[e.ID]++
		heard <- struct{}{}
	})
	online := make(chan bool, 1000)
	g.OnConnection(func(up bool) { online <- up })
	if err := g.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := srv.Gateway.Shards(); len(n) != shards {
		t.Errorf("%v are connected, want each of %d", n, shards)
	}
	for range 62 {
		<-heard
	}
	mu.Lock()
	for guild, n := range maps.All(told) {
		if n != 1 {
			t.Errorf("server %s was told of %d times", guild, n)
		}
	}
	mu.Unlock()
	if up, _ := g.Health(); !up {
		t.Error("all shards are connected, and it is not up")
	}

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	kept := make(chan error, 1)
	go func() { kept <- g.Keep(ctx) }()
	begun, _ := srv.Gateway.Sessions()
	srv.Gateway.Drop()
	if err := srv.Wait(ctx, func() bool {
		n, _ := srv.Gateway.Sessions()
		return n == begun+shards && srv.Gateway.Connected() == shards
	}); err != nil {
		t.Fatal(err)
	}
	for back := false; !back; {
		up := <-online
		g.connecting.Lock()
		back = up && g.down == 0
		g.connecting.Unlock()
	}
	srv.Gateway.RefuseIdentify(4011)
	srv.Gateway.DropShard(5)
	var se *StartError
	if err := <-kept; !errors.As(err, &se) || !strings.Contains(err.Error(), "MARQUE_SHARDS") {
		t.Errorf("a shard that Discord refuses ends it with %v", err)
	}
	// The bot has closed the others; the server hears of each a moment later.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := srv.Wait(ctx, func() bool { return srv.Gateway.Connected() == 0 }); err != nil {
		t.Errorf("%d shards are still connected", srv.Gateway.Connected())
	}
	if up := <-online; up {
		t.Error("a connection is lost, and it is said that all are there")
	}
}

// A lost connection comes back even while those that are told of it hang; they hear of the loss and the return, in
// order.
func TestReconnectingWaitsForNobody(t *testing.T) {
	t.Parallel()
	srv, g, _ := harbour(t)
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	may, heard := make(chan struct{}), make(chan bool, 10)
	g.OnConnection(func(up bool) {
		<-may
		heard <- up
	})
	if err := g.Open(ctx); err != nil {
		t.Fatal(err)
	}
	kept := make(chan error, 1)
	go func() { kept <- g.Keep(ctx) }()
	srv.Gateway.Drop()
	if err := srv.Wait(ctx, func() bool {
		begun, _ := srv.Gateway.Sessions()
		return begun == 2 && srv.Gateway.Connected() == 1
	}); err != nil {
		t.Error("it is not connected again:", err)
	}
	close(may)
	for _, want := range []bool{false, true} {
		if up := <-heard; up != want {
			t.Errorf("it is said that it is connected: %t, want %t", up, want)
		}
	}
	stop()
	if err := <-kept; err != nil {
		t.Error(err)
	}
}

// A number of shards can be forced. A bot that has too few sessions left for today begins none, because that would cost
// its token.
func TestShardsAreForcedAndSessionsCounted(t *testing.T) {
	t.Parallel()
	srv, g, _ := harbour(t, func(o *localdiscord.Options) { o.Shards = 4 })
	g.Force(2)
	if err := g.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, l := range g.links {
		l.leave()
	}
	if n := srv.Gateway.Shards(); len(n) > 2 || n[[2]int64{0, 4}] != 0 {
		t.Errorf("connected are %v", n)
	}
	srv.AddFault(localdiscord.Fault{Path: "/gateway/bot", Status: 200,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   `{"url": "wss://x", "shards": 4, "session_start_limit": {"total": 1000, "remaining": 3, "reset_after": 7200000, "max_concurrency": 1}}`})
	g.Force(0)
	begun, _ := srv.Gateway.Sessions()
	var se *StartError
	if err := g.Open(t.Context()); !errors.As(err, &se) || !strings.Contains(err.Error(), "3 more sessions") ||
		!strings.Contains(err.Error(), "2h0m0s") {
		t.Errorf("with 3 sessions left for 4 shards: %v", err)
	}
	if now, _ := srv.Gateway.Sessions(); now != begun {
		t.Errorf("%d sessions were begun", now-begun)
	}
}
