package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
)

// Who is asked whether a move may be taken back reads which moves go with it, their own among them;
// who consents by /undo is told whose move it is again.
func TestTakingBackNamesWhatGoes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	turn := r.openLoyal(two)
	first := r.mover(turn)
	second := other(two, first)
	for _, who := range []string{first, second} {
		r.typeMove(who, tablesChannel, seeded())
		turn = r.turnAfter(tablesChannel, turn)
	}
	r.wantText(r.command(first, tablesChannel, "undo"), "Somebody has to agree")
	asked := r.says(tablesChannel, turn.ID, "would like to take a move back")
	var moves []string
	for _, step := range r.table().Trail(games.Spectator, 0, 2) {
		moves = append(moves, fmt.Sprintf("`%s` by <@%s>", games.Spell(step.Before, step.Move),
			[]string{first, second}[step.Seat]))
	}
	r.wantText(asked, fmt.Sprintf("<@%s>: may <@%s> take back the last 2 moves, %s?", second, first,
		strings.Join(moves, " and ")))
	r.wantText(r.command(second, tablesChannel, "undo"), fmt.Sprintf("Taken back. It is <@%s>'s move again.", first))
	if snap := r.table(); snap.Plays != 0 || snap.Mover() != first {
		t.Errorf("after the consent: %+v", snap.Head)
	}
}

// What happened is told once: a board that only reminded leaves nothing when the next one stands,
// who has run out of time is not said to resign as well, and a draw that is agreed is not agreed to
// besides.
func TestEverythingIsToldOnce(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r, requests := quietRig(t, func(o *localdiscord.Options) { o.Clock = clock })
	opt := localdiscord.Opt
	g, _ := catalog.Find("loyal-captain")
	said := func(n int, channel string) string {
		var all []string
		for _, m := range requests.of(channel) {
			all = append(all, m.text)
		}
		transcript := strings.Join(all, "---\n")
		lines := map[string]bool{}
		for _, l := range strings.Split(transcript, "\n") {
			if strings.Contains(l, "aboard on hatch") && lines[l] {
				t.Errorf("table %d tells %q twice:\n%s", n, l, transcript)
			}
			lines[l] = true
		}
		return transcript
	}

	r.command(two[0], tavern, "play", opt("game", g.Key()), opt("opponent", two[1]), opt("clock", "3d"),
		opt("late", "forfeit"))
	channel := r.told(1).Channel
	r.click(two[1], r.next(channel, "", func(m *localdiscord.Message) bool { return hasButton(m, "Join") }), "Join")
	for range 2 {
		r.playOne(channel)
	}
	clock.Advance(71 * time.Hour)
	r.says(channel, "", "your time is running out")
	r.told(1)
	clock.Advance(2 * time.Hour)
	r.says(channel, "", "has run out of time and is out of the game.")
	r.told(1)
	if end := said(1, channel); strings.Contains(end, "strikes the colours") {
		t.Errorf("the end is told as\n%s", end)
	}

	channel, _ = r.openInThread(g, two)
	r.told(2)
	r.command(two[0], channel, "draw")
	r.told(2)
	r.click(two[1], r.command(two[1], channel, "draw"), "Yes, accept the draw")
	r.told(2)
	if end := said(2, channel); !strings.Contains(end, "A draw is agreed between") || strings.Contains(end,
		"agrees to a draw") {
		t.Errorf("the draw is told as\n%s", end)
	}
}

// Whom a moderator invites is called once.
func TestAnInvitationIsToldOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	opt := localdiscord.Opt
	r.command(localdiscord.Anne, tablesChannel, "play", opt("game", "madagascar"), opt("players", 3))
	r.told(1)
	r.wantText(r.command(localdiscord.Mary, tablesChannel, "seat invite", opt("who", localdiscord.Bart),
		opt("table", "1")), "is invited")
	r.told(1)
	all := ""
	for _, m := range r.public(tablesChannel) {
		all += m.Text() + "\n"
	}
	for _, said := range []string{"<@" + localdiscord.Mary + "> acts here as a moderator:", "<@" + localdiscord.Bart +
		">, a seat is kept for you"} {
		if n := strings.Count(all, said); n != 1 {
			t.Errorf("%q is told %d times:\n%s", said, n, all)
		}
	}
}

// A thread is named after its table's number, the game and who plays, which tells it from others in
// a list; and after nobody once data of somebody there were deleted, also when the game is over and
// the thread put away.
func TestNamesOfThreads(t *testing.T) {
	t.Parallel()
	c := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r, _ := quietRig(t, func(o *localdiscord.Options) { o.Clock = c })
	anne, jack, opt := localdiscord.Anne, localdiscord.Jack, localdiscord.Opt
	name := func(thread, want string) {
		t.Helper()
		r.eventually("the thread is called "+want, func() bool {
			return slices.ContainsFunc(r.threads(), func(c localdiscord.Channel) bool {
				return c.ID == thread && c.Name == want
			})
		})
	}
	r.wantText(r.command(anne, tavern, "play", opt("game", "loyal-captain"), opt("opponent", jack), opt("order", true)),
		"thread of its own")
	first := r.told(1).Channel
	name(first, "#1 Loyal Captain · Anne")
	card := r.edited(tavern, first, "a seat is kept for <@"+jack+">")
	r.wantText(r.click(jack, card, "Join"), "Welcome aboard")
	name(first, "#1 Loyal Captain · Anne, Jack")
	r.told(1)
	r.click(jack, r.command(jack, first, "resign"), "Yes, resign")
	r.told(1)

	r.wantText(r.command(anne, tavern, "play", opt("game", "loyal-captain"), opt("computers", 1), opt("order", true)),
		"thread of its own")
	second := r.told(2).Channel
	name(second, "#2 Loyal Captain · Anne, Bosun (normal)")

	if err := r.srv.Admin.ArchiveThread(first, true, false); err != nil {
		t.Fatal(err)
	}
	if err := r.tables.Privacy.Forget(r.ctx, anne); err != nil {
		t.Fatal(err)
	}
	name(second, "#2 Loyal Captain")
	c.Advance(6 * time.Minute)
	name(first, "#1 Loyal Captain")
}

// Under the board on which somebody makes their first move are Rules, Learn and Hint, and under no
// later one. A hint that costs a game its rating asks before; in a rated game among people none is
// offered. Whoever plays with computers alone is not pinged.
func TestTheFirstBoard(t *testing.T) {
	t.Parallel()
	r, requests := quietRig(t)
	anne, opt := localdiscord.Anne, localdiscord.Opt
	first := []string{"Rules", "Learn", "Hint"}
	has := func(m *localdiscord.Message, want ...string) {
		t.Helper()
		for _, label := range first {
			if got := hasButton(m, label); got != slices.Contains(want, label) {
				t.Errorf("%q has the button %s: %t", m.Text(), label, got)
			}
		}
	}
	r.command(anne, tavern, "play", opt("game", "loyal-captain"), opt("computers", 1), opt("level", "easy"))
	channel := r.told(1).Channel
	board := r.next(channel, "", isTurn)
	has(board, first...)
	asked := r.click(anne, board, "Hint")
	r.wantText(asked, "This game counts on the leaderboards, and with a hint it no longer would.")
	if r.told(1).Unrated() {
		t.Error("the question costs the rating")
	}
	hint := r.click(anne, asked, "Yes, show the hint")
	r.wantText(hint, "no longer counts")
	if !r.told(1).Unrated() {
		t.Error("the hint costs nothing")
	}
	r.wantText(r.click(anne, board, "Hint"), "I would play")
	r.click(anne, hint, "Play this")
	r.eventually("it is Anne's second turn", func() bool { s := r.told(1); return s.Mover() == anne && s.Plays > 1 })
	board = r.living(channel)[0]
	has(board)
	for _, m := range requests.of(channel) {
		if len(m.pinged) > 0 {
			t.Errorf("who plays alone is pinged by %q", m.text)
		}
	}

	thread, board := r.openInThread(catalog.Games[0], two)
	has(board, "Rules", "Learn")
	r.told(2)
	r.typeMove(r.mover(board), thread, seeded())
	has(r.next(thread, board.ID, isTurn), "Rules", "Learn")
}
