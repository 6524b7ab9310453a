package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Training can start from trained weights. The new weights then name every command that produced them. Weights of
// another game are refused.
func TestTrainFromWeights(t *testing.T) {
	train := func(args ...string) (int, string, string) {
		return said(t, "", append([]string{"train", "loyal-captain", "--games", "20", "--iterations", "10"},
			args...)...)
	}
	code, first, errs := train()
	if code != 0 {
		t.Fatalf("%d, %s", code, errs)
	}
	file := filepath.Join(t.TempDir(), "first.txt")
	if err := os.WriteFile(file, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	code, second, errs := train("--from", file)
	commands := "# marque-lab train loyal-captain --games 20 --iterations 10 --seats 2 --seed 1 > first.txt\n" +
		"# marque-lab train loyal-captain --games 20 --iterations 10 --seats 2 --seed 1 --from first.txt\n"
	if code != 0 || !strings.HasPrefix(second, commands) || strings.Count(second, "\n") != strings.Count(first, "\n")+
		1 {
		t.Errorf("%d, %s\n%s\nwant it to begin with\n%s", code, errs, second, commands)
	}
	again := filepath.Join(t.TempDir(), "second.txt")
	if err := os.WriteFile(again, []byte(second), 0o600); err != nil {
		t.Fatal(err)
	}
	code, third, errs := train("--from", again)
	commands = strings.TrimSuffix(commands, "\n") +
		" > second.txt\n# marque-lab train loyal-captain --games 20 --iterations 10 --seats 2 --seed 1 --from second.txt\n"
	if code != 0 || !strings.HasPrefix(third, commands) {
		t.Errorf("%d, %s\n%s\nwant it to begin with\n%s", code, errs, third, commands)
	}
	if code, _, errs := said(t, "", "train", "madagascar", "--games", "20", "--iterations", "10", "--from",
		file); code == 0 || !strings.Contains(errs, "tokens") {
		t.Errorf("weights of another game: %d, %q", code, errs)
	}
}
