package publish_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"

	"github.com/bwmarrin/discordgo"
)

// Old boards are folded, kept or deleted, as the server has set. If they are deleted, the game's first board is folded.
func TestBoardsAsTheServerWants(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]struct{ boards, messages int }{"fold": {1, 5}, "keep": {4, 5},
		"replace": {1, 3}} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			r, _ := bottest.NewQuiet(t)
			r.Choose(localdiscord.Mary, r.SettingsPage(localdiscord.Mary, bottest.Tavern, "tables"),
				"settings///boards",
				value)
			thread, _ := r.OpenInThread(catalog.Games[0], bottest.Two)
			for range 3 {
				r.PlayOne(thread)
			}
			b, m := len(r.BoardMessages(thread)), len(r.PublicMessages(thread))
			if b != want.boards || m != want.messages {
				t.Errorf("after three moves %d boards in %d messages, want %+v", b, m, want)
			}
		})
	}
}

// An offer is a separate message on a server that keeps boards. Its buttons are gone once the offer is declined,
// withdrawn or overtaken by a move, because they would have no effect.
func TestAnOfferThatLapsedAsksNobody(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	anne, jack := localdiscord.Anne, localdiscord.Jack
	page := r.SettingsPage(localdiscord.Mary, bottest.Tavern, "tables")
	r.Choose(localdiscord.Mary, page, "settings///boards", "keep")
	thread, turn := r.OpenInThread(catalog.Games[0], bottest.Two)
	asking := func() (n int) {
		for _, m := range r.PublicMessages(thread) {
			for _, c := range m.Components {
				row, ok := c.(*discordgo.ActionsRow)
				if ok && row.Components[0].(*discordgo.Button).Label == "Accept the draw" {
					n++
				}
			}
		}
		return n
	}
	for name, end := range map[string]func(offer *localdiscord.Message, mover, other string){
		"declined":     func(m *localdiscord.Message, mover, _ string) { r.Click(mover, m, "No draw") },
		"taken back":   func(m *localdiscord.Message, _, other string) { r.Click(other, m, "No draw") },
		"moved beyond": func(*localdiscord.Message, string, string) { r.PlayOne(thread) },
	} {
		mover, other := r.Published(1).Mover(), jack
		if mover == jack {
			other = anne
		}
		r.Command(other, thread, "table draw")
		offer := r.NextSaying(thread, turn.ID, "offers a draw")
		if n := asking(); n != 1 {
			t.Errorf("%s: %d messages ask, want 1", name, n)
		}
		end(offer, mover, other)
		r.Published(1)
		if n := asking(); n != 0 {
			t.Errorf("%s: %d messages still ask", name, n)
		}
	}
}

// A board that could not be folded does no harm: the game continues, and the next boards are folded.
func TestAFoldThatFails(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	thread, turn := r.OpenInThread(catalog.Games[0], bottest.Two)
	r.Published(1)
	r.Server.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + turn.ID, Times: 1,
		Status: http.StatusForbidden, Body: `{"message":"Missing Permissions","code":50013}`})
	for range 3 {
		r.PlayOne(thread)
	}
	boards := r.BoardMessages(thread)
	if len(boards) != 2 || boards[0].ID != turn.ID {
		t.Errorf("%d boards are left, want the one that could not be folded and the last", len(boards))
	}
	if snap := r.Published(1); snap.Paused != "" || snap.Plays < 3 {
		t.Errorf("the table is %+v", snap.Head)
	}
}

// Folds that Discord's limit on edits of old messages refuses do not delay new boards. The limit applies only to
// messages older than an hour. Refused edits are not sent again before Discord would accept them.
func TestFoldsThatDiscordPutsOff(t *testing.T) {
	t.Parallel()
	clock := bottest.MorningOf(20_000)
	r, _ := bottest.NewQuiet(t, func(o *localdiscord.Options) { o.Clock = clock })
	freebooter, _ := catalog.Find("freebooter")
	thread, turn := r.OpenInThread(freebooter, bottest.Two)
	r.Published(1)
	clock.Advance(2 * time.Hour)
	r.Server.AddFault(localdiscord.OldEdits(thread, 2*bottest.Patience))
	mover := r.Mover(turn)
	state := r.Published(1).View(r.Published(1).ToMove).State
	for _, m := range state.Moves() {
		if n := games.Spell(state, m); strings.HasPrefix(n, "sail ") { // an unfinished turn edits the board
			r.Command(mover, thread, "move", localdiscord.Opt("move", n))
			break
		}
	}
	r.Published(1)
	for range 3 {
		clock.Advance(2 * time.Hour)
		r.PlayOne(thread)
	}
	refused := 0
	for _, q := range r.Server.Requests() {
		if q.Status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused != 1 {
		t.Errorf("%d edits were refused, want the first alone", refused)
	}
	if boards := r.BoardMessages(thread); len(boards) < 3 || bottest.Later(turn.ID, boards[len(boards)-1].ID) {
		t.Errorf("%d boards are left, want those that cannot be folded, and the last", len(boards))
	}
}

// A fold that failed is tried again later.
func TestAFoldThatIsTriedAgain(t *testing.T) {
	t.Parallel()
	clock := bottest.MorningOf(20_000)
	r, _ := bottest.NewQuiet(t, func(o *localdiscord.Options) { o.Clock = clock })
	thread, turn := r.OpenInThread(catalog.Games[0], bottest.Two)
	r.Published(1)
	broken := localdiscord.ServerError(http.StatusInternalServerError)
	broken.Method, broken.Path = http.MethodPatch, "/messages/"+turn.ID
	mend := r.Server.AddFault(broken)
	r.PlayOne(thread)
	if n := len(r.BoardMessages(thread)); n != 2 {
		t.Fatalf("%d boards, want the one that could not be folded and the next", n)
	}
	mend()
	clock.Advance(time.Minute)
	r.Eventually("the old board is folded", func() bool { return len(r.BoardMessages(thread)) == 1 })
}

// A bot that is stopped between posting a board and folding the previous one, without time to finish, folds the
// previous one after its restart. A board with the note of an earlier version of the bot is folded, too.
func TestFoldsAfterARestart(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	r.Stop()
	r.Grace = 0 // from this start on, the bot stops as if it were killed
	r.Start()
	thread, first := r.OpenInThread(catalog.Games[0], bottest.Two)
	r.Published(1)
	held := make(chan struct{})
	fold := r.Server.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + first.ID, Times: 1,
		Hold: held, Status: http.StatusInternalServerError})
	r.TypeMove(r.Mover(first), thread, bottest.NewRand())
	second := r.Next(thread, first.ID, bottest.IsTurn)
	r.Stop()
	fold() // removes the fault, which stays if the bot was killed before it sent the request
	defer close(held)
	if n := len(r.BoardMessages(thread)); n != 2 {
		t.Fatalf("%d boards after the bot was stopped, want two", n)
	}
	r.Start()
	r.Eventually("the second board alone, after the restart", func() bool {
		b := r.BoardMessages(thread)
		return len(b) == 1 && b[0].ID == second.ID
	})
	// This is the note that a version of the bot without folding stored.
	snap := r.Published(1)
	if err := r.Store.MarkPublished(r.Ctx, 1,
		storage.Publication{Version: snap.Version, Note: second.ID}, storage.Fence{}); err != nil {
		t.Fatal(err)
	}
	r.PlayOne(thread)
	folded, err := r.Server.Message(second.ID, localdiscord.Anne)
	if err != nil {
		t.Fatal(err)
	}
	if len(folded.Pictures()) != 0 || len(folded.Interactive()) != 0 || strings.Count(folded.Text(), "\n") < 1 {
		t.Errorf("an earlier version's board became %q with %d pictures", folded.Text(), len(folded.Pictures()))
	}
}

// The button What happened shows a player the moves since the player's own last turn. A spectator sees those since the
// last turn of the player to move. Only the user who pressed the button sees the answer.
func TestWhatHappened(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	thread, _ := r.OpenInThread(catalog.Games[0], bottest.Two)
	snap := r.Published(1)
	mover := snap.Mover()
	other := bottest.Two[0]
	if other == mover {
		other = bottest.Two[1]
	}
	r.PlayOne(thread)
	snap = r.PlayOne(thread)
	turn := r.BoardMessages(thread)[0]
	s := r.English(snap)
	one, two := show.DescribePlay(snap, games.Spectator, 0, s), show.DescribePlay(snap, games.Spectator, 1, s)
	for user, want := range map[string][2]bool{mover: {false, true}, other: {false, false},
		localdiscord.Grace: {false, true}} {
		a := r.More(user, turn, "What happened")
		if a.EphemeralTo != user || strings.Contains(a.Text(), one) != want[0] || strings.Contains(a.Text(),
			two) != want[1] {
			t.Errorf("%s is told, to %q: %s; wanted of the two moves %v", user, a.EphemeralTo, a.Text(), want)
		}
	}
}

// A board that Discord does not know any more is posted again when its turn continues.
func TestADeletedBoardWithinATurn(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	freebooter, _ := catalog.Find("freebooter")
	thread, turn := r.OpenInThread(freebooter, bottest.Two)
	snap := r.Published(1)
	r.Server.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + turn.ID, Times: 1,
		Status: http.StatusNotFound, Body: `{"message":"Unknown Message","code":10008}`})
	state := snap.View(snap.ToMove).State
	sail := ""
	for _, m := range state.Moves() {
		if n := games.Spell(state, m); strings.HasPrefix(n, "sail ") {
			sail = n
		}
	}
	r.Command(r.Mover(turn), thread, "move", localdiscord.Opt("move", sail))
	if now := r.Published(1); now.ToMove != snap.ToMove || now.Plays == snap.Plays {
		t.Fatalf("after %q it is another's turn", sail)
	}
	if b := r.BoardMessages(thread); len(b) != 2 || !strings.Contains(b[1].Text(), "sails a boat") {
		t.Errorf("%d boards after the step, want a new one", len(b))
	}
}

// The latest board of a game against computers names at most four moves. When it is folded, its message names all of
// them, so that the channel has each play once, including the player's own.
func TestLinesOfGamesAgainstComputers(t *testing.T) {
	t.Parallel()
	r, requests := bottest.NewQuiet(t)
	anne, opt := localdiscord.Anne, localdiscord.Opt
	r.Command(anne, bottest.Tavern, "play", opt("game", "freebooter"), opt("computers", 3), opt("level", "easy"))
	r.Eventually("there is a thread", func() bool { return len(r.Threads()) == 1 })
	thread := r.Threads()[0].ID
	r.Next(thread, "", bottest.IsTurn)
	hidden := false
	for range 5 {
		snap := r.Published(1)
		for snap.Status == table.Playing && snap.Mover() != anne {
			snap = r.Published(1)
		}
		messages, s := requests.Of(thread), r.English(snap)
		last, transcript := messages[len(messages)-1], ""
		for _, m := range messages[:len(messages)-1] {
			transcript += m.Text
		}
		laid, told := show.LaidOut(snap), map[string]int{}
		for i := laid; i < snap.Plays; i++ {
			told[show.DescribePlay(snap, games.Spectator, i, s)]++
		}
		n := 0
		for said, times := range told {
			if said != "" && strings.Contains(last.Text, said+"\n") {
				n++
				times-- // the last board is not folded yet
			}
			if got := strings.Count(transcript, said+"\n"); said != "" && got != times && !strings.Contains(last.Text,
				"more before this") {
				t.Errorf("%q is told %d times in what is folded, want %d:\n%s", said, got, times, transcript)
			}
		}
		if n > 4 {
			t.Errorf("a board tells %d moves: %s", n, last.Text)
		}
		hidden = hidden || strings.Contains(last.Text, "more before this")
		if strings.Contains(transcript, "more before this") {
			t.Errorf("folded messages leave moves out:\n%s", transcript)
		}
		r.TypeMove(anne, thread, bottest.NewRand())
		r.Eventually("it is Anne's turn", func() bool {
			now, err := r.Tables.Lookup.Snapshot(r.Ctx, storage.ID(1))
			return err == nil && now.Version > snap.Version && now.Mover() == anne
		})
	}
	if !hidden {
		t.Error("no board had more to tell than four moves: nothing was tested")
	}
}

// A table's card is edited immediately when seats change and when the game ends. For turns it is edited at most once in
// five minutes, even if the bot was restarted in between.
func TestCards(t *testing.T) {
	t.Parallel()
	c := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r, requests := bottest.NewQuiet(t, func(o *localdiscord.Options) { o.Clock = c })
	thread, _ := r.OpenInThread(catalog.Games[0], bottest.Two)
	card := func(want string) *localdiscord.Message {
		t.Helper()
		return r.Edited(bottest.Tavern, thread, want)
	}
	snap := r.Published(1)
	m := card("<@" + snap.Mover() + "> to move")
	for _, want := range []string{"**Loyal Captain**", "#1", "<#" + thread + ">"} {
		r.WantText(m, want)
	}
	link := "https://discord.com/channels/" + localdiscord.Tortuga + "/" + thread
	if b, ok := m.Button("To the table"); !ok || b.URL != link {
		t.Errorf("the button To the table is %+v", b)
	}
	r.WantText(r.Click(localdiscord.Grace, m, "Rules"), "Loyal Captain")
	edits := func() (n int) {
		for _, q := range requests.Take() {
			if strings.HasPrefix(q, "PATCH") && strings.HasSuffix(q, "/"+bottest.Tavern+"/messages/"+thread) {
				n++
			}
		}
		return n
	}
	r.CardEdited(c)
	edits()
	for range 3 {
		snap = r.PlayOne(thread)
	}
	if n := edits(); n != 0 {
		t.Errorf("%d edits of the card for three moves at once", n)
	}
	r.Stop()
	r.Start()
	c.Advance(6 * time.Minute)
	card("<@" + snap.Mover() + "> to move")
	r.CardEdited(c)
	if n := edits(); n != 1 {
		t.Errorf("%d edits of the card after five minutes, want one", n)
	}
	r.Command(snap.Mover(), thread, "table leave")
	r.Eventually("the seat is on the card", func() bool {
		m, err := r.Server.Message(thread, localdiscord.Anne)
		if err != nil {
			return false
		}
		return slices.ContainsFunc(m.Interactive(), func(b localdiscord.Component) bool {
			return strings.HasPrefix(b.Label, "Take ")
		})
	})
	r.Click(snap.Mover(), r.Command(snap.Mover(), thread, "table resign"), "Yes, resign")
	card("wins")
	r.Published(1)
	// A rematch in the thread has its own card. The earlier card still shows how its own game ended.
	over := r.Next(thread, "", func(m *localdiscord.Message) bool { _, ok := m.Button("Rematch"); return ok })
	r.Click(bottest.Two[0], over, "Rematch")
	again := r.Published(2).Card.Message
	r.WantText(r.Edited(bottest.Tavern, again, "no free seat, opened"), "#2")
	r.WantText(card("wins"), "#1")
	// A deleted card is not replaced.
	r.Server.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + again, Times: 1,
		Status: http.StatusNotFound, Body: `{"message":"Unknown Message","code":10008}`})
	r.Command(bottest.Two[1], thread, "table join")
	r.Eventually("the card is given up", func() bool {
		h, err := r.Tables.Lookup.Head(r.Ctx, 2)
		return err == nil && h.Card.Message == ""
	})
}

// After Discord has refused to edit a card, the card is not edited for six hours, and then updated. The game is not
// affected.
func TestACardThatIsRefused(t *testing.T) {
	t.Parallel()
	c := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	var mu sync.Mutex
	var edits []time.Time
	r, _ := bottest.NewQuiet(t, func(o *localdiscord.Options) {
		o.Clock = c
		check := o.OnRequest
		o.OnRequest = func(q localdiscord.Request) {
			check(q)
			if q.Method == http.MethodPatch && strings.HasPrefix(q.Path, "/channels/"+bottest.Tavern+"/messages/") {
				mu.Lock()
				defer mu.Unlock()
				edits = append(edits, c.Now())
			}
		}
	})
	taken := func() []time.Time {
		mu.Lock()
		defer mu.Unlock()
		list := edits
		edits = nil
		return list
	}
	thread, _ := r.OpenInThread(catalog.Games[0], bottest.Two)
	r.Edited(bottest.Tavern, thread, "<@"+r.Published(1).Mover()+"> to move")
	r.PlayOne(thread)
	taken()
	r.Server.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + thread, Times: 1,
		Status: http.StatusForbidden, Body: `{"message":"Missing Permissions","code":50013}`})
	c.Advance(6 * time.Minute)
	r.CardEdited(c)
	refused := taken()
	for range 11 {
		c.Advance(30 * time.Minute)
		r.PlayOne(thread)
	}
	r.Command(r.Published(1).Mover(), thread, "table leave")
	r.PlayOne(thread)
	r.PlayOne(thread) // when it is published, the card has been checked for the previous move
	if early := taken(); len(refused) != 1 || len(early) != 0 {
		t.Errorf("the card was edited at %v, and within six hours at %v", refused, early)
	}
	c.Advance(40 * time.Minute)
	r.Eventually("the card is up to date", func() bool {
		m, err := r.Server.Message(thread, localdiscord.Anne)
		return err == nil && slices.ContainsFunc(m.Interactive(), func(b localdiscord.Component) bool {
			return strings.HasPrefix(b.Label, "Take ")
		})
	})
	r.CardEdited(c)
	if again := taken(); len(again) != 1 || again[0].Sub(refused[0]) < 6*time.Hour {
		t.Errorf("after the refusal at %v it was edited at %v", refused, again)
	}
}

// A table is played in the channel if the bot cannot open a thread and the channel is free.
func TestATableWithoutAThread(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	if err := r.Server.Admin.DenyBot(bottest.Tavern, localdiscord.PermissionCreatePublicThreads); err != nil {
		t.Fatal(err)
	}
	r.Open(bottest.Tavern, catalog.Games[0], bottest.Two)
	if snap := r.Published(1); snap.Channel != bottest.Tavern || snap.Card.Channel != "" || len(r.Threads()) != 0 {
		t.Errorf("the table is in %s with the card %+v", snap.Channel, snap.Card)
	}
	r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "play", localdiscord.Opt("game", bottest.LoyalCaptain)),
		"I can't open a thread")
}

// The thread of a finished game is archived an hour after the result, or after the time in the server's settings. It is
// not archived while another table is running in the thread.
func TestThreadsOfEndedGamesAreArchived(t *testing.T) {
	t.Parallel()
	for hours, custom := range map[int]bool{1: false, 5: true} {
		t.Run(fmt.Sprint(hours, " hours"), func(t *testing.T) {
			t.Parallel()
			c := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
			r, _ := bottest.NewQuiet(t, func(o *localdiscord.Options) { o.Clock = c })
			if custom {
				r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "server settings",
					localdiscord.Opt("thread-hours", hours)), fmt.Sprintf("thread after %d hours", hours))
			}
			thread, _ := r.OpenInThread(catalog.Games[0], bottest.Two)
			archived := func() bool {
				return slices.ContainsFunc(r.Threads(), func(ch localdiscord.Channel) bool {
					return ch.ID == thread && ch.Archived
				})
			}
			due := func(id storage.ID) bool {
				h, err := r.Tables.Lookup.Head(r.Ctx, id)
				return err == nil && h.Card.Archive != 0
			}
			end := func(id storage.ID) {
				t.Helper()
				snap := r.Published(id)
				r.Click(snap.Mover(), r.Command(snap.Mover(), thread, "table resign"), "Yes, resign")
				r.Published(id)
			}
			c.Advance(24 * time.Hour)
			end(1)
			over := r.Next(thread, "", func(m *localdiscord.Message) bool { _, ok := m.Button("Rematch"); return ok })
			r.Click(bottest.Two[0], over, "Rematch")
			r.Command(bottest.Two[1], thread, "table join")
			c.Advance(time.Duration(hours) * time.Hour)
			r.Eventually("the first table is done with", func() bool { return !due(1) })
			if archived() {
				t.Error("the thread of a rematch that goes on is archived")
			}
			end(2)
			c.Advance(time.Duration(hours)*time.Hour - time.Minute)
			if archived() || !due(2) {
				t.Errorf("a minute before its time the thread is archived %v, and is to be %v", archived(), due(2))
			}
			r.Stop()
			r.Start()
			c.Advance(2 * time.Minute)
			r.Eventually("the thread is archived", func() bool { return archived() && !due(2) })
		})
	}
}

// A table is opened in the channel, with an explanation, if the server has as many active threads as Discord allows.
func TestATableWhereThereAreTooManyThreads(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	r.Server.AddFault(localdiscord.Fault{Method: http.MethodPost, Path: "/threads", Status: http.StatusBadRequest,
		Body: `{"message":"Maximum number of active threads reached","code":160006}`})
	for n := range 2 {
		r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "play", localdiscord.Opt("game", bottest.LoyalCaptain)),
			"as many active threads as Discord allows")
		if snap := r.Published(storage.ID(n + 1)); snap.Channel != bottest.Tavern || len(r.Threads()) != 0 {
			t.Errorf("table %d is in %s, and there are %d threads", n+1, snap.Channel, len(r.Threads()))
		}
	}
}

// The host is told that Discord failed, and not of an incident, if Discord fails while a table's thread is opened. No
// table, no card and no error in the log remain. Later the same command opens the table.
func TestATableWhileDiscordFails(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	play := func() *localdiscord.Message {
		return r.Command(localdiscord.Mary, bottest.Tavern, "play", localdiscord.Opt("game", bottest.LoyalCaptain))
	}
	before := r.StateOf(bottest.Tavern)
	for _, fault := range []localdiscord.Fault{localdiscord.ServerError(http.StatusServiceUnavailable), {Lost: true}} {
		fault.Method, fault.Path = http.MethodPost, "/threads"
		end := r.Server.AddFault(fault)
		r.WantText(play(), "Discord failed while I was doing this, so I couldn't finish.")
		end()
		if after := r.StateOf(bottest.Tavern); after != before {
			t.Errorf("%+v: the channel was\n%sand is\n%s", fault, before, after)
		}
	}
	if strings.Contains(r.Log.String(), "level=ERROR") {
		t.Errorf("a failure of Discord's is logged as ours:\n%s", r.Log)
	}
	r.WantText(play(), "Table #1 for Loyal Captain is open")
}

// A board highlights no play that its player has answered. When a computer player has answered at once, the news begin
// with the player's own move, and the earlier answer is not highlighted again.
func TestABoardHighlightsNothingAnswered(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	anne, opt := localdiscord.Anne, localdiscord.Opt
	r.Command(anne, bottest.Tavern, "play", opt("game", bottest.LoyalCaptain), opt("computers", 1),
		opt("level", "easy"))
	r.Eventually("there is a thread", func() bool { return len(r.Threads()) == 1 })
	thread := r.Threads()[0].ID
	turn := r.Next(thread, "", bottest.IsTurn)
	own := 0 // index of Anne's last move
	for range 4 {
		for _, c := range turn.Interactive() {
			if id, _ := show.ParseCustomID(c.CustomID); id.Action == show.ActionMore && id.Play < own {
				t.Errorf("the board highlights play %d, which play %d has answered", id.Play, own)
			}
		}
		own = r.Published(1).Plays
		r.TypeMove(anne, thread, bottest.NewRand())
		turn = r.Next(thread, turn.ID, bottest.IsTurn)
	}
}
