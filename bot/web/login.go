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

// Login lets people in by Discord's login, without a link.
type Login struct {
	Secret    storage.Secret // of the application; "" lets nobody in
	Authorize string         // the address at which Discord asks its users; "" for Discord's own
}

const (
	// loginPath is where Discord sends a browser whose user has logged in.
	loginPath = "/login"
	// maxLogins bounds the logins for which Discord is asked at the same time.
	maxLogins = 8
	// loginPause is how long logins pause after Discord has answered 401 or 429; it allows only a number of these.
	loginPause = time.Minute
	// maxToken bounds what Discord says about a token or a user, in bytes.
	maxToken = 1 << 14
)

// errBusy says that no login can be tried now.
var errBusy = errors.New("too many logins at once, or Discord takes none")

// challenged is a challenge or a verifier, as RFC 7636 has them, or a state.
var challenged = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// Application sets the bot's application id. Before that nobody can log in.
func (rm *Room) Application(id string) { rm.application.Store(&id) }

// answerLogin answers with the address to which the page sends its user, so that Discord asks who they are.
//
// The page makes the state and the verifier, and keeps both until the user is back. Without them nobody can use what
// Discord then says, so the bot keeps nothing.
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
		"code_challenge_method": {"S256"}, "prompt": {"none"}} // Discord does not ask a user again who has agreed once
	write(w, http.StatusOK, answer{Login: rm.Login.Authorize + "?" + asked.Encode()})
}

// Redirect is the address to which Discord sends a user who has logged in. It has to be registered with Discord.
func Redirect(page *url.URL) string { return page.Scheme + "://" + page.Host + loginPath }

// loggedIn returns the user for whom Discord gave a code: by sending them to redirect, or inside its client where that
// is "". It returns errClosed for a code that Discord refuses, and errBusy. The token that Discord gives for the code
// is used once, to ask who the user is, and stored nowhere.
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

// askDiscord sends a request of a login, and reads Discord's answer.
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
