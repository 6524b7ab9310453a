package shards

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"slices"
	"sync"
	"time"

	"marque/bot/timesource"
	"marque/storage"
)

// Times of the protocol.
const (
	// Life is how long a lease lasts that is not renewed.
	Life = 15 * time.Second
	// margin is how much sooner its owner trusts it no more.
	margin = Life / 5
	// round is the time between two renewals, and hurry that while a lease is being handed over.
	round = Life / 3
	hurry = time.Second
	// late is how much later than a lease's end it is looked at.
	late = 200 * time.Millisecond
	// overlap is how long a new owner asks the store whether it is the first to see an interaction: the old one may
	// still be connected.
	overlap = Life
	// patience is how long nothing is claimed once the store is back: others come back, too.
	patience = 2 * hurry
	// deafness is how long a process is without any session until it gives its leases away. A session that is lost is
	// back before that, mostly, and an heir takes about as long to know of it and to connect.
	deafness = 8 * time.Second
)

// Config is what a Keeper is made of.
type Config struct {
	Leases storage.Leases
	// Process names this process as no other was or will be named.
	Process string
	// Shards is into how many shards the servers are divided, unless other processes have agreed on another number.
	Shards int
	// Serve begins to connect for a shard, and goes on with it until stop is called; it does not
	// wait. The Keeper is to be told by Connected of sessions that begin, are lost, and cannot be
	// had.
	Serve func(shard, of int) (stop func())
	// Gaining is told before this process becomes the owner of a shard, and Gained when it is; they do not wait either.
	Gaining, Gained func(shard int)
	Clock           timesource.Clock // monotonic
	Log             *slog.Logger
}

// Keeper keeps a process's leases. Its methods may be called by many goroutines at once, but for step.
type Keeper struct {
	c Config

	joined, settled chan struct{}
	once            sync.Once // closes settled

	mu       sync.Mutex
	shards   int // in force; 0 before the first round
	leases   map[int]*lease
	lines    map[int]*line
	begun    bool          // there was a round
	rounds   chan struct{} // closed and replaced when a round has succeeded
	stopping bool
	alone    bool      // nobody else lives, as far as is known
	away     bool      // the store could not be reached in the last round
	patient  time.Time // nothing is claimed before
	lonely   bool      // all others that live give away what they have
	deaf     time.Time // since when there is no session, though one was tried; zero while there is one
	missed   int       // leases that are said to have lapsed
}

// lease is a lease that this process owns, as far as it knows.
type lease struct {
	term     uint64
	until    time.Time // trusted until
	heir     string
	yielding bool      // never trusted again
	rescued  bool      // it has an heir because this process was deaf
	shared   time.Time // until when another process may be connected for the shard, too
}

// line is a connection of a shard, or what will be one.
type line struct {
	stop      func()
	connected bool
}

// New makes a Keeper that has nothing; its rounds are to be driven by Run.
func New(c Config) *Keeper {
	return &Keeper{c: c, joined: make(chan struct{}), settled: make(chan struct{}), rounds: make(chan struct{}),
		leases: map[int]*lease{}, lines: map[int]*line{}}
}

// Trusts reports whether this process is the owner of a shard's lease and may act on it now.
func (k *Keeper) Trusts(shard int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.trusts(k.leases[shard])
}

// Fence is the lease of a shard, in the term in which this process is its owner; trusted is as Trusts says.
func (k *Keeper) Fence(shard int) (fence storage.Fence, trusted bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.leases[shard]
	if !k.trusts(t) {
		return fence, false
	}
	return storage.Fence{Process: k.c.Process, Shard: shard, Term: t.term}, true
}

func (k *Keeper) trusts(t *lease) bool {
	return t != nil && !t.yielding && k.c.Clock.Now().Before(t.until)
}

// Sole reports whether this process trusts a shard's lease, and no other process is connected for the shard.
func (k *Keeper) Sole(shard int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.leases[shard]
	return k.trusts(t) && t.heir == "" && !k.c.Clock.Now().Before(t.shared)
}

// Lapsed reports whether this process was stopped, or cut off from the store, for so long that its
// lease of a shard may be another's: what reaches it of the shard may have waited meanwhile. It is
// so, too, where it has nothing to do with the shard any more.
func (k *Keeper) Lapsed(shard int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.leases[shard]
	if t == nil {
		return k.lines[shard] == nil
	}
	return !t.yielding && !k.c.Clock.Now().Before(t.until)
}

// Answers reports whether this process is to answer what came for a shard under a key, an
// interaction's id, and no other process is. Whose lease has lapsed waits for the next round to
// know it. alone says that no other process carries it out; where the store does not say so before
// ctx ends, both may, and this one is to say that it does not know.
func (k *Keeper) Answers(ctx context.Context, shard int, key string) (answers, alone bool) {
	for k.Lapsed(shard) {
		over, lost := k.round(shard)
		if lost {
			return false, true
		}
		select {
		case <-over:
		case <-ctx.Done():
			return true, false
		}
	}
	if k.Sole(shard) {
		return true, true
	}
	first, err := k.c.Leases.First(ctx, key)
	return first || err != nil, err == nil
}

// round is closed when a round has succeeded that is under way, or else the next. lost says that the
// lease of a shard is another process's.
func (k *Keeper) round(shard int) (over <-chan struct{}, lost bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.rounds, k.leases[shard] == nil
}

// Shards is into how many shards the servers are divided; 0 before that is known.
func (k *Keeper) Shards() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.shards
}

// Count is into how many shards the servers are divided, 0 before that is known; of how many of
// them this process trusts its lease; and of how many it had one that it does not trust any more,
// since it could not renew it.
func (k *Keeper) Count() (all, held, lapsed int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.leases {
		switch {
		case k.trusts(t):
			held++
		case !t.yielding:
			lapsed++
		}
	}
	return k.shards, held, lapsed
}

// Alone reports whether no other process lives, as far as is known.
func (k *Keeper) Alone() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.alone
}

// Connected says that the line of a shard has a session, or that it has lost it or cannot have one.
func (k *Keeper) Connected(shard int, up bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.lines[shard]
	if l == nil {
		return
	}
	l.connected = up
	if up {
		k.deaf = time.Time{}
		return
	}
	for _, l := range k.lines {
		if l.connected {
			return
		}
	}
	if k.deaf.IsZero() {
		k.deaf = k.c.Clock.Now()
	}
}

// lapse logs that leases have lapsed, and that they are trusted again.
func (k *Keeper) lapse(ctx context.Context) {
	_, _, lapsed := k.Count()
	k.mu.Lock()
	before := k.missed
	k.missed = lapsed
	k.mu.Unlock()
	switch {
	case lapsed > before:
		k.c.Log.WarnContext(ctx,
			"leases of shards have run out, because they could not be renewed: what nobody asks for waits, or another process does it", "shards", lapsed)
	case lapsed == 0 && before > 0:
		k.c.Log.InfoContext(ctx, "no lease of a shard has run out any more")
	}
}

// deed is a step that a round has decided on.
type deed func(ctx context.Context) error

// step is one round: it renews, reads who serves what, and does what follows from that. It returns
// when the next is due, and the store's error when there was one; then everything stays as it was,
// and trust runs out by itself. What the store has not answered by then is given up: the next round
// asks again, perhaps by a connection that is not dead.
func (k *Keeper) step(ctx context.Context) (next time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, Life-margin)
	defer cancel()
	sent := k.c.Clock.Now()
	roster, err := k.c.Leases.Renew(ctx, k.c.Process, k.c.Shards, Life)
	if k.came(err == nil); err != nil {
		return hurry, err
	}
	gained := k.read(roster, sent)
	deeds := k.decide(roster)
	if k.begin() {
		close(k.joined)
	}
	for _, shard := range gained {
		k.c.Gained(shard)
	}
	for _, do := range deeds {
		if derr := do(ctx); derr != nil && !errors.Is(derr, storage.ErrNotOwner) {
			err = errors.Join(err, derr)
		}
	}
	k.connect(roster)
	k.settle(roster)
	k.end()
	return k.pause(roster), err
}

// end notes that a round has succeeded.
func (k *Keeper) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.rounds)
	k.rounds = make(chan struct{})
}

// settle notes that every shard has an owner, and this process its connections.
func (k *Keeper) settle(roster storage.Roster) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, l := range roster.Leases {
		line := k.lines[l.Shard]
		if l.Owner == "" || l.Owner == k.c.Process && (line == nil || !line.connected) {
			return
		}
	}
	k.once.Do(func() { close(k.settled) })
}

// Settled is closed once every shard has an owner, and this process is connected for those that it owns.
func (k *Keeper) Settled() <-chan struct{} { return k.settled }

// came notes whether the store could be reached.
func (k *Keeper) came(there bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if there && k.away {
		k.patient = k.c.Clock.Now().Add(patience)
	}
	k.away = !there
}

// begin notes that there was a first round, and reports whether this is it.
func (k *Keeper) begin() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := !k.begun
	k.begun = true
	return first
}

// Joined is closed once this process knows of the others.
func (k *Keeper) Joined() <-chan struct{} { return k.joined }

// read takes over what the roster says of this process's leases.
func (k *Keeper) read(roster storage.Roster, sent time.Time) (gained []int) {
	owned := map[int]storage.Lease{}
	k.mu.Lock()
	if k.shards != roster.Shards {
		k.shards = roster.Shards
		if k.shards != k.c.Shards {
			k.c.Log.Warn(
				"the processes that run divide the servers into another number of shards than this one would; to change it, stop all of them and start them again",
				"shards", k.shards, "wanted", k.c.Shards)
		}
		for shard, l := range k.lines { // they were connected for another number
			l.stop()
			delete(k.lines, shard)
		}
	}
	k.alone = !slices.ContainsFunc(roster.Members, func(m string) bool { return m != k.c.Process })
	for _, l := range roster.Leases {
		if l.Owner != k.c.Process {
			continue
		}
		owned[l.Shard] = l
		if t := k.leases[l.Shard]; t == nil || t.term != l.Term {
			gained = append(gained, l.Shard)
		}
	}
	k.mu.Unlock()
	for _, shard := range gained {
		k.c.Gaining(shard)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, shard := range gained {
		t := &lease{term: owned[shard].Term}
		if k.lines[shard] != nil { // it was its heir
			t.shared = k.c.Clock.Now().Add(overlap)
		}
		k.leases[shard] = t
	}
	for shard, t := range k.leases {
		l, mine := owned[shard]
		if !mine {
			delete(k.leases, shard)
			continue
		}
		t.heir = l.Heir
		if until := sent.Add(Life - margin); until.After(t.until) {
			t.until = until
		}
	}
	return gained
}

// decide says what is to be done about leases.
func (k *Keeper) decide(roster storage.Roster) (deeds []deed) {
	k.mu.Lock()
	defer k.mu.Unlock()
	load := loads(roster)
	me := k.c.Process
	deaf := !k.deaf.IsZero() && k.c.Clock.Now().Sub(k.deaf) >= deafness
	giving := k.stopping || deaf
	gives := givers(roster)
	k.lonely = !slices.ContainsFunc(roster.Members, func(m string) bool { return m != me && !gives[m] })
	// Its own leases first: what is offered, and what was being handed over.
	for _, l := range roster.Leases {
		t := k.leases[l.Shard]
		_, lives := load[l.Heir]
		switch {
		case t == nil:
		case t.yielding && !(l.Ready && lives):
			deeds = append(deeds, k.claim(l.Shard))
		case l.Heir != "" && (!lives || gives[l.Heir] && !t.yielding):
			heir := ""
			if giving {
				heir = least(roster, load, gives, me)
			}
			if heir != "" || !lives || !giving {
				load[cmp.Or(heir, me)]++
				deeds = append(deeds, k.offer(l.Shard, t, heir))
			}
		case l.Heir != "" && !l.Ready && t.rescued && !giving:
			t.rescued = false
			load[me]++
			deeds = append(deeds, k.offer(l.Shard, t, ""))
		case l.Ready && lives:
			t.yielding = true
			deeds = append(deeds, k.hand(l.Shard, t))
		}
	}
	// What nobody owns.
	if !k.stopping && !k.c.Clock.Now().Before(k.patient) {
		share := (roster.Shards + len(roster.Members) - 1) / len(roster.Members)
		for i := range roster.Leases {
			l := roster.Leases[(i+k.from(roster.Shards))%len(roster.Leases)]
			if l.Owner == "" && load[me] < share {
				load[me]++
				deeds = append(deeds, k.claim(l.Shard))
			}
		}
	}
	// What others should have.
	for i := len(roster.Leases) - 1; i >= 0; i-- {
		l := roster.Leases[i]
		t := k.leases[l.Shard]
		if t == nil || t.yielding || l.Heir != "" {
			continue
		}
		heir := least(roster, load, gives, me)
		if heir == "" || !giving && load[me]-load[heir] < 2 {
			break
		}
		t.rescued = deaf
		load[me]--
		load[heir]++
		deeds = append(deeds, k.offer(l.Shard, t, heir))
	}
	// What it is to inherit.
	for _, l := range roster.Leases {
		line := k.lines[l.Shard]
		if l.Heir == me && !l.Ready && !k.stopping && line != nil && line.connected {
			deeds = append(deeds, func(ctx context.Context) error {
				return k.c.Leases.Accept(ctx, me, l.Shard, l.Term)
			})
		}
	}
	return deeds
}

// from is the shard at which this process begins to claim, so that several do not all begin with the same.
func (k *Keeper) from(shards int) int {
	h := fnv.New32a()
	h.Write([]byte(k.c.Process))
	return int(h.Sum32() % uint32(shards))
}

// loads are how many leases each living process has, those included that it is to inherit, and
// without those of which it has named an heir.
func loads(roster storage.Roster) map[string]int {
	load := map[string]int{}
	for _, m := range roster.Members {
		load[m] = 0
	}
	for _, l := range roster.Leases {
		holder := l.Owner
		if holder != "" && l.Heir != "" {
			holder = l.Heir
		}
		if _, lives := load[holder]; lives {
			load[holder]++
		}
	}
	return load
}

// givers are the processes that give away all they have: they stop, or have no session. Who only
// evens out keeps one at least.
func givers(roster storage.Roster) map[string]bool {
	gives := map[string]bool{}
	for _, l := range roster.Leases {
		if l.Owner != "" {
			all, has := gives[l.Owner]
			gives[l.Owner] = l.Heir != "" && (all || !has)
		}
	}
	return gives
}

// least is the process other than me that has the fewest, the first to join among equals; "" when
// there is none. What gives away all it has gets nothing.
func least(roster storage.Roster, load map[string]int, gives map[string]bool, me string) string {
	best := ""
	for _, m := range roster.Members {
		if m != me && !gives[m] && (best == "" || load[m] < load[best]) {
			best = m
		}
	}
	return best
}

func (k *Keeper) claim(shard int) deed {
	return func(ctx context.Context) error {
		sent := k.c.Clock.Now()
		term, err := k.c.Leases.Claim(ctx, k.c.Process, shard, Life)
		if err != nil {
			return err
		}
		k.c.Gaining(shard)
		k.mu.Lock()
		t := &lease{term: term, until: sent.Add(Life - margin)}
		if k.lines[shard] != nil { // it was the heir of one that ended
			t.shared = k.c.Clock.Now().Add(overlap)
		}
		k.leases[shard] = t
		k.mu.Unlock()
		k.c.Log.InfoContext(ctx, "this process serves a shard", "shard", shard, "term", term)
		k.c.Gained(shard)
		return nil
	}
}

// offer names an heir. From before that it counts as named: the heir connects as soon as it knows.
func (k *Keeper) offer(shard int, t *lease, heir string) deed {
	if heir != "" {
		t.heir = heir
	}
	return func(ctx context.Context) error { return k.c.Leases.Offer(ctx, k.c.Process, shard, t.term, heir) }
}

func (k *Keeper) hand(shard int, t *lease) deed {
	return func(ctx context.Context) error {
		if err := k.c.Leases.Hand(ctx, k.c.Process, shard, t.term, Life); err != nil {
			return err
		}
		k.mu.Lock()
		if k.leases[shard] == t {
			delete(k.leases, shard)
		}
		k.mu.Unlock()
		k.c.Log.InfoContext(ctx, "another process serves a shard from now on", "shard", shard)
		return nil
	}
}

// connect begins and ends lines: there is one for each lease that the process owns or inherits.
func (k *Keeper) connect(roster storage.Roster) {
	k.mu.Lock()
	defer k.mu.Unlock()
	wanted := map[int]bool{}
	for shard := range k.leases {
		wanted[shard] = true
	}
	for _, l := range roster.Leases {
		if l.Heir == k.c.Process && !k.stopping {
			wanted[l.Shard] = true
		}
	}
	for shard := range wanted {
		if k.lines[shard] == nil {
			k.lines[shard] = &line{stop: k.c.Serve(shard, roster.Shards)}
		}
	}
	for shard, l := range k.lines {
		if !wanted[shard] {
			l.stop()
			delete(k.lines, shard)
		}
	}
	if len(k.lines) == 0 {
		k.deaf = time.Time{}
	}
}

// pause is how long until the next round.
func (k *Keeper) pause(roster storage.Roster) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := round
	if k.c.Clock.Now().Before(k.patient) {
		next = hurry
	}
	for _, l := range roster.Leases {
		mine := l.Owner == k.c.Process
		switch {
		case l.Owner == "", mine && l.Heir != "", l.Heir == k.c.Process, mine && k.stopping:
			next = min(next, hurry)
		case !mine && l.Owner != "":
			next = min(next, l.Left+late)
		}
	}
	for shard, t := range k.leases {
		if line := k.lines[shard]; line == nil || !line.connected {
			next = min(next, hurry)
		}
		if t.heir != "" || t.yielding {
			next = min(next, hurry)
		}
	}
	return next
}
