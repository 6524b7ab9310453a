//go:build !linux

package kvtest

import "os"

// datasync syncs a file as bbolt does on most systems other than Linux.
func datasync(f *os.File) error { return f.Sync() }
