package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// shelf returns an open store, a table service on it, and the folder of the database.
func shelf(t *testing.T) (keeper, *table.Service, string) {
	t.Helper()
	dir := t.TempDir()
	store, err := openFile(t.Context(), filepath.Join(dir, "local.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store, table.New(table.Config{Store: store, Games: catalog.Find, Log: slog.New(slog.DiscardHandler),
		NewSeed: func() fair.Seed { return fair.Seed{1, 2, 3, 31: 9} }}), dir
}

// captains are two players. The name of one contains an escape sequence for terminals.
var captains = []table.Actor{{User: "1001", Name: text.NewName("Anne \x1b[31mBonny")},
	{User: "1002", Name: text.NewName("Calico Jack")}}

// begin opens a table of two players and plays the given number of moves, each the first legal one.
func begin(t *testing.T, svc *table.Service, game string, moves int) *table.Snapshot {
	t.Helper()
	ctx := t.Context()
	by := func(i int, key string) table.Actor {
		a := captains[i]
		a.Key = key
		return a
	}
	snap, err := svc.Open(ctx, by(0, game+"-open"), table.Opening{Game: game, Seats: 2, Guild: "2001", Channel: "3001",
		WhenFull: true, Fixed: true})
	if err != nil {
		t.Fatal(err)
	}
	if snap, err = svc.Join(ctx, by(1, game+"-join"), snap.ID); err != nil {
		t.Fatal(err)
	}
	for range moves {
		view := snap.View(snap.ToMove).State
		if snap, err = svc.Move(ctx, by(int(snap.ToMove), ""), snap.ID, games.Spell(view, view.Moves()[0]),
			0); err != nil {
			t.Fatal(err)
		}
	}
	return snap
}

func wantAll(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("no %q in\n%s", w, out)
		}
	}
}

// "marque table show" prints a table's state with ids, but without names, seed and hidden parts of a game in play. It
// works while a bot is running. With --names it prints the names, without escape sequences.
func TestTableShowTellsNothingHidden(t *testing.T) {
	t.Parallel()
	store, svc, data := shelf(t)
	snap := begin(t, svc, "pirat", 5)
	stored, err := store.Load(t.Context(), snap.ID)
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := saidIn(t, settings(data), "table", "show", "1", "--events")
	if code != 0 || errs != "" {
		t.Fatalf("table show: %d, %q", code, errs)
	}
	wantAll(t, out, "table 1: pirat, version", "playing since", "server 2001, channel 3001, opened by 1001",
		"seat 0     user 1001\n", "seat 1     user 1002\n",
		"to move    seat "+storage.ID(snap.ToMove).String(), "published  up to version 0 of",
		"the log leads to the stored position",
		"user 1001: opened", "played "+storage.Log(stored.Events)[12].Text, "(not told yet)")
	for _, secret := range []string{"Anne", "Calico", "\x1b", stored.Detail.Seed.Reveal(), stored.Head.Digest} {
		if strings.Contains(out, secret) {
			t.Errorf("%q is in\n%s", secret, out)
		}
	}
	hidden := 0
	for i, e := range stored.Events {
		if e.Kind != storage.Drew {
			continue
		}
		line := ""
		for l := range strings.Lines(out) {
			if strings.HasPrefix(strings.TrimSpace(l), storage.ID(i).String()+"  ") {
				line = l
			}
		}
		if line == "" || strings.Contains(line, " "+e.Text) {
			t.Errorf("event %d, %s, is shown as %q", i, e.Text, line)
		}
		hidden++
	}
	if hidden < 12 {
		t.Errorf("only %d cards were drawn: nothing was hidden", hidden)
	}
	if _, out, _ = saidIn(t, settings(data), "table", "show", "1", "--names"); !strings.Contains(out,
		`user 1001 "Anne [31mBonny"`) {
		t.Errorf("with names:\n%s", out)
	}
}

// "marque table show" says why a table does not respond: it is paused, its messages could not be sent, its log cannot
// be replayed from some event on or leads to another position, or it was played by another version of the rules.
func TestTableShowSaysWhyATableIsSilent(t *testing.T) {
	t.Parallel()
	store, svc, data := shelf(t)
	begin(t, svc, "loyal-captain", 3)
	if _, err := svc.PauseFor(t.Context(), 1, storage.PausedChannelGone); err != nil {
		t.Fatal(err)
	}
	_, out, _ := saidIn(t, settings(data), "table", "show", "1")
	wantAll(t, out, "paused     its channel or thread is gone", "published  up to version 0 of",
		"the log leads to the stored position")

	for _, game := range []string{"pirat", "madagascar"} {
		snap := begin(t, svc, game, 2)
		h := snap.Head
		h.Version, h.Events, h.Plays, h.Due = h.Version+1, h.Events+1, h.Plays+1,
			[]storage.Due{{Kind: "remind", At: storage.At(time.Now().Add(time.Hour))}}
		h.Retry = storage.PublishRetry{Tries: 3, At: storage.At(time.Now().Add(time.Hour))}
		wrong := storage.Event{Kind: storage.Played, Version: h.Version, At: storage.At(time.Now()), Seat: h.ToMove,
			Text: "launch 99"}
		if err := store.Commit(t.Context(), storage.Change{Head: h, Events: []storage.Event{wrong}}); err != nil {
			t.Fatal(err)
		}
		code, out, _ := saidIn(t, settings(data), "table", "show", h.ID.String(), "--events")
		if code != 0 {
			t.Errorf("table show of a frozen table: %d", code)
		}
		wantAll(t, out, "frozen     play "+storage.ID(h.Plays).String()+" of the log (event "+
			storage.ID(h.Events-1).String()+", played, by seat",
			"tried 3 times, next", "the seat to move is reminded",
			"(not shown: it cannot be told whether it is hidden)")
		if strings.Contains(out, "launch 99") {
			t.Errorf("a play that the rules do not know is shown:\n%s", out)
		}
	}
	h, err := store.Head(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	h.Version, h.Digest = h.Version+1, "0123"
	if err := store.Commit(t.Context(), storage.Change{Head: h}); err != nil {
		t.Fatal(err)
	}
	_, out, _ = saidIn(t, settings(data), "table", "show", "1")
	wantAll(t, out, "frozen     the log leads to position", "stored is 0123 after 3")

	// This table was stored under another version of the rules, so its game would continue differently.
	snap := begin(t, svc, "freebooter", 2)
	stored, err := store.Load(t.Context(), snap.ID)
	if err != nil {
		t.Fatal(err)
	}
	stored.Head.Version++
	stored.Detail.Rules += 7
	if err := store.Commit(t.Context(), storage.Change{Head: stored.Head, Detail: &stored.Detail}); err != nil {
		t.Fatal(err)
	}
	_, out, _ = saidIn(t, settings(data), "table", "show", snap.ID.String(), "--events")
	wantAll(t, out,
		fmt.Sprintf(
			"frozen     played by version %d of the rules, here is version %d; nothing can be done at the table until that is mended",
			stored.Detail.Rules, stored.Detail.Rules-7))
}

func TestTableShowSaysInOneSentenceWhatIsWrong(t *testing.T) {
	t.Parallel()
	store, svc, data := shelf(t)
	begin(t, svc, "loyal-captain", 0)
	for _, tc := range []struct {
		want string
		args []string
	}{
		{`"0" isn't a table number`, []string{"0"}},
		{`"first" isn't a table number`, []string{"first"}},
		{"there is no table 7 in", []string{"7"}},
		{"there is no file", []string{"1", "--file", filepath.Join(data, "nowhere.db")}},
		{"this is a folder", []string{"1", "--file", data}},
		{"damaged", []string{"1", "--file", filepath.Join(data, "text.db")}},
	} {
		if err := os.WriteFile(filepath.Join(data, "text.db"), []byte(strings.Repeat("damaged ", 4096)),
			0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := saidIn(t, settings(data), append([]string{"table", "show"}, tc.args...)...)
		if code != 1 || out != "" || !strings.Contains(errs, tc.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("table show %v: %d, %q, %q; want a sentence with %q", tc.args, code, out, errs, tc.want)
		}
	}
	copied := filepath.Join(data, "copy.db")
	if _, _, _, err := copyFile(t.Context(), store, data, func(error) string { return "copy.db" }); err != nil {
		t.Fatal(err)
	}
	code, out, errs := saidIn(t, settings(data), "table", "show", "1", "--file", copied)
	if code != 0 || !strings.Contains(out, "table 1: loyal-captain") {
		t.Errorf("table show of a copy: %d, %q, %q", code, out, errs)
	}
	code, _, errs = saidIn(t, settings(filepath.Join(data, "elsewhere")), "table", "show", "1")
	if code != 1 || !strings.Contains(errs, "there is no database") {
		t.Errorf("table show without a database: %d, %q", code, errs)
	}
}

func TestEveryKindOfEventHasAName(t *testing.T) {
	t.Parallel()
	for k := storage.Kind(1); k.Known(); k++ {
		if kindNames[k] == "" {
			t.Errorf("events of kind %d have no name", k)
		}
	}
}

// "marque table show" has a sentence for every kind of due work in the source of bot/table.
func TestEveryKindOfDueWorkHasASentence(t *testing.T) {
	t.Parallel()
	kinds := regexp.MustCompile(`\bdue[A-Z]\w* *= "(\w+)"`).FindAllStringSubmatch(
		projectFile(t, "bot", "table", "schedule.go"), -1)
	if len(kinds) == 0 {
		t.Fatal("no kinds of due work found")
	}
	for _, k := range kinds {
		if dueNames[k[1]] == "" {
			t.Errorf("due work of kind %q has no sentence", k[1])
		}
	}
}
