package bottest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/puzzles"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/games/fair"
	"marque/storage"
)

// Channels in which most tests play, and the duration of a day.
const (
	TablesChannel = localdiscord.TortugaTables
	Tavern        = localdiscord.TortugaTavern
	Day           = 24 * time.Hour
)

// NewRand returns a random generator with a fixed seed. Each test needs its own, because tests run in parallel.
func NewRand() *rand.Rand { return rand.New(rand.NewPCG(3, 4)) }

// NewTimed returns a rig and its clock. The clock moves only when the test moves it, or when the rig has waited for
// something for a long time (see waiting and EventuallyCarried).
func NewTimed(t testing.TB) (*Rig, *manual.Clock) {
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)) // a Monday
	return New(t, func(o *localdiscord.Options) { o.Clock = clock }), clock
}

// OpenLoyal opens a game of Loyal Captain in TablesChannel and returns the first message with its board.
func (r *Rig) OpenLoyal(players []string, options ...localdiscord.Option) *localdiscord.Message {
	g, _ := catalog.Find(LoyalCaptain)
	return r.Open(TablesChannel, g, players, options...)
}

// Other returns the opponent of the player one in a pair of players.
func Other(players []string, one string) string {
	if players[0] == one {
		return players[1]
	}
	return players[0]
}

// Two are the two players of most tests.
var Two = []string{localdiscord.Anne, localdiscord.Jack}

// Table returns the table with id 1.
func (r *Rig) Table() *table.Snapshot {
	r.T.Helper()
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
	if err != nil {
		r.T.Fatal(err)
	}
	return snap
}

// SeatsOf returns a game that n players can play.
func SeatsOf(t *testing.T, n int) games.Game {
	t.Helper()
	for _, g := range catalog.Games {
		if least, most := g.Seats(); least <= n && n <= most {
			return g
		}
	}
	t.Fatalf("no game has %d seats", n)
	return nil
}

// World contains the ids of the people on the server Tortuga in the standard world of the local Discord.
var World = []string{localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Bart, localdiscord.Grace}

// Open opens a table with /play, with the option that ends a game without progress, if the game has one. The other
// players join with the Join button. Open returns the first message with the board.
func (r *Rig) Open(channel string, g games.Game, players []string,
	options ...localdiscord.Option) *localdiscord.Message {
	r.T.Helper()
	options = append([]localdiscord.Option{localdiscord.Opt("game", g.Key()),
		localdiscord.Opt("players", len(players))}, options...)
	return r.seat(channel, g, players, func() *localdiscord.Message {
		return r.Command(players[0], channel, "play", options...)
	})
}

// OpenInOrder does the same as Open, for players who sit in the given order. Only the form of /play offers this.
func (r *Rig) OpenInOrder(channel string, g games.Game, players []string) *localdiscord.Message {
	r.T.Helper()
	return r.seat(channel, g, players, func() *localdiscord.Message {
		return r.Submit(players[0], r.PlayForm(players[0], channel), localdiscord.Opt("game", g.Key()),
			localdiscord.Opt("people", players[1:]), localdiscord.Opt("wishes", []string{"rated", "order"}))
	})
}

// seat opens a table with the function open, makes the other players join it, and returns the first message with the
// board.
func (r *Rig) seat(channel string, g games.Game, players []string,
	open func() *localdiscord.Message) *localdiscord.Message {
	r.T.Helper()
	before := r.Latest(channel)
	if said := open(); !strings.Contains(said.Text(), "is open") {
		r.T.Fatalf("/play answered %q", said.Text())
	}
	lobby := r.Next(channel, before, IsLobby)
	r.EndsWhenQuiet(players[0], g, lobby, "Options")
	for _, p := range players[1:] {
		if a := r.Click(p, lobby, "Join"); !strings.Contains(a.Text(), "Welcome aboard") {
			r.T.Fatalf("Join answered %q", a.Text())
		}
	}
	return r.Next(channel, lobby.ID, IsTurn)
}

// Mover returns the user that a message with a board pings. It fails the test unless there is exactly one.
func (r *Rig) Mover(m *localdiscord.Message) string {
	r.T.Helper()
	if len(m.Pinged) != 1 {
		r.T.Fatalf("a turn message pings %v, want one user: %s", m.Pinged, m.Text())
	}
	if !strings.Contains(m.Text(), "<@"+m.Pinged[0]+">, it's your turn") {
		r.T.Fatalf("a turn message pings %s but says %q", m.Pinged[0], m.Text())
	}
	return m.Pinged[0]
}

// ToMove returns the user who is to move according to a message with a board. It is for games against computers, whose
// messages ping nobody.
func (r *Rig) ToMove(m *localdiscord.Message) string {
	r.T.Helper()
	who, _, ok := strings.Cut(AfterWord(m.Text(), "**<@"), ">, it's your turn")
	if !ok || len(m.Pinged) > 0 {
		r.T.Fatalf("a turn message of who plays alone pings %v: %s", m.Pinged, m.Text())
	}
	return who
}

// WholeSeed is the seed of games that are played to their end. It must not appear in any message or log before the end.
var WholeSeed = fair.Seed{1, 2, 3, 0xfe, 31: 9}

// StepThrough makes a random move with the Move button and the menus that it opens, and returns the last answer.
func (r *Rig) StepThrough(who string, turn *localdiscord.Message, rng *rand.Rand) string {
	r.T.Helper()
	return r.Click(who, r.StepToPreview(who, turn, rng), "Make this move").Text()
}

// StepToPreview chooses a random move with the Move button and the menus that it opens, and returns the message with
// the preview.
func (r *Rig) StepToPreview(who string, turn *localdiscord.Message, rng *rand.Rand) *localdiscord.Message {
	r.T.Helper()
	m := r.Click(who, turn, "Move")
	first := len(m.Pictures()) // the board, and the hand if there is one
	for range 20 {
		if m.EphemeralTo != who {
			r.T.Fatalf("the stepper is seen by %q, want %s alone: %s", m.EphemeralTo, who, m.Text())
		}
		if _, ok := m.Button("Make this move"); ok {
			pictures := m.Pictures()
			if len(pictures) == 0 || len(pictures) > first { // fewer if the last card of a hand is played
				r.T.Fatalf("the preview shows %d pictures, the first step %d", len(pictures), first)
			}
			if alt := pictures[len(pictures)-1].Description; !strings.Contains(alt, ", then ") {
				r.T.Errorf("the plate of a preview does not say which move it shows: %s", alt)
			}
			return m
		}
		type step struct{ menu, value string }
		var steps []step
		for _, c := range m.Interactive() {
			switch {
			case c.Label == "Back" || c.Label == "Start over" || c.Disabled:
			case len(c.Options) > 0:
				for _, o := range c.Options {
					steps = append(steps, step{c.CustomID, o.Value})
				}
			default:
				steps = append(steps, step{c.CustomID, ""})
			}
		}
		if len(steps) < 2 {
			r.T.Fatalf("the stepper asks what has one answer: %v in %s", steps, m.Text())
		}
		if r.CheckStep(m); len(m.Pictures()) != first {
			r.T.Errorf("a step shows %d pictures, the first one %d: the hand is out of sight: %s", len(m.Pictures()),
				first, m.Text())
		}
		if HasButton(m, "Back") && !strings.Contains(m.Text(), "So far: ") {
			r.T.Errorf("a step does not say what was chosen before it: %s", m.Text())
		}
		s := steps[rng.IntN(len(steps))]
		if s.value == "" {
			m = r.Click(who, m, s.menu)
		} else {
			m = r.Choose(who, m, s.menu, s.value)
		}
	}
	r.T.Fatalf("the stepper does not end: %s", m.Text())
	return nil
}

// TypeMove makes a random move with /move, chosen from the moves that autocomplete offers, and returns the text of the
// answer.
func (r *Rig) TypeMove(who, channel string, rng *rand.Rand) string {
	r.T.Helper()
	choices, err := r.Server.Autocomplete(r.Ctx, who, channel, "move", "move", localdiscord.Opt("move", ""))
	if err != nil || len(choices) == 0 {
		r.T.Fatalf("autocomplete of /move offers %v, %v", choices, err)
	}
	if last := choices[len(choices)-1]; strings.HasPrefix(last.Name, "…") { // number of further moves
		if len(choices) != 25 {
			r.T.Errorf("%d moves are offered, and yet %q", len(choices)-1, last.Name)
		}
		choices = choices[:24]
	}
	c := choices[rng.IntN(len(choices))]
	return r.Command(who, channel, "move", localdiscord.Opt("move", c.Value)).Text()
}

// Resigned plays a game between two players, in which the loser resigns, and returns the number of the table.
func (r *Rig) Resigned(channel string, g games.Game, winner, loser string) string {
	r.T.Helper()
	turn := r.Open(channel, g, []string{winner, loser})
	r.PlayOn(channel)
	sure := r.Command(loser, channel, "table resign")
	r.Click(loser, sure, "Yes, resign")
	r.Next(channel, turn.ID, IsOver)
	number, _, _ := strings.Cut(AfterWord(turn.Text(), "· #"), "\n")
	return number
}

// PlayOn makes enough moves at the channel's table for the result to count, if the players move in turn.
func (r *Rig) PlayOn(channel string) {
	r.T.Helper()
	heads, err := r.Tables.Lookup.InChannel(r.Ctx, channel)
	if err != nil || len(heads) != 1 {
		r.T.Fatalf("%d tables go on in the channel, %v", len(heads), err)
	}
	id := heads[0].ID
	for n := 0; n < storage.LeastDecisions*len(heads[0].Seats); n++ {
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
		if err != nil {
			r.T.Fatal(err)
		}
		state := snap.View(snap.ToMove).State
		if _, err := r.Tables.Move(r.Ctx, table.Actor{User: snap.Mover()}, id, games.Spell(state, state.Moves()[0]),
			0); err != nil {
			r.T.Fatal(err)
		}
	}
}

// Resign makes a player resign at the table in TablesChannel.
func (r *Rig) Resign(user string) {
	r.T.Helper()
	r.Click(user, r.Command(user, TablesChannel, "table resign"), "Yes, resign")
}

// EndsWhenQuiet makes the host of a lobby choose the option that ends a game after many moves without progress, if the
// game has one (QM-8). Without the option, some games never end. button is the label of the Options button.
func (r *Rig) EndsWhenQuiet(host string, g games.Game, lobby *localdiscord.Message, button string) {
	r.T.Helper()
	if slices.ContainsFunc(g.Options(), func(o games.Option) bool { return o.Key == "quiet" }) {
		panel := r.Click(host, lobby, button)
		r.Choose(host, panel, MenuOf(r.T, panel, "quiet"), "60")
		r.Must(r.Server.Dismiss(host, panel.ID))
		r.Eventually("shown in the lobby", func() bool {
			m, err := r.Server.Message(lobby.ID, host)
			if err != nil || m.Text() == lobby.Text() {
				return false
			}
			*lobby = *m // users must have seen the options before they join
			return true
		})
	}
}

// MorningOf returns a clock at nine o'clock on the given day, as package puzzles counts days.
func MorningOf(day int) *manual.Clock {
	return manual.NewClock(puzzles.DayStart(day).Add(9 * time.Hour))
}

// DailyPosts returns the messages with daily puzzles in a channel that a user can see.
func (r *Rig) DailyPosts(channel, user string) []*localdiscord.Message {
	return slices.DeleteFunc(r.Server.Messages(channel, user), func(m *localdiscord.Message) bool {
		_, ok := m.Button("Solve it")
		return !ok || m.EphemeralTo != ""
	})
}

// OpenInThread opens a table with /play on a server where tables have threads. It returns the id of the thread and the
// first board. The table's card in the channel has the same id as the thread.
func (r *Rig) OpenInThread(g games.Game, players []string) (thread string, turn *localdiscord.Message) {
	r.T.Helper()
	before := r.Latest(Tavern)
	said := r.Command(players[0], Tavern, "play", localdiscord.Opt("game", g.Key()),
		localdiscord.Opt("players", len(players)))
	r.WantText(said, "its own thread")
	card := r.Next(Tavern, before, IsLobby)
	r.EndsWhenQuiet(players[0], g, r.Next(card.ID, "", IsLobby), "Options")
	for _, p := range players[1:] {
		r.WantText(r.Click(p, card, "Join"), "Welcome aboard")
	}
	return card.ID, r.Next(card.ID, "", IsTurn)
}

// Published waits until all messages of a table are posted, and returns the table.
func (r *Rig) Published(id table.ID) *table.Snapshot {
	r.T.Helper()
	var snap *table.Snapshot
	r.Eventually("published everything", func() bool {
		var err error
		if snap, err = r.Tables.Lookup.Snapshot(r.Ctx, id); err != nil {
			return false
		}
		stored, err := r.Store.News(r.Ctx, id)
		return err == nil && stored.Published == snap.Version
	})
	return snap
}

// PlayOne makes a move at table 1, waits until its messages are posted, and returns the table.
func (r *Rig) PlayOne(channel string) *table.Snapshot {
	r.T.Helper()
	snap := r.Published(1)
	r.TypeMove(snap.Mover(), channel, NewRand())
	return r.Published(1)
}

// LoyalCaptain is the key of the game that most tests play.
const LoyalCaptain = "loyal-captain"

// MeetComputers opens a rated table for Anne and the given number of easy computer players, and returns the first
// message with its board.
func (r *Rig) MeetComputers(channel, game string, computers int) *localdiscord.Message {
	r.T.Helper()
	before := r.Latest(channel)
	r.Command(localdiscord.Anne, channel, "play", localdiscord.Opt("game", game),
		localdiscord.Opt("computers", computers), localdiscord.Opt("level", "easy"), localdiscord.Opt("rated", true))
	return r.Next(channel, before, TurnOrEnd)
}

// Record returns the record of a complete game of two players, from a golden file.
func Record(t testing.TB, game string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(ProjectFolder(t), "games", "verify", "testdata", game+"-2.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Purser adds a user who manages the server Tortuga and does not play, and returns the user's id.
func (r *Rig) Purser() string {
	r.T.Helper()
	role, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "Purser", localdiscord.PermissionManageGuild)
	r.Must(err)
	id := r.Server.Admin.AddUser("purser")
	r.Must(r.Server.Admin.AddMember(localdiscord.Tortuga, id))
	r.Must(r.Server.Admin.SetRoles(localdiscord.Tortuga, id, role))
	return id
}

// People returns n people of the server Tortuga, beginning with those of the standard world.
func (r *Rig) People(n int) []string {
	r.T.Helper()
	list := []string{localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Bart, localdiscord.Grace}
	for i := len(list); i < n; i++ {
		id := r.Server.Admin.AddUser(fmt.Sprintf("sailor%d", i))
		if err := r.Server.Admin.AddMember(localdiscord.Tortuga, id); err != nil {
			r.T.Fatal(err)
		}
		list = append(list, id)
	}
	return list[:n]
}
