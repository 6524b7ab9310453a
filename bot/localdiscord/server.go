package localdiscord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// DefaultToken is the bot token that is valid unless Options name another.
const DefaultToken = "local.discord.token"

// Options of a server. The zero value is a server on a random port with the standard world.
type Options struct {
	// Port on 127.0.0.1; 0 takes a free one.
	Port int
	// Token of the bot, without "Bot "; DefaultToken if empty.
	Token string
	// Clock for deadlines and timestamps; the machine's if nil.
	Clock Clock
	// AnswerWithin is how long the bot has for the first answer to an interaction; Discord's three seconds if 0. Tests that are not
	// about it give a busy machine more.
	AnswerWithin time.Duration
	// StateFile keeps the world, its messages and the registered commands over a restart; attachments lie in the
	// folder StateFile + ".files". Nothing is kept if empty.
	StateFile string
	// OnRequest is called with each REST request of the bot, after it was decided and before it is answered.
	// It may be called from several goroutines at once and must not call back into the server.
	OnRequest func(Request)
	// Log hears about refused requests (debug) and a state file that cannot be written; slog.Default if nil.
	Log *slog.Logger
}

// Server is a Discord of its own. All methods are safe for concurrent use.
type Server struct {
	opts  Options
	clock Clock
	log   *slog.Logger
	rest  *http.ServeMux
	page  *http.ServeMux

	listener net.Listener
	http     *http.Server
	files    fileStore

	mu         sync.Mutex
	changed    chan struct{} // closed and replaced whenever something changed
	closed     bool
	lastID     int64
	token      string
	intents    int // privileged intents that are allowed
	refusal    int // close code with which whoever identifies is refused; 0 for none
	handshakes []Handshake
	identified int
	resumed    int
	users      map[string]*user
	userOrder  []string
	guilds     map[string]*guild
	guildOrder []string
	channels   map[string]*channel
	commands   map[string][]*command // by server id; "" for global ones
	sessions   map[string]*session
	pending    map[string]*interaction // by token
	pendingIDs []string                // tokens, oldest first
	requests   []Request
	requestSeq int
	faults     []*activeFault
	reads      map[string]map[string]string // user, channel: last message read
	viewers    map[*viewer]bool
	dirty      bool

	saver   chan struct{}
	closing chan struct{}
	done    sync.WaitGroup
}

// New prepares a server; Start makes it listen.
func New(opts Options) *Server {
	s := &Server{
		opts: opts, clock: opts.Clock, log: opts.Log, token: opts.Token,
		changed: make(chan struct{}), saver: make(chan struct{}, 1), closing: make(chan struct{}),
		users: map[string]*user{}, guilds: map[string]*guild{}, channels: map[string]*channel{},
		commands: map[string][]*command{}, sessions: map[string]*session{}, pending: map[string]*interaction{},
		reads: map[string]map[string]string{}, viewers: map[*viewer]bool{},
		files: fileStore{files: map[string]storedFile{}},
	}
	if s.clock == nil {
		s.clock = SystemClock{}
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	if s.token == "" {
		s.token = DefaultToken
	}
	if s.opts.AnswerWithin == 0 {
		s.opts.AnswerWithin = answerWithin
	}
	s.rest = s.routes()
	s.page = s.pageRoutes()
	s.buildWorld()
	return s
}

// Start loads the state file, if there is one, and listens on loopback.
// It returns an error when the port is taken or the state file cannot be read.
func (s *Server) Start() error {
	if s.opts.StateFile != "" {
		if err := s.load(); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", s.opts.Port))
	if err != nil {
		return fmt.Errorf("localdiscord: cannot listen: %w", err)
	}
	s.listener = l
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	s.done.Go(func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the local Discord stopped listening", "error", err)
		}
	})
	if s.opts.StateFile != "" {
		s.done.Go(s.saveWhenDirty)
	}
	return nil
}

// Close drops all connections, writes the state file and waits for everything that the server started.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.closing)
	for _, sess := range s.sessions {
		sess.drop(closeGoingAway, "server closed")
	}
	for v := range s.viewers {
		s.endViewer(v)
	}
	for _, in := range s.pending {
		in.stop()
	}
	s.mu.Unlock()
	if s.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		if s.http.Shutdown(ctx) != nil {
			s.http.Close()
		}
		cancel()
	}
	close(s.saver)
	s.done.Wait()
	if s.opts.StateFile != "" {
		return s.save()
	}
	return nil
}

// URL is the address of the page.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// Token is the bot token that is valid at the moment, without "Bot ".
func (s *Server) Token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token
}

// HTTPClient returns a client for discordgo's Session.Client: requests to Discord's hosts come here.
func (s *Server) HTTPClient() *http.Client { return &http.Client{Transport: s.Transport()} }

// Transport sends requests for Discord's hosts to this server and refuses all others.
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

// CloseIdleConnections lets http.Client.CloseIdleConnections reach the connections below.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// ServeHTTP answers for the REST interface, the gateway, the CDN and the page.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A page of another site could make its own name resolve to 127.0.0.1; its Host header gives it away.
	if !loopbackHost(r.Host) {
		http.Error(w, "This server answers on loopback only.", http.StatusMisdirectedRequest)
		return
	}
	switch p := r.URL.Path; {
	case strings.HasPrefix(p, "/api/"):
		s.serveREST(w, r)
	case p == "/gateway" || p == "/gateway/":
		s.serveGateway(w, r)
	case strings.HasPrefix(p, "/attachments/"):
		s.serveAttachment(w, r)
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

func (s *Server) serveAttachment(w http.ResponseWriter, r *http.Request) {
	parts := strings.SplitN(strings.TrimPrefix(r.URL.Path, "/attachments/"), "/", 3)
	if len(parts) != 3 {
		http.NotFound(w, r)
		return
	}
	f, ok := s.files.get(parts[1])
	if !ok || f.name != parts[2] {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=86400")
	// Only pictures are shown in place; anything else (a page with scripts, say) is for downloading.
	switch f.contentType {
	case "image/png", "image/gif", "image/jpeg", "image/webp":
		h.Set("Content-Type", f.contentType)
	default:
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", "attachment")
	}
	w.Write(f.data)
}

// touch tells everyone who waits that something changed; the caller holds the lock.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
	if s.opts.StateFile == "" || s.closed {
		return
	}
	s.dirty = true
	select {
	case s.saver <- struct{}{}:
	default:
	}
}

// worldChanged is touch for what is not a message: the page reads its lists anew.
func (s *Server) worldChanged() {
	s.touch()
	s.broadcast("", event{"t": "world"})
}

// wait calls cond, under the lock, until it is true, each time something changed; it returns ctx's error when that ends first.
func (s *Server) wait(ctx context.Context, cond func() bool) error {
	for {
		s.mu.Lock()
		if cond() {
			s.mu.Unlock()
			return nil
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
