package main

import (
	"strings"
	"testing"

	"marque/games/puzzle"
)

// Puzzles are printed in the format of their files, with a command line. Puzzles mined in slices equal those mined in
// one run.
func TestPuzzlesMake(t *testing.T) {
	make := func(args ...string) puzzle.File {
		code, out, errs := said(t, "", append([]string{"puzzles", "make", "--game", "loyal-captain", "--n", "90",
			"--seed", "3"}, args...)...)
		if code != 0 {
			t.Fatalf("marque-lab puzzles make %v: %d, %s", args, code, errs)
		}
		f, err := puzzle.Decode(strings.NewReader(out))
		if err != nil {
			t.Fatalf("marque-lab puzzles make %v: %v in\n%s", args, err, out)
		}
		return f
	}
	all := make("--games", "4")
	if all.Game != "loyal-captain" || all.Command != "marque-lab puzzles make --game loyal-captain --n 90 --seed 3" ||
		len(all.Puzzles) == 0 {
		t.Fatalf("four games made %+v", all)
	}
	slices := append(make("--games", "2").Puzzles, make("--games", "2", "--from", "2").Puzzles...)
	if len(slices) != len(all.Puzzles) {
		t.Fatalf("four games hold %d puzzles, in two slices %d", len(all.Puzzles), len(slices))
	}
	for i, p := range slices {
		if p.String() != all.Puzzles[i].String() {
			t.Errorf("puzzle %d is %s, in slices %s", i+1, all.Puzzles[i], p)
		}
	}
}

// Puzzles that cannot be mined are refused with the reason.
func TestPuzzlesAreRefused(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--game", "chess"}, `there is no game "chess"`},
		{[]string{"--game", "pirat", "--n", "0"}, "--n and --games must be at least 1"},
		{[]string{"--game", "pirat", "--from=-1"}, "--from at least 0"},
	} {
		code, out, errs := said(t, "", append([]string{"puzzles", "make"}, tt.args...)...)
		if code != 1 || !strings.Contains(errs, tt.want) {
			t.Errorf("marque-lab puzzles make %v: %d, %q, %q, want %q", tt.args, code, out, errs, tt.want)
		}
	}
}
