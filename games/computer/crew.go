package computer

import (
	"context"
	"time"

	"marque/games"
)

// Crew thinks for the computer players of many tables.
type Crew struct{}

// Levels names the levels, the weakest first.
func (Crew) Levels() []string {
	names := make([]string, len(Levels))
	for i, l := range Levels {
		names[i] = string(l)
	}
	return names
}

// briefest is the least time that a level which goes by the clock thinks, however many wait.
const briefest = 50 * time.Millisecond

// Choose picks a move for the viewer, who must be to move. waiting is how many other tables want to be thought for: the more
// there are, the less time is taken, and only who is alone takes a second core. The errors are ErrNotToMove and those of ParseLevel.
func (Crew) Choose(ctx context.Context, level string, v games.View, seed uint64, waiting int) (games.Move, Thought, error) {
	l, err := ParseLevel(level)
	if err != nil {
		return 0, Thought{}, err
	}
	limit := l.Limit()
	if waiting > 0 {
		limit.Workers = 1
		if limit.Time > 0 {
			limit.Time = max(briefest, limit.Time/time.Duration(1+waiting))
		}
	}
	return NewLimited(l, limit, seed).Choose(ctx, v)
}

// Estimate is the chance that the viewer wins, whoever is to move.
func (Crew) Estimate(ctx context.Context, v games.View, seed uint64) float64 {
	return NewLimited(Normal, Limit{Time: 150 * time.Millisecond}, seed).Estimate(ctx, v)
}

// judging is the limit for each of the three searches of Judge: by iterations, so that a game is always judged alike.
var judging = Limit{Iterations: 800}

// Judge finds the move that a computer player would choose for the viewer, who is to move, and the chances of winning with it and with the move that was
// played. They are equal when it is the same move.
func (Crew) Judge(ctx context.Context, v games.View, played games.Move, seed uint64) (better games.Move, had, left float64, err error) {
	p := NewLimited(Normal, judging, seed)
	better, thought, err := p.Choose(ctx, v)
	if err != nil {
		return 0, 0, 0, err
	}
	chance := func(m games.Move) float64 {
		for _, c := range thought.Candidates {
			if c.Move == m && c.Proved {
				return c.Chance
			}
		}
		after := v.State.Apply(m)
		if after.ToMove() == games.Nobody {
			return share(after.Result(), v.Viewer)
		}
		return NewLimited(Normal, judging, seed).Estimate(ctx, games.View{State: after.Mask(v.Viewer), Viewer: v.Viewer})
	}
	had = chance(better)
	if left = had; better != played {
		left = chance(played)
	}
	return better, had, left, ctx.Err()
}

// share is a seat's part of a win.
func share(r games.Result, seat games.Seat) float64 {
	for _, w := range r.Winners {
		if w == seat {
			return 1 / float64(len(r.Winners))
		}
	}
	return 0
}
