package publish_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
)

// A user who chose a digest gets one message a day about the tables that wait for them, at their hour in their time
// zone. There is none if nothing waits. The digest also comes only once if Discord's answer is lost or the bot was down
// at that hour. A change of the hour causes no second digest on the same day.
func TestDigestOnceADay(t *testing.T) {
	t.Parallel()
	const channel, anne, jack = localdiscord.TortugaTables, localdiscord.Anne, localdiscord.Jack
	opt := localdiscord.Opt
	clock := manual.NewClock(time.Date(2024, 10, 4, 9, 0, 0, 0, time.UTC)) // 11:00 in Berlin
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock = clock })
	dm, err := r.Server.DM(jack)
	r.Must(err)
	letters := func() (texts []string) {
		for _, m := range r.Server.Messages(dm, jack) {
			if strings.Contains(m.Text(), "for you") || strings.Contains(m.Text(), "auf dich") {
				texts = append(texts, m.Text())
			}
		}
		return texts
	}
	// reach advances the clock to a time, and waits until no digest is due for Jack.
	reach := func(at time.Time) {
		t.Helper()
		for clock.Now().Before(at) {
			clock.Advance(min(time.Hour, at.Sub(clock.Now())))
		}
		r.Eventually("the digest was seen to", func() bool {
			p, err := r.Tables.Choices.Preferences(r.Ctx, jack)
			clock.Advance(time.Second)
			return err == nil && p.Due.Time().After(clock.Now())
		})
	}
	berlin := func(day, hour int) time.Time { return time.Date(2024, 10, day, hour-2, 0, 1, 0, time.UTC) }
	count := func(what string, want int) {
		t.Helper()
		if got := letters(); len(got) != want {
			t.Fatalf("%s there are %d letters, want %d: %q", what, len(got), want, got)
		}
	}

	panel := r.Command(jack, channel, "me preferences", opt("zone", "Europe/Berlin"))
	panel = r.Choose(jack, panel, bottest.MenuOf(t, panel, "calls"), "daily")
	r.Choose(jack, panel, bottest.MenuOf(t, panel, "digest"), "12")
	lobby := r.Lobby(anne, channel, opt("game", bottest.LoyalCaptain), opt("opponent", jack))
	if slices.Contains(lobby.Pinged, jack) {
		t.Error("who wants a digest is called in the channel")
	}
	reach(berlin(4, 11))
	count("before the hour", 0)
	reach(berlin(4, 12))
	count("at the hour", 1)
	bottest.Contains(t, "the digest", letters()[0], "1 table is waiting for you",
		"Loyal Captain, table #1: you're invited",
		"https://discord.com/channels/"+localdiscord.Tortuga+"/"+channel)

	r.Click(jack, lobby, "Join")
	begun := r.Next(channel, lobby.ID, bottest.IsTurn)
	if slices.Contains(begun.Pinged, jack) {
		t.Error("the first board calls who wants a digest")
	}
	panel = r.Command(jack, channel, "me preferences")
	r.Choose(jack, panel, bottest.MenuOf(t, panel, "digest"), "20")
	reach(berlin(4, 23))
	count("at another hour of the same day", 1)

	r.Resign(anne)
	reach(berlin(5, 21))
	count("when nothing waits", 1)

	r.Lobby(anne, channel, opt("game", bottest.LoyalCaptain), opt("opponent", jack))
	r.Server.AddFault(localdiscord.Fault{Method: "POST", Path: "/channels/" + dm + "/messages", Lost: true, Times: 1})
	reach(berlin(6, 23))
	count("when the answer was lost", 2)

	r.Stop()
	clock.Advance(berlin(7, 23).Sub(clock.Now()))
	r.Start()
	reach(berlin(7, 23))
	count("after a bot was down at the hour", 3)
	reach(berlin(8, 19))
	count("before the next hour", 3)
	reach(berlin(8, 21))
	count("at the next", 4)

	// The server's language is English, but the reader's Discord is now German.
	r.Must(r.Server.Admin.SetLocale(jack, "de"))
	r.Command(jack, channel, "me preferences")
	reach(berlin(9, 21))
	count("in another language", 5)
	bottest.Contains(t, "the digest", letters()[4], "auf dich", "Loyal Captain, Tisch #")

	r.Server.AddFault(localdiscord.Fault{Method: "POST", Path: "/channels/" + dm + "/messages", Status: 403,
		Body: `{"message": "Cannot send messages to this user", "code": 50007}`})
	for clock.Now().Before(berlin(10, 21)) {
		clock.Advance(time.Hour)
	}
	r.Eventually("who cannot be written to is called in channels", func() bool {
		p, err := r.Tables.Choices.Preferences(r.Ctx, jack)
		return err == nil && p.Calls == choices.CallInChannel && p.Due == 0
	})
}
