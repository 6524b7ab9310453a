package localdiscord

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// Gateway opcodes.
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

// Gateway close codes.
const (
	closeGoingAway            = 1001
	closeUnknownOpcode        = 4001
	closeDecodeError          = 4002
	closeNotAuthenticated     = 4003
	closeAuthenticationFailed = 4004
	closeAlreadyAuthenticated = 4005
	closeInvalidSeq           = 4007
	closeInvalidShard         = 4010
	closeInvalidIntents       = 4013
	closeDisallowedIntents    = 4014
)

// Gateway intents.
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
	replayLength      = 1024 // events that a session can be sent again on resuming
	queueLength       = 1024 // events waiting to be written; a client that is slower is dropped and may resume
	compressFrom      = 1024 // bytes of an event for who asked to have them compressed
	maxSessions       = 32   // sessions without a connection beyond that are forgotten
)

type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Type *string         `json:"t"`
}

// session is what a bot identified for; it outlives its connection, so that it can be resumed.
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

// gatewayConn is one WebSocket connection, with the queue that its writer empties.
type gatewayConn struct {
	ws       *websocket.Conn
	queue    chan frame
	fault    Handshake   // how it goes wrong; 0 for not
	compress atomic.Bool // what is large is compressed
	once     sync.Once
	code     int
	text     string
	gone     chan struct{}
}

// end lets the writer close the connection with the code, once.
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

var upgrader = websocket.Upgrader{
	// Browsers send an Origin; bots do not, and nobody else has business here.
	CheckOrigin: func(r *http.Request) bool { return r.Header.Get("Origin") == "" },
}

func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	conn := &gatewayConn{ws: ws, queue: make(chan frame, queueLength), gone: make(chan struct{})}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		s.done.Add(1)
		if len(s.handshakes) > 0 {
			conn.fault, s.handshakes = s.handshakes[0], s.handshakes[1:]
			s.touch()
		}
	}
	s.mu.Unlock()
	if closed {
		ws.Close()
		return
	}
	go func() {
		defer s.done.Done()
		conn.write()
	}()
	if conn.fault == NoHello {
		s.read(conn)
		return
	}
	conn.send(frame{Op: opHello, Data: mustJSON(map[string]any{"heartbeat_interval": heartbeatInterval.Milliseconds(), "_trace": []string{"localdiscord"}})})
	s.read(conn)
}

// write empties the queue into the connection until the connection ends, and closes it.
func (c *gatewayConn) write() {
	defer c.ws.Close()
	put := func(f frame) bool {
		c.ws.SetWriteDeadline(time.Now().Add(10 * time.Second))
		kind, raw := websocket.TextMessage, []byte(mustJSON(f))
		if c.compress.Load() && len(raw) >= compressFrom {
			var b bytes.Buffer
			z := zlib.NewWriter(&b)
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
			for { // what was queued before the end still goes out
				select {
				case f := <-c.queue:
					if put(f) {
						continue
					}
				default:
				}
				break
			}
			c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(c.code, c.text), time.Now().Add(time.Second))
			return
		}
	}
}

func (s *Server) read(conn *gatewayConn) {
	var sess *session
	defer func() {
		conn.end(websocket.CloseNormalClosure, "")
		s.mu.Lock()
		defer s.mu.Unlock()
		if sess != nil && sess.conn == conn {
			sess.conn = nil
			sess.lastActive = s.clock.Now()
			s.worldChanged()
		}
	}()
	conn.ws.SetReadLimit(1 << 20)
	for {
		_, raw, err := conn.ws.ReadMessage()
		if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) && sess != nil {
			s.mu.Lock() // these two codes end the session, as on Discord
			if sess.conn == conn {
				delete(s.sessions, sess.id)
			}
			s.mu.Unlock()
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
			s.refuse(conn, in)
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
			if sess = s.identify(conn, in.Data); sess == nil {
				return
			}
		case opResume:
			resumed, over := s.resume(conn, in.Data)
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

func (s *Server) identify(conn *gatewayConn, raw json.RawMessage) *session {
	var d struct {
		Token    string    `json:"token"`
		Intents  int       `json:"intents"`
		Compress bool      `json:"compress"`
		Shard    *[2]int64 `json:"shard"`
	}
	if json.Unmarshal(raw, &d) != nil {
		conn.end(closeDecodeError, "Error while decoding payload.")
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.validToken(d.Token):
		conn.end(closeAuthenticationFailed, "Authentication failed.")
		return nil
	case s.refusal != 0:
		conn.end(s.refusal, "Refused.")
		return nil
	case d.Intents&^intentsKnown != 0 || d.Intents < 0:
		conn.end(closeInvalidIntents, "Invalid intent(s).")
		return nil
	case d.Intents&intentsPrivileged&^s.intents != 0:
		conn.end(closeDisallowedIntents, "Disallowed intent(s).")
		return nil
	}
	sess := &session{id: rand.Text(), intents: d.Intents, compress: d.Compress, shard: [2]int64{0, 1}, conn: conn}
	conn.compress.Store(d.Compress)
	if d.Shard != nil {
		if d.Shard[1] < 1 || d.Shard[0] < 0 || d.Shard[0] >= d.Shard[1] {
			conn.end(closeInvalidShard, "Invalid shard.")
			return nil
		}
		sess.shard = *d.Shard
	}
	s.forgetSessions()
	s.sessions[sess.id] = sess
	s.identified++
	guilds := []any{}
	for _, id := range s.guildOrder {
		if g := s.guilds[id]; g.member(Application) != nil && sess.has(id) {
			guilds = append(guilds, map[string]any{"id": id, "unavailable": true})
		}
	}
	sess.dispatch("READY", mustJSON(map[string]any{
		"v": 9, "user": s.userJSON(Application), "guilds": guilds, "session_id": sess.id, "private_channels": []any{},
		"resume_gateway_url": s.gatewayURL(), "shard": sess.shard, "application": map[string]any{"id": Application, "flags": 0},
	}))
	if sess.intents&intentGuilds != 0 {
		for _, id := range s.guildOrder {
			switch g := s.guilds[id]; {
			case g.member(Application) == nil || !sess.has(id):
			case g.down:
				sess.dispatch("GUILD_DELETE", mustJSON(map[string]any{"id": id, "unavailable": true}))
			default:
				sess.dispatch("GUILD_CREATE", mustJSON(s.guildCreateJSON(g)))
			}
		}
	}
	s.worldChanged()
	return sess
}

// forgetSessions drops the longest-disconnected sessions beyond the limit.
func (s *Server) forgetSessions() {
	for len(s.sessions) >= maxSessions {
		var oldest *session
		for _, sess := range s.sessions {
			if sess.conn == nil && (oldest == nil || sess.lastActive.Before(oldest.lastActive)) {
				oldest = sess
			}
		}
		if oldest == nil {
			return
		}
		delete(s.sessions, oldest.id)
	}
}

func (s *Server) resume(conn *gatewayConn, raw json.RawMessage) (sess *session, over bool) {
	var d struct {
		Token     string `json:"token"`
		SessionID string `json:"session_id"`
		Seq       int64  `json:"seq"`
	}
	if json.Unmarshal(raw, &d) != nil {
		conn.end(closeDecodeError, "Error while decoding payload.")
		return nil, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.validToken(d.Token) {
		conn.end(closeAuthenticationFailed, "Authentication failed.")
		return nil, true
	}
	sess = s.sessions[d.SessionID]
	if sess != nil && d.Seq > sess.seq {
		conn.end(closeInvalidSeq, "Invalid seq.")
		return nil, true
	}
	if sess == nil || sess.seq-d.Seq > int64(len(sess.replay)) {
		delete(s.sessions, d.SessionID)
		conn.send(frame{Op: opInvalidSession, Data: json.RawMessage("false")})
		return nil, false
	}
	sess.drop(websocket.CloseNormalClosure, "resumed elsewhere")
	sess.conn = conn
	conn.compress.Store(sess.compress)
	s.resumed++
	for _, f := range sess.replay[len(sess.replay)-int(sess.seq-d.Seq):] {
		conn.send(f)
	}
	sess.dispatch("RESUMED", json.RawMessage(`{"_trace":["localdiscord"]}`))
	s.worldChanged()
	return sess, false
}

// refuse answers identify or resume as the connection's fault says.
func (s *Server) refuse(conn *gatewayConn, in frame) {
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
			s.mu.Lock()
			delete(s.sessions, d.SessionID)
			s.mu.Unlock()
		}
		conn.send(frame{Op: opInvalidSession, Data: json.RawMessage("false")})
	}
}

// has reports whether events of the server go to this session's shard.
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

// dispatchGuild sends an event to the sessions that have the intent (0: all) and the server's shard.
func (s *Server) dispatchGuild(guildID string, intent int, event string, data any) {
	var raw json.RawMessage
	for _, sess := range s.sessions {
		if (intent == intentsAlways || sess.intents&intent != 0) && sess.has(guildID) {
			if raw == nil {
				raw = mustJSON(data)
			}
			sess.dispatch(event, raw)
		}
	}
}

func (s *Server) validToken(token string) bool {
	return s.token != "" && strings.TrimPrefix(token, "Bot ") == s.token
}

func (s *Server) gatewayURL() string { return "ws://" + s.listener.Addr().String() + "/gateway/" }

// mustJSON encodes values of this package, which cannot fail.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("localdiscord: " + err.Error())
	}
	return raw
}
