package interact_test

import (
	"regexp"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/localdiscord"
)

// Commands in /help, except in its overview, are clickable: each has its id from Discord, even if it was registered
// before this start. Members do not see the commands of moderators and managers.
func TestCommandsInHelpCanBeClicked(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	link := regexp.MustCompile(`</([\w -]+):(\d+)>`)
	linked := func(user string) map[string]string {
		t.Helper()
		ids := map[string]string{}
		page := r.Command(user, bottest.Tavern, "help")
		for _, b := range page.Interactive() {
			shown := page
			if !b.Disabled {
				shown = r.Click(user, page, b.Label)
			}
			for _, l := range link.FindAllStringSubmatch(shown.Text(), -1) {
				ids[l[1]] = l[2]
			}
			if more := strings.Count(shown.Text(), "`/"); b.Label != "Overview" && more > 0 {
				t.Errorf("%d commands of the page %s cannot be clicked: %s", more, b.Label, shown.Text())
			}
		}
		return ids
	}
	before := linked(localdiscord.Jack)
	for name := range before {
		if strings.HasPrefix(name, "moderate") || strings.HasPrefix(name, "server") {
			t.Errorf("a member sees /%s", name)
		}
	}
	t.Logf("a member sees %d commands as links", len(before))
	r.Stop()
	r.Start()
	after := linked(localdiscord.Jack)
	for name, id := range before {
		if after[name] != id || before["table join"] == "" {
			t.Errorf("/%s was %s and is %s after the bot came back", name, id, after[name])
		}
	}
	if manager := linked(localdiscord.Anne); manager["moderate pause"] == "" || manager["server settings"] == "" {
		t.Errorf("a manager sees %v", manager)
	}
}

// /rules without a game asks for one.
func TestRulesAskWhichGame(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	asked := r.Command(localdiscord.Anne, bottest.Tavern, "rules")
	shown := r.Click(localdiscord.Anne, asked, "Loyal Captain")
	r.WantText(shown, "Loyal Captain")
}
