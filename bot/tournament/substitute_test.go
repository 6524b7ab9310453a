package tournament_test

import (
	"slices"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/compete"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
)

// CO-15: who is to go on for an entrant is asked first, by buttons or a command; until they accept, the entrant plays.
// An offer is declined, taken back, lapses after a day, goes with the data of who was asked and with the game, and is
// there after a restart. CO-17: who has not answered is called once more.
func TestSubstitutesAreAsked(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	const mary = localdiscord.Mary
	opt := localdiscord.Opt
	people := r.People(6)
	card := r.OpenCup(bottest.Tavern, people[:4], opt("clock", "14d"), opt("game-days", 14))
	r.WantText(r.Command(mary, bottest.Tavern, "tournament substitute", opt("who", people[0]), opt("by", people[4])),
		"it hasn't begun")
	r.Click(mary, card, "Start now")
	r.Settled(1)
	h := r.Pairings()[0]
	out, in := h.Seats[0].User, people[4]
	latest := "0"
	ask := func(who string) (told, reply *localdiscord.Message) {
		t.Helper()
		latest = r.Latest(bottest.Tavern)
		reply = r.Command(mary, bottest.Tavern, "tournament substitute", opt("who", out), opt("by", who))
		r.WantText(reply, "to take over from <@"+out+">")
		told = r.NextSaying(bottest.Tavern, latest, "<@"+who+">, would you take over from <@"+out+">")
		if !slices.Contains(told.Pinged, who) {
			t.Errorf("CO-15: asking calls %v", told.Pinged)
		}
		if _, plays := r.Cup().Rules.Entrant(out); !plays {
			t.Error("CO-15: asked, and not answered, and the entrant is out")
		}
		return told, reply
	}
	off := func(why string) {
		t.Helper()
		r.Eventually("the offer "+why, func() bool { return len(r.Cup().Rules.Offers) == 0 })
		r.NextSaying(bottest.Tavern, latest, "Nobody takes over from <@"+out+">")
		if _, known := r.Cup().Person(in); known {
			t.Errorf("CO-15: %s, and kept is who was asked", why)
		}
		t.Log("CO-15: the offer was", why)
	}
	r.WantText(r.Command(localdiscord.Jack, bottest.Tavern, "tournament substitute", opt("who", out), opt("by", in)),
		"Only moderators")
	r.WantText(r.Command(mary, bottest.Tavern, "tournament substitute", opt("who", out), opt("by", h.Seats[1].User)),
		"hasn't taken part")
	r.WantText(r.Command(in, bottest.Tavern, "tournament accept"), "That request is gone")

	told, _ := ask(in)
	r.WantText(r.Click(people[5], told, "Accept"), "That request is gone")
	r.WantText(r.Click(in, told, "Decline"), "You've declined")
	off("declined")
	r.WantText(r.Click(in, told, "Accept"), "That request is gone")

	_, reply := ask(in)
	r.WantText(r.Click(mary, reply, "Take it back"), "is withdrawn")
	off("taken back by the button")
	told, _ = ask(in)
	r.WantText(r.Command(mary, bottest.Tavern, "tournament substitute", opt("who", out)), "is withdrawn")
	off("taken back by the command")
	r.WantText(r.Click(in, told, "Accept"), "That request is gone")

	ask(in)
	clock.Advance(18 * time.Hour)
	again := r.NextSaying(bottest.Tavern, latest, "Still waiting for an answer: 🔁 <@"+in+">")
	if !slices.Contains(again.Pinged, in) {
		t.Errorf("CO-17: once more are called %v", again.Pinged)
	}
	clock.Advance(6 * time.Hour)
	off("lapsed")

	ask(in)
	all, err := r.Tables.Privacy.Export(r.Ctx, in)
	r.Must(err)
	has, _ := all.Also["competitions"].([]compete.Entered)
	if len(has) != 1 || !has[0].Asked || has[0].Name.IsZero() {
		t.Errorf("CO-15: who is asked has in their data %+v", all.Also)
	}
	r.Must(r.Tables.Privacy.Forget(r.Ctx, in))
	off("gone with the data")

	told, _ = ask(in)
	r.Stop()
	r.Start()
	r.WantText(r.Click(in, told, "Accept"), "You take over from <@"+out+">")
	r.Eventually("the substitute at the table", func() bool {
		return slices.ContainsFunc(r.Pairings(), func(o table.Head) bool { return o.ID == h.ID && o.Seat(in) == 0 })
	})
	r.NextSaying(bottest.Tavern, told.ID, "<@"+in+"> takes over from another player")
	if _, known := r.Cup().Person(out); known {
		t.Error("CO-15: kept is who was gone on for")
	}

	out, in = in, people[5]
	told, _ = ask(in)
	resignAt(r, out, h)
	off("over with the game")
	r.WantText(r.Click(in, told, "Accept"), "That request is gone")
}

// A competition that asks for @everyone as a role asks for none: everybody may enter.
func TestACompetitionForEveryone(t *testing.T) {
	t.Parallel()
	const harbour = localdiscord.TortugaHarbour
	opt := localdiscord.Opt
	r := bottest.New(t)
	r.Command(localdiscord.Mary, harbour, "tournament create", opt("name", "Winter cup"), opt("kind", "round-robin"),
		opt("game", bottest.LoyalCaptain), opt("role", localdiscord.Tortuga))
	r.WantText(r.Click(localdiscord.Jack, r.CompetitionCard(harbour, "tournament #1"), "Sign up"), "You've signed up")
}
