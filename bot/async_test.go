package bot_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
)

const (
	tablesChannel = localdiscord.TortugaTables
	tavern        = localdiscord.TortugaTavern
	day           = 24 * time.Hour
)

// seeded is a generator of its own for each use: the tests run side by side.
func seeded() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }

// newTimedRig is a rig whose time stands until it is advanced.
func newTimedRig(t testing.TB) (*rig, *localdiscord.ManualClock) {
	clock := localdiscord.NewManualClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)) // a Monday
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
	if err := r.srv.Wait(r.ctx, func() bool { _, err := r.srv.Message(first.ID, late); return err != nil }); err != nil {
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
	if len(take) == 0 || !strings.HasPrefix(take[len(take)-1].Label, "Take ") {
		t.Fatalf("the offered seat has no button: %s", offered.Text())
	}
	r.wantText(r.click(localdiscord.Bart, offered, take[len(take)-1].Label), "Welcome aboard")
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
	asked := r.says(tablesChannel, moved.ID, "would like to take the last move back")
	opponent := other(two, mover)
	if !slices.Equal(asked.Pinged, []string{opponent}) {
		t.Errorf("asked are %v, want %s", asked.Pinged, opponent)
	}
	r.wantText(r.click(opponent, asked, "Agree"), "You agree")
	back = r.next(tablesChannel, asked.ID, isTurn)
	if who := r.mover(back); who != mover {
		t.Errorf("after the consent %s is to move, want %s", who, mover)
	}
}

func TestSettingsAndPreferences(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	r.wantText(r.command(localdiscord.Bart, tavern, "settings"), "Only a moderator")
	panel := r.command(localdiscord.Mary, tavern, "settings", localdiscord.Opt("zone", "Europe/Berlin"), localdiscord.Opt("idle-days", 20))
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
	panel = r.click(localdiscord.Mary, panel, "Pings: on")
	r.wantText(panel, "3 days for the whole game, and 12 hours more with each move")
	c, err := r.tables.Settings(r.ctx, localdiscord.Tortuga)
	if err != nil || !slices.Equal(c.Channels, []string{tavern}) || c.QuietNow().Days != 1<<6|1 || !c.Silent || c.Theme != "contrast" || c.IdleDays != 20 || c.Threads != table.ThreadsNever {
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
	if err := r.srv.DeleteChannel(tavern); err != nil {
		t.Fatal(err)
	}
	if said := play(localdiscord.Bart, tablesChannel); !strings.Contains(said, "is open") {
		t.Errorf("after the chosen channel was deleted: %q", said)
	}

	mine := r.command(localdiscord.Bart, tablesChannel, "preferences", localdiscord.Opt("zone", "Asia/Tokyo"))
	mine = choose(mine, localdiscord.Bart, "remind", "-1")
	mine = choose(mine, localdiscord.Bart, "from", "23")
	mine = choose(mine, localdiscord.Bart, "theme", "safe")
	p, err := r.tables.Preferences(r.ctx, localdiscord.Bart)
	if err != nil || p.Remind != -1 || p.Night != [2]int{23 * 60, 8 * 60} || p.Zone != "Asia/Tokyo" || p.Theme != "safe" {
		t.Errorf("preferences %+v, %v", p, err)
	}
	r.wantText(mine, "Asia/Tokyo")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "settings"), "Only a moderator")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "away", localdiscord.Opt("until", "10")), "clocks on this server stand")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "away", localdiscord.Opt("until", "yesterday")), "Say a day")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "away"), "Welcome back")
}

func TestSubstitutesAndModerators(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	turn := r.openLoyal(two)
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "sub"), "No seat is free")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "games", localdiscord.Opt("open", true)), "No table has a free seat")
	r.wantText(r.command(localdiscord.Jack, tablesChannel, "sub"), "offered to others")
	r.says(tablesChannel, turn.ID, "offers the seat")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "games"), "seat free")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "games", localdiscord.Opt("open", true)), "seat free")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "sub"), "Welcome aboard")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "moderate pause"), "Only a moderator")
	r.wantText(r.command(localdiscord.Mary, tablesChannel, "moderate pause"), "is paused")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "move", localdiscord.Opt("move", "1")), "")
	r.wantText(r.command(localdiscord.Mary, tablesChannel, "moderate resume"), "goes on")
	resumed := r.says(tablesChannel, turn.ID, "The game goes on")
	if len(resumed.Pinged) != 1 {
		t.Errorf("after the pause %v are called, want the player to move", resumed.Pinged)
	}
	r.wantText(r.command(localdiscord.Mary, tavern, "moderate here", localdiscord.Opt("table", "1")), "is played here")
	moved := r.next(tavern, "", isTurn)
	checkBoard(t, r, moved)
	r.wantText(r.command(localdiscord.Mary, tavern, "moderate remove", localdiscord.Opt("who", localdiscord.Bart)), "is off table")
	r.says(tavern, moved.ID, "was taken off the table")
	r.wantText(r.command(localdiscord.Mary, tavern, "moderate host", localdiscord.Opt("who", localdiscord.Grace)), "is the host")
	r.wantText(r.command(localdiscord.Mary, tavern, "moderate end"), "is closed")
	r.says(tavern, moved.ID, "without a result")
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
	lobby := r.next(tablesChannel, over.ID, func(m *localdiscord.Message) bool { _, ok := m.Button("Join"); return ok })
	r.wantText(r.click(first, over, "Rematch"), "You have your seat")
	r.wantText(r.click(other(two, first), over, "Rematch"), "Welcome aboard")
	again := r.next(tablesChannel, lobby.ID, isTurn)
	if who := r.mover(again); who != other(two, first) {
		t.Errorf("in the rematch %s plays first, want who was second", who)
	}
	r.wantText(again, "Time until")

	// A second table waits for the same player.
	second := r.mover(again)
	busy := r.command(second, tavern, "play", localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("opponent", first), localdiscord.Opt("order", true))
	r.wantText(busy, "is open")
	invited := r.next(tavern, "", func(m *localdiscord.Message) bool { _, ok := m.Button("Join"); return ok })
	r.click(first, invited, "Join")
	r.next(tavern, invited.ID, isTurn)
	choices, err := r.srv.Autocomplete(r.ctx, second, tablesChannel, "move", "move", localdiscord.Opt("move", ""))
	if err != nil || len(choices) == 0 {
		t.Fatal(choices, err)
	}
	r.wantText(r.command(second, tablesChannel, "move", localdiscord.Opt("move", choices[0].Value)), "Next table waiting for you")
}

// A plan is shown before it is left, to its owner alone, and played at once when it comes to it.
func TestPlansOnDiscord(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	turn := r.openLoyal(two)
	mover := r.mover(turn)
	planner := other(two, mover)
	snap, err := r.tables.Snapshot(r.ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	menu, _ := snap.Menu(snap.ToMove)
	theirs := menu.Candidates()[0]
	mine := games.NewMenu(snap.View(snap.ToMove).State.Apply(theirs.Move)).Candidates()[0]
	r.wantText(r.command(planner, tablesChannel, "plan", localdiscord.Opt("line", theirs.Notation)), "ends with a move of your own")
	preview := r.command(planner, tablesChannel, "plan", localdiscord.Opt("line", theirs.Notation+"; "+mine.Notation))
	if preview.EphemeralTo != planner || len(preview.Pictures()) != 1 {
		t.Fatalf("the preview: %s", preview.Text())
	}
	r.wantText(r.click(planner, preview, "Leave this plan"), "one plan")
	r.wantText(r.command(mover, tablesChannel, "plan"), "You have left no plans")
	r.wantText(r.command(mover, tablesChannel, "move", localdiscord.Opt("move", theirs.Notation)), "Played")
	next := r.next(tablesChannel, turn.ID, isTurn)
	if who := r.mover(next); who != mover {
		t.Errorf("after the planned reply %s is to move, want %s", who, mover)
	}
}
