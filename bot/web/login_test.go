package web_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/bot/timesource/manual"
)

// verifier returns the PKCE verifier of a login and its challenge.
func verifier(of string) (verifier, challenge string) {
	made := sha256.Sum256([]byte(of))
	verifier = base64.RawURLEncoding.EncodeToString(made[:])
	sum := sha256.Sum256([]byte(verifier))
	return verifier, base64.RawURLEncoding.EncodeToString(sum[:])
}

// agree begins a login, answers Discord's question, and returns the parameters of Discord's redirect. Without a user,
// the answer is no.
func agree(r *bottest.Rig, user, challenge string) url.Values {
	r.T.Helper()
	state, _ := verifier("state")
	begun := send(r, "login", map[string]any{"challenge": challenge, "state": state}, nil)
	asked, err := url.Parse(begun.Login)
	if begun.Status != http.StatusOK || err != nil || asked.Query().Get("scope") != "identify" {
		r.T.Fatalf("a login begins with %d %s", begun.Status, begun.Raw)
	}
	unredirected := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	got, err := unredirected.Get(begun.Login + "&as=" + user)
	r.Must(err)
	defer got.Body.Close()
	back, err := got.Location()
	if err != nil || !strings.HasPrefix(back.String(), r.PageURL+"/login?") || back.Query().Get("state") != state {
		r.T.Fatalf("Discord leads to %s: %v", got.Header.Get("Location"), err)
	}
	return back.Query()
}

// A login with Discord admits the user. A code is valid once, for a limited time, and only for the user who began the
// login. If Discord refuses the application's request, the bot does not repeat it immediately. The log contains no
// secrets.
func TestLogin(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Page = true },
		func(o *localdiscord.Options) { o.Clock = clock })
	r.OpenLoyal(bottest.Two)
	right, challenge := verifier("anne's")
	wrong, _ := verifier("somebody else's")
	enter := func(code, verifier string) answer {
		return send(r, "enter", map[string]any{"code": code, "verifier": verifier}, nil)
	}
	code := agree(r, localdiscord.Anne, challenge).Get("code")
	in := enter(code, right)
	if in.Status != http.StatusOK || in.Session == "" {
		t.Fatalf("who has logged in was answered %d %s", in.Status, in.Raw)
	}
	c := &client{r: r, session: in.Session}
	if games := c.ask("games", map[string]any{}); len(games.Games) != 1 || games.Games[0].Table != "1" {
		t.Errorf("the games of who has logged in: %s", games.Raw)
	}
	c.table = "1"
	if s := c.state(""); !s.Seats[0].You && !s.Seats[1].You {
		t.Errorf("nobody is the one who has logged in: %+v", s.Seats)
	}
	stale := agree(r, localdiscord.Anne, challenge).Get("code")
	clock.Advance(2 * time.Minute)
	for what, a := range map[string]answer{
		"used":           enter(code, right),
		"too old":        enter(stale, right),
		"another's":      enter(agree(r, localdiscord.Anne, challenge).Get("code"), wrong),
		"without proof":  enter(agree(r, localdiscord.Anne, challenge).Get("code"), ""),
		"made up":        enter("XYZ", right),
		"what was asked": enter(agree(r, localdiscord.Anne, challenge).Get("code"), challenge),
		"not agreed to":  enter(agree(r, "", challenge).Get("code"), right),
	} {
		if a.Status != http.StatusUnauthorized || a.Session != "" {
			t.Errorf("a code that is %s was answered %d %s", what, a.Status, a.Raw)
		}
	}
	for what, body := range map[string]map[string]any{
		"no state":          {"challenge": challenge},
		"another challenge": {"challenge": challenge + "x", "state": right},
	} {
		if a := send(r, "login", body, nil); a.Status != http.StatusBadRequest {
			t.Errorf("a login with %s was answered %d %s", what, a.Status, a.Raw)
		}
	}
	asked := func() (n int) {
		for _, q := range r.Server.Requests() {
			if q.Path == "/oauth2/token" {
				n++
			}
		}
		return n
	}
	remove := r.Server.AddFault(localdiscord.Fault{Path: "/oauth2/token", Status: http.StatusUnauthorized,
		Body: `{"error": "invalid_client"}`})
	before := asked()
	for range 5 {
		if a := enter("XYZ", right); a.Status != http.StatusServiceUnavailable {
			t.Errorf("with a wrong secret a login was answered %d %s", a.Status, a.Raw)
		}
	}
	if n := asked() - before; n != 1 {
		t.Errorf("with a wrong secret Discord was asked %d times, want once a minute", n)
	}
	remove()
	clock.Advance(2 * time.Minute)
	if a := enter(agree(r, localdiscord.Anne, challenge).Get("code"), right); a.Session == "" {
		t.Errorf("with the right secret again a login was answered %d %s", a.Status, a.Raw)
	}
	said := r.Log.String()
	if !strings.Contains(said, "MARQUE_CLIENT_SECRET is not the secret") {
		t.Errorf("the log does not say what is wrong with the secret:\n%s", said)
	}
	for what, secret := range map[string]string{"secret": localdiscord.ClientSecret, "code": code, "verifier": right,
		"session": in.Session} {
		if strings.Contains(said, secret) {
			t.Errorf("the %s stands in the log:\n%s", what, said)
		}
	}
}

// A user who opens the page without a link can log in with Discord or decline. After the login they find their games
// and can play.
func TestLoginInTheBrowser(t *testing.T) {
	t.Parallel()
	r := withPage(t)
	r.OpenLoyal(bottest.Two)
	who := r.Table().Mover()
	s := &seat{t, pagetest.Tab(t)}
	pagetest.Do(t, s.tab, chromedp.EmulateViewport(360, 640, chromedp.EmulateMobile, chromedp.EmulateTouch),
		chromedp.Navigate(r.PageURL+"/"))
	answered := func(with string) {
		t.Helper()
		pagetest.Until(t, s.tab, `document.querySelector("#login").offsetParent !== null`)
		pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS("#login")))
		pagetest.Until(t, s.tab, `document.querySelector("#cancel") !== null`)
		pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS(with)))
	}
	pagetest.Until(t, s.tab, `document.querySelector("#login").offsetParent !== null`)
	pagetest.Shoot(t, s.tab, "page-login")
	answered("#cancel")
	answered(fmt.Sprintf(`a[href*="as=%s"]`, who))
	pagetest.Until(t, s.tab, `location.pathname + location.search === "/" &&
		document.querySelector("#home button.go") !== null && !localStorage.getItem("login")`)
	pagetest.Shoot(t, s.tab, "page-home")
	pagetest.Do(t, s.tab, chromedp.Click(chromedp.CSS("#home button.go")))
	pagetest.Until(t, s.tab, asked)
	s.move(func() int { return 0 })
	r.Eventually("played after a login", func() bool { return r.Table().Plays > 0 })
	pagetest.Do(t, s.tab, chromedp.Navigate(r.PageURL+"/login?code=forged&state=forged"))
	pagetest.Until(t, s.tab, `document.querySelector("#login").offsetParent !== null &&
		document.querySelector("#why").textContent.includes("didn't work")`)
}
