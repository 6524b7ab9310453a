package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// gateway keeps the session connected. The library would retry for ever what can never succeed, a
// wrong token for example, so reconnecting is ours.
type gateway struct {
	session *discordgo.Session
	log     *slog.Logger
	lost    chan struct{} // a sign that the connection is gone; holds at most one
	wait    func(context.Context, time.Duration) error
	online  func(bool) // told when the connection is lost and when it is back
}

// newSession makes a session for slash commands alone: no privileged intents, no state, and its own reconnecting.
func newSession(token string, client *http.Client) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.Identify.Intents = discordgo.IntentsGuilds
	s.StateEnabled = false
	s.ShouldReconnectOnError = false
	s.ShouldReconnectVoiceOnSessionError = false
	s.SyncEvents = true // handlers are called in the order of the events; none of them may take long
	s.Client = client
	return s, nil
}

// LogLibrary sends what discordgo says to a log instead of standard error. The library has one logger for all sessions, so a program calls this once, before it
// makes a Bot.
func LogLibrary(log *slog.Logger) {
	discordgo.Logger = func(level, _ int, format string, a ...any) {
		// A heartbeat fails when the connection is gone, which the gateway notices and says by itself, and whenever the bot stops.
		as := slog.LevelWarn
		if level > discordgo.LogWarning || strings.HasPrefix(format, "error sending heartbeat") {
			as = slog.LevelDebug
		}
		log.Log(context.Background(), as, "the Discord library says: "+strings.TrimSpace(fmt.Sprintf(format, a...)))
	}
}

func newGateway(s *discordgo.Session, log *slog.Logger) *gateway {
	g := &gateway{session: s, log: log, lost: make(chan struct{}, 1), wait: sleep, online: func(bool) {}}
	s.AddHandler(func(*discordgo.Session, *discordgo.Disconnect) {
		select {
		case g.lost <- struct{}{}:
		default:
		}
	})
	return g
}

// Pauses between attempts to connect.
const (
	firstPause = time.Second
	maxPause   = 2 * time.Minute
)

// open connects once. It returns a *StartError for what no retry can mend.
func (g *gateway) open() error {
	err := g.session.Open()
	if err == nil || errors.Is(err, discordgo.ErrWSAlreadyOpen) {
		return nil
	}
	return fatal(err)
}

// keep reconnects whenever the connection is lost, until ctx is done. It returns a *StartError when
// Discord will not have us any more, and nil when ctx is done.
func (g *gateway) keep(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-g.lost:
		}
		g.online(false)
		pause := firstPause
		for ctx.Err() == nil {
			err := g.open()
			var se *StartError
			if err == nil {
				g.online(true)
				g.log.Info("connected to Discord again")
				break
			}
			if errors.As(err, &se) {
				return err
			}
			g.log.Warn("Discord cannot be reached; trying again", "in", pause, "error", scrub(err))
			if g.wait(ctx, pause) != nil {
				return nil
			}
			pause = min(pause*2, maxPause)
		}
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
	for attempt := range 4 {
		if attempt > 0 && g.wait(ctx, firstPause<<attempt) != nil {
			return nil, ctx.Err()
		}
		app, err := g.session.Application("@me")
		if err == nil {
			return app, nil
		}
		var se *StartError
		if last = fatal(err); errors.As(last, &se) {
			return nil, last
		}
		g.log.Warn("Discord cannot be reached; trying again", "error", scrub(err))
	}
	return nil, &StartError{fmt.Sprintf("Discord cannot be reached: %v. Check the network, then start again.", scrub(last)), last}
}
