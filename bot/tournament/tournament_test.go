package tournament_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/compete"
	"marque/bot/localdiscord"
	"marque/bot/servers"
	"marque/bot/shards/shardstest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/games/competition"
	"marque/games/verify"
	"marque/storage"
)

// resignAt makes a user resign at a table with the command and the confirmation button.
func resignAt(r *bottest.Rig, user string, h table.Head) {
	r.T.Helper()
	sure := r.Command(user, h.Channel, "table resign")
	r.Click(user, sure, "Yes, resign")
}

// saidTimes returns the number of public messages in a channel that contain all of the given texts.
func saidTimes(r *bottest.Rig, channel string, what ...string) (n int) {
	for _, m := range r.Server.Messages(channel, localdiscord.Anne) {
		if m.EphemeralTo == "" && bottest.HoldsAll(m.Text(), what) {
			n++
		}
	}
	return n
}

// exports checks that the export of a finished competition verifies, contains the records of all its games and the
// fingerprints that were shown, and contains no user ids of its entrants. It also checks that a reversed result does
// not verify.
func exports(r *bottest.Rig, user, channel string, c compete.Competition) {
	r.T.Helper()
	m := r.Command(user, channel, "record export", localdiscord.Opt("competition", fmt.Sprint(c.Number)))
	files := m.Files()
	if len(files) != 1 {
		r.T.Fatalf("exported is %s with %d files", m.Text(), len(files))
	}
	data, ok := r.Server.Attachment(files[0].URL)
	if !ok {
		r.T.Fatal("the file is not there")
	}
	held, err := verify.ReadCompetition(data)
	r.Must(err)
	report, err := held.Check(catalog.Find)
	r.Must(err)
	tables := 0
	for _, p := range c.Rules.Pairings {
		if p.Table != "" {
			tables++
		}
	}
	r.T.Logf("%d bytes: %+v", len(data), report)
	if report.Games != tables || report.Pairings != len(c.Rules.Pairings) {
		r.T.Errorf("%+v, want %d games of %d pairings", report, tables, len(c.Rules.Pairings))
	}
	var shown []string // fingerprints shown during play (CO-19)
	for _, m := range r.Server.Messages(channel, localdiscord.Anne) {
		b, _ := m.Button("Fair play")
		if id, ok := show.ParseCustomID(b.CustomID); ok && id.Action == "cup-print" {
			shown = append(shown, id.Arg)
			r.WantText(r.Click(user, m, "Fair play"), id.Arg)
		}
	}
	if !slices.Equal(shown, report.Fingerprints) || len(shown) != c.Rules.Round+1 {
		r.T.Errorf("the news of %d rounds have the fingerprints %q, the export gives %q", c.Rules.Round, shown,
			report.Fingerprints)
	}
	told, err := json.Marshal(held)
	r.Must(err)
	for _, e := range c.Rules.Entrants {
		if strings.Contains(string(told), e.User) {
			r.T.Errorf("the file names the id %s", e.User)
		}
	}
	for i, p := range held.Rules.Pairings {
		if p.End == competition.Played && p.Points[0] != p.Points[1] {
			held.Rules.Pairings[i].Points = []int{p.Points[1], p.Points[0]}
			forged := verify.MakeCompetition(held.Name, held.Entrants, held.Rules)
			forged.Records = held.Records
			if _, err := forged.Check(catalog.Find); err == nil {
				r.T.Errorf("pairing %d was turned, and nobody finds out", p.No)
			}
			break
		}
	}
}

// No two games of a tournament of eight share a table, each round is announced once, and the final points agree with
// the games. People enter and begin with buttons, some resign, one withdraws, one runs out of time, and the bot stops
// in the middle.
func TestTournamentOfEight(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	people := r.People(8)
	card := r.OpenTournament(bottest.Tavern, people)
	r.WantText(r.Click(localdiscord.Bart, card, "Sign up"), "already in Winter cup")
	r.WantText(r.Click(localdiscord.Bart, card, "Leave"), "You've left")
	r.WantText(r.Click(localdiscord.Bart, card, "Start now"), "Only moderators")
	r.WantText(r.Click(localdiscord.Bart, card, "Sign up"), "You've signed up")
	r.TournamentCard(bottest.Tavern, "8 players so far")
	r.WantText(r.Command(localdiscord.Bart, bottest.Tavern, "tournament"), "8 players so far")
	r.WantText(r.Click(localdiscord.Mary, card, "Start now"), "begins")
	late, gone := "", people[7]
	for round := 1; round <= 7; round++ {
		c := r.Settled(round)
		if c.Over() {
			t.Fatalf("it was over in round %d: %s", round, c.Rules.Why)
		}
		heads := r.Pairings()
		if round == 1 {
			r.Eventually("threads that say their tournament when they say their table", func() bool {
				return !slices.ContainsFunc(r.Threads(), func(c localdiscord.Channel) bool {
					return !strings.HasPrefix(c.Name, "#") || !strings.Contains(c.Name, "Winter cup")
				})
			})
		}
		if round == 3 { // a user withdraws during a game
			sure := r.Click(gone, r.Command(gone, bottest.Tavern, "tournament"), "Leave")
			r.WantText(sure, "If you withdraw")
			r.WantText(r.Click(gone, sure, "Yes, withdraw"), "You've withdrawn")
			r.Eventually("the withdrawn player's game over", func() bool { return len(r.Pairings()) == len(heads)-1 })
			heads = r.Pairings()
		}
		for i, h := range heads {
			switch {
			case round == 5 && i == len(heads)-1: // nobody moves at this table
				late = h.Seats[h.ToMove].User
				r.Eventually("the other games over", func() bool { return len(r.Pairings()) == 1 })
				clock.Advance(2*bottest.Day + time.Minute)
			default:
				resignAt(r, h.Seats[i%2].User, h)
			}
			if round == 2 && i == 1 {
				r.Stop()
				r.Start()
			}
		}
	}
	r.Eventually("the end", func() bool { return r.FirstCompetition().Over() })
	r.NextSaying(bottest.Tavern, "0", "All games are over")
	c := r.FirstCompetition()
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
			if seat := slices.IndexFunc(p.Seats, func(e int) bool {
				return c.Rules.Entrants[e].User == late
			}); seat < 0 || p.Points[seat] != 0 {
				t.Errorf("who was out of time has %+v", p)
			}
		}
	}
	if byTime != 1 {
		t.Errorf("%d games by time, want 1", byTime)
	}
	exports(r, people[0], bottest.Tavern, c)
	for round := 1; round <= 7; round++ {
		if n := saidTimes(r, bottest.Tavern, fmt.Sprintf("**Round %d of 7**", round)); n != 1 {
			t.Errorf("round %d was told %d times", round, n)
		}
	}
	walkovers := 0
	for _, m := range r.Server.Messages(bottest.Tavern, localdiscord.Anne) {
		walkovers += strings.Count(m.Text(), ", walkover")
	}
	if walkovers != 5 {
		t.Errorf("%d walkovers were told, want 5: one in the middle of the game, and four to come", walkovers)
	}
	table := r.Command(localdiscord.Anne, bottest.Tavern, "tournament", bottest.Do("standings"))
	for _, want := range []string{"`1`", "`8`", "direct encounter", "Sonneborn-Berger"} {
		r.WantText(table, want)
	}
	t.Logf("%s", table.Text())
	r.WantText(r.Command(localdiscord.Anne, bottest.Tavern, "tournament", bottest.Do("pairings")), "round 7 of 7")
	r.WantText(r.Command(gone, bottest.Tavern, "tournament", bottest.Do("enter")), "Sign-up is closed")
}

// mortal is a store that fails after some changes related to competitions, to simulate that the process is killed.
type mortal struct {
	*storage.Store
	*death
}

type death struct {
	mu    sync.Mutex
	armed bool
	left  int  // number of changes before the one that fails
	taken bool // if set, the failing change is still stored
	dead  bool
	died  map[string]int // how often it has failed, by the method of the store
}

var errDead = errors.New("the process is dead")

func (m mortal) die(method string, do func() error) error {
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
	m.dead = true
	m.died[method]++
	return errDead
}

func (m mortal) Create(ctx context.Context, c storage.Change) (id storage.ID, err error) {
	err = m.die("Create", func() error { id, err = m.Store.Create(ctx, c); return err })
	return id, err
}

func (m mortal) ChangeCompetition(ctx context.Context, old, c storage.Competition, fence storage.Fence) error {
	return m.die("ChangeCompetition", func() error { return m.Store.ChangeCompetition(ctx, old, c, fence) })
}

func (m mortal) Commit(ctx context.Context, c storage.Change) error {
	do := func() error { return m.Store.Commit(ctx, c) }
	if c.Head.Competition.Number != 0 && c.Head.Status == storage.Over && c.Head.Competition.Reported {
		return m.die("Commit", do)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errDead
	}
	return do()
}

// arm revives the store. If armed is set, the store will fail again. With d.taken, it stores the next change and then
// fails. Otherwise it stores the next change, and fails at the one after without storing it.
func (d *death) arm(armed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed, d.dead, d.left = armed, false, 0
	if !d.taken {
		d.left = 1
	}
}

// met checks that the store has failed at each of the given methods. The number of failures depends on how many games
// the process evaluates at once.
func (d *death) met(t *testing.T, methods ...string) {
	t.Helper()
	t.Logf("killed at %v", d.died)
	for _, method := range methods {
		if d.died[method] == 0 {
			t.Errorf("never killed at %s", method)
		}
	}
}

func (d *death) isDead() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dead
}

// mortalRig returns a rig whose store, once armed, fails before or, if taken is set, after a change.
func mortalRig(t *testing.T, taken bool) (*bottest.Rig, *death, *manual.Clock) {
	t.Helper()
	end := &death{taken: taken, died: map[string]int{}}
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Quiet = true
		r.Wrap = func(s *storage.Store) bottest.Store { return mortal{s, end} }
	}, func(o *localdiscord.Options) { o.Clock = clock })
	return r, end, clock
}

// kill restarts the bot whenever the store has failed, until there is nothing left to do.
func kill(r *bottest.Rig, end *death, clock *manual.Clock) {
	r.T.Helper()
	for dead := true; dead; {
		r.Eventually("dead or done", func() bool {
			dead = end.isDead()
			due, err := r.Store.CompetitionsDue(r.Ctx, storage.At(clock.Now()), 1)
			tables, terr := r.Store.DueUntil(r.Ctx, storage.At(clock.Now()), 1)
			return dead || err == nil && terr == nil && len(due)+len(tables) == 0
		})
		if dead {
			r.Stop()
			r.Log.Clear() // the log contains the failures of the store
			end.arm(true)
			r.Start()
		}
	}
}

// toldOnce fails the test if a public message occurs twice in a channel.
func toldOnce(r *bottest.Rig, channel string) {
	r.T.Helper()
	seen := map[string]bool{}
	for _, m := range r.Server.Messages(channel, localdiscord.Anne) {
		if m.EphemeralTo == "" && seen[m.Text()] {
			r.T.Errorf("told twice: %s", m.Text())
		}
		seen[m.Text()] = true
	}
}

// A tournament continues correctly if the store fails at the writes that record its progress, before or after the
// change is stored, and the bot restarts: each game has one table, and nothing is announced twice.
func TestTournamentSurvivesEveryDeath(t *testing.T) {
	t.Parallel()
	for what, taken := range map[string]bool{"before it is stored": false, "after it is stored": true} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r, end, clock := mortalRig(t, taken)
			people := r.People(3)
			card := r.OpenTournament(bottest.Tavern, people)
			r.Click(localdiscord.Mary, card, "Start now")
			end.arm(true)
			for kill(r, end, clock); !r.FirstCompetition().Over(); kill(r, end, clock) {
				for _, h := range r.Pairings() {
					resignAt(r, h.Seats[0].User, h)
				}
			}
			kill(r, end, clock) // the store can have failed after the loop's last kill
			end.arm(false)
			end.met(t, "Create", "ChangeCompetition", "Commit")
			c := r.FirstCompetition()
			for _, p := range c.Rules.Pairings {
				if id, err := storage.ParseID(p.Table); err != nil || p.End != competition.Played || id > 3 {
					t.Errorf("a pairing ended as %+v", p)
				}
			}
			heads, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Finished, 0, 10)
			if err != nil || len(heads) != 3 {
				t.Errorf("%d tables for three games: %v", len(heads), err)
			}
			toldOnce(r, bottest.Tavern)
			for _, want := range []string{"**Round 1 of 3**", "**Round 2 of 3**", "**Round 3 of 3**",
				"All games are over"} {
				if n := saidTimes(r, bottest.Tavern, want); n == 0 {
					t.Errorf("%q was never told", want)
				}
			}
		})
	}
}

// A game that reaches its deadline is lost by a player who used far more time than the other (CO-8). The table says
// that the game stops, and the competition's channel says what decided it. Pauses postpone the deadline, and so does
// time in which Discord refuses the board.
func TestTournamentDeadline(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		stop func(r *bottest.Rig, h table.Head) (goOn func())
	}{
		{"paused", func(r *bottest.Rig, h table.Head) func() {
			r.Command(localdiscord.Mary, h.Channel, "moderate pause")
			return func() { r.Command(localdiscord.Mary, h.Channel, "moderate resume") }
		}},
		{"unpublished", func(r *bottest.Rig, h table.Head) func() {
			broken := localdiscord.ServerError(http.StatusInternalServerError)
			broken.Method, broken.Path = http.MethodPost, "/channels/"+h.Channel+"/messages"
			mend := r.Server.AddFault(broken)
			r.TypeMove(h.Seats[h.ToMove].User, h.Channel, bottest.NewRand())
			r.Clock.(*manual.Clock).Advance(10 * time.Minute)
			r.Tables.Poke(h.ID)
			r.Eventually("the clock stands", func() bool { return r.Pairings()[0].Timing.HeldSince != 0 })
			return func() {
				mend()
				r.Tables.Poke(h.ID)
				r.Eventually("the clock goes on", func() bool { return r.Pairings()[0].Timing.HeldSince == 0 })
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
			r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true },
				func(o *localdiscord.Options) { o.Clock = clock })
			r.OpenTournament(bottest.Tavern, r.People(2), localdiscord.Opt("clock", "14d"),
				localdiscord.Opt("game-days", 3))
			clock.Advance(48 * time.Hour) // the end of the entry period
			r.Settled(1)
			h := r.Pairings()[0]
			goOn := tc.stop(r, h)
			clock.Advance(24 * time.Hour)
			goOn()
			h = r.Pairings()[0]
			slow := h.Seats[h.ToMove].User
			clock.Advance(2*bottest.Day + time.Hour)
			if c := r.FirstCompetition(); c.Over() {
				t.Fatal("the time that stood did not put the deadline off")
			}
			r.Eventually("a later deadline", func() bool {
				return r.FirstCompetition().Rules.Pairings[0].Stretch >= competition.Day
			})
			clock.Advance(bottest.Day)
			r.Eventually("the end", func() bool { return r.FirstCompetition().Over() && len(r.Pairings()) == 0 })
			c := r.FirstCompetition()
			p := c.Rules.Pairings[0]
			if seat := slices.IndexFunc(p.Seats, func(e int) bool {
				return c.Rules.Entrants[e].User == slow
			}); p.End != competition.Unfinished || p.Points[seat] != 0 {
				t.Errorf("it ended as %+v, and %s has thought all the time", p, slow)
			}
			r.NextSaying(h.Channel, "0", "its competition no longer needs it")
			r.NextSaying(bottest.Tavern, "0", "decided at the deadline")
		})
	}
}

// CO-7, CO-8: at the deadline of a table of three or more, players who have left the game are placed last.
func TestDeadlineOfATableThatSomebodyLeft(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	r.OpenTournament(bottest.Tavern, r.People(3), localdiscord.Opt("game", "freebooter"),
		localdiscord.Opt("kind", "pods"),
		localdiscord.Opt("rounds", 1), localdiscord.Opt("clock", "14d"), localdiscord.Opt("game-days", 3))
	clock.Advance(48 * time.Hour)
	r.Settled(1)
	h := r.Pairings()[0]
	left := (int(h.ToMove) + 1) % 3
	resignAt(r, h.Seats[left].User, h)
	clock.Advance(3*bottest.Day + time.Hour)
	r.Eventually("the end", func() bool { return r.FirstCompetition().Over() && len(r.Pairings()) == 0 })
	c := r.FirstCompetition()
	p := c.Rules.Pairings[0]
	for seat, e := range p.Seats {
		want, why := competition.Win, "has waited"
		switch c.Rules.Entrants[e].User {
		case h.Seats[h.ToMove].User:
			want, why = competition.Win/2, "has thought all the time"
		case h.Seats[left].User:
			want, why = 0, "has resigned"
		}
		if p.End != competition.Unfinished || p.Points[seat] != want {
			t.Errorf("who %s has %d points, want %d: %+v", why, p.Points[seat], want, p)
		}
	}
}

// A tournament's clocks stop and nothing is announced while the bot is not on the server. When the bot returns, the
// tournament continues with later deadlines. Deleting the server's data deletes the tournament.
func TestTournamentOfARemovedBot(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock })
	card := r.OpenTournament(bottest.Tavern, r.People(3))
	r.Click(localdiscord.Mary, card, "Start now")
	before := r.Settled(1).Rules.Pairings
	ready := slices.IndexFunc(before, func(p competition.Pairing) bool { return p.Ready != 0 })
	r.Must(r.Server.Admin.KickBot(localdiscord.Tortuga))
	r.Eventually("held up", func() bool { return r.FirstCompetition().Held() })
	// paused returns a condition: all games are paused if yes is true, and otherwise none is.
	paused := func(yes bool) func() bool {
		return func() bool {
			return !slices.ContainsFunc(r.Pairings(), func(h table.Head) bool { return (h.Paused != "") != yes })
		}
	}
	r.Eventually("its games paused", paused(true))
	messages := len(r.Server.Messages(bottest.Tavern, localdiscord.Anne))
	clock.Advance(20 * bottest.Day)
	r.Stop()
	r.Start()
	clock.Advance(time.Minute)
	if c := r.FirstCompetition(); c.Over() || c.Rules.Pairings[ready].End != "" {
		t.Fatalf("something went on without the bot: %+v", c.Rules.Pairings[ready])
	}
	if n := len(r.Server.Messages(bottest.Tavern, localdiscord.Anne)); n != messages {
		t.Errorf("%d messages were posted where the bot is not", n-messages)
	}
	r.Must(r.Server.Admin.InviteBot(localdiscord.Tortuga))
	r.Eventually("going on", func() bool { return !r.FirstCompetition().Held() })
	r.Eventually("its games going on", paused(false))
	if was, is := before[ready].Deadline,
		r.FirstCompetition().Rules.Pairings[ready].Deadline; is < was+20*competition.Day {
		t.Errorf("the deadline moved by %v hours only", (is-was)/competition.Hour)
	}
	r.NextSaying(bottest.Tavern, "0", "All deadlines were stopped for a while.")
	r.NextSaying(bottest.Tavern, "0", "Every deadline is extended")
	for round := 1; !r.Settled(round).Over(); round++ {
		for _, h := range r.Pairings() {
			resignAt(r, h.Seats[0].User, h)
		}
		r.Eventually("the round's end",
			func() bool { return r.FirstCompetition().Over() || r.FirstCompetition().Rules.Round > round })
	}
	r.Must(r.Server.Admin.KickBot(localdiscord.Tortuga))
	r.Eventually("removed", func() bool { list, err := r.Store.Removals(r.Ctx); return err == nil && len(list) == 1 })
	clock.Advance(servers.Grace + time.Hour)
	r.Eventually("deleted", func() bool {
		_, err := r.Competitions.Get(r.Ctx, compete.ID{Server: localdiscord.Tortuga, Number: 1})
		return errors.Is(err, storage.ErrNoCompetition)
	})
}

// forgetful is a store that, while deaf is set, fails to record that a competition's announcement was posted.
type forgetful struct {
	*storage.Store
	deaf *atomic.Bool
}

func (f forgetful) ChangeCompetition(ctx context.Context, old, c storage.Competition, fence storage.Fence) error {
	if f.deaf.Load() && c.Messages > old.Messages {
		return errDead
	}
	return f.Store.ChangeCompetition(ctx, old, c, fence)
}

// Changes that occur after an announcement was posted, but before the post was recorded, are announced, and the earlier
// announcement is not repeated.
func TestNewsAfterNewsThatWereNotNoted(t *testing.T) {
	t.Parallel()
	var deaf atomic.Bool
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Quiet = true
		r.Wrap = func(s *storage.Store) bottest.Store { return forgetful{s, &deaf} }
	})
	people := r.People(3)
	card := r.OpenTournament(bottest.Tavern, people)
	deaf.Store(true)
	r.Click(localdiscord.Mary, card, "Start now")
	r.NextSaying(bottest.Tavern, "0", "**Round 1 of 3**")
	r.Click(people[0], r.Command(people[0], bottest.Tavern, "tournament", bottest.Do("leave")), "Yes, withdraw")
	if c := r.FirstCompetition(); c.Messages != 0 || c.Batch == 0 || c.Batch >= len(c.News) {
		t.Fatalf("told %d times, %d of %d news are told together", c.Messages, c.Batch, len(c.News))
	}
	r.Stop()
	r.Log.Clear() // the log contains the failures of the store
	deaf.Store(false)
	r.Start()
	r.Eventually("all told", func() bool { return len(r.FirstCompetition().News) == 0 })
	toldOnce(r, bottest.Tavern)
	for _, want := range []string{"**Round 1 of 3**", "<@" + people[0] + "> has withdrawn"} {
		if n := saidTimes(r, bottest.Tavern, want); n != 1 {
			t.Errorf("%q was told %d times", want, n)
		}
	}
}

// A tournament whose channel was deleted is paused until it gets another channel, where it continues.
func TestTournamentWithoutAChannel(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	harbour := localdiscord.TortugaHarbour
	card := r.OpenTournament(harbour, r.People(2))
	r.Must(r.Server.Admin.DeleteChannel(harbour))
	r.Eventually("held up", func() bool { return r.FirstCompetition().HeldFor(storage.PausedChannelGone) })
	r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "moderate competition start",
		localdiscord.Opt("competition", "1")),
		"on hold")
	r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "moderate competition here",
		localdiscord.Opt("competition", "1")),
		"continues in this channel")
	moved := r.TournamentCard(bottest.Tavern)
	if moved.ID == card.ID {
		t.Error("the card did not move")
	}
	r.Click(localdiscord.Mary, moved, "Start now")
	r.Settled(1)
	if n := len(r.Pairings()); n != 1 {
		t.Errorf("%d tables after the tournament moved", n)
	}
}

// The tables of a tournament that moves from a deleted channel move with it: each continues in a separate thread, where
// its players see the board. A table that had been moved elsewhere stays there.
func TestATournamentTakesItsTablesAlong(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	harbour, mary := localdiscord.TortugaHarbour, localdiscord.Mary
	card := r.OpenTournament(harbour, r.People(6))
	r.Click(mary, card, "Start now")
	r.Settled(1)
	heads := r.Pairings()
	elsewhere := heads[0].ID
	r.WantText(r.Command(mary, bottest.Tavern, "table here", localdiscord.Opt("table", elsewhere.String())),
		"is now in this channel")
	before := r.Published(elsewhere)
	r.Must(r.Server.Admin.DeleteChannel(harbour))
	at := func(id table.ID) *table.Snapshot {
		t.Helper()
		snap, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
		r.Must(err)
		return snap
	}
	r.Eventually("tables without a channel", func() bool {
		for _, h := range heads[1:] {
			if at(h.ID).Paused != storage.PausedChannelGone {
				return false
			}
		}
		return r.FirstCompetition().HeldFor(storage.PausedChannelGone)
	})
	r.WantText(r.Command(mary, bottest.Tavern, "moderate competition here", localdiscord.Opt("competition", "1")),
		"continues in this channel")
	threads := map[string]bool{}
	for _, h := range heads[1:] {
		threads[comesAlong(r, h.ID, bottest.Tavern)] = true
	}
	if len(threads) != 2 {
		t.Errorf("%d tables came along, of %d", len(threads), len(heads))
	}
	if now := at(elsewhere); now.Head.Events != before.Head.Events || now.Channel != bottest.Tavern {
		t.Errorf("the table elsewhere is in %s, and %d events came", now.Channel, now.Head.Events-before.Head.Events)
	}
	if n := r.FirstCompetition(); len(n.Posted) > 0 || n.Held() {
		t.Errorf("after all came along the tournament is held: %v, and posted %v", n.Held(), n.Posted)
	}
}

// comesAlong waits until a table continues in a thread of the tournament's channel, with one card, where its players
// see the board and move. It returns the thread.
func comesAlong(r *bottest.Rig, id table.ID, channel string) (thread string) {
	r.T.Helper()
	r.Eventually("a table that came along", func() bool {
		now, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
		r.Must(err)
		return now.Paused == "" && now.InThreadOf(channel) && now.Card.Shown != "" &&
			len(r.FirstCompetition().Bring) == 0
	})
	now := r.Published(id)
	if cards := saidTimes(r, channel, "· #"+id.String()+" ·"); cards != 1 {
		r.T.Errorf("the table has %d cards, want 1", cards)
	}
	mover := now.Seats[now.ToMove].User
	r.WantText(r.Command(mover, now.Channel, "move", localdiscord.Opt("move", r.FirstMove(mover, now.Channel))),
		"Played:")
	return now.Channel
}

// Tables stay in their channel when their tournament moves from a channel that still exists. They follow, without a
// message about a pause, when that channel is deleted. A table that loses only its thread is paused until the
// tournament is brought to its channel again.
func TestATableThatLosesItsChannelComesToItsTournament(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	harbour, mary := localdiscord.TortugaHarbour, localdiscord.Mary
	r.Click(mary, r.OpenTournament(harbour, r.People(4)), "Start now")
	r.Settled(1)
	heads := r.Pairings()
	r.WantText(r.Command(mary, bottest.Tavern, "moderate competition here", localdiscord.Opt("competition", "1")),
		"continues in this channel")
	r.TournamentCard(bottest.Tavern)
	r.Eventually("all tables were looked at", func() bool { return len(r.FirstCompetition().Bring) == 0 })
	for _, h := range heads {
		if now := r.Published(h.ID); now.Channel != h.Channel || now.Paused != "" {
			t.Errorf("while its channel is there, the table goes from %s to %s (%q)", h.Channel, now.Channel,
				now.Paused)
		}
	}
	r.Must(r.Server.Admin.DeleteChannel(harbour))
	threads := map[string]bool{}
	for _, h := range heads {
		threads[comesAlong(r, h.ID, bottest.Tavern)] = true
	}
	if len(threads) != len(heads) {
		t.Errorf("%d tables came to %d threads", len(heads), len(threads))
	}
	for _, h := range heads {
		for _, o := range h.Seats {
			dm, err := r.Server.DM(o.User)
			r.Must(err)
			prefs, err := r.Tables.Choices.Preferences(r.Ctx, o.User)
			r.Must(err)
			if written := r.Server.Messages(dm, o.User); len(written)+len(prefs.Notices) > 0 {
				t.Errorf("<@%s> was told that the table stands: %d messages, %v", o.User, len(written), prefs.Notices)
			}
		}
	}
	id := heads[0].ID
	r.Must(r.Server.Admin.DeleteChannel(r.Published(id).Channel))
	r.Eventually("a table without its thread", func() bool {
		now, err := r.Tables.Lookup.Snapshot(r.Ctx, id)
		r.Must(err)
		return now.Paused == storage.PausedChannelGone
	})
	r.WantText(r.Command(mary, bottest.Tavern, "moderate competition here", localdiscord.Opt("competition", "1")),
		"continues in this channel")
	comesAlong(r, id, bottest.Tavern)
}

// If a tournament's game was moved to another channel and that channel is deleted, the game returns to the tournament's
// channel.
func TestATableThatWasBroughtElsewhereComesBack(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	harbour, mary := localdiscord.TortugaHarbour, localdiscord.Mary
	r.Click(mary, r.OpenTournament(bottest.Tavern, r.People(2)), "Start now")
	r.Settled(1)
	id := r.Pairings()[0].ID
	r.WantText(r.Command(mary, harbour, "table here", localdiscord.Opt("table", id.String())),
		"is now in this channel")
	r.Published(id)
	r.Must(r.Server.Admin.DeleteChannel(harbour))
	comesAlong(r, id, bottest.Tavern)
}

// A game whose channel was deleted is moved to its tournament's channel, even if it was only paused and nothing
// recorded that it must be moved.
func TestATableFollowsItsTournamentAfterADeath(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	harbour := localdiscord.TortugaHarbour
	r.Click(localdiscord.Mary, r.OpenTournament(harbour, r.People(2)), "Start now")
	r.Settled(1)
	id := r.Pairings()[0].ID
	r.WantText(r.Command(localdiscord.Mary, bottest.Tavern, "moderate competition here",
		localdiscord.Opt("competition", "1")),
		"continues in this channel")
	r.TournamentCard(bottest.Tavern)
	r.Eventually("the table was looked at", func() bool { return len(r.FirstCompetition().Bring) == 0 })
	r.Published(id)
	r.Stop()
	r.Must(r.Server.Admin.DeleteChannel(harbour))
	r.Start()
	_, err := r.Tables.PauseFor(r.Ctx, id, storage.PausedChannelGone)
	r.Must(err)
	comesAlong(r, id, bottest.Tavern)
}

// Only entrants can play in a game of a tournament: no seat can be offered, no hint can be asked for, and the game can
// be resigned but not stopped. Its result can be voided and restored. A user whose data are deleted is withdrawn and no
// longer named.
func TestTournamentTables(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	people := r.People(4)
	card := r.OpenTournament(bottest.Tavern, people, localdiscord.Opt("rated", false))
	r.Click(localdiscord.Mary, card, "Start now")
	r.Settled(1)
	heads := r.Pairings()
	h := heads[0]
	mover := h.Seats[h.ToMove].User
	r.WantText(r.Command(mover, h.Channel, "table leave"), "seats at a competition's table are fixed")
	r.WantText(r.Command(localdiscord.Mary, h.Channel, "moderate remove", localdiscord.Opt("who", mover)),
		"seats at a competition's table are fixed")
	r.WantText(r.Command(mover, h.Channel, "hint"), "There are no hints in a competition")
	r.WantText(r.Command(mover, h.Channel, "table abandon"), "belongs to a competition, so stopping means resigning")
	resignAt(r, mover, h)
	r.Eventually("the result", func() bool {
		return r.FirstCompetition().Rules.Pairings[h.Competition.Game-1].End == competition.Played
	})
	r.WantText(r.Command(mover, h.Channel, "record verify"), "follows the rules")
	purser := r.Purser()
	void := func(command string, want competition.End) {
		t.Helper()
		r.Command(purser, bottest.Tavern, "server ratings "+command, localdiscord.Opt("ended", h.ID.String()))
		r.Eventually(command,
			func() bool { return r.FirstCompetition().Rules.Pairings[h.Competition.Game-1].End == want })
	}
	void("void", competition.Void)
	void("restore", competition.Played)
	gone := heads[1].Seats[0].User
	r.Must(r.Privacy.Forget(r.Ctx, gone))
	r.Eventually("withdrawn", func() bool {
		c := r.FirstCompetition()
		_, entered := c.Rules.Entrant(gone)
		left := slices.ContainsFunc(r.Pairings(), func(h table.Head) bool { return h.ID == heads[1].ID })
		return !entered && !left
	})
	c := r.FirstCompetition()
	if p := c.Rules.Pairings[heads[1].Competition.Game-1]; p.End != competition.Walkover &&
		p.End != competition.Played {
		t.Errorf("the game of who is gone ended as %+v", p)
	}
	if m := r.Command(localdiscord.Mary, bottest.Tavern, "tournament",
		bottest.Do("standings")); strings.Contains(m.Text(), gone) ||
		!strings.Contains(m.Text(), "former sailor") {
		t.Errorf("the standings: %s", m.Text())
	}
}

// playCup ends the game at each open table by resignations of all players except the one in the first seat, until the
// tournament is over. It checks the sum of the points of each game (CO-7).
func playCup(r *bottest.Rig, between func(round int)) compete.Competition {
	r.T.Helper()
	for last := 0; ; {
		var c compete.Competition
		r.Eventually("a table, or the end", func() bool {
			c = r.FirstCompetition()
			return c.Over() || len(c.Rules.ToOpen()) == 0 && len(c.News) == 0 && len(r.Pairings()) > 0
		})
		if c.Over() {
			for _, p := range c.Rules.Pairings {
				sum := 0
				for _, n := range p.Points {
					sum += n
				}
				if len(p.Seats) > 1 && sum != competition.Win*len(p.Seats)/2 {
					r.T.Errorf("a table of %d shares %d parts of %d: %+v", len(p.Seats), sum, competition.Win, p)
				}
			}
			return c
		}
		if c.Rules.Round > last {
			last = c.Rules.Round
			between(last)
		}
		for _, h := range r.Pairings() {
			for _, o := range h.Seats[1:] {
				resignAt(r, o.User, h)
			}
			r.Eventually("the game reported", func() bool { return r.FirstCompetition().Rules.Pairings[h.Competition.Game-1].End != "" })
		}
	}
}

// Nine people play Freebooter at tables of three. A tenth enters during the first round, so the second round has two
// tables of three and two tables of two. No two people meet more than twice.
func TestPodTournamentOfNine(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
	people := r.People(10)
	card := r.OpenTournament(bottest.Tavern, people[:9], localdiscord.Opt("game", "freebooter"),
		localdiscord.Opt("kind", "pods"),
		localdiscord.Opt("rounds", 3), localdiscord.Opt("late-until", 2))
	r.Click(localdiscord.Mary, card, "Start now")
	c := playCup(r, func(round int) {
		if round == 1 {
			r.WantText(r.Click(people[9], r.TournamentCard(bottest.Tavern, "Free places can be taken"), "Sign up"),
				"from the next round on")
		}
	})
	met, sizes := map[[2]int]int{}, map[int][]int{}
	for _, p := range c.Rules.Pairings {
		sizes[p.Round] = append(sizes[p.Round], len(p.Seats))
		for i, a := range p.Seats {
			for _, b := range p.Seats[i+1:] {
				met[[2]int{min(a, b), max(a, b)}]++
			}
		}
	}
	for pair, n := range met {
		if n > 2 {
			t.Errorf("%v met %d times", pair, n)
		}
	}
	if len(sizes[1]) != 3 || slices.Max(sizes[1]) != 3 || slices.Min(sizes[1]) != 3 || len(sizes[2]) != 4 ||
		slices.Min(sizes[2]) != 2 {
		t.Errorf("the tables have %v", sizes)
	}
	shown := r.Command(people[9], bottest.Tavern, "tournament", bottest.Do("standings"))
	for _, want := range []string{"`10`", "At each table the winner", "Buchholz"} {
		r.WantText(shown, want)
	}
	for _, said := range regexp.MustCompile(`first (\d+)×.*Wins (\d+)`).FindAllStringSubmatch(shown.Text(), -1) {
		if said[1] == said[2] {
			t.Errorf("the standings say twice how many were won: %s", said[0])
		}
	}
	t.Logf("%s", shown.Text())
}

// In Swiss rounds of five players, nobody has a second bye and no two meet twice. In a knock-out of four, each match
// has two games with the seats swapped, and a third if the match is level after them.
func TestSwissRoundsAndKnockOut(t *testing.T) {
	t.Parallel()
	t.Run("swiss", func(t *testing.T) {
		t.Parallel()
		r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
		card := r.OpenTournament(bottest.Tavern, r.People(5), localdiscord.Opt("kind", "swiss"),
			localdiscord.Opt("rounds", 3))
		r.Click(localdiscord.Mary, card, "Start now")
		c := playCup(r, func(int) {})
		met, byes := map[[2]int]int{}, map[int]int{}
		for _, p := range c.Rules.Pairings {
			if p.End == competition.Bye {
				byes[p.Seats[0]]++
				continue
			}
			met[[2]int{min(p.Seats[0], p.Seats[1]), max(p.Seats[0], p.Seats[1])}]++
		}
		if len(byes) != 3 || len(met) != 6 {
			t.Errorf("byes %v, meetings %v: want 3 and 6 different ones", byes, met)
		}
		r.NextSaying(bottest.Tavern, "0", "has a bye")
		r.WantText(r.Command(localdiscord.Anne, bottest.Tavern, "tournament", bottest.Do("standings")), "Buchholz")
	})
	t.Run("knock-out", func(t *testing.T) {
		t.Parallel()
		r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true })
		card := r.OpenTournament(bottest.Tavern, r.People(4), localdiscord.Opt("kind", "knock-out"))
		r.Click(localdiscord.Mary, card, "Start now")
		c := playCup(r, func(int) {})
		seats, deciders := map[[2]int]int{}, 0
		for _, p := range c.Rules.Pairings {
			if p.Leg == 3 {
				deciders++
				continue
			}
			seats[[2]int{p.Seats[0], p.Seats[1]}]++
		}
		for pair, n := range seats {
			if n != 1 || seats[[2]int{pair[1], pair[0]}] != 1 {
				t.Errorf("%v have sat so %d times, and %d times the other way round", pair, n,
					seats[[2]int{pair[1], pair[0]}])
			}
		}
		if len(seats) != 6 || deciders != 3 { // the first seat wins each game, so all matches are level after two
			t.Errorf("%d games in different seats and %d deciders of three matches", len(seats), deciders)
		}
		if n := saidTimes(r, bottest.Tavern, "a third game"); n == 0 {
			t.Error("nobody was told of a third game")
		}
		r.WantText(r.Command(localdiscord.Anne, bottest.Tavern, "tournament", bottest.Do("standings")),
			"how far they got")
	})
}

// A tournament continues when another process takes over: no game has two tables, and nothing is announced twice.
func TestTournamentChangesItsProcess(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Quiet, r.Leases, r.Grace = true, shardstest.New(timesource.System{}),
			time.Minute
	},
		func(o *localdiscord.Options) { o.Shards, o.MaxConcurrency = 2, 2 })
	card := r.OpenTournament(bottest.Tavern, r.People(4))
	r.Click(localdiscord.Mary, card, "Start now")
	second := sync.OnceFunc(r.Join())
	defer second()
	c := playCup(r, func(round int) {
		if round == 2 {
			r.Leave()
		}
	})
	tables := map[string]bool{}
	for _, p := range c.Rules.Pairings {
		tables[p.Table] = true
	}
	heads, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Finished, 0, 100)
	if err != nil || len(heads) != 6 || len(tables) != 6 {
		t.Errorf("%d tables, of which the tournament knows %d, for six games: %v", len(heads), len(tables), err)
	}
	r.NextSaying(bottest.Tavern, "0", "All games are over")
	seen := map[string]bool{}
	for _, m := range r.Server.Messages(bottest.Tavern, localdiscord.Anne) {
		if m.EphemeralTo == "" && seen[m.Text()] {
			t.Errorf("told twice: %s", m.Text())
		}
		seen[m.Text()] = true
	}
}
