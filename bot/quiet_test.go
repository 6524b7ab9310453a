package bot_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/games/text/locale"
	"marque/storage"
)

// counter keeps what the bot asks of Discord with its token about the messages of channels, and
// what these messages are then, also after requests with the tokens of clicks: a channel itself
// keeps its latest alone.
type counter struct {
	t        testing.TB
	mu       sync.Mutex
	list     []string
	messages map[string]*counted
	posted   []string // their ids, as they came
}

// counted is a message as it stands, and whom it pinged when it was posted.
type counted struct {
	channel           string
	text              string
	pictures, buttons int
	pinged            []string
}

// quietRig is a rig whose servers have the settings of new ones, and its counter.
func quietRig(t *testing.T, options ...func(*localdiscord.Options)) (*rig, *counter) {
	c := &counter{t: t, messages: map[string]*counted{}}
	return newRigWith(t, func(r *rig) { r.quiet = true }, append(options, c.listen)...), c
}

// listen has the requests to a local Discord counted.
func (c *counter) listen(o *localdiscord.Options) {
	check := o.OnRequest
	o.OnRequest = func(q localdiscord.Request) {
		check(q)
		// The replay comes when the game is over.
		replay := slices.ContainsFunc(q.Files, func(f localdiscord.RequestFile) bool {
			return strings.HasSuffix(f.Name, ".gif")
		})
		switch {
		case replay || q.Method == http.MethodGet:
		case strings.HasPrefix(q.Route, "/channels/"):
			c.count(q)
		case strings.HasPrefix(q.Route, "/webhooks/") && q.Status < 300 && q.Method != http.MethodDelete:
			c.mu.Lock()
			defer c.mu.Unlock()
			c.note(q, q.Method == http.MethodPost)
		}
	}
}

func (c *counter) count(q localdiscord.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append(c.list, q.Method+" "+q.Path)
	if q.Status >= 300 || !strings.HasPrefix(q.Route, "/channels/{channel_id}/messages") || strings.Contains(q.Route,
		"/threads") {
		return
	}
	if q.Method == http.MethodDelete {
		delete(c.messages, q.Path[strings.LastIndex(q.Path, "/")+1:])
		return
	}
	c.note(q, true)
}

// note notes a message that everybody sees as it stands after a request, and whether it may be one
// that was not there. The caller holds the lock.
func (c *counter) note(q localdiscord.Request, posts bool) {
	var said struct {
		ID         string
		ChannelID  string `json:"channel_id"`
		Flags      discordgo.MessageFlags
		Components []any
	}
	var asked struct {
		Mentions struct{ Users []string } `json:"allowed_mentions"`
	}
	if err := errors.Join(json.Unmarshal(q.Response, &said), json.Unmarshal(q.Body, &asked)); err != nil {
		c.t.Errorf("%s %s: %v", q.Method, q.Path, err)
		return
	}
	m := c.messages[said.ID]
	if said.Flags&discordgo.MessageFlagsEphemeral != 0 || m == nil && !posts {
		return
	}
	if m == nil {
		m = &counted{channel: said.ChannelID, pinged: asked.Mentions.Users}
		c.messages[said.ID] = m
		c.posted = append(c.posted, said.ID)
	}
	m.text, m.pictures, m.buttons = "", 0, 0
	m.read(said.Components)
}

// read adds up what components show: texts, pictures of boards, and the buttons that lead to a move.
func (m *counted) read(components []any) {
	for _, c := range components {
		c, ok := c.(map[string]any)
		if !ok {
			continue
		}
		if text, ok := c["content"].(string); ok {
			m.text += text + "\n"
		}
		if media, ok := c["media"].(map[string]any); ok && strings.Contains(fmt.Sprint(media["url"]), "board-") {
			m.pictures++
		}
		if id, ok := c["custom_id"].(string); ok && strings.HasPrefix(id, "move/") {
			m.buttons++
		}
		for _, inner := range []string{"components", "items"} {
			if list, ok := c[inner].([]any); ok {
				m.read(list)
			}
		}
	}
}

// take returns what was asked since it was called last.
func (c *counter) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list
	c.list = nil
	return list
}

// of are the messages that were posted to a channel and not deleted, as they stand, oldest first.
func (c *counter) of(channel string) (list []counted) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.posted {
		if m := c.messages[id]; m != nil && m.channel == channel {
			list = append(list, *m)
		}
	}
	return list
}

// openInThread opens a table by /play, as r.open does, on a server where it gets a thread, and returns
// that and the first board. The card in the channel has the thread's id.
func (r *rig) openInThread(g games.Game, players []string) (thread string, turn *localdiscord.Message) {
	r.t.Helper()
	before := r.latest(tavern)
	said := r.command(players[0], tavern, "play", localdiscord.Opt("game", g.Key()),
		localdiscord.Opt("players", len(players)))
	r.wantText(said, "thread of its own")
	card := r.next(tavern, before, isLobby)
	r.endsWhenQuiet(players[0], g, r.next(card.ID, "", isLobby), "Options")
	for _, p := range players[1:] {
		r.wantText(r.click(p, card, "Join"), "Welcome aboard")
	}
	return card.ID, r.next(card.ID, "", isTurn)
}

// told waits until the channel of a table has been told everything, and returns the table.
func (r *rig) told(id table.ID) *table.Snapshot {
	r.t.Helper()
	var snap *table.Snapshot
	r.eventually("told everything", func() bool {
		var err error
		if snap, err = r.tables.Lookup.Snapshot(r.ctx, id); err != nil {
			return false
		}
		stored, err := r.store.News(r.ctx, id)
		return err == nil && stored.Published == snap.Version
	})
	return snap
}

// living are the messages of a channel with a picture of a board, as everybody sees them.
func (r *rig) living(channel string) (list []*localdiscord.Message) {
	for _, m := range r.public(channel) {
		if p := m.Pictures(); len(p) > 0 && strings.Contains(p[0].URL, "board-") {
			list = append(list, m)
		}
	}
	return list
}

// public are the messages of a channel that everybody sees.
func (r *rig) public(channel string) []*localdiscord.Message {
	return slices.DeleteFunc(r.srv.Messages(channel, localdiscord.Anne), func(m *localdiscord.Message) bool {
		return m.EphemeralTo != ""
	})
}

// quietGame watches a whole game in a thread: it has one board at any time, one message and one
// ping a turn, at most two requests a play, and its messages are a transcript that leaves nothing
// out.
type quietGame struct {
	*rig
	channel  string
	requests *counter
	snap     *table.Snapshot

	turns, plays, steps, asked int
}

func (r *rig) quietGame(channel string, requests *counter) *quietGame {
	q := &quietGame{rig: r, channel: channel, requests: requests, snap: r.told(1)}
	requests.take()
	return q
}

// played is to be called after each play.
func (q *quietGame) played() {
	q.t.Helper()
	before, snap := q.snap, q.told(1)
	q.snap = snap
	q.plays++
	// the card
	list := slices.DeleteFunc(q.requests.take(), func(s string) bool {
		return strings.HasPrefix(s, "PATCH") && strings.HasSuffix(s, "/"+q.channel)
	})
	if q.asked += len(list); len(list) > 2 {
		q.t.Errorf("play %d took the requests %q, want at most two", q.plays, list)
	}
	messages, boards, live := q.requests.of(q.channel), 0, 0
	for _, m := range messages {
		boards += m.pictures
		live += min(m.buttons, 1)
	}
	last := messages[len(messages)-1]
	if goes := snap.Status == table.Playing; boards != 1 || goes && (live != 1 || last.pictures != 1) || !goes &&
		live != 0 {
		q.t.Fatalf("after play %d the channel has %d boards, %d messages with the button for a move, %d boards in the last one", q.plays, boards, live, last.pictures)
	}
	others := func(s games.Step) bool { return s.Seat != before.ToMove && s.Seat != games.Chance }
	if snap.ToMove != before.ToMove || slices.ContainsFunc(snap.Trail(games.Spectator, before.Plays, snap.Plays),
		others) {
		q.turns++
	} else {
		q.steps++
	}
}

// over is to be called at the end.
func (q *quietGame) over() {
	q.t.Helper()
	messages := q.requests.of(q.channel)
	var pings int
	var transcript strings.Builder
	for _, m := range messages {
		pings += len(m.pinged)
		transcript.WriteString(m.text)
	}
	// The lobby, a message when the game begins, and one a turn; a ping each but of the lobby and of the end.
	if want := q.turns + 2; len(messages) != want || pings != q.turns {
		q.t.Errorf("%d messages and %d pings in %d turns, want %d and %d", len(messages), pings, q.turns, want, q.turns)
	}
	game := q.snap.Rules().Key()
	if q.steps > 0 && game != "freebooter" {
		q.t.Errorf("%d moves were further steps of a turn", q.steps)
	}
	s := q.english(q.snap)
	for i := show.LaidOut(q.snap); i < q.snap.Plays && !strings.Contains(transcript.String(), "earlier move"); i++ {
		if said := show.TellPlay(q.snap, games.Spectator, i, s); !strings.Contains(transcript.String(), said) {
			q.t.Errorf("the transcript lacks play %d: %s", i+1, said)
		}
	}
	q.t.Logf("%s: %d plays in %d turns (%d further steps of one): %d requests, %d messages, %d pings, one picture at any time",
		game, q.plays, q.turns, q.steps, q.asked, len(messages), pings)
}

// playOne plays some move at table 1 and waits until it is told.
func (r *rig) playOne(channel string) *table.Snapshot {
	r.t.Helper()
	snap := r.told(1)
	r.typeMove(snap.Mover(), channel, seeded())
	return r.told(1)
}

// A server can keep old boards, or have them deleted but for the one with which the game begins.
func TestBoardsAsTheServerWants(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]struct{ boards, messages int }{"fold": {1, 5}, "keep": {4, 5},
		"replace": {1, 3}} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			r, _ := quietRig(t)
			r.choose(localdiscord.Mary, r.command(localdiscord.Mary, tavern, "server settings"), "settings///boards",
				value)
			thread, _ := r.openInThread(catalog.Games[0], two)
			for range 3 {
				r.playOne(thread)
			}
			if b, m := len(r.living(thread)), len(r.public(thread)); b != want.boards || m != want.messages {
				t.Errorf("after three moves %d boards in %d messages, want %+v", b, m, want)
			}
		})
	}
}

// A fold that fails costs nothing: the game goes on, and the next boards are folded.
func TestAFoldThatFails(t *testing.T) {
	t.Parallel()
	r, _ := quietRig(t)
	thread, turn := r.openInThread(catalog.Games[0], two)
	r.told(1)
	r.srv.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + turn.ID, Times: 1,
		Status: http.StatusForbidden, Body: `{"message":"Missing Permissions","code":50013}`})
	for range 3 {
		r.playOne(thread)
	}
	boards := r.living(thread)
	if len(boards) != 2 || boards[0].ID != turn.ID {
		t.Errorf("%d boards are left, want the one that could not be folded and the last", len(boards))
	}
	if snap := r.told(1); snap.Paused != "" || snap.Plays < 3 {
		t.Errorf("the table is %+v", snap.Head)
	}
}

// A bot that is killed after it has posted a board and before it has folded the one before does that
// when it comes back; a board of an earlier version is folded, too.
func TestFoldsAfterARestart(t *testing.T) {
	t.Parallel()
	r, _ := quietRig(t)
	r.stop()
	r.grace = 0 // as if it were killed, from this start on
	r.start()
	thread, first := r.openInThread(catalog.Games[0], two)
	r.told(1)
	held := make(chan struct{})
	fold := r.srv.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + first.ID, Times: 1,
		Hold: held, Status: http.StatusInternalServerError})
	r.typeMove(r.mover(first), thread, seeded())
	second := r.next(thread, first.ID, isTurn)
	r.stop()
	fold() // if it was killed before it had even asked for it
	defer close(held)
	if n := len(r.living(thread)); n != 2 {
		t.Fatalf("%d boards after the bot was stopped, want two", n)
	}
	r.start()
	r.eventually("the second board alone, after the restart", func() bool {
		b := r.living(thread)
		return len(b) == 1 && b[0].ID == second.ID
	})
	// As a version before folding noted it.
	snap := r.told(1)
	if err := r.store.MarkPublished(r.ctx, 1,
		storage.Publication{Version: snap.Version, Note: second.ID}, storage.Fence{}); err != nil {
		t.Fatal(err)
	}
	r.playOne(thread)
	folded, err := r.srv.Message(second.ID, localdiscord.Anne)
	if err != nil {
		t.Fatal(err)
	}
	if len(folded.Pictures()) != 0 || len(folded.Interactive()) != 0 || strings.Count(folded.Text(), "\n") < 1 {
		t.Errorf("an earlier version's board became %q with %d pictures", folded.Text(), len(folded.Pictures()))
	}
}

// What happened is told to each from their own last turn on, for them alone.
func TestWhatHappened(t *testing.T) {
	t.Parallel()
	r, _ := quietRig(t)
	thread, _ := r.openInThread(catalog.Games[0], two)
	snap := r.told(1)
	mover := snap.Mover()
	other := two[0]
	if other == mover {
		other = two[1]
	}
	r.playOne(thread)
	snap = r.playOne(thread)
	turn := r.living(thread)[0]
	s := r.english(snap)
	one, two := show.TellPlay(snap, games.Spectator, 0, s), show.TellPlay(snap, games.Spectator, 1, s)
	for user, want := range map[string][2]bool{mover: {false, true}, other: {false, false},
		localdiscord.Grace: {false, true}} {
		a := r.click(user, turn, "What happened")
		if a.EphemeralTo != user || strings.Contains(a.Text(), one) != want[0] || strings.Contains(a.Text(),
			two) != want[1] {
			t.Errorf("%s is told, to %q: %s; wanted of the two moves %v", user, a.EphemeralTo, a.Text(), want)
		}
	}
}

// A board that somebody has deleted is posted again when its turn goes on.
func TestADeletedBoardWithinATurn(t *testing.T) {
	t.Parallel()
	r, _ := quietRig(t)
	freebooter, _ := catalog.Find("freebooter")
	thread, turn := r.openInThread(freebooter, two)
	snap := r.told(1)
	r.srv.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + turn.ID, Times: 1,
		Status: http.StatusNotFound, Body: `{"message":"Unknown Message","code":10008}`})
	state := snap.View(snap.ToMove).State
	sail := ""
	for _, m := range state.Moves() {
		if n := games.Spell(state, m); strings.HasPrefix(n, "sail ") {
			sail = n
		}
	}
	r.command(r.mover(turn), thread, "move", localdiscord.Opt("move", sail))
	if now := r.told(1); now.ToMove != snap.ToMove || now.Plays == snap.Plays {
		t.Fatalf("after %q it is another's turn", sail)
	}
	if b := r.living(thread); len(b) != 2 || !strings.Contains(b[1].Text(), "sails a boat") {
		t.Errorf("%d boards after the step, want a new one", len(b))
	}
}

// english says what the bot says in channels.
func (r *rig) english(snap *table.Snapshot) *locale.Speaker {
	r.t.Helper()
	sentences, err := locale.Load()
	if err != nil {
		r.t.Fatal(err)
	}
	return show.Mentioning(sentences.Speaker(nil, "en"), snap)
}

// Of a game against computers the board that stands tells at most four moves. Folded, its message
// tells all of them, so that the channel is a transcript in which each play stands once, one's own
// among them.
func TestLinesOfGamesAgainstComputers(t *testing.T) {
	t.Parallel()
	r, requests := quietRig(t)
	anne, opt := localdiscord.Anne, localdiscord.Opt
	r.command(anne, tavern, "play", opt("game", "freebooter"), opt("computers", 3), opt("level", "easy"))
	r.eventually("there is a thread", func() bool { return len(r.threads()) == 1 })
	thread := r.threads()[0].ID
	r.next(thread, "", isTurn)
	hidden := false
	for range 5 {
		snap := r.told(1)
		for snap.Status == table.Playing && snap.Mover() != anne {
			snap = r.told(1)
		}
		messages, s := requests.of(thread), r.english(snap)
		last, transcript := messages[len(messages)-1], ""
		for _, m := range messages[:len(messages)-1] {
			transcript += m.text
		}
		laid, told := show.LaidOut(snap), map[string]int{}
		for i := laid; i < snap.Plays; i++ {
			told[show.TellPlay(snap, games.Spectator, i, s)]++
		}
		n := 0
		for said, times := range told {
			if said != "" && strings.Contains(last.text, said+"\n") {
				n++
				times-- // not folded yet
			}
			if got := strings.Count(transcript, said+"\n"); said != "" && got != times && !strings.Contains(last.text,
				"earlier move") {
				t.Errorf("%q is told %d times in what is folded, want %d:\n%s", said, got, times, transcript)
			}
		}
		if n > 4 {
			t.Errorf("a board tells %d moves: %s", n, last.text)
		}
		hidden = hidden || strings.Contains(last.text, "earlier move")
		if strings.Contains(transcript, "earlier move") {
			t.Errorf("folded messages leave moves out:\n%s", transcript)
		}
		r.typeMove(anne, thread, seeded())
		r.eventually("it is Anne's turn", func() bool {
			now, err := r.tables.Lookup.Snapshot(r.ctx, storage.ID(1))
			return err == nil && now.Version > snap.Version && now.Mover() == anne
		})
	}
	if !hidden {
		t.Error("no board had more to tell than four moves: nothing was tested")
	}
}

// The card of a table is edited at once when seats change and when the game ends, and at most once in
// five minutes for whose turn it is, also by a bot that was started again meanwhile.
func TestCards(t *testing.T) {
	t.Parallel()
	c := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r, requests := quietRig(t, func(o *localdiscord.Options) { o.Clock = c })
	thread, _ := r.openInThread(catalog.Games[0], two)
	card := func(want string) *localdiscord.Message {
		t.Helper()
		return r.edited(tavern, thread, want)
	}
	snap := r.told(1)
	m := card("<@" + snap.Mover() + "> to move")
	for _, want := range []string{"**Loyal Captain**", "#1", "<#" + thread + ">", "<t:"} {
		r.wantText(m, want)
	}
	if watch, ok := m.Button("Watch"); !ok || watch.URL != "https://discord.com/channels/"+localdiscord.Tortuga+"/"+
		thread {
		t.Errorf("the button Watch is %+v", watch)
	}
	r.wantText(r.click(localdiscord.Grace, m, "Rules"), "Loyal Captain")
	edits := func() (n int) {
		for _, q := range requests.take() {
			if strings.HasPrefix(q, "PATCH") && strings.HasSuffix(q, "/"+tavern+"/messages/"+thread) {
				n++
			}
		}
		return n
	}
	r.cardNoted(c)
	edits()
	for range 3 {
		snap = r.playOne(thread)
	}
	if n := edits(); n != 0 {
		t.Errorf("%d edits of the card for three moves at once", n)
	}
	r.stop()
	r.start()
	c.Advance(6 * time.Minute)
	card("<@" + snap.Mover() + "> to move")
	r.cardNoted(c)
	if n := edits(); n != 1 {
		t.Errorf("%d edits of the card after five minutes, want one", n)
	}
	r.command(snap.Mover(), thread, "seat offer")
	r.eventually("the seat is on the card", func() bool {
		m, err := r.srv.Message(thread, localdiscord.Anne)
		if err != nil {
			return false
		}
		return slices.ContainsFunc(m.Interactive(), func(b localdiscord.Component) bool {
			return strings.HasPrefix(b.Label, "Take ")
		})
	})
	r.click(snap.Mover(), r.command(snap.Mover(), thread, "resign"), "Yes, resign")
	card("wins")
	r.told(1)
	// A rematch in the thread has a card of its own, and the one before keeps how its game ended.
	over := r.next(thread, "", func(m *localdiscord.Message) bool { _, ok := m.Button("Rematch"); return ok })
	r.click(two[0], over, "Rematch")
	again := r.told(2).Card.Message
	r.wantText(r.edited(tavern, again, "a seat is kept for"), "#2")
	r.wantText(card("wins"), "#1")
	// Somebody who deletes the card has no other.
	r.srv.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + again, Times: 1,
		Status: http.StatusNotFound, Body: `{"message":"Unknown Message","code":10008}`})
	r.command(two[1], thread, "seat join")
	r.eventually("the card is given up", func() bool {
		h, err := r.tables.Lookup.Head(r.ctx, 2)
		return err == nil && h.Card.Message == ""
	})
}

// cardNoted waits until an edit of the card of table 1 that shows whose turn it is has been
// answered, and it is left alone for a while.
func (r *rig) cardNoted(c *manual.Clock) {
	r.t.Helper()
	r.eventually("the edit of the card is noted", func() bool {
		h, err := r.tables.Lookup.Head(r.ctx, 1)
		// What a card shows ends with whose turn it is, and before the game with nothing.
		return err == nil && h.Card.Next.Time().After(c.Now()) && !strings.HasSuffix(h.Card.Shown, " ")
	})
}

// A card that Discord refuses to have edited is left alone for six hours, whatever happens at the table,
// and the game does not mind; then it is up to date again.
func TestACardThatIsRefused(t *testing.T) {
	t.Parallel()
	c := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	var mu sync.Mutex
	var edits []time.Time
	r, _ := quietRig(t, func(o *localdiscord.Options) {
		o.Clock = c
		check := o.OnRequest
		o.OnRequest = func(q localdiscord.Request) {
			check(q)
			if q.Method == http.MethodPatch && strings.HasPrefix(q.Path, "/channels/"+tavern+"/messages/") {
				mu.Lock()
				defer mu.Unlock()
				edits = append(edits, c.Now())
			}
		}
	})
	taken := func() []time.Time {
		mu.Lock()
		defer mu.Unlock()
		list := edits
		edits = nil
		return list
	}
	thread, _ := r.openInThread(catalog.Games[0], two)
	r.edited(tavern, thread, "<@"+r.told(1).Mover()+"> to move")
	r.playOne(thread)
	taken()
	r.srv.AddFault(localdiscord.Fault{Method: http.MethodPatch, Path: "/messages/" + thread, Times: 1,
		Status: http.StatusForbidden, Body: `{"message":"Missing Permissions","code":50013}`})
	c.Advance(6 * time.Minute)
	r.cardNoted(c)
	refused := taken()
	for range 11 {
		c.Advance(30 * time.Minute)
		r.playOne(thread)
	}
	r.command(r.told(1).Mover(), thread, "seat offer")
	r.playOne(thread)
	r.playOne(thread) // told after the card of the move before was looked at
	if early := taken(); len(refused) != 1 || len(early) != 0 {
		t.Errorf("the card was edited at %v, and within six hours at %v", refused, early)
	}
	c.Advance(40 * time.Minute)
	r.eventually("the card is up to date", func() bool {
		m, err := r.srv.Message(thread, localdiscord.Anne)
		return err == nil && slices.ContainsFunc(m.Interactive(), func(b localdiscord.Component) bool {
			return strings.HasPrefix(b.Label, "Take ")
		})
	})
	r.cardNoted(c)
	if again := taken(); len(again) != 1 || again[0].Sub(refused[0]) < 6*time.Hour {
		t.Errorf("after the refusal at %v it was edited at %v", refused, again)
	}
}

// Where the bot may open no thread, a table has a channel that is free.
func TestATableWithoutAThread(t *testing.T) {
	t.Parallel()
	r, _ := quietRig(t)
	if err := r.srv.Admin.DenyBot(tavern, localdiscord.PermissionCreatePublicThreads); err != nil {
		t.Fatal(err)
	}
	r.open(tavern, catalog.Games[0], two)
	if snap := r.told(1); snap.Channel != tavern || snap.Card.Channel != "" || len(r.threads()) != 0 {
		t.Errorf("the table is in %s with the card %+v", snap.Channel, snap.Card)
	}
	r.wantText(r.command(localdiscord.Mary, tavern, "play", localdiscord.Opt("game", captain)), "I can't open a thread")
}

// The thread of a game that has ended is archived when the result has been there for an hour, or
// for as long as the server wants it; while a table goes on in it, it stays, and whatever is posted
// opens it again.
func TestThreadsOfEndedGamesAreArchived(t *testing.T) {
	t.Parallel()
	for hours, custom := range map[int]bool{1: false, 5: true} {
		t.Run(fmt.Sprint(hours, " hours"), func(t *testing.T) {
			t.Parallel()
			c := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
			r, _ := quietRig(t, func(o *localdiscord.Options) { o.Clock = c })
			if custom {
				r.wantText(r.command(localdiscord.Mary, tavern, "server settings",
					localdiscord.Opt("thread-hours", hours)), fmt.Sprintf("archived after %d hours", hours))
			}
			thread, _ := r.openInThread(catalog.Games[0], two)
			archived := func() bool {
				return slices.ContainsFunc(r.threads(), func(ch localdiscord.Channel) bool {
					return ch.ID == thread && ch.Archived
				})
			}
			due := func(id storage.ID) bool {
				h, err := r.tables.Lookup.Head(r.ctx, id)
				return err == nil && h.Card.Archive != 0
			}
			end := func(id storage.ID) {
				t.Helper()
				snap := r.told(id)
				r.click(snap.Mover(), r.command(snap.Mover(), thread, "resign"), "Yes, resign")
				r.told(id)
			}
			c.Advance(24 * time.Hour)
			end(1)
			over := r.next(thread, "", func(m *localdiscord.Message) bool { _, ok := m.Button("Rematch"); return ok })
			r.click(two[0], over, "Rematch")
			r.command(two[1], thread, "seat join")
			c.Advance(time.Duration(hours) * time.Hour)
			r.eventually("the first table is done with", func() bool { return !due(1) })
			if archived() {
				t.Error("the thread of a rematch that goes on is archived")
			}
			end(2)
			c.Advance(time.Duration(hours)*time.Hour - time.Minute)
			if archived() || !due(2) {
				t.Errorf("a minute before its time the thread is archived %v, and is to be %v", archived(), due(2))
			}
			r.stop()
			r.start()
			c.Advance(2 * time.Minute)
			r.eventually("the thread is archived", func() bool { return archived() && !due(2) })
		})
	}
}

// Where a server has as many active threads as Discord allows, a table comes into the channel, and a sentence says why.
func TestATableWhereThereAreTooManyThreads(t *testing.T) {
	t.Parallel()
	r, _ := quietRig(t)
	r.srv.AddFault(localdiscord.Fault{Method: http.MethodPost, Path: "/threads", Status: http.StatusBadRequest,
		Body: `{"message":"Maximum number of active threads reached","code":160006}`})
	for n := range 2 {
		r.wantText(r.command(localdiscord.Mary, tavern, "play", localdiscord.Opt("game", captain)),
			"as many active threads as Discord allows")
		if snap := r.told(storage.ID(n + 1)); snap.Channel != tavern || len(r.threads()) != 0 {
			t.Errorf("table %d is in %s, and there are %d threads", n+1, snap.Channel, len(r.threads()))
		}
	}
}
