package games

// Worth is what a position is worth to seat, from 0 to 1: the payoff of a game that is over, else
// what Evaluate estimates.
func Worth(s Sim, seat Seat) float64 {
	if s.ToMove() == Nobody {
		return s.Payoff(seat)
	}
	return s.Evaluate(seat)
}

// WorthAfter is what a legal play is worth to seat, one play ahead. probe, a Sim of the same game, is overwritten.
func WorthAfter(s, probe Sim, m Move, seat Seat) float64 {
	probe.CopyFrom(s)
	probe.Play(m)
	return Worth(probe, seat)
}

// BestAhead is the one of these moves that is worth most, one play ahead, to the seat that is to
// move; the first of several. probe, a Sim of the same game, is overwritten.
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
