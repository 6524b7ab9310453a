package localdiscord

import "encoding/json"

// Drop breaks the connections of all sessions; the sessions can be resumed.
func (gw *Gateway) Drop() { gw.dropSome(func(*session) bool { return true }) }

// DropShard breaks the connections of all sessions with this shard number, whatever their total number of shards.
func (gw *Gateway) DropShard(shard int) {
	gw.dropSome(func(sess *session) bool { return sess.shard[0] == int64(shard) })
}

func (gw *Gateway) dropSome(which func(*session) bool) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for _, sess := range gw.sessions {
		if sess.conn != nil && which(sess) {
			sess.conn.ws.NetConn().Close()
			sess.conn = nil
		}
	}
	gw.changed()
}

// Die makes the connections of all sessions dead: they stay open but deliver nothing. A session that is resumed still
// gets its events.
func (gw *Gateway) Die() {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for _, sess := range gw.sessions {
		if sess.conn != nil {
			sess.conn.dead.Store(true)
		}
	}
}

// Close closes the connections of all sessions with a close code. After some codes the sessions cannot be resumed.
func (gw *Gateway) Close(code int) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for id, sess := range gw.sessions {
		sess.drop(code, "")
		if code == closeNotAuthenticated || code == closeInvalidSeq || code == closeSessionTimedOut {
			delete(gw.sessions, id)
		}
	}
	gw.changed()
}

// Spend counts this number of additional sessions as begun today.
func (gw *Gateway) Spend(sessions int) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.limits.left(gw.state.clock.Now())
	gw.limits.today += sessions
}

// Handshake is a fault of a new gateway connection before READY.
type Handshake int

const (
	NoHello           Handshake = iota + 1 // the connection is accepted, and nothing is sent
	NoReady                                // identify or resume is not answered
	AnswerInvalid                          // identify or resume is answered by opcode 9, and the session is forgotten
	AnswerInterrupted                      // identify or resume is answered by opcode 9, and the session can be resumed
	AnswerReconnect                        // identify or resume is answered by opcode 7
)

// FailHandshakes gives each of the next gateway connections one of the faults.
func (gw *Gateway) FailHandshakes(faults ...Handshake) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.handshakes = append(gw.handshakes, faults...)
}

// HandshakesLeft returns how many faults of FailHandshakes have not been used yet.
func (gw *Gateway) HandshakesLeft() int {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	return len(gw.handshakes)
}

// Sessions returns how many sessions have begun, and how often sessions were resumed.
func (gw *Gateway) Sessions() (identified, resumed int) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	return gw.identified, gw.resumed
}

// TooEarly returns the number of sessions that were refused because they identified too soon after another.
func (gw *Gateway) TooEarly() int {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	return gw.limits.early
}

// Shards returns the number of connected sessions by shard, which is the pair of its number and the number of shards.
func (gw *Gateway) Shards() map[[2]int64]int {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	out := map[[2]int64]int{}
	for _, sess := range gw.sessions {
		if sess.conn != nil {
			out[sess.shard]++
		}
	}
	return out
}

// RequestReconnect asks all connected sessions to reconnect and resume (opcode 7).
func (gw *Gateway) RequestReconnect() {
	gw.sendAll(frame{Op: opReconnect, Data: json.RawMessage("null")})
}

// Invalidate sends opcode 9 to all connected sessions, which says whether they can be resumed. If resumable is false,
// the server also forgets all sessions.
func (gw *Gateway) Invalidate(resumable bool) {
	gw.sendAll(frame{Op: opInvalidSession, Data: mustJSON(resumable)})
	if resumable {
		return
	}
	gw.mu.Lock()
	defer gw.mu.Unlock()
	clear(gw.sessions)
	gw.changed()
}

// Inject sends all sessions an event with any content, even one that Discord would never send.
func (gw *Gateway) Inject(event string, content json.RawMessage) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for _, sess := range gw.sessions {
		sess.dispatch(event, content)
	}
}

func (gw *Gateway) sendAll(f frame) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	for _, sess := range gw.sessions {
		if sess.conn != nil {
			sess.conn.send(f)
		}
	}
}

// AllowIntents sets which privileged intents (1<<1, 1<<8, 1<<15) a bot can identify with; initially none. A session
// with other privileged intents is refused with 4014.
func (gw *Gateway) AllowIntents(privileged int) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.intents = privileged
}

// RefuseIdentify makes the gateway close each session that identifies from now on, with the given close code (4011,
// 4014, …). After code 0, sessions are accepted again.
func (gw *Gateway) RefuseIdentify(code int) {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	gw.refusal = code
}

// Connected returns the number of connected sessions.
func (gw *Gateway) Connected() int {
	gw.mu.Lock()
	defer gw.mu.Unlock()
	return gw.connected()
}

func (gw *Gateway) connected() int {
	n := 0
	for _, sess := range gw.sessions {
		if sess.conn != nil {
			n++
		}
	}
	return n
}

// revoke makes the token invalid: it closes the connections of all sessions with the code for that, and forgets the
// sessions.
func (gw *Gateway) revoke() {
	gw.state.token = ""
	for id, sess := range gw.sessions {
		sess.drop(closeAuthenticationFailed, "Authentication failed.")
		delete(gw.sessions, id)
	}
	gw.changed()
}
