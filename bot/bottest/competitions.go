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

// Competition returns a server's competition with the given number.
func (r *Rig) Competition(no uint64) compete.Competition {
	r.T.Helper()
	n, err := r.Competitions.Get(r.Ctx, compete.ID{Server: localdiscord.Tortuga, Number: no})
	if err != nil {
		r.T.Fatal(err)
	}
	return n
}

// CompetitionCard waits for a card that contains all these texts.
func (r *Rig) CompetitionCard(channel string, want ...string) *localdiscord.Message {
	r.T.Helper()
	return r.Next(channel, "0", func(m *localdiscord.Message) bool {
		return m.EphemeralTo == "" && strings.Contains(m.Text(), "if you run out of time") && HoldsAll(m.Text(),
			want)
	})
}

// EventuallyCarried is Eventually for automatic steps of competitions. A failed step, such as one that collided with a
// player's action, is retried after a pause on the clock. So a stopped clock is moved forward by a second from time to
// time.
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

// Idle waits until a competition has nothing left to do for now.
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

// Cup returns a server's first competition.
func (r *Rig) Cup() compete.Competition {
	r.T.Helper()
	n, err := r.Competitions.Get(r.Ctx, compete.ID{Server: localdiscord.Tortuga, Number: 1})
	if err != nil {
		r.T.Fatal(err)
	}
	return n
}

// CupCard waits for the card of the first competition.
func (r *Rig) CupCard(channel string, want ...string) *localdiscord.Message {
	r.T.Helper()
	return r.Next(channel, "0", func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "tournament #1") && strings.Contains(m.Text(),
			"if you run out of time") &&
			HoldsAll(m.Text(), want)
	})
}

// HoldsAll reports whether a text contains all of these words.
func HoldsAll(text string, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(text, w) })
}

// Pairings returns the unfinished tables of the first competition, by pairing.
func (r *Rig) Pairings() []table.Head {
	r.T.Helper()
	heads, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Active, 0, 500)
	if err != nil {
		r.T.Fatal(err)
	}
	return slices.DeleteFunc(heads, func(h table.Head) bool { return h.Contest.Number != 1 })
}

// Do is the option with which /tournament, /league or /ladder does something directly.
func Do(what string) localdiscord.Option { return localdiscord.Opt("do", what) }

// Create creates a competition of a family by the command, then fills in its forms with the options that the command
// does not have, and returns the answer to the command.
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

// OpenCup creates a tournament, which people enter by the buttons of its card.
func (r *Rig) OpenCup(channel string, people []string, options ...localdiscord.Option) (card *localdiscord.Message) {
	r.T.Helper()
	for _, o := range []localdiscord.Option{localdiscord.Opt("name", "Winter cup"),
		localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d")} {
		if !slices.ContainsFunc(options, func(given localdiscord.Option) bool { return given.Name == o.Name }) {
			options = append(options, o)
		}
	}
	r.WantText(r.Create(localdiscord.Mary, channel, "tournament", options...), "tournament #1")
	card = r.CupCard(channel)
	for _, p := range people {
		r.WantText(r.Click(p, card, "Sign up"), "You've signed up")
	}
	return card
}

// Settled waits until a round's tables are open, or the competition is over.
func (r *Rig) Settled(round int) compete.Competition {
	r.T.Helper()
	r.Eventually(fmt.Sprintf("all games of round %d", round), func() bool {
		c := r.Cup()
		return c.Over() || c.Rules.Round == round && len(c.Rules.ToOpen()) == 0 && c.Rules.Next == 0 && len(c.News) == 0
	})
	return r.Cup()
}
