package bot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

// StartError is a reason not to run that an operator can mend: Error is one sentence that says what to do.
type StartError struct {
	sentence string
	err      error
}

func (e *StartError) Error() string { return e.sentence }

func (e *StartError) Unwrap() error { return e.err }

// gateway keeps the bot connected to Discord. The library would retry for ever what can never succeed, a
// wrong token for example, so reconnecting is ours; so is the connection itself, see there.
type gateway struct {
	session *discordgo.Session // for requests alone
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	log     *slog.Logger
	wait    func(context.Context, time.Duration) error
	online  func(bool) // told when the connection is lost and when it is back
	// handlers are called one after the other, in the order of the events, by who reads the connection: none of them may take long, or
	// outlast its context.
	handlers map[string]func(context.Context, json.RawMessage)

	// What follows belongs to who opens and keeps the connection, one goroutine at a time.
	conn    *connection
	resume  resumption
	refused int // resumes in a row that came to nothing
}

// newSession makes a session for requests; its gateway is not used.
func newSession(token string, client *http.Client) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.StateEnabled = false
	s.Client = client
	return s, nil
}

// LogLibrary sends what discordgo says to a log instead of standard error. The library has one logger for all sessions, so a program calls this once, before it
// makes a Bot.
func LogLibrary(log *slog.Logger) {
	discordgo.Logger = func(level, _ int, format string, a ...any) {
		as := slog.LevelWarn
		if level > discordgo.LogWarning {
			as = slog.LevelDebug
		}
		log.Log(context.Background(), as, "the Discord library says: "+strings.TrimSpace(fmt.Sprintf(format, a...)))
	}
}

func newGateway(s *discordgo.Session, log *slog.Logger) *gateway {
	return &gateway{
		session: s, dial: new(net.Dialer).DialContext, log: log, wait: sleep, online: func(bool) {},
		handlers: map[string]func(context.Context, json.RawMessage){},
	}
}

// on sets what is done with events of a type, of which E is what matters. Its context ends when the gateway is to close.
func on[E any](g *gateway, event string, handle func(context.Context, *E)) {
	g.handlers[event] = func(ctx context.Context, raw json.RawMessage) {
		e := new(E)
		if err := json.Unmarshal(raw, e); err != nil {
			g.log.Warn("an event cannot be read", "event", event, "error", err)
			return
		}
		handle(ctx, e)
	}
}

const (
	// Pauses between attempts to connect.
	firstPause = time.Second
	maxPause   = 2 * time.Minute

	// openings is how often the first connection is tried: an outage is no reason to give up at once.
	openings = 4
	// After so many resumes in a row that came to nothing the session's own address is given up, and then the session.
	maxAstray  = 3
	maxRefused = 8
	// A connection that lasted so long is no sign of trouble when it ends. After maxShort in a row that did not there are pauses, for a bot that identifies
	// a thousand times in a day loses its token.
	steady   = time.Minute
	maxShort = 5
)

// open connects for the first time. It returns a *StartError for what no retry can mend, and ctx's error when that ends first.
func (g *gateway) open(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := g.connect(ctx)
		var se *StartError
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &se):
			return err
		case attempt == openings:
			return &StartError{"Discord's gateway cannot be reached. Check the network, then start again.", scrub(err)}
		}
		g.log.Warn("Discord's gateway cannot be reached; trying again", "error", scrub(err))
		if g.wait(ctx, firstPause<<attempt) != nil {
			return ctx.Err()
		}
	}
}

// keep carries out what comes over the connection that open made, and reconnects whenever it is lost, until ctx is done; then it takes leave. It returns
// a *StartError when Discord will not have us any more, and nil when ctx is done.
func (g *gateway) keep(ctx context.Context) error {
	for short := 0; ; {
		began := time.Now()
		err := g.read(ctx)
		var se *StartError
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &se):
			return err
		}
		g.online(false)
		g.log.Info("the connection to Discord is lost; reconnecting", "why", err)
		if short++; time.Since(began) >= steady {
			short = 0
		}
		if err := g.reconnect(ctx, max(0, short-maxShort)); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		g.online(true)
		g.log.Info("connected to Discord again")
	}
}

// reconnect tries until it is connected, with pauses as after a number of attempts that failed.
func (g *gateway) reconnect(ctx context.Context, failed int) error {
	for {
		if failed > 0 {
			if err := g.wait(ctx, min(firstPause<<min(failed-1, 10), maxPause)); err != nil {
				return err
			}
		}
		err := g.connect(ctx)
		var (
			se      *StartError
			invalid *invalidSession
		)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case errors.As(err, &se):
			return err
		case errors.As(err, &invalid) && invalid.resuming && !invalid.resumable:
			g.log.Info("Discord has forgotten the session; beginning a new one")
			continue // once at most, for now there is none to resume
		}
		failed++
		g.log.Warn("Discord cannot be reached; trying again", "attempts", failed, "error", scrub(err))
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fatalCloses are the gateway's close codes after which reconnecting is pointless
// (Discord's documentation, "Gateway Close Event Codes").
var fatalCloses = map[int]string{
	4004: wrongToken,
	4010: "Discord refused the connection (invalid shard): this version of marque does not shard.",
	4011: "Discord wants the bot to be sharded: it is on too many servers for one connection.",
	4012: "Discord no longer speaks this version of its gateway: update marque.",
	4013: "Discord does not know the intents asked for: update marque.",
	4014: "Discord does not allow the bot the intents asked for: update marque, or look at the Bot page of the application.",
}

const wrongToken = "Discord does not accept the token: copy it anew from the Bot page of the developer portal into DISCORD_TOKEN."

// fatal turns an error that no retry can mend into a *StartError, and leaves others as they are.
func fatal(err error) error {
	var ce *websocket.CloseError
	if errors.As(err, &ce) {
		if sentence, ok := fatalCloses[ce.Code]; ok {
			return &StartError{sentence, err}
		}
	}
	if errors.Is(err, discordgo.ErrUnauthorized) || httpStatus(err) == http.StatusUnauthorized {
		return &StartError{wrongToken, scrub(err)}
	}
	return err
}

// identify asks who we are, which finds out whether the token is right before anything else happens.
// It tries a few times, because an outage is no reason to give up at once.
func (g *gateway) identify(ctx context.Context) (*discordgo.Application, error) {
	var last error
	for attempt := range openings {
		if attempt > 0 && g.wait(ctx, firstPause<<attempt) != nil {
			return nil, ctx.Err()
		}
		app, err := g.application(ctx)
		if err == nil {
			return app, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var se *StartError
		if last = fatal(err); errors.As(last, &se) {
			return nil, last
		}
		g.log.Warn("Discord cannot be reached; trying again", "error", scrub(err))
	}
	return nil, &StartError{fmt.Sprintf("Discord cannot be reached: %v. Check the network, then start again.", scrub(last)), last}
}

// application is the library's Session.Application, which takes no context.
func (g *gateway) application(ctx context.Context) (*discordgo.Application, error) {
	raw, err := g.session.RequestWithBucketID(http.MethodGet, discordgo.EndpointOAuth2Application("@me"), nil, discordgo.EndpointOAuth2Application(""),
		discordgo.WithContext(ctx), discordgo.WithRetryOnRatelimit(false))
	if err != nil {
		return nil, err
	}
	app := new(discordgo.Application)
	return app, json.Unmarshal(raw, app)
}
