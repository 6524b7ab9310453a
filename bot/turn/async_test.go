package turn_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
	"marque/storage"
)

// A player who does not move gets a reminder and a last reminder, and then loses the seat to a user who takes it. The
// first reminder is deleted when the last one is posted.
func TestClockAndReminders(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "4d"), localdiscord.Opt("late", "offer"))
	r.WantText(turn, "Time runs out")
	late := r.Mover(turn)

	clock.Advance(bottest.Day + time.Minute)
	first := r.NextSaying(bottest.TablesChannel, turn.ID, "the table is waiting for you")
	if !slices.Equal(first.Pinged, []string{late}) {
		t.Errorf("the reminder pings %v, want %s", first.Pinged, late)
	}
	clock.Advance(2*bottest.Day + time.Minute)
	second := r.NextSaying(bottest.TablesChannel, first.ID, "your time is running out")
	if err := r.Wait(func() bool {
		_,
			err := r.Server.Message(first.ID, late)
		return err != nil
	}); err != nil {
		t.Errorf("the first reminder stays beside the second: %v", err)
	}
	// The clock and the reminders survive a restart.
	r.Stop()
	r.Start()
	clock.Advance(bottest.Day)
	offered := r.NextSaying(bottest.TablesChannel, second.ID, "has run out of time")
	if _, err := r.Server.Message(second.ID, late); err != nil {
		t.Logf("the last call is gone already") // at the latest, it is deleted with the next board
	}
	take := offered.Interactive()
	offer := slices.IndexFunc(take, func(c localdiscord.Component) bool { return strings.HasPrefix(c.Label, "Take ") })
	if offer < 0 {
		t.Fatalf("the offered seat has no button: %s", offered.Text())
	}
	r.WantText(r.Click(localdiscord.Bart, offered, take[offer].Label), "Welcome aboard")
	taken := r.NextSaying(bottest.TablesChannel, offered.ID, "takes over the free seat")
	if !slices.Contains(taken.Pinged, localdiscord.Bart) {
		t.Errorf("who took the seat to move is not called: %v", taken.Pinged)
	}
	r.WantText(r.Command(late, bottest.TablesChannel, "move", localdiscord.Opt("move", "1")), "don't have a seat")
	if said := r.TypeMove(localdiscord.Bart, bottest.TablesChannel, bottest.NewRand()); !strings.Contains(said,
		"Played") {
		t.Errorf("the substitute's move: %q", said)
	}
}

func TestUndoOnDiscord(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	turn := r.OpenLoyal(bottest.Two)
	mover := r.Mover(turn)

	said := r.TypeMove(mover, bottest.TablesChannel, bottest.NewRand())
	if !strings.Contains(said, "Played") {
		t.Fatal(said)
	}
	moved := r.Next(bottest.TablesChannel, turn.ID, bottest.IsTurn)
	r.WantText(r.Command(mover, bottest.TablesChannel, "table undo"), "Taken back")
	back := r.Next(bottest.TablesChannel, moved.ID, bottest.IsTurn)
	r.WantText(back, "takes the last move back")
	if who := r.Mover(back); who != mover {
		t.Errorf("after taking back %s is to move, want %s", who, mover)
	}
	r.TypeMove(mover, bottest.TablesChannel, bottest.NewRand())
	moved = r.Next(bottest.TablesChannel, back.ID, bottest.IsTurn)
	clock.Advance(5 * time.Minute)
	r.WantText(r.Command(mover, bottest.TablesChannel, "table undo"), "I've asked the others")
	asked := r.NextSaying(bottest.TablesChannel, moved.ID, "would like to take a move back")
	opponent := bottest.Other(bottest.Two, mover)
	if !slices.Equal(asked.Pinged, []string{opponent}) {
		t.Errorf("asked are %v, want %s", asked.Pinged, opponent)
	}
	label := "Let " + map[string]string{localdiscord.Anne: "Anne", localdiscord.Jack: "Jack"}[mover] + " take it back"
	r.WantText(r.Click(opponent, asked, label), "You agree")
	back = r.Next(bottest.TablesChannel, asked.ID, bottest.IsTurn)
	if who := r.Mover(back); who != mover {
		t.Errorf("after the consent %s is to move, want %s", who, mover)
	}
}

func TestSettingsAndPreferences(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewTimed(t)
	r.ManagersAlone(localdiscord.Bart, bottest.Tavern, "server settings")
	panel := r.Command(localdiscord.Mary, bottest.Tavern, "server settings", localdiscord.Opt("zone", "Europe/Berlin"),
		localdiscord.Opt("idle-days", 20))
	r.WantText(panel, "Europe/Berlin")
	choose := func(m *localdiscord.Message, user, what string, values ...string) *localdiscord.Message {
		t.Helper()
		for _, c := range m.Interactive() {
			if strings.HasSuffix(c.CustomID, "/"+what) {
				reply, err := r.Server.Select(r.Ctx, user, m.ID, c.CustomID, values...)
				return r.Answer(reply, err, what)
			}
		}
		t.Fatalf("no control %s on %s", what, m.Text())
		return nil
	}
	panel = choose(panel, localdiscord.Mary, "quiet", "6", "0")
	panel = choose(panel, localdiscord.Mary, "theme", "contrast")
	panel = choose(panel, localdiscord.Mary, "rest", "rated", "study")
	panel = r.Click(localdiscord.Mary, panel, "Channels and roles")
	panel = choose(panel, localdiscord.Mary, "channels", bottest.Tavern)
	panel = r.Click(localdiscord.Mary, panel, "Tables")
	panel = choose(panel, localdiscord.Mary, "threads", "never")
	r.WantText(choose(panel, localdiscord.Mary, "clock", "3d+12h"),
		"3 days for the whole game, plus 12 hours with each move")
	c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
	if err != nil || !slices.Equal(c.Channels, []string{bottest.Tavern}) || c.QuietNow().Days != 1<<6|1 || !c.Silent ||
		c.Theme != "contrast" || c.IdleDays != 20 || c.Threads != choices.ThreadsNever {
		t.Errorf("settings %+v, %v", c, err)
	}
	play := func(user, channel string) string {
		return r.Command(user, channel, "play", localdiscord.Opt("game", "loyal-captain")).Text()
	}
	if said := play(localdiscord.Bart, bottest.TablesChannel); !strings.Contains(said,
		"you can only open tables in <#"+bottest.Tavern+">") {
		t.Errorf("outside the chosen channel: %q", said)
	}
	if said := play(localdiscord.Bart, bottest.Tavern); !strings.Contains(said, "is open") {
		t.Errorf("in the chosen channel: %q", said)
	}
	lobby := r.NextSaying(bottest.Tavern, "", "3 days for the whole game")
	r.Click(localdiscord.Jack, lobby, "Join")
	turn := r.Next(bottest.Tavern, lobby.ID, bottest.IsTurn)
	if len(turn.Pinged) != 0 {
		t.Errorf("pings are off, and %v are pinged", turn.Pinged)
	}
	// A deleted channel no longer limits where tables can be opened.
	if err := r.Server.Admin.DeleteChannel(bottest.Tavern); err != nil {
		t.Fatal(err)
	}
	if said := play(localdiscord.Bart, bottest.TablesChannel); !strings.Contains(said, "is open") {
		t.Errorf("after the chosen channel was deleted: %q", said)
	}

	mine := r.Command(localdiscord.Bart, bottest.TablesChannel, "me preferences",
		localdiscord.Opt("zone", "Asia/Tokyo"))
	mine = choose(mine, localdiscord.Bart, "remind", "-1")
	mine = choose(mine, localdiscord.Bart, "from", "23")
	mine = choose(mine, localdiscord.Bart, "theme", "safe")
	p, err := r.Tables.Choices.Preferences(r.Ctx, localdiscord.Bart)
	if err != nil || p.Remind != -1 || p.Night != [2]int{23 * 60, 8 * 60} || p.Zone != "Asia/Tokyo" ||
		p.Theme != "safe" {
		t.Errorf("preferences %+v, %v", p, err)
	}
	r.WantText(mine, "Asia/Tokyo")
	for _, zone := range []string{"Local", "posixrules", "Factory"} {
		r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "me preferences",
			localdiscord.Opt("zone", zone)),
			"I don't know the time zone")
		r.WantText(r.Command(localdiscord.Mary, bottest.TablesChannel, "server settings",
			localdiscord.Opt("zone", zone)),
			"I don't know the time zone")
	}
	r.ManagersAlone(localdiscord.Bart, bottest.TablesChannel, "server settings")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "me away", localdiscord.Opt("until", "10")),
		"clocks on this server are stopped")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "me away", localdiscord.Opt("until", "yesterday")),
		"Write a date")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "me away"), "Welcome back")
}

// A player with less than an hour in the bank has an hour for the move. The lobby and the board say so.
func TestATurnWithAnEmptyBankTellsItsTime(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	clocked := []localdiscord.Option{localdiscord.Opt("game", bottest.LoyalCaptain), localdiscord.Opt("clock", "1h+0"),
		localdiscord.Opt("late", "offer")}
	lobby := r.Lobby(localdiscord.Bart, bottest.TablesChannel, clocked...)
	r.WantText(lobby,
		"Clock: 1 hour for the whole game; after that, 1 hour per move.")
	r.Click(localdiscord.Anne, lobby, "Join")
	turn := r.Next(bottest.TablesChannel, lobby.ID, bottest.IsTurn)
	for range 2 {
		clock.Advance(40 * time.Minute)
		if said := r.TypeMove(r.Mover(turn), bottest.TablesChannel, bottest.NewRand()); !strings.Contains(said,
			"Played") {
			t.Fatal(said)
		}
		turn = r.TurnAfter(bottest.TablesChannel, turn)
		r.WantText(turn, "1 hour per move")
	}
	at, running, err := r.Deadline(r.Table().Head)
	if want := clock.Now().Add(time.Hour); err != nil || !running || !at.Equal(want) {
		t.Errorf("time until %v (%v, %v), want an hour: until %v", at, running, err, want)
	}
	r.WantText(turn, fmt.Sprintf("<t:%d:R>", at.Unix()))
}

// An absence until a day lasts until the end of that day, even if clocks go forward at its midnight.
func TestAwayUntilADayWithoutMidnight(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewTimed(t)
	r.Command(localdiscord.Bart, bottest.TablesChannel, "me preferences", localdiscord.Opt("zone", "America/Havana"))
	r.Command(localdiscord.Bart, bottest.TablesChannel, "me away", localdiscord.Opt("until", "2026-03-08"))
	want := time.Date(2026, 3, 9, 4, 0, 0, 0, time.UTC) // midnight in the zone, four hours behind UTC
	p, err := r.Tables.Choices.Preferences(r.Ctx, localdiscord.Bart)
	if err != nil || len(p.Away) != 1 || !p.Away[0].Until.Time().Equal(want) {
		t.Errorf("away %+v (%v), want until %v", p.Away, err, want)
	}
}

// /games shows the tables at which the user is to move, on this server or on all, since when, and where the board is.
// After a move the next table is offered.
func TestMyTurnsOnDiscord(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	began := clock.Now()
	g, _ := catalog.Find(bottest.LoyalCaptain)
	first := r.OpenInOrder(bottest.TablesChannel, g, bottest.Two)
	clock.Advance(time.Hour)
	far := r.OpenInOrder(localdiscord.NassauTables, g, bottest.Two)
	clock.Advance(time.Hour)
	// A change of the settings changes the table, but not the time since which Anne is to move.
	if _, err := r.Tables.Choices.ChangeSettings(r.Ctx, localdiscord.Tortuga,
		func(c *choices.Settings) { c.IdleDays = 20 }); err != nil {
		t.Fatal(err)
	}
	link := func(guild string, m *localdiscord.Message) string {
		return "https://discord.com/channels/" + guild + "/" + m.ChannelID + "/" + m.ID
	}
	mine := func() *localdiscord.Message {
		return r.Command(localdiscord.Anne, bottest.Tavern, "games", localdiscord.Opt("mine", true))
	}
	r.Eventually("linked to the boards", func() bool { // a board's message is recorded after it is posted
		said := mine().Text()
		return strings.Contains(said, link(localdiscord.Tortuga, first)) && strings.Contains(said,
			link(localdiscord.Nassau, far))
	})
	all := mine()
	for _, want := range []string{
		"2 tables are waiting for you", "**your turn** began <t:" + strconv.FormatInt(began.Unix(), 10) + ":R>",
		"**your turn** began <t:" + strconv.FormatInt(began.Add(time.Hour).Unix(), 10) + ":R>",
		link(localdiscord.Tortuga, first), link(localdiscord.Nassau, far),
	} {
		r.WantText(all, want)
	}
	here := r.Command(localdiscord.Anne, bottest.Tavern, "games")
	r.WantText(here, "One table is waiting for you")
	if strings.Contains(here.Text(), localdiscord.Nassau) {
		t.Errorf("the tables of another server are listed: %s", here.Text())
	}
	r.WantText(r.Command(localdiscord.Jack, localdiscord.NassauTables, "games"),
		"<@"+localdiscord.Anne+">'s turn began")
	said := r.TypeMove(localdiscord.Anne, bottest.TablesChannel, bottest.NewRand())
	if !strings.Contains(said, "next table waiting for you") || !strings.Contains(said,
		link(localdiscord.Nassau, far)) {
		t.Errorf("after a move: %q", said)
	}
}

// A player who runs out of time gets a move by the computer, or is out of the game, as the host has chosen. An invalid
// clock is refused.
func TestLatePlayersOnDiscord(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	for _, wrong := range []string{"soon", "59m", "15d", "61d+1h", "3d+8d", "3d+"} {
		said := r.Command(localdiscord.Anne, bottest.Tavern, "play", localdiscord.Opt("game", bottest.LoyalCaptain),
			localdiscord.Opt("clock", wrong)).Text()
		if !strings.Contains(said, "clock") || strings.Contains(said, "is open") {
			t.Errorf("the clock %q is answered %q", wrong, said)
		}
	}
	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "1h"), localdiscord.Opt("late", "computer"))
	late := r.Mover(turn)
	clock.Advance(time.Hour + time.Minute)
	played := r.NextSaying(bottest.TablesChannel, turn.ID, "the computer plays one move")
	if who := r.Mover(r.Next(bottest.TablesChannel, turn.ID, bottest.IsTurn)); who != bottest.Other(bottest.Two, late) {
		t.Errorf("%s is to move after the computer moved for %s: %s", who, late, played.Text())
	}
	r.Click(late, r.Command(late, bottest.TablesChannel, "table resign"), "Yes, resign")
	over := r.Next(bottest.TablesChannel, played.ID, bottest.IsOver)
	r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "1h"), localdiscord.Opt("late", "forfeit"))
	clock.Advance(time.Hour + time.Minute)
	lost := r.Next(bottest.TablesChannel, over.ID, bottest.IsOver)
	r.WantText(lost, "has run out of time and is out of the game")
}

// Quiet dates are typed into a form that shows the current ones. Invalid dates are explained, and change nothing.
func TestQuietDatesOnDiscord(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t) // 2 March 2026, 12 o'clock UTC
	const mary = localdiscord.Mary
	panel := r.Command(mary, bottest.Tavern, "server settings", localdiscord.Opt("zone", "Europe/Berlin"))
	r.WantText(panel, "No quiet dates.")
	form := func(m *localdiscord.Message) *localdiscord.Modal {
		t.Helper()
		for _, c := range m.Interactive() {
			if strings.HasSuffix(c.CustomID, "/dates") {
				reply, err := r.Server.Click(r.Ctx, mary, m.ID, c.CustomID)
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
		reply, err := r.Server.SubmitModal(r.Ctx, mary, f, localdiscord.Opt("dates", typed))
		return r.Answer(reply, err, "dates")
	}
	refused := submit(form(panel), "2026-03-06, the day after")
	r.WantText(refused, "I can't read “the day after” as a date")
	r.WantText(refused, "2026-03-06, the day after")
	if refused.EphemeralTo != mary {
		t.Error("everybody sees the refusal")
	}
	if c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga); err != nil || len(c.QuietNow().Dates) != 0 {
		t.Errorf("after a refusal: %+v, %v", c, err)
	}
	again := form(refused)
	if len(again.Inputs) != 1 || again.Inputs[0].Value != "" {
		t.Errorf("the form: %+v", again)
	}
	panel = submit(again, "2026-03-04 to 2026-03-05\n2026-03-03")
	r.WantText(panel, "Quiet dates: 3 March 2026 to 5 March 2026")

	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "1d"), localdiscord.Opt("late", "offer"))
	// Of the day's 24 hours, 11 pass until midnight in Berlin, and the other 13 from the midnight after the 5th: until
	// noon UTC on the 6th instead of the 3rd.
	at, running, err := r.Deadline(r.Table().Head)
	if want := time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC); err != nil || !running || !at.Equal(want) {
		t.Errorf("time runs out at %v (%v, %v), want %v", at.UTC(), running, err, want)
	}
	for range 3 {
		clock.Advance(bottest.Day)
	}
	if snap := r.Table(); snap.Timing.Out {
		t.Error("time ran out on a quiet day")
	}
	clock.Advance(bottest.Day + time.Minute)
	r.NextSaying(bottest.TablesChannel, turn.ID, "has run out of time")
	// Dates that are past are not shown, and the form is empty.
	panel = r.SettingsPage(mary, bottest.Tavern, "days")
	r.WantText(panel, "No quiet dates.")
	if f := form(panel); f.Inputs[0].Value != "" {
		t.Errorf("the form shows %q", f.Inputs[0].Value)
	}
	if got := submit(form(panel), "2026-12-24 - 2026-12-26"); !strings.Contains(got.Text(),
		"Quiet dates: 24 December 2026 to 26 December 2026") {
		t.Errorf("the panel: %s", got.Text())
	}
	if f := form(r.SettingsPage(mary, bottest.Tavern, "days")); f.Inputs[0].Value != "2026-12-24 – 2026-12-26" {
		t.Errorf("the form shows %q", f.Inputs[0].Value)
	}
}

// An option of a new table, or else the server's setting, decides whether the table is rated. The settings also decide
// where tables and rematches can be opened. Roles and channels that Discord no longer has limit nobody.
func TestSettingsOfNewTables(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewTimed(t)
	settings := func(change func(*choices.Settings)) {
		t.Helper()
		if _, err := r.Tables.Choices.ChangeSettings(r.Ctx, localdiscord.Tortuga, change); err != nil {
			t.Fatal(err)
		}
	}
	unrated := func(n string) bool {
		t.Helper()
		id, err := storage.ParseID(n)
		if err != nil {
			t.Fatal(err)
		}
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return snap.Unrated()
	}
	play := func(channel string, options ...localdiscord.Option) string {
		return r.Command(localdiscord.Bart, channel, "play",
			append([]localdiscord.Option{localdiscord.Opt("game", bottest.LoyalCaptain)}, options...)...).Text()
	}
	settings(func(c *choices.Settings) { c.Threads, c.UserLobbies = choices.ThreadsNever, choices.MostUserLobbies })
	play(bottest.Tavern)
	play(bottest.Tavern, localdiscord.Opt("rated", false))
	settings(func(c *choices.Settings) { c.Unrated = true })
	play(bottest.Tavern)
	play(bottest.Tavern, localdiscord.Opt("rated", true))
	for i, want := range []bool{false, true, true, false} {
		if n := strconv.Itoa(i + 1); unrated(n) != want {
			t.Errorf("table %s is unrated: %v, want %v", n, !want, want)
		}
	}
	// A deleted role keeps nobody from opening tables, and makes nobody a moderator.
	settings(func(c *choices.Settings) { c.OpenerRole, c.ModeratorRole = "99", "98" })
	if said := play(bottest.Tavern); !strings.Contains(said, "is open") {
		t.Errorf("with a role that was deleted: %q", said)
	}
	if c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga); err != nil || c.OpenerRole != "" ||
		c.ModeratorRole != "" {
		t.Errorf("deleted roles are kept: %+v, %v", c, err)
	}
	settings(func(c *choices.Settings) { c.Channels = []string{"97", bottest.Tavern}; c.OpenerRole = "99" })
	if said := play(bottest.TablesChannel); !strings.Contains(said,
		"you can only open tables in <#"+bottest.Tavern+">.") {
		t.Errorf("outside the channels: %q", said)
	}
	settings(func(c *choices.Settings) { c.Channels = []string{"97"} })
	if said := play(bottest.TablesChannel); !strings.Contains(said, "is open") {
		t.Errorf("with a channel that was deleted: %q", said)
	}
	turn := r.OpenLoyal(bottest.Two)
	first := r.Mover(turn)
	r.Click(first, r.Command(first, bottest.TablesChannel, "table resign"), "Yes, resign")
	over := r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver)
	settings(func(c *choices.Settings) { c.Channels = []string{bottest.Tavern} })
	// Jack presses the button, because Anne can manage the server, and so open tables anywhere.
	r.WantText(r.Click(localdiscord.Jack, over, "Rematch"), "you can only open tables in")
}

func TestSubstitutesAndModerators(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewTimed(t)
	turn := r.OpenLoyal(bottest.Two)
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "table join"), "No seat is free")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "games", localdiscord.Opt("open", true)),
		"I see no free seat")
	r.WantText(r.Command(localdiscord.Jack, bottest.TablesChannel, "table leave"), "I've offered your seat")
	r.NextSaying(bottest.TablesChannel, turn.ID, "offers the seat")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "games"), "free seat")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "games", localdiscord.Opt("open", true)),
		"free seat")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "table join"), "Welcome aboard")
	r.WantText(r.ForgeCommand(localdiscord.Bart, bottest.TablesChannel, "moderate pause"), "Only moderators")
	r.WantText(r.Command(localdiscord.Mary, bottest.TablesChannel, "moderate pause"), "is paused")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "move", localdiscord.Opt("move", "1")), "")
	r.WantText(r.Command(localdiscord.Mary, bottest.TablesChannel, "moderate resume"), "continues")
	resumed := r.NextSaying(bottest.TablesChannel, turn.ID, "The game continues")
	if len(resumed.Pinged) != 1 {
		t.Errorf("after the pause %v are called, want the player to move", resumed.Pinged)
	}
	r.Command(localdiscord.Mary, bottest.TablesChannel, "moderate pause")
	r.Command(localdiscord.Mary, bottest.TablesChannel, "moderate resume")
	if again := r.NextSaying(bottest.TablesChannel, resumed.ID, "The game continues"); len(again.Pinged) != 0 {
		t.Errorf("after one more pause within ten minutes %v are called again", again.Pinged)
	}
	r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "table here", localdiscord.Opt("table", "1")),
		"is now in this channel")
	moved := r.Next(bottest.Tavern, "", bottest.IsTurn)
	bottest.CheckBoard(t, r, moved)
	r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "moderate remove",
		localdiscord.Opt("who", localdiscord.Bart)),
		"has been removed from table")
	r.NextSaying(bottest.Tavern, moved.ID, "was removed from the table")
	r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "table host", localdiscord.Opt("who", localdiscord.Grace)),
		"is now the host")
	r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "moderate end"), "is closed")
	r.NextSaying(bottest.Tavern, moved.ID, "without a result")
}

// A player whose time has run out is told that a move keeps the seat. A command does not keep it, because no clock
// would run after the command.
func TestALatePlayerIsBackByMoving(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "1h"), localdiscord.Opt("late", "offer"))
	late := r.Mover(turn)
	clock.Advance(time.Hour + time.Minute)
	offered := r.NextSaying(bottest.TablesChannel, turn.ID, "has run out of time")
	told := r.Command(late, bottest.TablesChannel, "table leave")
	r.WantText(told, "Make your move to keep it")
	if said := r.StepThrough(late, told, bottest.NewRand()); !strings.Contains(said, "Played") {
		t.Errorf("the button beside it plays %q", said)
	}
	board := r.Next(bottest.TablesChannel, offered.ID, bottest.IsTurn)
	r.WantText(board, "keeps the seat after all")
	for _, c := range board.Interactive() {
		if strings.HasPrefix(c.Label, "Take ") && c.Label != "Take back" { // a button that takes the seat
			t.Errorf("the new board offers %q", c.Label)
		}
	}
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "table join"), "No seat is free")
}

// together is a store that creates a rematch only once two have been requested.
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

// One table is opened when two users click Rematch at the same moment: one user opens it, and the other joins. No other
// thread stays open.
func TestTwoRematchesAtOnce(t *testing.T) {
	t.Parallel()
	both := &sync.WaitGroup{}
	both.Add(2)
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Wrap = func(s *storage.Store) bottest.Store {
			return together{s,
				both}
		}
	})
	turn := r.OpenLoyal(bottest.Two)
	r.Click(localdiscord.Anne, r.Command(localdiscord.Anne, bottest.TablesChannel, "table resign"), "Yes, resign")
	over := r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver)
	// The channel is in use, so a new table gets a thread.
	r.Open(bottest.TablesChannel, catalog.Games[0], []string{localdiscord.Bart, localdiscord.Grace})
	button, ok := over.Button("Rematch")
	if !ok {
		t.Fatalf("no button on %s", over.Text())
	}
	var clicks sync.WaitGroup
	said := make([]string, len(bottest.Two))
	for i, user := range bottest.Two {
		clicks.Go(func() {
			reply, err := r.Server.Click(r.Ctx, user, over.ID, button.CustomID)
			if err == nil {
				var m *localdiscord.Message
				if m, err = reply.Message(r.Ctx); err == nil {
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
	if !strings.Contains(said[0], "its own thread") || !strings.Contains(said[1], "Welcome aboard") {
		t.Errorf("the clicks are answered %q, want that one opens a thread and the other is welcome there", said)
	}
	heads, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Active, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	heads = slices.DeleteFunc(heads, func(h table.Head) bool { return h.Rematch != 1 })
	if len(heads) != 1 || len(heads[0].Seats) != 2 || heads[0].Status != table.Playing {
		t.Fatalf("the rematches are %+v, want one that is played", heads)
	}
	for _, c := range r.Threads() {
		if used := c.ID == heads[0].Channel; used == c.Archived {
			t.Errorf("the thread %s: in use %v, archived %v", c.Name, used, c.Archived)
		}
	}
	r.Next(heads[0].Channel, "", bottest.IsTurn)
}

func TestRematchAndNextTable(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewTimed(t)
	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "3d"))
	first := r.Mover(turn)
	sure := r.Command(first, bottest.TablesChannel, "table resign")
	r.Click(first, sure, "Yes, resign")
	over := r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver)
	r.WantText(r.Click(localdiscord.Bart, over, "Rematch"), "don't have a seat")
	r.WantText(r.Click(first, over, "Rematch"), "is open")
	lobby := r.Next(bottest.TablesChannel, over.ID, bottest.IsLobby)
	r.WantText(r.Click(first, over, "Rematch"), "You have a seat there")
	r.WantText(r.Click(bottest.Other(bottest.Two, first), over, "Rematch"), "Welcome aboard")
	again := r.Next(bottest.TablesChannel, lobby.ID, bottest.IsTurn)
	if who := r.Mover(again); who != bottest.Other(bottest.Two, first) {
		t.Errorf("in the rematch %s plays first, want who was second", who)
	}
	r.WantText(again, "Time runs out")

	// A second table waits for the same player.
	second := r.Mover(again)
	g, _ := catalog.Find(bottest.LoyalCaptain)
	r.OpenInOrder(bottest.Tavern, g, []string{second, first})
	choices, err := r.Server.Autocomplete(r.Ctx, second, bottest.TablesChannel, "move", "move",
		localdiscord.Opt("move", ""))
	if err != nil || len(choices) == 0 {
		t.Fatal(choices, err)
	}
	r.WantText(r.Command(second, bottest.TablesChannel, "move", localdiscord.Opt("move", choices[0].Value)),
		"next table waiting for you")
}

// A plan is shown to its owner alone before it is saved, and its move is played immediately when its position arises.
func TestPlansOnDiscord(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewTimed(t)
	turn := r.OpenLoyal(bottest.Two)
	mover := r.Mover(turn)
	planner := bottest.Other(bottest.Two, mover)
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	menu, _ := snap.Menu(snap.ToMove)
	theirs := menu.Candidates()[0]
	mine := games.NewMenu(snap.View(snap.ToMove).State.Apply(theirs.Move)).Candidates()[0]
	r.WantText(r.Command(planner, bottest.TablesChannel, "table plan", localdiscord.Opt("line", theirs.Notation)),
		"has to end with a move of yours")
	preview := r.Command(planner, bottest.TablesChannel, "table plan",
		localdiscord.Opt("line", theirs.Notation+"; "+mine.Notation))
	if preview.EphemeralTo != planner || len(preview.Pictures()) != 1 {
		t.Fatalf("the preview: %s", preview.Text())
	}
	r.WantText(r.Click(planner, preview, "Save this plan"), "one plan")
	r.WantText(r.Command(mover, bottest.TablesChannel, "table plan"), "You have no plans")
	r.WantText(r.Command(mover, bottest.TablesChannel, "move", localdiscord.Opt("move", theirs.Notation)), "Played")
	next := r.Next(bottest.TablesChannel, turn.ID, bottest.IsTurn)
	if who := r.Mover(next); who != mover {
		t.Errorf("after the planned reply %s is to move, want %s", who, mover)
	}
}
