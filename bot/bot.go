// Package bot is marque on Discord: it turns slash commands, buttons and menus into commands of the table
// (package bot/table), and the table's news into messages with boards. It knows no game: everything that it
// shows or offers comes from the contract in package games.
package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/table"
	"marque/games"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
)

// Config is what a Bot is made of.
type Config struct {
	// Token is the bot's token, without "Bot ". It is never logged.
	Token string
	// Client sends the bot's requests and finds the gateway; http.DefaultTransport's settings with enough idle
	// connections when nil. The local Discord gives one that leads to itself.
	Client *http.Client
	// Tables carries out the commands. The Bot is its publisher: it calls Start and Close.
	Tables *table.Service
	// Games are the games on offer, in order.
	Games []games.Game
	// Renderer paints the boards.
	Renderer *render.Renderer
	// Sentences says the messages.
	Sentences *locale.Catalogue
	Log       *slog.Logger
}

// Bot answers Discord.
type Bot struct {
	tables   *table.Service
	games    []games.Game
	pictures *render.Renderer
	say      *locale.Catalogue
	log      *slog.Logger

	session *discordgo.Session
	gateway *gateway
	events  *events
	rest    rest
	router  *router
	films   films

	mu      sync.Mutex
	locales map[string]string // by guild: the language of public messages, from the guild's own setting; bounded
	ready   chan struct{}     // closed once the bot is connected and its commands are there
}

// New makes a bot. Nothing is sent before Run.
func New(c Config) (*Bot, error) {
	if c.Client == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 64
		c.Client = &http.Client{Transport: transport, Timeout: requestTimeout}
	}
	s, err := newSession(c.Token, c.Client)
	if err != nil {
		return nil, err
	}
	b := &Bot{
		tables: c.Tables, games: c.Games, pictures: c.Renderer, say: c.Sentences, log: c.Log,
		session: s, rest: rest{session: s}, films: newFilms(), locales: map[string]string{}, ready: make(chan struct{}),
	}
	b.gateway, b.events = newGateway(s, c.Log), newEvents(c.Log)
	commands, components := b.commandRoutes(), b.componentRoutes()
	b.addTimeRoutes(commands, components)
	b.router = &router{
		commands: commands, components: components, prepare: b.prepare, tell: b.tell,
		rest: b.rest, log: c.Log, say: c.Sentences,
		slots: make(chan struct{}, maxInteractions), waiting: make(chan struct{}, maxWaiting), patience: patience,
	}
	b.addRecordRoutes(b.router.commands, b.router.components)
	return b, nil
}

// Ready is closed once the bot is connected, its commands are registered and it publishes.
func (b *Bot) Ready() <-chan struct{} { return b.ready }

// Run connects, answers until ctx is done, disconnects, and finishes what is under way and says
// what is due within grace. It returns nil then, and a *StartError for what an operator can mend.
func (b *Bot) Run(ctx context.Context, grace time.Duration) error {
	app, err := b.gateway.identify(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	changed, err := register(ctx, b.session, app.ID, b.Commands())
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		var se *StartError
		if errors.As(err, &se) {
			return err
		}
		return fmt.Errorf("the commands could not be registered: %w", scrub(err))
	}
	b.log.Info("commands are registered", "changed", changed)

	var filming sync.WaitGroup
	defer filming.Wait()
	serving, stopServing := context.WithCancel(context.WithoutCancel(ctx))
	defer stopServing()
	filming.Go(func() { b.keepFilming(serving) })
	b.gateway.on(func(_ *discordgo.Session, e *discordgo.InteractionCreate) {
		if e.Interaction == nil || e.Interaction.Type == 0 {
			return // a component of a type that the library does not know makes it fire empty
		}
		b.noteLocale(e.Interaction)
		b.router.accept(serving, e.Interaction)
	})
	b.watch(ctx)
	b.gateway.online = b.tables.SetOnline
	if err := b.gateway.open(ctx); err != nil {
		b.events.stop()
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	b.tables.Start(b)
	close(b.ready)
	b.log.Info("ready", "application", app.ID)

	err = b.gateway.keep(ctx)

	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	b.router.drain(finish)
	b.events.close(finish)
	if cerr := b.tables.Close(finish); cerr != nil {
		b.log.Warn("not everything could be said before stopping; it will be said after the next start", "error", scrub(cerr))
	}
	return err
}

// maxLocales bounds the languages remembered; beyond it they are learnt anew.
const maxLocales = 10_000

// noteLocale remembers the language of a server, for public messages.
func (b *Bot) noteLocale(i *discordgo.Interaction) {
	if i.GuildID == "" || i.GuildLocale == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.locales) >= maxLocales {
		clear(b.locales)
	}
	b.locales[i.GuildID] = string(*i.GuildLocale)
}

// guildLocale is the language of a server's public messages; "" (English) until it is known.
func (b *Bot) guildLocale(guild string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.locales[guild]
}

// game finds a game by its key. Its error tells the player which there are.
func (b *Bot) game(key string) (games.Game, error) {
	var names []text.Message
	for _, g := range b.games {
		if g.Key() == key {
			return g, nil
		}
		names = append(names, g.Info().Name)
	}
	return nil, playerError{text.M("bot.error.no-game", "Game", key, "Want", text.Or(names))}
}

// accent colours the edge of messages that belong to no player.
const accent = 0xB8860B

// Commands are the slash commands as they are registered.
func (b *Bot) Commands() []*discordgo.ApplicationCommand {
	c := commandSet{b.say, b.games}
	const (
		str     = discordgo.ApplicationCommandOptionString
		integer = discordgo.ApplicationCommandOptionInteger
		boolean = discordgo.ApplicationCommandOptionBoolean
		person  = discordgo.ApplicationCommandOptionUser
	)
	least, most := 1.0, 0
	for _, g := range b.games {
		_, m := g.Seats()
		most = max(most, m)
	}
	players := c.option(integer, "players")
	players.MinValue, players.MaxValue = &least, float64(most)
	at := c.option(integer, "at")
	zero := 0.0
	at.MinValue = &zero
	tableOption := func() *discordgo.ApplicationCommandOption { return completed(c.option(str, "table")) }

	play := []*discordgo.ApplicationCommandOption{required(c.gameOption())}
	for i := range most - 1 {
		play = append(play, c.option(person, opponentOptions[i]))
	}
	play = append(play, players)
	play = append(play, b.computerOptions(c, most)...)
	play = append(play, c.gameOptions()...)
	play = append(play, c.option(boolean, "order"), c.option(boolean, "rated"))
	play = append(play, b.clockOptions(c)...)

	move := completed(required(c.option(str, "move")))
	move.MaxLength = maxTyped
	commands := []*discordgo.ApplicationCommand{
		c.command("play", play...),
		c.command("join", tableOption()),
		c.command("leave", tableOption()),
		c.command("start", tableOption()),
		c.command("move", move, tableOption()),
		c.command("board", tableOption(), at, c.option(boolean, "text"), c.option(boolean, "share")),
		c.command("hand", tableOption()),
		c.command("draw", tableOption()),
		c.command("resign", tableOption()),
		c.command("abandon", tableOption()),
		c.command("games", c.option(boolean, "mine"), c.option(boolean, "open")),
		c.command("rules", required(c.gameOption()), completed(c.option(str, "section"))),
		c.command("help"),
	}
	commands = append(commands, b.computerCommands(c, tableOption)...)
	commands = append(commands, b.recordCommands(c)...)
	return append(commands, b.timeCommands(c, tableOption)...)
}

// opponentOptions are the names of the options that invite somebody.
var opponentOptions = []string{"opponent", "opponent2", "opponent3", "opponent4"}

// maxTyped bounds a typed move, in characters.
const maxTyped = 100

func (b *Bot) commandRoutes() map[string]route {
	shared := func(r *request) bool { return r.flag("share") }
	return map[string]route{
		"play":     {handle: b.play, complete: b.completeClock},
		"join":     {handle: b.join, complete: b.completeTable},
		"leave":    {handle: b.leave, complete: b.completeTable},
		"start":    {handle: b.start, complete: b.completeTable},
		"move":     {handle: b.move, complete: b.completeMove},
		"board":    {handle: b.board, complete: b.completeTable, public: shared},
		"hand":     {handle: b.hand, complete: b.completeTable},
		"review":   {handle: b.review, complete: b.completeTable},
		"hint":     {handle: b.hint, complete: b.completeTable},
		"computer": {handle: b.computer, complete: b.completeTable},
		"draw":     {handle: b.draw, complete: b.completeTable},
		"resign":   {handle: b.resign, complete: b.completeTable},
		"abandon":  {handle: b.abandon, complete: b.completeTable},
		"games":    {handle: b.listGames},
		"rules":    {handle: b.rules, complete: b.completeSection},
		"help":     {handle: b.help},
	}
}

func (b *Bot) componentRoutes() map[string]route {
	return map[string]route{
		actionJoin:      {handle: b.join},
		actionLeave:     {handle: b.leave},
		actionStart:     {handle: b.start},
		actionMove:      {handle: b.openStepper},
		actionStep:      {handle: b.step, updates: true},
		actionPlay:      {handle: b.playStepped, updates: true},
		actionHand:      {handle: b.hand},
		actionText:      {handle: b.textBoard},
		actionAt:        {handle: b.stepBoard, updates: true},
		actionAgree:     {handle: b.agree},
		actionDecline:   {handle: b.decline},
		actionConfirm:   {handle: b.confirmed, updates: true},
		actionComputer:  {handle: b.askLevel},
		actionLevel:     {handle: b.addComputer, updates: true},
		actionReview:    {handle: b.reviewPage, updates: true},
		actionDismiss:   {handle: b.dismissComputer},
		actionGamesPage: {handle: b.gamesPage, updates: true},
		"rules":         {handle: b.rulesChapter, updates: true},
	}
}

// The actions of custom_ids.
const (
	actionJoin      = "join"
	actionLeave     = "leave"
	actionStart     = "start"
	actionMove      = "move"
	actionStep      = "step"
	actionPlay      = "do"
	actionHand      = "hand"
	actionText      = "text"
	actionAt        = "at"
	actionAgree     = "agree"
	actionDecline   = "decline"
	actionConfirm   = "confirm"
	actionGamesPage = "games"
	actionComputer  = "computer"
	actionLevel     = "level"
	actionDismiss   = "dismiss"
	actionReview    = "review"
)
