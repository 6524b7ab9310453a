package madagascar

import (
	"marque/games"
	"marque/games/deck"
)

// sim is a position that changes in place, for playouts. The boards that could come again are kept
// as 64-bit hashes: two different boards of one game count as the same with a chance of about 2^-64 a pair.
type sim struct {
	position
	hash uint64   // of the towers' stances and stacks; comparable since the last placement or capture only
	seen []uint64 // hashes with the player to move since then; the newest is this position's own

	// The towers of the player to move and where they may end, while a random move is drawn. There are no more than all tokens.
	from [3 * hatches]deck.Stance
	to   [3 * hatches]deck.StanceSet
}

var _ games.Sim = (*sim)(nil)

// Sim returns the position in the mutable form.
func (s state) Sim() games.Sim {
	out := &sim{position: s.position, hash: s.towersHash()}
	for e := s.past; e != nil; e = e.prev {
		out.seen = append(out.seen, e.hash)
	}
	return out
}

// mix is the finalizer of SplitMix64, a bijection that spreads every bit over all.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// towerHash is a tower's part of the hash. A stack needs 45 bits, a stance 6.
func towerHash(st deck.Stance, s stack) uint64 {
	return mix(uint64(s) | uint64(st)<<50 | 1<<57)
}

func turnHash(towers uint64, turn uint8) uint64 { return towers + uint64(turn)*0x9e3779b97f4a7c15 }

func (b *board) towersHash() uint64 {
	var h uint64
	for rest := b.towers[0] | b.towers[1] | b.towers[2]; rest != 0; {
		st := rest.Take()
		h ^= towerHash(st, b.stacks[st.Space()])
	}
	return h
}

// CopyFrom makes s the position of other.
func (s *sim) CopyFrom(other games.Sim) {
	o := other.(*sim)
	s.position, s.hash = o.position, o.hash
	s.seen = append(s.seen[:0], o.seen...)
}

// ToMove is as in State.
func (s *sim) ToMove() games.Seat { return s.toMove() }

// AppendMoves appends the legal moves in State's order.
func (s *sim) AppendMoves(buf []games.Move) []games.Move { return s.appendMoves(buf) }

// AppendOutcomes appends nothing: there is no chance.
func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome { return buf }

// Play plays a move.
func (s *sim) Play(gm games.Move) {
	m := move(gm)
	var before, after uint64
	if m.kind() == walkKind {
		from := s.towers[s.turn].On(m.from()).First()
		tower := s.stacks[m.from()]
		before, after = towerHash(from, tower), towerHash(m.to(), tower)
	}
	if s.play(gm) {
		s.hash, s.seen = 0, s.seen[:0]
	} else {
		s.hash ^= before ^ after
	}
	now, times := turnHash(s.hash, s.turn), 1
	for _, h := range s.seen {
		if h == now {
			times++
		}
	}
	s.seen = append(s.seen, now)
	if times >= manyTimes && s.ended == going {
		s.ended = repeated // MD-8
	}
}

// PlayRandom plays one of the legal moves.
func (s *sim) PlayRandom(rng *games.Rand) games.Move {
	m := s.random(rng)
	s.Play(m)
	return m
}

// random draws a legal move; it counts them by the sets of stances that they end in.
func (s *sim) random(rng *games.Rand) games.Move {
	all := s.all()
	occupied := all.Spread()
	var free deck.StanceSet // the hatches to place on
	if s.reserve[s.turn] > 0 {
		free = deck.HatchStances &^ occupied
	}
	placings := free.HatchCount()
	total, n := placings, 0
	if !s.setup() {
		for own := s.towers[s.turn]; own != 0; n++ {
			from := own.Take()
			to := s.reach(from, all, occupied)
			s.from[n], s.to[n] = from, to
			total += to.Len()
		}
	}
	if total == 0 {
		return passMove
	}
	r := rng.IntN(total)
	if r < placings {
		return placeMove(free.Hatches().Nth(r))
	}
	r -= placings
	i := 0
	for r >= s.to[i].Len() {
		r -= s.to[i].Len()
		i++
	}
	return walkMove(s.from[i].Space(), s.to[i].Nth(r))
}

// Payoff is 1 for the winner, or the share of a draw.
func (s *sim) Payoff(seat games.Seat) float64 {
	winners := deck.Set(s.winners())
	if !winners.Has(deck.Space(seat)) {
		return 0
	}
	return 1 / float64(winners.Len())
}

// Lead is the share of all tokens that the seat commands: in its towers, and in reserve.
func (s *sim) Lead(seat games.Seat) float64 {
	if s.out(uint8(seat)) {
		return 0
	}
	var command [maxSeats]int
	all := 0
	for p := range s.seats {
		command[p] = int(s.reserve[p])
		for rest := s.towers[p]; rest != 0; {
			command[p] += s.stacks[rest.Take().Space()].height()
		}
		if !s.out(p) {
			all += command[p]
		}
	}
	return float64(command[seat]) / float64(all)
}

var _ games.Tuner = (*sim)(nil)

// Tuning is as in games.Tuner, found by matches: random play says little about who wins, the tokens commanded much.
func (s *sim) Tuning() games.Tuning { return games.Tuning{Playout: 5, Explore: 0.25, Trust: 4} }
