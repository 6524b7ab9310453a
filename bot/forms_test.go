package bot_test

import (
	"slices"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/games/catalog"
)

// form opens a form by a command and returns it.
func (r *rig) form(user, channel, command string) *localdiscord.Modal {
	r.t.Helper()
	reply, err := r.srv.Command(r.ctx, user, channel, command)
	if err != nil || reply.Modal == nil {
		r.t.Fatalf("/%s opens no form: %v\n%s", command, err, r.log)
	}
	return reply.Modal
}

// submit sends a form and returns what the bot answered.
func (r *rig) submit(user string, form *localdiscord.Modal, values ...localdiscord.Option) *localdiscord.Message {
	r.t.Helper()
	reply, err := r.srv.SubmitModal(r.ctx, user, form, values...)
	return r.answer(reply, err, form.Title)
}

// /play with nothing behind it asks for everything in a form, which opens the table that the options would.
func TestPlayForm(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	of := func(name string, value any) localdiscord.Option { return localdiscord.Opt(name, value) }
	asked := func(f *localdiscord.Modal) string {
		var ids []string
		for _, in := range f.Inputs {
			ids = append(ids, in.CustomID)
		}
		return strings.Join(ids, " ")
	}
	game := catalog.Games[0].Key()

	f := r.form(localdiscord.Anne, tavern, "play")
	if got := asked(f); got != "game people level clock wishes" {
		t.Errorf("on a server the form asks for %q", got)
	}
	if got := len(f.Inputs[0].Options); got != len(catalog.Games) {
		t.Errorf("the form offers %d games, want %d", got, len(catalog.Games))
	}
	if _, err := r.srv.SubmitModal(r.ctx, localdiscord.Anne, f); err == nil {
		t.Error("the form can be sent without a game")
	}

	// Somebody is invited, unrated, with a clock, seats in order, options first.
	said := r.submit(localdiscord.Anne, f, of("game", game), of("people", []string{localdiscord.Jack}), of("clock", "3d"),
		of("wishes", []string{"order", "options"}))
	if !strings.Contains(said.Text(), "Options of") {
		t.Errorf("the answer is %q, want one with the game's options", said.Text())
	}
	snap := r.told(1)
	if !slices.Equal(snap.Invited(), []string{localdiscord.Jack}) || !snap.Unrated() || len(snap.Seats) != 1 {
		t.Errorf("the table invites %v, is unrated: %v, and has %d seats", snap.Invited(), snap.Unrated(), len(snap.Seats))
	}
	lobby := r.next(tavern, "", func(m *localdiscord.Message) bool { return strings.Contains(m.Text(), "#1") })
	for _, want := range []string{"3 days", "will not be rated"} {
		if !strings.Contains(lobby.Text(), want) {
			t.Errorf("the lobby does not say %q: %s", want, lobby.Text())
		}
	}

	// Against the computer it begins at once, with what is ticked from the start.
	said = r.submit(localdiscord.Mary, r.form(localdiscord.Mary, tavern, "play"), of("game", game), of("level", "easy"))
	t.Logf("against the computer: %s", said.Text())
	if snap = r.told(2); len(snap.Seats) != 2 || snap.Seats[0].Computer == "" && snap.Seats[1].Computer == "" {
		t.Errorf("the seats are %+v, want a computer player beside who asked", snap.Seats)
	}

	// A bot cannot sit down.
	said = r.submit(localdiscord.Mary, r.form(localdiscord.Mary, tavern, "play"), of("game", game),
		of("people", []string{localdiscord.Application}))
	if !strings.Contains(said.Text(), "is a bot") {
		t.Errorf("a bot is invited: %q", said.Text())
	}

	// In direct messages nobody is invited.
	dm, err := r.srv.DM(localdiscord.Anne)
	if err != nil {
		t.Fatal(err)
	}
	f = r.form(localdiscord.Anne, dm, "play")
	if got := asked(f); got != "game level clock wishes" {
		t.Errorf("in direct messages the form asks for %q", got)
	}
	r.submit(localdiscord.Anne, f, of("game", game))
	if snap = r.told(3); snap.Guild != "" || len(snap.Seats) != 2 {
		t.Errorf("the table is of the server %q with the seats %+v", snap.Guild, snap.Seats)
	}

	// Options without a game are no form.
	if m := r.command(localdiscord.Anne, tavern, "play", of("clock", "3d")); !strings.Contains(m.Text(), "Say which game") {
		t.Errorf("/play clock alone is answered %q", m.Text())
	}
}
