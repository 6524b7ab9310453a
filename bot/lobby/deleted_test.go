package lobby_test

import (
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// A table whose lobby message a moderator has deleted can still be joined from the list of tables, and so can a free
// seat of an unfinished game. On another server, the list has a link to the user's table.
func TestADeletedLobbyIsNoEnd(t *testing.T) {
	t.Parallel()
	const anne, jack, mary, channel = localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, bottest.TablesChannel
	r := bottest.New(t)
	r.Command(anne, channel, "play", localdiscord.Opt("game", bottest.LoyalCaptain), localdiscord.Opt("players", 2))
	lobby := r.Next(channel, "0", bottest.IsLobby)
	r.Delete(channel, lobby.ID)
	list := r.Command(jack, channel, "games", localdiscord.Opt("open", true))
	hers := r.Command(mary, channel, "games")
	shown := r.Click(jack, list, "Open")
	bottest.Contains(t, "Open beside a table that waits for players", shown.Text(), "Loyal Captain", "<@"+anne+">")
	r.WantText(r.Click(jack, shown, "Join"), "Welcome aboard")
	turn := r.Next(channel, lobby.ID, bottest.IsTurn)

	r.Command(jack, channel, "table leave") // offers the user's seat
	begun := r.Click(mary, hers, "Open")    // a button of an older list
	bottest.Contains(t, "Open beside a table with a free seat", begun.Text(), "The game has begun",
		"<@"+jack+">'s seat is free.")
	watched := r.Click(mary, begun, "Watch")
	if len(watched.Pictures()) != 1 || strings.Contains(watched.Text(), turn.ID) {
		t.Errorf("Watch shows no board: %s", watched.Text())
	}
	again := r.Click(mary, r.Command(mary, channel, "games", localdiscord.Opt("open", true)), "Open")
	r.WantText(r.Click(mary, again, "Take Jack's seat"), "Welcome aboard")

	elsewhere := r.Command(mary, localdiscord.NassauTables, "games", localdiscord.Opt("mine", true))
	if open, ok := elsewhere.Button("Open"); !ok || !strings.Contains(open.URL, "/"+channel) {
		t.Errorf("on another server one's table is opened by %+v: %s", open, elsewhere.Text())
	}
}
