package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"marque/games"
	"marque/storage"
)

// A restored store is sound, has what the copy had, tells it at the tables that go on, and gives no number and no version again that
// may have been given since; whatever is in the way or damaged changes nothing.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	path, backup, to := filepath.Join(dir, "a.db"), filepath.Join(dir, "copy.db"), filepath.Join(dir, "b.db")
	s := mustOpen(t, path)
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	ctx := t.Context()
	var ids []storage.ID
	for i := range 3 {
		head := storage.Head{Version: 1, Game: "pirat", Guild: "g", Channel: "c", Host: "ann", Events: 1, Changed: storage.At(now.Add(time.Duration(i) * time.Hour))}
		id, err := s.Create(ctx, storage.Change{Head: head, Detail: &storage.Detail{},
			Events: []storage.Event{{Kind: storage.Opened, Version: 1, User: "ann", Text: "Ann"}}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	over, err := s.Head(ctx, ids[2])
	if err != nil {
		t.Fatal(err)
	}
	over.Version, over.Events, over.Status = 2, 2, storage.Over
	if err := s.Commit(ctx, storage.Change{Head: over, Events: []storage.Event{{Kind: storage.Ended, Version: 2, Seat: games.Nobody}}}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(backup)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(ctx, f); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}

	var file *FileError
	if _, err := (Restore{Backup: backup, Path: path, Now: now}).Run(ctx); !errors.As(err, &file) || !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v, want fs.ErrExist", err)
	}
	spoilt := append([]byte(nil), whole...)
	for i := 2 * 4096; i < len(spoilt); i += 512 {
		spoilt[i] ^= 0x55
	}
	bad := filepath.Join(dir, "bad.db")
	if err := os.WriteFile(bad, spoilt, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Restore{Backup: bad, Path: to, Now: now}).Run(ctx); !errors.Is(err, storage.ErrDamaged) {
		t.Errorf("from a damaged copy: %v, want storage.ErrDamaged", err)
	}
	if left, _ := filepath.Glob(to + "*"); len(left) != 0 {
		t.Errorf("a restoration that failed left %v", left)
	}

	done, err := Restore{Backup: backup, Path: to, Now: now}.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if done.Tables != 2 || done.Until != storage.At(now.Add(time.Hour)) || done.From != 4 || done.Upto != 4+tablesLost {
		t.Errorf("restored %+v, want 2 tables until an hour after %v and numbers from 4", done, now)
	}
	if after, err := os.ReadFile(backup); err != nil || string(after) != string(whole) {
		t.Errorf("the copy was changed (%v)", err)
	}
	if left, _ := filepath.Glob(to + "?*"); len(left) != 0 {
		t.Errorf("it left %v", left)
	}
	if err := Check(ctx, to); err != nil {
		t.Error(err)
	}
	s = mustOpen(t, to)
	defer s.Close()
	waiting, err := s.Pending(ctx, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids[:2] {
		n, err := s.Load(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		last := n.Events[len(n.Events)-1]
		if last.Kind != storage.Recovered || n.Head.Version != 1+versionsLost || len(n.Events) != 2 {
			t.Errorf("table %d is at version %d with %+v", id, n.Head.Version, n.Events)
		}
	}
	if len(waiting) < 2 {
		t.Errorf("news wait at %v", waiting)
	}
	list, err := s.Restorations(ctx)
	if r, lost := storage.LostBy(list, 5); err != nil || !lost || r != done.Restoration {
		t.Errorf("table 5 is lost by %+v, %v (%v)", r, lost, err)
	}
	if _, lost := storage.LostBy(list, 3); lost {
		t.Error("table 3, which is there, is said to be lost")
	}
	id, err := s.Create(ctx, storage.Change{Head: storage.Head{Version: 1, Game: "pirat", Guild: "g", Channel: "c", Host: "ann", Events: 1}, Detail: &storage.Detail{},
		Events: []storage.Event{{Kind: storage.Opened, Version: 1, User: "ann", Text: "Ann"}}})
	if err != nil || id != done.Upto {
		t.Errorf("the next table is %d (%v), want %d", id, err, done.Upto)
	}
	if !strings.Contains(file.Error(), "move it away") {
		t.Errorf("the operator is told %q", file.Error())
	}
}

func mustOpen(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
