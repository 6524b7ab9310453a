package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"marque/bot/rest"
)

// Link keeps one shard connected: it opens a connection, and another one whenever one is lost. It resumes no session:
// READY and the events after it tell what happened while there was no connection.
type Link struct {
	of    *Gateway
	shard Shard
	log   *slog.Logger

	told func(up bool)              // see Gateway.Serve
	away bool                       // Keep has lost the connection, and has no other yet
	fell bool                       // the latest attempt to connect failed
	conn *connection                // used only by the goroutine that opens and keeps the connection
	live atomic.Pointer[connection] // the connection that is up; nil while there is none
}

// Link makes a link for a shard. It is not connected.
func (g *Gateway) Link(shard Shard) *Link {
	log := g.log
	if shard.Of > 1 {
		log = log.With("shard", shard.Number)
	}
	return &Link{of: g, shard: shard, log: log, told: func(bool) {}}
}

// connect makes a connection, within a time limit whatever Discord does. It returns a *StartError for a fault that no
// retry can mend, and ctx's error when that ends first.
func (l *Link) connect(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, l.of.limit)
	defer cancel()
	c, err := l.of.dial(limited, l.shard)
	var late net.Error // of the connection, which has the same limit and may be there before it
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
	l.conn = c
	l.live.Store(c)
	return nil
}

// Open connects for the first time, as soon as the shard may identify. It returns a *StartError for a fault that no
// retry can mend, and ctx's error when that ends first.
func (l *Link) Open(ctx context.Context) error {
	for attempt := 1; ; attempt++ {
		err := l.begin(ctx)
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

// begin waits for the shard's turn to identify, then connects. A process that cannot reach Discord takes no turn from
// other processes.
func (l *Link) begin(ctx context.Context) error {
	if l.of.share != nil {
		address, err := l.of.address(ctx)
		if err == nil && l.fell {
			err = l.of.greets(ctx, address)
		}
		if err != nil {
			return fatal(err)
		}
	}
	if err := l.of.await(ctx, l.shard.Number); err != nil {
		return err
	}
	err := l.connect(ctx)
	l.fell = err != nil
	return err
}

// Keep reconnects whenever the connection is lost, until ctx is done; then it closes the connection. It returns a
// *StartError when Discord refuses the bot for good, and nil when ctx is done.
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

// reconnect tries until it is connected. It returns a *StartError for a fault that no retry can mend, and ctx's error
// when that ends first.
func (l *Link) reconnect(ctx context.Context) error {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		err := l.begin(ctx)
		var se *StartError
		if err == nil || ctx.Err() != nil || errors.As(err, &se) {
			return err
		}
		l.log.WarnContext(ctx, "Discord cannot be reached; trying again", "in", pause, "error", rest.Scrub(err))
		if err := l.of.wait(ctx, pause); err != nil {
			return err
		}
	}
}

// leave closes the connection.
func (l *Link) leave() {
	l.live.Store(nil)
	l.conn.leave()
}

// drop ends the connection without a close frame, if there is one.
func (l *Link) drop() {
	if c := l.live.Swap(nil); c != nil {
		c.cut()
	}
}

// health is Gateway.Health of one shard.
func (l *Link) health() (up bool, lag time.Duration) {
	c := l.live.Load()
	if c == nil {
		return false, 0
	}
	return true, c.lag()
}
