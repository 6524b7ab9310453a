package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/access"
	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/table/clock"
	"marque/games/text"
)

// maxChannels is how many channels can be chosen: Discord's limit for a menu.
const maxChannels = 25

// configure answers /server settings: numbers and the time zone by options, everything else on the panel.
func (rm *Room) configure(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	zone := r.Option("zone")
	if zone != "" {
		if _, known := clock.KnownZone(zone); !known {
			return interact.Reply{}, show.Refuse(text.M("bot.error.zone", "Zone", zone))
		}
	}
	settings, err := rm.Prune(ctx, r.GuildID)
	if err != nil {
		return interact.Reply{}, fmt.Errorf("looking at a server: %w", err)
	}
	away, setAway := r.Number("away-days")
	idle, setIdle := r.Number("idle-days")
	undo, setUndo := r.Number("undo-seconds")
	threadHours, setThreadHours := r.Number("thread-hours")
	tables, setTables := r.Number("tables")
	tablesEach, setTablesEach := r.Number("tables-each")
	lobbies, setLobbies := r.Number("lobbies-each")
	invitations, setInvitations := r.Number("invitations-each")
	if zone != "" || setAway || setIdle || setUndo || setThreadHours || setTables || setTablesEach || setLobbies ||
		setInvitations {
		settings, err = rm.tables.Choices.ChangeSettings(ctx, r.GuildID, func(c *table.Settings) {
			if zone != "" {
				c.SetQuiet(rm.tables.Lookup.Now(), c.QuietNow().Days, zone)
			}
			// In the settings 0 means never set, so a chosen 0 is stored as another number.
			if setAway {
				c.AwayDays = orNever(away)
			}
			if setIdle {
				c.IdleDays = idle
			}
			if setUndo {
				c.Undo = orNever(undo)
			}
			if setThreadHours {
				c.ThreadHours = threadHours
			}
			if setTables {
				c.Tables = tables
			}
			if setTablesEach {
				c.UserTables = tablesEach
			}
			if setLobbies {
				c.UserLobbies = lobbies
			}
			if setInvitations {
				c.UserInvitations = invitations
			}
		})
		if err != nil {
			return interact.Reply{}, err
		}
	}
	return interact.Reply{New: rm.settingsPanel(r, settings)}, nil
}

// orNever is the number that the settings store for a chosen n: another one for 0, which means never set there.
func orNever(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// configured answers a control of the panel.
func (rm *Room) configured(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	switch r.Control.Arg {
	case quietDates:
		return rm.askDates(r), nil
	case quietDates + "-set":
		return rm.setDates(ctx, r)
	case inForm:
		return rm.askAll(r), nil
	}
	if err := rm.check(ctx, r); err != nil {
		return interact.Reply{}, err
	}
	one := ""
	if len(r.Values) > 0 {
		one = r.Values[0]
	}
	second := false
	settings, err := rm.tables.Choices.ChangeSettings(ctx, r.GuildID, func(c *table.Settings) {
		if second = joined(r, c); second {
			return
		}
		switch r.Control.Arg {
		case "channels":
			c.Channels = slices.Clone(r.Values[:min(len(r.Values), maxChannels)])
		case "opener":
			c.OpenerRole = r.Demanded(one)
		case "warden":
			c.ModeratorRole = one
		case "log":
			c.LogChannel = one
		case "threads":
			c.Threads = choices.Threads(strings.TrimPrefix(one, "always"))
		case "boards":
			c.Boards = choices.Boards(strings.TrimPrefix(one, "fold"))
		case "clock":
			setClock(c, one)
		case inForm + "-set":
			filled(r.Form, c)
		case "late":
			c.Clock.Late = show.LateOf(one)
		case "quiet":
			days := uint8(0)
			for _, v := range r.Values {
				if d, err := strconv.Atoi(v); err == nil && d >= 0 && d < 7 {
					days |= 1 << d
				}
			}
			c.SetQuiet(rm.tables.Lookup.Now(), days, c.QuietNow().Zone)
		case "theme":
			c.Theme = one
		case "language":
			c.Language = strings.TrimPrefix(one, "auto")
		case askedRest:
			tick(c, r.Values)
		}
	})
	if err != nil {
		return interact.Reply{}, err
	}
	if second {
		if r.Control.Arg == joining+"-channel" {
			if err := rm.matchmaking.Show(ctx, r.GuildID, settings.SeekChannel); err != nil {
				return interact.Reply{}, err
			}
		}
		return interact.Reply{Update: rm.joiningPanel(ctx, r, settings)}, nil
	}
	return interact.Reply{Update: rm.settingsPanel(r, settings)}, nil
}

// check refuses what was chosen where it cannot do what it is for: @everyone as a role that is named to somebody, and
// channels in which the bot cannot write. Channels that were chosen before are not looked at again.
func (rm *Room) check(ctx context.Context, r *interact.Request) error {
	chosen, before, need := r.Values, r.Settings.Channels, interact.ToPost
	switch r.Control.Arg {
	case "warden", joining + "-call":
		if slices.Contains(r.Values, r.GuildID) {
			return show.Refuse(text.M("bot.settings.role-everyone"))
		}
		return nil
	case "log":
		before, need = oneOf(r.Settings.LogChannel), interact.ToWrite
	case joining + "-channel":
		before, need = oneOf(r.Settings.SeekChannel), interact.ToWrite
	case inForm + "-set":
		chosen = r.Form.Values(askedChannels)
	case "channels":
	default:
		return nil
	}
	chosen = slices.DeleteFunc(slices.Clone(chosen), func(id string) bool { return slices.Contains(before, id) })
	if len(chosen) == 0 {
		return nil
	}
	server, err := access.AskServer(ctx, rm.session, r.GuildID, r.AppID)
	if err != nil {
		return fmt.Errorf("looking at a server: %w", err)
	}
	for _, id := range chosen {
		may, _, err := server.Bot(ctx, rm.session, id)
		switch list := interact.Missing(may, need); {
		case errors.Is(err, access.ErrGone): // struck from the settings when they are next looked at
		case err != nil:
			return fmt.Errorf("looking at a channel: %w", err)
		case len(list) > 0:
			return show.Refuse(text.M("bot.settings.channel-refused", "Channel", text.Channel(id),
				"Permissions", list, "Count", len(list)))
		}
	}
	return nil
}

func (rm *Room) settingsPanel(r *interact.Request, c table.Settings) *show.Message {
	p := &panel{r: r, action: actionSettings, sentences: rm.sentences}
	p.parts = append(p.parts, show.Paragraph("### "+p.say("bot.settings.title")))
	p.heading(p.say("bot.settings.channels"), p.say("bot.settings.channels-help"))
	p.entities("channels", "bot.panel.all", discordgo.ChannelSelectMenu, discordgo.SelectMenuDefaultValueChannel,
		maxChannels, c.Channels)
	p.heading(p.say("bot.settings.roles"), p.say("bot.settings.roles-help"))
	p.entities("opener", "bot.panel.all", discordgo.RoleSelectMenu, discordgo.SelectMenuDefaultValueRole, 1,
		oneOf(c.OpenerRole))
	p.entities("warden", "bot.panel.none", discordgo.RoleSelectMenu, discordgo.SelectMenuDefaultValueRole, 1,
		oneOf(c.ModeratorRole))
	p.heading(p.say("bot.settings.log"), p.say("bot.settings.log-help"))
	p.entities("log", "bot.panel.none", discordgo.ChannelSelectMenu, discordgo.SelectMenuDefaultValueChannel, 1,
		oneOf(c.LogChannel))
	p.menu("threads", 1, func(v string) bool { return v == cmp.Or(string(c.Threads), "always") },
		option(p.say("bot.settings.threads-always"), "always"), option(p.say("bot.settings.threads-busy"), "busy"),
		option(p.say("bot.settings.threads-never"), "never"))
	p.menu("boards", 1, func(v string) bool { return strings.TrimPrefix(v, "fold") == string(c.Boards) },
		option(p.say("bot.settings.boards-fold"), "fold"), option(p.say("bot.settings.boards-keep"), "keep"),
		option(p.say("bot.settings.boards-replace"), "replace"))
	p.heading(p.say("bot.settings.clock"), r.Say.Say(show.ClockText(c.Clock)))
	p.menu("clock", 1, func(v string) bool {
		return v == show.SpellClock(c.Clock)
	}, show.ClockOptions(c.Clock, r.Say)...)
	var lates []discordgo.SelectMenuOption
	for _, o := range show.LateOptions {
		lates = append(lates, option(p.say("bot.late-option."+o), o))
	}
	p.menu("late", 1, func(v string) bool { return show.LateOf(v) == c.Clock.Late }, lates...)
	p.heading(p.say("bot.settings.quiet"), r.Say.Say(text.M("bot.settings.quiet-help",
		"Zone", zoneName(c.QuietNow().Zone)))+"\n-# "+rm.datesLine(r, c))
	var days []discordgo.SelectMenuOption
	for i := range 7 {
		d := (i + 1) % 7 // from Monday on
		days = append(days, option(p.say("bot.day."+strconv.Itoa(d)), strconv.Itoa(d)))
	}
	p.menu("quiet", 6, func(v string) bool { d, _ := strconv.Atoi(v); return c.QuietNow().Days>>d&1 == 1 }, days...)
	p.parts = append(p.parts, show.Rows(
		show.Button(discordgo.SecondaryButton, p.say("bot.settings.dates-button"), p.id(quietDates)),
		show.Button(discordgo.SecondaryButton, p.say("bot.settings.joining-button"), p.id(joining)),
		show.Button(discordgo.SecondaryButton, p.say("bot.settings.form-button"), p.id(inForm)),
	)...)
	p.themes(c.Theme, "")
	p.languages(c.Language)
	var on []string
	var rest []discordgo.SelectMenuOption
	for _, t := range ticked {
		rest = append(rest, option(p.say(t.says), t.value))
		if *t.is(&c) != t.off {
			on = append(on, t.value)
		}
	}
	p.heading(p.say("bot.settings.form-rest"), p.say("bot.settings.rest-help"))
	p.menu(askedRest, len(rest), func(v string) bool { return slices.Contains(on, v) }, rest...)
	number := func(id, never string, n, otherwise int) text.Message {
		if n < 0 { // orNever
			return text.M(never)
		}
		return text.M(id, "Count", cmp.Or(n, otherwise))
	}
	limits := c.Limits()
	p.parts = append(p.parts, show.Paragraph("-# "+r.Say.Say(text.M("bot.settings.numbers",
		"Limits", text.M("bot.settings.limits", "Tables", limits.Tables, "Each", limits.UserTables,
			"Lobbies", limits.UserLobbies, "Invitations", limits.UserInvitations),
		"Away", number("bot.settings.away", "bot.settings.away-never", c.AwayDays, choices.DefaultAwayDays),
		"Idle", text.M("bot.settings.idle", "Count", cmp.Or(c.IdleDays, choices.DefaultIdleDays)),
		"Threads", text.M("bot.settings.thread-hours", "Count", cmp.Or(c.ThreadHours, choices.DefaultThreadHours)),
		"Undo", number("bot.settings.undo", "bot.settings.undo-never", c.Undo, choices.DefaultUndo)))))
	return &show.Message{Components: p.parts, Ephemeral: true}
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

// Prune strikes channels and roles that the server no longer has from its settings.
func (rm *Room) Prune(ctx context.Context, guild string) (table.Settings, error) {
	channels, err := rm.session.GuildChannels(guild, discordgo.WithContext(ctx))
	if err != nil {
		return table.Settings{}, err
	}
	roles, err := rm.session.GuildRoles(guild, discordgo.WithContext(ctx))
	if err != nil {
		return table.Settings{}, err
	}
	role := func(id string) string {
		if slices.ContainsFunc(roles, func(r *discordgo.Role) bool { return r.ID == id }) {
			return id
		}
		return ""
	}
	return rm.tables.Choices.ChangeSettings(ctx, guild, func(c *table.Settings) {
		c.OpenerRole, c.ModeratorRole, c.Asks.Role, c.SeekRole = role(c.OpenerRole), role(c.ModeratorRole),
			role(c.Asks.Role), role(c.SeekRole)
		gone := func(id string) bool {
			return !slices.ContainsFunc(channels, func(ch *discordgo.Channel) bool { return ch.ID == id })
		}
		c.Channels = slices.DeleteFunc(slices.Clone(c.Channels), gone)
		if gone(c.SeekChannel) {
			c.SeekChannel = ""
		}
		if gone(c.LogChannel) {
			c.LogChannel = ""
		}
	})
}
