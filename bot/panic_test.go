package bot

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/gateway"
	"marque/bot/interact"
	"marque/bot/localdiscord"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/games/text/locale"
	"marque/render"
	"marque/storage/storagetest"
)

// lockedBuffer is a log that several goroutines write. It closes said when the log contains the text awaited.
type lockedBuffer struct {
	mu      sync.Mutex
	b       bytes.Buffer
	awaited string
	said    chan struct{}
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.awaited != "" && bytes.Contains(p, []byte(l.awaited)) {
		l.awaited = ""
		close(l.said)
	}
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startWith runs a bot with a single room on a local Discord until the test ends.
func startWith(ctx context.Context, t *testing.T, o localdiscord.Options, log *slog.Logger,
	room interact.Room) *localdiscord.Server {
	t.Helper()
	o.Log, o.Requests = slog.New(slog.DiscardHandler), localdiscord.Unlimited
	srv := localdiscord.New(o)
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	store, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "marque.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := render.New(render.UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(Config{
		Token: srv.Token(), Client: srv.HTTPClient(),
		Store: store, Games: catalog.Games, Renderer: pictures, Sentences: sentences, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	registry, err := interact.NewRegistry(room)
	if err != nil {
		t.Fatal(err)
	}
	b.registrar = gateway.NewRegistrar(b.session, registry.ApplicationCommands(sentences), log)
	b.router = interact.NewRouter(interact.Config{
		Registry: registry, Rest: rest.Client{Session: b.session}, Log: log, Sentences: sentences,
		Choices:    b.Tables.Choices,
		Background: b.Tables.Background, Afterwards: b.publish.DeliverNotices, Ephemerals: b.private,
	})
	run, stop := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	go func() { stopped <- b.Run(run, 5*time.Second) }()
	select {
	case <-b.Ready():
	case err := <-stopped:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
	return srv
}

// leaking is a room with handlers that panic or fail, and with handlers that answer.
type leaking struct{}

func (leaking) Commands() []interact.Command {
	answer := func(context.Context, *interact.Request) (interact.Reply, error) {
		return interact.Reply{New: show.Text("aye")}, nil
	}
	return []interact.Command{
		{Name: "profile", Topic: interact.TopicLook, Route: interact.Route{Handle: func(context.Context,
			*interact.Request) (interact.Reply, error) {
			panic("the mast is broken")
		}}},
		{Name: "games", Topic: interact.TopicLook, Route: interact.Route{Handle: func(context.Context,
			*interact.Request) (interact.Reply, error) {
			return interact.Reply{}, errors.New("the hold is flooded")
		}}},
		{Name: "board", Topic: interact.TopicLook, Options: []interact.Option{interact.TableOption()},
			Route: interact.Route{
				Handle: answer,
				Complete: func(context.Context, *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
					panic("the rudder is gone")
				},
			}},
		{Name: "help", Topic: interact.TopicLook, Route: interact.Route{Handle: answer}},
	}
}

// When a handler panics or fails through no fault of the player, the failure is logged under an id, the player is told
// only that id, and the bot keeps running.
func TestFailuresInsideAreLoggedUnderAnID(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	// Discord's three seconds pass only when the test advances this clock, even on a busy machine.
	clock := manual.NewClock(time.Now())
	log := &lockedBuffer{awaited: "the rudder is gone", said: make(chan struct{})}
	srv := startWith(ctx, t, localdiscord.Options{Clock: clock}, slog.New(slog.NewTextHandler(log, nil)), leaking{})

	incident := regexp.MustCompile(`incident ([0-9a-f]{8})\.`)
	for command, secret := range map[string]string{"profile": "the mast is broken", "games": "the hold is flooded"} {
		sent, err := srv.Command(ctx, localdiscord.Anne, localdiscord.TortugaTables, command)
		if err != nil {
			t.Fatal(err)
		}
		m, err := sent.Message(ctx)
		if err != nil {
			t.Fatal(err)
		}
		id := incident.FindStringSubmatch(m.Text())
		if id == nil || strings.Contains(m.Text(), secret) || m.EphemeralTo != localdiscord.Anne {
			t.Fatalf("/%s, which fails, is answered to %q: %q", command, m.EphemeralTo, m.Text())
		}
		logged := false
		for _, line := range strings.Split(log.String(), "\n") {
			logged = logged || strings.Contains(line, "level=ERROR") && strings.Contains(line, "incident="+id[1]) &&
				strings.Contains(line, secret) && strings.Contains(line, "what=/"+command)
		}
		if !logged {
			t.Errorf("no line of the log has the incident %s, /%s and %q:\n%s", id[1], command, secret, log)
		}
	}
	go func() { // an autocomplete whose handler panics gets no answer: its time must pass
		select {
		case <-log.said:
			clock.Advance(time.Minute)
		case <-ctx.Done():
		}
	}()
	choices, err := srv.Autocomplete(ctx, localdiscord.Anne, localdiscord.TortugaTables, "board", "table",
		localdiscord.Opt("table", ""))
	if err == nil {
		t.Errorf("an autocomplete that panics offers %v", choices)
	}
	if !strings.Contains(log.String(), "the rudder is gone") {
		t.Errorf("an autocomplete that panicked is not in the log:\n%s", log)
	}
	if _, err := srv.Command(ctx, localdiscord.Anne, localdiscord.TortugaTables, "help"); err != nil {
		t.Errorf("after a panic the bot answers no more: %v", err)
	}
}
