package localdiscord

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Opcodes of the gateway.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opVoiceState     = 4
	opResume         = 6
	opReconnect      = 7
	opRequestMembers = 8
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

// Close codes of the gateway.
const (
	closeGoingAway            = 1001
	closeUnknownOpcode        = 4001
	closeDecodeError          = 4002
	closeNotAuthenticated     = 4003
	closeAuthenticationFailed = 4004
	closeAlreadyAuthenticated = 4005
	closeInvalidSeq           = 4007
	closeSessionTimedOut      = 4009
	closeInvalidShard         = 4010
	closeInvalidIntents       = 4013
	closeDisallowedIntents    = 4014
)

// Intents of the gateway.
const (
	intentGuilds         = 1 << 0
	intentGuildMembers   = 1 << 1
	intentPresences      = 1 << 8
	intentGuildMessages  = 1 << 9
	intentDirectMessages = 1 << 12
	intentMessageContent = 1 << 15
	intentsAlways        = 0

	intentsPrivileged = intentGuildMembers | intentPresences | intentMessageContent
	intentsKnown      = 1<<26 - 1
)

const (
	heartbeatInterval = 41250 * time.Millisecond
	replayLength      = 1024 // maximum number of events kept for a session that resumes
	// queueLength is the maximum number of unsent events of a session. One more is allowed for each server, because a
	// new session gets an event for every server. The connection of a slower client is dropped, and its session can be
	// resumed.
	queueLength   = 1024
	writePatience = time.Minute // time limit for a client that reads nothing
	compressFrom  = 1024        // minimum size of a compressed message in bytes, if the session requested compression
	maxSessions   = 32          // number of sessions from which on disconnected ones are forgotten
)

type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Type *string         `json:"t"`
}

// session is a gateway session. It begins when a bot identifies, and outlives its connection, so that the bot can
// resume it.
type session struct {
	id         string
	intents    int
	compress   bool
	shard      [2]int64
	seq        int64
	replay     []frame
	conn       *gatewayConn // nil while disconnected
	lastActive time.Time
}

// gatewayConn is a WebSocket connection with a queue, from which its writer sends.
type gatewayConn struct {
	ws       *websocket.Conn
	queue    chan frame
	fault    Handshake   // fault of the connection; 0 for none
	dead     atomic.Bool // the connection stays open but delivers nothing
	compress atomic.Bool // large frames are compressed
	once     sync.Once
	code     int
	text     string
	gone     chan struct{}
}

// end makes the writer close the connection with a close code. Further calls have no effect.
func (c *gatewayConn) end(code int, text string) {
	c.once.Do(func() {
		c.code, c.text = code, text
		close(c.gone)
	})
}

func (c *gatewayConn) send(f frame) {
	select {
	case c.queue <- f:
	default:
		c.end(websocket.ClosePolicyViolation, "too slow")
	}
}

func (sess *session) drop(code int, text string) {
	if sess.conn != nil {
		sess.conn.end(code, text)
		sess.conn = nil
	}
}

// Gateway is the WebSocket part of the server: connections, sessions and their events. Tests use its exported methods
// to count or break connections.
type Gateway struct {
	mu         sync.Locker // the hub's lock
	state      *state
	address    func() string // returns the listener's address
	changed    func()        // the hub's worldChanged, which is called under the lock
	running    sync.WaitGroup
	onEvent    func(event string, content []byte) // called with each event except RESUMED and injected ones; can be nil
	heartbeats time.Duration                      // interval that clients should use

	closed     bool
	intents    int // privileged intents that the bot is allowed to use
	refusal    int // close code for sessions that identify; 0 for none
	handshakes []Handshake
	limits     startLimits
	identified int
	resumed    int
	sessions   map[string]*session
	conns      map[*gatewayConn]bool // open connections, also those without a session
}

// sessionsADay is the maximum number of times that a bot can identify in a day. Discord resets the token of a bot that
// exceeds it. Source: Discord's documentation, topic "Gateway", section "Session Start Limit Object".
const sessionsADay = 1000

// startLimits decides when sessions can begin.
type startLimits struct {
	shards      int // recommended number of shards
	concurrency int
	pause       time.Duration
	latest      map[int64]time.Time // beginning of the latest session, by the shard's number modulo concurrency
	early       int                 // number of sessions that began too early
	day         time.Time           // beginning of the day in which sessions are counted
	today       int                 // number of sessions since day
}

// begin reports whether a shard's session can begin now, and counts it as begun or as too early.
func (l *startLimits) begin(shard int64, now time.Time) bool {
	of := shard % int64(l.concurrency)
	if last, ok := l.latest[of]; ok && now.Sub(last) < l.pause {
		l.early++
		return false
	}
	if l.latest == nil {
		l.latest = map[int64]time.Time{}
	}
	l.latest[of] = now
	l.left(now)
	l.today++
	return true
}

// left returns how many more sessions can begin, and the time until the count is reset.
func (l *startLimits) left(now time.Time) (remaining int, resetAfter time.Duration) {
	if now.Sub(l.day) >= 24*time.Hour {
		l.day, l.today = now, 0
	}
	return max(sessionsADay-l.today, 0), l.day.Add(24 * time.Hour).Sub(now)
}

// botJSON returns the answer to GET /gateway/bot.
func (gw *Gateway) botJSON() map[string]any {
	remaining, reset := gw.limits.left(gw.state.clock.Now())
	return map[string]any{"url": gw.url(), "shards": gw.limits.shards, "session_start_limit": map[string]any{
		"total": sessionsADay, "remaining": remaining, "reset_after": reset.Milliseconds(),
		"max_concurrency": gw.limits.concurrency,
	}}
}

var upgrader = websocket.Upgrader{
	// Only bots can connect here. Browsers send an Origin, bots do not.
	CheckOrigin: func(r *http.Request) bool { return r.Header.Get("Origin") == "" },
}

// ServeHTTP serves a bot's connection.
func (gw *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	conn := &gatewayConn{ws: ws, gone: make(chan struct{})}
	gw.mu.Lock()
	conn.queue = make(chan frame, queueLength+len(gw.state.guilds))
	closed := gw.closed
	if !closed {
		gw.running.Add(1)
		gw.conns[conn] = true
		if len(gw.handshakes) > 0 {
			conn.fault, gw.handshakes = gw.handshakes[0], gw.handshakes[1:]
			gw.changed()
		}
	}
	gw.mu.Unlock()
	if closed {
		ws.Close()
		return
	}
	go func() {
		defer gw.running.Done()
		conn.write()
	}()
	if conn.fault == NoHello {
		gw.read(conn)
		return
	}
	conn.send(frame{Op: opHello, Data: mustJSON(map[string]any{"heartbeat_interval": gw.heartbeats.Milliseconds(),
		"_trace": []string{"localdiscord"}})})
	gw.read(conn)
}

// write sends the queued frames until the connection ends, and closes it.
func (c *gatewayConn) write() {
	defer c.ws.Close()
	var b bytes.Buffer
	var z *zlib.Writer // created for the first large event, because it takes nearly a megabyte
	put := func(f frame) bool {
		if c.dead.Load() {
			return true
		}
		c.ws.SetWriteDeadline(time.Now().Add(writePatience))
		kind, raw := websocket.TextMessage, []byte(mustJSON(f))
		if c.compress.Load() && len(raw) >= compressFrom {
			b.Reset()
			if z == nil {
				z = zlib.NewWriter(&b)
			} else {
				z.Reset(&b)
			}
			z.Write(raw)
			z.Close()
			kind, raw = websocket.BinaryMessage, b.Bytes()
		}
		return c.ws.WriteMessage(kind, raw) == nil
	}
	for {
		select {
		case f := <-c.queue:
			if !put(f) {
				c.end(closeGoingAway, "")
				return
			}
		case <-c.gone:
			for { // frames that were queued before the end are still sent
				select {
				case f := <-c.queue:
					if put(f) {
						continue
					}
				default:
				}
				break
			}
			c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(c.code, c.text),
				time.Now().Add(time.Second))
			return
		}
	}
}

func (gw *Gateway) read(conn *gatewayConn) {
	var sess *session
	defer func() {
		conn.end(websocket.CloseNormalClosure, "")
		gw.mu.Lock()
		defer gw.mu.Unlock()
		delete(gw.conns, conn)
		if sess != nil && sess.conn == conn {
			sess.conn = nil
			sess.lastActive = gw.state.clock.Now()
			gw.changed()
		}
	}()
	conn.ws.SetReadLimit(1 << 20)
	for {
		_, raw, err := conn.ws.ReadMessage()
		if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) && sess != nil {
			gw.mu.Lock() // a client that closes with 1000 or 1001 ends its session, as on Discord
			if sess.conn == conn {
				delete(gw.sessions, sess.id)
			}
			gw.mu.Unlock()
		}
		if err != nil {
			return
		}
		var in frame
		if json.Unmarshal(raw, &in) != nil {
			conn.end(closeDecodeError, "Error while decoding payload.")
			return
		}
		if (in.Op == opIdentify || in.Op == opResume) && conn.fault != 0 {
			gw.refuse(conn, in)
			continue
		}
		switch in.Op {
		case opHeartbeat:
			conn.send(frame{Op: opHeartbeatAck, Data: json.RawMessage("null")})
		case opIdentify:
			if sess != nil {
				conn.end(closeAlreadyAuthenticated, "Already authenticated.")
				return
			}
			begun, over := gw.identify(conn, in.Data)
			if over {
				return
			}
			sess = begun // nil if the session began too early
		case opResume:
			resumed, over := gw.resume(conn, in.Data)
			if over {
				return
			}
			if resumed != nil {
				sess = resumed
			}
		case opPresence, opVoiceState, opRequestMembers:
			if sess == nil {
				conn.end(closeNotAuthenticated, "Not authenticated.")
				return
			}
		default:
			conn.end(closeUnknownOpcode, "Unknown opcode.")
			return
		}
	}
}

// identify begins a session, or refuses it. Several sessions can have the same shard, and each gets all events of the
// shard. over reports whether the connection was told to close.
func (gw *Gateway) identify(conn *gatewayConn, raw json.RawMessage) (sess *session, over bool) {
	var d struct {
		Token    string    `json:"token"`
		Intents  int       `json:"intents"`
		Compress bool      `json:"compress"`
		Shard    *[2]int64 `json:"shard"`
	}
	if json.Unmarshal(raw, &d) != nil {
		conn.end(closeDecodeError, "Error while decoding payload.")
		return nil, true
	}
	gw.mu.Lock()
	defer gw.mu.Unlock()
	switch {
	case !gw.state.validToken(d.Token):
		conn.end(closeAuthenticationFailed, "Authentication failed.")
		return nil, true
	case gw.refusal != 0:
		conn.end(gw.refusal, "Refused.")
		return nil, true
	case d.Intents&^intentsKnown != 0 || d.Intents < 0:
		conn.end(closeInvalidIntents, "Invalid intent(s).")
		return nil, true
	case d.Intents&intentsPrivileged&^gw.intents != 0:
		conn.end(closeDisallowedIntents, "Disallowed intent(s).")
		return nil, true
	}
	sess = &session{id: rand.Text(), intents: d.Intents, compress: d.Compress, shard: [2]int64{0, 1}, conn: conn}
	if d.Shard != nil {
		if d.Shard[1] < 1 || d.Shard[0] < 0 || d.Shard[0] >= d.Shard[1] {
			conn.end(closeInvalidShard, "Invalid shard.")
			return nil, true
		}
		sess.shard = *d.Shard
	}
	if left, _ := gw.limits.left(gw.state.clock.Now()); left == 0 {
		gw.revoke()
		conn.end(closeAuthenticationFailed, "Authentication failed.")
		return nil, true
	}
	if !gw.limits.begin(sess.shard[0], gw.state.clock.Now()) {
		conn.send(frame{Op: opInvalidSession, Data: json.RawMessage("false")})
		return nil, false
	}
	conn.compress.Store(d.Compress)
	gw.forgetSessions()
	gw.sessions[sess.id] = sess
	gw.identified++
	guilds := []any{}
	for _, id := range gw.state.guildOrder {
		if g := gw.state.guilds[id]; g.member(Application) != nil && sess.has(id) {
			guilds = append(guilds, map[string]any{"id": id, "unavailable": true})
		}
	}
	gw.send(sess, "READY", mustJSON(map[string]any{
		"v": 9, "user": gw.state.userJSON(Application), "guilds": guilds, "session_id": sess.id,
		"private_channels":   []any{},
		"resume_gateway_url": gw.url(), "shard": sess.shard, "application": map[string]any{"id": Application,
			"flags": 0},
	}))
	if sess.intents&intentGuilds != 0 {
		for _, id := range gw.state.guildOrder {
			switch g := gw.state.guilds[id]; {
			case g.member(Application) == nil || !sess.has(id):
			case g.down:
				gw.send(sess, "GUILD_DELETE", mustJSON(map[string]any{"id": id, "unavailable": true}))
			default:
				gw.send(sess, "GUILD_CREATE", mustJSON(gw.state.guildCreateJSON(g)))
			}
		}
	}
	gw.changed()
	return sess, false
}

// forgetSessions drops the sessions that have been disconnected longest while there are maxSessions or more.
func (gw *Gateway) forgetSessions() {
	for len(gw.sessions) >= maxSessions {
		var oldest *session
		for _, sess := range gw.sessions {
			if sess.conn == nil && (oldest == nil || sess.lastActive.Before(oldest.lastActive)) {
				oldest = sess
			}
		}
		if oldest == nil {
			return
		}
		delete(gw.sessions, oldest.id)
	}
}

func (gw *Gateway) resume(conn *gatewayConn, raw json.RawMessage) (sess *session, over bool) {
	var d struct {
		Token     string `json:"token"`
		SessionID string `json:"session_id"`
		Seq       int64  `json:"seq"`
	}
	if json.Unmarshal(raw, &d) != nil {
		conn.end(closeDecodeError, "Error while decoding payload.")
		return nil, true
	}
	gw.mu.Lock()
	defer gw.mu.Unlock()
	if !gw.state.validToken(d.Token) {
		conn.end(closeAuthenticationFailed, "Authentication failed.")
		return nil, true
	}
	sess = gw.sessions[d.SessionID]
	if sess != nil && d.Seq > sess.seq {
		conn.end(closeInvalidSeq, "Invalid seq.")
		return nil, true
	}
	if sess == nil || sess.seq-d.Seq > int64(len(sess.replay)) {
		delete(gw.sessions, d.SessionID)
		conn.send(frame{Op: opInvalidSession, Data: json.RawMessage("false")})
		return nil, false
	}
	sess.drop(websocket.CloseNormalClosure, "resumed elsewhere")
	sess.conn = conn
	conn.compress.Store(sess.compress)
	gw.resumed++
	for _, f := range sess.replay[len(sess.replay)-int(sess.seq-d.Seq):] {
		conn.send(f)
	}
	sess.dispatch("RESUMED", json.RawMessage(`{"_trace":["localdiscord"]}`))
	gw.changed()
	return sess, false
}

// refuse answers identify or resume according to the connection's fault.
func (gw *Gateway) refuse(conn *gatewayConn, in frame) {
	switch conn.fault {
	case AnswerReconnect:
		conn.send(frame{Op: opReconnect, Data: json.RawMessage("null")})
	case AnswerInterrupted:
		conn.send(frame{Op: opInvalidSession, Data: json.RawMessage("true")})
	case AnswerInvalid:
		var d struct {
			SessionID string `json:"session_id"`
		}
		if json.Unmarshal(in.Data, &d) == nil {
			gw.mu.Lock()
			delete(gw.sessions, d.SessionID)
			gw.mu.Unlock()
		}
		conn.send(frame{Op: opInvalidSession, Data: json.RawMessage("false")})
	}
}

// has reports whether the session's shard gets the events of a server.
func (sess *session) has(guildID string) bool {
	if guildID == "" {
		return sess.shard[0] == 0
	}
	id, _ := strconv.ParseInt(guildID, 10, 64)
	return (id>>22)%sess.shard[1] == sess.shard[0]
}

func (sess *session) dispatch(event string, data json.RawMessage) {
	sess.seq++
	seq := sess.seq
	f := frame{Op: opDispatch, Data: data, Seq: &seq, Type: &event}
	if len(sess.replay) == replayLength {
		sess.replay = append(sess.replay[:0:0], sess.replay[replayLength/2:]...)
	}
	sess.replay = append(sess.replay, f)
	if sess.conn != nil {
		sess.conn.send(f)
	}
}

// send reports an event to onEvent, and sends it to a session.
func (gw *Gateway) send(sess *session, event string, raw json.RawMessage) {
	if gw.onEvent != nil {
		gw.onEvent(event, raw)
	}
	sess.dispatch(event, raw)
}

// dispatch sends an event to all sessions that have the intent and get the server's events. The intent 0 stands for
// events that need no intent.
func (gw *Gateway) dispatch(guildID string, intent int, event string, data any) {
	var raw json.RawMessage
	for _, sess := range gw.sessions {
		if (intent == intentsAlways || sess.intents&intent != 0) && sess.has(guildID) {
			if raw == nil {
				raw = mustJSON(data)
			}
			gw.send(sess, event, raw)
		}
	}
}

func (gw *Gateway) url() string { return "ws://" + gw.address() + "/gateway/" }

// mayRead reports whether the bot gets the content of a message. A bot that is not allowed to use the privileged
// intent gets only the content of its own messages, of messages that mention it, and of direct messages.
func (gw *Gateway) mayRead(m *message) bool {
	return gw.intents&intentMessageContent != 0 || m.AuthorID == Application || m.GuildID == "" ||
		slices.Contains(m.Mentions, Application)
}

// end drops all connections, and refuses new ones.
func (gw *Gateway) end() {
	gw.closed = true
	for conn := range gw.conns {
		conn.end(closeGoingAway, "server closed")
	}
}

// mustJSON encodes a value of this package. It panics for values that cannot be encoded, of which there are none.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("localdiscord: " + err.Error())
	}
	return raw
}
