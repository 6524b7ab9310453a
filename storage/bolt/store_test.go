package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"marque/games"
	"marque/games/fair"
	"marque/games/rating"
	"marque/games/text"
	"marque/storage"
)

// openStore opens a store that is checked and closed at the end of the test.
func openStore(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Check(context.Background()); err != nil && !errors.Is(err, storage.ErrClosed) {
			t.Errorf("the file after the test: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "marque.db") }

// opening is a new table of two.
func opening(guild, channel string, users ...string) storage.Change {
	h := storage.Head{
		Version: 1, Game: "heap", Guild: guild, Channel: channel, Least: 2, Most: 2, Host: users[0],
		ToMove: games.Nobody, Events: 1, Opened: 1000, Changed: 1000,
	}
	for _, u := range users {
		h.Seats = append(h.Seats, storage.Occupant{User: u, Name: text.NewName("Captain " + u)})
	}
	return storage.Change{
		Head: h,
		Detail: &storage.Detail{
			Setup: games.Setup{Seats: 2, Options: []games.Setting{{Key: "a", Value: "b"}}},
			Rules: 3, Seed: fair.Seed{1, 2, 3}, Inputs: []string{"j1", "j2"}, Invited: []string{"z"}, WhenFull: true,
		},
		Events: []storage.Event{{Kind: storage.Opened, Version: 1, At: 1000, Seat: games.Nobody, User: users[0], Text: "Captain " + users[0]}},
	}
}

// next is a commit of n plays after head.
func next(h storage.Head, n int) storage.Change {
	h.Version++
	h.Status = storage.Playing
	h.Changed += 10
	h.Board = h.Version
	h.Plays += n
	c := storage.Change{}
	for i := range n {
		c.Events = append(c.Events, storage.Event{
			Kind: storage.Played, Version: h.Version, At: h.Changed, Seat: games.Seat(i % 2), Text: fmt.Sprintf("take %d", h.Events+uint64(i)),
		})
	}
	h.Events += uint64(n)
	c.Head = h
	return c
}

// ending is the commit that ends a table after head, won by the winners.
func ending(h storage.Head, winners ...games.Seat) storage.Change {
	c := next(h, 1)
	c.Head.Status, c.Head.ToMove, c.Head.Due = storage.Over, games.Nobody, nil
	c.Result = &storage.Result{
		Game: h.Game, Guild: h.Guild, Seats: h.Seats, Winners: winners, Plays: c.Head.Plays, Ended: c.Head.Changed,
	}
	return c
}

func create(t testing.TB, s *Store, c storage.Change) storage.Head {
	t.Helper()
	id, err := s.Create(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Head.ID = id
	return c.Head
}

func commit(t testing.TB, s *Store, c storage.Change) storage.Head {
	t.Helper()
	if err := s.Commit(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return c.Head
}

func TestWhatIsStoredComesBack(t *testing.T) {
	ctx, path := t.Context(), file(t)
	s := openStore(t, path)
	c := opening("g", "c", "ann", "bob")
	c.Head.Due = []storage.Due{{Kind: "remind", At: 500}, {Kind: "clock", At: 700}}
	c.Head.Proposal = storage.Proposal{Kind: storage.DrawProposal, By: 1, Agreed: 2}
	h := create(t, s, c)
	second := next(h, 3)
	second.Events[0].User, second.Events[1].Seat = "moderator", games.Chance
	h = commit(t, s, second)
	want := storage.Table{Head: h, Detail: *c.Detail, Events: append(c.Events, second.Events...)}
	for _, how := range []string{"at once", "after opening the file again"} {
		got, err := s.Load(ctx, h.ID)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, difference:\n%s", how, err, diff)
		}
		if how == "at once" {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = openStore(t, path)
		}
	}
	if _, err := s.Load(ctx, 99); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("an unknown table: %v, want %v", err, storage.ErrNoTable)
	}
	due, err := s.DueUntil(ctx, 600, 10)
	if len(due) != 1 || due[0].Kind != "remind" || due[0].Table != h.ID || err != nil {
		t.Errorf("due until 600: %+v, %v", due, err)
	}
}

func TestStaleVersionsAreRefused(t *testing.T) {
	s := openStore(t, file(t))
	h := create(t, s, opening("g", "c", "ann", "bob"))
	first, second := next(h, 1), next(h, 2)
	commit(t, s, first)
	if err := s.Commit(t.Context(), second); !errors.Is(err, storage.ErrStale) {
		t.Errorf("a second commit on version 1: %v, want %v", err, storage.ErrStale)
	}
	ahead := next(first.Head, 1)
	ahead.Head.Version++
	ahead.Events[0].Version++
	if err := s.Commit(t.Context(), ahead); !errors.Is(err, storage.ErrStale) {
		t.Errorf("a commit that skips a version: %v, want %v", err, storage.ErrStale)
	}
	table, err := s.Load(t.Context(), h.ID)
	if err != nil || len(table.Events) != 2 || table.Head.Version != 2 {
		t.Errorf("after refusals: version %d, %d events, %v", table.Head.Version, len(table.Events), err)
	}
}

// A re-delivered interaction must not play twice, in the same process or the next.
func TestACommandIsDoneOnce(t *testing.T) {
	ctx, path := t.Context(), file(t)
	s := openStore(t, path)
	open := opening("g", "c", "ann", "bob")
	open.Key = "open-1"
	h := create(t, s, open)
	var done *storage.DoneError
	if _, err := s.Create(ctx, open); !errors.As(err, &done) || done.Table != h.ID {
		t.Errorf("the same opening again: %v", err)
	}
	c := next(h, 1)
	c.Key = "move-1"
	h = commit(t, s, c)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path)
	again := next(h, 1)
	again.Key = "move-1"
	if err := s.Commit(ctx, again); !errors.As(err, &done) || done.Version != 2 {
		t.Errorf("the same move again after a restart: %v", err)
	}
	later := h.Changed + storage.Stamp(storage.KeyKept.Milliseconds())
	if done, err := s.Done(ctx, h.ID, "move-1", later); done == nil || err != nil {
		t.Errorf("half an hour later the key is forgotten: %v, %v", done, err)
	}
	if done, err := s.Done(ctx, h.ID, "move-2", h.Changed); done != nil || err != nil {
		t.Errorf("a key never used: %v, %v", done, err)
	}
	// An hour later, the next command makes the old keys go.
	again.Key, again.Head.Changed = "move-3", h.Changed+storage.Stamp(4*keySlot.Milliseconds())
	commit(t, s, again)
	kept := 0
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		prefix := rowKey(h.ID, commandRow)
		c := tx.Bucket(tableBucket).Cursor()
		for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
			kept++
		}
		return nil
	})
	if err != nil || kept != 1 {
		t.Errorf("%d keys are kept, want the last alone (%v)", kept, err)
	}
}

// One bad operation must not fail its companions, whether it fails before or after it has written.
func TestABadOperationFailsAlone(t *testing.T) {
	s := openStore(t, file(t))
	boom := errors.New("boom")
	heads := make([]storage.Head, 3)
	for i := range heads {
		heads[i] = create(t, s, opening("g", "c", "ann", "bob"))
	}
	var group []*op
	queue := func(f func(*txn) error) *op {
		o := &op{run: f, done: make(chan error, 1)}
		o.state.Store(taken)
		group = append(group, o)
		return o
	}
	change := func(i int) func(*txn) error {
		p, err := prepare(next(heads[i], 1))
		if err != nil {
			t.Fatal(err)
		}
		return func(t *txn) error { return p.store(t, heads[i].ID, t.get(tableBucket, headKey(heads[i].ID))) }
	}
	first := queue(change(0))
	wrote := queue(func(t *txn) error {
		if err := change(1)(t); err != nil {
			return err
		}
		return boom
	})
	panics := queue(func(t *txn) error {
		if err := change(1)(t); err != nil {
			return err
		}
		panic("page 7 is odd")
	})
	clean := queue(func(*txn) error { return boom })
	last := queue(change(2))
	s.commit(group)
	for _, tc := range []struct {
		name string
		op   *op
		want error
	}{{"first", first, nil}, {"after writing", wrote, boom}, {"a panic", panics, storage.ErrDamaged}, {"before writing", clean, boom}, {"last", last, nil}} {
		if err := <-tc.op.done; !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		}
	}
	for i, want := range []uint64{2, 1, 2} {
		if h, err := s.Head(t.Context(), heads[i].ID); err != nil || h.Version != want {
			t.Errorf("table %d has version %d, %v; want %d", i, h.Version, err, want)
		}
	}
}

// Who is refused for what another operation of the same group has written finds it in the store.
func TestARefusalIsTrueWhenItIsHeard(t *testing.T) {
	s := openStore(t, file(t))
	for _, wrote := range []bool{false, true} { // before the refusal, which makes the group run anew
		h := create(t, s, opening("g", "c", "ann", "bob"))
		p, err := prepare(next(h, 1))
		if err != nil {
			t.Fatal(err)
		}
		change := func(t *txn) error { return p.store(t, h.ID, t.get(tableBucket, headKey(h.ID))) }
		first, late := &op{run: change, done: make(chan error, 1)}, &op{done: make(chan error, 1)}
		late.run = func(t *txn) error {
			if wrote {
				if err := t.put(detailBucket, tableKey(h.ID+1000), nil); err != nil {
					return err
				}
			}
			return change(t)
		}
		go s.commit([]*op{first, late})
		if err := <-late.done; err == nil {
			t.Fatal("a version is written twice")
		}
		if now, err := s.Head(t.Context(), h.ID); err != nil || now.Version != 2 {
			t.Errorf("when the refusal is heard the table has version %d (%v), want 2", now.Version, err)
		}
		<-first.done
	}
}

func TestAContextThatEndsInTheQueueChangesNothing(t *testing.T) {
	s := openStore(t, file(t))
	h := create(t, s, opening("g", "c", "ann", "bob"))
	// Hold the writer up, so that the next operation waits in the queue.
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.do(context.Background(), func(*txn) error { close(started); <-release; return nil }); err != nil {
			t.Errorf("the operation that holds the writer up: %v", err)
		}
	})
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Commit(ctx, next(h, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled in the queue: %v", err)
	}
	close(release)
	wg.Wait()
	if got, err := s.Head(t.Context(), h.ID); err != nil || got.Version != 1 {
		t.Errorf("version %d, %v; the cancelled commit was carried out", got.Version, err)
	}
}

// Close carries out what was queued, and refuses what comes later.
func TestCloseDrains(t *testing.T) {
	path := file(t)
	s := openStore(t, path)
	var wg sync.WaitGroup
	acked := make(chan storage.ID, 4096)
	for range 16 {
		wg.Go(func() {
			for range 200 {
				id, err := s.Create(context.Background(), opening("g", "c", "ann", "bob"))
				if errors.Is(err, storage.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				acked <- id
			}
		})
	}
	for range 20 {
		<-acked
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	close(acked)
	if err := s.Commit(context.Background(), next(storage.Head{Game: "heap"}, 1)); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := s.Head(context.Background(), 1); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("reading after Close: %v", err)
	}
	s = openStore(t, path)
	for id := range acked {
		if _, err := s.Head(t.Context(), id); err != nil {
			t.Errorf("table %d was acknowledged: %v", id, err)
		}
	}
}

func TestOutboxKnowsWhatIsPublished(t *testing.T) {
	ctx, s := t.Context(), openStore(t, file(t))
	a := create(t, s, opening("g", "c", "ann", "bob"))
	b := create(t, s, opening("g", "c", "cid", "dan"))
	pending := func(want ...storage.ID) {
		t.Helper()
		got, err := s.Pending(ctx, 0, 10)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("pending: %v\n%s", err, diff)
		}
	}
	pending(a.ID, b.ID)
	if err := s.MarkPublished(ctx, a.ID, 1, "note 1"); err != nil {
		t.Fatal(err)
	}
	pending(b.ID)
	a = commit(t, s, next(a, 2))
	pending(a.ID, b.ID)
	a = commit(t, s, next(a, 1))
	news, err := s.News(ctx, a.ID)
	if err != nil || news.Published != 1 || news.Note != "note 1" || len(news.Events) != 3 || news.Events[0].Version != 2 {
		t.Errorf("news since version 1: %+v, %v", news, err)
	}
	if err := s.MarkPublished(ctx, a.ID, 2, "note 2"); err != nil {
		t.Fatal(err)
	}
	pending(a.ID, b.ID)
	if err := s.MarkPublished(ctx, a.ID, 3, "note 3"); err != nil {
		t.Fatal(err)
	}
	// A late mark of an older version takes nothing back.
	if err := s.MarkPublished(ctx, a.ID, 2, "late"); err != nil {
		t.Fatal(err)
	}
	pending(b.ID)
	if news, err := s.News(ctx, a.ID); err != nil || news.Published != 3 || news.Note != "note 3" || len(news.Events) != 0 {
		t.Errorf("when all is published: %+v, %v", news, err)
	}
	if err := s.MarkPublished(ctx, a.ID, 4, ""); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("marking a version to come: %v", err)
	}
	if err := s.MarkPublished(ctx, 99, 1, ""); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("marking an unknown table: %v", err)
	}
}

func TestStandingsCountWinsSharesAndDraws(t *testing.T) {
	ctx, s := t.Context(), openStore(t, file(t))
	play := func(c storage.Change, edit func(*storage.Result), winners ...games.Seat) {
		t.Helper()
		end := ending(create(t, s, c), winners...)
		if edit != nil {
			edit(end.Result)
		}
		end.Head.Ending = end.Result.Ending
		commit(t, s, end)
	}
	play(opening("g", "c", "ann", "bob"), nil, 0)
	play(opening("g", "c", "bob", "ann"), nil, 1)
	play(opening("g", "c", "ann", "cid"), func(r *storage.Result) { r.Drawn = true }, 0, 1)
	play(opening("g", "c", "bob", "cid"), nil, 0, 1)
	play(opening("g", "c", "ann", "bob"), func(r *storage.Result) { r.Ending = games.Abandoned })
	play(opening("elsewhere", "c", "cid", "ann"), nil, 0)
	other := opening("g", "c", "bob", "cid")
	other.Head.Game = "ship"
	play(other, nil, 0)
	computer := opening("g", "c", "dan", "x")
	computer.Head.Seats[1] = storage.Occupant{Name: text.NewName("Hard"), Computer: "hard"}
	play(computer, nil, 1)
	lines := func(b storage.Board, offset, limit int) []storage.Standing {
		t.Helper()
		page, err := s.Leaderboard(ctx, storage.BoardQuery{Board: b, Offset: offset, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		var list []storage.Standing
		for _, l := range page.Lines {
			l.Last, l.Name, l.Rating = 0, text.NewName(""), rating.Rating{}
			list = append(list, l.Standing)
		}
		return list
	}
	heap := storage.Board{Guild: "g", Game: "heap"}
	want := []storage.Standing{
		{Player: "ann", Games: 3, Wins: 2, Draws: 1, Best: 2},
		{Player: "cid", Games: 2, Wins: 1, Shared: 1, Draws: 1, Streak: 1, Best: 1},
		{Player: "bob", Games: 3, Wins: 1, Shared: 1, Streak: 1, Best: 1},
	}
	if diff := cmp.Diff(want, lines(heap, 0, 10)); diff != "" {
		t.Errorf("heap in g:\n%s", diff)
	}
	if diff := cmp.Diff(want[1:2], lines(heap, 1, 1)); diff != "" {
		t.Errorf("the page of one after the first:\n%s", diff)
	}
	if all := lines(storage.Board{Guild: "g"}, 0, 9); len(all) != 3 || all[0].Games+all[1].Games+all[2].Games != 10 {
		t.Errorf("all games in g: %+v, want three players with ten games among them", all)
	}
	with := lines(storage.Board{Guild: "g", Game: "heap", Computers: true}, 0, 9)
	if diff := cmp.Diff([]storage.Standing{{Player: "~hard", Games: 1, Wins: 1, Streak: 1, Best: 1}, {Player: "dan", Games: 1, Streak: -1}}, with); diff != "" {
		t.Errorf("with computers:\n%s", diff)
	}
	if line, err := s.Standing(ctx, heap, "nobody"); err != nil || line != (storage.Standing{Player: "nobody"}) {
		t.Errorf("who never played: %+v, %v", line, err)
	}
	// A second result of the same table is a fault of the program and counts nothing.
	h, err := s.Head(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(ctx, ending(h, 0)); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("a second result: %v", err)
	}
}

func TestResultsComeLatestFirst(t *testing.T) {
	ctx, s := t.Context(), openStore(t, file(t))
	for i := range 7 {
		c := opening("g", "c", "ann", []string{"bob", "cid"}[i%2])
		c.Head.Game = []string{"heap", "ship"}[i/4]
		end := ending(create(t, s, c), 0)
		end.Result.Ended = storage.Stamp(100 + i/2) // two at a time end in the same millisecond
		commit(t, s, end)
	}
	ids := func(q storage.ResultQuery) (list []storage.ID) {
		t.Helper()
		for {
			page, err := s.Results(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page {
				list = append(list, r.Table)
			}
			if len(page) < q.Limit {
				return list
			}
			q.Before = page[len(page)-1]
		}
	}
	for _, tc := range []struct {
		name string
		q    storage.ResultQuery
		want []storage.ID
	}{
		{"server", storage.ResultQuery{Guild: "g", Limit: 2}, []storage.ID{7, 5, 6, 3, 4, 1, 2}},
		{"game", storage.ResultQuery{Guild: "g", Game: "ship", Limit: 2}, []storage.ID{7, 5, 6}},
		{"user", storage.ResultQuery{User: "bob", Limit: 10}, []storage.ID{7, 5, 3, 1}},
		{"user and game", storage.ResultQuery{User: "bob", Game: "heap", Limit: 1}, []storage.ID{3, 1}},
		{"another server", storage.ResultQuery{Guild: "h", Limit: 5}, nil},
	} {
		if diff := cmp.Diff(tc.want, ids(tc.q)); diff != "" {
			t.Errorf("%s:\n%s", tc.name, diff)
		}
	}
}

func TestSettings(t *testing.T) {
	type settings struct {
		Language string `json:"l"`
		Pings    bool   `json:"p"`
	}
	ctx, s := t.Context(), openStore(t, file(t))
	got := settings{Language: "en"}
	if err := s.GuildSettings(ctx, "g", &got); err != nil || got.Language != "en" {
		t.Errorf("never set: %+v, %v", got, err)
	}
	if err := s.SetGuildSettings(ctx, "g", settings{Language: "de", Pings: true}); err != nil {
		t.Fatal(err)
	}
	if err := s.GuildSettings(ctx, "g", &got); err != nil || got != (settings{"de", true}) {
		t.Errorf("set: %+v, %v", got, err)
	}
	got = settings{}
	if err := s.UserSettings(ctx, "g", &got); err != nil || got != (settings{}) {
		t.Errorf("the user of the same id: %+v, %v", got, err)
	}
	if err := s.SetUserSettings(ctx, "a\x00b", got); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("an id with a zero byte: %v", err)
	}
}

// Results are voided, and put back, while games end: nothing is counted twice or forgotten, and the leaderboards are those of the results.
func TestVoidingWhileGamesEnd(t *testing.T) {
	ctx, s := t.Context(), openStore(t, file(t))
	end := func(i int) storage.ID {
		h := create(t, s, opening("g", "c", []string{"ann", "bob", "cid"}[i%3], "dan"))
		commit(t, s, ending(h, games.Seat(i%2)))
		return h.ID
	}
	first := end(0)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 40 {
			end(i)
		}
	})
	for range 10 {
		wg.Go(func() {
			for _, v := range []*storage.Voiding{{By: "mod"}, nil} {
				if _, err := s.Void(ctx, first, v); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if r, err := s.Void(ctx, first, &storage.Voiding{By: "mod"}); err != nil || r.Voided == nil || r.Ratings != nil {
		t.Errorf("the voided result is %+v, %v", r, err)
	}
	settled(t, s, "g")
	line, err := s.Standing(ctx, storage.Board{Guild: "g"}, "dan")
	if err != nil || line.Games != 40 {
		t.Errorf("dan has %d games, %v; want the 40 that count", line.Games, err)
	}
	if _, err := s.Void(ctx, 999, nil); !errors.Is(err, storage.ErrNoResult) {
		t.Errorf("voiding a table without a result: %v", err)
	}
	if err := s.Check(ctx); err != nil {
		t.Error(err)
	}
}

// settled waits until the leaderboards of some servers are counted.
func settled(t testing.TB, s *Store, guilds ...string) {
	t.Helper()
	for _, g := range guilds {
		if err := s.Finished(context.Background(), storage.Work{Kind: storage.Recounting, Of: g}); err != nil {
			t.Fatal(err)
		}
	}
}
