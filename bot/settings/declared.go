package settings

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/games/text"
)

// Pages of the settings. They are keys of "bot.settings.page.KEY", and are part of the custom_ids that open them.
const (
	pagePeople = "people"
	pageTables = "tables"
	pageDays   = "days"
	pageSeeks  = "seeks"
	pageAsks   = "asks"
)

var pages = []string{pagePeople, pageTables, pageDays, pageSeeks, pageAsks}

// setting describes a setting that managers change on a page.
type setting struct {
	arg, page string // arg of its control's custom_id, and its page
	heading   string // id of the sentence above the control; with "-help" added, of the sentence about the choice
	show      func(*panel, choices.Settings)
	set       func(chosen, *choices.Settings)

	// A setting that is a role or channel has role or channel instead of show and set.
	role, channel func(*choices.Settings) *string
	none          string // id of the sentence in the menu if nothing is chosen
	names         bool   // whether users see the role's name, so that it must not be @everyone
}

// chosen is a manager's choice in a control.
type chosen struct {
	r      *interact.Request
	now    time.Time
	values []string
	one    string // first chosen value
	number int    // first chosen value as a number; 0 if it is not a number
}

// settings lists the settings that have a control on a page, in the order of the pages.
var settings = []setting{
	{arg: "channels", page: pagePeople, heading: "bot.settings.channels",
		show: func(p *panel, c choices.Settings) {
			p.entities("channels", "bot.panel.all", discordgo.ChannelSelectMenu,
				discordgo.SelectMenuDefaultValueChannel, maxChannels, c.Channels)
		},
		set: func(ch chosen, c *choices.Settings) {
			c.Channels = slices.Clone(ch.values[:min(len(ch.values), maxChannels)])
		}},
	{arg: "opener", page: pagePeople, heading: "bot.settings.roles", none: "bot.panel.all",
		role: func(c *choices.Settings) *string { return &c.OpenerRole }},
	{arg: "warden", page: pagePeople, heading: "bot.settings.warden", none: "bot.panel.none", names: true,
		role: func(c *choices.Settings) *string { return &c.ModeratorRole }},
	{arg: "log", page: pagePeople, heading: "bot.settings.log", none: "bot.panel.none",
		channel: func(c *choices.Settings) *string { return &c.LogChannel }},

	{arg: "threads", page: pageTables, heading: "bot.settings.threads",
		show: func(p *panel, c choices.Settings) {
			p.menu("threads", 1, func(v string) bool { return v == cmp.Or(string(c.Threads), "always") },
				p.options("bot.settings.threads-", "always", "busy", "never")...)
		},
		set: func(ch chosen, c *choices.Settings) {
			c.Threads = choices.Threads(strings.TrimPrefix(ch.one, "always"))
		}},
	{arg: "boards", page: pageTables, heading: "bot.settings.boards",
		show: func(p *panel, c choices.Settings) {
			p.menu("boards", 1, func(v string) bool { return v == cmp.Or(string(c.Boards), "fold") },
				p.options("bot.settings.boards-", "fold", "keep", "replace")...)
		},
		set: func(ch chosen, c *choices.Settings) {
			c.Boards = choices.Boards(strings.TrimPrefix(ch.one, "fold"))
		}},
	{arg: "clock", page: pageTables,
		show: func(p *panel, c choices.Settings) {
			p.heading(p.say("bot.settings.clock"), p.r.Say.Say(show.ClockText(c.Clock)))
			p.menu("clock", 1, func(v string) bool { return v == show.SpellClock(c.Clock) },
				show.ClockOptions(c.Clock, p.r.Say)...)
		},
		set: func(ch chosen, c *choices.Settings) {
			if rule, ok := show.ParseClock(ch.one); ok {
				rule.Late = c.Clock.Late
				c.Clock = rule
			}
		}},
	{arg: "late", page: pageTables, heading: "bot.settings.late",
		show: func(p *panel, c choices.Settings) {
			p.menu("late", 1, func(v string) bool { return show.LateOf(v) == c.Clock.Late },
				p.options("bot.late-option.", show.LateOptions...)...)
		},
		set: func(ch chosen, c *choices.Settings) { c.Clock.Late = show.LateOf(ch.one) }},

	{arg: "quiet", page: pageDays,
		show: func(p *panel, c choices.Settings) {
			p.heading(p.say("bot.settings.quiet"), p.r.Say.Say(text.M("bot.settings.quiet-help",
				"Zone", zoneName(c.QuietNow().Zone)))+"\n-# "+datesLine(p, c))
			p.menu("quiet", 6, func(v string) bool { d, _ := strconv.Atoi(v); return c.QuietNow().Days>>d&1 == 1 },
				p.options("bot.day.", "1", "2", "3", "4", "5", "6", "0")...)
			p.button(p.say("bot.settings.dates-button"), quietDates)
		},
		set: func(ch chosen, c *choices.Settings) {
			days := uint8(0)
			for _, v := range ch.values {
				if d, err := strconv.Atoi(v); err == nil && d >= 0 && d < 7 {
					days |= 1 << d
				}
			}
			c.SetQuiet(ch.now, days, c.QuietNow().Zone)
		}},
	{arg: "theme", page: pageDays, heading: "bot.settings.look",
		show: func(p *panel, c choices.Settings) { p.themes(c.Theme, "") },
		set:  func(ch chosen, c *choices.Settings) { c.Theme = ch.one }},
	{arg: "language", page: pageDays, heading: "bot.settings.language",
		show: func(p *panel, c choices.Settings) { p.languages(c.Language) },
		set:  func(ch chosen, c *choices.Settings) { c.Language = strings.TrimPrefix(ch.one, "auto") }},
	{arg: "rest", page: pageDays, heading: "bot.settings.rest",
		show: func(p *panel, c choices.Settings) {
			var options []discordgo.SelectMenuOption
			for _, t := range ticked {
				options = append(options, option(p.say(t.says), t.value))
			}
			p.menu("rest", len(ticked), func(v string) bool {
				return slices.ContainsFunc(ticked, func(t tick) bool { return t.value == v && *t.is(&c) != t.off })
			}, options...)
		},
		set: func(ch chosen, c *choices.Settings) {
			for _, t := range ticked {
				*t.is(c) = slices.Contains(ch.values, t.value) != t.off
			}
		}},

	{arg: "seek-channel", page: pageSeeks, heading: "bot.joining.channel", none: "bot.panel.none",
		channel: func(c *choices.Settings) *string { return &c.SeekChannel }},
	{arg: "seek-role", page: pageSeeks, heading: "bot.joining.call", none: "bot.panel.none", names: true,
		role: func(c *choices.Settings) *string { return &c.SeekRole }},
	number("seek-pause", pageSeeks, "bot.joining.pings", func(c *choices.Settings) *int { return &c.SeekPause },
		choices.DefaultSeekPause, []int{1, 3, 6, 12, 24}, func(h int) text.Message {
			return text.M("bot.joining.pause", "Count", h)
		}),

	number("answers", pageAsks, "bot.joining.answers", func(c *choices.Settings) *int { return &c.Asks.Answers },
		0, append([]int{0}, choices.AskedAnswers...), func(h int) text.Message {
			if h == 0 {
				return text.M("bot.answers.any")
			}
			return text.M("bot.answers." + strconv.Itoa(h))
		}),
	number("finishes", pageAsks, "bot.joining.finishes", func(c *choices.Settings) *int { return &c.Asks.Finishes },
		0, append([]int{0}, choices.AskedShares...), func(n int) text.Message {
			if n == 0 {
				return text.M("bot.answers.any")
			}
			return text.M("bot.seek.share", "Least", n)
		}),
	{arg: "ask-role", page: pageAsks, heading: "bot.joining.role", none: "bot.panel.none",
		role: func(c *choices.Settings) *string { return &c.Asks.Role }},
	{arg: "near", page: pageAsks,
		show: func(p *panel, c choices.Settings) {
			p.button(p.either(c.Near, "bot.joining.near-on", "bot.joining.near-off"), "near")
		},
		set: func(_ chosen, c *choices.Settings) { c.Near = !c.Near }},
	{arg: "lessons", page: pageAsks,
		show: func(p *panel, c choices.Settings) {
			p.button(p.either(c.Asks.Lessons, "bot.joining.lessons-on", "bot.joining.lessons-off"), "lessons")
		},
		set: func(_ chosen, c *choices.Settings) { c.Asks.Lessons = !c.Asks.Lessons }},
}

// number returns a setting that is one of a few numbers. Before a choice the stored value is 0, and the menu shows the
// value of otherwise.
func number(arg, page, heading string, of func(*choices.Settings) *int, otherwise int, offered []int,
	says func(int) text.Message) setting {
	return setting{arg: arg, page: page, heading: heading,
		show: func(p *panel, c choices.Settings) {
			var options []discordgo.SelectMenuOption
			for _, n := range offered {
				options = append(options, option(p.r.Say.Say(says(n)), strconv.Itoa(n)))
			}
			p.menu(arg, 1, func(v string) bool { return v == strconv.Itoa(cmp.Or(*of(&c), otherwise)) }, options...)
		},
		set: func(ch chosen, c *choices.Settings) {
			if slices.Contains(offered, ch.number) {
				*of(c) = ch.number
			}
		}}
}

// settingOf returns the setting of a control.
func settingOf(arg string) (setting, bool) {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.arg == arg })
	if i < 0 {
		return setting{}, false
	}
	return settings[i], true
}

// put stores a choice in the server's settings.
func (s setting) put(ch chosen, c *choices.Settings) {
	switch {
	case s.role != nil:
		*s.role(c) = ch.r.Demanded(ch.one)
	case s.channel != nil:
		*s.channel(c) = ch.one
	default:
		s.set(ch, c)
	}
}

// draw adds the setting's control to its page.
func (s setting) draw(p *panel, c choices.Settings) {
	if s.heading != "" {
		p.heading(p.say(s.heading), p.say(s.heading+"-help"))
	}
	switch {
	case s.role != nil:
		p.entities(s.arg, s.none, discordgo.RoleSelectMenu, discordgo.SelectMenuDefaultValueRole, 1,
			oneOf(*s.role(&c)))
	case s.channel != nil:
		p.entities(s.arg, s.none, discordgo.ChannelSelectMenu, discordgo.SelectMenuDefaultValueChannel, 1,
			oneOf(*s.channel(&c)))
	default:
		s.show(p, c)
	}
}

// tick is a setting that is on or off, with its sentence, its field, and the field's value when it is off. All ticks
// are in one menu.
type tick struct {
	value, says string
	is          func(*choices.Settings) *bool
	off         bool
}

var ticked = []tick{
	{"pings", "bot.settings.form-pings", func(c *choices.Settings) *bool { return &c.Silent }, true},
	{"rated", "bot.settings.form-rated", func(c *choices.Settings) *bool { return &c.Unrated }, true},
	{"hints", "bot.settings.form-hints", func(c *choices.Settings) *bool { return &c.Hints }, false},
	{"study", "bot.settings.form-study", func(c *choices.Settings) *bool { return &c.NoStudies }, true},
	{"resign", "bot.settings.form-resign", func(c *choices.Settings) *bool { return &c.Resign }, false},
	{"rivals", "bot.settings.form-rivals", func(c *choices.Settings) *bool { return &c.Without.Rivals }, true},
	{"badges", "bot.settings.form-badges", func(c *choices.Settings) *bool { return &c.Without.Badges }, true},
	{"predictions", "bot.settings.form-predictions",
		func(c *choices.Settings) *bool { return &c.Without.Predictions }, true},
	{"year", "bot.settings.form-year", func(c *choices.Settings) *bool { return &c.Without.Year }, true},
}

// limits lists the settings that are numbers and are changed by the options of /server settings.
var limits = []struct {
	option      string
	least, most float64
	of          func(*choices.Settings) *int
}{
	{"away-days", 0, maxDays, func(c *choices.Settings) *int { return &c.AwayDays }},
	{"idle-days", leastIdle, maxDays, func(c *choices.Settings) *int { return &c.IdleDays }},
	{"undo-seconds", 0, maxUndoTime, func(c *choices.Settings) *int { return &c.Undo }},
	{"thread-hours", 1, maxThreadHours, func(c *choices.Settings) *int { return &c.ThreadHours }},
	{"tables", 1, choices.MostTables, func(c *choices.Settings) *int { return &c.Tables }},
	{"tables-each", 1, choices.MostUserTables, func(c *choices.Settings) *int { return &c.UserTables }},
	{"lobbies-each", 1, choices.MostUserLobbies, func(c *choices.Settings) *int { return &c.UserLobbies }},
	{"invitations-each", 1, choices.MostUserInvitations, func(c *choices.Settings) *int { return &c.UserInvitations }},
}
