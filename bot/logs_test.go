package bot_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/storage"
)

// worldNames are names of the local Discord's people, servers and channels, as they would stand in a log.
var worldNames = []string{"Anne", "Jack", "Mary", "Bart", "Grace", "Ching", "Tortuga", "Nassau", "Quartermaster",
	"game-tables", "tavern", "harbour"}

// namesIn are those of the words that stand in a log.
func namesIn(log string, words []string) (found []string) {
	for _, w := range words {
		if strings.Contains(log, w) {
			found = append(found, w)
		}
	}
	return found
}

// brokenStore is a store that cannot be read or written while it is broken.
type brokenStore struct {
	*storage.Store
	broken *atomic.Bool
}

func (s brokenStore) GuildSettings(ctx context.Context, guild string, v any) error {
	if s.broken.Load() {
		return errors.New("the settings are gone")
	}
	return s.Store.GuildSettings(ctx, guild, v)
}

func (s brokenStore) Commit(ctx context.Context, c storage.Change) error {
	if s.broken.Load() {
		return errors.New("the store is gone")
	}
	return s.Store.Commit(ctx, c)
}

// All lines about one interaction carry the id that its player reads, and the table that it was about.
func TestAllLinesOfAnInteractionCarryItsIncident(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	var broken atomic.Bool
	r := newRigWith(t, func(r *rig) {
		r.wrap = func(s *storage.Store) keeper { return brokenStore{s, &broken} }
	})
	g, _ := catalog.Find("loyal-captain")
	turn := r.open(channel, g, people[:2])
	rng := rand.New(rand.NewPCG(1, 1))
	broken.Store(true)
	said := r.typeMove(r.mover(turn), channel, rng)
	broken.Store(false)
	log := r.log.String()
	r.log.clear() // the error is the test's
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

// A game from its invitation to its end, with refusals, Discord's objections, outages and a deleted
// channel on the way: the log, at its most talkative, has ids alone. It has no name, and nothing
// that anybody typed.
func TestLogsHoldNoNames(t *testing.T) {
	t.Parallel()
	// it refuses what is right
	r := newRig(t, func(o *localdiscord.Options) { o.OnRequest = func(localdiscord.Request) {} })
	const channel, typed = localdiscord.TortugaTavern, "sail-to-Zanzibar"
	zephyrine, quill := r.srv.Admin.AddUser("Zephyrine [Ox](https://ox.example)"),
		r.srv.Admin.AddUser("Quill ```Feather")
	for _, u := range []string{zephyrine, quill} {
		if err := r.srv.Admin.AddMember(localdiscord.Tortuga, u); err != nil {
			t.Fatal(err)
		}
	}
	objection := `{"message": "Zephyrine is invalid", "code": 50035, "errors": {"content": {"_errors": [{"code": "BASE_TYPE_MAX_LENGTH", "message": "Quill is too long"}]}}}`
	opt := localdiscord.Opt
	r.forgedCommand(quill, channel, "server settings") // not theirs
	g, _ := catalog.Find("loyal-captain")
	turn := r.open(channel, g, []string{zephyrine, quill})
	rng := rand.New(rand.NewPCG(8, 9))
	for i, f := range []localdiscord.Fault{
		{}, {Method: http.MethodPost, Path: "/channels/", Status: http.StatusBadRequest, Body: objection, Times: 1},
		{}, {Method: http.MethodPost, Path: "/channels/", Status: http.StatusInternalServerError, Body: "<html>Zephyrine", Times: 2},
		{}, {Method: http.MethodPost, Path: "/channels/", Lost: true, Times: 1},
	} {
		if f.Method != "" {
			r.srv.AddFault(f)
		}
		who := r.mover(turn)
		r.command(who, channel, "move", opt("move", typed))
		if _, err := r.srv.Autocomplete(r.ctx, who, channel, "move", "move", opt("move", typed)); err != nil {
			t.Fatal(err)
		}
		r.typeMove(who, channel, rng)
		if f.Body == objection { // what Discord objects to is not sent again at once
			r.eventually("the board was refused", func() bool {
				return strings.Contains(r.log.String(), "news of a table are kept for later")
			})
			r.tables.Poke(1)
		}
		turn = r.turnAfter(channel, turn)
		if i == 2 {
			r.srv.Gateway.Drop()
			r.eventually("is connected again", func() bool { _, resumed := r.srv.Gateway.Sessions(); return resumed > 0 })
		}
	}
	forged := r.srv.AddFault(localdiscord.Fault{Path: "/webhooks/", Status: http.StatusBadRequest, Body: objection})
	for _, command := range []string{"board", "hint", "profile", "games"} {
		if _, err := r.srv.Command(r.ctx, quill, channel, command); err != nil {
			t.Logf("/%s: %v", command, err)
		}
	}
	forged()
	r.command(zephyrine, channel, "record verify", opt("table", typed))
	r.command(quill, channel, "resign")
	if err := r.srv.Admin.DeleteChannel(channel); err != nil {
		t.Fatal(err)
	}
	r.stop()
	log := r.log.String()
	if !strings.Contains(log, "BASE_TYPE_MAX_LENGTH") || !strings.Contains(log, "level=WARN") {
		t.Errorf("nothing went wrong:\n%s", log)
	}
	if found := namesIn(log, append([]string{"Zephyrine", "Quill", "Zanzibar", "ox.example"},
		worldNames...)); found != nil {
		t.Errorf("%q in the log:\n%s", found, log)
	}
}
