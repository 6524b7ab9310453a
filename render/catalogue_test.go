package render

import (
	"regexp"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
)

// Every word that is written in the picture of a board is said by the catalogue: none is glued on,
// none comes from the code.
func TestWordsInPicturesAreOfTheCatalogue(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	say := func(m text.Message) string {
		if literal, ok := m.Literal().(string); ok {
			return literal // a number, a space's name
		}
		s := "⟦" + m.ID + "⟧"
		said[s] = true
		return s
	}
	words, bracketed := regexp.MustCompile(`\p{L}{2,}`), regexp.MustCompile(`⟦[^⟦⟧]*(⟧|…|$)|^[^⟦⟧]*⟧`)
	for _, g := range catalog.Games {
		least, most := g.Seats()
		written := 0
		for seats := least; seats <= most; seats++ {
			setup, err := games.NewSetup(g, seats)
			if err != nil {
				t.Fatal(err)
			}
			s, rng := g.New(setup), games.NewRand(uint64(seats))
			var trail []games.Step
			for range 60 {
				if s.ToMove() == games.Nobody {
					break
				}
				var m games.Move
				if outs := s.Outcomes(); outs != nil {
					m = outs[rng.IntN(len(outs))].Move
				} else {
					moves := s.Moves()
					m = moves[rng.IntN(len(moves))]
				}
				trail = []games.Step{{Before: s, Seat: s.ToMove(), Move: m}}
				s = s.Apply(m)
				sc := s.Scene(games.Spectator, trail)
				for _, i := range r.board(&sc, Options{Width: 1200, Say: say}.normal(r.tf)).c.out {
					if i.key.kind != textSprite && i.key.kind != captionSprite {
						continue
					}
					written++
					if left := bracketed.ReplaceAllString(i.key.s, ""); words.MatchString(left) {
						t.Errorf("%s: a picture has %q", g.Key(), i.key.s)
					}
				}
			}
		}
		t.Logf("%s: %d texts", g.Key(), written)
	}
}
