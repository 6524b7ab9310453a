package bot_test

import (
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
)

// A table can ask something of those who join it. Who does not meet it is told what is lacking; who
// is invited need not meet it. What a server has set holds where nothing else is said, and on no
// other server.
func TestConditionsForJoining(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	g, opt := catalog.Games[0], localdiscord.Opt
	r := newRig(t)
	pirate, err := r.srv.Admin.AddRole(localdiscord.Tortuga, "Pirates", 0)
	if err != nil {
		t.Fatal(err)
	}
	open := func(channel string, options ...localdiscord.Option) *localdiscord.Message {
		t.Helper()
		return r.lobby(anne, channel, append([]localdiscord.Option{opt("game", g.Key()), opt("players", 2)},
			options...)...)
	}
	has(t, "ratings that cannot be read", r.command(anne, channel, "play", opt("game", g.Key()),
		opt("rating", "strong")).Text(), "can't read “strong” as ratings")

	lobby := open(channel, opt("rating", "9000+"), opt("answers", "24"), opt("finishes", 90), opt("lessons", true),
		opt("role", pirate))
	has(t, "the lobby", lobby.Text(), "To join, you need a rating of 9000 or more, to answer within 24 hours",
		"finish 90 %", "lessons of the game", "<@&"+pirate+">")
	refused := r.click(jack, lobby, "Join").Text()
	has(t, "who lacks all that can be known", refused, "What is lacking: a rating of 9000 or more (yours is ",
		"lessons of Loyal Captain (“/learn”)", "the role <@&"+pirate+">")
	hasnt(t, "who has played little", refused, "answers", "finished")
	r.command(anne, channel, "seat invite", opt("who", jack))
	r.click(jack, lobby, "Join")
	turn := r.next(channel, lobby.ID, isTurn)
	// The next table of the channel is in a thread, and its card says it, too, while a seat is free.
	r.command(anne, channel, "play", opt("game", g.Key()), opt("players", 2), opt("finishes", 90))
	card := r.next(channel, turn.ID, func(m *localdiscord.Message) bool { return hasButton(m, "Join") })
	has(t, "the card of a thread", card.Text(), "To join, you need to finish 90 %")
	r.command(anne, channel, "seat invite", opt("who", jack), opt("table", "2"))
	r.click(jack, card, "Join")
	r.eventually("the card says no conditions any more", func() bool {
		m, err := r.srv.Message(card.ID, anne)
		return err == nil && !strings.Contains(m.Text(), "To join")
	})

	r.configure(localdiscord.Tortuga, func(c *table.Settings) { c.Asks.Lessons = true })
	lobby = open(localdiscord.TortugaHarbour)
	has(t, "what the server has set", r.click(mary, lobby, "Join").Text(), "lessons of Loyal Captain")
	for _, l := range games.Lessons(g) {
		if err := r.tables.Choices.Learn(r.ctx, mary, g.Key(), l.Key); err != nil {
			t.Fatal(err)
		}
	}
	r.click(mary, lobby, "Join")
	r.next(localdiscord.TortugaHarbour, lobby.ID, isTurn)
	elsewhere := open(localdiscord.NassauTables)
	hasnt(t, "another server", elsewhere.Text(), "Who joins")

	manager := mary
	page := r.click(manager, r.command(manager, channel, "server settings"), "Finding players…")
	page = r.choose(manager, page, menuOf(t, page, "joining-answers"), "24")
	page = r.choose(manager, page, menuOf(t, page, "joining-finishes"), "90")
	page = r.click(manager, page, "Rating: any")
	page = r.click(manager, page, "Lessons: done")
	has(t, "back", r.click(manager, page, "Back to the settings").Text(), "Quiet")
	c, err := r.tables.Choices.Settings(r.ctx, localdiscord.Tortuga)
	want := table.Conditions{Answers: 24, Finishes: 90}
	if err != nil || c.Asks != want || !c.Near {
		t.Errorf("set on the page: %+v, near %v, %v; want %+v, near", c.Asks, c.Near, err, want)
	}
	if got := c.Default(1500); got != (table.Conditions{RatingFrom: 1300, RatingTo: 1700, Answers: 24, Finishes: 90}) {
		t.Errorf("of somebody with 1500 points: %+v", got)
	}
}

// hasnt checks that a text does not say words.
func hasnt(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(text, w) {
			t.Errorf("%s says %q: %s", what, w, text)
		}
	}
}
