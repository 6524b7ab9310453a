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

// Durations and limits of the protocol.
const (
	// Life is how long a lease lasts after it is renewed.
	Life = 9 * time.Second
	// firstLife is how long a lease lasts after a claim by a process that is not yet connecting for the shard. The new
	// owner renews it every second while it connects. Life, firstLife and connecting take at most 17 seconds together.
	// This is how long users of a shard get no answer if its process dies and the process that claims its lease stops
	// immediately.
	firstLife = Life - round
	// margin is how long before the end of a lease its owner stops trusting it.
	margin = Life / 5
	// round is the time between two renewals. hurry replaces it when changes are due, for example while a lease is
	// being handed over.
	round = Life / 3
	hurry = time.Second
	// late is how long this process waits after the end of another process's lease until it reads the leases.
	late = 200 * time.Millisecond
	// overlap is how long the new owner of a handed-over lease asks the store, for each interaction, whether another
	// process has already answered it. The old owner may still be connected for that time.
	overlap = Life
	// patience is how long a process claims no leases after the store can be reached again. It gives the owners time to
	// renew their leases.
	patience = 2 * hurry
	// deafness is how long a process goes without any session, or without an answer to its requests, before it gives
	// its leases away. Most lost sessions come back sooner. An heir takes about as long to notice an offer and to
	// connect.
	deafness = 8 * time.Second
	// tries is the number of consecutive unanswered requests after which the process can count as cut off from Discord.
	tries = 3
)

// Config has the settings of a Keeper, and the parts of the bot that it uses.
type Config struct {
	Leases storage.Leases
	// Process is the name of this process. No other process may ever have it.
	Process string
	// Shards is the number of shards, unless the running processes use another number.
	Shards int
	// Serve begins to connect for a shard, without waiting, and stays connected until stop is called. It must call
	// Connected when a session begins, is lost, or is refused.
	Serve func(shard, of int) (stop func())
	// Gaining is called before this process trusts a new lease of a shard, and Gained afterwards. Neither may block.
	Gaining, Gained func(shard int)
	Clock           timesource.Clock // must be monotonic
	Log             *slog.Logger
}

// Keeper keeps the leases of a process. Its exported methods are safe for concurrent use.
type Keeper struct {
	c Config

	joined, settled chan struct{}
	once            sync.Once // closes settled

	mu          sync.Mutex
	shards      int // number of all shards; 0 before the first round
	leases      map[int]*lease
	lines       map[int]*line
	begun       bool          // whether the first round has succeeded
	rounds      chan struct{} // closed and replaced when a round succeeds
	stopping    bool
	alone       bool      // whether no other process is alive, as of the last round
	known       time.Time // before this time, no other process can take a lease that this one had in the last round
	away        bool      // whether the store could not be reached in the last round
	patient     time.Time // until when this process claims no lease
	othersLeave bool      // whether every other process is giving away its leases
	silentSince time.Time // when the last session was lost or the first was refused; zero otherwise
	heard       time.Time // when Discord last answered a request
	tried       int       // number of requests without an answer since heard
	unheard     time.Time // when the first of these requests was sent; no earlier than heard
	missed      int       // number of lapsed leases at the last check
}

// lease is a lease that this process owns, as of its last round or claim.
type lease struct {
	term     uint64
	until    time.Time // until when this process trusts the lease
	heir     string
	yielding bool      // being handed to the heir, so that this process no longer trusts it
	rescued  bool      // offered to the heir because this process was cut off from Discord
	shared   time.Time // until when another process may also be connected for the shard
}

// line is the connection for a shard, or an attempt to connect.
type line struct {
	stop      func()
	connected bool
}

// New returns a Keeper without leases. Run keeps its leases.
func New(c Config) *Keeper {
	return &Keeper{c: c, joined: make(chan struct{}), settled: make(chan struct{}), rounds: make(chan struct{}),
		leases: map[int]*lease{}, lines: map[int]*line{}}
}

// Fence returns the fence of a shard's lease in the term in which this process owns it. trusted reports whether this
// process may now act under the lease.
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

// Exclusive reports whether this process trusts the lease of a shard, and no other process answers for the shard: no
// handover is in progress or ended a moment ago.
func (k *Keeper) Exclusive(shard int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.leases[shard]
	return k.trusts(t) && t.heir == "" && !k.c.Clock.Now().Before(t.shared)
}

// Lapsed reports whether another process may have taken the lease of a shard, because this process was stopped or cut
// off from the store for too long. Interactions of the shard may then be old. If this process inherits the lease or
// hands it over, the time since the last round decides. Lapsed is also true if this process has neither a lease nor a
// connection for the shard.
func (k *Keeper) Lapsed(shard int) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	until := k.known
	switch t := k.leases[shard]; {
	case t == nil && k.lines[shard] == nil:
		return true
	case t != nil && !t.yielding:
		until = t.until
	}
	return !k.c.Clock.Now().Before(until)
}

// Answers reports whether this process should answer an interaction of a shard; key is the id of the interaction. If
// the lease has lapsed, Answers first waits for the next round. If answers is true, alone says that no other process
// carries out the interaction. If the store fails or does not answer before ctx ends, answers is true and alone is
// false. The caller must then change nothing, and tell the user that the outcome is unknown, because another process
// may be carrying out the interaction.
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
	if k.Exclusive(shard) {
		return true, true
	}
	first, err := k.c.Leases.First(ctx, key)
	return first || err != nil, err == nil
}

// round returns a channel that is closed when the running or the next round succeeds. lost reports whether this process
// no longer has a lease or a connection for the shard.
func (k *Keeper) round(shard int) (over <-chan struct{}, lost bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.rounds, k.leases[shard] == nil && k.lines[shard] == nil
}

// Shards returns the number of all shards, or 0 before it is known.
func (k *Keeper) Shards() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.shards
}

// Count returns the number of all shards (0 before it is known), of the leases that this process trusts, and of its
// lapsed leases, which it could not renew in time.
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

// Alone reports whether no other process was alive in the last round.
func (k *Keeper) Alone() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.alone
}

// Connected records whether the connection for a shard has a session. It must be called when a session begins, is lost,
// or is refused.
func (k *Keeper) Connected(shard int, up bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.lines[shard]
	if l == nil {
		return
	}
	l.connected = up
	if up {
		k.silentSince = time.Time{}
		return
	}
	for _, l := range k.lines {
		if l.connected {
			return
		}
	}
	if k.silentSince.IsZero() {
		k.silentSince = k.c.Clock.Now()
	}
}

// Heard records whether Discord answered a request, and how long the request took.
func (k *Keeper) Heard(answered bool, took time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.c.Clock.Now()
	if answered {
		k.heard, k.tried = now, 0
		return
	}
	if k.tried++; k.tried == 1 {
		k.unheard = now.Add(-took)
		if k.unheard.Before(k.heard) {
			k.unheard = k.heard
		}
	}
}

// cut reports whether this process is cut off from Discord: for too long it has had no session, or no answer to its
// requests. The caller holds the lock.
func (k *Keeper) cut() bool {
	now := k.c.Clock.Now()
	return !k.silentSince.IsZero() && now.Sub(k.silentSince) >= deafness ||
		k.tried >= tries && now.Sub(k.unheard) >= deafness
}

// lapse logs a warning when more leases have lapsed, and a message when none is lapsed any longer.
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

// action is a change of a lease that a round makes.
type action func(ctx context.Context) error

// step runs one round: it renews the leases, reads which process owns which lease, and acts on this. It returns how
// long to wait for the next round, and the store's errors. If the leases cannot be renewed, nothing else is done, and
// they lapse in time. If the store does not answer, a round gives up when the trust that began one round earlier ends,
// because the next round may use another connection to the store.
func (k *Keeper) step(ctx context.Context) (next time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, Life-margin-round)
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

// end wakes goroutines that wait for a round to succeed.
func (k *Keeper) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	close(k.rounds)
	k.rounds = make(chan struct{})
}

// settle closes settled once every shard has an owner and this process is connected for its own shards.
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

// Settled returns a channel that is closed once every shard has an owner, and this process is connected for its own
// shards.
func (k *Keeper) Settled() <-chan struct{} { return k.settled }

// came records whether the store could be reached. If it can be reached again, patience begins.
func (k *Keeper) came(there bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if there && k.away {
		k.patient = k.c.Clock.Now().Add(patience)
	}
	k.away = !there
}

// begin reports whether this is the first round that succeeds.
func (k *Keeper) begin() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	first := !k.begun
	k.begun = true
	return first
}

// Joined returns a channel that is closed once this process knows of the other processes.
func (k *Keeper) Joined() <-chan struct{} { return k.joined }

// read updates this process's leases from a roster that was requested at the time sent. gained lists the shards whose
// lease is new or has a new term.
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
		for shard := range k.lines { // the connections were made for another number of shards
			k.disconnect(shard)
		}
	}
	k.known = sent.Add(Life - margin)
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
		if k.lines[shard] != nil { // connected as the heir, or as the owner in an earlier term
			t.shared = k.c.Clock.Now().Add(overlap)
		}
		k.leases[shard] = t
	}
	for shard, t := range k.leases {
		l, mine := owned[shard]
		if !mine {
			delete(k.leases, shard)
			if !t.yielding { // disconnect, because the new owner may answer without asking the store
				k.disconnect(shard)
			}
			continue
		}
		t.heir = l.Heir
		if until := sent.Add(Life - margin); until.After(t.until) {
			t.until = until
		}
	}
	return gained
}

// decide returns the changes of leases to make in this round, in order.
func (k *Keeper) decide(roster storage.Roster) (deeds []action) {
	k.mu.Lock()
	defer k.mu.Unlock()
	load := loads(roster)
	me := k.c.Process
	cut := k.cut()
	giving := k.stopping || cut
	gives := givers(roster)
	k.othersLeave = !slices.ContainsFunc(roster.Members, func(m string) bool { return m != me && !gives[m] })
	// First, this process continues to hand over leases that have an heir.
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
	// Second, it claims leases without an owner, up to an even share.
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
	// Third, it offers leases to processes that have at least two fewer, or all of its leases if it is stopping or cut
	// off from Discord.
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
		t.rescued = cut
		load[me]--
		load[heir]++
		deeds = append(deeds, k.offer(l.Shard, t, heir))
	}
	// Last, it accepts leases of which it is the heir, once it is connected for their shards.
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

// from returns the shard at which this process begins to claim. Processes begin at different shards, so that they
// rarely claim the same lease.
func (k *Keeper) from(shards int) int {
	h := fnv.New32a()
	h.Write([]byte(k.c.Process))
	return int(h.Sum32() % uint32(shards))
}

// loads returns the number of leases of each living process. A lease with an heir counts for the heir instead of its
// owner.
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

// givers returns the processes that have offered all their leases to heirs, because they are stopping or are cut off
// from Discord. A process that only balances the load keeps at least one lease.
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

// least returns the process with the fewest leases, apart from me, or "" if there is none. If several have equally few,
// it returns the first in the roster. It ignores processes that give away all their leases.
func least(roster storage.Roster, load map[string]int, gives map[string]bool, me string) string {
	best := ""
	for _, m := range roster.Members {
		if m != me && !gives[m] && (best == "" || load[m] < load[best]) {
			best = m
		}
	}
	return best
}

func (k *Keeper) claim(shard int) action {
	return func(ctx context.Context) error {
		life := firstLife
		k.mu.Lock()
		if k.lines[shard] != nil { // already connecting, as the heir of a dead owner or after a failed handover
			life = Life
		}
		k.mu.Unlock()
		sent := k.c.Clock.Now()
		term, err := k.c.Leases.Claim(ctx, k.c.Process, shard, life)
		if err != nil {
			return err
		}
		k.c.Gaining(shard)
		k.mu.Lock()
		t := &lease{term: term, until: sent.Add(life - margin)}
		if k.lines[shard] != nil {
			t.shared = k.c.Clock.Now().Add(overlap)
		}
		k.leases[shard] = t
		k.mu.Unlock()
		k.c.Log.InfoContext(ctx, "this process serves a shard", "shard", shard, "term", term)
		k.c.Gained(shard)
		return nil
	}
}

// offer returns an action that offers a lease to an heir, or withdraws the offer if heir is empty. The heir is recorded
// before the store is changed, because it connects as soon as it reads the offer.
func (k *Keeper) offer(shard int, t *lease, heir string) action {
	if heir != "" {
		t.heir = heir
	}
	return func(ctx context.Context) error { return k.c.Leases.Offer(ctx, k.c.Process, shard, t.term, heir) }
}

func (k *Keeper) hand(shard int, t *lease) action {
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

// connect begins and ends connections, so that there is one for each lease that this process owns or inherits.
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
	for shard := range k.lines {
		if !wanted[shard] {
			k.disconnect(shard)
		}
	}
	if len(k.lines) == 0 {
		k.silentSince = time.Time{}
	}
}

// disconnect ends the connection for a shard, if there is one. The caller holds the lock.
func (k *Keeper) disconnect(shard int) {
	if l := k.lines[shard]; l != nil {
		l.stop()
		delete(k.lines, shard)
	}
}

// pause returns how long to wait for the next round.
func (k *Keeper) pause(roster storage.Roster) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	next := round
	if k.c.Clock.Now().Before(k.patient) || k.tried > 0 {
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
