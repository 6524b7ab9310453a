package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	"marque/games"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
)

// shownOnCard is a fingerprint of what a competition's card shows.
func shownOnCard(c Competition) string {
	sum := fnv.New64a()
	fmt.Fprintf(sum, "%q %s %s ", c.Name.Plain(), c.Channel, c.Host)
	_ = json.NewEncoder(sum).Encode(c.Rules) // into a hash, which takes everything
	return fmt.Sprintf("%x", sum.Sum64())
}

// see does what there is to do for a competition: one thing after the other, each noted before the next. It goes on
// with what it has just noted, for a league is large, and whoever else changes one has it seen to again.
func (c *Competitions) see(ctx context.Context, id CompetitionID) error {
	var later error // what could not be done for now, and does not keep from the rest
	n, err := c.store.Competition(ctx, id.Server, id.Number)
	for err == nil && ctx.Err() == nil {
		if !c.uptime.up() || !c.tables.mine(id.Server) {
			return nil // the process that is up, or has the server, finds it when it looks at what is due
		}
		var more bool
		if more, err = c.step(ctx, &n, &later); err == nil && !more {
			return later
		}
	}
	switch {
	case errors.Is(err, storage.ErrNoCompetition) || errors.Is(err, ErrNotOwner) || errors.Is(err, ErrClosing):
		return nil
	case err != nil:
		return err
	}
	return ctx.Err()
}

// step does the next thing, and reports whether there was one. n is then what is stored.
func (c *Competitions) step(ctx context.Context, n *Competition, later *error) (more bool, err error) {
	if held, err := c.hold(ctx, n); held || err != nil {
		return held, err
	}
	if look := looking(*n); look != 0 && look <= c.now() && *later == nil {
		gone, err := c.look(ctx, *n)
		if err == nil {
			return true, c.proceed(ctx, n, gone)
		}
		*later = err // the rest need not wait for it
	}
	now := competition.Stamp(c.now())
	if over := n.Rules.Overdue(now); len(over) > 0 {
		return true, c.overdue(ctx, n, over[0])
	}
	if d, ok := n.Rules.Due(); ok && d.At <= now {
		return true, c.proceed(ctx, n, func(n *Competition) error {
			if err := c.letSleep(ctx, n, true); err != nil {
				return err
			}
			n.Rules = n.Rules.Advance(competition.Stamp(c.now()))
			return nil
		})
	}
	if len(n.Stop) > 0 {
		return true, c.stop(ctx, n, n.Stop[0])
	}
	if c.service.Servers.isRemoved(ctx, n.Server) {
		return false, nil
	}
	if n.Card.Message == "" { // before all news
		return true, c.showCard(ctx, n)
	}
	if len(n.News) > 0 {
		if err := c.tell(ctx, *n); err != nil {
			return true, err
		}
		*n, err = c.Get(ctx, n.ID())
		return true, err
	}
	if len(n.Bring) > 0 && !n.Held() && *later == nil {
		err := c.bring(ctx, n)
		if !errors.Is(err, ErrLimit) {
			return true, err
		}
		*later = err // there is no room for another thread, which is tried again after a while
	}
	if list := n.Rules.ToOpen(); len(list) > 0 && *later == nil {
		err := c.open(ctx, n, list[0])
		if !errors.Is(err, ErrLimit) {
			return true, err
		}
		*later = err // there is no room for another table, which is tried again after a while
	}
	if n.Card.Shown != shownOnCard(*n) {
		return true, c.showCard(ctx, n)
	}
	if n.Rules.Continues() && n.Next == 0 { // the last, so that the end of this one is told first
		return true, c.goOn(ctx, n)
	}
	return false, nil
}

// unasked is change for what nobody asked for.
func (c *Competitions) unasked(ctx context.Context, n Competition, f func(*Competition) error) error {
	_, err := c.change(ctx, unasked, n.ID(), f)
	return err
}

// proceed is unasked for a competition that is seen to: n is what was read, and then what is stored.
func (c *Competitions) proceed(ctx context.Context, n *Competition, f func(*Competition) error) error {
	now, err := c.changeFrom(ctx, unasked, *n, f)
	if err == nil {
		*n = now
	}
	return err
}

// hold has a competition's times stand while the bot was removed from the server, or the server has
// an outage, and go on afterwards.
func (c *Competitions) hold(ctx context.Context, n *Competition) (changed bool, err error) {
	if n.Over() {
		return false, nil
	}
	settings, err := c.choices.settings(ctx, n.Server)
	if err != nil {
		return false, err
	}
	reason, since := "", c.now()
	switch {
	case c.service.Servers.isRemoved(ctx, n.Server):
		reason = storage.PausedRemoved
	case settings.outage():
		reason, since = heldByOutage, settings.Outages[len(settings.Outages)-1].From
	}
	switch {
	case reason != "" && !n.Held():
		return true, c.proceed(ctx, n, func(n *Competition) error {
			n.Rules = n.Rules.Hold(reason, competition.Stamp(max(since, n.Credited)))
			return nil
		})
	case reason == "" && (n.HeldFor(storage.PausedRemoved) || n.HeldFor(heldByOutage)):
		return true, c.proceed(ctx, n, func(n *Competition) error {
			release(n, n.Rules.HeldFor, c.now())
			return nil
		})
	}
	return false, nil
}

// letSleep sets when people who have not answered are called once more, so that nobody is called in their quiet
// hours, while they are away, or without wanting reminders (CO-17). It looks at those who have just been asked, and
// with due also at those whose call is due.
func (c *Competitions) letSleep(ctx context.Context, n *Competition, due bool) error {
	for _, call := range n.Rules.Calls() {
		if call.Put && (!due || Stamp(call.At) > c.now()) {
			continue
		}
		settings, err := c.choices.settings(ctx, n.Server)
		if err != nil {
			return err
		}
		of, err := c.choices.conditions(ctx, n.Server, settings, call.User)
		if err != nil {
			return err
		}
		at := of.Call(Stamp(call.Asked), Stamp(call.At), Stamp(call.Until), c.now())
		if at == 0 {
			at = Stamp(call.Until)
		}
		n.Rules = n.Rules.PutCall(call.User, competition.Stamp(at))
	}
	return nil
}

// heldByOutage is why a competition stands during an outage of its server.
const heldByOutage = "outage"

// told notes what became of telling the channel something: where the channel is gone, or takes
// nothing from us, the competition's times stand.
func (c *Competitions) told(ctx context.Context, n Competition, err error) error {
	permanent := (*PermanentError)(nil)
	switch {
	case errors.As(err, &permanent) && !n.Held() && !n.Over():
		herr := c.unasked(ctx, n, func(n *Competition) error {
			n.Rules = n.Rules.Hold(storage.PausedChannelGone, competition.Stamp(c.now()))
			return nil
		})
		return errors.Join(err, herr)
	case err == nil && n.HeldFor(storage.PausedChannelGone):
		return c.unasked(ctx, n, func(n *Competition) error {
			release(n, storage.PausedChannelGone, c.now())
			return nil
		})
	}
	return err
}

func (c *Competitions) showCard(ctx context.Context, n *Competition) error {
	shown := shownOnCard(*n)
	message, err := c.herald.ShowCard(ctx, *n)
	if err = c.told(ctx, *n, err); err != nil {
		return err
	}
	return c.proceed(ctx, n, func(now *Competition) error {
		if now.Channel == n.Channel {
			now.Card = storage.Sign{Message: message, Shown: shown}
		}
		return nil
	})
}

func (c *Competitions) tell(ctx context.Context, n Competition) error {
	n.News = n.News[:n.Batch]
	if err := c.told(ctx, n, c.herald.Tell(ctx, n)); err != nil {
		return err
	}
	return c.unasked(ctx, n, func(now *Competition) error {
		if now.Told == n.Told {
			now.News, now.Batch, now.Told = slices.Clone(now.News[n.Batch:]), 0, now.Told+1
		}
		return nil
	})
}

// place is where the game of a pairing is played.
type place struct {
	channel string
	card    storage.Card
	message string // with which the channel hears of the game
}

// placeOf finds where a pairing is to be played: in a thread of the competition's channel, or there where it cannot
// have one. First the message is posted under which the thread stands, and noted, so that there is one: then it is nil
// still. A thread that is open is found again. lost is the channel that the game had before; "" for none.
func (c *Competitions) placeOf(ctx context.Context, n *Competition, p competition.Pairing,
	lost string) (*place, error) {
	message := posted(n, p.No)
	if message == "" {
		message, err := c.herald.PostPairing(ctx, *n, p, lost)
		if err = c.told(ctx, *n, err); err != nil {
			return nil, err
		}
		return nil, c.proceed(ctx, n, func(now *Competition) error {
			if now.Channel == n.Channel {
				now.Posted = append(slices.Clip(now.Posted), storage.PairingCard{Pairing: p.No, Message: message})
			}
			return nil
		})
	}
	thread, err := c.herald.OpenThread(ctx, *n, p, message)
	if err = c.told(ctx, *n, err); err != nil {
		return nil, err
	}
	if thread == "" {
		return &place{channel: n.Channel, message: message}, nil
	}
	return &place{channel: thread, message: message,
		card: storage.Card{Channel: n.Channel, Message: message, Thread: thread}}, nil
}

// posted is the message of a pairing whose table is not there yet; "" for none.
func posted(n *Competition, pairing int) string {
	for _, card := range n.Posted {
		if card.Pairing == pairing {
			return card.Message
		}
	}
	return ""
}

// unpost forgets that message.
func unpost(n *Competition, pairing int) {
	n.Posted = slices.DeleteFunc(slices.Clone(n.Posted), func(card storage.PairingCard) bool {
		return card.Pairing == pairing
	})
}

// open opens the table of a pairing. A table that is open is found again.
func (c *Competitions) open(ctx context.Context, n *Competition, p competition.Pairing) error {
	if posted(n, p.No) == "" {
		if err := c.service.roomFor(ctx, n.Server); err != nil {
			return err
		}
	}
	at, err := c.placeOf(ctx, n, p, "")
	if err != nil || at == nil {
		return err
	}
	m := match{of: n, game: uint64(p.No), channel: at.channel, card: at.card, start: at.message}
	for _, e := range p.Seats {
		who, ok := n.Person(n.Rules.Entrants[e].User)
		if !ok {
			return fmt.Errorf("nobody is known as entrant %d of competition %d", e, n.Number)
		}
		m.players = append(m.players, who)
	}
	snap, err := c.service.openMatch(ctx, m)
	if err != nil {
		return err
	}
	return c.proceed(ctx, n, func(now *Competition) error {
		unpost(now, p.No)
		rules, err := now.Rules.Opened(p.No, snap.ID.String())
		other := slices.ContainsFunc(p.Seats, func(e int) bool {
			user := now.Rules.Entrants[e].User
			return user != "" && user != n.Rules.Entrants[e].User // a substitute goes on for the one who was seated
		})
		if errors.Is(err, competition.ErrOver) { // it was decided meanwhile
			rules, other, err = now.Rules, true, nil
		}
		if other && !slices.Contains(now.Stop, p.No) {
			now.Stop = append(slices.Clip(now.Stop), p.No)
		}
		now.Rules = rules
		return err
	})
}

// bring has the next table whose channel is gone go on in the competition's channel.
func (c *Competitions) bring(ctx context.Context, n *Competition) error {
	lost := func(h Head) bool { return h.Status == Playing && h.Paused == storage.PausedChannelGone }
	seen := 0
	for moved := false; seen < len(n.Bring) && !moved; seen++ {
		p, _ := n.Rules.Pairing(n.Bring[seen])
		snap, err := c.tableOf(ctx, *n, p.No)
		if err != nil {
			return err
		}
		if snap == nil || !lost(snap.Head) || p.End != "" || n.Over() {
			continue
		}
		at, err := c.placeOf(ctx, n, p, snap.Channel)
		if err != nil || at == nil {
			return err
		}
		if old := snap.Card; old.Message != "" { // before the table has another, or nobody would know of it any more
			if err := c.herald.DropCard(ctx, old); err != nil {
				return err
			}
		}
		_, err = c.tables.edit(ctx, unasked, snap.ID, func(d *draft) error {
			if lost(d.Head) {
				d.Card = at.card
				d.rehouse(at.channel)
			}
			return nil
		})
		if err != nil && !errors.Is(err, storage.ErrNoTable) && !frozen(err) {
			return err
		}
		moved = true
	}
	return c.proceed(ctx, n, func(now *Competition) error {
		if now.Version == n.Version { // else it may have been moved since
			for _, no := range now.Bring[:seen] {
				unpost(now, no)
			}
			now.Bring = slices.Clone(now.Bring[seen:])
		}
		return nil
	})
}

// tableOf is the table of a pairing, also where the rules do not know of it yet; nil where there is
// none, or nothing can happen there any more.
func (c *Competitions) tableOf(ctx context.Context, n Competition, pairing int) (*Snapshot, error) {
	id, err := c.store.TableOf(ctx, n.ID(), uint64(pairing))
	if err != nil || id == 0 {
		return nil, err
	}
	snap, err := c.tables.Snapshot(ctx, id)
	if errors.Is(err, storage.ErrNoTable) || frozen(err) {
		return nil, nil
	}
	return snap, err
}

// overdue puts a pairing off whose deadline has come, for the absences and pauses since it began,
// or has the deadline decide it.
func (c *Competitions) overdue(ctx context.Context, n *Competition, p competition.Pairing) error {
	snap, err := c.tableOf(ctx, *n, p.No)
	if err != nil {
		return err
	}
	if snap != nil && snap.Status == Over && !snap.Contest.Reported {
		if err := c.report(ctx, snap); err != nil {
			return err
		}
		*n, err = c.Get(ctx, n.ID())
		return err
	}
	outcome := competition.Outcome{End: competition.Abandoned}
	stood := competition.Stamp(0)
	if snap != nil {
		stored, err := c.tables.store.Load(ctx, snap.ID)
		if err != nil {
			return err
		}
		if stood, err = c.stood(ctx, *n, p, stored.Events); err != nil {
			return err
		}
		used, err := c.usedBySeat(ctx, stored)
		if err != nil {
			return err
		}
		byEntrant := make([]competition.Stamp, len(p.Seats))
		var left, late []int
		for i, e := range p.Seats {
			seat := seatOf(*n, snap.Head, i, e)
			if seat >= 0 {
				byEntrant[i] = competition.Stamp(used[seat])
			}
			if n.Rules.Entrants[e].Out != 0 || snap.match != nil && !snap.match.In(seat) {
				left = append(left, i)
			}
			if timedOut(stored.Events, seat) {
				late = append(late, i)
			}
		}
		outcome = competition.ByTime(byEntrant, left...)
		outcome.Late = late
	}
	return c.proceed(ctx, n, func(now *Competition) error {
		rules, err := now.Rules.Stretch(p.No, stood)
		if err != nil {
			return err
		}
		if after, _ := rules.Pairing(p.No); after.Deadline <= competition.Stamp(c.now()) {
			if rules, err = rules.Report(p.No, outcome, competition.Stamp(c.now())); err != nil {
				return err
			}
		}
		now.Rules = rules
		return nil
	})
}

// usedBySeat is how much time each seat has taken for its moves by now. What stops a clock does not count
// (CO-8): pauses, the player's absences, quiet days, and times at which nobody could play.
func (c *Competitions) usedBySeat(ctx context.Context, t storage.Table) ([]Stamp, error) {
	settings, err := c.choices.settings(ctx, t.Head.Guild)
	if err != nil {
		return nil, err
	}
	used, now := make([]Stamp, len(t.Head.Seats)), c.now()
	var pauses []storage.Span
	for _, e := range t.Events {
		switch goes := len(pauses) > 0 && pauses[len(pauses)-1].To == now; {
		case e.Kind == storage.Paused && !goes:
			pauses = append(pauses, storage.Span{From: e.At, To: now})
		case e.Kind == storage.Resumed && goes:
			pauses[len(pauses)-1].To = e.At
		}
	}
	takes := func(seat games.Seat, from, to Stamp) error {
		if seat < 0 || int(seat) >= len(used) || to <= from {
			return nil
		}
		stops, err := c.choices.conditions(ctx, t.Head.Guild, settings, t.Head.Seats[seat].User)
		if err == nil {
			used[seat] += Stamp(stops.Elapsed(from, to, slices.Clone(pauses)).Milliseconds())
		}
		return err
	}
	since := now
	for _, e := range t.Events {
		switch e.Kind {
		case storage.Started:
			since = e.At
		case storage.Played:
			if err := takes(e.Seat, since, e.At); err != nil {
				return nil, err
			}
			since = e.At
		}
	}
	return used, takes(t.Head.ToMove, since, now)
}

// seatOf is the seat at a table of the entrant with a place in a pairing; Nobody where they have none.
func seatOf(n Competition, h Head, place, entrant int) games.Seat {
	if seat := h.Seat(n.Rules.Entrants[entrant].User); seat >= 0 {
		return seat
	}
	if p := pairingOf(n, h.Contest); len(p.Seats) == len(h.Seats) && place < len(h.Seats) {
		return games.Seat(place) // whose data were deleted since, say
	}
	return games.Nobody
}

func pairingOf(n Competition, of storage.Contest) competition.Pairing {
	p, _ := n.Rules.Pairing(int(of.Game))
	return p
}

// stop has a pairing's table know that the pairing has ended, or that somebody has left or goes on for another: who is
// out resigns, and what still goes on then of a pairing that has ended is stopped.
func (c *Competitions) stop(ctx context.Context, n *Competition, pairing int) error {
	p, _ := n.Rules.Pairing(pairing)
	snap, err := c.tableOf(ctx, *n, pairing)
	if err != nil {
		return err
	}
	if snap != nil && snap.Status != Over {
		_, err := c.tables.edit(ctx, unasked, snap.ID, func(d *draft) error {
			for place, e := range p.Seats {
				seat := seatOf(*n, d.Head, place, e)
				if n.Rules.Entrants[e].Out == 0 || seat < 0 || d.Status == Over || !d.match.In(seat) {
					continue
				}
				if err := d.resign(seat); err != nil {
					return err
				}
			}
			if d.Status != Over && p.End == "" {
				if err := substitute(*n, p, d); err != nil {
					return err
				}
			}
			d.Contest.Reported = p.End != ""
			if d.Status != Over && p.End != "" {
				d.add(storage.Halted, games.Nobody, "", "")
				return d.end(games.Abandoned)
			}
			return nil
		})
		if err != nil && !errors.Is(err, storage.ErrNoTable) && !frozen(err) {
			return err
		}
	}
	return c.proceed(ctx, n, func(now *Competition) error {
		if now.Version == n.Version { // else somebody may have left it since, or go on for another
			now.Stop = slices.DeleteFunc(slices.Clone(now.Stop), func(no int) bool { return no == pairing })
		}
		return nil
	})
}

// substitute gives the seats at a pairing's table to those who go on for its entrants (CO-15).
func substitute(n Competition, p competition.Pairing, d *draft) error {
	for place, e := range p.Seats {
		who, known := n.Person(n.Rules.Entrants[e].User)
		seat := seatOf(n, d.Head, place, e)
		if !known || seat < 0 || d.Seats[seat].User == who.User || !d.match.In(seat) {
			continue
		}
		if err := d.reseat(seat, Occupant{User: who.User, Name: who.Name}); err != nil {
			return err
		}
		d.addNamed(storage.Taken, seat, who.User, who.Name)
	}
	return nil
}

// report tells a competition how a table of its has ended, or that the result counts no more, or
// again; then the table knows that.
func (c *Competitions) report(ctx context.Context, snap *Snapshot) error {
	id := CompetitionID{Server: snap.Guild, Number: snap.Contest.Number}
	stored, err := c.tables.store.Load(ctx, snap.ID)
	if err != nil {
		return err
	}
	void := false
	switch r, err := c.league.Result(ctx, snap.ID); {
	case err == nil:
		void = r.Voided != nil
	case !errors.Is(err, storage.ErrNoResult):
		return err
	}
	_, err = c.change(ctx, unasked, id, func(n *Competition) error {
		p, ok := n.Rules.Pairing(int(snap.Contest.Game))
		if !ok {
			return nil
		}
		outcome := outcomeOf(*n, p, snap, stored.Events)
		if void {
			outcome = competition.Outcome{End: competition.Void}
		}
		rules := n.Rules
		if r, err := rules.Opened(p.No, snap.ID.String()); err == nil {
			rules = r
		}
		switch {
		case p.End == "":
			r, err := rules.Report(p.No, outcome, competition.Stamp(stored.Head.Changed))
			if errors.Is(err, competition.ErrOutcome) {
				r, err = rules.Report(p.No, competition.Outcome{End: competition.Abandoned},
					competition.Stamp(stored.Head.Changed))
			}
			if err != nil {
				return err
			}
			rules = r
		case outcome.End == competition.Abandoned: // it was decided already
		case void != (p.End == competition.Void) && p.End != competition.Walkover && p.End != competition.Unfinished:
			if r, err := rules.Correct(p.No, outcome); err == nil {
				rules = r
			} // else it stays as it is: the competition is over, or what follows from it stands
		}
		n.Rules = rules
		unpost(n, p.No)
		return nil
	})
	if err != nil && !errors.Is(err, storage.ErrNoCompetition) {
		return err
	}
	_, err = c.tables.edit(ctx, unasked, snap.ID, func(d *draft) error {
		d.keep, d.Contest.Reported = keepUntold, true
		return nil
	})
	return err
}

// outcomeOf is how a table that is over counts for its pairing.
func outcomeOf(n Competition, p competition.Pairing, snap *Snapshot, events []Event) competition.Outcome {
	if snap.match == nil || snap.Ending == games.Abandoned {
		return competition.Outcome{End: competition.Abandoned}
	}
	o := competition.Outcome{End: competition.Played}
	r := snap.match.Result()
	places := r.Places(len(snap.Seats))
	for place, e := range p.Seats {
		seat := seatOf(n, snap.Head, place, e)
		if seat < 0 {
			return competition.Outcome{End: competition.Abandoned}
		}
		o.Places = append(o.Places, places[seat])
		if timedOut(events, seat) {
			o.Late, o.End = append(o.Late, place), competition.TimeUp
		}
	}
	ranked := slices.Clone(o.Places) // where somebody who left the pairing sat there, too
	for i, at := range o.Places {
		ranked[i] = 1
		for _, other := range o.Places {
			if other < at {
				ranked[i]++
			}
		}
	}
	o.Places = ranked
	return o
}

// timedOut reports whether the time of a seat has run out.
func timedOut(events []Event, seat games.Seat) bool {
	return slices.ContainsFunc(events, func(e Event) bool { return e.Kind == storage.TimedOut && e.Seat == seat })
}

// sweep has competitions seen to at which something is due.
func (c *Competitions) sweep(ctx context.Context) {
	list, err := c.store.CompetitionsDue(ctx, c.now(), mostDesk)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			c.log.ErrorContext(ctx, "which competitions are due cannot be read; trying again", "error", err)
		}
		return
	}
	for _, id := range list {
		c.desk.poke(id, false)
	}
}

// Look has the competitions of a server seen to that go on, as when it can be reached again, or a channel has changed.
func (c *Competitions) Look(ctx context.Context, server string) {
	list, err := c.store.ActiveCompetitions(ctx, server, mostCompetitions)
	if err != nil {
		c.log.WarnContext(ctx, "a server's competitions cannot be read", "guild", server, "error", err)
		return
	}
	for _, id := range list {
		c.desk.poke(id, true)
	}
}

// LoseChannel has the times of the competitions stand whose channel was deleted, until they are told elsewhere.
func (c *Competitions) LoseChannel(ctx context.Context, server, channel string) {
	list, err := c.store.ActiveCompetitions(ctx, server, mostCompetitions)
	for _, id := range list {
		n, gerr := c.store.Competition(ctx, id.Server, id.Number)
		if err = errors.Join(err, gerr); gerr != nil || n.Channel != channel || n.Held() {
			continue
		}
		err = errors.Join(err, c.unasked(ctx, n, func(n *Competition) error {
			n.Rules = n.Rules.Hold(storage.PausedChannelGone, competition.Stamp(c.now()))
			return nil
		}))
	}
	if err != nil && !errors.Is(err, ErrNotOwner) {
		c.log.WarnContext(ctx,
			"it could not be noted that a competition has no channel; it is when it next has something to tell",
			"guild", server, "error", err)
	}
}

// going reports whether a competition goes on at a server.
func (c *Competitions) going(ctx context.Context, server string) (bool, error) {
	list, err := c.store.ActiveCompetitions(ctx, server, 1)
	return len(list) > 0, err
}

// forget withdraws a user from all competitions, whose data are deleted.
func (c *Competitions) forget(ctx context.Context, user, as string) error {
	for {
		list, err := c.store.CompetitionsOf(ctx, user, listLimit)
		if err != nil {
			return err
		}
		for _, id := range list {
			_, err := c.change(ctx, Actor{}, id, func(n *Competition) error {
				n.Rules = n.Rules.Forget(user, competition.Stamp(c.now()))
				if n.Host == user {
					n.Host = as
				}
				return nil
			})
			if err != nil && !errors.Is(err, storage.ErrNoCompetition) {
				return err
			}
		}
		if len(list) < listLimit {
			return nil
		}
	}
}

// Entered is a competition that a user has entered, or is asked to go on in for somebody, as they get it when they
// ask what is stored of them.
type Entered struct {
	Competition string    `json:"competition"`
	Server      string    `json:"server"`
	Title       text.Name `json:"title"`
	Name        text.Name `json:"name"` // under which they entered
	Rating      int       `json:"rating"`
	Interaction string    `json:"interaction"`
	// the user was asked to go on for somebody, and has not answered
	Asked bool `json:"asked,omitempty"`
}

// Of lists what a user has entered, or is asked to go on in for somebody, on a server or, for "", anywhere.
func (c *Competitions) Of(ctx context.Context, user, server string) (all []Competition, err error) {
	list, err := c.store.CompetitionsOf(ctx, user, listLimit)
	if err != nil {
		return nil, err
	}
	for _, id := range list {
		if server != "" && id.Server != server {
			continue
		}
		n, err := c.store.Competition(ctx, id.Server, id.Number)
		if errors.Is(err, storage.ErrNoCompetition) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// of is what their data have of that.
func (c *Competitions) of(ctx context.Context, user string) ([]Entered, error) {
	list, err := c.Of(ctx, user, "")
	if err != nil {
		return nil, err
	}
	var all []Entered
	for _, n := range list {
		who, _ := n.Person(user)
		e := Entered{Competition: strconv.FormatUint(n.Number, 10), Server: n.Server, Title: n.Name, Name: who.Name,
			Interaction: who.Interaction}
		if i, known := n.Rules.Entrant(user); known {
			e.Rating = n.Rules.Entrants[i].Rating
		}
		_, e.Asked = n.Rules.OfferTo(user)
		all = append(all, e)
	}
	return all, nil
}
