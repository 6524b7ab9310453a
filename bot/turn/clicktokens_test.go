package turn_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/show"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/games/fair"
)

// The boards of a play made with the buttons are published without the bot's token: the new board is posted, and the
// old one folded or deleted, with the token of the click on Move. The new board pings only the player to move, and the
// old one no longer asks for a move. Typed moves, and all plays if ChannelPosts is set, use the bot's token.
func TestPlaysByButtonsTakeNoRequestsWithTheToken(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		game  string
		typed bool
		off   bool
		hand  bool // players press Move next to their hand
		old   choices.Boards
		want  int // number of requests with the bot's token for a play
	}{
		{"by buttons", "loyal-captain", false, false, false, "", 0},
		{"by buttons, and old boards are deleted", "loyal-captain", false, false, false, choices.BoardsReplace, 0},
		{"by buttons, from their hands", "pirat", false, false, true, "", 0},
		{"typed", "loyal-captain", true, false, false, "", 2},
		{"by buttons, switched off", "loyal-captain", false, true, false, "", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := bottest.NewCounter(t)
			r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet, r.ChannelPosts = true, tc.off }, c.Listen)
			r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Boards = tc.old })
			g, _ := catalog.Find(tc.game)
			thread, turn := r.OpenInThread(g, bottest.Two)
			r.Published(1)
			rng := rand.New(rand.NewPCG(7, 1))
			for range 3 {
				c.Take()
				who := r.Mover(turn)
				switch {
				case tc.typed:
					r.TypeMove(who, thread, rng)
				case tc.hand:
					hand := r.More(who, turn, "My hand")
					if hand.EphemeralTo != who {
						t.Fatalf("the hand of %s is seen by %q", who, hand.EphemeralTo)
					}
					r.StepThrough(who, hand, rng)
				default:
					r.StepThrough(who, turn, rng)
				}
				next := r.Next(thread, turn.ID, bottest.IsTurn)
				r.Eventually("the old board is folded, or gone", func() bool {
					m, err := r.Server.Message(turn.ID, localdiscord.Anne)
					return err != nil || !bottest.IsTurn(m)
				})
				snap := r.Published(1)
				// Requests about the card and the thread's name do not count.
				list := slices.DeleteFunc(c.Take(), func(q string) bool {
					return strings.Contains(q, "/channels/"+bottest.Tavern) || q == "PATCH /channels/"+thread
				})
				if len(list) != tc.want {
					t.Errorf("a play took the requests %v with the token, want %d", list, tc.want)
				}
				if !slices.Equal(next.Pinged, []string{snap.Mover()}) {
					t.Errorf("the board pings %v, want %s alone", next.Pinged, snap.Mover())
				}
				turn = next
			}
		})
	}
}

// A play made from a reminder uses the token of the click on Move under it: the new board is posted and the reminder
// deleted with that token. The board was folded when the reminder came.
func TestAPlayFromAReminder(t *testing.T) {
	t.Parallel()
	clock := manual.NewClock(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	c := bottest.NewCounter(t)
	r := bottest.NewWith(t, func(r *bottest.Rig) { r.Quiet = true }, func(o *localdiscord.Options) { o.Clock = clock },
		c.Listen)
	r.Configure(localdiscord.Tortuga, func(c *choices.Settings) { c.Clock, _ = show.ParseClock("4d") })
	thread, turn := r.OpenInThread(catalog.Games[0], bottest.Two)
	r.Published(1)
	r.CardEdited(clock) // the card shows whose turn it is, so a reminder does not edit it
	clock.Advance(25 * time.Hour)
	reminder := r.NextSaying(thread, turn.ID, "the table is waiting for you")
	r.Published(1) // the previous board is folded by then
	c.Take()
	r.StepThrough(r.Mover(turn), reminder, bottest.NewRand())
	r.Next(thread, reminder.ID, bottest.IsTurn)
	r.Eventually("the reminder is gone", func() bool {
		_, err := r.Server.Message(reminder.ID, localdiscord.Anne)
		return err != nil
	})
	r.Published(1)
	if got := slices.DeleteFunc(c.Take(), func(q string) bool {
		return strings.Contains(q, "/channels/"+bottest.Tavern) // leaves out requests about the card
	}); len(got) > 0 {
		t.Errorf("the play took the requests %q with the token", got)
	}
}

// Each play has one board, and the previous board is folded, even if a request with a click's token fails or its answer
// is lost.
func TestPlaysByButtonsDespiteFaults(t *testing.T) {
	t.Parallel()
	lapsed := localdiscord.Fault{Status: http.StatusUnauthorized,
		Body: `{"message":"Invalid Webhook Token","code":50027}`}
	for name, f := range map[string]localdiscord.Fault{
		"the token has lapsed": lapsed,
		"Discord fails":        localdiscord.ServerError(500),
		"the answer is lost":   {Lost: true},
		"Discord limits":       localdiscord.RateLimited(0, false, true),
		"Discord does not know the hook": {Status: http.StatusNotFound,
			Body: `{"message":"Unknown Webhook","code":10015}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := bottest.NewQuiet(t)
			thread, turn := r.OpenInThread(catalog.Games[0], bottest.Two)
			rng := rand.New(rand.NewPCG(7, 2))
			for _, method := range []string{http.MethodPost, http.MethodPatch} {
				who := r.Mover(turn)
				preview := r.StepToPreview(who, turn, rng)
				f.Method, f.Path, f.Times = method, "/webhooks/", 1
				remove := r.Server.AddFault(f)
				r.Click(who, preview, "Make this move")
				next := r.Next(thread, turn.ID, bottest.IsTurn)
				r.Eventually("the old board is folded", func() bool {
					m, err := r.Server.Message(turn.ID, localdiscord.Anne)
					return err == nil && !bottest.IsTurn(m)
				})
				r.Published(1)
				remove()
				boards := 0
				for _, m := range r.Server.Messages(thread, localdiscord.Anne) {
					if m.EphemeralTo == "" && bottest.IsTurn(m) {
						boards++
					}
				}
				if boards != 1 {
					t.Errorf("%s: %d boards stand, want one", method, boards)
				}
				turn = next
			}
		})
	}
}

// Plays made with the buttons take on average at most one request with the bot's token in five plays, against people or
// computers. Typed plays take about two each. Requests for opening the table are not counted. Discord's limits are
// enforced, and no request exceeds one.
func TestRequestsWithTheTokenByWayOfPlay(t *testing.T) {
	t.Parallel()
	find := func(key string) games.Game { g, _ := catalog.Find(key); return g }
	for _, tc := range []struct {
		way        string
		game       games.Game
		computers  int
		typed      bool
		most       int     // maximum number of plays by people; 0 for a whole game
		from, upTo float64 // requests with the bot's token per play
	}{
		{"by buttons", find("quedah-merchant"), 0, false, 0, 0, 0.2},
		{"by buttons, where a turn has several steps", find("freebooter"), 0, false, 15, 0, 0.2},
		{"by buttons, and a computer answers", catalog.Games[0], 1, false, 15, 0, 0.2},
		{"typed", catalog.Games[0], 0, true, 8, 1.9, 2.1},
	} {
		t.Run(tc.way, func(t *testing.T) {
			t.Parallel()
			requests := &tokenRequests{count: map[string]int{}}
			r := bottest.NewWith(t, func(r *bottest.Rig) {
				r.Quiet, r.Enforced, r.Seed = true, true, func() fair.Seed { return bottest.WholeSeed }
			}, requests.listen)
			rng := rand.New(rand.NewPCG(7, 3))
			var thread string
			var turn *localdiscord.Message
			if tc.computers > 0 {
				said := r.Command(localdiscord.Anne, bottest.Tavern, "play", localdiscord.Opt("game", tc.game.Key()),
					localdiscord.Opt("computers", tc.computers), localdiscord.Opt("level", "easy"))
				r.WantText(said, "its own thread")
				thread = r.Table().Channel
				turn = r.Next(thread, "", bottest.IsTurn)
			} else {
				thread, turn = r.OpenInThread(tc.game, bottest.Two)
			}
			r.Eventually("the card and the thread's name are as they stay", func() bool {
				// The recorded state of a card ends with the number of the seat to move. Before the game, that part
				// is empty, and the state ends with a space.
				shown := r.Published(1).Card.Shown
				return shown != "" && !strings.HasSuffix(shown, " ")
			})
			opening := requests.take()
			plays := 0
			for ; !bottest.IsOver(turn) && (tc.most == 0 || plays < tc.most); plays++ {
				if who := r.Published(1).Mover(); tc.typed {
					r.TypeMove(who, thread, rng)
				} else {
					r.StepThrough(who, turn, rng)
				}
				turn = r.TurnAfter(thread, turn)
			}
			r.Published(1)
			playing := requests.take()
			sum := 0
			for _, n := range playing {
				sum += n
			}
			each := float64(sum) / float64(plays)
			t.Logf("%s: %d plays by people, %.2f requests each: %v; before: %v", tc.game.Key(), plays, each, playing,
				opening)
			if each < tc.from || each > tc.upTo {
				t.Errorf("a play takes %.2f requests with the token, want %v to %v", each, tc.from, tc.upTo)
			}
			if n := requests.refused.Load(); n > 0 {
				t.Errorf("%d requests were refused with 429", n)
			}
		})
	}
}

// tokenRequests counts requests with the bot's token by method and route, and all requests that exceed a limit.
type tokenRequests struct {
	refused atomic.Int64

	mu    sync.Mutex
	count map[string]int
}

func (b *tokenRequests) listen(o *localdiscord.Options) {
	check := o.OnRequest
	o.OnRequest = func(q localdiscord.Request) {
		check(q)
		if q.Status == http.StatusTooManyRequests {
			b.refused.Add(1)
		}
		if strings.HasPrefix(q.Route, "/webhooks/") || strings.HasPrefix(q.Route, "/interactions/") {
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.count[q.Method+" "+q.Route]++
	}
}

// take returns the numbers of requests since it was last called.
func (b *tokenRequests) take() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	count := b.count
	b.count = map[string]int{}
	return count
}
