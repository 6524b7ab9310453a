// Package rating measures how strong players are from who came before whom.
//
// It is the Bradley-Terry form, over all pairs, of Weng and Lin, "A Bayesian Approximation Method
// for Online Ranking" (JMLR 12, 2011, algorithm 1), for players that each play for themselves, with
// the parameters and the ageing of the OpenSkill libraries: a strength is a normal distribution,
// and a game moves it by how surprising its outcome was. Places may be shared. (Their other form,
// Plackett-Luce, can rate the second place of a game above a win shared by several, so it is not
// the one for us.)
package rating

import (
	"cmp"
	"math"
	"slices"
)

// Parameters of the model, as OpenSkill has them.
const (
	startMu    = 25.0
	startSigma = startMu / 3
	beta       = startSigma / 2  // the spread of one player's form from game to game
	kappa      = 0.0001          // the least variance after one game, as a share of the variance before
	tau        = startMu / 300.0 // by how much what is known of a player ages from game to game
)

// Rating is an estimate of a player's strength: a normal distribution.
type Rating struct {
	Mu    float64 `json:"m"` // its middle
	Sigma float64 `json:"s"` // its standard deviation
}

// New is the rating of a player who has not played yet.
func New() Rating { return Rating{Mu: startMu, Sigma: startSigma} }

// The scale on which ratings are shown: 1500 for a player who has not played, as many players know it from other games.
const (
	scale = 60
	// bandWidth is how many standard deviations the band reaches to either side: in about 19 of 20
	// cases the strength is within.
	bandWidth = 2
)

// Points is the rating as players see it.
func (r Rating) Points() int { return int(math.Round(r.Mu * scale)) }

// Band is how far the strength may be above or below Points, in about 19 of 20 cases.
func (r Rating) Band() int { return int(math.Round(bandWidth * r.Sigma * scale)) }

// settledBand is the band within which a rating is meaningful: that of about a dozen games.
const settledBand = 720

// Anew is the rating of a player who was changed: as strong as before as far as anybody knows, which is
// little.
func (r Rating) Anew() Rating {
	return Rating{Mu: r.Mu, Sigma: min(startSigma, math.Hypot(r.Sigma, startSigma/2))}
}

// Settled reports whether enough is known of the player for the rating to say something.
func (r Rating) Settled() bool { return r.Band() <= settledBand }

// Sure is the lower end of the band, by which players are ranked: nobody leads by one lucky game.
// It has the unit of Mu.
func (r Rating) Sure() float64 { return r.Mu - bandWidth*r.Sigma }

// Round cuts a rating to a millionth, so that what is written and read again is the same on every
// machine.
func (r Rating) Round() Rating {
	return Rating{Mu: math.Round(r.Mu*1e6) / 1e6, Sigma: math.Round(r.Sigma*1e6) / 1e6}
}

// Weight is how much of a game counts for player i against player j, from 0 for nothing to 1 for all.
type Weight func(i, j int) float64

// Rate returns the ratings after a game: before are the ratings of the players, places their places, the best the
// lowest, equal where shared. Players with weight 0 keep their ratings, and so do all when there are fewer than two.
// The order of the players does not matter.
func Rate(before []Rating, places []int, weight Weight) []Rating {
	aged := slices.Clone(before)
	for i := range aged {
		if slices.ContainsFunc(opponents(before, places, i), func(q int) bool { return weight(i, q) > 0 }) {
			aged[i].Sigma = math.Sqrt(aged[i].Sigma*aged[i].Sigma + tau*tau)
		}
	}
	return bradleyTerry(aged, places, weight)
}

// bradleyTerry is one game without ageing: every player has played every other one, and a shared
// place is half a win. In the paper's words c is the spread of the two players' difference, p the
// chance to come first, gamma how far one game may be trusted.
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

// opponents are the others in an order that does not depend on who sits where, so that neither does
// the last bit of a sum.
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
