package lobby_test

import (
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// Users who are not on the server can neither be invited nor become the host of a table, although Discord lets people
// name them.
func TestStrangersAreNotInvited(t *testing.T) {
	t.Parallel()
	const anne, channel = localdiscord.Anne, bottest.Tavern
	opt := localdiscord.Opt
	r := bottest.New(t)
	stranger := r.Server.Admin.AddUser("Stranger")
	refused := func(what string, m *localdiscord.Message) {
		t.Helper()
		bottest.Contains(t, what, m.Text(), "<@"+stranger+"> isn't on this server.")
	}
	refused("/play", r.Command(anne, channel, "play", opt("game", bottest.LoyalCaptain), opt("opponent", stranger)))
	refused("the form", r.Submit(anne, form(r, anne, channel, "play"), opt("game", bottest.LoyalCaptain),
		opt("people", []string{stranger})))
	reply, err := r.Server.Menu(r.Ctx, anne, channel, "Challenge", stranger)
	refused("the context menu", r.Answer(reply, err, "the context menu"))
	r.Lobby(anne, channel, opt("game", bottest.LoyalCaptain), opt("players", 2))
	refused("/table invite", r.Command(anne, channel, "table invite", opt("who", stranger)))
	refused("/table host", r.Command(anne, channel, "table host", opt("who", stranger)))
	if snap := r.Published(1); len(snap.Invited()) > 0 || snap.Host != anne {
		t.Errorf("the table of %s keeps seats for %v", snap.Host, snap.Invited())
	}
	if n := len(r.Server.Messages(channel, localdiscord.Jack)); n != 1 {
		t.Errorf("there are %d messages in the channel, want the one table alone", n)
	}
}
