//go:build !linux

package kvtest

import "os"

// datasync is the sync that bbolt uses here.
func datasync(f *os.File) error { return f.Sync() }
