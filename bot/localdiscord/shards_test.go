package localdiscord

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"marque/bot/timesource/manual"
)

// rawSession is a gateway connection that a test reads packet by packet.
type rawSession struct {
	t  testing.TB
	ws *websocket.Conn
}

// identifyRaw connects and identifies for a shard, but does not read the answer.
func identifyRaw(t testing.TB, srv *Server, shard, shards int) rawSession {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(srv.URL(), "http")+"gateway/", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	s := rawSession{t, ws}
	s.identify(srv, shard, shards)
	return s
}

func (s rawSession) identify(srv *Server, shard, shards int) {
	s.t.Helper()
	err := s.ws.WriteJSON(map[string]any{"op": opIdentify, "d": map[string]any{
		"token": srv.Token(), "intents": intentGuilds | intentDirectMessages, "shard": []int{shard, shards},
	}})
	if err != nil {
		s.t.Fatal(err)
	}
}

// next returns the next packet other than Hello.
func (s rawSession) next() (f frame) {
	s.t.Helper()
	for f.Op = opHello; f.Op == opHello; {
		f = frame{}
		if err := s.ws.ReadJSON(&f); err != nil {
			s.t.Fatal(err)
		}
	}
	return f
}

// until reads packets up to an event of this type whose data contain what. It returns all packets that it has read.
func (s rawSession) until(event, what string) (all []frame) {
	s.t.Helper()
	for {
		f := s.next()
		all = append(all, f)
		if f.Type != nil && *f.Type == event && strings.Contains(string(f.Data), what) {
			return all
		}
	}
}

// A session gets an event for each of its servers, even if there are thousands. A session that reads slowly is not
// dropped.
func TestASessionHearsOfManyServers(t *testing.T) {
	t.Parallel()
	const servers = 8 * queueLength // more than the network buffers hold
	srv := New(Options{Requests: Unlimited, Servers: servers})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	session := identifyRaw(t, srv, 0, 1)
	// The session reads nothing until all events are queued.
	if err := srv.Wait(background(t), func() bool { return len(srv.Gateway.Shards()) > 0 }); err != nil {
		t.Fatal("the session does not begin:", err)
	}
	created := 0
	for _, f := range session.until("GUILD_CREATE", PlaceAt(servers-1).Guild) {
		if f.Type != nil && *f.Type == "GUILD_CREATE" {
			created++
		}
	}
	if created < servers {
		t.Errorf("of %d servers a session hears of %d", servers, created)
	}
}

// A call to Wait learns at once that a session too many has cost the bot its token.
func TestASessionTooManyIsSeen(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	identifyRaw(t, srv, 0, 1).until("READY", "")
	srv.Gateway.Spend(sessionsADay)
	waits, seen := make(chan bool, 9), make(chan error)
	go func() {
		seen <- srv.Wait(background(t), func() bool {
			waits <- true
			return srv.Gateway.Connected() == 0
		})
	}()
	<-waits
	identifyRaw(t, srv, 0, 1)
	if err := <-seen; err != nil || srv.Token() != "" {
		t.Errorf("error %v, token %q", err, srv.Token())
	}
}

// Each of three hundred servers belongs to one shard by Discord's formula, and events without a server belong to shard
// 0. Two sessions of the same shard both get the shard's events.
func TestShardsGetTheirServers(t *testing.T) {
	t.Parallel()
	const servers, shards = 300, 12
	srv := New(Options{Requests: Unlimited, Servers: servers, Shards: shards})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })

	sessions, of := make([]rawSession, shards), map[string]int{}
	for shard := range shards {
		sessions[shard] = identifyRaw(t, srv, shard, shards)
		var ready struct {
			Shard  []int
			Guilds []struct{ ID string }
		}
		if err := json.Unmarshal(sessions[shard].next().Data, &ready); err != nil {
			t.Fatal(err)
		}
		if len(ready.Shard) != 2 || ready.Shard[0] != shard || ready.Shard[1] != shards ||
			len(ready.Guilds) < servers/shards {
			t.Errorf("shard %d is told that it is %v, and of %d servers", shard, ready.Shard, len(ready.Guilds))
		}
		for _, g := range ready.Guilds {
			id, _ := strconv.ParseUint(g.ID, 10, 64)
			if _, twice := of[g.ID]; twice || (id>>22)%shards != uint64(shard) {
				t.Errorf("server %s is shard %d's", g.ID, shard)
			}
			of[g.ID] = shard
		}
	}
	if len(of) != servers+2 {
		t.Errorf("%d servers are told of, want %d", len(of), servers+2)
	}

	shared := PlaceAt(7).Guild
	twin := identifyRaw(t, srv, of[shared], shards)
	twin.until("GUILD_CREATE", shared)
	if n := srv.Gateway.Shards()[[2]int64{int64(of[shared]), shards}]; n != 2 {
		t.Errorf("%d sessions serve the shard, want 2", n)
	}
	dm := must[string](t)(srv.DM(Anne))
	must[*Message](t)(srv.Say(Anne, dm, "to shard 0"))
	must[string](t)(srv.Admin.AddChannel(shared, "shared"))
	marked := map[int]bool{}
	for guild, shard := range of {
		if !marked[shard] {
			marked[shard] = true
			must[string](t)(srv.Admin.AddChannel(guild, "mark"))
		}
	}
	for shard, s := range append(sessions, twin) {
		if shard == shards {
			shard = of[shared]
		}
		dms, channels := 0, 0
		for _, f := range s.until("CHANNEL_CREATE", `"mark"`) {
			switch {
			case f.Type != nil && *f.Type == "MESSAGE_CREATE":
				dms++
			case f.Type != nil && *f.Type == "CHANNEL_CREATE" && strings.Contains(string(f.Data), `"shared"`):
				channels++
			}
		}
		if (dms == 1) != (shard == 0) || (channels == 1) != (shard == of[shared]) {
			t.Errorf("shard %d heard of %d direct messages and %d channels of shard %d's server", shard, dms, channels,
				of[shared])
		}
	}
}

// A session that identifies sooner than Discord allows is refused as invalid, and can identify again on the same
// connection. Shards that have different remainders modulo max_concurrency do not wait for each other.
func TestHastySessionsAreInvalid(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Now())
	srv := New(Options{Requests: Unlimited, Clock: clock, Shards: 4, MaxConcurrency: 2, IdentifyPause: 5 * time.Second})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	want := func(s rawSession, op int, what string) {
		t.Helper()
		if got := s.next(); got.Op != op {
			t.Errorf("%s is answered with opcode %d, %s; want %d", what, got.Op, got.Data, op)
		}
	}
	want(identifyRaw(t, srv, 0, 4), opDispatch, "the first session")
	want(identifyRaw(t, srv, 1, 4), opDispatch, "a session of the other remainder")
	clock.Advance(4999 * time.Millisecond)
	early := identifyRaw(t, srv, 2, 4)
	want(early, opInvalidSession, "a session of the same remainder after 4.999 s")
	clock.Advance(time.Millisecond)
	early.identify(srv, 2, 4)
	want(early, opDispatch, "the same, after 5 s")
	if n := srv.Gateway.TooEarly(); n != 1 {
		t.Errorf("%d sessions came too early, want 1", n)
	}
}

// GET /gateway/bot returns the recommended number of shards and the number of sessions that can begin.
func TestGatewayBotSaysHowToConnect(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Now())
	srv := New(Options{Requests: Unlimited, Clock: clock, Shards: 12, MaxConcurrency: 3})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	identifyRaw(t, srv, 5, 12).next()
	clock.Advance(time.Hour)
	s, err := discordgo.New("Bot " + srv.Token())
	if err != nil {
		t.Fatal(err)
	}
	s.Client = srv.HTTPClient()
	t.Cleanup(s.Client.CloseIdleConnections)
	got, err := s.GatewayBot()
	if err != nil {
		t.Fatal(err)
	}
	limit := discordgo.SessionInformation{Total: 1000, Remaining: 999, ResetAfter: int((23 * time.Hour).Milliseconds()),
		MaxConcurrency: 3}
	if got.Shards != 12 || got.SessionStartLimit != limit {
		t.Errorf("told of %d shards and %+v, want 12 and %+v", got.Shards, got.SessionStartLimit, limit)
	}
	clock.Advance(23 * time.Hour)
	if got, err = s.GatewayBot(); err != nil || got.SessionStartLimit.Remaining != 1000 {
		t.Errorf("a day later %d sessions are left (%v), want 1000", got.SessionStartLimit.Remaining, err)
	}
}
