// Package bot is marque on Discord. It turns slash commands, buttons and menus into commands at tables (package
// bot/table), and the changes of the tables into messages with boards. It has no code for a particular game: it uses
// all games through the interfaces of package games.
//
// This package builds the rooms and starts them. A room answers the commands and controls of one area, and is a package
// below this one, such as lobby, turn or archive. Package gateway keeps the connection, access records who sees which
// channel, interact routes interactions to the rooms, and publish posts the changes of the tables. See
// docs/architecture.md for the whole.
package bot

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/access"
	"marque/bot/archive"
	"marque/bot/compete"
	"marque/bot/gateway"
	"marque/bot/guide"
	"marque/bot/interact"
	"marque/bot/league"
	"marque/bot/learn"
	"marque/bot/lobby"
	"marque/bot/matchmaking"
	"marque/bot/metrics"
	"marque/bot/predict"
	"marque/bot/predictions"
	"marque/bot/privacy"
	"marque/bot/publish"
	"marque/bot/puzzles"
	"marque/bot/rest"
	"marque/bot/reviews"
	"marque/bot/seek"
	"marque/bot/servers"
	"marque/bot/settings"
	"marque/bot/show"
	"marque/bot/standings"
	"marque/bot/study"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/bot/tournament"
	"marque/bot/turn"
	"marque/bot/web"
	"marque/bot/webhook"
	"marque/games"
	"marque/games/text/locale"
	"marque/render"
	"marque/storage"
)

// Config holds the dependencies and settings of a Bot.
type Config struct {
	// Token is the bot's token, without "Bot ". It is never logged.
	Token string
	// Client sends the bot's requests and finds the gateway. If it is nil, the bot uses the settings of
	// http.DefaultTransport with more idle connections. The local Discord provides a Client that connects to itself.
	Client *http.Client
	// Store is the bot's store.
	Store *storage.Store
	// Tables configures the tables. The bot sets Games, Log and Store, and also Thought if there are Metrics.
	Tables table.Config
	// RoomStore is used in place of Store by the services whose stores it contains; Store if nil.
	RoomStore RoomStore
	// Forgotten is called before a user's data is deleted, and Deleted before a server's; both can be nil.
	Forgotten, Deleted func(id string, at storage.Stamp)
	// Games are the available games, in the order in which lists show them.
	Games []games.Game
	// Renderer paints the boards. It is required.
	Renderer *render.Renderer
	// Sentences has the texts of all messages in all languages.
	Sentences *locale.Catalogue
	Log       *slog.Logger
	// Clock is the clock for the connection with Discord, for deleting private messages, and for webhooks; the
	// machine's if nil.
	Clock timesource.Clock
	// Shards is the number of shards into which the bot's servers are divided; 0 for Discord's recommendation.
	Shards int
	// Leases divide the shards among the processes that share the store; nil for a single process.
	Leases storage.Leases
	// Requests is how many requests a second Discord accepts with the token, from all processes together;
	// rest.PerSecond if 0.
	Requests int
	// ChannelPosts makes the bot post and fold all boards with its own token, even if a click's token is available.
	ChannelPosts bool
	// AnswerTime is the time limit for the answer to one interaction; see interact.Config.
	AnswerTime time.Duration
	// Metrics measures the bot, its store and its renderer; it can be nil.
	Metrics *metrics.Metrics
	// Page is the public address of the page on which people play in the browser; nil for none.
	Page *url.URL
	// Login configures how people log in to the page without a link. Without a secret, nobody can.
	Login web.Login
	// Activity is the page inside Discord; the zero value for none.
	Activity web.Activity
	// Webhooks carries the calls of users' webhooks. If it is nil, the bot uses a transport that reaches only public
	// addresses. Tests provide their own.
	Webhooks http.RoundTripper
}

// RoomStore is the part of the store that tests can replace, for example by a store that fails.
type RoomStore interface {
	table.Store
	standings.Store
	servers.Store
	privacy.Store
	compete.Store
	reviews.Store
}

// Bot answers the interactions that Discord sends, and publishes the tables.
type Bot struct {
	// Services that the rooms share. They are exported for tests and tools.
	Tables       *table.Service
	Servers      *servers.Service
	Competitions *compete.Service
	Matchmaking  *matchmaking.Service
	Reviews      *reviews.Service
	Webhooks     *webhook.Service

	privacy     *privacy.Service
	standings   *standings.Service
	predictions *predictions.Service
	session     *discordgo.Session
	rest        rest.Client
	private     *rest.Ephemerals
	gateway     *gateway.Gateway
	events      *gateway.Events
	guard       *access.Guard
	languages   *show.Languages
	registry    *interact.Registry
	registrar   *gateway.Registrar
	router      *interact.Router
	archive     *archive.Room
	publish     *publish.Room
	fleet       *fleet // nil without Leases, when this process serves all shards
	ages        ages
	puzzles     *puzzles.Room
	seeks       *seek.Room
	caller      *webhook.Caller

	tournament *tournament.Room
	page       *web.Room // nil if there is no page

	log   *slog.Logger
	ready chan struct{} // closed once the bot is connected
}

// New returns a bot that is not connected. It sends nothing before Run.
func New(c Config) (*Bot, error) {
	if c.Client == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 64
		c.Client = &http.Client{Transport: transport}
	}
	if c.Clock == nil {
		c.Clock = timesource.System{}
	}
	if c.Metrics != nil {
		c.Client = c.Metrics.Client(c.Client)
	}
	var (
		through = c.Client.Transport
		fleet   *fleet
		share   func() (all, held, lapsed int)
	)
	if c.Leases != nil {
		fleet = newFleet(c.Leases, c.Log)
		share = fleet.Shards
		through = rest.Watch(through, fleet.exchanged)
	}
	budget := rest.NewBudget(through, cmp.Or(c.Requests, rest.PerSecond), share, timesource.System{}, c.Log)
	session, err := gateway.NewSession(c.Token, &http.Client{Transport: budget})
	if err != nil {
		return nil, err
	}
	if c.RoomStore == nil {
		c.RoomStore = c.Store
	}
	b := &Bot{
		Tables: newTables(c), session: session, rest: rest.Client{Session: session},
		gateway: gateway.New(session, c.Clock, c.Log), events: gateway.NewEvents(c.Log),
		guard:     access.NewGuard(session),
		languages: show.NewLanguages(c.Sentences), fleet: fleet, log: c.Log, ready: make(chan struct{}),
	}
	b.Servers = servers.New(b.Tables, c.RoomStore, c.Log, c.Deleted)
	b.privacy = privacy.New(b.Tables, c.RoomStore, c.Forgotten)
	b.standings = standings.New(b.Tables, c.RoomStore)
	b.Competitions = compete.New(compete.Config{Tables: b.Tables, Servers: b.Servers, Store: c.RoomStore, Games: c.game,
		Clock: c.Tables.Clock, Log: c.Log})
	b.predictions = predictions.New(b.Tables, c.Store)
	b.Reviews = reviews.New(b.Tables, c.RoomStore, c.Tables.Computers, c.Log)
	b.Webhooks = webhook.NewService(b.Tables, c.Store, c.Tables.Clock)
	b.Matchmaking = matchmaking.New(b.Tables, c.Store, c.Tables.Clock)
	b.gateway.Force(c.Shards)
	if !c.ChannelPosts {
		b.rest.Clicks = rest.NewClickTokens(timesource.System{})
	}
	b.private = rest.NewEphemerals(b.rest, c.Clock, c.Log)
	if b.registry, err = b.newRooms(c); err != nil {
		return nil, err
	}
	b.registrar = gateway.NewRegistrar(session, b.registry.ApplicationCommands(c.Sentences), c.Log)
	b.registrar.Registered = b.registry.Registered
	b.registrar.Activity = c.Page != nil && c.Activity.Proxy != ""
	routing := interact.Config{
		Registry: b.registry, Rest: b.rest, Log: c.Log, Sentences: c.Sentences, Choices: b.Tables.Choices,
		Background: b.Tables.Background, Afterwards: b.publish.DeliverNotices,
		Ephemerals: b.private, AnswerTime: c.AnswerTime,
	}
	calls := webhook.Config{Calls: b.Webhooks, Clock: c.Clock, Log: c.Log, Through: c.Webhooks}
	if c.Metrics != nil {
		routing.Answered, calls.Outcome = c.Metrics.Answered, c.Metrics.Called
		b.watchBy(c, budget)
	}
	b.caller = webhook.New(calls)
	b.router = interact.NewRouter(routing)
	if b.page != nil {
		b.page.Through(b.router)
	}
	return b, nil
}

// game finds an available game by its key.
func (c Config) game(key string) (games.Game, bool) {
	i := slices.IndexFunc(c.Games, func(g games.Game) bool { return g.Key() == key })
	if i < 0 {
		return nil, false
	}
	return c.Games[i], true
}

// newTables returns the table service of a bot.
func newTables(c Config) *table.Service {
	t := c.Tables
	t.Log, t.Games, t.Store = c.Log, c.game, c.RoomStore
	if c.Metrics != nil {
		t.Thought = c.Metrics.Thought
	}
	tables := table.New(t)
	tables.Attach(table.Hooks{Cleared: c.Renderer.Forget})
	return tables
}

// watchBy makes the configured metrics observe the bot, its store and its renderer.
func (b *Bot) watchBy(c Config, budget *rest.Budget) {
	c.Store.ObserveCommits(c.Metrics.Committed)
	c.Renderer.Observe(c.Metrics.Painted)
	c.Metrics.WatchStore(c.Store)
	c.Metrics.WatchTables(b.Tables)
	c.Metrics.WatchGateway(b.gateway)
	c.Metrics.WatchBudget(budget.Spending)
	if b.page != nil {
		c.Metrics.WatchPages(b.page.Pages)
	}
	if b.fleet != nil {
		c.Metrics.WatchShards(b.fleet.Shards)
	}
}

// newRooms makes the rooms. It returns the registry of their commands and controls.
func (b *Bot) newRooms(c Config) (*interact.Registry, error) {
	var (
		client      = b.rest
		onOffer     = show.Games(c.Games)
		find        = interact.NewFinder(b.Tables, onOffer, b.session, b.guard, c.Log)
		paint       = show.NewPainter(c.Renderer, b.Tables.Background)
		turnRoom    = turn.New(b.Tables, b.predictions, b.Reviews, onOffer, find, paint)
		settingRoom = settings.New(b.Tables, b.privacy, b.Matchmaking, b.Webhooks, find, b.session, c.Sentences)
		days        = puzzles.NewDays(b.Tables, c.Store, c.Tables.Clock)
		leagueRoom  = league.New(b.Tables, b.standings, b.Competitions, onOffer, find, c.Renderer, days)
		guideRoom   = guide.New(b.Tables, onOffer, find, paint, c.Log)
		lobbyRoom   = lobby.New(lobby.Config{
			Tables: b.Tables, Games: onOffer, Find: find, Languages: b.languages, Paint: paint, Session: b.session,
			Log: c.Log, Prune: settingRoom.Prune,
		})
	)
	b.publish = publish.New(publish.Config{
		Tables: b.Tables, Servers: b.Servers, Competitions: b.Competitions, Predictions: b.predictions,
		Reviews:  b.Reviews,
		Webhooks: b.Webhooks, Store: c.Store, Paint: paint,
		Languages: b.languages, Rest: client,
		Private: b.private, Lobby: lobbyRoom, Events: b.events, Clock: c.Tables.Clock, Log: c.Log,
		Page: c.Page != nil,
	})
	learnRoom := learn.New(b.Tables, onOffer, paint, lobbyRoom.FirstGame)
	b.puzzles = puzzles.New(puzzles.Config{
		Tables: b.Tables, Days: days, Games: onOffer, Find: find, Paint: paint, Languages: b.languages, Rest: client,
		Log: c.Log,
	})
	studyRoom := study.New(study.Config{Tables: b.Tables, Games: onOffer, Find: find, Paint: paint, Rest: client,
		Log: c.Log, Studies: study.NewStudies(b.Tables, c.Store, c.Tables.Clock, c.Log, study.MaxStudies)})
	b.tournament = tournament.New(tournament.Config{
		Tables: b.Tables, Competitions: b.Competitions, Games: onOffer, Find: find, Languages: b.languages,
		Pictures: c.Renderer, Rest: client,
		Session: b.session, Publish: b.publish, Log: c.Log,
	})
	b.archive = archive.New(archive.Config{
		Tables: b.Tables, Standings: b.standings, Reviews: b.Reviews, Games: onOffer, Find: find, Paint: paint,
		Pictures: c.Renderer, Turn: turnRoom, Log: c.Log,
		Competition: b.tournament.Export, CompleteCompetition: b.tournament.CompleteExport,
	})
	b.seeks = seek.New(seek.Config{Tables: b.Tables, Matchmaking: b.Matchmaking, Games: onOffer, Find: find,
		Languages: b.languages, Rest: client,
		Lobby: lobbyRoom, Publish: b.publish, Private: b.private, Log: c.Log})
	rooms := []interact.Room{lobbyRoom, b.seeks, turnRoom, learnRoom, b.puzzles, studyRoom, guideRoom, leagueRoom,
		b.tournament, b.archive, settingRoom, predict.New(b.Tables, b.predictions, find)}
	if c.Page != nil {
		page := web.Config{URL: c.Page, Tables: b.Tables, Store: c.Store, Games: onOffer, Find: find, Paint: paint,
			Archive: b.archive, Sentences: c.Sentences, Login: c.Login, Activity: c.Activity, Session: b.session,
			Clock: c.Tables.Clock,
			Log:   c.Log}
		if c.Metrics != nil {
			page.Answered, page.Sent, page.Touched = c.Metrics.Served, c.Metrics.PageMessage, c.Metrics.Touched
		}
		b.page = web.New(page)
		rooms = append(rooms, b.page)
	}
	return interact.NewRegistry(rooms...)
}

// Page returns the page for playing in the browser; nil if there is none.
func (b *Bot) Page() *web.Room { return b.page }

// Ready returns a channel that is closed once the bot is connected and publishes. The bot has tried to register its
// commands by then, and retries if that failed.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// Run connects, and answers until ctx is done. Then it disconnects, finishes running work within grace, and returns
// nil. It returns a *gateway.StartError for a fault that an operator can fix.
func (b *Bot) Run(ctx context.Context, grace time.Duration) error {
	app, err := b.gateway.Identify(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	b.registrar.Suit(app)
	if b.page != nil {
		b.page.Application(app.ID)
	}
	registered, err := b.registrar.Register(ctx, app.ID)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}

	var background sync.WaitGroup
	defer background.Wait()
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServing()
	if !registered {
		background.Go(func() { b.registrar.Keep(serving, app.ID) })
	}
	b.gateway.On(func(missed bool, e *discordgo.InteractionCreate) {
		if e.Interaction == nil || e.Interaction.Type == 0 {
			return // the library sends an empty event for components of an unknown type
		}
		now := time.Now()
		age := b.ages.of(e.ID, now)
		// After answerable, Discord tells the user that the bot did not respond. The user may have acted again since,
		// and a late action would be a surprise.
		if missed && age > answerable {
			b.log.InfoContext(ctx, "an interaction came while there was no connection; it is too old to be answered",
				"guild", e.GuildID, "age", age)
			return
		}
		b.languages.Note(e.Interaction)
		if b.fleet == nil {
			b.router.Accept(serving, e.Interaction, interact.Arrival{At: now})
			return
		}
		b.fleet.accept(serving, b.router, e.Interaction, now, age)
	})
	b.gateway.On(func(e *discordgo.GuildCreate) { b.languages.NoteServer(e.Guild) })
	b.gateway.On(func(e *discordgo.GuildUpdate) { b.languages.NoteServer(e.Guild) })
	b.guard.Watch(b.gateway)
	b.publish.Watch(ctx, b.gateway)
	started := func() {
		background.Go(func() { b.puzzles.KeepPosting(serving) })
		background.Go(func() { b.seeks.Keep(serving) })
		background.Go(func() { b.publish.KeepDigests(serving) })
		background.Go(func() { b.caller.Keep(serving) })
		close(b.ready)
		b.log.InfoContext(ctx, "ready", "application", app.ID)
	}
	told := make(chan time.Time, 1) // when the bot was told to stop
	defer context.AfterFunc(ctx, func() { told <- time.Now() })()
	began, err := b.serve(ctx, grace, started)
	if !began {
		b.events.Stop()
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	stopping := time.Now()
	select {
	case stopping = <-told: // the handover has used part of the grace period
	default:
	}
	finish, cancel := context.WithDeadline(context.WithoutCancel(ctx), stopping.Add(grace))
	defer cancel()
	b.router.Drain(finish)
	b.events.Close(finish)
	if cerr := b.Tables.Close(finish); cerr != nil {
		b.log.WarnContext(ctx, "not everything could be said before stopping; it will be said after the next start",
			"error", rest.Scrub(cerr))
	}
	return err
}

// serve connects for all shards, or for this process's share of them, and keeps them connected until ctx is done. It
// calls ready once they are connected. began reports whether it started publishing.
func (b *Bot) serve(ctx context.Context, grace time.Duration, ready func()) (began bool, err error) {
	start := func() {
		b.Competitions.Start(b.tournament)
		b.Tables.Start(b.publish)
	}
	if b.fleet == nil {
		b.gateway.OnConnection(b.Tables.SetOnline)
		if err := b.gateway.Open(ctx); err != nil {
			return false, err
		}
		start()
		ready()
		return true, b.gateway.Keep(ctx)
	}
	return b.fleet.serve(ctx, grace, work{
		gateway: b.gateway, tables: b.Tables, start: start, ready: ready,
		gaining: func() {
			b.Tables.Sharing.Gaining()
			b.tournament.Doubt()
		},
		gained: func(ctx context.Context) {
			b.Tables.Sharing.Gained(ctx)
			b.puzzles.LookAgain()
			b.Matchmaking.Poke()
		},
	})
}
