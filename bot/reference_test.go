package bot

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/games/catalog"
	"marque/games/text/locale"
)

var writeReference = flag.Bool("reference", false, "write the lists of commands, and the games in the players' guides")

// reference holds the texts of a page that lists the commands in one language.
type reference struct {
	file, title, intro, apps string
	command, what, options   string
}

var references = map[discordgo.Locale]reference{
	discordgo.EnglishUS: {
		file: "commands.md", title: "Every command",
		intro: "Type `/` on Discord to see the commands; `/help` explains them. 🛡️ marks commands for server" +
			" managers; those of `/moderate` are for moderators, too. ✉️ marks commands that also work in direct" +
			" messages with the bot. Options in **bold** are required; `table` is the number of a table, if it isn't" +
			" the one in this channel. [The player's guide](players.md) shows how a game goes.",
		apps:    "In the *Apps* menu of a member: %s. In that of a message with a board: %s.",
		command: "command", what: "what it does", options: "options",
	},
	discordgo.German: {
		file: "commands.de.md", title: "Alle Befehle",
		intro: "Tippe auf Discord `/`, um die Befehle zu sehen; `/help` erklärt sie. 🛡️ steht bei Befehlen für die" +
			" Serververwaltung; die von `/moderate` sind auch für Moderatoren. ✉️ steht bei Befehlen, die auch in" +
			" Direktnachrichten mit dem Bot gehen. **Fette** Optionen sind Pflicht; `table` ist die Nummer eines" +
			" Tisches, wenn es nicht der in diesem Kanal ist. Wie eine Partie läuft, zeigt [die Anleitung für" +
			" Spieler](players.de.md).",
		apps:    "Im Menü *Apps* eines Mitglieds: %s. In dem einer Nachricht mit einem Brett: %s.",
		command: "Befehl", what: "was er tut", options: "Optionen",
	},
}

// docs/commands.md and its German version list all registered commands. The flag -reference writes both files.
func TestTheReferenceNamesEveryCommand(t *testing.T) {
	commands, registry := furnished(t)
	for locale, words := range references {
		path := filepath.Join("..", "docs", words.file)
		page := words.page(commands, registry.Anywhere, locale)
		if *writeReference {
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || string(have) != page {
			t.Errorf("docs/%s is not what is registered (%v): go test ./bot -run TheReference -reference", words.file, err)
		}
	}
}

// The players' guides explain each game by its quick start. The flag -reference writes these rows.
func TestTheGuidesExplainEveryGame(t *testing.T) {
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	for language, file := range map[string]string{"en": "players.md", "de": "players.de.md"} {
		say := sentences.Speaker(nil, language).Plain()
		var rows strings.Builder
		for _, g := range catalog.Games {
			var start []string
			for _, m := range g.Info().Quick {
				start = append(start, say.Say(m))
			}
			fmt.Fprintf(&rows, "| **%s** | %s |\n", say.Say(g.Info().Name), strings.Join(start, " "))
		}
		path := filepath.Join("..", "docs", file)
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		table := regexp.MustCompile(`(?m)(?:^\| \*\*\D.*\n)+`).FindIndex(have)
		if table == nil {
			t.Errorf("docs/%s has no table of the games", file)
			continue
		}
		if *writeReference {
			have = slices.Concat(have[:table[0]], []byte(rows.String()), have[table[1]:])
			if err := os.WriteFile(path, have, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if string(have[table[0]:table[1]]) != rows.String() {
			t.Errorf("docs/%s does not have the quick starts: go test ./bot -run TheGuides -reference; want\n%s", file, &rows)
		}
	}
}

// page returns the page, with the description and the options of each command. anywhere reports whether a command can
// also be given in direct messages.
func (words reference) page(commands []*discordgo.ApplicationCommand, anywhere func(name string) bool,
	locale discordgo.Locale) string {
	var page strings.Builder
	fmt.Fprintf(&page, "# %s\n\n%s\n\n", words.title, words.intro)
	apps := map[discordgo.ApplicationCommandType][]string{}
	for _, c := range commands {
		apps[c.Type] = append(apps[c.Type], "*"+in(locale, c.Name, c.NameLocalizations)+"*")
	}
	fmt.Fprintf(&page, words.apps+"\n\n", strings.Join(apps[discordgo.UserApplicationCommand], ", "),
		strings.Join(apps[discordgo.MessageApplicationCommand], ", "))
	fmt.Fprintf(&page, "| %s | %s | %s |\n| --- | --- | --- |\n", words.command, words.what, words.options)
	for _, c := range commands {
		if c.Type != discordgo.ChatApplicationCommand {
			continue
		}
		var walk func(path, does string, options []*discordgo.ApplicationCommandOption)
		walk = func(path, does string, options []*discordgo.ApplicationCommandOption) {
			var list []string
			for _, o := range options {
				said := in(locale, o.Description, &o.DescriptionLocalizations)
				if o.Type <= discordgo.ApplicationCommandOptionSubCommandGroup {
					walk(path+" "+o.Name, said, o.Options)
					continue
				}
				name := "`" + o.Name + "`"
				if o.Required {
					name = "**" + name + "**"
				}
				if o.Name != "table" {
					name += ": " + said
				}
				list = append(list, name)
			}
			if len(options) == 0 || options[0].Type > discordgo.ApplicationCommandOptionSubCommandGroup {
				signs := ""
				if c.DefaultMemberPermissions != nil {
					signs += " 🛡️"
				}
				if anywhere(path) {
					signs += " ✉️"
				}
				fmt.Fprintf(&page, "| `/%s`%s | %s | %s |\n", path, signs, does, strings.Join(list, "<br>"))
			}
		}
		walk(c.Name, in(locale, c.Description, c.DescriptionLocalizations), c.Options)
	}
	return page.String()
}

// in returns the translation of a text for a locale, or the English text if there is none, escaped for a cell of a
// Markdown table.
func in(locale discordgo.Locale, english string, others *map[discordgo.Locale]string) string {
	if others != nil {
		if said, ok := (*others)[locale]; ok {
			english = said
		}
	}
	return strings.ReplaceAll(english, "|", "\\|")
}
