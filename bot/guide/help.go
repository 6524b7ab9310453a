package guide

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
	"marque/games/text/locale"

	"github.com/bwmarrin/discordgo"
)

// topic is something that people want to do, with the commands for it. Its sentences are
// "bot.help.topic.KEY" and "bot.help.about.KEY".
type topic struct {
	key      string // stands in custom_ids
	commands []string
}

// topics are the pages of /help. Every command is on one of them.
var topics = []topic{
	{"play", []string{"play", "seek", "seat join", "seat invite", "seat computer", "table start", "learn", "puzzle", "rules"}},
	{"turn", []string{"move", "hand", "hint", "undo", "table plan", "draw", "resign"}},
	{"look", []string{
		"games", "board", "leaderboard", "profile", "record replay", "record review", "record report", "record study",
		"record import", "record history", "record stats", "record export",
		"record verify", "help",
	}},
	{"seats", []string{"seat leave", "seat offer", "seat take", "table host", "table here", "table abandon"}},
	{"compete", []string{
		"tournament show", "tournament enter", "tournament leave", "tournament standings", "tournament crosstable",
		"tournament pairings", "tournament create", "tournament start", "tournament remove", "tournament substitute",
		"tournament here", "tournament cancel",
	}},
	{"leagues", []string{
		"league show", "league enter", "league leave", "league standings", "league crosstable", "league pairings",
		"league create", "league start", "league remove", "league substitute", "league here", "league cancel",
		"ladder show", "ladder enter", "ladder leave", "ladder challenge", "ladder accept", "ladder decline",
		"ladder standings", "ladder pairings", "ladder create", "ladder start", "ladder remove", "ladder substitute",
		"ladder here", "ladder cancel",
	}},
	{"me", []string{"me preferences", "me away", "me privacy"}},
	{topicServer, []string{
		"server panel", "server puzzle", "server settings", "server season start", "server season end",
		"server ratings void", "server ratings restore",
		"server ratings least", "moderate pause", "moderate resume", "moderate end", "moderate remove",
	}},
}

// menuTopics say which commands of a topic are in context menus.
var menuTopics = map[string]string{"play": "bot.help.menu-people", "look": "bot.help.menu-messages"}

// topicServer also says who may do what not everybody may.
const topicServer = "server"

// help answers /help: what the bot is, the games, and what one can do, by topics.
func (rm *Room) help(_ context.Context, r *interact.Request) (interact.Reply, error) {
	return interact.Reply{New: rm.helpMessage(r, "")}, nil
}

// helpPage answers the buttons under it.
func (rm *Room) helpPage(_ context.Context, r *interact.Request) (interact.Reply, error) {
	return interact.Reply{Update: rm.helpMessage(r, r.Control.Arg)}, nil
}

// helpMessage is a page of /help; the first, when there is no topic of that key.
func (rm *Room) helpMessage(r *interact.Request, key string) *show.Message {
	names := rm.offered(r)
	lines := rm.frontPage(r, names)
	if i := slices.IndexFunc(topics, func(t topic) bool { return t.key == key }); i >= 0 {
		lines = helpTopic(r, topics[i], names)
	} else {
		key = ""
	}
	button := func(label, arg string) discordgo.Button {
		b := show.Button(discordgo.SecondaryButton, r.Say.Say(text.M(label)),
			show.CustomID{Action: actionHelp, Arg: arg})
		b.Disabled = arg == key
		return b
	}
	buttons := []discordgo.Button{button("bot.help.front", "")}
	for _, t := range topics {
		if r.Where != interact.OnServer && !slices.ContainsFunc(t.commands, func(c string) bool {
			return names[c] != ""
		}) {
			continue
		}
		buttons = append(buttons, button("bot.help.topic."+t.key, t.key))
	}
	m := &show.Message{Components: []discordgo.MessageComponent{show.Container(show.Accent,
		show.Paragraph(strings.Join(lines, "\n")))}}
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return m
}

// frontPage has the games, and the commands and families by topic.
func (rm *Room) frontPage(r *interact.Request, names map[string]string) []string {
	intro := "bot.help.intro"
	if r.Where != interact.OnServer {
		intro = "bot.help.intro-direct"
	}
	lines := []string{r.Say.Say(text.M(intro))}
	for _, g := range rm.games {
		least, most := g.Seats()
		players := fmt.Sprint(least)
		if most > least {
			players = fmt.Sprintf("%d–%d", least, most)
		}
		lines = append(lines, r.Say.Say(text.M("bot.help.game", "Game", g.Info().Name, "Tagline", g.Info().Tagline,
			"Players", players)))
	}
	lines = append(lines, "### "+r.Say.Say(text.M("bot.help.what")))
	for _, t := range topics {
		var said []string
		for _, c := range t.commands {
			// A family is named once, and its commands on the topic's page.
			name, _, family := strings.Cut(names[c], " ")
			if family {
				name += "`"
			}
			if name != "" && !slices.Contains(said, name) {
				said = append(said, name)
			}
		}
		if len(said) > 0 {
			lines = append(lines, "- "+r.Say.Say(text.M("bot.bold", "What", text.M("bot.help.topic."+t.key)))+": "+
				strings.Join(said, " "))
		}
	}
	return lines
}

// helpTopic has a topic's commands with what they do.
func helpTopic(r *interact.Request, t topic, names map[string]string) []string {
	lines := []string{"## " + r.Say.Say(text.M("bot.help.topic."+t.key)), r.Say.Say(text.M("bot.help.about." + t.key))}
	for _, c := range t.commands {
		if name := names[c]; name != "" {
			lines = append(lines, "- "+name+": "+r.Say.Say(text.M("command."+strings.ReplaceAll(c,
				" ", ".")+".description")))
		}
	}
	if about := menuTopics[t.key]; about != "" {
		lines = append(lines, "- "+r.Say.Say(text.M(about)))
	}
	if t.key == topicServer {
		lines = append(lines, "### "+r.Say.Say(text.M("bot.help.powers")))
		lines = append(lines, powers(r.Say)...)
	}
	return lines
}

// offered are the commands that Discord offers the user, by their names, as one types them: “`/seat
// join`”. What is hidden from everybody but moderators is for them alone.
func (rm *Room) offered(r *interact.Request) map[string]string {
	names := map[string]string{}
	var walk func(path string, options []*discordgo.ApplicationCommandOption)
	walk = func(path string, options []*discordgo.ApplicationCommandOption) {
		if len(options) == 0 || options[0].Type > discordgo.ApplicationCommandOptionSubCommandGroup {
			if rm.offers(path, r.Where) {
				names[path] = "`/" + path + "`"
			}
			return
		}
		for _, o := range options {
			walk(path+" "+o.Name, o.Options)
		}
	}
	for _, c := range rm.commands() {
		if c.Type != discordgo.ChatApplicationCommand || c.DefaultMemberPermissions != nil && !r.User.Moderator {
			continue
		}
		walk(c.Name, c.Options)
	}
	return names
}

// powers are lines that say who may do what not everybody may.
func powers(say *locale.Speaker) []string {
	var lines []string
	all := table.Powers()
	for len(all) > 0 {
		var acts []string
		may := all[0].May
		for len(all) > 0 && all[0].May == may {
			acts = append(acts, say.Say(all[0].Sentence()))
			all = all[1:]
		}
		what := text.Raw(strings.Join(acts, "; "))
		lines = append(lines, say.Say(text.M("bot.help.power", "Who", may.Sentence(), "What", what)))
	}
	return lines
}
