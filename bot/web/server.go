package web

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/access"
	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

//go:embed static
var static embed.FS

// document is the page with its script and styles included. On some devices the Activity's frame has an opaque origin,
// for which Discord's proxy blocks separate files. policy allows only this script and these styles. Source:
// github.com/discord/embedded-app-sdk, issue 280.
var document, policy = assemble()

func assemble() (page []byte, policy string) {
	read := func(name string) string {
		b, err := fs.ReadFile(static, "static/"+name)
		if err != nil {
			panic(err) // cannot happen, because the file is embedded
		}
		return string(b)
	}
	script, style := read("app.js"), read("style.css")
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return []byte(strings.NewReplacer("{{script}}", script, "{{style}}", style).Replace(read("index.html"))),
		"default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
			"; img-src 'self' blob: data:; connect-src 'self'; manifest-src 'none'; form-action 'none'; base-uri 'none'; " +
			"frame-ancestors "
}

const (
	maxBody        = 4096 // maximum number of bytes of a request's body
	maxConnections = 4096
	maxTook        = 60_000 // maximum plausible time from a touch to its picture, in milliseconds
)

// routes returns a handler for every path that the page requests.
func (rm *Room) routes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, at := range []string{"/{$}", loginPath} {
		mux.HandleFunc("GET "+at, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(document)
		})
	}
	mux.HandleFunc("GET /words", rm.words)
	mux.HandleFunc("POST /api/login", rm.answerLogin)
	mux.HandleFunc("POST /api/enter", rm.answerEnter)
	mux.HandleFunc("POST /api/shared", rm.answerShared)
	mux.HandleFunc("POST /api/state", rm.asUser(rm.answerState))
	mux.HandleFunc("POST /api/picture", rm.asUser(rm.answerPicture))
	mux.HandleFunc("POST /api/play", rm.asUser(rm.answerPlay))
	mux.HandleFunc("POST /api/plan", rm.asUser(rm.answerPlan))
	mux.HandleFunc("POST /api/press", rm.asUser(rm.answerPress))
	mux.HandleFunc("POST /api/games", rm.asUser(rm.answerGames))
	mux.HandleFunc("GET /api/live", rm.live)
	if rm.Activity.Proxy != "" {
		mux.HandleFunc("OPTIONS /", admit)
	}
	return mux
}

// protection returns the security headers of every response at a public address. frames lists the origins that can show
// the page in a frame.
func protection(at *url.URL, frames string) map[string]string {
	h := map[string]string{
		"Content-Security-Policy":      policy + cmp.Or(frames, "'none'"),
		"X-Content-Type-Options":       "nosniff",
		"X-Robots-Tag":                 "noindex, nofollow",
		"Referrer-Policy":              "no-referrer",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	}
	if at.Scheme == "https" {
		h["Strict-Transport-Security"] = "max-age=31536000"
	}
	return h
}

// ServeHTTP answers the page's requests. It refuses requests for hosts other than the configured one and Discord's
// proxy, requests with the Origin of another site, requests to the API without an Origin, and too many requests of an
// address.
func (rm *Room) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	h := w.Header()
	for name, value := range protection(rm.URL, rm.Activity.Frames) {
		h.Set(name, value)
	}
	counted := &status{ResponseWriter: w, code: http.StatusOK}
	_, pattern := rm.mux.Handler(q)
	defer func() { rm.Answered(cmp.Or(pattern, "none"), counted.code) }()
	origin, caller, callers := q.Header.Get("Origin"), callerOf(q), rm.callers
	own := strings.EqualFold(origin, rm.URL.Scheme+"://"+rm.URL.Host)
	if rm.inDiscord(origin) {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Add("Vary", "Origin")
		own, callers = true, rm.proxies
	}
	_, proxied, _ := strings.Cut(rm.proxy(), "://")
	switch {
	case !strings.EqualFold(q.Host, rm.URL.Host) && (proxied == "" || !strings.EqualFold(q.Host, proxied)):
		http.Error(counted, "this is answered under another name", http.StatusMisdirectedRequest)
	case origin != "" && !own, origin == "" && strings.HasPrefix(q.URL.Path, "/api/"):
		http.Error(counted, "this is answered to its own page alone", http.StatusForbidden)
	case !callers.may(caller, time.Now()), !callers.enter(caller):
		h.Set("Retry-After", "1")
		http.Error(counted, "too many requests", http.StatusTooManyRequests)
	default:
		defer callers.leave(caller)
		q.Body = http.MaxBytesReader(counted, q.Body, maxBody)
		rm.mux.ServeHTTP(counted, q)
	}
}

// status records the status of an answer.
type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) { s.code = code; s.ResponseWriter.WriteHeader(code) }

// Hijack returns the underlying connection, for WebSockets.
func (s *status) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	s.code = http.StatusSwitchingProtocols
	return http.NewResponseController(s.ResponseWriter).Hijack()
}

// Unwrap returns the underlying ResponseWriter.
func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// callerOf returns the key of the client's address (see household). If the request comes from this machine or from a
// private network, as from a proxy, this is the last address in X-Forwarded-For, if there is one.
func callerOf(q *http.Request) string {
	at, err := netip.ParseAddrPort(q.RemoteAddr)
	if err != nil {
		return q.RemoteAddr
	}
	ip := at.Addr().Unmap()
	if near(ip) {
		said := q.Header.Values("X-Forwarded-For")
		if len(said) > 0 {
			list := strings.Split(said[len(said)-1], ",")
			if of, err := netip.ParseAddr(strings.TrimSpace(list[len(list)-1])); err == nil {
				ip = of.Unmap()
			}
		}
	}
	return household(ip)
}

// near reports whether an address belongs to this machine or to a private network, like the address of a trusted proxy.
func near(ip netip.Addr) bool { return ip.IsLoopback() || ip.IsPrivate() }

// household returns the key under which an address is counted. For IPv6 it is the network, because a household has many
// addresses.
func household(ip netip.Addr) string {
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}

// ask is the body of the page's POST requests.
type ask struct {
	Link      string  `json:"link"`
	Shared    string  `json:"shared"`    // link to the page of a shared game
	Code      string  `json:"code"`      // Discord's code for a login
	Verifier  string  `json:"verifier"`  // verifier of a login; the challenge is its hash
	Instance  string  `json:"instance"`  // instance of the Activity, for a login inside Discord
	Challenge string  `json:"challenge"` // challenge of a login that starts
	State     string  `json:"state"`     // state of a login that starts
	Table     string  `json:"table"`
	Path      string  `json:"path"`    // choices of a move that are already made
	Plan      *string `json:"plan"`    // moves of an unfinished plan, separated by semicolons; nil if there is no plan
	Version   uint64  `json:"version"` // version of the table that the page shows
	Key       string  `json:"key"`     // 16 random bytes in hex, unique to this action
	Press     string  `json:"press"`   // the custom_id of a control, or a command
	Value     string  `json:"value"`   // chosen value if the control is a menu
	Plays     int     `json:"plays"`   // number of plays before the shown position
	Picture   string  `json:"picture"` // the requested picture: board, hand, preview or plan
	Theme     string  `json:"theme"`   // the device's theme
	Language  string  `json:"language"`
	Took      int     `json:"took"` // milliseconds from the last touch to its picture; 0 if already reported
}

// answer is the JSON body of the answer to an ask.
type answer struct {
	Error   string   `json:"error,omitempty"` // an error, as a sentence
	Session string   `json:"session,omitempty"`
	Login   string   `json:"login,omitempty"` // address at which Discord asks the user to log in
	Table   string   `json:"table,omitempty"`
	State   *State   `json:"state,omitempty"`
	Message *Message `json:"message,omitempty"`
	Games   []Game   `json:"games,omitempty"`

	code int // http.StatusOK if 0
}

// visit is a request of a logged-in user.
type visit struct {
	ask
	user string
	id   table.ID // table of the request, or 0
	ctx  context.Context

	opens bool // whether the request opens a table in the channel of its table
}

func (rm *Room) read(w http.ResponseWriter, q *http.Request) (a ask, ok bool) {
	kind, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	d := json.NewDecoder(q.Body)
	if kind != "application/json" || d.Decode(&a) != nil || a.Key != "" && !fair.IsBytes(a.Key) {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return a, false
	}
	// The server's ReadTimeout also cancels the context of a request that is read, but not yet answered.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return a, true
}

func write(w http.ResponseWriter, code int, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(a)
}

func writePicture(w http.ResponseWriter, picture []byte) {
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(picture)))
	_, _ = w.Write(picture)
}

func (rm *Room) answerEnter(w http.ResponseWriter, q *http.Request) {
	a, ok := rm.read(w, q)
	if !ok {
		return
	}
	var said answer
	var id table.ID
	var err error
	switch {
	case a.Instance != "":
		said.Session, id, err = rm.join(q.Context(), a)
	case a.Code != "":
		_, said.Session, err = rm.login(q.Context(), a.Code, a.Verifier, Redirect(rm.URL))
	default:
		_, id, said.Session, err = rm.enter(q.Context(), a.Link)
	}
	if id != 0 {
		said.Table = id.String()
	}
	if err != nil {
		rm.refuse(w, q, err)
		return
	}
	write(w, http.StatusOK, said)
}

// refuse answers a request whose session or login failed with err.
func (rm *Room) refuse(w http.ResponseWriter, q *http.Request, err error) {
	if !errors.Is(err, errClosed) {
		rm.Log.WarnContext(q.Context(), "a page could not be let in", "error", rest.Scrub(err))
		write(w, http.StatusServiceUnavailable, answer{})
		return
	}
	write(w, http.StatusUnauthorized, answer{})
}

// asUser returns a handler for requests with a session.
func (rm *Room) asUser(f func(v *visit) (answer, []byte)) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		session, _ := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
		user, renewed, err := rm.visitor(q.Context(), session)
		if err != nil {
			rm.refuse(w, q, err)
			return
		}
		a, ok := rm.read(w, q)
		if !ok {
			return
		}
		if a.Took > 0 && a.Took < maxTook {
			rm.Touched(time.Duration(a.Took) * time.Millisecond)
		}
		v := &visit{ask: a, user: user, ctx: q.Context()}
		if a.Table != "" {
			if v.id, err = storage.ParseID(a.Table); err != nil {
				http.Error(w, "the request cannot be read", http.StatusBadRequest)
				return
			}
		}
		said, picture := f(v)
		if picture != nil {
			writePicture(w, picture)
			return
		}
		said.Session = renewed
		write(w, cmp.Or(said.code, http.StatusOK), said)
		if counted, ok := w.(*status); ok && said.Error != "" {
			counted.code = http.StatusUnprocessableEntity // a refusal; this status is only for the metrics
		}
	}
}

// perform executes an action at the visit's table as an interaction of its user. It calls handle, or the handler of
// data if handle is nil. It returns the reply, or the reason for a refusal.
func (rm *Room) perform(v *visit, what string, work interact.Work, data discordgo.InteractionData,
	handle interact.Handler) (interact.Reply, string) {
	i, err := rm.interaction(v)
	switch {
	case errors.Is(err, errAway), errors.Is(err, storage.ErrNoTable):
		s := rm.Sentences.Speaker(nil, v.Language)
		return interact.Reply{}, s.Say(text.M("table.error.no-table", "Table", v.Table))
	case err != nil:
		rm.Log.WarnContext(v.ctx, "it cannot be known who sees a table", "error", rest.Scrub(err))
		return interact.Reply{}, rm.Sentences.Speaker(nil, v.Language).Say(text.M("bot.error.unknown-access"))
	}
	i.Type, i.Data = discordgo.InteractionMessageComponent, data
	if _, command := data.(discordgo.ApplicationCommandInteractionData); command {
		i.Type = discordgo.InteractionApplicationCommand
	}
	var own *interact.Route
	if handle != nil {
		i.Data = discordgo.MessageComponentInteractionData{CustomID: show.CustomID{Action: show.Action(what),
			Table: v.Table, Version: int(v.Version)}.String()}
		own = &interact.Route{Work: work}
		own.Handle = func(ctx context.Context, r *interact.Request) (interact.Reply, error) {
			return handle(show.WithTheme(ctx, r.Prefs.Theme, v.Theme, r.Settings.Theme), r)
		}
	}
	return rm.router.Perform(show.WithTheme(v.ctx, v.Theme), i, own)
}

// errAway means that the user is not a member of the table's server, or is not allowed to write there at the moment, or
// that the bot's permissions in the table's channel cannot be known.
var errAway = errors.New("the user is not on the server")

// interaction returns the interaction that Discord would deliver if the user acted on the table's server, or in direct
// messages if there is none.
func (rm *Room) interaction(v *visit) (*discordgo.Interaction, error) {
	i := &discordgo.Interaction{ID: v.Key, Context: discordgo.InteractionContextBotDM,
		User: &discordgo.User{ID: v.user}, Locale: discordgo.Locale(language(v.Language))}
	if v.id == 0 {
		return i, nil
	}
	h, err := rm.Tables.Lookup.Head(v.ctx, v.id)
	if err != nil {
		return nil, err
	}
	seat := h.Seat(v.user)
	own := seat != games.Spectator
	if own { // others see the table only if they can see the channel, which is not known here
		i.ChannelID = h.Channel
	}
	if h.Guild == "" {
		if own {
			i.User.GlobalName = h.Seats[seat].Name.Plain()
		}
		return i, nil
	}
	m, err := rm.member(v.ctx, h.Guild, v.user)
	if err != nil {
		return nil, err
	}
	i.User, i.Member, i.GuildID, i.Context = nil, m, h.Guild, discordgo.InteractionContextGuild
	if own && v.opens {
		i.AppPermissions, err = rm.mayDo(v.ctx, h)
	}
	return i, err
}

// mayDo returns the bot's permissions in the channel of a table on a server.
func (rm *Room) mayDo(ctx context.Context, h table.Head) (int64, error) {
	bot := rm.application.Load()
	if bot == nil {
		return 0, errAway
	}
	server, err := access.AskServer(ctx, rm.Session, h.Guild, *bot)
	if err != nil {
		return 0, fmt.Errorf("asking Discord about a server: %w", err)
	}
	may, _, err := server.Bot(ctx, rm.Session, h.Channel)
	if errors.Is(err, access.ErrGone) {
		return 0, errAway
	}
	return may, err
}

// member returns a user as a member of a server, from data of Discord that are at most memberTime old. It returns
// errAway for a user who is not a member, or who is not allowed to write there at the moment.
func (rm *Room) member(ctx context.Context, guild, user string) (*discordgo.Member, error) {
	at := guild + "/" + user
	m, known := rm.members.Get(at)
	if !known {
		var err error
		if m, err = rm.Session.GuildMember(guild, user, discordgo.WithContext(ctx)); err != nil {
			if rest.Status(err) != http.StatusNotFound {
				return nil, fmt.Errorf("asking Discord about a member: %w", err)
			}
			m = nil
		}
		rm.members.Add(at, m)
	}
	silent := m != nil && m.CommunicationDisabledUntil != nil && m.CommunicationDisabledUntil.After(rm.Clock.Now())
	if m == nil || m.User == nil || silent {
		return nil, errAway
	}
	own := *m
	return &own, nil
}

// language returns the language tag that a page has sent, or "" if it is invalid.
func language(said string) string {
	if len(said) > 16 || strings.Trim(said, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		return ""
	}
	return said
}

func (rm *Room) answerPicture(v *visit) (answer, []byte) {
	var file *discordgo.File
	_, refused := rm.perform(v, "page-picture", interact.Painting, nil,
		func(ctx context.Context, r *interact.Request) (interact.Reply, error) {
			var err error
			file, err = rm.picture(ctx, r, v)
			return interact.Reply{}, err
		})
	if refused != "" || file == nil {
		return answer{Error: refused}, nil
	}
	b, err := io.ReadAll(file.Reader)
	if err != nil {
		return answer{}, nil
	}
	return answer{}, b
}

func (rm *Room) answerState(v *visit) (a answer, _ []byte) {
	_, a.Error = rm.perform(v, "page-state", interact.Quick, nil,
		func(ctx context.Context, r *interact.Request) (interact.Reply, error) {
			snap, err := rm.Find.Table(ctx, r)
			if err == nil {
				a.State, err = rm.state(ctx, r, snap, v.ask)
			}
			return interact.Reply{}, err
		})
	return a, nil
}

// answerPlay plays a whole move. Closing the page does not interrupt it.
func (rm *Room) answerPlay(v *visit) (a answer, _ []byte) {
	v.ctx = context.WithoutCancel(v.ctx)
	if v.Key == "" || v.Version == 0 {
		return answer{code: http.StatusBadRequest}, nil
	}
	_, a.Error = rm.perform(v, "page-play", interact.Quick, nil,
		func(ctx context.Context, r *interact.Request) (interact.Reply, error) {
			snap, err := rm.Find.Table(ctx, r)
			if err != nil {
				return interact.Reply{}, err
			}
			after, err := rm.Tables.Move(ctx, r.Actor(), snap.ID, v.Path, v.Version)
			switch {
			case errors.Is(err, storage.ErrStale):
				return interact.Reply{}, show.Refuse(text.M("bot.page.moved-on"))
			case err != nil:
				return interact.Reply{}, interact.Naming(err, r, snap)
			}
			a.State, err = rm.state(ctx, r, after, ask{})
			return interact.Reply{}, err
		})
	return a, nil
}

// Serve answers the connections of l until stop is called.
func (rm *Room) Serve(l net.Listener) (stop func(context.Context)) {
	server := &http.Server{
		Handler: rm, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14,
		ErrorLog: slog.NewLogLogger(rm.Log.Handler(), slog.LevelDebug),
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		few := &bounded{l, make(chan struct{}, maxConnections), newCallers(1)}
		if err := server.Serve(few); err != http.ErrServerClosed {
			rm.Log.Error("the page is not served any more", "error", err)
		}
	}()
	return func(ctx context.Context) {
		rm.hub.close()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
		<-done
	}
}

// bounded is a listener that limits the open connections, in total and from each public address (see household).
// Addresses of this machine and of private networks can be a proxy's, and have no limit of their own. The listener
// closes further connections immediately.
type bounded struct {
	net.Listener
	slots   chan struct{}
	callers *callers
}

// Accept returns the next connection within the limits.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		free := func() {}
		if at, err := netip.ParseAddrPort(c.RemoteAddr().String()); err == nil && !near(at.Addr().Unmap()) {
			of := household(at.Addr().Unmap())
			if !b.callers.enter(of) {
				c.Close()
				continue
			}
			free = func() { b.callers.leave(of) }
		}
		select {
		case b.slots <- struct{}{}:
			return &slotted{Conn: c, free: sync.OnceFunc(func() { <-b.slots; free() })}, nil
		default:
			free()
			c.Close()
		}
	}
}

type slotted struct {
	net.Conn
	free func() // releases the slot, once
}

// Close closes the connection and releases its slot.
func (s *slotted) Close() error {
	s.free()
	return s.Conn.Close()
}
