package localdiscord

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/gorilla/websocket"

	"marque/bot/localdiscord/pagetest"
	"marque/bot/timesource/manual"
)

// holds fails the test unless a JavaScript expression is true now.
func holds(t *testing.T, ctx context.Context, complaint, expression string) {
	t.Helper()
	ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](expression))
	if err != nil || !ok {
		t.Errorf("%s: %s is %v (%v)", complaint, expression, ok, err)
	}
}

// waitUnanswered waits until an interaction has reached the server and is waiting for its answer.
func waitUnanswered(t *testing.T, srv *Server) {
	t.Helper()
	if err := srv.Wait(background(t), func() bool {
		srv.hub.mu.Lock()
		defer srv.hub.mu.Unlock()
		for _, in := range srv.interactions.byToken {
			if in.answer == 0 && !in.failed {
				return true
			}
		}
		return false
	}); err != nil {
		t.Fatal(err)
	}
}

// pageBot makes the bot answer /play with a message that has many kinds of content, and answer some controls of that
// message. /table and the other controls get no answer.
func pageBot(t *testing.T, bot *testBot) {
	bot.on(func(i *discordgo.InteractionCreate) {
		respond := func(kind discordgo.InteractionResponseType, data *discordgo.InteractionResponseData) {
			if err := bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: kind,
				Data: data}); err != nil {
				t.Error(err)
			}
		}
		switch i.Type {
		case discordgo.InteractionApplicationCommandAutocomplete:
			typed := i.ApplicationCommandData().GetOption("move").StringValue()
			var choices []*discordgo.ApplicationCommandOptionChoice
			for _, m := range []string{"9 10", "9 7", "12 18"} {
				if strings.HasPrefix(m, typed) {
					choices = append(choices, &discordgo.ApplicationCommandOptionChoice{Name: "Sail " + m, Value: m})
				}
			}
			respond(discordgo.InteractionApplicationCommandAutocompleteResult,
				&discordgo.InteractionResponseData{Choices: choices})
		case discordgo.InteractionApplicationCommand:
			if i.ApplicationCommandData().Name == "table" {
				return // this interaction gets no answer
			}
			move := "none"
			if o := i.ApplicationCommandData().GetOption("move"); o != nil {
				move = o.StringValue()
			}
			respond(discordgo.InteractionResponseDeferredChannelMessageWithSource, nil)
			bot.InteractionResponseEdit(i.Interaction,
				&discordgo.WebhookEdit{Flags: discordgo.MessageFlagsIsComponentsV2,
					Files: []*discordgo.File{pngFile("board.png", picture(420))},
					Components: &[]discordgo.MessageComponent{
						discordgo.Container{AccentColor: ptr(0xE0A030), Components: []discordgo.MessageComponent{
							discordgo.TextDisplay{
								Content: "## Pirat · table 1\n**Anne** sailed from `9` to *10*.\n-# move 3 · first move " + move + " · started <t:1767225600:R>\n- one\n  - two\n1. three\n> quoted ~~struck~~ __under__ ||secret||\n```\ncode <b>\n```\n<img src=x onerror=alert(1)> [docs](https://example.com) <#" + TortugaTavern + ">"},
							discordgo.Separator{},
							discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{
								{Media: discordgo.UnfurledMediaItem{URL: "attachment://board.png"}, Description: ptr("A board of 18 spaces")}}},
							discordgo.Section{Components: []discordgo.MessageComponent{
								discordgo.TextDisplay{Content: "Your hand is hidden from the others."}},
								Accessory: discordgo.Button{Label: "My hand", CustomID: "hand",
									Style: discordgo.SecondaryButton}},
							discordgo.ActionsRow{Components: []discordgo.MessageComponent{
								discordgo.Button{Label: "Move", CustomID: "move",
									Emoji: &discordgo.ComponentEmoji{Name: "⛵"}},
								discordgo.Button{Label: "Agree", CustomID: "agree", Style: discordgo.SuccessButton},
								discordgo.Button{Label: "Resign", CustomID: "resign", Style: discordgo.DangerButton},
								discordgo.Button{Label: "Undo", CustomID: "undo", Style: discordgo.SecondaryButton,
									Disabled: true},
								discordgo.Button{Label: "Rules", URL: "https://example.com/",
									Style: discordgo.LinkButton}}},
							discordgo.ActionsRow{Components: []discordgo.MessageComponent{
								discordgo.SelectMenu{CustomID: "pick", Placeholder: "Where to?",
									Options: []discordgo.SelectMenuOption{
										{Label: "Space 9", Value: "9", Description: "the reef"}, {Label: "Space 10", Value: "10", Emoji: &discordgo.ComponentEmoji{Name: "🏝️"}}}}}},
						}},
					}})
			bot.ChannelMessageSendComplex(i.ChannelID, &discordgo.MessageSend{Content: "Your turn, <@" + Jack + ">",
				AllowedMentions: &discordgo.MessageAllowedMentions{Users: []string{Jack}}})
		case discordgo.InteractionMessageComponent:
			data := i.MessageComponentData()
			switch data.CustomID {
			case "hand":
				respond(discordgo.InteractionResponseChannelMessageWithSource,
					&discordgo.InteractionResponseData{Content: "Your hand: three skulls",
						Flags: discordgo.MessageFlagsEphemeral})
			case "pick":
				respond(discordgo.InteractionResponseChannelMessageWithSource,
					&discordgo.InteractionResponseData{Content: "Picked " + data.Values[0],
						Embeds: []*discordgo.MessageEmbed{{Title: "Standings", Description: "After **3** moves",
							Color: 0x248046, Fields: []*discordgo.MessageEmbedField{{Name: "Anne", Value: "7",
								Inline: true}, {Name: "Jack", Value: "5", Inline: true}}}},
						Files: []*discordgo.File{textFile("record.txt", "1. 9 10\n")}})
			case "move":
				respond(discordgo.InteractionResponseModal, &discordgo.InteractionResponseData{CustomID: "m",
					Title: "Your move", Components: []discordgo.MessageComponent{
						discordgo.Label{Label: "Move", Description: "In the notation of the rules",
							Component: discordgo.TextInput{CustomID: "text", Style: discordgo.TextInputShort,
								Placeholder: "9 10"}}}})
			}
		case discordgo.InteractionModalSubmit:
			text := i.ModalSubmitData().Components[0].(*discordgo.Label).Component.(*discordgo.TextInput).Value
			respond(discordgo.InteractionResponseChannelMessageWithSource,
				&discordgo.InteractionResponseData{Content: "Moved " + text})
		}
	})
}

// In the page, one person can use a command by keyboard only, a menu, an ephemeral hand and a modal, and act as other
// users.
func TestPageInBrowser(t *testing.T) {
	clock := manual.NewClock(time.Now())
	srv, bot := start(t, Options{Clock: clock}, play, table)
	pageBot(t, bot)
	ctx := pagetest.Open(t, srv.URL())
	pagetest.Shoot(t, ctx, "1-empty")

	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("/"),
		chromedp.WaitVisible(chromedp.CSS(`#popup [role=option]`)))
	pagetest.Shoot(t, ctx, "2-commands")
	pagetest.Do(t, ctx, chromedp.KeyEvent("pl"), chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx,
		`document.activeElement.getAttribute("aria-label") === "game" && document.querySelectorAll("#popup [role=option]").length === 2`)
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx, `document.activeElement.id === "tail" && !document.querySelector("#popup").hidden`)
	pagetest.Do(t, ctx, chromedp.KeyEvent("mov"), chromedp.KeyEvent(kb.Tab))
	pagetest.Until(t, ctx,
		`document.activeElement.getAttribute("aria-label") === "move" && document.querySelectorAll("#popup [role=option]").length === 3`)
	pagetest.Do(t, ctx, chromedp.KeyEvent("9"))
	pagetest.Until(t, ctx, `document.querySelectorAll("#popup [role=option]").length === 2`)
	pagetest.Shoot(t, ctx, "3-autocomplete")
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx, `document.activeElement.id === "tail"`)
	pagetest.Do(t, ctx, chromedp.KeyEvent("opp"), chromedp.KeyEvent(kb.Tab))
	pagetest.Until(t, ctx, `document.activeElement.getAttribute("aria-label") === "opponent"`)
	pagetest.Do(t, ctx, chromedp.KeyEvent("ja"), chromedp.KeyEvent(kb.Tab))
	pagetest.Until(t, ctx, `document.activeElement.id === "tail"`)
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx,
		`document.querySelector("#log .container img")?.complete && document.querySelector("#log").innerText.includes("Your turn, @Jack")`)
	pagetest.Shoot(t, ctx, "4-table")
	holds(t, ctx, "text of the bot became markup",
		`document.querySelector("#log img[src^='x']") === null && document.querySelector("#log .container").innerText.includes("<img src=x onerror=alert(1)>") && document.querySelector("#log pre").innerText.includes("code <b>")`)
	holds(t, ctx, "the picked choice did not reach the bot",
		`document.querySelector(".container .text").innerText.includes("first move 9 10")`)
	pagetest.Until(t, ctx, `document.querySelector("[data-user='`+Jack+`'] .badge")?.innerText === "1"`)

	// Choose from a menu by keyboard.
	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`[data-cid=pick]`)), chromedp.KeyEvent(kb.Enter),
		chromedp.WaitVisible(chromedp.CSS(`.listbox`)))
	pagetest.Shoot(t, ctx, "5-menu")
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx,
		`document.querySelector("#log").innerText.includes("Picked 10") && document.querySelector(".embed") !== null && document.querySelector("a[download='record.txt']") !== null`)
	// Fill in a modal, and send it with Enter.
	pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`[data-cid=move]`)),
		chromedp.WaitVisible(chromedp.CSS(`#modal[open]`)))
	pagetest.Shoot(t, ctx, "6-modal")
	pagetest.Do(t, ctx, chromedp.KeyEvent("12 18"), chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx,
		`!document.querySelector("#modal").open && document.querySelector("#log").innerText.includes("Moved 12 18")`)

	// Anne requests an ephemeral hand. Jack does not see the hand, but is pinged, and enlarges the picture of the
	// board.
	pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`[data-cid=hand]`)))
	pagetest.Until(t, ctx, `document.querySelector("#log .ephemeral")?.innerText.includes("three skulls")`)
	pagetest.Shoot(t, ctx, "7-ephemeral")
	pagetest.Do(t, ctx, chromedp.KeyEvent("2", chromedp.KeyModifiers(chromedp.ModifierAlt)))
	pagetest.Until(t, ctx, `document.querySelector("#seats [aria-checked=true]").dataset.user === "`+Jack+
		`" && document.querySelector("#log .pinged") !== null && document.querySelector("#log .ephemeral") === null`)
	pagetest.Shoot(t, ctx, "8-jack")
	pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`.container .picture`)),
		chromedp.WaitVisible(chromedp.CSS(`#lightbox[open]`)))
	pagetest.Shoot(t, ctx, "9-picture")
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.Escape))
	pagetest.Until(t, ctx, `!document.querySelector("#lightbox").open`)

	// Press a button that the bot does not answer.
	pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`[data-cid=agree]`)),
		chromedp.WaitReady(chromedp.CSS(`[data-cid=agree].busy`)))
	waitUnanswered(t, srv)
	clock.Advance(answerWithin + time.Millisecond)
	pagetest.Until(t, ctx,
		`document.querySelector(".failure:not([hidden])")?.innerText.includes("This interaction failed")`)
	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("/table clock"),
		chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx, `document.querySelector(".chip")?.innerText === "/table clock set"`)
	pagetest.Do(t, ctx, chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx, `document.querySelector("#typing").innerText.includes("Sending")`)
	waitUnanswered(t, srv)
	clock.Advance(answerWithin + time.Millisecond)
	pagetest.Until(t, ctx, `document.querySelector("#log").innerText.includes("The application did not respond")`)

	// A user writes a message, another channel shows unread marks, and the window becomes narrow.
	pagetest.Do(t, ctx, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("Ahoy @Anne <script>"),
		chromedp.KeyEvent(kb.Enter))
	pagetest.Until(t, ctx,
		`[...document.querySelectorAll("#log .message")].at(-1).innerText.includes("Ahoy @Anne <script>")`)
	if _, err := srv.Say(Anne, TortugaTavern, "Anyone here, <@"+Jack+">?"); err != nil {
		t.Fatal(err)
	}
	pagetest.Until(t, ctx, `document.querySelector(".channel.unread .badge")?.innerText === "1"`)
	pagetest.Do(t, ctx, pagetest.Prefer("light"))
	pagetest.Shoot(t, ctx, "10-light")
	pagetest.Do(t, ctx, pagetest.Prefer("dark"), chromedp.EmulateViewport(400, 800))
	pagetest.Until(t, ctx,
		`document.documentElement.scrollWidth <= 400 && document.querySelector("#log").scrollWidth <= 400`)
	pagetest.Shoot(t, ctx, "11-narrow")
	pagetest.Do(t, ctx, chromedp.Click(chromedp.CSS(`#menu`)), chromedp.WaitVisible(chromedp.CSS(`#side .channel`)))
	pagetest.Shoot(t, ctx, "12-narrow-menu")
}

// The page's interface refuses requests for other host names and from other sites.
func TestPageRefusesStrangers(t *testing.T) {
	t.Parallel()
	srv := New(Options{Requests: Unlimited})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	say := `{"user":"` + Anne + `","channel":"` + TortugaTables + `","content":"hello"}`
	for _, tc := range []struct {
		name, host, origin, site, kind string
		status                         int
	}{
		{"the page", "", "self", "same-origin", "application/json", 200},
		{"a program", "", "", "", "application/json", 200},
		{"another site", "", "https://evil.example", "cross-site", "application/json", 403},
		{"an old browser on another site", "", "https://evil.example", "", "application/json", 403},
		{"a form", "", "", "", "text/plain", 403},
		{"a rebound name", "evil.example", "", "", "application/json", 421},
		{"a rebound name with a port", "evil.example:8080", "", "", "application/json", 421},
	} {
		req, _ := http.NewRequest("POST", srv.URL()+"local/say", strings.NewReader(say))
		req.Header.Set("Content-Type", tc.kind)
		if tc.host != "" {
			req.Host = tc.host
		}
		if tc.origin == "self" {
			tc.origin = strings.TrimSuffix(srv.URL(), "/")
		}
		if tc.origin != "" {
			req.Header.Set("Origin", tc.origin)
		}
		if tc.site != "" {
			req.Header.Set("Sec-Fetch-Site", tc.site)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tc.status {
			t.Errorf("%s: status %d, want %d", tc.name, resp.StatusCode, tc.status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	for origin, status := range map[string]int{"https://evil.example": 403, strings.TrimSuffix(srv.URL(), "/"): 101} {
		ws, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(srv.URL(), "http")+"local/events?user="+
			Anne, http.Header{"Origin": {origin}})
		if resp == nil || resp.StatusCode != status {
			t.Errorf("events for a script of %s: %v %v, want %d", origin, resp, err, status)
		}
		if ws != nil {
			ws.Close()
		}
	}
	for _, path := range []string{"", "app.js", "style.css", "icon.svg"} {
		resp, err := http.Get(srv.URL() + path)
		if err != nil || resp.StatusCode != 200 || !strings.Contains(resp.Header.Get("Content-Security-Policy"),
			"default-src 'none'") {
			t.Errorf("/%s: %v %v", path, resp.StatusCode, err)
		}
		resp.Body.Close()
	}
	if _, err := srv.HTTPClient().Get("https://example.com/"); err == nil {
		t.Error("a request for another host got through")
	}
}
