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
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord"
	"marque/bot/timesource"
	"marque/bot/timesource/manual"
)

// harbour returns a local Discord, and a gateway with a clock on which pauses take no time.
func harbour(t *testing.T, options ...func(*localdiscord.Options)) (*localdiscord.Server, *Gateway, *manual.Hasty) {
	t.Helper()
	clock := &manual.Hasty{}
	o := localdiscord.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Requests: localdiscord.Unlimited,
		Clock: clock}
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
	g := New(s, clock, slog.New(slog.DiscardHandler))
	g.pace.grant(Sharding{Shards: 1, Concurrency: 1})
	g.limit = 10 * time.Minute // the machine may be busy
	return srv, g, clock
}

// An attempt to connect ends in time if the gateway is silent, breaks off or refuses the session, and the next attempt
// succeeds.
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
			// On a busy machine, an attempt can time out before it reaches the fault.
			l := g.Link(Shard{0, 1})
			for g.limit = 100 * time.Millisecond; srv.Gateway.HandshakesLeft() > 0; g.limit *= 2 {
				err := l.begin(t.Context(), running)
				if err == nil { // the previous attempt met the fault, but had timed out
					l.leave()
					srv.Gateway.FailHandshakes(fault)
				} else if !errors.Is(err, errNoAnswer) && !errors.Is(err, errNotBegun) &&
					!errors.Is(err, context.DeadlineExceeded) {
					t.Fatalf("connecting: %v, want %v or %v", err, errNoAnswer, errNotBegun)
				}
			}
			g.limit = 10 * time.Minute
			if err := l.begin(t.Context(), running); err != nil {
				t.Fatalf("the next attempt: %v", err)
			}
			l.leave()
		})
	}
}

// A stop during an attempt to connect does not wait for a Hello or a READY that does not come.
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

// A bot whose sessions are ended again and again for a day begins no session sooner than Discord allows, and keeps a
// tenth of the day's sessions in reserve. Its longest pause is at least maxPause. Discord resets the token of a bot
// that begins too many sessions. The connections break either immediately or after a minute.
func TestADayOfLostSessions(t *testing.T) {
	t.Parallel()
	for name, lasts := range map[string]time.Duration{"at once": 0, "after a minute": steady} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, g, clock := harbour(t, func(o *localdiscord.Options) { o.IdentifyPause = 5 * time.Second })
			l := g.Link(Shard{0, 1})
			if err := l.begin(t.Context(), starting); err != nil {
				t.Fatal(err)
			}
			began := clock.Now()
			srv.Gateway.Spend(450) // other processes begin sessions too
			for clock.Now().Sub(began) < 24*time.Hour {
				l.since = l.since.Add(-lasts)
				l.conn.session.end()
				l.conn.cut()
				if err := l.reconnect(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			l.leave()
			begun, _ := srv.Gateway.Sessions()
			longest := slices.Max(clock.Pauses())
			t.Logf("%d sessions, the longest pause was %v", begun, longest)
			if begun > 452 || begun < 300 { // the last two sessions are of the next day
				t.Errorf("%d sessions were begun in a day, want the 450 that are left of 900, or somewhat fewer", begun)
			}
			if longest < maxPause {
				t.Errorf("the longest pause was %v", longest)
			}
			if n := srv.Gateway.TooEarly(); n > 0 {
				t.Errorf("%d sessions were begun too early", n)
			}
		})
	}
}

// While only the reserve of sessions is left, no session replaces a lost one, and Held returns the time at which
// Discord grants more. A start can use the reserve.
func TestTheReserveOfSessionsIsKept(t *testing.T) {
	t.Parallel()
	srv, g, _ := harbour(t)
	clock := manual.NewClock(time.Now())
	g.clock, g.pace.clock = clock, clock
	srv.Gateway.Spend(905)
	l := g.Link(Shard{0, 1})
	if err := l.begin(t.Context(), starting); err != nil {
		t.Fatal("a start:", err)
	}
	if until := g.Held(); !until.IsZero() {
		t.Errorf("a start is held until %v", until)
	}
	ctx, stop := context.WithCancel(t.Context())
	kept := make(chan error, 1)
	go func() { kept <- l.Keep(ctx) }()
	srv.Gateway.Invalidate(false)
	for g.Held().IsZero() && t.Context().Err() == nil {
		clock.Advance(time.Second)
		runtime.Gosched()
	}
	if in := g.Held().Sub(clock.Now()); in < 23*time.Hour || in > 24*time.Hour {
		t.Errorf("with 94 of 1000 sessions left, the next begins in %v, want a day", in)
	}
	if begun, _ := srv.Gateway.Sessions(); begun != 1 {
		t.Errorf("%d sessions were begun, want the first alone", begun)
	}
	stop()
	if err := <-kept; err != nil {
		t.Error(err)
	}
}

// gap is a gateway that keeps a connection up, and counts the events about new channels.
type gap struct {
	t    *testing.T
	srv  *localdiscord.Server
	g    *Gateway
	link *Link

	mu    sync.Mutex
	heard map[string]int // number of events about new channels, by the channel's name
	said  chan struct{}
	lost  func() // called when the connection is lost, before the next attempt
}

func openGap(t *testing.T, options ...func(*localdiscord.Options)) *gap {
	t.Helper()
	srv, g, _ := harbour(t, options...)
	s := &gap{t: t, srv: srv, g: g, heard: map[string]int{}, said: make(chan struct{}, 1000), lost: func() {}}
	g.On(func(e *discordgo.ChannelCreate) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.heard[e.Name]++
		s.said <- struct{}{}
	})
	s.link = g.Link(Shard{0, 1})
	s.link.told = func(up bool) {
		s.mu.Lock()
		lost := s.lost
		s.mu.Unlock()
		if !up {
			lost()
		}
	}
	if err := s.link.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	kept := make(chan error, 1)
	go func() { kept <- s.link.Keep(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-kept; err != nil {
			t.Error(err)
		}
	})
	return s
}

// breaks cuts the connection by a fault. It creates one channel before the next attempt and another one afterwards, and
// fails the test unless the event of each arrives once.
func (s *gap) breaks(name string, fault func()) {
	s.t.Helper()
	var once sync.Once
	s.mu.Lock()
	s.lost = func() {
		once.Do(func() {
			if _, err := s.srv.Admin.AddChannel(localdiscord.Tortuga, name); err != nil {
				s.t.Error(err)
			}
		})
	}
	s.mu.Unlock()
	fault()
	s.hears(name)
	if _, err := s.srv.Admin.AddChannel(localdiscord.Tortuga, name+"-then"); err != nil {
		s.t.Error(err)
	}
	s.hears(name + "-then")
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.heard[name] != 1 || s.heard[name+"-then"] != 1 {
		s.t.Errorf("%s: heard of %v, want each channel once", name, s.heard)
	}
}

func (s *gap) hears(name string) {
	s.t.Helper()
	for {
		s.mu.Lock()
		n := s.heard[name]
		s.mu.Unlock()
		if n > 0 {
			return
		}
		select {
		case <-s.said:
		case <-time.After(5 * time.Minute):
			s.t.Fatalf("nothing is heard of the channel %s", name)
		}
	}
}

// Events that occur while the connection is broken arrive once over the next connection, and reconnecting uses up no
// session. This holds when the connection breaks, when Discord asks to reconnect, and when Discord closes it for a
// reason that does not end the session. The first attempts to reconnect may fail.
func TestSessionsAreResumed(t *testing.T) {
	t.Parallel()
	s := openGap(t)
	for i, fault := range []struct {
		name string
		of   func()
	}{
		{"dropped", s.srv.Gateway.Drop},
		{"op 7", s.srv.Gateway.RequestReconnect},
		{"op 9 with true", func() { s.srv.Gateway.Invalidate(true) }},
		{"4000", func() { s.srv.Gateway.Close(4000) }},
		{"4001", func() { s.srv.Gateway.Close(4001) }},
		{"4008", func() { s.srv.Gateway.Close(4008) }},
		{"1001", func() { s.srv.Gateway.Close(1001) }},
		{"asked to reconnect while it resumes", func() {
			s.srv.Gateway.FailHandshakes(localdiscord.AnswerReconnect)
			s.srv.Gateway.Drop()
		}},
		{"interrupted while it resumes", func() {
			s.srv.Gateway.FailHandshakes(localdiscord.AnswerInterrupted, localdiscord.AnswerInterrupted)
			s.srv.Gateway.Drop()
		}},
	} {
		s.breaks(fmt.Sprint("gap-", i), fault.of)
		if begun, resumed := s.srv.Gateway.Sessions(); begun != 1 || resumed != i+1 {
			t.Fatalf("%s: %d sessions were begun and %d resumed, want 1 and %d", fault.name, begun, resumed, i+1)
		}
	}
}

// The bot tries to connect at least every eight seconds while the gateway is unreachable, with or without a session to
// resume, as long as that uses up no session. Users are therefore answered soon after the end of an outage.
func TestTheEndOfAnOutageIsSoonNoticed(t *testing.T) {
	t.Parallel()
	for name, over := range map[string]bool{"the session goes on": false, "the session is over": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, g, clock := harbour(t)
			l := g.Link(Shard{0, 1})
			if err := l.begin(t.Context(), starting); err != nil {
				t.Fatal(err)
			}
			tries := 0
			to := g.requests.Client.Transport
			g.requests.Client.Transport = tripper(func(q *http.Request) (*http.Response, error) {
				if tries++; tries < 30 {
					return nil, errors.New("no route to host")
				}
				return to.RoundTrip(q)
			})
			if over {
				l.conn.session.end()
			} else {
				srv.Gateway.FailHandshakes(localdiscord.AnswerReconnect) // the bot then asks Discord for the address
			}
			l.conn.cut()
			if err := l.reconnect(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.leave()
			if longest := slices.Max(clock.Pauses()); tries < 30 || longest > seekPause {
				t.Errorf("after %d requests the longest pause was %v, want %v at most", tries, longest, seekPause)
			}
		})
	}
}

// A connection that is dead but not closed is replaced when its heartbeats get no answer.
func TestDeadConnectionsAreLeft(t *testing.T) {
	t.Parallel()
	s := openGap(t, func(o *localdiscord.Options) { o.Heartbeats = 200 * time.Millisecond })
	s.breaks("dead", s.srv.Gateway.Die)
	if begun, resumed := s.srv.Gateway.Sessions(); begun != 1 || resumed < 1 {
		t.Errorf("%d sessions were begun and %d resumed, want 1 and at least 1", begun, resumed)
	}
}

// The bot begins another session when Discord says that its session is over.
func TestSessionsThatAreOverBeginAnew(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*localdiscord.Gateway){
		"op 9 with false": func(gw *localdiscord.Gateway) { gw.Invalidate(false) },
		"4003":            func(gw *localdiscord.Gateway) { gw.Close(4003) },
		"4007":            func(gw *localdiscord.Gateway) { gw.Close(4007) },
		"4009":            func(gw *localdiscord.Gateway) { gw.Close(4009) },
		"op 9 to the attempt to resume": func(gw *localdiscord.Gateway) {
			gw.FailHandshakes(localdiscord.AnswerInvalid)
			gw.Drop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openGap(t)
			fault(s.srv.Gateway)
			if err := s.srv.Wait(t.Context(), func() bool {
				begun, _ := s.srv.Gateway.Sessions()
				return begun == 2 && s.srv.Gateway.Connected() == 1
			}); err != nil {
				t.Fatal(err)
			}
			if _, resumed := s.srv.Gateway.Sessions(); resumed != 0 {
				t.Errorf("%d sessions were resumed", resumed)
			}
		})
	}
}

// Interactions made while there is no connection are dispatched as missed over the next connection. Later interactions
// are not marked as missed.
func TestMissedInteractionsAreCalledMissed(t *testing.T) {
	t.Parallel()
	srv, g, _ := harbour(t, func(o *localdiscord.Options) {
		o.Clock, o.AnswerWithin = timesource.System{}, 10*time.Minute
	})
	answered := make(chan bool, 10)
	g.On(func(missed bool, e *discordgo.InteractionCreate) {
		err := g.requests.InteractionRespond(e.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "Ahoy"}})
		if err != nil {
			t.Error(err)
		}
		answered <- missed
	})
	if _, err := g.requests.ApplicationCommandBulkOverwrite(localdiscord.Application, "",
		[]*discordgo.ApplicationCommand{{Name: "ahoy", Description: "Says ahoy"}}); err != nil {
		t.Fatal(err)
	}
	l := g.Link(Shard{0, 1})
	if err := l.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	say := func() {
		if _, err := srv.Command(t.Context(), localdiscord.Anne, localdiscord.TortugaTables, "ahoy"); err != nil {
			t.Error(err)
		}
	}
	srv.Gateway.Drop()
	<-l.conn.over.Done()
	var saying sync.WaitGroup
	saying.Go(say)
	if err := srv.Wait(t.Context(), func() bool { return srv.Unanswered() == 1 }); err != nil {
		t.Fatal(err)
	}
	if err := l.reconnect(t.Context()); err != nil {
		t.Fatal(err)
	}
	saying.Wait()
	say()
	l.leave()
	if first, second := <-answered, <-answered; !first || second {
		t.Errorf("the one in the gap is missed: %t, the one after it: %t", first, second)
	}
}

// A process that cannot reach the gateway takes only one of the turns to identify that processes share, for its first
// attempt. It takes another as soon as it can reach the gateway.
func TestWithoutAGatewayNoTurnsAreTaken(t *testing.T) {
	t.Parallel()
	_, g, _ := harbour(t)
	closed := httptest.NewServer(nil)
	closed.Close()
	gone, turns := true, 0
	to := g.requests.Client.Transport
	g.requests.Client.Transport = tripper(func(q *http.Request) (*http.Response, error) {
		if !gone || !strings.HasSuffix(q.URL.Path, "/gateway/bot") {
			return to.RoundTrip(q)
		}
		w := httptest.NewRecorder()
		fmt.Fprintf(w, `{"url":%q}`, "ws"+strings.TrimPrefix(closed.URL, "http"))
		return w.Result(), nil
	})
	g.Share(func(context.Context, int, time.Duration) (time.Duration, error) { turns++; return 0, nil })
	l := g.Link(Shard{0, 1})
	for range 5 {
		if err := l.begin(t.Context(), running); err == nil {
			t.Fatal("it is connected to a gateway that is gone")
		}
	}
	if turns != 1 {
		t.Errorf("five attempts took %d turns, want 1", turns)
	}
	gone = false
	if err := l.begin(t.Context(), running); err != nil || turns != 2 {
		t.Fatalf("with a gateway again: %v, %d turns, want 2", err, turns)
	}
	l.leave()
}

// tripper is a function as an http.RoundTripper.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }

// One process serves as many shards as Discord recommends, and gets one event for each server. Shards of one group take
// turns to identify, and do not wait for other groups. If Discord permanently refuses a session, Keep returns a
// *StartError and all connections end.
func TestAllShardsAreServed(t *testing.T) {
	t.Parallel()
	const shards, concurrency = 12, 3
	_, clocked, _ := harbour(t)
	clocked.pace.grant(Sharding{Shards: shards, Concurrency: concurrency})
	ahead := map[int]time.Duration{}
	for shard := range shards {
		if ahead[shard%concurrency] += identifyPause; clocked.pace.take(shard, 0) > ahead[shard%concurrency] {
			t.Errorf("shard %d waits for other remainders", shard)
		}
	}
	if d := clocked.pace.take(0, 0); d < time.Duration(shards/concurrency)*identifyPause-time.Second {
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
		n, resumed := srv.Gateway.Sessions()
		return n == begun && resumed == shards && srv.Gateway.Connected() == shards
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
	srv.Gateway.FailHandshakes(localdiscord.AnswerInvalid)
	srv.Gateway.DropShard(5)
	var se *StartError
	if err := <-kept; !errors.As(err, &se) || !strings.Contains(err.Error(), "MARQUE_SHARDS") {
		t.Errorf("a shard that Discord refuses ends it with %v", err)
	}
	// The bot has closed the other connections, but the local Discord notices each a moment later.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := srv.Wait(ctx, func() bool { return srv.Gateway.Connected() == 0 }); err != nil {
		t.Errorf("%d shards are still connected", srv.Gateway.Connected())
	}
	if up := <-online; up {
		t.Error("a connection is lost, and it is said that all are there")
	}
}

// A lost connection is restored even while the function of OnConnection hangs. The function is called first for the
// loss and then for the return.
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
		_, resumed := srv.Gateway.Sessions()
		return resumed == 1 && srv.Gateway.Connected() == 1
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

// The number of shards can be forced. A bot with fewer sessions left today than shards begins none, because Discord
// resets the token of a bot that begins too many.
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
