package bot_test

import (
	"os"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/fair"
)

// isLobby reports whether a message is a lobby that one can join.
func isLobby(m *localdiscord.Message) bool { _, ok := m.Button("Join"); return ok }

// Where something is left to chance, the lobby has the first digits of the fingerprint, and a
// button with all of it, whose answer lists what is mixed in, to the letter. It stays when the game
// has begun.
func TestFairnessOnDiscord(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	opt := localdiscord.Opt
	r.command(localdiscord.Anne, tavern, "play", opt("game", "pirat"), opt("players", 2))
	lobby := r.next(tavern, "", isLobby)
	r.command(localdiscord.Bart, tavern, "seat join")
	snap := r.table()
	whole := snap.Commitment()
	if text := lobby.Text(); !strings.Contains(text, whole[:12]+"…") || strings.Contains(text, whole) {
		t.Errorf("the lobby says %q, want the first 12 digits of %s", text, whole)
	}
	if b, ok := lobby.Button("Fair play"); !ok || !strings.Contains(b.CustomID, whole) {
		t.Errorf("the button under the lobby is %+v, want one that carries %s", b, whole)
	}
	began := r.next(tavern, lobby.ID, isTurn)
	inputs := snap.Inputs()
	if len(inputs) != 3 || !strings.HasPrefix(inputs[0], "open ") || !strings.HasPrefix(inputs[1], "join ") ||
		strings.TrimPrefix(inputs[1], "join")+" lot" != strings.TrimPrefix(inputs[2], "start") {
		t.Fatalf("mixed in: %q", inputs)
	}
	start, beginning := snap.Start()
	r.wantText(began, "seed "+whole[:12]+"…, start "+start+", ")
	r.wantText(began, beginning[:12]+"…")
	if b, ok := began.Button("Fair play"); !ok || !strings.Contains(b.CustomID, beginning) {
		t.Errorf("the button under the message with which the game begins is %+v, want one that carries %s", b,
			beginning)
	}
	if want := fair.Fingerprint(whole, snap.Inputs()); beginning != want || start != strings.Fields(inputs[2])[1] {
		t.Errorf("the game began with %s and %s, want %s of %q", start, beginning, want, inputs)
	}
	answer := r.click(localdiscord.Jack, lobby, "Fair play")
	if answer.EphemeralTo != localdiscord.Jack || !strings.Contains(answer.Text(), whole) {
		t.Errorf("the answer to %q: %s", answer.EphemeralTo, answer.Text())
	}
	for _, in := range inputs {
		if !strings.Contains(answer.Text(), "`"+in+"` · <t:") {
			t.Errorf("the answer lacks %q with its time:\n%s", in, answer.Text())
		}
		if parsed, err := fair.ParseInput(in); err != nil || len(parsed.ID) < 17 {
			t.Errorf("%q has no id of Discord (%v)", in, err)
		}
	}
	for _, want := range []string{start, beginning} {
		r.wantText(answer, want)
	}
	r.edited(tavern, lobby.ID, "The game has begun")
	// The message stays with that when the next board comes.
	turn := began
	for turn.ID == began.ID {
		snap := r.table()
		state := snap.View(snap.ToMove).State
		r.command(snap.Mover(), tavern, "move", opt("move", games.Spell(state, state.Moves()[0])))
		turn = r.next(tavern, "", isTurn)
	}
	r.edited(tavern, began.ID, "start "+start)
	last := r.table().LastPlayed()
	r.wantText(r.click(localdiscord.Jack, lobby, "Fair play"), last)
	if m, err := r.srv.Message(lobby.ID, localdiscord.Jack); err != nil {
		t.Error(err)
	} else if _, ok := m.Button("Fair play"); !ok {
		t.Error("the lobby of a game that has begun has no such button any more")
	}
	// Nothing is left to chance where there are no dice and everybody has their seat.
	r.command(localdiscord.Anne, tablesChannel, "play", opt("game", captain), opt("players", 2), opt("order", true))
	plain := r.next(tablesChannel, "", isLobby)
	if _, ok := plain.Button("Fair play"); ok || strings.Contains(plain.Text(), "fingerprint") {
		t.Errorf("a table without chance shows a fingerprint: %s", plain.Text())
	}
	r.command(localdiscord.Bart, tablesChannel, "seat join")
	r.next(tablesChannel, plain.ID, isTurn)
}

// Whatever moderators do is told at the table and in the server's log channel with their name;
// where there is no such channel any more, games go on.
func TestModeratorsAreTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	opt := localdiscord.Opt
	mary, bart, jack := localdiscord.Mary, localdiscord.Bart, localdiscord.Jack
	log, err := r.srv.Admin.AddChannel(localdiscord.Tortuga, "ships-log")
	if err != nil {
		t.Fatal(err)
	}
	panel := r.command(mary, tavern, "server settings")
	r.choose(mary, panel, "settings///log", log)
	if c, err := r.tables.Choices.Settings(r.ctx, localdiscord.Tortuga); err != nil || c.LogChannel != log {
		t.Fatalf("the log channel is %q, %v", c.LogChannel, err)
	}
	named := "<@" + mary + "> acts here as a moderator:"
	logged := ""
	told := func(channel, after, what string) *localdiscord.Message {
		t.Helper()
		m := r.says(channel, after, what)
		r.wantText(m, named)
		l := r.next(log, logged, func(m *localdiscord.Message) bool { return strings.Contains(m.Text(), what) })
		r.wantText(l, named)
		r.wantText(l, "in <#"+channel+">")
		if len(l.Pinged) != 0 {
			t.Errorf("the log pings %v", l.Pinged)
		}
		logged = l.ID
		return m
	}
	// In a lobby, whose message is edited only.
	r.command(bart, tablesChannel, "play", opt("game", captain), opt("players", 2))
	lobby := r.next(tablesChannel, "", isLobby)
	r.command(mary, tablesChannel, "table host", opt("who", mary))
	told(tablesChannel, lobby.ID, "is the host")
	// In a game.
	r.command(jack, tablesChannel, "seat join")
	turn := r.next(tablesChannel, lobby.ID, isTurn)
	r.command(mary, tablesChannel, "moderate pause")
	told(tablesChannel, turn.ID, "The game is paused")
	r.command(mary, tablesChannel, "moderate resume")
	told(tablesChannel, turn.ID, "The game goes on")
	r.click(jack, r.command(jack, tablesChannel, "resign"), "Yes, resign")
	over := r.next(tablesChannel, turn.ID, isOver)
	// A result, without another board.
	r.command(mary, tablesChannel, "server ratings void", opt("ended", "1"), opt("reason", "a test"))
	void := told(tablesChannel, over.ID, "does not count any more")
	if len(void.Pictures()) != 0 {
		t.Error("the board is shown once more for a result that is void")
	}
	// Without the channel.
	if err := r.srv.Admin.DeleteChannel(log); err != nil {
		t.Fatal(err)
	}
	r.command(mary, tablesChannel, "server ratings restore", opt("ended", "1"))
	r.wantText(r.says(tablesChannel, void.ID, "counts again"), named)
}

// A moderator who plays asks the others where others than players would simply end the game.
func TestAModeratorWhoPlaysAsks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	mary, jack := localdiscord.Mary, localdiscord.Jack
	turn := r.openLoyal([]string{mary, jack})
	r.wantText(r.command(mary, tablesChannel, "moderate end"), "can't end it alone")
	r.wantText(r.command(mary, tablesChannel, "moderate remove", localdiscord.Opt("who", jack)),
		"Ask another moderator")
	sure := r.command(mary, tablesChannel, "table abandon")
	for _, c := range sure.Interactive() {
		if strings.Contains(c.CustomID, "abandon") {
			r.click(mary, sure, c.Label)
			break
		}
	}
	asked := r.next(tablesChannel, turn.ID, func(m *localdiscord.Message) bool {
		_,
			ok := m.Button("Stop the game")
		return ok
	})
	if snap := r.table(); snap.Status != table.Playing || snap.Proposal.Kind != table.Abandon {
		t.Fatalf("after mary asked: %+v", snap.Head)
	}
	r.click(jack, r.click(jack, asked, "Stop the game"), "Yes, stop it")
	r.says(tablesChannel, asked.ID, "without a result")
}

// A table stays where its players can see it, and with a host who can.
func TestATableStaysWithThoseWhoSeeIt(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	anne, jack := localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	r.openLoyal([]string{anne, jack})
	hold, err := r.srv.Admin.AddChannel(localdiscord.Tortuga, "hold")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.srv.Admin.Deny(hold, jack, localdiscord.PermissionViewChannel); err != nil {
		t.Fatal(err)
	}
	m := r.command(anne, hold, "table here", opt("table", "1"))
	r.wantText(m, "<@"+jack+"> can't see <#"+hold+">")
	if h := r.table().Head; h.Channel != tablesChannel {
		t.Fatalf("the table went to %s, where jack cannot see it", h.Channel)
	}
	bart := localdiscord.Bart
	if err := r.srv.Admin.Deny(tablesChannel, bart, localdiscord.PermissionViewChannel); err != nil {
		t.Fatal(err)
	}
	r.wantText(r.command(anne, tablesChannel, "table host", opt("who", bart)), "<@"+bart+"> can't see <#"+tablesChannel+
		">")
	r.wantText(r.command(anne, tablesChannel, "table host", opt("who", jack)), "is the host")
	r.wantText(r.command(jack, tavern, "table here", opt("table", "1")), "is played here")
}

// A database that is put back to an earlier state deals again, and cannot hide it: both beginnings
// stand in the channel, the table says what happened, the game counts nowhere, and the operator's
// log has it.
func TestADatabaseThatIsPutBackIsFound(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before the start", "in the game"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			opt := localdiscord.Opt
			anne, bart := localdiscord.Anne, localdiscord.Bart
			r.command(anne, tavern, "play", opt("game", "pirat"), opt("players", 3))
			lobby := r.next(tavern, "", isLobby)
			r.command(bart, tavern, "seat join")
			r.edited(tavern, lobby.ID, "<@"+bart+">")
			begin := func() *localdiscord.Message {
				latest := r.latest(tavern)
				r.command(localdiscord.Jack, tavern, "seat join")
				if snap := r.table(); snap.Status != table.Playing {
					r.command(anne, tavern, "start")
				}
				return r.next(tavern, latest, isTurn)
			}
			play := func() *localdiscord.Message {
				latest := r.latest(tavern)
				before := r.table()
				for snap := before; snap.ToMove == before.ToMove; snap = r.table() {
					state := snap.View(snap.ToMove).State
					r.command(snap.Mover(), tavern, "move", opt("move", games.Spell(state, state.Moves()[0])))
				}
				return r.next(tavern, latest, isTurn)
			}
			var first *localdiscord.Message
			if when == "in the game" {
				begin()
			}
			r.stop()
			copied, err := os.ReadFile(r.db)
			if err != nil {
				t.Fatal(err)
			}
			r.start()
			again := play
			if when == "before the start" {
				again = begin
			}
			first = again()
			r.told(1)
			r.stop()
			if err := os.WriteFile(r.db, copied, 0o600); err != nil {
				t.Fatal(err)
			}
			r.start()
			second := again()
			if first.ID == second.ID {
				t.Error("what was played again stands in the message of what was played at first")
			}
			said := r.says(tavern, "", "put back to an earlier state")
			if snap := r.table(); !snap.Unrated() {
				t.Errorf("the game counts after %s", said.Text())
			}
			if _, err := r.srv.Message(first.ID, anne); err != nil {
				t.Errorf("the message of the first time is gone: %v", err)
			}
			if n := strings.Count(r.log.String(), "a channel knows a later version"); n != 1 {
				t.Errorf("the log has it %d times", n)
			}
			r.log.clear()
		})
	}
}

// A crash between Discord and the store is no such thing, nor is a restart.
func TestARestartIsNoPutBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.openLoyal(two)
	for range 3 {
		r.stop()
		r.start()
		r.playOne(tablesChannel)
	}
	if snap := r.table(); snap.Unrated() {
		t.Error("after restarts the game counts nowhere")
	}
}
