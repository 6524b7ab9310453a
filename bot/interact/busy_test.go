package interact_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/storage"
)

// meeting is a store that delays the first two calls of Create until both have arrived.
type meeting struct {
	*storage.Store
	both  *sync.WaitGroup
	calls *atomic.Int32
}

func (s meeting) Create(ctx context.Context, c storage.Change) (storage.ID, error) {
	if s.calls.Add(1) <= 2 {
		s.both.Done()
		s.both.Wait()
	}
	return s.Store.Create(ctx, c)
}

// If two tables are opened in a channel at the same moment, one stays there and the other gets its own thread.
func TestTwoTablesAtOnce(t *testing.T) {
	t.Parallel()
	both := &sync.WaitGroup{}
	both.Add(2)
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Wrap = func(s *storage.Store) bottest.Store { return meeting{s, both, &atomic.Int32{}} }
	})
	var plays sync.WaitGroup
	said := make([]string, len(bottest.Two))
	for i, user := range bottest.Two {
		plays.Go(func() {
			said[i] = r.Command(user, bottest.TablesChannel, "play",
				localdiscord.Opt("game", catalog.Games[0].Key())).Text()
		})
	}
	plays.Wait()
	if a, b := strings.Contains(said[0], "its own thread"), strings.Contains(said[1], "its own thread"); a == b {
		t.Errorf("the commands are answered %q, want that one of them opens a thread", said)
	}
	there, err := r.Tables.Lookup.InChannel(r.Ctx, bottest.TablesChannel)
	if err != nil || len(there) != 1 {
		t.Errorf("%d tables go on in the channel, %v; want one", len(there), err)
	}
	all, err := r.Tables.Lookup.ByGuild(r.Ctx, localdiscord.Tortuga, storage.Active, 0, 10)
	if err != nil || len(all) != 2 {
		t.Errorf("%d tables go on in the server, %v; want both", len(all), err)
	}
}

// unfinished is a store whose slow work never ends.
type unfinished struct{ *storage.Store }

func (unfinished) Finished(ctx context.Context, _ storage.Work) error {
	<-ctx.Done()
	return ctx.Err()
}

func (unfinished) UnderWay(context.Context, storage.Work) (bool, error) { return true, nil }

func (s unfinished) Leaderboard(ctx context.Context, q storage.BoardQuery) (storage.BoardPage, error) {
	page, err := s.Store.Leaderboard(ctx, q)
	page.Recounting = true
	return page, err
}

// A request that starts slow work is answered before the work ends, and the answer says that the work continues.
func TestLongWorkIsSaidToGoOn(t *testing.T) {
	t.Parallel()
	r := bottest.NewWith(t,
		func(r *bottest.Rig) { r.Wrap = func(s *storage.Store) bottest.Store { return unfinished{s} } })
	void := r.Resigned(bottest.TablesChannel, catalog.Games[0], localdiscord.Anne, localdiscord.Jack)
	bottest.Contains(t, "/server ratings void", r.Command(localdiscord.Mary, bottest.TablesChannel,
		"server ratings void",
		localdiscord.Opt("ended", void)).Text(),
		"is void", "that takes a moment", "show the old numbers")
	bottest.Contains(t, "/leaderboard", r.Command(localdiscord.Anne, bottest.TablesChannel, "leaderboard").Text(),
		"recalculating these numbers")
	sure := r.Click(localdiscord.Jack, r.Command(localdiscord.Jack, bottest.TablesChannel, "me privacy"),
		"Delete my data")
	bottest.Contains(t, "deleting one's data", r.Click(localdiscord.Jack, sure, "Yes, delete it").Text(),
		"I'm deleting everything about you",
		"takes a few minutes")
}
