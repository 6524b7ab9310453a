package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marque/bot/bottest"
	"marque/bot/choices"
	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/text"
	"marque/games/text/locale"
)

// docs/organisers.md and /help list the same holders for each power as the table of powers. The German /help has all
// powers, too.
func TestPowersAreDocumented(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	file, err := os.ReadFile(filepath.Join(bottest.ProjectFolder(t), "docs", "organisers.md"))
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say, german := sentences.Speaker(nil, "en"), sentences.Speaker(nil, "de")
	page := func(user string, say *locale.Speaker) string {
		topic := say.Say(text.M("bot.help.topic.server"))
		return r.Click(user, r.Command(user, bottest.Tavern, "help"), topic).Text()
	}
	r.Must(r.Server.Admin.SetLocale(localdiscord.Grace, "de"))
	help, hilfe := page(localdiscord.Bart, say), page(localdiscord.Grace, german)
	what := map[string][]string{}
	for _, p := range table.Powers() {
		who := say.Say(p.May.Sentence())
		what[who] = append(what[who], say.Say(p.Sentence()))
		if said := german.Say(p.Sentence()); !strings.Contains(hilfe, said) {
			t.Errorf("/help does not say %s; it says %s", said, hilfe)
		}
	}
	for who, acts := range what {
		row, line := "| "+who+" | "+strings.Join(acts, "; ")+" |\n", "- **"+who+"**: "+strings.Join(acts, "; ")
		if !strings.Contains(string(file), row) {
			t.Errorf("docs/organisers.md does not say %s", row)
		}
		if !strings.Contains(help, line) {
			t.Errorf("/help does not say %s; it says %s", line, help)
		}
	}
	_, rows, _ := strings.Cut(string(file), "| who | may |\n| --- | --- |\n")
	if rows, _, _ = strings.Cut(rows, "\n\n"); strings.Count(rows+"\n", "\n") != len(what) {
		t.Errorf("docs/organisers.md has other rows, too:\n%s", rows)
	}
}

// A user with the moderators' role moderates tables, and opens them also outside the chosen channels, but cannot give
// managers' commands. A user without that role cannot moderate, and opens tables only in the chosen channels.
func TestTheModeratorsRole(t *testing.T) {
	t.Parallel()
	r := bottest.New(t)
	opt := localdiscord.Opt
	role, err := r.Server.Admin.AddRole(localdiscord.Tortuga, "Wardens", 0)
	if err != nil {
		t.Fatal(err)
	}
	change := func(c *choices.Settings) { c.ModeratorRole, c.Channels = role, []string{bottest.Tavern} }
	if _, err := r.Tables.Choices.ChangeSettings(r.Ctx, localdiscord.Tortuga, change); err != nil {
		t.Fatal(err)
	}
	if err := r.Server.Admin.SetRoles(localdiscord.Tortuga, localdiscord.Bart, role); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"server settings", "server season start", "server season end",
		"server ratings void", "server ratings restore", "server ratings least"} {
		r.ManagersAlone(localdiscord.Bart, bottest.Tavern, command)
	}
	play := func(user string) *localdiscord.Message {
		return r.Command(user, bottest.TablesChannel, "play", opt("game", bottest.LoyalCaptain), opt("players", 2))
	}
	r.WantText(play(localdiscord.Jack), "you can only open tables in <#"+bottest.Tavern+">.")
	r.WantText(play(localdiscord.Bart), "is open")
	if _, err := r.Server.Command(r.Ctx, localdiscord.Bart, bottest.TablesChannel, "moderate end"); err == nil {
		t.Error("/moderate is offered to a moderator before the server lets their role see it")
	}
	if err := r.Server.Admin.AllowCommands(localdiscord.Tortuga, role, "moderate"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Server.Command(r.Ctx, localdiscord.Jack, bottest.TablesChannel, "moderate end"); err == nil {
		t.Error("/moderate is offered to who has no role")
	}
	r.WantText(r.ForgeCommand(localdiscord.Jack, bottest.TablesChannel, "moderate end",
		bottest.TextOption("table", "1")),
		"Only moderators can do that")
	r.WantText(r.Command(localdiscord.Bart, bottest.TablesChannel, "moderate end", opt("table", "1")),
		"is closed, without a result")
}
