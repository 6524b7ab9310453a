package publish_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
)

// A player loses no time while Discord refuses their board, here for four hours: the clock of two hours a move is
// stopped, and nobody is reminded. The board that is finally posted mentions this, and the player still has two
// hours.
func TestNoClockRunsForWhoWasNotTold(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	const channel = bottest.TablesChannel
	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "2h"), localdiscord.Opt("late", "forfeit"))
	first := r.Mover(turn)
	next := bottest.Other(bottest.Two, first)
	broken := localdiscord.ServerError(http.StatusInternalServerError)
	broken.Method, broken.Path = http.MethodPost, "/channels/"+channel+"/messages"
	mend := r.Server.AddFault(broken)
	r.TypeMove(first, channel, bottest.NewRand())
	for range 4 * 60 {
		clock.Advance(time.Minute)
	}
	r.Eventually("the clock stands", func() bool {
		clock.Advance(15 * time.Second)
		snap := r.Table()
		return snap.Status == table.Over || snap.Timing.HeldSince != 0
	})
	if snap := r.Table(); snap.Status != table.Playing || snap.Mover() != next || snap.Timing.Called {
		t.Fatalf("after four hours without news the game is %+v", snap.Head)
	}
	r.Stop() // the restart does not start the clock; it ends earlier attempts
	r.Start()
	mend()
	r.Tables.Poke(1)
	board := r.Next(channel, turn.ID, bottest.IsTurn)
	r.WantText(board, "The clock was stopped for 4 hours")
	r.Published(1)
	r.Eventually("the clock goes on", func() bool { return r.Table().Timing.HeldSince == 0 })
	snap := r.Table()
	at, runs, err := r.Deadline(snap.Head)
	if left := at.Sub(clock.Now()); err != nil || !runs || left < 2*time.Hour-time.Minute || left > 2*time.Hour {
		t.Errorf("the player has %v when they are told, want two hours (%v, %v)", left, runs, err)
	}
	for range 5 * 60 {
		clock.Advance(time.Minute)
	}
	r.Eventually("who was told and does not move loses", func() bool {
		clock.Advance(time.Minute)
		return r.Table().Status == table.Over
	})
}

// A table whose board is permanently refused by automatic moderation is paused, and its players are informed by direct
// message.
func TestABoardThatModerationBlocks(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	const channel = bottest.TablesChannel
	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "2h"), localdiscord.Opt("late", "forfeit"))
	remove := r.Server.AddFault(blocked(channel, 200000))
	r.TypeMove(r.Mover(turn), channel, bottest.NewRand())
	r.Eventually("the table is paused", func() bool { return r.Table().Paused != "" })
	for _, user := range bottest.Two {
		dm, err := r.Server.DM(user)
		r.Must(err)
		r.Eventually("a direct message says so", func() bool {
			for _, m := range r.Server.Messages(dm, user) {
				if strings.Contains(m.Text(), "is paused") {
					return true
				}
			}
			return false
		})
	}
	for range 4 * 60 {
		clock.Advance(time.Minute)
	}
	remove()
	r.Tables.Poke(1)
	r.WantText(r.Next(channel, turn.ID, bottest.IsTurn), "couldn't post")
	r.Eventually("the game goes on", func() bool { return r.Table().Paused == "" })
	if at, runs, err := r.Deadline(r.Table().Head); err != nil || !runs || at.Sub(clock.Now()) < time.Hour {
		t.Errorf("after the pause time runs out at %v (%v, %v), want two hours from now on", at, runs, err)
	}
}

// A player whose bank is nearly empty has an hour for each move, and is told so even if part of that hour is used.
func TestTheHourOfAnEmptyBankIsNotWhatIsLeftOfIt(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	const channel = bottest.TablesChannel
	rnd := bottest.NewRand()
	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "3h+0"), localdiscord.Opt("late", "offer"))
	first := r.Mover(turn)
	clock.Advance(2*time.Hour + 30*time.Minute)
	r.TypeMove(first, channel, rnd)
	r.TypeMove(bottest.Other(bottest.Two, first), channel, rnd)
	r.Published(1)
	clock.Advance(40 * time.Minute)
	purser := r.Purser()
	r.Command(purser, channel, "moderate pause")
	r.WantText(r.Command(purser, channel, "moderate resume"), "continues")
	again := r.NextSaying(channel, turn.ID, "The game continues.")
	bottest.Contains(t, "the time after a part of the hour", again.Text(), "<@"+first+"> 1 hour per move")
}
