package bot

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/gateway"
	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/shards"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/storage"
)

// maxAsking bounds the interactions for which the bot asks the store, at the same time, which process answers them.
const maxAsking = 2048

// maxAsked is how long the store may take to name that process; Discord waits for three seconds.
const maxAsked = time.Second

// maxProbe is how long Discord may take for a request that only shows whether it can be reached; probePause is the time
// from its end to the next.
const (
	maxProbe   = 3 * time.Second
	probePause = time.Second
)

// handing is how much of the time for a stop, in hundredths, may go to handing over shards; the
// rest is for what is under way.
const handing = 70

// answerable is how long Discord waits for the answer to an interaction.
// Source: Discord's documentation, topic "Receiving and Responding", section "Followup Messages".
const answerable = 3 * time.Second

// remembered is how long it counts how quickly an interaction came: clocks drift apart.
const remembered = time.Hour

// ages says how old interactions are. Their ids say when Discord made them, by its clock, which may
// be seconds apart from this machine's. Of what came lately the quickest is therefore taken to have
// come at once, and counted from by a monotonic clock. That errs on the side of young: after an
// hour without an interaction the next one counts as new.
type ages struct {
	mu    sync.Mutex
	begun time.Time     // the start of the moments of arrival
	least time.Duration // from the making of the quickest, by Discord's clock, to its arrival
	at    time.Time     // the moment of that
}

// of is the age of the interaction with an id that came now; 0 for what is no id.
func (a *ages) of(id string, now time.Time) time.Duration {
	made, err := discordgo.SnowflakeTimestamp(id)
	if err != nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.begun.IsZero() {
		a.begun = now
	}
	took := now.Sub(a.begun) - time.Duration(made.UnixMilli())*time.Millisecond
	if a.at.IsZero() || took < a.least || now.Sub(a.at) > remembered {
		a.least, a.at = took, now
	}
	return took - a.least
}

// fleet lets this process serve its share of the shards, beside others that share the store. See package shards.
type fleet struct {
	leases storage.Leases
	log    *slog.Logger
	keeper atomic.Pointer[shards.Keeper] // nil before it is known how many shards there are
	asking chan struct{}                 // a token for each interaction whose process the store looks up
	lost   chan struct{}                 // hears of requests to Discord that got no answer
	busy   sync.WaitGroup                // goroutines under way
}

func newFleet(leases storage.Leases, log *slog.Logger) *fleet {
	return &fleet{leases: leases, log: log, asking: make(chan struct{}, maxAsking),
		lost: make(chan struct{}, 1)}
}

// exchanged hears of every request that was sent to Discord.
func (f *fleet) exchanged(e rest.Exchange) {
	k := f.keeper.Load()
	if k == nil {
		return
	}
	if e.Answered() {
		k.Heard(true, e.Took)
		return
	}
	if !e.Lost() {
		return
	}
	k.Heard(false, e.Took)
	select {
	case f.lost <- struct{}{}:
	default:
	}
}

// probe asks Discord something after a request without an answer, until there is one: what players ask for may be too
// rare to say whether this process is cut off, and a process without shards asks for nothing. What comes of it,
// exchanged hears.
func (f *fleet) probe(ctx context.Context, k *shards.Keeper, g *gateway.Gateway) {
	for {
		select {
		case <-f.lost:
		case <-ctx.Done():
			return
		}
		if k.Alone() {
			continue // nobody could take over
		}
		asking, cancel := context.WithTimeout(ctx, maxProbe)
		_ = g.Reach(asking)
		cancel()
		pause := time.NewTimer(probePause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
		}
	}
}

// shardOf is the shard of a server; what has none belongs to the first.
func shardOf(k *shards.Keeper, guild string) int {
	n, ok := gateway.Sharding{Shards: k.Shards()}.ShardOf(guild)
	if !ok {
		return 0
	}
	return n
}

// accept has router answer an interaction that has just come and is that old, unless another process answers. The
// gateway's reader does not wait for the store.
func (f *fleet) accept(ctx context.Context, router *interact.Router, i *discordgo.Interaction, now time.Time,
	age time.Duration) {
	k := f.keeper.Load()
	shard := shardOf(k, i.GuildID)
	// The user has been told that nobody answered, and may have done something else since:
	// carried out now it would surprise them.
	if age > answerable && k.Lapsed(shard) {
		f.log.InfoContext(ctx,
			"an interaction waited while this process was stopped or cut off; it is too old to be answered", "guild",
			i.GuildID, "age", age)
		return
	}
	if k.Exclusive(shard) {
		router.Accept(ctx, i, interact.Arrival{At: now})
		return
	}
	select {
	case f.asking <- struct{}{}:
	default:
		f.log.WarnContext(ctx,
			"too many interactions wait for the store to say which process answers them; one is dropped", "guild",
			i.GuildID)
		return
	}
	f.busy.Go(func() {
		defer func() { <-f.asking }()
		asking, cancel := context.WithTimeout(ctx, maxAsked) // a player waits
		defer cancel()
		if answers, alone := k.Answers(asking, shard, i.ID); answers {
			router.Accept(ctx, i, interact.Arrival{At: now, Shared: !alone})
		}
	})
}

// Shards is Keeper.Count; all zero before the process has joined the others.
func (f *fleet) Shards() (all, held, lapsed int) {
	if k := f.keeper.Load(); k != nil {
		return k.Count()
	}
	return 0, 0, 0
}

// work is what a process does for the shards that it serves.
type work struct {
	gateway *gateway.Gateway
	tables  *table.Service
	start   func()                    // tells and carries out what nobody asked for, from joining the others on
	gaining func()                    // servers are about to become this process's
	gained  func(ctx context.Context) // servers have become this process's, which looks for what waits there
	ready   func()
}

// serve joins the other processes and serves its share until ctx is done; then it hands over its shards, within most of
// grace. It reports whether it joined. It returns a *gateway.StartError when Discord refuses the bot.
func (f *fleet) serve(ctx context.Context, grace time.Duration, w work) (began bool, err error) {
	sharding, err := w.gateway.Sharding(ctx)
	if err != nil {
		return false, err
	}
	w.gateway.Share(f.leases.Turn)
	running, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	kept := context.WithoutCancel(ctx) // connections stay while what they serve is handed over
	var k *shards.Keeper
	k = shards.New(shards.Config{
		Leases: f.leases, Process: rand.Text(), Shards: sharding.Shards, Clock: timesource.System{}, Log: f.log,
		Serve: func(shard, of int) func() {
			serving, stop := context.WithCancel(kept)
			f.busy.Go(func() {
				defer stop()
				if err := w.gateway.Serve(serving, gateway.Shard{Number: shard, Of: of},
					func(up bool) { k.Connected(shard, up) }); err != nil {
					fail(err)
				}
			})
			return stop
		},
		Gaining: func(int) { w.gaining() },
		Gained:  func(int) { f.busy.Go(func() { w.gained(running) }) },
	})
	f.keeper.Store(k)
	f.busy.Go(func() { f.probe(running, k, w.gateway) })
	w.tables.Sharing.Begin(table.Share{
		Fence:     func(guild string) (storage.Fence, bool) { return k.Fence(shardOf(k, guild)) },
		Exclusive: func(guild string) bool { return k.Exclusive(shardOf(k, guild)) },
		Alone:     k.Alone,
	})
	over := make(chan struct{})
	go func() { defer close(over); k.Run(running, grace*handing/100) }()
	relaying, stopRelay := context.WithCancel(kept)
	defer stopRelay()
	select {
	case <-k.Joined():
		w.start()
		f.busy.Go(func() { w.tables.Sharing.Relay(relaying, f.leases) })
		w.gateway.OnConnection(w.tables.SetOnline)
		began = true
	case <-over:
	}
	if began {
		select {
		case <-k.Settled():
			w.ready()
		case <-over:
		}
	}
	<-over
	stopRelay()
	f.busy.Wait()
	if err := context.Cause(running); ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		return began, err
	}
	return began, nil
}
