package render

import (
	"bytes"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/fogleman/gg"
)

// anew paints a scene with nothing but gg on one picture of full colours: ground,
// pieces, marks and strip, no cache, no palette. It is what pictures are measured against.
func (r *Renderer) anew(p position, o Options) *image.RGBA {
	s := &p.scene
	o = o.normal(r.tf)
	high, scale := boardSize(s, o.Width)
	c := r.composer(o, scale)
	c.board(s)
	extra := c.strip(s, high)
	dc := gg.NewContext(o.Width, high+extra)
	dc.SetColor(c.p.canvas)
	dc.Clear()
	b := &brush{Context: dc, k: 1, p: c.p, tf: c.tf}
	b.at(0, 0, scale, func() { b.ground(s) })
	for i := range c.out {
		it := &c.out[i]
		if it.opacity < 1 {
			over(dc.Image().(*image.RGBA), c.paintSprite(it), it.x, it.y)
			continue
		}
		b.at(float64(it.x), float64(it.y), 1, func() { it.paint(b) })
	}
	return dc.Image().(*image.RGBA)
}

// BenchmarkBoard measures drawing and encoding a picture whose position was not
// asked before, on kept grounds and sprites, and in the same run the same picture
// with gg alone and the standard encoder. It reports the ratio and the bytes.
func BenchmarkBoard(b *testing.B) {
	r, err := New()
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range positions(b) {
		b.Run(p.name, func(b *testing.B) {
			o := Options{Names: sampleNames, Caption: "17"}
			n := o.normal(r.tf)
			size := 0
			draw := func() {
				im, _ := r.draw(&p.scene, n)
				size = len(r.encode(im))
				r.frames.Put(im)
			}
			draw()
			const times = 5
			start := time.Now()
			for range times {
				var out bytes.Buffer
				if err := png.Encode(&out, r.anew(p, o)); err != nil {
					b.Fatal(err)
				}
			}
			reference := time.Since(start) / times
			b.ReportAllocs()
			for b.Loop() {
				draw()
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(reference), "ratio")
			b.ReportMetric(float64(reference)/1e6, "reference-ms")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
