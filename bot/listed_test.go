package bot_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/storage"
)

// reluctant is a store that does not say which servers it knows until it may, or has been asked for
// as long as a test waits.
type reluctant struct {
	*storage.Store
	may  chan struct{}
	late atomic.Bool
}

func (s *reluctant) Guilds(ctx context.Context) ([]string, error) {
	select {
	case <-s.may:
	case <-time.After(patience):
		s.late.Store(true)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Store.Guilds(ctx)
}

// While the store hangs that a new session's servers are compared with, the gateway is read:
// players are answered. What is told of servers meanwhile counts, and not what the session listed
// before.
func TestTheGatewayIsReadWhileTheStoreHangs(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r := newRig(t, func(o *localdiscord.Options) { o.Clock, o.Servers = clock, 2 })
	gone, back := localdiscord.PlaceAt(0), localdiscord.PlaceAt(1) // which the comparison is about
	g, _ := catalog.Find(captain)
	r.openEverywhere(2, g, two)
	for _, channel := range []string{tablesChannel, localdiscord.NassauTables} {
		r.open(channel, g, two)
	}
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for _, guild := range []string{localdiscord.Nassau, back.Guild} {
		must(r.srv.Admin.KickBot(guild))
		r.eventually("it is noted that the bot left", func() bool { return slices.Contains(r.left(), guild) })
	}
	r.stop()
	must(r.srv.Admin.KickBot(localdiscord.Tortuga), r.srv.Admin.KickBot(gone.Guild),
		r.srv.Admin.InviteBot(localdiscord.Nassau), r.srv.Admin.InviteBot(back.Guild),
		r.srv.Admin.SetGuildAvailable(back.Guild, false))
	hangs := &reluctant{may: make(chan struct{})}
	r.wrap = func(s *storage.Store) keeper {
		hangs.Store = s
		return hangs
	}
	r.start()
	must(r.srv.Admin.InviteBot(localdiscord.Tortuga), r.srv.Admin.KickBot(localdiscord.Nassau))
	if got := r.command(localdiscord.Anne, tablesChannel, "games"); !strings.Contains(got.Text(), "Loyal Captain") {
		t.Errorf("while the store hangs: %s", got.Text())
	}
	if hangs.late.Load() {
		t.Error("nothing of the gateway was read while the store hung")
	}
	close(hangs.may)
	r.eventually("what the session listed is compared", func() bool {
		left := r.left()
		return slices.Contains(left, gone.Guild) && !slices.Contains(left, back.Guild)
	})
	r.leave() // when what is due is done
	want := []string{localdiscord.Nassau, gone.Guild}
	if got := r.left(); len(got) != 2 || !slices.Contains(got, want[0]) || !slices.Contains(got, want[1]) {
		t.Errorf("it is noted that the bot is not on %v, want %v", got, want)
	}
}
