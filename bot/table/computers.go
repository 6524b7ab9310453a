package table

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"marque/games"
	"marque/games/computer"
	"marque/games/review"
	"marque/games/text"
	"marque/storage"
)

// Computers think for the computer players; computer.Crew does. They are asked by several goroutines at once.
type Computers interface {
	// Levels names the levels, the weakest first.
	Levels() []string
	// Choose picks a move for the viewer, who is to move. waiting is how many other tables wait to be thought for. When ctx ends it
	// returns the best so far.
	Choose(ctx context.Context, level string, v games.View, seed uint64, waiting int) (games.Move, computer.Thought, error)
	review.Judge
	// Threaten finds what the viewer, who is to move, threatens by a move; false when it is nothing.
	Threaten(ctx context.Context, v games.View, m games.Move, seed uint64) (computer.Threat, bool)
	// Estimate is the chance that the viewer wins, whoever is to move. The more other tables wait, the less time is taken.
	Estimate(ctx context.Context, v games.View, seed uint64, waiting int) float64
}

// Sailor is a computer player that is to hold a seat.
type Sailor struct {
	Level string // one of Computers.Levels
	Name  string // as it is shown
}

// Levels names the levels of computer players, the weakest first; none when there are no computer players.
func (s *Service) Levels() []string {
	if s.crew == nil {
		return nil
	}
	return s.crew.mind.Levels()
}

// checkLevel refuses a level that there is not.
func (s *Service) checkLevel(level string) error {
	if levels := s.Levels(); !slices.Contains(levels, level) {
		return refuse(ErrNoLevel, text.M("table.error.no-level", "Level", level, "Want", text.Or(raw(levels)), "Count", len(levels)))
	}
	return nil
}

func raw(words []string) []text.Message {
	out := make([]text.Message, len(words))
	for i, w := range words {
		out[i] = text.Raw(w)
	}
	return out
}

// AddComputer seats a computer player at a table that has not started. Who has a seat there, or a moderator, may. It returns ErrStarted, ErrOver, ErrNotSeated,
// ErrNoLevel, ErrFull or ErrKept.
func (s *Service) AddComputer(ctx context.Context, by Actor, id ID, c Sailor) (*Snapshot, error) {
	if by.Key == "" {
		return nil, ErrNoKey
	}
	if err := s.checkLevel(c.Level); err != nil {
		return nil, err
	}
	return s.command(ctx, by, id, func(d *draft) error {
		if err := d.lobby(); err != nil {
			return err
		}
		if _, err := d.seat(); err != nil && !by.Moderator {
			return err
		}
		detail := d.details()
		switch {
		case len(d.Seats) >= d.Most:
			return refuse(ErrFull, text.M("table.error.full"))
		case len(d.Seats)+len(detail.Invited) >= d.Most:
			return refuse(ErrKept, text.M("table.error.kept", "Count", len(detail.Invited)))
		}
		d.muster(c, by.Key)
		if detail.WhenFull && len(d.Seats) == d.Most {
			return d.begin()
		}
		return nil
	})
}

// muster seats a computer in the lobby. key is mixed into the draws like that of a person who joins.
func (d *draft) muster(c Sailor, key string) {
	d.Seats = append(d.Seats, Occupant{Name: c.Name, Computer: c.Level})
	detail := d.details()
	detail.Joins = append(detail.Joins, key)
	d.add(storage.Joined, games.Nobody, "", c.Name)
}

// DismissComputer takes the computer player that came last from a table that has not started. Who has a seat there, or a moderator, may. It returns ErrStarted,
// ErrOver, ErrNotSeated or ErrNoComputer.
func (s *Service) DismissComputer(ctx context.Context, by Actor, id ID) (*Snapshot, error) {
	return s.command(ctx, by, id, func(d *draft) error {
		if err := d.lobby(); err != nil {
			return err
		}
		if _, err := d.seat(); err != nil && !by.Moderator {
			return err
		}
		for i := len(d.Seats) - 1; i >= 0; i-- {
			if d.Seats[i].Computer != "" {
				detail := d.details()
				d.add(storage.Left, games.Nobody, "", d.Seats[i].Name)
				d.Seats = slices.Delete(d.Seats, i, i+1)
				detail.Joins = slices.Delete(detail.Joins, i, i+1)
				return nil
			}
		}
		return refuse(ErrNoComputer, text.M("table.error.no-computer"))
	})
}

// TakeByComputer gives a seat that is offered to a computer player. Who has a seat, or a moderator, may. With seat Nobody it is the first that is offered. It
// returns ErrOver, ErrNotStarted, ErrNotSeated, ErrNoLevel or ErrNotOffered.
func (s *Service) TakeByComputer(ctx context.Context, by Actor, id ID, seat games.Seat, c Sailor) (*Snapshot, error) {
	if err := s.checkLevel(c.Level); err != nil {
		return nil, err
	}
	return s.command(ctx, by, id, func(d *draft) error {
		switch {
		case d.Status == Over:
			return d.over()
		case d.Status == Lobby:
			return refuse(ErrNotStarted, text.M("table.error.not-started"))
		}
		if _, err := d.seat(); err != nil && !by.Moderator {
			return err
		}
		for n := games.Seat(0); seat == games.Nobody && int(n) < len(d.Seats); n++ {
			if IsOpen(d.Head, n) {
				seat = n
			}
		}
		if !IsOpen(d.Head, seat) || !d.match.In(seat) {
			return refuse(ErrNotOffered, text.M("table.error.not-offered"))
		}
		d.unoffer(seat)
		if err := d.reseat(seat, Occupant{Name: oneLine(c.Name), Computer: c.Level}); err != nil {
			return err
		}
		d.add(storage.Taken, seat, "", c.Name)
		return d.agree() // a computer leaves to the people what its seat was asked
	})
}

// waitsForComputer reports whether a computer player has something to decide: it is to move, or a draw is proposed that it has not answered.
func waitsForComputer(h Head, m *games.Match) bool {
	if h.Status != Playing || h.Paused != "" {
		return false
	}
	return holder(h, h.ToMove).Computer != "" || len(undecided(h, m)) > 0
}

// undecided are the computers that have not answered the draw that is proposed.
func undecided(h Head, m *games.Match) []games.Seat {
	var seats []games.Seat
	if h.Proposal.Kind == Draw {
		for _, seat := range m.StillIn() {
			if h.Seats[seat].Computer != "" && !h.Proposal.Has(seat) {
				seats = append(seats, seat)
			}
		}
	}
	return seats
}

const (
	// thinkers is how many tables are thought for at once.
	thinkers = 2
	// maxWaiting bounds the tables that wait to be thought for; the outbox brings the others later.
	maxWaiting = 4096
	// maxRow bounds how many moves of computers in a row are committed at once. While other tables are in the queue it is one, so that none waits
	// for another's long row.
	maxRow = 12
	// aloneHaste is how many tables more seem to wait while computers think about a game that no person is in any more.
	aloneHaste = 3
	// longestThought bounds how long one table may be thought for at a time.
	longestThought = 30 * time.Second
	// firstRethink and longestRethink bound when a table comes up again that waits for a computer still; the pause doubles in between.
	firstRethink   = time.Minute
	longestRethink = time.Hour
)

var errCrewBusy = errors.New("too many tables wait for computer players")

// crew lets the computers think: for a few tables at once, in the order in which they came, and never under a table's lock. What they decide is
// committed against the version that they saw; when the table has moved on meanwhile, they think anew.
//
// A table that waits for a computer is not published: what its people did is told together with the answer. It therefore stays
// in the store's outbox, which is how it is found after a restart. When the thinking fails it is published as it is, and comes up again by the
// store's due index.
type crew struct {
	svc  *Service
	mind Computers

	mu      sync.Mutex
	jobs    map[ID]bool // true while being thought for
	queue   []ID
	running int
	failed  map[ID]uint64 // versions at which thinking failed, so that they are published as they are
	closed  bool
	wg      sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc

	reviews  *reviews
	advisers chan struct{} // bounds how many hints are thought about at once
}

func newCrew(s *Service, mind Computers) *crew {
	c := &crew{svc: s, mind: mind, jobs: map[ID]bool{}, failed: map[ID]uint64{}, advisers: make(chan struct{}, thinkers), reviews: newReviews(s)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// takes reports whether a computer is about to answer at this table, so that its news had better wait. It returns an error when too many tables wait.
func (c *crew) takes(snap *Snapshot) (bool, error) {
	if c == nil || !waitsForComputer(snap.Head, snap.match) {
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.jobs[snap.ID]; ok || c.closed {
		return true, nil
	}
	if v, ok := c.failed[snap.ID]; ok {
		if v == snap.Version {
			return false, nil
		}
		delete(c.failed, snap.ID)
	}
	if len(c.jobs) >= maxWaiting {
		return false, errCrewBusy
	}
	c.jobs[snap.ID] = false
	c.queue = append(c.queue, snap.ID)
	if c.running < thinkers {
		c.running++
		c.wg.Go(c.work)
	}
	return true, nil
}

// work thinks for tables until none waits.
func (c *crew) work() {
	for {
		c.mu.Lock()
		if len(c.queue) == 0 || c.closed {
			c.running--
			c.mu.Unlock()
			return
		}
		id := c.queue[0]
		c.queue = c.queue[1:]
		c.jobs[id] = true
		c.mu.Unlock()

		version, err := c.think(id)

		c.mu.Lock()
		delete(c.jobs, id)
		if err != nil && !errors.Is(err, ErrStale) && !errors.Is(err, ErrClosing) && !c.closed {
			if len(c.failed) >= maxWaiting {
				clear(c.failed)
			}
			c.failed[id] = version
			c.svc.logged("a computer player could not move; it tries again after a while", id, err)
		}
		c.mu.Unlock()
		c.svc.outbox.poke(id) // it is published, or comes back when it is a computer's turn still
	}
}

// waiting is how many other tables wait or are being thought for.
func (c *crew) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.jobs) - 1
}

// queued reports whether a table is in the queue.
func (c *crew) queued() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue) > 0
}

// plan is what the computers of a table decided.
type plan struct {
	votes   []vote
	bid     bool // the seat to move offers a draw
	moves   []choice
	resigns games.Seat // the seat that resigns after the moves; Nobody when none does
}

type vote struct {
	seat  games.Seat
	agree bool
}

type choice struct {
	seat games.Seat
	move games.Move
}

// think lets the computers of a table decide what is theirs to decide, and commits it. It returns the version that they saw.
func (c *crew) think(id ID) (version uint64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a computer player panicked: %v\n%s", r, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(c.ctx, longestThought)
	defer cancel()
	snap, err := c.svc.Snapshot(ctx, id)
	if err != nil {
		return 0, err
	}
	if !waitsForComputer(snap.Head, snap.match) {
		return snap.Version, nil
	}
	p, err := c.plan(ctx, snap)
	if err != nil || c.ctx.Err() != nil {
		return snap.Version, err
	}
	_, err = c.svc.command(context.WithoutCancel(ctx), Actor{}, id, func(d *draft) error {
		if d.Version != snap.Version {
			return refuse(ErrStale, text.M("table.error.stale"))
		}
		return d.carryOut(p)
	})
	return snap.Version, err
}

// plan decides on what is proposed, then on the moves up to the next of a person.
func (c *crew) plan(ctx context.Context, snap *Snapshot) (plan, error) {
	p := plan{resigns: games.Nobody}
	seed := uint64(snap.ID)<<32 ^ snap.Version
	agreed := snap.Proposal
	for _, seat := range undecided(snap.Head, snap.match) {
		v := vote{seat, c.drawish(ctx, snap, seat, seed)}
		p.votes = append(p.votes, v)
		if !v.agree {
			break
		}
		agreed.Agreed |= 1 << uint(seat)
	}
	if len(p.votes) > 0 && !slices.ContainsFunc(p.votes, func(v vote) bool { return !v.agree }) && unanimous(snap, agreed) {
		return p, nil
	}
	m := snap.match.Fork()
	haste := 0
	if !peopleIn(snap) {
		haste = aloneHaste
	}
	p.bid = c.bids(ctx, snap, seed)
	for len(p.moves) < maxRow && !m.Over() {
		if len(p.moves) > 0 && (ctx.Err() != nil || c.queued()) {
			break
		}
		seat := m.ToMove()
		if seat == games.Chance {
			if err := m.Play(draws(m, snap.detail.Seed)); err != nil {
				return plan{}, err
			}
			continue
		}
		if forced, ok := m.State().Forced(); ok {
			if err := m.Play(forced); err != nil {
				return plan{}, err
			}
			continue
		}
		level := snap.Seats[seat].Computer
		if level == "" {
			break
		}
		move, thought, err := c.mind.Choose(ctx, level, m.View(seat), seed+uint64(m.Len()), c.waiting()+haste)
		if err != nil {
			return plan{}, err
		}
		if snap.detail.Resign && c.lost(ctx, m, seat, thought, seed) {
			p.resigns = seat
			return p, nil
		}
		if err := m.Play(move); err != nil {
			return plan{}, err
		}
		p.moves = append(p.moves, choice{seat, move})
	}
	return p, nil
}

// isAsked reports whether the holder of a seat has a say in what is proposed: people in everything, computers in draws.
func isAsked(o Occupant, kind ProposalKind) bool {
	return o.User != "" || o.Computer != "" && kind == Draw
}

// rethink is when a table that waits for a computer comes up again, in case the thinking fails: about as long from now as it has waited.
func (d *draft) rethink() Stamp {
	waited := int64(d.now - max(d.Touched, d.Timing.Turn))
	return d.now + Stamp(min(max(waited, firstRethink.Milliseconds()), longestRethink.Milliseconds()))
}

// unanimous reports whether all who have a say agree.
func unanimous(s *Snapshot, p Proposal) bool {
	return !slices.ContainsFunc(s.match.StillIn(), func(seat games.Seat) bool { return isAsked(s.Seats[seat], p.Kind) && !p.Has(seat) })
}

// substitute thinks of a move for a seat whose player is late; false when that fails.
func (c *crew) substitute(ctx context.Context, snap *Snapshot, seat games.Seat) (notation string, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			c.svc.logged("no computer could move for a player who is late", snap.ID, fmt.Errorf("a computer player panicked: %v\n%s", r, debug.Stack()))
			notation, ok = "", false
		}
	}()
	levels := c.mind.Levels()
	view := snap.View(seat)
	move, _, err := c.mind.Choose(ctx, levels[len(levels)/2], view, uint64(snap.ID)<<32^snap.Version, c.waiting()+1)
	if err != nil {
		c.svc.logged("no computer could move for a player who is late", snap.ID, err)
		return "", false
	}
	return games.Spell(view.State, move), true
}

// carryOut does what the computers decided.
func (d *draft) carryOut(p plan) error {
	for _, v := range p.votes {
		if d.Status == Over || d.Proposal.Kind == storage.NoProposal {
			return nil
		}
		if v.agree {
			if err := d.accept(v.seat); err != nil {
				return err
			}
			continue
		}
		d.add(storage.Declined, v.seat, "", string(d.Proposal.Kind))
		d.Proposal, d.DrawAsk = Proposal{}, d.Plays+drawPause
	}
	if seat := d.ToMove; p.bid && d.Proposal.Kind == storage.NoProposal {
		d.Proposal, d.DrawBid = Proposal{Kind: Draw, By: seat, Agreed: 1 << uint(seat)}, d.Plays+bidPause
		d.add(storage.Proposed, seat, "", string(Draw))
		if err := d.agree(); err != nil {
			return err
		}
	}
	for _, c := range p.moves {
		if d.Status == Over {
			return nil
		}
		if err := d.play(storage.Played, c.move); err != nil {
			return err
		}
		if err := d.advance(); err != nil {
			return err
		}
	}
	if p.resigns != games.Nobody && d.Status != Over {
		return d.resign(p.resigns)
	}
	return nil
}

// close stops the thinking. What was being thought about is thought about again after the next start.
func (c *crew) close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.wg.Wait()
	c.reviews.close()
}
