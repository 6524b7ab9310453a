package render

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"hash/maphash"
	"image"
	"sync"
)

// stripeRows are the rows of a stripe. Pictures are indexed PNGs whose rows are deflated in
// stripes, each of which refers to the one row above it at most: a move changes few of them, so
// the others' finished chunks are taken again.
const stripeRows = 48

// stripe is a finished IDAT chunk with what the stream's checksum needs of it.
type stripe struct {
	chunk []byte // length, type, deflated rows up to a byte's end, checksum
	adler uint32 // of the rows without the one above
	size  int    // of them
}

func (s *stripe) bytes() int { return len(s.chunk) + 200 }

// stripeKey knows a stripe by its bytes and those of the row above: a hash whose seed nobody knows.
type stripeKey struct {
	hash uint64
	size int
}

// model is the stripe that was made last at a place of a picture. The next one there is mostly much
// like it. Whoever works with it has taken it out of the cache.
type model struct {
	parse
	*stripe
}

func (m *model) bytes() int { return m.parse.bytes() + 300 }

// modelKey is a place in pictures of one palette.
type modelKey struct {
	plte    uint64 // its hash
	y, w, h int
}

// pngEncoder encodes indexed pictures. It is safe for concurrent use.
type pngEncoder struct {
	seed    maphash.Seed
	stripes *cache[stripeKey, *stripe]
	models  *cache[modelKey, *model]
	work    sync.Pool // of *stripeWork
}

// stripeWork is what making a stripe needs.
type stripeWork struct {
	deflater  deflater
	raw, data []byte
}

func newPNGEncoder() *pngEncoder {
	return &pngEncoder{
		seed:    maphash.MakeSeed(),
		stripes: newCache(stripeBytes, func(_ stripeKey, s *stripe) int { return s.bytes() }),
		models:  newCache(modelBytes, func(_ modelKey, m *model) int { return m.bytes() }),
	}
}

// encode returns the picture as a PNG file.
func (e *pngEncoder) encode(im *image.Paletted, plte []byte) []byte {
	w, h := im.Rect.Dx(), im.Rect.Dy()
	parts := make([]*stripe, 0, (h+stripeRows-1)/stripeRows)
	size := 8 + 25 + 12 + len(plte) + 14 + 21 + 12
	palette := maphash.Bytes(e.seed, plte)
	for y := 0; y < h; y += stripeRows {
		s := e.stripe(im, y, min(y+stripeRows, h), palette)
		parts = append(parts, s)
		size += len(s.chunk)
	}
	out := make([]byte, 0, size)
	out = append(out, "\x89PNG\r\n\x1a\n"...)
	var ihdr [13]byte
	binary.BigEndian.PutUint32(ihdr[0:], uint32(w))
	binary.BigEndian.PutUint32(ihdr[4:], uint32(h))
	ihdr[8], ihdr[9] = 8, 3 // bits, indexed
	out = appendChunk(out, "IHDR", ihdr[:])
	out = appendChunk(out, "PLTE", plte)
	out = appendChunk(out, "IDAT", []byte{0x78, 0x9c}) // the zlib header
	sum := uint32(1)
	for _, s := range parts {
		out = append(out, s.chunk...)
		sum = joinAdler(sum, s.adler, s.size)
	}
	end := []byte{1, 0, 0, 0xff, 0xff} // a last, empty block
	out = appendChunk(out, "IDAT", binary.BigEndian.AppendUint32(end, sum))
	return appendChunk(out, "IEND", nil)
}

// stripe returns the finished chunk of rows y0 to y1.
func (e *pngEncoder) stripe(im *image.Paletted, y0, y1 int, palette uint64) *stripe {
	w := im.Rect.Dx()
	work, _ := e.work.Get().(*stripeWork)
	if work == nil {
		work = new(stripeWork)
	}
	defer e.work.Put(work)
	above := min(y0, 1)
	place := modelKey{palette, y0, w, y1 - y0}
	m, ok := e.models.take(place)
	if !ok {
		m = &model{}
	}
	defer e.models.put(place, m)
	if m.shows(im, y0-above, y1) {
		return m.stripe
	}
	raw := work.raw[:0]
	for y := y0 - above; y < y1; y++ {
		raw = append(raw, 0) // no filter: indices are no amounts
		raw = append(raw, im.Pix[y*im.Stride:y*im.Stride+w]...)
	}
	work.raw = raw
	from := above * (w + 1)
	key := stripeKey{maphash.Bytes(e.seed, raw), len(raw) - from}
	s, ok := e.stripes.get(key)
	if !ok {
		s = &stripe{size: key.size}
		if m.stripe != nil {
			s.adler = changedAdler(m.adler, m.raw[from:], raw[from:], w+1)
		} else {
			s.adler = adler32.Checksum(raw[from:])
		}
		work.data, work.raw = work.deflater.append(work.data[:0], raw, from, w+1, &m.parse)
		s.chunk = appendChunk(make([]byte, 0, len(work.data)+12), "IDAT", work.data)
		m.stripe = e.stripes.put(key, s)
	}
	return s
}

// shows reports whether rows y0 to y1 are those of the model.
func (m *model) shows(im *image.Paletted, y0, y1 int) bool {
	if m.stripe == nil {
		return false
	}
	w := im.Rect.Dx()
	for y := y0; y < y1; y++ {
		if !bytes.Equal(m.raw[(y-y0)*(w+1)+1:(y-y0+1)*(w+1)], im.Pix[y*im.Stride:y*im.Stride+w]) {
			return false
		}
	}
	return true
}

func appendChunk(out []byte, kind string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	from := len(out)
	out = append(out, kind...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
}

// joinAdler is the Adler-32 checksum of two texts one after the other, of their
// own checksums and the length of the second (RFC 1950, 8.2).
func joinAdler(a, b uint32, length int) uint32 {
	const mod = 65521
	rest := uint32(length % mod)
	a1, a2, b1, b2 := a&0xffff, a>>16, b&0xffff, b>>16
	s1 := (a1 + b1 + mod - 1) % mod
	s2 := (a2 + b2 + uint32(uint64(rest)*uint64(a1+mod-1)%mod)) % mod
	return s2<<16 | s1
}

// changedAdler is the Adler-32 checksum of a text of rows that are mostly as those of another, whose
// checksum is sum.
func changedAdler(sum uint32, was, now []byte, row int) uint32 {
	const mod = 65521
	var d1, d2 int64 // what the changes add to the two sums
	for y := 0; y < len(now); y += row {
		old, line := was[y:y+row], now[y:y+row]
		if bytes.Equal(old, line) {
			continue
		}
		rest := int64(len(now) - y) // how often the next byte counts in the second sum
		for ; len(line) >= 8; old, line, rest = old[8:], line[8:], rest-8 {
			a, b := binary.LittleEndian.Uint64(old), binary.LittleEndian.Uint64(line)
			if a == b {
				continue
			}
			s, w := sums(b)
			t, v := sums(a)
			d1 += s - t
			d2 += (s-t)*(rest-8) + w - v
		}
		for i := range line {
			d := int64(line[i]) - int64(old[i])
			d1 += d
			d2 += d * (rest - int64(i))
		}
	}
	s1 := (int64(sum&0xffff) + d1%mod + mod) % mod
	s2 := (int64(sum>>16) + d2%mod + mod) % mod
	return uint32(s2)<<16 | uint32(s1)
}

// sums are the sum of eight bytes, and that of the first eightfold, the second sevenfold, and so on: two
// products of four pairs each.
func sums(x uint64) (plain, weighted int64) {
	const pairs = 0x00ff00ff00ff00ff
	even, odd := x&pairs, x>>8&pairs
	return int64((even + odd) * 0x0001000100010001 >> 48), int64((even*0x0008000600040002 + odd*0x0007000500030001) >> 48)
}
