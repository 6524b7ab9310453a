package settings_test

import (
	"os"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/fair"
)

// In a game with chance, a button in the lobby shows the seed's fingerprint, and lists exactly the inputs that are
// mixed into every draw. The button stays after the game has begun.
func TestFairnessOnDiscord(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	opt := localdiscord.Opt
	r.Command(localdiscord.Anne, bottest.Tavern, "play", opt("game", "pirat"), opt("players", 2))
	lobby := r.Next(bottest.Tavern, "", bottest.IsLobby)
	r.Command(localdiscord.Bart, bottest.Tavern, "table join")
	snap := r.Table()
	whole := snap.Commitment()
	if text := lobby.Text(); strings.Contains(text, whole[:12]) {
		t.Errorf("the lobby says %q, want no digits of %s", text, whole)
	}
	if b, ok := lobby.Button("Fair play"); !ok || !strings.Contains(b.CustomID, whole) {
		t.Errorf("the button under the lobby is %+v, want one that carries %s", b, whole)
	}
	began := r.Next(bottest.Tavern, lobby.ID, bottest.IsTurn)
	inputs := snap.Inputs()
	if len(inputs) != 3 || !strings.HasPrefix(inputs[0], "open ") || !strings.HasPrefix(inputs[1], "join ") ||
		strings.TrimPrefix(inputs[1], "join")+" lot" != strings.TrimPrefix(inputs[2], "start") {
		t.Fatalf("mixed in: %q", inputs)
	}
	start, beginning := snap.Start()
	if text := began.Text(); strings.Contains(text, whole[:12]) || strings.Contains(text, beginning[:12]) {
		t.Errorf("the first board says %q, want no digits", text)
	}
	if b, ok := began.Button("More"); !ok || !strings.Contains(b.CustomID, beginning) {
		t.Errorf("the button under the message with which the game begins is %+v, want one that carries %s", b,
			beginning)
	}
	if want := fair.Fingerprint(whole, snap.Inputs()); beginning != want || start != strings.Fields(inputs[2])[1] {
		t.Errorf("the game began with %s and %s, want %s of %q", start, beginning, want, inputs)
	}
	answer := r.Click(localdiscord.Jack, lobby, "Fair play")
	if answer.EphemeralTo != localdiscord.Jack || !strings.Contains(answer.Text(), whole) {
		t.Errorf("the answer to %q: %s", answer.EphemeralTo, answer.Text())
	}
	if plain, _, _ := strings.Cut(answer.Text(), whole); !strings.Contains(plain, "I fixed a secret number") ||
		!strings.Contains(plain, "You can check that") {
		t.Errorf("before the digits no sentences say what was fixed and how to check it:\n%s", answer.Text())
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
		r.WantText(answer, want)
	}
	r.Edited(bottest.Tavern, lobby.ID, "The game has begun")
	// The message keeps the button after the next board is posted.
	turn := began
	for turn.ID == began.ID {
		snap := r.Table()
		state := snap.View(snap.ToMove).State
		r.Command(snap.Mover(), bottest.Tavern, "move", opt("move", games.Spell(state, state.Moves()[0])))
		turn = r.Next(bottest.Tavern, "", bottest.IsTurn)
	}
	if stays, err := r.Server.Message(began.ID, localdiscord.Anne); err != nil {
		t.Error(err)
	} else if b, ok := stays.Button("More"); !ok || !strings.Contains(b.CustomID, beginning) {
		t.Errorf("then the button under the message is %+v, want one that carries %s", b, beginning)
	}
	last := r.Table().LastPlayed()
	r.WantText(r.Click(localdiscord.Jack, lobby, "Fair play"), last)
	if m, err := r.Server.Message(lobby.ID, localdiscord.Jack); err != nil {
		t.Error(err)
	} else if _, ok := m.Button("Fair play"); !ok {
		t.Error("the lobby of a game that has begun has no such button any more")
	}
	// The answer for a table that was closed before its game began does not speak of a game.
	r.Command(localdiscord.Jack, bottest.TablesChannel, "play", opt("game", "pirat"))
	unplayed := r.Next(bottest.TablesChannel, "", bottest.IsLobby)
	r.Click(localdiscord.Jack, r.Command(localdiscord.Jack, bottest.TablesChannel, "table abandon"), "Yes, stop it")
	r.WantText(r.Click(localdiscord.Jack, unplayed, "Fair play"), "no game was played")
	// A game without dice and cards, with seats in a fixed order, has no such button: nothing is drawn in it.
	r.Submit(localdiscord.Anne, r.PlayForm(localdiscord.Anne, bottest.TablesChannel),
		opt("game", bottest.LoyalCaptain), opt("people", []string{localdiscord.Bart}), opt("wishes", []string{"order"}))
	plain := r.Next(bottest.TablesChannel, unplayed.ID, bottest.IsLobby)
	if _, ok := plain.Button("Fair play"); ok || strings.Contains(plain.Text(), "fingerprint") {
		t.Errorf("a table without chance shows a fingerprint: %s", plain.Text())
	}
	r.Command(localdiscord.Bart, bottest.TablesChannel, "table join")
	r.Next(bottest.TablesChannel, plain.ID, bottest.IsTurn)
}

// In a game without dice and cards at most the seats are drawn. After a move, the answer to the button names no next
// draw.
func TestNoNextDrawWithoutDiceAndCards(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	const channel = bottest.Tavern
	r.Command(localdiscord.Anne, channel, "play", localdiscord.Opt("game", bottest.LoyalCaptain),
		localdiscord.Opt("players", 2))
	lobby := r.Next(channel, "", bottest.IsLobby)
	r.Command(localdiscord.Bart, channel, "table join")
	r.Next(channel, lobby.ID, bottest.IsTurn)
	r.TypeMove(r.Table().Mover(), channel, bottest.NewRand())
	if r.Table().LastPlayed() == "" {
		t.Fatal("no move was made")
	}
	answer := r.Click(localdiscord.Jack, lobby, "Fair play")
	r.WantText(answer, "the lot follows from that number")
	if strings.Contains(answer.Text(), "next draw") {
		t.Errorf("the answer names a next draw: %s", answer.Text())
	}
}

// Actions of a moderator, in a lobby, in a game and after it, are reported at the table and in the server's log
// channel, with the moderator's name. Reports at the table continue if the log channel is deleted.
func TestModeratorsAreTold(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	opt := localdiscord.Opt
	mary, bart, jack := localdiscord.Mary, localdiscord.Bart, localdiscord.Jack
	log, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, "ships-log")
	if err != nil {
		t.Fatal(err)
	}
	panel := r.Command(mary, bottest.Tavern, "server settings")
	r.Choose(mary, panel, "settings///log", log)
	if c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga); err != nil || c.LogChannel != log {
		t.Fatalf("the log channel is %q, %v", c.LogChannel, err)
	}
	named := "<@" + mary + "> acts here as a moderator:"
	logged := ""
	told := func(channel, after, what string) *localdiscord.Message {
		t.Helper()
		m := r.NextSaying(channel, after, what)
		r.WantText(m, named)
		l := r.Next(log, logged, func(m *localdiscord.Message) bool { return strings.Contains(m.Text(), what) })
		r.WantText(l, named)
		r.WantText(l, "in <#"+channel+">")
		if len(l.Pinged) != 0 {
			t.Errorf("the log pings %v", l.Pinged)
		}
		logged = l.ID
		return m
	}
	// Actions in a lobby, whose message is only edited.
	r.Command(bart, bottest.TablesChannel, "play", opt("game", bottest.LoyalCaptain), opt("players", 2))
	lobby := r.Next(bottest.TablesChannel, "", bottest.IsLobby)
	r.Command(mary, bottest.TablesChannel, "table host", opt("who", mary))
	told(bottest.TablesChannel, lobby.ID, "is now the host")
	// Actions in a game.
	r.Command(jack, bottest.TablesChannel, "table join")
	turn := r.Next(bottest.TablesChannel, lobby.ID, bottest.IsTurn)
	r.Command(mary, bottest.TablesChannel, "moderate pause")
	told(bottest.TablesChannel, turn.ID, "The game is paused")
	r.Command(mary, bottest.TablesChannel, "moderate resume")
	told(bottest.TablesChannel, turn.ID, "The game continues")
	r.Click(jack, r.Command(jack, bottest.TablesChannel, "table resign"), "Yes, resign")
	over := r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver)
	// Voiding a result, which posts no new board.
	r.Command(mary, bottest.TablesChannel, "server ratings void", opt("ended", "1"), opt("reason", "a test"))
	void := told(bottest.TablesChannel, over.ID, "of this game is void")
	if len(void.Pictures()) != 0 {
		t.Error("the board is shown once more for a result that is void")
	}
	// Actions after the log channel is deleted.
	if err := r.Server.Admin.DeleteChannel(log); err != nil {
		t.Fatal(err)
	}
	r.Command(mary, bottest.TablesChannel, "server ratings restore", opt("ended", "1"))
	r.WantText(r.NextSaying(bottest.TablesChannel, void.ID, "stands again"), named)
}

// A moderator who plays in a game cannot end it alone or remove another player. The game stops when the other player
// agrees.
func TestAModeratorWhoPlaysAsks(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	mary, jack := localdiscord.Mary, localdiscord.Jack
	turn := r.OpenLoyal([]string{mary, jack})
	r.WantText(r.Command(mary, bottest.TablesChannel, "moderate end"), "can't end it alone")
	r.WantText(r.Command(mary, bottest.TablesChannel, "moderate remove", localdiscord.Opt("who", jack)),
		"Ask another moderator")
	sure := r.Command(mary, bottest.TablesChannel, "table abandon")
	for _, c := range sure.Interactive() {
		if strings.Contains(c.CustomID, "abandon") {
			r.Click(mary, sure, c.Label)
			break
		}
	}
	asked := r.Next(bottest.TablesChannel, turn.ID, func(m *localdiscord.Message) bool {
		_,
			ok := m.Button("Stop the game")
		return ok
	})
	if snap := r.Table(); snap.Status != table.Playing || snap.Proposal.Kind != table.Abandon {
		t.Fatalf("after mary asked: %+v", snap.Head)
	}
	r.Click(jack, r.Click(jack, asked, "Stop the game"), "Yes, stop it")
	r.NextSaying(bottest.TablesChannel, asked.ID, "without a result")
}

// A table cannot be moved to a channel that one of its players cannot see, nor get a host who cannot see it.
func TestATableStaysWithThoseWhoSeeIt(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	anne, jack := localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	r.OpenLoyal([]string{anne, jack})
	hold, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, "hold")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Server.Admin.Deny(hold, jack, localdiscord.PermissionViewChannel); err != nil {
		t.Fatal(err)
	}
	m := r.Command(anne, hold, "table here", opt("table", "1"))
	r.WantText(m, "<@"+jack+"> can't see <#"+hold+">")
	if h := r.Table().Head; h.Channel != bottest.TablesChannel {
		t.Fatalf("the table went to %s, where jack cannot see it", h.Channel)
	}
	bart := localdiscord.Bart
	if err := r.Server.Admin.Deny(bottest.TablesChannel, bart, localdiscord.PermissionViewChannel); err != nil {
		t.Fatal(err)
	}
	r.WantText(r.Command(anne, bottest.TablesChannel, "table host", opt("who", bart)),
		"<@"+bart+"> can't see <#"+bottest.TablesChannel+
			">")
	r.WantText(r.Command(anne, bottest.TablesChannel, "table host", opt("who", jack)), "is now the host")
	r.WantText(r.Command(jack, bottest.Tavern, "table here", opt("table", "1")), "is now in this channel")
}

// A database that was restored to an earlier state is detected, so that nobody can use it to deal again: the table
// reports the restoration, the game becomes unrated, and the operator's log has a line.
func TestADatabaseThatIsPutBackIsFound(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before the start", "in the game", "before the end"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			r := bottest.New(t)
			opt := localdiscord.Opt
			anne, bart := localdiscord.Anne, localdiscord.Bart
			players := 3
			if when == "before the end" {
				players = 2 // the first who resigns ends the game
				r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Boards = choices.BoardsFold })
			}
			r.Command(anne, bottest.Tavern, "play", opt("game", "pirat"), opt("players", players))
			lobby := r.Next(bottest.Tavern, "", bottest.IsLobby)
			r.Command(bart, bottest.Tavern, "table join")
			if players == 2 {
				r.Next(bottest.Tavern, lobby.ID, bottest.IsTurn)
			} else {
				r.Edited(bottest.Tavern, lobby.ID, "<@"+bart+">")
			}
			begin := func() *localdiscord.Message {
				latest := r.Latest(bottest.Tavern)
				r.Command(localdiscord.Jack, bottest.Tavern, "table join")
				if snap := r.Table(); snap.Status != table.Playing {
					r.Command(anne, bottest.Tavern, "start")
				}
				return r.Next(bottest.Tavern, latest, bottest.IsTurn)
			}
			play := func() *localdiscord.Message {
				latest := r.Latest(bottest.Tavern)
				before := r.Table()
				for snap := before; snap.ToMove == before.ToMove; snap = r.Table() {
					state := snap.View(snap.ToMove).State
					r.Command(snap.Mover(), bottest.Tavern, "move", opt("move", games.Spell(state, state.Moves()[0])))
				}
				return r.Next(bottest.Tavern, latest, bottest.IsTurn)
			}
			var first *localdiscord.Message
			if when == "in the game" {
				begin()
			}
			r.Stop()
			copied, err := os.ReadFile(r.File)
			if err != nil {
				t.Fatal(err)
			}
			r.Start()
			again := play
			if when == "before the start" {
				again = begin
			}
			first = again()
			if when == "before the end" {
				latest := r.Latest(bottest.Tavern)
				r.Click(bart, r.Command(bart, bottest.Tavern, "table resign"), "Yes, resign")
				board := first.ID
				first = r.Next(bottest.Tavern, latest, bottest.IsOver)
				r.Eventually("the last board is folded", func() bool {
					m, err := r.Server.Message(board, anne)
					return err == nil && len(m.Interactive()) == 0
				})
			}
			r.Published(1)
			r.Stop()
			if err := os.WriteFile(r.File, copied, 0o600); err != nil {
				t.Fatal(err)
			}
			r.Start()
			second := again()
			if first.ID == second.ID {
				t.Error("what was played again stands in the message of what was played at first")
			}
			said := r.NextSaying(bottest.Tavern, "", "put back to an earlier state")
			if snap := r.Table(); !snap.Unrated() {
				t.Errorf("the game counts after %s", said.Text())
			}
			if _, err := r.Server.Message(first.ID, anne); err != nil {
				t.Errorf("the message of the first time is gone: %v", err)
			}
			if n := strings.Count(r.Log.String(), "a channel knows a later version"); n != 1 {
				t.Errorf("the log has it %d times", n)
			}
			r.Log.Clear()
		})
	}
}

// Repeated restarts are not taken for a restored database: the game stays rated.
func TestARestartIsNoPutBack(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	r.OpenLoyal(bottest.Two)
	for range 3 {
		r.Stop()
		r.Start()
		r.PlayOne(bottest.TablesChannel)
	}
	if snap := r.Table(); snap.Unrated() {
		t.Error("after restarts the game counts nowhere")
	}
}
