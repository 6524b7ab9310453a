package background_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/background"
)

// Background work begins when nobody is waiting for an answer, but after a second at the latest. It begins immediately
// if somebody waits for its result.
func TestBackgroundGivesWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b background.Gate
		ended, stop := context.WithCancel(t.Context())
		stop()
		hurry := make(chan struct{})
		close(hurry)
		for _, c := range []struct {
			what  string
			ahead int // number of waiting people
			leave time.Duration
			ctx   context.Context
			hurry chan struct{}
			after time.Duration
			err   error
		}{
			{what: "nobody waits"},
			{what: "one waits for a while", ahead: 1, leave: 30 * time.Millisecond, after: 30 * time.Millisecond},
			{what: "two wait for a while", ahead: 2, leave: 30 * time.Millisecond, after: 60 * time.Millisecond},
			{what: "there is always somebody", ahead: 100, leave: 30 * time.Millisecond, after: time.Second},
			{what: "somebody waits for the work itself", ahead: 1, leave: time.Minute, hurry: hurry},
			{what: "the bot stops", ahead: 1, leave: time.Minute, ctx: ended, err: context.Canceled},
		} {
			for range c.ahead {
				b.Begin()
			}
			go func() { // the people get their answers one after another
				for range c.ahead {
					time.Sleep(c.leave)
					b.End()
				}
			}()
			began, ctx := time.Now(), t.Context()
			if c.ctx != nil {
				ctx = c.ctx
			}
			err := b.GiveWay(ctx, c.hurry)
			if after := time.Since(began); after != c.after || !errors.Is(err, c.err) {
				t.Errorf("when %s, the work begins after %v with %v, want %v, %v", c.what, after, err, c.after, c.err)
			}
			time.Sleep(time.Hour)
		}
	})
}

// While many acknowledgements are being sent to Discord, a picture is delayed, but by no more than a second. A few of
// them delay no picture.
func TestPicturesGiveWayToARushOfPromises(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			what     string
			promises int
			take     time.Duration // duration of each promise; all are concurrent
			after    time.Duration
		}{
			{"nothing is promised", 0, 0, 0},
			{"a few are promised", 31, 100 * time.Millisecond, 0},
			{"many are promised", 2000, 100 * time.Millisecond, 100 * time.Millisecond},
			{"many are promised to a Discord that does not answer", 2000, 15 * time.Second, time.Second},
		} {
			var b background.Gate
			for range c.promises {
				kept := b.Promise()
				go func() { time.Sleep(c.take); kept() }()
			}
			began := time.Now()
			if err := b.AfterRush(t.Context()); err != nil || time.Since(began) != c.after {
				t.Errorf("when %s, a picture begins after %v (%v), want %v", c.what, time.Since(began), err, c.after)
			}
			time.Sleep(time.Hour)
		}
	})
}
