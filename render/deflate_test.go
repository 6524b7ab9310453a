package render

import (
	"bytes"
	"compress/flate"
	"hash/adler32"
	"io"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// deflated is a block of raw[from:] for a reader who knows raw[:from], made with the help of p, which
// may be that of other such rows.
func (d *deflater) deflated(raw []byte, from, row int, p *parse) []byte {
	var changes []span
	if p.raw == nil {
		p.raw = bytes.Clone(raw)
	}
	for y := 0; y < len(raw); y += row {
		changes = differences(changes, y, p.raw[y:y+row], raw[y:y+row])
	}
	copy(p.raw, raw)
	return d.append(nil, from, row, p, changes)
}

// TestDeflatedRowsInflate reads back what the deflater wrote with the standard library: flat
// rows, steps, slopes, what recurs far off, noise, skewed counts whose codes would be too long,
// and widths round the size of a word.
func TestDeflatedRowsInflate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	shape := rng.Perm(256)
	kinds := map[string]func(x, y int) byte{
		"flat":    func(x, y int) byte { return 7 },
		"steps":   func(x, y int) byte { return byte(x/9 + y/5) },
		"slope":   func(x, y int) byte { return byte((x + y) / 3 % 5) },
		"recurs":  func(x, y int) byte { return byte(shape[(x*7+y/20*13)%61]) },
		"noise":   func(x, y int) byte { return byte(rng.IntN(256)) },
		"skewed":  func(x, y int) byte { return byte(min(rng.ExpFloat64()*2, 255)) },
		"mixture": func(x, y int) byte { return byte(min(max(rng.IntN(60)-56, 0)+x/40, 35)) },
		// Fibonacci's numbers give the longest codes there are.
		"longest": func(x, y int) byte {
			n, a, b := byte(0), 1, 1
			for p := (x*7919 + y*104729) % 60000; p >= a && n < 40; n++ {
				p, a, b = p-a, b, a+b
			}
			return n
		},
	}
	var d deflater
	for name, at := range kinds {
		for _, row := range []int{2, 3, 9, 63, 64, 65, 301, 801} {
			for _, rows := range []int{1, 2, 31, 48} {
				for _, above := range []int{0, 1} {
					raw := make([]byte, 0, row*(rows+above))
					for y := range rows + above {
						for x := range row {
							raw = append(raw, at(x, y))
						}
					}
					out := d.deflated(raw, above*row, row, &parse{})
					out = append(out, 1, 0, 0, 0xff, 0xff)
					got, err := io.ReadAll(flate.NewReaderDict(bytes.NewReader(out), raw[:above*row]))
					if err != nil || !bytes.Equal(got, raw[above*row:]) {
						t.Fatalf("%s, %d rows of %d after %d: %d bytes came back as others (%v)", name, rows, row, above, len(out), err)
					}
				}
			}
		}
	}
}

// TestRowsLikeOthersInflate writes rows, each time changed a little, after one another, and reads them
// back. What is written with the help of the rows before is hardly more than without.
func TestRowsLikeOthersInflate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row, rows := rapid.IntRange(2, 300).Draw(t, "row"), rapid.IntRange(1, 48).Draw(t, "rows")
		from := row * rapid.IntRange(0, min(1, rows-1)).Draw(t, "above")
		raw := make([]byte, row*rows)
		var d, alone deflater
		p := &parse{}
		var after, first int
		for n := range 12 {
			raw = bytes.Clone(raw)
			for range rapid.IntRange(0, 6).Draw(t, "changes") { // a rectangle, at times of many colours
				x, y := rapid.IntRange(0, row-1).Draw(t, "x"), rapid.IntRange(0, rows-1).Draw(t, "y")
				w, h := rapid.IntRange(1, 60).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")
				c, many := rapid.Byte().Draw(t, "colour"), rapid.IntRange(1, 9).Draw(t, "many")
				for i := y; i < min(y+h, rows); i++ {
					for j := x; j < min(x+w, row); j++ {
						raw[i*row+j] = c + byte((i*7+j*3)/2%many)
					}
				}
			}
			out := d.deflated(raw, from, row, p)
			after += len(out)
			out = append(out, 1, 0, 0, 0xff, 0xff)
			got, err := io.ReadAll(flate.NewReaderDict(bytes.NewReader(out), raw[:from]))
			if err != nil || !bytes.Equal(got, raw[from:]) {
				t.Fatalf("rows of %d: number %d came back as others (%v)", row, n, err)
			}
			out = alone.deflated(raw, from, row, &parse{})
			first += len(out)
		}
		if after > first*11/10+60 {
			t.Errorf("%d bytes after other rows, %d alone", after, first)
		}
	})
}

// TestDeflatedBoardsAreSmall holds the stripes of a board near what the standard library makes of
// them with a search that takes several times as long, each for a reader who knows the row above.
func TestDeflatedBoardsAreSmall(t *testing.T) {
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range samples() {
		im, _ := r.draw(&p.scene, Options{}.normal(r.tf))
		var raw []byte
		w := im.Rect.Dx()
		for y := range im.Rect.Dy() {
			raw = append(append(raw, 0), im.Pix[y*im.Stride:][:w]...)
		}
		var d deflater
		var want bytes.Buffer
		ours, row := 0, w+1
		for y := 0; y < len(raw); y += stripeRows * row {
			from, to := max(y-row, 0), min(y+stripeRows*row, len(raw))
			out := d.deflated(raw[from:to], y-from, row, &parse{})
			ours += len(out)
			std, err := flate.NewWriterDict(&want, flate.DefaultCompression, raw[from:y])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := std.Write(raw[y:to]); err != nil {
				t.Fatal(err)
			}
			if err := std.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%s: %d bytes, %d by the standard library", p.name, ours, want.Len())
		if ours > want.Len()*11/10 {
			t.Errorf("%s: %d bytes, over a tenth more than the standard library's %d", p.name, ours, want.Len())
		}
	}
}

// TestAChecksumOfChangedRows compares the checksum that is made of another's with the standard library's,
// and looks that nothing but what is listed has changed.
func TestAChecksumOfChangedRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row, rows := rapid.IntRange(1, 90).Draw(t, "row"), rapid.IntRange(1, 48).Draw(t, "rows")
		was := bytes.Repeat([]byte{rapid.Byte().Draw(t, "colour")}, row*rows)
		now := bytes.Clone(was)
		for range rapid.IntRange(0, 40).Draw(t, "changes") {
			now[rapid.IntRange(0, len(now)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "to")
		}
		sum := adler32.Checksum(was)
		var changes []span
		for y := 0; y < len(now); y += row {
			changes = differences(changes, y, was[y:y+row], now[y:y+row])
		}
		var change adlerChange
		for _, c := range changes {
			change.add(was[c.from:c.to], now[c.from:c.to], len(now)-c.from)
			copy(was[c.from:], now[c.from:c.to])
		}
		if !bytes.Equal(was, now) {
			t.Fatalf("%d rows of %d: not all that changed is listed", rows, row)
		}
		if got, want := change.sum(sum), adler32.Checksum(now); got != want {
			t.Fatalf("%d rows of %d: %08x, want %08x", rows, row, got, want)
		}
	})
}
