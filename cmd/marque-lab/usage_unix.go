//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"
)

// processorTime is how long the process has had processors.
func processorTime() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}

// residentMemory is how many bytes of memory the process has, without what it maps of files; false
// where the system does not tell.
func residentMemory() (int64, bool) {
	b, err := os.ReadFile("/proc/self/statm")
	var size, resident, shared int64
	if err != nil {
		return 0, false
	}
	if _, err := fmt.Fscan(bytes.NewReader(b), &size, &resident, &shared); err != nil {
		return 0, false
	}
	return (resident - shared) * int64(os.Getpagesize()), true
}
