package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"marque/bot/timesource"
)

const (
	// Discord takes one identify in five seconds of the shards with the same remainder of dividing by
	// the concurrency that it grants. A connection takes a little to be made, now more, now less.
	identifyPause = 5500 * time.Millisecond
	// A bot that identifies a thousand times in a day loses its token: after burst sessions within
	// burstTime, and as many more as there are shards, there are long pauses.
	burst     = 20
	burstTime = 10 * time.Minute
)

// pacer says when sessions of one process may begin.
type pacer struct {
	log   *slog.Logger
	clock timesource.Clock

	mu          sync.Mutex
	concurrency int
	burst       int
	latest      map[int]time.Time // the latest turn by the remainder of the shard
	turns       []time.Time       // the latest ones of all, burst at most, in their order
}

// grant sets for how many shards turns are taken, and how many of them may be at once.
func (p *pacer) grant(sh Sharding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.concurrency, p.burst, p.latest = sh.Concurrency, burst+sh.Shards-1, map[int]time.Time{}
}

// Turn waits until a session of the shard may begin; it is to identify then, or let the turn pass. It
// returns ctx's error when that ends first.
func (p *pacer) Turn(ctx context.Context, shard int) error {
	if pause := p.take(shard); pause > 0 {
		return wait(ctx, p.clock, pause)
	}
	return ctx.Err()
}

// group is the remainder of a shard: those of one take turns.
func (p *pacer) group(shard int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return shard % p.concurrency
}

// take takes the next turn, and returns how long it is until then.
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

// await waits until a shard may identify, among those of this process and, where others take turns, of all.
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
