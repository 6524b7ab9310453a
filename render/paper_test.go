package render

import (
	"bytes"
	"image/png"
	"math"
	"testing"

	"marque/games/scene"
)

// The golden pictures show a player's results: a game's report, its card, a year and a rating's curve, in the usual
// theme and in the one with strong contrast.
func TestGoldenPapers(t *testing.T) {
	r := sharedRenderer(t)
	card := sampleCard(seaScene())
	ctx := t.Context()
	for name, paint := range map[string]func(Options) ([]byte, error){
		"report-two":  func(o Options) ([]byte, error) { return r.ReportPNG(ctx, playedReport(2), o) },
		"report-five": func(o Options) ([]byte, error) { return r.ReportPNG(ctx, playedReport(5), o) },
		"card":        func(o Options) ([]byte, error) { return r.CardPNG(ctx, card, o) },
		"year":        func(o Options) ([]byte, error) { return r.YearPNG(ctx, *sampleYear(), o) },
		"curve":       func(o Options) ([]byte, error) { return r.CurvePNG(ctx, playedCurve(), o) },
	} {
		for _, th := range []Theme{Dark, Contrast} {
			o := Options{Theme: th, Names: sampleNames, Title: "Loyal Captain · #12"}
			b, err := paint(o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+"-"+th.String(), got)
		}
	}
}

// playedReport returns the report of a game with this number of seats. The game is even at first, and its second
// turning point decides it.
func playedReport(seats int) Report {
	rep := Report{Title: "All against All · #1234", Note: "Anne Bonny wins", Plays: 74, Count: 74, Turns: []int{31, 58},
		Heads: ReportHeads{"Accuracy", "Luck"}, Below: "moves; dashed lines: turning points",
		Parts: [3]string{"0 %", "50 %", "100 %"}}
	names := []string{"Anne Bonny", "Jack Rackham", "Bartholomew Roberts the Welshman", "グレース", "Mary Read"}
	accuracy := []string{"87 %", "71 %", "64 %", "–", "9 %"}
	luck := []string{"+14.2", "−9.8", "+0.3", "−4.6", "−0.1"}
	for i := range seats {
		row := ReportRow{Name: names[i], Color: scene.ColorOf(i), Winner: i == 0, Accuracy: accuracy[i], Luck: luck[i]}
		for plays := i; plays <= rep.Plays; plays += seats {
			share, won := 1/float64(seats), 0.0
			if i == 0 {
				won = 1
			}
			decided := 1 / (1 + math.Exp(float64(58-plays)/3))
			wave := 0.35 * share * math.Sin(float64(plays)/6+float64(i)*2)
			row.Chances = append(row.Chances, ChancePoint{plays, decided*won + (1-decided)*(share+wave)})
		}
		rep.Rows = append(rep.Rows, row)
	}
	return rep
}

// playedCurve returns the curve of a rating after sixty games.
func playedCurve() Curve {
	c := Curve{Title: "Anne Bonny", Note: "Loyal Captain · 1612 ±150", Below: "games", First: 41}
	rating, band := 1500, 968
	for i := range 60 {
		rating, band = rating+i*37%101-48, max(150, band*95/100)
		c.Points = append(c.Points, CurvePoint{rating, band})
	}
	return c
}
