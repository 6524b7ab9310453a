package table

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"marque/bot/choices"
	"marque/bot/table/clock"
	"marque/games"
	"marque/games/computer"
	"marque/games/fair"
	"marque/games/text"
	"marque/storage"
)

// draft is a table while a command changes it. Nothing of the snapshot that it was made from is
// changed.
type draft struct {
	Head
	ctx       context.Context // of the command
	choices   *choices.Service
	chosen    *Settings // of the server, once they have been asked for
	by        Actor
	now       storage.Stamp
	game      games.Game
	before    *Snapshot       // nil for a new table
	detail    *storage.Detail // nil until it is changed
	match     *games.Match
	events    []Event
	result    *storage.Result
	endedBy   string
	takenBack [][]games.Entry // as in Snapshot
	noted     bool            // an entry of the log has the command's interaction
	keep      keep
	computers bool // computer players can be asked for their moves
	first     bool // a new table that is to be the only one of its channel
	limits    []storage.Limit
	pairing   string        // for which a new table is opened
	fence     storage.Fence // of what nobody asked for
	// stored reads the table with its events.
	stored func() (storage.Table, error)
	rooms  *rooms
}

// keep says what of a draft is committed besides its events, and whether the commit is told.
type keep uint8

const (
	keepEvents keep = iota // without an event nothing is committed
	keepAll                // there is something to commit besides events
	keepUntold             // likewise, and nothing to tell
)

// maxUnasked bounds how many plays in a row the table makes without asking anybody. Games end far
// below it; a game that does not is at fault.
const maxUnasked = 10_000

func newDraft(ctx context.Context, by Actor, snap *Snapshot, now storage.Stamp) *draft {
	d := &draft{Head: snap.Head, ctx: ctx, by: by, now: now, game: snap.game, before: snap, takenBack: snap.takenBack}
	d.Seats = slices.Clone(snap.Seats)
	if snap.match != nil {
		d.match = snap.match.Fork()
	}
	return d
}

// details is the detail, for reading and changing.
func (d *draft) details() *storage.Detail {
	if d.detail == nil {
		c := d.before.detail
		c.Inputs, c.Invited = slices.Clone(c.Inputs), slices.Clone(c.Invited)
		d.detail = &c
	}
	return d.detail
}

// seen is the detail, for reading.
func (d *draft) seen() storage.Detail {
	if d.detail != nil {
		return *d.detail
	}
	return d.before.detail
}

func (d *draft) add(kind storage.Kind, seat games.Seat, user, text string) {
	d.events = append(d.events, Event{Kind: kind, At: d.now, Seat: seat, User: user, Text: text})
}

// addNamed notes an event whose text is a name.
func (d *draft) addNamed(kind storage.Kind, seat games.Seat, user string, name text.Name) {
	d.add(kind, seat, user, name.Plain())
}

// lobby refuses what must happen before the start.
func (d *draft) lobby() error {
	switch d.Status {
	case Over:
		return refuseOver()
	case Playing:
		return Refuse(ErrStarted, text.M("table.error.started"))
	}
	return nil
}

// seat is the actor's.
func (d *draft) seat() (games.Seat, error) {
	seat := d.Seat(d.by.User)
	if seat < 0 {
		return 0, Refuse(ErrNotSeated, text.M("table.error.not-seated"))
	}
	return seat, nil
}

// player is the seat of an actor who is still in a game that goes on.
func (d *draft) player() (games.Seat, error) {
	if d.Status == Over {
		return 0, refuseOver()
	}
	seat, err := d.seat()
	switch {
	case err != nil:
		return 0, err
	case d.Status == Lobby:
		return 0, refuseNotStarted()
	case !d.match.In(seat):
		return 0, Refuse(ErrOut, text.M("table.error.out"))
	case d.Paused != "":
		return 0, Refuse(ErrPaused, text.M("table.error.paused"))
	}
	return seat, nil
}

// PlayerSeat is the seat of an actor who is still in a game that goes on. It returns ErrOver,
// ErrNotSeated, ErrNotStarted, ErrOut or ErrPaused.
func (s *Service) PlayerSeat(ctx context.Context, by Actor, snap *Snapshot) (games.Seat, error) {
	return newDraft(ctx, by, snap, s.tables.now()).player()
}

// proposal is the seat of a player, while this is proposed as it was in version seen; 0 when that is
// not known.
func (d *draft) proposal(kind ProposalKind, seen uint64) (games.Seat, error) {
	seat, err := d.player()
	if err != nil {
		return 0, err
	}
	switch p := d.Proposal; {
	case p.Kind == storage.NoProposal:
		return 0, refuseNoProposal()
	case p.Kind != kind || seen != 0 && p.Asked > seen:
		return 0, Refuse(ErrOtherProposal, text.M("table.error.proposal-settled"))
	}
	return seat, nil
}

// accept agrees for a seat.
func (d *draft) accept(seat games.Seat) error {
	switch {
	case d.Proposal.Has(seat):
		return refuseAgreed()
	case d.Proposal.Kind == Abandon && d.snapshot().Staked(): // somebody has moved since it was asked
		return refuseStaked(d.Head)
	}
	d.Proposal.Agreed |= 1 << uint(seat)
	d.add(storage.Agreed, seat, "", string(d.Proposal.Kind))
	return d.agree()
}

// agree carries out what all who are still in agree to. Computers have a say in draws, and leave
// the rest to the people.
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
		return nil // it stands until somebody takes the seat
	}
	switch d.Proposal.Kind {
	case Draw:
		return d.end(games.Agreed)
	case Undo:
		return d.takeBack(d.Proposal.By)
	}
	return d.end(games.Abandoned)
}

// aloneInDraw reports whether one seat alone has a say in a draw while another that is still in has no holder. A
// draw counts for everybody, so it takes two to agree.
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
	d.unoffer(seat)
	if err := d.advance(); err != nil {
		return err
	}
	if d.Status == Over {
		return nil
	}
	// The others may now all agree, or nobody may be left who asked.
	if d.Proposal.By == seat {
		d.Proposal = Proposal{}
	}
	return d.agree()
}

// movedOn takes off the table what a player who has moved did not agree to, and a wish to stop a
// game that can only be resigned now.
func (d *draft) movedOn(seat games.Seat) {
	p := d.Proposal
	if d.Status == Over || p.Kind == storage.NoProposal || p.Has(seat) &&
		(p.Kind != Abandon || !d.snapshot().Staked()) {
		return
	}
	kind := storage.Declined
	if p.By == seat {
		kind = storage.Withdrew
	}
	d.add(kind, seat, "", string(p.Kind))
	d.Proposal = Proposal{}
}

// lapse takes the wish to take back off the table. It is called wherever the log grows: those who
// were asked know nothing of what would be taken back besides.
func (d *draft) lapse() {
	if d.Proposal.Kind == Undo {
		d.add(storage.Declined, games.Nobody, "", string(Undo))
		d.Proposal = Proposal{}
	}
}

// begin draws the seats and starts the match. id is the interaction that starts it.
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
	d.match, detail.Setup = m, m.Header().Setup // an option that came after the table was opened has its default
	d.Status, d.Started = Playing, d.now
	d.add(storage.Started, games.Nobody, "", "")
	return d.advance()
}

// play plays a move or an outcome.
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

// advance plays what needs no decision: dice and cards, drawn from the table's secret, and forced
// moves. It ends the table when the match is over.
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

// end ends the table: by the rules (NotEnded) or by the last resignation, which the match knows of,
// or by agreement or abandonment.
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
		Plays: d.match.Len(), Started: d.Started, Ended: d.now,
		Brief: brief(d.match, d.Seats), Stayed: stayed(d.match, d.game.Traits().Usual, d.Seats),
	}
	d.result.Unrated = d.seen().Unrated || helped(*d.result, d.seen().Hinted)
	if d.result.Computers() {
		d.result.ComputerVersion = computer.Version
	}
	return nil
}

// helped reports whether a seat that had hints, of which hinted are the bits, leaves another behind or wins: only its
// defeat counts.
func helped(r storage.Result, hinted uint64) bool {
	places := r.Places()
	for seat, at := range places {
		if hinted>>uint(seat)&1 == 1 && (at == 1 || at < slices.Max(places)) {
			return true
		}
	}
	return false
}

// brief are the seats, as bits, that no computer holds and that have decided less than storage.LeastDecisions times.
func brief(m *games.Match, seats []Occupant) (bits uint64) {
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

// stayed is for Result.Stayed when the people left their seats, of a game that usually takes so many plays.
func stayed(m *games.Match, usual int, seats []Occupant) (shares []int) {
	for n, e := range m.Log() {
		share := 400 * n / usual
		if e.Text != games.Resigns || share >= 100 || seats[e.Seat].Computer != "" {
			continue
		}
		if shares == nil {
			shares = slices.Repeat([]int{100}, len(seats))
		}
		shares[e.Seat] = share
	}
	return shares
}

// finish is what is to be committed once a command has changed the draft, and the table as it is then. It lets follow
// what players left to be played, which may end the game; then sets the clock, which may return a seat to its player;
// then accounts for all of that, and numbers it last.
func (d *draft) finish() (storage.Change, *Snapshot, error) {
	if err := d.follow(); err != nil {
		return storage.Change{}, nil, err
	}
	if err := d.schedule(); err != nil {
		return storage.Change{}, nil, err
	}
	conduct, err := d.account()
	if err != nil {
		return storage.Change{}, nil, err
	}
	change := d.change()
	change.Conduct = conduct
	return change, d.snapshot(), nil
}

// change brings the head up to date with the match and the events. It is called by finish alone, as are follow,
// schedule and account.
func (d *draft) change() storage.Change {
	d.Version++
	d.Changed = d.now
	d.ToMove = games.Nobody
	if d.match != nil {
		if d.match.Len() != d.Plays || d.Digest == "" {
			d.Board, d.Plays, d.Digest = d.Version, d.match.Len(), d.match.Digest()
		}
		if d.Status == Over && (d.before == nil || d.before.Status != Over) {
			d.Board = d.Version
		}
		d.ToMove = d.match.ToMove()
	}
	d.Events += uint64(len(d.events))
	for i := range d.events {
		d.events[i].Version = d.Version
	}
	return storage.Change{Key: d.by.Key, Head: d.Head, Detail: d.detail, Events: d.events, Result: d.result,
		Alone: d.first, Pairing: d.pairing, Limits: d.limits, Fence: d.fence}
}

// unchanged reports whether a change, which no command has made, leaves everything as it was.
func (d *draft) unchanged(c storage.Change) bool {
	head := c.Head
	head.Version, head.Changed = d.before.Version, d.before.Changed
	return len(c.Events) == 0 && len(c.Conduct) == 0 && c.Result == nil &&
		(c.Detail == nil || reflect.DeepEqual(*c.Detail, d.before.detail)) && reflect.DeepEqual(head, d.before.Head)
}

// snapshot is the table as it was committed.
func (d *draft) snapshot() *Snapshot {
	return &Snapshot{Head: d.Head, detail: d.seen(), match: d.match, game: d.game, takenBack: d.takenBack}
}

// settings are the choices of the table's server. They are read once for a command.
func (d *draft) settings() (Settings, error) {
	if d.chosen == nil {
		s, err := d.choices.Settings(d.ctx, d.Guild)
		if err != nil {
			return s, err
		}
		d.chosen = &s
	}
	return *d.chosen, nil
}

// conditions are what the table's clock depends on while a user is to move.
func (d *draft) conditions(user string) (clock.Conditions, error) {
	s, err := d.settings()
	if err != nil {
		return clock.Conditions{}, err
	}
	c, err := d.choices.Conditions(d.ctx, d.Guild, s, user)
	return whileUntold(c, d.Timing, d.now), err
}
