// Package web serves a page in the browser on which people play by touching the board. The page asks the same questions
// as the stepper on Discord. Its user's actions have the same handlers and limits as actions on Discord. docs/web.md
// describes the messages between the page and the program.
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

// Config has the dependencies and settings of a Room.
type Config struct {
	URL       *url.URL // public address of the page: scheme and host, without a path
	Tables    *table.Service
	Store     *storage.Store
	Games     show.Games
	Find      *interact.Finder
	Paint     *show.Painter
	Archive   *archive.Room // reports of games
	Sentences *locale.Catalogue
	Login     Login
	Activity  Activity
	Session   *discordgo.Session // asks Discord about members and logins
	Clock     timesource.Clock   // nil for the machine's clock
	Log       *slog.Logger
	Answered  func(what string, status int) // receives every request; can be nil
	Sent      func()                        // called for every message to a page; can be nil
	// Touched is called with the time from a touch to the next picture, as a page reports it. It can be nil.
	Touched func(time.Duration)
}

// Room serves the page.
type Room struct {
	Config
	router  *interact.Router                          // set by Through
	members *expirable.LRU[string, *discordgo.Member] // members by server and user; nil for a user who is not a member
	callers *callers
	proxies *callers // limits for users whose requests come through Discord's proxy
	mux     *http.ServeMux
	hub     *hub

	application atomic.Pointer[string] // the bot's application id, once known
	logins      chan struct{}
	loginAfter  atomic.Pointer[time.Time]
	sharing     chan struct{}
}

// memberTime is the time for which a user's membership and roles are cached. maxMembers limits the cache.
const (
	memberTime = time.Minute
	maxMembers = 20_000
)

// New returns a Room. It can answer requests after Through is called.
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

// Through sets the router for the actions of the page's users.
func (rm *Room) Through(router *interact.Router) { rm.router = router }

// Pages returns the number of open pages.
func (rm *Room) Pages() int { return rm.hub.pages() }

// Commands returns nil. The page is opened by a button, or by the Entry Point that Discord creates.
func (rm *Room) Commands() []interact.Command { return nil }

// Actions of the controls that this package handles.
const (
	actionAllow show.Action = "share-allow"
	actionAsk   show.Action = "share-ask"
)

// Actions returns the actions of the button that opens the page, of the button next to its link, and of those for the
// page of a finished game.
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

// open answers the button with a link that only the user sees. The Activity is offered in addition to the link, because
// Discord opens none in many servers and threads, and does not always report that to the bot.
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

// linkMessage returns a message with a button that opens an address, and further buttons next to it.
func linkMessage(said, link string, s *locale.Speaker, beside ...discordgo.MessageComponent) *show.Message {
	m := show.Text(said)
	open := discordgo.Button{Style: discordgo.LinkButton, Label: s.Say(text.M("bot.page.open")), URL: link}
	m.Components = append(m.Components, discordgo.ActionsRow{
		Components: append([]discordgo.MessageComponent{open}, beside...)})
	return m
}

// callers limits the rate and the number of requests of each address.
type callers struct {
	mu   sync.Mutex
	seen *expirable.LRU[string, *allowance]
	open map[string]int

	times int // factor for all limits
}

type allowance struct {
	left float64
	at   time.Time
}

// An address can send burst requests in quick succession, and perSecond a second on average. atOnce limits its open
// requests, including pages with an open websocket, and its open connections that do not come through a proxy.
// maxCallers limits the number of addresses that are tracked.
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

// enter counts a request or connection of an address until leave is called. It returns false if there are too many.
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

// may reports whether an address can make a request now, and counts the request.
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
