package localdiscord

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Fault changes how REST requests of the bot are answered while it is in force.
type Fault struct {
	Method string // requests of this method; "" for any
	Path   string // requests whose path without /api/vN, or whose Route, contains this; "" for any
	Times  int    // how many requests are hit before the fault ends by itself; 0 until it is removed

	Latency time.Duration   // waited before the request is carried out
	Hold    <-chan struct{} // waited for before the request is carried out
	Status  int             // answered instead of carrying the request out; 0 for none
	Header  http.Header     // of that answer
	Body    string          // of that answer
	// Lost carries the request out and then breaks the connection without an answer.
	Lost bool
}

type activeFault struct {
	Fault
	left int
}

// AddFault puts a fault in force; remove ends it. Of several that match, the first added is applied.
func (s *Server) AddFault(f Fault) (remove func()) {
	a := &activeFault{Fault: f, left: f.Times}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, a)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.faults = slices.DeleteFunc(s.faults, func(o *activeFault) bool { return o == a })
	}
}

// fault picks the fault for a request; the caller holds the lock.
func (s *Server) fault(method, path, route string) *Fault {
	for i, a := range s.faults {
		if a.Method != "" && a.Method != method || !strings.Contains(path, a.Path) && !strings.Contains(route, a.Path) {
			continue
		}
		if a.Times > 0 {
			if a.left--; a.left == 0 {
				s.faults = slices.Delete(slices.Clone(s.faults), i, i+1)
			}
		}
		f := a.Fault
		return &f
	}
	return nil
}

// delay waits as long as the fault says, or until the client is gone.
func (f *Fault) delay(ctx context.Context) {
	if f.Latency > 0 {
		t := time.NewTimer(f.Latency)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	if f.Hold != nil {
		select {
		case <-f.Hold:
		case <-ctx.Done():
		}
	}
}

// ServerError is a fault that answers with a 5xx status.
func ServerError(status int) Fault {
	return Fault{Status: status, Body: `{"message": "` + http.StatusText(status) + `", "code": 0}`}
}

// RateLimited is a fault that answers 429 with Discord's body; with headers the answer also carries the rate limit
// headers. A global limit says so in both.
func RateLimited(after time.Duration, global, headers bool) Fault {
	body, _ := json.Marshal(map[string]any{"message": "You are being rate limited.", "retry_after": after.Seconds(), "global": global})
	f := Fault{Status: http.StatusTooManyRequests, Body: string(body), Header: http.Header{}}
	if headers {
		seconds := formatSeconds(after)
		f.Header.Set("Retry-After", seconds)
		f.Header.Set("X-RateLimit-Limit", "5")
		f.Header.Set("X-RateLimit-Remaining", "0")
		f.Header.Set("X-RateLimit-Reset-After", seconds)
		f.Header.Set("X-RateLimit-Bucket", "faulty")
		f.Header.Set("X-RateLimit-Scope", "user")
		if global {
			f.Header.Set("X-RateLimit-Global", "true")
			f.Header.Set("X-RateLimit-Scope", "global")
		}
	}
	return f
}

// RateLimitedHTML is a fault that answers 429 with a web page, as the proxy in front of Discord does.
func RateLimitedHTML() Fault {
	return Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Content-Type": {"text/html"}},
		Body: "<!DOCTYPE html><html><head><title>Access denied</title></head><body>error code: 1015</body></html>"}
}

// DropGateway breaks all gateway connections; the sessions can be resumed.
func (s *Server) DropGateway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.sessions {
		if sess.conn != nil {
			sess.conn.ws.NetConn().Close()
			sess.conn = nil
		}
	}
	s.worldChanged()
}

// Handshake is how a connection to the gateway goes wrong before the bot is let in.
type Handshake int

const (
	NoHello           Handshake = iota + 1 // the connection is taken, and nothing is said
	NoReady                                // identify or resume is not answered
	AnswerInvalid                          // it is answered by opcode 9, and the session is forgotten
	AnswerInterrupted                      // it is answered by opcode 9, and the session can be resumed
	AnswerReconnect                        // it is answered by opcode 7
)

// FailHandshakes lets the next connections to the gateway go wrong, each in its way.
func (s *Server) FailHandshakes(faults ...Handshake) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handshakes = append(s.handshakes, faults...)
}

// HandshakesLeft is how many of the connections that FailHandshakes is about are still to come.
func (s *Server) HandshakesLeft() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.handshakes)
}

// Sessions counts how often a session was begun and how often one was resumed.
func (s *Server) Sessions() (identified, resumed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.identified, s.resumed
}

// RequestReconnect asks all connected sessions to reconnect and resume (opcode 7).
func (s *Server) RequestReconnect() { s.sendAll(frame{Op: opReconnect, Data: json.RawMessage("null")}) }

// InvalidateSession tells all connected sessions that they are no longer valid (opcode 9).
// Those that are not resumable are forgotten.
func (s *Server) InvalidateSession(resumable bool) {
	s.sendAll(frame{Op: opInvalidSession, Data: mustJSON(resumable)})
	if resumable {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.sessions)
	s.touch()
}

func (s *Server) sendAll(f frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sess := range s.sessions {
		if sess.conn != nil {
			sess.conn.send(f)
		}
	}
}

// RevokeToken makes the token invalid: REST answers 401, the gateway closes with 4004, now and on every attempt.
func (s *Server) RevokeToken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = ""
	for id, sess := range s.sessions {
		sess.drop(closeAuthenticationFailed, "Authentication failed.")
		delete(s.sessions, id)
	}
	s.touch()
}

// AllowIntents sets which privileged intents (1<<1, 1<<8, 1<<15) a bot may identify with; none at the start.
// Others are refused with 4014.
func (s *Server) AllowIntents(privileged int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.intents = privileged
}

// RefuseIdentify closes the gateway with a code (4011, 4014, …) on whoever identifies from now on; 0 lets everybody in again.
func (s *Server) RefuseIdentify(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = code
}

// DenyBot takes permissions (PermissionViewChannel, …) from the bot in a channel; 0 gives all back.
func (s *Server) DenyBot(channelID string, permissions int64) error {
	return s.Deny(channelID, Application, permissions)
}

// Deny takes permissions from a member in a channel; 0 gives all back.
func (s *Server) Deny(channelID, userID string, permissions int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channelID]
	if c == nil || c.Type != channelText {
		return ErrNoChannel
	}
	c.Overwrites = slices.DeleteFunc(slices.Clone(c.Overwrites), func(o overwrite) bool { return o.ID == userID })
	if permissions != 0 {
		c.Overwrites = append(c.Overwrites, overwrite{ID: userID, Type: 1, Deny: permissions})
	}
	s.dispatchGuild(c.GuildID, intentGuilds, "CHANNEL_UPDATE", s.channelJSON(c))
	s.worldChanged()
	return nil
}

// DeleteChannel deletes a channel with its threads, or a thread.
func (s *Server) DeleteChannel(channelID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.channels[channelID]
	if c == nil || c.Type == channelDM {
		return ErrNoChannel
	}
	s.removeChannel(c)
	return nil
}

func (s *Server) removeChannel(c *channel) {
	g := s.guilds[c.GuildID]
	if c.isThread() {
		s.dispatchGuild(g.ID, intentGuilds, "THREAD_DELETE", map[string]any{"id": c.ID, "guild_id": g.ID, "parent_id": c.ParentID, "type": c.Type})
	} else {
		for _, id := range slices.Clone(g.Channels) {
			if t := s.channels[id]; t != nil && t.ParentID == c.ID {
				s.forgetChannel(t)
			}
		}
		s.dispatchGuild(g.ID, intentGuilds, "CHANNEL_DELETE", s.channelJSON(c))
	}
	s.forgetChannel(c)
	s.worldChanged()
}

func (s *Server) forgetChannel(c *channel) {
	g := s.guilds[c.GuildID]
	g.Channels = slices.DeleteFunc(g.Channels, func(id string) bool { return id == c.ID })
	for _, m := range c.Messages {
		for _, a := range m.Attachments {
			s.files.drop(a.ID)
		}
	}
	for _, read := range s.reads {
		delete(read, c.ID)
	}
	delete(s.channels, c.ID)
}

// KickBot removes the bot from a server; it hears GUILD_DELETE, and requests about the server are refused.
func (s *Server) KickBot(guildID string) error {
	if err := s.RemoveMember(guildID, Application); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatchGuild(guildID, intentGuilds, "GUILD_DELETE", map[string]any{"id": guildID})
	return nil
}

// InviteBot lets the bot back into a server; it hears GUILD_CREATE.
func (s *Server) InviteBot(guildID string) error {
	if err := s.AddMember(guildID, Application); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatchGuild(guildID, intentGuilds, "GUILD_CREATE", s.guildCreateJSON(s.guilds[guildID]))
	return nil
}

// SetGuildAvailable tells the bot of an outage of a server (GUILD_DELETE with unavailable) and of its end. Who identifies during
// the outage hears of it after READY.
func (s *Server) SetGuildAvailable(guildID string, available bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.guilds[guildID]
	if g == nil || g.member(Application) == nil {
		return ErrNoGuild
	}
	g.down = !available
	if available {
		s.dispatchGuild(guildID, intentGuilds, "GUILD_CREATE", s.guildCreateJSON(g))
	} else {
		s.dispatchGuild(guildID, intentGuilds, "GUILD_DELETE", map[string]any{"id": guildID, "unavailable": true})
	}
	return nil
}
