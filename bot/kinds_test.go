package bot_test

import (
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games/competition"
	"marque/storage"
)

// What can happen to games of competitions happens to one of each kind while they are played: a move is taken back, the
// channel is deleted and the competition goes on in another, and the bot is removed and comes back. Nothing of it
// decides a game; times stand meanwhile (CO-7, CO-14), and in the end each game counts by what was played.
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
			r := newRigWith(t, func(r *rig) { r.quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
			mary, harbour := localdiscord.Mary, localdiscord.TortugaHarbour
			options := append([]localdiscord.Option{opt("name", "Winter cup"), opt("clock", "2d")}, k.options...)
			if k.name != "pods" {
				options = append(options, opt("game", captain))
			}
			r.command(mary, harbour, k.group+" create", options...)
			card := r.card(harbour, k.group+" #1")
			people := r.people(k.people)
			for _, p := range people {
				r.click(p, card, "Enter")
			}
			r.click(mary, card, "Begin now")
			if k.group == "ladder" {
				r.idle(1, clock.Now())
				r.wantText(r.command(people[1], harbour, "ladder challenge", opt("who", people[0])),
					"You have challenged")
				r.wantText(r.command(people[0], harbour, "ladder accept"), "You have accepted")
			}
			r.eventually("games", func() bool { return len(r.playing()) > 0 })
			c := r.idle(1, clock.Now())
			h := r.playing()[0]
			deadline := c.Rules.Pairings[h.Contest.Game-1].Deadline

			at := func(h storage.Head) *table.Snapshot {
				t.Helper()
				snap, err := r.tables.Lookup.Snapshot(r.ctx, h.ID)
				r.must(err)
				return snap
			}
			mover := h.Seats[h.ToMove].User
			r.wantText(r.command(mover, h.Channel, "move", opt("move", r.firstMove(mover, h.Channel))), "Played:")
			r.wantText(r.command(mover, h.Channel, "undo"), "Taken back")
			if now := r.told(h.ID); now.Seats[now.ToMove].User != mover || now.Status != storage.Playing {
				t.Errorf("after a move was taken back the table is %+v", now.Head)
			}

			r.must(r.srv.Admin.DeleteChannel(harbour))
			r.eventually("held up", func() bool { return r.cup().HeldFor(storage.PausedChannelGone) })
			clock.Advance(3 * day) // longer than anybody may think
			r.eventually("the table stands still", func() bool { return at(h).Paused == storage.PausedChannelGone })
			if p := r.cup().Rules.Pairings[h.Contest.Game-1]; p.End != "" {
				t.Errorf("without its channel the game ended as %+v", p)
			}
			r.wantText(r.command(mary, tavern, k.group+" here", opt(k.group, "1")), "goes on in this channel")
			r.eventually("goes on", func() bool { return !r.cup().Held() })
			r.eventually("the table came along", func() bool {
				now := at(h)
				return now.Paused == "" && now.Card.Channel == tavern && now.Channel == now.Card.Thread
			})

			r.must(r.srv.Admin.KickBot(localdiscord.Tortuga))
			r.eventually("held up", func() bool { return r.cup().Held() })
			r.eventually("the table stands still", func() bool { return at(h).Paused != "" })
			clock.Advance(20 * day)
			r.must(r.srv.Admin.InviteBot(localdiscord.Tortuga))
			r.eventually("going on", func() bool { return !r.cup().Held() })
			now := r.cup().Rules.Pairings[h.Contest.Game-1]
			if now.End != "" || now.Deadline < deadline+23*competition.Day {
				t.Errorf("the game ended as %q, its deadline moved by %v days", now.End,
					(now.Deadline-deadline)/competition.Day)
			}
			r.eventually("the game goes on", func() bool { return at(h).Paused == "" })
			r.told(h.ID) // what could not be posted meanwhile pauses it until it is posted
			r.eventually("the game goes on", func() bool { return at(h).Paused == "" })
			for _, o := range h.Seats[1:] {
				r.resignAt(o.User, at(h).Head)
			}
			r.eventually("the result counts", func() bool {
				return r.cup().Rules.Pairings[h.Contest.Game-1].End == competition.Played
			})
		})
	}
}
