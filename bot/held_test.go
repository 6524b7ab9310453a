package bot_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/games/catalog"
)

// A play made by the buttons is told with the token of the click on Move: the new board and the
// fold of the old one take no request with the bot's. Everything else is as it would be: one board,
// which calls who is to move. Typed moves are told with the bot's token.
func TestPlaysByButtonsTakeNoRequestsWithTheToken(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		typed bool
		off   bool
		want  int // requests with the token for a play
	}{{"by buttons", false, false, 0}, {"typed", true, false, 2}, {"by buttons, switched off", false, true, 2}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := &counter{t: t, messages: map[string]*counted{}}
			r := newRigWith(t, func(r *rig) { r.quiet, r.channelPosts = true, tc.off }, c.listen)
			thread, turn := r.openInThread(catalog.Games[0], two)
			r.told(1)
			rng := rand.New(rand.NewPCG(7, 1))
			for range 3 {
				c.take()
				who := r.mover(turn)
				if tc.typed {
					r.typeMove(who, thread, rng)
				} else {
					r.stepThrough(who, turn, rng)
				}
				next := r.next(thread, turn.ID, isTurn)
				r.eventually("the old board is folded", func() bool {
					m, err := r.srv.Message(turn.ID, localdiscord.Anne)
					return err == nil && !isTurn(m)
				})
				snap := r.told(1)
				// the card, and the thread's name
				list := slices.DeleteFunc(c.take(), func(q string) bool {
					return strings.Contains(q, "/channels/"+tavern) || q == "PATCH /channels/"+thread
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

// Whatever Discord answers to a request with the token of a click, each play has one board, and the
// one before is folded.
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
			r, _ := quietRig(t)
			thread, turn := r.openInThread(catalog.Games[0], two)
			rng := rand.New(rand.NewPCG(7, 2))
			for _, method := range []string{http.MethodPost, http.MethodPatch} {
				who := r.mover(turn)
				preview := r.stepToPreview(who, turn, rng)
				f.Method, f.Path, f.Times = method, "/webhooks/", 1
				remove := r.srv.AddFault(f)
				r.click(who, preview, "Play this")
				next := r.next(thread, turn.ID, isTurn)
				r.eventually("the old board is folded", func() bool {
					m, err := r.srv.Message(turn.ID, localdiscord.Anne)
					return err == nil && !isTurn(m)
				})
				r.told(1)
				remove()
				boards := 0
				for _, m := range r.srv.Messages(thread, localdiscord.Anne) {
					if m.EphemeralTo == "" && isTurn(m) {
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
