package lobby_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/games/catalog"
)

// The context menus of users and messages work, and only their user sees the replies. A message without a board is
// refused.
func TestContextMenus(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	menu := func(user, channel, name, target string) *localdiscord.Reply {
		t.Helper()
		reply, err := r.Server.Menu(r.Ctx, user, channel, name, target)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, r.Log)
		}
		return reply
	}
	message := func(user, channel, name, target string) *localdiscord.Message {
		t.Helper()
		return r.Answer(menu(user, channel, name, target), nil, name)
	}
	expect := func(m *localdiscord.Message, want string) {
		t.Helper()
		if m.EphemeralTo == "" || !strings.Contains(m.Text(), want) {
			t.Errorf("the answer, seen by %q, is %q, want one that says %q to its user alone", m.EphemeralTo, m.Text(),
				want)
		}
	}

	// The context menu of a user has Challenge and Profile.
	asked := message(localdiscord.Anne, bottest.Tavern, "Challenge", localdiscord.Jack)
	expect(asked, "challenge <@"+localdiscord.Jack+">")
	button := "new-game///" + catalog.Games[0].Key() + "/@" + localdiscord.Jack
	expect(r.Click(localdiscord.Anne, asked, button), "is open for")
	snap := r.Published(1)
	if len(snap.Invited()) != 1 || snap.Invited()[0] != localdiscord.Jack {
		t.Errorf("the table invites %v, want who was challenged", snap.Invited())
	}
	expect(message(localdiscord.Anne, bottest.Tavern, "Challenge", localdiscord.Anne), "challenge yourself")
	expect(message(localdiscord.Anne, bottest.Tavern, "Challenge", localdiscord.Application), "is a bot")
	expect(message(localdiscord.Anne, bottest.Tavern, "Profile", localdiscord.Jack), "<@"+localdiscord.Jack+">")

	// The context menu of a message with a board has Show this position, Try this out and Report a fault.
	channel, turn := r.OpenInThread(catalog.Games[0], bottest.Two)
	first := r.Mover(turn)
	r.TypeMove(first, channel, bottest.NewRand())
	r.Next(channel, turn.ID, bottest.IsTurn)
	shown := message(localdiscord.Mary, channel, "Show this position", turn.ID)
	expect(shown, "Start")
	if p := shown.Pictures(); len(p) != 1 || !strings.Contains(p[0].URL, "-0.png") {
		t.Errorf("the position of the first board is shown by the pictures %v", p)
	}
	tried := func() *localdiscord.Message { return message(first, channel, "Try this out", turn.ID) }
	expect(tried(), "Trying moves · ")
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.NoStudies = true })
	expect(tried(), "rated")
	reply := menu(localdiscord.Mary, channel, "Report a fault", turn.ID)
	if reply.Modal == nil {
		t.Fatal("no form asks what is wrong")
	}
	sent, err := r.Server.SubmitModal(r.Ctx, localdiscord.Mary, reply.Modal,
		localdiscord.Opt("fault", "The ship\nis upside down"))
	done := r.Answer(sent, err, "the form")
	expect(done, "by its number: `")
	_, number, _ := strings.Cut(done.Text(), "number `")
	number, _, _ = strings.Cut(number, "`")
	if log := r.Log.String(); !strings.Contains(log, "incident="+number) || !strings.Contains(log,
		"The ship is upside down") || !strings.Contains(log, "play=0") {
		t.Errorf("the log lacks the report %s:\n%s", number, log)
	}

	// A message that only mentions the name of a board's file has no board. The client offers no menu for a private
	// message.
	said, err := r.Server.Say(localdiscord.Jack, bottest.Tavern, "board-2-0.png")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Show this position", "Try this out", "Report a fault"} {
		expect(message(localdiscord.Anne, bottest.Tavern, name, said.ID), "can't find a table's board")
		if _, err := r.Server.Menu(r.Ctx, localdiscord.Mary, channel, name, shown.ID); !errors.Is(err,
			localdiscord.ErrNoMessage) {
			t.Errorf("%s on a private message: %v, want that the client offers none", name, err)
		}
	}
}

// Context menus work in the browser, by the keyboard alone, at the widths of a desktop and of a phone. The menu of a
// message with a board shows its position, allows trying out moves, and opens a form to report a fault. The menu of a
// user challenges the user and shows the user's profile.
func TestContextMenusInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: no browser")
	}
	t.Parallel()
	r, _ := bottest.NewQuiet(t)
	b := bottest.OpenBrowser(t, r.Server.URL())
	thread, _ := r.OpenInThread(catalog.Games[0], bottest.Two)
	if _, err := r.Server.Say(localdiscord.Jack, bottest.Tavern, "Ahoy!"); err != nil {
		t.Fatal(err)
	}
	enter := func(channel, last string) {
		t.Helper()
		b.Do(chromedp.Evaluate[chromedp.Void](`void (location.hash = "#` + localdiscord.Anne + "/" + channel + `")`))
		b.Until(bottest.Settled + ` && [...document.querySelectorAll("#log .link.apps")].at(-1)?.` +
			`closest(".message").innerText.includes("` + last + `")`)
	}
	for _, width := range []int64{1280, 390} {
		b.Do(chromedp.EmulateViewport(width, 844))
		pick := func(name string) {
			t.Helper()
			b.Until(bottest.Settled +
				` && (() => { const l = [...document.querySelectorAll("#log .link.apps")].at(-1); l?.focus(); return l !== undefined && document.activeElement === l; })()`)
			b.Do(chromedp.KeyEvent(kb.Enter))
			b.Until(`document.querySelector("#modal").open`)
			b.Shoot("menu-" + strconv.FormatInt(width, 10))
			for range 5 {
				at, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](`document.activeElement.textContent`))
				if err != nil {
					b.Fail(err)
				}
				if at == name {
					b.Do(chromedp.KeyEvent(kb.Enter))
					return
				}
				b.Do(chromedp.KeyEvent(kb.Tab))
			}
			t.Fatalf("Tab does not lead to %q", name)
		}
		enter(bottest.Tavern, "Ahoy!")
		if s := b.Private(func() { pick("Challenge") }); !strings.Contains(s.Text, "challenge @Jack") ||
			!strings.Contains(s.Text, "Madagascar") {
			t.Errorf("a challenge is answered by %q, which lists no games", s.Text)
		}
		if s := b.Private(func() { pick("Profile") }); !strings.Contains(s.Text, "@Jack") {
			t.Errorf("the profile is %q", s.Text)
		}
		enter(thread, "it's your turn")
		if s := b.Private(func() { pick("Try this out") }); len(s.Alts) != 1 ||
			!strings.Contains(s.Text, "Trying moves · ") {
			t.Errorf("a board to try out has %d pictures: %q", len(s.Alts), s.Text)
		}
		if s := b.Private(func() { pick("Show this position") }); len(s.Alts) != 1 {
			t.Errorf("the position is shown by %d pictures: %q", len(s.Alts), s.Text)
		}
		s := b.Private(func() {
			pick("Report a fault")
			b.Until(`document.querySelector("#modal textarea") === document.activeElement`)
			b.Shoot("report-" + strconv.FormatInt(width, 10))
			b.Do(chromedp.KeyEvent("The ship is upside down"), chromedp.KeyEvent(kb.Tab+kb.Tab+kb.Enter))
		})
		if !strings.Contains(s.Text, "Thank you") {
			t.Errorf("a report is answered by %q", s.Text)
		}
	}
}
