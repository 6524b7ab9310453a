package table

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"marque/games"
	"marque/storage"
)

// waitsForComputer reports whether a computer player has something to decide: it is to move, or a
// draw is proposed that it has not answered.
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
	// maxRow bounds how many moves of computers in a row are committed at once. While other tables
	// are in the queue it is one, so that none waits for another's long row.
	maxRow = 12
	// noPeopleHaste is how many tables more seem to wait while computers think about a game that no
	// person is in any more.
	noPeopleHaste = 3
	// longestThought bounds how long one table may be thought for at a time.
	longestThought = 30 * time.Second
	// firstRethink and longestRethink bound when a table comes up again that waits for a computer
	// still; the pause doubles in between.
	firstRethink   = time.Minute
	longestRethink = time.Hour
	// mostResumed bounds how often thinking about one position is resumed because the store takes something again.
	mostResumed = 8
)

var errComputersBusy = errors.New("too many tables wait for computer players")

// computerPool lets the computers think: for a few tables at once, in the order in which they came, and
// never under a table's lock. What they decide is committed against the version that they saw; when
// the table has moved on meanwhile, they think again.
//
// A table that waits for a computer is not published: what its people did is told together with the
// answer. It therefore stays in the store's outbox, which is how it is found after a restart. When
// the thinking fails it is published as it is, and comes up again by the store's due index.
type computerPool struct {
	tables editor
	mind   Computers
	log    *slog.Logger
	// again lets what follows a commit be done for a table whose computers are done: it is
	// published, or comes back when it is a computer's turn still.
	again      func(ID)
	background *Background

	mu      sync.Mutex
	jobs    map[ID]bool // true while being thought for
	queue   []ID
	running int
	failed  map[ID]failure
	closed  bool
	wg      sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc

	thought func(time.Duration) // told how long each table was thought for

	advisers chan struct{} // bounds how many hints are thought about at once
}

// editor reads and changes tables.
type editor interface {
	Snapshot(ctx context.Context, id ID) (*Snapshot, error)
	edit(ctx context.Context, by Actor, id ID, f func(*draft) error) (*Snapshot, error)
}

func newComputerPool(c Config, tables editor, again func(ID), background *Background) *computerPool {
	p := &computerPool{
		tables: tables, mind: c.Computers, log: c.Log, again: again, background: background, thought: c.Thought,
		jobs: map[ID]bool{}, failed: map[ID]failure{}, advisers: make(chan struct{}, thinkers),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// take lets the computers of a table think, if it waits for them. It reports whether they are about
// to answer, so that the news had better wait, and returns an error when too many tables wait.
func (c *computerPool) take(snap *Snapshot) (bool, error) {
	if c == nil || !waitsForComputer(snap.Head, snap.match) {
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.jobs[snap.ID]; ok || c.closed {
		return true, nil
	}
	if f, ok := c.failed[snap.ID]; ok && f.version == snap.Version && !f.again {
		return false, nil
	}
	if len(c.jobs) >= maxWaiting {
		return false, errComputersBusy
	}
	c.jobs[snap.ID] = false
	c.queue = append(c.queue, snap.ID)
	c.background.Begin()
	if c.running < thinkers {
		c.running++
		c.wg.Go(c.work)
	}
	return true, nil
}

// work thinks for tables until none waits.
func (c *computerPool) work() {
	for {
		c.mu.Lock()
		if len(c.queue) == 0 || c.closed {
			c.running--
			c.mu.Unlock()
			return
		}
		id := c.queue[0]
		c.queue = c.queue[1:]
		c.background.End() // what is being thought has its processor
		c.jobs[id] = true
		c.mu.Unlock()

		began := time.Now()
		version, err := c.think(id)
		c.thought(time.Since(began))

		c.mu.Lock()
		delete(c.jobs, id)
		if err != nil && !errors.Is(err, storage.ErrStale) && !errors.Is(err, ErrClosing) && !errors.Is(err,
			ErrNotOwner) && !c.closed {
			if len(c.failed) >= maxWaiting {
				clear(c.failed)
			}
			f := failure{version: version}
			if before := c.failed[id]; before.version == version {
				f.resumed = before.resumed
			}
			c.failed[id] = f
			logTable(c.ctx, c.log, "a computer player could not move; it tries again after a while", id, err)
		} else {
			delete(c.failed, id)
		}
		c.mu.Unlock()
		c.again(id)
	}
}

// failure is that nothing came of thinking about a table: its news are published as they are.
type failure struct {
	version uint64
	again   bool // it is thought about all the same
	resumed int  // how often that was so
}

// resume lets computers think again for which that failed: the store, for which it may have failed, is back, or takes
// something. Where it fails again and again, nextThought alone brings it up.
func (c *computerPool) resume() {
	if c == nil {
		return
	}
	var again []ID
	c.mu.Lock()
	for id, f := range c.failed {
		if f.resumed < mostResumed {
			c.failed[id] = failure{version: f.version, again: true, resumed: f.resumed + 1}
			again = append(again, id)
		}
	}
	c.mu.Unlock()
	for _, id := range again {
		c.again(id)
	}
}

// waiting is how many other tables wait or are being thought for.
func (c *computerPool) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.jobs) - 1
}

// queued reports whether a table is in the queue.
func (c *computerPool) queued() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queue) > 0
}

// plan is what the computers of a table decided.
type plan struct {
	votes      []vote
	offersDraw bool // the seat to move offers a draw
	moves      []games.Move
	resigns    games.Seat // the seat that resigns after the moves; Nobody when none does
}

type vote struct {
	seat  games.Seat
	agree bool
}

// think lets the computers of a table decide what is theirs to decide, and commits it. It returns
// the version that they saw.
func (c *computerPool) think(id ID) (version uint64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a computer player panicked: %v\n%s", r, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(c.ctx, longestThought)
	defer cancel()
	snap, err := c.tables.Snapshot(ctx, id)
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
	_, err = c.tables.edit(context.WithoutCancel(ctx), SystemActor, id, func(d *draft) error {
		if d.Version != snap.Version {
			return refuseStale()
		}
		return p.carryOut(d)
	})
	return snap.Version, err
}

// plan decides on what is proposed, then on the moves up to the next of a person.
func (c *computerPool) plan(ctx context.Context, snap *Snapshot) (plan, error) {
	p := plan{resigns: games.Nobody}
	seed := uint64(snap.ID)<<32 ^ snap.Version
	agreed := snap.Proposal
	for _, seat := range undecided(snap.Head, snap.match) {
		v := vote{seat, c.acceptsDraw(ctx, snap, seat, seed)}
		p.votes = append(p.votes, v)
		if !v.agree {
			break
		}
		agreed.Agreed |= 1 << uint(seat)
	}
	if len(p.votes) > 0 && !slices.ContainsFunc(p.votes, func(v vote) bool {
		return !v.agree
	}) && unanimous(snap, agreed) {
		return p, nil
	}
	m := snap.match.Fork()
	haste := 0
	if !peopleIn(snap) {
		haste = noPeopleHaste
	}
	p.offersDraw = c.offersDraw(ctx, snap, seed)
	for len(p.moves) < maxRow && !m.Over() {
		if len(p.moves) > 0 && (ctx.Err() != nil || c.queued()) {
			break
		}
		seat := m.ToMove()
		if seat == games.Chance {
			if err := m.Play(draw(m, snap.detail.Seed)); err != nil {
				return plan{}, err
			}
			continue
		}
		if forced, ok := games.Forced(m.State()); ok {
			if err := m.Play(forced); err != nil {
				return plan{}, err
			}
			continue
		}
		level := snap.Seats[seat].Computer
		if level == "" {
			break
		}
		move, thought, err := c.mind.Choose(ctx, snap.Game, level, m.View(seat), seed+uint64(m.Len()),
			c.waiting()+haste)
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
		p.moves = append(p.moves, move)
	}
	return p, nil
}

// isAsked reports whether the holder of a seat has a say in what is proposed: people in everything,
// computers in draws.
func isAsked(o Occupant, kind ProposalKind) bool {
	return o.User != "" || o.Computer != "" && kind == Draw
}

// nextThought is when a table that waits for a computer comes up again, in case the thinking fails:
// about as long from now as it has waited.
func nextThought(d *draft) Stamp {
	waited := int64(d.now - max(d.Touched, d.Timing.Turn))
	return d.now + Stamp(min(max(waited, firstRethink.Milliseconds()), longestRethink.Milliseconds()))
}

// unanimous reports whether all who have a say agree.
func unanimous(s *Snapshot, p Proposal) bool {
	return !slices.ContainsFunc(s.match.StillIn(), func(seat games.Seat) bool {
		return isAsked(s.Seats[seat], p.Kind) && !p.Has(seat)
	})
}

// substitute thinks of a move for a seat whose player is late; false when that fails.
func (c *computerPool) substitute(ctx context.Context, snap *Snapshot, seat games.Seat) (notation string, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			logTable(ctx, c.log, "no computer could move for a player who is late", snap.ID,
				fmt.Errorf("a computer player panicked: %v\n%s", r, debug.Stack()))
			notation, ok = "", false
		}
	}()
	view := snap.View(seat)
	move, _, err := c.mind.Advise(ctx, view, uint64(snap.ID)<<32^snap.Version, c.waiting()+1)
	if err != nil {
		logTable(ctx, c.log, "no computer could move for a player who is late", snap.ID, err)
		return "", false
	}
	return games.Spell(view.State, move), true
}

// carryOut does what the computers decided.
func (p plan) carryOut(d *draft) error {
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
	if seat := d.ToMove; p.offersDraw && d.Proposal.Kind == storage.NoProposal {
		d.Proposal, d.DrawBid = Proposal{Kind: Draw, By: seat, Agreed: 1 << uint(seat), Asked: d.Version + 1},
			d.Plays+offerPause
		d.add(storage.Proposed, seat, "", string(Draw))
		if err := d.agree(); err != nil {
			return err
		}
	}
	for _, move := range p.moves {
		if d.Status == Over {
			return nil
		}
		if err := d.play(storage.Played, move); err != nil {
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

// close stops the thinking. What was being thought about is thought about again after the next
// start.
func (c *computerPool) close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.wg.Wait()
}
