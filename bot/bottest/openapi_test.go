package bottest

import (
	"net/http"
	"testing"

	"marque/bot/localdiscord/openapi"
)

func TestRequestsAreCheckedAgainstDiscordsDescription(t *testing.T) {
	d, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		t.Skipf("%s is not set, so the requests of these tests are checked by the local Discord alone",
			openapi.Variable)
	}
	if err := d.Request(http.MethodPost, "/channels/{channel_id}/messages", []byte(`{"content":7}`)); err == nil {
		t.Error("a message whose content is a number is accepted")
	}
}
