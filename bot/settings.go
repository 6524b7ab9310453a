package bot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games/text"
	"marque/render"
)

// The panels of /settings and /preferences: ephemeral messages whose menus and buttons each change one thing at once.

// panel collects the controls of a panel.
type panel struct {
	b      *Bot
	r      *request
	action string
	parts  []discordgo.MessageComponent
}

func (p *panel) id(arg string) string { return customID{action: p.action, arg: arg}.String() }

func (p *panel) say(id string) string { return p.r.say.Say(text.M(id)) }

// heading says what the next control is for.
func (p *panel) heading(title, now string) {
	p.parts = append(p.parts, paragraph("**"+title+"**: "+now))
}

// menu lets one choose one of the values, or several when most is more than one.
func (p *panel) menu(arg string, most int, chosen func(value string) bool, options ...discordgo.SelectMenuOption) {
	least := 1
	if most > 1 {
		least = 0
	}
	for i := range options {
		options[i].Default = chosen(options[i].Value)
		options[i].Label = clip(options[i].Label, maxOptionLabel)
	}
	p.parts = append(p.parts, discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: p.id(arg), MinValues: &least, MaxValues: min(most, len(options)), Options: options, Placeholder: p.say("bot.panel.none"),
	}}})
}

// entities lets one choose channels or roles; none is the sentence for no choice.
func (p *panel) entities(arg, none string, kind discordgo.SelectMenuType, value discordgo.SelectMenuDefaultValueType, most int, chosen []string) {
	least := 0
	menu := discordgo.SelectMenu{MenuType: kind, CustomID: p.id(arg), MinValues: &least, MaxValues: most, Placeholder: p.say(none)}
	if kind == discordgo.ChannelSelectMenu {
		menu.ChannelTypes = []discordgo.ChannelType{discordgo.ChannelTypeGuildText}
	}
	for _, id := range chosen {
		menu.DefaultValues = append(menu.DefaultValues, discordgo.SelectMenuDefaultValue{ID: id, Type: value})
	}
	p.parts = append(p.parts, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
}

func option(label, value string) discordgo.SelectMenuOption {
	return discordgo.SelectMenuOption{Label: label, Value: value}
}

// maxChannels bounds the channels that can be chosen: Discord's limit of a menu.
const maxChannels = 25

// configure answers /settings: numbers and the time zone by options, everything else on the panel.
func (b *Bot) configure(ctx context.Context, r *request) (reply, error) {
	if !r.user.manage {
		return reply{}, playerError{text.M("table.error.moderators")}
	}
	zone := r.option("zone")
	if zone != "" {
		if _, err := time.LoadLocation(zone); err != nil {
			return reply{}, playerError{text.M("bot.error.zone", "Zone", zone)}
		}
	}
	settings, err := b.pruneSettings(ctx, r.GuildID)
	if err != nil {
		return reply{}, fmt.Errorf("looking at a server: %w", err)
	}
	away, setAway := r.number("away-days")
	idle, setIdle := r.number("idle-days")
	undo, setUndo := r.number("undo-seconds")
	if zone != "" || setAway || setIdle || setUndo {
		settings, err = b.tables.ChangeSettings(ctx, r.GuildID, func(c *table.Settings) {
			if zone != "" {
				c.SetQuiet(b.tables.Now(), c.QuietNow().Days, zone)
			}
			// In the settings 0 is what was never set.
			if setAway {
				c.AwayDays = orNever(away)
			}
			if setIdle {
				c.IdleDays = idle
			}
			if setUndo {
				c.Undo = orNever(undo)
			}
		})
		if err != nil {
			return reply{}, err
		}
	}
	return reply{new: b.settingsPanel(r, settings)}, nil
}

// orNever stores a chosen 0.
func orNever(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// configured answers a control of the panel.
func (b *Bot) configured(ctx context.Context, r *request) (reply, error) {
	if !r.user.manage {
		return reply{}, playerError{text.M("table.error.moderators")}
	}
	switch r.id.arg {
	case quietDates:
		return b.askDates(r), nil
	case quietDates + "-set":
		return b.setDates(ctx, r)
	}
	one := ""
	if len(r.values) > 0 {
		one = r.values[0]
	}
	settings, err := b.tables.ChangeSettings(ctx, r.GuildID, func(c *table.Settings) {
		switch r.id.arg {
		case "channels":
			c.Channels = slices.Clone(r.values[:min(len(r.values), maxChannels)])
		case "opener":
			c.Opener = one
		case "warden":
			c.Warden = one
		case "threads":
			c.Threads = table.Threads(strings.TrimPrefix(one, "busy"))
		case "clock":
			if rule, ok := parseClock(one); ok {
				rule.Late = c.Clock.Late
				c.Clock = rule
			}
		case "late":
			c.Clock.Late = lateOf(one)
		case "quiet":
			days := uint8(0)
			for _, v := range r.values {
				if d, err := strconv.Atoi(v); err == nil && d >= 0 && d < 7 {
					days |= 1 << d
				}
			}
			c.SetQuiet(b.tables.Now(), days, c.QuietNow().Zone)
		case "theme":
			c.Theme = one
		case "language":
			c.Language = strings.TrimPrefix(one, "auto")
		case "pings":
			c.Silent = !c.Silent
		case "rated":
			c.Unrated = !c.Unrated
		case "hints":
			c.Hints = !c.Hints
		case "resign":
			c.Resign = !c.Resign
		}
	})
	if err != nil {
		return reply{}, err
	}
	return reply{update: b.settingsPanel(r, settings)}, nil
}

func (b *Bot) settingsPanel(r *request, c table.Settings) *message {
	p := &panel{b: b, r: r, action: actionSettings}
	p.parts = append(p.parts, paragraph("### "+p.say("bot.settings.title")))
	p.heading(p.say("bot.settings.channels"), p.say("bot.settings.channels-help"))
	p.entities("channels", "bot.panel.all", discordgo.ChannelSelectMenu, discordgo.SelectMenuDefaultValueChannel, maxChannels, c.Channels)
	p.heading(p.say("bot.settings.roles"), p.say("bot.settings.roles-help"))
	p.entities("opener", "bot.panel.all", discordgo.RoleSelectMenu, discordgo.SelectMenuDefaultValueRole, 1, oneOf(c.Opener))
	p.entities("warden", "bot.panel.none", discordgo.RoleSelectMenu, discordgo.SelectMenuDefaultValueRole, 1, oneOf(c.Warden))
	p.menu("threads", 1, func(v string) bool { return strings.TrimPrefix(v, "busy") == string(c.Threads) },
		option(p.say("bot.settings.threads-busy"), "busy"), option(p.say("bot.settings.threads-always"), "always"), option(p.say("bot.settings.threads-never"), "never"))
	p.heading(p.say("bot.settings.clock"), r.say.Say(clockText(c.Clock)))
	var clocks []discordgo.SelectMenuOption
	for _, o := range offeredClocks {
		rule, _ := parseClock(o)
		clocks = append(clocks, option(r.say.Say(clockName(rule)), o))
	}
	p.menu("clock", 1, func(v string) bool { return v == spellClock(c.Clock) }, clocks...)
	var lates []discordgo.SelectMenuOption
	for _, o := range lateOptions {
		lates = append(lates, option(p.say("bot.late-option."+o), o))
	}
	p.menu("late", 1, func(v string) bool { return lateOf(v) == c.Clock.Late }, lates...)
	p.heading(p.say("bot.settings.quiet"), r.say.Say(text.M("bot.settings.quiet-help", "Zone", zoneName(c.QuietNow().Zone)))+"\n-# "+b.datesLine(r, c))
	var days []discordgo.SelectMenuOption
	for i := range 7 {
		d := (i + 1) % 7 // from Monday on
		days = append(days, option(p.say("bot.day."+strconv.Itoa(d)), strconv.Itoa(d)))
	}
	p.menu("quiet", 6, func(v string) bool { d, _ := strconv.Atoi(v); return c.QuietNow().Days>>d&1 == 1 }, days...)
	p.parts = append(p.parts, rows(button(discordgo.SecondaryButton, p.say("bot.settings.dates-button"), p.id(quietDates)))...)
	p.themes(c.Theme, "")
	p.languages(c.Language)
	p.parts = append(p.parts, rows(
		button(discordgo.SecondaryButton, p.either(!c.Silent, "bot.settings.pings-on", "bot.settings.pings-off"), p.id("pings")),
		button(discordgo.SecondaryButton, p.either(!c.Unrated, "bot.settings.rated-on", "bot.settings.rated-off"), p.id("rated")),
		button(discordgo.SecondaryButton, p.either(c.Hints, "bot.settings.hints-on", "bot.settings.hints-off"), p.id("hints")),
		button(discordgo.SecondaryButton, p.either(c.Resign, "bot.settings.resign-on", "bot.settings.resign-off"), p.id("resign")),
	)...)
	number := func(id, never string, n, otherwise int) text.Message {
		if n < 0 { // orNever
			return text.M(never)
		}
		return text.M(id, "Count", cmp.Or(n, otherwise))
	}
	p.parts = append(p.parts, paragraph("-# "+r.say.Say(text.M("bot.settings.numbers",
		"Away", number("bot.settings.away", "bot.settings.away-never", c.AwayDays, table.DefaultAwayDays),
		"Idle", text.M("bot.settings.idle", "Count", cmp.Or(c.IdleDays, table.DefaultIdleDays)),
		"Undo", number("bot.settings.undo", "bot.settings.undo-never", c.Undo, table.DefaultUndo)))))
	return &message{components: p.parts, ephemeral: true}
}

// zoneName is how a time zone is shown.
func zoneName(zone string) string {
	if zone == "" {
		return "UTC"
	}
	return zone
}

func oneOf(id string) []string {
	if id == "" {
		return nil
	}
	return []string{id}
}

func (p *panel) either(yes bool, on, off string) string {
	if yes {
		return p.say(on)
	}
	return p.say(off)
}

// themes lets one choose the theme of the boards; auto, when not "", is the choice to leave it to somebody else.
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

// languages lets one choose a language when there are several.
func (p *panel) languages(now string) {
	tags := p.b.say.Languages()
	if len(tags) < 2 {
		return
	}
	options := []discordgo.SelectMenuOption{option(p.say("bot.panel.language-auto"), "auto")}
	for _, t := range tags[:min(len(tags), maxOptions-1)] {
		options = append(options, option(p.b.say.Speaker(nil, t.String()).Say(text.M("bot.language")), t.String()))
	}
	p.menu("language", 1, func(v string) bool { return strings.TrimPrefix(v, "auto") == now }, options...)
}

// prefer answers /preferences.
func (b *Bot) prefer(ctx context.Context, r *request) (reply, error) {
	prefs := r.prefs
	if zone := r.option("zone"); zone != "" {
		if _, err := time.LoadLocation(zone); err != nil {
			return reply{}, playerError{text.M("bot.error.zone", "Zone", zone)}
		}
		var err error
		if prefs, err = b.tables.ChangePreferences(ctx, r.user.id, func(p *table.Preferences) error { p.Zone = zone; return nil }); err != nil {
			return reply{}, err
		}
	}
	return reply{new: b.preferencesPanel(r, prefs)}, nil
}

// preferred answers a control of that panel.
func (b *Bot) preferred(ctx context.Context, r *request) (reply, error) {
	one := ""
	if len(r.values) > 0 {
		one = r.values[0]
	}
	prefs, err := b.tables.ChangePreferences(ctx, r.user.id, func(p *table.Preferences) error {
		hour, err := strconv.Atoi(one)
		switch r.id.arg {
		case "remind":
			if err == nil && (hour == -1 || slices.Contains(remindHours, hour)) {
				p.Remind = hour
			}
		case "from", "to":
			if err != nil || hour < -1 || hour > 23 {
				break
			}
			i := 0
			if r.id.arg == "to" {
				i = 1
			}
			if hour < 0 {
				p.Night = [2]int{}
				break
			}
			if p.Night[0] == p.Night[1] { // none so far: begin with a usual night
				p.Night = [2]int{22 * 60, 8 * 60}
			}
			p.Night[i] = hour * 60
		case "theme":
			p.Theme = strings.TrimPrefix(one, "auto")
		case "language":
			p.Language = strings.TrimPrefix(one, "auto")
		}
		return nil
	})
	if err != nil {
		return reply{}, err
	}
	return reply{update: b.preferencesPanel(r, prefs)}, nil
}

// remindHours are the intervals of reminders on offer.
var remindHours = []int{3, 6, 12, 24, 48, 72, 168}

func (b *Bot) preferencesPanel(r *request, c table.Preferences) *message {
	p := &panel{b: b, r: r, action: actionPreferences}
	p.parts = append(p.parts, paragraph("### "+p.say("bot.preferences.title")))
	p.heading(p.say("bot.preferences.remind"), p.say("bot.preferences.remind-help"))
	remind := c.Remind
	if remind == 0 {
		remind = table.DefaultRemind
	}
	options := []discordgo.SelectMenuOption{option(p.say("bot.preferences.never"), "-1")}
	for _, h := range remindHours {
		after := durationText(time.Duration(h) * time.Hour)
		options = append(options, option(r.say.Say(text.M("bot.preferences.after", "Time", after)), strconv.Itoa(h)))
	}
	p.menu("remind", 1, func(v string) bool { return v == strconv.Itoa(remind) }, options...)
	p.heading(p.say("bot.preferences.night"), r.say.Say(text.M("bot.preferences.night-help", "Zone", zoneName(c.Zone))))
	for i, arg := range []string{"from", "to"} {
		hours := []discordgo.SelectMenuOption{option(p.say("bot.preferences.no-night"), "-1")}
		for h := range 24 {
			hours = append(hours, option(r.say.Say(text.M("bot.preferences.night."+arg, "Hour", fmt.Sprintf("%d:00", h))), strconv.Itoa(h)))
		}
		p.menu(arg, 1, func(v string) bool {
			h, _ := strconv.Atoi(v)
			if c.Night[0] == c.Night[1] {
				return h == -1
			}
			return h*60 == c.Night[i]
		}, hours...)
	}
	p.heading(p.say("bot.preferences.look"), p.say("bot.preferences.look-help"))
	p.themes(c.Theme, "bot.preferences.theme-auto")
	p.languages(c.Language)
	return &message{components: p.parts, ephemeral: true}
}

// completeZone offers time zones that many people live in; any other can be typed in full.
func (b *Bot) completeZone(_ context.Context, r *request) []*discordgo.ApplicationCommandOptionChoice {
	typed := strings.ToLower(strings.ReplaceAll(r.option("zone"), " ", "_"))
	names := zones
	if _, err := time.LoadLocation(r.option("zone")); err == nil && r.option("zone") != "" {
		names = append([]string{r.option("zone")}, names...)
	}
	var out []*discordgo.ApplicationCommandOptionChoice
	for i, z := range names {
		if strings.Contains(strings.ToLower(z), typed) && slices.Index(names, z) == i {
			out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: z, Value: z})
		}
	}
	return out
}

var zones = []string{
	"UTC", "Europe/London", "Europe/Berlin", "Europe/Paris", "Europe/Amsterdam", "Europe/Madrid", "Europe/Rome", "Europe/Vienna", "Europe/Zurich",
	"Europe/Stockholm", "Europe/Warsaw", "Europe/Athens", "Europe/Kyiv", "Europe/Istanbul", "Europe/Moscow", "Europe/Lisbon", "America/New_York",
	"America/Chicago", "America/Denver", "America/Los_Angeles", "America/Toronto", "America/Mexico_City", "America/Bogota", "America/Sao_Paulo",
	"America/Argentina/Buenos_Aires", "America/Anchorage", "Pacific/Honolulu", "Africa/Cairo", "Africa/Lagos", "Africa/Nairobi", "Africa/Johannesburg",
	"Asia/Jerusalem", "Asia/Dubai", "Asia/Tehran", "Asia/Karachi", "Asia/Kolkata", "Asia/Dhaka", "Asia/Bangkok", "Asia/Jakarta", "Asia/Shanghai",
	"Asia/Hong_Kong", "Asia/Singapore", "Asia/Manila", "Asia/Seoul", "Asia/Tokyo", "Australia/Perth", "Australia/Adelaide", "Australia/Brisbane",
	"Australia/Sydney", "Pacific/Auckland",
}

// timeCommands are the slash commands of games that take days.
func (b *Bot) timeCommands(c commandSet, tableOption func() *discordgo.ApplicationCommandOption) []*discordgo.ApplicationCommand {
	const (
		str     = discordgo.ApplicationCommandOptionString
		integer = discordgo.ApplicationCommandOptionInteger
		person  = discordgo.ApplicationCommandOptionUser
	)
	number := func(name string, most float64) *discordgo.ApplicationCommandOption {
		o, least := c.option(integer, name), 0.0
		o.MinValue, o.MaxValue = &least, most
		return o
	}
	sub := func(name string, options ...*discordgo.ApplicationCommandOption) *discordgo.ApplicationCommandOption {
		o := c.option(discordgo.ApplicationCommandOptionSubCommand, name)
		o.Options = options
		return o
	}
	idle, least := number("idle-days", 365), 4.0
	idle.MinValue = &least
	line := c.option(str, "line")
	line.MaxLength = maxTyped
	return []*discordgo.ApplicationCommand{
		c.command("undo", tableOption()),
		c.command("sub", tableOption()),
		c.command("away", c.option(str, "until")),
		c.command("privacy"),
		c.command("plan", line, tableOption()),
		c.command("preferences", completed(c.option(str, "zone"))),
		c.command("settings", completed(c.option(str, "zone")), number("away-days", 365), idle, number("undo-seconds", 86400)),
		c.command("moderate",
			sub("remove", required(c.option(person, "who")), tableOption()), sub("pause", tableOption()), sub("resume", tableOption()),
			sub("end", tableOption()), sub("host", required(c.option(person, "who")), tableOption()), sub("here", required(tableOption()))),
	}
}

// clockOptions are the options of /play for time.
func (b *Bot) clockOptions(c commandSet) []*discordgo.ApplicationCommandOption {
	late := c.option(discordgo.ApplicationCommandOptionString, "late")
	for _, o := range lateOptions {
		late.Choices = append(late.Choices, c.choice("bot.late-option."+o, o))
	}
	return []*discordgo.ApplicationCommandOption{completed(c.option(discordgo.ApplicationCommandOptionString, "clock")), late}
}

func (b *Bot) addTimeRoutes(commands, components map[string]route) {
	commands["undo"] = route{handle: b.undo, complete: b.completeTable}
	commands["sub"] = route{handle: b.sub, complete: b.completeTable}
	commands["away"] = route{handle: b.away}
	commands["privacy"] = route{handle: b.privacy}
	commands["plan"] = route{handle: b.plan, complete: b.completeTable}
	components[actionPlan] = route{handle: b.leavePlan, updates: true}
	components[actionDropPlans] = route{handle: b.dropPlans, updates: true}
	components[actionPrivacy] = route{handle: b.private}
	commands["preferences"] = route{handle: b.prefer, complete: b.completeZone}
	commands["settings"] = route{handle: b.configure, complete: b.completeZone}
	for _, sub := range []string{"remove", "pause", "resume", "end", "host", "here"} {
		commands["moderate "+sub] = route{handle: b.moderate, complete: b.completeTable}
	}
	components[actionSettings] = route{handle: b.configured, updates: true}
	components[actionPreferences] = route{handle: b.preferred, updates: true}
	components[actionUndo] = route{handle: b.undo}
	components[actionTake] = route{handle: b.take}
	components[actionRelieve] = route{handle: b.relieve}
	components[actionRematch] = route{handle: b.rematch}
}

// The actions of custom_ids for these.
const (
	actionSettings    = "settings"
	actionPreferences = "preferences"
	actionUndo        = "undo"
	actionTake        = "take"
	actionRelieve     = "relieve"
	actionRematch     = "rematch"
	actionPrivacy     = "privacy"
	actionPlan        = "plan"
	actionDropPlans   = "unplan"
)
