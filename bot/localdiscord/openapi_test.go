package localdiscord

import (
	"testing"

	"marque/bot/localdiscord/openapi"
)

// asDescribed checks the answers and events of a server against Discord's description, if that is available.
func asDescribed(t testing.TB, opts *Options) {
	d, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	if d == nil {
		return
	}
	opts.OnRequest = func(r Request) {
		if r.Route == tokenRoute {
			return // the description lacks the route
		}
		if err := d.Answer(r.Method, r.Route, r.Status, r.Response); err != nil {
			t.Errorf("the answer to %s %s is not what Discord describes: %v\n%s", r.Method, r.Path, err, r.Response)
		}
	}
	opts.OnEvent = func(event string, content []byte) {
		if err := d.Event(event, content); err != nil {
			t.Errorf("an event is not what Discord describes: %v\n%s", err, content)
		}
	}
}
