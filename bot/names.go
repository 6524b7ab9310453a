package bot

import (
	"context"
	"strings"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// mention is how a seat's holder is named in Discord's text: people as a mention, which pings nobody
// unless the message allows it, computers by name.
func mention(o table.Occupant) string {
	if o.User != "" {
		return "<@" + o.User + ">"
	}
	return "**" + escape(o.Name) + "**"
}

// markdown are the characters that mean something in Discord's text.
var markdown = strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "~", "\\~", "`", "\\`", "|", "\\|", ">", "\\>", "<", "\\<", "#", "\\#", "@", "@\u200b", "[", "\\[", "]", "\\]", "-#", "\\-#")

// escape keeps a name from being read as markdown or as a mention.
func escape(s string) string { return markdown.Replace(s) }

// mentioning says seats as mentions, for Discord's text.
func mentioning(s *locale.Speaker, snap *table.Snapshot) *locale.Speaker {
	return s.Named(func(seat int) string { return mentionOr(s, snap.Holder(games.Seat(seat))) })
}

// departed reports whether nobody holds a seat any more, or somebody whose data were deleted.
func departed(o table.Occupant) bool {
	return o == (table.Occupant{}) || storage.HasDeparted(o.User)
}

// mentionOr is mention, also for a seat that nobody holds any more.
func mentionOr(s *locale.Speaker, o table.Occupant) string {
	if departed(o) {
		return "**" + s.Say(text.M("bot.departed")) + "**"
	}
	return mention(o)
}

// plain says seats by name, for pictures, alt texts and text boards.
func plain(s *locale.Speaker, snap *table.Snapshot) *locale.Speaker {
	return s.Named(func(seat int) string {
		o := snap.Holder(games.Seat(seat))
		if departed(o) {
			return s.Say(text.M("bot.departed"))
		}
		return o.Name
	})
}

// names lists the names by seat.
func names(snap *table.Snapshot) []string {
	out := make([]string, len(snap.Seats))
	for i, o := range snap.Seats {
		out[i] = o.Name
	}
	return out
}

// public is the language of a server's public messages.
func (b *Bot) public(ctx context.Context, guild string) *locale.Speaker {
	settings, err := b.tables.Settings(ctx, guild)
	if err != nil {
		b.log.Warn("a server's settings cannot be read", "guild", guild, "error", err)
	}
	return b.say.Speaker(nil, settings.Language, b.guildLocale(guild))
}
