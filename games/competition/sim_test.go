package competition

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

var deep = flag.Bool("deep", false, "run the long simulations")

// person describes how an entrant in a simulation plays.
type person struct {
	slow     bool  // makes games longer
	leaves   Stamp // time of withdrawal; 0 if never
	vanishes Stamp // makes no move after this time; 0 if always active
}

// world simulates a competition in which games take time and some people play slowly, leave or vanish.
type world struct {
	t        *testing.T
	r        *rand.Rand
	c        Competition
	now      Stamp
	people   map[string]person
	ends     map[int]Stamp // end times of the open games, by pairing number
	late     map[int][]int // seats that will run out of time, by pairing number
	games    int           // number of games opened
	byPlay   int
	restarts bool // repeats every step, with a round trip through JSON
	told     []string
}

func newWorld(t *testing.T, seed uint64, s Setup, n int) *world {
	t.Helper()
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 1)), people: map[string]person{}, ends: map[int]Stamp{},
		late: map[int][]int{}}
	s.Lot, s.Start, s.Lapses = seed, 1000, 2
	c, err := New(s)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	w.c, w.now = c, 1
	for i := range n {
		w.enter(user(i))
	}
	return w
}

func (w *world) enter(u string) {
	p := person{slow: w.r.IntN(6) == 0}
	whole := w.c.Setup.Time * Stamp(max(1, w.c.Rounds, 3))
	switch w.r.IntN(100) {
	case 0:
		p.vanishes = w.now + 1000 + Stamp(w.r.Int64N(int64(whole)))
	case 1, 2:
		p.leaves = w.now + 1000 + Stamp(w.r.Int64N(int64(whole)))
	}
	w.people[u] = p
	w.step(func(c Competition) (Competition, error) {
		return c.Enter(u, 1200+w.r.IntN(2)+len(c.Entrants)*7%600, w.now)
	})
}

// step calls a transition. If restarts is set, it also sends the result through JSON and repeats the call.
func (w *world) step(do func(Competition) (Competition, error)) bool {
	w.t.Helper()
	state := *w.r
	next, err := do(w.c)
	if err != nil {
		return false
	}
	if w.restarts {
		var back Competition
		b, _ := json.Marshal(next)
		if err := json.Unmarshal(b, &back); err != nil || !reflect.DeepEqual(back, next) {
			w.t.Fatalf("CO-2: the value does not come back from JSON: %v\n%s", err, b)
		}
		*w.r = state
		if again, err := do(back); err != nil || !reflect.DeepEqual(again, next) {
			w.t.Fatalf("CO-2: a step done twice is not the step done once: %v", err)
		}
	}
	next.Changes(w.c)
	if next.Round != w.c.Round || next.Phase != w.c.Phase {
		all := next.Fingerprints("commitment")
		if len(all) < len(w.told) || !slices.Equal(all[:len(w.told)], w.told) {
			w.t.Fatalf("CO-19: the fingerprints %q, which were told, are now %q", w.told, all)
		}
		w.told = all
	}
	w.c = next
	return true
}

// open opens the tables that are due, and draws when each game will end and whether a seat will run out of time.
func (w *world) open() {
	for _, p := range w.c.ToOpen() {
		w.step(func(c Competition) (Competition, error) { return c.Opened(p.No, fmt.Sprint("t", p.No)) })
		w.games++
		part := 0.2 + 0.5*w.r.Float64()
		gone := Stamp(0)
		for seat, e := range p.Seats {
			who := w.people[w.c.Entrants[e].User]
			if who.slow {
				part += 0.12
			}
			if v := who.vanishes; v != 0 && (gone == 0 || v < gone) {
				gone = v
				w.late[p.No] = []int{seat}
			}
		}
		end := w.now + Stamp(float64(min(w.c.Setup.Time, 14*Day))*part)
		if gone != 0 && gone < end {
			end = max(gone, w.now) + min(w.c.Setup.Time, 14*Day)/4
		} else {
			delete(w.late, p.No)
		}
		w.ends[p.No] = end
	}
}

// places returns random places in which the late seats come last.
func (w *world) places(n int, late []int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = 1 + w.r.IntN(n)
		if slices.Contains(late, i) {
			places[i] = n
		}
	}
	least := slices.Min(places)
	for i := range places {
		places[i] -= least - 1
	}
	if len(late) > 0 && n == 2 {
		places[1-late[0]] = 1
		places[late[0]] = 2
	}
	return places
}

// run simulates until the competition ends or the given time is reached.
func (w *world) run(until Stamp) {
	w.t.Helper()
	for steps := 0; w.c.Phase != Ended && w.now < until; steps++ {
		if steps > 200_000 {
			w.t.Fatalf("CO-2: %s of %d hangs in round %d of %d", w.c.Setup.Kind, len(w.c.Entrants), w.c.Round,
				w.c.Rounds)
		}
		w.open()
		next := until
		if d, ok := w.c.Due(); ok {
			next = min(next, d.At)
		}
		no := 0
		for _, p := range w.c.Pairings {
			if at, open := w.ends[p.No]; open && p.End == "" && at < next {
				next, no = at, p.No
			}
		}
		leaver := ""
		for i, e := range w.c.Entrants {
			if p := w.people[e.User]; e.Out == 0 && p.leaves != 0 && p.leaves < next {
				next, no, leaver = p.leaves, 0, w.c.Entrants[i].User
			}
		}
		w.now = max(w.now, next)
		switch {
		case leaver != "":
			w.step(func(c Competition) (Competition, error) { return c.Withdraw(leaver, OutLeft, w.now) })
			if w.c.Phase == Entry {
				delete(w.people, leaver)
			}
		case no != 0:
			p, _ := w.c.Pairing(no)
			o := Outcome{End: Played, Places: w.places(len(p.Seats), w.late[no]), Late: w.late[no]}
			if len(o.Late) > 0 {
				o.End = TimeUp
			} else {
				w.byPlay++
			}
			delete(w.ends, no)
			if !w.step(func(c Competition) (Competition, error) { return c.Report(no, o, w.now) }) {
				w.t.Fatalf("%s: %+v does not fit %+v", w.c.Setup.Kind, o, p)
			}
		default:
			for _, p := range w.c.Overdue(w.now) {
				used := make([]Stamp, len(p.Seats))
				for i := range used {
					used[i] = Stamp(w.r.IntN(1000))
				}
				w.step(func(c Competition) (Competition, error) { return c.Report(p.No, ByTime(used), w.now) })
			}
			w.step(func(c Competition) (Competition, error) { return c.Advance(w.now), nil })
		}
		if w.c.TakesLate() && w.r.IntN(40) == 0 {
			w.enter(fmt.Sprint("late", steps))
		}
		if w.r.IntN(400) == 0 {
			w.step(func(c Competition) (Competition, error) { return c.Hold("outage", w.now), nil })
			w.now += Stamp(w.r.Int64N(int64(2 * Day)))
			for no := range w.ends {
				w.ends[no] += Hour
			}
			w.step(func(c Competition) (Competition, error) { return c.Release("outage", w.now), nil })
		}
		if n := len(w.c.Pairings); n > 0 && w.r.IntN(60) == 0 {
			if p := w.c.Pairings[w.r.IntN(n)]; p.End == Played {
				w.step(func(c Competition) (Competition, error) { return c.Correct(p.No, Outcome{End: Void}) })
			}
		}
		w.check()
	}
	if err := w.c.Check(); err != nil && len(w.c.Entrants) > 0 {
		w.t.Fatalf("%s of %d: what was paired is not paired again: %v", w.c.Setup.Kind, len(w.c.Entrants), err)
	}
}

// check fails the test if an invariant is violated.
func (w *world) check() {
	c := w.c
	if d, ok := c.Due(); c.Phase != Ended && (!ok || d.At < w.now-1) && c.Setup.Kind != Ladder {
		w.t.Fatalf("CO-2: %s in round %d of %d: due %+v, %v at %d", c.Setup.Kind, c.Round, c.Rounds, d, ok, w.now)
	}
	busy := map[int]int{}
	for _, p := range c.Pairings {
		if p.End == "" && p.Ready != 0 {
			for _, e := range p.Seats {
				busy[e]++
			}
		}
		if p.End != "" && len(p.Points) != len(p.Seats) && c.Setup.Kind != Ladder {
			w.t.Fatalf("%s: %+v has not the points of its seats", c.Setup.Kind, p)
		}
	}
	most := 1
	switch c.Setup.Kind {
	case KnockOut:
		most = 2
	case League:
		most = MaxDivision
		if c.Setup.AtOnce > 0 {
			most = c.Setup.AtOnce
		}
	}
	for e, n := range busy {
		if n > most {
			w.t.Fatalf("%s: %d plays %d games at once", c.Setup.Kind, e, n)
		}
	}
}

// held checks that no two entrants of a Swiss tournament have met twice, and that nobody has had two byes, unless few
// entrants are left.
func (w *world) held() {
	w.t.Helper()
	c := w.c
	if c.Setup.Kind != Swiss {
		return
	}
	met, byes := map[[2]int]int{}, map[int]int{}
	for _, p := range c.Pairings {
		switch {
		case len(p.Seats) == 1:
			byes[p.Seats[0]]++
		case p.End != Walkover:
			met[[2]int{min(p.Seats[0], p.Seats[1]), max(p.Seats[0], p.Seats[1])}]++
		}
	}
	left := 0
	for _, e := range c.Entrants {
		if e.Out == 0 && e.From == 0 {
			left++
		}
	}
	if c.Rounds > left/2 { // with few entrants left, repeated pairings are allowed
		return
	}
	for pair, n := range met {
		if n > 1 {
			w.t.Errorf("CO-30: %v met %d times in %d rounds of %d", pair, n, c.Rounds, len(c.Entrants))
		}
	}
	for e, n := range byes {
		if n > 1 {
			w.t.Errorf("CO-6: %d had %d byes in %d rounds of %d", e, n, c.Rounds, len(c.Entrants))
		}
	}
}

// CO-2: simulated tournaments of four kinds and many sizes end, although some entrants play slowly, leave or vanish. At
// least 95 % of their games end by play.
func TestCO2_TournamentsEnd(t *testing.T) {
	n := 60
	if *deep {
		n = 1000
	}
	games, byPlay, rounds := 0, 0, map[Kind]int{}
	for i := range n {
		size := 5 + i*7%60
		s := Setup{Kind: []Kind{Swiss, KnockOut, Pods, RoundRobin}[i%4], Time: 14 * Day, Break: Stamp(i%3) * Day / 2,
			Late: i % 4, Seats: 3 + i%3}
		if s.Kind == RoundRobin {
			size = 5 + i%12
		}
		w := newWorld(t, uint64(i), s, size)
		w.restarts = i < 12
		w.run(10 * 366 * Day)
		if w.c.Phase != Ended {
			t.Errorf("CO-2: tournament %d (%s of %d) has not ended", i, s.Kind, size)
		}
		w.held()
		games, byPlay = games+w.games, byPlay+w.byPlay
		rounds[s.Kind] += w.c.Round
	}
	t.Logf("%d tournaments ended; %d games, %.1f %% by play; rounds by kind %v", n, games,
		100*float64(byPlay)/float64(games), rounds)
	if byPlay*100 < games*95 {
		t.Errorf("only %d of %d games were ended by play", byPlay, games)
	}
}

// CO-61: each of three seasons of a league ends, and most of its games end by play. With -deep the league has 400
// entrants.
func TestCO61_LeagueEnds(t *testing.T) {
	size := 60
	if *deep {
		size = 400
	}
	w := newWorld(t, 1, Setup{Kind: League, Time: 28 * Day, Division: 10, Promote: 2, AtOnce: 4}, size)
	for season := 1; ; season++ {
		w.restarts = !*deep && season == 2
		start := w.now
		w.run(366 * Day * 10)
		t.Logf("season %d: %d players in %d divisions, %d games, %.1f %% by play, %d days", season, len(w.c.Entrants),
			w.c.Divisions(),
			w.games, 100*float64(w.byPlay)/float64(w.games), (w.now-start)/Day)
		if w.c.Phase != Ended || w.byPlay*100 < w.games*95 {
			t.Errorf("CO-61: season %d: %s, %d of %d games by play", season, w.c.Phase, w.byPlay, w.games)
		}
		if season == 3 {
			return
		}
		next, err := w.c.NextSeason(w.now+Day, uint64(season))
		if err != nil {
			t.Fatal(err)
		}
		w.c, w.games, w.byPlay, w.ends, w.late = next, 0, 0, map[int]Stamp{}, map[int][]int{}
		w.told = nil
	}
}

// CO-70: during three months of challenges each entrant who has not withdrawn from a ladder has exactly one place. Then
// the ladder closes.
func TestCO70_LadderEnds(t *testing.T) {
	for seed := range uint64(6) {
		w := newWorld(t, seed, Setup{Kind: Ladder, Time: 7 * Day, Answer: 2 * Day, Reach: 3, Declines: 1, Rest: Day,
			Away: 5 * Day, End: 90 * Day}, 30)
		w.restarts = seed < 2
		for w.c.Phase != Ended {
			for range 3 {
				if len(w.c.Order) > 1 {
					at := w.r.IntN(len(w.c.Order))
					up := max(0, at-1-w.r.IntN(4))
					who, whom := w.c.Entrants[w.c.Order[at]].User, w.c.Entrants[w.c.Order[up]].User
					w.step(func(c Competition) (Competition, error) {
						return c.Challenge(who, whom, fmt.Sprint(w.r.Uint64()), w.now)
					})
				}
			}
			for _, p := range w.c.Pairings {
				if p.End == "" && p.Answer != 0 {
					switch w.r.IntN(6) {
					case 0:
						w.step(func(c Competition) (Competition, error) { return c.Decline(p.No, w.now) })
					case 1, 2, 3:
						w.step(func(c Competition) (Competition, error) { return c.Accept(p.No, w.now) })
					}
				}
			}
			if w.r.IntN(10) == 0 && len(w.c.Order) > 0 {
				who := w.c.Entrants[w.c.Order[w.r.IntN(len(w.c.Order))]].User
				w.step(func(c Competition) (Competition, error) { return c.SetAway(who, w.now+20*Day, w.now) })
			}
			w.run(w.now + Day)
			order := slices.Sorted(slices.Values(w.c.Order))
			if in := w.c.in(); !slices.Equal(order, slices.Sorted(slices.Values(in))) && w.c.Phase == Running {
				t.Fatalf("CO-70: the order %v does not hold everybody once: %v", w.c.Order, in)
			}
			if w.now > 120*Day {
				t.Fatalf("CO-70: still running after its end: %+v", w.c.Pairings)
			}
		}
		t.Logf("ladder %d: %d games, %d by play, %d challenges", seed, w.games, w.byPlay,
			w.c.Pairings[len(w.c.Pairings)-1].No)
	}
}
