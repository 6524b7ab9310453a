package localdiscord

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"marque/bot/timesource/manual"
)

func echo(bot *testBot) func(*discordgo.InteractionCreate) {
	return func(i *discordgo.InteractionCreate) {
		bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "aye"}})
	}
}

func (b *testBot) waitFor(t *testing.T, event string) {
	t.Helper()
	// Events reach the handlers a moment after the server has sent them, and discordgo offers nothing else to wait for.
	ctx := background(t)
	for !b.saw(event) {
		select {
		case <-b.heard:
		case <-ctx.Done():
			t.Fatalf("the bot never heard %s", event)
		}
	}
}

// A call that waits in a channel is woken by changes in the channel or in the world, and not by changes in other
// channels, so that a thousand calls can wait at the same time.
func TestWhoWaitsInAChannelIsNotWokenByOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := New(Options{Requests: Unlimited})
		defer srv.Close()
		asked, seen := 0, false
		ended := make(chan error, 1)
		go func() {
			ended <- srv.hub.wait(t.Context(), TortugaTables, func() bool { asked++; return seen })
		}()
		times := func(what string, want int) {
			t.Helper()
			synctest.Wait()
			srv.hub.mu.Lock()
			defer srv.hub.mu.Unlock()
			if asked != want {
				t.Errorf("%s: asked %d times, want %d", what, asked, want)
			}
		}
		says := func(channel string) {
			t.Helper()
			if _, err := srv.Say(Anne, channel, "Ahoy!"); err != nil {
				t.Fatal(err)
			}
		}
		times("at first", 1)
		says(TortugaTavern)
		srv.rest.record(Request{})
		times("after a message in another channel, and a request", 1)
		says(TortugaTables)
		times("after a message in this channel", 2)
		srv.Admin.AddUser("Ann")
		times("after the world changed", 3)
		srv.hub.do(func() { seen = true })
		says(TortugaTables)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// An interaction is answered after a lost connection, after a request to reconnect, and after an invalid session.
func TestGatewayFailures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		fail  func(*Server)
		event string
	}{
		{"dropped connection", func(s *Server) { s.Gateway.Drop() }, "RESUMED"},
		{"asked to reconnect", func(s *Server) { s.Gateway.RequestReconnect() }, "RESUMED"},
		{"invalid session, resumable", func(s *Server) { s.Gateway.Invalidate(true) }, "RESUMED"},
		{"invalid session", func(s *Server) { s.Gateway.Invalidate(false) }, "READY"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			srv, bot := start(t, Options{}, play)
			bot.on(echo(bot))
			bot.forget()
			tc.fail(srv)
			bot.waitFor(t, tc.event)
			if _, err := srv.Command(background(t), Anne, TortugaTables, "play", Opt("game", "pirat")); err != nil {
				t.Errorf("after %s: %v", tc.name, err)
			}
		})
	}
}

// Events that occur while the connection is lost are sent when the session is resumed.
func TestResumeReplaysWhatWasMissed(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{Clock: manual.NewClock(time.Now())}, play)
	ctx := background(t)
	bot.on(echo(bot))
	srv.Gateway.Drop()
	reply, err := srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat"))
	if err != nil {
		t.Fatal(err)
	}
	if m := must[*Message](t)(reply.Message(ctx)); m.Content != "aye" {
		t.Errorf("message %q", m.Content)
	}
}

// Close ends connections that have not begun a session.
func TestCloseEndsConnectionsWithoutASession(t *testing.T) {
	t.Parallel()
	srv := New(Options{Requests: Unlimited})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(srv.URL(), "http")+"gateway/", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	closed := make(chan error, 1)
	go func() { closed <- srv.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-background(t).Done():
		t.Fatal("the server waits for the connection")
	}
	for err == nil {
		_, _, err = ws.ReadMessage()
	}
	if !websocket.IsCloseError(err, closeGoingAway) {
		t.Errorf("the connection ends with %v, want code %d", err, closeGoingAway)
	}
}

func TestGatewayRefusesWithCloseCodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		prepare func(*Server, *discordgo.Session)
		code    int
	}{
		{"bad token", func(s *Server, d *discordgo.Session) { d.Token = "Bot wrong"; d.Identify.Token = "Bot wrong" }, 4004},
		{"revoked token", func(s *Server, _ *discordgo.Session) { s.RevokeToken() }, 4004},
		{"disallowed intents", func(s *Server, d *discordgo.Session) { d.Identify.Intents = discordgo.IntentsAll }, 4014},
		{"invalid intents", func(s *Server, d *discordgo.Session) { d.Identify.Intents = 1 << 30 }, 4013},
		{"invalid shard", func(s *Server, d *discordgo.Session) { d.Identify.Shard = &[2]int{2, 2} }, 4010},
	} {
		srv := lone(t)
		session, _ := discordgo.New("Bot " + srv.Token())
		session.Client = srv.HTTPClient()
		session.ShouldReconnectOnError = false
		tc.prepare(srv, session)
		err := session.Open()
		var closed *websocket.CloseError
		if !errors.As(err, &closed) || closed.Code != tc.code {
			t.Errorf("%s: %v, want close code %d", tc.name, err, tc.code)
		}
		session.Client.CloseIdleConnections()
	}
	srv := lone(t)
	srv.Gateway.AllowIntents(intentsPrivileged)
	session, _ := discordgo.New("Bot " + srv.Token())
	session.Client = srv.HTTPClient()
	session.Identify.Intents = discordgo.IntentsAll
	if err := session.Open(); err != nil {
		t.Errorf("allowed intents: %v", err)
	}
	session.ShouldReconnectOnError = false
	session.Client.CloseIdleConnections()
	session.Close()
}

func TestRevokedTokenOverREST(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	bot, _ := discordgo.New("Bot " + srv.Token())
	bot.Client = srv.HTTPClient()
	if _, err := bot.User("@me"); err != nil {
		t.Fatal(err)
	}
	srv.RevokeToken()
	_, err := bot.User("@me")
	bot.Client.CloseIdleConnections()
	var rest *discordgo.RESTError
	if !errors.As(err, &rest) || rest.Response.StatusCode != 401 || strings.Contains(err.Error(), DefaultToken) {
		t.Errorf("error %v, want 401", err)
	}
}

// A test that joins an Activity where none runs gets an error.
func TestNobodyJoinsAnActivityThatDoesNotRun(t *testing.T) {
	t.Parallel()
	if err := lone(t).JoinActivity(Anne, "i-1-gc-1-1"); !errors.Is(err, ErrNoInstance) {
		t.Errorf("error %v, want %v", err, ErrNoInstance)
	}
}

// A fault of old messages spares requests that name no message by its id.
func TestAFaultOfOldMessagesSparesOthers(t *testing.T) {
	t.Parallel()
	var l faultList
	l.add(Fault{Old: time.Hour, Status: 429})
	ids := snowflakes{clock: manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))}
	id := ids.newID()
	for path, matches := range map[string]bool{"/channels/1/messages/" + id: true, "/channels/1/messages": false,
		"/webhooks/1/x/messages/@original": false} {
		if f := l.pick("PATCH", path, "", ids.clock.Now().Add(2*time.Hour)); (f != nil) != matches {
			t.Errorf("%s: %+v, want a fault: %v", path, f, matches)
		}
	}
	if f := l.pick("PATCH", "/channels/1/messages/"+id, "", ids.clock.Now()); f != nil {
		t.Errorf("a new message: %+v, want no fault", f)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{})
	send := func() error {
		_, err := bot.ChannelMessageSend(TortugaTables, "x")
		return err
	}
	for _, tc := range []struct {
		name  string
		fault Fault
		check func(error) bool
	}{
		{"500", ServerError(500), func(err error) bool { return strings.Contains(err.Error(), "500") }},
		{"503", ServerError(503), func(err error) bool { return strings.Contains(err.Error(), "503") }},
		{"429", RateLimited(10*time.Millisecond, false, true), func(err error) bool {
			var rl *discordgo.RateLimitError
			return errors.As(err, &rl) && rl.RetryAfter == 10*time.Millisecond
		}},
		{"429 without headers", RateLimited(20*time.Millisecond, true, false), func(err error) bool {
			var rl *discordgo.RateLimitError
			return errors.As(err, &rl) && rl.RetryAfter == 20*time.Millisecond
		}},
		{"429 as a web page", RateLimitedHTML(), func(err error) bool { return strings.Contains(err.Error(), "invalid character '<'") }},
		{"a lost answer", Fault{Lost: true}, func(err error) bool { return strings.Contains(err.Error(), "EOF") }},
	} {
		tc.fault.Times, tc.fault.Method, tc.fault.Path = 1, "POST", "/channels/{channel_id}/messages"
		srv.AddFault(tc.fault)
		if err := send(); err == nil || !tc.check(err) {
			t.Errorf("%s: %v", tc.name, err)
		}
		if err := send(); err != nil {
			t.Errorf("after %s: %v", tc.name, err)
		}
	}
	if n := len(srv.Messages(TortugaTables, Anne)); n != 7 {
		t.Errorf("%d messages, want 7: one after each fault, and the one whose answer was lost", n)
	}
	hold := make(chan struct{})
	remove := srv.AddFault(Fault{Hold: hold, Path: "/messages"})
	sent := make(chan error, 1)
	go func() { sent <- send() }()
	if _, err := bot.User("@me"); err != nil { // other requests are not delayed
		t.Error(err)
	}
	if len(sent) > 0 {
		t.Error("the request was not held")
	}
	close(hold)
	if err := <-sent; err != nil {
		t.Error(err)
	}
	remove()
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{}, play)
	ctx := background(t)
	bot.on(echo(bot))
	send := func(channel string) error {
		_, err := bot.ChannelMessageSend(channel, "x")
		return err
	}
	set := func(permissions int64) {
		t.Helper()
		if err := srv.Admin.DenyBot(TortugaTables, permissions); err != nil {
			t.Fatal(err)
		}
	}
	set(PermissionSendMessages)
	wantCode(t, send(TortugaTables), codeMissingPermissions)
	set(PermissionViewChannel)
	wantCode(t, send(TortugaTables), codeMissingAccess)
	// A reply to an interaction needs no permission.
	reply := must[*Reply](t)(srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat")))
	if m := must[*Message](t)(reply.Message(ctx)); m.Content != "aye" {
		t.Errorf("message %q", m.Content)
	}
	set(PermissionCreatePublicThreads)
	_, err := bot.ThreadStart(TortugaTables, "t", discordgo.ChannelTypeGuildPublicThread, 60)
	wantCode(t, err, codeMissingPermissions)
	set(PermissionAttachFiles)
	_, err = bot.ChannelFileSend(TortugaTables, "a.txt", strings.NewReader("x"))
	wantCode(t, err, codeMissingPermissions)
	set(0)
	thread, err := bot.ThreadStart(TortugaTables, "second table", discordgo.ChannelTypeGuildPublicThread, 60)
	if err != nil {
		t.Fatal(err)
	}
	bot.waitFor(t, "THREAD_CREATE")
	set(PermissionSendMessagesInThreads)
	wantCode(t, send(thread.ID), codeMissingPermissions)
	set(0)
	if err := srv.Admin.ArchiveThread(thread.ID, true, false); err != nil {
		t.Fatal(err)
	}
	m, err := bot.ChannelMessageSend(thread.ID, "awake")
	if err != nil {
		t.Errorf("posting wakes an archived thread: %v", err)
	}
	if c := srv.Channels(Tortuga, Anne); c[len(c)-1].Archived || !c[len(c)-1].Thread ||
		c[len(c)-1].ParentID != TortugaTables {
		t.Errorf("thread %+v", c[len(c)-1])
	}
	srv.Admin.ArchiveThread(thread.ID, true, true)
	wantCode(t, send(thread.ID), codeThreadLocked)
	_, err = bot.ChannelMessageEdit(thread.ID, m.ID, "x")
	wantCode(t, err, codeThreadArchived)
	awake := false
	// The bot may not wake a locked thread, even one that it has created.
	_, err = bot.ChannelEditComplex(thread.ID, &discordgo.ChannelEdit{Archived: &awake})
	wantCode(t, err, codeMissingPermissions)
	if err := srv.Admin.DeleteChannel(thread.ID); err != nil {
		t.Fatal(err)
	}
	bot.waitFor(t, "THREAD_DELETE")
	wantCode(t, send(thread.ID), codeUnknownChannel)
	if err := srv.Admin.DeleteChannel(TortugaTavern); err != nil {
		t.Fatal(err)
	}
	bot.waitFor(t, "CHANNEL_DELETE")
	wantCode(t, send(TortugaTavern), codeUnknownChannel)
	if err := srv.Admin.KickBot(Nassau); err != nil {
		t.Fatal(err)
	}
	bot.waitFor(t, "GUILD_DELETE")
	wantCode(t, send(NassauTables), codeMissingAccess)
	_, err = bot.Guild(Nassau)
	wantCode(t, err, codeUnknownGuild)
	if _, err := srv.Command(ctx, Anne, NassauTables, "play"); !errors.Is(err, ErrNoCommand) {
		t.Errorf("a command of a bot that is not there: %v", err)
	}
	if err := srv.Admin.InviteBot(Nassau); err != nil {
		t.Fatal(err)
	}
	if err := send(NassauTables); err != nil {
		t.Errorf("invited again: %v", err)
	}
	royal, err := srv.Admin.AddGuild("Port Royal", Jack)
	if err != nil {
		t.Fatal(err)
	}
	if g, err := bot.Guild(royal); err != nil || g.Name != "Port Royal" || g.OwnerID != Jack {
		t.Errorf("a new server: %+v, %v", g, err)
	}
	quay, err := srv.Admin.AddChannel(royal, "quay")
	if err != nil {
		t.Fatal(err)
	}
	bot.waitFor(t, "CHANNEL_CREATE")
	if err := send(quay); err != nil {
		t.Errorf("a message in a new server: %v", err)
	}
	if _, err := srv.Admin.AddGuild("Nowhere", "4711"); !errors.Is(err, ErrNoUser) {
		t.Errorf("a server of nobody's: %v", err)
	}
}

// As on Discord, allowed_mentions decides who is notified of a message, and an edit notifies nobody.
func TestPings(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	jack, bart := "<@"+Jack+">", "<@"+Bart+">"
	role := Tortuga[:len(Tortuga)-2] + "90"
	mentionable, err := srv.Admin.AddRole(Tortuga, "Crew", 0)
	if err := errors.Join(err, srv.Admin.SetMentionable(Tortuga, mentionable, true),
		srv.Admin.SetRoles(Tortuga, Bart, mentionable)); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, body string
		want       []string
	}{
		{"everything by default", `{"content":"` + jack + ` ` + bart + ` ` + jack + `"}`, []string{Jack, Bart}},
		{"nothing", `{"content":"` + jack + `","allowed_mentions":{"parse":[]}}`, nil},
		{"one of two", `{"content":"` + jack + bart + `","allowed_mentions":{"parse":[],"users":["` + Bart + `"]}}`, []string{Bart}},
		{"all users", `{"content":"` + jack + bart + `","allowed_mentions":{"parse":["users"]}}`, []string{Jack, Bart}},
		{"allowed but not named", `{"content":"you","allowed_mentions":{"parse":[],"users":["` + Bart + `"]}}`, nil},
		{"in code", "{\"content\":\"`" + jack + "`\"}", nil},
		{"no member", `{"content":"<@` + Ching + `>"}`, nil},
		{"a role", `{"content":"<@&` + mentionable + `>"}`, []string{Bart}},
		{"a role that not everybody may mention", `{"content":"<@&` + role + `>"}`, nil},
		{"everyone, without the permission", `{"content":"@everyone"}`, nil},
		{"a text display", `{"flags":32768,"components":[{"type":17,"components":[` + display(jack) + `]}]}`, []string{Jack}},
		{"an embed does not ping", `{"embeds":[{"description":"` + jack + `"}]}`, nil},
	} {
		_, body := raw(t, srv, "POST", "/channels/"+TortugaTables+"/messages", tc.body)
		id, _ := body["id"].(string)
		m, err := srv.Message(id, Anne)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, body)
		}
		if !slices.Equal(m.Pinged, tc.want) {
			t.Errorf("%s: pinged %v, want %v", tc.name, m.Pinged, tc.want)
		}
	}
	_, body := raw(t, srv, "POST", "/channels/"+TortugaTables+"/messages", `{"content":"x"}`)
	id := body["id"].(string)
	raw(t, srv, "PATCH", "/channels/"+TortugaTables+"/messages/"+id, `{"content":"`+jack+`"}`)
	if m, _ := srv.Message(id, Anne); len(m.Pinged) != 0 || len(m.Mentions) != 1 || m.Version != 2 {
		t.Errorf("an edit: pinged %v, mentions %v, version %d", m.Pinged, m.Mentions, m.Version)
	}
}

func TestHistoryAndFilesAreBounded(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	var first string
	for i := range maxMessages + 5 {
		_, body := raw(t, srv, "POST", "/channels/"+TortugaTables+"/messages", `{}`,
			upload{"0", "a.txt", "text/plain", []byte(itoa(i))})
		if i == 0 {
			first = body["attachments"].([]any)[0].(map[string]any)["url"].(string)
		}
	}
	if n := len(srv.Messages(TortugaTables, Anne)); n != maxMessages {
		t.Errorf("%d messages are kept, want %d", n, maxMessages)
	}
	if _, ok := srv.Attachment(first); ok {
		t.Error("the file of a dropped message is still kept")
	}
	if n := len(srv.hub.state.files.files); n != maxMessages {
		t.Errorf("%d files are kept, want %d", n, maxMessages)
	}
}

func TestRequestsAreLoggedAndHandedOut(t *testing.T) {
	t.Parallel()
	var seen []Request
	srv := New(Options{Requests: Unlimited, OnRequest: func(r Request) { seen = append(seen, r) }})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	raw(t, srv, "POST", "/channels/"+TortugaTables+"/messages", `{"content":"x"}`,
		upload{"0", "a.txt", "text/plain", []byte("abc")})
	raw(t, srv, "GET", "/channels/1", "")
	if len(seen) != 2 || len(srv.Requests()) != 2 {
		t.Fatalf("seen %d, logged %d", len(seen), len(srv.Requests()))
	}
	if r := seen[0]; r.Route != "/channels/{channel_id}/messages" || r.Path != "/channels/"+TortugaTables+"/messages" ||
		string(r.Body) != `{"content":"x"}` ||
		r.Status != 200 || len(r.Files) != 1 || r.Files[0] != (RequestFile{"files[0]", "a.txt", "text/plain", 3}) {
		t.Errorf("request %+v", r)
	}
	if r := seen[1]; r.Status != 404 || !strings.Contains(string(r.Response), "Unknown Channel") {
		t.Errorf("request %+v %s", r, r.Response)
	}
}

// The world continues after a restart: ids, messages, files, threads, commands and read markers are unchanged.
func TestStateSurvivesRestart(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "discord.json")
	first := New(Options{Requests: Unlimited, StateFile: file})
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	raw(t, first, "PUT", "/applications/"+Application+"/commands", `[{"name":"play","description":"d"}]`)
	_, body := raw(t, first, "POST", "/channels/"+TortugaTables+"/messages",
		`{"flags":32768,"components":[{"type":12,"items":[{"media":{"url":"attachment://a.png"}}]},`+
			display("<@"+Jack+">")+`]}`, upload{"0", "a.png", "image/png", picture(4)})
	id := body["id"].(string)
	_, thread := raw(t, first, "POST", "/channels/"+TortugaTables+"/messages/"+id+"/threads", `{"name":"table two"}`)
	user := first.Admin.AddUser("Ann")
	if err := (&pageView{first.hub, first.interactions, first.client, first.Admin, nil, nil}).MarkRead(Jack,
		TortugaTables); err != nil {
		t.Fatal(err)
	}
	before, err := first.Message(id, Anne)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	second := New(Options{Requests: Unlimited, StateFile: file})
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	after, err := second.Message(id, Anne)
	if err != nil {
		t.Fatal(err)
	}
	if after.Text() != before.Text() || !slices.Equal(after.Pinged, before.Pinged) || len(after.Pictures()) != 1 {
		t.Errorf("message %+v", after)
	}
	if data, ok := second.Attachment(after.Pictures()[0].URL); !ok || len(data) != len(picture(4)) {
		t.Errorf("the file is gone: %d bytes", len(data))
	}
	if after.Thread == nil || after.Thread.ID != thread["id"] || after.Thread.Name != "table two" {
		t.Errorf("thread %+v", after.Thread)
	}
	if got := second.Commands(""); !slices.Equal(got, []string{"play"}) {
		t.Errorf("commands %v", got)
	}
	if err := second.Admin.AddMember(Tortuga, user); err != nil {
		t.Errorf("the user is gone: %v", err)
	}
	if unread, pings := second.hub.state.unread(Jack, second.hub.state.channels[TortugaTables]); unread || pings != 0 {
		t.Errorf("Jack had read it: %v %d", unread, pings)
	}
	if unread, _ := second.hub.state.unread(Bart, second.hub.state.channels[TortugaTables]); !unread {
		t.Error("Bart had not read it")
	}
	if _, body := raw(t, second, "POST", "/channels/"+TortugaTables+"/messages", `{"content":"x"}`); !olderID(id,
		body["id"].(string)) {
		t.Errorf("the new id %s is not later than %s", body["id"], id)
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := srv.WaitMessage(ctx, TortugaTables, Anne, func(*Message) bool {
		return false
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A message is returned in its present state, with its own text, the message that it replies to, and its thread.
func TestMessagesAreReadAsTheyAre(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{})
	question := must[*discordgo.Message](t)(bot.ChannelMessageSend(TortugaTables, "Sail?"))
	answer := must[*discordgo.Message](t)(bot.ChannelMessageSendReply(TortugaTables, "Aye", question.Reference()))
	look := func() string {
		t.Helper()
		m := must[*Message](t)(srv.Message(answer.ID, Anne))
		if all := srv.Messages(TortugaTables, Anne); all[len(all)-1].Content != m.Content {
			t.Errorf("%q in the list, %q alone", all[len(all)-1].Content, m.Content)
		}
		out := m.Content
		if m.ReferencedMessage != nil {
			out += " to " + m.ReferencedMessage.Content
		}
		if m.Thread != nil {
			out += " in " + m.Thread.Name
		}
		return out
	}
	want := func(text string) {
		t.Helper()
		for range 2 {
			if got := look(); got != text {
				t.Errorf("the message is read as %q, want %q", got, text)
			}
		}
	}
	want("Aye to Sail?")
	must[*discordgo.Message](t)(bot.ChannelMessageEdit(TortugaTables, question.ID, "Fight?"))
	want("Aye to Fight?")
	must[*discordgo.Message](t)(bot.ChannelMessageEdit(TortugaTables, answer.ID, "Nay"))
	want("Nay to Fight?")
	if err := bot.ChannelMessageDelete(TortugaTables, question.ID); err != nil {
		t.Fatal(err)
	}
	want("Nay")
	thread := must[*discordgo.Channel](t)(bot.MessageThreadStart(TortugaTables, answer.ID, "talk", 1440))
	want("Nay in talk")
	must[*discordgo.Channel](t)(bot.ChannelEdit(thread.ID, &discordgo.ChannelEdit{Name: "quarrel"}))
	want("Nay in quarrel")
}

// A server has at most 1,000 active threads. When it has that many, no thread can be opened or unarchived.
func TestActiveThreadsAreLimited(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{})
	first := must[*discordgo.Channel](t)(bot.ThreadStart(TortugaTables, "first", discordgo.ChannelTypeGuildPublicThread,
		60))
	if err := srv.Admin.ArchiveThread(first.ID, true, false); err != nil {
		t.Fatal(err)
	}
	for range maxThreads {
		if err := srv.hub.try(func() error {
			return srv.hub.addThread(srv.hub.state.channels[TortugaTables], &channel{ID: srv.hub.state.newID(),
				Type: channelPublicThread, Thread: &threadState{AutoArchiveDuration: 1440}})
		}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := bot.ThreadStart(TortugaTavern, "one more", discordgo.ChannelTypeGuildPublicThread, 60)
	wantCode(t, err, codeMaxActiveThreads)
	_, err = bot.ChannelMessageSend(first.ID, "awake")
	wantCode(t, err, codeMaxActiveThreads)
	awake := false
	_, err = bot.ChannelEditComplex(first.ID, &discordgo.ChannelEdit{Archived: &awake})
	wantCode(t, err, codeMaxActiveThreads)
}

// The server keeps a connection longer than the client does, so that the client closes it. A request sent at the moment
// when the server closes the connection would be lost, because Go does not repeat a POST.
func TestNoConnectionClosesUnderItsClient(t *testing.T) {
	srv, _ := start(t, Options{})
	kept := srv.Transport().(*transport).base.(*http.Transport).IdleConnTimeout
	for name, limit := range map[string]time.Duration{"for a first request": srv.http.ReadHeaderTimeout,
		"for a whole request": srv.http.ReadTimeout, "between requests": srv.http.IdleTimeout} {
		if limit != 0 && limit <= kept {
			t.Errorf("the server waits %v %s, and clients keep connections for %v", limit, name, kept)
		}
	}
}
