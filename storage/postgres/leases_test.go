//go:build unix

package postgres

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/storage"
)

// Each lease has one owner at a time, whoever claims it at once; its term rises with each owner; it is handed to an heir who is ready,
// and taken from an owner whose lease ran out.
func TestLeases(t *testing.T) {
	ctx := context.Background()
	s := opened(t)
	const life = time.Hour
	held := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, storage.ErrHeld) {
			t.Errorf("%s: %v, want ErrHeld", what, err)
		}
	}
	fine := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	renew := func(process string, shards int) storage.Roster {
		t.Helper()
		r, err := s.Renew(ctx, process, shards, life)
		fine("renew "+process, err)
		return r
	}
	_, err := s.Claim(ctx, "a", 0, life)
	held("a claim before joining", err)
	if r := renew("a", 2); r.Shards != 2 || !slices.Equal(r.Members, []string{"a"}) || len(r.Leases) != 2 {
		t.Errorf("alone: %+v", r)
	}
	if r := renew("b", 5); r.Shards != 2 || !slices.Equal(r.Members, []string{"a", "b"}) {
		t.Errorf("the second has another number of shards: %+v", r)
	}
	var won atomic.Int64
	var wg sync.WaitGroup
	for _, process := range []string{"a", "b", "a", "b"} {
		wg.Go(func() {
			if _, err := s.Claim(ctx, process, 0, life); err == nil {
				won.Add(1)
			} else if !errors.Is(err, storage.ErrHeld) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r := renew("a", 2)
	owner, other := r.Leases[0].Owner, "b"
	if owner == "b" {
		other = "a"
	}
	if owner == "" || won.Load() != 2 || r.Leases[0].Term != 2 || r.Leases[0].Left <= 0 { // who has it claims it twice
		t.Errorf("after claims at once: %+v, %d claims", r.Leases, won.Load())
	}
	term := r.Leases[0].Term
	held("an offer in another term", s.Offer(ctx, owner, 0, term+1, other))
	fine("an offer", s.Offer(ctx, owner, 0, term, other))
	held("handing to who is not ready", s.Hand(ctx, owner, 0, term, life))
	held("who is no heir accepts", s.Accept(ctx, owner, 0, term))
	fine("the heir accepts", s.Accept(ctx, other, 0, term))
	fine("handing", s.Hand(ctx, owner, 0, term, life))
	held("handing again", s.Hand(ctx, owner, 0, term, life))
	if l := renew("a", 2).Leases[0]; l.Owner != other || l.Term != term+1 || l.Heir != "" || l.Ready {
		t.Errorf("after handing: %+v", l)
	}
	if _, err := s.pool.Exec(ctx, "UPDATE shards SET until = 0"); err != nil { // as if it had run out
		t.Fatal(err)
	}
	if got, err := s.Claim(ctx, owner, 0, life); err != nil || got != term+2 {
		t.Errorf("a lease that ran out is claimed in term %d (%v)", got, err)
	}
	fine("leave", s.Leave(ctx, owner))
	if r := renew(other, 3); r.Shards != 3 || r.Leases[0].Owner != "" || r.Leases[0].Term != term+2 || !slices.Equal(r.Members, []string{other}) {
		t.Errorf("alone again, with another number: %+v", r)
	}

	if wait, err := s.Turn(ctx, 0, life); wait != 0 || err != nil {
		t.Errorf("the first turn waits %v (%v)", wait, err)
	}
	if wait, err := s.Turn(ctx, 0, life); wait <= 0 || err != nil {
		t.Errorf("the second turn waits %v (%v)", wait, err)
	}
	var first atomic.Int64
	for range 8 {
		wg.Go(func() {
			if is, err := s.First(ctx, "interaction"); err != nil {
				t.Error(err)
			} else if is {
				first.Add(1)
			}
		})
	}
	wg.Wait()
	if first.Load() != 1 {
		t.Errorf("%d were the first", first.Load())
	}
	fine("check", s.Check(ctx))
}
