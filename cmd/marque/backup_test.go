package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/bbolt"

	"marque/games/fair"
	"marque/storage"
	"marque/storage/bolt"
)

// harbour is a store with one table, and a folder for its copies.
func harbour(t *testing.T) (store *bolt.Store, database, folder string) {
	t.Helper()
	dir := t.TempDir()
	database = filepath.Join(dir, "marque.db")
	store, err := bolt.Open(database)
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Create(context.Background(), storage.Change{
		Head:   storage.Head{Version: 1, Game: "pirat", Guild: "g", Channel: "c", Host: "ann", Events: 1},
		Detail: &storage.Detail{Seed: fair.Seed{1}},
		Events: []storage.Event{{Kind: storage.Opened, Version: 1, User: "ann", Text: "Ann"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return store, database, filepath.Join(dir, "copies")
}

func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// keepCopies keeps copies as a started bot does, and returns what stops it.
func keepCopies(store *bolt.Store, database, folder string, ready bool, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	up, done := make(chan struct{}), make(chan struct{})
	if ready {
		close(up)
	}
	go func() { defer close(done); newCopies(store, database, folder, log).keep(ctx, up) }()
	return func() { cancel(); <-done }
}

// A start makes no copy when the day has one, and none before the bot is ready; a bot that never gets ready makes one all the same in time.
func TestStartsDoNotUseUpTheCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, database, folder := harbour(t)
		defer store.Close()
		quiet := slog.New(slog.DiscardHandler)
		for range 10 { // ten days of copies
			stop := keepCopies(store, database, folder, true, quiet)
			time.Sleep(24 * time.Hour)
			stop()
		}
		stop := keepCopies(store, database, folder, true, quiet)
		time.Sleep(6 * time.Hour)
		stop()
		before := names(t, folder)
		for range 7 { // seven starts in fourteen seconds
			stop := keepCopies(store, database, folder, true, quiet)
			time.Sleep(2 * time.Second)
			stop()
		}
		after := names(t, folder)
		for range 8 { // eight starts that fail
			stop := keepCopies(store, database, folder, false, quiet)
			time.Sleep(2 * time.Minute)
			stop()
		}
		t.Logf("%d copies before, %d after seven starts, %d after eight that failed", len(before), len(after), len(names(t, folder)))
		if len(before) < 8 || !slices.Equal(after, names(t, folder)) {
			t.Errorf("starts that failed changed the copies: %v, then %v", after, names(t, folder))
		}
		if !slices.Equal(before, after) {
			t.Errorf("seven starts changed the copies: %v, then %v", before, after)
		}
		latest := names(t, folder)
		stop = keepCopies(store, database, folder, false, quiet)
		time.Sleep(26 * time.Hour)
		stop()
		if now := names(t, folder); len(now) < len(latest) || now[len(now)-1] == latest[len(latest)-1] {
			t.Errorf("a bot that runs for a day without Discord made no copy: %v", now)
		}
	})
}

func containsAll(list, all []string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !slices.Contains(list, s) })
}

// Over ten weeks there are, of the last seven days, one copy each, and of four weeks before, one each; there is never one less than the day before, and every
// one of them is whole. The log has a line for each.
func TestCopiesOfDaysAndWeeksAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, database, folder := harbour(t)
		defer store.Close()
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{"mine.db", "local-20000101-000000.db"} {
			if err := os.WriteFile(filepath.Join(folder, other), []byte("not ours"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(folder, ".marque-copy-1"), []byte("cut short"), 0o600); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		stop := keepCopies(store, database, folder, true, slog.New(slog.NewTextHandler(&log, nil)))
		count := 0
		const days = 70
		for day := range days {
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			n := len(names(t, folder))
			if n < count {
				t.Fatalf("day %d: %d files, the day before %d", day, n, count)
			}
			count = n
		}
		stop()
		list, err := (&copies{folder: folder, prefix: "marque-"}).list()
		if err != nil {
			t.Fatal(err)
		}
		var ages []int
		for _, c := range list {
			ages = append(ages, int(time.Since(c.at).Hours()/24))
			if err := bolt.Check(t.Context(), filepath.Join(folder, c.name)); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		t.Logf("after %d days there are copies that are %v days old", days, ages)
		if len(ages) != dailyKept+weeklyKept || !slices.Equal(ages[:7], []int{0, 1, 2, 3, 4, 5, 6}) || ages[10] < 25 {
			t.Errorf("copies are %v days old, want one of each of the last 7 days and of 4 weeks before", ages)
		}
		others := names(t, folder)
		if !slices.Contains(others, "mine.db") || !slices.Contains(others, "local-20000101-000000.db") || slices.Contains(others, ".marque-copy-1") {
			t.Errorf("the folder holds %v", others)
		}
		if made := strings.Count(log.String(), "a copy of the database was made and checked"); made < days {
			t.Errorf("the log has %d lines of copies in %d days", made, days)
		}
	})
}

// While something in the database is damaged, its copies are told apart, the operator is told every day, and no sound copy goes.
func TestADamagedDatabaseCostsNoSoundCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, database, folder := harbour(t)
		stop := keepCopies(store, database, folder, true, slog.New(slog.DiscardHandler))
		time.Sleep(20 * 24 * time.Hour)
		stop()
		before := names(t, folder)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := bbolt.Open(database, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			c := tx.Bucket([]byte("details")).Cursor()
			k, v := c.First()
			v = slices.Clone(v)
			v[len(v)/2] ^= 1
			return tx.Bucket([]byte("details")).Put(k, v)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if store, err = bolt.Open(database); err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		var log strings.Builder
		stop = keepCopies(store, database, folder, true, slog.New(slog.NewTextHandler(&log, nil)))
		time.Sleep(20 * 24 * time.Hour)
		stop()
		after := names(t, folder)
		t.Log(after)
		if !containsAll(after, before) || len(after) != len(before)+1 || !strings.HasSuffix(after[len(after)-1], damagedSuffix) {
			t.Errorf("before there were %v, now %v", before, after)
		}
		if told := strings.Count(log.String(), "level=ERROR"); told < 19 || !strings.Contains(log.String(), "the detail of table 1") {
			t.Errorf("the operator was told %d times:\n%s", told, log.String())
		}
	})
}

// A copy that a killed process has left half written is removed by the next start, and counts for none.
func TestACopyThatWasCutShortIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, database, folder := harbour(t)
		defer store.Close()
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		half := filepath.Join(folder, strings.Replace(partial, "*", "123", 1))
		if err := os.WriteFile(half, []byte("half a copy"), 0o600); err != nil {
			t.Fatal(err)
		}
		stop := keepCopies(store, database, folder, true, slog.New(slog.DiscardHandler))
		time.Sleep(time.Hour)
		stop()
		left := names(t, folder)
		t.Logf("%v in the folder after a start", left)
		if len(left) != 1 || slices.Contains(left, filepath.Base(half)) {
			t.Errorf("%v in the folder after a start, want one whole copy", left)
		}
	})
}
