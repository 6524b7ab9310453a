package turn_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/bot/table/clock"
	"marque/games/catalog"
	"marque/games/text"
	"marque/games/text/locale"
)

// At three times, 200 days apart, the example dates in messages are yet to come and are valid input.
func TestExampleDatesAreToCome(t *testing.T) {
	t.Parallel()
	r, c := bottest.NewTimed(t)
	dates := regexp.MustCompile(`\d{4}-\d\d-\d\d`)
	for range 3 {
		said := r.Command(localdiscord.Anne, bottest.TablesChannel, "me away", localdiscord.Opt("until", "soon")).Text()
		day, err := time.Parse(time.DateOnly, dates.FindString(said))
		if err != nil || !day.After(c.Now()) || day.After(c.Now().AddDate(1, 0, 0)) {
			t.Errorf("on %v the example is of another time: %s", c.Now(), said)
		}
		first, last := clock.ExampleDates(c.Now())
		if _, err := clock.ReadDates(first+" to "+last, c.Now(), "UTC"); err != nil {
			t.Errorf("on %v the example %s to %s is refused: %v", c.Now(), first, last, err)
		}
		c.Advance(200 * 24 * time.Hour)
	}
}

// No English text in the catalogue has a fixed date such as 2026-01-31, because it would be past one day.
func TestNoSentenceHasADate(t *testing.T) {
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	ids, err := locale.IDs()
	if err != nil {
		t.Fatal(err)
	}
	s := sentences.Speaker(nil, "en")
	for _, id := range ids {
		if said := s.Say(text.M(id)); regexp.MustCompile(`\b20\d\d-\d\d-\d\d`).MatchString(said) {
			t.Errorf("%s: %s", id, said)
		}
	}
}

// The moves of the example in the refusal of a plan follow the paths of the deck.
func TestTheExampleOfAPlanIsOne(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	turn := r.OpenLoyal(bottest.Two)
	snap, err := r.Tables.Lookup.Snapshot(r.Ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	menu, _ := snap.Menu(snap.ToMove)
	said := r.Command(bottest.Other(bottest.Two, r.Mover(turn)), bottest.TablesChannel, "table plan",
		localdiscord.Opt("line", menu.Candidates()[0].Notation)).Text()
	example := regexp.MustCompile(`“(\d+)-(\d+); (\d+)-(\d+)”`).FindStringSubmatch(said)
	if example == nil {
		t.Fatalf("no example in %q", said)
	}
	// paths has the paths between the spaces of the deck (DK-2).
	const paths = " 1-7 1-8 2-8 2-14 3-14 3-18 4-18 4-17 5-17 5-13 6-13 6-7 7-9 8-9 9-10 10-11 10-12 11-13 12-14 11-15 12-15 15-16 16-17 16-18 "
	for i := 1; i < 4; i += 2 {
		a, b := example[i], example[i+1]
		if !strings.Contains(paths, " "+a+"-"+b+" ") && !strings.Contains(paths, " "+b+"-"+a+" ") {
			t.Errorf("no rope joins %s and %s, of the example in %q", a, b, said)
		}
	}
}

// In a game with secrets, /table plan does not invite the user to save a plan, because plans are not possible there.
func TestNobodyIsInvitedToPlanAGameWithSecrets(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	g, _ := catalog.Find("freebooter")
	turn := r.OpenInOrder(bottest.TablesChannel, g, bottest.Two)
	r.WantText(r.Command(bottest.Other(bottest.Two, r.Mover(turn)), bottest.TablesChannel, "table plan"),
		"Some things are secret in Freebooter, so you can't plan moves ahead.")
}

// A refusal of too many computers names the number that the user gave.
func TestTooManyComputersAreCountedAsNamed(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	said := r.Command(localdiscord.Anne, bottest.TablesChannel, "play", localdiscord.Opt("game", "loyal-captain"),
		localdiscord.Opt("computers", 3))
	r.WantText(said, "Loyal Captain has room for up to 2 players: not enough for you and 3 others.")
}

// The list of tables names a table's channel once, because a link to a message already shows its channel.
func TestGamesNameTheirChannelOnce(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	r.OpenLoyal(bottest.Two)
	said := r.Command(localdiscord.Mary, bottest.TablesChannel, "games").Text()
	if n := strings.Count(said, bottest.TablesChannel); n != 1 {
		t.Errorf("the channel is named %d times:\n%s", n, said)
	}
}

// The picture next to the rules shows people's names, not "player 1".
func TestRulesShowNames(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	for _, g := range catalog.Games {
		said := r.Command(localdiscord.Mary, bottest.TablesChannel, "rules", localdiscord.Opt("game", g.Key()))
		pictures := said.Pictures()
		if len(pictures) == 0 {
			t.Errorf("%s has no picture beside its rules", g.Key())
			continue
		}
		if alt := pictures[0].Description; strings.Contains(alt, "player 1") ||
			!slices.ContainsFunc([]string{"Anne", "Jack", "Mary"}, func(n string) bool {
				return strings.Contains(alt, n)
			}) {
			t.Errorf("%s: %s", g.Key(), alt)
		}
	}
}

// A move is confirmed in the game's notation, even if it was typed in another form.
func TestAPlayedMoveIsSaidAsTheGameWritesIt(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	turn := r.OpenLoyal(bottest.Two)
	for i, typed := range []string{"\uff0b\uff11", "`+2`", "\u201c+ 3\u201d\u200b", "+4"} {
		mover := r.Mover(turn)
		said := r.Command(mover, bottest.TablesChannel, "move", localdiscord.Opt("move", typed))
		r.WantText(said, fmt.Sprintf("Played: `+%d`", i+1))
		turn = r.TurnAfter(bottest.TablesChannel, turn)
	}
}
