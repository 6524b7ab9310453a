package bot_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot"
	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/games/verify"
	"marque/storage"
	"marque/storage/kv/kvtest"
)

var leave = flag.Bool("release", false, "write testdata/releases/next anew")

// servers is a folder with a subfolder for each release, which has the data of a server as that release left it.
// marque.db.gz is the bot's file, discord.json.gz has the channels without pictures, controls.json.gz a few of the
// controls that the bot sent, and KIND.zip an export of a competition of each kind. The subfolder next is for the
// coming release.
var servers = filepath.Join("testdata", "releases")

// remains is the content of controls.json.gz: the time at which the program stopped, and a few controls of each action.
type remains struct {
	At       time.Time
	Controls []control
}

// control is the data with which a client uses a button or a menu (both of Kind 3), or a form (Kind 5).
type control struct {
	Kind int
	Data map[string]any
}

// harvest collects up to controlsOfAnAction buttons, menus and forms of each action from the bot's requests.
type harvest struct {
	mu    sync.Mutex
	taken map[show.Action]int
	list  []control
}

const controlsOfAnAction = 4

func (h *harvest) listen(q localdiscord.Request) {
	var body any
	if q.Method == http.MethodGet || json.Unmarshal(q.Body, &body) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if whole, ok := body.(map[string]any); ok && whole["type"] == 9.0 {
		form := whole["data"].(map[string]any)
		h.take(5, form["custom_id"], map[string]any{"custom_id": form["custom_id"],
			"components": halfFilled(form["components"].([]any)), "resolved": map[string]any{}})
		return
	}
	h.walk(body)
}

func (h *harvest) walk(v any) {
	switch v := v.(type) {
	case []any:
		for _, in := range v {
			h.walk(in)
		}
	case map[string]any:
		kind, _ := v["type"].(float64)
		switch data := map[string]any{"custom_id": v["custom_id"], "component_type": kind}; kind {
		case 2:
			h.take(3, v["custom_id"], data)
		case 3:
			if options, ok := v["options"].([]any); ok && len(options) > 0 {
				data["values"] = []any{options[len(options)-1].(map[string]any)["value"]}
				h.take(3, v["custom_id"], data)
			}
		}
		for _, in := range v {
			h.walk(in)
		}
	}
}

func (h *harvest) take(kind int, customID any, data map[string]any) {
	text, _ := customID.(string)
	id, ok := show.ParseCustomID(text)
	if !ok || h.taken[id.Action] >= controlsOfAnAction || slices.ContainsFunc(h.list, func(c control) bool {
		return c.Kind == kind && c.Data["custom_id"] == text
	}) {
		return
	}
	h.taken[id.Action]++
	h.list = append(h.list, control{kind, data})
}

// halfFilled returns the data that a client sends for a form of which only the first half is filled in.
func halfFilled(parts []any) (sent []any) {
	for i, p := range parts {
		part := p.(map[string]any)
		in, ok := part["component"].(map[string]any)
		if !ok {
			continue
		}
		filled := map[string]any{"type": in["type"], "custom_id": in["custom_id"]}
		var chosen []any
		for _, o := range asList(in["options"]) {
			if o := o.(map[string]any); o["default"] == true && i <= len(parts)/2 {
				chosen = append(chosen, o["value"])
			}
		}
		switch in["type"] {
		case 4.0:
			filled["value"] = ""
			if text, ok := in["value"]; ok && i <= len(parts)/2 {
				filled["value"] = text
			}
		case 21.0:
			filled["value"] = nil
			if len(chosen) > 0 {
				filled["value"] = chosen[0]
			}
		case 23.0:
			filled["value"] = false
		default:
			filled["values"] = append([]any{}, chosen...)
		}
		sent = append(sent, map[string]any{"type": part["type"], "component": filled})
	}
	return sent
}

func asList(v any) []any { list, _ := v.([]any); return list }

// sailed starts a bot and a local Discord that both keep their files in dir.
func sailed(t *testing.T, at time.Time, dir string, listen func(localdiscord.Request)) (*bottest.Rig, *manual.Clock) {
	clock := manual.NewClock(at)
	return bottest.NewWith(t, func(r *bottest.Rig) {
		r.Quiet, r.Page, r.Activity, r.File = true, true, true, filepath.Join(dir, "marque.db")
		r.Reviews = *leave // the data of a release includes reviews, for which a computer must think
	},
		func(o *localdiscord.Options) {
			o.Clock, o.StateFile = clock, filepath.Join(dir, "discord.json")
			check := o.OnRequest
			o.OnRequest = func(q localdiscord.Request) { check(q); listen(q) }
		}), clock
}

// leaveServer makes people use features that store data, and writes the stored data to the folder next.
func leaveServer(t *testing.T) {
	dir, to := t.TempDir(), filepath.Join(servers, "next")
	h := &harvest{taken: map[show.Action]int{}}
	r, clock := sailed(t, time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC), dir, h.listen)
	r.Must(os.MkdirAll(to, 0o755))
	opt, mary, anne, harbour := localdiscord.Opt, localdiscord.Mary, localdiscord.Anne, localdiscord.TortugaHarbour
	crew := r.People(13)
	people := crew[:6]

	kinds := competitionKinds()
	numbers := map[string]uint64{}
	for _, k := range kinds {
		numbers[k.name] = compete(r, k, harbour, people)
	}
	for _, k := range kinds {
		no := numbers[k.name]
		for n := 0; n < 120 && k.family != "ladder" && !r.Idle(no, clock.Now()).Over(); n++ {
			clock.Advance(12 * time.Hour)
		}
		m := r.Command(mary, harbour, "record export", opt("competition", fmt.Sprint(no)))
		r.Must(os.WriteFile(filepath.Join(to, k.name+".zip"), []byte(r.Attached(m)), 0o644))
	}
	compete(r, kinds[0], harbour, people) // a competition that is still running
	r.Create(mary, harbour, "league", opt("name", "Spring"), opt("clock", "2d"), opt("game", bottest.LoyalCaptain))

	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.PuzzleChannel = bottest.Tavern })
	clock.Advance(bottest.Day) // the daily puzzle appears

	// For each game, leave one table with the game running, and end the game at another.
	rng := bottest.NewRand()
	for _, g := range catalog.Games {
		least, most := g.Seats()
		for i, seats := range []int{least, most} {
			thread, _ := r.OpenInThread(g, people[:seats])
			for range 5 {
				r.TypeMove(mover(r, thread), thread, rng)
			}
			if i == 1 {
				for range 40 {
					if over(r, thread) {
						break
					}
					r.TypeMove(mover(r, thread), thread, rng)
				}
				for _, p := range people[1:seats] {
					if !over(r, thread) {
						sure := r.Command(p, thread, "table resign")
						if _, ok := sure.Button("Yes, resign"); ok {
							r.Click(p, sure, "Yes, resign")
						}
					}
				}
			}
		}
	}
	r.Command(anne, bottest.Tavern, "play", opt("game", "pirat"), opt("players", 3))
	r.Command(anne, bottest.Tavern, "seek", opt("game", "freebooter"))
	role, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "Sailors", 0)
	r.Must(err)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) {
		c.Channels, c.SeekRole = nil, role
	})
	particulars(r, crew)
	everyCommand(t, r, people[0], mary)
	clock.Advance(time.Minute)
	r.Stop()
	r.Must(r.Server.Close())

	for _, name := range []string{"marque.db", "discord.json"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		r.Must(err)
		r.Must(os.WriteFile(filepath.Join(to, name+".gz"), kvtest.Packed(b), 0o644))
	}
	b, err := json.Marshal(remains{At: clock.Now(), Controls: h.list})
	r.Must(err)
	r.Must(os.WriteFile(filepath.Join(to, "controls.json.gz"), kvtest.Packed(b), 0o644))
}

// kindOf is a kind of competition, with the options of the command that creates one.
type kindOf struct {
	name, family string
	options      []localdiscord.Option
}

func competitionKinds() []kindOf {
	opt := localdiscord.Opt
	return []kindOf{
		{"round-robin", "tournament", []localdiscord.Option{opt("kind", "round-robin"), opt("game", "pirat")}},
		{"swiss", "tournament", []localdiscord.Option{opt("kind", "swiss"), opt("game", "madagascar")}},
		{"knock-out", "tournament", []localdiscord.Option{opt("kind", "knock-out"), opt("game", "quedah-merchant")}},
		{"pods", "tournament", []localdiscord.Option{opt("kind", "pods"), opt("game", "freebooter")}},
		{"league", "league", []localdiscord.Option{opt("game", "pirate-versus-pirate")}},
		{"ladder", "ladder", []localdiscord.Option{opt("game", "loyal-captain")}},
	}
}

// compete begins a competition and returns its number. One of its games is played for long enough to count, and is then
// resigned.
func compete(r *bottest.Rig, k kindOf, channel string, people []string) (no uint64) {
	r.T.Helper()
	opt, mary := localdiscord.Opt, localdiscord.Mary
	made := r.Create(mary, channel, k.family, append(k.options, opt("name", "Cup "+k.name), opt("clock", "1d"))...)
	no = numberIn(r, made, k.family)
	card := r.CompetitionCard(channel, fmt.Sprintf("%s #%d", k.family, no))
	enter := "Sign up"
	if k.family == "ladder" {
		enter = "Join"
	}
	for _, p := range people {
		r.Click(p, card, enter)
	}
	r.Click(mary, card, "Start now")
	r.Idle(no, r.Clock.Now())
	if k.family == "ladder" {
		r.WantText(r.Command(people[1], channel, "ladder", bottest.Do("challenge"), opt("who", people[0])),
			"You've challenged")
		r.WantText(r.Command(people[0], channel, "ladder", bottest.Do("accept")), "You've accepted")
	}
	var h table.Head
	r.EventuallyCarried("a game", func() bool {
		list, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Active, 0, 500)
		i := slices.IndexFunc(list, func(h table.Head) bool { return h.Competition.Number == no && h.Channel != "" })
		if i >= 0 {
			h = list[i]
		}
		return err == nil && i >= 0
	})
	r.PlayOn(h.Channel)
	for _, s := range h.Seats[1:] {
		if sure := r.Command(s.User, h.Channel, "table resign"); bottest.HasButton(sure, "Yes, resign") {
			r.Click(s.User, sure, "Yes, resign")
		}
	}
	return no
}

// numberIn returns the number of a competition from the message that confirms its creation.
func numberIn(r *bottest.Rig, made *localdiscord.Message, family string) (no uint64) {
	r.T.Helper()
	if _, err := fmt.Sscanf(bottest.AfterWord(made.Text(), family+" #"), "%d", &no); err != nil {
		r.T.Fatalf("%v: %s", err, made.Text())
	}
	return no
}

// particulars makes people use features that need a command with options.
func particulars(r *bottest.Rig, crew []string) {
	r.T.Helper()
	opt, mary, anne, harbour := localdiscord.Opt, localdiscord.Mary, localdiscord.Anne, localdiscord.TortugaHarbour
	list, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Active, 0, 500)
	r.Must(err)
	for _, h := range list {
		if h.Status != storage.Playing || h.Competition.Number != 0 || h.Game != bottest.LoyalCaptain {
			continue
		}
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, h.ID)
		r.Must(err)
		menu, _ := snap.Menu(snap.ToMove)
		theirs := menu.Candidates()[0]
		after := snap.View(snap.ToMove).State.Apply(theirs.Move)
		seat := after.ToMove()
		if seat < 0 || seat == snap.ToMove {
			continue
		}
		planner := h.Seats[seat].User
		preview := r.Command(planner, h.Channel, "table plan",
			opt("line", theirs.Notation+"; "+games.NewMenu(after).Candidates()[0].Notation))
		if bottest.HasButton(preview, "Save this plan") {
			r.Click(planner, preview, "Save this plan")
		}
	}
	r.Command(mary, harbour, "moderate competition cancel", opt("competition", "8"))
	r.Command(mary, bottest.Tavern, "server panel")
	r.Command(mary, harbour, "play", opt("game", bottest.LoyalCaptain), opt("players", 2))
	r.Command(anne, harbour, "games", opt("open", true))
	for _, p := range crew[:6] { // the leader of the ladder has nobody to challenge
		r.Command(p, harbour, "ladder", bottest.Do("challenge"))
	}

	// Anne has more opponents than fit on a page.
	g, _ := catalog.Find(bottest.LoyalCaptain)
	var ended []table.ID
	for _, other := range crew[1:] {
		thread, board := r.OpenInThread(g, []string{other, anne})
		if other == crew[1] {
			_, err := r.Server.Menu(r.Ctx, anne, thread, "Report a fault", board.ID)
			r.Must(err)
		}
		r.PlayOn(thread)
		h, _ := headIn(r, thread)
		ended = append(ended, h.ID)
		r.Click(anne, r.Command(anne, thread, "table resign"), "Yes, resign")
		if other == crew[1] {
			end := r.Next(thread, board.ID, bottest.IsOver)
			r.Click(anne, r.Click(anne, end, "Public link"), "share-allow/"+h.ID.String()+"//name")
			r.Click(anne, end, "Public link")
		}
	}
	r.Click(anne, r.Command(anne, bottest.Tavern, "profile"), "rivals///"+anne)

	// One of Anne's games is reviewed, and studied with the computer's assessment.
	reviewed := ""
	for _, id := range ended {
		found, err := r.Reviewed.Review(r.Ctx, id)
		r.Must(err)
		if len(found.Points) > 0 {
			reviewed = id.String()
			break
		}
	}
	report := r.Command(anne, bottest.Tavern, "record report", opt("table", reviewed))
	r.Click(anne, report, "Turning points")
	r.Click(anne, report, "Best and worst moves")
	r.Command(anne, bottest.Tavern, "record study", opt("table", reviewed))

	// Anne asks for a hint in a rated game against a computer, and is warned that the game will then count only if she
	// loses.
	r.Command(anne, bottest.Tavern, "play", opt("game", bottest.LoyalCaptain), opt("computers", 1),
		opt("level", "easy"), opt("rated", true))
	r.Eventually("a turn against the computer", func() bool {
		list, err := r.Tables.Lookup.ByUser(r.Ctx, anne, storage.Active, 0, 500)
		i := slices.IndexFunc(list, func(h table.Head) bool {
			return h.ToMove >= 0 && h.Seats[h.ToMove].User == anne &&
				slices.ContainsFunc(h.Seats, func(s storage.Occupant) bool { return s.Computer != "" })
		})
		return err == nil && i >= 0 && bottest.HasButton(r.Command(anne, list[i].Channel, "hint"), "Yes, show the hint")
	})

	// Create a league of two divisions, whose organiser does not play in it and asks for a substitute.
	purser := r.Purser()
	made := r.Create(purser, harbour, "league", opt("name", "Summer"), opt("clock", "2d"), opt("game", "pirat"),
		opt("division", 6))
	number := fmt.Sprint(numberIn(r, made, "league"))
	card := r.CompetitionCard(harbour, "league #"+number)
	for _, p := range crew[:12] {
		r.Click(p, card, "Sign up")
	}
	r.Click(purser, card, "Start now")
	for _, look := range []string{"standings", "crosstable"} {
		r.Command(anne, harbour, "league", bottest.Do(look), opt("league", number))
	}
	r.WantText(r.Command(purser, harbour, "moderate competition substitute", opt("competition", number),
		opt("who", crew[0]), opt("by", crew[12])), "to take over")
}

func headIn(r *bottest.Rig, channel string) (table.Head, bool) {
	r.T.Helper()
	list, err := r.Tables.Lookup.InChannel(r.Ctx, channel)
	r.Must(err)
	if len(list) == 0 {
		return table.Head{}, false
	}
	return list[0], true
}

func over(r *bottest.Rig, channel string) bool { _, ok := headIn(r, channel); return !ok }

func mover(r *bottest.Rig, channel string) string {
	r.T.Helper()
	h, ok := headIn(r, channel)
	if !ok {
		r.T.Fatalf("no game goes on in %s", channel)
	}
	return h.Seats[h.ToMove].User
}

// everyCommand makes a player, a manager and a spectator use the controls of public messages. Then, in the channel of a
// table, the player uses each command of the Apps menus, and the player and the manager use each command that needs no
// option. They also use the controls of the answers. Controls that end something are not used.
func everyCommand(t *testing.T, r *bottest.Rig, player, manager string) {
	t.Helper()
	commands, _ := bot.Everything(t)
	var names, menus []string
	var collect func(path string, of []*discordgo.ApplicationCommandOption)
	collect = func(path string, of []*discordgo.ApplicationCommandOption) {
		leaf := true
		for _, o := range of {
			if o.Type <= discordgo.ApplicationCommandOptionSubCommandGroup {
				leaf = false
				collect(path+" "+o.Name, o.Options)
			}
		}
		if leaf && !slices.ContainsFunc(of, func(o *discordgo.ApplicationCommandOption) bool { return o.Required }) {
			names = append(names, path)
		}
	}
	for _, c := range commands {
		if c.Type <= discordgo.ChatApplicationCommand {
			collect(c.Name, c.Options)
		} else {
			menus = append(menus, c.Name)
		}
	}
	channels := []string{bottest.Tavern, localdiscord.TortugaHarbour}
	for _, thread := range r.Threads() {
		channels = append(channels, thread.ID)
	}
	for _, who := range []string{player, manager, localdiscord.Bart} { // the last is a spectator
		seen := map[show.Action]int{}
		for _, channel := range channels {
			for _, m := range r.Server.Messages(channel, who) {
				if m.EphemeralTo == "" {
					useAll(r, who, m, seen, 3)
				}
			}
		}
	}
	list, err := r.Tables.Lookup.ByUser(r.Ctx, player, storage.Active, 0, 500)
	r.Must(err)
	i := slices.IndexFunc(list,
		func(h table.Head) bool { return h.Status == storage.Playing && h.Competition.Number == 0 })
	used := map[show.Action]int{}
	board := r.Latest(list[i].Channel)
	for _, name := range menus {
		for _, target := range []string{board, localdiscord.Bart} { // a target of the wrong kind is refused
			if m, ok := answered(r, func(ctx context.Context) (*localdiscord.Reply, error) {
				return r.Server.Menu(ctx, player, list[i].Channel, name, target)
			}); ok {
				useAll(r, player, m, used, 3)
			}
		}
	}
	for _, name := range names {
		for _, who := range []string{player, manager} {
			if m, ok := answered(r, func(ctx context.Context) (*localdiscord.Reply, error) {
				return r.Server.Command(ctx, who, list[i].Channel, name)
			}); ok {
				useAll(r, who, m, used, 3)
			}
		}
	}
}

// useAll uses the buttons and menus of a message that end nothing, each action a few times. It does the same with
// private answers, up to the given depth.
func useAll(r *bottest.Rig, who string, m *localdiscord.Message, used map[show.Action]int, depth int) {
	if depth == 0 {
		return
	}
	for _, c := range m.Interactive() {
		id, ok := show.ParseCustomID(c.CustomID)
		ends := slices.ContainsFunc([]string{"Yes", "Delete", "Leave", "Resign", "Give up", "Stop", "Make this move"},
			func(word string) bool { return strings.HasPrefix(c.Label, word) })
		kind := id.Action + "/" + show.Action(id.Arg)
		ends = ends || id.Action == "privacy" // this action deletes a user's data
		if !ok || c.Disabled || ends || used[kind] > 0 || used[id.Action] >= 3*controlsOfAnAction {
			continue
		}
		used[id.Action]++
		used[kind]++
		if next, ok := answered(r, func(ctx context.Context) (*localdiscord.Reply, error) {
			if len(c.Options) > 0 {
				return r.Server.Select(ctx, who, m.ID, c.CustomID, c.Options[len(c.Options)-1].Value)
			}
			return r.Server.Click(ctx, who, m.ID, c.CustomID)
		}); ok && next.EphemeralTo == who {
			useAll(r, who, next, used, depth-1)
		}
	}
}

// answered returns the message that answers an interaction; false if there is none.
func answered(r *bottest.Rig, do func(context.Context) (*localdiscord.Reply, error)) (*localdiscord.Message, bool) {
	ctx, cancel := context.WithTimeout(r.Ctx, dayPatience)
	defer cancel()
	reply, err := do(ctx)
	if err != nil || reply.Modal != nil {
		return nil, false
	}
	m, err := reply.Message(ctx)
	return m, err == nil
}

// A server continues from the data of any release. Every running game can be continued, unless it is paused, and every
// finished game and every export can be verified. A few controls of each action were kept: they work, or are refused
// with a reason and without an incident, and half-filled forms can be sent. After a user's data is deleted, the stored
// data is sound.
func TestServersOfReleasesGoOn(t *testing.T) {
	if *leave {
		leaveServer(t)
	}
	_, all := bot.Everything(t)
	left, err := filepath.Glob(filepath.Join(servers, "*"))
	if err != nil || len(left) == 0 {
		t.Fatal(left, err)
	}
	for _, folder := range left {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, name := range []string{"marque.db", "discord.json"} {
				if err := os.WriteFile(filepath.Join(dir, name), kvtest.Unpacked(t, filepath.Join(folder, name)),
					0o600); err != nil {
					t.Fatal(err)
				}
			}
			var had remains
			if err := json.Unmarshal(kvtest.Unpacked(t, filepath.Join(folder, "controls.json")), &had); err != nil {
				t.Fatal(err)
			}
			r, clock := sailed(t, had.At.Add(time.Hour), dir, func(localdiscord.Request) {})
			clock.Advance(time.Minute)
			playedOn(r)
			checked(r)
			actions := pressed(r, had.Controls)
			for _, a := range all {
				if filepath.Base(folder) == "next" && !actions[a] { // earlier releases did not have all actions
					t.Errorf("no control of %s is left: have somebody open one in leaveServer", a)
				}
			}
			exportsHold(t, folder)
			r.Must(r.Privacy.Forget(r.Ctx, localdiscord.Anne))
			r.Must(r.Store.Check(r.Ctx))
		})
	}
}

// playedOn makes one move at every running table that is not paused.
func playedOn(r *bottest.Rig) {
	r.T.Helper()
	rng, moves := rand.New(rand.NewPCG(1, 48)), 0
	list, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Active, 0, 500)
	r.Must(err)
	games := map[string]bool{}
	for _, h := range list {
		if h.Status != storage.Playing || h.Paused != "" {
			continue
		}
		if said := r.TypeMove(h.Seats[h.ToMove].User, h.Channel, rng); !strings.Contains(said, "Played:") &&
			!strings.Contains(said, "Gespielt:") {
			r.T.Errorf("at table %d of %s a move is answered %q", h.ID, h.Game, said)
		}
		moves++
		games[h.Game] = true
	}
	if len(games) < len(catalog.Games) {
		r.T.Errorf("games of %v went on, want all %d", games, len(catalog.Games))
	}
	r.T.Logf("%d games went on", moves)
}

// checked verifies the record of every finished game that has moves, with the public verifier.
func checked(r *bottest.Rig) {
	r.T.Helper()
	list, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Finished, 0, 500)
	r.Must(err)
	n := 0
	for _, h := range list {
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, h.ID)
		r.Must(err)
		record, ok := snap.Record()
		if !ok || h.Plays == 0 {
			continue
		}
		read, err := games.DecodeRecord(strings.NewReader(record.Encode()))
		if err == nil {
			_, err = verify.Record(read, catalog.Find)
		}
		if err != nil {
			r.T.Errorf("table %d of %s: %v", h.ID, h.Game, err)
		}
		n++
	}
	if n < len(catalog.Games) {
		r.T.Errorf("only %d games are over", n)
	}
}

// pressed uses every control, as a player and as a manager, in the channel of its table or in another. It fails the
// test if a control is answered as unknown or with an incident. It returns the controls' actions.
func pressed(r *bottest.Rig, list []control) (actions map[show.Action]bool) {
	r.T.Helper()
	actions = map[show.Action]bool{}
	sentences, err := locale.Load()
	r.Must(err)
	var unknown []string // the texts that refuse an unknown control
	for _, language := range []string{"en", "de"} {
		unknown = append(unknown, sentences.Speaker(nil, language).Plain().Say(text.M("bot.error.unknown-control")))
	}
	for _, c := range list {
		id, ok := show.ParseCustomID(fmt.Sprint(c.Data["custom_id"]))
		if !ok {
			r.T.Errorf("%v is no longer read", c.Data)
		}
		actions[id.Action] = true
		channel := localdiscord.TortugaHarbour
		if n, err := storage.ParseID(id.Table); err == nil {
			if h, err := r.Store.Head(r.Ctx, n); err == nil && h.Channel != "" {
				channel = h.Channel
			}
		}
		for _, who := range []string{localdiscord.Mary, localdiscord.Anne} {
			shown := r.Server.Messages(channel, who)
			if len(shown) == 0 {
				continue
			}
			reply, err := r.Server.Forge(r.Ctx, who, channel, shown[len(shown)-1].ID, c.Kind, c.Data)
			if err != nil {
				r.T.Errorf("%v: %v", c.Data, err)
				continue
			}
			if reply.Modal != nil {
				continue
			}
			m, err := reply.Message(r.Ctx)
			if err != nil && !errors.Is(err, localdiscord.ErrNoMessage) {
				r.T.Errorf("%v is answered %v", c.Data, err)
			} else if err == nil && (strings.Contains(m.Text(), "ncident") || slices.Contains(unknown, m.Text())) {
				r.T.Errorf("%v is answered %q", c.Data, m.Text())
			}
		}
	}
	r.T.Logf("%d controls of %d actions", len(list), len(actions))
	return actions
}

// exportsHold verifies the folder's export of each kind of competition.
func exportsHold(t *testing.T, folder string) {
	t.Helper()
	for _, k := range competitionKinds() {
		b, err := os.ReadFile(filepath.Join(folder, k.name+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		held, err := verify.ReadCompetition(b)
		if err == nil {
			_, err = held.Check(catalog.Find)
		}
		if err != nil {
			t.Errorf("the export of a %s: %v", k.name, err)
		}
	}
}
