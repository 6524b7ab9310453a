package render

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// refiner finds the tokens that take fewest bits, with the codes of the tokens that there are, of all
// those that write some rows with the distances that are tried everywhere and with a few others. It
// takes several times as long as choosing what looks best at each place.
type refiner struct {
	near      [nearby]nearPrice // by bits, the least first
	lengths   [longest + 1]int32
	literals  [256]int32
	distances [30]int32 // bits of each symbol, with the further ones

	seen   []uint32 // places by the hash of what begins there
	marked []uint64 // bit by place: a match farther off ends there
	nodes  []node
	far    []reach // of all nodes, one after the other
	bits   []int32 // from a node to the end, by place
	best   []reach // the next step from a node, by place
	turns  []int32 // nodes where a match begins, from right to left
}

// nearPrice is what a match at a distance takes besides its length, and which of miss is its.
type nearPrice struct {
	k, distance int
	bits        int32
}

// node is a place where a token may begin: a match begins or ends there, or there is none.
type node struct {
	at, far int32 // its place, and its match in far if there is one
	turn    bool  // a match begins that could not begin earlier
}

// reach is a match, or of no length a literal.
type reach struct{ length, distance int32 }

const (
	lookMost  = 32 // pixels of a near match with which no other is looked for, a power of 2
	seenBits  = 10 // of the hash
	seenLeast = 6  // pixels that are hashed, fewer than 8
	turnMost  = 2  // nodes before its end where a match is tried to end
	unused    = 12 // bits that a symbol which has no code yet would take
)

// refine finds better tokens for p.raw[from:], whose rows are that long, and adds their block to out
// as append does.
func (d *deflater) refine(out []byte, from, row int, p *parse) []byte {
	d.out, d.parse = out, p
	r := &d.refiner
	r.price(p, row)
	r.list(p, from)
	r.weigh(p, from)
	p.rough, p.tokens = 0, p.tokens[:0]
	p.forget()
	for i := from; i < len(p.raw); {
		m := r.best[i-from]
		if m.length == 0 {
			d.add(uint32(p.raw[i]))
			i++
			continue
		}
		d.addMatch(int(m.length), int(m.distance))
		i += int(m.length)
	}
	d.block()
	out, d.out, d.parse = d.out, nil, nil
	return out
}

// price sets what everything takes with the codes of p's tokens.
func (r *refiner) price(p *parse, row int) {
	var literals [286]code
	var distances [30]code
	huffman(p.literals[:], 15, literals[:])
	huffman(p.distances[:], 15, distances[:])
	of := func(c code) int32 {
		if c.n == 0 {
			return unused
		}
		return int32(c.n)
	}
	for s := range r.literals {
		r.literals[s] = of(literals[s])
	}
	for l := shortest; l <= longest; l++ {
		c := lengthCodes[l]
		r.lengths[l] = of(literals[257+int(c)]) + int32(lengthSymbols[c].extra)
	}
	for c := range r.distances {
		r.distances[c] = of(distances[c]) + int32(distanceSymbols[c].extra)
	}
	for k, off := range nearRow(row) {
		r.near[k] = nearPrice{k, off, r.distances[distanceCode(uint32(off))]}
	}
	slices.SortStableFunc(r.near[:], func(a, b nearPrice) int { return int(a.bits - b.bits) })
}

// list lists the nodes from left to right, and the matches farther off that begin at them.
func (r *refiner) list(p *parse, from int) {
	to := len(p.raw)
	r.seen, r.marked = sized(r.seen, 1<<seenBits), sized(r.marked, len(p.miss))
	clear(r.seen)
	clear(r.marked)
	r.nodes, r.far = r.nodes[:0], r.far[:0]
	var last [nearby]uint64 // of the word before
	for w := from >> 6; w < len(p.miss); w++ {
		next := [nearby]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
		if w+1 < len(p.miss) {
			next = p.miss[w+1]
		}
		var changes, turns uint64
		none := ^uint64(0) // no match of three pixels
		var long uint64    // one of lookMost
		for k, m := range p.miss[w] {
			moved := m<<1 | last[k]>>63
			changes |= m ^ moved
			turns |= moved &^ m
			none &= m | m>>1 | m>>2 | next[k]<<63 | next[k]<<62
			last[k] = m
			n := next[k]
			for s := uint(1); s < lookMost; s *= 2 {
				m, n = m|m>>s|n<<(64-s), n|n>>s
			}
			long |= ^m
		}
		set := changes | none | r.marked[w]
		if b := uint(from) & 63; w == from>>6 {
			set = set>>b<<b | 1<<b
		}
		if w == to>>6 {
			set &= 1<<(uint(to)&63) - 1
		}
		for set != 0 {
			b := uint(bits.TrailingZeros64(set))
			set &= set - 1
			i := w<<6 + int(b)
			n := node{at: int32(i), far: int32(len(r.far)), turn: turns>>b&1 != 0}
			if long>>b&1 == 0 {
				r.look(p.raw, i)
			}
			for _, m := range r.far[n.far:] {
				n.turn = true
				if end := i + int(m.length); end>>6 == w {
					set |= 1 << (end & 63)
				} else if end < to {
					r.marked[end>>6] |= 1 << (end & 63)
				}
			}
			r.nodes = append(r.nodes, n)
		}
	}
}

// look adds the match farther off that begins at i, if there is one.
func (r *refiner) look(raw []byte, i int) {
	if i+8 > len(raw) {
		return
	}
	const spare = 64 - 8*seenLeast
	x := binary.LittleEndian.Uint64(raw[i:]) << spare
	h := x * 0x9e3779b97f4a7c15 >> (64 - seenBits)
	at := int(r.seen[h]) - 1
	r.seen[h] = uint32(i + 1)
	off := i - at
	if at < 0 || off > window || binary.LittleEndian.Uint64(raw[at:])<<spare != x ||
		off == r.near[0].distance || off == r.near[1].distance || off == r.near[2].distance || off == r.near[3].distance {
		return
	}
	l := matching(raw[i:min(i+longest, len(raw))], raw[at:])
	r.far = append(r.far, reach{int32(l), int32(off)})
}

// weigh finds the best step from each node, from right to left.
func (r *refiner) weigh(p *parse, from int) {
	to := len(p.raw)
	r.bits, r.best = sized(r.bits, to-from+1), sized(r.best, to-from+1)
	r.bits[to-from] = 0
	after := r.bits // by place less from
	turns := r.turns[:0]
	ends := [nearby]int{to, to, to, to} // of the matches
	next, far := to, len(r.far)
	for n := len(r.nodes) - 1; n >= 0; n-- {
		nd := &r.nodes[n]
		i := int(nd.at)
		least, step := int32(math.MaxInt32), reach{}
		if next == i+1 {
			least = r.literals[p.raw[i]] + after[next-from]
		}
		// What a dearer distance reaches no farther than a cheaper one is no use.
		done := i + shortest - 1
		t, tries := len(turns)-1, turnMost
		miss, b := &p.miss[i>>6], uint(i&63)
		for o := range r.near {
			off := &r.near[o]
			if miss[off.k]>>b&1 != 0 {
				ends[o] = i
				continue
			}
			end := ends[o]
			if end <= done {
				continue
			}
			for t >= 0 && int(turns[t]) <= done {
				t--
			}
			for ; t >= 0 && tries > 0 && int(turns[t]) < end; t, tries = t-1, tries-1 {
				l := int(turns[t]) - i
				if bits := r.match(l, off.bits) + after[i+l-from]; bits < least {
					least, step = bits, reach{int32(l), int32(off.distance)}
				}
			}
			if bits := r.match(end-i, off.bits) + after[end-from]; bits < least {
				least, step = bits, reach{int32(end - i), int32(off.distance)}
			}
			done = end
		}
		for _, m := range r.far[nd.far:far] {
			bits := r.lengths[m.length] + r.distances[distanceCode(uint32(m.distance))] + after[i+int(m.length)-from]
			if bits < least {
				least, step = bits, m
			}
		}
		after[i-from], r.best[i-from] = least, step
		if nd.turn {
			turns = append(turns, nd.at)
		}
		next, far = i, int(nd.far)
	}
	r.turns = turns
}

// match is what a match of any length takes, of bits its distance.
func (r *refiner) match(l int, bits int32) int32 {
	if l <= longest {
		return bits + r.lengths[l]
	}
	n := int32((l - 1) / longest)
	return n*(bits+r.lengths[longest]) + bits + r.lengths[max((l-1)%longest+1, shortest)]
}
