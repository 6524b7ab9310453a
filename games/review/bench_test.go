//go:build unix

package review_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/lab"
	"marque/games/ledger"
	"marque/games/review"
)

// thinker is a pool that counts its assessments.
type thinker struct {
	computer.Pool
	quick, thorough int
}

func (t *thinker) Assess(ctx context.Context, v games.View, played games.Move, effort computer.Effort,
	seed uint64) (computer.Assessment, error) {
	if effort == computer.Quick {
		t.quick++
	} else {
		t.thorough++
	}
	return t.Pool.Assess(ctx, v, played, effort, seed)
}

// cpu returns the processor time used by the process. Other programs affect it less than the elapsed time.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkReport measures the work for the report of a game between a casual and a hard player: the numbers of quick
// and thorough assessments, and the time for evaluating dice and cards.
func BenchmarkReport(b *testing.B) {
	for _, g := range catalog.Games {
		setup, err := games.NewSetup(g, 2)
		if err != nil {
			b.Fatal(err)
		}
		m, err := games.NewMatch(g, games.Header{Game: g.Key(), Version: g.Version(), Setup: setup})
		if err != nil {
			b.Fatal(err)
		}
		players := make([]lab.Chooser, 2)
		for i, name := range []string{"casual", "hard"} {
			maker, err := lab.ParsePlayer(name, g.Key())
			if err != nil {
				b.Fatal(err)
			}
			players[i] = maker(uint64(i) + 1)
		}
		for rng := games.NewRand(1); !m.Over() && m.Len() < 1000; {
			var move games.Move
			if seat := m.ToMove(); seat == games.Chance {
				move = rng.Outcome(m.State().Outcomes())
			} else if move, _, err = players[seat].Choose(b.Context(), m.View(seat)); err != nil {
				b.Fatal(err)
			}
			if err := m.Play(move); err != nil {
				b.Fatal(err)
			}
		}
		var t thinker
		b.Run(fmt.Sprintf("%s/turning-points", g.Key()), func(b *testing.B) {
			began := cpu(b)
			for b.Loop() {
				if _, err := review.Find(b.Context(), &t, m, m.Len(), 1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cpu(b)-began).Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(t.quick)/float64(b.N), "quick")
			b.ReportMetric(float64(t.thorough)/float64(b.N), "thorough")
		})
		if g.Traits().Chance {
			b.Run(fmt.Sprintf("%s/luck", g.Key()), func(b *testing.B) {
				began := cpu(b)
				for b.Loop() {
					if _, err := ledger.Of(b.Context(), m); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric((cpu(b)-began).Seconds()/float64(b.N), "cpu-s/op")
			})
		}
	}
}
