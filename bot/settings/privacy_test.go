package settings_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/privacy"
	"marque/games/text"
	"marque/storage"
)

// After a user's data are deleted, neither their id nor their name is anywhere in the database. The user has lobbies,
// games and results, a season, preferences, an absence and pending messages.
func TestDeletedDataAreNowhere(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	mary, name := localdiscord.Mary, "Mary"
	opt := localdiscord.Opt

	// Mary has a season, a lost game, preferences, and an absence.
	r.Command(mary, bottest.TablesChannel, "server season start", opt("title", "The summer of <@"+mary+">"))
	turn := r.OpenLoyal([]string{mary, localdiscord.Jack})
	r.Click(mary, r.Command(mary, bottest.TablesChannel, "table resign"), "Yes, resign")
	r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver)
	r.Command(mary, bottest.TablesChannel, "me preferences", opt("zone", "Asia/Tokyo"))
	r.Command(mary, bottest.Tavern, "me away", opt("until", "3"))

	// Mary also has a game in which she moved, a lobby that she opened, one to which she is invited, and a table that
	// she moderated, from which she was removed, and of which she became the host.
	turn = r.OpenLoyal([]string{mary, localdiscord.Jack})
	if r.Mover(turn) != mary {
		r.TypeMove(r.Mover(turn), bottest.TablesChannel, bottest.NewRand())
		turn = r.TurnAfter(bottest.TablesChannel, turn)
	}
	r.TypeMove(mary, bottest.TablesChannel, bottest.NewRand())
	r.Next(bottest.TablesChannel, turn.ID, bottest.IsTurn)
	r.Command(mary, bottest.Tavern, "play", opt("game", bottest.LoyalCaptain), opt("players", 2))
	r.Next(bottest.Tavern, "", bottest.IsLobby)
	quiet, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, "quiet")
	if err != nil {
		t.Fatal(err)
	}
	r.Command(localdiscord.Bart, quiet, "play", opt("game", bottest.LoyalCaptain), opt("opponent", mary))
	invited := r.Next(quiet, "", bottest.IsLobby)
	r.WantText(invited, "<@"+mary+">")
	led, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, "led")
	if err != nil {
		t.Fatal(err)
	}
	r.Command(localdiscord.Anne, led, "play", opt("game", bottest.LoyalCaptain), opt("opponent", mary))
	lobby := r.Next(led, "", bottest.IsLobby)
	r.Click(mary, lobby, "Join")
	r.Next(led, lobby.ID, bottest.IsTurn)
	r.PlayOn(led)
	r.WantText(r.Command(mary, led, "moderate remove", opt("who", mary)), "has been removed from table")
	r.WantText(r.Command(localdiscord.Bart, led, "table join"), "Welcome aboard")
	r.PlayOn(led)
	r.WantText(r.Command(mary, led, "table host", opt("who", mary)), "is now the host")

	// Mary voided a result of other players.
	others, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, "others")
	if err != nil {
		t.Fatal(err)
	}
	r.Command(localdiscord.Bart, others, "play", opt("game", bottest.LoyalCaptain), opt("opponent", localdiscord.Jack))
	lobby = r.Next(others, "", bottest.IsLobby)
	r.Click(localdiscord.Jack, lobby, "Join")
	turn = r.Next(others, lobby.ID, bottest.IsTurn)
	r.Click(localdiscord.Jack, r.Command(localdiscord.Jack, others, "table resign"), "Yes, resign")
	r.Next(others, turn.ID, bottest.IsOver)
	r.WantText(r.Command(mary, others, "server ratings void", opt("ended", "6"), opt("reason", "so says <@"+mary+">")),
		"#6")

	// Her name is also in pending messages.
	shut := localdiscord.Fault{Method: "POST", Path: "/channels/" + led + "/messages", Status: 403,
		Body: `{"message": "Missing Permissions", "code": 50013}`}
	open := r.Server.AddFault(shut)
	r.WantText(r.Command(mary, led, "table host", opt("who", localdiscord.Anne)), "is now the host")
	r.WantText(r.Command(mary, led, "table host", opt("who", mary)), "is now the host")

	before := r.Stored(mary, name)
	if len(before) < 20 {
		t.Fatalf("she stands in %d places alone: %v", len(before), before)
	}
	page := r.Command(mary, bottest.TablesChannel, "me privacy")
	file := r.Click(mary, page, "Get my data")
	data, _ := r.Server.Attachment(file.Files()[0].URL)
	var all privacy.Dossier
	if err := json.Unmarshal(data, &all); err != nil || len(all.Tables) != 3 || len(all.Named) != 3 ||
		len(all.Results) != 1 || len(all.Preferences.Away) != 1 {
		t.Errorf("her file: %v, %s", err, data)
	}
	for _, s := range all.Tables {
		if s.Table == "2" && s.Moves == "" {
			t.Errorf("her moves are not in the file: %s", data)
		}
	}
	// The file also has the tables at which she has no seat, the one whose seat Bart has now with her moves alone.
	const of = storage.LeastDecisions // moves by each player of the table, before Bart had the seat and since
	count := func(moves string) int { return strings.Count(moves, ";") + 1 }
	for _, n := range all.Named {
		id, err := storage.ParseID(n.Table)
		r.Must(err)
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
		r.Must(err)
		if n.Channel != snap.Channel || n.Server != snap.Guild || n.Game != snap.Head.Game || n.Opened != snap.Opened ||
			n.Changed == 0 || n.Over != (n.Channel == others) || !slices.Contains(n.Names, text.NewName(name)) &&
			n.Channel != quiet {
			t.Errorf("a table that names her: %+v", n)
		}
		if taken := n.Channel == led; n.Host != taken || n.Invited != (n.Channel == quiet) ||
			taken != (len(n.Had) == 1) || taken && count(n.Moves) != of || !taken && n.Moves != "" {
			t.Errorf("at a table that names her she is and did %+v", n)
		}
	}
	his, err := r.Privacy.Export(r.Ctx, localdiscord.Bart)
	r.Must(err)
	if i := slices.IndexFunc(his.Tables, func(s privacy.Seated) bool { return s.Channel == led }); i < 0 ||
		count(his.Tables[i].Moves) != of {
		t.Errorf("of who took her seat the file has %+v", his.Tables)
	}
	r.WantText(r.Click(mary, r.Click(mary, page, "Delete my data"), "Yes, delete it"), "former sailor")
	stillNowhere(r, mary, name)
	if err := r.Wait(func() bool {
		m, err := r.Server.Message(invited.ID, localdiscord.Bart)
		return err == nil && !strings.Contains(m.Text(), mary)
	}); err != nil {
		t.Errorf("the lobby still shows the invitation: %v", err)
	}
	r.WantText(r.Command(localdiscord.Jack, quiet, "table join"), "Welcome aboard") // the seat is free
	if snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 5); err != nil || snap.Host == mary ||
		storage.HasDeparted(snap.Host) {
		t.Errorf("the host of the table that she led: %v %q", err, snap.Host)
	}

	// Later messages do not mention her, and restarts restore nothing.
	open()
	clock.Advance(bottest.Day)
	r.Stop()
	r.Start()
	told := r.NextSaying(led, lobby.ID, "a former sailor")
	if strings.Contains(told.Text(), "departed-") || strings.Contains(told.Text(), mary) {
		t.Errorf("told later: %s", told.Text())
	}
	stillNowhere(r, mary, name)
	for _, c := range []string{"record history", "record stats", "leaderboard", "games"} {
		if said := r.Command(localdiscord.Jack, bottest.TablesChannel, c).Text(); strings.Contains(said, mary) ||
			strings.Contains(said, "departed-") {
			t.Errorf("/%s says %s", c, said)
		}
	}
}

// stillNowhere fails the test if one of the words is in the database after all pending work is done.
func stillNowhere(r *bottest.Rig, words ...string) {
	r.T.Helper()
	r.Eventually("done", func() bool {
		works, err := r.Store.Works(r.Ctx)
		return err == nil && len(works) == 0
	})
	if places := r.Stored(words...); len(places) != 0 {
		r.T.Errorf("still in the database:\n%s", strings.Join(places, "\n"))
	}
}

// After a user's data are deleted, no message that the bot sends or edits names the user, not even the one about their
// departure. The user has no rank and no line on a leaderboard. Opponents keep their ratings.
func TestWhoDepartsIsNamedNoMore(t *testing.T) {
	t.Parallel()
	const tables, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	r := bottest.New(t)
	mary := localdiscord.Mary
	two := bottest.SeatsOf(t, 2)
	r.Resigned(tables, two, mary, localdiscord.Jack)
	r.Resigned(tables, two, mary, localdiscord.Anne)
	r.Resigned(tables, two, localdiscord.Anne, localdiscord.Jack) // now Mary leads
	turn := r.Open(tables, two, []string{mary, localdiscord.Bart})
	lobby := r.Lobby(mary, tavern, localdiscord.Opt("game", two.Key()), localdiscord.Opt("opponent", localdiscord.Anne))
	board := func() storage.BoardPage {
		page, err := r.Store.Leaderboard(r.Ctx, storage.BoardQuery{Board: storage.Board{Guild: localdiscord.Tortuga},
			Least: storage.AsSet, Limit: 25, Own: localdiscord.Jack})
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	before := board()
	if len(before.Lines) != 3 || before.Lines[0].Player != mary || before.Own.Rank != 3 {
		t.Fatalf("the leaderboard before: %+v", before)
	}
	page := r.Command(mary, tavern, "me privacy")
	sure := r.Click(mary, page, "Delete my data")
	done := len(r.Server.Requests())
	r.WantText(r.Click(mary, sure, "Yes, delete it"), "former sailor")
	over := r.Next(tables, turn.ID, bottest.IsOver)
	r.WantText(over, "a former sailor")
	if err := r.Wait(func() bool {
		m, err := r.Server.Message(lobby.ID, localdiscord.Anne)
		return err != nil || !strings.Contains(m.Text(), mary)
	}); err != nil {
		t.Errorf("the lobby still names her: %v", err)
	}
	stillNowhere(r, mary, "Mary")
	for _, q := range r.Server.Requests()[done:] {
		if strings.HasPrefix(q.Route, "/channels/") && strings.Contains(string(q.Body), mary) {
			t.Errorf("%s %s names her: %s", q.Method, q.Path, q.Body)
		}
	}
	after := board()
	if after.Total != 2 || after.Own.Rank == 0 || after.Own.Rating != before.Own.Rating {
		t.Errorf("the leaderboard after: %+v; Jack's rating was %+v", after, before.Own.Rating)
	}
	for _, l := range after.Lines {
		if storage.HasDeparted(l.Player) || l.Rank > 2 {
			t.Errorf("a ghost holds the line %+v", l)
		}
	}
}
