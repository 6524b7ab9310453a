package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"marque/storage"
)

// supervisor reports the bot's state to the service manager that has started it, if the manager wants reports
// (systemd's Type=notify and WatchdogSec). Otherwise it does nothing. Source: systemd's sd_notify(3) and
// sd_watchdog_enabled(3).
type supervisor struct {
	tell func(state string)
	// every is the time between two keep-alive messages to the service manager; 0 if it wants none.
	every time.Duration
	alive func(context.Context) error
	log   *slog.Logger
}

func newSupervisor(store keeper, log *slog.Logger) *supervisor {
	timeout, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("the service manager's watchdog is not served: WATCHDOG_USEC or WATCHDOG_PID cannot be read", "error",
			err)
	}
	return &supervisor{
		tell: func(state string) {
			if _, err := daemon.SdNotify(false, state); err != nil {
				log.Warn("the service manager could not be told how the bot fares", "state", state, "error", err)
			}
		},
		every: timeout / 2, alive: store.Alive, log: log,
	}
}

// watch sends keep-alive messages to the service manager. Before each one it waits until alive returns. After an error
// it sends none, unless a restart would not help. A bot that hangs sends nothing, and the manager restarts it.
func (s *supervisor) watch(ctx context.Context) {
	if s.every <= 0 {
		return
	}
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		err := s.alive(ctx)
		if ctx.Err() != nil {
			return
		}
		away, disk := (*storage.UnreachableError)(nil), (*storage.DiskError)(nil)
		switch {
		case err == nil:
			s.tell(daemon.SdNotifyWatchdog)
		case errors.As(err, &away): // a restart would not make the database reachable
			s.tell(daemon.SdNotifyWatchdog)
			s.log.Error("the bot waits for its database", "error", err)
		case errors.As(err, &disk) && disk.Problem == storage.DiskFull: // a restart would not free any disk space
			s.tell(daemon.SdNotifyWatchdog)
			s.log.Error("the bot waits for room on the disk", "error", err)
		default:
			s.log.Error("the store takes nothing any more; the service manager is not told that the bot is alive",
				"error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
