package lobby_test

import (
	"errors"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/catalog"
	"marque/storage"
)

// The buttons of a panel suffice to play, and to see one's games, the leaderboard and the rules, without a command and
// after a restart of the bot. Only the user sees the replies, and the panel does not change.
func TestThePanelIsTheWayIn(t *testing.T) {
	t.Parallel()
	const channel, mary, jack = localdiscord.TortugaTavern, localdiscord.Mary, localdiscord.Jack
	r := bottest.New(t)
	r.ManagersAlone(localdiscord.Bart, channel, "server panel")
	r.WantText(r.Command(mary, channel, "server panel"), "The panel is now in this channel")
	panel := r.Next(channel, "", func(m *localdiscord.Message) bool {
		return bottest.HasButton(m, "Play with others")
	})
	// The panel shows one picture, and buttons to play and to learn each game.
	for _, g := range catalog.Games {
		for _, id := range []string{"new-level///" + g.Key() + "/easy", "learn///" + g.Key()} {
			if !bottest.HasButton(panel, id) {
				t.Errorf("the panel has no button %s", id)
			}
		}
	}
	if n := len(panel.Pictures()); n != 1 {
		t.Errorf("the panel shows %d pictures, want one of all games", n)
	}
	looks, controls := panel.Text(), len(panel.Interactive())
	r.Stop()
	r.Start()

	private := func(what string, m *localdiscord.Message) *localdiscord.Message {
		t.Helper()
		if m.EphemeralTo != jack || m.ID == panel.ID {
			t.Errorf("%s is answered to %q: %s", what, m.EphemeralTo, m.Text())
		}
		return m
	}
	more := func() *localdiscord.Message { return private("More", r.Click(jack, panel, "More")) }
	r.WantText(private("My games", r.Click(jack, more(), "My games")), "There are no tables to show")
	private("Leaderboard", r.Click(jack, more(), "Leaderboard"))
	rules := private("Rules", r.Click(jack, more(), "Rules"))
	rules = private("the rules", r.Click(jack, rules, "Loyal Captain"))
	r.WantText(rules, "Loyal Captain")
	r.WantText(r.Choose(jack, rules, rules.Interactive()[0].CustomID, "quick"), "Loyal Captain")

	reply, err := r.Server.Click(r.Ctx, jack, panel.ID, "new///people")
	if err != nil || reply.Modal == nil {
		t.Fatalf("Play with others asks for nothing: %v", err)
	}
	r.WantText(private("Play with others", r.Submit(jack, reply.Modal, localdiscord.Opt("game", bottest.LoyalCaptain))),
		"is open for Loyal Captain")
	r.Next(channel, panel.ID, bottest.IsLobby)
	r.WantText(r.Click(jack, more(), "My games"), "1 table")
	for _, user := range []string{jack, mary} {
		if m := r.Command(user, channel, "games"); !bottest.HasButton(m, "Open") {
			t.Errorf("%s is not offered to open the table: %s", user, m.Text())
		}
	}

	which := private("Against the computer", r.Click(jack, more(), "Against the computer"))
	level := r.Click(jack, which, "new-game///pirat/computers")
	opened := r.Click(jack, level, "easy")
	r.WantText(opened, "Your game of All against All has begun")
	r.WantText(opened, "unrated, and hints are free")
	heads, err := r.Tables.Lookup.ByUser(r.Ctx, jack, storage.Active, 0, 10)
	if err != nil || len(heads) != 2 {
		t.Fatalf("tables %v, %v", heads, err)
	}
	for _, h := range heads {
		if h.Game == "pirat" && (h.Status != table.Playing || h.Seats[0].Computer == h.Seats[1].Computer) {
			t.Errorf("the game against the computer is %+v", h)
		}
	}
	r.WantText(r.Forge(jack, level, "new-level///pirat/drunk"), "drunk")

	// The user chooses the options of the game before the level, which starts the game.
	which = r.Click(jack, more(), "Against the computer")
	level = r.Click(jack, which, "Loyal Captain")
	level = r.Choose(jack, level, level.Interactive()[0].CustomID, "offered")
	level = r.Choose(jack, level, level.Interactive()[1].CustomID, "true")
	for _, forged := range []string{"new-option///" + bottest.LoyalCaptain + "/0", "new-option//g7/" +
		bottest.LoyalCaptain + "/0.0",
		"new-option///" + bottest.LoyalCaptain + "/0.9"} {
		r.WantText(r.Forge(jack, level, forged, "offered"), "out of date")
	}
	r.WantText(r.Forge(jack, level, "new-option///mutiny/0", "offered"), "I don't know a game called “mutiny”")
	r.WantText(r.Forge(jack, level, "new-option////0", "offered"), "The game is missing. Choose Loyal Captain, ")
	r.WantText(r.Forge(jack, level, "new-level///"+bottest.LoyalCaptain+"/easy/9.0"), "out of date")
	r.Click(jack, level, "easy")
	if snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 3); err != nil || snap.Status != table.Playing ||
		snap.Setup().Option("opening") != "offered" || !snap.ComputersResign() {
		t.Errorf("the game with options is %+v, %v", snap, err)
	}
	r.WantText(r.Forge(jack, level, "new-level///mutiny/easy"), "mutiny")
	opened = private("Play", r.Click(jack, panel, "new-level///madagascar/easy"))
	r.WantText(opened, "Madagascar")
	if snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 4); err != nil || snap.Status != table.Playing ||
		snap.Rules().Key() != "madagascar" {
		t.Errorf("the game that one press began is %+v, %v", snap, err)
	}
	// A second press asks whether to go on with that game, as the button after the lessons does.
	asked := private("Play", r.Click(jack, panel, "new-level///madagascar/easy"))
	r.WantText(asked, "You already have a game of Madagascar against the computer")
	if board := r.Click(jack, asked, "Go on with it"); len(board.Pictures()) != 1 {
		t.Errorf("going on with the game shows %s", board.Text())
	}
	r.WantText(r.Click(jack, asked, "A new game"), "Your game of Madagascar has begun")
	if snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 5); err != nil || snap.Status != table.Playing {
		t.Errorf("the new game is %+v, %v", snap, err)
	}
	private("Learn", r.Click(jack, panel, "learn///madagascar"))
	for _, m := range r.Server.Messages(channel, jack) {
		if m.ID == panel.ID && (m.Text() != looks || len(m.Interactive()) != controls) {
			t.Errorf("the panel has become %s", m.Text())
		}
	}
}

// A user who asks for a panel in a channel where the bot cannot post is told which permission is missing, and no error
// is logged.
func TestAPanelThatCannotBePosted(t *testing.T) {
	t.Parallel()
	const channel, mary = localdiscord.TortugaTavern, localdiscord.Mary
	r := bottest.New(t)
	if err := r.Server.Admin.DenyBot(channel, localdiscord.PermissionSendMessages); err != nil {
		t.Fatal(err)
	}
	r.WantText(r.Command(mary, channel, "server panel"), "Send Messages")
	if err := r.Server.Admin.DenyBot(channel, 0); err != nil {
		t.Fatal(err)
	}
	// If Discord refuses the message because the permission was just removed, the user is told that the bot can't write
	// here.
	r.Server.AddFault(localdiscord.Fault{Method: "POST", Path: "/channels/" + channel + "/messages", Times: 1,
		Status: 403,
		Body:   `{"message": "Missing Permissions", "code": 50013}`})
	r.WantText(r.Command(mary, channel, "server panel"), "I can't write in this channel")
	if _, err := r.Server.Click(r.Ctx, mary, r.Latest(channel), "new///people"); !errors.Is(err,
		localdiscord.ErrNoMessage) && !errors.Is(err, localdiscord.ErrNoComponent) {
		t.Errorf("there is a panel all the same: %v", err)
	}
	if strings.Contains(r.Log.String(), "level=ERROR") {
		t.Error("it is logged as our fault")
	}
}
