package bottest

import (
	"bytes"
	"net/http"
	"slices"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/localdiscord/openapi"
)

// unforeseen are parts of the answers with which Discord may refuse the bot's requests although the requests are
// correct. Examples are an archived thread, too many threads, a text that a server's moderation rejects, and a thread
// or an answer to an interaction that exists because the reply to the first request was lost.
var unforeseen = [][]byte{[]byte(`"code":50083`), []byte(`"code":160006`), []byte(`"code":50008`),
	[]byte(`"CONTAINS_BARRED_WORD"`), []byte(`"code":20009`), []byte(`"code":200000`), []byte(`"code":240000`),
	[]byte(`"code":40060`), []byte(`"code":160004`), []byte(`"code":50106`), []byte(`"error":"invalid_grant"`)}

// validateRequest returns a hook that checks the bot's requests. It fails the test if Discord's OpenAPI description,
// where it is available, does not allow a request or its answer, if the request is refused as invalid, or if some
// clients show it wrongly.
func validateRequest(t testing.TB) func(localdiscord.Request) {
	d, err := openapi.Load()
	if err != nil {
		t.Fatalf("%s: %v", openapi.Variable, err)
	}
	return func(r localdiscord.Request) {
		if r.Status == http.StatusBadRequest && !slices.ContainsFunc(unforeseen, func(code []byte) bool {
			return bytes.Contains(r.Response, code)
		}) {
			t.Errorf("%s %s was refused: %s\n%s", r.Method, r.Path, r.Response, r.Body)
		}
		if err := d.Request(r.Method, r.Route, r.Body); err != nil {
			t.Errorf("%s %s is not what Discord describes:\n%v\n%s", r.Method, r.Route, err, r.Body)
		}
		for _, fault := range ClientFaults(r.Body) {
			t.Errorf("%s %s: %s\n%s", r.Method, r.Path, fault, r.Body)
		}
		if r.Status >= 300 { // answers of injected faults are arbitrary
			return
		}
		if err := d.Answer(r.Method, r.Route, r.Status, r.Response); err != nil {
			t.Errorf("the answer to %s %s is not what Discord describes:\n%v\n%s", r.Method, r.Route, err, r.Response)
		}
	}
}

// validateEvent returns a hook that fails the test if Discord's OpenAPI description does not allow an event of the
// local Discord.
func validateEvent(t testing.TB) func(event string, content []byte) {
	d, err := openapi.Load()
	if err != nil {
		t.Fatalf("%s: %v", openapi.Variable, err)
	}
	return func(event string, content []byte) {
		if err := d.Event(event, content); err != nil {
			t.Errorf("an event is not what Discord describes:\n%v\n%s", err, content)
		}
	}
}
