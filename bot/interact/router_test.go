package interact

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/show"
	"marque/storage"
)

// oneRequest is the simulated duration of a request to Discord.
const oneRequest = 100 * time.Millisecond

// discord records when and how each interaction is answered.
type discord struct {
	mu    sync.Mutex
	first map[string]time.Time // time of the first answer by interaction id
	said  map[string]string    // text of all answers by interaction id
}

func (d *discord) RoundTrip(q *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	time.Sleep(oneRequest)
	d.mu.Lock()
	defer d.mu.Unlock()
	// The path ends in /interactions/ID/TOKEN/callback or /webhooks/APP/TOKEN/messages/@original. Here the token equals
	// the id.
	path := strings.Split(q.URL.Path, "/")
	if id := path[5]; strings.HasSuffix(q.URL.Path, "/callback") {
		d.first[id] = time.Now()
		d.said[id] = string(body)
	} else {
		d.said[id] += string(body)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")),
		Request: q}, nil
}

// hanging is a store of choices whose Settings fails after the time hang.
type hanging struct{ hang time.Duration }

func (c hanging) Settings(ctx context.Context, _ string) (choices.Settings, error) {
	if c.hang == 0 { // a timer must not be due when it is set: see Router.promise
		return choices.Settings{}, &storage.UnreachableError{}
	}
	select {
	case <-time.After(c.hang):
		return choices.Settings{}, &storage.UnreachableError{}
	case <-ctx.Done():
		return choices.Settings{}, ctx.Err()
	}
}

func (c hanging) Preferences(context.Context, string) (choices.Preferences, error) {
	return choices.Preferences{}, nil
}

// slowRoom is a room whose answers take a while. It either waits for the store (stored) or computes.
type slowRoom struct {
	takes  time.Duration
	stored bool
}

func (d slowRoom) Commands() []Command {
	return []Command{{Name: "games", Topic: TopicLook, Route: Route{Handle: func(ctx context.Context,
		_ *Request) (Reply, error) {
		select {
		case <-time.After(d.takes):
			return Reply{New: show.Text("the list")}, nil
		case <-ctx.Done():
			if !d.stored {
				return Reply{}, ctx.Err()
			}
			return Reply{}, &storage.UnreachableError{Err: ctx.Err()}
		}
	}}}}
}

// Each interaction gets an answer or a deferred answer within Discord's three seconds, and in the end an answer, even
// if the store is slow or many users act at the same time. An interaction without a free slot gets a deferred answer
// immediately.
func TestEveryInteractionIsAnsweredOrPromisedInTime(t *testing.T) {
	rush, many := 2000, 200
	if testing.Short() {
		// With hundreds of goroutines and timers, a check inside the race detector sometimes fails (its
		// fast_state.epoch). This is not a race.
		rush, many = maxInteractions+22, maxInteractions+22
	}
	for _, tc := range []struct {
		what    string
		people  int
		hang    time.Duration // delay of the store
		takes   time.Duration // duration of a handler
		came    time.Duration // age of the interaction when the router receives it
		shared  bool
		reckons bool          // whether the handler computes instead of waiting for the store
		within  time.Duration // limit for all final answers, 0 if there is none
		want    string
	}{
		{what: "the store hangs", people: many, hang: 25 * time.Second, want: "the list"},
		{what: "the store hangs for longer than anybody waits", people: many, hang: time.Hour, takes: time.Hour,
			want: "Nothing has changed"},
		{what: "the store hangs, and another process may answer", people: many, hang: time.Hour, takes: time.Hour,
			came: 2 * time.Second, shared: true, want: "I don't know whether this counted"},
		{what: "a rush", people: rush, takes: 900 * time.Millisecond, want: "the list"},
		{what: "an answer that takes too long", people: 20, reckons: true, takes: time.Hour, want: "so I gave up"},
		// A handler holds its slot for at most patience, so the last one need not wait until all others have ended.
		{what: "a rush of what takes long", people: rush, takes: 10 * time.Second, within: 35 * time.Second, want: "the list"},
	} {
		t.Run(tc.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				router, d := newTestRouter(t, slowRoom{tc.takes, !tc.reckons}, hanging{tc.hang}, io.Discard)
				began := time.Now()
				time.Sleep(tc.came)
				for i := range tc.people {
					router.Accept(t.Context(), typed(fmt.Sprint(i), "games"), Arrival{At: began, Shared: tc.shared})
				}
				router.Drain(t.Context())
				var latest time.Duration
				var atOnce int
				for i := range tc.people {
					id := fmt.Sprint(i)
					at, ok := d.first[id]
					if latest = max(latest, at.Sub(began)); !ok || at.Sub(began) > 3*time.Second ||
						!strings.Contains(d.said[id], tc.want) {
						t.Fatalf("interaction %d of %d: Discord heard of it: %t, after %v; its user reads %q, want %q",
							i, tc.people, ok, at.Sub(began), d.said[id], tc.want)
					}
					if at.Sub(began) <= tc.came+oneRequest {
						atOnce++
					}
				}
				if want := tc.people - maxInteractions; atOnce < want {
					t.Errorf("%d of %d were promised an answer at once, want the %d for whom there is no slot", atOnce,
						tc.people, want)
				}
				if took := time.Since(began); tc.within > 0 && took > tc.within {
					t.Errorf("the last answer came after %v, want it within %v", took, tc.within)
				}
				t.Logf("the last of %d first answers came after %v, the last answer after %v", tc.people, latest,
					time.Since(began))
			})
		})
	}
}

// An autocomplete that is given up, because the bot stops before a slot is free, is reported as dropped.
func TestAnAutocompleteThatIsGivenUpIsDropped(t *testing.T) {
	router, _ := newTestRouter(t, slowRoom{}, hanging{}, io.Discard)
	router.slots = make(chan struct{}) // no slot is ever free
	reported := make(chan Answered, 1)
	router.answered = func(a Answered) { reported <- a }
	ctx, stop := context.WithCancel(t.Context())
	stop()
	i := typed("1", "games")
	i.Type = discordgo.InteractionApplicationCommandAutocomplete
	router.Accept(ctx, i, Arrival{At: time.Now()})
	if a := <-reported; a.Outcome != Dropped {
		t.Errorf("it is reported as %q, want %q", a.Outcome, Dropped)
	}
}

// An interaction that cannot be parsed is logged, and causes no panic.
func TestWhatCannotBeTakenApartHarmsNobody(t *testing.T) {
	var log strings.Builder
	router, _ := newTestRouter(t, slowRoom{}, hanging{}, &log)
	router.Accept(t.Context(), &discordgo.Interaction{
		ID: "1", Type: discordgo.InteractionApplicationCommand, User: &discordgo.User{ID: "1"},
		Data: discordgo.ApplicationCommandInteractionData{
			Options: []*discordgo.ApplicationCommandInteractionDataOption{nil},
		},
	}, Arrival{})
	if !strings.Contains(log.String(), "an interaction cannot be taken apart") {
		t.Errorf("it is not logged: %q", &log)
	}
}
