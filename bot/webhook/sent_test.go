package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/storage"
)

// A user's webhook is called for invitations and turns. Calls are signed with a key that is shown once, and are retried
// after a failure. A webhook whose receiver answers Gone is removed. The log, the user's exported data and later panels
// contain neither the address nor the key. The webhook is deleted with the user's data.
func TestWebhook(t *testing.T) {
	t.Parallel()
	const channel, anne, jack = localdiscord.TortugaTables, localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	type call struct {
		body                map[string]any
		id, at, sign, plain string
	}
	var status atomic.Int32
	status.Store(http.StatusNoContent)
	calls := make(chan call, 100)
	programs := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		data, _ := io.ReadAll(q.Body)
		c := call{id: q.Header.Get("Webhook-Id"), at: q.Header.Get("Webhook-Timestamp"),
			sign: q.Header.Get("Webhook-Signature"), plain: string(data)}
		err := json.Unmarshal(data, &c.body)
		if err != nil || q.Method != http.MethodPost || q.URL.Path != "/very/secret" {
			t.Errorf("%s %s: %v", q.Method, q.URL, err)
		}
		w.WriteHeader(int(status.Load()))
		calls <- c
	}))
	t.Cleanup(programs.Close)
	// The address counts as public, but the transport of this test redirects its calls to the test server.
	const address = "https://hooks.example.org/very/secret"
	carrier := programs.Client().Transport.(*http.Transport).Clone()
	carrier.TLSClientConfig.ServerName = "example.com"
	carrier.DialTLSContext = nil
	to := bottest.RoundTripFunc(func(q *http.Request) (*http.Response, error) {
		there := q.Clone(q.Context())
		there.URL.Host = strings.TrimPrefix(programs.URL, "https://")
		return carrier.RoundTrip(there)
	})
	clock := manual.NewClock(time.Date(2024, 10, 4, 9, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Webhooks = to }, func(o *localdiscord.Options) { o.Clock = clock })
	next := func(what, event string) call {
		t.Helper()
		var got call
		r.Eventually(what, func() bool {
			select {
			case got = <-calls:
				return true
			default:
				clock.Advance(time.Second)
				return false
			}
		})
		if got.body["event"] != event || got.body["id"] != got.id {
			t.Fatalf("%s: called with %+v, want %s", what, got, event)
		}
		return got
	}
	none := func(what string) {
		t.Helper()
		if len(calls) > 0 {
			t.Errorf("%s: called with %+v", what, <-calls)
		}
	}
	set := func() (panel *localdiscord.Message, key string) {
		t.Helper()
		panel = r.Command(jack, channel, "me preferences")
		reply, err := r.Server.Click(r.Ctx, jack, panel.ID, bottest.MenuOf(t, panel, "ask"))
		if err != nil || reply.Modal == nil {
			t.Fatalf("no form: %v", err)
		}
		panel = r.Submit(jack, reply.Modal, opt("set", address))
		found := regexp.MustCompile("`whsec_([A-Za-z0-9+/=]{32})`").FindStringSubmatch(panel.Text())
		if found == nil {
			t.Fatalf("no key in %s", panel.Text())
		}
		return panel, found[1]
	}
	signed := func(c call, key string) {
		t.Helper()
		secret, err := base64.StdEncoding.DecodeString(key)
		r.Must(err)
		mac := hmac.New(sha256.New, secret)
		fmt.Fprintf(mac, "%s.%s.%s", c.id, c.at, c.plain)
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); c.sign != want {
			t.Errorf("signed with %s, want %s", c.sign, want)
		}
	}
	failing := func() bool {
		is, failed, err := r.Hooks.Of(r.Ctx, jack)
		return is && failed > 0 && err == nil
	}

	panel := r.Command(jack, channel, "me preferences")
	reply, err := r.Server.Click(r.Ctx, jack, panel.ID, bottest.MenuOf(t, panel, "ask"))
	r.Must(err)
	if said := r.Submit(jack, reply.Modal, opt("set", "https://127.0.0.1/very/secret")).Text(); !strings.Contains(said,
		"public on the internet") {
		t.Errorf("an address of this machine: %s", said)
	}
	_, key := set()
	signed(next("the call that tries it", "test"), key)

	lobby := r.Lobby(anne, channel, opt("game", bottest.LoyalCaptain), opt("opponent", jack))
	invited := next("an invitation", "invitation")
	signed(invited, key)
	if b := invited.body; b["game"] != bottest.LoyalCaptain || b["table"] != 1.0 ||
		b["url"] != "https://discord.com/channels/"+localdiscord.Tortuga+"/"+channel || b["at"] == nil {
		t.Errorf("what is sent of it: %v", b)
	}
	// It is jack's turn, or anne's and then jack's. The call fails twice, and the third is accepted.
	status.Store(http.StatusInternalServerError)
	r.Click(jack, lobby, "Join")
	turn := r.Next(channel, lobby.ID, bottest.IsTurn)
	if r.Mover(turn) == anne {
		r.Command(anne, channel, "move", opt("move", "+1"))
	}
	first := next("a turn", "turn")
	r.Eventually("that it failed is noted", failing)
	bottest.Contains(t, "the panel", r.Command(jack, channel, "me preferences").Text(), "my last call failed")
	again := next("the same again", "turn")
	status.Store(http.StatusOK)
	third := next("and again", "turn")
	if first.id != again.id || first.id != third.id {
		t.Errorf("one call had the ids %s, %s, %s", first.id, again.id, third.id)
	}
	r.Eventually("it is taken", func() bool { return !failing() })

	// An offer to the player to move is an offer, not another turn.
	r.Command(anne, channel, "table draw")
	offer := next("an offer", "offer")
	if !strings.HasSuffix(offer.id, "-"+jack) || offer.id == first.id {
		t.Errorf("the id of an offer to user %s is %q, that of the turn %q", jack, offer.id, first.id)
	}

	dossier, err := r.Privacy.Export(r.Ctx, jack)
	r.Must(err)
	exported, err := json.Marshal(dossier)
	r.Must(err)
	panel = r.Command(jack, channel, "me preferences")
	for where, text := range map[string]string{
		"exported": string(exported), "logged": r.Log.String(), "the panel": panel.Text(),
	} {
		for _, secret := range []string{"very/secret", "hooks.example", key} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %s", where, text)
			}
		}
	}
	bottest.Contains(t, "what is exported", string(exported), `the webhook of user `+jack, `{"set":true}`)

	// A webhook whose receiver answers Gone is removed.
	r.Resign(anne)
	status.Store(http.StatusGone)
	clock.Advance(time.Hour) // longer than the pause after a ping for an invitation
	r.Lobby(anne, channel, opt("game", bottest.LoyalCaptain), opt("opponent", jack))
	next("the last", "invitation")
	r.Eventually("it is taken away", func() bool {
		is, _, err := r.Hooks.Of(r.Ctx, jack)
		return err == nil && !is
	})

	// Games against computers alone cause no calls. A webhook that has been removed cannot be removed again.
	status.Store(http.StatusOK)
	_, newKey := set()
	signed(next("the new one is tried", "test"), newKey)
	if newKey == key {
		t.Error("a webhook that is set anew has the old key")
	}
	r.Command(jack, localdiscord.TortugaTavern, "play", opt("game", bottest.LoyalCaptain), opt("computers", 1))
	r.Next(localdiscord.TortugaTavern, "", bottest.IsTurn)
	none("against a computer")
	panel = r.Click(jack, r.Command(jack, channel, "me preferences"), "Remove webhook")
	if slices.ContainsFunc(panel.Interactive(), func(c localdiscord.Component) bool {
		return c.Label == "Remove webhook"
	}) {
		t.Error("a webhook that is removed can be removed")
	}
	// A webhook can be set again only after some time, even if it was removed.
	reply, err = r.Server.Click(r.Ctx, jack, panel.ID, bottest.MenuOf(t, panel, "ask"))
	r.Must(err)
	bottest.Contains(t, "set at once again", r.Submit(jack, reply.Modal, opt("set", address)).Text(),
		"You can set another")
	clock.Advance(time.Minute)
	set()
	next("set once more", "test")
	r.Must(r.Privacy.Forget(r.Ctx, jack))
	if is, _, err := r.Hooks.Of(r.Ctx, jack); is || err != nil {
		t.Errorf("who was forgotten has a webhook: %v", err)
	}
}

// A failing webhook that is set again and again gets no more calls than one that is set once.
func TestWebhookSetAgainAndAgain(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	clock := manual.NewClock(time.Date(2024, 10, 4, 9, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Webhooks = bottest.RoundTripFunc(func(*http.Request) (*http.Response, error) {
			calls.Add(1)
			return &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody}, nil
		})
	}, func(o *localdiscord.Options) { o.Clock = clock })
	sets := 0
	for range 600 { // an attempt each second for ten minutes
		if _, err := r.Hooks.Set(r.Ctx, localdiscord.Jack, "https://hooks.example.org/x"); err == nil {
			sets++
		}
		clock.Advance(time.Second)
	}
	r.Eventually("it was called", func() bool { return calls.Load() > 0 })
	if n := calls.Load(); n > 6 || sets != 10 {
		t.Errorf("set %d times, and called %d times in ten minutes; want 10 and at most 6", sets, n)
	}
}

// An address of this machine in an unusual notation is refused as a webhook. If an earlier version has stored the
// address, it is not called.
func TestWebhookToThisMachine(t *testing.T) {
	t.Parallel()
	const channel, jack = localdiscord.TortugaTables, localdiscord.Jack
	var reached atomic.Int32
	inner := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer inner.Close()
	r := bottest.New(t)
	_, port, _ := strings.Cut(strings.TrimPrefix(inner.URL, "https://"), ":")
	panel := r.Command(jack, channel, "me preferences")
	reply, err := r.Server.Click(r.Ctx, jack, panel.ID, bottest.MenuOf(t, panel, "ask"))
	r.Must(err)
	typed := "https://0x7f.1:" + port + "/"
	bottest.Contains(t, "what is typed", r.Submit(jack, reply.Modal, localdiscord.Opt("set", typed)).Text(),
		"public on the internet")
	_, err = r.Hooks.Set(r.Ctx, jack, storage.Secret(typed)) // as if set by an earlier version
	r.Must(err)
	r.Eventually("it failed", func() bool {
		_, failed, err := r.Hooks.Of(r.Ctx, jack)
		return err == nil && failed > 0
	})
	if reached.Load() > 0 {
		t.Error("this machine was reached")
	}
}
