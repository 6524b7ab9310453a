package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"marque/storage/bolt"
)

func TestDailyCopiesAreKeptForAWeekAndCanBeOpened(t *testing.T) {
	dir := t.TempDir()
	store, err := bolt.Open(filepath.Join(dir, "marque.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	folder := filepath.Join(dir, "copies")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "mine.db"), []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC)
	for i := range backupsKept + 3 {
		if err := rotateBackups(context.Background(), store, folder, day.AddDate(0, 0, i)); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != backupsKept+1 || names[0] != "marque-20260104-030000.db" || names[len(names)-1] != "mine.db" {
		t.Fatalf("the folder holds %v, want the last %d copies and the file that is not ours", names, backupsKept)
	}
	copied, err := bolt.Open(filepath.Join(folder, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if err := copied.Check(context.Background()); err != nil {
		t.Errorf("the copy is not sound: %v", err)
	}
}

func TestDatabaseCommandsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("MARQUE_DATA", dir)
	t.Setenv("DISCORD_TOKEN", "")
	try := func(code int, want string, args ...string) {
		t.Helper()
		var out strings.Builder
		if got := run(context.Background(), args, streams{strings.NewReader(""), &out, &out}); got != code || !strings.Contains(out.String(), want) {
			t.Errorf("marque %v: exit code %d and %q, want %d and something with %q", args, got, out.String(), code, want)
		}
	}
	try(1, "there is no database", "database", "check")
	store, err := bolt.Open(filepath.Join(dir, "local.db"))
	if err != nil {
		t.Fatal(err)
	}
	try(1, "in use by another process", "database", "check")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	try(0, "is sound", "database", "check")
	try(0, "copy.db", "database", "backup", filepath.Join(dir, "copy.db"))
	try(1, "exists already", "database", "backup", filepath.Join(dir, "copy.db"))
	try(0, "before", "database", "compact")
	if err := os.WriteFile(filepath.Join(dir, "local.db"), []byte(strings.Repeat("damaged ", 4096)), 0o600); err != nil {
		t.Fatal(err)
	}
	try(1, "damaged", "database", "check")
	try(2, "--help", "database")
	try(2, "--help", "nonsense")
}
