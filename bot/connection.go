package bot

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// connection is one connection to Discord's gateway (Discord's documentation, "Gateway"). The library has its own, which cannot be used, for it has
// faults that nobody can get round from outside:
//   - Open holds the session's lock until the first packet is dealt with, and Invalid Session and Reconnect take that lock again: a resume that is
//     refused, which happens every day, blocks Open, Close and all that uses the lock for ever;
//   - Open cannot be cancelled, and reads without a deadline: a gateway that never says Hello blocks it as well;
//   - on Invalid Session it tells of the disconnect before it has forgotten the session, so that reconnecting races with that;
//   - a session that was closed as timed out (4009) or out of step (4007) is resumed again and again;
//   - a dead connection is noticed after five heartbeats without an answer only.
type connection struct {
	ws       *websocket.Conn
	interval time.Duration // between heartbeats
	seq      *atomic.Int64 // of the last event
	writing  sync.Mutex
}

// Opcodes of the gateway.
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

// Close codes of the gateway.
const (
	closeNormal     = 1000
	closeRestart    = 1012 // any but 1000 and 1001, which end the session
	closeInvalidSeq = 4007
	closeTimedOut   = 4009
)

const (
	// handshakeTime bounds everything from asking for the gateway's address to the first event.
	handshakeTime = 20 * time.Second
	// writeTime bounds a packet that is sent.
	writeTime = 10 * time.Second
	// leaveTime is what Discord has to answer that we go.
	leaveTime = time.Second
	// maxPacket bounds what a packet is inflated to.
	maxPacket = 64 << 20
)

// packet is what goes over the gateway.
type packet struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s"`
	Type string          `json:"t"`
}

// resumption is what a session is resumed with after its connection was lost, so that no event is missed.
type resumption struct {
	id      string
	address string // where to; "" for any gateway
	seq     atomic.Int64
}

func (r *resumption) possible() bool { return r.id != "" && r.seq.Load() != 0 }

func (r *resumption) forget() {
	r.id, r.address = "", ""
	r.seq.Store(0)
}

// invalidSession says that Discord refuses to resume or to begin a session, or has ended one.
type invalidSession struct {
	resuming  bool // what was refused is to resume
	resumable bool // it may still be resumed
}

func (e *invalidSession) Error() string {
	if e.resumable {
		return "the session is interrupted"
	}
	return "the session is not valid"
}

var (
	errNoAnswer  = errors.New("the gateway does not answer")
	errReconnect = errors.New("the gateway asks to reconnect")
)

// connect makes a connection, and resumes the session or begins a new one. Whatever the other side does or does not do, it ends in time, or when
// ctx is done. It returns a *StartError for what no retry can mend.
func (g *gateway) connect(ctx context.Context) error {
	resuming := g.resume.possible()
	c, err := g.handshake(ctx, resuming)
	if err == nil {
		g.conn, g.refused = c, 0
		return nil
	}
	if resuming {
		switch g.refused++; g.refused {
		case maxAstray:
			g.resume.address = ""
		case maxRefused:
			g.resume.forget()
			g.refused = 0
		}
	}
	return g.amend(err)
}

// amend makes an error of the connection one of the gateway's, and forgets a session that it has ended.
func (g *gateway) amend(err error) error {
	if websocket.IsCloseError(err, closeInvalidSeq, closeTimedOut) {
		g.resume.forget()
	}
	return fatal(err)
}

func (g *gateway) handshake(run context.Context, resuming bool) (_ *connection, err error) {
	ctx, cancel := context.WithTimeoutCause(run, handshakeTime, errNoAnswer)
	defer cancel()
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx) // and not what breaking the connection off led to
		}
	}()
	if !resuming {
		g.resume.forget() // half a session is none
	}
	address := g.resume.address
	if address == "" {
		if address, err = g.address(ctx); err != nil {
			return nil, err
		}
	}
	if address, err = versioned(address); err != nil {
		return nil, err
	}
	// Once it is there the connection ends with ctx, in whatever state it is, for not everything below heeds a context.
	release := func() bool { return true }
	dialer := websocket.Dialer{Proxy: http.ProxyFromEnvironment, NetDialContext: func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := g.dial(dialing, network, address)
		if err == nil {
			release = context.AfterFunc(ctx, func() { conn.Close() })
		}
		return conn, err
	}}
	ws, _, err := dialer.DialContext(ctx, address, nil)
	if err != nil {
		release()
		return nil, err
	}
	c := &connection{ws: ws, seq: &g.resume.seq}
	if err := g.introduce(ctx, run, c, resuming); err != nil {
		release()
		c.cut()
		return nil, err
	}
	if !release() {
		c.cut()
		return nil, ctx.Err()
	}
	return c, nil
}

// introduce says who we are and waits for the first event, after which the connection is good.
func (g *gateway) introduce(ctx, run context.Context, c *connection, resuming bool) error {
	p, err := c.receive()
	if err != nil {
		return err
	}
	var hello struct {
		Interval int64 `json:"heartbeat_interval"`
	}
	if p.Op != opHello || json.Unmarshal(p.Data, &hello) != nil || hello.Interval <= 0 {
		return fmt.Errorf("the gateway says no Hello but opcode %d", p.Op)
	}
	c.interval = time.Duration(hello.Interval) * time.Millisecond

	token := strings.TrimPrefix(g.session.Token, "Bot ")
	if resuming {
		err = c.send(opResume, map[string]any{"token": token, "session_id": g.resume.id, "seq": c.seq.Load()})
	} else {
		err = c.send(opIdentify, map[string]any{
			"token": token, "intents": discordgo.IntentsGuilds, "compress": true,
			"properties": map[string]string{"os": runtime.GOOS, "browser": "marque", "device": "marque"},
		})
	}
	for err == nil {
		if p, err = c.receive(); err != nil {
			return err
		}
		if err = g.take(run, c, p, resuming); err == nil && p.Op == opDispatch {
			return nil
		}
	}
	return err
}

// address asks where the gateway is. Neither retries nor rate limits of the library, which know no context, hold it up.
func (g *gateway) address(ctx context.Context) (string, error) {
	bucket := discordgo.NewRatelimiter().LockBucket("gateway")
	raw, err := g.session.RequestWithLockedBucket(http.MethodGet, discordgo.EndpointGateway, "", nil, bucket, 0,
		discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false), discordgo.WithRestRetries(0))
	if err != nil {
		return "", err
	}
	var answer struct {
		URL string `json:"url"`
	}
	return answer.URL, json.Unmarshal(raw, &answer)
}

// versioned adds to a gateway's address what is to be spoken there.
func versioned(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = url.Values{"v": {discordgo.APIVersion}, "encoding": {"json"}}.Encode()
	return u.String(), nil
}

// read carries out what comes over the connection until it ends, and says why; when ctx is done it takes leave. Nothing of the connection
// is left when it returns.
func (g *gateway) read(ctx context.Context) error {
	c := g.conn
	g.conn = nil
	var beating sync.WaitGroup
	defer beating.Wait()
	defer c.cut()
	beats, stop := context.WithCancel(ctx)
	defer stop()
	beating.Go(func() { c.beat(beats) })
	leaving := make(chan struct{})
	left := context.AfterFunc(ctx, func() { defer close(leaving); c.leave() })
	defer func() {
		if !left() {
			<-leaving
		}
	}()
	var gone time.Time // when the other side's leave is waited for no longer
	for {
		// Discord answers heartbeats: when nothing has come for so long, nobody is there any more.
		c.ws.SetReadDeadline(time.Now().Add(2 * c.interval))
		if ctx.Err() != nil {
			if gone.IsZero() {
				gone = time.Now().Add(leaveTime)
			}
			c.ws.SetReadDeadline(gone)
		}
		p, err := c.receive()
		var unreadable *unreadablePacket
		switch {
		case ctx.Err() != nil:
			if err == nil {
				continue // until the other side goes, too
			}
			return ctx.Err()
		case errors.As(err, &unreadable):
			g.log.Warn("a packet of the gateway cannot be read", "error", err)
			continue
		case err != nil:
			return g.amend(err)
		}
		if err := g.take(ctx, c, p, false); err != nil {
			return err
		}
	}
}

// take carries out a packet. It returns an error when the connection has to end.
func (g *gateway) take(ctx context.Context, c *connection, p packet, resuming bool) error {
	switch p.Op {
	case opDispatch:
		c.seq.Store(p.Seq)
		if p.Type == "READY" {
			g.begun(p.Data)
		}
		if handle := g.handlers[p.Type]; handle != nil {
			handle(ctx, p.Data)
		}
	case opHeartbeat:
		return c.heartbeat()
	case opReconnect:
		return errReconnect
	case opInvalidSession:
		e := &invalidSession{resuming: resuming}
		if json.Unmarshal(p.Data, &e.resumable) != nil || !e.resumable {
			e.resumable = false
			g.resume.forget()
		}
		return e
	case opHello, opHeartbeatAck:
	default:
		g.log.Debug("the gateway sends what is not known", "opcode", p.Op)
	}
	return nil
}

// begun notes what a new session is resumed with. One of which that cannot be read is not resumed.
func (g *gateway) begun(raw json.RawMessage) {
	var ready struct {
		SessionID string `json:"session_id"`
		ResumeURL string `json:"resume_gateway_url"`
	}
	if err := json.Unmarshal(raw, &ready); err != nil {
		g.log.Warn("a new session cannot be read", "error", err)
	}
	g.resume.id, g.resume.address = ready.SessionID, ready.ResumeURL
}

// unreadablePacket says that a packet came but is not understood.
type unreadablePacket struct{ err error }

func (e *unreadablePacket) Error() string { return e.err.Error() }

func (e *unreadablePacket) Unwrap() error { return e.err }

func (c *connection) receive() (packet, error) {
	var p packet
	kind, raw, err := c.ws.ReadMessage()
	if err != nil {
		return p, err
	}
	if kind == websocket.BinaryMessage {
		raw, err = inflate(raw)
	}
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	if err != nil {
		return p, &unreadablePacket{err}
	}
	return p, nil
}

func inflate(raw []byte) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(io.LimitReader(z, maxPacket))
}

func (c *connection) send(op int, data any) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.ws.SetWriteDeadline(time.Now().Add(writeTime))
	return c.ws.WriteJSON(map[string]any{"op": op, "d": data})
}

func (c *connection) heartbeat() error {
	if seq := c.seq.Load(); seq != 0 {
		return c.send(opHeartbeat, seq)
	}
	return c.send(opHeartbeat, nil)
}

// beat sends heartbeats until ctx is done, the first at a chance moment, so that not all bots send theirs at once after an outage.
func (c *connection) beat(ctx context.Context) {
	for pause := rand.N(c.interval); sleep(ctx, pause) == nil; pause = c.interval {
		if c.heartbeat() != nil {
			c.ws.NetConn().Close() // the reader notices
			return
		}
	}
}

// leave ends the session, so that the bot is seen to go at once, and lets the reader wait a moment for the answer.
func (c *connection) leave() {
	c.ws.SetReadDeadline(time.Now().Add(leaveTime))
	c.say(closeNormal)
}

// cut ends the connection, after which the session can be resumed unless leave has ended it.
func (c *connection) cut() {
	c.say(closeRestart)
	c.ws.Close()
}

func (c *connection) say(code int) {
	c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(leaveTime))
}
