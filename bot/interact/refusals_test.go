package interact_test

import (
	"fmt"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/games/catalog"
)

// A mistake of a player is answered with a specific sentence that only the player sees, and changes nothing.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const (
		tables, tavern, harbour = localdiscord.TortugaTables, localdiscord.TortugaTavern, localdiscord.TortugaHarbour
		nassau, beach           = localdiscord.NassauTables, localdiscord.NassauBeach
		anne, jack, mary, bart  = localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Bart
		grace                   = localdiscord.Grace
	)
	opt := localdiscord.Opt
	r := bottest.New(t)
	captain, ok := catalog.Find("loyal-captain")
	if !ok {
		t.Fatal("Loyal Captain is gone")
	}
	// Anne and Jack play table #1 and have moved twice. Table #2 is over. Table #3 waits for Grace, and #4 for anybody.
	// Table #5 is Bart's in Nassau.
	first := r.Open(tables, captain, []string{anne, jack})
	turn := first
	for range 2 {
		r.Command(r.Mover(turn), tables, "move", opt("move", r.FirstMove(r.Mover(turn), tables)))
		turn = r.TurnAfter(tables, turn)
	}
	mover, other := r.Mover(turn), jack
	if mover == jack {
		other = anne
	}
	old := r.Open(harbour, captain, []string{anne, jack})
	sure := r.Command(anne, harbour, "table resign")
	r.Click(anne, sure, "Yes, resign")
	r.Next(harbour, old.ID, bottest.IsOver)
	kept := r.Lobby(anne, tavern, opt("game", "loyal-captain"), opt("opponent", grace))
	crew := r.Lobby(anne, nassau, opt("game", "freebooter"), opt("players", 4))
	far := r.Lobby(bart, beach, opt("game", "loyal-captain"), opt("players", 2))
	r.Click(grace, crew, "Join")
	asked := r.Command(bart, beach, "table abandon")

	moved := func(user string, typed string, options ...localdiscord.Option) func() *localdiscord.Message {
		return func() *localdiscord.Message {
			return r.Command(user, tables, "move", append(options, opt("move", typed))...)
		}
	}
	press := func(user string, m *localdiscord.Message, label string) func() *localdiscord.Message {
		return func() *localdiscord.Message { return r.Click(user, m, label) }
	}
	forge := func(user string, m *localdiscord.Message, id string, values ...string) func() *localdiscord.Message {
		return func() *localdiscord.Message { return r.Forge(user, m, id, values...) }
	}
	command := func(user, channel, name string, options ...localdiscord.Option) func() *localdiscord.Message {
		return func() *localdiscord.Message { return r.Command(user, channel, name, options...) }
	}
	raw := func(user, channel, name string, options ...map[string]any) func() *localdiscord.Message {
		return func() *localdiscord.Message { return r.ForgeCommand(user, channel, name, options...) }
	}
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	at := func(action, arg string) string {
		return fmt.Sprintf("%s/1/v%[2]dn%[2]dg%[2]d/%[3]s", action, snap.Version, arg)
	}
	note, err := r.Tables.Lookup.Note(r.Ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	movedOn := "The game has moved on. The current board is here: https://discord.com/channels/" +
		localdiscord.Tortuga + "/" + tables + "/" + show.ParsePosted(note).Board
	notYours := "It isn't your turn: it's <@" + mover + ">'s."
	const (
		noSeat    = "You don't have a seat at this table."
		over      = "This game is over."
		noControl = "This is out of date."
		noTable   = "I can't find table "
	)

	channels := []string{tables, tavern, harbour, nassau, beach}
	before := r.StateOf(channels...)
	for _, tt := range []struct {
		name string
		user string
		act  func() *localdiscord.Message
		want string
	}{
		{"typed out of turn", other, moved(other, "9"), notYours},
		{"Move out of turn", other, press(other, turn, "Move"), notYours},
		{"forged step out of turn", other, forge(other, turn, at("step", "9")), notYours},
		{"forged play out of turn", other, forge(other, turn, at("do", "9")), notYours},
		{"typed without a seat", mary, moved(mary, "9"), noSeat},
		{"Move without a seat", mary, press(mary, turn, "Move"), noSeat},
		{"step of somebody else's stepper", mary, forge(mary, turn, at("step", "9")), noSeat},
		{"play of somebody else's stepper", mary, forge(mary, turn, at("do", "9")), noSeat},
		{"hand without a seat", mary, command(mary, tables, "table hand"), noSeat},
		{"resign without a seat", mary, forge(mary, turn, at("confirm", "resign")), noSeat},
		{"draw without a seat", mary, command(mary, tables, "table draw"), noSeat},
		{"Agree without a seat", mary, forge(mary, turn, at("agree", "draw")), noSeat},
		{"Decline without a seat", mary, forge(mary, turn, at("decline", "draw")), noSeat},
		{"abandon without a seat", bart, forge(bart, turn, at("confirm", "abandon")), noSeat},
		{"Agree to nothing", other, forge(other, turn, at("agree", "draw")), "Nobody is asking for that any more."},
		{"Decline nothing", other, forge(other, turn, at("decline", "abandon")), "Nobody is asking for that any more."},
		{"Agree to a forged kind", other, forge(other, turn, at("agree", "mutiny")),
			"Nobody is asking for that any more."},
		{"forged confirmation", mover, forge(mover, turn, at("confirm", "mutiny")), noControl},

		{"typed after the end", anne, moved(anne, "9", opt("table", "2")), over},
		{"Move after the end", anne, press(anne, old, "Move"), over},
		{"step after the end", anne, forge(anne, old, "step/2/v99n99g99/9"), over},
		{"play after the end", anne, forge(anne, old, "do/2/v99n99g99/9"), over},
		{"resign after the end", anne, forge(anne, old, "confirm/2//resign"), over},
		{"abandon after the end", anne, forge(anne, old, "confirm/2//abandon"), over},
		{"draw after the end", jack, command(jack, harbour, "table draw", opt("table", "2")), over},
		{"join after the end", mary, forge(mary, old, "join/2//"), over},
		{"start after the end", anne, forge(anne, old, "start/2//"), over},

		{"no table here", mary, command(mary, localdiscord.TortugaHarbour, "move", opt("move", "9")),
			"There's no game going on in this channel."},
		{"unknown table", anne, moved(anne, "9", opt("table", "99")), noTable + "99 here."},
		{"no number", anne, moved(anne, "9", opt("table", "the first")), "“the first” isn't a table number."},
		{"negative number", anne, moved(anne, "9", opt("table", "-1")), "“-1” isn't a table number."},
		{"huge number", anne, moved(anne, "9", opt("table", "99999999999999999999")), "isn't a table number."},
		{"typed at another server's table", jack, command(jack, nassau, "move", opt("move", "9"), opt("table", "1")),
			noTable + "1 here."},
		{"board of another server's table", mary, command(mary, nassau, "board", opt("table", "1")),
			noTable + "1 here."},
		{"joining another server's table", grace, forge(grace, far, "join/3//"), noTable + "3 here."},
		{"resigning at another server's table", jack, forge(jack, far, "confirm/1//resign"), noTable + "1 here."},
		{"closing another server's table", mary, forge(mary, turn, "confirm/5//abandon"), noTable + "5 here."},
		{"Agree at another server's table", jack, forge(jack, far, "agree/1//draw"), noTable + "1 here."},

		{"unknown game", anne, raw(anne, harbour, "play", bottest.TextOption("game", "chess")),
			"I don't know a game called “chess”. Choose "},
		{"no game", anne, raw(anne, harbour, "play", bottest.TextOption("clock", "3d")), "Which game?"},
		{"rules of an unknown game", anne, raw(anne, harbour, "rules", bottest.TextOption("game", "chess")),
			"I don't know a game called “chess”."},
		{"too many players", anne, command(anne, harbour, "play", opt("game", "loyal-captain"), opt("players", 5)),
			"Loyal Captain is for exactly 2 players, not 5."},
		{"one player", anne, command(anne, harbour, "play", opt("game", "loyal-captain"), opt("players", 1)),
			"Loyal Captain is for exactly 2 players, not 1."},
		{"forged number of players", anne, raw(anne, harbour, "play", bottest.TextOption("game", "freebooter"),
			bottest.NumberOption("players", 1_000_000)), "players, not 1000000."},
		{"negative number of players", anne, raw(anne, harbour, "play", bottest.TextOption("game", "freebooter"),
			bottest.NumberOption("players", -3)), "players, not -3."},
		{"forged number of computers", anne, raw(anne, harbour, "play", bottest.TextOption("game", "loyal-captain"),
			bottest.NumberOption("computers",
				1_000_000_000)), "Loyal Captain has room for up to 2 players: not enough for you"},
		{"forged level", anne, raw(anne, harbour, "play", bottest.TextOption("game", "loyal-captain"),
			bottest.TextOption("level", "admiral")), "admiral"},
		{"too many invited", anne, command(anne, harbour, "play", opt("game", "freebooter"), opt("players", 2),
			opt("opponent", jack), opt("computers", 1)),
			"This table has 2 seats: too few for you and 2 others."},
		{"inviting a bot", anne, command(anne, harbour, "play", opt("game", "loyal-captain"),
			opt("opponent", localdiscord.Application)), "is a bot and can't play."},
		{"inviting oneself", anne, command(anne, harbour, "play", opt("game", "loyal-captain"), opt("opponent", anne)),
			"Invite each player once, and not yourself"},

		{"joining twice", grace, press(grace, crew, "Join"), "You already have a seat at this table."},
		{"joining a seat that is kept", mary, press(mary, kept, "Join"),
			"The free seat is reserved for another player."},
		{"joining after the start", mary, forge(mary, turn, "join/1//"),
			"“/games open” lists tables with a free seat."},
		{"leaving after the start", anne, forge(anne, turn, "leave/1//"), "This game has already started."},
		{"leaving without a seat", bart, press(bart, crew, "Leave"), noSeat},
		{"starting too early", anne, press(anne, kept, "Start"), "This table needs 2 players to start and has 1."},
		{"starting another's table", grace, press(grace, crew, "Start"),
			"Only the host or a moderator can start the game."},
		{"moving before the start", anne, command(anne, nassau, "move", opt("move", "9")),
			"No game has begun at this table."},
		{"board before the start", anne, command(anne, nassau, "board"), "No game has begun at this table."},
		{"closing another's table", grace, forge(grace, crew, "confirm/4//abandon"),
			"Only the host or a moderator can close this table."},
		{"forged computer level", anne, forge(anne, crew, "level/4//admiral"), "admiral"},

		{"no move", mover, moved(mover, "hoist the colours"),
			"I can't read “hoist the colours” as a move. A move here starts with "},
		{"step that was never offered", mover, forge(mover, turn, at("step", "a"), "99-99"),
			"because there's no space 99"},
		{"play that was never offered", mover, forge(mover, turn, at("do", "99")), "because there's no space 99"},
		{"empty move", mover, forge(mover, turn, at("do", "")), "A move here starts with "},
		{"old Move button", other, press(other, first, "Move"), movedOn},
		{"old step", mover, forge(mover, first, "step/1/v1n1g1/9"), movedOn},
		{"old play", mover, forge(mover, first, "do/1/v1n1g1/9"), movedOn},

		{"position out of range", mary, command(mary, tables, "board", opt("at", 99)),
			"There's no turn 99: 2 turns have been played. Choose a number from 0 to 2."},
		{"negative position", mary, raw(mary, tables, "board", bottest.NumberOption("at", -1)),
			"There's no turn -1: 2 turns have been played."},
		{"hand in an open game", anne, command(anne, tables, "table hand"),
			"Nobody holds cards in Loyal Captain."},
		{"unknown chapter", anne, command(anne, tables, "rules", opt("game", "pirat"), opt("section", "the ghost")),
			"There's no chapter “the ghost”."},
		{"forged season", anne, raw(anne, tables, "leaderboard", bottest.TextOption("season", "99")), "99"},

		{"unknown button", anne, forge(anne, turn, "mutiny/1//"), noControl},
		{"garbage", anne, forge(anne, turn, "\x00\n🏴‍☠️"), noControl},
		{"too short", anne, forge(anne, turn, "move"), noControl},
		{"slashes alone", anne, forge(anne, turn, "//////"), noControl},
		{"negative version", anne, forge(anne, turn, "move/1/-1/"), noControl},
		{"huge version", anne, forge(anne, turn, "move/1/v99999999999999999999/"), noControl},
		{"letters for a version", anne, forge(anne, turn, "move/1/x/"), noControl},
		{"overlong", anne, forge(anne, turn, at("step", strings.Repeat("9", 4000))), ""},
		{"computer's confirm button for a stranger", grace, forge(grace, far, asked.Interactive()[0].CustomID),
			"Only the host or a moderator can close this table."},
	} {
		said := tt.act()
		if !strings.Contains(said.Text(), tt.want) || said.Text() == "" || strings.Contains(said.Text(),
			"Something went wrong") {
			t.Errorf("%s is answered %q, want %q", tt.name, said.Text(), tt.want)
		}
		if strings.Contains(said.Text(), "[") {
			t.Errorf("%s is answered with a sentence that is missing: %q", tt.name, said.Text())
		}
		if said.EphemeralTo != tt.user {
			t.Errorf("%s is answered to %q, want %s alone: %q", tt.name, said.EphemeralTo, tt.user, said.Text())
		}
		if after := r.StateOf(channels...); after != before {
			t.Errorf("%s changed something:\n%swas\n%s", tt.name, after, before)
			before = after
		}
	}

	// A modal that the bot never opened is answered, and changes nothing.
	reply, err := r.Server.Forge(r.Ctx, anne, tables, "", 5, map[string]any{"custom_id": "move/1//",
		"components": []any{}})
	if said := r.Answer(reply, err, "forged modal"); said.Text() == "" || said.EphemeralTo != anne {
		t.Errorf("a forged modal is answered %q", said.Text())
	}
	// Another player cannot use the buttons of a private board.
	stepper := r.Click(mover, turn, "Move")
	if _, err := r.Server.Click(r.Ctx, other, stepper.ID, stepper.Interactive()[0].CustomID); err == nil {
		t.Error("another player's stepper can be pressed")
	}
	if after := r.StateOf(channels...); after != before {
		t.Errorf("forged controls changed something:\n%swas\n%s", after, before)
	}
	for line := range strings.Lines(r.Log.String()) {
		worse := strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN")
		if worse && !strings.Contains(line, "could not be registered") { // a slow machine causes this warning
			t.Errorf("bad input is logged: %s", line)
		}
	}
}

// An impossible move is answered with the reason and the possible moves.
func TestImpossibleMovesAreExplained(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	captain, _ := catalog.Find("loyal-captain")
	turn := r.Open(localdiscord.TortugaTables, captain, []string{localdiscord.Anne, localdiscord.Jack})
	for range 40 { // plays until a token can be moved, with a move such as 9-10
		who := r.Mover(turn)
		choices, err := r.Server.Autocomplete(r.Ctx, who, localdiscord.TortugaTables, "move", "move",
			localdiscord.Opt("move", ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range choices {
			from, _, two := strings.Cut(c.Value.(string), "-")
			if !two {
				continue
			}
			var to []string
			for _, o := range choices {
				if rest, ok := strings.CutPrefix(o.Value.(string), from+"-"); ok {
					to = append(to, rest)
				}
			}
			want := strings.Join(to[:len(to)-1], ", ")
			if want != "" {
				want += " or "
			}
			want = fmt.Sprintf(
				"“%s-99” isn't possible, because there's no space 99: the spaces are numbered from 1 to 18. From %s you can go to %s%s.", from, from, want, to[len(to)-1])
			if said := r.Command(who, localdiscord.TortugaTables, "move",
				localdiscord.Opt("move", from+"-99")); said.Text() != want {
				t.Errorf("an impossible move is answered %q, want %q", said.Text(), want)
			}
			return
		}
		r.Command(who, localdiscord.TortugaTables, "move", localdiscord.Opt("move", choices[0].Value))
		turn = r.TurnAfter(localdiscord.TortugaTables, turn)
	}
	t.Fatal("no token could be moved in 40 turns")
}
