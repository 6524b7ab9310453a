package table

import (
	"marque/games"
	"marque/games/scene"
)

// Scenes returns the pictures of a replay; see games.Match.Scenes. The game must have started.
func (s *Snapshot) Scenes(viewer games.Seat, from, to, most int) []scene.Scene {
	return s.match.Scenes(viewer, from, to, most)
}

// Scene returns the picture after n plays; see games.Match.Scene. The game must have started.
func (s *Snapshot) Scene(viewer games.Seat, from, n int) scene.Scene {
	return s.match.Scene(viewer, from, n)
}

// Frames returns the indexes of the positions that Scenes shows. There are no more than most.
func (s *Snapshot) Frames(from, to, most int) []int { return s.match.Frames(from, to, most) }

// Instead returns the picture after another move was made in place of a play, whose number counts from 0. It returns a
// *games.ParseError if the move is not legal there.
func (s *Snapshot) Instead(viewer games.Seat, play int, move string) (scene.Scene, error) {
	m := s.match.Cut(play)
	if err := m.PlayExact(move); err != nil {
		return scene.Scene{}, err
	}
	return m.Scene(viewer, play, play+1), nil
}
