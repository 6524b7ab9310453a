package settings

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/form"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games/text"
)

// inForm is the control that opens a form with the settings that most servers change.
const inForm = "form"

// What the form asks for.
const (
	askedChannels = "channels"
	askedClock    = "clock"
	askedThreads  = "threads"
	askedBoards   = "boards"
	askedRest     = "rest"
)

// ticked are the settings that are on or off: the sentence of each, the field that keeps it, and the field's
// value when the setting is off.
var ticked = []struct {
	value, says string
	is          func(*table.Settings) *bool
	off         bool
}{
	{"pings", "bot.settings.form-pings", func(c *table.Settings) *bool { return &c.Silent }, true},
	{"rated", "bot.settings.form-rated", func(c *table.Settings) *bool { return &c.Unrated }, true},
	{"hints", "bot.settings.form-hints", func(c *table.Settings) *bool { return &c.Hints }, false},
	{"study", "bot.settings.form-study", func(c *table.Settings) *bool { return &c.NoStudies }, true},
	{"resign", "bot.settings.form-resign", func(c *table.Settings) *bool { return &c.Resign }, false},
	{"rivals", "bot.settings.form-rivals", func(c *table.Settings) *bool { return &c.Without.Rivals }, true},
	{"badges", "bot.settings.form-badges", func(c *table.Settings) *bool { return &c.Without.Badges }, true},
	{"predictions", "bot.settings.form-predictions",
		func(c *table.Settings) *bool { return &c.Without.Predictions }, true},
	{"year", "bot.settings.form-year", func(c *table.Settings) *bool { return &c.Without.Year }, true},
}

// askAll opens the form, which shows the present settings.
func (rm *Room) askAll(r *interact.Request) interact.Reply {
	c, s := r.Settings, r.Say.Plain()
	say := func(id string) string { return s.Say(text.M(id)) }
	none, optional := 0, false
	channels := discordgo.SelectMenu{
		MenuType: discordgo.ChannelSelectMenu, CustomID: askedChannels, MinValues: &none, MaxValues: maxChannels,
		Required:    &optional,
		Placeholder: say("bot.panel.all"), ChannelTypes: []discordgo.ChannelType{discordgo.ChannelTypeGuildText},
	}
	for _, id := range c.Channels {
		channels.DefaultValues = append(channels.DefaultValues,
			discordgo.SelectMenuDefaultValue{ID: id, Type: discordgo.SelectMenuDefaultValueChannel})
	}
	// Phones may not show which option is chosen, so the help says it.
	one := func(title, customID, now string, values ...string) discordgo.MessageComponent {
		group, help := form.RadioGroup{CustomID: customID}, ""
		for _, v := range values {
			label := text.M("bot.settings." + customID + "-" + v)
			if v == now {
				help = s.Say(text.M("bot.form.now", "Chosen", label))
			}
			group.Options = append(group.Options, show.Tick(s.Say(label), v, v == now))
		}
		return show.Asked(say(title), help, group)
	}
	rest := form.CheckboxGroup{CustomID: askedRest}
	for _, t := range ticked {
		rest.Options = append(rest.Options, show.Tick(say(t.says), t.value, *t.is(&c) != t.off))
	}
	return interact.Reply{Modal: show.Form(show.CustomID{Action: actionSettings, Arg: inForm + "-set"},
		say("bot.settings.form-title"),
		show.Asked(say("bot.settings.channels"), say("bot.settings.form-channels"), channels),
		show.Asked(say("bot.settings.clock"), "", discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: askedClock, Options: show.ClockOptions(c.Clock, s),
		}),
		one("bot.settings.form-threads", askedThreads, cmp.Or(string(c.Threads), "always"), "always", "busy", "never"),
		one("bot.settings.form-boards", askedBoards, cmp.Or(string(c.Boards), "fold"), "fold", "keep", "replace"),
		show.Asked(say("bot.settings.form-rest"), "", rest),
	)}
}

// filled takes the form in; what is not in it stays as it is.
func filled(f form.Submission, c *table.Settings) {
	if f.Has(askedChannels) {
		c.Channels = slices.Clone(f.Values(askedChannels)[:min(len(f.Values(askedChannels)), maxChannels)])
	}
	setClock(c, f.Value(askedClock))
	if v := f.Value(askedThreads); v != "" {
		c.Threads = choices.Threads(strings.TrimPrefix(v, "always"))
	}
	if v := f.Value(askedBoards); v != "" {
		c.Boards = choices.Boards(strings.TrimPrefix(v, "fold"))
	}
	if f.Has(askedRest) {
		tick(c, f.Values(askedRest))
	}
}

// tick sets the settings of ticked: those in on are on, all others off.
func tick(c *table.Settings, on []string) {
	for _, t := range ticked {
		*t.is(c) = slices.Contains(on, t.value) != t.off
	}
}

// setClock takes the chosen clock; the rule for players that run out of time stays.
func setClock(c *table.Settings, chosen string) {
	if rule, ok := show.ParseClock(chosen); ok {
		rule.Late = c.Clock.Late
		c.Clock = rule
	}
}
