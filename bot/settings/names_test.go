package settings_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/games/text"
	"marque/games/text/texttest"
)

// saying is a text of a message, with the step that caused it.
type saying struct{ after, text string }

// voyage plays a table from the lobby to the archive. Its players have the given names, and the given text is typed
// into most options that take text. It returns the texts of messages, and separately texts without markdown, for
// example labels, alt texts, names of threads and records.
func voyage(t *testing.T, first, second, typed string) (said, plain []saying) {
	const channel = localdiscord.TortugaTavern
	r := bottest.New(t)
	a, b := r.Server.Admin.AddUser(first), r.Server.Admin.AddUser(second)
	for _, u := range []string{a, b} {
		if err := r.Server.Admin.AddMember(localdiscord.Tortuga, u); err != nil {
			t.Fatal(err)
		}
	}
	opt := localdiscord.Opt
	note := func(after string, m *localdiscord.Message) *localdiscord.Message {
		said = append(said, saying{after, m.Text()})
		for _, p := range m.Pictures() {
			plain = append(plain, saying{after + ", alt text", p.Description})
		}
		for _, c := range m.Interactive() {
			plain = append(plain, saying{after + ", label", c.Label}, saying{after + ", placeholder", c.Placeholder})
			for _, o := range c.Options {
				plain = append(plain, saying{after + ", choice", o.Label})
			}
		}
		return m
	}
	do := func(who, command string, options ...localdiscord.Option) *localdiscord.Message {
		return note("/"+command, r.Command(who, channel, command, options...))
	}
	choices := func(who, command, option string) {
		list, err := r.Server.Autocomplete(r.Ctx, who, channel, command, option, opt(option, ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			plain = append(plain, saying{"choices of /" + command, c.Name})
		}
	}

	do(localdiscord.Mary, "server season start", opt("title", typed))
	g, _ := catalog.Find("loyal-captain") // a game without chance and with fixed seats, so that every run is the same
	turn := note("the first turn", r.OpenInOrder(channel, g, []string{a, b}))
	note("the lobby", r.Next(channel, "", func(m *localdiscord.Message) bool {
		return strings.Contains(m.Text(), "The game has begun")
	}))
	rng := rand.New(rand.NewPCG(8, 9))
	for range 4 {
		r.TypeMove(r.Mover(turn), channel, rng)
		turn = note("a turn", r.Next(channel, turn.ID, bottest.IsTurn))
	}
	mover := r.Mover(turn)
	for _, c := range []struct {
		command string
		options []localdiscord.Option
	}{
		{"move", []localdiscord.Option{opt("move", typed)}},
		{"move", []localdiscord.Option{opt("move", typed), opt("table", typed)}},
		{"table plan", []localdiscord.Option{opt("line", typed)}},
		{"play", []localdiscord.Option{opt("game", "loyal-captain"), opt("clock", typed)}},
		{"rules", []localdiscord.Option{opt("game", "loyal-captain"), opt("section", typed)}},
		{"me preferences", []localdiscord.Option{opt("zone", typed)}},
		{"leaderboard", []localdiscord.Option{opt("season", typed)}},
		{"me away", []localdiscord.Option{opt("until", typed)}},
		{"board", nil}, {"board", []localdiscord.Option{opt("text", true)}}, {"table hand", nil}, {"games", nil},
		{"profile", nil}, {"record export", nil}, {"record verify", nil},
	} {
		do(mover, c.command, c.options...)
	}
	choices(mover, "move", "move")
	choices(mover, "board", "table")
	// A table gets a thread named after the user who opens it.
	do(a, "play", opt("game", "loyal-captain"))
	for _, c := range r.Server.Channels(localdiscord.Tortuga, a) {
		if c.Thread {
			plain = append(plain, saying{"a thread", c.Name})
		}
	}

	other := bottest.Other([]string{a, b}, mover)
	do(mover, "table draw")
	turn = note("an offer", r.NextSaying(channel, turn.ID, "offers a draw"))
	do(other, "table leave")
	turn = note("an offered seat", r.NextSaying(channel, turn.ID, "offers the seat"))
	do(other, "table leave")
	turn = note("a kept seat", r.NextSaying(channel, turn.ID, "keeps the seat"))
	do(localdiscord.Mary, "moderate remove", opt("who", other), opt("table", "1"))
	turn = note("a removal", r.NextSaying(channel, turn.ID, "was removed from the table"))
	do(localdiscord.Bart, "table join")
	turn = note("a new player", r.NextSaying(channel, turn.ID, "takes over the free seat"))
	sure := do(mover, "table resign", opt("table", "1"))
	r.Click(mover, sure, "Yes, resign")
	note("the end", r.Next(channel, turn.ID, func(m *localdiscord.Message) bool {
		_,
			ok := m.Button("Rematch")
		return ok
	}))

	for _, met := range []string{localdiscord.Jack, localdiscord.Grace} { // a rank requires two opponents
		r.Resigned(bottest.Tavern, g, mover, met)
	}
	table := opt("table", "1")
	for _, c := range []string{"board", "record replay", "record review", "record export", "record verify"} {
		m := do(mover, c, table)
		for _, f := range m.Files() {
			if data, ok := r.Server.Attachment(f.URL); ok && strings.HasSuffix(f.Name, ".txt") {
				for line := range strings.Lines(string(data)) {
					plain = append(plain, saying{"a record", strings.TrimSuffix(line, "\n")})
				}
			}
		}
	}
	for _, c := range []string{"record history", "record stats", "leaderboard", "profile"} {
		do(mover, c)
	}
	do(mover, "leaderboard", opt("season", "1"))
	choices(mover, "leaderboard", "season")
	choices(mover, "record replay", "table")
	do(localdiscord.Mary, "server season end")
	do(localdiscord.Mary, "server ratings void", opt("ended", "1"), opt("reason", typed))
	do(mover, "record history")
	return said, plain
}

// With hostile names and typed texts, every message of a voyage has the same structure as with harmless ones, so they
// add no markup. No text contains control characters, and several kinds of texts without markdown show a player's name.
func TestNamesAreNoMarkup(t *testing.T) {
	t.Parallel()
	want, wantPlain := voyage(t, "Alice", "Bob", "Carol")
	names := texttest.Hostile
	if testing.Short() {
		names = names[:3]
	}
	for n := 0; n < len(names); n += 3 {
		first, second, typed := names[n], names[(n+1)%len(names)], names[(n+2)%len(names)]
		t.Run(fmt.Sprintf("%q %q %q", first, second, typed), func(t *testing.T) {
			t.Parallel()
			got, plain := voyage(t, first, second, typed)
			if len(got) != len(want) {
				t.Fatalf("%d texts, want %d", len(got), len(want))
			}
			for i, s := range got {
				if read, want := texttest.Structure(s.text), texttest.Structure(want[i].text); !slices.Equal(read,
					want) {
					t.Errorf("%s: %q is read as %q, want %q", s.after, s.text, read, want)
				}
			}
			lines := func(said []saying) (n int) {
				for _, s := range said {
					if s.after == "a record" {
						n++
					}
				}
				return n
			}
			if got, want := lines(plain), lines(wantPlain); got != want {
				t.Errorf("the records have %d lines, want %d", got, want)
			}
			shown := map[string]bool{}
			for _, s := range append(slices.Clone(got), plain...) {
				for _, r := range s.text {
					if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Bidi_Control, r) {
						t.Errorf("%s: %+q has %+q in it", s.after, s.text, r)
					}
				}
			}
			for _, s := range plain {
				if strings.Contains(s.text, text.NewName(first).Plain()) || strings.Contains(s.text,
					text.NewName(second).Plain()) {
					shown[strings.Split(s.after, ",")[0]] = true
				}
			}
			for _, where := range []string{"the first turn", "an offered seat", "choices of /board", "a thread",
				"a record", "/leaderboard"} {
				if !shown[where] {
					t.Errorf("no name is shown plainly with %s", where)
				}
			}
		})
	}
}
