package table

import (
	"slices"
	"time"

	"marque/games"
	"marque/storage"
)

// Reasons why work at a table falls due.
const (
	dueClock  = "clock"
	dueRemind = "remind"
	dueIdle   = "idle"
	dueRetry  = "retry"
	dueThink  = "think"
	dueCard   = "card"
	dueThread = "thread"
	dueReport = "report"
	dueKinds  = 6 // maximum number of a table's entries in the due index
)

// reportPause is the first pause before a failed report to a competition is retried.
const reportPause = 15 * time.Second

// outagePause is the pause before a table at which something fell due during an outage is checked again. The end of the
// outage recomputes the time.
const outagePause = time.Hour

// schedule sets the clock after the command's changes, and computes the due times.
func (d *draft) schedule() error {
	t := &d.Timing
	if d.by.User != "" {
		d.Touched, t.Closing = d.now, 0
		d.Retry = storage.PublishRetry{}
	}
	if d.by.User != "" || len(d.events) > 0 {
		d.Tries = 0
	}
	d.Due = nil
	earliest := Stamp(0)
	due := func(kind string, at Stamp) {
		if at != 0 {
			d.Due = append(d.Due, storage.Due{Kind: kind, At: max(at, earliest)})
		}
	}
	due(dueRetry, d.Retry.At)
	if d.Status == Over {
		t.Since = 0
		due(dueCard, nextCard(d))
		if d.Competition.Number != 0 && !d.Competition.Reported {
			at := d.now
			if d.Tries > 0 {
				at = d.retry(reportPause)
			}
			due(dueReport, at)
		}
		at, err := nextArchive(d)
		due(dueThread, at)
		return err
	}
	d.Card.Archive = 0
	mover := games.Nobody
	if d.Status == Playing {
		mover = d.match.ToMove()
		if (d.Digest == "" || d.match.Len() != d.Plays) && !sameDecision(d) {
			if err := beginTurn(d); err != nil {
				return err
			}
		}
	}
	d.ToMove = mover
	c, err := d.conditions(holder(d.Head, mover).User)
	if err != nil {
		return err
	}
	if c.Outage {
		earliest = d.now + Stamp(outagePause.Milliseconds())
	}
	runs := d.Status == Playing && d.Paused == "" && !t.Out && holder(d.Head, mover).User != ""
	switch {
	case runs && t.Since == 0:
		t.Since = d.now
	case !runs && t.Since != 0:
		t.Used, t.Since = c.Used(*t, mover, d.now), 0
	}
	deadline := c.Deadline(d.Head)
	due(dueClock, deadline)
	if runs {
		at, _ := c.Reminder(d.Head, d.now)
		due(dueRemind, at)
	}
	if d.computers && waitsForComputer(d.Head, d.match) {
		due(dueThink, nextThought(d))
	}
	due(dueCard, nextCard(d))
	warn, end := c.Closing(d.Head, deadline)
	if warn != 0 {
		due(dueIdle, warn)
	} else {
		due(dueIdle, end)
	}
	return nil
}

// sameDecision reports whether the seat that was to move still has the same decision, because nothing but resignations
// of other seats has happened.
func sameDecision(d *draft) bool {
	if d.Digest == "" || d.match.Len() < d.Plays || d.match.ToMove() != d.before.ToMove {
		return false
	}
	return !slices.ContainsFunc(d.match.Log()[d.Plays:], func(e games.Entry) bool { return e.Text != games.Resigns })
}

// beginTurn charges the seat that moved for its time, and begins the next decision. A seat that was offered because its
// player was late is returned to its player.
func beginTurn(d *draft) error {
	t := &d.Timing
	if before := d.before; before != nil && t.Out && IsOpen(d.Head, before.ToMove) && !stays(d.Head, before.ToMove) {
		d.unoffer(before.ToMove)
		d.add(storage.OfferEnded, before.ToMove, "", "")
	}
	t.Banks = slices.Clone(t.Banks)
	if t.Rule.Mode == storage.Bank {
		for len(t.Banks) < len(d.Seats) {
			t.Banks = append(t.Banks, t.Rule.Time)
		}
	}
	if before := d.before; t.Rule.Mode == storage.Bank && before != nil && before.ToMove >= 0 {
		c, err := d.conditions(before.Mover())
		if err != nil {
			return err
		}
		bank := &t.Banks[before.ToMove]
		*bank = max(0, *bank-c.Used(*t, before.ToMove, d.now))
		for _, e := range d.events { // the events include conditional moves
			if e.Kind == storage.Played && e.Seat >= 0 && int(e.Seat) < len(t.Banks) {
				t.Banks[e.Seat] += t.Rule.Add
			}
		}
	}
	*t = storage.Timing{Rule: t.Rule, Banks: t.Banks, Turn: d.now, Stood: Stood(*t, d.now), Closing: t.Closing}
	return nil
}

// nextThought returns when a table that waits for a computer falls due again, in case the thinking fails. The time
// until then is as long as the table has already waited, but at least firstRethink and at most longestRethink.
func nextThought(d *draft) Stamp {
	waited := int64(d.now - max(d.Touched, d.Timing.Turn))
	return d.now + Stamp(min(max(waited, firstRethink.Milliseconds()), longestRethink.Milliseconds()))
}
