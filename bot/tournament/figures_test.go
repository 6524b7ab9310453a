package tournament_test

import (
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games/competition"
)

// The host can change more settings of a competition with forms until it begins, unless the host has entered. A member
// cannot. A number outside its limits is refused with a message that gives the limits, and changes nothing. Once the
// competition has begun, the buttons are gone as soon as the host presses one or sends a form.
func TestFiguresOfACompetition(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	mary, anne, jack, opt := localdiscord.Mary, localdiscord.Anne, localdiscord.Jack, localdiscord.Opt
	made := r.Create(mary, bottest.Tavern, "ladder", opt("name", "Rigging"), opt("game", bottest.LoyalCaptain),
		opt("clock", "2d"), opt("ladder-days", 10))
	setup := func() competition.Setup { return r.Competition(1).Rules.Setup }
	if s := setup(); s.End-s.Start != 10*competition.Day || s.Answer != 3*competition.Day || s.Lapses != 2 {
		t.Errorf("the ladder is made as %+v, want ten days, three to answer, out after two lost on time", s)
	}
	open := func(label string) *localdiscord.Modal {
		t.Helper()
		button, _ := made.Button(label)
		reply, err := r.Server.Click(r.Ctx, mary, made.ID, button.CustomID)
		r.Must(err)
		return reply.Modal
	}
	form := open("Challenges")
	r.WantText(r.Submit(mary, form, opt("reach", "11")), "takes a number from 1 to 10")
	r.WantText(r.Submit(mary, form, opt("reach", "two"), opt("rest-days", "9")), "takes a number from 1 to 10")
	if s := setup(); s.Reach != 3 || s.Rest != competition.Day {
		t.Errorf("refused forms change the setup: %+v", s)
	}
	r.WantText(r.Submit(mary, form, opt("reach", "5"), opt("rest-days", "0")), "places up a challenge may go: 5")
	limits := open("Absences and limits")
	bottest.Lacks(t, "a ladder without an end", r.Submit(mary, limits, opt("ladder-days", "")).Text(), "ladder ends")
	if s := setup(); s.Reach != 5 || s.Rest != 0 || s.End != 0 {
		t.Errorf("the forms leave %+v, want reach 5, no rest and no end", s)
	}
	r.CompetitionCard(bottest.Tavern, "5 places")

	form = open("Challenges")
	card := r.CompetitionCard(bottest.Tavern, "ladder #1")
	r.Click(mary, card, "Join")
	r.WantText(r.Submit(mary, form, opt("reach", "6")), "You've signed up for this competition")
	r.Click(mary, card, "Leave")
	r.WantText(r.ForgeCommand(jack, bottest.Tavern, "moderate competition settings"), "Only moderators")
	for _, p := range []string{anne, jack} {
		r.Click(p, card, "Join")
	}
	r.WantText(r.Command(mary, bottest.Tavern, "moderate competition settings"), "places up a challenge may go: 5")
	r.Click(mary, card, "Start now")
	for _, m := range []*localdiscord.Message{r.Click(mary, made, "Challenges"),
		r.Submit(mary, form, opt("reach", "6"))} {
		if !strings.Contains(m.Text(), "already begun") || len(m.Interactive()) > 0 {
			t.Errorf("after the start, the settings say %q and have %d controls", m.Text(), len(m.Interactive()))
		}
	}
	r.WantText(r.Command(mary, bottest.Tavern, "moderate competition settings"), "already begun")
	if s := setup(); s.Reach != 5 {
		t.Errorf("a ladder that has begun is changed: %+v", s)
	}
}
