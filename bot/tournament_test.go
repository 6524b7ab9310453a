package bot_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games/competition"
	"marque/storage"
)

// crew is so many people on a server, those of the standard world and more.
func (r *rig) crew(n int) []string {
	r.t.Helper()
	list := []string{localdiscord.Anne, localdiscord.Jack, localdiscord.Mary, localdiscord.Bart, localdiscord.Grace}
	for i := len(list); i < n; i++ {
		id := r.srv.Admin.AddUser(fmt.Sprintf("sailor%d", i))
		if err := r.srv.Admin.AddMember(localdiscord.Tortuga, id); err != nil {
			r.t.Fatal(err)
		}
		list = append(list, id)
	}
	return list[:n]
}

// cup is a server's first competition.
func (r *rig) cup() table.Competition {
	r.t.Helper()
	n, err := r.tables.Competitions.Get(r.ctx, table.CompetitionID{Server: localdiscord.Tortuga, Number: 1})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// cupCard waits for the card of the first competition.
func (r *rig) cupCard(channel string, want ...string) *localdiscord.Message {
	r.t.Helper()
	return r.next(channel, "0", func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "tournament #1") && len(m.Interactive()) > 0 && holdsAll(m.Text(), want)
	})
}

func holdsAll(text string, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(text, w) })
}

// playing are the tables of the first competition that go on, by pairing.
func (r *rig) playing() []table.Head {
	r.t.Helper()
	heads, err := r.tables.Lookup.ByGuild(r.ctx, localdiscord.Tortuga, storage.Active, 0, 500)
	if err != nil {
		r.t.Fatal(err)
	}
	return slices.DeleteFunc(heads, func(h table.Head) bool { return h.Contest.Number != 1 })
}

// resign has a user resign at a table by the board's button.
func (r *rig) resignAt(user string, h table.Head) {
	r.t.Helper()
	sure := r.command(user, h.Channel, "resign")
	r.click(user, sure, "Yes, resign")
}

// open has people enter a new tournament by the buttons of its card.
func (r *rig) openCup(channel string, people []string, options ...localdiscord.Option) (card *localdiscord.Message) {
	r.t.Helper()
	options = append([]localdiscord.Option{localdiscord.Opt("name", "Winter cup"), localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("clock", "2d")}, options...)
	r.wantText(r.command(localdiscord.Mary, channel, "tournament create", options...), "tournament #1")
	card = r.cupCard(channel)
	for _, p := range people {
		r.wantText(r.click(p, card, "Enter"), "You have entered")
	}
	return card
}

// saidTimes counts the messages of a channel that say all of this.
func (r *rig) saidTimes(channel string, what ...string) (n int) {
	for _, m := range r.srv.Messages(channel, localdiscord.Anne) {
		if m.EphemeralTo == "" && holdsAll(m.Text(), what) {
			n++
		}
	}
	return n
}

// settled waits until a round's tables are open, or the competition is over.
func (r *rig) settled(round int) table.Competition {
	r.t.Helper()
	r.eventually(fmt.Sprintf("all games of round %d", round), func() bool {
		c := r.cup()
		return c.Over() || c.Rules.Round == round && len(c.Rules.ToOpen()) == 0 && c.Rules.Next == 0 && len(c.News) == 0
	})
	return r.cup()
}

// A tournament of eight is entered by buttons, and begins by one; its games open in threads of their own. People resign, one withdraws, one is out
// of time, the bot is stopped in the middle: still each game has one table and is told once, and in the end the points are those of the games.
func TestTournamentOfEight(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := newRigWith(t, func(r *rig) { r.quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.crew(8)
	card := r.openCup(tavern, people)
	r.wantText(r.click(localdiscord.Bart, card, "Enter"), "entered Winter cup already")
	r.wantText(r.click(localdiscord.Bart, card, "Leave"), "have left")
	r.wantText(r.click(localdiscord.Bart, card, "Begin now"), "Only moderators")
	r.wantText(r.click(localdiscord.Bart, card, "Enter"), "You have entered")
	r.cupCard(tavern, "8 have entered")
	r.wantText(r.click(localdiscord.Mary, card, "Begin now"), "begins")
	late, gone := "", people[7]
	for round := 1; round <= 7; round++ {
		c := r.settled(round)
		if c.Over() {
			t.Fatalf("it was over in round %d: %s", round, c.Rules.Why)
		}
		heads := r.playing()
		if round == 3 { // withdraws in the middle of a game
			sure := r.command(gone, tavern, "tournament leave")
			r.wantText(sure, "Whoever withdraws loses")
			r.wantText(r.click(gone, sure, "Yes, withdraw"), "You have withdrawn")
			r.eventually("the withdrawn player's game over", func() bool { return len(r.playing()) == len(heads)-1 })
			heads = r.playing()
		}
		for i, h := range heads {
			switch {
			case round == 5 && i == len(heads)-1: // nobody moves there
				late = h.Seats[h.ToMove].User
				r.eventually("the other games over", func() bool { return len(r.playing()) == 1 })
				clock.Advance(2*day + time.Minute)
			default:
				r.resignAt(h.Seats[i%2].User, h)
			}
			if round == 2 && i == 1 {
				r.stop()
				r.start()
			}
		}
	}
	r.eventually("the end", func() bool { return r.cup().Over() })
	r.says(tavern, "0", "all games are played")
	c := r.cup()
	points, tables := make([]int, len(people)), map[string]bool{}
	for _, p := range c.Rules.Pairings {
		if p.Table != "" && tables[p.Table] {
			t.Errorf("two games at table %s", p.Table)
		}
		tables[p.Table] = true
		for seat, e := range p.Seats {
			points[e] += p.Points[seat]
		}
		t.Logf("round %d: %v %s %v at %s", p.Round, p.Seats, p.End, p.Points, p.Table)
	}
	for _, l := range c.Rules.Standings(0) {
		if l.Points != points[l.Entrant] || l.Played != 7 {
			t.Errorf("%+v, with %d of %d", l, points[l.Entrant], competition.Win)
		}
	}
	byTime := 0
	for _, p := range c.Rules.Pairings {
		if p.End == competition.TimeUp {
			byTime++
			if seat := slices.IndexFunc(p.Seats, func(e int) bool { return c.Rules.Entrants[e].User == late }); seat < 0 || p.Points[seat] != 0 {
				t.Errorf("who was out of time has %+v", p)
			}
		}
	}
	if byTime != 1 {
		t.Errorf("%d games by time, want 1", byTime)
	}
	for round := 1; round <= 7; round++ {
		if n := r.saidTimes(tavern, fmt.Sprintf("**Round %d of 7**", round)); n != 1 {
			t.Errorf("round %d was told %d times", round, n)
		}
	}
	walkovers := 0
	for _, m := range r.srv.Messages(tavern, localdiscord.Anne) {
		walkovers += strings.Count(m.Text(), "without a game")
	}
	if walkovers != 5 {
		t.Errorf("%d walkovers were told, want 5: one in the middle of the game, and four to come", walkovers)
	}
	table := r.command(localdiscord.Anne, tavern, "tournament standings")
	for _, want := range []string{"1.", "8.", "direct encounter", "Sonneborn-Berger"} {
		r.wantText(table, want)
	}
	t.Logf("%s", table.Text())
	r.wantText(r.command(localdiscord.Anne, tavern, "tournament pairings"), "round 7 of 7")
	r.wantText(r.command(gone, tavern, "tournament enter"), "takes nobody any more")
}

// mortal is a store that takes few changes of what has to do with competitions, and then nothing any more: its process is as good as killed.
type mortal struct {
	*storage.Store
	*death
}

type death struct {
	mu    sync.Mutex
	armed bool
	left  int  // changes that are taken before the one with which it dies
	taken bool // that one is stored, too
	dead  bool
	died  int
}

var errDead = errors.New("the process is dead")

func (m mortal) die(do func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.dead:
		return errDead
	case !m.armed:
		return do()
	case m.left > 0:
		err := do()
		if err == nil {
			m.left--
		}
		return err
	case m.taken:
		if err := do(); err != nil {
			return err
		}
	}
	m.dead, m.died = true, m.died+1
	return errDead
}

func (m mortal) Create(ctx context.Context, c storage.Change) (id storage.ID, err error) {
	err = m.die(func() error { id, err = m.Store.Create(ctx, c); return err })
	return id, err
}

func (m mortal) ChangeCompetition(ctx context.Context, c storage.Competition, under storage.Tenure) error {
	return m.die(func() error { return m.Store.ChangeCompetition(ctx, c, under) })
}

func (m mortal) Commit(ctx context.Context, c storage.Change) error {
	do := func() error { return m.Store.Commit(ctx, c) }
	if c.Head.Contest.Number != 0 && c.Head.Status == storage.Over && c.Head.Contest.Reported {
		return m.die(do)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errDead
	}
	return do()
}

// Killed before or after every single thing that it notes, the bot has a tournament go on as if nothing had been: each game has one table and one
// thread, and nothing is told twice.
func TestTournamentSurvivesEveryDeath(t *testing.T) {
	t.Parallel()
	for what, taken := range map[string]bool{"before it is stored": false, "after it is stored": true} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			end := &death{taken: taken}
			clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
			r := newRigWith(t, func(r *rig) {
				r.quiet = true
				r.wrap = func(s *storage.Store) table.Store { return mortal{s, end} }
			}, func(o *localdiscord.Options) { o.Clock = clock })
			set := func(f func()) {
				end.mu.Lock()
				defer end.mu.Unlock()
				f()
			}
			revive := func() {
				end.dead, end.left = false, 0
				if !end.taken {
					end.left = 1
				}
			}
			// kill starts the bot anew whenever it dies, until it has nothing left to do.
			kill := func() {
				for dead := true; dead; {
					r.eventually("dead or done", func() bool {
						set(func() { dead = end.dead })
						due, err := r.store.CompetitionsDue(r.ctx, storage.At(clock.Now()), 1)
						tables, terr := r.store.DueUntil(r.ctx, storage.At(clock.Now()), 1)
						return dead || err == nil && terr == nil && len(due)+len(tables) == 0
					})
					if dead {
						r.stop()
						r.log.clear() // which says that nothing could be stored
						set(revive)
						r.start()
					}
				}
			}
			people := r.crew(3)
			card := r.openCup(tavern, people)
			r.click(localdiscord.Mary, card, "Begin now")
			set(func() { end.armed = true; revive() })
			for kill(); !r.cup().Over(); kill() {
				for _, h := range r.playing() {
					r.resignAt(h.Seats[0].User, h)
				}
			}
			set(func() { end.armed = false })
			t.Logf("killed %d times", end.died)
			if end.died < 20 {
				t.Error("which is too few to have met every step")
			}
			c := r.cup()
			for _, p := range c.Rules.Pairings {
				if id, err := storage.ParseID(p.Table); err != nil || p.End != competition.Played || id > 3 {
					t.Errorf("a pairing ended as %+v", p)
				}
			}
			heads, err := r.tables.Lookup.ByGuild(r.ctx, localdiscord.Tortuga, storage.Finished, 0, 10)
			if err != nil || len(heads) != 3 {
				t.Errorf("%d tables for three games: %v", len(heads), err)
			}
			seen := map[string]bool{}
			for _, m := range r.srv.Messages(tavern, localdiscord.Anne) {
				if m.EphemeralTo == "" && seen[m.Text()] {
					t.Errorf("told twice: %s", m.Text())
				}
				seen[m.Text()] = true
			}
			for _, want := range []string{"**Round 1 of 3**", "**Round 2 of 3**", "**Round 3 of 3**", "all games are played"} {
				if n := r.saidTimes(tavern, want); n == 0 {
					t.Errorf("%q was never told", want)
				}
			}
		})
	}
}
