package archive

import (
	"testing"

	"marque/games"
	"marque/games/ledger"
	"marque/games/review"
)

// A game is decided by a loser's mistake or by a draw that helped a winner, never by a winner's mistake or a loser's
// luck, however large. A drawn game can be decided by the mistake of any player.
func TestWhatDecidedAGame(t *testing.T) {
	mistake := func(play int, seat games.Seat, lost float64) review.TurningPoint {
		return review.TurningPoint{Play: play, Seat: seat, Had: lost}
	}
	luck := func(best ...ledger.Draw) *ledger.Ledger { return &ledger.Ledger{Best: best} }
	first := games.Result{Winners: []games.Seat{0}}
	for _, c := range []struct {
		name   string
		points []review.TurningPoint
		luck   *ledger.Ledger
		ended  games.Result
		worst  int // index of the play; -1 if there is none
		draw   int
		who    games.Seat
	}{
		{"nothing", nil, nil, first, -1, 0, games.Nobody},
		{"the winner's mistake", []review.TurningPoint{mistake(3, 0, 0.5)}, nil, first, -1, 0, games.Nobody},
		{"both go wrong", []review.TurningPoint{mistake(3, 0, 0.5), mistake(4, 1, 0.2), mistake(6, 1, 0.3)}, nil, first,
			6, 0, games.Nobody},
		{"the loser's luck", nil, luck(ledger.Draw{Play: 2, Change: 0.05}, ledger.Draw{Play: 5, Change: 0.4}), first,
			-1, 0, games.Nobody},
		{"the winner's luck", []review.TurningPoint{mistake(4, 1, 0.2)}, luck(ledger.Draw{Play: 2, Change: 0.3},
			ledger.Draw{Play: 5, Change: 0.4}), first, 4, 2, 0},
		{"less luck than the mistake cost", []review.TurningPoint{mistake(4, 1, 0.35)},
			luck(ledger.Draw{Play: 2, Change: 0.3}, ledger.Draw{}), first, 4, 0, games.Nobody},
		{"a shared win", nil, luck(ledger.Draw{Play: 2, Change: 0.2}, ledger.Draw{Play: 5, Change: 0.9},
			ledger.Draw{Play: 7, Change: 0.3}), games.Result{Winners: []games.Seat{0, 2}}, -1, 7, 2},
		{"a drawn game", []review.TurningPoint{mistake(3, 0, 0.5), mistake(4, 1, 0.2)}, luck(ledger.Draw{},
			ledger.Draw{Play: 5, Change: 0.4}), games.Result{Winners: []games.Seat{0, 1}, Drawn: true}, 3, 0,
			games.Nobody},
	} {
		worst, draw, who := decisive(c.points, c.luck, c.ended)
		play := -1
		if worst != nil {
			play = worst.Play
		}
		if play != c.worst || who != c.who || who != games.Nobody && draw.Play != c.draw {
			t.Errorf("%s: mistake at %d, draw at %d for %d; want %d, %d for %d", c.name, play, draw.Play, who, c.worst,
				c.draw, c.who)
		}
	}
}
