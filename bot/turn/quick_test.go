package turn_test

import (
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/games/catalog"
)

// The preview of a draw says that the card is a surprise, because the board shows nothing new. The preview of a
// placement says that the board would look like this.
func TestThePreviewOfADrawSaysWhatComes(t *testing.T) {
	t.Parallel()
	const drawn, board = "which card it is once you've drawn it", "The board would look like this"
	r, _ := bottest.NewQuiet(t)
	for game, tc := range map[string]struct{ press, want, not string }{
		"pirat":         {"Draw a card", drawn, board},
		"loyal-captain": {"Place on hatch 1", board, drawn},
	} {
		g, _ := catalog.Find(game)
		_, turn := r.OpenInThread(g, bottest.Two)
		mover := r.Mover(turn)
		preview := r.Click(mover, turn, "Move")
		if bottest.HasButton(preview, tc.press) { // a hand without a ship leaves no choice but to draw
			preview = r.Click(mover, preview, tc.press)
		}
		bottest.Contains(t, tc.press, preview.Text(), tc.want)
		bottest.Lacks(t, tc.press, preview.Text(), tc.not)
	}
}

// In Freebooter, a user who boards a ship sees the hand at every step of the move, up to its preview.
func TestTheHandStaysAtEveryStep(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	g, _ := catalog.Find("freebooter")
	_, turn := r.OpenInThread(g, bottest.Two)
	mover := r.Mover(turn)
	m := r.Click(mover, turn, "Move")
	for step, press := range []string{"Board a ship", "Columns", "Rows", "Make this move"} {
		if p := m.Pictures(); len(p) != 2 || !strings.Contains(p[0].Description, "In hand: ") {
			t.Errorf("step %d shows %v, want the hand and the board", step, p)
		}
		if press == "Make this move" {
			break
		}
		for _, c := range m.Interactive() {
			if strings.HasPrefix(c.Label, press) {
				m = r.Click(mover, m, c.Label)
				break
			}
		}
	}
	if !bottest.HasButton(m, "Make this move") {
		t.Errorf("the steps end in %s", m.Text())
	}
}

// A user who has turned previews off places a pirate with two presses. A capture is still shown before it is played.
func TestMovesThatCannotSurpriseNeedNoPreview(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	const channel = bottest.TablesChannel
	for _, user := range bottest.Two {
		panel := r.Command(user, channel, "me preferences")
		panel = r.Choose(user, panel, bottest.MenuOf(t, panel, "preview"), "surprises")
		r.WantText(panel, "capture, lose or gain something")
	}
	turn := r.OpenLoyal(bottest.Two)
	for _, hatch := range []string{"Place on hatch 1", "Place on hatch 4"} {
		mover := r.Mover(turn)
		r.WantText(r.Click(mover, r.Click(mover, turn, "Move"), hatch), "Played: ")
		turn = r.TurnAfter(channel, turn)
	}
	capturing := func(m *localdiscord.Message) string {
		for _, c := range m.Interactive() {
			if strings.Contains(c.Label, "captures") {
				return c.Label
			}
		}
		return ""
	}
	rng := bottest.NewRand()
	for range 200 {
		mover := r.Mover(turn)
		m := r.Click(mover, turn, "Move")
		if capturing(m) == "" {
			r.TypeMove(mover, channel, rng)
			turn = r.TurnAfter(channel, turn)
			continue
		}
		for label := capturing(m); label != ""; label = capturing(m) {
			m = r.Click(mover, m, label)
		}
		if !bottest.HasButton(m, "Make this move") {
			t.Errorf("what captures is played without a preview: %s", m.Text())
		}
		return
	}
	t.Fatal("nobody could capture anything")
}

// The answer to a draw names the drawn card to its player, and nobody else sees that answer.
func TestTheAnswerToADrawNamesTheCardToItsPlayerAlone(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	for i, key := range []string{"pirat", "freebooter"} {
		g, _ := catalog.Find(key)
		thread, turn := r.OpenInThread(g, bottest.Two)
		mover := r.Mover(turn)
		var answer *localdiscord.Message
		for range 2 { // a captain of Freebooter sails first
			snap := r.Published(table.ID(i + 1))
			state := snap.View(snap.Seat(mover)).State
			move, draws := drawIn(state)
			answer = r.Command(mover, thread, "move", localdiscord.Opt("move", move))
			if draws {
				break
			}
		}
		snap := r.Published(table.ID(i + 1))
		step := snap.Trail(snap.Seat(mover), snap.Plays-1, snap.Plays)[0]
		if step.Seat != games.Chance {
			t.Fatalf("%s: the last play is that of seat %d, want the drawn card", key, step.Seat)
		}
		told := r.English(snap).Say(step.Before.Describe(step.Move))
		if answer.EphemeralTo != mover {
			t.Errorf("%s: the answer to the draw is seen by %q, want %s alone", key, answer.EphemeralTo, mover)
		}
		r.WantText(answer, told)
		bottest.Lacks(t, key, told, "now holds")
		for _, m := range r.PublicMessages(thread) {
			bottest.Lacks(t, key+", in public", m.Text(), told)
		}
	}
}

// drawIn returns a move that draws a card, or else a move after which its player can draw one.
func drawIn(state games.State) (move string, draws bool) {
	for _, m := range state.Moves() {
		if state.(games.CombinedDescriber).DescribedByNext(m) {
			return games.Spell(state, m), true
		}
	}
	for _, m := range state.Moves() {
		if after := state.Apply(m); after.ToMove() == state.ToMove() {
			if _, draws := drawIn(after); draws {
				return games.Spell(state, m), false
			}
		}
	}
	return "", false
}

// Whoever sat at a table that was closed before its game began is told that there is no game, also by /table hand.
func TestAClosedLobbyHasNoHands(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	const anne, channel = localdiscord.Anne, bottest.TablesChannel
	r.Lobby(anne, channel, localdiscord.Opt("game", "freebooter"), localdiscord.Opt("players", 3))
	r.Click(anne, r.Command(anne, channel, "table abandon"), "Yes, stop it")
	for _, command := range []string{"table hand", "board", "record report", "record review"} {
		said := r.Command(anne, channel, command).Text()
		if strings.Contains(said, "went wrong") || !strings.Contains(said, "game") {
			t.Errorf("/%s says %q", command, said)
		}
		t.Logf("/%s: %s", command, said)
	}
}
