package render

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

func sheets() map[string]Sheet {
	heads := SheetHeads{"Captain", "Rating", "Games", "Wins", "Streak"}
	names := []string{"Anne Bonny", "Jack Rackham", "Mary Read", "Black Bart Roberts of the Royal Fortune", "グレース",
		"Ching Shih", "Ørjan", "🦜", "الريس حميدو", "Bot, hard"}
	full := Sheet{Title: "Loyal Captain", Note: "Season 3 · people", Heads: heads}
	huge := Sheet{Title: "All games", Note: "all time · with computers", Heads: heads}
	for i, n := range names {
		full.Rows = append(full.Rows, SheetRow{
			Rank: max(1, i), Name: n, Seed: fmt.Sprint("100", i), Rating: 2104 - 93*i, Band: 120 + 81*i,
			Games: 140 - 14*i, Wins: 90 - 9*i, Streak: 5 - i, Own: i == 5, Computer: i == 9,
		})
		huge.Rows = append(huge.Rows, SheetRow{Rank: 9991 + i, Name: n, Seed: fmt.Sprint(i), Rating: 310 - i,
			Band: 1000, Games: 100000, Wins: 12345, Streak: -1234, Own: i == 0})
	}
	one := full
	one.Rows = one.Rows[:1]
	return map[string]Sheet{"full": full, "huge": huge, "one": one, "none": {Title: "Pirat", Note: "all time · people",
		Heads: heads, Empty: "No game has been finished yet."}}
}

// look writes a picture into the directory MARQUE_LOOK, if that is set.
func look(t *testing.T, name string, b []byte) {
	t.Helper()
	if dir := os.Getenv("MARQUE_LOOK"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSheetsAndCurvesOfEveryTheme(t *testing.T) {
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, b []byte, err error, bound int) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		im, err := png.Decode(bytes.NewReader(b))
		if err != nil || im.Bounds().Dx() != UsualWidth {
			t.Errorf("%s: %v, %v wide, want %d", name, err, im.Bounds().Dx(), UsualWidth)
		}
		if len(b) > bound {
			t.Errorf("%s takes %d bytes, want at most %d", name, len(b), bound)
		}
		look(t, name, b)
	}
	for _, th := range Themes() {
		o := Options{Theme: th, Title: "Loyal Captain · leaderboard"}
		for name, s := range sheets() {
			b, err := r.SheetPNG(context.Background(), s, o)
			check("sheet-"+name+"-"+th.String(), b, err, mostBytes)
		}
		points := []CurvePoint{{1652, 968}}
		for i := 1; i < 60; i++ {
			last := points[i-1]
			points = append(points, CurvePoint{last.Rating + (i*37%101 - 48), max(150, last.Band*95/100)})
		}
		b, err := r.CurvePNG(context.Background(), Curve{Title: "Anne Bonny", Note: "Loyal Captain · 1612 ±150",
			Below: "games", First: 1, Points: points}, o)
		check("curve-"+th.String(), b, err, mostBytes)
		b, err = r.CurvePNG(context.Background(), Curve{Title: "Jack", First: 1, Points: points[:1]}, o)
		check("curve-one-"+th.String(), b, err, mostBytes)
		for seats := 2; seats <= 5; seats++ {
			rep := sampleReport()
			rep.Title, rep.Note, rep.Below, rep.Rows = "All against All · #1234", "How well it was played", "moves",
				rep.Rows[:seats]
			rep.Rows[1].Name = "Bartholomew Roberts the Welshman"
			b, err = r.ReportPNG(context.Background(), *rep, o)
			check(fmt.Sprintf("report-%d-%v", seats, th), b, err, mostBytes)
		}
	}
}

// Standings with entrants, with more columns than fit, and without entrants are painted in every theme, as pictures of
// the usual width and of at most mostBytes.
func TestStandingsOfEveryTheme(t *testing.T) {
	r, err := New(UsualWidth)
	if err != nil {
		t.Fatal(err)
	}
	heads := []string{"Captain", "Points", "Games", "Buchholz", "S.-Berger", "Wins"}
	cup := Standings{Title: "Winter cup", Note: "after round 3 of 5", Heads: heads}
	for i, s := range sheets()["full"].Rows {
		cup.Rows = append(cup.Rows, StandingsRow{
			Rank: (i + 1) % 10, Name: s.Name, Seed: s.Seed, Own: i == 4, Cells: []string{fmt.Sprintf("%d½", 9-i), "5",
				"12½", fmt.Sprint(1 << (3 * i)), fmt.Sprint(i)},
		})
	}
	for name, s := range map[string]Standings{
		"cup": cup, "few columns": {Title: "Knock-out", Heads: heads[:2], Rows: cup.Rows[:3]},
		"more columns than fit": {Title: cup.Title, Heads: append(heads, "More"), Rows: cup.Rows[:1]},
		"none":                  {Title: "Ladder", Heads: heads, Empty: "Nobody has entered yet."},
	} {
		for _, th := range Themes() {
			b, err := r.StandingsPNG(context.Background(), s, Options{Theme: th})
			if err != nil || len(b) > mostBytes {
				t.Errorf("%s: %d bytes, %v", name, len(b), err)
			}
			if im, err := png.Decode(bytes.NewReader(b)); err != nil || im.Bounds().Dx() != UsualWidth {
				t.Errorf("%s: %v, want %d wide", name, err, UsualWidth)
			}
			look(t, "standings-"+name+"-"+th.String(), b)
		}
	}
}

// Pictures of leaderboards, curves, standings and reports show the title of the options.
func TestSheetsHaveAPlate(t *testing.T) {
	r := sharedRenderer(t)
	report := sampleReport()
	for name, paint := range map[string]func(Options) ([]byte, error){
		"leaderboard": func(o Options) ([]byte, error) { return r.SheetPNG(t.Context(), sheets()["one"], o) },
		"curve":       func(o Options) ([]byte, error) { return r.CurvePNG(t.Context(), Curve{Title: "Anne"}, o) },
		"standings": func(o Options) ([]byte, error) {
			return r.StandingsPNG(t.Context(), Standings{Title: "Winter cup", Heads: []string{"Captain", "Points"}}, o)
		},
		"report": func(o Options) ([]byte, error) { return r.ReportPNG(t.Context(), *report, o) },
	} {
		one, err := paint(Options{Title: "Table 12"})
		if err != nil {
			t.Fatal(err)
		}
		other, err := paint(Options{Title: "Table 13"})
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(one, other) {
			t.Errorf("pictures of a %s with two plates look alike", name)
		}
	}
}

// A disc has the initials of a name without those of words in brackets after it.
func TestInitials(t *testing.T) {
	b := &brush{tf: sharedRenderer(t).tf}
	for name, want := range map[string]string{
		"Anne": "A", "Anne Bonny": "AB", "Anne Bonny (out)": "AB", "Mary (she/her)": "M", "(the) Bart": "TB",
		"🦜": "?", "": "?",
	} {
		if got := b.initials(name); got != want {
			t.Errorf("the initials of %q are %q, want %q", name, got, want)
		}
	}
}
