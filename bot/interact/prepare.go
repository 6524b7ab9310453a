package interact

import (
	"context"
	"slices"

	"marque/bot/show"
)

// prepare brings the choices of the server and of the user to a request.
func (ro *Router) prepare(ctx context.Context, r *Request) context.Context {
	var err error
	if r.Settings, err = ro.choices.Settings(ctx, r.GuildID); err == nil {
		r.Prefs, err = ro.choices.Preferences(ctx, r.User.ID)
	}
	if err != nil {
		ro.log.WarnContext(ctx, "choices cannot be read; going on without", "guild", r.GuildID, "error", err)
	}
	if r.Prefs.Language != "" {
		r.Say = ro.sentences.Speaker(nil, r.Prefs.Language, string(r.Locale))
	}
	role := r.Settings.ModeratorRole
	r.User.Moderator = r.User.Manager || role != "" && r.Member != nil && slices.Contains(r.Member.Roles, role)
	if r.Where == OnServer && r.Flag("share") {
		return show.WithTheme(ctx, r.Settings.Theme)
	}
	return show.WithTheme(ctx, r.Prefs.Theme, r.Settings.Theme)
}
