package render

import (
	"bytes"
	"image"
	"math"
	"testing"

	"github.com/fogleman/gg"
	"pgregory.net/rapid"

	"marque/games/scene"
)

// TestGhostsCoverWhatStoodThere compares the pixels that a piece and its ghost cover: they are the
// same, all of the ghost's are translucent, and no colour is as strong as it was.
func TestGhostsCoverWhatStoodThere(t *testing.T) {
	r := newRenderer(t)
	o := Options{}.normal(r.tf)
	s := deckScene()
	g := r.ground(&s, r.composer(o, 0.8), 800)
	for _, p := range []scene.Piece{
		{Kind: scene.Token, Size: 92, Color: scene.Blue, Layers: []scene.Color{scene.Red, scene.Blue}},
		{Kind: scene.Card, Size: 92, Suit: scene.PirateShipCard, Value: 3, Seat: -1},
	} {
		c := r.composer(o, 0.8)
		c.piece(&p)
		p.Ghost = true
		c.piece(&p)
		there, ghost := r.sprite(c, &c.out[0], g), r.sprite(c, &c.out[1], g)
		covered := map[image.Point]bool{}
		for _, run := range there.runs {
			for i := range int(run.n) {
				covered[image.Pt(int(run.x)+i, int(run.y))] = true
			}
		}
		n := 0
		for _, run := range ghost.runs {
			if run.kind != sheerRun && run.kind != ghostRun {
				t.Errorf("%v: the ghost has a run of kind %v at %d,%d", p.Kind, run.kind, run.x, run.y)
			}
			for i := range int(run.n) {
				n++
				if at := image.Pt(int(run.x)+i, int(run.y)); !covered[at] {
					t.Fatalf("%v: the ghost covers %v, the piece does not", p.Kind, at)
				}
			}
		}
		spread := func(v ...uint8) int { return int(max(v[0], v[1], v[2])) - int(min(v[0], v[1], v[2])) }
		drawn := func(it *item) (strongest int) {
			im := image.NewPaletted(image.Rect(0, 0, 200, 200), g.pal.colors)
			blit(im, g.pal, r.sprite(c, it, g), 100, 100)
			for _, i := range im.Pix {
				strongest = max(strongest, spread(g.pal.rgb[i][:]...))
			}
			return strongest
		}
		if a, b := drawn(&c.out[0]), drawn(&c.out[1]); n != len(covered) || b > a/2 {
			t.Errorf("%v: the ghost covers %d pixels, its strongest colour is %d of %d; want %d pixels and at most half", p.Kind, n, b, a, len(covered))
		}
	}
}

// TestEqualNamesAreEqualPixels prints a name in two places, one of them between pixels.
func TestEqualNamesAreEqualPixels(t *testing.T) {
	r := newRenderer(t)
	p := r.paints[Dark]
	for _, em := range []float64{10.4, 24.8} {
		dc := gg.NewContext(300, 60)
		b := &brush{Context: dc, k: 1, p: p, tf: r.tf}
		b.printed("AB12", 60, 30, em, p.ink)
		b.printed("AB12", 160.3, 30.4, em, p.ink)
		im := dc.Image().(*image.RGBA)
		marks := 0
		for y := range 60 {
			for x := 10; x < 110; x++ {
				if im.RGBAAt(x, y).A > 0 {
					marks++
				}
				if a, b := im.RGBAAt(x, y), im.RGBAAt(x+100, y); a != b {
					t.Fatalf("%v high: %v at %d,%d, %v a hundred pixels on", em, a, x, y, b)
				}
			}
		}
		if marks < int(em*em/2) {
			t.Errorf("%v high: %d pixels of a name, want more", em, marks)
		}
	}
}

// TestCurvesAreTrue holds the lines that a sprite's curves are made of to their slack.
func TestCurvesAreTrue(t *testing.T) {
	dc := gg.NewContext(10, 10)
	b := &brush{Context: dc, k: 2, slack: slack}
	for _, r := range []float64{0.5, 3, 40, 900} {
		n := b.chords(r * 4 * math.Pi * math.Pi)
		if off := 2 * r * (1 - math.Cos(math.Pi/float64(max(n, 4)))); off > 1.1*slack && n >= 4 {
			t.Errorf("a circle of radius %v is off by %.3f pixels with %d lines, want at most %v", r, off, n, slack)
		}
	}
	// A cubic's line of one nth part is furthest off in its middle.
	at := func(t float64) (x, y float64) { u := 1 - t; return 3 * u * t * t * 80, 3 * u * u * t * 120 }
	n := b.chords(6 * math.Max(math.Hypot(80, 240), math.Hypot(160, 120)))
	for i := range n {
		x0, y0 := at(float64(i) / float64(n))
		x1, y1 := at(float64(i+1) / float64(n))
		x, y := at((float64(i) + 0.5) / float64(n))
		if off := 2 * math.Hypot(x-(x0+x1)/2, y-(y0+y1)/2); off > slack {
			t.Errorf("line %d of %d is off by %.3f pixels, want at most %v", i, n, off, slack)
		}
	}
}

// TestGhostsOfFlatPixels lays ghosts on pixels, eight of which are often all alike, and compares with
// what each of them is by itself.
func TestGhostsOfFlatPixels(t *testing.T) {
	p := new(palette)
	for over := range p.ghost {
		for under := range p.ghost[over] {
			p.ghost[over][under] = uint8(over*7 + under*13)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		runs := func(name string, n int) (row []uint8) {
			for len(row) < n {
				row = append(row, bytes.Repeat([]byte{rapid.Uint8Range(0, paletteSize-1).Draw(t, name)}, rapid.IntRange(1, 30).Draw(t, "pixels"))...)
			}
			return row[:n]
		}
		n := rapid.IntRange(0, 90).Draw(t, "width")
		over, under := runs("over", n), runs("under", n)
		out := bytes.Clone(under)
		p.blitGhost(out, over)
		for i := range out {
			if want := p.ghost[over[i]][under[i]]; out[i] != want {
				t.Fatalf("pixel %d of %d: %d on %d is %d, want %d", i, n, over[i], under[i], out[i], want)
			}
		}
	})
}
