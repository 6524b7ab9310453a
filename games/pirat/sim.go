package pirat

import (
	"math"
	"math/bits"

	"marque/games"
	"marque/games/learned"
)

// sim is a complete position in mutable form.
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

// randomMove picks one of the legal moves by counting them, in the order in
// which appendMoves lists them, without listing them.
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

// stakes are what cards in hand and ships in play are worth in gold. They were fitted to the ends
// of games of computer players.
type stakes struct {
	// in hand: each skull, each pirate, the admiral; each card; each gold on trading ships
	skull, pirate, admiral, card, trading float64
	drawn                                 float64 // a card from the stack
	// the part of the gold on an own ship that nobody can attack at once, and of one that somebody
	// can
	calm, prey   float64
	held, shaken float64 // the same for a ship on which the seat's attack is the strongest
	spread       float64 // the gold ahead that makes e times as likely to win
}

// stakesAt are the stakes by the number of cards in the stack.
var stakesAt = func() (list [deckSize + 1]stakes) {
	for left := range list {
		n := float64(left)
		late := math.Exp(-n / 6)
		s := stakes{
			skull:   0.95 - 0.7*late,
			pirate:  2.7 - 1.7*late,
			admiral: 4.3 - 1.7*late,
			card:    -1 + 0.04*n,
			trading: -0.006 * n,
			calm:    0.8,
			prey:    0.1 + 0.005*n,
			held:    0.95,
			shaken:  0.55 - 0.8*math.Exp(-n/12) + 0.003*n,
			spread:  3 + 0.13*n,
		}
		// 40 pirate ships with 2.5 skulls and 4 pirates are among the 66 cards.
		s.drawn = s.card + 40./deckSize*2.5*s.skull + 4./deckSize*s.pirate
		list[left] = s
	}
	return list
}()

// handmade is a sim with the evaluation made by hand.
type handmade struct{ *sim }

// Handmade is as in learned.Learner.
func (s *sim) Handmade() games.Sim {
	c := *s
	return handmade{&c}
}

func (s handmade) CopyFrom(other games.Sim) { s.position = other.(handmade).position }

// Evaluate compares the gold that the seats have, are about to get, and may win with their cards,
// and weighs the differences the more the fewer cards are left.
func (s handmade) Evaluate(seat games.Seat) float64 {
	if !s.isIn(int8(seat)) {
		return 0
	}
	w := &stakesAt[s.stack]
	var worth [mostSeats]float64
	for i := range int(s.seats) {
		worth[i] = float64(s.gold[i]) + w.card*float64(s.sizes[i])
		for x := s.hands[i].present(); x != 0; x &= x - 1 {
			k := x.lowest()
			n := float64(s.hands[i].count(k))
			switch {
			case k.isPirateShip():
				worth[i] += w.skull * n * float64(k.skulls())
			case k.isTrading():
				worth[i] += w.trading * n * float64(k.value())
			case k.isPirate():
				worth[i] += w.pirate
			default:
				worth[i] += w.admiral
			}
		}
	}
	if s.phase == drawing {
		worth[s.turn] += w.drawn
	}
	for live := s.live; live != 0; live &= live - 1 {
		sh := &s.ships[bits.TrailingZeros32(live)]
		winner := sh.winner()
		if winner == nobody {
			continue
		}
		var part float64
		switch safe := s.isSafe(sh, winner); {
		case sh.used == 0 && safe:
			part = w.calm
		case sh.used == 0:
			part = w.prey
		case safe:
			part = w.held
		default:
			part = w.shaken
		}
		worth[winner] += part * float64(sh.value)
	}
	sum := 0.0
	for i := range int(s.seats) {
		if s.isIn(int8(i)) {
			sum += math.Exp((worth[i] - worth[seat]) / w.spread)
		}
	}
	return 1 / sum
}

// isSafe reports whether no seat but the winner of a ship can take the lead there with one card.
func (p *position) isSafe(sh *ship, winner int8) bool {
	best := uint8(0)
	if sh.leader != nobody {
		best = sh.power[sh.leader]
	}
	for seat := range int(p.seats) {
		if int8(seat) == winner || !p.isIn(int8(seat)) {
			continue
		}
		x := p.hands[seat].present() & sh.playable(seat)
		if x&singleFields != 0 {
			return false
		}
		for ; x != 0; x &= x - 1 {
			if sh.power[seat]+uint8(x.lowest().skulls()) > best {
				return false
			}
		}
	}
	return true
}

var _ games.Redealer = (*sim)(nil)

// Redeal is as in games.Redealer.
func (s *sim) Redeal(viewer games.Seat, r *games.Rand) {
	if s.phase == over {
		return
	}
	for seat := range games.Seat(s.seats) {
		if seat != viewer {
			s.hands[seat] = 0
		}
	}
	left := s.unseen()
	n := left.size()
	for seat := range games.Seat(s.seats) {
		if seat == viewer {
			continue
		}
		for range s.sizes[seat] {
			k := left.at(r.IntN(n))
			left -= units[k]
			n--
			s.hands[seat] += units[k]
		}
	}
}

var _ games.Folder = (*sim)(nil)

// Fold is as in games.Folder: there are too many kinds of cards to look at each that may be drawn.
func (s *sim) Fold(games.Move) games.Move { return move(deal, 0, unknown) }

var _ games.Tuner = (*sim)(nil)

// Tuning is as in games.Tuner, found by matches: Evaluate knows more of battles than random play
// does.
func (s handmade) Tuning() games.Tuning {
	return games.Tuning{Playout: 0, Exploration: 0.2, PriorWeight: 4}
}

// Tuning is as in games.Tuner, found by comparing short searches with long ones, and by matches.
func (s *sim) Tuning() games.Tuning {
	return games.Tuning{Playout: 0, Exploration: 2, PriorWeight: 4, Expansion: 1, Relative: true}
}

// Calibration is as in learned.Calibrated; the phase is how many cards are dealt.
func (s *sim) Calibration() (phase float64, curve *learned.Curve) {
	return 1 - float64(s.stack)/deckSize, chances[s.seats]
}
