package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marque/games/catalog"
	"marque/games/engine"
	"marque/games/text"
)

func newEngine() *engine.Engine {
	return engine.New(catalog.Games, func(m text.Message) string { return m.ID })
}

func do(t *testing.T, e *engine.Engine, command string) []string {
	t.Helper()
	lines, err := e.Do(command)
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return lines
}

// Every game can be played to its end with the protocol's commands alone, for every number of seats. The log reproduces
// the position, and undo takes all plays back.
func TestWholeGamesByTheProtocol(t *testing.T) {
	e := newEngine()
	listed := regexp.MustCompile(`^[a-z-]+ \d \d( chance)?( hidden)?( [a-z-]+=[a-z0-9-]+(\|[a-z0-9-]+)*)*$`)
	told := regexp.MustCompile(`^winners( \d)*(;scores( -?\d+)+)?;why .+$`)
	hidden, scored := false, false
	for _, line := range do(t, e, "games") {
		if !listed.MatchString(line) {
			t.Errorf("a game is listed as %q", line)
		}
		fields := strings.Fields(line)
		hidden = hidden || slices.Contains(fields, "hidden")
		for seats := fields[1]; seats <= fields[2]; seats = string(seats[0] + 1) {
			new := "new " + fields[0] + " seats=" + seats
			do(t, e, new)
			start := do(t, e, "view")[0]
			rng := rand.New(rand.NewPCG(3, uint64(seats[0])))
			plies := 0
			for ; plies < 20_000; plies++ {
				to := do(t, e, "tomove")[0]
				if to == "over" {
					break
				}
				list := "moves"
				if to == "chance" {
					list = "outcomes"
					if !slices.Contains(fields[3:], "chance") {
						t.Fatalf("%s: chance is due in a game that is listed as %q", new, line)
					}
				}
				lines := do(t, e, list)
				pick := lines[rng.IntN(len(lines))]
				if list == "outcomes" {
					_, pick, _ = strings.Cut(pick, " ")
				}
				do(t, e, "play "+pick)
			}
			result := strings.Join(do(t, e, "result"), ";")
			if !told.MatchString(result) {
				t.Errorf("%s: result %q", new, result)
			}
			scored = scored || strings.Contains(result, ";scores ")
			end := do(t, e, "view")[0]
			log := do(t, e, "log")
			if len(log) != plies {
				t.Errorf("%s: %d plays in the log, want %d", new, len(log), plies)
			}
			again := newEngine()
			do(t, again, new)
			for _, p := range log {
				do(t, again, "play "+p)
			}
			if got := do(t, again, "view")[0]; got != end {
				t.Errorf("%s: the log leads to\n%s\nwant\n%s", new, got, end)
			}
			for range log {
				do(t, e, "undo")
			}
			if got := do(t, e, "view")[0]; got != start {
				t.Errorf("%s: undoing everything leads to\n%s\nwant\n%s", new, got, start)
			}
			for seat := range seats[0] - '0' {
				if v := do(t, e, "view "+string('0'+seat))[0]; !json.Valid([]byte(v)) {
					t.Errorf("%s: the view of %d is no JSON: %s", new, seat, v)
				}
			}
		}
	}
	if !hidden || !scored {
		t.Errorf("some game is listed with hidden: %v; some result has scores: %v", hidden, scored)
	}
}

func TestErrorsChangeNothing(t *testing.T) {
	e := newEngine()
	for _, early := range []string{"tomove", "moves", "play +1", "result", "view", "log", "undo"} {
		if _, err := e.Do(early); err == nil {
			t.Errorf("%q before a game has no error", early)
		}
	}
	do(t, e, "new loyal-captain")
	do(t, e, "play +1")
	before := do(t, e, "view")[0]
	for _, bad := range []string{
		"", " ", "nonsense", "NEW loyal-captain", "games now", "new", "new chess", "new loyal-captain seats=3",
		"new loyal-captain seats=x", "new loyal-captain opening=loud",
		"new loyal-captain wind=on", "new loyal-captain seats=2 seats=2", "new loyal-captain opening", "tomove 1",
		"moves all", "outcomes", "play", "play +1", "play  +2", "play +2 ", "play roll 1",
		"result", "view 2", "view -1", "view x", "view 0 1", "log 1", "undo 2",
	} {
		if _, err := e.Do(bad); err == nil {
			t.Errorf("%q has no error", bad)
		}
		if got := do(t, e, "view")[0]; got != before {
			t.Fatalf("%q changed the position to %s", bad, got)
		}
	}
	do(t, e, "new quedah-merchant")
	do(t, e, "play +1")
	do(t, e, "play +4")
	if _, err := e.Do("moves"); err == nil {
		t.Error("moves while chance is due has no error")
	}
}

func TestAnswersEndWithOKOrAreOneErrorLine(t *testing.T) {
	var out bytes.Buffer
	in := "new loyal-captain\r\ntomove\n\nplay nowhere\nplay +1\n" + strings.Repeat("x", 100_000) + "\nlog"
	if err := newEngine().Run(context.Background(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	want := []string{"ok", "seat 0", "ok", "error ", "error ", "ok", "error ", "+1", "ok"}
	if len(got) != len(want) {
		t.Fatalf("answers %q, want %d lines", got, len(want))
	}
	for i := range want {
		if got[i] != want[i] && !(want[i] == "error " && strings.HasPrefix(got[i], want[i])) {
			t.Errorf("line %d is %q, want %q", i+1, got[i], want[i])
		}
	}
}

func FuzzDo(f *testing.F) {
	f.Add("new loyal-captain\nmoves\nplay +1\nundo\nundo")
	f.Add("new pirat seats=5\noutcomes\nplay deal 5\nview 4")
	f.Fuzz(func(t *testing.T, script string) {
		e := newEngine()
		for line := range strings.Lines(script) {
			e.Do(strings.TrimSuffix(line, "\n"))
		}
	})
}
