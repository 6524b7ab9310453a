package render

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"testing"
)

// A year is painted in every theme as a picture of the usual width and of at most mostBytes, whether it is empty, full,
// or has words that are too long.
func TestYearsOfEveryTheme(t *testing.T) {
	r := sharedRenderer(t)
	full := sampleYear()
	long := sampleYear()
	long.Title, long.Below = "Bartholomew Roberts the Welshman, terror of the seas", full.Below+full.Below
	for i := range long.Counts {
		long.Counts[i] = YearCount{"Unentschiedenes und Abgebrochenes", 123456}
	}
	for i := range long.Rows {
		long.Rows[i] = YearRow{"Der am häufigsten getroffene Gegner", long.Title + ", 123 games, 61 won, 59 lost"}
	}
	for i := range long.Months {
		long.Months[i].Games, long.Months[i].Won = 1000+i, 900
	}
	empty := &Year{Title: "Jack", Months: full.Months[:0]}
	for name, y := range map[string]*Year{"full": full, "long": long, "empty": empty} {
		for _, th := range Themes() {
			b, err := r.YearPNG(context.Background(), *y, Options{Theme: th, Title: "2026"})
			if err != nil || len(b) > mostBytes {
				t.Errorf("%s: %d bytes, %v", name, len(b), err)
			}
			if im, err := png.Decode(bytes.NewReader(b)); err != nil || im.Bounds().Dx() != UsualWidth {
				t.Errorf("%s: %v, want %d wide", name, err, UsualWidth)
			}
			look(t, fmt.Sprintf("year-%s-%v", name, th), b)
		}
	}
}

// sampleYear returns a year with every kind of content.
func sampleYear() *Year {
	y := &Year{Title: "Anne Bonny", Note: "2026", Below: "games by month, wins in gold",
		Counts: []YearCount{{"games", 146}, {"won", 81}, {"drawn", 4}, {"lost", 61}},
		Rows: []YearRow{{"Favourite game", "Loyal Captain, 61 games"}, {"Best win", "against Mary Read (1702)"},
			{"Rival", "Jack Rackham: 31 games, 16 won, 13 lost"}, {"Longest game", "Quedah Merchant, 214 moves"}}}
	for i, label := range []string{"J", "F", "M", "A", "M", "J", "J", "A", "S", "O", "N", "D"} {
		games := 4 + i*7%17
		y.Months = append(y.Months, YearMonth{label, games, games * (i % 4) / 4})
	}
	return y
}
