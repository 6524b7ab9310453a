package settings

import (
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/show"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
)

// panel collects the components of a message with settings or preferences.
type panel struct {
	r      *interact.Request
	action show.Action
	parts  []discordgo.MessageComponent

	buttons   []discordgo.Button // shown below the menus
	now       time.Time
	sentences *locale.Catalogue
}

func (p *panel) id(arg string) show.CustomID { return show.CustomID{Action: p.action, Arg: arg} }

func (p *panel) say(id string) string { return p.r.Say.Say(text.M(id)) }

// heading adds a heading above the next control.
func (p *panel) heading(title, now string) {
	p.parts = append(p.parts, show.Paragraph("**"+title+"**: "+now))
}

// menu adds a menu. most is the maximum number of chosen values. If most is 1, one value must be chosen.
func (p *panel) menu(arg string, most int, chosen func(value string) bool, options ...discordgo.SelectMenuOption) {
	least := 1
	if most > 1 {
		least = 0
	}
	for i := range options {
		options[i].Default = chosen(options[i].Value)
		options[i].Label = show.Clip(options[i].Label, show.MaxOptionLabel)
	}
	p.parts = append(p.parts, discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: p.id(arg).String(), MinValues: &least,
		MaxValues: min(most, len(options)), Options: options, Placeholder: p.say("bot.panel.none"),
	}}})
}

// entities adds a menu of channels, roles or users. none is the id of the sentence in the menu if nothing is
// chosen.
func (p *panel) entities(arg, none string, kind discordgo.SelectMenuType, value discordgo.SelectMenuDefaultValueType,
	most int, chosen []string) {
	least := 0
	menu := discordgo.SelectMenu{MenuType: kind, CustomID: p.id(arg).String(), MinValues: &least, MaxValues: most,
		Placeholder: p.say(none)}
	if kind == discordgo.ChannelSelectMenu {
		menu.ChannelTypes = []discordgo.ChannelType{discordgo.ChannelTypeGuildText}
	}
	for _, id := range chosen {
		menu.DefaultValues = append(menu.DefaultValues, discordgo.SelectMenuDefaultValue{ID: id, Type: value})
	}
	p.parts = append(p.parts, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
}

// options returns menu options with these values. The id of each sentence is beginning followed by the value.
func (p *panel) options(beginning string, values ...string) (list []discordgo.SelectMenuOption) {
	for _, v := range values {
		list = append(list, option(p.say(beginning+v), v))
	}
	return list
}

func (p *panel) button(label, arg string) {
	p.buttons = append(p.buttons, show.Button(discordgo.SecondaryButton, label, p.id(arg)))
}

func option(label, value string) discordgo.SelectMenuOption {
	return discordgo.SelectMenuOption{Label: label, Value: value}
}

func (p *panel) either(yes bool, on, off string) string {
	if yes {
		return p.say(on)
	}
	return p.say(off)
}

// themes adds a menu for the theme of the boards. If auto is not "", it is the id of the sentence for an additional
// choice, which is the server's theme.
func (p *panel) themes(now, auto string) {
	var options []discordgo.SelectMenuOption
	if auto != "" {
		options = append(options, option(p.say(auto), "auto"))
	}
	for _, t := range render.Themes() {
		options = append(options, option(p.say("bot.theme."+t.String()), t.String()))
	}
	if auto == "" && now == "" {
		now = render.Dark.String()
	}
	p.menu("theme", 1, func(v string) bool { return strings.TrimPrefix(v, "auto") == now }, options...)
}

// languages adds a menu for a language if there are several.
func (p *panel) languages(now string) {
	tags := p.sentences.Languages()
	if len(tags) < 2 {
		return
	}
	options := []discordgo.SelectMenuOption{option(p.say("bot.panel.language-auto"), "auto")}
	for _, t := range tags[:min(len(tags), show.MaxOptions-1)] {
		options = append(options, option(p.sentences.Speaker(nil, t.String()).Say(text.M("bot.language")), t.String()))
	}
	p.menu("language", 1, func(v string) bool { return strings.TrimPrefix(v, "auto") == now }, options...)
}
