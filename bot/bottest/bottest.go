// Package bottest runs the whole bot for tests: against the local Discord, with the real store, rules and pictures. A
// test plays with commands, buttons, menus and forms, as people do, and waits for the bot's answers.
//
//	r := bottest.New(t)
//	turn := r.OpenLoyal(bottest.Two)
//	r.Click(r.Mover(turn), turn, "Move")
//
// Only tests import it. A package of such tests has a TestMain that calls Main.
package bottest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot"
	"marque/bot/choices"
	"marque/bot/compete"
	"marque/bot/incident"
	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/bot/matchmaking"
	"marque/bot/metrics"
	"marque/bot/privacy"
	"marque/bot/rest"
	"marque/bot/reviews"
	"marque/bot/servers"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/bot/timesource/manual"
	"marque/bot/web"
	"marque/bot/webhook"
	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/fair"
	"marque/games/text/locale"
	"marque/render"
	"marque/storage"
	"marque/storage/storagetest"
)

// Store is the bot's store.
type Store = bot.RoomStore

// Rig is one bot, or several that share a store, against the local Discord: an unmodified discordgo, the real store,
// the real pictures.
type Rig struct {
	T      testing.TB
	Ctx    context.Context // ends with the test, or after testTime
	Server *localdiscord.Server
	Store  *storage.Store
	File   string // the file of the store
	Log    *Log   // the bot's log: errors and names of people in it fail the test

	Tables       *table.Service
	Privacy      *privacy.Service
	Servers      *servers.Service
	Competitions *compete.Service
	Matchmaking  *matchmaking.Service
	Reviewed     *reviews.Service
	Hooks        *webhook.Service
	Clock        timesource.Clock // for the local Discord and the tables; nil for the machine's clock

	Grace time.Duration              // time for due tasks when the bot stops
	Wrap  func(*storage.Store) Store // wraps the bot's store; nil for an unhurried store
	Seed  func() fair.Seed           // makes the secrets of tables; nil for the same secrets in every run
	Stop  func()                     // stops the bot and closes its store; Start starts the bot again
	Leave func()                     // stops the bot, and leaves the store to others
	// servers have the settings of new ones; otherwise they keep old boards, and tables in their channel, for tests
	// that check this
	Quiet bool

	Leases storage.Leases // shared with other bots; nil for a single bot

	Metrics *metrics.Metrics // the bot's metrics; nil for none

	Pacing  timesource.Clock // for the pace of sessions with Discord; nil for the machine's clock
	Reviews bool             // finished games are reviewed; otherwise every move counts as the best
	// the computer players at tables; nil for those that Reviews selects
	Computers table.Computers

	// number of positions of tables in memory; 0 for the program's own number
	CachePositions int
	Transport      func(http.RoundTripper) http.RoundTripper // wraps the transport of the bot's requests; nil for none

	Webhooks http.RoundTripper // carries the calls of webhooks; nil for the program's own transport

	Page    bool   // tables can be played on in the browser
	PageURL string // its address, once the bot runs

	Activity bool // the page is inside Discord, too

	ChannelPosts bool // all boards are posted with the bot's token

	Enforced bool // the local Discord enforces Discord's limits, and the bot keeps to them

	Locales []fs.FS // an operator's own translations

	Marked int // number of pictures of steps in which the possible choices were marked
}

// uncritical are computer players that rate every move as the best one, so that reviews take no time.
type uncritical struct{ computer.Pool }

func (*uncritical) Assess(_ context.Context, _ games.View, played games.Move, _ computer.Effort,
	_ uint64) (computer.Assessment, error) {
	return computer.Assessment{Better: played, Had: 0.5, Left: 0.5}, nil
}

// unhurried is a store that waits until its jobs are finished, instead of answering after a second that a job
// continues. So a user's data is deleted when the answer arrives, however slow the machine is.
type unhurried struct {
	*storage.Store
	ctx context.Context
}

func (s unhurried) Finished(_ context.Context, w storage.Work) error {
	ctx, cancel := context.WithTimeout(s.ctx, Patience)
	defer cancel()
	return s.Store.Finished(ctx, w)
}

// Log is everything that the bot has logged.
type Log struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// Clear forgets the lines logged so far, such as errors that a test caused on purpose.
func (l *Log) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Reset()
}

// machineTime is how long a busy machine may take to answer an interaction. Discord allows three seconds; other tests
// check without a clock that the bot respects this limit and gives up in the end.
const machineTime = 10 * time.Minute

// unlimited is more than the number of requests a second in any test. Other tests check that the bot respects Discord's
// limits.
const unlimited = 1e6

// testTime limits a whole test.
const testTime = 20 * time.Minute

// Patience limits each wait, even on a busy machine and with the race detector. If the wait is in vain, the test fails,
// and other tests still have time.
const Patience = 5 * time.Minute

// Main is the TestMain of a package of such tests. The tests share one browser, and more of them run concurrently than
// there are cores, because they mostly wait.
func Main(m *testing.M) { os.Exit(pagetest.Run(func() int { return manual.Run(m) })) }

// New starts a local Discord and the bot. Everything is checked and closed when the test ends.
func New(t testing.TB, options ...func(*localdiscord.Options)) *Rig {
	t.Helper()
	return NewWith(t, func(*Rig) {}, options...)
}

// NewWith is New, and calls prepare with the rig before the bot starts.
func NewWith(t testing.TB, prepare func(*Rig), options ...func(*localdiscord.Options)) *Rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	t.Cleanup(cancel)
	r := &Rig{T: t, Ctx: ctx, File: filepath.Join(t.TempDir(), "marque.db"), Log: &Log{}, Grace: 10 * time.Second}
	o := localdiscord.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), OnRequest: validateRequest(t),
		OnEvent:      validateEvent(t),
		AnswerWithin: machineTime, Requests: localdiscord.Unlimited}
	for _, f := range options {
		f(&o)
	}
	if o.Clock != nil {
		r.Clock = o.Clock
	}
	if clock, ok := r.Clock.(*manual.Clock); ok {
		clock.Before(r.awaitNews)
	}
	prepare(r)
	if r.Seed == nil {
		r.Seed = seedsOf(t.Name())
	}
	if r.Enforced {
		o.Requests = 0
	}
	r.Server = localdiscord.New(o)
	if err := r.Server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Server.Close() })
	r.Start()
	for _, guild := range []string{localdiscord.Tortuga, localdiscord.Nassau} {
		if !r.Quiet {
			r.Configure(guild, func(c *choices.Settings) {
				c.Boards, c.Threads = choices.BoardsKeep,
					choices.ThreadsWhenBusy
			})
		}
	}
	t.Cleanup(func() {
		r.Stop()
		s := r.Log.String()
		if strings.Contains(s, "level=ERROR") && !t.Failed() {
			t.Errorf("errors were logged:\n%s", s)
		}
		if found := NamesIn(s, WorldNames); found != nil {
			t.Errorf("%q in the log, which should hold ids:\n%s", found, s)
		}
	})
	return r
}

// seedsOf returns a function that makes the secrets of a test's tables. They look random and are the same in every run.
// The draws of a game also depend on the interactions, whose ids contain the time, so games with dice differ from run
// to run.
func seedsOf(test string) func() fair.Seed {
	var made atomic.Int64
	return func() fair.Seed { return sha256.Sum256(fmt.Append(nil, test, made.Add(1))) }
}

// Start opens the rig's file and runs the bot on it. Tests call it after Stop.
func (r *Rig) Start() {
	r.T.Helper()
	store, err := storagetest.OpenFile(r.File)
	if err != nil {
		r.T.Fatal(err)
	}
	r.Store = store
	r.Leave = sync.OnceFunc(r.Join())
	var once sync.Once
	r.Stop = func() {
		once.Do(func() {
			r.Leave()
			if err := store.Close(); err != nil {
				r.T.Errorf("the store closed with %v", err)
			}
		})
	}
}

// Join runs one more bot on the rig's store until stop is called.
func (r *Rig) Join() (stop func()) {
	r.T.Helper()
	store := r.Store
	sentences, err := locale.Load(r.Locales...)
	if err != nil {
		r.T.Fatal(err)
	}
	log := slog.New(incident.Attach(slog.NewTextHandler(r.Log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	var kept Store = unhurried{store, r.Ctx}
	if r.Wrap != nil {
		kept = r.Wrap(store)
	}
	tables := table.Config{Computers: &uncritical{}, CachePositions: r.CachePositions, NewSeed: r.Seed, Clock: r.Clock}
	if r.Reviews {
		tables.Computers = &computer.Pool{}
	}
	if r.Computers != nil {
		tables.Computers = r.Computers
	}
	client := r.Server.HTTPClient()
	if r.Transport != nil {
		client.Transport = r.Transport(client.Transport)
	}
	requests := int(unlimited)
	if r.Enforced {
		requests = rest.PerSecond
	}
	var (
		page *url.URL
		on   net.Listener
	)
	if r.Page {
		address := "127.0.0.1:0"
		if r.PageURL != "" { // the page had this address before
			address = strings.TrimPrefix(r.PageURL, "http://")
		}
		if on, err = net.Listen("tcp", address); err != nil {
			r.T.Fatal(err)
		}
		page = &url.URL{Scheme: "http", Host: on.Addr().String()}
		r.PageURL = page.String()
		r.Server.RegisterRedirect(web.Redirect(page))
	}
	activity := web.Activity{}
	if r.Activity {
		r.Server.EnableActivity(page)
		activity = web.Activity{Proxy: r.Server.ActivityProxy(), Frames: r.Server.Origin()}
	}
	b, err := bot.New(bot.Config{
		Page: page, Login: web.Login{Secret: localdiscord.ClientSecret, Authorize: r.Server.AuthorizeURL()},
		Activity: activity,
		Token:    r.Server.Token(), Client: client, Requests: requests, Store: store, Tables: tables,
		RoomStore: kept,
		Games:     catalog.Games, Renderer: painter(r.T), Sentences: sentences, Log: log, Clock: r.Pacing,
		AnswerTime: machineTime, ChannelPosts: r.ChannelPosts, Leases: r.Leases, Metrics: r.Metrics,
		Webhooks: r.Webhooks,
	})
	if err != nil {
		r.T.Fatal(err)
	}
	r.Tables, r.Servers, r.Competitions, r.Matchmaking = b.Tables, b.Servers, b.Competitions, b.Matchmaking
	r.Privacy = privacy.New(r.Tables, kept, nil)
	r.Reviewed, r.Hooks = b.Reviews, b.Webhooks
	stopPage := func(context.Context) {}
	if on != nil {
		stopPage = b.Page().Serve(on)
	}
	ctx, cancel := context.WithCancel(r.Ctx)
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx, r.Grace) }()
	select {
	case err := <-done:
		r.T.Fatalf("the bot did not start: %v\n%s", err, r.Log)
	case <-b.Ready():
	case <-r.Ctx.Done():
		r.T.Fatalf("the bot is not ready: %v\n%s", r.Ctx.Err(), r.Log)
	}
	return func() {
		cancel()
		if err := <-done; err != nil {
			r.T.Errorf("the bot stopped with %v", err)
		}
		stopPage(r.Ctx)
	}
}

var (
	painterOnce sync.Once
	thePainter  *render.Renderer
	painterErr  error
)

// PictureWidth is the width of the tests' pictures: a third of their width on Discord, because painting and packing
// full-size pictures would take half of the tests' time. If a folder or a film is set for pictures, they have the full
// width.
var PictureWidth = func() int {
	if os.Getenv("MARQUE_GALLERY")+os.Getenv("LOCALDISCORD_SHOTS")+os.Getenv("MARQUE_LOOK")+
		os.Getenv("MARQUE_FILM") != "" {
		return render.UsualWidth
	}
	return render.UsualWidth / 3
}()

// ProjectFolder returns the folder of the project, above the tested package.
func ProjectFolder(t testing.TB) string {
	t.Helper()
	for folder := ".."; len(folder) < 100; folder = filepath.Join(folder, "..") {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
	}
	t.Fatal("no folder above has a go.mod")
	return ""
}

// painter returns the renderer that all tests of a package share, because painting the backgrounds again for each test
// would take most of the time.
func painter(t testing.TB) *render.Renderer {
	t.Helper()
	painterOnce.Do(func() { thePainter, painterErr = render.New(PictureWidth) })
	if painterErr != nil {
		t.Fatal(painterErr)
	}
	return thePainter
}

// Configure changes a server's settings.
func (r *Rig) Configure(guild string, f func(*choices.Settings)) {
	r.T.Helper()
	if _, err := r.Tables.Choices.ChangeSettings(r.Ctx, guild, f); err != nil {
		r.T.Fatal(err)
	}
}

// waiting returns a context that limits one wait. After each minute of the wait, a test's clock is moved forward, by a
// minute at first and then by more. This helps a worker that checked the time just before the test moved the clock: it
// would check again only seconds or a day later by that clock.
func (r *Rig) waiting() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.Ctx, Patience)
	if clock, ok := r.Clock.(*manual.Clock); ok {
		go func() {
			tick, on := time.NewTicker(time.Minute), time.Minute
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					clock.Jump(on)
					on = min(15*on, 25*time.Hour)
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	return ctx, cancel
}

// awaitNews waits until the messages of all games are published, because clocks are stopped while messages wait. It
// does not wait if the local Discord has a fault, nor for refused messages. A test that delays messages in another way
// lets its clock Jump.
func (r *Rig) awaitNews() {
	ctx, cancel := context.WithTimeout(r.Ctx, Patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !r.Server.Faulty() && r.newsWaits(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.T.Errorf("the clock moves before the news of a game are told\n%s", r.Log)
			return
		}
	}
}

// newsWaits reports whether messages of a game wait to be published and were not refused. It is false if the store is
// closed.
func (r *Rig) newsWaits(ctx context.Context) bool {
	const most = 100
	ids, err := r.Store.Pending(ctx, 0, most)
	for _, id := range ids {
		t, err := r.Store.News(ctx, id)
		if h := t.Head; err != nil || h.Status == storage.Playing && t.Published < h.Version &&
			h.Retell.Tries == 0 && h.Timing.HeldSince == 0 {
			return true
		}
	}
	return err != nil && !errors.Is(err, storage.ErrClosed)
}

// Wait waits until cond is true. It checks cond after every change in the local Discord, and each second, because the
// bot also changes its store.
func (r *Rig) Wait(cond func() bool) error {
	ctx, cancel := r.waiting()
	defer cancel()
	for {
		once, stop := context.WithTimeout(ctx, time.Second)
		err := r.Server.Wait(once, cond)
		stop()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// WaitMessage waits for a message that a user can see and that want accepts. An edited message is checked again.
func (r *Rig) WaitMessage(channel, user string, want func(*localdiscord.Message) bool) (*localdiscord.Message, error) {
	ctx, cancel := r.waiting()
	defer cancel()
	return r.Server.WaitMessage(ctx, channel, user, want)
}

// TurnAfter waits for the board after a move on the given one: a new message or, within a turn, the same message
// edited.
func (r *Rig) TurnAfter(channel string, turn *localdiscord.Message) *localdiscord.Message {
	r.T.Helper()
	before, _ := turn.Button("Move")
	m, err := r.WaitMessage(channel, localdiscord.Anne, func(m *localdiscord.Message) bool {
		if Later(turn.ID, m.ID) || m.EphemeralTo != "" || !TurnOrEnd(m) {
			return false
		}
		now, _ := m.Button("Move")
		return m.ID != turn.ID || now.CustomID != before.CustomID
	})
	if err != nil {
		r.T.Fatalf("waiting for the board after %s: %v\n%s", turn.Text(), err, r.Log)
	}
	return m
}

// Command gives a slash command and returns the bot's answer.
func (r *Rig) Command(user, channel, name string, options ...localdiscord.Option) *localdiscord.Message {
	r.T.Helper()
	reply, err := r.Server.Command(r.Ctx, user, channel, name, options...)
	return r.Answer(reply, err, "/"+name)
}

// Click presses a button, by its label or custom_id, and returns the bot's answer.
func (r *Rig) Click(user string, m *localdiscord.Message, name string) *localdiscord.Message {
	r.T.Helper()
	button, ok := m.Button(name)
	if !ok {
		r.T.Fatalf("no button %q on: %s", name, m.Text())
	}
	reply, err := r.Server.Click(r.Ctx, user, m.ID, button.CustomID)
	return r.Answer(reply, err, "button "+name)
}

// Choose selects an option of a menu, by the menu's custom_id, and returns the bot's answer.
func (r *Rig) Choose(user string, m *localdiscord.Message, menu, value string) *localdiscord.Message {
	r.T.Helper()
	reply, err := r.Server.Select(r.Ctx, user, m.ID, menu, value)
	return r.Answer(reply, err, "menu "+menu)
}

// Answer returns the message that answers an interaction. The test fails if there is none.
func (r *Rig) Answer(reply *localdiscord.Reply, err error, what string) *localdiscord.Message {
	r.T.Helper()
	if err == nil {
		var m *localdiscord.Message
		if m, err = reply.Message(r.Ctx); err == nil {
			return m
		}
	}
	r.T.Fatalf("%s: %v\n%s", what, err, r.Log)
	return nil
}

// Next waits for a message in the channel that comes after the one with id after, and that want accepts.
func (r *Rig) Next(channel, after string, want func(*localdiscord.Message) bool) *localdiscord.Message {
	r.T.Helper()
	m, err := r.WaitMessage(channel, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return Later(m.ID, after) && m.EphemeralTo == "" && !m.Loading && want(m)
	})
	if err != nil {
		last := ""
		if all := r.Server.Messages(channel, localdiscord.Anne); len(all) > 0 {
			last = all[len(all)-1].Text()
		}
		r.T.Fatalf("waiting for a message in %s after %s: %v; the last one there: %s\n%s", channel, after, err, last,
			r.Log)
	}
	return m
}

// Latest returns the id of the last message in a channel; "" if there is none.
func (r *Rig) Latest(channel string) string {
	all := r.Server.Messages(channel, localdiscord.Anne)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].ID
}

// Deadline returns when the player to move at a table runs out of time, and whether a clock runs.
func (r *Rig) Deadline(h table.Head) (time.Time, bool, error) {
	c, err := r.Tables.Choices.Settings(r.Ctx, h.Guild)
	if err != nil {
		return time.Time{}, false, err
	}
	return r.Tables.Lookup.Deadline(r.Ctx, h, c)
}

// WorldNames are names of the local Discord's people, servers and channels, to search for in logs.
var WorldNames = []string{"Anne", "Jack", "Mary", "Bart", "Grace", "Ching", "Tortuga", "Nassau", "Quartermaster",
	"game-tables", "tavern", "harbour"}

// NamesIn returns those of the words that are in a log.
func NamesIn(log string, words []string) (found []string) {
	for _, w := range words {
		if strings.Contains(log, w) {
			found = append(found, w)
		}
	}
	return found
}

// Eventually waits for a condition that no message shows, such as a stored value.
func (r *Rig) Eventually(what string, cond func() bool) {
	r.T.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	ctx, cancel := r.waiting()
	defer cancel()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			if snap, err := r.Tables.Lookup.Snapshot(context.Background(), 1); err == nil {
				what += fmt.Sprintf("; the table is %+v", snap.Head)
			}
			r.T.Fatalf("never %s\n%s", what, r.Log)
		}
	}
}

// RoundTripFunc is a function as an http.RoundTripper.
type RoundTripFunc func(*http.Request) (*http.Response, error)

func (f RoundTripFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Must fails the test on an error.
func (r *Rig) Must(err error) {
	r.T.Helper()
	if err != nil {
		r.T.Fatal(err)
	}
}
