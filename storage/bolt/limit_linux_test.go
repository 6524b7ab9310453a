package bolt

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// limitMemory lets the process take so many bytes of memory of its own beyond what it has. What it maps of
// files does not count.
func limitMemory(more int) error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	_, rest, ok := strings.Cut(string(status), "VmData:")
	if !ok {
		return errors.New("the system does not say how much memory there is")
	}
	had, err := strconv.ParseUint(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		return err
	}
	limit := had<<10 + uint64(more)
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit})
}
