package tournament_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/storage"
)

// lettersTo returns the direct messages to a user that contain the given text.
func lettersTo(r *bottest.Rig, user, what string) (list []string) {
	r.T.Helper()
	dm, err := r.Server.DM(user)
	r.Must(err)
	for _, m := range r.Server.Messages(dm, user) {
		if strings.Contains(m.Text(), what) {
			list = append(list, m.Text())
		}
	}
	return list
}

// refuse makes Discord refuse requests of a method about messages of a channel, because of the messages' content.
func refuse(r *bottest.Rig, method, channel string, code int) (end func()) {
	f := localdiscord.Refusal(http.StatusBadRequest, code, "Message was blocked by automatic moderation")
	if code == 50035 {
		f.Body = `{"code":50035,"message":"Invalid Form Body","errors":{"components":{"_errors":[
			{"code":"CONTAINS_BARRED_WORD","message":"Contains words that are not allowed"}]}}}`
	}
	f.Method, f.Path = method, "/channels/"+channel+"/messages"
	return r.Server.AddFault(f)
}

// If a channel refuses every message of a competition, the host is told once, in a direct message or with the next
// reply, and can still view the competition. When the channel accepts messages again, the competition continues.
func TestTheHostHearsOfAChannelThatRefuses(t *testing.T) {
	t.Parallel()
	const channel, mary, grace = localdiscord.TortugaHarbour, localdiscord.Mary, localdiscord.Grace
	const says = "I can't post the news of **Winter cup"
	for _, code := range []int{20009, 200000, 240000, 50035} {
		r, clock := bottest.NewTimed(t)
		end := refuse(r, http.MethodPost, channel, code)
		create := func(user, number string) {
			t.Helper()
			r.WantText(r.Command(user, channel, "moderate create tournament", localdiscord.Opt("name",
				"Winter cup "+number),
				localdiscord.Opt("game", bottest.LoyalCaptain), localdiscord.Opt("clock", "2d")), "#"+number)
		}
		create(mary, "1")
		r.Eventually("the host is told", func() bool { return len(lettersTo(r, mary, says)) == 1 })
		r.WantText(r.Command(mary, bottest.Tavern, "tournament", localdiscord.Opt("tournament", "1")),
			"I can't post in its channel any more")
		tried := func() (n int) {
			for _, q := range r.Server.Requests() {
				if q.Status == http.StatusBadRequest && strings.Contains(q.Path, channel) {
					n++
				}
			}
			return n
		}
		first := tried()
		r.Eventually("it is tried again, in vain", func() bool {
			clock.Advance(time.Minute)
			n := r.FirstCompetition()
			return tried() >= first+3 && n.Refused && n.Held() && n.Warned == storage.ChannelRefuses
		})
		end()
		r.Eventually("the trouble is over", func() bool {
			clock.Advance(time.Minute) // the time of the next attempt
			n := r.FirstCompetition()
			return !n.Refused && !n.Held() && n.Warned == storage.NoTrouble && len(n.News) == 0
		})
		r.TournamentCard(channel)
		if letters := lettersTo(r, mary, says); len(letters) != 1 {
			t.Errorf("%d: the host was told %d times: %q", code, len(letters), letters)
		}
		if code != 200000 {
			continue
		}

		// A host who accepts no direct messages is told once, with the next reply.
		bosun, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "Bosun", localdiscord.PermissionManageGuild)
		r.Must(err)
		r.Must(r.Server.Admin.SetRoles(localdiscord.Tortuga, grace, bosun))
		refuse(r, http.MethodPost, channel, code)
		create(grace, "2")
		r.Eventually("the second is refused", func() bool { return r.Competition(2).Warned == storage.ChannelRefuses })
		r.Command(grace, bottest.Tavern, "games")
		_, err = r.WaitMessage(bottest.Tavern, grace, func(m *localdiscord.Message) bool {
			return strings.Contains(m.Text(), says) && strings.Contains(m.Text(), "Winter cup 2")
		})
		r.Must(err)
		r.Command(grace, bottest.Tavern, "games")
		if n := len(r.Server.Messages(bottest.Tavern, grace)); n != 3 {
			t.Errorf("%d answers to the host who takes no direct messages, want two and the notice once", n)
		}
	}
}

// A competition's card says that the clocks are stopped if the channel refuses announcements.
func TestACardSaysThatItsChannelRefuses(t *testing.T) {
	t.Parallel()
	const channel, mary = localdiscord.TortugaHarbour, localdiscord.Mary
	r, clock := bottest.NewTimed(t)
	card := r.OpenTournament(channel, r.People(2))
	end := refuse(r, http.MethodPost, channel, 200000)
	r.Click(mary, card, "Start now")
	r.Edited(channel, card.ID, "All deadlines are stopped")
	r.Eventually("the host is told", func() bool { return len(lettersTo(r, mary, "I can't post the news")) == 1 })
	end()
	r.Eventually("the card says that it goes on", func() bool {
		clock.Advance(time.Minute)
		return slices.ContainsFunc(r.Server.Messages(channel, mary), func(m *localdiscord.Message) bool {
			return m.ID == card.ID && !strings.Contains(m.Text(), "are stopped")
		})
	})
	r.Settled(1)
}

// Play and announcements continue if Discord refuses the edits of a card because of their content. The host is told
// once, and the same edit is not sent again.
func TestACardThatCannotBeEdited(t *testing.T) {
	t.Parallel()
	const channel, mary = localdiscord.TortugaHarbour, localdiscord.Mary
	r, clock := bottest.NewTimed(t)
	people := r.People(2)
	card := r.OpenTournament(channel, nil)
	end := refuse(r, http.MethodPatch, channel, 20009)
	for _, p := range people {
		r.WantText(r.Click(p, card, "Sign up"), "You've signed up")
	}
	r.Eventually("the host is told", func() bool { return len(lettersTo(r, mary, "update the card of")) == 1 })
	r.Click(mary, card, "Start now")
	r.Settled(1)
	clock.Advance(2 * time.Hour)
	n := r.Idle(1, clock.Now())
	if n.Held() || !n.Card.Refused || len(r.Pairings()) != 1 {
		t.Errorf("it stands: %v, its card is refused: %v, %d tables", n.Held(), n.Card.Refused, len(r.Pairings()))
	}
	var edits []string
	for _, q := range r.Server.Requests() {
		if q.Method == http.MethodPatch && strings.HasSuffix(q.Path, card.ID) && q.Status == http.StatusBadRequest {
			if slices.Contains(edits, string(q.Body)) {
				t.Errorf("what Discord had refused was sent again: %s", q.Body)
			}
			edits = append(edits, string(q.Body))
		}
	}
	if letters := lettersTo(r, mary, "won't let me update the card of"); len(letters) != 1 || len(edits) == 0 {
		t.Errorf("after %d refusals the host was told %d times: %q", len(edits), len(letters), letters)
	}
	end()
	r.WantText(r.Click(people[0], r.Command(people[0], channel, "tournament", bottest.Do("leave")), "Yes, withdraw"),
		"withdrawn")
	r.Eventually("the card is taken", func() bool {
		clock.Advance(time.Minute)
		n := r.FirstCompetition()
		return !n.Card.Refused && n.Warned == storage.NoTrouble
	})
}
