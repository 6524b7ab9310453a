//go:build unix

package bot_test

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that the process has used. Other programs affect it less than they affect
// the elapsed time.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
