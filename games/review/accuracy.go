package review

import "math"

// anchors are mean losses per decision of three kinds of players, in games against players of the same kind. A loss is
// a difference between two chances, from 0 to 1, as Assess finds it.
type anchors struct{ random, casual, hard float64 }

// measured holds the anchors of each game, by key. Run `marque-lab accuracy` again when the computer players or their
// evaluations change. Reports of games that are not listed show no accuracy.
var measured = map[string]anchors{
	"loyal-captain":        {random: 0.1033, casual: 0.0757, hard: 0.0320},
	"quedah-merchant":      {random: 0.0997, casual: 0.0476, hard: 0.0010},
	"madagascar":           {random: 0.0660, casual: 0.0456, hard: 0.0222},
	"freebooter":           {random: 0.0563, casual: 0.0285, hard: 0.0017},
	"pirate-versus-pirate": {random: 0.1370, casual: 0.0276, hard: 0.0095},
	"pirat":                {random: 0.0226, casual: 0.0138, hard: 0.0003},
}

// The accuracies of the anchors, in percent.
const (
	accuracyOfRandom = 30
	accuracyOfCasual = 60
	accuracyOfHard   = 90
)

// Accuracy returns the accuracy of a player in a game, at most 100. lost is the player's mean loss per decision, as a
// difference between two chances. No loss gives 100, the mean loss of the hard computer player gives 90, that of the
// casual one 60, and that of random play 30. Values between 100 and 60 are interpolated linearly. Above the casual
// player's mean loss, the accuracy halves whenever lost grows by the difference between the random player's mean loss
// and the casual one's, so it never reaches 0. The same accuracy means about the same strength in every game. ok is
// false for games that were not measured.
func Accuracy(game string, lost float64) (accuracy float64, ok bool) {
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
