package bot_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/storage"
	"marque/storage/kv"
)

// stored are the places in the rig's store, space and key, where one of the words stands, in keys and in values.
func (r *rig) stored(words ...string) (places []string) {
	r.t.Helper()
	err := r.store.Dump(r.ctx, func(at kv.Key, value []byte) error {
		for _, w := range words {
			if bytes.Contains(at.Key, []byte(w)) || bytes.Contains(value, []byte(w)) {
				places = append(places, fmt.Sprintf("%s %q: %q", at.Space, at.Key, value))
			}
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return places
}

// Whoever has their data deleted is nowhere in the database any more, neither by id nor by name:
// not at tables that are over, go on, or have not started, not as one who is invited, as the host,
// as a moderator, on leaderboards, in seasons, in preferences, in news that are still to be told.
func TestDeletedDataAreNowhere(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	mary, name := localdiscord.Mary, "Mary"
	opt := localdiscord.Opt

	// A season, a game that she lost, preferences, an absence.
	r.command(mary, tablesChannel, "server season start", opt("title", "The summer of <@"+mary+">"))
	turn := r.openLoyal([]string{mary, localdiscord.Jack})
	r.click(mary, r.command(mary, tablesChannel, "resign"), "Yes, resign")
	r.next(tablesChannel, turn.ID, isOver)
	r.command(mary, tablesChannel, "me preferences", opt("zone", "Asia/Tokyo"))
	r.command(mary, tavern, "me away", opt("until", "3"))

	// A game that goes on, in which she moved; a lobby that she opened; one to which she is
	// invited; a table that she was given to lead; one from which she was removed; one that she
	// moderated.
	turn = r.openLoyal([]string{mary, localdiscord.Jack})
	if r.mover(turn) != mary {
		r.typeMove(r.mover(turn), tablesChannel, seeded())
		turn = r.turnAfter(tablesChannel, turn)
	}
	r.typeMove(mary, tablesChannel, seeded())
	r.next(tablesChannel, turn.ID, isTurn)
	r.command(mary, tavern, "play", opt("game", captain), opt("players", 2))
	r.next(tavern, "", isLobby)
	quiet, err := r.srv.Admin.AddChannel(localdiscord.Tortuga, "quiet")
	if err != nil {
		t.Fatal(err)
	}
	r.command(localdiscord.Bart, quiet, "play", opt("game", captain), opt("opponent", mary))
	invited := r.next(quiet, "", isLobby)
	r.wantText(invited, "<@"+mary+">")
	led, err := r.srv.Admin.AddChannel(localdiscord.Tortuga, "led")
	if err != nil {
		t.Fatal(err)
	}
	r.command(localdiscord.Anne, led, "play", opt("game", captain), opt("opponent", mary))
	lobby := r.next(led, "", isLobby)
	r.click(mary, lobby, "Join")
	r.next(led, lobby.ID, isTurn)
	r.wantText(r.command(mary, led, "moderate pause"), "is paused")
	r.wantText(r.command(mary, led, "moderate resume"), "goes on")
	r.wantText(r.command(mary, led, "moderate remove", opt("who", mary)), "is off table")
	r.wantText(r.command(localdiscord.Bart, led, "seat take"), "Welcome aboard")
	r.wantText(r.command(mary, led, "table host", opt("who", mary)), "is the host")

	// A result of others that she voided.
	others, err := r.srv.Admin.AddChannel(localdiscord.Tortuga, "others")
	if err != nil {
		t.Fatal(err)
	}
	r.command(localdiscord.Bart, others, "play", opt("game", captain), opt("opponent", localdiscord.Jack))
	lobby = r.next(others, "", isLobby)
	r.click(localdiscord.Jack, lobby, "Join")
	turn = r.next(others, lobby.ID, isTurn)
	r.click(localdiscord.Jack, r.command(localdiscord.Jack, others, "resign"), "Yes, resign")
	r.next(others, turn.ID, isOver)
	r.wantText(r.command(mary, others, "server ratings void", opt("ended", "6"), opt("reason", "so says <@"+mary+">")),
		"#6")

	// News that cannot be told yet name her, too.
	shut := localdiscord.Fault{Method: "POST", Path: "/channels/" + led + "/messages", Status: 403,
		Body: `{"message": "Missing Permissions", "code": 50013}`}
	open := r.srv.AddFault(shut)
	r.wantText(r.command(mary, led, "table host", opt("who", localdiscord.Anne)), "is the host")
	r.wantText(r.command(mary, led, "table host", opt("who", mary)), "is the host")

	before := r.stored(mary, name)
	if len(before) < 20 {
		t.Fatalf("she stands in %d places alone: %v", len(before), before)
	}
	page := r.command(mary, tablesChannel, "me privacy")
	file := r.click(mary, page, "Get my data")
	data, _ := r.srv.Attachment(file.Files()[0].URL)
	var all table.Dossier
	if err := json.Unmarshal(data, &all); err != nil || len(all.Tables) != 3 || len(all.Named) != 2 ||
		len(all.Results) != 1 || len(all.Preferences.Away) != 1 {
		t.Errorf("her file: %v, %s", err, data)
	}
	for _, s := range all.Tables {
		if s.Table == "2" && s.Moves == "" {
			t.Errorf("her moves are not in the file: %s", data)
		}
	}
	r.wantText(r.click(mary, r.click(mary, page, "Delete my data"), "Yes, delete it"), "departed sailor")
	r.stillNowhere(mary, name)
	if err := r.wait(func() bool {
		m, err := r.srv.Message(invited.ID, localdiscord.Bart)
		return err == nil && !strings.Contains(m.Text(), mary)
	}); err != nil {
		t.Errorf("the lobby still shows the invitation: %v", err)
	}
	r.wantText(r.command(localdiscord.Jack, quiet, "seat join"), "Welcome aboard") // the seat is free
	if snap, err := r.tables.Lookup.Snapshot(r.ctx, 5); err != nil || snap.Host == mary ||
		storage.HasDeparted(snap.Host) {
		t.Errorf("the host of the table that she led: %v %q", err, snap.Host)
	}

	// What is told later says nothing of her, and restarts bring nothing back.
	open()
	clock.Advance(day)
	r.stop()
	r.start()
	told := r.says(led, lobby.ID, "a departed sailor")
	if strings.Contains(told.Text(), "departed-") || strings.Contains(told.Text(), mary) {
		t.Errorf("told later: %s", told.Text())
	}
	r.stillNowhere(mary, name)
	for _, c := range []string{"record history", "record stats", "leaderboard", "games"} {
		if said := r.command(localdiscord.Jack, tablesChannel, c).Text(); strings.Contains(said, mary) ||
			strings.Contains(said, "departed-") {
			t.Errorf("/%s says %s", c, said)
		}
	}
}

// stillNowhere fails when one of the words stands in the database once what was asked for is done.
func (r *rig) stillNowhere(words ...string) {
	r.t.Helper()
	r.eventually("done", func() bool {
		works, err := r.store.Works(r.ctx)
		return err == nil && len(works) == 0
	})
	if places := r.stored(words...); len(places) != 0 {
		r.t.Errorf("still in the database:\n%s", strings.Join(places, "\n"))
	}
}

// From when somebody's data are deleted no message that the bot sends or changes names them, not even the
// news that they are gone; they hold no rank and no line on a leaderboard, and those they played with
// keep their ratings.
func TestWhoDepartsIsNamedNoMore(t *testing.T) {
	t.Parallel()
	const tables, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	r := newRig(t)
	mary := localdiscord.Mary
	two := seatsOf(t, 2)
	r.resigned(tables, two, mary, localdiscord.Jack)
	r.resigned(tables, two, mary, localdiscord.Anne)
	r.resigned(tables, two, localdiscord.Anne, localdiscord.Jack) // she leads now
	turn := r.open(tables, two, []string{mary, localdiscord.Bart})
	lobby := r.lobby(mary, tavern, localdiscord.Opt("game", two.Key()), localdiscord.Opt("opponent", localdiscord.Anne))
	board := func() storage.BoardPage {
		page, err := r.tables.League.Leaderboard(r.ctx, storage.Board{Guild: localdiscord.Tortuga}, 0, 25,
			localdiscord.Jack)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	before := board()
	if len(before.Lines) != 3 || before.Lines[0].Player != mary || before.Own.Rank != 3 {
		t.Fatalf("the leaderboard before: %+v", before)
	}
	page := r.command(mary, tavern, "me privacy")
	sure := r.click(mary, page, "Delete my data")
	done := len(r.srv.Requests())
	r.wantText(r.click(mary, sure, "Yes, delete it"), "departed sailor")
	over := r.next(tables, turn.ID, isOver)
	r.wantText(over, "a departed sailor")
	if err := r.wait(func() bool {
		m, err := r.srv.Message(lobby.ID, localdiscord.Anne)
		return err != nil || !strings.Contains(m.Text(), mary)
	}); err != nil {
		t.Errorf("the lobby still names her: %v", err)
	}
	r.stillNowhere(mary, "Mary")
	for _, q := range r.srv.Requests()[done:] {
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
