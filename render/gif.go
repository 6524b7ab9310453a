package render

import (
	"bytes"
	"compress/lzw"
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"time"

	"marque/games/scene"
)

// SizeError means that a replay has no scenes, or exceeds its limit even as a single small picture.
type SizeError struct{ Limit int }

func (e *SizeError) Error() string {
	return fmt.Sprintf("render: no replay fits %d bytes", e.Limit)
}

const (
	gifWidth     = 560              // default width of a replay
	gifLeast     = 120              // minimum width of a replay
	gifFewest    = 8                // with at most so many positions, the pictures get smaller instead of fewer
	gifMost      = 600              // maximum number of positions in a replay, however long the game
	gifHold      = 4 * time.Second  // minimum duration of the last position
	gifLongest   = 10 * time.Second // maximum duration of any other position
	gifBits      = 8                // bits of a colour index, with room for the palette and gifUnchanged
	gifUnchanged = paletteSize      // index of a pixel that has not changed
)

// GIF writes a replay. It shows each scene for its delay, or for a second if it has none, but for at most ten seconds,
// and the last scene for at least four. The file has at most limit bytes, however long the game is. To achieve this,
// GIF first omits positions at regular intervals, then makes the pictures smaller, and at last shows only the last
// position. It returns the error of ctx or of w, or a *SizeError.
//
// It needs memory for the scenes, the file and two pictures.
func (r *Renderer) GIF(ctx context.Context, w io.Writer, frames []scene.Scene, delays []time.Duration, limit int,
	o Options) error {
	done := r.began("replay")
	if len(frames) == 0 {
		return &SizeError{Limit: limit}
	}
	if o.Width == 0 {
		o.Width = min(gifWidth, r.width)
	}
	o = r.normal(o)
	stride := (len(frames) + gifMost - 1) / gifMost
	for {
		replay, shown, err := r.animate(ctx, frames, delays, stride, limit, o)
		if err != nil {
			return err
		}
		if replay != nil {
			done(false)
			_, err := w.Write(replay)
			return err
		}
		chosen := (len(frames) + stride - 1) / stride
		switch {
		case chosen > gifFewest: // omit about as many positions as did not fit
			stride = max(stride+1, min(stride*chosen/max(shown, 1), (len(frames)+gifFewest-1)/gifFewest))
		case o.Width > gifLeast:
			o.Width = max(o.Width*3/4, gifLeast)
		case stride < len(frames):
			stride = len(frames) // only the last position
		default:
			return &SizeError{Limit: limit}
		}
	}
}

// animate makes the file of every stride-th scene and the last scene. If the file exceeds the limit, it returns no file
// and the number of scenes that fitted.
func (r *Renderer) animate(ctx context.Context, frames []scene.Scene, delays []time.Duration, stride, limit int,
	o Options) ([]byte, int, error) {
	board, below := 0, 0 // maximum heights of a board and of the part below it
	for i := range frames {
		p := r.board(&frames[i], o.at(i))
		board, below = max(board, p.high), max(below, p.below)
	}
	high := board + below
	var out bytes.Buffer
	var common color.Palette // palette of the first picture, and usually of all
	before := &image.Paletted{}
	shown := 0
	var wait time.Duration
	for i := range frames {
		last := i == len(frames)-1
		wait += delay(delays, i)
		// The indexes are counted from the end, so the last position is always included.
		if (len(frames)-1-i)%stride != 0 {
			continue
		}
		hold := min(wait, gifLongest)
		wait = 0
		if last {
			hold = max(hold, gifHold)
		}
		if err := r.enter(ctx); err != nil {
			return nil, 0, err
		}
		p := r.board(&frames[i], o.at(i))
		im := r.paint(p)
		r.leave()
		im = grown(im, board-p.high, high)
		if common == nil {
			common = im.Palette
			writeHead(&out, o.Width, high, common)
		}
		writeFrame(&out, before, im, common, hold)
		before = im
		if out.Len()+1 > limit {
			return nil, shown, nil
		}
		shown++
	}
	out.WriteByte(0x3b)
	return out.Bytes(), shown, nil
}

func delay(delays []time.Duration, i int) time.Duration {
	if i < len(delays) && delays[i] > 0 {
		return delays[i]
	}
	return time.Second
}

// grown returns im enlarged to high rows. It adds above rows at the top and the rest at the bottom, so that what is
// below the board stays in place whatever the board's height.
func grown(im *image.Paletted, above, high int) *image.Paletted {
	if above > 0 {
		im.Pix = append(make([]uint8, above*im.Stride, high*im.Stride), im.Pix...)
		im.Rect.Max.Y += above
	}
	if missing := high - im.Rect.Dy(); missing > 0 {
		im.Pix = append(im.Pix, make([]uint8, missing*im.Stride)...)
		im.Rect.Max.Y = high
	}
	return im
}

// writeHead writes the header of a replay that repeats forever.
func writeHead(out *bytes.Buffer, w, h int, common color.Palette) {
	out.WriteString("GIF89a")
	out.Write([]byte{byte(w), byte(w >> 8), byte(h), byte(h >> 8), 0x80 | (gifBits - 1), 0, 0})
	writeColours(out, common)
	out.WriteString("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
}

func writeColours(out *bytes.Buffer, p color.Palette) {
	var table [3 << gifBits]byte
	for i, c := range p {
		rgb := c.(color.RGBA)
		table[3*i], table[3*i+1], table[3*i+2] = rgb.R, rgb.G, rgb.B
	}
	out.Write(table[:])
}

// writeFrame writes the pixels that differ from the previous picture, or all pixels if there is no previous picture.
func writeFrame(out *bytes.Buffer, before, now *image.Paletted, common color.Palette, hold time.Duration) {
	area := now.Rect
	var d *difference
	if len(before.Pix) == len(now.Pix) {
		d = differ(before, now)
		area = d.area()
	}
	hundredths := int(math.Round(hold.Seconds() * 100))
	out.Write([]byte{0x21, 0xf9, 4, 1<<2 | 1, byte(hundredths), byte(hundredths >> 8), gifUnchanged, 0})
	out.WriteByte(0x2c)
	for _, v := range []int{area.Min.X, area.Min.Y, area.Dx(), area.Dy()} {
		out.Write([]byte{byte(v), byte(v >> 8)})
	}
	if slices.Equal(now.Palette, common) {
		out.WriteByte(0)
	} else {
		out.WriteByte(0x80 | (gifBits - 1))
		writeColours(out, now.Palette)
	}
	out.WriteByte(gifBits)
	blocks := &blockWriter{out: out}
	z := lzw.NewWriter(blocks, lzw.LSB, gifBits)
	row := make([]byte, area.Dx())
	for y := area.Min.Y; y < area.Max.Y; y++ {
		start := y*now.Stride + area.Min.X
		copy(row, now.Pix[start:])
		if d != nil {
			for x := range row {
				if d.same(start + x) {
					row[x] = gifUnchanged
				}
			}
		}
		z.Write(row) // a Buffer never fails
	}
	z.Close()
	blocks.end()
}

// difference compares two pictures of the same size.
type difference struct {
	before, now *image.Paletted
	onePalette  bool
	was, is     [1 << gifBits]color.RGBA // the palettes, if they differ
}

func differ(before, now *image.Paletted) *difference {
	d := &difference{before: before, now: now, onePalette: slices.Equal(before.Palette, now.Palette)}
	if !d.onePalette {
		for i, c := range before.Palette {
			d.was[i] = c.(color.RGBA)
		}
		for i, c := range now.Palette {
			d.is[i] = c.(color.RGBA)
		}
	}
	return d
}

// same reports whether the pixel at i of Pix has the same colour in both pictures.
func (d *difference) same(i int) bool {
	if d.onePalette {
		return d.before.Pix[i] == d.now.Pix[i]
	}
	return d.was[d.before.Pix[i]] == d.is[d.now.Pix[i]]
}

// area returns the smallest rectangle that contains all changed pixels. It is one pixel if there are none, because a
// frame cannot be empty.
func (d *difference) area() image.Rectangle {
	w := d.now.Stride
	r := image.Rectangle{Min: d.now.Rect.Max}
	for y := range d.now.Rect.Dy() {
		start, end := y*w, (y+1)*w
		if d.onePalette && bytes.Equal(d.before.Pix[start:end], d.now.Pix[start:end]) {
			continue
		}
		left := start
		for left < end && d.same(left) {
			left++
		}
		if left == end {
			continue
		}
		right := end - 1
		for d.same(right) {
			right--
		}
		r.Min.X, r.Min.Y = min(r.Min.X, left-start), min(r.Min.Y, y)
		r.Max.X, r.Max.Y = max(r.Max.X, right-start+1), y+1
	}
	if r.Max.X == 0 {
		return image.Rect(0, 0, 1, 1)
	}
	return r
}

// blockWriter splits a stream into GIF blocks of at most 255 bytes.
type blockWriter struct {
	out *bytes.Buffer
	buf [255]byte
	n   int
}

func (b *blockWriter) Write(p []byte) (int, error) {
	for _, c := range p {
		b.WriteByte(c)
	}
	return len(p), nil
}

// WriteByte adds one byte to the block. It never fails.
func (b *blockWriter) WriteByte(c byte) error {
	b.buf[b.n] = c
	b.n++
	if b.n == len(b.buf) {
		b.flush()
	}
	return nil
}

func (b *blockWriter) flush() {
	if b.n > 0 {
		b.out.WriteByte(byte(b.n))
		b.out.Write(b.buf[:b.n])
		b.n = 0
	}
}

func (b *blockWriter) end() {
	b.flush()
	b.out.WriteByte(0)
}
