package gametest

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"marque/games"
)

const (
	// benchPlies is the maximum number of plies in a random game, so that the benchmark also ends with endless games.
	benchPlies = 1000
	// benchRound is the length of a turn. It is short, so that some turns run undisturbed by other programs.
	benchRound = 2 * time.Millisecond
)

// BenchmarkRandomPlay plays random games of g in each of its setups. Three methods take turns: one worker with a Sim,
// two workers with a Sim each, and the reference, which uses State.Moves and State.Apply. An iteration is a turn of
// each method. The benchmark reports the plies of a game, including chance. From the fastest turns, which other
// programs slowed least, it reports one worker's nanoseconds per ply and plies per second, two workers' plies per
// second, and two ratios: of two workers to one, and of one worker to the reference.
func BenchmarkRandomPlay(b *testing.B, g games.Game) {
	b.Helper()
	for _, setup := range Setups(g) {
		b.Run(Name(setup), func(b *testing.B) { randomPlay(b, g.New(setup)) })
	}
}

func randomPlay(b *testing.B, start games.State) {
	players := [2]*randomPlayer{newRandomPlayer(start, 1), newRandomPlayer(start, 2)}
	slow := rand.New(rand.NewPCG(1, 1))
	var one, two, reference pace
	for b.Loop() {
		runtime.GC() // collect the reference's garbage before the others play
		one.add(players[0].play(benchRound))
		two.add(together(players, benchRound))
		reference.add(playStates(start, slow, benchRound))
	}
	b.ReportMetric(1e9/one.best, "ns/ply")
	b.ReportMetric(one.best, "plies/s")
	b.ReportMetric(float64(one.plies)/float64(one.games), "plies/game")
	b.ReportMetric(two.best, "plies/s-of-2")
	b.ReportMetric(two.best/one.best, "of-2/of-1")
	b.ReportMetric(one.best/reference.best, "of-1/State")
	b.ReportMetric(0, "ns/op") // hides the time per iteration, which only depends on benchRound
}

// turn holds the results of a single turn.
type turn struct {
	plies, games int
	time         time.Duration
}

// pace adds up the turns of a benchmark. best is the speed of the fastest turn, in plies per second.
type pace struct {
	plies, games int
	best         float64
}

func (p *pace) add(t turn) {
	p.plies, p.games = p.plies+t.plies, p.games+t.games
	p.best = max(p.best, float64(t.plies)/t.time.Seconds())
}

// randomPlayer is a worker's Sim and generator. To keep different workers' data in different cache lines, the generator
// has padding around it, and the Sim is one of several, the rest of which are unused.
type randomPlayer struct {
	_     [128]byte
	sims  [9]games.Sim
	start games.Sim
	sim   games.Sim
	rng   games.Rand
	_     [128]byte
}

func newRandomPlayer(start games.State, seed uint64) *randomPlayer {
	p := &randomPlayer{start: start.Sim(), rng: *games.NewRand(seed)}
	for i := range p.sims {
		p.sims[i] = start.Sim()
	}
	p.sim = p.sims[len(p.sims)/2]
	return p
}

// play plays whole games until the duration d is over.
func (p *randomPlayer) play(d time.Duration) (t turn) {
	for began := time.Now(); t.time < d; t.time = time.Since(began) {
		p.sim.CopyFrom(p.start)
		n := 0
		for ; n < benchPlies && p.sim.ToMove() != games.Nobody; n++ {
			p.sim.PlayRandom(&p.rng)
		}
		t.plies, t.games = t.plies+n, t.games+1
	}
	return t
}

// together runs both players in parallel. The turn takes as long as the slower player.
func together(players [2]*randomPlayer, d time.Duration) turn {
	var (
		turns [2]turn
		done  sync.WaitGroup
	)
	for i, p := range players {
		done.Go(func() { turns[i] = p.play(d) })
	}
	done.Wait()
	return turn{turns[0].plies + turns[1].plies, turns[0].games + turns[1].games, max(turns[0].time, turns[1].time)}
}

// playStates plays whole games with immutable States until the duration d is over.
func playStates(start games.State, rng *rand.Rand, d time.Duration) (t turn) {
	for began := time.Now(); t.time < d; t.time = time.Since(began) {
		s, n := start, 0
		for ; n < benchPlies && s.ToMove() != games.Nobody; n++ {
			_, s = Random(s, rng)
		}
		t.plies, t.games = t.plies+n, t.games+1
	}
	return t
}
