package storage

import (
	"marque/games"
	"marque/games/rating"
)

// Rate counts a result on its leaderboards, whose lines find gives (the same one whenever it is
// asked for the same), and notes the ratings after it in it. A computer player that holds several
// seats gets the mean of what each of them would have brought; where its players have changed since its
// last game, its rating begins again. A seat that nobody holds any more
// counts as a newcomer's and is on no leaderboard. Between two people the result weighs the less
// the more they have played each other lately, for each of them the less the less the other has
// played with others, and the less the earlier the other left the game (Stayed: who leaves loses all the same); and
// nothing where one of them is Brief. A result that does not count changes
// nothing and has no ratings. It returns find's error.
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

// between is how much the result weighs for the line of seat i against that of seat j.
func (r *Result) between(lines []*Standing, i, j int) float64 {
	switch {
	case r.Seats[i].Computer != "" || r.Seats[j].Computer != "":
		return 1
	case (r.Brief>>uint(i)|r.Brief>>uint(j))&1 == 1:
		return 0
	}
	return r.stayed(j) * lines[j].known(lines[i]) / (1 + lines[i].met(lines[j], r.Ended))
}

// stayed is Stayed of a seat, from 0 to 1.
func (r *Result) stayed(seat int) float64 {
	if seat >= len(r.Stayed) {
		return 1
	}
	return float64(r.Stayed[seat]) / 100
}

// meet notes on the lines of a board that these people have played each other.
func (r *Result) meet(lines []*Standing) {
	for i, l := range lines {
		for j, with := range lines {
			if i != j && r.Seats[i].User != "" && r.Seats[j].User != "" && r.between(lines, i, j) > 0 {
				l.meet(with, r.Ended)
			}
		}
	}
}

// Weight is the weight of a table against the limit, if it is unfinished, on the server concerned and, except for
// ServerTables, the user sits there. detail may be nil where nobody can be invited.
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
