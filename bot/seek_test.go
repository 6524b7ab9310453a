package bot_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games"
	"marque/storage"
)

// seeking is a rig whose clock a test moves, on a server that has named a channel for those who look for a game.
func seeking(t *testing.T) (r *rig, pass func(time.Duration)) {
	t.Helper()
	clock := atMorning(20_000)
	r = newRig(t, func(o *localdiscord.Options) { o.Clock = clock })
	r.configure(localdiscord.Tortuga, func(c *table.Settings) {
		c.SeekChannel, c.Threads = localdiscord.TortugaTavern, table.ThreadsAlways
	})
	return r, func(d time.Duration) { clock.Advance(d) }
}

// atTavern waits for a message of the channel where people look for a game that says something.
func (r *rig) atTavern(what string) *localdiscord.Message {
	r.t.Helper()
	return r.next(localdiscord.TortugaTavern, "", func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), what)
	})
}

// posted waits for a message after another that says something when it is posted. Later it may be the card of a table,
// and say something else.
func (r *rig) posted(channel, after, what string) *localdiscord.Message {
	r.t.Helper()
	words, err := json.Marshal(what)
	r.must(err)
	var m struct{ ID string }
	r.eventually("a message that says "+what, func() bool {
		return slices.ContainsFunc(r.srv.Requests(), func(q localdiscord.Request) bool {
			return q.Method == http.MethodPost && q.Path == "/channels/"+channel+"/messages" &&
				bytes.Contains(q.Body, bytes.Trim(words, `"`)) && json.Unmarshal(q.Response, &m) == nil &&
				later(m.ID, after)
		})
	})
	return r.edited(channel, m.ID, "")
}

// goingOf are the tables at which somebody sits.
func (r *rig) goingOf(user string) []table.Head {
	r.t.Helper()
	list, err := r.tables.Lookup.ByUser(r.ctx, user, storage.Active, 0, 10)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// Two who look for a game are paired at once when their wishes fit, the better fit first; their
// table opens in a thread under a message that calls them. Who waits stands on one card, which is
// edited.
func TestTwoWhoLookForAGame(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack, mary, bart := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Bart
	opt := localdiscord.Opt
	r, _ := seeking(t)
	has(t, "who waits", r.command(anne, channel, "seek", opt("game", captain), opt("speed", "1d")).Text(),
		"You are looking for Loyal Captain in <#"+tavern+">")
	card := r.atTavern("<@" + anne + "> (rating ")
	has(t, "the card", card.Text(), "Looking for a game", "**Loyal Captain**, 1 day a move")
	if len(card.Pinged) != 0 {
		t.Errorf("the card pings %v", card.Pinged)
	}
	has(t, "another speed", r.command(mary, channel, "seek", opt("game", captain), opt("speed", "7d")).Text(),
		"You are looking for")
	has(t, "another game", r.command(bart, channel, "seek", opt("game", "madagascar")).Text(),
		"You are looking for Madagascar")
	r.edited(tavern, card.ID, "Madagascar")
	found := r.command(jack, channel, "seek", opt("game", captain), opt("speed", "1d"))
	has(t, "who is paired", found.Text(), "You play Loyal Captain with <@"+anne+">")
	call := r.posted(tavern, "", "found each other for Loyal Captain")
	if len(call.Pinged) != 2 {
		t.Errorf("called are %v, want both", call.Pinged)
	}
	turn := r.next(call.ID, "", isTurn)
	heads := r.goingOf(anne)
	if len(heads) != 1 || heads[0].Channel != call.ID || heads[0].Seat(jack) < 0 || heads[0].Status != table.Playing ||
		heads[0].Timing.Rule.Time != 24*time.Hour.Milliseconds() {
		t.Fatalf("anne's tables: %+v; want one with jack under the message %s", heads, call.ID)
	}
	r.click(r.playerOf(heads[0], heads[0].ToMove), turn, "Move")
	r.gone(tavern, card.ID, "<@"+anne+">")
	after := r.edited(tavern, card.ID, "7 days a move")
	hasnt(t, "the card", after.Text(), "<@"+anne+">", "<@"+jack+">")
	if n := r.count(tavern, "Looking for a game"); n != 1 {
		t.Errorf("there are %d cards, want one", n)
	}

	menu := menuOf(t, after, "")
	has(t, "who answers", r.choose(jack, after, menu, bart).Text(), "You play Madagascar with <@"+bart+">")
	r.posted(tavern, "", "found each other for Madagascar")
	// as it is sent from a card that is not up to date yet
	has(t, "an answer to who looks no more", r.forged(anne, after, menu, bart).Text(),
		"not looking for a game any more")
	has(t, "who stops", r.click(mary, after, "Stop looking").Text(), "You are not looking for a game any more")
	r.edited(tavern, card.ID, "Nobody is looking")
	has(t, "who stops again", r.click(mary, after, "Stop looking").Text(), "You were not looking")
}

// What somebody asks of those they play with holds for seeks, too; whom they have blocked they do not meet.
func TestSeeksThatDoNotFit(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	opt := localdiscord.Opt
	r, _ := seeking(t)
	if _, err := r.tables.Choices.ChangePreferences(r.ctx, mary,
		func(p *table.Preferences) error { p.Blocked = []string{jack}; return nil }); err != nil {
		t.Fatal(err)
	}
	r.command(mary, channel, "seek", opt("game", captain))
	r.command(anne, channel, "seek", opt("game", "quedah-merchant"), opt("rating", "9000+"), opt("lessons", true))
	card := r.atTavern("<@" + anne + ">")
	has(t, "what is asked", card.Text(), "To join, you need a rating of 9000 or more")
	has(t, "who fits nobody", r.command(jack, channel, "seek").Text(), "You are looking for any game")
	menu := menuOf(t, card, "")
	has(t, "who does not meet it", r.choose(jack, card, menu, anne).Text(),
		"What is lacking: a rating of 9000 or more (yours is ", "lessons of Quedah Merchant")
	has(t, "who is blocked", r.choose(jack, card, menu, mary).Text(), "takes no invitations")
	r.configure(localdiscord.Tortuga, func(c *table.Settings) { c.Asks.Role = "12345" })
	has(t, "who lacks the server's role", r.command(anne, channel, "seek").Text(), "the role <@&12345>")
	if heads := r.goingOf(jack); len(heads) != 0 {
		t.Errorf("jack sits at %+v", heads)
	}
	if n := r.count(tavern, "found each other"); n != 0 {
		t.Errorf("%d pairs were called", n)
	}
}

// The button's form asks for all that the command can ask for, and begins with what the server asks for. Two are
// paired only when each meets what the other asks for, a role among it; also when one is chosen from the list.
func TestBothSidesOfASeekFit(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack, bart := localdiscord.Anne, localdiscord.Jack, localdiscord.Bart
	opt := localdiscord.Opt
	r, _ := seeking(t)
	role, err := r.srv.Admin.AddRole(localdiscord.Tortuga, "Crew", 0)
	r.must(err)
	r.must(r.srv.Admin.SetRoles(localdiscord.Tortuga, bart, role))
	r.configure(localdiscord.Tortuga, func(c *table.Settings) { c.Asks.Finishes, c.Asks.Lessons = 50, true })
	r.command(localdiscord.Mary, channel, "server panel")
	panel := r.next(channel, "", func(m *localdiscord.Message) bool {
		return slices.ContainsFunc(m.Interactive(), func(c localdiscord.Component) bool {
			return c.Label == "Find me a game"
		})
	})
	form := r.click(anne, panel, "Find me a game")
	has(t, "what the server asks for", form.Text(), "to finish 50 % of your games and to have done the lessons")
	form = r.click(anne, form, "More conditions…")
	for _, menu := range []struct{ page, value string }{{"g4", "4"}, {"g5", "3"}, {"g6", "0"}} {
		form = r.choose(anne, form, menuStarting(t, form, "seek-choose//"+menu.page+"/"), menu.value)
	}
	form = r.choose(anne, form, menuStarting(t, form, "seek-choose//g99/"), role)
	form = r.click(anne, form, "Back")
	has(t, "what is chosen", form.Text(), "to answer within 12 hours", "to finish 90 % of your games", "<@&"+role+">")
	hasnt(t, "what is not", form.Text(), "lessons")
	r.click(anne, form, "Look for a game")
	now, err := r.matchmaking.On(r.ctx, localdiscord.Tortuga)
	want := table.Conditions{Answers: 12, Finishes: 90, Role: role}
	if err != nil || len(now.Waiting) != 1 || now.Waiting[0].Conditions != want {
		t.Fatalf("anne looks for %+v, %v; want %+v", now.Waiting, err, want)
	}

	has(t, "who lacks the role", r.command(jack, channel, "seek", opt("lessons", false)).Text(),
		"You are looking for any game")
	card := r.atTavern("<@" + jack + ">")
	has(t, "told so", r.choose(jack, card, menuOf(t, card, ""), anne).Text(), "What is lacking: the role <@&"+role+">")
	has(t, "the other way", r.choose(anne, card, menuOf(t, card, ""), jack).Text(),
		"<@"+jack+"> does not meet what you asked for when you began to look")
	has(t, "who has it, and asks for it, too", r.command(bart, channel, "seek", opt("game", captain),
		opt("lessons", false), opt("role", role)).Text(), "You are looking for Loyal Captain") // anne has no such role
	r.click(anne, card, "Stop looking")
	card = r.atTavern("<@" + jack + ">")
	has(t, "who asks for nothing any more", r.choose(anne, card, menuOf(t, card, ""), jack).Text(), "You play")
	r.eventually("their table", func() bool { return len(r.goingOf(anne)) == 1 })
	r.edited(tavern, card.ID, "<@"+bart+">")
	r.command(anne, channel, "seek", opt("game", captain), opt("role", role), opt("lessons", false))
	r.command(bart, channel, "seek", opt("game", captain), opt("lessons", false))
	r.eventually("his table", func() bool { return len(r.goingOf(bart)) == 1 })
	if heads := r.goingOf(bart); len(heads) != 1 || heads[0].Seat(anne) < 0 {
		t.Errorf("bart's tables: %+v; want one with anne", heads)
	}
}

// A seek lapses when its time is over, or a computer takes the seat.
func TestSeeksEnd(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack := localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	r, pass := seeking(t)
	r.command(anne, channel, "seek", opt("game", captain), opt("hours", 2))
	r.command(localdiscord.Grace, channel, "seek", opt("game", captain), opt("hours", 3),
		opt("rating", "9000+")) // takes no letters
	form := r.click(jack, r.atTavern("Looking for a game"), "Find me a game")
	for _, menu := range []struct {
		page, value string
	}{{"g2", "1"}, {"g3", "1"}, {"g7", "1"}} { // ratings near one's own, 6 hours, a computer
		form = r.choose(jack, form, menuStarting(t, form, "seek-choose//"+menu.page+"/"), menu.value)
	}
	form = r.choose(jack, form, menuStarting(t, form, "seek-choose///"), "3")
	has(t, "the form", r.click(jack, form, "Look for a game").Text(), "you play a computer", "Madagascar")
	card := r.edited(tavern, r.atTavern("Looking for a game").ID, "a computer plays")
	pass(2*time.Hour + time.Minute)
	card = r.edited(tavern, card.ID, "Madagascar")
	r.gone(tavern, card.ID, "<@"+anne+">")
	if heads := r.goingOf(anne); len(heads) != 0 {
		t.Errorf("anne, whose seek has lapsed, sits at %+v", heads)
	}
	dm, err := r.srv.DM(anne)
	r.must(err)
	letter := r.next(dm, "", func(*localdiscord.Message) bool { return true })
	has(t, "who is told", letter.Text(), "Nobody came for Loyal Captain in <#"+tavern+">")
	if letter.Flags&(1<<12) == 0 {
		t.Errorf("it is told aloud: flags %b", letter.Flags)
	}
	pass(4*time.Hour + time.Minute)
	call := r.posted(tavern, "", "a computer plays Madagascar with them")
	r.next(call.ID, "", func(m *localdiscord.Message) bool { return strings.Contains(m.Text(), "<@"+jack+">") })
	heads := r.goingOf(jack)
	if len(heads) != 1 || len(heads[0].Seats) != 2 || heads[0].Status != table.Playing {
		t.Fatalf("jack's tables: %+v; want one with a computer", heads)
	}
	r.edited(tavern, card.ID, "Nobody is looking")
	r.eventually("everybody is told", func() bool {
		now, err := r.matchmaking.On(r.ctx, localdiscord.Tortuga)
		return err == nil && len(now.Lapsed) == 0
	})
	if n := r.count(dm, "Nobody came"); n != 1 {
		t.Errorf("anne was told %d times", n)
	}
}

// A stop between any two steps loses no pairing and doubles none.
func TestAPairingOutlivesARestart(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack := localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	for _, f := range []struct {
		name  string
		fault localdiscord.Fault
	}{
		{"before they are called", localdiscord.Fault{Method: "POST", Path: "/channels/" + tavern + "/messages", Status: 500, Body: "{}"}},
		{"before it is known that they are called", localdiscord.Fault{Method: "POST", Path: "/channels/" + tavern + "/messages", Lost: true}},
		{"before there is a thread", localdiscord.Fault{Method: "POST", Path: "/threads", Status: 500, Body: "{}"}},
		{"before it is known that there is one", localdiscord.Fault{Method: "POST", Path: "/threads", Lost: true}},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			r, pass := seeking(t)
			r.command(anne, channel, "seek", opt("game", captain))
			r.atTavern("Looking for a game")
			hit := len(r.srv.Requests())
			remove := r.srv.AddFault(f.fault)
			has(t, "who is paired", r.command(jack, channel, "seek").Text(), "You play Loyal Captain")
			if err := r.wait(func() bool {
				for _, q := range r.srv.Requests()[hit:] {
					if q.Method == "POST" && strings.Contains(q.Path, f.fault.Path) {
						return true
					}
				}
				return false
			}); err != nil {
				t.Fatal(err)
			}
			r.stop()
			remove()
			r.log.clear()
			r.start()
			pass(3 * time.Minute)
			call := r.posted(tavern, "", "found each other")
			r.next(call.ID, "", isTurn)
			pass(3 * time.Minute)
			r.atTavern("Nobody is looking")
			if heads := r.goingOf(anne); len(heads) != 1 || heads[0].Channel != call.ID {
				t.Errorf("anne's tables: %+v; want one under %s", heads, call.ID)
			}
			if n := r.count(tavern, "Loyal Captain"); n != 1 {
				t.Errorf("they are called %d times", n)
			}
		})
	}
}

// Who wants to be called takes the server's role by a button and gives it back; it is called when
// somebody looks for a game, at most so often.
func TestTheRoleOfThoseWhoAreCalled(t *testing.T) {
	t.Parallel()
	const channel, tavern = localdiscord.TortugaTables, localdiscord.TortugaTavern
	anne, jack, mary := localdiscord.Anne, localdiscord.Jack, localdiscord.Mary
	opt := localdiscord.Opt
	r, pass := seeking(t)
	admin := r.srv.Admin
	role, err := admin.AddRole(localdiscord.Tortuga, "Crew", 0)
	if err != nil {
		t.Fatal(err)
	}
	page := r.click(mary, r.command(mary, channel, "server settings"), "Finding players…")
	page = r.choose(mary, page, menuOf(t, page, "joining-call"), role)
	r.choose(mary, page, menuOf(t, page, "joining-pause"), "3")
	r.command(anne, channel, "seek", opt("game", captain))
	card := r.atTavern("<@" + anne + ">")
	has(t, "without the permission", r.click(jack, card, "Call me, or not").Text(),
		"I need the permission *Manage Roles*")
	above, err := admin.AddRole(localdiscord.Tortuga, "Bots", localdiscord.PermissionManageRoles)
	if err == nil {
		err = admin.SetRoles(localdiscord.Tortuga, localdiscord.Application, above)
	}
	if err != nil {
		t.Fatal(err)
	}
	has(t, "taken", r.click(jack, card, "Call me, or not").Text(), "You have the role <@&"+role+">")
	r.command(mary, channel, "seek", opt("game", "madagascar"))
	card = r.edited(tavern, card.ID, "Madagascar")
	pass(3*time.Hour + time.Minute)
	r.command(mary, channel, "seek", opt("game", "freebooter"))
	called := r.next(tavern, card.ID, func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "Freebooter")
	})
	if len(called.Pinged) != 1 || called.Pinged[0] != jack {
		t.Errorf("the card, posted anew, pings %v; want jack", called.Pinged)
	}
	if n := r.count(tavern, "Looking for a game"); n != 1 {
		t.Errorf("there are %d cards, want one", n)
	}
	has(t, "given back", r.click(jack, called, "Call me, or not").Text(), "You gave the role <@&"+role+"> back")
}

// count is how many messages of a channel say something.
func (r *rig) count(channel, what string) (n int) {
	for _, m := range r.srv.Messages(channel, localdiscord.Anne) {
		if m.EphemeralTo == "" && strings.Contains(m.Text(), what) {
			n++
		}
	}
	return n
}

// gone waits until a message does not say something any more.
func (r *rig) gone(channel, id, what string) {
	r.t.Helper()
	_, err := r.waitMessage(channel, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return m.ID == id && !strings.Contains(m.Text(), what)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// menuStarting is the custom_id of the menu of a message that begins so.
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

// playerOf is who holds a seat.
func (r *rig) playerOf(h table.Head, seat games.Seat) string { return h.Seats[seat].User }
