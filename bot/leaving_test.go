package bot_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
)

// Of a game of more than two, who resigns or is late is out, and it goes on by its rule: the board
// is right, those still in are called in their turn, who is out can do nothing and is called no
// more, and whoever is the last one in wins.
func TestAGameGoesOnWithoutWhoIsOut(t *testing.T) {
	for _, g := range catalog.Games {
		_, most := g.Seats()
		if most < 3 {
			continue
		}
		for _, way := range []struct {
			name    string
			seats   int
			leave   func(r *rig, clock *manual.Clock, players []string, mover string) (leaver string)
			told    string
			onClock bool
		}{
			{"resigns on their turn", 3, func(r *rig, _ *manual.Clock, _ []string, mover string) string {
				r.resign(mover)
				return mover
			}, "strikes the colours and resigns", false},
			{"resigns on another's turn", most, func(r *rig, _ *manual.Clock, players []string, mover string) string {
				leaver := other(players, mover)
				r.resign(leaver)
				return leaver
			}, "strikes the colours and resigns", false},
			{"is late", most, func(r *rig, clock *manual.Clock, _ []string, mover string) string {
				clock.Advance(time.Hour + time.Minute)
				return mover
			}, "has run out of time and is out of the game", true},
		} {
			t.Run(g.Key()+"/"+way.name, func(t *testing.T) {
				t.Parallel()
				r, clock := newTimedRig(t)
				rng := rand.New(rand.NewPCG(17, uint64(len(g.Key()))))
				players := people[:way.seats]
				turn := r.open(tablesChannel, g, players, localdiscord.Opt("clock", "1h"),
					localdiscord.Opt("late", "forfeit"))
				play := func(moves int) {
					t.Helper()
					for range moves {
						if isOver(turn) {
							return
						}
						if said := r.typeMove(r.mover(turn), tablesChannel, rng); !strings.Contains(said, "Played") {
							t.Fatalf("a move is answered %q", said)
						}
						turn = r.turnAfter(tablesChannel, turn)
					}
				}
				play(way.seats + 2)
				if isOver(turn) {
					t.Fatal("the game was over before anybody left")
				}
				before := turn
				leaver := way.leave(r, clock, players, r.mover(turn))
				turn = r.next(tablesChannel, before.ID, turnOrEnd)
				r.wantText(turn, "<@"+leaver+"> "+way.told)
				seat := r.table().Seat(leaver)
				for moves := 0; !isOver(turn) && moves < 20; moves++ {
					checkBoard(t, r, turn)
					snap := r.table()
					who := r.mover(turn)
					if who != snap.Mover() || who == leaver || snap.In(seat) || snap.ToMove == seat {
						t.Fatalf("%s is called, %s is to move; %s is out: %v", who, snap.Mover(), leaver,
							!snap.In(seat))
					}
					if at, runs, err := r.deadline(snap.Head); err != nil || !runs ||
						!at.Equal(clock.Now().Add(time.Hour)) {
						t.Fatalf("the next player's time runs out at %v (%v, %v), want an hour from %v on", at, runs,
							err, clock.Now())
					}
					if moves == 0 {
						for name, options := range map[string][]localdiscord.Option{
							"move": {localdiscord.Opt("move", "1")}, "draw": nil, "resign": nil, "hint": nil} {
							r.wantText(r.command(leaver, tablesChannel, name, options...), "You are out of this game")
						}
						r.wantText(r.click(leaver, turn, "Move"), "It is not your turn")
					}
					if moves == 2 {
						clock.Advance(30 * time.Minute) // the others' clocks run
					}
					play(1)
				}
				for !isOver(turn) {
					after := turn.ID
					r.resign(r.mover(turn))
					turn = r.next(tablesChannel, after, turnOrEnd)
				}
				result := r.table().Outcome()
				if slices.Contains(result.Winners, seat) || len(result.Winners) == 0 {
					t.Errorf("the winners are %v; seat %d left", result.Winners, seat)
				}
				if r.table().Ending == games.Resigned {
					r.wantText(turn, "nobody else is left in the game")
				}
				for _, m := range r.srv.Messages(tablesChannel, localdiscord.Grace) {
					if later(m.ID, before.ID) && slices.Contains(m.Pinged, leaver) {
						t.Errorf("%s is out and called: %s", leaver, m.Text())
					}
				}
				told := 0
				for _, m := range r.srv.Messages(tablesChannel, localdiscord.Grace) {
					told += strings.Count(m.Text(), "<@"+leaver+"> "+way.told)
				}
				if told != 1 {
					t.Errorf("that %s is out is told %d times", leaver, told)
				}
			})
		}
	}
}

// Who was the last person in a game is told to have left it, however many moves the computers make without them.
func TestComputersPlayOnWhenNobodyElseIsLeft(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	turn := r.meetComputers(tablesChannel, "pirat", 2)
	r.resign(localdiscord.Anne)
	over := r.next(tablesChannel, turn.ID, isOver)
	r.wantText(over, "<@"+localdiscord.Anne+"> strikes the colours and resigns")
	r.wantText(over, "earlier moves")
	if snap := r.table(); snap.Ending != games.NotEnded || slices.Contains(snap.Outcome().Winners,
		snap.Seat(localdiscord.Anne)) {
		t.Errorf("ended %q with the winners %v", snap.Ending, snap.Outcome().Winners)
	}
}

// resign lets a player give up.
func (r *rig) resign(user string) {
	r.t.Helper()
	r.click(user, r.command(user, tablesChannel, "resign"), "Yes, resign")
}
