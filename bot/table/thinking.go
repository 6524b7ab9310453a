package table

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"marque/games"
	"marque/storage"
)

// take queues a table for its computers if it waits for one. It reports whether the events should wait for the
// computers' moves, and returns an error if too many tables wait.
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

// work lets computers think about queued tables until none is left.
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
		c.background.End() // only tables in the queue delay background work, not the thinking itself
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

// plan has the decisions of a table's computers.
type plan struct {
	votes      []vote
	offersDraw bool // the seat to move offers a draw
	moves      []games.Move
	resigns    games.Seat // seat that resigns after the moves; Nobody if none does
}

type vote struct {
	seat  games.Seat
	agree bool
}

// think lets the computers of a table make their decisions, and commits them. It returns the version of the table that
// they saw.
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

// plan lets the computers decide about a proposed draw, and then about their next moves.
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
		move, thought, err := c.computers.Choose(ctx, snap.Game, level, m.View(seat), seed+uint64(m.Len()),
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

// unanimous reports whether all seats that are asked about a proposal agree to it.
func unanimous(s *Snapshot, p Proposal) bool {
	return !slices.ContainsFunc(s.match.StillIn(), func(seat games.Seat) bool {
		return isAsked(s.Seats[seat], p.Kind) && !p.Has(seat)
	})
}

// substitute chooses a move for a seat whose player is late; false if that fails.
func (c *computerPool) substitute(ctx context.Context, snap *Snapshot, seat games.Seat) (notation string, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			logTable(ctx, c.log, "no computer could move for a player who is late", snap.ID,
				fmt.Errorf("a computer player panicked: %v\n%s", r, debug.Stack()))
			notation, ok = "", false
		}
	}()
	view := snap.View(seat)
	move, _, err := c.computers.Advise(ctx, view, uint64(snap.ID)<<32^snap.Version, c.waiting()+1)
	if err != nil {
		logTable(ctx, c.log, "no computer could move for a player who is late", snap.ID, err)
		return "", false
	}
	return games.Spell(view.State, move), true
}

// carryOut carries out the decisions of the computers.
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
		if err := d.carryOn(); err != nil {
			return err
		}
	}
	if p.resigns != games.Nobody && d.Status != Over {
		return d.resign(p.resigns)
	}
	return nil
}
