package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"marque/storage/kv/postgres/postgrestest"
)

// The command plays at some tables while other tables wait, and counts and times the moves. It refuses impossible
// arguments.
func TestLoad(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var out, errs strings.Builder
	code := run(t.Context(), strings.Fields("load --servers 2 --players 2 --tables 30 --minutes 0.02 --idle 0s"),
		streams{nil, &out, &errs})
	if code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	wantAll(t, out.String(), "2 pairs on 2 servers at loyal-captain, 30 tables that wait", "load  heap ", "p50 ",
		"p99 ", "after three seconds", "store ")
	found := regexp.MustCompile(`moves (\d+),`).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatalf("no moves in\n%s", out.String())
	}
	if n, err := strconv.Atoi(found[1]); err != nil || n < 1 {
		t.Errorf("%d moves, %v", n, err)
	}
	if said := errs.String(); strings.Contains(said, "level=") {
		t.Errorf("the bot warns under the load:\n%s", said)
	}
	out.Reset()
	code = run(t.Context(), strings.Fields("load --servers 3 --rush --idle 0s"), streams{nil, &out, &errs})
	if code != 0 {
		t.Errorf("a rush: exit code %d\n%s%s", code, out.String(), errs.String())
	}
	wantAll(t, out.String(), "moves 3,", "first answers 3,", "refused with 429", "were promises, and kept")
	for args, want := range map[string]string{
		"load --players 3": "players in pairs", "load --game whist": "no game \"whist\"",
		"load --servers 0": "a server at least",
	} {
		errs.Reset()
		if code := run(t.Context(), strings.Fields(args), streams{nil, &out, &errs}); code != 1 ||
			!strings.Contains(errs.String(), want) {
			t.Errorf("%s: %d %q, want %q", args, code, errs.String(), want)
		}
	}
}

// The load test can also run on a database server. It refuses a database that already has games.
func TestLoadInADatabaseServer(t *testing.T) {
	srv := postgrestest.Start(t)
	url, err := srv.Database()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	args := append(strings.Fields("load --tables 3 --minutes 0.01 --idle 0s --database"), url)
	var out, errs strings.Builder
	if code := run(t.Context(), args, streams{nil, &out, &errs}); code != 0 {
		t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	wantAll(t, out.String(), "3 tables that wait", "moves ", "store ")
	errs.Reset()
	if code := run(t.Context(), args, streams{nil, &out, &errs}); code != 1 || !strings.Contains(errs.String(),
		"name an empty database") {
		t.Errorf("in a database with games: %d %q", code, errs.String())
	}
	if strings.Contains(errs.String(), postgrestest.Password) {
		t.Errorf("the password is said: %s", errs.String())
	}
}
