package localdiscord

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"log"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord/pagetest"
	"marque/bot/timesource/manual"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // discordgo logs every dropped connection
	os.Exit(pagetest.Run(func() int { return manual.Run(m) }))
}

// testBot is a small bot on a real discordgo session. A test sets handle, which answers interactions.
type testBot struct {
	*discordgo.Session
	srv *Server

	mu     sync.Mutex
	handle func(*discordgo.InteractionCreate)
	events []string
	heard  chan struct{} // receives a value after new events
}

// start runs a server, and a bot that has registered the commands. Unless the options say otherwise, requests are not
// limited. Unless they set a clock, the bot has at least two minutes for answers. Unless they set OnRequest, answers
// and events are checked against Discord's description.
func start(t testing.TB, opts Options, cmds ...*discordgo.ApplicationCommand) (*Server, *testBot) {
	t.Helper()
	if opts.Requests == 0 {
		opts.Requests = Unlimited
	}
	if opts.Clock == nil { // a bot on a busy machine answers late
		opts.AnswerWithin = max(opts.AnswerWithin, 2*time.Minute)
	}
	if opts.OnRequest == nil {
		asDescribed(t, &opts)
	}
	srv := New(opts)
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv, connect(t, srv, cmds...)
}

func connect(t testing.TB, srv *Server, cmds ...*discordgo.ApplicationCommand) *testBot {
	t.Helper()
	session, err := discordgo.New("Bot " + srv.Token())
	if err != nil {
		t.Fatal(err)
	}
	session.Client = srv.HTTPClient()
	session.StateEnabled = false
	if _, ok := t.(*testing.B); ok {
		session.Identify.Intents = 0 // interactions need no intent
	}
	session.MaxRestRetries = 0
	session.ShouldRetryOnRateLimit = false
	b := &testBot{Session: session, srv: srv, heard: make(chan struct{}, 1)}
	session.AddHandler(func(_ *discordgo.Session, i *discordgo.InteractionCreate) {
		b.mu.Lock()
		h := b.handle
		b.mu.Unlock()
		if h != nil {
			h(i)
		}
	})
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.Event) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.events = append(b.events, e.Type)
		select {
		case b.heard <- struct{}{}:
		default:
		}
	})
	if err := session.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		session.ShouldReconnectOnError = false
		session.Client.CloseIdleConnections()
		session.Close()
	})
	b.beats(t)
	if cmds != nil {
		if _, err := session.ApplicationCommandBulkOverwrite(Application, "", cmds); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// beats waits until the first heartbeat is sent. If a connection ends before its first heartbeat, discordgo reconnects
// twice at the same time. One connection then ends the other's session, and sometimes both wait for each other forever.
func (b *testBot) beats(t testing.TB) {
	t.Helper()
	ctx := background(t)
	for {
		b.RLock()
		sent := b.DataReady
		b.RUnlock()
		if sent {
			return
		}
		select {
		case <-time.After(time.Millisecond): // poll, because discordgo does not report its first heartbeat
		case <-ctx.Done():
			t.Fatal("the bot sends no heartbeat")
		}
	}
}

// on sets the function that handles interactions.
func (b *testBot) on(h func(*discordgo.InteractionCreate)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handle = h
}

func (b *testBot) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = nil
}

func (b *testBot) saw(event string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e == event {
			return true
		}
	}
	return false
}

func background(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

var play = &discordgo.ApplicationCommand{
	Name: "play", Description: "Open a table",
	NameLocalizations:        &map[discordgo.Locale]string{discordgo.German: "spielen"},
	DescriptionLocalizations: &map[discordgo.Locale]string{discordgo.German: "Einen Tisch aufmachen"},
	Options: []*discordgo.ApplicationCommandOption{
		{Type: discordgo.ApplicationCommandOptionString, Name: "game", Description: "Which game", Required: true,
			Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "Loyal Captain", Value: "loyal-captain"},
				{Name: "Pirat", Value: "pirat"}}},
		{Type: discordgo.ApplicationCommandOptionUser, Name: "opponent", Description: "Against whom"},
		{Type: discordgo.ApplicationCommandOptionString, Name: "move", Description: "The first move", Autocomplete: true},
		{Type: discordgo.ApplicationCommandOptionInteger, Name: "seats", Description: "How many seats", MinValue: ptr(2.0), MaxValue: 6},
		{Type: discordgo.ApplicationCommandOptionBoolean, Name: "private", Description: "Not for all"},
		{Type: discordgo.ApplicationCommandOptionAttachment, Name: "record", Description: "A record to import"},
	},
}

var table = &discordgo.ApplicationCommand{
	Name: "table", Description: "Tables",
	Options: []*discordgo.ApplicationCommandOption{
		{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "open", Description: "Open one",
			Options: []*discordgo.ApplicationCommandOption{
				{Type: discordgo.ApplicationCommandOptionString, Name: "name", Description: "Its name"}}},
		{Type: discordgo.ApplicationCommandOptionSubCommandGroup, Name: "clock", Description: "Its clock",
			Options: []*discordgo.ApplicationCommandOption{
				{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "set", Description: "Set it"}}},
	},
}

func ptr[T any](v T) *T { return &v }

// picture returns a square PNG with this many pixels on each side.
func picture(side int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			img.Set(x, y, color.RGBA{uint8(x * 255 / side), uint8(y * 255 / side), 120, 255})
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

func pngFile(name string, data []byte) *discordgo.File {
	return &discordgo.File{Name: name, ContentType: "image/png", Reader: bytes.NewReader(data)}
}

func textFile(name, text string) *discordgo.File {
	return &discordgo.File{Name: name, ContentType: "text/plain", Reader: strings.NewReader(text)}
}
