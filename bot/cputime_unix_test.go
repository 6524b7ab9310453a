//go:build unix

package bot_test

import (
	"syscall"
	"time"
)

// processorTime returns the processor time of the process, on which other programs have less influence than on elapsed
// time.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
