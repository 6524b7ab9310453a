package localdiscord

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/timesource/manual"
)

func TestReplyWithMessageIsSeenByAll(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{}, play)
	ctx := background(t)
	seen := make(chan *discordgo.InteractionCreate, 1)
	bot.on(func(i *discordgo.InteractionCreate) {
		seen <- i
		bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "A table for <@" + Jack + ">",
				AllowedMentions: &discordgo.MessageAllowedMentions{Users: []string{Jack}}}})
	})
	if err := srv.Admin.SetLocale(Anne, "de"); err != nil {
		t.Fatal(err)
	}
	reply := must[*Reply](t)(srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "Pirat"), Opt("opponent", Jack),
		Opt("seats", 3), Opt("private", true)))
	msg := must[*Message](t)(reply.Message(ctx))
	if msg.Content != "A table for <@"+Jack+">" || msg.Type != discordgo.MessageTypeChatInputCommand ||
		msg.InteractionMetadata.User.ID != Anne {
		t.Errorf("message %+v", msg.Message)
	}
	if !slices.Equal(msg.Pinged, []string{Jack}) {
		t.Errorf("pinged %v, want Jack alone", msg.Pinged)
	}
	if want := "/play game: Pirat opponent: <@" + Jack + "> seats: 3 private: true"; msg.CommandLine != want {
		t.Errorf("command line %q, want %q", msg.CommandLine, want)
	}
	i := <-seen
	data := i.ApplicationCommandData()
	if got := data.GetOption("game").StringValue(); got != "pirat" {
		t.Errorf("game %q, want the value of the choice", got)
	}
	if data.GetOption("seats").IntValue() != 3 || !data.GetOption("private").BoolValue() {
		t.Errorf("options %+v", data.Options)
	}
	if data.Resolved.Users[Jack].Username != "jack" || data.Resolved.Members[Jack] == nil {
		t.Errorf("resolved %+v", data.Resolved)
	}
	if i.Locale != discordgo.German || *i.GuildLocale != discordgo.EnglishUS || i.Member.User.ID != Anne ||
		i.GuildID != Tortuga {
		t.Errorf("locale %s, server's %s, member %+v", i.Locale, *i.GuildLocale, i.Member)
	}
	if i.Member.Permissions&discordgo.PermissionManageGuild == 0 ||
		i.AppPermissions&discordgo.PermissionSendMessages == 0 ||
		i.AppPermissions&discordgo.PermissionManageGuild != 0 {
		t.Errorf("permissions of the member %b, of the app %b", i.Member.Permissions, i.AppPermissions)
	}
	if got := srv.Messages(TortugaTables, Bart); len(got) != 1 || got[0].ID != msg.ID {
		t.Errorf("Bart sees %d messages", len(got))
	}
	if got := srv.Messages(TortugaTables, Ching); len(got) != 0 {
		t.Errorf("Ching, no member, sees %d messages", len(got))
	}
}

func TestDeferThenEditWithPictureNeverPings(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{}, play)
	ctx := background(t)
	data := picture(64)
	bot.on(func(i *discordgo.InteractionCreate) {
		bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseDeferredChannelMessageWithSource})
		text := "Your move, <@" + Jack + ">"
		bot.InteractionResponseEdit(i.Interaction, &discordgo.WebhookEdit{
			Flags: discordgo.MessageFlagsIsComponentsV2, Files: []*discordgo.File{pngFile("board.png", data)},
			Components: &[]discordgo.MessageComponent{discordgo.Container{Components: []discordgo.MessageComponent{
				discordgo.TextDisplay{Content: text},
				discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{
					{Media: discordgo.UnfurledMediaItem{URL: "attachment://board.png"}, Description: ptr("The board")}}},
			}}},
		})
		bot.ChannelMessageSendComplex(i.ChannelID, &discordgo.MessageSend{Content: text,
			AllowedMentions: &discordgo.MessageAllowedMentions{Users: []string{Jack}}})
	})
	reply := must[*Reply](t)(srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat")))
	if reply.Type != answerDeferredMessage {
		t.Errorf("type %d", reply.Type)
	}
	msg := must[*Message](t)(reply.Message(ctx))
	if len(msg.Pinged) != 0 {
		t.Errorf("an edit pinged %v", msg.Pinged)
	}
	pictures := msg.Pictures()
	if len(pictures) != 1 || pictures[0].Description != "The board" {
		t.Fatalf("pictures %+v", pictures)
	}
	if got, ok := srv.Attachment(pictures[0].URL); !ok || !bytes.Equal(got, data) {
		t.Errorf("attachment %s: %d bytes, want %d", pictures[0].URL, len(got), len(data))
	}
	// Discord documents the addresses of such a message's pictures only in the components.
	if a := msg.Attachments; len(a) != 0 {
		t.Errorf("a message of the new components has the attachments %+v, want none", a)
	}
	var shown []*media
	walk(msg.components, func(c *component) { shown = append(shown, c.mediaOf()...) })
	if len(shown) != 1 || shown[0].Width != 64 || shown[0].Height != 64 || shown[0].ContentType != "image/png" {
		t.Errorf("it shows %+v", shown)
	}
	httpResp, err := srv.HTTPClient().Get(pictures[0].URL)
	if err != nil || httpResp.StatusCode != 200 || httpResp.Header.Get("Content-Type") != "image/png" {
		t.Errorf("CDN: %v %v", httpResp, err)
	}
	httpResp.Body.Close()
	mention := must[*Message](t)(srv.WaitMessage(ctx, TortugaTables, Jack, func(m *Message) bool {
		return m.Content != ""
	}))
	if !slices.Equal(mention.Pinged, []string{Jack}) {
		t.Errorf("a new message pinged %v, want Jack", mention.Pinged)
	}
}

func TestEphemeralIsForItsAddresseeAlone(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{}, play)
	ctx := background(t)
	bot.on(func(i *discordgo.InteractionCreate) {
		bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "Your hand", Flags: discordgo.MessageFlagsEphemeral}})
	})
	reply := must[*Reply](t)(srv.Command(ctx, Bart, TortugaTables, "play", Opt("game", "pirat")))
	msg := must[*Message](t)(reply.Message(ctx))
	if msg.EphemeralTo != Bart || len(srv.Messages(TortugaTables, Bart)) != 1 ||
		len(srv.Messages(TortugaTables, Anne)) != 0 {
		t.Errorf("ephemeral to %s; Bart sees %d, Anne %d", msg.EphemeralTo, len(srv.Messages(TortugaTables, Bart)),
			len(srv.Messages(TortugaTables, Anne)))
	}
	_, err := bot.ChannelMessage(TortugaTables, msg.ID)
	wantCode(t, err, codeUnknownMessage)
	if err := srv.Dismiss(Anne, msg.ID); !errors.Is(err, ErrNoMessage) {
		t.Errorf("Anne dismisses Bart's message: %v", err)
	}
	if err := srv.Dismiss(Bart, msg.ID); err != nil || len(srv.Messages(TortugaTables, Bart)) != 0 {
		t.Errorf("Bart dismisses: %v", err)
	}
}

func TestButtonsMenusAndModals(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{}, play)
	ctx := background(t)
	row := func(cs ...discordgo.MessageComponent) discordgo.ActionsRow {
		return discordgo.ActionsRow{Components: cs}
	}
	bot.on(func(i *discordgo.InteractionCreate) {
		respond := func(kind discordgo.InteractionResponseType, data *discordgo.InteractionResponseData) {
			if err := bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: kind,
				Data: data}); err != nil {
				t.Error(err)
			}
		}
		switch i.Type {
		case discordgo.InteractionApplicationCommand:
			respond(discordgo.InteractionResponseChannelMessageWithSource,
				&discordgo.InteractionResponseData{Content: "Table", Components: []discordgo.MessageComponent{
					row(discordgo.Button{Label: "Join", CustomID: "join"},
						discordgo.Button{Label: "Write", CustomID: "write"},
						discordgo.Button{Label: "Later", CustomID: "later", Disabled: true}),
					row(discordgo.SelectMenu{CustomID: "pick",
						Options: []discordgo.SelectMenuOption{{Label: "Nine", Value: "9"},
							{Label: "Ten", Value: "10"}}}),
					row(discordgo.SelectMenu{MenuType: discordgo.UserSelectMenu, CustomID: "who"}),
				}})
		case discordgo.InteractionMessageComponent:
			switch data := i.MessageComponentData(); data.CustomID {
			case "join":
				respond(discordgo.InteractionResponseUpdateMessage,
					&discordgo.InteractionResponseData{Content: i.Member.User.Username + " joined"})
			case "pick":
				respond(discordgo.InteractionResponseDeferredMessageUpdate, nil)
				bot.InteractionResponseEdit(i.Interaction,
					&discordgo.WebhookEdit{Content: ptr("picked " + data.Values[0])})
			case "who":
				respond(discordgo.InteractionResponseChannelMessageWithSource,
					&discordgo.InteractionResponseData{Content: data.Resolved.Users[data.Values[0]].Username})
			case "write":
				respond(discordgo.InteractionResponseModal, &discordgo.InteractionResponseData{CustomID: "modal",
					Title: "Your move", Components: []discordgo.MessageComponent{
						discordgo.Label{Label: "Move", Component: discordgo.TextInput{CustomID: "text",
							Style: discordgo.TextInputShort, MaxLength: 10}},
						discordgo.Label{Label: "How", Component: discordgo.SelectMenu{CustomID: "how",
							Options: []discordgo.SelectMenuOption{{Label: "Fast", Value: "fast"}}}},
					}})
			}
		case discordgo.InteractionModalSubmit:
			cs := i.ModalSubmitData().Components
			text := cs[0].(*discordgo.Label).Component.(*discordgo.TextInput).Value
			how := cs[1].(*discordgo.Label).Component.(*discordgo.SelectMenu).Values
			respond(discordgo.InteractionResponseChannelMessageWithSource,
				&discordgo.InteractionResponseData{Content: text + " " + how[0]})
		}
	})
	reply := must[*Reply](t)(srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat")))
	msg := must[*Message](t)(reply.Message(ctx))

	pick := must[*Reply](t)(srv.Select(ctx, Anne, msg.ID, "pick", "10"))
	if got := must[*Message](t)(pick.Message(ctx)); got.Content != "picked 10" || got.ID != msg.ID {
		t.Errorf("after the menu: %q", got.Content)
	}
	who := must[*Reply](t)(srv.Select(ctx, Anne, msg.ID, "who", Bart))
	if got := must[*Message](t)(who.Message(ctx)); got.Content != "bart" || got.MessageReference.MessageID != msg.ID {
		t.Errorf("after the user menu: %+v", got.Message)
	}
	for _, tc := range []struct {
		name string
		err  error
		try  func() (*Reply, error)
	}{
		{"disabled button", ErrDisabled, func() (*Reply, error) { return srv.Click(ctx, Anne, msg.ID, "later") }},
		{"no such button", ErrNoComponent, func() (*Reply, error) { return srv.Click(ctx, Anne, msg.ID, "nothing") }},
		{"a menu is not a button", ErrNoComponent, func() (*Reply, error) { return srv.Click(ctx, Anne, msg.ID, "pick") }},
		{"no such value", ErrBadSelection, func() (*Reply, error) { return srv.Select(ctx, Anne, msg.ID, "pick", "11") }},
		{"too many values", ErrBadSelection, func() (*Reply, error) { return srv.Select(ctx, Anne, msg.ID, "pick", "9", "10") }},
		{"no member", ErrNoMessage, func() (*Reply, error) { return srv.Click(ctx, Ching, msg.ID, "join") }},
		{"no such command", ErrNoCommand, func() (*Reply, error) { return srv.Command(ctx, Anne, TortugaTables, "dance") }},
		{"required option", ErrBadOption, func() (*Reply, error) { return srv.Command(ctx, Anne, TortugaTables, "play") }},
		{"no such choice", ErrBadOption, func() (*Reply, error) { return srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "chess")) }},
		{"out of range", ErrBadOption, func() (*Reply, error) {
			return srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat"), Opt("seats", 7))
		}},
	} {
		if _, err := tc.try(); !errors.Is(err, tc.err) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.err)
		}
	}
	open := must[*Reply](t)(srv.Click(ctx, Jack, msg.ID, "write"))
	if open.Modal == nil || open.Modal.Title != "Your move" || len(open.Modal.Inputs) != 2 ||
		open.Modal.Inputs[0].Label != "Move" {
		t.Fatalf("modal %+v", open.Modal)
	}
	if _, err := srv.SubmitModal(ctx, Jack, open.Modal, Opt("text", "much too long"), Opt("how", "fast")); !errors.Is(
		err, ErrBadModal) || !strings.Contains(err.Error(), "13 characters, and it takes 1 to ") {
		t.Errorf("too long: %v", err)
	}
	sent := must[*Reply](t)(srv.SubmitModal(ctx, Jack, open.Modal, Opt("text", "9 10"), Opt("how", "fast")))
	if got := must[*Message](t)(sent.Message(ctx)); got.Content != "9 10 fast" {
		t.Errorf("after the modal: %q", got.Content)
	}
	joined := must[*Reply](t)(srv.Click(ctx, Jack, msg.ID, "join"))
	if got := must[*Message](t)(joined.Message(ctx)); got.Content != "jack joined" || len(got.Interactive()) != 0 ||
		got.EditedTimestamp == nil {
		t.Errorf("after the button: %+v", got.Message)
	}
}

func TestAutocompleteAndSubcommands(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{}, play, table)
	ctx := background(t)
	bot.on(func(i *discordgo.InteractionCreate) {
		data := i.ApplicationCommandData()
		if i.Type == discordgo.InteractionApplicationCommandAutocomplete {
			o := data.GetOption("move")
			bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
				Type: discordgo.InteractionApplicationCommandAutocompleteResult,
				Data: &discordgo.InteractionResponseData{Choices: []*discordgo.ApplicationCommandOptionChoice{
					{Name: data.GetOption("game").StringValue() + " " + o.StringValue() + "!",
						Value: o.StringValue()}}}})
			if !o.Focused {
				t.Error("the option is not focused")
			}
			return
		}
		path := data.Name + " " + data.Options[0].Name
		if sub := data.Options[0].Options; len(sub) > 0 {
			path += " " + sub[0].Name
		}
		bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: path}})
	})
	got := must[[]Choice](t)(srv.Autocomplete(ctx, Anne, TortugaTables, "play", "move", Opt("game", "pirat"),
		Opt("move", "9")))
	if want := []Choice{{"pirat 9!", "9"}}; !slices.Equal(got, want) {
		t.Errorf("choices %v, want %v", got, want)
	}
	if _, err := srv.Autocomplete(ctx, Anne, TortugaTables, "play", "game"); !errors.Is(err, ErrBadOption) {
		t.Errorf("an option without autocomplete: %v", err)
	}
	for name, want := range map[string]string{"table open": "table open name", "table clock set": "table clock set"} {
		opts := []Option{}
		if name == "table open" {
			opts = append(opts, Opt("name", "x"))
		}
		reply := must[*Reply](t)(srv.Command(ctx, Anne, TortugaTables, name, opts...))
		if msg := must[*Message](t)(reply.Message(ctx)); msg.Content != want {
			t.Errorf("/%s: %q, want %q", name, msg.Content, want)
		}
	}
	if _, err := srv.Command(ctx, Anne, TortugaTables, "table"); !errors.Is(err, ErrNoCommand) {
		t.Errorf("a command with sub-commands, without one: %v", err)
	}
}

// As on Discord, an interaction can be answered only within three seconds and only once. Its token is valid for fifteen
// minutes.
func TestDeadlines(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
	srv, bot := start(t, Options{Clock: clock}, play)
	ctx := background(t)
	got := make(chan *discordgo.Interaction, 1)
	hello := &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Content: "hello"}}
	bot.on(func(i *discordgo.InteractionCreate) { got <- i.Interaction })

	failed := make(chan error, 1)
	go func() {
		_, err := srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat"))
		failed <- err
	}()
	i := <-got
	_, err := bot.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: ptr("x")})
	wantCode(t, err, codeUnknownWebhook)
	clock.Advance(3*time.Second + time.Millisecond)
	if err := <-failed; !errors.Is(err, ErrInteractionFailed) {
		t.Errorf("no answer: %v", err)
	}
	wantCode(t, bot.InteractionRespond(i, hello), codeUnknownInteraction)

	replies := make(chan *Reply, 1)
	go func() {
		r, err := srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "pirat"))
		if err != nil {
			t.Error(err)
		}
		replies <- r
	}()
	i = <-got
	if err := bot.InteractionRespond(i, hello); err != nil {
		t.Fatal(err)
	}
	<-replies
	wantCode(t, bot.InteractionRespond(i, hello), codeAlreadyAcknowledged)
	clock.Advance(14 * time.Minute)
	if _, err := bot.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: ptr("still")}); err != nil {
		t.Errorf("after 14 minutes: %v", err)
	}
	if m, err := bot.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "more",
		Flags: discordgo.MessageFlagsEphemeral}); err != nil || m.Flags&discordgo.MessageFlagsEphemeral == 0 {
		t.Errorf("followup: %+v %v", m, err)
	}
	clock.Advance(time.Minute)
	_, err = bot.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: ptr("x")})
	wantCode(t, err, codeInvalidWebhookToken)
	_, err = bot.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "more"})
	wantCode(t, err, codeInvalidWebhookToken)
	wrong := *i
	wrong.Token = "forged"
	wantCode(t, bot.InteractionRespond(&wrong, hello), codeUnknownInteraction)
}

func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	var rest *discordgo.RESTError
	if !errors.As(err, &rest) || rest.Message == nil || rest.Message.Code != code {
		t.Errorf("error %v, want code %d", err, code)
	}
}

// The first answer to an interaction can be read again with the interaction's token.
func TestTheOriginalAnswerIsRead(t *testing.T) {
	t.Parallel()
	srv, bot := start(t, Options{}, play)
	ctx := background(t)
	token := make(chan string, 1)
	bot.on(func(i *discordgo.InteractionCreate) {
		bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: "Ahoy", Flags: discordgo.MessageFlagsEphemeral}})
		token <- i.Token
	})
	reply := must[*Reply](t)(srv.Command(ctx, Anne, TortugaTables, "play", Opt("game", "Pirat")))
	msg := must[*Message](t)(reply.Message(ctx))
	at := "/webhooks/" + Application + "/" + <-token + "/messages/"
	for _, id := range []string{"@original", msg.ID} {
		status, body, err := request(srv, http.MethodGet, at+id, "")
		if err != nil || status != http.StatusOK || body["id"] != msg.ID || body["content"] != "Ahoy" {
			t.Errorf("%s is answered %d %v, %v", id, status, body, err)
		}
	}
	if status, body, err := request(srv, http.MethodGet, at+"1", ""); err != nil || status != http.StatusNotFound {
		t.Errorf("a message of nobody is answered %d %v, %v", status, body, err)
	}
}

// The token contains the application's id, and the application and users can be requested, as libraries do at their
// start.
func TestWhatLibrariesReadAtTheStart(t *testing.T) {
	t.Parallel()
	srv := lone(t)
	first, _, _ := strings.Cut(srv.Token(), ".")
	if id, err := base64.RawStdEncoding.DecodeString(first); err != nil || string(id) != Application {
		t.Errorf("the token begins with %q (%v), want the application", id, err)
	}
	for path, want := range map[string]string{"/applications/@me": Application, "/users/" + Jack: Jack} {
		if status, body := raw(t, srv, "GET", path, ""); status != http.StatusOK || body["id"] != want {
			t.Errorf("GET %s: %d %v, want %s", path, status, body, want)
		}
	}
	if status, _ := raw(t, srv, "GET", "/users/1", ""); status != http.StatusNotFound {
		t.Errorf("GET of a user that is not there: %d", status)
	}
}
