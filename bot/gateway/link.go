package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"marque/bot/rest"
)

// Link keeps one shard connected: it opens a connection, and opens another whenever one is lost.
//
// Each connection has a session of the library to itself, and none is resumed: Open holds the
// session's lock until the first packet is dealt with, and Invalid Session and Reconnect take that
// lock again, so that a resume which Discord refuses, as it does every day, would block the session
// for ever. What happened while there was no connection is told by READY and by the events after
// it.
type Link struct {
	of    *Gateway
	shard Shard
	log   *slog.Logger

	away bool                       // Keep has lost the connection, and has no other yet
	conn *connection                // of who opens and keeps the connection, one goroutine at a time
	live atomic.Pointer[connection] // the connection that is up; nil while there is none
}

// Link makes a link for a shard. It is not connected.
func (g *Gateway) Link(shard Shard) *Link {
	log := g.log
	if shard.Of > 1 {
		log = log.With("shard", shard.Number)
	}
	return &Link{of: g, shard: shard, log: log}
}

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
func (l *Link) newConnection() (*connection, error) {
	g := l.of
	s, err := discordgo.New(g.requests.Token)
	if err != nil {
		return nil, err
	}
	c := &connection{session: s, lost: make(chan struct{}, 1)}
	s.ShardID, s.ShardCount = l.shard.Number, l.shard.Of
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

// connect makes a connection, in time whatever the other side does. It returns a *StartError for
// what no retry can mend, and ctx's error when that ends first.
func (l *Link) connect(ctx context.Context) error {
	g := l.of
	c, err := l.newConnection()
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
		l.conn = c
		l.live.Store(c)
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

// Open connects for the first time, as soon as the shard may identify. It returns a *StartError for
// what no retry can mend, and ctx's error when that ends first.
func (l *Link) Open(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := l.begin(ctx)
		var se *StartError
		switch {
		case err == nil, ctx.Err() != nil, errors.As(err, &se):
			return err
		case attempt == openings:
			return &StartError{"Discord's gateway cannot be reached. Check the network, then start again.", rest.Scrub(err)}
		}
		l.log.WarnContext(ctx, "Discord's gateway cannot be reached; trying again", "error", rest.Scrub(err))
		if l.of.wait(ctx, firstPause<<attempt) != nil {
			return ctx.Err()
		}
	}
}

// begin is connect when it is the shard's turn to identify.
func (l *Link) begin(ctx context.Context) error {
	if err := l.of.await(ctx, l.shard.Number); err != nil {
		return err
	}
	return l.connect(ctx)
}

// Keep reconnects whenever the connection is lost, until ctx is done; then it takes leave. It
// returns a *StartError when Discord will not have us any more, and nil when ctx is done.
func (l *Link) Keep(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			l.leave()
			return nil
		case <-l.conn.lost:
		}
		l.live.Store(nil)
		l.conn.cut()
		l.away = true
		l.of.lost()
		if err := l.reconnect(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		l.away = false
		l.of.found()
		l.log.InfoContext(ctx, "connected to Discord again")
	}
}

// reconnect tries until it is connected. It returns a *StartError for what no retry can mend, and
// ctx's error when that ends first.
func (l *Link) reconnect(ctx context.Context) error {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		err := l.begin(ctx)
		var se *StartError
		if err == nil || ctx.Err() != nil || errors.As(err, &se) {
			return err
		}
		l.log.WarnContext(ctx, "Discord cannot be reached; trying again", "in", pause, "error", rest.Scrub(err))
		if err := l.of.wait(ctx, pause); err != nil {
			return err
		}
	}
}

// leave closes the connection.
func (l *Link) leave() {
	l.live.Store(nil)
	c := l.conn
	closed := make(chan struct{})
	go func() { defer close(closed); c.session.Close() }()
	select {
	case <-closed:
	case <-time.After(leaving):
	}
	c.cut()
}

// drop ends the connection without a word, if there is one.
func (l *Link) drop() {
	if c := l.live.Swap(nil); c != nil {
		c.cut()
	}
}

// Write notes when: once a session has begun, heartbeats are all that is written.
func (s *socket) Write(b []byte) (int, error) {
	s.of.written.Store(time.Now().UnixNano())
	return s.Conn.Write(b)
}

// health is Gateway.Health of one shard.
func (l *Link) health() (up bool, lag time.Duration) {
	c := l.live.Load()
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
