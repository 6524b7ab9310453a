//go:build unix

package bot_test

import (
	"syscall"
	"time"
)

// processorTime is what the process has taken, which other programs on the machine disturb less than the clock.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
