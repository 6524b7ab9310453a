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

// maxAsking is the maximum number of interactions that wait at the same time for the store to find the process that
// answers them.
const maxAsking = 2048

// maxAsked is how long the store may take to find the process that answers an interaction. Discord waits for three
// seconds.
const maxAsked = time.Second

// maxProbe is how long Discord may take to answer a probe, a request that only tests whether Discord can be reached.
// probePause is the minimum time between a probe's end and the next probe.
const (
	maxProbe   = 3 * time.Second
	probePause = time.Second
)

// handing is the percentage of a stop's time limit in which shards are handed over. The rest is for unfinished work.
const handing = 70

// answerable is how long Discord waits for the answer to an interaction.
// Source: Discord's documentation, topic "Receiving and Responding", section "Followup Messages".
const answerable = 3 * time.Second

// remembered is how long an interaction stays the reference for the age of others, unless a quicker one replaces
// it. The reference must be renewed, because clocks drift apart.
const remembered = time.Hour

// ages computes how old interactions are. An interaction's id contains the time at which Discord created it, but
// Discord's clock may differ from this machine's by seconds. ages therefore assumes that one interaction, the
// reference, arrived without delay, and compares the others with it on a monotonic clock. A quicker interaction
// becomes the reference, and so does the next one once the reference is an hour old. The computed age can be too
// low, because the reference counts as new.
type ages struct {
	mu    sync.Mutex
	begun time.Time     // arrival of the first interaction; later arrivals are measured from it
	least time.Duration // the reference's arrival on this clock minus its creation on Discord's
	at    time.Time     // arrival of the reference
}

// of returns the age of an interaction that arrives now; 0 if id is not a Discord id.
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

// fleet makes this process serve its share of the shards, together with other processes that share the store. See
// package shards.
type fleet struct {
	leases storage.Leases
	log    *slog.Logger
	keeper atomic.Pointer[shards.Keeper] // nil until the number of shards is known
	asking chan struct{}                 // a semaphore: one element per lookup in the store
	lost   chan struct{}                 // receives a value when a request to Discord got no answer
	busy   sync.WaitGroup                // goroutines that are still running
}

func newFleet(leases storage.Leases, log *slog.Logger) *fleet {
	return &fleet{leases: leases, log: log, asking: make(chan struct{}, maxAsking),
		lost: make(chan struct{}, 1)}
}

// exchanged tells the keeper whether Discord answered a request, and probe if it did not.
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

// probe sends a request to Discord after a request got no answer, and repeats it until Discord answers. While this
// process is alone, probe sends none. exchanged records the results. Without probes, this process could not tell
// whether it is disconnected: commands may be few, and a process without shards sends no requests.
func (f *fleet) probe(ctx context.Context, k *shards.Keeper, g *gateway.Gateway) {
	for {
		select {
		case <-f.lost:
		case <-ctx.Done():
			return
		}
		if k.Alone() {
			continue // no other process could take over
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

// shardOf returns the shard of a server. Direct messages belong to shard 0.
func shardOf(k *shards.Keeper, guild string) int {
	n, ok := gateway.Sharding{Shards: k.Shards()}.ShardOf(guild)
	if !ok {
		return 0
	}
	return n
}

// accept passes an interaction of the given age to router, unless another process answers it. It drops an interaction
// that is older than answerable if another process may have taken the shard. If the store must be read to find the
// process that answers, a goroutine reads it, so that the gateway's reader does not wait. If maxAsking interactions
// already wait for the store, accept drops the new one.
func (f *fleet) accept(ctx context.Context, router *interact.Router, i *discordgo.Interaction, now time.Time,
	age time.Duration) {
	k := f.keeper.Load()
	shard := shardOf(k, i.GuildID)
	// Discord has told the user that the bot did not respond. The user may have acted again since, and a late action
	// would be a surprise.
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
		asking, cancel := context.WithTimeout(ctx, maxAsked) // a player waits for the answer
		defer cancel()
		if answers, alone := k.Answers(asking, shard, i.ID); answers {
			router.Accept(ctx, i, interact.Arrival{At: now, Shared: !alone})
		}
	})
}

// Shards returns the number of all shards, of the shards that this process holds, and of those whose lease has lapsed;
// zeros until the number of shards is known.
func (f *fleet) Shards() (all, held, lapsed int) {
	if k := f.keeper.Load(); k != nil {
		return k.Count()
	}
	return 0, 0, 0
}

// work has the services and functions with which fleet makes a process serve its shards.
type work struct {
	gateway *gateway.Gateway
	tables  *table.Service
	start   func()                    // begins publishing and timed work, once this process has joined the others
	gaining func()                    // called just before this process takes over servers
	gained  func(ctx context.Context) // finds waiting work of the servers that this process has taken over
	ready   func()
}

// serve joins the other processes and serves its share of the shards until ctx is done. Then it hands over its shards,
// within handing percent of grace. began reports whether it joined. serve returns a *gateway.StartError if Discord
// refuses the bot.
func (f *fleet) serve(ctx context.Context, grace time.Duration, w work) (began bool, err error) {
	sharding, err := w.gateway.Sharding(ctx)
	if err != nil {
		return false, err
	}
	w.gateway.Share(f.leases.Turn)
	running, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	kept := context.WithoutCancel(ctx) // connections stay open until their shards are handed over
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
