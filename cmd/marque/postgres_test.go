//go:build unix

package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/config"
	"marque/storage/kv"
	"marque/storage/kv/postgres/postgrestest"
)

// A bot can move from a file to a database server, where its games continue, and its database can be moved back to a
// file. While the server is down, players are told so, and the bot reconnects automatically. No log and no output of a
// command contains the password.
func TestFromAFileToAServerAndBack(t *testing.T) {
	t.Parallel()
	srv := postgrestest.Start(t)
	for _, sql := range []string{"CREATE ROLE marque LOGIN PASSWORD 'a long one';",
		"CREATE DATABASE marque OWNER marque ENCODING 'UTF8' TEMPLATE template0;"} {
		if err := srv.Exec("postgres", sql); err != nil {
			t.Fatal(err)
		}
	}
	url := srv.URLOf("marque", "a long one", "marque")
	hidden := func(text string) bool {
		return !strings.Contains(text, "a long one") && !strings.Contains(text, "a%20long")
	}
	ctx, cancel := context.WithTimeout(t.Context(), drillTime)
	defer cancel()
	const tables, anne, jack = localdiscord.TortugaTables, localdiscord.Anne, localdiscord.Jack
	s := launch(t, ctx)
	if err := s.discord.Admin.DenyBot(tables, localdiscord.PermissionCreatePublicThreads); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(s.cfg.Data)
	env := settings(s.cfg.Data, "DISCORD_TOKEN="+s.cfg.Token.Reveal())
	try := func(code int, want string, args ...string) {
		t.Helper()
		got, out, errs := saidIn(t, env, args...)
		t.Log(args[:2], strings.TrimSpace(out+errs))
		if got != code || !strings.Contains(out+errs, want) || strings.Count(errs, "\n") > 1 || !hidden(out+errs) {
			t.Errorf("%v: exit code %d, want %d, and %q\n%s%s", args, got, code, want, out, errs)
		}
	}

	s.start()
	lobby := s.open(anne, tables)
	s.click(jack, lobby, "Join")
	board := s.play(tables, s.after(tables, lobby.ID, "Move"), 2)
	s.stop()

	file, copied := s.cfg.Database(), filepath.Join(dir, "copy.db")
	try(0, "1 table", "database", "move", "--from", file, "--to", url)
	try(1, "is not empty", "database", "move", "--from", file, "--to", url)
	try(1, "there is no file", "database", "move", "--from", file+".none", "--to", url)
	env = append(env, "MARQUE_DATABASE="+url)
	s.cfg.DatabaseURL = config.Secret(url)
	s.start()
	board = s.play(tables, board, 2)
	try(0, "is sound", "database", "check")
	try(0, "copy.db", "database", "backup", copied)
	try(0, "table 1:", "table", "show", "1")
	try(1, "is for database files", "database", "compact")

	mover := board.Pinged[0]
	choices, err := s.discord.Autocomplete(ctx, mover, tables, "move", "move", localdiscord.Opt("move", ""))
	if err != nil || len(choices) == 0 {
		t.Fatalf("/move offers %v (%v)", choices, err)
	}
	srv.Kill()
	// An idle connection does not notice immediately that the server is gone. The first answer may therefore be that it
	// is unknown whether the move counted.
	for try, want := range []string{"my database", "Nothing has changed: I can't reach my database"} {
		if told := s.command(mover, tables, "move",
			localdiscord.Opt("move", choices[0].Value)).Text(); !strings.Contains(told, want) {
			t.Errorf("while the database is away, try %d of a move is answered %q", try+1, told)
		}
	}
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	s.play(tables, board, 2)
	s.stop()

	back := filepath.Join(dir, "back.db")
	try(0, "1 table", "database", "move", "--from", url, "--to", back)
	try(1, "back.db", "database", "move", "--from", url, "--to", back)
	s.cfg.DatabaseURL = ""
	s.cfg.Data = filepath.Join(dir, "second")
	env = settings(s.cfg.Data, "DISCORD_TOKEN="+s.cfg.Token.Reveal())
	try(0, "is restored", "database", "restore", copied) // a copy of a PostgreSQL database is a database file
	try(0, "is sound", "database", "check")
	if log := s.log.wait(t, ctx, "", 0); !hidden(log) {
		t.Errorf("the password is in the log:\n%s", log)
	}
}

// The doctor reports how many shards each process serves, and how many no process serves.
func TestTheDoctorLooksForShardsThatNobodyServes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url, err := postgrestest.Start(t).Database()
	if err != nil {
		t.Fatal(err)
	}
	store, err := openServer(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	look := func(wrong int, want string) {
		t.Helper()
		var out strings.Builder
		d := &doctor{cfg: config.Config{DatabaseURL: config.Secret(url)}, out: &out}
		if !d.server(ctx) || d.wrong != wrong || !strings.Contains(out.String(), want) {
			t.Errorf("%d are wrong, want %d, and %q in\n%s", d.wrong, wrong, want, &out)
		}
	}
	renew := func(process string) {
		t.Helper()
		if _, err := store.engine.(kv.Leases).Renew(ctx, process, 3, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	claim := func(process string, shard int, life time.Duration) {
		t.Helper()
		if _, err := store.engine.(kv.Leases).Claim(ctx, process, shard, life); err != nil {
			t.Fatal(err)
		}
	}
	look(0, "no process of a bot lives")
	renew("a")
	renew("b")
	claim("a", 0, time.Hour)
	claim("b", 1, time.Hour)
	look(1, "nobody serves 1 of 3, and the processes that live have 1, 1 of them")
	claim("b", 2, time.Hour)
	look(0, "each of 3 is served; the processes that live have 1, 2 of them")
	if err := store.engine.(kv.Leases).Leave(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	look(1, "nobody serves 2 of 3, and the processes that live have 1 of them")
	claim("a", 1, time.Hour)
	claim("a", 2, 0) // the lease expires immediately
	look(1, "nobody serves 1 of 3")
}
