package settings

import (
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
)

// joining is the second page of the settings: what tables ask of those who join them.
const joining = "joining"

// askedShares are the shares of finished games on offer, in per cent.
var askedShares = []int{50, 80, 90, 95, 100}

// joined changes what a control of that page says, and reports whether it is one.
func joined(r *interact.Request, c *table.Settings) bool {
	one := ""
	if len(r.Values) > 0 {
		one = r.Values[0]
	}
	number, _ := strconv.Atoi(one) // 0 for anything
	switch r.Control.Arg {
	case joining:
	case joining + "-answers":
		if number == 0 || slices.Contains(table.AskedAnswers, number) {
			c.Asks.Answers = number
		}
	case joining + "-finishes":
		if number == 0 || slices.Contains(askedShares, number) {
			c.Asks.Finishes = number
		}
	case joining + "-role":
		c.Asks.Role = one
	case joining + "-near":
		c.Near = !c.Near
	case joining + "-lessons":
		c.Asks.Lessons = !c.Asks.Lessons
	default:
		return false
	}
	return true
}

// joiningPanel is the page.
func (rm *Room) joiningPanel(r *interact.Request, c table.Settings) *show.Message {
	p := &panel{r: r, action: actionSettings, sentences: rm.sentences}
	p.parts = append(p.parts, show.Paragraph("### "+p.say("bot.joining.title")+"\n"+p.say("bot.joining.help")))
	p.heading(p.say("bot.joining.answers"), p.say("bot.joining.answers-help"))
	answers := []discordgo.SelectMenuOption{option(p.say("bot.answers.any"), "any")}
	for _, h := range table.AskedAnswers {
		answers = append(answers, option(p.say("bot.answers."+strconv.Itoa(h)), strconv.Itoa(h)))
	}
	chosen := func(n int) func(string) bool {
		return func(v string) bool { m, _ := strconv.Atoi(v); return m == n }
	}
	p.menu(joining+"-answers", 1, chosen(c.Asks.Answers), answers...)
	p.heading(p.say("bot.joining.finishes"), p.say("bot.joining.finishes-help"))
	shares := []discordgo.SelectMenuOption{option(p.say("bot.answers.any"), "any")}
	for _, n := range askedShares {
		shares = append(shares, option(strconv.Itoa(n)+" %", strconv.Itoa(n)))
	}
	p.menu(joining+"-finishes", 1, chosen(c.Asks.Finishes), shares...)
	p.heading(p.say("bot.joining.role"), p.say("bot.joining.role-help"))
	p.entities(joining+"-role", "bot.panel.none", discordgo.RoleSelectMenu, discordgo.SelectMenuDefaultValueRole, 1, oneOf(c.Asks.Role))
	p.parts = append(p.parts, show.Rows(
		show.Button(discordgo.SecondaryButton, p.either(c.Near, "bot.joining.near-on", "bot.joining.near-off"), p.id(joining+"-near")),
		show.Button(discordgo.SecondaryButton, p.either(c.Asks.Lessons, "bot.joining.lessons-on", "bot.joining.lessons-off"), p.id(joining+"-lessons")),
		show.Button(discordgo.SecondaryButton, p.say("bot.joining.back"), p.id("back")),
	)...)
	return &show.Message{Components: p.parts, Ephemeral: true}
}
