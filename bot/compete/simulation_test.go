//go:build unix

package compete_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/choices"
	"marque/bot/compete"
	"marque/bot/table"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
	"marque/storage/kv/postgres"
	"marque/storage/kv/postgres/postgrestest"
	"marque/storage/storagetest"
)

var (
	simulatedTournaments = flag.Int("simulation.tournaments", 4,
		"so many tournaments are played to their ends in a file, and a quarter of them in a database")
	simulatedLeague = flag.Int("simulation.league", 6, "so many people play in the league")
)

const (
	// simulationStep is the length of a step of the simulation.
	simulationStep = 2 * time.Hour
	// simulationLimit is the time within which all competitions must end.
	simulationLimit = 400 * day
	// tournamentsAServer is the maximum number of competitions on each server.
	tournamentsAServer = 8
)

// Tournaments and a league end on both stores, although people reply late, leave the competition or the server, or
// vanish, and the bot is offline for hours and restarted. No pairing has two tables, and the tables' results count. The
// beginning of each round is announced once, and at least 95 % of the games end by play.
func TestCompetitionsEnd(t *testing.T) {
	t.Parallel()
	t.Run("in a file", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "marque.db")
		simulate(t, *simulatedTournaments, *simulatedLeague, func() (*storage.Store, error) {
			return storagetest.OpenFile(path)
		})
	})
	t.Run("in a database", func(t *testing.T) {
		t.Parallel()
		url, err := postgrestest.Start(t).Database()
		if err != nil {
			t.Fatal(err)
		}
		simulate(t, (*simulatedTournaments+3)/4, *simulatedLeague, func() (*storage.Store, error) {
			engine, err := postgres.Open(context.Background(), url)
			if err != nil {
				return nil, err
			}
			return storage.Open(context.Background(), engine)
		})
	})
}

// simulate plays the given number of tournaments, and a league of the given number of people, to their ends in a
// store.
func simulate(t *testing.T, tournaments, league int, store func() (*storage.Store, error)) {
	plans := plannedTournaments(tournaments)
	if league > 0 {
		plans = append(plans, entryList{size: league, setup: competition.Setup{Kind: competition.League,
			Time: 28 * competition.Day, Division: 10, Promote: 2, AtOnce: 3, Seasons: 1}})
	}
	synctest.Test(t, func(t *testing.T) {
		r := &simulation{t: t, open: store, rng: rand.New(rand.NewPCG(uint64(len(plans)), 30)),
			clock:  manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)),
			people: map[string]*simulatedPlayer{}, turns: map[table.ID]answer{}, told: map[toldOf]bool{}}
		r.start()
		r.enter(plans)
		r.run()
		r.check()
		r.stop()
	})
}

// entryList is a planned competition with the number of its entrants.
type entryList struct {
	setup competition.Setup
	size  int
}

// plannedTournaments returns n tournaments of 5 to 64 people, with the four kinds in turn.
func plannedTournaments(n int) []entryList {
	list := make([]entryList, n)
	for i := range list {
		kinds := []competition.Kind{competition.Swiss, competition.KnockOut, competition.Pods, competition.RoundRobin}
		l := entryList{size: 5 + i*7%60, setup: competition.Setup{Kind: kinds[i%len(kinds)],
			Time: 14 * competition.Day, Break: competition.Stamp(i%3) * competition.Day / 2, Late: i % 4}}
		switch l.setup.Kind {
		case competition.Pods:
			l.setup.Seats = 3 + i%2
		case competition.RoundRobin:
			l.size = 5 + i%12
		}
		list[i] = l
	}
	return list
}

// simulation runs the services for tables and competitions, and simulates the people who play.
type simulation struct {
	t            *testing.T
	open         func() (*storage.Store, error)
	rng          *rand.Rand
	clock        *manual.Clock
	store        *storage.Store
	service      *table.Service
	competitions *compete.Service
	keys         int
	ids          []compete.ID

	mu     sync.Mutex
	people map[string]*simulatedPlayer
	turns  map[table.ID]answer
	told   map[toldOf]bool
}

// simulatedPlayer describes how a person plays.
type simulatedPlayer struct {
	slow     bool // replies late
	leaves   time.Time
	deserts  bool      // leaves the server, not only the competition
	vanishes time.Time // makes no move after this time
	entered  compete.ID
}

// answer is the time at which the player to move at a table will reply.
type answer struct {
	version uint64
	user    string
	at      time.Time
}

// toldOf identifies a change that was announced in a channel.
type toldOf struct {
	of    compete.ID
	told  int
	place int
	news  competition.Change
}

func (r *simulation) start() {
	r.t.Helper()
	var err error
	if r.store, err = r.open(); err != nil {
		r.t.Fatal(err)
	}
	r.service, r.competitions = r.process(r.store)
	r.competitions.Start(announcer{r})
	r.service.Start(r)
	synctest.Wait()
}

func (r *simulation) stop() {
	r.t.Helper()
	if err := errors.Join(r.service.Close(r.t.Context()), r.store.Close()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *simulation) as(user string) table.Actor {
	r.keys++
	return table.Actor{User: user, Name: text.NewName("Captain " + user), Key: fmt.Sprint(1297650000000000000 + r.keys)}
}

// enter creates the planned competitions and enters people.
func (r *simulation) enter(plans []entryList) {
	r.t.Helper()
	ctx := r.t.Context()
	for i, plan := range plans {
		guild := fmt.Sprint("server", i/tournamentsAServer)
		if i%tournamentsAServer == 0 {
			if _, err := r.service.Choices.ChangeSettings(ctx, guild, func(s *choices.Settings) {
				s.Tables = choices.MostTables
			}); err != nil {
				r.t.Fatal(err)
			}
		}
		setup := plan.setup
		setup.Game, setup.Lapses, setup.Stretch = "heap", 2, 3*competition.Day
		setup.Start = competition.Stamp(storage.At(r.clock.Now().Add(time.Duration(24+i%24) * time.Hour)))
		host := r.as("host")
		host.Moderator = true
		n, err := r.competitions.Make(ctx, host, guild, compete.Plan{
			Name: text.NewName(fmt.Sprint("Cup ", i)), Channel: fmt.Sprint("channel", i), Setup: setup,
			Clock:   storage.ClockRule{Mode: storage.PerMove, Time: (2 * day).Milliseconds()},
			Options: []games.Setting{{Key: "size", Value: "5"}},
		})
		if err != nil {
			r.t.Fatal(err)
		}
		r.ids = append(r.ids, n.ID())
		for k := range plan.size {
			r.join(fmt.Sprintf("%d-%d", i, k), n.ID(), setup)
		}
	}
	synctest.Wait()
}

// join enters a user, who then plays with random habits.
func (r *simulation) join(user string, id compete.ID, setup competition.Setup) {
	r.t.Helper()
	who := &simulatedPlayer{slow: r.rng.IntN(6) == 0, entered: id}
	some := time.Duration(r.rng.Int64N(int64(3 * time.Duration(setup.Time) * time.Millisecond)))
	switch r.rng.IntN(100) {
	case 0:
		who.vanishes = r.clock.Now().Add(some)
	case 1, 2:
		who.leaves, who.deserts = r.clock.Now().Add(some), r.rng.IntN(2) == 0
	}
	r.mu.Lock()
	r.people[user] = who
	r.mu.Unlock()
	_, err := r.competitions.Enter(r.t.Context(), r.as(user), id)
	if err != nil && !errors.Is(err, table.ErrEntryClosed) && !errors.Is(err, table.ErrHeldUp) {
		r.t.Fatal(err)
	}
}

// run advances the clock until all competitions are over.
func (r *simulation) run() {
	r.t.Helper()
	ctx, begun := r.t.Context(), r.clock.Now()
	for tick := 1; ; tick++ {
		r.clock.Advance(simulationStep)
		synctest.Wait()
		for _, a := range r.ready() {
			r.play(a)
		}
		r.depart(ctx)
		switch {
		case tick%97 == 0: // the bot is offline
			r.service.SetOnline(false)
			r.clock.Advance(time.Duration(1+r.rng.IntN(12)) * time.Hour)
			synctest.Wait()
			r.service.SetOnline(true)
		case tick%61 == 0:
			r.stop()
			r.clock.Advance(time.Duration(r.rng.IntN(120)) * time.Minute)
			r.start()
		case tick%23 == 0: // a user enters late, if this is still possible
			id := r.ids[r.rng.IntN(len(r.ids))]
			n, err := r.competitions.Get(ctx, id)
			if err != nil {
				r.t.Fatal(err)
			}
			r.join(fmt.Sprintf("late-%d", tick), id, n.Rules.Setup)
		}
		synctest.Wait()
		if tick%12 == 0 && r.over(ctx) {
			r.t.Logf("all is over after %d days", r.clock.Now().Sub(begun)/day)
			return
		}
		if r.clock.Now().Sub(begun) > simulationLimit {
			r.t.Fatal("CO-2: something hangs")
		}
	}
}

// over reports whether all competitions are over, with nothing left to announce and no table left to stop.
func (r *simulation) over(ctx context.Context) bool {
	for _, id := range r.ids {
		if n, err := r.competitions.Get(ctx, id); err != nil || !n.Over() || len(n.News)+len(n.Stop) > 0 {
			return false
		}
	}
	return true
}

// ready returns the replies that are due, ordered by table.
func (r *simulation) ready() []readyAnswer {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	var list []readyAnswer
	for id, a := range r.turns {
		if gone := r.people[a.user].vanishes; !a.at.After(now) && (gone.IsZero() || now.Before(gone)) {
			list = append(list, readyAnswer{id, a})
		}
	}
	slices.SortFunc(list, func(a, b readyAnswer) int { return int(a.id) - int(b.id) })
	return list
}

type readyAnswer struct {
	id table.ID
	answer
}

// play makes a move, or occasionally resigns, for the player to move.
func (r *simulation) play(a readyAnswer) {
	r.t.Helper()
	ctx := r.t.Context()
	snap, err := r.service.Lookup.Snapshot(ctx, a.id)
	if err != nil {
		r.t.Fatal(err)
	}
	if snap.Status == table.Playing && snap.Mover() == a.user {
		if r.rng.IntN(40) == 0 {
			_, err = r.service.Resign(ctx, r.as(a.user), a.id)
		} else {
			menu, _ := snap.Menu(snap.ToMove)
			moves := menu.Candidates()
			_, err = r.service.Move(ctx, r.as(a.user), a.id, moves[r.rng.IntN(len(moves))].Notation, snap.Version)
		}
		if err != nil && !errors.Is(err, table.ErrOver) && !errors.Is(err, storage.ErrStale) {
			r.t.Fatalf("table %d: %v", a.id, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turns[a.id].version == a.version {
		delete(r.turns, a.id)
	}
}

// depart withdraws people whose time to leave their competition has come.
func (r *simulation) depart(ctx context.Context) {
	r.mu.Lock()
	var leaving []string
	for user, who := range r.people {
		if !who.leaves.IsZero() && !who.deserts && !who.leaves.After(r.clock.Now()) {
			leaving = append(leaving, user)
			who.leaves = time.Time{}
		}
	}
	r.mu.Unlock()
	slices.Sort(leaving)
	for _, user := range leaving {
		_, err := r.competitions.Leave(ctx, r.as(user), r.people[user].entered)
		if err != nil && !errors.Is(err, table.ErrNotEntered) && !errors.Is(err, table.ErrOver) {
			r.t.Fatalf("%s leaves: %v", user, err)
		}
	}
}

// check compares the competitions' results with the games played and the announcements.
func (r *simulation) check() {
	ctx, ends, games := r.t.Context(), map[competition.End]int{}, 0
	began := map[toldOf]int{}
	for told := range r.told {
		if told.news.What == competition.RoundBegan || told.news.What == competition.NewsEnded {
			began[toldOf{of: told.of, news: told.news}]++
		}
	}
	tables := map[string]int{}
	for _, id := range r.ids {
		n, err := r.competitions.Get(ctx, id)
		if err != nil {
			r.t.Fatal(err)
		}
		if err := n.Rules.Check(); err != nil {
			r.t.Errorf("%v: what was paired is not paired again: %v", id, err)
		}
		for round := range n.Rules.Round {
			begins := competition.Change{What: competition.RoundBegan, Round: round + 1}
			if told := began[toldOf{of: id, news: begins}]; told != 1 {
				r.t.Errorf("%v: that round %d of %d begins was told %d times", id, round+1, n.Rules.Round, told)
			}
		}
		if told := began[toldOf{of: id, news: competition.Change{What: competition.NewsEnded}}]; told != 1 {
			r.t.Errorf("%v: its end was told %d times", id, told)
		}
		for _, p := range n.Rules.Pairings {
			if p.Table == "" {
				continue
			}
			games++
			ends[p.End]++
			if tables[p.Table]++; tables[p.Table] > 1 {
				r.t.Errorf("%v: table %s has two pairings", id, p.Table)
			}
			r.counted(n, p)
		}
	}
	stored := 0
	for i := range (len(r.ids) + tournamentsAServer - 1) / tournamentsAServer {
		for _, phase := range []storage.Phase{storage.Active, storage.Finished} {
			for after := table.ID(0); ; {
				heads, err := r.service.Lookup.ByGuild(ctx, fmt.Sprint("server", i), phase, after, 500)
				if err != nil {
					r.t.Fatal(err)
				}
				if stored += len(heads); phase == storage.Active && len(heads) > 0 {
					r.t.Errorf("%d tables go on of competitions that are over: %+v", len(heads), heads[0])
				}
				if len(heads) < 500 {
					break
				}
				after = heads[len(heads)-1].ID
			}
		}
	}
	if stored != games {
		r.t.Errorf("%d tables are stored of %d games", stored, games)
	}
	r.t.Logf("%d competitions, %d games: %v, %.1f %% by play", len(r.ids), games, ends,
		100*float64(ends[competition.Played])/float64(games))
	if ends[competition.Played]*100 < games*95 {
		r.t.Errorf("only %d of %d games were ended by play", ends[competition.Played], games)
	}
}

// counted checks that the store finds a pairing's table. If the pairing ended by play or time, counted also checks that
// its points agree with the table's result.
func (r *simulation) counted(n compete.Competition, p competition.Pairing) {
	r.t.Helper()
	id, err := storage.ParseID(p.Table)
	if err != nil {
		r.t.Fatal(err)
	}
	if other, err := r.store.TableOf(r.t.Context(), n.ID(), uint64(p.No)); err != nil || other != id {
		r.t.Errorf("%v: pairing %d is at table %s, and %d by the index: %v", n.ID(), p.No, p.Table, other, err)
	}
	if p.End != competition.Played && p.End != competition.TimeUp {
		return
	}
	result, err := r.store.Result(r.t.Context(), id)
	if err != nil {
		r.t.Errorf("%v: pairing %d ended as %s without a result: %v", n.ID(), p.No, p.End, err)
		return
	}
	for seat, e := range p.Seats {
		at := slices.IndexFunc(result.Seats, func(o table.Occupant) bool { return o.User == n.Rules.Entrants[e].User })
		won, most := slices.Contains(result.Winners, games.Seat(at)), p.Points[seat] == slices.Max(p.Points)
		if at < 0 {
			r.t.Errorf("%v: pairing %d: %d does not sit at table %s", n.ID(), p.No, e, p.Table)
		} else if won != most {
			r.t.Errorf("%v: pairing %d counts %v, and the winners at table %s are %v", n.ID(), p.No, p.Points, p.Table,
				result.Winners)
		}
	}
}

// Publish schedules the next reply of the player to move.
func (r *simulation) Publish(_ context.Context, n table.News) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch was := r.turns[n.ID]; {
	case n.Status != table.Playing:
		delete(r.turns, n.ID)
	case was.user != n.Mover() || was.version < n.Board:
		rng := rand.New(rand.NewPCG(uint64(n.ID), n.Board)) // tables publish concurrently, in any order
		after := min(30*time.Hour, time.Duration(rng.ExpFloat64()*float64(6*time.Hour)))
		if who := r.people[n.Mover()]; who != nil && who.slow {
			after = 12*time.Hour + time.Duration(rng.Int64N(int64(28*time.Hour)))
		}
		r.turns[n.ID] = answer{n.Board, n.Mover(), r.clock.Now().Add(after)}
	}
	return fmt.Sprint(n.Version), nil
}

func (r *simulation) ShowCard(context.Context, *table.Snapshot) error      { return nil }
func (r *simulation) ArchiveThread(context.Context, *table.Snapshot) error { return nil }
func (r *simulation) NameThread(context.Context, *table.Snapshot) error    { return nil }

// announcer is the simulation's Announcer.
type announcer struct{ r *simulation }

func (c announcer) Announce(_ context.Context, n compete.Competition) error {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	for i, news := range n.News {
		c.r.told[toldOf{n.ID(), n.Messages, i, news}] = true
	}
	return nil
}

func (c announcer) ShowCard(_ context.Context, n compete.Competition) (string, error) {
	return "card-" + n.Channel, nil
}

func (c announcer) IsMember(_ context.Context, _, user string) (bool, error) {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	who := c.r.people[user]
	return !who.deserts || who.leaves.After(c.r.clock.Now()), nil
}

func (c announcer) PostPairing(_ context.Context, n compete.Competition, p competition.Pairing,
	_ string) (string, error) {
	return fmt.Sprintf("pairing-%s-%d", n.Channel, p.No), nil
}

func (c announcer) DropCard(context.Context, storage.Card) error { return nil }

func (c announcer) Warn(context.Context, compete.Competition) error { return nil }

func (c announcer) OpenThread(
	_ context.Context, _ compete.Competition, _ competition.Pairing, message string,
) (string, error) {
	return "thread-" + message, nil
}
