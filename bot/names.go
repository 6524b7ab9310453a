package bot

import (
	"context"
	"strings"

	"marque/bot/table"
	"marque/games"
	"marque/games/text/locale"
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
	return s.Named(func(seat int) string { return mention(snap.Holder(games.Seat(seat))) })
}

// plain says seats by name, for pictures, alt texts and text boards.
func plain(s *locale.Speaker, snap *table.Snapshot) *locale.Speaker {
	return s.Named(func(seat int) string { return snap.Holder(games.Seat(seat)).Name })
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
func (b *Bot) public(_ context.Context, guild string) *locale.Speaker {
	return b.say.Speaker(nil, b.guildLocale(guild))
}
