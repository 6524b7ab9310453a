package loyalcaptain

import (
	_ "embed"

	"marque/games"
	"marque/games/deck"
	"marque/games/learned"
)

//go:embed weights.txt
var weights string

// model evaluates positions; `marque-lab train loyal-captain` made it.
var model = learned.Parse(weights, featureNames)

var _ learned.Pupil = (*sim)(nil)

// featureNames are the names of the features, which Features explains.
var featureNames = []string{
	"tokens", "reserve", "turns", "few-turns", "threats", "threatened", "hemmed", "air", "shown",
	"backed-by-sea", "on-hatches", "hatches-to-take", "to-move", "spent", "late-tokens", "late-threats",
}

func (s *sim) Names() []string { return featureNames }

// Teach is as in learned.Pupil.
func (s *sim) Teach(m *learned.Model) { s.model = m }

// Features are what the model knows of a seat: tokens on deck and in reserve; turns that it could
// take; ways from its tokens on to the other's, which threaten them (LC-3), and its tokens that are
// threatened; tokens without an empty space beside them; empty spaces beside its tokens; tokens with
// their back to one of the other's, which save that one's groups (LC-4); tokens with their back to
// the sea, or on hatches; empty hatches while it has a reserve; whether it is to move; turns of a
// count that it has spent (LC-8); and tokens and threats again, by how many reserves are used up.
func (s *sim) Features(seat games.Seat) (learned.Features, bool) {
	p := &s.p
	if p.phase < phaseTurn {
		return learned.Features{}, true
	}
	us := p.side(seat)
	return p.features(us), true
}

func (p *position) features(us side) (f learned.Features) {
	them := us.other()
	own, enemy, empty := p.on[us], p.on[them], p.empty()
	turns := float64(p.choice(us))
	threats := float64((p.back[us].others() & into(enemy) &^ table.sea).len())
	late := 1 - float64(p.reserve[red]+p.reserve[blue])/(2*tokens)
	f[0] = float64(own.Len())
	f[1] = float64(p.reserve[us])
	f[2] = turns / 4
	f[3] = 1 / (1 + turns)
	f[4] = threats / 4
	f[5] = float64((own & table.ends(p.back[them].others())).Len()) / 4
	f[6] = float64((own &^ around(empty)).Len()) / 4
	f[7] = float64((around(own) & empty).Len()) / 4
	f[8] = float64((p.back[us] & into(enemy)).len()) / 4
	f[9] = float64((p.back[us] & table.sea).len()) / 4
	f[10] = float64((own & deck.Hatches).Len()) / 4
	if p.reserve[us] > 0 {
		f[11] = float64((empty & deck.Hatches).Len()) / 4
	}
	if p.mover == us {
		f[12] = 1
	}
	if p.left > 0 && p.refuser == us {
		f[13] = float64(countTurns-p.left) / countTurns
	}
	f[14] = late * float64(p.tokens(us))
	f[15] = late * threats / 4
	return f
}

// ends are the spaces that ways lead to.
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
	own, other := p.features(us), p.features(us.other())
	return learned.Chance(s.model.Score(&own), s.model.Score(&other))
}
