//go:build unix

package render

import (
	"bytes"
	"image/png"
	"syscall"
	"testing"
	"time"

	"marque/games"
	"marque/games/catalog"
	"marque/games/scene"
)

// cpu returns the processor time of the process. Other programs affect it less than they affect the
// elapsed time.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBoard measures drawing and encoding a game's pictures, with cached grounds and sprites but without cached
// pictures. Each run also draws five of the pictures with gg alone and encodes them with the standard encoder. The
// benchmark reports both processor times, their ratio and the bytes of the largest picture.
func BenchmarkBoard(b *testing.B) { benchmarkBoards(b, play) }

// BenchmarkStep measures the same pictures with marks on the choices.
func BenchmarkStep(b *testing.B) { benchmarkBoards(b, playMarked) }

func benchmarkBoards(b *testing.B, play func(testing.TB, games.Game, int) []scene.Scene) {
	for _, g := range catalog.Games {
		b.Run(g.Key(), func(b *testing.B) {
			r, err := New(UsualWidth)
			if err != nil {
				b.Fatal(err)
			}
			_, most := g.Seats()
			scenes := play(b, g, most)
			o := r.normal(Options{Names: sampleNames, Title: "Table 12", Caption: "17"})
			most = 0
			draw := func(i int) {
				im := r.draw(&scenes[i], o)
				most = max(most, len(r.encoder.encode(im)))
				r.frames.Put(im)
			}
			const times = 5
			start := cpu(b)
			for i := range times {
				var out bytes.Buffer
				if err := png.Encode(&out, r.anew(r.board(&scenes[len(scenes)*(i+1)/(times+1)], o))); err != nil {
					b.Fatal(err)
				}
			}
			reference := (cpu(b) - start) / times
			draw(0) // builds and caches the ground and its palette
			b.ReportAllocs()
			b.ResetTimer()
			start = cpu(b)
			for n := range b.N {
				i := 1 + n%(len(scenes)-1)
				draw(i)
			}
			each := float64(cpu(b)-start) / float64(b.N)
			b.ReportMetric(each/float64(reference), "ratio")
			b.ReportMetric(each/1e6, "cpu-ms")
			b.ReportMetric(float64(reference)/1e6, "reference-ms")
			b.ReportMetric(float64(most), "most-bytes")
		})
	}
}

// BenchmarkShelf measures painting and encoding the picture with the boards of all games on a new renderer. For
// comparison, gg alone paints the same boards.
func BenchmarkShelf(b *testing.B) {
	boards := shelf(b)
	start := cpu(b)
	reference := time.Duration(0)
	var most int
	for n := range b.N {
		r, err := New(UsualWidth)
		if err != nil {
			b.Fatal(err)
		}
		if n == 0 {
			start = cpu(b)
			for i := range boards {
				var out bytes.Buffer
				if err := png.Encode(&out, r.anew(r.board(&boards[i].Scene, r.normal(Options{})))); err != nil {
					b.Fatal(err)
				}
			}
			reference = cpu(b) - start
			start = cpu(b)
		}
		picture, err := r.ShelfPNG(b.Context(), boards, Options{})
		if err != nil {
			b.Fatal(err)
		}
		most = len(picture)
	}
	each := float64(cpu(b)-start) / float64(b.N)
	b.ReportMetric(each/float64(reference), "ratio")
	b.ReportMetric(each/1e6, "cpu-ms")
	b.ReportMetric(float64(reference)/1e6, "reference-ms")
	b.ReportMetric(float64(most), "most-bytes")
}
