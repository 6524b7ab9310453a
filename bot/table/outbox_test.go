package table_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/table"
	"marque/storage"
	"marque/storage/kv"
	"marque/storage/storagetest"
)

// versions returns the versions at which a table was published. It fails the test if a publication does not continue
// the previous one.
func (p *teller) versions(t *testing.T, id table.ID) []uint64 {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []uint64
	since := uint64(0)
	for _, n := range p.news {
		if n.ID != id {
			continue
		}
		if n.Since != since {
			t.Errorf("table %d: news since version %d come after version %d", id, n.Since, since)
		}
		if want := fmt.Sprintf("note %d", n.Since); n.Since > 0 && n.Note != want {
			t.Errorf("table %d: note %q, want %q", id, n.Note, want)
		}
		if plays := n.Plays - n.From; plays != len(storage.Log(n.Events)) || n.From < 0 {
			t.Errorf("table %d: plays from %d to %d, but %d among the events", id, n.From, n.Plays,
				len(storage.Log(n.Events)))
		}
		for _, e := range n.Events {
			if e.Kind.Play() && e.Text != "" {
				t.Errorf("table %d tells the play %q unmasked", id, e.Text)
			}
		}
		since = n.Version
		list = append(list, since)
	}
	return list
}

// Moves continue during an outage of Discord. Afterwards all events are published together, in order.
func TestNewsWaitForAnOutageToEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		tries := 0
		s.failWith(func(table.News) error { tries++; return errors.New("503") })
		s.Start(s.teller)
		snap := started(s, "ann", "bob")
		for range 3 {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		// The pauses between a table's own tries grow, so that nearly all tries in an hour are the regular ones that
		// test whether the outage is over.
		if tries < 360 || tries > 400 {
			t.Errorf("%d tries in an hour", tries)
		}
		s.failWith(nil)
		time.Sleep(15 * time.Second)
		synctest.Wait()
		// Two more commits raise the version: the clock stops because the board is late, and runs again after its
		// publication.
		if got := s.versions(t, snap.ID); len(got) != 1 || got[0] < snap.Version {
			t.Errorf("told at versions %v, want all up to %d at once", got, snap.Version)
		}
		s.sink()
	})
}

// Committed events are published from memory: once a table has been published, its new events are not read from the
// store. After a user's data is deleted, they are read again.
func TestNewsComeOutOfWhatWasCommitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		f := newFlaky(s)
		s.Start(s.teller)
		synctest.Wait() // the cleaner has cleared the memory, and the queue has looked for unpublished events
		snap := started(s, "ann", "bob")
		synctest.Wait() // the first events of the game are published
		const most = 1000
		f.before["news"] = most
		asked := func() int {
			synctest.Wait()
			f.mu.Lock()
			defer f.mu.Unlock()
			return most - f.before["news"]
		}
		for range 3 {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
			if n := asked(); n > 0 {
				t.Fatalf("the store was asked %d times for what had just been committed", n)
			}
		}
		if got := s.versions(t, snap.ID); len(got) == 0 || got[len(got)-1] != snap.Version {
			t.Errorf("told at versions %v, want up to %d", got, snap.Version)
		}
		if err := s.forget(ctx, "cid"); err != nil {
			t.Fatal(err)
		}
		ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
		if n := asked(); n == 0 {
			t.Error("after a user was forgotten the store was not asked")
		}
		s.sink()
	})
}

// naming is a publisher whose notes name the players, like the bot's. If begun is set, its publications wait for the
// test.
type naming struct {
	*teller

	begun, goOn chan struct{}
}

func (p *naming) Publish(ctx context.Context, n table.News) (string, error) {
	if _, err := p.teller.Publish(ctx, n); err != nil {
		return "", err
	}
	note := fmt.Sprintf("note %d\n%v", n.Version, n.Seats)
	if p.begun != nil {
		p.begun <- struct{}{}
		<-p.goOn
	}
	return note, nil
}

// If a user's data is deleted while their table is being published, nothing that is stored afterwards names the user,
// and neither does the note that comes with later news.
func TestNewsBesideAForgottenUserNameThemNoMore(t *testing.T) {
	t.Parallel()
	const user = "annabella"
	for _, tc := range []struct {
		name string
		act  func(ctx context.Context, s *ship, snap *table.Snapshot) (*table.Snapshot, error)
		told int // number of publications expected from act on
	}{
		{"of a move", func(ctx context.Context, s *ship, snap *table.Snapshot) (*table.Snapshot, error) {
			return s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0)
		}, 2},
		{"of the end", func(ctx context.Context, s *ship, snap *table.Snapshot) (*table.Snapshot, error) {
			return s.Resign(ctx, s.as("bob"), snap.ID)
		}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, ok, s := t.Context(), must(t), newShip(t)
				p := &naming{teller: s.teller}
				s.Start(p)
				snap := started(s, user, "bob")
				synctest.Wait()
				p.begun, p.goOn = make(chan struct{}), make(chan struct{})
				before := len(p.news)
				ok(tc.act(ctx, s, snap))
				<-p.begun
				if err := s.forget(ctx, user); err != nil {
					t.Fatal(err)
				}
				p.goOn <- struct{}{}
				for range tc.told - 1 {
					<-p.begun
					p.goOn <- struct{}{}
				}
				synctest.Wait()
				if err := s.store.Dump(ctx, func(at kv.Key, value []byte) error {
					if bytes.Contains(value, []byte(user)) || bytes.Contains(at.Key, []byte(user)) {
						t.Errorf("%s is in the store again: %s %q: %q", user, at.Space, at.Key, value)
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if told := p.news[before:]; len(told) != tc.told {
					t.Errorf("told %d times, want %d", len(told), tc.told)
				}
				for _, n := range p.news[before+1:] {
					if want := fmt.Sprintf("note %d", n.Since); n.Note != want {
						t.Errorf("the next news are published with the note %q, want %q", n.Note, want)
					}
				}
				s.sink()
			})
		})
	}
}

// Publishing a table whose channel is gone is tried at growing intervals, and immediately when the table changes. Other
// tables are not delayed.
func TestAPermanentFailureParksOneTable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok := t.Context(), must(t)
		s := ashore(t)
		s.launch(table.Config{Workers: 1})
		var count atomic.Int64
		gone := table.ID(0)
		s.failWith(func(n table.News) error {
			if n.ID != gone {
				return nil
			}
			count.Add(1)
			return &table.PermanentError{Err: errors.New("unknown channel")}
		})
		s.Start(s.teller)
		gone = 1
		a, b := started(s, "ann", "bob"), started(s, "cid", "dan")
		synctest.Wait()
		tries := func() int { return int(count.Load()) }
		first := tries()
		var pauses []time.Duration
		// The first reminder, a change of the table, comes after this.
		for seen, began := tries(), time.Now(); time.Since(began) < 23*time.Hour; {
			time.Sleep(time.Minute)
			synctest.Wait()
			if tries() != seen {
				pauses, seen, began = append(pauses, time.Since(began).Truncate(5*time.Minute)), tries(), time.Now()
			}
			if len(pauses) == 8 {
				break
			}
		}
		const m, h = time.Minute, time.Hour
		if want := []time.Duration{5 * m, 10 * m, 20 * m, 40 * m, 80 * m, 160 * m, 320 * m,
			6 * h}; !slices.Equal(pauses, want) || first == 0 {
			t.Errorf("%d tries at once, then after %v, want %v", first, pauses, want)
		}
		first = tries()
		if got := s.versions(t, b.ID); len(got) == 0 || got[len(got)-1] != b.Version {
			t.Errorf("the other table was told %v of version %d", got, b.Version)
		}
		s.Poke(a.ID)
		synctest.Wait()
		if tries() != first+1 {
			t.Errorf("a poke made %d tries", tries()-first)
		}
		s.failWith(nil)
		a = ok(s.Rehouse(ctx, s.as("ann"), a.ID, "elsewhere"))
		synctest.Wait()
		if got := s.versions(t, a.ID); !slices.Equal(got, []uint64{a.Version}) {
			t.Errorf("after it moved house: told at %v, want %d", got, a.Version)
		}
		s.sink()
	})
}

// Events that a channel refused are published automatically once the channel accepts them, in order and only once. This
// also works after restarts and after the end of the game. After a month the automatic tries end.
func TestWhatAChannelDidNotTakeIsToldLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		var count atomic.Int64
		closed := func(table.News) error {
			count.Add(1)
			return &table.PermanentError{Err: errors.New("missing permissions")}
		}
		s.failWith(closed)
		s.Start(s.teller)
		ended, going := started(s, "ann", "bob"), started(s, "cid", "dan")
		for ended.Status == table.Playing {
			ended = ok(s.Move(ctx, s.as(ended.Mover()), ended.ID, "take 1", 0))
		}
		time.Sleep(5 * time.Hour)
		s.sink()
		s.launch(table.Config{})
		s.Start(s.teller)
		time.Sleep(5 * time.Hour)
		synctest.Wait()
		if n := len(s.told(ended.ID)) + len(s.told(going.ID)); n != 0 {
			t.Fatalf("%d events were told to a closed channel", n)
		}
		s.failWith(nil)
		time.Sleep(6*time.Hour + time.Minute)
		synctest.Wait()
		for _, snap := range []*table.Snapshot{ended, going} {
			if got := s.versions(t, snap.ID); len(got) != 1 {
				t.Errorf("table %d was told at versions %v, want all at once", snap.ID, got)
			}
			if now := s.at(snap.ID); now.Retry != (storage.PublishRetry{}) {
				t.Errorf("table %d is still to be told: %+v", snap.ID, now.Retry)
			}
		}
		s.failWith(closed)
		left := ok(s.Resign(ctx, s.as("cid"), going.ID))
		time.Sleep(32 * day)
		synctest.Wait()
		count.Store(0)
		time.Sleep(2 * day)
		if now, tries := s.at(left.ID), count.Load(); tries != 0 || len(now.Due) != 0 {
			t.Errorf("after 32 days %d tries in two days, due %v", tries, now.Due)
		}
		s.failWith(nil)
		s.Poke(left.ID)
		synctest.Wait()
		if got := s.kinds(left.ID, storage.Resigned); len(got) != 1 {
			t.Errorf("poked, it was told %d times that somebody resigned", len(got))
		}
		s.sink()
	})
}

func TestAPublisherThatPanicsIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		s.failWith(func(table.News) error { panic("nil map") })
		s.Start(s.teller)
		snap := started(s, "ann", "bob")
		synctest.Wait()
		s.failWith(nil)
		time.Sleep(time.Minute)
		if got := s.versions(t, snap.ID); len(got) == 0 || got[len(got)-1] != snap.Version {
			t.Errorf("told at %v, want %d", got, snap.Version)
		}
		s.sink()
	})
}

// slow is a publisher whose publications take time.
type slow struct {
	*teller
	takes time.Duration
}

func (p slow) Publish(ctx context.Context, n table.News) (string, error) {
	select {
	case <-time.After(p.takes):
		return p.teller.Publish(ctx, n)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Close publishes pending events. The service then refuses new commands.
func TestCloseTellsWhatIsDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		s.Start(slow{s.teller, 3 * time.Second})
		snap := started(s, "ann", "bob")
		s.sink()
		if got := s.versions(t, snap.ID); len(got) == 0 || got[len(got)-1] != snap.Version {
			t.Errorf("told at %v before the end, want %d", got, snap.Version)
		}
		if _, err := s.Move(context.Background(), s.as("ann"), snap.ID, "take 1", 0); !errors.Is(err,
			table.ErrClosing) {
			t.Errorf("a move after Close: %v", err)
		}
	})
}

// Close returns when its context ends. Events that are still unpublished are published after the next start.
func TestWhatCloseCannotTellIsToldAfterTheNextStart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		s.Start(slow{s.teller, time.Hour})
		snap := started(s, "ann", "bob")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closing: %v", err)
		}
		if err := s.store.Close(); err != nil {
			t.Fatal(err)
		}
		s.launch(table.Config{})
		s.Start(s.teller)
		synctest.Wait()
		if got := s.versions(t, snap.ID); !slices.Equal(got, []uint64{snap.Version}) {
			t.Errorf("told at %v, want %d", got, snap.Version)
		}
		s.sink()
	})
}

// A start tries only a limited number of the tables whose channels refused publications, because Discord blocks an
// address with too many refused requests. Events that were not refused are published as usual, and a table for which
// Poke is called is tried.
func TestAStartTriesFewOfWhatWasRefused(t *testing.T) {
	t.Parallel()
	const refused, others, most = 1200, 20, 1000
	path := t.TempDir() + "/m.db"
	store, err := storagetest.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	due := storage.At(time.Date(2000, time.January, 1, 6, 0, 0, 0, time.UTC)) // six hours from the start
	errs := make(chan error)
	for n := range refused + others {
		head := storage.Head{Version: 1, Game: "heap", Guild: "g", Channel: "c", Events: 1,
			Seats: []storage.Occupant{{User: "ann"}}}
		switch {
		case n >= refused:
		case n%3 == 0:
			head.Retry = storage.PublishRetry{Tries: 128} // the automatic retries have ended
		default:
			head.Retry, head.Due = storage.PublishRetry{Tries: 7, At: due}, []storage.Due{{Kind: "retry", At: due}}
		}
		go func() {
			_, err := store.Create(context.Background(), storage.Change{
				Head: head, Detail: &storage.Detail{}, Events: []storage.Event{{Kind: storage.Opened, Version: 1,
					User: "ann"}},
			})
			errs <- err
		}()
	}
	for range refused + others {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &ship{t: t, teller: &teller{}, path: path}
		s.launch(table.Config{})
		var mu sync.Mutex
		tried, told := map[table.ID]int{}, 0
		s.failWith(func(n table.News) error {
			mu.Lock()
			defer mu.Unlock()
			if n.Retry.Tries == 0 {
				told++
				return nil
			}
			tried[n.ID]++
			return &table.PermanentError{Err: errors.New("missing permissions")}
		})
		s.Start(s.teller)
		synctest.Wait()
		t.Logf("after the start %d of %d refused tables were tried, and %d of %d others told", len(tried), refused,
			told, others)
		if len(tried) != most || told != others {
			t.Errorf("%d of the refused were tried and %d others told, want %d and %d", len(tried), told, most, others)
		}
		left := table.ID(1)
		for tried[left] > 0 || s.at(left).Retry.Tries == 0 {
			left++
		}
		s.Poke(left)
		synctest.Wait()
		if tried[left] != 1 {
			t.Errorf("one that is asked for was tried %d times", tried[left])
		}
		s.sink()
	})
}

// A game continues from the same position after each of many restarts.
func TestAGameGoesOnAfterRestarts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, ok, s := t.Context(), must(t), newShip(t)
		s.Start(s.teller)
		snap := started(s, "ann", "bob", "cid")
		for n := 0; snap.Status == table.Playing; n++ {
			snap = ok(s.Move(ctx, s.as(snap.Mover()), snap.ID, "take 1", 0))
			if n == 2 {
				snap = ok(s.Resign(ctx, s.as(snap.Mover()), snap.ID))
			}
			s.sink()
			s.launch(table.Config{})
			s.Start(s.teller)
			again := ok(s.Lookup.Snapshot(ctx, snap.ID))
			if again.Digest != snap.Digest || again.Version != snap.Version || again.ToMove != snap.ToMove {
				t.Fatalf("after a restart %+v, before %+v", again.Head, snap.Head)
			}
		}
		synctest.Wait()
		got := s.versions(t, snap.ID)
		if len(got) == 0 || got[len(got)-1] != snap.Version {
			t.Errorf("told at %v, want up to %d", got, snap.Version)
		}
		s.sink()
	})
}

// All pending tables that can be published are published, even if there are more of them than the outbox keeps in
// memory and others are parked.
func TestAllOfALongOutboxIsTold(t *testing.T) {
	t.Parallel()
	const tables = 9000
	path := t.TempDir() + "/m.db"
	store, err := storagetest.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 64 {
		go func() {
			for range tables / 64 {
				_, err := store.Create(context.Background(), storage.Change{
					Head:   storage.Head{Version: 1, Game: "heap", Events: 1, Seats: []storage.Occupant{{User: "ann"}}},
					Detail: &storage.Detail{},
					Events: []storage.Event{{Kind: storage.Opened, Version: 1, User: "ann"}},
				})
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 64 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := &ship{t: t, teller: &teller{}, path: path}
		s.launch(table.Config{})
		s.failWith(func(n table.News) error {
			if n.ID%3 == 0 {
				return &table.PermanentError{Err: errors.New("gone")}
			}
			return nil
		})
		s.Start(s.teller)
		synctest.Wait()
		pending, err := s.store.Pending(t.Context(), 0, tables)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range pending {
			if id%3 != 0 {
				t.Fatalf("table %d was not told; %d are pending", id, len(pending))
			}
		}
		s.sink()
	})
}

// After an outage of Discord, all events are published within a quarter of a minute, even if the tables' pauses between
// tries have become longer. During the outage, one table is tried every ten seconds, in addition to the tables whose
// pause is over.
func TestNewsAreToldSoonAfterAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShip(t)
		const tables, outage = 30, 150 * time.Second
		began, tries := time.Now(), 0
		s.failWith(func(table.News) error {
			if time.Since(began) >= outage {
				return nil
			}
			tries++
			return errors.New("HTTP 503 Service Unavailable")
		})
		s.Start(s.teller)
		var list []*table.Snapshot
		for i := range tables {
			list = append(list, started(s, fmt.Sprint("ann ", i), fmt.Sprint("bob ", i)))
		}
		time.Sleep(outage)
		synctest.Wait()
		// Each table is tried at first, and after pauses of 1, 2, 4 … 64 s. The remaining tries are the regular
		// ones of a single table.
		if most := tables*10 + int(outage/(10*time.Second)); tries > most {
			t.Errorf("%d tries in an outage of %v, want %d at most", tries, outage, most)
		}
		time.Sleep(15 * time.Second)
		synctest.Wait()
		late := 0
		for _, snap := range list {
			if got := s.versions(t, snap.ID); len(got) == 0 || got[len(got)-1] < snap.Version {
				late++
			}
		}
		if late > 0 {
			t.Errorf("15 s after the outage, the news of %d of %d tables are not told; %d tries before", late, tables, tries)
		}
		s.sink()
	})
}
