package render

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"hash/maphash"
	"image"
	"math/bits"
	"slices"
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
	key   stripeKey
	rough int // pixels that could be written better
}

func (s *stripe) bytes() int { return len(s.chunk) + 220 }

// stripeKey knows a stripe by its rows and the one above: a hash whose seed nobody knows.
type stripeKey struct {
	hash uint64
	size int
}

// model is the stripe that was made last at a place of a picture. The next one there is mostly much
// like it. Whoever works with it has taken it out of the cache.
type model struct {
	parse
	*stripe
	hashes []uint64 // of its rows
}

func (m *model) bytes() int { return m.parse.bytes() + 8*cap(m.hashes) + 300 }

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
	deflater deflater
	data     []byte
	changes  []span   // where rows are not as the model's
	hashes   []uint64 // of the rows
	sum      []byte   // all these
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
	size := 8 + 25 + 12 + len(plte) + 14 + 21 + 12 // with what is not in stripes
	palette := maphash.Bytes(e.seed, plte)
	for y := 0; y < h; y += stripeRows {
		s := e.stripe(im, y, min(y+stripeRows, h), palette)
		parts = append(parts, s)
		size += len(s.chunk)
	}
	for n := 0; n < len(parts) && size > min(enough+n*more, promised); n++ {
		size -= e.refine(parts, palette, w, h, size > promised)
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
		sum = joinAdler(sum, s.adler, s.key.size)
	}
	end := []byte{1, 0, 0, 0xff, 0xff} // a last, empty block
	out = appendChunk(out, "IDAT", binary.BigEndian.AppendUint32(end, sum))
	return appendChunk(out, "IEND", nil)
}

// stripe returns the finished chunk of rows y0 to y1.
func (e *pngEncoder) stripe(im *image.Paletted, y0, y1 int, palette uint64) *stripe {
	w := im.Rect.Dx()
	work := e.begin()
	defer e.work.Put(work)
	above, row := min(y0, 1), w+1
	place := modelKey{palette, y0, w, y1 - y0}
	m, ok := e.models.take(place)
	if !ok {
		m = &model{}
	}
	defer e.models.put(place, m)
	pix := im.Pix[(y0-above)*im.Stride:]
	if m.stripe == nil {
		m.read(e.seed, pix, im.Stride, w, y1-y0+above)
		work.changes, work.hashes = nil, append(work.hashes[:0], m.hashes...)
	} else if !work.compare(e.seed, m, pix, im.Stride, w) {
		return m.stripe
	}
	from := above * row
	key := stripeKey{work.hash(e.seed), len(m.raw) - from}
	if s, ok := e.stripes.get(key); ok {
		return s
	}
	s := &stripe{key: key}
	if m.stripe != nil {
		s.adler = m.update(work, pix, im.Stride, w, from)
	} else {
		s.adler = adler32.Checksum(m.raw[from:])
	}
	work.data = work.deflater.append(work.data[:0], from, row, &m.parse, work.changes)
	s.finish(work.data, m.parse.rough)
	m.stripe = e.stripes.put(key, s)
	return s
}

// finish makes the chunk of deflated rows.
func (s *stripe) finish(data []byte, rough int) {
	s.chunk, s.rough = appendChunk(make([]byte, 0, len(data)+12), "IDAT", data), rough
}

// A picture of more bytes than enough has one stripe refined: one of many bytes of which a great part, an
// eighth at least, was written quickly. For every so many more it has another one; and one after the other, of
// whatever part, where it has more than promised. The pictures after it gain from that.
const (
	enough   = 42000
	more     = 1000
	promised = 45000
)

// refine replaces a stripe of a picture of w pixels a row and h rows, and returns how many bytes fewer it has.
// A great part of it was written quickly; with all, any part will do.
func (e *pngEncoder) refine(parts []*stripe, palette uint64, w, h int, all bool) int {
	var passed []int // those whose place has another model by now
	for {
		at, most := -1, 0
		for i, s := range parts {
			if gain := s.rough * len(s.chunk); (all || s.rough*8 >= s.key.size) && gain > most && !slices.Contains(passed, i) {
				at, most = i, gain
			}
		}
		if at < 0 {
			return 0
		}
		y := at * stripeRows
		if s := e.better(parts[at], modelKey{palette, y, w, min(stripeRows, h-y)}); s != nil {
			saved := len(parts[at].chunk) - len(s.chunk)
			parts[at] = s
			return saved
		}
		passed = append(passed, at)
	}
}

// better is a stripe of the same rows, refined; nil when s is not its place's model.
func (e *pngEncoder) better(s *stripe, place modelKey) *stripe {
	m, ok := e.models.take(place)
	if !ok {
		return nil
	}
	defer e.models.put(place, m)
	if m.stripe != s {
		return nil
	}
	work := e.begin()
	defer e.work.Put(work)
	row := place.w + 1
	work.data = work.deflater.refine(work.data[:0], min(place.y, 1)*row, row, &m.parse)
	fine := &stripe{adler: s.adler, key: s.key}
	fine.finish(work.data, 0)
	if len(fine.chunk) > len(s.chunk) {
		fine.chunk = s.chunk
	}
	m.stripe = fine
	e.stripes.take(s.key)
	e.stripes.put(s.key, fine)
	return fine
}

// begin takes what making a stripe needs, to be put back.
func (e *pngEncoder) begin() *stripeWork {
	if work, _ := e.work.Get().(*stripeWork); work != nil {
		return work
	}
	return new(stripeWork)
}

// read takes over rows of w pixels, each of which begins a stride after the one before.
func (m *model) read(seed maphash.Seed, pix []byte, stride, w, rows int) {
	m.raw, m.hashes = make([]byte, 0, rows*(w+1)), make([]uint64, rows)
	for y := range rows {
		line := pix[y*stride:][:w]
		m.raw = append(m.raw, 0) // no filter: indices are no amounts
		m.raw = append(m.raw, line...)
		m.hashes[y] = maphash.Bytes(seed, line)
	}
}

// compare lists where such rows are not as those of the model, and hashes them. It reports whether
// any is not.
func (work *stripeWork) compare(seed maphash.Seed, m *model, pix []byte, stride, w int) bool {
	changes, hashes := work.changes[:0], append(work.hashes[:0], m.hashes...)
	for y := range hashes {
		at := y*(w+1) + 1
		was, now := m.raw[at:at+w], pix[y*stride:][:w]
		if !bytes.Equal(was, now) {
			hashes[y] = maphash.Bytes(seed, now)
			changes = differences(changes, at, was, now)
		}
	}
	work.changes, work.hashes = changes, hashes
	return len(changes) > 0
}

// hash is one of all rows' hashes.
func (work *stripeWork) hash(seed maphash.Seed) uint64 {
	all := work.sum[:0]
	for _, h := range work.hashes {
		all = binary.LittleEndian.AppendUint64(all, h)
	}
	work.sum = all
	return maphash.Bytes(seed, all)
}

// update brings the model's rows up to date, and returns their checksum from a place on.
func (m *model) update(work *stripeWork, pix []byte, stride, w, from int) uint32 {
	var change adlerChange
	for _, c := range work.changes {
		y, x := c.from/(w+1), c.from%(w+1)-1
		was, now := m.raw[c.from:c.to], pix[y*stride+x:][:c.to-c.from]
		if c.from >= from {
			change.add(was, now, len(m.raw)-c.from)
		}
		copy(was, now)
	}
	copy(m.hashes, work.hashes)
	return change.sum(m.adler)
}

// between is how many equal pixels between two differences are taken along with them.
const between = 16

// differences adds to a list where two rows are not the same. They begin at a place.
func differences(list []span, at int, was, now []byte) []span {
	n := len(list)
	add := func(from, to int) {
		if k := len(list) - 1; k >= n && from-list[k].to <= between {
			list[k].to = to
		} else {
			list = append(list, span{from, to})
		}
	}
	i := 0
	for ; i+64 <= len(now); i += 64 {
		a, b := (*[64]byte)(now[i:]), (*[64]byte)(was[i:])
		if *a == *b {
			continue
		}
		m := unlike(a, b)
		near := m | m<<1 // and what comes at most 15 places after, fewer than between
		near |= near << 2
		near |= near << 4
		near |= near << 8
		for near != 0 {
			from := bits.TrailingZeros64(near)
			end := from + bits.TrailingZeros64(^(near >> from))
			left := ^uint64(0) << end
			add(at+i+from, at+i+bits.Len64(m&^left))
			near &= left
		}
	}
	for ; i < len(now); i++ {
		if was[i] != now[i] {
			add(at+i, at+i+1)
		}
	}
	return list
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

// adlerChange is what changes of a text add to its two sums.
type adlerChange struct{ d1, d2 int64 }

// add adds a part that has changed, from whose first byte on the text has so many bytes.
func (c *adlerChange) add(was, now []byte, rest int) {
	n := int64(rest)
	for ; len(now) >= 8; was, now, n = was[8:], now[8:], n-8 {
		a, b := binary.LittleEndian.Uint64(was), binary.LittleEndian.Uint64(now)
		if a == b {
			continue
		}
		s, w := sums(b)
		t, v := sums(a)
		c.d1 += s - t
		c.d2 += (s-t)*(n-8) + w - v
	}
	for i := range now {
		d := int64(now[i]) - int64(was[i])
		c.d1 += d
		c.d2 += d * (n - int64(i))
	}
}

// sum is the checksum of the text whose checksum was was.
func (c *adlerChange) sum(was uint32) uint32 {
	const mod = 65521
	s1 := (int64(was&0xffff) + c.d1%mod + mod) % mod
	s2 := (int64(was>>16) + c.d2%mod + mod) % mod
	return uint32(s2)<<16 | uint32(s1)
}

// sums are the sum of eight bytes, and that of the first eightfold, the second sevenfold, and so on: two
// products of four pairs each.
func sums(x uint64) (plain, weighted int64) {
	const pairs = 0x00ff00ff00ff00ff
	even, odd := x&pairs, x>>8&pairs
	return int64((even + odd) * 0x0001000100010001 >> 48), int64((even*0x0008000600040002 + odd*0x0007000500030001) >> 48)
}
