package show

import (
	"fmt"
	"strings"
	"time"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// Speaker says messages.
type Speaker interface{ Say(text.Message) string }

// mention is how a seat's holder is named in Discord's text: people as a mention, which pings
// nobody unless the message allows it, computers by name.
func mention(o table.Occupant) string {
	if o.User != "" {
		return "<@" + o.User + ">"
	}
	return "**" + Escape(o.Name) + "**"
}

// markdown are the characters that mean something in Discord's text.
var markdown = strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "~", "\\~", "`", "\\`", "|", "\\|", ">", "\\>", "<", "\\<", "#", "\\#", "@", "@\u200b", "[", "\\[", "]", "\\]", "-#", "\\-#")

// Escape keeps a name from being read as markdown or as a mention.
func Escape(s string) string { return markdown.Replace(s) }

// Mentioning says seats as mentions and moments as Discord shows them to each reader, for Discord's text.
func Mentioning(s *locale.Speaker, snap *table.Snapshot) *locale.Speaker {
	dated := s.Dated(func(t time.Time) string { return fmt.Sprintf("<t:%d:R>", t.Unix()) })
	return dated.Named(func(seat int) string { return MentionOr(s, snap.Holder(games.Seat(seat))) })
}

// Departed reports whether nobody holds a seat any more, or somebody whose data were deleted.
func Departed(o table.Occupant) bool {
	return o == (table.Occupant{}) || storage.HasDeparted(o.User)
}

// MentionOr is mention, also for a seat that nobody holds any more.
func MentionOr(s *locale.Speaker, o table.Occupant) string {
	if Departed(o) {
		return "**" + s.Say(text.M("player.departed")) + "**"
	}
	return mention(o)
}

// Plain says seats by name, for pictures, alt texts and text boards.
func Plain(s *locale.Speaker, snap *table.Snapshot) *locale.Speaker {
	return s.Named(func(seat int) string {
		o := snap.Holder(games.Seat(seat))
		if Departed(o) {
			return s.Say(text.M("player.departed"))
		}
		return o.Name
	})
}

// Names lists the names by seat.
func Names(snap *table.Snapshot) []string {
	out := make([]string, len(snap.Seats))
	for i, o := range snap.Seats {
		out[i] = o.Name
	}
	return out
}

// Title names the game and the table.
func Title(snap *table.Snapshot, s *locale.Speaker) string {
	return fmt.Sprintf("### %s · #%s", s.Say(snap.Rules().Info().Name), snap.ID)
}
