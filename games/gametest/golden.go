package gametest

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"marque/games"
)

var update = flag.Bool("update", false, "write the golden files again; look at them before you commit them")

// Golden compares got with the file testdata/name. With -update it writes got to the file.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make it with: go test -run %s -update)", err, t.Name())
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d: got\n  %s\nwant\n  %s", path, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s: got %d lines, want %d", path, len(g), len(w))
}

// playthroughStride is the number of plies between the positions that a playthrough shows in full. The first and the
// last position are always shown.
const playthroughStride = 25

// checkPlaythrough compares a random game with a golden file: all plays, and some positions with their observable data.
func checkPlaythrough(t *testing.T, g games.Game, setup games.Setup, c Config) {
	var b strings.Builder
	m := play(t, g, setup, c.Seed)
	fmt.Fprintf(&b, "%s\n", m.Record().Encode())
	for i := 0; i <= m.Len(); i++ {
		s := m.At(i)
		if i%playthroughStride == 0 || i == m.Len() {
			observe(t, &b, m, i, setup)
		}
		if i < m.Len() {
			mv, err := find(s, m.Log()[i].Text)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%d. %s: %s\n", i+1, m.Log()[i].Text, message(s.Describe(mv)))
		}
	}
	r := m.Result()
	fmt.Fprintf(&b, "result winners %v drawn %v scores %v why %s\n", r.Winners, r.Drawn, r.Scores, message(r.Why))
	Golden(t, filepath.Join("playthrough", playthrough(g, setup)), b.String())
}

// playthrough returns the name of a setup's golden file.
func playthrough(g games.Game, setup games.Setup) string {
	return strings.ReplaceAll(Name(unusual(g, setup)), "=", "-") + ".txt"
}

// unusual returns a setup without options that have their default value, so that its name does not change when the game
// gets another option.
func unusual(g games.Game, setup games.Setup) games.Setup {
	setup.Options = slices.DeleteFunc(slices.Clone(setup.Options), func(chosen games.Setting) bool {
		return slices.ContainsFunc(g.Options(), func(o games.Option) bool {
			return o.Key == chosen.Key && o.Values[0] == chosen.Value
		})
	})
	return setup
}

// checkNoLeftovers checks that every file with a playthrough belongs to a setup.
func checkNoLeftovers(t *testing.T, g games.Game) {
	var used []string
	for _, setup := range Setups(g) {
		used = append(used, playthrough(g, setup))
	}
	folder := filepath.Join("testdata", "playthrough")
	there, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		if !slices.Contains(used, f.Name()) {
			t.Errorf("%s is the playthrough of no setup: delete it", filepath.Join(folder, f.Name()))
		}
	}
}

func find(s games.State, notation string) (games.Move, error) {
	if s.ToMove() == games.Chance {
		return games.FindOutcome(s, notation)
	}
	return games.FindMove(s, notation)
}

// observe writes the position after i plays: what each seat knows, the possible plays, and a spectator's picture.
func observe(t *testing.T, b *strings.Builder, m *games.Match, i int, setup games.Setup) {
	s := m.At(i)
	fmt.Fprintf(b, "\n== after %d plays, to move %d\n%s\n", i, s.ToMove(), JSON(t, s))
	for v := games.Seat(0); int(v) < setup.Seats; v++ {
		if mask := JSON(t, games.Mask(s, v)); mask != JSON(t, s) {
			fmt.Fprintf(b, "seat %d knows %s\n", v, mask)
		}
	}
	var plays []string
	for _, mv := range s.Moves() {
		plays = append(plays, games.Spell(s, mv))
	}
	for _, o := range s.Outcomes() {
		plays = append(plays, fmt.Sprintf("%d*%s", o.Weight, games.Spell(s, o.Move)))
	}
	fmt.Fprintf(b, "plays %s\n", strings.Join(plays, ", "))
	b.WriteString(Dump(games.Mask(s, games.Spectator).Scene(games.Spectator, m.Trail(games.Spectator, i-3, i))))
	b.WriteString("\n")
}

// Perft is a position from which sequences of plays are counted, to a certain depth. The position follows from the
// setup and a number of random plies.
type Perft struct {
	Setup games.Setup
	Plies int // random plays before the count, drawn with seed 1
	Depth int
}

// checkPerft compares the results of Count with testdata/perft.txt. Each outcome of chance counts once, whatever its
// weight.
func checkPerft(t *testing.T, g games.Game, c Config) {
	if len(c.Perft) == 0 {
		t.Fatal("gametest: Config.Perft is empty")
	}
	want := map[string]bool{}
	if f, err := os.Open(filepath.Join("testdata", "perft.txt")); err == nil {
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			want[sc.Text()] = true
		}
	}
	var lines []string
	for _, p := range c.Perft {
		setup, err := games.NewSetup(g, p.Setup.Seats, p.Setup.Options...)
		if err != nil {
			t.Fatal(err)
		}
		s := g.New(setup)
		rng := newRand(1)
		for range p.Plies {
			if s.ToMove() == games.Nobody {
				t.Fatalf("perft: the game is over before ply %d", p.Plies)
			}
			_, s = Random(s, rng)
		}
		line := fmt.Sprintf("%s after %d: depth %d: %d", Name(unusual(g, setup)), p.Plies, p.Depth, Count(s, p.Depth))
		lines = append(lines, line)
		if !*update && !want[line] {
			t.Errorf("perft: counted %q, which is not in testdata/perft.txt", line)
		}
	}
	if *update {
		Golden(t, "perft.txt", strings.Join(lines, "\n")+"\n")
	}
}

// Count returns the number of ways to play depth plies from s. A game that ends earlier counts once.
func Count(s games.State, depth int) int {
	if depth == 0 || s.ToMove() == games.Nobody {
		return 1
	}
	n := 0
	for _, m := range s.Moves() {
		n += Count(s.Apply(m), depth-1)
	}
	for _, o := range s.Outcomes() {
		n += Count(s.Apply(o.Move), depth-1)
	}
	return n
}
