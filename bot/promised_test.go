package bot_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"marque/bot"
	"marque/bot/webhook"
	"marque/config"
)

var promise = flag.Bool("promise", false, "write testdata/promised.txt anew: before a release, for what it adds")

// names returns the public names: the commands with their options and choices, the actions of controls, the environment
// variables with their defaults, the metrics and labels that docs/operations.md names, and the webhook events.
func names(t *testing.T) []string {
	t.Helper()
	var list []string
	add := func(kind string, words ...string) { list = append(list, kind+" "+strings.Join(words, " ")) }
	var options func(path string, of []*discordgo.ApplicationCommandOption)
	options = func(path string, of []*discordgo.ApplicationCommandOption) {
		for _, o := range of {
			switch o.Type {
			case discordgo.ApplicationCommandOptionSubCommand, discordgo.ApplicationCommandOptionSubCommandGroup:
				add("command", path, o.Name)
				options(path+" "+o.Name, o.Options)
			default:
				add("option", path, o.Name)
				for _, c := range o.Choices {
					add("choice", path, o.Name, fmt.Sprint(c.Value))
				}
			}
		}
	}
	commands, actions := bot.Everything(t)
	for _, c := range commands {
		add("command", c.Name)
		options(c.Name, c.Options)
	}
	for _, a := range actions {
		add("control", string(a))
	}
	settings := reflect.TypeFor[config.Config]()
	for i := range settings.NumField() {
		if tag := settings.Field(i).Tag; tag.Get("env") != "" {
			add("variable", tag.Get("env")+strings.TrimSuffix("="+tag.Get("envDefault"), "="))
		}
	}
	for _, e := range []string{webhook.CalledToMove, webhook.CalledToAnswer, webhook.CalledToJoin, webhook.CalledToMeet,
		webhook.CalledToGoOn, webhook.CalledToRound, webhook.CalledToGame, webhook.CalledToTry} {
		add("event", e)
	}
	page, err := os.ReadFile(filepath.Join("..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("\\b(marque_[a-z_]+)(?:{([a-z_,]+)}`)?").FindAllStringSubmatch(string(page), -1) {
		add("metric", m[1])
		for label := range strings.SplitSeq(m[2], ",") {
			if label != "" {
				add("label", m[1], label)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// No public name in testdata/promised.txt changes or disappears (docs/stability.md).
func TestPromisedNamesStay(t *testing.T) {
	t.Parallel()
	path := filepath.Join("testdata", "promised.txt")
	have := names(t)
	if *promise {
		if err := os.WriteFile(path, []byte(strings.Join(have, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	promised, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(promised)) {
		if line = strings.TrimSpace(line); !slices.Contains(have, line) {
			t.Errorf("%q was promised and is not there any more", line)
		}
	}
}
