package table

import (
	"context"
	"slices"

	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// Join seats the actor at a table that has not started. It returns ErrNoKey, ErrStarted, ErrOver, ErrJoined, ErrFull,
// ErrKept, ErrLacking, ErrRestless or ErrLimit.
func (s *Service) Join(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.JoinAs(ctx, by, id, 0)
}

// JoinAs does the same as Join for an actor who saw the options of version seen, which is a Head.Board; 0 if it is
// unknown. It returns storage.ErrStale if the options have changed since.
func (s *Service) JoinAs(ctx context.Context, by Actor, id ID, seen uint64) (*Snapshot, error) {
	if by.Key == "" {
		return nil, ErrNoKey
	}
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if err := d.lobby(); err != nil {
			return err
		}
		detail := d.details()
		invited := slices.Index(detail.Invited, by.User)
		switch {
		case d.Seat(by.User) >= 0:
			return refuseJoined()
		case seen != 0 && seen != d.Board:
			return Refuse(storage.ErrStale, text.M("table.error.options-changed"))
		case len(detail.Inputs) >= maxInputs:
			return restless()
		case len(d.Seats) >= d.Most:
			return refuseFull()
		case invited < 0 && len(d.Seats)+len(detail.Invited) >= d.Most:
			return refuseKept(len(detail.Invited))
		}
		if invited < 0 {
			if err := s.admission.admits(ctx, by, d.Guild, d.game, detail.Asks); err != nil {
				return err
			}
		}
		if err := d.sitsDown(); err != nil {
			return err
		}
		if invited >= 0 {
			detail.Invited = slices.Delete(detail.Invited, invited, invited+1)
		}
		d.Seats = append(d.Seats, Occupant{User: by.User, Name: by.Name})
		d.mix(fair.Input{Kind: fair.Joins, ID: by.Key})
		d.addNamed(storage.Joined, games.Nobody, by.User, by.Name)
		if detail.WhenFull && len(d.Seats) == d.Most {
			return d.begin(by.Key)
		}
		return nil
	})
}

// Leave removes the actor from a table that has not started, or declines their invitation. If the host leaves, the
// first remaining person becomes the host. If no person is left, the table is over. It returns ErrStarted, ErrOver or
// ErrNotSeated. Players leave a game that has started with Resign.
func (s *Service) Leave(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if err := d.lobby(); err != nil {
			return err
		}
		detail := d.details()
		if i := slices.Index(detail.Invited, by.User); i >= 0 {
			detail.Invited = slices.Delete(detail.Invited, i, i+1)
			d.addNamed(storage.Refused, games.Nobody, by.User, by.Name)
			return nil
		}
		seat, err := d.seat()
		if err != nil {
			return err
		}
		return d.leaveLobby(fair.Leaves, seat)
	})
}

// Begin starts the game with the players who have joined. Only the host or a moderator may do so. It returns
// ErrStarted, ErrOver, ErrNotAllowed, ErrTooFew or ErrNoKey.
func (s *Service) Begin(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if err := d.lobby(); err != nil {
			return err
		}
		if err := d.may(StartGame); err != nil {
			return err
		}
		if len(d.Seats) < d.Least {
			return Refuse(ErrTooFew, text.M("table.error.too-few", "Count", d.Least, "Have", len(d.Seats)))
		}
		d.moderates(StartGame)
		return d.begin(by.Key)
	})
}

// Move plays a move for the actor, written in the game's notation. It then plays everything that needs no decision:
// dice, cards, forced moves. seen is the version of the table that the player saw; 0 if it is unknown. It returns
// ErrNotStarted, ErrOver, ErrNotSeated, storage.ErrStale, ErrOut, ErrPaused, ErrNotYourTurn or a *games.ParseError.
func (s *Service) Move(ctx context.Context, by Actor, id ID, notation string, seen uint64) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.player()
		if err != nil {
			return err
		}
		if seen != 0 && seen < d.Board {
			return refuseStale()
		}
		if d.ToMove != seat {
			return refuseNotYourTurn(d.ToMove)
		}
		move, err := games.NewMenu(d.match.State()).Parse(notation)
		if err != nil {
			return err
		}
		return d.decide(seat, move)
	})
}

// Resign takes the actor out of a game that has started. It returns ErrNotStarted, ErrOver, ErrNotSeated, ErrOut or
// ErrPaused.
func (s *Service) Resign(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.player()
		if err != nil {
			return err
		}
		return d.resign(seat)
	})
}

// Propose asks the other players to agree to a Draw, to Abandon the game, or to Undo the actor's last move (undo.go
// lists when an undo needs no agreement). If the same proposal is already open, the actor agrees to it. The
// proposal is carried out when everybody who is asked agrees. A move by a player who has not agreed declines it.
// Propose returns ErrNotStarted, ErrOver, ErrNotSeated, ErrOut, ErrPaused, ErrNoProposal for another kind,
// ErrAgreed, ErrOtherProposal, ErrNoUndo, ErrAlone for a draw to which nobody else could agree, ErrDeclined for a
// draw that a computer player has recently declined, or ErrStaked for Abandon in a game that can only be resigned.
func (s *Service) Propose(ctx context.Context, by Actor, id ID, kind ProposalKind) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.player()
		if err != nil {
			return err
		}
		switch {
		case kind == Undo && d.Proposal.Kind == storage.NoProposal:
			return d.undo(seat)
		case kind != Draw && kind != Abandon && kind != Undo:
			return refuseNoProposal()
		case kind == Abandon && d.snapshot().Staked():
			return refuseStaked(d.Head)
		case d.Proposal.Kind == kind:
			return d.accept(seat)
		case d.Proposal.Kind != storage.NoProposal:
			return refuseOtherProposal(d.Proposal.By, seat)
		case kind == Draw && d.Plays < d.DrawAsk && hasComputers(d):
			return Refuse(ErrDeclined, text.M("table.error.draw-declined"))
		case kind == Draw && aloneInDraw(d):
			return Refuse(ErrAlone, text.M("table.error.draw-alone"))
		}
		d.Proposal = Proposal{Kind: kind, By: seat, Agreed: 1 << uint(seat), Asked: d.Version + 1}
		d.add(storage.Proposed, seat, "", string(kind))
		return d.agree()
	})
}

// Accept agrees to the proposal that was open at version seen of the table; 0 if the version is unknown. It returns the
// errors of Propose, ErrNoProposal, or ErrOtherProposal if another proposal has replaced it.
func (s *Service) Accept(ctx context.Context, by Actor, id ID, kind ProposalKind, seen uint64) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.proposal(kind, seen)
		if err != nil {
			return err
		}
		return d.accept(seat)
	})
}

// Decline rejects a proposal. It returns the errors of Accept, or ErrAgreed for a player who has agreed or is not
// asked. The player who made the proposal can Withdraw it.
func (s *Service) Decline(ctx context.Context, by Actor, id ID, kind ProposalKind, seen uint64) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.proposal(kind, seen)
		if err != nil {
			return err
		}
		if d.Proposal.Has(seat) {
			return refuseAgreed()
		}
		d.add(storage.Declined, seat, "", string(kind))
		d.Proposal = Proposal{}
		return nil
	})
}

// Withdraw takes back the actor's own proposal. It returns the errors of Accept, or ErrNotProposer.
func (s *Service) Withdraw(ctx context.Context, by Actor, id ID, kind ProposalKind, seen uint64) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.proposal(kind, seen)
		if err != nil {
			return err
		}
		if d.Proposal.By != seat {
			return Refuse(ErrNotProposer, text.M("table.error.not-proposer", "Who", text.Player(d.Proposal.By)))
		}
		d.add(storage.Withdrew, seat, "", string(kind))
		d.Proposal = Proposal{}
		return nil
	})
}

// Abandon ends a table immediately and without a result. The host may abandon a table that has not started, and a
// moderator any table. The players of a running game Propose it to each other, even if they are moderators. It returns
// ErrOver, ErrNotAllowed, or ErrPlaysHere for a moderator who has, or had, a seat in the game or has something at stake
// in it.
func (s *Service) Abandon(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if d.Status == Over {
			return refuseOver(d.match)
		}
		act := EndGame
		if d.Status == Lobby {
			act = CloseTable
		}
		if err := d.may(act); err != nil {
			return err
		}
		if err := impartial(d, "table.error.plays-end"); err != nil {
			return err
		}
		d.moderates(act)
		d.endedBy = by.User
		return d.end(games.Abandoned)
	})
}

// Rehouse moves a table that is not over to another channel or thread. A game that was paused because its channel was
// gone is resumed. The host or a moderator may do so. It returns ErrOver or ErrNotAllowed.
func (s *Service) Rehouse(ctx context.Context, by Actor, id ID, channel string) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if d.Status == Over {
			return refuseOver(d.match)
		}
		if err := d.may(MoveTable); err != nil {
			return err
		}
		if d.Channel == channel {
			return nil
		}
		d.moderates(MoveTable)
		d.rehouse(channel)
		return nil
	})
}

// PlayerSeat returns the seat of an actor who is still in a running game. It returns ErrOver, ErrNotSeated,
// ErrNotStarted, ErrOut or ErrPaused.
func (s *Service) PlayerSeat(ctx context.Context, by Actor, snap *Snapshot) (games.Seat, error) {
	return newDraft(ctx, by, snap, s.tables.now()).player()
}

// LeavePlan stores a line of conditional moves for the actor's seat. seen is the version of the table that the player
// saw; 0 if it is unknown. It returns the errors of ReadPlan, storage.ErrStale, or the errors of Resign.
func (s *Service) LeavePlan(ctx context.Context, by Actor, id ID, line string, seen uint64) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.player()
		if err != nil {
			return err
		}
		if seen != 0 && seen < d.Board {
			return refuseStale()
		}
		p, err := d.before.ReadPlan(seat, line)
		if err != nil {
			return err
		}
		detail := d.details()
		own := 0
		for _, o := range detail.Plans {
			if o.Seat == seat {
				own++
			}
		}
		if own >= maxPlans {
			return Refuse(ErrNoPlan, text.M("table.error.plan-many", "Count", maxPlans))
		}
		detail.Plans = append(slices.Clone(detail.Plans), storage.Plan{Seat: seat, From: d.match.Len(), Line: p.Plays})
		d.keep = keepAll
		return nil
	})
}

// DropPlans deletes all conditional moves of the actor's seat. It returns the errors of Resign.
func (s *Service) DropPlans(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.player()
		if err != nil {
			return err
		}
		detail := d.details()
		detail.Plans = slices.DeleteFunc(slices.Clone(detail.Plans), func(p storage.Plan) bool {
			return p.Seat == seat
		})
		d.keep = keepAll
		return nil
	})
}

// Act counts an act of a user that notifies others at a place outside the tables, such as a competition. It returns
// ErrTooSoon if there were too many acts.
func (s *Service) Act(by Actor, place string) error { return s.tables.act(by.User, place, 1) }
