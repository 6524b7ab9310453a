package freebooter

import (
	"math/rand/v2"

	"marque/games"
)

// Mask moves the hands of the other players into the unseen cards. The sizes of the hands stay, because everybody sees
// from which stack a card is drawn and which cards are played (FB-1, FB-8).
func (s state) Mask(viewer games.Seat) games.State {
	for seat := range int(s.p.seats) {
		if games.Seat(seat) != viewer {
			s.p.hide(seat)
		}
	}
	return s
}

func (p *position) hide(seat int) {
	p.hidden |= 1 << uint(seat)
	p.seaStack.addAll(p.hands[seat])
	p.lineStack |= p.lines[seat]
	p.hands[seat], p.lines[seat] = pairs{}, 0
}

// MaskMove hides a card that is dealt to another seat. Only its kind stays known.
func (s state) MaskMove(m games.Move, viewer games.Seat) games.Move {
	if games.Seat(s.p.turn) == viewer {
		return m
	}
	switch op(m) {
	case opDealSea:
		return dealHidden(seaStack)
	case opDealLine:
		return dealHidden(dutchmanStack)
	}
	return m
}

// Sample deals the hidden hands from the unseen cards. Every deal is equally likely, because the viewer knows only the
// sizes of these hands (FB-1).
func (s state) Sample(_ games.Seat, rng *rand.Rand) games.State {
	p := &s.p
	for seat := range int(p.seats) {
		if p.isHidden(seat) {
			p.deal(seat, rng.IntN)
		}
	}
	p.hidden = 0
	return s
}

// deal deals a hand from the unseen cards. intN returns a random number from 0 up to, but not including, its argument.
func (p *position) deal(seat int, intN func(int) int) {
	for range p.seaHeld[seat] {
		q := p.seaStack.nth(intN(p.seaStack.size()))
		p.seaStack.remove(q)
		p.hands[seat].add(q)
	}
	for range p.lineHeld[seat] {
		c := p.lineStack.nth(intN(p.lineStack.count()))
		p.lineStack &^= c.bit()
		p.lines[seat] |= c.bit()
	}
}
