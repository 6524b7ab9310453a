package render

import (
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
	dirty   []span   // what has changed or is compared with what has, from left to right
	refiner refiner

	out  []byte
	acc  uint64 // bits that are not yet a part of out
	held uint
}

const (
	nearby   = 4 // distances that are tried everywhere
	farBits  = 11
	farLeast = 8   // pixels that a match farther off has at least
	farMost  = 60  // pixels of a near match with which no other is looked for
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

// distanceCodes gives a distance's symbol where it is not far, and for no distance one that is none.
var distanceCodes = func() (codes [2048]uint8) {
	codes[0] = 31
	for d := 1; d < len(codes); d++ {
		codes[d] = uint8(distanceCode(uint32(d)))
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
	miss   [][nearby]uint64 // bit by place: no match at that distance
	tokens []uint32         // literals, or length<<16 | distance

	literals  [286]uint32 // how often each symbol is used
	distances [30]uint32

	rough int // pixels written since the tokens were last refined
}

// forget sets the counts to those of no tokens.
func (p *parse) forget() {
	clear(p.literals[:])
	clear(p.distances[:])
	p.literals[256] = 1 // the block's end
}

func (p *parse) bytes() int {
	return cap(p.raw) + nearby*8*cap(p.miss) + 4*cap(p.tokens) + 4*(286+30) + 8
}

// span is raw[from:to].
type span struct{ from, to int }

// append adds a block of p.raw[from:] to out, for a reader who knows p.raw[:from], and ends on a whole
// byte. A row of raw is that long. p is the parse of these rows before the changes, which are listed
// from left to right; one without tokens is made anew.
func (d *deflater) append(out []byte, from, row int, p *parse, changes []span) []byte {
	d.out, d.parse = out, p
	d.choose(from, row, changes)
	d.block()
	out, d.out, d.parse = d.out, nil, nil
	return out
}

// ahead is how much farther than the chosen one a match may reach that was not chosen.
const ahead = 8

// differ lists what the changes bear on, they themselves and what is compared with them, and brings
// miss up to date.
func (d *deflater) differ(from, row int, changes []span, offs *[nearby]int) {
	d.dirty = d.dirty[:0]
	below, end := changes, len(d.raw)
	for len(below) > 0 {
		s := span{below[0].from + row - 1, below[0].to + row + 1}
		if len(changes) > 0 && changes[0].from <= s.from {
			s = span{changes[0].from, changes[0].to + 1}
			changes = changes[1:]
		} else {
			below = below[1:]
		}
		s = span{max(s.from, from), min(s.to, end)}
		if s.from >= s.to {
			continue
		}
		if n := len(d.dirty) - 1; n >= 0 && s.from <= d.dirty[n].to+ahead {
			d.dirty[n].to = max(d.dirty[n].to, s.to)
			continue
		}
		d.dirty = append(d.dirty, s)
	}
	done := 0 // words before this one are up to date
	for _, s := range d.dirty {
		d.rough += s.to - s.from
		for w := max(s.from>>6, done); w <= (s.to-1)>>6; w++ {
			misses(&d.miss[w], d.raw, w<<6, from, offs)
		}
		done = (s.to-1)>>6 + 1
	}
	d.dirty = append(d.dirty, span{math.MaxInt, math.MaxInt})
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
func (d *deflater) keep(i int, tokens []uint32, near *[nearby]int) (n, pixels int) {
	dirty := d.dirty
	for dirty[0].to <= i {
		dirty = dirty[1:]
	}
	d.dirty = dirty
	change := dirty[0].from
	raw := d.raw
	for n < len(tokens) {
		u, alone, l := unit(tokens[n:])
		if i+pixels+l+ahead > change {
			break
		}
		t := tokens[n+u-1]
		if far := int(t & 0xffff); t>>16 > 0 && far != near[0] && far != near[1] && far != near[2] && far != near[3] {
			at, end := i+pixels+alone, i+pixels+l
			if matching(raw[at:end], raw[at-far:]) < end-at {
				break
			}
		}
		for k := range alone + 1 {
			d.see(raw, i+pixels+k)
		}
		n, pixels = n+u, pixels+l
	}
	d.tokens = append(d.tokens, tokens[:n]...)
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

// count counts the symbols of a token, n times.
func (d *deflater) count(t, n uint32) {
	if t>>16 == 0 {
		d.literals[t] += n
		return
	}
	d.literals[257+int(lengthCodes[t>>16])] += n
	d.distances[distanceCode(t&0xffff)] += n
}

// no takes a count back.
const no = ^uint32(0)

// unlike has a bit for each place at which a and b are not the same.
func unlike(a, b *[64]byte) uint64 {
	// The first word's bytes are told apart in the lowest bits of m's bytes, the second's in the next.
	m := unlikeBytes(a[:8], b[:8])>>7 | unlikeBytes(a[8:16], b[8:16])>>6 |
		unlikeBytes(a[16:24], b[16:24])>>5 | unlikeBytes(a[24:32], b[24:32])>>4 |
		unlikeBytes(a[32:40], b[32:40])>>3 | unlikeBytes(a[40:48], b[40:48])>>2 |
		unlikeBytes(a[48:56], b[48:56])>>1 | unlikeBytes(a[56:], b[56:])
	// Eight bytes of eight bits are turned over, so that each word's stand in one byte.
	t := (m ^ m>>7) & 0x00aa00aa00aa00aa
	m ^= t ^ t<<7
	t = (m ^ m>>14) & 0x0000cccc0000cccc
	m ^= t ^ t<<14
	t = (m ^ m>>28) & 0x00000000f0f0f0f0
	return m ^ t ^ t<<28
}

// unlikeBytes has the highest bit of each byte that is not the same in two words.
func unlikeBytes(a, b []byte) uint64 {
	const low = 0x7f7f7f7f7f7f7f7f
	x := binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b)
	return (x&low + low | x) &^ low
}

// misses notes of the 64 places from at on where raw is not the same as so many pixels before; past
// its end it is not.
func misses(miss *[nearby]uint64, raw []byte, at, from int, offs *[nearby]int) {
	n := len(raw)
	if at < max(from, slices.Max(offs[:])) || at+64 > n {
		for k, off := range offs {
			var m uint64
			for i := max(at, from); i < min(at+64, n); i++ {
				if i < off || raw[i] != raw[i-off] {
					m |= 1 << (i & 63)
				}
			}
			if at+64 > n {
				m |= 1 << (n & 63)
			}
			miss[k] = m
		}
		return
	}
	here := (*[64]byte)(raw[at:])
	for k, off := range offs {
		miss[k] = unlike(here, (*[64]byte)(raw[at-off:]))
	}
}

// match is a way to write the next pixels.
type match struct{ length, distance, gain int }

// best is the match at i that saves most.
func (d *deflater) best(raw []byte, i int, offs, price *[nearby]int) (m match) {
	w, bit := i>>6, uint(i&63)
	miss := &d.miss[w]
	for k := range nearby {
		rest := miss[k] >> bit
		if rest&(1<<shortest-1) != 0 {
			continue
		}
		l := bits.TrailingZeros64(rest)
		if rest == 0 {
			v := w + 1
			for d.miss[v][k] == 0 {
				v++
			}
			l = v<<6 + bits.TrailingZeros64(d.miss[v][k]) - i
			if l < shortest {
				continue
			}
		}
		if g := min(l, longest)*pixelBits - price[k]; g > m.gain {
			m = match{l, offs[k], g}
		}
	}
	if m.length >= farMost || miss[0]>>bit&1 == 0 || i+farLeast > len(raw) {
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

// nearRow are the distances that are tried everywhere.
func nearRow(row int) [nearby]int { return [nearby]int{1, row, row + 1, row - 1} }

// choose lists the tokens of raw[from:], mostly those that were, and counts their symbols.
func (d *deflater) choose(from, row int, changes []span) {
	raw := d.raw
	d.was, d.tokens = d.tokens, d.was[:0]
	clear(d.seen[:])
	offs := nearRow(row)
	var price [nearby]int
	for k, off := range offs {
		price[k] = matchBits + int(distanceSymbols[distanceCode(uint32(off))].extra)
		if k > 1 {
			price[k] += otherBits
		}
	}
	were, at := d.was, from // tokens that were, the first of which wrote what is at
	if len(were) > 0 {
		d.differ(from, row, changes, &offs)
	} else {
		d.forget()
		d.rough = len(raw) - from
		d.miss = sized(d.miss, len(raw)/64+1)
		for w := from / 64; w < len(d.miss); w++ {
			misses(&d.miss[w], raw, w*64, from, &offs)
		}
	}
	for i := from; i < len(raw); {
		for len(were) > 0 && at < i {
			d.count(were[0], no)
			at += max(1, int(were[0]>>16))
			were = were[1:]
		}
		if len(were) > 0 && at == i {
			n, pixels := d.keep(i, were, &offs)
			were, at, i = were[n:], at+pixels, i+pixels
			if i == len(raw) {
				break
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
		d.addMatch(m.length, m.distance)
		i += m.length
	}
	for _, t := range were {
		d.count(t, no)
	}
}

// add adds a token.
func (d *deflater) add(t uint32) {
	d.tokens = append(d.tokens, t)
	d.count(t, 1)
}

// addMatch adds a match of any length.
func (d *deflater) addMatch(length, distance int) {
	for length > 0 {
		part := min(length, longest)
		if rest := length - part; rest > 0 && rest < shortest {
			part -= shortest
		}
		d.add(uint32(part)<<16 | uint32(distance))
		length -= part
	}
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
		d.put(uint64(c.bits)|uint64(p.value)<<c.n, uint(c.n)+uint(p.extra))
	}
	d.write(&literals, &distances)
	d.put(uint64(literals[256].bits), uint(literals[256].n))
	d.put(0, 3) // an empty block as it is, from the next whole byte on
	d.put(0, -d.held&7)
	d.out = append(d.out, 0, 0, 0xff, 0xff)
}

// written is how a part of a token is written.
type written struct {
	bits uint32
	n    uint8
}

// write writes the tokens. Little in it depends on what kind of token the next is, for there is no
// telling.
func (d *deflater) write(literals *[286]code, distances *[30]code) {
	// The first part of a token: a match's length with its further bits, or a literal, from pixels on.
	const pixels = longest + 1
	var first [pixels + 256]written
	for l := shortest; l <= longest; l++ {
		k := lengthCodes[l]
		c, s := literals[257+int(k)], lengthSymbols[k]
		first[l] = written{uint32(c.bits) | uint32(l-int(s.base))<<c.n, c.n + uint8(s.extra)}
	}
	for v, c := range literals[:256] {
		first[pixels+v] = written{uint32(c.bits), c.n}
	}
	// The second: a distance with its further bits, or nothing.
	var second [32]struct {
		base uint32
		code code
		n    uint8
	}
	for k, c := range distances {
		s := &second[k]
		s.base, s.code, s.n = uint32(distanceSymbols[k].base), c, c.n+uint8(distanceSymbols[k].extra)
	}
	out := slices.Grow(d.out, len(d.tokens)*6+8) // a token has at most 48 bits
	at := len(out)
	out = out[:cap(out)]
	acc, held := d.acc, d.held
	for _, t := range d.tokens {
		literal := uint32(int32(t>>16-1) >> 31) // all bits or none
		p := &first[t>>16+(pixels+t)&literal]
		acc |= uint64(p.bits) << (held & 63)
		held += uint(p.n)
		off := t & 0xffff &^ literal
		var k uint8
		if off < uint32(len(distanceCodes)) {
			k = distanceCodes[off]
		} else {
			k = uint8(distanceCode(off))
		}
		s := &second[k&31]
		acc |= (uint64(s.code.bits) | uint64(off-s.base)<<(s.code.n&63)) << (held & 63)
		held += uint(s.n)
		binary.LittleEndian.PutUint64(out[at:], acc)
		at += int(held >> 3)
		acc >>= held &^ 7 & 63
		held &= 7
	}
	d.out, d.acc, d.held = out[:at], acc, held
}

// put writes n bits, at most 32, the lowest first.
func (d *deflater) put(v uint64, n uint) {
	d.acc |= v << d.held
	for d.held += n; d.held >= 8; d.held -= 8 {
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
	var used [286]uint64 // counts with their symbols
	leaves := 0
	for s, c := range counts {
		if c > 0 {
			used[leaves] = uint64(c)<<16 | uint64(s)
			leaves++
		}
	}
	slices.Sort(used[:leaves])
	var room [2 * 286]node
	nodes := room[:leaves]
	for i, u := range used[:leaves] {
		nodes[i] = node{count: uint32(u >> 16), symbol: int16(u & 0xffff)}
	}
	if leaves < 2 {
		for _, n := range nodes {
			codes[n.symbol].n = 1
		}
		return
	}
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
	taken := 0
	for l := 1; l <= limit; l++ {
		taken += of[l] << (limit - l)
	}
	for ; taken > 1<<limit; taken-- {
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
