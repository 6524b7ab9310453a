package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An interrupted calibration reuses the games that it has kept, and returns the same result as an uninterrupted one.
// Kept games of another seed are refused.
func TestCalibrationKeepsItsGames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "games")
	calibrate := func(want int, more ...string) string {
		t.Helper()
		code, out, errs := said(t, "", append([]string{"calibrate", "loyal-captain", "--fit", "--iterations", "50",
			"--max-plies", "60"}, more...)...)
		if code != want {
			t.Fatalf("calibrate %v: %d, %q", more, code, errs)
		}
		return out + errs
	}
	whole := calibrate(0, "--n", "6")
	calibrate(0, "--n", "4", "--keep", file)
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, kept[:len(kept)-5], 0o600); err != nil { // the last write was incomplete
		t.Fatal(err)
	}
	if again := calibrate(0, "--n", "6", "--keep", file); again != whole {
		t.Errorf("what was kept and went on found\n%s, want what one run finds:\n%s", again, whole)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	played := bytes.LastIndexByte(kept[:len(kept)-1], '\n') + 1
	if lines := bytes.Count(after, []byte("\n")); lines != 7 || !bytes.Equal(after[:played], kept[:played]) {
		t.Errorf("the file has %d lines and not one for each of six games under its head, or games were played again:\n%s",
			lines, after)
	}
	refused := calibrate(1, "--n", "6", "--seed", "2", "--keep", file)
	if !strings.Contains(refused, "holds other games") {
		t.Errorf("games of another seed: %q", refused)
	}
}
