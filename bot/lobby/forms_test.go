package lobby_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/catalog"
	"marque/storage"
)

// form opens a form by a command and returns it.
func form(r *bottest.Rig, user, channel, command string) *localdiscord.Modal {
	r.T.Helper()
	reply, err := r.Server.Command(r.Ctx, user, channel, command)
	if err == nil && command == "play" {
		screen := r.Answer(reply, err, "/play")
		reply, err = r.Server.Click(r.Ctx, user, screen.ID, "new///people")
	}
	if err != nil || reply.Modal == nil {
		r.T.Fatalf("/%s opens no form: %v\n%s", command, err, r.Log)
	}
	return reply.Modal
}

// From the first screen, which /play alone shows, a form asks for everything, and opens the table that the options
// would.
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

	// Somebody is invited, unrated, with a clock, seats in order, options first.
	said := r.Submit(localdiscord.Anne, f, of("game", game), of("people", []string{localdiscord.Jack}),
		of("clock", "3d"),
		of("wishes", []string{"order", "options"}))
	if !strings.Contains(said.Text(), "Options of") {
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

	// Against the computer it begins at once, with what is ticked from the start.
	said = r.Submit(localdiscord.Mary, form(r, localdiscord.Mary, bottest.Tavern, "play"), of("game", game),
		of("level", "easy"))
	t.Logf("against the computer: %s", said.Text())
	if snap = r.Published(2); len(snap.Seats) != 2 || snap.Seats[0].Computer == "" && snap.Seats[1].Computer == "" {
		t.Errorf("the seats are %+v, want a computer player beside who asked", snap.Seats)
	}

	// A bot cannot sit down.
	said = r.Submit(localdiscord.Mary, form(r, localdiscord.Mary, bottest.Tavern, "play"), of("game", game),
		of("people", []string{localdiscord.Application}))
	if !strings.Contains(said.Text(), "is a bot") {
		t.Errorf("a bot is invited: %q", said.Text())
	}

	// In direct messages nobody is invited.
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

	// Options without a game are no form.
	if m := r.Command(localdiscord.Anne, bottest.Tavern, "play", of("clock", "3d")); !strings.Contains(m.Text(),
		"Which game?") {
		t.Errorf("/play clock alone is answered %q", m.Text())
	}
}

// The panel of the settings has a form with those that most servers look at: it shows what holds,
// changes what was changed, and leaves the rest.
func TestSettingsForm(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	r.Configure(localdiscord.Tortuga, func(c *table.Settings) {
		c.Clock, _ = show.ParseClock("5d")
		c.Clock.Late, c.Silent, c.Hints = storage.LateForfeit, true, true
	})
	panel := r.Command(localdiscord.Mary, bottest.Tavern, "server settings")
	open := func() *localdiscord.Modal {
		t.Helper()
		button, _ := panel.Button("Common settings in one form")
		reply, err := r.Server.Click(r.Ctx, localdiscord.Mary, panel.ID, button.CustomID)
		if err != nil || reply.Modal == nil {
			t.Fatalf("no form: %v\n%s", err, r.Log)
		}
		return reply.Modal
	}
	settings := func() table.Settings {
		t.Helper()
		c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	before := settings()
	r.Submit(localdiscord.Mary, open())
	if got := settings(); !reflect.DeepEqual(got, before) {
		t.Errorf("the form as it is shown makes the settings\n%+v of\n%+v", got, before)
	}
	said := r.Submit(localdiscord.Mary, open(), localdiscord.Opt("channels", []string{localdiscord.TortugaTables}),
		localdiscord.Opt("clock", "1d"), localdiscord.Opt("threads", "never"), localdiscord.Opt("boards", "replace"),
		localdiscord.Opt("rest", []string{"pings", "study"}))
	if said.ID != panel.ID || !strings.Contains(said.Text(), "1 day") {
		t.Errorf("the panel is %s after the form, want it with the new clock", said.Text())
	}
	want := before
	want.Channels, want.Threads, want.Boards = []string{localdiscord.TortugaTables}, choices.ThreadsNever,
		choices.BoardsReplace
	want.Clock, _ = show.ParseClock("1d")
	want.Clock.Late, want.Silent, want.Hints, want.Unrated = storage.LateForfeit, false, false, true
	want.Without = choices.Extras{Rivals: true, Badges: true, Year: true, Predictions: true} // which was not ticked
	if got := settings(); !reflect.DeepEqual(got, want) {
		t.Errorf("the settings are\n%+v, want\n%+v", got, want)
	}
}

// /record import without a file asks for it in a form.
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
	if m := send(bottest.Record(t, "pirat")); !strings.Contains(m.Text(), "all by the rules") {
		t.Errorf("a record is answered by %q", m.Text())
	}
}
