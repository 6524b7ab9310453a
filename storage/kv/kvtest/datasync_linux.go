package kvtest

import (
	"os"
	"syscall"
)

// datasync is the sync that bbolt uses here.
func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
