package league_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/storage"
)

// sheet returns the alt text of a message's only picture, which must be a PNG.
func sheet(r *bottest.Rig, m *localdiscord.Message) string {
	r.T.Helper()
	pictures := m.Pictures()
	if len(pictures) != 1 {
		r.T.Fatalf("there are %d pictures, want one: %s", len(pictures), m.Text())
	}
	data, ok := r.Server.Attachment(pictures[0].URL)
	if cfg, err := png.DecodeConfig(bytes.NewReader(data)); !ok || err != nil || cfg.Width != bottest.PictureWidth {
		r.T.Fatalf("the picture is no PNG of the usual width: %v, %d wide", err, cfg.Width)
	}
	return pictures[0].Description
}

func TestLeaderboardsSeasonsAndVoidedResults(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	g, other := catalog.Games[0], catalog.Games[4]
	r := bottest.New(t)

	empty := r.Command(anne, channel, "leaderboard")
	bottest.Contains(t, "an empty leaderboard", sheet(r, empty), "All games", "all time", "Nobody is ranked here")
	r.Resigned(channel, g, anne, jack)
	opt := localdiscord.Opt

	r.ManagersAlone(localdiscord.Bart, channel, "server season start")
	begun := r.Command(mary, channel, "server season start", opt("title", "Spring tide"))
	if begun.EphemeralTo != "" {
		t.Error("a season begins where nobody sees it")
	}
	bottest.Contains(t, "/server season start", begun.Text(), "Spring tide begins")
	bottest.Contains(t, "a second /server season start", r.Command(mary, channel, "server season start").Text(),
		"is already running")

	alone := r.Command(anne, channel, "leaderboard")
	bottest.Contains(t, "a leaderboard of two who know nobody else", sheet(r, alone), "Nobody is ranked here")
	bottest.Contains(t, "the line of who has met one", alone.Text(), "1 more opponent")
	r.Command(mary, channel, "server ratings least", opt("count", 9))
	bottest.Contains(t, "the line of who has met one, and played little",
		r.Command(anne, channel, "leaderboard").Text(), "more games to be ranked, and 2 different opponents.")
	r.Command(mary, channel, "server ratings least", opt("count", 1))
	shared := r.Command(anne, channel, "leaderboard", opt("share", true))
	bottest.Lacks(t, "a shared leaderboard", shared.Text(), "more opponent")
	turned := r.Click(mary, shared, "With computers")
	if turned.EphemeralTo != "" {
		t.Errorf("a button changes a shared leaderboard for %q", turned.EphemeralTo)
	}
	bottest.Lacks(t, "a shared leaderboard after somebody's click", turned.Text(), "not on this list yet")
	void := r.Resigned(channel, g, jack, anne)
	r.Resigned(channel, g, anne, localdiscord.Bart)
	r.Resigned(channel, g, jack, localdiscord.Bart)
	r.Resigned(channel, other, anne, jack)

	all := r.Command(anne, channel, "leaderboard", opt("game", g.Key()))
	bottest.Contains(t, "/leaderboard", sheet(r, all), "1. ", "Anne", "Jack", "3 games", "2 wins")
	season := r.Command(anne, channel, "leaderboard", opt("season", "1"), opt("game", g.Key()))
	bottest.Contains(t, "the season's leaderboard", sheet(r, season), "Spring tide", "1. Jack", "2. Anne", "3. Bart",
		"2 games,")
	for _, typed := range []string{"spring tide", "all time"} {
		named := r.Command(anne, channel, "leaderboard", opt("season", typed), opt("game", g.Key()))
		bottest.Contains(t, "the leaderboard of a season by its title", strings.ToLower(sheet(r, named)), typed)
	}
	with := r.Click(anne, season, "With computers")
	bottest.Contains(t, "the leaderboard with computers", sheet(r, with), "with computers", "Nobody is ranked here")
	bottest.Contains(t, "the line of who is not listed", with.Text(), "not on this list yet")

	r.ManagersAlone(localdiscord.Bart, channel, "server ratings void")
	choices, err := r.Server.Autocomplete(r.Ctx, mary, channel, "server ratings void", "ended", opt("ended", ""))
	if err != nil || len(choices) != 5 {
		t.Errorf("autocomplete offers %v, %v; want the five ended tables", choices, err)
	}
	bottest.Contains(t, "/server ratings void", r.Command(mary, channel, "server ratings void", opt("ended", void),
		opt("reason", "wrong board")).Text(), "is void: wrong board")
	bottest.Contains(t, "voiding twice", r.Command(mary, channel, "server ratings void", opt("ended", void)).Text(),
		"already been voided")
	season = r.Command(anne, channel, "leaderboard", opt("season", "1"), opt("game", g.Key()))
	bottest.Contains(t, "the season after the voiding", sheet(r, season), "1. Bart", "1 player.")
	bottest.Contains(t, "/record history", r.Command(anne, channel, "record history", opt("game", g.Key())).Text(),
		"#"+void,
		"(doesn't count)", "beat")
	if done, err := r.Store.Rebuild(r.Ctx); err != nil || done.Changed != 0 {
		t.Errorf("rebuilding the ratings changed %+v, %v", done, err)
	}
	if err := r.Store.Check(r.Ctx); err != nil {
		t.Error(err)
	}

	unrated := r.Open(channel, g, []string{mary, jack}, opt("rated", false))
	sure := r.Command(jack, channel, "table resign")
	r.Click(jack, sure, "Yes, resign")
	r.Next(channel, unrated.ID, bottest.IsOver)
	if alt := sheet(r, r.Command(anne, channel, "leaderboard")); strings.Contains(alt, "Mary") {
		t.Errorf("an unrated game counts: %s", alt)
	}
	bottest.Contains(t, "/record history of an unrated game",
		r.Command(mary, channel, "record history", opt("player", mary)).Text(),
		"(unrated)")

	bottest.Contains(t, "/server ratings least", r.Command(mary, channel, "server ratings least",
		opt("count", 4)).Text(), "4 rated games")
	least := r.Command(anne, channel, "leaderboard")
	bottest.Contains(t, "with too few games", least.Text(), "1 more game to be ranked.")
	r.Command(mary, channel, "server ratings least", opt("count", 1))

	over := r.Command(mary, channel, "server season end")
	if over.EphemeralTo != "" || len(over.Pinged) != 0 {
		t.Errorf("the podium is seen by %q and pings %v; want everybody and nobody", over.EphemeralTo, over.Pinged)
	}
	bottest.Contains(t, "/server season end", over.Text(), "Spring tide is over", "🥇 <@"+anne+">", "🥈 <@"+jack+">")
	bottest.Lacks(t, "an ended season's leaderboard",
		r.Command(mary, channel, "leaderboard", opt("season", "1")).Text(), "not on this list yet")
	bottest.Contains(t, "ending twice", r.Command(mary, channel, "server season end").Text(), "No season is running")
}

// Managers see players who win a lot against people who play with hardly anybody else, or who resign early.
func TestManagersSeeWinsOverFew(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary, opt := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Opt
	g := catalog.Games[4]
	r := bottest.New(t)
	r.ManagersAlone(localdiscord.Bart, channel, "server ratings few")
	bottest.Contains(t, "with no game", r.Command(mary, channel, "server ratings few").Text(),
		"Games checked: 0.", "Nobody's wins stand out.")
	for range 5 {
		r.Resigned(channel, g, anne, jack)
	}
	bottest.Contains(t, "with five", r.Command(mary, channel, "server ratings few", opt("game", g.Key())).Text(),
		"Games checked: 5.",
		"<@"+anne+">: 5 wins over others, 5 of them against somebody who played fewer than "+
			"5 other people in the games checked, and 5 against somebody who left early",
		"Such wins were most often against <@"+jack+">")
}

// A user who has only games against computers sees the leaderboard of those games.
func TestTheLeaderboardIsTheOneWithYourGames(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	anne, opt := localdiscord.Anne, localdiscord.Opt
	r.Command(anne, channel, "play", opt("game", bottest.LoyalCaptain), opt("computers", 1), opt("level", "hard"))
	for range storage.LeastDecisions {
		r.Eventually("Anne's turn", func() bool { return r.Published(1).Mover() == anne })
		r.TypeMove(anne, channel, bottest.NewRand())
	}
	r.Click(anne, r.Command(anne, channel, "table resign"), "Yes, resign")
	r.Next(channel, "0", bottest.IsOver)
	bottest.Contains(t, "/leaderboard", sheet(r, r.Command(anne, channel, "leaderboard")), "with computers", "Anne")
	bottest.Contains(t, "the curve", sheet(r, r.Command(anne, channel, "profile")),
		"after one rated game with computers")
	people := r.Command(anne, channel, "leaderboard", opt("with", "people"))
	bottest.Contains(t, "/leaderboard with:people", sheet(r, people), "Nobody is ranked here")
	r.Resigned(localdiscord.TortugaTavern, catalog.Games[0], localdiscord.Jack, anne)
	bottest.Lacks(t, "/leaderboard after a game with somebody", sheet(r, r.Command(anne, channel, "leaderboard")),
		"with computers")
}

func TestProfilesHistoryAndStatistics(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	g := catalog.Games[0]
	opt := localdiscord.Opt
	r := bottest.New(t)
	bottest.Contains(t, "the profile of who never played", r.Command(anne, channel, "profile").Text(),
		"Nothing to show here yet")
	bottest.Contains(t, "the statistics of a new server", r.Command(anne, channel, "record stats").Text(),
		"Nothing to show here yet")
	bottest.Contains(t, "the history of a new server", r.Command(anne, channel, "record history").Text(),
		"I found no finished games")
	for range 6 {
		r.Resigned(channel, g, anne, jack)
	}
	last := r.Resigned(channel, g, jack, anne)
	for range 5 {
		r.Resigned(channel, g, mary, jack)
	}
	before := r.Latest(channel)
	r.Command(mary, channel, "play", opt("game", g.Key()), opt("players", 2))
	lobby := r.Next(channel, before, bottest.IsLobby)
	panel := r.Click(mary, lobby, "Options")
	r.Choose(mary, panel, bottest.MenuOf(t, panel, "opening"), "offered")
	r.Click(jack, r.Edited(channel, lobby.ID, "Offered"), "Join")
	varied := r.Next(channel, lobby.ID, bottest.IsTurn)
	r.Click(jack, r.Command(jack, channel, "table resign"), "Yes, resign")
	r.Next(channel, varied.ID, bottest.IsOver)
	bottest.Contains(t, "a game with an option", r.Command(mary, channel, "record history", opt("player", mary)).Text(),
		"Loyal Captain (Opening")
	r.Open(channel, g, []string{anne, mary})

	turns := r.Command(anne, channel, "profile").Text() + r.Command(mary, channel, "profile").Text()
	bottest.Contains(t, "own profiles", turns, "**your turn** began")
	for _, user := range []string{anne, mary} {
		shared := r.Command(user, channel, "profile", opt("share", true))
		bottest.Lacks(t, "a shared profile", shared.Text(), "your turn")
	}
	p := r.Command(mary, channel, "profile", opt("player", anne))
	bottest.Contains(t, "/profile", p.Text(), "<@"+anne+">", "Against people", "7 games, 6 wins",
		"most wins in a row: 6", "<@"+jack+">: 7 games, 6 won, 1 lost", "Now at this table",
		"usually answers within 15 minutes; left")
	bottest.Contains(t, "the curve", sheet(r, p), "over the last 7 rated games against people: from")
	bottest.Contains(t, "the profile of a bot", r.Command(anne, channel, "profile",
		opt("player", localdiscord.Application)).Text(),
		"is a bot")

	all := r.Command(anne, channel, "record history")
	if n := strings.Count(all.Text(), " beat "); n != 10 {
		t.Errorf("a page of the history has %d games, want 10: %s", n, all.Text())
	}
	second := r.Click(anne, all, "▶")
	if n := strings.Count(second.Text(), " beat "); n != 3 {
		t.Errorf("the second page of the history has %d games, want 3: %s", n, second.Text())
	}
	lost := r.Command(anne, channel, "record history", opt("outcome", "lost"))
	if n := strings.Count(lost.Text(), " beat "); n != 1 {
		t.Errorf("Anne lost %d games, want 1: %s", n, lost.Text())
	}
	bottest.Contains(t, "what Anne lost", lost.Text(), "#"+last+" ")
	met := r.Command(anne, channel, "record history", opt("player", mary), opt("against", jack))
	if n := strings.Count(met.Text(), "<@"+mary+"> beat <@"+jack+">"); n != 6 {
		t.Errorf("Mary beat Jack %d times, want 6: %s", n, met.Text())
	}
	stats := r.Command(anne, channel, "record stats")
	bottest.Contains(t, "/record stats", stats.Text(), "13 games have been finished", "13 in the last 7 days",
		"100% of all", "Most moves, rolls and cards")
}
