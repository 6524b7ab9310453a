package piratevspirate

import (
	"encoding/json"

	"marque/games"
	"marque/games/scene"
	"marque/games/text"
)

// state implements games.State with a position. Nothing is hidden.
type state struct{ position }

var (
	_ games.State      = state{}
	_ games.Withdrawer = state{}
	_ games.Eliminator = state{}
	_ games.Stopper    = state{}
)

func (s state) ToMove() games.Seat { return s.toMove() }

func (s state) Moves() []games.Move { return s.appendMoves(nil) }

func (s state) Outcomes() []games.Outcome {
	if s.toMove() != games.Chance {
		return nil
	}
	return append([]games.Outcome(nil), rollOutcomes[:]...)
}

func (s state) Apply(m games.Move) games.State { s.play(m); return s }

// Forced returns the pass of a missed turn (PP-5).
func (s state) Forced() (games.Move, bool) {
	if s.phase == moving && len(s.appendSteps(nil)) == 0 {
		return passMove, true
	}
	return 0, false
}

func (s state) Result() games.Result {
	if s.phase != over {
		return games.Result{}
	}
	who := text.Player(s.winner)
	var why text.Message
	switch s.why {
	case byGold:
		why = text.M("pirate-versus-pirate.why.gold", "Who", who)
	case bySilver:
		why = text.M("pirate-versus-pirate.why.silver", "Who", who)
	case byLast:
		why = text.M("pirate-versus-pirate.why.last", "Who", who)
	}
	return games.Won(games.Seat(s.winner), why)
}

// Withdraw takes a seat out of a game of three (PP-11).
func (s state) Withdraw(seat games.Seat) games.State {
	s.withdraw(uint8(seat))
	return s
}

// Stopped returns the position with no pirate waiting for a back (PP-12), because nobody chooses backs any more.
func (s state) Stopped() games.State {
	if s.phase == turning {
		s.phase = rolling
	}
	return s
}

// Out reports whether a seat has no pirates, because they were captured or because it has left (PP-11).
func (s state) Out(seat games.Seat) bool { return s.crew[seat].empty() }

func (s state) Sim() games.Sim { return &sim{position: s.position} }

// coinNames are the names of coins in JSON, indexed by scene.Carry.
var coinNames = [...]string{"", "silver", "gold"}

// coin returns the coin on t, whether carried or not.
func (p *position) coin(t triangle) scene.Carry {
	switch {
	case p.gold == t:
		return scene.Gold
	case p.silver.has(t):
		return scene.Silver
	default:
		return scene.NoCoin
	}
}

// record is a position in JSON.
type record struct {
	Phase        string         `json:"phase"`
	Turn         uint8          `json:"turn"`
	Backstabbing bool           `json:"backstabbing"`
	Contest      []int          `json:"contest,omitempty"` // opening: the seats that roll in this round
	Rolls        [][2]uint8     `json:"rolls,omitempty"`   // opening: this round's dice of each seat; zero before a roll
	Dice         *[2]uint8      `json:"dice,omitempty"`
	Pirates      [][]pirateJSON `json:"pirates"` // pirates of each seat
	Coins        []coinJSON     `json:"coins"`   // coins that nobody carries
	Silver       []int          `json:"silver"`  // number of silver coins that each seat has brought home
	Winner       *uint8         `json:"winner,omitempty"`
	Why          string         `json:"why,omitempty"`
}

type pirateJSON struct {
	At      string `json:"at"`
	Carries string `json:"carries,omitempty"`
	Back    string `json:"back,omitempty"`
}

type coinJSON struct {
	At   string `json:"at"`
	Coin string `json:"coin"`
}

func (s state) MarshalJSON() ([]byte, error) {
	r := record{
		Phase:        [...]string{"opening", "backs", "roll", "move", "over"}[s.phase],
		Turn:         s.turn,
		Backstabbing: !s.facing,
		Coins:        []coinJSON{},
	}
	switch s.phase {
	case opening:
		r.Rolls = s.rolls[:s.seats]
		for seat := range s.seats {
			if s.contest>>seat&1 != 0 {
				r.Contest = append(r.Contest, int(seat))
			}
		}
	case moving:
		r.Dice = &s.dice
	case over:
		r.Winner = &s.winner
		r.Why = [...]string{"", "gold", "silver", "last"}[s.why]
	}
	for seat := range s.seats {
		list := []pirateJSON{}
		for rest := s.crew[seat]; !rest.empty(); {
			t := rest.take()
			one := pirateJSON{At: t.String(), Carries: coinNames[s.coin(t)]}
			if back := s.back(t); back != noEdge {
				one.Back = back.letter(t)
			}
			list = append(list, one)
		}
		r.Pirates = append(r.Pirates, list)
		r.Silver = append(r.Silver, int(s.delivered[seat]))
	}
	for rest := s.lying(); !rest.empty(); {
		t := rest.take()
		r.Coins = append(r.Coins, coinJSON{t.String(), coinNames[s.coin(t)]})
	}
	return json.Marshal(r)
}
