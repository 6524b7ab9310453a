package bolt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"marque/games"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage"
)

var leagueGames = []string{"loyal-captain", "quedah-merchant", "madagascar", "freebooter", "pirate-versus-pirate", "pirat"}

// openLeague is a store with a server of many finished games. Its players play as often as people do: some a lot, most a little.
func openLeague(b *testing.B, dir string, results, players int) *Store {
	b.Helper()
	s, err := Open(filepath.Join(dir, fmt.Sprintf("league-%d.db", results)))
	if err == nil {
		err = fillLeague(b.Context(), s, results, players)
	}
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func userName(n int) string { return fmt.Sprintf("11500000000%08d", n) }

// fillLeague writes results as storeResult does, many in one transaction.
func fillLeague(ctx context.Context, s *Store, results, players int) error {
	rng := rand.New(rand.NewPCG(1, uint64(results)))
	some := func() int { return int(float64(players) * rng.Float64() * rng.Float64()) }
	const batch = 2000
	s.db.NoSync = true
	for from := 0; from < results; from += batch {
		err := s.do(ctx, func(t *txn) error {
			for i := from; i < min(from+batch, results); i++ {
				seats := 2 + rng.IntN(3)
				r := storage.Result{Table: storage.ID(i + 1), Game: leagueGames[some()%len(leagueGames)], Guild: "g", Plays: 40 + rng.IntN(200), Ended: storage.Stamp(i+1) * 60_000}
				taken := map[int]bool{}
				for len(r.Seats) < seats {
					if p := some(); !taken[p] {
						taken[p] = true
						r.Seats = append(r.Seats, storage.Occupant{User: userName(p), Name: text.NewName(fmt.Sprint("Captain ", p))})
					}
				}
				r.Setup = games.Setup{Seats: seats}
				r.Winners = []games.Seat{games.Seat(rng.IntN(seats))}
				if err := storeResult(t, r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkLeague measures what a leaderboard page, a profile, a history page and the statistics read, in servers of growing size.
func BenchmarkLeague(b *testing.B) {
	dir, extra := b.TempDir(), storage.ID(1<<40)
	for _, size := range [][2]int{{1_000, 100}, {10_000, 1_000}, {100_000, 10_000}} {
		s := openLeague(b, dir, size[0], size[1])
		own := userName(size[1] / 50)
		page := func(b *testing.B, game string, offset int) {
			p, err := s.Leaderboard(b.Context(), storage.BoardQuery{Board: storage.Board{Guild: "g", Game: game}, Least: 1, Offset: offset, Limit: 10, Own: own})
			if err != nil || p.Total == 0 {
				b.Fatalf("%d players, %v", p.Total, err)
			}
		}
		run := func(name string, f func(*testing.B)) {
			b.Run(fmt.Sprintf("%s/%d", name, size[0]), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					f(b)
				}
			})
		}
		run("first page", func(b *testing.B) { page(b, "", 0) })
		run("last page", func(b *testing.B) { page(b, "", size[1]*8/10) })
		run("profile", func(b *testing.B) {
			for _, game := range append([]string{""}, leagueGames...) {
				if _, err := s.Leaderboard(b.Context(), storage.BoardQuery{Board: storage.Board{Guild: "g", Game: game}, Least: 1, Own: own}); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := s.Results(b.Context(), storage.ResultQuery{User: own, Guild: "g", Limit: 1000, Scan: 1000}); err != nil {
				b.Fatal(err)
			}
		})
		run("history page", func(b *testing.B) {
			if _, err := s.Results(b.Context(), storage.ResultQuery{Guild: "g", Limit: 11, Scan: 5000}); err != nil {
				b.Fatal(err)
			}
		})
		run("history that finds nothing", func(b *testing.B) {
			if _, err := s.Results(b.Context(), storage.ResultQuery{Guild: "g", Limit: 11, Scan: 5000, Keep: func(storage.Result) bool { return false }}); err != nil {
				b.Fatal(err)
			}
		})
		run("statistics", func(b *testing.B) {
			if _, err := s.Stats(b.Context(), "g", leagueGames, storage.Stamp(size[0])*60_000); err != nil {
				b.Fatal(err)
			}
		})
		run("end of a game", func(b *testing.B) {
			extra++
			err := s.do(b.Context(), func(t *txn) error {
				r := storage.Result{Table: extra, Game: "pirat", Guild: "elsewhere", Ended: 1, Winners: []games.Seat{0}, Seats: []storage.Occupant{{User: own}, {User: "2"}}}
				return storeResult(t, r)
			})
			if err != nil {
				b.Fatal(err)
			}
		})
		run("voiding a result", func(b *testing.B) {
			for _, v := range []*storage.Voiding{{By: "1"}, nil} {
				if _, err := s.Void(b.Context(), 7, v); err != nil {
					b.Fatal(err)
				}
			}
		})
		run("counting anew", func(b *testing.B) {
			done, err := s.Rebuild(b.Context())
			if err != nil || done.Results < size[0] {
				b.Fatalf("%+v, %v", done, err)
			}
		})
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRate measures the rating of one game of five.
func BenchmarkRate(b *testing.B) {
	before := make([]rating.Rating, 5)
	for i := range before {
		before[i] = rating.New()
	}
	for b.Loop() {
		rating.Rate(before, []int{1, 2, 3, 3, 5}, rating.Full)
	}
}
