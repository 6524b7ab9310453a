package turn_test

import (
	"fmt"
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

// The question about an undo names the moves that would be taken back, including moves of the user who is asked. A user
// who agrees with /table undo is told whose turn it is again.
func TestTakingBackNamesWhatGoes(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	turn := r.OpenLoyal(bottest.Two)
	first := r.Mover(turn)
	second := bottest.Other(bottest.Two, first)
	for _, who := range []string{first, second} {
		r.TypeMove(who, bottest.TablesChannel, bottest.NewRand())
		turn = r.TurnAfter(bottest.TablesChannel, turn)
	}
	r.WantText(r.Command(first, bottest.TablesChannel, "table undo"), "I've asked the others")
	asked := r.NextSaying(bottest.TablesChannel, turn.ID, "would like to take a move back")
	var moves []string
	for _, step := range r.Table().Trail(games.Spectator, 0, 2) {
		moves = append(moves, fmt.Sprintf("`%s` by <@%s>", games.Spell(step.Before, step.Move),
			[]string{first, second}[step.Seat]))
	}
	r.WantText(asked, fmt.Sprintf("<@%s>: may <@%s> take back the last 2 moves, %s?", second, first,
		strings.Join(moves, " and ")))
	r.WantText(r.Command(second, bottest.TablesChannel, "table undo"),
		fmt.Sprintf("Taken back. It's <@%s>'s turn again.", first))
	if snap := r.Table(); snap.Plays != 0 || snap.Mover() != first {
		t.Errorf("after the consent: %+v", snap.Head)
	}
}

// A placed pirate is published once. A player who has run out of time is not also said to resign. A draw by agreement
// has no separate message about the agreement.
func TestEverythingIsToldOnce(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r, requests := bottest.NewQuiet(t, func(o *localdiscord.Options) { o.Clock = clock })
	opt := localdiscord.Opt
	g, _ := catalog.Find("loyal-captain")
	said := func(n int, channel string) string {
		var all []string
		for _, m := range requests.Of(channel) {
			all = append(all, m.Text)
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

	r.Command(bottest.Two[0], bottest.Tavern, "play", opt("game", g.Key()), opt("opponent", bottest.Two[1]),
		opt("clock", "3d"),
		opt("late", "forfeit"))
	channel := r.Published(1).Channel
	r.Click(bottest.Two[1], r.Next(channel, "", func(m *localdiscord.Message) bool {
		return bottest.HasButton(m,
			"Join")
	}), "Join")
	for range 2 {
		r.PlayOne(channel)
	}
	clock.Advance(71 * time.Hour)
	r.NextSaying(channel, "", "your time is running out")
	r.Published(1)
	clock.Advance(2 * time.Hour)
	r.NextSaying(channel, "", "has run out of time and is out of the game.")
	r.Published(1)
	if end := said(1, channel); strings.Contains(end, "strikes the colours") {
		t.Errorf("the end is told as\n%s", end)
	}

	channel, _ = r.OpenInThread(g, bottest.Two)
	r.Published(2)
	r.Command(bottest.Two[0], channel, "table draw")
	r.Published(2)
	r.Click(bottest.Two[1], r.Command(bottest.Two[1], channel, "table draw"), "Yes, accept the draw")
	r.Published(2)
	if end := said(2, channel); !strings.Contains(end, "by agreement") || strings.Contains(end,
		"agrees to a draw") {
		t.Errorf("the draw is told as\n%s", end)
	}
}

// When a moderator invites a user, the channel says once that the moderator acts, and once that a seat is reserved.
func TestAnInvitationIsToldOnce(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	opt := localdiscord.Opt
	r.Command(localdiscord.Anne, bottest.TablesChannel, "play", opt("game", "madagascar"), opt("players", 3))
	r.Published(1)
	r.WantText(r.Command(localdiscord.Mary, bottest.TablesChannel, "table invite", opt("who", localdiscord.Bart),
		opt("table", "1")), "is invited")
	r.Published(1)
	all := ""
	for _, m := range r.PublicMessages(bottest.TablesChannel) {
		all += m.Text() + "\n"
	}
	for _, said := range []string{"<@" + localdiscord.Mary + "> acts here as a moderator:", "<@" + localdiscord.Bart +
		">, a seat is reserved for you"} {
		if n := strings.Count(all, said); n != 1 {
			t.Errorf("%q is told %d times:\n%s", said, n, all)
		}
	}
}

// A thread's name has its table's number, the game and the players, which distinguishes it in a list. Once a player's
// data is deleted, the name has no players, even if the game is over and the thread archived.
func TestNamesOfThreads(t *testing.T) {
	t.Parallel()
	c := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r, _ := bottest.NewQuiet(t, func(o *localdiscord.Options) { o.Clock = c })
	anne, jack, opt := localdiscord.Anne, localdiscord.Jack, localdiscord.Opt
	name := func(thread, want string) {
		t.Helper()
		r.Eventually("the thread is called "+want, func() bool {
			return slices.ContainsFunc(r.Threads(), func(c localdiscord.Channel) bool {
				return c.ID == thread && c.Name == want
			})
		})
	}
	r.WantText(r.Submit(anne, r.PlayForm(anne, bottest.Tavern), opt("game", "loyal-captain"),
		opt("people", []string{jack}), opt("wishes", []string{"order"})), "its own thread")
	first := r.Published(1).Channel
	name(first, "#1 Loyal Captain · Anne")
	card := r.Edited(bottest.Tavern, first, "no free seat, opened ")
	r.WantText(r.Click(jack, card, "Join"), "Welcome aboard")
	name(first, "#1 Loyal Captain · Anne, Jack")
	r.Published(1)
	r.Click(jack, r.Command(jack, first, "table resign"), "Yes, resign")
	r.Published(1)

	r.WantText(r.Submit(anne, r.PlayForm(anne, bottest.Tavern), opt("game", "loyal-captain"), opt("level", "normal"),
		opt("wishes", []string{"order"})), "its own thread")
	second := r.Published(2).Channel
	name(second, "#2 Loyal Captain · Anne, Bosun (normal)")

	if err := r.Server.Admin.ArchiveThread(first, true, false); err != nil {
		t.Fatal(err)
	}
	if err := r.Privacy.Forget(r.Ctx, anne); err != nil {
		t.Fatal(err)
	}
	name(second, "#2 Loyal Captain")
	c.Advance(6 * time.Minute)
	name(first, "#1 Loyal Captain")
}

// A board has the buttons Move, Rules and More. In a game against a computer it also has Hint. In a rated game the
// player must confirm the first hint, because the game then counts only if the player comes last. More has the other
// actions of the user who presses it, with What happened only after the first move. A player whose opponents are all
// computers is not pinged.
func TestUnderABoard(t *testing.T) {
	t.Parallel()
	r, requests := bottest.NewQuiet(t)
	anne, opt := localdiscord.Anne, localdiscord.Opt
	has := func(m *localdiscord.Message, want ...string) {
		t.Helper()
		var got []string
		for _, c := range m.Interactive() {
			got = append(got, c.Label)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has the controls %q, want %q", m.Text(), got, want)
		}
	}
	r.Command(anne, bottest.Tavern, "play", opt("game", "loyal-captain"), opt("computers", 1), opt("level", "casual"))
	channel := r.Published(1).Channel
	board := r.Next(channel, "", bottest.IsTurn)
	has(board, "Move", "Hint", "Rules", "More")
	more := r.Click(anne, board, "More")
	if r.Published(1).Plays > 0 { // the computer began
		has(more, "As text", "Legend", "What happened", "Learn", "Fair play")
	} else {
		has(more, "As text", "Legend", "Learn", "Fair play")
	}
	if more.EphemeralTo != anne {
		t.Errorf("what else Anne can do is seen by %q", more.EphemeralTo)
	}
	asked := r.Click(anne, board, "Hint")
	r.WantText(asked, "With a hint, it counts only if you come last.")
	hint := r.Click(anne, asked, "Yes, show the hint")
	r.WantText(hint, "counts on the leaderboards only if you come last")
	r.WantText(r.Click(anne, board, "Hint"), "I'd play")
	r.Click(anne, hint, "Make this move")
	r.Eventually("it is Anne's second turn", func() bool {
		s := r.Published(1)
		return s.Mover() == anne &&
			s.Plays > 1
	})
	board = r.BoardMessages(channel)[0]
	has(board, "Move", "Hint", "Rules", "More")
	for _, m := range requests.Of(channel) {
		if len(m.Pinged) > 0 {
			t.Errorf("who plays alone is pinged by %q", m.Text)
		}
	}

	thread, board := r.OpenInThread(catalog.Games[0], bottest.Two)
	has(board, "Move", "Rules", "More")
	has(r.Click(localdiscord.Grace, board, "More"), "As text", "Legend", "Predict the winner", "Learn", "Fair play")
	r.Published(2)
	r.TypeMove(r.Mover(board), thread, bottest.NewRand())
	board = r.Next(thread, board.ID, bottest.IsTurn)
	has(board, "Move", "Rules", "More")
	has(r.Click(localdiscord.Grace, board, "More"), "As text", "Legend", "What happened",
		"Predict the winner", "Learn", "Fair play")
}
