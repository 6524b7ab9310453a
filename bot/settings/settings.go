package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"

	"marque/bot/access"
	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table/clock"
	"marque/games/text"
)

// maxChannels is the maximum number of channels that can be chosen. It is Discord's limit for a menu.
const maxChannels = 25

// configure answers /server settings. It stores the values of the options, and shows a page of the settings.
func (rm *Room) configure(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	zone, page := r.Option("zone"), pagePeople
	if zone != "" {
		if _, known := clock.KnownZone(zone); !known {
			return interact.Reply{}, show.Refuse(text.M("bot.error.zone", "Zone", zone))
		}
	}
	now, err := rm.Prune(ctx, r.GuildID)
	if err != nil {
		return interact.Reply{}, fmt.Errorf("looking at a server: %w", err)
	}
	if len(r.Options) > 0 {
		now, err = rm.tables.Choices.ChangeSettings(ctx, r.GuildID, func(c *choices.Settings) {
			for _, l := range limits {
				if n, given := r.Number(l.option); given {
					*l.of(c), page = orNever(n), pageTables
				}
			}
			if zone != "" {
				c.SetQuiet(rm.tables.Lookup.Now(), c.QuietNow().Days, zone)
				page = pageDays
			}
		})
		if err != nil {
			return interact.Reply{}, err
		}
	}
	return interact.Reply{New: rm.settingsPage(ctx, r, now, page)}, nil
}

// orNever returns the number to store for n. A stored 0 means that nothing was chosen, so a chosen 0 is stored as
// another number.
func orNever(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// configured answers a control on the pages of settings.
func (rm *Room) configured(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	switch r.Control.Arg {
	case quietDates:
		return rm.askDates(r), nil
	case quietDates + "-set":
		return rm.setDates(ctx, r)
	}
	s, known := settingOf(r.Control.Arg)
	if !known {
		return interact.Reply{Update: rm.settingsPage(ctx, r, r.Settings, r.Control.Arg)}, nil
	}
	if err := rm.check(ctx, r, s); err != nil {
		return interact.Reply{}, err
	}
	ch := chosen{r: r, now: rm.tables.Lookup.Now(), values: r.Values}
	if len(r.Values) > 0 {
		ch.one = r.Values[0]
		ch.number, _ = strconv.Atoi(ch.one)
	}
	now, err := rm.tables.Choices.ChangeSettings(ctx, r.GuildID, func(c *choices.Settings) { s.put(ch, c) })
	if err != nil {
		return interact.Reply{}, err
	}
	if s.arg == "seek-channel" {
		if err := rm.matchmaking.Show(ctx, r.GuildID, now.SeekChannel); err != nil {
			return interact.Reply{}, err
		}
	}
	return interact.Reply{Update: rm.settingsPage(ctx, r, now, s.page)}, nil
}

// check refuses an unsuitable choice: @everyone as a role that users see, or a channel in which the bot lacks
// permissions. Channels that were chosen before are not checked again.
func (rm *Room) check(ctx context.Context, r *interact.Request, s setting) error {
	var before []string
	need := interact.ToWrite
	switch {
	case s.names && slices.Contains(r.Values, r.GuildID):
		return show.Refuse(text.M("bot.settings.role-everyone"))
	case s.channel != nil:
		before = oneOf(*s.channel(&r.Settings))
	case s.arg == "channels":
		before, need = r.Settings.Channels, interact.ToPost
	default:
		return nil
	}
	chosen := slices.DeleteFunc(slices.Clone(r.Values), func(id string) bool { return slices.Contains(before, id) })
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
		case errors.Is(err, access.ErrGone): // a deleted channel, which Prune will remove
		case err != nil:
			return fmt.Errorf("looking at a channel: %w", err)
		case len(list) > 0:
			return show.Refuse(text.M("bot.settings.channel-refused", "Channel", text.Channel(id),
				"Permissions", list, "Count", len(list)))
		}
	}
	return nil
}

// settingsPage returns a page of the settings, with buttons to the other pages. If there is no such page, it returns
// the first one.
func (rm *Room) settingsPage(ctx context.Context, r *interact.Request, c choices.Settings, page string) *show.Message {
	if !slices.Contains(pages, page) {
		page = pagePeople
	}
	p := &panel{r: r, action: actionSettings, sentences: rm.sentences, now: rm.tables.Lookup.Now()}
	p.parts = append(p.parts, show.Paragraph("### "+p.say("bot.settings.title")+" · "+p.say("bot.settings.page."+page)))
	if page == pageAsks {
		p.parts = append(p.parts, show.Paragraph(p.say("bot.joining.help")))
	}
	for _, s := range settings {
		if s.page == page {
			s.draw(p, c)
		}
	}
	if page == pageSeeks && !rm.calls(ctx, r, c) {
		p.parts = append(p.parts, show.Paragraph(r.Say.Say(text.M("bot.joining.call-silent",
			"Role", text.Role(c.SeekRole), "Channel", text.Channel(c.SeekChannel)))))
	}
	if page == pageTables {
		p.parts = append(p.parts, show.Paragraph("-# "+numbersLine(r, c)))
	}
	if len(p.buttons) > 0 {
		p.parts = append(p.parts, show.Rows(p.buttons...)...)
	}
	var others []discordgo.Button
	for _, other := range pages {
		b := show.Button(discordgo.SecondaryButton, p.say("bot.settings.page."+other), p.id(other))
		b.Disabled = other == page
		others = append(others, b)
	}
	p.parts = append(p.parts, show.Rows(others...)...)
	return &show.Message{Components: p.parts, Ephemeral: true}
}

// numbersLine returns the line with the settings in limits.
func numbersLine(r *interact.Request, c choices.Settings) string {
	number := func(id, never string, n, otherwise int) text.Message {
		if n < 0 { // the value that orNever stores for 0
			return text.M(never)
		}
		return text.M(id, "Count", cmp.Or(n, otherwise))
	}
	limits := c.Limits()
	return r.Say.Say(text.M("bot.settings.numbers",
		"Limits", text.M("bot.settings.limits", "Tables", limits.Tables, "Each", limits.UserTables,
			"Lobbies", limits.UserLobbies, "Invitations", limits.UserInvitations),
		"Away", number("bot.settings.away", "bot.settings.away-never", c.AwayDays, choices.DefaultAwayDays),
		"Idle", text.M("bot.settings.idle", "Count", cmp.Or(c.IdleDays, choices.DefaultIdleDays)),
		"Threads", text.M("bot.settings.thread-hours", "Count", cmp.Or(c.ThreadHours, choices.DefaultThreadHours)),
		"Undo", number("bot.settings.undo", "bot.settings.undo-never", c.Undo, choices.DefaultUndo)))
}

// calls reports whether the role for seeks can be pinged in the channel for seeks. It returns true if one of them
// is not set, if pings are off, or if Discord cannot be asked.
func (rm *Room) calls(ctx context.Context, r *interact.Request, c choices.Settings) bool {
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

// zoneName returns a time zone as shown to users.
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

// Prune removes channels and roles that the server no longer has from the settings that managers choose on the pages.
func (rm *Room) Prune(ctx context.Context, guild string) (choices.Settings, error) {
	channels, err := rm.session.GuildChannels(guild, discordgo.WithContext(ctx))
	if err != nil {
		return choices.Settings{}, err
	}
	roles, err := rm.session.GuildRoles(guild, discordgo.WithContext(ctx))
	if err != nil {
		return choices.Settings{}, err
	}
	goneRole := func(id string) bool {
		return !slices.ContainsFunc(roles, func(r *discordgo.Role) bool { return r.ID == id })
	}
	goneChannel := func(id string) bool {
		return !slices.ContainsFunc(channels, func(ch *discordgo.Channel) bool { return ch.ID == id })
	}
	return rm.tables.Choices.ChangeSettings(ctx, guild, func(c *choices.Settings) {
		c.Channels = slices.DeleteFunc(slices.Clone(c.Channels), goneChannel)
		for _, s := range settings {
			switch {
			case s.role != nil && goneRole(*s.role(c)):
				*s.role(c) = ""
			case s.channel != nil && goneChannel(*s.channel(c)):
				*s.channel(c) = ""
			}
		}
	})
}
