package tournament_test

import (
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games/competition"
	"marque/storage"
)

// In each kind of competition a game continues after three events: a move is taken back, the channel is deleted and the
// competition continues in another, and the bot is removed and comes back. While there is no channel or no bot, the
// clocks stop (CO-7, CO-14), and in the end the game counts as played.
func TestWhatHappensToEachKindOnDiscord(t *testing.T) {
	opt := localdiscord.Opt
	for _, k := range []struct {
		name, group string
		people      int
		options     []localdiscord.Option
	}{
		{"round robin", "tournament", 4, []localdiscord.Option{opt("kind", "round-robin")}},
		{"swiss", "tournament", 4, []localdiscord.Option{opt("kind", "swiss"), opt("rounds", 2)}},
		{"knock-out", "tournament", 4, []localdiscord.Option{opt("kind", "knock-out")}},
		{"pods", "tournament", 6, []localdiscord.Option{opt("kind", "pods"), opt("rounds", 1),
			opt("game", "freebooter")}},
		{"league", "league", 6, nil},
		{"ladder", "ladder", 4, nil},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
			r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true },
				func(o *localdiscord.Options) { o.Clock = clock })
			mary, harbour := localdiscord.Mary, localdiscord.TortugaHarbour
			options := append([]localdiscord.Option{opt("name", "Winter cup"), opt("clock", "2d")}, k.options...)
			if k.name != "pods" {
				options = append(options, opt("game", bottest.LoyalCaptain))
			}
			r.Create(mary, harbour, k.group, options...)
			card := r.CompetitionCard(harbour, k.group+" #1")
			people := r.People(k.people)
			enter := "Sign up"
			if k.group == "ladder" {
				enter = "Join"
			}
			for _, p := range people {
				r.Click(p, card, enter)
			}
			r.Click(mary, card, "Start now")
			if k.group == "ladder" {
				r.Idle(1, clock.Now())
				r.WantText(r.Command(people[1], harbour, "ladder", bottest.Do("challenge"), opt("who", people[0])),
					"You've challenged")
				r.WantText(r.Command(people[0], harbour, "ladder", bottest.Do("accept")), "You've accepted")
			}
			r.Eventually("games", func() bool { return len(r.Pairings()) > 0 })
			c := r.Idle(1, clock.Now())
			h := r.Pairings()[0]
			deadline := c.Rules.Pairings[h.Competition.Game-1].Deadline

			at := func(h storage.Head) *table.Snapshot {
				t.Helper()
				snap, err := r.Tables.Lookup.Snapshot(r.Ctx, h.ID)
				r.Must(err)
				return snap
			}
			mover := h.Seats[h.ToMove].User
			r.WantText(r.Command(mover, h.Channel, "move", opt("move", r.FirstMove(mover, h.Channel))), "Played:")
			r.WantText(r.Command(mover, h.Channel, "table undo"), "Taken back")
			if now := r.Published(h.ID); now.Seats[now.ToMove].User != mover || now.Status != storage.Playing {
				t.Errorf("after a move was taken back the table is %+v", now.Head)
			}

			r.Must(r.Server.Admin.DeleteChannel(harbour))
			r.Eventually("held up", func() bool { return r.FirstCompetition().HeldFor(storage.PausedChannelGone) })
			clock.Advance(3 * bottest.Day) // longer than the time for a move
			r.Eventually("the table stands still", func() bool { return at(h).Paused == storage.PausedChannelGone })
			if p := r.FirstCompetition().Rules.Pairings[h.Competition.Game-1]; p.End != "" {
				t.Errorf("without its channel the game ended as %+v", p)
			}
			r.WantText(r.Command(mary, bottest.Tavern, "moderate competition here", opt("competition", "1")),
				"continues in this channel")
			r.Eventually("goes on", func() bool { return !r.FirstCompetition().Held() })
			r.Eventually("the table came along", func() bool {
				now := at(h)
				return now.Paused == "" && now.Card.Channel == bottest.Tavern && now.Channel == now.Card.Thread
			})

			r.Must(r.Server.Admin.KickBot(localdiscord.Tortuga))
			r.Eventually("held up", func() bool { return r.FirstCompetition().Held() })
			r.Eventually("the table stands still", func() bool { return at(h).Paused != "" })
			clock.Advance(20 * bottest.Day)
			r.Must(r.Server.Admin.InviteBot(localdiscord.Tortuga))
			r.Eventually("going on", func() bool { return !r.FirstCompetition().Held() })
			now := r.FirstCompetition().Rules.Pairings[h.Competition.Game-1]
			if now.End != "" || now.Deadline < deadline+23*competition.Day {
				t.Errorf("the game ended as %q, its deadline moved by %v days", now.End,
					(now.Deadline-deadline)/competition.Day)
			}
			r.Eventually("the game goes on", func() bool { return at(h).Paused == "" })
			r.Published(h.ID) // until then, a post that failed can pause the table again
			r.Eventually("the game goes on", func() bool { return at(h).Paused == "" })
			for _, o := range h.Seats[1:] {
				resignAt(r, o.User, at(h).Head)
			}
			r.Eventually("the result counts", func() bool {
				return r.FirstCompetition().Rules.Pairings[h.Competition.Game-1].End == competition.Played
			})
		})
	}
}
