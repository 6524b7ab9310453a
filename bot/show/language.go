package show

import (
	"cmp"
	"sync"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games/text/locale"
)

// Languages knows the languages of servers, for what everybody reads. They are learnt from the
// interactions that come from them.
type Languages struct {
	sentences *locale.Catalogue

	mu sync.Mutex
	// the language that a server itself is set to, and of direct messages by channel; at most
	// maxGuilds
	guilds map[string]string
}

// maxGuilds bounds the languages remembered; beyond it they are learnt anew.
const maxGuilds = 10_000

// NewLanguages knows no server's language yet.
func NewLanguages(sentences *locale.Catalogue) *Languages {
	return &Languages{sentences: sentences, guilds: map[string]string{}}
}

// Note remembers the language of a server, or of the user of direct messages.
func (l *Languages) Note(i *discordgo.Interaction) {
	id, language := i.GuildID, i.GuildLocale
	if id == "" {
		id, language = i.ChannelID, &i.Locale
	}
	if language == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.guilds) >= maxGuilds {
		clear(l.guilds)
	}
	l.guilds[id] = string(*language)
}

// Table speaks the language of a table: its server's, or that of the user in whose direct messages it is. settings are
// those of table.Choices.TableSettings.
func (l *Languages) Table(h table.Head, settings table.Settings) *locale.Speaker {
	return l.Public(cmp.Or(h.Guild, h.Channel), settings)
}

// Public speaks the language of a server's public messages: the one of its settings, else its own
// as far as it is known, else English.
func (l *Languages) Public(guild string, settings table.Settings) *locale.Speaker {
	return l.sentences.Speaker(nil, settings.Language, l.guild(guild))
}

// Personal speaks a user's language, or else the server's.
func (l *Languages) Personal(guild string, prefs table.Preferences) *locale.Speaker {
	return l.sentences.Speaker(nil, prefs.Language, l.guild(guild))
}

func (l *Languages) guild(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.guilds[id]
}
