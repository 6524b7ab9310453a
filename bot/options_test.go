package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
)

// menuOf is the custom_id of the menu of a message that is about something.
func menuOf(t testing.TB, m *localdiscord.Message, about string) string {
	t.Helper()
	for _, c := range m.Interactive() {
		if strings.HasSuffix(c.CustomID, "/"+about) {
			return c.CustomID
		}
	}
	t.Fatalf("no menu about %q in: %s", about, m.Text())
	return ""
}

// endsWhenQuiet has the host of an open table choose the option that ends a game in which nothing happens any more,
// where it has one (QM-8): without it, some positions never end. The button is called Options in the lobby's language.
func (r *rig) endsWhenQuiet(host string, g games.Game, lobby *localdiscord.Message, button string) {
	r.t.Helper()
	if slices.ContainsFunc(g.Options(), func(o games.Option) bool { return o.Key == "quiet" }) {
		panel := r.click(host, lobby, button)
		r.choose(host, panel, menuOf(r.t, panel, "quiet"), "60")
		r.must(r.srv.Dismiss(host, panel.ID))
	}
}

// What single games can be told is chosen in the lobby, by the host alone and before the start; the lobby
// shows it, and the game has it.
func TestOptionsAreChosenInTheLobby(t *testing.T) {
	t.Parallel()
	const channel, anne, jack = localdiscord.TortugaTables, localdiscord.Anne, localdiscord.Jack
	r := newRig(t)
	lobby := r.lobby(anne, channel, localdiscord.Opt("game", captain), localdiscord.Opt("players", 2))
	r.wantText(r.click(jack, lobby, "Options"), "Only the host or a moderator can choose")
	panel := r.click(anne, lobby, "Options")
	opening := menuOf(t, panel, "opening")
	panel = r.choose(anne, panel, opening, "offered")
	r.edited(channel, lobby.ID, "Opening: **")
	heads, err := r.tables.Lookup.InChannel(r.ctx, channel)
	if err != nil || len(heads) != 1 {
		t.Fatalf("tables %v, %v", heads, err)
	}
	id := heads[0].ID
	snap, err := r.tables.Lookup.Snapshot(r.ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if got := snap.Setup().Options; len(got) != 1 || got[0].Value != "offered" {
		t.Errorf("the table's options are %v", got)
	}
	r.wantText(r.forged(anne, panel, opening, "sideways"), "“opening” cannot be “sideways”")
	r.wantText(r.forged(anne, panel, strings.Replace(opening, "/opening", "/mutiny", 1), "yes"), "“mutiny”")
	r.wantText(r.forged(jack, lobby, opening, "standard"), "Only the host or a moderator can choose")
	r.click(jack, lobby, "Join")
	r.next(channel, lobby.ID, isTurn)
	r.wantText(r.choose(anne, panel, opening, "offered"), "started already")
	if snap, err = r.tables.Lookup.Snapshot(r.ctx, id); err != nil || snap.Setup().Options[0].Value != "offered" {
		t.Errorf("the game is played with %v, %v", snap.Setup().Options, err)
	}
}

// A table that would start as soon as it is open waits for its options where the host asks for that: they
// are in the answer, with the button that starts it. Otherwise the answer says how.
func TestOptionsOfATableThatIsFull(t *testing.T) {
	t.Parallel()
	const anne, jack = localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	r := newRig(t)
	at := func(id table.ID) *table.Snapshot {
		t.Helper()
		snap, err := r.tables.Lookup.Snapshot(r.ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	r.wantText(r.command(jack, localdiscord.TortugaTavern, "play", opt("game", captain), opt("computers", 1)),
		"“/play options”")
	if snap := at(1); snap.Status != table.Playing {
		t.Errorf("a full table without a wish is %v", snap.Status)
	}
	panel := r.command(anne, localdiscord.TortugaTables, "play", opt("game", "quedah-merchant"), opt("computers", 1),
		opt("options", true))
	if snap := at(2); snap.Status != table.Lobby {
		t.Fatalf("the table whose options are to be chosen is %v", snap.Status)
	}
	panel = r.choose(anne, panel, menuOf(t, panel, "quiet"), "60")
	panel = r.choose(anne, panel, menuOf(t, panel, "+resign"), "true")
	r.wantText(r.click(jack, r.next(localdiscord.TortugaTables, "", func(m *localdiscord.Message) bool {
		_,
			ok := m.Button("Options")
		return ok
	}), "Options"), "Only the host")
	r.wantText(r.click(anne, panel, "Start"), "begins")
	if snap := at(2); snap.Status != table.Playing || snap.Setup().Option("quiet") != "60" ||
		snap.Setup().Option("blocked") != "pass" || !snap.ComputersResign() {
		t.Errorf("the game is %v with %v, resigning %t", snap.Status, snap.Setup().Options, snap.ComputersResign())
	}
}

// The host invites into an open table: the invited are called by a message of its own, once in ten
// minutes; the seat is theirs until they decline; whom somebody takes no invitations from invites in vain,
// and so does who has as many invitations without an answer as the server lets them have.
func TestInvitingIntoAnOpenTable(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	const anne, jack, bart, grace, mary = localdiscord.Anne, localdiscord.Jack, localdiscord.Bart, localdiscord.Grace,
		localdiscord.Mary
	opt := localdiscord.Opt
	r, clock := newTimedRig(t)
	for user, blocked := range map[string]string{grace: anne} {
		_, err := r.tables.Choices.ChangePreferences(r.ctx, user,
			func(p *table.Preferences) error { p.Blocked = []string{blocked}; return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	lobby := r.lobby(anne, channel, opt("game", captain), opt("players", 2))
	invite := func(by, whom string) *localdiscord.Message {
		return r.command(by, channel, "seat invite", opt("who", whom))
	}
	r.wantText(invite(jack, bart), "Only the host or a moderator can invite")
	r.wantText(invite(anne, grace), "takes no invitations just now")
	r.wantText(invite(anne, anne), "has a seat at this table already")
	r.wantText(invite(anne, localdiscord.Application), "is a bot")
	r.wantText(invite(anne, jack), "is invited to table")
	call := r.says(channel, lobby.ID, "a seat is kept for you")
	if !slices.Equal(call.Pinged, []string{jack}) {
		t.Errorf("the invitation of %s pings %v", jack, call.Pinged)
	}
	r.edited(channel, lobby.ID, "<@"+jack+"> is invited")
	r.wantText(invite(anne, jack), "or an invitation to it")
	r.wantText(invite(anne, bart), "kept for the player who was invited")
	r.wantText(r.click(bart, call, "Join"), "kept for the player who was invited")
	r.click(jack, call, "No, thanks")
	r.edited(channel, lobby.ID, "one free seat")
	invite(anne, jack)
	if again := r.says(channel, call.ID, "a seat is kept for you"); len(again.Pinged) != 0 {
		t.Errorf("the second invitation within ten minutes pings %v", again.Pinged)
	}
	r.click(jack, call, "No, thanks")
	clock.Advance(10 * time.Minute)
	_, err := r.tables.Choices.ChangeSettings(r.ctx, localdiscord.Tortuga,
		func(s *table.Settings) { s.UserInvitations = 1 })
	if err != nil {
		t.Fatal(err)
	}
	waiting := r.lobby(anne, localdiscord.TortugaTavern, opt("game", captain), opt("opponent", mary))
	r.wantText(invite(anne, jack), "nobody may have more than 1 invitation without an answer")
	r.click(mary, waiting, "Leave")
	r.wantText(invite(anne, jack), "is invited to table")
	r.click(jack, lobby, "Join")
	r.next(channel, lobby.ID, isTurn)
	r.wantText(invite(anne, bart), "started already")
}
