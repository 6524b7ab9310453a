package piratevspirate

import (
	"testing"

	"marque/games"
	"marque/games/gametest"
)

func TestConformance(t *testing.T) {
	two := games.Setup{Seats: 2}
	three := games.Setup{Seats: 3}
	off := []games.Setting{{Key: backstabbing, Value: "off"}}
	gametest.Run(t, Game, gametest.Config{
		Games: 2,
		Every: 23,
		Seed:  353, // this seed gives short games in every setup, with all three ways to win
		Perft: []gametest.Perft{
			{Setup: two, Plies: 2, Depth: 3},
			{Setup: two, Plies: 100, Depth: 3},
			{Setup: three, Plies: 60, Depth: 3},
			{Setup: games.Setup{Seats: 2, Options: off}, Plies: 120, Depth: 2},
			{Setup: games.Setup{Seats: 3, Options: off}, Plies: 90, Depth: 2},
		},
	})
}

func BenchmarkRandomPlay(b *testing.B) { gametest.BenchmarkRandomPlay(b, Game) }

// TestEvaluateKnowsWhoLeads: a player who chooses the move with the best Evaluate wins at least nine of ten games
// against random play.
func TestEvaluateKnowsWhoLeads(t *testing.T) {
	const played = 24
	for _, setup := range gametest.Setups(Game) {
		rng := games.NewRand(9)
		s, start, try := Game.New(setup).Sim(), Game.New(setup).Sim(), Game.New(setup).Sim()
		won := 0.0
		var buf []games.Move
		for i := range played {
			s.CopyFrom(start)
			me := games.Seat(i % setup.Seats)
			for s.ToMove() != games.Nobody {
				if s.ToMove() != me {
					s.PlayRandom(rng)
					continue
				}
				buf = s.AppendMoves(buf[:0])
				best, choice := -1.0, buf[0]
				for _, m := range buf {
					try.CopyFrom(s)
					try.Play(m)
					v := 2.0
					if try.ToMove() != games.Nobody {
						v = try.Evaluate(me)
					}
					if v > best {
						best, choice = v, m
					}
				}
				s.Play(choice)
			}
			won += s.Payoff(me)
		}
		if won < 0.9*played {
			t.Errorf("%s: Evaluate wins %g of %d games against random play, want at least nine of ten",
				gametest.Name(setup), won, played)
		}
	}
}
