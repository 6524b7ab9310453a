package bot

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games/text"
	"marque/render"
)

// The choices of servers and users, as far as every interaction depends on them: language, theme of the boards, who is a moderator.

type themeKey struct{}

// withTheme chooses the theme of the pictures that are painted for ctx; the first key that names one counts.
func withTheme(ctx context.Context, keys ...string) context.Context {
	for _, k := range keys {
		if t, ok := render.ParseTheme(k); ok && k != "" {
			return context.WithValue(ctx, themeKey{}, t)
		}
	}
	return ctx
}

func themeOf(ctx context.Context) render.Theme {
	t, _ := ctx.Value(themeKey{}).(render.Theme)
	return t
}

// prepare brings the choices of the server and of the user to a request.
func (b *Bot) prepare(ctx context.Context, r *request) context.Context {
	var err error
	if r.settings, err = b.tables.Settings(ctx, r.GuildID); err == nil {
		r.prefs, err = b.tables.Preferences(ctx, r.user.id)
	}
	if err != nil {
		b.log.Warn("choices cannot be read; going on without", "guild", r.GuildID, "error", err)
	}
	if r.prefs.Language != "" {
		r.say = b.say.Speaker(nil, r.prefs.Language, string(r.Locale))
	}
	if w := r.settings.Warden; w != "" && r.Member != nil && slices.Contains(r.Member.Roles, w) {
		r.user.manage = true
	}
	if r.flag("share") {
		return withTheme(ctx, r.settings.Theme)
	}
	return withTheme(ctx, r.prefs.Theme, r.settings.Theme)
}

// tell tells the user what could not be told in its place before.
func (b *Bot) tell(ctx context.Context, r *request) {
	if len(r.prefs.Notices) == 0 {
		return
	}
	// Taken first, so that no answer at the same time tells them twice; put back when they cannot be told.
	var notices []table.Notice
	if _, err := b.tables.ChangePreferences(ctx, r.user.id, func(p *table.Preferences) error {
		notices, p.Notices = p.Notices, nil
		return nil
	}); err != nil {
		b.log.Warn("a user's notices cannot be read", "error", err)
		return
	}
	for i, n := range notices {
		snap, err := b.tables.Snapshot(ctx, n.Table)
		if err != nil || snap.Paused == "" {
			continue
		}
		m := say(r.say.Say(text.M("bot.homeless", "Game", snap.Game().Info().Name, "Table", n.Table.String(), "Channel", "<#"+snap.Channel+">")))
		m.ephemeral = true
		if err := b.rest.followUp(ctx, r.Interaction, m); err != nil {
			b.log.Warn("a notice could not be given; told with the next answer", "error", scrub(err))
			if _, err := b.tables.ChangePreferences(context.WithoutCancel(ctx), r.user.id, func(p *table.Preferences) error {
				p.Notices = append(slices.Clone(notices[i:]), p.Notices...)
				return nil
			}); err != nil {
				b.log.Warn("a notice could not be kept", "error", err)
			}
			return
		}
	}
}

// mayOpen refuses a table where, or by whom, the server does not want one. What the settings name and Discord no longer has is struck from them.
func (b *Bot) mayOpen(ctx context.Context, r *request, place *discordgo.Channel) error {
	if r.user.manage {
		return nil
	}
	here := place.ID
	if place.IsThread() {
		here = place.ParentID
	}
	c := r.settings
	closed := len(c.Channels) > 0 && !slices.Contains(c.Channels, here)
	stranger := c.Opener != "" && (r.Member == nil || !slices.Contains(r.Member.Roles, c.Opener))
	if !closed && !stranger {
		return nil
	}
	c, err := b.pruneSettings(ctx, r.GuildID)
	if err != nil {
		return err
	}
	if closed && len(c.Channels) > 0 {
		var where []text.Message
		for _, ch := range c.Channels {
			where = append(where, text.Raw("<#"+ch+">"))
		}
		return playerError{text.M("bot.error.not-here", "Where", text.Or(where))}
	}
	if stranger && c.Opener != "" {
		return playerError{text.M("bot.error.not-you", "Role", "<@&"+c.Opener+">")}
	}
	return nil
}

// pruneSettings strikes channels and roles that the server no longer has from its settings.
func (b *Bot) pruneSettings(ctx context.Context, guild string) (table.Settings, error) {
	channels, err := b.session.GuildChannels(guild, discordgo.WithContext(ctx))
	if err != nil {
		return table.Settings{}, err
	}
	roles, err := b.session.GuildRoles(guild, discordgo.WithContext(ctx))
	if err != nil {
		return table.Settings{}, err
	}
	role := func(id string) string {
		if slices.ContainsFunc(roles, func(r *discordgo.Role) bool { return r.ID == id }) {
			return id
		}
		return ""
	}
	return b.tables.ChangeSettings(ctx, guild, func(c *table.Settings) {
		c.Opener, c.Warden = role(c.Opener), role(c.Warden)
		c.Channels = slices.DeleteFunc(slices.Clone(c.Channels), func(id string) bool {
			return !slices.ContainsFunc(channels, func(ch *discordgo.Channel) bool { return ch.ID == id })
		})
	})
}
