//go:build !linux

package kvtest

import "os"

// datasync syncs a file as bbolt does on this system.
func datasync(f *os.File) error { return f.Sync() }
