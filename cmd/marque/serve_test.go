package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"marque/bot/localdiscord"
	"marque/bot/localdiscord/page"
	"marque/config"
	"marque/games/catalog"
	"marque/render"
)

// startTime limits how long a start that should fail can take. It may wait for a lock, but must not retry forever.
const startTime = 5 * time.Minute

// oneSentence checks that the text for the operator is one line that contains want and no Go internals.
func oneSentence(t *testing.T, said, want string) {
	t.Helper()
	if !strings.Contains(said, want) {
		t.Errorf("the operator is told %q, want %q in it", said, want)
	}
	for _, bad := range []string{"\n", "goroutine ", "panic", "0x", "https://", ".go:"} {
		if strings.Contains(said, bad) {
			t.Errorf("the operator is told %q, which has %q in it", said, bad)
		}
	}
}

// If a fault of the machine or of a setting keeps the program from starting, the program reports it in one line and
// exits with code 1.
func TestStartErrors(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, tt := range []struct {
		name, want string
		spoil      func(t *testing.T, data string) // makes the start fail
	}{
		{"locked database", "local.db: ", func(t *testing.T, data string) {
			other, err := openFile(t.Context(), filepath.Join(data, "local.db"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { other.Close() })
		}},
		{"damaged database", "local.db: ", func(t *testing.T, data string) {
			if err := os.WriteFile(filepath.Join(data, "local.db"), bytes.Repeat([]byte("not a database\n"), 4096),
				0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"empty database", "local.db is empty: nothing is left of the database", func(t *testing.T, data string) {
			if err := os.WriteFile(filepath.Join(data, "local.db"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"database cut short", "local.db: ", func(t *testing.T, data string) {
			file := filepath.Join(data, "local.db")
			s, err := openFile(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(file, 5000); err != nil {
				t.Fatal(err)
			}
		}},
		{"database that is a folder", "local.db: ", func(t *testing.T, data string) {
			if err := os.Mkdir(filepath.Join(data, "local.db"), 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"data folder below a file", "the data folder cannot be made: ", func(t *testing.T, data string) {
			file := filepath.Join(data, "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("MARQUE_DATA", filepath.Join(file, "data"))
		}},
		{"damaged local Discord", "local.json is damaged (", func(t *testing.T, data string) {
			if err := os.WriteFile(filepath.Join(data, "local.json"), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"local Discord that is a folder", "the local Discord's messages cannot be read: ",
			func(t *testing.T, data string) {
				if err := os.Mkdir(filepath.Join(data, "local.json"), 0o700); err != nil {
					t.Fatal(err)
				}
			}},
		{"port in use", "MARQUE_LOCAL_PORT chooses another", func(t *testing.T, _ string) {
			t.Setenv("MARQUE_LOCAL_PORT", strconv.Itoa(busy.Addr().(*net.TCPAddr).Port))
		}},
		{"no port", "MARQUE_LOCAL_PORT should be a port number", func(t *testing.T, _ string) { t.Setenv("MARQUE_LOCAL_PORT", "the harbour") }},
		{"no level", "MARQUE_LOG_LEVEL should be debug, info, warn or error", func(t *testing.T, _ string) { t.Setenv("MARQUE_LOG_LEVEL", "loud") }},
		{"quoted token", "DISCORD_TOKEN should be the bot's token alone", func(t *testing.T, _ string) { t.Setenv("DISCORD_TOKEN", `a "token"`) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data := t.TempDir()
			t.Chdir(data) // so that no .env file is read
			for name, value := range map[string]string{"MARQUE_DATA": data, "MARQUE_LOCAL_PORT": "0",
				"MARQUE_LOG_LEVEL": "error", "DISCORD_TOKEN": "", "MARQUE_BACKUPS": ""} {
				t.Setenv(name, value)
			}
			tt.spoil(t, data)
			ctx, cancel := context.WithTimeout(t.Context(), startTime)
			defer cancel()
			var out, errs bytes.Buffer
			if code := run(ctx, nil, os.Environ(), streams{strings.NewReader(""), &out, &errs}); code != 1 {
				t.Errorf("the exit code is %d, want 1", code)
			}
			if ctx.Err() != nil {
				t.Error("the start was tried until it was stopped")
			}
			if out.Len() > 0 {
				t.Errorf("standard output has %q", out.String())
			}
			oneSentence(t, strings.TrimSuffix(errs.String(), "\n"), tt.want)
		})
	}
}

// If Discord refuses the bot, at the start or later, the bot tells the operator in one sentence, and stops retrying.
func TestDiscordRefuses(t *testing.T) {
	t.Parallel()
	const wrong = "Discord does not accept the token: copy it again"
	for _, tt := range []struct {
		name, want string
		before     func(*localdiscord.Server)
		later      func(*localdiscord.Server) // called once the bot is ready
	}{
		{name: "wrong token", want: wrong, before: (*localdiscord.Server).RevokeToken},
		{name: "gateway 4004", want: wrong, before: func(s *localdiscord.Server) { s.Gateway.RefuseIdentify(4004) }},
		{name: "gateway 4011", want: "too many servers for its number of shards", before: func(s *localdiscord.Server) { s.Gateway.RefuseIdentify(4011) }},
		{name: "gateway 4014", want: "Discord does not allow the bot the intents asked for", before: func(s *localdiscord.Server) { s.Gateway.RefuseIdentify(4014) }},
		{name: "no scope for commands", want: "invite it once more, with the scope applications.commands",
			before: func(s *localdiscord.Server) {
				s.AddFault(localdiscord.Fault{Method: http.MethodPut, Path: "/commands", Status: http.StatusForbidden,
					Body: `{"message": "Missing Access", "code": 50001}`})
			}},
		{name: "token revoked later", want: wrong, later: (*localdiscord.Server).RevokeToken},
		{name: "refused after a break", want: "Discord does not allow the bot the intents asked for",
			later: func(s *localdiscord.Server) {
				s.Gateway.RefuseIdentify(4014)
				s.Gateway.Invalidate(false)
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
			srv := localdiscord.New(localdiscord.Options{Log: quiet})
			if err := srv.Start(); err != nil {
				t.Fatal(err)
			}
			defer srv.Close()
			token := srv.Token()
			if tt.before != nil {
				tt.before(srv)
			}
			ctx, cancel := context.WithTimeout(t.Context(), startTime)
			defer cancel()
			ready, said := io.Pipe()
			if tt.later != nil {
				go func() {
					if n, _ := ready.Read(make([]byte, 100)); n > 0 {
						tt.later(srv)
					}
				}()
			}
			var logged lockedBuffer
			cfg := config.Config{Token: config.Secret(token), Data: t.TempDir(), ShutdownTimeout: 5 * time.Second}
			err := serve(ctx, cfg, srv.HTTPClient(), streams{nil, said, io.Discard},
				slog.New(slog.NewTextHandler(&logged, nil)))
			said.Close()
			if err == nil || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
				t.Fatalf("the bot ended with %v", err)
			}
			oneSentence(t, err.Error(), tt.want)
			if strings.Contains(logged.String(), token) || strings.Contains(err.Error(), token) {
				t.Errorf("the token is in the log or the error:\n%s", logged.String())
			}
		})
	}
}

// At the start, the bot warns if other users of the machine can read .env or enter the data folder, in one line with
// advice for each. It warns about nothing else of the kind.
func TestOpenSecretsAreSaidAtTheStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	const said = "other users of this machine can get at "
	for _, tc := range []struct {
		env, data os.FileMode
		want      []string
	}{
		{0o600, 0o700, nil},
		{0o640, 0o750, nil}, // readable by a group, which the operator may have chosen
		{0o644, 0o700, []string{said + ".env: chmod 600 .env"}},
		{0o600, 0o755, []string{said + "data: chmod 700 data"}},
		{0o666, 0o711, []string{said + ".env: chmod 600 .env", said + "data: chmod 700 data"}},
	} {
		t.Run(fmt.Sprintf("%o %o", tc.env, tc.data), func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := errors.Join(os.WriteFile(".env", []byte("MARQUE_LOCAL_PORT=0\nMARQUE_DATA=data\n"), 0o600),
				os.Mkdir("data", 0o700),
				os.Chmod(".env", tc.env), os.Chmod("data", tc.data)); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), startTime)
			defer cancel()
			ready, out := io.Pipe()
			go func() {
				ready.Read(make([]byte, 100)) // returns when the bot is ready or has failed
				cancel()
			}()
			var logged lockedBuffer
			code := run(ctx, nil, nil, streams{strings.NewReader(""), out, &logged})
			out.Close()
			if code != 0 {
				t.Fatalf("exit code %d\n%s", code, logged.String())
			}
			for _, w := range tc.want {
				if !strings.Contains(logged.String(), "level=WARN msg=\""+w+"\"") {
					t.Errorf("%q is not said:\n%s", w, logged.String())
				}
			}
			if got := strings.Count(logged.String(), said); got != len(tc.want) {
				t.Errorf("%d lines of it, want %d:\n%s", got, len(tc.want), logged.String())
			}
		})
	}
}

// Without a token, the first view of the local Discord's page offers every game against a computer, with its board. One
// click opens the game, and its board appears in a channel.
func TestOneClickOpensAGame(t *testing.T) {
	t.Parallel() // this test waits, because a channel accepts only a few messages at a time
	cfg, err := config.Load("", settings(t.TempDir()))
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	ready, out := io.Pipe()
	var logged lockedBuffer
	ended := make(chan error, 1)
	go func() {
		err := serve(ctx, cfg, nil, streams{nil, out, io.Discard}, newLog(&logged, cfg))
		out.Close()
		ended <- err
	}()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the bot ended with %v: %s", err, logged.String())
		}
	}()
	var url string
	if _, err := fmt.Fscanf(ready, "marque is ready: open %s in a browser", &url); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, ready)

	resp, err := http.Get(url + "local/state?user=" + localdiscord.Anne)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var state page.State
	if err := json.NewDecoder(resp.Body).Decode(&state); err != nil {
		t.Fatal(err)
	}
	if len(state.Starters) != len(catalog.Games) {
		t.Fatalf("%d ways to begin, want one for each of %d games", len(state.Starters), len(catalog.Games))
	}
	ws := listen(t, ctx, url)
	hasBoard := map[string]bool{} // whether a channel has a board
	for i, starter := range state.Starters {
		picture, err := http.Get(url + "local/picture/" + strconv.Itoa(i))
		must(t, err)
		board, err := png.DecodeConfig(picture.Body)
		picture.Body.Close()
		if err != nil || !starter.Picture || max(board.Width, board.Height) != starterWidth {
			t.Errorf("%s has a board of %d by %d pixels (%v), want %d at most, and to say so (%v)", starter.Label,
				board.Width, board.Height, err, starterWidth, starter.Picture)
		}
		body, err := json.Marshal(map[string]any{"user": localdiscord.Anne, "channel": localdiscord.TortugaTables,
			"name": starter.Command, "options": starter.Options})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Post(url+"local/command", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", starter.Label, said)
		}
		channel, width := nextBoard(t, ws)
		for hasBoard[channel] { // skip boards of earlier games, which continue
			channel, width = nextBoard(t, ws)
		}
		if width != render.UsualWidth {
			t.Errorf("the board of %s is %d pixels wide, want %d", starter.Label, width, render.UsualWidth)
		}
		hasBoard[channel] = true
	}
}

// listen connects to the event stream of the local Discord's page at url, as user Anne.
func listen(t *testing.T, ctx context.Context, url string) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(url, "http")+"local/events?user="+
		localdiscord.Anne, nil)
	must(t, err)
	t.Cleanup(func() { ws.Close() })
	return ws
}

// shown is the part of a message component that can have pictures.
type shown struct {
	Items      []struct{ Media struct{ Width int } }
	Components []shown
}

// width returns the width in pixels of the first picture in the components; 0 if they have none.
func width(components []shown) int {
	for _, c := range components {
		for _, item := range c.Items {
			return item.Media.Width
		}
		if w := width(c.Components); w > 0 {
			return w
		}
	}
	return 0
}

// nextBoard waits for a message with a picture, and returns its channel and the picture's width.
func nextBoard(t *testing.T, ws *websocket.Conn) (channel string, wide int) {
	t.Helper()
	for {
		var e struct {
			M struct {
				Channel    string `json:"channel_id"`
				Components []shown
			} `json:"m"`
		}
		if err := ws.ReadJSON(&e); err != nil {
			t.Fatalf("no board: %v", err)
		}
		if wide := width(e.M.Components); wide > 0 {
			return e.M.Channel, wide
		}
	}
}

// lockedBuffer is a log that several goroutines can write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
