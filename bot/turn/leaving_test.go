package turn_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
)

// In a game of more than two players, a player who resigns or is late is out, and the game continues. Every board has a
// picture, and the remaining players are pinged in turn. The player who is out has no actions, gets no pings, and does
// not win.
func TestAGameGoesOnWithoutWhoIsOut(t *testing.T) {
	for _, g := range catalog.Games {
		_, most := g.Seats()
		if most < 3 {
			continue
		}
		for _, way := range []struct {
			name    string
			seats   int
			leave   func(r *bottest.Rig, clock *manual.Clock, players []string, mover string) (leaver string)
			told    string
			onClock bool
		}{
			{"resigns on their turn", 3, func(r *bottest.Rig, _ *manual.Clock, _ []string, mover string) string {
				r.Resign(mover)
				return mover
			}, "strikes the colours and resigns", false},
			{"resigns on another's turn", most, func(r *bottest.Rig, _ *manual.Clock, players []string,
				mover string) string {
				leaver := bottest.Other(players, mover)
				r.Resign(leaver)
				return leaver
			}, "strikes the colours and resigns", false},
			{"is late", most, func(r *bottest.Rig, clock *manual.Clock, _ []string, mover string) string {
				clock.Advance(time.Hour + time.Minute)
				return mover
			}, "has run out of time and is out of the game", true},
		} {
			t.Run(g.Key()+"/"+way.name, func(t *testing.T) {
				t.Parallel()
				r, clock := bottest.NewTimed(t)
				rng := rand.New(rand.NewPCG(17, uint64(len(g.Key()))))
				players := bottest.World[:way.seats]
				turn := r.Open(bottest.TablesChannel, g, players, localdiscord.Opt("clock", "1h"),
					localdiscord.Opt("late", "forfeit"))
				play := func(moves int) {
					t.Helper()
					for range moves {
						if bottest.IsOver(turn) {
							return
						}
						if said := r.TypeMove(r.Mover(turn), bottest.TablesChannel, rng); !strings.Contains(said,
							"Played") {
							t.Fatalf("a move is answered %q", said)
						}
						turn = r.TurnAfter(bottest.TablesChannel, turn)
					}
				}
				play(way.seats + 2)
				if bottest.IsOver(turn) {
					t.Fatal("the game was over before anybody left")
				}
				before := turn
				leaver := way.leave(r, clock, players, r.Mover(turn))
				turn = r.Next(bottest.TablesChannel, before.ID, bottest.TurnOrEnd)
				r.WantText(turn, "<@"+leaver+"> "+way.told)
				seat := r.Table().Seat(leaver)
				for moves := 0; !bottest.IsOver(turn) && moves < 20; moves++ {
					bottest.CheckBoard(t, r, turn)
					snap := r.Table()
					who := r.Mover(turn)
					if who != snap.Mover() || who == leaver || snap.In(seat) || snap.ToMove == seat {
						t.Fatalf("%s is called, %s is to move; %s is out: %v", who, snap.Mover(), leaver,
							!snap.In(seat))
					}
					if at, runs, err := r.Deadline(snap.Head); err != nil || !runs ||
						!at.Equal(clock.Now().Add(time.Hour)) {
						t.Fatalf("the next player's time runs out at %v (%v, %v), want an hour from %v on", at, runs,
							err, clock.Now())
					}
					if moves == 0 {
						for name, options := range map[string][]localdiscord.Option{
							"move": {localdiscord.Opt("move", "1")}, "table draw": nil, "table resign": nil,
							"hint": nil} {
							r.WantText(r.Command(leaver, bottest.TablesChannel, name, options...),
								"You're out of this game")
						}
						r.WantText(r.Click(leaver, turn, "Move"), "It isn't your turn")
					}
					if moves == 2 {
						clock.Advance(30 * time.Minute) // the clocks of the remaining players run
					}
					play(1)
				}
				for !bottest.IsOver(turn) {
					after := turn.ID
					r.Resign(r.Mover(turn))
					turn = r.Next(bottest.TablesChannel, after, bottest.TurnOrEnd)
				}
				result := r.Table().Outcome()
				if slices.Contains(result.Winners, seat) || len(result.Winners) == 0 {
					t.Errorf("the winners are %v; seat %d left", result.Winners, seat)
				}
				if r.Table().Ending == games.Resigned {
					r.WantText(turn, "nobody else is left in the game")
				}
				for _, m := range r.Server.Messages(bottest.TablesChannel, localdiscord.Grace) {
					if bottest.Later(m.ID, before.ID) && slices.Contains(m.Pinged, leaver) {
						t.Errorf("%s is out and called: %s", leaver, m.Text())
					}
				}
				told := 0
				for _, m := range r.Server.Messages(bottest.TablesChannel, localdiscord.Grace) {
					told += strings.Count(m.Text(), "<@"+leaver+"> "+way.told)
				}
				if told != 1 {
					t.Errorf("that %s is out is told %d times", leaver, told)
				}
			})
		}
	}
}

// The result names the resignation of the last person in a game, even if the computers make many moves afterwards.
func TestComputersPlayOnWhenNobodyElseIsLeft(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	turn := r.MeetComputers(bottest.TablesChannel, "pirat", 2)
	r.Resign(localdiscord.Anne)
	over := r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver)
	r.WantText(over, "<@"+localdiscord.Anne+"> strikes the colours and resigns")
	r.WantText(over, "more before this")
	if snap := r.Table(); snap.Ending != games.NotEnded || slices.Contains(snap.Outcome().Winners,
		snap.Seat(localdiscord.Anne)) {
		t.Errorf("ended %q with the winners %v", snap.Ending, snap.Outcome().Winners)
	}
}
