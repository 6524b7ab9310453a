package table_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"marque/bot/table"
	"marque/games"
	"marque/games/computer"
)

// gloomy is a computer player that gives every player the same chance at each decision.
type gloomy struct {
	*mate
	chance float64
}

func (g gloomy) Assess(_ context.Context, _ games.View, played games.Move, _ computer.Effort,
	_ uint64) (computer.Assessment, error) {
	return computer.Assessment{Better: played, Had: g.chance, Left: g.chance}, nil
}

// A player who wins after their chance was below 5 % has a comeback. The loser has none, and neither has a winner whose
// chance was never that low.
func TestComebacks(t *testing.T) {
	t.Parallel()
	for chance, want := range map[float64]bool{0.04: true, 0.06: false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, ok := t.Context(), must(t)
			s := newShip(t)
			s.sink()
			s.launch(table.Config{Computers: gloomy{&mate{}, chance}})
			s.Start(s.teller)
			snap := ok(s.Open(ctx, s.as("ann"), table.Opening{Game: "heap", Invited: []string{"bob"}, Guild: "g",
				Channel: "c", WhenFull: true, Fixed: true}))
			id := snap.ID
			snap = ok(s.Join(ctx, s.as("bob"), id))
			for snap.Status != table.Over {
				snap = ok(s.Move(ctx, s.as(snap.Mover()), id, "take 1", 0))
			}
			if found, err := s.Reviews.Review(ctx, id); err != nil || !found.Done {
				t.Fatalf("the review is %+v, %v", found, err)
			}
			winner := snap.Seats[snap.Outcome().Winners[0]].User
			for _, user := range []string{"ann", "bob"} {
				list, err := s.standings().Comebacks(ctx, user, "g")
				if got := slices.Equal(list, []table.ID{id}); err != nil || got != (want && user == winner) {
					t.Errorf("with a chance of %v %s won; the comebacks of %s are %v, %v", chance, winner, user, list,
						err)
				}
			}
			s.sink()
		})
	}
}
