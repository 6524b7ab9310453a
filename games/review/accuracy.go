package review

// anchors are the mean losses of a decision, as shares of the chance of winning, of players that
// play against themselves: as Glance judges them.
type anchors struct{ random, easy, hard float64 }

// measured are the anchors of each game: `marque-lab accuracy` measures them anew when the players
// or their evaluations change.
var measured = map[string]anchors{
	"loyal-captain":        {random: 0.0986, easy: 0.0549, hard: 0.0124},
	"quedah-merchant":      {random: 0.0809, easy: 0.0403, hard: 0.0004},
	"madagascar":           {random: 0.0656, easy: 0.0461, hard: 0.0145},
	"freebooter":           {random: 0.0234, easy: 0.0151, hard: 0.0014},
	"pirate-versus-pirate": {random: 0.1373, easy: 0.0321, hard: 0.0052},
	"pirat":                {random: 0.0255, easy: 0.0144, hard: 0.0002},
}

// The accuracies of the anchors, in per cent.
const (
	accuracyOfEasy = 60
	accuracyOfHard = 90
)

// Accuracy is how accurately somebody played a game who gave away so much of the chance of winning
// with each decision, on the mean: 100 is who gives nothing away, 90 who gives away as much as the
// hard computer player, 60 as the easy one, 0 as somebody who plays at random, and straight lines
// lie between. So the same accuracy is the same strength in every game. It is false for games that
// were not measured.
func Accuracy(game string, lost float64) (float64, bool) {
	a, ok := measured[game]
	if !ok {
		return 0, false
	}
	between := func(from, to, at, until float64) float64 { return from + (to-from)*(lost-at)/(until-at) }
	switch {
	case lost <= a.hard:
		return between(100, accuracyOfHard, 0, a.hard), true
	case lost <= a.easy:
		return between(accuracyOfHard, accuracyOfEasy, a.hard, a.easy), true
	default:
		return max(0, between(accuracyOfEasy, 0, a.easy, a.random)), true
	}
}
