package webhook

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"marque/bot/table"
	"marque/storage"
)

// No webhook reaches an address that is not public, however it is written.
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
		if err := onlyPublic("tcp", netip.AddrPortFrom(at, 443).String(), nil); (err == nil) != public(at) {
			t.Errorf("dialling %s: %v", a, err)
		}
	}
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "::ffff:8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1",
		"2606:4700::1111", "2a01:4f8::1"} {
		if !public(netip.MustParseAddr(a)) {
			t.Errorf("%s does not count as public", a)
		}
	}
	if onlyPublic("tcp", "example.org:443", nil) == nil {
		t.Error("a name was dialled without being looked up")
	}
}

// Input that is no address for a webhook is refused at once, where the user sees it.
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
		"https://e.org/" + strings.Repeat("x", 400):        "bot.error.webhook-address",
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
		"https://metadata.google.internal/computeMetadata": "", // refused when it is dialled
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

// Nothing connects to this machine, by number or by name, and no redirect is followed, even when the first address is
// allowed.
func TestNoWayIn(t *testing.T) {
	var reached, inner atomic.Int32
	private := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inner.Add(1) }))
	defer private.Close()
	outer := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		reached.Add(1)
		http.Redirect(w, q, private.URL, http.StatusTemporaryRedirect)
	}))
	defer outer.Close()
	call := func(at string) *table.WebhookCall {
		return &table.WebhookCall{WebhookCall: storage.WebhookCall{ID: "c", Event: "test"}, Address: storage.Secret(at),
			Key: "a2V5"}
	}
	t.Setenv("HTTPS_PROXY", outer.URL)
	guarded := New(Config{})
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

// The signature is the one of the example in the specification of Standard Webhooks.
func TestSignature(t *testing.T) {
	got, err := sign("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330",
		[]byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want || err != nil {
		t.Errorf("the signature is %s, %v, want %s", got, err, want)
	}
}
