package tournament_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/compete"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
)

// CO-15: an entrant plays until the user who is asked to take over has accepted. The request can be declined or
// withdrawn. It lapses after a day, ends with the game, is deleted with the data of the user who was asked, and
// survives a restart. CO-17: a user who has not replied is reminded once.
func TestSubstitutesAreAsked(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	purser, opt := r.Purser(), localdiscord.Opt
	people := r.People(6)
	card := r.OpenTournament(bottest.Tavern, people[:4], opt("clock", "14d"), opt("game-days", 14))
	r.WantText(r.Command(purser, bottest.Tavern, "moderate competition substitute", opt("who", people[0]), opt("by",
		people[4])),
		"hasn't begun yet")
	r.Click(localdiscord.Mary, card, "Start now")
	r.Settled(1)
	h := r.Pairings()[0]
	out, in := h.Seats[0].User, people[4]
	latest, called := "0", map[string]time.Time{}
	ask := func(who string) (told, reply *localdiscord.Message) {
		t.Helper()
		latest = r.Latest(bottest.Tavern)
		reply = r.Command(purser, bottest.Tavern, "moderate competition substitute", opt("who", out), opt("by", who))
		r.WantText(reply, "to take over from <@"+out+">")
		told = r.NextSaying(bottest.Tavern, latest, "<@"+who+">, would you take over from <@"+out+">")
		// An offer can be made and withdrawn any number of times, so a user is pinged at most once in ten minutes.
		calls := clock.Now().Sub(called[who]) >= 10*time.Minute
		if slices.Contains(told.Pinged, who) != calls {
			t.Errorf("CO-15: asking %v after the last time calls %v", clock.Now().Sub(called[who]), told.Pinged)
		}
		if calls {
			called[who] = clock.Now()
		}
		if _, plays := r.FirstCompetition().Rules.Entrant(out); !plays {
			t.Error("CO-15: asked, and not answered, and the entrant is out")
		}
		return told, reply
	}
	off := func(why string) {
		t.Helper()
		r.Eventually("the offer "+why, func() bool { return len(r.FirstCompetition().Rules.Offers) == 0 })
		r.NextSaying(bottest.Tavern, latest, "Nobody takes over from <@"+out+">")
		if _, known := r.FirstCompetition().Person(in); known {
			t.Errorf("CO-15: %s, and kept is who was asked", why)
		}
		t.Log("CO-15: the offer was", why)
	}
	r.WantText(r.ForgeCommand(localdiscord.Jack, bottest.Tavern, "moderate competition substitute",
		bottest.UserOption("who", out)),
		"Only moderators")
	r.WantText(r.Command(purser, bottest.Tavern, "moderate competition substitute", opt("who", out), opt("by",
		h.Seats[1].User)),
		"has already taken part")
	r.WantText(r.Command(in, bottest.Tavern, "tournament", bottest.Do("accept")), "No such request is open")

	told, _ := ask(in)
	r.WantText(r.Click(people[5], told, "Accept"), "No such request is open")
	r.WantText(r.Click(in, told, "Decline"), "You've declined")
	off("declined")
	gone := func(told *localdiscord.Message) {
		t.Helper()
		now, err := r.Server.Message(told.ID, in)
		r.Must(err)
		for _, spent := range []string{"Accept", "Decline"} {
			if bottest.HasButton(now, spent) {
				t.Errorf("%s is spent, and stands on the message: %s", spent, now.Text())
			}
		}
		bottest.Contains(t, "the rest of the message", now.Text(), "would you take over from")
	}
	gone(told)

	_, reply := ask(in)
	r.WantText(r.Click(purser, reply, "Withdraw the request"), "is withdrawn")
	off("taken back by the button")
	told, _ = ask(in)
	r.WantText(r.Command(purser, bottest.Tavern, "moderate competition substitute", opt("who", out)), "is withdrawn")
	off("taken back by the command")
	r.WantText(r.Click(in, told, "Accept"), "No such request is open")
	gone(told)

	ask(in)
	clock.Advance(18 * time.Hour)
	again := r.NextSaying(bottest.Tavern, latest, "Still waiting for an answer: 🔁 <@"+in+">")
	if !slices.Contains(again.Pinged, in) {
		t.Errorf("CO-17: once more are called %v", again.Pinged)
	}
	clock.Advance(6 * time.Hour)
	off("lapsed")

	ask(in)
	all, err := r.Privacy.Export(r.Ctx, in)
	r.Must(err)
	has, _ := all.Also["competitions"].([]compete.Entered)
	if len(has) != 1 || !has[0].Asked || has[0].Name.IsZero() {
		t.Errorf("CO-15: who is asked has in their data %+v", all.Also)
	}
	r.Must(r.Privacy.Forget(r.Ctx, in))
	off("gone with the data")

	told, _ = ask(in)
	r.Stop()
	r.Start()
	r.WantText(r.Click(in, told, "Accept"), "You've taken over from <@"+out+">")
	r.Eventually("the substitute at the table", func() bool {
		return slices.ContainsFunc(r.Pairings(), func(o table.Head) bool { return o.ID == h.ID && o.Seat(in) == 0 })
	})
	r.NextSaying(bottest.Tavern, told.ID, "<@"+in+"> takes over from another player")
	if _, known := r.FirstCompetition().Person(out); known {
		t.Error("CO-15: kept is who was gone on for")
	}

	out, in = in, people[5]
	told, _ = ask(in)
	resignAt(r, out, h)
	off("over with the game")
	r.WantText(r.Click(in, told, "Accept"), "No such request is open")
}

// CO-15: a user who has had another seat in a game with hidden cards cannot substitute in that game, because the user
// knows that seat's hand.
func TestNobodyGoesOnWhoKnowsAnotherHand(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	purser, opt := r.Purser(), localdiscord.Opt
	people := r.People(7)
	players, fresh := []string{people[0], people[1], people[3]}, people[5:]
	card := r.OpenTournament(bottest.Tavern, players, opt("game", "pirat"), opt("kind", "pods"), opt("rounds", 1))
	r.Click(purser, card, "Start now")
	r.Settled(1)
	ask := func(who, by string) *localdiscord.Message {
		t.Helper()
		return r.Command(purser, bottest.Tavern, "moderate competition substitute", opt("who", who), opt("by", by))
	}
	r.WantText(ask(players[0], fresh[0]), "to take over from")
	r.WantText(r.Command(fresh[0], bottest.Tavern, "tournament", bottest.Do("accept")), "You've taken over from")
	r.Eventually("the substitute at the table", func() bool {
		return slices.ContainsFunc(r.Pairings(), func(h table.Head) bool { return h.Seat(fresh[0]) >= 0 })
	})
	r.WantText(ask(players[1], players[0]), "knows the cards there")
	r.WantText(ask(players[1], fresh[1]), "to take over from")
	r.WantText(ask(fresh[0], players[0]), "to take over from") // knows only the hand of that seat
	r.WantText(r.Command(players[0], bottest.Tavern, "tournament", bottest.Do("accept")), "You've taken over from")
	r.Eventually("the former player at the table", func() bool {
		return slices.ContainsFunc(r.Pairings(), func(h table.Head) bool { return h.Seat(players[0]) >= 0 })
	})
}

// CO-16: a moderator who plays or has played in a competition makes no decisions about its other entrants, whatever the
// moderator's permissions elsewhere. Another moderator can, but cannot ask themselves to take over.
func TestOrganisersWhoPlayDoNotJudge(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	const mary, jack = localdiscord.Mary, localdiscord.Jack
	purser, opt := r.Purser(), localdiscord.Opt
	people := r.People(7)
	card := r.OpenTournament(bottest.Tavern, people[:6]) // an even number, so nobody has a bye
	judges := func(user string) {
		t.Helper()
		const no = "you can only decide about your own place"
		r.WantText(r.Command(user, bottest.Tavern, "moderate competition remove", opt("who", jack)), no)
		r.WantText(r.Command(user, bottest.Tavern, "moderate competition substitute", opt("who", jack), opt("by",
			people[6])), no)
		r.WantText(r.Click(user, r.Command(user, bottest.Tavern, "moderate competition cancel"), "Yes, end it"),
			no)
	}
	r.WantText(r.Command(mary, bottest.Tavern, "moderate competition remove", opt("who", jack)),
		"you can only decide about your own place")
	r.WantText(r.Click(mary, card, "Start now"), "begins")
	r.Settled(1)
	judges(mary)
	r.WantText(r.Command(purser, bottest.Tavern, "moderate competition substitute", opt("who", jack), opt("by",
		purser)),
		"You can't ask yourself to take over")
	r.WantText(r.Command(mary, bottest.Tavern, "moderate competition substitute", opt("who", mary), opt("by",
		people[6])),
		"to take over from")
	r.WantText(r.Command(mary, bottest.Tavern, "moderate competition substitute", opt("who", mary)), "is withdrawn")
	r.Eventually("all tables of the round", func() bool { return len(r.Pairings()) == 3 })
	i := slices.IndexFunc(r.Pairings(), func(h table.Head) bool { return h.Seat(mary) < 0 })
	rivals := r.Pairings()[i]
	at, ended := opt("table", rivals.ID.String()), opt("ended", rivals.ID.String())
	own := r.Pairings()[slices.IndexFunc(r.Pairings(), func(h table.Head) bool { return h.Seat(mary) >= 0 })]
	r.WantText(r.Command(mary, bottest.Tavern, "moderate end", opt("table", own.ID.String())),
		"You play in this game, or did before")
	const no = "somebody else has to decide about this game"
	r.WantText(r.Command(mary, bottest.Tavern, "moderate pause", at), no)
	r.WantText(r.Command(mary, bottest.Tavern, "moderate end", at), no)
	r.WantText(r.Command(purser, bottest.Tavern, "moderate pause", at), "is paused")
	r.WantText(r.Command(purser, bottest.Tavern, "moderate resume", at), "continues")
	loser := rivals.Seats[rivals.ToMove].User
	resignAt(r, loser, rivals)
	r.Eventually("the result", func() bool { return r.FirstCompetition().Rules.Pairings[rivals.Competition.Game-1].End != "" })
	r.WantText(r.Command(mary, bottest.Tavern, "server ratings void", ended), no)
	r.WantText(r.Click(mary, r.Command(mary, bottest.Tavern, "tournament", bottest.Do("leave")), "Yes, withdraw"),
		"You've withdrawn")
	judges(mary)
	r.WantText(r.Command(purser, bottest.Tavern, "server ratings void", ended), "#"+rivals.ID.String())
	r.WantText(r.Command(purser, bottest.Tavern, "moderate competition remove", opt("who", jack)), "<@"+jack+">")
	r.WantText(r.Click(purser, r.Command(purser, bottest.Tavern, "moderate competition cancel"), "Yes, end it"),
		"is over.")
	called := r.NextSaying(bottest.Tavern, "0", "It was called off")
	bottest.Lacks(t, "the end within a round", called.Text(), "Round 1 of")
	shown := r.Command(purser, bottest.Tavern, "tournament", bottest.Do("pairings"))
	bottest.Contains(t, "games that were not over", shown.Text(), ": no result")
	bottest.Lacks(t, "games that were not over", shown.Text(), "deadline")
	for _, user := range people[:6] {
		r.WantText(r.Command(user, bottest.Tavern, "tournament", bottest.Do("leave")), "already over")
	}
}

// A round whose games are all walkovers is not announced, because it has no deadline.
func TestARoundWithoutGamesIsNotAnnounced(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	people := r.People(3)
	card := r.OpenTournament(bottest.Tavern, people)
	r.WantText(r.Click(localdiscord.Mary, card, "Start now"), "begins")
	r.Settled(1)
	r.Eventually("the table of the round", func() bool { return len(r.Pairings()) == 1 })
	h := r.Pairings()[0]
	for _, user := range people {
		if h.Seat(user) < 0 { // sits out in the first round
			r.WantText(r.Click(user, r.Command(user, bottest.Tavern, "tournament", bottest.Do("leave")),
				"Yes, withdraw"), "You've withdrawn")
		}
	}
	resignAt(r, h.Seats[h.ToMove].User, h)
	ended := r.NextSaying(bottest.Tavern, "0", "All games are over")
	bottest.Contains(t, "the end", ended.Text(), "Round 3 of 3 is over")
	bottest.Lacks(t, "the end", ended.Text(), "deadline", "<t:0")
}

// A member can enter a competition that requires the role @everyone.
func TestACompetitionForEveryone(t *testing.T) {
	t.Parallel()
	const harbour = localdiscord.TortugaHarbour
	opt := localdiscord.Opt
	r := bottest.New(t)
	r.Command(localdiscord.Mary, harbour, "moderate create tournament",
		opt("name", "Winter cup"), opt("kind", "round-robin"),
		opt("game", bottest.LoyalCaptain), opt("role", localdiscord.Tortuga))
	r.WantText(r.Click(localdiscord.Jack, r.CompetitionCard(harbour, "tournament #1"), "Sign up"), "You've signed up")
}

// The question before a competition is called off, and then its card, say that it has not begun. The card does not
// mention results that stay or count.
func TestACompetitionCalledOffBeforeItBegins(t *testing.T) {
	t.Parallel()
	const tavern, mary = bottest.Tavern, localdiscord.Mary
	opt := localdiscord.Opt
	r := bottest.New(t)
	for _, kind := range []string{"tournament", "ladder"} {
		r.Command(mary, tavern, "moderate create "+kind, opt("name", "Winter cup"), opt("game", bottest.LoyalCaptain))
		r.CompetitionCard(tavern, kind+" #")
		sure := r.Command(mary, tavern, "moderate competition cancel")
		bottest.Contains(t, kind, sure.Text(), "Call off **Winter cup** before it begins?")
		r.WantText(r.Click(mary, sure, "Yes, end it"), "is over.")
		r.NextSaying(tavern, "0", kind+" #")
		r.Eventually("the end on the card", func() bool {
			return strings.Contains(r.CompetitionCard(tavern, kind+" #").Text(), "It was called off before it began.")
		})
		bottest.Lacks(t, kind, r.Command(mary, tavern, kind).Text(), "stay", "count")
	}
}

// While a running competition takes new entrants, its card names the role that they need.
func TestARunningLadderNamesItsRole(t *testing.T) {
	t.Parallel()
	const tavern = bottest.Tavern
	opt := localdiscord.Opt
	r := bottest.New(t)
	crew, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "Crew", 0)
	r.Must(err)
	for _, p := range bottest.Two {
		r.Must(r.Server.Admin.SetRoles(localdiscord.Tortuga, p, crew))
	}
	r.Create(localdiscord.Mary, tavern, "ladder", opt("name", "Rigging"), opt("game", bottest.LoyalCaptain),
		opt("role", crew))
	card := r.CompetitionCard(tavern, "ladder #1")
	for _, p := range bottest.Two {
		r.Click(p, card, "Join")
	}
	r.Click(localdiscord.Mary, card, "Start now")
	r.WantText(r.Edited(tavern, card.ID, "The ladder has 2 players"), "Only for members with <@&"+crew+">")
}
