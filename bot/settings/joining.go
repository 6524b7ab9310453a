package settings

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/access"
	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// joining is the second page of the settings: the conditions for joining tables, and where seeks are posted.
const joining = "joining"

// callPauses are the offered pauses, in hours, between two calls to the members with the seek role.
var callPauses = []int{1, 3, 6, 12, 24}

// joined makes the change that a control of that page asks for. It reports whether the control is of that page.
func joined(r *interact.Request, c *table.Settings) bool {
	one := ""
	if len(r.Values) > 0 {
		one = r.Values[0]
	}
	number, _ := strconv.Atoi(one) // 0 for no condition
	switch r.Control.Arg {
	case joining:
	case joining + "-answers":
		if number == 0 || slices.Contains(table.AskedAnswers, number) {
			c.Asks.Answers = number
		}
	case joining + "-finishes":
		if number == 0 || slices.Contains(table.AskedShares, number) {
			c.Asks.Finishes = number
		}
	case joining + "-role":
		c.Asks.Role = r.Demanded(one)
	case joining + "-channel":
		c.SeekChannel = one
	case joining + "-call":
		c.SeekRole = one
	case joining + "-pause":
		if slices.Contains(callPauses, number) {
			c.SeekPause = number
		}
	case joining + "-near":
		c.Near = !c.Near
	case joining + "-lessons":
		c.Asks.Lessons = !c.Asks.Lessons
	default:
		return false
	}
	return true
}

// calls reports whether members with the seek role hear of a seek, as far as Discord says; also where none is to.
func (rm *Room) calls(ctx context.Context, r *interact.Request, c table.Settings) bool {
	if c.SeekRole == "" || c.SeekChannel == "" || c.Silent {
		return true
	}
	server, err := access.AskServer(ctx, rm.session, r.GuildID, r.AppID)
	if err != nil {
		return true
	}
	calls, err := server.Calls(ctx, rm.session, c.SeekRole, c.SeekChannel)
	return calls || err != nil
}

// joiningPanel is the page.
func (rm *Room) joiningPanel(ctx context.Context, r *interact.Request, c table.Settings) *show.Message {
	p := &panel{r: r, action: actionSettings, sentences: rm.sentences}
	p.parts = append(p.parts, show.Paragraph("### "+p.say("bot.joining.title")))
	chosen := func(n int) func(string) bool {
		return func(v string) bool { m, _ := strconv.Atoi(v); return m == n }
	}
	p.heading(p.say("bot.joining.channel"), p.say("bot.joining.channel-help"))
	p.entities(joining+"-channel", "bot.panel.none", discordgo.ChannelSelectMenu,
		discordgo.SelectMenuDefaultValueChannel, 1, oneOf(c.SeekChannel))
	p.heading(p.say("bot.joining.call"), p.say("bot.joining.call-help"))
	p.entities(joining+"-call", "bot.panel.none", discordgo.RoleSelectMenu, discordgo.SelectMenuDefaultValueRole, 1,
		oneOf(c.SeekRole))
	if !rm.calls(ctx, r, c) {
		p.parts = append(p.parts, show.Paragraph(r.Say.Say(text.M("bot.joining.call-silent",
			"Role", text.Role(c.SeekRole), "Channel", text.Channel(c.SeekChannel)))))
	}
	var pauses []discordgo.SelectMenuOption
	for _, h := range callPauses {
		pauses = append(pauses, option(r.Say.Say(text.M("bot.joining.pause", "Count", h)), strconv.Itoa(h)))
	}
	p.menu(joining+"-pause", 1, chosen(cmp.Or(c.SeekPause, choices.DefaultSeekPause)), pauses...)
	p.parts = append(p.parts, show.Paragraph("### "+p.say("bot.joining.asks")+"\n"+p.say("bot.joining.help")))
	p.heading(p.say("bot.joining.answers"), p.say("bot.joining.answers-help"))
	answers := []discordgo.SelectMenuOption{option(p.say("bot.answers.any"), "any")}
	for _, h := range table.AskedAnswers {
		answers = append(answers, option(p.say("bot.answers."+strconv.Itoa(h)), strconv.Itoa(h)))
	}
	p.menu(joining+"-answers", 1, chosen(c.Asks.Answers), answers...)
	p.heading(p.say("bot.joining.finishes"), p.say("bot.joining.finishes-help"))
	shares := []discordgo.SelectMenuOption{option(p.say("bot.answers.any"), "any")}
	for _, n := range table.AskedShares {
		shares = append(shares, option(r.Say.Say(text.M("bot.seek.share", "Least", n)), strconv.Itoa(n)))
	}
	p.menu(joining+"-finishes", 1, chosen(c.Asks.Finishes), shares...)
	p.heading(p.say("bot.joining.role"), p.say("bot.joining.role-help"))
	p.entities(joining+"-role", "bot.panel.none", discordgo.RoleSelectMenu, discordgo.SelectMenuDefaultValueRole, 1,
		oneOf(c.Asks.Role))
	p.parts = append(p.parts, show.Rows(
		show.Button(discordgo.SecondaryButton, p.either(c.Near, "bot.joining.near-on", "bot.joining.near-off"),
			p.id(joining+"-near")),
		show.Button(discordgo.SecondaryButton, p.either(c.Asks.Lessons, "bot.joining.lessons-on",
			"bot.joining.lessons-off"), p.id(joining+"-lessons")),
		show.Button(discordgo.SecondaryButton, p.say("bot.joining.back"), p.id("back")),
	)...)
	return &show.Message{Components: p.parts, Ephemeral: true}
}
