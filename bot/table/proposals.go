package table

import (
	"time"

	"marque/games"
	"marque/storage"
)

// accept records that a seat agrees to the proposal.
func (d *draft) accept(seat games.Seat) error {
	switch {
	case d.Proposal.Has(seat):
		return refuseAgreed()
	case d.Proposal.Kind == Abandon && d.snapshot().Staked(): // a person has moved since the proposal was made
		return refuseStaked(d.Head)
	}
	d.Proposal.Agreed |= 1 << uint(seat)
	d.add(storage.Agreed, seat, "", string(d.Proposal.Kind))
	return d.agree()
}

// agree carries out a proposal if all seats that are asked about it agree, unless it abandons a staked game, or is a
// draw that only one seat can answer (aloneInDraw). Computers decide about draws only; all other proposals are left
// to the people.
func (d *draft) agree() error {
	if d.Proposal.Kind == storage.NoProposal || d.Proposal.Kind == Abandon && d.snapshot().Staked() {
		return nil
	}
	for _, seat := range d.match.StillIn() {
		if isAsked(d.Seats[seat], d.Proposal.Kind) && !d.Proposal.Has(seat) {
			return nil
		}
	}
	if d.Proposal.Kind == Draw && aloneInDraw(d) {
		return nil // the offer stays open until somebody takes the seat
	}
	switch d.Proposal.Kind {
	case Draw:
		return d.end(games.Agreed)
	case Undo:
		return d.takeBack(d.Proposal.By)
	}
	return d.end(games.Abandoned)
}

// aloneInDraw reports whether at most one seat is asked about a draw, while another seat that is still in the game has
// no holder. Two players must agree to a draw, because it counts for everybody.
func aloneInDraw(d *draft) bool {
	in, asked := d.match.StillIn(), 0
	for _, seat := range in {
		if isAsked(d.Seats[seat], Draw) {
			asked++
		}
	}
	return asked < 2 && asked < len(in)
}

// resign takes a seat out of the game.
func (d *draft) resign(seat games.Seat) error {
	if err := d.match.Resign(seat); err != nil {
		return err
	}
	d.add(storage.Resigned, seat, "", "")
	d.events[len(d.events)-1].Interaction = cameWith(d)
	d.lapse()
	return d.carryOn()
}

// carryOn plays what needs no decision after a play. If the table has not ended, carryOn then ends the offers of
// seats that are out of the game and drops their proposal. Last, it calls agree, because the others may have agreed
// to the proposal.
func (d *draft) carryOn() error {
	if err := d.advance(); err != nil || d.Status == Over {
		return err
	}
	for i := range d.Seats {
		if seat := games.Seat(i); !d.match.In(seat) {
			d.unoffer(seat)
			if d.Proposal.By == seat {
				d.Proposal = Proposal{}
			}
		}
	}
	return d.agree()
}

// decide plays a player's own move and the plays that follow from it. It drops proposals to which the player did
// not agree, and a proposal to abandon a game that can now only be resigned.
func (d *draft) decide(seat games.Seat, move games.Move) error {
	if err := d.play(storage.Played, move); err != nil {
		return err
	}
	if err := d.carryOn(); err != nil {
		return err
	}
	p := d.Proposal
	if d.Status == Over || p.Kind == storage.NoProposal || p.Has(seat) &&
		(p.Kind != Abandon || !d.snapshot().Staked()) {
		return nil
	}
	kind := storage.Declined
	if p.By == seat {
		kind = storage.Withdrew
	}
	d.add(kind, seat, "", string(p.Kind))
	d.Proposal = Proposal{}
	return nil
}

// undo takes back the last decision of a seat, or asks the other players to agree to that. It returns ErrNoUndo if
// that decision cannot be taken back.
func (d *draft) undo(seat games.Seat) error {
	from, err := lastDecision(d.match, seat)
	if err != nil {
		return err
	}
	settings, err := d.settings()
	if err != nil {
		return err
	}
	asked := concerned(d.Head, d.match, seat, from)
	alone := nobodyElse(d.match, seat, from)
	fresh := time.Duration(d.now-d.Timing.Turn)*time.Millisecond <= settings.UndoTime()
	if asked == 0 || alone && fresh {
		return d.takeBack(seat)
	}
	d.Proposal = Proposal{Kind: Undo, By: seat, Agreed: ^asked, Asked: d.Version + 1}
	d.add(storage.Proposed, seat, "", string(Undo))
	return d.agree()
}
