// Package gateway keeps the bot connected to Discord, registers its commands, and hands over what it is
// told.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"marque/bot/rest"
)

// StartError is a reason not to run that an operator can mend: Error is one sentence that says what
// to do.
type StartError struct {
	sentence string
	err      error
}

// Error is the sentence.
func (e *StartError) Error() string { return e.sentence }

// Unwrap is what happened.
func (e *StartError) Unwrap() error { return e.err }

// Gateway keeps the bot connected. The library would retry for ever what can never succeed, a wrong
// token for example, so reconnecting is ours.
//
// Each connection has a session of the library to itself, and none is resumed: Open holds the
// session's lock until the first packet is dealt with, and Invalid Session and Reconnect take that
// lock again, so that a resume which Discord refuses, as it does every day, would block the session
// for ever. What happened while there was no connection is told by READY and by the events after
// it.
type Gateway struct {
	requests *discordgo.Session // the connections have its token and its client
	handlers []any              // of events, as Session.AddHandler takes them; called in the order of the events, and none may take long
	log      *slog.Logger
	wait     func(context.Context, time.Duration) error
	online   func(bool)    // told when the connection is lost and when it is back
	limit    time.Duration // for making a connection

	// What follows belongs to who opens and keeps the connection, one goroutine at a time.
	conn  *connection
	begun []time.Time // when the latest connections were begun, burst at most

	live    atomic.Pointer[connection] // the connection that is up; nil while there is none
	opening atomic.Int32               // sessions that the library is opening; those that were cut off and are not let go of are among them
}

// NewSession makes a session for requests; its gateway is not used.
func NewSession(token string, client *http.Client) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.StateEnabled = false
	s.Client = client
	return s, nil
}

// LogLibrary sends what discordgo says to a log instead of standard error. The library has one
// logger for all sessions, so a program calls this once, before it makes a Bot.
func LogLibrary(log *slog.Logger) {
	discordgo.Logger = func(level, _ int, format string, a ...any) {
		// A heartbeat fails when the connection is gone, which the gateway notices and says by
		// itself, and whenever the bot stops.
		as := slog.LevelWarn
		if level > discordgo.LogWarning || strings.HasPrefix(format, "error sending heartbeat") {
			as = slog.LevelDebug
		}
		// What Discord sent holds names and words of people: all that comes after "Data" stays out.
		if said, _, quotes := strings.Cut(format, ", Data: "); quotes {
			format, a = said, a[:min(len(a), strings.Count(said, "%"))]
		} else if strings.Contains(format, "%#v") {
			format, a = strings.SplitN(format, "%#v", 2)[0]+"something else", nil
		}
		log.Log(context.Background(), as, "the Discord library says: "+strings.TrimSpace(fmt.Sprintf(format, a...)))
	}
}

// New makes a gateway that has the token and the client of s. It connects with Open.
func New(s *discordgo.Session, log *slog.Logger) *Gateway {
	return &Gateway{requests: s, log: log, wait: sleep, online: func(bool) {}, limit: 20 * time.Second}
}

// On adds a handler, of a type that Session.AddHandler knows, to the connections to come.
func (g *Gateway) On(handler any) { g.handlers = append(g.handlers, handler) }

// OnConnection has f told when the connection is lost, and when it is back.
func (g *Gateway) OnConnection(f func(online bool)) { g.online = f }

const (
	// Pauses between attempts to connect.
	firstPause = time.Second
	maxPause   = 2 * time.Minute

	// openings is how often the first connection is tried: an outage is no reason to give up at
	// once.
	openings = 4
	// Discord takes one identify in identifyPause, and a bot that identifies a thousand times in a
	// day loses its token: after burst connections within burstTime there are long pauses.
	identifyPause = 5 * time.Second
	burst         = 20
	burstTime     = 10 * time.Minute
	// silence is how long nothing may come. Discord answers heartbeats, one in 41 seconds.
	silence = 90 * time.Second
	// leaving bounds how long closing a connection may take; the library's own pause there is a
	// second.
	leaving = 3 * time.Second
	// maxStuck is how many sessions may stay blocked, with a goroutine each, before the bot had
	// better start anew.
	maxStuck = 100
)

var errNoAnswer = errors.New("the gateway does not answer")

// connection is a session of the library, and what it takes to be rid of it.
type connection struct {
	session *discordgo.Session
	lost    chan struct{} // a sign that the connection is gone; holds at most one

	mu     sync.Mutex
	socket net.Conn
	gone   bool

	written atomic.Int64 // when something was last written, in nanoseconds since 1970
	delay   atomic.Int64 // of the last heartbeat that was answered, in nanoseconds
}

// newConnection makes a session for slash commands alone: no privileged intents, no state, no
// reconnecting.
func (g *Gateway) newConnection() (*connection, error) {
	s, err := discordgo.New(g.requests.Token)
	if err != nil {
		return nil, err
	}
	c := &connection{session: s, lost: make(chan struct{}, 1)}
	s.Identify.Intents = discordgo.IntentsGuilds
	s.StateEnabled = false
	s.ShouldReconnectOnError = false
	s.ShouldReconnectVoiceOnSessionError = false
	s.SyncEvents = true
	s.Client = g.requests.Client
	s.Dialer = &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: g.limit, NetDialContext: c.dial}
	s.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) { c.sign() })
	for _, h := range g.handlers {
		s.AddHandler(h)
	}
	return c, nil
}

func (c *connection) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		conn.Close()
		return nil, net.ErrClosed
	}
	c.socket = &socket{conn, c}
	return c.socket, nil
}

// sign says that the connection is gone.
func (c *connection) sign() {
	select {
	case c.lost <- struct{}{}:
	default:
	}
}

// cut ends the connection without a word, in whatever state it is.
func (c *connection) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	if c.socket != nil {
		c.socket.Close()
	}
}

// socket is a connection whose reads fail after a silence, and which says at once that it is gone:
// the library would notice after minutes, or never before it was told Hello, and waits a second to
// say so.
type socket struct {
	net.Conn
	of *connection
}

func (s *socket) Read(b []byte) (int, error) {
	s.SetReadDeadline(time.Now().Add(silence))
	n, err := s.Conn.Read(b)
	if err != nil {
		s.of.sign()
	}
	return n, err
}

// Open connects for the first time. It returns a *StartError for what no retry can mend, and ctx's
// error when that ends first.
func (g *Gateway) Open(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := g.connect(ctx)
		var se *StartError
		switch {
		case err == nil, ctx.Err() != nil, errors.As(err, &se):
			return err
		case attempt == openings:
			return &StartError{"Discord's gateway cannot be reached. Check the network, then start again.", rest.Scrub(err)}
		}
		g.log.Warn("Discord's gateway cannot be reached; trying again", "error", rest.Scrub(err))
		if g.wait(ctx, firstPause<<attempt) != nil {
			return ctx.Err()
		}
	}
}

// connect makes a connection, in time whatever the other side does. It returns a *StartError for
// what no retry can mend, and ctx's error when that ends first.
func (g *Gateway) connect(ctx context.Context) error {
	if g.begun = append(g.begun, time.Now()); len(g.begun) > burst {
		g.begun = g.begun[1:]
	}
	c, err := g.newConnection()
	if err != nil {
		return err
	}
	opened := make(chan error, 1)
	g.opening.Add(1)
	go func() {
		defer g.opening.Add(-1)
		opened <- c.session.Open()
	}()
	limit := time.NewTimer(g.limit)
	defer limit.Stop()
	select {
	case err := <-opened:
		if err != nil {
			c.cut()
			return fatal(err)
		}
		g.conn = c
		g.live.Store(c)
		return nil
	case <-ctx.Done():
		c.cut()
		return ctx.Err()
	case <-limit.C:
	}
	c.cut()
	if g.opening.Load() > maxStuck {
		return &StartError{"Discord refuses to begin a session, again and again. Look at Discord's status page, then start marque again.", errNoAnswer}
	}
	return errNoAnswer
}

// Keep reconnects whenever the connection is lost, until ctx is done; then it takes leave. It
// returns a *StartError when Discord will not have us any more, and nil when ctx is done.
func (g *Gateway) Keep(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			g.leave()
			return nil
		case <-g.conn.lost:
		}
		g.live.Store(nil)
		g.conn.cut()
		g.online(false)
		if err := g.reconnect(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		g.online(true)
		g.log.Info("connected to Discord again")
	}
}

// reconnect tries until it is connected. It returns a *StartError for what no retry can mend, and
// ctx's error when that ends first.
func (g *Gateway) reconnect(ctx context.Context) error {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		if rest := g.rest(); rest > 0 {
			if err := g.wait(ctx, rest); err != nil {
				return err
			}
		}
		err := g.connect(ctx)
		var se *StartError
		if err == nil || ctx.Err() != nil || errors.As(err, &se) {
			return err
		}
		g.log.Warn("Discord cannot be reached; trying again", "in", pause, "error", rest.Scrub(err))
		if err := g.wait(ctx, pause); err != nil {
			return err
		}
	}
}

// rest is how long to wait before the next session is begun.
func (g *Gateway) rest() time.Duration {
	if len(g.begun) == burst && time.Since(g.begun[0]) < burstTime {
		g.log.Warn("the connection to Discord is lost again and again; pausing", "for", maxPause)
		return maxPause
	}
	if n := len(g.begun); n > 0 {
		return time.Until(g.begun[n-1].Add(identifyPause))
	}
	return 0
}

// leave closes the connection.
func (g *Gateway) leave() {
	g.live.Store(nil)
	c := g.conn
	closed := make(chan struct{})
	go func() { defer close(closed); c.session.Close() }()
	select {
	case <-closed:
	case <-time.After(leaving):
	}
	c.cut()
}

// Write notes when: once a session has begun, heartbeats are all that is written.
func (s *socket) Write(b []byte) (int, error) {
	s.of.written.Store(time.Now().UnixNano())
	return s.Conn.Write(b)
}

// Health says whether the bot is connected, and how long Discord took to answer the last heartbeat,
// or has not answered it so far when that is longer.
func (g *Gateway) Health() (up bool, lag time.Duration) {
	c := g.live.Load()
	if c == nil {
		return false, 0
	}
	sent := c.written.Load()
	// The library holds the lock while it opens a session; what was measured before does then.
	if c.session.TryRLock() {
		answered := c.session.LastHeartbeatAck.UnixNano()
		c.session.RUnlock()
		if answered < sent {
			return true, max(time.Duration(c.delay.Load()), time.Duration(time.Now().UnixNano()-sent))
		}
		c.delay.Store(answered - sent)
	}
	return true, time.Duration(c.delay.Load())
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fatalCloses are the gateway's close codes after which reconnecting is pointless
// (Discord's documentation, "Gateway Close Event Codes").
var fatalCloses = map[int]string{
	4004: wrongToken,
	4010: "Discord refused the connection (invalid shard): this version of marque does not shard.",
	4011: "Discord wants the bot to be sharded: it is on too many servers for one connection.",
	4012: "Discord no longer speaks this version of its gateway: update marque.",
	4013: "Discord does not know the intents asked for: update marque.",
	4014: "Discord does not allow the bot the intents asked for: update marque, or look at the Bot page of the application.",
}

const wrongToken = "Discord does not accept the token: copy it anew from the Bot page of the developer portal into DISCORD_TOKEN."

// fatal turns an error that no retry can mend into a *StartError, and leaves others as they are.
func fatal(err error) error {
	var ce *websocket.CloseError
	if errors.As(err, &ce) {
		if sentence, ok := fatalCloses[ce.Code]; ok {
			return &StartError{sentence, err}
		}
	}
	if errors.Is(err, discordgo.ErrUnauthorized) || rest.Status(err) == http.StatusUnauthorized {
		return &StartError{wrongToken, rest.Scrub(err)}
	}
	return err
}

// Identify asks who we are, which finds out whether the token is right before anything else
// happens. It tries a few times, because an outage is no reason to give up at once.
func (g *Gateway) Identify(ctx context.Context) (*discordgo.Application, error) {
	var last error
	for attempt := range openings {
		if attempt > 0 && g.wait(ctx, firstPause<<attempt) != nil {
			return nil, ctx.Err()
		}
		app, err := g.application(ctx)
		if err == nil {
			return app, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var se *StartError
		if last = fatal(err); errors.As(last, &se) {
			return nil, last
		}
		g.log.Warn("Discord cannot be reached; trying again", "error", rest.Scrub(err))
	}
	return nil, &StartError{fmt.Sprintf("Discord cannot be reached: %v. Check the network, then start again.", rest.Scrub(last)), last}
}

// application is the library's Session.Application, which takes no context.
func (g *Gateway) application(ctx context.Context) (*discordgo.Application, error) {
	raw, err := g.requests.RequestWithBucketID(http.MethodGet, discordgo.EndpointOAuth2Application("@me"), nil, discordgo.EndpointOAuth2Application(""),
		discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false))
	if err != nil {
		return nil, err
	}
	app := new(discordgo.Application)
	return app, json.Unmarshal(raw, app)
}
