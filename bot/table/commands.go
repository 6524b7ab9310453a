package table

import (
	"context"
	"errors"
	"slices"

	"marque/bot/table/clock"
	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// Opening is a new table.
type Opening struct {
	Game    string          // key of the game
	Options []games.Setting // what is not set has the game's default
	// Seats is the number of players; 0 for as many as the host and those invited, or, when nobody
	// is invited, as many as come.
	Seats   int
	Invited []string // users for whom a seat is kept
	// Computers take seats at once.
	Computers []ComputerPlayer
	// Guild is "" for a table in the direct messages of the actor and the bot: all others there are computers, and its
	// result counts nowhere.
	Guild   string
	Channel string
	// WhenFull starts the game by itself when the last seat is taken.
	WhenFull bool
	// Fixed seats the players in the order of joining instead of by lot.
	Fixed bool
	// Unrated keeps the result off all leaderboards.
	Unrated bool
	// Resign lets a computer player that is lost resign.
	Resign bool
	// Clock is the time for moves; its zero value is none.
	Clock storage.ClockRule
	// Asks are the conditions for those who join without being invited.
	Asks Conditions
	// Order lists the users as they will sit if they all come; nil to leave it to Fixed.
	Order []string
	// Rematch is the table of which this is a rematch; 0 for none.
	Rematch ID
	// Alone opens the table only where no other goes on in the channel.
	Alone bool
	// Card is the message about a table that has a thread of its own; zero for none.
	Card storage.Card
}

// Open opens a table; the actor is its host and first player. Of several rematches of one table
// that are asked for at once, by whomever, the first is opened, and the others return it. It
// returns ErrNoServer, ErrNoGame, ErrTooMany, ErrInvitedTwice, ErrNoLevel, ErrNoClock, ErrLimit,
// ErrNotInvitable, ErrChannelBusy or a *games.SetupError. A rematch keeps no seat for who has blocked
// the actor.
func (s *Service) Open(ctx context.Context, by Actor, o Opening) (*Snapshot, error) {
	snap, opened, err := s.open(ctx, by, o)
	if err != nil || !opened || !o.WhenFull || len(snap.Seats) != snap.Most {
		return snap, err
	}
	// Nobody is awaited. Should it fail, the host can start the table that is open.
	begun, err := s.begin(ctx, Actor{User: by.User, Name: by.Name}, snap.ID, by.Key)
	if err != nil {
		s.tables.logged(ctx, "a table that is full could not be started", snap.ID, err)
		return snap, nil
	}
	return begun, nil
}

// open reports whether the table was opened by this call.
func (s *Service) open(ctx context.Context, by Actor, o Opening) (snap *Snapshot, opened bool, err error) {
	if err := s.tables.gate.enter(); err != nil {
		return nil, false, err
	}
	defer s.tables.gate.leave()
	if by.Key == "" {
		return nil, false, ErrNoKey
	}
	key, there, err := s.openedBefore(ctx, by, o.Rematch, s.tables.now())
	if err != nil || there != nil {
		return there, false, err
	}
	g, setup, err := s.check(by, &o)
	if err != nil {
		return nil, false, err
	}
	limits, err := s.checkLimits(ctx, by, &o)
	if err != nil {
		return nil, false, err
	}
	return s.tables.create(ctx, by, g, key, func(d *draft) error {
		s.furnish(d, by, g, setup, o)
		d.limits = limits
		return nil
	})
}

// furnish makes a draft the new table of the actor.
func (s *Service) furnish(d *draft, by Actor, g games.Game, setup games.Setup, o Opening) {
	least, most := g.Seats()
	if o.Seats != 0 {
		least, most = o.Seats, o.Seats
	}
	d.Head = Head{
		Game: g.Key(), Guild: o.Guild, Channel: o.Channel, Host: by.User, Least: least, Most: most,
		Seats: []Occupant{{User: by.User, Name: by.Name}}, ToMove: games.Nobody, Opened: d.now,
		Timing: storage.Timing{Rule: o.Clock}, Rematch: o.Rematch, Card: o.Card,
	}
	d.detail = &storage.Detail{
		Setup: setup, Rules: g.Version(), Seed: s.newSeed(), Fairness: fair.Version,
		Invited: slices.Clone(o.Invited), Order: slices.Clone(o.Order),
		WhenFull: o.WhenFull, Fixed: o.Fixed, Unrated: o.Unrated, Resign: o.Resign, Asks: o.Asks,
	}
	d.first = o.Alone
	d.addNamed(storage.Opened, games.Nobody, by.User, by.Name)
	d.mix(fair.Input{Kind: fair.Opens, ID: by.Key})
	for _, c := range o.Computers {
		d.seatComputer(c, by.Key)
	}
}

// openedBefore is the table that the command has opened already; nil when it has not, with the key
// under which it does. A rematch has its key from the old table, so that the store lets one be
// opened, and from those that were opened before and are over.
func (s *Service) openedBefore(ctx context.Context, by Actor, rematch ID,
	now Stamp) (key string, there *Snapshot, err error) {
	key = by.Key
	if rematch != 0 {
		key = "rematch-" + rematch.String()
	}
	for {
		done, err := s.tables.store.Done(ctx, 0, key, now)
		if err != nil || done == nil {
			return key, nil, err
		}
		there, err := s.tables.Snapshot(ctx, done.Table)
		if gone := errors.Is(err, storage.ErrNoTable) || err == nil && there.Status == Over; rematch == 0 || !gone {
			return key, there, err
		}
		key = "rematch-" + rematch.String() + "-" + done.Table.String()
	}
}

// Check reports why Open would refuse such a table; nil when it would not. It returns ErrNoServer,
// ErrNoGame, ErrTooMany, ErrInvitedTwice, ErrNoLevel, ErrNoClock, ErrLimit, ErrNotInvitable or a
// *games.SetupError.
func (s *Service) Check(ctx context.Context, by Actor, o Opening) error {
	if _, _, err := s.check(by, &o); err != nil {
		return err
	}
	_, err := s.checkLimits(ctx, by, &o)
	return err
}

// check also fills in the number of seats where those who are known say it.
func (s *Service) check(by Actor, o *Opening) (games.Game, games.Setup, error) {
	g, ok := s.tables.games(o.Game)
	if !ok {
		return nil, games.Setup{}, Refuse(ErrNoGame, text.M("table.error.no-game", "Game", o.Game))
	}
	_, most := g.Seats()
	known := 1 + len(o.Invited) + len(o.Computers)
	if o.Guild == "" {
		if len(o.Invited) > 0 || known == 1 || known < o.Seats {
			return nil, games.Setup{}, Refuse(ErrNoServer, text.M("table.error.no-server"))
		}
		o.Unrated = true
	}
	if o.Seats == 0 && known > most {
		return nil, games.Setup{}, Refuse(ErrTooMany, text.M("table.error.too-many-named", "Game", g.Info().Name,
			"Count", most, "Named", known-1))
	}
	if o.Seats == 0 && known > 1 {
		o.Seats = known
	}
	if o.Seats != 0 {
		most = o.Seats
	}
	setup, err := games.NewSetup(g, most, o.Options...)
	if err != nil {
		return nil, games.Setup{}, err
	}
	if known > most {
		return nil, games.Setup{}, Refuse(ErrTooMany, text.M("table.error.too-many", "Count", most, "Invited", known-1))
	}
	for i, u := range o.Invited {
		if u == by.User || slices.Contains(o.Invited[:i], u) {
			return nil, games.Setup{}, Refuse(ErrInvitedTwice, text.M("table.error.invited-twice"))
		}
	}
	for _, c := range o.Computers {
		if err := s.checkLevel(c.Level); err != nil {
			return nil, games.Setup{}, err
		}
	}
	if !clock.Valid(o.Clock) {
		return nil, games.Setup{}, Refuse(ErrNoClock, text.M("table.error.no-clock"))
	}
	return g, setup, nil
}

// Join seats the actor at a table that has not started. It returns ErrStarted, ErrOver, ErrJoined,
// ErrFull, ErrKept, ErrLacking, ErrRestless or ErrLimit.
func (s *Service) Join(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
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
		case len(detail.Inputs) >= maxInputs:
			return restless()
		case len(d.Seats) >= d.Most:
			return refuseFull()
		case invited < 0 && len(d.Seats)+len(detail.Invited) >= d.Most:
			return refuseKept(len(detail.Invited))
		}
		if invited < 0 {
			if err := s.doors.admits(ctx, by, d.Guild, d.game, detail.Asks); err != nil {
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

// Leave takes the actor from a table that has not started, or declines their invitation. When the
// host leaves, the player who joined first after them becomes host; when nobody is left, the table is over. It
// returns ErrStarted, ErrOver or ErrNotSeated. A game that has started is left with Resign.
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

// Begin starts the game with those who have joined. Only the host, or a moderator, may. It returns
// ErrStarted, ErrOver, ErrNotAllowed or ErrTooFew.
func (s *Service) Begin(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.begin(ctx, by, id, by.Key)
}

// begin is Begin by an interaction that may have done something before.
func (s *Service) begin(ctx context.Context, by Actor, id ID, interaction string) (*Snapshot, error) {
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
		return d.begin(interaction)
	})
}

// Move plays the move that notation spells for the actor, then everything that needs no decision:
// dice, cards, forced moves. seen is the version of the table that the player was looking at, 0
// when that is not known. It returns ErrNotStarted, ErrOver, ErrNotSeated, storage.ErrStale, ErrOut,
// ErrNotYourTurn or a *games.ParseError.
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
		if err := d.play(storage.Played, move); err != nil {
			return err
		}
		if err := d.advance(); err != nil {
			return err
		}
		d.movedOn(seat)
		return nil
	})
}

// Resign takes the actor out of a game that has started. It returns ErrNotStarted, ErrOver,
// ErrNotSeated or ErrOut.
func (s *Service) Resign(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.player()
		if err != nil {
			return err
		}
		return d.resign(seat)
	})
}

// Propose asks the others to agree to a Draw, to Abandon the game, or to Undo the actor's last move
// (see Undo's file for when nobody need be asked); when the same stands already, it agrees. It is
// carried out when all who are still in agree. A move by a player who has not agreed declines. It returns
// ErrNotStarted, ErrOver, ErrNotSeated, ErrOut, ErrAgreed, ErrOtherProposal, ErrAlone for a
// draw to which nobody else could agree, ErrDeclined for one that a computer player has declined
// just now, or ErrStaked for a game that can only be resigned.
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
			return Refuse(ErrDeclined, text.M("table.error.draw-declined", "Count", d.DrawAsk-d.Plays))
		case kind == Draw && aloneInDraw(d):
			return Refuse(ErrAlone, text.M("table.error.draw-alone"))
		}
		d.Proposal = Proposal{Kind: kind, By: seat, Agreed: 1 << uint(seat), Asked: d.Version + 1}
		d.add(storage.Proposed, seat, "", string(kind))
		return d.agree()
	})
}

// Accept agrees to what was proposed, as it stood in version seen of the table, 0 when that is not
// known. It returns the errors of Propose, ErrNoProposal, or ErrOtherProposal when something else
// is asked by now.
func (s *Service) Accept(ctx context.Context, by Actor, id ID, kind ProposalKind, seen uint64) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		seat, err := d.proposal(kind, seen)
		if err != nil {
			return err
		}
		return d.accept(seat)
	})
}

// Decline takes what was proposed off the table. It returns the errors of Accept; ErrAgreed for who
// has agreed, who may Withdraw if they proposed it.
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

// Withdraw takes one's own proposal back. It returns the errors of Accept, or ErrNotProposer.
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

// Abandon ends a table without a result, at once: a lobby by its host, any table by a moderator.
// Players of a game that has started Propose it to each other, and so do moderators among them. It
// returns ErrOver, ErrNotAllowed or ErrPlaysHere.
func (s *Service) Abandon(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if d.Status == Over {
			return refuseOver()
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

// Rehouse moves a table to another channel or thread: the host or a moderator may, while the table
// goes on. It returns ErrOver or ErrNotAllowed.
func (s *Service) Rehouse(ctx context.Context, by Actor, id ID, channel string) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if d.Status == Over {
			return refuseOver()
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

// rehouse has the table go on in another channel or thread.
func (d *draft) rehouse(channel string) {
	d.Channel = channel
	d.add(storage.Rehoused, games.Nobody, d.by.User, channel)
	if d.Paused == storage.PausedChannelGone {
		d.resume()
	}
}

// inOrder seats the players as order lists them, if they are the same: for each seat, the
// number of its player in the order of coming.
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
	return numbers, len(numbers) == len(came)
}

// seatedAs are the players by seat.
func seatedAs(came []Occupant, seating []int) []Occupant {
	seats := make([]Occupant, len(came))
	for seat, number := range seating {
		seats[seat] = came[number]
	}
	return seats
}
