package interact

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"marque/games"
)

// Every run of the property tests uses the same seed. -rapid.seed sets another one.
var _ = flag.Set("rapid.seed", "26")

// begun reports whether a ticket has been called.
func (t *ticket) begun() bool {
	select {
	case <-t.called:
		return true
	default:
		return false
	}
}

// Users in a lane take turns: after the running task, a user with one task waits for at most one task of each other
// user, however many tasks the others have.
func TestUsersTakeTurns(t *testing.T) {
	l := newLane(1, 10, 100)
	var order []string
	waiting := map[*ticket]string{}
	for i, user := range []string{"anne", "anne", "anne", "anne", "jack", "mary", "anne"} {
		place, err := l.enter(user, "tortuga")
		if err != nil {
			t.Fatal(err)
		}
		waiting[place] = fmt.Sprint(user, i)
	}
	for len(waiting) > 0 {
		var next *ticket
		for place := range waiting {
			if place.begun() {
				if next != nil {
					t.Fatalf("%s and %s are begun at once", waiting[next], waiting[place])
				}
				next = place
			}
		}
		if next == nil {
			t.Fatalf("nobody is called, and %v wait", waiting)
		}
		order = append(order, waiting[next])
		delete(waiting, next)
		l.leave(next)
	}
	if want := []string{"anne0", "anne1", "jack4", "mary5", "anne2", "anne3", "anne6"}; !slices.Equal(order, want) {
		t.Errorf("the order is %v, want %v", order, want)
	}
	if n := len(l.users) + len(l.servers) + len(l.waiting) + len(l.turns) + l.running; n != 0 {
		t.Errorf("the empty lane keeps %+v", l)
	}
}

// A lane never exceeds its limit, and leaves no slot free while a user waits. No user or server has more than its
// share, and a user without tasks is forgotten.
func TestLanesKeepTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		atOnce, ofUser, ofServer := rapid.IntRange(1, 3).Draw(t, "at once"), rapid.IntRange(1, 4).Draw(t, "of a user"),
			rapid.IntRange(1, 6).Draw(t, "of a server")
		l := newLane(atOnce, ofUser, ofServer)
		var inside []*ticket
		count := func(of func(*ticket) bool) int {
			n := 0
			for _, p := range inside {
				if of(p) {
					n++
				}
			}
			return n
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(inside) > 0 && rapid.Bool().Draw(t, "leaves") {
				i := rapid.IntRange(0, len(inside)-1).Draw(t, "who")
				l.leave(inside[i])
				inside = slices.Delete(inside, i, i+1)
			} else {
				user, server := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "user"),
					rapid.SampledFrom([]string{"x", "y"}).Draw(t, "server")
				full := count(func(p *ticket) bool { return p.user == user }) >= ofUser || count(func(p *ticket) bool {
					return p.server == server
				}) >= ofServer
				place, err := l.enter(user, server)
				var refusal games.PlayerError
				if full != (err != nil) || err != nil && !errors.As(err, &refusal) {
					t.Fatalf("%s of %s, full: %v: %v", user, server, full, err)
				}
				if err == nil {
					inside = append(inside, place)
				}
			}
			running := count((*ticket).begun)
			if running != min(atOnce, len(inside)) || running != l.running {
				t.Fatalf("%d run (it says %d) of %d inside; %d may", running, l.running, len(inside), atOnce)
			}
		}
		for _, p := range inside {
			l.leave(p)
		}
		if n := len(l.users) + len(l.servers) + len(l.waiting) + len(l.turns) + l.running; n != 0 {
			t.Fatalf("the empty lane keeps %+v", l)
		}
	})
}

// Two concurrent calls with the same question share one run. The run continues for the second caller if the first stops
// waiting. A panic becomes an error.
func TestRunsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs Runs
		begun, goOn := 0, make(chan struct{})
		answers := make(chan int, 3)
		ask := func(ctx context.Context) {
			n, err := Share(ctx, &runs, "replay", func(context.Context) (int, error) {
				begun++
				<-goOn
				return 7, nil
			})
			if err != nil && ctx.Err() == nil {
				t.Errorf("sharing: %v", err)
			}
			answers <- n
		}
		gone, leave := context.WithCancel(t.Context())
		go ask(gone)
		synctest.Wait()
		go ask(t.Context())
		synctest.Wait()
		leave()
		if n := <-answers; n != 0 {
			t.Errorf("who went away is answered with %d", n)
		}
		close(goOn)
		if n := <-answers; n != 7 || begun != 1 {
			t.Errorf("who waited is answered with %d after %d runs, want 7 after one", n, begun)
		}
		if _, err := Share(t.Context(), &runs, "other",
			func(context.Context) (int, error) { panic("the mast") }); err == nil {
			t.Error("a panic is no error")
		}
	})
}
