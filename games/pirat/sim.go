package pirat

import (
	"math/bits"

	"marque/games"
	"marque/games/learned"
)

// sim is a complete, mutable position.
type sim struct{ position }

var _ games.Sim = (*sim)(nil)

func (s *sim) CopyFrom(other games.Sim) { s.position = other.(*sim).position }

func (s *sim) ToMove() games.Seat { return s.toMove() }

func (s *sim) AppendMoves(buf []games.Move) []games.Move { return s.appendMoves(buf) }

func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome { return s.appendOutcomes(buf) }

func (s *sim) Play(m games.Move) { s.apply(m) }

func (s *sim) PlayRandom(r *games.Rand) games.Move {
	var m games.Move
	if s.phase == playing {
		m = s.randomMove(r)
	} else {
		m = move(deal, 0, s.unseen().at(r.IntN(int(s.stack))))
	}
	s.apply(m)
	return m
}

// randomMove returns a legal move at random. It counts the moves in the order of appendMoves without listing them.
func (s *sim) randomMove(r *games.Rand) games.Move {
	seat := int(s.turn)
	have := s.hands[seat].present()
	launches, discards := have&tradingFields, cards(0)
	total := launches.distinct()
	if s.stack > 0 {
		total++
	} else {
		discards = have &^ tradingFields
		total += discards.distinct()
	}
	var playable [maxShips]cards
	for live := s.live; live != 0; live &= live - 1 {
		i := bits.TrailingZeros32(live)
		playable[i] = have & s.ships[i].playable(seat)
		total += playable[i].distinct()
	}

	n := r.IntN(total)
	if s.stack > 0 {
		if n == 0 {
			return move(draw, 0, 0)
		}
		n--
	}
	if c := launches.distinct(); n < c {
		return move(launch, 0, launches.nth(n))
	} else {
		n -= c
	}
	for live := s.live; live != 0; live &= live - 1 {
		i := bits.TrailingZeros32(live)
		c := playable[i].distinct()
		if n < c {
			return playOn(i, playable[i].nth(n))
		}
		n -= c
	}
	return move(discard, 0, discards.nth(n))
}

func (s *sim) Payoff(seat games.Seat) float64 {
	return s.winners().Payoff(seat)
}

var _ games.Redealer = (*sim)(nil)

func (s *sim) Redeal(viewer games.Seat, r *games.Rand) { s.redeal(viewer, r.IntN) }

// redeal deals the hands of all seats except the viewer's again, unless the game is over and all hands are public. intN
// returns a random number from 0 up to, but not including, its argument.
func (p *position) redeal(viewer games.Seat, intN func(int) int) {
	if p.phase == over {
		return
	}
	for seat := range games.Seat(p.seats) {
		if seat != viewer {
			p.hands[seat] = 0
		}
	}
	left := p.unseen()
	n := left.size()
	for seat := range games.Seat(p.seats) {
		if seat == viewer {
			continue
		}
		for range p.sizes[seat] {
			k := left.at(intN(n))
			left -= units[k]
			n--
			p.hands[seat] += units[k]
		}
	}
}

var _ games.Folder = (*sim)(nil)

// Fold replaces a dealt card by an unknown one, because there are too many kinds of cards to search each possible draw.
func (s *sim) Fold(games.Move) games.Move { return move(deal, 0, unknown) }

var _ games.Tuner = (*sim)(nil)

// Tuning returns settings that were found by comparing short searches with long ones, and by matches.
func (s *sim) Tuning() games.Tuning {
	return games.Tuning{Playout: 0, Exploration: 2, PriorWeight: 4, Expansion: 1, Relative: true}
}

// Calibration returns the fraction of the cards that have been dealt as the phase.
func (s *sim) Calibration() (phase float64, curve *learned.Curve) {
	return 1 - float64(s.stack)/deckSize, chances[s.seats]
}
