package bot_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"marque/bot"
	"marque/bot/compete"
	"marque/bot/incident"
	"marque/bot/localdiscord"
	"marque/bot/matchmaking"
	"marque/bot/metrics"
	"marque/bot/rest"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/bot/timesource/manual"
	"marque/games"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/fair"
	"marque/games/text/locale"
	"marque/render"
	"marque/storage"
	"marque/storage/storagetest"
)

// keeper is what a bot keeps everything in.
type keeper interface {
	table.Store
	compete.Store
}

// rig is the whole program against the local Discord: an unmodified discordgo, the real store, the real pictures.
type rig struct {
	t     testing.TB
	ctx   context.Context
	srv   *localdiscord.Server
	store *storage.Store
	db    string
	log   *logBook

	tables       *table.Service
	competitions *compete.Service
	matchmaking  *matchmaking.Service
	clock        timesource.Clock // the local Discord's and the table's; nil for the machine's

	grace time.Duration               // for what is due when the bot stops
	wrap  func(*storage.Store) keeper // what the bot has instead of the store; nil for one that is unhurried
	seed  func() fair.Seed            // makes the secrets of tables; nil for the same ones in every run
	stop  func()
	leave func() // stops the bot, and leaves the store to others
	// the servers have the settings of new ones; else they keep old boards, and tables in their
	// channel, for tests that look there
	quiet bool

	leases storage.Leases // shared with other bots; nil for a bot that is alone

	metrics *metrics.Metrics // what the bot counts; nil for nothing

	pacing  timesource.Clock // of the sessions with Discord; nil for the machine's
	reviews bool             // games that are over are reviewed; else every move counts as the best
	// what thinks at tables, if it is neither of these
	computers table.Computers

	// bytes for tables in memory; 0 for as many as the program takes
	cache     int64
	transport func(http.RoundTripper) http.RoundTripper // sends the bot's requests by way of another; nil for none

	webhooks http.RoundTripper // carries the calls of webhooks; nil for what the program has

	channelPosts bool // all boards are posted with the bot's token

	enforced bool // the local Discord enforces Discord's limits, and the bot keeps to them

	locales []fs.FS // an operator's own translations

	marked int // how many pictures of steps had marks on what can be chosen
}

// uncritical are computer players who take any move that was played for the best: what is made of a review is the same,
// but no time is spent on it.
type uncritical struct{ computer.Pool }

func (*uncritical) Judge(_ context.Context, _ games.View, played games.Move, _ computer.Effort,
	_ uint64) (computer.Judgement, error) {
	return computer.Judgement{Better: played, Had: 0.5, Left: 0.5}, nil
}

// unhurried is a store of which nobody is told after a second that work still goes on: when deleting somebody's data is
// answered, it is done, however slow the machine is.
type unhurried struct {
	*storage.Store
	ctx context.Context
}

func (s unhurried) Finished(_ context.Context, w storage.Work) error {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	return s.Store.Finished(ctx, w)
}

// logBook keeps what is logged, for tests that look at it.
type logBook struct {
	mu  sync.Mutex
	all strings.Builder
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func (l *logBook) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all.Reset()
}

// machineTime is what a busy machine has to answer an interaction, for Discord's three seconds are
// about the code alone: that it promises an answer where it has to think is tested without a clock,
// and so is that it gives up at last.
const machineTime = 10 * time.Minute

// unlimited are more requests a second than a test makes: that the bot keeps to Discord's limits is tested by itself.
const unlimited = 1e6

// testTime bounds a whole test.
const testTime = 20 * time.Minute

// patience bounds the wait for one thing, on a busy machine and with the race detector, too: what does not come fails
// the test that waits for it, and lets the others have their time.
const patience = 5 * time.Minute

// newRig starts a local Discord and the bot. Everything is checked and closed when the test ends.
func newRig(t testing.TB, options ...func(*localdiscord.Options)) *rig {
	t.Helper()
	return newRigWith(t, func(*rig) {}, options...)
}

// newRigWith is newRig with a rig that prepare has changed before the bot starts.
func newRigWith(t testing.TB, prepare func(*rig), options ...func(*localdiscord.Options)) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	t.Cleanup(cancel)
	r := &rig{t: t, ctx: ctx, db: filepath.Join(t.TempDir(), "marque.db"), log: &logBook{}, grace: 10 * time.Second}
	o := localdiscord.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), OnRequest: validateRequest(t),
		OnEvent:      validateEvent(t),
		AnswerWithin: machineTime, Requests: localdiscord.Unlimited}
	for _, f := range options {
		f(&o)
	}
	if o.Clock != nil {
		r.clock = o.Clock
	}
	prepare(r)
	if r.seed == nil {
		r.seed = seedsOf(t.Name())
	}
	if r.enforced {
		o.Requests = 0
	}
	r.srv = localdiscord.New(o)
	if err := r.srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.srv.Close() })
	r.start()
	for _, guild := range []string{localdiscord.Tortuga, localdiscord.Nassau} {
		if !r.quiet {
			r.configure(guild, func(c *table.Settings) {
				c.Boards, c.Threads = table.BoardsKeep,
					table.ThreadsWhenBusy
			})
		}
	}
	t.Cleanup(func() {
		r.stop()
		s := r.log.String()
		if strings.Contains(s, "level=ERROR") && !t.Failed() {
			t.Errorf("errors were logged:\n%s", s)
		}
		if found := namesIn(s, worldNames); found != nil {
			t.Errorf("%q in the log, which should hold ids:\n%s", found, s)
		}
	})
	return r
}

// seedsOf are the secrets of a test's tables: they look like chance and are the same in every run. The draws of a game
// hang on the interactions too, whose ids say when they came: games with dice go otherwise each time.
func seedsOf(test string) func() fair.Seed {
	var made atomic.Int64
	return func() fair.Seed { return sha256.Sum256(fmt.Append(nil, test, made.Add(1))) }
}

// start runs the bot on the rig's database; stop ends it again.
func (r *rig) start() {
	r.t.Helper()
	store, err := storagetest.OpenFile(r.db)
	if err != nil {
		r.t.Fatal(err)
	}
	r.store = store
	r.leave = sync.OnceFunc(r.join())
	var once sync.Once
	r.stop = func() {
		once.Do(func() {
			r.leave()
			if err := store.Close(); err != nil {
				r.t.Errorf("the store closed with %v", err)
			}
		})
	}
}

// join runs a bot on the rig's store, perhaps beside others; stop ends it again.
func (r *rig) join() (stop func()) {
	r.t.Helper()
	store := r.store
	sentences, err := locale.Load(r.locales...)
	if err != nil {
		r.t.Fatal(err)
	}
	log := slog.New(incident.Attach(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	var kept keeper = unhurried{store, r.ctx}
	if r.wrap != nil {
		kept = r.wrap(store)
	}
	tables := table.Config{Computers: &uncritical{}, CacheBytes: r.cache, NewSeed: r.seed, Clock: r.clock, Store: kept}
	if r.reviews {
		tables.Computers = &computer.Pool{}
	}
	if r.computers != nil {
		tables.Computers = r.computers
	}
	client := r.srv.HTTPClient()
	if r.transport != nil {
		client.Transport = r.transport(client.Transport)
	}
	requests := int(unlimited)
	if r.enforced {
		requests = rest.PerSecond
	}
	b, err := bot.New(bot.Config{
		Token: r.srv.Token(), Client: client, Requests: requests, Store: store, Tables: tables,
		Competitions: kept,
		Games:        catalog.Games, Renderer: painter(r.t), Sentences: sentences, Log: log, Clock: r.pacing,
		AnswerTime: machineTime, ChannelPosts: r.channelPosts, Leases: r.leases, Metrics: r.metrics,
		Webhooks: r.webhooks,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.tables, r.competitions, r.matchmaking = b.Tables(), b.Competitions(), b.Matchmaking()
	ctx, cancel := context.WithCancel(r.ctx)
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx, r.grace) }()
	select {
	case err := <-done:
		r.t.Fatalf("the bot did not start: %v\n%s", err, r.log)
	case <-b.Ready():
	case <-r.ctx.Done():
		r.t.Fatalf("the bot is not ready: %v\n%s", r.ctx.Err(), r.log)
	}
	return func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Errorf("the bot stopped with %v", err)
		}
	}
}

var (
	painterOnce sync.Once
	thePainter  *render.Renderer
	painterErr  error
)

// pictureWidth is how wide the tests' pictures are: a third of what they are on Discord, for painting and packing them
// would take half of the tests' time. Where a folder or a film is named for them they are as wide as people see them.
var pictureWidth = func() int {
	if os.Getenv("MARQUE_GALLERY")+os.Getenv("LOCALDISCORD_SHOTS")+os.Getenv("MARQUE_LOOK")+
		os.Getenv("MARQUE_FILM") != "" {
		return render.UsualWidth
	}
	return render.UsualWidth / 3
}()

// painter is one renderer for all tests of the package: painting the grounds again for each would
// take most of their time.
func painter(t testing.TB) *render.Renderer {
	t.Helper()
	painterOnce.Do(func() { thePainter, painterErr = render.New(pictureWidth) })
	if painterErr != nil {
		t.Fatal(painterErr)
	}
	return thePainter
}

// configure changes a server's settings.
func (r *rig) configure(guild string, f func(*table.Settings)) {
	r.t.Helper()
	if _, err := r.tables.Choices.ChangeSettings(r.ctx, guild, f); err != nil {
		r.t.Fatal(err)
	}
}

// waiting bounds one wait. Each minute that it lasts, a clock that tests move goes on, too, by a minute at first and
// then further: what looked around just when the clock was moved saw nothing, and looks again only later by that clock,
// after seconds, or a day.
func (r *rig) waiting() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	if clock, ok := r.clock.(*manual.Clock); ok {
		go func() {
			tick, on := time.NewTicker(time.Minute), time.Minute
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					clock.Advance(on)
					on = min(15*on, 25*time.Hour)
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	return ctx, cancel
}

// wait waits until cond is true. It is asked again whenever something changed in the local Discord, and each second for
// what the bot notes afterwards.
func (r *rig) wait(cond func() bool) error {
	ctx, cancel := r.waiting()
	defer cancel()
	for {
		once, stop := context.WithTimeout(ctx, time.Second)
		err := r.srv.Wait(once, cond)
		stop()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// waitMessage waits for a message that a user sees and want likes. A message that it did not like is shown to it again
// when it was edited.
func (r *rig) waitMessage(channel, user string, want func(*localdiscord.Message) bool) (*localdiscord.Message, error) {
	ctx, cancel := r.waiting()
	defer cancel()
	return r.srv.WaitMessage(ctx, channel, user, want)
}

// turnAfter waits for the board after a move from another: a new message, or, within a turn, that one
// edited.
func (r *rig) turnAfter(channel string, turn *localdiscord.Message) *localdiscord.Message {
	r.t.Helper()
	before, _ := turn.Button("Move")
	m, err := r.waitMessage(channel, localdiscord.Anne, func(m *localdiscord.Message) bool {
		if later(turn.ID, m.ID) || m.EphemeralTo != "" || !turnOrEnd(m) {
			return false
		}
		now, _ := m.Button("Move")
		return m.ID != turn.ID || now.CustomID != before.CustomID
	})
	if err != nil {
		r.t.Fatalf("waiting for the board after %s: %v\n%s", turn.Text(), err, r.log)
	}
	return m
}

// command gives a slash command and returns what the bot answered.
func (r *rig) command(user, channel, name string, options ...localdiscord.Option) *localdiscord.Message {
	r.t.Helper()
	reply, err := r.srv.Command(r.ctx, user, channel, name, options...)
	return r.answer(reply, err, "/"+name)
}

// click presses a button, by its label or custom_id, and returns what the bot answered.
func (r *rig) click(user string, m *localdiscord.Message, name string) *localdiscord.Message {
	r.t.Helper()
	button, ok := m.Button(name)
	if !ok {
		r.t.Fatalf("no button %q on: %s", name, m.Text())
	}
	reply, err := r.srv.Click(r.ctx, user, m.ID, button.CustomID)
	return r.answer(reply, err, "button "+name)
}

func (r *rig) choose(user string, m *localdiscord.Message, menu, value string) *localdiscord.Message {
	r.t.Helper()
	reply, err := r.srv.Select(r.ctx, user, m.ID, menu, value)
	return r.answer(reply, err, "menu "+menu)
}

func (r *rig) answer(reply *localdiscord.Reply, err error, what string) *localdiscord.Message {
	r.t.Helper()
	if err == nil {
		var m *localdiscord.Message
		if m, err = reply.Message(r.ctx); err == nil {
			return m
		}
	}
	r.t.Fatalf("%s: %v\n%s", what, err, r.log)
	return nil
}

// next waits for a message in the channel after the one with id after that want likes.
func (r *rig) next(channel, after string, want func(*localdiscord.Message) bool) *localdiscord.Message {
	r.t.Helper()
	m, err := r.waitMessage(channel, localdiscord.Anne, func(m *localdiscord.Message) bool {
		return later(m.ID, after) && m.EphemeralTo == "" && !m.Loading && want(m)
	})
	if err != nil {
		last := ""
		if all := r.srv.Messages(channel, localdiscord.Anne); len(all) > 0 {
			last = all[len(all)-1].Text()
		}
		r.t.Fatalf("waiting for a message in %s after %s: %v; the last one there: %s\n%s", channel, after, err, last,
			r.log)
	}
	return m
}

// latest is the id of the last message in a channel; "" when there is none.
func (r *rig) latest(channel string) string {
	all := r.srv.Messages(channel, localdiscord.Anne)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].ID
}

// later compares snowflakes.
func later(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

func isTurn(m *localdiscord.Message) bool { _, ok := m.Button("Move"); return ok }

func isOver(m *localdiscord.Message) bool {
	return strings.Contains(m.Text(), "Fair play: the seed was")
}

func turnOrEnd(m *localdiscord.Message) bool { return isTurn(m) || isOver(m) }

// deadline is when the player to move at a table runs out of time, and whether a clock runs.
func (r *rig) deadline(h table.Head) (time.Time, bool, error) {
	c, err := r.tables.Choices.Settings(r.ctx, h.Guild)
	if err != nil {
		return time.Time{}, false, err
	}
	return r.tables.Lookup.Deadline(r.ctx, h, c)
}
