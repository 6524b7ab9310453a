package render

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"math"
	"testing"

	"github.com/fogleman/gg"

	"marque/games/catalog"
)

// The required fidelity to the same scene painted by gg alone on one canvas in full colour.
const (
	leastDB = 40.0
	// A pixel's brightness may be off by a tenth of the contrast around it, or by unseen if there is little contrast.
	// No palette can keep that limit for each pixel of each edge. So a fraction mostOff of the pixels may exceed it,
	// but no pixel may be off by more than worstOff of the contrast.
	unseen   = 8.0
	mostOff  = 1.0 / 250
	worstOff = 0.3
)

// anew paints a page with gg alone on one picture in full colour: ground, pieces, marks and strip, without caches or a
// palette. This is the reference for pictures.
func (r *Renderer) anew(p *page) *image.RGBA {
	c := p.c
	dc := gg.NewContext(c.o.Width, p.high+p.below)
	dc.SetColor(p.canvas)
	dc.Clear()
	b := &brush{Context: dc, k: 1, p: c.p, tf: c.tf}
	if p.high > 0 {
		c.groundOn(b, p.ground, p.high)
	}
	for i := range c.out {
		it := &c.out[i]
		if i == p.onBoard && p.below > 0 { // the board is clipped at its height
			b.DrawRectangle(0, float64(p.high), float64(c.o.Width), float64(p.below))
			b.fill(p.canvas)
		}
		if it.key.ghost { // gg paints ghosts on a separate canvas
			cv, at := c.paintItem(it)
			over(dc.Image().(*image.RGBA), cv.im, at.Add(image.Pt(it.x, it.y)))
			c.canvases.put(cv)
			continue
		}
		b.at(float64(it.x), float64(it.y), 1, func() { it.paint(b) })
	}
	return dc.Image().(*image.RGBA)
}

// fidelity measures the difference between a picture and the reference in full colour.
type fidelity struct {
	db    float64
	off   float64 // fraction of the pixels that are off by more than a tenth of the contrast around them
	worst float64 // maximum error as a fraction of the contrast
}

func (f fidelity) String() string {
	return fmt.Sprintf("%.1f dB, %.3f %% of pixels off by more than a tenth, the worst by %.0f %%", f.db, f.off*100,
		f.worst*100)
}

func fidelityOf(got image.Image, want *image.RGBA) fidelity {
	im := image.NewRGBA(want.Rect)
	draw.Draw(im, im.Rect, got, got.Bounds().Min, draw.Src)
	w, h := want.Rect.Dx(), want.Rect.Dy()
	light := func(px []uint8) float64 {
		return 255 * luminance(color.RGBA{R: px[0], G: px[1], B: px[2]})
	}
	var f fidelity
	var sum float64
	for y := range h {
		for x := range w {
			p, q := im.Pix[4*(y*w+x):], want.Pix[4*(y*w+x):]
			for c := range 3 {
				d := float64(p[c]) - float64(q[c])
				sum += d * d
			}
			off := math.Abs(light(p) - light(q))
			if off <= unseen {
				continue
			}
			lo, hi := 255.0, 0.0
			for v := max(y-2, 0); v <= min(y+2, h-1); v++ {
				for u := max(x-2, 0); u <= min(x+2, w-1); u++ {
					l := light(want.Pix[4*(v*w+u):])
					lo, hi = min(lo, l), max(hi, l)
				}
			}
			contrast := max(hi-lo, 10*unseen)
			if off > contrast/10 {
				f.off += 1 / float64(w*h)
			}
			f.worst = max(f.worst, off/contrast)
		}
	}
	f.db = 10 * math.Log10(255*255/(sum/float64(3*w*h)))
	return f
}

// holdFidelity fails the test if a picture does not have the required fidelity.
func holdFidelity(t *testing.T, name string, got image.Image, want *image.RGBA) {
	t.Helper()
	f := fidelityOf(got, want)
	t.Logf("%s: %v", name, f)
	if f.db < leastDB || f.off > mostOff || f.worst > worstOff {
		t.Errorf("%s: %v; want at least %.0f dB, at most %.3f %%, and %.0f %%", name, f, leastDB, mostOff*100,
			worstOff*100)
	}
}

// TestPicturesAreAsSmoothAsFullColours compares pictures with the reference in full colour: positions after a third,
// after two thirds and at the end of a game of each kind, with marks on the choices, and hands. The first theme has all
// three positions. The other themes, which have separate palettes, have one position in turn. With -deep every theme
// has all.
func TestPicturesAreAsSmoothAsFullColours(t *testing.T) {
	r := sharedRenderer(t)
	const shown = 3
	for _, g := range catalog.Games {
		_, most := g.Seats()
		scenes := playMarked(t, g, most)
		for i, th := range Themes() {
			for n := range shown {
				if i > 0 && n != i%shown && !*deep {
					continue
				}
				s := &scenes[(len(scenes)-1)*(n+1)/shown]
				o := r.normal(Options{Names: sampleNames, Theme: th, Title: "Table 12", Caption: "17"})
				hold := func(what string, page func() *page) {
					name := fmt.Sprintf("%s %v, %s %d of %d", g.Key(), th, what, n+1, shown)
					holdFidelity(t, name, r.paint(page()), r.anew(page()))
				}
				hold("position", func() *page { return r.board(s, o) })
				if len(s.Hand) > 0 {
					hold("hand", func() *page { return r.hand(s, o) })
				}
			}
		}
	}
}

// The last picture of a replay is as smooth as the same picture in full colour.
func TestReplaysAreAsSmoothAsFullColours(t *testing.T) {
	r := sharedRenderer(t)
	for i, g := range catalog.Games {
		_, most := g.Seats()
		scenes := play(t, g, most)
		scenes = scenes[max(0, len(scenes)-4):]
		o := Options{Names: sampleNames, Theme: Themes()[i%len(Themes())], Width: gifWidth, Title: "Table 12",
			Caption: "17"}
		var out bytes.Buffer
		if err := r.GIF(context.Background(), &out, scenes, nil, 1<<20, o); err != nil {
			t.Fatal(err)
		}
		replay, err := gif.DecodeAll(&out)
		if err != nil {
			t.Fatal(err)
		}
		want := r.anew(r.board(&scenes[len(scenes)-1], r.normal(o)))
		above := replay.Config.Height - want.Rect.Dy() // an earlier board was higher
		holdFidelity(t, g.Key(), shown(replay).SubImage(want.Rect.Add(image.Pt(0, above))), want)
	}
}

// shown returns the last picture of a replay.
func shown(replay *gif.GIF) *image.RGBA {
	im := image.NewRGBA(image.Rect(0, 0, replay.Config.Width, replay.Config.Height))
	for _, f := range replay.Image {
		draw.Draw(im, f.Rect, f, f.Rect.Min, draw.Over)
	}
	return im
}

// Pictures of sheets are as smooth as the same pictures in full colour.
func TestSheetsAreAsSmoothAsFullColours(t *testing.T) {
	r := sharedRenderer(t)
	for _, th := range Themes() {
		o := r.normal(Options{Theme: th, Title: "Loyal Captain · leaderboard"})
		for name, s := range sheets() {
			full := r.fullPaper(o, 900, func(b *brush) { b.sheet(&s) })
			im := image.NewPaletted(full.Rect, r.paperPalette(o).colors)
			r.paperPalette(o).indexed(im.Pix, full)
			holdFidelity(t, name+" "+th.String(), im, full)
		}
	}
}
