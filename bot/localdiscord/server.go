package localdiscord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"marque/bot/localdiscord/page"
	"marque/bot/timesource"
)

// DefaultToken is the bot token if Options sets none. As in Discord's tokens, the part before the first dot is the
// application's id in base64. Libraries read the id there.
const DefaultToken = "MTE1MDAwMDAwMDAwMDAwMDAwMQ.local.token"

// Options configures a server. The zero value is a server on a random port with the standard world.
type Options struct {
	// Port is the port on 127.0.0.1; 0 takes a free one.
	Port int
	// Token is the bot's token, without "Bot "; DefaultToken if empty.
	Token string
	// Clock gives the time for deadlines and timestamps; the machine's clock if nil.
	Clock timesource.Clock
	// AnswerWithin is the time limit for the bot's first answer to an interaction; Discord's three seconds if 0. Tests
	// of other things give a busy machine more time.
	AnswerWithin time.Duration
	// Servers is the number of servers besides those of the standard world; PlaceAt has their ids.
	Servers int
	// ServersAlone is true if users cannot install the application for themselves. On Discord, the application's owner
	// can choose this.
	ServersAlone bool
	// Shards is the number of shards that GET /gateway/bot recommends; 1 if 0. A session can identify with a different
	// number.
	Shards int
	// MaxConcurrency is how many shards can identify at the same time; 1 if 0. Their numbers must differ modulo
	// MaxConcurrency.
	MaxConcurrency int
	// IdentifyPause is the minimum time between two sessions whose shards have the same number modulo MaxConcurrency. A
	// session that identifies earlier is answered by Invalid Session. Discord's is five seconds; with 0 no session is
	// too early.
	IdentifyPause time.Duration
	// Heartbeats is the time between heartbeats that the server asks clients for; 41.25 seconds, like Discord's, if 0.
	Heartbeats time.Duration
	// Requests is how many requests with the token the server accepts in a second. 0 means Discord's 50; very large
	// bots have more. Unlimited accepts any number, in any bucket, and bans nobody.
	Requests int
	// StateFile is the file that keeps the world, its messages and the registered commands across restarts; "" for
	// none. A killed process loses the last seconds. The attachments are in the folder StateFile + ".files".
	StateFile string
	// Starters are the commands that the page suggests in an empty channel, if they are registered.
	Starters []Starter
	// OnRequest is called with each REST request of the bot, after it is carried out or refused and before it is
	// answered. Several goroutines can call it at the same time. It must not call the server.
	OnRequest func(Request)
	// OnEvent is called for every gateway event to any session before it is sent, one at a time, except for RESUMED and
	// injected events. It must not call the server.
	OnEvent func(event string, content []byte)
	// Log receives the server's messages, such as refused requests (debug) and errors of writing the state file;
	// slog.Default if nil.
	Log *slog.Logger
}

// Starter is a command that a button on the page uses with one click. Starters with the same title are listed together
// below the title.
type Starter struct {
	Title, Label string
	Command      string
	Options      []Option
	Text         string // a sentence beside the button; "" for none
	// Picture paints a PNG picture beside the button, when a page shows it; nil for none.
	Picture func(context.Context) ([]byte, error)
	Beside  []Starter // further buttons beside this one
}

// Server is a local Discord. After Start, all methods are safe for concurrent use.
type Server struct {
	// Gateway inspects and breaks the bot's connections.
	Gateway *Gateway
	// Admin changes people, servers and channels.
	Admin *Admin

	hub          *hub
	interactions *interactions
	client       *client
	rest         *router
	oauth        *oauth
	activities   *activities
	page         http.Handler

	port     int
	saver    *saver // the hub's saver, once the state is loaded; nil without a state file
	log      *slog.Logger
	listener net.Listener
	http     *http.Server
}

// ListenError means that the port is not available.
type ListenError struct {
	Port int
	Err  error
}

func (e *ListenError) Error() string {
	return fmt.Sprintf("the local Discord cannot listen on port %d: %v", e.Port, e.Err)
}

// Unwrap returns the error of the network.
func (e *ListenError) Unwrap() error { return e.Err }

// New returns a server that does not listen yet. Start makes it listen.
func New(opts Options) *Server {
	if opts.Clock == nil {
		opts.Clock = timesource.System{}
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	if opts.Token == "" {
		opts.Token = DefaultToken
	}
	if opts.AnswerWithin == 0 {
		opts.AnswerWithin = answerWithin
	}
	st := newState(opts.Clock, opts.Token)
	if opts.ServersAlone {
		st.ways = []int{installGuild}
	}
	st.populate()
	st.populateMore(opts.Servers)
	h := &hub{state: st, feed: page.NewFeed(), changed: make(chan struct{}), inChannel: map[string]chan struct{}{},
		closing: make(chan struct{})}
	ia := &interactions{hub: h, answerWithin: opts.AnswerWithin, byToken: map[string]*interaction{}}
	auth := newOAuth(h)
	ac := &activities{hub: h, instances: map[string]*instance{}, log: opts.Log}
	s := &Server{
		oauth: auth, activities: ac,
		Admin: &Admin{h}, hub: h, interactions: ia, client: &client{h, ia}, port: opts.Port, log: opts.Log,
		rest: newRouter(h, ia, auth, ac, opts),
	}
	s.Gateway = &Gateway{mu: &h.mu, state: st, onEvent: opts.OnEvent,
		heartbeats: cmp.Or(opts.Heartbeats, heartbeatInterval), changed: h.worldChanged,
		sessions: map[string]*session{}, conns: map[*gatewayConn]bool{},
		limits: startLimits{shards: max(opts.Shards, 1), concurrency: max(opts.MaxConcurrency, 1),
			pause: opts.IdentifyPause},
		address: func() string { return s.listener.Addr().String() }}
	h.gateway = s.Gateway
	s.page = page.New(&pageView{h, ia, s.client, s.Admin, opts.Starters, s}, h.feed)
	if opts.StateFile != "" {
		s.saver = newSaver(opts.StateFile, h, opts.Log)
	}
	return s
}

// unusedTime is how long a connection can stay open before its first request. Clients with Transport keep an unused
// connection for a shorter time. Otherwise a client could send its request just when the server closes the connection.
const unusedTime = 2 * time.Minute

// Start loads any saved state, and listens on loopback. It returns a *ListenError if the port is not available, a
// *DamagedError if the saved state is damaged, and other errors if it cannot be read or written.
func (s *Server) Start() error {
	// The port is opened first, because another server on this port may be writing the same files.
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", s.port))
	if err != nil {
		return &ListenError{s.port, err}
	}
	if s.saver != nil {
		if err := s.saver.open(); err != nil {
			return errors.Join(err, l.Close())
		}
		s.hub.mu.Lock()
		s.hub.saver = s.saver
		s.hub.mu.Unlock()
	}
	s.listener = l
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: unusedTime}
	s.Gateway.running.Go(func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the local Discord stopped listening", "error", err)
		}
	})
	return nil
}

// Close drops all connections, writes the state file, and waits for all goroutines of the server.
func (s *Server) Close() error {
	s.hub.mu.Lock()
	if s.hub.closed {
		s.hub.mu.Unlock()
		return nil
	}
	s.hub.closed = true
	close(s.hub.closing)
	s.Gateway.end()
	s.hub.feed.Close()
	s.interactions.end()
	s.hub.mu.Unlock()
	if s.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		if s.http.Shutdown(ctx) != nil {
			s.http.Close()
		}
		cancel()
	}
	s.Gateway.running.Wait()
	s.hub.feed.Wait()
	if s.hub.saver != nil {
		return s.hub.saver.close()
	}
	return nil
}

// AuthorizeURL returns the address at which a user logs in, like https://discord.com/oauth2/authorize.
func (s *Server) AuthorizeURL() string { return s.URL() + "oauth2/authorize" }

// URL returns the address of the page.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Token returns the present bot token, without "Bot ".
func (s *Server) Token() string {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.hub.state.token
}

// RevokeToken makes the token invalid: from now on, REST requests that need the token get 401, and the gateway closes
// with 4004. Answers to interactions still work, because they need no token.
func (s *Server) RevokeToken() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.Gateway.revoke()
}

// AddFault activates a fault, which remove ends. If several faults match a request, the one added first applies.
func (s *Server) AddFault(f Fault) (remove func()) { return s.rest.faults.add(f) }

// Faulty reports whether a fault is active.
func (s *Server) Faulty() bool { return s.rest.faults.any() }

// Requests returns the latest requests, the oldest first.
func (s *Server) Requests() []Request { return s.rest.requests() }

// HTTPClient returns a client for discordgo's Session.Client. It sends requests for Discord's hosts to this server.
func (s *Server) HTTPClient() *http.Client { return &http.Client{Transport: s.Transport()} }

// Transport sends requests for Discord's hosts and for this server to this server, and refuses all others.
func (s *Server) Transport() http.RoundTripper {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.Proxy = nil
	base.MaxIdleConns, base.MaxIdleConnsPerHost = 0, 256
	return &transport{base: base, addr: s.listener.Addr().String()}
}

type transport struct {
	base http.RoundTripper
	addr string
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	host := r.URL.Hostname()
	if r.URL.Host != t.addr && host != "discord.com" && host != "cdn.discordapp.com" && host != "media.discordapp.net" {
		return nil, fmt.Errorf("localdiscord: %s is not a host of Discord", host)
	}
	clone := r.Clone(r.Context())
	clone.URL.Scheme, clone.URL.Host, clone.Host = "http", t.addr, t.addr
	return t.base.RoundTrip(clone)
}

// CloseIdleConnections passes http.Client.CloseIdleConnections on to the base transport.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// ServeHTTP serves the REST interface, the login, the gateway, the CDN, the Activity and the page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if host, _, _ := net.SplitHostPort(r.Host); host == activityHost {
		s.activities.ServeHTTP(w, r)
		return
	}
	// A page of another site could make its own host name resolve to 127.0.0.1. The Host header would then have that
	// name.
	if !loopbackHost(r.Host) {
		http.Error(w, "This server answers on loopback only.", http.StatusMisdirectedRequest)
		return
	}
	switch p := r.URL.Path; {
	case strings.HasPrefix(p, "/api/"):
		s.rest.ServeHTTP(w, r)
	case p == "/oauth2/authorize":
		s.oauth.authorize(w, r)
	case p == "/gateway" || p == "/gateway/":
		s.Gateway.ServeHTTP(w, r)
	case strings.HasPrefix(p, "/attachments/"):
		s.hub.state.files.ServeHTTP(w, r)
	default:
		s.page.ServeHTTP(w, r)
	}
}

func loopbackHost(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return ip != nil && ip.IsLoopback()
}
