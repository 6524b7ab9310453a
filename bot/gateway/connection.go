package gateway

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"marque/bot/incident"
)

// Opcodes of the gateway. Source: Discord's documentation, topic "Opcodes and Status Codes", section "Gateway Opcodes".
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

const (
	// silence is how long a connection can bring no message before it counts as dead. Discord answers each heartbeat,
	// and heartbeats are about 41 seconds apart.
	silence = 90 * time.Second
	// writing is the time limit for one write.
	writing = 10 * time.Second
	// leaving is the time limit for sending a close frame, and again for waiting for its answer.
	leaving = 3 * time.Second
	// maxFrame is the maximum size of a message from Discord in bytes, before and after decompression.
	maxFrame = 64 << 20
)

var errNotBegun = errors.New("no session was begun")

// endings are the close codes after which a session cannot be resumed, but another can begin. Source: Discord's
// documentation, topic "Opcodes and Status Codes", section "Gateway Close Event Codes".
var endings = []int{
	4003, // not authenticated: the session has been invalidated
	4007, // invalid sequence number
	4009, // the session has timed out
}

// frame is one message of the gateway, in either direction.
type frame struct {
	Op    int             `json:"op"`
	Data  json.RawMessage `json:"d"`
	Seq   int64           `json:"s"` // only for an event
	Event string          `json:"t"` // name of the event; empty for other frames
}

// session is a session that Discord keeps for a shard. When a connection breaks, the next one can resume the session
// and get the events since then.
type session struct {
	id, url string // url is the address at which Discord resumes the session
	seq     atomic.Int64
	over    context.Context    // done when Discord can no longer resume the session
	end     context.CancelFunc // cancels over
}

// connection is a connection to Discord's gateway. It replaces the library's, in which an event without content causes
// a panic. That panic is in the goroutine of the library's reader, where the bot cannot recover it, and ends the
// process.
type connection struct {
	of      *Gateway
	ws      *websocket.Conn
	over    context.Context    // done when the reader has ended
	end     context.CancelFunc // cancels over
	session *session           // nil before the READY of a new session
	missed  bool               // whether RESUMED is still to come; events before it were missed

	mu   sync.Mutex   // held while writing
	sent atomic.Int64 // time of the latest heartbeat, in nanoseconds since 1970
	// acked is the time of the latest answer to a heartbeat, in nanoseconds since 1970. delay is how long Discord took
	// for that answer, in nanoseconds.
	acked, delay atomic.Int64
}

// dial connects to the gateway at an address. It resumes sess, or begins a new session for the shard if sess is nil.
// When dial returns a connection, its reader is running and may already have dispatched events.
func (g *Gateway) dial(ctx context.Context, address string, shard Shard, sess *session) (*connection, error) {
	ws, err := open(ctx, address)
	if err != nil {
		return nil, err
	}
	c := &connection{of: g, ws: ws, session: sess}
	c.over, c.end = context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, c.cut)
	first, interval, err := c.begin(shard)
	if !stop() || err != nil {
		c.cut()
		c.end()
		return nil, errors.Join(ctx.Err(), err)
	}
	go c.beat(interval)
	go c.read(first)
	return c, nil
}

// open opens a connection to the gateway at an address.
func open(ctx context.Context, address string) (*websocket.Conn, error) {
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: openPatience}
	ws, _, err := dialer.DialContext(ctx, strings.TrimSuffix(address, "/")+"/?v="+discordgo.APIVersion+"&encoding=json",
		nil)
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(maxFrame)
	return ws, nil
}

// greets checks that the gateway at an address accepts a connection and sends a message. It begins no session.
func (g *Gateway) greets(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, g.limit)
	defer cancel()
	ws, err := open(ctx, address)
	if err != nil {
		return err
	}
	defer ws.Close()
	defer context.AfterFunc(ctx, func() { ws.Close() })()
	_, _, err = ws.ReadMessage()
	return err
}

// ask requests an endpoint and decodes the response into answer, within the gateway's time limit. bucket is the
// endpoint's rate limit bucket.
func (g *Gateway) ask(ctx context.Context, endpoint, bucket string, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, g.limit)
	defer cancel()
	raw, err := g.requests.RequestWithBucketID(http.MethodGet, endpoint, nil, bucket, discordgo.WithContext(ctx),
		discordgo.WithRetryOnRatelimit(false))
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, answer)
}

// address asks Discord for the gateway's address.
func (g *Gateway) address(ctx context.Context) (string, error) {
	var told struct {
		URL string `json:"url"`
	}
	err := g.ask(ctx, discordgo.EndpointGateway, discordgo.EndpointGateway, &told)
	return told.URL, err
}

// Reach sends Discord a small request, and returns an error if it fails.
func (g *Gateway) Reach(ctx context.Context) error {
	_, err := g.address(ctx)
	return err
}

// begin resumes the connection's session. Without a session it identifies, without privileged intents, which slash
// commands do not need. It returns READY or the first event of the resumed session, and the time between heartbeats.
func (c *connection) begin(shard Shard) (first frame, interval time.Duration, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = incident.Recovered(p)
		}
	}()
	hello, err := c.next()
	if err != nil {
		return frame{}, 0, err
	}
	var greeting struct {
		Milliseconds int64 `json:"heartbeat_interval"`
	}
	if err := json.Unmarshal(hello.Data, &greeting); err != nil || hello.Op != opHello || greeting.Milliseconds <= 0 {
		return frame{}, 0, fmt.Errorf("%w: it said no Hello", errNotBegun)
	}
	if c.missed = c.session != nil; c.missed {
		err = c.send(opResume, map[string]any{"token": c.of.requests.Token, "session_id": c.session.id,
			"seq": c.session.seq.Load()})
	} else {
		identify := discordgo.Identify{
			Token: c.of.requests.Token, Compress: true, LargeThreshold: 250, Intents: discordgo.IntentsGuilds,
			Properties: discordgo.IdentifyProperties{OS: runtime.GOOS, Browser: "marque", Device: "marque"},
		}
		if shard.Of > 1 {
			identify.Shard = &[2]int{shard.Number, shard.Of}
		}
		err = c.send(opIdentify, identify)
	}
	if err != nil {
		return frame{}, 0, err
	}
	for {
		f, err := c.next()
		switch {
		case err != nil:
			c.ended(err)
			return frame{}, 0, err
		case f.Op == opInvalidSession:
			c.invalid(f)
			return frame{}, 0, errNotBegun
		case f.Op == opReconnect:
			return frame{}, 0, errNotBegun
		case f.Op == opHeartbeat:
			if err := c.heartbeat(); err != nil {
				return frame{}, 0, err
			}
		case f.Op == opDispatch && (c.missed || f.Event == "READY"):
			if c.session == nil {
				err = c.ready(f)
			}
			return f, time.Duration(greeting.Milliseconds) * time.Millisecond, err
		}
	}
}

// ready stores the new session from READY.
func (c *connection) ready(f frame) error {
	var told struct {
		ID  string `json:"session_id"`
		URL string `json:"resume_gateway_url"`
	}
	if err := json.Unmarshal(f.Data, &told); err != nil {
		return fmt.Errorf("%w: %w", errNotBegun, err)
	}
	c.session = &session{id: told.ID, url: told.URL}
	c.session.over, c.session.end = context.WithCancel(context.Background())
	return nil
}

// invalid ends the session when Discord has declared it invalid, unless Discord allows it to be resumed.
func (c *connection) invalid(f frame) {
	if resumable := false; c.session != nil && (json.Unmarshal(f.Data, &resumable) != nil || !resumable) {
		c.session.end()
	}
}

// ended ends the session if the connection was closed for a reason after which the session cannot be resumed.
func (c *connection) ended(err error) {
	var closed *websocket.CloseError
	if c.session != nil && errors.As(err, &closed) && slices.Contains(endings, closed.Code) {
		c.session.end()
	}
}

// malformed is the error for a message that is not a frame.
type malformed struct{ error }

// next waits for the next frame. It returns a malformed error for a message that it cannot decode; later frames can
// still be read.
func (c *connection) next() (frame, error) {
	c.ws.SetReadDeadline(time.Now().Add(silence))
	kind, raw, err := c.ws.ReadMessage()
	if err != nil {
		return frame{}, err
	}
	return decode(kind == websocket.BinaryMessage, raw)
}

func decode(compressed bool, raw []byte) (f frame, err error) {
	if compressed {
		z, err := zlib.NewReader(bytes.NewReader(raw))
		if err != nil {
			return f, malformed{err}
		}
		if raw, err = io.ReadAll(io.LimitReader(z, maxFrame)); err != nil {
			return f, malformed{err}
		}
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return f, malformed{err}
	}
	return f, nil
}

// read handles frames, beginning with first, until the connection ends.
func (c *connection) read(first frame) {
	defer c.end()
	defer c.cut()
	for f, err := first, error(nil); c.take(f, err); {
		f, err = c.next()
	}
}

// take handles a frame, and reports whether the connection continues. err is the error with which the frame was read.
func (c *connection) take(f frame, err error) (on bool) {
	defer func() {
		if p := recover(); p != nil {
			c.of.amiss(f.Event, incident.Recovered(p))
			on = true
		}
	}()
	if bad := (malformed{}); errors.As(err, &bad) {
		c.of.amiss("", bad.error)
		return true
	}
	if err != nil {
		c.ended(err)
		return false
	}
	switch f.Op {
	case opDispatch:
		c.session.seq.Store(f.Seq)
		c.missed = c.missed && f.Event != "RESUMED"
		c.of.dispatch(c.session.over, c.missed, f.Event, f.Data)
	case opHeartbeat:
		return c.heartbeat() == nil
	case opHeartbeatAck:
		now := time.Now().UnixNano()
		c.delay.Store(now - c.sent.Load())
		c.acked.Store(now)
	case opReconnect:
		return false
	case opInvalidSession:
		c.invalid(f)
		return false
	}
	return true
}

// beat sends heartbeats until the connection ends. It closes the connection if a heartbeat is not answered before the
// next is due. Source: Discord's documentation, topic "Gateway", section "Heartbeat Interval".
func (c *connection) beat(interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	defer c.cut()
	for c.heartbeat() == nil {
		sent := c.sent.Load()
		select {
		case <-ticker.C:
		case <-c.over.Done():
			return
		}
		if c.acked.Load() < sent {
			return
		}
	}
}

func (c *connection) heartbeat() error {
	c.sent.Store(time.Now().UnixNano())
	var latest *int64
	if c.session != nil {
		if seq := c.session.seq.Load(); seq != 0 {
			latest = &seq
		}
	}
	return c.send(opHeartbeat, latest)
}

func (c *connection) send(op int, data any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ws.SetWriteDeadline(time.Now().Add(writing))
	return c.ws.WriteJSON(struct {
		Op   int `json:"op"`
		Data any `json:"d"`
	}{op, data})
}

// cut ends the connection without a close frame, so that its session can be resumed.
func (c *connection) cut() { c.ws.Close() }

// leave sends a close frame, which also ends the session. It ends the connection when Discord has answered the frame,
// or after a while.
func (c *connection) leave() {
	defer c.cut()
	defer c.session.end()
	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if c.ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(leaving)) != nil {
		return
	}
	select {
	case <-c.over.Done():
	case <-time.After(leaving):
	}
}

// lag returns how long Discord took for its latest answer to a heartbeat. If a heartbeat has waited longer for its
// answer, lag returns the time waited so far.
func (c *connection) lag() time.Duration {
	answered := time.Duration(c.delay.Load())
	if sent := c.sent.Load(); sent > c.acked.Load() {
		return max(answered, time.Duration(time.Now().UnixNano()-sent))
	}
	return answered
}
