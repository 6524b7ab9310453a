package bolt

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"marque/games"
	"marque/games/review"
	"marque/games/text"
	"marque/storage"
	"marque/storage/storagetest"
)

var update = flag.Bool("update", false, "write the file of the present schema if it is missing, and what every file should read as")

// versionFile is a file that was written by a program of that schema version; its text, with the same name, is what it reads as.
func versionFile(version int) string { return fmt.Sprintf("testdata/schema%d.db.gz", version) }

// unpack puts a packed file somewhere where it may be changed.
func unpack(t testing.TB, packed string) string {
	t.Helper()
	f, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := file(t)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// pack writes a file that the present program has made, with something of all that can be stored.
func pack(t *testing.T, packed string) {
	path := filled(t, 12)
	s := idle(t, path)
	ctx := t.Context()
	_, err := s.StartSeason(ctx, "g", text.NewName("Spring"), 5000)
	h := create(t, s, opening("g", "c9", "u0", "u1"))
	commit(t, s, ending(h, 1))
	_, verr := s.Void(ctx, 3, &storage.Voiding{By: "mod", Why: text.NewName("a mistake"), At: 6000})
	finishJobs(t, s)
	waits := next(create(t, s, opening("g", "c8", "u2", "u3")), 2)
	waits.Head.ToMove, waits.Head.Due = games.Seat(1), []storage.Due{{Kind: "remind", At: 9000}}
	commit(t, s, waits)
	if err := errors.Join(err, verr,
		s.SetReview(ctx, 1, storage.Review{Looked: 4, Points: []review.TurningPoint{{}}}),
		s.ChangeGuildSettings(ctx, "g", storagetest.Set(map[string]string{"language": "en"})),
		s.ChangeUserSettings(ctx, "u1", storagetest.Set(map[string]any{"theme": "dark", "puzzles": map[string]any{"solved": 3, "months": []storage.Score{{Server: "g", Month: "2026-11", Solved: 3, First: 2}}}})),
		s.ChangeUptime(ctx, storagetest.Up(storage.Uptime{Alive: 8000})),
		s.AddRemoval(ctx, storage.Removal{Guild: "h", At: 7000}),
		s.MarkPublished(ctx, 1, 3, "a note", storage.Tenure{}),
		s.Close(),
	); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(packed)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, err = z.Write(b)
	if err := errors.Join(err, z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// finishJobs lets all jobs run to their end.
func finishJobs(t *testing.T, s *Store) {
	t.Helper()
	s.labour.start(s)
	for news := s.labour.watch(); ; news = s.labour.watch() {
		left := false
		err := s.view(t.Context(), func(tx *bbolt.Tx) error {
			k, _ := tx.Bucket(jobBucket).Cursor().First()
			left = k != nil
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !left {
			return
		}
		<-news
	}
}

// reading is all that a store says, as text.
func reading(t *testing.T, s *Store) string {
	t.Helper()
	ctx := t.Context()
	var b strings.Builder
	say := func(what string, v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		j, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", what, j)
	}
	for id := storage.ID(1); ; id++ {
		table, err := s.Load(ctx, id)
		if errors.Is(err, storage.ErrNoTable) {
			break
		}
		say(fmt.Sprint("table ", id), table, err)
		if table.Head.Status == storage.Over {
			r, err := s.Result(ctx, id)
			say(fmt.Sprint("result ", id), r, err)
		}
	}
	for _, user := range []string{"u0", "u1", "u2"} {
		heads, err := s.ByUser(ctx, user, storage.Active, 0, 100)
		say("tables of "+user, heads, err)
		turns, err := s.Turns(ctx, user, 100)
		say("turns of "+user, turns, err)
		var set map[string]any
		say("settings of "+user, &set, s.UserSettings(ctx, user, &set))
	}
	page, err := s.Leaderboard(ctx, storage.BoardQuery{Board: storage.Board{Guild: "g"}, Limit: 100})
	say("leaderboard", page, err)
	league, err := s.League(ctx, "g")
	say("league", league, err)
	var set map[string]any
	say("settings", &set, s.GuildSettings(ctx, "g", &set))
	scores, err := s.Scores(ctx, "g", "2026-11", 100)
	say("scores", scores, err)
	list, err := s.Results(ctx, storage.ResultQuery{Guild: "g", Limit: 100})
	say("results", list, err)
	pending, err := s.Pending(ctx, 0, 100)
	say("untold", pending, err)
	due, err := s.DueUntil(ctx, 1<<40, 100)
	say("due", due, err)
	up, err := s.Uptime(ctx)
	say("uptime", up, err)
	gone, err := s.Removals(ctx)
	say("removals", gone, err)
	found, err := s.Review(ctx, 1)
	say("review", found, err)
	return b.String()
}

// A file of every schema version so far is brought up to date, is sound then, and says what it said when it was written, by
// whatever version of the program.
func TestAFileOfEverySchemaVersion(t *testing.T) {
	for version := 1; version <= Schema(); version++ {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			packed := versionFile(version)
			if _, err := os.Stat(packed); errors.Is(err, fs.ErrNotExist) && version == Schema() && *update {
				pack(t, packed)
			} else if err != nil {
				t.Fatalf("%v: before a schema version is released, write its file: go test ./storage/bolt -run EverySchemaVersion -update", err)
			}
			path := unpack(t, packed)
			s := idle(t, path)
			finishJobs(t, s)
			if _, err := s.Rebuild(t.Context()); err != nil { // lines of before do not say who has met whom
				t.Fatal(err)
			}
			if err := s.Check(t.Context()); err != nil {
				t.Errorf("brought up to date: %v", err)
			}
			got := reading(t, s)
			golden := filepath.Join("testdata", fmt.Sprintf("schema%d.txt", version))
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the file says\n%s\nand said\n%s", got, want)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			aside := fmt.Sprintf("%s.v%d", path, version)
			if _, err := os.Stat(aside); (err == nil) != (version < Schema()) {
				t.Errorf("the copy that is made before an update: %v", err)
			}
		})
	}
}
