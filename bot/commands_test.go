package bot

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/web"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/text/locale"
	"marque/storage/storagetest"
)

// furnished returns the commands and the registry of a bot with all its rooms.
func furnished(t *testing.T) ([]*discordgo.ApplicationCommand, *interact.Registry) {
	t.Helper()
	store, err := storagetest.OpenFile(filepath.Join(t.TempDir(), "marque.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	b, err := New(Config{
		Token: "none", Store: store, Tables: table.Config{Computers: &computer.Pool{}},
		Games: catalog.Games, Sentences: sentences, Log: log, Page: &url.URL{Scheme: "https", Host: "play.example.org"},
		Activity: web.OnDiscord,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.registry.ApplicationCommands(sentences), b.registry
}

// No command exceeds Discord's limit of 8,000 characters. Its options and choices count, each text with its longest
// translation.
func TestCommandsFitInAllLanguages(t *testing.T) {
	const most = 8000 // Discord's documentation, topic "Application Commands"
	commands, _ := furnished(t)
	longest := 0
	add := func(said string, others map[discordgo.Locale]string) {
		n := utf8.RuneCountInString(said)
		for _, s := range others {
			n = max(n, utf8.RuneCountInString(s))
		}
		longest += n
	}
	var walk func(options []*discordgo.ApplicationCommandOption)
	walk = func(options []*discordgo.ApplicationCommandOption) {
		for _, o := range options {
			add(o.Name, o.NameLocalizations)
			add(o.Description, o.DescriptionLocalizations)
			for _, c := range o.Choices {
				add(c.Name, c.NameLocalizations)
				add(fmt.Sprint(c.Value), nil)
			}
			walk(o.Options)
		}
	}
	localizations := func(l *map[discordgo.Locale]string) map[discordgo.Locale]string {
		if l == nil {
			return nil
		}
		return *l
	}
	for _, c := range commands {
		longest = 0
		add(c.Name, localizations(c.NameLocalizations))
		add(c.Description, localizations(c.DescriptionLocalizations))
		walk(c.Options)
		if longest > most {
			t.Errorf("/%s has %d characters in the longest language of each text", c.Name, longest)
		}
		t.Logf("/%s: %d characters in the longest language of each text", c.Name, longest)
	}
}

// Every registered command, option and choice has a text that is short enough for Discord.
func TestEveryCommandIsDescribed(t *testing.T) {
	commands, _ := furnished(t)
	said := func(what, sentence string) {
		// A message without a text is shown as its id in brackets.
		if sentence == "" || strings.HasPrefix(sentence, "[") {
			t.Errorf("%s has no sentence: %q", what, sentence)
		}
		if strings.HasSuffix(sentence, "…") {
			t.Errorf("%s: %q is too long for Discord", what, sentence)
		}
	}
	var walk func(what string, options []*discordgo.ApplicationCommandOption)
	walk = func(what string, options []*discordgo.ApplicationCommandOption) {
		for _, o := range options {
			name := what + " " + o.Name
			said(name, o.Description)
			for _, other := range o.DescriptionLocalizations {
				said(name, other)
			}
			for _, c := range o.Choices {
				said(name+": "+c.Value.(string), c.Name)
			}
			walk(name, o.Options)
		}
	}
	if len(commands) == 0 {
		t.Fatal("there are no commands")
	}
	for _, c := range commands {
		if c.Type != discordgo.ChatApplicationCommand {
			said("the menu's "+c.Name, c.Name)
			continue
		}
		said("/"+c.Name, c.Description)
		walk("/"+c.Name, c.Options)
	}
}

// typed maps each command, as people type it, to its options.
func typed(commands []*discordgo.ApplicationCommand) map[string][]*discordgo.ApplicationCommandOption {
	all := map[string][]*discordgo.ApplicationCommandOption{}
	var walk func(path string, options []*discordgo.ApplicationCommandOption)
	walk = func(path string, options []*discordgo.ApplicationCommandOption) {
		if len(options) == 0 || options[0].Type > discordgo.ApplicationCommandOptionSubCommandGroup {
			all[path] = options
			return
		}
		for _, o := range options {
			walk(path+" "+o.Name, o.Options)
		}
	}
	for _, c := range commands {
		if c.Type == discordgo.ChatApplicationCommand {
			walk(c.Name, c.Options)
		}
	}
	return all
}

// mention matches a command in a text: all of it in quotes or backticks, otherwise only its first word.
var mention = regexp.MustCompile("“/[^”]*”|`/[a-z][^`]*`|(?:^|[\\s\"'(])/[a-z][a-z-]+")

// paths matches folders and HTTP paths, which look like commands.
var paths = regexp.MustCompile(`/(tmp|metrics|livez|readyz|debug|etc|var|usr|dev|data|marque|api|words|login)\b`)

// unknown returns "" if a command mentioned in a text can be typed with the mentioned options, such as "/me preferences
// zone". Otherwise it returns an error text. In backticks, a family of commands is also accepted without a subcommand.
func unknown(said string, commands map[string][]*discordgo.ApplicationCommandOption) string {
	words := strings.Fields(strings.Trim(said, "“”`/ \n\"'("))
	for n := len(words); n > 0; n-- {
		path := strings.Join(words[:n], " ")
		options, known := commands[path]
		if !known {
			continue
		}
		for _, w := range words[n:] {
			if !slices.ContainsFunc(options, func(o *discordgo.ApplicationCommandOption) bool {
				return o.Name == strings.TrimSuffix(w, ":")
			}) {
				return "/" + path + " has no option " + w
			}
		}
		return ""
	}
	for path := range commands {
		if len(words) == 1 && strings.HasPrefix(path, words[0]+" ") && strings.HasPrefix(said, "`") {
			return ""
		}
	}
	return "there is no such command"
}

// Every command that the catalogue or a document mentions can be typed, with its options.
func TestEveryCommandNamedExists(t *testing.T) {
	registered, _ := furnished(t)
	commands := typed(registered)
	for _, wrong := range []string{"“/settings”", "“/server”", "`/join`", "“/games closed”",
		"`/me preferences zone: theme:`", "/season", "“/server season”"} {
		if unknown(wrong, commands) == "" {
			t.Fatalf("%s is taken for a command", wrong)
		}
	}
	named := 0
	for _, pattern := range []string{"../games/text/locale/*.toml", "../README.md", "../docs/*.md",
		"../docs/rules/*.md", "../.env.example"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, said := range mention.FindAllString(string(text), -1) {
				if strings.HasSuffix(file, "howto.md") && strings.Contains(said, "anchor") || paths.MatchString(said) {
					continue // a path, or the document's example of a command that does not exist yet
				}
				named++
				if why := unknown(said, commands); why != "" {
					t.Errorf("%s names %s: %s", filepath.Base(file), strings.TrimSpace(said), why)
				}
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d commands were found in the texts", named)
	}
}

// By default, Discord offers /moderate and /server only to members who may manage the server, and every other command
// to everybody.
func TestWhoIsOfferedACommand(t *testing.T) {
	t.Parallel()
	commands, _ := furnished(t)
	managers := []string{"moderate", "server"}
	for _, c := range commands {
		hidden := c.DefaultMemberPermissions != nil && *c.DefaultMemberPermissions == discordgo.PermissionManageGuild
		if want := slices.Contains(managers, c.Name); hidden != want || !hidden && c.DefaultMemberPermissions != nil {
			t.Errorf("/%s wants the permissions %v; hidden: %v", c.Name, c.DefaultMemberPermissions, want)
		}
	}
}

// Every action that a room declares as a constant has a handler, and every action with a handler is such a constant. No
// two constants have the same value, and no control has a literal as its action.
func TestEveryControlIsAnswered(t *testing.T) {
	t.Parallel()
	_, registry := furnished(t)
	named := map[show.Action]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				name, _ := n.Type.(*ast.Ident) // package show itself declares buttons that several rooms show
				if typed, ok := n.Type.(*ast.SelectorExpr); ok {
					name = typed.Sel
				}
				if name != nil && name.Name == "Action" && len(n.Values) == 1 {
					value, _ := strconv.Unquote(n.Values[0].(*ast.BasicLit).Value)
					if before := named[show.Action(value)]; before != "" {
						t.Errorf("the action %q is named in %s and in %s", value, before, path)
					}
					named[show.Action(value)] = path
				}
			case *ast.KeyValueExpr:
				key, _ := n.Key.(*ast.Ident)
				if _, literal := n.Value.(*ast.BasicLit); literal && key != nil && key.Name == "Action" {
					t.Errorf("%s makes a control whose action is a literal", path)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	declared := registry.Actions()
	for a, path := range named {
		if !slices.Contains(declared, a) {
			t.Errorf("nobody answers controls with the action %q, which %s names", a, path)
		}
	}
	for _, a := range declared {
		if named[a] == "" {
			t.Errorf("the action %q is declared, but no room names it as one", a)
		}
	}
}

// quiet is a room with the given commands and no controls.
type quiet []interact.Command

func (q quiet) Commands() []interact.Command { return q }

// The registry refuses faulty declarations, such as a command without a route or a topic, and a command or an action
// that is declared twice.
func TestFaultyDeclarationsAreRefused(t *testing.T) {
	const look = interact.TopicLook
	answered := interact.Route{Handle: leaking{}.Commands()[3].Handle}
	one := interact.Command{Name: "tide", Topic: look, Route: answered, Actions: []interact.Action{{Name: "rise", Route: answered}}}
	for name, commands := range map[string]quiet{
		"no route":                  {{Name: "tide", Topic: look}},
		"twice":                     {one, {Name: "tide", Topic: look, Route: answered}},
		"an action twice":           {one, {Name: "ebb", Topic: look, Route: answered, Actions: one.Actions}},
		"an action without a route": {{Name: "ebb", Topic: look, Route: answered, Actions: []interact.Action{{Name: "fall"}}}},
		"a command and a family":    {{Name: "ebb", Topic: look, Route: answered}, {Name: "ebb low", Topic: look, Route: answered}},
		"a group and a command":     {{Name: "tide ebb low", Topic: look, Route: answered}, {Name: "tide ebb", Topic: look, Route: answered}},
		"a family for two": {{Name: "ebb low", Topic: look, Route: answered}, {Name: "ebb high", Topic: look,
			Route: answered, Access: interact.Managers}},
		"a subcommand twice":         {{Name: "ebb low", Topic: look, Route: answered}, {Name: "ebb low", Topic: look, Route: answered}},
		"a subcommand without route": {{Name: "ebb low", Topic: look}},
		"four words":                 {{Name: "tide ebb low water", Topic: look, Route: answered}},
		"no topic":                   {{Name: "ebb", Route: answered}},
		"another topic":              {{Name: "ebb", Topic: "sea", Route: answered}},
		"no name":                    {{Name: "", Topic: look, Route: answered}},
	} {
		if _, err := interact.NewRegistry(commands); err == nil {
			t.Errorf("%s: the registry takes %+v", name, commands)
		}
	}
	if _, err := interact.NewRegistry(quiet{one}); err != nil {
		t.Errorf("a sound command is refused: %v", err)
	}
}
