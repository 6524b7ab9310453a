package turn_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/catalog"
)

// One person can play every game to its end against computers in all other seats. Computers' moves are published
// together with the move before them, so the message after each move of the person asks for the next one or shows the
// end. The end names a player.
func TestGamesAgainstComputers(t *testing.T) {
	const channel = localdiscord.TortugaTables
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := bottest.NewWith(t, func(r *bottest.Rig) { r.Reviews = true })
			_, seats := g.Seats()
			rng := rand.New(rand.NewPCG(5, 9))
			turn := r.MeetComputers(channel, g.Key(), seats-1)
			for moves := 0; !bottest.IsOver(turn); moves++ {
				if moves > 600 {
					t.Fatalf("the game has not ended after %d moves", moves)
				}
				if who := r.ToMove(turn); who != localdiscord.Anne {
					t.Fatalf("message %q calls %s, want Anne", turn.Text(), who)
				}
				if said := r.TypeMove(localdiscord.Anne, channel, rng); !strings.Contains(said, "Played:") {
					t.Fatalf("move %d was answered %q", moves, said)
				}
				turn = r.TurnAfter(channel, turn)
			}
			if !strings.Contains(turn.Text(), " (easy)**") && !strings.Contains(turn.Text(),
				"<@"+localdiscord.Anne+">") {
				t.Errorf("the end names nobody: %s", turn.Text())
			}
			if found, err := r.Reviewed.Review(r.Ctx, 1); err != nil || !found.Done {
				t.Fatalf("the game is not reviewed: %+v, %v", found.Points, err)
			}
			review := r.Command(localdiscord.Anne, channel, "record review")
			// In games of luck, even random moves may cost so little that there is no turning point. A better move is
			// shown with its own board.
			point := strings.Contains(review.Text(), "Turning point 1") && len(review.Pictures()) == 2
			if !point && (g.Key() == "loyal-captain" || !strings.Contains(review.Text(), "No move stands out")) {
				t.Errorf("a game of random moves is reviewed with %q and %d pictures", review.Text(),
					len(review.Pictures()))
			}
			// Games with people and games with computers have separate leaderboards.
			leaders := r.Command(localdiscord.Anne, channel, "leaderboard", localdiscord.Opt("game", g.Key()),
				localdiscord.Opt("with", "people"))
			if strings.Contains(leaders.Text(), "Bosun") || strings.Contains(leaders.Text(),
				"<@"+localdiscord.Anne+">") {
				t.Errorf("a game with computers counts among people: %s", leaders.Text())
			}
		})
	}
}

// The host adds a computer with a button and the choice of a level, and can dismiss it again.
func TestAddComputerButton(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	g := bottest.SeatsOf(t, 3)
	before := r.Latest(channel)
	r.Command(localdiscord.Anne, channel, "play", localdiscord.Opt("game", g.Key()), localdiscord.Opt("players", 3))
	lobby := r.Next(channel, before, func(m *localdiscord.Message) bool {
		_,
			ok := m.Button("Add computer")
		return ok
	})

	ask := r.Click(localdiscord.Anne, lobby, "Add computer")
	for _, level := range []string{"easy", "casual", "normal", "hard", "expert"} {
		if _, ok := ask.Button(level); !ok {
			t.Errorf("no button offers a computer that plays %s: %s", level, ask.Text())
		}
	}
	if said := r.Click(localdiscord.Anne, ask, "hard"); !strings.Contains(said.Text(), "Bosun (hard)") {
		t.Errorf("adding a hard computer is answered %q", said.Text())
	}
	withBosun := r.Edited(channel, lobby.ID, "Bosun (hard)")
	if said := r.Click(localdiscord.Jack, withBosun, "Send computer ashore"); !strings.Contains(said.Text(), "seat") {
		t.Errorf("a stranger sends the computer ashore and is told %q", said.Text())
	}
	r.Click(localdiscord.Anne, withBosun, "Send computer ashore")

	// A game with an easy computer becomes unrated, with a message, because such games are for practice. The host can
	// make it rated again.
	r.WantText(r.Click(localdiscord.Anne, r.Click(localdiscord.Anne, lobby, "Add computer"), "easy"),
		"From now on this game is unrated")
	withEasy := r.Edited(channel, lobby.ID, "This game is unrated")
	options := r.Click(localdiscord.Anne, withEasy, "Options")
	rated := bottest.MenuOf(t, options, "+rated")
	r.WantText(r.Forge(localdiscord.Jack, withEasy, rated, "true"), "Only the host or a moderator can choose")
	if !r.Table().Unrated() {
		t.Error("a table with an easy computer is rated")
	}
	r.Choose(localdiscord.Anne, options, rated, "true")
	if r.Table().Unrated() {
		t.Error("a table that its host has had count is unrated")
	}
	r.Click(localdiscord.Anne, withEasy, "Send computer ashore")
	for i, level := range []string{"casual", "normal"} {
		ask := r.Click(localdiscord.Anne, lobby, "Add computer")
		want := []string{"Bosun (casual)", "Gunner (normal)"}[i]
		if said := r.Click(localdiscord.Anne, ask, level); !strings.Contains(said.Text(), want) {
			t.Errorf("adding a computer is answered %q, want %s in it", said.Text(), want)
		}
	}
	turn := r.Next(channel, lobby.ID, bottest.IsTurn)
	if who := r.ToMove(turn); who != localdiscord.Anne {
		t.Errorf("the first message calls %s, want Anne", who)
	}
	// Computers do not accept a draw at the start of a game.
	r.Click(localdiscord.Anne, r.Command(localdiscord.Anne, channel, "table draw"), "Yes, offer a draw")
	r.Next(channel, turn.ID, func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "doesn't accept the draw")
	})
}

// The table's option, or else the server's setting, decides whether computers may resign lost games. The lobby
// shows it.
func TestMayResignOption(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	g := bottest.SeatsOf(t, 2)
	before := r.Latest(channel)
	open := func() *localdiscord.Message {
		said := r.Command(localdiscord.Anne, channel, "play", localdiscord.Opt("game", g.Key()),
			localdiscord.Opt("players", 2))
		place := channel
		if at := strings.Index(said.Text(), "<#"); at >= 0 {
			place = strings.Split(said.Text()[at+2:], ">")[0]
		}
		return r.Next(place, before, func(m *localdiscord.Message) bool {
			_,
				ok := m.Button("Add computer")
			return ok
		})
	}
	resigns := func(lobby *localdiscord.Message, value string) {
		panel := r.Click(localdiscord.Anne, lobby, "Options")
		r.Choose(localdiscord.Anne, panel, bottest.MenuOf(t, panel, "+resign"), value)
	}
	lobby := open()
	if said := lobby.Text(); strings.Contains(said, "may resign") {
		t.Errorf("computers may resign though nobody said so: %s", said)
	}
	resigns(lobby, "true")
	r.Edited(lobby.ChannelID, lobby.ID, "may resign")
	panel := r.SettingsPage(localdiscord.Anne, channel, "days")
	r.Choose(localdiscord.Anne, panel, bottest.MenuOf(t, panel, "rest"), "resign")
	lobby = open()
	if said := lobby.Text(); !strings.Contains(said, "may resign") {
		t.Errorf("the server's setting is not followed: %s", said)
	}
	resigns(lobby, "false")
	_, err := r.WaitMessage(lobby.ChannelID, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return m.ID == lobby.ID && !strings.Contains(m.Text(), "may resign")
	})
	if err != nil {
		t.Errorf("the option does not overrule the server's setting: %v", err)
	}
}

// A hint is visible only to the user who requested it. It gives a reason, shows the board, and can be played.
func TestHint(t *testing.T) {
	const channel = localdiscord.TortugaTables
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := bottest.New(t)
			turn := r.MeetComputers(channel, g.Key(), 1)
			hint := hint(r, localdiscord.Anne, channel)
			why := "he chance of winning"
			if snap := r.Table(); len(snap.View(snap.ToMove).State.Moves()) == 1 {
				why = "is the only move"
			}
			pictures := 1
			if g.Traits().Hidden {
				pictures = 2 // the board and the hand
			}
			if hint.EphemeralTo != localdiscord.Anne || len(hint.Pictures()) != pictures ||
				!strings.Contains(hint.Text(), why) {
				t.Fatalf("/hint answers %q to %q with %d pictures", hint.Text(), hint.EphemeralTo, len(hint.Pictures()))
			}
			if said := r.Click(localdiscord.Anne, hint, "Make this move"); !strings.Contains(said.Text(), "Played:") {
				t.Errorf("playing the hint is answered %q", said.Text())
			}
			r.TurnAfter(channel, turn) // a new board, or the edited one if Anne's turn continues
			if said := r.Command(localdiscord.Jack, channel, "hint"); strings.Contains(said.Text(), "I'd play") {
				t.Errorf("an onlooker is advised: %q", said.Text())
			}
		})
	}
}

// hint requests a hint for a user, and confirms the request if the bot asks for it.
func hint(r *bottest.Rig, who, channel string) *localdiscord.Message {
	r.T.Helper()
	m := r.Command(who, channel, "hint")
	if bottest.HasButton(m, "Yes, show the hint") {
		m = r.Click(who, m, "Yes, show the hint")
	}
	return m
}

// In the course of a game, a hint names the threat of its move in the game's own words.
func TestHintThreatens(t *testing.T) {
	const channel = localdiscord.TortugaTables
	for game, takes := range map[string]string{
		"pirate-versus-pirate": `throws .* out of the game|picks up the|brings the`,
		"madagascar":           `is captured: `} {
		t.Run(game, func(t *testing.T) {
			t.Parallel()
			want := regexp.MustCompile(`(comes next|wins next turn): .*(` + takes + ")")
			r := bottest.New(t)
			turn := r.MeetComputers(channel, game, 1)
			for !bottest.IsOver(turn) {
				hint := hint(r, localdiscord.Anne, channel)
				if want.MatchString(hint.Text()) {
					if hint.EphemeralTo != localdiscord.Anne {
						t.Errorf("the advice is seen by %q, want Anne alone", hint.EphemeralTo)
					}
					return
				}
				if !bottest.HasButton(hint, "Make this move") {
					t.Fatalf("/hint answers %q\n%s", hint.Text(), r.Log)
				}
				r.Click(localdiscord.Anne, hint, "Make this move")
				turn = r.TurnAfter(channel, turn)
			}
			t.Errorf("in a whole game of hints none says what it threatens")
		})
	}
}

// A computer takes over the seat of a player who offers it.
func TestComputerCommand(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	g := bottest.SeatsOf(t, 2)
	turn := r.Open(channel, g, bottest.World[:2])
	who := r.Mover(turn)
	other := bottest.World[0]
	if who == other {
		other = bottest.World[1]
	}
	if said := r.Command(who, channel, "table computer", localdiscord.Opt("level", "easy")); strings.Contains(
		said.Text(), "comes aboard") {
		t.Fatalf("a computer takes a seat that is not offered: %q", said.Text())
	}
	heads, err := r.Tables.Lookup.InChannel(r.Ctx, channel)
	if err != nil || len(heads) != 1 {
		t.Fatalf("tables %v, %v", heads, err)
	}
	if _, err := r.Tables.Offer(r.Ctx, table.Actor{User: who}, heads[0].ID); err != nil {
		t.Fatal(err)
	}
	relieves := ""
	offer := r.Next(channel, turn.ID, func(m *localdiscord.Message) bool {
		for _, c := range m.Interactive() {
			if strings.HasPrefix(c.Label, "Let a computer play for ") {
				relieves = c.Label
			}
		}
		return relieves != ""
	})
	if said := r.Click(localdiscord.Grace, offer, relieves); !strings.Contains(said.Text(), "seat") {
		t.Errorf("a stranger gives an offered seat to a computer and is told %q", said.Text())
	}
	if said := r.Command(other, channel, "table computer", localdiscord.Opt("level", "easy")); !strings.Contains(
		said.Text(), "Bosun (easy) comes aboard") {
		t.Fatalf("/computer answers %q", said.Text())
	}
	if said := r.Click(other, offer, relieves); strings.Contains(said.Text(), "comes aboard") {
		t.Errorf("a seat that is taken is given to a computer: %q", said.Text())
	}
	next := r.Next(channel, turn.ID, func(m *localdiscord.Message) bool {
		return bottest.IsTurn(m) && strings.Contains(m.Text(), "<@"+other+">, it's your turn")
	})
	if got := r.ToMove(next); got != other {
		t.Errorf("after the computer has taken the seat and moved, it is the turn of %s, want %s", got, other)
	}
}
