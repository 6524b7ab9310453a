package shards

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"marque/bot/shards/shardstest"
	"marque/bot/timesource"
	"marque/bot/timesource/manual"
	"marque/storage"
)

// The tests use the same random cases in every run, unless -rapid.seed is set.
var _ = flag.Set("rapid.seed", "26")

var errDown = errors.New("the store is down")

const identifyPause = 5 * time.Second

// sea is a simulation of processes that share leases, with a manual clock.
type sea struct {
	t         rapid.TB
	clock     *manual.Clock
	start     time.Time
	leases    *shardstest.Leases
	shards    int
	processes []*process
	owners    map[string]string     // process that first trusted a lease, by shard and term
	trusted   map[int]storage.Fence // latest fence with which a process trusted a lease, by shard
	// between is called before and after each Renew, Claim, Offer and Hand, so that other events can happen in between.
	between func()
	check   func() // called after every event
}

// disturb makes time pass before and after some requests to the leases: at most the given number of half seconds each
// time.
func (s *sea) disturb(t *rapid.T, most int) {
	depth := 0
	s.between = func() {
		if depth >= 3 || rapid.IntRange(1, 6).Draw(t, "disturbed") < 6 {
			return
		}
		depth++
		s.pass(rapid.Map(rapid.IntRange(0, most), seconds).Draw(t, "meanwhile"))
		depth--
	}
}

// process is a process of the simulation. Its clock can run a little faster or slower than the store's.
type process struct {
	*Keeper
	sea     *sea
	name    string
	rate    float64
	due     time.Time // time of the next round
	halted  bool      // frozen; it may continue later
	cut     bool      // has no session with Discord, and cannot begin one
	unheard bool      // gets no answers from Discord, but keeps its sessions
	dead    bool
	busy    bool // while a round runs
	lines   map[int]time.Time
	session map[int]bool
	log     bytes.Buffer
	next    func(time.Duration) time.Duration // returns the real wait for the next round, given the intended one
}

func (p *process) Now() time.Time {
	return p.sea.start.Add(time.Duration(float64(p.sea.clock.Now().Sub(p.sea.start)) * p.rate))
}

func (p *process) String() string { return p.name }

func (p *process) AfterFunc(time.Duration, func()) func() { panic("rounds are driven by the test") }

func newSea(t rapid.TB, shards int) *sea {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := manual.NewClock(start)
	return &sea{t: t, clock: clock, start: start, leases: shardstest.New(clock), shards: shards,
		owners: map[string]string{}, trusted: map[int]storage.Fence{}, between: func() {}, check: func() {}}
}

// join starts a process, whose clock runs at the given rate.
func (s *sea) join(rate float64) *process {
	p := &process{sea: s, name: "p" + strconv.Itoa(len(s.processes)), rate: rate, due: s.clock.Now(),
		lines: map[int]time.Time{}, session: map[int]bool{}}
	p.next = func(d time.Duration) time.Duration { return d }
	p.Keeper = New(Config{
		Leases: &slow{s.leases, s}, Process: p.name, Shards: s.shards, Clock: p,
		Log: slog.New(slog.NewTextHandler(&p.log, nil)), Gaining: func(int) {}, Gained: func(int) {},
		Serve: func(shard, _ int) func() {
			p.lines[shard] = s.clock.Now()
			return func() { delete(p.lines, shard); delete(p.session, shard) }
		},
	})
	s.processes = append(s.processes, p)
	return p
}

// slow wraps Leases to call sea.between before and after each Renew, Claim, Offer and Hand.
type slow struct {
	*shardstest.Leases
	sea *sea
}

func (l *slow) Renew(ctx context.Context, process string, shards int, life time.Duration) (storage.Roster, error) {
	defer l.sea.between()
	l.sea.between()
	return l.Leases.Renew(ctx, process, shards, life)
}

func (l *slow) Claim(ctx context.Context, process string, shard int, life time.Duration) (uint64, error) {
	defer l.sea.between()
	l.sea.between()
	return l.Leases.Claim(ctx, process, shard, life)
}

func (l *slow) Offer(ctx context.Context, process string, shard int, term uint64, heir string) error {
	defer l.sea.between()
	l.sea.between()
	return l.Leases.Offer(ctx, process, shard, term, heir)
}

func (l *slow) Hand(ctx context.Context, process string, shard int, term uint64, life time.Duration) error {
	defer l.sea.between()
	l.sea.between()
	return l.Leases.Hand(ctx, process, shard, term, life)
}

// pass moves the clock forward by d, and runs the rounds and begins the sessions that become due.
func (s *sea) pass(d time.Duration) {
	end := s.clock.Now().Add(d)
	for {
		at, who, line := end, (*process)(nil), -1
		for _, p := range s.processes {
			if p.dead || p.halted || p.busy {
				continue
			}
			if p.due.Before(at) {
				at, who, line = p.due, p, -1
			}
			for shard, ready := range p.lines {
				if !p.session[shard] && (ready.Before(at) || ready.Equal(at) && who == p && shard < line) {
					at, who, line = ready, p, shard
				}
			}
		}
		if wait := at.Sub(s.clock.Now()); wait > 0 {
			s.clock.Advance(wait)
			s.check()
		}
		switch {
		case who == nil:
			return
		case line >= 0 && (who.cut || who.unheard): // it cannot begin a session
			who.Connected(line, false)
			who.lines[line] = s.clock.Now().Add(identifyPause)
		case line >= 0:
			if wait, err := s.leases.Turn(context.Background(), 0, identifyPause); wait > 0 || err != nil {
				who.lines[line] = s.clock.Now().Add(max(wait, time.Second))
				break
			}
			who.session[line] = true
			who.Connected(line, true)
		default:
			who.busy = true
			who.Heard(!who.unheard, 0)
			next, _ := who.step(context.Background())
			who.busy = false
			who.due = s.clock.Now().Add(who.next(next))
		}
		s.check()
	}
}

// safe fails the test if two processes trust one lease, or if a term had two owners. It also fails if the store refuses
// writes of the process that trusts a lease, or accepts those of a previous owner. Frozen processes count, because they
// may continue at any time.
func (s *sea) safe() {
	for shard := range s.shards {
		var owner *process
		for _, p := range s.processes {
			if p.dead || !p.Trusts(shard) {
				continue
			}
			if owner != nil {
				s.t.Fatalf("after %v both %s and %s trust the lease of shard %d", s.clock.Now().Sub(s.start),
					owner.name, p.name, shard)
			}
			owner = p
			fence, _ := p.Fence(shard)
			if !s.leases.Holds(fence) {
				s.t.Fatalf("%s trusts the lease of shard %d, and what it writes in term %d is refused", p.name, shard,
					fence.Term)
			}
			if before := s.trusted[shard]; before != fence && s.leases.Holds(before) {
				s.t.Fatalf("%s owns shard %d in term %d, and what %s writes in term %d is not refused", p.name, shard,
					fence.Term, before.Process, before.Term)
			}
			s.trusted[shard] = fence
			key := fmt.Sprint(shard, " in term ", fence.Term)
			if before := s.owners[key]; before != "" && before != p.name {
				s.t.Fatalf("shard %s was %s's and is %s's", key, before, p.name)
			}
			s.owners[key] = p.name
		}
	}
}

// owner returns the running process that trusts the lease of a shard; nil if there is none.
func (s *sea) owner(shard int) *process {
	for _, p := range s.processes {
		if !p.dead && !p.halted && p.Trusts(shard) {
			return p
		}
	}
	return nil
}

// unserved returns the number of shards without a running owner.
func (s *sea) unserved() (n int) {
	for shard := range s.shards {
		if s.owner(shard) == nil {
			n++
		}
	}
	return n
}

func (s *sea) spread() (counts []int) {
	for _, p := range s.processes {
		n := 0
		for shard := range s.shards {
			if !p.dead && p.Trusts(shard) {
				n++
			}
		}
		counts = append(counts, n)
	}
	return counts
}

// No two processes trust one lease, and no term has two owners. In the test, processes join, freeze, stop and die, and
// the store is sometimes down. A round can be slow, so that rounds of other processes run in the middle of it. Clocks
// differ from the store's by up to a tenth.
func TestNoTwoOwnersTrustALease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSea(t, rapid.IntRange(1, 6).Draw(t, "shards"))
		s.check = s.safe
		s.disturb(t, 40)
		rate := rapid.SampledFrom([]float64{.91, 1, 1.1})
		for range rapid.IntRange(1, 3).Draw(t, "processes") {
			s.join(rate.Draw(t, "rate"))
			s.pass(rapid.Map(rapid.IntRange(0, 60), seconds).Draw(t, "apart"))
		}
		living := func() (list []*process) {
			for _, p := range s.processes {
				if !p.dead {
					list = append(list, p)
				}
			}
			return list
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(*rapid.T) { s.safe() },
			"pass": func(t *rapid.T) {
				s.pass(rapid.Map(rapid.IntRange(1, 120), seconds).Draw(t, "time"))
			},
			"join": func(t *rapid.T) {
				if len(living()) < 4 {
					s.join(rate.Draw(t, "rate"))
				}
			},
			"kill": func(t *rapid.T) {
				if list := living(); len(list) > 1 {
					rapid.SampledFrom(list).Draw(t, "process").dead = true
				}
			},
			"halt": func(t *rapid.T) {
				p := rapid.SampledFrom(living()).Draw(t, "process")
				p.halted = true
				s.pass(rapid.Map(rapid.IntRange(1, 120), seconds).Draw(t, "halted"))
				p.halted = false
			},
			"replace": func(t *rapid.T) {
				p := rapid.SampledFrom(living()).Draw(t, "process")
				s.join(rate.Draw(t, "rate"))
				p.mu.Lock()
				p.stopping = true
				p.mu.Unlock()
				s.pass(rapid.Map(rapid.IntRange(1, 120), seconds).Draw(t, "handing over"))
				p.leave(context.Background())
				p.dead = true
			},
			"leave": func(t *rapid.T) {
				if list := living(); len(list) > 1 {
					p := rapid.SampledFrom(list).Draw(t, "process")
					p.leave(context.Background())
					p.dead = true
				}
			},
			"unheard": func(t *rapid.T) {
				p := rapid.SampledFrom(living()).Draw(t, "process")
				p.unheard = true
				s.pass(rapid.Map(rapid.IntRange(1, 120), seconds).Draw(t, "without an answer"))
				p.unheard = false
			},
			"store": func(t *rapid.T) {
				s.leases.Break(errDown)
				s.pass(rapid.Map(rapid.IntRange(1, 60), seconds).Draw(t, "away"))
				s.leases.Break(nil)
			},
		})
	})
}

func seconds(halves int) time.Duration { return time.Duration(halves) * time.Second / 2 }

// When processes die, every shard has an owner again within the life of a lease and little more than two seconds, in
// which the other processes notice. If several shards must begin sessions, they connect one after another, as often as
// Discord allows.
func TestADeadProcessIsReplacedInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSea(t, rapid.IntRange(1, 12).Draw(t, "shards"))
		s.check = s.safe
		for range rapid.IntRange(2, 4).Draw(t, "processes") {
			s.join(1)
			s.pass(rapid.Map(rapid.IntRange(0, 80), seconds).Draw(t, "apart"))
		}
		survivor := rapid.SampledFrom(s.processes).Draw(t, "survivor")
		for _, p := range s.processes {
			p.dead = p != survivor && rapid.Bool().Draw(t, p.name+" dies")
		}
		served := map[int]time.Time{}
		s.check = func() {
			s.safe()
			now := s.clock.Now()
			for shard := range s.shards {
				if _, begun := served[shard]; !begun || s.owner(shard) != nil {
					served[shard] = now
				}
				if gap := now.Sub(served[shard]); gap > Life+late+2*hurry {
					t.Fatalf("for %v shard %d has had no owner who trusts its lease; the living have %v", gap, shard,
						s.spread())
				}
			}
		}
		s.check()
		s.pass(Life + time.Duration(s.shards)*identifyPause + 2*identifyPause)
		for shard := range s.shards {
			for _, p := range s.processes {
				if !p.dead && p.Trusts(shard) && !p.session[shard] {
					t.Fatalf("the owner of shard %d has no session an identify for each later", shard)
				}
			}
		}
	})
}

// silence makes time pass, and returns how long it took until every shard had been served; d if some shard was not. A
// shard is served while a running process trusts its lease and has a session.
func (s *sea) silence(d time.Duration) (longest time.Duration) {
	began := s.clock.Now()
	answered := map[int]bool{}
	check := s.check
	s.check = func() {
		check()
		for shard := range s.shards {
			for _, p := range s.processes {
				if !answered[shard] && !p.dead && !p.halted && p.Trusts(shard) && p.session[shard] {
					answered[shard] = true
					longest = s.clock.Now().Sub(began)
				}
			}
		}
	}
	s.pass(d)
	s.check = check
	if len(answered) < s.shards {
		return d
	}
	return longest
}

// No shard is without an answering process for longer than 17 seconds when two of three processes freeze, or when a
// process dies and the process that claims one of its shards freezes immediately.
func TestSilenceIsShort(t *testing.T) {
	const most = 17 * time.Second
	for _, tc := range []struct {
		name    string
		disturb func(s *sea, a, b *process)
	}{
		{"two of three are frozen", func(_ *sea, a, b *process) { a.halted, b.halted = true, true }},
		{"one dies, and the one that claims its shard stops", func(s *sea, a, _ *process) {
			a.dead = true
			shard := 0
			for i := range s.shards {
				if a.Trusts(i) {
					shard = i
				}
			}
			stopped, check := false, s.check
			s.check = func() {
				check()
				for _, p := range s.processes[1:] {
					if p.Trusts(shard) && !stopped {
						stopped, p.halted = true, true
					}
				}
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := newSea(t, 3)
				s.check = s.safe
				for range 3 {
					s.join(1)
					s.pass(rapid.Map(rapid.IntRange(0, 40), seconds).Draw(t, "apart"))
				}
				s.pass(time.Minute + rapid.Map(rapid.IntRange(0, 40), seconds).Draw(t, "settled"))
				tc.disturb(s, s.processes[0], s.processes[1])
				if took := s.silence(2 * time.Minute); took > most {
					t.Fatalf("after %v nobody answers", took)
				}
			})
		})
	}
}

// The numbers of shards of living processes come to differ by at most one. After that, no more leases are handed over.
func TestSharesAreFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSea(t, rapid.IntRange(1, 12).Draw(t, "shards"))
		s.check = s.safe
		for range rapid.IntRange(1, 4).Draw(t, "processes") {
			s.join(1)
			s.pass(rapid.Map(rapid.IntRange(0, 80), seconds).Draw(t, "apart"))
		}
		s.pass(3*time.Minute + time.Duration(s.shards)*2*identifyPause)
		counts := s.spread()
		if s.unserved() > 0 || slices.Max(counts)-slices.Min(counts) > 1 {
			t.Fatalf("%d shards are shared out as %v", s.shards, counts)
		}
		terms := len(s.owners)
		s.pass(5 * time.Minute)
		if len(s.owners) != terms {
			t.Fatalf("shares of %v are still being handed over", s.spread())
		}
	})
}

// While a process is replaced by another one that starts before the first stops, at least one connected process answers
// each interaction, and at most one carries it out. A process whose lease has expired may first have to wait for its
// next round.
func TestReplacingLeavesNoGap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSea(t, rapid.IntRange(1, 6).Draw(t, "shards"))
		old := s.join(1)
		s.pass(time.Minute)
		asked := 0
		s.check = func() {
			s.safe()
			for shard := range s.shards {
				asked++
				answers, unsure := 0, 0
				for _, i := range rapid.Permutation(s.processes).Draw(t, "order") {
					if !i.session[shard] {
						continue
					}
					// No round runs during this check, so a process that waits for its round gets an ended context.
					asking, over := context.WithCancel(context.Background())
					if i.Lapsed(shard) {
						over()
					}
					switch does, alone := i.Answers(asking, shard, fmt.Sprint("interaction ", asked)); {
					case does && alone:
						answers++
					case does:
						unsure++
					}
					over()
				}
				if answers > 1 || answers+unsure == 0 {
					t.Fatalf("%v after the start an interaction of shard %d is answered by %d processes, and by %d that do not know whether another does",
						s.clock.Now().Sub(s.start), shard, answers, unsure)
				}
			}
		}
		s.disturb(t, 6)
		s.join(1)
		s.pass(rapid.Map(rapid.IntRange(0, 120), seconds).Draw(t, "meanwhile"))
		old.mu.Lock()
		old.stopping = true
		old.mu.Unlock()
		s.pass(2*time.Minute + time.Duration(s.shards)*identifyPause)
		if !old.done() || len(old.lines) > 0 {
			t.Fatalf("the old process has still %v", s.spread())
		}
		old.leave(context.Background())
		old.dead = true
		s.pass(time.Minute)
		if n := s.unserved(); n > 0 {
			t.Fatalf("%d shards have no owner after the replacement", n)
		}
	})
}

// While the store is down and no process trusts its leases, connections stay and players are answered, but no process
// claims to be the only one that answers. When the store is back, the processes have the same shards as before.
func TestTheStoreIsAway(t *testing.T) {
	s := newSea(t, 4)
	s.check = s.safe
	a, b := s.join(1), s.join(1)
	s.pass(2 * time.Minute)
	before := s.spread()
	counted := func(when string, held, lapsed int) {
		t.Helper()
		for _, p := range []*process{a, b} {
			if all, h, l := p.Count(); all != s.shards || h != held || l != lapsed {
				t.Errorf("%s %s counts %d shards, %d held, %d lapsed; want %d, %d, %d", when, p.name, all, h, l,
					s.shards, held, lapsed)
			}
		}
	}
	counted("before", 2, 0)
	s.leases.Break(errDown)
	s.pass(Life)
	counted("while the store is away", 0, 2)
	if n := s.unserved(); n != s.shards {
		t.Errorf("a lease's life after the store went, %d of %d shards are still trusted", s.shards-n, s.shards)
	}
	over, end := context.WithCancel(t.Context())
	end()
	for _, p := range []*process{a, b} {
		for shard := range p.session {
			if answers, alone := p.Answers(over, shard, "x"); !answers || alone {
				t.Errorf("%s answers the players of shard %d: %t, and knows that no other does: %t; want to answer, and not to know", p.name, shard, answers, alone)
			}
		}
	}
	if len(a.session)+len(b.session) != s.shards {
		t.Errorf("%d and %d shards are connected while the store is away, want %d in all", len(a.session),
			len(b.session), s.shards)
	}
	s.leases.Break(nil)
	s.pass(Life)
	counted("after the store is back", 2, 0)
	if got := s.spread(); s.unserved() > 0 || !slices.Equal(got, before) {
		t.Errorf("after the store is back the shards are shared out as %v, before %v", got, before)
	}
}

// hanging wraps Leases. If renew or claim is set, the next request of this kind gets no answer, as over a dead
// connection, until the caller cancels the request.
type hanging struct {
	*shardstest.Leases
	renew, claim atomic.Bool
	given        atomic.Int32 // number of cancelled requests
}

func (l *hanging) hang(ctx context.Context, step *atomic.Bool) error {
	if !step.CompareAndSwap(true, false) {
		return nil
	}
	<-ctx.Done()
	l.given.Add(1)
	return ctx.Err()
}

func (l *hanging) Renew(ctx context.Context, process string, shards int, life time.Duration) (storage.Roster, error) {
	if err := l.hang(ctx, &l.renew); err != nil {
		return storage.Roster{}, err
	}
	return l.Leases.Renew(ctx, process, shards, life)
}

func (l *hanging) Claim(ctx context.Context, process string, shard int, life time.Duration) (uint64, error) {
	if err := l.hang(ctx, &l.claim); err != nil {
		return 0, err
	}
	return l.Leases.Claim(ctx, process, shard, life)
}

// A Renew or a Claim that gets no answer is cancelled, and the next round asks again. A dead connection therefore does
// not keep a process from its leases.
func TestAStepThatIsNotAnsweredIsGivenUp(t *testing.T) {
	for _, step := range []string{"claim", "renew"} {
		t.Run(step, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &hanging{Leases: shardstest.New(timesource.System{})}
				k := New(Config{
					Leases: l, Process: "p", Shards: 2, Clock: timesource.System{}, Log: slog.New(slog.DiscardHandler),
					Gaining: func(int) {}, Gained: func(int) {}, Serve: func(int, int) func() { return func() {} },
				})
				l.claim.Store(step == "claim")
				ctx, stop := context.WithCancel(t.Context())
				go k.Run(ctx, time.Second)
				time.Sleep(time.Minute)
				l.renew.Store(step == "renew")
				time.Sleep(round + Life + round)
				_, held, _ := k.Count()
				if given := l.given.Load(); given != 1 || held != 2 {
					t.Errorf("a %s without an answer: %d were given up, and %d of 2 leases are held", step, given, held)
				}
				stop()
				synctest.Wait()
			})
		})
	}
}

// A process that was stopped for the life of a lease knows, before its next round, that its leases have lapsed. They do
// not count as lapsed while the process renews in time, hands over its shards, or is about to take over shards.
func TestWhoWasStoppedKnowsIt(t *testing.T) {
	s := newSea(t, 2)
	s.check = s.safe
	a := s.join(1)
	s.pass(time.Minute)
	lapsed := func(when string, p *process, want bool) {
		t.Helper()
		for shard := range s.shards {
			if got := p.Lapsed(shard); got != want {
				t.Errorf("%s, shard %d of %s counts as lapsed: %t, want %t", when, shard, p.name, got, want)
			}
		}
	}
	lapsed("while it renews", a, false)
	a.halted = true
	s.pass(Life)
	lapsed("stopped for a lease's life", a, true)
	a.halted = false
	s.pass(round)
	lapsed("once it has its leases again", a, false)
	b := s.join(1)
	a.mu.Lock()
	a.stopping = true
	a.mu.Unlock()
	s.check = func() {
		s.safe()
		for shard := range s.shards {
			for _, p := range []*process{a, b} {
				if p.session[shard] && p.Lapsed(shard) {
					t.Errorf("while the shards are handed over, %s thinks that shard %d is none of its", p.name, shard)
				}
			}
		}
	}
	s.pass(2 * time.Minute)
	if !a.done() {
		t.Fatalf("not everything is handed over: %v", s.spread())
	}
	lapsed("after it has handed everything over", a, true)
}

// takenOver returns a simulation in which process b owns the only lease. It took the lease from a, which was stopped
// and does not know this yet.
func takenOver(t *testing.T) (s *sea, a, b *process) {
	t.Helper()
	s = newSea(t, 1)
	s.check = s.safe
	a = s.join(1)
	s.pass(time.Minute)
	a.halted = true
	b = s.join(1)
	s.pass(Life + 2*identifyPause)
	if s.owner(0) != b || !b.session[0] {
		t.Fatal("nobody has taken the lease over")
	}
	return s, a, b
}

// A process that continues after a stop longer than the life of a lease leaves interactions to the new owner of the
// shard. The new owner answers without asking the store, so the store cannot decide which of them answers.
func TestWhoWasStoppedLeavesAnsweringToTheOwner(t *testing.T) {
	s, a, b := takenOver(t)
	over, end := context.WithCancel(t.Context())
	end()
	if answers, alone := a.Answers(over, 0, "before its round"); !answers || alone {
		t.Errorf("before its round it answers %t, and knows that no other does: %t", answers, alone)
	}
	asked := make(chan bool)
	go func() {
		answers, alone := a.Answers(t.Context(), 0, "an interaction")
		asked <- answers || !alone
	}()
	for b.Exclusive(0) {
		a.halted = false
		s.pass(time.Second)
		if len(a.lines) == 0 {
			break
		}
	}
	if <-asked {
		t.Error("it answers what the owner answers")
	}
	if answers, alone := b.Answers(t.Context(), 0, "an interaction"); !answers || !alone {
		t.Error("the owner does not answer")
	}
}

// A process answers no interaction after it learns that another process owns the lease, even if its round is not over.
func TestWhoHearsThatAnotherTookItsLeaseAnswersNoMore(t *testing.T) {
	s, a, b := takenOver(t)
	roster, err := s.leases.Renew(t.Context(), a.name, s.shards, Life)
	if err != nil || roster.Leases[0].Owner != b.name {
		t.Fatalf("the roster says %+v, %v", roster, err)
	}
	a.read(roster, a.Now())
	if answers, alone := a.Answers(t.Context(), 0, "an interaction"); answers || !alone {
		t.Errorf("it answers: %t, and knows that no other does: %t", answers, alone)
	}
}

// If a process is stopped while it hands over or takes over a lease, the lease counts as lapsed when the process
// continues. The process then waits for its next round before it answers, because the other process may be the only
// owner and answer without asking the store.
func TestWhoWasStoppedWhileHandingOverWaitsForItsRound(t *testing.T) {
	for name, become := range map[string]func(p *process){
		"the old owner": func(p *process) { p.leases[0].yielding = true },
		"the heir":      func(p *process) { delete(p.leases, 0) },
	} {
		s := newSea(t, 1)
		a := s.join(1)
		s.pass(time.Minute)
		a.mu.Lock()
		become(a)
		a.mu.Unlock()
		if answers, alone := a.Answers(t.Context(), 0, "before"); !answers || !alone || a.Lapsed(0) {
			t.Errorf("%s answers before: %t, and knows that no other does: %t", name, answers, alone)
		}
		a.halted = true
		s.pass(Life)
		if !a.Lapsed(0) {
			t.Errorf("%s, stopped for a lease's life, asks at once", name)
		}
	}
}

// A process whose shard is being handed over asks the store which process answers an interaction. If the store is down,
// the process answers itself, but does not claim to be the only one that does.
func TestWhoCannotAskTheStoreDoesNotKnowThatItIsAlone(t *testing.T) {
	s := newSea(t, 1)
	s.check = s.safe
	a := s.join(1)
	s.pass(time.Minute)
	a.mu.Lock()
	a.leases[0].heir = "b"
	a.mu.Unlock()
	if answers, alone := a.Answers(t.Context(), 0, "asked"); !answers || !alone {
		t.Errorf("the first that asks answers: %t, and knows that no other does: %t", answers, alone)
	}
	if answers, _ := a.Answers(t.Context(), 0, "asked"); answers {
		t.Error("what was asked for is answered again")
	}
	s.leases.Break(errDown)
	if answers, alone := a.Answers(t.Context(), 0, "not asked"); !answers || alone {
		t.Errorf("while the store is away it answers: %t, and knows that no other does: %t", answers, alone)
	}
	s.leases.Break(nil)
}

// A process that loses all its sessions, or gets no answers from Discord, gives its leases to a process that can reach
// Discord. It takes its share back once it can reach Discord again. If no process can, the leases stay with their
// owners.
func TestWithoutDiscordLeasesGoToOthers(t *testing.T) {
	for what, cut := range map[string]func(p *process, is bool){
		"without a session": func(p *process, is bool) {
			if p.cut = is; !is {
				return
			}
			for shard := range p.session {
				delete(p.session, shard)
				p.Connected(shard, false)
				p.lines[shard] = p.sea.clock.Now().Add(time.Second)
			}
		},
		"without an answer": func(p *process, is bool) { p.unheard = is },
	} {
		t.Run(what, func(t *testing.T) {
			s := newSea(t, 4)
			s.check = s.safe
			a, b := s.join(1), s.join(1)
			s.pass(2 * time.Minute)
			before := s.spread()
			cut(a, true)
			began := s.clock.Now()
			for len(b.session) < s.shards {
				s.pass(time.Second)
				most := deafness + 2*round + time.Duration(2+len(a.lines))*identifyPause + 2*hurry
				if took := s.clock.Now().Sub(began); took > most {
					t.Fatalf("%v after one was cut off the other has %d of %d sessions; leases are %v", took,
						len(b.session), s.shards, s.spread())
				}
			}
			s.pass(2 * hurry)
			t.Logf("%v after one was cut off the other has all sessions, and %v leases", s.clock.Now().Sub(began),
				s.spread())
			if s.owner(0) != b || s.owner(1) != b || s.owner(2) != b || s.owner(3) != b {
				t.Errorf("the leases are %v, want all with the second", s.spread())
			}
			s.pass(2 * time.Minute)
			if s.owner(0) != b || s.owner(1) != b || s.owner(2) != b || s.owner(3) != b {
				t.Errorf("after two minutes the leases are %v, want all with the second still", s.spread())
			}
			cut(a, false)
			s.pass(2 * time.Minute)
			if got := s.spread(); !slices.Equal(got, before) {
				t.Errorf("after Discord is back the leases are %v, before %v", got, before)
			}
			terms := len(s.owners)
			cut(a, true)
			cut(b, true)
			s.pass(time.Minute)
			if got := s.spread(); len(s.owners) != terms || !slices.Equal(got, before) {
				t.Errorf("without Discord for all the leases are %v, %d were handed over", got, len(s.owners)-terms)
			}
			cut(a, false)
			s.pass(hurry)
			cut(b, false)
			s.pass(time.Minute)
			if got := s.spread(); !slices.Equal(got, before) {
				t.Errorf("after Discord is back for all the leases are %v, before %v", got, before)
			}
		})
	}
}

// A process keeps its leases if several requests in a row get no answer, but requests before and after them are
// answered.
func TestALostRequestMovesNoLease(t *testing.T) {
	s := newSea(t, 4)
	a, _ := s.join(1), s.join(1)
	s.pass(2 * time.Minute)
	terms := len(s.owners)
	for range 60 {
		s.pass(round) // Discord has answered in each round
		a.unheard = true
		for range tries {
			a.Heard(false, Life)
		}
		s.pass(hurry)
		a.unheard = false
	}
	if n := len(s.owners) - terms; n != 0 {
		t.Errorf("%d leases were handed over", n)
	}
}

// Processes that are all stopped at the same time do not wait for each other.
func TestAllStopAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSea(t, rapid.IntRange(1, 12).Draw(t, "shards"))
		s.check = s.safe
		for range rapid.IntRange(2, 4).Draw(t, "processes") {
			s.join(1)
			s.pass(rapid.Map(rapid.IntRange(0, 80), seconds).Draw(t, "apart"))
		}
		s.pass(time.Minute)
		began := s.clock.Now()
		for _, p := range s.processes {
			p.mu.Lock()
			p.stopping = true
			p.mu.Unlock()
			p.due = s.clock.Now() // a stop begins a round immediately
		}
		for left := len(s.processes); left > 0; {
			s.pass(hurry / 2)
			if took := s.clock.Now().Sub(began); took > 4*hurry {
				t.Fatalf("after %v %d processes still wait, with %v", took, left, s.spread())
			}
			for _, p := range s.processes {
				if !p.dead && p.done() {
					p.leave(context.Background())
					p.dead = true
					left--
				}
			}
		}
	})
}

// The log has one line when leases expire, and one when they are renewed.
func TestLapsedLeasesAreLogged(t *testing.T) {
	s := newSea(t, 2)
	a := s.join(1)
	s.pass(time.Minute)
	a.lapse(t.Context())
	if strings.Contains(a.log.String(), "run out") {
		t.Errorf("nothing has run out, and the log has\n%s", &a.log)
	}
	s.leases.Break(errDown)
	s.pass(Life)
	a.lapse(t.Context())
	a.lapse(t.Context())
	s.leases.Break(nil)
	s.pass(Life)
	a.lapse(t.Context())
	if said := a.log.String(); strings.Count(said, "leases of shards have run out") != 1 || strings.Count(said,
		"no lease of a shard has run out any more") != 1 {
		t.Errorf("the log has\n%s", said)
	}
}

// A process that is alone changes the number of shards to its own. A process that joins others uses their number.
func TestTheNumberOfShardsIsAgreedOn(t *testing.T) {
	s := newSea(t, 4)
	s.check = s.safe
	first := s.join(1)
	s.pass(time.Minute)
	s.shards = 6
	second := s.join(1)
	s.pass(2 * time.Minute)
	if first.Shards() != 4 || second.Shards() != 4 {
		t.Errorf("the processes divide the servers into %d and %d shards, want 4", first.Shards(), second.Shards())
	}
	const said = "another number of shards"
	if strings.Contains(first.log.String(), said) || strings.Count(second.log.String(), said) != 1 {
		t.Errorf("that the second wants another number is not said once, by it alone:\n%s%s", &first.log, &second.log)
	}
	first.dead = true
	s.pass(2 * time.Minute)
	if second.Shards() != 6 || s.unserved() > 0 {
		t.Errorf("alone, it divides them into %d, of which %d are not served; want 6 and 0", second.Shards(),
			s.unserved())
	}
}

// Trusts reports whether this process owns the lease of a shard and may act on it now.
func (k *Keeper) Trusts(shard int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.trusts(k.leases[shard])
}
