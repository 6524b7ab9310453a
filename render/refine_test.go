package render

import (
	"bytes"
	"compress/flate"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestRefinedRowsInflate refines rows, changes them and refines them again, and reads back each block.
// Over all rows the refined blocks are smaller.
func TestRefinedRowsInflate(t *testing.T) {
	plain, fine := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		row, rows := rapid.IntRange(2, 300).Draw(t, "row"), rapid.IntRange(1, 48).Draw(t, "rows")
		from := row * rapid.IntRange(0, min(1, rows-1)).Draw(t, "above")
		raw := make([]byte, row*rows)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var d deflater
		p := &parse{}
		holds := func(what string, out []byte) {
			got, err := io.ReadAll(flate.NewReaderDict(bytes.NewReader(append(bytes.Clone(out), 1, 0, 0, 0xff, 0xff)), raw[:from]))
			if err != nil || !bytes.Equal(got, raw[from:]) {
				t.Fatalf("%d rows of %d, %s: they came back as others (%v)", rows, row, what, err)
			}
		}
		for range 4 {
			many := 1 + rng.IntN(9)
			for n := rng.IntN(len(raw)); n >= 0; n -= 40 { // discs and noise
				at, r := rng.IntN(len(raw)), 1+rng.IntN(9)
				for y := max(at/row-r, 0); y < min(at/row+r, rows); y++ {
					for x := max(at%row-r, 0); x < min(at%row+r, row); x++ {
						if dx, dy := x-at%row, y-at/row; dx*dx+dy*dy < r*r {
							raw[y*row+x] = byte(r % many)
						}
					}
				}
				raw[rng.IntN(len(raw))] = byte(rng.IntN(many))
			}
			out := d.deflated(raw, from, row, p)
			holds("written", out)
			plain += len(out)
			out = d.refine(nil, from, row, p)
			holds("refined", out)
			fine += len(out)
		}
	})
	t.Logf("%d bytes, %d refined", plain, fine)
	if fine >= plain {
		t.Errorf("all rows take %d bytes, and %d refined", plain, fine)
	}
}

// TestLargePicturesGetSmaller encodes large pictures that are much alike, one after the other and several
// at once, and decodes them with the standard library. An encoder that has worked on such pictures writes
// them in fewer bytes than one that has not.
func TestLargePicturesGetSmaller(t *testing.T) {
	const w, h = 600, 480
	rng := rand.New(rand.NewPCG(5, 6))
	shapes := make([][20]uint32, 30)
	for i := range shapes {
		for y := range shapes[i] {
			shapes[i][y] = rng.Uint32() & rng.Uint32()
		}
	}
	pal := color.Palette{color.Black, color.White, color.RGBA{R: 255, A: 255}, color.RGBA{G: 255, A: 255}}
	var plte []byte
	for _, c := range pal {
		r, g, b, _ := c.RGBA()
		plte = append(plte, byte(r), byte(g), byte(b))
	}
	picture := func(n int) *image.Paletted {
		im := image.NewPaletted(image.Rect(0, 0, w, h), pal)
		for y := range h {
			for x := range w * 18 / 25 { // no more, for beyond what is promised all is refined at once
				s := &shapes[(x/32*7+y/20*11)%len(shapes)]
				im.Pix[y*w+x] = byte(s[y%20]>>(x%32)&1) + byte((x+y)/90%2)*2
			}
		}
		for i := range 300 {
			im.Pix[(n*37+i/20)%h*w+(n*91+i%20)%w] ^= 1
		}
		return im
	}
	const pictures = 12
	decode := func(n int, e *pngEncoder) int {
		im := picture(n)
		b := e.encode(im, plte)
		got, err := png.Decode(bytes.NewReader(b))
		if err != nil {
			t.Errorf("picture %d: %v", n, err)
		} else if !bytes.Equal(got.(*image.Paletted).Pix, im.Pix) {
			t.Errorf("picture %d: the file holds other pixels", n)
		}
		return len(b)
	}
	first, last := 0, 0
	e := newPNGEncoder()
	for n := range pictures {
		first += decode(n, newPNGEncoder())
		last += decode(n, e)
	}
	t.Logf("%d bytes by encoders that know nothing, %d by one that knows such pictures", first, last)
	if first/pictures <= enough {
		t.Fatalf("pictures of %d bytes are not large", first/pictures)
	}
	if last >= first*98/100 {
		t.Errorf("%d bytes by encoders that know nothing, %d by one that knows such pictures", first, last)
	}
	var wg sync.WaitGroup
	for k := range 3 {
		wg.Go(func() {
			for n := range pictures {
				decode(pictures/2+n*(k+1), e)
			}
		})
	}
	wg.Wait()
}
