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
