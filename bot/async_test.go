package bot_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"
)

const (
	tablesChannel = localdiscord.TortugaTables
	tavern        = localdiscord.TortugaTavern
	day           = 24 * time.Hour
)

// seeded is a generator of its own for each use: the tests run side by side.
func seeded() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }

// newTimedRig is a rig whose time stands until it is advanced.
func newTimedRig(t testing.TB) (*rig, *manual.Clock) {
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)) // a Monday
	return newRig(t, func(o *localdiscord.Options) { o.Clock = clock }), clock
}

// says waits for a message after another that says something.
func (r *rig) says(channel, after, what string) *localdiscord.Message {
	r.t.Helper()
	return r.next(channel, after, func(m *localdiscord.Message) bool { return strings.Contains(m.Text(), what) })
}

func (r *rig) wantText(m *localdiscord.Message, what string) {
	r.t.Helper()
	if !strings.Contains(m.Text(), what) {
		r.t.Errorf("said %q, want %q", m.Text(), what)
	}
}

func (r *rig) openLoyal(players []string, options ...localdiscord.Option) *localdiscord.Message {
	g, _ := catalog.Find("loyal-captain")
	return r.open(tablesChannel, g, players, options...)
}

// other is whichever of two players is not the one.
func other(players []string, one string) string {
	if players[0] == one {
		return players[1]
	}
	return players[0]
}

var two = []string{localdiscord.Anne, localdiscord.Jack}

// A player is reminded, called a last time, and loses the seat to whoever takes it; old reminders go.
func TestClockAndReminders(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	turn := r.openLoyal(two, localdiscord.Opt("clock", "4d"), localdiscord.Opt("late", "offer"))
	r.wantText(turn, "Time until")
	late := r.mover(turn)

	clock.Advance(day + time.Minute)
	first := r.says(tablesChannel, turn.ID, "the table waits for you")
	if !slices.Equal(first.Pinged, []string{late}) {
		t.Errorf("the reminder pings %v, want %s", first.Pinged, late)
	}
	clock.Advance(2*day + time.Minute)
	second := r.says(tablesChannel, first.ID, "your time is running out")
	if err := r.wait(func() bool {
		_,
			err := r.srv.Message(first.ID, late)
		return err != nil
	}); err != nil {
		t.Errorf("the first reminder stays beside the second: %v", err)
	}
	// Nothing is said twice after a restart.
	r.stop()
	r.start()
	clock.Advance(day)
	offered := r.says(tablesChannel, second.ID, "has run out of time")
	if _, err := r.srv.Message(second.ID, late); err != nil {
		t.Logf("the last call is gone already") // it goes with the next board at the latest
	}
	take := offered.Interactive()
	offer := slices.IndexFunc(take, func(c localdiscord.Component) bool { return strings.HasPrefix(c.Label, "Take ") })
	if offer < 0 {
		t.Fatalf("the offered seat has no button: %s", offered.Text())
	}
	r.wantText(r.click(localdiscord.Bart, offered, take[offer].Label), "Welcome aboard")
	taken := r.says(tablesChannel, offered.ID, "takes over the free seat")
	if !slices.Contains(taken.Pinged, localdiscord.Bart) {
		t.Errorf("who took the seat to move is not called: %v", taken.Pinged)
	}
	r.wantText(r.command(late, tablesChannel, "move", localdiscord.Opt("move", "1")), "no seat")
	if said := r.typeMove(localdiscord.Bart, tablesChannel, seeded()); !strings.Contains(said, "Played") {
		t.Errorf("the substitute's move: %q", said)
	}
}

func TestUndoOnDiscord(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	turn := r.openLoyal(two)
	mover := r.mover(turn)

	said := r.typeMove(mover, tablesChannel, seeded())
	if !strings.Contains(said, "Played") {
		t.Fatal(said)
	}
	moved := r.next(tablesChannel, turn.ID, isTurn)
	r.wantText(r.command(mover, tablesChannel, "undo"), "Taken back")
	back := r.next(tablesChannel, moved.ID, isTurn)
	r.wantText(back, "takes the last move back")
	if who := r.mover(back); who != mover {
		t.Errorf("after taking back %s is to move, want %s", who, mover)
	}
	r.typeMove(mover, tablesChannel, seeded())
	moved = r.next(tablesChannel, back.ID, isTurn)
	clock.Advance(5 * time.Minute)
	r.wantText(r.command(mover, tablesChannel, "undo"), "Somebody has to agree")
	asked := r.says(tablesChannel, moved.ID, "would like to take a move back")
	opponent := other(two, mover)
	if !slices.Equal(asked.Pinged, []string{opponent}) {
		t.Errorf("asked are %v, want %s", asked.Pinged, opponent)
	}
	label := "Let " + map[string]string{localdiscord.Anne: "Anne", localdiscord.Jack: "Jack"}[mover] + " take it back"
	r.wantText(r.click(opponent, asked, label), "You agree")
	back = r.next(tablesChannel, asked.ID, isTurn)
	if who := r.mover(back); who != mover {
		t.Errorf("after the consent %s is to move, want %s", who, mover)
	}
}

func TestSettingsAndPreferences(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	r.managersAlone(localdiscord.Bart, tavern, "server settings")
	panel := r.command(localdiscord.Mary, tavern, "server settings", localdiscord.Opt("zone", "Europe/Berlin"),
		localdiscord.Opt("idle-days", 20))
	r.wantText(panel, "Europe/Berlin")
	choose := func(m *localdiscord.Message, user, what string, values ...string) *localdiscord.Message {
		t.Helper()
		for _, c := range m.Interactive() {
			if strings.HasSuffix(c.CustomID, "/"+what) {
				reply, err := r.srv.Select(r.ctx, user, m.ID, c.CustomID, values...)
				return r.answer(reply, err, what)
			}
		}
		t.Fatalf("no control %s on %s", what, m.Text())
		return nil
	}
	panel = choose(panel, localdiscord.Mary, "channels", tavern)
	panel = choose(panel, localdiscord.Mary, "clock", "3d+12h")
	panel = choose(panel, localdiscord.Mary, "quiet", "6", "0")
	panel = choose(panel, localdiscord.Mary, "theme", "contrast")
	panel = choose(panel, localdiscord.Mary, "threads", "never")
	panel = choose(panel, localdiscord.Mary, "rest", "rated", "study")
	r.wantText(panel, "3 days for the whole game, and 12 hours more with each move")
	c, err := r.tables.Choices.Settings(r.ctx, localdiscord.Tortuga)
	if err != nil || !slices.Equal(c.Channels, []string{tavern}) || c.QuietNow().Days != 1<<6|1 || !c.Silent ||
		c.Theme != "contrast" || c.IdleDays != 20 || c.Threads != table.ThreadsNever {
		t.Errorf("settings %+v, %v", c, err)
	}
	play := func(user, channel string) string {
		return r.command(user, channel, "play", localdiscord.Opt("game", "loyal-captain")).Text()
	}
	if said := play(localdiscord.Bart, tablesChannel); !strings.Contains(said, "tables are opened in <#"+tavern+">") {
		t.Errorf("outside the chosen channel: %q", said)
	}
	if said := play(localdiscord.Bart, tavern); !strings.Contains(said, "is open") {
		t.Errorf("in the chosen channel: %q", said)
	}
	lobby := r.says(tavern, "", "3 days for the whole game")
	r.click(localdiscord.Jack, lobby, "Join")
	turn := r.next(tavern, lobby.ID, isTurn)
	if len(turn.Pinged) != 0 {
		t.Errorf("pings are off, and %v are pinged", turn.Pinged)
	}
	// The chosen channel is deleted: the choice goes with it.
	if err := r.srv.Admin.DeleteChannel(tavern); err != nil {
		t.Fatal(err)
	}
	if said := play(localdiscord.Bart, tablesChannel); !strings.Contains(said, "is open") {
		t.Errorf("after the chosen channel was deleted: %q", said)
	}

	mine := r.command(localdiscord.Bart, tablesChannel, "me preferences", localdiscord.Opt("zone", "Asia/Tokyo"))
	mine = choose(mine, localdiscord.Bart, "remind", "-1")
	mine = choose(mine, localdiscord.Bart, "from", "23")
	mine = choose(mine, localdiscord.Bart, "theme", "safe")
	p, err := r.tables.Choices.Preferences(r.ctx, localdiscord.Bart)
	if err != nil || p.Remind != -1 || p.Night != [2]int{23 * 60, 8 * 60} || p.Zone != "Asia/Tokyo" ||
		p.Theme != "safe" {
		t.Errorf("preferences %+v, %v", p, err)
	}
	r.wantText(mine, "Asia/Tokyo")
	for _, zone := range []string{"Local", "posixrules", "Factory"} {
		r.wantText(r.command(localdiscord.Bart, tablesChannel, "me preferences", localdiscord.Opt("zone", zone)),
			"I don't know a time zone")
		r.wantText(r.command(localdiscord.Mary, tablesChannel, "server settings", localdiscord.Opt("zone", zone)),
			"I don't know a time zone")
	}
	r.managersAlone(localdiscord.Bart, tablesChannel, "server settings")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "me away", localdiscord.Opt("until", "10")),
		"clocks on this server stand")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "me away", localdiscord.Opt("until", "yesterday")),
		"Write a day")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "me away"), "Welcome back")
}

// Whose bank is used up is told that each move has an hour of its own, by the clock's text and where the banks are.
func TestATurnWithAnEmptyBankTellsItsTime(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	clocked := []localdiscord.Option{localdiscord.Opt("game", captain), localdiscord.Opt("clock", "1h+0"),
		localdiscord.Opt("late", "offer")}
	lobby := r.lobby(localdiscord.Bart, tablesChannel, clocked...)
	r.wantText(lobby,
		"Clock: 1 hour for the whole game, and 0 minutes more with each move; when that is used up, 1 hour for each move.")
	r.click(localdiscord.Anne, lobby, "Join")
	turn := r.next(tablesChannel, lobby.ID, isTurn)
	for range 2 {
		clock.Advance(40 * time.Minute)
		if said := r.typeMove(r.mover(turn), tablesChannel, seeded()); !strings.Contains(said, "Played") {
			t.Fatal(said)
		}
		turn = r.turnAfter(tablesChannel, turn)
		r.wantText(turn, "1 hour for one move")
	}
	at, running, err := r.deadline(r.table().Head)
	if want := clock.Now().Add(time.Hour); err != nil || !running || !at.Equal(want) {
		t.Errorf("time until %v (%v, %v), want an hour: until %v", at, running, err, want)
	}
	r.wantText(turn, fmt.Sprintf("<t:%d:R>", at.Unix()))
}

// Who is away until a day is away until its end, also where clocks go forward at its midnight.
func TestAwayUntilADayWithoutMidnight(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	r.command(localdiscord.Bart, tablesChannel, "me preferences", localdiscord.Opt("zone", "America/Havana"))
	r.command(localdiscord.Bart, tablesChannel, "me away", localdiscord.Opt("until", "2026-03-08"))
	want := time.Date(2026, 3, 9, 4, 0, 0, 0, time.UTC) // midnight there, four hours behind UTC
	p, err := r.tables.Choices.Preferences(r.ctx, localdiscord.Bart)
	if err != nil || len(p.Away) != 1 || !p.Away[0].Until.Time().Equal(want) {
		t.Errorf("away %+v (%v), want until %v", p.Away, err, want)
	}
}

// /games says where it is one's turn, on this server or on all, since when, and where the board is;
// after a move the next table is offered.
func TestMyTurnsOnDiscord(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	began := clock.Now()
	first := r.openLoyal(two, localdiscord.Opt("order", true))
	clock.Advance(time.Hour)
	g, _ := catalog.Find(captain)
	far := r.open(localdiscord.NassauTables, g, two, localdiscord.Opt("order", true))
	clock.Advance(time.Hour)
	// A change of the settings touches the table, but it is not since then that it is her turn.
	if _, err := r.tables.Choices.ChangeSettings(r.ctx, localdiscord.Tortuga,
		func(c *table.Settings) { c.IdleDays = 20 }); err != nil {
		t.Fatal(err)
	}
	link := func(guild string, m *localdiscord.Message) string {
		return "https://discord.com/channels/" + guild + "/" + m.ChannelID + "/" + m.ID
	}
	mine := func() *localdiscord.Message {
		return r.command(localdiscord.Anne, tavern, "games", localdiscord.Opt("mine", true))
	}
	r.eventually("linked to the boards", func() bool { // each of which is noted once it is posted
		said := mine().Text()
		return strings.Contains(said, link(localdiscord.Tortuga, first)) && strings.Contains(said,
			link(localdiscord.Nassau, far))
	})
	all := mine()
	for _, want := range []string{
		"2 tables are waiting for you", "**your turn**, called <t:" + strconv.FormatInt(began.Unix(), 10) + ":R>",
		"called <t:" + strconv.FormatInt(began.Add(time.Hour).Unix(), 10) + ":R>",
		link(localdiscord.Tortuga, first), link(localdiscord.Nassau, far),
	} {
		r.wantText(all, want)
	}
	here := r.command(localdiscord.Anne, tavern, "games")
	r.wantText(here, "One table is waiting for you")
	if strings.Contains(here.Text(), localdiscord.Nassau) {
		t.Errorf("the tables of another server are listed: %s", here.Text())
	}
	r.wantText(r.command(localdiscord.Jack, localdiscord.NassauTables, "games"), "<@"+localdiscord.Anne+"> to move")
	said := r.typeMove(localdiscord.Anne, tablesChannel, seeded())
	if !strings.Contains(said, "Next table waiting for you") || !strings.Contains(said,
		link(localdiscord.Nassau, far)) {
		t.Errorf("after a move: %q", said)
	}
}

// Each of the choices for who is late is carried out, also by a computer that thinks, and a clock
// that cannot be meant is refused.
func TestLatePlayersOnDiscord(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	for _, wrong := range []string{"soon", "59m", "15d", "61d+1h", "3d+8d", "3d+"} {
		said := r.command(localdiscord.Anne, tavern, "play", localdiscord.Opt("game", captain),
			localdiscord.Opt("clock", wrong)).Text()
		if !strings.Contains(said, "clock") || strings.Contains(said, "is open") {
			t.Errorf("the clock %q is answered %q", wrong, said)
		}
	}
	turn := r.openLoyal(two, localdiscord.Opt("clock", "1h"), localdiscord.Opt("late", "computer"))
	late := r.mover(turn)
	clock.Advance(time.Hour + time.Minute)
	played := r.says(tablesChannel, turn.ID, "the computer plays one move")
	if who := r.mover(r.next(tablesChannel, turn.ID, isTurn)); who != other(two, late) {
		t.Errorf("%s is to move after the computer moved for %s: %s", who, late, played.Text())
	}
	r.click(late, r.command(late, tablesChannel, "resign"), "Yes, resign")
	over := r.next(tablesChannel, played.ID, isOver)
	r.openLoyal(two, localdiscord.Opt("clock", "1h"), localdiscord.Opt("late", "forfeit"))
	clock.Advance(time.Hour + time.Minute)
	lost := r.next(tablesChannel, over.ID, isOver)
	r.wantText(lost, "has run out of time and is out of the game")
}

// Quiet dates are typed into a form that shows what holds; what cannot be meant is explained and changes nothing.
func TestQuietDatesOnDiscord(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t) // 2 March 2026, 12 o'clock UTC
	const mary = localdiscord.Mary
	panel := r.command(mary, tavern, "server settings", localdiscord.Opt("zone", "Europe/Berlin"))
	r.wantText(panel, "No quiet dates.")
	form := func(m *localdiscord.Message) *localdiscord.Modal {
		t.Helper()
		for _, c := range m.Interactive() {
			if strings.HasSuffix(c.CustomID, "/dates") {
				reply, err := r.srv.Click(r.ctx, mary, m.ID, c.CustomID)
				if err != nil || reply.Modal == nil {
					t.Fatalf("no form: %+v, %v", reply, err)
				}
				return reply.Modal
			}
		}
		t.Fatalf("no button for dates on %s", m.Text())
		return nil
	}
	submit := func(f *localdiscord.Modal, typed string) *localdiscord.Message {
		t.Helper()
		reply, err := r.srv.SubmitModal(r.ctx, mary, f, localdiscord.Opt("dates", typed))
		return r.answer(reply, err, "dates")
	}
	refused := submit(form(panel), "2026-03-06, the day after")
	r.wantText(refused, "I can't read “the day after” as a day")
	r.wantText(refused, "2026-03-06, the day after")
	if refused.EphemeralTo != mary {
		t.Error("everybody sees the refusal")
	}
	if c, err := r.tables.Choices.Settings(r.ctx, localdiscord.Tortuga); err != nil || len(c.QuietNow().Dates) != 0 {
		t.Errorf("after a refusal: %+v, %v", c, err)
	}
	again := form(refused)
	if len(again.Inputs) != 1 || again.Inputs[0].Value != "" {
		t.Errorf("the form: %+v", again)
	}
	panel = submit(again, "2026-03-04 to 2026-03-05\n2026-03-03")
	r.wantText(panel, "Quiet dates: 3 March 2026 to 5 March 2026")

	turn := r.openLoyal(two, localdiscord.Opt("clock", "1d"), localdiscord.Opt("late", "offer"))
	// Of the day's 24 hours 11 pass until midnight in Berlin, the other 13 from midnight after the
	// 5th on: until noon UTC, and three days, of the 6th.
	at, running, err := r.deadline(r.table().Head)
	if want := time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC); err != nil || !running || !at.Equal(want) {
		t.Errorf("time runs out at %v (%v, %v), want %v", at.UTC(), running, err, want)
	}
	for range 3 {
		clock.Advance(day)
	}
	if snap := r.table(); snap.Timing.Out {
		t.Error("time ran out on a quiet day")
	}
	clock.Advance(day + time.Minute)
	r.says(tablesChannel, turn.ID, "has run out of time")
	// What is over is not shown any more, and the form is empty.
	panel = r.command(mary, tavern, "server settings")
	r.wantText(panel, "No quiet dates.")
	if f := form(panel); f.Inputs[0].Value != "" {
		t.Errorf("the form shows %q", f.Inputs[0].Value)
	}
	if got := submit(form(panel), "2026-12-24 - 2026-12-26"); !strings.Contains(got.Text(),
		"Quiet dates: 24 December 2026 to 26 December 2026") {
		t.Errorf("the panel: %s", got.Text())
	}
	if f := form(r.command(mary, tavern, "server settings")); f.Inputs[0].Value != "2026-12-24 – 2026-12-26" {
		t.Errorf("the form shows %q", f.Inputs[0].Value)
	}
}

// table is the table with id 1 as it is now.
func (r *rig) table() *table.Snapshot {
	r.t.Helper()
	snap, err := r.tables.Lookup.Snapshot(r.ctx, 1)
	if err != nil {
		r.t.Fatal(err)
	}
	return snap
}

// Whether a table is rated, who may open one and where: as the option says, else as the server has
// set; what the settings name and Discord does not know any more is forgotten. A rematch is opened
// under the same settings.
func TestSettingsOfNewTables(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	settings := func(change func(*table.Settings)) {
		t.Helper()
		if _, err := r.tables.Choices.ChangeSettings(r.ctx, localdiscord.Tortuga, change); err != nil {
			t.Fatal(err)
		}
	}
	unrated := func(n string) bool {
		t.Helper()
		id, err := storage.ParseID(n)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := r.tables.Lookup.Snapshot(r.ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return snap.Unrated()
	}
	play := func(channel string, options ...localdiscord.Option) string {
		return r.command(localdiscord.Bart, channel, "play",
			append([]localdiscord.Option{localdiscord.Opt("game", captain)}, options...)...).Text()
	}
	settings(func(c *table.Settings) { c.Threads, c.UserLobbies = table.ThreadsNever, table.MostUserLobbies })
	play(tavern)
	play(tavern, localdiscord.Opt("rated", false))
	settings(func(c *table.Settings) { c.Unrated = true })
	play(tavern)
	play(tavern, localdiscord.Opt("rated", true))
	for i, want := range []bool{false, true, true, false} {
		if n := strconv.Itoa(i + 1); unrated(n) != want {
			t.Errorf("table %s is unrated: %v, want %v", n, !want, want)
		}
	}
	// A role that there is not any more keeps nobody out, and makes nobody a moderator.
	settings(func(c *table.Settings) { c.OpenerRole, c.ModeratorRole = "99", "98" })
	if said := play(tavern); !strings.Contains(said, "is open") {
		t.Errorf("with a role that was deleted: %q", said)
	}
	if c, err := r.tables.Choices.Settings(r.ctx, localdiscord.Tortuga); err != nil || c.OpenerRole != "" ||
		c.ModeratorRole != "" {
		t.Errorf("deleted roles are kept: %+v, %v", c, err)
	}
	settings(func(c *table.Settings) { c.Channels = []string{"97", tavern}; c.OpenerRole = "99" })
	if said := play(tablesChannel); !strings.Contains(said, "tables are opened in <#"+tavern+">.") {
		t.Errorf("outside the channels: %q", said)
	}
	settings(func(c *table.Settings) { c.Channels = []string{"97"} })
	if said := play(tablesChannel); !strings.Contains(said, "is open") {
		t.Errorf("with a channel that was deleted: %q", said)
	}
	turn := r.openLoyal(two)
	first := r.mover(turn)
	r.click(first, r.command(first, tablesChannel, "resign"), "Yes, resign")
	over := r.next(tablesChannel, turn.ID, isOver)
	settings(func(c *table.Settings) { c.Channels = []string{tavern} })
	// Anne may manage the server, and open tables anywhere
	r.wantText(r.click(localdiscord.Jack, over, "Rematch"), "tables are opened in")
}

func TestSubstitutesAndModerators(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	turn := r.openLoyal(two)
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "seat take"), "No seat is free")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "games", localdiscord.Opt("open", true)),
		"No table has a free seat")
	r.wantText(r.command(localdiscord.Jack, tablesChannel, "seat offer"), "offered to others")
	r.says(tablesChannel, turn.ID, "offers the seat")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "games"), "seat free")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "games", localdiscord.Opt("open", true)), "seat free")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "seat take"), "Welcome aboard")
	r.wantText(r.forgedCommand(localdiscord.Bart, tablesChannel, "moderate pause"), "Only moderators")
	r.wantText(r.command(localdiscord.Mary, tablesChannel, "moderate pause"), "is paused")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "move", localdiscord.Opt("move", "1")), "")
	r.wantText(r.command(localdiscord.Mary, tablesChannel, "moderate resume"), "goes on")
	resumed := r.says(tablesChannel, turn.ID, "The game goes on")
	if len(resumed.Pinged) != 1 {
		t.Errorf("after the pause %v are called, want the player to move", resumed.Pinged)
	}
	r.wantText(r.command(localdiscord.Mary, tavern, "table here", localdiscord.Opt("table", "1")), "is played here")
	moved := r.next(tavern, "", isTurn)
	checkBoard(t, r, moved)
	r.wantText(r.command(localdiscord.Mary, tavern, "moderate remove", localdiscord.Opt("who", localdiscord.Bart)),
		"is off table")
	r.says(tavern, moved.ID, "was taken off the table")
	r.wantText(r.command(localdiscord.Mary, tavern, "table host", localdiscord.Opt("who", localdiscord.Grace)),
		"is the host")
	r.wantText(r.command(localdiscord.Mary, tavern, "moderate end"), "is closed")
	r.says(tavern, moved.ID, "without a result")
}

// A player whose time has run out keeps the seat by moving, and is shown how: "/sub" alone would
// leave them without a clock.
func TestALatePlayerIsBackByMoving(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	turn := r.openLoyal(two, localdiscord.Opt("clock", "1h"), localdiscord.Opt("late", "offer"))
	late := r.mover(turn)
	clock.Advance(time.Hour + time.Minute)
	offered := r.says(tablesChannel, turn.ID, "has run out of time")
	told := r.command(late, tablesChannel, "seat offer")
	r.wantText(told, "Make your move to keep your seat")
	if said := r.stepThrough(late, told, seeded()); !strings.Contains(said, "Played") {
		t.Errorf("the button beside it plays %q", said)
	}
	board := r.next(tablesChannel, offered.ID, isTurn)
	r.wantText(board, "keeps the seat after all")
	for _, c := range board.Interactive() {
		if strings.HasPrefix(c.Label, "Take ") && c.Label != "Take back" { // the seat
			t.Errorf("the new board offers %q", c.Label)
		}
	}
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "seat take"), "No seat is free")
}

// together is a store that opens no rematch before two are asked for.
type together struct {
	*storage.Store
	both *sync.WaitGroup
}

func (s together) Create(ctx context.Context, c storage.Change) (storage.ID, error) {
	if c.Head.Rematch != 0 {
		s.both.Done()
		s.both.Wait()
	}
	return s.Store.Create(ctx, c)
}

// Of two clicks on Rematch at the same moment one opens the table and the other joins it, and no thread is left over.
func TestTwoRematchesAtOnce(t *testing.T) {
	t.Parallel()
	both := &sync.WaitGroup{}
	both.Add(2)
	r := newRigWith(t, func(r *rig) { r.wrap = func(s *storage.Store) keeper { return together{s, both} } })
	turn := r.openLoyal(two)
	r.click(localdiscord.Anne, r.command(localdiscord.Anne, tablesChannel, "resign"), "Yes, resign")
	over := r.next(tablesChannel, turn.ID, isOver)
	// the channel is in use: what is opened gets a thread
	r.open(tablesChannel, catalog.Games[0], []string{localdiscord.Bart, localdiscord.Grace})
	button, ok := over.Button("Rematch")
	if !ok {
		t.Fatalf("no button on %s", over.Text())
	}
	var clicks sync.WaitGroup
	said := make([]string, len(two))
	for i, user := range two {
		clicks.Go(func() {
			reply, err := r.srv.Click(r.ctx, user, over.ID, button.CustomID)
			if err == nil {
				var m *localdiscord.Message
				if m, err = reply.Message(r.ctx); err == nil {
					said[i] = m.Text()
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	clicks.Wait()
	slices.Sort(said)
	if !strings.Contains(said[0], "thread of its own") || !strings.Contains(said[1], "Welcome aboard") {
		t.Errorf("the clicks are answered %q, want that one opens a thread and the other is welcome there", said)
	}
	heads, err := r.tables.Lookup.ByGuild(r.ctx, localdiscord.Tortuga, storage.Active, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	heads = slices.DeleteFunc(heads, func(h table.Head) bool { return h.Rematch != 1 })
	if len(heads) != 1 || len(heads[0].Seats) != 2 || heads[0].Status != table.Playing {
		t.Fatalf("the rematches are %+v, want one that is played", heads)
	}
	for _, c := range r.threads() {
		if used := c.ID == heads[0].Channel; used == c.Archived {
			t.Errorf("the thread %s: in use %v, archived %v", c.Name, used, c.Archived)
		}
	}
	r.next(heads[0].Channel, "", isTurn)
}

func TestRematchAndNextTable(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	turn := r.openLoyal(two, localdiscord.Opt("clock", "3d"))
	first := r.mover(turn)
	sure := r.command(first, tablesChannel, "resign")
	r.click(first, sure, "Yes, resign")
	over := r.next(tablesChannel, turn.ID, isOver)
	r.wantText(r.click(localdiscord.Bart, over, "Rematch"), "no seat")
	r.wantText(r.click(first, over, "Rematch"), "is open")
	lobby := r.next(tablesChannel, over.ID, isLobby)
	r.wantText(r.click(first, over, "Rematch"), "You have your seat")
	r.wantText(r.click(other(two, first), over, "Rematch"), "Welcome aboard")
	again := r.next(tablesChannel, lobby.ID, isTurn)
	if who := r.mover(again); who != other(two, first) {
		t.Errorf("in the rematch %s plays first, want who was second", who)
	}
	r.wantText(again, "Time until")

	// A second table waits for the same player.
	second := r.mover(again)
	busy := r.command(second, tavern, "play", localdiscord.Opt("game", "loyal-captain"),
		localdiscord.Opt("opponent", first), localdiscord.Opt("order", true))
	r.wantText(busy, "is open")
	invited := r.next(tavern, "", isLobby)
	r.click(first, invited, "Join")
	r.next(tavern, invited.ID, isTurn)
	choices, err := r.srv.Autocomplete(r.ctx, second, tablesChannel, "move", "move", localdiscord.Opt("move", ""))
	if err != nil || len(choices) == 0 {
		t.Fatal(choices, err)
	}
	r.wantText(r.command(second, tablesChannel, "move", localdiscord.Opt("move", choices[0].Value)),
		"Next table waiting for you")
}

// A plan is shown before it is left, to its owner alone, and played at once when it comes to it.
func TestPlansOnDiscord(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	turn := r.openLoyal(two)
	mover := r.mover(turn)
	planner := other(two, mover)
	snap, err := r.tables.Lookup.Snapshot(r.ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	menu, _ := snap.Menu(snap.ToMove)
	theirs := menu.Candidates()[0]
	mine := games.NewMenu(snap.View(snap.ToMove).State.Apply(theirs.Move)).Candidates()[0]
	r.wantText(r.command(planner, tablesChannel, "table plan", localdiscord.Opt("line", theirs.Notation)),
		"ends with a move of your own")
	preview := r.command(planner, tablesChannel, "table plan",
		localdiscord.Opt("line", theirs.Notation+"; "+mine.Notation))
	if preview.EphemeralTo != planner || len(preview.Pictures()) != 1 {
		t.Fatalf("the preview: %s", preview.Text())
	}
	r.wantText(r.click(planner, preview, "Leave this plan"), "one plan")
	r.wantText(r.command(mover, tablesChannel, "table plan"), "You have no plans")
	r.wantText(r.command(mover, tablesChannel, "move", localdiscord.Opt("move", theirs.Notation)), "Played")
	next := r.next(tablesChannel, turn.ID, isTurn)
	if who := r.mover(next); who != mover {
		t.Errorf("after the planned reply %s is to move, want %s", who, mover)
	}
}
