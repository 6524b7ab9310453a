package turn_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
)

// private returns the messages of a channel that only the given user sees.
func private(r *bottest.Rig, channel, user string) (list []*localdiscord.Message) {
	for _, m := range r.Server.Messages(channel, user) {
		if m.EphemeralTo == user {
			list = append(list, m)
		}
	}
	return list
}

// A player who uses the buttons has one private message at a table, however often they press Move. The message changes
// into the result. It is deleted when the next board asks them for a move, or after a minute.
func TestOnePrivateMessageForWhoPlays(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC))
	c := bottest.NewCounter(t)
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet, r.Pacing = true, clock }, c.Listen)
	thread, turn := r.OpenInThread(catalog.Games[0], bottest.Two)
	rng := rand.New(rand.NewPCG(7, 1))
	gone := func(user, why string, step time.Duration) {
		t.Helper()
		r.Eventually(why, func() bool {
			clock.Advance(step) // the answer may have arrived before the bot begins to count
			return len(private(r, thread, user)) == 0
		})
	}
	play := func() (who string) {
		t.Helper()
		who = r.Mover(turn)
		r.Click(who, turn, "Move")
		said := r.StepThrough(who, turn, rng)
		r.Eventually("one private message is left, which says what was played", func() bool {
			list := private(r, thread, who)
			return len(list) == 1 && list[0].Text() == said && strings.Contains(said, "Played")
		})
		turn = r.Next(thread, turn.ID, bottest.IsTurn)
		return who
	}
	first := play()
	second := play()
	gone(first, "the next board takes away what the first player was told", 0)
	if len(private(r, thread, second)) != 1 {
		t.Error("what the second player was told is gone before a minute has passed")
	}
	gone(second, "a minute takes away what the second player was told", 10*time.Second)

	// The player who moved last can take the move back under More.
	r.More(second, turn, "Take back")
	turn = r.Next(thread, turn.ID, bottest.IsTurn)
	if who := r.Mover(turn); who != second {
		t.Fatalf("after taking back it is the turn of %s, want %s", who, second)
	}
	gone(second, "a minute takes away what was said of taking back", 10*time.Second)

	// The answer to a typed move also disappears after a minute.
	r.TypeMove(second, thread, rng)
	gone(second, "a minute takes away the answer to a typed move", 10*time.Second)

	// The answer to a plan also disappears after a minute. Moves that the plan plays have no private answer.
	snap := r.Published(1)
	mover := snap.Mover()
	planner := bottest.Other(bottest.Two, mover)
	menu, _ := snap.Menu(snap.ToMove)
	theirs := menu.Candidates()[0]
	mine := games.NewMenu(snap.View(snap.ToMove).State.Apply(theirs.Move)).Candidates()[0]
	line := localdiscord.Opt("line", theirs.Notation+"; "+mine.Notation)
	r.Command(planner, thread, "table plan")
	r.WantText(r.Click(planner, r.Command(planner, thread, "table plan", line), "Save this plan"), "one plan")
	r.Eventually("one private message is left, which lists the plans", func() bool {
		return len(private(r, thread, planner)) == 1
	})
	gone(planner, "a minute takes away the list of plans", 10*time.Second)
	r.Command(mover, thread, "move", localdiscord.Opt("move", theirs.Notation))
	r.Eventually("the plan answers", func() bool { return r.Published(1).Plays == snap.Plays+2 })
	if left := private(r, thread, planner); len(left) != 0 {
		t.Errorf("the plan that was played leaves %d private messages: %s", len(left), left[0].Text())
	}
	gone(mover, "a minute takes away what the mover was told", 10*time.Second)
}
