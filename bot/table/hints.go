package table

import (
	"context"

	"marque/games"
	"marque/games/computer"
	"marque/games/text"
)

// Hint is what a computer player would do in a player's place.
type Hint struct {
	*Snapshot
	Seat    games.Seat
	Thought computer.Thought
	// Notation of the best move, and of the second best if there is one.
	Best, Second string
	// Answer is the notation of the best answer to it, as far as it can be known.
	Answer string
}

// Hint advises the actor, who is to move. It changes nothing. It returns ErrNotStarted, ErrOver, ErrNotSeated, ErrNotYourTurn, ErrOut, or ErrNoHints for a rated game
// among people on a server that does not allow them there.
func (s *Service) Hint(ctx context.Context, by Actor, id ID) (Hint, error) {
	if s.crew == nil {
		return Hint{}, refuse(ErrNoHints, text.M("table.error.no-hints"))
	}
	snap, err := s.Snapshot(ctx, id)
	if err != nil {
		return Hint{}, err
	}
	seat, err := newDraft(ctx, s, by, snap, s.now()).player()
	if err != nil {
		return Hint{}, err
	}
	if snap.ToMove != seat {
		return Hint{}, refuse(ErrNotYourTurn, text.M("table.error.not-your-turn", "Who", text.Player(snap.ToMove)))
	}
	settings, err := s.Settings(ctx, snap.Guild)
	if err != nil {
		return Hint{}, err
	}
	if !settings.Hints && !snap.Unrated() && !hasComputers(snap) {
		return Hint{}, refuse(ErrNoHints, text.M("table.error.no-hints"))
	}
	select {
	case s.crew.advisers <- struct{}{}:
		defer func() { <-s.crew.advisers }()
	case <-ctx.Done():
		return Hint{}, ctx.Err()
	}
	levels := s.Levels()
	view := snap.View(seat)
	// Not the strongest: an answer is awaited. What waits meanwhile makes it shorter still.
	_, thought, err := s.crew.mind.Choose(ctx, levels[len(levels)/2], view, uint64(id)<<32^snap.Version, max(0, s.crew.waiting()+1))
	if err != nil {
		return Hint{}, err
	}
	h := Hint{Snapshot: snap, Seat: seat, Thought: thought, Best: games.Spell(view.State, thought.Candidates[0].Move)}
	if len(thought.Candidates) > 1 {
		h.Second = games.Spell(view.State, thought.Candidates[1].Move)
	}
	if thought.HasAnswer {
		h.Answer = games.Spell(view.State.Apply(thought.Candidates[0].Move), thought.Answer)
	}
	return h, nil
}

func hasComputers(s *Snapshot) bool {
	for _, o := range s.Seats {
		if o.Computer != "" {
			return true
		}
	}
	return false
}
