package piratevspirate

import (
	_ "embed"
	"math/bits"
	"sync"

	"marque/games"
	"marque/games/learned"
)

//go:embed chances.txt
var twoChances string

//go:embed chances-many.txt
var manyChances string

// chances maps the chances that a search finds to actual frequencies, by the number of seats.
var chances = learned.ParseCurves(twoChances, manyChances, maxSeats)

//go:embed weights.txt
var weights string

//go:embed weights-many.txt
var manyWeights string

// ofTwo evaluates positions of two seats, and ofMany those of three. Both were trained by `marque-lab train
// pirate-versus-pirate`.
var (
	ofTwo  = learned.Parse(weights, featureNames)
	ofMany = learned.Parse(manyWeights, featureNames)
)

var _ learned.Trainable = (*sim)(nil)

// The features. Features explains them.
const (
	featurePirates = iota
	featureFewPirates
	featureDelivered
	featureGold
	featureGoldNear
	featureSilver
	featureSilverNear
	featureLastSilverNear
	featureWins
	featureWinsToMove
	featureTurns
	featureSoon
	featureSoonToMove
	featureToMove
	featureAttacks
	featureAttacksToMove
	featurePrey
	featureGoldAtRisk
	featureSilverAtRisk
	featureGoldRiskNow
	featureSilverRiskNow
	featureBlocksGold
	featureBlocksSilver
	featureFetch
)

var featureNames = []string{
	featurePirates:        "pirates",
	featureFewPirates:     "few-pirates",
	featureDelivered:      "delivered",
	featureGold:           "gold",
	featureGoldNear:       "gold-near",
	featureSilver:         "silver",
	featureSilverNear:     "silver-near",
	featureLastSilverNear: "last-silver-near",
	featureWins:           "wins",
	featureWinsToMove:     "wins-to-move",
	featureTurns:          "turns",
	featureSoon:           "soon",
	featureSoonToMove:     "soon-to-move",
	featureToMove:         "to-move",
	featureAttacks:        "attacks",
	featureAttacksToMove:  "attacks-to-move",
	featurePrey:           "prey",
	featureGoldAtRisk:     "gold-at-risk",
	featureSilverAtRisk:   "silver-at-risk",
	featureGoldRiskNow:    "gold-risk-now",
	featureSilverRiskNow:  "silver-risk-now",
	featureBlocksGold:     "blocks-gold",
	featureBlocksSilver:   "blocks-silver",
	featureFetch:          "fetch",
}

func (s *sim) Names() []string { return featureNames }

func (s *sim) SetModel(m *learned.Model) { s.model = m }

// Features returns the model's inputs for a seat before a roll:
// - the number of its pirates, and the reciprocal of that number
// - its silver at home
// - its carried coins and their nearness to home; if one more silver coin wins, the nearness of the nearest
// - the chance of a roll that wins by a delivery (PP-11), in general and when the seat is to move
// - the turns of the shortest way to win without rivals in the way
// - the nearness of that win, in general and when the seat is to move
// - the chance of a roll that lets it attack, in general and when the seat is to move
// - the number of pirates that it could attack
// - the chances of attacks on its carriers, in general and when another seat is to move
// - its pirates on places where rivals must end to deliver (PP-10)
// - its nearness to a coin on the ground
// - whether it is to move
//
// The features ignore pieces in the way. All of them are multiplied by the result of patience.
func (s *sim) Features(seat games.Seat) (f learned.Features, in bool) {
	if s.crew[seat].empty() {
		return f, false
	}
	l := lane()
	s.look(l)
	s.features(uint8(seat), l, &f)
	return f, true
}

// looks describes a seat's pirates, in the order of their triangles, and the totals of rolls with which they reach
// others. Each uint64 has one byte for each pirate, the lowest byte for the first.
type looks struct {
	crew, coins set                // pirates, and those with a coin, when at, free, all, can and strikes were computed
	at, free    [crewRoom]triangle // all pirates, and those without a coin, because only these can attack (PP-7)
	all, can    uint8              // the lengths of at and free
	strikes     uint64             // allTotals for each pirate without a coin
	hits        [maxSeats]uint64   // totals with which pirates of each rival can be attacked, indexed by rival
	risks       uint64             // totals with which rivals can attack each pirate
}

const (
	// crewRoom is crewSize rounded up to a power of two, so that an index modulo crewRoom needs no bounds check.
	crewRoom  = 8
	allTotals = 1<<(longest-1) - 1
)

// risk returns the totals with which rivals can attack pirate number i.
func (l *looks) risk(i int) totals { return totals(l.risks >> (i * 8)) }

// union returns the totals in any byte of a word.
func union(word uint64) totals {
	word |= word >> 32
	word |= word >> 16
	return totals(word | word>>8)
}

// struck counts the bytes of a word that contain a total.
func struck(word uint64) int {
	return bits.OnesCount64((word + 0x7f7f7f7f7f7f7f7f) & 0x8080808080808080)
}

// totals is a set of totals of a roll: bit n-2 is total n.
type totals uint8

// odds has, for each set of totals, the number of the sixteen rolls whose total is in the set.
var odds = func() (list [1 << (longest - 1)]uint8) {
	for set := range list {
		for n := 2; n <= longest; n++ {
			if set>>(n-2)&1 != 0 {
				list[set] += weight[n]
			}
		}
	}
	return list
}()

// weight has the number of the sixteen rolls with each total.
var weight = [longest + 1]uint8{2: 1, 2, 3, 4, 3, 2, 1}

// chance returns the probability of a roll with one of the totals.
func (t totals) chance() float64 { return float64(odds[t]) / rolls }

// lanes describes the paths on an empty board, and their length in turns.
type lanes struct {
	by [triangles][triangles]totals // totals with which a pirate can go from one triangle to another
	// silver and gold are the numbers of turns to end on a silver space, or on the gold space, of each corner's rowboat
	// (PP-10).
	silver, gold [3][triangles]float64
}

const (
	rolls  = faces * faces
	stride = 5  // average total of a roll
	far    = 40 // number of turns for a coin that is not on the board
)

// lane computes the lanes on the first call.
var lane = sync.OnceValue(func() *lanes {
	l, table := &lanes{}, routes()
	for t := range nowhere {
		for n := 2; n <= longest; n++ {
			of := table.of[t][n]
			for _, e := range table.ends[of.first:of.end] {
				l.by[t][e.to] |= 1 << (n - 2)
			}
		}
	}
	for c := range homes {
		l.silver[c], l.gold[c] = l.turns(homes[c].silver), l.turns(bit(homes[c].gold))
	}
	return l
})

// turns returns the average number of turns that a lone pirate needs to end on one of goals. It uses value iteration.
func (l *lanes) turns(goals set) (out [triangles]float64) {
	const rounds = 60
	for range rounds {
		var next [triangles]float64
		for t := range nowhere {
			if goals.has(t) {
				continue
			}
			var best [longest + 1]float64
			for n := range best {
				best[n] = out[t]
			}
			for to, by := range l.by[t] {
				for n := 2; n <= longest; n++ {
					if by>>(n-2)&1 != 0 {
						best[n] = min(best[n], out[to])
					}
				}
			}
			next[t] = 1
			for n := 2; n <= longest; n++ {
				next[t] += float64(weight[n]) / rolls * best[n]
			}
		}
		out = next
	}
	return out
}

// around caches, for each triangle, the totals with which each pirate of a crew reaches it on an empty board. The cache
// is valid while the crew does not move. This saves work because a search evaluates many moves of one crew, during
// which the other crews do not move.
type around struct {
	crew  set
	known set // the triangles with a cached value
	of    [triangles]uint64
}

// from returns the totals for a triangle, one byte for each pirate. The argument there must hold the looks of the crew.
func (a *around) from(t triangle, there *looks, l *lanes) uint64 {
	if a.known.has(t) {
		return a.of[t]
	}
	by, word := &l.by[t], uint64(0)
	for i, u := range there.at[:there.all%crewRoom] {
		word |= uint64(by[u]) << (i * 8)
	}
	a.known = a.known.with(t)
	a.of[t] = word
	return word
}

// look computes the pirates that each crew can reach.
func (s *sim) look(l *lanes) {
	coins := s.coins()
	for seat := range s.seats {
		me, crew := &s.looks[seat], s.crew[seat]
		if held := crew.and(coins); me.crew != crew || me.coins != held {
			*me = looks{crew: crew, coins: held}
			for rest := crew; !rest.empty(); me.all++ {
				t := rest.take()
				me.at[me.all%crewRoom] = t
				if !held.has(t) {
					me.free[me.can%crewRoom] = t
					me.can++
					me.strikes |= allTotals << (me.all % crewRoom * 8)
				}
			}
		}
		me.risks = 0
	}
	for i := range s.seats {
		for j := range i {
			// The second crew of a pair should be the one that has not moved, because its cache is valid.
			us, them := i, j
			if s.around[j].crew != s.crew[j] && (s.around[i].crew == s.crew[i] || i == s.turn) {
				us, them = j, i
			}
			s.meet(&s.looks[us], &s.looks[them], us, them, l)
		}
	}
}

// meet computes the totals with which two crews can attack each other's pirates.
func (s *sim) meet(us, them *looks, i, j uint8, l *lanes) {
	there := &s.around[j]
	if there.crew != them.crew {
		there.crew, there.known = them.crew, set{}
	}
	var from, to uint64
	for a, t := range us.at[:us.all%crewRoom] {
		word, shift := there.from(t, them, l), a*8
		if us.strikes>>shift&1 != 0 {
			from |= word
		}
		to |= uint64(union(word&them.strikes)) << shift
	}
	us.hits[j], them.hits[i] = from, to
	them.risks |= from
	us.risks |= to
}

// nearest returns the distance on an empty board from t to the nearest pirate who can take a coin.
func (l *looks) nearest(t triangle) float64 {
	best := uint8(2 * side)
	from := &apart[t]
	for _, u := range l.free[:l.can%crewRoom] {
		best = min(best, from[u])
	}
	return float64(best)
}

// within converts a number of turns to a nearness, which is 1 for no turns and approaches 0 for many.
func within(turns float64) float64 { return 2 / (2 + turns) }

// race caches a seat's nearness to a win if nobody is in its way.
type race struct {
	crew, silver, held set // pieces for which the values are valid, with gold and delivered; held are carried coins
	gold               triangle
	delivered          uint8

	goldNear             float64 // nearness of its gold coin to home; 0 if it has none
	silvers              float64 // number of silver coins that it carries
	silverNear, lastNear float64 // sum of the nearness of these coins to home; the highest if one more wins, else 0
	fetch                float64 // nearness to a coin that nobody carries
	turns, soon          float64 // turns of the shortest way to win, and the nearness of that win
}

// race returns the cached race of a seat. It first computes the race again if its pieces have changed.
func (s *sim) race(seat uint8, l *lanes) *race {
	r, crew, held := &s.races[seat], s.crew[seat], s.coins().and(s.pirates())
	if r.crew == crew && r.held == held && r.silver == s.silver && r.gold == s.gold &&
		r.delivered == s.delivered[seat] {
		return r
	}
	*r = race{crew: crew, silver: s.silver, held: held, gold: s.gold, delivered: s.delivered[seat]}
	me, c := &s.looks[seat], s.corner(seat)
	need := silverToWin - int(s.delivered[seat])
	// first and second are the turns for the two silver coins that can be brought home first, golden those for the gold
	// coin, and fetch the steps to the nearest coin on the ground.
	first, second, golden, fetch := float64(far), float64(far), float64(far), float64(far)
	// turns returns the number of turns to bring a coin home.
	turns := func(t triangle, alone float64) float64 {
		switch {
		case crew.has(t):
		case held.has(t):
			alone += 2 + me.nearest(t)/stride // the rival who carries the coin must be attacked first
		default:
			steps := me.nearest(t)
			fetch = min(fetch, steps)
			alone += steps / stride
		}
		return alone
	}
	if s.gold != nowhere {
		golden = turns(s.gold, l.gold[c][s.gold])
		if crew.has(s.gold) {
			r.goldNear = within(golden)
		}
	}
	for rest := s.silver; !rest.empty(); {
		t := rest.take()
		n := turns(t, l.silver[c][t])
		if crew.has(t) {
			near := within(n)
			r.silvers++
			r.silverNear += near
			if need == 1 {
				r.lastNear = max(r.lastNear, near)
			}
		}
		if n < first {
			first, second = n, first
		} else if n < second {
			second = n
		}
	}
	if fetch < far {
		r.fetch = within(fetch / 2)
	}
	if need == silverToWin {
		first += second
	}
	r.turns = min(first, golden, far)
	r.soon = within(r.turns)
	return r
}

// features sets the features of a seat. s.looks must be up to date.
func (s *sim) features(seat uint8, l *lanes, f *learned.Features) {
	me, crew, c, r := &s.looks[seat], s.crew[seat], s.corner(seat), s.race(seat, l)
	h, pirates := &homes[c], s.pirates()
	win := totals(0)
	for rest := me.coins; !rest.empty(); {
		t := rest.take()
		goals, risk := h.silver, me.risk(crew.below(t)).chance()
		if t == s.gold {
			f[featureGold], f[featureGoldAtRisk], goals = 1, risk, bit(h.gold)
		} else {
			f[featureSilverAtRisk] += risk
		}
		if t == s.gold || s.delivered[seat] == silverToWin-1 {
			for goals = goals.less(pirates); !goals.empty(); {
				win |= l.by[t][goals.take()]
			}
		}
	}
	f[featurePirates] = float64(me.all) / 4
	f[featureFewPirates] = 1 / float64(me.all)
	f[featureDelivered] = float64(s.delivered[seat])
	f[featureGoldNear], f[featureSilver] = r.goldNear, r.silvers
	f[featureSilverNear], f[featureLastSilverNear] = r.silverNear, r.lastNear
	f[featureWins] = win.chance()
	f[featureTurns], f[featureSoon] = r.turns/8, r.soon
	with, prey := uint64(0), 0
	for _, hits := range me.hits {
		with |= hits
		prey += struck(hits)
	}
	f[featureAttacks] = union(with).chance()
	f[featurePrey] = float64(prey) / 4
	if s.turn == seat {
		f[featureToMove] = 1
		f[featureWinsToMove], f[featureSoonToMove] = f[featureWins], f[featureSoon]
		f[featureAttacksToMove] = f[featureAttacks]
	} else {
		f[featureGoldRiskNow], f[featureSilverRiskNow] = f[featureGoldAtRisk], f[featureSilverAtRisk]
	}
	for i := range s.seats {
		if i == seat || s.crew[i].empty() {
			continue
		}
		their := s.home(i)
		if crew.has(their.gold) {
			f[featureBlocksGold]++
		}
		if crew.meets(their.silver) {
			f[featureBlocksSilver] += float64(crew.and(their.silver).len()) / 2
		}
	}
	f[featureFetch] = r.fetch
	if by := s.patience(); by < 1 {
		for i := range featureNames {
			f[i] *= by
		}
	}
}

const (
	patient = 16 // quiet turns in a game of two after which a lead begins to count less
	halved  = 40 // further quiet turns after which a lead counts half as much
)

// patience returns the weight of a seat's lead, which is at most 1. If nothing happens in a game of two, a lead is
// worth less and less, so that the leading seat makes progress. With three seats patience is 1.
func (p *position) patience() float64 {
	if p.seats > 2 || p.quiet <= patient {
		return 1
	}
	return halved / float64(halved+int(p.quiet)-patient)
}

// evaluation returns the model that Evaluate uses.
func (s *sim) evaluation() *learned.Model {
	switch {
	case s.model != nil:
		return s.model
	case s.seats > 2:
		return ofMany
	default:
		return ofTwo
	}
}

func (s *sim) Evaluate(seat games.Seat) float64 {
	if s.crew[seat].empty() {
		return 0
	}
	l := lane()
	s.look(l)
	m := s.evaluation()
	var own float64
	var others [maxSeats - 1]float64
	n := 0
	for i := range s.seats {
		if s.crew[i].empty() {
			continue
		}
		var f learned.Features
		s.features(i, l, &f)
		if score := m.Score(&f); games.Seat(i) == seat {
			own = score
		} else {
			others[n] = score
			n++
		}
	}
	if n == 1 {
		return learned.ChanceOfTwo(own, others[0])
	}
	return learned.Chance(own, others[:n]...)
}
