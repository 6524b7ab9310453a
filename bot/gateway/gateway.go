// Package gateway keeps the bot connected to Discord, registers its commands, and dispatches Discord's events.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"

	"marque/bot/rest"
	"marque/bot/timesource"
)

// StartError is a fault that keeps the bot from running and that an operator can fix. Error returns a sentence that
// tells how to fix it.
type StartError struct {
	sentence string
	err      error
}

// Error returns the sentence for the operator.
func (e *StartError) Error() string { return e.sentence }

// Unwrap returns the cause of the fault; nil if there is none.
func (e *StartError) Unwrap() error { return e.err }

// Gateway keeps the bot connected, with a Link for each shard that this process serves. It does not use the library's
// connections: the library retries forever, even with a wrong token, and an event without content makes it end the
// process. Requests and events have the library's types.
type Gateway struct {
	requests  *discordgo.Session   // for requests; the connections use its token
	listeners map[string]*listener // listeners by event name
	failures  failures
	log       *slog.Logger
	clock     timesource.Clock
	limit     time.Duration // time limit for connecting, and for each request
	shards    int           // number of shards; 0 for Discord's recommendation
	pace      *pacer
	share     func(ctx context.Context, group int, pause time.Duration) (time.Duration, error) // set by Share

	held atomic.Int64 // returned by Held, in nanoseconds since 1970

	mu    sync.Mutex
	links []*Link

	connecting sync.Mutex // guards the fields below
	down       int        // number of links that have lost their connection and have no new one yet
	online     func(bool) // called when not all links are connected any longer, and when all are again
	unreported []bool     // arguments of the queued calls of online, in order; the first call is running
}

// NewSession returns a session of the library that is used only for requests, not for the gateway.
func NewSession(token string, client *http.Client) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.StateEnabled = false
	s.Client = rest.Tidy(client, s.Ratelimiter)
	return s, nil
}

// LogLibrary sends discordgo's messages about requests to a log instead of standard error. The library has one logger
// for all sessions, so a program calls LogLibrary once, before it makes a Bot.
func LogLibrary(log *slog.Logger) {
	discordgo.Logger = func(level, _ int, format string, a ...any) {
		as := slog.LevelWarn
		if level > discordgo.LogWarning {
			as = slog.LevelDebug
		}
		log.Log(context.Background(), as, "the Discord library says: "+strings.TrimSpace(fmt.Sprintf(format, a...)))
	}
}

// New returns an unconnected gateway that uses the token and the HTTP client of s, and the clock for its pauses.
func New(s *discordgo.Session, clock timesource.Clock, log *slog.Logger) *Gateway {
	return &Gateway{
		requests: s, listeners: map[string]*listener{}, log: log, clock: clock, online: func(bool) {},
		limit: 20 * time.Second,
		pace:  &pacer{log: log, clock: clock},
	}
}

// Force sets the number of shards into which the bot's servers are divided. 0 stands for the number that Discord
// recommends.
func (g *Gateway) Force(shards int) { g.shards = shards }

// OnConnection registers f, which is called when not all shards of this process are connected any longer, and when all
// are connected again.
func (g *Gateway) OnConnection(f func(online bool)) {
	g.connecting.Lock()
	defer g.connecting.Unlock()
	g.online = f
}

const (
	// firstPause and maxPause are the shortest and the longest pause after a failed attempt to reconnect.
	firstPause = time.Second
	maxPause   = 2 * time.Minute
	// seekPause is the longest pause after attempts that used up no session, so that the bot answers soon after the end
	// of an outage.
	seekPause = 8 * time.Second
	// openPatience is the time limit for opening a connection.
	openPatience = 6 * time.Second

	// openings is the maximum number of attempts in Link.Open and in patiently. A short outage should not end the
	// program.
	openings = 4
)

var errNoAnswer = errors.New("the gateway does not answer")

// Open asks Discord for the number of shards, and connects them all. It returns a *StartError if Discord refuses the
// bot or cannot be reached in several attempts, and ctx's error if ctx ends first.
func (g *Gateway) Open(ctx context.Context) error {
	sh, err := g.Sharding(ctx)
	if err != nil {
		return err
	}
	links := make([]*Link, sh.Shards)
	for i := range links {
		links[i] = g.Link(Shard{i, sh.Shards})
	}
	if sh.Shards > 1 {
		g.log.InfoContext(ctx, "connecting to Discord", "shards", sh.Shards, "at once", sh.Concurrency)
	}
	err = each(ctx, links, (*Link).Open)
	if err != nil {
		for _, l := range links {
			l.drop()
		}
		return err
	}
	g.mu.Lock()
	g.links = links
	g.mu.Unlock()
	return nil
}

// Keep reconnects each shard whenever its connection is lost, until ctx is done, and then closes all connections. It
// returns a *StartError if Discord refuses the bot permanently, and nil when ctx is done.
func (g *Gateway) Keep(ctx context.Context) error {
	g.mu.Lock()
	links := g.links
	g.mu.Unlock()
	return each(ctx, links, (*Link).Keep)
}

// Serve connects one shard, and reconnects whenever the connection is lost, until ctx is done. It then closes the
// connection and returns nil. It calls told with true when the shard is connected, and with false when the connection
// is lost or an attempt to begin the first session fails. It returns a *StartError if Discord refuses the bot
// permanently.
func (g *Gateway) Serve(ctx context.Context, shard Shard, told func(up bool)) error {
	l := g.Link(shard)
	l.told = told
	g.mu.Lock()
	g.links = append(g.links[:len(g.links):len(g.links)], l)
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.links = slices.DeleteFunc(slices.Clone(g.links), func(o *Link) bool { return o == l })
	}()
	for {
		err := l.begin(ctx, starting)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return nil
		}
		if se := (*StartError)(nil); errors.As(err, &se) {
			return err
		}
		told(false)
		l.log.WarnContext(ctx, "Discord's gateway cannot be reached; trying again", "error", rest.Scrub(err))
		if g.wait(ctx, identifyPause) != nil {
			return nil
		}
	}
	told(true)
	err := l.Keep(ctx)
	if l.away { // the link no longer counts as lost
		g.found()
	}
	return err
}

// Share makes sessions wait for turns shared by several processes. turn is storage.Leases.Turn.
func (g *Gateway) Share(turn func(ctx context.Context, group int, pause time.Duration) (time.Duration, error)) {
	g.share = turn
}

// each calls f for all links at the same time, and waits for all calls. The first error cancels the others.
func each(ctx context.Context, links []*Link, f func(*Link, context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, l := range links {
		group.Go(func() error { return f(l, ctx) })
	}
	return group.Wait()
}

// lost records that a link has lost its connection.
func (g *Gateway) lost() {
	g.connecting.Lock()
	defer g.connecting.Unlock()
	if g.down++; g.down == 1 {
		g.report(false)
	}
}

// found records that a link has a connection again.
func (g *Gateway) found() {
	g.connecting.Lock()
	defer g.connecting.Unlock()
	if g.down--; g.down == 0 {
		g.report(true)
	}
}

// report queues a call of online. The calls run in order in a goroutine, because a call may wait for the store. The
// caller holds connecting.
func (g *Gateway) report(online bool) {
	if g.unreported = append(g.unreported, online); len(g.unreported) > 1 {
		return // the goroutine of the first call makes all calls
	}
	go func() {
		for more := true; more; {
			g.connecting.Lock()
			next, hear := g.unreported[0], g.online
			g.connecting.Unlock()
			hear(next)
			g.connecting.Lock()
			g.unreported = g.unreported[1:]
			more = len(g.unreported) > 0
			g.connecting.Unlock()
		}
	}()
}

// Health reports whether all shards of this process are connected. lag is how long Discord takes to answer a heartbeat,
// for the slowest shard; 0 if up is false.
func (g *Gateway) Health() (up bool, lag time.Duration) {
	g.mu.Lock()
	links := g.links
	g.mu.Unlock()
	up = len(links) > 0 || g.share != nil // other processes may serve all shards
	for _, l := range links {
		there, took := l.health()
		up, lag = up && there, max(lag, took)
	}
	if !up {
		return false, 0
	}
	return true, lag
}

func sleep(ctx context.Context, d time.Duration) error { return wait(ctx, timesource.System{}, d) }

func (g *Gateway) wait(ctx context.Context, d time.Duration) error { return wait(ctx, g.clock, d) }

func wait(ctx context.Context, clock timesource.Clock, d time.Duration) error {
	over := make(chan struct{})
	stop := clock.AfterFunc(d, func() { close(over) })
	defer stop()
	select {
	case <-over:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fatalCloses are the gateway's close codes after which reconnecting is pointless. Source: Discord's documentation,
// section "Gateway Close Event Codes".
var fatalCloses = map[int]string{
	4004: wrongToken,
	4010: "Discord refused the number of shards: leave MARQUE_SHARDS out, or set it to a multiple of what Discord has assigned to the bot.",
	4011: "The bot is on too many servers for its number of shards: start marque again, without MARQUE_SHARDS or with a higher number there.",
	4012: "Discord no longer speaks this version of its gateway: update marque.",
	4013: "Discord does not know the intents asked for: update marque.",
	4014: "Discord does not allow the bot the intents asked for: update marque, or look at the Bot page of the application.",
}

const wrongToken = "Discord does not accept the token: copy it again from the Bot page of the developer portal " +
	"into DISCORD_TOKEN."

// fatal returns a *StartError for an error that no retry can fix, and other errors unchanged.
func fatal(err error) error {
	var ce *websocket.CloseError
	if errors.As(err, &ce) {
		if sentence, ok := fatalCloses[ce.Code]; ok {
			return &StartError{sentence, err}
		}
	}
	if errors.Is(err, discordgo.ErrUnauthorized) || rest.Status(err) == http.StatusUnauthorized {
		return &StartError{wrongToken, rest.Scrub(err)}
	}
	return err
}

// Identify asks Discord for the bot's application. A wrong token is noticed here, before the bot does anything else.
func (g *Gateway) Identify(ctx context.Context) (app *discordgo.Application, err error) {
	err = g.patiently(ctx, func() (err error) {
		app, err = g.application(ctx)
		return err
	})
	return app, err
}

// application returns the bot's application. Unlike the library's Session.Application, it takes a context and reads
// integration_types_config.
func (g *Gateway) application(ctx context.Context) (app *discordgo.Application, err error) {
	var raw json.RawMessage
	err = g.ask(ctx, discordgo.EndpointOAuth2Application("@me"), discordgo.EndpointOAuth2Application(""), &raw)
	if err != nil {
		return nil, err
	}
	app = new(discordgo.Application)
	if err := json.Unmarshal(raw, app); err != nil {
		return nil, err
	}
	// The library reads integration_types_config under another name.
	var told struct {
		Ways map[discordgo.ApplicationIntegrationType]*discordgo.ApplicationIntegrationTypeConfig `json:"integration_types_config"`
	}
	app.IntegrationTypesConfig = nil
	if json.Unmarshal(raw, &told) == nil {
		app.IntegrationTypesConfig = told.Ways
	}
	return app, nil
}
