package computer

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"marque/games"
	"marque/games/text"
)

// Threat is a capture or a win that a move makes possible for its player, or that it prevents for another seat.
type Threat struct {
	Said     text.Message // the captures or the winning move, in the game's sentences
	Wins     bool         // the threat wins the game immediately
	Share    float64      // fraction of the simulations in which the threat is possible
	Prevents bool         // the threat is another seat's, and the move prevents it
}

const (
	threatLines = 128  // number of simulations
	threatPlies = 64   // maximum number of plays in a simulation
	leastShare  = 0.15 // minimum Share of a threat that is mentioned

	preventLines = 48 // number of simulations of what a move prevents
)

// Threaten finds the viewer's best threat after move m: the best capture or win at the viewer's next decision or
// before. The viewer must be to move. Each simulation deals the hidden cards again. Other seats and chance play at
// random, and the viewer plays the best moves by Sim.Evaluate. So the threat is possible as far as the viewer
// knows. Threaten returns false if no threat has a Share of at least leastShare.
//
// The same view, move and seed give the same threat, unless ctx ends early.
func Threaten(ctx context.Context, v games.View, m games.Move, seed uint64) (Threat, bool) {
	rng := games.NewRand(seed)
	var found []prospect
	tried := 0
	for ; tried < threatLines && ctx.Err() == nil; tried++ {
		s := games.Sample(v.State, v.Viewer, rand.New(rng)).Apply(m)
		for _, p := range prospects(s, v.Viewer, rng) {
			f := same(&found, p)
			f.gain += p.gain
			f.times++
		}
	}
	best := Threat{}
	most := 0.0
	for _, p := range found {
		share := float64(p.times) / float64(tried)
		if p.gain > most && share >= leastShare {
			most = p.gain
			best = Threat{Said: p.said, Wins: p.wins, Share: share}
		}
	}
	return best, most > 0
}

// prospect is a capture or a win that a seat could make.
type prospect struct {
	key   string
	said  text.Message
	wins  bool
	gain  float64 // increase of the seat's chance of winning
	times int
}

// same returns the prospect in list with the key of p. If there is none, same adds one with zero gain and times.
func same(list *[]prospect, p prospect) *prospect {
	i := slices.IndexFunc(*list, func(l prospect) bool { return l.key == p.key })
	if i < 0 {
		i = len(*list)
		*list = append(*list, prospect{key: p.key, said: p.said, wins: p.wins})
	}
	return &(*list)[i]
}

// prospects continues the game until the viewer can capture something or win, at most until the viewer's next decision
// after other seats have moved. It returns these captures and wins, or a capture for the viewer by a play of another
// seat or of chance.
func prospects(s games.State, viewer games.Seat, rng *games.Rand) []prospect {
	others := false // whether other seats have played
	for range threatPlies {
		var m games.Move
		switch s.ToMove() {
		case games.Nobody:
			return nil
		case viewer:
			list := strikes(s, viewer, viewer)
			if others || len(list) > 0 {
				return list
			}
			s = s.Apply(likely(s, viewer))
			continue
		case games.Chance:
			m = rng.Outcome(s.Outcomes())
		default:
			moves := s.Moves()
			m = moves[rng.IntN(len(moves))]
			others = true
		}
		if p, ok := strike(s, m, viewer, viewer); ok {
			return []prospect{p}
		}
		s = s.Apply(m)
	}
	return nil
}

// likely returns the viewer's move with the best evaluation.
func likely(s games.State, viewer games.Seat) games.Move {
	from, probe := s.Sim(), s.Sim()
	best, most := games.Move(0), -1.0
	for _, m := range s.Moves() {
		if w := games.WorthAfter(from, probe, m, viewer); w > most {
			best, most = m, w
		}
	}
	return best
}

// strikes returns the different captures and wins by the moves of seat, which is to move.
func strikes(s games.State, seat, viewer games.Seat) (list []prospect) {
	for _, m := range s.Moves() {
		if p, ok := strike(s, m, seat, viewer); ok && !slices.ContainsFunc(list, func(l prospect) bool {
			return l.key == p.key
		}) {
			list = append(list, p)
		}
	}
	return list
}

// strike returns a seat's gain by a play of any seat, if the play captures or wins something and improves the seat's
// position. Its sentence tells what viewer can see.
func strike(s games.State, m games.Move, seat, viewer games.Seat) (prospect, bool) {
	masked, seen := games.Mask(s, viewer), games.MaskMove(s, m, viewer)
	striker, ok := masked.(games.Striker)
	if !ok {
		return prospect{}, false
	}
	p := prospect{}
	p.said, ok = striker.Strike(seen, seat)
	if s.ToMove() == seat {
		if r := s.Apply(m).Result(); slices.Equal(r.Winners, []games.Seat{seat}) {
			p.wins = true
			if !ok {
				p.said, ok = masked.Describe(seen), true
			}
		}
	}
	if !ok {
		return prospect{}, false
	}
	from, probe := s.Sim(), s.Sim()
	p.gain = games.WorthAfter(from, probe, m, seat) - from.Evaluate(seat)
	p.key = fmt.Sprint(p.wins, p.said) // package fmt sorts the keys of maps
	return p, p.gain > 0
}

// Prevent finds the best capture or win that the seat after the viewer could make, and that move m prevents. In at
// least half of the simulations a random other move allows it, and in none does m. Each simulation deals the hidden
// cards again. Prevent returns false if m prevents nothing.
//
// The same view, move and seed give the same threat, unless ctx ends early.
func Prevent(ctx context.Context, v games.View, m games.Move, seed uint64) (Threat, bool) {
	rng := games.NewRand(seed)
	var allowed []prospect
	tried := 0
	for ; tried < preventLines && ctx.Err() == nil; tried++ {
		s := games.Sample(v.State, v.Viewer, rand.New(rng))
		moves := slices.DeleteFunc(slices.Clone(s.Moves()), func(o games.Move) bool { return o == m })
		if len(moves) == 0 {
			return Threat{}, false
		}
		for _, p := range answers(s.Apply(moves[rng.IntN(len(moves))]), v.Viewer, rng) {
			a := same(&allowed, p)
			a.gain += p.gain
			a.times++
		}
		for _, p := range answers(s.Apply(m), v.Viewer, rng) {
			same(&allowed, p).times = -preventLines // m does not prevent it
		}
	}
	allowed = slices.DeleteFunc(allowed, func(p prospect) bool { return 2*p.times < tried })
	if len(allowed) == 0 {
		return Threat{}, false
	}
	best := slices.MaxFunc(allowed, func(a, b prospect) int { return cmp.Compare(a.gain, b.gain) })
	return Threat{Said: best.said, Wins: best.wins, Share: float64(best.times) / float64(tried), Prevents: true}, true
}

// answers returns the captures and wins of the first other seat that moves. Chance plays at random, and the viewer
// plays the best moves by Sim.Evaluate.
func answers(s games.State, viewer games.Seat, rng *games.Rand) []prospect {
	for range threatPlies {
		switch seat := s.ToMove(); seat {
		case games.Nobody:
			return nil
		case games.Chance:
			s = s.Apply(rng.Outcome(s.Outcomes()))
		case viewer:
			s = s.Apply(likely(s, viewer))
		default:
			return strikes(s, seat, viewer)
		}
	}
	return nil
}

// Threaten returns the threat of a move. If the move threatens nothing, or only a capture that is possible in fewer
// than half of the simulations, Threaten prefers a threat that the move prevents, if there is one.
func (*Pool) Threaten(ctx context.Context, v games.View, m games.Move, seed uint64) (Threat, bool) {
	threat, ok := Threaten(ctx, v, m, seed)
	if ok && (threat.Wins || threat.Share >= 0.5) {
		return threat, true
	}
	if prevented, ok := Prevent(ctx, v, m, seed); ok {
		return prevented, true
	}
	return threat, ok
}
