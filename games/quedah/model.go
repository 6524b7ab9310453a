package quedah

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

// model evaluates positions. It was trained by `marque-lab train quedah-merchant`.
var model = learned.Parse(weights, featureNames)

var _ learned.Evaluator = (*sim)(nil)

// The features, which Features explains.
const (
	featureCaptives = iota
	featureCaptivesSquared
	featureLateCaptives
	featureHunters
	featureReserve
	featureToMove
	featureCapture
	featureCaptureToMove
	featureFreeing
	featureFreeingToMove
	featurePrey
	featureBoundPrey
	featureSafe
	featureOnHatches
	featureWalks
	featureFewSteps
	featureBlockedRolls
	featureBlockedToMove
	featureOpenBacks
	featureOpenHolders
	featureLateToMove
	featureFewTokens
)

var featureNames = []string{
	featureCaptives:        "captives",
	featureCaptivesSquared: "captives-squared",
	featureLateCaptives:    "late-captives",
	featureHunters:         "hunters",
	featureReserve:         "reserve",
	featureToMove:          "to-move",
	featureCapture:         "capture",
	featureCaptureToMove:   "capture-to-move",
	featureFreeing:         "freeing",
	featureFreeingToMove:   "freeing-to-move",
	featurePrey:            "prey",
	featureBoundPrey:       "bound-prey",
	featureSafe:            "safe",
	featureOnHatches:       "on-hatches",
	featureWalks:           "walks",
	featureFewSteps:        "few-steps",
	featureBlockedRolls:    "blocked-rolls",
	featureBlockedToMove:   "blocked-to-move",
	featureOpenBacks:       "open-backs",
	featureOpenHolders:     "open-holders",
	featureLateToMove:      "late-to-move",
	featureFewTokens:       "few-tokens",
}

func (s *sim) Names() []string { return featureNames }

// Features returns the model's inputs for a seat before a roll:
//   - its captives, as a number, squared, and multiplied by the captives of both seats, because the seventh ends the
//     game (QM-7)
//   - tokens without a captive, because only these can capture (QM-5), and 1/(1+their number); the reserve
//   - whether it is to move, also multiplied by the captives of both seats
//   - the number of rolls that let it capture or free a token (QM-6), in general and when it is to move
//   - the opponent's tokens that some roll captures, and the captors among them
//   - tokens with the back to the sea, which cannot be captured (QM-4)
//   - tokens on hatches while there is a reserve (QM-3)
//   - its walks to empty spaces over all rolls, and 1/(1+its single steps to empty spaces), because a seat that cannot
//     move loses (QM-7)
//   - unusable rolls, in general and when it is to move
//   - tokens with an empty space behind them, and the captors among them
func (s *sim) Features(seat games.Seat) (learned.Features, bool) {
	var both [2]reached
	s.survey(&both)
	return s.features(int(seat), &both), true
}

// reached counts the possible walks of a seat's tokens.
type reached struct {
	walks     int // walks that end on empty spaces, over all rolls
	steps     int // walks of one step
	capturing int // rolls that allow a capture
	freeing   int // rolls that allow freeing a token
	blocked   int // rolls that cannot be used
	prey      deck.StanceSet
}

// survey computes the possible walks of both seats.
func (p *position) survey(out *[2]reached) {
	empty := deck.AllStances &^ p.occupied()
	for seat := range out {
		own, enemy, r := p.tokens[seat], p.tokens[1-seat], &out[seat]
		at, hunting := own, own&^p.holding
		for roll := 1; roll <= faces; roll++ {
			at, hunting = at.Step(), hunting.Step()
			walks, prey := (at & empty).Len(), hunting&enemy
			if roll == 1 {
				r.steps = walks
			}
			r.walks += walks
			r.prey |= prey
			if prey != 0 {
				r.capturing++
			}
			if prey&p.holding != 0 {
				r.freeing++
			}
			if walks == 0 && prey == 0 {
				r.blocked++
			}
			at &= empty
			hunting &= empty
		}
	}
}

func (p *position) features(seat int, both *[2]reached) (f learned.Features) {
	own, r := p.tokens[seat], &both[seat]
	held := own & p.holding
	captives, all := float64(held.Len()), float64(p.holding.Len())
	hunters := float64(own.Len()) - captives
	empty := deck.AllStances &^ p.occupied()
	f[featureCaptives] = captives
	f[featureCaptivesSquared] = captives * captives / 4
	f[featureLateCaptives] = captives * all / 8
	f[featureHunters] = hunters / 4
	f[featureReserve] = float64(p.reserve[seat]) / 4
	f[featureCapture] = float64(r.capturing) / faces
	f[featureFreeing] = float64(r.freeing) / faces
	f[featurePrey] = float64(r.prey.Len()) / 4
	f[featureBoundPrey] = float64((r.prey & p.holding).Len()) / 4
	f[featureSafe] = float64((own & deck.SeaStances).Len()) / 4
	if p.reserve[seat] > 0 {
		f[featureOnHatches] = float64((own & deck.HatchStances).Len()) / 4
	}
	f[featureWalks] = float64(r.walks) / 32
	f[featureFewSteps] = 1 / (1 + float64(r.steps))
	f[featureBlockedRolls] = float64(r.blocked) / faces
	open := own & empty.Step()
	f[featureOpenBacks] = float64(open.Len()) / 4
	f[featureOpenHolders] = float64((open & held).Len()) / 4
	f[featureFewTokens] = 1 / (1 + hunters)
	if int(p.turn) == seat {
		f[featureToMove] = 1
		f[featureCaptureToMove] = f[featureCapture]
		f[featureFreeingToMove] = f[featureFreeing]
		f[featureBlockedToMove] = f[featureBlockedRolls]
		f[featureLateToMove] = all / 8
	}
	return f
}

func (s *sim) Evaluate(seat games.Seat) float64 {
	var both [2]reached
	s.survey(&both)
	own, other := s.features(int(seat), &both), s.features(1-int(seat), &both)
	return learned.Chance(model.Score(&own), model.Score(&other))
}
