package games

// Worth returns the value of a position for seat, from 0 to 1: the payoff of a finished game, and otherwise the
// estimate of Evaluate.
func Worth(s Sim, seat Seat) float64 {
	if s.ToMove() == Nobody {
		return s.Payoff(seat)
	}
	return s.Evaluate(seat)
}

// WorthAfter returns the value for seat of the position after the legal move m. It overwrites probe, a Sim of the same
// game.
func WorthAfter(s, probe Sim, m Move, seat Seat) float64 {
	probe.CopyFrom(s)
	probe.Play(m)
	return Worth(probe, seat)
}

// BestAhead returns the move that leads to the best position for the seat to move, by Worth. Of equally good moves it
// returns the first. It overwrites probe, a Sim of the same game.
func BestAhead(s, probe Sim, moves []Move) Move {
	seat := s.ToMove()
	best, most := moves[0], -1.0
	for _, m := range moves {
		if worth := WorthAfter(s, probe, m, seat); worth > most {
			best, most = m, worth
		}
	}
	return best
}
