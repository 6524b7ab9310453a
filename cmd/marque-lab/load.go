package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"marque/bot"
	"marque/bot/incident"
	"marque/bot/localdiscord"
	"marque/bot/metrics"
	"marque/bot/table"
	"marque/games/catalog"
	"marque/games/computer"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/render"
	"marque/storage"
	"marque/storage/kv/bolt"
	"marque/storage/kv/postgres"
)

// loadCommand measures the time and memory that a bot needs while people play.
type loadCommand struct {
	Servers int           `default:"1" help:"Servers of the local Discord on which is played."`
	Players int           `default:"2" help:"Players on each, who play in pairs, each pair in a channel of its own."`
	Minutes float64       `default:"1" help:"How long they play."`
	Tables  int           `help:"Tables besides at which a game waits for its players."`
	Game    string        `default:"loyal-captain" help:"The game."`
	Think   time.Duration `default:"0s" help:"How long players think about a move; without, they move as soon as they see the board."`
	Idle    time.Duration `default:"10s" help:"How long the bot is measured before anybody plays."`
	Metrics bool          `help:"Let the bot count for metrics, too."`
	Buttons bool          `help:"Let players use the buttons under the boards, instead of typing their moves."`
	Rush    bool          `help:"Let everybody sit down without Discord's limits first, at a bot that is then replaced, and all make one move, within the same second."`
	Limits  bool          `default:"true" negatable:"" help:"Have the local Discord enforce Discord's limits; without, what the program itself could do is measured."`

	Database string `help:"The connection string of an empty PostgreSQL database, in which the games are kept and stay, instead of a file that is removed." placeholder:"URL"`
}

// patience returns the maximum time to wait for a board.
func (c loadCommand) patience() time.Duration {
	return boardTime + time.Duration(c.Servers*c.Players/2)*boardsTurn
}

// tablesOfServer is the maximum number of tables that wait on one server during the load test. A server of a bot can
// have more tables.
const tablesOfServer = 400

// Run runs a local Discord and a bot in this process, lets players play, and prints the time and memory used.
func (c loadCommand) Run(ctx context.Context, std streams) (err error) {
	game, ok := catalog.Find(c.Game)
	switch {
	case !ok:
		return fmt.Errorf("there is no game %q", c.Game)
	case c.Servers < 1 || c.Players < 2 || c.Players%2 != 0 || c.Tables < 0 || c.Minutes <= 0:
		return errors.New("there should be a server at least, players in pairs, and some time to play")
	}
	if least, most := game.Seats(); least > 2 || most < 2 {
		return fmt.Errorf("%s is not for two", c.Game)
	}
	folder, err := os.MkdirTemp("", "marque-load-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	store, err := c.store(ctx, filepath.Join(folder, "load.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	log := slog.New(incident.Attach(incident.Gather(slog.NewTextHandler(std.err,
		&slog.HandlerOptions{Level: slog.LevelWarn}))))
	boards := &boards{seen: map[table.ID]chan board{}, routes: map[string]int{}}
	limit, budget := 0, 0 // 0 stands for Discord's limits
	if !c.Limits {
		limit, budget = localdiscord.Unlimited, math.MaxInt32
	}
	srv := localdiscord.New(localdiscord.Options{Log: log, OnRequest: boards.request, Requests: limit})
	if err := srv.Start(); err != nil {
		return err
	}
	defer srv.Close()
	pairs, err := c.people(srv)
	if err != nil {
		return err
	}
	if err := c.fill(ctx, store, srv, log); err != nil {
		return err
	}

	var counts *metrics.Metrics
	if c.Metrics {
		counts = metrics.New(metrics.Build{})
		_, stopServing, err := counts.Serve("127.0.0.1:0", false, log)
		if err != nil {
			return err
		}
		defer stopServing()
	}
	drivers, opening := make([]*driver, len(pairs)), make(chan struct{}, openedAtOnce)
	for i, p := range pairs {
		drivers[i] = &driver{load: c, srv: srv, seen: boards, pair: p, opening: opening,
			rng: rand.New(rand.NewPCG(uint64(i), 1))}
	}
	seat := func(service *table.Service) error {
		for _, d := range drivers {
			d.service = service
		}
		if err := each(drivers, func(d *driver) error { return d.open(ctx) }); err != nil {
			return fmt.Errorf("opening tables: %w", err)
		}
		return nil
	}
	if c.Rush {
		srv.SetRequests(localdiscord.Unlimited)
		service, stop, err := c.bot(ctx, srv, store, log, math.MaxInt32, nil)
		if err != nil {
			return err
		}
		if err := errors.Join(seat(service), stop()); err != nil {
			return err
		}
		srv.SetRequests(limit)
	}
	service, stop, err := c.bot(ctx, srv, store, log, budget, counts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()

	fmt.Fprintf(std.out, "%s on %s at %s, %s that wait; %s/%s, %s, Go %s\n",
		plural(len(pairs), "pair"), plural(c.Servers, "server"), c.Game, plural(c.Tables, "table"), runtime.GOOS,
		runtime.GOARCH, plural(runtime.NumCPU(), "processor"), strings.TrimPrefix(runtime.Version(), "go"))
	if c.Idle > 0 {
		before := measure()
		select {
		case <-time.After(c.Idle):
		case <-ctx.Done():
			return ctx.Err()
		}
		fmt.Fprintf(std.out, "idle  %s\n", measure().since(before))
	}
	if c.Rush {
		for _, d := range drivers { // loads each table into memory
			d.service = service
			if _, err := service.Lookup.Snapshot(ctx, d.table); err != nil {
				return err
			}
		}
	} else if err := seat(service); err != nil {
		return err
	}
	for _, d := range drivers { // discards times and answers from before the measurement
		d.took, d.first, d.late, d.promised = nil, nil, 0, 0
	}
	boards.taken()
	before := measure()
	until := before.at.Add(time.Duration(c.Minutes * float64(time.Minute)))
	if c.Rush {
		until = before.at
	}
	err = each(drivers, func(d *driver) error { return d.play(ctx, until) })
	after := measure()
	routes := boards.taken()
	if serr := say(std.out, drivers, before, after, routes, boards.refused.Load()); serr != nil {
		return errors.Join(err, serr)
	}
	if size, serr := store.Size(ctx); serr == nil {
		fmt.Fprintf(std.out, "store %s, of which %s are free\n", megabytes(size.Bytes), megabytes(size.FreeBytes))
	}
	return err
}

// say prints the cost of play between two measurements: moves, first answers, and requests by route. refused is the
// number of requests refused since the start.
func say(out io.Writer, drivers []*driver, before, after usage, routes map[string]int, refused int64) error {
	var took []time.Duration
	late, promised := 0, 0
	for _, d := range drivers {
		took, late, promised = append(took, d.took...), late+d.late, promised+d.promised
	}
	if len(took) == 0 {
		return errors.New("no move was made")
	}
	var first []time.Duration
	for _, d := range drivers {
		first = append(first, d.first...)
	}
	slices.Sort(took)
	slices.Sort(first)
	at := func(sorted []time.Duration, share float64) time.Duration {
		return sorted[int(share*float64(len(sorted)-1))].Round(100 * time.Microsecond)
	}
	cost := ""
	if used := after.processor - before.processor; after.told {
		cost = fmt.Sprintf(", %v of a processor each", (used / time.Duration(len(took))).Round(10*time.Microsecond))
	}
	seconds := after.at.Sub(before.at).Seconds()
	fmt.Fprintf(out, "load  %s\n", after.since(before))
	fmt.Fprintf(out, "moves %d, %.1f a second%s; from the command to the board p50 %v, p99 %v, longest %v\n",
		len(took), float64(len(took))/seconds, cost, at(took, 0.5), at(took, 0.99), at(took, 1))
	fmt.Fprintf(out, "first answers %d, p50 %v, p99 %v, longest %v; %s after three seconds; %s\n",
		len(first), at(first, 0.5), at(first, 0.99), at(first, 1), plural(late, "answer"),
		fmt.Sprint(promised, " were promises, and kept"))
	requests := 0
	for _, n := range routes {
		requests += n
	}
	perMove := func(n int) float64 { return float64(n) / float64(len(took)) }
	fmt.Fprintf(out, "requests with the token %.2f a move, %.1f a second; since the start %d were refused with 429\n",
		perMove(requests), float64(requests)/seconds, refused)
	for _, route := range slices.SortedFunc(maps.Keys(routes), func(a, b string) int {
		return cmp.Or(routes[b]-routes[a], strings.Compare(a, b))
	}) {
		fmt.Fprintf(out, "  %.3f a move, %s\n", perMove(routes[route]), route)
	}
	return nil
}

// bot starts a bot on a store. It returns the bot's table service, and a function that stops the bot.
func (c loadCommand) bot(ctx context.Context, srv *localdiscord.Server, store *storage.Store, log *slog.Logger,
	budget int, counts *metrics.Metrics) (service *table.Service, stop func() error, err error) {
	sentences, err := locale.Load()
	if err != nil {
		return nil, nil, err
	}
	pictures, err := render.New(render.UsualWidth)
	if err != nil {
		return nil, nil, err
	}
	b, err := bot.New(bot.Config{
		Token: srv.Token(), Client: srv.HTTPClient(), Requests: budget, Store: store,
		Tables: table.Config{Computers: &computer.Pool{}}, Games: catalog.Games, Renderer: pictures,
		Sentences: sentences, Log: log, Metrics: counts,
	})
	if err != nil {
		return nil, nil, err
	}
	running, end := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	go func() { stopped <- b.Run(running, 10*time.Second) }()
	select {
	case err := <-stopped:
		end()
		return nil, nil, err
	case <-b.Ready():
	}
	return b.Tables, func() error { end(); return <-stopped }, nil
}

// store opens the file, or the configured database. It refuses a database that has games, because it may be in use.
func (c loadCommand) store(ctx context.Context, file string) (*storage.Store, error) {
	if c.Database == "" {
		engine, err := bolt.Open(file)
		if err != nil {
			return nil, err
		}
		return storage.Open(ctx, engine)
	}
	engine, err := postgres.Open(ctx, c.Database)
	if err != nil {
		return nil, err
	}
	store, err := storage.Open(ctx, engine)
	if err != nil {
		return nil, err
	}
	there, err := store.Tally(ctx)
	if err == nil && len(there) > 0 {
		err = fmt.Errorf("there are games in %s already: name an empty database",
			"database "+postgres.Where(c.Database))
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// usage is the processor time that the process has used until a moment, and the memory in use at that moment.
type usage struct {
	at        time.Time
	processor time.Duration
	memory    int64  // bytes; 0 if the system does not report it
	told      bool   // whether the system reports the processor time
	heap      uint64 // bytes
}

// measure returns the current usage. It collects garbage first, so that only memory in use counts.
func measure() usage {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := usage{at: time.Now(), heap: m.HeapAlloc}
	u.processor, u.told = processorTime()
	if memory, ok := residentMemory(); ok {
		u.memory = memory
	}
	return u
}

// since returns a text with the memory in use, and the share of a processor that was used since an earlier
// measurement.
func (u usage) since(before usage) string {
	s := "heap " + megabytes(int64(u.heap))
	if u.memory > 0 {
		s += ", memory " + megabytes(u.memory)
	}
	if u.told {
		s += fmt.Sprintf(", %.1f%% of a processor",
			100*(u.processor-before.processor).Seconds()/u.at.Sub(before.at).Seconds())
	}
	return s
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// pair has two players, and the channel in which they open their tables.
type pair struct {
	channel string
	users   [2]string
}

// people adds the servers and their players to the local Discord.
func (c loadCommand) people(srv *localdiscord.Server) ([]pair, error) {
	var pairs []pair
	for s := range c.Servers {
		owner := srv.Admin.AddUser(fmt.Sprintf("owner-%d", s))
		guild, err := srv.Admin.AddGuild(fmt.Sprintf("server-%d", s), owner)
		if err != nil {
			return nil, err
		}
		for n := range c.Players / 2 {
			p := pair{}
			if p.channel, err = srv.Admin.AddChannel(guild, fmt.Sprintf("table-%d", n)); err != nil {
				return nil, err
			}
			for i := range p.users {
				p.users[i] = srv.Admin.AddUser(fmt.Sprintf("player-%d-%d-%d", s, n, i))
				if err := srv.Admin.AddMember(guild, p.users[i]); err != nil {
					return nil, err
				}
			}
			pairs = append(pairs, p)
		}
	}
	return pairs, nil
}

// taker pretends to be a channel that accepts all messages.
type taker struct{}

func (taker) Publish(context.Context, table.News) (string, error) { return "", nil }

func (taker) ShowCard(context.Context, *table.Snapshot) error { return nil }

func (taker) ArchiveThread(context.Context, *table.Snapshot) error { return nil }
func (taker) NameThread(context.Context, *table.Snapshot) error    { return nil }

// fill stores the tables that wait during the test, on servers that nobody plays on.
func (c loadCommand) fill(ctx context.Context, store *storage.Store, srv *localdiscord.Server, log *slog.Logger) error {
	if c.Tables == 0 {
		return nil
	}
	var servers []string
	for n := range (c.Tables + tablesOfServer - 1) / tablesOfServer {
		guild, err := srv.Admin.AddGuild(fmt.Sprintf("waiting-%d", n),
			srv.Admin.AddUser(fmt.Sprintf("waiting-owner-%d", n)))
		if err != nil {
			return err
		}
		servers = append(servers, guild)
	}
	service := table.New(table.Config{Store: store, Games: catalog.Find, Log: log})
	service.Start(taker{})
	defer service.Close(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for n := range numbers {
				if err := c.open(ctx, service, servers[n/tablesOfServer], n); err != nil {
					cancel(err)
				}
			}
		})
	}
	for n := range c.Tables {
		select {
		case numbers <- n:
		case <-ctx.Done():
		}
	}
	close(numbers)
	all.Wait()
	// All messages must be published before the bot starts. Otherwise it would send them to channels that do not exist.
	for unpublished := true; unpublished && ctx.Err() == nil; {
		left, err := store.Pending(ctx, 0, 1)
		if err != nil {
			return err
		}
		if unpublished = len(left) > 0; unpublished {
			time.Sleep(10 * time.Millisecond)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// open opens a table for two players and starts its game.
func (c loadCommand) open(ctx context.Context, service *table.Service, guild string, n int) error {
	by := func(i int) table.Actor {
		return table.Actor{User: fmt.Sprintf("77%016d", 2*n+i), Name: text.NewName(fmt.Sprintf("Waiting %d", 2*n+i)),
			Key: fmt.Sprintf("fill-%d-%d", n, i)}
	}
	snap, err := service.Open(ctx, by(0), table.Opening{Game: c.Game, Seats: 2, Guild: guild,
		Channel: fmt.Sprintf("78%016d", n), WhenFull: true})
	if err != nil {
		return err
	}
	_, err = service.Join(ctx, by(1), snap.ID)
	return err
}

// boards records the messages with boards, and counts the bot's requests.
type boards struct {
	refused atomic.Int64 // number of requests that were refused with status 429

	mu     sync.Mutex
	seen   map[table.ID]chan board
	routes map[string]int // number of requests with the bot's token, by method and route
}

// board is a message that shows the position after a number of plays.
type board struct {
	plays   int
	message string
}

// of returns a channel that receives the boards of a table.
func (b *boards) of(id table.ID) chan board {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen[id] == nil {
		b.seen[id] = make(chan board, 16)
	}
	return b.seen[id]
}

// forget stops recording the boards of a table.
func (b *boards) forget(id table.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.seen, id)
}

// taken returns the number of requests with the bot's token since its last call, by method and route.
func (b *boards) taken() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	routes := b.routes
	b.routes = map[string]int{}
	return routes
}

// request counts a request of the bot, and records the board if the request posts one.
func (b *boards) request(q localdiscord.Request) {
	if !strings.HasPrefix(q.Path, "/interactions/") && !strings.HasPrefix(q.Path, "/webhooks/") {
		b.mu.Lock()
		b.routes[q.Method+" "+q.Route]++
		b.mu.Unlock()
	}
	if q.Status == http.StatusTooManyRequests {
		b.refused.Add(1)
	}
	if q.Method != http.MethodPost || q.Status != http.StatusOK {
		return
	}
	for _, f := range q.Files {
		var id table.ID
		var plays int
		if n, _ := fmt.Sscanf(f.Name, "board-%d-%d.png", &id, &plays); n != 2 {
			continue
		}
		b.mu.Lock()
		seen := b.seen[id]
		b.mu.Unlock()
		var sent struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(q.Response, &sent) // the local Discord's answers are always valid JSON
		select {
		case seen <- board{plays, sent.ID}: // seen is nil if nobody waits for the board
		default:
		}
	}
}

const (
	// The maximum time to wait for a board is boardTime, plus boardsTurn for each pair of players. A board takes at
	// most four requests with the token, and the bot sends at most forty of those a second.
	boardTime, boardsTurn = time.Minute, 100 * time.Millisecond
	// openedAtOnce is the maximum number of tables that are opened at the same time. Each takes several requests with
	// the token.
	openedAtOnce = 16
	// Response types of deferred answers. Source: Discord's documentation, "Interaction Callback Type".
	promiseMessage, promiseUpdate = 5, 6
)

// each calls do for all drivers concurrently, and returns their errors.
func each(drivers []*driver, do func(*driver) error) error {
	errs := make([]error, len(drivers))
	var all sync.WaitGroup
	for i, d := range drivers {
		all.Go(func() { errs[i] = do(d) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// driver plays games for a pair of players.
type driver struct {
	load    loadCommand
	srv     *localdiscord.Server
	service *table.Service
	seen    *boards
	pair    pair
	opening chan struct{} // semaphore that limits the number of drivers that open a table
	rng     *rand.Rand
	table   table.ID
	board   string          // id of the message with the current board
	took    []time.Duration // time from a player's last action to the board, for each move
	first   []time.Duration // time from a player's action to the first answer, which may be deferred
	late    int             // number of answers that came after Discord's limit of three seconds
	// Number of deferred answers that have arrived, and the answer that has not arrived yet.
	promised int
	waits    *localdiscord.Reply
}

// play plays one game after another until the given time, beginning with the open table. It makes at least one move.
func (d *driver) play(ctx context.Context, until time.Time) error {
	for {
		over, err := d.move(ctx)
		if err != nil {
			return fmt.Errorf("a move at table %s: %w", d.table, err)
		}
		if !time.Now().Before(until) {
			return nil
		}
		if over {
			d.seen.forget(d.table)
			if err := d.open(ctx); err != nil {
				return fmt.Errorf("opening a table: %w", err)
			}
			continue
		}
		if d.load.Think > 0 {
			time.Sleep(time.Duration(d.rng.Float64() * 2 * float64(d.load.Think)))
		}
	}
}

// say sends a command. If the answer comes too late, say counts that and returns nil: the command may have been carried
// out.
func (d *driver) say(ctx context.Context, user, channel, command string, options ...localdiscord.Option) error {
	began := time.Now()
	reply, err := d.srv.Command(ctx, user, channel, command, options...)
	d.first = append(d.first, time.Since(began))
	if errors.Is(err, localdiscord.ErrInteractionFailed) {
		d.late++
		return nil
	}
	d.waits = reply
	return err
}

// awaitAnswer waits for the answer to the last command if that answer was deferred, and counts it in promised.
func (d *driver) awaitAnswer(ctx context.Context) error {
	reply := d.waits
	if d.waits = nil; reply == nil || reply.Type != promiseMessage {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, d.load.patience())
	defer cancel()
	if _, err := reply.Message(ctx); err != nil {
		return fmt.Errorf("an answer was promised, and did not come: %w", err)
	}
	d.promised++
	return nil
}

// open opens a table for the pair once the semaphore allows it.
func (d *driver) open(ctx context.Context) error {
	select {
	case d.opening <- struct{}{}:
		defer func() { <-d.opening }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := d.say(ctx, d.pair.users[0], d.pair.channel, "play", localdiscord.Opt("game", d.load.Game),
		localdiscord.Opt("players", 2)); err != nil {
		return err
	}
	var heads []table.Head
	for waited := time.Now(); len(heads) == 0; time.Sleep(time.Millisecond) { // the answer may be deferred
		var err error
		if heads, err = d.service.Lookup.ByUser(ctx, d.pair.users[0], storage.Active, 0, 1); err != nil {
			return err
		}
		if time.Since(waited) > d.load.patience() {
			return errors.New("no table was opened")
		}
	}
	d.table = heads[0].ID
	d.seen.of(d.table)
	if err := d.say(ctx, d.pair.users[1], heads[0].Channel, "table join"); err != nil {
		return err
	}
	return d.await(ctx, 0)
}

// await waits for a board that shows at least the given number of plays.
func (d *driver) await(ctx context.Context, plays int) error {
	timer := time.NewTimer(d.load.patience())
	defer timer.Stop()
	for {
		select {
		case b := <-d.seen.of(d.table):
			if b.plays >= plays {
				d.board = b.message
				return nil
			}
		case <-timer.C:
			return fmt.Errorf("its board after %d plays was not shown within %v", plays, d.load.patience())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// press makes a move with the buttons of the board, and returns the time at which it pressed the last one.
func (d *driver) press(ctx context.Context, user string) (last time.Time, err error) {
	m, err := d.srv.Message(d.board, user)
	if err != nil {
		return last, err
	}
	label := "Move"
	for {
		controls := slices.DeleteFunc(m.Interactive(), func(c localdiscord.Component) bool {
			return c.Disabled || c.Label == "Back" || c.Label == "Start over" || label != "" && c.Label != label
		})
		if len(controls) == 0 {
			return last, fmt.Errorf("there is nothing to press: %s", m.Text())
		}
		control := controls[d.rng.IntN(len(controls))]
		plays := slices.IndexFunc(controls, func(c localdiscord.Component) bool { return c.Label == "Make this move" })
		if plays >= 0 {
			control = controls[plays]
		}
		var reply *localdiscord.Reply
		last = time.Now()
		if len(control.Options) > 0 {
			reply, err = d.srv.Select(ctx, user, m.ID, control.CustomID,
				control.Options[d.rng.IntN(len(control.Options))].Value)
		} else {
			reply, err = d.srv.Click(ctx, user, m.ID, control.CustomID)
		}
		d.first = append(d.first, time.Since(last))
		if errors.Is(err, localdiscord.ErrInteractionFailed) {
			d.late++
			if plays >= 0 {
				return last, nil
			}
			continue
		}
		if err != nil || plays >= 0 {
			return last, err
		}
		if m, err = reply.Message(ctx); err != nil {
			return last, err
		}
		if reply.Type == promiseMessage || reply.Type == promiseUpdate {
			d.promised++
		}
		label = ""
	}
}

// move makes a move and waits for the board. If the game is over already, it makes no move and returns true.
func (d *driver) move(ctx context.Context) (over bool, err error) {
	snap, err := d.service.Lookup.Snapshot(ctx, d.table)
	if err != nil || snap.Status == table.Over {
		return true, err
	}
	menu, ok := snap.Menu(snap.ToMove)
	if !ok {
		return false, errors.New("nobody is to move")
	}
	moves := menu.Candidates()
	move := moves[d.rng.IntN(len(moves))]
	if d.load.Rush {
		time.Sleep(time.Duration(d.rng.Float64() * float64(time.Second)))
	}
	began := time.Now()
	if d.load.Buttons {
		if began, err = d.press(ctx, snap.Mover()); err != nil {
			return false, err
		}
	} else if err := d.say(ctx, snap.Mover(), snap.Channel, "move",
		localdiscord.Opt("move", move.Notation)); err != nil {
		return false, err
	}
	if err := errors.Join(d.await(ctx, snap.Plays+1), d.awaitAnswer(ctx)); err != nil {
		return false, err
	}
	d.took = append(d.took, time.Since(began))
	return false, nil
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", one, "s")
}
