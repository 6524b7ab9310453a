package games

import "marque/games/scene"

// Film are the pictures of a replay from after from plays to after to plays, 0 <= from <= to <=
// Len, as viewer may know them: the first and the last position, and between them those at which a
// seat had to decide, so that a roll of the dice is seen with the move that follows from it. When
// there are more than most, at least 2, some are left out, evenly.
func (m *Match) Film(viewer Seat, from, to, most int) []scene.Scene {
	at := m.Frames(from, to, most)
	scenes := make([]scene.Scene, len(at))
	for i, n := range at {
		shown := max(0, n-1)
		if i > 0 {
			shown = at[i-1]
		}
		scenes[i] = m.states[n].Mask(viewer).Scene(viewer, m.Trail(viewer, max(shown, n-mostTrail), n))
	}
	return scenes
}

// Frames are the numbers of plays after which the pictures of Film are taken.
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

// mostTrail is how many plays a picture of a film shows as the last ones.
const mostTrail = 8
