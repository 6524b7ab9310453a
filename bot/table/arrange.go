package table

import (
	"context"
	"fmt"
	"slices"

	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// maxLobbyEvents is the number of events of a table after which nobody can change options or invite users before the
// start. Otherwise users could do so forever.
const maxLobbyEvents = 200

// ChooseOption changes one of the game's options at a table that has not started. The host or a moderator may do so.
// The other players are asked to join again, because they had agreed to other options. If the actor has no seat, the
// host keeps theirs. It returns ErrStarted, ErrOver, ErrNotAllowed, ErrRestless or a *games.SetupError.
//
// Nobody can use options to pick a favourable deal, because the game starts later, and the id of the interaction that
// starts it is mixed into every draw.
func (s *Service) ChooseOption(ctx context.Context, by Actor, id ID, o games.Setting) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if err := arranges(d, ChangeOptions); err != nil {
			return err
		}
		setup := d.seen().Setup
		after, err := games.NewSetup(d.game, setup.Seats, append(slices.Clone(setup.Options), o)...)
		if err != nil {
			return err
		}
		if slices.Equal(after.Options, setup.Options) {
			return nil
		}
		d.details().Setup = after
		return d.choose(o.Key + " " + o.Value)
	})
}

// choose records that the actor has chosen an option. All other people lose their seats, because they had agreed to
// other options. The seats stay reserved for them. If the actor has no seat, the host keeps theirs.
func (d *draft) choose(what string) error {
	detail := d.details()
	if d.Events >= maxLobbyEvents || len(detail.Inputs)+len(d.Seats) > maxInputs {
		return restless()
	}
	d.moderates(ChangeOptions)
	stays := d.by.User
	if d.Seat(stays) < 0 {
		stays = d.Host
	}
	var others []Occupant
	for seat := 0; seat < len(d.Seats); {
		who := d.Seats[seat]
		if !isPerson(who) || who.User == stays {
			seat++
			continue
		}
		if err := d.getUp(fair.Removes, games.Seat(seat)); err != nil {
			return err
		}
		others = append(others, who)
	}
	d.add(storage.Chosen, games.Nobody, d.by.User, what)
	for _, who := range others {
		detail.Invited = append(detail.Invited, who.User)
		d.addNamed(storage.Invited, games.Nobody, who.User, who.Name)
	}
	return nil
}

// LetResign sets whether a computer player may resign a lost game, at a table that has not started. The host or a
// moderator may do so. If the value changes, the other players are asked to join again, as after ChooseOption. It
// returns ErrStarted, ErrOver, ErrNotAllowed or ErrRestless.
func (s *Service) LetResign(ctx context.Context, by Actor, id ID, resign bool) (*Snapshot, error) {
	return s.decide(ctx, by, id, "resign", resign, func(d *storage.Detail) *bool { return &d.Resign })
}

// Rate sets whether the result counts on leaderboards, at a server's table that has not started. The host or a
// moderator may do so. If the value changes, the other players are asked to join again, as after ChooseOption. It
// returns the errors of LetResign, or ErrNoServer.
func (s *Service) Rate(ctx context.Context, by Actor, id ID, rated bool) (*Snapshot, error) {
	return s.decide(ctx, by, id, "unrated", !rated, func(d *storage.Detail) *bool { return &d.Unrated })
}

// decide changes a flag in a table's detail as ChooseOption changes an option. what names the flag in the event.
func (s *Service) decide(ctx context.Context, by Actor, id ID, what string, value bool,
	of func(*storage.Detail) *bool) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if err := arranges(d, ChangeOptions); err != nil {
			return err
		}
		seen := d.seen()
		switch {
		case *of(&seen) == value:
			return nil
		case d.Guild == "" && what == "unrated":
			return Refuse(ErrNoServer, text.M("table.error.no-server"))
		}
		*of(d.details()) = value
		return d.choose(fmt.Sprint(what, " ", value))
	})
}

// arranges refuses an act that the actor may not do, and every act once the table has started.
func arranges(d *draft, act Act) error {
	if err := d.lobby(); err != nil {
		return err
	}
	return d.may(act)
}

// Invite reserves a seat for a user at a table that has not started. The host or a moderator may do so. It returns
// ErrStarted, ErrOver, ErrNotAllowed, ErrInvitedTwice if the user already has a seat or an invitation, ErrFull,
// ErrKept, ErrRestless, ErrNotInvitable or ErrLimit.
func (s *Service) Invite(ctx context.Context, by Actor, id ID, user string, name text.Name) (*Snapshot, error) {
	return s.tables.edit(ctx, by, id, func(d *draft) error {
		if err := arranges(d, InvitePlayers); err != nil {
			return err
		}
		detail := d.details()
		switch {
		case d.Seat(user) >= 0 || slices.Contains(detail.Invited, user):
			return Refuse(ErrInvitedTwice, text.M("table.error.invited-there", "Who", text.User(user)))
		case len(d.Seats) >= d.Most:
			return refuseFull()
		case len(d.Seats)+len(detail.Invited) >= d.Most:
			return refuseKept(len(detail.Invited))
		case len(detail.Inputs) >= maxInputs || d.Events >= maxLobbyEvents:
			return restless()
		}
		p, err := d.choices.Preferences(ctx, user)
		switch {
		case err != nil:
			return err
		case slices.Contains(p.Blocked, by.User) || slices.Contains(p.Blocked, d.Host):
			return RefuseInvitation(user)
		}
		settings, err := d.settings()
		if err != nil {
			return err
		}
		d.limits = append(d.limits, storage.Limit{Kind: storage.UserInvitations, User: d.Host,
			Most: settings.Limits().UserInvitations})
		d.moderates(InvitePlayers)
		detail.Invited = append(detail.Invited, user)
		d.addNamed(storage.Invited, games.Nobody, user, name)
		return nil
	})
}

// RefuseInvitation returns a refusal that does not reveal whether the invited user has blocked somebody.
func RefuseInvitation(user string) error {
	return Refuse(ErrNotInvitable, text.M("table.error.not-invitable", "Who", text.User(user)))
}

// MayArrange returns ErrStarted, ErrOver or ErrNotAllowed if the actor may not change the table's options now, and
// otherwise nil.
func (s *Service) MayArrange(ctx context.Context, by Actor, snap *Snapshot) error {
	return arranges(newDraft(ctx, by, snap, s.tables.now()), ChangeOptions)
}
