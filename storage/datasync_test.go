//go:build !linux

package storage_test

import "os"

// datasync is the sync that bbolt uses here.
func datasync(f *os.File) error { return f.Sync() }
