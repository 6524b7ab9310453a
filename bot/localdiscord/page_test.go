package localdiscord

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/gorilla/websocket"

	"marque/bot/timesource/manual"
)

// openPage opens the page in a headless browser at the size of a desk, or skips the test where there is none. Pictures of
// the page are left in the folder that LOCALDISCORD_SHOTS names.
func openPage(t *testing.T, srv *Server) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no browser found (chromium or google-chrome): the page was not tested")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("lang", "en-US"), chromedp.WindowSize(1280, 860))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // starts the browser, which lives as long as this context
		t.Fatal(err)
	}
	do(t, ctx, prefer("dark"), chromedp.Navigate(srv.URL()), chromedp.WaitVisible(chromedp.CSS(`#seats [role=radio]`)), chromedp.WaitVisible(chromedp.CSS(`#log .welcome`)))
	return ctx
}

// patience bounds one wait in the page.
const patience = time.Minute

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, a := range actions {
		err := chromedp.Do(limited, a)
		for err != nil && strings.Contains(err.Error(), "Could not find node with given id") { // it was drawn anew between looking for it and reaching it
			err = chromedp.Do(limited, a)
		}
		if err != nil {
			shoot(t, ctx, "failure")
			text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.querySelector("main").innerText`))
			t.Fatalf("%v\nthe page says: %s", err, text)
		}
	}
}

// until waits until a JavaScript expression is true.
func until(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	if _, err := chromedp.Run(ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(25*time.Millisecond), chromedp.WithPollingTimeout(patience))); err != nil {
		shoot(t, ctx, "failure")
		text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](`document.querySelector("main").innerText`))
		t.Fatalf("%s never became true: %v\nthe page says: %s", expression, err, text)
	}
}

// holds checks that a JavaScript expression is true now.
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
	if err := srv.hub.wait(background(t), func() bool {
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

// prefer emulates a preference for dark or light colours, and for stillness: a colour on its way to
// another is not what a test looks at.
func prefer(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	})
}

func shoot(t *testing.T, ctx context.Context, name string) {
	dir := os.Getenv("LOCALDISCORD_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Log(err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Log(err)
	}
}

// pageBot answers /play with everything that a message can show.
func pageBot(t *testing.T, bot *testBot) {
	bot.on(func(i *discordgo.InteractionCreate) {
		respond := func(kind discordgo.InteractionResponseType, data *discordgo.InteractionResponseData) {
			if err := bot.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{Type: kind, Data: data}); err != nil {
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
			respond(discordgo.InteractionApplicationCommandAutocompleteResult, &discordgo.InteractionResponseData{Choices: choices})
		case discordgo.InteractionApplicationCommand:
			if i.ApplicationCommandData().Name == "table" {
				return // silence
			}
			move := "none"
			if o := i.ApplicationCommandData().GetOption("move"); o != nil {
				move = o.StringValue()
			}
			respond(discordgo.InteractionResponseDeferredChannelMessageWithSource, nil)
			bot.InteractionResponseEdit(i.Interaction, &discordgo.WebhookEdit{Flags: discordgo.MessageFlagsIsComponentsV2,
				Files: []*discordgo.File{pngFile("board.png", picture(420))},
				Components: &[]discordgo.MessageComponent{
					discordgo.Container{AccentColor: ptr(0xE0A030), Components: []discordgo.MessageComponent{
						discordgo.TextDisplay{Content: "## Pirat · table 1\n**Anne** sailed from `9` to *10*.\n-# move 3 · first move " + move + " · started <t:1767225600:R>\n- one\n  - two\n1. three\n> quoted ~~struck~~ __under__ ||secret||\n```\ncode <b>\n```\n<img src=x onerror=alert(1)> [docs](https://example.com) <#" + TortugaTavern + ">"},
						discordgo.Separator{},
						discordgo.MediaGallery{Items: []discordgo.MediaGalleryItem{{Media: discordgo.UnfurledMediaItem{URL: "attachment://board.png"}, Description: ptr("A board of 18 spaces")}}},
						discordgo.Section{Components: []discordgo.MessageComponent{discordgo.TextDisplay{Content: "Your hand is hidden from the others."}},
							Accessory: discordgo.Button{Label: "My hand", CustomID: "hand", Style: discordgo.SecondaryButton}},
						discordgo.ActionsRow{Components: []discordgo.MessageComponent{
							discordgo.Button{Label: "Move", CustomID: "move", Emoji: &discordgo.ComponentEmoji{Name: "⛵"}},
							discordgo.Button{Label: "Agree", CustomID: "agree", Style: discordgo.SuccessButton},
							discordgo.Button{Label: "Resign", CustomID: "resign", Style: discordgo.DangerButton},
							discordgo.Button{Label: "Undo", CustomID: "undo", Style: discordgo.SecondaryButton, Disabled: true},
							discordgo.Button{Label: "Rules", URL: "https://example.com/", Style: discordgo.LinkButton}}},
						discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.SelectMenu{CustomID: "pick", Placeholder: "Where to?", Options: []discordgo.SelectMenuOption{
							{Label: "Space 9", Value: "9", Description: "the reef"}, {Label: "Space 10", Value: "10", Emoji: &discordgo.ComponentEmoji{Name: "🏝️"}}}}}},
					}},
				}})
			bot.ChannelMessageSendComplex(i.ChannelID, &discordgo.MessageSend{Content: "Your turn, <@" + Jack + ">", AllowedMentions: &discordgo.MessageAllowedMentions{Users: []string{Jack}}})
		case discordgo.InteractionMessageComponent:
			data := i.MessageComponentData()
			switch data.CustomID {
			case "hand":
				respond(discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{Content: "Your hand: three skulls", Flags: discordgo.MessageFlagsEphemeral})
			case "pick":
				respond(discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{Content: "Picked " + data.Values[0],
					Embeds: []*discordgo.MessageEmbed{{Title: "Standings", Description: "After **3** moves", Color: 0x248046, Fields: []*discordgo.MessageEmbedField{{Name: "Anne", Value: "7", Inline: true}, {Name: "Jack", Value: "5", Inline: true}}}},
					Files:  []*discordgo.File{textFile("record.txt", "1. 9 10\n")}})
			case "move":
				respond(discordgo.InteractionResponseModal, &discordgo.InteractionResponseData{CustomID: "m", Title: "Your move", Components: []discordgo.MessageComponent{
					discordgo.Label{Label: "Move", Description: "In the notation of the rules", Component: discordgo.TextInput{CustomID: "text", Style: discordgo.TextInputShort, Placeholder: "9 10"}}}})
			}
		case discordgo.InteractionModalSubmit:
			text := i.ModalSubmitData().Components[0].(*discordgo.Label).Component.(*discordgo.TextInput).Value
			respond(discordgo.InteractionResponseChannelMessageWithSource, &discordgo.InteractionResponseData{Content: "Moved " + text})
		}
	})
}

// One person plays at the page: a command by keyboard alone, a menu, an ephemeral hand, a modal,
// and other seats.
func TestPageInBrowser(t *testing.T) {
	clock := manual.NewClock(time.Now())
	srv, bot := start(t, Options{Clock: clock}, play, table)
	pageBot(t, bot)
	ctx := openPage(t, srv)
	shoot(t, ctx, "1-empty")

	do(t, ctx, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("/"), chromedp.WaitVisible(chromedp.CSS(`#popup [role=option]`)))
	shoot(t, ctx, "2-commands")
	do(t, ctx, chromedp.KeyEvent("pl"), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.activeElement.getAttribute("aria-label") === "game" && document.querySelectorAll("#popup [role=option]").length === 2`)
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.activeElement.id === "tail" && !document.querySelector("#popup").hidden`)
	do(t, ctx, chromedp.KeyEvent("mov"), chromedp.KeyEvent(kb.Tab))
	until(t, ctx, `document.activeElement.getAttribute("aria-label") === "move" && document.querySelectorAll("#popup [role=option]").length === 3`)
	do(t, ctx, chromedp.KeyEvent("9"))
	until(t, ctx, `document.querySelectorAll("#popup [role=option]").length === 2`)
	shoot(t, ctx, "3-autocomplete")
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.activeElement.id === "tail"`)
	do(t, ctx, chromedp.KeyEvent("opp"), chromedp.KeyEvent(kb.Tab))
	until(t, ctx, `document.activeElement.getAttribute("aria-label") === "opponent"`)
	do(t, ctx, chromedp.KeyEvent("ja"), chromedp.KeyEvent(kb.Tab))
	until(t, ctx, `document.activeElement.id === "tail"`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.querySelector("#log .container img")?.complete && document.querySelector("#log").innerText.includes("Your turn, @Jack")`)
	shoot(t, ctx, "4-table")
	holds(t, ctx, "text of the bot became markup", `document.querySelector("#log img[src^='x']") === null && document.querySelector("#log .container").innerText.includes("<img src=x onerror=alert(1)>") && document.querySelector("#log pre").innerText.includes("code <b>")`)
	holds(t, ctx, "the picked choice did not reach the bot", `document.querySelector(".container .text").innerText.includes("first move 9 10")`)
	until(t, ctx, `document.querySelector("[data-user='`+Jack+`'] .badge")?.innerText === "1"`)

	// A menu, by keyboard.
	do(t, ctx, chromedp.Focus(chromedp.CSS(`[data-cid=pick]`)), chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS(`.listbox`)))
	shoot(t, ctx, "5-menu")
	do(t, ctx, chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.querySelector("#log").innerText.includes("Picked 10") && document.querySelector(".embed") !== null && document.querySelector("a[download='record.txt']") !== null`)
	// A modal, sent by Enter.
	do(t, ctx, chromedp.Click(chromedp.CSS(`[data-cid=move]`)), chromedp.WaitVisible(chromedp.CSS(`#modal[open]`)))
	shoot(t, ctx, "6-modal")
	do(t, ctx, chromedp.KeyEvent("12 18"), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `!document.querySelector("#modal").open && document.querySelector("#log").innerText.includes("Moved 12 18")`)

	// A hand for Anne alone; Jack does not see it, but is pinged; the picture can be enlarged.
	do(t, ctx, chromedp.Click(chromedp.CSS(`[data-cid=hand]`)))
	until(t, ctx, `document.querySelector("#log .ephemeral")?.innerText.includes("three skulls")`)
	shoot(t, ctx, "7-ephemeral")
	do(t, ctx, chromedp.KeyEvent("2", chromedp.KeyModifiers(chromedp.ModifierAlt)))
	until(t, ctx, `document.querySelector("#seats [aria-checked=true]").dataset.user === "`+Jack+`" && document.querySelector("#log .pinged") !== null && document.querySelector("#log .ephemeral") === null`)
	shoot(t, ctx, "8-jack")
	do(t, ctx, chromedp.Click(chromedp.CSS(`.container .picture`)), chromedp.WaitVisible(chromedp.CSS(`#lightbox[open]`)))
	shoot(t, ctx, "9-picture")
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	until(t, ctx, `!document.querySelector("#lightbox").open`)

	// Nobody answers.
	do(t, ctx, chromedp.Click(chromedp.CSS(`[data-cid=agree]`)), chromedp.WaitReady(chromedp.CSS(`[data-cid=agree].busy`)))
	waitUnanswered(t, srv)
	clock.Advance(answerWithin + time.Millisecond)
	until(t, ctx, `document.querySelector(".failure:not([hidden])")?.innerText.includes("This interaction failed")`)
	do(t, ctx, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("/table clock"), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.querySelector(".chip")?.innerText === "/table clock set"`)
	do(t, ctx, chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `document.querySelector("#typing").innerText.includes("Sending")`)
	waitUnanswered(t, srv)
	clock.Advance(answerWithin + time.Millisecond)
	until(t, ctx, `document.querySelector("#log").innerText.includes("The application did not respond")`)

	// Words of a user, unread marks for another channel, and a narrow window.
	do(t, ctx, chromedp.Focus(chromedp.CSS(`#tail`)), chromedp.KeyEvent("Ahoy @Anne <script>"), chromedp.KeyEvent(kb.Enter))
	until(t, ctx, `[...document.querySelectorAll("#log .message")].at(-1).innerText.includes("Ahoy @Anne <script>")`)
	if _, err := srv.Say(Anne, TortugaTavern, "Anyone here, <@"+Jack+">?"); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, `document.querySelector(".channel.unread .badge")?.innerText === "1"`)
	do(t, ctx, prefer("light"))
	shoot(t, ctx, "10-light")
	do(t, ctx, prefer("dark"), chromedp.EmulateViewport(400, 800))
	holds(t, ctx, "the page is wider than 400 px", `document.documentElement.scrollWidth <= 400 && document.querySelector("#log").scrollWidth <= 400`)
	shoot(t, ctx, "11-narrow")
	do(t, ctx, chromedp.Click(chromedp.CSS(`#menu`)), chromedp.WaitVisible(chromedp.CSS(`#side .channel`)))
	shoot(t, ctx, "12-narrow-menu")
}

// The page's interface is for the page alone: not for other hosts' names, not for other sites.
func TestPageRefusesStrangers(t *testing.T) {
	srv := New(Options{})
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
		ws, resp, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(srv.URL(), "http")+"local/events?user="+Anne, http.Header{"Origin": {origin}})
		if resp == nil || resp.StatusCode != status {
			t.Errorf("events for a script of %s: %v %v, want %d", origin, resp, err, status)
		}
		if ws != nil {
			ws.Close()
		}
	}
	for _, path := range []string{"", "app.js", "style.css", "icon.svg"} {
		resp, err := http.Get(srv.URL() + path)
		if err != nil || resp.StatusCode != 200 || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("/%s: %v %v", path, resp.StatusCode, err)
		}
		resp.Body.Close()
	}
	if _, err := srv.HTTPClient().Get("https://example.com/"); err == nil {
		t.Error("a request for another host got through")
	}
}
