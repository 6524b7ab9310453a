package bot_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"
)

// resigned plays a game between two that the second of them gives up, and returns the table's number.
func (r *rig) resigned(channel string, g games.Game, winner, loser string) string {
	r.t.Helper()
	turn := r.open(channel, g, []string{winner, loser})
	r.playOn(channel)
	sure := r.command(loser, channel, "resign")
	r.click(loser, sure, "Yes, resign")
	r.next(channel, turn.ID, isOver)
	number, _, _ := strings.Cut(afterWord(turn.Text(), "· #"), "\n")
	return number
}

// playOn plays at the channel's table until its players have decided as often as it takes for the result to count.
func (r *rig) playOn(channel string) {
	r.t.Helper()
	heads, err := r.tables.Lookup.InChannel(r.ctx, channel)
	if err != nil || len(heads) != 1 {
		r.t.Fatalf("%d tables go on in the channel, %v", len(heads), err)
	}
	id := heads[0].ID
	for n := 0; n < storage.LeastDecisions*len(heads[0].Seats); n++ {
		snap, err := r.tables.Lookup.Snapshot(r.ctx, id)
		if err != nil {
			r.t.Fatal(err)
		}
		state := snap.View(snap.ToMove).State
		if _, err := r.tables.Move(r.ctx, table.Actor{User: snap.Mover()}, id, games.Spell(state, state.Moves()[0]),
			0); err != nil {
			r.t.Fatal(err)
		}
	}
}

// afterWord is what follows the first word in text.
func afterWord(text, word string) string {
	_, after, _ := strings.Cut(text, word)
	return after
}

// has fails the test unless text holds all the words.
func has(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not say %q: %s", what, w, text)
		}
	}
}

// sheet is the alt text of a message's only picture, which must be a PNG.
func (r *rig) sheet(m *localdiscord.Message) string {
	r.t.Helper()
	pictures := m.Pictures()
	if len(pictures) != 1 {
		r.t.Fatalf("there are %d pictures, want one: %s", len(pictures), m.Text())
	}
	data, ok := r.srv.Attachment(pictures[0].URL)
	if cfg, err := png.DecodeConfig(bytes.NewReader(data)); !ok || err != nil || cfg.Width != pictureWidth {
		r.t.Fatalf("the picture is no PNG of the usual width: %v, %d wide", err, cfg.Width)
	}
	return pictures[0].Description
}

func TestLeaderboardsSeasonsAndVoidedResults(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	g, other := catalog.Games[0], catalog.Games[4]
	r := newRig(t)

	empty := r.command(anne, channel, "leaderboard")
	has(t, "an empty leaderboard", r.sheet(empty), "All games", "all time", "Nobody is ranked here yet")
	r.resigned(channel, g, anne, jack)
	opt := localdiscord.Opt

	r.managersAlone(localdiscord.Bart, channel, "server season start")
	begun := r.command(mary, channel, "server season start", opt("title", "Spring tide"))
	if begun.EphemeralTo != "" {
		t.Error("a season begins where nobody sees it")
	}
	has(t, "/server season start", begun.Text(), "Spring tide begins")
	has(t, "a second /server season start", r.command(mary, channel, "server season start").Text(),
		"is running already")

	alone := r.command(anne, channel, "leaderboard")
	has(t, "a leaderboard of two who know nobody else", r.sheet(alone), "Nobody is ranked here yet")
	has(t, "the line of who has met one", alone.Text(), "1 more opponent")
	void := r.resigned(channel, g, jack, anne)
	r.resigned(channel, g, anne, localdiscord.Bart)
	r.resigned(channel, g, jack, localdiscord.Bart)
	r.resigned(channel, other, anne, jack)

	all := r.command(anne, channel, "leaderboard", opt("game", g.Key()))
	has(t, "/leaderboard", r.sheet(all), "1. ", "Anne", "Jack", "3 games", "2 wins")
	season := r.command(anne, channel, "leaderboard", opt("season", "1"), opt("game", g.Key()))
	has(t, "the season's leaderboard", r.sheet(season), "Spring tide", "1. Jack", "2. Anne", "3. Bart", "2 games,")
	with := r.click(anne, season, "With computers")
	has(t, "the leaderboard with computers", r.sheet(with), "with computers", "Nobody is ranked here yet")

	r.managersAlone(localdiscord.Bart, channel, "server ratings void")
	choices, err := r.srv.Autocomplete(r.ctx, mary, channel, "server ratings void", "ended", opt("ended", ""))
	if err != nil || len(choices) != 5 {
		t.Errorf("autocomplete offers %v, %v; want the five ended tables", choices, err)
	}
	has(t, "/server ratings void", r.command(mary, channel, "server ratings void", opt("ended", void),
		opt("reason", "wrong board")).Text(), "does not count any more: wrong board")
	has(t, "voiding twice", r.command(mary, channel, "server ratings void", opt("ended", void)).Text(),
		"has been voided already")
	season = r.command(anne, channel, "leaderboard", opt("season", "1"), opt("game", g.Key()))
	has(t, "the season after the voiding", r.sheet(season), "1. Bart", "1 player.")
	has(t, "/record history", r.command(anne, channel, "record history", opt("game", g.Key())).Text(), "#"+void,
		"(void)", "beat")
	if done, err := r.store.Rebuild(r.ctx); err != nil || done.Changed != 0 {
		t.Errorf("rebuilding the ratings changed %+v, %v", done, err)
	}
	if err := r.store.Check(r.ctx); err != nil {
		t.Error(err)
	}

	unrated := r.open(channel, g, []string{mary, jack}, opt("rated", false))
	sure := r.command(jack, channel, "resign")
	r.click(jack, sure, "Yes, resign")
	r.next(channel, unrated.ID, isOver)
	if alt := r.sheet(r.command(anne, channel, "leaderboard")); strings.Contains(alt, "Mary") {
		t.Errorf("an unrated game counts: %s", alt)
	}
	has(t, "/record history of an unrated game", r.command(mary, channel, "record history", opt("player", mary)).Text(),
		"(unrated)")

	has(t, "/server ratings least", r.command(mary, channel, "server ratings least", opt("count", 4)).Text(), "4 games")
	least := r.command(anne, channel, "leaderboard")
	has(t, "with too few games", least.Text(), "1 more game")
	r.command(mary, channel, "server ratings least", opt("count", 1))

	over := r.command(mary, channel, "server season end")
	if over.EphemeralTo != "" || len(over.Pinged) != 0 {
		t.Errorf("the podium is seen by %q and pings %v; want everybody and nobody", over.EphemeralTo, over.Pinged)
	}
	has(t, "/server season end", over.Text(), "Spring tide is over", "🥇 <@"+anne+">", "🥈 <@"+jack+">")
	has(t, "ending twice", r.command(mary, channel, "server season end").Text(), "No season is running")
}

func TestProfilesHistoryAndStatistics(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	g := catalog.Games[0]
	opt := localdiscord.Opt
	r := newRig(t)
	has(t, "the profile of who never played", r.command(anne, channel, "profile").Text(), "No game finished here yet")
	has(t, "the statistics of a new server", r.command(anne, channel, "record stats").Text(),
		"No game has been finished")
	has(t, "the history of a new server", r.command(anne, channel, "record history").Text(), "No such game")
	for range 6 {
		r.resigned(channel, g, anne, jack)
	}
	last := r.resigned(channel, g, jack, anne)
	for range 5 {
		r.resigned(channel, g, mary, jack)
	}
	before := r.latest(channel)
	r.command(mary, channel, "play", opt("game", g.Key()), opt("players", 2))
	lobby := r.next(channel, before, isLobby)
	panel := r.click(mary, lobby, "Options")
	r.choose(mary, panel, menuOf(t, panel, "opening"), "offered")
	r.click(jack, lobby, "Join")
	varied := r.next(channel, lobby.ID, isTurn)
	r.click(jack, r.command(jack, channel, "resign"), "Yes, resign")
	r.next(channel, varied.ID, isOver)
	has(t, "a game with an option", r.command(mary, channel, "record history", opt("player", mary)).Text(),
		"Loyal Captain, Opening")
	r.open(channel, g, []string{anne, mary})

	p := r.command(mary, channel, "profile", opt("player", anne))
	has(t, "/profile", p.Text(), "<@"+anne+">", "Among people", "7 games, 6 wins", "at best 6",
		"<@"+jack+">: 7 games, 6 won, 1 lost", "One open table", "usually answers within 15 minutes; left")
	has(t, "the curve", r.sheet(p), "over the last 7 games")
	has(t, "the profile of a bot", r.command(anne, channel, "profile", opt("player", localdiscord.Application)).Text(),
		"is a bot")

	all := r.command(anne, channel, "record history")
	if n := strings.Count(all.Text(), " beat "); n != 10 {
		t.Errorf("a page of the history has %d games, want 10: %s", n, all.Text())
	}
	second := r.click(anne, all, "▶")
	if n := strings.Count(second.Text(), " beat "); n != 3 {
		t.Errorf("the second page of the history has %d games, want 3: %s", n, second.Text())
	}
	lost := r.command(anne, channel, "record history", opt("outcome", "lost"))
	if n := strings.Count(lost.Text(), " beat "); n != 1 {
		t.Errorf("Anne lost %d games, want 1: %s", n, lost.Text())
	}
	has(t, "what Anne lost", lost.Text(), "#"+last+" ")
	met := r.command(anne, channel, "record history", opt("player", mary), opt("opponent", jack))
	if n := strings.Count(met.Text(), "<@"+mary+"> beat <@"+jack+">"); n != 6 {
		t.Errorf("Mary beat Jack %d times, want 6: %s", n, met.Text())
	}
	stats := r.command(anne, channel, "record stats")
	has(t, "/record stats", stats.Text(), "13 games have been played", "13 this week", "100 %", "Longest")
}
