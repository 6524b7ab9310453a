package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDatabaseCommandsSayWhatToDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	try := func(code int, want string, args ...string) {
		t.Helper()
		var out strings.Builder
		got := run(context.Background(), args, settings(dir), streams{strings.NewReader(""), &out, &out})
		if got != code || !strings.Contains(out.String(), want) {
			t.Errorf("marque %v: exit code %d and %q, want %d and something with %q", args, got, out.String(), code,
				want)
		}
	}
	try(1, "there is no database", "database", "check")
	try(1, "there is no database", "database", "compact")
	store, err := openFile(t.Context(), filepath.Join(dir, "local.db"))
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
	if err := os.WriteFile(filepath.Join(dir, "local.db"), []byte(strings.Repeat("damaged ", 4096)),
		0o600); err != nil {
		t.Fatal(err)
	}
	try(1, "damaged", "database", "check")
	try(2, "--help", "database")
	try(2, "--help", "nonsense")
}
