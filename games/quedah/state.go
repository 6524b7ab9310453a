package quedah

import (
	"encoding/json"

	"marque/games"
	"marque/games/deck"
	"marque/games/text"
)

// state implements games.State with a position. Nothing is hidden.
type state struct{ position }

var (
	_ games.State   = state{}
	_ games.Stopper = state{}
)

func (s state) ToMove() games.Seat { return s.toMove() }

func (s state) Moves() []games.Move { return s.appendMoves(nil) }

func (s state) Outcomes() []games.Outcome { return s.appendOutcomes(nil) }

func (s state) Apply(m games.Move) games.State {
	s.play(m)
	return s
}

// Forced returns the pass of an unusable roll (QM-7).
func (s state) Forced() (games.Move, bool) {
	if s.ToMove() < 0 || s.setup() || s.canUse(s.roll) {
		return 0, false
	}
	return passMove, true
}

// Result returns the winner, or a draw, and the reason.
func (s state) Result() games.Result {
	if s.ended == going {
		return games.Result{}
	}
	if s.ended == tooQuiet {
		return games.Draw(games.AllSeats(2), text.M("quedah-merchant.why.quiet", "Count", quietTurns))
	}
	winner := s.winner()
	args := []any{"Winner", text.Player(winner), "Count", s.captivesOf(winner),
		"Loser", text.Player(1 - winner), "Other", s.captivesOf(1 - winner)}
	var why text.Message
	switch s.ended {
	case captives:
		why = text.M("quedah-merchant.why.captives", args...)
	case stuck:
		why = text.M("quedah-merchant.why.stuck", args...)
	case unusable:
		why = text.M("quedah-merchant.why.unusable", append(args, "Roll", int(s.roll))...)
	}
	return games.Won(games.Seat(winner), why)
}

// Stopped returns the position without the count of quiet turns (QM-8), which only matters for moves to come.
func (s state) Stopped() games.State {
	s.quiet = 0
	return s
}

func (s state) Sim() games.Sim { return &sim{position: s.position} }

// MarshalJSON writes the whole position, with tokens in the order of the spaces.
func (s state) MarshalJSON() ([]byte, error) {
	type token struct {
		Space   int    `json:"space"`
		Back    string `json:"back"` // number of a space, or "sea"
		Seat    int    `json:"seat"`
		Captive bool   `json:"captive,omitempty"` // whether the token holds a captive
	}
	type position struct {
		Turn    int      `json:"turn"`
		Roll    int      `json:"roll"` // 0 before the roll
		Reserve [2]uint8 `json:"reserve"`
		Tokens  []token  `json:"tokens"`
		Blocked string   `json:"blocked"`
		Quiet   *uint8   `json:"quiet,omitempty"` // turns without a placement or a capture, if QM-8 applies
		Ended   string   `json:"ended,omitempty"`
	}
	out := position{Turn: int(s.turn), Roll: int(s.roll), Reserve: s.reserve, Tokens: []token{},
		Blocked: blockedValues[0], Ended: endings[s.ended]}
	if s.strict {
		out.Blocked = blockedValues[1]
	}
	if s.limited {
		out.Quiet = &s.quiet
	}
	for rest := s.tokens[0] | s.tokens[1]; rest != 0; {
		st := rest.Take()
		out.Tokens = append(out.Tokens, token{Space: st.Space().Number(), Back: st.Back().String(),
			Seat: s.seatAt(st), Captive: s.holding.Has(st)})
	}
	return json.Marshal(out)
}

var endings = [...]string{going: "", captives: "captives", stuck: "stuck", unusable: "unusable", tooQuiet: "quiet"}

// seatAt returns the seat whose free token has the stance st. Such a token must exist.
func (p *position) seatAt(st deck.Stance) int {
	if p.tokens[1].Has(st) {
		return 1
	}
	return 0
}
