package gateway

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"marque/bot/rest"
)

// Link keeps one shard connected: it opens a connection, and a new one whenever the connection is lost. The new
// connection resumes the session, so that missed events arrive and no session is used up. Another session begins only
// if Discord declares the old one over. Its READY and the events after it describe the present state. The session is
// only in memory: no other process and no later Link resumes it.
type Link struct {
	of    *Gateway
	shard Shard
	log   *slog.Logger

	told  func(up bool)              // called when the shard is connected or disconnected; see Gateway.Serve
	away  bool                       // Keep has lost the connection, and has not replaced it yet
	fell  bool                       // the latest attempt to connect failed
	spent bool                       // the latest attempt may have used up a session
	short int                        // number of consecutive connections shorter than steady
	since time.Time                  // beginning of the latest connection
	conn  *connection                // the latest connection; used only by the goroutine of Open and Keep
	live  atomic.Pointer[connection] // the present connection; nil if there is none
}

// steady is how long a connection must last to count as stable.
const steady = time.Minute

// Link returns an unconnected link for a shard.
func (g *Gateway) Link(shard Shard) *Link {
	log := g.log
	if shard.Of > 1 {
		log = log.With("shard", shard.Number)
	}
	return &Link{of: g, shard: shard, log: log, told: func(bool) {}}
}

// connect opens a connection to an address, within the gateway's time limit. It resumes sess unless sess is nil. It
// returns a *StartError for a fault that no retry can fix, and ctx's error if ctx ends first.
func (l *Link) connect(ctx context.Context, address string, sess *session) error {
	limited, cancel := context.WithTimeout(ctx, l.of.limit)
	defer cancel()
	c, err := l.of.dial(limited, address, l.shard, sess)
	var late net.Error // the connection has the same time limit, but its own error may come first
	switch {
	case ctx.Err() != nil:
		if c != nil {
			c.cut()
		}
		return ctx.Err()
	case limited.Err() != nil && err != nil, errors.As(err, &late) && late.Timeout():
		return errNoAnswer
	case err != nil:
		return fatal(err)
	}
	l.conn, l.since = c, l.of.clock.Now()
	l.live.Store(c)
	return nil
}

// Open connects for the first time, as soon as the shard is allowed to identify. It returns a *StartError if Discord
// refuses the bot or cannot be reached in several attempts, and ctx's error if ctx ends first.
func (l *Link) Open(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := l.begin(ctx, starting)
		var se *StartError
		switch {
		case err == nil, ctx.Err() != nil, errors.As(err, &se):
			return err
		case attempt == openings:
			return &StartError{"Discord's gateway cannot be reached. Check the network, then start again.",
				rest.Scrub(err)}
		}
		l.log.WarnContext(ctx, "Discord's gateway cannot be reached; trying again", "error", rest.Scrub(err))
		if l.of.wait(ctx, firstPause<<attempt) != nil {
			return ctx.Err()
		}
	}
}

// begin waits until the bot is allowed to begin another session and it is the shard's turn to identify, and then
// connects. After a failed attempt, it first checks that the gateway answers: a process that cannot reach Discord must
// not use up a turn.
func (l *Link) begin(ctx context.Context, r reserve) error {
	l.spent = false
	address, least, err := l.of.permit(ctx, r)
	if err == nil && l.fell {
		err = l.of.greets(ctx, address)
	}
	if err != nil {
		return fatal(err)
	}
	if err := l.of.await(ctx, l.shard.Number, least); err != nil {
		return err
	}
	l.spent = true
	err = l.connect(ctx, address, nil)
	l.fell = err != nil
	return err
}

// resume reconnects and resumes the session. It uses the address that Discord gave for resuming, if there is one. After
// a failed attempt, it uses the general address.
func (l *Link) resume(ctx context.Context, sess *session) (err error) {
	l.spent = false
	address := sess.url
	if l.fell || address == "" {
		if address, err = l.of.address(ctx); err != nil {
			return fatal(err)
		}
	}
	err = l.connect(ctx, address, sess)
	l.fell = err != nil
	return err
}

// Keep reconnects the shard whenever the connection is lost, until ctx is done, and then closes the connection. It
// returns a *StartError if Discord refuses the bot permanently, and nil when ctx is done.
func (l *Link) Keep(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			l.leave()
			return nil
		case <-l.conn.over.Done():
		}
		l.live.Store(nil)
		l.conn.cut()
		l.away = true
		l.of.lost()
		l.told(false)
		if err := l.reconnect(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		l.away = false
		l.of.found()
		l.told(true)
		l.log.InfoContext(ctx, "connected to Discord again")
	}
}

// reconnect tries until the shard is connected again. It resumes the session, or begins a new one if Discord has
// ended the session. It tries to resume immediately, unless the last connections were short. reconnect returns a
// *StartError for a fault that no retry can fix, and the error of ctx if ctx ends first.
func (l *Link) reconnect(ctx context.Context) error {
	pause := l.patience()
	if err := l.of.wait(ctx, pause); err != nil {
		return err
	}
	for sess := l.conn.session; ; {
		var err error
		if sess.over.Err() == nil {
			err = l.resume(ctx, sess)
		}
		if sess.over.Err() != nil {
			// Discord requires the pause after an invalid session. Source: Discord's documentation, topic "Gateway",
			// section "Resuming".
			if err := l.of.wait(ctx, firstPause+rand.N(4*firstPause)); err != nil {
				return err
			}
			err = l.begin(ctx, running)
		}
		var se *StartError
		if err == nil || ctx.Err() != nil || errors.As(err, &se) {
			return err
		}
		longest := seekPause
		if l.spent {
			longest = maxPause
		}
		pause = min(max(2*pause, firstPause), longest)
		l.log.WarnContext(ctx, "Discord cannot be reached; trying again", "in", pause, "error", rest.Scrub(err))
		if err := l.of.wait(ctx, pause); err != nil {
			return err
		}
	}
}

// patience returns the pause before the first attempt to reconnect. The pause grows with the number of consecutive
// short connections.
func (l *Link) patience() time.Duration {
	if l.of.clock.Now().Sub(l.since) >= steady {
		l.short = 0
		return 0
	}
	if l.short++; l.short == 1 {
		return 0
	}
	return min(firstPause<<min(l.short-2, 30), maxPause)
}

// leave closes the connection and ends its session.
func (l *Link) leave() {
	l.live.Store(nil)
	l.conn.leave()
}

// drop ends the connection, if there is one, without a close frame, and gives up its session.
func (l *Link) drop() {
	if c := l.live.Swap(nil); c != nil {
		c.cut()
		c.session.end()
	}
}

// health returns the values of Gateway.Health for one shard.
func (l *Link) health() (up bool, lag time.Duration) {
	c := l.live.Load()
	if c == nil {
		return false, 0
	}
	return true, c.lag()
}
