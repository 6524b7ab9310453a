package render

import (
	"fmt"
	"strings"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/scene"
)

// position is a real scene of a game, reached by random play from a fixed seed.
type position struct {
	name  string
	scene scene.Scene
}

// trailLength is the number of latest plays that a picture shows.
const trailLength = 3

// positions returns an early, a middle and the last scene of play for every kind of game with its maximum number of
// seats.
func positions(t testing.TB) []position {
	t.Helper()
	var list []position
	for _, g := range catalog.Games {
		_, most := g.Seats()
		scenes := play(t, g, most)
		for _, p := range []struct {
			name string
			at   int
		}{{"opening", min(5, len(scenes)-1)}, {"middle", len(scenes) / 2}, {"end", len(scenes) - 1}} {
			list = append(list, position{fmt.Sprintf("%s-%s", g.Key(), p.name), scenes[p.at]})
		}
	}
	return list
}

// play returns up to 600 scenes of a random game, as the seat to move sees them. The final scene is as spectators see
// it.
func play(t testing.TB, g games.Game, seats int) []scene.Scene {
	t.Helper()
	return playSeen(t, g, seats, func(games.State, *scene.Scene) {})
}

// playMarked returns the scenes of play with marks on the first choices of the seat to move. If these are only words,
// it marks the next choices.
func playMarked(t testing.TB, g games.Game, seats int) []scene.Scene {
	t.Helper()
	return playSeen(t, g, seats, func(s games.State, sc *scene.Scene) {
		menu := games.NewMenu(s)
		said := len(sc.Marks)
		menu.Mark(sc, "")
		if choices, _ := menu.At(""); len(sc.Marks) == said && len(choices) > 0 {
			menu.Mark(sc, choices[0].Path)
		}
	})
}

// playSeen is like play, but calls see with each scene before it stores the scene.
func playSeen(t testing.TB, g games.Game, seats int, see func(games.State, *scene.Scene)) []scene.Scene {
	t.Helper()
	setup, err := games.NewSetup(g, seats)
	if err != nil {
		t.Fatal(err)
	}
	rng := games.NewRand(7)
	s := g.New(setup)
	var scenes []scene.Scene
	var trail []games.Step
	for len(scenes) < 600 {
		to := s.ToMove()
		if to != games.Chance {
			viewer := to
			if to == games.Nobody {
				viewer = games.Spectator
			}
			var seen []games.Step
			for _, step := range trail[max(0, len(trail)-trailLength):] {
				seen = append(seen, games.Step{Before: games.Mask(step.Before, viewer), Seat: step.Seat,
					Move: games.MaskMove(step.Before, step.Move, viewer)})
			}
			sc := games.Mask(s, viewer).Scene(viewer, seen)
			see(s, &sc)
			scenes = append(scenes, sc)
		}
		if to == games.Nobody {
			break
		}
		var m games.Move
		if to == games.Chance {
			list := s.Outcomes()
			total := 0
			for _, o := range list {
				total += o.Weight
			}
			n := rng.IntN(total)
			for _, o := range list {
				if n -= o.Weight; n < 0 {
					m = o.Move
					break
				}
			}
		} else {
			list := s.Moves()
			m = list[rng.IntN(len(list))]
		}
		trail = append(trail, games.Step{Before: s, Seat: to, Move: m})
		s = s.Apply(m)
	}
	return scenes
}

// Every kind of piece has a painter and a set.
func TestEveryKindIsPainted(t *testing.T) {
	kinds := 0
	for ; !strings.HasPrefix(scene.PieceKind(kinds).String(), "PieceKind("); kinds++ {
		if kinds >= len(pieceKinds) || pieceKinds[kinds].paint == nil || pieceKinds[kinds].set == 0 {
			t.Errorf("%v cannot be painted", scene.PieceKind(kinds))
		}
	}
	if kinds != len(pieceKinds) {
		t.Errorf("%d kinds are painted, there are %d", len(pieceKinds), kinds)
	}
}
