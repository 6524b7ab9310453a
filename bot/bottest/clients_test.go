package bottest

import (
	"fmt"
	"strings"
	"testing"
)

// ClientFaults reports boxes, selects, file uploads and radio groups that phones or other clients show wrongly, and
// does not report correct ones.
func TestClientFaultsAreFound(t *testing.T) {
	form := func(component string) string {
		return fmt.Sprintf(`{"type":9,"data":{"custom_id":"f","title":"F","components":[%s]}}`, component)
	}
	inLabel := func(help, component string) string {
		return form(fmt.Sprintf(`{"type":18,"label":"L","description":%q,"component":%s}`, help, component))
	}
	message := func(component string) string {
		return fmt.Sprintf(`{"components":[{"type":17,"components":[{"type":1,"components":[%s]}]}]}`, component)
	}
	const radio = `{"type":21,"custom_id":"r","options":[{"label":"A","value":"a","default":true},
		{"label":"B","value":"b","default":false}]}`
	for _, c := range []struct{ body, want string }{
		{`no JSON`, ""},
		{inLabel("", `{"type":23,"custom_id":"c"}`), "c: it is not said whether it is ticked"},
		{inLabel("", `{"type":23,"custom_id":"c","default":false}`), ""},
		{inLabel("", `{"type":22,"custom_id":"c","min_values":0,"required":false,
			"options":[{"label":"A","value":"a"}]}`), "c: it is not said whether a is chosen"},
		{inLabel("", `{"type":3,"custom_id":"s","options":[{"label":"A","value":"a"}]}`),
			"s: it is not said whether a is chosen"},
		{inLabel("", `{"type":3,"custom_id":"s","options":[{"label":"A","value":"a","default":false}]}`), ""},
		{inLabel("", `{"type":3,"custom_id":"s","required":false,"options":[]}`), "min_values <nil>: a phone"},
		{inLabel("", `{"type":3,"custom_id":"s","min_values":0,"options":[]}`), "required is <nil>"},
		{inLabel("", `{"type":5,"custom_id":"s","required":false,"min_values":0}`), ""},
		{inLabel("", `{"type":8,"custom_id":"s","required":false}`), "a phone cannot"},
		{inLabel("", `{"type":6,"custom_id":"s"}`), "min_values is not said"},
		{inLabel("", `{"type":19,"custom_id":"u","required":false}`), "a phone cannot"},
		{inLabel("", `{"type":19,"custom_id":"u"}`), ""},
		{inLabel("", radio), "r: no help"},
		{inLabel("Now A.", radio), ""},
		{message(`{"type":7,"custom_id":"m"}`), "m: min_values is not said"},
		{message(`{"type":7,"custom_id":"m","min_values":0}`), ""},
		{message(`{"type":3,"custom_id":"m","options":[{"label":"A","value":"a"}]}`), "m: it is not said"},
	} {
		if got := strings.Join(ClientFaults([]byte(c.body)), "; "); c.want == "" && got != "" ||
			!strings.Contains(got, c.want) {
			t.Errorf("%s: %q is found, want %q", c.body, got, c.want)
		}
	}
}
