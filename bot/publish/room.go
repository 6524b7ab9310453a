// Package publish posts the events of tables in their channels, and handles tables whose channel or server cannot be
// reached. A table.News has the events of a table that have not been published yet.
package publish

import (
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/bwmarrin/discordgo"

	"marque/bot/compete"
	"marque/bot/gateway"
	"marque/bot/lobby"
	"marque/bot/predictions"
	"marque/bot/rest"
	"marque/bot/reviews"
	"marque/bot/servers"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/bot/webhook"
	"marque/storage"
)

// Room publishes the events of tables; it is their table.Publisher. It has no commands.
type Room struct {
	tables       *table.Service
	servers      *servers.Service
	competitions *compete.Service
	predictions  *predictions.Service
	reviews      *reviews.Service
	webhooks     *webhook.Service
	store        *storage.Store
	clock        timesource.Clock
	paint        *show.Painter
	languages    *show.Languages
	rest         rest.Client
	private      *rest.Ephemerals
	session      *discordgo.Session
	lobby        *lobby.Room
	events       *gateway.Events
	present      present
	page         bool
	log          *slog.Logger
	self         atomic.Pointer[string] // the bot's own user id; nil until it is needed
	pings        *pings                 // last pings for invitations
	offers       *pings                 // last pings for reasons that can be repeated (see Again)
	letters      *pings                 // direct messages that began a letterPause
	unsure       *unsure                // messages of which it is unknown whether they were posted
	tidier       *tidier

	lookedMu sync.Mutex
	looked   map[table.ID]struct{} // tables whose channels look has searched
}

// Config holds the dependencies and settings of a Room.
type Config struct {
	Tables       *table.Service
	Servers      *servers.Service
	Competitions *compete.Service
	Predictions  *predictions.Service
	Reviews      *reviews.Service
	Webhooks     *webhook.Service
	Paint        *show.Painter
	Languages    *show.Languages
	Rest         rest.Client
	Private      *rest.Ephemerals // private answers; outdated when a board asks their user for a move
	Lobby        *lobby.Room      // makes the messages of lobbies
	Events       *gateway.Events  // handles events about servers
	Store        *storage.Store
	Clock        timesource.Clock // the machine's if nil
	Log          *slog.Logger
	Page         bool // tables can be played on in the browser
}

// New returns a Room. It publishes a table when the table service calls it.
func New(c Config) *Room {
	if c.Clock == nil {
		c.Clock = timesource.System{}
	}
	return &Room{
		tables: c.Tables, servers: c.Servers, competitions: c.Competitions, predictions: c.Predictions,
		reviews:  c.Reviews,
		webhooks: c.Webhooks, store: c.Store, clock: c.Clock,
		paint: c.Paint, languages: c.Languages,
		rest: c.Rest, private: c.Private,
		session: c.Rest.Session, lobby: c.Lobby, events: c.Events, log: c.Log, page: c.Page, unsure: newUnsure(),
		tidier: newTidier(c.Clock),
		pings:  newPings(pingPause), offers: newPings(pingPause), letters: newPings(letterPause),
		looked:  map[table.ID]struct{}{},
		present: present{guilds: map[string]bool{}},
	}
}
