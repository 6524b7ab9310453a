package bolt

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"

	"marque/storage"
)

// While a store commits, every copy that Peek opens is the file as of one commit, and the file itself is as it was.
func TestPeekBesideAWriter(t *testing.T) {
	const bursts, burst = 20, 30
	copies := t.TempDir()
	t.Setenv("TMPDIR", copies)
	path := file(t)
	s := openStore(t, path)
	s.db.NoSync = true // the faster it writes, the likelier it writes into a copy
	create(t, s, opening("g", "c", "u"))
	start, written := make(chan struct{}, 1), make(chan error, 1)
	go func() {
		for range start {
			for range burst {
				if _, err := s.Create(context.Background(), opening("g", "c", "u")); err != nil {
					written <- err
					return
				}
			}
		}
		written <- nil
	}()
	latest := storage.ID(0)
	for range bursts {
		start <- struct{}{}
		copied, err := Peek(path)
		if err != nil {
			t.Error(err)
			break
		}
		if err := copied.Check(t.Context()); err != nil {
			t.Errorf("the copy is not sound: %v", err)
		}
		heads, err := copied.ByGuild(t.Context(), "g", storage.Active, 0, bursts*burst)
		if err != nil || len(heads) == 0 {
			t.Errorf("%d tables, %v", len(heads), err)
			break
		}
		if last := heads[len(heads)-1].ID; last < latest || int(last) != len(heads) {
			t.Errorf("the copy has %d tables and ends with table %d, an earlier one with %d", len(heads), last, latest)
		} else {
			latest = last
		}
		if err := copied.Close(); err != nil {
			t.Error(err)
		}
	}
	close(start)
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if t.Logf("the last copy has %d tables of %d", latest, 1+bursts*burst); latest < bursts*burst/2 {
		t.Error("hardly anything was written meanwhile")
	}
	if left, err := os.ReadDir(copies); err != nil || len(left) > 0 {
		t.Errorf("copies are left: %v, %v", left, err)
	}
}

func TestPeekIntoNothing(t *testing.T) {
	_, err := Peek(file(t))
	if file := (*FileError)(nil); !errors.As(err, &file) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Peek: %v", err)
	}
}
