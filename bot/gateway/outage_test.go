package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/privacy"
	"marque/bot/puzzles"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/games/text"
	"marque/storage"
)

// countBoards counts the messages in a channel that ask a player to move, as one user sees them.
func countBoards(r *bottest.Rig, channel string) int {
	n := 0
	for _, m := range r.Server.Messages(channel, localdiscord.Anne) {
		if bottest.IsTurn(m) && len(m.Pictures()) > 0 {
			n++
		}
	}
	return n
}

// state waits until want accepts the table with id 1.
func state(r *bottest.Rig, what string, want func(*table.Snapshot) bool) {
	r.T.Helper()
	r.Eventually(what, func() bool {
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
		return err == nil && want(snap)
	})
}

// Server errors, rate limits, a lost answer and slow requests delay a board, but do not lose or duplicate it.
func TestFailingRequests(t *testing.T) {
	t.Parallel()
	fail := func(f localdiscord.Fault, times int) localdiscord.Fault {
		f.Method, f.Path, f.Times = http.MethodPost, "/messages", times
		return f
	}
	for name, f := range map[string]localdiscord.Fault{
		"500":                      fail(localdiscord.ServerError(500), 2),
		"503":                      fail(localdiscord.ServerError(503), 2),
		"429 with headers":         fail(localdiscord.RateLimited(200*time.Millisecond, false, true), 2),
		"429 without headers":      fail(localdiscord.RateLimited(200*time.Millisecond, false, false), 2),
		"429 global":               fail(localdiscord.RateLimited(200*time.Millisecond, true, true), 1),
		"429 as a page":            fail(localdiscord.RateLimitedHTML(), 1),
		"the answer is lost":       fail(localdiscord.Fault{Lost: true}, 1),
		"half a second of latency": fail(localdiscord.Fault{Latency: 500 * time.Millisecond}, 2),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			twoMovesDespite(bottest.New(t), f)
		})
	}
}

// twoMovesDespite plays two moves at a new table while requests fail by f, and expects one board for each move.
func twoMovesDespite(r *bottest.Rig, f localdiscord.Fault, then ...func()) {
	r.T.Helper()
	turn := r.OpenLoyal(bottest.Two)
	before := countBoards(r, bottest.TablesChannel)
	r.Server.AddFault(f)
	for _, f := range then {
		f()
	}
	r.TypeMove(r.Mover(turn), bottest.TablesChannel, bottest.NewRand())
	next := r.Next(bottest.TablesChannel, turn.ID, bottest.IsTurn)
	r.TypeMove(r.Mover(next), bottest.TablesChannel, bottest.NewRand())
	r.Next(bottest.TablesChannel, next.ID, bottest.IsTurn)
	if got := countBoards(r, bottest.TablesChannel); got != before+2 {
		r.T.Errorf("%d boards for two moves", got-before)
	}
}

// A request that Discord never answers times out, and the board is still posted once.
func TestARequestThatIsNeverAnswered(t *testing.T) {
	t.Parallel()
	const path = "/channels/" + bottest.TablesChannel + "/messages"
	hurried := &hurry{path: path, limit: 300 * time.Millisecond, left: 2}
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Transport = hurried.over })
	hold := make(chan struct{})
	defer close(hold)
	twoMovesDespite(r, localdiscord.Fault{Method: http.MethodPost, Path: path, Hold: hold, Times: 2}, hurried.start)
	hurried.mu.Lock()
	defer hurried.mu.Unlock()
	if hurried.left != 0 {
		t.Errorf("%d requests that are not answered were not sent", hurried.left)
	}
}

// hurry limits the duration of the first posts to a path after start is called. It does not affect other requests,
// which may be late on a busy machine.
type hurry struct {
	http.RoundTripper
	path  string
	limit time.Duration

	mu      sync.Mutex
	started bool
	left    int
}

func (h *hurry) over(base http.RoundTripper) http.RoundTripper { h.RoundTripper = base; return h }

func (h *hurry) start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = true
}

func (h *hurry) RoundTrip(q *http.Request) (*http.Response, error) {
	h.mu.Lock()
	held := h.started && h.left > 0 && q.Method == http.MethodPost && strings.HasSuffix(q.URL.Path, h.path)
	if held {
		h.left--
	}
	h.mu.Unlock()
	if !held {
		return h.RoundTripper.RoundTrip(q)
	}
	ctx, cancel := context.WithTimeout(q.Context(), h.limit)
	defer cancel()
	return h.RoundTripper.RoundTrip(q.WithContext(ctx))
}

// Players' moves are carried out after the gateway has dropped the connection or asked to reconnect, and during an
// outage of a server. After a forgotten session, they are carried out once the next session has begun.
func TestGatewayFaults(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Pacing = &manual.Hasty{} })
	turn := r.OpenLoyal(bottest.Two)
	for name, fault := range map[string]func(){
		"dropped":             r.Server.Gateway.Drop,
		"asked to reconnect":  r.Server.Gateway.RequestReconnect,
		"invalid session":     func() { r.Server.Gateway.Invalidate(false) },
		"resumable, invalid":  func() { r.Server.Gateway.Invalidate(true) },
		"dropped once more":   r.Server.Gateway.Drop,
		"a server is offline": func() { r.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, false) },
	} {
		before, _ := r.Server.Gateway.Sessions()
		fault()
		again := func() bool { // moves that are made before the new session would be lost
			begun, _ := r.Server.Gateway.Sessions()
			return name != "invalid session" || r.Server.Gateway.Connected() > 0 && begun > before
		}
		if err := r.Wait(again); err != nil {
			t.Fatalf("%s: not connected again: %v\n%s", name, err, r.Log)
		}
		if said := r.TypeMove(r.Mover(turn), bottest.TablesChannel, bottest.NewRand()); !strings.Contains(said,
			"Played") {
			t.Fatalf("%s: a move is answered %q\n%s", name, said, r.Log)
		}
		turn = r.TurnAfter(bottest.TablesChannel, turn)
	}
	if begun, resumed := r.Server.Gateway.Sessions(); begun != 2 || resumed != 4 {
		t.Errorf("%d sessions were begun and %d resumed, want 2 and 4", begun, resumed)
	}
	if snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1); err != nil || snap.Paused != "" {
		t.Errorf("after an outage of the server the table is paused: %v %q", err, snap.Paused)
	}
}

// The bot begins another session if one cannot be resumed, and notices changes that happened before the new session.
func TestGatewayBeginsAnew(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Pacing = &manual.Hasty{} })
	turn := r.OpenLoyal(bottest.Two)
	drop := func(times int) {
		t.Helper()
		r.Server.Gateway.Invalidate(false)
		r.Eventually("connected again", func() bool {
			return strings.Count(r.Log.String(), "connected to Discord again") == times
		})
		if begun, resumed := r.Server.Gateway.Sessions(); begun != times+1 || resumed != 0 {
			t.Errorf("after %d breaks %d sessions were begun and %d resumed, want %d and 0\n%s", times, begun, resumed,
				times+1, r.Log)
		}
	}
	drop(1)
	// Unlike KickBot, RemoveMember sends no GUILD_DELETE, so the bot does not notice its removal.
	if err := r.Server.Admin.RemoveMember(localdiscord.Tortuga, localdiscord.Application); err != nil {
		t.Fatal(err)
	}
	drop(2)
	state(r, "paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	if err := r.Server.Admin.InviteBot(localdiscord.Tortuga); err != nil {
		t.Fatal(err)
	}
	r.NextSaying(bottest.TablesChannel, turn.ID, "The game continues")
	if said := r.TypeMove(r.Mover(turn), bottest.TablesChannel, bottest.NewRand()); !strings.Contains(said, "Played") {
		t.Errorf("a move is answered %q\n%s", said, r.Log)
	}
}

// A gateway that accepts the connection but sends no Hello or no READY does not delay a stop.
func TestGatewaySilentWhileStopping(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]localdiscord.Handshake{"no Hello": localdiscord.NoHello,
		"no answer": localdiscord.NoReady} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := bottest.NewWith(t, func(r *bottest.Rig) { r.Pacing = &manual.Hasty{} })
			r.Server.Gateway.FailHandshakes(fault)
			r.Server.Gateway.Drop()
			if err := r.Wait(func() bool { return r.Server.Gateway.HandshakesLeft() == 0 }); err != nil {
				t.Fatal(err)
			}
			r.Stop()
			r.Start() // the database is free, and the gateway works again
		})
	}
}

// slowStore is a store whose ByGuild waits until the test allows it, even if its context ends.
type slowStore struct {
	*storage.Store
	asked, let chan struct{}
}

func (s slowStore) ByGuild(ctx context.Context, guild string, phase storage.Phase, after storage.ID,
	limit int) ([]storage.Head, error) {
	select {
	case s.asked <- struct{}{}:
	default:
	}
	<-s.let
	return s.Store.ByGuild(ctx, guild, phase, after, limit)
}

// An event whose handler is still running when the grace period of a stop is over is not logged as an error. The log
// says that the event is left for the next start.
func TestStoppingDuringAnEvent(t *testing.T) {
	t.Parallel()
	slow := slowStore{asked: make(chan struct{}, 1), let: make(chan struct{})}
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Grace = 1 // 1 ns: a stop waits for no work
		r.Wrap = func(s *storage.Store) bottest.Store { slow.Store = s; return slow }
	})
	if err := r.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, false); err != nil {
		t.Fatal(err)
	}
	select {
	case <-slow.asked:
	case <-r.Ctx.Done():
		t.Fatalf("the event did not come\n%s", r.Log)
	}
	r.Stop()
	close(slow.let)
	r.Eventually("said what became of it", func() bool {
		return strings.Contains(r.Log.String(), "guild="+localdiscord.Tortuga)
	})
	if got := r.Log.String(); strings.Contains(got, "level=ERROR") || !strings.Contains(got,
		"an event is left for the next start") {
		t.Errorf("the log has\n%s", got)
	}
	r.Wrap = nil
	r.Start()
}

// A table whose channel is deleted is paused, its players are informed, and the game continues in another channel.
func TestADeletedChannel(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	r.OpenLoyal([]string{localdiscord.Anne, localdiscord.Grace})
	if err := r.Server.Admin.DeleteChannel(bottest.TablesChannel); err != nil {
		t.Fatal(err)
	}
	state(r, "paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedChannelGone })
	dm, err := r.Server.DM(localdiscord.Anne)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.WaitMessage(dm, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "is paused")
	}); err != nil {
		t.Errorf("Anne is not written to: %v", err)
	}
	// Grace accepts no direct messages, so she gets the notice with the next answer to her.
	r.Eventually("kept for Grace", func() bool {
		p, err := r.Tables.Choices.Preferences(r.Ctx, localdiscord.Grace)
		return err == nil && len(p.Notices) == 1
	})
	r.WantText(r.Command(localdiscord.Grace, bottest.Tavern, "games"), "(paused)")
	if _, err := r.WaitMessage(bottest.Tavern, localdiscord.Grace, func(m *localdiscord.Message) bool {
		return m.EphemeralTo == localdiscord.Grace && strings.Contains(m.Text(), "I can't post in its channel")
	}); err != nil {
		t.Errorf("Grace is not told: %v", err)
	}
	r.WantText(r.Command(localdiscord.Anne, bottest.Tavern, "table here", localdiscord.Opt("table", "1")),
		"is now in this channel")
	turn := r.Next(bottest.Tavern, "", bottest.IsTurn)
	bottest.CheckBoard(t, r, turn)
	if said := r.TypeMove(r.Mover(turn), bottest.Tavern, bottest.NewRand()); !strings.Contains(said, "Played") {
		t.Errorf("a move after the move: %q", said)
	}
}

// Events whose publication failed for lack of a permission are published when the permission is restored.
func TestAMissingPermission(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	turn := r.OpenLoyal(bottest.Two)
	if err := r.Server.Admin.DenyBot(bottest.TablesChannel, localdiscord.PermissionSendMessages); err != nil {
		t.Fatal(err)
	}
	if said := r.TypeMove(r.Mover(turn), bottest.TablesChannel, bottest.NewRand()); !strings.Contains(said, "Played") {
		t.Fatal(said)
	}
	state(r, "paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedChannelGone })
	if err := r.Server.Admin.DenyBot(bottest.TablesChannel, 0); err != nil {
		t.Fatal(err)
	}
	state(r, "going on", func(s *table.Snapshot) bool { return s.Paused == "" })
	resumed := r.NextSaying(bottest.TablesChannel, turn.ID, "The game continues")
	if len(resumed.Pinged) != 1 {
		t.Errorf("%v are called to go on", resumed.Pinged)
	}
	if got := countBoards(r, bottest.TablesChannel); got != 2 {
		t.Errorf("%d boards, want the first and the one that could not be shown", got)
	}
}

// The bot notices that a permission is restored even if Discord sends no event. The unpublished events are then
// published, in order and once.
func TestAPermissionThatComesBackInSilence(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	turn := r.OpenLoyal(bottest.Two)
	allow := r.Server.AddFault(localdiscord.Fault{
		Method: http.MethodPost, Path: "/channels/" + bottest.TablesChannel + "/messages", Status: http.StatusForbidden,
		Body: `{"message": "Missing Permissions", "code": 50013}`,
	})
	mover := r.Mover(turn)
	if said := r.TypeMove(mover, bottest.TablesChannel, bottest.NewRand()); !strings.Contains(said, "Played") {
		t.Fatal(said)
	}
	state(r, "paused", func(s *table.Snapshot) bool {
		return s.Paused == storage.PausedChannelGone &&
			s.Retry.At != 0
	})
	for range 6 { // the bot keeps trying as long as the channel is closed
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		tries := snap.Retry.Tries
		clock.Advance(6*time.Hour + time.Minute)
		state(r, "tried again", func(s *table.Snapshot) bool { return s.Retry.Tries > tries && s.Retry.At != 0 })
	}
	allow()
	// An earlier attempt, which was refused, can record its result after the channel has opened. Then the next attempt,
	// after its pause, succeeds.
	state(r, "going on", func(s *table.Snapshot) bool {
		if wait := s.Retry.At.Time().Sub(clock.Now()); wait > 0 {
			clock.Advance(wait + time.Minute)
		}
		return s.Paused == "" && s.Retry.Tries == 0
	})
	resumed := r.NextSaying(bottest.TablesChannel, turn.ID, "The game continues")
	var said []*localdiscord.Message
	for _, m := range r.Server.Messages(bottest.TablesChannel, localdiscord.Anne) {
		if bottest.Later(m.ID, turn.ID) && m.EphemeralTo == "" {
			said = append(said, m)
		}
	}
	if len(said) != 2 || len(said[0].Pictures()) == 0 || said[1].ID != resumed.ID {
		t.Errorf("%d messages, want the board and then that the game goes on", len(said))
	}
	if got := countBoards(r, bottest.TablesChannel); got != 2 {
		t.Errorf("%d boards, want the first and the one that could not be shown", got)
	}
}

// A table whose thread is deleted is paused. The events of a table in a locked thread are published after the thread is
// unlocked.
func TestADeletedThreadAndALockedOne(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	r.OpenLoyal(bottest.Two)
	thread := func(opponent string) string {
		t.Helper()
		known := map[string]bool{}
		for _, c := range r.Server.Channels(localdiscord.Tortuga, localdiscord.Bart) {
			known[c.ID] = true
		}
		r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "play",
			localdiscord.Opt("game", bottest.LoyalCaptain),
			localdiscord.Opt("opponent", opponent)), "its own thread")
		for _, c := range r.Server.Channels(localdiscord.Tortuga, localdiscord.Bart) {
			if !known[c.ID] {
				lobby := r.Next(c.ID, "", bottest.IsLobby)
				r.Click(opponent, lobby, "Join")
				r.Next(c.ID, lobby.ID, bottest.IsTurn)
				return c.ID
			}
		}
		t.Fatal("no thread was opened")
		return ""
	}
	paused := func(id table.ID) func() bool {
		return func() bool {
			snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
			return err == nil && snap.Paused == storage.PausedChannelGone
		}
	}
	doomed, locked := thread(localdiscord.Grace), thread(localdiscord.Anne)
	if err := r.Server.Admin.DeleteChannel(doomed); err != nil {
		t.Fatal(err)
	}
	r.Eventually("the table of the deleted thread is paused", paused(2))

	if err := r.Server.Admin.ArchiveThread(locked, true, true); err != nil {
		t.Fatal(err)
	}
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 3)
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, m := range r.Server.Messages(locked, localdiscord.Bart) {
		last = m.ID
	}
	menu, _ := snap.Menu(snap.ToMove)
	r.WantText(r.Command(snap.Mover(), bottest.Tavern, "move", localdiscord.Opt("move", menu.Candidates()[0].Notation),
		localdiscord.Opt("table", "3")), "Played")
	r.Eventually("the table of the locked thread is paused", paused(3))
	if err := r.Server.Admin.ArchiveThread(locked, false, false); err != nil {
		t.Fatal(err)
	}
	clock.Advance(10 * time.Minute)
	board := r.Next(locked, last, bottest.IsTurn)
	bottest.CheckBoard(t, r, board)
	r.Eventually("the table of the locked thread goes on", func() bool { return !paused(3)() })
}

// The games on a server are paused when the bot is removed from it, and continue when the bot is back.
func TestAKickedBot(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	turn := r.OpenLoyal(bottest.Two)
	if err := r.Server.Admin.KickBot(localdiscord.Tortuga); err != nil {
		t.Fatal(err)
	}
	state(r, "paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	if err := r.Server.Admin.InviteBot(localdiscord.Tortuga); err != nil {
		t.Fatal(err)
	}
	state(r, "going on", func(s *table.Snapshot) bool { return s.Paused == "" })
	r.NextSaying(bottest.TablesChannel, turn.ID, "The game continues")
}

// An archived thread is reopened when there is a move at its table.
func TestAnArchivedThread(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	r.OpenLoyal(bottest.Two)
	g, _ := catalog.Find("loyal-captain")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "play", localdiscord.Opt("game", g.Key()),
		localdiscord.Opt("opponent", localdiscord.Grace)), "its own thread")
	thread := ""
	for _, c := range r.Server.Channels(localdiscord.Tortuga, localdiscord.Bart) {
		if c.Thread {
			thread = c.ID
		}
	}
	lobby := r.Next(thread, "", bottest.IsLobby)
	r.Click(localdiscord.Grace, lobby, "Join")
	turn := r.Next(thread, lobby.ID, bottest.IsTurn)
	if err := r.Wait(func() bool {
		m, err := r.Server.Message(lobby.ID, localdiscord.Bart)
		return err == nil && strings.Contains(m.Text(), "The game has begun")
	}); err != nil {
		t.Fatal(err)
	}
	if err := r.Server.Admin.ArchiveThread(thread, true, false); err != nil {
		t.Fatal(err)
	}
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	menu, _ := snap.Menu(snap.ToMove)
	r.WantText(r.Command(r.Mover(turn), bottest.Tavern, "move", localdiscord.Opt("move", menu.Candidates()[0].Notation),
		localdiscord.Opt("table", "2")), "Played")
	r.Next(thread, turn.ID, bottest.IsTurn)
	for _, c := range r.Server.Channels(localdiscord.Tortuga, localdiscord.Bart) {
		if c.ID == thread && c.Archived {
			t.Errorf("the thread is archived still")
		}
	}
}

// The buttons of a lobby are removed when the game begins, even if Discord refuses the first edit because the thread is
// archived.
func TestALobbyInAnArchivedThreadIsClosed(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	r.OpenLoyal(bottest.Two)
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "play",
		localdiscord.Opt("game", bottest.LoyalCaptain),
		localdiscord.Opt("opponent", localdiscord.Grace)), "its own thread")
	threads := r.Threads()
	if len(threads) != 1 {
		t.Fatalf("threads %v, want one", threads)
	}
	thread := threads[0].ID
	lobby := r.Next(thread, "", bottest.IsLobby)
	r.Server.AddFault(localdiscord.Fault{
		Method: http.MethodPatch, Path: "/channels/" + thread + "/messages/", Times: 1, Status: http.StatusBadRequest,
		Body: `{"message":"Thread is archived","code":50083}`,
	})
	r.Click(localdiscord.Grace, lobby, "Join")
	r.Next(thread, lobby.ID, bottest.IsTurn)
	if err := r.Wait(func() bool {
		m, err := r.Server.Message(lobby.ID, localdiscord.Bart)
		if err != nil {
			return false
		}
		_, joins := m.Button("Join")
		return !joins && strings.Contains(m.Text(), "The game has begun")
	}); err != nil {
		t.Errorf("the lobby keeps its buttons: %v\n%s", err, r.Log)
	}
}

// A server's data is deleted 30 days after the bot was removed from it. Data of another server is kept.
func TestDataOfALeftServer(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	r.OpenLoyal(bottest.Two)
	r.Command(localdiscord.Anne, bottest.TablesChannel, "me away", localdiscord.Opt("until", "2026-03-20"))
	if p, err := r.Tables.Choices.Preferences(r.Ctx, localdiscord.Anne); err != nil || len(p.Away) != 1 {
		t.Fatalf("Anne is away: %+v, %v", p, err)
	}
	days := puzzles.NewDays(r.Tables, r.Store, clock)
	today := days.Today()
	solved := func(guild string) int {
		t.Helper()
		month, err := days.Month(r.Ctx, guild, today, 10)
		if err != nil {
			t.Fatal(err)
		}
		return month.Total
	}
	for user, guild := range map[string]string{localdiscord.Anne: localdiscord.Tortuga,
		localdiscord.Jack: localdiscord.Nassau} {
		if _, counted, err := days.Solve(r.Ctx, user, guild, today); err != nil || !counted {
			t.Fatalf("a puzzle is solved: %v, %v", counted, err)
		}
	}
	r.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, false)
	r.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, true)
	if err := r.Server.Admin.KickBot(localdiscord.Tortuga); err != nil {
		t.Fatal(err)
	}
	state(r, "paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	for range 29 {
		clock.Advance(bottest.Day)
	}
	state(r, "there", func(s *table.Snapshot) bool { return s.Guild == localdiscord.Tortuga })
	clock.Advance(2 * bottest.Day)
	r.Eventually("deleted", func() bool {
		_, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
		return errors.Is(err, storage.ErrNoTable) && solved(localdiscord.Tortuga) == 0
	})
	if p, err := r.Tables.Choices.Preferences(r.Ctx, localdiscord.Anne); err != nil || len(p.Away) != 0 {
		t.Errorf("Anne's absences name the server still: %+v, %v", p, err)
	}
	if there := solved(localdiscord.Nassau); there != 1 {
		t.Errorf("who solved puzzles: %d lines of another server, want 1", there)
	}
}

// Users can get their stored data, and can have it deleted.
func TestPrivacy(t *testing.T) {
	t.Parallel()
	r, _ := bottest.NewTimed(t)
	turn := r.OpenLoyal(bottest.Two)
	r.PlayOn(bottest.TablesChannel)
	r.Command(localdiscord.Anne, bottest.TablesChannel, "me preferences", localdiscord.Opt("zone", "Asia/Tokyo"))
	page := r.Command(localdiscord.Anne, bottest.TablesChannel, "me privacy")
	file := r.Click(localdiscord.Anne, page, "Get my data")
	if len(file.Files()) != 1 {
		t.Fatalf("no file: %s", file.Text())
	}
	data, ok := r.Server.Attachment(file.Files()[0].URL)
	var all privacy.Dossier
	if err := json.Unmarshal(data, &all); !ok || err != nil || all.Preferences.Zone != "Asia/Tokyo" ||
		len(all.Tables) != 1 || all.Tables[0].Name != text.NewName("Anne") {
		t.Errorf("the file: %v, %s", err, data)
	}
	sure := r.Click(localdiscord.Anne, page, "Delete my data")
	r.WantText(r.Click(localdiscord.Anne, sure, "Yes, delete it"), "former sailor")
	r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver)
	if all, err := r.Privacy.Export(r.Ctx, localdiscord.Anne); err != nil || len(all.Tables)+
		len(all.Results) != 0 || all.Preferences.Zone != "" {
		t.Errorf("still stored: %+v, %v", all, err)
	}
	// The game still counts for Jack.
	r.WantText(r.Command(localdiscord.Jack, bottest.TablesChannel, "leaderboard"), "1 more opponent")
	board := r.Command(localdiscord.Jack, bottest.TablesChannel, "board")
	if strings.Contains(board.Text(), localdiscord.Anne) {
		t.Errorf("the board names her: %s", board.Text())
	}
}

// left returns the servers for which the store records that the bot was removed.
func left(r *bottest.Rig) []string {
	removals, err := r.Store.Removals(r.Ctx)
	if err != nil {
		r.T.Fatal(err)
	}
	var guilds []string
	for _, l := range removals {
		guilds = append(guilds, l.Guild)
	}
	return guilds
}

// A server's data is kept and its games continue when the bot is removed from it and immediately added again: events
// are handled in order.
func TestAKickAndAReturnAtOnce(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	r.OpenLoyal(bottest.Two)
	for range 5 {
		if err := r.Server.Admin.KickBot(localdiscord.Tortuga); err != nil {
			t.Fatal(err)
		}
		if err := r.Server.Admin.InviteBot(localdiscord.Tortuga); err != nil {
			t.Fatal(err)
		}
	}
	r.Eventually("back five times", func() bool {
		return strings.Count(r.Log.String(), "the bot is back on a server") == 5
	})
	if got := left(r); len(got) != 0 {
		t.Fatalf("it is noted that the bot is not on %v", got)
	}
	state(r, "going on", func(s *table.Snapshot) bool { return s.Paused == "" })
	// At the end the table is closed as idle, which shows that due work was carried out. Its data is kept.
	for range 12 {
		clock.Advance(3 * bottest.Day)
	}
	state(r, "closed for idleness", func(s *table.Snapshot) bool {
		clock.Advance(bottest.Day)
		return s.Status == table.Over
	})
	if snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1); err != nil || snap.Guild != localdiscord.Tortuga {
		t.Errorf("after the time of grace: %v", err)
	}
}

// A removal from a server while the bot was down is noticed at the next start. It is undone when the bot is on the
// server again, even during an outage of the server. An outage alone is not a removal.
func TestARemovalWhileTheBotWasDown(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	r.OpenLoyal(bottest.Two)
	down := func(what func() error) {
		t.Helper()
		r.Stop()
		if err := what(); err != nil {
			t.Fatal(err)
		}
		r.Start()
	}
	down(func() error { return r.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, false) })
	state(r, "there", func(s *table.Snapshot) bool { return s.Paused == "" })
	if got := left(r); len(got) != 0 {
		t.Errorf("during an outage it is noted that the bot is not on %v", got)
	}
	down(func() error {
		return errors.Join(r.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, true),
			r.Server.Admin.KickBot(localdiscord.Tortuga))
	})
	state(r, "paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	if got := left(r); !slices.Equal(got, []string{localdiscord.Tortuga}) {
		t.Errorf("it is noted that the bot is not on %v", got)
	}
	clock.Advance(20 * bottest.Day)
	down(func() error {
		return errors.Join(r.Server.Admin.InviteBot(localdiscord.Tortuga),
			r.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, false))
	})
	state(r, "going on", func(s *table.Snapshot) bool { return s.Paused == "" })
	if got := left(r); len(got) != 0 {
		t.Errorf("back on the server, it is noted that the bot is not on %v", got)
	}
	down(func() error {
		return errors.Join(r.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, true),
			r.Server.Admin.KickBot(localdiscord.Tortuga))
	})
	state(r, "paused again", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	down(func() error { return nil }) // the time until deletion continues across restarts
	for range 31 {
		clock.Advance(bottest.Day)
	}
	r.Eventually("deleted", func() bool {
		clock.Advance(time.Minute)
		_, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
		return errors.Is(err, storage.ErrNoTable)
	})
}

// If the games of a server from which the bot was removed could not be paused at the time, because the store failed,
// the next start pauses them.
func TestARemovalThatIsNotFinished(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Wrap = func(s *storage.Store) bottest.Store { return bottest.Breakable(s, &broken) }
	})
	r.OpenLoyal(bottest.Two)
	broken.Store(true)
	r.Must(r.Server.Admin.KickBot(localdiscord.Tortuga))
	r.Eventually("refused", func() bool { return strings.Contains(r.Log.String(), "could not all be paused") })
	if got := left(r); !slices.Equal(got, []string{localdiscord.Tortuga}) {
		t.Errorf("it is noted that the bot is not on %v", got)
	}
	r.Stop()
	r.Log.Clear() // the test must not end with the store's refusals in the log
	broken.Store(false)
	r.Start()
	state(r, "paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
}

// An outage of a server stops its clocks. Nobody is pinged for moves they could not make, even if the bot restarts
// during the outage.
func TestAnOutageOfAServer(t *testing.T) {
	t.Parallel()
	r, clock := bottest.NewTimed(t)
	turn := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "4h"), localdiscord.Opt("late", "forfeit"))
	available := func(yes bool) {
		t.Helper()
		if err := r.Server.Admin.SetGuildAvailable(localdiscord.Tortuga, yes); err != nil {
			t.Fatal(err)
		}
		r.Eventually("noted", func() bool {
			c, err := r.Tables.Choices.Settings(r.Ctx, localdiscord.Tortuga)
			return err == nil && len(c.Outages) > 0 && (c.Outages[len(c.Outages)-1].To != 0) == yes
		})
	}
	want := clock.Now().Add(4 * time.Hour)
	clock.Advance(time.Hour)
	available(false)
	clock.Advance(bottest.Day)
	r.Stop()
	clock.Advance(bottest.Day)
	r.Start()
	clock.Advance(bottest.Day)
	if snap := r.Table(); !snap.Status.Active() {
		t.Fatalf("time ran out during the outage: %+v", snap.Head)
	}
	if last := r.Latest(bottest.TablesChannel); last != turn.ID {
		if m, err := r.Server.Message(last, localdiscord.Anne); err != nil {
			t.Error(err)
		} else {
			t.Errorf("during the outage somebody was told %q", m.Text())
		}
	}
	available(true) // reminders that fell due during the outage may come from now on
	want = want.Add(3 * bottest.Day)
	if at, runs, err := r.Deadline(r.Table().Head); err != nil || !runs || !at.Equal(want) {
		t.Errorf("after the outage time runs out at %v (%v, %v), want %v", at, runs, err, want)
	}
	clock.Advance(3*time.Hour + time.Minute)
	r.WantText(r.Next(bottest.TablesChannel, turn.ID, bottest.IsOver), "has run out of time")
}
