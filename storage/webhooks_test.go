package storage_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"

	"marque/storage"
)

// A webhook's secrets do not appear when the webhook is printed or logged.
func TestASecretIsShownNowhere(t *testing.T) {
	const word = "hush"
	secret := storage.Secret(word)
	hook := storage.Webhook{Address: secret, Key: secret}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&out, verb+"\n"+verb+"\n", secret, hook)
	}
	for _, log := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(log).Info("set", "secret", secret, "hook", hook)
	}
	if bytes.Contains(out.Bytes(), []byte(word)) || bytes.Contains(out.Bytes(), fmt.Appendf(nil, "%x", word)) {
		t.Errorf("it is shown:\n%s", &out)
	}
}
