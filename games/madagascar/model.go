package madagascar

import (
	_ "embed"

	"marque/games"
	"marque/games/deck"
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

// model evaluates positions. It was trained by `marque-lab train madagascar`.
var model = learned.Parse(weights, featureNames)

var _ learned.Trainable = (*sim)(nil)

// The features, which Features explains.
const (
	featureCommanded = iota
	featureReserve
	featureTowers
	featureMoves
	featureFewMoves
	featureHighest
	featurePrey
	featureBestPrey
	featureAtRisk
	featureWorstRisk
	featureSafe
	featureToMove
	featureFewTowers
	featureOwnUnder
	featurePreyToMove
	featureRiskNotToMove
)

var featureNames = []string{
	featureCommanded:     "commanded",
	featureReserve:       "reserve",
	featureTowers:        "towers",
	featureMoves:         "moves",
	featureFewMoves:      "few-moves",
	featureHighest:       "highest",
	featurePrey:          "prey",
	featureBestPrey:      "best-prey",
	featureAtRisk:        "at-risk",
	featureWorstRisk:     "worst-risk",
	featureSafe:          "safe",
	featureToMove:        "to-move",
	featureFewTowers:     "few-towers",
	featureOwnUnder:      "own-under",
	featurePreyToMove:    "prey-to-move",
	featureRiskNotToMove: "risk-not-to-move",
}

func (s *sim) Names() []string { return featureNames }

func (s *sim) SetModel(m *learned.Model) { s.model = m }

// Features returns the model's inputs for a seat:
//   - tokens in its towers and in reserve, its towers, and its highest tower
//   - its walks to empty spaces and placements on empty hatches, and 1/(1+their number)
//   - the heights of others' towers that it could capture now: the sum and the maximum
//   - the heights of its own towers that others could capture: the sum and the maximum
//   - towers with their back to the sea, which cannot be captured (MD-4)
//   - whether it is to move; the highest tower that it could capture, if it is to move;
//     and its highest tower at risk, if it is not
//   - 1/(1+towers+reserve), and its own tokens under others' towers less others' tokens under its own
func (s *sim) Features(seat games.Seat) (learned.Features, bool) {
	if s.out(uint8(seat)) {
		return learned.Features{}, false
	}
	var all [maxSeats]looks
	s.look(&all)
	return s.features(uint8(seat), &all), true
}

// looks describes the possible walks of a seat's towers.
type looks struct {
	walks int
	prey  deck.StanceSet // others' towers that these walks capture
}

// look computes the possible walks of all towers.
func (p *position) look(out *[maxSeats]looks) {
	all := p.all()
	occupied := all.Spread()
	free := deck.AllStances &^ occupied
	for seat := range p.seats {
		own, l := p.towers[seat], &out[seat]
		enemy := all &^ own
		for rest := own; rest != 0; rest = rest.Rest() {
			from := rest.First()
			empty := free | from.Set().Spread()
			to := from.Walk(p.stacks[from.Space()].height(), empty)
			l.walks += (to & empty).Len()
			l.prey |= to & enemy
		}
	}
}

func (p *position) features(seat uint8, all *[maxSeats]looks) (f learned.Features) {
	own, me := p.towers[seat], &all[seat]
	height, highest := 0, 0
	for s := range p.seats {
		for rest := p.towers[s]; rest != 0; rest = rest.Rest() {
			st := p.stacks[rest.First().Space()]
			if s == seat {
				height += st.height()
				highest = max(highest, st.height())
			}
		}
	}
	under := int(tokensEach[p.seats]) - int(p.reserve[seat]) - height
	prey, best := p.heights(me.prey)
	var hunted deck.StanceSet
	for s := range p.seats {
		if s != seat {
			hunted |= all[s].prey & own
		}
	}
	risk, worst := p.heights(hunted)
	moves := float64(me.walks)
	if p.reserve[seat] > 0 {
		moves += float64((deck.Hatches &^ p.all().Hatches()).Len())
	}
	f[featureCommanded] = float64(height) / 4
	f[featureReserve] = float64(p.reserve[seat]) / 4
	f[featureTowers] = float64(own.Len()) / 4
	f[featureMoves] = moves / 8
	f[featureFewMoves] = 1 / (1 + moves)
	f[featureHighest] = float64(highest) / 4
	f[featurePrey] = prey / 4
	f[featureBestPrey] = best / 4
	f[featureAtRisk] = risk / 4
	f[featureWorstRisk] = worst / 4
	f[featureSafe] = float64((own & deck.SeaStances).Len()) / 4
	if p.turn == seat {
		f[featureToMove] = 1
		f[featurePreyToMove] = best / 4
	} else {
		f[featureRiskNotToMove] = worst / 4
	}
	f[featureFewTowers] = 1 / float64(1+own.Len()+int(p.reserve[seat]))
	f[featureOwnUnder] = float64(under) / 4
	return f
}

// heights returns the sum and the maximum of the towers' heights.
func (p *position) heights(towers deck.StanceSet) (all, most float64) {
	for ; towers != 0; towers = towers.Rest() {
		h := float64(p.stacks[towers.First().Space()].height())
		all += h
		most = max(most, h)
	}
	return all, most
}

func (s *sim) Evaluate(seat games.Seat) float64 {
	if s.out(uint8(seat)) {
		return 0
	}
	var all [maxSeats]looks
	s.look(&all)
	own := s.features(uint8(seat), &all)
	score := s.model.Score(&own)
	var others [maxSeats - 1]float64
	n := 0
	for other := range s.seats {
		if other != uint8(seat) && !s.out(other) {
			f := s.features(other, &all)
			others[n] = s.model.Score(&f)
			n++
		}
	}
	return learned.Chance(score, others[:n]...)
}
