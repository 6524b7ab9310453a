package archive_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/catalog"
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
	r := bottest.NewWith(t, func(r *bottest.Rig) {
		r.Wrap = func(s *storage.Store) bottest.Store { crowd.Store = s; return crowd }
	})
	release := sync.OnceFunc(func() { close(crowd.release) })
	t.Cleanup(release)
	rng := rand.New(rand.NewPCG(5, 6))
	await := func(what string, c <-chan struct{}) {
		t.Helper()
		select {
		case <-c:
		case <-r.Ctx.Done():
			t.Fatalf("%s: %v\n%s", what, r.Ctx.Err(), r.Log)
		}
	}

	// Others ask for reviews of games that are too short for replays, until there is no room.
	short := func(n int) table.ID {
		channel, err := r.Server.Admin.AddChannel(localdiscord.Tortuga, fmt.Sprint("review-", n))
		if err != nil {
			t.Fatal(err)
		}
		players := []string{fmt.Sprint(1000 + n), fmt.Sprint(2000 + n)}
		by := func(user, what string) table.Actor {
			return table.Actor{User: user, Name: text.NewName("Captain"), Key: fmt.Sprint(what, "-", n)}
		}
		snap, err := r.Tables.Open(r.Ctx, by(players[0], "open"),
			table.Opening{Game: bottest.LoyalCaptain, Guild: localdiscord.Tortuga, Channel: channel, WhenFull: true})
		if err == nil {
			snap, err = r.Tables.Join(r.Ctx, by(players[1], "join"), snap.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
		menu, _ := snap.Menu(snap.ToMove)
		snap, err = r.Tables.Move(r.Ctx, by(snap.Mover(), "move"), snap.ID, menu.Candidates()[0].Notation, snap.Version)
		if err == nil {
			snap, err = r.Tables.Resign(r.Ctx, by(players[0], "resign"), snap.ID)
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
			switch _, err := r.Tables.Reviews.Review(r.Ctx, id); {
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
	channels := []string{bottest.TablesChannel, localdiscord.NassauTables}
	replays := func(channel string) (n int) {
		for _, m := range r.Server.Messages(channel, localdiscord.Anne) {
			if p := m.Pictures(); len(p) == 1 && strings.Contains(p[0].URL, ".gif") {
				n++
			}
		}
		return n
	}
	for i, channel := range channels {
		g, _ := catalog.Find(bottest.LoyalCaptain)
		turn := r.Open(channel, g, []string{localdiscord.Anne, localdiscord.Jack})
		for range 6 {
			r.TypeMove(r.Mover(turn), channel, rng)
			turn = r.Next(channel, turn.ID, bottest.IsTurn)
		}
		r.Click(localdiscord.Anne, r.Command(localdiscord.Anne, channel, "resign"), "Yes, resign")
		over = append(over, r.Next(channel, turn.ID, bottest.IsOver))
		for waiting := 0; waiting <= i; {
			select {
			case waiting = <-crowd.rounds:
			case <-r.Ctx.Done():
				t.Fatalf("%d of %d games wait for their replays\n%s", waiting, i+1, r.Log)
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
		replay := r.Next(channel, over[i].ID, func(m *localdiscord.Message) bool { return len(m.Pictures()) == 1 })
		if n := len(gifOf(r, replay).Image); n < 6 {
			t.Errorf("the replay has %d pictures", n)
		}
	}
	reviews.Wait()
	r.Stop()
	r.Start()
	if list, err := r.Store.Replays(t.Context(), 0, 10); err != nil || len(list) > 0 {
		t.Errorf("%v wait for replays, %v", list, err)
	}
	r.Stop()
	for _, channel := range channels {
		if n := replays(channel); n != 1 {
			t.Errorf("%d replays were posted, want one", n)
		}
	}
}
