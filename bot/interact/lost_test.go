package interact

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/background"
	"marque/bot/gateway"
	"marque/bot/localdiscord"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/timesource"
	"marque/games/text/locale"
)

// lateRoom answers three commands and a button only after until returns.
type lateRoom struct {
	until func(context.Context) // waits until the room should answer
}

func (l lateRoom) Commands() []Command {
	say := func(word string) Handler {
		return func(ctx context.Context, _ *Request) (Reply, error) {
			l.until(ctx)
			return Reply{New: show.Text(word)}, nil
		}
	}
	everybody := func(*Request) bool { return true }
	secret := func(ctx context.Context, _ *Request) (Reply, error) {
		l.until(ctx)
		return Reply{New: &show.Message{Components: show.Text("done in secret").Components, Ephemeral: true}}, nil
	}
	board := func(ctx context.Context, _ *Request) (Reply, error) {
		button := show.Button(discordgo.PrimaryButton, "Turn", show.CustomID{Action: "turn"})
		return Reply{New: &show.Message{Components: show.Rows(button)}}, nil
	}
	return []Command{
		{Name: "private", Topic: TopicLook, Route: Route{Handle: say("done in private")}},
		{Name: "public", Topic: TopicLook, Route: Route{Handle: say("done in public"), Public: everybody}},
		{Name: "secret", Topic: TopicLook, Route: Route{Handle: secret, Public: everybody}},
		{Name: "board", Topic: TopicLook, Route: Route{Handle: board, Public: everybody}, Actions: []Action{{
			Name: "turn", Route: Route{Updates: true, Handle: func(ctx context.Context, _ *Request) (Reply, error) {
				l.until(ctx)
				return Reply{Update: show.Text("the button is done")}, nil
			}}}}},
	}
}

// first fails the first request to the callback of an interaction before it reaches Discord.
type first struct {
	through http.RoundTripper
	once    sync.Once
}

func (f *first) RoundTrip(q *http.Request) (answer *http.Response, err error) {
	if strings.HasSuffix(q.URL.Path, "/callback") {
		f.once.Do(func() { err = http.ErrServerClosed })
		if err != nil {
			return nil, err
		}
	}
	return f.through.RoundTrip(q)
}

// A user gets the answer exactly once, even if the request with the first or deferred answer fails before it reaches
// Discord, or if Discord accepts it and its response is lost or an error. Every deferred answer is followed by an
// answer.
func TestAnswersWhoseFateIsUnknown(t *testing.T) {
	t.Parallel()
	const unknown = `{"message": "Unknown interaction", "code": 10062}`
	callback := func(times int, f localdiscord.Fault) *localdiscord.Fault {
		f.Path, f.Lost, f.Times = "/callback", true, times
		return &f
	}
	for what, fault := range map[string]*localdiscord.Fault{
		"broken before":         nil,
		"lost":                  callback(1, localdiscord.Fault{}),
		"lost twice":            callback(2, localdiscord.Fault{}),
		"taken, and 10062":      callback(1, localdiscord.Fault{Status: http.StatusNotFound, Body: unknown}),
		"taken, and 500":        callback(1, localdiscord.Fault{Status: http.StatusInternalServerError, Body: `{}`}),
		"taken, and 500, often": callback(4, localdiscord.Fault{Status: http.StatusInternalServerError, Body: `{}`}),
	} {
		for _, promised := range []bool{false, true} {
			name := what
			if promised {
				name += ", of a promise"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				l := &lateDiscord{heard: make(chan struct{}, 1000), done: make(chan Answered, 1)}
				l.open(t, promised)
				for _, command := range []string{"private", "public", "turn"} {
					l.answers(t, command, fault)
				}
			})
		}
	}
}

// An ephemeral reply is private even if its route is public, also after a deferred answer.
func TestAPublicRouteAnswersInPrivate(t *testing.T) {
	t.Parallel()
	for _, promised := range []bool{false, true} {
		l := &lateDiscord{heard: make(chan struct{}, 1000), done: make(chan Answered, 1)}
		l.open(t, promised)
		if _, err := l.srv.Command(t.Context(), localdiscord.Anne, localdiscord.TortugaTables, "secret"); err != nil {
			t.Fatal(err)
		}
		<-l.done
		list := l.srv.Messages(localdiscord.TortugaTables, localdiscord.Anne)
		if n := len(list); n != 1 || list[0].Text() != "done in secret" || list[0].EphemeralTo != localdiscord.Anne {
			t.Errorf("deferred %v: Anne sees %d messages: %+v", promised, n, list)
		}
	}
}

// lateDiscord is a local Discord with a router whose answers may be deferred.
type lateDiscord struct {
	srv    *localdiscord.Server
	router *Router
	direct http.RoundTripper
	client *http.Client
	heard  chan struct{} // receives when an answer reaches Discord
	done   chan Answered // receives when an interaction is finished
}

func (l *lateDiscord) open(t *testing.T, promised bool) {
	t.Helper()
	l.srv = localdiscord.New(localdiscord.Options{Log: slog.New(slog.DiscardHandler), Requests: localdiscord.Unlimited,
		AnswerWithin: 10 * time.Minute, OnRequest: func(r localdiscord.Request) {
			if strings.HasSuffix(r.Path, "/callback") {
				l.heard <- struct{}{}
			}
		}})
	if err := l.srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.srv.Close() })
	s, err := gateway.NewSession(l.srv.Token(), l.srv.HTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	l.client, l.direct = s.Client, s.Client.Transport
	registry, err := NewRegistry(lateRoom{until: func(ctx context.Context) {
		if promised {
			<-l.heard
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	l.router = NewRouter(Config{Registry: registry, Rest: rest.Client{Session: s},
		Log: slog.New(slog.DiscardHandler), Sentences: sentences, Choices: hanging{}, Background: new(background.Gate),
		Afterwards: func(context.Context, *Request) {}, Answered: func(a Answered) { l.done <- a }})
	l.router.patience = time.Hour
	if promised {
		l.router.patience = 1
	}
	g := gateway.New(s, timesource.System{}, slog.New(slog.DiscardHandler))
	g.On(func(_ bool, e *discordgo.InteractionCreate) {
		l.router.Accept(context.Background(), e.Interaction, Arrival{At: time.Now()})
	})
	ctx, stop := context.WithCancel(context.Background())
	if err := g.Open(ctx); err != nil {
		t.Fatal(err)
	}
	kept := make(chan error, 1)
	go func() { kept <- g.Keep(ctx) }()
	t.Cleanup(func() {
		stop()
		<-kept
	})
	var all []*discordgo.ApplicationCommand
	for _, name := range []string{"private", "public", "secret", "board"} {
		all = append(all, &discordgo.ApplicationCommand{Name: name, Description: name})
	}
	if _, err := s.ApplicationCommandBulkOverwrite(localdiscord.Application, "", all); err != nil {
		t.Fatal(err)
	}
}

// answers gives a command or clicks a button while the fault is active, and looks for the answer.
func (l *lateDiscord) answers(t *testing.T, command string, fault *localdiscord.Fault) {
	t.Helper()
	const channel = localdiscord.TortugaTables
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	do := func() (*localdiscord.Reply, error) { return l.srv.Command(ctx, localdiscord.Anne, channel, command) }
	want := "done in " + command
	if command == "turn" {
		reply, err := l.srv.Command(ctx, localdiscord.Anne, channel, "board")
		if err != nil {
			t.Fatal(err)
		}
		board, err := reply.Message(ctx)
		if err != nil {
			t.Fatal(err)
		}
		button, _ := board.Button("Turn")
		<-l.done
		do = func() (*localdiscord.Reply, error) {
			return l.srv.Click(ctx, localdiscord.Anne, board.ID, button.CustomID)
		}
		want = "the button is done"
	}
	for len(l.heard) > 0 {
		<-l.heard
	}
	var over func()
	if fault == nil {
		l.client.Transport = &first{through: l.direct}
		over = func() { l.client.Transport = l.direct }
	} else {
		over = l.srv.AddFault(*fault)
	}
	defer over()
	reply, err := do()
	if err != nil {
		t.Errorf("/%s: %v", command, err)
		return
	}
	said, err := reply.Message(ctx)
	if err != nil || said.Text() != want || said.Loading || (said.EphemeralTo != "") != (command == "private") {
		t.Errorf("/%s: answered %+v, %v, want %q", command, said, err, want)
	}
	<-l.done
	all := 0
	for _, m := range l.srv.Messages(channel, localdiscord.Anne) {
		if m.Loading {
			t.Errorf("/%s: a promise is left", command)
		}
		if m.Text() == want {
			all++
		}
	}
	if all != 1 {
		t.Errorf("/%s: %d answers, want 1", command, all)
	}
}
