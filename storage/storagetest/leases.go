package storagetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"marque/storage"
	"marque/storage/kv"
)

// Leases tests an implementation of leases that has not been used yet. The test polls until its short leases have
// expired.
func Leases(t *testing.T, l storage.Leases) {
	ctx := t.Context()
	const long, short = time.Hour, 50 * time.Millisecond
	// patience limits how long the test waits for something, even on a busy machine.
	const patience = 2 * time.Minute
	until := time.Now().Add(patience)
	waits := func(what string) {
		t.Helper()
		if time.Now().After(until) {
			t.Fatalf("after %v %s", patience, what)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	held := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, storage.ErrNotOwner) {
			t.Errorf("%s: %v, want %v", what, err, storage.ErrNotOwner)
		}
	}
	renew := func(process string, life time.Duration) storage.Roster {
		t.Helper()
		r, err := l.Renew(ctx, process, 3, life)
		must(err)
		if r.Shards != 3 || len(r.Leases) != 3 {
			t.Fatalf("%d shards with %d leases, want 3", r.Shards, len(r.Leases))
		}
		return r
	}
	claim := func(process string, shard int, life time.Duration) uint64 {
		t.Helper()
		term, err := l.Claim(ctx, process, shard, life)
		must(err)
		return term
	}
	is := func(r storage.Roster, shard int, want storage.Lease) {
		t.Helper()
		got := r.Leases[shard]
		if (got.Left > 0) != (want.Owner != "") {
			t.Errorf("the lease of shard %d lasts %v, and its owner is %q", shard, got.Left, got.Owner)
		}
		got.Left, want.Shard = 0, shard
		if got != want {
			t.Errorf("the lease of shard %d is %+v, want %+v", shard, got, want)
		}
	}

	_, err := l.Claim(ctx, "a", 0, long)
	held("a claim of who does not live", err)
	is(renew("a", long), 2, storage.Lease{})
	if r := renew("b", long); !slices.Equal(r.Members, []string{"a", "b"}) {
		t.Errorf("the members are %q", r.Members)
	}
	if term := claim("a", 0, long); term != 1 {
		t.Errorf("the first term is %d", term)
	}
	_, err = l.Claim(ctx, "b", 0, long)
	held("a claim of another's lease", err)
	_, err = l.Claim(ctx, "b", 3, long)
	held("a claim of no shard", err)
	if term := claim("a", 0, long); term != 2 {
		t.Errorf("claimed again, the term is %d, want 2", term)
	}

	// Only the owner can offer a lease, in its term. The owner can hand the lease only to an heir that is ready and
	// alive.
	held("an offer of another's lease", l.Offer(ctx, "b", 0, 2, "b"))
	held("an offer in a term that is over", l.Offer(ctx, "a", 0, 1, "b"))
	must(l.Offer(ctx, "a", 0, 2, "b"))
	is(renew("b", long), 0, storage.Lease{Term: 2, Owner: "a", Heir: "b"})
	held("a handing to an heir who is not ready", l.Hand(ctx, "a", 0, 2, long))
	held("an acceptance of who is no heir", l.Accept(ctx, "c", 0, 2))
	must(l.Accept(ctx, "b", 0, 2))
	is(renew("a", long), 0, storage.Lease{Term: 2, Owner: "a", Heir: "b", Ready: true})
	must(l.Offer(ctx, "a", 0, 2, ""))
	is(renew("a", long), 0, storage.Lease{Term: 2, Owner: "a"})
	held("a handing to nobody", l.Hand(ctx, "a", 0, 2, long))
	must(l.Offer(ctx, "a", 0, 2, "b"))
	must(l.Accept(ctx, "b", 0, 2))
	must(l.Hand(ctx, "a", 0, 2, long))
	is(renew("a", long), 0, storage.Lease{Term: 3, Owner: "b"})
	held("a handing that was done", l.Hand(ctx, "a", 0, 2, long))
	must(l.Offer(ctx, "b", 0, 3, "nobody"))
	must(l.Accept(ctx, "nobody", 0, 3))
	held("a handing to an heir who does not live", l.Hand(ctx, "b", 0, 3, long))

	// When a process leaves, its leases have no owner, and the leases that were offered to it have no heir. The number
	// of shards can change only if no other process is alive.
	claim("a", 1, long)
	must(l.Offer(ctx, "a", 1, 1, "b"))
	must(l.Leave(ctx, "b"))
	r := renew("a", long)
	is(r, 0, storage.Lease{Term: 3})
	is(r, 1, storage.Lease{Term: 1, Owner: "a"})
	if other, err := l.Renew(ctx, "c", 5, long); err != nil || other.Shards != 3 {
		t.Errorf("who joins makes %d shards of 3, %v", other.Shards, err)
	}
	must(l.Leave(ctx, "c"))
	if other, err := l.Renew(ctx, "a", 2, long); err != nil || other.Shards != 2 || other.Leases[0].Term != 3 ||
		other.Leases[1].Owner != "" {
		t.Errorf("who is alone makes of it %+v, %v", other, err)
	}
	is(renew("a", long), 1, storage.Lease{Term: 1})
	must(l.Leave(ctx, "a"))

	// A lease and the membership of its owner expire unless they are renewed.
	renew("short", long)
	claim("short", 2, short)
	renew("short", short) // only after the claim, which requires a live process
	renew("a", long)
	for term, err := l.Claim(ctx, "a", 2, long); ; term, err = l.Claim(ctx, "a", 2, long) {
		if err == nil {
			if want := uint64(2); term != want {
				t.Errorf("taken from who let it run out, the term is %d, want %d", term, want)
			}
			break
		}
		if !errors.Is(err, storage.ErrNotOwner) {
			t.Fatalf("a claim of a lease that has not run out: %v", err)
		}
		waits("a lease of 50 ms has not run out")
	}
	for len(renew("a", long).Members) > 1 {
		waits("a process that should live for 50 ms lives")
	}
	claim("a", 1, short)
	for r := renew("b", long); r.Leases[1].Owner != ""; r = renew("b", long) {
		if r.Leases[1].Left > short {
			t.Fatalf("a lease of %v has %v left", short, r.Leases[1].Left)
		}
		waits("a lease of 50 ms has an owner")
	}
	is(renew("a", long), 1, storage.Lease{Term: 2, Owner: "a"}) // nobody has claimed the expired lease since

	// If several processes claim a lease at the same time, one of them gets it.
	must(l.Leave(ctx, "a"))
	var wg sync.WaitGroup
	var mu sync.Mutex
	owners := 0
	for _, process := range []string{"p", "q", "r", "s"} {
		renew(process, long)
	}
	for _, process := range []string{"p", "q", "r", "s"} {
		wg.Go(func() {
			if _, err := l.Claim(context.WithoutCancel(ctx), process, 0, long); err == nil {
				mu.Lock()
				owners++
				mu.Unlock()
			} else if !errors.Is(err, storage.ErrNotOwner) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if owners != 1 {
		t.Errorf("%d processes have claimed one lease", owners)
	}

	// In each group, Turn lets one caller through, and the next one only after the pause. First lets only the first
	// caller with a key through.
	turn := func(group int, pause time.Duration) time.Duration {
		t.Helper()
		wait, err := l.Turn(ctx, group, pause)
		must(err)
		return wait
	}
	if turn(0, long) != 0 || turn(1, long) != 0 {
		t.Error("the first turns have to wait")
	}
	if wait := turn(0, long); wait <= 0 || wait > long {
		t.Errorf("the next turn is in %v, want less than %v", wait, long)
	}
	for turn(1, short) > 0 {
		waits("a turn has to wait for 50 ms")
	}
	for i, want := range []bool{true, false} {
		if first, err := l.First(ctx, "an interaction"); err != nil || first != want {
			t.Errorf("asked for the %d. time: first %v, %v", i+1, first, err)
		}
	}
	if first, err := l.First(ctx, "another"); err != nil || !first {
		t.Errorf("another interaction: first %v, %v", first, err)
	}

	// Both listeners get the texts that are sent.
	listening, stop := context.WithCancel(ctx)
	ears := []chan string{make(chan string, 8), make(chan string, 8)}
	for _, ear := range ears {
		wg.Go(func() {
			if err := l.Listen(listening, func(text string) { ear <- text }); listening.Err() == nil {
				t.Errorf("listening ended: %v", err)
			}
		})
	}
	hears := func(want string) {
		t.Helper()
		for i, ear := range ears {
			select {
			case got := <-ear:
				if got != want {
					t.Errorf("listener %d hears %q, want %q", i, got, want)
				}
			case <-time.After(patience):
				t.Fatalf("listener %d has not heard %q after %v", i, want, patience)
			}
		}
	}
	hears("")
	for _, text := range []string{"Segel, 帆", strings.Repeat("x", kv.MaxSent)} {
		must(l.Send(ctx, text))
		hears(text)
	}
	stop()
	wg.Wait()
	must(l.Send(ctx, "nobody listens"))
}
