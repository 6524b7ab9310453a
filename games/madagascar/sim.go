package madagascar

import (
	"slices"

	"marque/games"
	"marque/games/deck"
	"marque/games/learned"
)

// sim is a mutable position for playouts. It stores hashes of the earlier boards that could recur. Two different boards
// of a game have the same hash with a probability of about 2^-64.
type sim struct {
	position
	hash uint64   // hash of the towers; comparable only with hashes since the last placement or capture
	seen []uint64 // hashes of the positions since then, including the player to move; the last is of this position
	// once and twice are Bloom filters. They have a bit for each hash in seen, and for each hash that may be in seen
	// twice. A hash without its bit is certainly not in seen, or not twice.
	once, twice [filters]uint64

	model *learned.Model

	buf  []games.Move            // legal moves, used if a drawn move was not legal
	tall deck.StanceSet          // towers of at least two tokens
	ends [maxTall]deck.StanceSet // final stances of each tall tower of the player to move, while a random move is drawn
}

// maxTall exceeds the possible number of towers of at least two tokens. It is a power of two, so that an index modulo
// maxTall needs no bounds check.
const maxTall = 16

// filters is the number of words of a Bloom filter. With more words the filter fills up later, but CopyFrom copies
// more.
const filters = 4

var _ games.Sim = (*sim)(nil)

func (s state) Sim() games.Sim {
	out := &sim{position: s.position, hash: s.towersHash(), model: model}
	for e := s.past; e != nil; e = e.prev {
		out.remember(e.hash)
	}
	slices.Reverse(out.seen) // so that the newest is last
	for rest := s.all(); rest != 0; rest = rest.Rest() {
		if s.stacks[rest.First().Space()].height() > 1 {
			out.tall |= rest.Lowest()
		}
	}
	return out
}

// remember adds a hash to seen. twice reports whether the hash may already have been in seen twice.
func (s *sim) remember(hash uint64) (twice bool) {
	word, bit := hash>>8%filters, uint64(1)<<(hash%64)
	twice = s.twice[word]&bit != 0
	s.twice[word] |= s.once[word] & bit
	s.once[word] |= bit
	s.seen = append(s.seen, hash)
	return twice
}

// forget clears the hashes after a placement or capture.
func (s *sim) forget() {
	s.hash, s.seen = 0, s.seen[:0]
	s.once, s.twice = [filters]uint64{}, [filters]uint64{}
}

// towerHash returns a tower's part of the hash. A stack needs 45 bits, a stance 6.
func towerHash(st deck.Stance, s stack) uint64 {
	return games.Mix(uint64(s) | uint64(st)<<50 | 1<<57)
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

func (s *sim) CopyFrom(other games.Sim) {
	o := other.(*sim)
	s.position, s.hash, s.once, s.twice, s.tall = o.position, o.hash, o.once, o.twice, o.tall
	s.seen = append(s.seen[:0], o.seen...)
}

func (s *sim) ToMove() games.Seat { return s.toMove() }

// AppendMoves appends the legal moves in the order of State.Moves.
func (s *sim) AppendMoves(buf []games.Move) []games.Move {
	n := len(buf)
	buf = s.appendMoves(buf)
	if !s.mayRepeat() || len(buf) == n {
		return buf
	}
	kept := buf[:n]
	for _, m := range buf[n:] {
		if !s.repeats(m) {
			kept = append(kept, m)
		}
	}
	if len(kept) == n {
		kept = append(kept, passMove) // MD-9: a player without another move passes, as in MD-2
	}
	return kept
}

// mayRepeat reports whether MD-9 could forbid some move.
func (s *sim) mayRepeat() bool { return s.forbids && s.twice != [filters]uint64{} }

// repeats reports whether a move would bring about a position for the third time (MD-9).
func (s *sim) repeats(gm games.Move) bool {
	m := move(gm)
	if m.kind() != walkKind || s.stacks[m.to().Space()] != 0 && m.to().Space() != m.from() {
		return false // a placement, a capture or a pass
	}
	after := s.board
	from, tower := s.towers[s.turn].On(m.from()).First(), s.stacks[m.from()]
	after.nextTurn()
	hash := turnHash(s.hash^towerHash(from, tower)^towerHash(m.to(), tower), after.turn)
	word, bit := hash>>8%filters, uint64(1)<<(hash%64)
	return s.twice[word]&bit != 0 && s.times(hash, len(s.seen))+1 >= manyTimes
}

// AppendOutcomes appends nothing, because the game has no chance.
func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome { return buf }

func (s *sim) Play(gm games.Move) {
	m := move(gm)
	var moved uint64
	if m.kind() == walkKind {
		from, to, tower := s.towers[s.turn].On(m.from()).First(), m.to(), s.stacks[m.from()]
		moved = towerHash(from, tower) ^ towerHash(to, tower)
		tall := to.Set()
		if tower.height()+s.stacks[to.Space()].height() == 1 {
			tall = 0
		}
		s.tall = s.tall&^from.Set() | tall
	}
	if s.play(gm) {
		s.forget()
	} else {
		s.hash ^= moved
	}
	now := turnHash(s.hash, s.turn)
	if s.remember(now) && !s.forbids && s.ended == going && s.times(now, len(s.seen)-1) >= manyTimes {
		s.ended = repeated // MD-8
	}
}

// times counts the occurrences of a hash in seen at the index at, and at every full round before it. Other indexes need
// no check, because the same player is to move only once a round while nobody leaves the game.
func (s *sim) times(hash uint64, at int) (n int) {
	round := s.playing()
	for at >= len(s.seen) {
		at -= round
	}
	for ; at >= 0; at -= round {
		if s.seen[at] == hash {
			n++
		}
	}
	return n
}

func (s *sim) PlayRandom(rng *games.Rand) games.Move {
	m := s.random(rng)
	if s.mayRepeat() && s.repeats(m) {
		s.buf = s.AppendMoves(s.buf[:0])
		m = s.buf[rng.IntN(len(s.buf))]
	}
	s.Play(m)
	return m
}

// random returns a legal move at random, without regard to MD-9. It counts moves by their final stances.
func (s *sim) random(rng *games.Rand) games.Move {
	all := s.all()
	own, empty := s.towers[s.turn], deck.AllStances&^all.Spread()
	goals := empty | all&^own // MD-3, MD-4, as in reach
	single, tall := own&^s.tall, own&s.tall
	if s.setup() {
		single, tall = 0, 0 // MD-1
	}
	// The placements and the moves of all single tokens are counted together. No two end in the same stance, because
	// each token's back is turned to its previous space (DK-5) or to the sea (DK-6).
	ends := single.Step() & goals
	if s.reserve[s.turn] > 0 {
		ends |= empty & deck.SeaStances
	}
	some := ends.Len()
	total, n := some, 0
	for rest := tall; rest != 0; rest = rest.Rest() {
		from := rest.First()
		left := from.Set().Spread() // the tower's own space counts as empty
		ends := from.Walk(s.stacks[from.Space()].height(), empty|left) & (goals | left)
		s.ends[n%maxTall] = ends
		total += ends.Len()
		n++
	}
	if total == 0 {
		return passMove
	}
	r := rng.IntN(total)
	if r < some {
		to := ends.Nth(r)
		if to.Back() == deck.Sea {
			return placeMove(to.Space())
		}
		return walkMove(to.Back(), to)
	}
	r -= some
	i := 0
	for r >= s.ends[i%maxTall].Len() {
		r -= s.ends[i%maxTall].Len()
		tall = tall.Rest()
		i++
	}
	return walkMove(tall.First().Space(), s.ends[i%maxTall].Nth(r))
}

func (s *sim) Payoff(seat games.Seat) float64 {
	return s.winners().Payoff(seat)
}

var _ games.Tuner = (*sim)(nil)

// Tuning returns settings that were found by matches. Playouts are short, because the number of commanded tokens
// predicts the winner better than random play.
func (s *sim) Tuning() games.Tuning {
	return games.Tuning{Playout: 5, Exploration: 0.25, PriorWeight: 4, AlphaBeta: s.seats == 2}
}

// Calibration returns a phase that grows with the numbers of placed tokens and captured towers.
func (s *sim) Calibration() (phase float64, curve *learned.Curve) {
	there := 0
	for seat := range s.seats {
		there += 2*int(s.reserve[seat]) + s.towers[seat].Len()
	}
	phase = 1 - float64(there)/float64(2*int(s.seats)*int(tokensEach[s.seats]))
	return phase, chances[s.seats]
}

func (s *sim) Hash() uint64 {
	return turnHash(s.towersHash(), s.turn) +
		games.Mix(uint64(s.passes)|uint64(s.reserve[0])<<8|uint64(s.reserve[1])<<16)
}

// Urgency returns the height of the tower that a move captures (MD-4).
func (s *sim) Urgency(gm games.Move) int {
	m := move(gm)
	if m.kind() != walkKind || m.to().Space() == m.from() {
		return 0
	}
	return s.stacks[m.to().Space()].height()
}

// Material returns the number of tokens that the seat commands, in towers and in reserve. Captured tokens stay under
// its towers (MD-4).
func (s *sim) Material(seat games.Seat) int {
	n := int(s.reserve[seat])
	for rest := s.towers[seat]; rest != 0; rest = rest.Rest() {
		n += s.stacks[rest.First().Space()].height()
	}
	return n
}
