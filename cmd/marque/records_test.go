package main

import (
	"bytes"
	"context"
	"fmt"
	"image/gif"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"marque/games"
	"marque/games/competition"
	"marque/games/review"
	"marque/games/text"
	"marque/games/verify"
	"marque/storage"
)

// said runs a marque command line and returns its exit code and its output.
func said(t *testing.T, in string, args ...string) (code int, out, err string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), args, nil, streams{strings.NewReader(in), &o, &e})
	return code, o.String(), e.String()
}

// saidIn runs a marque command line in an environment, without input, and returns its exit code and its output.
func saidIn(t *testing.T, env environ, args ...string) (code int, out, err string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), args, env, streams{strings.NewReader(""), &o, &e})
	return code, o.String(), e.String()
}

// settings returns the environment of a bot on its local Discord that keeps its data in the given folder. It overrides
// the settings of a file .env. more has further settings, which override the earlier ones.
func settings(data string, more ...string) environ {
	return append(environ{"DISCORD_TOKEN=", "DISCORD_TOKEN_FILE=", "MARQUE_DATABASE=", "MARQUE_BACKUPS=",
		"MARQUE_BACKUP_HOOK=", "MARQUE_METRICS=", "MARQUE_LOCAL_PORT=0", "MARQUE_LOG_LEVEL=error",
		"MARQUE_DATA=" + data}, more...)
}

// playthrough returns the record of a game with which a golden file begins.
func playthrough(t *testing.T, folder, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "games", folder, "testdata", "playthrough", name))
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(b), "\n\n== after")
	return text
}

func TestVerifySaysWhatHoldsAndWhereItDoesNot(t *testing.T) {
	t.Parallel()
	file := filepath.Join("..", "..", "games", "verify", "testdata", "loyal-captain-2.txt")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	record := string(b)
	code, out, errs := said(t, "", "verify", file)
	if code != 0 {
		t.Errorf("verify: %d, %q, %q", code, out, errs)
	}
	for _, want := range []string{"legal: ", "complete: ", "fair: ", "so does the lot", "not checked: the names",
		"start        1297650200000000001\n", "fingerprint  "} {
		if !strings.Contains(out, want) {
			t.Errorf("verify does not say %q:\n%s", want, out)
		}
	}
	if code, out, errs = said(t, regexp.MustCompile("seed: .*\n").ReplaceAllString(record, ""), "verify",
		"-"); code != 1 || !strings.Contains(errs, "`seed: ...` is missing") {
		t.Errorf("verify of a finished game without its seed: %d, %q, %q", code, out, errs)
	}
	damaged := strings.Replace(record, "\n2. 1 ", "\n2. 1 nonsense", 1)
	line := strings.Count(damaged[:strings.Index(damaged, "nonsense")], "\n") + 1
	code, out, errs = said(t, damaged, "verify", "-")
	if code != 1 || out != "" || !strings.Contains(errs, "line "+itoa(line)+": This move is not allowed. ") {
		t.Errorf("verify of a damaged record: %d, %q, %q; want line %d", code, out, errs, line)
	}
	if code, _, errs = said(t, "", "verify", file+".not"); code != 1 || !strings.Contains(errs, "no such file") {
		t.Errorf("verify of no file: %d, %q", code, errs)
	}
}

// With --review the replay marks the costliest moves of a game and names better ones. Without it no move is marked.
func TestReplayMarksTurningPoints(t *testing.T) {
	t.Parallel()
	record := playthrough(t, "loyalcaptain", "seats-2.txt")
	if code, out, errs := said(t, record, "replay", "-"); code != 0 || strings.Contains(out, "costly") {
		t.Errorf("replay without a review: %d, %q, %q", code, out, errs)
	}
	code, out, errs := said(t, record, "replay", "-", "--review")
	marks := regexp.MustCompile(`\n +\d+\. [^\n]*\n +\?\?? A costly move: `).FindAllString(out, -1)
	if code != 0 || len(marks) == 0 || len(marks) > review.MaxPoints {
		t.Errorf("replay with a review of random moves: %d, %d marks, %q\n%s", code, len(marks), errs, out)
	}
}

func itoa(n int) string { return storage.ID(n).String() }

func TestReplayTellsAndDraws(t *testing.T) {
	t.Parallel()
	record := playthrough(t, "pirat", "seats-2.txt")
	replay := filepath.Join(t.TempDir(), "out.gif")
	code, out, errs := said(t, record, "replay", "-", "--gif", replay)
	if code != 0 || !strings.Contains(out, "   1. deal yellow2") || strings.Contains(out, "[") && strings.Contains(out,
		".pirat") {
		t.Errorf("replay: %d, %q, %q", code, out, errs)
	}
	f, err := os.Open(replay)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := gif.DecodeAll(f)
	if err != nil || len(g.Image) < 50 || g.Delay[len(g.Delay)-1] < 300 {
		t.Errorf("the replay does not hold its last of %d pictures, or is none: %v", len(g.Image), err)
	}
	rec, err := games.DecodeRecord(strings.NewReader(record))
	if err != nil {
		t.Fatal(err)
	}
	if code, out, _ = said(t, record, "replay", "-", "--at", "3"); code != 0 || strings.Contains(out, "   4. ") {
		t.Errorf("replay up to play 3: %d, %q", code, out)
	}
	if code, _, errs = said(t, record, "replay", "-", "--at", itoa(len(rec.Log)+1)); code != 1 ||
		!strings.Contains(errs, "--at is 0 to "+itoa(len(rec.Log))) {
		t.Errorf("replay beyond the end: %d, %q", code, errs)
	}
}

func TestRebuildingRatingsGivesTheSameNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store, err := openFile(t.Context(), filepath.Join(dir, "local.db"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for i := range 20 {
		users := []string{"1", "2", "3"}
		c := storage.Change{
			Head: storage.Head{Version: 1, Game: "pirat", Guild: "g", Channel: "c", Status: storage.Over, Events: 1,
				Seats: []storage.Occupant{{User: users[i%3], Name: text.NewName("A")},
					{User: users[(i+1)%3], Name: text.NewName("B")}}},
			Detail: &storage.Detail{Setup: games.Setup{Seats: 2}, Rules: 1},
			Events: []storage.Event{{Kind: storage.Opened, Version: 1}},
			Result: &storage.Result{Game: "pirat", Guild: "g", Winners: []games.Seat{games.Seat(i % 2)},
				Ended: storage.Stamp(i)},
		}
		c.Result.Seats = c.Head.Seats
		if _, err := store.Create(ctx, c); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	code, out, errs := saidIn(t, settings(dir), "ratings", "rebuild")
	if code != 0 || !strings.HasPrefix(out, "20 results of 1 servers have been counted again; 0 entries") {
		t.Errorf("ratings rebuild: %d, %q, %q", code, out, errs)
	}
}

// The command checks a competition as a whole, and refuses one with a wrong seat.
func TestVerifyCompetition(t *testing.T) {
	t.Parallel()
	rules, err := competition.New(competition.Setup{Kind: competition.Swiss, Game: "loyal-captain", Lot: 7, Start: 1000,
		Time: competition.Day, Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range 6 {
		names = append(names, fmt.Sprint("Sailor ", i))
		if rules, err = rules.Enter(fmt.Sprint("u", i), 1500, 1); err != nil {
			t.Fatal(err)
		}
	}
	for rules = rules.Advance(1000); rules.Phase != competition.Ended; {
		d, _ := rules.Due()
		rules = rules.Advance(d.At)
	}
	check := func(c verify.Competition) (string, error) {
		t.Helper()
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "competition.zip")
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err := verifyCommand{File: file}.Run(streams{out: &out})
		return out.String(), err
	}
	said, err := check(verify.MakeCompetition("Cup", names, rules))
	t.Log(said)
	if err != nil || !strings.Contains(said, "in order: 6 pairings in 2 rounds") {
		t.Errorf("%v: %s", err, said)
	}
	rules.Pairings[4].Seats[0], rules.Pairings[5].Seats[0] = rules.Pairings[5].Seats[0], rules.Pairings[4].Seats[0]
	if said, err := check(verify.MakeCompetition("Cup", names, rules)); err == nil {
		t.Errorf("who was sat elsewhere is not found out: %s", said)
	}
}
