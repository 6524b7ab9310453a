package web_test

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/games/catalog"
)

// gameLink returns the link to the page of a shared game in a message, or "" if there is none.
func gameLink(m *localdiscord.Message) string {
	for _, c := range m.Components {
		if row, ok := c.(*discordgo.ActionsRow); ok {
			for _, b := range row.Components {
				if b, ok := b.(*discordgo.Button); ok && strings.Contains(b.URL, "/#game.") {
					_, link, _ := strings.Cut(b.URL, "#game.")
					return link
				}
			}
		}
	}
	return ""
}

// game requests the page of a shared game without a session. more has names and values of further fields.
func game(r *bottest.Rig, link string, more ...any) answer {
	r.T.Helper()
	body := map[string]any{"shared": link}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return send(r, "shared", body, nil)
}

// playedOut plays a game that Jack resigns against Anne, and returns its last message.
func playedOut(r *bottest.Rig, key string) *localdiscord.Message {
	r.T.Helper()
	g, _ := catalog.Find(key)
	before := r.Latest(bottest.TablesChannel)
	r.Resigned(bottest.TablesChannel, g, localdiscord.Anne, localdiscord.Jack)
	return r.Next(bottest.TablesChannel, before, bottest.IsOver)
}

// allowed returns the link to the page of a game after Anne and Jack have allowed it. The label of Jack's button is
// jacks.
func allowed(r *bottest.Rig, over *localdiscord.Message, jacks string) (link string) {
	r.T.Helper()
	for who, how := range map[string]string{localdiscord.Anne: "With my name", localdiscord.Jack: jacks} {
		r.Click(who, r.Click(who, over, "Public link"), how)
	}
	return gameLink(r.Click(localdiscord.Anne, over, "Public link"))
}

// A game has a page for everybody with its link after all its players have allowed it, each under the name of their
// choice. Nothing else in the page identifies anybody. The page is gone after a player withdraws the permission or has
// their data deleted.
func TestAGameIsSharedIfItsPlayersAllowIt(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	over := playedOut(r, bottest.LoyalCaptain)
	anne, jack := localdiscord.Anne, localdiscord.Jack
	r.WantText(r.Click(localdiscord.Mary, over, "Public link"), "Only this game's players can share")
	mine := r.Click(anne, over, "Public link")
	if link := gameLink(mine); link != "" || mine.EphemeralTo != anne {
		t.Fatalf("before anybody has allowed it: %q, seen by %q", link, mine.EphemeralTo)
	}
	still := r.Click(anne, mine, "With my name")
	r.WantText(still, "Still missing: <@"+jack+">")
	if link := gameLink(still); link != "" {
		t.Fatalf("before Jack has allowed it: %q", link)
	}
	key, err := r.Store.ShareKey(r.Ctx, 1)
	if err != nil || key != "" {
		t.Fatalf("there is a key already, or %v", err)
	}
	asked := r.Click(anne, still, "Ask them here")
	if asked.EphemeralTo != "" {
		t.Fatalf("the question is seen by %q alone", asked.EphemeralTo)
	}
	r.WantText(asked, "<@"+jack+">: <@"+anne+"> would like to make a public page")
	r.WantText(r.Click(localdiscord.Mary, asked, "Without my name"), "Only this game's players can share")
	link := gameLink(r.Click(jack, asked, "Without my name"))
	if again := gameLink(r.Click(anne, over, "Public link")); link == "" || again != link {
		t.Fatalf("Jack has the link %q, Anne %q", link, again)
	}
	if m := r.Click(anne, still, "Ask them here"); gameLink(m) != link || m.EphemeralTo != anne {
		t.Errorf("after Jack has allowed it, Anne gets the link %q, seen by %q", gameLink(m), m.EphemeralTo)
	}

	names := func(a answer) (list []string) {
		if a.State != nil {
			for _, s := range a.State.Seats {
				list = append(list, s.Name)
			}
		}
		return list
	}
	snap := r.Table()
	var raw []byte
	r.Eventually("reported", func() bool {
		a := game(r, link)
		if a.Status != http.StatusOK || a.State == nil {
			t.Fatalf("the page is answered %d %s\n%s", a.Status, a.Raw, r.Log)
		}
		raw = a.Raw
		return a.State.Report != nil
	})
	a := game(r, link)
	want := []string{"Player A", "Player B"}
	want[snap.Seat(anne)] = "Anne"
	if list := names(a); !slices.Equal(list, want) {
		t.Errorf("the players are %q, want %q", list, want)
	}
	if n := len(a.State.Story); n != snap.Plays || a.State.Result == "" {
		t.Errorf("of %d plays %d are told, and the result is %q", snap.Plays, n, a.State.Result)
	}
	for _, what := range []string{`(?i)jack`, `\d{17,}`, anne, jack, snap.Channel, snap.Guild, `<@`} {
		if found := regexp.MustCompile(what).Find(regexp.MustCompile(`data:image/png;base64,[^"]*`).ReplaceAll(raw, nil)); found != nil {
			t.Errorf("the page says %s", found)
		}
	}
	for _, plays := range []int{0, 3, snap.Plays, snap.Plays + 9, -4} {
		if p := game(r, link, "picture", "board", "plays", plays); !bytes.HasPrefix(p.Raw, []byte("\x89PNG")) {
			t.Errorf("the board after %d plays is answered %d %.80s", plays, p.Status, p.Raw)
		}
	}

	nothing := func(what, link string) {
		t.Helper()
		for _, more := range [][]any{nil, {"picture", "board"}} {
			if a := game(r, link, more...); a.Status != http.StatusNotFound || string(a.Raw) != "{}\n" {
				t.Errorf("%s: %d %s, want 404 without a word", what, a.Status, a.Raw)
			}
		}
	}
	for what, link := range map[string]string{"no link": "", "another key": link[:len(link)-1] + "?",
		"no key": "1.", "no table": "77." + link[2:], "another link": "1", "a longer key": link + "A"} {
		nothing(what, link)
	}
	wish := func(who, value string) {
		t.Helper()
		m := r.Command(who, bottest.TablesChannel, "me preferences")
		r.Choose(who, m, bottest.MenuOf(t, m, "sharing"), value)
	}
	wish(jack, "nothing")
	nothing("Jack has taken it back", link)
	wish(jack, "name")
	if list := strings.Join(names(game(r, link)), " "); !strings.Contains(list, "Jack") {
		t.Errorf("Jack wants to be named, and the players are %s", list)
	}
	page := r.Command(jack, bottest.TablesChannel, "me privacy")
	r.WantText(r.Click(jack, r.Click(jack, page, "Delete my data"), "Yes, delete it"), "former sailor")
	nothing("Jack's data are deleted", link)
	r.WantText(r.Click(anne, over, "Public link"), "deleted their data")
	if key, err := r.Store.ShareKey(r.Ctx, 1); err != nil || key != "" {
		t.Errorf("the key is still there, or %v", err)
	}
}

// The page of a game shows only the spectators' view. It contains no hands.
func TestAPageOfAGameHasNoHands(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"freebooter", "pirat"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := withPage(t)
			over := playedOut(r, name)
			link := allowed(r, over, "With my name")
			c := enter(r, localdiscord.Mary, r.Open(localdiscord.TortugaTavern, r.Table().Rules(), bottest.Two))
			var got answer
			r.Eventually("reported", func() bool {
				got = game(r, link)
				return got.State != nil && got.State.Report != nil
			})
			if got.State.Hand != "" {
				t.Errorf("the page has the hand %s", got.State.Hand)
			}
			snap := r.Table()
			for n := 0; n <= snap.Plays; n++ {
				a := game(r, link, "picture", "board", "plays", n)
				b := c.ask("picture", map[string]any{"picture": "board", "plays": n, "table": "1"})
				if !bytes.Equal(a.Raw, b.Raw) {
					t.Errorf("after %d plays the page shows another board than a spectator sees", n)
				}
			}
		})
	}
}

// In a browser without Discord, a user can step through a shared game and see the report. After the page is gone they
// see a sentence.
func TestAPageOfAGameInTheBrowser(t *testing.T) {
	t.Parallel()
	r := withPage(t, func(r *bottest.Rig) { r.Reviews = !testing.Short() })
	over := playedOut(r, "quedah-merchant")
	link := allowed(r, over, "Without my name")
	tab := pagetest.Tab(t)
	pagetest.Do(t, tab, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch),
		chromedp.Navigate(r.PageURL+"/#game."+link))
	pagetest.Until(t, tab, settled+` && document.querySelector("#report img") !== null`)
	pagetest.Shoot(t, tab, "page-shared")
	pagetest.Do(t, tab, chromedp.Click(chromedp.CSS("#earlier")))
	pagetest.Until(t, tab, settled+` && document.querySelector("#told .shown") !== null`)
	pagetest.Do(t, tab, chromedp.Evaluate[chromedp.Void](`(() => { const s = document.querySelector("#step");
		s.value = s.min; s.dispatchEvent(new Event("input")); })()`))
	pagetest.Until(t, tab, settled+` && document.querySelector("#latest").textContent === "The start."`)
	pagetest.Shoot(t, tab, "page-shared-beginning")
	pagetest.Do(t, tab, chromedp.Click(chromedp.CSS("#now")))
	pagetest.Until(t, tab, settled+` && document.querySelector("#turn").textContent.includes("wins") &&
		document.querySelector("#latest").textContent === ""`)
	m := r.Command(localdiscord.Jack, bottest.TablesChannel, "me preferences")
	r.Choose(localdiscord.Jack, m, bottest.MenuOf(t, m, "sharing"), "nothing")
	pagetest.Do(t, tab, chromedp.Reload())
	pagetest.Until(t, tab, `document.querySelector("#why").textContent === "There's no such page, or it's gone."`)
	pagetest.Shoot(t, tab, "page-shared-gone")
}
