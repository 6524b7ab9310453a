package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/config"
	"marque/storage"
)

// drillTime limits the drill, even on a busy machine.
const drillTime = 5 * time.Minute

// heardLog is a log in which a test can wait for a text.
type heardLog struct {
	mu   sync.Mutex
	more *sync.Cond
	all  strings.Builder
}

func newHeardLog() *heardLog {
	l := &heardLog{}
	l.more = sync.NewCond(&l.mu)
	return l
}

func (l *heardLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.more.Broadcast()
	return l.all.Write(p)
}

// wait waits until the log contains text the given number of times, and returns the whole log.
func (l *heardLog) wait(t *testing.T, ctx context.Context, text string, times int) string {
	t.Helper()
	stop := context.AfterFunc(ctx, func() { l.mu.Lock(); defer l.mu.Unlock(); l.more.Broadcast() })
	defer stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for strings.Count(l.all.String(), text) < times {
		if ctx.Err() != nil {
			t.Fatalf("the log has not %d times %q:\n%s", times, text, l.all.String())
		}
		l.more.Wait()
	}
	return l.all.String()
}

// ship is a local Discord with the bot, which is started as the command marque starts it.
type ship struct {
	t       *testing.T
	ctx     context.Context
	discord *localdiscord.Server
	cfg     config.Config
	log     *heardLog
	stop    func()
}

func launch(t *testing.T, ctx context.Context) *ship {
	t.Helper()
	discord := localdiscord.New(localdiscord.Options{Log: slog.New(slog.DiscardHandler),
		AnswerWithin: 2 * time.Minute})
	if err := discord.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { discord.Close() })
	dir := t.TempDir()
	return &ship{t: t, ctx: ctx, discord: discord, log: newHeardLog(), stop: func() {}, cfg: config.Config{
		Token: config.Secret(discord.Token()), Data: filepath.Join(dir, "data"), ShutdownTimeout: 30 * time.Second,
	}}
}

// start starts the bot and waits until it is ready; stop stops it.
func (s *ship) start() {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.ctx)
	ready, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := serve(ctx, s.cfg, s.discord.HTTPClient(), streams{nil, out, io.Discard},
			slog.New(slog.NewTextHandler(s.log, nil)))
		out.Close()
		ended <- err
	}()
	if n, _ := ready.Read(make([]byte, 100)); n == 0 {
		s.t.Fatalf("the bot did not start: %v", <-ended)
	}
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Errorf("the bot ended with %v", err)
		}
	})
	s.t.Cleanup(s.stop)
}

func (s *ship) answer(reply *localdiscord.Reply, err error) *localdiscord.Message {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := reply.Message(s.ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

func (s *ship) command(user, channel, name string, options ...localdiscord.Option) *localdiscord.Message {
	s.t.Helper()
	reply, err := s.discord.Command(s.ctx, user, channel, name, options...)
	return s.answer(reply, err)
}

func (s *ship) click(user string, m *localdiscord.Message, label string) *localdiscord.Message {
	s.t.Helper()
	button, ok := m.Button(label)
	if !ok {
		s.t.Fatalf("no button %q on %s", label, m.Text())
	}
	reply, err := s.discord.Click(s.ctx, user, m.ID, button.CustomID)
	return s.answer(reply, err)
}

// after waits for a message in a channel with the given button that is newer than the message with the given id, and
// returns it.
func (s *ship) after(channel, id, button string) *localdiscord.Message {
	s.t.Helper()
	m, err := s.discord.WaitMessage(s.ctx, channel, localdiscord.Anne, func(m *localdiscord.Message) bool {
		_, has := m.Button(button)
		return has && m.EphemeralTo == "" && !m.Loading && (len(m.ID) > len(id) || len(m.ID) == len(id) && m.ID > id)
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// open opens a table that waits for one more player, and returns its card.
func (s *ship) open(user, channel string) *localdiscord.Message {
	s.t.Helper()
	s.command(user, channel, "play", localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("players", 2))
	return s.after(channel, "", "Join")
}

// play makes moves, each the first that the bot offers, and returns the message with the board after them.
func (s *ship) play(channel string, board *localdiscord.Message, moves int) *localdiscord.Message {
	s.t.Helper()
	for range moves {
		if len(board.Pinged) != 1 {
			s.t.Fatalf("a board calls %v: %s", board.Pinged, board.Text())
		}
		mover := board.Pinged[0]
		choices, err := s.discord.Autocomplete(s.ctx, mover, channel, "move", "move", localdiscord.Opt("move", ""))
		if err != nil || len(choices) == 0 {
			s.t.Fatalf("/move offers %v (%v)", choices, err)
		}
		if said := s.command(mover, channel, "move",
			localdiscord.Opt("move", choices[0].Value)).Text(); !strings.Contains(said, "Played:") {
			s.t.Fatalf("/move answers %q", said)
		}
		board = s.after(channel, board.ID, "Move")
	}
	return board
}

// Restoring a copy lets play continue after the data folder is lost. The operator and the channels are told what was
// lost. Buttons of messages from after the copy are refused, and users whose data was deleted after the copy stay
// deleted.
func TestDrill(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program that carries copies off is a shell script")
	}
	ctx, cancel := context.WithTimeout(t.Context(), drillTime)
	defer cancel()
	const (
		tables, tavern, harbour = localdiscord.TortugaTables, localdiscord.TortugaTavern, localdiscord.TortugaHarbour
		anne, jack, mary        = localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	)
	s := launch(t, ctx)
	// The bot may not open threads in these channels, so their tables are in the channels themselves.
	for _, channel := range []string{tables, tavern, harbour} {
		if err := s.discord.Admin.DenyBot(channel, localdiscord.PermissionCreatePublicThreads); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Dir(s.cfg.Data)
	away := filepath.Join(dir, "away")
	hook := filepath.Join(dir, "hook.sh")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\ncp \"$1\" '"+away+"/'\n"),
		0o700); err != nil {
		t.Fatal(err)
	}

	// One game is in play, and one table waits for a player.
	s.start()
	lobby := s.open(anne, tables)
	s.click(jack, lobby, "Join")
	board := s.play(tables, s.after(tables, lobby.ID, "Move"), 4)
	s.open(mary, tavern)
	s.stop()

	// The copy is made while a game is in play. The program of MARQUE_BACKUP_HOOK fails at first.
	s.cfg.Backups, s.cfg.BackupHook = filepath.Join(dir, "copies"), hook
	s.start()
	s.log.wait(t, ctx, "MARQUE_BACKUP_HOOK", 1)
	if err := os.Mkdir(away, 0o700); err != nil {
		t.Fatal(err)
	}

	// Two moves and a table are newer than the copy, and will be lost. A deletion is also newer, and must not be lost.
	lost := s.play(tables, board, 2)
	lostLobby := s.open(jack, harbour)
	page := s.command(mary, tables, "me privacy")
	s.click(mary, s.click(mary, page, "Delete my data"), "Yes, delete it")
	list, err := deletionsOf(s.cfg.Database(), s.cfg.Backups).list()
	if err != nil || len(list) != 1 || list[0].User != mary {
		t.Fatalf("the list of deletions has %v (%v)", list, err)
	}
	s.stop()

	env := settings(s.cfg.Data, "DISCORD_TOKEN="+s.cfg.Token.Reveal(), "MARQUE_BACKUPS="+s.cfg.Backups)
	try := func(code int, args ...string) string {
		t.Helper()
		got, out, errs := saidIn(t, env, args...)
		if got != code || strings.Count(errs, "\n") > 1 || strings.Contains(out+errs, s.cfg.Token.Reveal()) {
			t.Errorf("%v: exit code %d, want %d\n%s%s", args, got, code, out, errs)
		}
		return out + errs
	}
	copied, err := filepath.Glob(filepath.Join(s.cfg.Backups, "marque-*.db"))
	if err != nil || len(copied) == 0 { // there is a second copy if the hour has changed
		t.Fatalf("there are the copies %v (%v), want at least one", copied, err)
	}
	wantAll(t, try(1, "database", "restore", copied[0]), "move it away first")
	if err := os.RemoveAll(s.cfg.Data); err != nil {
		t.Fatal(err)
	}
	wantAll(t, try(1, "database", "restore", filepath.Join(dir, "none.db")), "there is no file")
	report := try(0, "database", "restore", copied[0])
	t.Log(report)
	wantAll(t, report, "is restored, and sound", "everything that happened after 20", "at 2 tables with a running game",
		"begin with number 1003", "1 user, deleted after the copy")
	wantAll(t, try(0, "database", "check"), "is sound")

	s.start()
	again := s.after(tables, lost.ID, "Move")
	t.Log(again.Text())
	wantAll(t, again.Text(), "restore my data from a backup", "is lost", "it's your turn")
	if _, err = s.discord.WaitMessage(ctx, tavern, anne, func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "restore my data from a backup")
	}); err != nil {
		t.Errorf("the table that waits is told nothing: %v", err)
	}
	if old := s.click(lost.Pinged[0], lost, "Move").Text(); !strings.Contains(old, "current one") {
		t.Errorf("a button of a board that is lost answers %q", old)
	}
	wantAll(t, s.click(anne, lostLobby, "Join").Text(), "I can't find table 3")
	s.play(tables, again, 4)

	// After the restart, the program of MARQUE_BACKUP_HOOK gets the copy and the list of deletions.
	s.log.wait(t, ctx, "level=INFO msg=ready", 3)
	s.stop()
	names, err := os.ReadDir(away)
	if err != nil || len(names) != 2 {
		t.Errorf("carried off are %v (%v), want the copy and the list", names, err)
	}
	store, err := openFile(t.Context(), s.cfg.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
		if heads, err := store.ByUser(ctx, mary, phase, 0, 10); err != nil || len(heads) > 0 {
			t.Errorf("after the restoration Mary is at %v (%v)", heads, err)
		}
	}
	if named, err := store.Naming(ctx, mary); err != nil || len(named) > 0 {
		t.Errorf("after the restoration Mary is named at %v (%v)", named, err)
	}
}
