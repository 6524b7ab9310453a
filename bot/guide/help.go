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

// menuSentences has, for each kind of context menu, the sentence that explains where the menu is.
var menuSentences = map[discordgo.ApplicationCommandType]string{
	discordgo.UserApplicationCommand:    "bot.help.menu-people",
	discordgo.MessageApplicationCommand: "bot.help.menu-messages",
}

// help answers /help with the front page: a description of the bot, the games, and the commands by topic.
func (rm *Room) help(_ context.Context, r *interact.Request) (interact.Reply, error) {
	return interact.Reply{New: rm.helpMessage(r, "")}, nil
}

// helpPage answers the buttons below /help.
func (rm *Room) helpPage(_ context.Context, r *interact.Request) (interact.Reply, error) {
	return interact.Reply{Update: rm.helpMessage(r, r.Control.Arg)}, nil
}

// helpMessage returns the page of /help for a topic, or the front page if there is no such topic.
func (rm *Room) helpMessage(r *interact.Request, key string) *show.Message {
	lines := rm.frontPage(r)
	if t := interact.Topic(key); slices.Contains(interact.Topics(), t) {
		lines = helpTopic(r, t)
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
	for _, t := range interact.Topics() {
		if r.Where == interact.OnServer || len(r.Offered(t)) > 0 {
			buttons = append(buttons, button("bot.help.topic."+string(t), string(t)))
		}
	}
	m := &show.Message{Components: []discordgo.MessageComponent{show.Container(show.Accent,
		show.Paragraph(strings.Join(lines, "\n")))}}
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return m
}

// frontPage returns the lines of the front page: an introduction, the games, and the commands by topic.
func (rm *Room) frontPage(r *interact.Request) []string {
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
	for _, t := range interact.Topics() {
		var said []string
		for _, c := range r.Offered(t) {
			if c.Menu != 0 {
				continue
			}
			// Commands with the same first word are named once, by this word, because the page of the topic lists them.
			// The word alone is not a command.
			name := r.Link(c.Name)
			if first, _, family := strings.Cut(c.Name, " "); family {
				name = "`/" + first + "`"
			}
			if !slices.Contains(said, name) {
				said = append(said, name)
			}
		}
		if len(said) > 0 {
			lines = append(lines, "- "+r.Say.Say(text.M("bot.bold", "What", text.M("bot.help.topic."+string(t))))+": "+
				strings.Join(said, " "))
		}
	}
	return lines
}

// helpTopic returns the lines about a topic: what it is about, its commands and, for TopicServer, who may do what.
func helpTopic(r *interact.Request, t interact.Topic) []string {
	lines := []string{"## " + r.Say.Say(text.M("bot.help.topic."+string(t))),
		r.Say.Say(text.M("bot.help.about." + string(t)))}
	var menus []string
	for _, c := range r.Offered(t) {
		if c.Menu == 0 {
			about := text.M("command." + strings.ReplaceAll(c.Name, " ", ".") + ".description")
			lines = append(lines, "- "+r.Link(c.Name)+": "+r.Say.Say(about))
		} else if said := "- " + r.Say.Say(text.M(menuSentences[c.Menu])); !slices.Contains(menus, said) {
			menus = append(menus, said)
		}
	}
	lines = append(lines, menus...)
	if t == interact.TopicServer {
		lines = append(lines, "### "+r.Say.Say(text.M("bot.help.powers")))
		lines = append(lines, powers(r.Say)...)
	}
	return lines
}

// powers returns a line for each group of users, with the restricted actions that they may do.
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
		lines = append(lines, "- "+say.Say(text.M("bot.bold", "What", may.Sentence()))+": "+strings.Join(acts, "; "))
	}
	return lines
}
