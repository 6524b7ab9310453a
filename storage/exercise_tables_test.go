package storage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"marque/games"
	"marque/games/text"
	"marque/storage"
	"marque/storage/kv"
	"marque/storage/storagetest"
)

func storedComesBack(t *testing.T, s *store) {
	ctx := t.Context()
	c := storagetest.Opening("g", "c", "ann", "bob")
	c.Head.Due = []storage.Due{{Kind: "remind", At: 500}, {Kind: "clock", At: 700}}
	c.Head.Proposal = storage.Proposal{Kind: storage.DrawProposal, By: 1, Agreed: 2}
	h := s.create(c)
	second := storagetest.Next(h, 3)
	second.Events[0].User, second.Events[1].Seat = "moderator", games.Chance
	second.Events[2].Text = `"quoted" \ 'said' ⚓`
	h = s.commit(second)
	want := storage.Table{Head: h, Detail: *c.Detail, Events: append(c.Events, second.Events...)}
	for _, how := range []string{"at once", "after opening it again"} {
		got, err := s.Load(ctx, h.ID)
		s.same(how, want, got, err)
		head, err := s.Head(ctx, h.ID)
		s.same("the head "+how, want.Head, head, err)
		s.again()
	}
	// A detail that comes with a commit replaces the previous one.
	third := storagetest.Next(h, 0)
	third.Detail = &storage.Detail{Rules: 4, Order: []string{"ann", ""}, Unrated: true, Seating: []int{1, 0},
		Plans: []storage.Plan{{Seat: 1, From: 3, Line: []string{"take 1"}}}}
	want.Head, want.Detail = s.commit(third), *third.Detail
	got, err := s.Load(ctx, h.ID)
	s.same("with another detail", want, got, err)
	if _, err := s.Load(ctx, h.ID+99); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("an unknown table: %v, want %v", err, storage.ErrNoTable)
	}
	if _, err := s.Head(ctx, h.ID+99); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("the head of an unknown table: %v, want %v", err, storage.ErrNoTable)
	}
	unknown := storagetest.Next(storage.Head{ID: h.ID + 99, Game: "heap", Version: 1, Events: 1}, 1)
	if err := s.Commit(ctx, unknown); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("a commit at an unknown table: %v, want %v", err, storage.ErrNoTable)
	}
}

func staleIsRefused(t *testing.T, s *store) {
	h := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	first, second := storagetest.Next(h, 1), storagetest.Next(h, 2)
	s.commit(first)
	if err := s.Commit(t.Context(), second); !errors.Is(err, storage.ErrStale) {
		t.Errorf("a second commit on version 1: %v, want %v", err, storage.ErrStale)
	}
	ahead := storagetest.Next(first.Head, 1)
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

// An interaction that Discord delivers again is not carried out again, neither by the same process nor by the next one.
func doneOnce(t *testing.T, s *store) {
	ctx := t.Context()
	open := storagetest.Opening("g", "c", "ann", "bob")
	open.Key = "open-1"
	h := s.create(open)
	var done *storage.DoneError
	if id, err := s.Create(ctx, open); !errors.As(err, &done) || *done != (storage.DoneError{Key: "open-1", Table: h.ID,
		Version: 1}) {
		t.Errorf("the same opening again: table %d, %v", id, err)
	}
	c := storagetest.Next(h, 1)
	c.Key = "move-1"
	h = s.commit(c)
	s.again()
	want := storage.DoneError{Key: "move-1", Table: h.ID, Version: 2}
	again := storagetest.Next(h, 1)
	again.Key = "move-1"
	if err := s.Commit(ctx, again); !errors.As(err, &done) || *done != want {
		t.Errorf("the same move again after a restart: %v", err)
	}
	if err := s.Commit(ctx, c); !errors.As(err, &done) || *done != want {
		t.Errorf("the same move again, which is stale too: %v", err)
	}
	// Tables do not share keys with each other or with commands that open tables.
	other := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	elsewhere := storagetest.Next(other, 1)
	elsewhere.Key = "move-1"
	s.commit(elsewhere)
	opened := storagetest.Next(h, 1)
	opened.Key = "open-1"
	h = s.commit(opened)
	for _, tc := range []struct {
		what  string
		table storage.ID
		key   string
		after storage.Stamp
		want  *storage.DoneError
	}{
		{"at once", h.ID, "move-1", 0, &want},
		{"as long as keys are kept", h.ID, "move-1", storage.Stamp(storage.KeyKept.Milliseconds()), &want},
		{"after that", h.ID, "move-1", storage.Stamp(storage.KeyGone.Milliseconds()), nil},
		{"never used", h.ID, "move-2", 0, nil},
		{"of an opening", 0, "open-1", 0, &storage.DoneError{Key: "open-1", Table: h.ID, Version: 1}},
		{"of a move, asked as an opening", 0, "move-1", 0, nil},
		{"at another table", other.ID, "move-1", 0, &storage.DoneError{Key: "move-1", Table: other.ID, Version: 2}},
		{"at no table", other.ID + 99, "move-1", 0, nil},
	} {
		got, err := s.Done(ctx, tc.table, tc.key, h.Changed+tc.after)
		s.same("the key "+tc.what, tc.want, got, err)
	}
	// A key that is too old to be kept can be used again.
	late := storagetest.Next(h, 1)
	late.Key, late.Head.Changed = "move-1", h.Changed+storage.Stamp(2*storage.KeyGone.Milliseconds())
	h = s.commit(late)
	got, err := s.Done(ctx, h.ID, "move-1", h.Changed)
	s.same("the key that came again", &storage.DoneError{Key: "move-1", Table: h.ID, Version: h.Version}, got, err)
}

func invalidChanges(t *testing.T, s *store) {
	ctx := t.Context()
	h := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	long := strings.Repeat("x", storage.MaxText+1)
	for what, spoil := range map[string]func(*storage.Change){
		"a server with a zero byte":  func(c *storage.Change) { c.Head.Guild = "a\x00b" },
		"a channel that is too long": func(c *storage.Change) { c.Head.Channel = long[:storage.MaxName+1] },
		"a user with a zero byte":    func(c *storage.Change) { c.Head.Seats = []storage.Occupant{{User: "\x00"}} },
		"a kind of due that is too long": func(c *storage.Change) {
			c.Head.Due = []storage.Due{{Kind: long[:storage.MaxName+1]}}
		},
		"a key that is too long":      func(c *storage.Change) { c.Key = long[:storage.MaxKey+1] },
		"no game":                     func(c *storage.Change) { c.Head.Game = "" },
		"an event of another version": func(c *storage.Change) { c.Events[0].Version++ },
		"an event of no kind":         func(c *storage.Change) { c.Events[0].Kind = 0 },
		"a text that is too long":     func(c *storage.Change) { c.Events[0].Text = long },
		"more events than there are":  func(c *storage.Change) { c.Head.Events++ },
		"fewer events than there are": func(c *storage.Change) { c.Head.Events-- },
	} {
		c := storagetest.Next(h, 1)
		spoil(&c)
		if err := s.Commit(ctx, c); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("a commit with %s: %v, want %v", what, err, storage.ErrInvalid)
		}
		c = storagetest.Opening("g", "c", "ann", "bob")
		spoil(&c)
		if _, err := s.Create(ctx, c); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("an opening with %s: %v, want %v", what, err, storage.ErrInvalid)
		}
	}
	for what, spoil := range map[string]func(*storage.Change){
		"no detail":         func(c *storage.Change) { c.Detail = nil },
		"another version":   func(c *storage.Change) { c.Head.Version, c.Events[0].Version = 2, 2 },
		"no version at all": func(c *storage.Change) { c.Head.Version, c.Events[0].Version = 0, 0 },
	} {
		c := storagetest.Opening("g", "c", "ann", "bob")
		spoil(&c)
		if _, err := s.Create(ctx, c); !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("an opening with %s: %v, want %v", what, err, storage.ErrInvalid)
		}
	}
	// The longest values allowed are stored.
	c := storagetest.Next(h, 1)
	c.Key, c.Head.Channel, c.Events[0].Text = long[:storage.MaxKey], long[:storage.MaxName], long[:storage.MaxText]
	h = s.commit(c)
	got, err := s.Load(ctx, h.ID)
	if err != nil || len(got.Events) != 2 {
		t.Fatalf("after refusals: %d events, %v", len(got.Events), err)
	}
	s.same("the longest text", c.Events[0], got.Events[1], err)
	// A second result of a table is refused, and not counted.
	h = s.commit(storagetest.Ending(h, 0))
	if err := s.Commit(ctx, storagetest.Ending(h, 0)); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("a second result: %v, want %v", err, storage.ErrInvalid)
	}
	if l, err := s.Standing(ctx, storage.Board{Guild: "g"}, "ann"); err != nil || l.Games != 1 {
		t.Errorf("ann has %d games, %v; want 1", l.Games, err)
	}
	if head, err := s.Head(ctx, h.ID); err != nil || head.Version != h.Version {
		t.Errorf("after a refusal the version is %d, %v; want %d", head.Version, err, h.Version)
	}
}

func endedContext(t *testing.T, s *store) {
	h := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Commit(ctx, storagetest.Next(h, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a commit: %v, want %v", err, context.Canceled)
	}
	if id, err := s.Create(ctx, storagetest.Opening("g", "c", "ann", "bob")); !errors.Is(err, context.Canceled) {
		t.Errorf("an opening: table %d, %v, want %v", id, err, context.Canceled)
	}
	if got, err := s.Head(t.Context(), h.ID); err != nil || got.Version != 1 {
		t.Errorf("version %d, %v; the cancelled commit was carried out", got.Version, err)
	}
	if list, err := s.ByGuild(t.Context(), "g", storage.Active, 0, 10); err != nil || len(list) != 1 {
		t.Errorf("%d tables, %v; want 1", len(list), err)
	}
}

// A table whose creation was acknowledged before or during Close is stored. Later calls are refused.
func closeDrains(t *testing.T, s *store) {
	ctx := context.Background()
	var wg sync.WaitGroup
	acked := make(chan storage.ID, 4096)
	for range 16 {
		wg.Go(func() {
			for range 200 {
				id, err := s.Create(ctx, storagetest.Opening("g", "c", "ann", "bob"))
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
	closed := s.Store
	s.must(closed.Close())
	wg.Wait()
	close(acked)
	if err := closed.Commit(ctx, storagetest.Next(storage.Head{Game: "heap"}, 1)); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a commit afterwards: %v, want %v", err, storage.ErrClosed)
	}
	if _, err := closed.Head(ctx, 1); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("reading afterwards: %v, want %v", err, storage.ErrClosed)
	}
	if err := closed.Dump(ctx, func(kv.Key, []byte) error { return nil }); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a dump afterwards: %v, want %v", err, storage.ErrClosed)
	}
	if err := closed.Alive(ctx); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("afterwards it says of itself: %v, want %v", err, storage.ErrClosed)
	}
	if err := closed.Close(); err != nil {
		t.Errorf("closing it again: %v", err)
	}
	s.again()
	for id := range acked {
		if _, err := s.Head(ctx, id); err != nil {
			t.Errorf("table %d was acknowledged: %v", id, err)
		}
	}
}

// atOnce calls f concurrently with each number from 0 to n-1, and returns the errors in that order.
func atOnce(n int, f func(i int) error) []error {
	errs := make([]error, n)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-begin
			errs[i] = f(i)
		})
	}
	close(begin)
	wg.Wait()
	return errs
}

// tell returns the number of nil errors, the number of errors that fit, and the last of all other errors.
func tell(errs []error, fits func(error) bool) (passed, refused int, other error) {
	for _, err := range errs {
		switch {
		case err == nil:
			passed++
		case fits(err):
			refused++
		default:
			other = err
		}
	}
	return passed, refused, other
}

// If several concurrent callers want something that only n of them can have, exactly n get it. Each of the other
// callers gets an error that says why not.
func oneOfMany(t *testing.T, s *store) {
	const many = 8
	ctx := t.Context()
	for round := range 5 {
		guild := fmt.Sprint("g", round)
		for _, tc := range []struct {
			what string
			do   func(i int) error
			pass int
			fits func(error) bool
		}{
			{"commits on one version", func() func(int) error {
				h := s.create(storagetest.Opening(guild, "c", "ann", "bob"))
				return func(i int) error { return s.Commit(ctx, storagetest.Next(h, i)) }
			}(), 1, func(err error) bool { return errors.Is(err, storage.ErrStale) }},
			{"a command that is delivered several times", func() func(int) error {
				c := storagetest.Next(s.create(storagetest.Opening(guild, "c", "ann", "bob")), 1)
				c.Key = "move"
				return func(int) error { return s.Commit(ctx, c) }
			}(), 1, func(err error) bool { return errors.As(err, new(*storage.DoneError)) }},
			{"an opening that is delivered several times", func() func(int) error {
				c := storagetest.Opening(guild, "c", "ann", "bob")
				c.Key = "open " + guild
				return func(int) error { _, err := s.Create(ctx, c); return err }
			}(), 1, func(err error) bool { return errors.As(err, new(*storage.DoneError)) }},
			{"tables that are to be alone", func() func(int) error {
				c := storagetest.Opening(guild, "alone in "+guild, "ann", "bob")
				c.Alone = true
				return func(int) error { _, err := s.Create(ctx, c); return err }
			}(), 1, func(err error) bool {
				var busy *storage.BusyError
				return errors.As(err, &busy) && busy.Channel == "alone in "+guild && busy.Table != 0
			}},
			{"tables of a server that may have three", func() func(int) error {
				c := storagetest.Opening("few "+guild, "c", "ann", "bob")
				c.Limits = []storage.Limit{{Kind: storage.ServerTables, Most: 3}}
				return func(int) error { _, err := s.Create(ctx, c); return err }
			}(), 3, func(err error) bool { return errors.As(err, new(*storage.LimitError)) }},
			{"tables of a user who may have two", func() func(int) error {
				c := storagetest.Opening(guild, "c", "cid "+guild, "bob")
				c.Limits = []storage.Limit{{Kind: storage.UserTables, User: "cid " + guild, Most: 2}}
				return func(int) error { _, err := s.Create(ctx, c); return err }
			}(), 2, func(err error) bool { return errors.As(err, new(*storage.LimitError)) }},
			{"seasons of one server", func(int) error {
				_, err := s.StartSeason(ctx, guild, text.NewName(""), 1)
				return err
			}, 1, func(err error) bool { return errors.Is(err, storage.ErrSeasonRuns) }},
		} {
			passed, refused, other := tell(atOnce(many, tc.do), tc.fits)
			if passed != tc.pass || refused != many-tc.pass {
				t.Errorf("%s: %d of %d passed and %d were refused as they should, want %d (another error: %v)", tc.what,
					passed, many, refused, tc.pass, other)
			}
		}
	}
}

func outbox(t *testing.T, s *store) {
	ctx := t.Context()
	a := s.create(storagetest.Opening("g", "c", "ann", "bob"))
	b := s.create(storagetest.Opening("g", "c", "cid", "dan"))
	pending := func(want ...storage.ID) {
		t.Helper()
		got, err := s.Pending(ctx, 0, 10)
		s.same("pending", want, got, err)
	}
	pending(a.ID, b.ID)
	first, err := s.Pending(ctx, 0, 1)
	s.same("the first that is pending", []storage.ID{a.ID}, first, err)
	second, err := s.Pending(ctx, a.ID, 10)
	s.same("those behind the first", []storage.ID{b.ID}, second, err)
	s.must(s.MarkPublished(ctx, a.ID, storage.Publication{Version: 1, Note: "note 1"}, storage.Fence{}))
	pending(b.ID)
	a = s.commit(storagetest.Next(a, 2))
	pending(a.ID, b.ID)
	a = s.commit(storagetest.Next(a, 1))
	news, err := s.News(ctx, a.ID)
	if err != nil || news.Published != 1 || news.Note != "note 1" || len(news.Events) != 3 ||
		news.Events[0].Version != 2 || len(news.Detail.Inputs) != 0 {
		t.Errorf("news since version 1: %+v, %v", news, err)
	}
	s.must(s.MarkPublished(ctx, a.ID, storage.Publication{Version: 2, Note: "note 2"}, storage.Fence{}))
	pending(a.ID, b.ID)
	s.must(s.MarkPublished(ctx, a.ID, storage.Publication{Version: 3, Note: "note 3"}, storage.Fence{}))
	// Marking an older version as published changes nothing.
	s.must(s.MarkPublished(ctx, a.ID, storage.Publication{Version: 2, Note: "late"}, storage.Fence{}))
	pending(b.ID)
	if news, err := s.News(ctx, a.ID); err != nil || news.Published != 3 || news.Note != "note 3" ||
		len(news.Events) != 0 {
		t.Errorf("when all is published: %+v, %v", news, err)
	}
	s.must(s.MarkPublished(ctx, a.ID, storage.Publication{Version: 3, Note: "another note"}, storage.Fence{}))
	s.again()
	if table, err := s.Load(ctx, a.ID); err != nil || table.Published != 3 || table.Note != "another note" {
		t.Errorf("after opening it again: published %d with %q, %v", table.Published, table.Note, err)
	}
	pending(b.ID)
	for _, tc := range []struct {
		what    string
		id      storage.ID
		version uint64
		note    string
		want    error
	}{
		{"a version to come", a.ID, 4, "", storage.ErrInvalid},
		{"an unknown table", b.ID + 99, 1, "", storage.ErrNoTable},
		{"a note that is too long", b.ID, 1, strings.Repeat("x", storage.MaxNote+1), storage.ErrInvalid},
	} {
		if err := s.MarkPublished(ctx, tc.id,
			storage.Publication{Version: tc.version, Note: tc.note}, storage.Fence{}); !errors.Is(err, tc.want) {
			t.Errorf("marking %s: %v, want %v", tc.what, err, tc.want)
		}
	}
	if _, err := s.News(ctx, b.ID+99); !errors.Is(err, storage.ErrNoTable) {
		t.Errorf("news of an unknown table: %v, want %v", err, storage.ErrNoTable)
	}
	// A change that is committed while an earlier change is being published still waits to be published.
	for range 20 {
		b = s.commit(storagetest.Next(b, 1))
		next := storagetest.Next(b, 1)
		errs := atOnce(2, func(i int) error {
			if i == 0 {
				return s.Commit(ctx, next)
			}
			return s.MarkPublished(ctx, b.ID, storage.Publication{Version: b.Version, Note: "told"}, storage.Fence{})
		})
		s.must(errors.Join(errs...))
		b = next.Head
		pending(b.ID)
	}
}

func due(t *testing.T, s *store) {
	ctx := t.Context()
	open := storagetest.Opening("g", "c", "ann", "bob")
	open.Head.Due = []storage.Due{{Kind: "remind", At: 500}, {Kind: "clock", At: 700}}
	a := s.create(open)
	open.Head.Due = []storage.Due{{Kind: "remind", At: 600}, {Kind: "clock", At: 500}, {Kind: "card", At: 500}}
	b := s.create(open)
	until := func(moment storage.Stamp, limit int, want ...storage.DueTable) {
		t.Helper()
		got, err := s.DueUntil(ctx, moment, limit)
		s.same(fmt.Sprintf("due until %d, at most %d", moment, limit), want, got, err)
	}
	all := []storage.DueTable{
		{Table: a.ID, Due: storage.Due{Kind: "remind", At: 500}},
		{Table: b.ID, Due: storage.Due{Kind: "card", At: 500}}, {Table: b.ID, Due: storage.Due{Kind: "clock", At: 500}},
		{Table: b.ID, Due: storage.Due{Kind: "remind", At: 600}},
		{Table: a.ID, Due: storage.Due{Kind: "clock", At: 700}},
	}
	until(499, 10)
	until(500, 10, all[:3]...)
	until(600, 10, all[:4]...)
	until(9999, 10, all...)
	until(9999, 2, all[:2]...)
	c := storagetest.Next(b, 1)
	c.Head.Due = []storage.Due{{Kind: "clock", At: 800}}
	b = s.commit(c)
	s.again()
	until(9999, 10, all[0], all[4], storage.DueTable{Table: b.ID, Due: storage.Due{Kind: "clock", At: 800}})
	s.commit(storagetest.Ending(a, 0))
	until(9999, 10, storage.DueTable{Table: b.ID, Due: storage.Due{Kind: "clock", At: 800}})
}

func lists(t *testing.T, s *store) {
	ctx := t.Context()
	var going, over []storage.ID
	var heads []storage.Head
	for range 7 {
		heads = append(heads, s.create(storagetest.Opening("g", "c", "ann", "bob")))
	}
	for i, h := range heads {
		if i%3 == 1 {
			s.commit(storagetest.Ending(h, 0))
			over = append([]storage.ID{h.ID}, over...)
		} else {
			going = append(going, h.ID)
		}
	}
	// These tables are in none of the lists of g, c and ann, although their ids and names resemble those of the listed
	// tables.
	s.create(storagetest.Opening("g2", "c2", "anne", "bo"))
	s.create(storagetest.Opening("G", "C", "Ann", "ANN"))
	s.create(storagetest.Opening("c", "g", "an", "g"))
	s.create(storagetest.Opening("", "", "cid", ""))
	read := func(list func(context.Context, string, storage.Phase, storage.ID, int) ([]storage.Head, error), of string,
		phase storage.Phase, page int) (ids []storage.ID) {
		t.Helper()
		for after := storage.ID(0); ; {
			heads, err := list(ctx, of, phase, after, page)
			s.must(err)
			for _, h := range heads {
				ids = append(ids, h.ID)
				after = h.ID
			}
			if len(heads) < page {
				return ids
			}
		}
	}
	for range 2 {
		for _, page := range []int{1, 2, 3, 100} {
			for what, list := range map[string]func() (a, o []storage.ID){
				"server": func() (a, o []storage.ID) {
					return read(s.ByGuild, "g", false, page),
						read(s.ByGuild, "g", true, page)
				},
				"channel": func() (a, o []storage.ID) {
					return read(s.ByChannel, "c", false, page), read(s.ByChannel, "c", true, page)
				},
				"user": func() (a, o []storage.ID) {
					return read(s.ByUser, "ann", false, page), read(s.ByUser, "ann", true, page)
				},
			} {
				a, o := list()
				s.same(fmt.Sprintf("going tables of a %s, %d a page", what, page), going, a, nil)
				s.same(fmt.Sprintf("tables of a %s that are over, %d a page", what, page), over, o, nil)
			}
		}
		s.again()
	}
	// A table that moves is listed only in its new channel. A table without a server is listed, too.
	c := storagetest.Next(heads[0], 1)
	c.Head.Channel = "thread"
	s.commit(c)
	s.same("the channel it left", going[1:], read(s.ByChannel, "c", false, 10), nil)
	s.same("the channel it is in", going[:1], read(s.ByChannel, "thread", false, 10), nil)
	if n := len(read(s.ByGuild, "", false, 10)); n != 1 {
		t.Errorf("%d tables outside servers, want 1", n)
	}
	// A user with two seats has the table in their list once. A user who gives up their seat no longer has it.
	both := storagetest.Next(heads[2], 1)
	both.Head.Seats = []storage.Occupant{{User: "eve"}, {User: "eve"}}
	h := s.commit(both)
	s.same("who holds two seats", []storage.ID{h.ID}, read(s.ByUser, "eve", false, 10), nil)
	s.same("who holds none any more", slices.DeleteFunc(slices.Clone(going), func(id storage.ID) bool {
		return id == h.ID
	}), read(s.ByUser, "ann", false, 10), nil)
	list, err := s.ByUser(ctx, "eve", storage.Active, 0, 10)
	s.same("the head in a list", []storage.Head{h}, list, err)
}

func turns(t *testing.T, s *store) {
	ctx := t.Context()
	var heads []storage.Head
	for i, since := range []storage.Stamp{300, 100, 100, 0} {
		h := s.create(storagetest.Opening([]string{"g", "h"}[i%2], "c", "ann", "bob"))
		c := storagetest.Next(h, 1)
		c.Head.ToMove, c.Head.Timing.Turn, c.Head.Started = 0, since, 200
		heads = append(heads, s.commit(c))
	}
	turn := func(i int, since storage.Stamp) storage.Turn {
		return storage.Turn{Table: heads[i].ID, Guild: heads[i].Guild, Since: since}
	}
	want := []storage.Turn{turn(1, 100), turn(2, 100), turn(3, 200), turn(0, 300)}
	got, err := s.Turns(ctx, "ann", 10)
	s.same("ann's turns", want, got, err)
	got, err = s.Turns(ctx, "ann", 2)
	s.same("the two that waited longest", want[:2], got, err)
	paused := storagetest.Next(heads[1], 0)
	paused.Head.Paused = storage.PausedByModerator
	s.commit(paused)
	other := storagetest.Next(heads[2], 1)
	other.Head.ToMove = 1
	s.commit(other)
	chance := storagetest.Next(heads[3], 1)
	chance.Head.ToMove = games.Chance
	s.commit(chance)
	s.again()
	got, err = s.Turns(ctx, "ann", 10)
	s.same("ann's turns after others", want[3:], got, err)
	got, err = s.Turns(ctx, "bob", 10)
	s.same("bob's turns", []storage.Turn{turn(2, 100)}, got, err)
	s.commit(storagetest.Ending(heads[0], 0))
	got, err = s.Turns(ctx, "ann", 10)
	s.same("ann's turns when the last is over", []storage.Turn(nil), got, err)
}

func rematches(t *testing.T, s *store) {
	ctx := t.Context()
	over := s.commit(storagetest.Ending(s.create(storagetest.Opening("g", "c", "ann", "bob")), 0))
	open := storagetest.Opening("g", "c", "ann", "bob")
	open.Head.Rematch = over.ID
	first := s.create(open)
	second := s.create(open)
	is := func(want storage.ID) {
		t.Helper()
		got, err := s.RematchOf(ctx, over.ID)
		s.same("the rematch", want, got, err)
	}
	is(first.ID)
	s.commit(storagetest.Ending(first, 0))
	is(second.ID)
	s.again()
	is(second.ID)
	s.commit(storagetest.Ending(second, 0))
	is(0)
}

func limits(t *testing.T, s *store) {
	ctx := t.Context()
	s.create(storagetest.Opening("g", "c", "ann", "bob"))
	s.create(storagetest.Opening("g", "c", "ann", "cid"))
	s.create(storagetest.Opening("g", "c", "bob", "ann"))
	s.commit(storagetest.Ending(s.create(storagetest.Opening("g", "c", "ann", "bob")), 0)) // not counted: it is over
	s.create(storagetest.Opening("h", "c", "ann", "bob"))                                  // on another server
	playing := s.commit(storagetest.Next(s.create(storagetest.Opening("g", "c", "ann", "bob")), 1))
	// Server g has four unfinished tables. ann has a seat at each, and hosts two lobbies with one invitation each.
	for _, tc := range []struct {
		limit storage.Limit
		fits  bool
	}{
		{storage.Limit{Kind: storage.ServerTables, Most: 5}, true},
		{storage.Limit{Kind: storage.ServerTables, Most: 4}, false},
		{storage.Limit{Kind: storage.UserTables, User: "ann", Most: 5}, true},
		{storage.Limit{Kind: storage.UserTables, User: "ann", Most: 4}, false},
		{storage.Limit{Kind: storage.UserTables, User: "cid", Most: 2}, true},
		{storage.Limit{Kind: storage.UserLobbies, User: "ann", Most: 3}, true},
		{storage.Limit{Kind: storage.UserLobbies, User: "ann", Most: 2}, false},
		{storage.Limit{Kind: storage.UserInvitations, User: "ann", Most: 3}, true},
		{storage.Limit{Kind: storage.UserInvitations, User: "ann", Most: 2}, false},
	} {
		c := storagetest.Opening("g", "c", "ann", "bob")
		c.Limits = []storage.Limit{{Kind: storage.ServerTables, Most: 100}, tc.limit}
		err := s.CheckLimits(ctx, c)
		refused := new(storage.LimitError)
		if tc.fits != (err == nil) || !tc.fits && (!errors.As(err, &refused) || refused.Limit != tc.limit) {
			t.Errorf("%+v: %v, fits: %v", tc.limit, err, tc.fits)
		}
		if tc.fits {
			continue
		}
		if _, err := s.Create(ctx, c); !errors.As(err, &refused) || refused.Limit != tc.limit {
			t.Errorf("an opening beyond %+v: %v", tc.limit, err)
		}
	}
	// Limits apply to commits as well as to new tables. The commit's own table is not counted twice, and a limit to
	// which it adds nothing does not apply.
	c := storagetest.Next(playing, 1)
	c.Limits = []storage.Limit{
		{Kind: storage.ServerTables, Most: 4}, {Kind: storage.UserTables, User: "ann", Most: 4}, {Kind: storage.UserLobbies, User: "ann", Most: 0},
		{Kind: storage.UserInvitations, User: "ann", Most: 0},
	}
	playing = s.commit(c)
	c = storagetest.Next(playing, 1)
	c.Limits = []storage.Limit{{Kind: storage.UserTables, User: "ann", Most: 3}}
	if err := s.Commit(ctx, c); !errors.As(err, new(*storage.LimitError)) {
		t.Errorf("a commit beyond a limit: %v", err)
	}
	if h, err := s.Head(ctx, playing.ID); err != nil || h.Version != playing.Version {
		t.Errorf("after the refusal the version is %d, %v; want %d", h.Version, err, playing.Version)
	}
}

func tally(t *testing.T, s *store) {
	want := map[storage.Group]int{}
	for i := range 40 {
		open := storagetest.Opening("g", fmt.Sprintf("c-%d", i%7), "ann", "bob")
		open.Head.Game = fmt.Sprintf("game-%d", i%3)
		h := s.create(open)
		switch i % 5 {
		case 1:
			h = s.commit(storagetest.Next(h, 2))
		case 2:
			c := storagetest.Next(h, 1)
			c.Head.Paused = storage.PausedByModerator
			h = s.commit(c)
		case 3, 4:
			h = s.commit(storagetest.Ending(h, 0))
		}
		want[storage.Group{Game: h.Game, Status: h.Status, Paused: h.Paused != ""}]++
	}
	got, err := s.Tally(t.Context())
	s.same("the tally", want, got, err)
	if len(want) != 12 {
		t.Errorf("%d groups: the exercise does not exercise", len(want))
	}
}
