package bottest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/text/locale"
)

// Counter records the bot's requests that change channels, and the current state of the messages there. It is needed
// because the local Discord keeps only a channel's latest messages. Follow-ups and edits with the tokens of
// interactions change the state, but are not listed. Deletions with these tokens are not recorded.
type Counter struct {
	t        testing.TB
	mu       sync.Mutex
	list     []string
	messages map[string]*Post
	posted   []string // ids of the messages, in the order in which they were posted
}

// Post is the current state of a message, and the users that it pinged when it was posted.
type Post struct {
	channel           string
	Text              string
	pictures, buttons int
	Pinged            []string
}

// NewCounter returns a Counter that records nothing until Listen is called.
func NewCounter(t testing.TB) *Counter { return &Counter{t: t, messages: map[string]*Post{}} }

// NewQuiet returns a rig with Quiet set, and a counter of its requests.
func NewQuiet(t *testing.T, options ...func(*localdiscord.Options)) (*Rig, *Counter) {
	c := NewCounter(t)
	return NewWith(t, func(r *Rig) { r.Quiet = true }, append(options, c.Listen)...), c
}

// Listen makes the counter record the requests to a local Discord.
func (c *Counter) Listen(o *localdiscord.Options) {
	check := o.OnRequest
	o.OnRequest = func(q localdiscord.Request) {
		check(q)
		// The replay of the game is not counted, because it is posted after the end of the game.
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

func (c *Counter) count(q localdiscord.Request) {
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

// note records the state of a public message after a request. If posts is false, it ignores messages that it does
// not know. The caller holds the lock.
func (c *Counter) note(q localdiscord.Request, posts bool) {
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
		m = &Post{channel: said.ChannelID, Pinged: asked.Mentions.Users}
		c.messages[said.ID] = m
		c.posted = append(c.posted, said.ID)
	}
	m.Text, m.pictures, m.buttons = "", 0, 0
	m.read(said.Components)
}

// read adds the contents of components to the post: texts, pictures of boards, and buttons that lead to a move.
func (m *Post) read(components []any) {
	for _, c := range components {
		c, ok := c.(map[string]any)
		if !ok {
			continue
		}
		if text, ok := c["content"].(string); ok {
			m.Text += text + "\n"
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

// Take returns the requests since its last call.
func (c *Counter) Take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.list
	c.list = nil
	return list
}

// Of returns the messages that were posted to a channel and not deleted, in their current state, oldest first.
func (c *Counter) Of(channel string) (list []Post) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.posted {
		if m := c.messages[id]; m != nil && m.channel == channel {
			list = append(list, *m)
		}
	}
	return list
}

// ThreadWatch checks a whole game in a thread. After each play, the thread has one board, and the play took at most two
// requests, without those about the table's card. At the end, the number of messages and pings matches the number of
// turns, and the thread's messages are a complete transcript of the game, unless one of them says that it leaves out
// moves.
type ThreadWatch struct {
	*Rig
	channel  string
	requests *Counter
	snap     *table.Snapshot

	turns, plays, steps, asked int
}

// WatchThread starts watching a game in a channel.
func (r *Rig) WatchThread(channel string, requests *Counter) *ThreadWatch {
	q := &ThreadWatch{Rig: r, channel: channel, requests: requests, snap: r.Published(1)}
	requests.Take()
	return q
}

// Played checks the thread after a play. It must be called after each play.
func (q *ThreadWatch) Played() {
	q.T.Helper()
	before, snap := q.snap, q.Published(1)
	q.snap = snap
	q.plays++
	// Requests for the table's card are not counted.
	list := slices.DeleteFunc(q.requests.Take(), func(s string) bool {
		return strings.HasPrefix(s, "PATCH") && strings.HasSuffix(s, "/"+q.channel)
	})
	if q.asked += len(list); len(list) > 2 {
		q.T.Errorf("play %d took the requests %q, want at most two", q.plays, list)
	}
	messages, boards, live := q.requests.Of(q.channel), 0, 0
	for _, m := range messages {
		boards += m.pictures
		live += min(m.buttons, 1)
	}
	last := messages[len(messages)-1]
	if goes := snap.Status == table.Playing; boards != 1 || goes && (live != 1 || last.pictures != 1) || !goes &&
		live != 0 {
		q.T.Fatalf("after play %d the channel has %d boards, %d messages with the button for a move, %d boards in the last one", q.plays, boards, live, last.pictures)
	}
	others := func(s games.Step) bool { return s.Seat != before.ToMove && s.Seat != games.Chance }
	if snap.ToMove != before.ToMove || slices.ContainsFunc(snap.Trail(games.Spectator, before.Plays, snap.Plays),
		others) {
		q.turns++
	} else {
		q.steps++
	}
}

// Over checks the thread's messages. It must be called when the game is over.
func (q *ThreadWatch) Over() {
	q.T.Helper()
	messages := q.requests.Of(q.channel)
	var pings int
	var transcript strings.Builder
	for _, m := range messages {
		pings += len(m.Pinged)
		transcript.WriteString(m.Text)
	}
	// The thread has the lobby, a message at the beginning of the game, and one for each turn. All messages except the
	// lobby and the last one have a ping.
	if want := q.turns + 2; len(messages) != want || pings != q.turns {
		q.T.Errorf("%d messages and %d pings in %d turns, want %d and %d", len(messages), pings, q.turns, want, q.turns)
	}
	game := q.snap.Rules().Key()
	if q.steps > 0 && game != "freebooter" {
		q.T.Errorf("%d moves were further steps of a turn", q.steps)
	}
	s := q.English(q.snap)
	for i := show.LaidOut(q.snap); i < q.snap.Plays && !strings.Contains(transcript.String(), "more before this"); i++ {
		if said := show.DescribePlay(q.snap, games.Spectator, i, s); !strings.Contains(transcript.String(), said) {
			q.T.Errorf("the transcript lacks play %d: %s", i+1, said)
		}
	}
	q.T.Logf("%s: %d plays in %d turns (%d further steps of one): %d requests, %d messages, %d pings, one picture at any time",
		game, q.plays, q.turns, q.steps, q.asked, len(messages), pings)
}

// English returns an English speaker that writes the table's players as mentions.
func (r *Rig) English(snap *table.Snapshot) *locale.Speaker {
	r.T.Helper()
	sentences, err := locale.Load()
	if err != nil {
		r.T.Fatal(err)
	}
	return show.Mentioning(sentences.Speaker(nil, "en"), snap)
}
