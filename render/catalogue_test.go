package render

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"image"
	"image/png"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
	"marque/games/text/locale"
)

// In the pictures of boards and hands of random games, every word of two or more letters comes from the catalogue.
func TestWordsInPicturesAreOfTheCatalogue(t *testing.T) {
	say := func(m text.Message) string {
		if literal, ok := m.Literal().(string); ok {
			return literal // such as a number or a space's name
		}
		return "⟦" + m.ID + "⟧"
	}
	words, bracketed := regexp.MustCompile(`\p{L}{2,}`), regexp.MustCompile(`⟦[^⟦⟧]*(⟧|…|$)|^[^⟦⟧]*⟧`)
	writtenInGames(t, say, func(g games.Game, written string) {
		if left := bracketed.ReplaceAllString(written, ""); words.MatchString(left) {
			t.Errorf("%s: a picture has %q", g.Key(), written)
		}
	})
}

// In the pictures of boards and hands of random games, no text is cut off, in German and in a language that needs a
// third more room than English.
func TestWordsInPicturesAreWhole(t *testing.T) {
	for name, say := range longSpeakers(t) {
		t.Run(name, func(t *testing.T) {
			writtenInGames(t, say, func(g games.Game, written string) {
				if strings.HasSuffix(written, "…") {
					t.Errorf("%s: a picture cuts off %q", g.Key(), written)
				}
			})
		})
	}
}

// longSpeakers returns speakers of languages that need more room: German, and English lengthened by a third.
func longSpeakers(t *testing.T) map[string]func(text.Message) string {
	t.Helper()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	english := sentences.Speaker(nil, "en").Plain().Say
	return map[string]func(text.Message) string{
		"German": sentences.Speaker(nil, "de").Plain().Say,
		"longer": func(m text.Message) string {
			s := english(m)
			if m.Literal() != nil {
				return s
			}
			return s + strings.Repeat("e", (utf8.RuneCountInString(s)+2)/3)
		},
	}
}

// writtenInGames plays up to 60 plays of a random game of every kind with every number of players. It calls tell for
// each text in the pictures of the boards and of the hands of the players to move.
func writtenInGames(t *testing.T, say func(text.Message) string, tell func(games.Game, string)) {
	t.Helper()
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
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
				sc, o := s.Scene(games.Spectator, trail), r.normal(Options{Width: 1200, Say: say})
				out := r.board(&sc, o).c.out
				if viewer := s.ToMove(); viewer >= 0 {
					own := games.Mask(s, viewer).Scene(viewer, nil)
					out = append(out, r.hand(&own, o).c.out...)
				}
				for _, i := range out {
					if i.key.kind == textSprite || i.key.kind == captionSprite {
						written++
						tell(g, i.key.s)
					}
				}
			}
		}
		t.Logf("%s: %d texts", g.Key(), written)
	}
}

// No heading, note or label on a sheet is cut off in German, or in a language that needs a third more room than
// English. The test paints each text with two different last letters, and the two pictures must differ.
func TestWordsOnSheetsAreWhole(t *testing.T) {
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	ctx, o := context.Background(), Options{Width: 800}
	row := StandingsRow{Rank: 1, Name: "Anne", Seed: "1", Cells: []string{"1", "1", "1", "1", "1", "1"}}
	curve := func(w []string) ([]byte, error) {
		return r.CurvePNG(ctx, Curve{Title: "Anne", Note: "Loyal Captain", Below: w[0], First: 1,
			Points: []CurvePoint{{1500, 90}, {1600, 80}}}, o)
	}
	sheets := map[string]struct {
		ids   []string
		paint func(words []string) ([]byte, error)
	}{
		"leaderboard": {
			[]string{"bot.leaders.player", "bot.leaders.rating", "bot.leaders.games", "bot.leaders.wins",
				"bot.leaders.streak", "bot.leaders.always", "bot.leaders.new"},
			func(w []string) ([]byte, error) {
				return r.SheetPNG(ctx, Sheet{Title: "All", Note: w[5], Heads: SheetHeads{w[0], w[1], w[2], w[3], w[4]},
					Rows: []SheetRow{{Rank: 1, Name: "Anne", Seed: "1", Rating: 1500, New: w[6]}}}, o)
			},
		},
		"standings": {
			[]string{"bot.leaders.player", "bot.competition.points", "bot.leaders.games",
				"bot.competition.tie.direct-encounter",
				"bot.competition.tie.wins", "bot.competition.tie.buchholz", "bot.competition.places",
				"bot.competition.note-entry"},
			func(w []string) ([]byte, error) {
				s := Standings{Title: "Cup", Note: w[7], Heads: w[:7], Rows: []StandingsRow{row}}
				return r.StandingsPNG(ctx, s, o)
			},
		},
		"standings of a ladder": {
			[]string{"bot.leaders.player", "bot.competition.won", "bot.competition.drawn", "bot.competition.lost",
				"bot.competition.note-ended"},
			func(w []string) ([]byte, error) {
				s := Standings{Title: "Cup", Note: w[4], Heads: w[:4], Rows: []StandingsRow{row}}
				return r.StandingsPNG(ctx, s, o)
			},
		},
		"crosstable": {
			[]string{"bot.leaders.player", "bot.competition.points", "bot.competition.places",
				"bot.competition.note-ended"},
			func(w []string) ([]byte, error) {
				c := Crosstable{Title: "Cup", Note: w[3], Player: w[0], Points: w[1], Places: w[2],
					Rows: []CrosstableRow{{row, "1", "1–2"}}}
				return r.CrosstablePNG(ctx, c, o)
			},
		},
		"report": {
			[]string{"bot.report.accuracy", "bot.report.luck-head", "bot.report.below", "bot.report.title",
				"bot.report.below-turns"},
			func(w []string) ([]byte, error) {
				chances := []ChancePoint{{0, .5}, {9, 1}}
				report := Report{Title: "Loyal Captain · #1", Note: w[3], Heads: ReportHeads{w[0], w[1]},
					Rows: []ReportRow{{Name: "Anne", Chances: chances}, {Name: "Jack", Chances: chances}}, Plays: 9}
				var both []byte
				for _, report.Below = range []string{w[2], w[4]} {
					picture, err := r.ReportPNG(ctx, report, o)
					if err != nil {
						return nil, err
					}
					both = append(both, picture...)
				}
				return both, nil
			},
		},
		"year": {
			[]string{"bot.year.games", "bot.year.won", "bot.year.drawn", "bot.year.lost", "bot.year.below",
				"bot.year.favourite", "bot.year.best", "bot.year.rival", "bot.year.longest", "bot.year.puzzles"},
			func(w []string) ([]byte, error) {
				y := Year{Title: "Anne", Note: "2026", Below: w[4], Months: []YearMonth{{"J", 2, 1}}}
				for i := range 4 {
					y.Counts = append(y.Counts, YearCount{w[i], i})
				}
				for _, head := range w[5:] {
					y.Rows = append(y.Rows, YearRow{head, "Loyal Captain"})
				}
				return r.YearPNG(ctx, y, o)
			},
		},
		"curve of games against people": {[]string{"bot.profile.curve-below"}, curve},
		"curve of games with computers": {[]string{"bot.profile.curve-below-computers"}, curve},
	}
	for language, say := range longSpeakers(t) {
		for name, sheet := range sheets {
			var words []string
			for _, id := range sheet.ids {
				words = append(words, say(text.M(id, "Count", 2)))
			}
			for i, word := range words {
				var pictures [2][]byte
				for end, letter := range []string{"o", "x"} {
					_, last := utf8.DecodeLastRuneInString(word)
					changed := slices.Clone(words)
					changed[i] = word[:len(word)-last] + letter
					if pictures[end], err = sheet.paint(changed); err != nil {
						t.Fatal(err)
					}
				}
				if bytes.Equal(pictures[0], pictures[1]) {
					t.Errorf("%s, %s: %q is cut off", language, name, word)
				}
			}
		}
	}
}

// The headings of a leaderboard's columns do not touch, even if they are long.
func TestHeadingsOfALeaderboardStandApart(t *testing.T) {
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	paint := func(heads SheetHeads) image.Image {
		data, err := r.SheetPNG(t.Context(), Sheet{Heads: heads}, Options{Width: 800})
		if err != nil {
			t.Fatal(err)
		}
		im, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return im
	}
	const long = "WWWWWWWWWWWWWWWWWWWWWW"
	bare, end := paint(SheetHeads{}), 0
	for i, heads := range []SheetHeads{{Player: long}, {Rating: long}, {Games: long}, {Wins: long}, {Streak: long}} {
		im, first, last := paint(heads), -1, -1
		for x := range bare.Bounds().Dx() {
			for y := range bare.Bounds().Dy() {
				if im.At(x, y) != bare.At(x, y) {
					if first < 0 {
						first = x
					}
					last = x
				}
			}
		}
		if first <= end+1 || last < first {
			t.Errorf("heading %d stands from %d to %d, the one before ends at %d", i, first, last, end)
		}
		end = last
	}
}

// Callers supply all words on sheets. Leaderboards, standings, crosstables, reports, cards, curves and years contain no
// words of their own.
func TestSheetsHaveNoWordsOfTheirOwn(t *testing.T) {
	words := regexp.MustCompile(`\p{L}{2,}`)
	notWritten := map[string]bool{"began": true, "Errorf": true}
	notShown := map[string]bool{"paperPalette": true, "sampleReport": true} // only for their colours
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
