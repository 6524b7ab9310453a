package lobby_test

import (
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
)

// form sends a command that opens a form, and returns the form.
func form(r *bottest.Rig, user, channel, command string) *localdiscord.Modal {
	r.T.Helper()
	if command == "play" {
		return r.PlayForm(user, channel)
	}
	reply, err := r.Server.Command(r.Ctx, user, channel, command)
	if err != nil || reply.Modal == nil {
		r.T.Fatalf("/%s opens no form: %v\n%s", command, err, r.Log)
	}
	return reply.Modal
}

// /play without options leads to a form, which opens a table as the command does.
func TestPlayForm(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	of := func(name string, value any) localdiscord.Option { return localdiscord.Opt(name, value) }
	asked := func(f *localdiscord.Modal) string {
		var ids []string
		for _, in := range f.Inputs {
			ids = append(ids, in.CustomID)
		}
		return strings.Join(ids, " ")
	}
	game := catalog.Games[0].Key()

	f := form(r, localdiscord.Anne, bottest.Tavern, "play")
	if got := asked(f); got != "game people level clock wishes" {
		t.Errorf("on a server the form asks for %q", got)
	}
	if got := len(f.Inputs[0].Options); got != len(catalog.Games) {
		t.Errorf("the form offers %d games, want %d", got, len(catalog.Games))
	}
	if _, err := r.Server.SubmitModal(r.Ctx, localdiscord.Anne, f); err == nil {
		t.Error("the form can be sent without a game")
	}

	// The table is unrated, with an invited user, a clock, a fixed order of seats, and options that the host chooses
	// first.
	said := r.Submit(localdiscord.Anne, f, of("game", game), of("people", []string{localdiscord.Jack}),
		of("clock", "3d"),
		of("wishes", []string{"order", "options"}))
	if !strings.Contains(said.Text(), "Options for") {
		t.Errorf("the answer is %q, want one with the game's options", said.Text())
	}
	snap := r.Published(1)
	if !slices.Equal(snap.Invited(), []string{localdiscord.Jack}) || !snap.Unrated() || len(snap.Seats) != 1 {
		t.Errorf("the table invites %v, is unrated: %v, and has %d seats", snap.Invited(), snap.Unrated(),
			len(snap.Seats))
	}
	lobby := r.Next(bottest.Tavern, "", func(m *localdiscord.Message) bool { return strings.Contains(m.Text(), "#1") })
	for _, want := range []string{"3 days", "is unrated"} {
		if !strings.Contains(lobby.Text(), want) {
			t.Errorf("the lobby does not say %q: %s", want, lobby.Text())
		}
	}

	// With the initial state of the checkboxes, the game against the computer needs no further player.
	said = r.Submit(localdiscord.Mary, form(r, localdiscord.Mary, bottest.Tavern, "play"), of("game", game),
		of("level", "easy"))
	t.Logf("against the computer: %s", said.Text())
	if snap = r.Published(2); len(snap.Seats) != 2 || snap.Seats[0].Computer == "" && snap.Seats[1].Computer == "" {
		t.Errorf("the seats are %+v, want a computer player beside who asked", snap.Seats)
	}

	// A bot is refused as a player.
	said = r.Submit(localdiscord.Mary, form(r, localdiscord.Mary, bottest.Tavern, "play"), of("game", game),
		of("people", []string{localdiscord.Application}))
	if !strings.Contains(said.Text(), "is a bot") {
		t.Errorf("a bot is invited: %q", said.Text())
	}

	// In direct messages, no users can be invited.
	dm, err := r.Server.DM(localdiscord.Anne)
	if err != nil {
		t.Fatal(err)
	}
	f = form(r, localdiscord.Anne, dm, "play")
	if got := asked(f); got != "game level clock wishes" {
		t.Errorf("in direct messages the form asks for %q", got)
	}
	r.Submit(localdiscord.Anne, f, of("game", game))
	if snap = r.Published(3); snap.Guild != "" || len(snap.Seats) != 2 {
		t.Errorf("the table is of the server %q with the seats %+v", snap.Guild, snap.Seats)
	}

	// Options without a game open no form.
	if m := r.Command(localdiscord.Anne, bottest.Tavern, "play", of("clock", "3d")); !strings.Contains(m.Text(),
		"Which game?") {
		t.Errorf("/play clock alone is answered %q", m.Text())
	}
}

// /record import without a file opens a form that asks for the file.
func TestImportForm(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	send := func(text string) *localdiscord.Message {
		t.Helper()
		return r.Submit(localdiscord.Anne, form(r, localdiscord.Anne, bottest.Tavern, "record import"),
			localdiscord.Opt("file", localdiscord.File{Name: "game.txt", Data: []byte(text)}))
	}
	if m := send("Dear diary"); !strings.Contains(m.Text(), "has a mistake") {
		t.Errorf("a file that is no record is answered by %q", m.Text())
	}
	if m := send(bottest.Record(t, "pirat")); !strings.Contains(m.Text(), "follows the rules") {
		t.Errorf("a record is answered by %q", m.Text())
	}
}
