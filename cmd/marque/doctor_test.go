package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/config"
	"marque/games/fair"
	"marque/storage"
	"marque/storage/storagetest"
)

// patient is a complete installation on a local Discord: a store with settings and tables, copies of it, and a hook.
type patient struct {
	discord *localdiscord.Server
	token   string // the bot's token; stays the same if discord revokes it
	cfg     config.Config
	dotenv  string // path of the file of settings
	spare   uint64 // free disk space in bytes that the doctor requires
	unread  error
	copied  string // path of the latest copy
	channel string // id of the channel in which the doctor tests posting; empty for none
	called  string // id of the role that is pinged when somebody seeks a game
	puzzles string // id of the channel with the puzzle of the day
}

// admit makes an installation without faults.
func admit(t *testing.T) *patient {
	t.Helper()
	discord := localdiscord.New(localdiscord.Options{Log: slog.New(slog.DiscardHandler),
		AnswerWithin: 2 * time.Minute})
	if err := discord.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { discord.Close() })
	dir := t.TempDir()
	p := &patient{discord: discord, token: discord.Token(), dotenv: filepath.Join(dir, ".env"), spare: 1,
		cfg: config.Config{
			Token: config.Secret(discord.Token()), Data: filepath.Join(dir, "data"),
			Backups:    filepath.Join(dir, "copies"),
			BackupHook: filepath.Join(dir, "hook.sh"), ShutdownTimeout: time.Second,
		}}
	if err := os.WriteFile(p.cfg.BackupHook, []byte("#!/bin/sh\nexit 0\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.cfg.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	store, err := openFile(t.Context(), p.cfg.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if p.called, err = discord.Admin.AddRole(localdiscord.Tortuga, "Crew", 0); err != nil {
		t.Fatal(err)
	}
	if err := discord.Admin.SetMentionable(localdiscord.Tortuga, p.called, true); err != nil {
		t.Fatal(err)
	}
	if p.puzzles, err = discord.Admin.AddChannel(localdiscord.Tortuga, "puzzles"); err != nil {
		t.Fatal(err)
	}
	settings := choices.Settings{Channels: []string{localdiscord.TortugaTables}, LogChannel: localdiscord.TortugaTavern,
		SeekChannel: localdiscord.TortugaTavern, SeekRole: p.called, PuzzleChannel: p.puzzles}
	if err := store.ChangeGuildSettings(t.Context(), localdiscord.Tortuga, storagetest.Set(settings)); err != nil {
		t.Fatal(err)
	}
	_, err = store.Create(t.Context(), storage.Change{
		Head: storage.Head{Version: 1, Game: "pirat", Guild: localdiscord.Tortuga,
			Channel: localdiscord.TortugaHarbour, Host: localdiscord.Anne, Events: 1},
		Detail: &storage.Detail{Seed: fair.Seed{1}},
		Events: []storage.Event{{Kind: storage.Opened, Version: 1, User: localdiscord.Anne, Text: "Anne"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	k := newCopies(store, p.cfg.Database(), p.cfg.Backups, slog.New(slog.DiscardHandler))
	if err := k.look(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	k.carrier = newCarrier(p.cfg.BackupHook, p.cfg.Database(), p.cfg.Backups)
	k.carryOff(t.Context())
	list, err := k.list()
	if err != nil || len(list) != 1 {
		t.Fatalf("there are the copies %v (%v)", list, err)
	}
	p.copied = filepath.Join(p.cfg.Backups, list[0].name)
	return p
}

// examine runs the doctor, and returns its lines by verdict: "ok", "note" or "wrong".
func (p *patient) examine(t *testing.T) (lines map[string][]string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	var out bytes.Buffer
	d := &doctor{cfg: p.cfg, client: p.discord.HTTPClient(), out: &out, dotenv: p.dotenv, spare: p.spare,
		channel: p.channel}
	err = d.examine(ctx, p.unread)
	t.Logf("%s%v", out.String(), err)
	for _, secret := range []string{p.token, "hush"} {
		if strings.Contains(fmt.Sprint(out.String(), err), secret) {
			t.Errorf("%q is in what the doctor says", secret)
		}
	}
	lines = map[string][]string{}
	for line := range strings.Lines(out.String()) {
		verdict, about, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || !slices.Contains([]string{"ok", "note", "wrong"}, verdict) || !strings.Contains(about, ": ") {
			t.Errorf("a line is %q", line)
		}
		lines[verdict] = append(lines[verdict], strings.TrimSpace(about))
	}
	if (err == nil) != (len(lines["wrong"]) == 0) {
		t.Errorf("with %d wrong the error is %v", len(lines["wrong"]), err)
	}
	return lines, err
}

// change changes the bbolt file of a store directly.
func change(t *testing.T, file string, f func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(file, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(f), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// damage flips a bit of a value in the file of a store.
func damage(t *testing.T, file string) {
	t.Helper()
	change(t, file, func(tx *bbolt.Tx) error {
		k, v := tx.Bucket([]byte("details")).Cursor().First()
		v = slices.Clone(v)
		v[len(v)/2] ^= 1
		return tx.Bucket([]byte("details")).Put(k, v)
	})
}

// rename names the latest copy as if it were made at the given time. The suffix tells whether the copy is sound. rename
// also records the copy as passed to the hook.
func (p *patient) rename(t *testing.T, at time.Time, suffix string) {
	t.Helper()
	name := "marque-" + at.UTC().Format(backupTime) + suffix
	if err := os.Rename(p.copied, filepath.Join(p.cfg.Backups, name)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.cfg.Backups, "marque-carried.json"), fmt.Appendf(nil, `{"copy": %q}`, name),
		0o600); err != nil {
		t.Fatal(err)
	}
}

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The doctor reports each fault with its remedy, and no other fault. The command fails only if there is a fault. No
// line contains the token.
func TestDoctor(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the hook is a shell script, and files have modes")
	}
	const (
		tables, tavern, harbour = localdiscord.TortugaTables, localdiscord.TortugaTavern, localdiscord.TortugaHarbour
		application             = `{"id": "` + localdiscord.Application +
			`", "name": "marque", "description": "", "bot_public": true, "bot_require_code_grant": false, "verify_key": "0", "flags": 0, "icon": null}`
	)
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, p *patient)
		// Each string stands for one line about a fault: its beginning and, after "…", texts that it contains. No other
		// lines report faults.
		wrong []string
		note  []string
	}{
		{name: "nothing", spoil: func(*testing.T, *patient) {}},
		{name: "configuration", wrong: []string{"configuration: …MARQUE_LOG_LEVEL should be"},
			spoil: func(t *testing.T, p *patient) {
				must(t, os.WriteFile(p.dotenv, []byte("MARQUE_LOG_LEVEL=loud\n"), 0o600))
				_, p.unread = config.Load(p.dotenv, nil)
			}},
		{name: "misspelt setting", note: []string{"configuration: …MARQUE_BACKUP: look whether"},
			spoil: func(_ *testing.T, p *patient) {
				p.cfg.Unknown = []string{"MARQUE_BACKUP"}
			}},
		{name: "token", wrong: []string{"token: …copy it again"},
			spoil: func(_ *testing.T, p *patient) { p.discord.RevokeToken() }},
		{name: "page of a bot that does not run", note: []string{"page: …the bot serves none at 127.0.0.1:1 just now"},
			spoil: func(_ *testing.T, p *patient) { p.cfg.Web, p.cfg.WebURL = "127.0.0.1:1", "http://127.0.0.1:1" }},
		{name: "page that something else answers", wrong: []string{"page: …something else answers there"},
			spoil: func(t *testing.T, p *patient) {
				other := httptest.NewServer(http.NotFoundHandler())
				t.Cleanup(other.Close)
				p.cfg.Web, p.cfg.WebURL = other.Listener.Addr().String(), other.URL
			}},
		{name: "no token", note: []string{"token: …DISCORD_TOKEN"}, spoil: func(t *testing.T, p *patient) {
			p.cfg.Token = ""
			p.cfg.Backups, p.cfg.BackupHook = "", ""
		}},
		{name: "servers alone",
			note: []string{"installation: …User Install with the scope applications.commands…/applications/" +
				localdiscord.Application + "/installation"}, spoil: func(_ *testing.T, p *patient) {
				p.discord.AddFault(localdiscord.Fault{Path: "/oauth2/applications/@me", Status: http.StatusOK,
					Body: strings.Replace(application, "{", `{"integration_types_config": {"0": {}}, `, 1)})
			}},
		{name: "installation unknown", note: []string{"installation: …does not say"},
			spoil: func(_ *testing.T, p *patient) {
				p.discord.AddFault(localdiscord.Fault{Path: "/oauth2/applications/@me", Status: http.StatusOK,
					Body: application})
			}},
		{name: "intents", wrong: []string{"intents: …does not allow the bot the intents"}, spoil: func(_ *testing.T, p *patient) { p.discord.Gateway.RefuseIdentify(4014) }},
		{name: "number of shards", wrong: []string{"number of shards: …MARQUE_SHARDS is 40…multiples of 32 alone…set it to 64"},
			spoil: func(_ *testing.T, p *patient) {
				p.cfg.Shards = 40
				p.discord.AddFault(localdiscord.Fault{Path: "/gateway/bot", Status: http.StatusOK,
					Body: `{"shards": 32, "session_start_limit": {"total": 1000, "remaining": 999, "max_concurrency": 16}}`})
			}},
		{name: "sessions", wrong: []string{"sessions: …of 1000 for a day, 94 are left…another process"},
			spoil: func(_ *testing.T, p *patient) { p.discord.Gateway.Spend(906) }},
		{name: "fewer shards", note: []string{"number of shards: …MARQUE_SHARDS is 1…advises 3"},
			spoil: func(_ *testing.T, p *patient) {
				p.cfg.Shards = 1
				p.discord.AddFault(localdiscord.Fault{Path: "/gateway/bot", Status: http.StatusOK, Times: 1,
					Body: `{"shards": 3, "session_start_limit": {"total": 1000, "remaining": 999, "max_concurrency": 1}}`})
			}},
		{name: "permission for tables", wrong: []string{"permissions: …channel " + tables +
			" …give it Create Public Threads, Attach Files"}, spoil: func(t *testing.T, p *patient) {
			must(t, p.discord.Admin.DenyBot(tables,
				localdiscord.PermissionAttachFiles|localdiscord.PermissionCreatePublicThreads))
		}},
		{name: "permission for the log", wrong: []string{"permissions: …channel " + tavern + " …give it View Channels"},
			spoil: func(t *testing.T, p *patient) {
				must(t, p.discord.Admin.DenyBot(tavern,
					localdiscord.PermissionViewChannel|localdiscord.PermissionAttachFiles))
			}},
		{name: "permission for puzzles", wrong: []string{"permissions: …channel … …give it Attach Files"},
			spoil: func(t *testing.T, p *patient) {
				must(t, p.discord.Admin.DenyBot(p.puzzles, localdiscord.PermissionAttachFiles))
			}},
		{name: "permission at a table", wrong: []string{"permissions: …channel " + harbour + " …give it Send Messages"},
			spoil: func(t *testing.T, p *patient) {
				must(t, p.discord.Admin.DenyBot(harbour, localdiscord.PermissionSendMessages))
			}},
		{name: "channel of the log gone", wrong: []string{"permissions: …channel " + tavern +
			" …is gone…/server settings"}, spoil: func(t *testing.T, p *patient) {
			must(t, p.discord.Admin.DeleteChannel(tavern))
		}},
		{name: "channel of a table gone", note: []string{"permissions: …channel " + harbour + " …is gone…/table here"},
			spoil: func(t *testing.T, p *patient) {
				must(t, p.discord.Admin.DeleteChannel(harbour))
			}},
		{name: "role that is called in vain", wrong: []string{"permissions: …nobody is told…in channel " + tavern},
			spoil: func(t *testing.T, p *patient) {
				must(t, p.discord.Admin.SetMentionable(localdiscord.Tortuga, p.called, false))
			}},
		{name: "server left", note: []string{"permissions: …not on server " + localdiscord.Tortuga},
			spoil: func(t *testing.T, p *patient) {
				must(t, p.discord.Admin.KickBot(localdiscord.Tortuga))
			}},
		{name: "clock", wrong: []string{"clock: …ahead of Discord's…timedatectl"},
			spoil: func(_ *testing.T, p *patient) {
				p.discord.AddFault(localdiscord.Fault{Path: "/oauth2/applications/@me", Status: http.StatusOK,
					Body:   application,
					Header: http.Header{"Date": {time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)}}})
			}},
		{name: "clock behind", wrong: []string{"clock: …behind Discord's"}, spoil: func(_ *testing.T, p *patient) {
			p.discord.AddFault(localdiscord.Fault{Path: "/oauth2/applications/@me", Status: http.StatusOK,
				Body:   application,
				Header: http.Header{"Date": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)}}})
		}},
		{name: "no room", wrong: []string{"data folder: …make room", "backups' folder: …make room"}, spoil: func(_ *testing.T, p *patient) { p.spare = 1 << 60 }},
		{name: "data folder below a file", wrong: []string{"data folder: …no file can be made",
			"database: …not a directory"}, note: []string{"permissions: …not looked at"},
			spoil: func(t *testing.T, p *patient) {
				must(t, os.WriteFile(p.dotenv, nil, 0o600))
				p.cfg.Data = filepath.Join(p.dotenv, "data")
			}},
		{name: "open folder", wrong: []string{"file permissions: …chmod 700"}, spoil: func(t *testing.T, p *patient) { must(t, os.Chmod(p.cfg.Data, 0o755)) }},
		{name: "open settings", wrong: []string{"file permissions: …chmod 600"}, spoil: func(t *testing.T, p *patient) { must(t, os.WriteFile(p.dotenv, nil, 0o644)) }},
		{name: "no database", note: []string{"database: …the first start makes it", "permissions: …not looked at"}, spoil: func(t *testing.T, p *patient) { must(t, os.Remove(p.cfg.Database())) }},
		{name: "database damaged", wrong: []string{"database: …is damaged, 1 fault…database repair"},
			note: []string{"permissions: …not looked at"}, spoil: func(t *testing.T, p *patient) {
				damage(t, p.cfg.Database())
			}},
		{name: "no database at all", wrong: []string{"database: …is damaged (invalid database)"},
			note: []string{"permissions: …not looked at"}, spoil: func(t *testing.T, p *patient) {
				must(t, os.WriteFile(p.cfg.Database(), bytes.Repeat([]byte("rum"), 1<<15), 0o600))
			}},
		{name: "database of another program", wrong: []string{"database: …some other program's"},
			note: []string{"permissions: …not looked at"}, spoil: func(t *testing.T, p *patient) {
				must(t, os.Remove(p.cfg.Database()))
				change(t, p.cfg.Database(), func(tx *bbolt.Tx) error {
					_,
						err := tx.CreateBucket([]byte("rum"))
					return err
				})
			}},
		{name: "newer database", wrong: []string{"database: …newer version (schema 99"},
			note: []string{"permissions: …not looked at"}, spoil: func(t *testing.T, p *patient) {
				change(t, p.cfg.Database(), func(tx *bbolt.Tx) error {
					return tx.Bucket([]byte("meta")).Put([]byte("format"), binary.BigEndian.AppendUint32(nil, 99))
				})
			}},
		{name: "server of databases", wrong: []string{"database: …127.0.0.1"},
			note: []string{"permissions: …not looked at"}, spoil: func(_ *testing.T, p *patient) {
				p.cfg.DatabaseURL = "postgres://marque:hush%20hush@127.0.0.1:1/marque?sslmode=disable&connect_timeout=5"
			}},
		{name: "older database", wrong: []string{"database: …before the first release"},
			note: []string{"permissions: …not looked at"}, spoil: func(t *testing.T, p *patient) {
				change(t, p.cfg.Database(), func(tx *bbolt.Tx) error {
					meta := tx.Bucket([]byte("meta"))
					return errors.Join(meta.Delete([]byte("format")), meta.Put([]byte("schema"), []byte{0, 0, 0, 1}))
				})
			}},
		{name: "database in use", note: []string{"database: …a bot that runs has"},
			spoil: func(t *testing.T, p *patient) {
				store, err := openFile(t.Context(), p.cfg.Database())
				must(t, err)
				t.Cleanup(func() { store.Close() })
			}},
		{name: "no backups", note: []string{"backups: …MARQUE_BACKUPS"}, spoil: func(_ *testing.T, p *patient) { p.cfg.Backups, p.cfg.BackupHook = "", "" }},
		{name: "backups' folder gone", wrong: []string{"backups: …there is none"},
			note: []string{"backups' hook: …no copy yet"}, spoil: func(t *testing.T, p *patient) {
				must(t, os.RemoveAll(p.cfg.Backups))
			}},
		{name: "backup old", wrong: []string{"backups: …is 72 hours old"}, spoil: func(t *testing.T, p *patient) { p.rename(t, time.Now().Add(-72*time.Hour), backupSuffix) }},
		{name: "backup broken", wrong: []string{"backups: …is not sound…remove it"}, spoil: func(t *testing.T, p *patient) { damage(t, p.copied) }},
		{name: "backup cut short", wrong: []string{"backups: …is not sound…remove it"}, spoil: func(t *testing.T, p *patient) { must(t, os.Truncate(p.copied, 5000)) }},
		{name: "backup of a damaged database", wrong: []string{"backups: …database repair"},
			note: []string{"backups' hook: …no copy yet"}, spoil: func(t *testing.T, p *patient) {
				damage(t, p.copied)
				p.rename(t, time.Now(), damagedSuffix)
			}},
		{name: "list of deletions", wrong: []string{"backups: …marque-deletions.json cannot be read"},
			spoil: func(t *testing.T, p *patient) {
				must(t, os.WriteFile(filepath.Join(p.cfg.Backups, "marque-deletions.json"), []byte("{"), 0o600))
			}},
		{name: "hook gone", wrong: []string{"backups' hook: …cannot be run"}, spoil: func(t *testing.T, p *patient) { must(t, os.Remove(p.cfg.BackupHook)) }},
		{name: "hook that failed", wrong: []string{"backups' hook: …has not carried off"},
			spoil: func(t *testing.T, p *patient) {
				must(t, os.Remove(filepath.Join(p.cfg.Backups, "marque-carried.json")))
			}},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			p := admit(t)
			tt.spoil(t, p)
			lines, _ := p.examine(t)
			for verdict, want := range map[string][]string{"wrong": tt.wrong, "note": tt.note} {
				got := lines[verdict]
				for _, w := range want {
					parts := strings.Split(w, "…")
					i := slices.IndexFunc(got, func(line string) bool {
						return strings.HasPrefix(line, parts[0]) && holdsInOrder(line, parts)
					})
					if i < 0 {
						t.Errorf("no %s is %q: %q", verdict, w, got)
						continue
					}
					got = slices.Delete(slices.Clone(got), i, i+1)
				}
				if verdict == "wrong" && len(got) > 0 {
					t.Errorf("also wrong is %q", got)
				}
			}
		})
	}
}

// holdsInOrder reports whether a line has all parts, one after another.
func holdsInOrder(line string, parts []string) bool {
	for _, part := range parts {
		_, after, ok := strings.Cut(line, part)
		if !ok {
			return false
		}
		line = after
	}
	return true
}

// The exit code tells a script whether there is a fault. A sound installation without a token has none.
func TestTheDoctorsExitCode(t *testing.T) {
	t.Chdir(t.TempDir())
	env := settings("data")
	if code, out, errs := saidIn(t, env, "doctor"); code != 0 || errs != "" {
		t.Errorf("nothing is wrong, and the exit code is %d:\n%s%s", code, out, errs)
	}
	env = append(env, "MARQUE_LOG_FORMAT=xml")
	if code, out, errs := saidIn(t, env, "doctor"); code != 1 || !strings.Contains(errs, "1 thing wrong") ||
		!strings.Contains(out, "text or json") {
		t.Errorf("the configuration is wrong, and the exit code is %d:\n%s%s", code, out, errs)
	}
}

// The doctor tests each step of posting boards in a channel, reports whether it works, and leaves no message behind.
func TestDoctorTriesInteractionPosts(t *testing.T) {
	t.Parallel()
	all := []string{"the click is answered by a deferred update", "a second message is posted with the click's token",
		"it pings who is named",
		"it has lost its button", "the second message is edited with the bot's token",
		"the first message is deleted with the click's token"}
	for _, tc := range []struct {
		name  string
		fault *localdiscord.Fault
		holds int // number of steps that should work
		wrong string
	}{
		{"all holds", nil, len(all), ""},
		{"no second message", &localdiscord.Fault{Method: "POST", Path: "/webhooks/", Status: 403, Body: `{"code":50013,"message":"Missing Permissions"}`}, 1, "posted with the click's token: it does not hold"},
		{"no edit", &localdiscord.Fault{Method: "PATCH", Path: "/webhooks/", Status: 404, Body: `{"code":10008,"message":"Unknown Message"}`}, 3, "edited with the click's token: it does not hold"},
		{"the bot runs", &localdiscord.Fault{Method: "POST", Path: "/callback", Status: 400, Body: `{"code":40060,"message":"Interaction has already been acknowledged."}`}, 0, "stop the bot"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := admit(t)
			p.channel = localdiscord.TortugaHarbour
			if tc.fault != nil {
				p.discord.AddFault(*tc.fault)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			pressed := make(chan error, 1)
			go func() {
				m, err := p.discord.WaitMessage(ctx, p.channel, localdiscord.Anne,
					func(m *localdiscord.Message) bool { _, ok := m.Button("Press me"); return ok })
				if err == nil {
					button, _ := m.Button("Press me")
					_, err = p.discord.Click(ctx, localdiscord.Anne, m.ID, button.CustomID)
				}
				pressed <- err
			}()
			lines, _ := p.examine(t)
			if tc.holds == 0 {
				cancel() // otherwise the click would wait for an answer forever
			}
			if err := <-pressed; err != nil && tc.holds > 0 {
				t.Error(err)
			}
			fine, wrong := strings.Join(lines["ok"], "\n"), strings.Join(lines["wrong"], "\n")
			for n, what := range all {
				if strings.Contains(fine, "interaction posts: "+what) != (n < tc.holds) {
					t.Errorf("that %q is said, or is not, and should be the first %d", what, tc.holds)
				}
			}
			if !strings.Contains(wrong, tc.wrong) || tc.wrong == "" && wrong != "" {
				t.Errorf("wrong is %q, want %q", wrong, tc.wrong)
			}
			if left := p.discord.Messages(p.channel, localdiscord.Anne); len(left) != 0 {
				t.Errorf("%d messages are left in the channel", len(left))
			}
		})
	}
}
