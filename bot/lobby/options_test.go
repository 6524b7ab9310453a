package lobby_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
)

// A player who is neither host nor moderator cannot choose the options of a game in the lobby. The host can, until the
// start. The lobby shows them, and the game uses them.
func TestOptionsAreChosenInTheLobby(t *testing.T) {
	t.Parallel()
	const channel, anne, jack = localdiscord.TortugaTables, localdiscord.Anne, localdiscord.Jack
	r := bottest.New(t)
	lobby := r.Lobby(anne, channel, localdiscord.Opt("game", bottest.LoyalCaptain), localdiscord.Opt("players", 2))
	r.WantText(r.Click(jack, lobby, "Options"), "Only the host or a moderator can choose")
	panel := r.Click(anne, lobby, "Options")
	opening := bottest.MenuOf(t, panel, "opening")
	panel = r.Choose(anne, panel, opening, "offered")
	lobby = r.Edited(channel, lobby.ID, "Opening: **Offered")
	heads, err := r.Tables.Lookup.InChannel(r.Ctx, channel)
	if err != nil || len(heads) != 1 {
		t.Fatalf("tables %v, %v", heads, err)
	}
	id := heads[0].ID
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if got := snap.Setup().Options; len(got) != 1 || got[0].Value != "offered" {
		t.Errorf("the table's options are %v", got)
	}
	r.WantText(r.Forge(anne, panel, opening, "sideways"), "“opening” can't be “sideways”")
	r.WantText(r.Forge(anne, panel, strings.Replace(opening, "/opening", "/mutiny", 1), "yes"), "“mutiny”")
	r.WantText(r.Forge(jack, lobby, opening, "standard"), "Only the host or a moderator can choose")
	r.Click(jack, lobby, "Join")
	r.Next(channel, lobby.ID, bottest.IsTurn)
	r.WantText(r.Choose(anne, panel, opening, "offered"), "already started")
	if snap, err = r.Tables.Lookup.Snapshot(r.Ctx, id); err != nil || snap.Setup().Options[0].Value != "offered" {
		t.Errorf("the game is played with %v, %v", snap.Setup().Options, err)
	}
}

// A game does not start with options that a player has not seen. When the host changes an option, users who have joined
// must join again before the start. A user who presses an older Join button sees the options first.
func TestNobodyStartsUnderOptionsTheyHaveNotSeen(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	const anne, jack = localdiscord.Anne, localdiscord.Jack
	r := bottest.New(t)
	lobby := r.Lobby(anne, channel, localdiscord.Opt("game", bottest.LoyalCaptain), localdiscord.Opt("players", 2))
	panel := r.Click(anne, lobby, "Options")
	opening := bottest.MenuOf(t, panel, "opening")
	old, ok := lobby.Button("Join")
	if !ok {
		t.Fatal(lobby.Text())
	}
	r.Choose(anne, panel, opening, "offered")
	r.Edited(channel, lobby.ID, "Opening: **Offered")
	refused := r.Forge(jack, lobby, old.CustomID)
	r.WantText(refused, "The options of this table have changed")
	r.WantText(refused, "Opening: **Offered")
	at := func(id table.ID) *table.Snapshot {
		t.Helper()
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
		r.Must(err)
		return snap
	}
	if snap := at(1); snap.Seat(jack) >= 0 || snap.Status != table.Lobby {
		t.Fatalf("who saw other options is seated: %+v", snap.Seats)
	}
	r.WantText(r.Click(jack, refused, "Join"), "Welcome aboard")
	r.Next(channel, lobby.ID, bottest.IsTurn)

	// The options change after a user has joined.
	const tavern = localdiscord.TortugaTavern
	open := r.Lobby(anne, tavern, localdiscord.Opt("game", "pirate-versus-pirate"))
	r.WantText(r.Click(jack, open, "Join"), "Welcome aboard")
	panel = r.Click(anne, open, "Options")
	panel = r.Choose(anne, panel, bottest.MenuOf(t, panel, "backstabbing"), "off")
	r.WantText(r.Click(anne, open, "Start"), "needs 2 players")
	call := r.NextSaying(tavern, open.ID, "a seat is reserved for you")
	r.WantText(call, "<@"+anne+"> has changed the options")
	if !slices.Contains(call.Pinged, jack) {
		t.Errorf("who is called is not pinged: %v", call.Pinged)
	}
	r.Choose(anne, panel, bottest.MenuOf(t, panel, "+resign"), "true")
	changed := r.Click(jack, call, "Join")
	r.WantText(changed, "The options of this table have changed")
	r.WantText(r.Click(anne, open, "Start"), "needs 2 players")
	r.WantText(r.Click(jack, changed, "Join"), "Welcome aboard")
	r.WantText(r.Click(anne, open, "Start"), "begins")
	if snap := at(2); snap.Status != table.Playing || len(snap.Seats) != 2 ||
		snap.Setup().Option("backstabbing") != "off" {
		t.Errorf("the game is %v with %v, of %+v", snap.Status, snap.Setup().Options, snap.Seats)
	}
}

// A host can choose the options of a table that would otherwise start immediately: on request, the reply shows the
// options and the start button.
func TestOptionsOfATableThatIsFull(t *testing.T) {
	t.Parallel()
	const anne, jack = localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	r := bottest.New(t)
	at := func(id table.ID) *table.Snapshot {
		t.Helper()
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return snap
	}
	r.WantText(r.Command(jack, localdiscord.TortugaTavern, "play", opt("game", bottest.LoyalCaptain),
		opt("computers", 1)),
		"Your game of Loyal Captain has begun, as table #1")
	if snap := at(1); snap.Status != table.Playing {
		t.Errorf("a full table without a wish is %v", snap.Status)
	}
	panel := r.Submit(anne, r.PlayForm(anne, localdiscord.TortugaTables), opt("game", "quedah-merchant"),
		opt("level", "normal"), opt("wishes", []string{"options"}))
	if snap := at(2); snap.Status != table.Lobby {
		t.Fatalf("the table whose options are to be chosen is %v", snap.Status)
	}
	panel = r.Choose(anne, panel, bottest.MenuOf(t, panel, "quiet"), "60")
	panel = r.Choose(anne, panel, bottest.MenuOf(t, panel, "+resign"), "true")
	r.WantText(r.Click(jack, r.Next(localdiscord.TortugaTables, "", func(m *localdiscord.Message) bool {
		_,
			ok := m.Button("Options")
		return ok
	}), "Options"), "Only the host")
	r.WantText(r.Click(anne, panel, "Start"), "begins")
	if snap := at(2); snap.Status != table.Playing || snap.Setup().Option("quiet") != "60" ||
		snap.Setup().Option("blocked") != "pass" || !snap.ComputersResign() {
		t.Errorf("the game is %v with %v, resigning %t", snap.Status, snap.Setup().Options, snap.ComputersResign())
	}
}

// The host can invite users to an open table. A separate message pings them, at most once in ten minutes, and their
// seats are reserved until they decline. Invitations from a blocked host, or from a host with too many unanswered
// invitations, are refused.
func TestInvitingIntoAnOpenTable(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	const anne, jack, bart, grace, mary = localdiscord.Anne, localdiscord.Jack, localdiscord.Bart, localdiscord.Grace,
		localdiscord.Mary
	opt := localdiscord.Opt
	r, clock := bottest.NewTimed(t)
	for user, blocked := range map[string]string{grace: anne} {
		_, err := r.Tables.Choices.ChangePreferences(r.Ctx, user,
			func(p *choices.Preferences) error { p.Blocked = []string{blocked}; return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	lobby := r.Lobby(anne, channel, opt("game", bottest.LoyalCaptain), opt("players", 2))
	invite := func(by, whom string) *localdiscord.Message {
		return r.Command(by, channel, "table invite", opt("who", whom))
	}
	r.WantText(invite(jack, bart), "Only the host or a moderator can invite")
	r.WantText(invite(anne, grace), "can't be invited right now")
	r.WantText(invite(anne, anne), "already has a seat at this table")
	r.WantText(invite(anne, localdiscord.Application), "is a bot")
	r.WantText(invite(anne, jack), "is invited to table")
	call := r.NextSaying(channel, lobby.ID, "a seat is reserved for you")
	if !slices.Equal(call.Pinged, []string{jack}) {
		t.Errorf("the invitation of %s pings %v", jack, call.Pinged)
	}
	r.Edited(channel, lobby.ID, "<@"+jack+"> is invited")
	r.WantText(invite(anne, jack), "or an invitation to it")
	r.WantText(invite(anne, bart), "reserved for another player")
	r.WantText(r.Click(bart, call, "Join"), "reserved for another player")
	r.Click(jack, call, "No, thanks")
	r.Edited(channel, lobby.ID, "one free seat")
	invite(anne, jack)
	if again := r.NextSaying(channel, call.ID, "a seat is reserved for you"); len(again.Pinged) != 0 {
		t.Errorf("the second invitation within ten minutes pings %v", again.Pinged)
	}
	r.Click(jack, call, "No, thanks")
	clock.Advance(10 * time.Minute)
	_, err := r.Tables.Choices.ChangeSettings(r.Ctx, localdiscord.Tortuga,
		func(s *choices.Settings) { s.UserInvitations = 1 })
	if err != nil {
		t.Fatal(err)
	}
	waiting := r.Lobby(anne, localdiscord.TortugaTavern, opt("game", bottest.LoyalCaptain), opt("opponent", mary))
	r.WantText(invite(anne, jack), "a host can have no more than 1 open invitation")
	r.Click(mary, waiting, "Leave")
	r.WantText(invite(anne, jack), "is invited to table")
	r.Click(jack, lobby, "Join")
	r.Next(channel, lobby.ID, bottest.IsTurn)
	r.WantText(invite(anne, bart), "already started")
}
