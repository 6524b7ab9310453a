package pirat

import (
	"math/rand/v2"
	"testing"

	"marque/games"
	"marque/games/gametest"
)

// Redeal changes what the viewer does not know, and nothing else.
func TestRedealKeepsTheView(t *testing.T) {
	rng, fast := rand.New(games.NewRand(1)), games.NewRand(2)
	changed := 0
	for seats := 2; seats <= mostSeats; seats++ {
		for s := Game.New(games.Setup{Seats: seats}); s.ToMove() != games.Nobody; {
			for viewer := range games.Seat(seats) {
				sim := s.Sim().(*sim)
				sim.Redeal(viewer, fast)
				again := state{sim.position}
				if got, want := gametest.JSON(t, again.Mask(viewer)), gametest.JSON(t, s.Mask(viewer)); got != want {
					t.Fatalf("seat %d sees\n%s\nwant as before\n%s", viewer, got, want)
				}
				if gametest.JSON(t, again) != gametest.JSON(t, s) {
					changed++
				}
			}
			_, s = gametest.Random(s, rng)
		}
	}
	if changed == 0 {
		t.Error("Redeal never changed anything")
	}
}
