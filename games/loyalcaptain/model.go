package loyalcaptain

import (
	_ "embed"

	"marque/games"
	"marque/games/deck"
	"marque/games/learned"
)

//go:embed chances.txt
var chancesText string

// chances maps the chances that a search finds to actual frequencies.
var chances = learned.ParseCurve(chancesText)

//go:embed weights.txt
var weights string

// model evaluates positions. It was trained by `marque-lab train loyal-captain`.
var model = learned.Parse(weights, featureNames)

var _ learned.Deep = (*sim)(nil)

// The features, which Features explains.
const (
	featureTokens = iota
	featureReserve
	featureTurns
	featureFewTurns
	featureThreats
	featureThreatened
	featureHemmed
	featureAir
	featureShown
	featureBackedBySea
	featureOnHatches
	featureHatchesToTake
	featureToMove
	featureSpent
	featureLateTokens
	featureLateThreats
	ownFeatures // number of features without those of the hidden layer
)

var featureNames = []string{
	featureTokens:        "tokens",
	featureReserve:       "reserve",
	featureTurns:         "turns",
	featureFewTurns:      "few-turns",
	featureThreats:       "threats",
	featureThreatened:    "threatened",
	featureHemmed:        "hemmed",
	featureAir:           "air",
	featureShown:         "shown",
	featureBackedBySea:   "backed-by-sea",
	featureOnHatches:     "on-hatches",
	featureHatchesToTake: "hatches-to-take",
	featureToMove:        "to-move",
	featureSpent:         "spent",
	featureLateTokens:    "late-tokens",
	featureLateThreats:   "late-threats",
}

func (s *sim) Names() []string { return featureNames }

func (s *sim) SetModel(m *learned.Model) { s.model, s.summed = m, layerSums{} }

// The inputs of the hidden layer. For each way, one input is on if the seat has a token with its back to that way,
// and one if the opponent has. The last input is on if it is the seat's turn.
const (
	inputOwn    = 0
	inputEnemy  = wayCount
	inputToMove = 2 * wayCount
	inputs      = inputToMove + 1
)

func (s *sim) Inputs(seat games.Seat) (on []int) {
	us := s.p.side(seat)
	for rest := s.p.back[us]; rest != 0; {
		on = append(on, inputOwn+int(rest.take()))
	}
	for rest := s.p.back[us.other()]; rest != 0; {
		on = append(on, inputEnemy+int(rest.take()))
	}
	if s.p.mover == us {
		on = append(on, inputToMove)
	}
	return on
}

// Alike returns the permutations of the inputs by the deck's symmetries (DK-3).
func (s *sim) Alike() [][]int { return alike }

var alike = func() (list [][]int) {
	for _, mirror := range [][2]float64{{1, 1}, {-1, 1}, {1, -1}, {-1, -1}} {
		mirrored := func(s deck.Space) deck.Space {
			if s == deck.Sea {
				return s
			}
			x, y := deck.At(s)
			for other := range deck.Space(deck.Spaces) {
				if ox, oy := deck.At(other); ox == x*mirror[0] && oy == y*mirror[1] {
					return other
				}
			}
			panic("the deck has no mirror image of " + s.String())
		}
		to := make([]int, inputs)
		to[inputToMove] = inputToMove
		for w := range way(wayCount) {
			for v := wayFrom(mirrored(w.from())); v.from() == mirrored(w.from()); v++ {
				if table.to[v] == mirrored(table.to[w]) {
					to[inputOwn+int(w)], to[inputEnemy+int(w)] = inputOwn+int(v), inputEnemy+int(v)
				}
			}
		}
		list = append(list, to)
	}
	return list
}()

// layerSums caches the sums of the hidden layer for each side. They are valid for tokens with the backs in back.
type layerSums struct {
	of   [2]learned.Sums
	back [2]ways
	made bool
}

// sum updates the cached sums for the tokens that have changed.
func (s *sim) sum() {
	l, sums := s.model.Layer, &s.summed
	if l == nil {
		return
	}
	if !sums.made {
		*sums = layerSums{of: [2]learned.Sums{l.Empty(), l.Empty()}, made: true}
	}
	for us := range side(2) {
		now, before := s.p.back[us], sums.back[us]
		own, enemy := &sums.of[us], &sums.of[us.other()]
		for gone := before &^ now; gone != 0; {
			w := int(gone.take())
			l.Off(own, inputOwn+w)
			l.Off(enemy, inputEnemy+w)
		}
		for come := now &^ before; come != 0; {
			w := int(come.take())
			l.On(own, inputOwn+w)
			l.On(enemy, inputEnemy+w)
		}
		sums.back[us] = now
	}
}

// Features returns the model's inputs for a seat, which are 0 before the first turn:
// - its tokens on deck and in reserve, its possible turns, and 1/(1+turns)
// - ways on which its tokens threaten the opponent's (LC-3), and its threatened tokens
// - its tokens without an empty space next to them, and empty spaces next to its tokens
// - tokens with their back to an opposing token, which protect that token's group (LC-4)
// - tokens with their back to the sea, or on hatches, and empty hatches while it has a reserve
// - whether it is its turn, and the turns of a count that it has used, if it refused a stalemate (LC-8)
// - all its tokens, and its threats again, weighted by the share of both seats' tokens that are no longer in reserve
// - the outputs of the hidden layer, if the model has one
func (s *sim) Features(seat games.Seat) (learned.Features, bool) {
	p := &s.p
	if p.phase < phaseTurn {
		return learned.Features{}, true
	}
	s.sum()
	return s.features(p.side(seat)), true
}

// features returns the features of the position and of the hidden layer. The cached sums must be up to date.
func (s *sim) features(us side) learned.Features {
	f := s.p.features(us)
	if l := s.model.Layer; l != nil {
		sums := s.summed.of[us]
		if s.p.mover == us {
			l.On(&sums, inputToMove)
		}
		sums.Features((*[learned.Hidden]float64)(f[ownFeatures:]))
	}
	return f
}

func (p *position) features(us side) (f learned.Features) {
	them := us.other()
	own, enemy, empty := p.on[us], p.on[them], p.empty()
	turns := float64(p.choice(us))
	threats := float64((p.back[us].others() & into(enemy) &^ table.sea).len())
	late := 1 - float64(p.reserve[red]+p.reserve[blue])/(2*tokens)
	f[featureTokens] = float64(own.Len())
	f[featureReserve] = float64(p.reserve[us])
	f[featureTurns] = turns / 4
	f[featureFewTurns] = 1 / (1 + turns)
	f[featureThreats] = threats / 4
	f[featureThreatened] = float64((own & table.ends(p.back[them].others())).Len()) / 4
	f[featureHemmed] = float64((own &^ around(empty)).Len()) / 4
	f[featureAir] = float64((around(own) & empty).Len()) / 4
	f[featureShown] = float64((p.back[us] & into(enemy)).len()) / 4
	f[featureBackedBySea] = float64((p.back[us] & table.sea).len()) / 4
	f[featureOnHatches] = float64((own & deck.Hatches).Len()) / 4
	if p.reserve[us] > 0 {
		f[featureHatchesToTake] = float64((empty & deck.Hatches).Len()) / 4
	}
	if p.mover == us {
		f[featureToMove] = 1
	}
	if p.left > 0 && p.refuser == us {
		f[featureSpent] = float64(countTurns-p.left) / countTurns
	}
	f[featureLateTokens] = late * float64(p.tokens(us))
	f[featureLateThreats] = late * threats / 4
	return f
}

// ends returns the spaces to which ways lead, without the sea.
func (t *waysTable) ends(ws ways) (set deck.Set) {
	for ws &^= t.sea; ws != 0; {
		set = set.With(t.to[ws.take()])
	}
	return set
}

func (s *sim) Evaluate(seat games.Seat) float64 {
	p := &s.p
	if p.phase < phaseTurn {
		return 0.5
	}
	us := p.side(seat)
	s.sum()
	own, other := s.features(us), s.features(us.other())
	return learned.Chance(s.model.Score(&own), s.model.Score(&other))
}
