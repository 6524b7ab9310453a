package loyalcaptain

import (
	"encoding/json"

	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

// state implements games.State with a position. Nothing is hidden, so every mask is the state itself.
type state struct{ p position }

var (
	_ games.State   = state{}
	_ games.Stopper = state{}
)

func (s state) ToMove() games.Seat { return s.p.toMove() }

func (s state) Moves() []games.Move { return s.p.appendMoves(nil) }

func (s state) Outcomes() []games.Outcome { return nil }

func (s state) Apply(m games.Move) games.State {
	s.p.play(m)
	return s
}

// Stopped returns the position without threats, a proposal and a count, which only matter for moves to come. A position
// in which the seats have no colours yet (LC-9) stays the same.
func (s state) Stopped() games.State {
	if s.p.phase == phaseTurn || s.p.phase == phaseAnswer {
		s.p.phase = phaseStopped
	}
	return s
}

func (s state) Sim() games.Sim { return &sim{p: s.p, model: model} }

func (s state) Result() games.Result {
	if s.p.phase == phaseAgreed {
		return games.Draw(0b11, text.M("loyal-captain.why.stalemate"))
	}
	loser, over := s.p.loser()
	if !over {
		return games.Result{}
	}
	seat := s.p.seat(loser)
	args := []any{"Who", text.Player(seat), "Lost", s.p.lost(loser), "Winner", text.Player(1 - seat),
		"WinnerLost", s.p.lost(loser.other())}
	switch {
	case s.p.phase == phaseSpent:
		return games.Won(1-seat, text.M("loyal-captain.why.count", append(args, "Count", countTurns)...))
	case s.p.tokens(loser) == 0:
		return games.Won(1-seat, text.M("loyal-captain.why.no-tokens", args...))
	default:
		return games.Won(1-seat, text.M("loyal-captain.why.stuck", args...))
	}
}

// These types are the JSON form of a position. Spaces have the numbers of the rules.
type (
	jsonPosition struct {
		Phase   string     `json:"phase"`
		ToMove  games.Seat `json:"toMove"`
		Mover   string     `json:"mover,omitempty"`   // side whose turn it is; the proposer while an answer is due
		RedSeat *int       `json:"redSeat,omitempty"` // absent before the choice of LC-9
		Red     jsonSide   `json:"red"`
		Blue    jsonSide   `json:"blue"`
		Quiet   int        `json:"quiet"`             // turns without a placement or capture, up to 20
		Left    int        `json:"left,omitempty"`    // the refuser's remaining turns
		Refuser string     `json:"refuser,omitempty"` // side that must win within its remaining turns
	}
	jsonSide struct {
		Reserve int         `json:"reserve"`
		Tokens  []jsonToken `json:"tokens"`
	}
	jsonToken struct {
		Space int `json:"space"`
		Back  int `json:"back"` // 0 for the sea
	}
)

var phaseNames = [...]string{"offer", "choose", "turn", "answer", "stuck", "agreed", "spent", "stopped"}

var sideNames = [2]string{"red", "blue"}

func (s state) MarshalJSON() ([]byte, error) {
	p := &s.p
	j := jsonPosition{Phase: phaseNames[p.phase], ToMove: p.toMove(), Red: p.jsonSide(red), Blue: p.jsonSide(blue),
		Quiet: int(p.quiet), Left: int(p.left)}
	if p.phase >= phaseTurn {
		seat := int(p.red)
		j.Mover, j.RedSeat = sideNames[p.mover], &seat
	}
	if p.left > 0 || p.phase == phaseSpent {
		j.Refuser = sideNames[p.refuser]
	}
	return json.Marshal(j)
}

func (p *position) jsonSide(c side) jsonSide {
	j := jsonSide{Reserve: int(p.reserve[c]), Tokens: []jsonToken{}}
	for rest := p.on[c]; rest != 0; {
		s := rest.Take()
		t := jsonToken{Space: s.Number()}
		if b := p.backOf(c, s); b != deck.Sea {
			t.Back = b.Number()
		}
		j.Tokens = append(j.Tokens, t)
	}
	return j
}

// backOf returns the space or sea behind the token of c on s.
func (p *position) backOf(c side, s deck.Space) deck.Space { return p.back[c].of(s).to() }
