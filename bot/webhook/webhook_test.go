package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/timesource/manual"
	"marque/storage"
)

func anywhere(netip.Addr) bool { return true }

// The function that dialling returns refuses addresses that are not public, and a name that has not been resolved.
func TestOnlyPublicAddresses(t *testing.T) {
	for a := range strings.FieldsSeq(`
		127.0.0.1 127.9.9.9 ::1 0.0.0.0 :: 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 fe80::1
		fe80::1%eth0 fc00::1 fd12:3456::1 fec0::1 224.0.0.1 239.1.1.1 ff02::1 100.64.0.1 100.127.255.255
		255.255.255.255 240.0.0.1 198.18.0.1 192.0.0.8 192.0.2.1 198.51.100.1 203.0.113.1 192.88.99.1
		::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1::1 2001::1
		2001:db8::1 3fff::1 100::1 5f00::1 4000::1`) {
		at := netip.MustParseAddr(a)
		if public(at) {
			t.Errorf("%s counts as public", a)
		}
		err := dialling(anywhere)("tcp", netip.AddrPortFrom(at, 443).String(), nil)
		if (err == nil) != public(at) {
			t.Errorf("dialling %s: %v", a, err)
		}
	}
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "::ffff:8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1",
		"2606:4700::1111", "2a01:4f8::1"} {
		if !public(netip.MustParseAddr(a)) {
			t.Errorf("%s does not count as public", a)
		}
	}
	if dialling(anywhere)("tcp", "example.org:443", nil) == nil {
		t.Error("a name was dialled without being looked up")
	}
}

// Parse accepts valid webhook addresses, and refuses others with the reason.
func TestWhatIsTyped(t *testing.T) {
	for typed, want := range map[string]string{
		"https://example.org/a?b=c#d":                      "",
		" https://example.org:8443/ ":                      "",
		"https://[2606:4700::1111]/":                       "",
		"http://example.org/":                              "bot.error.webhook-address",
		"ftp://example.org/":                               "bot.error.webhook-address",
		"example.org":                                      "bot.error.webhook-address",
		"https://":                                         "bot.error.webhook-address",
		"https:example.org":                                "bot.error.webhook-address",
		"https://ann:word@example.org/":                    "bot.error.webhook-address",
		"https://exa mple.org/":                            "bot.error.webhook-address",
		"https://e.org/" + strings.Repeat("x", 387):        "bot.error.webhook-long",
		"https://e.org/" + strings.Repeat("x", 386):        "",
		"https://e.org/" + strings.Repeat("ü", 65):         "bot.error.webhook-long", // 144 bytes, 404 when encoded
		"https://localhost/":                               "bot.error.webhook-private",
		"https://LOCALHOST./":                              "bot.error.webhook-private",
		"https://127.0.0.1/":                               "bot.error.webhook-private",
		"https://127.0.0.1./":                              "bot.error.webhook-private",
		"https://2130706433/":                              "bot.error.webhook-private",
		"https://[::1]/":                                   "bot.error.webhook-private",
		"https://[::ffff:10.0.0.1]:8443/":                  "bot.error.webhook-private",
		"https://169.254.169.254/latest/meta-data":         "bot.error.webhook-private",
		"https://example.org/" + strings.Repeat("y", 20):   "",
		"https://router/admin":                             "bot.error.webhook-private",
		"https://metadata.google.internal/computeMetadata": "bot.error.webhook-private",
		"https://0177.0.0.1/":                              "bot.error.webhook-private",
		"https://127.1/":                                   "bot.error.webhook-private",
		"https://0x7f.1:8443/":                             "bot.error.webhook-private",
		"https://hooks.0x7F000001/":                        "bot.error.webhook-private",
		"https://1.2.3.4.5/":                               "bot.error.webhook-private",
		"https://example.08/":                              "bot.error.webhook-private",
		"https://printer.local/":                           "bot.error.webhook-private",
		"https://a.localhost/":                             "bot.error.webhook-private",
		"https://nas.home.arpa./":                          "bot.error.webhook-private",
		"https://abc.onion/":                               "bot.error.webhook-private",
		"https://a.test/":                                  "bot.error.webhook-private",
		"https://[fe80::1%25eth0]/":                        "bot.error.webhook-private",
		"https://[2606:4700::1111%251]/":                   "bot.error.webhook-private",
		"https://①②⑦.⓪.⓪.①/":                               "bot.error.webhook-name",
		"https://example。org/":                             "bot.error.webhook-name",
		"https://example..org/":                            "bot.error.webhook-name",
		"https://-example.org/":                            "bot.error.webhook-name",
		"https://xn--mnchen-3ya.example.org/":              "",
		"https://a_b.example.org/":                         "",
		"https://discord.com/api/webhooks/1/x":             "bot.error.webhook-discord",
		"https://DISCORD.com./api/v10/gateway":             "bot.error.webhook-discord",
		"https://canary.discord.com/api":                   "bot.error.webhook-discord",
		"https://discordapp.com/api":                       "bot.error.webhook-discord",
		"https://cdn.discordapp.com/":                      "bot.error.webhook-discord",
		"https://media.discordapp.net/":                    "bot.error.webhook-discord",
		"https://gateway.discord.gg/":                      "bot.error.webhook-discord",
		"https://notdiscord.com/":                          "",
		"https://example.org:0/":                           "bot.error.webhook-port",
		"https://example.org:25/":                          "bot.error.webhook-port",
		"https://example.org:99999/":                       "bot.error.webhook-port",
		"https://example.org:65535/":                       "",
		"https://example.org:443/":                         "",
	} {
		got, err := Parse(typed)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || err.Error() != want):
			t.Errorf("%q: %v, want %q", typed, err, want)
		case err == nil && strings.Contains(got.Reveal(), "#"):
			t.Errorf("%q became %q", typed, got.Reveal())
		}
	}
}

// The default transport sends no request to this machine, whether given by address or by name, nor to a proxy from the
// environment. No redirect is followed.
func TestNoWayIn(t *testing.T) {
	var reached, inner atomic.Int32
	private := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inner.Add(1) }))
	defer private.Close()
	outer := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		reached.Add(1)
		http.Redirect(w, q, private.URL, http.StatusTemporaryRedirect)
	}))
	defer outer.Close()
	call := func(at string) *Call {
		return &Call{WebhookCall: storage.WebhookCall{ID: "c", Event: "test"}, Address: storage.Secret(at),
			Key: "a2V5"}
	}
	t.Setenv("HTTPS_PROXY", outer.URL)
	clock := manual.NewClock(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC))
	guarded := New(Config{Clock: clock})
	_, port, _ := strings.Cut(strings.TrimPrefix(private.URL, "https://"), ":")
	for _, at := range []string{private.URL, "https://localhost:" + port, "https://[::ffff:127.0.0.1]:" + port,
		"https://2130706433:" + port, "https://0x7f.1:" + port, "https://0:" + port} {
		err := guarded.send(t.Context(), call(at))
		if err == nil || inner.Load() > 0 || reached.Load() > 0 {
			t.Errorf("%s: %v, reached %d times", at, err, inner.Load())
		}
		if err != nil && (strings.Contains(err.Error(), port) || strings.Contains(err.Error(), "127")) {
			t.Errorf("the error holds the address: %v", err)
		}
	}
	if err := guarded.send(t.Context(), call(private.URL)); !errors.Is(err, errNotPublic) {
		t.Errorf("this machine: %v, want %v", err, errNotPublic)
	}
	open := New(Config{Through: outer.Client().Transport})
	err := open.send(t.Context(), call(outer.URL))
	if err == nil || err.Error() != "the answer 307" || inner.Load() > 0 || reached.Load() != 1 {
		t.Errorf("a redirect: %v, its target was reached %d times", err, inner.Load())
	}
}

// The calls of a user, the calls to a host and all calls are limited in each window, to fewer if they fail. The
// connections to a network are limited, too.
func TestLimits(t *testing.T) {
	now := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	tries := func(l *limits, at time.Time, failing bool, user, host func(i int) string) (n int) {
		for i := range 2 * ofAll {
			if _, ok := l.take(at, user(i), host(i)); ok {
				if n++; failing {
					l.failed(at, user(i), host(i))
				}
			}
		}
		return n
	}
	one := func(int) string { return "one" }
	many := func(i int) string { return fmt.Sprint(i) }
	for what, c := range map[string]struct {
		failing    bool
		user, host func(int) string
		want       int
	}{
		"a user and a host":       {false, one, one, 30},
		"a user with many hosts":  {false, one, many, 30},
		"a user that fails":       {true, one, many, 6},
		"many users and one host": {false, many, one, 300},
		"a host that fails":       {true, many, one, 60},
		"all":                     {false, many, many, 5000},
		"all that fails":          {true, many, many, 1000},
	} {
		var l limits
		if got := tries(&l, now, c.failing, c.user, c.host); got != c.want {
			t.Errorf("%s: %d calls in ten minutes, want %d", what, got, c.want)
		}
		wait, _ := l.take(now, "one", "one")
		if got := tries(&l, now.Add(window), c.failing, c.user, c.host); got != c.want || !wait.IsZero() &&
			!wait.Equal(now.Add(window)) {
			t.Errorf("%s: %d calls in the next ten minutes, to be tried again at %v", what, got, wait)
		}
	}
	var l limits
	dialled := 0
	for i := range 1000 { // addresses of one network
		if l.dial(now, netip.AddrFrom16([16]byte{0x2a, 1, 4, 0xf8, 0, 1, 14: byte(i >> 8), 15: byte(i)})) {
			dialled++
		}
	}
	if dialled != ofTarget {
		t.Errorf("a network was dialled %d times, want %d", dialled, ofTarget)
	}
}

// Addresses of Discord and of this machine that an earlier version stored are not called.
func TestStoredBefore(t *testing.T) {
	asked := 0
	c := New(Config{Clock: manual.NewClock(time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)),
		Through: through(func(*http.Request) (*http.Response, error) {
			asked++
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		})})
	for at, want := range map[string]error{"https://discord.com/api/v10/users/@me": errNotPublic,
		"https://127.1/": errNotPublic, "https://example.org/": nil} {
		_, err := c.try(t.Context(), "1", &Call{Address: storage.Secret(at), Key: "a2V5"})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", at, err, want)
		}
	}
	if asked != 1 {
		t.Errorf("%d requests were sent, want the one to example.org", asked)
	}
}

type through func(*http.Request) (*http.Response, error)

func (f through) RoundTrip(q *http.Request) (*http.Response, error) { return f(q) }

// The fields of a call have the names in docs/webhooks.md. Empty fields are left out.
func TestFieldsOfACall(t *testing.T) {
	const at = "2026-11-23T20:15:00Z"
	for b, want := range map[body]string{
		{ID: "a", Event: "round", At: at, Game: "pirat", Table: 12, Cup: 3, URL: "https://c"}: `{"id":"a",` +
			`"event":"round","at":"` + at + `","game":"pirat","table":12,"competition":3,"url":"https://c"}`,
		{ID: "b", Event: "test", At: at}: `{"id":"b","event":"test","at":"` + at + `"}`,
	} {
		if got, err := json.Marshal(b); string(got) != want || err != nil {
			t.Errorf("a call is %s, %v; want %s", got, err, want)
		}
	}
}

// The signature equals the one in the tests of the Standard Webhooks libraries.
func TestSignature(t *testing.T) {
	got, err := sign("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
		[]byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("the signature is %s, %v, want %s", got, err, want)
	}
}
