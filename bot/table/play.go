package table

import (
	"fmt"
	"slices"

	"marque/games"
	"marque/games/computer"
	"marque/games/fair"
	"marque/storage"
)

// begin draws the seats, unless their order is fixed, and starts the match. id is the id of the start; see package
// fair.
func (d *draft) begin(id string) error {
	if id == "" {
		return ErrNoKey
	}
	detail := d.details()
	detail.Invited = nil
	detail.Setup.Seats = len(d.Seats)
	detail.Rules = d.game.Version()
	order, ok := inOrder(d.Seats, detail.Order)
	if !ok && detail.Fixed {
		for i := range d.Seats {
			order = append(order, i)
		}
	}
	d.mix(fair.Input{Kind: fair.Starts, ID: id, Seating: order})
	if order == nil {
		order = fair.Shuffle(detail.Seed, detail.Inputs, len(d.Seats))
	}
	detail.Seating = order
	d.Seats = seatedAs(d.Seats, order)
	m, err := games.NewMatch(d.game, header(d.Head, *detail))
	if err != nil {
		return err
	}
	settings, err := d.settings()
	if err != nil {
		return err
	}
	detail.Hints = settings.Hints
	d.match, detail.Setup = m, m.Header().Setup // an option that is newer than the table has its default value
	d.Status, d.Started = Playing, d.now
	d.add(storage.Started, games.Nobody, "", "")
	return d.advance()
}

// play plays a move or a chance outcome, and adds its event.
func (d *draft) play(kind storage.Kind, move games.Move) error {
	if err := d.match.Play(move); err != nil {
		return err
	}
	e := d.match.Log()[d.match.Len()-1]
	d.add(kind, e.Seat, "", e.Text)
	if kind == storage.Played {
		d.events[len(d.events)-1].Interaction = cameWith(d)
	}
	d.lapse()
	return nil
}

// advance plays everything that needs no decision: dice and cards, drawn from the table's secret, and forced moves. It
// ends the table if the match is over.
func (d *draft) advance() error {
	for n := 0; !d.match.Over(); n++ {
		if n == maxUnasked {
			return fmt.Errorf("%s: %d plays in a row that nobody decided", d.Game, n)
		}
		kind := storage.Drew
		var move games.Move
		if d.match.ToMove() == games.Chance {
			move = draw(d.match, d.seen().Seed)
		} else {
			forced, ok := games.Forced(d.match.State())
			if !ok {
				return nil
			}
			kind, move = storage.Forced, forced
		}
		if err := d.play(kind, move); err != nil {
			return err
		}
	}
	return d.end(d.match.Ending())
}

// end ends the table. If the match is already over, how is its Ending: NotEnded after an end by the rules, and Resigned
// after the last resignation. Otherwise how tells whether the match is drawn by agreement or abandoned.
func (d *draft) end(how games.Ending) error {
	if d.match != nil && !d.match.Over() {
		if err := d.match.End(how); err != nil {
			return err
		}
	}
	d.Status, d.Ending = Over, how
	d.Proposal, d.Due, d.Open, d.Stays, d.Paused = Proposal{}, nil, 0, 0, ""
	d.add(storage.Ended, games.Nobody, d.endedBy, string(how))
	if d.match == nil {
		return nil
	}
	r := d.match.Result()
	d.result = &storage.Result{
		Game: d.Game, Guild: d.Guild, Setup: d.seen().Setup, Seats: d.Seats,
		Winners: r.Winners, Drawn: r.Drawn, Scores: r.Scores, Ending: how,
		Plays: d.match.Len(), Turns: d.match.Turn(d.match.Len()), Started: d.Started, Ended: d.now,
		DecidedFew: decidedFew(d.match, d.Seats), Stayed: stayed(d.match, d.game.Traits().Usual, d.Seats),
	}
	d.result.Unrated = d.seen().Unrated || helped(*d.result, d.seen().Hinted)
	if d.result.Computers() {
		d.result.ComputerVersion = computer.Version
	}
	return nil
}

// decidedFew returns the seats, as bits, that have made fewer than storage.LeastDecisions decisions, except computers'
// seats.
func decidedFew(m *games.Match, seats []Occupant) (bits uint64) {
	decided := make([]int, len(seats))
	for i, e := range m.Log() {
		if _, forced := games.Forced(m.At(i)); e.Seat >= 0 && e.Text != games.Resigns && !forced {
			decided[e.Seat]++
		}
	}
	for seat, n := range decided {
		if n < storage.LeastDecisions && seats[seat].Computer == "" {
			bits |= 1 << uint(seat)
		}
	}
	return bits
}

// maxUnasked is the maximum number of consecutive plays without a player's decision. Correct games stay far below it. A
// game that reaches it has a bug.
const maxUnasked = 10_000

// inOrder returns, for each seat, the index in came of the player who gets it, if the players sit in the given order.
// It returns false if order lists other people than came.
func inOrder(came []Occupant, order []string) ([]int, bool) {
	if len(order) != len(came) {
		return nil, false
	}
	var numbers []int
	for _, u := range order {
		for i, o := range came {
			if o.User == u && !slices.Contains(numbers, i) {
				numbers = append(numbers, i)
				break
			}
		}
	}
	if len(numbers) < len(came) {
		return nil, false
	}
	return numbers, true
}

// seatedAs returns the players of came indexed by seat.
func seatedAs(came []Occupant, seating []int) []Occupant {
	seats := make([]Occupant, len(came))
	for seat, number := range seating {
		seats[seat] = came[number]
	}
	return seats
}
