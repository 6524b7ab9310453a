package gateway_test

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

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/storage"
)

// boards counts the public messages in a channel whose Move button has this custom_id. The custom_id is different for
// each version of a table.
func boards(r *bottest.Rig, channel, customID string) int {
	n := 0
	for _, m := range r.Server.Messages(channel, localdiscord.Anne) {
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

// Unchanged commands are not registered again at a second start. If Discord fails to list the registered commands, they
// still work.
func TestCommandsAreRegisteredWhenTheyChange(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	r.Stop()
	r.Start()
	if n := registered(r); n != 1 {
		t.Errorf("after two starts the commands were registered %d times, want once", n)
	}
	r.Stop()
	r.Server.AddFault(localdiscord.Fault{Method: http.MethodGet, Path: "/applications/{application_id}/commands",
		Status: http.StatusBadGateway})
	r.Start()
	r.WantText(r.Command(localdiscord.Anne, channel, "games"), "There are no tables to show")
	if !strings.Contains(r.Log.String(), "those of before work meanwhile") {
		t.Errorf("the log does not say that the commands are tried again:\n%s", r.Log)
	}
}

// registered counts the requests that registered commands.
func registered(r *bottest.Rig) int {
	n := 0
	for _, q := range r.Server.Requests() {
		if q.Method == http.MethodPut && q.Route == "/applications/{application_id}/commands" {
			n++
		}
	}
	return n
}

// Buttons, move questions and boards from before a restart work after it.
func TestButtonsOutliveARestart(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	g, _ := catalog.Find(bottest.LoyalCaptain)
	lobby := r.Lobby(localdiscord.Anne, localdiscord.TortugaTavern, localdiscord.Opt("game", bottest.LoyalCaptain),
		localdiscord.Opt("players", 2))
	turn := r.Open(channel, g, bottest.World[:2])
	r.TypeMove(r.Mover(turn), channel, rand.New(rand.NewPCG(1, 4)))
	turn = r.TurnAfter(channel, turn)
	mover := r.Mover(turn)
	stepper := r.Click(mover, turn, "Move")
	board := r.Command(mover, channel, "board")

	r.Stop()
	r.Start()

	if said := r.Click(localdiscord.Jack, lobby, "Join"); !strings.Contains(said.Text(), "Welcome aboard") {
		t.Errorf("the old Join button answers %q", said.Text())
	}
	if said := r.Click(mover, board, "⏮"); !strings.Contains(said.Text(), "\nStart") {
		t.Errorf("the old board's arrow answers %q", said.Text())
	}
	first := stepper.Interactive()[0]
	var next *localdiscord.Message
	if len(first.Options) > 0 {
		next = r.Choose(mover, stepper, first.CustomID, first.Options[0].Value)
	} else {
		next = r.Click(mover, stepper, first.CustomID)
	}
	if next.ID != stepper.ID || next.Version == stepper.Version {
		t.Errorf("the old stepper was not taken on: %q", next.Text())
	}
	if said := r.StepThrough(mover, turn, rand.New(rand.NewPCG(1, 1))); !strings.Contains(said, "Played:") {
		t.Errorf("the old Move button led to %q", said)
	}
	r.Next(channel, turn.ID, bottest.IsTurn)
}

// After a restart, the board of a move is in the channel once, whether Discord refused it before or Discord's answer
// was lost.
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
			// 1 ns: unpublished events are left for the next start
			r := bottest.NewWith(t, func(r *bottest.Rig) { r.Grace = 1 })
			g, _ := catalog.Find(bottest.LoyalCaptain)
			turn := r.Open(channel, g, bottest.World[:2])
			seen := len(r.Server.Requests())
			fault.Method, fault.Path = http.MethodPost, "/channels/"+channel+"/messages"
			mend := r.Server.AddFault(fault)
			if said := r.TypeMove(r.Mover(turn), channel, rand.New(rand.NewPCG(1, 2))); !strings.Contains(said,
				"Played:") {
				t.Fatalf("a move is answered %q while the channel cannot be written to", said)
			}
			if err := r.Wait(func() bool {
				return slices.ContainsFunc(r.Server.Requests()[seen:], func(q localdiscord.Request) bool {
					return q.Method == http.MethodPost && strings.Contains(q.Path, fault.Path)
				})
			}); err != nil {
				t.Fatal(err)
			}
			r.Stop()
			mend()
			r.Start()
			next := r.Next(channel, turn.ID, bottest.IsTurn)
			r.Stop()
			if n := boards(r, channel, moveButton(t, next)); n != 1 {
				t.Errorf("the board was published %d times, want once", n)
			}
		})
	}
}

// The bot finishes a move during which it is stopped: the player is answered, and the board is published once.
func TestStopFinishesAMoveUnderWay(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	g, _ := catalog.Find(bottest.LoyalCaptain)
	turn := r.Open(channel, g, bottest.World[:2])
	mover := r.Mover(turn)
	choice := r.FirstMove(mover, channel)

	hold := make(chan struct{})
	remove := r.Server.AddFault(localdiscord.Fault{Method: http.MethodPost, Path: "/callback", Hold: hold, Times: 1})
	defer remove()
	type answer struct {
		m   *localdiscord.Message
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		reply, err := r.Server.Command(r.Ctx, mover, channel, "move", localdiscord.Opt("move", choice))
		var m *localdiscord.Message
		if err == nil {
			m, err = reply.Message(r.Ctx)
		}
		answered <- answer{m, err}
	}()
	// The move is committed and its answer is being sent when the stop begins.
	if err := r.Wait(func() bool {
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
		return err == nil && snap.Plays > 0 && len(r.Server.Messages(channel, localdiscord.Mary)) > 1
	}); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan struct{})
	go func() { r.Stop(); close(stopped) }()
	if err := r.Wait(func() bool { return r.Server.Gateway.Connected() == 0 }); err != nil {
		t.Fatal(err)
	}
	close(hold)
	a := <-answered
	if a.err != nil || !strings.Contains(a.m.Text(), "Played:") {
		t.Errorf("the move under way is answered %v, %v", a.m, a.err)
	}
	<-stopped
	r.Start()
	next := r.Next(channel, turn.ID, bottest.IsTurn)
	if n := boards(r, channel, moveButton(t, next)); n != 1 {
		t.Errorf("the board was published %d times, want once", n)
	}
	if said := r.TypeMove(r.Mover(next), channel, rand.New(rand.NewPCG(1, 3))); !strings.Contains(said, "Played:") {
		t.Errorf("after the restart a move is answered %q", said)
	}
}

// A second table in a busy channel gets its own thread. Without the permission to open one, the answer names the
// missing permission.
func TestThreadsAndPermissions(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	r := bottest.New(t)
	g, _ := catalog.Find(bottest.LoyalCaptain)
	r.Open(channel, g, bottest.World[:2])
	opt := localdiscord.Opt

	threads := func() []localdiscord.Channel {
		return slices.DeleteFunc(r.Server.Channels(localdiscord.Tortuga, localdiscord.Anne),
			func(c localdiscord.Channel) bool { return !c.Thread })
	}
	said := r.Command(localdiscord.Mary, channel, "play", opt("game", bottest.LoyalCaptain), opt("players", 2))
	all := threads()
	if len(all) != 1 || all[0].ParentID != channel || !strings.Contains(all[0].Name, "Mary") {
		t.Fatalf("a second table opened the threads %v", all)
	}
	thread := all[0].ID
	if !strings.Contains(said.Text(), "<#"+thread+">") {
		t.Errorf("a second table is answered %q, want a link to %s", said.Text(), thread)
	}
	lobby := r.Next(thread, "", bottest.IsLobby)
	r.Click(localdiscord.Bart, lobby, "Join")
	turn := r.Next(thread, lobby.ID, bottest.IsTurn)
	if said := r.TypeMove(r.Mover(turn), thread, rand.New(rand.NewPCG(2, 2))); !strings.Contains(said, "Played:") {
		t.Errorf("a move in the thread is answered %q", said)
	}
	r.Next(thread, turn.ID, bottest.IsTurn)

	// A refused command to open a table leaves no thread behind.
	if said := r.Command(localdiscord.Grace, channel, "play", opt("game", bottest.LoyalCaptain),
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
		{channel, localdiscord.PermissionCreatePublicThreads,
			"I can't open a thread for yours: I don't have the permission Create Public Threads."},
		{channel, localdiscord.PermissionSendMessagesInThreads,
			"I can't open a thread for yours: I don't have the permission Send Messages in Threads."},
		{channel, localdiscord.PermissionCreatePublicThreads | localdiscord.PermissionSendMessagesInThreads,
			"I don't have the permissions Create Public Threads and Send Messages in Threads."},
		{localdiscord.TortugaTavern, localdiscord.PermissionSendMessages,
			"I can't show a board here: I don't have the permission Send Messages."},
		{localdiscord.TortugaTavern, localdiscord.PermissionAttachFiles,
			"I can't show a board here: I don't have the permission Attach Files."},
		{localdiscord.TortugaTavern, localdiscord.PermissionViewChannel,
			"I can't show a board here: I don't have the permission View Channel."},
	} {
		if err := r.Server.Admin.DenyBot(tt.channel, tt.deny); err != nil {
			t.Fatal(err)
		}
		said := r.Command(localdiscord.Grace, tt.channel, "play", opt("game", bottest.LoyalCaptain), opt("players", 2))
		if !strings.Contains(said.Text(), tt.want) || said.EphemeralTo != localdiscord.Grace {
			t.Errorf("without %b a table is answered %q, want %q", tt.deny, said.Text(), tt.want)
		}
		if err := r.Server.Admin.DenyBot(tt.channel, 0); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(threads()); n != 1 {
		t.Errorf("there are %d threads after tables that were refused, want 1", n)
	}
	if _, err := r.Tables.Lookup.Snapshot(r.Ctx, 3); err == nil {
		t.Error("a table was opened in spite of a missing permission")
	}
}

// brokenLine loses the answer to the first message posted while it is cut, and refuses further ones.
type brokenLine struct{ cut, lost atomic.Bool }

func (l *brokenLine) over(to http.RoundTripper) http.RoundTripper {
	return bottest.RoundTripFunc(func(req *http.Request) (*http.Response, error) {
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

// markedStore reports which versions of a table were marked as published.
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

// A restarted bot does not repost a board that Discord accepted but whose answer never reached the bot. It finds the
// board even if Discord has forgotten the nonce and there are many later messages. If the bot cannot read the channel,
// it posts the board again, once. The same holds for messages without a board.
func TestWhatWasToldBeforeALongOutageIsNotToldTwice(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	for _, tc := range []struct {
		name string
		deny int64
		want int // number of new messages from the bot
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
				r := bottest.NewWith(t, func(r *bottest.Rig) {
					r.Grace = 1 // 1 ns: a stop waits for no work
					r.Wrap = func(s *storage.Store) bottest.Store { return markedStore{s, marked} }
					r.Transport = func(to http.RoundTripper) http.RoundTripper { return line.over(to) }
				}, func(o *localdiscord.Options) { o.Clock = clock })
				g, _ := catalog.Find(bottest.LoyalCaptain)
				turn := r.Open(channel, g, bottest.World[:2])
				if err := r.Server.Admin.DenyBot(channel, tc.deny); err != nil {
					t.Fatal(err)
				}
				snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
				if err != nil {
					t.Fatal(err)
				}
				before := len(r.Server.Messages(channel, localdiscord.Anne))
				line.cut.Store(true)
				if what == "board" {
					if said := r.TypeMove(r.Mover(turn), channel, rand.New(rand.NewPCG(1, 2))); !strings.Contains(said,
						"Played:") {
						t.Fatalf("a move is answered %q", said)
					}
				} else {
					r.Command(localdiscord.Anne, channel, "table draw")
				}
				told := func() int {
					return len(slices.DeleteFunc(r.Server.Messages(channel, localdiscord.Anne)[before:],
						func(m *localdiscord.Message) bool {
							return m.EphemeralTo != "" || m.Author.ID == localdiscord.Bart
						}))
				}
				if err := r.Wait(func() bool { return told() == 1 }); err != nil {
					t.Fatal(err)
				}
				r.Stop()
				line.cut.Store(false)
				clock.Advance(3 * 24 * time.Hour)
				for i := range 150 { // more messages than Discord returns at a time
					if _, err := r.Server.Say(localdiscord.Bart, channel, fmt.Sprint("Meanwhile, ", i)); err != nil {
						t.Fatal(err)
					}
				}
				r.Start()
				for v := uint64(0); v <= snap.Version; {
					select {
					case v = <-marked:
					case <-r.Ctx.Done():
						t.Fatalf("version %d was not told after the restart\n%s", snap.Version+1, r.Log)
					}
				}
				if n := told(); n != tc.want {
					t.Errorf("it was told %d times, want %d", n, tc.want)
				}
				r.Stop()
				r.Start()
				r.Stop()
				if n := told(); n != tc.want {
					t.Errorf("after another restart it was told %d times, want %d", n, tc.want)
				}
			})
		}
	}
}
