package interact_test

import (
	"slices"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
	"marque/games/catalog"
	"marque/games/text/locale"
)

// /help is one screen by what one wants to do, with buttons to the rest. No page comes near what Discord
// takes of a message, together they have every command once, and who may not moderate is told of no
// command that they are not offered.
func TestHelpIsAFewShortPages(t *testing.T) {
	t.Parallel()
	const most = 2500 // of Discord's 4,000 characters
	r := bottest.New(t)
	pages := func(user string) (front string, others []string) {
		m := r.Command(user, bottest.Tavern, "help")
		front = m.Text()
		var labels []string
		for _, c := range m.Interactive() {
			if !c.Disabled {
				labels = append(labels, c.Label)
			}
		}
		if want := []string{"Play", "My turn", "Look up", "Seats and tables", "Tournaments", "Leagues and ladders",
			"Me", "This server"}; !slices.Equal(labels, want) {
			t.Errorf("/help leads to %q, want %q", labels, want)
		}
		for _, l := range labels {
			m = r.Click(user, m, l)
			others = append(others, m.Text())
		}
		if back := r.Click(user, m, "Overview").Text(); back != front {
			t.Errorf("the way back leads to %s", back)
		}
		if n := len([]rune(front)); n > 900+100*len(catalog.Games) { // a line of it for each game
			t.Errorf("the first page is no single screen with %d characters: %s", n, front)
		}
		for _, p := range append([]string{front}, others...) {
			if n := len([]rune(p)); n > most || strings.Contains(p, "…") || strings.Contains(p, "[") {
				t.Errorf("a page has %d characters: %s", n, p)
			}
		}
		return front, others
	}
	front, others := pages(localdiscord.Mary)
	for _, c := range described(t) {
		said := "`/" + c + "`"
		if top := "`/" + strings.Fields(c)[0] + "`"; !strings.Contains(front, top) ||
			strings.Count(strings.Join(others, "\n"), "- "+said+": ") != 1 {
			t.Errorf("%s is not on one of the pages, or the first page does not name %s", said, top)
		}
	}
	front, others = pages(localdiscord.Bart)
	for _, p := range append(others, front) {
		if strings.Contains(p, "`/server") || strings.Contains(p, "`/moderate") {
			t.Errorf("who is not offered them is told of them: %s", p)
		}
	}
}

// described are the commands as they are typed, after the sentences that describe them.
func described(t *testing.T) []string {
	t.Helper()
	ids, err := locale.IDs()
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, id := range ids {
		name, isDescription := strings.CutSuffix(strings.TrimPrefix(id, "command."), ".description")
		family := func(other string) bool { return strings.HasPrefix(other, "command."+name+".") && other != id }
		if isDescription && strings.HasPrefix(id, "command.") && !strings.HasPrefix(name, "option.") &&
			!slices.ContainsFunc(ids, family) {
			commands = append(commands, strings.ReplaceAll(name, ".", " "))
		}
	}
	if len(commands) < 30 {
		t.Fatalf("only these commands are described: %q", commands)
	}
	return commands
}
