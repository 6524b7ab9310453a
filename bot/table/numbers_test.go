package table_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/table"
	"marque/storage"
)

// Numbers reports the age of the oldest unpublished event, even if it is from before a restart, and ignores published
// events.
func TestNumbersKnowTheOldestNews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, s := t.Context(), newShip(t)
		defer func() { s.sink() }()
		numbers := func() table.Numbers {
			t.Helper()
			synctest.Wait()
			n, err := s.Numbers(ctx)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		s.Start(s.teller)
		started(s, "ann", "bob")
		if n := numbers(); n.Unpublished != 0 || n.OldestNews != 0 {
			t.Errorf("all is told: %+v", n)
		}
		s.failWith(func(table.News) error { return errors.New("503") })
		started(s, "cid", "dan")
		time.Sleep(time.Hour)
		started(s, "eve", "fay")
		if n := numbers(); n.Unpublished != 2 || n.OldestNews != time.Hour {
			t.Errorf("two tables wait, one for an hour: %+v", n)
		}
		s.crash()
		time.Sleep(time.Hour)
		s.launch(table.Config{})
		s.Start(s.teller)
		if n := numbers(); n.Unpublished != 2 || n.OldestNews < 2*time.Hour {
			t.Errorf("after a restart the one waits for two hours: %+v", n)
		}
		s.failWith(nil)
		time.Sleep(10 * time.Minute)
		if n := numbers(); n.Unpublished != 0 || n.OldestNews != 0 {
			t.Errorf("after the outage: %+v", n)
		}
	})
}

// gainful is a store that calls gained while the index of due work is read.
type gainful struct {
	table.Store
	gained func()
}

func (g *gainful) DueUntil(ctx context.Context, until storage.Stamp, limit int) ([]storage.DueTable, error) {
	done := make(chan struct{})
	go func() { g.gained(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return g.Store.DueUntil(ctx, until, limit)
}

// The process can gain servers while Numbers reads the store. Otherwise a slow read would block the sweeper.
func TestNumbersKeepTheSweeperFromNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s := newShip(t)
	defer s.sink()
	store := &gainful{Store: s.store}
	s.Service = table.New(table.Config{Store: store, Games: find, Log: slog.New(slog.DiscardHandler)})
	store.gained = func() { s.Sharing.Gained(ctx) }
	if _, err := s.Numbers(ctx); err != nil {
		t.Errorf("the numbers wait for servers to be gained, which waits for them: %v", err)
	}
}

// Numbers reports how late the due work is until it is carried out. While the bot is offline, no work is late.
func TestNumbersKnowWhatIsLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, s := t.Context(), newShip(t)
		defer func() { s.sink() }()
		s.silence("ann", "bob")
		timed(s, perMove(2*time.Hour, storage.LateForfeit), "ann", "bob")
		time.Sleep(3 * time.Hour)
		late, err := s.Numbers(ctx) // no work is carried out before Start
		if err != nil || late.DueLag != time.Hour || late.Failing != 0 {
			t.Errorf("an hour after the time is over: %+v, %v", late, err)
		}
		s.SetOnline(false)
		if n, err := s.Numbers(ctx); err != nil || n.DueLag != 0 {
			t.Errorf("offline: %+v, %v", n, err)
		}
		s.SetOnline(true)
		s.Start(s.teller)
		time.Sleep(5 * time.Hour)
		synctest.Wait()
		if n, err := s.Numbers(ctx); err != nil || n.DueLag != 0 || n.Failing != 0 {
			t.Errorf("carried out: %+v, %v", n, err)
		}
	})
}
