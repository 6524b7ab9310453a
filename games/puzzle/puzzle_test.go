package puzzle_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/example"
	"marque/games/lab"
	"marque/games/puzzle"
)

var deep = flag.Bool("deep", false, "prove the puzzles more thoroughly, which takes many minutes")

// least is the minimum number of puzzles of each game.
var least = map[string]int{
	"loyal-captain": 150, "madagascar": 150, "quedah-merchant": 60, "freebooter": 60, "pirate-versus-pirate": 50,
	"pirat": 60,
}

// Every game with puzzles has at least the minimum number of them. No two have the same position for the player to
// move.
func TestPuzzlesAreManyAndDifferent(t *testing.T) {
	for _, g := range example.Games {
		f, ok := puzzle.Of(g.Key())
		if !ok && least[g.Key()] == 0 {
			continue
		}
		if len(f.Puzzles) < least[g.Key()] {
			t.Errorf("%s has %d puzzles, want %d", g.Key(), len(f.Puzzles), least[g.Key()])
			continue
		}
		var grades [puzzle.Grades + 1]int
		seen := map[string]int{}
		for i, p := range f.Puzzles {
			grades[p.Grade]++
			m, err := f.Match(p, g)
			if err != nil {
				t.Fatalf("%s %d: %v", g.Key(), i+1, err)
			}
			j, err := m.View(m.ToMove()).State.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if n := seen[string(j)]; n > 0 {
				t.Errorf("%s: %d and %d are the same position", g.Key(), n, i+1)
			}
			seen[string(j)] = i + 1
		}
		t.Logf("%s: %d puzzles, by grade %v", g.Key(), len(f.Puzzles), grades[1:])
	}
}

// The solver or new estimates confirm the claim of each puzzle.
func TestPuzzlesAreProvedAgain(t *testing.T) {
	for _, g := range example.Games {
		f, ok := puzzle.Of(g.Key())
		if !ok {
			continue
		}
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			for i, p := range f.Puzzles {
				if testing.Short() && i%8 > 0 {
					continue
				}
				m, err := f.Match(p, g)
				if err != nil {
					t.Fatalf("%d: %v", i+1, err)
				}
				if p.Claim.Proved() {
					prove(t, fmt.Sprintf("%s %d", g.Key(), i+1), p, m)
				} else {
					weigh(t, fmt.Sprintf("%s %d", g.Key(), i+1), p, m)
				}
			}
		})
	}
}

// prove checks that only the first move of the solution forces the goal, and that no move forces it sooner. It checks
// that the solution equals the solver's and reaches the goal, and that a player who looks one play ahead misses the
// first move.
func prove(t *testing.T, name string, p puzzle.Puzzle, m *games.Match) {
	t.Helper()
	s, goal := m.State(), p.Claim.Goal
	if lab.Repeated(m) {
		t.Errorf("%s: a position was there twice, so that the proof does not hold", name)
	}
	v, ok := puzzle.NewSolver(s)
	if !ok {
		t.Fatalf("%s: the solver cannot search it", name)
	}
	spelled := func(goal puzzle.Goal) (list []string) {
		for _, m := range v.Forcing(goal) {
			list = append(list, games.Spell(s, m))
		}
		return list
	}
	if got := spelled(goal); !slices.Equal(got, p.Solution[:1]) {
		t.Errorf("%s: %s is forced by %v, want %s alone", name, p.Claim, got, p.Solution[0])
		return
	}
	shorter := goal
	shorter.Moves--
	if got := spelled(shorter); len(got) > 0 {
		t.Errorf("%s: %s, but %v needs fewer", name, p.Claim, got)
	}
	if got := lab.Line(s, goal); !slices.Equal(got, p.Solution) {
		t.Errorf("%s: the solution is %v, the solver's line %v", name, p.Solution, got)
	}
	if got := games.Spell(s, lab.Greedy(m.View(s.ToMove()), 1)); got == p.Solution[0] {
		t.Errorf("%s: who looks one play ahead finds %s", name, got)
	}
	if *deep {
		longer := goal
		longer.Moves++
		if got := spelled(longer); !slices.Equal(got, p.Solution[:1]) {
			t.Errorf("%s: in one move more, %s is forced by %v, want %s alone", name, p.Claim, got, p.Solution[0])
		}
		for _, m := range s.Moves() {
			base := material(s, s.ToMove())
			if got, want := after(s.Apply(m), s.ToMove(), base, goal.Gain, goal.Moves),
				games.Spell(s, m) == p.Solution[0]; got != want {
				t.Errorf("%s: searched without a table, %s forces %s: %v, want %v", name, games.Spell(s, m), p.Claim,
					got, want)
			}
		}
	}
}

// weigh checks by new estimates that the best move has a greater chance than the next best moves, and that their
// intervals do not overlap with its interval.
func weigh(t *testing.T, name string, p puzzle.Puzzle, m *games.Match) {
	t.Helper()
	v := m.View(m.ToMove())
	first, closer, others := lab.Effort{Searches: 2, Iterations: 60}, lab.QuickLook, 3
	if *deep {
		first, closer, others = lab.Effort{Searches: 2, Iterations: 1000}, lab.LongLook, 8
	}
	const seed = 77 // differs from the seed of the mining
	best, err := games.FindMove(v.State, p.Solution[0])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	mean, half := lab.Estimate(t.Context(), v, best, closer, seed)
	moves := v.State.Moves()
	chance := map[games.Move]float64{}
	for _, m := range moves {
		chance[m], _ = lab.Estimate(t.Context(), v, m, first, seed)
	}
	slices.SortStableFunc(moves, func(a, b games.Move) int {
		switch {
		case chance[a] > chance[b]:
			return -1
		case chance[a] < chance[b]:
			return 1
		}
		return 0
	})
	moves = slices.DeleteFunc(moves, func(m games.Move) bool { return m == best })
	for _, m := range moves[:min(others, len(moves))] {
		if other, h := lab.Estimate(t.Context(), v, m, closer, seed); mean-half <= other+h {
			t.Errorf("%s: %s has %.3f ± %.3f, %s %.3f ± %.3f; claimed is %s", name, p.Solution[0], mean, half,
				games.Spell(v.State, m), other, h, p.Claim)
		}
	}
	if c := p.Claim; c.Best.Low > c.Best.Mean || c.Best.Mean > c.Best.High || c.Best.Mean < c.Next.Mean+7 ||
		c.Best.Low <= c.Next.High {
		t.Errorf("%s: %s is no margin", name, c)
	}
}

func material(s games.State, seat games.Seat) int { return s.Sim().(games.Counter).Material(seat) }

// after reports whether a goal is reached after a move of the seat, or forced within the remaining moves. The number of
// remaining moves includes the move just made. It follows the definition of Goal, without a table or move ordering.
func after(s games.State, seat games.Seat, base, gain, left int) bool {
	if s.ToMove() == games.Nobody {
		return s.Result().Payoff(seat) == 1
	}
	if s.ToMove() == seat {
		return left > 1 && forced(s, seat, base, gain, left-1)
	}
	replies := s.Moves()
	if gain > 0 && material(s, seat)-base >= gain && !slices.ContainsFunc(replies, func(r games.Move) bool {
		a := s.Apply(r)
		return a.ToMove() == games.Nobody && a.Result().Payoff(seat) < 1 || material(a, seat)-base < gain
	}) {
		return true
	}
	return left > 1 && !slices.ContainsFunc(replies, func(r games.Move) bool {
		return !forced(s.Apply(r), seat, base, gain, left-1)
	})
}

// forced reports whether a goal is forced in a position, for either side to move.
func forced(s games.State, seat games.Seat, base, gain, left int) bool {
	switch s.ToMove() {
	case games.Nobody:
		return s.Result().Payoff(seat) == 1
	case seat:
		return slices.ContainsFunc(s.Moves(), func(m games.Move) bool {
			return after(s.Apply(m), seat, base, gain, left)
		})
	default:
		return !slices.ContainsFunc(s.Moves(), func(r games.Move) bool {
			return !forced(s.Apply(r), seat, base, gain, left)
		})
	}
}

// The solver agrees with a plain search, which follows the definition of Goal, in positions of random games.
func TestSolverAgreesWithPlainSearch(t *testing.T) {
	for _, key := range []string{"loyal-captain", "madagascar"} {
		g, _ := catalog.Find(key)
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		forcedBy, positions := 0, 0
		for seed := range uint64(12) {
			rng := games.NewRand(seed)
			s := g.New(setup)
			for n := 0; s.ToMove() >= 0 && n < 60; n++ {
				seat := s.ToMove()
				if n > 8 && n%5 == 0 {
					positions++
					v, _ := puzzle.NewSolver(s)
					for _, goal := range []puzzle.Goal{{Gain: 1, Moves: 1}, {Gain: 1, Moves: 2}, {Gain: 0, Moves: 2},
						{Gain: 2, Moves: 2}} {
						var want []games.Move
						for _, m := range s.Moves() {
							if after(s.Apply(m), seat, material(s, seat), goal.Gain, goal.Moves) {
								want = append(want, m)
							}
						}
						if got := v.Forcing(goal); !slices.Equal(got, want) {
							t.Fatalf("%s, seed %d, play %d: %+v is forced by %v, want %v", key, seed, n, goal, got,
								want)
						}
						forcedBy += len(want)
					}
				}
				moves := s.Moves()
				s = s.Apply(moves[rng.IntN(len(moves))])
			}
		}
		if forcedBy == 0 {
			t.Errorf("%s: in %d positions nothing was forced", key, positions)
		}
		t.Logf("%s: %d positions, %d moves that force something", key, positions, forcedBy)
	}
}

// The solver refuses games with luck or hidden cards.
func TestSolverKnowsItsGames(t *testing.T) {
	for _, g := range example.Games {
		setup, err := games.NewSetup(g, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := g.New(setup)
		_, ok := puzzle.NewSolver(s)
		if luck := g.Traits().Chance || g.Traits().Hidden; ok && luck {
			t.Errorf("%s: the solver takes a game of luck", g.Key())
		}
		if f, there := puzzle.Of(g.Key()); there && !ok && f.Puzzles[0].Claim.Proved() {
			t.Errorf("%s: the solver does not take a game whose puzzles it is to prove", g.Key())
		}
	}
}

// Decoding and encoding a file does not change it. For an invalid line, Decode returns an error with the line number.
func TestFilesAreReadAsTheyAreWritten(t *testing.T) {
	files, err := os.ReadDir("data")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile("data/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		f, err := puzzle.Decode(strings.NewReader(string(text)))
		if err != nil {
			t.Fatalf("%s: %v", file.Name(), err)
		}
		if f.Encode() != string(text) {
			t.Errorf("%s is written otherwise than it was read", file.Name())
		}
	}
	const head = "marque puzzles 1\ngame: pirat\nrules: 1\nseats: 2\nmade: x\n\n"
	for _, tt := range []struct {
		text string
		line int
	}{
		{"marque record 1\n", 1},
		{"marque puzzles 1\nrules: one\n", 2},
		{"marque puzzles 1\nwho: I\n", 2},
		{head + "6 | win in 2 | +1 | +2\n", 7},
		{head + "1 | win in two | +1 | +2\n", 7},
		{head + "1 | gain 1 in 2 and more | +1 | +2\n", 7},
		{head + "1 | win in 2 | +1\n", 7},
	} {
		_, err := puzzle.Decode(strings.NewReader(tt.text))
		damaged, ok := err.(*puzzle.FileError)
		if !ok || damaged.Line != tt.line {
			t.Errorf("%q: %v, want an error of line %d", tt.text, err, tt.line)
		}
	}
}

// Every day has one puzzle, and the games take turns. No puzzle repeats before all others of its game.
func TestEveryDayHasItsPuzzle(t *testing.T) {
	n := len(puzzle.Library())
	seen := map[puzzle.Ref]int{}
	for day := -100; day < 3000; day++ {
		ref := puzzle.Daily(day)
		if _, _, ok := ref.Find(); !ok {
			t.Fatalf("day %d: there is no %v", day, ref)
		}
		if next := puzzle.Daily(day + 1); next.Game == ref.Game && n > 1 {
			t.Errorf("days %d and %d have the same game", day, day+1)
		}
		f, _ := puzzle.Of(ref.Game)
		if last, ok := seen[ref]; ok && day-last != n*len(f.Puzzles) {
			t.Errorf("%v comes on day %d and again on day %d", ref, last, day)
		}
		seen[ref] = day
	}
}

// Coming returns the puzzles of Daily for the coming days.
func TestComingPuzzles(t *testing.T) {
	for day := range 400 {
		for i, ref := range puzzle.Coming(day, 40) {
			if want := puzzle.Daily(day + 1 + i); ref != want {
				t.Fatalf("%d days after day %d comes %v, want %v", i+1, day, ref, want)
			}
		}
	}
}
