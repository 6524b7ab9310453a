package render

import (
	"bytes"
	"context"
	"testing"

	"marque/games/catalog"
)

// BenchmarkReplay measures a replay of a random game of every kind with its maximum number of players, under the bot's
// limit of 4 MiB. B is the size of the file.
func BenchmarkReplay(b *testing.B) {
	r, err := New(UsualWidth)
	if err != nil {
		b.Fatal(err)
	}
	for _, g := range catalog.Games {
		_, most := g.Seats()
		scenes := play(b, g, most)
		b.Run(g.Key(), func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				if err := r.GIF(context.Background(), &out, scenes, nil, 4<<20, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(out.Len()), "B")
			b.ReportMetric(float64(len(scenes)), "positions")
		})
	}
}

// BenchmarkSheet measures a page of a leaderboard.
func BenchmarkSheet(b *testing.B) {
	r, err := New(UsualWidth)
	if err != nil {
		b.Fatal(err)
	}
	s := sheets()["full"]
	for b.Loop() {
		if _, err := r.SheetPNG(context.Background(), s, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
