package gateway_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/timesource/manual"
	"marque/games/catalog"
	"marque/storage"
)

// reluctant is a store that lists its known servers only when the test allows it, or after bottest.Patience.
type reluctant struct {
	*storage.Store
	may  chan struct{}
	late atomic.Bool
}

func (s *reluctant) Guilds(ctx context.Context) ([]string, error) {
	select {
	case <-s.may:
	case <-time.After(bottest.Patience):
		s.late.Store(true)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Store.Guilds(ctx)
}

// The gateway is read and players are answered while the store hangs during the comparison of a new session's servers.
// Events about servers that arrive in the meantime count, not the session's earlier list.
func TestTheGatewayIsReadWhileTheStoreHangs(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	r := bottest.New(t, func(o *localdiscord.Options) { o.Clock, o.Servers = clock, 2 })
	// While the bot is down, it is removed from Tortuga and gone, and added again to Nassau and back.
	gone, back := localdiscord.PlaceAt(0), localdiscord.PlaceAt(1)
	g, _ := catalog.Find(bottest.LoyalCaptain)
	openEverywhere(r, 2, g, bottest.Two)
	for _, channel := range []string{bottest.TablesChannel, localdiscord.NassauTables} {
		r.Open(channel, g, bottest.Two)
	}
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	for _, guild := range []string{localdiscord.Nassau, back.Guild} {
		must(r.Server.Admin.KickBot(guild))
		r.Eventually("it is noted that the bot left", func() bool { return slices.Contains(left(r), guild) })
	}
	r.Stop()
	must(r.Server.Admin.KickBot(localdiscord.Tortuga), r.Server.Admin.KickBot(gone.Guild),
		r.Server.Admin.InviteBot(localdiscord.Nassau), r.Server.Admin.InviteBot(back.Guild),
		r.Server.Admin.SetGuildAvailable(back.Guild, false))
	hangs := &reluctant{may: make(chan struct{})}
	r.Wrap = func(s *storage.Store) bottest.Store {
		hangs.Store = s
		return hangs
	}
	r.Start()
	must(r.Server.Admin.InviteBot(localdiscord.Tortuga), r.Server.Admin.KickBot(localdiscord.Nassau))
	if got := r.Command(localdiscord.Anne, bottest.TablesChannel, "games"); !strings.Contains(got.Text(),
		"Loyal Captain") {
		t.Errorf("while the store hangs: %s", got.Text())
	}
	if hangs.late.Load() {
		t.Error("nothing of the gateway was read while the store hung")
	}
	close(hangs.may)
	r.Eventually("what the session listed is compared", func() bool {
		left := left(r)
		return slices.Contains(left, gone.Guild) && !slices.Contains(left, back.Guild)
	})
	r.Leave() // returns once the queued events are handled
	want := []string{localdiscord.Nassau, gone.Guild}
	if got := left(r); len(got) != 2 || !slices.Contains(got, want[0]) || !slices.Contains(got, want[1]) {
		t.Errorf("it is noted that the bot is not on %v, want %v", got, want)
	}
}
