//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/shards"
	"marque/games"
	"marque/storage"
	"marque/storage/kv/postgres/postgrestest"
)

var (
	campaignServers = flag.Int("campaign.servers", 12, "on so many servers people play in the campaign")
	campaignShards  = flag.Int("campaign.shards", 4, "into so many shards they are divided")
	campaignRounds  = flag.Int("campaign.rounds", 0,
		"how often everything that can go wrong does; each takes two minutes or more")
	campaignLimits = flag.Bool("campaign.limits", true,
		"whether the local Discord enforces Discord's limits in the campaign")
	campaignThink = flag.Duration("campaign.think", time.Second,
		"how long a player thinks about a move, on the average")
)

const (
	fleetSize = 3
	// campaignPatience limits how long a server's players wait after a fault until they get answers again, even on a
	// busy machine.
	campaignPatience = 4 * time.Minute
	// answerPatience limits how long a player waits for the answer to a command while there is no fault.
	answerPatience = 2 * time.Minute
	// discordPatience is how long Discord waits for the answer to a command.
	discordPatience = 3 * time.Second
	// beyondLease is longer than a lease lasts without renewal.
	beyondLease = shards.Life + 3*time.Second
	// frozenFor is how long a process is frozen in the middle of a commit, like a machine that is migrated or that
	// swaps.
	frozenFor = 45 * time.Second
	// hungFor is how long a connection to the database passes no data. A client gives up waiting for an answer earlier.
	hungFor = 25 * time.Second
	// crashedFor is how long a crashed database is down. It is long enough for some players to repeat their moves.
	crashedFor = 2 * time.Second
	cuts       = 20
	tenth      = 100 * time.Millisecond
)

// No acknowledged move is lost, nothing is played twice, no board is posted twice, every server is answered again after
// a fault, and every command is answered while there is none, even while a process is replaced. On servers with
// tournaments, no pairing has two tables, each pairing has the result of its table, and no round begins twice.
//
// People play on all servers while three processes share a database and a Discord. The processes are killed, stopped
// for longer than their leases, frozen in the middle of a commit, cut off from their database and replaced, and the
// database server is restarted.
func TestCampaign(t *testing.T) {
	t.Parallel()
	if *campaignRounds < 1 {
		t.Skip("takes minutes of a machine's own: -campaign.rounds 1")
	}
	c := newCampaign(t, *campaignServers, *campaignShards, *campaignLimits)
	stop := c.stop
	c.build("")
	fleet := make([]*vessel, fleetSize)
	for i := range fleet {
		fleet[i] = c.launch()
	}
	store := c.store
	defer store.Close()
	var playing sync.WaitGroup
	c.people(&playing)
	var tournaments []*entrants
	for i := 0; i < *campaignServers; i += cupServers {
		tournaments = append(tournaments, c.newEntrants(store, i))
		playing.Go(tournaments[len(tournaments)-1].playAll)
	}
	defer playing.Wait()
	defer stop()
	c.served("the start", time.Now())

	next := 0
	oldest := func() (v *vessel, place **vessel) {
		place = &fleet[next%fleetSize]
		next++
		return *place, place
	}
	for range *campaignRounds {
		v, place := oldest()
		c.disturb("kill, and a start as by a supervisor", func() time.Time {
			v.kill()
			defer func() { *place = c.launch() }()
			return time.Now()
		})
		c.disturb("restart of the database", func() time.Time { return c.restart(c.db.Stop) })
		v, place = oldest()
		*place = c.replace(v)
		v, _ = oldest()
		c.disturb("stop for longer than a lease", func() time.Time {
			v.signal(syscall.SIGSTOP)
			halted := time.Now()
			c.served("stop", halted)
			pause(c.ctx, time.Until(halted.Add(beyondLease)))
			v.signal(syscall.SIGCONT)
			return time.Now()
		})
		c.disturb("stop of two of three", func() time.Time {
			two := []*vessel{fleet[next%fleetSize], fleet[(next+1)%fleetSize]}
			for _, v := range two {
				v.signal(syscall.SIGSTOP)
			}
			halted := time.Now()
			c.served("stop of two of three", halted)
			for _, v := range two {
				v.signal(syscall.SIGCONT)
			}
			return time.Now()
		})
		c.disturb("kill, and stop of who claims its shards", func() time.Time {
			before := c.roster(store)
			i := slices.IndexFunc(fleet, func(v *vessel) bool {
				return slices.ContainsFunc(before.Leases, func(l storage.Lease) bool { return l.Owner == v.process })
			})
			v, place = fleet[i], &fleet[i]
			v.kill()
			killed := time.Now()
			heir := c.heir(store, before, v, fleet)
			heir.signal(syscall.SIGSTOP)
			c.served("kill, and stop of who claims its shards", killed)
			heir.signal(syscall.SIGCONT)
			*place = c.launch()
			return time.Now()
		})
		v, _ = oldest()
		c.disturb("frozen with its locks, before its commit arrives", func() time.Time {
			on := make(chan struct{})
			v.atCommit(c, func() bool { v.signal(syscall.SIGSTOP); <-on; return true })
			halted := time.Now()
			c.served("frozen with its locks", halted)
			pause(c.ctx, time.Until(halted.Add(frozenFor)))
			v.signal(syscall.SIGCONT)
			close(on)
			v.wire.Sent(nil)
			return time.Now()
		})
		v, _ = oldest()
		c.disturb(fmt.Sprint(cuts, " cuts at COMMIT"), func() time.Time {
			for i := range cuts {
				v.atCommit(c, func() bool {
					if i%2 == 0 {
						go v.wire.Cut() // before the server gets the commit
						return false
					}
					v.wire.Answered(func([]byte) bool { return false }) // the server commits, but its answer is lost
					time.AfterFunc(300*time.Millisecond, func() { v.wire.Cut(); v.wire.Answered(nil) })
					return true
				})
				pause(c.ctx, 500*time.Millisecond)
			}
			v.wire.Sent(nil)
			return time.Now()
		})
		v, _ = oldest()
		c.disturb("a way to the database that passes nothing on, and a crash of the database when it does", func() time.Time {
			on := make(chan struct{})
			hang := func([]byte) bool { <-on; return true }
			v.wire.Sent(hang)
			v.wire.Answered(hang)
			hung := time.Now()
			c.served("hang", hung)
			pause(c.ctx, time.Until(hung.Add(hungFor)))
			v.wire.Sent(nil)
			v.wire.Answered(nil)
			return c.restart(func() { // the cut-off process is still connected for shards that another one owns now
				c.db.Kill()
				close(on)
				pause(c.ctx, crashedFor)
			})
		})
		v, place = oldest()
		c.disturb("kill at COMMIT, two being left", func() time.Time {
			v.atCommit(c, func() bool { v.signal(syscall.SIGKILL); return true })
			v.kill()
			return time.Now()
		})
		*place = c.launch()
		v, place = oldest()
		*place = c.replace(v)
	}
	stop()
	playing.Wait()
	for _, v := range fleet {
		v.end()
	}
	c.check(store)
	c.checkTournaments(store, tournaments)
}

// newCampaign starts a database server, and a local Discord with the given number of servers. limits says whether it
// enforces Discord's limits.
func newCampaign(t *testing.T, servers, shards int, limits bool) *campaign {
	t.Helper()
	db := postgrestest.Start(t)
	url, err := db.Database()
	if err != nil {
		t.Fatal(err)
	}
	c := &campaign{t: t, db: db, url: url, dir: t.TempDir(), servers: servers, shards: shards,
		boards: map[string]map[string]bool{}, said: map[string]int{}}
	c.ctx, c.stop = context.WithCancel(t.Context())
	t.Cleanup(c.stop)
	limit, between := 0, 5*time.Second // the same as Discord's
	if !limits {
		limit, between, c.budget = localdiscord.Unlimited, 0, "1000000"
	}
	c.discord = localdiscord.New(localdiscord.Options{
		Requests: limit,
		Log:      slog.New(slog.DiscardHandler), Servers: servers, Shards: shards,
		MaxConcurrency: min(shards, 4),
		IdentifyPause:  between, AnswerWithin: answerPatience, OnRequest: c.request,
	})
	if err := c.discord.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.discord.Close() })
	c.proxy = openProxy(t, c.discord)
	return c
}

// build builds the program and replaces its file, like the update of a package. Running processes keep their version.
func (c *campaign) build(release string) {
	c.t.Helper()
	args := []string{"build", "-o", filepath.Join(c.dir, "new")}
	if release != "" {
		args = append(args, "-ldflags", "-X main.release="+release)
	}
	if out, err := exec.CommandContext(c.ctx, "go", append(args, ".")...).CombinedOutput(); err != nil {
		c.t.Fatalf("the program is not built: %v\n%s", err, out)
	}
	c.program = filepath.Join(c.dir, "marque")
	must(c.t, os.Rename(filepath.Join(c.dir, "new"), c.program))
}

// people lets people play on all servers until the campaign is over.
func (c *campaign) people(playing *sync.WaitGroup) {
	c.t.Helper()
	for i := range c.servers {
		place := localdiscord.PlaceAt(i)
		must(c.t, c.discord.Admin.DenyBot(place.Tables, localdiscord.PermissionCreatePublicThreads))
		group := &mates{campaign: c, store: c.store, place: place, rng: rand.New(rand.NewPCG(uint64(i), 15))}
		c.groups = append(c.groups, group)
		playing.Go(group.play)
	}
	playing.Go(func() { c.pulse(c.store) })
}

// campaign holds the state that all participants share.
type campaign struct {
	t       *testing.T
	ctx     context.Context
	stop    func() // ends the campaign
	db      *postgrestest.Server
	url     string
	store   keeper
	dir     string
	program string
	proxy   proxy
	discord *localdiscord.Server
	budget  string // limit of requests a second that the processes assume; "" for Discord's
	groups  []*mates
	servers int
	shards  int

	launched int
	members  []string // names in the leases of all launched processes

	mu         sync.Mutex
	disturbed  time.Time                  // start of the current fault; zero while there is none
	planned    bool                       // whether a process is being replaced
	boards     map[string]map[string]bool // ids of the messages that show a board, by channel and name of its picture
	said       map[string]int             // number of answers other than "Played:", by command and first line
	unanswered []silent                   // commands without an answer although there was no fault
	stuck      []span                     // periods in which the machine or its disk was stalled
	// Number of commands answered after Discord's limit while a process was replaced.
	slow    int
	spare   int           // number of commands answered while a process was replaced
	tokened int           // number of requests with the bot's token
	limited int           // number of requests refused with status 429
	faults  []string      // faults, each with the longest wait after it
	silence time.Duration // longest of the waits in faults
}

// span is a period of time.
type span struct{ from, to time.Time }

// silent is an unanswered command, and the period in which its player waited.
type silent struct {
	what string
	span
}

// stillness is how long the machine can stall before leases may be renewed too late.
const stillness = shards.Life / 5

// pulse records periods in which the machine or its disk was stalled for so long that leases may have expired. The
// campaign's promises about time assume a machine without stalls.
func (c *campaign) pulse(store keeper) {
	for last := time.Now(); c.ctx.Err() == nil; pause(c.ctx, 100*time.Millisecond) {
		if _, err := store.ByGuild(c.ctx, localdiscord.PlaceAt(0).Guild, storage.Active, 0, 1); err != nil {
			continue
		}
		now := time.Now()
		if now.Sub(last) > stillness {
			c.mu.Lock()
			if c.disturbed.IsZero() {
				c.stuck = append(c.stuck, span{last, now})
			}
			c.mu.Unlock()
		}
		last = now
	}
}

var boardName = regexp.MustCompile(`^board-\d+-\d+\.png$`)

// request records the messages that show each board, and counts the requests that were refused because of Discord's
// limits.
func (c *campaign) request(q localdiscord.Request) {
	c.mu.Lock()
	if !strings.HasPrefix(q.Route, "/interactions/") && !strings.HasPrefix(q.Route, "/webhooks/") {
		c.tokened++
	}
	if q.Status == http.StatusTooManyRequests {
		c.limited++
	}
	c.mu.Unlock()
	if q.Route != "/channels/{channel_id}/messages" || q.Status != 200 {
		return
	}
	for _, f := range q.Files {
		if id := messageID.FindSubmatch(q.Response); id != nil && boardName.MatchString(f.Name) {
			c.mu.Lock()
			key := q.Path + " " + f.Name
			if c.boards[key] == nil {
				c.boards[key] = map[string]bool{}
			}
			c.boards[key][string(id[1])] = true
			c.mu.Unlock()
		}
	}
}

// launch starts a process and waits until it reports that it is ready.
func (c *campaign) launch() *vessel {
	c.t.Helper()
	c.launched++
	v := &vessel{t: c.t, name: fmt.Sprintf("process %d", c.launched), exited: make(chan struct{})}
	dir := filepath.Join(c.dir, fmt.Sprint(c.launched))
	if err := os.Mkdir(dir, 0o700); err != nil {
		c.t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		c.t.Fatal(err)
	}
	v.log = log.Name()
	if v.wire, err = c.db.Wire(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(v.wire.Close)
	v.cmd = exec.Command(c.program)
	v.cmd.Dir, v.cmd.Stderr = dir, log
	v.cmd.Env = append(os.Environ(), "DISCORD_TOKEN="+c.discord.Token(), "MARQUE_DATABASE="+v.wire.URL(c.url),
		"MARQUE_DATA="+filepath.Join(dir, "data"),
		"MARQUE_BACKUPS=", "MARQUE_METRICS=", "MARQUE_SHARDS=", "MARQUE_LOG_LEVEL=info",
		"MARQUE_REQUESTS_PER_SECOND="+c.budget,
		"MARQUE_SHUTDOWN_TIMEOUT="+answerPatience.String(),
		"HTTPS_PROXY="+c.proxy.address, "https_proxy="+c.proxy.address, "NO_PROXY=", "no_proxy=",
		"SSL_CERT_FILE="+c.proxy.authority, "SSL_CERT_DIR="+dir)
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ready := make(chan struct{})
	go func() {
		in := bufio.NewReader(out)
		if line, _ := in.ReadString('\n'); strings.Contains(line, "ready") {
			close(ready)
		}
		io.Copy(io.Discard, in)
		v.ended = v.cmd.Wait()
		log.Close()
		close(v.exited)
	}()
	c.t.Cleanup(func() { v.kill() })
	timer := time.NewTimer(campaignPatience)
	defer timer.Stop()
	select {
	case <-ready:
	case <-v.exited:
		c.t.Fatalf("%s ended: %v\n%s", v.name, v.ended, v.lines())
	case <-timer.C:
		c.t.Fatalf("%s is not ready\n%s", v.name, v.lines())
	}
	if c.store.Store == nil { // the first process has created the store
		if c.store, err = peekServer(c.ctx, c.url); err != nil {
			c.t.Fatal(err)
		}
	}
	for until := time.Now().Add(campaignPatience); v.process == "" && time.Now().Before(until); pause(c.ctx, tenth) {
		for _, m := range c.roster(c.store).Members {
			if !slices.Contains(c.members, m) {
				v.process, c.members = m, append(c.members, m)
			}
		}
	}
	return v
}

// vessel is a process of the bot.
type vessel struct {
	t       *testing.T
	name    string
	process string // name of the process in the leases
	cmd     *exec.Cmd
	log     string
	wire    *postgrestest.Wire // connection to the database
	exited  chan struct{}
	ended   error // set once the process has exited
}

func (v *vessel) signal(s syscall.Signal) { _ = v.cmd.Process.Signal(s) }

// commitName is the name under which the pgx library prepares the statement COMMIT.
var commitName = func() []byte {
	sum := sha256.Sum256([]byte("COMMIT"))
	return fmt.Appendf(nil, "stmtcache_%x", sum[:24])
}()

// atCommit waits until the process next sends a commit, and calls f. The server gets the commit if f returns true.
func (v *vessel) atCommit(c *campaign, f func() bool) {
	var once sync.Once
	reached := make(chan struct{})
	v.wire.Sent(func(b []byte) bool {
		pass := true
		if bytes.Contains(b, commitName) {
			once.Do(func() { close(reached); pass = f() })
		}
		return pass
	})
	select {
	case <-reached:
	case <-time.After(campaignPatience):
		c.t.Errorf("%s commits nothing\n%s", v.name, v.lines())
	case <-c.ctx.Done():
	}
}

func (v *vessel) kill() {
	v.signal(syscall.SIGKILL)
	<-v.exited
}

// end tells the process to stop, and waits until it has stopped.
func (v *vessel) end() {
	v.t.Helper()
	v.signal(syscall.SIGTERM)
	timer := time.NewTimer(campaignPatience)
	defer timer.Stop()
	select {
	case <-v.exited:
	case <-timer.C:
		v.t.Errorf("%s does not end\n%s", v.name, v.lines())
		v.kill()
	}
	if v.ended != nil {
		v.t.Errorf("%s ended with %v\n%s", v.name, v.ended, v.lines())
	}
}

// lines returns the last lines of the process's log.
func (v *vessel) lines() string {
	all, _ := os.ReadFile(v.log)
	list := strings.Split(string(all), "\n")
	return strings.Join(list[max(0, len(list)-40):], "\n")
}

// roster returns the leases of the shards, with their owners, and the living processes.
func (c *campaign) roster(store keeper) storage.Roster {
	c.t.Helper()
	roster, err := store.engine.(interface {
		Roster(ctx context.Context) (storage.Roster, error)
	}).Roster(c.ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	return roster
}

// heir waits until another process owns a shard of a killed one, and returns the other process.
func (c *campaign) heir(store keeper, before storage.Roster, killed *vessel, fleet []*vessel) *vessel {
	c.t.Helper()
	for until := time.Now().Add(campaignPatience); time.Now().Before(until); pause(c.ctx, 20*time.Millisecond) {
		for _, l := range c.roster(store).Leases {
			was := slices.IndexFunc(before.Leases, func(o storage.Lease) bool {
				return o.Shard == l.Shard && o.Owner == killed.process
			})
			i := slices.IndexFunc(fleet, func(v *vessel) bool { return v != killed && v.process == l.Owner })
			if was >= 0 && i >= 0 {
				return fleet[i]
			}
		}
	}
	c.t.Fatalf("nobody claims the shards of %s: before %+v, now %+v", killed.process, before, c.roster(store))
	return nil
}

// restart stops the database server with end and starts it again. It returns the time at which the server had stopped.
func (c *campaign) restart(end func()) time.Time {
	c.t.Helper()
	end()
	gone := time.Now()
	if err := c.db.Start(); err != nil {
		c.t.Fatal(err)
	}
	return gone
}

// disturb calls do, which causes a fault and returns the time from which the bot must recover. It then waits until
// every server is served again.
func (c *campaign) disturb(what string, do func() time.Time) {
	c.t.Helper()
	c.mu.Lock()
	c.disturbed = time.Now()
	c.mu.Unlock()
	c.served(what, do())
	c.served("well again", time.Now()) // so that commands from the time of the fault have ended
	c.mu.Lock()
	c.disturbed = time.Time{}
	c.mu.Unlock()
}

// replace starts a new process, stops the old one, and returns the new one. Every command must be answered meanwhile.
func (c *campaign) replace(old *vessel) *vessel {
	c.t.Helper()
	c.mu.Lock()
	c.planned = true
	c.mu.Unlock()
	began := time.Now()
	v := c.launch()
	old.end()
	c.served("replacement", time.Now()) // so that commands from the time of the replacement have been answered
	c.mu.Lock()
	defer c.mu.Unlock()
	c.planned = false
	c.faults = append(c.faults, fmt.Sprintf("replacement: took %v", time.Since(began).Round(100*time.Millisecond)))
	return v
}

// served waits until every server has acknowledged a move that was begun after the time since. It records the longest
// wait for an answer on any server.
func (c *campaign) served(what string, since time.Time) {
	c.t.Helper()
	ctx, cancel := context.WithDeadline(c.ctx, since.Add(campaignPatience))
	defer cancel()
	var last time.Time
	var silence time.Duration
	for _, group := range c.groups {
		at, ok := group.acknowledged(ctx, since)
		if !ok {
			c.t.Fatalf("after %s, server %s was not answered within %v: %s", what, group.place.Guild, campaignPatience,
				group.latest())
		}
		if at.After(last) {
			last = at
		}
		silence = max(silence, group.silent(since))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, fmt.Sprintf("%s: who asked was answered after %v at most, every server played after %v",
		what, silence.Round(tenth), last.Sub(since).Round(tenth)))
	if what != "the start" {
		c.silence = max(c.silence, silence)
	}
}

// try is one attempt at a move.
type try struct {
	table   storage.ID
	seat    games.Seat
	move    string
	outcome outcome
	said    string // first line of the answer
	began   time.Time
	ended   time.Time
}

type outcome int

const (
	unknown      outcome = iota // no answer, or an answer that says that the outcome is unknown
	acknowledged                // the player was told that the move is played
	refused                     // the player was told that the move is not played
)

// mates are the players of a server, who make moves in turn.
type mates struct {
	*campaign
	store keeper
	place localdiscord.Place
	rng   *rand.Rand

	mu      sync.Mutex
	history []try
	changed chan struct{} // closed with the next move
	asked   []question
}

// question is a command, or a request for the list of available moves, that a player sent.
type question struct {
	began, ended time.Time
	answered     bool
}

// silent returns how long the players waited for an answer after the time since.
func (w *mates) silent(since time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var first time.Time
	for _, q := range w.asked {
		if !q.ended.After(since) {
			continue
		}
		if first.IsZero() {
			first = q.began
			if first.Before(since) {
				first = since
			}
		}
		if q.answered && q.began.After(since) {
			return q.ended.Sub(first)
		}
	}
	return 0
}

// acknowledged waits for an acknowledged move that was begun after the time since, and returns the time of its
// acknowledgement.
func (w *mates) acknowledged(ctx context.Context, since time.Time) (at time.Time, ok bool) {
	for {
		w.mu.Lock()
		i := slices.IndexFunc(w.history, func(y try) bool { return y.outcome == acknowledged && y.began.After(since) })
		if i >= 0 {
			defer w.mu.Unlock()
			return w.history[i].ended, true
		}
		if w.changed == nil {
			w.changed = make(chan struct{})
		}
		changed := w.changed
		w.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return at, false
		}
	}
}

func (w *mates) latest() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("%+v", w.history[max(0, len(w.history)-3):])
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// play plays until the campaign is over.
func (w *mates) play() {
	for w.ctx.Err() == nil {
		w.step()
		pause(w.ctx, 20*time.Millisecond) // because another player is to move, or a server is down
	}
}

// step makes a move, or opens or joins a table if no game is in play.
func (w *mates) step() {
	heads, err := w.store.ByGuild(w.ctx, w.place.Guild, storage.Active, 0, 10)
	if err != nil {
		return // the database is down
	}
	heads = slices.DeleteFunc(heads, func(h storage.Head) bool { return h.Competition.Number != 0 })
	if len(heads) == 0 {
		w.command(w.place.Owner, "play", localdiscord.Opt("game", "loyal-captain"), localdiscord.Opt("players", 2))
		return
	}
	i := slices.IndexFunc(heads, func(h storage.Head) bool { return h.Status == storage.Playing })
	if i < 0 {
		w.command(w.place.Member, "table join")
		return
	}
	head := heads[i]
	user := head.Seats[head.ToMove].User
	var choices []localdiscord.Choice
	w.ask("move (choices)", func(ctx context.Context) (err error) {
		choices, err = w.discord.Autocomplete(ctx, user, w.place.Tables, "move", "move", localdiscord.Opt("move", ""))
		return err
	})
	choices = slices.DeleteFunc(choices, func(c localdiscord.Choice) bool { return strings.HasPrefix(c.Name, "…") })
	if len(choices) == 0 {
		return
	}
	w.think()
	move := fmt.Sprint(choices[w.rng.IntN(len(choices))].Value)
	// Players repeat a move if they do not know whether it was played, or if they are told that the bot could not play
	// it.
	for again := true; again && w.ctx.Err() == nil; {
		y := try{table: head.ID, seat: head.ToMove, move: move, began: time.Now()}
		text, answered := w.command(user, "move", localdiscord.Opt("move", move))
		y.ended = time.Now()
		y.said, _, _ = strings.Cut(text, "\n")
		switch {
		case strings.Contains(text, "Played:"):
			y.outcome, again = acknowledged, false
		case answered && !strings.Contains(text, "so I don't know whether"):
			y.outcome, again = refused, strings.Contains(text, "Nothing has changed")
		}
		w.note(y)
		if again {
			pause(w.ctx, min(time.Second, *campaignThink)) // shorter, because the player has already chosen this move
		}
	}
}

// note records an attempt at a move.
func (w *mates) note(y try) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.history = append(w.history, y)
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// think waits for a random time, as a player does before a move.
func (w *mates) think() {
	pause(w.ctx, time.Duration(2*w.rng.Float64()*float64(*campaignThink)))
}

// command sends a command to the server's channel and returns the text of the answer.
func (w *mates) command(user, name string, options ...localdiscord.Option) (text string, answered bool) {
	answered = w.ask(name, func(ctx context.Context) error {
		reply, err := w.discord.Command(ctx, user, w.place.Tables, name, options...)
		if err != nil {
			return err
		}
		m, err := reply.Message(ctx)
		if err == nil {
			text = m.Text()
		}
		return err
	})
	if answered && !strings.Contains(text, "Played:") {
		line, _, _ := strings.Cut(text, "\n")
		w.campaign.mu.Lock()
		w.said["/"+name+": "+mentions.ReplaceAllString(line, "…")]++
		w.campaign.mu.Unlock()
	}
	return text, answered
}

// ask calls do, which waits for an answer, and records how long that took. During a fault it waits no longer than
// Discord does.
func (w *mates) ask(name string, do func(context.Context) error) (answered bool) {
	ctx, cancel := context.WithTimeout(w.ctx, answerPatience+time.Minute)
	defer cancel()
	began := time.Now()
	given := make(chan struct{})
	go func() {
		defer close(given)
		for tick := time.NewTicker(200 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
				if since := w.wrong(); !since.IsZero() && time.Since(since) > discordPatience &&
					time.Since(began) > discordPatience {
					cancel()
				}
			}
		}
	}()
	err := do(ctx)
	cancel()
	<-given
	took := time.Since(began)
	w.mu.Lock()
	w.asked = append(w.asked, question{began, began.Add(took), err == nil})
	w.mu.Unlock()
	w.campaign.mu.Lock()
	defer w.campaign.mu.Unlock()
	if err == nil && w.planned {
		w.spare++
		if took > discordPatience {
			w.slow++
		}
	}
	if err != nil && w.ctx.Err() == nil && w.disturbed.IsZero() {
		w.unanswered = append(w.unanswered, silent{fmt.Sprintf("/%s in server %s at %s (planned: %t): %v", name,
			w.place.Guild, began.Format(time.TimeOnly), w.planned, err), span{began, time.Now()}})
	}
	return err == nil
}

// wrong returns the start of the current fault; zero while there is none.
func (c *campaign) wrong() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.disturbed
}

var (
	messageID = regexp.MustCompile(`^\{[^{}\[\]]*"id":"(\d+)"`)
	mentions  = regexp.MustCompile(`<[^>]*>|\d+|“[^”]*”`)
)

// check compares the stored moves with the answers that the players got, and fails the test if a promise was broken.
func (c *campaign) check(store keeper) {
	ctx := context.WithoutCancel(c.ctx)
	moves, unknowns, refusals, tables, boards := 0, 0, 0, 0, 0
	var lost, twice, saidTwice []string
	for _, w := range c.groups {
		histories := map[storage.ID][]try{}
		for _, y := range w.history {
			histories[y.table] = append(histories[y.table], y)
		}
		for id, history := range histories {
			tables++
			stored, err := store.Load(ctx, id)
			if err != nil {
				c.t.Fatal(err)
			}
			var played []string
			for _, e := range stored.Events {
				if e.Kind == storage.Played {
					played = append(played, fmt.Sprint(e.Seat, " ", e.Text))
				}
			}
			var acks, maybe []string
			for _, y := range history {
				move := fmt.Sprint(y.seat, " ", y.move)
				switch y.outcome {
				case acknowledged:
					acks = append(acks, move)
				case unknown:
					maybe = append(maybe, move)
				default:
					refusals++
				}
			}
			moves, unknowns = moves+len(acks), unknowns+len(maybe)
			gone, surplus := compareHistories(acks, maybe, played)
			for _, m := range gone {
				lost = append(lost, fmt.Sprintf("table %d: %s", id, m))
			}
			for _, m := range surplus {
				var tries []string
				for _, y := range history {
					if fmt.Sprint(y.seat, " ", y.move) == m {
						tries = append(tries, fmt.Sprintf("%s to %s: %q", y.began.UTC().Format(time.StampMilli),
							y.ended.UTC().Format(time.StampMilli), y.said))
					}
				}
				for _, e := range stored.Events {
					if e.Kind == storage.Played && fmt.Sprint(e.Seat, " ", e.Text) == m {
						tries = append(tries, "stored "+e.At.Time().UTC().Format(time.StampMilli))
					}
				}
				twice = append(twice, fmt.Sprintf("table %d: %s\n\t%s", id, m, strings.Join(tries, "\n\t")))
			}
		}
	}
	for key, messages := range c.boards {
		if boards++; len(messages) > 1 {
			saidTwice = append(saidTwice, fmt.Sprintf("%s in %d messages", key, len(messages)))
		}
	}
	var logged []string
	logs, _ := filepath.Glob(filepath.Join(c.dir, "*", "log"))
	for _, name := range logs {
		all, _ := os.ReadFile(name)
		for line := range strings.Lines(string(all)) {
			if strings.Contains(line, "level=ERROR") {
				logged = append(logged, line)
			}
		}
	}
	c.t.Logf("%d servers, %d shards, %d processes of %d; %d tables, %d boards\n%s\n%d moves acknowledged, %d refused, %d with an unknown outcome; %d lost, %d played that nobody made or twice, %d boards said twice\n"+
		"the longest silence was %v; %d commands answered during replacements, %d after more than %v, %d unanswered while nothing was wrong; the machine stood still %d times; %d errors logged, %d sessions too early; of %d requests with the token, %d were refused with 429",
		c.servers, c.shards, fleetSize, c.launched, tables, boards, strings.Join(c.faults, "\n"), moves,
		refusals, unknowns, len(lost), len(twice), len(saidTwice),
		c.silence.Round(100*time.Millisecond), c.spare, c.slow, discordPatience, len(c.unanswered), len(c.stuck),
		len(logged), c.discord.Gateway.TooEarly(), c.tokened, c.limited)
	var unanswered []string
	for _, u := range c.unanswered {
		if slices.ContainsFunc(c.stuck, func(s span) bool {
			return s.to.After(u.from.Add(-2*shards.Life)) && s.from.Before(u.to)
		}) {
			c.t.Logf("the machine stood still: %s", u.what)
			continue
		}
		unanswered = append(unanswered, u.what)
	}
	for _, text := range slices.Sorted(maps.Keys(c.said)) {
		c.t.Logf("%d times %s", c.said[text], text)
	}
	for _, line := range logged[:min(len(logged), 10)] {
		c.t.Log(line)
	}
	for what, list := range map[string][]string{"acknowledged moves were lost": lost,
		"moves were played that nobody made, or twice": twice, "boards were said twice": saidTwice,
		"commands were not answered": unanswered} {
		if len(list) > 0 {
			c.t.Errorf("%d %s:\n%s", len(list), what, strings.Join(list[:min(len(list), 20)], "\n"))
		}
	}
	if c.limited > c.tokened/100 { // one in 100 is tolerated, because a process that ends forgets Discord's limits
		c.t.Errorf("%d of %d requests with the token were refused with 429", c.limited, c.tokened)
	}
	if moves < c.servers*10 {
		c.t.Errorf("only %d moves were played: the campaign shows nothing", moves)
	}
}

// compareHistories compares stored moves with moves that the players made: acks were acknowledged, and the outcome of
// maybe is unknown. gone are the acknowledged moves that are not stored in their order. surplus are the moves that are
// stored more often than they were made.
func compareHistories(acks, maybe, stored []string) (gone, surplus []string) {
	left := map[string]int{}
	for _, m := range stored {
		left[m]++
	}
	at := 0
	for _, m := range acks {
		left[m]--
		i := slices.Index(stored[at:], m)
		if i < 0 {
			gone = append(gone, m)
			continue
		}
		at += i + 1
	}
	for _, m := range maybe {
		if left[m] > 0 {
			left[m]--
		}
	}
	for _, m := range slices.Sorted(maps.Keys(left)) {
		for range left[m] {
			surplus = append(surplus, m)
		}
	}
	return gone, surplus
}

// The campaign's checker reports lost moves and moves played twice, and accepts moves whose outcome is unknown.
func TestHistoriesAreCompared(t *testing.T) {
	t.Parallel()
	list := strings.Fields
	for _, tt := range []struct{ acks, maybe, stored, gone, surplus string }{
		{"a b c", "", "a b c", "", ""},
		{"a b c", "x", "a x b c", "", ""},
		{"a b c", "x", "a b c", "", ""},
		{"a b c", "", "a c", "b", ""},
		{"a b c", "", "a b b c", "", "b"},
		{"a b c", "", "a c b", "c", ""},
		{"a b", "b", "a b b", "", ""},
		{"a", "x", "a x x", "", "x"},
		{"a a", "", "a", "a", ""},
	} {
		gone, surplus := compareHistories(list(tt.acks), list(tt.maybe), list(tt.stored))
		if !slices.Equal(gone, list(tt.gone)) || !slices.Equal(surplus, list(tt.surplus)) {
			t.Errorf("acknowledged %q, unknown %q, stored %q: lost %q, surplus %q, want %q and %q", tt.acks, tt.maybe,
				tt.stored, gone, surplus, tt.gone, tt.surplus)
		}
	}
}
