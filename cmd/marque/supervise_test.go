package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"marque/bot/localdiscord"
	"marque/config"
	"marque/storage"
)

// The bot notifies the service manager when games can be played, regularly while it is alive, and when it stops.
func TestTheServiceManagerIsTold(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no such manager on Windows")
	}
	address := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "notify"), Net: "unixgram"}
	socket, err := net.ListenUnixgram("unixgram", address)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	t.Setenv("NOTIFY_SOCKET", address.Name)
	t.Setenv("WATCHDOG_USEC", strconv.Itoa(int((20 * time.Millisecond).Microseconds())))

	quiet := slog.New(slog.DiscardHandler)
	discord := localdiscord.New(localdiscord.Options{Log: quiet})
	if err := discord.Start(); err != nil {
		t.Fatal(err)
	}
	defer discord.Close()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	cfg := config.Config{Token: config.Secret(discord.Token()), Data: t.TempDir(), ShutdownTimeout: 5 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, cfg, discord.HTTPClient(), streams{nil, io.Discard, io.Discard}, quiet) }()

	if err := socket.SetReadDeadline(time.Now().Add(startTime)); err != nil {
		t.Fatal(err)
	}
	var heard []string
	for buffer := make([]byte, 1024); ; {
		n, err := socket.Read(buffer)
		if err != nil {
			t.Fatalf("after %v: %v", heard, err)
		}
		said := string(buffer[:n])
		if heard = append(heard, said); said == "STOPPING=1" {
			break
		}
		if strings.Count(strings.Join(heard, " "), "WATCHDOG=1") == 3 {
			cancel()
		}
	}
	if err := <-ended; err != nil {
		t.Errorf("the bot ended with %v", err)
	}
	t.Log(heard)
	if heard[0] != "READY=1" || slices.Contains(heard[1:], "READY=1") {
		t.Errorf("the manager heard %v, want READY=1 first and once", heard)
	}
}

// A bot whose store hangs stops sending notifications, so that the service manager restarts it. A bot that is alive
// sends two notifications within the manager's timeout.
func TestABotThatHangsIsNotSaidToBeAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := 0
		var hangs atomic.Bool
		s := &supervisor{
			tell: func(string) { said++ }, every: 30 * time.Second, log: slog.New(slog.DiscardHandler),
			alive: func(ctx context.Context) error {
				if hangs.Load() {
					<-ctx.Done()
				}
				return ctx.Err()
			},
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.watch(ctx) }()
		time.Sleep(10*time.Minute + time.Second)
		synctest.Wait()
		if said != 21 {
			t.Errorf("in ten minutes of a watchdog of a minute it was said %d times that the bot is alive, want 21",
				said)
		}
		hangs.Store(true)
		before := said
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if said != before {
			t.Errorf("while the store hung it was said %d times that the bot is alive", said-before)
		}
		cancel()
		<-done
	})
}

// A bot that waits for its database or for disk space still counts as alive, because a restart would not help.
func TestABotThatWaitsIsSaidToBeAlive(t *testing.T) {
	t.Parallel()
	for _, waits := range []error{
		&storage.UnreachableError{Err: errors.New("refused")},
		&storage.DiskError{Problem: storage.DiskFull, Err: errors.New("no space left on device")},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			said := 0
			s := &supervisor{
				tell: func(string) { said++ }, every: time.Minute, log: slog.New(slog.DiscardHandler),
				alive: func(context.Context) error { return waits },
			}
			s.watch(ctx)
			if said < 10 {
				t.Errorf("in ten minutes in which the store says %q it was said %d times that the bot is alive", waits,
					said)
			}
		})
	}
}

// An open store is alive, and a closed one is not.
func TestAliveIsWhatCanWrite(t *testing.T) {
	t.Parallel()
	store, _, _ := harbour(t)
	if err := store.Alive(t.Context()); err != nil {
		t.Errorf("an open store: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := store.Alive(t.Context()); err == nil {
		t.Error("a closed store is said to be alive")
	}
}
