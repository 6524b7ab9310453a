package review

import "math"

// anchors are the mean losses of a decision, as shares of the chance of winning, of players that
// play against themselves: as Glance judges them.
type anchors struct{ random, casual, hard float64 }

// measured are the anchors of each game: `marque-lab accuracy` measures them again when the players
// or their evaluations change.
var measured = map[string]anchors{
	"loyal-captain":        {random: 0.1033, casual: 0.0757, hard: 0.0320},
	"quedah-merchant":      {random: 0.0997, casual: 0.0476, hard: 0.0010},
	"madagascar":           {random: 0.0660, casual: 0.0456, hard: 0.0222},
	"freebooter":           {random: 0.0163, casual: 0.0078, hard: 0.0011},
	"pirate-versus-pirate": {random: 0.1321, casual: 0.0230, hard: 0.0048},
	"pirat":                {random: 0.0239, casual: 0.0152, hard: 0.0002},
}

// The accuracies of the anchors, in per cent.
const (
	accuracyOfRandom = 30
	accuracyOfCasual = 60
	accuracyOfHard   = 90
)

// Accuracy is how accurately somebody played a game who gave away so much of the chance of winning
// with each decision, on the mean: 100 is who gives nothing away, 90 who gives away as much as the
// hard computer player, 60 as the casual one, with straight lines between. Below that it halves with each
// step as long as that to somebody who plays at random, who has 30, and never comes to 0. So the same accuracy
// is about the same strength in every game. It is false for games that were not measured.
func Accuracy(game string, lost float64) (float64, bool) {
	a, ok := measured[game]
	if !ok {
		return 0, false
	}
	between := func(from, to, at, until float64) float64 { return from + (to-from)*(lost-at)/(until-at) }
	switch {
	case lost <= a.hard:
		return between(100, accuracyOfHard, 0, a.hard), true
	case lost <= a.casual:
		return between(accuracyOfHard, accuracyOfCasual, a.hard, a.casual), true
	default:
		steps := between(0, 1, a.casual, a.random)
		return accuracyOfCasual * math.Pow(accuracyOfRandom/float64(accuracyOfCasual), steps), true
	}
}
