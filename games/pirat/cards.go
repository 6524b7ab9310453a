package pirat

import (
	"fmt"
	"math/bits"

	"marque/games/scene"
)

// color is a colour of pirate ships and pirates, in the order of the rules.
type color uint8

const (
	red color = iota
	green
	blue
	yellow
	colors = 4
)

var colorNames = [colors]string{"red", "green", "blue", "yellow"}

// paint returns the colour's value for pictures and texts.
func (c color) paint() scene.Color {
	return [colors]scene.Color{scene.Red, scene.Green, scene.Blue, scene.Yellow}[c]
}

// card is a kind of card. Equal cards have the same kind. The kinds are ordered: pirate ships by colour and skulls,
// trading ships by value, pirates by colour, the admiral.
type card uint8

const (
	firstTrading card = colors * maxSkulls
	firstPirate  card = firstTrading + maxValue - minValue + 1
	admiral      card = firstPirate + colors
	kinds             = int(admiral) + 1
	unknown      card = admiral + 1 // a card that the viewer does not see

	maxSkulls = 4
	minValue  = 2
	maxValue  = 6
)

func pirate(c color) card { return firstPirate + card(c) }

func (k card) isPirateShip() bool { return k < firstTrading }
func (k card) isTrading() bool    { return firstTrading <= k && k < firstPirate }
func (k card) isPirate() bool     { return firstPirate <= k && k < admiral }

// color returns the colour of a pirate ship or a pirate.
func (k card) color() color {
	if k.isPirateShip() {
		return color(k / maxSkulls)
	}
	return color(k - firstPirate)
}

// skulls returns the strength of a pirate ship.
func (k card) skulls() int { return int(k)%maxSkulls + 1 }

// value returns the gold on a trading ship.
func (k card) value() int { return int(k-firstTrading) + minValue }

// String returns the card in the notation of the rules, for example "red3", "5", "red" or "admiral". An unknown card is
// "card".
func (k card) String() string {
	switch {
	case k.isPirateShip():
		return fmt.Sprintf("%s%d", colorNames[k.color()], k.skulls())
	case k.isTrading():
		return fmt.Sprint(k.value())
	case k.isPirate():
		return colorNames[k.color()]
	case k == admiral:
		return "admiral"
	default:
		return "card"
	}
}

// copies returns the number of cards of a kind. There are 66 cards in all.
func (k card) copies() int {
	switch {
	case k.isPirateShip():
		return [maxSkulls]int{2, 3, 3, 2}[k.skulls()-1]
	case k.isTrading() && k.value() < maxValue:
		return 5
	default:
		return 1
	}
}

// cards is a multiset of cards. It packs a counter for each kind into one word, in the order of kinds: 2 bits for a
// pirate ship (at most 3 copies), 3 bits for a trading ship (at most 5), and 1 bit for every other kind. Multisets are
// added and subtracted as numbers.
type cards uint64

const (
	shipBits    = 2
	tradingBits = 3

	tradingShift = int(firstTrading) * shipBits
	pirateShift  = tradingShift + int(firstPirate-firstTrading)*tradingBits
	admiralShift = pirateShift + colors

	shipFields    = cards(0x5555_5555) // the lowest bit of each pirate ship's counter
	tradingFields = cards(0b001_001_001_001_001) << tradingShift
	singleFields  = cards(0b1_1111) << pirateShift
	admiralField  = cards(1) << admiralShift
)

// shifts has the position of each kind's lowest bit. fieldKind maps the lowest bit back to the kind.
var shifts, fieldKind = fields()

func fields() (s [kinds]uint8, back [64]card) {
	for k := card(0); int(k) < kinds; k++ {
		switch {
		case k.isPirateShip():
			s[k] = uint8(int(k) * shipBits)
		case k.isTrading():
			s[k] = uint8(tradingShift + int(k-firstTrading)*tradingBits)
		default:
			s[k] = uint8(pirateShift + int(k-firstPirate))
		}
		back[s[k]] = k
	}
	return s, back
}

// units has, for each kind, a multiset of one card. For the unknown card it has the empty multiset.
var units = func() (u [kinds + 1]cards) {
	for k, s := range shifts {
		u[k] = 1 << s
	}
	return u
}()

// all is every card of the game.
var all = func() (sum cards) {
	for k := card(0); int(k) < kinds; k++ {
		sum += cards(k.copies()) * units[k]
	}
	return sum
}()

// deckSize is the number of cards of the game.
const deckSize = 66

// fieldMask returns a mask of the width of the kind's counter, at the lowest bits.
func (k card) fieldMask() cards {
	switch {
	case k.isPirateShip():
		return 1<<shipBits - 1
	case k.isTrading():
		return 1<<tradingBits - 1
	default:
		return 1
	}
}

// count returns the number of cards of kind k in w.
func (w cards) count(k card) int { return int(w >> shifts[k] & k.fieldMask()) }

// present returns the lowest bit of each counter that is not zero.
func (w cards) present() cards {
	return (w|w>>1)&shipFields | (w|w>>1|w>>2)&tradingFields | w&singleFields
}

// lowest returns the first kind in a set that present returned.
func (w cards) lowest() card { return fieldKind[bits.TrailingZeros64(uint64(w))] }

// distinct returns the number of kinds in a set that present returned.
func (w cards) distinct() int { return bits.OnesCount64(uint64(w)) }

// nth returns the n-th kind, counted from 0, in a set that present returned.
func (w cards) nth(n int) card {
	for ; n > 0; n-- {
		w &= w - 1
	}
	return w.lowest()
}

// size returns the number of cards in w.
func (w cards) size() (n int) {
	for x := w.present(); x != 0; x &= x - 1 {
		n += w.count(x.lowest())
	}
	return n
}

// gold returns the value of the trading ships in w.
func (w cards) gold() (n int) {
	for x := w.present() & tradingFields; x != 0; x &= x - 1 {
		k := x.lowest()
		n += k.value() * w.count(k)
	}
	return n
}

// at returns the kind of the card that has n cards before it in the order of kinds.
func (w cards) at(n int) card {
	x := w.present()
	// Counting the pirate ships of each colour in a separate byte makes it possible to skip whole colours.
	sums := w & (shipFields | shipFields<<1)
	sums = sums&0x3333_3333 + sums>>2&0x3333_3333
	sums = (sums + sums>>4) & 0x0f0f_0f0f
	for passed := cards(0xff); passed < 1<<tradingShift && n >= int(sums&0xff); passed <<= 8 {
		n -= int(sums & 0xff)
		sums >>= 8
		x &^= passed
	}
	for ; ; x &= x - 1 {
		k := x.lowest()
		c := w.count(k)
		if n < c {
			return k
		}
		n -= c
	}
}

// list returns the cards of w in the order of kinds, with equal cards repeated.
func (w cards) list() []card {
	list := make([]card, 0, 8)
	for x := w.present(); x != 0; x &= x - 1 {
		k := x.lowest()
		for range w.count(k) {
			list = append(list, k)
		}
	}
	return list
}

// colorFields has the lowest bits of the counters of the pirate ships, for each set of colours (bit c for colour c).
var colorFields = func() (f [1 << colors]cards) {
	const one = cards(1<<(shipBits*maxSkulls) - 1)
	for set := range f {
		for c := range colors {
			if set>>c&1 != 0 {
				f[set] |= one << (c * shipBits * maxSkulls) & shipFields
			}
		}
	}
	return f
}()
