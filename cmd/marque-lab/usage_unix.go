//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"
)

// processorTime returns the processor time that the process has used.
func processorTime() (time.Duration, bool) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}

// residentMemory returns the memory of the process in bytes, without mapped files. It returns false if the system does
// not report it.
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
