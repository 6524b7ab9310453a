package bot_test

import (
	"slices"
	"testing"
	"time"

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
	r := newRigWith(t, func(r *rig) { r.quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	const mary = localdiscord.Mary
	opt := localdiscord.Opt
	people := r.people(6)
	card := r.openCup(tavern, people[:4], opt("clock", "14d"), opt("game-days", 14))
	r.wantText(r.command(mary, tavern, "tournament substitute", opt("who", people[0]), opt("by", people[4])),
		"it has not begun")
	r.click(mary, card, "Begin now")
	r.settled(1)
	h := r.playing()[0]
	out, in := h.Seats[0].User, people[4]
	latest := "0"
	ask := func(who string) (told, reply *localdiscord.Message) {
		t.Helper()
		latest = r.latest(tavern)
		reply = r.command(mary, tavern, "tournament substitute", opt("who", out), opt("by", who))
		r.wantText(reply, "is asked to go on for <@"+out+">")
		told = r.says(tavern, latest, "<@"+who+"> is asked to go on for <@"+out+">")
		if !slices.Contains(told.Pinged, who) {
			t.Errorf("CO-15: asking calls %v", told.Pinged)
		}
		if _, plays := r.cup().Rules.Entrant(out); !plays {
			t.Error("CO-15: asked, and not answered, and the entrant is out")
		}
		return told, reply
	}
	off := func(why string) {
		t.Helper()
		r.eventually("the offer "+why, func() bool { return len(r.cup().Rules.Offers) == 0 })
		r.says(tavern, latest, "Nobody takes the place of <@"+out+">")
		if _, known := r.cup().Person(in); known {
			t.Errorf("CO-15: %s, and kept is who was asked", why)
		}
		t.Log("CO-15: the offer was", why)
	}
	r.wantText(r.command(localdiscord.Jack, tavern, "tournament substitute", opt("who", out), opt("by", in)),
		"Only moderators")
	r.wantText(r.command(mary, tavern, "tournament substitute", opt("who", out), opt("by", h.Seats[1].User)),
		"neither takes part")
	r.wantText(r.command(in, tavern, "tournament accept"), "That offer is gone")

	told, _ := ask(in)
	r.wantText(r.click(people[5], told, "Accept"), "That offer is gone")
	r.wantText(r.click(in, told, "Decline"), "You have declined")
	off("declined")
	r.wantText(r.click(in, told, "Accept"), "That offer is gone")

	_, reply := ask(in)
	r.wantText(r.click(mary, reply, "Take it back"), "Nobody is asked any more")
	off("taken back by the button")
	told, _ = ask(in)
	r.wantText(r.command(mary, tavern, "tournament substitute", opt("who", out)), "Nobody is asked any more")
	off("taken back by the command")
	r.wantText(r.click(in, told, "Accept"), "That offer is gone")

	ask(in)
	clock.Advance(18 * time.Hour)
	again := r.says(tavern, latest, "Still without an answer: 🔁 <@"+in+">")
	if !slices.Contains(again.Pinged, in) {
		t.Errorf("CO-17: once more are called %v", again.Pinged)
	}
	clock.Advance(6 * time.Hour)
	off("lapsed")

	ask(in)
	all, err := r.tables.Privacy.Export(r.ctx, in)
	r.must(err)
	has, _ := all.Also["competitions"].([]compete.Entered)
	if len(has) != 1 || !has[0].Asked || has[0].Name.IsZero() {
		t.Errorf("CO-15: who is asked has in their data %+v", all.Also)
	}
	r.must(r.tables.Privacy.Forget(r.ctx, in))
	off("gone with the data")

	told, _ = ask(in)
	r.stop()
	r.start()
	r.wantText(r.click(in, told, "Accept"), "You go on for <@"+out+">")
	r.eventually("the substitute at the table", func() bool {
		return slices.ContainsFunc(r.playing(), func(o table.Head) bool { return o.ID == h.ID && o.Seat(in) == 0 })
	})
	r.says(tavern, told.ID, "<@"+in+"> goes on for somebody else")
	if _, known := r.cup().Person(out); known {
		t.Error("CO-15: kept is who was gone on for")
	}

	out, in = in, people[5]
	told, _ = ask(in)
	r.resignAt(out, h)
	off("over with the game")
	r.wantText(r.click(in, told, "Accept"), "That offer is gone")
}
