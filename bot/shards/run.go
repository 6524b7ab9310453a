package shards

import (
	"context"
	"time"
)

// leaving limits the time for recording in the store that this process has stopped.
const leaving = 2 * time.Second

// Run renews and shares out leases in rounds until ctx is done. Then it hands over its leases, which takes at most
// grace. When Run returns, this process trusts no lease and has no connection.
func (k *Keeper) Run(ctx context.Context, grace time.Duration) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go k.watch(watching)
	down := false
	for ctx.Err() == nil {
		next, err := k.step(ctx)
		if ctx.Err() != nil {
			break
		}
		if (err != nil) != down {
			if down = err != nil; down {
				k.c.Log.WarnContext(ctx, "the leases of shards cannot be renewed; trying again", "error", err)
			} else {
				k.c.Log.InfoContext(ctx, "the leases of shards are renewed again")
			}
		}
		k.wait(ctx, next)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	k.mu.Lock()
	k.stopping = true
	k.mu.Unlock()
	for ending.Err() == nil {
		next, _ := k.step(ending) // after an error, the lease expires
		if k.done() {
			break
		}
		k.wait(ending, next)
	}
	k.leave(context.WithoutCancel(ctx))
}

// done reports whether all leases are handed over, or no process is left that could take them.
func (k *Keeper) done() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.othersLeave || len(k.leases) == 0
}

// watch logs leases that lapse, even while a round waits for the store.
func (k *Keeper) watch(ctx context.Context) {
	for ctx.Err() == nil {
		k.lapse(ctx)
		k.wait(ctx, hurry)
	}
}

// leave gives up all leases and connections.
func (k *Keeper) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, leaving)
	defer cancel()
	k.mu.Lock()
	clear(k.leases)
	k.mu.Unlock()
	if err := k.c.Leases.Leave(ctx, k.c.Process); err != nil {
		k.c.Log.WarnContext(ctx, "the leases of this process could not be given up; they run out by themselves",
			"error", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for shard, l := range k.lines {
		l.stop()
		delete(k.lines, shard)
	}
}

// wait waits for a duration by the Keeper's clock, or until ctx is done.
func (k *Keeper) wait(ctx context.Context, d time.Duration) {
	over := make(chan struct{})
	stop := k.c.Clock.AfterFunc(d, func() { close(over) })
	defer stop()
	select {
	case <-over:
	case <-ctx.Done():
	}
}
