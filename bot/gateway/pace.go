package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"marque/bot/timesource"
)

const (
	// Discord takes one identify in five seconds from the shards with the same remainder when their numbers are
	// divided by the granted concurrency. The time that a connection takes to be made varies a little.
	identifyPause = 5500 * time.Millisecond
	// A bot that identifies a thousand times in a day loses its token: after burst sessions within burstTime, and
	// one more for each further shard, the pauses get long.
	burst     = 20
	burstTime = 10 * time.Minute
)

// pacer decides when sessions of one process may begin.
type pacer struct {
	log   *slog.Logger
	clock timesource.Clock

	mu          sync.Mutex
	concurrency int
	burst       int
	latest      map[int]time.Time // the latest turn of each group of shards
	turns       []time.Time       // the latest turns of all, burst at most, in order
}

// grant sets how many shards take turns, and how many may identify at once.
func (p *pacer) grant(sh Sharding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.concurrency, p.burst, p.latest = sh.Concurrency, burst+sh.Shards-1, map[int]time.Time{}
}

// Turn waits until a session of the shard may begin; the shard identifies then, or lets the turn pass. Turn returns
// ctx's error when that ends first.
func (p *pacer) Turn(ctx context.Context, shard int) error {
	if pause := p.take(shard); pause > 0 {
		return wait(ctx, p.clock, pause)
	}
	return ctx.Err()
}

// group is a shard's number modulo the concurrency: the shards of a group take turns.
func (p *pacer) group(shard int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return shard % p.concurrency
}

// take takes the next turn of a shard, and returns how long to wait for it.
func (p *pacer) take(shard int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	at, of := now, shard%p.concurrency
	if latest, ok := p.latest[of]; ok {
		at = later(at, latest.Add(identifyPause))
	}
	if n := len(p.turns); n == p.burst && at.Sub(p.turns[0]) < burstTime {
		at = later(at, p.turns[n-1].Add(maxPause))
		p.log.Warn("the connection to Discord is lost again and again; pausing", "for", at.Sub(now).Round(time.Second))
	}
	p.latest[of] = at
	if p.turns = append(p.turns, at); len(p.turns) > p.burst {
		p.turns = p.turns[1:]
	}
	return at.Sub(now)
}

// await waits until a shard may identify: after the others of this process and, where processes share turns, of all.
func (g *Gateway) await(ctx context.Context, shard int) error {
	if err := g.pace.Turn(ctx, shard); err != nil || g.share == nil {
		return err
	}
	for {
		pause, err := g.share(ctx, g.pace.group(shard), identifyPause)
		if err == nil && pause == 0 {
			return nil
		}
		if err != nil {
			g.log.WarnContext(ctx, "the store does not say when a session may begin; trying again", "error", err)
			pause = firstPause
		}
		if err := g.wait(ctx, pause); err != nil {
			return err
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
