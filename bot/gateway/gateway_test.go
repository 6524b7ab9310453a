package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"marque/bot/localdiscord"
)

// harbour is a local Discord, and a gateway that does not wait between attempts but notes how long it would.
func harbour(t *testing.T) (*localdiscord.Server, *Gateway, *[]time.Duration) {
	t.Helper()
	srv := localdiscord.New(localdiscord.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	s, err := NewSession(srv.Token(), srv.HTTPClient())
	if err != nil {
		t.Fatal(err)
	}
	g := New(s, slog.New(slog.DiscardHandler))
	var waits []time.Duration
	g.wait = func(ctx context.Context, d time.Duration) error {
		waits = append(waits, d)
		return ctx.Err()
	}
	g.limit = 10 * time.Minute // the machine may be busy
	return srv, g, &waits
}

// Whatever goes wrong before the gateway lets the bot in, the attempt ends in time, and the next one is not the worse for it.
func TestHandshakesThatGoWrong(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]localdiscord.Handshake{
		"no Hello": localdiscord.NoHello, "no READY": localdiscord.NoReady, "invalid session": localdiscord.AnswerInvalid,
		"interrupted session": localdiscord.AnswerInterrupted, "asked to reconnect": localdiscord.AnswerReconnect,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, g, _ := harbour(t)
			srv.Gateway.FailHandshakes(fault)
			// A busy machine may not get as far as the fault in a short time.
			for g.limit = 100 * time.Millisecond; srv.Gateway.HandshakesLeft() > 0; g.limit *= 2 {
				if err := g.connect(t.Context()); !errors.Is(err, errNoAnswer) {
					t.Fatalf("connecting: %v, want %v", err, errNoAnswer)
				}
			}
			g.limit = 10 * time.Minute
			if err := g.connect(t.Context()); err != nil {
				t.Fatalf("the next attempt: %v", err)
			}
			g.leave()
		})
	}
}

// Stopping does not wait for a gateway that says nothing.
func TestConnectingIsBrokenOff(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]localdiscord.Handshake{"no Hello": localdiscord.NoHello, "invalid session": localdiscord.AnswerInvalid} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, g, _ := harbour(t)
			srv.Gateway.FailHandshakes(fault)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error)
			go func() { ended <- g.Open(ctx) }()
			if err := srv.Wait(ctx, func() bool { return srv.Gateway.HandshakesLeft() == 0 }); err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("connecting, broken off: %v, want %v", err, context.Canceled)
			}
		})
	}
}

// Sessions that the library does not let go of are bounded: in the end the bot stops and says what to do.
func TestStuckSessionsAreBounded(t *testing.T) {
	t.Parallel()
	srv, g, _ := harbour(t)
	g.opening.Store(maxStuck)
	srv.Gateway.FailHandshakes(localdiscord.AnswerInvalid)
	var err error
	for g.limit = 100 * time.Millisecond; srv.Gateway.HandshakesLeft() > 0; g.limit *= 2 {
		err = g.connect(t.Context())
	}
	if se := (*StartError)(nil); !errors.As(err, &se) {
		t.Errorf("the last session that may be stuck: %v, want a *StartError", err)
	}
}

// A bot that is thrown out again and again identifies no faster than Discord takes it, nor so often that it loses its token: a thousand times a day.
func TestIdentifyingIsPaced(t *testing.T) {
	t.Parallel()
	_, g, waits := harbour(t)
	for range burst + 3 {
		if err := g.reconnect(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.conn.cut()
	}
	long := 0
	for _, d := range *waits {
		if d == maxPause {
			long++
		} else if d > identifyPause {
			t.Errorf("a pause of %v, want up to %v or %v", d, identifyPause, maxPause)
		}
	}
	if long != 3 {
		t.Errorf("%d connections one after the other, with the pauses %v; want %v before each of the last 3", burst+3, *waits, maxPause)
	}
}
