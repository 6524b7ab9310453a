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
)

// harbour returns an open store with one table, the path of its file, and the path of a folder for its copies, which
// does not exist yet.
func harbour(t *testing.T) (store keeper, database, folder string) {
	t.Helper()
	dir := t.TempDir()
	database = filepath.Join(dir, "marque.db")
	store, err := openFile(t.Context(), database)
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

// keepCopies makes copies as a running bot does. If small is false, the file counts as too large for hourly copies.
// ready says whether the bot becomes ready. The returned function stops the copying.
func keepCopies(store keeper, database, folder string, small, ready bool, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	up, done := make(chan struct{}), make(chan struct{})
	if ready {
		close(up)
	}
	k := newCopies(store, database, folder, log)
	if !small {
		k.hourlyBelow = 0
	}
	go func() { defer close(done); k.keep(ctx, up) }()
	return func() { cancel(); <-done }
}

// A start with a large file makes no copy if the day already has one. A bot that does not become ready makes its
// first copy only after backupPatience.
func TestStartsDoNotUseUpTheCopies(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, database, folder := harbour(t)
		defer store.Close()
		quiet := slog.New(slog.DiscardHandler)
		for range 10 { // ten days of copies
			stop := keepCopies(store, database, folder, false, true, quiet)
			time.Sleep(24 * time.Hour)
			stop()
		}
		stop := keepCopies(store, database, folder, false, true, quiet)
		time.Sleep(6 * time.Hour)
		stop()
		before := names(t, folder)
		for range 7 { // seven starts in fourteen seconds
			stop := keepCopies(store, database, folder, false, true, quiet)
			time.Sleep(2 * time.Second)
			stop()
		}
		after := names(t, folder)
		for range 8 { // eight starts in which the bot does not become ready
			stop := keepCopies(store, database, folder, false, false, quiet)
			time.Sleep(2 * time.Minute)
			stop()
		}
		t.Logf("%d copies before, %d after seven starts, %d after eight that failed", len(before), len(after),
			len(names(t, folder)))
		if len(before) < 8 || !slices.Equal(after, names(t, folder)) {
			t.Errorf("starts that failed changed the copies: %v, then %v", after, names(t, folder))
		}
		if !slices.Equal(before, after) {
			t.Errorf("seven starts changed the copies: %v, then %v", before, after)
		}
		latest := names(t, folder)
		stop = keepCopies(store, database, folder, false, false, quiet)
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

// After ten weeks there is a copy of each of the last seven days and of each of the four weeks before. The number of
// copies never falls, every copy is complete, and the log has a line for each.
func TestCopiesOfDaysAndWeeksAreKept(t *testing.T) {
	t.Parallel()
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
		cut := filepath.Join(folder, ".marque-copy-1")
		must(t, os.WriteFile(cut, []byte("cut short"), 0o600))
		must(t, os.Chtimes(cut, time.Now(), time.Now()))
		var log strings.Builder
		stop := keepCopies(store, database, folder, false, true, slog.New(slog.NewTextHandler(&log, nil)))
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
			if err := checkFile(t.Context(), filepath.Join(folder, c.name), false); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		t.Logf("after %d days there are copies that are %v days old", days, ages)
		if len(ages) != dailyKept+weeklyKept || !slices.Equal(ages[:7], []int{0, 1, 2, 3, 4, 5, 6}) || ages[10] < 25 {
			t.Errorf("copies are %v days old, want one of each of the last 7 days and of 4 weeks before", ages)
		}
		others := names(t, folder)
		if !slices.Contains(others, "mine.db") || !slices.Contains(others, "local-20000101-000000.db") ||
			slices.Contains(others, ".marque-copy-1") {
			t.Errorf("the folder holds %v", others)
		}
		if made := strings.Count(log.String(), "a copy of the database was made and checked"); made < days {
			t.Errorf("the log has %d lines of copies in %d days", made, days)
		}
	})
}

// A small file has a copy of each of the last 24 hours, in addition to those of days and weeks. Each copy is complete,
// and each hour has only one, however often the bot starts. A file that has grown too large is copied once a day, and
// no copies are lost.
func TestSmallFilesAreCopiedEveryHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, database, folder := harbour(t)
		defer store.Close()
		quiet := slog.New(slog.DiscardHandler)
		ages := func() (ages []int) {
			list, err := (&copies{folder: folder, prefix: "marque-"}).list()
			must(t, err)
			for _, c := range list {
				must(t, checkFile(t.Context(), filepath.Join(folder, c.name), false))
				ages = append(ages, int(time.Since(c.at).Hours()))
			}
			return ages
		}
		stop := keepCopies(store, database, folder, true, true, quiet)
		time.Sleep(60*time.Hour + time.Minute)
		stop()
		small := ages()
		for range 5 {
			stop := keepCopies(store, database, folder, true, true, quiet)
			time.Sleep(2 * time.Second)
			stop()
		}
		started := ages()
		stop = keepCopies(store, database, folder, false, true, quiet)
		time.Sleep(48 * time.Hour)
		stop()
		large := ages()
		t.Logf("hours since the copies were made: after 60 hours %v, after five starts %v, two days after the file has grown %v", small, started, large)
		want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 37}
		if !slices.Equal(small, want) || !slices.Equal(started, want) {
			t.Errorf("want copies of %v hours ago", want)
		}
		if len(large) != len(want) || large[0] > 24 || large[1] < 24 {
			t.Errorf("there are %d copies after the file has grown, want %d, one of them of a day", len(large),
				len(want))
		}
	})
}

// With hourly copies, the copies of the last 24 hours, of seven days, and of the four weeks before are kept. The number
// of sound copies never falls. While the database is damaged, every sound copy is kept, and the latest damaged one.
func TestWhichCopiesAreKept(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 3, 1, 0, 20, 0, 0, time.UTC)
	const hours, damageFrom, damageTo = 70 * 24, 40 * 24, 45 * 24
	var list []backupCopy
	sound := func() []backupCopy {
		return slices.DeleteFunc(slices.Clone(list), func(c backupCopy) bool { return c.damaged })
	}
	for h := range hours {
		damaged := h >= damageFrom && h < damageTo
		before := sound()
		list = slices.Insert(list, 0, backupCopy{at: begin.Add(time.Duration(h) * time.Hour), damaged: damaged})
		gone := spare(list, damaged)
		list = slices.DeleteFunc(list, func(c backupCopy) bool { return slices.Contains(gone, c) })
		after := sound()
		if len(after) < len(before) {
			t.Fatalf("hour %d: %d sound copies, an hour before %d", h, len(after), len(before))
		}
		if damaged && (!slices.Equal(after, before) || len(list) != len(after)+1) {
			t.Fatalf("hour %d: there is damage, and of %d sound copies and the latest damaged one are left %d", h,
				len(before), len(list))
		}
		if len(list) > hourlyKept+dailyKept+weeklyKept+1 {
			t.Fatalf("hour %d: %d copies", h, len(list))
		}
	}
	var ages []int
	for _, c := range sound() {
		ages = append(ages, int(list[0].at.Sub(c.at).Hours()))
	}
	t.Logf("after ten weeks there are sound copies that are %v hours old", ages)
	for h := range hourlyKept {
		if ages[h] != h {
			t.Errorf("there is no copy of %d hours ago", h)
		}
	}
	days, older := ages[hourlyKept:len(ages)-weeklyKept], sound()[len(ages)-weeklyKept:]
	if want := []int{24, 48, 72, 96, 120, 144}; !slices.Equal(days, want) {
		t.Errorf("besides those of hours there are copies of %v hours ago, want %v: the last of each day", days, want)
	}
	weeks := map[string]bool{}
	for _, c := range older {
		weeks[c.week()] = true
	}
	if len(weeks) != weeklyKept {
		t.Errorf("before the days there are copies of %d weeks, want %d: %v", len(weeks), weeklyKept, older)
	}
}

// The program of MARQUE_BACKUP_HOOK gets one copy of each day: the first sound one.
func TestOneCopyADayIsCarriedOff(t *testing.T) {
	t.Parallel()
	at := func(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }
	list := []backupCopy{{at: at(2, 3), damaged: true}, {at: at(2, 2)}, {at: at(2, 1)}, {at: at(2, 0), damaged: true},
		{at: at(1, 23)}}
	for _, c := range []struct {
		list []backupCopy
		want time.Time
	}{{list, at(2, 1)}, {list[3:], at(1, 23)}, {list[:1], time.Time{}}} {
		if got, ok := carriedOff(c.list); got.at != c.want || ok != !c.want.IsZero() {
			t.Errorf("of %v the one of %v is carried off, want %v", c.list, got.at, c.want)
		}
	}
}

// While the database is damaged, its copies are named as damaged, the operator is told every day, and no sound copy is
// deleted.
func TestADamagedDatabaseCostsNoSoundCopy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, database, folder := harbour(t)
		stop := keepCopies(store, database, folder, false, true, slog.New(slog.DiscardHandler))
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
		if store, err = openFile(t.Context(), database); err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		var log strings.Builder
		stop = keepCopies(store, database, folder, false, true, slog.New(slog.NewTextHandler(&log, nil)))
		time.Sleep(20 * 24 * time.Hour)
		stop()
		after := names(t, folder)
		t.Log(after)
		if !containsAll(after, before) || len(after) != len(before)+1 || !strings.HasSuffix(after[len(after)-1],
			damagedSuffix) {
			t.Errorf("before there were %v, now %v", before, after)
		}
		if told := strings.Count(log.String(), "level=ERROR"); told < 19 || !strings.Contains(log.String(),
			"the detail of table 1") {
			t.Errorf("the operator was told %d times:\n%s", told, log.String())
		}
	})
}

// An unfinished copy that a killed process left is deleted when a later process makes its first copy, and does not
// count as a copy.
func TestACopyThatWasCutShortIsRemoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, database, folder := harbour(t)
		defer store.Close()
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		half := filepath.Join(folder, strings.Replace(partial, "*", "123", 1))
		must(t, os.WriteFile(half, []byte("half a copy"), 0o600))
		must(t, os.Chtimes(half, time.Now(), time.Now().Add(-abandonedAfter)))
		stop := keepCopies(store, database, folder, false, true, slog.New(slog.DiscardHandler))
		time.Sleep(time.Hour)
		stop()
		left := names(t, folder)
		t.Logf("%v in the folder after a start", left)
		if len(left) != 1 || slices.Contains(left, filepath.Base(half)) {
			t.Errorf("%v in the folder after a start, want one whole copy", left)
		}
	})
}

// A process does not delete an unfinished copy that another process is still writing. It deletes the copy after
// abandonedAfter without a change.
func TestACopyThatAnotherProcessWritesStays(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		half := filepath.Join(folder, strings.Replace(partial, "*", "123", 1))
		must(t, os.WriteFile(half, []byte("half a copy"), 0o600))
		must(t, os.Chtimes(half, time.Now(), time.Now()))
		stop := keepTouching(half)
		time.Sleep(3*abandonedAfter + time.Second)
		must(t, removePartial(folder))
		if left := names(t, folder); len(left) != 1 {
			t.Errorf("%v is left while another process writes its copy", left)
		}
		stop()
		time.Sleep(abandonedAfter)
		must(t, removePartial(folder))
		if left := names(t, folder); len(left) != 0 {
			t.Errorf("%v is left when nobody writes it any more", left)
		}
	})
}
