package compete

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"marque/bot/table"
	"marque/games"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
)

// carryOn does the remaining work of a competition step by step, and stores each step before the next one. It continues
// with the value that it stored, because reading a large league again is slow. A change from elsewhere starts another
// run.
func (s *Service) carryOn(ctx context.Context, id ID) error {
	e := &errand{failed: map[int]bool{}}
	n, err := s.read(ctx, id)
	for err == nil && ctx.Err() == nil {
		if !s.tables.ActsAt(id.Server) {
			return nil // another process runs it
		}
		var more bool
		if more, err = s.step(ctx, &n, e); err == nil && !more {
			return e.later
		}
	}
	switch {
	case errors.Is(err, storage.ErrNoCompetition), errors.Is(err, table.ErrNotOwner), errors.Is(err, table.ErrClosing):
		return nil
	case err != nil:
		return err
	}
	return ctx.Err()
}

// mostInARow is the number of consecutive failing pairings after which a run tries no others, because so many failures
// probably have a common cause.
const mostInARow = 5

// errand is one run of a competition's work. It collects failures and continues with the remaining work.
type errand struct {
	later       error        // a failure, which causes a retry of the run
	looked      bool         // the check for entrants who left has failed
	full        bool         // the limit of tables or threads is reached
	unpublished bool         // the channel refuses messages
	failed      map[int]bool // numbers of failed pairings
	row         int          // number of consecutive failed pairings
}

// pick returns the next pairing to work on: the first one, or, after a failure, a random one. If it were always the
// first one, failing pairings would block all later ones.
func (e *errand) pick(list []int) (no int, ok bool) {
	left := slices.DeleteFunc(slices.Clone(list), func(no int) bool { return e.failed[no] })
	switch {
	case len(left) == 0 || e.row >= mostInARow:
		return 0, false
	case len(e.failed) == 0:
		return left[0], true
	}
	return left[rand.IntN(len(left))], true
}

// apart records the result of work on a single pairing, so that a failure does not delay other pairings. After a
// failure, it sets n to the stored value. It returns only errors that do not concern the pairing alone.
func (s *Service) apart(ctx context.Context, n *Competition, e *errand, no int, err error) error {
	switch {
	case err == nil:
		e.row = 0
		return nil
	case ctx.Err() != nil, errors.Is(err, table.ErrNotOwner), errors.Is(err, table.ErrClosing),
		errors.Is(err, storage.ErrNoCompetition), errors.As(err, new(*table.PermanentError)):
		return err
	case errors.Is(err, table.ErrLimit):
		e.full = true
	}
	e.failed[no] = true
	e.row++
	if e.later == nil {
		e.later = err
	}
	*n, err = s.Get(ctx, n.ID())
	return err
}

// step does the next step of the remaining work, and reports whether there was one. It sets n to the stored value.
func (s *Service) step(ctx context.Context, n *Competition, e *errand) (more bool, err error) {
	if held, err := s.hold(ctx, n); held || err != nil {
		return held, err
	}
	if look := looking(*n); look != 0 && look <= s.now() && !e.looked {
		gone, err := s.look(ctx, *n)
		if err == nil {
			return true, s.proceed(ctx, n, gone)
		}
		e.looked, e.later = true, err // other steps do not depend on this check
	}
	now := competition.Stamp(s.now())
	if over := n.Rules.Overdue(now); len(over) > 0 {
		return true, s.overdue(ctx, n, over[0])
	}
	if d, ok := n.Rules.Due(); ok && d.At <= now {
		return true, s.proceed(ctx, n, func(n *Competition) error {
			if err := s.letSleep(ctx, n, true); err != nil {
				return err
			}
			n.Rules = n.Rules.Advance(competition.Stamp(s.now()))
			return nil
		})
	}
	if no, ok := e.pick(n.Stop); ok {
		return true, s.apart(ctx, n, e, no, s.stop(ctx, n, no))
	}
	if s.servers.IsRemoved(ctx, n.Server) {
		return false, nil
	}
	if n.Trouble() != n.Warned {
		return true, s.warn(ctx, n)
	}
	if n.Card.Message == "" { // the card comes before any announcement
		return true, s.showCard(ctx, n)
	}
	if len(n.News) > 0 && !e.unpublished {
		err := s.announce(ctx, *n)
		if e.unpublished = errors.As(err, new(*table.PermanentError)); e.unpublished {
			e.later, err = err, nil
		}
		if err == nil {
			*n, err = s.Get(ctx, n.ID())
		}
		return true, err
	}
	if e.unpublished { // the card can report the refusal
		if n.Card.Shown == n.Drawn {
			return false, nil
		}
		return true, s.showCard(ctx, n)
	}
	if no, ok := e.pick(n.Bring); ok && !n.Held() && !e.full {
		return true, s.apart(ctx, n, e, no, s.bring(ctx, n, no))
	}
	var toOpen []int
	for _, p := range n.Rules.ToOpen() {
		toOpen = append(toOpen, p.No)
	}
	if no, ok := e.pick(toOpen); ok && !e.full {
		p, _ := n.Rules.Pairing(no)
		return true, s.apart(ctx, n, e, no, s.open(ctx, n, p))
	}
	if n.Card.Shown != n.Drawn {
		return true, s.showCard(ctx, n)
	}
	if n.Rules.Continues() && n.Next == 0 { // this comes after the announcement of the season's end
		return true, s.goOn(ctx, n)
	}
	return false, nil
}

// bySystem changes a competition as the bot's action, and discards the new value.
func (s *Service) bySystem(ctx context.Context, n Competition, f func(*Competition) error) error {
	_, err := s.change(ctx, table.SystemActor, n.ID(), f)
	return err
}

// proceed changes a competition as the bot's action, and sets n to the stored value.
func (s *Service) proceed(ctx context.Context, n *Competition, f func(*Competition) error) error {
	now, err := s.change(ctx, table.SystemActor, n.ID(), f)
	if err == nil {
		*n = now
	}
	return err
}

// hold stops a competition's clocks while the bot is not on the server or the server has an outage, and restarts them
// afterwards.
func (s *Service) hold(ctx context.Context, n *Competition) (changed bool, err error) {
	if n.Over() {
		return false, nil
	}
	settings, err := s.tables.Choices.Settings(ctx, n.Server)
	if err != nil {
		return false, err
	}
	reason, since := "", s.now()
	switch {
	case s.servers.IsRemoved(ctx, n.Server):
		reason = storage.PausedRemoved
	case settings.Outage():
		reason, since = heldByOutage, settings.Outages[len(settings.Outages)-1].From
	}
	switch {
	case reason != "" && !n.Held():
		return true, s.proceed(ctx, n, func(n *Competition) error {
			n.Rules = n.Rules.Hold(reason, competition.Stamp(max(since, n.Credited)))
			return nil
		})
	case reason == "" && (n.HeldFor(storage.PausedRemoved) || n.HeldFor(heldByOutage)):
		return true, s.proceed(ctx, n, func(n *Competition) error {
			release(n, n.Rules.HeldFor, s.now())
			return nil
		})
	}
	return false, nil
}

// letSleep sets the time of reminders for people who have not replied (CO-17): outside their quiet hours and absences,
// or never if they want no reminders. It handles users who were asked just now and, if due is set, also users whose
// reminder is due.
func (s *Service) letSleep(ctx context.Context, n *Competition, due bool) error {
	for _, call := range n.Rules.Calls() {
		if call.Put && (!due || storage.Stamp(call.At) > s.now()) {
			continue
		}
		settings, err := s.tables.Choices.Settings(ctx, n.Server)
		if err != nil {
			return err
		}
		of, err := s.tables.Choices.Conditions(ctx, n.Server, settings, call.User)
		if err != nil {
			return err
		}
		at := of.Call(storage.Stamp(call.Asked), storage.Stamp(call.At), storage.Stamp(call.Until), s.now())
		if at == 0 {
			at = storage.Stamp(call.Until)
		}
		n.Rules = n.Rules.PutCall(call.User, competition.Stamp(at))
	}
	return nil
}

// heldByOutage is the reason for a hold during an outage of the server.
const heldByOutage = "outage"

// tried handles the error err of a post. If the channel was deleted or refuses messages, it stops the competition's
// clocks, and the host is told. It returns err.
func (s *Service) tried(ctx context.Context, n Competition, err error) error {
	if !errors.As(err, new(*table.PermanentError)) || n.Refused && (n.Held() || n.Over()) {
		return err
	}
	return errors.Join(err, s.bySystem(ctx, n, func(now *Competition) error {
		if now.Channel == n.Channel { // the competition can have moved since
			s.standStill(now)
		}
		return nil
	}))
}

// standStill stops the clocks of a competition whose channel refuses messages.
func (s *Service) standStill(n *Competition) {
	n.Refused = true
	if !n.Held() && !n.Over() {
		n.Rules = n.Rules.Hold(storage.PausedChannelGone, competition.Stamp(s.now()))
	}
}

// warn tells the host of a competition, once per trouble, why other people cannot see its state.
func (s *Service) warn(ctx context.Context, n *Competition) error {
	what := n.Trouble()
	if what != storage.NoTrouble {
		if err := s.announcer.Warn(ctx, *n); err != nil {
			return err
		}
	}
	return s.proceed(ctx, n, func(n *Competition) error {
		n.Warned = what
		return nil
	})
}

func (s *Service) showCard(ctx context.Context, n *Competition) error {
	shown := n.Drawn
	message, err := s.announcer.ShowCard(ctx, *n)
	refused := errors.Is(err, ErrCard)
	if err = s.tried(ctx, *n, err); err != nil && !refused {
		return err
	}
	return s.proceed(ctx, n, func(now *Competition) error {
		if now.Channel == n.Channel {
			now.Card = storage.Sign{Message: message, Shown: shown, Refused: refused}
		}
		return nil
	})
}

// announce posts the first batch of announcements. A success shows that the channel accepts messages again.
func (s *Service) announce(ctx context.Context, n Competition) error {
	n.News = n.News[:n.Batch]
	if err := s.tried(ctx, n, s.announcer.Announce(ctx, n)); err != nil {
		return err
	}
	return s.bySystem(ctx, n, func(now *Competition) error {
		if now.Messages == n.Messages {
			now.News, now.Batch, now.Messages = slices.Clone(now.News[n.Batch:]), 0, now.Messages+1
		}
		if now.Channel == n.Channel {
			now.Refused = false
			release(now, storage.PausedChannelGone, s.now())
		}
		return nil
	})
}

// place is the channel or thread in which a pairing's game is played.
type place struct {
	channel string
	card    storage.Card
	message string // id of the message about the game in the channel
}

// placeOf returns the place in which a pairing is played: a thread of the competition's channel, or the channel itself.
// The first call only posts and records the message for the thread, and returns nil. Later calls use that message and
// open its thread. lost is the game's former channel, or "".
func (s *Service) placeOf(ctx context.Context, n *Competition, p competition.Pairing,
	lost string) (*place, error) {
	message := posted(n, p.No)
	if message == "" {
		message, err := s.announcer.PostPairing(ctx, *n, p, lost)
		if err = s.tried(ctx, *n, err); err != nil {
			return nil, err
		}
		return nil, s.proceed(ctx, n, func(now *Competition) error {
			if now.Channel == n.Channel {
				now.Posted = append(slices.Clip(now.Posted), storage.PairingCard{Pairing: p.No, Message: message})
			}
			return nil
		})
	}
	thread, err := s.announcer.OpenThread(ctx, *n, p, message)
	if err = s.tried(ctx, *n, err); err != nil {
		return nil, err
	}
	if thread == "" {
		return &place{channel: n.Channel, message: message}, nil
	}
	return &place{channel: thread, message: message,
		card: storage.Card{Channel: n.Channel, Message: message, Thread: thread}}, nil
}

// posted returns the id of the message that announces a pairing, or "" if none is recorded.
func posted(n *Competition, pairing int) string {
	for _, card := range n.Posted {
		if card.Pairing == pairing {
			return card.Message
		}
	}
	return ""
}

// unpost removes the record of a pairing's message.
func unpost(n *Competition, pairing int) {
	n.Posted = slices.DeleteFunc(slices.Clone(n.Posted), func(card storage.PairingCard) bool {
		return card.Pairing == pairing
	})
}

// open posts the message for a pairing's thread if none is recorded. Otherwise it opens the pairing's table, or finds
// the open table.
func (s *Service) open(ctx context.Context, n *Competition, p competition.Pairing) error {
	if posted(n, p.No) == "" {
		if err := s.tables.RoomForMatch(ctx, n.Server); err != nil {
			return err
		}
	}
	at, err := s.placeOf(ctx, n, p, "")
	if err != nil || at == nil {
		return err
	}
	m := table.NewMatch{Of: n, Game: uint64(p.No), Channel: at.channel, Card: at.card, Start: at.message}
	for _, i := range p.Seats {
		who, ok := n.Person(n.Rules.Entrants[i].User)
		if !ok {
			return fmt.Errorf("nobody is known as entrant %d of competition %d", i, n.Number)
		}
		m.Players = append(m.Players, who)
	}
	snap, err := s.tables.OpenMatch(ctx, m)
	if err != nil {
		return err
	}
	return s.proceed(ctx, n, func(now *Competition) error {
		unpost(now, p.No)
		rules, err := now.Rules.Opened(p.No, snap.ID.String())
		other := slices.ContainsFunc(p.Seats, func(e int) bool {
			user := now.Rules.Entrants[e].User
			return user != "" && user != n.Rules.Entrants[e].User // a substitute has replaced the seated player
		})
		if errors.Is(err, competition.ErrOver) { // decided in the meantime
			rules, other, err = now.Rules, true, nil
		}
		if other && !slices.Contains(now.Stop, p.No) {
			now.Stop = append(slices.Clip(now.Stop), p.No)
		}
		now.Rules = rules
		return err
	})
}

// bring moves a pairing's table to the competition's channel if the table's channel was deleted. If no message for the
// new thread is recorded, bring only posts it. It removes the moved table from the list n.Bring, and also tables
// directly after it that need not move.
func (s *Service) bring(ctx context.Context, n *Competition, pairing int) error {
	from := slices.Index(n.Bring, pairing)
	to := from
	for ; to < len(n.Bring); to++ {
		p, _ := n.Rules.Pairing(n.Bring[to])
		snap, err := s.tableOf(ctx, *n, p.No)
		if err == nil && (snap == nil || !snap.LostChannel() || p.End != "" || n.Over()) {
			continue
		}
		if to > from { // this table moves in the next step
			break
		}
		if err != nil {
			return err
		}
		at, err := s.placeOf(ctx, n, p, snap.Channel)
		if err != nil || at == nil {
			return err
		}
		if old := snap.Card; old.Message != "" { // MoveMatch gives the table the new card
			if err := s.announcer.DropCard(ctx, old); err != nil {
				return err
			}
		}
		if err := s.tables.MoveMatch(ctx, snap.ID, at.channel, at.card); err != nil {
			return err
		}
	}
	return s.proceed(ctx, n, func(now *Competition) error {
		if now.Version == n.Version { // otherwise the game can have moved again
			for _, no := range now.Bring[from:to] {
				unpost(now, no)
			}
			now.Bring = slices.Delete(slices.Clone(now.Bring), from, to)
		}
		return nil
	})
}

// tableOf returns a pairing's table, even if the pairing does not refer to the table yet. It returns nil if there is no
// table, or if the table is frozen.
func (s *Service) tableOf(ctx context.Context, n Competition, pairing int) (*table.Snapshot, error) {
	id, err := s.store.TableOf(ctx, n.ID(), uint64(pairing))
	if err != nil || id == 0 {
		return nil, err
	}
	snap, err := s.tables.Lookup.Snapshot(ctx, id)
	if errors.Is(err, storage.ErrNoTable) || table.IsFrozen(err) {
		return nil, nil
	}
	return snap, err
}

// overdue handles a pairing whose deadline has come. It reports a finished game that was not reported. Otherwise it
// extends the deadline by the absences and pauses since the pairing became ready. If the deadline has come all the
// same, it ends the pairing.
func (s *Service) overdue(ctx context.Context, n *Competition, p competition.Pairing) error {
	snap, err := s.tableOf(ctx, *n, p.No)
	if err != nil {
		return err
	}
	if snap != nil && snap.Status == table.Over && !snap.Competition.Reported {
		if err := s.report(ctx, snap); err != nil {
			return err
		}
		*n, err = s.Get(ctx, n.ID())
		return err
	}
	outcome := competition.Outcome{End: competition.Abandoned}
	stood := competition.Stamp(0)
	if snap != nil {
		stored, err := s.store.Load(ctx, snap.ID)
		if err != nil {
			return err
		}
		if stood, err = s.stood(ctx, *n, p, stored); err != nil {
			return err
		}
		used, err := TimeUsed(ctx, s.tables, stored)
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
			if n.Rules.Entrants[e].Out != 0 || snap.HasStarted() && !snap.In(seat) {
				left = append(left, i)
			}
			if timedOut(stored.Events, seat) {
				late = append(late, i)
			}
		}
		outcome = competition.ByTime(byEntrant, left...)
		outcome.Late = late
	}
	return s.proceed(ctx, n, func(now *Competition) error {
		rules, err := now.Rules.Stretch(p.No, stood)
		if err != nil {
			return err
		}
		if after, _ := rules.Pairing(p.No); after.Deadline <= competition.Stamp(s.now()) {
			if rules, err = rules.Report(p.No, outcome, competition.Stamp(s.now())); err != nil {
				return err
			}
		}
		now.Rules = rules
		return nil
	})
}

// seatOf returns an entrant's seat at a table, or Nobody. place is the entrant's index in the pairing.
func seatOf(n Competition, h storage.Head, place, entrant int) games.Seat {
	if seat := h.Seat(n.Rules.Entrants[entrant].User); seat >= 0 {
		return seat
	}
	if p := pairingOf(n, h.Competition); len(p.Seats) == len(h.Seats) && place < len(h.Seats) {
		return games.Seat(place) // no seat has the user, for example because the data were deleted
	}
	return games.Nobody
}

func pairingOf(n Competition, of storage.CompetitionGame) competition.Pairing {
	p, _ := n.Rules.Pairing(int(of.Game))
	return p
}

// stop makes a pairing's table follow the pairing: entrants who are out resign, substitutes replace their entrants, and
// an unfinished game of an ended pairing is stopped.
func (s *Service) stop(ctx context.Context, n *Competition, pairing int) error {
	p, _ := n.Rules.Pairing(pairing)
	snap, err := s.tableOf(ctx, *n, pairing)
	if err != nil {
		return err
	}
	if snap != nil && snap.Status != table.Over {
		if err := s.tables.SettleMatch(ctx, snap.ID, func(h storage.Head) table.Settlement {
			return settlement(*n, p, h)
		}); err != nil {
			return err
		}
	}
	return s.proceed(ctx, n, func(now *Competition) error {
		if now.Version == n.Version { // otherwise another entrant can have left or been replaced
			now.Stop = slices.DeleteFunc(slices.Clone(now.Stop), func(no int) bool { return no == pairing })
		}
		return nil
	})
}

// settlement returns the changes that a pairing makes to its table: entrants who are out leave, and substitutes take
// their entrants' seats (CO-15).
func settlement(n Competition, p competition.Pairing, h storage.Head) table.Settlement {
	what := table.Settlement{Ended: p.End != ""}
	for place, e := range p.Seats {
		seat := seatOf(n, h, place, e)
		if seat < 0 {
			continue
		}
		if n.Rules.Entrants[e].Out != 0 {
			what.Leave = append(what.Leave, seat)
		}
		if who, known := n.Person(n.Rules.Entrants[e].User); known {
			what.Take = append(what.Take, table.Substitute{Seat: seat,
				Who: storage.Occupant{User: who.User, Name: who.Name}})
		}
	}
	return what
}

// report adds the result of a table to its competition, or a decision that the result is void or counts again. Then it
// records at the table that this was done.
func (s *Service) report(ctx context.Context, snap *table.Snapshot) error {
	id := ID{Server: snap.Guild, Number: snap.Competition.Number}
	stored, err := s.store.Load(ctx, snap.ID)
	if err != nil {
		return err
	}
	void := false
	switch r, err := s.store.Result(ctx, snap.ID); {
	case err == nil:
		void = r.Voided != nil
	case !errors.Is(err, storage.ErrNoResult):
		return err
	}
	_, err = s.change(ctx, table.SystemActor, id, func(n *Competition) error {
		p, ok := n.Rules.Pairing(int(snap.Competition.Game))
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
		case outcome.End == competition.Abandoned: // the pairing was already decided
		case void != (p.End == competition.Void) && p.End != competition.Walkover && p.End != competition.Unfinished:
			if r, err := rules.Correct(p.No, outcome); err == nil {
				rules = r
			} // otherwise nothing changes: the competition is over, or later rounds depend on the old result
		}
		n.Rules = rules
		unpost(n, p.No)
		return nil
	})
	if err != nil && !errors.Is(err, storage.ErrNoCompetition) {
		return err
	}
	return s.tables.NoteReported(ctx, snap.ID)
}

// outcomeOf returns the outcome of a pairing from its finished table.
func outcomeOf(n Competition, p competition.Pairing, snap *table.Snapshot, events []storage.Event) competition.Outcome {
	if !snap.HasStarted() || snap.Ending == games.Abandoned {
		return competition.Outcome{End: competition.Abandoned}
	}
	o := competition.Outcome{End: competition.Played}
	r := snap.Outcome()
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
	ranked := slices.Clone(o.Places) // places among the pairing's entrants; the table can have further seats
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

// timedOut reports whether a seat has run out of time.
func timedOut(events []storage.Event, seat games.Seat) bool {
	return slices.ContainsFunc(events, func(e storage.Event) bool {
		return e.Kind == storage.TimedOut && e.Seat == seat
	})
}

// sweep runs the competitions that are due.
func (s *Service) sweep(ctx context.Context) {
	list, err := s.store.CompetitionsDue(ctx, s.now(), mostJobs)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			s.log.ErrorContext(ctx, "which competitions are due cannot be read; trying again", "error", err)
		}
		return
	}
	for _, id := range list {
		s.workers.poke(id, false)
	}
}

// Look runs a server's unfinished competitions, for example when the server is available again or a channel has
// changed.
func (s *Service) Look(ctx context.Context, server string) {
	list, err := s.store.ActiveCompetitions(ctx, server, mostWithSeasons)
	if err != nil {
		s.log.WarnContext(ctx, "a server's competitions cannot be read", "guild", server, "error", err)
		return
	}
	for _, id := range list {
		s.workers.poke(id, true)
	}
}

// LoseChannel stops the clocks of the competitions whose channel was deleted.
func (s *Service) LoseChannel(ctx context.Context, server, channel string) {
	list, err := s.store.ActiveCompetitions(ctx, server, mostWithSeasons)
	for _, id := range list {
		n, gerr := s.read(ctx, id)
		if err = errors.Join(err, gerr); gerr != nil || n.Channel != channel || n.Held() {
			continue
		}
		err = errors.Join(err, s.bySystem(ctx, n, func(n *Competition) error {
			s.standStill(n)
			return nil
		}))
	}
	if err != nil && !errors.Is(err, table.ErrNotOwner) {
		s.log.WarnContext(ctx,
			"it could not be noted that a competition has no channel; it is when it next has something to tell",
			"guild", server, "error", err)
	}
}

// active reports whether a server has an unfinished competition.
func (s *Service) active(ctx context.Context, server string) (bool, error) {
	list, err := s.store.ActiveCompetitions(ctx, server, 1)
	return len(list) > 0, err
}

// forget withdraws a user from all competitions, because the user's data are being deleted. The user id as takes the
// user's place as host.
func (s *Service) forget(ctx context.Context, user, as string) error {
	for {
		list, err := s.store.CompetitionsOf(ctx, user, listLimit)
		if err != nil {
			return err
		}
		for _, id := range list {
			_, err := s.change(ctx, table.Actor{}, id, func(n *Competition) error {
				n.Rules = n.Rules.Forget(user, competition.Stamp(s.now()))
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

// Entered is an entry in the export of a user's data: a competition that the user has entered, or is asked to enter
// as a substitute.
type Entered struct {
	Competition string    `json:"competition"`
	Server      string    `json:"server"`
	Title       text.Name `json:"title"`
	Name        text.Name `json:"name"` // name under which the user entered
	Rating      int       `json:"rating"`
	Interaction string    `json:"interaction"`
	// set if the user was asked to substitute, and has not replied
	Asked bool `json:"asked,omitempty"`
}

// Of returns the competitions on a server that a user has entered, or is asked to enter as a substitute. If server is
// "", it returns those on all servers. It looks at no more than listLimit of the user's competitions.
func (s *Service) Of(ctx context.Context, user, server string) (all []Competition, err error) {
	list, err := s.store.CompetitionsOf(ctx, user, listLimit)
	if err != nil {
		return nil, err
	}
	for _, id := range list {
		if server != "" && id.Server != server {
			continue
		}
		n, err := s.read(ctx, id)
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

// export returns a user's competitions for the export of the user's data.
func (s *Service) export(ctx context.Context, user string) (name string, data any, err error) {
	list, err := s.Of(ctx, user, "")
	if err != nil || len(list) == 0 {
		return "", nil, err
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
	return "competitions", all, nil
}
