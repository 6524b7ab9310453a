package kvtest

import (
	"os"
	"syscall"
)

// datasync syncs a file as bbolt does on Linux.
func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }
