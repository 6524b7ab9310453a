//go:build !linux && !darwin && !freebsd && !windows

package main

import "errors"

// freeSpace cannot be found out on this system.
func freeSpace(string) (uint64, error) { return 0, errors.ErrUnsupported }
