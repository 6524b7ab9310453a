package games

import (
	"slices"

	"marque/games/scene"
	"marque/games/text"
)

// Scenes returns the pictures of a replay of the plays in [from, to), 0 <= from <= to <= Len, as viewer may see them.
// The pictures show the first and the last position, and those positions in between in which a player is to move. If
// there are more than most pictures, Scenes leaves some out at even distances. most is at least 2.
func (m *Match) Scenes(viewer Seat, from, to, most int) []scene.Scene {
	at := m.Frames(from, to, most)
	scenes := make([]scene.Scene, len(at))
	for i, n := range at {
		shown := max(0, n-1)
		if i > 0 {
			shown = at[i-1]
		}
		scenes[i] = m.Scene(viewer, max(shown, n-mostTrail), n)
	}
	return scenes
}

// Scene returns the picture after n plays as viewer may see it. It marks the plays from index from on as the last
// ones. After the last play of a match that ended other than by the rules, the picture shows the end.
func (m *Match) Scene(viewer Seat, from, n int) scene.Scene {
	s := Mask(m.states[n], viewer)
	stopped := n == m.Len() && m.ending != NotEnded && s.ToMove() != Nobody
	if st, ok := s.(Stopper); ok && stopped {
		s = st.Stopped()
	}
	sc := s.Scene(viewer, m.Trail(viewer, from, n))
	if !stopped {
		return sc
	}
	why := []text.Message{m.ResultText()}
	for seat := range m.header.Setup.Seats {
		if m.left(Seat(seat)) {
			why = append(why, text.M("match.out", "Who", text.Player(seat)))
		}
	}
	winners := m.result.Winners
	if m.result.Drawn {
		winners = nil
	}
	sc.End(why, func(seat int) bool { return slices.Contains(winners, Seat(seat)) }, func(seat int) bool {
		return m.left(Seat(seat))
	})
	return sc
}

// ResultText returns a sentence about the end of a match. It says who won or drew, with the reason if Result has one,
// or that the match was abandoned.
func (m *Match) ResultText() text.Message {
	r := m.Result()
	who := make([]text.Message, len(r.Winners))
	for i, w := range r.Winners {
		who[i] = text.M("match.player", "Who", text.Player(w))
	}
	switch {
	case m.ending == Abandoned:
		return text.M("match.abandoned")
	case m.ending == Agreed:
		return text.M("match.draw", "Who", who)
	case r.Drawn:
		return text.M("match.drawn", "Who", who, "Why", r.Why)
	case m.ending == Resigned:
		return text.M("match.won-last", "Who", who, "Count", len(who))
	case r.Why.IsZero():
		return text.M("match.won", "Who", who, "Count", len(who))
	case r.Scores != nil:
		return text.M("match.won-score", "Who", who, "Count", len(who), "Score", r.Score(), "Why", r.Why)
	}
	return text.M("match.won-why", "Who", who, "Count", len(who), "Why", r.Why)
}

// Frames returns the numbers of plays after which Scenes makes its pictures, in ascending order.
func (m *Match) Frames(from, to, most int) []int {
	at := []int{from}
	for n := from + 1; n < to; n++ {
		if m.log[n].Seat != Chance {
			at = append(at, n)
		}
	}
	if to > from {
		at = append(at, to)
	}
	if len(at) > most {
		kept := make([]int, most)
		for i := range kept {
			kept[i] = at[i*(len(at)-1)/(most-1)]
		}
		at = kept
	}
	return at
}

// mostTrail is the maximum number of plays that a picture of a replay shows as the last ones.
const mostTrail = 8
