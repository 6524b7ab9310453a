package compete_test

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/compete"
	"marque/bot/servers"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/competition"
	"marque/games/example/heap"
	"marque/games/text"
	"marque/storage"
	"marque/storage/storagetest"
)

// counting is a store that counts how often competitions are read and tables are changed.
type counting struct {
	*storage.Store
	reads, commits atomic.Int64
	damaged        atomic.Bool // makes reading and changing competitions fail
	forgetting     atomic.Bool // set while users' data are being deleted
}

func (s *counting) UnderWay(ctx context.Context, w storage.Work) (bool, error) {
	going, err := s.Store.UnderWay(ctx, w)
	return going || w.Kind == storage.Forgetting && s.forgetting.Load(), err
}

func (s *counting) Reread(ctx context.Context, known storage.Competition) (storage.Competition, error) {
	s.reads.Add(1)
	if s.damaged.Load() {
		return storage.Competition{}, storage.ErrDamaged
	}
	return s.Store.Reread(ctx, known)
}

func (s *counting) ChangeCompetition(ctx context.Context, old, c storage.Competition, fence storage.Fence) error {
	if s.damaged.Load() {
		return storage.ErrDamaged
	}
	return s.Store.ChangeCompetition(ctx, old, c, fence)
}

// mostCommits is the maximum number of changes of tables in a counting store. A test with more has an endless loop.
const mostCommits = 1_000

func (s *counting) Commit(ctx context.Context, c storage.Change) error {
	if s.commits.Add(1) > mostCommits {
		return storage.ErrClosed
	}
	return s.Store.Commit(ctx, c)
}

// meddled is an Announcer that calls meddle before it announces, shows a card, posts a pairing or opens a thread.
type meddled struct {
	announcer
	meddle func(p competition.Pairing) // called with the call's pairing, or a zero pairing
}

func (m meddled) Announce(ctx context.Context, n compete.Competition) error {
	m.meddle(competition.Pairing{})
	return m.announcer.Announce(ctx, n)
}

func (m meddled) ShowCard(ctx context.Context, n compete.Competition) (string, error) {
	m.meddle(competition.Pairing{})
	return m.announcer.ShowCard(ctx, n)
}

func (m meddled) PostPairing(ctx context.Context, n compete.Competition, p competition.Pairing,
	lost string) (string, error) {
	m.meddle(p)
	return m.announcer.PostPairing(ctx, n, p, lost)
}

func (m meddled) OpenThread(
	ctx context.Context, n compete.Competition, p competition.Pairing, message string,
) (string, error) {
	m.meddle(p)
	return m.announcer.OpenThread(ctx, n, p, message)
}

// oneGame begins the first competition and returns its only table. It must be called in a synctest bubble.
func (r *simulation) oneGame() table.Head {
	r.t.Helper()
	host := r.as("host")
	host.Moderator = true
	if _, err := r.competitions.Begin(r.t.Context(), host, r.ids[0]); err != nil {
		r.t.Fatal(err)
	}
	synctest.Wait()
	heads, err := r.service.Lookup.ByGuild(r.t.Context(), "server0", storage.Active, 0, 1)
	if err != nil || len(heads) != 1 {
		r.t.Fatalf("%d tables are open: %v", len(heads), err)
	}
	return heads[0]
}

// opened returns a simulation with one competition, its entrants, and its store.
func opened(t *testing.T, setup competition.Setup, people int) (*simulation, *counting) {
	t.Helper()
	file, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "marque.db"))
	if err != nil {
		t.Fatal(err)
	}
	store := &counting{Store: file}
	r := &simulation{t: t, store: file, rng: rand.New(rand.NewPCG(1, 30)),
		clock:  manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)),
		people: map[string]*simulatedPlayer{}, turns: map[table.ID]answer{}, told: map[toldOf]bool{}}
	r.service, r.competitions = r.process(store)
	r.enter([]entryList{{setup: setup, size: people}})
	return r, store
}

// process returns services for tables and competitions on a store. No competition runs before the service for
// competitions is started.
func (r *simulation) process(store keeper) (*table.Service, *compete.Service) {
	log := slog.New(slog.DiscardHandler)
	tables := table.New(table.Config{Store: store, Games: find, Clock: r.clock, Log: log})
	return tables, compete.New(compete.Config{Tables: tables, Servers: servers.New(tables, store, log, nil),
		Store: store, Games: find, Clock: r.clock, Log: log})
}

// day is a day of the test clock.
const day = 24 * time.Hour

// keeper is a store of tables and competitions.
type keeper interface {
	table.Store
	servers.Store
	compete.Store
}

func find(key string) (games.Game, bool) {
	for _, g := range []games.Game{heap.Game} {
		if g.Key() == key {
			return g, true
		}
	}
	return nil, false
}

// When the 120 tables of a league open, the competition is read at most ten times: each step continues with the value
// that it has just stored.
func TestOpeningTablesReadsACompetitionOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, store := opened(t, competition.Setup{Kind: competition.League, Time: 28 * competition.Day, Division: 16,
			Seasons: 1}, 16)
		r.competitions.Start(announcer{r})
		r.service.Start(r)
		synctest.Wait()
		host := r.as("host")
		host.Moderator = true
		store.reads.Store(0)
		n, err := r.competitions.Begin(t.Context(), host, r.ids[0])
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		reads, before := store.reads.Load(), n.Version
		if n, err = r.competitions.Get(t.Context(), r.ids[0]); err != nil || len(n.Rules.ToOpen()) > 0 {
			t.Fatalf("%d tables are to be opened still: %v", len(n.Rules.ToOpen()), err)
		}
		if games := len(n.Rules.Pairings); games != 120 || n.Version < before+uint64(2*games) {
			t.Errorf("%d games were opened in %d steps", games, n.Version-before)
		}
		if reads > 10 {
			t.Errorf("for %d steps the competition was read %d times", n.Version-before, reads)
		}
		r.stop()
	})
}

// A change that another process makes to a competition during a step is kept, and the step is repeated on the changed
// competition. Each game has one table, and the cards of all tables are in the competition's channel.
func TestOtherProcessesChangeACompetitionBetweenSteps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		r, store := opened(t, competition.Setup{Kind: competition.RoundRobin, Time: 14 * competition.Day}, 4)
		id := r.ids[0]
		another, other := r.process(store)
		host := func() table.Actor {
			by := r.as("host")
			by.Moderator = true
			return by
		}
		calls, asked, moved, left := 0, false, false, false
		meddle := func(p competition.Pairing) {
			calls++
			n, err := other.Get(ctx, id)
			if err != nil {
				t.Error(err)
			}
			d, _ := n.Rules.Entrant("0-3")
			switch {
			case p.No != 0 && !moved:
				moved = true
				_, err = other.Rehouse(ctx, host(), id, "harbour")
			case p.Seat(d) >= 0 && len(n.Posted) > 0 && !left:
				left = true
				_, err = other.Leave(ctx, r.as("0-3"), id)
			case calls < 40 && !asked:
				_, err = other.Ask(ctx, host(), id, "0-0",
					table.Occupant{User: "mate", Name: text.NewName("Mate")})
				asked = err == nil
			case calls < 40:
				_, err = other.Unask(ctx, host(), id, "0-0")
				asked = false
			}
			if err != nil && !errors.Is(err, table.ErrOver) {
				t.Errorf("call %d: %v", calls, err)
			}
		}
		r.competitions.Start(meddled{announcer{r}, meddle})
		r.service.Start(r)
		if _, err := r.competitions.Begin(ctx, host(), id); err != nil {
			t.Fatal(err)
		}
		for round := 0; ; round++ {
			synctest.Wait()
			n, err := r.competitions.Get(ctx, id)
			if err != nil || round > 10 {
				t.Fatalf("after %d rounds: %+v, %v", round, n.Rules, err)
			}
			if n.Over() && len(n.News)+len(n.Stop) == 0 {
				break
			}
			heads, err := r.service.Lookup.ByGuild(ctx, id.Server, storage.Active, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range heads {
				if _, err := r.service.Resign(ctx, r.as(h.Seats[h.ToMove].User), h.ID); err != nil {
					t.Fatal(err)
				}
			}
			r.clock.Advance(time.Minute)
		}
		n, err := r.competitions.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if d, _ := n.Rules.Entrant("0-3"); !moved || !left || calls < 40 || n.Channel != "harbour" ||
			n.Card.Message != "card-harbour" || n.Rules.Entrants[d].OutFor != competition.OutLeft {
			t.Errorf("after %d calls it is in %q, its card is %q, and who left is %+v", calls, n.Channel,
				n.Card.Message, n.Rules.Entrants[d])
		}
		if err := n.Rules.Check(); err != nil {
			t.Error(err)
		}
		for _, p := range n.Rules.Pairings {
			if p.End == "" {
				t.Errorf("pairing %d of %v has not ended", p.No, p.Seats)
			}
			if p.Table != "" {
				r.counted(n, p)
			}
		}
		going, err := r.service.Lookup.ByGuild(ctx, id.Server, storage.Active, 0, 100)
		if err != nil || len(going) > 0 {
			t.Errorf("%d tables go on after the end: %v", len(going), err)
		}
		over, err := r.service.Lookup.ByGuild(ctx, id.Server, storage.Finished, 0, 100)
		if err != nil {
			t.Error(err)
		}
		seen := map[uint64]bool{}
		for _, h := range over {
			if seen[h.Competition.Game] || h.Card.Channel != "harbour" {
				t.Errorf("table %d of game %d, which may have another, is at %+v", h.ID, h.Competition.Game, h.Card)
			}
			seen[h.Competition.Game] = true
		}
		if err := another.Close(ctx); err != nil {
			t.Error(err)
		}
		r.stop()
	})
}

// A result that could not be stored in its competition is reported again, at growing intervals, until it counts. The
// game's table is changed only a few times in the first hour, and about once an hour afterwards.
func TestAReportThatFailsIsTriedAgainAfterPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		r, store := opened(t, competition.Setup{Kind: competition.RoundRobin, Time: 14 * competition.Day}, 2)
		r.competitions.Start(announcer{r})
		r.service.Start(r)
		h := r.oneGame()
		store.damaged.Store(true)
		if _, err := r.service.Resign(ctx, r.as(h.Seats[h.ToMove].User), h.ID); err != nil {
			t.Fatal(err)
		}
		hour := func() {
			for range 4 * 60 {
				r.clock.Advance(15 * time.Second)
				synctest.Wait()
			}
		}
		store.commits.Store(0)
		hour()
		first := store.commits.Load()
		if first < 3 || first > 20 {
			t.Errorf("in the first hour the table was changed %d times, want a few tries", first)
		}
		for range 5 {
			hour()
		}
		if later := store.commits.Load() - first; later < 3 || later > 15 {
			t.Errorf("in five more hours the table was changed %d times, want about one try an hour", later)
		}
		store.damaged.Store(false)
		hour()
		hour()
		n, err := r.competitions.Get(ctx, r.ids[0])
		if err != nil || n.Rules.Pairings[0].End != competition.Played {
			t.Errorf("once the competition can be read again its pairing is %+v: %v", n.Rules.Pairings, err)
		}
		r.stop()
	})
}

// While announcements and cards cannot be posted, the table of a competition's finished game is changed at most ten
// times in a minute.
func TestAFinishedTableMakesNoLoopWhileNothingIsPosted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		r, store := opened(t, competition.Setup{Kind: competition.RoundRobin, Time: 14 * competition.Day}, 2)
		var out atomic.Bool
		r.competitions.Start(failing{announcer{r}, func() error {
			if out.Load() {
				return errors.New("no answer")
			}
			return nil
		}})
		r.service.Start(r)
		h := r.oneGame()
		out.Store(true)
		if _, err := r.service.Resign(ctx, r.as(h.Seats[h.ToMove].User), h.ID); err != nil {
			t.Fatal(err)
		}
		store.commits.Store(0)
		for range 60 {
			r.clock.Advance(time.Second)
			synctest.Wait()
		}
		if n := store.commits.Load(); n > 10 {
			t.Errorf("in a minute the table was changed %d times", n)
		}
		n, err := r.competitions.Get(ctx, r.ids[0])
		if err != nil || n.Rules.Pairings[0].End != competition.Played || len(n.News) == 0 {
			t.Errorf("the pairing is %+v, with %d news: %v", n.Rules.Pairings, len(n.News), err)
		}
		r.stop()
	})
}

// Within 15 seconds after an outage of Discord of ten minutes, all 12 competitions have posted their announcements and
// cards, and opened their tables. During the outage, at most one competition is retried every ten seconds, in addition
// to those whose retries are due.
func TestCompetitionsGoOnSoonAfterAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const tournaments, outage = 12, 10 * time.Minute
		r, _ := opened(t, competition.Setup{Kind: competition.RoundRobin, Time: 14 * competition.Day}, 2)
		setup := competition.Setup{Kind: competition.RoundRobin, Time: 14 * competition.Day}
		r.enter(slices.Repeat([]entryList{{setup: setup, size: 2}}, tournaments-1))
		var out atomic.Bool
		var tries atomic.Int64
		out.Store(true)
		r.competitions.Start(failing{announcer{r}, func() error {
			tries.Add(1)
			if out.Load() {
				return errors.New("HTTP 503 Service Unavailable")
			}
			return nil
		}})
		r.service.Start(r)
		host := r.as("host")
		host.Moderator = true
		for _, id := range r.ids {
			host.Key = r.as("host").Key
			if _, err := r.competitions.Begin(t.Context(), host, id); err != nil {
				t.Fatal(err)
			}
		}
		pass := func(d time.Duration) {
			for range d / time.Second {
				r.clock.Advance(time.Second)
				synctest.Wait()
			}
		}
		pass(outage)
		// each competition's first try, its retries after pauses of 1, 2, 4 … 256 s, and those that test for the end of
		// the outage
		if got, most := tries.Load(), int64(tournaments*10+outage/(10*time.Second)); got > most {
			t.Errorf("%d tries in an outage of %v, want %d at most", got, outage, most)
		}
		out.Store(false)
		pass(15 * time.Second)
		late := 0
		for _, id := range r.ids {
			n, err := r.competitions.Get(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if len(n.News) > 0 || n.Card.Message == "" || len(n.Rules.ToOpen()) > 0 {
				late++
			}
		}
		if late > 0 {
			t.Errorf("15 s after the outage, %d of %d competitions do not go on; %d tries before",
				late, tournaments, tries.Load())
		}
		r.stop()
	})
}

// failing is an Announcer that fails with the error of fail when it announces changes or shows a card.
type failing struct {
	announcer
	fail func() error
}

func (f failing) Announce(ctx context.Context, n compete.Competition) error {
	return errors.Join(f.fail(), f.announcer.Announce(ctx, n))
}

func (f failing) ShowCard(ctx context.Context, n compete.Competition) (string, error) {
	if err := f.fail(); err != nil {
		return "", err
	}
	return f.announcer.ShowCard(ctx, n)
}

// A user whose data are being deleted cannot be asked to take over for an entrant, because the offer would be deleted,
// too.
func TestNobodyIsAskedWhileTheirDataAreDeleted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		r, store := opened(t, competition.Setup{Kind: competition.RoundRobin, Time: 14 * competition.Day}, 2)
		host := r.as("host")
		host.Moderator = true
		if _, err := r.competitions.Begin(ctx, host, r.ids[0]); err != nil {
			t.Fatal(err)
		}
		ask := func() (compete.Competition, error) {
			by := r.as("host")
			by.Moderator = true
			return r.competitions.Ask(ctx, by, r.ids[0], "0-0",
				table.Occupant{User: "mate", Name: text.NewName("Mate")})
		}
		store.forgetting.Store(true)
		if n, err := ask(); !errors.Is(err, table.ErrAsked) {
			t.Errorf("somebody is asked whose data are being deleted: %+v, %v", n.Rules.Offers, err)
		}
		store.forgetting.Store(false)
		if n, err := ask(); err != nil || len(n.Rules.Offers) != 1 {
			t.Errorf("once they are deleted the offers are %+v: %v", n.Rules.Offers, err)
		}
		r.stop()
	})
}

// A member who is no organiser can neither create a competition nor call off another user's. A moderator can call it
// off.
func TestOnlyOrganisersMakeCompetitions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := opened(t, competition.Setup{Kind: competition.RoundRobin, Time: 14 * competition.Day}, 2)
		defer r.stop()
		plan := compete.Plan{
			Name: text.NewName("Cup"), Channel: "c",
			Clock: storage.ClockRule{Mode: storage.PerMove, Time: day.Milliseconds()},
			Setup: competition.Setup{Kind: competition.RoundRobin, Game: heap.Game.Key(), Start: 1,
				Time: competition.Day},
		}
		_, err := r.competitions.Make(t.Context(), r.as("ann"), "server0", plan)
		if !errors.Is(err, table.ErrNotAllowed) {
			t.Errorf("a member makes a competition: %v, want %v", err, table.ErrNotAllowed)
		}
		if _, err := r.competitions.CallOff(t.Context(), r.as("ann"), r.ids[0]); !errors.Is(err, table.ErrNotAllowed) {
			t.Errorf("a member calls another's off: %v, want %v", err, table.ErrNotAllowed)
		}
		by := r.as("mia")
		by.Moderator = true
		if _, err := r.competitions.CallOff(t.Context(), by, r.ids[0]); err != nil {
			t.Errorf("a moderator calls it off: %v", err)
		}
	})
}

// refusing is an Announcer whose posts fail with the errors that its functions return.
type refusing struct {
	announcer
	post, thread func(pairing int) error
	tell         func() error
}

func (f refusing) Announce(ctx context.Context, n compete.Competition) error {
	if err := f.tell(); err != nil {
		return err
	}
	return f.announcer.Announce(ctx, n)
}

func (f refusing) ShowCard(ctx context.Context, n compete.Competition) (string, error) {
	if err := f.tell(); err != nil {
		return "", err
	}
	return f.announcer.ShowCard(ctx, n)
}

func (f refusing) PostPairing(ctx context.Context, n compete.Competition, p competition.Pairing,
	lost string) (string, error) {
	if err := f.post(p.No); err != nil {
		return "", err
	}
	return f.announcer.PostPairing(ctx, n, p, lost)
}

func (f refusing) OpenThread(
	ctx context.Context, n compete.Competition, p competition.Pairing, message string,
) (string, error) {
	if err := f.thread(p.No); err != nil {
		return "", err
	}
	return f.announcer.OpenThread(ctx, n, p, message)
}

// Pairings whose message or thread gets no answer from Discord do not keep the other pairings' tables from opening.
// They are retried until their own tables open. Only a channel that the bot cannot use puts the competition on hold.
func TestNoPairingWaitsForAnother(t *testing.T) {
	t.Parallel()
	never := func(int) error { return nil }
	lost, closed := errors.New("no answer"), &table.PermanentError{Err: errors.New("closed")}
	first := func(n int, err error) func(int) error {
		return func(pairing int) error {
			if pairing <= n {
				return err
			}
			return nil
		}
	}
	for _, tt := range []struct {
		name         string
		post, thread func(int) error
		fail         int
		held         bool
	}{
		{name: "a message gets no answer", post: first(1, lost), thread: never, fail: 1},
		{name: "a thread gets no answer", post: never, thread: first(1, lost), fail: 1},
		{name: "many messages get no answer", post: first(20, lost), thread: never, fail: 20},
		{name: "the channel is closed", post: first(28, closed), thread: never, fail: 28, held: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, _ := opened(t, competition.Setup{Kind: competition.League, Time: 28 * competition.Day, Division: 8,
					Seasons: 1}, 8)
				failing := atomic.Bool{}
				while := func(f func(int) error) func(int) error {
					return func(pairing int) error {
						if !failing.Load() {
							return nil
						}
						return f(pairing)
					}
				}
				tell := func() error {
					if tt.held && failing.Load() {
						return closed
					}
					return nil
				}
				r.competitions.Start(refusing{announcer{r}, while(tt.post), while(tt.thread), tell})
				r.service.Start(r)
				synctest.Wait()
				failing.Store(true)
				host := r.as("host")
				host.Moderator = true
				if _, err := r.competitions.Begin(t.Context(), host, r.ids[0]); err != nil {
					t.Fatal(err)
				}
				check := func(want int, held bool) {
					t.Helper()
					n, err := r.competitions.Get(t.Context(), r.ids[0])
					missing := 0
					for _, p := range n.Rules.Pairings {
						if p.Table == "" {
							missing++
						}
					}
					if err != nil || missing != want || n.HeldFor(storage.PausedChannelGone) != held {
						t.Errorf("%d of %d tables are missing, want %d; it is held: %q, %v", missing,
							len(n.Rules.Pairings), want, n.Rules.HeldFor, err)
					}
				}
				for range 40 {
					synctest.Wait()
					r.clock.Advance(5 * time.Minute)
				}
				synctest.Wait()
				check(tt.fail, tt.held)
				failing.Store(false)
				r.clock.Advance(time.Hour) // after this time a refused message is retried
				synctest.Wait()
				check(0, false)
				r.stop()
			})
		})
	}
}

// An error from a competition's former channel does not put the competition on hold if it arrives after the move.
func TestARefusalOfTheFormerChannelHoldsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := opened(t, competition.Setup{Kind: competition.League, Time: 28 * competition.Day, Division: 8,
			Seasons: 1}, 8)
		defer r.stop()
		host := r.as("host")
		host.Moderator = true
		never := func(int) error { return nil }
		refused := atomic.Bool{}
		r.competitions.Start(refusing{announcer{r}, never, never, func() error {
			if refused.Swap(true) {
				return errors.New("no answer") // a success would end a hold
			}
			if _, err := r.competitions.Rehouse(t.Context(), host, r.ids[0], "elsewhere"); err != nil {
				t.Error(err)
			}
			return &table.PermanentError{Err: errors.New("unknown channel")}
		}})
		r.service.Start(r)
		synctest.Wait()
		if _, err := r.competitions.Begin(t.Context(), host, r.ids[0]); err != nil {
			t.Fatal(err)
		}
		for range 40 {
			if synctest.Wait(); refused.Load() {
				break
			}
			r.clock.Advance(time.Minute)
		}
		n, err := r.competitions.Get(t.Context(), r.ids[0])
		if err != nil || !refused.Load() || n.Held() || n.Refused || n.Channel != "elsewhere" {
			t.Errorf("in %q it is held for %q, a channel refused: %t, %v", n.Channel, n.Rules.HeldFor, refused.Load(), err)
		}
	})
}
