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

// Store is the part of the bot's store that tests can replace.
type Store = bot.RoomStore

// Rig is a bot for tests, on the local Discord. It uses the real discordgo, store and pictures. Join adds bots that
// share the store.
type Rig struct {
	T      testing.TB
	Ctx    context.Context // ends with the test, or after testTime
	Server *localdiscord.Server
	Store  *storage.Store
	File   string // path of the store's file
	Log    *Log   // log of the bot; errors and WorldNames in it fail the test

	Tables       *table.Service
	Privacy      *privacy.Service
	Servers      *servers.Service
	Competitions *compete.Service
	Matchmaking  *matchmaking.Service
	Reviewed     *reviews.Service
	Hooks        *webhook.Service
	Clock        timesource.Clock // clock of the local Discord and the tables; nil for the machine's clock

	Grace time.Duration              // how long unfinished work may take when the bot stops
	Wrap  func(*storage.Store) Store // wraps the bot's store; nil for unhurried
	Seed  func() fair.Seed           // makes the seeds of tables; nil for the same seeds in every run
	Stop  func()                     // stops the bot and closes its store, until Start is called
	Leave func()                     // stops the bot and keeps its store open, for other bots
	// The servers keep their default settings. If false, they keep old boards and open threads only in busy channels,
	// as most tests need.
	Quiet bool

	Leases storage.Leases // shared with other bots; nil for a single bot

	Metrics *metrics.Metrics // metrics of the bot; nil for none

	Pacing  timesource.Clock // clock of the connection, private messages and webhooks; nil for the machine's clock
	Reviews bool             // reviews judge the moves; otherwise every move counts as the best
	// computer players at tables; nil for those that Reviews selects
	Computers table.Computers

	// number of positions of tables that are kept in memory; 0 for the program's default
	CachePositions int
	Transport      func(http.RoundTripper) http.RoundTripper // wraps the transport of the bot's requests; nil for none

	Webhooks http.RoundTripper // sends the calls of webhooks; nil for the program's own transport

	Page    bool   // tables can be played on in the browser
	PageURL string // URL of the browser page while the bot runs

	Activity bool // the browser page can be opened inside Discord, too

	ChannelPosts bool // all boards are posted with the bot's token

	Enforced bool // the local Discord enforces Discord's rate limits, and the bot keeps to them

	Locales []fs.FS // translations of an operator

	Marked int // number of pictures in which the possible choices of a step were marked
}

// uncritical are computer players that judge every move as the best one, so that reviews take no time.
type uncritical struct{ computer.Pool }

func (*uncritical) Assess(_ context.Context, _ games.View, played games.Move, _ computer.Effort,
	_ uint64) (computer.Assessment, error) {
	return computer.Assessment{Better: played, Had: 0.5, Left: 0.5}, nil
}

// unhurried is a store whose Finished waits up to Patience until a job is finished, because the machine can be slow. It
// ignores the caller's context, which usually ends after a second.
type unhurried struct {
	*storage.Store
	ctx context.Context
}

func (s unhurried) Finished(_ context.Context, w storage.Work) error {
	ctx, cancel := context.WithTimeout(s.ctx, Patience)
	defer cancel()
	return s.Store.Finished(ctx, w)
}

// Log collects all lines that the bot logs.
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

// Clear discards the lines logged so far, such as errors that a test caused on purpose.
func (l *Log) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Reset()
}

// machineTime limits how long the answer to an interaction can take on a busy machine. Discord's limit is three
// seconds; other tests check on a manual clock that the bot respects it.
const machineTime = 10 * time.Minute

// unlimited is more requests a second than any test makes. Other tests check that the bot respects Discord's limits.
const unlimited = 1e6

// testTime limits the duration of one test.
const testTime = 20 * time.Minute

// Patience limits each wait for a message or another condition, even on a busy machine and with the race detector. It
// is short enough that other tests can still run when a wait fails.
const Patience = 5 * time.Minute

// Main runs the tests of a package that uses this package; TestMain calls it. The tests share one browser. More of
// them can run concurrently than there are cores, because they mostly wait.
func Main(m *testing.M) { os.Exit(pagetest.Run(func() int { return manual.Run(m) })) }

// New starts a local Discord and a bot, which are checked and closed when the test ends.
func New(t testing.TB, options ...func(*localdiscord.Options)) *Rig {
	t.Helper()
	return NewWith(t, func(*Rig) {}, options...)
}

// NewWith starts a local Discord and a bot, and calls prepare with the rig before the bot starts.
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

// seedsOf returns a function that makes the seeds of a test's tables. They look random, and are the same in every
// run. Dice, cards and the seating still differ from run to run, because all draws also depend on the ids of
// interactions, which contain the time.
func seedsOf(test string) func() fair.Seed {
	var made atomic.Int64
	return func() fair.Seed { return sha256.Sum256(fmt.Append(nil, test, made.Add(1))) }
}

// Start opens the rig's file and runs a bot on it. New calls it; tests call it again after Stop.
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

// Join runs a bot on the rig's store until stop is called. The services of the rig, such as Tables, are then those of
// this bot.
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
		if r.PageURL != "" { // keep the address that the page had before
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

// PictureWidth is the width in pixels of the tests' pictures: a third of their width on Discord, because full-size
// pictures would take half of the tests' time. It is the full width if an environment variable asks for saved pictures.
var PictureWidth = func() int {
	if os.Getenv("MARQUE_GALLERY")+os.Getenv("LOCALDISCORD_SHOTS")+os.Getenv("MARQUE_LOOK")+
		os.Getenv("MARQUE_FILM") != "" {
		return render.UsualWidth
	}
	return render.UsualWidth / 3
}()

// ProjectFolder returns the root folder of the project, which contains the tested package.
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

// painter returns the renderer that all tests of a package share. Otherwise most of their time would be spent on
// painting the same backgrounds for each test.
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

// waiting returns a context that limits one wait. After each minute of the wait, a manual clock is moved forward, first
// by a minute and then by more. This wakes workers that read the clock just before the test moved it, and would next
// look seconds or a day later by that clock.
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

// awaitNews waits until the messages about all games in play are posted. It is called before a clock moves, because a
// player's time does not run while messages wait. It ignores refused messages, and returns immediately if the local
// Discord has a fault. A test that delays messages in another way moves its clock with Jump.
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

// newsWaits reports whether messages about a game in play wait to be posted and were not refused. It is false if the
// store is closed.
func (r *Rig) newsWaits(ctx context.Context) bool {
	const most = 100
	ids, err := r.Store.Pending(ctx, 0, most)
	for _, id := range ids {
		t, err := r.Store.News(ctx, id)
		if h := t.Head; err != nil || h.Status == storage.Playing && t.Published < h.Version &&
			h.Retry.Tries == 0 && h.Timing.HeldSince == 0 {
			return true
		}
	}
	return err != nil && !errors.Is(err, storage.ErrClosed)
}

// Wait waits until cond returns true. It calls cond after every change in the local Discord and once a second, because
// the bot's store also changes.
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

// WaitMessage waits for a message that the user can see and for which want returns true. want is called again when a
// message is edited.
func (r *Rig) WaitMessage(channel, user string, want func(*localdiscord.Message) bool) (*localdiscord.Message, error) {
	ctx, cancel := r.waiting()
	defer cancel()
	return r.Server.WaitMessage(ctx, channel, user, want)
}

// TurnAfter waits for the board, or the end of the game, that follows a move on the message turn. The result can be
// that message itself, edited, if the player's turn continues.
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

// Command sends a slash command and returns the bot's answer.
func (r *Rig) Command(user, channel, name string, options ...localdiscord.Option) *localdiscord.Message {
	r.T.Helper()
	reply, err := r.Server.Command(r.Ctx, user, channel, name, options...)
	return r.Answer(reply, err, "/"+name)
}

// Click presses the button with the label or custom_id name, and returns the bot's answer.
func (r *Rig) Click(user string, m *localdiscord.Message, name string) *localdiscord.Message {
	r.T.Helper()
	button, ok := m.Button(name)
	if !ok {
		r.T.Fatalf("no button %q on: %s", name, m.Text())
	}
	reply, err := r.Server.Click(r.Ctx, user, m.ID, button.CustomID)
	return r.Answer(reply, err, "button "+name)
}

// Choose selects the option with the given value in a menu, and returns the bot's answer. menu is the menu's custom_id.
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

// Next waits for a public message in the channel that is newer than the message with the id after, and for which want
// returns true.
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

// Deadline returns when the player to move at a table runs out of time. The bool is false if the table's clock does not
// run.
func (r *Rig) Deadline(h table.Head) (time.Time, bool, error) {
	c, err := r.Tables.Choices.Settings(r.Ctx, h.Guild)
	if err != nil {
		return time.Time{}, false, err
	}
	return r.Tables.Lookup.Deadline(r.Ctx, h, c)
}

// WorldNames are names of people, servers and channels of the local Discord, which must not be in logs.
var WorldNames = []string{"Anne", "Jack", "Mary", "Bart", "Grace", "Ching", "Tortuga", "Nassau", "Quartermaster",
	"game-tables", "tavern", "harbour"}

// NamesIn returns the words that occur in a log.
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

// RoundTripFunc makes a function an http.RoundTripper.
type RoundTripFunc func(*http.Request) (*http.Response, error)

func (f RoundTripFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Must fails the test on an error.
func (r *Rig) Must(err error) {
	r.T.Helper()
	if err != nil {
		r.T.Fatal(err)
	}
}
