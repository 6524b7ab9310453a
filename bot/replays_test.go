package bot_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/text"
	"marque/storage"
)

// crowdedReviews is a store that keeps the first review waiting, and notes when the bot has been through the games
// that wait for their replays.
type crowdedReviews struct {
	*storage.Store
	begin   func()
	release chan struct{} // closed when reviews may be stored
	rounds  chan int      // how many games waited
	waiting int           // games of this round; for the one goroutine that asks
}

func (s *crowdedReviews) SetReview(ctx context.Context, id storage.ID, r storage.Review) error {
	s.begin()
	<-s.release
	return s.Store.SetReview(context.WithoutCancel(ctx), id, r)
}

func (s *crowdedReviews) Replays(ctx context.Context, after storage.ID, limit int) ([]storage.Replay, error) {
	list, err := s.Store.Replays(ctx, after, limit)
	if s.waiting += len(list); len(list) == 0 {
		select {
		case s.rounds <- s.waiting:
		case <-s.release:
		}
		s.waiting = 0
	}
	return list, err
}

// A game that ends while too many others wait for their reviews is reviewed, and gets its replay, when there is
// room again: neither is given up.
func TestAReplayWaitsForRoom(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	crowd := &crowdedReviews{begin: sync.OnceFunc(func() { close(begun) }), release: make(chan struct{}),
		rounds: make(chan int)}
	r := newRigWith(t, func(r *rig) {
		r.wrap = func(s *storage.Store) keeper { crowd.Store = s; return crowd }
	})
	release := sync.OnceFunc(func() { close(crowd.release) })
	t.Cleanup(release)
	rng := rand.New(rand.NewPCG(5, 6))
	await := func(what string, c <-chan struct{}) {
		t.Helper()
		select {
		case <-c:
		case <-r.ctx.Done():
			t.Fatalf("%s: %v\n%s", what, r.ctx.Err(), r.log)
		}
	}

	// Others ask for reviews of games that are too short for replays, until there is no room.
	short := func(n int) table.ID {
		channel, err := r.srv.Admin.AddChannel(localdiscord.Tortuga, fmt.Sprint("review-", n))
		if err != nil {
			t.Fatal(err)
		}
		players := []string{fmt.Sprint(1000 + n), fmt.Sprint(2000 + n)}
		by := func(user, what string) table.Actor {
			return table.Actor{User: user, Name: text.NewName("Captain"), Key: fmt.Sprint(what, "-", n)}
		}
		snap, err := r.tables.Open(r.ctx, by(players[0], "open"),
			table.Opening{Game: benchGame, Guild: localdiscord.Tortuga, Channel: channel, WhenFull: true})
		if err == nil {
			snap, err = r.tables.Join(r.ctx, by(players[1], "join"), snap.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		menu, _ := snap.Menu(snap.ToMove)
		snap, err = r.tables.Move(r.ctx, by(snap.Mover(), "move"), snap.ID, menu.Candidates()[0].Notation, snap.Version)
		if err == nil {
			snap, err = r.tables.Resign(r.ctx, by(players[0], "resign"), snap.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		return snap.ID
	}
	const asked = 24 // more than may wait
	refused := make(chan struct{}, asked)
	var reviews sync.WaitGroup
	for n := range asked {
		id := short(n)
		reviews.Go(func() {
			switch _, err := r.tables.Reviews.Review(r.ctx, id); {
			case errors.Is(err, table.ErrBusy):
				refused <- struct{}{}
			case err != nil:
				t.Error(err)
			}
		})
		if n == 0 {
			await("no review is made", begun)
		}
	}
	await("there is room for any number of reviews", refused)

	var over []*localdiscord.Message
	channels := []string{tablesChannel, localdiscord.NassauTables}
	replays := func(channel string) (n int) {
		for _, m := range r.srv.Messages(channel, localdiscord.Anne) {
			if p := m.Pictures(); len(p) == 1 && strings.Contains(p[0].URL, ".gif") {
				n++
			}
		}
		return n
	}
	for i, channel := range channels {
		g := gameOf(t, benchGame)
		turn := r.open(channel, g, []string{localdiscord.Anne, localdiscord.Jack})
		for range 6 {
			r.typeMove(r.mover(turn), channel, rng)
			turn = r.next(channel, turn.ID, isTurn)
		}
		r.click(localdiscord.Anne, r.command(localdiscord.Anne, channel, "resign"), "Yes, resign")
		over = append(over, r.next(channel, turn.ID, isOver))
		for waiting := 0; waiting <= i; {
			select {
			case waiting = <-crowd.rounds:
			case <-r.ctx.Done():
				t.Fatalf("%d of %d games wait for their replays\n%s", waiting, i+1, r.log)
			}
		}
	}
	for _, channel := range channels {
		if n := replays(channel); n > 0 {
			t.Errorf("%d replays were posted before there was room", n)
		}
	}
	release()
	for i, channel := range channels {
		replay := r.next(channel, over[i].ID, func(m *localdiscord.Message) bool { return len(m.Pictures()) == 1 })
		if n := len(r.gif(replay).Image); n < 6 {
			t.Errorf("the replay has %d pictures", n)
		}
	}
	reviews.Wait()
	r.stop()
	r.start()
	if list, err := r.store.Replays(t.Context(), 0, 10); err != nil || len(list) > 0 {
		t.Errorf("%v wait for replays, %v", list, err)
	}
	r.stop()
	for _, channel := range channels {
		if n := replays(channel); n != 1 {
			t.Errorf("%d replays were posted, want one", n)
		}
	}
}
