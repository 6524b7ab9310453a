// Package rating estimates the strength of players from their places in games.
//
// The method is the Bradley-Terry form, over all pairs, of Weng and Lin, "A Bayesian Approximation Method for Online
// Ranking" (JMLR 12, 2011, algorithm 1), without teams. The parameters and the ageing are those of the OpenSkill
// libraries. A strength is a normal distribution. The more surprising a result is, the more it changes a strength.
// Places may be shared. The paper's other form, Plackett-Luce, is unsuitable: it can rate the second place of a game
// above a win that several players share.
package rating

import (
	"cmp"
	"math"
	"slices"
)

// Parameters of the model, as in OpenSkill.
const (
	startMu    = 25.0
	startSigma = startMu / 3
	beta       = startSigma / 2  // the standard deviation of a player's performance in one game
	kappa      = 0.0001          // the minimum variance after one game, relative to the variance before
	tau        = startMu / 300.0 // the standard deviation that each game adds by ageing
)

// Rating is an estimate of a player's strength: a normal distribution.
type Rating struct {
	Mu    float64 `json:"m"` // mean
	Sigma float64 `json:"s"` // standard deviation
}

// New returns the rating of a player who has not played yet.
func New() Rating { return Rating{Mu: startMu, Sigma: startSigma} }

// The scale for display. A player who has not played has 1500, as in many other rating systems.
const (
	scale = 60
	// bandWidth is half the width of the band, in standard deviations. In about 19 of 20 cases the strength is within
	// the band.
	bandWidth = 2
)

// Points returns the rating as players see it.
func (r Rating) Points() int { return int(math.Round(r.Mu * scale)) }

// Band returns how far the strength may be above or below Points, in about 19 of 20 cases.
func (r Rating) Band() int { return int(math.Round(bandWidth * r.Sigma * scale)) }

// settledBand is the maximum Band of a settled rating. A rating reaches it after about a dozen games.
const settledBand = 720

// Anew returns the rating of a player whose program has changed: the same Mu, with a larger Sigma, because the new
// strength is uncertain.
func (r Rating) Anew() Rating {
	return Rating{Mu: r.Mu, Sigma: min(startSigma, math.Hypot(r.Sigma, startSigma/2))}
}

// Settled reports whether the rating is precise enough to be meaningful.
func (r Rating) Settled() bool { return r.Band() <= settledBand }

// Sure returns the lower end of the band, in the unit of Mu. Players are ranked by Sure, so that nobody leads after one
// lucky game.
func (r Rating) Sure() float64 { return r.Mu - bandWidth*r.Sigma }

// Round rounds a rating to a millionth, so that a stored rating is the same on every machine.
func (r Rating) Round() Rating {
	return Rating{Mu: math.Round(r.Mu*1e6) / 1e6, Sigma: math.Round(r.Sigma*1e6) / 1e6}
}

// Weight returns how much of a game counts for player i against player j, from 0 for nothing to 1 for all.
type Weight func(i, j int) float64

// Rate returns the ratings after a game. before holds the players' ratings, and places their places: lower is better,
// and shared places are equal. A player with weight 0 against every other player keeps the same rating, as does a
// single player. The order of the players does not matter.
func Rate(before []Rating, places []int, weight Weight) []Rating {
	aged := slices.Clone(before)
	for i := range aged {
		if slices.ContainsFunc(opponents(before, places, i), func(q int) bool { return weight(i, q) > 0 }) {
			aged[i].Sigma = math.Sqrt(aged[i].Sigma*aged[i].Sigma + tau*tau)
		}
	}
	return bradleyTerry(aged, places, weight)
}

// bradleyTerry returns the ratings after one game, without ageing. The game counts as a game of each player against
// each other player, and a shared place counts as half a win. In the paper's terms c is the standard deviation of the
// difference between two players, p is the chance to win, and gamma limits how much one game reduces Sigma.
func bradleyTerry(before []Rating, places []int, weight Weight) []Rating {
	after := make([]Rating, len(before))
	for i, r := range before {
		omega, delta := 0.0, 0.0
		for _, q := range opponents(before, places, i) {
			o := before[q]
			c := math.Sqrt(r.Sigma*r.Sigma + o.Sigma*o.Sigma + 2*beta*beta)
			p := 1 / (1 + math.Exp((o.Mu-r.Mu)/c))
			gamma := r.Sigma / c
			w := weight(i, q)
			omega += w * r.Sigma * r.Sigma / c * (score(places[i], places[q]) - p)
			delta += w * gamma * r.Sigma * r.Sigma / (c * c) * p * (1 - p)
		}
		after[i] = Rating{Mu: r.Mu + omega, Sigma: r.Sigma * math.Sqrt(max(1-delta, kappa))}
	}
	return after
}

func score(place, other int) float64 {
	switch {
	case place < other:
		return 1
	case place > other:
		return 0
	}
	return 0.5
}

// opponents returns the other players in an order that does not depend on the seats. The rounding of a sum over the
// opponents then does not depend on the seats either.
func opponents(all []Rating, places []int, of int) []int {
	var list []int
	for q := range all {
		if q != of {
			list = append(list, q)
		}
	}
	slices.SortFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(places[a], places[b]), cmp.Compare(all[a].Mu, all[b].Mu),
			cmp.Compare(all[a].Sigma, all[b].Sigma))
	})
	return list
}
