package bot_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
)

// One person plays every game to its end against computers in all other seats. Every message of the
// channel calls the person, or says who won: computers' moves are told together with what led to
// them.
func TestGamesAgainstComputers(t *testing.T) {
	const channel = localdiscord.TortugaTables
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := newRigWith(t, func(r *rig) { r.reviews = true })
			_, seats := g.Seats()
			rng := rand.New(rand.NewPCG(5, 9))
			turn := r.meetComputers(channel, g.Key(), seats-1)
			for moves := 0; !isOver(turn); moves++ {
				if moves > 600 {
					t.Fatalf("the game has not ended after %d moves", moves)
				}
				if who := r.toMove(turn); who != localdiscord.Anne {
					t.Fatalf("message %q calls %s, want Anne", turn.Text(), who)
				}
				if said := r.typeMove(localdiscord.Anne, channel, rng); !strings.Contains(said, "Played:") {
					t.Fatalf("move %d was answered %q", moves, said)
				}
				turn = r.turnAfter(channel, turn)
			}
			if !strings.Contains(turn.Text(), " (easy)**") && !strings.Contains(turn.Text(),
				"<@"+localdiscord.Anne+">") {
				t.Errorf("the end names nobody: %s", turn.Text())
			}
			if found, err := r.tables.Reviews.Review(r.ctx, 1); err != nil || !found.Done {
				t.Fatalf("the game is not reviewed: %+v, %v", found.Points, err)
			}
			review := r.command(localdiscord.Anne, channel, "record review")
			// Where luck decides much, even random moves may cost little each. What was better has a board of its own.
			point := strings.Contains(review.Text(), "Turning point 1") && len(review.Pictures()) == 2
			if !point && (g.Key() == "loyal-captain" || !strings.Contains(review.Text(), "No move stands out")) {
				t.Errorf("a game of random moves is reviewed with %q and %d pictures", review.Text(),
					len(review.Pictures()))
			}
			// People and computers have leaderboards of their own.
			leaders := r.command(localdiscord.Anne, channel, "leaderboard", localdiscord.Opt("game", g.Key()))
			if strings.Contains(leaders.Text(), "Bosun") || strings.Contains(leaders.Text(),
				"<@"+localdiscord.Anne+">") {
				t.Errorf("a game with computers counts among people: %s", leaders.Text())
			}
		})
	}
}

// A computer is added by the lobby's button and a level, and sent ashore again.
func TestAddComputerButton(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := newRig(t)
	g := seatsOf(t, 3)
	before := r.latest(channel)
	r.command(localdiscord.Anne, channel, "play", localdiscord.Opt("game", g.Key()), localdiscord.Opt("players", 3))
	lobby := r.next(channel, before, func(m *localdiscord.Message) bool {
		_,
			ok := m.Button("Add computer")
		return ok
	})

	ask := r.click(localdiscord.Anne, lobby, "Add computer")
	for _, level := range []string{"easy", "casual", "normal", "hard", "expert"} {
		if _, ok := ask.Button(level); !ok {
			t.Errorf("no button offers a computer that plays %s: %s", level, ask.Text())
		}
	}
	if said := r.click(localdiscord.Anne, ask, "hard"); !strings.Contains(said.Text(), "Bosun (hard)") {
		t.Errorf("adding a hard computer is answered %q", said.Text())
	}
	withBosun := r.edited(channel, lobby.ID, "Bosun (hard)")
	if said := r.click(localdiscord.Jack, withBosun, "Send computer ashore"); !strings.Contains(said.Text(), "seat") {
		t.Errorf("a stranger sends the computer ashore and is told %q", said.Text())
	}
	r.click(localdiscord.Anne, withBosun, "Send computer ashore")
	for i, level := range []string{"casual", "normal"} {
		ask := r.click(localdiscord.Anne, lobby, "Add computer")
		want := []string{"Bosun (casual)", "Gunner (normal)"}[i]
		if said := r.click(localdiscord.Anne, ask, level); !strings.Contains(said.Text(), want) {
			t.Errorf("adding a computer is answered %q, want %s in it", said.Text(), want)
		}
	}
	turn := r.next(channel, lobby.ID, isTurn)
	if who := r.toMove(turn); who != localdiscord.Anne {
		t.Errorf("the first message calls %s, want Anne", who)
	}
	// A draw at the start of a game is no offer that a computer takes.
	r.click(localdiscord.Anne, r.command(localdiscord.Anne, channel, "draw"), "Yes, offer a draw")
	r.next(channel, turn.ID, func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "does not take the draw")
	})
}

// Whether lost computers may resign is the table's choice, else the server's; it is said in the lobby.
func TestMayResignOption(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := newRig(t)
	g := seatsOf(t, 2)
	before := r.latest(channel)
	open := func() *localdiscord.Message {
		said := r.command(localdiscord.Anne, channel, "play", localdiscord.Opt("game", g.Key()),
			localdiscord.Opt("players", 2))
		place := channel
		if at := strings.Index(said.Text(), "<#"); at >= 0 {
			place = strings.Split(said.Text()[at+2:], ">")[0]
		}
		return r.next(place, before, func(m *localdiscord.Message) bool {
			_,
				ok := m.Button("Add computer")
			return ok
		})
	}
	resigns := func(lobby *localdiscord.Message, value string) {
		panel := r.click(localdiscord.Anne, lobby, "Options")
		r.choose(localdiscord.Anne, panel, menuOf(t, panel, "+resign"), value)
	}
	lobby := open()
	if said := lobby.Text(); strings.Contains(said, "may resign") {
		t.Errorf("computers may resign though nobody said so: %s", said)
	}
	resigns(lobby, "true")
	r.edited(lobby.ChannelID, lobby.ID, "may resign")
	panel := r.command(localdiscord.Anne, channel, "server settings")
	r.choose(localdiscord.Anne, panel, menuOf(t, panel, "rest"), "resign")
	lobby = open()
	if said := lobby.Text(); !strings.Contains(said, "may resign") {
		t.Errorf("the server's setting is not followed: %s", said)
	}
	resigns(lobby, "false")
	_, err := r.waitMessage(lobby.ChannelID, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return m.ID == lobby.ID && !strings.Contains(m.Text(), "may resign")
	})
	if err != nil {
		t.Errorf("the option does not overrule the server's setting: %v", err)
	}
}

// edited waits until a message says something.
func (r *rig) edited(channel, id, want string) *localdiscord.Message {
	r.t.Helper()
	m, err := r.waitMessage(channel, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return m.ID == id && strings.Contains(m.Text(), want)
	})
	if err != nil {
		r.t.Fatalf("waiting for %q in message %s: %v", want, id, err)
	}
	return m
}

// seatsOf is a game for exactly so many players among others.
func seatsOf(t *testing.T, n int) games.Game {
	t.Helper()
	for _, g := range catalog.Games {
		if least, most := g.Seats(); least <= n && n <= most {
			return g
		}
	}
	t.Fatalf("no game has %d seats", n)
	return nil
}

// A hint is seen by who asked for it alone, says why, shows the board, and can be played.
func TestHint(t *testing.T) {
	const channel = localdiscord.TortugaTables
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			turn := r.meetComputers(channel, g.Key(), 1)
			hint := r.hint(localdiscord.Anne, channel)
			why := "The chance of winning"
			if snap := r.table(); len(snap.View(snap.ToMove).State.Moves()) == 1 { // a hand with nothing to play
				why = "is the only move"
			}
			if hint.EphemeralTo != localdiscord.Anne || len(hint.Pictures()) != 1 || !strings.Contains(hint.Text(),
				why) {
				t.Fatalf("/hint answers %q to %q with %d pictures", hint.Text(), hint.EphemeralTo, len(hint.Pictures()))
			}
			if said := r.click(localdiscord.Anne, hint, "Play this"); !strings.Contains(said.Text(), "Played:") {
				t.Errorf("playing the hint is answered %q", said.Text())
			}
			r.turnAfter(channel, turn) // a new board, or, where her turn goes on, that one edited
			if said := r.command(localdiscord.Jack, channel, "hint"); strings.Contains(said.Text(), "I would play") {
				t.Errorf("an onlooker is advised: %q", said.Text())
			}
		})
	}
}

// hint asks for a hint, and is sure where the game counts no more for it.
func (r *rig) hint(who, channel string) *localdiscord.Message {
	r.t.Helper()
	m := r.command(who, channel, "hint")
	if hasButton(m, "Yes, show the hint") {
		m = r.click(who, m, "Yes, show the hint")
	}
	return m
}

// Hints say what the move threatens, in the game's own words.
func TestHintThreatens(t *testing.T) {
	const channel = localdiscord.TortugaTables
	for game, takes := range map[string]string{
		"pirate-versus-pirate": `throws .* out of the game|picks up the|brings the`,
		"madagascar":           `is captured: the tower is`} {
		t.Run(game, func(t *testing.T) {
			t.Parallel()
			want := regexp.MustCompile(`(comes next|threatens to win at once|wins at the next turn): .*(` + takes + ")")
			r := newRig(t)
			turn := r.meetComputers(channel, game, 1)
			for !isOver(turn) {
				hint := r.hint(localdiscord.Anne, channel)
				if want.MatchString(hint.Text()) {
					if hint.EphemeralTo != localdiscord.Anne {
						t.Errorf("the advice is seen by %q, want Anne alone", hint.EphemeralTo)
					}
					return
				}
				if !hasButton(hint, "Play this") {
					t.Fatalf("/hint answers %q\n%s", hint.Text(), r.log)
				}
				r.click(localdiscord.Anne, hint, "Play this")
				turn = r.turnAfter(channel, turn)
			}
			t.Errorf("in a whole game of hints none says what it threatens")
		})
	}
}

// A computer takes over the seat of a player who offers it.
func TestComputerCommand(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := newRig(t)
	g := seatsOf(t, 2)
	turn := r.open(channel, g, people[:2])
	who := r.mover(turn)
	other := people[0]
	if who == other {
		other = people[1]
	}
	if said := r.command(who, channel, "seat computer", localdiscord.Opt("level", "easy")); strings.Contains(
		said.Text(), "comes aboard") {
		t.Fatalf("a computer takes a seat that is not offered: %q", said.Text())
	}
	heads, err := r.tables.Lookup.InChannel(r.ctx, channel)
	if err != nil || len(heads) != 1 {
		t.Fatalf("tables %v, %v", heads, err)
	}
	if _, err := r.tables.Offer(r.ctx, table.Actor{User: who}, heads[0].ID); err != nil {
		t.Fatal(err)
	}
	relieves := ""
	offer := r.next(channel, turn.ID, func(m *localdiscord.Message) bool {
		for _, c := range m.Interactive() {
			if strings.HasPrefix(c.Label, "A computer for ") {
				relieves = c.Label
			}
		}
		return relieves != ""
	})
	if said := r.click(localdiscord.Grace, offer, relieves); !strings.Contains(said.Text(), "seat") {
		t.Errorf("a stranger gives an offered seat to a computer and is told %q", said.Text())
	}
	if said := r.command(other, channel, "seat computer", localdiscord.Opt("level", "easy")); !strings.Contains(
		said.Text(), "Bosun (easy) comes aboard") {
		t.Fatalf("/computer answers %q", said.Text())
	}
	if said := r.click(other, offer, relieves); strings.Contains(said.Text(), "comes aboard") {
		t.Errorf("a seat that is taken is given to a computer: %q", said.Text())
	}
	next := r.next(channel, turn.ID, func(m *localdiscord.Message) bool {
		return isTurn(m) && strings.Contains(m.Text(), "<@"+other+">, it is your turn")
	})
	if got := r.toMove(next); got != other {
		t.Errorf("after the computer has taken the seat and moved, it is the turn of %s, want %s", got, other)
	}
}
