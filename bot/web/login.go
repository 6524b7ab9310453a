package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/storage"
)

// Login has the settings for logins with Discord, which need no link.
type Login struct {
	Secret    storage.Secret // client secret of the application; "" if nobody can log in
	Authorize string         // address at which Discord asks users to log in; "" for the usual one
}

const (
	// loginPath is the path to which Discord sends a browser after the login.
	loginPath = "/login"
	// maxLogins is the maximum number of logins that wait for Discord at the same time.
	maxLogins = 8
	// loginPause is the time without logins after Discord answered 401 or 429. It is needed because Discord limits the
	// number of such answers.
	loginPause = time.Minute
	// maxToken is the maximum size of Discord's answer about a token or a user, in bytes.
	maxToken = 1 << 14
)

// errBusy means that no login is possible at the moment.
var errBusy = errors.New("too many logins at once, or Discord takes none")

// challenged matches a state, and a challenge or verifier (RFC 7636).
var challenged = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Application sets the bot's application id. Before that, nobody can log in with Discord.
func (rm *Room) Application(id string) { rm.application.Store(&id) }

// answerLogin answers with the address at which Discord asks the user to log in.
//
// The page creates and keeps the state and the verifier. Without these Discord's answer is useless, so the bot stores
// nothing.
func (rm *Room) answerLogin(w http.ResponseWriter, q *http.Request) {
	a, ok := rm.read(w, q)
	if !ok {
		return
	}
	app := rm.application.Load()
	if rm.Login.Secret == "" || app == nil {
		http.Error(w, "there is no login", http.StatusNotFound)
		return
	}
	if !challenged.MatchString(a.Challenge) || !challenged.MatchString(a.State) {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	asked := url.Values{"response_type": {"code"}, "client_id": {*app}, "scope": {"identify"},
		"redirect_uri": {Redirect(rm.URL)}, "state": {a.State}, "code_challenge": {a.Challenge},
		"code_challenge_method": {"S256"}, "prompt": {"none"}} // Discord asks only at a user's first login
	write(w, http.StatusOK, answer{Login: rm.Login.Authorize + "?" + asked.Encode()})
}

// Redirect returns the address to which Discord sends a user after the login. It must be registered with Discord.
func Redirect(page *url.URL) string { return page.Scheme + "://" + page.Host + loginPath }

// loggedIn returns the user for whom Discord issued a code. redirect is the address to which Discord redirected the
// browser, or "" inside Discord's client. It returns errClosed for a refused code or without logins, errBusy if no
// login is possible at the moment, or the error of the request. The token for the code is used once, to ask who the
// user is, and is not stored.
func (rm *Room) loggedIn(ctx context.Context, code, verifier, redirect string) (user string, err error) {
	app := rm.application.Load()
	if rm.Login.Secret == "" || app == nil || !challenged.MatchString(verifier) {
		return "", errClosed
	}
	select {
	case rm.logins <- struct{}{}:
		defer func() { <-rm.logins }()
	default:
		return "", errBusy
	}
	if until := rm.loginAfter.Load(); until != nil && rm.Clock.Now().Before(*until) {
		return "", errBusy
	}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}}
	if redirect != "" {
		form.Set("redirect_uri", redirect)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, discordgo.EndpointAPI+"oauth2/token",
		strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	q.SetBasicAuth(*app, rm.Login.Secret.Reveal())
	var token struct {
		Access string `json:"access_token"`
	}
	if err := rm.askDiscord(q, &token); err != nil {
		return "", err
	}
	if q, err = http.NewRequestWithContext(ctx, http.MethodGet, discordgo.EndpointUser("@me"), nil); err != nil {
		return "", err
	}
	q.Header.Set("Authorization", "Bearer "+token.Access)
	var me struct {
		ID string `json:"id"`
	}
	if err := rm.askDiscord(q, &me); err != nil {
		return "", err
	}
	return me.ID, storage.CheckName(me.ID)
}

// askDiscord sends a login's request and decodes Discord's answer.
func (rm *Room) askDiscord(q *http.Request, into any) error {
	q.Header.Set("User-Agent", rm.Session.UserAgent)
	got, err := rm.Session.Client.Do(q)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	said, err := io.ReadAll(io.LimitReader(got.Body, maxToken))
	if err != nil {
		return err
	}
	if got.StatusCode == http.StatusOK {
		return json.Unmarshal(said, into)
	}
	var why struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(said, &why)
	if got.StatusCode == http.StatusBadRequest && why.Error == "invalid_grant" {
		return errClosed
	}
	if got.StatusCode == http.StatusUnauthorized || got.StatusCode == http.StatusTooManyRequests {
		until := rm.Clock.Now().Add(loginPause)
		rm.loginAfter.Store(&until)
	}
	if why.Error == "invalid_client" {
		return fmt.Errorf("%w: MARQUE_CLIENT_SECRET is not the secret of this application", errBusy)
	}
	return fmt.Errorf("%w: it answered %d", errBusy, got.StatusCode)
}
