package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"marque/bot/privacy"
	"marque/bot/servers"
	"marque/bot/table"
	"marque/games/catalog"
	"marque/storage"
	"marque/storage/storagetest"
)

// An id stays on the list of deletions until all copies are newer than the deletion.
func TestTheListOfDeletionsIsPruned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, database, folder := harbour(t)
		defer store.Close()
		stop := keepCopies(store, database, folder, false, true, slog.New(slog.DiscardHandler))
		defer func() { stop() }()
		time.Sleep(10 * 24 * time.Hour)
		synctest.Wait()
		deleted := storage.At(time.Now())
		for _, e := range []deletion{{User: "ann", At: deleted}, {Guild: "g", At: deleted}} {
			must(t, deletionsOf(database, folder).add(e))
		}
		if err := os.WriteFile(filepath.Join(folder, ".marque-list-1"), []byte("cut short"), 0o600); err != nil {
			t.Fatal(err)
		}
		gone := 0
		for day := 1; day <= 60; day++ {
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			list, err := deletionsOf(database, folder).list()
			must(t, err)
			copied, err := (&copies{folder: folder, prefix: "marque-"}).list()
			must(t, err)
			oldest := storage.At(copied[len(copied)-1].at)
			if want := 2 * min(1, max(0, int(deleted-oldest+1))); len(list) != want {
				t.Fatalf("day %d: the oldest copy was made %v before the deletion, and the list has %v", day,
					deleted.Time().Sub(oldest.Time()), list)
			}
			if len(list) == 0 && gone == 0 {
				gone = day
			}
		}
		t.Logf("the ids went from the list on day %d", gone)
		if gone < dailyKept || slices.Contains(names(t, folder), ".marque-list-1") {
			t.Errorf("the ids went on day %d; the folder has %v", gone, names(t, folder))
		}
	})
}

// knows reports whether a table still has a user, or text with the user's name.
func knows(t *testing.T, store keeper, id storage.ID, user, name string) bool {
	t.Helper()
	stored, err := store.Load(t.Context(), id)
	must(t, err)
	return slices.ContainsFunc(stored.Events, func(e storage.Event) bool {
		return e.User == user || strings.Contains(e.Text, name)
	}) ||
		slices.ContainsFunc(stored.Head.Seats, func(o storage.Occupant) bool { return o.User == user })
}

// A repair from a copy deletes the data of users again if they had it deleted after the copy was made, or if the copy
// is damaged too and does not say when it was made. Copies of no use change nothing about that.
func TestARepairBringsNobodyBack(t *testing.T) {
	t.Parallel()
	const anne, jack = "1001", "1002"
	flip := func(b *bbolt.Bucket) error { // makes all values of a space unreadable
		for k, v := b.Cursor().First(); k != nil; k, v = b.Cursor().Seek(append(k, 0)) {
			v = slices.Clone(v)
			v[len(v)-1] ^= 1
			if err := b.Put(slices.Clone(k), v); err != nil {
				return err
			}
		}
		return nil
	}
	const since = "the data of 1 user, deleted after the oldest copy was made, were deleted again"
	for name, tc := range map[string]struct{ damaged, want string }{
		"a sound copy":            {"", since},
		"a copy without a schema": {"sequences", "cannot be read: the file is damaged"},
		"a copy without a time":   {"bot", "cannot be read: the file is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			database, folder := filepath.Join(dir, "local.db"), filepath.Join(dir, "copies")
			quiet := slog.New(slog.DiscardHandler)
			store, err := openFile(t.Context(), database)
			must(t, err)
			k := newCopies(store, database, folder, quiet)
			note := k.deleted.note(quiet)
			svc := table.New(table.Config{Store: store, Games: catalog.Find, Log: quiet})
			private := privacy.New(svc, store, func(user string, at storage.Stamp) {
				note(deletion{User: user, At: at})
			})
			snap := begin(t, svc, "loyal-captain", 6)
			must(t, store.ChangeUptime(t.Context(), storagetest.Up(storage.Uptime{Alive: storage.At(time.Now())})))
			must(t, k.look(t.Context(), time.Now()))
			must(t, private.Forget(t.Context(), jack))
			must(t, store.Finished(t.Context(), storage.Work{Kind: storage.Forgetting, Of: jack}))
			if knows(t, store, snap.ID, jack, "Calico") {
				t.Fatal("Jack is still there after he had his data deleted")
			}
			must(t, store.Close())
			space := func(of string) func(tx *bbolt.Tx) error {
				return func(tx *bbolt.Tx) error { return flip(tx.Bucket([]byte(of))) }
			}
			change(t, database, space("tables"))
			copied, err := filepath.Glob(filepath.Join(folder, "*.db"))
			if err != nil || len(copied) != 1 {
				t.Fatalf("there are the copies %v (%v)", copied, err)
			}
			if tc.damaged != "" {
				change(t, copied[0], space(tc.damaged))
			} else { // Anne came back after a deletion long ago
				must(t, deletionsOf(database, folder).add(deletion{User: anne, At: 1}))
			}
			useless := filepath.Join(folder, copyPrefix(database)+"20200101-000000.db")
			must(t, os.WriteFile(useless, []byte("nothing"), 0o600))
			code, out, errs := saidIn(t, settings(dir, "MARQUE_BACKUPS="+folder), "database", "repair")
			if t.Log(out, errs); code != 0 || !strings.Contains(out, tc.want) || !strings.Contains(out, "of no use") {
				t.Errorf("the repair ends with %d", code)
			}
			store, err = openFile(t.Context(), database)
			must(t, err)
			defer store.Close()
			if knows(t, store, snap.ID, jack, "Calico") {
				t.Error("the repair has brought Jack back")
			}
			if !knows(t, store, snap.ID, anne, "Bonny") {
				t.Error("Anne is not there any more")
			}
		})
	}
}

// Deleted data stays deleted when an older copy replaces the database by hand: that of a server, a month after the bot
// was removed from it, and that of a user. If the bot is on the server again, the server's new data is kept.
func TestACopyPutInPlaceBringsNobodyBack(t *testing.T) {
	// The test is not parallel: a deletion that takes longer than a second continues only at the bot's next check, 15
	// seconds later.
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be replaced there")
	}
	ctx, cancel := context.WithTimeout(t.Context(), drillTime)
	defer cancel()
	s := launch(t, ctx)
	s.cfg.Backups = filepath.Join(filepath.Dir(s.cfg.Data), "copies")
	must(t, os.MkdirAll(s.cfg.Data, 0o700))
	quiet := slog.New(slog.DiscardHandler)
	const left, jack = "2001", "1002" // the server that the bot has left, and the user
	store, err := openFile(t.Context(), s.cfg.Database())
	must(t, err)
	snap := begin(t, table.New(table.Config{Store: store, Games: catalog.Find, Log: quiet}), "loyal-captain", 2)
	must(t, newCopies(store, s.cfg.Database(), s.cfg.Backups, quiet).look(ctx, time.Now()))
	must(t, store.AddRemoval(ctx, storage.Removal{Guild: left,
		At: storage.At(time.Now().Add(-servers.Grace - time.Hour))}))
	must(t, store.Close())

	s.start()
	s.log.wait(t, ctx, "the data of a server that the bot was removed from are deleted", 1)
	s.stop()
	list, err := deletionsOf(s.cfg.Database(), s.cfg.Backups).list()
	if err != nil || len(list) != 1 || list[0].Guild != left || list[0].User != "" {
		t.Fatalf("the list of deletions has %v (%v)", list, err)
	}

	copied, err := filepath.Glob(filepath.Join(s.cfg.Backups, "marque-*.db"))
	if err != nil || len(copied) != 1 {
		t.Fatalf("there are the copies %v (%v)", copied, err)
	}
	b, err := os.ReadFile(copied[0])
	must(t, err)
	must(t, os.WriteFile(s.cfg.Database(), b, 0o600))
	must(t, deletionsOf(s.cfg.Database(), s.cfg.Backups).add(deletion{User: jack, At: storage.At(time.Now())}))
	s.start()
	s.log.wait(t, ctx, "data were deleted again\" users=1 servers=1", 1)
	s.stop()
	store, err = openFile(t.Context(), s.cfg.Database())
	must(t, err)
	if _, err := store.Load(ctx, snap.ID); err == nil {
		t.Error("the table of the server that the bot left is there again")
	}

	// The database knows that the bot is on the server again, so nothing of the server is deleted.
	again := begin(t, table.New(table.Config{Store: store, Games: catalog.Find, Log: quiet}), "pirat", 2)
	done, err := deletionsOf(s.cfg.Database(), s.cfg.Backups).repeat(ctx, store, 0)
	if err != nil || done.guilds != 0 {
		t.Errorf("deleted again are %+v (%v)", done, err)
	}
	if _, err := store.Load(ctx, again.ID); err != nil {
		t.Errorf("the table of a server that is back: %v", err)
	}
	must(t, store.Close())
}

// The program of MARQUE_BACKUP_HOOK is stopped if it takes too long. It is run again until it has succeeded for a copy,
// and then no more for that copy.
func TestTheHookIsEndedInTime(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	hook, file, seen := filepath.Join(dir, "hook.sh"), filepath.Join(dir, "marque-20260101-000000.db"),
		filepath.Join(dir, "seen")
	must(t, os.WriteFile(hook, []byte("#!/bin/sh\nexec sleep 3600\n"), 0o700))
	must(t, os.WriteFile(file, nil, 0o600))
	c := newCarrier(hook, "marque.db", dir)
	if c.limit != 30*time.Minute {
		t.Errorf("the program has %v, and the documents say half an hour", c.limit)
	}
	c.limit = 300 * time.Millisecond
	err := c.carry(t.Context(), file, filepath.Join(dir, "none.json"))
	if err == nil || !strings.Contains(err.Error(), "took longer than 300ms and was ended") {
		t.Errorf("a program that does not end is said to be %v", err)
	}
	must(t, os.WriteFile(hook, []byte("#!/bin/sh\necho \"$1\" >>'"+seen+"'\n"), 0o700))
	c.limit = hookTime
	for range 2 {
		must(t, c.carry(t.Context(), file, filepath.Join(dir, "none.json")))
	}
	if b, err := os.ReadFile(seen); err != nil || string(b) != file+"\n" {
		t.Errorf("carried off is %q (%v), want the copy once", b, err)
	}
}

// The program of MARQUE_BACKUP_HOOK gets the bot's environment without the token.
func TestTheHookDoesNotGetTheToken(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	hook, file := filepath.Join(dir, "hook.sh"), filepath.Join(dir, "marque-20260101-000000.db")
	must(t, os.WriteFile(hook,
		[]byte("#!/bin/sh\necho \"$DISCORD_TOKEN$DISCORD_TOKEN_FILE$HARBOUR\" >\"$1.env\"\n"), 0o700))
	must(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("DISCORD_TOKEN", "hush")
	t.Setenv("DISCORD_TOKEN_FILE", "hush.txt")
	t.Setenv("HARBOUR", "Tortuga")
	must(t, newCarrier(hook, "marque.db", dir).carry(t.Context(), file, filepath.Join(dir, "none.json")))
	if b, err := os.ReadFile(file + ".env"); err != nil || string(b) != "Tortuga\n" {
		t.Errorf("of the environment the program has %q (%v), want what is not the token", b, err)
	}
}
