package games_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/example"
	"marque/games/text"
)

// The last picture of a game shows that the game has ended, after resignations, an agreed draw or an end without a
// result. The panels, alt text, text board and legend show nobody to move, winners have crowns, and players who left
// are marked as out.
func TestEndedGamesLookEnded(t *testing.T) {
	pointed := false // true once a text board, before the end, marked the player to move
	for _, g := range example.Games {
		least, _ := g.Seats()
		for _, how := range []games.Ending{games.Resigned, games.Agreed, games.Abandoned} {
			rng := rand.New(rand.NewPCG(3, 4))
			setup, err := games.NewSetup(g, least)
			if err != nil {
				t.Fatal(err)
			}
			m, err := games.NewMatch(g, games.Header{Game: g.Key(), Version: g.Version(), Setup: setup})
			if err != nil {
				t.Fatal(err)
			}
			for decisions := 0; decisions < 3; {
				var mv games.Move
				if m.ToMove() == games.Chance {
					out := m.State().Outcomes()
					mv = out[rng.IntN(len(out))].Move
				} else {
					moves := m.State().Moves()
					mv = moves[rng.IntN(len(moves))]
					decisions++
				}
				if err := m.Play(mv); err != nil {
					t.Fatal(err)
				}
			}
			for m.ToMove() == games.Chance {
				if err := m.Play(m.State().Outcomes()[0].Move); err != nil {
					t.Fatal(err)
				}
			}
			before := m.Scene(games.Spectator, m.Len()-1, m.Len())
			leaver := games.Nobody
			switch how {
			case games.Resigned:
				leaver = m.ToMove()
				for m.Ending() == games.NotEnded {
					if err = m.Resign(m.ToMove()); err != nil {
						break
					}
				}
			default:
				err = m.End(how)
			}
			if err != nil {
				t.Fatal(err)
			}
			sc := m.Scene(games.Spectator, m.Len()-1, m.Len())
			if !strings.HasPrefix(sc.Alt[0].ID, "match.") || slices.ContainsFunc(sc.Alt, func(a text.Message) bool {
				return a.ID == before.Alt[0].ID
			}) {
				t.Errorf("%s, %s: the alt text begins with %s, and was %s", g.Key(), how, sc.Alt[0].ID,
					before.Alt[0].ID)
			}
			for _, p := range sc.Panels {
				won := how == games.Resigned && slices.Contains(m.Result().Winners, games.Seat(p.Seat))
				if p.ToMove || p.Winner != won || p.Out != !m.In(games.Seat(p.Seat)) {
					t.Errorf("%s, %s, %d left: %+v", g.Key(), how, leaver, p)
				}
			}
			pointed = pointed || strings.Contains(strings.Join(before.Text, "\n"), ">")
			if board := strings.Join(sc.Text, "\n"); strings.Contains(board, ">") {
				t.Errorf("%s, %s: the text board points to who is to move:\n%s", g.Key(), how, board)
			}
			if slices.ContainsFunc(sc.Legend, func(m text.Message) bool { return strings.HasSuffix(m.ID, "to-move") }) {
				t.Errorf("%s, %s: the legend explains whose turn it is", g.Key(), how)
			}
		}
	}
	if !pointed {
		t.Error("no text board points to who is to move: the test does not test")
	}
}
