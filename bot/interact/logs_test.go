package interact_test

import (
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/storage"
)

// When an interaction fails, its warnings and errors in the log have an incident, and at least two have the id that its
// player gets. Errors also have the table of the interaction.
func TestAllLinesOfAnInteractionCarryItsIncident(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	var broken atomic.Bool
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Wrap = func(s *storage.Store) bottest.Store { return bottest.Breakable(s, &broken) }
	})
	g, _ := catalog.Find("loyal-captain")
	turn := r.Open(channel, g, bottest.World[:2])
	rng := rand.New(rand.NewPCG(1, 1))
	broken.Store(true)
	said := r.TypeMove(r.Mover(turn), channel, rng)
	broken.Store(false)
	log := r.Log.String()
	r.Log.Clear() // the test caused the error
	found := regexp.MustCompile(`incident.*?([0-9a-f]{8})`).FindStringSubmatch(said)
	if found == nil {
		t.Fatalf("the player is told %q\n%s", said, log)
	}
	lines := 0
	for line := range strings.Lines(log) {
		if !strings.Contains(line, "level=WARN") && !strings.Contains(line, "level=ERROR") {
			continue
		}
		if !strings.Contains(line, "incident=") {
			t.Errorf("a line has no incident: %s", line)
		}
		if strings.Contains(line, "level=ERROR") && !strings.Contains(line, "table=1") {
			t.Errorf("a line has not the table 1: %s", line)
		}
		if strings.Contains(line, "incident="+found[1]) {
			lines++
		}
	}
	if lines < 2 {
		t.Errorf("%d lines have the incident %s, want two at least:\n%s", lines, found[1], log)
	}
}

// The log contains no names and no typed text, even at its lowest level. The game that the test logs has refusals,
// errors of Discord, outages and a deleted channel.
func TestLogsHoldNoNames(t *testing.T) {
	t.Parallel()
	// The local Discord refuses requests in this test, so OnRequest must not fail the test.
	r := bottest.New(t, func(o *localdiscord.Options) { o.OnRequest = func(localdiscord.Request) {} })
	const channel, typed = localdiscord.TortugaTavern, "sail-to-Zanzibar"
	zephyrine, quill := r.Server.Admin.AddUser("Zephyrine [Ox](https://ox.example)"),
		r.Server.Admin.AddUser("Quill ```Feather")
	for _, u := range []string{zephyrine, quill} {
		if err := r.Server.Admin.AddMember(localdiscord.Tortuga, u); err != nil {
			t.Fatal(err)
		}
	}
	objection := `{"message": "Zephyrine is invalid", "code": 50035, "errors": {"content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Quill is too long"}]}}}`
	opt := localdiscord.Opt
	r.ForgeCommand(quill, channel, "server settings") // a command that the user is not allowed to give
	g, _ := catalog.Find("loyal-captain")
	turn := r.Open(channel, g, []string{zephyrine, quill})
	rng := rand.New(rand.NewPCG(8, 9))
	for i, f := range []localdiscord.Fault{
		{}, {Method: http.MethodPost, Path: "/channels/", Status: http.StatusBadRequest, Body: objection, Times: 1},
		{}, {Method: http.MethodPost, Path: "/channels/", Status: http.StatusInternalServerError,
			Body: "<html>Zephyrine", Times: 2},
		{}, {Method: http.MethodPost, Path: "/channels/", Lost: true, Times: 1},
	} {
		if f.Method != "" {
			r.Server.AddFault(f)
		}
		who := r.Mover(turn)
		r.Command(who, channel, "move", opt("move", typed))
		if _, err := r.Server.Autocomplete(r.Ctx, who, channel, "move", "move", opt("move", typed)); err != nil {
			t.Fatal(err)
		}
		r.TypeMove(who, channel, rng)
		if f.Body == objection { // a request that Discord rejected is not sent again immediately
			r.Eventually("the board was refused", func() bool {
				return strings.Contains(r.Log.String(), "news of a table are kept for later")
			})
			r.Tables.Poke(1)
		}
		turn = r.TurnAfter(channel, turn)
		if i == 2 {
			r.Server.Gateway.Drop()
			r.Eventually("is connected again", func() bool {
				_,
					resumed := r.Server.Gateway.Sessions()
				return resumed > 0
			})
		}
	}
	forged := r.Server.AddFault(localdiscord.Fault{Path: "/webhooks/", Status: http.StatusBadRequest, Body: objection})
	for _, command := range []string{"board", "hint", "profile", "games"} {
		if _, err := r.Server.Command(r.Ctx, quill, channel, command); err != nil {
			t.Logf("/%s: %v", command, err)
		}
	}
	forged()
	r.Command(zephyrine, channel, "record verify", opt("table", typed))
	r.Command(quill, channel, "table resign")
	if err := r.Server.Admin.DeleteChannel(channel); err != nil {
		t.Fatal(err)
	}
	r.Stop()
	log := r.Log.String()
	if !strings.Contains(log, "BASE_TYPE_MAX_LENGTH") || !strings.Contains(log, "level=WARN") {
		t.Errorf("nothing went wrong:\n%s", log)
	}
	if found := bottest.NamesIn(log, append([]string{"Zephyrine", "Quill", "Zanzibar", "ox.example"},
		bottest.WorldNames...)); found != nil {
		t.Errorf("%q in the log:\n%s", found, log)
	}
}
