package table

import (
	"context"

	"marque/games"
	"marque/games/computer"
	"marque/games/text"
)

// Advice is a computer player's recommendation for a seat that is to move.
type Advice struct {
	Seat    games.Seat
	Thought computer.Thought
	// Best and Second are the best and the second best move, in notation; Second can be "".
	Best, Second string
	// Answer is the best known answer to the best move, in notation; "" if none is known.
	Answer string
	// Threat is the threat that the best move makes; valid if Threatens is set.
	Threat    computer.Threat
	Threatens bool
}

// Hint is advice for a player at a table.
type Hint struct {
	*Snapshot
	Advice
	// Unrates is true if, because of this hint, the game counts only if the player comes last.
	Unrates bool
}

// Hint recommends a move to the actor, who is to move. A competition's game has no hints. In a rated game on a
// server that does not allow hints in such games, the hint is refused if another person has a seat. Otherwise the
// player's first hint is refused unless sure is true, because the game then counts only if the player comes last.
// In other games, a hint has no effect on the result. Hint returns ErrNotStarted, ErrOver, ErrNotSeated,
// ErrNotYourTurn, ErrOut, ErrPaused, ErrNoHints or ErrUnrates.
func (s *Service) Hint(ctx context.Context, by Actor, id ID, sure bool) (Hint, error) {
	if s.pool == nil {
		return Hint{}, refuseNoAdviser()
	}
	snap, err := s.tables.Snapshot(ctx, id)
	if err != nil {
		return Hint{}, err
	}
	seat, err := s.PlayerSeat(ctx, by, snap)
	if err != nil {
		return Hint{}, err
	}
	if snap.ToMove != seat {
		return Hint{}, refuseNotYourTurn(snap.ToMove)
	}
	settings, err := s.tables.choices.Settings(ctx, snap.Guild)
	if err != nil {
		return Hint{}, err
	}
	switch {
	case snap.OfCompetition():
		return Hint{}, Refuse(ErrNoHints, text.M("table.error.competition-hints"))
	case !snap.TakesHints(settings):
		return Hint{}, refuseNoHints()
	}
	unrate := !snap.AllowsHints(settings) && !snap.Unrated() && snap.detail.Hinted>>uint(seat)&1 == 0
	if unrate && !sure {
		return Hint{}, Refuse(ErrUnrates, text.M("table.error.hint-unrates"))
	}
	h := Hint{Snapshot: snap, Unrates: unrate}
	if h.Advice, err = s.pool.advise(ctx, snap.View(seat), uint64(id)<<32^snap.Version); err != nil {
		return Hint{}, err
	}
	if unrate {
		_, err := s.tables.edit(ctx, Actor{}, id, func(d *draft) error {
			if d.Status == Over {
				return refuseOver(d.match)
			}
			d.details().Hinted |= 1 << uint(seat)
			d.keep = keepAll
			return nil
		})
		if err != nil {
			return Hint{}, err
		}
	}
	return h, nil
}

// Advise recommends a move to the viewer of a view, who is to move, outside any table. It returns ErrNoHints if there
// are no computer players.
func (s *Service) Advise(ctx context.Context, view games.View, seed uint64) (Advice, error) {
	if s.pool == nil {
		return Advice{}, refuseNoAdviser()
	}
	return s.pool.advise(ctx, view, seed)
}

// advise does the work of Advise. The more tables wait, the shorter it thinks.
func (c *computerPool) advise(ctx context.Context, view games.View, seed uint64) (Advice, error) {
	select {
	case c.advisers <- struct{}{}:
		defer func() { <-c.advisers }()
	case <-ctx.Done():
		return Advice{}, ctx.Err()
	}
	_, thought, err := c.computers.Advise(ctx, view, seed, max(0, c.waiting()+1))
	if err != nil {
		return Advice{}, err
	}
	a := Advice{Seat: view.Viewer, Thought: thought, Best: games.Spell(view.State, thought.Candidates[0].Move)}
	if len(thought.Candidates) > 1 {
		a.Second = games.Spell(view.State, thought.Candidates[1].Move)
	}
	if thought.HasAnswer {
		a.Answer = games.Spell(view.State.Apply(thought.Candidates[0].Move), thought.Answer)
	}
	a.Threat, a.Threatens = c.computers.Threaten(ctx, view, thought.Candidates[0].Move, seed)
	return a, nil
}

// Chances estimates each seat's chance of winning, each from the seat's own view of the game. The chances are indexed
// by seat and add up to 1, or are all 0. nearEnd reports that the game may be nearly over; chances is then nil. Chances
// waits while too many other hints or chances are being computed. There must be computer players.
func (s *Service) Chances(ctx context.Context, snap *Snapshot) (chances []float64, nearEnd bool, err error) {
	select {
	case s.pool.advisers <- struct{}{}:
		defer func() { <-s.pool.advisers }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	seed := uint64(snap.ID)<<32 ^ snap.Board
	in := snap.StillIn()
	if computer.NearEnd(snap.View(in[0]), snap.Plays, seed) {
		return nil, true, nil
	}
	chances, sum := make([]float64, len(snap.Seats)), 0.0
	for _, seat := range in {
		chances[seat] = s.pool.computers.Estimate(ctx, snap.View(seat), seed, s.pool.waiting()+1)
		sum += chances[seat]
	}
	for seat := range chances {
		chances[seat] /= max(sum, 1e-9)
	}
	return chances, false, ctx.Err() // the estimates may be cut short if the context has ended
}
