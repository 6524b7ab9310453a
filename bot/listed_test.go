package bot_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/catalog"
	"marque/storage"
)

// reluctant is a store that does not say which servers it knows until it may, or has been asked for so long that nobody would
// have waited.
type reluctant struct {
	*storage.Store
	may  chan struct{}
	late atomic.Bool
}

func (s *reluctant) Guilds(ctx context.Context) ([]string, error) {
	select {
	case <-s.may:
	case <-time.After(30 * time.Second):
		s.late.Store(true)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Store.Guilds(ctx)
}

// While the store hangs that a new session's servers are compared with, the gateway is read: players are answered. What is
// told of servers meanwhile counts, and not what the session listed before.
func TestTheGatewayIsReadWhileTheStoreHangs(t *testing.T) {
	t.Parallel()
	r, _ := newTimedRig(t)
	r.openLoyal(two)
	g, _ := catalog.Find(captain)
	r.open(localdiscord.NassauTables, g, two)
	if err := r.srv.Admin.KickBot(localdiscord.Nassau); err != nil {
		t.Fatal(err)
	}
	r.eventually("it is noted that the bot left Nassau", func() bool {
		return slices.Equal(r.left(), []string{localdiscord.Nassau})
	})
	r.stop()
	for _, err := range []error{r.srv.Admin.KickBot(localdiscord.Tortuga), r.srv.Admin.InviteBot(localdiscord.Nassau)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	hangs := &reluctant{may: make(chan struct{})}
	r.wrap = func(s *storage.Store) table.Store {
		hangs.Store = s
		return hangs
	}
	r.start()
	for _, err := range []error{r.srv.Admin.InviteBot(localdiscord.Tortuga), r.srv.Admin.KickBot(localdiscord.Nassau)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := r.command(localdiscord.Anne, tablesChannel, "games"); !strings.Contains(got.Text(), "Loyal Captain") {
		t.Errorf("while the store hangs: %s", got.Text())
	}
	if hangs.late.Load() {
		t.Error("nothing of the gateway was read while the store hung")
	}
	close(hangs.may)
	r.leave() // when what is due is done
	if got := r.left(); !slices.Equal(got, []string{localdiscord.Nassau}) {
		t.Errorf("it is noted that the bot is not on %v, want Nassau alone", got)
	}
}
