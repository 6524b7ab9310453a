package bot

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

// harbour is a gateway on pipes, within a bubble, where waiting takes no time and nothing that was started may be left over. It does with one
// connection after the other what its script says, and with all after those what a good gateway does.
type harbour struct {
	t       *testing.T
	log     lockedBuffer
	g       *gateway
	address func(context.Context) error // called when the gateway's address is asked for

	mu     sync.Mutex
	script []func(*pier)
	seen   []string // who asked for what where
	online []bool
	events []string
}

// pier is the harbour's end of a connection.
type pier struct {
	h       *harbour
	conn    net.Conn
	ws      *websocket.Conn
	address string
	seq     int
}

func newHarbour(t *testing.T, script ...func(*pier)) *harbour {
	h := &harbour{t: t, script: script, address: func(context.Context) error { return nil }}
	s, err := newSession("secret", &http.Client{Transport: h})
	if err != nil {
		t.Fatal(err)
	}
	h.g = newGateway(s, slog.New(slog.NewTextHandler(&h.log, nil)))
	h.g.dial = h.dial
	h.g.online = func(on bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.online = append(h.online, on)
	}
	on(h.g, "CHANNEL_DELETE", func(_ context.Context, e *place) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.events = append(h.events, e.ID)
	})
	return h
}

// RoundTrip answers where the gateway is.
func (h *harbour) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := h.address(r.Context()); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	io.WriteString(w, `{"url": "ws://gateway.test"}`)
	return w.Result(), nil
}

func (h *harbour) dial(ctx context.Context, _, address string) (net.Conn, error) {
	h.mu.Lock()
	act := welcome
	if len(h.script) > 0 {
		act, h.script = h.script[0], h.script[1:]
	}
	h.mu.Unlock()
	if act == nil { // nobody takes the connection
		<-ctx.Done()
		return nil, ctx.Err()
	}
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		act(&pier{h: h, conn: far, address: strings.TrimSuffix(address, ".test:80")})
	}()
	return near, nil
}

func (h *harbour) note(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, what)
}

func (h *harbour) noted() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.seen)
}

// Hijack gives the connection to the upgrader.
func (p *pier) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return p.conn, bufio.NewReadWriter(bufio.NewReader(p.conn), bufio.NewWriter(p.conn)), nil
}

// upgrade makes a WebSocket of the connection.
func (p *pier) upgrade() bool {
	r, err := http.ReadRequest(bufio.NewReader(p.conn))
	if err != nil {
		return false
	}
	if q := r.URL.Query(); q.Get("v") == "" || q.Get("encoding") != "json" {
		p.h.t.Errorf("the gateway is asked for %q", r.URL)
	}
	w := struct {
		http.ResponseWriter
		http.Hijacker
	}{httptest.NewRecorder(), p}
	p.ws, err = new(websocket.Upgrader).Upgrade(w, r, nil)
	return err == nil
}

func (p *pier) send(op int, data string) {
	p.ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, `{"op": %d, "d": %s, "s": null, "t": null}`, op, data))
}

func (p *pier) event(kind, data string) {
	p.seq++
	raw := fmt.Appendf(nil, `{"op": 0, "d": %s, "s": %d, "t": %q}`, data, p.seq, kind)
	if p.seq%2 == 1 { // every second one is compressed
		p.ws.WriteMessage(websocket.TextMessage, raw)
		return
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(raw)
	z.Close()
	p.ws.WriteMessage(websocket.BinaryMessage, b.Bytes())
}

func (p *pier) hello() { p.send(opHello, `{"heartbeat_interval": 41250}`) }

// login reads who comes, and notes it.
func (p *pier) login() (resumes bool) {
	var in struct {
		Op int `json:"op"`
		D  struct {
			Token   string `json:"token"`
			Session string `json:"session_id"`
			Seq     int    `json:"seq"`
			Intents int    `json:"intents"`
		} `json:"d"`
	}
	if err := p.ws.ReadJSON(&in); err != nil {
		return false
	}
	if in.D.Token != "secret" {
		p.h.t.Errorf("the token is given as %q", in.D.Token)
	}
	switch in.Op {
	case opIdentify:
		p.h.note("identify at " + p.address)
	case opResume:
		p.seq = in.D.Seq
		p.h.note(fmt.Sprintf("resume %s %d at %s", in.D.Session, in.D.Seq, p.address))
	default:
		p.h.t.Errorf("the first packet has opcode %d", in.Op)
	}
	return in.Op == opResume
}

// enter lets the bot in.
func (p *pier) enter() {
	if !p.upgrade() {
		return
	}
	p.hello()
	if p.login() {
		p.event("RESUMED", `{}`)
		return
	}
	p.h.mu.Lock()
	session := fmt.Sprintf("s%d", len(p.h.seen))
	p.h.mu.Unlock()
	p.event("READY", `{"session_id": "`+session+`", "resume_gateway_url": "ws://resume.test/", "guilds": []}`)
}

// stay answers heartbeats until the other side goes, and notes if it takes leave.
func (p *pier) stay() {
	for p.ws != nil {
		_, raw, err := p.ws.ReadMessage()
		if err != nil {
			if websocket.IsCloseError(err, closeNormal) {
				p.h.note("leave")
			}
			return
		}
		if bytes.Contains(raw, []byte(`"op":1`)) {
			p.send(opHeartbeatAck, "null")
		}
	}
}

func welcome(p *pier) { p.enter(); p.stay() }

// brief lets the bot in and is gone.
func brief(p *pier) { p.enter() }

// answer is a gateway that says Hello and answers identify or resume by a packet.
func answer(op int, data string) func(*pier) {
	return func(p *pier) {
		if p.upgrade() {
			p.hello()
			p.login()
			p.send(op, data)
			p.stay()
		}
	}
}

// greet is a gateway that says something else than Hello.
func greet(packet string) func(*pier) {
	return func(p *pier) {
		if p.upgrade() {
			p.ws.WriteMessage(websocket.TextMessage, []byte(packet))
			p.stay()
		}
	}
}

// closing is a gateway that answers identify or resume by closing with a code.
func closing(code int) func(*pier) {
	return func(p *pier) {
		if p.upgrade() {
			p.hello()
			p.login()
			p.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, "no"), time.Now().Add(time.Second))
			p.stay()
		}
	}
}

// silentUpgrade, silentHello and silentLogin take a connection and say nothing from a moment on.
func silentUpgrade(p *pier) { io.Copy(io.Discard, p.conn) }

func silentHello(p *pier) {
	if p.upgrade() {
		p.stay()
	}
}

func silentLogin(p *pier) {
	if p.upgrade() {
		p.hello()
		p.login()
		p.stay()
	}
}

// stuck lets the bot in and then reads nothing more, so that whoever writes waits.
func stuck(until <-chan struct{}) func(*pier) {
	return func(p *pier) { p.enter(); <-until }
}

// run opens and keeps the gateway; the channel has what came of it.
func (h *harbour) run(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() {
		err := h.g.open(ctx)
		if err == nil {
			err = h.g.keep(ctx)
		}
		done <- err
	}()
	return done
}

// However a handshake goes wrong, the bot is connected again and hears of events, with the session that it had if Discord still knows that, and with
// a new one if not; and nothing is left over of the attempts.
func TestGatewayGetsOverEveryHandshake(t *testing.T) {
	t.Parallel()
	const again, anew = "resume s1 1 at resume", "identify at gateway"
	for _, tt := range []struct {
		name   string
		fault  func(*pier)
		resume []string // what is asked of the gateway when it happens to who resumes
		begin  []string // … when it happens to who begins
	}{
		{"connection not taken", nil, []string{again}, []string{anew}},
		{"upgrade not answered", silentUpgrade, []string{again}, []string{anew}},
		{"no Hello", silentHello, []string{again}, []string{anew}},
		{"no answer", silentLogin, []string{again, again}, []string{anew, anew}},
		{"invalid session", answer(opInvalidSession, "false"), []string{again, anew}, []string{anew, anew}},
		{"invalid session, resumable", answer(opInvalidSession, "true"), []string{again, again}, []string{anew, anew}},
		{"invalid session, garbled", answer(opInvalidSession, `"?"`), []string{again, anew}, []string{anew, anew}},
		{"asked to reconnect", answer(opReconnect, "null"), []string{again, again}, []string{anew, anew}},
		{"only an acknowledgement", answer(opHeartbeatAck, "null"), []string{again, again}, []string{anew, anew}},
		{"only a request for a heartbeat", answer(opHeartbeat, "null"), []string{again, again}, []string{anew, anew}},
		{"out of step", closing(4007), []string{again, anew}, []string{anew, anew}},
		{"timed out", closing(4009), []string{again, anew}, []string{anew, anew}},
		{"unknown error", closing(4000), []string{again, again}, []string{anew, anew}},
		{"something else than Hello", greet(`{"op": 11}`), []string{again}, []string{anew}},
		{"invalid session for Hello", greet(`{"op": 9, "d": false}`), []string{again}, []string{anew}},
		{"no heartbeats", greet(`{"op": 10, "d": {"heartbeat_interval": 0}}`), []string{again}, []string{anew}},
		{"garbage", greet(`}{`), []string{again}, []string{anew}},
		{"cut before Hello", func(p *pier) { p.upgrade() }, []string{again}, []string{anew}},
		{"cut at once", func(*pier) {}, []string{again}, []string{anew}},
	} {
		for _, stage := range []string{"begin", "resume"} {
			t.Run(tt.name+"/"+stage, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					script, want := []func(*pier){tt.fault}, slices.Clone(tt.begin)
					if stage == "resume" {
						script, want = []func(*pier){brief, tt.fault}, append([]string{anew}, tt.resume...)
					}
					said := make(chan struct{})
					h := newHarbour(t, append(script, func(p *pier) {
						p.enter()
						p.event("CHANNEL_DELETE", `{"id": "7"}`)
						close(said)
						p.stay()
					})...)
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					done := h.run(ctx)
					began := time.Now()
					select {
					case <-said:
					case err := <-done:
						t.Fatalf("given up: %v\n%s", err, &h.log)
					}
					synctest.Wait()
					t.Logf("connected after %v of the bubble's time: %q", time.Since(began), h.noted())
					if got := h.noted(); !slices.Equal(got, want) {
						t.Errorf("the gateway was asked %q, want %q", got, want)
					}
					if !slices.Equal(h.events, []string{"7"}) {
						t.Errorf("the events that were heard are %q", h.events)
					}
					if n := len(h.online); stage == "resume" && (n != 2 || h.online[0] || !h.online[1]) {
						t.Errorf("the table was told %v, want that the bot was away and is back", h.online)
					}
					cancel()
					if err := <-done; err != nil {
						t.Errorf("keeping the gateway ended with %v", err)
					}
				})
			})
		}
	}
}

// Told to stop, the gateway stops in whatever it is doing, without waiting for anybody; only who does not answer its leave is given a moment.
func TestGatewayStopsPromptly(t *testing.T) {
	t.Parallel()
	hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for _, tt := range []struct {
		name    string
		script  func(until <-chan struct{}) []func(*pier)
		prepare func(*harbour)
		reach   time.Duration // when it does what the name says
		within  time.Duration // of the bubble's time
		want    []string
	}{
		{name: "asking where the gateway is", prepare: func(h *harbour) { h.address = hang }},
		{name: "dialling", script: func(<-chan struct{}) []func(*pier) { return []func(*pier){nil} }},
		{name: "upgrading", script: func(<-chan struct{}) []func(*pier) { return []func(*pier){silentUpgrade} }},
		{name: "waiting for Hello", script: func(<-chan struct{}) []func(*pier) { return []func(*pier){silentHello} }},
		{name: "waiting for the session", script: func(<-chan struct{}) []func(*pier) { return []func(*pier){silentLogin} }, want: []string{"identify at gateway"}},
		{name: "pausing before another try", prepare: func(h *harbour) { h.address = func(context.Context) error { return errors.New("no route") } }},
		{name: "connected", want: []string{"identify at gateway", "leave"}},
		{name: "connected to who reads nothing", within: 3 * leaveTime, want: []string{"identify at gateway"},
			script: func(until <-chan struct{}) []func(*pier) { return []func(*pier){stuck(until)} }},
		{name: "connected to who does not stop talking", within: 3 * leaveTime, want: []string{"identify at gateway"},
			script: func(until <-chan struct{}) []func(*pier) {
				return []func(*pier){func(p *pier) {
					p.enter()
					go io.Copy(io.Discard, p.conn)
					for {
						select {
						case <-until:
							return
						case <-time.After(time.Millisecond):
							p.event("CHANNEL_DELETE", `{"id": "7"}`)
						}
					}
				}}
			}},
		{name: "dialling again", reach: time.Second, want: []string{"identify at gateway"},
			script: func(<-chan struct{}) []func(*pier) { return []func(*pier){brief, nil} }},
		{name: "waiting for Hello again", reach: time.Second, want: []string{"identify at gateway"},
			script: func(<-chan struct{}) []func(*pier) { return []func(*pier){brief, silentHello} }},
		{name: "waiting to be resumed", reach: time.Second, want: []string{"identify at gateway", "resume s1 1 at resume"},
			script: func(<-chan struct{}) []func(*pier) { return []func(*pier){brief, silentLogin} }},
		{name: "pausing before another resume", reach: time.Second / 2, want: []string{"identify at gateway", "resume s1 1 at resume"},
			script: func(<-chan struct{}) []func(*pier) { return []func(*pier){brief, closing(4000)} }},
		{name: "waiting for room for an event", want: []string{"identify at gateway", "leave"},
			script: func(<-chan struct{}) []func(*pier) {
				return []func(*pier){func(p *pier) {
					p.enter()
					p.event("CHANNEL_DELETE", `{"id": "7"}`)
					p.stay()
				}}
			},
			prepare: func(h *harbour) {
				e := newEvents(h.g.log)
				for range maxEvents {
					e.room <- struct{}{}
				}
				on(h.g, "CHANNEL_DELETE", func(ctx context.Context, _ *place) {
					e.add(ctx, "a", func(context.Context) { h.t.Error("an event is taken without room") })
				})
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				over := make(chan struct{})
				defer close(over)
				h := newHarbour(t)
				if tt.script != nil {
					h.script = tt.script(over)
				}
				if tt.prepare != nil {
					tt.prepare(h)
				}
				ctx, cancel := context.WithCancel(t.Context())
				done := h.run(ctx)
				time.Sleep(tt.reach)
				synctest.Wait()
				told := time.Now()
				cancel()
				if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("it ended with %v", err)
				}
				if took := time.Since(told); took > tt.within {
					t.Errorf("told to stop, it took %v of the bubble's time, want at most %v\n%s", took, tt.within, &h.log)
				}
				synctest.Wait()
				if got := h.noted(); !slices.Equal(got, tt.want) {
					t.Errorf("the gateway saw %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// Heartbeats tell of the last event; who asks for one gets it at once; and when nothing comes any more, the connection is given up and the session resumed.
func TestGatewayHeartbeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var beats []string
		beat := func(p *pier) {
			_, raw, err := p.ws.ReadMessage()
			var in packet
			if err != nil || json.Unmarshal(raw, &in) != nil || in.Op != opHeartbeat {
				t.Errorf("instead of a heartbeat comes %s, %v", raw, err)
			}
			beats = append(beats, string(in.Data))
		}
		back := make(chan struct{})
		h := newHarbour(t, func(p *pier) {
			p.enter()
			p.send(opHeartbeat, "null")
			beat(p)
			p.event("CHANNEL_DELETE", `{"id": "7"}`)
			p.event("NOT_KNOWN", `{"id": "8"}`)
			p.ws.WriteMessage(websocket.TextMessage, []byte("}{")) // is passed over
			p.send(12, "null")
			beat(p)
			p.send(opHeartbeatAck, "null")
			beat(p)
			for { // dead: reads, and says nothing
				if _, _, err := p.ws.ReadMessage(); err != nil {
					return
				}
			}
		}, func(p *pier) { p.enter(); close(back); p.stay() })
		ctx, cancel := context.WithCancel(t.Context())
		done := h.run(ctx)
		<-back
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if want := []string{"1", "3", "3"}; !slices.Equal(beats, want) {
			t.Errorf("the heartbeats tell of events %q, want %q", beats, want)
		}
		if want := []string{"identify at gateway", "resume s1 3 at resume", "leave"}; !slices.Equal(h.noted(), want) {
			t.Errorf("the gateway saw %q, want %q", h.noted(), want)
		}
		if !slices.Equal(h.events, []string{"7"}) {
			t.Errorf("the events that were heard are %q", h.events)
		}
	})
}

// A session that cannot be resumed where it was is resumed elsewhere, and given up in the end.
func TestGatewayGivesASessionUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		script := []func(*pier){brief}
		want := []string{"identify at gateway"}
		for i := range maxRefused {
			script = append(script, closing(4000))
			where := "resume"
			if i >= maxAstray {
				where = "gateway"
			}
			want = append(want, "resume s1 1 at "+where)
		}
		back := make(chan struct{})
		h := newHarbour(t, append(script, func(p *pier) { p.enter(); close(back); p.stay() })...)
		ctx, cancel := context.WithCancel(t.Context())
		done := h.run(ctx)
		<-back
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if want = append(want, "identify at gateway", "leave"); !slices.Equal(h.noted(), want) {
			t.Errorf("the gateway saw %q, want %q", h.noted(), want)
		}
	})
}

// A gateway that lets the bot in and throws it out again at once does not see it more often than Discord allows in a day.
func TestGatewayDoesNotFlap(t *testing.T) {
	t.Parallel()
	const allowed = 1000 // identifies a day, past which Discord resets the token
	for name, out := range map[string]string{"a new session": "false", "the same session": "true"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var script []func(*pier)
				for range 3 * allowed {
					script = append(script, func(p *pier) { p.enter(); p.send(opInvalidSession, out); p.stay() })
				}
				h := newHarbour(t, script...)
				ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
				defer cancel()
				if err := <-h.run(ctx); err != nil {
					t.Error(err)
				}
				n := len(h.noted())
				t.Logf("%d logins in a day", n)
				if n >= allowed || n < 100 {
					t.Errorf("the gateway saw %d logins in a day, want fewer than %d, but not that it was given up", n, allowed)
				}
			})
		})
	}
}

// What no retry can mend ends it, on the first connection, on a later one, and on a connection that was good; a gateway that cannot be reached at the start, too.
func TestGatewayGivesUpWhatCannotBeMended(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		script []func(*pier)
		want   string
	}{
		{"first", []func(*pier){closing(4014)}, "does not allow the bot the intents"},
		{"later", []func(*pier){brief, closing(4004)}, "does not accept the token"},
		{"in the middle", []func(*pier){func(p *pier) {
			p.enter()
			p.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(4004, ""), time.Now().Add(time.Second))
			p.stay()
		}}, "does not accept the token"},
		{"never there", []func(*pier){nil, nil, nil, nil}, "Discord's gateway cannot be reached"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHarbour(t, tt.script...)
				err := <-h.run(t.Context())
				var se *StartError
				if !errors.As(err, &se) || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("it ended with %v, want %q\n%s", err, tt.want, &h.log)
				}
			})
		})
	}
}
