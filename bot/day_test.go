package bot_test

import (
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/games/verify"
	"marque/storage"
)

// Releases are tested with 200 tables, which takes five to ten minutes on two busy processors.
var dayTables = flag.Int("day", 4, "how many tables the day of one server has")

// dayPatience is how long a user waits for an answer, as on Discord. An answer can be missing because the connection
// was lost.
const dayPatience = 3 * time.Second

// day is a server on which many people act at random, while Discord has all kinds of faults and the bot is restarted.
type day struct {
	*bottest.Rig
	clock  *manual.Clock
	people []string

	mu     sync.Mutex
	opened int
	played map[table.ID]int // number of moves that the bot has confirmed
	said   map[string]int   // number of answers by text
}

// On a busy server with faults of all kinds, nobody gets an incident and no confirmed move is missing. The last board
// of a running game calls the user to move, every finished game can be verified, and the competitions end.
func TestADayOfOneServer(t *testing.T) {
	if testing.Short() {
		t.Skip("many games")
	}
	t.Parallel()
	d := &day{clock: manual.NewClock(time.Date(2026, 11, 2, 6, 0, 0, 0, time.UTC)), played: map[table.ID]int{},
		said: map[string]int{}}
	d.Rig = bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet, r.Pacing = true, &manual.Hasty{} },
		func(o *localdiscord.Options) { o.Clock, o.Heartbeats = d.clock, 2*time.Second })
	d.people = d.People(max(10, *dayTables/4))
	for i, p := range d.people {
		if i%2 == 1 {
			d.Must(d.Server.Admin.SetLocale(p, "de"))
		}
	}
	d.organise()
	rng := rand.New(rand.NewPCG(48, uint64(*dayTables)))
	faults := d.faults()
	if len(faults) > 24 {
		t.Fatalf("%d faults, one an hour, do not fit in a day", len(faults))
	}
	for tick := range 6 * 24 {
		var end func()
		if tick%6 == 2 { // one fault in an hour
			f := faults[tick/6%len(faults)]
			t.Logf("%s: %s", d.clock.Now().Format("15:04"), f.name)
			end = f.begin()
		}
		if tick == 50 || tick == 100 {
			d.Stop()
			d.Start()
		}
		d.everybody(rng)
		if end != nil {
			d.clock.Jump(time.Minute)
			end()
		}
		d.clock.Advance(10 * time.Minute)
	}
	d.settles()
	for _, what := range slices.Sorted(maps.Keys(d.said)) {
		t.Logf("%4d × %s", d.said[what], what)
	}
	d.holds()
	d.ends()
}

// organise makes a moderator create two tournaments and a league, which people enter.
func (d *day) organise() {
	d.T.Helper()
	opt := localdiscord.Opt
	for i, options := range [][]localdiscord.Option{
		{opt("name", "Winter cup"), opt("game", "loyal-captain"), opt("kind", "swiss")},
		{opt("name", "Gold plate"), opt("game", "pirat"), opt("kind", "knock-out")},
		{opt("name", "Autumn league"), opt("game", "madagascar")},
	} {
		kind := "tournament"
		if i == 2 {
			kind = "league"
		}
		d.Command(localdiscord.Mary, localdiscord.TortugaHarbour, "moderate create "+kind, append(options,
			opt("clock", "1d"))...)
		card := d.CompetitionCard(localdiscord.TortugaHarbour, fmt.Sprintf("%s #%d", kind, i+1))
		for _, p := range d.people[:8] {
			d.Click(p, card, "Sign up")
		}
		d.Click(localdiscord.Mary, card, "Start now")
	}
}

// trouble is a fault of Discord. If it lasts, it ends when end is called.
type trouble struct {
	name  string
	begin func() (end func())
}

// faults returns the faults of Discord for the day. They are used one after the other.
func (d *day) faults() []trouble {
	var list []trouble
	answers := func(name, method, path string, f localdiscord.Fault) {
		f.Method, f.Path = method, path
		list = append(list, trouble{name, func() func() { return d.Server.AddFault(f) }})
	}
	breaks := func(name string, f func()) {
		list = append(list, trouble{name, func() func() { f(); return func() {} }})
	}
	gw := d.Server.Gateway
	answers("posts fail", http.MethodPost, "/messages", localdiscord.ServerError(503))
	breaks("the connection drops", gw.Drop)
	answers("edits fail", http.MethodPatch, "", localdiscord.ServerError(500))
	breaks("Discord asks to reconnect", gw.RequestReconnect)
	lost := localdiscord.Fault{Lost: true, Times: 5}
	answers("answers to posts are lost", http.MethodPost, "/messages", lost)
	breaks("the session is invalid", func() { gw.Invalidate(false) })
	slow := localdiscord.Fault{Latency: 300 * time.Millisecond, Times: 50}
	answers("everything is slow", "", "", slow)
	breaks("the session can be resumed", func() { gw.Invalidate(true) })
	answers("too many requests", http.MethodPost, "/messages", localdiscord.RateLimited(200*time.Millisecond, false,
		true))
	breaks("the connection closes with 4000", func() { gw.Close(4000) })
	global := localdiscord.RateLimited(200*time.Millisecond, true, true)
	global.Times = 3
	answers("too many requests, by all", "", "/messages", global)
	breaks("the session has timed out", func() { gw.Close(4009) })
	page := localdiscord.RateLimitedHTML()
	page.Times = 2
	answers("a page says that there are too many", "", "/messages", page)
	list = append(list, trouble{"posts hang", func() func() {
		held := make(chan struct{})
		d.Server.AddFault(localdiscord.Fault{Method: http.MethodPost, Path: "/messages", Hold: held, Times: 3})
		return func() { close(held) }
	}})
	breaks("the connection cannot be made", func() {
		gw.FailHandshakes(localdiscord.AnswerInvalid, localdiscord.AnswerReconnect, localdiscord.AnswerInterrupted)
		gw.Drop()
	})
	breaks("the connection falls silent", gw.Die)
	breaks("a connection is not greeted", func() { gw.FailHandshakes(localdiscord.NoHello); gw.Drop() })
	breaks("a session is not answered", func() { gw.FailHandshakes(localdiscord.NoReady); gw.Drop() })
	breaks("few sessions are left", func() { gw.Spend(800); gw.Invalidate(false) })
	refused := localdiscord.Refusal(http.StatusForbidden, 50013, "Missing Permissions")
	refused.Times = 3
	answers("posts are refused", http.MethodPost, "/messages", refused)
	list = append(list, trouble{"the server is not available", func() func() {
		d.Must(d.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, false))
		return func() { d.Must(d.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, true)) }
	}})
	old := localdiscord.OldEdits(localdiscord.TortugaTavern, 200*time.Millisecond)
	answers("old messages are edited too often", old.Method, old.Path, old)
	answers("no threads", http.MethodPost, "/threads", localdiscord.ServerError(502))
	return list
}

// notInTheDay has the functions and fields of the local Discord that are not faults of the day, each with the reason.
var notInTheDay = map[string]string{
	"DropShard":      "the server is in the only shard",
	"RefuseIdentify": "the bot then ends, and its operator has to act",
	"AllowIntents":   "the bot asks for no privileged intents",
	"Inject":         "Discord sends no such events; TestMalformedEventsHarmNobody has them",
	"Old":            "OldEdits sets it",
	"Status":         "what makes a fault that answers sets it",
	"Header":         "what makes a fault that answers sets it",
	"Body":           "what makes a fault that answers sets it",
}

// The day has every fault of requests, connections and handshakes that the local Discord provides, except those in
// notInTheDay.
func TestTheDayHasEveryFault(t *testing.T) {
	t.Parallel()
	day, err := os.ReadFile("day_test.go")
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	check := func(name string) {
		if slices.Contains([]string{"Method", "Path", "Times"}, name) { // fields that select requests
			return
		}
		known++
		does := regexp.MustCompile(`(localdiscord|gw)\.` + name + `\b|Fault\{[^}]*\b` + name + `:`).Match(day)
		switch why := notInTheDay[name]; {
		case !does && why == "":
			t.Errorf("the local Discord knows %s, and the day of one server lacks it", name)
		case does && why != "":
			t.Errorf("the day has %s, which notInTheDay excuses: %s", name, why)
		}
	}
	for _, file := range []string{"faults.go", "gatewayfaults.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("localdiscord", file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl: // functions that return nothing or a Fault
				results := d.Type.Results
				fault := results == nil || len(results.List) == 1 && fmt.Sprint(results.List[0].Type) == "Fault"
				if d.Name.IsExported() && fault {
					check(d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.ValueSpec:
						for _, n := range s.Names {
							check(n.Name)
						}
					case *ast.TypeSpec:
						if of, ok := s.Type.(*ast.StructType); ok && s.Name.Name == "Fault" {
							for _, f := range of.Fields.List {
								check(f.Names[0].Name)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d are known, %d of them no fault of a day", known, len(notInTheDay))
}

// everybody makes people act at random, four of them at the same time.
func (d *day) everybody(rng *rand.Rand) {
	var hands sync.WaitGroup
	for hand := range 4 {
		rng := rand.New(rand.NewPCG(rng.Uint64(), uint64(hand)))
		hands.Go(func() {
			for range max(2, *dayTables/16) {
				d.act(rng)
			}
		})
	}
	hands.Wait()
}

// act makes a random user do something.
func (d *day) act(rng *rand.Rand) {
	who := d.people[rng.IntN(len(d.people))]
	opt := localdiscord.Opt
	tavern := localdiscord.TortugaTavern
	here := func(name string, options ...localdiscord.Option) { d.command(who, tavern, name, options...) }
	switch n := rng.IntN(100); {
	case n < 20 && d.mayOpen():
		g := catalog.Games[rng.IntN(len(catalog.Games))]
		least, most := g.Seats()
		options := []localdiscord.Option{opt("game", g.Key()), opt("players", least+rng.IntN(most-least+1))}
		if rng.IntN(5) == 0 {
			options = append(options, opt("computers", 1), opt("level", "easy"))
		}
		if rng.IntN(3) == 0 {
			late := []string{"forfeit", "computer", "offer"}
			options = append(options, opt("clock", "4h"), opt("late", late[rng.IntN(len(late))]))
		}
		here("play", options...)
	case n < 40:
		d.join(who, rng)
	case n < 80:
		d.move(who, rng)
	default:
		switch rng.IntN(8) {
		case 0:
			here("seek", opt("game", catalog.Games[rng.IntN(len(catalog.Games))].Key()))
		case 1:
			here("help")
		case 2:
			here("games")
		case 3:
			here("profile")
		case 4:
			here("leaderboard")
		case 5:
			d.Server.Say(who, tavern, "Who's in?")
		default:
			d.atTable(who, rng)
		}
	}
}

func (d *day) mayOpen() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opened >= *dayTables {
		return false
	}
	d.opened++
	return true
}

// command gives a command and counts its answer.
func (d *day) command(who, channel, name string, options ...localdiscord.Option) string {
	ctx, cancel := context.WithTimeout(d.Ctx, dayPatience)
	defer cancel()
	reply, err := d.Server.Command(ctx, who, channel, name, options...)
	return d.answered("/"+name, reply, err)
}

// varies matches the parts of an answer that differ between tables.
var varies = regexp.MustCompile("`[^`]*`|<@[0-9]+>|[0-9]+")

// answered counts an answer and returns its text; "" if there is none, for example because Discord fails.
func (d *day) answered(what string, reply *localdiscord.Reply, err error) string {
	var m *localdiscord.Message
	if err == nil {
		ctx, cancel := context.WithTimeout(d.Ctx, dayPatience)
		defer cancel()
		m, err = reply.Message(ctx)
	}
	said := ""
	if err != nil {
		what += ": " + err.Error()
	} else {
		said = m.Text()
		line, _, _ := strings.Cut(said, "\n")
		what += ": " + varies.ReplaceAllString(line, "…")
	}
	if strings.Contains(what, "no such command") || strings.Contains(said, "ncident") ||
		strings.Contains(said, "Vorfall") {
		d.T.Errorf("%s\n%s", what, said)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said[what]++
	return said
}

// join makes a user join a table that waits for players.
func (d *day) join(who string, rng *rand.Rand) {
	list, err := d.Tables.Lookup.ByGuild(d.Ctx, localdiscord.Tortuga, storage.Active, 0, 500)
	if err != nil {
		d.T.Error(err)
		return
	}
	list = slices.DeleteFunc(list, func(h table.Head) bool { return h.Status != storage.Lobby || h.Seat(who) >= 0 })
	if len(list) == 0 {
		return
	}
	h := list[rng.IntN(len(list))]
	for _, m := range d.Server.Messages(h.Channel, who) {
		if b, ok := m.Button("Join"); ok && m.EphemeralTo == "" {
			ctx, cancel := context.WithTimeout(d.Ctx, dayPatience)
			defer cancel()
			reply, err := d.Server.Click(ctx, who, m.ID, b.CustomID)
			d.answered("Join", reply, err)
			return
		}
	}
}

// theirs returns a table at which a user plays and for which want holds; false if there is none.
func (d *day) theirs(who string, rng *rand.Rand, want func(table.Head) bool) (table.Head, bool) {
	list, err := d.Tables.Lookup.ByUser(d.Ctx, who, storage.Active, 0, 500)
	if err != nil {
		d.T.Error(err)
		return table.Head{}, false
	}
	list = slices.DeleteFunc(list, func(h table.Head) bool { return h.Status != storage.Playing || !want(h) })
	if len(list) == 0 {
		return table.Head{}, false
	}
	return list[rng.IntN(min(3, len(list)))], true // only a few tables, so that some games end
}

// move makes a user move at a table where it is their turn.
func (d *day) move(who string, rng *rand.Rand) {
	h, ok := d.theirs(who, rng, func(h table.Head) bool { return h.ToMove >= 0 && h.Seats[h.ToMove].User == who })
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(d.Ctx, dayPatience)
	defer cancel()
	offered, err := d.Server.Autocomplete(ctx, who, h.Channel, "move", "move", localdiscord.Opt("move", ""))
	if err != nil || len(offered) == 0 {
		return
	}
	said := d.command(who, h.Channel, "move", localdiscord.Opt("move", offered[rng.IntN(min(24, len(offered)))].Value))
	if strings.Contains(said, "Played:") || strings.Contains(said, "Gespielt:") {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.played[h.ID]++
	}
}

// atTable makes a user do something other than move at one of their tables.
func (d *day) atTable(who string, rng *rand.Rand) {
	h, ok := d.theirs(who, rng, func(table.Head) bool { return true })
	if !ok {
		return
	}
	switch rng.IntN(4) { // no undo, because confirmed moves are counted
	case 0:
		d.command(who, h.Channel, "table draw")
	case 1:
		d.command(who, h.Channel, "board")
	case 2:
		d.command(who, h.Channel, "rules")
	case 3:
		d.resign(who, h.Channel)
	}
}

func (d *day) resign(who, channel string) {
	ctx, cancel := context.WithTimeout(d.Ctx, dayPatience)
	defer cancel()
	reply, err := d.Server.Command(ctx, who, channel, "table resign")
	if err != nil {
		return
	}
	sure, err := reply.Message(ctx)
	if err != nil {
		return
	}
	for _, b := range sure.Interactive() {
		if strings.HasPrefix(b.Label, "Yes") || strings.HasPrefix(b.Label, "Ja") {
			reply, err = d.Server.Click(ctx, who, sure.ID, b.CustomID)
			d.answered("resign", reply, err)
			return
		}
	}
}

// settles waits until all events of the tables are published.
func (d *day) settles() {
	d.T.Helper()
	d.clock.Advance(5 * time.Minute)
	d.Eventually("told everything", func() bool {
		ids, err := d.Store.Pending(d.Ctx, 0, 1)
		if len(ids) > 0 {
			d.clock.Jump(time.Second)
		}
		return err == nil && len(ids) == 0
	})
}

// holds checks that the last boards in the channels and the confirmed moves agree with the store, verifies the records
// of finished games, and checks the store.
func (d *day) holds() {
	d.T.Helper()
	states := map[storage.Status]int{}
	look := func(h table.Head) error {
		states[h.Status]++
		if h.Plays < d.played[h.ID] {
			d.T.Errorf("table %d has %d plays; the bot said of %d that they are played", h.ID, h.Plays, d.played[h.ID])
		}
		var last *localdiscord.Message
		boards := 0
		for _, m := range d.Server.Messages(h.Channel, localdiscord.Anne) {
			if m.EphemeralTo == "" && bottest.TurnOrEnd(m) {
				last = m
				boards++
			}
		}
		switch {
		case h.Plays == 0 && h.Status != storage.Playing:
		case last == nil:
			d.T.Errorf("table %d is %v, and its channel has no board", h.ID, h.Status)
		case h.Status == storage.Playing && h.Seats[h.ToMove].Computer == "" &&
			!strings.Contains(last.Text(), "<@"+h.Seats[h.ToMove].User+">"):
			d.T.Errorf("table %d waits for %s, and its last board says: %s", h.ID, h.Seats[h.ToMove].User, last.Text())
		case h.Status == storage.Over && !bottest.IsOver(last):
			d.T.Errorf("table %d is over, and its last board says: %s", h.ID, last.Text())
		}
		if h.Status != storage.Over || h.Plays == 0 {
			return nil
		}
		snap, err := d.Tables.Lookup.Snapshot(d.Ctx, h.ID)
		if err != nil {
			return err
		}
		record, _ := snap.Record()
		read, err := games.DecodeRecord(strings.NewReader(record.Encode()))
		if err == nil {
			_, err = verify.Record(read, catalog.Find)
		}
		if err != nil {
			d.T.Errorf("table %d: %v", h.ID, err)
		}
		return nil
	}
	for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
		list, err := d.Tables.Lookup.ByGuild(d.Ctx, localdiscord.Tortuga, phase, 0, 1000)
		d.Must(err)
		for _, h := range list {
			d.Must(look(h))
		}
	}
	d.T.Logf("tables by state: %v", states)
	if err := d.Store.Check(d.Ctx); err != nil {
		d.T.Error(err)
	}
}

// ends lets days pass until the competitions are over, and verifies the exports of the competitions.
func (d *day) ends() {
	d.T.Helper()
	for no := uint64(1); no <= 3; no++ {
		for range 120 {
			if d.Idle(no, d.clock.Now()).Over() {
				break
			}
			d.clock.Advance(12 * time.Hour)
		}
		c := d.Competition(no)
		if !c.Over() {
			d.T.Errorf("competition %d does not end: round %d", no, c.Rules.Round)
			continue
		}
		m := d.Command(localdiscord.Mary, localdiscord.TortugaHarbour, "record export",
			localdiscord.Opt("competition", fmt.Sprint(no)))
		held, err := verify.ReadCompetition([]byte(d.Attached(m)))
		d.Must(err)
		report, err := held.Check(catalog.Find)
		d.T.Logf("competition %d: %+v", no, report)
		if err != nil {
			d.T.Errorf("competition %d: %v", no, err)
		}
	}
}
