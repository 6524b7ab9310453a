package games

// Worth is the value of a position for seat, from 0 to 1: the payoff of a game that is over, otherwise Evaluate's
// estimate.
func Worth(s Sim, seat Seat) float64 {
	if s.ToMove() == Nobody {
		return s.Payoff(seat)
	}
	return s.Evaluate(seat)
}

// WorthAfter is the value of a legal play for seat, one play ahead. probe, a Sim of the same game, is overwritten.
func WorthAfter(s, probe Sim, m Move, seat Seat) float64 {
	probe.CopyFrom(s)
	probe.Play(m)
	return Worth(probe, seat)
}

// BestAhead returns the best of the moves for the seat to move, looking one play ahead. Of equally good moves it
// returns the first. probe, a Sim of the same game, is overwritten.
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
