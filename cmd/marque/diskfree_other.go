//go:build !linux && !darwin && !freebsd && !windows

package main

import "errors"

// freeSpace is not supported on this system.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
