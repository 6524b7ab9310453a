// Package rating estimates the strength of players from their places in games.
//
// The method is the Bradley-Terry form, over all pairs, of Weng and Lin, "A Bayesian Approximation Method for Online
// Ranking" (JMLR 12, 2011, algorithm 1), without teams. The parameters and the ageing are those of the OpenSkill
// libraries. A strength is a normal distribution. The more surprising a result is, the more it changes a strength.
// Players can share a place. The Plackett-Luce form of the paper is unsuitable: it can rate the second place of a game
// higher than a win that several players share.
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
	beta       = startSigma / 2  // standard deviation of a player's performance in a game
	kappa      = 0.0001          // minimum variance after a game, relative to the variance before it
	tau        = startMu / 300.0 // standard deviation that ageing adds with each game
)

// Rating is an estimate of a player's strength: a normal distribution.
type Rating struct {
	Mu    float64 `json:"m"` // mean
	Sigma float64 `json:"s"` // standard deviation
}

// New returns the rating of a player who has not played yet.
func New() Rating { return Rating{Mu: startMu, Sigma: startSigma} }

// Constants for the display of ratings. With this scale, a player who has not played has 1500 points, as in many other
// rating systems.
const (
	scale = 60
	// bandWidth is half the width of the band, in standard deviations. In about 19 of 20 cases the strength is in the
	// band.
	bandWidth = 2
)

// Points returns the mean in the points that players see.
func (r Rating) Points() int { return int(math.Round(r.Mu * scale)) }

// Band returns the maximum difference between the strength and Points, in points, in about 19 of 20 cases.
func (r Rating) Band() int { return int(math.Round(bandWidth * r.Sigma * scale)) }

// settledBand is the maximum Band of a settled rating, in points. Two new players reach it after about a dozen
// games against each other; against players with settled ratings, fewer games suffice.
const settledBand = 720

// Anew returns the rating of a computer player whose program has changed: the same Mu, and a larger Sigma, because
// the new strength is uncertain. Sigma is at most that of New.
func (r Rating) Anew() Rating {
	return Rating{Mu: r.Mu, Sigma: min(startSigma, math.Hypot(r.Sigma, startSigma/2))}
}

// Settled reports whether the rating is precise enough to be meaningful.
func (r Rating) Settled() bool { return r.Band() <= settledBand }

// Sure returns the lower end of the band, in the unit of Mu. Players are ranked by Sure, so that nobody leads after a
// single lucky game.
func (r Rating) Sure() float64 { return r.Mu - bandWidth*r.Sigma }

// Round rounds a rating to a millionth, so that a stored rating is the same on every machine.
func (r Rating) Round() Rating {
	return Rating{Mu: math.Round(r.Mu*1e6) / 1e6, Sigma: math.Round(r.Sigma*1e6) / 1e6}
}

// Weight returns the weight of a game for player i against player j, from 0 (does not count) to 1 (counts fully).
type Weight func(i, j int) float64

// Rate returns the ratings after a game. before holds the players' ratings, and places their places: a lower place is
// better, and shared places are equal. A player's rating does not change if the weight against every other player is 0,
// or if there is no other player. The order of the players does not matter.
func Rate(before []Rating, places []int, weight Weight) []Rating {
	aged := slices.Clone(before)
	for i := range aged {
		if slices.ContainsFunc(opponents(before, places, i), func(q int) bool { return weight(i, q) > 0 }) {
			aged[i].Sigma = math.Sqrt(aged[i].Sigma*aged[i].Sigma + tau*tau)
		}
	}
	return bradleyTerry(aged, places, weight)
}

// bradleyTerry returns the ratings after a game, without ageing. The game counts as a game of each player against each
// other player, and a shared place counts as half a win. In the paper's terms, c is the standard deviation of the
// difference between two players, p is the chance of winning, and gamma limits the reduction of Sigma by a game.
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

// opponents returns the other players in an order that does not depend on the seats, so that the rounding of a sum over
// them does not depend on the seats either.
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
