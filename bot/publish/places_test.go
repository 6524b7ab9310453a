package publish_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
)

// Thread names with barred words, which servers in Server Discovery refuse, are replaced by names without the people.
// If the game's name is refused too, the table is played in the channel, and the host is informed.
func TestANameThatTheServerRefuses(t *testing.T) {
	t.Parallel()
	const channel, anne, jack = localdiscord.TortugaTables, localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	r := bottest.New(t)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Threads = choices.ThreadsAlways })
	r.Must(r.Server.Admin.BarWords(localdiscord.Tortuga, "Anne"))
	r.WantText(r.Command(anne, channel, "play", opt("game", bottest.LoyalCaptain)), "has its own thread")
	threads := r.Threads()
	if len(threads) != 1 || strings.Contains(threads[0].Name, "Anne") {
		t.Fatalf("the threads are %+v, want one without a name of somebody", threads)
	}
	lobby := r.Next(threads[0].ID, "", bottest.IsLobby)
	r.Click(jack, lobby, "Join")
	r.Next(threads[0].ID, lobby.ID, bottest.IsTurn)
	r.Eventually("the thread is named after the table", func() bool {
		return r.Threads()[0].Name == "#1 Loyal Captain"
	})

	r.Must(r.Server.Admin.BarWords(localdiscord.Tortuga, "Anne", "Captain"))
	r.WantText(r.Command(anne, channel, "play", opt("game", bottest.LoyalCaptain)),
		"I couldn't open a thread for it: Discord doesn't allow one here")
	r.Next(channel, "", bottest.IsLobby)
	asked := map[string]int{}
	for _, q := range r.Server.Requests() {
		if q.Status == http.StatusBadRequest {
			asked[q.Method+" "+q.Path+" "+string(q.Body)]++
		}
	}
	for q, n := range asked {
		if n > 1 {
			t.Errorf("what Discord had refused was sent %d times: %s", n, q)
		}
	}
	if len(asked) == 0 {
		t.Error("nothing was refused: the test has nothing to show")
	}
}

// If the answer about an opened thread is lost, the repeated request is refused because the thread exists. The table is
// played in that thread.
func TestAThreadWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Threads = choices.ThreadsAlways })
	r.Server.AddFault(localdiscord.Fault{Method: http.MethodPost, Path: "/threads", Times: 1, Lost: true,
		Status: http.StatusBadGateway})
	r.WantText(r.Command(localdiscord.Anne, channel, "play", localdiscord.Opt("game", bottest.LoyalCaptain)),
		"has its own thread")
	threads := r.Threads()
	if len(threads) != 1 {
		t.Fatalf("the threads are %+v, want one", threads)
	}
	r.Next(threads[0].ID, "", bottest.IsLobby)
}

// The tables of a tournament are opened even if their threads' names are refused.
func TestATournamentWithARefusedName(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Threads = choices.ThreadsAlways })
	r.Must(r.Server.Admin.BarWords(localdiscord.Tortuga, "Anne", "Winter"))
	people := []string{localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Bart}
	card := r.OpenTournament(channel, people)
	r.Click(localdiscord.Mary, card, "Start now")
	r.Settled(1)
	names := []string{}
	for _, thread := range r.Threads() {
		names = append(names, thread.Name)
	}
	if len(r.Pairings()) != 2 || len(names) != 2 || strings.Contains(strings.Join(names, " "), "Anne") {
		t.Errorf("%d tables are open in threads %q, want 2 in threads without a refused word", len(r.Pairings()), names)
	}
}

// In voice, stage and announcement channels, and in posts of forums and media channels, two tables that were opened
// with /play can exist at the same time, and a panel can be posted. Where the tables get no threads, both games can
// begin.
func TestEveryKindOfChannel(t *testing.T) {
	t.Parallel()
	const anne, jack, mary = localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	opt := localdiscord.Opt
	for _, k := range []struct {
		name    string
		kind    localdiscord.Kind
		post    bool // people can write only in its posts
		threads bool
	}{
		{"voice", localdiscord.Voice, false, false},
		{"stage", localdiscord.Stage, false, false},
		{"announcement", localdiscord.Announcement, false, true},
		{"forum", localdiscord.Forum, true, false},
		{"media", localdiscord.Media, true, false},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			r := bottest.New(t)
			r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Threads = choices.ThreadsAlways })
			channel, err := r.Server.Admin.AddChannelOf(k.kind, localdiscord.Tortuga, k.name)
			r.Must(err)
			if k.post {
				channel, err = r.Server.Admin.AddPost(channel, anne, "A game, anybody?")
				r.Must(err)
			}
			for n := range 2 { // the channel is in use for the second table
				said := r.Command(anne, channel, "play", opt("game", bottest.LoyalCaptain),
					opt("opponent", jack)).Text()
				if !strings.Contains(said, "is open") || strings.Contains(said, "its own thread") != k.threads {
					t.Errorf("/play number %d is answered %q", n+1, said)
				}
				if k.threads {
					continue
				}
				lobby := r.Next(channel, "", func(m *localdiscord.Message) bool {
					_, open := m.Button("Join")
					return open && strings.Contains(m.Text(), fmt.Sprintf("#%d", n+1))
				})
				r.Click(jack, lobby, "Join")
				r.Next(channel, lobby.ID, bottest.IsTurn)
				r.WantText(r.Command(anne, channel, "table resign", opt("table", fmt.Sprint(n+1))), "Resign your game")
			}
			r.WantText(r.Command(mary, channel, "server panel"), "The panel is now in this channel")
		})
	}
}

// The user is informed if automatic moderation or Discord refuses a message, and no error is logged.
func TestWhatModerationBlocks(t *testing.T) {
	t.Parallel()
	const channel, anne, mary = localdiscord.TortugaTables, localdiscord.Anne, localdiscord.Mary
	opt := localdiscord.Opt
	r := bottest.New(t)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Threads = choices.ThreadsAlways })
	for _, code := range []int{20009, 200000, 240000} {
		remove := r.Server.AddFault(blocked(channel, code))
		r.WantText(r.Command(anne, channel, "play", opt("game", bottest.LoyalCaptain)),
			"rejects what I want to post here")
		r.WantText(r.Command(mary, channel, "server panel"), "rejects what I want to post here")
		remove()
	}
	if open, err := r.Tables.Lookup.InChannel(r.Ctx, channel); err != nil || len(open) > 0 {
		t.Errorf("%d tables are open that nobody can see (%v)", len(open), err)
	}
}

// A table is closed if the channel refuses the message with its open seats, because nobody would see the table. The
// host is informed by direct message or, if they accept none, with the next answer to them.
func TestALobbyThatTheChannelRefuses(t *testing.T) {
	t.Parallel()
	const channel, anne, grace = localdiscord.TortugaTables, localdiscord.Anne, localdiscord.Grace
	opt := localdiscord.Opt
	r := bottest.New(t) // without threads, so that the lobby is posted after the table is opened
	r.Server.AddFault(blocked(channel, 200000))
	says := func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "didn't let me post in <#"+channel+">")
	}
	told := func(user string) *localdiscord.Message {
		t.Helper()
		dm, err := r.Server.DM(user)
		r.Must(err)
		m, err := r.WaitMessage(dm, user, says)
		r.Must(err)
		return m
	}
	r.Command(anne, channel, "play", opt("game", bottest.LoyalCaptain))
	bottest.Contains(t, "who opened it", told(anne).Text(), "I've closed table #1 (Loyal Captain)")
	r.Command(grace, channel, "play", opt("game", bottest.LoyalCaptain))
	r.Eventually("the second table is closed", func() bool {
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 2)
		return err == nil && snap.Status == table.Over
	})
	r.Command(grace, bottest.Tavern, "games")
	m, err := r.WaitMessage(bottest.Tavern, grace, says)
	r.Must(err)
	bottest.Contains(t, "who takes no direct messages", m.Text(), "I've closed table #2 (Loyal Captain)")
	r.Command(grace, bottest.Tavern, "games")
	told(anne)
	if n := len(r.Server.Messages(bottest.Tavern, grace)); n != 3 {
		t.Errorf("there are %d answers, want the notice once", n)
	}
}

// blocked returns a fault that refuses messages in a channel.
func blocked(channel string, code int) localdiscord.Fault {
	f := localdiscord.Refusal(http.StatusBadRequest, code, "Message was blocked by automatic moderation")
	f.Method, f.Path = http.MethodPost, "/channels/"+channel+"/messages"
	return f
}
