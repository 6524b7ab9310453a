package gateway

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/timesource"
)

// identifyPause is the minimum time between the beginnings of two sessions of one group of shards; see pacer.group.
// Discord accepts one identify in five seconds from each group. The additional half second allows for different
// connection times.
const identifyPause = 5500 * time.Millisecond

// reserve is the percentage of a day's sessions that the bot does not use. A bot that begins more sessions than Discord
// grants loses its token. Source: Discord's documentation, topic "Gateway", section "Session Start Limit Object".
type reserve int

const (
	running  reserve = 10 // for sessions that replace others
	starting reserve = 1  // for the first sessions of a process
)

// hold returns how long to wait before another session because only the reserve is left. It is 0 if more sessions are
// left, or if Discord has not sent their number. least is the minimum time since the latest session: once more than
// half of the sessions are used, the remaining ones are spread over the rest of the day, unless r is starting.
func (r reserve) hold(l discordgo.SessionInformation) (hold, least time.Duration) {
	left, reset := l.Remaining-l.Total*int(r)/100, time.Duration(l.ResetAfter)*time.Millisecond
	switch {
	case l.Total <= 0:
		return 0, 0
	case left <= 0:
		return max(reset, firstPause), 0
	case r == running && l.Remaining < l.Total/2:
		return 0, reset / time.Duration(left)
	}
	return 0, 0
}

// pacer decides when sessions of this process can begin.
type pacer struct {
	log   *slog.Logger
	clock timesource.Clock

	mu          sync.Mutex
	concurrency int
	turns       map[int]time.Time // time of the last granted turn, by group of shards
	latest      time.Time         // time of the last granted turn of any group
}

// grant sets how many shards Discord allows to identify at the same time. It forgets earlier turns.
func (p *pacer) grant(sh Sharding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.concurrency, p.turns = sh.Concurrency, map[int]time.Time{}
}

// Turn waits until a session of the shard is allowed to begin, and until the time least has passed since the latest
// session of any shard. The caller then identifies, or leaves the turn unused. Turn returns the error of ctx if ctx
// ends first.
func (p *pacer) Turn(ctx context.Context, shard int, least time.Duration) error {
	if pause := p.take(shard, least); pause > 0 {
		return wait(ctx, p.clock, pause)
	}
	return ctx.Err()
}

// group returns the number of a shard modulo the concurrency. The shards of a group take turns to identify.
func (p *pacer) group(shard int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return shard % p.concurrency
}

// take takes the next turn of a shard, and returns how long to wait for it.
func (p *pacer) take(shard int, least time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	at, of := now, shard%p.concurrency
	if turn, ok := p.turns[of]; ok {
		at = later(at, turn.Add(identifyPause))
	}
	if least > 0 {
		if at = later(at, p.latest.Add(least)); at.Sub(now) > identifyPause {
			p.log.Warn("sessions with Discord were begun too often today; pausing", "for", at.Sub(now).Round(time.Second))
		}
	}
	p.turns[of], p.latest = at, later(p.latest, at)
	return at.Sub(now)
}

// permit waits until the bot is allowed to begin another session. It returns the gateway's address, and the minimum
// time since the latest session.
func (g *Gateway) permit(ctx context.Context, r reserve) (address string, least time.Duration, err error) {
	for {
		told, err := g.gatewayBot(ctx)
		if err != nil {
			return "", 0, err
		}
		hold, least := r.hold(told.SessionStartLimit)
		if hold == 0 {
			return told.URL, least, nil
		}
		until := g.clock.Now().Add(hold)
		g.held.Store(until.UnixNano())
		g.log.ErrorContext(ctx, "so many sessions with Discord were begun today that the others are kept, because too many would cost the token; "+
			"look for what ends the connections, and see whether another process uses the token", "left",
			told.SessionStartLimit.Remaining, "of", told.SessionStartLimit.Total, "next", until.Format(time.RFC3339))
		if err := g.wait(ctx, hold); err != nil {
			return "", 0, err
		}
	}
}

// Held returns the time until which no session begins because only the day's reserve is left. It is zero if sessions
// can begin.
func (g *Gateway) Held() time.Time {
	if until := time.Unix(0, g.held.Load()); until.After(g.clock.Now()) {
		return until
	}
	return time.Time{}
}

// await waits until a shard is allowed to identify: first for its turn in this process, then, if Share was called, for
// the turn shared with other processes.
func (g *Gateway) await(ctx context.Context, shard int, least time.Duration) error {
	if err := g.pace.Turn(ctx, shard, least); err != nil || g.share == nil {
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
