package madagascar

import (
	"slices"
	"testing"

	"marque/games"
)

// MD-8: 2,000 random games of each setup end within the limit, by a win, by passes of all players, or by repetition
// where it is allowed. The test logs the lengths of the games and of the runs between placements and captures.
func TestRandomGamesEnd(t *testing.T) {
	const played, limit = 2000, 12000
	for i := range 4 {
		seats, forbids := 2+i%2, i > 1
		first := newState(seats)
		first.forbids = forbids
		start, s := first.Sim(), first.Sim().(*sim)
		rng := games.NewRand(uint64(seats))
		var lengths, runs []int
		ends := map[ending]int{}
		for range played {
			s.CopyFrom(start)
			plies, run := 0, 0
			for ; s.ToMove() != games.Nobody && plies < limit; plies++ {
				s.PlayRandom(rng)
				run = max(run, len(s.seen))
			}
			lengths, runs = append(lengths, plies), append(runs, run)
			ends[s.ended]++
		}
		if ends[going] > 0 || ends[won] == 0 || ends[allPassed] == 0 || (ends[repeated] == 0) != forbids {
			t.Errorf("MD-8: %d games went on for %d plies; ends %v, want some of each", ends[going], limit, ends)
		}
		slices.Sort(lengths)
		slices.Sort(runs)
		t.Logf("%d seats, repetition forbidden %v: plies median %d, 99 %% %d, most %d; longest run median %d, 99 %% %d, most %d; won %d, all passed %d, repeated %d",
			seats, forbids, lengths[played/2], lengths[played*99/100], lengths[played-1], runs[played/2],
			runs[played*99/100], runs[played-1],
			ends[won], ends[allPassed], ends[repeated])
	}
}
