package lab

import (
	"context"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/puzzle"
)

// Mining in four games finds the first puzzles of the game's file, with one worker and with three.
func TestMiningIsReproducible(t *testing.T) {
	for _, key := range []string{"loyal-captain", "madagascar", "quedah-merchant", "pirat"} {
		f, ok := puzzle.Of(key)
		if !ok {
			t.Fatalf("%s has no puzzles", key)
		}
		g, _ := catalog.Find(key)
		for _, workers := range []int{1, 3} {
			// The number of puzzles is the same as in the file, so that the limit per grade is the same, but the number
			// of games is small.
			found, _, err := Mining{Game: g, Setup: f.Setup, N: len(f.Puzzles), Games: 4,
				Seed: 1, Workers: workers}.Mine(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				t.Errorf("%s: no puzzle in four games", key)
			}
			for i, p := range found {
				if p.String() != f.Puzzles[i].String() {
					t.Errorf("%s, %d workers, puzzle %d:\n%s\nthe file has\n%s", key, workers, i+1, p, f.Puzzles[i])
				}
			}
		}
	}
}

// Mining with a cancelled context returns the context's error.
func TestMiningEndsWithItsContext(t *testing.T) {
	g, _ := catalog.Find("pirat")
	setup, err := games.NewSetup(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	mining := Mining{Game: g, Setup: setup, N: 1000, Games: 1000, Seed: 1}
	if _, _, err := mining.Mine(ctx); err != context.Canceled {
		t.Errorf("mining was stopped: %v", err)
	}
}
