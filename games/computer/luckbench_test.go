package computer

import (
	"fmt"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/learned"
)

// cardGames lists the keys of games with hidden hands, whose search subtracts the luck of the cards.
var cardGames = []string{"freebooter", "pirat"}

// playCards plays a game of two players, in which choose makes every decision.
func playCards(b *testing.B, g games.Game, seed uint64, choose func(games.State) games.Move) games.Result {
	setup, err := games.NewSetup(g, 2)
	if err != nil {
		b.Fatal(err)
	}
	rng := games.NewRand(seed)
	s := g.New(setup)
	for s.ToMove() != games.Nobody {
		if s.ToMove() == games.Chance {
			s = s.Apply(rng.Outcome(s.Outcomes()))
		} else {
			s = s.Apply(choose(s))
		}
	}
	return s.Result()
}

// BenchmarkRegret measures how much worse the chosen moves are than the best ones, according to a search of 200,000
// iterations. The unit is percentage points of winning, per decision and per player and game. Use -benchtime 1x: a
// single run covers 150 decisions.
func BenchmarkRegret(b *testing.B) {
	for _, key := range cardGames {
		g, _ := catalog.Find(key)
		const looked, every = 150, 9
		var views []games.View
		decisions, played := 0, 0
		for ; len(views) < looked; played++ {
			players := [2]*Player{New(Hard, Limit{Iterations: 400}, uint64(2*played)),
				New(Hard, Limit{Iterations: 400}, uint64(2*played+1))}
			playCards(b, g, uint64(played), func(s games.State) games.Move {
				v := games.Look(s, s.ToMove())
				if len(s.Moves()) > 1 {
					if decisions++; decisions%every == 0 {
						views = append(views, v)
					}
				}
				return choice(b, players[v.Viewer], v).Candidates[0].Move
			})
		}
		views = views[:looked]
		var best []Thought
		for i, v := range views {
			best = append(best, choice(b, New(Hard, Limit{Iterations: 200_000}, uint64(looked+i)), v))
		}
		for _, iterations := range []int{1_500, 6_000, 30_000} {
			b.Run(fmt.Sprintf("%s/iterations=%d", key, iterations), func(b *testing.B) {
				sum, n := 0.0, 0
				for b.Loop() {
					for i, v := range views {
						n++
						m := choice(b, New(Hard, Limit{Iterations: iterations}, uint64(i)), v).Candidates[0].Move
						for _, c := range best[i].Candidates {
							if c.Move == m {
								sum += max(0, best[i].Chance-c.Chance)
							}
						}
					}
				}
				b.ReportMetric(100*sum/float64(n), "points/decision")
				b.ReportMetric(100*sum/float64(n)*float64(decisions)/float64(2*played), "points/game")
			})
		}
	}
}

// BenchmarkOpenHands measures the value of seeing the opponent's cards: the share of games won by a player who sees
// them against an equal player who does not. Use -benchtime 200x for 200 games.
func BenchmarkOpenHands(b *testing.B) {
	for _, key := range cardGames {
		g, _ := catalog.Find(key)
		b.Run(key, func(b *testing.B) {
			won, n := 0.0, 0
			for b.Loop() {
				seer := games.Seat(n % 2)
				players := [2]*Player{New(Hard, Hard.Limit(key), uint64(2*n)),
					New(Hard, Hard.Limit(key), uint64(2*n+1))}
				r := playCards(b, g, uint64(n/2), func(s games.State) games.Move {
					v := games.Look(s, s.ToMove())
					if v.Viewer == seer {
						v.State = openState{s}
					}
					return choice(b, players[v.Viewer], v).Candidates[0].Move
				})
				won += r.Payoff(seer)
				n++
			}
			b.ReportMetric(100*won/float64(n), "%won")
		})
	}
}

func choice(b *testing.B, p *Player, v games.View) Thought {
	_, t, err := p.Choose(b.Context(), v)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// openState is a position with open hands. It does not implement Hider, so the search deals no hidden cards.
type openState struct{ games.State }

func (s openState) Sim() games.Sim { return openSim{s.State.Sim().(cardSim)} }

// cardSim combines the optional interfaces that the Sims of card games implement.
type cardSim interface {
	learned.Evaluator
	games.Tuner
	games.Folder
}

type openSim struct{ cardSim }

func (s openSim) CopyFrom(other games.Sim) { s.cardSim.CopyFrom(other.(openSim).cardSim) }

func (openSim) Redeal(games.Seat, *games.Rand) {}
