package pirates

import (
	_ "embed"
	"sync"

	"marque/games"
	"marque/games/learned"
)

//go:embed weights.txt
var weights string

// model evaluates positions; `marque train pirate-versus-pirate` made it.
var model = learned.Parse(weights, featureNames)

var _ learned.Learner = (*sim)(nil)

// featureNames are the names of the features, which Features explains.
var featureNames = []string{
	"pirates", "few-pirates", "delivered", "gold", "gold-near", "silver", "silver-near", "last-silver-near",
	"wins", "wins-to-move", "turns", "soon", "soon-to-move", "to-move", "attacks", "attacks-to-move", "prey",
	"gold-at-risk", "silver-at-risk", "gold-risk-now", "silver-risk-now", "blocks-gold", "blocks-silver", "fetch",
}

// Names are the features' names.
func (s *sim) Names() []string { return featureNames }

// Features are what the model knows of a seat before a roll: its pirates, and whether they are few;
// silver delivered; coins that it carries, how near home they are, and how near the last silver coin
// that it needs; the chance of a roll that wins at once (PP-11), in general and when it is to move; how
// many turns the shortest way to win takes when nobody is in the way, and how soon that is; the chance
// of a roll that lets it attack, and how many pirates it could attack; the chances of its carriers to
// be attacked, in general and when another is to move; its pirates on places where others must end to
// deliver (PP-10); and how near it is to a coin that lies. What stands in the way is not looked at.
func (s *sim) Features(seat games.Seat) (learned.Features, bool) {
	if s.crew[seat].empty() {
		return learned.Features{}, false
	}
	l := lane()
	var all [maxSeats]looks
	s.look(l, &all)
	return s.features(uint8(seat), l, &all), true
}

// looks are what a seat's pirates reach, in the order of the triangles.
type looks struct {
	at      [crewRoom]triangle
	strikes [crewRoom]totals // all for who carries nothing, who alone attacks (PP-7), or none
	risks   [crewRoom]totals // with which rivals may attack the pirate
	crew    uint8
}

// crewRoom is crewSize rounded up to a power of two: an index modulo it needs no test.
const crewRoom = 8

// totals is a set of totals of a roll: bit n-2 for n.
type totals uint8

// odds are the chances of a roll, in sixteenths, that has one of the totals.
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

// weight is how many of the sixteen rolls have a total.
var weight = [longest + 1]uint8{2: 1, 2, 3, 4, 3, 2, 1}

// chance is that of a roll with one of the totals.
func (t totals) chance() float64 { return float64(odds[t]) / rolls }

// lanes are the ways on an empty board.
type lanes struct {
	by [triangles][triangles]totals // that lead from one triangle to another, or back
	// turns to end on a silver space, or on the gold space, of each corner's rowboat (PP-10).
	silver, gold [3][triangles]float64
}

const (
	rolls  = faces * faces
	stride = 5  // the mean of a roll
	far    = 40 // turns, where there is no way
)

// lane finds the ways when they are first asked for.
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

// turns are how many turns a lone pirate takes on average to end on one of goals, by value iteration.
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

// look finds what all crews reach.
func (p *position) look(l *lanes, out *[maxSeats]looks) {
	coins := p.coins()
	for seat := range p.seats {
		me := &out[seat]
		for rest := p.crew[seat]; !rest.empty(); me.crew++ {
			t := rest.take()
			me.at[me.crew%crewRoom] = t
			if !coins.has(t) {
				me.strikes[me.crew%crewRoom] = 1<<(longest-1) - 1
			}
		}
	}
	for i := range p.seats {
		for j := range i {
			us, them := &out[i], &out[j]
			for a, t := range us.at[:us.crew] {
				by, strikes, met := &l.by[t], us.strikes[a], totals(0)
				for b, u := range them.at[:them.crew] {
					m := by[u]
					met |= m & them.strikes[b]
					them.risks[b] |= m & strikes
				}
				us.risks[a] |= met
			}
		}
	}
}

// nearest is how far the nearest pirate who can take a coin is from t on an empty board.
func (l *looks) nearest(t triangle) float64 {
	best := uint8(2 * side)
	from := &apart[t]
	for i, u := range l.at[:l.crew] {
		if l.strikes[i] != 0 {
			best = min(best, from[u])
		}
	}
	return float64(best)
}

// threats are the totals with which the seat's pirates may attack others', and how many of those they
// may attack.
func (p *position) threats(seat uint8, all *[maxSeats]looks) (with totals, prey int) {
	for s := range p.seats {
		if s == seat {
			continue
		}
		for _, m := range all[s].risks[:all[s].crew] {
			with |= m
			if m != 0 {
				prey++
			}
		}
	}
	return with, prey
}

// within turns a number of turns into how near that is, from 1 to 0.
func within(turns float64) float64 { return 2 / (2 + turns) }

func (p *position) features(seat uint8, l *lanes, all *[maxSeats]looks) (f learned.Features) {
	me, crew, c := &all[seat], p.crew[seat], p.corner(seat)
	h, pirates, coins := &homes[c], p.pirates(), p.coins()
	need := silverToWin - int(p.delivered[seat])
	// The turns for the two silver coins that are home first, and for the gold.
	first, second, golden := float64(far), float64(far), float64(far)
	win := totals(0)
	for rest := coins; !rest.empty(); {
		t := rest.take()
		gold := t == p.gold
		turns, goals := l.silver[c][t], h.silver
		if gold {
			turns, goals = l.gold[c][t], bit(h.gold)
		}
		switch {
		case crew.has(t):
			near, risk := within(turns), me.risks[crew.below(t)].chance()
			if gold {
				f[3], f[4], f[17] = 1, near, risk
			} else {
				f[5]++
				f[6] += near
				f[18] += risk
				if need == 1 {
					f[7] = max(f[7], near)
				}
			}
			if gold || need == 1 {
				for goals = goals.less(pirates); !goals.empty(); {
					win |= l.by[t][goals.take()]
				}
			}
		case pirates.has(t):
			// It is the rival's, who must be attacked before.
			turns += 2 + me.nearest(t)/stride
		default:
			steps := me.nearest(t)
			turns += steps / stride
			f[23] = max(f[23], within(steps/2))
		}
		switch {
		case gold:
			golden = turns
		case turns < first:
			first, second = turns, first
		case turns < second:
			second = turns
		}
	}
	if need == silverToWin {
		first += second
	}
	turns := min(first, golden, far)
	f[0] = float64(crew.len()) / 4
	f[1] = 1 / float64(crew.len())
	f[2] = float64(p.delivered[seat])
	f[8] = win.chance()
	f[10] = turns / 8
	f[11] = within(turns)
	with, prey := p.threats(seat, all)
	f[14] = with.chance()
	f[16] = float64(prey) / 4
	if p.turn == seat {
		f[9], f[12], f[13], f[15] = f[8], f[11], 1, f[14]
	} else {
		f[19], f[20] = f[17], f[18]
	}
	for s := range p.seats {
		if s == seat || p.crew[s].empty() {
			continue
		}
		their := p.home(s)
		if crew.has(their.gold) {
			f[21]++
		}
		f[22] += float64(crew.and(their.silver).len()) / 2
	}
	return f
}

// Evaluate is the model's chance of the seat.
func (s *sim) Evaluate(seat games.Seat) float64 {
	if s.crew[seat].empty() {
		return 0
	}
	l := lane()
	var all [maxSeats]looks
	s.look(l, &all)
	own := s.features(uint8(seat), l, &all)
	var others [maxSeats - 1]float64
	n := 0
	for other := range s.seats {
		if games.Seat(other) != seat && !s.crew[other].empty() {
			f := s.features(other, l, &all)
			others[n] = model.Score(&f)
			n++
		}
	}
	return learned.Chance(model.Score(&own), others[:n]...)
}

// former is a sim with the evaluation made by hand.
type former struct{ *sim }

// Former is as in learned.Learner.
func (s *sim) Former() games.Sim { return former{&sim{position: s.position}} }

func (f former) CopyFrom(other games.Sim) { f.position = other.(former).position }

// Tuning is as in games.Tuner, found by matches: random play is long and aimless, Evaluate knows
// the way home.
func (f former) Tuning() games.Tuning {
	return games.Tuning{Playout: 0, Exploration: 0.1, PriorWeight: 4}
}

// Evaluate compares the squares of what the seats have.
func (f former) Evaluate(seat games.Seat) float64 {
	var sum, mine float64
	for i := range f.seats {
		v := f.strength(i)
		v *= v
		sum += v
		if games.Seat(i) == seat {
			mine = v
		}
	}
	return mine / sum
}

// strength weighs what a seat has: pirates, silver at home, coins on their way there, and coins
// that its pirates are near to.
func (p *position) strength(seat uint8) float64 {
	crew := p.crew[seat]
	if crew.empty() {
		return 0
	}
	h, lying, carriers := p.home(seat), p.lying(), p.coins().and(crew)
	// The second silver coin wins, the first is half the way.
	silver, gold := float64(1+p.delivered[seat]), 3.0
	v := 1 + float64(crew.len()) + 4*float64(p.delivered[seat])
	for rest := carriers; !rest.empty(); {
		t := rest.take()
		if t == p.gold {
			v += gold * near(h.toGold[t]) * p.safety(seat, t)
		} else {
			v += silver * near(h.toSilver[t]) * p.safety(seat, t)
		}
	}
	// Only the nearest way home of a coin counts, and less than carrying any, so that who could
	// take one does.
	free, fetched := crew.less(carriers), 0.0
	for rest := lying; !rest.empty(); {
		t := rest.take()
		steps := nearest(free, t)
		if t == p.gold {
			steps += h.toGold[t]
		} else {
			steps += h.toSilver[t]
		}
		fetched = max(fetched, near(steps))
	}
	v += fetch * silver * fetched
	return v
}

// fetch is the part of a silver coin's weight that counts for who could fetch a coin.
const fetch = 0.4

// reached is the chance that a pirate so many steps away can attack with one roll: every second
// total from there on (PP-6).
var reached = [longest + 1]float64{0, 8. / 16, 8. / 16, 8. / 16, 7. / 16, 6. / 16, 4. / 16, 2. / 16, 1. / 16}

// safety is what remains of a carried coin's weight in view of the rivals that may attack its
// carrier.
func (p *position) safety(seat uint8, t triangle) float64 {
	steps := nearest(p.pirates().less(p.crew[seat]).less(p.coins()), t)
	if int(steps) > longest {
		return 1
	}
	return 1 - 0.6*reached[steps]
}

// near weighs a coin that is carried steps away from where it belongs: 3 when it is as good as
// there.
func near(steps uint8) float64 { return 12 / (4 + float64(steps)) }
