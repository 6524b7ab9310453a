package bot_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
)

// Whatever calls somebody calls them as they like: a challenge, its reminder (CO-17), an offer to go on for somebody
// (CO-15), a round that begins, and somebody found to play with; in the channel, by direct message, both, or by the
// digest of the day, and by their webhook each time. What presses calls also who wants a digest, and a server that
// wants no calls calls nobody. There is one letter with a sound: the board with which the game begins then, and on
// which they are the first to move, sends a silent one.
func TestEachCallAsOneLikes(t *testing.T) {
	t.Parallel()
	const mary, anne = localdiscord.Mary, localdiscord.Anne
	opt := localdiscord.Opt
	for _, liked := range []struct {
		calls          table.Calls
		silent         bool
		here, directly bool
	}{
		{"", false, true, false}, {table.CallDirectly, false, false, true}, {table.CallBoth, false, true, true},
		{table.CallDaily, false, false, false}, {table.CallBoth, true, false, false},
	} {
		t.Run(string(liked.calls)+map[bool]string{true: " silent"}[liked.silent], func(t *testing.T) {
			t.Parallel()
			clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
			heard := make(chan string, 100)
			r := newRigWith(t, func(r *rig) {
				r.quiet = true
				r.webhooks = roundTrip(func(q *http.Request) (*http.Response, error) {
					data, _ := io.ReadAll(q.Body)
					var b struct{ Event string }
					if err := json.Unmarshal(data, &b); err != nil {
						t.Error(err)
					}
					heard <- b.Event
					return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
				})
			}, func(o *localdiscord.Options) { o.Clock = clock })
			people := r.people(4)
			user := people[1]
			dm, err := r.srv.DM(user)
			r.must(err)
			r.configure(localdiscord.Tortuga, func(s *table.Settings) { s.Silent = liked.silent })
			_, err = r.tables.Choices.ChangePreferences(r.ctx, user, func(p *table.Preferences) error {
				p.Calls = liked.calls
				p.Digest.Choose(11, clock.Now())
				return nil
			})
			r.must(err)
			_, err = r.tables.Webhooks.Set(r.ctx, user, "https://hooks.example.org/x")
			r.must(err)
			webhook := func(event string) {
				t.Helper()
				got := ""
				r.eventually("the webhook hears "+event, func() bool {
					select {
					case got = <-heard:
						return got == event
					default:
						return false
					}
				})
			}
			webhook("test")
			told := func(
				what, says, letter, event string, presses bool, game table.ID, do func(),
			) *localdiscord.Message {
				t.Helper()
				before, letters := r.latest(tavern), len(r.srv.Messages(dm, user))
				do()
				m := r.posted(tavern, before, says)
				here, directly := liked.here || presses && liked.calls == table.CallDaily, liked.directly
				if got := slices.Contains(m.Pinged, user); got != here {
					t.Errorf("%s: called in the channel: %v, want %v", what, got, here)
				}
				var want []string // a letter, and a silent one about the board of the game that begins
				if directly {
					want = append(want, letter)
				}
				if game != 0 && r.told(game).Mover() == user && directly {
					want = append(want, fmt.Sprintf("Table #%d (Loyal Captain) waits for you", game))
				}
				got := r.srv.Messages(dm, user)[letters:]
				if len(got) != len(want) {
					t.Fatalf("%s: %d letters, want %q; %v", what, len(got), want, got)
				}
				for i, l := range got {
					silent := l.Flags&discordgo.MessageFlagsSuppressNotifications != 0
					if !strings.Contains(l.Text(), want[i]) || silent != (i > 0) {
						t.Errorf("%s: letter %d says %q, silent %v, want %q", what, i, l.Text(), silent, want[i])
					}
				}
				if !liked.silent {
					webhook(event)
				}
				t.Logf("%s: in the channel %v, letters %d, webhook %v", what, here, len(got), !liked.silent)
				return m
			}
			r.command(mary, tavern, "ladder create", opt("name", "Rigging"), opt("game", captain), opt("clock", "2d"),
				opt("answer-days", 2))
			card := r.card(tavern, "ladder #1")
			r.click(people[0], card, "Enter")
			r.click(user, card, "Enter")
			r.click(people[2], card, "Enter")
			r.click(mary, card, "Begin now")
			r.idle(1, clock.Now())
			told("a challenge", "challenges <@"+user+">", "challenges <@"+user+">", "challenge", false, 0, func() {
				r.command(people[2], tavern, "ladder challenge", opt("who", user))
			})
			r.idle(1, clock.Now())
			if liked.calls == table.CallDaily {
				letters := len(r.srv.Messages(dm, user))
				clock.Advance(24 * time.Hour)
				r.eventually("the digest", func() bool {
					all := r.srv.Messages(dm, user)[letters:]
					return len(all) == 1 && strings.Contains(all[0].Text(), "somebody challenges you")
				})
			} else {
				clock.Advance(24 * time.Hour)
			}
			told("its reminder", "Still without an answer", "Still without an answer", "challenge", true, 0, func() {
				clock.Advance(12*time.Hour + time.Minute)
			})
			r.command(user, tavern, "ladder decline")

			r.command(mary, tavern, "tournament create", opt("name", "Cup"), opt("game", captain), opt("clock", "2d"))
			card = r.card(tavern, "tournament #2")
			r.click(people[0], card, "Enter")
			r.click(people[2], card, "Enter")
			r.click(mary, card, "Begin now")
			r.idle(2, clock.Now())
			offer := told("an offer", "<@"+user+"> is asked", "<@"+user+"> is asked", "substitute", false, 0, func() {
				r.command(mary, tavern, "tournament substitute", opt("who", people[2]), opt("by", user))
			})
			r.wantText(r.click(user, offer, "Decline"), "You have declined")

			r.command(mary, tavern, "tournament create", opt("name", "Plate"), opt("game", captain), opt("clock", "2d"))
			card = r.card(tavern, "tournament #3")
			r.click(user, card, "Enter")
			r.click(people[3], card, "Enter")
			told("a round", "Round 1", "a round has begun", "round", false, 2, func() {
				r.click(mary, card, "Begin now")
			})
			r.idle(3, clock.Now())

			if !liked.silent {
				r.command(user, tavern, "seek", opt("game", captain))
				told("somebody found", "found each other for", "plays Loyal Captain with you", "game", false, 3,
					func() { r.command(anne, tavern, "seek", opt("game", captain)) })
			}
		})
	}
}
