package bolt

import (
	"path/filepath"
	"slices"
	"testing"

	"marque/storage"
)

// The games that wait for their replays are kept in the file until they have them.
func TestFilmsWaitInTheFile(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "marque.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []storage.ID{300, 1, 7, 1 << 40} {
		if err := s.WantFilm(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutOffFilm(ctx, storage.Film{Table: 7, Tries: 2}); err != nil {
		t.Fatal(err)
	}
	for _, again := range []func() error{
		func() error { return s.WantFilm(ctx, 7) },                        // as it is
		func() error { return s.PutOffFilm(ctx, storage.Film{Table: 8}) }, // nobody wants it
		func() error { return s.SetUptime(ctx, storage.Uptime{}) },        // lies beside them
		func() error { return s.DropFilm(ctx, 1) }, func() error { return s.DropFilm(ctx, 1) },
	} {
		if err := again(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Check(ctx, path); err != nil {
		t.Error(err)
	}
	if s, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tc := range []struct {
		after storage.ID
		limit int
		want  []storage.Film
	}{
		{0, 10, []storage.Film{{Table: 7, Tries: 2}, {Table: 300}, {Table: 1 << 40}}},
		{0, 2, []storage.Film{{Table: 7, Tries: 2}, {Table: 300}}},
		{7, 10, []storage.Film{{Table: 300}, {Table: 1 << 40}}},
		{1 << 40, 10, nil},
	} {
		if got, err := s.Films(ctx, tc.after, tc.limit); err != nil || !slices.Equal(got, tc.want) {
			t.Errorf("after %d at most %d: %v %v, want %v", tc.after, tc.limit, got, err, tc.want)
		}
	}
}
