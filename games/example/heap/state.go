package heap

import (
	"encoding/json"
	"strconv"

	"marque/games"
	"marque/games/text"
)

// state implements games.State with a position. Nothing is hidden, so every viewer gets the state itself.
type state struct{ position }

var (
	_ games.State      = state{}
	_ games.Withdrawer = state{} // optional interfaces, see games/optional.go
)

func (s state) ToMove() games.Seat        { return s.toMove() }
func (s state) Moves() []games.Move       { return s.appendMoves(nil) }
func (s state) Outcomes() []games.Outcome { return s.appendOutcomes(nil) }
func (s state) Sim() games.Sim            { return &sim{s.position} }

// Apply changes its receiver, which is a copy.
func (s state) Apply(m games.Move) games.State {
	s.play(m)
	return s
}

func (s state) Withdraw(seat games.Seat) games.State {
	s.withdraw(seat)
	return s
}

// Forced returns the move that takes the last remaining coin.
func (s state) Forced() (games.Move, bool) {
	if s.ToMove() >= 0 && s.coins == 1 {
		return 1, true
	}
	return 0, false
}

func (s state) Result() games.Result {
	if s.winner == nobody {
		return games.Result{}
	}
	return games.Won(games.Seat(s.winner), text.M("heap.why.last", "Who", text.Player(s.winner)))
}

// Spell returns notations such as "take 2" and "roll 3".
func (s state) Spell(m games.Move) []games.Word {
	if m > rolled {
		face := strconv.Itoa(int(m - rolled))
		return []games.Word{
			{Key: "roll", Label: text.M("heap.label.roll"), Ask: text.M("heap.ask.what")},
			{Sep: " ", Key: face, Label: text.Raw(face), Ask: text.M("heap.ask.face")},
		}
	}
	return []games.Word{
		{Key: "take", Label: text.M("heap.label.take"), Ask: text.M("heap.ask.what")},
		{Sep: " ", Key: strconv.Itoa(int(m)), Label: text.M("heap.label.coins", "Count", int(m)), Ask: text.M("heap.ask.many"), Spot: spot(int(s.coins) - int(m))},
	}
}

func (s state) Describe(m games.Move) text.Message {
	switch {
	case m < rolled:
		return text.M("heap.tell.takes", "Who", text.Player(s.turn), "Count", int(m))
	case s.adds(m):
		return text.M("heap.tell.adds")
	default:
		return text.M("heap.tell.rolls", "Face", int(m-rolled))
	}
}

func (s state) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Coins  int8          `json:"coins"`
		Added  int8          `json:"added"`
		Seats  int8          `json:"seats"`
		Turn   int8          `json:"turn"`
		Winner int8          `json:"winner"` // -1 if nobody has won
		Dice   bool          `json:"dice"`
		Gone   games.SeatSet `json:"gone"`
	}{s.coins, s.added, s.seats, s.turn, s.winner, s.dice, s.gone})
}

// sim implements games.Sim with a position that is changed in place.
type sim struct{ position }

var _ games.Sim = (*sim)(nil)

func (s *sim) CopyFrom(other games.Sim)                           { s.position = other.(*sim).position }
func (s *sim) ToMove() games.Seat                                 { return s.toMove() }
func (s *sim) AppendMoves(buf []games.Move) []games.Move          { return s.appendMoves(buf) }
func (s *sim) AppendOutcomes(buf []games.Outcome) []games.Outcome { return s.appendOutcomes(buf) }
func (s *sim) Play(m games.Move)                                  { s.play(m) }

// PlayRandom chooses without a list of moves, because it must not allocate.
func (s *sim) PlayRandom(rng *games.Rand) games.Move {
	var m games.Move
	switch {
	case !s.dice:
		m = games.Move(1 + rng.IntN(int(min(mostTaken, s.coins))))
	case rng.IntN(3) == 0:
		m = rollThree
	default:
		m = rollOther
	}
	s.play(m)
	return m
}

func (s *sim) Payoff(seat games.Seat) float64 {
	if games.Seat(s.winner) == seat {
		return 1
	}
	return 0
}

// Evaluate returns 1 for a player to move who can take the last coins, and 0 for the others. Otherwise all
// remaining players have equal chances.
func (s *sim) Evaluate(seat games.Seat) float64 {
	in := games.AllSeats(int(s.seats)) &^ s.gone
	if !s.dice && s.coins <= mostTaken {
		in = 0
		in.Add(games.Seat(s.turn))
	}
	return in.Payoff(seat)
}
