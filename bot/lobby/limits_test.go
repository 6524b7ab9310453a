package lobby_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// A server command sent outside a server, by a modified client or an old registration, gets a reply of one sentence,
// and nothing about the user or the settings is stored.
func TestOutsideAServer(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	anne := localdiscord.Anne
	dm, err := r.Server.DM(anne)
	if err != nil {
		t.Fatal(err)
	}
	const refused = "That needs a server I'm on."
	for _, c := range []struct {
		name    string
		options []map[string]any
	}{
		{"table join", []map[string]any{bottest.TextOption("table", "1")}},
		{"me away", []map[string]any{bottest.TextOption("until", "3")}},
		{"server settings", []map[string]any{bottest.NumberOption("idle-days", 9)}},
		{"server season start", nil},
		{"server ratings least", []map[string]any{bottest.NumberOption("count", 9)}},
	} {
		r.WantText(r.ForgeCommand(anne, dm, c.name, c.options...), refused)
	}
	panel := r.ForgeCommand(anne, dm, "server settings")
	for _, control := range []string{"settings///rated", "leaders///", "join/1/v1n1g1/"} {
		r.WantText(r.Forge(anne, panel, control), refused)
	}
	if found := r.Stored("idle", "title", anne); found != nil {
		t.Errorf("stored: %q", found)
	}
	if list, err := r.Tables.Lookup.ByGuild(r.Ctx, "", false, 0, 10); err != nil || len(list) != 0 {
		t.Errorf("tables without a server: %v, %v", list, err)
	}
}

// A user is pinged by at most one invitation in ten minutes on a server. Other invitations still name the user.
func TestInvitationsPingOnce(t *testing.T) {
	t.Parallel()
	const (
		tables, tavern, harbour = localdiscord.TortugaTables, localdiscord.TortugaTavern, localdiscord.TortugaHarbour
		beach                   = localdiscord.NassauBeach
		anne, jack, bart        = localdiscord.Anne, localdiscord.Jack, localdiscord.Bart
	)
	opt := localdiscord.Opt
	r, clock := bottest.NewTimed(t)
	invite := func(by, channel, whom string, pinged bool) {
		t.Helper()
		m := r.Lobby(by, channel, opt("game", "loyal-captain"), opt("opponent", whom))
		r.WantText(m, "<@"+whom+">")
		if slices.Contains(m.Pinged, whom) != pinged {
			t.Errorf("an invitation of %s in %s pings %v", whom, channel, m.Pinged)
		}
	}
	invite(anne, tables, jack, true)
	invite(bart, tavern, jack, false)
	invite(bart, beach, anne, true)
	invite(jack, harbour, anne, true) // Anne's earlier invitation was on another server
	clock.Advance(9 * time.Minute)
	quiet, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, "quiet")
	if err != nil {
		t.Fatal(err)
	}
	invite(anne, quiet, jack, false)
	clock.Advance(time.Minute)
	loud, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, "loud")
	if err != nil {
		t.Fatal(err)
	}
	invite(anne, loud, jack, true)
}

// A user can refuse invitations from certain users in /me preferences. A blocked host is told only that the user takes
// no invitations at the moment, and no table is opened.
func TestBlockingInvitations(t *testing.T) {
	t.Parallel()
	const (
		tavern           = localdiscord.TortugaTavern
		anne, jack, bart = localdiscord.Anne, localdiscord.Jack, localdiscord.Bart
	)
	opt := localdiscord.Opt
	r := bottest.New(t)
	panel := r.Command(jack, tavern, "me preferences")
	menu := func(m *localdiscord.Message) localdiscord.Component {
		t.Helper()
		for _, c := range m.Interactive() {
			if strings.Contains(c.CustomID, "blocked") {
				return c
			}
		}
		t.Fatalf("nobody can be blocked in: %s", m.Text())
		return localdiscord.Component{}
	}
	reply, err := r.Server.Select(r.Ctx, jack, panel.ID, menu(panel).CustomID, anne, jack)
	panel = r.Answer(reply, err, "blocking")
	if p, err := r.Tables.Choices.Preferences(r.Ctx, jack); err != nil || !slices.Equal(p.Blocked, []string{anne}) {
		t.Errorf("jack blocks %v, %v", p.Blocked, err)
	}
	before := r.StateOf(tavern)
	said := r.Command(anne, tavern, "play", opt("game", "loyal-captain"), opt("opponent", jack))
	if said.Text() != "<@"+jack+"> can't be invited right now." || said.EphemeralTo != anne {
		t.Errorf("told %q to %q", said.Text(), said.EphemeralTo)
	}
	if after := r.StateOf(tavern); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	r.Lobby(bart, localdiscord.TortugaHarbour, opt("game", "loyal-captain"), opt("opponent", jack))
	reply, err = r.Server.Select(r.Ctx, jack, panel.ID, menu(panel).CustomID)
	r.Answer(reply, err, "blocking nobody")
	r.Lobby(anne, tavern, opt("game", "loyal-captain"), opt("opponent", jack))
}

// Managers of a server can set its limits. A player who would exceed a limit is told about it before a thread is opened
// for the table.
func TestLimitsAreSet(t *testing.T) {
	t.Parallel()
	const tavern, mary, anne = localdiscord.TortugaTavern, localdiscord.Mary, localdiscord.Anne
	opt := localdiscord.Opt
	r := bottest.New(t)
	r.WantText(r.SettingsPage(mary, tavern, "tables"),
		"Limits for open tables: 500 on the server, 20 per player. "+
			"Limits per host: 3 for tables that wait for players, 6 for unanswered invitations.")
	panel := r.Command(mary, tavern, "server settings", opt("tables", 7), opt("tables-each", 2), opt("lobbies-each", 1),
		opt("invitations-each", 5))
	r.WantText(panel,
		"Limits for open tables: 7 on the server, 2 per player. "+
			"Limits per host: 1 for tables that wait for players, 5 for unanswered invitations.")
	r.Lobby(anne, tavern, opt("game", "loyal-captain"))
	before, channels := r.StateOf(tavern), len(r.Server.Channels(localdiscord.Tortuga, mary))
	said := r.Command(anne, tavern, "play", opt("game", "loyal-captain"))
	r.WantText(said,
		"Here you can have no more than 1 table waiting for players. Start or leave yours before you open another.")
	if after := r.StateOf(tavern); after != before || len(r.Server.Channels(localdiscord.Tortuga, mary)) != channels {
		t.Errorf("before:\n%s\nafter:\n%s; %d channels, were %d", before, after,
			len(r.Server.Channels(localdiscord.Tortuga, mary)), channels)
	}
}
