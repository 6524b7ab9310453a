//go:build unix

package postgres

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"marque/storage"
	"marque/storage/storagetest"
)

// A database of schema 3 has the tables of months as one that was written today; settings that cannot be read are in none, and keep nobody
// from bringing the database up to date.
func TestADatabaseOfSchemaThreeHasScores(t *testing.T) {
	ctx := t.Context()
	url := emptyDatabase(t)
	open := func() *Store {
		t.Helper()
		s, err := Open(ctx, url)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	scores := func(s *Store) storage.ScorePage {
		t.Helper()
		page, err := s.Scores(ctx, "g", "2026-11", 10)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	s := open()
	for i := range 30 {
		months := []storage.Score{{Server: "g", Month: "2026-11", Solved: 1 + i/2, First: i % 2}, {Server: fmt.Sprint("h", i), Month: "2026-11", Solved: 1}}
		if err := s.ChangeUserSettings(ctx, fmt.Sprintf("u%02d", i), storagetest.Set(map[string]any{"puzzles": map[string]any{"months": months}})); err != nil {
			t.Fatal(err)
		}
	}
	want := scores(s)
	if want.Total != 30 || len(want.Lines) != 10 || want.Lines[0].User != "u29" {
		t.Fatalf("the table is %+v", want)
	}
	for _, sql := range []string{
		"DROP TRIGGER user_settings_scores ON user_settings", "DROP FUNCTION keep_scores", "DROP FUNCTION scores_in", "DROP TABLE scores",
		"DELETE FROM " + versions + " WHERE version_id > 3", `INSERT INTO user_settings VALUES ('rust', '\x0102')`, "INSERT INTO user_settings VALUES ('void', '')",
	} {
		if _, err := s.pool.Exec(ctx, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	if diff := cmp.Diff(want, scores(s)); diff != "" {
		t.Errorf("brought up to date: %s", diff)
	}
	if _, err := s.pool.Exec(ctx, "DELETE FROM user_settings WHERE user_id IN ('rust', 'void')"); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
	for i, sql := range []string{
		"DELETE FROM scores WHERE user_id = 'u07' AND guild = 'g'", "UPDATE scores SET solved = 1 WHERE user_id = 'u09'",
		"INSERT INTO scores VALUES ('g', '2026-11', 'nobody', 1, 0)",
	} {
		if _, err := s.pool.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
		found := (*storage.UnsoundError)(nil)
		if err := s.Check(ctx); !errors.As(err, &found) || len(found.Faults) != i+1 {
			t.Errorf("after %s: %v", sql, err)
		} else {
			t.Log(found.Faults[i])
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
