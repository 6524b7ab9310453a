package show

import (
	"fmt"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// Speaker translates messages into a language.
type Speaker interface{ Say(text.Message) string }

// Mention returns a seat's player in Discord's markdown: a mention for a user, the name of a computer, or a word for a
// departed player. The mention pings nobody unless the message allows it.
func Mention(o table.Occupant) text.Message {
	switch {
	case Departed(o):
		return Bold(text.M("player.departed"))
	case o.User != "":
		return text.User(o.User).Raw()
	}
	return Bold(table.Called(o))
}

// Place returns a link to the channel of a table.
func Place(h table.Head) text.Markup {
	if h.Guild == "" { // direct messages have no name
		return text.Link("", h.Channel, "")
	}
	return text.Channel(h.Channel)
}

// Bold returns a message in bold type for Discord's markdown.
func Bold(m text.Message) text.Message { return text.M("bot.bold", "What", m) }

// Mentioning returns a speaker for Discord's markdown. It writes seats as Mention does, and times in the form that
// Discord shows in each reader's time zone.
func Mentioning(s *locale.Speaker, snap *table.Snapshot) *locale.Speaker {
	return s.Named(func(seat int) text.Message { return Mention(snap.Holder(games.Seat(seat))) })
}

// Departed reports whether a seat has no player, or the data of its player were deleted.
func Departed(o table.Occupant) bool {
	return o == (table.Occupant{}) || storage.HasDeparted(o.User)
}

// Named returns a speaker for Discord's markdown that writes seats as names.
func Named(s *locale.Speaker, snap *table.Snapshot) *locale.Speaker {
	return s.Named(func(seat int) text.Message {
		o := snap.Holder(games.Seat(seat))
		if Departed(o) {
			return text.M("player.departed")
		}
		return table.Called(o)
	})
}

// Plain returns a speaker that writes seats as names without markup, for pictures, alt texts and labels.
func Plain(s *locale.Speaker, snap *table.Snapshot) *locale.Speaker { return Named(s, snap).Plain() }

// Names returns the players' names in seat order. Names of computers are in the language of s.
func Names(snap *table.Snapshot, s *locale.Speaker) []text.Name {
	out := make([]text.Name, len(snap.Seats))
	for i, o := range snap.Seats {
		out[i] = NameOf(o, s)
	}
	return out
}

// NameOf returns the name of a seat's player without markup. Names of computers are in the language of s.
func NameOf(o table.Occupant, s *locale.Speaker) text.Name {
	if o.Computer == "" {
		return o.Name
	}
	return text.NewName(s.Plain().Say(table.Called(o)))
}

// Title returns the heading of a message, with the game's name and the table's number.
func Title(snap *table.Snapshot, s *locale.Speaker) string { return "### " + Name(snap, s) }

// Name returns the game's name and the table's number.
func Name(snap *table.Snapshot, s *locale.Speaker) string {
	return fmt.Sprintf("%s · #%s", s.Say(snap.Rules().Info().Name), snap.ID)
}
