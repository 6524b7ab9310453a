package bolt

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"marque/storage"
	"marque/storage/storagetest"
)

// solvers writes settings with scores of some users.
func solvers(t *testing.T, s *Store) {
	t.Helper()
	for i, u := range []string{"ann", "bob", "cid"} {
		months := []storage.Score{{Server: "g", Month: "2026-11", Solved: 3 + i, First: i}, {Server: "h", Month: "2026-11", Solved: 1}}
		if err := s.ChangeUserSettings(t.Context(), u, storagetest.Set(map[string]any{"puzzles": map[string]any{"months": months}})); err != nil {
			t.Fatal(err)
		}
	}
}

func scoresIn(t *testing.T, s *Store, server string) storage.ScorePage {
	t.Helper()
	page, err := s.Scores(t.Context(), server, "2026-11", 10)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// A file of schema 2 has the tables of months as one that was written today.
func TestAFileOfSchemaTwoHasScores(t *testing.T) {
	path := file(t)
	s := idle(t, path)
	solvers(t, s)
	want := scoresIn(t, s, "g")
	if len(want.Lines) != 3 || want.Lines[0].User != "cid" {
		t.Fatalf("the table is %+v", want)
	}
	err := s.db.Update(func(tx *bbolt.Tx) error { return tx.DeleteBucket(scoreBucket) })
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	setSchema(t, path, 2)
	if err := Check(t.Context(), path); err != nil {
		t.Errorf("a file of schema 2 is called unsound: %v", err)
	}
	s = idle(t, path)
	defer s.Close()
	if diff := cmp.Diff(want, scoresIn(t, s, "g")); diff != "" {
		t.Errorf("brought up to date: %s", diff)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Settings that are damaged are replaced and deleted with the scores that they had, though nobody can read them any more; and a
// repaired file has the tables of months.
func TestScoresOfDamagedSettings(t *testing.T) {
	path := file(t)
	s := openStore(t, path)
	solvers(t, s)
	want := scoresIn(t, s, "g")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	backup := backupOf(t, path)
	for _, u := range []string{"ann", "bob"} {
		flip(t, path, userPreference, name(nil, u))
	}
	repaired := backupOf(t, path)

	s = openStore(t, path)
	if err := s.ChangeUserSettings(t.Context(), "ann", storagetest.Set(map[string]any{})); err != nil {
		t.Fatal(err)
	}
	if err := s.Forget(t.Context(), "bob", storage.Departed+"1"); err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{"g", "h"} {
		if got := scoresIn(t, s, server); got.Total != 1 || got.Lines[0].User != "cid" {
			t.Errorf("server %s has %+v, want cid alone", server, got)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	done, err := Repair{Path: repaired, Backups: []string{backup}, Replays: follows, Now: time.Now()}.Run(t.Context())
	if err != nil || !strings.Contains(strings.Join(done.Done, "\n"), "the settings of user ann") {
		t.Fatalf("%+v, %v", done, err)
	}
	s = openStore(t, repaired)
	defer s.Close()
	if diff := cmp.Diff(want, scoresIn(t, s, "g")); diff != "" {
		t.Errorf("repaired: %s", diff)
	}
}
