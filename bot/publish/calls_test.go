package publish_test

import (
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
)

// Users are pinged in the way they chose: by direct message, in the channel, or both. Users who accept no direct
// messages are pinged in the channel.
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
		r := bottest.New(t)
		panel := r.Command(jack, channel, "me preferences")
		r.Choose(jack, panel, bottest.MenuOf(t, panel, "calls"), want.value)
		dm, err := r.Server.DM(jack)
		if err != nil {
			t.Fatal(err)
		}
		if want.closed {
			r.Server.AddFault(localdiscord.Fault{Method: "POST", Path: "/channels/" + dm + "/messages", Status: 403,
				Body: `{"message": "Cannot send messages to this user", "code": 50007}`})
		}
		lobby := r.Lobby(anne, channel, opt("game", bottest.LoyalCaptain), opt("opponent", jack))
		if got := slices.Contains(lobby.Pinged, jack); got != want.here {
			t.Errorf("%+v: pinged in the channel: %v", want, got)
		}
		letters := slices.DeleteFunc(r.Server.Messages(dm, jack), func(m *localdiscord.Message) bool {
			return !strings.Contains(m.Text(), "is waiting for you")
		})
		if (len(letters) == 1) != want.letter || len(letters) > 1 {
			t.Errorf("%+v: %d letters", want, len(letters))
		}
		if p, err := r.Tables.Choices.Preferences(r.Ctx, jack); err != nil ||
			p.Calls != choices.Calls(strings.TrimPrefix(want.value, "channel")) {
			t.Errorf("%+v: preferred is %q, %v", want, p.Calls, err)
		}
	}
}
