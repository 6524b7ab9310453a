package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/config"
)

// served is a running bot on a local Discord, with the address of its metrics.
type served struct {
	srv     *localdiscord.Server
	address string
	log     *lockedBuffer
}

// serveOn starts a bot as the command marque does, with the settings that configure changes, and stops it when the test
// ends.
func serveOn(t *testing.T, configure func(*config.Config)) *served {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	s := &served{srv: localdiscord.New(localdiscord.Options{Log: quiet, AnswerWithin: 2 * time.Minute}),
		log: &lockedBuffer{}}
	if err := s.srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.srv.Close() })
	cfg := config.Config{Token: config.Secret(s.srv.Token()), Data: t.TempDir(), ShutdownTimeout: 5 * time.Second,
		Metrics: "127.0.0.1:0", LogFormat: "text"}
	configure(&cfg)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	ready, out := io.Pipe()
	go func() {
		ended <- serve(ctx, cfg, s.srv.HTTPClient(), streams{nil, out, io.Discard}, newLog(s.log, cfg))
		out.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the bot ended with %v", err)
		}
	})
	if n, _ := ready.Read(make([]byte, 200)); n == 0 {
		t.Fatalf("the bot did not start:\n%s", s.log)
	}
	go io.Copy(io.Discard, ready)
	if m := regexp.MustCompile(`metrics and health are served"? address=(\S+)`).FindStringSubmatch(
		s.log.String()); m != nil {
		s.address = m[1]
	}
	return s
}

// get requests a path from the bot's metrics server.
func (s *served) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	answer, err := http.Get("http://" + s.address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(b)
}

// healthcheck runs "marque healthcheck", as a container does.
func (s *served) healthcheck(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	code, out, errs := saidIn(t, settings("data", "MARQUE_METRICS="+s.address),
		append([]string{"healthcheck"}, args...)...)
	return code, out + errs
}

// The metrics of a bot show its activity, and name no user.
func TestMetricsOfABot(t *testing.T) {
	t.Parallel()
	s := serveOn(t, func(c *config.Config) { c.Backups = t.TempDir() })
	opt := localdiscord.Opt
	for _, step := range []struct {
		user, command string
		options       []localdiscord.Option
	}{
		{localdiscord.Anne, "play", []localdiscord.Option{opt("game", "loyal-captain"), opt("players", 2)}},
		{localdiscord.Jack, "move", []localdiscord.Option{opt("move", "nonsense")}},
		{localdiscord.Jack, "games", nil},
	} {
		reply, err := s.srv.Command(t.Context(), step.user, localdiscord.TortugaTables, step.command, step.options...)
		if err != nil {
			t.Fatalf("/%s: %v", step.command, err)
		}
		if _, err := reply.Message(t.Context()); err != nil {
			t.Fatalf("/%s: %v", step.command, err)
		}
	}
	lobby := func(m *localdiscord.Message) bool { _, ok := m.Button("Join"); return ok }
	if _, err := s.srv.WaitMessage(t.Context(), localdiscord.TortugaTables, localdiscord.Anne, lobby); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	status, all := s.get(t, "/metrics")
	for strings.Count(all, "\nmarque_interactions_total{") < 3 && ctx.Err() == nil { // counted after the answer
		status, all = s.get(t, "/metrics")
	}
	for _, want := range []string{
		`marque_interactions_total{command="/play",kind="command",outcome="ok"} 1`,
		`marque_interactions_total{command="/move",kind="command",outcome="refused"} 1`,
		`marque_interactions_total{command="/games",kind="command",outcome="ok"} 1`,
		`marque_interaction_first_answer_seconds_bucket{kind="command",le="3"} `,
		`marque_interaction_first_answer_seconds_count{kind="command"} 3`,
		`marque_discord_requests_total{method="POST",route="/interactions/{id}/{token}/callback",status="204"} `,
		`marque_discord_requests_total{method="POST",route="/channels/{id}/messages",status="200"} `,
		`marque_store_commit_duration_seconds_bucket{le="0.01"} `,
		"marque_store_commit_failures_total 0\n", "marque_store_up 1\n", "marque_store_free_pages ",
		"marque_store_size_bytes ",
		"marque_gateway_up 1\n", "marque_gateway_heartbeat_lag_seconds ", "marque_due_lag_seconds 0\n",
		"marque_news_oldest_age_seconds ",
		"marque_computer_queue_tables 0\n", "marque_computer_thinking_tables 0\n", "marque_tables_frozen 0\n",
		`marque_tables{game="loyal-captain",state="lobby"} 1`,
		"marque_backup_last_timestamp_seconds ", "marque_backup_failures_total 0\n", "marque_build_info{",
		"go_goroutines ",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in the metrics", want)
		}
	}
	// All metrics that docs/operations.md names are exported, except those that need a database server, a webhook, a
	// picture or the browser page.
	later := regexp.MustCompile("^marque_(shards|webhook|picture|page)")
	for row := range strings.Lines(projectFile(t, "docs", "operations.md")) {
		if names, ok := strings.CutPrefix(row, "| `marque_"); ok {
			names, _, _ = strings.Cut("`marque_"+names, " | ")
			for _, m := range regexp.MustCompile("`(marque_[a-z_]+)").FindAllStringSubmatch(names, -1) {
				if !later.MatchString(m[1]) && !strings.Contains(all, "\n# TYPE "+m[1]+" ") {
					t.Errorf("docs/operations.md has %s, and the bot does not say it", m[1])
				}
			}
		}
	}
	for line := range strings.Lines(all) {
		if named, _, _ := strings.Cut(line, " "); regexp.MustCompile(`[0-9]{15}`).MatchString(named) ||
			strings.Contains(named, "Anne") {
			t.Errorf("an id or a name in %s", line)
		}
	}
	if status != http.StatusOK || t.Failed() {
		t.Logf("status %d\n%s", status, regexp.MustCompile(`(?m)^(#|go_|process_).*\n`).ReplaceAllString(all, ""))
	}
	if code, _ := s.get(t, "/debug/pprof/"); code != http.StatusNotFound {
		t.Errorf("profiles that nobody asked for are answered %d", code)
	}
}

// The bot is ready while it is connected to Discord, and alive even while it is not. "marque healthcheck" reports
// whether it is ready.
func TestHealth(t *testing.T) {
	t.Parallel()
	s := serveOn(t, func(c *config.Config) { c.Profile = true })
	if code, said := s.healthcheck(t); code != 0 || !strings.Contains(said, "store: ok, gateway: ok") {
		t.Errorf("a bot that is ready: %d %q", code, said)
	}
	if code, body := s.get(t, "/debug/pprof/goroutine?debug=1"); code != http.StatusOK || !strings.Contains(body,
		"goroutine profile") {
		t.Errorf("a profile is answered %d", code)
	}
	s.srv.AddFault(localdiscord.Fault{Method: http.MethodGet, Path: "/gateway", Status: http.StatusBadGateway,
		Body: "{}"})
	s.srv.Gateway.Invalidate(false)
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	for code := 0; code != http.StatusServiceUnavailable && ctx.Err() == nil; {
		code, _ = s.get(t, "/readyz")
	}
	if code, said := s.healthcheck(t); code != 1 || !strings.Contains(said,
		"the bot is not ready: store: ok, gateway: not connected to Discord") {
		t.Errorf("a bot without a connection: %d %q", code, said)
	}
	if code, said := s.healthcheck(t, "--live"); code != 0 || !strings.Contains(said, "ok") {
		t.Errorf("a bot without a connection that lives: %d %q", code, said)
	}
	if _, all := s.get(t, "/metrics"); !strings.Contains(all, "marque_gateway_up 0\n") {
		t.Error("the metrics say that the bot is connected")
	}
}

// "marque healthcheck" fails without a running bot or without an address, and says what to do.
func TestHealthcheckWithoutABot(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	for address, want := range map[string]string{"": "MARQUE_METRICS is not set", nobody: "is it running",
		"harbour": "should be an address such as"} {
		s := &served{address: address}
		if code, said := s.healthcheck(t); code != 1 || !strings.Contains(said, want) {
			t.Errorf("MARQUE_METRICS=%q: %d %q, want %q", address, code, said, want)
		}
	}
	for address, want := range map[string]string{":9464": "127.0.0.1:9464", "0.0.0.0:1": "127.0.0.1:1",
		"[::]:1": "[::1]:1", "10.0.0.7:1": "10.0.0.7:1"} {
		if got := reachable(address); got != want {
			t.Errorf("%s is asked on %s, want %s", address, got, want)
		}
	}
}

// The bot logs a warning if other machines can reach its metrics, and one line if the address is in use.
func TestAddressesOfMetrics(t *testing.T) {
	t.Parallel()
	s := serveOn(t, func(c *config.Config) { c.Metrics = "0.0.0.0:0" })
	if !strings.Contains(s.log.String(), "other machines may reach the metrics") {
		t.Errorf("nothing is said of other machines:\n%s", s.log)
	}
	err := serve(t.Context(), config.Config{Data: t.TempDir(), Metrics: s.address, ShutdownTimeout: time.Second}, nil,
		streams{nil, io.Discard, io.Discard}, slog.New(slog.DiscardHandler))
	if err == nil {
		t.Fatal("two bots have one address")
	}
	oneSentence(t, err.Error(), "MARQUE_METRICS chooses another address")
}

// With MARQUE_LOG_FORMAT=json every line of the log is one JSON object.
func TestLogsAsJSON(t *testing.T) {
	t.Parallel()
	s := serveOn(t, func(c *config.Config) { c.LogFormat, c.Metrics = "json", "" })
	lines := 0
	for line := range strings.Lines(s.log.String()) {
		var of struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &of); err != nil || of.Time == "" || of.Level == "" || of.Msg == "" {
			t.Errorf("%v in %s", err, line)
		}
		lines++
	}
	if lines == 0 {
		t.Error("nothing was logged")
	}
}
