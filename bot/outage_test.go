package bot_test

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

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/games/text"
	"marque/storage"
)

// countBoards counts the turn messages of a channel, as one user sees them.
func (r *rig) countBoards(channel string) int {
	n := 0
	for _, m := range r.srv.Messages(channel, localdiscord.Anne) {
		if isTurn(m) && len(m.Pictures()) > 0 {
			n++
		}
	}
	return n
}

// state waits until the table with id 1 is as want says.
func (r *rig) state(what string, want func(*table.Snapshot) bool) {
	r.t.Helper()
	r.eventually(what, func() bool {
		snap, err := r.tables.Lookup.Snapshot(r.ctx, 1)
		return err == nil && want(snap)
	})
}

// eventually waits for what no message tells of.
func (r *rig) eventually(what string, cond func() bool) {
	r.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	ctx, cancel := r.waiting()
	defer cancel()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			snap, _ := r.tables.Lookup.Snapshot(context.Background(), 1)
			r.t.Fatalf("never %s; the table is %+v\n%s", what, snap.Head, r.log)
		}
	}
}

// Requests that fail, in every way in which Discord's fail, delay a board but neither lose nor double it.
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
			newRig(t).twoMovesDespite(f)
		})
	}
}

// twoMovesDespite plays two moves of a new table while something is wrong, and wants a board for each, once.
func (r *rig) twoMovesDespite(f localdiscord.Fault, then ...func()) {
	r.t.Helper()
	turn := r.openLoyal(two)
	before := r.countBoards(tablesChannel)
	r.srv.AddFault(f)
	for _, f := range then {
		f()
	}
	r.typeMove(r.mover(turn), tablesChannel, seeded())
	next := r.next(tablesChannel, turn.ID, isTurn)
	r.typeMove(r.mover(next), tablesChannel, seeded())
	r.next(tablesChannel, next.ID, isTurn)
	if got := r.countBoards(tablesChannel); got != before+2 {
		r.t.Errorf("%d boards for two moves", got-before)
	}
}

// A request that Discord never answers is given up, and the board is posted once all the same.
func TestARequestThatIsNeverAnswered(t *testing.T) {
	t.Parallel()
	const path = "/channels/" + tablesChannel + "/messages"
	hurried := &hurry{path: path, limit: 300 * time.Millisecond, left: 2}
	r := newRigWith(t, func(r *rig) { r.transport = hurried.over })
	hold := make(chan struct{})
	defer close(hold)
	r.twoMovesDespite(localdiscord.Fault{Method: http.MethodPost, Path: path, Hold: hold, Times: 2}, hurried.start)
	hurried.mu.Lock()
	defer hurried.mu.Unlock()
	if hurried.left != 0 {
		t.Errorf("%d requests that are not answered were not sent", hurried.left)
	}
}

// hurry gives up the first requests that post to a path once it is started: those that are held,
// and no others, which a busy machine may keep waiting.
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

// A gateway that drops, asks to reconnect or forgets the session costs nothing: what players do while there is no
// connection is carried out, unless the session is gone.
func TestGatewayFaults(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, func(r *rig) { r.pacing = &manual.Hasty{} })
	turn := r.openLoyal(two)
	for name, fault := range map[string]func(){
		"dropped":             r.srv.Gateway.Drop,
		"asked to reconnect":  r.srv.Gateway.RequestReconnect,
		"invalid session":     func() { r.srv.Gateway.Invalidate(false) },
		"resumable, invalid":  func() { r.srv.Gateway.Invalidate(true) },
		"dropped once more":   r.srv.Gateway.Drop,
		"a server is offline": func() { r.srv.Admin.SetGuildAvailable(localdiscord.Tortuga, false) },
	} {
		before, _ := r.srv.Gateway.Sessions()
		fault()
		again := func() bool { // what comes after an invalid session and before the next is lost
			begun, _ := r.srv.Gateway.Sessions()
			return name != "invalid session" || r.srv.Gateway.Connected() > 0 && begun > before
		}
		if err := r.wait(again); err != nil {
			t.Fatalf("%s: not connected again: %v\n%s", name, err, r.log)
		}
		if said := r.typeMove(r.mover(turn), tablesChannel, seeded()); !strings.Contains(said, "Played") {
			t.Fatalf("%s: a move is answered %q\n%s", name, said, r.log)
		}
		turn = r.turnAfter(tablesChannel, turn)
	}
	if begun, resumed := r.srv.Gateway.Sessions(); begun != 2 || resumed != 4 {
		t.Errorf("%d sessions were begun and %d resumed, want 2 and 4", begun, resumed)
	}
	if snap, err := r.tables.Lookup.Snapshot(r.ctx, 1); err != nil || snap.Paused != "" {
		t.Errorf("after an outage of the server the table is paused: %v %q", err, snap.Paused)
	}
}

// Where a session cannot be resumed, another begins; what happened before it is noticed.
func TestGatewayBeginsAnew(t *testing.T) {
	t.Parallel()
	r := newRigWith(t, func(r *rig) { r.pacing = &manual.Hasty{} })
	turn := r.openLoyal(two)
	drop := func(times int) {
		t.Helper()
		r.srv.Gateway.Invalidate(false)
		r.eventually("connected again", func() bool {
			return strings.Count(r.log.String(), "connected to Discord again") == times
		})
		if begun, resumed := r.srv.Gateway.Sessions(); begun != times+1 || resumed != 0 {
			t.Errorf("after %d breaks %d sessions were begun and %d resumed, want %d and 0\n%s", times, begun, resumed,
				times+1, r.log)
		}
	}
	drop(1)
	if err := r.srv.Admin.RemoveMember(localdiscord.Tortuga, localdiscord.Application); err != nil { // in silence
		t.Fatal(err)
	}
	drop(2)
	r.state("paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	if err := r.srv.Admin.InviteBot(localdiscord.Tortuga); err != nil {
		t.Fatal(err)
	}
	r.says(tablesChannel, turn.ID, "The game goes on")
	if said := r.typeMove(r.mover(turn), tablesChannel, seeded()); !strings.Contains(said, "Played") {
		t.Errorf("a move is answered %q\n%s", said, r.log)
	}
}

// A gateway that takes the connection and says nothing does not keep the bot from stopping.
func TestGatewaySilentWhileStopping(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]localdiscord.Handshake{"no Hello": localdiscord.NoHello,
		"no answer": localdiscord.NoReady} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRigWith(t, func(r *rig) { r.pacing = &manual.Hasty{} })
			r.srv.Gateway.FailHandshakes(fault)
			r.srv.Gateway.Drop()
			if err := r.wait(func() bool { return r.srv.Gateway.HandshakesLeft() == 0 }); err != nil {
				t.Fatal(err)
			}
			r.stop()
			r.start() // the database is free, and the gateway good again
		})
	}
}

// slowStore is a store whose list of a server's tables comes when it is let go, whatever its caller wants.
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

// An event that is under way when the bot has no more time to stop is no failure: it is left for
// the next start, which notices what it would have noted.
func TestStoppingDuringAnEvent(t *testing.T) {
	t.Parallel()
	slow := slowStore{asked: make(chan struct{}, 1), let: make(chan struct{})}
	r := newRigWith(t, func(r *rig) {
		r.grace = 1 // nanosecond
		r.wrap = func(s *storage.Store) keeper { slow.Store = s; return slow }
	})
	if err := r.srv.Admin.SetGuildAvailable(localdiscord.Tortuga, false); err != nil {
		t.Fatal(err)
	}
	select {
	case <-slow.asked:
	case <-r.ctx.Done():
		t.Fatalf("the event did not come\n%s", r.log)
	}
	r.stop()
	close(slow.let)
	r.eventually("said what became of it", func() bool {
		return strings.Contains(r.log.String(), "guild="+localdiscord.Tortuga)
	})
	if got := r.log.String(); strings.Contains(got, "level=ERROR") || !strings.Contains(got,
		"an event is left for the next start") {
		t.Errorf("the log has\n%s", got)
	}
	r.wrap = nil
	r.start()
}

// A table whose channel is deleted is paused, its players are told, and it goes on in another.
func TestADeletedChannel(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.openLoyal([]string{localdiscord.Anne, localdiscord.Grace})
	if err := r.srv.Admin.DeleteChannel(tablesChannel); err != nil {
		t.Fatal(err)
	}
	r.state("paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedChannelGone })
	dm, err := r.srv.DM(localdiscord.Anne)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.waitMessage(dm, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "is paused")
	}); err != nil {
		t.Errorf("Anne is not written to: %v", err)
	}
	// Grace accepts no direct messages: she is told with the next answer.
	r.eventually("kept for Grace", func() bool {
		p, err := r.tables.Choices.Preferences(r.ctx, localdiscord.Grace)
		return err == nil && len(p.Notices) == 1
	})
	r.wantText(r.command(localdiscord.Grace, tavern, "games"), "(paused)")
	if _, err := r.waitMessage(tavern, localdiscord.Grace, func(m *localdiscord.Message) bool {
		return m.EphemeralTo == localdiscord.Grace && strings.Contains(m.Text(), "I can't write in its channel")
	}); err != nil {
		t.Errorf("Grace is not told: %v", err)
	}
	r.wantText(r.command(localdiscord.Anne, tavern, "table here", localdiscord.Opt("table", "1")), "is played here")
	turn := r.next(tavern, "", isTurn)
	checkBoard(t, r, turn)
	if said := r.typeMove(r.mover(turn), tavern, seeded()); !strings.Contains(said, "Played") {
		t.Errorf("a move after the move: %q", said)
	}
}

// What cannot be said for want of a permission is said when it is given back.
func TestAMissingPermission(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	turn := r.openLoyal(two)
	if err := r.srv.Admin.DenyBot(tablesChannel, localdiscord.PermissionSendMessages); err != nil {
		t.Fatal(err)
	}
	if said := r.typeMove(r.mover(turn), tablesChannel, seeded()); !strings.Contains(said, "Played") {
		t.Fatal(said)
	}
	r.state("paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedChannelGone })
	if err := r.srv.Admin.DenyBot(tablesChannel, 0); err != nil {
		t.Fatal(err)
	}
	r.state("going on", func(s *table.Snapshot) bool { return s.Paused == "" })
	resumed := r.says(tablesChannel, turn.ID, "The game goes on")
	if len(resumed.Pinged) != 1 {
		t.Errorf("%v are called to go on", resumed.Pinged)
	}
	if got := r.countBoards(tablesChannel); got != 2 {
		t.Errorf("%d boards, want the first and the one that could not be shown", got)
	}
}

// A permission that comes back without Discord saying so is noticed by itself: what could not be
// said is said, in order and once.
func TestAPermissionThatComesBackInSilence(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	turn := r.openLoyal(two)
	allow := r.srv.AddFault(localdiscord.Fault{
		Method: http.MethodPost, Path: "/channels/" + tablesChannel + "/messages", Status: http.StatusForbidden,
		Body: `{"message": "Missing Permissions", "code": 50013}`,
	})
	mover := r.mover(turn)
	if said := r.typeMove(mover, tablesChannel, seeded()); !strings.Contains(said, "Played") {
		t.Fatal(said)
	}
	r.state("paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedChannelGone && s.Retell.At != 0 })
	for range 6 { // as long as it is closed, it is tried again and again
		snap, err := r.tables.Lookup.Snapshot(r.ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		tries := snap.Retell.Tries
		clock.Advance(6*time.Hour + time.Minute)
		r.state("tried again", func(s *table.Snapshot) bool { return s.Retell.Tries > tries && s.Retell.At != 0 })
	}
	allow()
	// A try that was refused just before may note its result after the channel is open: then it is the next one that
	// succeeds, as much later.
	r.state("going on", func(s *table.Snapshot) bool {
		if wait := s.Retell.At.Time().Sub(clock.Now()); wait > 0 {
			clock.Advance(wait + time.Minute)
		}
		return s.Paused == "" && s.Retell.Tries == 0
	})
	resumed := r.says(tablesChannel, turn.ID, "The game goes on")
	var said []*localdiscord.Message
	for _, m := range r.srv.Messages(tablesChannel, localdiscord.Anne) {
		if later(m.ID, turn.ID) && m.EphemeralTo == "" {
			said = append(said, m)
		}
	}
	if len(said) != 2 || len(said[0].Pictures()) == 0 || said[1].ID != resumed.ID {
		t.Errorf("%d messages, want the board and then that the game goes on", len(said))
	}
	if got := r.countBoards(tablesChannel); got != 2 {
		t.Errorf("%d boards, want the first and the one that could not be shown", got)
	}
}

// A thread that is deleted pauses its table, too, and a thread that is locked is told when it is open again.
func TestADeletedThreadAndALockedOne(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	r.openLoyal(two)
	thread := func(opponent string) string {
		t.Helper()
		known := map[string]bool{}
		for _, c := range r.srv.Channels(localdiscord.Tortuga, localdiscord.Bart) {
			known[c.ID] = true
		}
		r.wantText(r.command(localdiscord.Bart, tablesChannel, "play", localdiscord.Opt("game", captain),
			localdiscord.Opt("opponent", opponent)), "thread of its own")
		for _, c := range r.srv.Channels(localdiscord.Tortuga, localdiscord.Bart) {
			if !known[c.ID] {
				lobby := r.next(c.ID, "", isLobby)
				r.click(opponent, lobby, "Join")
				r.next(c.ID, lobby.ID, isTurn)
				return c.ID
			}
		}
		t.Fatal("no thread was opened")
		return ""
	}
	paused := func(id table.ID) func() bool {
		return func() bool {
			snap, err := r.tables.Lookup.Snapshot(r.ctx, id)
			return err == nil && snap.Paused == storage.PausedChannelGone
		}
	}
	doomed, locked := thread(localdiscord.Grace), thread(localdiscord.Anne)
	if err := r.srv.Admin.DeleteChannel(doomed); err != nil {
		t.Fatal(err)
	}
	r.eventually("the table of the deleted thread is paused", paused(2))

	if err := r.srv.Admin.ArchiveThread(locked, true, true); err != nil {
		t.Fatal(err)
	}
	snap, err := r.tables.Lookup.Snapshot(r.ctx, 3)
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, m := range r.srv.Messages(locked, localdiscord.Bart) {
		last = m.ID
	}
	menu, _ := snap.Menu(snap.ToMove)
	r.wantText(r.command(snap.Mover(), tavern, "move", localdiscord.Opt("move", menu.Candidates()[0].Notation),
		localdiscord.Opt("table", "3")), "Played")
	r.eventually("the table of the locked thread is paused", paused(3))
	if err := r.srv.Admin.ArchiveThread(locked, false, false); err != nil {
		t.Fatal(err)
	}
	clock.Advance(10 * time.Minute)
	board := r.next(locked, last, isTurn)
	checkBoard(t, r, board)
	r.eventually("the table of the locked thread goes on", func() bool { return !paused(3)() })
}

// Removed from a server the bot pauses its games; they go on when it is back.
func TestAKickedBot(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	turn := r.openLoyal(two)
	if err := r.srv.Admin.KickBot(localdiscord.Tortuga); err != nil {
		t.Fatal(err)
	}
	r.state("paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	if err := r.srv.Admin.InviteBot(localdiscord.Tortuga); err != nil {
		t.Fatal(err)
	}
	r.state("going on", func(s *table.Snapshot) bool { return s.Paused == "" })
	r.says(tablesChannel, turn.ID, "The game goes on")
}

// An archived thread is opened again when its table moves.
func TestAnArchivedThread(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.openLoyal(two)
	g, _ := catalog.Find("loyal-captain")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "play", localdiscord.Opt("game", g.Key()),
		localdiscord.Opt("opponent", localdiscord.Grace)), "thread of its own")
	thread := ""
	for _, c := range r.srv.Channels(localdiscord.Tortuga, localdiscord.Bart) {
		if c.Thread {
			thread = c.ID
		}
	}
	lobby := r.next(thread, "", isLobby)
	r.click(localdiscord.Grace, lobby, "Join")
	turn := r.next(thread, lobby.ID, isTurn)
	if err := r.wait(func() bool {
		m, err := r.srv.Message(lobby.ID, localdiscord.Bart)
		return err == nil && strings.Contains(m.Text(), "The game has begun")
	}); err != nil {
		t.Fatal(err)
	}
	if err := r.srv.Admin.ArchiveThread(thread, true, false); err != nil {
		t.Fatal(err)
	}
	snap, err := r.tables.Lookup.Snapshot(r.ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	menu, _ := snap.Menu(snap.ToMove)
	r.wantText(r.command(r.mover(turn), tavern, "move", localdiscord.Opt("move", menu.Candidates()[0].Notation),
		localdiscord.Opt("table", "2")), "Played")
	r.next(thread, turn.ID, isTurn)
	for _, c := range r.srv.Channels(localdiscord.Tortuga, localdiscord.Bart) {
		if c.ID == thread && c.Archived {
			t.Errorf("the thread is archived still")
		}
	}
}

// The buttons of a lobby go when the game begins, also when its thread is archived at that moment.
func TestALobbyInAnArchivedThreadIsClosed(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.openLoyal(two)
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "play", localdiscord.Opt("game", captain),
		localdiscord.Opt("opponent", localdiscord.Grace)), "thread of its own")
	threads := r.threads()
	if len(threads) != 1 {
		t.Fatalf("threads %v, want one", threads)
	}
	thread := threads[0].ID
	lobby := r.next(thread, "", isLobby)
	r.srv.AddFault(localdiscord.Fault{
		Method: http.MethodPatch, Path: "/channels/" + thread + "/messages/", Times: 1, Status: http.StatusBadRequest,
		Body: `{"message":"Thread is archived","code":50083}`,
	})
	r.click(localdiscord.Grace, lobby, "Join")
	r.next(thread, lobby.ID, isTurn)
	if err := r.wait(func() bool {
		m, err := r.srv.Message(lobby.ID, localdiscord.Bart)
		if err != nil {
			return false
		}
		_, joins := m.Button("Join")
		return !joins && strings.Contains(m.Text(), "The game has begun")
	}); err != nil {
		t.Errorf("the lobby keeps its buttons: %v\n%s", err, r.log)
	}
}

// threads are the threads of the first server.
func (r *rig) threads() []localdiscord.Channel {
	var list []localdiscord.Channel
	for _, c := range r.srv.Channels(localdiscord.Tortuga, localdiscord.Mary) {
		if c.Thread {
			list = append(list, c)
		}
	}
	return list
}

// The data of a server are kept for a while after the bot was removed, then they are gone; an outage is no removal.
func TestDataOfALeftServer(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	r.openLoyal(two)
	r.command(localdiscord.Anne, tablesChannel, "me away", localdiscord.Opt("until", "2026-03-20"))
	if p, err := r.tables.Choices.Preferences(r.ctx, localdiscord.Anne); err != nil || len(p.Away) != 1 {
		t.Fatalf("Anne is away: %+v, %v", p, err)
	}
	today := r.tables.Puzzles.Today()
	solved := func(guild string) int {
		t.Helper()
		month, err := r.tables.Puzzles.Month(r.ctx, guild, today, 10)
		if err != nil {
			t.Fatal(err)
		}
		return month.Total
	}
	for user, guild := range map[string]string{localdiscord.Anne: localdiscord.Tortuga,
		localdiscord.Jack: localdiscord.Nassau} {
		if _, counted, err := r.tables.Puzzles.Solve(r.ctx, user, guild, today); err != nil || !counted {
			t.Fatalf("a puzzle is solved: %v, %v", counted, err)
		}
	}
	r.srv.Admin.SetGuildAvailable(localdiscord.Tortuga, false)
	r.srv.Admin.SetGuildAvailable(localdiscord.Tortuga, true)
	if err := r.srv.Admin.KickBot(localdiscord.Tortuga); err != nil {
		t.Fatal(err)
	}
	r.state("paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	for range 29 {
		clock.Advance(day)
	}
	r.state("there", func(s *table.Snapshot) bool { return s.Guild == localdiscord.Tortuga })
	clock.Advance(2 * day)
	r.eventually("deleted", func() bool {
		_, err := r.tables.Lookup.Snapshot(r.ctx, 1)
		return errors.Is(err, storage.ErrNoTable) && solved(localdiscord.Tortuga) == 0
	})
	if p, err := r.tables.Choices.Preferences(r.ctx, localdiscord.Anne); err != nil || len(p.Away) != 0 {
		t.Errorf("Anne's absences name the server still: %+v, %v", p, err)
	}
	if there := solved(localdiscord.Nassau); there != 1 {
		t.Errorf("who solved puzzles: %d lines of another server, want 1", there)
	}
}

// Who asks for it gets all that is stored of them, and can have it deleted.
func TestPrivacy(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	turn := r.openLoyal(two)
	r.playOn(tablesChannel)
	r.command(localdiscord.Anne, tablesChannel, "me preferences", localdiscord.Opt("zone", "Asia/Tokyo"))
	page := r.command(localdiscord.Anne, tablesChannel, "me privacy")
	file := r.click(localdiscord.Anne, page, "Get my data")
	if len(file.Files()) != 1 {
		t.Fatalf("no file: %s", file.Text())
	}
	data, ok := r.srv.Attachment(file.Files()[0].URL)
	var all table.Dossier
	if err := json.Unmarshal(data, &all); !ok || err != nil || all.Preferences.Zone != "Asia/Tokyo" ||
		len(all.Tables) != 1 || all.Tables[0].Name != text.NewName("Anne") {
		t.Errorf("the file: %v, %s", err, data)
	}
	sure := r.click(localdiscord.Anne, page, "Delete my data")
	r.wantText(r.click(localdiscord.Anne, sure, "Yes, delete it"), "departed sailor")
	r.next(tablesChannel, turn.ID, isOver)
	if all, err := r.tables.Privacy.Export(r.ctx, localdiscord.Anne); err != nil || len(all.Tables)+
		len(all.Results) != 0 || all.Preferences.Zone != "" {
		t.Errorf("still stored: %+v, %v", all, err)
	}
	// the game counts for him still
	r.wantText(r.command(localdiscord.Jack, tablesChannel, "leaderboard"), "1 more opponent")
	board := r.command(localdiscord.Jack, tablesChannel, "board")
	if strings.Contains(board.Text(), localdiscord.Anne) {
		t.Errorf("the board names her: %s", board.Text())
	}
}

// left are the servers that the bot has noted it was removed from.
func (r *rig) left() []string {
	removals, err := r.store.Removals(r.ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	var guilds []string
	for _, l := range removals {
		guilds = append(guilds, l.Guild)
	}
	return guilds
}

// A kick followed at once by a return leaves the server's data alive, and its games going on:
// events are taken in their order.
func TestAKickAndAReturnAtOnce(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	r.openLoyal(two)
	for range 5 {
		if err := r.srv.Admin.KickBot(localdiscord.Tortuga); err != nil {
			t.Fatal(err)
		}
		if err := r.srv.Admin.InviteBot(localdiscord.Tortuga); err != nil {
			t.Fatal(err)
		}
	}
	r.eventually("back five times", func() bool {
		return strings.Count(r.log.String(), "the bot is back on a server") == 5
	})
	if got := r.left(); len(got) != 0 {
		t.Fatalf("it is noted that the bot is not on %v", got)
	}
	r.state("going on", func(s *table.Snapshot) bool { return s.Paused == "" })
	// The table is closed as idle at the end, which shows that what falls due was looked at; its data stay.
	for range 12 {
		clock.Advance(3 * day)
	}
	r.state("closed for idleness", func(s *table.Snapshot) bool {
		clock.Advance(day)
		return s.Status == table.Over
	})
	if snap, err := r.tables.Lookup.Snapshot(r.ctx, 1); err != nil || snap.Guild != localdiscord.Tortuga {
		t.Errorf("after the time of grace: %v", err)
	}
}

// That the bot was removed while it was down is noticed at the next start, and taken back when it
// is on the server again, even during an outage of the server. An outage alone is no removal.
func TestARemovalWhileTheBotWasDown(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	r.openLoyal(two)
	down := func(what func() error) {
		t.Helper()
		r.stop()
		if err := what(); err != nil {
			t.Fatal(err)
		}
		r.start()
	}
	down(func() error { return r.srv.Admin.SetGuildAvailable(localdiscord.Tortuga, false) })
	r.state("there", func(s *table.Snapshot) bool { return s.Paused == "" })
	if got := r.left(); len(got) != 0 {
		t.Errorf("during an outage it is noted that the bot is not on %v", got)
	}
	down(func() error {
		return errors.Join(r.srv.Admin.SetGuildAvailable(localdiscord.Tortuga, true),
			r.srv.Admin.KickBot(localdiscord.Tortuga))
	})
	r.state("paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	if got := r.left(); !slices.Equal(got, []string{localdiscord.Tortuga}) {
		t.Errorf("it is noted that the bot is not on %v", got)
	}
	clock.Advance(20 * day)
	down(func() error {
		return errors.Join(r.srv.Admin.InviteBot(localdiscord.Tortuga),
			r.srv.Admin.SetGuildAvailable(localdiscord.Tortuga, false))
	})
	r.state("going on", func(s *table.Snapshot) bool { return s.Paused == "" })
	if got := r.left(); len(got) != 0 {
		t.Errorf("back on the server, it is noted that the bot is not on %v", got)
	}
	down(func() error {
		return errors.Join(r.srv.Admin.SetGuildAvailable(localdiscord.Tortuga, true),
			r.srv.Admin.KickBot(localdiscord.Tortuga))
	})
	r.state("paused again", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
	down(func() error { return nil }) // the time of grace goes on over restarts
	for range 31 {
		clock.Advance(day)
	}
	r.eventually("deleted", func() bool {
		clock.Advance(time.Minute)
		_, err := r.tables.Lookup.Snapshot(r.ctx, 1)
		return errors.Is(err, storage.ErrNoTable)
	})
}

// Games that were not paused when the bot was removed, for it was stopped or its store refused that, are at its next
// start.
func TestARemovalThatIsNotFinished(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	r := newRigWith(t, func(r *rig) {
		r.wrap = func(s *storage.Store) keeper { return brokenStore{s, &broken} }
	})
	r.openLoyal(two)
	broken.Store(true)
	r.must(r.srv.Admin.KickBot(localdiscord.Tortuga))
	r.eventually("refused", func() bool { return strings.Contains(r.log.String(), "could not all be paused") })
	if got := r.left(); !slices.Equal(got, []string{localdiscord.Tortuga}) {
		t.Errorf("it is noted that the bot is not on %v", got)
	}
	r.stop()
	r.log.clear() // of what the store refused
	broken.Store(false)
	r.start()
	r.state("paused", func(s *table.Snapshot) bool { return s.Paused == storage.PausedRemoved })
}

// An outage of the server stops the clocks there, and nobody is called for what they could not do,
// also when the bot starts again meanwhile.
func TestAnOutageOfAServer(t *testing.T) {
	t.Parallel()
	r, clock := newTimedRig(t)
	turn := r.openLoyal(two, localdiscord.Opt("clock", "4h"), localdiscord.Opt("late", "forfeit"))
	available := func(yes bool) {
		t.Helper()
		if err := r.srv.Admin.SetGuildAvailable(localdiscord.Tortuga, yes); err != nil {
			t.Fatal(err)
		}
		r.eventually("noted", func() bool {
			c, err := r.tables.Choices.Settings(r.ctx, localdiscord.Tortuga)
			return err == nil && len(c.Outages) > 0 && (c.Outages[len(c.Outages)-1].To != 0) == yes
		})
	}
	want := clock.Now().Add(4 * time.Hour)
	clock.Advance(time.Hour)
	available(false)
	clock.Advance(day)
	r.stop()
	clock.Advance(day)
	r.start()
	clock.Advance(day)
	if snap := r.table(); !snap.Status.Active() {
		t.Fatalf("time ran out during the outage: %+v", snap.Head)
	}
	if last := r.latest(tablesChannel); last != turn.ID {
		if m, err := r.srv.Message(last, localdiscord.Anne); err != nil {
			t.Error(err)
		} else {
			t.Errorf("during the outage somebody was told %q", m.Text())
		}
	}
	available(true) // a reminder that was due meanwhile may come from now on
	want = want.Add(3 * day)
	if at, runs, err := r.deadline(r.table().Head); err != nil || !runs || !at.Equal(want) {
		t.Errorf("after the outage time runs out at %v (%v, %v), want %v", at, runs, err, want)
	}
	clock.Advance(3*time.Hour + time.Minute)
	r.wantText(r.next(tablesChannel, turn.ID, isOver), "has run out of time")
}
