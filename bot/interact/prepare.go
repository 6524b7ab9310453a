package interact

import (
	"context"
	"slices"

	"marque/bot/show"
)

// prepare adds the settings of the server and the preferences of the user to a request. If seen is set, everybody
// sees the answer, which therefore gets the server's language and theme.
func (ro *Router) prepare(ctx context.Context, r *Request, seen bool) context.Context {
	var err error
	if r.Settings, err = ro.choices.Settings(ctx, r.GuildID); err == nil {
		r.Prefs, err = ro.choices.Preferences(ctx, r.User.ID)
	}
	if err != nil {
		ro.log.WarnContext(ctx, "choices cannot be read; going on without", "guild", r.GuildID, "error", err)
	}
	r.own = ro.sentences.Speaker(nil, r.Prefs.Language, string(r.Locale))
	r.Say, r.everyone = r.own, seen
	if seen {
		preferred := ""
		if r.GuildLocale != nil {
			preferred = string(*r.GuildLocale)
		}
		r.Say = ro.sentences.Speaker(nil, r.Settings.Language, preferred)
	}
	role := r.Settings.ModeratorRole
	r.User.Moderator = r.User.Manager || role != "" && r.Member != nil && slices.Contains(r.Member.Roles, role)
	if seen {
		return show.WithTheme(ctx, r.Settings.Theme)
	}
	return show.WithTheme(ctx, r.Prefs.Theme, r.Settings.Theme)
}
