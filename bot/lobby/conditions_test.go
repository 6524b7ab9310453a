package lobby_test

import (
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
)

// A table can set conditions for joining. A user who does not meet a condition is told which, and invited users need
// not meet any. A server's conditions are the defaults for its tables.
func TestConditionsForJoining(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	g, opt := catalog.Games[0], localdiscord.Opt
	r := bottest.New(t)
	pirate, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "Pirates", 0)
	if err != nil {
		t.Fatal(err)
	}
	open := func(channel string, options ...localdiscord.Option) *localdiscord.Message {
		t.Helper()
		return r.Lobby(anne, channel, append([]localdiscord.Option{opt("game", g.Key()), opt("players", 2)},
			options...)...)
	}
	bottest.Contains(t, "ratings that cannot be read", r.Command(anne, channel, "play", opt("game", g.Key()),
		opt("rating", "strong")).Text(), "can't read “strong” as ratings")

	lobby := open(channel, opt("rating", "9000+"), opt("answers", "24"), opt("finishes", 90), opt("lessons", true),
		opt("role", pirate))
	bottest.Contains(t, "the lobby", lobby.Text(),
		"To join, you need a rating of 9000 or more, a usual answer time of up to 24 hours",
		"at least 90% of your games finished", "the game's lessons done", "<@&"+pirate+">")
	refused := r.Click(jack, lobby, "Join").Text()
	bottest.Contains(t, "who lacks all that can be known", refused,
		"To join, you need: a rating of 9000 or more (yours is ",
		"lessons of Loyal Captain (“/learn”)", "the role <@&"+pirate+">")
	bottest.Lacks(t, "who has played little", refused, "answers", "finished")
	r.Command(anne, channel, "table invite", opt("who", jack))
	r.Click(jack, lobby, "Join")
	turn := r.Next(channel, lobby.ID, bottest.IsTurn)
	// The next table of the channel is in a thread. Its card also shows the conditions while a seat is free.
	r.Command(anne, channel, "play", opt("game", g.Key()), opt("players", 2), opt("finishes", 90))
	card := r.Next(channel, turn.ID, func(m *localdiscord.Message) bool { return bottest.HasButton(m, "Join") })
	bottest.Contains(t, "the card of a thread", card.Text(), "To join, you need at least 90%")
	r.Command(anne, channel, "table invite", opt("who", jack), opt("table", "2"))
	r.Click(jack, card, "Join")
	r.Eventually("the card says no conditions any more", func() bool {
		m, err := r.Server.Message(card.ID, anne)
		return err == nil && !strings.Contains(m.Text(), "To join")
	})

	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Asks.Lessons = true })
	lobby = open(localdiscord.TortugaHarbour)
	bottest.Contains(t, "what the server has set", r.Click(mary, lobby, "Join").Text(), "lessons of Loyal Captain")
	for _, l := range games.Lessons(g) {
		if err := r.Tables.Choices.Learn(r.Ctx, mary, g.Key(), l.Key); err != nil {
			t.Fatal(err)
		}
	}
	r.Click(mary, lobby, "Join")
	r.Next(localdiscord.TortugaHarbour, lobby.ID, bottest.IsTurn)
	elsewhere := open(localdiscord.NassauTables)
	bottest.Lacks(t, "another server", elsewhere.Text(), "To join")

	manager := mary
	page := r.SettingsPage(manager, channel, "asks")
	page = r.Choose(manager, page, bottest.MenuOf(t, page, "answers"), "24")
	page = r.Choose(manager, page, bottest.MenuOf(t, page, "finishes"), "90")
	page = r.Click(manager, page, "Rating: any")
	page = r.Click(manager, page, "Lessons: required")
	bottest.Contains(t, "another page", r.Click(manager, page, "Quiet days, looks, more").Text(), "Quiet")
	c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
	want := table.Conditions{Answers: 24, Finishes: 90}
	if err != nil || c.Asks != want || !c.Near {
		t.Errorf("set on the page: %+v, near %v, %v; want %+v, near", c.Asks, c.Near, err, want)
	}
	if got := c.Default(1500); got != (table.Conditions{RatingFrom: 1300, RatingTo: 1700, Answers: 24, Finishes: 90}) {
		t.Errorf("of somebody with 1500 points: %+v", got)
	}
}
