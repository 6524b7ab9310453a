package seek_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/storage"
)

// seeking returns a rig with a clock for the test, on a server with a channel for seeks.
func seeking(t *testing.T) (r *bottest.Rig, pass func(time.Duration)) {
	t.Helper()
	clock := bottest.MorningOf(20_000)
	r = bottest.New(t, func(o *localdiscord.Options) { o.Clock = clock })
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) {
		c.SeekChannel, c.Threads = localdiscord.TortugaTavern, choices.ThreadsAlways
	})
	return r, func(d time.Duration) { clock.Advance(d) }
}

// atTavern waits for a message with this text in the channel for seeks, and returns it.
func atTavern(r *bottest.Rig, what string) *localdiscord.Message {
	r.T.Helper()
	return r.Next(localdiscord.TortugaTavern, "", func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), what)
	})
}

// goingOf returns the active tables of a user.
func goingOf(r *bottest.Rig, user string) []table.Head {
	r.T.Helper()
	list, err := r.Tables.Lookup.ByUser(r.Ctx, user, storage.Active, 0, 10)
	if err != nil {
		r.T.Fatal(err)
	}
	return list
}

// Two users whose seeks fit are paired immediately. Their table opens in a thread under a message that pings them. One
// message lists the waiting users, and is edited.
func TestTwoWhoLookForAGame(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack, mary, bart := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Bart
	opt := localdiscord.Opt
	r, _ := seeking(t)
	bottest.Contains(t, "who waits", r.Command(anne, channel, "seek", opt("game", bottest.LoyalCaptain),
		opt("speed", "1d")).Text(),
		"You're looking for players in <#"+tavern+"> (Loyal Captain)")
	card := atTavern(r, "<@"+anne+"> (rating ")
	bottest.Contains(t, "the card", card.Text(), "Looking for a game", "**Loyal Captain**, 1 day per move")
	if len(card.Pinged) != 0 {
		t.Errorf("the card pings %v", card.Pinged)
	}
	bottest.Contains(t, "another speed", r.Command(mary, channel, "seek", opt("game", bottest.LoyalCaptain),
		opt("speed", "7d")).Text(),
		"You're looking for players")
	bottest.Contains(t, "another game", r.Command(bart, channel, "seek", opt("game", "madagascar")).Text(),
		"(Madagascar)")
	r.Edited(tavern, card.ID, "Madagascar")
	found := r.Command(jack, channel, "seek", opt("game", bottest.LoyalCaptain), opt("speed", "1d"))
	bottest.Contains(t, "who is paired", found.Text(), "You're playing Loyal Captain with <@"+anne+">")
	call := r.PostedSaying(tavern, "", "play Loyal Captain")
	r.Eventually("the message with Stop looking gone, for who has found a game, and there for who waits", func() bool {
		has := func(user string) bool {
			return slices.ContainsFunc(r.Server.Messages(channel, user), func(m *localdiscord.Message) bool {
				return m.EphemeralTo == user && bottest.HasButton(m, "Stop looking")
			})
		}
		return !has(anne) && has(mary)
	})
	if len(call.Pinged) != 2 {
		t.Errorf("called are %v, want both", call.Pinged)
	}
	turn := r.Next(call.ID, "", bottest.IsTurn)
	heads := goingOf(r, anne)
	if len(heads) != 1 || heads[0].Channel != call.ID || heads[0].Seat(jack) < 0 || heads[0].Status != table.Playing ||
		heads[0].Timing.Rule.Time != 24*time.Hour.Milliseconds() {
		t.Fatalf("anne's tables: %+v; want one with jack under the message %s", heads, call.ID)
	}
	r.Click(playerOf(r, heads[0], heads[0].ToMove), turn, "Move")
	gone(r, tavern, card.ID, "<@"+anne+">")
	after := r.Edited(tavern, card.ID, "7 days per move")
	bottest.Lacks(t, "the card", after.Text(), "<@"+anne+">", "<@"+jack+">")
	if n := count(r, tavern, "Looking for a game"); n != 1 {
		t.Errorf("there are %d cards, want one", n)
	}

	menu := bottest.MenuOf(t, after, "")
	bottest.Contains(t, "who answers", r.Choose(jack, after, menu, bart).Text(),
		"You're playing Madagascar with <@"+bart+">")
	r.PostedSaying(tavern, "", "play Madagascar")
	// an outdated message still has the menu
	bottest.Contains(t, "an answer to who looks no more", r.Forge(anne, after, menu, bart).Text(),
		"it's over, or it's your own")
	bottest.Contains(t, "who stops", r.Click(mary, after, "Stop looking").Text(),
		"You're no longer looking for a game")
	if empty := r.Edited(tavern, card.ID, "Nobody is looking"); bottest.HasButton(empty, "Stop looking") {
		t.Error("the card offers to stop, and nobody is looking")
	}
	bottest.Contains(t, "who stops again", r.Forge(mary, after, "seek-stop///").Text(), "You aren't looking")
	said := r.Command(mary, tavern, "seek")
	said = r.Click(mary, said, "Stop looking")
	if bottest.Contains(t, "who stops where they were told", said.Text(), "no longer looking"); bottest.HasButton(said,
		"Stop looking") {
		t.Error("who has stopped is offered to stop")
	}
}

// A user is not paired with a seek whose conditions they do not meet, or whose user has blocked them. If they choose
// that seek from the list, they get the reason. A user who lacks the server's required role cannot look for a game.
func TestSeeksThatDoNotFit(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	opt := localdiscord.Opt
	r, _ := seeking(t)
	if _, err := r.Tables.Choices.ChangePreferences(r.Ctx, mary,
		func(p *choices.Preferences) error { p.Blocked = []string{jack}; return nil }); err != nil {
		t.Fatal(err)
	}
	r.Command(mary, channel, "seek", opt("game", bottest.LoyalCaptain))
	r.Command(anne, channel, "seek", opt("game", "quedah-merchant"), opt("rating", "9000+"), opt("lessons", true))
	card := atTavern(r, "<@"+anne+">")
	bottest.Contains(t, "what is asked", card.Text(), "To join, you need a rating of 9000 or more")
	bottest.Contains(t, "who fits nobody", r.Command(jack, channel, "seek").Text(), "You're looking for players in")
	menu := bottest.MenuOf(t, card, "")
	bottest.Contains(t, "who does not meet it", r.Choose(jack, card, menu, anne).Text(),
		"To join, you need: a rating of 9000 or more (yours is ", "lessons of Quedah Merchant")
	bottest.Contains(t, "who is blocked", r.Choose(jack, card, menu, mary).Text(), "can't be invited")
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Asks.Role = "12345" })
	bottest.Contains(t, "who lacks the server's role", r.Command(anne, channel, "seek").Text(), "the role <@&12345>")
	if heads := goingOf(r, jack); len(heads) != 0 {
		t.Errorf("jack sits at %+v", heads)
	}
	if n := count(r, tavern, "We have a match"); n != 0 {
		t.Errorf("%d pairs were called", n)
	}
}

// A required role is checked again when a game is found. A player who has lost the role or left the server gets no
// seat. The other seeks continue, and so does that of the player who lost the role.
func TestRolesAreAskedForAgain(t *testing.T) {
	t.Parallel()
	const channel, tavern, loyal = localdiscord.TortugaTables, localdiscord.TortugaTavern, bottest.LoyalCaptain
	anne, jack, bart, opt := localdiscord.Anne, localdiscord.Jack, localdiscord.Bart, localdiscord.Opt
	r, _ := seeking(t)
	gunner, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "gunner", 0)
	r.Must(err)
	stranger := r.People(6)[5]
	r.Must(r.Server.Admin.SetRoles(localdiscord.Tortuga, anne, gunner))
	r.Command(anne, channel, "seek", opt("game", loyal))
	r.Must(r.Server.Admin.SetRoles(localdiscord.Tortuga, anne))
	r.Command(jack, channel, "seek", opt("game", loyal), opt("role", gunner))
	waiting := func(what string, users ...string) {
		t.Helper()
		r.Eventually(what, func() bool {
			now, err := r.Matchmaking.On(r.Ctx, localdiscord.Tortuga)
			return err == nil && len(now.Found)+len(now.Lapsed) == 0 && len(now.Waiting) == len(users) &&
				!slices.ContainsFunc(now.Waiting, func(s storage.Seek) bool { return !slices.Contains(users, s.User) })
		})
	}
	waiting("anne, who has lost the role, and jack look on", anne, jack)
	r.Command(stranger, channel, "seek", opt("game", "madagascar"))
	r.Must(r.Server.Admin.RemoveMember(localdiscord.Tortuga, stranger))
	r.Command(bart, channel, "seek", opt("game", "madagascar"))
	waiting("bart looks on, and not who has left the server", anne, jack, bart)
	if n := count(r, tavern, "We have a match"); n != 0 {
		t.Errorf("%d pairs were called", n)
	}
	r.Must(r.Server.Admin.SetRoles(localdiscord.Tortuga, anne, gunner))
	r.Command(anne, channel, "seek", opt("game", loyal))
	r.PostedSaying(tavern, "", "play Loyal Captain")
}

// Two users are paired only if each meets the other's conditions, including a role. This also applies if one of them
// chooses the other from the list. The form preselects the server's conditions, and its menus replace them.
func TestBothSidesOfASeekFit(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack, bart := localdiscord.Anne, localdiscord.Jack, localdiscord.Bart
	opt := localdiscord.Opt
	r, _ := seeking(t)
	role, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "Crew", 0)
	r.Must(err)
	r.Must(r.Server.Admin.SetRoles(localdiscord.Tortuga, bart, role))
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Asks.Finishes, c.Asks.Lessons = 50, true })
	r.Command(localdiscord.Mary, channel, "server panel")
	panel := r.Next(channel, "", func(m *localdiscord.Message) bool {
		return slices.ContainsFunc(m.Interactive(), func(c localdiscord.Component) bool {
			return c.Label == "Find me a game"
		})
	})
	form := r.Click(anne, panel, "Find me a game")
	bottest.Contains(t, "what the server asks for", form.Text(),
		"at least 50% of your games finished (if known) and the game's lessons done")
	form = r.Click(anne, form, "More conditions…")
	for _, menu := range []struct{ page, value string }{{"g4", "4"}, {"g5", "3"}, {"g6", "0"}} {
		form = r.Choose(anne, form, menuStarting(t, form, "seek-choose//"+menu.page+"/"), menu.value)
	}
	form = r.Choose(anne, form, menuStarting(t, form, "seek-choose//g99/"), role)
	form = r.Click(anne, form, "Back")
	bottest.Contains(t, "what is chosen", form.Text(), "a usual answer time of up to 12 hours",
		"at least 90% of your games finished",
		"<@&"+role+">")
	bottest.Lacks(t, "what is not", form.Text(), "lessons")
	r.Click(anne, form, "Look for a game")
	now, err := r.Matchmaking.On(r.Ctx, localdiscord.Tortuga)
	want := table.Conditions{Answers: 12, Finishes: 90, Role: role}
	if err != nil || len(now.Waiting) != 1 || now.Waiting[0].Conditions != want {
		t.Fatalf("anne looks for %+v, %v; want %+v", now.Waiting, err, want)
	}

	bottest.Contains(t, "who lacks the role", r.Command(jack, channel, "seek", opt("lessons", false)).Text(),
		"You're looking for players in")
	card := atTavern(r, "<@"+jack+">")
	bottest.Contains(t, "told so", r.Choose(jack, card, bottest.MenuOf(t, card, ""), anne).Text(),
		"To join, you need: the role <@&"+role+">")
	bottest.Contains(t, "the other way", r.Choose(anne, card, bottest.MenuOf(t, card, ""), jack).Text(),
		"<@"+jack+"> doesn't meet the conditions of your search")
	bottest.Contains(t, "who has it, and asks for it, too", r.Command(bart, channel, "seek",
		opt("game", bottest.LoyalCaptain),
		opt("lessons", false), opt("role", role)).Text(), "(Loyal Captain)")
	r.Click(anne, card, "Stop looking")
	card = atTavern(r, "<@"+jack+">")
	bottest.Contains(t, "who asks for nothing any more", r.Choose(anne, card, bottest.MenuOf(t, card, ""), jack).Text(),
		"You're playing")
	r.Eventually("their table", func() bool { return len(goingOf(r, anne)) == 1 })
	r.Edited(tavern, card.ID, "<@"+bart+">")
	r.Command(anne, channel, "seek", opt("game", bottest.LoyalCaptain), opt("role", role), opt("lessons", false))
	r.Command(bart, channel, "seek", opt("game", bottest.LoyalCaptain), opt("lessons", false))
	r.Eventually("his table", func() bool { return len(goingOf(r, bart)) == 1 })
	if heads := goingOf(r, bart); len(heads) != 1 || heads[0].Seat(anne) < 0 {
		t.Errorf("bart's tables: %+v; want one with anne", heads)
	}
}

// When its time is over, a seek ends and its user gets a silent direct message. If the user chose so, a computer takes
// the seat instead.
func TestSeeksEnd(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack := localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	r, pass := seeking(t)
	r.Command(anne, channel, "seek", opt("game", bottest.LoyalCaptain), opt("hours", 2))
	r.Command(localdiscord.Grace, channel, "seek", opt("game", bottest.LoyalCaptain), opt("hours", 3),
		opt("rating", "9000+")) // so that Grace is not paired with Anne
	form := r.Click(jack, atTavern(r, "Looking for a game"), "Find me a game")
	for _, menu := range []struct {
		page, value string
	}{{"g2", "1"}, {"g3", "1"}, {"g7", "1"}} { // ratings near the user's own, 6 hours, a computer
		form = r.Choose(jack, form, menuStarting(t, form, "seek-choose//"+menu.page+"/"), menu.value)
	}
	form = r.Choose(jack, form, menuStarting(t, form, "seek-choose///"), "3")
	bottest.Contains(t, "the form", r.Click(jack, form, "Look for a game").Text(), "a computer joins you", "Madagascar")
	card := r.Edited(tavern, atTavern(r, "Looking for a game").ID, "a computer joins")
	pass(2*time.Hour + time.Minute)
	card = r.Edited(tavern, card.ID, "Madagascar")
	gone(r, tavern, card.ID, "<@"+anne+">")
	if heads := goingOf(r, anne); len(heads) != 0 {
		t.Errorf("anne, whose seek has lapsed, sits at %+v", heads)
	}
	dm, err := r.Server.DM(anne)
	r.Must(err)
	letter := r.Next(dm, "", func(*localdiscord.Message) bool { return true })
	bottest.Contains(t, "who is told", letter.Text(), "Your search in <#"+tavern+"> (Loyal Captain) has ended")
	if letter.Flags&(1<<12) == 0 {
		t.Errorf("it is told aloud: flags %b", letter.Flags)
	}
	pass(4*time.Hour + time.Minute)
	call := r.PostedSaying(tavern, "", "a computer joins in")
	r.Next(call.ID, "", func(m *localdiscord.Message) bool { return strings.Contains(m.Text(), "<@"+jack+">") })
	heads := goingOf(r, jack)
	if len(heads) != 1 || len(heads[0].Seats) != 2 || heads[0].Status != table.Playing {
		t.Fatalf("jack's tables: %+v; want one with a computer", heads)
	}
	r.Edited(tavern, card.ID, "Nobody is looking")
	r.Eventually("everybody is told", func() bool {
		now, err := r.Matchmaking.On(r.Ctx, localdiscord.Tortuga)
		return err == nil && len(now.Lapsed) == 0
	})
	if n := count(r, dm, "has ended without a game"); n != 1 {
		t.Errorf("anne was told %d times", n)
	}
}

// A user whose seek has ended with a computer, and who looks again before the table is open, is told of the computer.
func TestLookingAgainBeforeTheTableWithAComputerIsOpen(t *testing.T) {
	t.Parallel()
	const tavern = localdiscord.TortugaTavern
	jack, opt := localdiscord.Jack, localdiscord.Opt
	r, pass := seeking(t)
	r.Command(jack, tavern, "seek", opt("game", bottest.LoyalCaptain), opt("hours", 1), opt("computer", true))
	atTavern(r, "Looking for a game")
	r.Server.AddFault(localdiscord.Fault{Method: "POST", Path: "/channels/" + tavern + "/messages", Status: 500,
		Body: "{}"})
	pass(time.Hour + time.Minute)
	r.Eventually("the computer", func() bool {
		now, err := r.Matchmaking.On(r.Ctx, localdiscord.Tortuga)
		return err == nil && len(now.Found) == 1
	})
	bottest.Contains(t, "looking again", r.Command(jack, tavern, "seek", opt("game", bottest.LoyalCaptain)).Text(),
		"You're playing Loyal Captain with a computer.")
	r.Log.Clear()
}

// A pairing is neither lost nor made twice if the bot restarts before it has posted the message or created the thread,
// or before it has Discord's answer.
func TestAPairingOutlivesARestart(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack := localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	for _, f := range []struct {
		name  string
		fault localdiscord.Fault
	}{
		{"before they are called", localdiscord.Fault{Method: "POST", Path: "/channels/" + tavern + "/messages",
			Status: 500, Body: "{}"}},
		{"before it is known that they are called", localdiscord.Fault{Method: "POST", Path: "/channels/" + tavern +
			"/messages", Lost: true}},
		{"before there is a thread", localdiscord.Fault{Method: "POST", Path: "/threads", Status: 500, Body: "{}"}},
		{"before it is known that there is one", localdiscord.Fault{Method: "POST", Path: "/threads", Lost: true}},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			r, pass := seeking(t)
			r.Command(anne, channel, "seek", opt("game", bottest.LoyalCaptain))
			atTavern(r, "Looking for a game")
			hit := len(r.Server.Requests())
			remove := r.Server.AddFault(f.fault)
			bottest.Contains(t, "who is paired", r.Command(jack, channel, "seek").Text(),
				"You're playing Loyal Captain")
			if err := r.Wait(func() bool {
				for _, q := range r.Server.Requests()[hit:] {
					if q.Method == "POST" && strings.Contains(q.Path, f.fault.Path) {
						return true
					}
				}
				return false
			}); err != nil {
				t.Fatal(err)
			}
			r.Stop()
			remove()
			r.Log.Clear()
			r.Start()
			pass(3 * time.Minute)
			call := r.PostedSaying(tavern, "", "We have a match")
			r.Next(call.ID, "", bottest.IsTurn)
			pass(3 * time.Minute)
			atTavern(r, "Nobody is looking")
			if heads := goingOf(r, anne); len(heads) != 1 || heads[0].Channel != call.ID {
				t.Errorf("anne's tables: %+v; want one under %s", heads, call.ID)
			}
			if n := count(r, tavern, "Loyal Captain"); n != 1 {
				t.Errorf("they are called %d times", n)
			}
		})
	}
}

// A user gets the server's role for pings with a button, and gives it back with the same button. A new seek pings the
// role unless the pause after the previous ping is still running. The settings warn about a role that the bot cannot
// ping.
func TestTheRoleOfThoseWhoAreCalled(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	opt := localdiscord.Opt
	r, pass := seeking(t)
	admin := r.Server.Admin
	role, err := admin.AddRole(localdiscord.Tortuga, "Crew", 0)
	if err != nil {
		t.Fatal(err)
	}
	page := r.SettingsPage(mary, channel, "seeks")
	page = r.Choose(mary, page, bottest.MenuOf(t, page, "seek-role"), role)
	bottest.Contains(t, "a role that not everybody may mention", page.Text(), "Nobody gets a ping yet",
		"ping <@&"+role+">", "in <#"+tavern+">")
	r.Must(admin.SetMentionable(localdiscord.Tortuga, role, true))
	page = r.Choose(mary, page, bottest.MenuOf(t, page, "seek-role"), role)
	bottest.Lacks(t, "a role that everybody may mention", page.Text(), "Nobody gets a ping yet")
	r.Choose(mary, page, bottest.MenuOf(t, page, "seek-pause"), "3")
	r.Command(anne, channel, "seek", opt("game", bottest.LoyalCaptain))
	card := atTavern(r, "<@"+anne+">")
	bottest.Contains(t, "without the permission", r.Click(jack, card, "Ping me: on / off").Text(),
		"I need the permission *Manage Roles*")
	above, err := admin.AddRole(localdiscord.Tortuga, "Bots", localdiscord.PermissionManageRoles)
	if err == nil {
		err = admin.SetRoles(localdiscord.Tortuga, localdiscord.Application, above)
	}
	if err != nil {
		t.Fatal(err)
	}
	bottest.Contains(t, "taken", r.Click(jack, card, "Ping me: on / off").Text(), "You now have the role <@&"+role+">")
	r.Command(mary, channel, "seek", opt("game", "madagascar"))
	card = r.Edited(tavern, card.ID, "Madagascar")
	pass(3*time.Hour + time.Minute)
	r.Command(mary, channel, "seek", opt("game", "freebooter"))
	called := r.Next(tavern, card.ID, func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "Freebooter")
	})
	if len(called.Pinged) != 1 || called.Pinged[0] != jack {
		t.Errorf("the card, posted anew, pings %v; want jack", called.Pinged)
	}
	if n := count(r, tavern, "Looking for a game"); n != 1 {
		t.Errorf("there are %d cards, want one", n)
	}
	bottest.Contains(t, "given back", r.Click(jack, called, "Ping me: on / off").Text(),
		"You've given the role <@&"+role+"> back")
}

// count returns the number of messages in a channel that everybody sees and that contain a text.
func count(r *bottest.Rig, channel, what string) (n int) {
	for _, m := range r.Server.Messages(channel, localdiscord.Anne) {
		if m.EphemeralTo == "" && strings.Contains(m.Text(), what) {
			n++
		}
	}
	return n
}

// gone waits until a message no longer contains a text.
func gone(r *bottest.Rig, channel, id, what string) {
	r.T.Helper()
	_, err := r.WaitMessage(channel, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return m.ID == id && !strings.Contains(m.Text(), what)
	})
	if err != nil {
		r.T.Fatal(err)
	}
}

// menuStarting returns the custom_id with this prefix among a message's menus.
func menuStarting(t *testing.T, m *localdiscord.Message, begin string) string {
	t.Helper()
	for _, c := range m.Interactive() {
		if strings.HasPrefix(c.CustomID, begin) {
			return c.CustomID
		}
	}
	t.Fatalf("no menu %q in: %s", begin, m.Text())
	return ""
}

func playerOf(r *bottest.Rig, h table.Head, seat games.Seat) string { return h.Seats[seat].User }
