package render

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// deflater writes rows of indexed pixels as blocks of DEFLATE (RFC 1951). It knows what such rows
// are like: a pixel mostly goes on as on its left, as above or along a slope. Only these few
// distances are tried everywhere, which makes their codes short, and others where a colour begins.
// On boards this is a fifteenth smaller than a general compressor's middle levels, and quicker.
type deflater struct {
	*parse
	seen    [1 << farBits]uint32
	was     []uint32 // the tokens of the parse before
	changed []uint64 // bit by place: it or a pixel that it is compared with is not as it was

	literals  [286]uint32 // how often each symbol is used
	distances [30]uint32

	out  []byte
	acc  uint64 // bits that are not yet a part of out
	held uint
}

const (
	nearby   = 4 // distances that are tried everywhere
	farBits  = 11
	farLeast = 8   // pixels that a match farther off has at least
	farMost  = 40  // pixels of a near match with which no other is looked for
	lazyMost = 200 // pixels of a match that may give way to one from the next pixel on

	shortest = 3 // pixels of a match, by the format
	longest  = 258
	window   = 32768

	// A match is worth a few bits a pixel less what its code takes.
	pixelBits = 4
	matchBits = 6
	otherBits = 3 // more for what is neither on the left nor above
)

// symbol is a length's or distance's symbol with its first value and the number of further bits.
type symbol struct{ base, extra uint16 }

var lengthSymbols, distanceSymbols = symbols(29, 4, shortest), symbols(30, 2, 1)

// lengthCodes gives a length's symbol less 257.
var lengthCodes = func() (codes [longest + 1]uint8) {
	lengthSymbols[28] = symbol{base: longest}
	for c, s := range lengthSymbols {
		for l := int(s.base); l <= longest; l++ {
			codes[l] = uint8(c)
		}
	}
	return codes
}()

// symbols are n symbols from the value first on, the number of whose further bits grows with
// every group of them (RFC 1951, 3.2.5).
func symbols(n, group int, first uint16) []symbol {
	list := make([]symbol, n)
	for i := range list {
		extra := uint16(max(i/group-1, 0))
		list[i] = symbol{base: first, extra: extra}
		first += 1 << extra
	}
	return list
}

func distanceCode(d uint32) uint32 {
	if d <= 4 {
		return d - 1
	}
	d--
	n := uint32(bits.Len32(d)) - 1
	return 2*n + d>>(n-1)&1
}

// parse is how rows were written. A picture mostly differs from the one before in a few places: the
// rest is written in the same way.
type parse struct {
	raw    []byte
	miss   [nearby][]uint64 // bit by place: no match at that distance
	tokens []uint32         // literals, or length<<16 | distance
}

func (p *parse) bytes() int { return cap(p.raw) + nearby*8*cap(p.miss[0]) + 4*cap(p.tokens) }

// append adds a block of raw[from:] to out, for a reader who knows raw[:from], and ends on a whole
// byte. A row of raw is that long. p is the parse of other rows of that size, or empty; it becomes
// that of raw, and what was its raw is returned for other uses.
func (d *deflater) append(out, raw []byte, from, row int, p *parse) (written, spare []byte) {
	d.out, d.parse = out, p
	d.choose(raw, from, row)
	d.block()
	spare, p.raw = p.raw, raw
	out, d.out, d.parse = d.out, nil, nil
	return out, spare
}

// ahead is how much farther than the chosen one a match may reach that was not chosen.
const ahead = 8

// differ notes what is not as it was, and brings miss up to date.
func (d *deflater) differ(raw []byte, from, row int, offs *[nearby]int) {
	n := len(raw)/64 + 1
	d.changed = sized(d.changed, 2*n)
	at, near := d.changed[:n], d.changed[n:]
	clear(at)
	for y := 0; y < len(raw); y += row {
		here, was := raw[y:y+row], d.raw[y:y+row]
		if bytes.Equal(here, was) {
			continue // most rows are
		}
		i := 0
		for ; i+8 <= row; i += 8 {
			if x := binary.LittleEndian.Uint64(here[i:]) ^ binary.LittleEndian.Uint64(was[i:]); x != 0 {
				m, p := bytesOf(x), y+i
				at[p>>6] |= m << (p & 63)
				if p&63 > 56 {
					at[p>>6+1] |= m >> (64 - p&63)
				}
			}
		}
		for ; i < row; i++ {
			if here[i] != was[i] {
				at[(y+i)>>6] |= 1 << ((y + i) & 63)
			}
		}
	}
	copy(near, at)
	for _, off := range offs {
		w, s := off>>6, uint(off&63)
		for i := n - 1; i >= w; i-- {
			x := at[i-w] << s
			if i > w {
				x |= at[i-w-1] >> (64 - s)
			}
			near[i] |= x
		}
	}
	d.changed = near
	for w, x := range near[from/64:] {
		if x != 0 {
			w += from / 64
			for k, off := range offs {
				d.miss[k][w] = misses(raw, w*64, from, off)
			}
		}
	}
}

// next is the first place from i on that changed.
func (d *deflater) next(i int) int {
	w := i >> 6
	x := d.changed[w] >> (i & 63) << (i & 63)
	for x == 0 {
		if w++; w == len(d.changed) {
			return math.MaxInt
		}
		x = d.changed[w]
	}
	return w<<6 + bits.TrailingZeros64(x)
}

// unit is how many tokens depend on the same places, and how many pixels they write: some as they
// are, for the match behind them was better than one that began there, and that match.
func unit(tokens []uint32) (n, alone, pixels int) {
	for alone < len(tokens) && tokens[alone]>>16 == 0 {
		alone++
	}
	n, pixels = alone, alone
	for n < len(tokens) && tokens[n]>>16 > 0 {
		l := int(tokens[n] >> 16)
		n, pixels = n+1, pixels+l
		if l < longest-shortest || n == len(tokens) || tokens[n]&0xffff != tokens[n-1]&0xffff {
			break
		}
	}
	return n, alone, pixels
}

// keep takes over tokens, the first of which wrote raw[i:], up to where they depend on what changed.
// It returns how many, and how many pixels they write.
func (d *deflater) keep(raw []byte, i int, tokens []uint32, near *[nearby]int) (n, pixels int) {
	change := d.next(i)
	for n < len(tokens) {
		u, alone, l := unit(tokens[n:])
		if i+pixels+l+ahead > change {
			return n, pixels
		}
		t := tokens[n+u-1]
		if far := int(t & 0xffff); t>>16 > 0 && !slices.Contains(near[:], far) {
			at, end := i+pixels+alone, i+pixels+l
			if matching(raw[at:end], raw[at-far:]) < end-at {
				return n, pixels
			}
		}
		for k, t := range tokens[n : n+u] {
			d.count(t)
			if k <= alone {
				d.see(raw, i+pixels+k)
			}
		}
		d.tokens = append(d.tokens, tokens[n:n+u]...)
		n, pixels = n+u, pixels+l
	}
	return n, pixels
}

// see notes what begins at i, and returns where the same was seen before, or -1.
func (d *deflater) see(raw []byte, i int) int {
	if i+farLeast > len(raw) {
		return -1
	}
	h := binary.LittleEndian.Uint64(raw[i:]) * 0x9e3779b97f4a7c15 >> (64 - farBits)
	before := int(d.seen[h]) - 1
	d.seen[h] = uint32(i + 1)
	return before
}

// count counts the symbols of a token.
func (d *deflater) count(t uint32) {
	if t>>16 == 0 {
		d.literals[t]++
		return
	}
	d.literals[257+int(lengthCodes[t>>16])]++
	d.distances[distanceCode(t&0xffff)]++
}

// bytesOf has a bit for each byte of x that is not 0.
func bytesOf(x uint64) uint64 {
	x = (x&0x7f7f7f7f7f7f7f7f + 0x7f7f7f7f7f7f7f7f | x) >> 7 & 0x0101010101010101
	return x * 0x0102040810204080 >> 56
}

// compare notes where raw is not the same as so many pixels before; past its end it is not.
func (d *deflater) compare(k int, raw []byte, from, off int) {
	miss := sized(d.miss[k], len(raw)/64+1)
	d.miss[k] = miss
	for w := from / 64; w < len(miss); w++ {
		miss[w] = misses(raw, w*64, from, off)
	}
}

// misses are the 64 places from at on.
func misses(raw []byte, at, from, off int) (m uint64) {
	n := len(raw)
	if at < max(from, off) || at+64 > n {
		for i := max(at, from); i < min(at+64, n); i++ {
			if i < off || raw[i] != raw[i-off] {
				m |= 1 << (i & 63)
			}
		}
		if at+64 > n {
			m |= 1 << (n & 63)
		}
		return m
	}
	here, there := raw[at:at+64], raw[at-off:at-off+64]
	for i := 0; i <= 56; i += 8 {
		if x := binary.LittleEndian.Uint64(here[i:i+8]) ^ binary.LittleEndian.Uint64(there[i:i+8]); x != 0 {
			m |= bytesOf(x) << i
		}
	}
	return m
}

// match is a way to write the next pixels.
type match struct{ length, distance, gain int }

// best is the match at i that saves most.
func (d *deflater) best(raw []byte, i int, offs, price *[nearby]int) (m match) {
	w, bit := i>>6, uint(i&63)
	for k := range nearby {
		miss := d.miss[k]
		rest := miss[w] >> bit
		if rest&(1<<shortest-1) != 0 {
			continue
		}
		l := bits.TrailingZeros64(rest)
		if rest == 0 {
			v := w + 1
			for miss[v] == 0 {
				v++
			}
			l = v<<6 + bits.TrailingZeros64(miss[v]) - i
			if l < shortest {
				continue
			}
		}
		if g := min(l, longest)*pixelBits - price[k]; g > m.gain {
			m = match{l, offs[k], g}
		}
	}
	if m.length >= farMost || d.miss[0][w]>>bit&1 == 0 || i+farLeast > len(raw) {
		return m
	}
	before := d.see(raw, i)
	if before < 0 || before >= i || i-before > window {
		return m
	}
	if l := matching(raw[i:min(i+longest, len(raw))], raw[before:]); l >= farLeast {
		extra := int(distanceSymbols[distanceCode(uint32(i-before))].extra)
		if g := l*pixelBits - matchBits - otherBits - extra; g > m.gain {
			m = match{l, i - before, g}
		}
	}
	return m
}

// choose lists the tokens of raw[from:] and counts their symbols.
func (d *deflater) choose(raw []byte, from, row int) {
	d.was, d.tokens = d.tokens, d.was[:0]
	clear(d.literals[:])
	clear(d.distances[:])
	clear(d.seen[:])
	d.literals[256] = 1 // the block's end
	offs := [nearby]int{1, row, row + 1, row - 1}
	var price [nearby]int
	for k, off := range offs {
		price[k] = matchBits + int(distanceSymbols[distanceCode(uint32(off))].extra)
		if k > 1 {
			price[k] += otherBits
		}
	}
	were, at := d.was, from // tokens that were, the first of which wrote what is at
	if d.raw != nil {
		d.differ(raw, from, row, &offs)
	} else {
		for k, off := range offs {
			d.compare(k, raw, from, off)
		}
	}
	for i := from; i < len(raw); {
		for len(were) > 0 && at < i {
			at += max(1, int(were[0]>>16))
			were = were[1:]
		}
		if len(were) > 0 && at == i {
			n, pixels := d.keep(raw, i, were, &offs)
			were, at, i = were[n:], at+pixels, i+pixels
			if i == len(raw) {
				return
			}
		}
		m := d.best(raw, i, &offs, &price)
		for m.length < lazyMost && i+1 < len(raw) {
			next := d.best(raw, i+1, &offs, &price)
			if m.length > 0 && next.gain <= m.gain {
				break
			}
			d.add(uint32(raw[i]))
			i++
			m = next
		}
		if m.length == 0 {
			d.add(uint32(raw[i]))
			i++
			continue
		}
		i += m.length
		for m.length > 0 {
			part := min(m.length, longest)
			if rest := m.length - part; rest > 0 && rest < shortest {
				part -= shortest
			}
			d.add(uint32(part)<<16 | uint32(m.distance))
			m.length -= part
		}
	}
}

// add adds a token.
func (d *deflater) add(t uint32) {
	d.tokens = append(d.tokens, t)
	d.count(t)
}

// matching is how many pixels are the same in a and b.
func matching(a, b []byte) int {
	n := 0
	for ; n+8 <= len(a); n += 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// code is the Huffman code of a symbol, its first bit lowest.
type code struct {
	bits uint16
	n    uint8
}

// lengthsOrder is how the code lengths' own lengths are written (RFC 1951, 3.2.7).
var lengthsOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// block writes the tokens as a block with codes of its own, and an empty one that ends on a byte.
func (d *deflater) block() {
	var literals [286]code
	var distances [30]code
	huffman(d.literals[:], 15, literals[:])
	huffman(d.distances[:], 15, distances[:])
	nl, nd := len(literals), len(distances)
	for nl > 257 && literals[nl-1].n == 0 {
		nl--
	}
	for nd > 1 && distances[nd-1].n == 0 {
		nd--
	}
	var lengths [286 + 30]uint8
	for i := range nl {
		lengths[i] = literals[i].n
	}
	for i := range nd {
		lengths[nl+i] = distances[i].n
	}
	type part struct{ symbol, value, extra uint8 }
	var parts [286 + 30]part
	n := 0
	var counts [19]uint32
	add := func(p part) {
		parts[n] = p
		counts[p.symbol]++
		n++
	}
	for i := 0; i < nl+nd; {
		v, run := lengths[i], 1
		for i+run < nl+nd && lengths[i+run] == v {
			run++
		}
		i += run
		if v != 0 {
			add(part{symbol: v})
			run--
		}
		for run >= 3 {
			var take int
			switch {
			case v != 0:
				take = min(run, 6)
				add(part{16, uint8(take - 3), 2})
			case run <= 10:
				take = run
				add(part{17, uint8(take - 3), 3})
			default:
				take = min(run, 138)
				add(part{18, uint8(take - 11), 7})
			}
			run -= take
		}
		for ; run > 0; run-- {
			add(part{symbol: v})
		}
	}
	var codes [19]code
	huffman(counts[:], 7, codes[:])
	nc := len(codes)
	for nc > 4 && codes[lengthsOrder[nc-1]].n == 0 {
		nc--
	}
	d.put(2<<1, 3) // a block with codes of its own that is not the last
	d.put(uint64(nl-257), 5)
	d.put(uint64(nd-1), 5)
	d.put(uint64(nc-4), 4)
	for _, s := range lengthsOrder[:nc] {
		d.put(uint64(codes[s].n), 3)
	}
	for _, p := range parts[:n] {
		c := codes[p.symbol]
		d.put(uint64(c.bits), uint(c.n))
		d.put(uint64(p.value), uint(p.extra))
	}
	for _, t := range d.tokens {
		l, off := t>>16, t&0xffff
		if l == 0 {
			d.put(uint64(literals[t].bits), uint(literals[t].n))
			continue
		}
		k := lengthCodes[l]
		c, s := literals[257+int(k)], lengthSymbols[k]
		d.put(uint64(c.bits)|uint64(l-uint32(s.base))<<c.n, uint(c.n)+uint(s.extra))
		k = uint8(distanceCode(off))
		c, s = distances[k], distanceSymbols[k]
		d.put(uint64(c.bits)|uint64(off-uint32(s.base))<<c.n, uint(c.n)+uint(s.extra))
	}
	d.put(uint64(literals[256].bits), uint(literals[256].n))
	d.put(0, 3) // an empty block as it is, from the next whole byte on
	d.put(0, -d.held&7)
	d.flush()
	d.out = append(d.out, 0, 0, 0xff, 0xff)
}

// put writes n bits, at most 32, the lowest first.
func (d *deflater) put(v uint64, n uint) {
	d.acc |= v << d.held
	d.held += n
	if d.held >= 32 {
		d.out = binary.LittleEndian.AppendUint32(d.out, uint32(d.acc))
		d.acc >>= 32
		d.held -= 32
	}
}

// flush writes the whole bytes that are held back.
func (d *deflater) flush() {
	for ; d.held >= 8; d.held -= 8 {
		d.out = append(d.out, byte(d.acc))
		d.acc >>= 8
	}
}

// huffman sets codes of at most limit bits for symbols of which counts says how often they are
// used; those that are not used have none.
func huffman(counts []uint32, limit int, codes []code) {
	type node struct {
		count       uint32
		symbol      int16
		left, right int16
		depth       uint8
	}
	var room [2 * 286]node
	nodes := room[:0]
	for s, c := range counts {
		if c > 0 {
			nodes = append(nodes, node{count: c, symbol: int16(s)})
		}
	}
	leaves := len(nodes)
	if leaves < 2 {
		for _, n := range nodes {
			codes[n.symbol].n = 1
		}
		return
	}
	slices.SortFunc(nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.symbol, b.symbol))
	})
	leaf, inner := 0, leaves
	least := func() int16 {
		if leaf < leaves && (inner >= len(nodes) || nodes[leaf].count <= nodes[inner].count) {
			leaf++
			return int16(leaf - 1)
		}
		inner++
		return int16(inner - 1)
	}
	for len(nodes) < 2*leaves-1 {
		a, b := least(), least()
		nodes = append(nodes, node{count: nodes[a].count + nodes[b].count, left: a, right: b})
	}
	var of [16]int // codes by their length
	for i := len(nodes) - 1; i >= 0; i-- {
		n := &nodes[i]
		if i < leaves {
			of[min(int(n.depth), limit)]++
			continue
		}
		nodes[n.left].depth, nodes[n.right].depth = n.depth+1, n.depth+1
	}
	// Lengths over the limit were cut: shorter codes grow until all have room.
	used := 0
	for l := 1; l <= limit; l++ {
		used += of[l] << (limit - l)
	}
	for ; used > 1<<limit; used-- {
		l := limit - 1
		for of[l] == 0 {
			l--
		}
		of[l]--
		of[l+1] += 2
		of[limit]--
	}
	at := 0
	for l := limit; l > 0; l-- {
		for range of[l] {
			codes[nodes[at].symbol].n = uint8(l)
			at++
		}
	}
	var next [17]uint16
	for l := 1; l <= limit; l++ {
		next[l+1] = (next[l] + uint16(of[l])) << 1
	}
	for s := range counts {
		if c := &codes[s]; c.n > 0 {
			c.bits = bits.Reverse16(next[c.n]) >> (16 - c.n)
			next[c.n]++
		}
	}
}

// sized is a slice of that length, of s when it is large enough; what is in it is not defined.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
