package lobby_test

import (
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
)

// A profile lists the most frequent opponents, and a button lists all of them in pages. A user can hide this list from
// others, and is then named in an opponent's list only to the two of them. A server can switch the lists off.
func TestRivals(t *testing.T) {
	t.Parallel()
	const channel = localdiscord.TortugaTables
	anne, mary := localdiscord.Anne, localdiscord.Mary
	r := bottest.New(t)
	met := r.People(13)[1:]
	for i, p := range met {
		winner, loser := anne, p
		if i == 3 {
			winner, loser = p, anne
		}
		r.Resigned(channel, bottest.SeatsOf(t, 2), winner, loser)
	}
	r.Resigned(channel, bottest.SeatsOf(t, 2), anne, met[7])
	profile := func(by string) *localdiscord.Message {
		return r.Command(by, channel, "profile", localdiscord.Opt("player", anne))
	}
	first := profile(mary)
	bottest.Contains(t, "the profile", first.Text(), "Head to head",
		"<@"+met[7]+">: 2 games, 2 won, 0 lost, 0 undecided, last played <t:",
		"<@"+met[11]+">: 1 game")
	if n := strings.Count(first.Text(), "undecided, last"); n != 5 {
		t.Errorf("the profile lists %d opponents, want 5: %s", n, first.Text())
	}
	all := r.Click(mary, first, "All 12 opponents")
	bottest.Contains(t, "all of them", all.Text(), "12 opponents", "<@"+met[3]+">: 1 game, 0 won, 1 lost")
	if n := strings.Count(all.Text(), "undecided, last"); n != 10 {
		t.Errorf("a page has %d opponents, want 10: %s", n, all.Text())
	}
	second := r.Click(mary, all, "▶")
	if n := strings.Count(second.Text(), "undecided, last"); n != 2 {
		t.Errorf("the second page has %d opponents, want 2: %s", n, second.Text())
	}

	// A user who hides the list is named in an opponent's list only to these two users.
	hides := func(user string) {
		panel := r.Command(user, channel, "me preferences")
		reply, err := r.Server.Select(r.Ctx, user, panel.ID, bottest.MenuOf(t, panel, "shown"))
		r.Answer(reply, err, "what others see")
	}
	hides(met[7])
	bottest.Contains(t, "the list without one", profile(mary).Text(), "somebody who keeps this private: 2 games")
	for _, who := range []string{anne, met[7]} {
		bottest.Contains(t, "the list as a player sees it", profile(who).Text(), "<@"+met[7]+">: 2 games")
	}
	r.Stop()
	r.Start()
	hides(anne)
	if said := profile(mary).Text(); strings.Contains(said, "Head to head") {
		t.Errorf("others see what Anne hides: %s", said)
	}
	bottest.Contains(t, "the button pressed late", r.Click(mary, first, "All 12 opponents").Text(),
		"the player keeps it private")
	bottest.Contains(t, "what Anne sees", profile(anne).Text(), "Head to head", "<@"+met[7]+">: 2 games")
	shared := r.Command(anne, channel, "profile", localdiscord.Opt("share", true))
	if strings.Contains(shared.Text(), "Head to head") {
		t.Errorf("everybody sees what Anne hides: %s", shared.Text())
	}
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Without.Rivals = true })
	if said := profile(anne).Text(); strings.Contains(said, "Head to head") {
		t.Errorf("the server does without, and yet: %s", said)
	}
}
