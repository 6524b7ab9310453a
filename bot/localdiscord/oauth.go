package localdiscord

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ClientSecret is the application's secret, with which it requests users' tokens.
const ClientSecret = "local-client-secret"

const (
	tokenRoute = "/oauth2/token"
	codeTime   = time.Minute
	tokenTime  = 7 * 24 * time.Hour
	maxGrants  = 1000 // maximum number of codes, and of tokens
)

// oauth lets users log in with Discord on other sites, by the authorization code grant with the scope identify. Source:
// Discord's documentation, topic "OAuth2"; RFC 6749, sections 4.1 and 5.2; RFC 7636.
type oauth struct {
	hub       *hub
	redirects []string // addresses that the application's owner has registered
	codes     map[string]grant
	tokens    map[string]grant
}

// grant is a user's consent, for which a code or a token stands.
type grant struct {
	user      string
	redirect  string
	challenge string // "" where the login has none
	until     time.Time
}

func newOAuth(h *hub) *oauth {
	return &oauth{hub: h, codes: map[string]grant{}, tokens: map[string]grant{}}
}

// RegisterRedirect registers an exact address for logins, like the application's owner in the developer portal.
func (s *Server) RegisterRedirect(address string) {
	s.hub.do(func() { s.oauth.redirects = append(s.oauth.redirects, address) })
}

// keep adds a grant under a new name. It drops expired grants, and also others while there are too many.
func (o *oauth) keep(in map[string]grant, g grant, lasting time.Duration) (name string) {
	now := o.hub.state.clock.Now()
	for n, old := range in {
		if len(in) >= maxGrants || now.After(old.until) {
			delete(in, n)
		}
	}
	name, g.until = rand.Text(), now.Add(lasting)
	in[name] = g
	return name
}

var authorizePage = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta name="viewport" content="width=device-width"><title>Discord</title>
<main><h1>{{.Name}} wants to know who you are</h1>
{{range .Users}}<p><a href="{{.To}}">Authorize as {{.Name}}</a></p>{{end}}
<p><a id="cancel" href="{{.Cancel}}">Cancel</a></p></main></html>`))

// authorize shows a page on which the user chooses who they are, and then redirects to the address with a code, or
// with an error if the user cancels. A faulty request gets an error page and no redirect, because its address may
// not be registered.
func (o *oauth) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	w.Header().Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	back, err := url.Parse(asked.Get("redirect_uri"))
	wrong := ""
	o.hub.do(func() {
		switch {
		case asked.Get("client_id") != Application:
			wrong = "Unknown Application"
		case err != nil || !slices.Contains(o.redirects, asked.Get("redirect_uri")):
			wrong = "Invalid OAuth2 redirect_uri"
		case asked.Get("response_type") != "code":
			wrong = "Invalid response_type"
		case asked.Get("scope") != "identify":
			wrong = "Invalid scope"
		case asked.Has("code_challenge") && (asked.Get("code_challenge_method") != "S256" ||
			len(asked.Get("code_challenge")) != 43):
			wrong = "Invalid code_challenge"
		}
	})
	if wrong != "" {
		http.Error(w, wrong, http.StatusBadRequest)
		return
	}
	to := func(answer url.Values) string {
		if asked.Has("state") {
			answer.Set("state", asked.Get("state"))
		}
		u := *back
		u.RawQuery = answer.Encode()
		return u.String()
	}
	as := func(user string) string {
		again := r.URL.Query()
		again.Set("as", user)
		return "/oauth2/authorize?" + again.Encode()
	}
	type choice struct{ Name, To string }
	page := struct {
		Name, Cancel string
		Users        []choice
	}{Cancel: as("")}
	if asked.Has("as") {
		answer := url.Values{"error": {"access_denied"},
			"error_description": {"The resource owner or authorization server denied the request"}}
		o.hub.do(func() {
			if u := o.hub.state.users[asked.Get("as")]; u != nil && !u.Bot {
				answer = url.Values{"code": {o.keep(o.codes, grant{user: u.ID, redirect: asked.Get("redirect_uri"),
					challenge: asked.Get("code_challenge")}, codeTime)}}
			}
		})
		http.Redirect(w, r, to(answer), http.StatusFound)
		return
	}
	o.hub.do(func() {
		page.Name = o.hub.state.users[Application].Username
		for _, id := range o.hub.state.userOrder {
			if u := o.hub.state.users[id]; !u.Bot {
				page.Users = append(page.Users, choice{u.GlobalName, as(id)})
			}
		}
	})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = authorizePage.Execute(w, page)
}

// token exchanges a code for a token of its user. It accepts only forms, and each code once.
func (o *oauth) token(c *call) (int, any, error) {
	refused := func(code, why string) (int, any, error) {
		return http.StatusBadRequest, map[string]any{"error": code, "error_description": why}, nil
	}
	if !strings.HasPrefix(c.r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return refused("invalid_request", "Only forms are taken.")
	}
	id, secret, basic := c.r.BasicAuth()
	if !basic {
		id, secret = c.values.Get("client_id"), c.values.Get("client_secret")
	}
	if id != Application || secret != ClientSecret {
		return http.StatusUnauthorized, map[string]any{"error": "invalid_client"}, nil
	}
	if c.values.Get("grant_type") != "authorization_code" {
		return refused("unsupported_grant_type", "Only authorization_code is taken.")
	}
	code, now := c.values.Get("code"), o.hub.state.clock.Now()
	g, ok := o.codes[code]
	delete(o.codes, code)
	sum := sha256.Sum256([]byte(c.values.Get("code_verifier")))
	challenge := base64.RawURLEncoding.EncodeToString(sum[:])
	switch {
	case !ok || now.After(g.until):
		return refused("invalid_grant", `Invalid "code" in request.`)
	case c.values.Get("redirect_uri") != g.redirect:
		return refused("invalid_grant", `Invalid "redirect_uri" in request.`)
	case g.challenge != "" && subtle.ConstantTimeCompare([]byte(challenge), []byte(g.challenge)) == 0:
		return refused("invalid_grant", `Invalid "code_verifier" in request.`)
	}
	return http.StatusOK, map[string]any{"access_token": o.keep(o.tokens, g, tokenTime), "token_type": "Bearer",
		"expires_in": int(tokenTime / time.Second), "refresh_token": rand.Text(), "scope": "identify"}, nil
}

// me returns the owner of the request's token, the bot or a user, with private fields.
func (o *oauth) me(c *call) (int, any, error) {
	said := c.r.Header.Get("Authorization")
	id := ""
	if token, user := strings.CutPrefix(said, "Bearer "); user {
		if g, ok := o.tokens[token]; ok && o.hub.state.clock.Now().Before(g.until) {
			id = g.user
		}
	} else if strings.HasPrefix(said, "Bot ") && o.hub.state.validToken(said) {
		id = Application
	}
	if id == "" {
		return 0, nil, errUnauthorized
	}
	return http.StatusOK, struct {
		*wireUser
		MFA    bool   `json:"mfa_enabled"`
		Locale string `json:"locale"`
	}{o.hub.state.userJSON(id), false, "en-US"}, nil
}
