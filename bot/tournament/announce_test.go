package tournament

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/show"
	"marque/games/competition"
	"marque/games/text"
	"marque/games/text/locale"
)

// All entrants with a game in a new round are pinged once, by a message that names them. Discord lets one message ping
// 100 people.
func TestARoundCallsEverybody(t *testing.T) {
	t.Parallel()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []competition.Setup{
		{Kind: competition.Swiss}, {Kind: competition.KnockOut}, {Kind: competition.Pods}, {Kind: competition.League},
	} {
		t.Run(string(of.Kind), func(t *testing.T) {
			t.Parallel()
			of.Start, of.Time, of.Game = 1, competition.Day, "freebooter"
			rules, err := competition.New(of)
			if err != nil {
				t.Fatal(err)
			}
			for i := range of.Kind.Limit() - 1 {
				if rules, err = rules.Enter(fmt.Sprint(1_000_000_000_000_000_000+i), 1500, 1); err != nil {
					t.Fatal(err)
				}
			}
			n := compete.Competition{Name: text.NewName("Cup"), Number: 1, Rules: rules}
			n.Rules = rules.Advance(1)
			n.News = []competition.Change{{What: competition.NewsBegan}, {What: competition.RoundBegan, Round: 1}}
			list, why := new(Room).newsMessages(n, sentences.Speaker(nil, "en"))
			called := map[string]int{}
			for i, m := range list {
				said := said(m.Components)
				for _, user := range m.Pings {
					called[user]++
					if !strings.Contains(said, "<@"+user+">") {
						t.Errorf("message %d calls %s, whom it does not name", i, user)
					}
				}
				if len(m.Pings) > maxPinged || len([]rune(said)) > show.MaxText {
					t.Errorf("message %d calls %d people in %d characters", i, len(m.Pings), len([]rune(said)))
				}
			}
			for i, e := range n.Rules.Entrants {
				plays := 0
				for _, p := range n.Rules.Pairings {
					if p.Seat(i) >= 0 && p.End == "" {
						plays = 1
					}
				}
				if _, told := why[e.User]; called[e.User] != plays || told != (plays == 1) {
					t.Errorf("%s has %d games, and is called %d times", e.User, plays, called[e.User])
				}
			}
			t.Logf("%d people are called by %d messages", len(called), len(list))
		})
	}
}

// said returns the text of components.
func said(components []discordgo.MessageComponent) (all string) {
	for _, c := range components {
		switch c := c.(type) {
		case discordgo.TextDisplay:
			all += c.Content
		case discordgo.Container:
			all += said(c.Components)
		}
	}
	return all
}
