package bot_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/storage"
)

const captain = "loyal-captain"

// boards counts the messages in a channel that have the Move button of a table at a version, by its custom_id.
func (r *rig) boards(channel, customID string) int {
	n := 0
	for _, m := range r.srv.Messages(channel, localdiscord.Anne) {
		if c, ok := m.Button("Move"); ok && m.EphemeralTo == "" && c.CustomID == customID {
			n++
		}
	}
	return n
}

func moveButton(t *testing.T, m *localdiscord.Message) string {
	t.Helper()
	c, ok := m.Button("Move")
	if !ok {
		t.Fatalf("no Move button on %q", m.Text())
	}
	return c.CustomID
}

// Commands that have not changed are registered once, however often the bot starts, and a Discord that
// fails while they are registered keeps nobody from playing: those of before work, and the new ones
// follow.
func TestCommandsAreRegisteredWhenTheyChange(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := newRig(t)
	r.stop()
	r.start()
	if n := r.registered(); n != 1 {
		t.Errorf("after two starts the commands were registered %d times, want once", n)
	}
	r.stop()
	r.srv.AddFault(localdiscord.Fault{Method: http.MethodGet, Path: "/applications/{application_id}/commands",
		Status: http.StatusBadGateway})
	r.start()
	r.wantText(r.command(localdiscord.Anne, channel, "games"), "Nobody is playing")
	if !strings.Contains(r.log.String(), "those of before work meanwhile") {
		t.Errorf("the log does not say that the commands are tried again:\n%s", r.log)
	}
}

// registered counts how often the bot has told Discord its commands.
func (r *rig) registered() int {
	n := 0
	for _, q := range r.srv.Requests() {
		if q.Method == http.MethodPut && q.Route == "/applications/{application_id}/commands" {
			n++
		}
	}
	return n
}

// Buttons, steppers and boards from before a restart work after it.
func TestButtonsOutliveARestart(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := newRig(t)
	g, _ := catalog.Find(captain)
	lobby := r.lobby(localdiscord.Anne, localdiscord.TortugaTavern, localdiscord.Opt("game", captain),
		localdiscord.Opt("players", 2))
	turn := r.open(channel, g, people[:2])
	r.typeMove(r.mover(turn), channel, rand.New(rand.NewPCG(1, 4)))
	turn = r.turnAfter(channel, turn)
	mover := r.mover(turn)
	stepper := r.click(mover, turn, "Move")
	board := r.command(mover, channel, "board")

	r.stop()
	r.start()

	if said := r.click(localdiscord.Jack, lobby, "Join"); !strings.Contains(said.Text(), "Welcome aboard") {
		t.Errorf("the old Join button answers %q", said.Text())
	}
	if said := r.click(mover, board, "⏮"); !strings.Contains(said.Text(), "Position 0 of") {
		t.Errorf("the old board's arrow answers %q", said.Text())
	}
	first := stepper.Interactive()[0]
	var next *localdiscord.Message
	if len(first.Options) > 0 {
		next = r.choose(mover, stepper, first.CustomID, first.Options[0].Value)
	} else {
		next = r.click(mover, stepper, first.CustomID)
	}
	if next.ID != stepper.ID || next.Version == stepper.Version {
		t.Errorf("the old stepper was not taken on: %q", next.Text())
	}
	if said := r.stepThrough(mover, turn, rand.New(rand.NewPCG(1, 1))); !strings.Contains(said, "Played:") {
		t.Errorf("the old Move button led to %q", said)
	}
	r.next(channel, turn.ID, isTurn)
}

// A move that is committed but could not be told is told after the next start, once.
func TestUnpublishedBoardIsPublishedAfterRestart(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	for name, fault := range map[string]localdiscord.Fault{
		"refused":         localdiscord.ServerError(http.StatusInternalServerError),
		"answer is lost":  {Lost: true},
		"no such gateway": localdiscord.ServerError(http.StatusServiceUnavailable),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// nanosecond: what cannot be told now is left for the next start
			r := newRigWith(t, func(r *rig) { r.grace = 1 })
			g, _ := catalog.Find(captain)
			turn := r.open(channel, g, people[:2])
			seen := len(r.srv.Requests())
			fault.Method, fault.Path = http.MethodPost, "/channels/"+channel+"/messages"
			mend := r.srv.AddFault(fault)
			if said := r.typeMove(r.mover(turn), channel, rand.New(rand.NewPCG(1, 2))); !strings.Contains(said,
				"Played:") {
				t.Fatalf("a move is answered %q while the channel cannot be written to", said)
			}
			if err := r.wait(func() bool {
				return slices.ContainsFunc(r.srv.Requests()[seen:], func(q localdiscord.Request) bool {
					return q.Method == http.MethodPost && strings.Contains(q.Path, fault.Path)
				})
			}); err != nil {
				t.Fatal(err)
			}
			r.stop()
			mend()
			r.start()
			next := r.next(channel, turn.ID, isTurn)
			r.stop()
			if n := r.boards(channel, moveButton(t, next)); n != 1 {
				t.Errorf("the board was published %d times, want once", n)
			}
		})
	}
}

// Told to stop while a move is under way, the bot finishes it: the player is answered, the board is published, once.
func TestStopFinishesAMoveUnderWay(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := newRig(t)
	g, _ := catalog.Find(captain)
	turn := r.open(channel, g, people[:2])
	mover := r.mover(turn)
	choice := r.firstMove(mover, channel)

	hold := make(chan struct{})
	remove := r.srv.AddFault(localdiscord.Fault{Method: http.MethodPost, Path: "/callback", Hold: hold, Times: 1})
	defer remove()
	type answer struct {
		m   *localdiscord.Message
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		reply, err := r.srv.Command(r.ctx, mover, channel, "move", localdiscord.Opt("move", choice))
		var m *localdiscord.Message
		if err == nil {
			m, err = reply.Message(r.ctx)
		}
		answered <- answer{m, err}
	}()
	// The move is committed and its answer is on the way when the signal comes.
	if err := r.wait(func() bool {
		snap, err := r.tables.Lookup.Snapshot(r.ctx, 1)
		return err == nil && snap.Plays > 0 && len(r.srv.Messages(channel, localdiscord.Mary)) > 1
	}); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() { r.stop(); close(stopped) }()
	if err := r.wait(func() bool { return r.srv.Gateway.Connected() == 0 }); err != nil {
		t.Fatal(err)
	}
	close(hold)
	a := <-answered
	if a.err != nil || !strings.Contains(a.m.Text(), "Played:") {
		t.Errorf("the move under way is answered %v, %v", a.m, a.err)
	}
	<-stopped
	r.start()
	next := r.next(channel, turn.ID, isTurn)
	if n := r.boards(channel, moveButton(t, next)); n != 1 {
		t.Errorf("the board was published %d times, want once", n)
	}
	if said := r.typeMove(r.mover(next), channel, rand.New(rand.NewPCG(1, 3))); !strings.Contains(said, "Played:") {
		t.Errorf("after the restart a move is answered %q", said)
	}
}

// A second table in a busy channel gets a thread of its own; without the permission the answer names it.
func TestThreadsAndPermissions(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := newRig(t)
	g, _ := catalog.Find(captain)
	r.open(channel, g, people[:2])
	opt := localdiscord.Opt

	threads := func() []localdiscord.Channel {
		return slices.DeleteFunc(r.srv.Channels(localdiscord.Tortuga, localdiscord.Anne),
			func(c localdiscord.Channel) bool { return !c.Thread })
	}
	said := r.command(localdiscord.Mary, channel, "play", opt("game", captain), opt("players", 2))
	all := threads()
	if len(all) != 1 || all[0].ParentID != channel || !strings.Contains(all[0].Name, "Mary") {
		t.Fatalf("a second table opened the threads %v", all)
	}
	thread := all[0].ID
	if !strings.Contains(said.Text(), "<#"+thread+">") {
		t.Errorf("a second table is answered %q, want a link to %s", said.Text(), thread)
	}
	lobby := r.next(thread, "", isLobby)
	r.click(localdiscord.Bart, lobby, "Join")
	turn := r.next(thread, lobby.ID, isTurn)
	if said := r.typeMove(r.mover(turn), thread, rand.New(rand.NewPCG(2, 2))); !strings.Contains(said, "Played:") {
		t.Errorf("a move in the thread is answered %q", said)
	}
	r.next(thread, turn.ID, isTurn)

	// A table that is refused leaves no thread behind.
	if said := r.command(localdiscord.Grace, channel, "play", opt("game", captain),
		opt("players", 5)); !strings.Contains(said.Text(), "exactly 2 players") {
		t.Errorf("five players are answered %q", said.Text())
	}
	if n := len(threads()); n != 1 {
		t.Errorf("there are %d threads after a refused table, want 1", n)
	}

	for _, tt := range []struct {
		channel string
		deny    int64
		want    string
	}{
		{channel, localdiscord.PermissionCreatePublicThreads, "I can't open a thread for yours: I lack the permission Create Public Threads."},
		{channel, localdiscord.PermissionSendMessagesInThreads, "I can't open a thread for yours: I lack the permission Send Messages in Threads."},
		{channel, localdiscord.PermissionCreatePublicThreads | localdiscord.PermissionSendMessagesInThreads, "I lack the permissions Create Public Threads and Send Messages in Threads."},
		{localdiscord.TortugaTavern, localdiscord.PermissionSendMessages, "I can't show a table here: I lack the permission Send Messages."},
		{localdiscord.TortugaTavern, localdiscord.PermissionAttachFiles, "I can't show a table here: I lack the permission Attach Files."},
		{localdiscord.TortugaTavern, localdiscord.PermissionViewChannel, "I can't show a table here: I lack the permission View Channel."},
	} {
		if err := r.srv.Admin.DenyBot(tt.channel, tt.deny); err != nil {
			t.Fatal(err)
		}
		said := r.command(localdiscord.Grace, tt.channel, "play", opt("game", captain), opt("players", 2))
		if !strings.Contains(said.Text(), tt.want) || said.EphemeralTo != localdiscord.Grace {
			t.Errorf("without %b a table is answered %q, want %q", tt.deny, said.Text(), tt.want)
		}
		if err := r.srv.Admin.DenyBot(tt.channel, 0); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(threads()); n != 1 {
		t.Errorf("there are %d threads after tables that were refused, want 1", n)
	}
	if _, err := r.tables.Lookup.Snapshot(r.ctx, 3); err == nil {
		t.Error("a table was opened in spite of a missing permission")
	}
}

// brokenLine loses, while it is cut, the answer to one message that is posted, and carries no other there.
type brokenLine struct{ cut, lost atomic.Bool }

func (l *brokenLine) over(to http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		if !l.cut.Load() || req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/messages") {
			return to.RoundTrip(req)
		}
		if l.lost.CompareAndSwap(false, true) {
			if answer, err := to.RoundTrip(req); err == nil {
				answer.Body.Close()
			}
		}
		return nil, io.ErrUnexpectedEOF
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// markedStore says which versions were noted as told.
type markedStore struct {
	*storage.Store
	versions chan<- uint64
}

func (m markedStore) MarkPublished(ctx context.Context, id storage.ID, p storage.Publication,
	fence storage.Fence) error {
	err := m.Store.MarkPublished(ctx, id, p, fence)
	if err == nil {
		m.versions <- p.Version
	}
	return err
}

// A board that Discord took, but whose answer never came, is found again by a bot that comes back
// when the nonce has long been forgotten and much has been said since; where the bot may not read
// what stands in the channel it is told again, once. The same goes for news without a board.
func TestWhatWasToldBeforeALongOutageIsNotToldTwice(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	for _, tc := range []struct {
		name string
		deny int64
		want int // messages
	}{
		{"found", 0, 1},
		{"without Read Message History", localdiscord.PermissionReadMessageHistory, 2},
	} {
		for _, what := range []string{"board", "news"} {
			t.Run(what+" "+tc.name, func(t *testing.T) {
				t.Parallel()
				clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
				line := &brokenLine{}
				marked := make(chan uint64, 64)
				r := newRigWith(t, func(r *rig) {
					r.grace = 1 // nanosecond
					r.wrap = func(s *storage.Store) keeper { return markedStore{s, marked} }
					r.transport = func(to http.RoundTripper) http.RoundTripper { return line.over(to) }
				}, func(o *localdiscord.Options) { o.Clock = clock })
				g, _ := catalog.Find(captain)
				turn := r.open(channel, g, people[:2])
				if err := r.srv.Admin.DenyBot(channel, tc.deny); err != nil {
					t.Fatal(err)
				}
				snap, err := r.tables.Lookup.Snapshot(r.ctx, 1)
				if err != nil {
					t.Fatal(err)
				}
				before := len(r.srv.Messages(channel, localdiscord.Anne))
				line.cut.Store(true)
				if what == "board" {
					if said := r.typeMove(r.mover(turn), channel, rand.New(rand.NewPCG(1, 2))); !strings.Contains(said,
						"Played:") {
						t.Fatalf("a move is answered %q", said)
					}
				} else {
					r.command(localdiscord.Anne, channel, "draw")
				}
				told := func() int {
					return len(slices.DeleteFunc(r.srv.Messages(channel, localdiscord.Anne)[before:],
						func(m *localdiscord.Message) bool {
							return m.EphemeralTo != "" || m.Author.ID == localdiscord.Bart
						}))
				}
				if err := r.wait(func() bool { return told() == 1 }); err != nil {
					t.Fatal(err)
				}
				r.stop()
				line.cut.Store(false)
				clock.Advance(3 * 24 * time.Hour)
				for i := range 150 { // more than Discord shows at once
					if _, err := r.srv.Say(localdiscord.Bart, channel, fmt.Sprint("Meanwhile, ", i)); err != nil {
						t.Fatal(err)
					}
				}
				r.start()
				for v := uint64(0); v <= snap.Version; {
					select {
					case v = <-marked:
					case <-r.ctx.Done():
						t.Fatalf("version %d was not told after the restart\n%s", snap.Version+1, r.log)
					}
				}
				if n := told(); n != tc.want {
					t.Errorf("it was told %d times, want %d", n, tc.want)
				}
				r.stop()
				r.start()
				r.stop()
				if n := told(); n != tc.want {
					t.Errorf("after another restart it was told %d times, want %d", n, tc.want)
				}
			})
		}
	}
}
