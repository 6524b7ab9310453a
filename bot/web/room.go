// Package web serves a page in the browser on which people play by touching the board. The page shows what the stepper
// asks. It carries out its user's acts by the same handlers, within the same limits, as acts on Discord. docs/web.md
// describes what the page and the program send to each other.
package web

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/hashicorp/golang-lru/v2/expirable"

	"marque/bot/archive"
	"marque/bot/interact"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

// Config has the parts and settings of a Room.
type Config struct {
	URL       *url.URL // the public address: scheme and host, without a path
	Tables    *table.Service
	Store     *storage.Store
	Games     show.Games
	Find      *interact.Finder
	Paint     *show.Painter
	Archive   *archive.Room // reports of games
	Sentences *locale.Catalogue
	Login     Login
	Activity  Activity
	Session   *discordgo.Session // asks Discord for members and logins
	Clock     timesource.Clock   // the machine's when nil
	Log       *slog.Logger
	Answered  func(what string, status int) // receives every request; may be nil
	Sent      func()                        // called for every message to a page; may be nil
	// Touched receives the times that pages say passed from a touch to the picture that follows; may be nil.
	Touched func(time.Duration)
}

// Room serves the page.
type Room struct {
	Config
	router  *interact.Router                          // set by Through
	members *expirable.LRU[string, *discordgo.Member] // by server and user; nil for a user who is no member
	callers *callers
	proxies *callers // users that ask for pages inside Discord
	mux     *http.ServeMux
	hub     *hub

	application atomic.Pointer[string] // the bot's application id, once known
	logins      chan struct{}
	loginAfter  atomic.Pointer[time.Time]
	sharing     chan struct{}
}

// memberTime is how long a user's membership and roles are remembered.
const (
	memberTime = time.Minute
	maxMembers = 20_000
)

// New makes a Room. It answers requests once Through was called.
func New(c Config) *Room {
	if c.Clock == nil {
		c.Clock = timesource.System{}
	}
	if c.Answered == nil {
		c.Answered = func(string, int) {}
	}
	if c.Sent == nil {
		c.Sent = func() {}
	}
	if c.Touched == nil {
		c.Touched = func(time.Duration) {}
	}
	c.Login.Authorize = cmp.Or(c.Login.Authorize, discordgo.EndpointDiscord+"oauth2/authorize")
	rm := &Room{Config: c, callers: newCallers(1), proxies: newCallers(proxied), hub: newHub(),
		logins:  make(chan struct{}, maxLogins),
		sharing: make(chan struct{}, maxSharing),
		members: expirable.NewLRU[string, *discordgo.Member](maxMembers, nil, memberTime)}
	rm.mux = rm.routes()
	return rm
}

// Through sets the router that carries out the acts of the page's users.
func (rm *Room) Through(router *interact.Router) { rm.router = router }

// Pages returns how many pages are open.
func (rm *Room) Pages() int { return rm.hub.pages() }

// Commands returns none: a button opens the page, or the Entry Point that Discord makes.
func (rm *Room) Commands() []interact.Command { return nil }

// The actions of this room's controls.
const (
	actionAllow show.Action = "share-allow"
	actionAsk   show.Action = "share-ask"
)

// Actions returns the button under a board, the button beside its link, and those for the page of a finished game.
func (rm *Room) Actions() []interact.Action {
	everybody := func(*interact.Request) bool { return true }
	list := []interact.Action{
		{Name: show.ActionPage, Route: interact.Route{Handle: rm.open}},
		{Name: show.ActionSharePage, Route: interact.Route{Handle: rm.share}},
		{Name: actionAllow, Route: interact.Route{Handle: rm.allow, Updates: true, Beside: true}},
		{Name: actionAsk, Route: interact.Route{Handle: rm.askPlayers, Public: everybody}},
	}
	if rm.Activity.Proxy != "" {
		list = append(list, interact.Action{Name: show.ActionLaunch, Route: interact.Route{Handle: rm.launch}})
	}
	return list
}

// open answers the button with a link for the user alone. The Activity is offered beside the link and does not take its
// place: Discord opens none in many servers and threads, and does not always say so to the bot.
func (rm *Room) open(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, err := rm.Find.Table(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	link, err := rm.link(ctx, r.User.ID, snap.ID)
	if err != nil {
		return interact.Reply{}, err
	}
	var beside []discordgo.MessageComponent
	if rm.Activity.Proxy != "" {
		beside = append(beside, show.LaunchButton(snap, r.Say))
	}
	return interact.Reply{New: linkMessage(rm.aboutLink(r), link, r.Say, beside...)}, nil
}

// linkMessage has a button that opens an address, and further buttons.
func linkMessage(said, link string, s *locale.Speaker, beside ...discordgo.MessageComponent) *show.Message {
	m := show.Text(said)
	open := discordgo.Button{Style: discordgo.LinkButton, Label: s.Say(text.M("bot.page.open")), URL: link}
	m.Components = append(m.Components, discordgo.ActionsRow{
		Components: append([]discordgo.MessageComponent{open}, beside...)})
	return m
}

// callers limits the rate and the number of requests of one address.
type callers struct {
	mu   sync.Mutex
	seen *expirable.LRU[string, *allowance]
	open map[string]int

	times int // no more than atOnce, burst and perSecond allow
}

type allowance struct {
	left float64
	at   time.Time
}

// An address may make burst requests at once, and perSecond a second in the long run. The other limits are the open
// requests of one address, including pages that listen, and the open connections that do not come through a proxy.
const (
	atOnce     = 200
	burst      = 300
	perSecond  = 50
	maxCallers = 50_000
)

func newCallers(times int) *callers {
	return &callers{seen: expirable.NewLRU[string, *allowance](maxCallers, nil, time.Minute),
		open: map[string]int{}, times: times}
}

// enter counts a request or connection of an address until leave is called; false when there is no room for it.
func (c *callers) enter(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[address] >= atOnce*c.times {
		return false
	}
	c.open[address]++
	return true
}

func (c *callers) leave(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[address]--; c.open[address] == 0 {
		delete(c.open, address)
	}
}

// may reports whether an address may make a request now, and counts the request.
func (c *callers) may(address string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	most := burst * float64(c.times)
	a, ok := c.seen.Get(address)
	if !ok {
		a = &allowance{most, now}
	}
	a.left = min(most, a.left+perSecond*float64(c.times)*now.Sub(a.at).Seconds())
	a.at = now
	c.seen.Add(address, a)
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}
