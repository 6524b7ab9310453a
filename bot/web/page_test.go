package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/bot/web"
	"marque/games"
	"marque/games/catalog"
	"marque/games/fair"
)

// answer is a response to a page.
type answer struct {
	Status  int
	Error   string       `json:"error"`
	Session string       `json:"session"`
	Login   string       `json:"login"`
	Table   string       `json:"table"`
	State   *web.State   `json:"state"`
	Message *web.Message `json:"message"`
	Games   []web.Game   `json:"games"`
	Raw     []byte
}

// client sends requests as a page does.
type client struct {
	r       *bottest.Rig
	session string
	table   string
}

// withPage returns a rig with the web page of boards.
func withPage(t *testing.T, prepare ...func(*bottest.Rig)) *bottest.Rig {
	return bottest.NewWith(t, func(r *bottest.Rig) {
		r.Page = true
		for _, p := range prepare {
			p(r)
		}
	})
}

// linkOf presses the button below a board for a user, and returns the secret in the link of the answer (the part after
// #).
func linkOf(r *bottest.Rig, user string, board *localdiscord.Message) (link string) {
	r.T.Helper()
	m := r.Click(user, board, "Open the board")
	if m.EphemeralTo != user {
		r.T.Fatalf("the link is seen by %q, want %s alone", m.EphemeralTo, user)
	}
	return linkIn(r, m)
}

// linkIn returns the secret of the link in a message.
func linkIn(r *bottest.Rig, m *localdiscord.Message) string {
	r.T.Helper()
	address, link, _ := strings.Cut(addressIn(r, m), "#")
	if address != r.PageURL+"/" || link == "" {
		r.T.Fatalf("the button leads to %s, want %s/#...", address, r.PageURL)
	}
	return link
}

// addressIn returns the address of a message's link button.
func addressIn(r *bottest.Rig, m *localdiscord.Message) string {
	r.T.Helper()
	for _, b := range m.Interactive() {
		if b.URL != "" {
			return b.URL
		}
	}
	r.T.Fatalf("no link in %s", m.Text())
	return ""
}

// enter logs a user in with the link from a board, and returns the client.
func enter(r *bottest.Rig, user string, board *localdiscord.Message) *client {
	r.T.Helper()
	c := &client{r: r}
	a := c.ask("enter", map[string]any{"link": linkOf(r, user, board)})
	if a.Status != http.StatusOK || a.Session == "" {
		r.T.Fatalf("a link was answered %d %s", a.Status, a.Raw)
	}
	c.session, c.table = a.Session, a.Table
	return c
}

var made atomic.Int64

// key returns 16 bytes in hex that were not used before.
func key() string { return fmt.Sprintf("%032x", made.Add(1)) }

// send sends a request as the page does, each from a different address. The given headers replace those of the page,
// and an empty one is left out.
func send(r *bottest.Rig, what string, body any, header map[string]string) answer {
	r.T.Helper()
	b, err := json.Marshal(body)
	r.Must(err)
	q, err := http.NewRequestWithContext(r.Ctx, http.MethodPost, r.PageURL+"/api/"+what, bytes.NewReader(b))
	r.Must(err)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Origin", r.PageURL)
	at := made.Add(1) // each request comes from a different address behind a proxy
	q.Header.Set("X-Forwarded-For", fmt.Sprintf("198.51.100.7, 203.%d.%d.%d", at>>16&255, at>>8&255, at&255))
	for k, v := range header {
		if k == "Host" {
			q.Host = v
		} else if v == "" {
			q.Header.Del(k)
		} else {
			q.Header.Set(k, v)
		}
	}
	got, err := http.DefaultClient.Do(q)
	r.Must(err)
	defer got.Body.Close()
	a := answer{Status: got.StatusCode}
	a.Raw, err = io.ReadAll(got.Body)
	r.Must(err)
	if got.Header.Get("Content-Type") == "application/json" {
		r.Must(json.Unmarshal(a.Raw, &a))
	}
	return a
}

func (c *client) ask(what string, body map[string]any) answer {
	c.r.T.Helper()
	if body["table"] == nil && c.table != "" {
		body["table"] = c.table
	}
	return send(c.r, what, body, map[string]string{"Authorization": "Bearer " + c.session})
}

// state returns the state of the table with the question after path.
func (c *client) state(path string) *web.State {
	c.r.T.Helper()
	a := c.ask("state", map[string]any{"path": path})
	if a.State == nil {
		c.r.T.Fatalf("state was answered %d %s\n%s", a.Status, a.Raw, c.r.Log)
	}
	return a.State
}

// dial opens a websocket, and sends a session and table 1.
func dial(r *bottest.Rig, session string) *websocket.Conn {
	r.T.Helper()
	address := strings.Replace(r.PageURL, "http", "ws", 1) + "/api/live"
	ws, _, err := websocket.DefaultDialer.DialContext(r.Ctx, address, http.Header{"Origin": {r.PageURL}})
	r.Must(err)
	r.T.Cleanup(func() { ws.Close() })
	r.Must(ws.WriteJSON(map[string]string{"session": session, "table": "1"}))
	return ws
}

// listen opens the websocket of table 1 for the client, and waits until the page is subscribed.
func (c *client) listen() *websocket.Conn {
	c.r.T.Helper()
	ws := dial(c.r, c.session)
	_, _, err := ws.ReadMessage()
	c.r.Must(err)
	return ws
}

// first returns a whole move, made of the first choice for each question.
func (c *client) first() string {
	c.r.T.Helper()
	s := c.state("")
	for !s.Question.Complete {
		s = c.state(s.Question.Choices[0].Path)
	}
	return s.Question.Path
}

// twoPages returns a table of a game, and the client of each of its two players.
func twoPages(t *testing.T, g games.Game) (*bottest.Rig, map[string]*client) {
	t.Helper()
	r := withPage(t)
	board := r.Open(bottest.TablesChannel, g, bottest.Two)
	pages := map[string]*client{}
	for _, who := range bottest.Two {
		pages[who] = enter(r, who, board)
	}
	return r, pages
}

// Games of every kind can be played on the page, to the end or for 400 moves, with only places and choices. Only the
// player to move is asked, and no question has only one answer.
func TestWholeGamesOnThePage(t *testing.T) {
	t.Parallel()
	for _, g := range catalog.Games {
		t.Run(g.Key(), func(t *testing.T) {
			t.Parallel()
			r, pages := twoPages(t, g)
			rng := bottest.NewRand()
			taps, moves, most := 0, 0, 400
			if testing.Short() {
				most = 40
			}
			for moves < most {
				snap := r.Table()
				if snap.Status == table.Over {
					break
				}
				who := snap.Mover()
				c := pages[who]
				s := c.state("")
				if s.Question == nil {
					t.Fatalf("%s is to move, and is asked nothing: %+v", who, s)
				}
				if other := pages[bottest.Other(bottest.Two, who)].state(""); other.Question != nil {
					t.Fatalf("%s is not to move, and is asked %+v", bottest.Other(bottest.Two, who), other.Question)
				}
				for !s.Question.Complete {
					q := s.Question
					options := map[string]bool{}
					for _, target := range q.Targets {
						if target.X < 0 || target.X > 1 || target.Y < 0 || target.W <= 0 {
							t.Fatalf("a place beside the picture: %+v", target)
						}
						for _, i := range target.Choices {
							options[q.Choices[i].Path] = true
						}
					}
					for _, choice := range q.Choices {
						if choice.List {
							options[choice.Path] = true
						}
						if first := choice.Label[:1]; first != strings.ToUpper(first) {
							t.Errorf("the label %q begins small", choice.Label)
						}
					}
					if len(options) < 2 {
						t.Fatalf("%q is asked with %d answers", q.Prompt, len(options))
					}
					list := make([]string, 0, len(options))
					for _, choice := range q.Choices {
						if options[choice.Path] {
							list = append(list, choice.Path)
						}
					}
					taps++
					s = c.state(list[rng.IntN(len(list))])
				}
				a := c.ask("play", map[string]any{"path": s.Question.Path, "version": s.Version, "key": key()})
				if a.State == nil || a.State.Plays <= s.Plays {
					t.Fatalf("%q was answered %d %s", s.Question.Path, a.Status, a.Raw)
				}
				taps++
				moves++
			}
			t.Logf("%s: %d moves, %.1f touches a move", g.Key(), moves, float64(taps)/float64(moves))
		})
	}
}

// A link admits its user once. A changed or used link, or one of another user, admits nobody.
func TestLinksOpenOnce(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	link := linkOf(r, localdiscord.Anne, board)
	c := &client{r: r}
	for what, forged := range map[string]string{
		"nothing":           "",
		"somebody else's":   strings.Replace(link, localdiscord.Anne, localdiscord.Jack, 1),
		"another table's":   strings.Replace(link, "."+localdiscord.Anne+".1.", "."+localdiscord.Anne+".2.", 1),
		"a letter less":     link[:len(link)-1],
		"a session":         strings.Replace(link, "link", "session", 1),
		"without signature": link[:strings.LastIndex(link, ".")],
		"very long":         strings.Repeat(link, 20),
	} {
		if a := c.ask("enter", map[string]any{"link": forged}); a.Status != http.StatusUnauthorized || a.Session != "" {
			t.Errorf("a link that is %s was answered %d %s", what, a.Status, a.Raw)
		}
	}
	if a := c.ask("enter", map[string]any{"link": link}); a.Session == "" {
		t.Fatalf("the link was answered %d %s", a.Status, a.Raw)
	}
	if a := c.ask("enter", map[string]any{"link": link}); a.Status != http.StatusUnauthorized {
		t.Errorf("a used link was answered %d %s", a.Status, a.Raw)
	}
	fresh := linkOf(r, localdiscord.Anne, board)
	r.Stop()
	r.Start()
	if a := c.ask("enter", map[string]any{"link": link}); a.Status != http.StatusUnauthorized {
		t.Errorf("after a restart a used link was answered %d %s", a.Status, a.Raw)
	}
	if a := c.ask("enter", map[string]any{"link": fresh}); a.Session == "" {
		t.Errorf("after a restart a link was answered %d %s", a.Status, a.Raw)
	}
}

// A request is refused if it comes from another page, has another host name or content type, has no valid session, is
// too large, or has an invalid table, key or control.
func TestOnlyThePageIsAnswered(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	c := enter(r, localdiscord.Anne, r.OpenLoyal(bottest.Two))
	body := map[string]any{"table": c.table}
	auth := map[string]string{"Authorization": "Bearer " + c.session}
	with := func(k, v string) map[string]string {
		return map[string]string{"Authorization": auth["Authorization"], k: v}
	}
	for what, tc := range map[string]struct {
		header map[string]string
		body   any
		want   int
	}{
		"as it should be":    {auth, body, http.StatusOK},
		"another page":       {with("Origin", "https://evil.example"), body, http.StatusForbidden},
		"no origin":          {with("Origin", ""), body, http.StatusForbidden},
		"an opaque origin":   {with("Origin", "null"), body, http.StatusForbidden},
		"another scheme":     {with("Origin", strings.Replace(r.PageURL, "http", "https", 1)), body, http.StatusForbidden},
		"a longer name":      {with("Origin", r.PageURL+".evil.example"), body, http.StatusForbidden},
		"another name":       {with("Host", "evil.example"), body, http.StatusMisdirectedRequest},
		"a form":             {with("Content-Type", "text/plain"), body, http.StatusBadRequest},
		"no session":         {with("Authorization", ""), body, http.StatusUnauthorized},
		"a forged session":   {with("Authorization", auth["Authorization"]+"x"), body, http.StatusUnauthorized},
		"another's session":  {with("Authorization", strings.Replace(auth["Authorization"], localdiscord.Anne, localdiscord.Jack, 1)), body, http.StatusUnauthorized},
		"too large":          {auth, map[string]any{"table": "1", "path": strings.Repeat("x", 5000)}, http.StatusBadRequest},
		"no table":           {auth, map[string]any{"table": "zz top"}, http.StatusBadRequest},
		"a key that is none": {auth, map[string]any{"table": "1", "key": "1297650000000000001"}, http.StatusBadRequest},
	} {
		if a := send(r, "state", tc.body, tc.header); a.Status != tc.want {
			t.Errorf("%s: %d %s, want %d", what, a.Status, a.Raw, tc.want)
		}
	}
	if a := c.ask("press", map[string]any{"press": "leave/1//", "key": key()}); a.Status != http.StatusBadRequest {
		t.Errorf("a control that is not the page's was answered %d %s", a.Status, a.Raw)
	}
	got, err := http.Get(r.PageURL + "/")
	r.Must(err)
	defer got.Body.Close()
	if csp := got.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
		strings.Contains(csp, "unsafe") {
		t.Errorf("the page's policy is %q", csp)
	}
}

// The page is one document with one script of at most 30 kB, and refers to no other file.
func TestThePageIsSmall(t *testing.T) {
	t.Parallel()
	got, err := http.Get(withPage(t).PageURL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	b, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	scripts := regexp.MustCompile(`(?s)<script[^>]*>(.*?)</script>`).FindAllSubmatch(b, -1)
	if len(scripts) != 1 {
		t.Fatalf("the page has %d scripts, want one", len(scripts))
	}
	if n := len(scripts[0][1]); n < 1000 || n > 30_000 {
		t.Errorf("the page's script has %d bytes, want at most 30,000", n)
	}
	if from := regexp.MustCompile(`<[^>]* (src|href)="[^"]+"|@import|import[ (]`).Find(b); from != nil {
		t.Errorf("the page fetches %s", from)
	}
}

// A page shows a table to a spectator, who cannot play, only as long as the spectator can see its channel.
func TestOthersTables(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	c := enter(r, localdiscord.Mary, r.OpenLoyal(bottest.Two))
	if s := c.state(""); s.Question != nil || s.Description == "" {
		t.Errorf("who looks on is asked %+v, and told %q", s.Question, s.Description)
	}
	a := c.ask("play", map[string]any{"path": "+1", "version": 100, "key": key()})
	if a.State != nil || !strings.Contains(a.Error, "don't have a seat") {
		t.Errorf("who looks on plays: %d %s", a.Status, a.Raw)
	}
	r.Must(r.Server.Admin.Deny(bottest.TablesChannel, localdiscord.Mary, discordgo.PermissionViewChannel))
	r.Eventually("who sees the channel no more is told nothing more", func() bool {
		return c.ask("state", map[string]any{}).State == nil
	})
	for what, body := range map[string]map[string]any{
		"picture": {"picture": "board"}, "press": {"press": "text/1//", "key": key()},
	} {
		a := c.ask(what, body)
		if a.State != nil || a.Message != nil || !strings.Contains(a.Error, "find table 1 here") {
			t.Errorf("who sees the channel no more asks for %s, and is answered %d %s", what, a.Status, a.Raw)
		}
	}
	if a := c.ask("state", map[string]any{"table": "77"}); a.State != nil || a.Error == "" {
		t.Errorf("a table that is not there is answered %d %s", a.Status, a.Raw)
	}
}

// A play that is sent twice with the same key is played once. Its key is mixed into the following dice and cards. An
// outdated play is refused.
func TestPlaysAreMixedIn(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	g, _ := catalog.Find("quedah-merchant")
	c := map[string]*client{}
	board := r.Open(bottest.TablesChannel, g, bottest.Two)
	for _, who := range bottest.Two {
		c[who] = enter(r, who, board)
	}
	snap := r.Table()
	who := snap.Mover()
	move := games.Spell(snap.View(snap.ToMove).State, snap.View(snap.ToMove).State.Moves()[0])
	body := func() map[string]any {
		return map[string]any{"path": move, "version": snap.Version, "key": "00112233445566778899aabbccddeeff"}
	}
	first, second := c[who].ask("play", body()), c[who].ask("play", body())
	if first.State == nil || second.State == nil || first.State.Plays != second.State.Plays {
		t.Fatalf("a play that is sent twice is answered\n%s\n%s", first.Raw, second.Raw)
	}
	if got, want := r.Table().LastPlayed(), "00112233445566778899aabbccddeeff"; !strings.HasSuffix(got, " "+want) {
		t.Errorf("mixed in is %q, want %q at its end", got, want)
	}
	if _, _, err := fair.ParsePlayed(r.Table().LastPlayed()); err != nil {
		t.Error(err)
	}
	late := c[who].ask("play", map[string]any{"path": move, "version": snap.Version, "key": key()})
	if late.State != nil || late.Error == "" {
		t.Errorf("a play that comes too late is answered %d %s", late.Status, late.Raw)
	}
}

// A page hears of others' plays over a websocket, which pages of other origins cannot open. A connection with a forged
// session is closed.
func TestPagesHearOfChanges(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	who := r.Table().Mover()
	mover, other := enter(r, who, board), enter(r, bottest.Other(bottest.Two, who), board)
	address := strings.Replace(r.PageURL, "http", "ws", 1) + "/api/live"
	for _, evil := range []http.Header{{"Origin": {"https://evil.example"}}, {"Origin": {"null"}}, {}} {
		if ws, _, err := websocket.DefaultDialer.DialContext(r.Ctx, address, evil); err == nil {
			ws.Close()
			t.Errorf("another page, of the origin %q, may listen", evil.Get("Origin"))
		}
	}
	_, _, err := dial(r, mover.session+"x").ReadMessage()
	if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) {
		t.Errorf("a forged session listens: %v", err)
	}
	ws := dial(r, other.session)
	var heard struct {
		Tables []string
		All    bool
	}
	r.Must(ws.ReadJSON(&heard))
	if !heard.All {
		t.Fatalf("first a page hears %+v, want that everything may have changed", heard)
	}
	a := mover.ask("play", map[string]any{"path": mover.first(), "version": r.Table().Version, "key": key()})
	if a.State == nil {
		t.Fatalf("%d %s", a.Status, a.Raw)
	}
	heard.All = false
	r.Must(ws.ReadJSON(&heard))
	if !slices.Contains(heard.Tables, "1") {
		t.Errorf("after a play a page hears %+v", heard)
	}
	if s := other.state(""); s.Question == nil {
		t.Error("the table does not ask whose turn it is")
	}
}

// A page that switches tables faster than they can be looked up ends at the last one, and receives its changes.
func TestAPageThatTurnsOften(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	ws := enter(r, localdiscord.Mary, board).listen()
	for range 50 {
		r.Must(ws.WriteJSON(map[string]any{"table": "77"}))
	}
	r.Must(ws.WriteJSON(map[string]any{"table": "1"}))
	heard := func() {
		t.Helper()
		for {
			var said struct{ Tables []string }
			if err := ws.ReadJSON(&said); err != nil {
				t.Fatalf("the page was sent away: %v", err)
			}
			if slices.Contains(said.Tables, "1") {
				return
			}
		}
	}
	heard()
	r.PlayOne(bottest.TablesChannel)
	heard()
}

// The list of a user's games contains the deadline of a game with a clock.
func TestMyGamesSayWhenTimeRunsOut(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two, localdiscord.Opt("clock", "3d"))
	at, runs, err := r.Deadline(r.Published(1).Head)
	if err != nil || !runs {
		t.Fatalf("no clock runs, %v", err)
	}
	a := enter(r, localdiscord.Anne, board).ask("games", map[string]any{})
	if len(a.Games) != 1 || a.Games[0].Deadline != at.Unix() {
		t.Errorf("the games are %+v, want one until %d", a.Games, at.Unix())
	}
}

// The channel gets no board for a move while the player to move has the page open and somebody has played in the last
// 20 seconds. One board is posted when a player leaves the page in their turn, or when the 20 seconds are over.
func TestTheChannelWaitsForWhoLooks(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Unix(1_800_000_000, 0))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Page = true },
		func(o *localdiscord.Options) { o.Clock = clock })
	board := r.OpenLoyal(bottest.Two)
	pages, live := map[string]*client{}, map[string]*websocket.Conn{}
	for _, who := range bottest.Two {
		pages[who] = enter(r, who, board)
		live[who] = pages[who].listen()
	}
	boards := func() (n int) {
		for _, m := range r.Server.Messages(board.ChannelID, localdiscord.Anne) {
			if _, ok := m.Button("Move"); ok && m.EphemeralTo == "" && bottest.Later(m.ID, board.ID) {
				n++
			}
		}
		return n
	}
	for range 4 {
		c := pages[r.Table().Mover()]
		a := c.ask("play", map[string]any{"path": c.first(), "version": r.Table().Version, "key": key()})
		if a.State == nil {
			t.Fatalf("%d %s", a.Status, a.Raw)
		}
	}
	next := r.Table().Mover()
	r.Must(live[next].WriteJSON(map[string]any{"table": "1", "hidden": true}))
	asks := func(m *localdiscord.Message) bool { _, ok := m.Button("Move"); return ok }
	turn := r.Next(board.ChannelID, board.ID, asks)
	if n := boards(); n != 1 || !strings.Contains(turn.Content+turn.Text(), next) {
		t.Errorf("after four moves of two who look, and one who turns away, %d boards came; the last: %s", n, turn.Text())
	}
	if a := pages[next].ask("play", map[string]any{"path": pages[next].first(), "version": r.Table().Version,
		"key": key()}); a.State == nil {
		t.Fatalf("%d %s", a.Status, a.Raw)
	}
	if r.Table().Mover() == next {
		t.Fatal("the same player is to move")
	}
	clock.Jump(19 * time.Second)
	if n := boards(); n != 1 {
		t.Errorf("while %s looks the channel got %d boards more", r.Table().Mover(), n-1)
	}
	clock.Jump(2 * time.Second)
	r.Next(board.ChannelID, turn.ID, asks)
}

// A plan is made with places and choices, as a move is: first the other players' moves, then the user's own. It can be
// saved, listed and dropped, and is played in its turn. The opponent cannot see it. Plans are only offered where they
// are possible.
func TestPlansOnThePage(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	board := r.OpenLoyal(bottest.Two)
	mover := r.Table().Mover()
	c, other := enter(r, bottest.Other(bottest.Two, mover), board), enter(r, mover, board)
	if other.state("").CanPlan || !c.state("").CanPlan {
		t.Fatal("who is to move is offered plans, or who is not is not")
	}
	ask := func(plan, path string) *web.State {
		t.Helper()
		a := c.ask("state", map[string]any{"plan": plan, "path": path})
		if a.State == nil {
			t.Fatalf("a plan %q is answered %d %s", plan, a.Status, a.Raw)
		}
		return a.State
	}
	chosen := func(plan string) string {
		t.Helper()
		s := ask(plan, "")
		for s.Question == nil || !s.Question.Complete {
			if s.Plan == nil || s.Question == nil || len(s.Question.Targets) == 0 {
				t.Fatalf("the plan %q is asked %+v %+v", plan, s.Plan, s.Question)
			}
			s = ask(plan, s.Question.Choices[s.Question.Targets[0].Choices[0]].Path)
		}
		return s.Question.Path
	}
	leave := func(plan string) answer {
		return c.ask("plan", map[string]any{"plan": plan, "version": c.state("").Version, "key": key()})
	}
	theirs := chosen("")
	if a := leave(theirs); a.Error == "" {
		t.Error("a plan without an answer can be left")
	}
	before := ask(theirs, "")
	if before.Plan.Complete || len(before.Plan.Said) != 1 {
		t.Errorf("after their move the plan is %+v", before.Plan)
	}
	plan := theirs + ";" + chosen(theirs)
	if s := ask(plan, ""); !s.Plan.Complete || len(s.Plan.Said) != 2 {
		t.Errorf("after the answer the plan is %+v", s.Plan)
	}
	now := c.ask("picture", map[string]any{"picture": "board", "plays": 0}).Raw
	then := c.ask("picture", map[string]any{"picture": "plan", "plan": plan}).Raw
	if !bytes.HasPrefix(then, []byte("\x89PNG")) || bytes.Equal(now, then) {
		t.Error("the board at the end of a plan is not shown")
	}
	if a := leave(plan); a.Error != "" || a.Status != http.StatusOK {
		t.Fatalf("a plan is left, and answered %d %s", a.Status, a.Raw)
	}
	listed := c.state("").Planned
	if listed == nil || len(listed.Parts) != 2 {
		t.Fatalf("the plans are listed as %+v", listed)
	}
	if told := other.ask("state", map[string]any{}); told.State.Planned != nil || told.State.Plan != nil {
		t.Errorf("the other is told of a plan: %s", told.Raw)
	}
	if a := c.ask("press", map[string]any{"press": listed.Parts[1].Buttons[0].Press, "key": key()}); a.Error != "" {
		t.Errorf("dropping plans is answered %s", a.Raw)
	}
	if listed := c.state("").Planned; listed != nil {
		t.Errorf("after they were dropped plans are listed: %+v", listed)
	}
	leave(plan)
	played := other.ask("play", map[string]any{"path": theirs, "version": other.state("").Version, "key": key()})
	if played.State == nil || played.State.Plays != 2 {
		t.Errorf("after their move, the planned answer was not played: %s", played.Raw)
	}
	if s := ask(plan, ""); s.Plan != nil && len(s.Plan.Said) > 2 {
		t.Errorf("a plan that the game has left is answered %+v", s.Plan)
	}
	hidden, _ := catalog.Find("freebooter")
	r.Open(localdiscord.TortugaTavern, hidden, bottest.Two)
	for who, c := range map[string]*client{"one": c, "the other": other} {
		a := c.ask("state", map[string]any{"table": "2", "plan": "", "path": ""})
		if a.State == nil || a.State.CanPlan || a.State.Plan != nil {
			t.Errorf("where hands are hidden %s is offered plans: %s", who, a.Raw)
		}
	}
}
