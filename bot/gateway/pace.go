package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"
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

// Pacer says when sessions may begin.
type Pacer interface {
	// Turn waits until a session of the shard may begin; it is to identify then, or let the turn pass.
	// It returns ctx's error when that ends first.
	Turn(ctx context.Context, shard int) error
}

// pacer is the Pacer of a bot that is one process.
type pacer struct {
	log  *slog.Logger
	now  func() time.Time
	wait func(context.Context, time.Duration) error

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

func (p *pacer) Turn(ctx context.Context, shard int) error {
	if pause := p.take(shard); pause > 0 {
		return p.wait(ctx, pause)
	}
	return ctx.Err()
}

// take takes the next turn, and returns how long it is until then.
func (p *pacer) take(shard int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
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

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
