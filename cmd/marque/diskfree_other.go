//go:build !linux && !darwin && !freebsd && !windows

package main

import "errors"

// freeSpace returns an error, because it is not implemented for this system.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
