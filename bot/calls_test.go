package bot_test

import (
	"slices"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/table"
)

// Whoever likes is called by direct message, in the channel, or both; in the channel, too, where
// nothing can be written to them.
func TestCalledAsOneLikes(t *testing.T) {
	t.Parallel()
	const channel, anne, jack = localdiscord.TortugaTables, localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	for _, want := range []struct {
		value        string
		closed       bool
		here, letter bool
	}{{"channel", false, true, false}, {"direct", false, false, true}, {"both", false, true, true},
		{"direct", true, true, false}} {
		r := newRig(t)
		panel := r.command(jack, channel, "me preferences")
		r.choose(jack, panel, menuOf(t, panel, "calls"), want.value)
		dm, err := r.srv.DM(jack)
		if err != nil {
			t.Fatal(err)
		}
		if want.closed {
			r.srv.AddFault(localdiscord.Fault{Method: "POST", Path: "/channels/" + dm + "/messages", Status: 403,
				Body: `{"message": "Cannot send messages to this user", "code": 50007}`})
		}
		lobby := r.lobby(anne, channel, opt("game", captain), opt("opponent", jack))
		if got := slices.Contains(lobby.Pinged, jack); got != want.here {
			t.Errorf("%+v: pinged in the channel: %v", want, got)
		}
		letters := slices.DeleteFunc(r.srv.Messages(dm, jack), func(m *localdiscord.Message) bool {
			return !strings.Contains(m.Text(), "waits for you")
		})
		if (len(letters) == 1) != want.letter || len(letters) > 1 {
			t.Errorf("%+v: %d letters", want, len(letters))
		}
		if p, err := r.tables.Choices.Preferences(r.ctx, jack); err != nil ||
			p.Calls != table.Calls(strings.TrimPrefix(want.value, "channel")) {
			t.Errorf("%+v: preferred is %q, %v", want, p.Calls, err)
		}
	}
}
