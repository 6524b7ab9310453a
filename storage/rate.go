package storage

import (
	"marque/games"
	"marque/games/rating"
)

// Rate counts a result on its leaderboards and sets its Ratings to the new ratings. find returns a player's line of a
// leaderboard; it must return the same line for the same arguments. A computer player with several seats gets the mean
// of their new ratings. A new version of a computer player begins with a less certain rating (rating.Rating.Anew). A
// seat without a holder counts as a newcomer and is on no leaderboard.
//
// Between two people the result counts less if they have played each other lately, if the opponent has played
// little with others, or if the opponent left early (Stayed). A player who left still loses in full. The result does
// not count between two people if one of them is DecidedFew. A result that does not count at all (Counts) changes no
// line and gets no Ratings. Rate returns find's error.
func (r *Result) Rate(find func(b Board, player string) (*Standing, error)) error {
	r.Ratings = nil
	if !r.Counts() {
		return nil
	}
	places := r.Places()
	for _, b := range r.Boards() {
		lines := make([]*Standing, len(r.Seats))
		before := make([]rating.Rating, len(r.Seats))
		for i, o := range r.Seats {
			if o.Player() == "" {
				lines[i] = &Standing{Rating: rating.New()}
				before[i] = lines[i].Rating
				continue
			}
			l, err := find(b, o.Player())
			if err != nil {
				return err
			}
			if l.Number == 0 {
				l.Number = uint64(r.Table)<<6 | uint64(i)
			}
			if o.Computer != "" && r.ComputerVersion > l.ComputerVersion {
				if l.Games > 0 {
					l.Rating = l.Rating.Anew()
				}
				l.ComputerVersion = r.ComputerVersion
			}
			lines[i], before[i] = l, l.Rating
		}
		after := rating.Rate(before, places, func(i, j int) float64 { return r.between(lines, i, j) })
		for i, l := range lines {
			if !r.CountsFor(games.Seat(i)) {
				continue
			}
			sum, n := rating.Rating{}, 0.0
			for j := range lines {
				if lines[j] == l {
					sum.Mu += after[j].Mu
					sum.Sigma += after[j].Sigma
					n++
				}
			}
			l.Rating = rating.Rating{Mu: sum.Mu / n, Sigma: sum.Sigma / n}.Round()
			l.Add(*r, games.Seat(i))
		}
		r.meet(lines)
		if b.Game != AllGames && b.Season == 0 {
			for _, l := range lines {
				r.Ratings = append(r.Ratings, l.Rating)
			}
		}
	}
	return nil
}

// between returns the weight with which the result against seat j changes the rating of seat i.
func (r *Result) between(lines []*Standing, i, j int) float64 {
	switch {
	case r.Seats[i].Computer != "" || r.Seats[j].Computer != "":
		return 1
	case (r.DecidedFew>>uint(i)|r.DecidedFew>>uint(j))&1 == 1:
		return 0
	}
	return r.stayed(j) * lines[j].known(lines[i]) / (1 + lines[i].met(lines[j], r.Ended))
}

// stayed returns Stayed of a seat as a number from 0 to 1.
func (r *Result) stayed(seat int) float64 {
	if seat >= len(r.Stayed) {
		return 1
	}
	return float64(r.Stayed[seat]) / 100
}

// meet records on the lines of a leaderboard which people have played each other.
func (r *Result) meet(lines []*Standing) {
	for i, l := range lines {
		for j, with := range lines {
			if i != j && r.Seats[i].User != "" && r.Seats[j].User != "" && r.between(lines, i, j) > 0 {
				l.meet(with, r.Ended)
			}
		}
	}
}

// Weight returns how much a table adds to the number that the limit restricts. For ServerTables and UserTables it is
// always 1. For UserLobbies and UserInvitations, a table counts only if it has not started and its host is the user: as
// 1, or as the number of its open invitations. Without a detail, no invitations are counted.
func (l Limit) Weight(h Head, detail *Detail) int {
	own := h.Status == Lobby && h.Host == l.User
	switch {
	case l.Kind == ServerTables || l.Kind == UserTables:
		return 1
	case l.Kind == UserLobbies && own:
		return 1
	case l.Kind == UserInvitations && own && detail != nil:
		return len(detail.Invited)
	}
	return 0
}
