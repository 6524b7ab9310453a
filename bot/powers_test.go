package bot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marque/bot/localdiscord"
	"marque/bot/table"
	"marque/games/text/locale"
)

// docs/players.md and /help list who may do what as the table of powers has it.
func TestPowersAreDocumented(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	file, err := os.ReadFile(filepath.Join("..", "docs", "players.md"))
	if err != nil {
		t.Fatal(err)
	}
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	say := sentences.Speaker(nil, "en")
	help := r.click(localdiscord.Bart, r.command(localdiscord.Bart, tavern, "help"), "This server").Text()
	what := map[string][]string{}
	for _, p := range table.Powers() {
		who := say.Say(p.May.Sentence())
		what[who] = append(what[who], say.Say(p.Sentence()))
	}
	for who, acts := range what {
		row, line := "| "+who+" | "+strings.Join(acts, "; ")+" |\n", "- **"+who+"**: "+strings.Join(acts, "; ")
		if !strings.Contains(string(file), row) {
			t.Errorf("docs/players.md does not say %s", row)
		}
		if !strings.Contains(help, line) {
			t.Errorf("/help does not say %s; it says %s", line, help)
		}
	}
	_, rows, _ := strings.Cut(string(file), "| who | may |\n| --- | --- |\n")
	if rows, _, _ = strings.Cut(rows, "\n\n"); strings.Count(rows+"\n", "\n") != len(what) {
		t.Errorf("docs/players.md has other rows, too:\n%s", rows)
	}
}

// Who has the role that the settings name moderates tables and opens them everywhere, and is refused
// what is for managers alone; without the role they are refused both.
func TestTheModeratorsRole(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	opt := localdiscord.Opt
	role, err := r.srv.Admin.AddRole(localdiscord.Tortuga, "Wardens", 0)
	if err != nil {
		t.Fatal(err)
	}
	change := func(c *table.Settings) { c.ModeratorRole, c.Channels = role, []string{tavern} }
	if _, err := r.tables.Choices.ChangeSettings(r.ctx, localdiscord.Tortuga, change); err != nil {
		t.Fatal(err)
	}
	if err := r.srv.Admin.SetRoles(localdiscord.Tortuga, localdiscord.Bart, role); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"server settings", "server season start", "server season end",
		"server ratings void", "server ratings restore", "server ratings least"} {
		r.managersAlone(localdiscord.Bart, tavern, command)
	}
	play := func(user string) *localdiscord.Message {
		return r.command(user, tablesChannel, "play", opt("game", captain), opt("players", 2))
	}
	r.wantText(play(localdiscord.Jack), "tables are opened in <#"+tavern+">.")
	r.wantText(play(localdiscord.Bart), "is open")
	if _, err := r.srv.Command(r.ctx, localdiscord.Bart, tablesChannel, "moderate end"); err == nil {
		t.Error("/moderate is offered to a moderator before the server lets their role see it")
	}
	if err := r.srv.Admin.AllowCommands(localdiscord.Tortuga, role, "moderate"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.srv.Command(r.ctx, localdiscord.Jack, tablesChannel, "moderate end"); err == nil {
		t.Error("/moderate is offered to who has no role")
	}
	r.wantText(r.forgedCommand(localdiscord.Jack, tablesChannel, "moderate end", textOption("table", "1")),
		"Only moderators can do that")
	r.wantText(r.command(localdiscord.Bart, tablesChannel, "moderate end", opt("table", "1")),
		"is closed, without a result")
}
