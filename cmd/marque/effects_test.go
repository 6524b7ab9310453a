package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// effects lists the bot's calls to Discord and other services. For each call it says what limits the number of calls
// that a user can cause, and the number of messages that a user can receive. All calls also go through rest.Budget,
// except webhooks, and answers to interactions, which Discord limits.
var effects = map[string]string{
	"EndpointInteractionResponse": "one for an interaction; interact.Router has 48 of a user under way",
	"EndpointWebhookMessage":      "the answer to an interaction, likewise",
	"EndpointWebhookToken":        "follow-ups of an interaction, likewise, or a board in the place of one by the bot",
	"EndpointChannelMessages": "news of tables and competitions, one for a commit; what is no move is bounded by user, " +
		"at each place and altogether (table.acts); people are pinged for an invitation or to take over once in ten minutes " +
		"on a server, for an offer or the end of a pause once in ten minutes at a table (publish.pings), for their turn " +
		"once; tables and invitations of a user are limited (table.Limits); roles are pinged once in Settings.SeekPause",
	"ChannelMessages":                   "a channel's latest, once for an answer to a challenge",
	"EndpointChannelMessage":            "edits and folds what was posted, the latest edit alone (rest.Budget)",
	"ChannelMessageDelete":              "deletes what was posted, once",
	"EndpointChannel":                   "a thread's archiving, once for a game that has ended",
	"ChannelEditComplex":                "names a thread, once for a table",
	"ChannelDelete":                     "takes back a thread in which no table could be opened",
	"MessageThreadStartComplex":         "one for a table; what a user opens is bounded (table.acts, table.Limits)",
	"UserChannelCreate":                 "the one channel with a user, for a message that is due: calls, bounded as in channels",
	"GuildMember":                       "whom a command names, a table full at most; of a pairing, once; of a page, once a minute",
	"Channel":                           "what access.Guard does not know, and whether a thread is there, once for a table",
	"ThreadMember":                      "whether somebody is in a private thread, once for a command",
	"Guild":                             "what is not known of a server; access.Guard remembers",
	"GuildChannels":                     "for a panel of managers, and after a start",
	"GuildRoles":                        "for a panel of managers",
	"User":                              "who we are, once",
	"GuildMemberRoleAdd":                "the role of those who are called, for the user of a click alone",
	"GuildMemberRoleRemove":             "likewise",
	"Client":                            "files that a command names, from Discord alone; interact.Fetching has a lane for them",
	"UserAgent":                         "asks nothing",
	"EndpointDiscord":                   "asks nothing: where browsers are sent for a login",
	"EndpointAPI":                       "two for a login on the page; eight are under way, and none for a minute after 401 or 429",
	"EndpointUser":                      "likewise",
	"EndpointGateway":                   "a connection to the gateway; no interaction causes one",
	"EndpointGatewayBot":                "likewise",
	"EndpointOAuth2Application":         "likewise",
	"RequestWithBucketID":               "what its endpoint says",
	"RequestWithLockedBucket":           "likewise",
	"EndpointApplicationGlobalCommands": "the commands, when they have changed at the start",
}

// Every use of a Discord session or of Discord's endpoints in the bot's code is in effects, and every entry of effects
// is used.
func TestEveryEffectOutsideIsBounded(t *testing.T) {
	found := map[string]string{}
	err := filepath.WalkDir("../../bot", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "localdiscord" || d.Name() == "bottest"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			name := sel.Sel.Name
			if !sel.Sel.IsExported() || name == "Err" {
				return true
			}
			switch x := sel.X.(type) {
			case *ast.Ident:
				if x.Name == "discordgo" && strings.HasPrefix(name, "Endpoint") || x.Name == "session" {
					found[name] = path
				}
			case *ast.SelectorExpr:
				if strings.EqualFold(x.Sel.Name, "session") {
					found[name] = path
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if effects[name] == "" {
			t.Errorf("%s calls %s, and nobody has said what bounds it", found[name], name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(effects)) {
		if found[name] == "" {
			t.Errorf("nothing calls %s", name)
		}
	}
}
