package localdiscord

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"marque/bot/localdiscord/page"
)

// Permissions are computed as on Discord: from the permissions of @everyone and the member's roles, then from the
// channel's overwrites for @everyone, for the roles together, and for the member. An allow of one role wins over a deny
// of another. The owner and administrators have all permissions. A member who cannot see the channel has none.
func TestOverwrites(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	a := srv.Admin
	role := func(name string, permissions int64) string {
		t.Helper()
		return must[string](t)(a.AddRole(Tortuga, name, permissions))
	}
	gunner, cook := role("Gunner", 0), role("Cook", 0)
	admin := role("Admiral", PermissionAdministrator)
	const view, send, pins = PermissionViewChannel, PermissionSendMessages, PermissionManageMessages
	everyone := func(allow, deny int64) Overwrite { return Overwrite{Tortuga, OverwriteRole, allow, deny} }
	of := func(id string, allow, deny int64) Overwrite { return Overwrite{id, OverwriteRole, allow, deny} }
	bart := func(allow, deny int64) Overwrite { return Overwrite{Bart, OverwriteMember, allow, deny} }
	for _, tc := range []struct {
		name       string
		user       string
		roles      []string
		overwrites []Overwrite
		has, lacks int64
	}{
		{"nothing said", Bart, nil, nil, view | send, pins},
		{"everyone denied", Bart, nil, []Overwrite{everyone(0, send)}, view, send},
		{"a role allowed again", Bart, []string{gunner}, []Overwrite{everyone(0, send), of(gunner, send, 0)}, view | send, 0},
		{"a role that the member has not", Bart, nil, []Overwrite{everyone(0, send), of(gunner, send, 0)}, view, send},
		{"one role denied, another allowed", Bart, []string{gunner, cook}, []Overwrite{of(gunner, send, 0), of(cook, 0, send)}, view | send, 0},
		{"the member denied over the role", Bart, []string{gunner}, []Overwrite{of(gunner, send, 0), bart(0, send)}, view, send},
		{"the member allowed over all", Bart, []string{cook}, []Overwrite{bart(view, 0), everyone(0, view), of(cook, 0, view)}, view | send, 0},
		{"who cannot see may do nothing", Bart, nil, []Overwrite{everyone(0, view), bart(send|pins, 0)}, 0, view | send | pins},
		{"the owner", Anne, nil, []Overwrite{everyone(0, view)}, view | send | pins, 0},
		{"an administrator", Bart, []string{admin}, []Overwrite{everyone(0, view), bart(0, view)}, view | send | pins, 0},
		{"the bot itself", Application, nil, []Overwrite{everyone(0, send), of(Application, send, 0)}, view, send},
	} {
		if err := errors.Join(a.SetRoles(Tortuga, Bart, tc.roles...),
			a.SetOverwrites(TortugaHarbour, tc.overwrites...)); err != nil {
			t.Fatal(err)
		}
		got := srv.hub.state.permissions(tc.user, srv.hub.state.channels[TortugaHarbour])
		if got&tc.has != tc.has || got&tc.lacks != 0 {
			t.Errorf("%s: permissions %b, want %b and none of %b", tc.name, got, tc.has, tc.lacks)
		}
	}
	if err := a.SetRoles(Tortuga, Bart, "1"); !errors.Is(err, ErrNoRole) {
		t.Errorf("a role that is not there: %v", err)
	}
}

// A user who cannot see a channel does not find the channel and its thread in the list of channels, and can neither
// read nor write in them nor use commands there. The user also cannot press a button in the channel, choose the channel
// as a command's option, be pinged in it, or see it on the page. Other users can.
func TestPrivateChannel(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{}, play, inChannel)
	ctx := background(t)
	bot.on(func(i *discordgo.InteractionCreate) {
		bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "aye",
				Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
					discordgo.Button{Label: "Join", CustomID: "join"}}}}}})
	})
	pages := &pageView{srv.hub, srv.interactions, srv.client, srv.Admin, nil, nil}
	sent, err := bot.ChannelMessageSendComplex(TortugaCabin,
		&discordgo.MessageSend{Content: "<@" + Bart + "> <@" + Mary + ">"})
	if err != nil {
		t.Fatalf("the bot in the cabin: %v", err)
	}
	thread, err := bot.MessageThreadStart(TortugaCabin, sent.ID, "plans", 60)
	if err != nil {
		t.Fatal(err)
	}
	board := must[*Message](t)(must[*Reply](t)(srv.Command(ctx, Anne, TortugaCabin, "play",
		Opt("game", "pirat"))).Message(ctx))
	if m := must[*Message](t)(srv.Message(sent.ID, Anne)); !slices.Equal(m.Pinged, []string{Mary}) {
		t.Errorf("pinged %v, want Mary alone", m.Pinged)
	}
	for user, sees := range map[string]bool{Anne: true, Mary: true, Jack: false, Bart: false, Grace: false,
		Ching: false} {
		for _, channel := range []string{TortugaCabin, thread.ID} {
			listed := slices.ContainsFunc(srv.Channels(Tortuga, user), func(c Channel) bool { return c.ID == channel })
			_, said := srv.Say(user, channel, "ahoy")
			_, shown := pages.Channel(user, channel)
			_, used := srv.Command(ctx, user, channel, "play", Opt("game", "pirat"))
			if listed != sees || (said == nil) != sees || (shown == nil) != sees || (used == nil) != sees {
				t.Errorf("user %s, channel %s: listed %v, writing %v, page %v, command %v; want %v", user, channel,
					listed, said, shown, used, sees)
			}
			if !sees && (!errors.Is(said, ErrNoChannel) || !errors.Is(used, ErrNoChannel) ||
				len(srv.Messages(channel, user)) > 0) {
				t.Errorf("user %s, channel %s: %v, %v, %d messages", user, channel, said, used,
					len(srv.Messages(channel, user)))
			}
		}
		inPage := 0
		for _, g := range pages.State(user).Guilds {
			for _, c := range g.Channels {
				if c.ID == TortugaCabin || c.ID == thread.ID {
					inPage++
				}
			}
		}
		if want := map[bool]int{true: 2}[sees]; inPage != want {
			t.Errorf("the page of %s lists %d of the two, want %d", user, inPage, want)
		}
		if _, err := srv.Click(ctx, user, board.ID, "join"); (err == nil) != sees || !sees && !errors.Is(err,
			ErrNoMessage) {
			t.Errorf("a button there for %s: %v", user, err)
		}
		if user == Ching {
			continue // not a member of Tortuga
		}
		if _, err := srv.Command(ctx, user, TortugaTavern, "where", Opt("place", TortugaCabin)); (err == nil) != sees {
			t.Errorf("choosing the cabin for %s: %v", user, err)
		}
	}
	// A member who loses the role no longer sees the channel.
	if err := srv.Admin.SetRoles(Tortuga, Mary); err != nil {
		t.Fatal(err)
	}
	if _, err := srv.Say(Mary, TortugaCabin, "still here?"); !errors.Is(err, ErrNoChannel) {
		t.Errorf("Mary without her role: %v", err)
	}
}

var inChannel = &discordgo.ApplicationCommand{Name: "where", Description: "Where to",
	Options: []*discordgo.ApplicationCommandOption{{Type: discordgo.ApplicationCommandOptionChannel, Name: "place",
		Description: "Which channel"}}}

// New and deleted messages of a channel reach the open pages of users who can see it, and no others.
func TestPagesHearOfTheirChannelsAlone(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	hears := func(user string) *websocket.Conn {
		ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(srv.URL(), "http")+"local/events?user="+user,
			nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		return ws
	}
	anne, bart := hears(Anne), hears(Bart)
	next := func(ws *websocket.Conn) (e page.Event) {
		t.Helper()
		if err := ws.ReadJSON(&e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	for _, ws := range []*websocket.Conn{anne, bart} {
		if e := next(ws); e["t"] != "hello" {
			t.Fatalf("the first event is %v", e)
		}
	}
	_, sent := raw(t, srv, "POST", "/channels/"+TortugaCabin+"/messages", `{"content":"secret"}`)
	raw(t, srv, "DELETE", "/channels/"+TortugaCabin+"/messages/"+sent["id"].(string), "")
	raw(t, srv, "POST", "/channels/"+TortugaTavern+"/messages", `{"content":"open"}`)
	var heard []string
	for range 3 {
		heard = append(heard, fmt.Sprint(next(anne)["t"]))
	}
	if want := []string{"message", "delete", "message"}; !slices.Equal(heard, want) {
		t.Errorf("Anne's page heard %v, want %v", heard, want)
	}
	if e := next(bart); e["t"] != "message" || e["m"].(map[string]any)["content"] != "open" {
		t.Errorf("Bart's page heard %v first", e)
	}
}

// An interaction includes the permissions of the user and of the bot in the channel, and the chosen users, channels and
// files.
func TestInteractionsCarryPermissions(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{}, play, inChannel)
	ctx := background(t)
	seen := make(chan *discordgo.InteractionCreate, 1)
	bot.on(func(i *discordgo.InteractionCreate) {
		echo(bot)(i)
		seen <- i
	})
	if err := errors.Join(srv.Admin.DenyBot(TortugaTavern, PermissionAttachFiles), srv.Admin.Deny(TortugaTavern, Bart,
		PermissionEmbedLinks)); err != nil {
		t.Fatal(err)
	}
	must[*Reply](t)(srv.Command(ctx, Bart, TortugaTavern, "where", Opt("place", TortugaHarbour)))
	i := <-seen
	if p := i.Member.Permissions; p&PermissionEmbedLinks != 0 || p&PermissionSendMessages == 0 ||
		p&PermissionManageGuild != 0 {
		t.Errorf("Bart's permissions %b", p)
	}
	if p := i.AppPermissions; p&PermissionAttachFiles != 0 || p&PermissionSendMessages == 0 {
		t.Errorf("the bot's permissions %b", p)
	}
	place := i.ApplicationCommandData().Resolved.Channels[TortugaHarbour]
	if place == nil || place.Name != "harbour" {
		t.Errorf("resolved %+v", i.ApplicationCommandData().Resolved)
	}
	must[*Reply](t)(srv.Command(ctx, Mary, TortugaTavern, "play", Opt("game", "pirat"), Opt("opponent", Bart),
		Opt("record", File{"r.txt", "text/plain", []byte("abc")})))
	i = <-seen
	resolved := i.ApplicationCommandData().Resolved
	if m := resolved.Members[Bart]; m == nil || m.Permissions&PermissionEmbedLinks != 0 ||
		m.Permissions&PermissionSendMessages == 0 {
		t.Errorf("the resolved member %+v", m)
	}
	for _, a := range resolved.Attachments {
		if a.Size != 3 || a.Filename != "r.txt" {
			t.Errorf("the attachment %+v", a)
		}
	}
	if i.Member.Permissions&PermissionManageGuild == 0 || i.GuildLocale == nil || len(resolved.Attachments) != 1 {
		t.Errorf("Mary's permissions %b, locale %v", i.Member.Permissions, i.GuildLocale)
	}
}

// The bot gets events about changed roles and channels of its servers, and about its own roles there. Without the
// privileged intent, it gets no events about other members.
func TestEventsOfTheWorld(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{})
	channels := make(chan *discordgo.ChannelUpdate, 1)
	bot.AddHandler(func(_ *discordgo.Session, e *discordgo.ChannelUpdate) { channels <- e })
	roles := make(chan *discordgo.GuildRoleUpdate, 1)
	bot.AddHandler(func(_ *discordgo.Session, e *discordgo.GuildRoleUpdate) { roles <- e })
	members := make(chan *discordgo.GuildMemberUpdate, 1)
	bot.AddHandler(func(_ *discordgo.Session, e *discordgo.GuildMemberUpdate) { members <- e })

	a := srv.Admin
	role := must[string](t)(a.AddRole(Tortuga, "Gunner", 0))
	bot.waitFor(t, "GUILD_ROLE_CREATE")
	if err := errors.Join(a.SetRolePermissions(Tortuga, role, PermissionManageMessages),
		a.SetOverwrites(TortugaHarbour, Overwrite{Tortuga, OverwriteRole, 0, PermissionViewChannel}),
		a.SetRoles(Tortuga, Bart, role), a.SetRoles(Tortuga, Application, role)); err != nil {
		t.Fatal(err)
	}
	if e := <-roles; e.GuildID != Tortuga || e.Role.ID != role || e.Role.Permissions != PermissionManageMessages {
		t.Errorf("role %+v", e.Role)
	}
	if e := <-channels; e.ID != TortugaHarbour || len(e.PermissionOverwrites) != 1 ||
		e.PermissionOverwrites[0].Deny != PermissionViewChannel ||
		e.PermissionOverwrites[0].Type != discordgo.PermissionOverwriteTypeRole {
		t.Errorf("channel %+v", e.Channel)
	}
	if e := <-members; e.User.ID != Application || !slices.Equal(e.Roles, []string{role}) {
		t.Errorf("member %+v: Bart's are for the privileged intent alone", e.Member)
	}
}

// From the roles and overwrites in GUILD_CREATE, a bot can compute who sees a channel: discordgo's own computation
// agrees with the server's. The REST interface returns as many roles.
func TestBotCanComputePermissions(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{})
	guild := must[*discordgo.Guild](t)(bot.Guild(Tortuga))
	channels := must[[]*discordgo.Channel](t)(bot.GuildChannels(Tortuga))
	cabin := must[*discordgo.Channel](t)(bot.Channel(TortugaCabin))
	roles := must[[]*discordgo.Role](t)(bot.GuildRoles(Tortuga))
	if len(roles) != len(guild.Roles) || len(roles) != 2 || len(channels) != 4 || len(cabin.PermissionOverwrites) != 3 {
		t.Fatalf("%d and %d roles, %d channels, overwrites %+v", len(roles), len(guild.Roles), len(channels),
			cabin.PermissionOverwrites)
	}
	srv.hub.mu.Lock()
	created := mustJSON(srv.hub.state.guildCreateJSON(srv.hub.state.guilds[Tortuga]))
	srv.hub.mu.Unlock()
	var create discordgo.Guild
	if err := json.Unmarshal(created, &create); err != nil {
		t.Fatal(err)
	}
	cache := discordgo.NewState()
	if err := cache.GuildAdd(&create); err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{Anne, Mary, Jack, Bart, Grace, Application} {
		member := must[*discordgo.Member](t)(bot.GuildMember(Tortuga, user))
		member.GuildID = Tortuga
		if err := cache.MemberAdd(member); err != nil {
			t.Fatal(err)
		}
		for _, c := range create.Channels {
			computed := must[int64](t)(cache.UserChannelPermissions(user, c.ID))
			sees := srv.hub.state.canSee(user, srv.hub.state.channels[c.ID])
			if sees != (computed&PermissionViewChannel != 0) {
				t.Errorf("user %s, #%s: discordgo computes %b, the server says %v", user, c.Name, computed, sees)
			}
		}
	}
	if _, err := bot.GuildMember(Tortuga, Ching); err == nil {
		t.Error("Ching is a member of Tortuga")
	}
	// Without Read Message History, the list of messages is empty. Without View Channel, it is refused.
	if _, err := bot.ChannelMessageSend(TortugaTavern, "x"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		denied int64
		want   int
		code   int
	}{{0, 1, 0}, {PermissionReadMessageHistory, 0, 0}, {PermissionViewChannel, 0, codeMissingAccess}} {
		if err := srv.Admin.DenyBot(TortugaTavern, tc.denied); err != nil {
			t.Fatal(err)
		}
		all, err := bot.ChannelMessages(TortugaTavern, 10, "", "", "")
		if tc.code != 0 {
			wantCode(t, err, tc.code)
			_, err = bot.Channel(TortugaTavern)
			wantCode(t, err, tc.code)
		} else if err != nil || len(all) != tc.want {
			t.Errorf("denied %b: %d messages, %v; want %d", tc.denied, len(all), err, tc.want)
		}
	}
}

// Registered commands are returned in Discord's format: with ids and versions, defaults for missing fields, and null
// for translations that are missing or empty. A second registration of the same set changes nothing. A changed command
// keeps its id and gets a new version. A list requested without with_localizations has no translations.
func TestCommandsComeBackAsDiscordReturnsThem(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	at := "/applications/" + Application + "/commands"
	body := `[{"name":"play","description":"d","name_localizations":{},"description_localizations":{"de":"D"},"options":[
		{"type":3,"name":"game","description":"g","name_localizations":{},"required":false,"choices":[{"name":"n","value":"v","name_localizations":{}}]}]}]`
	put := func() []map[string]any {
		t.Helper()
		return list(t, srv, "PUT", at, body)
	}
	first := put()
	cmd := first[0]
	want := map[string]string{
		"application_id": strconv.Quote(Application), "default_member_permissions": "null", "type": "1",
		"name": `"play"`, "name_localizations": "null",
		"description_localizations": `{"de":"D"}`, "contexts": "null", "integration_types": "[0]", "nsfw": "false",
		"dm_permission": "true",
		"options":       `[{"choices":[{"name":"n","name_localizations":null,"value":"v"}],"description":"g","description_localizations":null,"name":"game","name_localizations":null,"type":3}]`,
	}
	for key, value := range want {
		if got, ok := cmd[key]; !ok || string(mustJSON(got)) != value {
			t.Errorf("%s is %s (%v), want %s", key, mustJSON(got), ok, value)
		}
	}
	for _, key := range []string{"id", "version"} {
		if id, _ := cmd[key].(string); !snowflakePattern.MatchString(id) {
			t.Errorf("%s is %v", key, cmd[key])
		}
	}
	if again := put(); string(mustJSON(again)) != string(mustJSON(first)) {
		t.Errorf("sent again:\n%s\nat first:\n%s", mustJSON(again), mustJSON(first))
	}
	full := list(t, srv, "GET", at+"?with_localizations=true", "")
	if string(mustJSON(full)) != string(mustJSON(first)) {
		t.Errorf("listed:\n%s\nregistered:\n%s", mustJSON(full), mustJSON(first))
	}
	bare := list(t, srv, "GET", at, "")
	_, has := bare[0]["description_localizations"]
	if _, inOption := bare[0]["options"].([]any)[0].(map[string]any)["name_localizations"]; has || inOption {
		t.Errorf("without with_localizations: %s", mustJSON(bare))
	}
	body = `[{"name":"play","description":"changed"}]`
	if now := put()[0]; now["id"] != cmd["id"] || now["version"] == cmd["version"] {
		t.Errorf("changed: %v, before: %v", now, cmd)
	}
}

// list sends a request whose answer is a JSON list, and returns the list.
func list(t *testing.T, srv *Server, method, path, body string) []map[string]any {
	t.Helper()
	raw(t, srv, method, path, body)
	all := srv.Requests()
	var out []map[string]any
	if err := json.Unmarshal(all[len(all)-1].Response, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
