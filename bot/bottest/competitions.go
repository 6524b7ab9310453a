package bottest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"marque/bot/compete"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/storage"
)

// Competition returns the competition of the server Tortuga with the given number.
func (r *Rig) Competition(no uint64) compete.Competition {
	r.T.Helper()
	n, err := r.Competitions.Get(r.Ctx, compete.ID{Server: localdiscord.Tortuga, Number: no})
	if err != nil {
		r.T.Fatal(err)
	}
	return n
}

// CompetitionCard waits for the card of a competition that contains all the texts in want.
func (r *Rig) CompetitionCard(channel string, want ...string) *localdiscord.Message {
	r.T.Helper()
	return r.Next(channel, "0", func(m *localdiscord.Message) bool {
		return m.EphemeralTo == "" && strings.Contains(m.Text(), "if you run out of time") && HoldsAll(m.Text(),
			want)
	})
}

// EventuallyCarried waits for an automatic step of a competition. A failed step, for example after a conflict with a
// player's action, is retried later by the clock. EventuallyCarried therefore moves a manual clock forward by a second
// from time to time.
func (r *Rig) EventuallyCarried(what string, cond func() bool) {
	r.T.Helper()
	looks := 0
	r.Eventually(what, func() bool {
		if looks++; looks%1000 == 0 {
			if clock, ok := r.Clock.(*manual.Clock); ok {
				clock.Jump(time.Second)
			}
		}
		return cond()
	})
}

// Idle waits until no competition has a step due at the time now, or later if a manual clock has moved. It returns the
// competition with the given number.
func (r *Rig) Idle(no uint64, now time.Time) compete.Competition {
	r.T.Helper()
	r.EventuallyCarried("everything done", func() bool {
		if clock, ok := r.Clock.(*manual.Clock); ok && clock.Now().After(now) {
			now = clock.Now()
		}
		due, err := r.Store.CompetitionsDue(r.Ctx, storage.At(now), 1)
		return err == nil && len(due) == 0
	})
	return r.Competition(no)
}

// FirstCompetition returns the first competition of the server Tortuga.
func (r *Rig) FirstCompetition() compete.Competition {
	r.T.Helper()
	n, err := r.Competitions.Get(r.Ctx, compete.ID{Server: localdiscord.Tortuga, Number: 1})
	if err != nil {
		r.T.Fatal(err)
	}
	return n
}

// TournamentCard waits for the card of tournament #1 that contains all the texts in want.
func (r *Rig) TournamentCard(channel string, want ...string) *localdiscord.Message {
	r.T.Helper()
	return r.Next(channel, "0", func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "tournament #1") && strings.Contains(m.Text(),
			"if you run out of time") &&
			HoldsAll(m.Text(), want)
	})
}

// HoldsAll reports whether a text contains all the words in want.
func HoldsAll(text string, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(text, w) })
}

// Pairings returns the heads of the active tables of the first competition.
func (r *Rig) Pairings() []table.Head {
	r.T.Helper()
	heads, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Active, 0, 500)
	if err != nil {
		r.T.Fatal(err)
	}
	return slices.DeleteFunc(heads, func(h table.Head) bool { return h.Competition.Number != 1 })
}

// Do returns the option of /tournament, /league and /ladder that names an action to do directly.
func Do(what string) localdiscord.Option { return localdiscord.Opt("do", what) }

// Create creates a competition with the command of its family, and returns the answer. Options that the command does
// not have are filled in on its forms.
func (r *Rig) Create(user, channel, family string, options ...localdiscord.Option) *localdiscord.Message {
	r.T.Helper()
	asked := []string{"name", "game", "kind", "variant", "clock", "starts-in", "most", "rated", "role"}
	var given []localdiscord.Option
	figures := map[string]any{}
	for _, o := range options {
		if slices.Contains(asked, o.Name) {
			given = append(given, o)
		} else {
			figures[o.Name] = fmt.Sprint(o.Value)
		}
	}
	made := r.Command(user, channel, "moderate create "+family, given...)
	for _, b := range made.Interactive() {
		reply, err := r.Server.Click(r.Ctx, user, made.ID, b.CustomID)
		if err != nil || reply.Modal == nil {
			r.T.Fatalf("%s opens no form: %v\n%s", b.Label, err, r.Log)
		}
		var filled []localdiscord.Option
		for _, in := range reply.Modal.Inputs {
			if v, ok := figures[in.CustomID]; ok {
				filled = append(filled, localdiscord.Opt(in.CustomID, v))
				delete(figures, in.CustomID)
			}
		}
		if len(filled) > 0 {
			r.WantText(r.Submit(user, reply.Modal, filled...), "#")
		}
	}
	if len(figures) > 0 {
		r.T.Fatalf("no form asks for %v", figures)
	}
	return made
}

// OpenTournament creates a tournament, makes people enter it with the buttons of its card, and returns the card.
func (r *Rig) OpenTournament(channel string, people []string,
	options ...localdiscord.Option) (card *localdiscord.Message) {
	r.T.Helper()
	for _, o := range []localdiscord.Option{localdiscord.Opt("name", "Winter cup"),
		localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d")} {
		if !slices.ContainsFunc(options, func(given localdiscord.Option) bool { return given.Name == o.Name }) {
			options = append(options, o)
		}
	}
	r.WantText(r.Create(localdiscord.Mary, channel, "tournament", options...), "tournament #1")
	card = r.TournamentCard(channel)
	for _, p := range people {
		r.WantText(r.Click(p, card, "Sign up"), "You've signed up")
	}
	return card
}

// Settled waits until the tables of a round are open, or the first competition is over, and returns the competition.
func (r *Rig) Settled(round int) compete.Competition {
	r.T.Helper()
	r.Eventually(fmt.Sprintf("all games of round %d", round), func() bool {
		c := r.FirstCompetition()
		return c.Over() || c.Rules.Round == round && len(c.Rules.ToOpen()) == 0 && c.Rules.Next == 0 && len(c.News) == 0
	})
	return r.FirstCompetition()
}
