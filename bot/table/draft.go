package table

import (
	"context"
	"slices"
	"time"

	"marque/bot/choices"
	"marque/games"
	"marque/games/text"
	"marque/storage"
)

// draft is a table while a command changes it. The snapshot before stays unchanged.
type draft struct {
	Head
	ctx       context.Context // context of the command that makes the change
	choices   *choices.Service
	chosen    *choices.Settings // the server's settings, once they have been read
	by        Actor
	now       storage.Stamp
	game      games.Game
	before    *Snapshot       // nil for a new table
	detail    *storage.Detail // copy of the detail that the command changes; nil before the first change
	match     *games.Match
	events    []Event
	result    *storage.Result
	endedBy   string
	takenBack [][]games.Entry // logs before the latest undos; see Snapshot.takenBack
	noted     bool            // an entry of the log already has the interaction of this command
	keep      keep
	computers bool // there are computer players that can choose moves
	first     bool // a new table, refused if its channel has another unfinished one
	limits    []storage.Limit
	pairing   string        // key of the pairing for which the table is opened
	fence     storage.Fence // lease under which the bot acts if there is no command
	// stored reads the table with its events.
	stored func() (storage.Table, error)
	rooms  *rooms
}

// keep selects whether a draft without events is committed, and whether it is published.
type keep uint8

const (
	keepEvents      keep = iota // commit only if there are events
	keepAll                     // commit even without events
	keepUnpublished             // commit even without events, and publish nothing
)

func newDraft(ctx context.Context, by Actor, snap *Snapshot, now storage.Stamp) *draft {
	d := &draft{Head: snap.Head, ctx: ctx, by: by, now: now, game: snap.game, before: snap, takenBack: snap.takenBack}
	d.Seats = slices.Clone(snap.Seats)
	if snap.match != nil {
		d.match = snap.match.Fork()
	}
	return d
}

// details returns the table's detail so that the command can change it. Of its slices, only Inputs and Invited are
// copies. The others must be cloned before a change.
func (d *draft) details() *storage.Detail {
	if d.detail == nil {
		c := d.before.detail
		c.Inputs, c.Invited = slices.Clone(c.Inputs), slices.Clone(c.Invited)
		d.detail = &c
	}
	return d.detail
}

// seen returns the table's detail for reading only.
func (d *draft) seen() storage.Detail {
	if d.detail != nil {
		return *d.detail
	}
	return d.before.detail
}

func (d *draft) add(kind storage.Kind, seat games.Seat, user, text string) {
	d.events = append(d.events, Event{Kind: kind, At: d.now, Seat: seat, User: user, Text: text})
}

// addNamed adds an event whose text is a name.
func (d *draft) addNamed(kind storage.Kind, seat games.Seat, user string, name text.Name) {
	d.add(kind, seat, user, name.Plain())
}

// lobby refuses the command if the game has started or is over.
func (d *draft) lobby() error {
	switch d.Status {
	case Over:
		return refuseOver(d.match)
	case Playing:
		return Refuse(ErrStarted, text.M("table.error.started"))
	}
	return nil
}

// seat returns the actor's seat.
func (d *draft) seat() (games.Seat, error) {
	seat := d.Seat(d.by.User)
	if seat < 0 {
		return 0, Refuse(ErrNotSeated, text.M("table.error.not-seated"))
	}
	return seat, nil
}

// player returns the seat of an actor who still plays in a running game.
func (d *draft) player() (games.Seat, error) {
	if d.Status == Over {
		return 0, refuseOver(d.match)
	}
	seat, err := d.seat()
	switch {
	case err != nil:
		return 0, err
	case d.Status == Lobby:
		return 0, refuseNotStarted()
	case !d.match.In(seat):
		return 0, Refuse(ErrOut, text.M("table.error.out"))
	case d.Paused == storage.PausedByModerator:
		return 0, Refuse(ErrPaused, text.M("table.error.paused"))
	case d.Paused != "":
		return 0, Refuse(ErrPaused, text.M("table.error.paused-channel"))
	}
	return seat, nil
}

// proposal returns the seat of the actor. It refuses them unless the open proposal is of this kind and was open at
// version seen of the table; 0 if the version is unknown.
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

// lapse drops a proposed undo. It is called whenever the log grows, because nobody was asked about taking back the new
// plays.
func (d *draft) lapse() {
	if d.Proposal.Kind == Undo {
		d.add(storage.Declined, games.Nobody, "", string(Undo))
		d.Proposal = Proposal{}
	}
}

// offer offers a seat until unoffer is called. A move by a late player does not end this offer.
func (d *draft) offer(seat games.Seat) {
	d.Open |= 1 << uint(seat)
	d.Stays |= 1 << uint(seat)
}

// unoffer ends the offer of a seat, for whatever reason it was made.
func (d *draft) unoffer(seat games.Seat) {
	d.Open &^= 1 << uint(seat)
	d.Stays &^= 1 << uint(seat)
}

// helped reports whether a seat that had hints wins or finishes ahead of another seat, so that the result does not
// count. hinted has the seats with hints as bits.
func helped(r storage.Result, hinted uint64) bool {
	places := r.Places()
	for seat, at := range places {
		if hinted>>uint(seat)&1 == 1 && (at == 1 || at < slices.Max(places)) {
			return true
		}
	}
	return false
}

// stayed returns the value of storage.Result.Stayed, computed from the number of plays after which people left their
// seats. usual is the usual number of plays of the game.
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

// snapshot returns the draft's table as a Snapshot.
func (d *draft) snapshot() *Snapshot {
	return &Snapshot{Head: d.Head, detail: d.seen(), match: d.match, game: d.game, takenBack: d.takenBack}
}

// settings returns the settings of the table's server. They are read once for each command.
func (d *draft) settings() (choices.Settings, error) {
	if d.chosen == nil {
		s, err := d.choices.Settings(d.ctx, d.Guild)
		if err != nil {
			return s, err
		}
		d.chosen = &s
	}
	return *d.chosen, nil
}

// movable refuses commands that change the seating of a competition's table (CO-1).
func (d *draft) movable() error {
	if d.Competition.Number != 0 {
		return Refuse(ErrFixedSeats, text.M("table.error.fixed-seats"))
	}
	return nil
}

// longestRetry is the longest pause between retries, unless the first pause is longer. The pause doubles after each
// failure.
const longestRetry = time.Hour

// retry returns when to try again; first is the pause after the first try.
func (d *draft) retry(first time.Duration) Stamp {
	pause := first
	for n := 1; n < d.Tries && pause < longestRetry; n++ {
		pause *= 2
	}
	return d.now + Stamp(min(pause, max(first, longestRetry)).Milliseconds())
}
