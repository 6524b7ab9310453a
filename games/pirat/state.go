// Package pirat implements All against All (Pirat) according to docs/rules/pirat.md (PI-1 to PI-11).
//
// If a player leaves a game of three or more, the player's hand leaves the game face up, and the ships and attacks stay
// on the table. The other players continue (PI-11; the published rules do not cover this case).
package pirat

import (
	"encoding/json"
	"math/rand/v2"

	"marque/games"
	"marque/games/text"
)

// state is a position as a value. A masked state has only the hands that its viewer knows.
type state struct{ pos position }

var (
	_ games.State             = state{}
	_ games.Withdrawer        = state{}
	_ games.CombinedDescriber = state{}
)

func (s state) ToMove() games.Seat { return s.pos.toMove() }

func (s state) Moves() []games.Move { return s.pos.appendMoves(nil) }

func (s state) Outcomes() []games.Outcome { return s.pos.appendOutcomes(nil) }

func (s state) Apply(m games.Move) games.State {
	s.pos = s.holding(m)
	s.pos.apply(m)
	return s
}

// holding returns the position with the card of m in the player's hand. A viewer to whom the hand is hidden sees that
// card now.
func (s state) holding(m games.Move) position {
	p := s.pos
	if o, _, k := parts(m); o != draw && o != deal && p.hands[p.turn].count(k) == 0 {
		p.hands[p.turn] += units[k]
	}
	return p
}

// Forced returns the draw of a seat with an empty hand (PI-3), which everybody can foresee, because the sizes of hands
// are public.
func (s state) Forced() (games.Move, bool) {
	if s.pos.phase == playing && s.pos.sizes[s.pos.turn] == 0 {
		return move(draw, 0, 0), true
	}
	return 0, false
}

func (s state) Withdraw(seat games.Seat) games.State {
	s.pos.withdraw(int8(seat))
	return s
}

func (s state) Result() games.Result {
	if s.pos.phase != over {
		return games.Result{}
	}
	r := games.Result{Winners: s.pos.winners().Seats(), Scores: make([]int, s.pos.seats)}
	for seat := range r.Scores {
		r.Scores[seat] = s.pos.total(seat)
	}
	var empty []text.Message
	for seat := range int8(s.pos.seats) {
		if s.pos.sizes[seat] == 0 && s.pos.isIn(seat) {
			empty = append(empty, player(seat))
		}
	}
	r.Why = text.M("pirat.why.end", "Empty", empty, "Count", len(empty))
	return r
}

// Mask removes the hands of the other players. After the end of the game hands are public, because they count (PI-10).
func (s state) Mask(viewer games.Seat) games.State {
	if s.pos.phase == over {
		return s
	}
	masked := s
	masked.pos.hands = [mostSeats]cards{}
	if viewer >= 0 {
		masked.pos.hands[viewer] = s.pos.hands[viewer]
	}
	return masked
}

// MaskMove hides a card that is dealt to another seat. Everything else is public.
func (s state) MaskMove(m games.Move, viewer games.Seat) games.Move {
	if o, _, _ := parts(m); o == deal && games.Seat(s.pos.turn) != viewer {
		return move(deal, 0, unknown)
	}
	return m
}

// Sample deals the hands of the other players from the cards that the viewer has not seen. Every deal is possible,
// because players never have to show that they lack a card.
func (s state) Sample(viewer games.Seat, rng *rand.Rand) games.State {
	s.pos.redeal(viewer, rng.IntN)
	return s
}

func (s state) Sim() games.Sim { return &sim{s.pos} }

// The JSON form of a position.
type (
	jsonPosition struct {
		Seats    int        `json:"seats"`
		Phase    string     `json:"phase"` // "deal", "play", "draw", "over"
		Turn     int        `json:"turn"`  // seat to move, or the seat that receives a card
		Stack    int        `json:"stack"` // number of cards in the stack
		Hands    []jsonHand `json:"hands"` // hands of each seat
		Gold     []int      `json:"gold"`  // gold scored by each seat
		Launched int        `json:"launched"`
		Ships    []jsonShip `json:"ships"` // ships in play
		Seen     []string   `json:"seen"`  // all cards that were ever face up, in play or not
		Out      []int      `json:"out,omitempty"`
	}
	jsonHand struct {
		Size  int      `json:"size"`
		Cards []string `json:"cards,omitempty"` // absent if the hand is unknown or empty
	}
	jsonShip struct {
		Ship    string       `json:"ship"` // name of the ship, such as "S3"
		Gold    int          `json:"gold"`
		Seat    int          `json:"seat"` // seat that launched the ship
		Attacks []jsonAttack `json:"attacks"`
	}
	jsonAttack struct {
		Seat   int    `json:"seat"`
		Color  string `json:"color"`
		Skulls int    `json:"skulls"`
		Pirate int    `json:"pirate,omitempty"` // 1 for the first pirate on this ship, 2 for the second, and so on
	}
)

var phaseNames = [...]string{dealing: "deal", playing: "play", drawing: "draw", over: "over"}

func (s state) MarshalJSON() ([]byte, error) {
	p := &s.pos
	j := jsonPosition{
		Seats:    int(p.seats),
		Phase:    phaseNames[p.phase],
		Turn:     int(p.turn),
		Stack:    int(p.stack),
		Launched: int(p.launched),
		Ships:    []jsonShip{},
		Seen:     notations(p.seen),
	}
	for seat := range int(p.seats) {
		j.Hands = append(j.Hands, jsonHand{Size: int(p.sizes[seat]), Cards: notations(p.hands[seat])})
		j.Gold = append(j.Gold, int(p.gold[seat]))
		if !p.isIn(int8(seat)) {
			j.Out = append(j.Out, seat)
		}
	}
	for _, i := range p.inPlay() {
		sh := &p.ships[i]
		js := jsonShip{Ship: shipName(i), Gold: int(sh.value), Seat: int(sh.owner), Attacks: []jsonAttack{}}
		for _, seat := range sh.attackers() {
			js.Attacks = append(js.Attacks, jsonAttack{seat, colorNames[sh.colorOf(seat)], sh.skulls(seat),
				sh.pirate(seat)})
		}
		j.Ships = append(j.Ships, js)
	}
	return json.Marshal(j)
}

// notations returns cards in the notation of the rules, in the order of kinds.
func notations(w cards) []string {
	names := []string{}
	for _, k := range w.list() {
		names = append(names, k.String())
	}
	return names
}
