package table

import (
	"slices"

	"marque/games"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// sitsDown makes the commit check the server's limit of tables for the actor, who is joining the table.
func (d *draft) sitsDown() error {
	s, err := d.settings()
	d.limits = append(d.limits, storage.Limit{Kind: storage.UserTables, User: d.by.User, Most: s.Limits().UserTables})
	return err
}

// reseat gives a seat to a new holder. The previous holder's agreements and plans are dropped, and their used time no
// longer counts.
func (d *draft) reseat(seat games.Seat, who Occupant) error {
	d.Seats[seat] = who
	detail := d.details()
	detail.Plans = slices.DeleteFunc(slices.Clone(detail.Plans), func(p storage.Plan) bool { return p.Seat == seat })
	m, err := games.Replay(d.game, header(d.Head, *detail), d.match.Log())
	if err != nil {
		return err
	}
	d.match = m
	d.Proposal.Agreed &^= 1 << uint(seat)
	switch {
	case d.Proposal.By == seat:
		d.Proposal = Proposal{}
	case d.Proposal.Kind == Undo: // the new holder is asked only if the previous one was
		if from, err := lastDecision(d.match, d.Proposal.By); err == nil {
			d.Proposal.Agreed |= ^concerned(d.Head, d.match, d.Proposal.By, from)
		} else {
			d.lapse()
		}
	}
	t := &d.Timing
	if int(seat) < len(t.Banks) {
		t.Banks = slices.Clone(t.Banks)
		t.Banks[seat] = max(t.Banks[seat], t.Rule.Time)
	}
	if d.ToMove == seat {
		*t = storage.Timing{Rule: t.Rule, Banks: t.Banks, Turn: d.now, Stood: Stood(*t, d.now)}
	}
	return nil
}

// leaveLobby removes a seat's holder from a table that has not started.
func (d *draft) leaveLobby(how fair.InputKind, seat games.Seat) error {
	left := d.Seats[seat]
	if err := d.getUp(how, seat); err != nil {
		return err
	}
	if !slices.ContainsFunc(d.Seats, isPerson) { // no person is left: close the table
		return d.end(games.Abandoned)
	}
	d.handOn(left.User)
	return nil
}

// getUp removes a person from their seat at a table that has not started. The interaction is mixed into the draws.
func (d *draft) getUp(how fair.InputKind, seat games.Seat) error {
	if err := d.mixOut(how, d.by.Key, seat); err != nil {
		return err
	}
	d.addNamed(storage.Left, games.Nobody, d.Seats[seat].User, d.Seats[seat].Name)
	d.Seats = slices.Delete(d.Seats, int(seat), int(seat)+1)
	return nil
}

// handOn replaces the user as host: the first seated person becomes the host. It does nothing if the user is not the
// host. If no person is left, the table has no host.
func (d *draft) handOn(user string) {
	if d.Host != user {
		return
	}
	d.Host = ""
	if i := slices.IndexFunc(d.Seats, isPerson); i >= 0 {
		d.Host = d.Seats[i].User
		d.addNamed(storage.Hosted, games.Nobody, d.Host, d.Seats[i].Name)
	}
}

func (d *draft) resume() {
	d.Paused = ""
	d.Timing.Last = d.now // this event pings the player, like a reminder
	d.add(storage.Resumed, games.Nobody, d.by.User, "")
}

// rehouse moves the table to another channel or thread.
func (d *draft) rehouse(channel string) {
	d.Channel = channel
	d.add(storage.Rehoused, games.Nobody, d.by.User, channel)
	if d.Paused == storage.PausedChannelGone {
		d.resume()
	}
}

func pauseFor(reason string) func(*draft) error {
	return func(d *draft) error {
		if d.Status != Playing || d.Paused != "" {
			return nil
		}
		d.Paused = reason
		d.add(storage.Paused, games.Nobody, "", reason)
		return nil
	}
}

func resumeFrom(by Actor, reason string) func(*draft) error {
	return func(d *draft) error {
		if d.Status == Over {
			return refuseOver(d.match)
		}
		if by.User != "" {
			if err := d.may(PauseGame); err != nil {
				return err
			}
		}
		if d.Paused == "" || by.User == "" && d.Paused != reason {
			return Refuse(ErrNotPaused, text.M("table.error.not-paused"))
		}
		if by.User != "" && d.Paused == storage.PausedByModerator {
			if err := impartial(d, "table.error.plays-pause"); err != nil {
				return err
			}
		}
		if by.User != "" {
			d.moderates(PauseGame)
		}
		d.resume()
		return nil
	}
}
