package show

import (
	"cmp"
	"sync"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/table"
	"marque/games/text/locale"
)

// Languages stores the languages of servers for public messages, and the languages of users for messages without a
// request. The gateway reports the languages of servers, and interactions report both.
type Languages struct {
	sentences *locale.Catalogue

	mu sync.Mutex
	// guilds has the languages of servers by id, and of direct messages by channel. It has at most maxLanguages
	// entries.
	guilds map[string]string
	users  map[string]string // language of each user's Discord client; at most maxLanguages
}

// maxLanguages limits the entries of each map. A full map is cleared.
const maxLanguages = 100_000

// NewLanguages returns a Languages without any known languages.
func NewLanguages(sentences *locale.Catalogue) *Languages {
	return &Languages{sentences: sentences, guilds: map[string]string{}, users: map[string]string{}}
}

// Note stores the languages of an interaction: its user's language, and the language of its server or direct messages.
func (l *Languages) Note(i *discordgo.Interaction) {
	id, language := i.GuildID, i.GuildLocale
	if id == "" {
		id, language = i.ChannelID, &i.Locale
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if language != nil {
		remember(l.guilds, id, string(*language))
	}
	switch {
	case i.Member != nil && i.Member.User != nil:
		remember(l.users, i.Member.User.ID, string(i.Locale))
	case i.User != nil:
		remember(l.users, i.User.ID, string(i.Locale))
	}
}

// NoteServer stores the language that a server prefers.
func (l *Languages) NoteServer(g *discordgo.Guild) {
	if g.Unavailable || g.PreferredLocale == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	remember(l.guilds, g.ID, g.PreferredLocale)
}

// remember adds a language to a map, which it clears first if it is full.
func remember(list map[string]string, id, language string) {
	if language == "" {
		return
	}
	if _, known := list[id]; !known && len(list) >= maxLanguages {
		clear(list)
	}
	list[id] = language
}

// Table returns a speaker of a table's language: its server's language, or the language of the user in whose direct
// messages the table is. settings is what choices.Service.TableSettings returned.
func (l *Languages) Table(h table.Head, settings choices.Settings) *locale.Speaker {
	return l.Public(cmp.Or(h.Guild, h.Channel), settings)
}

// Public returns a speaker of the language for a server's public messages. This is the language in its settings, or
// else the one that it prefers on Discord, or else English.
func (l *Languages) Public(guild string, settings choices.Settings) *locale.Speaker {
	return l.sentences.Speaker(nil, settings.Language, l.of(l.guilds, guild))
}

// Personal returns a speaker of a user's language, for messages that only this user sees. This is the language in the
// user's preferences, or else the language of their Discord client, or else the server's.
func (l *Languages) Personal(user, guild string, prefs choices.Preferences, settings choices.Settings) *locale.Speaker {
	return l.sentences.Speaker(nil, prefs.Language, l.of(l.users, user), settings.Language, l.of(l.guilds, guild))
}

func (l *Languages) of(list map[string]string, id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return list[id]
}
