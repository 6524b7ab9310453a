package publish_test

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

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/bot/timesource/manual"
)

// Every ping reaches users in the way they chose: in the channel, by direct message, both, or in the daily digest.
// Their webhook is also called. The pings are a challenge, its reminder (CO-17), an offer to take over for an entrant
// (CO-15), the beginning of a round, and a found opponent. Urgent pings also reach users with a digest. On a server
// that has turned pings off, there are none. If a second direct message follows, about a first board at the user's
// turn, it is silent.
func TestEachCallAsOneLikes(t *testing.T) {
	t.Parallel()
	const mary, anne = localdiscord.Mary, localdiscord.Anne
	opt := localdiscord.Opt
	for _, liked := range []struct {
		calls          choices.Calls
		silent         bool
		here, directly bool
	}{
		{"", false, true, false}, {choices.CallDirectly, false, false, true}, {choices.CallBoth, false, true, true},
		{choices.CallDaily, false, false, false}, {choices.CallBoth, true, false, false},
	} {
		t.Run(string(liked.calls)+map[bool]string{true: " silent"}[liked.silent], func(t *testing.T) {
			t.Parallel()
			clock := manual.NewClock(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
			heard := make(chan string, 100)
			r := bottest.NewWith(t, func(r *bottest.Rig) {
				r.Quiet = true
				r.Webhooks = bottest.RoundTripFunc(func(q *http.Request) (*http.Response, error) {
					data, _ := io.ReadAll(q.Body)
					var b struct{ Event string }
					if err := json.Unmarshal(data, &b); err != nil {
						t.Error(err)
					}
					heard <- b.Event
					return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
				})
			}, func(o *localdiscord.Options) { o.Clock = clock })
			people := r.People(4)
			user := people[1]
			dm, err := r.Server.DM(user)
			r.Must(err)
			r.Configure(localdiscord.Tortuga, func(s *choices.Settings) { s.Silent = liked.silent })
			_, err = r.Tables.Choices.ChangePreferences(r.Ctx, user, func(p *choices.Preferences) error {
				p.Calls = liked.calls
				p.Digest.Choose(11, clock.Now())
				return nil
			})
			r.Must(err)
			_, err = r.Hooks.Set(r.Ctx, user, "https://hooks.example.org/x")
			r.Must(err)
			webhook := func(event string) {
				t.Helper()
				got := ""
				r.Eventually("the webhook hears "+event, func() bool {
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
				before, letters := r.Latest(bottest.Tavern), len(r.Server.Messages(dm, user))
				do()
				m := r.PostedSaying(bottest.Tavern, before, says)
				here, directly := liked.here || presses && liked.calls == choices.CallDaily, liked.directly
				if got := slices.Contains(m.Pinged, user); got != here {
					t.Errorf("%s: called in the channel: %v, want %v", what, got, here)
				}
				var want []string // the direct messages: the first with a sound, the second, about the board, silent
				if directly {
					want = append(want, letter)
				}
				if game != 0 && r.Published(game).Mover() == user && directly {
					want = append(want, fmt.Sprintf("Table #%d (Loyal Captain) is waiting for you", game))
				}
				got := r.Server.Messages(dm, user)[letters:]
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
			r.Create(mary, bottest.Tavern, "ladder",
				opt("name", "Rigging"), opt("game", bottest.LoyalCaptain),
				opt("clock", "2d"),
				opt("answer-days", 2))
			card := r.CompetitionCard(bottest.Tavern, "ladder #1")
			r.Click(people[0], card, "Join")
			r.Click(user, card, "Join")
			r.Click(people[2], card, "Join")
			r.Click(mary, card, "Start now")
			r.Idle(1, clock.Now())
			told("a challenge", "challenges <@"+user+">", "challenges <@"+user+">", "challenge", false, 0, func() {
				r.Command(people[2], bottest.Tavern, "ladder", bottest.Do("challenge"), opt("who", user))
			})
			r.Idle(1, clock.Now())
			if liked.calls == choices.CallDaily {
				letters := len(r.Server.Messages(dm, user))
				clock.Advance(24 * time.Hour)
				r.Eventually("the digest", func() bool {
					all := r.Server.Messages(dm, user)[letters:]
					return len(all) == 1 && strings.Contains(all[0].Text(), "somebody has challenged you")
				})
			} else {
				clock.Advance(24 * time.Hour)
			}
			told("its reminder", "Still waiting for", "Still waiting for", "challenge", true, 0, func() {
				clock.Advance(12*time.Hour + time.Minute)
			})
			r.Command(user, bottest.Tavern, "ladder", bottest.Do("decline"))

			r.Command(mary, bottest.Tavern, "moderate create tournament",
				opt("name", "Cup"), opt("game", bottest.LoyalCaptain),
				opt("clock", "2d"))
			card = r.CompetitionCard(bottest.Tavern, "tournament #2")
			r.Click(people[0], card, "Sign up")
			r.Click(people[2], card, "Sign up")
			r.Click(mary, card, "Start now")
			r.Idle(2, clock.Now())
			offer := told("an offer", "<@"+user+">, would", "<@"+user+">, would", "substitute", false, 0, func() {
				r.Command(mary, bottest.Tavern, "moderate competition substitute",
					opt("who", people[2]), opt("by", user), opt("competition", "2"))
			})
			r.WantText(r.Click(user, offer, "Decline"), "You've declined")

			r.Command(mary, bottest.Tavern, "moderate create tournament", opt("name", "Plate"),
				opt("game", bottest.LoyalCaptain), opt("clock", "2d"))
			card = r.CompetitionCard(bottest.Tavern, "tournament #3")
			r.Click(user, card, "Sign up")
			r.Click(people[3], card, "Sign up")
			told("a round", "Round 1", "You have a new game", "round", false, 2, func() {
				r.Click(mary, card, "Start now")
			})
			r.Idle(3, clock.Now())

			if !liked.silent {
				r.Command(user, bottest.Tavern, "seek", opt("game", bottest.LoyalCaptain))
				told("somebody found", "We have a match", "a game of Loyal Captain for you", "game", false, 3,
					func() { r.Command(anne, bottest.Tavern, "seek", opt("game", bottest.LoyalCaptain)) })
			}
		})
	}
}
