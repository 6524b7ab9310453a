package render

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
)

// Every word that is written in the picture of a board, of a hand or of a key is said by the catalogue: none is
// glued on, none comes from the code.
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
				sc, o := s.Scene(games.Spectator, trail), Options{Width: 1200, Say: say}.normal(r.tf)
				out := r.board(&sc, o).c.out
				if viewer := s.ToMove(); viewer >= 0 {
					own := s.Mask(viewer).Scene(viewer, nil)
					out = append(out, r.hand(&own, o).c.out...)
				}
				var lines []KeyLine
				for _, sign := range sc.Signs() {
					lines = append(lines, KeyLine{Sign: sign, Words: say(games.Meaning(g, sign))})
				}
				for _, i := range append(out, r.key(lines, o).c.out...) {
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

// What is written on sheets is given to this package: leaderboards, standings, crosstables, reports, cards, curves and
// years have no word of their own.
func TestSheetsHaveNoWordsOfTheirOwn(t *testing.T) {
	words := regexp.MustCompile(`\p{L}{2,}`)
	notWritten := map[string]bool{"began": true, "Errorf": true}
	notShown := map[string]bool{"paperPalette": true, "sampleReport": true} // for their colours alone
	for _, name := range []string{"sheet", "standings", "crosstable", "report", "card", "curve", "year"} {
		file, err := parser.ParseFile(token.NewFileSet(), name+".go", nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		drawn := 0
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.FuncDecl:
				return !notShown[n.Name.Name]
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && notWritten[f.Sel.Name] {
					return false
				} else if ok && f.Sel.Name == "write" {
					drawn++
				}
			case *ast.BasicLit:
				if n.Kind == token.STRING && words.MatchString(n.Value) {
					t.Errorf("%s.go has the word %s", name, n.Value)
				}
			}
			return true
		})
		if drawn == 0 {
			t.Errorf("%s.go writes nothing", name)
		}
	}
}
